#!/usr/bin/env python3
"""BM file -> map -> BM file: objects, groups, components, materials and textures are the same; so is what solids fill."""
import glob
import os
import random

from bmx_files import FIELDS, Level, make_level
from e2e import Skip, Suite, check

suite = Suite()

RENAMED, SPLIT, NOTHING = "M145", "M149", "M152"


def there_and_back(s, source, folder, form):
    """The level before and after, with names that the rules of the game made others taken back, and parts joined of what
    they split; None of an empty one."""
    name = os.path.basename(source)[:-4]
    out, back = os.path.join(folder, form, name + ".map"), os.path.join(folder, form, name + ".bmx")
    s.run("brushwork", "convert", source, out, "--map-format", form).expect(0)
    done = s.run("brushwork", "convert", "--json", out, back)
    first = Level(source)
    if not first.objects:
        check(done.status == 1 and done.codes() == [NOTHING], str(done))
        return None
    done.expect(0)
    second = Level(back)
    if SPLIT in done.codes():
        join(second)
    check(len(first.objects) == len(second.objects), f"{name}: {len(second.objects)} objects")
    if RENAMED in done.codes():
        names = {o["name"] for o in first.objects} & {o["name"] for o in second.objects}
        one, other = (sorted((o for o in level.objects if o["name"] not in names), key=lambda o: o["component"])
                      for level in (first, second))
        for a, b in zip(one, other):
            b["name"] = a["name"]
    return first, second


def join(level):
    """Adds the triangles of NAME_2 and so on to those of NAME."""
    whole, meshes = level.objects[0], level.meshes
    mesh = meshes[whole["mesh"]]
    for part in level.objects[1:]:
        check(part["name"].startswith(whole["name"] + "_"), part)
        other, at = meshes[part["mesh"]], [len(mesh[key]) for key in ("v", "vt", "vn")] * 3
        mesh["faces"] += [(*(x + shift for x, shift in zip(face, at)), *face[9:]) for face in other["faces"]]
        for key in ("v", "vt", "vn"):
            mesh[key] += other[key]
    del level.objects[1:]


def close(a, b, reach=1e-4):
    return all(abs(x - y) <= reach * max(1, abs(x)) for x, y in zip(a, b))


def used_materials(level):
    """Those of faces of objects, by name; with the name of the texture's file."""
    numbers = {face[10] for o in level.objects if not o["component"] for face in level.meshes[o["mesh"]]["faces"]
               if face[9]}
    found = {}
    for number in numbers:
        material = level.materials[number]
        texture = level.textures[material["texture"]] if material["use_texture"] else None
        found[material["name"]] = (
            [material[field] for field in FIELDS[:-1]], texture and (texture["file"], bool(texture["external"])),
            texture and level.files.get(texture["file"]))
    return found


def same_objects(name, first, second):
    one, other = ({o["name"]: o for o in level.objects} for level in (first, second))
    check(one.keys() == other.keys(), f"{name}: {sorted(one)} became {sorted(other)}")
    for key, a in one.items():
        b = other[key]
        check((bool(a["component"]), bool(a["hidden"]), set(a["groups"])) ==
              (bool(b["component"]), bool(b["hidden"]), set(b["groups"])), f"{name}: {a} became {b}")
        if a["component"]:
            check(a["mesh"] == b["mesh"] and close(a["matrix"], b["matrix"], 1e-6), f"{name}: {a} became {b}")


def same_materials(name, first, second):
    one, other = used_materials(first), used_materials(second)
    check(one == other, f"{name}: {one} became {other}")


def winding(point, triangles):
    """How often the triangles enclose the point, by a ray upwards."""
    x, y, z = point
    count = 0
    for a, b, c in triangles:
        side = [(q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) for p, q in ((a, b), (b, c), (c, a))]
        area = sum(side)
        if area and (min(side) > 0 or max(side) < 0):
            height = (a[2] * side[1] + b[2] * side[2] + c[2] * side[0]) / area
            if height > z:
                count += 1 if area < 0 else -1
    return count


def same_geometry(name, first, second):
    others = {o["name"]: o for o in second.objects}
    for o in first.objects:
        if o["component"]:
            continue
        one, other = ([places for places, _ in level.triangles(block)] for level, block in
                      ((first, o), (second, others[o["name"]])))
        if not one:
            check(not other, f"{name}: {o['name']}")
            continue
        bounds, again = first.bounds(o), second.bounds(others[o["name"]])
        check(all(abs(a - b) < max(0.02, abs(a) * 1e-6) for p, q in zip(bounds, again) for a, b in zip(p, q)),
              f"{name}, {o['name']}: {bounds} became {again}")
        numbers = random.Random(1)
        for _ in range(200 if len(one) < 1000 else 0):
            point = [numbers.uniform(bounds[0][k] - 1, bounds[1][k] + 1) for k in range(3)]
            a, b = winding(point, one), winding(point, other)
            check(a == b or near(point, one), f"{name}, {o['name']}: {a} at {point} became {b}")


def near(point, triangles):
    """True near a plane, where rounding decides, and where the ray runs along an edge."""
    return len({winding([p + d for p, d in zip(point, step)], triangles)
                for step in ((0, 0, 0), (0.03, 0.02, 0.01), (-0.02, -0.03, -0.01), (0.01, -0.02, 0.03))}) > 1


def compare(s, source, folder):
    name = os.path.basename(source)[:-4]
    forms = ("valve220", "primitives")
    for form in forms[:2 if os.path.getsize(source) < 1 << 18 else 1]:  # Python is slow with large ones
        both = there_and_back(s, source, folder, form)
        if not both:
            continue
        first, second = both
        same_objects(name, first, second)
        same_materials(name, first, second)
        same_geometry(name, first, second)


@suite.case
def our_level_comes_back(s, folder):
    compare(s, make_level(os.path.join(folder, "level.bmx")), folder)


@suite.case
def the_levels_of_the_project_come_back(s, folder):
    for name in ("rails", "ramps", "tower"):
        source = os.path.join(folder, name + ".bmx")
        s.run("brushwork", "convert", s.map(f"ballance/{name}.map"), source).expect(0)
        compare(s, source, folder)


def sample(path):
    def case(s, folder):
        compare(s, path, folder)
    return case


def all_samples(s):
    """A case for each valid sample of the corpus."""
    try:
        for path in sorted(glob.glob(os.path.join(s.corpus("bmx", "valid"), "*.bmx"))):
            s.add(os.path.basename(path)[:-4], sample(path))
    except Skip:
        pass


all_samples(suite)
suite.main()
