#!/usr/bin/env python3
"""Options of vbsp under Valve's names: what each changes in the BSP, and that the rest stays; and
those that vvis and vrad share with it."""
import io
import os
import re
import shutil
import struct
import zipfile

from e2e import Suite, check, read, write

suite = Suite()

ENTITIES, PAKFILE, GAME = 0, 40, 35
FACES, BRUSHES, PLANES, TEXDATA = 7, 18, 1, 2

# All of Valve's, with an argument where they take one.
ACCEPTED = """-v -verbose -verboseentities -glview -tmpout -nodetail -fulldetail -nowater -nocsg -noweld
-noshare -notjunc -noopt -noprune -nomerge -nomergewater -nosubdiv -micro=1 -leaktest -bumpall
-snapaxial -block -blocks -threads=1 -dumpcollide -dumpstaticprop -dumpstaticprops -forceskyvis
-luxelscale=1 -minluxelscale=1 -lightifmissing -dxlevel=90 -keepstalezip -xbox -nodrawtriggers
-allowdetailcracks -low -FullMinidumps -allowdebug -steam -novconfig -virtualdispphysics
-nox360 -novirtualmesh -replacematerials""".split()


def lumps(data):
    """The bytes of the 64 lumps; of the game lumps what they hold, without where they stand."""
    out = []
    for i in range(64):
        offset, length = struct.unpack_from("<ii", data, 8 + 16 * i)
        lump = data[offset:offset + length]
        if i == GAME and length >= 4:
            count = struct.unpack_from("<i", lump)[0]
            parts = [struct.unpack_from("<IHHii", lump, 4 + 16 * k) for k in range(count)]
            lump = [(part[:3], data[part[3]:part[3] + part[4]]) for part in parts]
        out.append(lump)
    return out


def changed(a, b):
    """Numbers of the lumps that differ."""
    return {i for i, (x, y) in enumerate(zip(lumps(read(a)), lumps(read(b)))) if x != y}


def packed(path):
    lump = lumps(read(path))[PAKFILE]
    with zipfile.ZipFile(io.BytesIO(lump)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def bring(s, folder, name):
    return shutil.copy(s.map(name + ".vmf"), os.path.join(folder, name + ".vmf"))


def compile_with(s, folder, name, *options):
    """A map of the project compiled without the options and with them: two BSPs."""
    source = bring(s, folder, name)
    paths = [os.path.join(folder, part + ".bsp") for part in ("plain", "with")]
    s.run("vbsp", source, "-o", paths[0]).expect(0)
    s.run("vbsp", source, "-o", paths[1], *options).expect(0)
    return paths


def game(folder, **files):
    """A game whose only folder is its own."""
    root = os.path.join(folder, "game")
    os.makedirs(os.path.join(root, "cfg"))
    write(os.path.join(root, "gameinfo.txt"),
          "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }")
    for name, text in files.items():
        write(os.path.join(root, "cfg", name + ".cfg"), text)
    return root


@suite.case
def every_option_of_valves_is_taken(s, folder):
    source = bring(s, folder, "box")
    arguments = []
    for option in ACCEPTED:
        name, _, value = option.partition("=")
        if name in ("-block", "-blocks"):
            arguments += [name] + ["-1", "-1", "1", "1"][:2 if name == "-block" else 4]
        elif name != "-tmpout":
            arguments += [name] + ([value] if value else [])
    s.run("vbsp", *arguments, source).expect(0)
    for option in ["-game=x", "-vproject=x", "-insert_search_path=" + folder, "-embed=" + folder]:
        s.run("vbsp", option, "--help").expect(0)


@suite.case
def what_is_refused_says_why(s, folder):
    source = bring(s, folder, "box")
    check("snapaxial" in s.run("vbsp", "-snapaxail", source, "--json").expect(2)
          .find("T001")["message"], "no nearest name")
    for options, word in [(["-onlyents", "-onlyprops"], "-onlyprops"),
                          (["-onlyents", "-embed", folder], "-embed"),
                          (["-onlyprops", "-keepstalezip"], "-keepstalezip"),
                          (["--target", "vampire"], "csgo")]:
        done = s.run("vbsp", source, "--json", *options).expect(2)
        check(word in done.find("T001")["message"], str(done))
    check("use vbsp" in s.run("brushwork", "build", source, "-onlyents", "--json").expect(2)
          .find("T001")["message"], "build takes -onlyents")


@suite.case
def help_lists_every_target(s, folder):
    source = bring(s, folder, "box")
    text = " ".join(s.run("vbsp", "--help", "all").out.decode().split())
    names = re.search(r"engine branch to compile for \(default: (\w+) for a VMF, quake3 for a "
                      r"MAP\)[^(]* \([^)]*\) [^(]*\(one of ([^)]*)\)", text)
    targets = names.group(2).split(", ")
    check(names.group(1) == "sdk2013", names.group(1))
    check(set(targets) >= {"sdk2013", "sdk2013sp", "tf2", "gmod", "source2007", "css19", "portal2", "csgo",
                           "momentum", "l4d2", "quake3"}, targets)
    convert = " ".join(s.run("brushwork", "convert", "--help").out.decode().split())
    check(all(f" {name}," in convert for name in set(targets) - {"ballance"}), convert)
    ours = os.path.join(folder, "a.bsp")
    for target in sorted(set(targets) - {"ballance"}):  # no BSP
        s.run("vbsp", source, "-o", ours, "--target", target).expect(0)
        s.run("brushwork", "verify", ours).expect(0)
    man = s.run("vbsp", "--man").out.decode()
    check(".It Fl onlyents" in man and targets[-1] in man, "the manual page lacks options")


@suite.case
def options_change_nothing_where_they_have_nothing_to_do(s, folder):
    for option in ["-snapaxial", "-nodrawtriggers", "-xbox", "-allowdetailcracks", "-verboseentities",
                   "-keepstalezip", "-virtualdispphysics", "-nox360", "-dxlevel=95"]:
        plain, ours = compile_with(s, folder, "box", option)
        check(read(plain) == read(ours), option)
        os.remove(ours)


@suite.case
def snapaxial(s, folder):
    source = bring(s, folder, "box")
    text = read(source).decode()
    # The floor's top a little too high.
    loose = re.sub(r"(\(\S+ \S+) 0\)", r"\1 0.3)", text)
    check(loose != text, "the map has no plane at 0")
    write(source, loose)
    ours = os.path.join(folder, "box.bsp")
    for options, axial in (([], False), (["-snapaxial"], True)):
        s.run("vbsp", source, *options)
        planes = lumps(read(ours))[PLANES]
        records = [struct.unpack_from("<4fi", planes, at) for at in range(0, len(planes), 20)]
        whole = all(p[3] == round(p[3]) for p in records if p[4] <= 2)
        check(whole == axial, f"{options}: {records}")


def face_count(path):
    return len(lumps(read(path))[FACES]) // 56


@suite.case
def nodrawtriggers_and_xbox(s, folder):
    plain, ours = compile_with(s, folder, "physics", "-nodrawtriggers")
    check(face_count(plain) - face_count(ours) == 6, "the trigger's faces are still there")
    rest = changed(plain, ours) & {ENTITIES, PAKFILE, GAME, BRUSHES, PLANES, TEXDATA, 17, 29}
    check(not rest, f"lumps {rest} changed too")
    check(read(ours) == read(compile_with(s, folder, "physics", "-xbox")[1]), "-xbox differs")


@suite.case
def allowdetailcracks(s, folder):
    plain, ours = compile_with(s, folder, "atrium", "-allowdetailcracks")
    edges = [len(lumps(read(path))[13]) for path in (plain, ours)]
    check(edges[1] < edges[0], f"no vertex less: {edges}")
    check(face_count(plain) == face_count(ours), "other faces")
    # Outlines, what counts their corners, and the primitives of faces with too many of them.
    rest = changed(plain, ours) - {FACES, 12, 13, 27, 31, 37, 39}
    check(not rest, f"lumps {rest} changed too")


@suite.case
def dxlevel(s, folder):
    source = bring(s, folder, "brush_entities")
    text = read(source).decode()
    at = text.index('"classname" "func_')
    write(source, text[:at] + '"maxdxlevel" "80"\n' + text[at:])
    counts = []
    for level in ("80", "81", "0"):
        ours = os.path.join(folder, level + ".bsp")
        s.run("vbsp", source, "-dxlevel", level, "-o", ours).expect(0)
        counts.append(len(lumps(read(ours))[14]) // 48)
    check(counts[0] == counts[2] == counts[1] + 1, f"models: {counts}")


def rename(source, old, new):
    text = read(source).decode()
    check(old in text, f"no {old} in {source}")
    write(source, text.replace(old, new))


def lit_build(s, folder, source, *options):
    out = os.path.join(folder, "map.bsp")
    return s.run("brushwork", "build", "--json", "--fast", source, "-o", out, *options).expect(0)


@suite.case
def materials_that_are_not_found_are_lit(s, folder):
    """One message tells of them, and a build without lightmaps is told of."""
    text = read(s.map("box.vmf"))
    sides = text.count(b"DEV/DEV_MEASUREWALL01A"), text.count(b"DEV/DEV_MEASUREGENERIC01B")
    check(min(sides) > 0, "box.vmf has other materials")
    text = text.replace(b"DEV/DEV_MEASUREWALL01A", b"THEIR/WALL")
    source = write(os.path.join(folder, "map.vmf"), text.replace(b"DEV/DEV_MEASUREGENERIC01B", b"THEIR/FLOOR"))
    known = lit_build(s, folder, s.map("box.vmf")).result["light"]["luxels"]
    check(known > 0, "box.vmf is not lit")
    for target in ("sdk2013", "tf2", "gmod", "sdk2013sp", "mapbase", "source2007", "css19", "portal2", "csgo", "momentum", "l4d2"):
        done = lit_build(s, folder, source, "--target", target)
        check(done.result["light"]["luxels"] == known, f"{target}: {done.result['light']}")
        check(done.codes().count("A004") == 1 and "R019" not in done.codes(), done)
        message = done.find("A004")["message"]
        check(message.startswith(f"2 materials are unknown, on {sum(sides)} of 36 sides: "), message)
    check(f'"THEIR/WALL" ({sides[0]})' in message, message)
    done = lit_build(s, folder, source, "-nolightifmissing", "-lightifmissing")
    check(done.result["light"]["luxels"] == known, "the later option")
    done = lit_build(s, folder, source, "-nolightifmissing")
    check(done.result["light"]["luxels"] == 0, done.result["light"])
    check(done.codes().count("R019") == 1 and done.codes().count("A004") == 1, done)
    catalogue = write(os.path.join(folder, "their.tsv"), "their/wall\t64\t64\t64\t64\t.5\t.5\t.5\t0\t1\n")
    done = lit_build(s, folder, source, "--texdata", catalogue)
    check(done.find("A004")["message"].startswith('"THEIR/FLOOR", used by '), done)


@suite.case
def both_engines_tell_of_them_alike(s, folder):
    """A .map for Source, whose tool materials are not lit, and for its own engine."""
    messages = []
    for target, code in (("sdk2013", "A004"), ("quake3", "A041")):
        done = lit_build(s, folder, s.map("q3_box.map"), "--target", target)
        check(done.codes().count(code) == 1 and done.result["light"]["luxels"] > 0, done)
        messages.append(done.find(code)["message"].replace("textures/", "").replace("shaders", "materials"))
    check(messages[0] == messages[1] and messages[0].startswith("2 materials are unknown, on 6 of 36 sides: "), messages)


@suite.case
def onlyents(s, folder):
    source = bring(s, folder, "brush_entities")
    ours = source.replace(".vmf", ".bsp")
    s.run("brushwork", "build", source, "--preset", "fast").expect(0)
    before = os.path.join(folder, "before.bsp")
    shutil.copy(ours, before)
    text = read(source).decode()
    at = text.rindex("entity")
    write(source, text[:at] + 'entity\n{\n"id" "9999"\n"classname" "info_target"\n'
          '"targetname" "brand_new"\n"origin" "8 8 8"\n}\n' + text[at:])
    done = s.run("vbsp", source, "-onlyents", "--json").expect(0)
    check("V342" not in done.codes(), str(done))
    check(changed(before, ours) == {ENTITIES, PAKFILE}, changed(before, ours))
    check(b'"brand_new"' in lumps(read(ours))[ENTITIES], "the entity is not there")
    check(packed(ours) == {**packed(before), "stale.txt": b"stale"}, "other files are packed")
    s.run("brushwork", "verify", ours).expect(0)
    whole = os.path.join(folder, "whole.bsp")
    s.run("vbsp", source, "-o", whole).expect(0)
    check(lumps(read(whole))[ENTITIES] == lumps(read(ours))[ENTITIES],
          "a whole compile has other entities")
    # Once more adds nothing.
    after = read(ours)
    s.run("vbsp", source, "-onlyents").expect(0)
    check(read(ours) == after, "a second run changed it")


@suite.case
def onlyents_needs_the_same_models(s, folder):
    source = bring(s, folder, "brush_entities")
    ours = source.replace(".vmf", ".bsp")
    done = s.run("vbsp", source, "-onlyents", "--json").expect(1)
    check(ours in done.find("C001")["file"], "no word of the missing BSP")
    s.run("vbsp", s.map("box.vmf"), "-o", ours).expect(0)
    before = read(ours)
    done = s.run("vbsp", source, "-onlyents", "--json").expect(1)
    check("brush entities" in done.find("V340")["message"], str(done))
    check(read(ours) == before, "the file changed")


@suite.case
def onlyprops(s, folder):
    source = bring(s, folder, "two_rooms")
    ours = source.replace(".vmf", ".bsp")
    before = os.path.join(folder, "before.bsp")
    s.run("brushwork", "build", source, "--preset", "fast").expect(0)
    shutil.copy(ours, before)
    s.run("vbsp", source, "-onlyprops").expect(0)
    check(read(ours) == read(before), "a run without a change changed something")
    text = read(source).decode()
    spot = re.search(r'"info_player_start"[^}]*?"origin" "([^"]*)"', text).group(1)
    write(source, text + 'entity\n{\n"id" "9999"\n"classname" "prop_static"\n'
          f'"model" "models/a.mdl"\n"origin" "{spot}"\n}}\n'
          'entity\n{\n"id" "9998"\n"classname" "info_target"\n"origin" "0 0 0"\n}\n')
    s.run("vbsp", source, "-onlyprops").expect(0)
    check(changed(before, ours) == {GAME}, changed(before, ours))
    check(b"models/a.mdl" in dict(lumps(read(ours))[GAME])[(0x73707270, 0, 10)], "no prop")
    s.run("brushwork", "verify", ours).expect(0)


@suite.case
def onlyents_on_what_valve_compiled(s, folder):
    """Real maps: nothing but entities and static props changes, and no solid is taken for another."""
    for name in ("s04_rc_pyramid", "s01_scoutie_c1", "l01_gateway_hdr"):
        source = s.corpus("vmf", name)
        stem = os.path.join(source, next(f[:-4] for f in os.listdir(source) if f.endswith(".vmf")))
        ours = shutil.copy(stem + ".bsp", os.path.join(folder, "a.bsp"))
        done = s.run("vbsp", stem + ".vmf", "-o", ours, "-onlyents", "--texdata",
                     stem + ".texdata.tsv", "--json").expect(0)
        check("V342" not in done.codes(), str(done.find("V342") if "V342" in done.codes() else ""))
        rest = changed(stem + ".bsp", ours) - {ENTITIES, PAKFILE, GAME}
        check(not rest, f"{name}: lumps {rest} changed")
        check("stale.txt" in packed(ours), "no mark")


@suite.case
def keepstalezip(s, folder):
    source = bring(s, folder, "water")
    ours = source.replace(".vmf", ".bsp")
    s.run("vbsp", source, "-keepstalezip").expect(0) # nothing to keep
    plain = read(ours)
    check("stale.txt" not in packed(ours), "a first compile is not stale")
    extra = write(os.path.join(folder, "extra.txt"), "kept")
    s.run("brushwork", "pack", ours, "--add", extra, "extra/file.txt").expect(0)
    before = packed(ours)
    s.run("vbsp", source, "-keepstalezip").expect(0)
    check(packed(ours) == {**before, "stale.txt": b"stale"}, packed(ours).keys())
    s.run("vbsp", source).expect(0)
    check(read(ours) == plain, "without the option they are dropped")
    write(ours, b"VBSP, or not")
    s.run("vbsp", source, "-keepstalezip").expect(1)


@suite.case
def build_keeps_embeds_and_dumps_too(s, folder):
    source = bring(s, folder, "water")
    ours = source.replace(".vmf", ".bsp")
    extra = write(os.path.join(folder, "extra.txt"), "kept")
    os.makedirs(os.path.join(folder, "mine", "sound"))
    write(os.path.join(folder, "mine", "sound", "x.wav"), "RIFF")
    options = ["-keepstalezip", "-embed", os.path.join(folder, "mine"), "-dumpcollide"]
    results = []
    for programs in (["build"], ["vbsp", "vvis", "vrad"]):
        s.run("vbsp", source).expect(0)
        s.run("brushwork", "pack", ours, "--add", extra, "extra/file.txt").expect(0)
        if programs == ["build"]:
            s.run("brushwork", "build", source, "--preset", "fast", *options).expect(0)
        else:
            s.run("vbsp", source, *options).expect(0)
            s.run("vvis", ours, "-fast").expect(0)
            s.run("vrad", ours, "-fast").expect(0)
        results.append(read(ours))
        names = set(packed(ours))
        check({"extra/file.txt", "stale.txt", "sound/x.wav"} <= names, names)
        os.remove(ours.replace(".bsp", ".collide.txt"))
    check(results[0] == results[1], "build writes other bytes than the three programs")


@suite.case
def embed(s, folder):
    source = bring(s, folder, "box")
    ours = source.replace(".vmf", ".bsp")
    files = {"materials/a/b.vmt": b"LightmappedGeneric {}", "sound/x.wav": b"RIFF", "Top.txt": b"t"}
    for name, data in files.items():
        path = os.path.join(folder, "mine", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, data)
    s.run("vbsp", source).expect(0)
    before = os.path.join(folder, "before.bsp")
    shutil.copy(ours, before)
    s.run("vbsp", source, "-embed", os.path.join(folder, "mine")).expect(0)
    check(packed(ours) == {**packed(before), **files}, packed(ours).keys())
    check(changed(before, ours) == {PAKFILE}, changed(before, ours))
    done = s.run("vbsp", source, "-embed", os.path.join(folder, "absent"), "--json").expect(1)
    check("C340" in done.codes(), str(done))
    os.symlink(os.path.join(folder, "mine"), os.path.join(folder, "mine", "loop"))
    s.run("vbsp", source, "-embed", os.path.join(folder, "mine"), "--json").expect(1).find("V345")


@suite.case
def insert_search_path(s, folder):
    source = bring(s, folder, "box")
    name = re.search(r'"material" "([^"]*)"', read(source).decode()).group(1).lower()
    content = os.path.join(folder, "content")
    path = os.path.join(content, "materials", name + ".vmt")
    os.makedirs(os.path.dirname(path))
    write(path, 'LightmappedGeneric { "$reflectivity" "[0.25 0.5 0.75]" "%compilenodraw" 0 }')
    ours = source.replace(".vmf", ".bsp")
    root = game(folder)
    other = os.path.join(root, "materials", name + ".vmt")
    os.makedirs(os.path.dirname(other))
    write(other, 'LightmappedGeneric { "$reflectivity" "[0.125 0.125 0.125]" }')

    def reflectivities(*options):
        s.run("vbsp", source, *options).expect(0)
        data = lumps(read(ours))[TEXDATA]
        return {struct.unpack_from("<3f", data, at) for at in range(0, len(data), 32)}

    check((0.25, 0.5, 0.75) in reflectivities("-insert_search_path", content), "without a game")
    check((0.25, 0.5, 0.75) in reflectivities("-embed", content), "a folder that is embedded")
    check((0.125, 0.125, 0.125) in reflectivities("-game", root), "the game's own")
    both = reflectivities("-game", root, "-insert_search_path", content)
    check((0.25, 0.5, 0.75) in both and (0.125, 0.125, 0.125) not in both, "not before the game")
    for program in ("vbsp", "vrad"):
        operand = source if program == "vbsp" else ours
        done = s.run(program, operand, "-insert_search_path", "/nowhere", "--json").expect(1)
        done.find("C340")


@suite.case
def vrad_looks_in_inserted_search_paths(s, folder):
    source = bring(s, folder, "box")
    ours = source.replace(".vmf", ".bsp")
    name = re.search(r'"material" "([^"]*)"', read(source).decode()).group(1)
    write(os.path.join(folder, "lights.rad"), f"{name} 255 255 255 2000\n")
    s.run("vbsp", source).expect(0)
    dark = os.path.join(folder, "dark.bsp")
    s.run("vvis", ours, "-insert_search_path", folder).expect(0)
    s.run("vrad", ours, "-fast", "-o", dark).expect(0)
    s.run("vrad", ours, "-fast", "-insert_search_path", folder).expect(0)
    check(8 in changed(dark, ours), "lights.rad of the folder was not read")


CONFIG = """"commandline" {
  "box" { "vbsp" "-nodetail -micro 3" "vvis" "-fast" "vrad" "-fast -bounce 3" }
  "bad" { "vbsp" "-nodetial" }
  "two" { "vbsp" "-celshader 'a name'" }
  "file" { "vbsp" "-texdata 'a name.tsv'" }
}"""


@suite.case
def commandline_cfg(s, folder):
    root = game(folder, commandline=CONFIG)
    source = bring(s, folder, "box")
    ours = source.replace(".vmf", ".bsp")

    def settings(program, *arguments):
        place = [] if "-game" in arguments else ["-game", root]
        text = s.run(program, *arguments, "-v", *place).expect(0).out.decode()
        return re.findall(r"^  (.*) \(commandline.cfg\)$", text, re.M)

    check(settings("vbsp", source) == ["nodetail", "micro 3"], "vbsp")
    check(settings("vbsp", source, "-micro", "2") == ["nodetail"], "the command line is stronger")
    check(settings("vbsp", source, "-novconfig") == [], "-novconfig")
    check(settings("vbsp", source[:-4], "-game", os.path.join(root, "gameinfo.txt")) ==
          ["nodetail", "micro 3"], "a game named by its file, a map without its ending")
    check(settings("vvis", ours) == ["fast"], "vvis")
    check(settings("vrad", ours) == ["fast", "bounce 3"], "vrad")
    three = read(ours)
    check(settings("brushwork", "build", source) ==
          ["nodetail", "micro 3", "fast", "fast", "bounce 3"], "build")
    check(read(ours) == three, "build writes other bytes than the three programs")
    other = shutil.copy(source, os.path.join(folder, "bad.vmf"))
    done = s.run("vbsp", other, "-game", root, "--json").expect(2)
    check("did you mean '-nodetail'?" in done.find("T001")["message"] and
          done.find("T001")["file"].endswith("commandline.cfg"), str(done))
    s.run("vbsp", other, "-game", root, "-novconfig").expect(0)
    quoted = shutil.copy(source, os.path.join(folder, "two.vmf"))
    check(settings("vbsp", quoted) == ["celshader a name"], "quotes keep no blanks")
    named = shutil.copy(source, os.path.join(folder, "file.vmf"))
    done = s.run("vbsp", named, "-game", root, "--json", cwd=folder).expect(2)
    check("command line" in done.find("T001")["message"], done)


@suite.case
def texts_for_people(s, folder):
    source = bring(s, folder, "physics")
    text = read(source).decode()
    spot = re.search(r'"info_player_start"[^}]*?"origin" "([^"]*)"', text).group(1)
    write(source, text + 'entity\n{\n"id" "9999"\n"classname" "prop_static"\n'
          f'"model" "models/a.mdl"\n"skin" "3"\n"origin" "{spot}"\n}}\n')
    stem = source[:-4]
    s.run("vbsp", source).expect(0)
    plain = read(stem + ".bsp")
    done = s.run("vbsp", source, "-glview", "-dumpcollide", "-dumpstaticprop",
                 "-verboseentities").expect(0)
    check(read(stem + ".bsp") == plain, "the BSP is another")
    check(re.search(r"^  trigger_once \*\d+ +[\d.]+ s$", done.out.decode(), re.M), done.out)
    lines = read(stem + ".gl").decode().splitlines()
    faces = 0
    while lines:
        count = int(lines[0])
        check(count >= 3 and all(len(x.split()) == 6 for x in lines[1:count + 1]), lines[:9])
        lines = lines[count + 1:]
        faces += 1
    check(faces == face_count(stem + ".bsp"), f"{faces} polygons")
    portals = int(read(stem + ".prt").decode().split()[2])
    polygons = [x for x in read(stem + ".portals.gl").decode().splitlines() if len(x.split()) == 1]
    check(len(polygons) == portals, f"{len(polygons)} of {portals} portals")
    collide = read(stem + ".collide.txt").decode()
    models = re.findall(r"^model (\d+): (\d+) solids$", collide, re.M)
    check(models and models[0][0] == "0", models)
    check(len(re.findall(r"^  solid ", collide, re.M)) == sum(int(m[1]) for m in models), "solids")
    props = read(stem + ".staticprops.txt").decode()
    check(f'"origin" "{spot}"' in props and '"skin" "3"' in props, props)
    for ending in (".gl", ".portals.gl", ".staticprops.txt"):
        os.remove(stem + ending)
    rename(source, '"skin" "3"', '"skin" "4"')
    s.run("vbsp", source, "-onlyprops", "-glview", "-dumpstaticprops").expect(0)
    check('"skin" "4"' in read(stem + ".staticprops.txt").decode(), "not those of the update")
    check(not os.path.exists(stem + ".portals.gl"), "an update makes no portals")


@suite.case
def tmpout(s, folder):
    name = os.path.basename(folder)
    source = shutil.copy(s.map("box.vmf"), os.path.join(folder, name + ".vmf"))
    try:
        s.run("vbsp", source, "-glview", "-tmpout").expect(0)
        check(os.path.exists(f"/tmp/{name}.gl"), "no file in /tmp")
        check(not os.path.exists(os.path.join(folder, name + ".gl")), "one beside the map")
    finally:
        for ending in (".gl", ".portals.gl"):
            if os.path.exists(f"/tmp/{name}{ending}"):
                os.remove(f"/tmp/{name}{ending}")


@suite.case
def an_old_pointfile_that_cannot_be_looked_at_is_removed(s, folder):
    """It would show a leak that the map does not have any more."""
    source = bring(s, folder, "box")
    lin = source.replace(".vmf", ".lin")
    os.symlink(lin, lin)
    s.run("vbsp", source).expect(0)
    check(not os.path.islink(lin), "it is still there")


@suite.case
def log(s, folder):
    source = bring(s, folder, "leak")
    path = os.path.join(folder, "leak.log")
    for _ in range(2):
        s.run("vbsp", source, "--log", path, "--quiet").expect(3)
    text = read(path).decode()
    check(text.count("error V001") == 2 and text.count("wrote ") >= 2, text)
    s.run("vvis", source.replace(".vmf", ".bsp"), "--log", path)
    check(read(path).decode().startswith(text), "it was not appended to")
    check(len(read(path).decode()) > len(text), "vvis added nothing")


suite.main()
