#!/usr/bin/env python3
"""What programs that call Valve's tools rely on: the line of a leak, and the source's name at each stage."""
import os
import shutil

from e2e import Suite, check, read

suite = Suite()
LEAKED = b"**** leaked ****\n"


@suite.case
def test_leak_has_valves_line(s, folder):
    for name in ("leak.vmf", "leak_origin.vmf", "q3_leak.map"):
        out = os.path.join(folder, "leak.bsp")
        for program in (["vbsp"], ["brushwork", "build", "--no-leak-picture"]):
            done = s.run(*program, s.map(name), "-o", out).expect(3)
            check(done.out.count(LEAKED) == 1, f"{name}: {done.out}")
            check("leaked" not in done.err, "a line of standard output")
    done = s.run("vbsp", s.map("leak.vmf"), "-o", out, "--json").expect(3)
    check(done.out.count(LEAKED) == 1, "with --json, which is about standard error")
    done = s.run("vbsp", s.map("leak.vmf"), "-o", out, "--quiet").expect(3)
    check(done.out == b"", "with --quiet")
    done = s.run("vbsp", s.map("leak.vmf"), "-o", "-").expect(3)
    check(LEAKED not in done.out and done.out.startswith(b"VBSP"), "data on standard output")
    done = s.run("vbsp", s.map("box.vmf"), "-o", out).expect(0)
    check(b"leaked" not in done.out, "of a sealed map")


@suite.case
def test_stages_take_the_name_of_the_source(s, folder):
    """With its ending, without, and as Windows writes it."""
    for name in ("box.vmf", "q3_box.map"):
        results = []
        stem, ending = os.path.splitext(name)
        for i, given in enumerate((name, stem, f".\\{name}", stem + ending.upper())):
            place = os.path.join(folder, f"{stem}{i}")
            os.mkdir(place)
            shutil.copy(s.map(name), place)
            s.run("vbsp", name, cwd=place).expect(0)
            for program in ("vvis", "vrad"):
                s.run(program, given, "-threads", "1", cwd=place).expect(0)
            results.append(read(os.path.join(place, stem + ".bsp")))
            check(read(os.path.join(place, name)) == read(s.map(name)), "the source is as it was")
        check(len(set(results)) == 1, f"{name}: the same result")


suite.main()
