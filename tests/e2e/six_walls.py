"""A room of six colours, and the game folder with its textures."""
import os

from e2e import write

# The walls by the direction in which they are, their colours and where they stand.
WALLS = {"px": ((255, 0, 0), 128), "nx": ((0, 255, 0), -160), "py": ((0, 0, 255), 112), "ny": ((255, 255, 0), -144),
         "pz": ((255, 0, 255), 96), "nz": ((0, 255, 255), -80)}
THICK = 16


def side(number, low, high, axis, up, material):
    """The plane of a box at its higher or lower end."""
    u, v = [i for i in range(3) if i != axis]
    at = (high if up else low)[axis]

    def point(a, b):
        p = [0, 0, 0]
        p[axis], p[u], p[v] = at, a, b
        return "(" + " ".join(map(str, p)) + ")"
    corners = [point(0, 0), point(0, 1), point(1, 0)]
    if up == (axis == 1):
        corners[1], corners[2] = corners[2], corners[1]
    axes = ["".join(f"{int(i == k)} " for i in range(3)) + "0" for k in (u, v)]
    return (f'side\n{{\n"id" "{number}"\n"plane" "{" ".join(corners)}"\n"material" "{material}"\n"uaxis" "[{axes[0]}] 0.25"\n'
            f'"vaxis" "[{axes[1]}] 0.25"\n"rotation" "0"\n"lightmapscale" "16"\n"smoothing_groups" "0"\n}}\n')


def room(cubemaps, more=""):
    """A closed room of six slabs, one a wall."""
    text, number = 'world\n{\n"id" "1"\n"classname" "worldspawn"\n"skyname" "room"\n', 10
    low, high = [-160, -144, -80], [128, 112, 96]
    for name, (_, at) in WALLS.items():
        axis, up = "xyz".index(name[1]), name[0] == "p"
        a, b = [v - THICK for v in low], [v + THICK for v in high]
        (a if up else b)[axis] = at
        text += f'solid\n{{\n"id" "{number}"\n' + "".join(
            side(number + 1 + 2 * k + u, a, b, k, bool(u), f"room/{name}") for k in range(3) for u in (0, 1)) + "}\n"
        number += 10
    text += "}\n"
    for i, (place, size) in enumerate(cubemaps):
        text += (f'entity\n{{\n"id" "{200 + i}"\n"classname" "env_cubemap"\n"origin" "{" ".join(map(str, place))}"\n'
                 f'"cubemapsize" "{size}"\n}}\n')
    return text + ('entity\n{\n"id" "300"\n"classname" "light"\n"origin" "0 0 0"\n"_light" "255 255 255 900"\n'
                   '"_lightHDR" "255 255 255 4000"\n"_lightscaleHDR" "1"\n}\n' + more)


def png(s, folder, name, colour):
    """An image of one colour: TGA is the simplest to write."""
    r, g, b = colour
    head = bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 16, 0, 24, 0])
    return write(os.path.join(folder, name + ".tga"), head + bytes([b, g, r]) * 256)


def game(s, folder):
    """A game folder, whose textures brushwork vtf makes."""
    base = os.path.join(folder, "game")
    materials = os.path.join(base, "materials", "room")
    os.makedirs(materials)
    write(os.path.join(base, "gameinfo.txt"),
          '"GameInfo"\n{\nFileSystem\n{\nSearchPaths\n{\nGame |gameinfo_path|.\n}\n}\n}\n')
    for name, (colour, _) in WALLS.items():
        s.run("brushwork", "vtf", png(s, folder, name, colour), "-o", os.path.join(materials, name + ".vtf")).expect(0)
        write(os.path.join(materials, name + ".vmt"), f'LightmappedGeneric\n{{\n$basetexture "room/{name}"\n}}\n')
    return base
