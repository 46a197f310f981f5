#!/usr/bin/env python3
"""Checks for mappers: --check writes nothing and branches by its exit status, the table of limits,
--fail-if, and the summary, as text and as JSON."""
import os

from e2e import Suite, check, read, write

suite = Suite()


def copy(s, folder, name):
    """The map in the folder, where nothing else is."""
    return write(os.path.join(folder, name), read(s.map(name)))


def expect_alone(folder, name):
    check(os.listdir(folder) == [name], f"{os.listdir(folder)} were written")


@suite.case
def check_writes_nothing(s, folder):
    for program, verb in (("vbsp", []), ("brushwork", ["build"])):
        for name, status in (("box.vmf", 0), ("leak.vmf", 3), ("areaportal_gap.vmf", 0),
                             ("bad_solids.vmf", 0)):
            path = copy(s, folder, name)
            done = s.run(program, *verb, "--check", "--json", path).expect(status)
            expect_alone(folder, name)
            check(("V001" in done.codes()) == (status == 3), str(done))
            os.remove(path)


@suite.case
def check_fails_on_errors(s, folder):
    """Also when the map leaks too."""
    prop = '"classname" "prop_static"\n"origin" "128 128 64"\n"model" "models/%s.mdl"\n' % ("x" * 200)
    path = write(os.path.join(folder, "map.vmf"), read(s.map("leak.vmf")) + b"entity\n{\n" + prop.encode() + b"}\n")
    done = s.run("vbsp", "--check", "--json", path).expect(1)
    check({"V001", "V184"} <= set(done.codes()), str(done))
    s.run("vbsp", "--check", "--json", os.path.join(folder, "none.vmf")).expect(1).find("C001")
    expect_alone(folder, "map.vmf")


@suite.case
def check_keeps_an_older_result(s, folder):
    copy(s, folder, "leak.vmf")
    for name in ("leak.bsp", "leak.prt"):
        write(os.path.join(folder, name), b"old")
    s.run("vbsp", "--check", os.path.join(folder, "leak")).expect(3)
    check(sorted(os.listdir(folder)) == ["leak.bsp", "leak.prt", "leak.vmf"], os.listdir(folder))
    check(read(os.path.join(folder, "leak.prt")) == b"old", "the portals were touched")


@suite.case
def check_finds_what_compiles(s, folder):
    path = copy(s, folder, "lint.vmf")
    done = s.run("vbsp", "--check", "--json", path).expect(0)
    for code, solid, point in (("V333", 51, [216, 232, 32]), ("V331", 58, [332.03, 232, 32]),
                               ("V332", 81, [0, 108, 56]), ("V013", 72, [100.5, 400.5, 0.25]),
                               ("A004", 65, None)):
        found = done.find(code)
        check(found["solid"] == solid, f"{found} is not of solid {solid}")
        check(point is None or all(abs(a - b) < 0.01 for a, b in zip(found["point"], point)),
              f"{found} is not at {point}")
        check(done.summary[code]["count"] == 1, done.summary[code])
        check(done.summary[code]["places"][0]["solid"] == solid, done.summary[code])
    plain = s.run("vbsp", "--json", path, "-o", os.path.join(folder, "map.bsp")).expect(0)
    check(set(done.codes()) - set(plain.codes()) == {"V331"}, plain.codes())


@suite.case
def a_summary_ends_the_text(s, folder):
    done = s.run("vbsp", "--check", "--quiet", copy(s, folder, "bad_solids.vmf")).expect(0)
    check(": summary" not in done.err, "nothing came twice")
    text = read(s.map("box.vmf")).replace(b"DEV/DEV_MEASUREGENERIC01B", b"NO/FLOOR")
    text = text.replace(b"DEV/DEV_MEASUREWALL01A", b"NO/WALL")
    path = write(os.path.join(folder, "map.vmf"), text)
    done = s.run("vbsp", "--check", "--quiet", path).expect(0)
    check("warning A004: missing material: 2 materials are unknown, on " in done.err, done.err)
    check(": summary" not in done.err, "one message tells of both")
    done = s.run("vbsp", "--check", "--quiet", path, "-insert_search_path", folder).expect(0)
    last = done.err.splitlines()[-1]
    check(last.startswith("      2 warnings A004: missing material: \"NO/FLOOR\" solid "), last)
    check("; \"NO/WALL\" solid " in last, last)


@suite.case
def the_report_is_a_table(s, folder):
    path = copy(s, folder, "atrium.vmf")
    out = s.run("vbsp", "--check", "--report", path).expect(0).out.decode()
    rows = {line[:28].strip(): line[28:].split() for line in out.splitlines() if "%" in line}
    check(rows["brushes"][:2] == ["93", "8192"] and rows["brushes"][2] == "1.1", rows["brushes"])
    check("\nlargest contributors to brushes\n        39  worldspawn (entity 1)\n" in out, out)
    check("limits of" not in s.run("vbsp", "--check", path).out.decode(), "nobody asked for it")


@suite.case
def the_report_as_json(s, folder):
    done = s.run("vbsp", "--check", "--report", "--json", copy(s, folder, "atrium.vmf")).expect(0)
    limit = done.limits["brushes"]
    check(limit["used"] == 93 and limit["maximum"] == 8192, limit)
    check(abs(limit["percent"] - 100 * 93 / 8192) < 1e-9, limit)
    check(limit["contributors"][0] == {"name": "worldspawn", "amount": 39, "entity": 1,
                                "file": limit["contributors"][0]["file"],
                                "line": limit["contributors"][0]["line"]}, limit["contributors"])
    check(len(limit["contributors"]) == 10, limit["contributors"])
    solid = done.limits["faces"]["contributors"][0]
    check(solid["solid"] > 0 and len(solid["point"]) == 3, solid)


@suite.case
def fail_if(s, folder):
    for program, verb in (("vbsp", []), ("brushwork", ["build", "--preset", "fast"])):
        path = copy(s, folder, "box.vmf")
        bsp = os.path.join(folder, "box.bsp")
        done = s.run(program, *verb, path, "--json", "--fail-if", "brushes>5", "--fail-if",
                     "leaf-faces>50%", "--fail-if", "entities>0%").expect(1)
        check(done.codes().count("V330") == 2, str(done))
        check(not os.path.exists(bsp), "it was written")
        done = s.run(program, *verb, path, "--json", "--fail-if", "brushes>90%").expect(0)
        check(os.path.exists(bsp) and not done.codes(), str(done))
        os.remove(bsp)


@suite.case
def fail_if_sees_the_light(s, folder):
    """Limits that only a later stage uses are checked after it."""
    path = copy(s, folder, "box.vmf")
    done = s.run("brushwork", "build", "--preset", "fast", path, "--json", "--fail-if",
                 "worldlights>0").expect(1)
    check("worldlights: 1 of 8192" in done.find("V330")["message"], str(done))
    expect_alone(folder, "box.vmf")
    done = s.run("brushwork", "build", "--preset", "fast", path, "--json", "--report").expect(0)
    check(done.limits["worldlights"]["used"] == 1, done.limits["worldlights"])
    check(done.limits["bytes of visibility"]["used"] > 0, done.limits["bytes of visibility"])
    check(done.limits["brushes"]["contributors"][0]["amount"] == 6, done.limits["brushes"])


@suite.case
def fail_if_counts_messages(s, folder):
    for program, verb in (("vbsp", []), ("brushwork", ["build", "--preset", "fast"])):
        path = copy(s, folder, "bad_solids.vmf")
        for condition, told in (("warnings", '"warnings": 5 warnings were reported'),
                                ("Warnings>4", '"Warnings>4": 5 warnings were reported'),
                                ("V012", '"V012": V012 was reported 1 time'),
                                ("notes>0", None), ("errors", None), ("warnings>5", None),
                                ("s003>1", None)):
            done = s.run(program, *verb, path, "--json", "--fail-if", condition)
            done.expect(1 if told else 0)
            check([d["message"] for d in done.diagnostics if d["code"] == "V330"] ==
                  ([told] if told else []), (condition, str(done)))
            if told:
                expect_alone(folder, "bad_solids.vmf")
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        path = copy(s, folder, "leak.vmf")
        done = s.run(program, *verb, path, "--json", "--fail-if", "errors").expect(1)
        check(done.find("V330")["message"] == '"errors": 1 error was reported', str(done))
        both = ["--fail-if", "errors", "--fail-if", "errors>1", "--fail-if", "V001"]
        done = s.run(program, *verb, path, "--json", *both).expect(1)
        check(done.codes().count("V330") == 2, str(done))
        expect_alone(folder, "leak.vmf")
        os.remove(path)


@suite.case
def fail_if_counts_messages_of_the_light(s, folder):
    path = copy(s, folder, "box.vmf")
    write(os.path.join(folder, "box.rad"), "no/such/texture 1 2 three 4\n")
    done = s.run("brushwork", "build", "--preset", "fast", path, "--json").expect(0)
    codes = [d["code"] for d in done.diagnostics if d["severity"] == "warning"]
    check(codes and all(c[0] == "R" for c in codes), str(done))
    for name in os.listdir(folder):
        if name not in ("box.vmf", "box.rad"):
            os.remove(os.path.join(folder, name))
    done = s.run("brushwork", "build", "--preset", "fast", path, "--json", "--fail-if",
                 "warnings").expect(1)
    check(done.codes().count("V330") == 1, str(done))
    check(sorted(os.listdir(folder)) == ["box.rad", "box.vmf"], os.listdir(folder))


@suite.case
def a_bad_condition_is_refused(s, folder):
    path = copy(s, folder, "box.vmf")
    done = s.run("vbsp", "--json", path, "--fail-if", "brush side>5%").expect(2)
    check("did you mean 'brush sides'?" in done.find("T001")["message"], str(done))
    for condition in ("warnings>5%", "warning", "errors>", "V9999"):
        s.run("vbsp", "--json", path, "--fail-if", condition).expect(2).find("T001")
    expect_alone(folder, "box.vmf")


suite.main()
