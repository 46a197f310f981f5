#!/usr/bin/env python3
"""Our compiles of real maps beside Valve's: sound by the independent checkers, and as alike as the
table says. A score may rise at will; one that falls below its row is a defect."""
import json
import os
import subprocess
import sys

from e2e import Suite, check

suite = Suite()

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fidelity.tsv")


def rows():
    """(map, options, {section: least score}) from the table."""
    with open(TABLE, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    head = lines[0]
    for line in lines[1:]:
        least = {name: float(cell) for name, cell in zip(head[2:], line[2:]) if cell != "-"}
        yield line[0], line[1].split(), least


def pair(s, name):
    """Source, reference and options of a map of the corpus."""
    if name == "mid":
        return (s.corpus("generated", "mid.vmf"), s.corpus("generated", "mid.bsp"),
                ["--game", s.corpus("generated", "game")])
    if name + ".vmf" in os.listdir(s.corpus("refs")):
        return (s.corpus("refs", name + ".vmf"), s.corpus("refs", name + ".bsp"),
                ["--game", s.corpus("generated", "game")])
    base = s.corpus("vmf")
    folder = next((f for f in sorted(os.listdir(base)) if f.startswith(name + "_")), None)
    check(folder, f"no folder for {name}")
    files = os.listdir(os.path.join(base, folder))
    stem = next(f[:-4] for f in files if f.endswith(".vmf"))
    path = os.path.join(base, folder, stem)
    return path + ".vmf", path + ".bsp", ["--texdata", path + ".texdata.tsv"]


def oracle(s, folder):
    """The PVS oracle, compiled."""
    program = os.path.join(folder, "pvs_oracle")
    subprocess.run(["cc", "-O2", "-std=c99", s.tool("pvs_oracle.c"), "-o", program, "-lm"],
                   check=True)
    return program


def tool(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          timeout=600)
    check(done.returncode == 0, done.stdout.decode(errors="replace")[-3000:])
    return done.stdout


def compare(s, reference, ours, least):
    text = tool(sys.executable, s.tool("bsp_compare.py"), reference, ours, "--json")
    report = json.loads(text)
    scores = {section["name"]: section["score"] for section in report["sections"]}
    scores["score"] = report["score"]
    print("  ".join(f"{k} {v:.3f}" for k, v in scores.items() if v is not None))
    low = [f"{name} {scores.get(name)} < {bound}" for name, bound in least.items()
           if scores.get(name) is None or scores[name] < bound]
    check(not low, "; ".join(low))


def fidelity(name, extra, least):
    def case(s, folder):
        source, reference, options = pair(s, name)
        ours = os.path.join(folder, "map.bsp")
        s.run("brushwork", "build", source, "-o", ours, *extra, *options).expect(0)
        s.run("brushwork", "verify", ours).expect(0)
        tool(sys.executable, s.tool("vbsp_leafbrush_check.py"), ours)
        tool(oracle(s, folder), os.path.join(folder, "map.prt"), ours, "200000", "1")
        compare(s, reference, ours, least)

    suite.add(name, case)


for row in rows():
    fidelity(*row)
suite.main()
