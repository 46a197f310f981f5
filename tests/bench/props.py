#!/usr/bin/env python3
"""Light of static props beside ground truth, on rooms of 20 kinds of props of its own making.

    props.py [--bin DIR] [--before DIR] [--paths N] [--places sun,...] [--bounce] [--keep DIR]

A place is a room with one prop of each kind: in the sun, beside a lamp, in a room that only bounced
light reaches, and in the shade under the open sky. Each is lit by the programs of --bin (and of
--before) as usual, and by `vrad --reference N`. Prints tables in Markdown over the vertices: root
mean square of log2(stored / true), its mean (bias) and worst value; the same of the dark band, the
darkest fifth of the place; and CPU seconds of vrad. A value has 8 bits with gamma: its rounding alone
is about 0.02, and more in the dark, so that light below 1 of 255 counts as 1. --texels N compares N x N
texels of each prop in place of the vertices. --bounce gives
-StaticPropBounce to all runs, --options others to all but the reference, --keep keeps the files and takes
truth from there, --worst prints the vertices that are most wrong, --tools has vbsp and vvis."""
import argparse
import io
import math
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
from vmf_boxes import box  # noqa: E402

CHECKSUM = 0x2468


# ---- shapes: lists of triangles (corners counter-clockwise from outside, normals or None: flat) ----

def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    length = math.sqrt(sum(x * x for x in a)) or 1
    return [x / length for x in a]


def quad(a, b, c, d, normals=None):
    n = normals or [None] * 4
    return [((a, b, c), (n[0], n[1], n[2])), ((a, c, d), (n[0], n[2], n[3]))]


def block(low, high):
    out = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for up in (0, 1):
            p = []
            for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)):
                q = [0, 0, 0]
                q[axis], q[u], q[v] = (low, high)[up][axis], (low, high)[i][u], (low, high)[j][v]
                p.append(q)
            out += quad(*(p if up else p[::-1]))
    return out


def card(low, high, axis):
    """A flat piece with two sides."""
    u = 1 - axis
    corner = lambda i, j: [(low, high)[i if k == u else 0][k] if k < 2 else (low, high)[j][2] for k in range(3)]
    p = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]
    return quad(*p) + quad(*p[::-1])


def surface(point, columns, rows, inward=False):
    """A smooth surface point(u, v) with u around; normals by differences."""
    e = 1e-4
    normal = lambda u, v: unit(cross(sub(point(u + e, v), point(u - e, v)), sub(point(u, v + e), point(u, v - e))))
    out = []
    for i in range(columns):
        for j in range(rows):
            at = [(i / columns, j / rows), ((i + 1) / columns, j / rows), ((i + 1) / columns, (j + 1) / rows),
                  (i / columns, (j + 1) / rows)]
            p, n = [point(*a) for a in at], [normal(*a) for a in at]
            if inward:
                p, n = p[::-1], [[-x for x in q] for q in n[::-1]]
            out += [t for t in quad(*p, n) if sum(x * x for x in cross(sub(t[0][1], t[0][0]), sub(t[0][2], t[0][0]))) > 1e-9]
    return out


def around(radius, z, columns=10, rows=3, inward=False):
    """A surface of revolution: radius and height over 0 .. 1."""
    def point(u, v):
        return [radius(v) * math.cos(2 * math.pi * u), radius(v) * math.sin(2 * math.pi * u), z(v)]
    return surface(point, columns, rows, inward)


def sphere(r, z, squash=1):
    clamp = lambda v: 0.002 + 0.996 * v
    return around(lambda v: r * math.sin(math.pi * clamp(v)), lambda v: z - squash * r * math.cos(math.pi * clamp(v)), 10, 6)


def disc(r, z):
    p = [[r * math.cos(2 * math.pi * i / 10), r * math.sin(2 * math.pi * i / 10), z] for i in range(10)]
    return [(([0, 0, z], p[i], p[(i + 1) % 10]), (None,) * 3) for i in range(10)]


def torus(r, thick, z):
    def point(u, v):
        d = r + thick * math.cos(2 * math.pi * v)
        return [d * math.cos(2 * math.pi * u), thick * math.sin(2 * math.pi * v), z + d * math.sin(2 * math.pi * u)]
    return surface(point, 12, 6, True)


def kinds():
    many = lambda *parts: [t for p in parts for t in p]
    post = lambda x, y, r, h: block([x - r, y - r, 0], [x + r, y + r, h])
    flat = lambda t: [(c, (None,) * 3) for c, _ in t]
    return {
        "sphere": sphere(24, 28), "column": many(around(lambda v: 12, lambda v: 96 * v, 10, 4), disc(12, 96)),
        "fence": many(*[post(-30 + 12 * i, 0, 1.5, 48) for i in range(6)], block([-32, -1, 36], [32, 1, 40])),
        "tree card": many(card([-24, 0, 2], [24, 0, 66], 1), card([0, -24, 2], [0, 24, 66], 0)),
        "chair": many(*[post(x, y, 2, 20) for x in (-12, 12) for y in (-12, 12)], block([-14, -14, 20], [14, 14, 24]), block([-14, 10, 24], [14, 14, 54])),
        "arch": many(post(-26, 0, 6, 56), post(26, 0, 6, 56), block([-32, -6, 56], [32, 6, 68])),
        "pipe": many(around(lambda v: 14, lambda v: 64 * v, 10, 3), around(lambda v: 11, lambda v: 64 * v, 10, 3, True)),
        "crate": block([-20, -20, 0.5], [20, 20, 40.5]),
        "stairs": many(*[block([-20, -24 + 12 * i, 0], [20, -12 + 12 * i, 10 * (i + 1)]) for i in range(4)]),
        "lattice": many(*[block([-24 + 16 * i, -1, 0], [-22 + 16 * i, 1, 50]) for i in range(4)], *[block([-24, -1, 4 + 15 * i], [26, 1, 6 + 15 * i]) for i in range(4)]),
        "table": many(*[post(x, y, 2, 28) for x in (-22, 22) for y in (-14, 14)], block([-26, -18, 28], [26, 18, 31])),
        "lamp post": many(around(lambda v: 3, lambda v: 80 * v, 6, 4), block([-10, -10, 80], [10, 10, 90])),
        "barrel": many(around(lambda v: 14 + 4 * math.sin(math.pi * v), lambda v: 40 * v, 10, 4), disc(14, 40)),
        "cone": around(lambda v: 22 * (1 - v) + 0.1, lambda v: 56 * v, 10, 4),
        "ring": torus(24, 6, 34), "shelf": many(block([-24, 12, 0], [24, 14, 64]), block([-24, -8, 0], [-22, 12, 64]), block([22, -8, 0], [24, 12, 64]), *[block([-22, -8, 20 * i + 2], [22, 12, 20 * i + 4]) for i in range(4)]),
        "beam": many(block([-30, -10, 0.5], [30, 10, 4]), block([-30, -2, 4], [30, 2, 24]), block([-30, -10, 24], [30, 10, 28])),
        "pyramid": [(t, (None,) * 3) for t in (([-24, -24, 0], [24, -24, 0], [0, 0, 44]), ([24, -24, 0], [24, 24, 0], [0, 0, 44]), ([24, 24, 0], [-24, 24, 0], [0, 0, 44]), ([-24, 24, 0], [-24, -24, 0], [0, 0, 44]))],
        "rock": flat(sphere(26, 14, 0.7)), "bowl": many(around(lambda v: 8 + 18 * v, lambda v: 20 * v, 10, 3), around(lambda v: 6 + 18 * v, lambda v: 3 + 17 * v, 10, 3, True), disc(6.5, 3)),
    }


# ---- files of a model ----

def vertices_of(triangles):
    """Corners with normals and texture coordinates (a cell of a grid for each triangle), and indices."""
    out, side = [], math.ceil(math.sqrt(len(triangles)))
    for n, (corners, normals) in enumerate(triangles):
        flat = unit(cross(sub(corners[1], corners[0]), sub(corners[2], corners[0])))
        for k in range(3):
            uv = [(n % side + (0.9 if k == 1 else 0.1)) / side, (n // side + (0.9 if k == 2 else 0.1)) / side]
            out.append((corners[k], normals[k] or flat, uv))
    return out


def mdl(vertices, material):
    words = bytearray(408 + 352)
    words[0:4] = b"IDST"
    put = lambda at, *values: struct.pack_into(f"<{len(values)}i", words, at, *values)
    count = len(vertices)
    put(4, 48, CHECKSUM)
    put(152, 0x10, 1)
    put(204, 1, 408, 1, 472, 1, 0, 1, 476)
    put(232, 1, 480)
    put(408, 760 - 408)
    put(472, 764 + len(material) - 3)
    put(480, 0, 1, 0, 16)
    put(496 + 72, 1, 148, count)
    put(644 + 8, count)
    put(644 + 52, count)
    for k in range(3):
        struct.pack_into("<f", words, 104 + 4 * k, min(v[0][k] for v in vertices))
        struct.pack_into("<f", words, 116 + 4 * k, max(v[0][k] for v in vertices))
    words += material.encode() + b"\0props\\\0metal\0"
    put(308, 768 + len(material))
    put(76, len(words))
    return bytes(words)


def vvd(vertices):
    count = len(vertices)
    data = b"IDSV" + struct.pack("<3i8i4i", 4, CHECKSUM, 1, *[count] * 8, 0, 64, 64, 64 + 48 * count)
    for position, normal, uv in vertices:
        data += bytes(16) + struct.pack("<8f", *position, *normal, *uv)
    return data + bytes(16 * count)


def vtx(vertices):
    count = len(vertices)
    data = struct.pack("<2i2H2i4i", 7, 24, 53, 9, 3, CHECKSUM, 1, 0, 1, 36)
    data += struct.pack("<2i2i2if", 1, 8, 1, 8, 1, 12, 0) + struct.pack("<2iB", 1, 9, 0)
    data += struct.pack("<6iB", count, 52, count, 52 + 9 * count, 1, 25, 0)
    data += struct.pack("<4iHB2i", count, 0, count, 0, 1, 1, 0, 0)
    for i in range(count):
        data += bytes(4) + struct.pack("<H", i) + bytes(3)
    for i in range(0, count, 3):
        data += struct.pack("<3H", i, i + 2, i + 1)  # clockwise
    return data


def vtf(colour):
    """16 x 16 texels of a colour, 0 .. 1, which is its reflectivity."""
    head = b"VTF\0" + struct.pack("<3I2HI2H4x3f4xfI", 7, 2, 80, 16, 16, 0, 1, 0, *colour, 1, 3)
    head += struct.pack("<BIBBH", 1, 0xffffffff, 0, 0, 1)
    texel = bytes(round(255 * c ** (1 / 2.2)) for c in colour[::-1])
    return head.ljust(80, b"\0") + texel * 256


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def make_game(folder):
    models, sides = kinds(), random.Random(5)
    for name, triangles in models.items():
        name, vertices = name.replace(" ", "_"), vertices_of(triangles)
        colour = [sides.choice((0.15, 0.4, 0.65)) for _ in range(3)]
        stem = os.path.join(folder, "models", name)
        for extension, data in ((".mdl", mdl(vertices, name)), (".vvd", vvd(vertices)), (".dx90.vtx", vtx(vertices))):
            write(stem + extension, data)
        write(os.path.join(folder, "materials", "props", name + ".vmt"), f'"VertexLitGeneric" {{ "$basetexture" "props/{name}" }}')
        write(os.path.join(folder, "materials", "props", name + ".vtf"), vtf(colour))
    for name, colour, keys in (("dev/dev_measuregeneric01", (0.5, 0.45, 0.4), ""), ("tools/toolsskybox", (0.1,) * 3, '"%compileSky" 1')):
        write(os.path.join(folder, "materials", name + ".vmt"), f'"LightmappedGeneric" {{ "$basetexture" "{name}" {keys} }}')
        write(os.path.join(folder, "materials", name + ".vtf"), vtf(colour))
    write(os.path.join(folder, "gameinfo.txt"), f'GameInfo {{ FileSystem {{ SearchPaths {{ game "{folder}" }} }} }}')
    return list(models)


# ---- maps ----

WIDTH, DEPTH, HEIGHT = 672, 544, 256


def entity(**keys):
    return "entity\n{\n" + "".join(f'"{k}" "{v}"\n' for k, v in keys.items()) + "}\n"


SUN = entity(classname="light_environment", origin="300 250 240", _light="255 240 220 300", _ambient="120 150 200 120",
             pitch=-50, angles="-50 40 0", SunSpreadAngle=3)
PLACES = {
    "sun": (True, "", SUN),
    "lamp": (False, "", entity(classname="light", origin="336 272 190", _light="255 220 180 400")
             + entity(classname="light_spot", origin="60 60 230", _light="200 220 255 300", pitch=-60, angles="-60 45 0", _cone=50, _inner_cone=30)),
    "bounced": (False, box((0, 0, 0), (WIDTH, 8, 190)) + box((0, 544 - 120, 0), (WIDTH, 544 - 112, 180)),
                entity(classname="light", origin="336 510 60", _light="255 230 200 1500")),
    "shade": (True, box((40, 40, 150), (632, 504, 158)), SUN),
}


def sky_top(text):
    return text.replace("dev/dev_measuregeneric01", "tools/toolsskybox")


def source(place, names, scale, texels=0):
    has_sky, inside, lights = PLACES[place]
    w, d, h, t = WIDTH, DEPTH, HEIGHT, 16
    top = box((-t, -t, h), (w + t, d + t, h + t), scale)
    walls = [((-t, -t, -t), (w + t, d + t, 0)), ((-t, -t, 0), (0, d + t, h)), ((w, -t, 0), (w + t, d + t, h)),
             ((0, -t, 0), (w, 0, h)), ((0, d, 0), (w, d + t, h))]
    world = "".join(box(*x, scale) for x in walls) + (sky_top(top) if has_sky else top)
    world += inside.replace('"lightmapscale" "16"', f'"lightmapscale" "{scale}"')
    props = ""
    for i, name in enumerate(names):
        origin = (96 + 120 * (i % 5), 80 + (80 if place == "bounced" else 120) * (i // 5), 0)
        keys = {"generatelightmaps": 1, "lightmapresolutionx": texels, "lightmapresolutiony": texels} if texels else {}
        props += entity(classname="prop_static", **keys, model=f"models/{name.replace(' ', '_')}.mdl", solid=6,
                        origin="%g %g %g" % origin, angles=f"0 {17 * i % 90} 0")
    return (f'world\n{{\n"classname" "worldspawn"\n"skyname" "sky"\n{world}}}\n' + lights + props
            + entity(classname="info_player_start", origin="9 60 9"))


def call(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"{command}: {done.returncode}\n{done.stdout}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def lit_props(path):
    """Linear light of the vertices of each prop, as (r, g, b) of 255."""
    with open(path, "rb") as file:
        data = file.read()
    place, length = struct.unpack_from("<2i", data, 8 + 16 * 40)
    out = {}
    with zipfile.ZipFile(io.BytesIO(data[place:place + length])) as archive:
        for name in archive.namelist():
            if name.startswith("sp_") and not name.startswith("sp_hdr"):
                file = archive.read(name)
                count = struct.unpack_from("<i", file, 16)[0]
                first = struct.unpack_from("<i", file, 48)[0]
                out[int(name[3:-4])] = [[255 * (c / 127.5) ** 2.2 for c in file[first + 4 * i:first + 4 * i + 3]] for i in range(count)]
    return out


def lit_texels(path):
    """The same of the texels of each prop."""
    with open(path, "rb") as file:
        data = file.read()
    place, length = struct.unpack_from("<2i", data, 8 + 16 * 40)
    out = {}
    with zipfile.ZipFile(io.BytesIO(data[place:place + length])) as archive:
        for name in archive.namelist():
            if name.startswith("texelslighting_"):
                file = archive.read(name)
                first, size = struct.unpack_from("<2I", file, 36)
                out[int(name[15:-4])] = [[255 * (c / 127.5) ** 2.2 for c in file[first + i:first + i + 3]] for i in range(0, size, 3)]
    return out


def grey(colour):
    return max(sum(colour) / 3, 1)


def figures(pairs):
    logs = [math.log2(grey(a) / grey(b)) for a, b in pairs]
    if not logs:
        return "-", "-", "-"
    worst = max(logs, key=abs)
    return f"{math.sqrt(sum(x * x for x in logs) / len(logs)):.3f}", f"{sum(logs) / len(logs):+.3f}", f"{worst:+.2f}"


def dark_band(pairs):
    ordered = sorted(pairs, key=lambda p: grey(p[1]))
    return ordered[:max(len(ordered) // 5, 1)]


def worst_of(names, truth, ours):
    """Prints the vertices that are most wrong, in model space."""
    shapes, found = kinds(), []
    for p in truth:
        for i, (a, b) in enumerate(zip(ours[p], truth[p])):
            found.append((abs(math.log2(grey(a) / grey(b))), names[p], i, grey(a), grey(b)))
    for miss, name, i, a, b in sorted(found, reverse=True)[:30]:
        position, normal, _ = vertices_of(shapes[name])[i]
        print(f"{miss:.2f} {name} {i}: {a:.1f} for {b:.1f} at", *(f"{x:.1f}" for x in position), "facing", *(f"{x:.2f}" for x in normal))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=os.path.join(HERE, "..", "..", "build", "release", "bin"))
    parser.add_argument("--before")
    parser.add_argument("--tools")
    parser.add_argument("--paths", default="1024")
    parser.add_argument("--places", default=",".join(PLACES))
    parser.add_argument("--texels", type=int, default=0)
    parser.add_argument("--bounce", action="store_true")
    parser.add_argument("--worst", action="store_true")
    parser.add_argument("--options", default="")
    parser.add_argument("--keep")
    values = parser.parse_args()
    folder = values.keep or tempfile.mkdtemp()
    game = os.path.join(folder, "game")
    names = make_game(game)
    programs = [("before", values.before)] * bool(values.before) + [("now", values.bin)]
    tool = lambda name, where=values.bin: os.path.join(where, name)
    kind_rows, rows = {}, []
    for place in values.places.split(","):
        paths = {}
        for scale in (16, 128):
            stem = os.path.join(folder, f"{place}_{scale}")
            write(stem + ".vmf", source(place, names, scale, values.texels))
            call(tool("vbsp", values.tools or values.bin), "--game", game, "--target", "tf2", stem + ".vmf", "-o", stem + ".bsp")
            call(tool("vvis", values.tools or values.bin), stem + ".bsp")
            paths[scale] = stem + ".bsp"
        usual = ["--game", game, "-StaticPropLighting", "-StaticPropPolys", "-ldr"]
        extra = (["-StaticPropBounce"] if values.bounce else []) + values.options.split()
        truth_path = os.path.join(folder, f"{place}_truth_{values.paths}_{values.bounce:d}_{values.texels}.bsp")
        if not os.path.exists(truth_path):
            call(tool("vrad"), *usual, *extra[:values.bounce], "--physical", "--reference", values.paths, paths[128])
            os.replace(paths[128], truth_path)
        read = lit_texels if values.texels else lit_props
        truth = read(truth_path)
        for label, where in programs:
            cpu = call(tool("vrad", where), *usual, *extra, paths[16])
            ours = read(paths[16])
            pairs = [(a, b) for p in truth for a, b in zip(ours[p], truth[p])]
            rows.append((place, label, f"{len(pairs)}") + figures(pairs) + figures(dark_band(pairs)) + (f"{cpu:.2f}",))
            worst_of(names, truth, ours) if values.worst and not values.texels else None
            for p in truth:
                kind_rows.setdefault((names[p], label), {})[place] = figures(list(zip(ours[p], truth[p])))
    print("| place | build | vertices | RMS | bias | worst | dark RMS | bias | worst | CPU s |\n|" + "---|" * 10)
    for row in rows:
        print("| " + " | ".join(row) + " |")
    places = values.places.split(",")
    print("\nRMS, bias, worst by kind:\n\n| kind | build | " + " | ".join(places) + " |\n|" + "---|" * (len(places) + 2))
    for (name, label), by_place in kind_rows.items():
        print(f"| {name} | {label} | " + " | ".join(" ".join(by_place[p]) for p in places) + " |")


if __name__ == "__main__":
    main()
