#!/usr/bin/env python3
"""VBSP 25: maps are compiled, lit and converted, and a reader that shares no code with the programs finds in them what it
finds in version 21 or 20."""
import json
import os

from e2e import Skip, Suite, check, read, write
from vbsp25 import Bsp

suite = Suite()

# Rooms and doors, brush entities, detail, T-junctions, occluders, displacements, overlays and water.
MAPS = ("areaportal", "brush_entities", "detail", "displacements", "light_edges", "occluder", "overlays", "tilted", "two_rooms",
        "water")


def same(path, other, *but):
    a, b = Bsp(read(path)).values(), Bsp(read(other)).values()
    differing = [name for name in a if a[name] != b[name] and name not in but]
    check(not differing, f"{path}, {other}: {differing}")


def built(s, folder, target, name):
    path = os.path.join(folder, f"{name}_{target}.bsp")
    s.run("brushwork", "build", "-fast", "--target", target, s.map(f"{name}.vmf"), "-o", path).expect(0)
    return path


@suite.case
def maps_are_those_of_version_21(s, folder):
    lists = set()
    for name in MAPS:
        path, other = built(s, folder, "strata", name), built(s, folder, "csgo", name)
        check(Bsp(read(path)).version == 25, path)
        same(path, other)
        lists |= {what for what, value in Bsp(read(path)).values().items() if value}
        s.run("brushwork", "verify", path).expect(0)
    missing = {"displacements", "overlays", "leaf water", "primitives", "hulls"} - lists
    check(not missing, f"no map has {missing}")


@suite.case
def all_verbs_read_it(s, folder):
    path = built(s, folder, "strata", "two_rooms")
    told = json.loads(s.run("brushwork", "info", "--json", path).expect(0).out)
    check(told["format"].startswith("VBSP 25") and told["target"] == "strata", told)
    s.run("brushwork", "render", path, "-o", os.path.join(folder, "a.png"), "--size", "64x64").expect(0)
    s.run("brushwork", "export", path, "-o", os.path.join(folder, "a.gltf")).expect(0)
    s.run("brushwork", "view", path, "-o", os.path.join(folder, "a.html")).expect(0)
    for path in (path, built(s, folder, "strata", "displacements")):
        before = read(path)
        s.run("vvis", "-fast", path).expect(0)
        s.run("vrad", "-fast", path).expect(0)
        check(read(path) == before, "the stages once more")


@suite.case
def conversion_goes_both_ways(s, folder):
    for target, name in (("csgo", "brush_entities"), ("sdk2013", "brush_entities"), ("csgo", "displacements"),
                         ("sdk2013", "overlays"), ("csgo", "water"), ("sdk2013", "areaportal")):
        path = built(s, folder, target, name)
        wide, back = os.path.join(folder, "wide.bsp"), os.path.join(folder, "back.bsp")
        s.run("brushwork", "convert", path, wide, "--to", "strata").expect(0)
        s.run("brushwork", "verify", wide).expect(0)
        same(path, wide)
        s.run("brushwork", "convert", wide, back, "--to", target).expect(0)
        check(read(back) == read(path), f"{name} for {target}: there and back")


def said(s, folder, target, text):
    """The message of a map, and the version of its lump, as that target writes it."""
    source = os.path.join(folder, "said.vmf")
    write(source, read(s.map("box.vmf")) + b'entity { "id" "900" "classname" "game_text" "origin" "64 64 32" "message" "%s"'
          b' "targetname" "m" connections { "OnUser1" "a,b,c\\n,0,-1" } }\n' % text)
    path = os.path.join(folder, f"said_{target}.bsp")
    s.run("vbsp", "--target", target, source, "-o", path).expect(0)
    bsp = Bsp(read(path))
    check(b'"OnUser1" "a,b,c\\n,0,-1"' in bsp.lump(0), bsp.lump(0))
    start = bsp.lump(0).index(b'"message"')
    return bsp.lump(0)[start:bsp.lump(0).index(b'"origin"', start)], bsp.entries[0][2], path


@suite.case
def escapes_are_those_of_the_branch(s, folder):
    for target, text, written, version in (
            ("sdk2013sp", rb"a\nb", rb"a\nb", 0), ("mapbase", rb"a\nb\n", b"a\nb\n", 0), ("strata", rb"a\nb", rb"a\nb", 0),
            ("strata", rb"say \"hello\" \\", rb"say \"hello\" \\", 1)):
        got, number, path = said(s, folder, target, text)
        check((got, number) == (b'"message" "%s"\n' % written, version), f"{target}: {got} {number}")
    again, narrow = os.path.join(folder, "again.bsp"), os.path.join(folder, "narrow.bsp")
    s.run("brushwork", "convert", path, again, "--to", "strata").expect(0)
    check(read(again) == read(path), "there and back")
    s.run("vvis", "-fast", again).expect(0)
    check(Bsp(read(again)).lump(0) == Bsp(read(path)).lump(0), "after vvis")
    done = s.run("brushwork", "convert", path, narrow, "--to", "csgo").expect(0)
    check("quotes in values of entities, now apostrophes: 2" in done.err, done)
    check(rb"say 'hello'" in Bsp(read(narrow)).lump(0), narrow)


@suite.case
def a_map_of_the_game_comes_back_the_same(s, folder):
    """Read, written in version 21, and written as version 25 again; there is no other such map at hand."""
    given = os.path.join(s.options.shared, "corpus", "vbsp", "strata25_mp_lobby.bsp")
    if not os.path.exists(given):
        raise Skip(f"no {given}")
    narrow, back = os.path.join(folder, "narrow.bsp"), os.path.join(folder, "back.bsp")
    s.run("brushwork", "convert", given, narrow, "--to", "csgo").expect(0)
    s.run("brushwork", "convert", narrow, back, "--to", "strata").expect(0)
    same(given, back, "ids")  # those of more than 16 bits become 0
    first, second = Bsp(read(given)), Bsp(read(back))
    for lump in range(64):
        if lump not in (5, 10, 11, 35):  # bounds become whole numbers, ids of more than 16 bits 0
            check(first.lump(lump) == second.lump(lump), f"lump {lump}")
        check(first.entries[lump][2] == second.entries[lump][2], f"version of lump {lump}")


if __name__ == "__main__":
    suite.main()
