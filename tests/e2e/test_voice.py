#!/usr/bin/env python3
"""What holds for all programs and verbs: their common options, names without ending, help, closed pipes, and
outputs that cannot be written."""
import os
import re
import shutil
import subprocess

from e2e import Suite, check, read, write

suite = Suite()

STAGES = ("vbsp", "vvis", "vrad")


def verbs_of(*words):
    """The verbs that a program lists for shells: a new one is tested with the others."""
    command = [os.path.join(suite.options.bin, words[0]), *words[1:], "--completion"]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=600).stdout.decode().splitlines()
    return [(*words, line.split("\t")[1]) for line in lines if line.startswith("verb\t")]


VERBS = [words for words in verbs_of("brushwork") if words[1] != "bmx"]
BMX = verbs_of("brushwork", "bmx")
ALL = [(stage,) for stage in STAGES] + VERBS + BMX


def made(s, folder):
    stem = os.path.join(folder, "box")
    shutil.copy(s.map("box.vmf"), stem + ".vmf")
    s.run("vbsp", stem).expect(0)
    return stem


def environment(**values):
    return {**{k: v for k, v in os.environ.items() if k != "COLUMNS"}, **values}


def help_of(s, words, *topic, **values):
    done = subprocess.run([os.path.join(s.options.bin, words[0]), *words[1:], "--help", *topic], check=True,
                          env=environment(**values), stdout=subprocess.PIPE, timeout=600)
    return done.stdout.decode()


@suite.case
def options_of_all(s, _):
    for words in ALL:
        text = help_of(s, words, "all")
        for option in ("--quiet, -q", "-v, -verbose", "--json", "--log FILE", "--diagnostics FORMAT", "--sandbox",
                       "--fail-if NAME>N"):
            check(len(re.findall(rf"\n  {option}%?[ \n]", text)) == 1, f"{words}: {option}\n{text}")
        leaks = words in (("vbsp",), ("brushwork", "build"), ("brushwork", "lint"), ("brushwork", "render"),
                           ("brushwork", "report"), ("brushwork", "release"))
        status = " ".join(text[text.rindex("Exit status"):].split())
        check(("3 map leaks" in status) == leaks, f"{words}: {status}")
        check(("1 different" in status) == (words[-1] == "diff"), f"{words}: {status}")
        check("4 internal error" in status and "5 bound reached" in status, f"{words}: {status}")


@suite.case
def help_fits(s, _):
    for words in ALL + [("q3map2",), ("brushwork",), ("brushwork", "bmx")]:
        for columns, values in ((80, {}), (40, {"COLUMNS": "40"}), (120, {"COLUMNS": "120"}), (80, {"COLUMNS": "0"})):
            lines = help_of(s, words, "all", **values).splitlines()
            for line in lines:
                fits = len(line) <= columns or not re.search(r"\S\s", line.strip())
                check(fits, f"{words} at {columns}: {line}")
            check(columns < 120 or any(len(line) > 90 for line in lines) or words[-1] == "brushwork" or
                  words[-1] == "bmx", f"{words} does not use {columns}")


@suite.case
def help_and_version_are_verbs(s, _):
    for words in VERBS + BMX + [("brushwork", "bmx")]:
        done = s.run("brushwork", "help", *words[1:]).expect(0)
        check(done.out == s.run(*words, "--help").expect(0).out, str(done))
    check(s.run("brushwork", "version").out == s.run("brushwork", "--version").expect(0).out, "version")
    check(s.run("brushwork", "help").out == s.run("brushwork", "--help").expect(0).out, "help")
    check("did you mean 'render'" in s.run("brushwork", "help", "rendre").expect(2).err, "no suggestion")


@suite.case
def names_need_no_ending(s, folder):
    stem = made(s, folder)
    other = shutil.copy(stem + ".bsp", os.path.join(folder, "other.bsp"))[:-4]
    for line in (["info", stem], ["verify", stem], ["checksum", stem], ["texdata", stem], ["diff", stem, other],
                 ["info", stem.upper().replace(folder.upper(), folder)], ["checksum", stem + ".vmf"],
                 ["unpack", stem, "--list"], ["bspzip", "-dir", stem],
                 ["pack", stem, "--add", stem + ".vmf", "a.txt", "-o", stem + "2.bsp"],
                 ["convert", stem, stem + "3.bsp"], ["convert", stem, "-o", stem + "4.bsp"],
                 ["unpack", stem, "--entities", "-o", stem + ".txt"]):
        s.run("brushwork", *line).expect(0)
    check(read(stem + "3.bsp") == read(stem + "4.bsp"), "convert -o")
    for option in ("-o", "--out", "--output"):
        for program in STAGES:
            s.run(program, stem, option, os.path.join(folder, "out.bsp")).expect(0)
        s.run("brushwork", "texdata", stem, option, os.path.join(folder, "t.tsv")).expect(0)
    sample = os.path.join(s.options.source, "tests", "fuzz", "seeds", "bmx", "internal_textures.bmx")
    level = shutil.copy(sample, os.path.join(folder, "level.bmx"))[:-4]
    for line in (["info", level], ["check", level, level], ["unpack", level, level + "_dump"],
                 ["pack", "--force", level + "_dump", level + "2"], ["diff", level, level + "2"],
                 ["info", level.replace("level", "LEVEL")]):
        s.run("brushwork", "bmx", *line).expect(0)
    check(os.path.exists(level + "2.bmx"), "bmx pack adds the ending")
    s.run("brushwork", "convert", stem, stem + "5").expect(0)
    check(os.path.exists(stem + "5.bsp"), "convert adds the ending")
    s.run("brushwork", "convert", stem).expect(2)
    s.run("brushwork", "convert", stem, "a", "-o", "b").expect(2)


@suite.case
def info_of_several(s, folder):
    stem = made(s, folder)
    text = s.run("brushwork", "info", stem, stem).expect(0).out.decode()
    check(text.count("box.bsp: VBSP 20") == 2, text)
    done = s.run("brushwork", "info", stem, os.path.join(folder, "none"), stem, "--json").expect(1)
    import json  # pylint: disable=import-outside-toplevel
    files = json.loads(done.out)["files"]
    check([file["file"] for file in files] == [stem + ".bsp"] * 2, files)
    check(json.loads(s.run("brushwork", "info", stem, "--json").expect(0).out) == files[0], "one file is one object")


@suite.case
def a_closed_pipe_is_no_error(s, folder):
    stem = made(s, folder)
    for program, *line in (("brushwork", "info", stem), ("brushwork", "texdata", stem), ("brushwork", "checksum", stem),
                           ("brushwork", "unpack", stem, "--lump", "planes"), ("brushwork", "unpack", stem, "--list"),
                           ("brushwork", "diff", stem, stem), ("brushwork", "info", stem, "--json"),
                           ("vbsp", stem, "-o", "-"), ("brushwork", "info", "--help"), ("brushwork", "help")):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([os.path.join(s.options.bin, program), *line], stdout=writer, stderr=subprocess.PIPE,
                              check=False, timeout=600, restore_signals=True)
        os.close(writer)
        check(not done.stderr, f"{line}: {done.stderr}")
        check(done.returncode == -13, f"{line}: {done.returncode}")
    reader, writer = os.pipe()
    os.close(reader)
    out = os.path.join(folder, "new.bsp")
    done = subprocess.run([os.path.join(s.options.bin, "vbsp"), stem, "-o", out], stdout=writer,
                          stderr=subprocess.PIPE, check=False, timeout=600)
    os.close(writer)
    check(done.returncode == 0 and os.path.exists(out), "a log that nobody reads stops the compile")


# Operands of each verb that name no file.
ABSENT = {("brushwork", "bspzip"): ["-dir", "none"], ("brushwork", "convert"): ["none", "out"],
          ("brushwork", "diff"): ["none", "none"], ("brushwork", "pack"): ["none", "--store"],
          ("brushwork", "unpack"): ["none", "--list"],
          ("brushwork", "release"): ["none", "-game", "none"],
          ("brushwork", "bmx", "unpack"): ["none", "out"],
          ("brushwork", "bmx", "pack"): ["none", "out"], ("brushwork", "bmx", "diff"): ["none", "none"]}


@suite.case
def all_count_their_messages(s, folder):
    for words in ALL:
        line = [*words, *ABSENT.get(words, ["none"]), "--json", "--fail-if"]
        failed = 2 if words == ("brushwork", "diff") else 1
        done = s.run(*line, "errors", "--fail-if", "warnings", cwd=folder).expect(failed)
        met = [d["message"] for d in done.diagnostics if d["code"] == "V330"]
        check(len(met) == 1 and met[0].startswith('"errors": '), f"{words}: {done}")
        check("V330" not in s.run(*line, "errors>9", cwd=folder).expect(failed).codes(), words)
        for wrong in ("V9999", "warnings>5%", "errors>", "warning", "facs>5"):
            done = s.run(*line, wrong, cwd=folder).expect(2)
            check(done.codes() == ["T001"], f"{words} {wrong}: {done}")
        limits = words in (("vbsp",), ("brushwork", "build"), ("brushwork", "lint"))
        done = s.run(*line, "faces>5", cwd=folder).expect(failed if limits else 2)
        check(limits == ("T001" not in done.codes()), f"{words}: {done}")


@suite.case
def a_condition_fails_what_would_succeed(s, folder):
    stem = made(s, folder)
    bsp = stem + ".bsp"
    write(stem + ".rad", "no/such/texture 1 2 three 4\n")
    s.run("brushwork", "unpack", stem, "--entities", "-o", stem + ".txt").expect(0)
    text = read(stem + ".txt").replace(b"{", b'{\n"long" "' + b"x" * 2000 + b'"', 1)
    s.run("brushwork", "pack", stem, "--entities", write(stem + ".txt", text), "-o", stem + "2.bsp").expect(0)
    for line in (["vvis", stem, "--resume"], ["vrad", "-fast", stem], ["brushwork", "verify", stem + "2"]):
        before, files = read(bsp), sorted(os.listdir(folder))
        done = s.run(*line, "--json", "--fail-if", "warnings").expect(1)
        check(done.find("V330")["message"].endswith("reported") and done.result["status"] == "failed", str(done))
        check(read(bsp) == before and sorted(os.listdir(folder)) == files, f"{line} wrote")
        count = sum(d["severity"] == "warning" for d in done.diagnostics)
        s.run(*line, "--fail-if", f"warnings>{count}", "--fail-if", "errors").expect(0)


# Command lines of each verb by what they write: BSP, DUMP, BMX, PK3 and FILE are inputs, OUT is an output.
OUTPUTS = {
    ("vbsp",): ["BSP -o OUT", "BSP -o OUT -glview", "VMF --target ballance -o OUT"], ("vvis",): ["BSP -o OUT"], ("vrad",): ["BSP -o OUT"],
    ("brushwork", "build"): ["BSP -o OUT"],
    ("brushwork", "bspzip"): ["-extract BSP OUT", "-extractfiles BSP OUT", "-extractcubemaps BSP OUT",
                              "-addfile BSP a.txt FILE OUT", "-addlist BSP FILE OUT"],
    ("brushwork", "checksum"): [], ("brushwork", "diff"): [], ("brushwork", "info"): [], ("brushwork", "explain"): [],
    ("brushwork", "lint"): [], ("brushwork", "verify"): [], ("brushwork", "cache"): [],
    ("brushwork", "convert"): ["BSP OUT", "BSP -o OUT", "VMF OUT --to bmx"],
    ("brushwork", "pack"): ["BSP --store -o OUT", "BSP --add FILE new.txt -o OUT", "PK3 --pk3 OUT"],
    ("brushwork", "render"): ["BSP --size 64x36 -o OUT", "BSP --overview --size 64 -o OUT",
                              "BSP --levelshot --size 64x48 -o OUT", "BSP --minimap --size 64 -o OUT",
                              "BSP BSP --compare --size 64x36 -o OUT"],
    ("brushwork", "texdata"): ["BSP -o OUT"], ("brushwork", "cubemaps"): ["BSP --samples 1 --size 4 -o OUT"],
    ("brushwork", "vtf"): ["TGA -o OUT"],
    ("brushwork", "view"): ["BSP -o OUT"], ("brushwork", "report"): ["BSP --width 64 -o OUT"],
    ("brushwork", "export"): ["BSP -o GLB"], ("brushwork", "release"): ["VMF -insert_search_path DUMP -o OUT"],
    ("brushwork", "unpack"): ["BSP --to OUT", "BSP --cubemaps --to OUT", "BSP --entities -o OUT",
                              "BSP --lump 1 -o OUT", "BSP --file a.txt -o OUT"],
    ("brushwork", "bmx", "info"): [], ("brushwork", "bmx", "check"): [], ("brushwork", "bmx", "diff"): [],
    ("brushwork", "bmx", "unpack"): ["BMX OUT"], ("brushwork", "bmx", "pack"): ["DUMP OUT"],
}


def expect_tried_first(s, words, line, names):
    done = s.run(*words, *(names.get(word, word) for word in line.split()), "--json").expect(1)
    check(done.codes() == ["C002"], f"{line}: {done}")
    phases = [phase["name"] for stage in done.result["stages"] for phase in stage.get("phases", [])]
    check(not phases, f"{words} {line}: {phases} before the output was tried")


@suite.case
def a_report_is_about_the_file_that_is_read(s, folder):
    """Messages without a place are shown at the first operand: with the ending of what the verb reads."""
    stem = made(s, folder)
    shutil.copy(os.path.join(s.options.source, "tests", "fuzz", "seeds", "bmx", "internal_textures.bmx"), stem + ".bmx")
    for line, ending in ((["vbsp", stem], "vmf"), (["brushwork", "lint", stem], "vmf"), (["vvis", stem], "bsp"),
                         (["brushwork", "info", stem], "bsp"), (["brushwork", "bmx", "check", stem], "bmx")):
        done = s.run(*line, "--diagnostics=sarif", "--fail-if", "nonsense").expect(2)
        check(f"box.{ending}" in done.err, f"{line}: {done.err}")
        path = f"{stem}.{ending}"
        before = read(path)
        done = s.run(*line, "--diagnostics=github", "--diagnostics-file", path).expect(2)
        check("would be overwritten" in done.err and read(path) == before, str(done))


@suite.case
def outputs_are_tried_first(s, folder):
    """Before any input is read: these are no maps."""
    check(set(OUTPUTS) == set(ALL), f"say what they write: {set(OUTPUTS) ^ set(ALL)}")
    stem = os.path.join(folder, "x")
    names = {"BSP": stem, "VMF": stem + ".vmf", "PK3": stem, "DUMP": folder, "BMX": stem,
             "FILE": write(stem + ".txt", "x"), "TGA": write(stem + ".tga", "x"), "OUT": os.path.join(stem + ".txt", "out"),
             "GLB": os.path.join(stem + ".txt", "out.glb")}
    for ending in ("vmf", "bsp", "prt", "bmx"):
        write(f"{stem}.{ending}", "x")
    before = sorted(os.listdir(folder))
    for words, lines in OUTPUTS.items():
        for line in lines:
            expect_tried_first(s, words, line, names)
    check(sorted(os.listdir(folder)) == before, os.listdir(folder))
    for ending in ("bsp", "prt", "lin", "png", "html"):
        shutil.rmtree(folder)
        os.makedirs(f"{stem}.{ending}")
        write(stem + ".vmf", "x")
        for words, ends in ((("vbsp",), "bsp prt lin"), (("brushwork", "build"), "bsp prt lin"),
                            (("brushwork", "render"), "png"), (("brushwork", "view"), "html")):
            if ending in ends:
                write(stem + ".bsp", "x") if ending in ("png", "html") else None
                expect_tried_first(s, words, stem, {})


def files_of(folder):
    return {os.path.join(path, name) for path, _, names in os.walk(folder) for name in names}


@suite.case
def the_result_lists_what_was_written(s, folder):
    """The same command lines, with inputs that are what they should be."""
    stem = made(s, folder)
    listed = write(os.path.join(folder, "list.txt"), f"new.txt\n{stem}.vmf\n")
    s.run("brushwork", "pack", stem, "--add", listed, "a.txt").expect(0)
    quake3 = shutil.copy(s.map("q3_box.map"), os.path.join(folder, "q3_box.map"))[:-4]
    s.run("vbsp", quake3).expect(0)
    sample = os.path.join(s.options.source, "tests", "fuzz", "seeds", "bmx", "internal_textures.bmx")
    level = shutil.copy(sample, os.path.join(folder, "level.bmx"))[:-4]
    dump = os.path.join(folder, "dump")
    s.run("brushwork", "bmx", "unpack", level, dump).expect(0)
    image = write(stem + ".tga", bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0, 1, 2, 3]))
    before = files_of(folder)
    for words, lines in OUTPUTS.items():
        for line in lines:
            out = os.path.join(folder, "new", "out")
            names = {"BSP": stem, "VMF": stem + ".vmf", "PK3": quake3, "DUMP": dump, "BMX": level, "FILE": listed, "OUT": out, "TGA": image,
                     "GLB": out + ".glb"}
            done = s.run(*words, *(names.get(word, word) for word in line.split()), "--json").expect(0)
            check(done.result["status"] == "ok" and done.result["wall_seconds"] >= 0, str(done))
            told = {os.path.join(folder, file["path"]): file["bytes"] for file in done.result["files"]}
            check(set(told) == files_of(folder) - before, f"{words} {line}: {done}")
            check(all(os.path.getsize(path) == size for path, size in told.items()), told)
            shutil.rmtree(os.path.join(folder, "new"), ignore_errors=True)


@suite.case
def files_beside_are_tried_first(s, folder):
    """Images and a shader script of vrad -external, dumps of vbsp."""
    path = shutil.copy(s.map("q3_box.map"), os.path.join(folder, "box.map"))
    s.run("vbsp", path).expect(0)
    for name in ("box", "scripts"):
        write(os.path.join(folder, name), "x")
        expect_tried_first(s, ("vrad",), os.path.join(folder, "box") + " -external", {})
        os.remove(os.path.join(folder, name))
    os.mkdir(os.path.join(folder, "box.gl"))
    expect_tried_first(s, ("vbsp",), path + " -glview", {})
    os.remove(os.path.join(folder, "box.srf"))
    os.mkdir(os.path.join(folder, "box.srf"))
    expect_tried_first(s, ("brushwork", "build"), path, {})


@suite.case
def no_folder_is_made_for_a_missing_map(s, folder):
    missing = os.path.join(folder, "nowhere", "map")
    for program in STAGES:
        s.run(program, missing).expect(1)
        check(not os.path.exists(os.path.dirname(missing)), f"{program} makes the folder of a missing map")


@suite.case
def an_error_does_not_look_like_success(s, folder):
    missing = os.path.join(folder, "none")
    for program, *line in (("vbsp", missing), ("vvis", missing), ("vrad", missing), ("brushwork", "build", missing),
                           ("brushwork", "unpack", missing, "--to", folder), ("brushwork", "pack", missing, "--store")):
        out = s.run(program, *line).expect(1).out.decode()
        check(not re.search(r"wrote|read +\d", out), f"{line}: {out}")


suite.main()
