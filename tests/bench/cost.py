#!/usr/bin/env python3
"""What builds take, measured, against what `brushwork info --cost` estimates; and the fit of its model.

    cost.py [--bin DIR] [--corpus DIR] [--results DIR] [--table | --held-out] [--preset NAME] [MAP...]

Without MAP: maps of the project, of the corpus where there is one, and halls of pillars that it has a generator for.
Each map is compiled by vbsp, vvis and vrad (fast, normal, final) with one thread at the lowest priority; seconds are CPU
seconds, memory is the largest resident set. --results keeps what was measured, so that another run measures only what is
missing. The table has a row a map; the exit status is 1 when fewer than 80 % of the maps are within a factor of 1.5, or one
takes more than three times its estimate. Below MOMENT (seconds) and SMALL (MiB) all maps are alike: those are
added to both sides of a quotient.

--table prints brushwork/cost/cost_model.def, fitted to what was measured: non-negative coefficients with the least sum of
|log(estimate / measured)|, each of some counts, found by descent from a fixed start. The same results give the same table.
--held-out says how far the estimates are off for maps that the model was not fitted to.
"""
import argparse
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
PRESETS = ("fast", "normal", "final")
MOMENT, SMALL = 0.2, 2
PILLARS = (3, 5, 7, 12, 14)
LEAVE_OUT = ("q3_broken.map", "q3_unclosed.map", "inst_sub.vmf", "trenchbroom_source.map")
GOAL, WORST = 0.8, 3
SWEEPS, FOLDS = 1500, 5

# The counts that each column of the model may depend on. RUN is 1.
COLUMNS = {
    "vbsp": ("RUN", "SIDES", "FACES", "LEAVES", "DISPLACEMENT_VERTICES", "SURFACES", "PORTALS", "BUMPED_LUXELS", "BLOCKS"),
    "vvis": ("RUN", "LEAVES", "PORTALS", "SEEN_PORTALS", "HIDDEN_CHAINS"),
    "vrad": ("RUN", "LIT_FACES", "LIT_AREA", "BUMPED_AREA", "LEAVES", "LUXELS", "BUMPED_LUXELS", "SKY_LUXELS", "DISPLACEMENT_VERTICES",
             "LIGHTS", "PROPS", "SURFACES", "SURFACE_LUXELS", "GRID_POINTS"),
}
COLUMN_NAMES = ["vbsp s", "vbsp b", "vvis s", "vvis b", *(f"{preset} s" for preset in PRESETS), "vrad b"]


def content(path):
    """Options that give a map its materials."""
    catalogue = os.path.splitext(path)[0] + ".texdata.tsv"
    game = os.path.join(os.path.dirname(path), "game")
    if os.path.exists(catalogue):
        return ["--texdata", catalogue]
    if os.sep + "q3maps" + os.sep in path:
        return ["-game", "openarena"]
    if os.path.join("examples", "project") in path:
        return ["-insert_search_path", os.path.join(TOP, "examples", "project", "content")]
    return ["-game", game] if os.path.isdir(game) else []


def pillars(options):
    """Halls of pillars, which are hard for vvis."""
    maker = os.path.join(options.corpus, "generated", "mkpillars.py")
    if not os.path.exists(maker):
        return []
    game = os.path.join(options.results, "game")
    if not os.path.exists(game):
        os.symlink(os.path.join(options.corpus, "generated", "game"), game)
    paths = [os.path.join(options.results, f"pillars{count}.vmf") for count in PILLARS]
    for count, path in zip(PILLARS, paths):
        if not os.path.exists(path):
            subprocess.run([sys.executable, maker, str(count), path], check=True, stdout=subprocess.DEVNULL)
    return paths


def maps(options):
    if options.maps:
        return [os.path.abspath(path) for path in options.maps]
    found = []
    for parts in (("maps", "*.vmf"), ("maps", "*.map"), ("examples", "project", "maps", "*.vmf")):
        found += glob.glob(os.path.join(TOP, *parts))
    for parts in (("generated", "*.vmf"), ("refs", "*.vmf"), ("vmf", "*", "*.vmf"), ("vmf_only", "*", "*.vmf"),
                  ("q3maps", "*.map")):
        found += glob.glob(os.path.join(options.corpus, *parts))
    found += pillars(options)
    return sorted((path for path in found if os.path.basename(path) not in LEAVE_OUT), key=os.path.getsize)


# --- measuring ---

def run(*command):
    with open(os.devnull, "wb") as nothing:
        running = subprocess.Popen(command, stdout=nothing, stderr=nothing, preexec_fn=lambda: os.nice(19))
        _, status, usage = os.wait4(running.pid, 0)
    return {"status": os.waitstatus_to_exitcode(status), "cpu": usage.ru_utime + usage.ru_stime,
            "mb": usage.ru_maxrss / 1024}


def measure(options, path, bsp):
    """What each stage takes."""
    seen, lit = (os.path.join(options.results, name) for name in ("seen.bsp", "lit.bsp"))
    tool = lambda name: (os.path.join(options.bin, name), "-threads", "1")
    row = {"vbsp": run(*tool("vbsp"), *content(path), path, "-o", bsp)}
    if row["vbsp"]["status"] == 0:
        row["vvis"] = run(*tool("vvis"), "--max-time", "900", bsp, "-o", seen)
    if row.get("vvis", {"status": 1})["status"] == 0:
        for preset, words in (("fast", ["-fast"]), ("normal", []), ("final", ["-final"])):
            row[preset] = run(*tool("vrad"), *content(path), *words, "--max-time", "900", seen, "-o", lit)
    return row


def rows_of(options):
    """Measured and counted: dictionaries by path, without maps that leak or fail."""
    kept = os.path.join(options.results, "measured.json")
    known = {}
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            known = json.load(file)
    for path in maps(options):
        bsp = os.path.join(options.results, path.replace(os.sep, "_") + ".bsp")
        if path not in known or not os.path.exists(bsp):
            known[path] = measure(options, path, bsp)
            with open(kept, "w", encoding="utf-8") as file:
                json.dump(known, file, indent=1)
        row = known[path]
        if all(row.get(stage, {"status": 1})["status"] == 0 for stage in ("vbsp", "vvis", *PRESETS)):
            yield path, {**row, "cost": {preset: cost(options, bsp, preset) for preset in PRESETS}}
        else:
            print(f"{os.path.basename(path)}: not built", file=sys.stderr)


def cost(options, bsp, preset):
    done = subprocess.run([os.path.join(options.bin, "brushwork"), "info", "--cost", "--json", "--preset", preset, bsp],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout)


# --- comparing ---

def quotient(estimate, measured, small):
    return (estimate + small) / (measured + small)


def compare(path, row, preset):
    """Cells, and the quotients of seconds and of memory."""
    estimate = row["cost"][preset]
    stages = {stage["name"]: stage for stage in estimate["stages"]}
    measured = [row["vbsp"], row["vvis"], row[preset]]
    seconds, memory = sum(part["cpu"] for part in measured), max(part["mb"] for part in measured)
    quotients = (quotient(estimate["cpu_seconds"], seconds, MOMENT),
                 quotient(estimate["bytes"] / 2**20, memory, SMALL))
    cells = [os.path.basename(path)]
    for part, name in zip(measured, ("vbsp", "vvis", "vrad")):
        cells.append(f"{part['cpu']:.2f} / {stages[name]['cpu_seconds']:.2f}")
    cells += [f"{seconds:.2f} / {estimate['cpu_seconds']:.2f}", f"{quotients[0]:.2f}",
              f"{memory:.0f} / {estimate['bytes'] / 2**20:.0f}", f"{quotients[1]:.2f}"]
    return cells, quotients


def tell(what, preset, values):
    """Prints a line on quotients; the share that is within a factor of 1.5."""
    within = sum(1 / 1.5 <= value <= 1.5 for value in values) / len(values)
    print(f"{what}, --preset {preset}: {within:.0%} of {len(values)} maps within 1.5x; lowest {min(values):.2f}, "
          f"highest {max(values):.2f}", file=sys.stderr)
    return within


def show(rows, preset):
    """Prints the table; whether the goal is reached."""
    print("| map | `vbsp` s, measured / estimated | `vvis` s | `vrad` s | build, s | quotient | MiB | quotient |")
    print("|---|---|---|---|---|---|---|---|")
    found = []
    for path, row in rows:
        cells, quotients = compare(path, row, preset)
        found.append(quotients)
        print("| " + " | ".join(cells) + " |")
    good = True
    for what, values in (("seconds", [q[0] for q in found]), ("memory", [q[1] for q in found])):
        good &= tell(what, preset, values) >= GOAL and min(values) >= 1 / WORST
    return good


# --- fitting ---

def count(row, name):
    if name == "RUN":
        return 1
    titles = dict(names())
    return row["cost"]["normal"]["counts"][titles[name].replace(" ", "_")]


def names():
    """Names and titles of the counts, in order."""
    with open(os.path.join(TOP, "brushwork", "cost", "cost_model.def"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("COST("):
                name, title = line[5:].split(",")[:2]
                yield name, title.strip().strip('"')


def loss(estimates, measured, small):
    """Too low is worse than too high."""
    total = 0
    for estimate, value in zip(estimates, measured):
        error = math.log(quotient(estimate, value, small))
        total += abs(error) + error * error + (3 * max(0, -error - 0.5))
    return total


def least_squares(vectors, measured, small):
    """Non-negative coefficients with small relative errors, with weights that follow the estimates."""
    size, indices = len(vectors), range(len(measured))
    coefficients, estimates = [0.0] * size, [0.0] * len(measured)
    for sweep in range(SWEEPS):
        if sweep % 100 == 0:
            weights = [1 / ((y + small) * ((e if sweep else y) + small)) for y, e in zip(measured, estimates)]
            squares = [sum(w * x * x for w, x in zip(weights, vector)) for vector in vectors]
        for k, vector in enumerate(vectors):
            if not squares[k]:
                continue
            slope = sum(weights[i] * (measured[i] - estimates[i]) * vector[i] for i in indices if vector[i])
            value = max(0.0, coefficients[k] + slope / squares[k])
            change, coefficients[k] = value - coefficients[k], value
            if change:
                estimates = [e + change * x for e, x in zip(estimates, vector)]
    return coefficients


def fit(vectors, measured, small):
    """Coefficients of the columns `vectors`."""
    coefficients = least_squares(vectors, measured, small)
    estimates = [sum(c * v[i] for c, v in zip(coefficients, vectors)) for i in range(len(measured))]
    best = loss(estimates, measured, small)
    step = 2.0
    while step > 1.003:
        improved = False
        for k, vector in enumerate(vectors):
            for factor in (0, 1 / step, step):
                change = coefficients[k] * (factor - 1)
                trial = [e + change * x for e, x in zip(estimates, vector)]
                value = loss(trial, measured, small)
                if value < best * (1 - 1e-6):
                    best, estimates, coefficients[k], improved = value, trial, coefficients[k] + change, True
        if not improved:
            step = math.sqrt(step)
    return coefficients


def column(rows, name):
    """The fitted coefficients of a column, by count."""
    stage, unit = name.split()
    counts = COLUMNS.get(stage, COLUMNS["vrad"])
    kind = "normal" if name == "vrad b" else stage
    measured = [row[kind]["cpu"] if unit == "s" else row[kind]["mb"] * 2**20 for _, row in rows]
    if name == "vrad b":
        measured = [max(row[preset]["mb"] for preset in PRESETS) * 2**20 for _, row in rows]
    vectors = [[count(row, name) for _, row in rows] for name in counts]
    small = MOMENT if unit == "s" else SMALL * 2**20
    return dict(zip(counts, fit(vectors, measured, small)))


def table(rows):
    columns = [column(rows, name) for name in COLUMN_NAMES]
    print("/* The model of costs: COST(name, title, vbsp seconds, vbsp bytes, vvis seconds, vvis bytes, vrad seconds with\n"
          " * --preset fast, normal, final, vrad bytes), each of one of the count. Made by tests/bench/cost.py --table. */")
    for name, title in names():
        cells = ", ".join(f"{values.get(name, 0):.3g}" for values in columns)
        print(f'COST({name}, "{title}", {cells})')


def held_out(rows, preset):
    """How far estimates are off for maps that the model was not fitted to: five parts, each by the other four."""
    found = []
    for part in range(FOLDS):
        known = [row for i, row in enumerate(rows) if i % FOLDS != part]
        columns = {name: column(known, name) for name in ("vbsp s", "vvis s", f"{preset} s", "vbsp b", "vvis b", "vrad b")}
        for _, row in rows[part::FOLDS]:
            values = {name: sum(c * count(row, k) for k, c in fitted.items()) for name, fitted in columns.items()}
            stages = [row["vbsp"], row["vvis"], row[preset]]
            found.append((quotient(sum(v for name, v in values.items() if name.endswith(" s")), sum(p["cpu"] for p in stages), MOMENT),
                          quotient(max(v for name, v in values.items() if name.endswith(" b")) / 2**20, max(p["mb"] for p in stages), SMALL)))
    for what, values in (("seconds", [q[0] for q in found]), ("memory", [q[1] for q in found])):
        tell(f"held out: {what}", preset, values)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=os.path.abspath, default=os.path.join(TOP, "build", "release", "bin"))
    parser.add_argument("--corpus", type=os.path.abspath, default=os.path.join(os.path.dirname(TOP), "shared", "corpus"))
    parser.add_argument("--results", type=os.path.abspath)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--preset", choices=PRESETS, default="normal")
    parser.add_argument("maps", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        options.results = options.results or folder
        os.makedirs(options.results, exist_ok=True)
        rows = list(rows_of(options))
        if options.table:
            table(rows)
            return 0
        if options.held_out:
            held_out(rows, options.preset)
            return 0
        return 0 if show(rows, options.preset) else 1


if __name__ == "__main__":
    sys.exit(main())
