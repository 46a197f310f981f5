#!/usr/bin/env python3
"""Maps of one family of engines that are compiled for the other: sound by `verify` and by checkers
that share no code with the compilers."""
import os
import re
import subprocess
import sys

from e2e import Skip, Suite, check, read
from ibsp_portals import lump, records

ENTITIES, SHADERS, SURFACES, LIGHTMAPS = 0, 1, 13, 14
SKY, PATCH = 4, 2

suite = Suite()


def checked(s, tool, path, good):
    """By a checker from outside; where it is not at hand `verify` has to do."""
    try:
        program = s.tool(tool)
    except Skip:
        return
    done = subprocess.run([sys.executable, program, path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=600)
    text = done.stdout.decode(errors="replace")
    check(done.returncode == 0 and good(text), text[-3000:])


def for_quake3(s, folder, source):
    bsp = os.path.join(folder, os.path.basename(source)[:-4] + ".bsp")
    s.run("vbsp", "--target", "quake3", "-o", bsp, source, "--json").expect(0)
    s.run("vvis", "-fast", bsp, "--json").expect(0)
    s.run("brushwork", "verify", bsp, "--json").expect(0)
    checked(s, "ibsp_check.py", bsp, lambda text: not re.search(r"^\s*E ", text, re.MULTILINE))
    return bsp


for name in ("areaportal", "atrium", "brush_entities", "detail", "displacements", "hint",
             "instances", "overlays", "sky_camera", "tilted", "two_rooms", "water"):
    suite.add(f"{name}_for_quake3",
              lambda s, folder, name=name: for_quake3(s, folder, s.map(name + ".vmf")))
for name in ("disp", "plain", "portal", "texlight", "water"):
    suite.add(f"corpus_{name}_for_quake3",
              lambda s, folder, name=name: for_quake3(s, folder, s.corpus("refs", name + ".vmf")))


@suite.case
def displacements_are_curves(s, folder):
    data = read(for_quake3(s, folder, s.map("displacements.vmf")))
    types = [surface[2] for surface in records(data, SURFACES, "<12i12f2i")]
    check(types.count(PATCH) > 0, types)


@suite.case
def a_map_has_its_sky_light_and_starts(s, folder):
    source = s.map("sky_camera.vmf")
    bsp = for_quake3(s, folder, source)
    skies = [name for name, flags, _ in records(read(bsp), SHADERS, "<64sii") if flags & SKY]
    check(len(skies) == 1 and skies[0].lower().startswith(b"textures/tools/toolsskybox\0"), skies)
    s.run("vrad", "-fast", bsp).expect(0)
    data = read(bsp)
    check(max(lump(data, LIGHTMAPS)) > 60, "dark")
    check(b'"info_player_deathmatch"' in lump(data, ENTITIES), lump(data, ENTITIES))


def for_source(s, folder, source):
    bsp = os.path.join(folder, os.path.basename(source)[:-4] + ".bsp")
    s.run("vbsp", "--target", "sdk2013", "-o", bsp, source, "--json").expect(0)
    s.run("brushwork", "verify", bsp, "--json").expect(0)
    for tool, word in (("vbsp_leafbrush_check.py", "LEAFBRUSH_OK"),
                       ("vbsp_phys_check.py", "PHYS_OK")):
        checked(s, tool, bsp, lambda text, word=word: word in text)


for name in ("q3_box", "q3_entities", "q3_forms", "q3_lights", "q3_patches"):
    suite.add(f"{name}_for_source",
              lambda s, folder, name=name: for_source(s, folder, s.map(name + ".map")))
for parts in (("q3maps", "feature_rooms.map"), ("ibsp", "mp_lobby.map")):
    suite.add(f"corpus_{parts[1][:-4]}_for_source",
              lambda s, folder, parts=parts: for_source(s, folder, s.corpus(*parts)))

suite.main()
