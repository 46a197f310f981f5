#!/usr/bin/env python3
"""Pictures, pages and models of BM files: what is exported has the objects and triangles of the level."""
import os
import re

from blender import in_blender
from bmx_files import Level, make_level
from e2e import Skip, Suite, check, read, write
from glb import Model

suite = Suite()
# The corners of the polygons of each object, with texture coordinates; of what Blender has read.
POLYGONS = """[[o.name, [[[*(o.matrix_world @ o.data.vertices[o.data.loops[i].vertex_index].co), *o.data.uv_layers[0].data[i].uv]
    for i in p.loop_indices] for p in o.data.polygons]] for o in meshes]"""


def sorted_triangles(triangles):
    """Each with its corners turned so that the least is first, all in order; rounded."""
    rows = []
    for corners in triangles:
        corners = [tuple(round(x * 256) / 256 + 0.0 for x in corner) for corner in corners]
        least = corners.index(min(corners))
        rows.append(tuple(corners[least:] + corners[:least]))
    return sorted(rows)


def expected(level):
    """The triangles of each visible object, counter-clockwise: places and texture coordinates."""
    return {o["name"]: sorted_triangles([[(*p, *uv) for p, uv in zip(places, uvs)][::-1]
                                         for places, uvs in level.triangles(o)])
            for o in level.objects if not o["component"] and not o["hidden"]}


def same(found, wanted):
    """Far from the origin single precision tells less."""
    far = {name for name, rows in wanted.items() if any(abs(x) > 1e5 for row in rows for p in row for x in p)}
    found, wanted = ({name: rows for name, rows in part.items() if name not in far} for part in (found, wanted))
    check(found.keys() == wanted.keys(), f"{sorted(found)}, not {sorted(wanted)}")
    for name, rows in wanted.items():
        check(found[name] == rows, f"{name}: {found[name][:3]}, not {rows[:3]} ({len(found[name])}, {len(rows)})")


def levels(s, folder):
    """Our own, and those of the corpus where it is."""
    yield make_level(os.path.join(folder, "level.bmx"))
    try:
        for name in ("mini_level", "matrices", "internal_textures", "terrain_shared_vt"):
            yield s.corpus("bmx", "valid", name + ".bmx")
    except Skip:
        pass


@suite.case
def a_gltf_has_the_triangles_of_the_level(s, folder):
    for source in levels(s, folder):
        out = os.path.join(folder, "out.glb")
        s.run("brushwork", "export", "--scale", "1", source, "-o", out).expect(0)
        model, found = Model(out).check(), {}
        for node in model.nodes:
            t = node.get("translation", (0, 0, 0))
            rows = [[(p[0] + t[0], -p[2] - t[2], p[1] + t[1], *uv) for p, _, uv, _ in corners]
                    for _, corners in model.triangles(node)]
            if rows:
                found[node["name"]] = sorted_triangles(rows)
        same(found, expected(Level(source)))


def blender_reads(s, folder, ending):
    source = make_level(os.path.join(folder, "level.bmx"))
    out = os.path.join(folder, "out" + ending)
    s.run("brushwork", "export", "--scale", "1", source, "-o", out).expect(0)
    found = {re.sub(r"_\d$", "", name) if ending == ".obj" else name:
             sorted_triangles([[(x, y, z, u, 1 - v) for x, y, z, u, v in corners] for corners in rows])
             for name, rows in in_blender(out, POLYGONS, folder)}
    same(found, expected(Level(source)))


@suite.case
def blender_reads_the_triangles_of_a_gltf(s, folder):
    blender_reads(s, folder, ".glb")


@suite.case
def blender_reads_the_triangles_of_an_obj(s, folder):
    blender_reads(s, folder, ".obj")


@suite.case
def pictures_and_pages_show_the_level(s, folder):
    source = make_level(os.path.join(folder, "level.bmx"))
    out = os.path.join(folder, "level.png")
    for options in ((), ("--size", "64x48", "--from", "160 -300 200 30 90")):
        done = s.run("brushwork", "render", "--json", *options, source).expect(0)
        check("P003" not in done.codes(), f"{done.codes()}: there is no light to make")
        check(read(out)[:4] == b"\x89PNG", "a picture")
    s.run("brushwork", "view", source).expect(0)
    check(b"<html" in read(os.path.join(folder, "level.html"))[:200], "a page")
    level = Level(source)
    level.blocks["object"] = [o for o in level.objects if not o["component"]]
    level.store(source)
    s.run("brushwork", "render", source).expect(0)  # without a start
    cut = write(os.path.join(folder, "cut.bmx"), read(source)[:300])
    s.run("brushwork", "render", cut).expect(1)


suite.main()
