"""Builds that are ended by signals at random moments, some of them several times, and go on with
--resume: the bytes are those of a build that nobody disturbed, and nothing is left."""
import os
import random
import re
import shutil
import signal
import subprocess
import time

from judge import CODE, TIMEOUT
from kills import SIGNALS
from programs import read

SEED = 21
MORE = 0.4  # probability that a run that goes on is ended too
MOST = 4


def sources(options, folder):
    """A map of each engine, with the options that make it take its time: (name, source, options)."""
    maps = os.path.join(options.source, "maps")
    vmf = read(os.path.join(maps, "atrium.vmf")).decode()
    vmf = re.sub(r'"_lightHDR" "-1 -1 -1 1"', '"_lightHDR" "90 200 120 300"', vmf)
    with open(os.path.join(folder, "source.vmf"), "w", encoding="utf-8") as file:
        file.write(vmf)
    shutil.copy(os.path.join(maps, "q3_lights.map"), os.path.join(folder, "quake3.map"))
    quality = ("-final",) if options.long else ()
    return [("build, VMF", "source.vmf", ("-both", *quality)),
            ("build, MAP", "quake3.map", ("-samplesize", "2", "-super", "4") if options.long else ())]


def listen():
    """A shell starts what runs in the background without some signals."""
    for number in SIGNALS[1:]:
        signal.signal(number, signal.SIG_DFL)


class Build:
    """The same build again and again."""

    def __init__(self, options, folder, name, source, more):
        self.folder, self.name = folder, name
        self.command = [os.path.join(options.bin, "brushwork"), "build", source, "-threads", "2",
                        "--checkpoint-every", "0", *more, "-o"]
        begin = time.monotonic()
        subprocess.run([*self.command, "whole.bsp"], cwd=folder, check=True, capture_output=True)
        self.seconds = time.monotonic() - begin
        self.whole = self.outputs("whole")

    def outputs(self, stem):
        paths = [os.path.join(self.folder, stem + ending) for ending in (".bsp", ".prt", ".srf")]
        return [read(path) if os.path.exists(path) else None for path in paths]

    def start(self, *more):
        return subprocess.Popen([*self.command, "out.bsp", *more], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=listen)

    def of_end(self, sent, status, err):
        """Faults of a run that got a signal. One that was done before it came may succeed."""
        if status not in (0, -sent):
            return [f"{sent.name}: ended by {status}: {err}"]
        if status and sent != SIGNALS[0] and not CODE.search(err) and "cancelled" not in err and err:
            return [f"{sent.name}: {err}"]
        return []

    def once(self, chance):
        """Ends the build at random moments, then lets it end. Returns the number of signals, the longest
        time that one took to end it, and the faults."""
        faults, more, slowest, sent = [], (), 0, 0
        while True:
            running = self.start(*more)
            if sent and (sent == MOST or chance.random() > MORE):
                break
            number = chance.choice(SIGNALS)
            time.sleep(chance.random() * self.seconds)
            running.send_signal(number)
            begin, sent = time.monotonic(), sent + 1
            err = running.communicate(timeout=TIMEOUT)[1].decode(errors="replace")
            slowest = max(slowest, time.monotonic() - begin)
            faults += self.of_end(number, running.returncode, err)
            more = ("--resume",) if running.returncode else ()
        err = running.communicate(timeout=10 * TIMEOUT)[1].decode(errors="replace")
        if running.returncode:
            faults.append(f"--resume: {running.returncode}: {err}")
        elif self.outputs("out") != self.whole:
            faults.append("other bytes after --resume")
        left = [name for name in os.listdir(self.folder) if "checkpoint" in name or ".brushwork-" in name]
        return sent, slowest, faults + [f"left {name}" for name in left]


def at_random_moments(options, path, table):
    """In the long form 100 moments of each build."""
    os.makedirs(path)
    chance = random.Random(SEED)
    for name, source, more in sources(options, path):
        build, done, slowest = Build(options, path, name, source, more), 0, 0
        while done < (100 if options.long else 1):
            sent, seconds, faults = build.once(chance)
            done, slowest = done + sent, max(slowest, seconds)
            table.add(name, "ended and resumed", done, 0, faults)
        if options.table:
            print(f"{name}: {build.seconds:.1f} s, {done} signals, the slowest end took {slowest:.2f} s")
