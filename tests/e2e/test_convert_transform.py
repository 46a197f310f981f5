#!/usr/bin/env python3
"""brushwork convert --scale and --shift: a Quake 3 map elsewhere, and larger."""
import os
import re

import openarena
from e2e import Suite, check, read
from ibsp_contents import Volumes
from ibsp_portals import lump, records

MODELS, VERTICES, GRID = 7, 10, 15

suite = Suite()


def moved(s, folder, bsp, scale, shift):
    out = os.path.join(folder, "moved.bsp")
    s.run("brushwork", "convert", bsp, out, "--scale", *scale, "--shift", *shift).expect(0)
    s.run("brushwork", "verify", out).expect(0)
    return read(out)


def compare(first, second, scale, shift, count):
    """Contents at points that moved with the map; points beside a side may round to its other."""
    one, other = Volumes(first), Volumes(second)
    wrong = [p for p in one.random_points(count) if one.contents(p) !=
             other.contents([p[k] * scale[k] + shift[k] for k in range(3)])]
    check(len(wrong) <= count // 5000, f"other contents at {len(wrong)} of {count}: {wrong[:3]}")
    found = [(v[:3], w[:3]) for v, w in zip(records(first, VERTICES, "10f4B"),
                                            records(second, VERTICES, "10f4B"))]
    check(found, "nothing to compare")
    return found


@suite.case
def a_room_and_a_door(s, folder):
    bsp = os.path.join(folder, "a.bsp")
    s.run("brushwork", "build", "-o", bsp, s.map("q3_entities.map")).expect(0)
    first = read(bsp)
    for scale, shift in (((2, 1, 0.5), (0, 0, 0)), ((1, 1, 1), (100, -33, 7)),
                         ((1.5, 0.75, 3), (-64, 128, 512.5))):
        second = moved(s, folder, bsp, scale, shift)
        compare(first, second, scale, shift, 5000)
        doors(first, second, scale, shift)


def origins(data):
    """By number of the model, and of points."""
    points, models = [], {}
    for block in lump(data, 0).decode().split("{")[1:]:
        origin = re.search(r'"origin" "([^"]*)"', block)
        model = re.search(r'"model" "\*(\d+)"', block)
        place = [float(x) for x in origin.group(1).split()] if origin else None
        if model:
            models[int(model.group(1))] = place
        elif origin:
            points.append(place)
    return points, models


def doors(first, second, scale, shift):
    """Where entities are: their own place, and that of their model."""
    points, models = origins(first)
    points_now, models_now = origins(second)
    check(points and any(models.values()), "no entities")
    for place, now in zip(points, points_now):
        check(all(abs(place[k] * scale[k] + shift[k] - now[k]) < 1e-3 for k in range(3)), (place, now))
    boxes, boxes_now = (records(data, MODELS, "6f4i") for data in (first, second))
    one, other = Volumes(first), Volumes(second)
    for number, place in models.items():
        now = models_now[number] or [0, 0, 0]
        check((place is None) == (models_now[number] is None), "an origin came or went")
        for at in range(6):
            k = at % 3
            wanted = (boxes[number][at] + (place or [0, 0, 0])[k]) * scale[k] + shift[k]
            check(abs(wanted - boxes_now[number][at] - now[k]) < 1e-2, (number, at))
        about = [0, 0, 0] if place else shift
        for brush in range(boxes[number][8], boxes[number][8] + boxes[number][9]):
            inside = [(boxes[number][k] + boxes[number][3 + k]) / 2 for k in range(3)]
            check(one.holds(brush, inside) ==
                  other.holds(brush, [inside[k] * scale[k] + about[k] for k in range(3)]), brush)


@suite.case
def vertices_and_the_grid(s, folder):
    bsp = os.path.join(folder, "a.bsp")
    s.run("brushwork", "build", "-o", bsp, s.map("q3_lights.map")).expect(0)
    first = read(bsp)
    scale, shift = (2, 2, 2), (128, -256, 256)
    second = moved(s, folder, bsp, scale, shift)
    for p, q in compare(first, second, scale, shift, 3000):
        check(all(abs(p[k] * scale[k] + shift[k] - q[k]) < 1e-3 for k in range(3)), (p, q))
    # Shifted by whole cells, and with cells twice as large: the same points.
    check(lump(first, GRID) == lump(second, GRID), "another light grid")
    check(b'"gridsize" "128 128 256"' in lump(second, 0), "the cells are as large as before")


@suite.case
def nothing_to_do_changes_nothing(s, folder):
    bsp, out = os.path.join(folder, "a.bsp"), os.path.join(folder, "b.bsp")
    s.run("vbsp", "-o", bsp, s.map("q3_box.map")).expect(0)
    s.run("brushwork", "convert", bsp, out, "--scale", 1, 1, 1).expect(0)
    check(read(bsp) == read(out), "other bytes")
    for options in (("--scale", 0, 1, 1), ("--scale", -1, 1, 1), ("--scale", 2)):
        check(s.run("brushwork", "convert", bsp, out, *options).status == 2, options)
    done = s.run("brushwork", "convert", "--json", bsp, out, "--shift", 70000, 0, 0)
    check(done.status == 1 and done.codes() == ["B014"], done)
    s.run("vbsp", "-o", bsp, s.map("box.vmf")).expect(0)
    done = s.run("brushwork", "convert", "--json", bsp, out, "--shift", 1, 0, 0)
    check(done.status == 1 and done.codes() == ["B014"], done)


@suite.case
def a_map_of_openarena(s, folder):
    openarena.packs()
    bsp = openarena.shipped("am_galmevish", folder)
    if bsp:
        scale, shift = (0.5, 2, 1.25), (100, -33, 7)
        compare(read(bsp), moved(s, folder, bsp, scale, shift), scale, shift, 20000)


suite.main()
