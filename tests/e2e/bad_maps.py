"""Maps with faults, for tests of what is told about them: copies of those of the project, and small
ones that are made here."""
import os
import shutil

from e2e import read, write

INSTANCE = """versioninfo
{
"mapversion" "1"
}
world
{
"id" "1"
"classname" "worldspawn"
}
entity
{
"id" "2"
"classname" "func_instance"
"file" "%s"
"origin" "16 0 0"
"angles" "0 0 0"
}
"""

# Maps of the project, with the endings that they need.
MAPS = ["areaportal_gap.vmf", "bad_solids.vmf", "cordon.vmf", "leak.vmf", "leak_holes.vmf",
        "leak_origin.vmf", "leak_slit.vmf", "lint.vmf", "light_edges.vmf", "occluder.vmf",
        "q3_broken.map", "q3_leak.map", "q3_unclosed.map"]


def box(s):
    return read(s.map("box.vmf")).decode()


MADE = {
    "absent.vmf": None,
    "empty.vmf": lambda s: "",
    "garbage.vmf": lambda s: bytes(range(256)) * 40,
    "cut.vmf": lambda s: box(s)[: len(box(s)) // 2],
    "no_world.vmf": lambda s: 'entity\n{\n"classname" "light"\n}\n',
    "no_solids.vmf": lambda s: 'world\n{\n"id" "1"\n"classname" "worldspawn"\n}\n',
    "deep.vmf": lambda s: "world\n{\n" + "a\n{\n" * 10000,
    "numbers.vmf": lambda s: box(s).replace("(", "(nan ", 1),
    "infinite.vmf": lambda s: box(s).replace("(0 ", "(1e999 ").replace("(256 ", "(1e30 "),
    "no_material.vmf": lambda s: box(s).replace('"material" "', '"material" "no/such'),
    "inside.vmf": lambda s: INSTANCE % "bad_solids",
    "twice_inside.vmf": lambda s: INSTANCE % "inside",
    "no_instance.vmf": lambda s: INSTANCE % "none/at/all",
    "key.vmf": lambda s: box(s).replace('"classname" "worldspawn"',
                                        '"classname" "worldspawn"\n"_luxelscale" "many"'),
}


def make(s, folder):
    """Writes all into the folder; returns their names."""
    for name in MAPS:
        shutil.copy(s.map(name), folder)
    for name, text in MADE.items():
        if text:
            write(os.path.join(folder, name), text(s))
    return MAPS + list(MADE)
