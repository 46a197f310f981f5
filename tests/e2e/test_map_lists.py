#!/usr/bin/env python3
"""Lists and patterns of brushwork build: no map is dropped, and what a script is told of them is what is built."""
import json
import os
import shlex
import shutil
import xml.etree.ElementTree as ElementTree

from e2e import Suite, check, read, write

suite = Suite()
FAST = ("--preset", "fast", "-threads", 1, "--no-leak-picture")


def tree(s, folder, *names):
    """Copies of box.vmf, or of the map of that name."""
    for name in names:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        source = s.map(os.path.basename(name))
        shutil.copy(source if os.path.exists(source) else s.map("box.vmf"), path)


def planned(s, folder, *arguments):
    """Maps, outputs and options that --print-maps tells, in both forms."""
    done = s.run("brushwork", "build", "--print-maps", *arguments, cwd=folder).expect(0)
    words = [shlex.split(line) for line in done.out.decode(errors="surrogateescape").splitlines()]
    lines = s.run("brushwork", "build", "--print-maps", "--json", *arguments, cwd=folder).expect(0).out.decode()
    objects = [json.loads(line) for line in lines.splitlines()]
    check([[o["map"], o["output"], *o["options"]] for o in objects] == words, f"{objects} is not {words}")
    return words


def bsps(folder):
    found = []
    for root, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(root, name), folder) for name in names if name.endswith(".bsp")]
    return sorted(found)


@suite.case
def any_line_ending_and_quotes(s, folder):
    tree(s, folder, "a.vmf", "b c.vmf", "it's.vmf", "d#1.vmf", 'q".vmf')
    lines = ["# maps", "a.vmf --preset fast", '  "b c.vmf"\t-o "x y.bsp" -luxelscale 2 # fine', '"it\'s.vmf"', "", "d#1.vmf", "'q\".vmf'"]
    expected = [["a.vmf", "out/a.bsp", "--preset", "fast"], ["b c.vmf", "out/x y.bsp", "-luxelscale", "2"],
                ["it's.vmf", "out/it's.bsp"], ["d#1.vmf", "out/d#1.bsp"], ['q".vmf', 'out/q".bsp']]
    for end in ("\n", "\r\n", "\r"):
        for last in ("", end):
            for encoding in ("utf-8", "utf-8-sig", "utf-16"):
                write(os.path.join(folder, "list"), (end.join(lines) + last).encode(encoding))
                found = planned(s, folder, "@list", "-o", "out")
                check(found == expected, f"{end!r} {last!r} {encoding}: {found}")
    s.run("brushwork", "build", "@list", "-o", "out", "-j", 2, *FAST, cwd=folder).expect(0)
    check(bsps(os.path.join(folder, "out")) == sorted(os.path.relpath(row[1], "out") for row in expected), bsps(folder))


@suite.case
def folders_of_outputs_are_those_of_sources(s, folder):
    tree(s, folder, "maps/dm/arena.vmf", "maps/ctf/arena.vmf", "maps/hall.vmf", "else/where.vmf")
    write(os.path.join(folder, "maps", "list"), "dm/arena.vmf\n./ctf/../ctf//arena.vmf\nhall.vmf\n../else/where.vmf\n")
    write(os.path.join(folder, "list"), "maps/dm/arena.vmf\nmaps/ctf/arena.vmf\n")
    both = ["out/ctf/arena.bsp", "out/dm/arena.bsp"]
    for arguments, outputs in (
            (("maps/dm/arena.vmf", "maps/ctf/arena.vmf"), both), (("maps/*/*.vmf",), both), (("maps/**/arena.vmf",), both),
            (("maps/**/*.vmf",), both + ["out/hall.bsp"]), (("maps/hall.vmf", "maps/dm/arena.vmf"), ["out/dm/arena.bsp", "out/hall.bsp"]),
            (("@maps/list",), both + ["out/hall.bsp", "out/where.bsp"]), (("@list",), ["out/maps/ctf/arena.bsp", "out/maps/dm/arena.bsp"]),
            (("maps/dm/*",), ["out/arena.bsp"])):
        found = sorted(row[1] for row in planned(s, folder, *arguments, "-o", "out/"))
        check(found == outputs, f"{arguments}: {found}")
    s.run("brushwork", "build", "maps/**/*.vmf", "-o", "out", *FAST, cwd=folder).expect(0)
    check(bsps(os.path.join(folder, "out")) == ["ctf/arena.bsp", "dm/arena.bsp", "hall.bsp"], bsps(folder))
    s.run("brushwork", "build", "maps/*/*.vmf", *FAST, cwd=folder).expect(0)
    check(bsps(os.path.join(folder, "maps")) == ["ctf/arena.bsp", "dm/arena.bsp"], "not beside the sources")


@suite.case
def patterns_are_those_of_shells(s, folder):
    tree(s, folder, "m/a.vmf", "m/b1.vmf", "m/.hidden.vmf", "m/x/y/z/deep.vmf", "m/.git/no.vmf", "m/[odd]*.vmf")
    os.symlink("..", os.path.join(folder, "m", "x", "loop"))
    os.makedirs(os.path.join(folder, "m", "folder.vmf"))
    for pattern, expected in (("m/*.vmf", ["[odd]*", "a", "b1"]), ("m/?.vmf", ["a"]), ("m/[a-z][0-9].vmf", ["b1"]),
                              ("**/deep.vmf", ["x/y/z/deep"]), ("m/**/*.vmf", ["[odd]*", "a", "b1", "x/y/z/deep"]),
                              ("m/**", ["[odd]*", "a", "b1", "x/y/z/deep"]), ("m/**/**/x/**/deep.vmf", ["x/y/z/deep"]),
                              ("m/.*.vmf", [".hidden"]), ("m/[odd]*.vmf", ["[odd]*"]), ("./m/a*", ["a"]), (folder + "/m/a*", ["a"])):
        found = [os.path.relpath(row[0], "m" if not pattern.startswith("/") else folder + "/m")
                 for row in planned(s, folder, pattern)]
        check(found == [name + ".vmf" for name in expected], f"{pattern}: {found}")
    s.run("brushwork", "build", "m/*.map", *FAST, cwd=folder).expect(1)
    s.run("brushwork", "build", "none/**/*.map", "m/a.vmf", *FAST, cwd=folder).expect(1)
    os.makedirs(os.path.join(folder, *["n"] * 70))
    s.run("brushwork", "build", "n/**/*.vmf", "m/a.vmf", *FAST, cwd=folder).expect(1)
    check(not bsps(folder), "something was built")


@suite.case
def faults_are_told_before_anything_is_built(s, folder):
    tree(s, folder, "a.vmf", "b.vmf", "sub/a.vmf")
    os.symlink("sub", os.path.join(folder, "link"))
    for text, status, code, line in (
            ("a.vmf\nabsent.vmf\n", 1, "C365", 2), ("a.vmf\n\nsub\n", 1, "C365", 3), ("a.vmf\n*.map", 1, "C365", 2),
            ("a.vmf\nb.vmf\na.vmf --preset final", 2, "C366", 3), ("a.vmf\nb.vmf -o a.bsp", 2, "C366", 2),
            ("sub/a.vmf\nlink/a.vmf\n", 2, "C366", 2),
            ('a.vmf\n"b.vmf\n', 2, "C364", 2), ("a.vmf\n'b.vmf", 2, "C364", 2), ("a\0.vmf", 2, "C364", None), ("# none\n", 2, "C364", None),
            ("a.vmf\nb.vmf --preset fats\n", 2, "T001", 2), ("a.vmf --presto fast", 2, "T001", 1), ("my map.vmf", 2, "T001", 1),
            ("a.vmf -j 4", 2, "T001", 1), ("a.vmf --json", 2, "T001", 1), ("a.vmf --log x", 2, "T001", 1), ("a.vmf -luxelscale", 2, "T001", 1),
            ("a.vmf --help", 2, "T001", 1), ("a.vmf --check", 2, "T001", 1), ("a.vmf --junit x", 2, "T001", 1), ("a.vmf --", 2, "T001", 1)):
        write(os.path.join(folder, "list"), text)
        for more in ((), ("-k",), ("--print-maps",)):
            done = s.run("brushwork", "build", "@list", *FAST, "--json", *more, cwd=folder).expect(status)
            found = done.find(code)
            check(found["file"] == "list" and found.get("line") == line, f"{text!r}: {found}")
            check(not done.out or not more, done.out)
        check(not bsps(folder), f"{text!r}: {bsps(folder)}")
    for text in ("a.vmf -o ../a.bsp", "a.vmf -o /tmp/a.bsp"):
        write(os.path.join(folder, "list"), text)
        s.run("brushwork", "build", "@list", "-o", "out", *FAST, cwd=folder).expect(2)
    check(not bsps(folder), bsps(folder))


@suite.case
def options_of_a_line_are_of_its_map(s, folder):
    tree(s, folder, "a.vmf", "b.vmf")
    write(os.path.join(folder, "list"), "a.vmf -luxelscale 4 -smooth 30\nb.vmf\n")
    s.run("brushwork", "build", "@list", "-luxelscale", "1", *FAST, "-o", "out", cwd=folder).expect(0)
    for name, scale, more in (("a", "4", ("-smooth", 30)), ("b", "1", ())):
        s.run("brushwork", "build", name + ".vmf", *FAST, "-luxelscale", scale, *more, "-o", "plain.bsp", cwd=folder).expect(0)
        check(read(os.path.join(folder, "plain.bsp")) == read(os.path.join(folder, "out", name + ".bsp")), name)
    check(read(os.path.join(folder, "out", "a.bsp")) != read(os.path.join(folder, "out", "b.bsp")), "the same options")


@suite.case
def hostile_names_are_quoted(s, folder):
    names = ["$(touch pwned).vmf", "a;b.vmf", "back\\slash.vmf", "s*r.vmf", "line\nend.vmf", "\x1b[31m<&\".vmf"]
    tree(s, folder, *("m/" + name for name in names))
    done = s.run("brushwork", "build", "--print-maps", "m/*", cwd=folder).expect(1)
    check(not done.out and "line end" in done.err, done.err)
    lines = s.run("brushwork", "build", "--print-maps", "--json", "m/*", cwd=folder).expect(0).out.decode().splitlines()
    check(sorted(json.loads(line)["map"] for line in lines) == sorted("m/" + name for name in names), lines)
    os.remove(os.path.join(folder, "m", "line\nend.vmf"))
    check(sorted(row[0] for row in planned(s, folder, "m/*.vmf")) == sorted("m/" + name for name in names if "\n" not in name), "names")
    s.run("brushwork", "build", "m/*", "-o", "out", "--junit", "junit.xml", *FAST, cwd=folder).expect(0)
    cases = ElementTree.parse(os.path.join(folder, "junit.xml")).findall(".//testcase")
    check("\ufffd[31m<&\".vmf" in [case.get("name") for case in cases] and len(cases) == 5, [case.attrib for case in cases])


def junit(folder):
    """The suite, and the cases by name."""
    root = ElementTree.parse(os.path.join(folder, "junit.xml")).getroot()
    check(root.tag == "testsuites" and [part.tag for part in root] == ["testsuite"], root)
    return root[0], {case.get("name"): case for case in root[0]}


@suite.case
def junit_has_a_case_a_map(s, folder):
    tree(s, folder, "m/box.vmf", "m/leak.vmf", "m/bad_solids.vmf")
    write(os.path.join(folder, "m", "broken.vmf"), "world\n{\n}}\n")
    options = (*FAST, "--junit", "junit.xml")
    s.run("brushwork", "build", "m/*.vmf", "-k", "-o", "out", *options, cwd=folder).expect(1)
    whole, cases = junit(folder)
    counts = {name: whole.get(name) for name in ("tests", "failures", "errors", "skipped")}
    check(counts == {"tests": "4", "failures": "2", "errors": "0", "skipped": "0"}, counts)
    check(all(float(case.get("time")) > 0 and case.get("classname") == "m" for case in cases.values()), cases)
    leak, broken = cases["leak.vmf"].find("failure"), cases["broken.vmf"].find("failure")
    check(leak.get("type") == "V001" and "m/leak.vmf:729: error V001: map leaks" in leak.text, leak.text)
    check(broken.get("type") == "C003" and "m/broken.vmf:3: error C003" in broken.text, broken.text)
    check(len(cases["box.vmf"]) == 0 and "warning" in cases["bad_solids.vmf"].find("system-out").text, "messages")
    s.run("brushwork", "build", "m/broken.vmf", "m/box.vmf", "-o", "out", *options, cwd=folder).expect(1)
    whole, cases = junit(folder)
    check(whole.get("skipped") == "1" and cases["box.vmf"].find("skipped") is not None, cases)
    s.run("brushwork", "build", "m/box.vmf", "-o", "one.bsp", *options, cwd=folder).expect(0)
    check(list(junit(folder)[1]) == ["box.vmf"] and os.path.exists(os.path.join(folder, "one.bsp")), "one map")
    s.run("brushwork", "build", "m/absent.vmf", "m/box.vmf", *options, cwd=folder).expect(1)
    check(junit(folder)[0].get("errors") == "1", "a plan that failed")
    s.run("brushwork", "build", "m/box.vmf", *FAST, "--junit", "none/such/x.xml", "-o", "out.bsp", cwd=folder).expect(1)


@suite.case
def an_output_that_is_gone_is_an_error(s, folder):
    """A device takes all that is written, and has nothing."""
    tree(s, folder, "a.vmf", "b.vmf")
    os.symlink("/dev/null", os.path.join(folder, "a.bsp"))
    done = s.run("brushwork", "build", "a.vmf", "b.vmf", "--until", "vbsp", "--json", cwd=folder)
    check(done.status == 1 and "C367" in done.codes(), done)
    check([part["status"] for part in done.result["maps"]] == ["failed", "ok"], done.result["maps"])


@suite.case
def a_build_ends_after_a_stage(s, folder):
    tree(s, folder, "atrium.vmf")
    s.run("brushwork", "build", "atrium.vmf", "--until", "vbsp", cwd=folder).expect(0)
    s.run("vbsp", "atrium.vmf", "-o", "plain.bsp", cwd=folder).expect(0)
    check(read(os.path.join(folder, "atrium.bsp")) == read(os.path.join(folder, "plain.bsp")), "vbsp")
    s.run("brushwork", "build", "atrium.vmf", "--until", "vvis", cwd=folder).expect(0)
    s.run("vvis", "plain", cwd=folder).expect(0)
    check(read(os.path.join(folder, "atrium.bsp")) == read(os.path.join(folder, "plain.bsp")), "vvis")


suite.main()
