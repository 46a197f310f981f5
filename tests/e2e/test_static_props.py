#!/usr/bin/env python3
"""Static props of real maps beside Valve's: every field alike but the lighting origin, which is
memory that nobody wrote to in the references, and the leaves wherever the models are known."""
import json
import os
import subprocess
import sys

from e2e import Suite, check, write

suite = Suite()

# Map, target, folder of the corpus with its models, and fields that the reference leaves unwritten.
MAPS = [
    ("s04_rc_pyramid", "source2007", "ricochet_game", set()),
    ("s07_rc_jumpers7", "source2007", "ricochet_game", set()),
    ("s01_scoutie_c1", "sdk2013sp", None, set()),
    ("l01_gateway_hdr", "sdk2013sp", None, set()),
    ("l02_pcollab26_areaportals", "sdk2013sp", None, set()),
    ("m01_tf2_dotf", "tf2", None, {"flag byte"}),
]


def game(s, folder, name):
    """A game with the models of that folder."""
    models = s.corpus("assets", name)
    write(os.path.join(folder, "gameinfo.txt"),
          f'GameInfo {{ FileSystem {{ SearchPaths {{ game "{models}" }} }} }}')
    return folder


def compare(s, reference, ours):
    done = subprocess.run([sys.executable, s.tool("bsp_compare.py"), reference, ours, "--json"],
                          stdout=subprocess.PIPE, check=True, timeout=600)
    sections = json.loads(done.stdout)["sections"]
    return next(x for x in sections if x["name"] == "static props")


def props(name, target, models, unwritten):
    def case(s, folder):
        source = s.corpus("vmf", name)
        stem = next(f[:-4] for f in os.listdir(source) if f.endswith(".vmf"))
        path = os.path.join(source, stem)
        ours = os.path.join(folder, "map.bsp")
        options = ["--texdata", path + ".texdata.tsv", "--target", target]
        if models:
            options += ["--game", game(s, folder, models)]
        done = s.run("vbsp", path + ".vmf", "-o", ours, "--json", *options)
        check(done.status in (0, 3), str(done))
        check(models is None or "V180" not in done.codes(), str(done))
        if models:
            s.run("brushwork", "verify", ours).expect(0)
        section = compare(s, path + ".bsp", ours)
        figures = section["figures"]
        print(f"static props {section['score']:.4f}", figures)
        count = figures["static props"][0]
        check(figures["version"][0] == figures["version"][1], "another version of the lump")
        check(figures["static props"][1] == count == figures["matched"], "props differ")
        for field, alike in figures.items():
            if not field.endswith(" alike") or field[:-6] in unwritten | {"lighting origin"}:
                continue
            check(alike == count, f"{field}: {alike} of {count}")
        if models:
            check(figures["mean ratio of the leaf counts"] == 1, "leaves differ")

    suite.add(name, case)


for row in MAPS:
    props(*row)
suite.main()
