#!/usr/bin/env python3
"""The program q3map2: each option of q3map2 is done, or noted once; none is refused. Command lines of editors and
those that maps have recorded run as they stand."""
import os
import re
import shlex
import shutil
import struct
import subprocess
import zipfile

from e2e import Skip, Suite, check, read, write

suite = Suite()

# By stage: how many q3map2 has.
COUNTS = {"common": 15, "bsp": 51, "vis": 9, "light": 119}

# Recorded in maps of the OpenArena family: stages joined by "; ", without the file.
RECORDED = (
    "-bsp -flares -meta -noob; -vis; -light -fast -patchshadows -samples 2 -filter -bounce 8",
    "-flares -meta -patchmeta -verboseentities; -vis; "
    "-light -dark -dirt -fast -filter -patchshadows -bounce 8 -gamma 1.0 -samples 3",
    "-flares -meta -patchmeta -verboseentities; -vis; "
    "-light -dark -dirty -fast -filter -patchshadows -bounce 8 -gamma 1 -samples 3",
    "-flares -meta -patchmeta -verboseentities; -vis; "
    "-light -dark -dirty -fast -filter -patchshadows -bounce 8 -gamma 1.5 -samples 3 -samplesize 8",
    "-meta; -vis -saveprt; -light -patchshadows -dirty -fast -filter -super 2",
    "-meta -patchmeta -verboseentities; -vis; "
    "-light -dark -dirt -fast -filter -patchshadows -bounce 8 -gamma 1.0 -samples 3",
)

# The build menu of a game pack of NetRadiant: the editor's part of each line, and the stages.
MENU = "-v -game quake3 -fs_basepath \"DIR\" -fs_game NAME"
MENUS = (
    "-meta -noob; -vis -saveprt; -light -fast",
    "-meta -samplesize 64; -vis -fast -saveprt; -light -fast -nogrid",
    "-flares -meta -noob; -vis; -light -fast -patchshadows -samples 2 -filter -bounce 8",
    "-meta -patchmeta; -vis; -light; -pk3",
)


NOBODY = 65534


def table_of(s):
    """Rows of the table: stage, option, example arguments."""
    with open(os.path.join(s.options.source, "scripts", "q3map2_options.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    return [(row + [""])[:3] for row in rows]


def page_of(s, text=None):
    """What the page of the documentation says of each option: {(stage, name): "done ..."}."""
    text = text or read(os.path.join(s.options.source, "docs", "options", "q3map2.md")).decode()
    rows = re.findall(r"^\| `-(\w+)[^`]*` \| (\w+) \| (.*) \|$", text, re.M)
    return {("common" if stage == "all" else stage, "-" + name): here for name, stage, here in rows}


def game_in(folder):
    """A folder with game folders."""
    os.makedirs(os.path.join(folder, "games", "baseq3", "scripts"))
    write(os.path.join(folder, "games", "baseq3", "scripts", "a.shader"), "textures/a\n{\n{\nmap $lightmap\n}\n}\n")
    return os.path.join(folder, "games")


def made(s, folder, name="q3_box", stages=("-bsp -meta", "-vis -saveprt", "-light -fast")):
    """A compiled map; the path without ending."""
    stem = os.path.join(folder, name)
    shutil.copy(s.map(name + ".map"), stem + ".map")
    for stage in stages:
        s.run("q3map2", *stage.split(), stem + ".map").expect(0)
    return stem


def messages(done, code):
    return [d["message"] for d in done.diagnostics if d["code"] == code]


def without_effect(done):
    """Names of the note T003."""
    notes = messages(done, "T003")
    check(len(notes) <= 1, str(done))
    return re.findall(r"(?:^|\), )(-\w+) \(", notes[0]) if notes else []


@suite.case
def the_table_has_all_options(s, _folder):
    rows, page = table_of(s), page_of(s)
    for stage, count in COUNTS.items():
        check(sum(row[0] == stage for row in rows) == count, stage)
        check(sum(key[0] == stage for key in page) == count, f"the page has other options of {stage}")
    lost = [row[:2] for row in rows if tuple(row[:2]) not in page]
    check(not lost, f"not on the page: {lost}")
    check(all(re.match("done: |noted: .", here) for here in page.values()), "neither done nor noted")
    text = s.run("q3map2", "--markdown").out.decode()
    check(page_of(s, text) == page, "the page is not that of the program")
    for stage in COUNTS:
        own = [here for (of, _), here in page.items() if of == stage]
        noted = sum(here.startswith("noted") for here in own)
        name = "all" if stage == "common" else "-" + stage
        check(f"| {name} | {len(own)} | {len(own) - noted} | {noted} |" in text, f"count of {stage}")


@suite.case
def the_later_of_two_opposites_holds(s, folder):
    stem = made(s, folder, "q3_patches", ("-meta", "-vis"))
    before = read(stem + ".bsp")

    def lit(line):
        write(stem + ".bsp", before)
        s.run("q3map2", "-light", "-fast", *line.split(), stem + ".map").expect(0)
        return read(stem + ".bsp")

    plain = lit("")
    for on, off in (("-deluxe", "-nodeluxe"), ("-deluxemap", "-nodeluxemap"), ("-wolf", "-q3")):
        check(lit(on) != plain, f"{on} does nothing")
        check(lit(f"{on} {off}") == plain, f"{off} after {on} does nothing")
        check(lit(f"{off} {on}") == lit(on), f"{off} before {on} does more")


@suite.case
def each_is_done_or_noted(s, folder):
    stem, page, games = made(s, folder), page_of(s), game_in(folder)
    first = read(stem + ".bsp")
    s.run("vbsp", stem + ".map", "-o", stem + "_prt.bsp").expect(0)
    words = {"DIR": games, "NAME": "baseq3", "MAP": stem + ".map", "OUT": stem + ".tga"}
    wrong = []
    for stage, name, example in table_of(s):
        arguments = [words.get(word, word) for word in example.split()]
        for run in ("vis",) if stage == "common" else (stage,):
            write(stem + ".bsp", first)
            shutil.copy(stem + "_prt.prt", stem + ".prt")
            done = s.run("q3map2", "--json", "-" + run, name.upper(), *arguments,
                         *NUMBERS.get(run, []), stem + ".map")
            wanted = [name] if page[stage, name].startswith("noted") else []
            if name == "-game":
                wanted = None  # depends on what is installed
            if done.status != 0 or "T001" in done.codes() or "T004" in done.codes():
                wrong.append(str(done))
            elif wanted is not None and without_effect(done) != wanted:
                wrong.append(f"-{run} {name}: {without_effect(done)}, not {wanted}")
    check(not wrong, "\n".join(wrong))


@suite.case
def common_options_fit_all_stages(s, folder):
    stem, games = made(s, folder), game_in(folder)
    words = {"DIR": games, "NAME": "baseq3"}
    line = [word for stage, name, example in table_of(s) if stage == "common" and name != "-connect"
            for word in [name, *(words.get(w, w) for w in example.split())]]
    text = s.run("q3map2", "--markdown").out.decode()
    stages = set(re.findall(r"^\| -(\w+) \| \d", text, re.M)) - set(COUNTS)
    check(stages == set(READERS), stages)
    write(stem + ".aas", plain_aas())
    for stage in ("bsp", "vis", "light", *READERS):
        if stage == "vis":
            s.run("q3map2", stem).expect(0)
        s.run("q3map2", *line, "-" + stage, *NUMBERS.get(stage, []), stem + ".bsp").expect(0)


def plain_aas():
    """A file of bot navigation without lumps, and with a wrong checksum."""
    return b"EAAS" + struct.pack("<ii", 4, 12345) + bytes(14 * 8)


# Stages that read a BSP and have no need of options.
READERS = ("info", "pk3", "repack", "scale", "shift", "exportents", "convert", "fixaas", "minimap", "export", "import", "json")

# Numbers that stand before the file.
NUMBERS = {"scale": ["2"], "shift": ["16", "0", "-8"]}


def run_lines(s, folder, lines, before=(), name="q3_patches"):
    """Runs stages joined by "; " on a map as an editor does; returns the runs."""
    stem = os.path.join(folder, name)
    shutil.copy(s.map(name + ".map"), stem + ".map")
    return [s.run("q3map2", "--json", *before, *shlex.split(line),
                  stem + (".bsp" if line.startswith("-pk3") else ".map")).expect(0)
            for line in lines.split("; ")]


@suite.case
def recorded_lines_run(s, folder):
    for number, line in enumerate(RECORDED):
        place = os.path.join(folder, str(number))
        os.makedirs(place)
        runs = run_lines(s, place, line)
        skipped = [message for run in runs for message in messages(run, "T004")]
        check(skipped == (["'-dirt' of -light"] if "-dirt " in line else []), f"{line}: {skipped}")
        check("T001" not in sum((run.codes() for run in runs), []), line)
        left = os.path.exists(os.path.join(place, "q3_patches.prt"))
        check(left == ("-saveprt" in line), f"{line}: portals left: {left}")
        s.run("brushwork", "verify", os.path.join(place, "q3_patches.bsp")).expect(0)


@suite.case
def lines_of_menus_run(s, folder):
    games = game_in(folder)
    before = shlex.split(MENU.replace("DIR", games + "/").replace("NAME", "baseq3"))
    for number, line in enumerate(MENUS):
        place = os.path.join(folder, str(number))
        os.makedirs(place)
        runs = run_lines(s, place, line, before)
        check(not sum((messages(run, "T004") for run in runs), []), line)


# Lines of packs of other games with this BSP: their names, limits of surfaces that only their engines have, and
# large external lightmaps with deluxemaps.
OTHER_GAMES = ("xonotic", "nexuiz", "tremulous", "unvanquished", "urt", "oa", "smokinguns", "wop", "ef", "darkplaces")
OTHER_MENUS = (
    "-meta -patchmeta -v -samplesize 8 -mv 1000000 -mi 6000000; -vis -saveprt; "
    "-light -deluxe -patchshadows -samples 3 -lightmapsize 512 -bounce 8 -fastbounce",
    "-bsp -meta -keeplights -mv 64; -vis -fast; "
    "-light -fast -external -deluxemap -lightmapsize 1024 -dirty -bounce 1 -gamma 2 -compensate 4",
)


@suite.case
def lines_of_other_games_run(s, folder):
    for number, line in enumerate(OTHER_MENUS):
        place = os.path.join(folder, str(number), "maps")
        os.makedirs(place)
        runs = run_lines(s, place, line, ("-game", OTHER_GAMES[number]))
        check(not sum((messages(run, "T004") for run in runs), []), line)
        s.run("brushwork", "verify", os.path.join(place, "q3_patches.bsp")).expect(0)
        images = sorted(os.listdir(os.path.join(place, "q3_patches")))
        check(len(images) % 2 == 0 and images[:2] == ["lm_0000.tga", "lm_0001.tga"], images)


@suite.case
def games_with_this_bsp_are_taken(s, folder):
    for game in OTHER_GAMES:
        run_lines(s, folder, "-meta", ("-game", game), "q3_box")


# By the name of a game: magic and version of its BSP, bytes of a vertex.
BSPS = {"quake3": (b"IBSP", 46, 44), "et": (b"IBSP", 47, 44), "wolf": (b"IBSP", 47, 44), "quakelive": (b"IBSP", 47, 44),
        "ja": (b"RBSP", 1, 80), "JK2": (b"RBSP", 1, 80), "sof2": (b"RBSP", 1, 80),
        "qfusion": (b"FBSP", 1, 80), "warsow": (b"FBSP", 1, 80)}


def lump(data, number):
    at, size = struct.unpack_from("<2i", data, 8 + 8 * number)
    return data[at:at + size]


@suite.case
def games_get_the_bsp_that_they_load(s, folder):
    stem = os.path.join(folder, "q3_box")
    shutil.copy(s.map("q3_box.map"), stem + ".map")
    vertices = set()
    for game, (magic, version, size) in BSPS.items():
        for line in ("-game NAME -meta", "-vis -game NAME", "-light -fast -game NAME"):
            s.run("q3map2", *line.replace("NAME", game).split(), stem + ".map").expect(0)
        data = read(stem + ".bsp")
        check(data[:4] == magic and struct.unpack_from("<i", data, 4)[0] == version, f"{game}: {data[:8]}")
        check(len(lump(data, 10)) % size == 0, game)
        vertices.add(len(lump(data, 10)) // size)
        page = 3 * (512 if magic == b"FBSP" else 128) ** 2
        check(lump(data, 14) and len(lump(data, 14)) % page == 0, game)
        if magic != b"IBSP":
            points = len(lump(data, 15)) // 30
            check(max(struct.unpack(f"<{len(lump(data, 17)) // 2}H", lump(data, 17))) == points - 1, game)
        s.run("brushwork", "verify", stem + ".bsp").expect(0)
        s.run("brushwork", "info", stem + ".bsp").expect(0)
    check(len(vertices) == 1, vertices)


@suite.case
def games_have_the_defaults_of_q3map2(s, folder):
    """Those of the game come first, so that a given option holds."""
    def lit(line):
        stem = made(s, folder, "q3_patches", ("-meta", "-vis"))
        s.run("q3map2", "-light", "-fast", *line.split(), stem + ".map").expect(0)
        return read(stem + ".bsp")

    plain, deluxe = lit("-game quake3"), lit("-game xonotic")
    check(lit("-game xonotic -nodeluxe") != deluxe, "no deluxemaps")
    check(lit("-game xonotic -nodeluxe -nosRGB") == lit("-patchshadows"), "more than deluxemaps, sRGB and shadows")
    check(lit("-game nexuiz") == plain, "deluxemaps")
    check(lit("-game wolf") != plain, "light is not linear")
    for game, keeps in (("quake3", False), ("unvanquished", True)):
        stem = os.path.join(folder, "q3_box")
        shutil.copy(s.map("q3_box.map"), stem + ".map")
        for line in ("-meta", "-vis", "-light -fast"):
            s.run("q3map2", "-game", game, *line.split(), stem + ".map").expect(0)
        check((b'"light"' in lump(read(stem + ".bsp"), 0)) == keeps, game)


@suite.case
def an_unknown_game_is_refused_with_the_list(s, folder):
    stem = os.path.join(folder, "q3_box")
    shutil.copy(s.map("q3_box.map"), stem + ".map")
    for line in ("-game nothing -meta", "-vis -game nothing", "-light -fast -game nothing"):
        done = s.run("q3map2", "--json", *line.split(), stem + ".map").expect(2)
        told = messages(done, "T006")
        check(len(told) == 1 and all(game in told[0] for game in ("nothing", "et", "warsow", "xonotic")), str(done))
    check(os.listdir(folder) == ["q3_box.map"], os.listdir(folder))


@suite.case
def the_folder_of_a_game_is_below_the_base_path(s, folder):
    os.makedirs(os.path.join(folder, "games", "etmain", "scripts"))
    write(os.path.join(folder, "games", "etmain", "scripts", "a.shader"),
          "textures/a\n{\nsurfaceparm woodsteps\n{\nmap $lightmap\n}\n}\n")
    stem = os.path.join(folder, "q3_box")
    text = read(s.map("q3_box.map")).decode()
    name = next(line.split(") ")[3].split()[0] for line in text.splitlines() if line.startswith("("))
    write(stem + ".map", text.replace(f" {name} ", " a "))
    s.run("q3map2", "-game", "et", "-fs_basepath", os.path.join(folder, "games"), "-meta", stem + ".map").expect(0)
    shaders = lump(read(stem + ".bsp"), 1)
    flags = {shaders[at:at + 64].rstrip(b"\0"): struct.unpack_from("<2i", shaders, at + 64)
             for at in range(0, len(shaders), 72)}
    check(flags[b"textures/a"] == (0x40000, 1), flags)


@suite.case
def dirt_is_unknown_and_none_is_made(s, folder):
    stem = made(s, folder, "q3_patches", ("-meta", "-vis"))
    before = read(stem + ".bsp")

    def lit(*options):
        write(stem + ".bsp", before)
        done = s.run("q3map2", "-light", "-fast", *options, stem + ".map").expect(0)
        return read(stem + ".bsp"), done

    (plain, _), (dirt, done) = lit(), lit("-dirt")
    check(plain == dirt, "-dirt does something")
    check("warning T004: unknown options skipped: '-dirt' of -light" in done.err, str(done))
    # Only the word itself is skipped: what follows is read on, and is unknown if it is no option.
    (gamma, _), (more, done) = lit("-gamma", "2"), lit("-nosuch", "5", "-gamma", "2")
    check(gamma == more and gamma != plain, "what follows an unknown option is lost")
    check("'-nosuch'" in done.err and "'5'" in done.err, str(done))


@suite.case
def defaults_are_those_of_q3map2(s, folder):
    stem = made(s, folder, "q3_patches", ("-meta", "-vis -saveprt"))
    check(os.path.exists(stem + ".prt"), "-saveprt")
    for program, line, ours in (("vbsp", "-bsp", ["--target", "quake3", "-nometa"]),
                                ("vbsp", "-meta -patchmeta", ["--target", "quake3", "-patchmeta"]),
                                ("vrad", "-light", ["-bounce", "0", "-samples", "1"]),
                                ("vrad", "-light -bounce 3 -samples 2", ["-bounce", "3", "-samples", "2"])):
        other = os.path.join(folder, "other")
        for ending in (".map", ".srf", ".bsp"):
            shutil.copy(stem + ending, other + ending)
        s.run("q3map2", *line.split(), stem + ".map").expect(0)
        s.run(program, *ours, other + (".map" if program == "vbsp" else ".bsp")).expect(0)
        check(read(stem + ".bsp") == read(other + ".bsp"), f"{line} is not {ours}")
    s.run("q3map2", "-vis", stem).expect(0)
    check(not os.path.exists(stem + ".prt"), "-vis leaves the portals")


@suite.case
def portals_that_stay_are_told(s, folder):
    stem = made(s, folder, stages=("-meta",))
    out = os.path.join(folder, "out")
    os.mkdir(out)
    os.chmod(out, 0o777)
    is_root = os.geteuid() == 0
    os.chmod(folder, 0o755 if is_root else 0o555)
    try:
        done = s.run("q3map2", "-vis", "--json", "--out", os.path.join(out, "a.bsp"), stem,
                     preexec=(lambda: os.setuid(NOBODY)) if is_root else None)
    except (PermissionError, subprocess.SubprocessError):
        raise Skip("root may remove anything, and another user may not run the programs") from None
    finally:
        os.chmod(folder, 0o755)
    check(os.path.exists(stem + ".prt") and os.path.exists(os.path.join(out, "a.bsp")), str(done.expect(0)))
    told = done.find("C018")
    check(told["severity"] == "warning" and told["file"] == stem + ".prt", told)
    check(done.result["warnings"] == 1, str(done))
    done = s.run("q3map2", "-vis", "--json", stem).expect(0)
    check("C018" not in done.codes() and not os.path.exists(stem + ".prt"), str(done))


@suite.case
def files_have_the_names_of_the_map(s, folder):
    shutil.copy(s.map("q3_box.map"), os.path.join(folder, "a.map"))
    shutil.copy(s.map("q3_box.map"), os.path.join(folder, "part.reg"))
    for line in ("-meta a", "-BSP -META a.map", "a.bsp", "-VIS -SavePrt a.map", "-vis a.prt", "-light a.srf", "-light a",
                 "-meta part.reg", "-vis part.reg", "-light part.reg", "-info a.map part", "-exportents a.map"):
        s.run("q3map2", *line.split(), cwd=folder).expect(0)
    check(sorted(os.listdir(folder)) == ["a.bsp", "a.ent", "a.map", "a.srf", "part.bsp", "part.reg", "part.srf"],
          os.listdir(folder))
    write(os.path.join(folder, "b.map"), "")
    s.run("q3map2", "-tempname", "a.map", "b.map", cwd=folder).expect(0)
    for ending in ("bsp", "prt", "srf"):
        check(os.path.exists(os.path.join(folder, "b." + ending)), ending)
    check(read(os.path.join(folder, "b.map")) == b"", "the map is written to")


@suite.case
def entities_go_out_and_come_back(s, folder):
    stem = made(s, folder)
    s.run("q3map2", "-exportents", stem + ".bsp").expect(0)
    text = read(stem + ".ent")
    check(b'"classname" "worldspawn"' in text, text)
    write(stem + ".ent", text.rstrip(b"\0") + b'{\n"classname" "info_null"\n"origin" "0 0 8"\n}\n')
    s.run("q3map2", "-onlyents", stem + ".ent").expect(0)
    check(b"info_null" in read(stem + ".bsp"), "the entity is not in the BSP")


@suite.case
def bsps_become_models_and_maps(s, folder):
    stem = made(s, folder, "q3_patches")
    for form, ending in (("", ".ase"), ("-format obj", ".obj"), ("-format map", "_converted.map"),
                         ("-format MAP_220", "_converted.map"), ("-format map_bp", "_converted.map")):
        if os.path.exists(stem + ending):
            os.remove(stem + ending)
        s.run("q3map2", "-convert", *form.split(), stem + ".bsp").expect(0)
        check(os.path.exists(stem + ending), form)
    check(b"brushDef" in read(stem + "_converted.map"), "not brush primitives")
    s.run("q3map2", "-meta", stem + "_converted.map").expect(0)
    s.run("q3map2", "-convert", "-format", "ja", stem).expect(0)
    check(read(stem + "_converted.bsp")[:4] == b"RBSP", "another game")
    check("-format nothing" in s.run("q3map2", "-convert", "-format", "nothing", stem).expect(2).err, "no game")


@suite.case
def bots_get_the_checksum(s, folder):
    stem = made(s, folder, stages=("-meta",))
    write(stem + ".aas", plain_aas())
    s.run("q3map2", "-fixaas", stem + ".map").expect(0)
    other = os.path.join(folder, "other.aas")
    write(other, plain_aas())
    s.run("brushwork", "checksum", stem + ".bsp", "--aas", other).expect(0)
    check(read(stem + ".aas") == read(other) != plain_aas(), "not the checksum")


@suite.case
def lumps_and_lightmaps_go_out_and_come_back(s, folder):
    stem = made(s, folder)
    before = read(stem + ".bsp")
    for out, back, name in (("-export", "-import", "lm_0000.tga"), ("-json -unpack", "-json -pack", "entities.json")):
        s.run("q3map2", *out.split(), stem + ".map").expect(0)
        check(os.path.exists(os.path.join(stem, name)), os.listdir(stem))
        s.run("q3map2", *back.split(), stem + ".map").expect(0)
        check(read(stem + ".bsp") == before, f"{back} changes the BSP")


@suite.case
def numbers_before_the_file_scale_and_move(s, folder):
    stem, other = made(s, folder), os.path.join(folder, "other.bsp")
    for line, out, ours in (("-scale 2", "_s", "--scale 2 2 2"), ("-scale 2 1 0.5", "_s", "--scale 2 1 0.5"),
                            ("-Scale -tex 3 -spawn_ref 24", "_s", "--scale 3 3 3"),
                            ("-threads 1 -shift -64 16 -0.5", "_sh", "--shift -64 16 -0.5"),
                            ("-shift -64 -threads 1", "_sh", "--shift -64 -64 -64")):
        done = s.run("q3map2", "--json", *line.split(), stem + ".map").expect(0)
        check("T004" not in done.codes(), str(done))
        s.run("brushwork", "convert", stem + ".bsp", other, *ours.split()).expect(0)
        check(read(stem + out + ".bsp") == read(other) != read(stem + ".bsp"), f"{line} is not {ours}")
        os.remove(stem + out + ".bsp")
    for line in ("-scale", "-scale 2 2", "-scale x", "-scale 0", "-shift"):
        done = s.run("q3map2", *line.split(), stem + ".bsp").expect(2)
        check(done.err.strip() and not os.path.exists(stem + "_s.bsp"), str(done))


@suite.case
def several_maps_are_packed_into_one_archive(s, folder):
    first, other = made(s, folder, "q3_box", ("-meta",)), made(s, folder, "q3_patches", ("-meta",))
    write(os.path.join(folder, "list.txt"), "\n  q3_box\r\nq3_patches.bsp\n")
    write(os.path.join(folder, "rest.txt"), other)
    packed = first + "_repacked.pk3"
    for line in ([first + ".bsp", other + ".bsp"], ["-dbg", first + ".map", other],
                 [os.path.join(folder, "list.txt")], [first, os.path.join(folder, "rest.txt")]):
        done = s.run("q3map2", "--json", "-repack", *line).expect(0)
        check(sum("result" in row for row in done.lines) == 1, f"not one run: {done}")
        with zipfile.ZipFile(packed) as archive:
            names = archive.namelist()
        check({"maps/q3_box.bsp", "maps/q3_patches.bsp"} <= set(names) and len(names) == len(set(names)), names)
        os.remove(packed)
    check(not any("pack" in name for name in os.listdir(folder)), os.listdir(folder))
    write(os.path.join(folder, "list.txt"), "\n")
    for line, status in (("list.txt", 2), ("none.txt", 1), ("none.bsp", 1)):
        done = s.run("q3map2", "-repack", os.path.join(folder, line)).expect(status)
        check(line in done.err, str(done))


@suite.case
def stages_that_are_not_done_say_so(s, folder):
    stem = made(s, folder, stages=("-meta",))
    before = read(stem + ".bsp")
    text = s.run("q3map2", "--markdown").out.decode()
    missing = re.findall(r"^\| -(\w+) \| +\| +\| +\| not done: .", text, re.M)
    check(missing == ["mergebsp", "analyze"], missing)
    for word in missing:
        done = s.run("q3map2", "-" + word, stem + ".bsp").expect(2)
        check(f"-{word} is not done here: " in done.err, str(done))
        check(read(stem + ".bsp") == before, f"-{word} wrote the BSP")


@suite.case
def values_beyond_the_limits_are_replaced(s, folder):
    stem = made(s, folder)
    done = s.run("q3map2", "--json", "-light", "-samples", "40", "-bounce", "1.9", "-super", "-3", stem).expect(0)
    check(messages(done, "T005") == ["-samples 40: 16 is used", "-super -3: 0 is used"], str(done))


@suite.case
def wrong_lines_end_with_a_message(s, folder):
    stem = made(s, folder)
    for line, status in (([], 2), (["-light"], 2), (["-light", "-fast"], 2), (["-light", "-bounce", stem], 2),
                         (["-vis", os.path.join(folder, "nosuch")], 1)):
        done = s.run("q3map2", *line)
        check(done.status == status and done.err.strip(), str(done))
    shutil.copy(s.map("q3_leak.map"), os.path.join(folder, "leak.map"))
    s.run("q3map2", "-meta", os.path.join(folder, "leak.map")).expect(3)
    done = s.run("q3map2", "--json", "-light", "-bounce", stem)
    check(done.codes() == ["T001"] and done.result["exit_status"] == 2, str(done))


@suite.case
def one_run_has_one_result(s, folder):
    stem = made(s, folder)
    done = s.run("q3map2", "--json", "-light", "-dirt", "-dump", stem).expect(0)
    check(sum("result" in line for line in done.lines) == 1, str(done))
    check(done.result["codes"].get("T004") == 1 and done.result["codes"].get("T003") == 1, str(done))


@suite.case
def help_lists_what_is_done(s, _folder):
    page = page_of(s)
    text, everything = s.run("q3map2", "--help").out.decode(), s.run("q3map2", "--help", "all").out.decode()
    stages, everything = everything.split("\n\n", 1)
    check("  -light " in stages and "  -light " in text, stages)
    everything = re.sub(r"\n {6,}", " ", everything)
    rows = re.findall(r"^  -(\w+).*? (done|no effect|always so): ", everything, re.M)
    for state, here in (("done", "done: "), ("no effect", "noted: "), ("always so", "done: always so")):
        wanted = {name.lower() for (_, name), told in page.items() if told.startswith(here)}
        found = {"-" + name.lower() for name, told in rows if told == state}
        check(found and found <= wanted, (state, found - wanted))
    in_all = {"-" + name.lower() for name in re.findall(r"^  -(\w+)", everything, re.M)}
    check(in_all == {name.lower() for _, name in page}, "--help all")
    listed = {"-" + name.lower() for name in re.findall(r"^  -(\w+)", text.split("\n\nAll stages:")[1], re.M)}
    done = {name.lower() for (_, name), here in page.items() if here.startswith("done: ") and "always so" not in here}
    check({"-meta", "-bounce", "-game"} <= listed <= done and len(listed) < 30, listed)
    check("no effect: debugging" in everything, everything)
    one = s.run("q3map2", "-help", "vis").out.decode()
    check("-saveprt" in one and "-bounce" not in one, one)
    about = s.run("q3map2", "--help", "dirt").out.decode()
    check(re.findall(r"^  -(\w+)", about, re.M) ==
          ["dirty", "dirtmode", "dirtdepth", "dirtscale", "dirtgain", "dirtdebug", "debugdirt"], about)
    check(s.run("q3map2", "--help", "nosuch").expect(0).out.decode() == text, "an unknown word is an error")


suite.main()
