#!/usr/bin/env python3
"""Levels of Ballance: BM files as maps for editors, and compiled to be played."""
import os
import re
import struct
import zipfile

import openarena
from bmx_files import RED, START, Level, make_level
from e2e import Suite, check, read, write
from ibsp_contents import Volumes

suite = Suite()
SOLID = 1


def entities(text):
    """The keys of each entity of a .map, and its number of brushes."""
    found = []
    for block in re.split(r"^// entity \d+\n", text, flags=re.MULTILINE)[1:]:
        keys = dict(re.findall(r'^"([^"]*)" "([^"]*)"$', block, re.MULTILINE))
        found.append((keys, block.count("// brush")))
    return found


@suite.case
def a_level_becomes_a_map(s, folder):
    source, out = make_level(os.path.join(folder, "level.bmx")), os.path.join(folder, "made", "isle.map")
    s.run("brushwork", "bmx", "check", source).expect(0)
    done = s.run("brushwork", "convert", "--json", source, out)
    done.expect(0)
    check(set(done.codes()) == {"M120", "M131"}, done.codes())
    found = {keys.get("targetname", keys["classname"]): (keys, brushes) for keys, brushes in
             entities(read(out).decode())}
    kinds = {name: (keys["classname"], brushes) for name, (keys, brushes) in found.items()}
    check(kinds == {"worldspawn": ("worldspawn", 0), "A_Floor_01": ("phys_floor", 1), "A_Floor_02": ("phys_floor", 1),
                    "Ramp": ("misc_model", 0), "DepthCubes_01": ("depth_cube", 1),
                    "PS_FourFlames_01": ("ps_fourflames", 0), "PR_Resetpoint_01": ("pr_resetpoint", 0),
                    "PE_Balloon_01": ("pe_balloon", 0)}, kinds)
    check(found["A_Floor_01"][0]["_groups"] == "Shadow", found["A_Floor_01"])
    check(found["PR_Resetpoint_01"][0]["sector"] == "1", found["PR_Resetpoint_01"])
    check(found["PS_FourFlames_01"][0]["origin"] == "32 48 40", found["PS_FourFlames_01"])
    base = os.path.dirname(out)
    check(read(os.path.join(base, "textures", "bmx", "isle", "red_floor.tga")) == RED, "texture")
    check(os.path.exists(os.path.join(base, found["Ramp"][0]["model"])), found["Ramp"])
    table = read(os.path.join(base, "isle.materials")).decode()
    for part in ('face "bmx/isle/red_floor"', 'face "ballance/floor_side"', "size 2 4",
                 'path "textures/bmx/isle/red_floor.tga"'):
        check(part in table, f"no {part} in\n{table}")


@suite.case
def all_forms_of_a_map_fill_the_same(s, folder):
    source = make_level(os.path.join(folder, "level.bmx"))
    walls = []
    for form in ("primitives", "valve220", "classic"):
        out = os.path.join(folder, form + ".map")
        s.run("brushwork", "convert", source, out, "--map-format", form).expect(0)
        text = read(out).decode()
        check(("brushDef" in text) == (form == "primitives") and ('"220"' in text) == (form == "valve220"), form)
        walls.append(re.findall(r"^\(.*?\) \(.*?\) \( .*? \)", text, re.MULTILINE))
    check(len(walls[0]) == 18 and walls[0] == walls[1] == walls[2], walls)


@suite.case
def a_level_becomes_a_vmf(s, folder):
    source, out = make_level(os.path.join(folder, "level.bmx")), os.path.join(folder, "level.vmf")
    done = s.run("brushwork", "convert", "--json", source, out)
    done.expect(0)
    check(set(done.codes()) == {"M120", "M127", "M131", "M135"}, done.codes())
    text = read(out).decode()
    for part in ('"classname" "prop_static"', '"model" "models/bmx/level/sheet.mdl"', '"material" "bmx/level/red_floor"',
                 '"classname" "ps_fourflames"'):
        check(part in text, part)
    prisms = s.run("brushwork", "convert", "--json", source, out, "--prisms")
    prisms.expect(0)
    check(set(prisms.codes()) == {"M120", "M128", "M131", "M135"}, prisms.codes())
    check(read(out).decode().count("\tsolid\n") == 5, "two more brushes")
    codes = set(s.run("vbsp", "--json", out).codes())
    check(codes == {"A004", "V001"}, f"{codes}: read without a fault, but nothing seals the world")


@suite.case
def nothing_is_written_of_what_fails(s, folder):
    source, made = make_level(os.path.join(folder, "level.bmx")), os.path.join(folder, "made")
    out = os.path.join(made, "level.map")
    level = Level(source)
    level.meshes[0]["faces"].append(level.meshes[0]["faces"][0])
    twice = os.path.join(folder, "twice.bmx")
    level.store(twice)
    done = s.run("brushwork", "convert", "--json", "--strict", twice, out)
    done.expect(1)
    check("M125" in done.codes() and "B008" in done.codes() and not os.listdir(made), done.codes())
    cut = os.path.join(folder, "cut.bmx")
    level.meshes[0]["faces"].append((99,) * 9 + (0, 0))
    level.store(cut)
    s.run("brushwork", "convert", cut, out).expect(1)
    check(not os.listdir(made), os.listdir(made))
    write(os.path.join(made, "textures"), b"a file in the way of the folder")
    s.run("brushwork", "convert", source, out).expect(1)
    check(os.listdir(made) == ["textures"], os.listdir(made))
    s.run("brushwork", "convert", source, os.path.join(folder, "level.bsp")).expect(2)


@suite.case
def standard_input_and_output(s, folder):
    source, out = make_level(os.path.join(folder, "level.bmx")), os.path.join(folder, "level.map")
    s.run("brushwork", "convert", source, out).expect(0)
    piped = s.run("brushwork", "convert", "-", "-", "--to", "map", stdin=read(source)).expect(0)
    check(piped.out == read(out), "the same map")


def compiled(s, folder):
    source = make_level(os.path.join(folder, "level.bmx"))
    done = s.run("brushwork", "build", "-fast", source).expect(0)
    check("level.pk3 to baseq3/ (with sv_pure 0)" in " ".join(done.out.decode().split()), done.out)
    return os.path.join(folder, "level")


@suite.case
def a_level_is_compiled(s, folder):
    stem = compiled(s, folder)
    volumes = Volumes(read(stem + ".bsp"))
    x, y, z = START
    check(volumes.contents((x, y, z)) == 0, "the start is free")
    check(volumes.contents((x, y, -8)) & SOLID and volumes.contents((x, y, 2)) == 0, "floor below the start")
    check(volumes.contents((40, 400, 8)) & SOLID, "the second floor is at its place")
    check(volumes.contents((500, 20, 4)) & SOLID, "models are solid")
    with zipfile.ZipFile(stem + ".pk3") as pack:
        check(pack.read("textures/bmx/level/red_floor.tga") == RED, "texture")
        script = pack.read("scripts/bmx_level.shader").decode()
        stand_in = pack.read("textures/bmx/level/_ffffff.tga")
    check(set(stand_in[18:]) == {255, 204} and script.count("map textures/bmx/level/_ffffff.tga") == 1, "squares for Floor_Side")
    check("textures/bmx/level/_sky" in script and "textures/ballance/Floor_Side" in script, script)
    text = read(stem + ".bsp")
    check(b'"trigger_hurt"' in text and b'"info_player_deathmatch"' in text, "entities")


def bmp(width, height):
    """An image of three bytes a pixel."""
    sizes = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    rows = bytes(width * height * 3)
    return b"BM" + struct.pack("<IHHI", 54 + len(rows), 0, 0, 54) + sizes + rows


@suite.case
def a_texture_may_be_a_bmp(s, folder):
    """Texture coordinates of the file count images, those of the map pixels, eight times as many upwards."""
    level, source = Level(), os.path.join(folder, "level.bmx")
    own = level.add_material("Own", level.add_texture("Own", "own.bmp", bmp(32, 256)))
    floor = level.add_box("Floor", (0, 0, -80), (320, 160, 0), [own] * 6)
    level.add_object("A_Floor_01", floor, ["Phys_Floors"])
    level.add_component("PS_FourFlames", "PS_FourFlames_01", START, ["PS_Levelstart"])
    level.store(source)
    done = s.run("brushwork", "build", "-fast", "--json", source).expect(0)
    check("A031" not in done.codes(), f"the compiler has read the image: {done.codes()}")
    s.run("brushwork", "convert", source, os.path.join(folder, "level.map")).expect(0)
    sides = re.findall(rb"bmx/level/own .* 0 (\S+) (\S+) 0 0 0$", read(os.path.join(folder, "level.map")), re.MULTILINE)
    check(len(sides) == 6 and {float(v) / float(u) for u, v in sides} == {1 / 8}, sides)


@suite.case
def what_no_game_has_room_for_is_left_out(s, folder):
    """A floor a hundred thousand units away, which a map for an editor has as a model."""
    level, source = Level(), os.path.join(folder, "level.bmx")
    floor = level.add_box("Floor", (0, 0, -80), (320, 160, 0), [level.add_material("Own")] * 6)
    level.add_object("Near", floor, ["Phys_Floors"])
    level.add_object("Far", floor, ["Phys_Floors"], (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -1e5, 1))
    level.add_component("PS_FourFlames", "PS_FourFlames_01", START, ["PS_Levelstart"])
    level.store(source)
    done = s.run("brushwork", "build", "-fast", "--json", source).expect(0)
    check("M130" in done.codes() and not {"V001", "V437"} & set(done.codes()), done.codes())
    s.run("brushwork", "convert", source, os.path.join(folder, "level.map")).expect(0)
    named = {keys.get("targetname"): keys["classname"] for keys, _ in entities(read(os.path.join(folder, "level.map")).decode())}
    check(named["Far"] == "misc_model", named)


@suite.case
def clip_brushes_of_models_are_no_mistakes(s, folder):
    done = s.run("vbsp", "--json", make_level(os.path.join(folder, "level.bmx"))).expect(0)
    check(not {"V333", "S005"} & set(done.codes()), done.codes())


@suite.case
def a_compiled_level_loads_in_the_engine(s, folder):
    openarena.packs()
    loaded = openarena.load_in_server(compiled(s, folder) + ".bsp", folder)
    check(loaded.ok and not loaded.complaints, loaded.log[-3000:])


@suite.case
def the_levels_of_the_project_can_be_played(s, folder):
    for name in ("rails", "ramps", "tower"):
        stem = os.path.join(folder, name)
        s.run("brushwork", "convert", s.map(f"ballance/{name}.map"), stem + ".bmx").expect(0)
        s.run("brushwork", "build", "-fast", stem + ".bmx").expect(0)
        start = next(o for o in Level(stem + ".bmx").objects if o["name"].startswith("PS_FourFlames"))["matrix"]
        x, z, y = (16 * value for value in start[12:15])
        volumes = Volumes(read(stem + ".bsp"))
        below = next(k for k in range(100) if volumes.contents((x, y, z - k)) & SOLID)
        check(0 < below < 100 and volumes.contents((x, y, z + 40)) == 0, f"{name}: the floor is {below} below")
        if os.path.exists(openarena.SERVER):
            loaded = openarena.load_in_server(stem + ".bsp", folder)
            check(loaded.ok and not loaded.complaints, loaded.log[-3000:])


@suite.case
def a_level_is_compiled_for_source(s, folder):
    source = make_level(os.path.join(folder, "level.bmx"))
    s.run("vbsp", "--target", "sdk2013", source).expect(0)
    check(read(os.path.join(folder, "level.bsp"))[:4] == b"VBSP", "a VBSP")
    check(not os.path.exists(os.path.join(folder, "level.pk3")), "no pack for Quake 3")


@suite.case
def all_samples_become_maps(s, folder):
    valid = s.corpus("bmx", "valid")
    for name in sorted(os.listdir(valid)):
        for out in ("a.map", "a.vmf"):
            s.run("brushwork", "convert", os.path.join(valid, name), os.path.join(folder, name, out)).expect(0)
        objects = Level(os.path.join(valid, name)).objects
        text = read(os.path.join(folder, name, "a.map")).decode("utf-8", "replace")
        named = {keys.get("targetname") for keys, _ in entities(text)}
        check({o["name"] for o in objects} <= named, f"{name}: {named}")


suite.main()
