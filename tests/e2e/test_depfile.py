#!/usr/bin/env python3
"""--depfile and -MD: what a run has read, as Make and Ninja take it."""
import os
import re
import shlex
import shutil
import struct
import subprocess
import time

from e2e import Skip, Suite, check, read, write

suite = Suite()
FAST = ("--preset", "fast", "-threads", "2")
GAMEINFO = "GameInfo { FileSystem { SearchPaths { game packed/pak01.vpk\ngame |gameinfo_path|. } } }"
VMT = 'LightmappedGeneric { "$basetexture" "own/wall" "%keywords" "x" }'


def tool(name):
    path = shutil.which(name)
    if not path:
        raise Skip(f"no {name}")
    return path


def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return write(path, data)


def vpk(path, folder, name, data):
    """A pack of version 1 with one file of the ending .vmt."""
    tree = b"vmt\0" + folder.encode() + b"\0" + name.encode() + b"\0"
    tree += struct.pack("<IHHIIH", 0, 0, 0x7FFF, 0, len(data), 0xFFFF) + data + b"\0\0\0"
    put(path, struct.pack("<III", 0x55AA1234, 1, len(tree)) + tree)


def game_in(folder):
    game = os.path.join(folder, "game")
    put(os.path.join(game, "gameinfo.txt"), GAMEINFO)
    put(os.path.join(game, "materials", "own", "wall.vmt"), VMT)
    put(os.path.join(game, "lights.rad"), "own/wall 10 20 30 40\n")
    put(os.path.join(game, "cfg", "commandline.cfg"), '"commandline" { "map" { "vrad" "-bounce 2" } }')
    vpk(os.path.join(game, "packed", "pak01_dir.vpk"), "materials/own", "floor", VMT.encode())
    return game


def project(s, folder):
    """A map with an instance, a material of its own and one of a pack."""
    os.makedirs(os.path.join(folder, "instances"), exist_ok=True)
    for name in ("gate.vmf", "pillar.vmf"):
        shutil.copy(s.map(os.path.join("instances", name)), os.path.join(folder, "instances", name))
    with open(s.map("instances.vmf"), encoding="utf-8") as file:
        text = file.read()
    text = text.replace("dev/dev_measuregeneric01", "own/wall", 1).replace("dev/dev_measurewall01a", "own/floor", 1)
    return write(os.path.join(folder, "map.vmf"), text), game_in(folder)


def rule_of(text):
    """The targets, the inputs and those with a rule of their own."""
    text = (text if isinstance(text, str) else text.decode()).replace("\\\n", " ")
    rules = [line.split(":", 1) for line in text.splitlines() if line]
    split = lambda names: [name.replace("\\ ", " ") for name in re.findall(r"(?:\\ |\S)+", names)]
    return split(rules[0][0]), split(rules[0][1]), [split(rule[0])[0] for rule in rules[1:]]


@suite.case
def all_that_a_build_reads_is_named(s, folder):
    source, game = project(s, folder)
    out, deps = os.path.join(folder, "out", "map.bsp"), os.path.join(folder, "deps", "map")
    s.run("brushwork", "build", source, "-game", game, *FAST, "-o", out, "--depfile", deps).expect(0)
    targets, inputs, alone = rule_of(read(deps))
    check(targets == [out, out[:-4] + ".prt"], targets)
    expected = ["map.vmf", "instances/gate.vmf", "instances/pillar.vmf", "game/gameinfo.txt", "game/lights.rad",
                "game/materials/own/wall.vmt", "game/packed/pak01_dir.vpk", "game/cfg/commandline.cfg"]
    inputs = [os.path.normpath(path) for path in inputs]
    for name in expected:
        check(os.path.join(folder, name) in inputs, f"no {name} in {inputs}")
    check(all(os.path.isfile(path) for path in inputs), inputs)
    check(sorted(set(inputs)) == sorted(inputs) and sorted(map(os.path.normpath, alone)) == inputs, alone)


@suite.case
def all_that_a_build_looks_for_is_named(s, folder):
    """What is absent, and lists of folders, in which it may appear."""
    source, game = project(s, folder)
    out, sought, deps = (os.path.join(folder, "out", name) for name in ("map.bsp", "sought", "deps"))
    s.run("brushwork", "build", source, "-game", game, *FAST, "-o", out, "--depfile", deps, "--depfile-sought", sought).expect(0)
    paths = [os.path.normpath(path) for path in read(sought).decode().splitlines()]
    check({source[:-4] + ".rad", os.path.join(game, "materials")} <= set(paths), paths)
    check(all(os.path.isdir(path) or not os.path.exists(path) or path in (sought, deps) for path in paths), paths)
    check(not set(paths) & {os.path.normpath(path) for path in rule_of(read(deps))[1]} and out not in paths, paths)
    os.remove(sought)
    s.run("brushwork", "build", source, "-game", game, *FAST, "-o", out, "--depfile-sought", sought).expect(0)
    check(source[:-4] + ".rad" in map(os.path.normpath, read(sought).decode().splitlines()), "without --depfile")
    s.run("brushwork", "build", source, "-o", out, "--depfile-sought", source).expect(2)
    s.run("brushwork", "build", source, source, "--depfile-sought", sought).expect(2)


@suite.case
def each_stage_names_its_files(s, folder):
    source, game = project(s, folder)
    stem = source[:-4]
    s.run("vbsp", source, "-game", game, "-MD").expect(0)
    targets, inputs, _ = rule_of(read(stem + ".d"))
    check(targets == [stem + ".bsp", stem + ".prt"] and source in inputs, targets)
    check(not [path for path in inputs if path.endswith("lights.rad")], inputs)
    other = os.path.join(folder, "seen.bsp")
    s.run("vvis", stem, "-o", other, "-md").expect(0)
    check(rule_of(read(other[:-4] + ".d")) == ([other], [stem + ".bsp", stem + ".prt"],
                                               [stem + ".bsp", stem + ".prt"]), read(other[:-4] + ".d"))
    s.run("vvis", stem, "-MD").expect(0)
    check(rule_of(read(stem + ".d"))[:2] == ([stem + ".bsp"], [stem + ".prt"]), "a file that is changed in place")
    done = s.run("vrad", other, "-game", game, "-fast", "-o", stem + ".bsp", "--depfile", "-").expect(0)
    targets, inputs, _ = rule_of(done.out)
    check(targets == [stem + ".bsp"] and other in inputs and os.path.join(game, "lights.rad") in inputs, inputs)
    cache = os.path.join(folder, "cache")
    for _ in range(2):
        s.run("vvis", stem, "-o", other, "--cache", cache, "-MD").expect(0)
        check(rule_of(read(other[:-4] + ".d"))[1] == [stem + ".bsp", stem + ".prt"], "entries of a cache")


@suite.case
def results_of_a_cache_name_the_same_files(s, folder):
    source, game = project(s, folder)
    cache, found = os.path.join(folder, "cache"), []
    for _ in range(2):
        s.run("brushwork", "build", source, "-game", game, *FAST, "--cache", cache, "-MD").expect(0)
        found.append(read(source[:-4] + ".d").decode())
    check(found[0] == found[1] and cache not in found[0], found)


@suite.case
def it_is_written_like_other_outputs(s, folder):
    source = shutil.copy(s.map("box.vmf"), os.path.join(folder, "box.vmf"))
    out, deps = os.path.join(folder, "box.bsp"), os.path.join(folder, "box.d")
    before = sorted(os.listdir(folder))
    for options in (("-o", "-", "-MD"), ("-o", "-", "--depfile", deps), ("--depfile", source),
                    ("--depfile", out)):
        s.run("vbsp", source, *options).expect(2)
    blocked = os.path.join(folder, "blocked")
    os.mkdir(blocked)
    check("C002" in s.run("vbsp", source, "--depfile", blocked, "--json").expect(1).codes(), "a folder")
    os.rmdir(blocked)
    check(sorted(os.listdir(folder)) == before, os.listdir(folder))
    write(deps, "old")
    s.run("vbsp", os.path.join(folder, "absent"), "-o", out, "--depfile", deps).expect(1)
    s.run("vbsp", source, "-o", out, "--depfile", deps, "--check").expect(0)
    check(read(deps) == b"old", "a run that wrote nothing")
    leak = shutil.copy(s.map("leak.vmf"), os.path.join(folder, "leak.vmf"))
    s.run("brushwork", "build", leak, "-MD").expect(3)
    outputs = [leak[:-4] + ending for ending in (".bsp", ".lin", "_leak.png")]
    check(rule_of(read(leak[:-4] + ".d"))[:2] == (outputs, [leak]), "a leak")


@suite.case
def it_is_written_in_a_sandbox(s, folder):
    s.unsanitized()
    source, deps = shutil.copy(s.map("box.vmf"), folder), os.path.join(folder, "box.d")
    done = s.run("vbsp", source, "--sandbox", "--depfile", deps, "--json").expect(0)
    check(rule_of(read(deps))[1] == [source], read(deps))
    check(deps in [file["path"] for file in done.result["files"]], done.result)


@suite.case
def a_name_without_a_form_is_told(s, folder):
    source = shutil.copy(s.map("box.vmf"), os.path.join(folder, "a;b.vmf"))
    done = s.run("vbsp", source, "-o", os.path.join(folder, "c.bsp"), "-MD", "--json").expect(1)
    check("a;b.vmf" in done.find("C343")["message"], done)
    check(sorted(os.listdir(folder)) == ["a;b.vmf", "c.bsp", "c.prt"], os.listdir(folder))


ODD = ["plain", "two words", "a#b", "a$b", "a$$b", "a\\b", "c\\ d", "a:b", "50%", "x[1]", "o'brien", "\u00e9"]


def set_back(folder):
    for root, _, names in os.walk(folder):
        for name in names:
            os.utime(os.path.join(root, name), (time.time() - 100,) * 2)


def odd_map(s, folder, name):
    """A map of that name, and a script that compiles it to map.bsp."""
    source = shutil.copy(s.map("box.vmf"), os.path.join(folder, name + ".vmf"))
    vbsp = shlex.quote(os.path.join(s.options.bin, "vbsp"))
    write(os.path.join(folder, "run"), f"echo BUILDING; exec {vbsp} {shlex.quote(name + '.vmf')} -o map.bsp -MD --quiet\n")
    return source


def builds(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode(errors="replace")
    check(done.returncode == 0, f"{command}: {text}")
    return "BUILDING" in text


def follows(s, folder, command, name):
    """A change of the map is a new build; nothing else is."""
    source = odd_map(s, folder, name)
    set_back(folder)
    check(builds(command, folder) and not builds(command, folder), f"{name}: two builds")
    os.utime(source, (time.time() + 2,) * 2)
    check(builds(command, folder), f"{name}: no build after a change")
    os.utime(source, (time.time() - 100,) * 2)
    builds(command, folder)
    check(not builds(command, folder), f"{name}: a build without a change")


def follow_all(s, folder, file, text, command, names):
    for number, name in enumerate(names):
        place = os.path.join(folder, str(number))
        put(os.path.join(place, file), text)
        follows(s, place, command, name)


@suite.case
def make_follows_all_names(s, folder):
    text = "map.bsp:\n\t@sh run\n-include map.d\n"
    follow_all(s, folder, "Makefile", text, [tool("make")], ODD + ["a*b", "a?b"])


@suite.case
def ninja_follows_all_names(s, folder):
    ninja = tool("ninja")
    for deps in ("  deps = gcc\n", ""):
        text = f"rule map\n  command = sh run\n  depfile = map.d\n{deps}build map.bsp | map.prt: map\n"
        follow_all(s, os.path.join(folder, "gcc" if deps else "plain"), "build.ninja", text, [ninja],
                   [name for name in ODD if "'" not in name])


@suite.case
def a_removed_file_is_a_change(s, folder):
    make = tool("make")
    os.mkdir(os.path.join(folder, "instances"))
    for name in ("instances.vmf", "instances/gate.vmf", "instances/pillar.vmf"):
        shutil.copy(s.map(name), os.path.join(folder, name))
    os.rename(os.path.join(folder, "instances.vmf"), os.path.join(folder, "map.vmf"))
    vbsp = shlex.quote(os.path.join(s.options.bin, "vbsp"))
    write(os.path.join(folder, "Makefile"), "map.bsp: map.vmf\n\t@echo BUILDING\n"
          f"\t@{vbsp} map.vmf -o map.bsp -MD --quiet --missing-instances warn\n-include map.d\n")
    check(builds([make], folder) and not builds([make], folder), "two builds")
    os.remove(os.path.join(folder, "instances", "gate.vmf"))
    check(builds([make], folder) and not builds([make], folder), "no build after a removal")


suite.main()
