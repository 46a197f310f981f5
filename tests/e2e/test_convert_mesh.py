#!/usr/bin/env python3
"""brushwork convert to .obj and .ase: what a Quake 3 map draws, as triangles."""
import math
import os
import re
import struct

from e2e import Suite, check, read
from ibsp_portals import lump, records

SHADERS, VERTICES, INDICES, SURFACES = 1, 10, 11, 13
PLANAR = 1

suite = Suite()


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def planar(data, lightmap):
    """Triangles of the planar surfaces of a BSP: three corners of place and coordinates."""
    vertices = records(data, VERTICES, "10f4B")
    indices = [i for i, in records(data, INDICES, "i")]
    start = 5 if lightmap else 3
    for surface in records(data, SURFACES, "12i12f2i"):
        if surface[2] == PLANAR:
            for at in range(surface[5], surface[5] + surface[6], 3):
                corners = [vertices[surface[3] + i] for i in indices[at:at + 3]]
                yield key([(v[:3], v[start:start + 2]) for v in corners])


def key(corners):
    return tuple(sorted(tuple(round(x * 1000) for x in (*p, *st)) for p, st in corners))


def obj_triangles(path):
    """Material, and corners with place, coordinates that grow downwards, and normal."""
    lists, material = {"v": [], "vt": [], "vn": []}, None
    for line in read(path).decode().splitlines():
        word, *rest = line.split()
        if word in lists:
            lists[word].append([float(x) for x in rest])
        elif word == "usemtl":
            material = rest[0]
        elif word == "f":
            corners = []
            for corner in rest:
                v, vt, vn = (int(x) - 1 for x in corner.split("/"))
                s, t = lists["vt"][vt]
                corners.append((lists["v"][v], (s, 1 - t), lists["vn"][vn]))
            yield material, corners


def ase_triangles(path):
    text = read(path).decode()
    materials = re.findall(r'MATERIAL_NAME\s+"([^"]*)"', text)
    for piece in text.split("*GEOMOBJECT")[1:]:
        def rows(word):
            return [[float(x) for x in row.split()] for row in
                    re.findall(rf"\*{word}\s+\d+((?:\s+-?[\d.e+-]+)+)\n", piece)]
        points, textures, normals = rows("MESH_VERTEX"), rows("MESH_TVERT"), rows("MESH_VERTEXNORMAL")
        faces = re.findall(r"\*MESH_FACE\s+\d+:\s+A:\s+(\d+)\s+B:\s+(\d+)\s+C:\s+(\d+)", piece)
        material = materials[int(re.search(r"MATERIAL_REF\s+(\d+)", piece).group(1))]
        for number, face in enumerate(faces):
            check([int(x) for x in rows("MESH_TFACE")[number]] == [int(x) for x in face], face)
            yield material, [(points[int(i)], (textures[int(i)][0], 1 - textures[int(i)][1]),
                              normals[3 * number + k]) for k, i in enumerate(face)]


READERS = {"obj": obj_triangles, "ase": ase_triangles}


def convert(s, folder, bsp, kind, *options):
    path = os.path.join(folder, "out." + kind)
    s.run("brushwork", "convert", bsp, path, *options).expect(0)
    return list(READERS[kind](path))


@suite.case
def all_that_is_drawn_is_there(s, folder):
    for name in ("q3_patches.map", "q3_entities.map"):
        bsp = os.path.join(folder, name.replace(".map", ".bsp"))
        s.run("vbsp", "-o", bsp, s.map(name)).expect(0)
        flat = sorted(planar(read(bsp), False))
        for kind in READERS:
            found = convert(s, folder, bsp, kind)
            got = {key([c[:2] for c in corners]) for _, corners in found}
            if "patches" in name:
                check(not set(flat) - got, f"{kind}: triangles are missing")
                check(len(got) > len(flat) + 8, f"{kind}: patches are missing")
            else:
                check(len(got) == len(flat), f"{kind}: {len(got)} triangles, not {len(flat)}")


@suite.case
def faces_look_outwards(s, folder):
    """Counter-clockwise, with normals that fit: patches too."""
    bsp = os.path.join(folder, "a.bsp")
    s.run("vbsp", "-o", bsp, s.map("q3_patches.map")).expect(0)
    for kind in READERS:
        for _, corners in convert(s, folder, bsp, kind):
            a, b, c = (corner[0] for corner in corners)
            normal = cross(sub(b, a), sub(c, a))
            size = math.sqrt(dot(normal, normal))
            for corner in corners:
                check(size < 1e-6 or dot(normal, corner[2]) > 0.5 * size, (kind, corners))


@suite.case
def a_door_is_at_its_place(s, folder):
    bsp = os.path.join(folder, "a.bsp")
    s.run("vbsp", "-o", bsp, s.map("q3_entities.map")).expect(0)
    data = read(bsp)
    models = records(data, 7, "6f4i")
    text = lump(data, 0).decode()
    for number, x, y, z in re.findall(r'"model" "\*(\d+)"[^}]*"origin" "(\S+) (\S+) (\S+)"', text) or [
            (n, *o) for *o, n in re.findall(
                r'"origin" "(\S+) (\S+) (\S+)"[^}]*"model" "\*(\d+)"', text)]:
        box = models[int(number)]
        convert(s, folder, bsp, "obj")
        piece = read(os.path.join(folder, "out.obj")).decode().split(f"o model{number}_")[1]
        points = [[float(v) for v in line.split()[1:]] for line in piece.splitlines()
                  if line.startswith("v ")]
        for axis, origin in enumerate((x, y, z)):
            values = [p[axis] - float(origin) for p in points]
            check(box[axis] - 0.1 <= min(values) and max(values) <= box[3 + axis] + 0.1,
                  (number, box, min(values), max(values)))
        return
    raise AssertionError("no entity with an origin")


@suite.case
def lightmaps_take_the_place_of_textures(s, folder):
    bsp = os.path.join(folder, "a.bsp")
    s.run("brushwork", "build", "-o", bsp, s.map("q3_lights.map")).expect(0)
    flat = set(planar(read(bsp), True))
    for kind in READERS:
        found = convert(s, folder, bsp, kind, "--lightmaps-as-texcoord")
        check({m for m, _ in found} == {"lm_0000"}, {m for m, _ in found})
        check({key([c[:2] for c in corners]) for _, corners in found} == flat, kind)
    check(b"map_Kd a/lm_0000.tga" in read(os.path.join(folder, "out.mtl")), "no page")


@suite.case
def images_or_shaders(s, folder):
    """An image is named as found; without the game, or if asked for, it is the shader's name."""
    game = os.path.join(folder, "baseq3", "textures", "base")
    os.makedirs(game)
    os.mkdir(os.path.join(folder, "baseq3", "scripts"))
    image = struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, 8, 8, 24, 0) + bytes(192)
    names = {m for m, _ in convert(s, folder, compiled(s, folder), "obj")}
    for name in names:
        path = os.path.join(folder, "baseq3", name + ".tga")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(image)
    where = ("--game", os.path.join(folder, "baseq3"))
    for options, ending in ((where, b".tga"), ((*where, "--shaders-as-bitmap"), b""), ((), b"")):
        convert(s, folder, compiled(s, folder), "obj", *options)
        convert(s, folder, compiled(s, folder), "ase", *options)
        for name in names:
            name = name.encode()
            check(b"map_Kd " + name + ending + b"\n" in read(os.path.join(folder, "out.mtl")), options)
            check(b'*BITMAP\t"' + name + ending + b'"' in read(os.path.join(folder, "out.ase")), options)


def compiled(s, folder):
    bsp = os.path.join(folder, "a.bsp")
    s.run("vbsp", "-o", bsp, s.map("q3_forms.map")).expect(0)
    return bsp


suite.main()
