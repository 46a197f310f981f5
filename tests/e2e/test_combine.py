#!/usr/bin/env python3
"""vbsp -staticpropcombine: the picture of the lit map is that of the map with single props; the same bytes with any
threads; partial updates replace the combined models."""
import io
import json
import os
import struct
import zipfile

import model_files
from e2e import Suite, check, read, write

suite = Suite()

# Three boxes of a room, which do not touch, and two of another.
PLACES = [("60 60 40", "0 0 0"), ("180 60 60", "10 30 0"), ("100 190 90", "0 45 20"), ("560 60 40", "0 10 0"),
          ("700 190 50", "5 0 30")]
# Boxes that are in the floor and in each other.
CROSSING = [("100 100 6", "0 0 0"), ("120 112 10", "0 20 0"), ("90 118 4", "0 45 0"), ("110 126 20", "10 30 0")]
LIT = ("-StaticPropLighting", "-StaticPropPolys")
PAKFILE = 40


def game(folder):
    models = os.path.join(folder, "game", "models")
    os.makedirs(models)
    write(os.path.join(folder, "game", "gameinfo.txt"), "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }")
    for ending, data in (("mdl", model_files.mdl()), ("vvd", model_files.vvd()), ("dx90.vtx", model_files.vtx())):
        write(os.path.join(models, "box." + ending), data)
    return os.path.join(folder, "game")


def source(s, folder, places):
    text = read(s.map("two_rooms.vmf")).decode()
    for i, (origin, angles) in enumerate(places):
        text += (f'entity\n{{\n"id" "{900 + i}"\n"classname" "prop_static"\n"model" "models/box.mdl"\n'
                 f'"origin" "{origin}"\n"angles" "{angles}"\n"solid" "0"\n}}\n')
    return write(os.path.join(folder, "map.vmf"), text)


def packed(path):
    data = read(path)
    at, size = struct.unpack_from("<2i", data, 8 + 16 * PAKFILE)
    return set(zipfile.ZipFile(io.BytesIO(data[at:at + size])).namelist()) if size else set()


def combined(path):
    return {name for name in packed(path) if name.startswith("models/maps/map/combined_")}


def light(s, path, content, *options):
    s.run("vvis", path).expect(0)
    done = s.run("vrad", "-game", content, *LIT, "--json", *options, path).expect(0)
    check(not done.told_error(), str(done))


def compare_pictures(s, folder, places, cameras, models):
    """The map with single props and with combined ones, lit, from some places."""
    content, vmf = game(folder), source(s, folder, places)
    maps = {}
    for name, options in (("single", ()), ("combined", ("-staticpropcombine", "--combine-distance", "1000"))):
        maps[name] = os.path.join(folder, name, "map.bsp")
        os.makedirs(os.path.dirname(maps[name]))
        s.run("vbsp", vmf, "-game", content, "-o", maps[name], *options).expect(0)
        light(s, maps[name], content)
    check(not combined(maps["single"]), "combined unasked")
    check(len(combined(maps["combined"])) == 3 * models, "not a model for each room")
    lit = {name for name in packed(maps["combined"]) if name.endswith(".vhv")}
    check(lit == {f"sp_{i}.vhv" for i in range(models)}, f"light of the models: {lit}")
    for place in cameras:
        done = s.run("brushwork", "render", "--compare", maps["single"], maps["combined"], "-game", content, "--from", place,
                     "--size", "320x240", "-o", os.path.join(folder, "c.png"), "--json").expect(0)
        told = json.loads(done.out)
        print(f"{place}: {told.get('psnr', 'equal')}")
        check(told["equal"] or told["psnr"] >= 60, f"PSNR {told.get('psnr')} dB from {place}")


@suite.case
def the_picture_is_the_same(s, folder):
    compare_pictures(s, folder, PLACES, ("40 230 150 25 -60", "230 230 120 20 -130", "740 40 150 25 130"), 2)


@suite.case
def crossing_props_look_the_same(s, folder):
    """Vertices in the floor take their light from neighbours of their own prop."""
    compare_pictures(s, folder, CROSSING, ("40 230 150 25 -60", "230 230 120 20 -130", "60 60 70 5 45"), 1)


@suite.case
def threads_do_not_matter(s, folder):
    content, vmf = game(folder), source(s, folder, PLACES)
    written = []
    for threads in (1, 3):
        path = os.path.join(folder, f"{threads}", "map.bsp")
        os.makedirs(os.path.dirname(path))
        s.run("vbsp", vmf, "-game", content, "-o", path, "-staticpropcombine", "-threads", threads).expect(0)
        light(s, path, content, "-threads", threads)
        written.append(read(path))
    check(written[0] == written[1], "bytes differ")


@suite.case
def updates_replace_the_models(s, folder):
    content, vmf = game(folder), source(s, folder, PLACES)
    path = os.path.join(folder, "map.bsp")
    s.run("vbsp", vmf, "-game", content, "-staticpropcombine", "-o", path).expect(0)
    light(s, path, content)
    both = combined(path)
    check(len(both) == 6, f"{both}")
    source(s, folder, PLACES[:3])
    s.run("vbsp", vmf, "-game", content, "-staticpropcombine", "-onlyprops", "-o", path).expect(0)
    check(len(combined(path)) == 3, "a model of before is left")
    check(not any(name.endswith(".vhv") for name in packed(path)), "light of the models of before")
    s.run("vbsp", vmf, "-game", content, "-onlyprops", "-o", path).expect(0)
    check(not combined(path), "models of before are left")
    s.run("brushwork", "verify", path).expect(0)


@suite.case
def what_is_done_is_told(s, folder):
    content, vmf = game(folder), source(s, folder, PLACES)
    done = s.run("vbsp", vmf, "-game", content, "-staticpropcombine", "-v", "-o", os.path.join(folder, "map.bsp")).expect(0)
    for line in ("static props combined 5", "combined models 2", "draw calls of static props before combining 5",
                 "draw calls of static props 2"):
        check(line in done.out.decode() + done.err, f"{line}: not in {done.out.decode()}")
    s.run("vbsp", vmf, "-staticpropcombine", "--combine-vertices", "70000").expect(2)
    s.run("vbsp", vmf, "-staticpropcombine_mininstances", "1").expect(2)


def rules_of(folder, text):
    return write(os.path.join(folder, "rules.txt"), "combine\n{\n" + text + "\n}\n")


@suite.case
def rules_say_what_is_combined(s, folder):
    """Groups combine alone, with their own bounds; others stay unless they are asked for; each rule tells what it did."""
    content, vmf = game(folder), source(s, folder, PLACES)
    path = os.path.join(folder, "map.bsp")

    def compiled(text, *options):
        return s.run("vbsp", vmf, "-game", content, "-staticpropcombine", "-o", path, "--combine-rules",
                     rules_of(folder, text), "--json", *options).expect(0)

    print_all = "-staticpropcombine_printcombinerules"
    done = compiled('group { model models/BOX* distance 1000 }', print_all)
    check(len(combined(path)) == 6, f"{combined(path)}")
    told = done.find("V192")
    check(told["message"].endswith("5 props became 2") and told["line"] == 3, f"{told}")
    compiled('group { model models/b?x.mdl minimum 3 }')
    check(len(combined(path)) == 3, "the two of the other room are fewer than three")
    compiled('group { model models/box.mdl distance 20 }')
    check(not combined(path), "the distance of the group does not count")
    done = compiled('never { model models/*.mdl }\ngroup { model models/box.mdl }', print_all)
    check(not combined(path) and done.find("V191")["line"] == 4, f"what never combines does: {done}")
    done = compiled('group { model models/other.mdl }')
    check(not combined(path) and "V191" in done.codes(), f"a model that no rule names is combined: {done}")
    compiled('group { model models/other.mdl }', "-staticpropcombine_autocombine")
    check(len(combined(path)) == 6, "others are not combined")


@suite.case
def invalid_rules_stop_the_compile(s, folder):
    content, vmf = game(folder), source(s, folder, PLACES)
    path = os.path.join(folder, "map.bsp")
    for text in ("group { model a distance far }", "group { model a distance 0 }", "group { model a colour 3 }",
                 "group { }", "others { model a }", "never { model a distance 9 }", "group { model { a b } }"):
        done = s.run("vbsp", vmf, "-game", content, "-staticpropcombine", "-o", path, "--combine-rules",
                     rules_of(folder, text), "--json")
        check(done.status == 1 and "V190" in done.codes() and done.find("V190")["line"] == 3, f"{text}: {done}")
        check(not os.path.exists(path), f"{text}: a map is written")
    s.run("vbsp", vmf, "-game", content, "-staticpropcombine", "--combine-rules", os.path.join(folder, "absent.txt")).expect(1)


@suite.case
def suggested_rules_combine(s, folder):
    """What is suggested for a map combines the props of it that are near each other."""
    content, vmf = game(folder), source(s, folder, PLACES)
    path = os.path.join(folder, "map.bsp")
    s.run("vbsp", vmf, "-game", content, "-o", path, "-staticpropcombine_suggestrules").expect(0)
    text = read(os.path.join(folder, "map.combine.txt")).decode()
    check("// 5 props" in text and '"model" "models/box.mdl"' in text, text)
    s.run("vbsp", vmf, "-game", content, "-o", path, "-staticpropcombine", "--combine-rules",
          os.path.join(folder, "map.combine.txt")).expect(0)
    check(len(combined(path)) == 6, f"{combined(path)}")


@suite.case
def flags_may_be_ignored(s, folder):
    """Props that differ in a flag alone are combined when asked; the new one has it when all have it."""
    content, vmf = game(folder), source(s, folder, PLACES[:3])
    text = read(vmf).decode().replace('"solid" "0"', '"solid" "0"\n"disableshadows" "1"', 1)
    write(vmf, text)
    path = os.path.join(folder, "map.bsp")
    props = os.path.join(folder, "map.staticprops.txt")
    for options, count, flags in (((), 2, "0x110"), (("-combineignore_noshadow",), 1, "0x100"), (("-combineignore_normals",), 2, "0x110")):
        s.run("vbsp", vmf, "-game", content, "-o", path, "-staticpropcombine", "-dumpstaticprops", *options).expect(0)
        dump = read(props).decode()
        check(dump.count("prop\n") == count and f'"flags" "{flags}"' in dump, f"{options}: {dump}")
    s.run("vbsp", vmf, "-game", content, "-o", path, "-staticpropcombine", "-combineignore_noflashlight").expect(0)
    check(len(combined(path)) == 3, "a flag that the target lacks is another one of it")


if __name__ == "__main__":
    suite.main()
