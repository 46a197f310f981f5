#!/usr/bin/env python3
"""What is guessed about materials without files, and what the map says of it."""
import os
import re

from box_maps import Compiled, closed, entity, solid
from e2e import Suite, check, read, write

suite = Suite()
WALL = "dev/dev_measurewall01a"
SOLID, WINDOW, GRATE, TRANSLUCENT, DETAIL = 0x1, 0x2, 0x8, 0x10000000, 0x8000000
TRANS = 0x10
# A way out that no guess is about: the wall of y has a hole.
HOLE = [((-272, 256, 0), (-32, 272, 256), WALL), ((32, 256, 0), (272, 272, 256), WALL)]


def compiled(s, folder, text, *options, status=0):
    path = write(os.path.join(folder, "map.vmf"), text)
    done = s.run("vbsp", "--json", "--no-cache", *options, path).expect(status)
    return done, Compiled(os.path.join(folder, "map.bsp")) if status == 0 else None


@suite.case
def what_seals_the_map_is_opaque(s, folder):
    inside = [((-64, -64, 0), (64, -56, 128), "glass/window01"), ((-64, 56, 0), (64, 64, 128), "metal/metaltruss02")]
    done, bsp = compiled(s, folder, closed(WALL, inside, px="metal/metaltruss01"))
    found = done.find("A009")
    check("metal/metaltruss01" in found["message"] and found["solid"] == 1, found)
    check(done.codes().count("A009") == 1, done)
    check(bsp.contents("metal/metaltruss01") == {SOLID}, bsp.brushes())
    check(bsp.contents("glass/window01") == {WINDOW | TRANSLUCENT}, "a window within stays one")
    check(bsp.contents("metal/metaltruss02") == {GRATE | TRANSLUCENT}, "another name is another guess")


@suite.case
def the_guess_is_withdrawn_on_all_brushes(s, folder):
    """Flags too, also on brush entities, for which the same material is no other one."""
    door = entity(20, "func_brush", solid(30, (-64, -64, 0), (64, -56, 128), "glass/pane"))
    plain = closed(WALL, [((-64, 100, 0), (64, 108, 128), "glass/pane")], door)
    _, bsp = compiled(s, folder, plain)
    check(bsp.contents("glass/pane") == {WINDOW | TRANSLUCENT}, bsp.brushes())
    check(all(flags & TRANS for name, flags in bsp.texinfos() if name == "glass/pane"), "flags of a window")
    done, bsp = compiled(s, folder, plain.replace(solid(1, (256, -256, 0), (272, 256, 256), WALL),
                                                  solid(1, (256, -256, 0), (272, 256, 256), "glass/pane")))
    check("on 3 brushes" in done.find("A009")["message"], done)
    check(bsp.contents("glass/pane") == {SOLID}, bsp.brushes())
    check(not any(flags & TRANS for name, flags in bsp.texinfos() if name == "glass/pane"), "flags of a wall")


@suite.case
def what_an_areaportal_window_opens_stays_open(s, folder):
    pane = entity(20, "func_brush", solid(30, (-64, -64, 0), (64, -56, 128), "glass/pane"), targetname="pane")
    window = entity(21, "func_areaportalwindow", solid(31, (-256, 0, 0), (256, 8, 256), "tools/toolsareaportal"),
                    target="pane")
    _, bsp = compiled(s, folder, closed(WALL, entities=pane + window, px="glass/pane"))
    check(bsp.contents("glass/pane") == {SOLID, WINDOW | TRANSLUCENT}, bsp.brushes())


def said(name, flags, contents):
    return f"{name}\t" + "\t".join("-" * 7) + f"\t{flags}\t{contents}\t0\t-\n"


@suite.case
def the_map_says_what_it_is(s, folder):
    """MAP.materials.tsv counts over guesses and what is built in, under --texdata, and is a part of what a cache knows."""
    inside = [((-64, -64, 0), (64, -56, 128), "odd/pane"), ((-64, 56, 0), (64, 64, 128), "glass/stone"),
              ((100, 56, 0), (108, 64, 128), "dev/dev_measurerails01"), ((120, 56, 0), (128, 64, 128), "odd/other")]
    text = closed(WALL, inside, px="metal/metaltruss01")
    table = os.path.join(folder, "map.materials.tsv")
    texdata = write(os.path.join(folder, "cat.tsv"), said("odd/other", "0x10", "0x2"))
    write(table, "# what these are\n" + said("odd/pane", "0x10", "0x2") + said("glass/stone", "0x0", "0x1") +
          said("dev/dev_measurerails01", "0x0", "0x1") + said("odd/other", "0x0", "0x8"))
    path = write(os.path.join(folder, "map.vmf"), text)
    cache = os.path.join(folder, "cache")
    options = ("--json", "--cache", cache, "--texdata", texdata, path)

    def compile_map(hit):
        done = s.run("vbsp", *options, "-v").expect(0)
        check(('"from the cache"' in (done.out + done.err.encode()).decode()) == hit, done)
        return done, Compiled(path[:-3] + "bsp")

    done, bsp = compile_map(False)
    note = done.find("A010")
    check(note["file"].endswith("map.materials.tsv") and note["message"].startswith("3 "), note)
    check("A009" in done.codes(), "what it does not say is guessed")
    for name, contents in (("odd/pane", WINDOW | TRANSLUCENT), ("glass/stone", SOLID), ("dev/dev_measurerails01", SOLID),
                           ("odd/other", WINDOW | TRANSLUCENT)):
        check(bsp.contents(name) == {contents}, (name, bsp.brushes()))
    compile_map(True)
    write(table, said("odd/pane", "0x0", "0x1"))
    _, bsp = compile_map(False)
    check(bsp.contents("odd/pane") == {SOLID} and bsp.contents("dev/dev_measurerails01") == {GRATE | TRANSLUCENT},
          bsp.brushes())
    os.rename(table, os.path.join(folder, "materials.tsv"))
    done, again = compile_map(False)
    check(again.brushes() == bsp.brushes() and "A010" in done.codes(), done)
    s.run("vbsp", "--json", "--no-cache", "--sandbox", path).expect(0).find("A010")


@suite.case
def several_materials_seal_together(s, folder):
    done, bsp = compiled(s, folder, closed(WALL, px="metal/metaltruss01", nz="metal/metalgrate05", py="glass/big"))
    check(done.codes().count("A009") == 3, done)
    for name in ("metal/metaltruss01", "metal/metalgrate05", "glass/big"):
        check(bsp.contents(name) == {SOLID}, bsp.brushes())


@suite.case
def another_hole_is_told_as_ever(s, folder):
    done, _ = compiled(s, folder, closed(WALL, HOLE, px="metal/metaltruss01", py=None), status=3)
    check("A009" not in done.codes() and "V001" in done.codes(), done)


@suite.case
def what_is_known_is_no_guess(s, folder):
    """Glass of a catalogue leaks; so do water and a brush with a side that is known to be see-through."""
    rows = write(os.path.join(folder, "t.tsv"), "glass/known\t64\t64\t64\t64\t.2\t.2\t.2\t0x10\t0x2\t0\t-\n")
    for wall, options in (("glass/known", ("--texdata", rows)), ("nature/water_a", ()),
                          (["glass/a"] * 5 + ["tools/toolsinvisible"], ())):
        done, _ = compiled(s, folder, closed(WALL, px=wall), *options, status=3)
        check("A009" not in done.codes() and "V001" in done.codes(), (wall, done))


@suite.case
def what_stands_outside_is_left_alone(s, folder):
    """Only what lies on a way from the inside to the outside is refuted."""
    outside = [((600, 0, 0), (616, 64, 64), "metal/metalfence01"), ((272, -256, 0), (280, 256, 256), "glass/facade")]
    _, bsp = compiled(s, folder, closed(WALL, outside, ny="metal/metaltruss01"))
    check(bsp.contents("metal/metaltruss01") == {SOLID}, bsp.brushes())
    check(bsp.contents("metal/metalfence01") == {GRATE | TRANSLUCENT}, bsp.brushes())
    check(bsp.contents("glass/facade") == {WINDOW | TRANSLUCENT}, bsp.brushes())


@suite.case
def unknown_tools_do_what_their_names_say(s, folder):
    """None is drawn; contents are those that the tools of Valve's games have, in any case of letters."""
    tools = {"tools/toolsnodraw_portal": SOLID, "TOOLS/ToolsNPCClipAndBlock_LOS": 0x20000 | DETAIL,
             "tools/toolsgrenadeclip": 0x80000 | DETAIL, "tools/csgo_toolsplayerclip": 0x10000 | DETAIL,
             "tools/toolsinvisible_wood": GRATE | TRANSLUCENT, "tools/toolsfriction_25": SOLID}
    boxes = [((-200 + 60 * i, -32, 0), (-160 + 60 * i, 32, 64), name) for i, name in enumerate(tools)]
    _, bsp = compiled(s, folder, closed(WALL, boxes))
    for name, contents in tools.items():
        check(bsp.contents(name.lower()) == {contents}, (name, bsp.brushes()))
    check(bsp.drawn() == {WALL}, bsp.drawn())


@suite.case
def rails_do_not_seal_and_a_catalogue_mends_them(s, folder):
    """Rails of dev/ are see-through; a catalogue with other flags tells of another material."""
    text = closed(WALL, [((-64, -64, 0), (64, -56, 128), "dev/dev_measurerails01")])
    _, bsp = compiled(s, folder, text)
    check(bsp.contents("dev/dev_measurerails01") == {GRATE | TRANSLUCENT}, bsp.brushes())
    row = "dev/dev_measurerails01\t512\t128\t512\t128\t.4\t.3\t.2\t%s\t%s\t0\t-\n"
    for flags, given, contents in (("0x0", "0x1", SOLID), ("0x10", "0x1", GRATE | TRANSLUCENT)):
        rows = write(os.path.join(folder, "t.tsv"), row % (flags, given))
        _, bsp = compiled(s, folder, text, "--texdata", rows)
        check(bsp.contents("dev/dev_measurerails01") == {contents}, bsp.brushes())


@suite.case
def the_cache_has_the_same(s, folder):
    path = write(os.path.join(folder, "map.vmf"), closed(WALL, px="metal/metaltruss01"))
    runs = [s.run("vbsp", "--json", "--cache", os.path.join(folder, "cache"), path).expect(0) for _ in range(2)]
    check(runs[0].codes() == runs[1].codes() and "A009" in runs[1].codes(), runs[1])
    check(Compiled(os.path.join(folder, "map.bsp")).contents("metal/metaltruss01") == {SOLID}, "brushes")


@suite.case
def maps_of_the_corpus_are_sealed(s, folder):
    """By the table of facts, without a guess; by guesses, too, if that says nothing of what seals them."""
    guessed = {"tb_aptnew1": 1, "tb_dd_copshop": 1, "tb_dd00": 1, "tb_prologue": 2}
    for name, count in guessed.items():
        path = s.corpus("vmf_wild", name, name + ".vmf")
        done = s.run("vbsp", "--json", "--no-cache", path, "-o", os.path.join(folder, "map.bsp")).expect(0)
        check("A009" not in done.codes(), (name, done))
        text = read(path).decode("latin-1")
        for known in ("glass/", "metal/metaltruss", "metal/metalgrate"):
            text = re.sub(f'"material" "{known}', f'"material" "{known}unknown_', text, flags=re.I)
        done = s.run("vbsp", "--json", "--no-cache", write(os.path.join(folder, name + ".vmf"), text)).expect(0)
        check(done.codes().count("A009") == count, (name, done))


suite.main()
