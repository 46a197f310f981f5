#!/usr/bin/env python3
"""What Windows has in a way of its own: Ctrl-C of a console, and files that another program keeps to itself. Helpers of
their own are compiled by mingw-w64."""
import os
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from e2e import Suite, check, read, write  # noqa: E402  pylint: disable=wrong-import-position

suite = Suite()
INTERRUPTED = "c000013a"


def helper(s, folder, name):
    program = os.path.join(folder, name + ".exe")
    subprocess.run(["x86_64-w64-mingw32-gcc-posix", "-municode", "-o", program,
                    os.path.join(s.options.source, "tests", "windows", name + ".c")], check=True)
    return ["wine", program]


def interrupted(s, folder, file, *command):
    """Runs the command, with Ctrl-C as soon as there is such a file. Returns its exit code and what it said."""
    program = os.path.join(os.path.dirname(s.options.bin), "bin", command[0] + ".exe")
    line = " ".join(["Z:" + program.replace("/", "\\"), *command[1:]])
    done = subprocess.run([*helper(s, folder, "control"), file, line], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=True)
    return done.stdout.split()[-1].decode(), done.stderr.decode(errors="replace")


def leftovers(folder):
    return [name for name in os.listdir(folder) if name.endswith("checkpoint") or ".brushwork-" in name]


@suite.case
def after_ctrl_c_it_goes_on(s, folder):
    """vrad, ended while it makes light, then --resume."""
    s.needs_light()
    s.run("vbsp", s.map("atrium.vmf"), "-o", "map.bsp", cwd=folder).expect(0)
    s.run("vrad", "map", "-final", "-o", "whole.bsp", cwd=folder).expect(0)
    command = ("vrad", "map", "-final", "-o", "out.bsp", "--checkpoint-every", "0.05")
    code, said = interrupted(s, folder, "out.vradcheckpoint", *command)
    check(code == INTERRUPTED, f"exit code {code}: {said}")
    check("C352" in said and leftovers(folder) == ["out.vradcheckpoint"], f"{leftovers(folder)}: {said}")
    done = s.run(*command, "--resume", "--json", cwd=folder).expect(0)
    check(not [code for code in done.codes() if code.startswith("I02")], done)
    check(read(os.path.join(folder, "out.bsp")) == read(os.path.join(folder, "whole.bsp")), "other bytes")
    check(not leftovers(folder), leftovers(folder))


@suite.case
def ctrl_c_ends_the_builds_of_several_maps(s, folder):
    s.needs_light()
    for name in "ab":
        write(os.path.join(folder, name + ".vmf"), read(s.map("atrium.vmf")))
    code, said = interrupted(s, folder, "a.bsp", "brushwork", "build", "-j", "2", "-final", "a.vmf", "b.vmf")
    check(code == INTERRUPTED, f"exit code {code}: {said}")
    check(not [name for name in os.listdir(folder) if ".brushwork-" in name], os.listdir(folder))


def held(s, folder, name, seconds):
    running = subprocess.Popen([*helper(s, folder, "hold"), name, str(seconds)], cwd=folder, stdout=subprocess.PIPE)
    check(running.stdout.readline().strip() == b"held", "the file cannot be held")
    threading.Thread(target=running.communicate).start()


@suite.case
def a_source_that_is_held_for_a_moment_is_read(s, folder):
    write(os.path.join(folder, "map.vmf"), read(s.map("box.vmf")))
    held(s, folder, "map.vmf", 1)
    s.run("vbsp", "map", cwd=folder).expect(0)


@suite.case
def a_result_that_is_held_for_a_moment_is_replaced(s, folder):
    write(os.path.join(folder, "map.vmf"), read(s.map("box.vmf")))
    write(os.path.join(folder, "map.bsp"), "older")
    held(s, folder, "map.bsp", 1)
    s.run("vbsp", "map", cwd=folder).expect(0)
    check(read(os.path.join(folder, "map.bsp")) != b"older", "the older result")


suite.main()
