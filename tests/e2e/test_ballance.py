#!/usr/bin/env python3
"""Maps as levels of Ballance: the three levels of maps/ballance against their brushes, what keys and
tables do, models, and what is reported when something cannot be converted."""
import json
import os
import random
import subprocess
import sys

import bm_model
import map_brushes
from e2e import Suite, check, read, write
from map_brushes import cross, dot, sub, unit

suite = Suite()
LEVELS = ("ramps", "rails", "tower")
SIZE = (128, 128)  # of images of the game


def source(s, name):
    return s.map(os.path.join("ballance", name + ".map"))


def convert(s, folder, path, *options):
    """Returns the model of a map, and the run."""
    out = os.path.join(folder, "made.bmx")
    done = s.run("vbsp", "--target", "ballance", *options, path, "-o", out, "--json").expect(0)
    return bm_model.load(out), done


# --- geometry ---

def is_component(entity):
    return entity.keys["classname"][:2] in ("p_", "pc", "pe", "pr", "ps") and not entity.brushes


def objects_of(model):
    return [o for o in model.objects if not o.component]


def triangles(mesh):
    """Corners in map units, texture coordinates, normals and the material of each face."""
    for corners, material in mesh.faces:
        yield ([bm_model.to_map(mesh.positions[v]) for v, _, _ in corners],
               [mesh.uvs[t] for _, t, _ in corners],
               [bm_model.to_map(mesh.normals[n], 1) for _, _, n in corners], material)


def normal_of(p):
    """Out of the front, which is clockwise."""
    return cross(sub(p[2], p[0]), sub(p[1], p[0]))


def check_closed(mesh):
    """Every edge is met once in each direction, as often as it is there at all."""
    met = {}
    for p, _, _, _ in triangles(mesh):
        check(len(set(p)) == 3 and dot(normal_of(p), normal_of(p)) > 0, f"{mesh.name}: no area: {p}")
        for i in range(3):
            key = (p[i], p[(i + 1) % 3])
            met[key] = met.get(key, 0) + 1
    for (a, b), count in met.items():
        check(met.get((b, a)) == count, f"{mesh.name}: open edge {a} {b}")
    check(max(met.values()) == 1, f"{mesh.name}: an edge is met more than once")


def check_outside(mesh, brushes):
    """Every face has a brush behind it and none before it."""
    for p, _, normals, _ in triangles(mesh):
        n = unit(normal_of(p))
        for inner in (0.2, 0.6):
            at = tuple(inner * a + (1 - inner) / 2 * (b + c) for a, b, c in zip(*p))
            before = [tuple(x + 0.02 * y for x, y in zip(at, n))][0]
            behind = [tuple(x - 0.02 * y for x, y in zip(at, n))][0]
            check(not any(map_brushes.is_in(b, before) for b in brushes), f"{mesh.name}: inner face at {at}")
            check(any(map_brushes.is_in(b, behind) for b in brushes), f"{mesh.name}: nothing behind {at}")
        for normal in normals:
            check(dot(normal, n) > 0.5, f"{mesh.name}: normal {normal} of a face with {n}")


def check_textures(model, mesh, brushes):
    """Each face has the material and the coordinates of a side that it lies on."""
    for p, uvs, _, material in triangles(mesh):
        n = unit(normal_of(p))
        sides = [side for b in brushes for side in b if dot(side.normal, n) > 0.9999 and
                 all(abs(dot(side.normal, q) - side.dist) < 0.01 for q in p)]
        name = f"ballance/{model.materials[material].name}" if material is not None else None
        found = [side for side in sides if name in (side.texture, None) and
                 all(abs(u - v) < 1e-4 for q, uv in zip(p, uvs)
                     for u, v in zip(uv, map_brushes.uv_of(side, q, SIZE)))]
        check(found, f"{mesh.name}: no side with {name} and {uvs} at {p}")
        check(material is not None or found[0].texture == "common/trigger", f"{mesh.name}: no material")


def winding_number(mesh, p):
    """How often the mesh is around a point: by the solid angles of its faces."""
    import math
    total = 0.0
    for q, _, _, _ in triangles(mesh):
        a, b, c = (sub(x, p) for x in q)
        la, lb, lc = (dot(x, x) ** 0.5 for x in (a, b, c))
        below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
        total += 2 * math.atan2(-dot(a, cross(b, c)), below)
    return round(total / (4 * math.pi))


def check_contents(mesh, brushes, dice):
    points = [bm_model.to_map(p) for p in mesh.positions]
    low, high = ([f(p[i] for p in points) for i in range(3)] for f in (min, max))
    for _ in range(300):
        p = tuple(dice.uniform(a - 8, b + 8) for a, b in zip(low, high))
        inside = any(map_brushes.is_in(b, p) for b in brushes)
        if inside == any(map_brushes.is_in(b, p, -0.05) for b in brushes) and \
                inside == any(map_brushes.is_in(b, p, 0.05) for b in brushes):
            check(winding_number(mesh, p) == int(inside), f"{mesh.name}: contents at {p}")


def check_level_geometry(s, name, folder):
    model, _ = convert(s, folder, source(s, name))
    solid = [e for e in map_brushes.load(source(s, name)) if e.brushes]
    made = objects_of(model)
    check(len(made) == len(solid), [o.name for o in made])
    dice = random.Random(name)
    for made_object, entity in zip(made, solid):
        mesh = model.meshes[made_object.mesh]
        check(made_object.matrix == tuple(float(i % 5 == 0) for i in range(16)), made_object.name)
        check_closed(mesh)
        check_outside(mesh, entity.brushes)
        check_textures(model, mesh, entity.brushes)
        check_contents(mesh, entity.brushes, dice)


for level in LEVELS:
    suite.add(f"hulls_of_{level}_are_those_of_its_brushes",
              lambda s, folder, name=level: check_level_geometry(s, name, folder))


# --- rules, groups, components, materials ---

@suite.case
def levels_follow_the_rules(s, folder):
    made = []
    for name in LEVELS:
        made.append(os.path.join(folder, name + ".bmx"))
        done = s.run("vbsp", "--target", "ballance", source(s, name), "-o", made[-1], "--json").expect(0)
        check(not done.codes(), done.codes())
    done = s.run("brushwork", "bmx", "check", "--ballance", "--strict", "--json", *made).expect(0)
    for line in done.out.splitlines():
        result = json.loads(line)
        check(result["ok"] and not result["findings"], result)
    tool = s.tool("bmx_check.py")
    done = subprocess.run([sys.executable, tool, "--strict", *made], capture_output=True, timeout=600, check=False)
    check(done.returncode == 0, done.stdout.decode())


@suite.case
def convert_does_what_vbsp_does(s, folder):
    a, b, c = (os.path.join(folder, name + ".bmx") for name in "abc")
    s.run("vbsp", "--target", "ballance", source(s, "ramps"), "-o", a).expect(0)
    s.run("vbsp", "--target", "ballance", "-threads", "1", source(s, "ramps"), "-o", b).expect(0)
    s.run("brushwork", "convert", source(s, "ramps"), "-o", c).expect(0)
    check(read(a) == read(b) == read(c), "the files differ")
    done = s.run("brushwork", "convert", "--to", "bmx", source(s, "ramps"), "-").expect(0)
    check(done.out == read(a), "standard output differs")
    copy = os.path.join(folder, "ramps.map")
    write(copy, read(source(s, "ramps")))
    s.run("vbsp", "--target", "ballance", copy).expect(0)
    check(read(os.path.join(folder, "ramps.bmx")) == read(a), "beside the map")
    s.run("vbsp", "--target", "ballance", "--check", source(s, "ramps"), "-o", b + "x").expect(0)
    check(not os.path.exists(b + "x"), "--check writes nothing")


@suite.case
def a_vmf_is_converted_too(s, folder):
    write(os.path.join(folder, "box.vmf"), read(s.map("box.vmf")))
    model, done = convert(s, folder, os.path.join(folder, "box.vmf"))
    check([o.name for o in model.objects] == ["World"] and "M147" in done.codes(), (model.objects, done.codes()))
    check_closed(model.meshes[0])


EXPECTED = {
    "P_Trafo_Wood_01_01": {"P_Trafo_Wood", "Sector_01"}, "P_Box_01_01": {"P_Box", "Sector_01"},
    "P_Dome_02_01": {"P_Dome", "Sector_02"}, "PC_TwoFlames_01": {"PC_Checkpoints"},
    "PE_Balloon_01": {"PE_Levelende"}, "PR_Resetpoint_01": {"PR_Resetpoints", "Sector_01"},
    "PR_Resetpoint_02": {"PR_Resetpoints", "Sector_02"}, "PS_FourFlames_01": {"PS_Levelstart"},
    "A_Wood_01": {"Phys_Floors", "Shadow", "Sound_HitID_02", "Sound_RollID_02"},
    "A_Rail_01": {"Phys_FloorRails", "Sound_HitID_03", "Sound_RollID_03"},
    "A_Stopper_01": {"Phys_FloorStopper"}, "DepthCubes_01": {"DepthTestCubes"},
}
for floor in range(1, 5):
    EXPECTED[f"A_Floor_0{floor}"] = {"Phys_Floors", "Shadow", "Sound_HitID_01", "Sound_RollID_01"}


@suite.case
def objects_have_the_groups_of_their_classes_and_keys(s, folder):
    model, _ = convert(s, folder, source(s, "ramps"))
    check({o.name: o.groups for o in model.objects} == EXPECTED, [(o.name, o.groups) for o in model.objects])
    check([o.name for o in model.objects if o.hidden] == ["DepthCubes_01"], "hidden")


@suite.case
def components_stand_where_their_entities_do(s, folder):
    for name in LEVELS:
        model, _ = convert(s, folder, source(s, name))
        made = [o for o in model.objects if o.component]
        entities = [e for e in map_brushes.load(source(s, name)) if is_component(e)]
        check(len(made) == len(entities), name)
        places = sorted(bm_model.to_map(o.matrix[12:15]) for o in made)
        check(places == sorted(tuple(map(float, e.keys["origin"].split())) for e in entities), places)
    turned = next(o for o in convert(s, folder, source(s, "ramps"))[0].objects if o.name == "P_Trafo_Wood_01_01")
    forward = bm_model.to_map(turned.matrix[0:3], 1)  # the image of x: yaw 90 turns it to y
    check(all(abs(a - b) < 1e-6 for a, b in zip(forward, (0, 1, 0))), turned.matrix)


@suite.case
def materials_of_the_game_are_external(s, folder):
    model, _ = convert(s, folder, source(s, "ramps"))
    for material in model.materials:
        texture = model.textures[material.texture]
        check(texture.external and texture.file == material.name + ".bmp", (material, texture))
        lit = 1 if material.name == "Floor_Side" else 0
        check(material.emissive == (lit, lit, lit) and material.diffuse == (1, 1, 1), material)
    check({m.name for m in model.materials} >= {"Floor_Side", "Floor_Top_Flat", "Wood_Plain", "Rail_Environment"},
          model.materials)


@suite.case
def rails_are_smooth_and_floors_are_not(s, folder):
    model, _ = convert(s, folder, source(s, "rails"))
    for made in objects_of(model):
        flat = all(dot(normal, unit(normal_of(p))) > 0.9999
                   for p, _, normals, _ in triangles(model.meshes[made.mesh]) for normal in normals)
        check(flat == (not made.name.startswith("A_Rail")), made.name)


suite.main()
