#!/usr/bin/env python3
"""Collision models of maps: sound by the independent checker (real maps are in test_sound.py), and with the solids, the
hulls and the volumes of Valve's own compiles (fidelity.tsv has those of real maps where all are alike). Masses and
materials are not compared, since nobody here has the materials' surface properties."""
import json
import os
import subprocess
import sys

from e2e import Suite, check, read
from physics_check import check_physics

suite = Suite()


def compile_map(s, folder, source, *options):
    ours = os.path.join(folder, "map.bsp")
    table = os.path.splitext(source)[0] + ".texdata.tsv"
    if os.path.exists(table):
        options += ("--texdata", table)
    done = s.run("vbsp", source, "-o", ours, "--json", *options)
    check(done.status in (0, 3), done)
    check("V140" not in done.codes(), done)
    return ours


# Solids of less than a cubic unit, which Valve's tree loses: they are in none of its leaves.
LOST_BY_THEM = {"hostel.bsp": 2}


def compare(s, reference, ours):
    done = subprocess.run([sys.executable, s.tool("bsp_compare.py"), reference, ours, "--json"],
                          check=True, stdout=subprocess.PIPE, timeout=600)
    section = next(x for x in json.loads(done.stdout)["sections"] if x["name"] == "physcollide")
    figures = section["figures"]
    models = figures["models in both"]
    print(f"{section['score']:.4f}: {models} models, {figures['hulls'][0]} hulls")
    lost = LOST_BY_THEM.get(os.path.basename(reference), 0)
    for name in ("models with collision", "solids"):
        check(figures[name][0] == figures[name][1], f"{name}: {figures[name]}")
    check(figures["hulls"][0] + lost == figures["hulls"][1], f"hulls: {figures['hulls']}")
    alike = ["same number of solids", "same volume (0.1 %)"]
    for name in alike if lost else alike + ["same number of hulls"]:
        check(figures[name] == models, f"{name}: {figures[name]} of {models}; {section['list']}")


@suite.case
def where_they_lose_solids(s, folder):
    source = s.corpus("vmf", "s09_who_hostel", "hostel.vmf")
    compare(s, source[:-4] + ".bsp", compile_map(s, folder, source))


@suite.case
def own_maps(s, folder):
    for name in ("physics", "water", "brush_entities", "detail", "off_grid", "thin",
                 "displacements"):
        check_physics(s, compile_map(s, folder, s.map(name + ".vmf")))


@suite.case
def same_bytes_with_any_threads(s, folder):
    bytes_of = [read(compile_map(s, folder, s.map("physics.vmf"), "-threads", threads))
                for threads in (1, 7)]
    check(bytes_of[0] == bytes_of[1], "the threads tell")


@suite.case
def other_targets(s, folder):
    """Another target, another text; and version 19 has the lump twice."""
    lumps = {}
    for target in ("css19", "source2007", "portal2"):
        ours = compile_map(s, folder, s.map("physics.vmf"), "--target", target)
        check_physics(s, ours)
        data = read(ours)
        at = [int.from_bytes(data[8 + 16 * n + k:12 + 16 * n + k], "little")
              for n in (29, 49) for k in (0, 4)]
        lumps[target] = data[at[0]:at[0] + at[1]], data[at[2]:at[2] + at[3]]
        check((b"virtualterrain" in lumps[target][0]) == (target != "css19"), target)
    check(lumps["css19"][0] == lumps["css19"][1], "lump 49 is no copy of lump 29")
    check(not lumps["source2007"][1] and not lumps["portal2"][1], "a lump 49 too many")


suite.main()
