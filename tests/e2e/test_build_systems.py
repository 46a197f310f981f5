#!/usr/bin/env python3
"""examples/make and examples/ninja, by the real make and ninja: what depends on a changed file is compiled
again, and nothing else."""
import os
import shutil
import subprocess
import time

from e2e import Skip, Suite, check, read, write

suite = Suite()


def project(s, folder, kind):
    """A copy of the examples. Returns the folder of the kind."""
    for name in ("project", kind):
        shutil.copytree(os.path.join(s.options.source, "examples", name), os.path.join(folder, name))
    set_back(folder)
    return os.path.join(folder, kind)


def set_back(folder):
    for root, _, names in os.walk(folder):
        for name in names:
            os.utime(os.path.join(root, name), (time.time() - 100,) * 2)


def stamps(out):
    return {name: os.stat(os.path.join(out, name + ".bsp")).st_mtime_ns if
            os.path.exists(os.path.join(out, name + ".bsp")) else None for name in ("hall", "store")}


def built(s, place, *command):
    """The maps that a run compiles."""
    out = os.path.join(place, "out")
    before = stamps(out)
    path = s.options.bin + os.pathsep + os.environ["PATH"]
    done = subprocess.run(command, cwd=place, env=dict(os.environ, PATH=path), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    check(done.returncode == 0, done.stdout.decode(errors="replace"))
    after = stamps(out)
    return sorted(name for name in after if after[name] != before[name])


def touch(folder, *parts):
    path = os.path.join(folder, "project", *parts)
    check(os.path.exists(path), path)
    os.utime(path)


def goes_by_changes(s, folder, kind, *command):
    tool = shutil.which(kind)
    if not tool:
        raise Skip(f"no {kind}")
    place = project(s, folder, kind)
    os.mkdir(os.path.join(folder, "project", "override"))
    ninja = os.path.join(place, "build.ninja")
    if kind == "ninja":
        write(ninja, read(ninja).replace(b"\nsearch_options = ", b"\nsearch_options = -insert_search_path $project/override "))
        set_back(folder)
    command = (tool, *command)
    check(built(s, place, *command) == ["hall", "store"], "all of it at first")
    check(built(s, place, *command) == [], "nothing changed")
    for parts, maps in ((("maps", "instances", "pillar.vmf"), ["hall"]),
                        (("content", "materials", "project", "plaster.vmt"), ["store"]),
                        (("content", "materials", "project", "brick.vmt"), ["hall"]),
                        (("maps", "store.vmf"), ["store"])):
        time.sleep(0.02)
        touch(folder, *parts)
        found = built(s, place, *command)
        check(found == maps, f"{parts}: {found}")
        check(built(s, place, *command) == [], f"{parts}: built twice")
    material = os.path.join(folder, "project", "content", "materials", "project", "brick.vmt")
    text = read(material)
    os.remove(material)
    # Both have read the list of its folder.
    check(built(s, place, *command) == ["hall", "store"], "a material was removed")
    sees_what_is_new(s, folder, place, command, text)
    return place


def sees_what_is_new(s, folder, place, command, text):
    """Files that a build has looked for in vain, old ones too: a material that was missing, one that shadows another."""
    top = os.path.join(folder, "project")
    for parts, data, maps in ((("content", "materials", "project", "brick.vmt"), text, ["hall", "store"]),
                              (("maps", "store.rad"), b"project/plaster 10 20 30 40\n", ["store"]),
                              (("override", "materials", "project", "brick.vmt"), text + b"// other\n", ["hall", "store"])):
        time.sleep(0.02)
        path = os.path.join(top, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, data)
        os.utime(path, (time.time() - 50,) * 2)
        found = built(s, place, *command)
        check(found == maps, f"{parts}: {found}")
        check(built(s, place, *command) == [], f"{parts}: built twice")


@suite.case
def make_builds_what_has_changed(s, folder):
    place = goes_by_changes(s, folder, "make", "-j2", "PRESET=fast", "CONTENT=../project/override ../project/content")
    fresh = os.path.join(folder, "fresh.bsp")
    s.run("brushwork", "build", os.path.join("..", "project", "maps", "hall.vmf"), "-insert_search_path",
          os.path.join("..", "project", "override"), "-insert_search_path", os.path.join("..", "project", "content"), "--preset", "fast", "-o", fresh, cwd=place).expect(0)
    check(read(fresh) == read(os.path.join(place, "out", "hall.bsp")), "other bytes than a run by hand")


@suite.case
def a_failure_is_tried_again(s, folder):
    """A map that leaks has a BSP, which is newer than the map."""
    make = shutil.which("make")
    if not make:
        raise Skip("no make")
    place = project(s, folder, "make")
    shutil.copy(s.map("leak.vmf"), os.path.join(folder, "project", "maps", "store.vmf"))
    for _ in range(2):
        done = subprocess.run([make, "-k", "PRESET=fast", f"BRUSHWORK={s.options.bin}/brushwork"], cwd=place,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        text = done.stdout.decode(errors="replace")
        check(done.returncode == 2 and "V001" in text and "store.vmf" in text, text)
    check(os.path.exists(os.path.join(place, "out", "hall.bsp")), "the other map")


@suite.case
def ninja_builds_what_has_changed(s, folder):
    goes_by_changes(s, folder, "ninja", "-j2")


suite.main()
