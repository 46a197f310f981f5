#!/usr/bin/env python3
"""Geometry of maps for Quake 3 as editors and exporters leave it: brushes of far points, models whose normals
contradict their triangles, names that differ in case."""
import os
import struct

from e2e import Suite, check, read, write
import lwo_files
from ibsp_portals import records
from q3_rooms import a_map, box, entity, room

suite = Suite()

VERTICES, LIGHTMAPS, BRUSHES = 10, 14, 8


@suite.case
def far_points_only_define_planes(s, folder):
    """The same bytes as with near points, and sealed."""
    near, far = os.path.join(folder, "near.map"), os.path.join(folder, "far.map")
    write(near, a_map(room(256, 256)))
    s.run("vbsp", near).expect(0)
    for reach in (100000, 128000000):
        write(far, a_map(room(256, 256, reach)))
        done = s.run("vbsp", "--json", far).expect(0)
        check("S055" not in done.codes(), str(done))
        check(read(far[:-4] + ".bsp") == read(near[:-4] + ".bsp"), f"points of {reach} give another map")
    write(far, a_map(room(256, 256, 1e300)))
    done = s.run("vbsp", "--json", far)
    check("S055" in done.codes() and done.status != 0, str(done))


@suite.case
def sides_may_be_far(s, folder):
    """A floor of 54768 units: within what the engine collides with, beyond 32768."""
    path = os.path.join(folder, "deep.map")
    write(path, a_map(room(256, 256, floor=-54784)))
    done = s.run("vbsp", "--json", path).expect(0)
    check(not {"V003", "V012"} & set(done.codes()), str(done))
    s.run("vvis", path[:-4]).expect(0)
    s.run("vrad", "-fast", path[:-4]).expect(0)
    s.run("brushwork", "verify", path[:-4] + ".bsp").expect(0)
    write(path, a_map(room(256, 256) + box((512, 0, -80000), (520, 8, 0))))
    check("V012" in s.run("vbsp", "--json", path).codes(), "beyond 65535")


ASE = """*MATERIAL_LIST { *MATERIAL 0 { *MATERIAL_NAME "textures/base/wall" } }
*GEOMOBJECT { *MESH { *MESH_VERTEX_LIST {
*MESH_VERTEX 0 -32 -32 0 *MESH_VERTEX 1 32 -32 0 *MESH_VERTEX 2 32 32 0 *MESH_VERTEX 3 -32 32 0 }
*MESH_FACE_LIST { *MESH_FACE 0 A: 0 B: 1 C: 2 *MESH_SMOOTHING 0 *MESH_FACE 1 A: 0 B: 2 C: 3 *MESH_SMOOTHING 0 }
*MESH_NORMALS { WAYS } } *MATERIAL_REF 0 }
"""


def normals(way):
    return "".join(f"*MESH_FACENORMAL {i} {way} " + "".join(f"*MESH_VERTEXNORMAL {k} {way} " for k in (0, 1 + i, 2 + i))
                   for i in range(2))


@suite.case
def models_are_lit_by_their_triangles(s, folder):
    """A plate with normals along it, or to its back, is lit as one with right normals, and named once."""
    game = os.path.join(folder, "baseq3")
    os.makedirs(os.path.join(game, "scripts"))
    os.makedirs(os.path.join(game, "models"))
    write(os.path.join(game, "scripts", "a.shader"), "textures/base/wall\n{\n{\nmap $lightmap\n}\n}\n")
    found = {}
    for name, way in (("good", "0 0 1"), ("side", "1 0 0"), ("back", "0 0 -1")):
        write(os.path.join(game, "models", "plate.ase"), ASE.replace("WAYS", normals(way)))
        path = os.path.join(folder, name + ".map")
        plates = [entity(classname="misc_model", origin=f"{x} 0 2", model="models/plate.ase", spawnflags=flags)
                  for x, flags in ((96, 4), (-96, 0))]
        write(path, a_map(room(256, 256), entity(classname="light", origin="0 0 100", light=300), *plates))
        done = s.run("vbsp", "--json", "-game", game, path).expect(0)
        told = [d for d in done.diagnostics if d["code"] == "A062"]
        check(len(told) == (name != "good"), str(done))
        s.run("vrad", "-game", game, "-fast", path[:-4]).expect(0)
        data = read(path[:-4] + ".bsp")
        found[name] = ([v[:3] + v[7:] for v in records(data, VERTICES, "<10f4B")],
                       records(data, LIGHTMAPS, "<49152B"))
    check(found["side"] == found["good"], "normals along the plate")
    check(found["back"] == found["good"], "normals to the back")


@suite.case
def names_that_differ_in_case_are_told_once(s, folder):
    game = os.path.join(folder, "baseq3")
    os.makedirs(os.path.join(game, "models"))
    os.makedirs(os.path.join(game, "scripts"))
    write(os.path.join(game, "scripts", "a.shader"), "textures/base/wall\n{\n{\nmap $lightmap\n}\n}\n")
    write(os.path.join(game, "models", "plate.ase"), ASE.replace("WAYS", normals("0 0 1")))
    write(os.path.join(game, "models", "Plate.ase"), "broken")
    path = os.path.join(folder, "twins.map")
    plates = [entity(classname="misc_model", origin=f"{x} 0 2", model=name)
              for x, name in ((96, "models/plate.ase"), (-96, "Models/PLATE.ASE"))]
    write(path, a_map(room(256, 256), *plates))
    done = s.run("vbsp", "--json", "-game", game, path).expect(0)
    told = [d for d in done.diagnostics if d["code"] == "A063"]
    check(len(told) == 1 and "plate.ase" in told[0]["message"], str(done))
    check("A060" not in done.codes(), "the one in lower case is not used")


@suite.case
def origins_keep_their_fraction(s, folder):
    path = os.path.join(folder, "pivot.map")
    door = '{\n"classname" "func_rotating"\n' + box((64, 64, 32), (96, 72, 65)) + \
        box((79, 64, 32), (82, 72, 65)).replace("base/wall", "common/origin") + "}\n"
    write(path, a_map(room(256, 256), door))
    s.run("vbsp", path).expect(0)
    data = read(path[:-4] + ".bsp")
    check(b'"origin" "80.5 68 48.5"' in data, "rounded")


def hills(count, step):
    """Points of a grid and its triangles, clockwise seen from above."""
    points = [(x * step - count * step / 2, y * step - count * step / 2, (x * 5 + y * 3 + x * y) % 7 * 2 + 2)
              for y in range(count + 1) for x in range(count + 1)]
    faces = []
    for y in range(count):
        for x in range(count):
            a = y * (count + 1) + x
            b, c, d = a + 1, a + count + 2, a + count + 1
            faces += [((x + y) % 2, [a, c, b]), (x % 2, [a, d, c])]
    return points, faces


def hills_as_obj(shaders, points, faces, group):
    """The same with counter-clockwise faces."""
    lines = [f"v {x} {y} {z}" for x, y, z in points] + [f"vt {x / 64} {y / 64}" for x, y, _ in points] + [f"s {group}"]
    for tag, corners in faces:
        a, b, c = (i + 1 for i in corners)
        lines += [f"usemtl {shaders[tag]}", f"f {a}/{a} {c}/{c} {b}/{b}"]
    return "\n".join(lines) + "\n"


@suite.case
def lightwave_objects_are_models(s, folder):
    """The same mesh as LWO2, as LWOB and as OBJ: placed, clipped and lit alike, to the byte for LWO2."""
    game = os.path.join(folder, "baseq3")
    shaders = ("textures/base/wall", "textures/base/floor")
    points, faces = hills(6, 32)
    os.makedirs(os.path.join(game, "models"))
    os.makedirs(os.path.join(game, "scripts"))
    write(os.path.join(game, "scripts", "a.shader"), "".join(x + "\n{\n{\nmap $lightmap\n}\n}\n" for x in shaders))
    uvs = [[(points[i][0] / 64, points[i][1] / 64) for i in corners] for _, corners in faces]
    # Unlike a group of OBJ, an angle of pi joins all triangles that are not back to back.
    files = {"obj": hills_as_obj(shaders, points, faces, 1).encode(),
             "lwo": lwo_files.new_file(shaders, points, faces, uvs, smoothing=3.1416),
             "old.lwo": lwo_files.old_file(shaders, points, faces)}
    made = {}
    for ending, content in files.items():
        with open(os.path.join(game, "models", "hills." + ending), "wb") as out:
            out.write(content)
        path = os.path.join(folder, "hills.map")
        models = [entity(classname="misc_model", origin=f"{x} 0 2", model="models/hills." + ending, spawnflags=flags,
                         angle=30, modelscale=0.5, _remap1="floor;textures/base/tile")
                  for x, flags in ((96, 6), (-96, 0))]
        write(path, a_map(room(256, 256), entity(classname="light", origin="0 0 100", light=300), *models))
        done = s.run("brushwork", "build", "--json", "-game", game, path, "-fast").expect(0)
        told = [d["message"] for d in done.diagnostics if d["code"] in ("A060", "A061", "A062", "A064", "A065")]
        want = ["corners of polygons"] if ending == "old.lwo" else []
        check(len(told) == len(want) and all(w in t for w, t in zip(want, told)), str(told))
        made[ending] = read(path[:-4] + ".bsp")
        s.run("brushwork", "verify", path[:-4] + ".bsp").expect(0)
    check(made["lwo"] == made["obj"], "LWO2 gives another map than OBJ")
    plain = lambda bsp: sorted(v[:3] for v in records(bsp, VERTICES, "<3f2f2f3f4B"))
    check(len(records(made["lwo"], BRUSHES, "<3i")) > 12 + 40, "no clip brushes")
    check(plain(made["old.lwo"]) == plain(made["obj"]), "LWOB has other points than OBJ")


def grey_tga(rows):
    return (struct.pack("<3B9x2H2B", 0, 0, 2, len(rows[0]), len(rows), 24, 0x20) +
            b"".join(bytes((grey,)) * 3 for row in rows for grey in row))


def grey_pcx(rows, packed):
    """Without a palette; runs in its rows, or none."""
    width = len(rows[0]) + len(rows[0]) % 2
    data = bytearray()
    for row in rows:
        row = bytes(row) + b"\0" * (width - len(row))
        at = 0
        while at < len(row):
            count = 1
            while packed and at + count < len(row) and row[at + count] == row[at] and count < 63:
                count += 1
            if packed and (count > 1 or row[at] >= 0xc0):
                data.append(0xc0 | count)
            data.append(row[at])
            at += count
    return (struct.pack("<4B4H2H48sBBHH58x", 10, 5, packed, 8, 0, 0, len(rows[0]) - 1, len(rows) - 1, 72, 72, b"", 0, 1,
                        width, 1) + bytes(data))


@suite.case
def index_maps_are_tga_or_pcx(s, folder):
    """The same terrain by either image."""
    game = os.path.join(folder, "baseq3")
    os.makedirs(os.path.join(game, "maps"))
    os.makedirs(os.path.join(game, "scripts"))
    write(os.path.join(game, "scripts", "a.shader"),
          "textures/base/land\n{\nq3map_indexed\n}\n" +
          "".join(f"textures/land/a_{x}\n{{\n{{\nmap $lightmap\n}}\n}}\n"
                  for x in ("0", "1", "2", "0to1", "1to2", "0to2")))
    rows = [[(x * 29 + y * 53) % 256 for x in range(7)] for y in range(5)] + [[200] * 7]
    images = {"land.tga": grey_tga(rows), "packed.pcx": grey_pcx(rows, 1), "plain.pcx": grey_pcx(rows, 0)}
    made = {}
    for name, content in images.items():
        with open(os.path.join(game, "maps", name), "wb") as out:
            out.write(content)
        tops = "".join(box((x, y, 0), (x + 64, y + 64, 16)).replace("base/wall", "base/land")
                       for x in range(-192, 192, 64) for y in range(-192, 192, 64))
        land = '{\n"classname" "func_group"\n"_indexmap" "maps/%s"\n"_layers" "3"\n"_shader" "land/a"\n%s}\n'
        path = os.path.join(folder, "land.map")
        write(path, a_map(room(256, 256), land % (name, tops)))
        s.run("vbsp", "-game", game, path).expect(0)
        made[name] = read(path[:-4] + ".bsp")
    names = {x[0].split(b"\0")[0] for x in records(made["land.tga"], 1, "<64s2i")}
    check({b"textures/land/a_0to1", b"textures/land/a_0to2"} <= names, str(names))
    check(made["packed.pcx"] == made["land.tga"] and made["plain.pcx"] == made["land.tga"], "PCX gives another map")
    with open(os.path.join(game, "maps", "plain.pcx"), "wb") as out:
        out.write(images["plain.pcx"][:150])
    done = s.run("vbsp", "--json", "-game", game, path)
    check(sum("plain.pcx" in d["message"] for d in done.diagnostics) == 1, "a file that is cut short is not told")


@suite.case
def foliage_grows_by_the_final_alpha(s, folder):
    """A blade in each of 16 x 16 squares, in half of them, or in none, as directives set the alpha of vertices."""
    game = os.path.join(folder, "baseq3")
    for name in ("models", "scripts"):
        os.makedirs(os.path.join(game, name))
    write(os.path.join(game, "models", "blade.obj"), "v 0 0 0\nv 4 0 0\nv 0 0 8\nusemtl textures/base/blade\nf 1 2 3\n")
    blades = {}
    for alpha, against in ((1, 0), (0.5, 0), (0, 0), (0, 1), (0.5, 1), (1, 1)):
        write(os.path.join(game, "scripts", "a.shader"),
              "textures/base/blade\n{\ncull none\nsurfaceparm nolightmap\n{\nmap a.tga\n}\n}\n"
              f"textures/base/lawn\n{{\nq3map_foliage models/blade.obj 2 16 1 {against}\nq3map_alphaMod set {alpha}\n"
              "{\nmap $lightmap\n}\n}\n")
        path = os.path.join(folder, "lawn.map")
        write(path, a_map(room(256, 256) + box((-128, -128, 0), (128, 128, 8)).replace("base/wall", "base/lawn", 6)))
        s.run("vbsp", "-game", game, path).expect(0)
        data = read(path[:-4] + ".bsp")
        s.run("brushwork", "verify", path[:-4] + ".bsp").expect(0)
        blades[alpha, against] = sum(abs(v[2] - 24) < 0.01 for v in records(data, VERTICES, "<3f2f2f3f4B"))
    check(blades[1, 0] == blades[0, 1] == 256, str(blades))
    check(blades[0, 0] == blades[1, 1] == 0, str(blades))
    check(all(90 < blades[0.5, k] < 166 for k in (0, 1)), str(blades))


suite.main()
