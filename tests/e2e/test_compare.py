#!/usr/bin/env python3
"""brushwork render --compare: two maps by one view, their difference and its size."""
import json
import math
import os

from e2e import Suite, check, read, write
from pictures import pixels

suite = Suite()

SIZE, WIDTH, HEIGHT, LABEL = ("--size", "96x54", "--samples", "2"), 96, 54, 14


def pair(s, folder):
    """Two boxes, one of them with a red light."""
    source = read(s.map("box.vmf"))
    check(b'"_light" "' in source, "box.vmf has no light")
    paths = []
    for name, text in (("a", source), ("b", source.replace(b'"_light" "255 255 255', b'"_light" "255 40 40'))):
        path = os.path.join(folder, name)
        write(path + ".vmf", text)
        s.run("brushwork", "build", path + ".vmf", "--preset", "fast").expect(0)
        paths.append(path + ".bsp")
    return paths


def panels(data):
    width, height, rows = pixels(data)
    check((width, height) == (3 * WIDTH, HEIGHT), (width, height))
    return [[row[3 * WIDTH * i:3 * WIDTH * (i + 1)] for row in rows[LABEL:]] for i in range(3)]


def single(s, folder, path):
    out = os.path.join(folder, "one.png")
    s.run("brushwork", "render", path, "-o", out, *SIZE, "--from", "128 128 64 0 30").expect(0)
    return pixels(read(out))[2]


@suite.case
def the_difference_has_its_size(s, folder):
    a, b = pair(s, folder)
    done = s.run("brushwork", "render", "--compare", a, b, *SIZE, "--from", "128 128 64 0 30", "--json")
    told = json.loads(done.expect(0).out)
    first, second, difference = panels(read(a[:-4] + "_compare.png"))
    one, two = single(s, folder, a), single(s, folder, b)
    check(first == one[LABEL:] and second == two[LABEL:], "not the pictures of the two maps")
    squares = sum((p - q) ** 2 for x, y in zip(one, two) for p, q in zip(x, y)) / (3 * WIDTH * HEIGHT)
    check(abs(told["psnr"] - 10 * math.log10(255 ** 2 / squares)) < 1e-6, (told, squares))
    most = max(abs(p - q) for x, y in zip(one, two) for p, q in zip(x, y))
    check(told["largest_difference"] == most and not told["equal"] and told["files"] == [a, b], told)
    for x, y, d in zip(first, second, difference):
        for i in range(0, 3 * WIDTH, 3):
            check((x[i:i + 3] == y[i:i + 3]) == (sum(d[i:i + 3]) == 0), "the difference is elsewhere")


@suite.case
def the_same_map_has_no_difference(s, folder):
    a, b = pair(s, folder)
    out = os.path.join(folder, "same.png")
    said = s.run("brushwork", "render", "--compare", a, a, "-o", out, *SIZE).expect(0).out.decode()
    check("equal" in said, said)
    check(all(not any(row) for row in panels(read(out))[2]), "a difference")
    told = json.loads(s.run("brushwork", "render", "--compare", a, a, "-o", out, *SIZE, "--json").expect(0).out)
    check(told["equal"] and "psnr" not in told and told["changed_share"] == 0, told)
    said = s.run("brushwork", "render", "--compare", a[:-4], b, "-o", out, *SIZE).expect(0).out.decode()
    check("PSNR" in said and "dB" in said, said)


@suite.case
def maps_of_both_games_are_compared(s, folder):
    a, _ = pair(s, folder)
    b = os.path.join(folder, "q3_box.bsp")
    s.run("brushwork", "build", s.map("q3_box.map"), "-o", b, "--preset", "fast").expect(0)
    data = s.run("brushwork", "render", "--compare", a, b, "-o", "-", *SIZE[:2], "--debug", "normals").expect(0).out
    panels(data)


@suite.case
def wrong_lines_are_refused(s, folder):
    a, b = pair(s, folder)
    for line in (["--compare", a], [a, b], ["--compare", a, b, "--overview"], ["--compare", a, b, "--leak"],
                 ["--compare", a, b, "--from", "0 0 0", "--from", "1 1 1"]):
        s.run("brushwork", "render", *line).expect(2)
    s.run("brushwork", "render", "--compare", a, os.path.join(folder, "none.bsp")).expect(1)
    check(not [name for name in os.listdir(folder) if name.endswith(".png")], os.listdir(folder))


suite.main()
