#!/usr/bin/env python3
"""The end of a run: the summary in text, and the result with --json."""
import json
import os
import re
import shutil

from e2e import Suite, check, write

suite = Suite()


def bring(s, folder, name):
    return shutil.copy(s.map(name), folder)


def lines_of(done):
    """All of standard error as JSON; the result is the last line, and there is one."""
    lines = [json.loads(line) for line in done.err.splitlines()]
    check([("result" in line) for line in lines] == [False] * (len(lines) - 1) + [True], done)
    check(len({line["program"] for line in lines}) == 1, done)
    return lines


def result_of(done, status, name):
    """The result, which agrees with the exit status and with the diagnostics before it."""
    lines = lines_of(done.expect(status))
    result = lines[-1]["result"]
    check((result["version"], result["status"], result["exit_status"]) == (1, name, status), result)
    told = [line for line in lines if "severity" in line]
    for severity in ("error", "warning", "note"):
        check(result[severity + "s"] == sum(d["severity"] == severity for d in told), result)
    codes = [d["code"] for d in told]
    check(result["codes"] == {code: codes.count(code) for code in codes}, result["codes"])
    for file in result["files"]:
        check(os.path.getsize(file["path"]) == file["bytes"], file)
    check(abs(sum(x["wall_seconds"] for x in result["stages"]) - result["wall_seconds"]) < 1e-3,
          result)
    return result


def names(result):
    return [os.path.basename(file["path"]) for file in result["files"]]


def rows_of(done):
    """Label -> text of the summary, whose lines have no more than 100 columns but for paths."""
    text = done.out.decode().split("\n\n")[-1]
    rows = {}
    for line in text.splitlines():
        check(len(line) <= 100 or "/" in line, line)
        label = line[:10].strip()
        if label:
            last = label
        rows[last] = (rows.get(last, "") + " " + line[10:]).strip()
    return rows


def key_of(name):
    return re.sub(r"[^a-z0-9]", "_", name.lower())


@suite.case
def a_build_has_a_result(s, folder):
    bring(s, folder, "atrium.vmf")
    done = s.run("brushwork", "build", os.path.join(folder, "atrium"), "--json", "-v")
    result = result_of(done, 0, "ok")
    check(names(result) == ["atrium.bsp", "atrium.prt"], result["files"])
    check([x["name"] for x in result["stages"]] == ["vbsp", "vvis", "vrad"], result["stages"])
    info = json.loads(s.run("brushwork", "info", "--json", result["files"][0]["path"]).out)
    lumps = {x["name"]: x.get("count") for x in info["lumps"]}
    for name in ("brushes", "faces"):
        check(result["map"][name] == lumps[name], result["map"])
    check(result["map"]["clusters"] == info["clusters"], result["map"])
    check(result["map"]["entities"] == info["entities"], result["map"])
    limits = {x["name"]: x for x in info["limits"] if x["used"]}
    check(set(limits) == {x["name"] for x in result["limits"]}, result["limits"])
    for limit in result["limits"]:
        check(limit["used"] == limits[limit["name"]]["used"], limit)
        check(abs(limit["percent"] - 100 * limit["used"] / limit["maximum"]) < 1e-3, limit)
    light = result["light"]
    check(light["luxels"] > 10000 and light["lights"] == lumps["worldlights"], light)
    check((light["ldr"], light["hdr"]) == (True, False), light)


@suite.case
def counters_are_those_that_v_prints(s, folder):
    bring(s, folder, "two_rooms.vmf")
    stem = os.path.join(folder, "two_rooms")
    for program in ("vbsp", "vvis", "vrad"):
        done = s.run(program, stem, "--json", "-v")
        stage = result_of(done, 0, "ok")["stages"][0]
        text = done.out.decode()
        printed = dict(re.findall(r"^    ([A-Za-z][A-Za-z -]*) (-?\d+)$", text, re.M))
        check(stage["counters"] == {key_of(k): int(v) for k, v in printed.items()},
              (stage["counters"], printed))
        check(len(printed) >= 4, printed)
        phases = re.findall(r"^  (\S.*?) +(\d+\.\d\d) s$", text, re.M)
        check([x["name"] for x in stage["phases"]] == [name for name, _ in phases], phases)
        for phase, (_, seconds) in zip(stage["phases"], phases):
            check(abs(phase["wall_seconds"] - float(seconds)) < 0.0051, (phase, seconds))
        plain = s.run(program, stem).expect(0).out.decode()
        check(not re.findall(r"^    \S", plain, re.M) and "chains" not in plain, plain)


@suite.case
def the_summary_says_what_to_do(s, folder):
    bring(s, folder, "atrium.vmf")
    done = s.run("brushwork", "build", "atrium", cwd=folder).expect(0)
    rows = rows_of(done)
    check(list(rows) == ["map", "light", "limits", "warnings", "time", "CPU time", "wrote", "next"],
          rows)
    check(rows["map"].startswith("93 brushes, 379 faces, "), rows)
    check(rows["light"].endswith(" lights, LDR"), rows)
    check(rows["limits"].startswith("brushes 1.1 % (93 of 8192), ") and
          rows["limits"].count("%") == 3, rows)
    check(rows["warnings"] == "none", rows)
    check(re.fullmatch(r"vbsp [\d.]+ s, vvis [\d.]+ s, vrad [\d.]+ s, total [\d.]+ s",
                       rows["time"]), rows)
    check(re.fullmatch(r"atrium.bsp \(\d+ KiB\), atrium.prt \(\d KiB\)", rows["wrote"]), rows)
    check(rows["next"] == 'copy atrium.bsp to <game folder>/maps/ and run "map atrium" in the '
          "console", rows)
    check("next" not in rows_of(s.run("vvis", "atrium", cwd=folder).expect(0)), "vvis")
    os.makedirs(os.path.join(folder, "game", "x", "maps"))
    os.makedirs(os.path.join(folder, "content"))
    for game, maps in (("game/x", "game/x/maps"), ("content", "<game folder>/maps")):
        write(os.path.join(folder, game, "gameinfo.txt"), '"GameInfo" { }\n')
        done = s.run("vrad", "-fast", "atrium", "-game", game + "/gameinfo.txt", cwd=folder).expect(0)
        check(f"copy atrium.bsp to {maps}/ and" in rows_of(done)["next"], done.out)
    for options in (["--quiet"], ["--json", "--quiet"]):
        done = s.run("vvis", "atrium", *options, cwd=folder).expect(0)
        check(done.out == b"" and bool(done.err) == ("--json" in options), done)


@suite.case
def a_map_in_its_place_is_not_copied(s, folder):
    maps = os.path.join(folder, "game", "maps")
    os.makedirs(maps)
    write(os.path.join(folder, "game", "gameinfo.txt"), '"GameInfo" { }\n')
    bring(s, maps, "box.vmf")
    done = s.run("brushwork", "build", "game/maps/box", "-game", "game/", cwd=folder).expect(0)
    check(rows_of(done)["next"] == 'run "map box" in the console', done.out)
    done = s.run("brushwork", "build", "-o", "-", "game/maps/box", cwd=folder).expect(0)
    check(done.out[:4] == b"VBSP", "a summary on standard output")


BOX = """{
"classname" "worldspawn"
%s}
{
"classname" "info_player_deathmatch"
"origin" "128 128 64"
}
"""


def quake3_box():
    """A closed room of 256 units."""
    brushes = []
    for axis in range(3):
        for low, high in ((-16, 0), (256, 272)):
            mins, maxs = [-16] * 3, [272] * 3
            mins[axis], maxs[axis] = low, high
            (a, b, c), (x, y, z) = mins, maxs
            faces = (((a, 0, 0), (a, 0, 1), (a, 1, 0)), ((x, 0, 0), (x, 1, 0), (x, 0, 1)),
                     ((0, b, 0), (1, b, 0), (0, b, 1)), ((0, y, 0), (0, y, 1), (1, y, 0)),
                     ((0, 0, c), (0, 1, c), (1, 0, c)), ((0, 0, z), (1, 0, z), (0, 1, z)))
            brushes.append("{\n%s}\n" % "".join(
                " ".join("( %d %d %d )" % point for point in reversed(face)) +
                " base/wall 0 0 0 1 1 0 0 0\n" for face in faces))
    return BOX % "".join(brushes)


@suite.case
def a_quake_3_map_goes_to_its_game(s, folder):
    write(os.path.join(folder, "box.map"), quake3_box())
    os.makedirs(os.path.join(folder, "games", "baseoa", "scripts"))
    openarena = ["-game", "openarena", "-fs_basepath", os.path.join(folder, "games")]
    for options, place in (([], "baseq3"), (openarena, "baseoa"),
                           (["-fs_game", "mymod"], "mymod")):
        done = s.run("brushwork", "build", "box", "--json", *options, cwd=folder)
        check(done.status == 0, done)
        rows = rows_of(done)
        check(f"copy box.bsp to {place}/maps/ (with sv_pure 0)" in rows["next"], rows)
        check('"/devmap box"' in rows["next"] and "surfaces" in rows["map"], rows)
        check({"box.bsp", "box.prt"} <= set(names(done.result)), done.result["files"])
        for file in done.result["files"]:
            check(os.path.getsize(os.path.join(folder, file["path"])) == file["bytes"], file)


@suite.case
def warnings_about_lights_have_a_place_in_the_map(s, folder):
    """vrad knows the entities of the BSP; in a build they have lines of the source."""
    path = bring(s, folder, "box.vmf")
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    lines += ["entity", "{", '"id" "77"', '"classname" "light"', '"_light" "no colour"',
              '"origin" "64 64 64"', "}"]
    write(path, "\n".join(lines) + "\n")
    found = s.run("brushwork", "build", path, "--json").expect(0).find("R010")
    check(found["entity"] == 77 and found["file"] == path, found)
    check(lines[found["line"] - 1] in ("entity", "{"), found)
    check(found["point"] == [64, 64, 64], found)


@suite.case
def a_leak_has_a_result(s, folder):
    path = bring(s, folder, "leak.vmf")
    for command in (["vbsp"], ["brushwork", "build"]):
        done = s.run(*command, path, "--json")
        result = result_of(done, 3, "leak")
        picture = ["leak_leak.png"] if len(command) > 1 else []
        check(names(result) == ["leak.bsp", "leak.lin", *picture], result["files"])
        check(result["errors"] == 1 and result["codes"]["V001"] == 1, result)
        rows = rows_of(done)
        check(rows["result"] == "the map leaks (exit status 3)", rows)
        check(rows["errors"].startswith("1 V001 "), rows)
        check(rows["next"].endswith("leak.lin in Hammer (Map > Load Pointfile)"), rows)


@suite.case
def a_leak_lists_the_entities_that_it_reaches(s, folder):
    """All in JSON and with -v, else the first."""
    path = bring(s, folder, "leak.vmf")
    with open(path, "a+", encoding="utf-8") as file:
        for i in range(8):
            file.write(f'entity {{ id {900 + i} classname info_target origin "{8 + 8 * i} 64 64" }}\n')
        file.seek(0)
        lines = file.read().splitlines()
    reached = s.run("vbsp", path, "--json").expect(3).find("V001")["reached"]
    check(len(reached) == 10 and reached[0]["point"][0] > reached[-1]["point"][0], reached)
    check({("info_target", 900 + i) for i in range(8)} <
          {(one["class"], one["entity"]) for one in reached}, reached)
    for one in reached:
        check(one["file"] == path and one["through_hole"], one)
        check("entity" in lines[one["line"] - 1], one)
    for options, count in (([], 6), (["-v"], 9)):
        text = s.run("vbsp", path, *options).expect(3).err
        check(text.count("also reached: ") == count, text)
        check(("4 more (-v lists them)" in text) == (not options), text)


@suite.case
def what_fails_has_a_result(s, folder):
    path = os.path.join(folder, "no.vmf")
    for command, code, status, name in ((["brushwork", "build", path], "C001", 1, "failed"),
                                        (["vrad", path], "C001", 1, "failed"),
                                        (["vbsp", path, "--wrong"], "T001", 2, "usage")):
        result = result_of(s.run(*command, "--json", "--quiet"), status, name)
        check(result["codes"] == {code: 1} and result["files"] == [], result)
        check("map" not in result and "light" not in result, result)
    text = bring(s, folder, "box.vmf")
    result = result_of(s.run("vbsp", text, "--json", "--fail-if", "brushes>5"), 1, "failed")
    check(result["map"]["brushes"] == 6 and result["files"] == [], result)
    check(os.listdir(folder) == ["box.vmf"], os.listdir(folder))


@suite.case
def verbs_have_results_and_versions(s, folder):
    bsp = bring(s, folder, "box.vmf")[:-4] + ".bsp"
    s.run("brushwork", "build", bsp[:-4]).expect(0)
    for verb in (["info", bsp], ["checksum", bsp], ["diff", bsp, bsp], ["unpack", "--list", bsp]):
        done = s.run("brushwork", *verb, "--json")
        check(result_of(done, 0, "ok")["stages"] == [], done)
        told = json.loads(done.out)
        check(next(iter(told.items())) == ("version", 1), told)
    result = result_of(s.run("brushwork", "verify", bsp, "--json"), 0, "ok")
    check(result["errors"] == 0, result)
    out = os.path.join(folder, "other.bsp")
    result = result_of(s.run("brushwork", "convert", bsp, out, "--to", "css19", "--json"), 0,
                       "ok")
    check(names(result) == ["other.bsp"], result)


suite.main()
