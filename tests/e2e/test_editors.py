#!/usr/bin/env python3
"""The files in integrations: read by the rules of the editors that they are for, and each command line in them run."""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess

import editor_files as files
from e2e import Done, Skip, Suite, check, read, write
from feedback_listener import Listener

suite = Suite()
PROGRAMS = ("brushwork", "vbsp", "vvis", "vrad", "q3map2")
MATERIALS = ("dev/dev_measuregeneric01b", "dev/dev_measurewall01a", "dev/dev_measurewall01d", "dev/reflectivity_20",
             "dev/reflectivity_40", "dev/reflectivity_60")


def integration(s, *path):
    return os.path.join(s.options.source, "integrations", *path)


def game_of(folder, name):
    """A game of Source with the materials of the maps."""
    game = os.path.join(folder, name)
    os.makedirs(os.path.join(game, "maps"))
    write(os.path.join(game, "gameinfo.txt"),
          '"GameInfo"\n{\n"game" "A game"\n"FileSystem"\n{\n"SearchPaths"\n{\n"game" "|gameinfo_path|."\n}\n}\n}\n')
    for material in MATERIALS:
        path = os.path.join(game, "materials", material + ".vmt")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, f'"LightmappedGeneric"\n{{\n"$basetexture" "{material}"\n}}\n')
    return game


def run_words(s, words, cwd, status=0):
    program = os.path.basename(words[0])
    check(program in PROGRAMS, words[0])
    done = s.run(program, *words[1:], cwd=cwd).expect(status)
    check("T004" not in done.err and "R063" not in done.err, f"options that do nothing: {done}")
    return done


def check_playable(s, bsp):
    s.run("brushwork", "verify", bsp).expect(0)
    info = json.loads(s.run("brushwork", "info", "--json", bsp).expect(0).out)
    check(info["visibility"]["clusters"] > 0, f"{bsp}: no visibility")
    lightmaps = info["lightmap_bytes"]
    check(lightmaps["ldr"] or lightmaps["hdr"], f"{bsp}: no light")


# NetRadiant

def radiant_values(folder, address):
    maps, engine = os.path.join(folder, "my maps"), os.path.join(folder, "engine of mine")
    return {"RadiantPath": "/opt/radiant/", "ExecutableType": "x86_64", "EnginePath": engine + "/",
            "UserEnginePath": os.path.join(folder, "user") + "/", "ExtraResourcePaths": f'-fs_pakpath "{engine}/extra"',
            "MonitorAddress": address, "GameName": "mod", "MapName": "box", "MapFile": os.path.join(maps, "box.map"),
            "BspFile": os.path.join(maps, "box.bsp")}


def menu_lines(s, values):
    variables, builds = files.menu_of(integration(s, "netradiant", "default_build_menu.xml"))
    values = {**values, **{name: files.menu_text(parts, values) for name, parts in variables.items()}}
    return {name: [shlex.split(files.menu_text(parts, values)) for parts in lines] for name, lines in builds.items()}


@suite.case
def test_netradiant(s, folder):
    for name in ("my maps", "engine of mine/baseq3/scripts", "engine of mine/mod", "engine of mine/extra", "user/mod"):
        os.makedirs(os.path.join(folder, name))
    shutil.copy(s.map("q3_box.map"), os.path.join(folder, "my maps", "box.map"))
    bsp = os.path.join(folder, "my maps", "box.bsp")
    run = set()
    with Listener() as listener:
        for name, lines in menu_lines(s, radiant_values(folder, listener.address)).items():
            for words in lines:
                check(listener.address in words or "-pk3" in words, "the editor watches what holds its address")
                done = run_words(s, words, folder)
                check("C342" not in done.err, str(done))
                elements = listener.stream().parse()
                check(not any(e.level == 3 for e in elements), f"{name}: {done}")
                run.add(os.path.basename(words[0]))
            if len(lines) > 1 or name in ("Brushwork: fast", "Brushwork: normal"):
                check_playable(s, bsp)
    check(run == set(PROGRAMS), run)
    check(glob.glob(os.path.join(folder, "my maps", "*.pk3")), "no .pk3")


@suite.case
def test_netradiant_with_least_variables(s, folder):
    values = {**radiant_values(folder, ""), "UserEnginePath": "", "ExtraResourcePaths": "", "GameName": ""}
    os.makedirs(os.path.join(folder, "my maps"))
    os.makedirs(os.path.join(folder, "engine of mine", "baseq3", "scripts"))
    shutil.copy(s.map("q3_box.map"), os.path.join(folder, "my maps", "box.map"))
    for lines in menu_lines(s, values).values():
        for words in lines:
            check("-connect" not in words and "-fs_game" not in words, words)
            run_words(s, words, folder)
            if "-vis" in words and "-saveprt" not in words:
                check(not os.path.exists(os.path.join(folder, "my maps", "box.prt")), "as q3map2 does")


@suite.case
def test_netradiants_own_menu(s, folder):
    """The lines that the editor has for its q3map2, with ours in its place."""
    os.makedirs(os.path.join(folder, "engine of mine", "baseq3", "scripts"))
    os.makedirs(os.path.join(folder, "my maps"))
    shutil.copy(s.map("q3_box.map"), os.path.join(folder, "my maps", "box.map"))
    editor = os.path.join(folder, "my radiant")
    os.makedirs(editor)
    os.symlink(os.path.join(s.options.bin, "q3map2"), os.path.join(editor, "q3map2.x86_64"))
    values = {**radiant_values(folder, ""), "RadiantPath": editor + "/"}
    before = ('"[RadiantPath]q3map2.[ExecutableType]" -v -game quake3 -fs_basepath "[EnginePath]" -fs_game [GameName] '
              '[ExtraResourcePaths] ')
    for line in ('-meta "[MapFile]"', '-vis -saveprt "[MapFile]"', '-light -fast "[MapFile]"',
                 '-meta -samplesize 64 "[MapFile]"', '-vis -fast -saveprt "[MapFile]"',
                 '-light -fast -nogrid "[MapFile]"',
                 '-flares -meta -noob "[MapFile]"', '-vis "[MapFile]"',
                 '-light -fast -patchshadows -samples 2 -filter -bounce 8 "[MapFile]"', '-pk3 "[BspFile]"'):
        words = shlex.split(files.menu_text([before + line], values))
        done = subprocess.run(words, cwd=folder, capture_output=True, timeout=600, check=False)
        done = Done(words, done).expect(0)
        check("T004" not in done.err, f"unknown options: {done}")
    check_playable(s, values["BspFile"])


@suite.case
def test_netradiant_shows_a_leak(s, folder):
    os.makedirs(os.path.join(folder, "engine of mine", "baseq3", "scripts"))
    values = {**radiant_values(folder, ""), "UserEnginePath": "", "ExtraResourcePaths": "", "GameName": ""}
    values["MapFile"], values["BspFile"] = s.map("q3_leak.map"), os.path.join(folder, "leak.bsp")
    with Listener() as listener:
        values["MonitorAddress"] = listener.address
        for words in menu_lines(s, values)["Brushwork: normal"]:
            run_words(s, words, folder, status=3)
            elements = listener.stream().parse()
            check(any(c.name == "polyline" for e in elements for c in e.children), "the line of the leak")


# TrenchBroom

def export(source, target, strips):
    text = read(source).decode()
    if strips:
        text = "".join(line for line in text.splitlines(True) if not line.startswith('"_tb_'))
    write(target, text)


def run_profile(s, profile, values, source):
    values = dict(values)
    values["WORK_DIR_PATH"] = files.broom_text(profile["workdir"], {"MAP_DIR_PATH": values.pop("MAP_DIR_PATH")})
    for task in profile["tasks"]:
        texts = {key: files.broom_text(value, values) for key, value in task.items() if isinstance(value, str)}
        if not task["enabled"]:
            continue
        if task["type"] == "export":
            export(source, texts["target"], task["stripTbProperties"])
        elif task["type"] == "tool":
            run_words(s, [texts["tool"], *shlex.split(texts["parameters"])], values["WORK_DIR_PATH"])
        elif task["type"] == "rename":
            os.replace(texts["source"], texts["target"])
        elif task["type"] == "copy":
            found = glob.glob(glob.escape(os.path.dirname(texts["source"])) + "/" + os.path.basename(texts["source"]))
            check(found and os.path.isdir(texts["target"]), texts)
            for path in found:
                shutil.copy(path, texts["target"])
        else:
            for path in glob.glob(texts["target"]):
                os.remove(path)


def run_profiles(s, folder, path, source, game, mod, count):
    profiles = files.profiles_of(path)
    check(len(profiles) == count, "profiles")
    for profile in profiles:
        place = os.path.join(folder, "my maps " + re.sub(r"\W", "", profile["name"]))
        os.makedirs(place)
        maps = os.path.join(game, mod, "maps")
        shutil.rmtree(maps, ignore_errors=True)
        os.makedirs(maps)
        values = {"MAP_DIR_PATH": place, "MAP_BASE_NAME": "room", "MAP_FULL_NAME": "room.map", "CPU_COUNT": "2",
                  "GAME_DIR_PATH": game, "MODS": ["hl2", mod], "APP_DIR_PATH": "/opt",
                  **{name: f"/usr/bin/{name}" for name in ("q3map2", "brushwork")}}
        run_profile(s, profile, values, source)
        if any(task["type"] == "copy" for task in profile["tasks"]):
            check_playable(s, os.path.join(maps, "room.bsp"))
            check(b'"_tb_' not in read(os.path.join(maps, "room.bsp")), "keys of the editor")


@suite.case
def test_trenchbroom_quake3(s, folder):
    game = os.path.join(folder, "Quake 3")
    os.makedirs(os.path.join(game, "baseq3", "scripts"))
    run_profiles(s, folder, integration(s, "trenchbroom", "quake3", "CompilationProfiles.cfg"),
                 s.map("trenchbroom_quake3.map"), game, "baseq3", 4)


@suite.case
def test_trenchbroom_source(s, folder):
    top = integration(s, "trenchbroom", "source")
    config = files.game_config_of(os.path.join(top, "GameConfig.cfg"))
    game = os.path.join(folder, "Half-Life 2")
    game_of(game, "hl2")
    run_profiles(s, folder, os.path.join(top, "CompilationProfiles.cfg"), s.map("trenchbroom_source.map"), game,
                 "hl2", 4)
    for name in [f["initialmap"] for f in config["fileformats"]] + config["entities"]["definitions"]:
        check(os.path.exists(os.path.join(top, name)), name)
    s.run("vbsp", os.path.join(top, "initial_valve.map"), "--target", "sdk2013", "-o",
          os.path.join(folder, "initial.bsp")).expect(0)


@suite.case
def test_entity_classes_of_trenchbroom(s, folder):
    """The FGD has what the map uses, and its classes what the compiler reads."""
    fgd = integration(s, "trenchbroom", "source", "Source.fgd")
    done = s.run("brushwork", "lint", "-fgd", fgd, "--target", "sdk2013", "-game", game_of(folder, "hl2"),
                 s.map("trenchbroom_source.map")).expect(0)
    check("warning" not in done.err, str(done))
    text = read(s.map("trenchbroom_source.map")).decode().replace('"trigger_multiple"', '"trigger_absent"')
    done = s.run("brushwork", "lint", "-fgd", fgd, "--target", "sdk2013", "-game", os.path.join(folder, "hl2"),
                 write(os.path.join(folder, "a.map"), text), "--json")
    check(any("trigger_absent" in d["message"] for d in done.diagnostics), str(done))
    text = read(fgd).decode()
    classes = re.findall(r"^@(\w+)(.*?)= (\w+)", text, re.MULTILINE)
    names = [name for _, _, name in classes]
    check(len(names) == len(set(names)) and len(names) > 30, "classes")
    for _, bases, name in classes:
        for base in re.findall(r"base\(([^)]*)\)", bases):
            check(all(part.strip() in names for part in base.split(",")), f"{name}: {base}")
    check(text.count("[") == text.count("]"), "brackets")


@suite.case
def test_trenchbroom_ballance(s, folder):
    """Each profile makes a level of the map, with the table that is named like it."""
    top = integration(s, "trenchbroom", "Ballance")
    config = files.game_config_of(os.path.join(top, "GameConfig.cfg"))
    for name in [f["initialmap"] for f in config["fileformats"]] + config["entities"]["definitions"]:
        check(os.path.exists(os.path.join(top, name)), name)
    profiles = files.profiles_of(os.path.join(top, "CompilationProfiles.cfg"))
    for number, profile in enumerate(profiles):
        place = os.path.join(folder, f"my levels {number}")
        os.makedirs(place)
        values = {"MAP_DIR_PATH": place, "MAP_BASE_NAME": "way", "CPU_COUNT": "2", "brushwork": "/usr/bin/brushwork"}
        run_profile(s, profile, values, s.map(os.path.join("ballance", "ramps.map")))
        made = {f"way{end}" for end in ("-compile.map", ".bmx")}
        if "Quake" in profile["name"]:
            made |= {f"way{end}" for end in (".bsp", ".prt", ".srf", ".pk3")}
        check(set(os.listdir(place)) == made, os.listdir(place))
    initial = os.path.join(folder, "initial.bmx")
    s.run("brushwork", "convert", os.path.join(top, "initial_valve.map"), initial).expect(0)
    done = s.run("brushwork", "bmx", "check", "--ballance", "--json", initial).expect(0)
    check([f["diagnostic"] for f in json.loads(done.out)["findings"]] == ["M105"], "one sector, else nothing")


@suite.case
def test_entity_classes_of_ballance(s, folder):
    """The FGD has the classes of all components and of the levels, and what it has is converted."""
    text = read(integration(s, "trenchbroom", "Ballance", "Ballance.fgd")).decode()
    classes = dict((name, kind) for kind, name in re.findall(r"^@(Solid|Point)Class.*?= (\w+)", text, re.MULTILINE))
    check(len(classes) == 27 + 8, sorted(classes))
    check(text.count("[") == text.count("]"), "brackets")
    for level in ("ramps", "rails", "tower"):
        used = set(re.findall(r'"classname" "(\w+)"', read(s.map(os.path.join("ballance", level + ".map"))).decode()))
        check(used <= set(classes), used - set(classes))
    points = [name for name, kind in classes.items() if kind == "Point" and name != "misc_model"]
    lines = ['{\n"classname" "worldspawn"\n}\n']
    lines += [f'{{\n"classname" "{name}"\n"origin" "{64 * i} 0 0"\n"sector" "1"\n}}\n' for i, name in enumerate(points)]
    path, out = write(os.path.join(folder, "all.map"), "".join(lines)), os.path.join(folder, "all.bmx")
    done = s.run("brushwork", "convert", path, out, "--json").expect(0)
    check(not done.codes(), done.codes())
    made = json.loads(s.run("brushwork", "bmx", "info", "--json", out).expect(0).out)
    check(made["components"] == 27, made)


# Hammer and Compile Pal: programs of Windows.

class Windows:
    """Drive C: of a folder, as Wine has it, or WSL by a stand-in of its wslpath."""

    def __init__(self, s, folder, kind):
        self.s, self.kind, self.drive = s, kind, os.path.join(folder, "drive_c")
        drives = os.path.join(folder, "dosdevices")
        os.makedirs(self.drive)
        os.makedirs(drives)
        path = [s.options.bin, os.environ["PATH"]]
        if kind == "WSL":
            tools = os.path.join(folder, "tools")
            os.makedirs(tools)
            script = f'#!/bin/sh\nprintf "%s\\n" "$2" | sed -e "s,\\\\\\\\,/,g" -e "s,^[Cc]:,{self.drive},"\n'
            os.chmod(write(os.path.join(tools, "wslpath"), script), 0o755)
            path.insert(0, tools)
        else:
            os.symlink(self.drive, os.path.join(drives, "c:"))
            os.symlink("/", os.path.join(drives, "z:"))
        self.env = {**os.environ, "PATH": ":".join(path), "WINEPREFIX": folder}

    def path(self, text):
        check(text.startswith("C:\\"), text)
        return os.path.join(self.drive, *text[3:].split("\\"))

    def words(self, line):
        """What the system starts for a command line."""
        words = files.windows_words(line)
        if words[0] == "C:\\Windows\\System32\\wsl.exe":
            check(words[1] == "-e" and self.kind == "WSL", line)
            words = words[2:]
        elif words[0].startswith("Z:\\"):
            check(self.kind == "Wine", line)
            words[0] = words[0][2:].replace("\\", "/")
        elif words[0].startswith("C:\\Program Files\\brushwork\\bin\\"):
            check(self.kind == "Windows" and words[0].endswith(".exe"), line)
            return [integration(self.s, "hammer/brushwork-windows"), words[0].split("\\")[-1][:-4], *words[1:]]
        place = "/usr/share/brushwork/integrations/"
        check(words[0].startswith(place), line)
        return [integration(self.s, words[0][len(place):]), *words[1:]]

    def run(self, line, status=0):
        words = self.words(line)
        done = subprocess.run(words, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=600,
                              check=False)
        return Done(words, done).expect(status)


def hammer_setup(s, folder, kind):
    """A map in a folder with a space, a game in another; names on the disk differ in case under Wine."""
    windows = Windows(s, folder, kind)
    game_of(os.path.join(windows.drive, "Program Files"), "hl2")
    os.makedirs(os.path.join(windows.drive, "My Maps"))
    shutil.copy(s.map("box.vmf"), os.path.join(windows.drive, "My Maps", "box.vmf"))
    path = "C:\\my maps" if kind == "Wine" else "C:\\My Maps"
    values = {"file": "box", "ext": "vmf", "path": path, "gamedir": "C:\\Program Files\\hl2",
              "bspdir": "C:\\Program Files\\hl2\\maps", "exedir": "C:\\Program Files", "bindir": "C:\\bin",
              "game_exe": "C:\\Program Files\\hl2.exe",
              **{f"{name}_exe": f"Z:\\usr\\share\\brushwork\\integrations\\hammer\\{program}"
                 for name, program in (("bsp", "vbsp"), ("vis", "vvis"), ("light", "vrad"))}}
    return windows, values


def run_sequence(windows, values, commands):
    kinds = []
    for enabled, special, program, parameters, ensured in commands:
        check(enabled, "a command that is off")
        line = files.hammer_text(parameters, values)
        started = files.hammer_text(program, values) if "$exedir" in program else f'"{program}"'
        if special == 257:
            source, target = files.windows_words(line)
            shutil.copy(windows.path(source.replace("my maps", "My Maps")), windows.path(target))
            kinds.append("copy")
        elif program == "$game_exe":
            check(files.windows_words(line) == ["-game", values["gamedir"], "+map", "box"], line)
            kinds.append("game")
        else:
            check(special == 0, special)
            windows.run(f'{started} {line}')
        if ensured:
            path = files.hammer_text(ensured, values).strip('"')
            check(os.path.exists(windows.path(path.replace("my maps", "My Maps"))), ensured)
    return kinds


@suite.case
def test_hammer_sequences(s, folder):
    check_sequences(s, integration(s, "hammer"), folder, ("WSL", "Wine"))


@suite.case
def test_hammer_sequences_for_windows(s, folder):
    """By the programs of this system, to which the paths are translated."""
    check_sequences(s, integration(s, "hammer/windows"), folder, ("Windows",))


def check_sequences(s, top, folder, systems):
    listed = files.sequences_of_binary(os.path.join(top, "CmdSeq.wc"))
    for name, keys in (("hammerplusplus_sequences.cfg", files.PLUSPLUS), ("strata_sequences.cfg", files.STRATA)):
        check(files.sequences_of_text(os.path.join(top, name), keys) == listed, f"{name} says the same")
    names = [name for name, _ in listed]
    check(len(names) == len(set(names)), "names")
    check(len(names) == 5 * len(systems), names)
    for kind in systems:
        own = [(name, commands) for name, commands in listed if f"({kind})" in name]
        check(len(own) == 5, names)
        for i, (name, commands) in enumerate(own):
            windows, values = hammer_setup(s, os.path.join(folder, f"{kind}{i}"), kind)
            kinds = run_sequence(windows, values, commands)
            check(kinds == ([] if "check" in name else ["copy", "game"]), f"{name}: {kinds}")
            if kinds:
                check_playable(s, windows.path("C:\\Program Files\\hl2\\maps\\box.bsp"))


@suite.case
def test_hammer_sequences_are_those_of_the_script(s, folder):
    script = os.path.join(s.options.source, "scripts", "hammer_sequences")
    done = subprocess.run(["python3", script, folder], check=False)
    check(done.returncode == 0, "the script")
    made = [os.path.relpath(os.path.join(base, name), folder) for base, _, names in os.walk(folder) for name in names]
    for name in made:
        own = read(integration(s, "hammer", name))
        check(read(os.path.join(folder, name)) == own, f"{name}: run scripts/hammer_sequences")
    check(len(made) == 6, made)


@suite.case
def test_hammer_configuration(s, folder):
    """The programs of a game, as the normal mode calls them."""
    (root, config), = files.key_values(integration(s, "hammer", "GameConfig.txt"))
    check(root == "Configs" and [key for key, _ in config] == ["Games", "SDKVersion"], root)
    for _, game in dict(config)["Games"]:
        hammer = dict(dict(game)["hammer"])
        check({"GameExe", "BSP", "Vis", "Light", "BSPDir", "MapDir", "GameData0", "GameExeDir"} <= set(hammer), hammer)
        windows, values = hammer_setup(s, os.path.join(folder, "Wine"), "Wine")
        for key, name in (("BSP", "bsp"), ("Vis", "vis"), ("Light", "light")):
            check(hammer[key] == values[name + "_exe"], hammer[key])
        for name, ending in (("bsp", ".vmf"), ("vis", ""), ("light", "")):
            windows.run(files.hammer_text(f"${name}_exe -game $gamedir $path\\$file{ending}", values))
        check_playable(s, windows.path("C:\\My Maps\\box.bsp"))


@suite.case
def test_compile_pal(s, folder):
    top = integration(s, "compilepal")
    orders = {}
    for i, name in enumerate(sorted(os.listdir(top))):
        meta, parameters = files.plugin_of(os.path.join(top, name))
        orders[name] = meta["Order"]
        windows, values = hammer_setup(s, os.path.join(folder, str(i)), "WSL")
        source = values["path"] + "\\box.vmf"
        s.run("brushwork", "build", windows.path(source)).expect(0)
        for parameter in [None, *parameters]:
            middle = parameter["Parameter"] if parameter else ""
            if parameter and parameter["CanHaveValue"]:
                value = values["path"] if parameter["ValueIsFolder"] else parameter["Value"]
                check(value, parameter)
                middle += f' "{value}"' if parameter["ValueIsFolder"] else f" {value}"
            rest = files.pal_text(meta["BasisString"], {"game": values["gamedir"], "vmfFile": source})
            done = windows.run(f'"{meta["Path"]}" {meta["Arguments"]}{middle}{rest}')
            check("T00" not in done.err, str(done))
    check(orders["Brushwork VBSP"] < orders["Brushwork VVIS"] < orders["Brushwork VRAD"] < 4, "before COPY")
    leaking = windows.path(source)
    shutil.copy(s.map("leak.vmf"), leaking)
    meta, _ = files.plugin_of(os.path.join(top, "Brushwork"))
    rest = files.pal_text(meta["BasisString"], {"game": values["gamedir"], "vmfFile": source})
    done = windows.run(f'"{meta["Path"]}" {meta["Arguments"]}{rest}', status=3)
    check(b"**** leaked ****" in done.out, "the line that Compile Pal looks for")


# Visual Studio Code

@suite.case
def test_vscode(s, folder):
    tasks = files.tasks_of(integration(s, "vscode", "tasks.json"))
    place = os.path.join(folder, "my maps")
    os.makedirs(place)
    source = shutil.copy(s.map("box.vmf"), place)
    values = {"file": source, "fileDirname": place, "fileBasenameNoExtension": "box", "workspaceFolder": folder}

    def text(word):
        check(set(re.findall(r"\$\{(\w+)\}", word)) <= set(values), word)
        return re.sub(r"\$\{(\w+)\}", lambda match: values[match.group(1)], word)
    builds = [task for task in tasks if task["group"] == "build" or isinstance(task["group"], dict)]
    for task in builds + [task for task in tasks if task not in builds]:
        check(text(task["options"]["cwd"]) == folder, task)
        run_words(s, [task["command"], *map(text, task["args"])], folder)
    check_playable(s, os.path.join(place, "box.bsp"))


@suite.case
def test_vscode_finds_problems(s, folder):
    matchers = files.tasks_of(integration(s, "vscode", "tasks.json"))[0]["problemMatcher"]
    kinds = set()
    for name, program in (("q3_broken.map", ("vbsp",)), ("bad_solids.vmf", ("vbsp",)),
                          ("lint.vmf", ("brushwork", "lint")), ("leak.vmf", ("brushwork", "build", "--no-leak-picture")),
                          ("absent.vmf", ("vbsp",))):
        source = os.path.join(folder, "my: maps", name)
        os.makedirs(os.path.dirname(source), exist_ok=True)
        if name != "absent.vmf":
            shutil.copy(s.map(name), source)
        done = s.run(*program, source, "-v")
        own = [line for line in done.err.splitlines() if re.search(r": (error|warning|note) [A-Z]\d{3}:", line)]
        check(own, name)
        found = files.problems(matchers, done.err)
        told = s.run(*program, source, "--json").diagnostics
        placed = [(d["file"], str(d["line"]), d["severity"], d["code"]) for d in told if "line" in d]
        seen = [(p["file"], p["line"], p["severity"], p["code"]) for p in found if "line" in p]
        check(sorted(placed) == sorted(seen), name)
        kinds |= {(p["severity"], "line" in p) for p in found}
        check(all(p["message"] for p in found), "messages")
    check({("error", True), ("warning", True), ("error", False)} <= kinds, kinds)


@suite.case
def test_patterns_in_javascript(s, folder):
    """The patterns are those of another language than this one."""
    if not shutil.which("node"):
        raise Skip("no node")
    matchers = files.tasks_of(integration(s, "vscode", "tasks.json"))[0]["problemMatcher"]
    done = s.run("vbsp", shutil.copy(s.map("q3_broken.map"), folder), "-v")
    script = ("const [patterns, text] = JSON.parse(require('fs').readFileSync(0));"
              "console.log(JSON.stringify(text.split('\\n').map(l => patterns.map(p => new RegExp(p).test(l)))))")
    patterns = [m["pattern"]["regexp"] for m in matchers]
    lines = done.err.splitlines()
    out = subprocess.run(["node", "-e", script], input=json.dumps([patterns, "\n".join(lines)]), text=True,
                         capture_output=True, check=True).stdout
    check(json.loads(out) == [[bool(re.search(p, line)) for p in patterns] for line in lines], "the same matches")


suite.main()
