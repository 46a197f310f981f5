#!/usr/bin/env python3
"""brushwork diff from the command line: compiles of one map compared with each other, the report on each
change, and the exit status."""
import json
import os
import re
import subprocess

from e2e import Skip, Suite, check, read, write

suite = Suite()


def own(s):
    return os.path.join(s.options.source, "tests", "fuzz", "seeds", "bsp", "portal.bsp")


def build(s, folder, name, source, *options):
    """Compiles a source text and returns the path of the BSP."""
    path = write(os.path.join(folder, name + ".vmf"), source)
    bsp = os.path.join(folder, name + ".bsp")
    s.run("brushwork", "build", path, "-o", bsp, "--quiet", *options).expect(0)
    return bsp


def atrium(s):
    return read(s.map("atrium.vmf")).decode()


def diff(s, a, b, *options):
    """Returns the report, after comparing its "same" with the exit status."""
    done = s.run("brushwork", "diff", "--json", a, b, *options)
    check(done.status in (0, 1), done)
    report = json.loads(done.out)
    check(report["same"] == (done.status == 0), done)
    return report


def differing(report):
    return {x["name"]: x for x in report["sections"] if x["differing"]}


@suite.case
def threads_make_no_difference(s, folder):
    a = build(s, folder, "a", atrium(s), "--threads", "1")
    b = build(s, folder, "b", atrium(s), "--threads", "2")
    report = diff(s, a, b)
    check(report["same"], differing(report))
    check(all(not x["examples"] and x["a"] == x["b"] for x in report["sections"]), report)


@suite.case
def a_lighting_option_changes_only_lighting(s, folder):
    a = build(s, folder, "a", atrium(s))
    b = build(s, folder, "b", atrium(s), "-bounce", "0")
    found = differing(diff(s, a, b))
    check(set(found) == {"lightmaps", "ambient"}, set(found))
    figures = found["lightmaps"]["metrics"]
    check(figures["mean_log2"] < 0 < figures["rms_log2"], figures)
    check(figures["luxels_differing"] > 1000, figures)
    check(len(found["lightmaps"]["examples"]) == 10, found["lightmaps"])


@suite.case
def a_visibility_option_changes_visibility(s, folder):
    a = build(s, folder, "a", atrium(s))
    b = build(s, folder, "b", atrium(s), "-radius_override", "600")
    found = differing(diff(s, a, b, "--only", "pvs,pas,faces,tree"))
    check(set(found) <= {"pvs", "pas"} and "pvs" in found, set(found))
    figures = found["pvs"]["metrics"]
    check(figures.get("pairs_only_in_a", 0) > 0 and "pairs_only_in_b" not in figures, figures)


@suite.case
def a_moved_light_is_reported_by_position(s, folder):
    text = atrium(s)
    a = build(s, folder, "a", text)
    b = build(s, folder, "b", text.replace('"origin" "1472 64 96"', '"origin" "1472 64 112"'))
    found = differing(diff(s, a, b))
    check({"entities", "worldlights", "lightmaps"} <= set(found), set(found))
    check(not {"brushes", "faces", "tree", "pvs", "models"} & set(found), set(found))
    check(found["entities"]["metrics"] == {"changed": 1, "keys_changed": 1}, found["entities"])
    check("1472 64 96" in found["entities"]["examples"][0], found["entities"])
    check(found["worldlights"]["metrics"] == {"only_in_a": 1, "only_in_b": 1},
          found["worldlights"])


def moved(text, up):
    """Moves the first detail entity up, and returns the number of its brushes."""
    at = text.index('"classname" "func_detail"')
    start = text.rindex("\nentity", 0, at)
    end = text.index("\nentity", at)
    block = text[start:end]

    def lift(match):
        x, y, z = match.group(1).split()
        return f"({x} {y} {float(z) + up:g})"

    lines = [re.sub(r"\(([^()]*)\)", lift, line) if '"plane"' in line else line
             for line in block.split("\n")]
    return text[:start] + "\n".join(lines) + text[end:], block.count("\tsolid\n")


@suite.case
def moved_brushes_are_reported_by_position(s, folder):
    text = atrium(s)
    other, solids = moved(text, 2)
    a = build(s, folder, "a", text)
    b = build(s, folder, "b", other)
    found = differing(diff(s, a, b))
    check(found["brushes"]["metrics"] == {"only_in_a": solids, "only_in_b": solids},
          (solids, found["brushes"]))
    check("faces" in found and "entities" not in found, set(found))
    check(" from " in found["brushes"]["examples"][0], found["brushes"])


@suite.case
def another_material_is_reported(s, folder):
    text = atrium(s)
    a = build(s, folder, "a", text)
    b = build(s, folder, "b", text.replace("DEV/DEV_MEASUREGENERIC01RED",
                                           "DEV/DEV_MEASUREGENERIC01BLU"))
    found = differing(diff(s, a, b))
    check({"brushes", "faces", "materials"} <= set(found), set(found))
    check(found["brushes"]["metrics"] == {"changed": 1, "sides": 1}, found["brushes"])
    check(found["faces"]["metrics"]["different_material"] >= 1, found["faces"])
    check("tree" not in found and "pvs" not in found, set(found))


@suite.case
def order_in_the_source_makes_no_difference(s, folder):
    text = atrium(s)
    parts = text.split("\nentity\n")
    lights = [i for i, part in enumerate(parts) if '"classname" "light"' in part]
    check(len(lights) > 3 and lights[-1] < len(parts) - 1, lights)
    turned = list(parts)
    for i, k in zip(lights, reversed(lights)):
        turned[i] = parts[k]
    a = build(s, folder, "a", text)
    b = build(s, folder, "b", "\nentity\n".join(turned))
    check(read(a) != read(b), "the bytes differ")
    report = diff(s, a, b)
    check(report["same"], differing(report))


@suite.case
def text_has_a_table_and_examples(s, folder):
    other = bytearray(read(own(s)))
    at = other.index(b'"origin" "') + 10
    other[at] = ord("9" if other[at] != ord("9") else "8")
    b = write(os.path.join(folder, "b.bsp"), bytes(other))
    text = s.run("brushwork", "diff", own(s), b).expect(1).out.decode()
    row = next(line for line in text.split("\n") if line.startswith("entities "))
    check(row.split()[:4] == ["entities", "43", "43", "1"] and "keys changed 1" in row, row)
    check("\nentities\n  " in text and text.endswith("\ndifferent\n"), text)
    short = s.run("brushwork", "diff", "--summary", own(s), b).expect(1).out.decode()
    check("\nentities\n  " not in short and row in short, short)
    only = s.run("brushwork", "diff", "--only", "brushes,faces", own(s), b).expect(0).out.decode()
    check("\nentities" not in only and "brushes" in only and "the same" in only, only)


@suite.case
def errors_are_not_differences(s, folder):
    text = write(os.path.join(folder, "text.bsp"), "world\n{\n}\n")
    for a, b, code in ((own(s), text, "B001"), (text, own(s), "B001"),
                       (own(s), os.path.join(folder, "none.bsp"), "C001")):
        done = s.run("brushwork", "diff", "--json", a, b).expect(2)
        check(code in done.codes() and not done.out, done)
    s.run("brushwork", "diff", own(s)).expect(2)
    s.run("brushwork", "diff", own(s), own(s), own(s)).expect(2)
    s.run("brushwork", "diff", "--frobnicate", own(s), own(s)).expect(2)
    done = s.run("brushwork", "diff", "--only", "facse", own(s), own(s)).expect(2)
    check("'faces'" in done.err, done)


@suite.case
def standard_input_is_a_file(s, _):
    s.run("brushwork", "diff", "-", own(s), stdin=read(own(s))).expect(0)


@suite.case
def help_shows_the_exit_statuses_of_diff(s, _):
    for option in ("--help", "--man"):
        text = s.run("brushwork", "diff", option).expect(0).out
        check(b"0 the same; 1 different; 2 invalid" in text and b"0 done" not in text, text)


@suite.case
def full_disk_is_an_error(s, _):
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([os.path.join(s.options.bin, "brushwork"), "diff", own(s), own(s)],
                              stdout=full, stderr=subprocess.PIPE, timeout=600, check=False)
    check(done.returncode == 2 and b"C002" in done.stderr, done)


@suite.case
def our_compile_of_a_room_matches_its_author_s(s, folder):
    reference = s.corpus("vmf", "t01_box_hdr", "testmap.bsp")
    stem = reference[:-4]
    ours = os.path.join(folder, "testmap.bsp")
    s.run("brushwork", "build", stem + ".vmf", "-o", ours, "--quiet", "--texdata",
          stem + ".texdata.tsv").expect(0)
    report = diff(s, reference, ours)
    found = differing(report)
    same = {"entities", "brushes", "models", "faces", "face-records", "materials", "texinfo",
            "tree", "leaves", "pvs", "pas", "areas", "worldlights"}
    check(not same & set(found), same & set(found))
    check(found["lightmaps"]["metrics"]["rms_log2"] < 0.1, found["lightmaps"])


suite.main()
