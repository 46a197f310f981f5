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


@suite.case
def real_maps_give_the_rows_of_the_corpus(s, _):
    found = 0
    for base, _, names in os.walk(s.corpus("vmf")):
        stems = [name[:-4] for name in names if name.endswith(".bsp")]
        for stem in stems:
            path = os.path.join(base, stem)
            text = s.run("brushwork", "texdata", path + ".bsp").expect(0).out
            check(first_columns(text) == read(path + ".texdata.tsv"), path)
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
                check(first_columns(text) == theirs.stdout, path)
    check(found >= 15, f"{found} maps only")


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
