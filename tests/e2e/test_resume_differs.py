#!/usr/bin/env python3
"""A run that was killed, and then one that is asked for something else with --resume: another source, an option, a file
that is read, a game, a program. It gives the bytes of a run that began without a checkpoint. By default a few pairs are
tried, which takes six seconds of CPU, for each is three runs; BRUSHWORK_LONG=1 tries 200 of them."""
import os
import re
import shutil
import struct
import subprocess
import sys

from e2e import Skip, Suite, check, read, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "fuzz"))
import mutate_scenes as scenes  # noqa: E402

suite = Suite()
LONG = os.environ.get("BRUSHWORK_LONG", "0") not in ("", "0")
PAIRS = 200 if LONG else 12
ENDINGS = (".bsp", ".prt", ".srf")
KILL = 9
# About the process and its messages; values of them need a place or a listener.
LEFT_OUT = {"o", "output", "resume", "checkpoint-every", "game", "vproject", "threads", "connect", "log", "low",
            "diagnostics-file", "sandbox", "cache", "j", "job", "trace", "fs_basepath", "fs_game", "fs_basegame",
            "max-time", "max-memory", "fail-if", "depfile", "depfile-sought", "md", "tempname"}
NUMBERS = ("1", "2", "0.5", "3", "8", "20", "64", "0", "128", "512")
FILES = {"rad": "more.rad", "tsv": "catalogue.tsv", "fgd": "game/game.fgd", "prt": "other.prt", "txt": "catalogue.tsv",
         "vmf": "map_b.vmf", "pk3": "more.pk3"}


class Base:
    """A command that is killed, and the folder that it runs in."""

    def __init__(self, name, prepare, program, *command):
        self.name, self.prepare, self.program, self.command = name, prepare, program, list(command)
        self.folder = None
        self.renames = None


class Pair:
    """Arguments of the first run and of the second one besides those of the base, and what changes between them."""

    def __init__(self, name, base, first=(), second=(), change=None, other=None, told=True):
        self.name, self.base, self.first, self.second = name, base, list(first), list(second)
        self.change = change  # function of the folder, between the runs
        self.other = other    # command of the second run, in place of that of the base
        self.told = told      # the second run must say that the checkpoint is of another one


# ---- scenes ----
def source_scene(folder):
    scenes.put_game(folder)
    for name in ("map", "map_b"):
        text = scenes.source("box.vmf").replace("dev/dev_measuregeneric01", "game/wall")
        text += scenes.entity(id=901, classname="light", origin="64 64 64", _light="255 200 100 300")
        text += scenes.entity(id=902, classname="func_instance", file="instances/pillar.vmf", origin="96 96 0",
                              angles="0 0 0")
        text += scenes.entity(id=903, classname="prop_static", model="models/box.mdl", origin="100 60 40", solid=6,
                              angles="0 30 0", skin=0)
        if name == "map_b":
            text = text.replace("255 200 100 300", "90 120 255 500")
        write(os.path.join(folder, name + ".vmf"), text)
    write(os.path.join(folder, "more.rad"), "game/wall 255 100 50 400\n")
    write(os.path.join(folder, "catalogue.tsv"), "game/lost\t64\t64\t64\t64\t0.2 0.3 0.4\t0\t1\t0\t-\n")
    shutil.copytree(os.path.join(folder, "game"), os.path.join(folder, "game_b"))
    with open(os.path.join(folder, "game_b", "lights.rad"), "a", encoding="utf-8") as file:
        file.write("game/wall 30 60 255 900\n")
    os.remove(os.path.join(folder, "game", "cfg", "commandline.cfg"))
    os.remove(os.path.join(folder, "game_b", "cfg", "commandline.cfg"))


def quake_scene(folder):
    scenes.put_quake(folder)
    text = scenes.source("q3_lights.map").replace("base_floor/concrete", "t/glow", 1)
    text += '{\n"classname" "misc_model"\n"model" "models/square.md3"\n"origin" "64 128 40"\n"spawnflags" "6"\n}\n'
    write(os.path.join(folder, "map.map"), text)
    write(os.path.join(folder, "map_b.map"), text.replace('"light" "', '"light" "1'))
    write(os.path.join(folder, "more.pk3"),
          scenes.archive({"scripts/more.shader": b"models/test/flag\n{\ncull none\n}\n"}))
    shutil.copytree(os.path.join(folder, "q"), os.path.join(folder, "q_b"))
    with open(os.path.join(folder, "q_b", "baseq3", "scripts", "main.shader"), "a", encoding="utf-8") as file:
        file.write("textures/t/more\n{\nq3map_surfacelight 10\n}\n")


def compiled(scene, source, *game):
    """The same, with both maps compiled and seen."""
    def prepare(folder):
        scene(folder)
        ending = source.rsplit(".", 1)[1]
        for name in ("map", "map_b"):
            scenes.execute(suite.options.bin, folder, "vbsp", f"{name}.{ending}", "-o", name + ".bsp", *game)
            scenes.execute(suite.options.bin, folder, "vvis", name + ".bsp", *game)
        shutil.copy(os.path.join(folder, "map_b.prt"), os.path.join(folder, "other.prt"))
    return prepare


def halls(scene):
    """Maps that vvis has something to do with: halls of pillars."""
    def prepare(folder):
        scene(folder)
        for name, gap in (("map", 380), ("map_b", 420)):
            write(os.path.join(folder, name + ".vmf"), scenes.room(1400, 256, scenes.pillars(3, gap)))
            scenes.execute(suite.options.bin, folder, "vbsp", name + ".vmf", "-o", name + ".bsp", *ENGINE[scene])
    return prepare


GAME, QUAKE = ("-game", "game"), ("-game", "quake3", "-fs_basepath", "q")
ENGINE = {source_scene: (), quake_scene: ("--target", "quake3")}
STEADY = ("-threads", "1", "--checkpoint-every", "0", "-o", "out.bsp")
BUILD = Base("build, Source", source_scene, "brushwork", "build", "map.vmf", *GAME, "-fast", *STEADY)
BUILD3 = Base("build, Quake 3", quake_scene, "brushwork", "build", "map.map", *QUAKE, "-fast", *STEADY)
VRAD = Base("vrad, Source", compiled(source_scene, "map.vmf", *GAME), "vrad", "map.bsp", *GAME, "-fast", *STEADY)
VRAD3 = Base("vrad, Quake 3", compiled(quake_scene, "map.map", *QUAKE), "vrad", "map.bsp", *QUAKE, "-fast", *STEADY)
VVIS = Base("vvis, Source", halls(source_scene), "vvis", "map.bsp", *STEADY)
VVIS3 = Base("vvis, Quake 3", halls(quake_scene), "vvis", "map.bsp", *STEADY)


# ---- differences ----
def changed(name, old, new):
    def change(folder):
        path = os.path.join(folder, name)
        data = read(path)
        check(old in data, f"{name} has no {old}")
        write(path, data.replace(old, new))
    return change


def longer(name, text):
    return lambda folder: write(os.path.join(folder, name), read(os.path.join(folder, name)) + text.encode())


def put(name, text):
    def change(folder):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        write(os.path.join(folder, name), text)
    return change


def without(name):
    return lambda folder: os.remove(os.path.join(folder, name))


def turned(name):
    """Another image of the same size: a byte near its end."""
    def change(folder):
        data = bytearray(read(os.path.join(folder, name)))
        data[-3] ^= 0x40
        write(os.path.join(folder, name), bytes(data))
    return change


def copied(folder, old, new, endings):
    for ending in endings:
        if os.path.exists(os.path.join(folder, old + ending)):
            shutil.copy(os.path.join(folder, old + ending), os.path.join(folder, new + ending))


def replaced(base, old, new, *more):
    return [new if part == old else part for part in base.command] + list(more)


CONFIG = '"commandline"\n{\n"map"\n{\n"vrad" "%s"\n"vbsp" "%s"\n"vvis" "%s"\n}\n}\n'


def named_pairs():
    """The source, files and programs: for each base what it reads."""
    for base, source in ((BUILD, "map.vmf"), (BUILD3, "map.map"), (VRAD, "map.bsp"), (VRAD3, "map.bsp"),
                         (VVIS, "map.bsp"), (VVIS3, "map.bsp")):
        other = source.replace("map.", "map_b.")
        yield Pair("another source", base, other=replaced(base, source, other))
        yield Pair("a copy of the source", base, other=replaced(base, source, "copy" + source[3:]),
                   change=lambda folder, s=source: copied(folder, "map", "copy", (s[3:], ".prt")))
        if base not in (VVIS, VVIS3):
            yield Pair("another file of the same name", base, told=True,
                       change=lambda folder, s=source, o=other: shutil.copy(os.path.join(folder, o),
                                                                            os.path.join(folder, s)))
    for base in (VVIS, VVIS3):
        yield Pair("other portals", base, change=lambda folder: copied(folder, "map_b", "map", (".bsp", ".prt")))
    yield Pair("-tempname", BUILD, second=["-tempname", "map_b.vmf"])
    yield Pair("another -tempname", BUILD, first=["-tempname", "map.vmf"], second=["-tempname", "map_b.vmf"])
    yield Pair("another source, final", BUILD, second=["--preset", "final"], first=["--preset", "final"],
               other=replaced(BUILD, "map.vmf", "map_b.vmf"))
    light = b"255 200 100 300"
    yield Pair("a light", BUILD, change=changed("map.vmf", light, b"255 200 100 301"))
    yield Pair("a light in the BSP", VRAD, change=changed("map.bsp", light, b"255 200 100 301"))
    for key, value in (("_bounce", "1"), ("_radius_override", "64"), ("_extrasky", "3"), ("_maxlightmapdim", "8")):
        yield Pair("worldspawn " + key, BUILD, change=changed(
            "map.vmf", b'"classname" "worldspawn"', f'"classname" "worldspawn"\n"{key}" "{value}"'.encode()))
    yield Pair("worldspawn of Quake 3", BUILD3, change=changed(
        "map.map", b'"classname" "worldspawn"', b'"classname" "worldspawn"\n"_blocksize" "256"'))
    for base in (BUILD, VRAD):
        yield Pair("another game", base, other=replaced(base, "game", "game_b"))
        yield Pair("a search path", base, second=["-insert_search_path", "game_b"])
        yield Pair("lights.rad", base, change=longer("game/lights.rad", "game/wall 9 200 9 700\n"))
        yield Pair("MAP.rad appears", base, change=put("map.rad", "game/wall 200 9 9 500\n"))
        yield Pair("MAP.rad beside the output", base, change=put("out.rad", "game/wall 200 9 9 500\n"))
        yield Pair("a settings file", base, change=put("game/cfg/commandline.cfg", CONFIG % ("-bounce 1", "", "")))
        yield Pair("a texture", base, change=turned("game/materials/game/wall.vtf"))
        yield Pair("a mesh", base, first=["-StaticPropLighting"], second=["-StaticPropLighting"],
                   change=turned("game/models/box.vvd"))
        yield Pair("a lamp of -lights", base, first=["-lights", "more.rad"], second=["-lights", "more.rad"],
                   change=longer("more.rad", "game/wall 9 9 9 9\n"))
        yield Pair("another program", base, told=False,
                   other=(["vrad", "map_c.bsp", *GAME, "-fast", *STEADY] if base is BUILD else
                          ["brushwork", "build", "map.vmf", *GAME, "-fast", *STEADY]),
                   change=lambda folder: scenes.execute(suite.options.bin, folder, "vbsp", "map.vmf", "-o", "map_c.bsp",
                                                        *GAME))
    yield Pair("vbsp's settings", BUILD, change=put("game/cfg/commandline.cfg", CONFIG % ("", "-nomerge", "")))
    yield Pair("vvis' settings", BUILD, change=put("game/cfg/commandline.cfg", CONFIG % ("", "", "-nosort")))
    yield Pair("a material", BUILD, change=changed("game/materials/game/wall.vmt", b"concrete", b"metal"))
    yield Pair("a material disappears", BUILD, change=without("game/materials/game/wall.vmt"))
    yield Pair("an instance", BUILD, change=changed("instances/pillar.vmf", b'"classname" "worldspawn"',
                                                    b'"classname" "worldspawn"\n"detailvbsp" "x"'))
    yield Pair("a model", BUILD, change=without("game/models/box.mdl"))
    yield Pair("collision", BUILD, change=without("game/models/box.phy"))
    yield Pair("surface properties", BUILD, change=changed("game/scripts/surfaceproperties.txt", b"2400", b"2500"))
    yield Pair("the FGD", BUILD, change=longer("game/game.fgd", "\n// more\n"))
    yield Pair("gameinfo.txt", BUILD, change=longer("game/gameinfo.txt", "\n// more\n"))
    yield Pair("a program after build", VVIS, told=False,
               other=["brushwork", "build", "map.vmf", "-fast", *STEADY])
    for base in (BUILD3, VRAD3):
        yield Pair("another base path", base, other=replaced(base, "q", "q_b"))
        yield Pair("shader scripts", base, change=longer("q/baseq3/scripts/main.shader",
                                                         "textures/t/x\n{\nq3map_surfacelight 9\n}\n"))
        yield Pair("a shader's light", base, change=changed("q/baseq3/scripts/main.shader", b"surfacelight 300",
                                                            b"surfacelight 900"))
        yield Pair("an image", base, change=turned("q/baseq3/textures/t/a.tga"))
        yield Pair("a pack", base, second=["-fs_pakpath", "more.pk3"])
        yield Pair("a base game", base, second=["-fs_basegame", "baseq3"])
        yield Pair("a pack that is forbidden", base, second=["-fs_forbiddenpath", "pak*"])
    yield Pair("a mesh of Quake 3", BUILD3, change=turned("q/baseq3/models/square.md3"))
    yield Pair("surface notes", VRAD3, change=without("map.srf"))


def is_valid(program, arguments):
    """Values are judged before operands, of which there are none here."""
    done = subprocess.run([os.path.join(suite.options.bin, program[0]), *program[1:], *arguments], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return re.search(rb"is not (?:a|an|one)\b|out of range", done.stderr) is None


def values_of(program, option, count, kind, words, files):
    """Up to two lists of arguments: values that the option takes."""
    if count == 0:
        return [[option]]
    if kind == "words":
        return [[option, word] for word in words.split() if word][:2]
    if kind in ("files", "folders"):
        found = [FILES[ending] for ending in words.split() if FILES.get(ending) in files]
        return [[option, name] for name in found[:1]]
    choices = []
    for number in NUMBERS:
        arguments = [option, *[number] * count]
        if is_valid(program, arguments):
            choices.append(arguments)
        if len(choices) == 2:
            break
    return choices


def options_of(base):
    """Lines of the list of options: the name, the number of arguments, the kind of the first, its words or endings."""
    program = (base.program, "build") if base.program == "brushwork" else (base.program,)
    seen = set(LEFT_OUT)
    for line in suite.run(*program, "--completion").expect(0).out.decode().splitlines():
        fields = line.split("\t")
        name = fields[1].lstrip("-").lower()
        if fields[0] != "option" or not fields[-1] or len(name) == 1 or name in seen:
            continue
        seen.add(name)
        yield program, fields[1], int(fields[2]), fields[3], fields[4]


def spread(items, count):
    """So many of a list from all of its parts, then the others."""
    chosen = [items[i * len(items) // count] for i in range(count)] if len(items) > count else items
    return chosen + [item for item in items if item not in chosen]


def option_pairs(base, files, count):
    """Pairs that differ in an option, as many as asked for: in its value, or where one is known in its presence."""
    found = []
    for program, option, arity, kind, words in spread(list(options_of(base)), count):
        values = values_of(program, option, arity, kind, words, files)
        if values and len(found) < count:
            found.append(Pair(option, base, values[0] if len(values) > 1 else (), values[-1], told=False))
    return found


def all_pairs():
    named = list(named_pairs())
    files = {BUILD: {"more.rad", "catalogue.tsv", "game/game.fgd", "map_b.vmf"}, BUILD3: {"more.pk3"},
             VRAD: {"more.rad"}, VVIS: {"other.prt"}}
    shares = [(BUILD, 2), (VRAD3, 1), (VVIS, 1)]
    if LONG:
        shares = [(VRAD, 18), (VRAD3, 18), (VVIS, 5), (VVIS3, 4), (BUILD3, 35)]
        shares.append((BUILD, PAIRS - len(named) - sum(count for _, count in shares)))
    options = [pair for base, count in shares for pair in option_pairs(base, files.get(base, ()), count)]
    return spread(named, PAIRS - len(options))[:PAIRS - len(options)] + options


# ---- runs ----
def shim():
    path = os.path.join(os.path.dirname(suite.options.bin), "tests", "libfail_calls.so")
    if not os.path.exists(path):
        raise Skip(f"no {path}")
    return path


def counted_renames(base, folder):
    """How many files a whole run replaces."""
    counts = os.path.join(folder, "counts")
    launch(base, folder, base.command, {"TORTURE_COUNTS": counts})
    data = read(counts)
    for at in range(0, len(data), 24):
        if data[at:at + 16].rstrip(b"\0") == b"rename":
            return struct.unpack_from("<Q", data, at + 16)[0]
    raise AssertionError("no count of rename")


def launch(base, folder, command, environment=None):
    program = command[0] if command[0] in ("vrad", "vvis", "brushwork") else base.program
    arguments = command[1:] if command[0] == program else command
    environment = {**os.environ, "LD_PRELOAD": shim(), **environment} if environment else None
    return subprocess.run([os.path.join(suite.options.bin, program), *arguments], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def prepared(base, top):
    if base.folder:
        return
    base.folder = os.path.join(top, re.sub(r"\W+", "_", base.name))
    os.makedirs(base.folder)
    base.prepare(base.folder)
    trial = shutil.copytree(base.folder, base.folder + "_trial")
    base.renames = counted_renames(base, trial)
    shutil.rmtree(trial)


def kept(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith("checkpoint"))


def killed(pair, top, number):
    """A copy of the scene in which the first run was killed, in the middle or late: it left a checkpoint. A value that
    no run begins with is left out."""
    first = pair.first
    last = pair.base.renames - number % max(2, pair.base.renames // 2)  # before which it is killed
    at = max(last, 2)
    while at > 1:
        folder = shutil.copytree(pair.base.folder, os.path.join(top, "killed"))
        done = launch(pair.base, folder, pair.base.command + first,
                      {"TORTURE_PLAN": f"rename {at} {at} signal {KILL}"})
        if done.returncode == -KILL and kept(folder):
            for ending in outputs(folder):  # it may have begun to replace them
                os.remove(os.path.join(folder, "out" + ending))
            return folder
        shutil.rmtree(folder)
        if first and done.returncode not in (0, -KILL):
            first = []
        else:
            at -= 1
    raise AssertionError(f"{pair.base.name}, {pair.name}: no run was killed that had written a checkpoint")


def outputs(folder):
    return {ending: read(os.path.join(folder, "out" + ending)) for ending in ENDINGS
            if os.path.exists(os.path.join(folder, "out" + ending))}


def try_pair(pair, top, number):
    """Returns the status of both runs, and whether a checkpoint of another run was told."""
    prepared(pair.base, top)
    fresh, second = os.path.join(top, "fresh"), (pair.other or pair.base.command) + pair.second
    resumed = killed(pair, top, number)
    shutil.copytree(pair.base.folder, fresh)
    for folder in (fresh, resumed):
        if pair.change:
            pair.change(folder)
    whole = launch(pair.base, fresh, second)
    done = launch(pair.base, resumed, second + ["--resume", "--json"])
    about = f"{pair.base.name}, {pair.name}: {' '.join(pair.first)} -> {' '.join(second)}"
    told = b'"code":"I021"' in done.stderr.replace(b" ", b"")
    check(whole.returncode == done.returncode, f"{about}: status {whole.returncode}, then {done.returncode}: "
          f"{done.stderr[-1500:].decode(errors='replace')}")
    check(outputs(resumed) == outputs(fresh), f"{about}: other bytes than those of a fresh run")
    check(told or not pair.told, f"{about}: nothing was told of another checkpoint: "
          f"{done.stderr[-1500:].decode(errors='replace')}")
    shutil.rmtree(fresh)
    shutil.rmtree(resumed)
    return done.returncode, told


@suite.case
def what_differs_is_made_again(s, folder):
    s.unsanitized()
    shim()
    pairs = all_pairs()
    faults, statuses, told = [], {}, 0
    for number, pair in enumerate(pairs):
        try:
            status, said = try_pair(pair, folder, number)
            statuses[status] = statuses.get(status, 0) + 1
            told += said
        except AssertionError as fault:
            faults.append(str(fault))
            print(f"FAULT {fault}", flush=True)
        for name in ("fresh", "killed"):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    print(f"{len(pairs)} pairs, exit statuses {statuses}, {told} told of another run's checkpoint")
    check(not faults, f"{len(faults)} of {len(pairs)} pairs")
    check(len(pairs) >= PAIRS, f"{len(pairs)} pairs")


if __name__ == "__main__":
    suite.main()
