#!/usr/bin/env python3
"""One map gives one .bsp: on old processors and on arm64, which qemu stands in for, and large maps with
each level of vector units."""
import os
import shutil
import subprocess

import same_bytes
from e2e import Skip, Suite, check

suite = Suite()

# SSE2 alone; SSE4.2; AVX2. With some maps each, since qemu is 30 times slower, and more with AVX2, which most processors
# have: test_same_bytes.py builds all maps with it.
PROCESSORS = {"first": "qemu64,-sse3,-cx16", "nehalem": "Nehalem", "haswell": "Haswell"}
MAPS = {"first": list(same_bytes.LIGHT), "nehalem": list(same_bytes.LIGHT)[1::3],
        "haswell": ["light_fixtures.vmf", "physics.vmf", "tilted.vmf", "q3_styles.map"]}
LARGE = {"generated/mid.vmf": ["-game", "generated/game"], "generated/big.vmf": ["-game", "generated/game"],
         "generated/pillars9.vmf": ["-game", "generated/game"], "generated/ents.vmf": ["-game", "generated/game"],
         "q3maps/feature_rooms.map": [], "q3maps/oacmpdm8_v220.map": [], "ibsp/mp_lobby.map": []}
EMULATED = ("q3maps/feature_rooms.map",)
LONG = ("generated/big.vmf", "q3maps/oacmpdm8_v220.map")  # with the least and the most


def on_processor(processor):
    if not shutil.which("qemu-x86_64-static"):
        raise Skip("no qemu-x86_64-static (qemu-user-static)")
    return ["qemu-x86_64-static", "-cpu", processor]


def with_processor(key):
    def case(s, folder):
        build = same_bytes.Build(s.options.bin, on_processor(PROCESSORS[key]))
        known = same_bytes.recorded()
        for name in MAPS[key]:
            found = build.of_map(name)[-1]
            check(found == known[name], f"{name} has other bytes on {PROCESSORS[key]}: {found}")
    return case


for NAME in PROCESSORS:
    suite.add(f"processor_{NAME}", with_processor(NAME))


@suite.case
def processor_arm64(s, folder):
    done = subprocess.run([os.path.join(s.options.source, "scripts", "arm64"), "--no-sysroot"], check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode == 77:
        raise Skip(done.stdout.strip().removeprefix("skipped: "))
    check(done.returncode == 0, done.stdout)


def with_large(name):
    def case(s, folder):
        source = s.corpus(*name.split("/"))
        content = [s.corpus(*word.split("/")) if "/" in word else word for word in LARGE[name]]
        ways = {f"{level} on {threads} threads": same_bytes.Build(
            s.options.bin, (), same_bytes.level_environment(level), threads)
                for level, threads in (("plain", 1), ("avx2", 3), ("avx512", 2)) if level != "avx2" or name not in LONG}
        if name in EMULATED and shutil.which("qemu-x86_64-static"):
            ways["the first processor"] = same_bytes.Build(s.options.bin, on_processor(PROCESSORS["first"]))
        found = {way: build.hashes(source, content) for way, build in ways.items()}
        for stage, program in enumerate(("vbsp", "vvis", "vrad")):
            check(len({hashes[stage] for hashes in found.values()}) == 1,
                  f"{name}: bytes differ after {program}: { {way: h[stage] for way, h in found.items()} }")
        print(name, next(iter(found.values()))[-1])
    return case


for NAME in LARGE:
    suite.add(os.path.basename(NAME).split(".")[0], with_large(NAME))

suite.main()
