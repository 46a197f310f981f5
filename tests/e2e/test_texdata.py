#!/usr/bin/env python3
"""brushwork texdata: catalogues of materials, compared with those of the corpus and its tool,
and read by vbsp."""
import os
import subprocess
import sys

from e2e import Skip, Suite, check, read, write

suite = Suite()


def own(s):
    return os.path.join(s.options.source, "tests", "fuzz", "seeds", "bsp", "portal.bsp")


def rows(text):
    return {line.split("\t")[0].lower(): line for line in text.decode("latin1").splitlines()[1:]}


@suite.case
def a_catalogue_of_ours(s, folder):
    text = s.run("brushwork", "texdata", own(s)).expect(0).out
    check(text.startswith(b"#material\twidth\theight\t"), text[:80])
    check(all(line.count("\t") == 13 for line in rows(text).values()), "columns")
    out = os.path.join(folder, "out.tsv")
    s.run("brushwork", "texdata", own(s), own(s), "--out", out).expect(0)
    check(read(out) == text, "a map twice is as once")
    check(s.run("brushwork", "texdata", "-", stdin=read(own(s))).expect(0).out == text, "stdin")


@suite.case
def vbsp_reads_it(s, folder):
    out, tsv = os.path.join(folder, "out.bsp"), os.path.join(folder, "out.tsv")
    s.run("brushwork", "build", s.map("atrium.vmf"), "-o", out, "--preset", "fast").expect(0)
    s.run("brushwork", "texdata", out, "--out", tsv).expect(0)
    done = s.run("vbsp", "--texdata", tsv, "--json", s.map("atrium.vmf"), "-o",
                 os.path.join(folder, "again.bsp")).expect(0)
    check("A007" not in done.codes(), done)
    again = s.run("brushwork", "texdata", os.path.join(folder, "again.bsp")).expect(0).out
    check(sorted(rows(again)) == sorted(rows(read(tsv))), "materials")


@suite.case
def an_invalid_map_gives_no_catalogue(s, folder):
    out = os.path.join(folder, "out.tsv")
    bad = write(os.path.join(folder, "bad.bsp"), "bad")
    done = s.run("brushwork", "texdata", own(s), bad, "--out", out, "--json").expect(1)
    check("B002" in done.codes() or "B001" in done.codes(), done)
    check(not os.path.exists(out), "a catalogue of a part")


def first_columns(text):
    """Without the columns that the corpus does not have."""
    return b"".join(b"\t".join(line.rstrip(b"\n").split(b"\t")[:14]) + b"\n"
                    for line in text.splitlines(True))


CONTENTS, ALL_CONTENTS = 9, 13


def check_rows(ours, theirs, path):
    """Of contents, the tool takes sides without a face as evidence, too: what is known here is what it has, or a part of it
    where it has a list or, as 0, what brushes of several materials have in common."""
    ours, theirs = [text.decode("latin1").splitlines() for text in (first_columns(ours), theirs)]
    check(len(ours) == len(theirs) and ours[0] == theirs[0], path)
    known = all_known = 0
    for our, their in zip(ours[1:], theirs[1:]):
        our, their = our.split("\t"), their.split("\t")
        for column, (a, b) in enumerate(zip(our, their)):
            part = (column == ALL_CONTENTS and set(a.split(",")) <= set(b.split(",")) or
                    column == CONTENTS and b == "0x0" and a in ("0x1", "0x8"))
            check(a == b or part or a == "-" and column in (CONTENTS, ALL_CONTENTS),
                  (path, our, their))
        drawn = not our[0].lower().startswith("tools/")
        known += drawn and our[CONTENTS] != "-"
        all_known += drawn and their[CONTENTS] != "-"
    check(known >= .8 * all_known - 1, (path, known, all_known))


@suite.case
def real_maps_give_the_rows_of_the_corpus(s, _):
    found = 0
    for base, _, names in os.walk(s.corpus("vmf")):
        stems = [name[:-4] for name in names if name.endswith(".bsp")]
        for stem in stems:
            path = os.path.join(base, stem)
            text = s.run("brushwork", "texdata", path + ".bsp").expect(0).out
            check_rows(text, read(path + ".texdata.tsv"), path)
            found += 1
    check(found >= 16, f"{found} maps only")


@suite.case
def a_catalogue_survives_a_compile(s, folder):
    """A compile with the catalogue of a map has the materials of that catalogue."""
    for name in ("s01_scoutie_c1", "m01_tf2_dotf", "t06_hysteria_test"):
        base = s.corpus("vmf", name)
        stem = os.path.join(base, next(f[:-4] for f in os.listdir(base) if f.endswith(".vmf")))
        ours, catalogue = os.path.join(folder, "map.bsp"), os.path.join(folder, "map.tsv")
        s.run("brushwork", "texdata", stem + ".bsp", "-o", catalogue).expect(0)
        s.run("vbsp", "--texdata", catalogue, stem + ".vmf", "-o", ours).expect(0)
        theirs = rows(read(catalogue))
        again = rows(s.run("brushwork", "texdata", ours).expect(0).out)
        check(set(theirs) <= set(again), name)
        for material in theirs:
            a, b = theirs[material].split("\t"), again[material].split("\t")
            # Without the counts of flags and contents, and without majority values.
            check(a[1:8] + a[14:] == b[1:8] + b[14:], f"{name}: {a} {b}")


@suite.case
def real_maps_of_other_versions(s, _):
    tool, found = s.tool("vbsp_texdata.py"), 0
    for part in ("vbsp", "refs", "generated"):
        for name in sorted(os.listdir(s.corpus(part))):
            path = s.corpus(part, name)
            if not name.endswith(".bsp"):
                continue
            theirs = subprocess.run([sys.executable, "-B", tool, path], stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL, timeout=600, check=False)
            if theirs.returncode == 0:
                found += 1
                text = s.run("brushwork", "texdata", path).expect(0).out
                check_rows(text, theirs.stdout, path)
    check(found >= 15, f"{found} maps only")


@suite.case
def a_map_does_not_leak_with_its_own_catalogue(s, folder):
    """Sides without a face gave a wall the contents of a grate."""
    rows, name = os.path.join(folder, "own.tsv"), "tb_prologue"
    path = s.corpus("vmf_wild", name, name + ".vmf")[:-4]
    s.run("brushwork", "texdata", path + ".bsp", "-o", rows).expect(0)
    done = s.run("vbsp", "--json", "--no-cache", "--texdata", rows, path + ".vmf", "-o", os.path.join(folder, "map.bsp"))
    check("V001" not in done.expect(0).codes(), done)


@suite.case
def real_maps_merge(s, _):
    first, second = s.corpus("refs", "plain.bsp"), s.corpus("refs", "water.bsp")
    one = rows(s.run("brushwork", "texdata", first).expect(0).out)
    two = rows(s.run("brushwork", "texdata", second).expect(0).out)
    both = s.run("brushwork", "texdata", first, second).expect(0)
    check(sorted(rows(both.out)) == sorted({**one, **two}), "materials of both")
    if not set(two) - set(one):
        raise Skip("the second has no other materials")


suite.main()
