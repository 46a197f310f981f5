#!/usr/bin/env python3
"""Valve's options of all branches: each is done, or noted once; none is refused."""
import os
import re
import shutil
import struct

import vmf_boxes
from e2e import Suite, check, read, write

suite = Suite()


def options_of(s):
    """Rows of the table: program, option, example arguments."""
    with open(os.path.join(s.options.source, "scripts", "valve_options.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    return [row[:3] for row in rows]


def noted_of(s):
    """Names that the page of the documentation calls noted, by program."""
    page = read(os.path.join(s.options.source, "docs", "options", "valve.md")).decode()
    return set(re.findall(r"^\| `(\S+)` \| (\w+) \| [^|]* \| noted: ", page, re.M))


def lump(path, number):
    data = read(path)
    at, size = struct.unpack_from("<2i", data, 8 + 16 * number)
    return data[at:at + size]


def made(s, folder, name="box"):
    """A compiled map in the folder; the path without ending."""
    stem = os.path.join(folder, name)
    shutil.copy(s.map(name + ".vmf"), stem + ".vmf")
    s.run("vbsp", stem).expect(0)
    s.run("vvis", stem).expect(0)
    return stem


@suite.case
def each_is_done_or_noted(s, folder):
    stem, rows, noted = made(s, folder), options_of(s), noted_of(s)
    game = os.path.join(folder, "game")
    os.makedirs(game)
    write(os.path.join(game, "gameinfo.txt"), "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }")
    words = {"DIR": game, "FILE": write(os.path.join(folder, "a.rad"), "")}
    wrong = []
    check(len(rows) > 150, len(rows))
    for program, name, example in rows:
        if name in ("-tmpin", "-tmpout", "-glview"):
            continue  # write and read /tmp: test_vbsp_options
        arguments = [words.get(word, word) for word in example.split()]
        done = s.run(program, name.upper(), *arguments, stem, "--json")
        notes = [d["message"] for d in done.diagnostics if d["code"] == "T003"]
        wanted = [name] if (name, program) in noted else []
        fine = {"-trace": (0, 1), "-block": (3,)}.get(name, (0,))  # no sightline; a part of a room
        if "T001" in done.codes() or done.status not in fine:
            wrong.append(str(done))
        elif [note.lower() for note in notes] != [name.lower() for name in wanted]:
            wrong.append(f"{program} {name}: notes {notes}, not {wanted}")
    check(not wrong, "\n".join(wrong))


@suite.case
def one_note_lists_them(s, folder):
    stem = made(s, folder)
    line = ["-mpi", "-mpi_pw", "secret", "-compressconstant", "3", "-dump", "-CompressConstant", "4", "-final"]
    done = s.run("vrad", *line, stem, "--json").expect(0)
    names = sorted(done.find("T003")["message"].split(", "))
    check(names == ["-compressconstant", "-dump", "-mpi", "-mpi_pw"], str(done))
    check(done.codes().count("T003") == 1, str(done))
    check("T003" not in s.run("vrad", "-centersamples", "-culllights", stem, "--json").expect(0).codes(), "what is always so")
    text = s.run("vrad", "-dump", stem).expect(0)
    check("note T003: options without effect: -dump" in text.err, str(text))
    check("T003" not in s.run("vrad", "-dump", "-q", stem).expect(0).err, "quiet")


@suite.case
def instances_of_another_folder(s, folder):
    apart = os.path.join(folder, "apart")
    os.makedirs(apart)
    shutil.copy(s.map("two_rooms.vmf"), os.path.join(apart, "part.vmf"))
    source = write(os.path.join(folder, "map.vmf"), read(s.map("box.vmf")) + b'entity { "id" "900" "classname" "func_instance"'
                   b' "file" "part.vmf" "origin" "2048 0 0" "angles" "0 0 0" }\n')
    check("S020" in s.run("vbsp", source, "--json").codes(), "found without the folder")
    done = s.run("vbsp", source, "-instancepath", apart, "--json")
    check("S020" not in done.codes() and "S022" not in done.codes() and done.status in (0, 3), done)


@suite.case
def static_props_of_an_extended_game(s, folder):
    """A scale needs version 11: told without it, and where, and written with it."""
    source = write(os.path.join(folder, "map.vmf"), read(s.map("box.vmf")) + b'entity { "id" "900" "classname" "prop_static"'
                   b' "model" "models/a.mdl" "origin" "64 64 32" "angles" "0 0 0" "uniformscale" "2" }\n')
    path = os.path.join(folder, "map.bsp")
    for options, version, told in (([], 10, True), (["-staticpropformat", "11"], 11, False)):
        done = s.run("vbsp", "--target", "tf2", source, "-o", path, *options, "--json").expect(0)
        losses = [d for d in done.diagnostics if d["code"] == "V189"]
        check(bool(losses) == told and all("point" in d or d.get("line") for d in losses), losses)
        check(struct.unpack_from("<4sHH", lump(path, 35), 4)[2] == version, f"{options}: {lump(path, 35)[:16]}")


@suite.case
def default_luxel_size(s, folder):
    text = read(s.map("box.vmf")).decode()
    none = re.sub(r'\s*"lightmapscale" "\d+"', "", text)
    coarse = re.sub(r'"lightmapscale" "\d+"', '"lightmapscale" "32"', text)
    check(none != text, "the map has no scales")
    for name, source, options in (("a", none, ["-defaultluxelsize", "32"]), ("b", coarse, []), ("c", none, [])):
        write(os.path.join(folder, name + ".vmf"), source)
        s.run("vbsp", os.path.join(folder, name), *options).expect(0)
    a, b, c = (read(os.path.join(folder, name + ".bsp")) for name in "abc")
    check(a == b and a != c, "-defaultluxelsize 32 is not lightmapscale 32")


@suite.case
def lightmaps_no_larger_than_asked(s, folder):
    """Faces are cut finer, and never larger than engines take; a side of many faces is told."""
    source = write(os.path.join(folder, "map.vmf"), vmf_boxes.room(512, 256))
    counts = {}
    for size in (8, 16, 32, 128):
        path = os.path.join(folder, f"{size}.bsp")
        done = s.run("vbsp", source, "-maxlightmapdim", size, "-o", path, "--json").expect(0)
        check("V031" not in done.codes(), str(done))
        counts[size] = len(lump(path, 7)) // 56
        check(s.run("brushwork", "verify", path).status == 0, "not sound")
    check(counts[8] > 2 * counts[16] > 4 * counts[32] and counts[32] == counts[128], f"{counts}")
    write(source, vmf_boxes.room(512, 256, scale=1))
    for target in ("css19", "sdk2013", "csgo"):
        done = s.run("vbsp", source, "--target", target, "-o", path, "--json").expect(0)
        told = [d for d in done.diagnostics if d["code"] == "V031"]
        check(told and all(d["message"].endswith("of at most 32 x 32 luxels") for d in told), str(done))


@suite.case
def finite_falloff(s, folder):
    """Lights end at their zero percent distance, as with _hardfalloff."""
    text = vmf_boxes.room(512, 256).replace('"_light" "255 255 255 200"', '"_light" "255 255 255 200"\n"_fifty_percent_distance" '
                                             '"100"\n"_zero_percent_distance" "400"KEY')
    lit = {}
    for name, key, options in (("soft", "", ()), ("hard", '\n"_hardfalloff" "1"', ()), ("finite", "", ("-finitefalloff",))):
        path = os.path.join(folder, "map.bsp")
        s.run("vbsp", write(os.path.join(folder, "map.vmf"), text.replace("KEY", key)), "-o", path).expect(0)
        s.run("vvis", "-fast", path).expect(0)
        s.run("vrad", "-bounce", "0", "-fast", *options, path).expect(0)
        lit[name] = lump(path, 8)
    check(lit["finite"] == lit["hard"] != lit["soft"], "another falloff")


@suite.case
def ambient_occlusion_by_its_other_names(s, folder):
    stem = made(s, folder)

    def lit(*options):
        s.run("vrad", stem, "-o", stem + "_lit.bsp", *options).expect(0)
        return read(stem + "_lit.bsp")

    one, plain = lit("-ao", "1"), lit()
    check(one != plain, "-ao does nothing")
    check(lit("-ambientocclusion") == one and lit("-aoscale", "1") == one, "not the same as -ao 1")
    check(lit("-ao", "1", "-aosamples", "64") == one and lit("-ao", "1", "-aosamples", "200") != one, "-aosamples")
    check(lit("-noao", "-ao", "1") == plain, "-noao does nothing")


suite.main()
