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
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=60).stdout.decode().splitlines()
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


def help_of(s, words, **values):
    done = subprocess.run([os.path.join(s.options.bin, words[0]), *words[1:], "--help"], check=True,
                          env=environment(**values), stdout=subprocess.PIPE, timeout=60)
    return done.stdout.decode()


@suite.case
def options_of_all(s, _):
    for words in ALL:
        text = help_of(s, words)
        for option in ("--quiet, -q", "-v, -verbose", "--json", "--log FILE", "--diagnostics FORMAT", "--sandbox",
                       "--fail-if NAME>N"):
            check(len(re.findall(rf"\n  {option}%?[ \n]", text)) == 1, f"{words}: {option}\n{text}")
        leaks = words in (("vbsp",), ("brushwork", "build"))
        status = " ".join(text[text.rindex("Exit status"):].split())
        check(("3 map leaks" in status) == leaks, f"{words}: {status}")
        check("4 internal error" in status and "5 bound reached" in status, f"{words}: {status}")


@suite.case
def help_fits(s, _):
    for words in ALL + [("brushwork",), ("brushwork", "bmx")]:
        for columns, values in ((80, {}), (40, {"COLUMNS": "40"}), (120, {"COLUMNS": "120"}), (80, {"COLUMNS": "0"})):
            lines = help_of(s, words, **values).splitlines()
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
                              check=False, timeout=60, restore_signals=True)
        os.close(writer)
        check(not done.stderr, f"{line}: {done.stderr}")
        check(done.returncode == -13, f"{line}: {done.returncode}")
    reader, writer = os.pipe()
    os.close(reader)
    out = os.path.join(folder, "new.bsp")
    done = subprocess.run([os.path.join(s.options.bin, "vbsp"), stem, "-o", out], stdout=writer,
                          stderr=subprocess.PIPE, check=False, timeout=60)
    os.close(writer)
    check(done.returncode == 0 and os.path.exists(out), "a log that nobody reads stops the compile")


# Operands of each verb that name no file.
ABSENT = {("brushwork", "bspzip"): ["-dir", "none"], ("brushwork", "convert"): ["none", "out"],
          ("brushwork", "diff"): ["none", "none"], ("brushwork", "pack"): ["none", "--store"],
          ("brushwork", "unpack"): ["none", "--list"], ("brushwork", "bmx", "unpack"): ["none", "out"],
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


@suite.case
def outputs_are_tried_first(s, folder):
    stem = made(s, folder)
    wrong = os.path.join(write(os.path.join(folder, "file"), "x"), "out")
    for program, *line in (("vbsp", stem), ("vvis", stem), ("vrad", stem), ("brushwork", "build", stem),
                           ("brushwork", "render", stem), ("brushwork", "convert", stem), ("brushwork", "texdata", stem),
                           ("brushwork", "pack", stem, "--store")):
        done = s.run(program, *line, "-o", wrong, "--json").expect(1)
        check(done.codes() == ["C002"], str(done))
        phases = [phase["name"] for stage in done.result["stages"] for phase in stage.get("phases", [])]
        check(not phases, f"{line}: {phases} before the output was tried")
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
