#!/usr/bin/env python3
"""Light per texel of static props, from the editor's keys to the packed file: a box of our own beside
a lamp."""
import io
import os
import struct
import zipfile

from e2e import Suite, check, read, write
from model_files import CHECKSUM, mdl, normal, point, vtx, vvd

suite = Suite()

WIDTH, HEIGHT = 48, 32
LAMP = (60, 128, 128)
MIDDLE = (128, 128, 128)
INTENSITY = 20 * 100 * 100  # of `_light` ... 20, with its falloff, at one unit


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
