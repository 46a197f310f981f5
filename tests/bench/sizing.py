#!/usr/bin/env python3
"""Memory and time of builds by the size of the map, as a table in Markdown (docs/farm.md), and whether the rule there holds.

    sizing.py [--bin DIR] [--preset NAME] [--threads N] [--corpus DIR] [MAP...]

Without MAP: maps of the project, and of the corpus where there is one. Memory is the largest resident set of the
process, as /usr/bin/time -v tells; seconds are CPU seconds. Both are of one run at the lowest priority. The exit status is 1
when a map needs more than the rule says.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
OPENARENA = "/usr/share/games/openarena/baseoa"
MAPS = ("box.vmf", "atrium.vmf", "q3_lights.map")
CORPUS = {
    "pillars9": "generated/pillars9.vmf", "mid": "generated/mid.vmf", "big": "generated/big.vmf",
    "m01": "vmf/m01_tf2_dotf/dotf_test.vmf", "m02": "vmf/m02_tf2_edgebug/jump_edgebugtest.vmf",
    "m03": "vmf/m03_tf2_jump_byte/jump_byte_a3.vmf", "s04": "vmf/s04_rc_pyramid/rc_pyramid.vmf",
    "s09": "vmf/s09_who_hostel/hostel.vmf", "l01": "vmf/l01_gateway_hdr/testmap.vmf",
    "l02": "vmf/l02_pcollab26_areaportals/pcollab_26_iambread_test.vmf", "oacmpdm8": "q3maps/oacmpdm8_v220.map"}

# The rule: MiB of a process, of the content of a game that has many textures; bytes of a luxel, a brush, a portal.
MIB, GAME_MIB = 24, 100
LUXEL, BRUSH, PORTAL = 150, 20_000, 6_000
# CPU seconds of the light of a million luxels, and of everything else.
LIGHT = {"fast": 40, "normal": 40, "final": 100}
REST = 5


def content(path):
    """Options that give a map its materials."""
    catalogue = os.path.splitext(path)[0] + ".texdata.tsv"
    game = os.path.join(os.path.dirname(path), "game")
    if os.path.exists(catalogue):
        return ["--texdata", catalogue]
    if "oacmp" in path:
        return ["-game", "openarena"]
    return ["-game", game] if os.path.isdir(game) else []


def measure(options, name, path, folder):
    """A row of the table: a dictionary, or None when the map was not built."""
    command = [os.path.join(options.bin, "brushwork"), "build", path, "-o", os.path.join(folder, "map.bsp"), "--json",
               "--preset", options.preset, "-threads", str(options.threads), *content(path)]
    with tempfile.TemporaryFile() as messages:
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages,
                                   preexec_fn=lambda: os.nice(19))
        usage = os.wait4(running.pid, 0)[2]
        messages.seek(0)
        result = [json.loads(line)["result"] for line in messages if b'"result":' in line][-1]
    if result["exit_status"]:
        return None
    stages = {stage["name"]: stage for stage in result["stages"]}
    return {"map": name, "kilobytes": os.path.getsize(path) / 1024, "brushes": result["map"]["brushes"],
            "portals": stages["vvis"]["counters"].get("portals", 0), "luxels": result["light"]["luxels"],
            "seconds": [stages[stage]["cpu_seconds"] for stage in ("vbsp", "vvis", "vrad")],
            "memory": usage.ru_maxrss / 1024, "game": "openarena" in command}


def rule(row, preset):
    """MiB and CPU seconds."""
    parts = row["luxels"] * LUXEL + row["brushes"] * BRUSH + row["portals"] * PORTAL
    return MIB + GAME_MIB * row["game"] + parts / 2**20, REST + row["luxels"] / 1e6 * LIGHT[preset]


def show(row, preset):
    """Prints a row; whether the rule holds for it."""
    memory, seconds = rule(row, preset)
    cells = [row["map"], f"{row['kilobytes']:.0f}", row["brushes"], row["portals"], row["luxels"],
             *(f"{value:.2f}" for value in row["seconds"]), f"{seconds:.0f}", f"{row['memory']:.0f}", f"{memory:.0f}"]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    return row["memory"] <= memory and sum(row["seconds"]) <= seconds


def maps(options):
    """Names and paths."""
    if options.maps:
        return {os.path.basename(path): path for path in options.maps}
    found = {name: os.path.join(TOP, "maps", name) for name in MAPS}
    for name, path in CORPUS.items():
        path = os.path.join(options.corpus, path)
        if os.path.exists(path) and (name != "oacmpdm8" or os.path.isdir(OPENARENA)):
            found[name] = path
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=os.path.join(TOP, "build", "release", "bin"))
    parser.add_argument("--corpus", default=os.path.join(os.path.dirname(TOP), "shared", "corpus"))
    parser.add_argument("--preset", choices=list(LIGHT), default="final")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("maps", nargs="*")
    options = parser.parse_args()
    print("| map | KiB | brushes | portals | luxels | `vbsp` s | `vvis` s | `vrad` s | rule, s | MiB | rule, MiB |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    above = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in maps(options).items():
            row = measure(options, name, path, folder)
            if row is None:
                print(f"{name}: not built", file=sys.stderr)
            elif not show(row, options.preset):
                above.append(name)
    if above:
        print(f"above the rule: {', '.join(above)}", file=sys.stderr)
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
