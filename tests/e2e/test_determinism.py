#!/usr/bin/env python3
"""The same input gives the same bytes: with 1, 2 and 7 threads, in one process or in three, and
the programs change nothing when they run again."""
import os

from e2e import Suite, check, read, write

suite = Suite()


def three_programs(s, source, stem, threads, options, fast):
    quick = ["-fast"] if fast else []
    s.run("vbsp", source, "-o", stem + ".bsp", "-threads", threads, *options).expect(0)
    s.run("vvis", stem, "-threads", threads, *quick).expect(0)
    s.run("vrad", stem, "-threads", threads, *quick, *options).expect(0)


def one_program(s, source, stem, threads, options, fast):
    preset = ["--preset", "fast"] if fast else []
    s.run("brushwork", "build", source, "-o", stem + ".bsp", "-threads", threads, *preset,
          *options).expect(0)


def same_bytes(s, folder, source, options=(), fast=False):
    first = None
    for make in (one_program, three_programs):
        for threads in (1, 2, 7):
            # Output names must not find their way into the file.
            stem = os.path.join(folder, f"{make.__name__}{threads}")
            make(s, source, stem, threads, options, fast)
            result = read(stem + ".bsp"), read(stem + ".prt")
            first = first or result
            for what, a, b in zip(("BSP", "PRT"), first, result):
                check(a == b, f"{make.__name__} with {threads} threads gives another {what}: "
                      f"{len(a)} and {len(b)} bytes, "
                      f"first difference at {next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), -1)}")


@suite.case
def atrium(s, folder):
    same_bytes(s, folder, s.map("atrium.vmf"))


@suite.case
def training_ground(s, folder):
    pair = ("vmf", "s03_traininggnd_water")
    same_bytes(s, folder, s.corpus(*pair, "trainingground.vmf"),
               ["--texdata", s.corpus(*pair, "trainingground.texdata.tsv")], fast=True)


@suite.case
def every_small_map(s, folder):
    for name in ("two_rooms", "water", "detail", "brush_entities", "off_grid", "hint", "thin",
                 "overlays"):
        inner = os.path.join(folder, name)
        os.mkdir(inner)
        same_bytes(s, inner, s.map(name + ".vmf"), fast=True)


@suite.case
def maps_of_several_files(s, folder):
    for name in ("instances.vmf", "cordon.vmf", "manifest.vmm"):
        inner = os.path.join(folder, name)
        os.mkdir(inner)
        same_bytes(s, inner, s.map(name), fast=True)


@suite.case
def lighting_again_changes_nothing(s, folder):
    stem = os.path.join(folder, "map")
    one_program(s, s.map("two_rooms.vmf"), stem, 2, (), True)
    before = read(stem + ".bsp")
    s.run("vvis", stem, "-fast").expect(0)
    s.run("vrad", stem, "-fast").expect(0)
    check(read(stem + ".bsp") == before, "a second run gives other bytes")


@suite.case
def standard_streams(s, folder):
    source = read(s.map("box.vmf"))
    piped = s.run("vbsp", "-", stdin=source).expect(0).out
    path = write(os.path.join(folder, "map.vmf"), source)
    s.run("vbsp", path).expect(0)
    check(piped == read(os.path.join(folder, "map.bsp")), "standard output has other bytes")
    piped = s.run("vvis", os.path.join(folder, "map"), "-o", "-").expect(0).out
    s.run("vvis", os.path.join(folder, "map")).expect(0)
    check(piped == read(os.path.join(folder, "map.bsp")), "vvis -o - has other bytes")


suite.main()
