#!/usr/bin/env python3
"""Real maps that are compiled without the content of their games: what the reference lights has light in ours too, at the
same place.

A point of each face that the reference file lights is looked up among our faces. Faces of tools/ materials are left out: games
do not draw them. With --table the shares are printed as the table of docs/fidelity.md, with those of vbsp
-nolightifmissing beside them."""
import os
import sys

import corpus_pairs
from e2e import Skip, Suite, check
from lit_places import lit_places

LEAST = 0.99
# Names that do not tell: the least share, and why.
SHORT = {
    "s03": (0.89, "of two materials that differ in a letter of the name one is see-through"),
    "s09": (0.91, "its carpet is see-through; 16 faces differ with its content too"),
}
LEAKS = ("m06",)  # with its content too

as_table = "--table" in sys.argv
if as_table:
    sys.argv.remove("--table")
suite = Suite()


def measure(s, folder, name, *options):
    """(lit faces of the reference, those of them that are not lit in ours, by material and what is there)"""
    path, ours = corpus_pairs.stem(s, name), os.path.join(folder, "map.bsp")
    done = s.run("vbsp", path + ".vmf", "-o", ours, "-threads", "1", *options)
    check(done.status == (3 if name in LEAKS else 0), str(done))
    s.run("vrad", ours, "-fast", "-bounce", "0").expect(0)
    return lit_places(path + ".bsp", ours)


def share(lit, lost):
    return (lit - sum(lost.values())) / lit if lit else 1.0


def lit_without_content(name):
    def case(s, folder):
        lit, lost = measure(s, folder, name)
        least, why = SHORT.get(name, (LEAST, ""))
        for (material, there), count in sorted(lost.items(), key=lambda item: -item[1])[:8]:
            print(f"{count} of {material}: {there} there")
        print(f"{name}: {share(lit, lost):.4f} of {lit} faces, at least {least} {why}")
        check(share(lit, lost) >= least, f"{name}: {share(lit, lost):.4f} of {lit} faces are lit")
    suite.add(name, case)


def print_table():
    print("| map | lit faces | `-nolightifmissing` | default | not lit |\n|---|---|---|---|---|")
    for name in corpus_pairs.names(suite):
        def case(s, folder, name=name):
            lit, before = measure(s, folder, name, "-nolightifmissing")
            _, lost = measure(s, folder, name)
            what = ", ".join(f"{count} of {m}" for (m, _), count in sorted(lost.items(), key=lambda item: -item[1]))
            print(f"| {name} | {lit} | {share(lit, before):.3f} | {share(lit, lost):.4f} | {what} |", flush=True)
        suite.cases = [(name, case)]
        check(not suite.run_case(*suite.cases[0]), f"{name} failed")


def no_corpus(s, _):
    s.corpus("vmf")


if as_table:
    print_table()
    sys.exit(0)
try:
    found = corpus_pairs.names(suite)
except Skip:
    found = []
    suite.add("corpus", no_corpus)
for each in found:
    lit_without_content(each)
suite.main()
