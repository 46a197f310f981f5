#!/usr/bin/env python3
"""One map gives one .bsp, light included: with the vector units of any processor, any number of
threads, any build, and whatever order the C library leaves equal elements in."""
import os
import re
import shutil

import same_bytes
from e2e import Skip, Suite, check, read

suite = Suite()
FLAG = {"plain": "", "avx2": "avx2", "avx512": "avx512bw"}
STAGES = ("vbsp", "vvis", "vrad")
THREADS = {"plain": 1, "avx2": 3, "avx512": 7}
# The lines of times are absent where all are too short.
TIMES = re.compile(r'^(?:CPU )?time .*\n| *[0-9.]+ s\b|"(?:wall|cpu|peak)[a-z_]*": *[0-9.e+-]+', re.MULTILINE)
LEAKS = ("areaportal.vmf", "areaportal_gap.vmf", "leak.vmf", "leak_holes.vmf", "leak_slit.vmf",
         "light_leaks.vmf", "lint.vmf", "two_rooms.vmf", "q3_leak.map")


def compare(name, found, what, stage=2):
    known = same_bytes.recorded_stages()[name][stage]
    check(found == known, f"{name} has other bytes {what}: {found}, not {known}. If results were to "
          "change: tests/e2e/same_bytes.py --bin build/release/bin --write")


@suite.case
def what_is_recorded(s, folder):
    """Of other builds, processors and systems. (One of another system shows what differs.)"""
    build = same_bytes.Build(s.options.bin)
    for name in same_bytes.LIGHT:
        for stage, found in enumerate(build.of_map(name, 2 if s.options.without_light else 3)):
            compare(name, found, f"after {STAGES[stage]} than were recorded", stage)


def with_level(level):
    def case(s, folder):
        s.needs_light()
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            if FLAG[level] not in file.read():
                raise Skip(f"this processor has no {level}")
        build = same_bytes.Build(s.options.bin, (), same_bytes.level_environment(level), THREADS[level])
        for name in same_bytes.LIGHT:
            compare(name, build.of_map(name)[-1], f"with {level} on {THREADS[level]} threads")
    return case


for LEVEL in FLAG:
    suite.add(f"vector_units_up_to_{LEVEL}", with_level(LEVEL))


def everything(s, source, folder, preload):
    """By name: the files that the programs leave for a map, and what they print."""
    os.mkdir(folder)
    stem, found = os.path.join(folder, "map"), {}
    environment = {"LD_PRELOAD": preload} if preload else {}
    for program, *arguments in (("vbsp", source, "-o", stem + ".bsp"), ("vvis", stem), ("vrad", stem)):
        text = same_bytes.Build(s.options.bin, (), environment).program(
            program, *arguments, statuses=(0, 1, 3)).decode(errors="replace")
        found[program] = TIMES.sub("", text)
    for base, _, names in os.walk(folder):
        found.update((os.path.relpath(os.path.join(base, name), folder), read(os.path.join(base, name)))
                     for name in names)
    shutil.rmtree(folder)
    return found


@suite.case
def order_of_equal_elements(s, folder):
    """Of qsort, which turns it around here."""
    s.not_on_windows("libraries are a part of the program")
    turned = os.path.join(s.options.bin, "..", "tests", "libreverse_ties.so")
    if not os.path.exists(turned):
        raise Skip("no library that can be loaded before libc with sanitizers")
    for name in (*LEAKS, *same_bytes.LIGHT):
        place = os.path.join(folder, "map")
        first, second = (everything(s, s.map(name), place, preload) for preload in (None, turned))
        for part in first.keys() | second.keys():
            check(first.get(part) == second.get(part), f"{name}: {part} depends on the order of equal elements:\n"
                  f"{first.get(part)}\n{second.get(part)}")


suite.main()
