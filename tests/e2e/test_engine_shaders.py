#!/usr/bin/env python3
"""Shaders that move, of a map made here: what `render` draws beside what the engine draws at the same moment."""
import os
import struct

import engine_client
import openarena
import pictures
from e2e import Suite, check, read, write

suite = Suite()

LIMIT = 4  # of 255: the mean difference of a view; one that turns the other way has 60

SHADERS = """
textures/moving/turned
{
    {
        map textures/moving/image.tga
        tcMod rotate 4
    }
}
textures/moving/turned_twice
{
    {
        map textures/moving/image.tga
        tcMod scale 0.5 0.5
        tcMod rotate -7
    }
}
textures/moving/moved
{
    deformVertexes move 0 0 40 sin 0 1 0 0.05
    {
        map textures/moving/image.tga
    }
}
textures/moving/waved
{
    deformVertexes wave 300 triangle 0 24 0.25 0.03
    {
        map textures/moving/image.tga
    }
}
textures/moving/plain
{
    {
        map textures/moving/grey.tga
    }
}
"""


def tga(pixel, side=128):
    """An image of a function of x and y, 0 to 1, with its lowest row first: the engine takes any for that."""
    rows = b"".join(bytes(pixel((x + 0.5) / side, (y + 0.5) / side)[::-1]) for y in reversed(range(side)) for x in range(side))
    return struct.pack("<3B5x2H2H2B", 0, 0, 2, 0, 0, side, side, 24, 0) + rows


def quarters(x, y):
    """Of four colours, so that each turn and shift is another picture."""
    return ((230, 40, 40), (40, 200, 60), (60, 80, 230), (230, 220, 60))[(x > 0.5) + 2 * (y > 0.5)]


def side(points, shader):
    return " ".join("( %g %g %g )" % tuple(p) for p in points) + f" moving/{shader} 0 0 0 1 1 0 0 0\n"


def box(low, high, shaders):
    """A brush; the shaders are of -x, x, -y, y, -z, z."""
    text = ""
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for far in (0, 1):
            corners = [[0, 0, 0] for _ in range(3)]
            for corner in corners:
                corner[axis] = (high if far else low)[axis]
            corners[2 if far else 1][u] = 64
            corners[1 if far else 2][v] = 64
            text += side(corners, shaders[2 * axis + far])
    return "{\n" + text + "}\n"


def source():
    """A room whose walls turn, with a board that moves and one that waves."""
    half, plain = 256, ["plain"] * 6
    walls = [((-half - 16, -half, 0), (-half, half, 256), "turned"), ((half, -half, 0), (half + 16, half, 256), "turned_twice"),
             ((-half, -half - 16, 0), (half, -half, 256), "plain"), ((-half, half, 0), (half, half + 16, 256), "plain"),
             ((-half, -half, -16), (half, half, 0), "plain"), ((-half, -half, 256), (half, half, 272), "plain"),
             ((-96, 100, 96), (-32, 116, 160), "moved"), ((32, 100, 64), (160, 116, 192), "waved")]
    brushes = "".join(box(low, high, [shader] * 6 if shader != "plain" else plain) for low, high, shader in walls)
    return ('{\n"classname" "worldspawn"\n' + brushes + '}\n{\n"classname" "info_player_deathmatch"\n"origin" "0 0 40"\n}\n'
            '{\n"classname" "light"\n"origin" "0 0 128"\n"light" "300"\n}\n')


def files(folder):
    """The game's folder with the map's content."""
    for name, data in (("scripts/moving.shader", SHADERS), ("textures/moving/image.tga", tga(quarters)),
                       ("textures/moving/grey.tga", tga(lambda x, y: (90, 90, 90), 8))):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, data)


@suite.case
def moving_shaders_look_as_in_the_engine(s, folder):
    engine_client.need()
    openarena.packs()
    home = os.path.join(folder, "home")
    game = os.path.join(home, "baseoa")
    files(game)
    os.makedirs(os.path.join(game, "maps"))
    bsp = os.path.join(game, "maps", "moving.bsp")
    content = ["-game", "quake3", "-fs_basepath", openarena.DATA, "-fs_basepath", home, "-fs_game", "baseoa"]
    s.run("brushwork", "build", write(os.path.join(folder, "moving.map"), source()), *content, "-fast", "-o", bsp).expect(0)
    found = {}
    with engine_client.Client("moving", home) as client:
        for yaw in (0, 180, 90):
            theirs, ours = (os.path.join(folder, f"{yaw}_{who}.png") for who in ("engine", "render"))
            x, y, z, seconds = client.picture((0, -100 if yaw == 90 else 0, 100), yaw, theirs)
            s.run("brushwork", "render", *content, "--size", f"{client.size[0]}x{client.size[1]}", "--samples", 8, "--exposure", 1,
                  "--time", seconds, "--from", f"{x} {y} {z} 0 {yaw}", "--out", ours, bsp).expect(0)
            a, b = (pictures.pixels(read(path)) for path in (theirs, ours))
            found[yaw] = pictures.mean_difference(a, b)
            print(f"yaw {yaw}: {found[yaw]:.2f} of 255")
    check(max(found.values()) <= LIMIT, f"too far from the engine: {found}")


if __name__ == "__main__":
    suite.main()
