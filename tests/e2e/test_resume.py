#!/usr/bin/env python3
"""Runs of build and vrad that end early: what they keep, what they say, and that --resume gives the bytes
of a run that nobody disturbed."""
import os
import re
import signal
import subprocess
import time

from e2e import Suite, check, read, write

suite = Suite()
ENDINGS = (".buildcheckpoint", ".vischeckpoint", ".vradcheckpoint")
QUICK = ("-fast", "-threads", "2")


def two_lights(s, folder):
    """A map whose LDR and HDR differ, so that it is lit twice."""
    with open(s.map("atrium.vmf"), encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r'"_lightHDR" "-1 -1 -1 1"', '"_lightHDR" "90 200 120 300"', text)
    return write(os.path.join(folder, "map.vmf"), text)


def quake3(s, folder):
    return write(os.path.join(folder, "map.map"), read(s.map("q3_lights.map")))


def kept(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith("checkpoint"))


def leftovers(folder):
    return [name for name in os.listdir(folder) if name.endswith("checkpoint") or ".brushwork-" in name]


def stamp(paths):
    """Changes whenever one of the files is replaced."""
    found = []
    for path in paths:
        try:
            about = os.stat(path)
            found.append((about.st_ino, about.st_mtime_ns))
        except FileNotFoundError:
            found.append(None)
    return found


def interrupt(s, stem, number, writes, *command):
    """Sends the signal after so many writes of checkpoints. Returns the status and what was said."""
    paths = [stem + ending for ending in ENDINGS]
    last = stamp(paths)
    running = subprocess.Popen([os.path.join(s.options.bin, command[0]), *map(str, command[1:])],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while writes and running.poll() is None:
        now = stamp(paths)
        if now != last:
            last, writes = now, writes - 1
        time.sleep(0.0002)
    running.send_signal(number)
    err = running.communicate(timeout=600)[1]
    return running.returncode, err.decode(errors="replace")


def outputs(stem):
    return {ending: read(stem + ending) for ending in (".bsp", ".prt", ".srf") if os.path.exists(stem + ending)}


def goes_on(s, folder, source, *options, writes=range(1, 14)):
    """build, ended after each of its writes by each signal in turn; then --resume."""
    whole, stem = os.path.join(folder, "whole"), os.path.join(folder, "out")
    s.run("brushwork", "build", source, *options, "-o", whole + ".bsp").expect(0)
    command = ("brushwork", "build", source, *options, "-o", stem + ".bsp", "--checkpoint-every", 0)
    numbers = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    ended = 0
    for count in writes:
        number = numbers[count % 4]
        status, err = interrupt(s, stem, number, count, *command)
        check(status in (0, -number), f"{number}: {status}: {err}")
        ended += status != 0
        if status and number != signal.SIGKILL:
            check(signal.Signals(number).name in err and "C352" in err, err)
            check(all(name in err for name in kept(folder)), f"{kept(folder)}: {err}")
        had = kept(folder)
        check(status or not had, had)
        resume = ("--resume",) if status else ()
        done = s.run(*command, *resume, "--json").expect(0)
        check(not had or not [c for c in done.codes() if c.startswith("I02")], done)
        check(outputs(stem) == outputs(whole), f"other bytes after {count} writes and {number}")
        check(not leftovers(folder), leftovers(folder))
        for ending in outputs(stem):
            os.remove(stem + ending)
    check(ended > len(writes) // 3, f"only {ended} runs were ended")


@suite.case
def a_build_for_source_goes_on(s, folder):
    goes_on(s, folder, two_lights(s, folder), "-both", "-threads", "2")


@suite.case
def a_build_for_quake3_goes_on(s, folder):
    goes_on(s, folder, quake3(s, folder), "-threads", "1", writes=range(1, 6))


@suite.case
def vrad_goes_on(s, folder):
    stem = os.path.join(folder, "map")
    s.run("vbsp", two_lights(s, folder)).expect(0)
    s.run("vvis", stem).expect(0)
    before = read(stem + ".bsp")
    s.run("vrad", stem, "-both", *QUICK, "-o", os.path.join(folder, "whole.bsp")).expect(0)
    command = ("vrad", stem, "-both", *QUICK, "--checkpoint-every", 0)
    for count in (1, 2, 4, 5, 6, 8):
        status, err = interrupt(s, stem, signal.SIGKILL, count, *command)
        check(status in (0, -signal.SIGKILL), f"{status}: {err}")
        s.run(*command, *(["--resume"] if status else [])).expect(0)
        check(read(stem + ".bsp") == read(os.path.join(folder, "whole.bsp")), f"other bytes after {count}")
        check(not leftovers(folder), leftovers(folder))
        write(stem + ".bsp", before)


def killed_late(s, folder, source, *more):
    """Leaves the checkpoints of a build that was killed in its lighting."""
    stem = os.path.join(folder, "out")
    command = ("brushwork", "build", source, *QUICK, *more, "-o", stem + ".bsp", "--checkpoint-every", 0)
    status, err = interrupt(s, stem, signal.SIGKILL, 3, *command)
    check(status == -signal.SIGKILL and len(kept(folder)) >= 2, f"{status} {kept(folder)}: {err}")
    return stem, command


def finds(s, folder, command, code, words):
    """The resumed run starts over, says why, and gives the bytes of a run from the start."""
    stem = os.path.join(folder, "out")
    done = s.run(*command, "--resume", "--json").expect(0)
    check(code in done.codes() and words in done.err, f"{code} {words}: {done.err}")
    fresh = os.path.join(folder, "fresh.bsp")
    again = [fresh if part == stem + ".bsp" else part for part in command]
    s.run(*again).expect(0)
    check(read(stem + ".bsp") == read(fresh), "other bytes")


@suite.case
def what_changed_is_made_again(s, folder):
    source = two_lights(s, folder)
    _, command = killed_late(s, folder, source)
    write(source, read(source).replace(b'"_light" "255 236 200 380"', b'"_light" "255 236 200 100"'))
    finds(s, folder, command, "I021", "map.vmf has changed")


@suite.case
def an_option_that_changed_starts_over(s, folder):
    source = two_lights(s, folder)
    _, command = killed_late(s, folder, source)
    finds(s, folder, (*command, "-bounce", 3), "I021", "different options")


@suite.case
def a_file_that_appears_starts_over(s, folder):
    """MAP.rad was looked for, and was not there."""
    source = two_lights(s, folder)
    _, command = killed_late(s, folder, source)
    write(os.path.join(folder, "map.rad"), "dev/reflectivity_90 255 200 100 900\n")
    finds(s, folder, command, "I021", "map.rad has changed")


@suite.case
def damage_is_found(s, folder):
    source = two_lights(s, folder)
    stem, command = killed_late(s, folder, source)
    for ending in (".buildcheckpoint", ".vradcheckpoint"):
        data = bytearray(read(stem + ending))
        data[len(data) // 2] ^= 1
        write(stem + ending, bytes(data))
    finds(s, folder, command, "I022", "checksum")


@suite.case
def a_checkpoint_is_told_and_none_is_needed(s, folder):
    source = two_lights(s, folder)
    _, command = killed_late(s, folder, source)
    done = s.run(*command).expect(0)
    check(b"found checkpoint" in done.out and b"--resume" in done.out, done)
    check(not leftovers(folder), leftovers(folder))
    done = s.run(*command, "--resume", "--json").expect(0)
    check("I020" in done.codes(), done)
    with open(source, "rb") as file:
        done = s.run("brushwork", "build", "-", "-o", "-", "-fast", "--resume", "--json",
                     stdin=file.read()).expect(0)
    check("I020" in done.codes() and "standard" in done.err, done.codes())


@suite.case
def a_short_run_writes_none(s, folder):
    """With the usual interval, and ended by a signal in the middle."""
    source, stem = two_lights(s, folder), os.path.join(folder, "out")
    running = subprocess.Popen([os.path.join(s.options.bin, "brushwork"), "build", source, "-o", stem + ".bsp"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    err = running.communicate(timeout=600)[1].decode()
    if running.returncode:
        check(running.returncode == -signal.SIGINT, running.returncode)
        check("resume continues" not in err or kept(folder), err)
    else:
        check(not leftovers(folder), leftovers(folder))


if __name__ == "__main__":
    suite.main()
