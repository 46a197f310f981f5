#!/usr/bin/env python3
"""MAP sources from the command line: which are found, what is written, what is told."""
import os
import shutil

from e2e import Suite, check, read

suite = Suite()
SOURCE = ["--target", "sdk2013"]


@suite.case
def a_map_is_found_without_its_extension(s, folder):
    shutil.copy(s.map("q3_box.map"), folder)
    s.run("vbsp", *SOURCE, "q3_box", cwd=folder).expect(0)
    check(sorted(os.listdir(folder)) == ["q3_box.bsp", "q3_box.map", "q3_box.prt"],
          os.listdir(folder))
    s.run("brushwork", "verify", "q3_box.bsp", "--json", cwd=folder).expect(0)


@suite.case
def standard_input_gives_the_same_bytes(s, folder):
    written = os.path.join(folder, "forms.bsp")
    s.run("vbsp", *SOURCE, s.map("q3_forms.map"), "-o", written).expect(0)
    done = s.run("vbsp", *SOURCE, "-", stdin=read(s.map("q3_forms.map"))).expect(0)
    check(done.out == read(written), "other bytes from standard input")


@suite.case
def build_lights_a_map(s, folder):
    path = os.path.join(folder, "box.bsp")
    s.run("brushwork", "build", *SOURCE, s.map("q3_box.map"), "-o", path).expect(0)
    s.run("brushwork", "verify", path, "--json").expect(0)


@suite.case
def an_open_brace_writes_nothing(s, folder):
    shutil.copy(s.map("q3_unclosed.map"), folder)
    done = s.run("vbsp", *SOURCE, "--json", "q3_unclosed.map", cwd=folder)
    done.expect(1)
    found = done.find("S052")
    check((found["line"], found["entity"], found["brush"]) == (6, 0, 0), found)
    check(os.listdir(folder) == ["q3_unclosed.map"], os.listdir(folder))


@suite.case
def a_leak_has_a_line_and_no_portals(s, folder):
    shutil.copy(s.map("q3_leak.map"), folder)
    s.run("vbsp", *SOURCE, "q3_leak.map", cwd=folder).expect(3)
    check(sorted(os.listdir(folder)) == ["q3_leak.bsp", "q3_leak.lin", "q3_leak.map"],
          os.listdir(folder))


suite.main()
