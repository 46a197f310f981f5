"""Compiled maps in the real engine: Debian's ioquake3 server with OpenArena's game."""
import glob
import os
import zipfile

import openarena
from e2e import Skip, Suite, check, write

suite = Suite()

# Files that vbsp refuses.
REFUSED = ("q3_unclosed.map",)


def must_load(bsp, folder):
    loaded = openarena.load_in_server(bsp, folder)
    check(loaded.ok, f"{bsp} does not load:\n{loaded.log[-3000:]}")
    check(not loaded.complaints, f"{bsp}: {loaded.complaints}")


def compile_map(suite, source, folder, light=True):
    """The path of the BSP; without visibility when the map leaks."""
    openarena.packs()
    bsp = os.path.join(folder, os.path.basename(source)[:-4] + ".bsp")
    game = ("-game", "openarena")
    done = suite.run("vbsp", *game, "-o", bsp, source)
    check(done.status in (0, 3), str(done))
    if done.status == 0:
        suite.run("vvis", bsp).expect(0)
    if light:
        suite.run("vrad", *game, "-fast", bsp).expect(0)
    return bsp


@suite.case
def a_map_that_the_game_ships_loads(suite, folder):
    """So that a failure below is ours, not that of the set-up."""
    for pack in openarena.packs():
        with zipfile.ZipFile(pack) as archive:
            if "maps/oa_dm1.bsp" in archive.namelist():
                path = archive.extract("maps/oa_dm1.bsp", folder)
                must_load(path, folder)
                return
    raise Skip("no oa_dm1 in the packs")


@suite.case
def a_broken_map_does_not_load(suite, folder):
    """So that a test that passes says something."""
    path = write(os.path.join(folder, "broken.bsp"), b"IBSP" + bytes(140))
    check(not openarena.load_in_server(path, folder).ok, "it does not tell")


@suite.case
def our_maps_load(suite, folder):
    for source in sorted(glob.glob(suite.map("q3_*.map"))):
        if os.path.basename(source) not in REFUSED:
            must_load(compile_map(suite, source, folder), folder)


@suite.case
def maps_of_the_community_load(suite, folder):
    for source in openarena.map_sources(folder).values():
        must_load(compile_map(suite, source, folder, light=False), folder)


suite.main()
