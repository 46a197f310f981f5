#!/usr/bin/env python3
"""Options of vbsp under q3map2's names: flags of shaders, the file that is read, and that light and
visibility follow."""
import os
import shutil
import struct

from e2e import Suite, check, read, write

SHADERS = 1
SLICK, NOMARKS, NOOB = 0x2, 0x20, 0x80000

suite = Suite()


def game(folder, **files):
    """A game with those scripts, by name; its base path."""
    root = os.path.join(folder, "games")
    os.makedirs(os.path.join(root, "baseq3", "scripts"))
    write(os.path.join(root, "baseq3", "scripts", "a.shader"), "textures/none/none\n{\n}\n")
    for name, text in files.items():
        write(os.path.join(root, "baseq3", "scripts", name.replace("_", ".")), text)
    return root


def shaders(path):
    """Surface flags and contents by name."""
    data = read(path)
    offset, length = struct.unpack_from("<ii", data, 8 + 8 * SHADERS)
    found = {}
    for at in range(offset, offset + length, 72):
        name, flags, contents = struct.unpack_from("<64sii", data, at)
        found[name.split(b"\0")[0].decode()] = flags, contents
    return found


def compiled(s, folder, name, *options, status=0):
    path = os.path.join(folder, name + ".bsp")
    s.run("vbsp", s.map("q3_box.map"), "-o", path, "--json", *options).expect(status)
    return path


@suite.case
def all_shaders_get_the_flags(s, folder):
    root = game(folder)
    plain = shaders(compiled(s, folder, "plain", "-game", root))
    check(plain and not any(flags & NOOB for flags, _ in plain.values()), plain)
    for options, bits in [(["-noob"], NOOB), (["-globalflag", "noob"], NOOB),
                          (["-globalflag", "slick", "-globalflag", "nomarks"], SLICK | NOMARKS),
                          (["-noob", "-globalflag", "slick"], NOOB | SLICK)]:
        found = shaders(compiled(s, folder, "with", "-game", root, *options))
        check(found.keys() == plain.keys(), found)
        for name, (flags, contents) in found.items():
            # Sides that the compiler adds have the sounds and effects of others.
            expected = bits & (SLICK | NOOB) if name == "noshader" else plain[name][0] | bits
            check((flags, contents) == (expected, plain[name][1]), f"{options}: {name} {flags:#x}")
    s.run("brushwork", "verify", os.path.join(folder, "with.bsp")).expect(0)


@suite.case
def all_stages_in_one_write_the_same(s, folder):
    root = game(folder)
    options = ["-noob", "-globalflag", "slick", "-minsamplesize", "24"]
    three, one = (os.path.join(folder, name + ".bsp") for name in ("three", "one"))
    s.run("vbsp", s.map("q3_box.map"), "-o", three, "-game", root, *options).expect(0)
    s.run("vvis", three).expect(0)
    s.run("vrad", three, "-game", root).expect(0)
    s.run("brushwork", "build", s.map("q3_box.map"), "-o", one, "-game", root, *options).expect(0)
    check(read(three) == read(one), "other bytes")


@suite.case
def an_unknown_flag_is_told(s, folder):
    done = s.run("vbsp", s.map("q3_box.map"), "-o", os.path.join(folder, "a.bsp"), "--json",
                 "-game", game(folder), "-globalflag", "slikc").expect(0)
    check("slikc" in done.find("A033")["message"], str(done))


@suite.case
def games_have_flags_of_their_own(s, folder):
    root = game(folder, custinfoparms_txt="{\nglue 0x800\n}\n{\nicy 0x400000\n}\n")
    found = shaders(compiled(s, folder, "a", "-game", root, "-custinfoparms", "-globalflag", "icy",
                             "-globalflag", "glue"))
    for name, (flags, contents) in found.items():
        if name != "noshader":
            check(flags & 0x400000 and contents & 0x800, f"{name}: {flags:#x} {contents:#x}")
    done = s.run("vbsp", s.map("q3_box.map"), "-o", os.path.join(folder, "b.bsp"), "--json",
                 "-game", root, "-globalflag", "icy").expect(0)
    check("icy" in done.find("A033")["message"], str(done))


@suite.case
def light_knows_the_flags_of_a_game(s, folder):
    root = game(folder, custinfoparms_txt="{\nglue 0x800\n}\n{\nicy 0x400000\n}\n",
                b_shader="textures/base_floor/concrete\n{\nsurfaceparm icy\nsurfaceparm icky\n}\n")
    path = compiled(s, folder, "a", "-game", root, "-custinfoparms")
    s.run("vvis", path).expect(0)
    before = read(path)
    plain = s.run("vrad", path, "--json", "-fast", "-game", root).expect(0)
    light = read(path)
    write(path, before)
    done = s.run("vrad", path, "--json", "-fast", "-game", root, "-custinfoparms").expect(0)
    told = [[d["message"] for d in run.diagnostics if d["code"] == "A033"] for run in (plain, done)]
    check("surfaceparm icy" in str(told[0]), told)
    check("surfaceparm icky" in str(told[1]) and "icy" not in str(told[1]), told)
    check(read(path) == light and shaders(path)["textures/base_floor/concrete"][0] & 0x400000, "flags are lost")
    os.remove(os.path.join(root, "baseq3", "scripts", "custinfoparms.txt"))
    done = s.run("vrad", path, "--json", "-fast", "-game", root, "-custinfoparms").expect(0)
    check("no such file" in done.find("A042")["message"], str(done))


@suite.case
def the_map_is_read_from_another_file(s, folder):
    """Its outputs are named after the map, which need not exist."""
    expected = read(compiled(s, folder, "expected"))
    other = shutil.copy(s.map("q3_box.map"), os.path.join(folder, "session.tmp"))
    s.run("vbsp", os.path.join(folder, "mine.map"), "-tempname", other).expect(0)
    check(read(os.path.join(folder, "mine.bsp")) == expected, "another map")
    for ending in (".prt", ".srf"):
        check(os.path.exists(os.path.join(folder, "mine" + ending)), "no " + ending)
    done = s.run("vbsp", os.path.join(folder, "mine.map"), "-tempname",
                 os.path.join(folder, "mine.bsp"), "--json").expect(2)
    check("both" in done.find("T001")["message"], str(done))
    s.run("vbsp", os.path.join(folder, "mine.map"), "-tempname",
          os.path.join(folder, "none.map")).expect(1)


if __name__ == "__main__":
    suite.main()
