#!/usr/bin/env python3
"""brushwork report: the page about a map, against what the other verbs say."""
import base64
import hashlib
import html.parser
import json
import os
import re
import struct

from e2e import Suite, check, read, write
from hostile_map import NAME, hostile
from pictures import pixels
from report_pages import FAST, brighter, built

suite = Suite()
EMPTY = {"meta", "img", "rect", "input"}


class Page(html.parser.HTMLParser):
    """A page: its tags must be balanced. `tables` are those of a chapter: rows of texts. `messages`: the text of each code."""

    def __init__(self, data):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.tables, self.texts, self.images = [], [], {}, {}, []
        self.chapter = self.cells = self.message = None
        self.messages = {}
        self.feed(data.decode())
        self.close()
        check(not self.open, self.open)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if tag == "section":
            self.chapter = attributes["id"]
        if tag == "img":
            kind, data = attributes["src"].removeprefix("data:image/").split(";base64,")
            self.images.append(base64.b64decode(data, validate=True))
            check(self.images[-1].startswith({"jpeg": b"\xff\xd8", "png": b"\x89PNG"}[kind]), kind)
        if tag == "article":
            self.message = attributes.get("id")
            self.messages[self.message] = ""
        if tag == "tr":
            self.cells = []
        if tag in ("td", "th"):
            self.cells.append("")
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        check(self.open and self.open.pop() == tag, f"</{tag}> after {self.open[-3:]}")
        if tag == "tr":
            self.tables.setdefault(self.chapter, []).append(self.cells)
            self.cells = None
        if tag == "article":
            self.message = None
        if tag == "section":
            self.chapter = None

    def handle_data(self, data):
        if self.cells:
            self.cells[-1] += data
        if self.message:
            self.messages[self.message] += data
        self.texts[self.chapter] = self.texts.get(self.chapter, "") + data

    def row(self, chapter, first):
        return next((row for row in self.tables.get(chapter, []) if row[0] == first), None)


def number(text):
    return int(text.replace("\u202f", ""))


def reported(s, path, *options, status=0):
    page = os.path.splitext(path)[0] + "_page.html"
    s.run("brushwork", "report", path, "-o", page, "--width", "160", *options).expect(status)
    return read(page)


@suite.case
def a_page_is_complete_and_has_no_script(s, folder):
    data = reported(s, built(s, folder, "box.vmf")[0])
    page, text = Page(data), data.decode()
    policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    style = re.search("<style>(.*?)</style>", text, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    check(policy.startswith("default-src 'none';") and f"style-src 'sha256-{digest}'" in policy, policy)
    check("script" not in policy and "unsafe" not in policy, policy)
    check(not any(tag in ("script", "link", "iframe", "object") or "style" in attributes or "onload" in attributes
                  for tag, attributes in page.tags), "it needs a program")
    check(not re.search(r"https?:|url\(", text), "it names another place")
    for tag, attributes in page.tags:
        if tag == "a":
            check(any(a.get("id") == attributes["href"][1:] for _, a in page.tags), attributes)
    check(len(page.images) == 2 and all(image[:2] == b"\xff\xd8" for image in page.images), len(page.images))


@suite.case
def the_same_inputs_give_the_same_page(s, folder):
    path, messages = built(s, folder, "displacements.vmf")
    first = reported(s, path, "--messages", messages)
    check(reported(s, path, "--messages", messages, "-threads", "1") == first, "with one thread")
    done = s.run("brushwork", "report", path[:-4], "--out", "-", "--width", "160", "--messages", messages).expect(0)
    check(done.out == first, "to standard output")
    s.run("brushwork", "report", path, "--width", "160", "--messages", messages).expect(0)
    check(read(path[:-4] + "_report.html") == first, "beside the map")
    build_options = [word for option in FAST for word in ("--build-option", option)]
    sources = [reported(s, s_copy(s, folder, "displacements.vmf"), *build_options) for _ in range(2)]
    check(sources[0] == sources[1] == first, "of the source")


def s_copy(s, folder, name):
    return write(os.path.join(folder, name), read(s.map(name)))


@suite.case
def its_figures_are_those_of_info(s, folder):
    path, messages = built(s, folder, "atrium.vmf")
    page = Page(reported(s, path, "--messages", messages))
    info = json.loads(s.run("brushwork", "info", path, "--json").expect(0).out)
    limits = {limit["name"]: limit for limit in info["limits"] if limit["used"]}
    rows = [row for row in page.tables["limits"] if row[0] != "limit"]
    check(len(rows) == len(limits), f"{len(rows)} of {len(limits)} limits")
    for name, _, percent, used, maximum, _ in rows:
        limit = limits[name]
        check((number(used), number(maximum), percent) == (limit["used"], limit["maximum"], f"{limit['percent']:.1f} %"), name)
    shares = [limits[row[0]]["percent"] for row in rows]
    check(shares == sorted(shares, reverse=True), "the fullest first")
    classes = {row[0]: number(row[2]) for row in page.tables["entities"] if row[0] != "class"}
    check(classes == {c["class"]: c["count"] for c in info["classes"]}, classes)
    materials = [row for row in page.tables["materials"] if row[0] != "material"]
    check(sum(number(row[4]) for row in materials) > 200, materials)
    areas = [number(row[3]) for row in materials]
    check(areas == sorted(areas, reverse=True), areas)


def lump(data, number_of, form):
    at, size = struct.unpack_from("<2i", data, 8 + 16 * number_of)
    return list(struct.iter_unpack("<" + form, data[at:at + size]))


def rows_of_pvs(data):
    at = struct.unpack_from("<i", data, 8 + 16 * 4)[0]
    count = struct.unpack_from("<i", data, at)[0]
    rows = []
    for cluster in range(count):
        start, row = at + struct.unpack_from("<i", data, at + 4 + 8 * cluster)[0], bytearray()
        while len(row) < (count + 7) // 8:
            if data[start]:
                row.append(data[start])
                start += 1
            else:
                row += bytes(data[start + 1])
                start += 2
        rows.append({i for i in range(count) if row[i >> 3] >> (i & 7) & 1})
    return rows


@suite.case
def clusters_see_what_their_rows_say(s, folder):
    path, _ = built(s, folder, "atrium.vmf")
    data = read(path)
    rows, leaf_faces = rows_of_pvs(data), [f for f, in lump(data, 16, "H")]
    faces = {}
    for leaf in lump(data, 10, "ihh6h4Hhxx"):
        faces.setdefault(leaf[1], set()).update(leaf_faces[leaf[9]:leaf[9] + leaf[10]])
    seen = {i: len(set().union(*(faces.get(k, set()) for k in row))) for i, row in enumerate(rows)}
    listed = [row for row in Page(reported(s, path)).tables["clusters"] if row[0] != "cluster"]
    check(len(listed) == len(rows), f"{len(listed)} clusters")
    for row in listed:
        check((number(row[2]), number(row[3])) == (seen[number(row[0])], len(rows[number(row[0])])), row)
    order = [number(row[2]) for row in listed]
    check(order == sorted(order, reverse=True) and order[0] > order[-1], order)


@suite.case
def costs_are_those_of_the_build(s, folder):
    path, messages = built(s, folder, "two_rooms.vmf")
    result = json.loads(read(messages).decode().splitlines()[-1])["result"]
    counters = {name.replace("_", " "): int(value) for stage in result["stages"]
                for name, value in stage["counters"].items() if value}
    without = Page(reported(s, path, "--messages", messages))
    found = {row[0]: number(row[1]) for row in without.tables["costs"] if row[0] != "counter"}
    check(found == counters, found)
    check("seconds" not in without.texts["costs"].lower(), "seconds, which nobody asked for")
    timed = Page(reported(s, path, "--messages", messages, "--times"))
    check(timed.row("costs", "vrad")[3] == f"{result['stages'][2]['wall_seconds']:.3f}", timed.row("costs", "vrad"))
    check("costs" not in Page(reported(s, path)).tables, "of no build")


@suite.case
def messages_are_those_of_the_build(s, folder):
    path, messages = built(s, folder, "leak.vmf")
    page = Page(reported(s, path, "--messages", messages))
    text = page.messages["V001-error"]
    check("error" in text and "map leaks" in text and "leak.vmf:729" in text and "setpos 272 128 128" in text, text)
    fix, meaning = (json.loads(s.run("brushwork", "explain", "V001", "--json").expect(0).out)["codes"][0][k] for k in ("fix", "explanation"))
    check(f"Fix: {fix}" in text and meaning.split("\n\n")[0] in text, text)
    check(("a", {"href": "#V001-error"}) in page.tags, "no link to it")
    check("1 error" in page.texts[None], page.texts[None])
    sarif = os.path.join(folder, "leak.sarif")
    s.run("brushwork", "build", s.map("leak.vmf"), "-o", path, "--diagnostics", "sarif", "--diagnostics-file", sarif).expect(3)
    check(Page(reported(s, path, "--messages", sarif)).messages["V001-error"] == text, "of SARIF")
    s.run("brushwork", "report", path, "-o", path + ".html", "--messages", s.map("leak.vmf")).expect(1)
    check(not os.path.exists(path + ".html"), "a page with messages that are none")
    check("not known" in Page(reported(s, path)).texts["messages"], "of no build")


@suite.case
def a_leak_is_shown_with_its_words(s, folder):
    """The picture of the build is in the page, of a source and of a BSP with its messages; without those it may be an old one."""
    path, messages = built(s, folder, "leak.vmf")
    picture = read(path[:-4] + "_leak.png")
    data = reported(s, path, "--messages", messages)
    page = Page(data)
    check(page.images[0] == picture, "the first picture is another one")
    check("can reach the outside; the hole is 32 x 32 units" in page.texts["pictures"], page.texts["pictures"])
    check(reported(s, s_copy(s, folder, "leak.vmf"), status=3) == data, "of the source")
    check(picture not in Page(reported(s, path)).images, "of no messages")
    clean = os.path.join(folder, "clean.json")
    s.run("brushwork", "build", s.map("box.vmf"), "-o", os.path.join(folder, "box.bsp"), "--diagnostics", "json",
          "--diagnostics-file", clean, *FAST).expect(0)
    check(picture not in Page(reported(s, path, "--messages", clean)).images, "of a build without a leak")
    write(path[:-4] + "_leak.png", b"no picture")
    page = Page(reported(s, path, "--messages", messages))
    check(all(image[:2] == b"\xff\xd8" for image in page.images), "of what is no PNG")


@suite.case
def a_source_is_built(s, folder):
    source = s_copy(s, folder, "leak.vmf")
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = folder
    try:
        page = Page(reported(s, source, status=3))
        check("V001-error" in page.messages, page.messages)
        done = s.run("brushwork", "report", source, "-o", "-", "--json", "--width", "160").expect(3)
        check(done.result["errors"] == 1 and "V001" in done.codes(), str(done))
        broken = write(os.path.join(folder, "broken.vmf"), "world\n{\n}}\n")
        s.run("brushwork", "report", broken, "--json").expect(1)
        check(not any(name.startswith("brushwork-") or "broken_" in name for name in os.listdir(folder)), os.listdir(folder))
    finally:
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before
    s.run("brushwork", "report", source, "--sandbox").expect(2)
    s.run("brushwork", "report", source, "--messages", source).expect(2)
    s.run("brushwork", "report", source, "--build-option", "--no-such-option").expect(2)


@suite.case
def a_build_has_the_options_of_the_cache(s, folder):
    source, cache = s_copy(s, folder, "box.vmf"), os.path.join(folder, "cache")
    first = Page(reported(s, source, "--cache", cache))
    check(first.row("costs", "cache misses") and not first.row("costs", "cache hits"), first.tables["costs"])
    before = sorted(os.listdir(cache))
    check(Page(reported(s, source, "--cache", cache, "--cache-read-only")).row("costs", "cache hits"), "nothing was found")
    check(sorted(os.listdir(cache)) == before, "written to")
    check("cache hits" not in str(Page(reported(s, source, "--cache", cache, "--no-cache")).tables["costs"]), "with --no-cache")


@suite.case
def a_quake_3_map_has_a_page(s, folder):
    path, messages = built(s, folder, "q3_patches.map")
    page = Page(reported(s, path, "--messages", messages, "--times"))
    check(len(page.images) >= 2 and page.tables["materials"] and page.tables["limits"], page.tables.keys())


@suite.case
def changes_are_those_of_diff(s, folder):
    old, source = brighter(s, folder)
    new = source[:-4] + ".bsp"
    s.run("brushwork", "build", source, "-o", new, *FAST).expect(0)
    page = Page(reported(s, new, "--against", old[:-4]))
    sections = json.loads(s.run("brushwork", "diff", old, new, "--json").expect(1).out)["sections"]
    wanted = {x["name"]: (x["a"], x["b"], x["differing"]) for x in sections if x["differing"]}
    found = {row[0]: tuple(number(cell) for cell in row[1:4]) for row in page.tables["changes"] if len(row) == 5 and row[0]}
    check(found == wanted and "lightmaps" in wanted, found)
    check("15 +1" in page.texts[None], "one entity more")
    check(len(page.images) == 9, len(page.images))
    caption = re.search(r"Mean difference ([\d.]+) of 255, PSNR ([\d.]+) dB\. From a spawn\. setpos (.*?); setang (.*?) 0\b",
                        page.texts["pictures"])
    shots = []
    for path in (old, new):
        shot = os.path.join(folder, "shot.png")
        s.run("brushwork", "render", path, "-o", shot, "--from", f"{caption.group(3)} {caption.group(4)}", "--size", "160x90",
              "--samples", "4").expect(0)
        shots.append(b"".join(pixels(read(shot))[2]))
    apart = sum(abs(a - b) for a, b in zip(*shots)) / len(shots[0])
    check(abs(apart - float(caption.group(1))) < 0.006 and apart > 0.5, f"{apart}, not {caption.group(1)}")


def dimmed(source, factor):
    """The source with the brightness of each light times a factor."""
    return re.sub(rb'("_light" "\d+ \d+ \d+) ([\d.]+)"', lambda m: m.group(1) + b" %g\"" % (float(m.group(2)) * factor), source)


@suite.case
def light_is_told_in_words(s, folder):
    """All light is a sum over the lights: with each at 80 % of its brightness all faces are 20 % darker."""
    old = built(s, folder, "box.vmf")[0]
    source = write(os.path.join(folder, "dim.vmf"), dimmed(read(s.map("box.vmf")), 0.8))
    new = source[:-4] + ".bsp"
    s.run("brushwork", "build", source, "-o", new, *FAST).expect(0)
    page = Page(reported(s, new, "--against", old))
    check(re.search(r"Light: 6 of 6 faces look different; all that were compared together are 20 % darker", page.texts["changes"]),
          page.texts["changes"])
    worst = [row for row in page.tables["changes"] if len(row) == 6 and row[0] != "material"]
    check(len(worst) == 6 and all(row[1] == "20 % darker" for row in worst), worst)
    means = [float(row[2]) for row in worst]
    check(means == sorted(means, reverse=True) and all(float(row[3]) + 0.5 >= mean > 1 for row, mean in zip(worst, means)), worst)
    twice = Page(reported(s, old, "--against", write_build(s, folder, "half", dimmed(read(s.map("box.vmf")), 0.5))))
    check("are 2.0 times as bright" in twice.texts["changes"], twice.texts["changes"])
    check("The face whose light differs most" in twice.texts["pictures"], twice.texts["pictures"])


def write_build(s, folder, name, source):
    path = write(os.path.join(folder, name + ".vmf"), source)
    s.run("brushwork", "build", path, "-o", path[:-4] + ".bsp", *FAST).expect(0)
    return path[:-4] + ".bsp"


@suite.case
def entities_and_materials_are_told_in_words(s, folder):
    text = read(s.map("atrium.vmf"))
    lamps = [b'entity\n{\n"id" "%d"\n"classname" "info_target"\n"targetname" "mark%d"\n"origin" "200 %d 200"\n}\n' % (9900 + i, i, 480 - i)
             for i in range(3)]
    old = write_build(s, folder, "old", text + b"".join(lamps))
    moved = lamps[0].replace(b"200 480 200", b"230 520 200")
    renamed = lamps[1].replace(b"mark1", b"other")
    new = write_build(s, folder, "new", text.replace(b"DEV/DEV_MEASUREWALL01C", b"DEV/REFLECTIVITY_90") + moved + renamed)
    told = Page(reported(s, new, "--against", old)).texts["changes"]
    for wanted in ("1 fewer entity", 'info_target "mark0" at 230 520 200: moved by 50 units from 200 480 200',
                   'info_target "other" at 200 479 200: targetname "mark1" to "other"', 'info_target "mark2" at 200 478 200: removed'):
        check(wanted in told, f"{wanted}: {told}")
    area = re.search(r"material DEV/DEV_MEASUREWALL01C: (\d+) fewer faces?, ([\d\u202f]+) square units fewer", told)
    gained = re.search(r"material DEV/REFLECTIVITY_90: (\d+) more faces?, ([\d\u202f]+) square units more", told)
    check(area and gained and area.groups() == gained.groups(), told)


@suite.case
def messages_that_say_the_same_are_one(s, folder):
    path, _ = built(s, folder, "box.vmf")
    lines = [{"code": "V180", "severity": "warning", "title": "missing static prop model", "message": '"models/a.mdl"', "file": "box.vmf",
              "line": i, "point": [i, 0, 64]} for i in range(1, 9)]
    lines += [{"code": "V490", "severity": "warning", "title": "other", "message": f"class {i}"} for i in range(120)]
    lines += [{"code": "X999", "severity": "note", "title": "of the future", "message": "is shown"}]
    messages = write(os.path.join(folder, "many.json"), "".join(json.dumps(line) + "\n" for line in lines))
    data = reported(s, path, "--messages", messages)
    page = Page(data)
    check(list(page.messages) == ["V180-warning", "V490-warning", None], list(page.messages))
    text = page.messages["V180-warning"]
    check(text.count('"models/a.mdl"') == 1 and "8 times" in text and "7 more places" in text, text)
    check(all(f"box.vmf:{i}, point setpos {i} 0 64" in text for i in range(1, 9)), text)
    text = page.messages["V490-warning"]
    check("120 times" in text and "117 more" in text and "class 119" in text, text)
    check("of the future: is shown" in page.texts["messages"] and "1 note" in page.texts["messages"], page.texts["messages"])
    check("0 errors, 128 warnings" in page.texts[None], page.texts[None])


@suite.case
def passed_checks_are_folded_and_faults_are_shown(s, folder):
    path, _ = built(s, folder, "box.vmf")
    check("18 checks passed" in Page(reported(s, path)).texts["messages"], "of a sound file")
    data = bytearray(read(path))
    planes = struct.unpack_from("<i", data, 8 + 16)[0]
    struct.pack_into("<f", data, planes, 0.5)
    write(path, bytes(data))
    fault = s.run("brushwork", "verify", path, "--json").expect(1).codes()[0]
    page = Page(reported(s, path))
    passed = int(re.search(r"(\d+) checks passed", page.texts["messages"]).group(1))
    check(f"file-{fault}-error" in page.messages and 10 < passed < 18, page.texts["messages"])
    check("\nplanes\n" not in page.texts["messages"], "planes have passed")


@suite.case
def spawns_near_each_other_have_one_picture(s, folder):
    spawn = b'entity\n{\n"id" "%d"\n"classname" "info_player_start"\n"origin" "%d 128 16"\n"angles" "0 0 0"\n}\n'
    spawns = b"".join(spawn % (9900 + i, 64 + 16 * i) for i in range(4))
    path = write_build(s, folder, "spawns", read(s.map("box.vmf")) + spawns)
    page = Page(reported(s, path))
    check(len(page.images) == 2 and "4 more are near it, within 256 units" in page.texts["pictures"], page.texts["pictures"])
    rooms = read(s.map("two_rooms.vmf"))
    check("more" not in Page(reported(s, write_build(s, folder, "rooms", rooms))).texts["pictures"], "of one spawn")


@suite.case
def places_are_lines_for_the_console_of_the_game(s, folder):
    """Quake 3 moves a player's origin, 26 units below the eye, and lifts it by one."""
    path, _ = built(s, folder, "q3_box.map")
    text = Page(reported(s, path)).texts["pictures"]
    x, y, z, yaw = map(int, re.search(r"/setviewpos (\S+) (\S+) (\S+) (\S+)", text).groups())
    origin = [int(part) for part in re.search(r'"info_player_deathmatch"[^}]*"origin" "(.*?)"', read(s.map("q3_box.map")).decode()).group(1).split()]
    check([x, y] == origin[:2], f"{text} {origin}")
    shot = [os.path.join(folder, name) for name in ("eye.png", "spawn.png")]
    s.run("brushwork", "render", path, "-o", shot[0], "--from", f"{x} {y} {z + 27} 0 {yaw}", "--size", "160x90").expect(0)
    s.run("brushwork", "render", path, "-o", shot[1], "--size", "160x90").expect(0)
    check(read(shot[0]) == read(shot[1]), "the eye is elsewhere than in the picture")
    check("setpos" not in text, text)


@suite.case
def what_is_compared_with_is_found_before_the_build(s, folder):
    broken = write(os.path.join(folder, "broken.vmf"), "world\n{\n}}\n")
    done = s.run("brushwork", "report", broken, "--against", os.path.join(folder, "none.bsp"), "--json").expect(1)
    check(done.codes() == ["C001"], f"{done.codes()}: it was built")


@suite.case
def maps_without_a_common_place_are_compared(s, folder):
    """A map of another game, and one that is elsewhere: both are whole in the view from above, and messages name their map."""
    here = built(s, folder, "box.vmf")[0]
    source = read(s.map("box.vmf")).decode()
    moved = re.sub(r"\((-?\d+) ", lambda m: f"({int(m.group(1)) + 4096} ", source)
    moved = re.sub(r'"origin" "(-?\d+) ', lambda m: f'"origin" "{int(m.group(1)) + 4096} ', moved)
    write(os.path.join(folder, "moved.vmf"), moved)
    there = os.path.join(folder, "moved.bsp")
    s.run("brushwork", "build", there[:-4] + ".vmf", "-o", there, *FAST).expect(0)
    for first, second in (here, there), (there, here):
        page = Page(reported(s, second, "--against", first))
        check("The older map is solid at this place." in page.texts["pictures"], page.texts["pictures"])
        sizes = [len(picture) for picture in page.images[-3:-1]]  # without a map it is of one colour, and less than half of that
        check(min(sizes) > 0.8 * max(sizes) and page.images[-2] != page.images[-3], f"from above: {sizes}")
    quake3 = built(s, folder, "q3_box.map")[0]
    page = Page(reported(s, here, "--against", quake3))
    check(re.search("header.*target 1", page.texts["changes"], re.DOTALL), page.texts["changes"])
    check(re.search(r"file[\d.]+\u202fkB [+-]", page.texts[None]), page.texts[None])
    s.run("vbsp", s.map("box.vmf"), "-o", here).expect(0)
    write(os.path.join(folder, "empty.vmf"), re.sub(r'"classname" "info_player_start"', '"classname" "info_null"', source))
    s.run("vbsp", os.path.join(folder, "empty.vmf")).expect(0)
    check("From where most is seen" in Page(reported(s, os.path.join(folder, "empty.bsp"))).texts["pictures"], "of no spawn")
    done = s.run("brushwork", "report", there, "--against", here, "-o", here + ".html", "--width", "160").expect(0)
    check("box.bsp: warning P003" in done.err, done.err)
    for wrong in "none.bsp", "moved.html", ".":
        s.run("brushwork", "report", here, "--against", os.path.join(folder, wrong), "-o", "-").expect(1)


@suite.case
def a_map_is_the_same_as_itself(s, folder):
    path = built(s, folder, "box.vmf")[0]
    page = Page(reported(s, path, "--against", path))
    check("the same" in page.texts["changes"] and "changes" not in page.tables, page.texts["changes"])
    check(page.texts["pictures"].count("No difference") == 2, page.texts["pictures"])


@suite.case
def texts_of_a_map_do_not_become_markup(s, folder):
    path = hostile(s, folder)
    data = reported(s, path, "--against", path)
    page = Page(data)
    check(not any(tag in ("script", "i", "b") or "onerror" in attributes for tag, attributes in page.tags), "a tag")
    check(f"{NAME}" in page.texts[None] and len(data) < 200000, len(data))
    row = next(row for row in page.tables["entities"] if row[0].startswith("</script>"))
    check("onerror=alert(1)>'&quot;`${alert(1)}`" in row[0], row)
    check(any(row[0].startswith("<i>y</i>&") and row[0].endswith("...") for row in page.tables["entities"]), "a long class")
    line = {"code": "V001", "severity": "warning", "title": "</td><script>", "message": "\"'<b>\x01\u202e", "file": "<i>"}
    messages = write(os.path.join(folder, "m.json"), json.dumps(line) + "\n" + json.dumps(
        {"result": {"stages": [{"name": "<u>", "counters": {"<s>_x": 3}, "phases": [{"name": "<p>"}]}]}}) + "\n")
    page = Page(reported(s, path, "--messages", messages, "--times"))
    check(not any(tag in ("script", "i", "b", "u", "s") for tag, _ in page.tags), "a tag of a message")
    text = page.messages["V001-warning"]
    check("</td><script>: \"'<b>\ufffd\ufffd" in text and "<i>" in text, text)
    check(page.row("costs", "<s> x"), page.tables["costs"])


suite.main()
