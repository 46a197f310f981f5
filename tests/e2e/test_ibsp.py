#!/usr/bin/env python3
"""Quake 3 maps at the command line: looked into, verified, and refused by the stages of Source."""
import os
import shutil

from e2e import Suite, check, read

suite = Suite()


def room(s, folder):
    path = os.path.join(folder, "room.bsp")
    shutil.copyfile(os.path.join(s.options.source, "tests/fuzz/seeds/ibsp/room.bsp"), path)
    with open(os.path.join(folder, "room.prt"), "w", encoding="ascii") as portals:
        portals.write("PRT1\n2\n0\n")
    return path


@suite.case
def a_room_is_verified(s, folder):
    s.run("brushwork", "verify", room(s, folder)).expect(0)


@suite.case
def a_room_is_told_of(s, folder):
    s.run("brushwork", "info", room(s, folder)).expect(0)
    s.run("brushwork", "info", "--json", room(s, folder)).expect(0)


@suite.case
def stages_of_source_refuse_it(s, folder):
    path = room(s, folder)
    before = read(path)
    for stage in ("vvis", "vrad"):
        done = s.run(stage, path, "--json")
        done.expect(1)
        done.find("B001")
    check(read(path) == before, "the file changed")


@suite.case
def vbsp_does_not_compile_for_it(s, folder):
    output = os.path.join(folder, "box.bsp")
    done = s.run("vbsp", s.map("box.vmf"), "--target", "quake3", "-o", output, "--json")
    done.expect(2)
    done.find("T001")
    check(not os.path.exists(output), "a file was written")


if __name__ == "__main__":
    suite.main()
