#!/usr/bin/env python3
"""Our light on Valve's own .bsp files beside theirs: a copy of each map is relit by our vrad with
the same options and content, and has to be as alike as the table says (light_fidelity.tsv).

With --table the figures are printed as the tables of docs/measurements/fidelity.md instead; --files DIR then
keeps the lit copies there, for a look with other tools."""
import json
import os
import shutil
import struct
import subprocess
import sys

from e2e import Suite, check

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "light_fidelity.tsv")

# Names of the kinds of light in the comparison and in the tables. Each has a correlation of
# logarithms and the mean log2 bias of what is not dark.
KINDS = {"flat": "style 0, flat faces", "bumped": "style 0, bump faces",
         "directions": "style 0, bump directions", "displacements": "displacements",
         "styles": "other styles"}
CUBES = {"cube sides": "cube sides", "cube means": "cube means"}
CLEAR = "mean log2 bias of clear points (REF above 8 floors)"
LIGHTING = {"ldr": 8, "hdr": 53}


def taken(name):
    """The value of an option of this script, which the suite does not know."""
    if name not in sys.argv:
        return None
    at = sys.argv.index(name)
    value = sys.argv[at + 1] if name == "--files" else True
    del sys.argv[at:at + (2 if name == "--files" else 1)]
    return value


as_table, kept_files = taken("--table"), taken("--files")
suite = Suite()


def rows():
    """(map, set, {column: bound}) from the table: minimum correlations, maximum biases."""
    with open(TABLE, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    for line in lines[1:]:
        bounds = {name: float(cell) for name, cell in zip(lines[0][2:], line[2:]) if cell != "-"}
        yield line[0], line[1], bounds


def place_of(s, name):
    """Path of the reference without .bsp, and the options that tell of its content."""
    for folder in ("generated", "refs"):
        path = os.path.join(s.corpus(folder), name)
        if os.path.exists(path + ".bsp"):
            return path, ["-game", s.corpus("generated", "game")]
    base = s.corpus("vmf")
    place = next((f for f in sorted(os.listdir(base)) if f.startswith(name + "_")), None)
    check(place, f"no folder for {name}")
    path = next(f for f in os.listdir(os.path.join(base, place)) if f.endswith(".bsp"))
    return os.path.join(base, place, path[:-4]), []


def content_of(s, folder, name, options):
    """Small reference maps have more content than the game of the generated ones."""
    if name not in ("detail", "portal"):
        return options
    game = os.path.join(folder, "game")
    if not os.path.exists(game):
        shutil.copytree(s.corpus("generated", "game"), game, copy_function=shutil.copyfile)
        shutil.copytree(s.corpus("refs", "game_extra"), game, copy_function=shutil.copyfile,
                        dirs_exist_ok=True)
    return ["-game", game]


def sets_of(path):
    """The sets of light that a file has."""
    with open(path, "rb") as file:
        head = file.read(8 + 64 * 16)
    sizes = {which: struct.unpack_from("<i", head, 8 + 16 * lump + 4)[0]
             for which, lump in LIGHTING.items()}
    return [which for which in LIGHTING if sizes[which]]


def lit(s, folder, name):
    """The reference, and a copy of it that our vrad has relit."""
    path, options = place_of(s, name)
    ours = os.path.join(kept_files or folder, name + ".bsp")
    shutil.copyfile(path + ".bsp", ours)
    if os.path.exists(path + ".rad"):
        shutil.copyfile(path + ".rad", ours[:-4] + ".rad")
    which = ["-" + one for one in sets_of(path + ".bsp")]
    s.run("vrad", *which, *content_of(s, folder, name, options), ours).expect(0)
    return path + ".bsp", ours


def figures_of(s, reference, ours):
    """{set: {column: (correlation or score, bias or None)}}"""
    done = subprocess.run([sys.executable, s.tool("bsp_compare.py"), reference, ours, "--json"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          timeout=600)
    check(done.returncode == 0, done.stdout.decode(errors="replace")[-3000:])
    sections = {one["name"]: one for one in json.loads(done.stdout)["sections"]}
    found = {}
    for which in LIGHTING:
        light = sections.get("lightmaps " + which)
        if not light or light["score"] is None:
            continue
        found[which] = {"worldlights": (sections["worldlights " + which]["score"], None)}
        cubes = sections.get("ambient " + which, {"figures": {}})
        for kinds, figures in ((KINDS, light["figures"]), (CUBES, cubes["figures"])):
            for column, prefix in kinds.items():
                if figures.get(prefix + ": samples"):
                    found[which][column] = (figures[prefix + ": correlation"],
                                            figures[f"{prefix}: {CLEAR}"])
    return found


def low(figures, bounds):
    """The columns below their minimum correlation or above their maximum bias."""
    worse = []
    for column, bound in bounds.items():
        is_bias = column.endswith(" bias")
        seen = figures.get(column[:-5] if is_bias else column, (None, None))[is_bias]
        if seen is None or (abs(seen) > bound if is_bias else seen < bound):
            worse.append(f"{column}: {seen}, not {'within' if is_bias else 'at least'} {bound}")
    return worse


def fidelity(name, sets):
    def case(s, folder):
        found = figures_of(s, *lit(s, folder, name))
        worse = [f"{which} {text}" for which, bounds in sets.items()
                 for text in low(found.get(which, {}), bounds)]
        check(not worse, "; ".join(worse))

    suite.add(name, case)


def shown(value, sign):
    return "" if value is None else f"{value:{sign}.3f}"


def print_tables(maps):
    columns = ["worldlights", *KINDS, *CUBES]
    lines = {}
    for name in maps:
        def case(s, folder, name=name):
            lines[name] = figures_of(s, *lit(s, folder, name))

        check(not suite.run_case(name, case), f"{name} failed")
    for which in LIGHTING:
        print(f"\n| {which.upper()} | " + " | ".join(columns) + " |")
        print("|" + "---|" * (len(columns) + 1))
        for name, found in lines.items():
            pairs = [found.get(which, {}).get(column, (None, None)) for column in columns]
            if which in found:
                print(f"| {name} | " + " | ".join(
                    f"{shown(r, '')} {shown(bias, '+')}".strip() for r, bias in pairs) + " |")


by_map = {}
for map_name, set_name, limits in rows():
    by_map.setdefault(map_name, {})[set_name] = limits
if as_table:
    print_tables([name for name in by_map if not suite.options.only or suite.options.only in name])
    sys.exit(0)
for map_name, map_sets in by_map.items():
    fidelity(map_name, map_sets)
suite.main()
