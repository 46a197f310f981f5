#!/usr/bin/env python3
"""The page of brushwork view: what it tells of the face or entity that was clicked."""
import os
import re
import struct

from browser import Browser, MapPage
from e2e import Suite, check, read
from view_pages import CAMERAS, CORPUS_CAMERAS, SIZE, compiled, found, link_of, place, press, quiet, viewed

suite = Suite()


def side_facing(vmf, axis, at, inside):
    """The id of the side of a solid that holds the point `inside` whose plane is `axis` = `at`."""
    for solid in re.findall(r"solid\s*\{(.*?)\n\t\}", vmf, re.DOTALL):
        sides = [(re.search(r'"id" "(\d+)"', side).group(1),
                  [tuple(map(float, p)) for p in re.findall(r"\(([-\d.]+) ([-\d.]+) ([-\d.]+)\)", side)])
                 for side in re.findall(r"side\s*\{(.*?)\}", solid, re.DOTALL)]
        points = [p for _, corners in sides for p in corners]
        if all(min(p[k] for p in points) <= inside[k] <= max(p[k] for p in points) for k in range(3)):
            return next(int(side) for side, corners in sides if all(p[axis] == at for p in corners))
    raise AssertionError("no such solid")


@suite.case
def a_click_on_a_face_tells_its_side(s, folder):
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, compiled(s, folder, "two_rooms.vmf")))
        page.look("view=200,128,100,0,90&panel=0")
        browser.click(SIZE[0] / 2, SIZE[1] / 2)
        rows = found(browser)
        told = dict(rows)
        side = side_facing(read(s.map("two_rooms.vmf")).decode(), 1, 256, (200, 260, 100))
        check(told["Side"] == str(side), f"{told} instead of side {side}")
        check(told["Point"] == "200 256 100" and told["Styles"] == "0", told)
        lights = [(name, [float(n) for n in value.split()]) for name, value in rows if name.startswith("Light ")]
        # The light of its room alone, by its entity: red is 200 at 100 units, from 128 128 144.
        way = (128 - 200, 128 - 255, 144 - 100)
        square = sum(n * n for n in way)
        red = 200 * 100 ** 2 / square * 127 / square ** 0.5
        check(len(lights) == 1 and lights[0][0].endswith(", point"), rows)
        check(abs(lights[0][1][0] - red) < 0.1, f"{lights} instead of {red}")
        quiet(browser)


def lump(data, number):
    offset, size = struct.unpack_from("<ii", data, 8 + 16 * number)
    return data[offset:offset + size]


FACES, FACE_IDS, TEXINFO, TEXDATA, STRING_DATA, STRING_TABLE = 7, 11, 6, 2, 43, 44


def material_of(data, face):
    """The texinfo of a face, and the name of its material."""
    texinfo, = struct.unpack_from("<h", lump(data, FACES), 56 * face + 10)
    texdata, = struct.unpack_from("<i", lump(data, TEXINFO), 72 * texinfo + 68)
    name, = struct.unpack_from("<i", lump(data, TEXDATA), 32 * texdata + 12)
    at, = struct.unpack_from("<i", lump(data, STRING_TABLE), 4 * name)
    return texinfo, lump(data, STRING_DATA)[at:].split(b"\0")[0].decode()


def faces_told(s, browser, path, html, cameras):
    """Clicks on the middle of pictures: side, texinfo and material of each face are those of its records."""
    page, data, told = MapPage(browser, html), read(path), []
    for camera in cameras:
        page.look(link_of(camera, panel=0))
        browser.value("void document.getElementById('found').replaceChildren()")
        browser.click(SIZE[0] / 2, SIZE[1] / 2)
        rows = dict(found(browser))
        if "Face" not in rows:
            continue
        side, = struct.unpack_from("<H", lump(data, FACE_IDS), 2 * int(rows["Face"]))
        check((rows["Texinfo"], rows["Material"]) == tuple(map(str, material_of(data, int(rows["Face"])))), rows)
        check(rows["Side"] == str(side), f"{rows} instead of side {side}")
        told.append(rows)
    check(len(told) >= 2, f"{path}: {told}")
    quiet(browser)


@suite.case
def a_click_tells_the_records_of_the_compiler(s, folder):
    """In the maps of all kinds; a brush is named where the face is of one."""
    with Browser(*SIZE) as browser:
        path = compiled(s, folder, "atrium.vmf")
        faces_told(s, browser, path, viewed(s, path), CAMERAS["atrium.vmf"])
        path = os.path.join(folder, "leak.bsp")
        s.run("brushwork", "build", s.map("leak.vmf"), "-o", path, "--no-leak-picture").expect(3)
        faces_told(s, browser, path, viewed(s, path), ["128 128 100 0 0", "128 128 100 0 90", "128 128 100 30 180"])
        page = MapPage(browser, viewed(s, compiled(s, folder, "q3_patches.map")))
        page.look("view=128,40,60,0,180&panel=0")
        browser.click(SIZE[0] / 2, SIZE[1] / 2)
        check("Brush" in dict(found(browser)), found(browser))
        quiet(browser)


@suite.case
def a_click_tells_the_records_of_valves_compiler(s, folder):
    """Of maps without models, of which there is a face wherever one looks."""
    maps = [(s.corpus(*place), cameras) for place, (_, cameras) in CORPUS_CAMERAS.items() if "s04_rc_pyramid" not in place]
    with Browser(*SIZE) as browser:
        for path, cameras in maps:
            html = os.path.join(folder, "map.html")
            s.run("brushwork", "view", path, "-o", html).expect(0)
            faces_told(s, browser, path, html, cameras)


@suite.case
def a_click_on_an_entity_tells_its_keys(s, folder):
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, compiled(s, folder, "two_rooms.vmf")))
        page.look("view=40,128,144,0,0&entities=1&panel=0")
        browser.click(SIZE[0] / 2, SIZE[1] / 2)
        told = dict(found(browser))
        check(told["classname"] == "light" and told["origin"] == "128 128 144", told)
        # To its light and back; the lights of a surface lead there, too.
        press(browser, "Light ", "#found button")
        light = dict(found(browser))
        check(light["Kind"] == "point" and light["Place"] == "128 128 144" and light["Entity"].endswith(" light"), light)
        press(browser, " light", "#found td button")
        check(dict(found(browser))["classname"] == "light", found(browser))
        page.look("view=200,128,100,0,90&panel=0")
        browser.click(SIZE[0] / 2, SIZE[1] / 2)
        browser.wait("document.querySelector('#found h2').textContent === 'Surface'")
        press(browser, "Light ", "#found th button")
        check(dict(found(browser))["Place"] == "128 128 144", found(browser))
        quiet(browser)


suite.main()
