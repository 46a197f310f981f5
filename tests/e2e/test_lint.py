#!/usr/bin/env python3
"""brushwork lint: every fault with its place, no other; several maps, formats, --fail-if; the maps of
the corpus; the hook of pre-commit."""
import os
import re
import subprocess

from e2e import Skip, Suite, check, read, write

suite = Suite()

FGD = """
@BaseClass = Named [ targetname(target_source) : "Name" : : "n" ]
@PointClass base(Named) = logic_relay : "" [ input Trigger(void) : "t" output OnTrigger(void) : "o" ]
@PointClass base(Named) = info_target : "" []
@PointClass base(Named) = filter_multi : "" []
@PointClass base(Named) = ambient_generic : "" [ message(sound) : "Sound" ]
@PointClass base(Named) = env_sprite : "" []
@SolidClass base(Named) = func_door : "" [ noise1(sound) : "Sound" soundname(string) : "Text" ]
"""
GAMEINFO = 'GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }'
SOUNDS = """
"Lint.There" { "channel" "CHAN_STATIC" "wave" "*)lint/there.wav" }
"Lint.Gender" { "rndwave" { "wave" "lint/$gender01.wav" } "wave" "common/null.wav" }
"Lint.Lost" { "rndwave" { "wave" "lint/there.wav"
  "wave" "^lint/lost.wav" "wave" "lint/lost2.wav" } }
"Lint.Twice" { "wave" "lint/there.wav" }
"lint.twice" { "wave" "lint/none.wav" }
"""
# Entity of each finding in maps/lint_entities.vmf.
FAULTS = {"V460": 100, "V461": 101, "V462": 103, "V464": 104, "V465": 105, "V466": 106, "V467": 1,
          "V468": 107, "R017": 108, "V469": 109, "V470": 111, "V471": 113, "V472": 114, "V473": 116,
          "V475": 117}
# Codes that a run without lint has for maps/lint_entities.vmf, too.
OF_VBSP = {"C355", "V164", "V490"}
CODES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "common", "diag", "codes")
LINT = {"R017"}.union("".join(code) for name in ("lint_entities", "lint_content") for code in re.findall(
    r"^DIAG\(\w+, (\w), (\d+),", read(os.path.join(CODES, f"{name}.def")).decode(), re.MULTILINE))


def game_of(folder):
    game = os.path.join(folder, "game")
    os.makedirs(os.path.join(game, "bin"))
    write(os.path.join(game, "gameinfo.txt"), GAMEINFO)
    write(os.path.join(game, "bin", "a.fgd"), FGD)
    put(game, "scripts/game_sounds_manifest.txt", 'x { precache_file scripts/a.txt preload_file scripts/none.txt }')
    put(game, "scripts/a.txt", SOUNDS)
    put(game, "sound/lint/there.wav", "x")
    return game


def put(game, name, data):
    path = os.path.join(game, *name.split("/"))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write(path, data)


def findings(done):
    return [d for d in done.diagnostics if d["code"] in LINT]


def expect_faults(done, without=(), besides=()):
    told = {d["code"]: d.get("entity") for d in done.diagnostics if d["code"] not in {"V463", *OF_VBSP, *besides}}
    expected = {code: entity for code, entity in FAULTS.items() if code not in without}
    check(told == expected, (told, str(done)))
    for finding in findings(done):
        check(finding["code"] == "V463" or finding["line"] > 0, finding)


@suite.case
def every_fault_is_reported(s, folder):
    game = game_of(folder)
    path = write(os.path.join(folder, "map.vmf"), read(s.map("lint_entities.vmf")))
    done = s.run("brushwork", "lint", "--json", "-game", game, path).expect(1)
    expect_faults(done)
    check(len(findings(done)) == len(FAULTS), str(done))
    check(sorted(os.listdir(folder)) == ["game", "map.vmf"], os.listdir(folder))


@suite.case
def an_fgd_may_be_given_or_absent(s, folder):
    fgd = write(os.path.join(folder, "a.fgd"), FGD)
    path = s.map("lint_entities.vmf")
    done = s.run("brushwork", "lint", "--json", "-fgd", fgd, path, path).expect(1)
    check("V463" not in done.codes() and done.codes().count("V461") == 2, str(done))
    done = s.run("brushwork", "lint", "--json", path, path).expect(1)
    check(done.codes().count("V463") == 1, "noted once a run")
    expect_faults(done, ("V461", "V462", "V471", "V472", "V475"))
    done = s.run("brushwork", "lint", "--json", "-fgd", fgd + "x", path).expect(1)
    done.find("C001")


@suite.case
def own_content_is_no_game(s, folder):
    """Sounds of the game are not in a folder of one's own."""
    game_of(folder)
    done = s.run("brushwork", "lint", "--json", "-insert_search_path", os.path.join(folder, "game"),
                 s.map("lint_entities.vmf")).expect(1)
    expect_faults(done, ("V461", "V462", "V471", "V472", "V475"))


def sounds_of(s, folder, *names, key="message", classname="ambient_generic"):
    """Codes and messages of a map with one entity for each name of a sound."""
    entities = "".join(entity(200 + i, classname, **{key: name}) for i, name in enumerate(names))
    path = write(os.path.join(folder, "map.vmf"), read(s.map("box.vmf")).decode() + entities)
    game = os.path.join(folder, "game")
    done = s.run("brushwork", "lint", "--json", "-game", game, path).expect(0)
    return [(d["code"], d["entity"], d["message"]) for d in findings(done) if d["code"] in ("V471", "V475")]


@suite.case
def game_sounds_are_of_soundscripts(s, folder):
    game = game_of(folder)
    told = sounds_of(s, folder, "lint.THERE", "Lint.Gender", "Lint.Twice", "lint/there.wav", "", "0", "12",
                     "!SENTENCE", "$variable")
    check(not told, told)
    told = sounds_of(s, folder, "Lint.Lost", "Lint.Nobody", "Lint.Nobody")
    check(told == [("V471", 200, '"^lint/lost.wav" of the game sound "Lint.Lost" (scripts/a.txt:5; 2 of 3 are '
                    'missing), message of ambient_generic'),
                   ("V475", 201, '"Lint.Nobody", message of ambient_generic')], told)
    check(not sounds_of(s, folder, "Any.Text", key="soundname", classname="func_door"), "a text is no sound")
    check([code for code, *_ in sounds_of(s, folder, "Any.Text", key="noise1", classname="func_door")] == ["V475"],
          "the FGD says which keys are sounds")
    put(game, "maps/map_level_sounds.txt", '"lint.nobody" { } "Lint.Lost" { "wave" "lint/there.wav" }')
    check(not sounds_of(s, folder, "Lint.Lost", "Lint.Nobody"), "the map's own take precedence")


@suite.case
def game_sounds_are_judged_only_when_all_are_known(s, folder):
    game = game_of(folder)
    for name, text in (("scripts/a.txt", '"A" { "wave" "a.wav"'), ("lua/autorun/a.lua", "sound.Add()"),
                       ("maps/map_manifest.txt", "x"), ("scripts/game_sounds_manifest.txt", None)):
        before = read(os.path.join(game, name)) if os.path.exists(os.path.join(game, name)) else None
        put(game, name, text) if text else os.remove(os.path.join(game, name))
        check(not sounds_of(s, folder, "Lint.Nobody", "Lint.Lost"), name)
        put(game, name, before) if before else os.remove(os.path.join(game, name))
    check(len(sounds_of(s, folder, "Lint.Nobody", "Lint.Lost")) == 2, "again")


@suite.case
def a_sandbox_lets_the_fgd_in(s, folder):
    """Also the file beside it that it includes. Programs with sanitizers have less of a sandbox (C356)."""
    write(os.path.join(folder, "base.fgd"), FGD)
    fgd = write(os.path.join(folder, "a.fgd"), '@include "base.fgd"\n')
    done = s.run("brushwork", "lint", "--json", "--sandbox", "-fgd", fgd, s.map("lint_entities.vmf"))
    expect_faults(done.expect(1), ("V471", "V472", "V475"), besides=("C356",))
    os.remove(os.path.join(folder, "base.fgd"))
    done = s.run("brushwork", "lint", "--json", "-fgd", fgd, s.map("lint_entities.vmf")).expect(1)
    check("S026" in done.codes(), str(done))
    expect_faults(done, ("V461", "V462", "V471", "V472", "V475"), ("S026",))  # a class may be in the missing file


def entity(number, classname, **keys):
    outputs = "".join(f'"OnTrigger" "{o}"\n' for o in keys.pop("outputs", ()))
    pairs = "".join(f'"{key}" "{value}"\n' for key, value in keys.items())
    return (f'entity {{ "id" "{number}" "classname" "{classname}"\n{pairs}'
            f'connections {{ {outputs} }} }}\n')


@suite.case
def names_of_instances_are_known(s, folder):
    """After the fixup, and those of a file that is missing; all others must exist."""
    write(os.path.join(folder, "part.vmf"), read(s.map("box.vmf")).decode()
          + entity(200, "logic_relay", targetname="inner", outputs=["$who,Trigger,,0,-1"])
          + entity(201, "logic_relay", targetname="other", outputs=["inner,Trigger,,0,-1"])
          + entity(202, "func_instance_parms", parm1="$who target_destination later"))
    for name, file, status in (("first", "part.vmf", 0), ("second", "none.vmf", 0)):
        text = read(s.map("box.vmf")).decode() + entity(
            300, "func_instance", targetname=name, file=file, fixup_style=0,
            origin="0 0 0", angles="0 0 0")
        text += entity(301, "logic_relay", targetname="r",
                       outputs=[f"{name}-inner,Trigger,,0,-1", "nobody,Trigger,,0,-1"])
        path = write(os.path.join(folder, "map.vmf"), text)
        done = s.run("brushwork", "lint", "--json", path).expect(status)
        told = [d["message"] for d in findings(done) if d["code"] == "V460" and d["entity"] == 301]
        check(len(told) == 1 and '"nobody"' in told[0], str(done))
        check(("S020" in done.codes()) == (file == "none.vmf"), str(done))


@suite.case
def only_lint_looks_for_them(s, folder):
    path = write(os.path.join(folder, "map.vmf"), read(s.map("lint_entities.vmf")))
    check(not findings(s.run("vbsp", "--check", "--json", path).expect(0)), "vbsp is as it was")


@suite.case
def what_check_reports_is_there_too(s, _):
    for name, status in (("lint.vmf", 0), ("leak.vmf", 3), ("bad_solids.vmf", 0)):
        before = s.run("vbsp", "--check", "--json", s.map(name)).expect(status).codes()
        done = s.run("brushwork", "lint", "--json", s.map(name)).expect(status)
        check([c for c in done.codes() if c != "V463"] == before, (before, str(done)))


@suite.case
def several_maps_have_the_worst_status(s, folder):
    for names, status in ((("box.vmf",), 0), (("leak.vmf", "box.vmf"), 3),
                          (("leak.vmf", "lint_entities.vmf", "q3_box.map"), 1)):
        done = s.run("brushwork", "lint", "--json", *(s.map(n) for n in names)).expect(status)
        files = {os.path.basename(d["file"]) for d in done.diagnostics if d["code"] != "V463"}
        check(files <= set(names), files)
    missing = os.path.join(folder, "none.vmf")
    done = s.run("brushwork", "lint", "--json", missing, s.map("leak.vmf")).expect(1)
    check({"C001", "V001"} <= set(done.codes()), "the maps after a bad one are checked")


@suite.case
def a_map_without_faults_is_silent(s, folder):
    fgd = write(os.path.join(folder, "a.fgd"), FGD + "@PointClass = info_player_start : \"\" []\n")
    done = s.run("brushwork", "lint", "-fgd", fgd, s.map("box.vmf")).expect(0)
    check(not done.out and not done.err, str(done))


@suite.case
def fail_if_and_formats(s, folder):
    path = s.map("box.vmf")
    bad = write(os.path.join(folder, "bad.vmf"), read(path).replace(b"info_player_start", b"info_x"))
    s.run("brushwork", "lint", bad, path).expect(0)
    for condition in ("warnings", "V467", "notes>0", "brushes>5"):
        done = s.run("brushwork", "lint", "--json", bad, path, "--fail-if", condition).expect(1)
        check(done.codes().count("V330") == (2 if ">5" in condition else 1), str(done))
    s.run("brushwork", "lint", path, "--fail-if", "V467").expect(0)
    s.run("brushwork", "lint", path, "--fail-if", "nothing>5").expect(2)
    done = s.run("brushwork", "lint", "--diagnostics=github", bad, cwd=folder).expect(0)
    check(re.search(r"::warning file=bad\.vmf,line=\d+,title=V467 ", done.err), str(done))
    done = s.run("brushwork", "lint", "--diagnostics=sarif", bad, cwd=folder).expect(0)
    check('"V467"' in done.err, str(done))


QUAKE3 = """
{{ "classname" "info_player_{spawn}" "origin" "64 64 24" }}
{{ "classname" "trigger_relay" "target" "nobody" }}
{{ "classname" "target_speaker" "targetname" "here" "noise" "sound/none.wav" "origin" "64 64 64" }}
{{ "classname" "trigger_relay" "target" "here" }}
{{ "classname" "light" "light" "bright" "origin" "64 96 64" }}
{{ "classname" "light" "light" "300" "origin" "220 220 16" }}
"""


def with_entities(s, spawn, brush=""):
    text = read(s.map("q3_box.map")).decode()
    text = text[:text.index("// entity 1")].rstrip()
    check(text.endswith("}"), text[-20:])
    return text[:-1] + brush + "}" + QUAKE3.format(spawn=spawn)


def box(low, high, shader):
    (a, b, c), (d, e, f) = low, high
    planes = ((a, e, f), (d, e, f), (d, b, f)), ((a, b, c), (d, b, c), (d, e, c)), \
             ((a, e, f), (a, b, f), (a, b, c)), ((d, e, c), (d, b, c), (d, b, f)), \
             ((d, e, f), (a, e, f), (a, e, c)), ((d, b, c), (a, b, c), (a, b, f))
    sides = ("".join(f"( {x} {y} {z} ) " for x, y, z in points) + f"{shader} 0 0 0 0.5 0.5 0 0 0"
             for points in planes)
    return "{\n" + "\n".join(sides) + "\n}\n"


@suite.case
def maps_for_quake3(s, folder):
    block = box((200, 200, 0), (240, 240, 32), "common/caulk")
    path = write(os.path.join(folder, "a.map"), with_entities(s, "deathmatch", block))
    done = s.run("brushwork", "lint", "--json", path).expect(0)
    told = sorted((d["code"], d["entity"]) for d in findings(done))
    check(told == [("R017", 6), ("V460", 2), ("V466", 5)], str(done))
    write(path, with_entities(s, "intermission"))
    s.run("brushwork", "lint", "--json", path).expect(0).find("V467")


@suite.case
def an_areaportal_needs_a_door(s, folder):
    slab = box((120, -16, -16), (136, 272, 144), "common/areaportal")
    wall = with_entities(s, "deathmatch", slab)
    path = write(os.path.join(folder, "a.map"), wall)
    done = s.run("brushwork", "lint", "--json", path)
    check(done.codes().count("V474") == 1, str(done))
    door = '{ "classname" "func_door"\n' + box((112, 0, 0), (144, 256, 128), "base_wall/basewall01")
    write(path, wall + door + "}\n")
    check("V474" not in s.run("brushwork", "lint", "--json", path).codes(), "it has a door")


# Findings that are true, by map: how many of a code.
TRUE = {
    "testmap.vmf": {"V460": 1},
    "pcollab_26_iambread_test.vmf": {"V460": 32},
    "stationbattleground.vmf": {"V460": 28},
    "test_jumpers.vmf": {"V460": 1},
    "test_physcollide.vmf": {"V467": 1},
    "test_displacement_decompile.vmf": {"V467": 1},
    "rd-til1midnightport.vmf": {"V460": 3, "V473": 2},
    "rd-bonus_mission2.vmf": {"V460": 4},
    "door_normal_02.vmf": {"V460": 1},
    "test_occluders.vmf": {"V467": 1},
    "test_cubemaps.vmf": {"V467": 1},
    "test_displacements.vmf": {"V467": 1},
    "test_css_ladders.vmf": {"V467": 1},
    "sub.vmf": {"V467": 1},
    "inner.vmf": {"V467": 1},
    "secret.vmf": {"V467": 1},
    "empty.vmf": {"V467": 1},
    "portal.vmf": {"V460": 4},
    "color_two.map": {"V466": 1},
    "spot_target_missing.map": {"V460": 1},
    "c06_outputs.vmf": {"V460": 3},
    "c18_detail_keys.vmf": {"V464": 5},
    "ps37ctf.map": {"V460": 1},
    "dt_test.vmf": {"V460": 2},
    "pm_test.vmf": {"V460": 1, "V467": 1},
    "tb_dd00.vmf": {"V460": 2, "V473": 1},
    "tb_dd00b.vmf": {"V460": 1},
    "tb_dd01.vmf": {"V460": 4, "V468": 1, "V473": 1},
    "tb_dd_01.vmf": {"V467": 1},
    "ug_dev2.vmf": {"V467": 1},
    "yk_fakeeliteguns.vmf": {"V460": 6, "V466": 1},
    "yk_testarea10_trycanbehit.vmf": {"V460": 5},
}


@suite.case
def nothing_false_in_the_corpus(s, _):
    top = s.corpus()
    maps = [os.path.join(path, name) for path, _, names in os.walk(top) for name in names
            if name.endswith((".vmf", ".map"))]
    check(len(maps) > 90, maps)
    for path in sorted(maps):
        done = s.run("brushwork", "lint", "--json", path)
        name, counts = os.path.basename(path), {}
        for finding in findings(done):
            if finding["code"] != "V463":
                counts[finding["code"]] = counts.get(finding["code"], 0) + 1
        known = TRUE.get(name, {})
        check(counts == known or (name == "testmap.vmf" and not counts), (path, counts))


def hook(s, *arguments, program=None, cwd=None):
    path = os.path.join(s.options.source, "integrations", "pre-commit", "brushwork-lint")
    env = dict(os.environ, BRUSHWORK=program or os.path.join(s.options.bin, "brushwork"))
    return subprocess.run([path, *arguments], cwd=cwd, env=env, capture_output=True, check=False)


@suite.case
def the_hook_refuses_what_lint_does(s, folder):
    good, bad = s.map("box.vmf"), s.map("lint_entities.vmf")
    check(hook(s, good).returncode == 0, hook(s, good))
    done = hook(s, good, bad)
    check(done.returncode == 1 and b"V469" in done.stderr, done)
    check(hook(s, s.map("leak.vmf")).returncode == 3, "a leak")
    check(hook(s, "--fail-if", "notes>0", good).returncode == 1, "with arguments")
    done = hook(s, good, program=os.path.join(folder, "none"))
    check(done.returncode == 1 and b"not installed" in done.stderr, done)


@suite.case
def the_hook_tells_names_from_options(s, folder):
    for name in ("--log=pwn.vmf", "a b$x'.map"):
        write(os.path.join(folder, name), read(s.map("box.vmf")))
    for options in ([], ["--fail-if", "errors"]):
        done = hook(s, *options, "--log=pwn.vmf", "a b$x'.map", cwd=folder)
        check(b"a b$x" in done.stderr and b"--log=pwn.vmf" in done.stderr, done)
    check(not os.path.exists(os.path.join(folder, "pwn.vmf")), "a log")


@suite.case
def the_hook_is_described(s, _):
    """As pre-commit reads it: what it runs, and for which files."""
    text = read(os.path.join(s.options.source, ".pre-commit-hooks.yaml")).decode()
    values = dict(re.findall(r"^(?:- |  )(\w+): (.*)$", text, re.MULTILINE))
    check(values["id"] == "brushwork-lint" and values["language"] == "script", values)
    check(os.access(os.path.join(s.options.source, values["entry"]), os.X_OK), values["entry"])
    for name, taken in (("maps/a.vmf", True), ("a.map", True), ("a.vmm", True), ("a.bsp", False),
                        ("maps/instances/a.vmf", False), ("web/a.js.map", False)):
        check(taken == bool(re.search(values["files"], name)
                            and not re.search(values["exclude"], name)), name)


@suite.case
def pre_commit_runs_the_hook(s, folder):
    """Where pre-commit and git are installed; a local hook needs no network."""
    try:
        for program in ("git", "pre-commit"):
            subprocess.run([program, "--version"], check=True, capture_output=True)
    except OSError as error:
        raise Skip(f"no {error.filename}") from error
    entry = os.path.join(s.options.source, "integrations", "pre-commit", "brushwork-lint")
    write(os.path.join(folder, ".pre-commit-config.yaml"),
          "repos:\n- repo: local\n  hooks:\n  - id: brushwork-lint\n    name: brushwork lint\n"
          f"    entry: {entry}\n    language: system\n    files: \\.vmf$\n")
    write(os.path.join(folder, "map.vmf"), read(s.map("lint_entities.vmf")))
    env = dict(os.environ, BRUSHWORK=os.path.join(s.options.bin, "brushwork"), HOME=folder)
    for command in (["git", "init", "-q"], ["git", "add", "."]):
        subprocess.run(command, cwd=folder, env=env, check=True)
    done = subprocess.run(["pre-commit", "run", "--all-files"], cwd=folder, env=env, check=False,
                          capture_output=True)
    check(done.returncode == 1 and b"V469" in done.stdout, done)


suite.main()
