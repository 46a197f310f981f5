#!/usr/bin/env python3
"""Light options of q3map2 on the command line of vrad: what is taken, and what each changes."""
import os

from e2e import Suite, check, read, write
from ibsp_portals import lump

suite = Suite()

ENTITIES, VERTICES, PAGES, GRID = 0, 10, 14, 15
LIT = {"pages": PAGES, "vertices": VERTICES, "grid": GRID}
ALL, SURFACES = {"pages", "vertices", "grid"}, {"pages", "vertices"}

# Options, and what they change of a room with two point lights, a spotlight and a glowing patch.
CHANGES = [
    ("-gamma 1.5", ALL), ("-exposure 100", ALL), ("-compensate 2", ALL), ("-brightness 2", {"pages"}),
    ("-contrast 50", ALL), ("-saturation 0.5", ALL), ("-sRGBlight", ALL), ("-sRGBcolor", ALL),
    ("-sRGB", ALL), ("-sRGB -nosRGB", set()), ("-sRGBlight -nosRGBlight", set()),
    ("-sRGBcolor -nosRGBcolor", set()), ("-sRGBtex -nosRGBtex", set()),
    ("-point 2", ALL), ("-pointscale 2", ALL), ("-spherical 2", ALL), ("-sphericalscale 2", ALL),
    ("-spot 2", ALL), ("-spotscale 2", ALL), ("-area 2", ALL), ("-areascale 2", ALL),
    ("-sky 2", set()), ("-skyscale 2", set()), ("-scale 2", ALL), ("-backsplash 3 30", ALL),
    ("-backsplash 1 -1", set()), ("-vertexscale 2", {"vertices"}), ("-gridscale 2", {"grid"}),
    ("-gridambientscale 2", {"grid"}), ("-griddirectionality 0.5", {"grid"}),
    ("-gridambientdirectionality 0", {"grid"}), ("-samplesize 8", ALL),
    ("-minsamplesize 32", ALL), ("-samplescale 2", ALL), ("-super 2", SURFACES),
    ("-supersample 2", SURFACES), ("-filter", SURFACES), ("-faster", ALL),
    ("-bouncegrid", {"grid"}), ("-bouncescale 2", SURFACES), ("-bouncecolorratio 0", SURFACES),
    ("-bounceonly", SURFACES), ("-fastbounce", SURFACES), ("-dirty", SURFACES),
    ("-dirtdepth 64", set()), ("-dirty -dirtdepth 64 -dirtscale 2 -dirtgain 2 -dirtmode 1", SURFACES),
    ("-wolf", ALL), ("-wolf -q3", set()), ("-lightanglehl 1", SURFACES), ("-sunonly", ALL),
    ("-nostyle", set()), ("-nostyles -styles", set()), ("-nolm -point 2", {"vertices", "grid"}),
    ("-nogrid -point 2", SURFACES),
    ("-novertex -point 2", ALL), ("-novertex 0.5", {"vertices"}), ("-deluxemode 1", set()),
    ("-deluxe -deluxemode 1", SURFACES), ("-lightmapdir other", set()),
    ("-notrace -nosurf", SURFACES), ("-deluxe", SURFACES), ("-deluxemap -nodeluxe", set()),
    ("-floodlight", ALL), ("-lowquality", set()), ("-floodlight -lowquality", ALL), ("--physical", ALL),
    ("-shade -onesky", set()), ("-thresh 0.5", None), ("-cpma", None),
]

SHADER = """
textures/base_wall/basewall01
{
    q3map_surfacelight 50
    q3map_lightRGB 1 0.5 0.25
    {
        map $lightmap
    }
}
"""


def room(s, folder):
    """The file without its light, and the options for its game."""
    scripts = os.path.join(folder, "game", "baseq3", "scripts")
    os.makedirs(scripts)
    write(os.path.join(scripts, "walls.shader"), SHADER)
    images = os.path.join(folder, "game", "baseq3", "textures", "base_wall")
    os.makedirs(images)
    with open(os.path.join(images, "basewall01.tga"), "wb") as file:  # a single white pixel
        file.write(bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0, 255, 255, 255]))
    game = ("-game", os.path.join(folder, "game"))
    bsp = os.path.join(folder, "room.bsp")
    s.run("vbsp", *game, "-keeplights", "-o", bsp, s.map("q3_lights.map")).expect(0)
    s.run("vvis", bsp).expect(0)
    s.run("vrad", *game, bsp).expect(0)
    return bsp, game


@suite.case
def each_option_changes_its_own_light(s, folder):
    bsp, game = room(s, folder)
    out, plain, wrong = os.path.join(folder, "out.bsp"), read(bsp), []
    for options, changes in CHANGES:
        run = s.run("vrad", *game, "-o", out, bsp, *options.split(), "--json")
        run.expect(0)
        data = read(out)
        changed = {name for name, at in LIT.items() if lump(data, at) != lump(plain, at)}
        if changed != (changes or set()):
            wrong.append("%s changes %s" % (options, sorted(changed)))
        if ("T003" in run.codes()) != (changes is None):
            wrong.append("%s: %s" % (options, run.codes()))
    check(not wrong, "\n".join(wrong))


@suite.case
def keys_of_the_world_make_dirt(s, folder):
    """The command line has precedence."""
    bsp, game = room(s, folder)
    out, by_key = os.path.join(folder, "out.bsp"), os.path.join(folder, "key.bsp")
    source = read(s.map("q3_lights.map")).replace(
        b'"classname" "worldspawn"', b'"classname" "worldspawn"\n"_dirty" "1"\n"_dirtScale" "0.5"')
    path = os.path.join(folder, "key.map")
    with open(path, "wb") as file:
        file.write(source)
    s.run("vbsp", *game, "-keeplights", "-o", by_key, path).expect(0)
    s.run("vvis", by_key).expect(0)
    for more, same in (((), ("-dirtscale", "0.5")), (("-dirtscale", "1"), ())):
        s.run("vrad", *game, "-o", out, bsp, "-dirty", *same).expect(0)
        wanted = lump(read(out), PAGES)
        s.run("vrad", *game, "-o", out, by_key, *more).expect(0)
        check(lump(read(out), PAGES) == wanted, more)


@suite.case
def maps_for_source_are_told(s, folder):
    bsp = os.path.join(folder, "box.bsp")
    s.run("vbsp", "-o", bsp, s.map("box.vmf")).expect(0)
    for option in ("-dirty", "-filter", "-exposure=100", "-gridscale=2"):
        told = s.run("vrad", "-o", os.path.join(folder, "out.bsp"), bsp, option, "--json")
        told.expect(0)
        check(told.codes().count("R063") == 1, "%s: %s" % (option, told.codes()))


suite.main()
