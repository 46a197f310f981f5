#!/usr/bin/env python3
"""Our compiles of real maps beside Valve's: sound by the independent checkers, and as alike as the
table says. A score may rise at will; one that falls below its row is a defect.

With --table the scores are printed as the tables of docs/measurements/fidelity.md instead."""
import atexit
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile

import corpus_pairs
import standin
from e2e import Suite, check

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fidelity.tsv")

# Ratios of two counts, or fractions of the models, instead of scores of the comparison.
COUNTS = ["nodes", "leafs", "clusters"]
SHARES = {"solids": "same number of solids", "hulls": "same number of hulls",
          "volumes": "same volume (0.1 %)"}
# At points of the reference's drawn faces: what is equal in all, and in its material.
LOOKS = ["same", "material"]
LOOK_POINTS = "20000" if "--table" in sys.argv else "4000"
SECTIONS = ["entities", "brushes", "models", "faces", "texdata", "texinfo vectors", "tree", "pvs",
            "areas", "water", "cubemaps", "overlays", "static props", "detail props", "occluders",
            "displacements"]
# Sections that a reference cannot tell of: it was made without physics, models, or materials that
# vbsp itself makes.
UNTOLD = {"mid": {"water"}, "big": {"water"}, "ents": {"static props", "detail props"}}
MODELS = {"s04": "ricochet_game", "s07": "ricochet_game"}

as_table = "--table" in sys.argv
if as_table:
    sys.argv.remove("--table")
suite = Suite()


def rows():
    """(map, stages, options, {column: least score}) from the table."""
    with open(TABLE, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    head = lines[0]
    for line in lines[1:]:
        least = {name: float(cell) for name, cell in zip(head[3:], line[3:]) if cell != "-"}
        yield line[0], line[1], line[2].split(), least


def overlaid_game(s, folder):
    """The game of the generated maps with what the small reference maps need besides."""
    shutil.copytree(s.corpus("generated", "game"), folder, copy_function=shutil.copyfile)
    shutil.copytree(s.corpus("refs", "game_extra"), folder, copy_function=shutil.copyfile,
                    dirs_exist_ok=True)
    return folder


def pair(s, folder, name, stands_in):
    """Source, reference and options of a map of the corpus."""
    game = os.path.join(folder, "game")
    path, group = corpus_pairs.stem(s, name), corpus_pairs.own(s, name)
    if group == "generated":
        return path + ".vmf", path + ".bsp", ["--game", s.corpus("generated", "game")]
    if group == "refs":
        return path + ".vmf", path + ".bsp", ["--game", overlaid_game(s, game)]
    options = ["--texdata", path + ".texdata.tsv"]
    if stands_in:
        os.makedirs(game)
        models = s.corpus("assets", MODELS[name]) if name in MODELS else None
        standin.make_game(game, path + ".vmf", path + ".bsp", path + ".texdata.tsv",
                          s.corpus("assets", "scripts", "surfaceproperties.txt"), models)
        options += ["--game", game]
    return path + ".vmf", path + ".bsp", options


@functools.cache
def oracle(s):
    """The PVS oracle, compiled."""
    folder = tempfile.mkdtemp(prefix="brushwork-e2e-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    program = os.path.join(folder, "pvs_oracle")
    subprocess.run(["cc", "-O2", "-std=c99", s.tool("pvs_oracle.c"), "-o", program, "-lm"],
                   check=True)
    return program


def tool(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          timeout=600)
    check(done.returncode == 0, done.stdout.decode(errors="replace")[-3000:])
    return done.stdout


@functools.cache
def numpy_python():
    """A Python that has numpy; None without one."""
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False)
        if done.returncode == 0:
            return python
    return None


def look_scores(s, reference, ours):
    """Column -> score of what a player sees at the same place; empty without numpy or faces."""
    python = numpy_python()
    text = tool(python, s.tool("vbsp_face_at.py"), reference, ours, "--json",
                "--points", LOOK_POINTS) if python else b""
    return {column: json.loads(text)["score"][column] for column in LOOKS if text[:1] == b"{"}


def portal_count(path):
    """Of a .prt; None without one."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="latin-1") as file:
        return int(file.read(64).split()[2])


def scores_of(s, name, reference, ours, with_looks=True):
    """Column -> score; and the counts of both, for the table. Looks take the longest."""
    text = tool(sys.executable, s.tool("bsp_compare.py"), reference, ours, "--json")
    report = json.loads(text)
    scores = {section["name"]: section["score"] for section in report["sections"]}
    scores["score"] = report["score"]
    figures = {section["name"]: section["figures"] for section in report["sections"]}
    counts = {column: figures["tree"][column] for column in COUNTS}
    physics = figures.get("physcollide", {})
    for column, figure in SHARES.items():
        if physics.get("models in both"):
            scores[column] = physics[figure] / physics["models in both"]
    portals = [portal_count(path[:-3] + "prt") for path in (reference, ours)]
    if None not in portals:
        counts["portals"] = [*portals, min(portals) / max(portals)]
    scores.update((column, count[2]) for column, count in counts.items())
    if with_looks:
        scores.update(look_scores(s, reference, ours))
    for section in UNTOLD.get(name, ()):
        scores.pop(section, None)
    return scores, counts


def compare(s, name, reference, ours, least):
    with_looks = any(column in least for column in LOOKS)
    scores, _ = scores_of(s, name, reference, ours, with_looks)
    print("  ".join(f"{k} {v:.3f}" for k, v in scores.items() if v is not None))
    if with_looks and "same" not in scores:
        print("without python3-numpy: faces are not compared by points")
        least = {column: bound for column, bound in least.items() if column not in LOOKS}
    low = [f"{column} {scores.get(column)} < {bound}" for column, bound in least.items()
           if scores.get(column) is None or scores[column] < bound]
    check(not low, "; ".join(low))


def build(s, folder, name, options):
    """All three stages; the reference and ours."""
    source, reference, content = pair(s, folder, name, False)
    ours = os.path.join(folder, "map.bsp")
    s.run("brushwork", "build", source, "-o", ours, *options, *content).expect(0)
    s.run("brushwork", "verify", ours).expect(0)
    tool(sys.executable, s.tool("vbsp_leafbrush_check.py"), ours)
    tool(oracle(s), os.path.join(folder, "map.prt"), ours, "200000", "1")
    return reference, ours


def compile_map(s, folder, name, stages, options):
    """vbsp, and vvis unless the stages are vbsp alone; the reference and ours."""
    source, reference, content = pair(s, folder, name, True)
    ours = os.path.join(folder, "map.bsp")
    done = s.run("vbsp", source, "-o", ours, "-threads", "1", *options, *content)
    check(done.status in (0, 3), str(done))
    if stages != "vbsp":
        fast = ["-fast"] if stages == "vvis-fast" else []
        s.run("vvis", *fast, ours).expect(0)
    s.run("brushwork", "verify", ours).expect(0)
    return reference, ours


def fidelity(name, stages, options, least):
    def case(s, folder):
        made = build(s, folder, name, options) if stages == "build" else \
            compile_map(s, folder, name, stages, options)
        compare(s, name, *made, least)

    suite.add(name if stages == "build" else f"{name}_{stages}", case)


def shown(value):
    return "" if value is None else f"{value:.3f}".rstrip("0").rstrip(".")


def counted(pair_of_counts):
    return "" if not pair_of_counts else f"{pair_of_counts[1]} / {pair_of_counts[0]}"


def print_table(lines, columns, cell):
    print("\n| map | " + " | ".join(columns) + " |")
    print("|" + "---|" * (len(columns) + 1))
    for name, result in lines.items():
        if result:
            print(f"| {name} | " + " | ".join(cell(result, c) for c in columns) + " |")


def print_tables():
    columns = SECTIONS + list(SHARES) + LOOKS
    heads = COUNTS + ["portals"]
    lines = {}
    for name, stages, options, _ in rows():
        if stages == "build":
            continue
        result = []

        def case(s, folder, name=name, stages=stages, options=options, result=result):
            result.extend(scores_of(s, name, *compile_map(s, folder, name, stages, options)))

        suite.cases = [(name, case)]
        check(not suite.run_case(*suite.cases[0]), f"{name} failed")
        lines[name] = result
    print_table(lines, columns, lambda result, column: shown(result[0].get(column)))
    print_table(lines, heads, lambda result, column: counted(result[1].get(column)))


if as_table:
    print_tables()
    sys.exit(0)
for row in rows():
    fidelity(*row)
suite.main()
