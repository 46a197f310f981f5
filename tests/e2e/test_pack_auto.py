#!/usr/bin/env python3
"""brushwork pack --auto: six game folders with references of every kind, against lists by hand; what is packed
before stays; the same bytes twice; --stock; damaged files; build --pack."""
import json
import os
import shutil

import corpus_pairs
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


def packed(s, path, folder):
    """The packed files, by name."""
    shutil.rmtree(folder, ignore_errors=True)
    s.run("brushwork", "unpack", path, "--to", folder).expect(0)
    return {os.path.relpath(os.path.join(base, name), folder): read(os.path.join(base, name))
            for base, _, found in os.walk(folder) for name in found}


@suite.case
def needless_files_are_pruned(s, folder):
    """What nothing uses and copies of the game's go; cubemaps, changed files of the game and all that is used stay."""
    case = game_folders.NAMED
    path = map_of(s, folder, case.entities)
    game = game_folders.make(folder, case)
    base = os.path.join(folder, "base")
    game_folders.put(base, {"cfg/map.cfg": "echo stock", "maps/map.nav": "stock"})
    stock = ("-game", game, "--stock", base)
    own = write(os.path.join(folder, "c1_2_3.vtf"), "cube")
    copy, other = write(os.path.join(folder, "copy"), "echo stock"), write(os.path.join(folder, "other"), "other")
    s.run("brushwork", "pack", path, "--add", copy, "cfg/map.cfg", "--add", other, "maps/map.nav", "--add", other, "Never/Used.txt",
          "--add", own, "materials/maps/map/c1_2_3.vtf", "--add", own, "materials/maps/renamed/c1_2_3.vtf").expect(0)
    before = packed(s, path, os.path.join(folder, "before"))
    found = without_faces(files(s, path, *stock, "--prune"))
    difference("to remove", names(found, "remove"), {"cfg/map.cfg", "never/used.txt"})
    check(found["maps/map.nav"]["status"] == "packed" and "in the place of the game's" in found["maps/map.nav"]["reason"], found["maps/map.nav"])
    check(found["cfg/map.cfg"]["reason"].endswith("(the game has it)"), found["cfg/map.cfg"])
    check(packed(s, path, os.path.join(folder, "dry")) == before, "a dry run writes")
    done = s.run("brushwork", "pack", path, "--auto", "--prune", *stock, "--json", "-o", path + ".1").expect(0)
    told = [d["message"] for d in done.diagnostics if d["code"] == "A073"]
    check(told == ["materials/maps/renamed/c1_2_3.vtf"], told)
    after = packed(s, path + ".1", os.path.join(folder, "after"))
    check(set(before) - set(after) == {"cfg/map.cfg", "Never/Used.txt"}, set(before) ^ set(after))
    check(all(after[name] == data for name, data in before.items() if name in after), "a file has other bytes")
    s.run("brushwork", "pack", path + ".1", "--auto", "--prune", *stock, "--map", "map", "-o", path + ".2").expect(0)
    check(read(path + ".2") == read(path + ".1"), "a second run changes the map")
    text = s.run("brushwork", "pack", path, "--auto", "--prune", "--dry-run", *stock).expect(0).out.decode()
    check("remove    never/used.txt" in text and "removed 2, " in text, text)
    s.run("brushwork", "pack", path, "--prune", "--store").expect(2)


@suite.case
def names_alone_prune_nothing_that_is_used(s, folder):
    """A list says what the game has, not with which bytes."""
    case = game_folders.NAMED
    path = map_of(s, folder, case.entities)
    game = game_folders.make(folder, case)
    listed = write(os.path.join(folder, "list.txt"), "cfg/map.cfg\n")
    s.run("brushwork", "pack", path, "--add", listed, "cfg/map.cfg", "--add", listed, "never/used.txt").expect(0)
    found = files(s, path, "-game", game, "--stock", listed, "--prune")
    difference("to remove", names(found, "remove"), {"never/used.txt"})
    check(found["cfg/map.cfg"]["status"] == "needless", found["cfg/map.cfg"])


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


@suite.case
def pakfiles_of_real_maps(s, folder):
    """Each file that the tools of other people have packed is one that the map names or the engine's, with no content at
    hand; and materials that are whole by themselves, or patches of ones that are not there, say what they name."""
    game = os.path.join(folder, "game")
    game_folders.put(game, {"gameinfo.txt": game_folders.GAMEINFO})
    paths = [s.corpus("vbsp", name) for name in ("de_croute4.bsp", "fy_pool_day.bsp", "shack.360.bsp")]
    paths += [corpus_pairs.stem(s, pair) + ".bsp" for pair in ("l01", "l02", "m01", "m02", "m03", "s01", "s03", "s04")]
    patches = 0
    for path in paths:
        inside = s.run("brushwork", "bspzip", "-dir", path).expect(0).out.decode().split("\n")
        of_map = next(name.split("/")[2] for name in inside if name.startswith("materials/maps/"))
        found = files(s, path, "-game", game, "--map", of_map)
        check(not names(found, "needless"), f"{path}: {names(found, 'needless')}")
        check(not {name for name in found if "translate" in name}, f"{path}: a matrix is a texture")
        patches += len({name for name, f in found.items() if f.get("from", "").startswith("materials/maps/")})
    check(patches > 40, f"patched materials name {patches} files")


suite.main()
