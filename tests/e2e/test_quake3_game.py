#!/usr/bin/env python3
"""Games of Quake 3 from the command line: where they are looked for, and what is told of shaders."""
import os

from e2e import Suite, check, write

suite = Suite()


def a_game(folder):
    """One script that a list names, and one that none does."""
    base = os.path.join(folder, "q", "baseq3", "scripts")
    os.makedirs(base)
    write(os.path.join(base, "shaderlist.txt"), "listed\n")
    write(os.path.join(base, "listed.shader"),
          "textures/dev/dev_measuregeneric01b\n{\nq3map_whatever 1\n{\nmap $whiteimage\n}\n}\n")
    write(os.path.join(base, "other.shader"),
          "textures/tools/toolsareaportal\n{\nsurfaceparm nodraw\n}\ntextures/lost/brace\n{\n")
    return os.path.join(folder, "q")


def compile_with(s, folder, *options):
    return s.run("vbsp", s.map("areaportal.vmf"), "-o", os.path.join(folder, "x.bsp"), "--json",
                 *options)


@suite.case
def shaders_of_a_map_are_reported(s, folder):
    game = a_game(folder)
    done = compile_with(s, folder, "--game", game).expect(0)
    check("A030" not in done.codes(), done)
    check("other.shader" in done.find("A034")["message"], done)
    check(done.find("A032")["file"] == "scripts/other.shader", done)
    check("q3map_whatever" in done.find("A033")["message"], done)


@suite.case
def missing_shaders_are_placed(s, folder):
    game = a_game(folder)
    os.remove(os.path.join(game, "baseq3", "scripts", "listed.shader"))
    done = compile_with(s, folder, "-game", game).expect(0)
    told = done.find("A030")
    check(told["file"].endswith("areaportal.vmf") and told["line"] > 0, told)
    check("24 sides" in told["message"], told)
    os.remove(os.path.join(folder, "x.bsp"))
    compile_with(s, folder, "-game", game, "--fail-if", "A030").expect(1)
    check(not os.path.exists(os.path.join(folder, "x.bsp")), "written all the same")
    compile_with(s, folder, "-game", game, "--fail-if", "a030>0").expect(1)
    compile_with(s, folder, "-game", game, "--fail-if", "A030>99").expect(0)
    compile_with(s, folder, "-game", game, "--fail-if", "A030>5%").expect(2)


@suite.case
def options_of_q3map2_are_taken(s, folder):
    game = a_game(folder)
    done = compile_with(s, folder, "-game", "quake3", "-fs_basepath", game + "/", "-fs_game",
                        "baseq3").expect(0)
    check("A030" not in done.codes() and "A003" not in done.codes(), done)
    done = compile_with(s, folder, "-fs_basepath", game, "-fs_basegame", "baseq3", "-fs_game",
                        "nomod").expect(0)
    check(done.find("A003")["file"] == "nomod", done)
    done = compile_with(s, folder, "-game", "quake3", "-fs_basepath", folder).expect(1)
    check(done.codes() == ["A037"], done)
    compile_with(s, folder, "-game", os.path.join(folder, "nowhere")).expect(1).find("A001")


@suite.case
def missing_shaders_are_told_once_without_a_game_too(s, folder):
    """As a game that was not given, in the line of the first; the tool shaders are there."""
    done = s.run("vbsp", "--json", "-o", os.path.join(folder, "box.bsp"), s.map("q3_box.map"))
    done.expect(0)
    check("A004" not in done.codes() and "A030" not in done.codes(), done)
    check(done.codes().count("A041") == 1 and done.find("A041")["line"] > 0, done)


suite.main()
