#!/usr/bin/env python3
"""Quake 3 maps at the command line: looked into, verified, given visibility, and refused by the
stages that know Source alone."""
import os
import shutil
import zipfile

from e2e import Skip, Suite, check, read, write
from ibsp_portals import Tree, portal_file

suite = Suite()


def room(s, folder):
    path = os.path.join(folder, "room.bsp")
    shutil.copyfile(os.path.join(s.options.source, "tests/fuzz/seeds/ibsp/room.bsp"), path)
    with open(os.path.join(folder, "room.prt"), "w", encoding="ascii") as portals:
        portals.write("PRT1\n2\n0\n")
    return path


@suite.case
def a_room_is_verified(s, folder):
    s.run("brushwork", "verify", room(s, folder)).expect(0)


@suite.case
def a_room_is_told_of(s, folder):
    s.run("brushwork", "info", room(s, folder)).expect(0)
    s.run("brushwork", "info", "--json", room(s, folder)).expect(0)


DOOR = "(0 -128 -128 ) (0 128 -128 ) (0 128 128 ) (0 -128 128 ) "
OTHER_WAY = "(0 -128 -128 ) (0 -128 128 ) (0 128 128 ) (0 128 -128 ) "


def rows_of(data):
    at, size = (int.from_bytes(data[k:k + 4], "little") for k in (8 + 16 * 8, 12 + 16 * 8))
    lump = data[at:at + size]
    clusters, row = (int.from_bytes(lump[k:k + 4], "little") for k in (0, 4))
    return clusters, row, lump[8:]


@suite.case
def vvis_writes_plain_rows(s, folder):
    """Whatever the form of the portals, and whichever way they look."""
    path = room(s, folder)
    before = read(path)
    check(rows_of(before) == (2, 8, bytes((1, *[0] * 7, 2, *[0] * 7))), "the seed is another")
    for portals in (f"1\n4 0 1 {DOOR}", f"1\n0\n4 0 1 0 {DOOR}", f"1\n0\n4 0 1 2 {OTHER_WAY}",
                    f"1\n1\n4 1 0 0 {DOOR}\n4 1 {DOOR}"):
        write(path, before)
        write(os.path.join(folder, "room.prt"), "PRT1\n2\n" + portals + "\n")
        done = s.run("vvis", path, "--json").expect(0)
        check(not done.codes(), done)
        check(rows_of(read(path)) == (2, 8, bytes((3, *[0] * 7, 3, *[0] * 7))), portals)
        s.run("brushwork", "verify", path).expect(0)
    write(os.path.join(folder, "room.prt"), "PRT1\n2\n0\n")
    s.run("vvis", path).expect(0)
    check(read(path) == before, "what did not change is not as it was")


def same_as_its_compiler(s, folder, data, tolerance):
    """Portals from the map's own tree give what its compiler found, to this part of the pairs."""
    path = write(os.path.join(folder, "map.bsp"), data)
    before = Tree(data)
    write(os.path.join(folder, "map.prt"), portal_file(before))
    s.run("vvis", path).expect(0)
    after = Tree(read(path))
    check(after.clusters == before.clusters, "clusters")
    pairs = [(x, y) for a, b in zip(before.sees, after.sees) for x, y in zip(a, b)]
    missing = sum(x and not y for x, y in pairs)
    more = sum(y and not x for x, y in pairs)
    check(missing + more <= tolerance * sum(x for x, _ in pairs),
          f"{missing} pairs are missing, {more} are new, of {sum(x for x, _ in pairs)}")


@suite.case
def a_map_of_the_corpus_gets_the_visibility_that_it_had(s, folder):
    same_as_its_compiler(s, folder, read(s.corpus("ibsp", "mp_lobby.bsp")), 0)


def shipped(name):
    archive = "/usr/share/games/openarena/baseoa/pak1-maps.pk3"
    if not os.path.exists(archive):
        raise Skip(f"no {archive}")
    with zipfile.ZipFile(archive) as maps:
        return maps.read(f"maps/{name}.bsp")


@suite.case
def maps_of_a_game_get_the_visibility_that_they_had(s, folder):
    for name, tolerance in (("am_galmevish", 0), ("aggressor", 0.01)):
        same_as_its_compiler(s, folder, shipped(name), tolerance)


@suite.case
def vrad_lights_it(s, folder):
    path = room(s, folder)
    before = read(path)
    s.run("vrad", path, "--json").expect(0)
    check(read(path) != before, "the file did not change")
    s.run("brushwork", "verify", path).expect(0)


@suite.case
def a_vmf_is_compiled_for_it_when_asked(s, folder):
    output = os.path.join(folder, "box.bsp")
    s.run("vbsp", s.map("box.vmf"), "--target", "quake3", "-o", output, "--json").expect(0)
    s.run("brushwork", "verify", output).expect(0)
    check(read(output)[:4] == b"IBSP", "it is no IBSP")


if __name__ == "__main__":
    suite.main()
