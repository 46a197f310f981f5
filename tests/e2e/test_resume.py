#!/usr/bin/env python3
"""Runs of build and vrad that end early: what they keep, what they say, and that --resume gives the bytes
of a run that nobody disturbed."""
import os
import random
import re
import signal
import subprocess
import time

from e2e import Suite, check, read, write
from interrupts import Over, asks_for_end, earlier, end, in_time, wait_for_line, wait_for_writes, wait_until

suite = Suite()
ENDINGS = (".buildcheckpoint", ".vischeckpoint", ".vradcheckpoint")
LONG = os.environ.get("BRUSHWORK_LONG", "0") not in ("", "0")
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


def interrupt(s, stem, number, writes, *command):
    """Sends the signal after so many writes of checkpoints. Returns what was said; raises Over when it came too late."""
    running = subprocess.Popen([os.path.join(s.options.bin, command[0]), *map(str, command[1:])],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for_writes(running, [stem + ending for ending in ENDINGS], writes)
    return end(running, number, s.options.windows)


def interrupted(s, folder, stem, number, writes, *command):
    """The same, with as many runs as it takes to come in time."""
    return in_time(folder, lambda turn: interrupt(s, stem, number, earlier(writes, turn), *command))


def outputs(stem):
    return {ending: read(stem + ending) for ending in (".bsp", ".prt", ".srf") if os.path.exists(stem + ending)}


def goes_on(s, folder, source, *options, writes=(1, 2, 3, 4, 6, 8, 10, 12)):
    """build, ended after each of its writes by each signal in turn; then --resume."""
    whole, stem = os.path.join(folder, "whole"), os.path.join(folder, "out")
    s.run("brushwork", "build", source, *options, "-o", whole + ".bsp").expect(0)
    command = ("brushwork", "build", source, *options, "-o", stem + ".bsp", "--checkpoint-every", 0)
    numbers = (signal.SIGKILL, signal.SIGINT) * 2 if s.options.windows else (
        signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for count in writes:
        number = numbers[count % 4]
        err = interrupted(s, folder, stem, number, count, *command)
        if number != signal.SIGKILL:
            check(("Ctrl-C" if s.options.windows else signal.Signals(number).name) in err and "C352" in err, err)
            check(all(name in err for name in kept(folder)), f"{kept(folder)}: {err}")
        had = kept(folder)
        done = s.run(*command, "--resume", "--json").expect(0)
        check(not had or not [c for c in done.codes() if c.startswith("I02")], done)
        check(outputs(stem) == outputs(whole), f"other bytes after {count} writes and {number}")
        check(not leftovers(folder), leftovers(folder))
        for ending in outputs(stem):
            os.remove(stem + ending)


@suite.case
def a_build_for_source_goes_on(s, folder):
    goes_on(s, folder, two_lights(s, folder), "-both", *QUICK)


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
    for count in (1, 2, 4, 6):
        interrupted(s, folder, stem, signal.SIGKILL, count, *command)
        s.run(*command, "--resume").expect(0)
        check(read(stem + ".bsp") == read(os.path.join(folder, "whole.bsp")), f"other bytes after {count}")
        check(not leftovers(folder), leftovers(folder))
        write(stem + ".bsp", before)


def final_light(s, folder):
    """A map of which one phase, its bounced light, takes most of the time. Returns the command, and the whole result."""
    stem, whole = os.path.join(folder, "map"), os.path.join(folder, "whole.bsp")
    s.run("vbsp", write(stem + ".vmf", read(s.map("atrium.vmf")))).expect(0)
    s.run("vvis", stem, "-fast").expect(0)
    s.run("vrad", stem, "-final", "-threads", "2", "-o", whole).expect(0)
    return ("vrad", stem, "-final", "-threads", "2", "-o", os.path.join(folder, "out.bsp")), read(whole)


@suite.case
def ends_within_a_phase_lose_little(s, folder):
    """Killed while it makes bounced light, again and again: in the long form 100 times."""
    command, whole = final_light(s, folder)
    chance, out = random.Random(3), os.path.join(folder, "out.bsp")
    left = 100 if LONG else 6
    while left > 0:
        more = ()
        while left > 0:
            running = subprocess.Popen([os.path.join(s.options.bin, command[0]), *command[1:], "--checkpoint-every", "0.05",
                                        *more], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                wait_for_writes(running, [out[:-4] + ".vradcheckpoint"], chance.randint(1, 8))
                time.sleep(chance.random() * 0.1)
                end(running, chance.choice((signal.SIGKILL, signal.SIGKILL, asks_for_end(s))), s.options.windows)
            except Over:
                break
            left, more = left - 1, ("--resume",)
        if not os.path.exists(out) or leftovers(folder):  # killed before its end, or while it tidies up
            done = s.run(*command, "--resume", "--json").expect(0)
            check(not [c for c in done.codes() if c.startswith("I02")], done)
        check(read(out) == whole, f"other bytes with {left} ends left")
        check(not leftovers(folder), leftovers(folder))
        os.remove(out)


@suite.case
def runs_shorter_than_a_phase_come_to_the_end(s, folder):
    """Each run adds to what the one before it has kept. A machine that is so busy that a run does not come to its
    light gets more time."""
    command, whole = final_light(s, folder)
    path, seconds, runs, size = os.path.join(folder, "out.vradcheckpoint"), 0.3, 0, None
    while True:
        done = s.run(*command, "--resume", "--checkpoint-every", "0.05", "--max-time", f"{seconds:g}")
        if done.status == 0:
            break
        check(done.status == 5, done)
        runs += 1
        now = os.path.getsize(path) if os.path.exists(path) else None
        seconds *= 1.5 if now == size else 1.1
        size = now
    check(runs > 1, "one run did all")
    check(read(os.path.join(folder, "out.bsp")) == whole, f"other bytes after {runs} runs")
    check(not leftovers(folder), leftovers(folder))


@suite.case
def a_torn_end_of_a_checkpoint_is_done_again(s, folder):
    """What a crash has left of the last part, and what is damaged in one, does not count."""
    command, whole = final_light(s, folder)
    stem = os.path.join(folder, "out")
    interrupted(s, folder, stem, signal.SIGKILL, 6, *command, "--checkpoint-every", 0.02)
    data = read(stem + ".vradcheckpoint")
    for cut in (1, 100, len(data) // 3):
        for torn in (data[:-cut], data[:-cut] + bytes([data[-cut] ^ 1]) + data[len(data) - cut + 1:], data + b"more"):
            write(stem + ".vradcheckpoint", torn)
            s.run(*command, "--resume").expect(0)
            check(read(stem + ".bsp") == whole, f"other bytes after a cut of {cut}")
            os.remove(stem + ".bsp")
        if not LONG:
            break


def killed_late(s, folder, source, *more):
    """Leaves the checkpoints of a build that was killed in its lighting."""
    stem, late = os.path.join(folder, "out"), ["out.buildcheckpoint", "out.vradcheckpoint"]
    command = ("brushwork", "build", source, *QUICK, *more, "-o", stem + ".bsp", "--checkpoint-every", 0)

    def attempt(_):
        running = subprocess.Popen([os.path.join(s.options.bin, command[0]), *map(str, command[1:])],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        wait_until(lambda: kept(folder) == late, running)
        end(running, signal.SIGKILL)
        if kept(folder) != late:
            raise Over

    in_time(folder, attempt)
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
def a_short_run_tells_what_it_keeps(s, folder):
    """With the usual interval, and ended by a signal while it makes light."""
    source, stem = two_lights(s, folder), os.path.join(folder, "out")

    def attempt(_):
        running = subprocess.Popen([os.path.join(s.options.bin, "brushwork"), "build", source, "-o", stem + ".bsp"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_for_line(running, b"vrad")
        return end(running, signal.SIGINT, s.options.windows)

    err = in_time(folder, attempt)
    check("C352" in err and ("--resume continues" in err) == bool(kept(folder)), f"{kept(folder)}: {err}")
    s.run("brushwork", "build", source, "-o", stem + ".bsp").expect(0)
    check(not leftovers(folder), leftovers(folder))


if __name__ == "__main__":
    suite.main()
