#!/usr/bin/env python3
"""VBSP 25: maps are compiled, lit and converted, and a reader that shares no code with the programs finds in them what it
finds in version 21 or 20; what has no known record is refused."""
import json
import os

from e2e import Skip, Suite, check, read
from vbsp25 import Bsp

suite = Suite()

# Lists that have points of T-junctions: those that need primitives are left out.
OF_POINTS = ("surfedges", "edges", "normals", "faces")

# Maps without water, displacements and overlays: rooms and doors, brush entities, detail, T-junctions, occluders.
MAPS = ("areaportal", "brush_entities", "detail", "light_edges", "occluder", "tilted", "two_rooms")


def primitives(path):
    return len(Bsp(read(path)).lump(37))


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
    plain = 0
    for name in MAPS:
        path, other = built(s, folder, "strata", name), built(s, folder, "csgo", name)
        check(Bsp(read(path)).version == 25, path)
        same(path, other, *(OF_POINTS if primitives(other) else ()))
        plain += not primitives(other)
        s.run("brushwork", "verify", path).expect(0)
    check(plain >= 3, "too few maps without primitives")


@suite.case
def all_verbs_read_it(s, folder):
    path = built(s, folder, "strata", "two_rooms")
    told = json.loads(s.run("brushwork", "info", "--json", path).expect(0).out)
    check(told["format"].startswith("VBSP 25") and told["target"] == "strata", told)
    s.run("brushwork", "render", path, "-o", os.path.join(folder, "a.png"), "--size", "64x64").expect(0)
    s.run("brushwork", "export", path, "-o", os.path.join(folder, "a.gltf")).expect(0)
    s.run("brushwork", "view", path, "-o", os.path.join(folder, "a.html")).expect(0)
    before = read(path)
    s.run("vvis", "-fast", path).expect(0)
    s.run("vrad", "-fast", path).expect(0)
    check(read(path) == before, "the stages once more")


@suite.case
def conversion_goes_both_ways(s, folder):
    for target in ("csgo", "sdk2013"):
        path = built(s, folder, target, "brush_entities")
        wide, back = os.path.join(folder, "wide.bsp"), os.path.join(folder, "back.bsp")
        s.run("brushwork", "convert", path, wide, "--to", "strata").expect(0)
        s.run("brushwork", "verify", wide).expect(0)
        same(path, wide)
        s.run("brushwork", "convert", wide, back, "--to", target).expect(0)
        check(read(back) == read(path), f"{target}: there and back")
    path = built(s, folder, "csgo", "areaportal")
    done = s.run("brushwork", "convert", path, wide, "--to", "strata").expect(0)
    check("primitives, which close gaps at T-junctions: 1" in done.err, done)
    s.run("brushwork", "verify", wide).expect(0)


@suite.case
def what_has_no_known_record_is_refused(s, folder):
    for name, limit in (("water", "leaf water data"), ("displacements", "displacements"), ("overlays", "overlays")):
        path, wide = os.path.join(folder, name + ".bsp"), os.path.join(folder, "wide.bsp")
        done = s.run("vbsp", "--json", "--target", "strata", s.map(f"{name}.vmf"), "-o", path)
        told = [d["message"] for d in done.diagnostics if d["code"] == "B010"]
        check(done.status == 1 and any(line.startswith(limit + ":") and "are not known" in line for line in told), done)
        check(not os.path.exists(path), path)
        s.run("vbsp", "--target", "csgo", s.map(f"{name}.vmf"), "-o", path).expect(0)
        done = s.run("brushwork", "convert", "--json", path, wide, "--to", "strata")
        check(done.status == 1 and "B010" in done.codes() and not os.path.exists(wide), done)


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
