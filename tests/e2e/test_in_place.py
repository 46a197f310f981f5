#!/usr/bin/env python3
"""Programs that read a file and write it again in place, two at once and while others write: no change
is lost, or the run fails and says so. What killed runs left beside outputs is removed by all writers."""
import ctypes
import fcntl
import json
import os
import shutil
import struct
import subprocess
import termios
import time

from e2e import Suite, check, read, write
from interrupts import SECONDS, wait_until

suite = Suite()
ROUNDS = 40


def copy(s, folder, name="map.bsp"):
    seed = os.path.join(s.options.source, "tests", "fuzz", "seeds", "bsp", "portal.bsp")
    return shutil.copyfile(seed, os.path.join(folder, name))


def contents(s, path):
    listed = s.run("brushwork", "unpack", path, "--list", "--json").expect(0)
    return {file["name"] for file in json.loads(listed.out)["files"]}


def start(s, *arguments, **more):
    return subprocess.Popen([os.path.join(s.options.bin, arguments[0]), *map(str, arguments[1:])],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def end(running):
    out, err = running.communicate(timeout=SECONDS)
    return running.returncode, (out + err).decode(errors="replace")


def two_at_once(s, folder, rounds, *more):
    """Both add a file, many times. Returns how often a run failed."""
    failed = 0
    added = write(os.path.join(folder, "added.txt"), "text")
    path = copy(s, folder)
    whole = read(path)
    for turn in range(rounds):
        write(path, whole)
        runs = [start(s, "brushwork", "pack", path, "--add", added, f"a/{turn}_{i}.txt", *more)
                for i in range(2)]
        results = [end(run) for run in runs]
        packed = contents(s, path)
        for i, (status, text) in enumerate(results):
            check((f"a/{turn}_{i}.txt" in packed) == (status == 0), f"turn {turn}: {results}")
            check(status == 0 or "C016" in text or "C017" in text, text)
            failed += status != 0
        check(any(status == 0 for status, _ in results), results)
    check(not [name for name in os.listdir(folder) if ".brushwork-" in name], os.listdir(folder))
    return failed


@suite.case
def of_two_packs_at_once_both_take_effect(s, folder):
    check(two_at_once(s, folder, ROUNDS) == 0, "a run failed that should have waited")


@suite.case
def without_waiting_one_may_fail(s, folder):
    two_at_once(s, folder, ROUNDS // 4, "--no-wait")


@suite.case
def so_it_is_in_a_sandbox(s, folder):
    check(two_at_once(s, folder, ROUNDS // 4, "--sandbox") == 0, "a run failed that should have waited")


class Held:
    """Holds a file as another run would."""

    def __init__(self, path):
        self.file = open(path, "rb")
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()


def map_with_portals(s, folder):
    path = os.path.join(folder, "map.bsp")
    s.run("vbsp", s.map("box.vmf"), "-o", path).expect(0)
    return path


def commands(s, folder, path):
    """All that change a file in place."""
    added = write(os.path.join(folder, "added.txt"), "text")
    return (("vvis", path), ("vrad", path, "-fast"), ("vvis", path, "-o", path),
            ("vbsp", s.map("box.vmf"), "-o", path, "-onlyents"),
            ("vbsp", s.map("box.vmf"), "-o", path, "-keepstalezip"),
            ("brushwork", "pack", path, "--add", added, "a.txt"),
            ("brushwork", "bspzip", "-addfile", path, "a.txt", added, path),
            ("brushwork", "convert", path, path, "--compress"))


@suite.case
def a_file_that_another_run_changes_is_left_alone(s, folder):
    path = map_with_portals(s, folder)
    whole = read(path)
    link = os.path.join(folder, "link.bsp")
    os.symlink(path, link)
    with Held(path):
        for command in commands(s, folder, path) + (("brushwork", "convert", path, link),):
            done = s.run(*command, "--no-wait").expect(1)
            check("C016" in done.err, done)
            check(read(path) == whole, done)
        # Another output is no business of the other run.
        s.run("vvis", path, "-o", os.path.join(folder, "other.bsp"), "--no-wait").expect(0)
        s.run("brushwork", "info", path).expect(0)
    for command in commands(s, folder, path):
        s.run(*command, "--no-wait").expect(0)


class Opens:
    """Counts how often a file is opened. None is missed, as it would be by looking for it in /proc. That it is closed
    is asked for too, since the system tells equal events in a row as one."""
    IN_OPEN, IN_CLOSE = 0x20, 0x18

    def __init__(self, path):
        libc = ctypes.CDLL(None, use_errno=True)
        self.queue, self.count = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC), 0
        check(self.queue >= 0 and libc.inotify_add_watch(self.queue, path.encode(), self.IN_OPEN | self.IN_CLOSE) >= 0,
              os.strerror(ctypes.get_errno()))

    def so_far(self):
        try:
            events = struct.iter_unpack("iIII", os.read(self.queue, 1 << 16))
            self.count += sum(bool(mask & self.IN_OPEN) for _, mask, _, _ in events)
        except BlockingIOError:
            pass
        return self.count

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.queue)


@suite.case
def a_run_waits_for_another(s, folder):
    """It tries again and again: more often than any run opens its input."""
    path = map_with_portals(s, folder)
    for command in commands(s, folder, path):
        with Held(path), Opens(path) as opens:
            running = start(s, *command)
            wait_until(lambda: opens.so_far() > 4, running)
            check(running.poll() is None, f"{command} did not wait")
        status, text = end(running)
        check(status == 0, text)


@suite.case
def a_file_that_is_changed_in_between_is_not_overwritten(s, folder):
    """Others take no locks. The run waits for its standard input while the file changes."""
    whole = read(copy(s, folder, "whole.bsp"))
    path = os.path.join(folder, "map.bsp")
    changes = {
        "written": lambda: write(path, whole + b"more"),
        "replaced": lambda: os.replace(write(path + ".new", whole), path),
        "removed": lambda: os.remove(path),
    }
    text = s.run("brushwork", "unpack", os.path.join(folder, "whole.bsp"), "--entities").expect(0).out
    for name, change in [("nothing", lambda: None), *changes.items()]:
        write(path, whole)
        running = start(s, "brushwork", "pack", path, "--entities", "-", stdin=subprocess.PIPE)
        running.stdin.write(text[:1])
        running.stdin.flush()
        wait_until(lambda: path in links(running.pid) and is_taken(running.stdin), running)
        change()
        after = read(path) if os.path.exists(path) else None
        out, err = running.communicate(text[1:], timeout=SECONDS)
        if name == "nothing":
            check(running.returncode == 0, err)
            continue
        check(running.returncode == 1 and b"C017" in err, f"{name}: {running.returncode}: {out} {err}")
        check((read(path) if os.path.exists(path) else None) == after, name)
    check(sorted(os.listdir(folder)) == ["whole.bsp"], os.listdir(folder))


def links(process):
    try:
        folder = f"/proc/{process}/fd"
        return [os.readlink(os.path.join(folder, name)) for name in os.listdir(folder)]
    except OSError:
        return []


def is_taken(pipe):
    """What was written has been read."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0] == 0


def dead_file(folder):
    """As a run that was killed leaves it: of another system, and two days old."""
    path = os.path.join(folder, "map.bsp.brushwork-12345-0123456789abcdef-abcdef")
    write(path, "half")
    os.utime(path, (time.time() - 200000,) * 2)
    return path


@suite.case
def all_writers_remove_what_killed_runs_left(s, folder):
    path = map_with_portals(s, folder)
    s.run("vvis", path).expect(0)
    s.run("vrad", path, "-fast").expect(0)
    added = write(os.path.join(folder, "added.txt"), "text")
    s.run("brushwork", "pack", path, "--add", added, "a.txt").expect(0)
    for number, command in enumerate((
            ("vbsp", s.map("box.vmf"), "-o", "{}/map.bsp"),
            ("vvis", path, "-o", "{}/map.bsp", "-fast"), ("vrad", path, "-o", "{}/map.bsp", "-fast"),
            ("brushwork", "build", s.map("box.vmf"), "-o", "{}/map.bsp", "--preset", "fast"),
            ("brushwork", "pack", path, "--add", added, "b.txt", "--out", "{}/map.bsp"),
            ("brushwork", "unpack", path, "--to", "{}"),
            ("brushwork", "unpack", path, "--entities", "--to", "{}/entities.txt"),
            ("brushwork", "bspzip", "-extract", path, "{}/map.zip"),
            ("brushwork", "convert", path, "{}/map.bsp", "--compress"),
            ("brushwork", "texdata", path, "--out", "{}/map.tsv"),
            ("brushwork", "render", path, "--out", "{}/map.png", "--size", "32x32"))):
        own = os.path.join(folder, str(number))
        os.mkdir(own)
        dead = dead_file(own)
        s.run(*(str(a).format(own) for a in command)).expect(0)
        check(not os.path.exists(dead), f"left by {command}")
        shutil.rmtree(own)


suite.main()
