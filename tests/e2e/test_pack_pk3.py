#!/usr/bin/env python3
"""brushwork pack --pk3: a Quake 3 map with all files that it uses, except those of the game."""
import json
import os
import struct
import zipfile

from e2e import Suite, check, read, write

suite = Suite()

SCRIPT = """textures/m/wall
{
	qer_editorimage textures/m/editor.tga
	{ map $lightmap }
	{
		map textures/m/wall.tga
	}
	{
		animMap 4 textures/m/one.jpg textures/m/two
	}
}
textures/m/sky
{
	skyparms env/night 512 -
	surfaceparm sky
}
textures/m/unused
{
	{
		map textures/m/unused.tga
	}
}
"""

ENTITIES = """{
"classname" "worldspawn"
"music" "music/intro music/loop.ogg"
}
{
"classname" "target_speaker"
"noise" "sound/hum"
}
{
"classname" "misc_gamemodel"
"model" "models/box.md3"
}
{
"classname" "target_speaker"
"noise" "*falling1.wav"
}
"""


def tga(side):
    return struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, side, side, 24, 0) + bytes(
        3 * side * side)


def md3(shader):
    """A model with a surface without triangles."""
    surface = struct.pack("<4s64s10i", b"IDP3", b"box", 0, 1, 1, 0, 0, 176, 108, 176, 176, 176)
    surface += struct.pack("<64si", shader, 0)
    header = struct.pack("<4si64s9i", b"IDP3", 15, b"box", 0, 0, 0, 1, 0, 108, 108, 108,
                         108 + len(surface))
    return header + surface


def a_map(s, path, shaders, entities=ENTITIES):
    """One of our maps with other shaders and entities."""
    room = os.path.join(s.options.source, "tests", "fuzz", "seeds", "ibsp", "room.bsp")
    data = bytearray(read(room))
    offset, length = struct.unpack_from("<2i", data, 16)
    lump = bytes(data[offset:offset + length])
    lump += b"".join(struct.pack("<64sII", name, 0, 1) for name in shaders)
    for number, new in ((0, entities.encode() + b"\0"), (1, lump)):
        struct.pack_into("<2i", data, 8 + 8 * number, len(data), len(new))
        data += new + bytes(-len(new) % 4)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return write(path, bytes(data))


def put(folder, files):
    for name, data in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, data)


def a_game(s, folder):
    base = os.path.join(folder, "q", "baseq3")
    put(base, {
        "scripts/shaderlist.txt": "m\n",
        "scripts/m.shader": SCRIPT,
        "textures/m/wall.tga": tga(4),
        "textures/m/one.tga": tga(2),
        "textures/m/two.png": tga(2),
        "textures/m/plain.tga": tga(2),
        "textures/m/unused.tga": tga(2),
        "textures/m/editor.tga": tga(2),
        "env/night_up.tga": tga(2),
        "env/night_rt.jpg": b"any",
        "music/intro.wav": b"intro",
        "music/loop.ogg": b"loop",
        "sound/hum.wav": b"hum",
        "models/box.md3": md3(b"models/box.tga"),
        "models/box.jpg": b"any",
        "levelshots/test.jpg": b"shot",
        "maps/test.aas": b"aas",
        "scripts/test.arena": b"{ }",
    })
    with zipfile.ZipFile(os.path.join(base, "pak0.pk3"), "w") as pack:
        pack.writestr("textures/base/floor.tga", tga(2))
        pack.writestr("textures/m/plain.jpg", b"hidden by the loose one")
        pack.writestr("scripts/z.shader",
                      "textures/base/lava\n{\n{\nmap textures/base/floor.tga\n}\n}")
    shaders = [b"textures/m/wall", b"textures/m/sky", b"textures/m/plain", b"textures/base/floor",
               b"textures/base/lava", b"textures/common/caulk", b"noshader"]
    return a_map(s, os.path.join(base, "maps", "test.bsp"), shaders)


WANTED = {
    "env/night_rt.jpg", "env/night_up.tga", "levelshots/test.jpg", "maps/test.aas", "maps/test.bsp",
    "models/box.jpg", "models/box.md3", "music/intro.wav", "music/loop.ogg", "scripts/test.arena",
    "scripts/test.shader", "sound/hum.wav", "textures/m/one.tga", "textures/m/plain.tga",
    "textures/m/two.png", "textures/m/wall.tga"
}


def pack(s, folder, *more, status=0):
    out = os.path.join(folder, "out.pk3")
    ran = s.run("brushwork", "pack", os.path.join(folder, "q", "baseq3", "maps", "test.bsp"),
                "--pk3", out, "--game", os.path.join(folder, "q"), *more).expect(status)
    return out, ran


def names(path):
    with zipfile.ZipFile(path) as archive:
        check(archive.testzip() is None, "a member is damaged")
        return archive.namelist()


@suite.case
def used_files_are_packed(s, folder):
    bsp = a_game(s, folder)
    out, ran = pack(s, folder)
    found = [n for n in names(out) if "seed" not in n]
    check(set(found) == WANTED, (sorted(WANTED - set(found)), sorted(set(found) - WANTED)))
    check(found == sorted(found), found)
    with zipfile.ZipFile(out) as archive:
        check(archive.read("maps/test.bsp") == read(bsp), "the map has changed")
        script = archive.read("scripts/test.shader").decode()
        check(all(i.date_time == (1980, 1, 1, 0, 0, 0) for i in archive.infolist()), "dates")
    check("textures/m/wall\n{" in script and "textures/m/sky\n{" in script, script)
    check("unused" not in script and "lava" not in script, script)
    first = read(out)
    os.utime(bsp, (0, 0))
    pack(s, folder)
    check(read(out) == first, "two runs differ")


@suite.case
def the_pack_works_as_a_game(s, folder):
    """The pack and the game's own pack together are complete."""
    a_game(s, folder)
    out, _ = pack(s, folder)
    other = os.path.join(folder, "other", "baseq3")
    os.makedirs(other)
    os.rename(out, os.path.join(other, "test.pk3"))
    os.rename(os.path.join(folder, "q", "baseq3", "pak0.pk3"), os.path.join(other, "pak0.pk3"))
    with zipfile.ZipFile(os.path.join(other, "test.pk3")) as archive:
        bsp = write(os.path.join(folder, "test.bsp"), archive.read("maps/test.bsp"))
    again = os.path.join(folder, "again.pk3")
    s.run("brushwork", "pack", bsp, "--pk3", again, "--game", os.path.join(folder, "other")).expect(0)
    check(set(names(again)) == set(names(os.path.join(other, "test.pk3"))), names(again))


@suite.case
def a_map_has_its_part_of_an_arena_script(s, folder):
    """For maps without a script of their own."""
    bsp = a_game(s, folder)
    scripts = os.path.join(folder, "q", "baseq3", "scripts")
    os.remove(os.path.join(scripts, "test.arena"))
    write(os.path.join(scripts, "broken.arena"), "{ map test")
    write(os.path.join(scripts, "many.arena"),
          '// two\n{\nmap "other"\nlongname "test"\n}\n'
          '{\nlongname\t"A Test"\nmap "TEST" // here\nbots "ghost"\n}\n')
    out, _ = pack(s, folder)
    with zipfile.ZipFile(out) as archive:
        text = archive.read("scripts/test.arena").decode()
    check(text == '{\nlongname\t"A Test"\nmap "TEST" // here\nbots "ghost"\n}\n', text)
    check("scripts/many.arena" not in names(out), names(out))
    rules = write(os.path.join(folder, "x.txt"), "scripts/*.arena\n")
    out, _ = pack(s, folder, "--exclude", rules)
    check("scripts/test.arena" not in names(out), names(out))
    os.remove(os.path.join(scripts, "many.arena"))
    out, _ = pack(s, folder)
    check("scripts/test.arena" not in names(out) and os.path.exists(bsp), names(out))


@suite.case
def lists_exclude_files(s, folder):
    a_game(s, folder)
    rules = write(os.path.join(folder, "x.txt"), "// sounds\nsound/*\n textures/M/s?y  // the sky\n")
    out, _ = pack(s, folder, "--exclude", rules)
    left = WANTED - {"sound/hum.wav", "env/night_rt.jpg", "env/night_up.tga"}
    check(set(names(out)) == left, names(out))
    out, _ = pack(s, folder, "--with-game")
    check("textures/base/floor.tga" in names(out), names(out))


@suite.case
def missing_files_are_reported(s, folder):
    a_game(s, folder)
    base = os.path.join(folder, "q", "baseq3")
    for name in ("sound/hum.wav", "textures/m/wall.tga", "textures/m/plain.tga", "models/box.md3"):
        os.remove(os.path.join(base, name))
    _, ran = pack(s, folder, "--json")
    messages = sorted(d["message"] for d in ran.diagnostics if d["code"] == "A039")
    check(messages == ['"models/box.md3", used by entity 2 misc_gamemodel model', '"sound/hum", used by entity 1 target_speaker noise',
                       '"textures/m/wall.tga", used by surface or brush -> textures/m/wall map'], messages)
    told = {f["name"]: f["status"] for f in json.loads(ran.out)["files"]}
    check([n for n, status in told.items() if status == "missing" and "/m/" in n or n.startswith(("sound", "models/box.md3"))] ==
          ["models/box.md3", "sound/hum", "textures/m/wall.tga"], told)


@suite.case
def a_table_says_why(s, folder):
    bsp = a_game(s, folder)
    rules = write(os.path.join(folder, "x.txt"), "env/*\n")
    out = os.path.join(folder, "dry.pk3")
    line = ("brushwork", "pack", bsp, "--pk3", out, "--game", os.path.join(folder, "q"), "--dry-run", "--exclude", rules)
    rows = {row.split()[1]: (row.split()[0], " ".join(row.split()[2:])) for row in s.run(*line).expect(0).out.decode().splitlines()}
    for name, wanted in {
            "textures/m/two.png": ("add", "surface or brush -> textures/m/wall animMap"),
            "textures/m/wall": ("add", "surface or brush"), "models/box.jpg": ("add", "entity 2 misc_gamemodel model -> models/box.md3 shader"),
            "music/loop.ogg": ("add", "entity 0 worldspawn music"), "levelshots/test.jpg": ("add", "by the name of the map"),
            "env/night_rt.jpg": ("excluded", "surface or brush -> textures/m/sky skyparms"),
            "textures/base/floor.tga": ("stock", "surface or brush")}.items():
        check(rows.get(name) == wanted, f"{name}: {rows.get(name)}")
    check(not os.path.exists(out), "a dry run writes")
    found = json.loads(s.run(*line, "--json").expect(0).out)
    sizes = {f["name"]: f.get("bytes") for f in found["files"]}
    check(sizes["textures/m/wall.tga"] == os.path.getsize(os.path.join(folder, "q", "baseq3", "textures", "m", "wall.tga")), sizes)
    kinds = {f["name"]: f["kind"] for f in found["files"]}
    check(kinds["textures/m/wall"] == "shader" and kinds["models/box.md3"] == "model", kinds)
    for option in (("--prune",), ("--stock", folder)):
        s.run("brushwork", "pack", bsp, "--pk3", out, *option).expect(2)


@suite.case
def invalid_command_lines_are_rejected(s, folder):
    bsp = a_game(s, folder)
    out = os.path.join(folder, "o.pk3")
    s.run("brushwork", "pack", bsp, "--pk3", out, "--store").expect(2)
    s.run("brushwork", "pack", bsp, "--exclude", bsp).expect(2)
    own = os.path.join(s.options.source, "tests", "fuzz", "seeds", "bsp", "portal.bsp")
    s.run("brushwork", "pack", own, "--pk3", out).expect(1)
    s.run("brushwork", "pack", bsp, "--pk3", out, "--game", "quake3", "-fs_basepath",
          os.path.join(folder, "nowhere")).expect(1)
    check(not os.path.exists(out), "written all the same")


@suite.case
def several_maps_share_an_archive(s, folder):
    """Each file once; each map with the shaders that it uses."""
    bsp = a_game(s, folder)
    maps, out = os.path.dirname(bsp), os.path.join(folder, "out.pk3")
    other = a_map(s, os.path.join(maps, "other.bsp"), [b"textures/m/wall", b"textures/m/plain"])
    game = ("--game", os.path.join(folder, "q"))
    s.run("brushwork", "pack", bsp, other, "--pk3", out, *game).expect(0)
    found = [n for n in names(out) if "seed" not in n]
    check(len(found) == len(set(found)), "a file is there twice")
    check(set(found) == WANTED | {"maps/other.bsp", "scripts/other.shader"}, sorted(found))
    with zipfile.ZipFile(out) as archive:
        check(archive.read("maps/other.bsp") == read(other), "the map has changed")
        script = archive.read("scripts/other.shader").decode()
    check("textures/m/wall\n{" in script and "textures/m/sky" not in script, script)
    first = read(out)
    s.run("brushwork", "pack", other, bsp, "--pk3", out, *game).expect(0)
    check(read(out) == first, "the order matters")
    alike = a_map(s, os.path.join(folder, "TEST.bsp"), [b"textures/m/wall"])
    check(s.run("brushwork", "pack", bsp, alike, "--pk3", out, *game).status == 2, "one name twice")
    check(s.run("brushwork", "pack", bsp, other, "--store").status == 2, "several without --pk3")


suite.main()
