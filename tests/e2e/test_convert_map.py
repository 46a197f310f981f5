#!/usr/bin/env python3
"""brushwork convert to .map: a Quake 3 map that is compiled again fills, shows and holds the same."""
import os
from collections import Counter

import openarena
from e2e import Suite, check, read, write
from ibsp_contents import differences
from ibsp_portals import records

ENTITIES, SHADERS, VERTICES, INDICES, SURFACES = 0, 1, 10, 11, 13
PATCH = 2
FORMS = ("primitives", "valve220", "classic")
MAPS = ("q3_forms", "q3_patches", "q3_entities", "q3_lights")

suite = Suite()


def there_and_back(s, folder, bsp, form, *options):
    """The BSP compiled from the map that a BSP was turned into, and that map."""
    source, again = os.path.join(folder, "again.map"), os.path.join(folder, "again.bsp")
    done = s.run("brushwork", "convert", "--json", bsp, source, "--map-format", form, *options)
    done.expect(0)
    s.run("vbsp", "-o", again, source, *options).expect(0)
    return read(again), read(source).decode(), done


def drawn(data):
    """Corners of what is drawn, by shader: places, and image coordinates but for whole images."""
    names = [name.split(b"\0")[0] for name, *_ in records(data, SHADERS, "64s2i")]
    vertices = records(data, VERTICES, "10f4B")
    found = Counter()
    for surface in records(data, SURFACES, "12i12f2i"):
        for vertex in vertices[surface[3]:surface[3] + surface[4]]:
            place = tuple(round(x * 8) for x in vertex[:3])
            turn = tuple(round((x % 1) * 1000) % 1000 for x in vertex[3:5])
            found[names[surface[0]], surface[2] == PATCH, place, turn] = 1
    return found


def alike(name, first, second):
    """Rounding moves coordinates by one at most."""
    missing = 0
    for shader, patch, place, (u, v) in first:
        missing += not any(second[shader, patch, place, ((u + du) % 1000, (v + dv) % 1000)]
                           for du in (0, 1, -1) for dv in (0, 1, -1))
    check(missing == 0, f"{name}: {missing} of {len(first)} corners lie elsewhere")


@suite.case
def a_map_comes_back(s, folder):
    for name in MAPS:
        bsp = os.path.join(folder, name + ".bsp")
        s.run("vbsp", "-o", bsp, s.map(name + ".map")).expect(0)
        first = read(bsp)
        for form in FORMS:
            second, text, _ = there_and_back(s, folder, bsp, form)
            check(text.count("brushDef") == (text.count("// brush") - text.count("patchDef2")
                                             if form == "primitives" else 0), form)
            check(not differences(first, second, 3000), f"{name}, {form}: other contents")
            alike(f"{name}, {form}", drawn(first), drawn(second))
            alike(f"{name}, {form}, back", drawn(second), drawn(first))


@suite.case
def a_brush_that_moves_is_at_its_place(s, folder):
    bsp = os.path.join(folder, "a.bsp")
    s.run("vbsp", "-o", bsp, s.map("q3_entities.map")).expect(0)
    second, text, _ = there_and_back(s, folder, bsp, "valve220")
    first = read(bsp)
    check("common/origin" in text, "no brush with the origin")
    check('"model" "*' not in text, "the number of a model is left")
    check([m[:6] for m in records(first, 7, "6f4i")] == [m[:6] for m in records(second, 7, "6f4i")],
          "other boxes of models")


@suite.case
def detail_and_lights_come_back(s, folder):
    """Though the BSP holds neither: an open leaf is in the middle of a detail brush, and the .srf
    keeps the lights."""
    source, bsp = os.path.join(folder, "a.map"), os.path.join(folder, "a.bsp")
    text = read(s.map("q3_lights.map")).decode()
    box = []
    for axis, sign in ((0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)):
        points = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for point in points:
            point[axis] = 8 * sign
        points[0][u] += sign
        points[2][v] += 1
        box.append(" ".join("( %d %d %d )" % tuple(p) for p in points) +
                   " base/wall 0 0 0 1 1 134217728 0 0")
    start = text.index("{", text.index("worldspawn"))
    write(source, text[:start] + "{\n" + "\n".join(box) + "\n}\n" + text[start:])
    s.run("brushwork", "build", "-o", bsp, source).expect(0)
    check(b'"classname" "light"' not in read(bsp), "the lights did not leave")
    _, text, _ = there_and_back(s, folder, bsp, "classic")
    check(text.count('"classname" "light"') == read(source).count(b'"classname" "light"'), text)
    check(text.count(" 134217728 ") == 6, "not one detail brush")


@suite.case
def what_cannot_be_said_is_told(s, folder):
    bsp, out = os.path.join(folder, "a.bsp"), os.path.join(folder, "a.map")
    s.run("vbsp", "-o", bsp, s.map("box.vmf")).expect(0)
    done = s.run("brushwork", "convert", "--json", bsp, out)
    check(done.status == 1 and done.codes() == ["B012"], done)
    check(not os.path.exists(out), "something was written")
    s.run("vbsp", "-o", bsp, s.map("q3_forms.map")).expect(0)
    _, _, done = there_and_back(s, folder, bsp, "primitives")
    check(set(done.codes()) == {"B013"}, done)
    piped = s.run("brushwork", "convert", bsp, "-", "--to", "map").expect(0)
    check(piped.out == read(os.path.join(folder, "again.map")), "another map by standard output")


@suite.case
def a_map_of_openarena_comes_back(s, folder):
    """One that q3map2 compiled, and by whose shaders it is compiled again."""
    openarena.map_sources(folder)
    bsp = os.path.join(folder, openarena.shipped("oacmpdm8", folder))
    for form in ("primitives", "classic"):
        second, _, _ = there_and_back(s, folder, bsp, form, "--game", "openarena")
        wrong = differences(read(bsp), second, 20000)
        check(not wrong, f"{form}: other contents at {len(wrong)} points, as {wrong[:3]}")


suite.main()
