#!/usr/bin/env python3
"""brushwork unpack and pack --lumps and --lightmaps: lumps of Quake 3 maps as files, and back."""
import json
import os
import shutil
import struct

import openarena
from e2e import Suite, Skip, check, read, write
from ibsp_portals import lump, records

ENTITIES, SHADERS, PLANES, LIGHTMAPS = 0, 1, 2, 14
PAGE = 128 * 128 * 3

suite = Suite()


def lit(s, folder):
    bsp = os.path.join(folder, "a.bsp")
    s.run("brushwork", "build", "-o", bsp, s.map("q3_lights.map")).expect(0)
    return bsp


def unpack(s, folder, bsp, kind):
    out = os.path.join(folder, kind)
    s.run("brushwork", "unpack", bsp, "--" + kind, "--to", out, "--force").expect(0)
    return out


def comes_back(s, folder, bsp):
    data = read(bsp)
    for kind in ("lumps", "lightmaps"):
        out = unpack(s, folder, bsp, kind)
        s.run("brushwork", "pack", bsp, "--" + kind, out).expect(0)
        check(read(bsp) == data, f"{bsp}: other bytes after --{kind}")


@suite.case
def the_same_bytes_come_back(s, folder):
    comes_back(s, folder, lit(s, folder))


@suite.case
def odd_values_come_back(s, folder):
    """Numbers that are none, the zero below zero, names that are no text, bytes of other
    alphabets, and entities in another form."""
    bsp = lit(s, folder)
    data = bytearray(read(bsp))
    start = {n: struct.unpack_from("<2i", data, 8 + 8 * n)[0] for n in (ENTITIES, SHADERS, 10)}
    struct.pack_into("<I", data, start[10] + 20, 0x7fc12345)
    struct.pack_into("<I", data, start[10] + 12, 0x80000000)
    struct.pack_into("<f", data, start[10] + 24, float("-inf"))
    data[start[SHADERS] + 60:start[SHADERS] + 64] = b"abcd"
    at = data.index(b"worldspawn", start[ENTITIES])
    data[at + 3] = 0xe9
    write(bsp, bytes(data))
    comes_back(s, folder, bsp)
    data[start[ENTITIES] + 1] = ord("\t")
    write(bsp, bytes(data))
    comes_back(s, folder, bsp)
    check(isinstance(json.loads(read(os.path.join(folder, "lumps", "entities.json"))), str), "no text")


@suite.case
def changes_arrive(s, folder):
    bsp = lit(s, folder)
    before = read(bsp)
    out = unpack(s, folder, bsp, "lumps")
    for name in os.listdir(out):
        if name not in ("shaders.json", "entities.json"):
            os.remove(os.path.join(out, name))
    path = os.path.join(out, "shaders.json")
    shaders = json.loads(read(path))
    shaders[0]["name"] = "textures/other/name"
    write(path, json.dumps(shaders, indent=3))
    path = os.path.join(out, "entities.json")
    entities = json.loads(read(path))
    entities[0].append(["message", "h\u00e9llo"])
    write(path, json.dumps(entities))
    s.run("brushwork", "pack", bsp, "--lumps", out).expect(0)
    after = read(bsp)
    check(records(after, SHADERS, "64s2i")[0][0].strip(b"\0") == b"textures/other/name", "shader")
    check(b'"message" "h\xe9llo"' in lump(after, ENTITIES), "entity")
    check(lump(after, PLANES) == lump(before, PLANES), "planes")
    pages = unpack(s, folder, bsp, "lightmaps")
    page = bytearray(read(os.path.join(pages, "lm_0000.tga")))
    page[18:21] = b"\x03\x02\x01"  # the lower left pixel, blue first
    write(os.path.join(pages, "lm_0000.tga"), bytes(page))
    s.run("brushwork", "pack", bsp, "--lightmaps", pages).expect(0)
    changed = lump(read(bsp), LIGHTMAPS)
    at = 127 * 128 * 3
    check(changed[at:at + 3] == b"\x01\x02\x03", "pixel")
    check(changed[:at] == lump(after, LIGHTMAPS)[:at], "other pixels")


@suite.case
def what_is_wrong_is_told(s, folder):
    bsp = lit(s, folder)
    before = read(bsp)
    good = unpack(s, folder, bsp, "lumps")
    for name, text, code in (
            ("brushes.json", "[", "B174"), ("brushes.json", "[{}]", "B174"), ("brushes.json", "{}", "B174"),
            ("leaf_brushes.json", "[1.5]", "B174"), ("leaf_brushes.json", "[4294967296]", "B174"),
            ("leaf_brushes.json", "[99999]", "B004"), ("entities.json", '[[["a"]]]', "B174"),
            ("entities.json", '[[["a", "b\\"c"]]]', "B174"), ("planes.json", "[]", "B004"),
            ("visibility.json", '{"clusters": 1, "row_bytes": 8, "rows": ["0g"]}', "B174"),
            ("light_grid.json", '[{"ambient": [0, 0, 256], "directed": [0, 0, 0], "direction": [0, 0]}]',
             "B174")):
        one = os.path.join(folder, "one")
        shutil.rmtree(one, ignore_errors=True)
        os.mkdir(one)
        write(os.path.join(one, name), text)
        done = s.run("brushwork", "pack", "--json", bsp, "--lumps", one)
        check(done.status == 1 and (code in done.codes() or code == "B004" and done.codes()), (text, done))
        check(read(bsp) == before, "it was written")
    empty = os.path.join(folder, "empty")
    os.mkdir(empty)
    for option in ("--lumps", "--lightmaps"):
        check(s.run("brushwork", "pack", "--json", bsp, option, empty).codes() == ["B174"], option)
    done = s.run("brushwork", "unpack", "--json", bsp, "--lumps", "--to", good)
    check(done.status == 1 and done.codes() == ["B503"], done)
    source = os.path.join(folder, "box.bsp")
    s.run("vbsp", "-o", source, s.map("box.vmf")).expect(0)
    done = s.run("brushwork", "unpack", "--json", source, "--lumps", "--to", empty)
    check(done.status == 1 and done.codes() == ["B174"], done)
    write(os.path.join(empty, "lm_0000.tga"), b"no image")
    check(s.run("brushwork", "pack", "--json", bsp, "--lightmaps", empty).codes() == ["B174"], "image")


@suite.case
def maps_of_openarena_come_back(s, folder):
    found = [openarena.shipped(name, folder) for name in ("oacmpdm8", "am_galmevish")]
    if not any(found):
        raise Skip("no maps of OpenArena")
    for bsp in found:
        if bsp:
            comes_back(s, folder, bsp)


suite.main()
