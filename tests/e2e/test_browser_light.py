#!/usr/bin/env python3
"""The page of brushwork view: textures, light and what is drawn over them, against brushwork render."""
import json
import os
import re

from browser import Browser, MapPage
from e2e import Suite, check, read, write
from pictures import mean, mean_difference, pixels, spread
from view_pages import CAMERAS, CORPUS_CAMERAS, SIZE, compiled, head_of, link_of, place, press, quiet, viewed

suite = Suite()


def compare_light(s, browser, path, html, cameras, content=()):
    """The picture of the page, with the light alone, against that of brushwork render."""
    page, shot = MapPage(browser, html), html + ".png"
    for camera in cameras:
        s.run("brushwork", "render", path, "-o", shot, "--from", camera, "--lightmap-only", "--size", "{}x{}".format(*SIZE),
              "--samples", "8", *content).expect(0)
        expected, seen = pixels(read(shot)), pixels(page.shot(link_of(camera, mode="light", panel=0)))
        check(spread(expected[2]) > 40, f"{path}: nothing to see")
        difference = mean_difference(expected, seen)
        print(f"{os.path.basename(path)} {camera}: mean difference {difference:.2f}")
        check(difference <= 2, f"{path} from {camera}: {difference:.2f}")
    quiet(browser)


@suite.case
def the_light_is_that_of_render(s, folder):
    with Browser(*SIZE) as browser:
        for name, cameras in CAMERAS.items():
            path = compiled(s, folder, name)
            compare_light(s, browser, path, viewed(s, path), cameras)


@suite.case
def the_light_of_large_maps_is_that_of_render(s, folder):
    """And of props close up, whose light the page computes."""
    maps = [(s.corpus(*place), option and (option[0], s.corpus(*option[1])), cameras)
            for place, (option, cameras) in CORPUS_CAMERAS.items()]
    with Browser(*SIZE) as browser:
        for path, content, cameras in maps:
            html = os.path.join(folder, "map.html")
            s.run("brushwork", "view", path, "-o", html, *(content or ())).expect(0)
            compare_light(s, browser, path, html, cameras, content or ())


@suite.case
def hdr_light_has_the_exposure_of_render(s, folder):
    path, shot = os.path.join(folder, "atrium.bsp"), os.path.join(folder, "shot.png")
    s.run("brushwork", "build", s.map("atrium.vmf"), "-o", path, "--preset", "fast", "-hdr").expect(0)
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, path))
        for camera, options in (("740 140 200 12 35", {}), ("740 140 200 12 35", {"exposure": 0.5})):
            # A manual exposure is a factor of the automatic one, unless that is off.
            more = {**options, "auto": 0} if options else {}
            s.run("brushwork", "render", path, "-o", shot, "--from", camera, "--lightmap-only", "--size",
                  "{}x{}".format(*SIZE), "--samples", "8", "--exposure", options.get("exposure", 0)).expect(0)
            difference = mean_difference(pixels(read(shot)), pixels(page.shot(link_of(camera, mode="light", **more, panel=0))))
            check(difference <= 2, f"{options}: {difference:.2f}")
        quiet(browser)


@suite.case
def modes_differ_and_stay_in_the_link(s, folder):
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, compiled(s, folder, "atrium.vmf")))
        link = link_of("740 140 200 12 35", panel=0)
        both = pixels(page.shot(link))
        browser.key("2", "Digit2")
        browser.wait("location.hash.includes('mode=textures')")
        shots = [both] + [pixels(page.shot(link.replace("&panel", f"&mode={mode}&panel"))) for mode in ("textures", "light")]
        for i, one in enumerate(shots):
            check(spread(one[2]) > 40, f"picture {i} is blank")
            check(all(mean_difference(one, other) > 5 for other in shots[:i]), f"picture {i} is like another")
        dark = pixels(page.shot(link.replace("&panel", "&exposure=0.25&panel")))
        check(sum(mean(dark[2], 0, 0, *SIZE)) < sum(mean(both[2], 0, 0, *SIZE)), "the exposure")
        quiet(browser)


@suite.case
def overlays_of_the_map_lie_on_its_faces(s, folder):
    """One of 48 x 48 units across two faces, seen from above; the field of view is 90 degrees."""
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, compiled(s, folder, "overlays.vmf")))
        rows = pixels(page.shot(link_of("128 128 96 90 0", mode="textures", panel=0)))[2]
        scale = SIZE[0] / 2 / 80
        half = int(24 * scale)
        x, y = SIZE[0] // 2, SIZE[1] // 2
        inside = [mean(rows, x + dx * half // 2 - 4, y + dy * half // 2 - 4, x + dx * half // 2 + 4, y + dy * half // 2 + 4)
                  for dx in (-1, 1) for dy in (-1, 1)]
        outside = mean(rows, x + half + 4, y - 4, x + half + 12, y + 4)
        check(all(sum(colour) > 1.2 * sum(outside) for colour in inside), f"{inside} and {outside}")
        light = pixels(page.shot(link_of("128 128 96 90 0", mode="light", panel=0)))[2]
        spots = [sum(mean(light, x + d - 3, y - 3, x + d + 3, y + 3)) for d in (half - 8, half + 8)]
        check(abs(spots[0] - spots[1]) < 12, f"light of the face: {spots}")
        quiet(browser)


@suite.case
def the_grid_of_developer_materials_is_that_of_render(s, folder):
    """Without the games' textures; without the grid the pictures differ by 1.6 to 2.1."""
    with Browser(*SIZE) as browser:
        path, shot = compiled(s, folder, "atrium.vmf"), os.path.join(folder, "shot.png")
        page = MapPage(browser, viewed(s, path))
        for camera in CAMERAS["atrium.vmf"][::2]:
            s.run("brushwork", "render", path, "-o", shot, "--from", camera, "--size", "{}x{}".format(*SIZE), "--samples", "8").expect(0)
            difference = mean_difference(pixels(read(shot)), pixels(page.shot(link_of(camera, panel=0))))
            check(difference < 1, f"{camera}: {difference:.2f}")
        quiet(browser)


@suite.case
def a_dark_map_opens_with_a_raised_exposure(s, folder):
    """As brushwork render draws it with --raise-dark; it can be reset, and other maps have none."""
    text, path = read(s.map("box.vmf")).decode(), os.path.join(folder, "dark.bsp")
    dim = re.sub(r'"_light" "255 255 255 \d+"', '"_light" "255 255 255 1"', text)
    s.run("brushwork", "build", write(path[:-4] + ".vmf", dim), "-o", path, "--preset", "fast").expect(0)
    with Browser(*SIZE) as browser:
        check(head_of(viewed(s, compiled(s, folder, "box.vmf")))["exposure"] == 1, "a bright map")
        html, shot = viewed(s, path), os.path.join(folder, "shot.png")
        head = head_of(html)
        check(2 < head["exposure"] <= 16, head["exposure"])
        page, camera = MapPage(browser, html), " ".join(f"{n:g}" for n in head["start"])
        shots = {}
        for name, options in (("raised", ("--raise-dark",)), ("plain", ())):
            s.run("brushwork", "render", path, "-o", shot, "--from", camera, "--size", "{}x{}".format(*SIZE), "--samples", "8", *options).expect(0)
            shots[name] = pixels(read(shot))
        start = f"view={','.join(camera.split())}"
        check(mean_difference(shots["raised"], pixels(page.shot(start + "&panel=0"))) < 2, "the page")
        check(sum(mean(shots["raised"][2], 0, 0, *SIZE)) > 1.5 * sum(mean(shots["plain"][2], 0, 0, *SIZE)), "no difference")
        page.look(start)
        check("raised" in browser.value("document.getElementById('exposed').textContent"), "the panel")
        browser.value("document.getElementById('reset').click()")
        browser.wait(f"document.body.dataset.drawn === '{start}&exposure=1'")
        check(mean_difference(shots["plain"], pixels(page.shot(start + "&exposure=1&panel=0"))) < 2, "reset")
        quiet(browser)


@suite.case
def a_switched_style_is_dark(s, folder):
    text = read(s.map("two_rooms.vmf")).decode().replace('"classname" "light"', '"classname" "light"\n\t"targetname" "lamp"')
    path = os.path.join(folder, "lamps.bsp")
    s.run("brushwork", "build", write(path[:-4] + ".vmf", text), "-o", path, "--preset", "fast").expect(0)
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, path))
        link = "view=40,40,100,10,45&mode=light"
        lit = pixels(page.shot(link + "&panel=0"))
        page.look(link)
        browser.value("document.getElementById('style32').click()")
        dark = pixels(page.shot(link + "&panel=0"))
        bright, off = (sum(mean(shot[2], 0, 0, *SIZE)) for shot in (lit, dark))
        check(bright > 60 and off < bright / 4, f"{bright} and {off}")
        quiet(browser)


def open_section(browser, title):
    browser.value(f"void ([...document.querySelectorAll('summary')].find(s => s.textContent.startsWith('{title}')).parentNode.open = true)")


@suite.case
def seams_are_listed_and_drawn(s, folder):
    """A map whose edges nobody should see has none; the fast preset leaves some in another."""
    with Browser(*SIZE) as browser:
        for name, has_some in (("light_seams.vmf", False), ("atrium.vmf", True)):
            page = MapPage(browser, viewed(s, compiled(s, folder, name)))
            open_section(browser, "Seams")
            browser.wait("[...document.querySelectorAll('summary')].some(s => /^Seams \\(/.test(s.textContent))")
            rows = browser.value("[...document.querySelectorAll('button.place')].map(b => b.textContent).filter(t => t.startsWith('Light differs'))")
            amounts = [int(re.search(r"by (\d+) of", row).group(1)) for row in rows]
            check(bool(rows) == has_some and amounts == sorted(amounts, reverse=True), f"{name}: {rows}")
        before = browser.value("document.body.dataset.drawn")
        press(browser, rows[0])
        browser.wait(f"document.body.dataset.drawn !== {json.dumps(before)}")
        link = f"view={','.join(f'{n:g}' for n in place(browser))}&mode=light"
        # The worst one is an edge of brightness near the middle of the picture, and a line lies on it.
        plain, drawn = pixels(page.shot(link + "&panel=0")), pixels(page.shot(link + "&over=seams&panel=0"))
        middle = [row[3 * (SIZE[0] // 2 - 40):3 * (SIZE[0] // 2 + 40)] for row in plain[2][SIZE[1] // 2 - 30:SIZE[1] // 2 + 30]]
        check(spread(middle) > amounts[0] / 2, f"{amounts[0]} in the list, {spread(middle)} in the picture")
        check(mean_difference(plain, drawn) > 0.05, "no line")
        quiet(browser)


@suite.case
def overlays_are_seen(s, folder):
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, compiled(s, folder, "two_rooms.vmf")))
        link = link_of("128 128 64 0 90", panel=0)
        plain = pixels(page.shot(link))
        for name in ("density", "overdraw"):
            shot = pixels(page.shot(link.replace("&panel", f"&over={name}&panel")))
            check(mean_difference(plain, shot) > 10, name)
        for name, word in (("seen", "Striped"), ("density", "Each square"), ("overdraw", "Brighter"), ("seams", "Lines")):
            page.look(link.replace("&panel=0", f"&over={name}"))
            check(browser.value("document.getElementById('legend').textContent").startswith(word), name)
        # From the first room nothing of the second is seen: kept so, it is marked there.
        page.look(link.replace("&panel", "&over=seen&panel"))
        browser.key("f", "KeyF")
        other = link_of("640 128 100 0 45", panel=0)
        there = [mean(pixels(page.shot(other.replace("&panel", f"&{over}panel")))[2], 0, 0, *SIZE) for over in ("", "over=seen&")]
        check(there[1][0] > 2.2 * there[1][1] and there[0][0] < 2 * there[0][1], there)
        # It is told without colour, too: by stripes.
        row = pixels(page.shot(other.replace("&panel", "&over=seen&panel")))[2][20]
        reds = [row[3 * x] for x in range(120, 200)]
        turns = sum((a > b + 3) != (b > c + 3) for a, b, c in zip(reds, reds[6:], reds[12:]))
        check(max(reds) - min(reds) > 4 and turns > 10, reds)
        quiet(browser)


suite.main()
