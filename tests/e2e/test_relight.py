#!/usr/bin/env python3
"""Edits of lights with a cache: what an earlier run has kept of the light is used, and the bytes are those of a run without it.

BRUSHWORK_EDITS=N makes N edits of each map."""
import os
import random
import re
import shutil
import signal
import subprocess
import time

from cache_entries import seal, value_of, version_of
from e2e import Suite, check, read, write

suite = Suite()
EDITS = int(os.environ.get("BRUSHWORK_EDITS", "4"))

LIGHT = re.compile(r'(?:^entity\n)?^\{(?:(?!^[{}]).)*?"classname" "light(?:_spot)?"(?:(?!^[{}]).)*?^\}\n', re.MULTILINE | re.DOTALL)


def key_changed(block, key, change):
    return re.sub(rf'("{key}" ")([^"]*)"', lambda m: m.group(1) + change(m.group(2)) + '"', block, count=1)


def moved(block, random):
    def by_some(text):
        return " ".join(f"{float(number) + random.uniform(-24, 24):.3f}" for number in text.split())
    return key_changed(block, "origin", by_some)


def coloured(block, random):
    colour = " ".join(str(random.randrange(40, 256)) for _ in range(3)) + f" {random.randrange(100, 400)}"
    if '"_light"' in block:
        return key_changed(block, "_light", lambda _: colour)
    return key_changed(block, "light", lambda _: str(random.randrange(100, 500)))


def added(block, random):
    return block + moved(block, random)


def removed(block, _):
    return ""


def edited(text, random):
    """The map with one light that is moved, coloured, added or removed. One is left."""
    lights = list(LIGHT.finditer(text))
    edit = random.choice([moved, moved, coloured, added, removed])
    if len(lights) < 2 and edit is removed:
        edit = moved
    light = random.choice(lights)
    return text[:light.start()] + edit(light.group(0), random) + text[light.end():]


class Map:
    """A map of ours that is edited, and what it is lit with."""

    def __init__(self, s, folder, name, *options):
        self.s, self.folder, self.options = s, folder, options
        self.text = read(s.map(name)).decode()
        self.source = os.path.join(folder, name)
        self.bsp = os.path.splitext(self.source)[0] + ".bsp"
        self.cache = os.path.join(folder, "cache")

    def compile(self):
        """None: the map leaks."""
        write(self.source, self.text.encode())
        done = self.s.run("vbsp", self.source)
        if done.status == 3:
            return None
        done.expect(0)
        self.s.run("vvis", self.bsp).expect(0)
        return read(self.bsp)

    def light(self, dark, *options):
        write(self.bsp, dark)
        done = self.s.run("vrad", *self.options, *options, "--json", self.bsp)
        done.expect(0)
        return done, read(self.bsp)

    def edit(self, random):
        """The map after an edit that moves no light out of it."""
        before, dark = self.text, None
        while dark is None:
            self.text = edited(before, random)
            dark = self.compile()
        return dark

    def relight(self, dark, *options):
        done, lit = self.light(dark, "--cache", self.cache, *options)
        check(lit == self.light(dark)[1], f"{self.source}: other bytes than without a cache")
        return done


def reused(done):
    return done.result["stages"][0]["counters"].get("reused_ray_hits", 0)


def edit_often(s, folder, name, *options):
    one = Map(s, folder, name, *options)
    chance = random.Random(name)
    one.relight(one.compile())
    rays = sum(reused(one.relight(one.edit(chance), "-threads", str(1 + i % 3))) for i in range(EDITS))
    check(rays > 0, f"{name}: no ray is reused")


@suite.case
def edits_give_the_bytes_of_a_fresh_run(s, folder):
    edit_often(s, folder, "atrium.vmf", "-fast")


@suite.case
def edits_of_ldr_and_hdr(s, folder):
    edit_often(s, folder, "two_rooms.vmf", "-both")


@suite.case
def edits_of_quake3(s, folder):
    edit_often(s, folder, "q3_lights.map")


@suite.case
def edits_of_styles(s, folder):
    edit_often(s, folder, "q3_styles.map", "-fast")


def parts(cache):
    return [os.path.join(at, name) for kind in ("vrad-direct", "vrad-hits") for at, _, names in os.walk(os.path.join(cache, kind))
            for name in names]


@suite.case
def parts_of_somebody_else_are_told_and_made_again(s, folder):
    """Parts that are sealed, but not of this map: floats that are none, hits of luxels that are not there."""
    one = Map(s, folder, "two_rooms.vmf")
    dark = one.compile()
    one.relight(dark)
    kept = {path: read(path) for path in parts(one.cache)}
    check(len(kept) == 2, list(kept))
    for path, data in kept.items():
        value = value_of(data)
        for spoilt in (value[:60] + b"\xff" * (len(value) - 60), value[:len(value) // 2], b"\xff"):
            shutil.rmtree(os.path.join(one.cache, "vrad"), ignore_errors=True)
            for other, whole in kept.items():
                write(other, whole)
            write(path, seal(path, spoilt, version_of(data)))
            done, lit = one.light(dark, "--cache", one.cache)
            check("C359" in done.codes() or len(spoilt) < len(value), f"{path}: {done.codes()}")
            check(lit == one.light(dark)[1], f"{path}: other bytes than without a cache")


@suite.case
def a_run_that_is_stopped_leaves_what_later_runs_can_use(s, folder):
    one = Map(s, folder, "atrium.vmf")
    one.relight(one.compile())
    dark = one.edit(random.Random(2))
    whole = one.light(dark)[1]
    for i in range(8):
        write(one.bsp, dark)
        command = [os.path.join(s.options.bin, "vrad"), "--cache", one.cache, one.bsp]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.02 + 0.04 * i)
        run.send_signal(signal.SIGKILL)
        run.wait()
        _, lit = one.light(dark, "--cache", one.cache)
        check(lit == whole, f"killed after {0.02 + 0.04 * i:.2f} s: other bytes")


suite.main()
