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
    check("R041" not in done.codes() and not done.told_error(), str(done))


@suite.case
def the_picture_is_the_same(s, folder):
    content, vmf = game(folder), source(s, folder, PLACES)
    maps = {}
    for name, options in (("single", ()), ("combined", ("-staticpropcombine", "--combine-distance", "1000"))):
        maps[name] = os.path.join(folder, name, "map.bsp")
        os.makedirs(os.path.dirname(maps[name]))
        s.run("vbsp", vmf, "-game", content, "-o", maps[name], *options).expect(0)
        light(s, maps[name], content)
    check(not combined(maps["single"]), "combined unasked")
    check(len(combined(maps["combined"])) == 6, "not a model for each room")
    check("sp_1.vhv" in packed(maps["combined"]) and "sp_2.vhv" not in packed(maps["combined"]), "light of the models")
    for place in ("40 230 150 25 -60", "230 230 120 20 -130", "740 40 150 25 130"):
        done = s.run("brushwork", "render", "--compare", maps["single"], maps["combined"], "-game", content, "--from", place,
                     "--size", "320x240", "-o", os.path.join(folder, "c.png"), "--json").expect(0)
        told = json.loads(done.out)
        print(f"{place}: {told.get('psnr', 'equal')}")
        check(told["equal"] or told["psnr"] >= 60, f"PSNR {told['psnr']} dB from {place}")


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


if __name__ == "__main__":
    suite.main()
