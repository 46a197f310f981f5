#!/usr/bin/env python3
"""Geometry of maps for Quake 3 as editors and exporters leave it: brushes of far points, models whose normals
contradict their triangles, names that differ in case."""
import os

from e2e import Suite, check, read, write
from ibsp_portals import records

suite = Suite()

VERTICES, LIGHTMAPS, BRUSHES = 10, 14, 8


def side(points):
    return " ".join("( %s )" % " ".join(str(x) for x in p) for p in points) + " base/wall 0 0 0 0.5 0.5 0 0 0\n"


def box(mins, maxs, reach=1):
    """A brush whose planes are given by points up to `reach` from the axes."""
    lines = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for at, swap in ((mins[axis], False), (maxs[axis], True)):
            points = [[0, 0, 0] for _ in range(3)]
            for p in points:
                p[axis] = at
            points[1 if not swap else 2][u] = reach
            points[2 if not swap else 1][v] = reach
            lines.append(side(points))
    return "{\n" + "".join(lines) + "}\n"


def room(half, height, reach=1, floor=-16):
    """Six walls around 0 0 0."""
    h, t = half, half + 16
    return (box((-t, -t, floor), (t, t, 0), reach) + box((-t, -t, height), (t, t, height + 16), reach) +
            box((-t, -t, 0), (-h, t, height), reach) + box((h, -t, 0), (t, t, height), reach) +
            box((-h, -t, 0), (h, -h, height), reach) + box((-h, h, 0), (h, t, height), reach))


def entity(**keys):
    return "{\n" + "".join(f'"{key}" "{value}"\n' for key, value in keys.items()) + "}\n"


def a_map(brushes, *entities):
    return ('{\n"classname" "worldspawn"\n' + brushes + "}\n" +
            entity(classname="info_player_deathmatch", origin="0 0 32") + "".join(entities))


@suite.case
def far_points_only_define_planes(s, folder):
    """The same bytes as with near points, and sealed."""
    near, far = os.path.join(folder, "near.map"), os.path.join(folder, "far.map")
    write(near, a_map(room(256, 256)))
    s.run("vbsp", near).expect(0)
    for reach in (100000, 128000000):
        write(far, a_map(room(256, 256, reach)))
        done = s.run("vbsp", "--json", far).expect(0)
        check("S055" not in done.codes(), str(done))
        check(read(far[:-4] + ".bsp") == read(near[:-4] + ".bsp"), f"points of {reach} give another map")
    write(far, a_map(room(256, 256, 1e300)))
    done = s.run("vbsp", "--json", far)
    check("S055" in done.codes() and done.status != 0, str(done))


@suite.case
def sides_may_be_far(s, folder):
    """A floor of 54768 units: within what the engine collides with, beyond 32768."""
    path = os.path.join(folder, "deep.map")
    write(path, a_map(room(256, 256, floor=-54784)))
    done = s.run("vbsp", "--json", path).expect(0)
    check(not {"V003", "V012"} & set(done.codes()), str(done))
    s.run("vvis", path[:-4]).expect(0)
    s.run("vrad", "-fast", path[:-4]).expect(0)
    s.run("brushwork", "verify", path[:-4] + ".bsp").expect(0)
    write(path, a_map(room(256, 256) + box((512, 0, -80000), (520, 8, 0))))
    check("V012" in s.run("vbsp", "--json", path).codes(), "beyond 65535")


ASE = """*MATERIAL_LIST { *MATERIAL 0 { *MATERIAL_NAME "textures/base/wall" } }
*GEOMOBJECT { *MESH { *MESH_VERTEX_LIST {
*MESH_VERTEX 0 -32 -32 0 *MESH_VERTEX 1 32 -32 0 *MESH_VERTEX 2 32 32 0 *MESH_VERTEX 3 -32 32 0 }
*MESH_FACE_LIST { *MESH_FACE 0 A: 0 B: 1 C: 2 *MESH_SMOOTHING 0 *MESH_FACE 1 A: 0 B: 2 C: 3 *MESH_SMOOTHING 0 }
*MESH_NORMALS { WAYS } } *MATERIAL_REF 0 }
"""


def normals(way):
    return "".join(f"*MESH_FACENORMAL {i} {way} " + "".join(f"*MESH_VERTEXNORMAL {k} {way} " for k in (0, 1 + i, 2 + i))
                   for i in range(2))


@suite.case
def models_are_lit_by_their_triangles(s, folder):
    """A plate with normals along it, or to its back, is lit as one with right normals, and named once."""
    game = os.path.join(folder, "baseq3")
    os.makedirs(os.path.join(game, "scripts"))
    os.makedirs(os.path.join(game, "models"))
    write(os.path.join(game, "scripts", "a.shader"), "textures/base/wall\n{\n{\nmap $lightmap\n}\n}\n")
    found = {}
    for name, way in (("good", "0 0 1"), ("side", "1 0 0"), ("back", "0 0 -1")):
        write(os.path.join(game, "models", "plate.ase"), ASE.replace("WAYS", normals(way)))
        path = os.path.join(folder, name + ".map")
        plates = [entity(classname="misc_model", origin=f"{x} 0 2", model="models/plate.ase", spawnflags=flags)
                  for x, flags in ((96, 4), (-96, 0))]
        write(path, a_map(room(256, 256), entity(classname="light", origin="0 0 100", light=300), *plates))
        done = s.run("vbsp", "--json", "-game", game, path).expect(0)
        told = [d for d in done.diagnostics if d["code"] == "A062"]
        check(len(told) == (name != "good"), str(done))
        s.run("vrad", "-game", game, "-fast", path[:-4]).expect(0)
        data = read(path[:-4] + ".bsp")
        found[name] = ([v[:3] + v[7:] for v in records(data, VERTICES, "<10f4B")],
                       records(data, LIGHTMAPS, "<49152B"))
    check(found["side"] == found["good"], "normals along the plate")
    check(found["back"] == found["good"], "normals to the back")


@suite.case
def names_that_differ_in_case_are_told_once(s, folder):
    game = os.path.join(folder, "baseq3")
    os.makedirs(os.path.join(game, "models"))
    os.makedirs(os.path.join(game, "scripts"))
    write(os.path.join(game, "scripts", "a.shader"), "textures/base/wall\n{\n{\nmap $lightmap\n}\n}\n")
    write(os.path.join(game, "models", "plate.ase"), ASE.replace("WAYS", normals("0 0 1")))
    write(os.path.join(game, "models", "Plate.ase"), "broken")
    path = os.path.join(folder, "twins.map")
    plates = [entity(classname="misc_model", origin=f"{x} 0 2", model=name)
              for x, name in ((96, "models/plate.ase"), (-96, "Models/PLATE.ASE"))]
    write(path, a_map(room(256, 256), *plates))
    done = s.run("vbsp", "--json", "-game", game, path).expect(0)
    told = [d for d in done.diagnostics if d["code"] == "A063"]
    check(len(told) == 1 and "plate.ase" in told[0]["message"], str(done))
    check("A060" not in done.codes(), "the one in lower case is not used")


@suite.case
def origins_keep_their_fraction(s, folder):
    path = os.path.join(folder, "pivot.map")
    door = '{\n"classname" "func_rotating"\n' + box((64, 64, 32), (96, 72, 65)) + \
        box((79, 64, 32), (82, 72, 65)).replace("base/wall", "common/origin") + "}\n"
    write(path, a_map(room(256, 256), door))
    s.run("vbsp", path).expect(0)
    data = read(path[:-4] + ".bsp")
    check(b'"origin" "80.5 68 48.5"' in data, "rounded")


suite.main()
