#!/usr/bin/env python3
"""brushwork pack --auto: six game folders with references of every kind, against lists by hand; what is packed
before stays; the same bytes twice; --stock; damaged files; build --pack."""
import json
import os
import shutil

import game_folders
from e2e import Suite, check, read, write

suite = Suite()


def map_of(s, folder, entities):
    """A map without content of its own but entities."""
    path = os.path.join(folder, "map.bsp")
    shutil.copyfile(os.path.join(s.options.source, "tests", "fuzz", "seeds", "bsp", "portal.bsp"), path)
    text = write(os.path.join(folder, "entities.txt"), entities)
    s.run("brushwork", "pack", path, "--entities", text).expect(0)
    return path


def files(s, path, *options):
    done = s.run("brushwork", "pack", path, "--auto", "--dry-run", "--json", *options).expect(0)
    return {f["name"]: f for f in json.loads(done.out)["files"]}


def names(found, status):
    return {n for n, f in found.items() if f["status"] == status}


def without_faces(found):
    """Materials of the seed's faces are the same in all cases, and in no folder."""
    return {n: f for n, f in found.items() if not f["reason"].startswith(("face", "side of a brush"))}


def difference(what, got, wanted):
    check(got == wanted, f"{what}: not expected {sorted(got - wanted)}, not found {sorted(wanted - got)}")


def of_folder(case):
    def run(s, folder):
        path = map_of(s, folder, case.entities)
        game = game_folders.make(folder, case)
        found = without_faces(files(s, path, "-game", game))
        difference("added", names(found, "add"), case.add)
        difference("missing", names(found, "missing"), case.missing)
        before = read(path)
        s.run("brushwork", "pack", path, "--auto", "-game", game, "-o", path + ".1").expect(0)
        s.run("brushwork", "pack", path, "--auto", "-game", game, "-o", path + ".2").expect(0)
        check(read(path) == before, "the map is changed")
        check(read(path + ".1") == read(path + ".2"), "two runs differ")
        again = without_faces(files(s, path + ".1", "-game", game, "--map", "map"))
        difference("added again", names(again, "add"), set())
        check(case.add <= names(again, "packed"), "something that was packed is not used")
    return run


for title, one in game_folders.CASES.items():
    suite.add(title, of_folder(one))


@suite.case
def stock_is_named(s, folder):
    """A folder and a list with --stock are the game's; a packed file that is in them is needless."""
    path = map_of(s, folder, game_folders.NAMED.entities)
    game = game_folders.make(folder, game_folders.NAMED)
    listed = write(os.path.join(folder, "list.txt"), "MAPS\\map.nav crc=0x1\r\ncfg/map.cfg\n")
    found = files(s, path, "-game", game, "--stock", listed)
    check({"maps/map.nav", "cfg/map.cfg"} <= names(found, "stock"), "the list is not stock")
    check(found["maps/map.nav"].get("hidden"), "a file in the place of the game's is not told")
    check(not names(files(s, path, "-game", game, "--stock", game), "add"), "the folder is not stock")
    s.run("brushwork", "pack", path, "--add", listed, "maps/map.nav", "--add", listed, "never/used.txt").expect(0)
    found = files(s, path, "-game", game, "--stock", listed)
    check({"maps/map.nav", "never/used.txt"} <= names(found, "needless"), "needless files are not told")
    check("cfg/map.cfg" not in names(found, "needless"), "a file that is not packed is needless")


@suite.case
def cubemaps_stay(s, folder):
    """Textures of cubemaps and light of props are the engine's, and keep their bytes."""
    path = map_of(s, folder, game_folders.SCRIPTS.entities)
    game = game_folders.make(folder, game_folders.SCRIPTS)
    cube = write(os.path.join(folder, "c0_0_0.vtf"), "cube")
    s.run("brushwork", "pack", path, "--cubemaps", folder, "--add", cube, "sp_0.vhv").expect(0)
    check(not {n for n in names(files(s, path, "-game", game), "needless") if "c0_0_0" in n or ".vhv" in n}, "needless")
    s.run("brushwork", "pack", path, "--auto", "-game", game).expect(0)
    out = os.path.join(folder, "out")
    s.run("brushwork", "unpack", path, "--to", out).expect(0)
    check(read(os.path.join(out, "materials/maps/map/c0_0_0.vtf")) == b"cube", "a cubemap is lost")


@suite.case
def damaged_files(s, folder):
    """Each damaged file is reported, and all others are packed."""
    case = game_folders.PARTICLES
    path = map_of(s, folder, case.entities + game_folders.entity("prop_dynamic", model="models/bad.mdl"))
    game = game_folders.make(folder, case)
    game_folders.put(game, {"particles/own.pcf": case.files["particles/own.pcf"][:-30], "models/bad.mdl": "IDST"})
    done = s.run("brushwork", "pack", path, "--auto", "--dry-run", "-game", game, "--diagnostics=json").expect(0)
    check(done.codes().count("A071") == 1, f"not one A071: {done}")
    check("A070" in done.codes(), "nothing is missing")


@suite.case
def build_packs(s, folder):
    """build --pack gives the bytes of build and pack --auto."""
    game = game_folders.make(folder, game_folders.NAMED)
    source = os.path.join(folder, "map.vmf")
    shutil.copyfile(s.map("box.vmf"), source)
    plain, packed = os.path.join(folder, "plain", "map.bsp"), os.path.join(folder, "packed", "map.bsp")
    for out, options in ((plain, ()), (packed, ("--pack",))):
        os.makedirs(os.path.dirname(out))
        s.run("brushwork", "build", source, "-game", game, "-o", out, "-fast", *options).expect(0)
    s.run("brushwork", "pack", plain, "--auto", "-game", game).expect(0)
    listed = [s.run("brushwork", "unpack", p, "--list").expect(0).out for p in (plain, packed)]
    check(b"maps/map.nav" in listed[1] and listed[0] == listed[1], f"other files: {listed}")
    s.run("brushwork", "build", source, "--pack", "-o", packed, "-fast").expect(2)


suite.main()
