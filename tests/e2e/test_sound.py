#!/usr/bin/env python3
"""Every real map compiles, sees and is lit, or reports a leak, and what comes out is sound: by `verify`, and by checkers
that share no code with the compilers."""
import os
import re
import subprocess
import sys

from e2e import Skip, Suite, check
from physics_check import check_physics

suite = Suite()


def find_maps(s):
    """Paths of the VMFs that people made, without those that are instances of others."""
    found = []
    for part in ("vmf", "vmf_only"):
        base = os.path.join(s.options.shared, "corpus", part)
        for folder in sorted(os.listdir(base)) if os.path.isdir(base) else []:
            found += [os.path.join(base, folder, name)
                      for name in sorted(os.listdir(os.path.join(base, folder)))
                      if name.endswith(".vmf")]
    return found


def ask(s, name, path):
    done = subprocess.run([sys.executable, s.tool(name), path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=600)
    return done.returncode, done.stdout.decode(errors="replace")


def misplaced(s, path):
    """Points whose brushes are not in the list of their leaf, as text, and all that was said."""
    _, text = ask(s, "vbsp_leafbrush_check.py", path)
    count = re.search(r"LEAFBRUSH_\w+ .*\((\d+) problems\)", text)
    faults = [line for line in text.splitlines() if line.startswith("  BAD ")]
    points = [re.search(r"\['[-\d.]+', '[-\d.]+', '[-\d.]+'\]", line) for line in faults]
    # It prints the first few only, and some are not about points.
    check(count and int(count[1]) == len(faults) and all(points), text[-3000:])
    return {point[0] for point in points}, text


def check_brushes(s, ours, reference):
    """A detail brush may reach into the void: no leaf out there lists it, as in Valve's file."""
    ours_at, text = misplaced(s, ours)
    theirs_at = misplaced(s, reference)[0] if ours_at and os.path.exists(reference) else set()
    check(ours_at <= theirs_at, text[-3000:])


def check_all(s, ours, reference):
    s.run("brushwork", "verify", ours, "--json").expect(0)
    check_physics(s, ours)
    check_brushes(s, ours, reference)


def sound(source):
    def case(s, folder):
        stem = os.path.splitext(source)[0]
        ours = os.path.join(folder, "map.bsp")
        table = ["--texdata", stem + ".texdata.tsv"] if os.path.exists(stem + ".texdata.tsv") else []
        done = s.run("vbsp", source, "-o", ours, "--json", *table)
        check(done.status in (0, 3), done)
        check((done.status == 3) == ("V001" in done.codes()), done)
        check("V140" not in done.codes(), done)
        if done.status == 0:
            s.run("brushwork", "verify", ours, "--json").expect(0)
            s.run("vvis", "-fast", ours).expect(0)
        check_all(s, ours, stem + ".bsp")
        if done.status == 0:
            s.run("vrad", "-fast", ours, *table).expect(0)
            s.run("brushwork", "verify", ours, "--json").expect(0)

    return case


maps = find_maps(suite)
for path in maps:
    suite.add(os.path.basename(os.path.dirname(path)), sound(path))
if not maps:

    @suite.case
    def maps_of_the_corpus(s, folder):
        raise Skip(f"no {os.path.join(s.options.shared, 'corpus')} for {folder}")


suite.main()
