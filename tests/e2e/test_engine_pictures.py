#!/usr/bin/env python3
"""Small maps for Quake 3 in the real engine, beside those of q3map2: Debian's ioquake3 client with OpenArena's data."""
import os
import subprocess

import engine_client
import openarena
import pictures
from e2e import Suite, check, read

suite = Suite()

MEAN = 8  # of 255: limit of the mean difference of the pictures of a map
VIEW = 16  # the same of one picture

# Map -> x y z yaw
VIEWS = {"ase_normals": ("-470 -220 110 25", "0 -200 60 60"), "lamp_patch": ("-470 -220 110 25", "300 -200 150 155"),
         "lamp_strip": ("-470 -220 110 25",)}


def screenshot(s, bsp, view, picture):
    """A picture by the engine, of what it finds in the cases."""
    cases = s.corpus("cases", "quake3")
    command = ["sh", s.tool("oa_check.sh"), "client", "-n", "probe", "-a", os.path.join(cases, "baseq3"), "-a",
               os.path.join(cases, "ase", "baseoa"), "-v", view, "-s", "512x384", bsp, picture]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=600)
    check(done.returncode == 0, done.stdout.decode(errors="replace")[-3000:])
    return pictures.pixels(read(picture))


@suite.case
def light_is_that_of_q3map2(s, folder):
    """Lamps of an area and of a curve, and a model whose normals contradict its triangles."""
    engine_client.need()
    openarena.packs()
    cases = s.corpus("cases", "quake3")
    game = ["-game", "quake3", "-fs_basepath", openarena.DATA, "-fs_basepath", cases, "-fs_basepath",
            os.path.join(cases, "ase"), "-fs_game", "baseoa"]
    far = []
    for name, views in VIEWS.items():
        ours = os.path.join(folder, name + ".bsp")
        s.run("vbsp", *game, "-o", ours, os.path.join(cases, name + ".map")).expect(0)
        s.run("vvis", *game, ours).expect(0)
        s.run("vrad", *game, "-fast", "-samples", 2, "-bounce", 2, ours).expect(0)
        found = []
        for view in views:
            a, b = (screenshot(s, bsp, view, os.path.join(folder, "view.png"))
                    for bsp in (ours, os.path.join(cases, name + ".ref.bsp")))
            check(pictures.spread(a[2]) > 40 and pictures.spread(b[2]) > 40, f"{name} is dark")
            found.append(pictures.mean_difference(a, b))
            print(f"{name} from {view}: {found[-1]:.2f} of 255")
        if max(found) > VIEW or sum(found) / len(found) > MEAN:
            far.append(name)
    check(not far, f"too far from the reference: {far}")


suite.main()
