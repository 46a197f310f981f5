#!/usr/bin/env python3
"""brushwork view: the page of a map, and what a browser makes of it."""
import base64
import hashlib
import http.client
import json
import math
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import time
import zlib

from browser import ANSWER, Browser, MapPage
from e2e import Skip, Suite, check, read, write
from hostile_map import EVIL, NAME, hostile
from pictures import mean, mean_difference, pixels, spread

suite = Suite()

# Cameras of maps: pictures of brushwork render are the oracle.
CAMERAS = {
    "atrium.vmf": ["740 140 200 12 35", "500 500 100 0 0", "96 384 72 0 75", "1200 300 300 20 150", "300 -100 60 -5 60"],
    "water.vmf": ["128 128 150 30 45"],
    "displacements.vmf": ["0 0 264 20 40"],
    "sky_camera.vmf": ["64 128 80 -10 0"],
    "q3_patches.map": ["40 40 80 10 45", "128 40 60 0 90", "220 220 100 20 -135", "60 200 40 -10 -60", "128 128 120 60 0"],
}
# Maps of the corpus, with the option that finds their content; the last two of s04 are close to props, whose light is computed.
CORPUS_CAMERAS = {
    ("generated", "mid.bsp"): (("-game", ("generated", "game")),
                               ["64 64 144 0 0", "640 640 200 20 45", "1500 1500 100 10 135", "2500 400 300 30 100", "320 2400 80 0 -60"]),
    ("vmf", "s09_who_hostel", "hostel.bsp"): (
        None, ["20 162 1 0 240", "20 -150 10 10 90", "0 0 0 0 0", "60 50 40 30 200", "-20 -100 -20 -10 60"]),
    ("vmf", "s04_rc_pyramid", "rc_pyramid.bsp"): (
        ("-insert_search_path", ("assets", "ricochet_game")),
        ["-600 -900 200 20 45", "1000 -900 -20 20 -60", "-900 -156 300 10 180", "-250 -560 260 30 -120", "100 -240 560 25 -140"]),
}
SIZE = 320, 180


def compiled(s, folder, name):
    path = os.path.join(folder, name.split(".")[0] + ".bsp")
    s.run("brushwork", "build", s.map(name), "-o", path, "--preset", "fast").expect(0)
    return path


def viewed(s, path, *options):
    page = path[:-4] + ".html"
    s.run("brushwork", "view", path, "-o", page, *options).expect(0)
    return page


def head_of(page):
    """The head of the data of a page."""
    return head_of_text(read(page).decode())


def head_of_text(html):
    text = re.search(r'id="data">([A-Za-z0-9+/=]*)</script>', html).group(1)
    data = zlib.decompress(base64.b64decode(text))
    return json.loads(data[4:4 + int.from_bytes(data[:4], "little")])


def link_of(camera, **more):
    return "&".join([f"view={','.join(camera.split())}", *(f"{k}={v}" for k, v in more.items())])


@suite.case
def a_page_allows_its_own_program_alone(s, folder):
    page = viewed(s, compiled(s, folder, "box.vmf"))
    html = read(page).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html).group(1)
    check(policy.startswith("default-src 'none';"), policy)
    for kind, tag in (("script-src", "script type=\"module\""), ("style-src", "style")):
        text = re.search(f"<{tag}>(.*?)</", html, re.DOTALL).group(1)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        check(f"{kind} 'sha256-{digest}'" in policy, f"{kind} of {policy}")
    check("unsafe" not in policy and not re.search(r"https?:|\bsrc=|\bhref=", html), "it names another place")


@suite.case
def its_program_is_valid(s, folder):
    """The scripts share one scope: a name that two of them define is an error."""
    node = shutil.which("node")
    if not node:
        raise Skip("no node")
    html = read(viewed(s, compiled(s, folder, "box.vmf"))).decode()
    script = re.search('<script type="module">(.*?)</script>', html, re.DOTALL).group(1)
    done = subprocess.run([node, "--check", write(os.path.join(folder, "page.mjs"), script)], capture_output=True, check=False)
    check(done.returncode == 0, done.stderr.decode())


@suite.case
def the_same_map_gives_the_same_page(s, folder):
    path = compiled(s, folder, "displacements.vmf")
    first = read(viewed(s, path))
    check(read(viewed(s, path, "-threads", "1")) == first, "with one thread")
    done = s.run("brushwork", "view", path[:-4], "--out", "-").expect(0)
    check(done.out == first, "to standard output")
    os.remove(path[:-4] + ".html")
    s.run("brushwork", "view", path).expect(0)
    check(read(path[:-4] + ".html") == first, "beside the map")


@suite.case
def images_have_the_size_and_quality_asked_for(s, folder):
    path, game = s.corpus("generated", "mid.bsp"), s.corpus("generated", "game")
    sizes = {}
    for options in ((), ("--quality", "10"), ("--texture-size", "16")):
        page = os.path.join(folder, "mid.html")
        s.run("brushwork", "view", path, "-o", page, "-game", game, *options).expect(0)
        sizes[options] = sum(image["size"] for image in head_of(page)["images"])
        check(len(read(page)) < 10e6, f"{len(read(page))} bytes")
    check(sizes["--quality", "10"] < sizes[()] > sizes["--texture-size", "16"], sizes)


@suite.case
def errors_leave_no_page(s, folder):
    check(s.run("brushwork", "view", s.map("box.vmf"), "-o", os.path.join(folder, "a.html")).status == 1, "no BSP")
    path = compiled(s, folder, "box.vmf")
    s.run("brushwork", "view", path, "--quality", "101").expect(2)
    s.run("brushwork", "view", path, "-o", os.path.join(folder, "none", "a", "b.html"), "--sandbox")
    check(sorted(n for n in os.listdir(folder) if n.endswith(".html")) == [], os.listdir(folder))


def hostile_page(s, folder):
    messages = json.dumps({"severity": "error", "code": EVIL, "title": EVIL, "message": EVIL, "file": EVIL, "point": [1e300, 2, 3]})
    return viewed(s, hostile(s, folder), "--messages", write(os.path.join(folder, "messages"), messages + "\n"))


@suite.case
def text_of_a_map_does_not_become_html(s, folder):
    html = read(hostile_page(s, folder)).decode()
    check(html.count("</script>") == 2 and "onerror" not in html and "alert(1)" not in html, "it is in the page")


# --- in a browser ---


def quiet(browser):
    check(not browser.errors, browser.errors)
    check(len(browser.requests) == 1, browser.requests)


@suite.case
def a_browser_shows_a_hostile_map(s, folder):
    with Browser(*SIZE) as browser:
        page = MapPage(browser, hostile_page(s, folder))
        check(browser.value("document.title") == NAME, "the title")
        check(browser.value("JSON.stringify(document.getElementById('panel').textContent)").count("onerror=alert(1)") >= 4, "the lists")
        # All lists are opened, all places visited, the entity is clicked.
        browser.value("void document.querySelectorAll('details').forEach(details => { details.open = true; })")
        browser.value("void [...document.querySelectorAll('button.place')].forEach(button => button.click())")
        page.look("view=40,64,64,0,0&entities=1&panel=0")
        browser.click(SIZE[0] / 2, SIZE[1] / 2)
        check(dict(found(browser))[EVIL] == EVIL, found(browser))
        check(browser.value("document.title") == NAME, "the title after all")
        check(browser.value("document.querySelectorAll('img, script:not([type])').length") == 0, "an element")
        for link in ("over=constructor&mode=__proto__&exposure=1e999", "view=nan,1e999,,0,0", "over=</script>", "%00%ff&view=1,2,3,4"):
            browser.value(f"void (location.hash = {json.dumps(link)})")
            browser.frames(3)
        check(browser.value("document.getElementById('legend').textContent") == "", "an overlay that is none")
        check(spread(pixels(page.shot("view=64,64,64,10,45&panel=0"))[2]) > 40, "a blank picture")
        quiet(browser)


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


# --- fog and shaders ---


def image(*colours):
    """A TGA of 16 x 16 texels, in columns of these colours (red, green, blue, alpha) from left to right."""
    texels = b"".join(bytes((b, g, r, a)) for r, g, b, a in (colours[x * len(colours) // 16] for x in range(16)))
    return bytes((0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 16, 0, 32, 0x28)) + 16 * texels


RED, GREEN, BLUE, GREY, BLACK = (255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255), (128, 128, 128, 255), (0, 0, 0, 255)


def box_brush(mins, maxs, shader):
    sides = []
    for k in range(3):
        for at, out in ((mins, -1), (maxs, 1)):
            one, other = [0, 0, 0], [0, 0, 0]
            one[(k + 1) % 3], other[(k + 2) % 3] = (1, 1)
            points = [[at[k] if i == k else n for i, n in enumerate(p)] for p in ([0, 0, 0], other if out > 0 else one, one if out > 0 else other)]
            sides.append(" ".join("( {} {} {} )".format(*p) for p in points) + f" {shader} 0 0 0 0.5 0.5 0 0 0")
    return "{\n" + "\n".join(sides) + "\n}\n"


def shaded(s, folder, script, images, brush=""):
    """The page of a box of which base_wall/basewall01 is defined by a script."""
    base = os.path.join(folder, "game", "baseq3")
    for name, data in {"scripts/test.shader": script, **images}.items():
        os.makedirs(os.path.dirname(os.path.join(base, name)), exist_ok=True)
        write(os.path.join(base, name), data)
    text = read(s.map("q3_box.map")).decode().replace("// floor\n", brush + "// floor\n", 1)
    text = re.sub(r'"light" "\d+"', '"light" "60"', text)
    path, game = os.path.join(folder, "shaded.bsp"), ("-game", "quake3", "-fs_basepath", os.path.join(folder, "game"))
    s.run("brushwork", "build", write(path[:-4] + ".map", text), "-o", path, "--preset", "fast", *game).expect(0)
    return viewed(s, path, *game)


def colour_seen(page, link):
    return mean(pixels(page.shot(link))[2], SIZE[0] // 2 - 8, SIZE[1] // 2 - 8, SIZE[0] // 2 + 8, SIZE[1] // 2 + 8)


@suite.case
def fog_hides_by_distance(s, folder):
    text = read(s.map("two_rooms.vmf")).decode()
    fog = ('entity\n{\n"id" "900"\n"classname" "env_fog_controller"\n"origin" "8 8 8"\n"fogenable" "1"\n"fogcolor" "255 0 0"\n'
           '"fogstart" "16"\n"fogend" "128"\n"fogmaxdensity" "1"\n}\n')
    path = os.path.join(folder, "fog.bsp")
    s.run("brushwork", "build", write(path[:-4] + ".vmf", text + fog), "-o", path, "--preset", "fast").expect(0)
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, path))
        far, near = link_of("64 64 100 0 90", panel=0), link_of("64 244 100 0 90", panel=0)
        check(colour_seen(page, far)[0] > 250 and max(colour_seen(page, far)[1:]) < 5, colour_seen(page, far))
        for link in (near, far.replace("&panel", "&fog=0&panel"), far.replace("&panel", "&mode=light&panel")):
            red, green, _ = colour_seen(page, link)
            check(green > red / 4, f"{link}: {red} {green}")
        page.look(far.replace("&panel=0", ""))
        browser.value("document.getElementById('fog').click()")
        browser.wait("document.body.dataset.drawn.includes('fog=0')")
        quiet(browser)


@suite.case
def volumes_of_fog_hide_what_is_in_them(s, folder):
    script = "textures/test/fog\n{\nsurfaceparm fog\nsurfaceparm trans\nsurfaceparm nonsolid\nsurfaceparm nolightmap\nfogparms ( 0 0 1 ) 64\n}\n"
    fog = box_brush((0, 128, 0), (256, 256, 128), "test/fog")
    with Browser(*SIZE) as browser:
        page = MapPage(browser, shaded(s, folder, script, {}, fog))
        inside, outside = "128 64 64 0 90", "128 200 64 0 -90"
        seen = colour_seen(page, link_of(inside, panel=0))
        check(seen[2] > 250 and max(seen[:2]) < 5, f"into the fog: {seen}")
        check(colour_seen(page, link_of("128 64 64 0 -90", panel=0))[2] < 200, "away from it")
        check(colour_seen(page, link_of(outside, panel=0))[2] > 250, "out of it")
        check(colour_seen(page, link_of(inside, fog=0, panel=0))[2] < 200, "without it")
        quiet(browser)


WALL = "textures/base_wall/basewall01\n{{\n{}\n}}\n"
TEXTURES = {f"textures/test/{name}.tga": image(*colours) for name, colours in {
    "red": [RED], "green": [GREEN], "grey": [GREY], "blue": [BLUE], "halves": [RED, GREEN],
    "cut": [RED, (255, 0, 0, 100)], "none": [(255, 255, 255, 0)]}.items()}
AT_WALL = link_of("128 128 64 0 90", panel=0)


def wall_seen(s, browser, folder, stages, more="", script=""):
    """The colour of a wall that a script defines, in the middle of the picture."""
    page = MapPage(browser, shaded(s, folder, WALL.format(script + "\n".join("{\n" + stage + "}" for stage in stages)), TEXTURES))
    seen = colour_seen(page, AT_WALL.replace("&panel", more + "&panel"))
    quiet(browser)
    return seen


@suite.case
def stages_of_shaders_are_blended(s, folder):
    """Each is one pass: what is added, multiplied, blended by alpha, cut by it; with light or without."""
    red, green, grey = (f"map textures/test/{name}.tga\n" for name in ("red", "green", "grey"))
    lightmap = "map $lightmap\nrgbGen identity\n"
    rows = [
        ([red, "map textures/test/green.tga\nblendFunc add\n"], lambda r, g, b: r > 200 and g > 200 and b < 20),
        ([red, "map textures/test/green.tga\nblendFunc filter\n"], lambda r, g, b: max(r, g, b) < 20),
        ([red, "map textures/test/green.tga\nblendFunc GL_ZERO GL_ONE\n"], lambda r, g, b: r > 200 and g < 20),
        ([red, "map textures/test/none.tga\nblendFunc blend\n"], lambda r, g, b: r > 200 and g < 20),
        ([green, "map textures/test/none.tga\nalphaFunc GT0\n"], lambda r, g, b: g > 200 and r < 20),
        ([green, "map textures/test/red.tga\nalphaFunc GE128\n"], lambda r, g, b: r > 200 and g < 20),
        ([green, "map textures/test/lost.tga\nblendFunc filter\n"], lambda r, g, b: g > 200 and r < 20),
        ([40 * red + "tcMod scroll 1 0\n"], lambda r, g, b: r > 200 and g < 20),
        ([grey + "tcMod scroll 1 0\n"], lambda r, g, b: 110 < r < 150 and abs(r - g) < 5),
    ]
    with Browser(*SIZE) as browser:
        for stages, expected in rows:
            seen = wall_seen(s, browser, folder, stages)
            check(expected(*seen), f"{stages}: {seen}")
        # With light where the lightmap is multiplied, which the light of a box is not everywhere 1.
        lit = [wall_seen(s, browser, folder, [lightmap, "map textures/test/grey.tga\nblendFunc filter\n"]),
               wall_seen(s, browser, folder, ["map textures/test/grey.tga\n", lightmap + "blendFunc filter\n"]),
               wall_seen(s, browser, folder, [grey + "tcMod scale 1 1\n"])]
        check(max(abs(a - b) for a, b in zip(*lit[:2])) < 3 and abs(lit[0][0] - lit[2][0]) > 10, lit)


@suite.case
def stages_of_shaders_have_colours_and_highlights(s, folder):
    """A constant is as bright as an image of it. A highlight is seen on the wall in the south, from which its light comes back."""
    red, green = (f"map textures/test/{name}.tga\n" for name in ("red", "green"))
    shiny = [red, green + "blendFunc blend\nalphaGen lightingSpecular\n"]
    rows = [
        ([red + "rgbGen const ( 0.5 1 1 )\n"], lambda r, g, b: 120 < r < 136 and g < 20),
        ([red, green + "blendFunc blend\nalphaGen const 0\n"], lambda r, g, b: r > 200 and g < 20),
        (shiny, lambda r, g, b: r > 200 and g < 20),
    ]
    with Browser(*SIZE) as browser:
        for stages, expected in rows:
            seen = wall_seen(s, browser, folder, stages)
            check(expected(*seen), f"{stages}: {seen}")
        seen = colour_seen(MapPage(browser), link_of("128 128 64 0 -90", panel=0))
        check(seen[1] > 150 and 20 < seen[0] < 200, seen)


@suite.case
def stages_of_shaders_reflect(s, folder):
    """An environment of which the half in the south is red, seen in the wall in the east."""
    with Browser(*SIZE) as browser:
        wall_seen(s, browser, folder, ["map textures/test/halves.tga\ntcGen environment\n"])
        page = MapPage(browser)
        left, right = (colour_seen(page, link_of(f"128 128 64 0 {yaw}", panel=0)) for yaw in (30, -30))
        check(left[1] > 200 and left[0] < 20 and right[0] > 200 and right[1] < 20, f"{left} and {right}")


@suite.case
def stages_of_shaders_are_turbulent(s, folder):
    """A wave of half an image, which a later scale makes small."""
    scaled, wave = "tcMod scale 0.001 1\n", "tcMod turb 0 0.5 0.0625 0\n"
    to = "tcMod transform 1 0 0 1 0.25 0\n"
    with Browser(*SIZE) as browser:
        moved, kept = (wall_seen(s, browser, folder, ["map textures/test/halves.tga\n" + changes])
                       for changes in (scaled + wave + to, wave + scaled + to))
        check(moved[1] > 200 and moved[0] < 20 and kept[0] > 200 and kept[1] < 20, f"{moved} and {kept}")


@suite.case
def surfaces_of_shaders_move(s, folder):
    """Up and away, or along their normals to behind the camera; outwards they stay in view."""
    red = "map textures/test/red.tga\nrgbGen identity\n"
    rows = [("move 0 0 300 sin 1 0 0 0", False), ("move 0 0 300 sin 0 1 0 0", True), ("move 0 0 300 square 0 1 0 0", False),
            ("wave 100 sin 20 0 0 0", False), ("wave 100 sin -20 0 0 0", True)]
    with Browser(*SIZE) as browser:
        for deform, stays in rows:
            wall_seen(s, browser, folder, [red], script=f"deformVertexes {deform}\n")
            seen = colour_seen(MapPage(browser), link_of("128 246 64 0 90", panel=0))
            check((seen[0] > 200 and seen[1] < 20) == stays, f"{deform}: {seen}")


@suite.case
def textures_of_shaders_move(s, folder):
    """When they are animated: a scale at once, a scroll and images in turn as time goes."""
    with Browser(*SIZE) as browser:
        halves = "map textures/test/halves.tga\ntcMod scale 0.001 1\ntcMod transform 1 0 0 1 {} 0\n"
        left, right = (wall_seen(s, browser, folder, [halves.format(n)]) for n in (0.25, 0.75))
        check(left[0] > 200 and left[1] < 20 and right[1] > 200 and right[0] < 20, f"{left} and {right}")
        for stage in (halves.format(0.25) + "tcMod scroll 0.5 0\n",
                      "animMap 2 textures/test/red.tga textures/test/green.tga\n"):
            still = wall_seen(s, browser, folder, [stage])
            page = MapPage(browser)
            page.look(AT_WALL.replace("&panel=0", ""))
            browser.value("document.getElementById('animate').click()")
            page.look(AT_WALL)
            end, other = time.monotonic() + ANSWER, still
            while max(abs(a - b) for a, b in zip(still, other)) < 100:
                check(time.monotonic() < end, f"{stage}: always {still}")
                rows = pixels(browser.screenshot())[2]
                other = mean(rows, SIZE[0] // 2 - 8, SIZE[1] // 2 - 8, SIZE[0] // 2 + 8, SIZE[1] // 2 + 8)
            quiet(browser)


@suite.case
def a_link_is_followed_while_the_last_is_written(s, folder):
    """The address follows the camera a moment later, which may be just after somebody has changed it."""
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, compiled(s, folder, "box.vmf")))
        page.look("view=64,64,64,0,0&panel=0")
        link = "view=32,64,64,0,90&panel=0"
        browser.value(f"void (location.hash = {json.dumps(link)}, "
                      "history.replaceState(null, '', '#' + document.body.dataset.drawn))")
        browser.wait(f"document.body.dataset.drawn === {json.dumps(link)} && location.hash === '#' + {json.dumps(link)}")
        quiet(browser)


def place(browser):
    return [float(n) for n in re.search("view=([^&]*)", browser.value("document.body.dataset.drawn")).group(1).split(",")]


@suite.case
def keys_mouse_and_touch_move_the_camera(s, folder):
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, compiled(s, folder, "box.vmf")))
        page.look("view=64,64,64,0,0&panel=0")
        browser.key("w", "KeyW", up=False)
        browser.wait("Number(document.body.dataset.drawn.split(/[=,]/)[1]) > 80")
        browser.key("w", "KeyW", down=False)
        at = place(browser)
        check(at[0] > 80 and at[1:3] == [64, 64], at)
        page.look("view=64,64,64,0,0&panel=0")
        browser.mouse("mousePressed", 100, 100)
        browser.mouse("mouseMoved", 150, 120)
        browser.mouse("mouseReleased", 150, 120)
        browser.wait("!document.body.dataset.drawn.startsWith('view=64,64,64,0,0')")
        check(place(browser) == [64, 64, 64, 4, -10], place(browser))
        page.look("view=64,64,64,0,0&panel=0")
        browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": 100, "y": 100}])
        browser.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": 120, "y": 100}])
        browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        browser.wait("!document.body.dataset.drawn.startsWith('view=64,64,64,0,0')")
        check(place(browser) == [64, 64, 64, 0, -4], place(browser))
        browser.value("document.getElementById('toggle').click()")
        browser.wait("!document.getElementById('panel').hidden")
        quiet(browser)


def tab_to(browser, condition):
    """Goes with the tabulator until the element in focus, `e`, meets a condition."""
    for _ in range(200):
        if browser.value(f"(e => {condition})(document.activeElement)"):
            return
        browser.type_key("Tab", "Tab", 9)
    raise AssertionError(f"never in focus: {condition}")


@suite.case
def the_keyboard_alone_is_enough(s, folder):
    """It opens a list, flies to an entity, and asks what is in the middle of the picture."""
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, compiled(s, folder, "two_rooms.vmf")))
        page.look("view=200,128,100,0,90")
        tab_to(browser, "e.tagName === 'SUMMARY' && e.textContent.startsWith('Entities')")
        browser.type_key(" ", "Space", 32, " ")
        browser.wait("document.activeElement.parentNode.open")
        check(place(browser) == [200, 128, 100, 0, 90], "the key has moved the camera")
        tab_to(browser, "e.className === 'place' && e.textContent.includes('light')")
        browser.type_key("Enter", "Enter", 13, "\r")
        browser.wait("!document.body.dataset.drawn.startsWith('view=200,')")
        at = place(browser)
        check(40 < math.dist(at[:3], (128, 128, 144)) < 170, f"before the light: {at}")
        page.look("view=200,128,100,0,90")
        tab_to(browser, "e.id === 'picture'")
        browser.type_key("Enter", "Enter", 13, "\r")
        told = dict(found(browser))
        check(told["Point"] == "200 256 100", told)
        browser.type_key("Escape", "Escape", 27)
        browser.wait("!document.getElementById('found').hasChildNodes()")
        unnamed = browser.value("[...document.querySelectorAll('button, input, summary, canvas')].filter(e => "
                                "!(e.textContent || e.ariaLabel || (e.labels && e.labels[0] && e.labels[0].textContent.trim()))).length")
        check(unnamed == 0, f"{unnamed} controls have no name")
        quiet(browser)


@suite.case
def the_panel_is_dark_and_light(s, folder):
    with Browser(*SIZE) as browser:
        MapPage(browser, viewed(s, compiled(s, folder, "box.vmf")))
        colours = []
        for scheme in ("light", "dark"):
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            colours.append(browser.value("getComputedStyle(document.getElementById('panel')).backgroundColor"))
        check(len(set(colours)) == 2, colours)
        browser.key("h", "KeyH")
        browser.wait("document.getElementById('panel').hidden")
        quiet(browser)


@suite.case
def a_telephone_has_room_for_all(s, folder):
    """Panel, what was clicked and the button lie beside each other, fingers find them, and it can be closed."""
    with Browser(390, 844) as browser:
        browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        MapPage(browser, viewed(s, compiled(s, folder, "two_rooms.vmf")))
        browser.value("void document.querySelectorAll('details').forEach(details => { details.open = true; })")
        browser.click(330, 700)
        told = found(browser)
        browser.wait("!document.getElementById('found').hidden")
        boxes = json.loads(browser.value("JSON.stringify(['panel', 'found', 'toggle'].map(id => "
                                         "(({left, top, right, bottom}) => [left, top, right, bottom])(document.getElementById(id).getBoundingClientRect())))"))
        for i, one in enumerate(boxes):
            check(0 <= one[0] < one[2] <= 390 and 0 <= one[1] < one[3] <= 844, f"{boxes}")
            for other in boxes[:i]:
                check(one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3], f"{boxes}")
        low = browser.value("[...document.querySelectorAll('#panel :is(label, summary, button), #found button, #toggle')]"
                            ".filter(e => e.getBoundingClientRect().height < 32).length")
        check(told and low == 0, f"{low} controls are too low for a finger")
        browser.value("document.querySelector('#found button').click()")
        browser.wait("document.getElementById('found').hidden")
        quiet(browser)


# --- what the page knows ---


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
        s.run("brushwork", "build", s.map("leak.vmf"), "-o", path, "--preset", "fast").expect(3)
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


def at_rest(browser):
    """The place of a camera that has been the same for ten frames."""
    before, now = None, place(browser)
    while now != before:
        browser.frames(10)
        before, now = now, place(browser)
    return now


@suite.case
def one_stands_on_displacements(s, folder):
    with Browser(*SIZE) as browser:
        MapPage(browser, viewed(s, compiled(s, folder, "displacements.vmf")), "view=64,64,120,0,0&walk=1")
        at = at_rest(browser)
        check(72 < at[2] < 110 and at[:2] == [64, 64], at)
        quiet(browser)


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


def found(browser):
    browser.wait("document.getElementById('found').hasChildNodes()")
    rows = browser.value("JSON.stringify([...document.querySelectorAll('#found tr')].map(row => "
                         "[...row.children].map(cell => cell.textContent)))")
    return json.loads(rows)


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
        s.run("brushwork", "build", s.map("leak.vmf"), "-o", path, "--preset", "fast").expect(3)
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


@suite.case
def lists_lead_to_places(s, folder):
    with Browser(*SIZE) as browser:
        path = os.path.join(folder, "leak.bsp")
        s.run("brushwork", "build", s.map("leak.vmf"), "-o", path, "--preset", "fast").expect(3)
        page = MapPage(browser, viewed(s, path))
        points = [[float(n) for n in line.split()] for line in read(path[:-4] + ".lin").decode().splitlines()]
        for text, point in (("Where it begins", points[0]), ("Where it ends", points[-1])):
            browser.value(f"void [...document.querySelectorAll('button.place')].find(b => b.textContent === '{text}').click()")
            start = "view=" + ",".join(f"{round(n * 100) / 100:g}" for n in point)
            browser.wait(f"document.body.dataset.drawn.startsWith('{start},')")
        shown = pixels(page.shot(link_of("64 64 100 10 45", panel=0)))
        browser.value("document.getElementById('leak').click()")
        check(mean_difference(shown, pixels(page.shot(link_of("64 64 100 10 46", panel=0)))) > 0, "the line")
        quiet(browser)


@suite.case
def entities_without_a_place_are_where_they_are_drawn(s, folder):
    """A wall in the middle of a room, whose keys say nothing of where: it fills the middle of the picture."""
    text = read(s.map("box.vmf")).decode()
    ids = "".join(f'\t\tside\n\t\t{{\n\t\t\t"id" "{900 + i}"\n\t\t\t"plane" "{plane}"\n\t\t\t"material" "DEV/DEV_MEASUREWALL01A"\n'
                  '\t\t\t"uaxis" "[1 0 0 0] 0.25"\n\t\t\t"vaxis" "[0 -1 0 0] 0.25"\n\t\t\t"lightmapscale" "16"\n\t\t\t"smoothing_groups" "0"\n\t\t}\n'
                  for i, plane in enumerate(("(60 60 70) (60 70 70) (70 70 70)", "(60 70 60) (60 60 60) (70 60 60)", "(60 60 60) (60 70 60) (60 70 70)",
                                             "(70 70 60) (70 60 60) (70 60 70)", "(60 70 60) (70 70 60) (70 70 70)", "(70 60 60) (60 60 60) (60 60 70)")))
    wall = f'entity\n{{\n\t"id" "890"\n\t"classname" "func_wall"\n\tsolid\n\t{{\n\t\t"id" "891"\n{ids}\t}}\n}}\n'
    path = os.path.join(folder, "wall.bsp")
    s.run("brushwork", "build", write(path[:-4] + ".vmf", text + wall), "-o", path, "--preset", "fast").expect(0)
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, path))
        before = browser.value("document.body.dataset.drawn")
        press(browser, "func_wall")
        browser.wait(f"document.body.dataset.drawn !== {json.dumps(before)}")
        at = place(browser)
        check(25 < math.dist(at[:3], (65, 65, 65)) < 180, at)
        page.look(f"view={','.join(f'{n:g}' for n in at)}&panel=0")
        browser.click(SIZE[0] / 2, SIZE[1] / 2)
        check(dict(found(browser)).get("Entity") == "func_wall", found(browser))
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


def press(browser, text):
    browser.value(f"void [...document.querySelectorAll('button.place')].find(b => b.textContent.includes('{text}')).click()")


@suite.case
def messages_of_the_build_lead_to_places(s, folder):
    """The same list from JSON and from SARIF; the camera stands where it sees the hole."""
    path, told = os.path.join(folder, "leak.bsp"), []
    for kind in ("json", "sarif"):
        s.run("brushwork", "build", s.map("leak.vmf"), "-o", path, "--preset", "fast", "--diagnostics", kind,
              "--diagnostics-file", os.path.join(folder, kind)).expect(3)
        told.append(head_of(viewed(s, path, "--messages", os.path.join(folder, kind)))["messages"])
    check(told[0] == told[1] and [row["code"] for row in told[0]] == ["V001"], told)
    places = dict(map(tuple, [(name, tuple(point)) for name, point in told[0][0]["places"]]))
    check(places["hole"] == (272, 128, 128) and ":729, entity 66" in told[0][0]["where"], told[0])
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, path, "--messages", os.path.join(folder, "sarif")))
        page.look("view=64,64,64,0,0")
        press(browser, "V001 map leaks")
        browser.wait("!document.body.dataset.drawn.startsWith('view=64,64,64,')")
        at = place(browser)
        way = [hole - eye for hole, eye in zip(places["hole"], at)]
        far = math.dist(at[:3], places["hole"])
        pitch, yaw = math.degrees(math.asin(-way[2] / far)), math.degrees(math.atan2(way[1], way[0]))
        check(40 < far < 170 and abs(pitch - at[3]) < 0.1 and abs((yaw - at[4] + 180) % 360 - 180) < 0.1, at)
        quiet(browser)


@suite.case
def what_is_no_list_of_messages_is_refused(s, folder):
    path = compiled(s, folder, "box.vmf")
    for text in ("no json", "{}", '{"runs": 1}', "[1]"):
        s.run("brushwork", "view", path, "--messages", write(os.path.join(folder, "m"), text), "--json").expect(1).find("C003")
    odd = write(os.path.join(folder, "odd"), json.dumps({"runs": [{"results": [{"level": 3}, None]}, 7, {"results": [
        {"ruleId": "</script>", "level": "note", "message": {"text": "<b>"}, "properties": {"point": [1, "2", 3], "hole": [1, 2, 3]}}]}]}))
    rows = head_of(viewed(s, path, "--messages", odd))["messages"]
    check([(row["code"], row["where"], row["places"]) for row in rows] == [("</script>", "", [["hole", [1, 2, 3]]])], rows)


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
        for name, word in (("seen", "Striped"), ("density", "Bright"), ("overdraw", "Brighter"), ("seams", "Lines")):
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


# --- served ---


class Served:
    """brushwork view --serve, on a free port, until it is closed."""

    def __init__(self, s, folder, *arguments):
        self.told = os.path.join(folder, "told")
        temporary = os.path.join(folder, "temporary")
        os.makedirs(temporary, exist_ok=True)
        with open(self.told, "wb") as told:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                [os.path.join(s.options.bin, "brushwork"), "view", *arguments, "--serve", "--json"],
                stdout=subprocess.PIPE, stderr=told, env={**os.environ, "TMPDIR": temporary})
        line = self.process.stdout.readline()
        if not line:
            self.end()
            text = read(self.told).decode()
            if "see the package brushwork-serve" in text:
                raise Skip("built without libmicrohttpd")
            raise AssertionError(text)
        self.address = json.loads(line)["address"]
        self.port, self.token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.address).groups()
        self.port, self.temporary = int(self.port), temporary

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Lets it end its own processes first."""
        self.process.terminate()
        try:
            self.process.wait(300)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def ask(self, path, method="GET", **headers):
        """Status and body of the answer to a request for a path, which is sent as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        connection.putrequest(method, path, skip_host=True)
        for name, value in {"Host": f"127.0.0.1:{self.port}", **headers}.items():
            if value:
                connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def state(self, news=0):
        return json.loads(self.ask(f"/{self.token}/state?after={news}")[1])

    def reach(self, state, maps):
        """The state, when so many maps were built or not."""
        now = self.state()
        while now["state"] != state or now["map"] != maps:
            check(now["state"] != "failed" or state == "failed" or now["map"] < maps, now)
            now = self.state(now["news"])
        return now


@suite.case
def a_served_map_answers_who_has_its_address_alone(s, folder):
    with Served(s, folder, s.map("box.vmf")) as served:
        served.reach("shown", 1)
        shell = served.ask(f"/{served.token}/")
        check(shell[0] == 200 and b"connect-src 'self'" in shell[1] and b'id="data"></script>' in shell[1], shell)
        check(served.ask(f"/{served.token}/", Host=f"localhost:{served.port}")[0] == 200, "localhost")
        check(head_of_text(served.ask(f"/{served.token}/map")[1].decode())["name"] == "box", "the map")
        for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil:{served.port}", ""):
            check(served.ask(f"/{served.token}/map", Host=host)[0] in (400, 403), host)
        wrong = ("0" if served.token[0] != "0" else "1") + served.token[1:]
        for path in ("/", "/map", "/state", f"/{wrong}/map", f"/{served.token}", f"/{served.token[:-1]}/map", f"//{served.token}/map",
                     f"/{served.token}/../map", f"/{served.token}/../../../../etc/passwd", f"/{served.token}/%2e%2e/%2e%2e/etc/passwd",
                     f"/{served.token}//etc/passwd", f"/{served.token}/box.vmf", f"/{served.token}/map/"):
            status, body = served.ask(path)
            check(status in (400, 404) and b"root:" not in body, f"{path}: {status}")
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            check(served.ask(f"/{served.token}/map", method)[0] == 405, method)
        # Nothing listens on the other addresses of this machine; 127.0.0.2 is one.
        listening = socket.socket()
        with listening:
            check(listening.connect_ex(("127.0.0.2", served.port)) != 0, "127.0.0.2")


@suite.case
def a_served_map_ends_by_a_signal_and_leaves_nothing(s, folder):
    for number in (signal.SIGINT, signal.SIGTERM):
        for wait in (False, True):
            with Served(s, folder, s.map("two_rooms.vmf")) as served:
                if wait:
                    served.reach("shown", 1)
                    check(len(os.listdir(served.temporary)) == 1, os.listdir(served.temporary))
                served.process.send_signal(number)
                status = served.process.wait(300)
                check(status == 0, f"status {status}: {read(served.told).decode()}")
                check(os.listdir(served.temporary) == [], os.listdir(served.temporary))


@suite.case
def options_of_serving_that_do_not_fit_are_refused(s, folder):
    path = compiled(s, folder, "box.vmf")
    s.run("brushwork", "view", path, "--serve", "--sandbox").expect(2)
    s.run("brushwork", "view", path, "--serve", "-o", os.path.join(folder, "a.html")).expect(2)
    s.run("brushwork", "view", path, "--build-option", "-hdr").expect(2)
    s.run("brushwork", "view", path, "--serve", "70000").expect(2)
    s.run("brushwork", "view", os.path.join(folder, "none.vmf"), "--serve", "--json").expect(1).find("C001")
    with Served(s, folder, path) as served:
        s.run("brushwork", "view", path, "--serve", served.port, "--json").expect(1).find("C346")


@suite.case
def a_served_map_follows_its_source(s, folder):
    """The camera stays. A build that fails leaves the picture and says so; what it says leads to places."""
    text = read(s.map("two_rooms.vmf")).decode()
    source = write(os.path.join(folder, "edited.vmf"), text)
    with Served(s, folder, source) as served, Browser(*SIZE) as browser:
        browser.open(served.address, "view=128,128,64,0,90&mode=light&panel=0")
        page = MapPage(browser)
        browser.value("void ([...document.querySelectorAll('summary')].find(s => s.textContent === 'Limits').parentNode.open = true)")
        lit = pixels(page.shot("view=128,100,64,0,90&mode=light&panel=0"))
        write(source, re.sub(r'"_light" "\d+ \d+ \d+ ', '"_light" "250 10 10 ', text))
        browser.wait("document.body.dataset.map === '2'")
        check(place(browser) == [128, 100, 64, 0, 90], place(browser))
        check(browser.value("document.querySelector('details[open] > summary').textContent") == "Limits", "an open list")
        red = pixels(page.shot("view=128,100,64,0,90&mode=light&panel=0"))
        colours = [mean(shot[2], 0, 0, *SIZE) for shot in (lit, red)]
        check(colours[1][0] > 4 * colours[1][1] and colours[0][0] < 4 * colours[0][1], colours)
        write(source, text[:len(text) // 2])
        browser.wait("document.body.dataset.news.endsWith('failed')")
        check("Not built" in browser.value("document.getElementById('notice').textContent"), "the notice")
        check(browser.value("document.getElementById('panel').textContent.includes('C003')"), "no list of messages")
        browser.value("void (document.getElementById('notice').style.visibility = 'hidden')")
        check(mean_difference(red, pixels(page.shot("view=128,100,64,0,90&mode=light&panel=0"))) < 0.5, "another picture")
        write(source, s_leaking(s))
        browser.wait("document.body.dataset.map === '3'")
        check(browser.value("document.getElementById('notice').hidden"), "the notice stays")
        press(browser, "V001 map leaks")
        browser.wait("!document.body.dataset.drawn.startsWith('view=128,100,64,0,90')")
        check(not browser.errors, browser.errors)
        check(all(address.startswith(served.address) for address in browser.requests), browser.requests)


def s_leaking(s):
    return read(s.map("leak.vmf")).decode()


@suite.case
def a_served_bsp_is_shown_again_when_it_changes(s, folder):
    path, other = compiled(s, folder, "box.vmf"), compiled(s, folder, "two_rooms.vmf")
    with Served(s, folder, path) as served:
        served.reach("shown", 1)
        before = served.ask(f"/{served.token}/map")[1]
        os.replace(other, path)
        served.reach("shown", 2)
        check(served.ask(f"/{served.token}/map")[1] != before, "the same map")
        write(path, "no map")
        told = served.reach("failed", 2)
        check(any(row["severity"] == "error" for row in told["messages"]), told)
        check(served.ask(f"/{served.token}/map")[0] == 200, "the map before is gone")


@suite.case
def a_served_map_is_built_again_when_what_it_read_changes(s, folder):
    """An instance that the source names, not the source itself; and options of the build."""
    text = read(s.map("box.vmf")).decode()
    write(os.path.join(folder, "inner.vmf"), text)
    instance = ('entity\n{\n\t"id" "900"\n\t"classname" "func_instance"\n\t"file" "inner.vmf"\n\t"origin" "0 0 0"\n'
                '\t"angles" "0 0 0"\n}\n')
    source = write(os.path.join(folder, "outer.vmf"), text + instance)
    cache = os.path.join(folder, "cache")
    with Served(s, folder, source, "--build-option", "-fulldetail", "--cache", cache) as served:
        served.reach("shown", 1)
        check(os.path.isdir(cache) and os.listdir(cache), "the build has no cache")
        write(os.path.join(folder, "inner.vmf"), text.replace('"classname" "light"', '"classname" "light_spot"'))
        served.reach("shown", 2)


@suite.case
def a_served_map_is_built_again_when_what_was_absent_appears(s, folder):
    """Lights beside the source, and a material in a folder that is searched; not what it has nothing to do with."""
    source, content = write(os.path.join(folder, "box.vmf"), read(s.map("box.vmf"))), os.path.join(folder, "content")
    material = re.search(r'"material" "([^"]*)"', read(source).decode()).group(1)
    os.makedirs(os.path.join(content, "materials"))
    with Served(s, folder, source, "-insert_search_path", content) as served:
        served.reach("shown", 1)
        write(source[:-4] + ".rad", f"{material} 255 0 0 300\n")
        served.reach("shown", 2)
        path = os.path.join(content, "materials", *material.lower().split("/")) + ".vmt"
        os.makedirs(os.path.dirname(path))
        write(path, "LightmappedGeneric\n{\n}\n")
        maps = served.state()["map"]
        while maps < 3 or served.state()["state"] != "shown":
            maps = served.state(served.state()["news"])["map"]


suite.main()
