#!/usr/bin/env python3
"""What a game may choose of a run: options in its cfg/commandline.cfg, and files that its texts name. For every option
of every program that reads such settings: none that names a file is taken, and none that is taken has the run write
another file. A secret beside the game is in no message and no output."""
import os
import re
import shutil

from e2e import Suite, check, read, write

suite = Suite()
SECRET = "root:x:0:0:a secret of the builder"
GAMEINFO = '"GameInfo" {{ "GameData" "{}" "FileSystem" {{ "SearchPaths" {{ "Game" "|gameinfo_path|." }} }} }}\n'
STAGES = (("vbsp",), ("vvis",), ("vrad",))
PROGRAMS = STAGES + (("brushwork", "build"), ("brushwork", "lint"), ("brushwork", "release"))
# Options with text that names no file: what is added here is to be looked at.
WORDS = {"-celshader", "-globalflag", "-fs_forbiddenpath", "--fail-if", "--max-memory"}
# The command line of all runs has them, and is stronger.
OF_THE_CASE = {"-game", "-vproject"}
# How the settings refuse what they do not take.
REFUSAL = "may only be set on the command line"


def options(s, program):
    """Each option with the number of its arguments, their kind, and their words."""
    found = {}
    for line in s.run(*program, "--completion").expect(0).out.decode().splitlines():
        fields = line.split("\t")
        if fields[0] == "option" and fields[6]:
            found[fields[1]] = (int(fields[2]), fields[3], fields[4].split(), fields[5])
    for name in ("--help", "--version", "--man"):
        found.pop(name)
    return found


def files_below(folder):
    return {os.path.relpath(os.path.join(base, name), folder) for base, _, names in os.walk(folder) for name in names}


class Place:
    """A folder with a map, its BSP, and a game whose settings can be changed."""

    def __init__(self, s, folder, source):
        self.s, self.folder = s, os.path.join(folder, "here")
        self.level = "map" + source[-4:]
        self.game = os.path.join(folder, "game")
        self.secret = write(os.path.join(folder, "secret.txt"), SECRET)
        os.makedirs(os.path.join(self.game, "cfg"))
        write(os.path.join(self.game, "gameinfo.txt"), GAMEINFO.format(""))
        os.makedirs(self.folder)
        shutil.copy(s.map(source), os.path.join(self.folder, self.level))
        if source.endswith(".map"):
            shutil.rmtree(self.game)
            os.makedirs(os.path.join(self.game, "cfg"))
            os.makedirs(os.path.join(self.game, "scripts"))
        s.run("vbsp", self.level, cwd=self.folder).expect(0)
        s.run("vvis", "map", "-fast", cwd=self.folder).expect(0)
        self.kept = {name: read(os.path.join(self.folder, name)) for name in files_below(self.folder)}

    def run(self, program, words, *more):
        """Runs a program with these settings. Returns it and the files that it has made."""
        shutil.rmtree(self.folder)
        for name, data in self.kept.items():
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            write(os.path.join(self.folder, name), data)
        tools = " ".join(f'"{tool}" "{words}"' for (tool,) in STAGES)
        write(os.path.join(self.game, "cfg/commandline.cfg"), f'"commandline" {{ "map" {{ {tools} }} }}')
        operand = "map" if program[0] in ("vvis", "vrad") else self.level
        done = self.s.run(*program, operand, "-game", self.game, *more, cwd=self.folder)
        return done, files_below(self.folder) - self.kept.keys()

    def tells(self, done, made):
        """Where the secret is."""
        inside = [name for name in made if SECRET.encode() in read(os.path.join(self.folder, name))]
        return inside + (["messages"] if SECRET in done.out.decode(errors="replace") + done.err else [])


@suite.case
def no_option_that_names_a_file(s, folder):
    place = Place(s, folder, "box.vmf")
    taken, count = set(), 0
    for program in PROGRAMS:
        for name, (arity, kind, _, _) in options(s, program).items():
            if kind not in ("files", "folders", "text") or name in OF_THE_CASE:
                continue
            words = " ".join([name] + [place.secret] * arity)
            report = [] if name == "--diagnostics-file" else ["--diagnostics-file", "told.sarif"]
            done, made = place.run(program, words, "--json", "--diagnostics=sarif", *report)
            count += 1
            check(not place.tells(done, made), f"{name} of {program}: {place.tells(done, made)} has the file: {done}")
            if REFUSAL not in done.err and not re.search(r"'[^']*secret.txt' is not an? (integer|number)", done.err):
                taken.add(name)
    check(count > 100, f"{count} options")
    check(taken <= WORDS | {"--target"}, f"taken: {sorted(taken - WORDS)}")
    check(WORDS <= taken, f"refused: {sorted(WORDS - taken)}")


def values(arity, kind, words):
    """Arguments that the option may take."""
    if kind == "none":
        return [""]
    return [" ".join([word] * arity) for word in (words if kind == "words" else ["1", "0.5", "200"])]


def look_for_writers(s, folder, source, programs):
    """Runs a program with each option that names no file, for the files that it writes."""
    place = Place(s, folder, source)
    found, count = [], 0
    for program, more in programs:
        usual = place.run(program, "", *more)[1]
        for name, (arity, kind, words, argument) in options(s, program).items():
            if kind in ("files", "folders") or name in WORDS or argument in ("FILE", "DIR"):
                continue
            for value in values(arity, kind, words):
                done, made = place.run(program, f"{name} {value}".strip(), *more)
                if done.status == 0:
                    count += 1
                    found += [f"{program[-1]} {name} {value}: {sorted(made - usual)}"] if made - usual else []
                    break
    check(not found, "; ".join(found))
    return count


@suite.case
def no_option_that_writes(s, folder):
    check(look_for_writers(s, folder, "box.vmf", [(("vbsp",), []), (("vvis",), []), (("vrad",), ["-fast"])]) > 150,
          "options were left out")


@suite.case
def no_option_that_writes_for_quake3(s, folder):
    check(look_for_writers(s, folder, "q3_box.map", [(("vbsp",), []), (("vrad",), ["-fast"])]) > 150,
          "options were left out")


@suite.case
def options_that_write_are_refused(s, folder):
    place = Place(s, folder, "box.vmf")
    for program, names in ((("vbsp",), ("-glview", "-tmpout", "-glview -tmpout", "-dumpcollide", "-dumpstaticprops",
                                        "-dumpstaticprop", "-staticpropcombine_suggestrules", "-MD")),
                           (("vvis",), ("-tmpin", "-trace 0 0", "--resume")),
                           (("vrad",), ("-external", "-lightmapsize 512", "-lightmapdir ../out", "--resume")),
                           (("brushwork", "release"), ("--force",))):
        for words in names:
            done, made = place.run(program, words, "--json")
            check(done.status == 2 and REFUSAL in done.err and not made, f"{words} of {program}: {made}, {done}")


@suite.case
def keys_of_the_map_name_no_files(s, folder):
    text = read(s.map("box.vmf"))
    for key in ("_glview", "glview", "_texdata", "texdata", "_embed", "_o", "_lights", "lights", "_external", "_log"):
        source = text.replace(b'"classname" "worldspawn"', f'"classname" "worldspawn"\n"{key}" "1"'.encode(), 1)
        write(os.path.join(folder, "map.vmf"), source)
        s.run("brushwork", "build", "map.vmf", "-fast", cwd=folder).expect(0)
    check(files_below(folder) == {"map.vmf", "map.bsp", "map.prt"}, files_below(folder))


@suite.case
def texts_of_a_game_name_files_of_their_kind(s, folder):
    place = Place(s, folder, "box.vmf")
    lint = ("brushwork", "lint")
    write(place.secret, "@SolidClass = x " + SECRET)  # as far as a reader of FGDs goes before it quotes what it finds
    for name in ("../secret.txt", place.secret, "..\\\\secret.txt"):
        write(os.path.join(place.game, "gameinfo.txt"), GAMEINFO.format(name))
        done = place.run(lint, "", "--json")[0]
        check("root" not in done.err and "S026" not in done.codes(), done)
    write(os.path.join(place.game, "own.fgd"), '@include "../secret.txt"\n@include "secret.fgd"\n')
    write(os.path.join(place.game, "gameinfo.txt"), GAMEINFO.format("own.fgd"))
    done = place.run(lint, "", "--json")[0]
    check("root" not in done.err, done)
    shutil.copy(place.secret, os.path.join(place.game, "secret.fgd"))
    done = place.run(lint, "", "--json")[0]
    check("root" in done.err, f"what is below the game may be quoted: {done}")


@suite.case
def parts_of_a_manifest_are_maps(s, folder):
    write(os.path.join(folder, "secret.txt"), SECRET + ' {\n"x\n')
    os.makedirs(os.path.join(folder, "maps"))
    write(os.path.join(folder, "maps/map.vmm"), 'Maps\n{\nVMF\n{\n"Name" "a"\n"File" "../secret.txt"\n}\n}\n')
    done = s.run("vbsp", "map.vmm", "--json", cwd=os.path.join(folder, "maps")).expect(1)
    check(SECRET not in done.err and "S031" in done.codes(), done)


if __name__ == "__main__":
    suite.main()
