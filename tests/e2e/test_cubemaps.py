#!/usr/bin/env python3
"""brushwork cubemaps: each pixel of all faces shows the wall that a ray in its direction meets in a room of
six colours, where the files are, and in which versions; against the faces that a game has drawn.

About 15 seconds of CPU, most of it for the 46 cubemaps of a map of the corpus; without that nine."""
import os
import struct

from e2e import Skip, Suite, check, read, write
from six_walls import WALLS, game, png, room, side

suite = Suite()

# Where the rows of a face go to the right and down, and what is ahead: Direct3D's table for cubes.
FACES = [((0, 0, -1), (0, -1, 0), (1, 0, 0)), ((0, 0, 1), (0, -1, 0), (-1, 0, 0)), ((1, 0, 0), (0, 0, 1), (0, 1, 0)),
         ((1, 0, 0), (0, 0, -1), (0, -1, 0)), ((1, 0, 0), (0, -1, 0), (0, 0, 1)), ((-1, 0, 0), (0, -1, 0), (0, 0, -1))]


def compiled(s, folder, cubemaps, *options, target=()):
    base = game(s, folder)
    source = write(os.path.join(folder, "room.vmf"), room(cubemaps))
    bsp = os.path.join(folder, "room.bsp")
    s.run("brushwork", "build", source, "-o", bsp, "--preset", "fast", "-game", base, *target, *options).expect(0)
    return base, bsp


def made(s, folder, bsp, base, *options):
    done = s.run("brushwork", "cubemaps", bsp, "--game", base, "--json", *options).expect(0)
    out = os.path.join(folder, "out")
    s.run("brushwork", "unpack", bsp, "--to", out, "--force").expect(0)
    return done, os.path.join(out, "materials", "maps", "room")


def hue(pixel):
    """Which channels are bright beside the largest: bytes have a gamma, and light of other walls is in all."""
    most, share = max(*pixel, 1e-9), 0.6 if isinstance(pixel[0], int) else 0.3
    return tuple(value > share * most for value in pixel)


def half(bits):
    sign, exponent, fraction = bits >> 15, bits >> 10 & 31, bits & 1023
    value = fraction / 2 ** 24 if exponent == 0 else (1 + fraction / 1024) * 2 ** (exponent - 15)
    return -value if sign else value


def faces_of(path, wanted_faces):
    """The pixels of the largest level, for BGRA8888 and RGBA16F: side, faces of rows of colours."""
    data = read(path)
    minor, header = struct.unpack_from("<2I", data, 8)
    width, height = struct.unpack_from("<2H", data, 16)
    kind = struct.unpack_from("<i", data, 52)[0]
    check(width == height and data[56] == width.bit_length(), f"{path}: {width}, {data[56]} levels")
    check(wanted_faces == (6 if minor >= 5 else 7), minor)
    unit = {12: 4, 24: 8}[kind]
    total = sum((width >> m) ** 2 for m in range(data[56])) * unit * wanted_faces
    check(len(data) == header + total, f"{path}: {len(data)} bytes, not {header + total}")
    start = len(data) - width * width * unit * wanted_faces
    result = []
    for i in range(width * width * wanted_faces):
        at = start + unit * i
        if kind == 12:
            result.append((data[at + 2], data[at + 1], data[at]))
        else:
            result.append(tuple(half(b) for b in struct.unpack_from("<3H", data, at)))
    n = width * width
    return width, [result[f * n:(f + 1) * n] for f in range(wanted_faces)]


def wall_at(place, direction):
    """The first wall of the room on a ray, and by how much the second one is farther."""
    ways = []
    for name, (_, at) in WALLS.items():
        axis = "xyz".index(name[1])
        if direction[axis] and (at - place[axis]) / direction[axis] > 0:
            ways.append(((at - place[axis]) / direction[axis], name))
    ways.sort()
    return ways[0][1], ways[1][0] / ways[0][0] if len(ways) > 1 else 9


def check_faces(path, place, faces, several):
    """Marks the faces that show several walls, which proves how they are turned."""
    size, pictures = faces_of(path, faces)
    compared = 0
    for face, (right, down, ahead) in enumerate(FACES):
        seen = set()
        for i in range(size * size):
            s, t = 2 * (i % size + 0.5) / size - 1, 2 * (i // size + 0.5) / size - 1
            direction = [a + s * r + t * d for a, r, d in zip(ahead, right, down)]
            wall, margin = wall_at(place, direction)
            if margin < 1 + 4 / size:  # pixels on an edge of the room show two walls
                continue
            compared += 1
            seen.add(wall)
            found = hue(pictures[face][i])
            check(found == tuple(c > 0 for c in WALLS[wall][0]), f"{path}: face {face} at {s:.2f} {t:.2f}: {found}, not {wall}")
        several[face] |= len(seen) > 1
    check(compared > 2 * size * size, compared)
    return pictures


@suite.case
def each_pixel_shows_its_wall(s, folder):
    places = [((70, 60, 50), 6), ((-100, -90, -30), 5)]
    base, bsp = compiled(s, folder, places, "-both")
    done, files = made(s, folder, bsp, base, "--format", "bgra8888")
    check(not [c for c in done.codes() if c.startswith("R22")], done)
    several = [False] * 6
    for (place, size) in places:
        name = os.path.join(files, "c{}_{}_{}".format(*place))
        check(struct.unpack_from("<H", read(name + ".vtf"), 16)[0] == 2 ** (size - 1), "size")
        check_faces(name + ".vtf", place, 7, several)
        pictures = check_faces(name + ".hdr.vtf", place, 7, several)
        check(max(max(p) for f in pictures for p in f) > 1, "light beyond white")
    check(all(several), f"the turn of faces is not proven: {several}")
    for ending in (".vtf", ".hdr.vtf"):
        data = read(os.path.join(files, "cubemapdefault" + ending))
        check(struct.unpack_from("<I", data, 20)[0] == 0x400C, "flags")
    s.run("brushwork", "verify", bsp).expect(0)


def shiny_ceiling(s, folder, base, keys):
    """The ceiling becomes a black mirror."""
    s.run("brushwork", "vtf", png(s, folder, "black", (0, 0, 0)), "-o",
          os.path.join(base, "materials", "room", "black.vtf")).expect(0)
    write(os.path.join(base, "materials", "room", "pz.vmt"),
          f'LightmappedGeneric\n{{\n$basetexture room/black\n$envmap env_cubemap\n{keys}\n}}\n')


def check_ceiling(path, faces, place, seen_in_it, boxed=False):
    """What each pixel of the face above shows, whose directions are mirrored: reflections have no parallax
    unless there is a box of the room's walls, with which they are those of a mirror."""
    size, pictures = faces_of(path, faces)
    right, down, ahead = FACES[4]
    compared = set()
    for i in range(size * size):
        s, t = 2 * (i % size + 0.5) / size - 1, 2 * (i // size + 0.5) / size - 1
        direction = [a + s * r + t * d for a, r, d in zip(ahead, right, down)]
        wall, _ = wall_at(place, direction)
        mirrored = direction[:2] + [-direction[2]]
        height = WALLS["pz"][1]
        other, margin = wall_at([p + d * (height - place[2]) / max(direction[2], 1e-9) for p, d in zip(place, direction)][:2] +
                                [height - 1e-6] if boxed else place, mirrored)
        if wall != "pz" or margin < 1 + 6 / size:
            continue
        found = pictures[4][i]
        if seen_in_it:
            check(hue(found) == tuple(c > 0 for c in WALLS[other][0]), f"{path} at {s:.2f} {t:.2f}: {found}, not {other}")
            compared.add(other)
        else:
            check(max(found) < 1e-3, f"{path} at {s:.2f} {t:.2f}: {found}")
    return compared


BOX = ('entity\n{\n"id" "400"\n"classname" "parallax_obb"\n"targetname" "walls"\nsolid\n{\n"id" "401"\n' +
       "".join(side(410 + 2 * k + u, [-160, -144, -80], [128, 112, 96], k, bool(u), "tools/toolstrigger") for k in range(3) for u in (0, 1)) +
       "}\n}\n")


@suite.case
def in_a_box_a_ceiling_mirrors_the_room(s, folder):
    place = (70, 60, 50)
    base = game(s, folder)
    shiny_ceiling(s, folder, base, "")
    text = room([(place, 6)], BOX).replace('"cubemapsize"', '"cubemapbounds" "walls"\n"cubemapsize"')
    bsp = os.path.join(folder, "room.bsp")
    s.run("brushwork", "build", write(os.path.join(folder, "room.vmf"), text), "-o", bsp, "--preset", "fast", "-game", base).expect(0)
    s.run("brushwork", "verify", bsp).expect(0)
    check("parallax_obb" not in s.run("brushwork", "unpack", bsp, "--entities", "-o", "-").expect(0).out.decode(), "the entity is written")
    _, files = made(s, folder, bsp, base, "--format", "bgra8888", "--passes", "2")
    seen = check_ceiling(os.path.join(files, "c{}_{}_{}.vtf".format(*place)), 7, place, True, boxed=True)
    check(len(seen) > 1, seen)


def picture(s, folder, bsp, base, *options):
    out = os.path.join(folder, "shot.png")
    s.run("brushwork", "render", bsp, "--game", base, "--from", "0 0 0 -60 0", "--size", "64x64", "-o", out, *options).expect(0)
    return read(out)


@suite.case
def later_passes_show_reflections(s, folder):
    place = (70, 60, 50)
    base = game(s, folder)
    shiny_ceiling(s, folder, base, "")
    source = write(os.path.join(folder, "room.vmf"), room([(place, 6)]))
    bsp = os.path.join(folder, "room.bsp")
    s.run("brushwork", "build", source, "-o", bsp, "--preset", "fast", "-game", base, "-both").expect(0)
    plain = picture(s, folder, bsp, base)
    for passes, seen in ((1, False), (2, True), (3, True)):
        _, files = made(s, folder, bsp, base, "--format", "bgra8888", "--passes", str(passes))
        name = os.path.join(files, "c{}_{}_{}".format(*place))
        for ending in (".vtf", ".hdr.vtf"):
            compared = check_ceiling(name + ending, 7, place, seen)
            check(not seen or len(compared) > 1, compared)
    check(picture(s, folder, bsp, base) != plain, "the picture has no reflections")
    check(picture(s, folder, bsp, base, "--no-reflections") == plain, "more than reflections is left out")


@suite.case
def threads_and_repetition_do_not_matter(s, folder):
    base = game(s, folder)
    shiny_ceiling(s, folder, base, "$envmaptint [.5 .5 .5]")
    bsp = os.path.join(folder, "room.bsp")
    source = write(os.path.join(folder, "room.vmf"), room([((70, 60, 50), 6), ((-70, 60, 50), 5)]))
    s.run("brushwork", "build", source, "-o", bsp, "--preset", "fast", "-game", base).expect(0)
    results = []
    for threads in ("1", "2", "7"):
        out = os.path.join(folder, f"out{threads}.bsp")
        s.run("brushwork", "cubemaps", bsp, "--game", base, "-threads", threads, "--passes", "2", "-o", out).expect(0)
        results.append(read(out))
    check(results[0] == results[1] == results[2], "threads")
    again = os.path.join(folder, "again.bsp")
    s.run("brushwork", "cubemaps", os.path.join(folder, "out1.bsp"), "--map", "room", "--game", base, "--passes", "2", "-o", again).expect(0)
    check(read(again) == results[0], "a second run")


@suite.case
def versions_are_those_of_the_branch(s, folder):
    base = game(s, folder)
    source = write(os.path.join(folder, "room.vmf"), room([((0, 8, 0), 3)]))
    for target, minor in (("css19", 2), ("source2007", 4), ("tf2", 4), ("l4d2", 4), ("portal2", 5), ("csgo", 5)):
        bsp = os.path.join(folder, "room.bsp")
        s.run("vbsp", source, "-o", bsp, "--target", target, "-game", base).expect(0)
        _, files = made(s, folder, bsp, base, "--format", "bgra8888")
        name = os.path.join(files, "c0_8_0.vtf")
        check(struct.unpack_from("<2I", read(name), 4) == (7, minor), target)
        check_faces(name, (0, 8, 0), 6 if minor == 5 else 7, [False] * 6)
        check(not os.path.exists(os.path.join(files, "c0_8_0.hdr.vtf")), "HDR of a map without")
        os.remove(name)


@suite.case
def faults_are_told(s, folder):
    base, bsp = compiled(s, folder, [((1000, 0, 0), 5), ((0, 0, 0), 5)])
    done, _ = made(s, folder, bsp, base)
    check(done.codes().count("R221") == 1, done)
    check(done.find("R221")["point"] == [1000, 0, 0], done.find("R221"))
    write(os.path.join(folder, "room.vmf"), room([]))
    s.run("vbsp", os.path.join(folder, "room.vmf"), "-o", bsp, "-game", base).expect(0)
    done, files = made(s, folder, bsp, base)
    check("R220" in done.codes() and os.path.exists(os.path.join(files, "cubemapdefault.vtf")), done)
    s.run("brushwork", "cubemaps", bsp, "--size", "24").expect(2)
    quake3 = os.path.join(folder, "q.bsp")
    s.run("vbsp", s.map("q3_box.map"), "-o", quake3).expect(0)
    check("B145" in s.run("brushwork", "cubemaps", quake3, "--json").expect(1).codes(), "a map of Quake 3")


@suite.case
def a_size_that_no_game_has(s, folder):
    base, bsp = compiled(s, folder, [((0, 0, 0), 5)])
    data = bytearray(read(bsp))
    start, length = struct.unpack_from("<2i", data, 8 + 16 * 42)
    check(length == 16, length)
    data[start + 12] = 200
    write(bsp, bytes(data))
    done, files = made(s, folder, bsp, base)
    check(done.codes().count("R222") == 1, done)
    check(struct.unpack_from("<H", read(os.path.join(files, "c0_0_0.vtf")), 16)[0] == 32, "size")


@suite.case
def default_ones_show_the_sky(s, folder):
    """Its HDR light, 8 at most in the compressed form, in what vbsp packs and in what is drawn; the rest shows its LDR light."""
    base = game(s, folder)
    materials = os.path.join(base, "materials", "skybox")
    os.makedirs(materials)
    for name, colour in (("ldr", (255, 0, 0)), ("hdr", (0, 255, 0))):
        s.run("brushwork", "vtf", png(s, folder, name, colour), "-o", os.path.join(materials, name + ".vtf"), "--format", "bgra8888").expect(0)
    for side in ("rt", "lf", "bk", "ft", "up", "dn"):
        write(os.path.join(materials, f"room{side}.vmt"), "Sky\n{\n$basetexture skybox/ldr\n$hdrcompressedtexture skybox/hdr\n}\n")
    source, bsp = write(os.path.join(folder, "room.vmf"), room([((0, 8, 0), 3)])), os.path.join(folder, "room.bsp")
    out = os.path.join(folder, "out")
    s.run("brushwork", "build", source, "-o", bsp, "--preset", "fast", "-game", base, "-both", "-defaultcubemapres", "16").expect(0)
    s.run("brushwork", "unpack", bsp, "--to", out, "--force").expect(0)
    name = os.path.join(out, "materials", "maps", "room", "cubemapdefault")
    size, pictures = faces_of(name + ".hdr.vtf", 7)
    check(size == 16 and all(abs(p[1] - 8) < 0.01 and p[0] == 0 for f in pictures[:6] for p in f), pictures[0][0])
    shot = picture(s, folder, bsp, base)
    check(shot == picture(s, folder, bsp, base, "--no-reflections"), "placeholders are reflected")
    made(s, folder, bsp, base, "--format", "bgra8888")
    _, pictures = faces_of(name + ".hdr.vtf", 7)
    check(all(abs(p[1] - 8) < 0.01 for f in pictures[:6] for p in f), pictures[0][0])
    _, pictures = faces_of(name + ".vtf", 7)
    check(all(p == (255, 0, 0) for f in pictures[:6] for p in f), pictures[0][0])
    s.run("vbsp", source, "-o", bsp, "-defaultcubemapres", "24").expect(2)


def brightness(path, folder, s):
    """Levels of the faces, of any format, by brushwork vtf: 8 by 8 means of each."""
    tga = os.path.join(folder, "faces.tga")
    s.run("brushwork", "vtf", path, "-o", tga).expect(0)
    data = read(tga)
    width, height = struct.unpack_from("<2H", data, 12)
    check(data[16] == 32, "TGA")
    faces = []
    for face in range(6):
        cells = [0.0] * 64
        for y in range(height):
            for x in range(height):
                at = 18 + 4 * ((height - 1 - y) * width + face * height + x)
                cells[8 * (8 * y // height) + 8 * x // height] += sum(data[at:at + 3])
        faces.append(cells)
    return faces


def correlation(a, b):
    n = len(a)
    ma, mb = sum(a) / n, sum(b) / n
    va, vb = sum((x - ma) ** 2 for x in a), sum((y - mb) ** 2 for y in b)
    return sum((x - ma) * (y - mb) for x, y in zip(a, b)) / max((va * vb) ** 0.5, 1e-9)


def turned(cells, times, mirrored):
    rows = [cells[8 * i:8 * i + 8] for i in range(8)]
    if mirrored:
        rows = [row[::-1] for row in rows]
    for _ in range(times):
        rows = [list(row) for row in zip(*rows[::-1])]
    return [value for row in rows for value in row]


def black_sky(s, folder):
    """A folder with the sky of the map below: black, without its stars."""
    materials = os.path.join(folder, "sky", "materials", "skybox")
    os.makedirs(materials)
    s.run("brushwork", "vtf", png(s, folder, "black", (0, 0, 0)), "-o", os.path.join(materials, "black.vtf")).expect(0)
    for side_name in ("rt", "lf", "bk", "ft", "up", "dn"):
        write(os.path.join(materials, f"sky_rico_space_02{side_name}.vmt"), "UnlitGeneric\n{\n$basetexture skybox/black\n}\n")
    return os.path.join(folder, "sky")


@suite.case
def places_are_those_of_a_game(s, folder):
    """Cubemaps that a game has drawn of a map whose textures are not here: mean colours in their place tell
    little of single faces, but in all cubemaps together, of all faces of ours in all turns, each fits the one in its place best."""
    bsp = s.corpus("vmf", "s04_rc_pyramid", "rc_pyramid.bsp")
    out, roots = os.path.join(folder, "out.bsp"), [os.path.join(folder, name) for name in ("theirs", "ours")]
    s.run("brushwork", "cubemaps", bsp, "-insert_search_path", s.corpus("assets", "ricochet_game"), "-insert_search_path",
          black_sky(s, folder), "-o", out, "--samples", "4").expect(0)
    for path, target in zip((bsp, out), roots):
        s.run("brushwork", "unpack", path, "--to", target, "--cubemaps").expect(0)
    below = os.path.join("materials", "maps", "rc_pyramid")
    names = sorted(os.listdir(os.path.join(roots[0], below)))
    if not names:
        raise Skip("no cubemaps")
    pairs = [[brightness(os.path.join(root, below, name), folder, s) for root in roots] for name in names]
    for wanted in range(6):
        scores = []
        for face in range(6):
            for times in range(4):
                for mirrored in (False, True):
                    theirs = [v for a, _ in pairs for v in a[wanted]]
                    ours = [v for _, b in pairs for v in turned(b[face], times, mirrored)]
                    scores.append((correlation(theirs, ours), face, times, mirrored))
        scores.sort(reverse=True)
        print(f"    face {wanted}:", [(round(score, 3), *rest) for score, *rest in scores[:3]])
        check(scores[0][1:] == (wanted, 0, False), scores[:4])


suite.main()
