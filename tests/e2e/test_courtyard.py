#!/usr/bin/env python3
"""The courtyard: its generator writes what is there, the map compiles without a warning, all that it uses is packed,
and its first view is what it was composed for.

Over 2 s of CPU: it compiles a map with the light of an evening."""
import filecmp
import json
import os
import shutil
import subprocess
import sys

from e2e import Skip, Suite, check
from pictures import pixels

suite = Suite()

# Drawn in a moment; with BRUSHWORK_LONG=1 all are.
SOME = ("map", "planks", "shutter", "shrub", "clay", "lantern")


def files(folder):
    return sorted(os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names)


def python_with_numpy():
    """The Python of the tests need not be Debian's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if not subprocess.run([python, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode:
            return python
    raise Skip("no numpy")


@suite.case
def the_generator_writes_what_is_there(s, folder):
    python = python_with_numpy()
    only = () if os.environ.get("BRUSHWORK_LONG") else ("--only", *SOME)
    subprocess.run([python, s.map("courtyard/make"), "--bin", s.options.bin, "--out", folder, *only], check=True,
                   timeout=600)
    made = files(folder)
    check(len(made) > 25 and "courtyard.vmf" in made and "materials/courtyard/shrub.vtf" in made, made)
    _, differ, lost = filecmp.cmpfiles(folder, s.map("courtyard"), made, shallow=False)
    check(not differ and not lost, f"differ {differ}, not there {lost}")


def compiled(s, folder):
    """With a quarter of the luxels."""
    bsp, game = os.path.join(folder, "courtyard.bsp"), s.map("courtyard")
    done = s.run("brushwork", "build", s.map("courtyard/courtyard.vmf"), "-o", bsp, "-game", game, "--pack", "--preset", "fast",
                 "-textureshadows", "-luxelscale", "4", "--json", timeout=1200)
    return bsp, done.expect(0)


@suite.case
def the_map_compiles_and_has_what_it_needs(s, folder):
    bsp, done = compiled(s, folder)
    check(not [d for d in done.diagnostics if d["severity"] != "note"], done.err)
    other = os.path.join(folder, "game")  # without content
    os.mkdir(other)
    shutil.copy(s.map("courtyard/gameinfo.txt"), other)
    listed = s.run("brushwork", "pack", bsp, "--auto", "--dry-run", "--json", "-game", other).expect(0)
    found = json.loads(listed.out)["files"]
    packed = {f["name"] for f in found if f["status"] == "packed"}
    check(not [f for f in found if f["status"] in ("missing", "add")], found)
    missing = [f for f in files(s.map("courtyard/materials")) if "materials/" + f not in packed]
    check(not missing, f"not packed: {missing}")
    first_view(s, folder, bsp)


def first_view(s, folder, bsp):
    """No content but the packed files. Dark are less than a tenth, and the sky is up where it belongs."""
    picture = os.path.join(folder, "view.png")
    s.run("brushwork", "render", bsp, "-o", picture, "--size", "320x180", "--samples", "2", "--fov", "78").expect(0)
    with open(picture, "rb") as file:
        width, height, rows = pixels(file.read())
    luma = [sum(row[3 * x:3 * x + 3]) / 3 for row in rows for x in range(width)]
    mean, dark = sum(luma) / len(luma), sum(v < 24 for v in luma) / len(luma)
    print(f"mean {mean:.0f}, dark {dark:.3f}")
    check(95 < mean < 165 and dark < 0.10, f"mean {mean:.0f}, dark {dark:.3f}")
    top = [(row[3 * x], row[3 * x + 2]) for row in rows[:height // 4] for x in range(3 * width // 4)]
    blue, warm = (sum(sign * (b - r) > 8 for r, b in top) / len(top) for sign in (1, -1))
    print(f"blue {blue:.2f}, warm {warm:.2f}")
    check(blue > 0.05 and warm > 0.3, f"the sky: blue {blue:.2f}, warm {warm:.2f}")


suite.main()
