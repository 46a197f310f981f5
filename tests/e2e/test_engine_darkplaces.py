#!/usr/bin/env python3
"""Compiled maps in DarkPlaces, the engine of Xonotic: a reader of IBSP 46 that shares no code with id Software's."""
import glob
import os
import struct

import darkplaces
import limit_maps
from e2e import Suite, check, read, write

suite = Suite()

REFUSED = ("q3_unclosed.map",)  # by vbsp
RECORDS = {"faces": (13, 104), "nodes": (3, 36)}


def must_load(bsp, folder):
    loaded = darkplaces.load_in_server(bsp, folder)
    check(loaded.ok, f"{bsp} does not load:\n{loaded.log[-3000:]}")
    check(not loaded.complaints, f"{bsp}: {loaded.complaints}")
    return loaded


def must_be_read(bsp, folder):
    """Loaded, with as many records of each list as the header says."""
    counts, data = must_load(bsp, folder).counts, read(bsp)
    for what, (lump, size) in RECORDS.items():
        length = struct.unpack_from("<i", data, 12 + 8 * lump)[0]
        check(counts.get(what) == length // size, f"{bsp}: {length // size} {what}, {counts}")


@suite.case
def a_broken_map_does_not_load(s, folder):
    """So that a test that passes says something."""
    path = os.path.join(folder, "a.bsp")
    s.run("vbsp", "--target", "xonotic", s.map("q3_box.map"), "-o", path).expect(0)
    whole = read(path)
    for name, data in (("version", whole[:4] + b"\x2f" + whole[5:]), ("half", whole[:len(whole) // 2])):
        check(not darkplaces.load_in_server(write(path, data), folder).ok, name)


@suite.case
def our_maps_load(s, folder):
    for source in sorted(glob.glob(s.map("q3_*.map"))):
        if os.path.basename(source) in REFUSED:
            continue
        path = os.path.join(folder, "a.bsp")
        done = s.run("vbsp", "--target", "xonotic", source, "-o", path)
        check(done.status in (0, 3), done)
        if done.status == 0:
            s.run("vvis", "-fast", path).expect(0)
            s.run("vrad", "-fast", "-deluxe", path).expect(0)
        must_be_read(path, folder)


@suite.case
def other_games_become_a_map_of_it(s, folder):
    for target in ("et", "ja"):
        path, other = os.path.join(folder, "a.bsp"), os.path.join(folder, "b.bsp")
        s.run("brushwork", "build", "-fast", "--target", target, s.map("q3_patches.map"), "-o", path).expect(0)
        check(not darkplaces.load_in_server(path, folder).ok, target)
        s.run("brushwork", "convert", path, other, "--to", "xonotic").expect(0)
        must_be_read(other, folder)


def many_models(source, count):
    for place in limit_maps.places(count - 1, 64):
        source.entity("func_brush")
        limit_maps.block(source, place)
        source.end()


@suite.case
def limits_are_those_of_the_engine(s, folder):
    """At 0.99 and 1.1 of its models, which are 32 times those of Quake 3."""
    for count, is_taken in ((8109, True), (9010, False)):
        source = write(os.path.join(folder, "a.vmf"), limit_maps.source_with(many_models, count))
        path = os.path.join(folder, "a.bsp")
        done = s.run("vbsp", "--json", "--target", "xonotic", source, "-o", path)
        told = [d["message"] for d in done.diagnostics if d["code"] == "B010" and d["message"].startswith("models:")]
        check((done.status == 0) == is_taken and bool(told) != is_taken, done)
        if is_taken:
            must_be_read(path, folder)


if __name__ == "__main__":
    suite.main()
