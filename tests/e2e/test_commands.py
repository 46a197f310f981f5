#!/usr/bin/env python3
"""The commands of the checkout, in a copy of it that has what they would install and build."""
import os
import shutil
import subprocess

from e2e import Suite, check, copy_maps, map_sources, read, write

suite = Suite()


def script(path, text):
    write(path, "#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


def checkout(s, folder):
    """Programs are there, so that cmake has nothing to do and no package is missing."""
    top = os.path.join(folder, "checkout")
    programs = os.path.join(top, "build", "release", "bin")
    tools = os.path.join(folder, "tools")
    for path in (programs, tools, os.path.join(top, "maps", "courtyard")):
        os.makedirs(path)
    shutil.copytree(os.path.join(s.options.source, "scripts"), os.path.join(top, "scripts"))
    shutil.copy(os.path.join(s.options.source, "compile"), top)
    shutil.copy(s.map("box.vmf"), os.path.join(top, "maps", "courtyard", "courtyard.vmf"))
    shutil.copy(s.map("courtyard/gameinfo.txt"), os.path.join(top, "maps", "courtyard"))
    os.symlink(os.path.join(os.path.abspath(s.options.bin), "brushwork"),
               os.path.join(programs, "brushwork"))
    script(os.path.join(tools, "dpkg-query"), 'printf "install ok installed"\n')
    script(os.path.join(tools, "cmake"), 'echo "[1/2] cmake $*"\necho "[2/2] done"\n')
    return top, tools


def run(tools, *command, cwd):
    return subprocess.run(command, cwd=cwd, env={**os.environ, "PATH": tools + ":/usr/bin:/bin"},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600, check=False, text=True)


@suite.case
def results_beside_the_maps_are_no_part_of_a_test(s, folder):
    left = os.path.join(folder, "left")
    copy_maps(s.options.source, os.path.join(left, "maps"))
    sources = map_sources(left)
    check("box.vmf" in sources and "courtyard/make" in sources, sources)
    for name in ("box.bsp", "box.prt", "box.html", "box.png", "leak_leak.png", "leak.lin", "q3_styles/q3_styles.shader",
                 "courtyard/courtyard.jpg", "courtyard/courtyard.bsp.part"):
        os.makedirs(os.path.dirname(os.path.join(left, "maps", name)), exist_ok=True)
        write(os.path.join(left, "maps", name), "left")
    copied = copy_maps(left, os.path.join(folder, "copy"))
    found = sorted(os.path.relpath(os.path.join(base, name), copied) for base, _, names in os.walk(copied) for name in names)
    check(found == sources, [name for name in found if name not in sources])
    check(sorted(os.listdir(os.path.dirname(s.map("box.vmf")))) == sorted({name.split("/")[0] for name in sources}), "others are there")


@suite.case
def compile_works_where_it_is_called(s, folder):
    top, tools = checkout(s, folder)
    mine = os.path.join(folder, "mine")
    os.mkdir(mine)
    shutil.copy(s.map("box.vmf"), os.path.join(mine, "my.vmf"))
    done = run(tools, os.path.join(top, "compile"), "my.vmf", "-o", "out.bsp", cwd=mine)
    check(done.returncode == 0 and "Building" in done.stdout and "Built" in done.stdout,
          done.stdout)
    check(sorted(os.listdir(mine)) == ["my.vmf", "out.bsp", "out.prt"], os.listdir(mine))
    check(sorted(os.listdir(os.path.join(top, "maps", "courtyard"))) == ["courtyard.vmf", "gameinfo.txt"],
          "wrote beside the project")
    check(not os.path.exists(os.path.join(top, "build", "courtyard")), "drew the courtyard")


@suite.case
def compile_without_a_map_takes_the_courtyard(s, folder):
    top, tools = checkout(s, folder)
    done = run(tools, os.path.join(top, "compile"), "--quiet", cwd=folder)
    check(done.returncode == 0, done.stdout)
    check(os.path.exists(os.path.join(top, "maps", "courtyard", "courtyard.bsp")), done.stdout)
    check(not os.path.exists(os.path.join(top, "build", "courtyard")), done.stdout)


@suite.case
def compile_alone_draws_the_courtyard(s, folder):
    top, tools = checkout(s, folder)
    done = run(tools, os.path.join(top, "compile"), cwd=top)
    check(done.returncode == 0 and "walk in  build/courtyard/courtyard.html" in done.stdout, done.stdout)
    check("copy build/courtyard/courtyard.bsp to <game folder>/maps/ and" in done.stdout, done.stdout)
    wrote = os.path.join(top, "build", "courtyard")
    check(sorted(os.listdir(wrote)) == [f"courtyard.{e}" for e in ("bsp", "html", "jpg", "prt")], os.listdir(wrote))
    check(read(os.path.join(wrote, "courtyard.jpg"))[:3] == b"\xff\xd8\xff", "no JPEG")
    check(b"<html" in read(os.path.join(wrote, "courtyard.html"))[:200], "no page")


@suite.case
def a_build_that_fails_is_shown(s, folder):
    top, tools = checkout(s, folder)
    script(os.path.join(tools, "cmake"), 'echo "[1/2] one"\necho "no such thing"\nexit 1\n')
    done = run(tools, os.path.join(top, "compile"), cwd=folder)
    check(done.returncode == 1 and "no such thing" in done.stdout, done.stdout)
    check("Built" not in done.stdout and "compile.log" in done.stdout, done.stdout)


@suite.case
def a_moved_checkout_builds_afresh(s, folder):
    top, tools = checkout(s, folder)
    release = os.path.join(top, "build", "release")
    for home, kept in ((os.path.realpath(top), True), ("/somewhere/else", False)):
        write(os.path.join(release, "CMakeCache.txt"), f"CMAKE_HOME_DIRECTORY:INTERNAL={home}\n")
        done = run(tools, os.path.join(top, "scripts", "build"), "release", "-DX=1", cwd=folder)
        check(done.returncode == 0, done.stdout)
        check("cmake --preset release -DX=1\n" in done.stdout, done.stdout)
        check("cmake --build --preset release\n" in done.stdout, done.stdout)
        check(os.path.exists(release) == kept, f"{home}: {done.stdout}")


@suite.case
def who_cannot_be_root_is_told_what_root_does(s, folder):
    top, tools = checkout(s, folder)
    for name in ("bash", "mktemp", "rm", "tail"):
        os.symlink(shutil.which(name), os.path.join(tools, name))
    script(os.path.join(tools, "dpkg-query"), "exit 1\n")
    script(os.path.join(tools, "apt-get"), "exit 1\n")
    script(os.path.join(tools, "id"), "echo 1000\n")
    done = subprocess.run([os.path.join(tools, "bash"), os.path.join(top, "scripts", "setup")],
                          env={"PATH": tools}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600, check=False, text=True)
    check(done.returncode == 1, done.stdout)
    check("\n    apt-get update && apt-get install --no-install-recommends gcc cmake " in
          done.stdout, done.stdout)


suite.main()
