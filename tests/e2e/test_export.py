#!/usr/bin/env python3
"""brushwork export: the model of a map, against the BSP, the validator of Khronos and Blender."""
import json
import os
import shutil
import struct
import subprocess

from blender import in_blender
from e2e import Skip, Suite, check, read, write
from glb import Model, dot, facing
from hostile_map import EVIL, NAME, hostile
from model_files import HALF, mdl, vtx, vvd
from pictures import pixels

suite = Suite()
INCH = 0.0254
INVISIBLE = 0x2 | 0x4 | 0x40 | 0x80 | 0x100 | 0x200  # sky, trigger, nodraw, hint, skip
FULLY_BRIGHT = 0x400


def compiled(s, folder, name):
    path = os.path.join(folder, name.split(".")[0] + ".bsp")
    s.run("brushwork", "build", s.map(name), "-o", path, "--preset", "fast").expect(0)
    return path


def exported(s, path, ending=".glb", *options):
    model = path[:-4] + ending
    s.run("brushwork", "export", path, "-o", model, *options).expect(0)
    return model


def lump(data, number, form):
    at, size = struct.unpack_from("<2i", data, 8 + 16 * number)
    width = struct.calcsize("<" + form)
    return list(struct.iter_unpack("<" + form, data[at:at + size // width * width]))


class Faces:
    """The flat faces of the world of a VBSP."""

    def __init__(self, path):
        data = read(path)
        self.vertices, edges = lump(data, 3, "3f"), lump(data, 12, "2H")
        self.surfedges = [edges[i][0] if i >= 0 else edges[-i][1] for i, in lump(data, 13, "i")]
        self.texinfo, self.light = lump(data, 6, "16f2i"), lump(data, 8, "3Bb")
        self.rows = lump(data, 7, "HBBihhhh4Bif4iiHHI")
        model = lump(data, 14, "9f3i")[0]
        self.world = range(model[10], model[10] + model[11])

    def drawn(self):
        for number in self.world:
            face = self.rows[number]
            if face[6] < 0 and not self.texinfo[face[5]][16] & INVISIBLE:
                yield face, [self.vertices[self.surfedges[face[3] + i]] for i in range(face[4])]

    def luxel(self, face, point):
        """The light at a point, linear, 1 being white; None for a face without a lightmap."""
        texinfo, (width, height) = self.texinfo[face[5]], (face[16] + 1, face[17] + 1)
        if face[12] < 0 or face[8] != 0 or texinfo[16] & FULLY_BRIGHT:
            return None
        at = [dot(texinfo[8 + 4 * k:11 + 4 * k], point) + texinfo[11 + 4 * k] - face[14 + k] for k in range(2)]
        s, t = (min(max(at[k], 0), (width, height)[k] - 1) for k in range(2))
        total = [0, 0, 0]
        for i in range(4):
            x, y = int(s) + i % 2, int(t) + i // 2
            share = (1 - abs(x - s)) * (1 - abs(y - t))
            if share > 0 and x < width and y < height:
                *rgb, exponent = self.light[face[12] // 4 + y * width + x]
                total = [a + share * c * 2.0 ** exponent / 255 for a, c in zip(total, rgb)]
        return total


def of_map(point):
    """A point of a model in the axes and units of the map."""
    return round(point[0] / INCH, 2) + 0.0, round(-point[2] / INCH, 2) + 0.0, round(point[1] / INCH, 2) + 0.0


def linear(byte):
    value = byte / 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def page_light(model, material, place, pages):
    info = material["extras"]["lightmap"]
    source = model.head["textures"][info["index"]]["source"]
    if source not in pages:
        pages[source] = pixels(model.image(source))
    width, height, rows = pages[source]
    s, t = place[0] * width - 0.5, place[1] * height - 0.5
    total = [0, 0, 0]
    for i in range(4):
        x, y = int(s + 1e-4) + i % 2, int(t + 1e-4) + i // 2
        share = max(0, 1 - abs(x - s)) * max(0, 1 - abs(y - t))
        if share > 0 and x < width and y < height:
            total = [a + share * info["range"] * linear(c) for a, c in zip(total, rows[y][3 * x:3 * x + 3])]
    return total


@suite.case
def faces_are_triangles_with_their_light(s, folder):
    path = compiled(s, folder, "atrium.vmf")
    model = Model(exported(s, path)).check()
    faces, triangles, pages, lit = Faces(path), {}, {}, 0
    for material, corners in model.triangles(model.named("worldspawn")[0]):
        triangles[frozenset(of_map(c[0]) for c in corners)] = material, corners
        check((facing(corners) or 1) > 0.999, "a flat triangle that faces away from its normals")
    for face, points in faces.drawn():
        rounded = [tuple(round(x, 2) + 0.0 for x in p) for p in points]
        for i in range(2, len(points)):
            key = frozenset((rounded[0], rounded[i - 1], rounded[i]))
            check(key in triangles, f"no triangle {key}")
            material, corners = triangles[key]
            for position, _, _, place in corners:
                wanted = faces.luxel(face, tuple(x / INCH for x in (position[0], -position[2], position[1])))
                if wanted and place:
                    found = page_light(model, material, place, pages)
                    check(all(abs(a - b) < 0.02 + 0.03 * a for a, b in zip(wanted, found)),
                          f"light at {of_map(position)}: {found}, not {wanted}")
                    lit += 1
    check(lit > 500, f"{lit} corners with light")


@suite.case
def developer_materials_have_a_measuring_grid(s, folder):
    """Without their textures: 128 units of the map are one image, along its axes, whatever the texture's own are."""
    model = Model(exported(s, compiled(s, folder, "atrium.vmf"))).check()
    images, seen = model.head["images"], 0
    for material, corners in model.triangles(model.named("worldspawn")[0]):
        texture = material["pbrMetallicRoughness"].get("baseColorTexture")
        if not facing(corners) or not texture or not images[model.head["textures"][texture["index"]]["source"]]["name"].startswith("grid"):
            continue
        normal, seen = [abs(x) for x in corners[0][1]], seen + 1
        # In the axes of the map; the longest of the normal is not measured.
        normal = normal[0], normal[2], normal[1]
        across, down = [(1, 2), (0, 2), (0, 1)][normal.index(max(normal))]
        (one, other), places = [of_map(corners[k][0]) for k in (0, 1)], [corners[k][2] for k in (0, 1)]
        for k, axis in enumerate((across, down)):
            wanted, found = abs(one[axis] - other[axis]) / 128, abs(places[0][k] - places[1][k])
            check(abs(wanted - found) < 1e-3, f"{one} to {other}: {found} images, not {wanted}")
    check(seen > 100, f"{seen} triangles with the grid")


@suite.case
def entities_are_nodes_with_their_keys(s, folder):
    model = Model(exported(s, compiled(s, folder, "atrium.vmf"))).check()
    door = model.named("hall_door")[0]
    check(door["extras"]["classname"] == "func_door", "keys of the door")
    origin = [float(x) for x in door["extras"]["origin"].split()]
    check(of_map(door["translation"]) == tuple(origin), f"{door['translation']} is not {origin}")
    corners = [c[0] for _, t in model.triangles(door) for c in t]
    check(max(abs(x) for c in corners for x in c) < 256 * INCH, "the mesh of the door is not at its origin")
    lights = model.head["extensions"]["KHR_lights_punctual"]["lights"]
    check(sorted(light["type"] for light in lights) == ["directional"] + 5 * ["point"] + 3 * ["spot"], f"{lights}")
    check(all("extensions" in n for n in model.nodes if n["name"].startswith("light")), "a light entity without light")


@suite.case
def patches_face_as_their_vertices(s, folder):
    path = compiled(s, folder, "q3_patches.map")
    model = Model(exported(s, path)).check()
    data, normals = read(path), {}
    at, size = struct.unpack_from("<2i", data, 8 + 8 * 10)
    for v in struct.iter_unpack("<10f4B", data[at:at + size]):
        normals.setdefault(tuple(round(x, 2) + 0.0 for x in v[:3]), []).append(v[7:10])
    tried = 0
    for _, corners in model.triangles(model.nodes[0]):
        for position, normal, _, _ in corners:
            there = normals.get(of_map(position), [])
            if there:
                turned = normal[0], -normal[2], normal[1]
                check(max(dot(turned, n) for n in there) > 0.5, f"normal at {of_map(position)}: {turned}, {there}")
                tried += 1
    check(tried > 50, f"{tried} corners at vertices of the BSP")


@suite.case
def props_of_one_look_share_a_mesh(s, folder):
    game = os.path.join(folder, "game")
    os.makedirs(os.path.join(game, "models"))
    for extension, data in ((".mdl", mdl()), (".vvd", vvd()), (".dx90.vtx", vtx())):
        write(os.path.join(game, "models", "box" + extension), data)
    write(os.path.join(game, "gameinfo.txt"), f'GameInfo {{ FileSystem {{ SearchPaths {{ game "{game}" }} }} }}')
    prop = ('entity\n{\n"id" "%d"\n"classname" "prop_static"\n"model" "models/box.mdl"\n"solid" "6"\n'
            '"origin" "%s"\n"angles" "0 %d 0"\n}\n')
    text = read(s.map("box.vmf")).decode() + prop % (9001, "64 96 128", 0) + prop % (9002, "160 96 128", 30)
    vmf, path = write(os.path.join(folder, "props.vmf"), text), os.path.join(folder, "props.bsp")
    s.run("vbsp", "--game", game, vmf, "-o", path).expect(0)
    model = Model(exported(s, path, ".glb", "--game", game)).check()
    boxes = model.named("box")
    check(len(boxes) == 2 and boxes[0]["mesh"] == boxes[1]["mesh"], f"{boxes}")
    check([of_map(b["translation"]) for b in boxes] == [(64, 96, 128), (160, 96, 128)], f"{boxes}")
    sine = 0.25881904510252074  # of half of 30 degrees, about the axis that is up
    check(abs(boxes[1]["rotation"][1] - sine) < 1e-6 and "rotation" not in boxes[0], f"{boxes}")
    check(boxes[0]["extras"] == {"static_prop": 0, "model": "models/box.mdl", "skin": 0}, f"{boxes}")
    corners = list(model.triangles(boxes[0]))
    check(len(corners) == 12 and all(facing(t) > 0.99 for _, t in corners), "faces of the box")
    check(all(abs(abs(x) - HALF * INCH) < 1e-5 for _, t in corners for c in t for x in c[0]), "corners of the box")
    group = model.named("static props")[0]
    check([model.nodes[i] for i in group["children"]] == boxes, "children of the group")


@suite.case
def forms_agree_and_bytes_repeat(s, folder):
    path = compiled(s, folder, "atrium.vmf")
    first = read(exported(s, path))
    check(read(exported(s, path, ".glb", "-threads", "1")) == first, "another run gives other bytes")
    piped = s.run("brushwork", "export", path, "-o", "-").expect(0)
    check(piped.out == first, "standard output has other bytes")
    one, other = Model(path[:-4] + ".glb"), Model(exported(s, path, ".gltf")).check()
    check(one.head["nodes"] == other.head["nodes"] and one.image(0) == other.image(0), "forms differ")
    twice = Model(exported(s, path, ".glb", "--scale", "0.0508"))
    places = [m.named("hall_door")[0]["translation"] for m in (one, twice)]
    check(all(abs(2 * a - b) < 1e-4 for a, b in zip(*places)), f"twice the scale: {places}")
    unlit = Model(exported(s, path, ".glb", "--lightmaps", "none")).head
    check([image["name"] for image in unlit["images"]] == ["grid.jpg"], f"pages without being asked for: {unlit['images']}")
    rgbm = Model(exported(s, path, ".glb", "--lightmaps", "rgbm"))
    check("MOZ_lightmap" not in rgbm.head["extensionsUsed"], "RGBM under a name that means sRGB")
    plain = sum(1 for n in one.nodes for _ in one.triangles(n))
    tools = Model(exported(s, path, ".glb", "--tools", "--sky"))
    check(sum(1 for n in tools.nodes for _ in tools.triangles(n)) > plain, "--sky adds nothing")


@suite.case
def obj_has_the_same_triangles(s, folder):
    path = compiled(s, folder, "atrium.vmf")
    model = Model(exported(s, path))
    lines = read(exported(s, path, ".obj")).decode().splitlines()
    wanted = sum(1 for n in model.nodes for _ in model.triangles(n))
    check(sum(line.startswith("f ") for line in lines) == wanted, "triangles of the OBJ")
    used = {line.split()[1] for line in lines if line.startswith("usemtl")}
    library = read(path[:-4] + ".mtl").decode().splitlines()
    check(used <= {line.split()[1] for line in library if line.startswith("newmtl")}, "materials of the OBJ")
    vertices = sum(line.startswith("v ") for line in lines)
    highest = max(int(word.split("/")[0]) for line in lines if line.startswith("f ") for word in line.split()[1:])
    check(highest == vertices, "vertices of the OBJ")


@suite.case
def hostile_texts_are_valid_json(s, folder):
    source = read(s.map("box.vmf"))
    keys = b'"classname" "info_player_start"\n\t"targetname" "</script><b>\xff\xfe\x01"\n\t"long" "' + 100000 * b"x" + b'"'
    check(b'"classname" "info_player_start"' in source, "box.vmf has a spawn")
    vmf = write(os.path.join(folder, "hostile.vmf"), source.replace(b'"classname" "info_player_start"', keys))
    bsp = os.path.join(folder, "hostile.bsp")
    s.run("brushwork", "build", vmf, "-o", bsp, "--preset", "fast").expect(0)
    model = Model(exported(s, bsp)).check()
    node = next(n for n in model.nodes if n.get("extras", {}).get("classname") == "info_player_start")
    check(node["name"].startswith("</script><b>"), f"{node['name']!r}")
    validate(s, bsp[:-4] + ".glb")


@suite.case
def much_text_and_quotes_are_kept(s, folder):
    """10 MB of a value, and names with quotes."""
    path = hostile(s, folder)
    for ending in (".glb", ".gltf"):
        model = Model(exported(s, path, ending)).check()
        node = model.named(EVIL)[0]
        check(node["extras"]["classname"] == EVIL and node["extras"][EVIL] == EVIL, node)
        long = next(n for n in model.nodes if n.get("extras", {}).get("classname") == "info_target")
        check(long["extras"]["message"] == "<b>x</b>&" * 1100000, "a text of 10 MB")
        check(model.head["scenes"][0]["name"] == NAME, model.head["scenes"])
    validate(s, path[:-4] + ".glb")
    lines = read(exported(s, path, ".obj")).decode().splitlines()
    names = {line.split()[0] for line in lines if line}
    check(names <= {"#", "mtllib", "o", "v", "vt", "vn", "f", "usemtl", "g"}, f"a text made lines: {names}")


def brightest(data):
    """Of the luxels of a VBSP: 1 is white."""
    return max(c * 2.0 ** row[3] / 255 for row in lump(data, 8, "3Bb") for c in row[:3])


@suite.case
def rgbm_holds_light_beyond_white(s, folder):
    """A value is colour * alpha * range; sRGB ends at 4."""
    source = write(os.path.join(folder, "bright.vmf"), read(s.map("box.vmf")).replace(b'"_light" "255 255 255 200"', b'"_light" "255 255 255 1500"'))
    path = source[:-4] + ".bsp"
    s.run("brushwork", "build", source, "-o", path, "--preset", "fast").expect(0)
    wanted = brightest(read(path))
    check(wanted > 6, f"no bright light: {wanted}")
    found = {}
    for form in ("png", "rgbm"):
        model = Model(exported(s, path, ".glb", "--lightmaps", form)).check()
        info = next(m["extras"]["lightmap"] for m in model.head["materials"] if "lightmap" in m.get("extras", {}))
        rows = pixels(model.image(model.head["textures"][info["index"]]["source"]), alpha=True)[2]
        if form == "rgbm":
            found[form] = max(c * row[i + 3] * info["range"] / 255 ** 2 for row in rows for i in range(0, len(row), 4) for c in row[i:i + 3])
        else:
            found[form] = max(info["range"] * linear(c) for row in rows for c in row)
        check(info["encoding"] == {"png": "srgb", "rgbm": "rgbm"}[form], info)
    check(abs(found["rgbm"] - wanted) < 0.02 * wanted and found["png"] <= 4.001, f"{found}, of {wanted}")


@suite.case
def other_endings_are_refused(s, folder):
    path = compiled(s, folder, "box.vmf")
    done = s.run("brushwork", "export", path, "-o", os.path.join(folder, "box.fbx"))
    check(done.status == 2 and not os.path.exists(os.path.join(folder, "box.fbx")), f"{done}")


VALIDATOR = """
const validator = require('gltf-validator'), fs = require('fs');
validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[1])), {maxIssues: 0})
    .then(report => console.log(JSON.stringify(report)));
"""


def validate(_, path):
    if not shutil.which("node") or not shutil.which("npm"):
        raise Skip("no node and npm")
    modules = subprocess.run(["npm", "root", "-g"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    environment = dict(os.environ, NODE_PATH=modules.stdout.decode().strip())
    if not os.path.isdir(os.path.join(environment["NODE_PATH"], "gltf-validator")):
        raise Skip("no package gltf-validator (npm install -g gltf-validator)")
    done = subprocess.run(["node", "-e", VALIDATOR, path], env=environment, stdout=subprocess.PIPE, check=True)
    report = json.loads(done.stdout)
    bad = [m for m in report["issues"]["messages"] if m["severity"] < 2]
    check(not bad and report["issues"]["numErrors"] == report["issues"]["numWarnings"] == 0, f"{bad}")
    return report["info"]


@suite.case
def validator_of_khronos_finds_nothing(s, folder):
    for name in ("atrium.vmf", "displacements.vmf", "brush_entities.vmf", "q3_patches.map"):
        path = compiled(s, folder, name)
        model = Model(exported(s, path, ".glb", "--sky", "--tools"))
        info = validate(s, path[:-4] + ".glb")
        wanted = sum(1 for n in model.nodes for _ in model.triangles(n))
        check(info["totalTriangleCount"] == wanted, f"{info}")


# Of what Blender has read.
COUNTS = """{'meshes': len(meshes), 'lights': sum(o.type == 'LIGHT' for o in bpy.data.objects),
    'triangles': sum(len(o.data.polygons) for o in meshes), 'keys': [o.get('classname') for o in bpy.data.objects],
    'corners': [list(o.matrix_world @ v.co) for o in meshes for v in o.data.vertices]}"""


@suite.case
def blender_reads_the_same_map(s, folder):
    path = compiled(s, folder, "atrium.vmf")
    model = Model(exported(s, path))
    found = in_blender(path[:-4] + ".glb", COUNTS, folder)
    triangles = sum(1 for n in model.nodes for _ in model.triangles(n))
    check(found["meshes"] == sum("mesh" in n for n in model.nodes) and found["lights"] == 9, f"{found}")
    # It leaves out those without an area.
    check(triangles - 40 <= found["triangles"] <= triangles, f"{found['triangles']} of {triangles}")
    check("func_door" in found["keys"], "keys as custom properties")
    bounds = lump(read(path), 14, "9f3i")[0]
    axes = list(zip(*found["corners"]))
    check(all(abs(min(axes[k]) / INCH - bounds[k]) < 40 and abs(max(axes[k]) / INCH - bounds[3 + k]) < 40
              for k in range(3)), f"{[(min(axis), max(axis)) for axis in axes]}, {bounds}")


if __name__ == "__main__":
    suite.main()
