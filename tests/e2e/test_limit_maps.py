"""Maps at 0.99 and 1.1 of limits, for each target of Source. Compiles some eighty maps, half a minute in all."""
import json
import math
import os
import re

import limit_maps
import vmf_boxes
from e2e import Suite, check, write

suite = Suite()

# The maximum, and the number from which a map fails. What other targets have is in the row without a name.
EXPECTED = {
    "brushes": {None: (8192, 8192), "gmod": (8192, 65536), "strata": (131072, 131072)},
    "entities": {None: (8192, 8192), "css19": (4096, 8192), "portal2": (16384, 16384), "csgo": (16384, 16384),
                 "momentum": (16384, 16384)},
    "models": {None: (1024, 1024), "strata": (65536, 65536)},
    "cubemaps": {None: (1024, 1024), "strata": (16384, 16384)},
    "texdata": {None: (2048, 2048), "strata": None},  # its 16384 come after the normals and bytes of names of such a map
}
MOST = 20000  # a map with more takes minutes


def targets_of(s):
    text = " ".join(s.run("vbsp", "--help", "all").out.decode().split())
    names = re.search(r"engine branch to compile for.*?\(one of ([^)]*)\)", text).group(1).split(", ")
    return names[:names.index("quake3")]


def compile_with(s, folder, target, limit, count):
    source = write(os.path.join(folder, f"{limit}{count}.vmf"),
                   limit_maps.source_with(getattr(limit_maps, limit), count))
    ours = os.path.join(folder, "map.bsp")
    if os.path.exists(ours):
        os.remove(ours)
    return ours, s.run("vbsp", source, "-o", ours, "--target", target, "-threads", "1", "--report", "--json")


def told(done, code, limit):
    return [d for d in done.diagnostics if d["code"] == code and d["message"].startswith(limit + ":")]


def has_place(message):
    return "entity" in message or "materials in " in message["message"]


def percent(count, maximum):
    return f"{100 * count / maximum:.1f} %"


def try_below(s, folder, target, limit, maximum):
    count = maximum * 99 // 100
    ours, done = compile_with(s, folder, target, limit, count)
    done.expect(0)
    check((done.limits[limit]["used"], done.limits[limit]["maximum"]) == (count, maximum), done.limits[limit])
    check(not told(done, "B010", limit), done)
    s.run("brushwork", "verify", "--target", target, ours).expect(0)
    return done


def try_above(s, folder, target, limit, maximum, most):
    count = (maximum * 11 + 9) // 10
    ours, done = compile_with(s, folder, target, limit, count)
    written = count <= most
    done.expect(0 if written else 1)
    message = told(done, "B010", limit)[0]
    check(message["severity"] == ("warning" if written else "error"), message)
    check(f"{count} of {maximum} ({percent(count, maximum)}) of {target}, {count - maximum} too many" in message["message"], message)
    check(has_place(message) and "largest contributors: " in message["message"], message)
    check(os.path.exists(ours) == written, f"{target}: {limit}")
    if not written:
        return
    s.run("brushwork", "verify", "--target", target, ours).expect(0)
    info = s.run("brushwork", "info", "--target", target, ours).expect(0).out.decode()
    check(re.search(rf"\n{limit} +{count} +{maximum} +{percent(count, maximum)}  exceeded\n", info), info)


def a_limit(limit):
    def case(s, folder):
        for target in targets_of(s):
            expected = EXPECTED[limit].get(target, EXPECTED[limit][None])
            if not expected or expected[0] > MOST:
                continue
            maximum, most = expected
            done = try_below(s, folder, target, limit, maximum)
            near = told(done, "B510", limit)
            check(len(near) == (maximum == most), done)
            check(not near or has_place(near[0]), near)
            try_above(s, folder, target, limit, maximum, most)
    return case


for name in EXPECTED:
    suite.add(f"{name}_by_target", a_limit(name))


@suite.case
def a_file_does_not_tell_its_branch(s, folder):
    """Without a target verify says who takes it, with one it is strict, and the stages go on."""
    ours, done = compile_with(s, folder, "gmod", "brushes", 9000)
    done.expect(0)
    done = s.run("brushwork", "verify", "--json", ours).expect(0)
    check("which gmod takes" in done.find("B010")["message"], done)
    done = s.run("brushwork", "verify", "--json", "--target", "sdk2013", ours).expect(1)
    check(done.find("B010")["severity"] == "error", done)
    done = s.run("brushwork", "verify", "--json", "--target", "csgo", ours).expect(1)
    check("the file is VBSP 20, but maps of csgo are VBSP 21" in done.find("B008")["message"], done)
    s.run("vrad", "-ldr", "-fast", "-bounce", "0", ours).expect(0)


@suite.case
def the_weakest_lights_are_left_out(s, folder):
    """Of a branch that takes as many entities."""
    for count in (8110, 9011):
        source = write(os.path.join(folder, "map.vmf"), limit_maps.source_with(limit_maps.lights, count))
        ours = os.path.join(folder, "map.bsp")
        done = s.run("brushwork", "build", source, "-o", ours, "--target", "csgo", "-fast", "-ldr", "-bounce", "0",
                     "--json").expect(0)
        left = [d["message"] for d in done.diagnostics if d["code"] == "B511"]
        check(left == ([f"worldlights: {count} of 8192; the weakest {count - 8192} are left out"] if count > 8192
                       else []), left)
        s.run("brushwork", "verify", ours).expect(0)
        info = s.run("brushwork", "info", ours).out.decode()
        check(re.search(rf"\nworldlights +{min(count, 8192)} +8192 ", info), info)


@suite.case
def no_map_of_others_is_over_a_limit(s, folder):
    """A number that maps have which games play is no maximum."""
    over, found = [], 0
    for top, _, names in os.walk(s.corpus()):
        for name in sorted(names):
            if not name.endswith(".bsp"):
                continue
            path = os.path.join(top, name)
            done = s.run("brushwork", "info", "--json", path)
            if done.status != 0:  # versions that are only told
                continue
            found += 1
            over += [(name, row) for row in json.loads(done.out).get("limits", []) if row["used"] > row["maximum"]]
    check(found > 50 and not over, (found, over))


def ball(rows):
    """A solid of 2 + 8 * rows sides, whose slanted edges all have bevels."""
    def point(angle, row):
        turn, rise = math.pi * angle / 4, math.pi * (row + .5) / (rows + 1)
        return 200 * math.sin(rise) * math.cos(turn), 200 * math.sin(rise) * math.sin(turn), 256 - 200 * math.cos(rise)
    caps = [[point(a, 0) for a in (0, 1, 2)], [point(a, rows) for a in (2, 1, 0)]]
    around = [[point(a, row), point(a, row + 1), point(a + 1, row + 1)] for a in range(8) for row in range(rows)]
    return "solid\n{\n" + "".join(vmf_boxes.side(points, 16, "dev/dev_measuregeneric01") for points in caps + around) + "}\n"


@suite.case
def bevels_are_no_sides_of_a_solid(s, folder):
    """A solid of 66 sides has more than 128 with its bevels; 138 are too many without them."""
    for rows, status in ((8, 0), (17, 1)):
        source = write(os.path.join(folder, "map.vmf"), vmf_boxes.room(512, 512, ball(rows)))
        done = s.run("vbsp", "--json", "--report", source).expect(status)
        check(done.limits["sides of a brush"]["used"] == 2 + 8 * rows, done.limits["sides of a brush"])
        check(bool(told(done, "B010", "sides of a brush")) == bool(status), done)
        if not status:
            ours = os.path.join(folder, "map.bsp")
            s.run("brushwork", "verify", ours).expect(0)
            told_by_info = json.loads(s.run("brushwork", "info", "--json", ours).expect(0).out)["limits"]
            check([row["used"] for row in told_by_info if row["name"] == "sides of a brush"] == [66], told_by_info)


if __name__ == "__main__":
    suite.main()
