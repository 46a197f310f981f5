#!/usr/bin/env python3
"""The page of brushwork view: its controls, its panel and its lists."""
import json
import math
import os

from axe import violations
from browser import Browser, MapPage
from e2e import Suite, check, read, write
from hostile_map import EVIL, NAME
from pictures import mean_difference, pixels, spread
from view_pages import SIZE, click_on, compiled, found, head_of, hostile_page, link_of, place, press, quiet, viewed

suite = Suite()


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


@suite.case
def keys_fly_after_a_click_on_a_control(s, folder):
    """Those of a control that the tabulator has led to are its own."""
    forward, arrow, space = ("w", "KeyW"), ("ArrowUp", "ArrowUp"), (" ", "Space")
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, compiled(s, folder, "box.vmf")))
        state = ("JSON.stringify([...document.querySelectorAll('#panel input')].map(e => [e.checked, e.value])"
                 ".concat([...document.querySelectorAll('details')].map(e => e.open)))")
        for selector in ("input[value=both]", "#entities", "#exposure", "summary"):
            for key, axis in ((forward, 0), (arrow, 0), (space, 2)):
                page.look("view=64,64,64,0,0")
                click_on(browser, selector)
                browser.frames(2)
                before = browser.value(state)
                browser.key(*key, up=False)
                browser.wait(f"Number(document.body.dataset.drawn.split(/[=,&]/)[{1 + axis}]) > 66")
                browser.key(*key, down=False)
                check(browser.value(state) == before, f"{key} is of {selector}, too")
                browser.wait("location.hash === '#' + document.body.dataset.drawn")
        page.look("view=64,64,64,0,0")
        tab_to(browser, "e.name === 'mode'")
        browser.type_key("ArrowDown", "ArrowDown", 40)
        browser.wait("document.querySelector('input[value=textures]').checked")
        check(place(browser)[:3] == [64, 64, 64], place(browser))
        browser.key(*forward, up=False)
        browser.wait("!document.body.dataset.drawn.startsWith('view=64,64,64,')")
        browser.key(*forward, down=False)
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


def boxes_of(browser, *ids):
    return json.loads(browser.value(f"JSON.stringify({json.dumps(ids)}.map(id => (({{left, top, right, bottom}}) => "
                                    "[left, top, right, bottom])(document.getElementById(id).getBoundingClientRect())))"))


def touch(browser, kind, *points):
    browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])


@suite.case
def a_telephone_has_a_sheet_at_the_bottom(s, folder):
    """Sheet and buttons lie below each other, fingers find them, and what was clicked comes before the panel."""
    with Browser(390, 844) as browser:
        browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        page = MapPage(browser, viewed(s, compiled(s, folder, "two_rooms.vmf")))
        page.look("view=128,128,64,0,90")
        browser.value("void document.querySelectorAll('details').forEach(details => { details.open = true; })")
        small = ("(() => JSON.stringify([...document.querySelectorAll('#panel :is(label, summary, button), #panel input[type=search], #found button, #touch button')]"
                 ".map(e => [e.textContent, e.getBoundingClientRect()]).filter(([, r]) => r.height && (r.height < 44 || r.width < 44)).map(([text]) => text)))()")
        for name in ("panel", "found"):
            sheet, *buttons = boxes_of(browser, name, "toggle", "down", "up")
            check(sheet[:1] + sheet[2:3] == [0, 390] and sheet[1] > 0.45 * 844, sheet)
            check(all(sheet[3] <= box[1] < box[3] <= 844 for box in buttons), f"{sheet} {buttons}")
            check(all(a[2] <= b[0] for a, b in zip(buttons, buttons[1:])) and buttons[-1][2] <= 390, buttons)
            check(browser.value(small) == "[]", f"too small for a finger: {browser.value(small)}")
            if name == "panel":
                browser.click(200, 200)
                check(found(browser), "nothing was clicked")
                browser.wait("!document.getElementById('found').hidden")
                check(boxes_of(browser, "panel") == [[0, 0, 0, 0]], "two sheets")
        browser.value("document.querySelector('#found button').click()")
        browser.wait("document.getElementById('found').hidden")
        check(boxes_of(browser, "panel")[0][2] == 390, "no sheet")
        quiet(browser)


@suite.case
def two_fingers_and_buttons_move(s, folder):
    """Apart is forward, together back; the buttons go up and down while they are touched."""
    with Browser(390, 844) as browser:
        browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        page, link = MapPage(browser, viewed(s, compiled(s, folder, "box.vmf"))), "view=64,64,64,0,0&panel=0"
        for near, far, ahead in ((180, 160, True), (160, 180, False)):
            page.look(link)
            touch(browser, "touchStart", (near, 300), (390 - near, 300))
            touch(browser, "touchMove", (far, 300), (390 - far, 300))
            touch(browser, "touchEnd")
            browser.wait("!document.body.dataset.drawn.startsWith('view=64,64,64,')")
            at = place(browser)
            check((at[0] > 66) == ahead and (at[0] < 62) != ahead and at[2:] == [64, 0, 0], at)
        for name, code, sign in (("up", 1, 1), ("down", -1, -1)):
            page.look(link)
            left, top, right, bottom = boxes_of(browser, name)[0]
            touch(browser, "touchStart", ((left + right) / 2, (top + bottom) / 2))
            browser.wait(f"{code} * (Number(document.body.dataset.drawn.split(',')[2]) - 64) > 4")
            touch(browser, "touchEnd")
            browser.frames(4)
            at = place(browser)
            browser.frames(8)
            check(place(browser) == at and at[:2] == [64, 64] and sign * (at[2] - 64) > 4, "it goes on")
        quiet(browser)


def built(s, folder, name, text):
    path = os.path.join(folder, f"{name}.bsp")
    s.run("brushwork", "build", write(os.path.join(folder, f"{name}.vmf"), text), "-o", path, "--preset", "fast").expect(0)
    return path


def middle(rows, first, last):
    """The part of a picture between two shares of its width, without what lies over its top and bottom."""
    width, height = len(rows[0]) // 3, len(rows)
    part = [row[3 * int(first * width):3 * int(last * width)] for row in rows[height // 4:height * 5 // 8]]
    return len(part[0]) // 3, len(part), part


@suite.case
def two_builds_are_in_one_picture(s, folder):
    """Left of the border as the page of the build before, right of it as that of this one."""
    text = read(s.map("two_rooms.vmf")).decode()
    before = built(s, folder, "before", text)
    after = built(s, folder, "after", text.replace('"_light" "255', '"_light" "90'))
    camera = link_of("200 128 100 0 90", panel=0)
    alone = []
    with Browser(*SIZE) as browser:
        for path in (before, after):
            page = MapPage(browser, viewed(s, path))
            alone.append(pixels(page.shot(camera)))
        check(mean_difference(*alone) > 3, "the light is the same")
        page = MapPage(browser, viewed(s, after, "--against", before))
        for border, first, last, shown in ((1, 0.1, 0.9, 0), (0, 0.1, 0.9, 1), (0.25, 0, 0.2, 0), (0.25, 0.3, 1, 1)):
            rows = pixels(page.shot(link_of("200 128 100 0 90", border=border, panel=0)))[2]
            difference = mean_difference(middle(rows, first, last), middle(alone[shown][2], first, last))
            check(difference < 0.1, f"border {border}, {first} to {last}: {difference}")
        for border in (1, 0, 1):
            browser.key("b", "KeyB")
            browser.wait(f"document.body.dataset.drawn.includes('border={border}')")
        # A click tells of the build that is there.
        page.look(link_of("200 128 100 0 90", border=1))
        browser.click(SIZE[0] * 0.75, SIZE[1] / 2)
        browser.wait("document.querySelector('#found h2').textContent === 'Surface, before'")
        page.look(link_of("200 128 100 0 90", border=0))
        browser.click(SIZE[0] * 0.75, SIZE[1] / 2)
        browser.wait("document.querySelector('#found h2').textContent === 'Surface'")
        check(violations(browser) == [], violations(browser))
        quiet(browser)


@suite.case
def axe_finds_nothing(s, folder):
    """With all lists open, light and dark, and on a telephone: in the panel, and in what was clicked."""
    html = viewed(s, compiled(s, folder, "two_rooms.vmf"))
    with Browser(960, 700) as browser:
        for width, scheme in ((960, "light"), (960, "dark"), (390, "light")):
            browser.resize(width, 700)
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            browser.call("Emulation.setTouchEmulationEnabled", enabled=width < 400, maxTouchPoints=5)
            page = MapPage(browser, html)
            page.look("view=200,128,100,0,90&over=density")
            browser.value("void document.querySelectorAll('details').forEach(details => { details.open = true; })")
            for is_clicked in (False, True):
                if is_clicked:
                    browser.click(width * 0.75, 200)
                    browser.wait("!document.getElementById('found').hidden")
                check(violations(browser) == [], f"{width} {scheme}: {violations(browser)}")


@suite.case
def lists_lead_to_places(s, folder):
    with Browser(*SIZE) as browser:
        path = os.path.join(folder, "leak.bsp")
        s.run("brushwork", "build", s.map("leak.vmf"), "-o", path, "--no-leak-picture").expect(3)
        page = MapPage(browser, viewed(s, path))
        points = [[float(n) for n in line.split()] for line in read(path[:-4] + ".lin").decode().splitlines()]
        for text, point, other in (("Where it begins", *points[:2]), ("Where it ends", *points[:-3:-1])):
            before = browser.value("document.body.dataset.drawn")
            press(browser, text)
            browser.wait(f"document.body.dataset.drawn !== {json.dumps(before)}")
            # Beside the line: the camera looks at its end, across it.
            at, way = place(browser), [b - a for a, b in zip(point, other)]
            seen = [b - a for a, b in zip(at, point)]
            far, pitch, yaw = math.hypot(*seen), math.radians(at[3]), math.radians(at[4])
            looks = (math.cos(pitch) * math.cos(yaw), math.cos(pitch) * math.sin(yaw), -math.sin(pitch))
            check(40 < far < 170 and sum(a * b for a, b in zip(looks, seen)) > 0.999 * far, f"{text}: {at}")
            check(abs(sum(a * b for a, b in zip(seen, way))) < 0.01 * far * math.hypot(*way), f"{text}: along the line")
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


SIDES = ("(0 0 1) (0 1 1) (1 1 1)", "(0 1 0) (0 0 0) (1 0 0)", "(0 0 0) (0 1 0) (0 1 1)",
         "(1 1 0) (1 0 0) (1 0 1)", "(0 1 0) (1 1 0) (1 1 1)", "(1 0 0) (0 0 0) (0 0 1)")


@suite.case
def triggers_are_boxes_that_can_be_flown_to(s, folder):
    """Their brushes have no surface that is drawn. A search shortens the list; a click on an edge tells their keys."""
    text, mins, maxs = read(s.map("box.vmf")).decode(), (50, 90, 40), (80, 120, 70)
    sides = "".join(f'\t\tside\n\t\t{{\n\t\t\t"id" "{900 + i}"\n\t\t\t"plane" "{" ".join("(" + " ".join(str((mins, maxs)[int(n)][k]) for k, n in enumerate(p.split())) + ")" for p in side[1:-1].split(") ("))}"\n'
                    '\t\t\t"material" "TOOLS/TOOLSTRIGGER"\n\t\t\t"uaxis" "[1 0 0 0] 0.25"\n\t\t\t"vaxis" "[0 -1 0 0] 0.25"\n\t\t\t"lightmapscale" "16"\n\t\t}\n'
                    for i, side in enumerate(SIDES))
    trigger = f'entity\n{{\n\t"id" "890"\n\t"classname" "trigger_multiple"\n\t"targetname" "alarm"\n\tsolid\n\t{{\n\t\t"id" "891"\n{sides}\t}}\n}}\n'
    markers = "".join(f'entity\n{{\n\t"id" "{950 + i}"\n\t"classname" "info_target"\n\t"origin" "30 30 {30 + i}"\n}}\n' for i in range(9))
    path = os.path.join(folder, "trigger.bsp")
    s.run("brushwork", "build", write(path[:-4] + ".vmf", text + trigger + markers), "-o", path, "--preset", "fast").expect(0)
    with Browser(*SIZE) as browser:
        page = MapPage(browser, viewed(s, path))
        count = "[...document.querySelectorAll('button.place')].filter(b => /trigger_|info_target/.test(b.textContent)).length"
        check(browser.value(count) == 10, browser.value(count))
        browser.value("(e => { e.value = 'ALARM trig'; e.dispatchEvent(new Event('input')); })(document.querySelector('input[type=search]'))")
        check(browser.value(count) == 1, "the search")
        before = browser.value("document.body.dataset.drawn")
        press(browser, "trigger_multiple")
        browser.wait(f"document.body.dataset.drawn !== {json.dumps(before)}")
        at, middle = place(browser), [(a + b) / 2 for a, b in zip(mins, maxs)]
        check(40 < math.dist(at[:3], middle) < 220, at)
        # From the west a near edge is 20 units before the eye, and 15 to the right.
        page.look("view=30,105,55,0,0&entities=1&panel=0")
        browser.click(SIZE[0] / 2, SIZE[1] / 2)
        check(dict(found(browser)).get("targetname") != "alarm", "not through the middle of a box")
        browser.click(SIZE[0] / 2 + SIZE[0] / 2 * 15 / 20, SIZE[1] / 2)
        browser.wait("document.getElementById('found').textContent.includes('alarm')")
        quiet(browser)


@suite.case
def messages_of_the_build_lead_to_places(s, folder):
    """The same list from JSON and from SARIF; the camera stands where it sees the hole."""
    path, told = os.path.join(folder, "leak.bsp"), []
    for kind in ("json", "sarif"):
        s.run("brushwork", "build", s.map("leak.vmf"), "-o", path, "--no-leak-picture", "--diagnostics", kind,
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


suite.main()
