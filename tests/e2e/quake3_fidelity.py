"""Our compiles of maps for Quake 3 beside those of q3map2, for the tests of quake3_fidelity.tsv:
sound by the checkers, and at least as alike as the row of the table says.

A script that has sets of that table is run as a test, or with
  --update  to measure again: the rows get the scores of today, less the margins below, and the
            table in docs/measurements/quake3.md those scores;
  --table   to print the table of docs/measurements/quake3.md."""
import json
import math
import os
import re
import subprocess
import sys

import openarena
from e2e import check, read, write
from ibsp_rules import engine_rules

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "quake3_fidelity.tsv")

# The margin of each section of the comparison: what a score may lose to a change that is none.
GEOMETRY = {"contents": 0.0005, "contents kinds": 0.0005, "ray hit": 0.001, "ray shader": 0.001,
            "ray st": 0.001, "clampmap": 0, "t-junctions": 0.0005, "fogs": 0.001, "vis": 0.003}
LIGHT = {"light": 0.01, "shader light": 0.01, "ray light": 0.01, "vertex": 0.01, "grid": 0.01,
         "level": 0.01}
SHORT = {"contents kinds": "kinds", "ray hit": "hit", "ray shader": "shader", "ray st": "st"}


def taken(name):
    """Removes an option that the suite does not know; True if it was there."""
    if name not in sys.argv:
        return False
    sys.argv.remove(name)
    return True


class Row:
    """A map of the table. Its stages are `all` or `geometry`; those that `vbsp` has to refuse have
    the code of the error there."""

    def __init__(self, group, name, stages, bounds):
        self.group, self.name, self.stages, self.bounds = group, name, stages, bounds

    @property
    def sections(self):
        return {**GEOMETRY, **(LIGHT if self.stages == "all" else {})}


def read_table():
    """(comment lines, rows)"""
    with open(TABLE, encoding="utf-8") as file:
        lines = file.read().splitlines()
    comments = [line for line in lines if line.startswith("#")]
    cells = [line.split("\t") for line in lines if not line.startswith("#")]
    rows = []
    for line in cells[1:]:
        bounds = {key: float(cell) for key, cell in zip(cells[0][3:], line[3:]) if cell != "-"}
        rows.append(Row(*line[:3], bounds))
    return comments, rows


def write_table(comments, rows):
    columns = [*GEOMETRY, *LIGHT]
    lines = [*comments, "\t".join(["set", "map", "stages", *columns])]
    for row in rows:
        cells = [f"{row.bounds[key]:.4f}" if key in row.bounds else "-" for key in columns]
        lines.append("\t".join([row.group, row.name, row.stages, *cells]))
    write(TABLE, "\n".join(lines) + "\n")


def place_of(s, row, folder):
    """Source, reference, options that name the game, and the scripts of its shaders."""
    if row.group == "cases":
        cases = s.corpus("cases", "quake3")
        path = s.corpus("cases", "quake3", row.name + ".map")[:-4]
        game = ["-game", "quake3", "-fs_basepath", cases, "-fs_basepath", os.path.join(cases, "ase"), "-fs_game", "baseoa"]
        return path + ".map", path + ".ref.bsp", game, [os.path.join(cases, "baseq3")]
    packs = openarena.packs()
    if row.group == "corpus":
        path = s.corpus("q3maps", row.name + ".map")[:-4]
        return path + ".map", path + ".ref.bsp", ["-game", "openarena"], packs
    source = openarena.map_sources(folder).get(row.name)
    reference = openarena.shipped(row.name, folder)
    check(source and reference, f"{row.name} is not in the packs")
    return source, reference, ["-game", "openarena"], packs


def compile_map(s, row, source, game, folder):
    """The path of the BSP."""
    bsp = os.path.join(folder, "ours.bsp")
    s.run("vbsp", *game, "-o", bsp, source).expect(0)
    s.run("vvis", *game, bsp).expect(0)
    if row.stages == "all":
        s.run("vrad", *game, "-fast", "-samples", 2, "-bounce", 2, bsp).expect(0)
    s.run("brushwork", "verify", bsp).expect(0)
    engine_rules(s, bsp)
    return bsp


def levels(report):
    """Shader -> mean light of ours by that of the reference. 1 of 255 is added to both: below that
    a ratio says nothing."""
    return {row["name"]: (row["light_cand"] + 1) / (row["light_ref"] + 1)
            for row in report["shaders"] if None not in (row["light_ref"], row["light_cand"])}


def worst_level(report):
    """(shader, level) of the level farthest from 1; None without any."""
    return max(levels(report).items(), key=lambda item: abs(math.log(item[1])), default=None)


def scores_of(s, row, folder):
    """Section -> score, for those that both files can tell of; and the worst level."""
    source, reference, game, scripts = place_of(s, row, folder)
    ours = compile_map(s, row, source, game, folder)
    command = [sys.executable, s.tool("q3_compare.py"), reference, ours, "--json"]
    for place in scripts:
        command += ["--shaders", place]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          timeout=900)
    check(done.returncode == 0, done.stdout.decode(errors="replace")[-3000:])
    report = json.loads(done.stdout)
    scores = {one["name"]: one["score"] for one in report["sections"]
              if one["name"] in row.sections and one["score"] is not None}
    worst = worst_level(report)
    if worst and row.stages == "all":
        scores["level"] = min(worst[1], 1 / worst[1])
    return scores, worst


def must_be_refused(s, row, folder):
    source, _, game, _ = place_of(s, row, folder)
    done = s.run("vbsp", *game, "-o", os.path.join(folder, "ours.bsp"), source, "--json").expect(1)
    check(row.stages in done.codes(), f"no {row.stages} from {done}")


def case_of(row):
    def case(s, folder):
        if row.stages not in ("all", "geometry"):
            must_be_refused(s, row, folder)
            return
        scores, worst = scores_of(s, row, folder)
        print("  ".join(f"{key} {value:.4f}" for key, value in scores.items()))
        if worst and row.stages == "all":
            print(f"worst level: {worst[0]} {worst[1]:.3f}")
        low = [f"{key} {scores.get(key)} < {bound}" for key, bound in row.bounds.items()
               if scores.get(key, -1) < bound]
        check(not low, "; ".join(low))

    return case


def every_case_has_a_row(rows):
    """Those that have a reference."""
    def case(s, _):
        names = {name[:-8] for name in os.listdir(s.corpus("cases", "quake3"))
                 if name.endswith(".ref.bsp")}
        lacking = names - {row.name for row in rows}
        check(not lacking, f"without a row in {TABLE}: {' '.join(sorted(lacking))}")

    return case


# --- measuring ---

def measure(suite, rows):
    """Row -> (scores, worst level), without those that are skipped here or refused."""
    found = {}
    for row in rows:
        if row.stages not in ("all", "geometry"):
            continue

        def case(s, folder, row=row):
            found[row] = scores_of(s, row, folder)

        check(not suite.run_case(row.name, case), f"{row.name} failed")
    return found


def bounds_of(row, scores):
    """Rounded down, so that the score of today is never below. A section that the row leaves out stays
    out; a row without any bound, as one added by hand, gets them all."""
    return {key: max(0, math.floor((value - row.sections[key]) * 1e4 + 1e-6) / 1e4)
            for key, value in scores.items() if not row.bounds or key in row.bounds}


def shown(key, scores, worst):
    if key not in scores:
        return ""
    if key == "level":
        return f"{worst[1]:.2f} {worst[0].split('/')[-1]}"
    return f"{math.floor(scores[key] * 1e4 + 1e-6) / 1e4:.4f}".rstrip("0").rstrip(".")


def markdown(found):
    columns = [key for key in (*GEOMETRY, *LIGHT)
               if any(key in scores for scores, _ in found.values())]
    lines = ["| map | " + " | ".join(SHORT.get(key, key) for key in columns) + " |",
             "|" + "---|" * (len(columns) + 1)]
    for row, (scores, worst) in found.items():
        cells = [shown(key, scores, worst) for key in columns]
        lines.append(f"| {row.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def put_into_docs(source, mark, table):
    """Replaces what is between the marks of the table."""
    path = os.path.join(source, "docs", "measurements", "quake3.md")
    page = read(path).decode()
    begin, end = f"<!-- table: {mark} -->", f"<!-- end of table: {mark} -->"
    check(begin in page and end in page, f"no {begin} in {path}")
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    write(path, re.sub(pattern, lambda _: f"{begin}\n{table}\n{end}", page, flags=re.DOTALL))


def main(make_suite, groups, mark):
    """Runs the sets of the table. `make_suite` makes the suite once the options are read that it does
    not know; `mark` names the table in docs/measurements/quake3.md."""
    update, as_table = taken("--update"), taken("--table")
    suite = make_suite()
    comments, rows = read_table()
    ours = [row for row in rows if row.group in groups]
    if not update and not as_table:
        for row in ours:
            suite.add(row.name, case_of(row))
        if "cases" in groups:
            suite.add("every_case_has_a_row", every_case_has_a_row(ours))
        suite.main()
    only = suite.options.only
    found = measure(suite, [row for row in ours if not only or only in row.name])
    if update:
        for row, (scores, _) in found.items():
            row.bounds = bounds_of(row, scores)
        write_table(comments, rows)
    if update and not only:
        put_into_docs(suite.options.source, mark, markdown(found))
    else:
        print("\n" + markdown(found))
