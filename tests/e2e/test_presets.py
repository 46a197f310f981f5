#!/usr/bin/env python3
"""brushwork build --preset: what each of them costs, and how near its picture is to that of the default."""
import json
import os

from e2e import Suite, check

suite = Suite()

VIEWS = ("700 140 200 12 35", "128 512 100 0 0")


def rays(done):
    """All rays that vrad has traced."""
    light = next(stage for stage in done.result["stages"] if stage["name"] == "vrad")
    return sum(count for name, count in light["counters"].items() if "rays" in name)


def psnr(s, folder, a, b, view):
    done = s.run("brushwork", "render", "--compare", a, b, "--from", view, "-o", os.path.join(folder, "pair.png"), "--size", "160x90",
                 "--samples", "4", "--json")
    return json.loads(done.expect(0).out)["psnr"]


@suite.case
def a_preview_takes_fewer_rays_and_shows_the_same(s, folder):
    """Light of the atrium: four builds of it, a second of CPU time."""
    made, cost = {}, {}
    for preset in ("preview", "fast", "normal"):
        made[preset] = os.path.join(folder, preset + ".bsp")
        done = s.run("brushwork", "build", s.map("atrium.vmf"), "--preset", preset, "-o", made[preset], "--json")
        cost[preset] = rays(done.expect(0))
    check(cost["preview"] < 0.6 * cost["fast"] < 0.6 * cost["normal"], cost)
    for view in VIEWS:
        found = psnr(s, folder, made["normal"], made["preview"], view)
        check(35 < found < 60, (view, found))
    with_options = os.path.join(folder, "options.bsp")
    s.run("vbsp", s.map("atrium.vmf"), "-o", with_options).expect(0)
    s.run("vvis", "-fast", with_options).expect(0)
    s.run("vrad", "--preview", with_options).expect(0)
    with open(with_options, "rb") as one, open(made["preview"], "rb") as other:
        check(one.read() == other.read(), "the programs one by one have made another map")


suite.main()
