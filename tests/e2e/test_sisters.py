#!/usr/bin/env python3
"""Games of the family of Quake 3: each is compiled for, lit, read by all verbs and converted; a description in a file
stands for a game that has no row."""
import json
import os
import shutil
import struct

import limit_maps
import q3_rooms
import schemas
from e2e import Suite, check, read, write
from sister_reader import Sister

suite = Suite()

# By target: magic, version.
TARGETS = {"quake3": (b"IBSP", 46), "openarena": (b"IBSP", 46), "xonotic": (b"IBSP", 46), "unvanquished": (b"IBSP", 46),
           "urbanterror": (b"IBSP", 46), "smokinguns": (b"IBSP", 46), "padman": (b"IBSP", 46), "tremulous": (b"IBSP", 46),
           "elite": (b"IBSP", 46), "reaction": (b"IBSP", 46), "wolf": (b"IBSP", 47),
           "et": (b"IBSP", 47), "quakelive": (b"IBSP", 47), "ja": (b"RBSP", 1), "jk2": (b"RBSP", 1), "sof2": (b"RBSP", 1),
           "warsow": (b"FBSP", 1), "warfork": (b"FBSP", 1)}
# One of each container.
CONTAINERS = ("quake3", "et", "ja", "warsow")

STYLED = """{
"classname" "light"
"origin" "0 0 64"
"light" "200"
"style" "5"
}
"""


def lump(data, number):
    at, size = struct.unpack_from("<2i", data, 8 + 8 * number)
    return data[at:at + size]


def shaders_of(data):
    lump_1 = lump(data, 1)
    return {lump_1[at:at + 64].split(b"\0")[0].decode(): struct.unpack_from("<2i", lump_1, at + 64)
            for at in range(0, len(lump_1), 72)}


def map_of(s, folder, more=""):
    path = os.path.join(folder, "room.map")
    write(path, read(s.map("q3_box.map")).decode() + more)
    return path


def built(s, folder, target, source):
    path = os.path.join(folder, target + ".bsp")
    s.run("brushwork", "build", "--target", target, "-fast", source, "-o", path).expect(0)
    return path


@suite.case
def each_target_is_compiled(s, folder):
    source = map_of(s, folder)
    for target, (magic, version) in TARGETS.items():
        path = os.path.join(folder, "room.bsp")
        s.run("vbsp", "--target", target, source, "-o", path).expect(0)
        data = read(path)
        check((data[:4], struct.unpack_from("<i", data, 4)[0]) == (magic, version), f"{target}: {data[:8]}")
        s.run("brushwork", "verify", "--target", target, path).expect(0)


# Engines that load maps of a target in other tests: e2e_engine, e2e_engine_darkplaces.
ENGINES = {"quake3": "ioquake3", "openarena": "ioquake3", "xonotic": "DarkPlaces"}


@suite.case
def what_was_tried_is_in_the_docs(s, folder):
    """The table has a line for each target, as it is measured here."""
    lamp = q3_rooms.entity(classname="light", origin="100 0 64", light=200)
    brushes = q3_rooms.room(256, 128) + q3_rooms.box((-16, -256, 0), (16, 128, 128))
    source = write(os.path.join(folder, "rooms.map"), q3_rooms.a_map(brushes, lamp))
    plain = Sister(read(built(s, folder, "quake3", source))).geometry()
    with open(os.path.join(s.options.source, "docs", "formats", "sisters.md"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for target, header in TARGETS.items():
        path = os.path.join(folder, "a.bsp")
        done = s.run("vbsp", "--target", target, source, "-o", path)
        compiled = done.status == 0 and Sister(read(path))
        s.run("vvis", "-fast", path).expect(0)
        seen = Sister(read(path)).has_visibility()
        s.run("vrad", "-fast", path).expect(0)
        lit = Sister(read(path))
        geometry = lit.geometry()
        differing = [name for name in plain if plain[name] != geometry[name]]
        told = [bool(compiled and (compiled.magic, compiled.version) == header), lit.is_lit(), seen, not differing]
        words = ["yes" if passed else "no" for passed in told]
        line = f"| `{target}` | {' | '.join(words)} | {ENGINES.get(target, 'none at hand')} |"
        check(line in lines, f"docs/formats/sisters.md has no {line} {differing}")


@suite.case
def all_verbs_read_each_container(s, folder):
    source = map_of(s, folder, STYLED)
    for target in CONTAINERS:
        path = built(s, folder, target, source)
        s.run("brushwork", "verify", path).expect(0)
        told = json.loads(s.run("brushwork", "info", "--json", path).expect(0).out)
        check(told["format"].startswith(f"{TARGETS[target][0].decode()} {TARGETS[target][1]}"), told["format"])
        check(told["target"] == {"et": "wolf"}.get(target, target), told["target"])
        check(not s.run("brushwork", "diff", path, path).expect(0).err, target)
        s.run("brushwork", "render", path, "-o", os.path.join(folder, "a.png"), "--size", "64x64").expect(0)
        s.run("brushwork", "export", path, "-o", os.path.join(folder, "a.gltf")).expect(0)
        s.run("brushwork", "convert", path, os.path.join(folder, "back.map")).expect(0)
        s.run("brushwork", "unpack", path, "--lightmaps", "--force", "--to", os.path.join(folder, target)).expect(0)
        s.run("brushwork", "pack", path, "--lightmaps", os.path.join(folder, target)).expect(0)
        s.run("brushwork", "unpack", path, "--lumps", "--force", "--to", os.path.join(folder, target)).expect(0)
        before = read(path)
        s.run("brushwork", "pack", path, "--lumps", os.path.join(folder, target)).expect(0)
        check(read(path) == before, f"{target}: lumps as JSON and back")


@suite.case
def limits_are_those_of_the_target(s, folder):
    """At 0.99 and 1.1 of the models that the engines take."""
    for target in CONTAINERS:
        for count in (253, 282):
            source = write(os.path.join(folder, f"models{count}.vmf"), limit_maps.source_with(limit_maps.models, count))
            done = s.run("vbsp", "--json", "--target", target, source, "-o", os.path.join(folder, "a.bsp"))
            check(done.status == (0 if count < 256 else 1), done)
            check(("B010" in done.codes()) == (count > 256), done)
            told = [d["message"] for d in done.diagnostics if d["code"] == "B010"]
            check(not told or f"models: {count} of 256 (110.2 %) of {target}," in told[0], told)


@suite.case
def a_file_is_not_judged_by_another_engine(s, folder):
    """More models than Quake 3 has, which Xonotic takes: the file does not tell which of them it is for, vbsp was told."""
    source = write(os.path.join(folder, "many.vmf"), limit_maps.source_with(limit_maps.models, 282))
    bsp = os.path.join(folder, "many.bsp")
    s.run("vbsp", "--target", "xonotic", source, "-o", bsp).expect(0)
    for stage in ("vvis", "vrad"):
        done = s.run(stage, "--json", bsp).expect(0)
        check("B010" not in done.codes(), done)
    check("xonotic takes" in s.run("brushwork", "verify", "--json", bsp).find("B010")["message"], "not told by verify")


@suite.case
def limits_of_darkplaces_are_its_own(s, folder):
    """Some seconds, for as many models as the engine takes."""
    for count in (8109, 9011):
        text = limit_maps.source_with(lambda source, n: limit_maps.models(source, n, 128), count)
        source = write(os.path.join(folder, f"models{count}.vmf"), text)
        done = s.run("vbsp", "--json", "--target", "xonotic", source, "-o", os.path.join(folder, "a.bsp"))
        told = [d["message"] for d in done.diagnostics if d["code"] == "B010" and d["message"].startswith("models:")]
        check((done.status == 0, bool(told)) == (count < 8191, count > 8191), done)


@suite.case
def styles_are_in_the_file(s, folder):
    source = map_of(s, folder, STYLED)
    for target, side in (("ja", 128), ("warsow", 512)):
        data = read(built(s, folder, target, source))
        styles = {data_of[28:32] for data_of in
                  (lump(data, 13)[at:at + 148] for at in range(0, len(lump(data, 13)), 148))}
        check(any(5 in style for style in styles), f"{target}: {styles}")
        check(len(lump(data, 14)) % (3 * side * side) == 0 and len(lump(data, 14)) >= 2 * 3 * side * side, target)
        check(not os.path.exists(os.path.join(folder, "scripts")), "a script of external pages")


@suite.case
def styles_are_on_the_grid_and_at_vertices(s, folder):
    """A lamp with a style alone: its light is nowhere in style 0, and surfaces without luxels have it at their vertices."""
    source, games = textured(s, folder), game_with(folder, ("pointlight",))
    text = read(source).decode()
    write(source, text[:text.index('"classname" "light')].rsplit("{", 1)[0] + STYLED.replace("0 0 64", "128 64 64"))
    for target in ("ja", "warsow"):
        path = os.path.join(folder, target + ".bsp")
        s.run("brushwork", "build", "--target", target, "-fast", "-fs_basepath", games, source, "-o", path).expect(0)
        s.run("brushwork", "verify", path).expect(0)
        data = read(path)
        points = [lump(data, 15)[at:at + 30] for at in range(0, len(lump(data, 15)), 30)]
        styled = [point for point in points if point[24:28] == bytes((0, 5, 255, 255))]
        check(styled and all(max(point[0:3] + point[12:15]) <= 1 for point in styled), f"{target}: {points}")
        check(max(max(point[3:6] + point[15:18]) for point in styled) > 20, f"{target}: {styled}")
        surfaces = [lump(data, 13)[at:at + 148] for at in range(0, len(lump(data, 13)), 148)]
        check(any(surface[32:36] == bytes((0, 5, 255, 255)) for surface in surfaces), target)
        vertices = [lump(data, 10)[at:at + 80] for at in range(0, len(lump(data, 10)), 80)]
        check(max(max(vertex[68:71]) for vertex in vertices) > 20, target)
        check(max(max(vertex[64:67]) for vertex in vertices) == 0, target)


def with_foliage(data, places):
    """The file with its last surface as foliage: its vertices, and behind them those of the places."""
    lumps = [lump(data, number) for number in range(17)]
    surfaces, vertices = bytearray(lumps[13]), bytearray(lumps[10])
    first, count = struct.unpack_from("<2i", surfaces, len(surfaces) - 104 + 12)
    model = vertices[44 * first:44 * (first + count)]
    struct.pack_into("<3i", surfaces, len(surfaces) - 104 + 8, 5, len(vertices) // 44, count + len(places))
    struct.pack_into("<2i", surfaces, len(surfaces) - 8, len(places), count)
    vertices += model + b"".join(struct.pack("<3f", *place) + model[12:44] for place in places)
    lumps[13], lumps[10] = bytes(surfaces), bytes(vertices)
    head, body = data[:8], b""
    for one in lumps:
        head += struct.pack("<2i", 144 + len(body), len(one))
        body += one + bytes(-len(one) % 4)
    return head + body


@suite.case
def foliage_of_wolfenstein_is_read(s, folder):
    """Surfaces of type 5, which this compiler does not write: a model is drawn at each place."""
    def triangles(path):
        s.run("brushwork", "export", path, "-o", os.path.join(folder, "a.obj"), "--scale", "1").expect(0)
        return sum(line.startswith(b"f ") for line in read(os.path.join(folder, "a.obj")).splitlines())

    path = built(s, folder, "et", map_of(s, folder))
    data, before = read(path), triangles(path)
    write(path, with_foliage(data, [(0, 0, 0), (64, 0, 0), (0, 64, 0)]))
    s.run("brushwork", "verify", path).expect(0)
    check(triangles(path) == before + 4, f"{before} triangles, {triangles(path)} with foliage")
    s.run("brushwork", "render", path, "-o", os.path.join(folder, "a.png"), "--size", "64x64").expect(0)
    broken = bytearray(read(path))
    at, size = struct.unpack_from("<2i", broken, 8 + 8 * 13)
    struct.pack_into("<i", broken, at + size - 8, 1 << 30)
    write(path, bytes(broken))
    check("B158" in s.run("brushwork", "verify", "--json", path).codes(), "more places than vertices")
    s.run("brushwork", "render", path, "-o", os.path.join(folder, "a.png"), "--size", "64x64").expect(0)
    write(path, data[:4] + b"\x2e" + with_foliage(data, [(0, 0, 0)])[5:])
    check("B158" in s.run("brushwork", "verify", "--json", path).codes(), "Quake 3 has none")


@suite.case
def far_planes_are_keys_of_the_game(s, folder):
    """fogclip of Wolfenstein and distancecull of Raven's games hide as much as _farplanedist, for them alone."""
    def seen(target, key):
        source = write(os.path.join(folder, "hall.map"), q3_rooms.pillared_hall(**{key: 600} if key else {}))
        path = os.path.join(folder, "hall.bsp")
        done = s.run("vbsp", "--json", "--target", target, source, "-o", path).expect(0)
        s.run("vvis", "-fast", path).expect(0)
        return lump(read(path), 16), "V445" in done.codes()

    for target, key in (("et", "fogclip"), ("wolf", "fogclip"), ("ja", "distancecull")):
        (far, _), (near, told) = seen(target, ""), seen(target, key)
        check(near == seen(target, "_farplanedist")[0] and near != far and not told, f"{target}: {key}")
        check(seen("quake3", key) == (far, True), key)


@suite.case
def games_are_converted(s, folder):
    path = built(s, folder, "quake3", map_of(s, folder))
    for target in ("et", "ja", "openarena"):
        other, back = os.path.join(folder, "other.bsp"), os.path.join(folder, "back.bsp")
        done = s.run("brushwork", "convert", path, other, "--to", target, "--json").expect(0)
        check(("B009" in done.codes()) == (target == "ja"), done) # caulk has no lightmap, for which there is no bit
        s.run("brushwork", "verify", other).expect(0)
        s.run("brushwork", "convert", other, back, "--to", "quake3").expect(0)
        s.run("brushwork", "diff", path, back).expect(1 if target == "ja" else 0)
    done = s.run("brushwork", "convert", path, other, "--to", "warsow").expect(0)
    check("lightmap pages of another size: 2" in done.err, done)
    done = s.run("brushwork", "convert", path, os.path.join(folder, "no.bsp"), "--to", "tf2")
    check(done.status != 0 and not os.path.exists(os.path.join(folder, "no.bsp")), done)


def game_with(folder, parms):
    """A base path with a shader that has these surfaceparms."""
    scripts = os.path.join(folder, "games", "base", "scripts")
    os.makedirs(scripts, exist_ok=True)
    lines = "".join(f"surfaceparm {parm}\n" for parm in parms)
    write(os.path.join(scripts, "a.shader"), f"textures/a\n{{\n{lines}{{\nmap $lightmap\n}}\n}}\n")
    return os.path.join(folder, "games")


def textured(s, folder):
    text = read(s.map("q3_box.map")).decode()
    name = next(line.split(") ")[3].split()[0] for line in text.splitlines() if line.startswith("("))
    path = os.path.join(folder, "room.map")
    write(path, text.replace(f" {name} ", " a "))
    return path


@suite.case
def a_file_describes_a_game(s, folder):
    source, games = textured(s, folder), game_with(folder, ("crunchy", "snowsteps"))
    path, description = os.path.join(folder, "room.bsp"), os.path.join(folder, "game.json")
    write(description, json.dumps({"name": "Mine", "target": "et",
                                   "surfaceparms": {"crunchy": {"surface": "0x40", "contents": 256}}}))
    s.run("vbsp", "--engine", description, "-fs_basepath", games, source, "-o", path).expect(0)
    check(shaders_of(read(path))["textures/a"] == (0x400040, 0x101), shaders_of(read(path)))
    s.run("brushwork", "build", "-fast", "--engine", description, "-fs_basepath", games, source, "-o", path).expect(0)
    check(read(path)[:8] == b"IBSP" + struct.pack("<i", 47), "the target of the file")


def example_of_the_docs(s):
    lines = read(os.path.join(s.options.source, "docs", "formats", "sisters.md")).decode().splitlines()
    start = lines.index("    {")
    return "\n".join(lines[start:lines.index("    }", start) + 1]) + "\n"


def entities_of(path):
    return lump(read(path), 0).decode()


@suite.case
def a_description_is_all_of_a_game(s, folder):
    """The example of the docs: file, pages and flags of a game that no row has; all that reads the BSP needs no more."""
    description = write(os.path.join(folder, "game.json"), example_of_the_docs(s))
    told = json.loads(read(description))
    if schemas.jsonschema:
        with open(os.path.join(s.options.source, "docs/schemas/game.schema.json"), encoding="utf-8") as file:
            schemas.jsonschema.validate(told, json.load(file))
    side, path = told["lightmaps"], os.path.join(folder, "room.bsp")
    games = game_with(folder, ("puddle", "nobuildsurface"))
    s.run("vbsp", "--engine", description, "-fs_basepath", games, textured(s, folder), "-o", path).expect(0)
    s.run("vvis", path).expect(0)
    s.run("vrad", "-fs_basepath", games, path).expect(0)
    data = read(path)
    check(data[:8] == told["file"].split()[0].encode() + struct.pack("<i", 1), data[:8])
    check(len(lump(data, 14)) and len(lump(data, 14)) % (3 * side * side) == 0 and lump(data, 16), len(lump(data, 14)))
    check(f'"_lightmappage" "{side}"' in entities_of(path), entities_of(path))
    s.run("brushwork", "verify", path).expect(0)
    check(json.loads(s.run("brushwork", "info", "--json", path).expect(0).out)["format"].startswith("FBSP 1"), "info")
    s.run("brushwork", "render", path, "-o", os.path.join(folder, "a.png"), "--size", "64x64").expect(0)
    s.run("brushwork", "unpack", path, "--lightmaps", "--to", os.path.join(folder, "pages")).expect(0)
    page = read(os.path.join(folder, "pages", sorted(os.listdir(os.path.join(folder, "pages")))[0]))
    check(struct.unpack_from("<2H", page, 12) == (side, side), page[:18])
    write(path, data.replace(f'"_lightmappage" "{side}"'.encode(), b'"_lightmappage" "999"'))
    check("B1" in "".join(s.run("brushwork", "verify", "--json", path).codes()), "pages of another size")


@suite.case
def pages_of_a_description_are_kept_and_left_out(s, folder):
    description, source = os.path.join(folder, "game.json"), map_of(s, folder)
    path, other = os.path.join(folder, "room.bsp"), os.path.join(folder, "other.bsp")
    write(description, json.dumps({"target": "quake3", "lightmaps": 512}))
    s.run("brushwork", "build", "-fast", "--engine", description, source, "-o", path).expect(0)
    pages = lump(read(path), 14)
    check(pages and len(pages) % (3 * 512 * 512) == 0, len(pages))
    s.run("vbsp", "-onlyents", source, "-o", path).expect(0)
    check('"_lightmappage" "512"' in entities_of(path), "the light is as it was")
    s.run("brushwork", "render", path, "-o", os.path.join(folder, "a.png"), "--size", "64x64").expect(0)
    done = s.run("brushwork", "convert", path, other, "--to", "openarena").expect(0)
    check(f"lightmap pages of another size: {len(pages) // (3 * 512 * 512)}" in done.err and "_lightmappage" not in entities_of(other), done)
    done = s.run("brushwork", "convert", path, other, "--to", "warsow").expect(0)
    check(lump(read(other), 14) == pages and "_lightmappage" not in entities_of(other), done)
    write(description, json.dumps({"target": "quake3", "lightmaps": 128}))
    s.run("vbsp", "--engine", description, source, "-o", path).expect(0)
    check("_lightmappage" not in entities_of(path), "the size of the file")


@suite.case
def a_description_has_limits(s, folder):
    path, description = os.path.join(folder, "room.bsp"), os.path.join(folder, "game.json")
    write(description, json.dumps({"name": "Mine", "target": "xonotic", "limits": {"models": 512, "brush sides": 10000}}))
    for count in (506, 563):
        source = write(os.path.join(folder, f"models{count}.vmf"), limit_maps.source_with(limit_maps.models, count))
        done = s.run("vbsp", "--json", "--engine", description, source, "-o", path)
        check((done.status == 0) == (count < 512) == ("B010" not in done.codes()), done)
    write(description, json.dumps({"target": "xonotic", "limits": {"sheep": 512}}))
    done = s.run("vbsp", "--json", "--engine", description, source, "-o", path).expect(1)
    check(any("one of models, brushes" in d["message"] for d in done.diagnostics), done)


@suite.case
def a_description_is_a_part_of_what_the_cache_knows(s, folder):
    """The same text gives the kept result; another one is compiled."""
    source, games = textured(s, folder), game_with(folder, ("crunchy",))
    path, description, cache = (os.path.join(folder, name) for name in ("room.bsp", "game.json", "cache"))

    def flags(bits):
        write(description, json.dumps({"target": "et", "surfaceparms": {"crunchy": {"surface": bits}}}))
        done = s.run("vbsp", "--cache", cache, "--engine", description, "-fs_basepath", games, source, "-o", path).expect(0)
        check("C359" not in done.err, done)
        return shaders_of(read(path))["textures/a"][0], b"from the cache" in done.out

    check(flags("0x40") == (0x40, False), "first")
    check(flags("0x20") == (0x20, False), "another")
    check(flags("0x40") == (0x40, True), "again")


@suite.case
def differences_of_styles_are_told(s, folder):
    for target in ("ja", "warsow"):
        paths = []
        for brightness in (200, 100):
            source = map_of(s, folder, STYLED.replace('"200"', f'"{brightness}"'))
            paths.append(os.path.join(folder, f"{brightness}.bsp"))
            s.run("brushwork", "build", "--target", target, "-fast", source, "-o", paths[-1]).expect(0)
        told = json.loads(s.run("brushwork", "diff", "--json", *paths).expect(1).out)
        parts = {part["name"] for part in told["sections"] if part["differing"]}
        check(parts == {"surface-light", "light-grid"}, told)


@suite.case
def a_wrong_description_is_refused(s, folder):
    source, description = map_of(s, folder), os.path.join(folder, "game.json")
    seeds = os.path.join(s.options.source, "tests/fuzz/seeds/game_json")
    for name in sorted(os.listdir(seeds)):
        shutil.copyfile(os.path.join(seeds, name), description)
        done = s.run("vbsp", "--json", "--engine", description, source)
        check((done.status == 0) == (name == "game.json"), done)
        check("T006" in done.codes() or name == "game.json", done)
    s.run("vbsp", "--engine", os.path.join(seeds, "game.json"), "--target", "ja", source).expect(2)
    s.run("vbsp", "--engine", os.path.join(folder, "none.json"), source).expect(1)


if __name__ == "__main__":
    suite.main()
