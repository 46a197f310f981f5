#!/usr/bin/env python3
"""brushwork render: pictures of whole maps, output paths, and errors."""
import os
import struct

from e2e import Suite, check, read, write
from pictures import mean, pixels, spread

suite = Suite()


def compiled(s, folder, name):
    path = os.path.join(folder, name + ".bsp")
    s.run("brushwork", "build", s.map(name + ".vmf"), "-o", path, "--preset", "fast").expect(0)
    return path


@suite.case
def the_atrium_shows_its_lights(s, folder):
    """The red light on its wall, the blue ones below the gallery, the sun through the window."""
    path, shot = compiled(s, folder, "atrium"), os.path.join(folder, "shot.png")
    s.run("brushwork", "render", path, "-o", shot, "--size", "160x90", "--samples", "4", "--from",
          "740 140 200 12 35").expect(0)
    width, height, rows = pixels(read(shot))
    check((width, height) == (160, 90), (width, height))
    lamp, gallery = mean(rows, 144, 38, 150, 44), mean(rows, 4, 34, 24, 44)
    sun, corner = mean(rows, 66, 78, 86, 86), mean(rows, 10, 2, 30, 12)
    check(lamp[0] > 150 and lamp[0] > 2 * lamp[1], lamp)
    check(gallery[2] > 60 and gallery[2] > 2 * gallery[0], gallery)
    check(min(sun) > 60 and max(sun) - min(sun) < 40, sun)
    check(max(corner) < 40, corner)


@suite.case
def viewpoints_and_names_of_pictures(s, folder):
    path = compiled(s, folder, "box")
    s.run("brushwork", "render", path[:-4], "--size", "32x16").expect(0)
    first = read(os.path.join(folder, "box.png"))
    check(pixels(first)[:2] == (32, 16), "its size")
    out = s.run("brushwork", "render", path, "--size", "32x16", "-o", "-").expect(0).out
    check(out == first, "standard output")
    out = s.run("brushwork", "render", "-", "--size", "32x16", stdin=read(path)).expect(0).out
    check(out == first, "standard input")
    shot = os.path.join(folder, "shot.png")
    s.run("brushwork", "render", path, "--size", "32x16", "-o", shot, "--from", "0 0 64 0 0",
          "--from", "0 0 64 0 180").expect(0)
    check(not os.path.exists(shot), "a third picture")
    for number in (1, 2):
        pixels(read(os.path.join(folder, f"shot_{number}.png")))


@suite.case
def threads_make_no_difference(s, folder):
    path = compiled(s, folder, "displacements")
    pictures = {s.run("brushwork", "render", path, "--size", "96x54", "--samples", "3", "-o", "-",
                      "--threads", threads).expect(0).out for threads in (1, 2, 7)}
    check(len(pictures) == 1, "the pictures differ")


@suite.case
def lightmap_only(s, folder):
    path = compiled(s, folder, "box")
    options = ("--size", "32x18", "-o", "-", "--from", "0 0 64 0 0")
    _, _, plain = pixels(s.run("brushwork", "render", path, *options).expect(0).out)
    _, _, light = pixels(s.run("brushwork", "render", path, *options,
                               "--lightmap-only").expect(0).out)
    _, _, dark = pixels(s.run("brushwork", "render", path, *options, "--lightmap-only",
                              "--exposure", "0.1").expect(0).out)
    check(mean(light, 0, 0, 32, 18) > mean(plain, 0, 0, 32, 18), "colour without a texture")
    check(max(mean(dark, 0, 0, 32, 18)) < 0.5 * max(mean(light, 0, 0, 32, 18)), "the exposure")


@suite.case
def errors_are_reported(s, folder):
    path, shot = compiled(s, folder, "box"), write(os.path.join(folder, "shot.png"), "old")
    bad = write(os.path.join(folder, "bad.bsp"), "no map at all")
    cut = write(os.path.join(folder, "cut.bsp"), read(path)[:3000])
    cases = [
        ("C001", 1, [os.path.join(folder, "none.bsp")]),
        ("B001", 1, [bad]),
        (None, 1, [cut]),
        ("C002", 1, [path, "-o", os.path.join(bad, "shot.png")]),
        ("T001", 2, [path, "--from", "here"]),
        ("T001", 2, [path, "--from", "1 2"]),
        ("T001", 2, [path, "--size", "640"]),
        ("T001", 2, [path, "--size", "0x640"]),
        ("T001", 2, [path, "--size", "640x100000"]),
        ("T001", 2, [path, "--samples", "0"]),
        ("T001", 2, [path, "--fov", "180"]),
        ("T001", 2, [path, "-o", "-", "--from", "0 0 0", "--from", "1 1 1"]),
        ("T001", 2, []),
    ]
    for code, status, arguments in cases:
        out = [] if "-o" in arguments else ["-o", shot]
        done = s.run("brushwork", "render", *arguments, *out, "--json").expect(status)
        check(code is None or code in done.codes(), done)
        check(not done.out.startswith(b"\x89PNG"), "a picture")
    check(read(shot) == b"old", "the older picture")


@suite.case
def without_a_spawn_the_view_is_into_the_open(s, folder):
    """The same for any number of threads; not the inside of a solid, which is of one colour."""
    text = read(s.map("atrium.vmf")).replace(b"info_player_start", b"info_target")
    source, path = write(os.path.join(folder, "map.vmf"), text), os.path.join(folder, "map.bsp")
    s.run("brushwork", "build", source, "--preset", "fast").expect(0)
    pictures = {s.run("brushwork", "render", path, "-o", "-", "--size", "64x36", "--samples", "1",
                      "--threads", threads).expect(0).out for threads in (1, 3)}
    check(len(pictures) == 1, "the pictures differ")
    check(spread(pixels(pictures.pop())[2]) > 80, "the picture is plain")


@suite.case
def maps_of_quake3_without_a_game_are_grey(s, folder):
    """What the compiler does about a missing shader is of no use for a picture."""
    path = os.path.join(folder, "box.bsp")
    s.run("vbsp", s.map("q3_box.map"), "-o", path)
    done = s.run("brushwork", "render", path, "--from", "0 0 64", "--size", "8x8", "--json")
    codes = done.expect(0).codes()
    check("P007" in codes and not {"A030", "P004"} & set(codes), done)


@suite.case
def layers_of_a_sky_do_not_coincide(s, folder):
    """They scroll from the same place: black and white bars that are one at the start of the game are not where a picture is
    taken, unless it is asked for that."""
    game, path = os.path.join(folder, "game"), os.path.join(folder, "box.bsp")
    for sub in ("scripts", "textures"):
        os.makedirs(os.path.join(game, "baseq3", sub))
    stage = "{ map textures/bars.tga\nblendFunc add\ntcMod scroll %s 0 }\n"
    write(os.path.join(game, "baseq3", "scripts", "sky.shader"),
          "textures/base_wall/basewall01\n{\nsurfaceparm sky\nsurfaceparm nolightmap\nskyparms - 512 -\n"
          + stage % "0.05" + stage % "0.1" + "}\n")
    bars = b"".join(bytes([100 * (x // 8 % 2)] * 3) for _ in range(32) for x in range(32))
    write(os.path.join(game, "baseq3", "textures", "bars.tga"), struct.pack("<3B5x2H2H2B", 0, 0, 2, 0, 0, 32, 32, 24, 0) + bars)
    s.run("vbsp", "-fs_basepath", game, s.map("q3_box.map"), "-o", path).expect(0)
    seen = {}
    for at in (None, "0", "7"):
        options = ["--time", at] if at else []
        done = s.run("brushwork", "render", path, "-fs_basepath", game, "--from", "0 0 64 -40 20", "--size", "64x48", "-o", "-", *options)
        seen[at] = {bytes(row[x:x + 3]) for row in pixels(done.expect(0).out)[2] for x in range(0, len(row), 3)}
    check(seen[None] == seen["7"] != seen["0"], "the moment of a picture")
    check(len(seen["0"]) < len(seen["7"]), "the bars of both layers are seen")


@suite.case
def real_maps_are_drawn(s, folder):
    """Draws every supported map of the corpus; lit ones are neither black nor white."""
    drawn, shot = 0, os.path.join(folder, "shot.png")
    for part in ("vmf", "vbsp", "refs", "ibsp"):
        for base, _, names in os.walk(s.corpus(part)):
            for name in sorted(n for n in names if n.endswith(".bsp")):
                done = s.run("brushwork", "render", os.path.join(base, name), "--size", "64x36",
                             "--samples", "1", "-o", shot, "--json")
                if done.status == 0:
                    drawn += 1
                    pixels(read(shot))
                else:
                    check({"B001", "B002", "B003", "P001", "P002"} & set(done.codes()), done)
    check(drawn >= 20, f"{drawn} maps only")


suite.main()
