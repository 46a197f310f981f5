#!/usr/bin/env python3
"""The page of brushwork view: one walks in a map, and it tells what is seen from there."""
import os
import re
import struct

from browser import Browser, MapPage
from e2e import Suite, check, read, write
from pictures import mean_difference, pixels
from view_pages import SIZE, compiled, found, link_of, place, quiet, viewed

suite = Suite()


def looking(browser, page, link):
    page.look(link)
    return browser.value("document.getElementById('here').textContent")


def rows_seen(path):
    """How many clusters each cluster sees, by the visibility lump."""
    data = read(path)
    offset, size = struct.unpack_from("<ii", data, 8 + 16 * 4)
    lump = data[offset:offset + size]
    clusters, = struct.unpack_from("<i", lump)
    counts = []
    for cluster in range(clusters):
        at, row = struct.unpack_from("<i", lump, 4 + 8 * cluster)[0], bytearray()
        while len(row) < (clusters + 7) // 8:
            row += bytes(lump[at + 1]) if lump[at] == 0 else lump[at:at + 1]
            at += 2 if lump[at] == 0 else 1
        counts.append(sum(bin(byte).count("1") for byte in row))
    return counts


def walked(browser, page, link, axis, stop):
    """Walks from a link until the wall that is expected, and some steps longer. Returns the place."""
    page.look(link)
    browser.key("w", "KeyW", up=False)
    browser.wait(f"Math.abs(document.body.dataset.drawn.split(/[=,]/)[{axis + 1}] - {stop}) < 0.2")
    browser.frames(10)  # each of which is a step as long as the key is down
    browser.key("w", "KeyW", down=False)
    browser.wait(f"document.querySelector('canvas').width === {SIZE[0]}")
    at = place(browser)
    check(abs(at[axis] - stop) < 0.2, f"{link}: {at}")
    return at


@suite.case
def one_walks_through_a_door_and_sees_other_clusters(s, folder):
    """Walls and the floor hold; the number of seen clusters is that of the visibility lump."""
    path = compiled(s, folder, "two_rooms.vmf")
    with Browser(*SIZE) as browser:
        page, counts, told = MapPage(browser, viewed(s, path)), rows_seen(path), []
        for x, stop in ((128, 448), (40, 240)):
            link = f"view={x},128,64,0,90&walk=1"
            told.append(looking(browser, page, link))
            at = walked(browser, page, link, 1, stop)
            check(abs(at[0] - x) < 0.2 and abs(at[2] - 64) < 0.2, at)
            told.append(browser.value("document.getElementById('here').textContent"))
        seen = [re.search(r"cluster (\d+), sees (\d+) of (\d+)", text).groups() for text in told]
        check(seen[0] != seen[1] and seen[2] == seen[3], seen)
        check(all(counts[int(own)] == int(count) and int(every) == len(counts) for own, count, every in seen), seen)
        quiet(browser)


def at_rest(browser):
    """The place of a camera that has been the same for ten frames."""
    before, now = None, place(browser)
    while now != before:
        browser.frames(10)
        before, now = now, place(browser)
    return now


def walks_and_sees(browser, path, html, turns):
    """Walks from the start in some directions; the line of the place is that of the visibility lump, and changes."""
    page, told, counts = MapPage(browser, html), [], rows_seen(path) if read(path)[:4] == b"VBSP" else None
    start = ",".join(browser.value("document.body.dataset.drawn").split("=")[1].split(",")[:3])
    for turn in turns:
        page.look(f"view={start},0,{turn}")
        browser.value("document.getElementById('walk').click()")  # and it falls to the floor
        before = at_rest(browser)
        browser.key("w", "KeyW", up=False)
        browser.wait(f"(at => Math.hypot(at[0] - {before[0]}, at[1] - {before[1]}) > 12)"
                     "(document.body.dataset.drawn.split(/[=,]/).slice(1).map(Number))")
        browser.key("w", "KeyW", down=False)
        at_rest(browser)
        here = re.search(r"cluster (\d+), sees (\d+) of (\d+)", browser.value("document.getElementById('here').textContent"))
        told.append(here and tuple(map(int, here.groups())))
    if counts:
        check(all(row and counts[row[0]] == row[1] and row[2] == len(counts) for row in told), f"{path}: {told}")
    quiet(browser)


@suite.case
def one_walks_in_maps_of_all_kinds(s, folder):
    """In one that leaks there is no visibility, and it says so."""
    with Browser(*SIZE) as browser:
        for name in ("atrium.vmf", "q3_patches.map"):
            path = compiled(s, folder, name)
            walks_and_sees(browser, path, viewed(s, path), (0, 90))
        path = os.path.join(folder, "leak.bsp")
        s.run("brushwork", "build", s.map("leak.vmf"), "-o", path, "--no-leak-picture").expect(3)
        page = MapPage(browser, viewed(s, path))
        check("no visibility" in looking(browser, page, "view=128,128,64,0,90"), "a leak")
        quiet(browser)


@suite.case
def one_walks_in_maps_of_valves_compiler(s, folder):
    maps = [(s.corpus("generated", "mid.bsp"), (45, 180)), (s.corpus("vmf", "s09_who_hostel", "hostel.bsp"), (240, 270))]
    with Browser(*SIZE) as browser:
        for path, turns in maps:
            html = os.path.join(folder, "map.html")
            s.run("brushwork", "view", path, "-o", html).expect(0)
            walks_and_sees(browser, path, html, turns)


@suite.case
def portals_of_clusters_are_lines(s, folder):
    """The door between two rooms is where lines are; as many are named as the .prt file has for the cluster."""
    path = compiled(s, folder, "two_rooms.vmf")
    lines = read(path[:-4] + ".prt").decode().splitlines()
    check(int(lines[2]) == len(lines) - 3, lines[:3])
    with Browser(*SIZE) as browser:
        html = viewed(s, path)
        page = MapPage(browser, html)
        told = looking(browser, page, "view=128,128,64,0,90")
        cluster = re.search(r"cluster (\d+)", told).group(1)
        count = sum(cluster in line.split()[1:3] for line in lines[3:])
        check(told.endswith(f", {count} portals") and count > 0, told)
        link = link_of("128 128 64 0 90", panel=0)
        plain, drawn = (pixels(page.shot(link.replace("&panel", f"{more}&panel"))) for more in ("", "&portals=1"))
        check(mean_difference(plain, drawn) > 0.1, "no lines")
        quiet(browser)
        # Those of another map, or of none, are left out.
        for text in ("PRT1\n1\n0\n", "no portals", ""):
            write(path[:-4] + ".prt", text)
            page = MapPage(browser, viewed(s, path))
            check("portals" not in looking(browser, page, "view=128,128,64,0,90"), text)
            check(not browser.value("Boolean(document.getElementById('portals'))"), text)
            quiet(browser)


@suite.case
def brush_entities_and_maps_of_quake3_block(s, folder):
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, compiled(s, folder, "brush_entities.vmf")))
        walked(browser, page, "view=64,176,64,0,0&walk=1", 0, 144)  # a func_brush
        walked(browser, page, "view=64,100,64,0,90&walk=1", 1, 176)  # a door
        page = MapPage(browser, viewed(s, compiled(s, folder, "q3_patches.map")))
        at = walked(browser, page, "view=30,100,50.03,0,0&walk=1", 0, 241)
        check(abs(at[2] - 50) < 0.2, at)
        page.look("view=128,40,60,0,180&panel=0")
        browser.click(SIZE[0] / 2, SIZE[1] / 2)
        told = dict(found(browser))
        check(told["Shader"].endswith("base_wall/basewall01") and told["Point"] == "0 40 60", told)
        quiet(browser)


@suite.case
def one_stands_on_displacements(s, folder):
    with Browser(*SIZE) as browser:
        MapPage(browser, viewed(s, compiled(s, folder, "displacements.vmf")), "view=64,64,120,0,0&walk=1")
        at = at_rest(browser)
        check(72 < at[2] < 110 and at[:2] == [64, 64], at)
        quiet(browser)


suite.main()
