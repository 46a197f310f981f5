#!/usr/bin/env python3
"""The page of brushwork view: fog, and shaders of Quake 3."""
import os
import re
import time

from browser import ANSWER, Browser, MapPage
from e2e import Suite, check, read, write
from pictures import mean, pixels
from view_pages import SIZE, link_of, quiet, viewed

suite = Suite()
RED, GREEN, BLUE, GREY = (255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255), (128, 128, 128, 255)


def image(*colours):
    """A TGA of 16 x 16 texels, in columns of these colours (red, green, blue, alpha) from left to right."""
    texels = b"".join(bytes((b, g, r, a)) for r, g, b, a in (colours[x * len(colours) // 16] for x in range(16)))
    return bytes((0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 16, 0, 32, 0x28)) + 16 * texels


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


@suite.case
def the_sky_is_that_of_its_shader(s, folder):
    """A box of six colours, from the middle of a room whose walls are sky but for a pillar."""
    base, sides = os.path.join(folder, "game", "baseq3"), {"rt": RED, "lf": GREEN, "bk": BLUE, "ft": (255, 255, 0, 255),
                                                          "up": (255, 0, 255, 255), "dn": (0, 255, 255, 255)}
    for name in ("env", "scripts"):
        os.makedirs(os.path.join(base, name))
    write(os.path.join(base, "scripts", "sky.shader"),
          "textures/own/sky\n{\nskyparms env/own - -\nsurfaceparm sky\nsurfaceparm noimpact\nsurfaceparm nolightmap\n}\n")
    for name, colour in sides.items():
        write(os.path.join(base, "env", f"own_{name}.tga"), image(colour))
    walls = "".join(box_brush([-264 if k == i and out < 0 else 256 if k == i else -256 for k in range(3)],
                              [264 if k == i and out > 0 else -256 if k == i else 256 for k in range(3)], "own/sky")
                    for i in range(3) for out in (-1, 1))
    text = ('{\n"classname" "worldspawn"\n' + walls + box_brush([-8, -8, -200], [8, 8, -190], "base_wall/basewall01") +
            '}\n{\n"classname" "info_player_deathmatch"\n"origin" "0 0 0"\n}\n')
    path, game = os.path.join(folder, "sky.bsp"), ("-game", "quake3", "-fs_basepath", os.path.join(folder, "game"))
    s.run("brushwork", "build", write(path[:-4] + ".map", text), "-o", path, "--preset", "fast", *game).expect(0)
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, path, *game))
        for view, name in (("0 0", "rt"), ("0 90", "bk"), ("0 180", "lf"), ("0 270", "ft"), ("-80 0", "up")):
            seen = colour_seen(page, link_of(f"0 0 0 {view}", panel=0))
            check(all(abs(a - b) < 12 for a, b in zip(seen, sides[name])), f"{name}: {seen}")


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


suite.main()
