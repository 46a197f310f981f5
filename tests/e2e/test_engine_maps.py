#!/usr/bin/env python3
"""Shipped maps of OpenArena: what `render` draws beside what the engine draws from the same eye at the same moment.

The maps differ in what is hard to draw alike. What makes the pictures comparable is in engine_client.py; besides, `render`
smooths edges, which the engine does not: a difference of 2 to 4 is texture alone, and more of a view is something that is
missing."""
import os

import engine_client
import openarena
import pictures
from e2e import Suite, check

suite = Suite()

MEAN = 5  # of 255: limit of the mean difference of all views
VIEW = 9  # the same of one view
SHARE = 0.25  # of its mean brightness, so that a dark view cannot hide that all is missing
TILE = 64  # pixels: of the worst part of a picture, which is printed

# What of the map is hard, and eyes: x y z, yaw
VIEWS = {
    "oacmpctf3": ("a box of stars, doubled lightmaps, flames that are added", [((-2912, -352, 92), 0), ((-2384, 104, 1628), 225)]),
    "oacmpdm9": ("clouds, surfaces in orange fog, beams that are added", [((-1168, -912, 28), 0), ((1168, -912, 28), 180)]),
    "czest2ctf": ("two layers of fast clouds, dark fog", [((112, 48, 316), 180), ((-112, 48, 316), 0)]),
    "islanddm": ("a box of clouds, a sea of three stages with fog, vertex light", [((-1248, 576, 428), -90), ((1280, -208, 348), 0)]),
    "oacmpdm4": ("a sky that streams, seen through windows", [((1224, 64, -100), 180)]),
    "kaos2": ("lava with fog and turbulence, torches", [((64, 1056, 468), 90), ((-832, 256, 468), 315)]),
}


def means(rows):
    """Mean brightness of all bytes."""
    return sum(map(sum, rows)) / sum(map(len, rows))


def worst_tile(one, other):
    """The greatest mean difference of a square of the two pictures."""
    width, height, _ = one
    found = 0
    for top in range(0, height - TILE + 1, TILE):
        for left in range(0, width - TILE + 1, TILE):
            total = sum(abs(a - b) for y in range(top, top + TILE) for a, b in
                        zip(one[2][y][3 * left:3 * (left + TILE)], other[2][y][3 * left:3 * (left + TILE)]))
            found = max(found, total / (3 * TILE * TILE))
    return found


def rendered(s, bsp, seen, yaw, size, out):
    """The same view by `render`."""
    x, y, z, seconds = seen
    s.run("brushwork", "render", "--game", "quake3", "-fs_basepath", openarena.DATA, "-fs_game", "baseoa", "--size",
          f"{size[0]}x{size[1]}", "--samples", 8, "--exposure", 1, "--time", seconds, "--from", f"{x} {y} {z} 0 {yaw}", "--out",
          out, bsp).expect(0)


def file_pixels(path):
    with open(path, "rb") as file:
        return pictures.pixels(file.read())


@suite.case
def maps_look_as_in_the_engine(s, folder):
    engine_client.need()
    openarena.packs()
    found = {}
    for name, (_, views) in VIEWS.items():
        bsp = openarena.shipped(name, folder)
        check(bsp, f"OpenArena has no {name}")
        with engine_client.Client(name, os.path.join(folder, name)) as client:
            for number, (eye, yaw) in enumerate(views):
                theirs, ours = (os.path.join(folder, f"{name}_{number}_{who}.png") for who in ("engine", "render"))
                seen = client.picture(eye, yaw, theirs)
                rendered(s, bsp, seen, yaw, client.size, ours)
                a, b = file_pixels(theirs), file_pixels(ours)
                found[name, number] = (pictures.mean_difference(a, b), worst_tile(a, b), means(a[2]), means(b[2]))
    print("map          view  difference  worst tile  engine  render  (mean of 255)")
    for (name, number), (difference, tile, theirs, ours) in found.items():
        print(f"{name:12} {number:4} {difference:11.2f} {tile:11.2f} {theirs:7.1f} {ours:7.1f}")
    differences = [row[0] for row in found.values()]
    print(f"mean {sum(differences) / len(differences):.2f}, worst {max(differences):.2f}")
    check(all(row[2] > 5 for row in found.values()), "a view is black")
    check(sum(differences) / len(differences) <= MEAN, "too far from the engine")
    far = [key for key, row in found.items() if row[0] > min(VIEW, SHARE * row[2])]
    check(not far, f"too far from the engine: {far}")


suite.main()
