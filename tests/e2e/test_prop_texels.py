#!/usr/bin/env python3
"""Light per texel of static props, from the editor's keys to the packed file: a box of our own beside
a lamp, made here as MDL, VVD and VTX."""
import io
import os
import struct
import zipfile

from e2e import Suite, check, read, write

suite = Suite()

HALF = 16
CHECKSUM = 0x2468
WIDTH, HEIGHT = 48, 32
LAMP = (60, 128, 128)
MIDDLE = (128, 128, 128)
INTENSITY = 20 * 100 * 100  # of `_light` ... 20, with its falloff, at one unit


def point(side, s, t):
    """A point of the box: side 2 * axis looks down the axis, the next one up it."""
    axis = side // 2
    p = [0, 0, 0]
    p[axis] = HALF if side & 1 else -HALF
    p[(axis + 1) % 3] = (2 * s - 1) * HALF
    p[(axis + 2) % 3] = (2 * t - 1) * HALF
    return p


def normal(side):
    n = [0, 0, 0]
    n[side // 2] = 1 if side & 1 else -1
    return n


def mdl():
    words = bytearray(408 + 352)
    words[0:4] = b"IDST"

    def put(at, *values):
        struct.pack_into(f"<{len(values)}i", words, at, *values)

    put(4, 48, CHECKSUM)
    put(152, 0x10, 1)  # $staticprop
    put(204, 1, 408, 1, 472, 1, 0, 1, 476)  # texture, folder, skins
    put(232, 1, 480)
    put(408, 760 - 408)
    put(472, 764)
    put(480, 0, 1, 0, 16)  # a part of one model
    put(496 + 72, 1, 148, 24)
    put(644 + 8, 24)
    put(644 + 52, 24)
    struct.pack_into("<6f", words, 104, *[-HALF] * 3, *[HALF] * 3)
    words += b"box\0props\\\0metal\0"
    put(308, 771)
    put(76, len(words))
    return bytes(words)


def vvd():
    data = b"IDSV" + struct.pack("<3i8i5i", 4, CHECKSUM, 1, *[24] * 8, 0, 64, 64, 64 + 48 * 24, 0)
    data = data[:64]
    for i in range(24):
        side, s, t = i // 4, i & 1, i >> 1 & 1
        uv = ((side % 3 + 0.125 + 0.75 * s) / 3, (side // 3 + 0.125 + 0.75 * t) / 2)
        data += bytes(16) + struct.pack("<8f", *point(side, s, t), *normal(side), *uv)
    return data + bytes(16 * 24)


def vtx():
    turns = ((0, 1, 2, 1, 3, 2), (0, 2, 1, 1, 2, 3))
    data = struct.pack("<2i2H2i4i", 7, 24, 53, 9, 3, CHECKSUM, 1, 0, 1, 36)
    data += struct.pack("<2i2i2if", 1, 8, 1, 8, 1, 12, 0)
    data += struct.pack("<2iB", 1, 9, 0)
    data += struct.pack("<6iB", 24, 52, 36, 52 + 9 * 24, 1, 25, 0)
    data += struct.pack("<4iHB2i", 36, 0, 24, 0, 1, 1, 0, 0)
    for i in range(24):
        data += bytes(4) + struct.pack("<H", i) + bytes(3)
    for side in range(6):
        data += struct.pack("<6H", *(4 * side + k for k in turns[side & 1]))
    return data


def entity(**keys):
    return "entity\n{\n" + "".join(f'"{k}" "{v}"\n' for k, v in keys.items()) + "}\n"


SIZE = {"lightmapresolutionx": WIDTH, "lightmapresolutiony": HEIGHT}


def prop(number, origin, **keys):
    return entity(id=9000 + number, classname="prop_static", model="models/box.mdl", solid=6,
                  origin=" ".join(map(str, origin)), angles="0 0 0", **keys)


def compile_map(s, folder, props, target="tf2"):
    """The world of a map with one lamp and these props; its path."""
    game = os.path.join(folder, "game")
    os.makedirs(os.path.join(game, "models"), exist_ok=True)
    for extension, data in ((".mdl", mdl()), (".vvd", vvd()), (".dx90.vtx", vtx())):
        write(os.path.join(game, "models", "box" + extension), data)
    write(os.path.join(game, "gameinfo.txt"),
          f'GameInfo {{ FileSystem {{ SearchPaths {{ game "{game}" }} }} }}')
    text = read(s.map("box.vmf")).decode()
    world = text[:text.index("\nentity\n") + 1]
    light = entity(id=8000, classname="light", origin=" ".join(map(str, LAMP)),
                   _light="255 255 255 20", _quadratic_attn=1)
    source, out = os.path.join(folder, "t.vmf"), os.path.join(folder, "t.bsp")
    write(source, world + light + "".join(props))
    s.run("vbsp", "--game", game, "--target", target, source, "-o", out).expect(0)
    s.run("vvis", out).expect(0)
    return game, out


def packed(path):
    data = read(path)
    place, length = struct.unpack_from("<2i", data, 8 + 16 * 40)
    if not length:
        return {}
    with zipfile.ZipFile(io.BytesIO(data[place:place + length])) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pixels(data):
    """Of the only image of a file."""
    version, checksum, kind, images = struct.unpack_from("<4I", data)
    check((version, checksum, kind, images) == (0, CHECKSUM, 2, 1), f"{data[:16]}")
    lod, place, length, width, height = struct.unpack_from("<5I", data, 32)
    check((lod, length, width, height) == (0, 3 * WIDTH * HEIGHT, WIDTH, HEIGHT), "odd image")
    return data[place:place + length]


def direct(side, s, t):
    """Light of the lamp at a point of the box."""
    p = [a + b for a, b in zip(MIDDLE, point(side, s, t))]
    way = [a - b for a, b in zip(LAMP, p)]
    square = sum(w * w for w in way)
    return INTENSITY * max(0, sum(w * n for w, n in zip(way, normal(side)))) / square ** 1.5


def stored(light):
    return 255 * 0.5 * (light / 255) ** (1 / 2.2)


@suite.case
def the_near_side_has_the_light_of_the_lamp(s, folder):
    """Direct light alone, by the closed form; the other sides are dark."""
    game, path = compile_map(s, folder, [
        prop(0, MIDDLE, generatelightmaps=1, **SIZE),
        prop(1, (200, 200, 60), generatelightmaps=0, **SIZE)])
    done = s.run("vrad", "--game", game, "--json", "-OnlyStaticProps", path)
    done.expect(0)
    check(not [c for c in done.codes() if c.startswith(("R18", "R19"))], str(done))
    files = packed(path)
    check("texelslighting_1.ppl" not in files and "sp_1.vhv" in files, f"{sorted(files)}")
    check("sp_0.vhv" in files, "vertices have their light as well")
    image = pixels(files["texelslighting_0.ppl"])
    sides = [0] * 6
    for side in range(6):
        for i in range(144):
            x, y = i % 12, i // 12
            s01, t01 = [min(max((k + 0.5) / 12, 0), 1) for k in (x, y)]
            at = 3 * ((16 * (side // 3) + 2 + y) * WIDTH + 16 * (side % 3) + 2 + x)
            want = stored(direct(side, s01, t01))
            check(abs(image[at + 1] - want) <= 1, f"side {side} texel {x} {y}: {image[at + 1]}, {want}")
            sides[side] += image[at + 1]
    check(sides[0] > 40 * 144 and sides[1:] == [0] * 5, f"{sides}")
    s.run("brushwork", "verify", path).expect(0)


@suite.case
def all_numbers_of_threads_give_the_same_file(s, folder):
    game, path = compile_map(s, folder, [prop(0, MIDDLE, generatelightmaps=1, **SIZE)])
    before, first = read(path), None
    for threads in (1, 2, 7):
        write(path, before)
        s.run("vrad", "--game", game, "-both", "-StaticPropLighting", "-StaticPropPolys",
              "-threads", threads, path).expect(0)
        files = packed(path)
        check({"texelslighting_0.ppl", "sp_0.vhv", "sp_hdr_0.vhv"} <= set(files), f"{files.keys()}")
        first = first or files
        check(files == first, f"{threads} threads give other files")


@suite.case
def without_light_of_props_it_is_said(s, folder):
    game, path = compile_map(s, folder, [prop(0, MIDDLE, generatelightmaps=1, **SIZE)])
    done = s.run("vrad", "--game", game, "--json", path).expect(0)
    check("texelslighting_0.ppl" not in packed(path), "a file that nobody asked for")
    check("R180" in done.codes(), str(done))


@suite.case
def older_records_have_no_texels(s, folder):
    game, path = compile_map(s, folder, [prop(0, MIDDLE, generatelightmaps=1, **SIZE)], "source2007")
    s.run("vrad", "--game", game, "-StaticPropLighting", path).expect(0)
    files = packed(path)
    check("sp_0.vhv" in files and "texelslighting_0.ppl" not in files, f"{files.keys()}")


@suite.case
def the_usual_resolution_is_32(s, folder):
    game, path = compile_map(s, folder, [prop(0, MIDDLE, generatelightmaps=1)])
    s.run("vrad", "--game", game, "-StaticPropLighting", path).expect(0)
    size = struct.unpack_from("<2I", packed(path)["texelslighting_0.ppl"], 32 + 12)
    check(size == (32, 32), f"{size}")


suite.main()
