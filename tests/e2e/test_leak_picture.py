#!/usr/bin/env python3
"""Pictures of leaks: where the hole is, what is beside it, and when there is such a picture."""
import os
import shutil

from e2e import Suite, check, read, write
from pictures import pixels

suite = Suite()

HOLE, WAY, ENTITY, CAMERA = (255, 64, 40), (255, 222, 40), (110, 235, 120), (120, 220, 255)
SOLIDS = (86, 180, 233), (204, 121, 167), (0, 158, 115), (230, 159, 0)
SIZE = "480x270", "--samples", "1"
CAPTION, INSET = 40, 0.42 # rows; part of the height


def places(rows, width, ink):
    """Of the pixels of a colour that are neither in the caption nor in the plan."""
    side = int(INSET * len(rows)) + 8
    return [(x, y) for y in range(CAPTION, len(rows)) for x in range(width)
            if tuple(rows[y][3 * x:3 * x + 3]) == ink and (x < width - side or y < len(rows) - side)]


def in_plan(rows, width, ink):
    side = int(INSET * len(rows))
    return [(x, y) for y in range(len(rows) - side, len(rows)) for x in range(width - side, width)
            if tuple(rows[y][3 * x:3 * x + 3]) == ink]


DRAWN = {}  # once for all cases


def drawn(s, folder, source):
    if source not in DRAWN:
        out = os.path.join(folder, "leak.png")
        s.run("brushwork", "render", "--leak", source, "-o", out, "--size", *SIZE).expect(3)
        DRAWN[source] = pixels(read(out))
    return DRAWN[source]


@suite.case
def the_hole_is_in_the_middle_with_its_frame(s, folder):
    """Behind it is the sky; the frame is around, and the solids beside it have their colours."""
    width, height, rows = drawn(s, folder, s.map("leak.vmf"))
    check((width, height) == (480, 270), (width, height))
    middle = rows[height // 2][3 * (width // 2):3 * (width // 2) + 3]
    check(min(middle) > 150 and middle[2] == max(middle), f"no hole: {tuple(middle)}")
    frame = places(rows, width, HOLE)
    check(min(x for x, _ in frame) < width // 2 < max(x for x, _ in frame) and
          min(y for _, y in frame) < height // 2 < max(y for _, y in frame), "the frame")
    for ink in SOLIDS:
        check(len(places(rows, width, ink)) > 20, f"no label or edges of the colour {ink}")
    check(places(rows, width, WAY), "the way out")


def middle_of(rows, width, ink):
    found = places(rows, width, ink)
    return [sum(values) / len(found) for values in zip(*found)]


@suite.case
def the_tinted_solids_are_those_that_are_named(s, folder):
    """Of leak.vmf 37 is below the hole, 44 above, 23 and 30 beside it; of q3_leak.map 5 is below, 1 above."""
    for name, below, above in (("leak.vmf", 2, 3), ("q3_leak.map", 3, 0)):
        width, height, rows = drawn(s, folder, s.map(name))
        x, y = middle_of(rows, width, SOLIDS[below])
        check(y > height / 2 + 10 and abs(x - width / 2) < width / 4, f"{name}: below is at {x}, {y}")
        x, y = middle_of(rows, width, SOLIDS[above])
        check(y < height / 2 - 10, f"{name}: above is at {x}, {y}")
    width, _, rows = drawn(s, folder, s.map("leak.vmf"))
    sides = sorted(middle_of(rows, width, SOLIDS[i])[0] for i in (0, 1))
    check(sides[0] < width / 2 < sides[1], f"beside: {sides}")


@suite.case
def the_plan_has_its_marks(s, folder):
    """The hole of leak.vmf is east of the light that leaks: right of it on the plan."""
    width, _, rows = drawn(s, folder, s.map("leak.vmf"))
    marks = {ink: in_plan(rows, width, ink) for ink in (HOLE, ENTITY, CAMERA, WAY)}
    check(all(marks.values()), {ink: len(found) for ink, found in marks.items()})
    middle = {ink: sum(x for x, _ in found) / len(found) for ink, found in marks.items()}
    check(middle[HOLE] > middle[ENTITY] + 10, middle)


@suite.case
def holes_of_all_kinds_are_seen(s, folder):
    """A slit, several holes, one that a func_detail fills, an entity outside, Quake 3."""
    for name, solids in (("leak_slit.vmf", 4), ("leak_holes.vmf", 4), ("leak_origin.vmf", 0), ("q3_leak.map", 4)):
        width, _, rows = drawn(s, folder, s.map(name))
        seen = sum(1 for ink in SOLIDS if len(places(rows, width, ink)) > 5)
        check(seen == solids, f"{name}: {seen} solids")
        check(places(rows, width, WAY) or not solids, f"{name}: no way")
        check(places(rows, width, HOLE if solids else ENTITY), f"{name}: no mark")


@suite.case
def build_writes_and_removes_the_picture(s, folder):
    for name in "leak.vmf", "q3_leak.map":
        source = os.path.join(folder, name)
        picture = source[:-4] + "_leak.png"
        shutil.copy(s.map(name), source)
        done = s.run("brushwork", "build", source).expect(3)
        check(os.path.basename(picture) in done.out.decode(), "the summary does not list it")
        own = os.path.join(folder, "own.png")
        s.run("brushwork", "render", "--leak", source, "-o", own, "--size", "960x540", "--samples", 1).expect(3)
        check(read(own) == read(picture), f"{name}: render --leak draws another one")
        s.run("brushwork", "build", source, "--no-leak-picture").expect(3)
        check(not os.path.exists(picture), "it stays")
        write(picture, "of a run that leaked")
        shutil.copy(s.map("q3_box.map" if name.endswith(".map") else "box.vmf"), source)
        s.run("brushwork", "build", source, "--preset", "fast").expect(0)
        check(not os.path.exists(picture), "it stays, though nothing leaks")


@suite.case
def standard_output_has_no_picture_beside(s, folder):
    source = os.path.join(folder, "leak.vmf")
    shutil.copy(s.map("leak.vmf"), source)
    s.run("brushwork", "build", source, "-o", "-").expect(3)
    check(os.listdir(folder) == ["leak.vmf"], os.listdir(folder))
    png = s.run("brushwork", "render", "--leak", source, "-o", "-", "--size", *SIZE).expect(3).out
    check(pixels(png)[:2] == (480, 270) and os.listdir(folder) == ["leak.vmf"], os.listdir(folder))
    s.run("brushwork", "render", "--leak", source[:-4], "--size", *SIZE).expect(3)
    check(read(source[:-4] + "_leak.png") == png, "beside the source")


@suite.case
def threads_make_no_difference(s, folder):
    found = {s.run("brushwork", "render", "--leak", s.map("leak_slit.vmf"), "-o", "-", "--size", *SIZE,
                   "-threads", n).expect(3).out for n in (1, 3)}
    check(len(found) == 1, "the pictures differ")


@suite.case
def what_does_not_leak_has_no_picture(s, folder):
    source = os.path.join(folder, "box.vmf")
    shutil.copy(s.map("box.vmf"), source)
    said = s.run("brushwork", "render", "--leak", source).expect(0).out.decode()
    check("does not leak" in said, said)
    check(os.listdir(folder) == ["box.vmf"], os.listdir(folder))
    write(source, b"world")
    s.run("brushwork", "render", "--leak", source).expect(1)
    s.run("brushwork", "render", "--leak", source, "--from", "0 0 0").expect(2)


suite.main()
