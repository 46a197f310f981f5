#!/usr/bin/env python3
"""brushwork render: overviews, levelshots, pictures from spawns and from around."""
import os
import re

from e2e import Suite, check, read, write
from pictures import pixels

suite = Suite()

GREY = (53, 53, 53) # around a map that is seen from outside


def compiled(s, folder, name, *options):
    path = os.path.join(folder, name.rsplit(".", 1)[0] + ".bsp")
    s.run("brushwork", "build", s.map(name), "-o", path, "--preset", "fast", *options).expect(0)
    return path


def at(rows, x, y):
    return tuple(rows[y][3 * x:3 * x + 3])


def covered(rows):
    """Bounds of what is not grey, in pixels."""
    side = len(rows)
    found = [(x, y) for y in range(side) for x in range(side) if at(rows, x, y) != GREY]
    return (min(x for x, _ in found), min(y for _, y in found), max(x for x, _ in found) + 1,
            max(y for _, y in found) + 1)


@suite.case
def the_overview_is_where_its_text_says(s, folder):
    """The lit rooms of two_rooms.vmf end where the plane of their walls is."""
    path = compiled(s, folder, "atrium.vmf")
    s.run("brushwork", "render", "--overview", path[:-4], "--size", 256, "--samples", 1).expect(0)
    width, height, rows = pixels(read(path[:-4] + "_overview.png"))
    text = read(path[:-4] + "_overview.txt").decode()
    values = dict(re.findall(r'"(\w+)"\s+"([^"]*)"', text))
    check((width, height) == (256, 256) and values["material"] == "overviews/atrium", values)
    unit = float(values["scale"]) * 1024 / width
    left, top, right, bottom = covered(rows)
    edges = [float(values["pos_x"]) + left * unit, float(values["pos_y"]) - top * unit,
             float(values["pos_x"]) + right * unit, float(values["pos_y"]) - bottom * unit]
    for found, wanted in zip(edges, (0, 896, 1536, -224)):
        check(abs(found - wanted) < 1.5 * unit, (edges, unit))


@suite.case
def a_cut_opens_what_is_above(s, folder):
    """The gallery of the atrium is at z 128 and above, and dark; below it the floor is blue."""
    path = compiled(s, folder, "atrium.vmf")
    found = []
    for options in [], ["--cut", 100]:
        out = os.path.join(folder, "cut.png")
        done = s.run("brushwork", "render", "--overview", path, "--size", 128, "--samples", 1, "-o", out, *options)
        check(b"shows " in done.expect(0).out, "the part that is shown")
        found.append(pixels(read(out))[2])
        check(os.path.exists(out[:-4] + ".txt"), "the text is beside the picture")
    check(found[0] != found[1], "nothing is cut")


@suite.case
def quake3_has_levelshots_and_overviews(s, folder):
    path = compiled(s, folder, "q3_box.map")
    s.run("brushwork", "render", "--levelshot", path, "--size", "64x48").expect(0)
    data = read(path[:-4] + "_levelshot.jpg")
    check(data[:3] == b"\xff\xd8\xff" and data[-2:] == b"\xff\xd9", "no JPEG")
    s.run("brushwork", "render", "--overview", path, "--size", 64).expect(0)
    check(not os.path.exists(path[:-4] + "_overview.txt"), "a text that Quake 3 does not read")
    pixels(read(path[:-4] + "_overview.png"))


@suite.case
def no_ceiling_hides_a_room_of_quake3(s, folder):
    """From above and from around one sees what is before clusters, and not the backs of ceilings and walls, which are in none."""
    path = compiled(s, folder, "q3_patches.map")
    for options in ["--overview", "--size", 64], ["--turntable", 1, "--size", "64x64"]:
        colours = []
        for mode in "clusters", "overdraw":
            out = os.path.join(folder, mode + ".png")
            s.run("brushwork", "render", path, "-o", out, "--debug", mode, *options).expect(0)
            rows = pixels(read(out))[2]
            colours.append([at(rows, x, y) for y in range(16, 48) for x in range(24, 56)])
        check((60, 60, 60) not in colours[0], f"{options}: a surface of no cluster")
        check(len(set(colours[1])) > 1, f"{options}: nothing is behind the pillar")


@suite.case
def a_turntable_goes_around(s, folder):
    """Each picture has all of the map, none cut at an edge; and they differ."""
    path, out = compiled(s, folder, "atrium.vmf"), os.path.join(folder, "turn.png")
    s.run("brushwork", "render", path, "--turntable", 4, "-o", out, "--size", "80x60", "--samples", 1).expect(0)
    seen = set()
    for number in 1, 2, 3, 4:
        _, _, rows = pixels(read(os.path.join(folder, f"turn_{number}.png")))
        edges = [at(rows, x, y) for x in range(80) for y in (0, 59)] + \
            [at(rows, x, y) for x in (0, 79) for y in range(60)]
        check(set(edges) == {GREY}, f"{number}: the map is cut")
        inside = sum(at(rows, x, y) != GREY for x in range(80) for y in range(60))
        check(inside > 600, f"{number}: {inside} pixels")
        seen.add(bytes(b"".join(rows)))
    check(len(seen) == 4, "the same pictures")


@suite.case
def spawns_have_a_picture_each(s, folder):
    path = compiled(s, folder, "two_rooms.vmf")
    out = os.path.join(folder, "spawn.png")
    s.run("brushwork", "render", path, "--spawns", "-o", out, "--size", "32x18").expect(0)
    s.run("brushwork", "render", path, "-o", os.path.join(folder, "first.png"), "--size", "32x18").expect(0)
    made = sorted(name for name in os.listdir(folder) if name.startswith("spawn"))
    check(made and read(os.path.join(folder, made[0])) == read(os.path.join(folder, "first.png")), made)


@suite.case
def modes_exclude_each_other(s, folder):
    path = compiled(s, folder, "box.vmf")
    for options in (["--overview", "--from", "0 0 0"], ["--turntable", 3, "--leak"], ["--minimap", "--levelshot"],
                    ["--turntable", 2, "-o", "-"], ["--overview", "--size", "64x32"]):
        s.run("brushwork", "render", path, *options).expect(2)
    check(not [name for name in os.listdir(folder) if name.endswith("png")], os.listdir(folder))


@suite.case
def options_without_an_effect_are_refused(s, folder):
    """An option that changes nothing of what is drawn is a mistake, and is told."""
    path, out = compiled(s, folder, "box.vmf"), os.path.join(folder, "shot.png")
    for options, words in (
            (["--levelshot", "--debug", "clusters"], "--debug has no effect with --levelshot"),
            (["--minimap", "--debug", "clusters"], "--debug has no effect with --minimap"),
            (["--minimap", "--exposure", 2], "--exposure has no effect with --minimap"),
            (["--minimap", "--hdr"], "--hdr has no effect with --minimap"),
            (["--overview", "--fov", 60], "--fov has no effect with --overview"),
            (["--debug", "clusters", "--samples", 4], "--samples has no effect with --debug"),
            (["--debug", "clusters", "--lightmap-only"], "--lightmap-only has no effect with --debug"),
            (["--spawns", "--cut", 64], "--cut needs --overview"), (["--border", 0.2], "--border needs --minimap"),
            (["--overview", "--white"], "--white needs --minimap"),
            (["--pvs-from", "0 0 64"], "--pvs-from needs --debug pvs"),
            (["--debug", "leaves", "--pvs-from", "0 0 64"], "--pvs-from needs --debug pvs")):
        done = s.run("brushwork", "render", path, "-o", out, *options).expect(2)
        check(words in done.err, f"{options}: {done.err}")
    s.run("brushwork", "render", path, "--turntable", 0).expect(2)
    check(not [name for name in os.listdir(folder) if name.endswith("png")], os.listdir(folder))
    s.run("brushwork", "render", path, "-o", out, "--debug", "none", "--samples", 1, "--size", "16x9").expect(0)


@suite.case
def standard_input_and_output_have_no_files(s, folder):
    path, here = compiled(s, folder, "box.vmf"), os.getcwd()
    data = read(path)
    os.chdir(folder)
    try:
        before = sorted(os.listdir("."))
        for options in (["--turntable", 2], ["--spawns"], ["--from", "64 64 64", "--from", "65 64 64"], ["--debug", "portals"]):
            s.run("brushwork", "render", "-", *options, "--size", "16x9", stdin=data).expect(2)
        for options in (["-"], ["-", "--overview"], ["-", "--turntable", 1], ["--compare", "-", path]):
            size = 16 if "--overview" in options else "16x9"
            done = s.run("brushwork", "render", *options, "--size", size, stdin=data).expect(0)
            check(done.out.startswith(b"\x89PNG"), f"{options}: {done.out[:40]}")
        check(sorted(os.listdir(".")) == before, os.listdir("."))
    finally:
        os.chdir(here)


@suite.case
def a_map_is_no_output(s, folder):
    """A slip of the hand must not cost the map, whichever verb or mode draws it."""
    path, source = compiled(s, folder, "box.vmf"), write(os.path.join(folder, "leak.vmf"), read(s.map("leak.vmf")))
    bare = write(os.path.join(folder, "bare"), read(path))
    before = read(path), read(source)
    for line in (["render", path, "-o", path], ["render", path, "--overview", "-o", path], ["render", path, "--minimap", "-o", path],
                 ["render", "--compare", bare, path, "-o", path], ["render", "--leak", source, "-o", source],
                 ["render", bare, "-o", bare], ["report", path, "-o", path], ["report", source, "-o", source],
                 ["report", bare, "--against", path, "-o", path], ["view", path, "-o", path], ["view", path, "-o", source]):
        done = s.run("brushwork", *line).expect(2)
        check("would be overwritten" in done.err, f"{line}: {done.err}")
    check((read(path), read(source), read(bare)) == (*before, before[0]), "a map was overwritten")


suite.main()
