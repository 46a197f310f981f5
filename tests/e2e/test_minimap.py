#!/usr/bin/env python3
"""brushwork render --minimap: the thickness of known brushes, seen from above."""
import os
import struct

from e2e import Suite, check, read, write

suite = Suite()


def box(mins, maxs, shader="base/wall"):
    lines = []
    for axis in range(3):
        for sign, at in ((-1, mins[axis]), (1, maxs[axis])):
            points = [[0, 0, 0] for _ in range(3)]
            for point in points:
                point[axis] = at
            points[0][(axis + 1) % 3] = sign
            points[2][(axis + 2) % 3] = 1
            lines.append(" ".join("( %d %d %d )" % tuple(p) for p in points) +
                         f" {shader} 0 0 0 1 1 0 0 0")
    return "{\n" + "\n".join(lines) + "\n}\n"


def compiled(s, folder):
    """A floor of 16 units, with a tower of 64 on it that stands 8 deep in the floor, under sky."""
    path = os.path.join(folder, "a.map")
    write(path, '{\n"classname" "worldspawn"\n' + box((0, 0, 0), (256, 256, 16)) +
          box((64, 128, 8), (128, 192, 80)) + box((0, 0, 144), (256, 256, 160), "skies/none_sky") +
          '}\n{\n"classname" "info_player_deathmatch"\n"origin" "32 32 40"\n}\n')
    scripts = os.path.join(folder, "baseq3", "scripts")
    os.makedirs(scripts, exist_ok=True)
    write(os.path.join(scripts, "a.shader"), "textures/skies/none_sky\n{\nsurfaceparm sky\n}\n")
    bsp = os.path.join(folder, "a.bsp")
    done = s.run("vbsp", "-o", bsp, path, "--game", os.path.join(folder, "baseq3"))
    check(done.status == 3, done)
    return bsp


def picture(path):
    """Size, bytes per pixel, and a function of the pixel at a column and a row from the top."""
    data = read(path)
    width, height = struct.unpack_from("<2H", data, 12)
    depth = data[16] // 8
    check(data[2] == (3 if depth == 1 else 2) and len(data) == 18 + width * height * depth, data[:18])

    def pixel(column, row):
        at = 18 + ((height - 1 - row) * width + column) * depth
        return tuple(data[at:at + depth])
    return width, depth, pixel


ALL = ("--minmax", 0, 0, 0, 256, 256, 160, "--border", 0, "--size", 64, "--no-autolevel")


@suite.case
def values_are_thickness(s, folder):
    bsp = compiled(s, folder)
    s.run("brushwork", "render", "--minimap", bsp, *ALL).expect(0)
    width, depth, pixel = picture(os.path.join(folder, "a_mini.tga"))
    check((width, depth) == (64, 1), (width, depth))
    for column in range(64):
        for row in range(64):
            x, y = 4 * column + 2, 256 - 4 * row - 2
            tower = 64 < x < 128 and 128 < y < 192
            wanted = round(255 * (80 if tower else 16) / 160)
            check(abs(pixel(column, row)[0] - wanted) <= 1, (x, y, pixel(column, row), wanted))


@suite.case
def values_are_changed_as_told(s, folder):
    bsp, out = compiled(s, folder), os.path.join(folder, "out.tga")
    low, high = 0.1, 0.5
    for options, change in (
            (("--boost", 3), lambda v: v * 3 / (2 * v + 1)),
            (("--contrast", -1, "--brightness", 1), lambda v: 1 - v),
            (("--minmax", 0, 0, 0, 256, 256, 80), lambda v: 2 * v)):
        s.run("brushwork", "render", "--minimap", bsp, "-o", out, *ALL, *options).expect(0)
        _, _, pixel = picture(out)
        for column, row, value in ((4, 60, low), (24, 24, high)):
            wanted = 255 * min(1, change(value))
            check(abs(pixel(column, row)[0] - wanted) <= 1.01, (options, pixel(column, row), wanted))
    s.run("brushwork", "render", "--minimap", bsp, "-o", out, *ALL[:-1]).expect(0)
    _, _, pixel = picture(out)
    check((pixel(4, 60), pixel(24, 24)) == ((0,), (255,)), "levels are not spread")
    s.run("brushwork", "render", "--minimap", bsp, "-o", out, *ALL, "--sharpen", 1).expect(0)
    _, _, sharp = picture(out)
    check(sharp(24, 31)[0] > 128 + 10 and sharp(4, 60)[0] == 26, "edges are not sharper")


@suite.case
def colours_and_aspect(s, folder):
    bsp, out = compiled(s, folder), os.path.join(folder, "out.tga")
    for option, colour in (("--black", 0), ("--white", 255)):
        s.run("brushwork", "render", "--minimap", bsp, "-o", out, *ALL, option).expect(0)
        _, depth, pixel = picture(out)
        check(depth == 4 and pixel(24, 24) == (colour, colour, colour, 128), pixel(24, 24))
    half = ("--minmax", 0, 0, 0, 256, 128, 160, "--border", 0, "--size", 64, "--no-autolevel")
    s.run("brushwork", "render", "--minimap", bsp, "-o", out, *half).expect(0)
    check(picture(out)[2](24, 10)[0] == 128, "the aspect is not kept")
    s.run("brushwork", "render", "--minimap", bsp, "-o", out, *half, "--no-keepaspect").expect(0)
    check(picture(out)[2](24, 10)[0] == 26, "the picture is not filled")
    s.run("brushwork", "render", "--minimap", bsp, "-o", out, *ALL, "--border", 0.25).expect(0)
    check(picture(out)[2](4, 4)[0] == 0 and picture(out)[2](28, 28)[0] == 128, "no border")


@suite.case
def threads_do_not_matter(s, folder):
    bsp = compiled(s, folder)
    found = {s.run("brushwork", "render", "--minimap", bsp, "-o", "-", "-threads", n).expect(0).out
             for n in (1, 3)}
    check(len(found) == 1, "other bytes")


@suite.case
def source_maps_too(s, folder):
    bsp = os.path.join(folder, "box.bsp")
    s.run("vbsp", "-o", bsp, s.map("box.vmf")).expect(0)
    s.run("brushwork", "render", "--minimap", bsp, "--size", 33).expect(0)
    _, _, pixel = picture(os.path.join(folder, "box_mini.tga"))
    check(pixel(16, 16)[0] < pixel(1, 16)[0] == 255, (pixel(16, 16), pixel(1, 16)))


@suite.case
def what_cannot_be_is_refused(s, folder):
    bsp = compiled(s, folder)
    for options in (("--size", "64x32"), ("--from", "0 0 0 0 0"), ("--black", "--white"),
                    ("--minmax", 0, 0, 0, 0, 1, 1), ("--border", 0.6)):
        check(s.run("brushwork", "render", "--minimap", bsp, *options).status == 2, options)


suite.main()
