#!/usr/bin/env python3
"""What levels of Ballance take from beside the map: materials, images and models; and what is reported when
something of a map cannot be converted."""
import os
import shutil
import struct
import zlib

import bm_model
from e2e import Suite, check, read, write
from model_files import mdl, vtx, vvd

suite = Suite()


# --- maps ---

def box(mins, maxs, textures="ballance/Floor_Side"):
    """A brush; one texture, or one for each of -x +x -y +y -z +z."""
    textures = [textures] * 6 if isinstance(textures, str) else textures
    lines = []
    for side, texture in enumerate(textures):
        axis, up = side // 2, side & 1
        u, v = (axis + 1) % 3, (axis + 2) % 3
        points = []
        for a, b in ((0, 0), (0, 1), (1, 0)) if up else ((0, 0), (1, 0), (0, 1)):
            p = [0, 0, 0]
            p[axis], p[u], p[v] = (maxs if up else mins)[axis], mins[u] + a, mins[v] + b
            points.append("( %g %g %g )" % tuple(p))
        axes = ["[ %d %d %d 0 ]" % tuple(int(i == k) for i in range(3)) for k in (u, v)]
        lines.append(" ".join((*points, texture, *axes, "0 1 1")))
    return "{\n" + "\n".join(lines) + "\n}\n"


def entity(classname, *brushes, **keys):
    keys = {"classname": classname, **keys}
    return "{\n" + "".join(f'"{key}" "{value}"\n' for key, value in keys.items()) + "".join(brushes) + "}\n"


def world(*brushes, **keys):
    return entity("worldspawn", *brushes, mapversion="220", **keys)


BOX = box((0, 0, 0), (64, 64, 64))


def convert(s, folder, text, *options):
    """Returns the model of a map's text, and the codes of its findings."""
    path, out = os.path.join(folder, "level.map"), os.path.join(folder, "level.bmx")
    write(path, text)
    done = s.run("vbsp", "--target", "ballance", "--json", *options, path).expect(0)
    s.run("brushwork", "bmx", "check", out).expect(0)
    return bm_model.load(out), done


def failed(s, folder, text, *options):
    path = os.path.join(folder, "level.map")
    write(path, text)
    done = s.run("vbsp", "--target", "ballance", "--json", *options, path).expect(1)
    check(not os.path.exists(os.path.join(folder, "level.bmx")), "a file after an error")
    return done.codes()


def names(blocks):
    return [block.name for block in blocks]


# --- images ---

def png(width, height, rgba):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(rgba) * width for _ in range(height))
    header = struct.pack(">2I5B", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def put(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write(path, data)


TABLE = """texture "Grass"
  file "grass.png"
  external 0
  path "art/meadow.png"
material "Meadow"
  ambient 0.25 0 0
  diffuse 1 1 1
  specular 0 0 0
  emissive 0 0.5 0
  power 7
  alpha_test 0
  alpha_blend 0
  z_buffer 1
  two_sided 1
  use_texture 1
  texture "Grass"
  face "garden/grass"
"""


# --- materials ---

@suite.case
def images_beside_the_map_become_materials(s, folder):
    put(folder, "textures/a/opaque.png", png(64, 32, (9, 9, 9, 255)))
    put(folder, "textures/a/cut.png", png(64, 64, (9, 9, 9, 0)))
    put(folder, "textures/a/glass.png", png(64, 64, (9, 9, 9, 99)))
    model, done = convert(s, folder, world(*(box((x, 0, 0), (x + 32, 32, 32), "a/" + name) for x, name in
                                             ((0, "opaque"), (64, "cut"), (128, "glass")))))
    made = {m.name: m for m in model.materials}
    check(set(made) == {"a_opaque", "a_cut", "a_glass"} and not done.codes(), (made, done.codes()))
    check([(made[n].alpha_test, made[n].alpha_blend) for n in ("a_opaque", "a_cut", "a_glass")] ==
          [(0, 0), (1, 0), (0, 1)], made)
    for name, material in made.items():
        texture = model.textures[material.texture]
        check(not texture.external and texture.file == name[2:] + ".png", texture)
        check(model.files[texture.file] == read(os.path.join(folder, "textures/a", texture.file)), name)
    mesh = model.meshes[0]
    uvs = {mesh.uvs[t] for corners, m in mesh.faces if model.materials[m].name == "a_opaque" for _, t, _ in corners}
    check(max(u for u, _ in uvs) == 0.5 and max(v for _, v in uvs) == 1, f"sizes of the image: {uvs}")


@suite.case
def a_table_says_what_a_texture_is(s, folder):
    put(folder, "art/meadow.png", png(256, 64, (1, 2, 3, 255)))
    write(os.path.join(folder, "level.materials"), TABLE)
    model, done = convert(s, folder, world(box((0, 0, 0), (64, 64, 64), "GARDEN/Grass")))
    check(names(model.materials) == ["Meadow"] and not done.codes(), (model.materials, done.codes()))
    material = model.materials[0]
    check((material.ambient, material.emissive, material.power, material.two_sided) ==
          ((0.25, 0, 0), (0, 0.5, 0), 7, 1), material)
    check(model.files["grass.png"] == read(os.path.join(folder, "art/meadow.png")), "the file")
    check(max(u for u, _ in model.meshes[0].uvs) == 0.25 and max(v for _, v in model.meshes[0].uvs) == 1, "sizes")
    other = os.path.join(folder, "other.materials")
    write(other, TABLE.replace('"art/meadow.png"', '"art/meadow.png"\n  size 32 32').replace("Meadow", "Field"))
    model, _ = convert(s, folder, world(box((0, 0, 0), (64, 64, 64), "garden/grass")), "--materials", other)
    check(names(model.materials) == ["Field"] and max(u for u, _ in model.meshes[0].uvs) == 2, model.materials)
    os.rename(os.path.join(folder, "level.materials"), os.path.join(folder, "garden.materials"))
    out = os.path.join(folder, "garden.bmx")
    s.run("brushwork", "convert", os.path.join(folder, "level.map"), out).expect(0)
    check(names(bm_model.load(out).materials) == ["Meadow"], "the table of the output")


@suite.case
def faults_of_tables_are_reported(s, folder):
    write(os.path.join(folder, "level.materials"), TABLE.replace("power 7", "power x"))
    check("M091" in failed(s, folder, world(BOX)), "a word for a number")
    path = os.path.join(folder, "absent.materials")
    check(failed(s, folder, world(BOX), "--materials", path), "a table that does not exist")
    write(os.path.join(folder, "level.materials"), TABLE)
    model, done = convert(s, folder, world(box((0, 0, 0), (64, 64, 64), "garden/grass")))
    check("M143" in done.codes() and model.materials[0].texture is None, done.codes())


@suite.case
def textures_without_a_material_are_white(s, folder):
    model, done = convert(s, folder, world(box((0, 0, 0), (64, 64, 64), "no/such")))
    check(done.codes() == ["M142"], done.codes())
    check(names(model.materials) == ["no_such"] and model.materials[0].texture is None, model.materials)


@suite.case
def images_of_other_folders_are_not_taken(s, folder):
    put(folder, "secret.png", png(4, 4, (9, 9, 9, 255)))
    place = os.path.join(folder, "maps")
    os.makedirs(place)
    for name in ("../secret", "a/../../secret", "../../secret", os.path.join(folder, "secret")):
        model, done = convert(s, place, world(box((0, 0, 0), (64, 64, 64), name)))
        check("M142" in done.codes() and not model.files, (name, done.codes()))


@suite.case
def a_vtf_is_stored_as_tga(s, folder):
    os.makedirs(os.path.join(folder, "materials/brick"))
    shutil.copy(os.path.join(s.options.source, "tests/fuzz/seeds/vtf/bgra.vtf"),
                os.path.join(folder, "materials/brick/wall.vtf"))
    model, done = convert(s, folder, world(box((0, 0, 0), (64, 64, 64), "brick/wall")))
    check(done.codes() == ["M144"] and model.textures[0].file == "wall.tga", (done.codes(), model.textures))
    check(model.files["wall.tga"][2] in (2, 10), "no TGA")


# --- brushes ---

def closed(mesh):
    met = set()
    for corners, _ in mesh.faces:
        p = [mesh.positions[v] for v, _, _ in corners]
        met |= {(p[i], p[(i + 1) % 3]) for i in range(3)}
    return all((b, a) in met for a, b in met)


@suite.case
def sides_that_are_not_drawn_leave_the_mesh_open(s, folder):
    faces = ["ballance/Floor_Side"] * 5 + ["common/caulk"]
    model, done = convert(s, folder, world(box((0, 0, 0), (64, 64, 64), faces)))
    check(done.codes() == ["M140"] and not closed(model.meshes[0]), done.codes())
    model, done = convert(s, folder, world(box((0, 0, 0), (64, 64, 64), faces), box((0, 0, 64), (64, 64, 99))))
    check(done.codes() == [] and closed(model.meshes[0]), "another brush is on it")


@suite.case
def brushes_of_tools_are_left_out(s, folder):
    clip = box((128, 0, 0), (192, 64, 64), "common/clip")
    model, done = convert(s, folder, world(BOX, clip))
    check(done.codes() == ["M141"] and len(model.meshes[0].faces) == 12, done.codes())
    model, done = convert(s, folder, world(BOX) + entity("depth_cube", clip))
    check(not done.codes() and model.objects[1].hidden and
          all(material is None for _, material in model.meshes[1].faces), done.codes())


@suite.case
def nothing_is_an_error(s, folder):
    check("M152" in failed(s, folder, world()), "an empty world")
    check("M152" in failed(s, folder, world(box((0, 0, 0), (64, 64, 64), "common/clip"))), "a clip")


@suite.case
def coplanar_sides_are_joined_by_default(s, folder):
    text = world(BOX, box((64, 0, 0), (128, 64, 64)))
    check(len(convert(s, folder, text)[0].meshes[0].faces) == 12, "joined")
    check(len(convert(s, folder, text, "-nomerge")[0].meshes[0].faces) == 20, "apart")
    out = os.path.join(folder, "c.bmx")
    s.run("brushwork", "convert", "--no-merge", os.path.join(folder, "level.map"), out).expect(0)
    check(len(bm_model.load(out).meshes[0].faces) == 20, "apart by convert")


@suite.case
def the_first_of_sides_that_coincide_is_kept(s, folder):
    floor, wood = (box((0, 0, 0), (64, 64, 64), "ballance/" + name) for name in ("Floor_Side", "Wood_Plain"))
    for brushes, kept in (((floor, wood), "Floor_Side"), ((wood, floor), "Wood_Plain")):
        model, _ = convert(s, folder, world(*brushes))
        check(names(model.materials) == [kept] and len(model.meshes[0].faces) == 12, model.materials)


@suite.case
def the_scale_is_an_option(s, folder):
    for options, size in (((), 4), (("--bmx-scale", "32"), 2)):
        model, _ = convert(s, folder, world(BOX), *options)
        check(max(p[0] for p in model.meshes[0].positions) == size, model.meshes[0].positions)


PATCH = """{
patchDef2
{
ballance/Floor_Side
( 3 3 0 0 0 )
(
( ( 0 0 0 0 0 ) ( 0 8 0 0 0 ) ( 0 16 0 0 0 ) )
( ( 8 0 0 0 0 ) ( 8 8 8 0 0 ) ( 8 16 0 0 0 ) )
( ( 16 0 0 0 0 ) ( 16 8 0 0 0 ) ( 16 16 0 0 0 ) )
)
}
}
"""


@suite.case
def what_ballance_does_not_have_is_reported(s, folder):
    _, done = convert(s, folder, world(BOX, PATCH) + entity("info_player_start", origin="0 0 99"))
    check(sorted(done.codes()) == ["M146", "M147"], done.codes())
    _, done = convert(s, folder, world(BOX) + entity("p_box", origin="0 0 99"))
    check(done.codes() == ["M151"], done.codes())
    _, done = convert(s, folder, world(BOX) + entity("p_box", origin="0 0 99", sector="1"))
    check(not done.codes(), done.codes())


@suite.case
def keys_that_cannot_be_read_are_reported(s, folder):
    for keys, codes in (({"sector": "1"}, ["M153"]), ({"sector": "1", "origin": "1 2"}, ["M153"]),
                        ({"sector": "1.7", "origin": "0 0 99"}, ["M151"]), ({"sector": "two", "origin": "0 0 99"}, ["M151"])):
        _, done = convert(s, folder, world(BOX) + entity("p_box", **keys))
        check(done.codes() == codes, (keys, done.codes()))
    _, done = convert(s, folder, world(BOX) + entity("pe_balloon", origin="0 0 99", sector="none"))
    check(done.codes() == ["M151"], done.codes())
    for key, good, bad in (("_smooth", "60", "sixty"), ("_hidden", "1", "yes"), ("_scale", "1 2 3", "1 2")):
        for value, codes in ((good, []), (bad, ["M153"])):
            _, done = convert(s, folder, world(BOX) + entity("phys_floor", BOX, **{key: value}))
            check(done.codes() == codes, (key, value, done.codes()))


@suite.case
def brushes_of_components_are_reported(s, folder):
    _, done = convert(s, folder, world(BOX) + entity("p_box", BOX, origin="0 0 99", sector="1"))
    check(done.codes() == ["M141"], done.codes())


@suite.case
def brushes_of_two_classes_are_two_objects(s, folder):
    other = box((0, 0, 100), (64, 64, 164))
    model, done = convert(s, folder, world() + entity("phys_floor", BOX, targetname="A") +
                          entity("depth_cube", other, targetname="A"))
    check([(o.name, bool(o.hidden), o.groups) for o in model.objects] ==
          [("A", False, {"Phys_Floors"}), ("A_2", True, {"DepthTestCubes"})], model.objects)
    check(done.codes() == ["M145"], done.codes())


@suite.case
def other_keys_of_one_object_are_reported(s, folder):
    other = box((0, 0, 100), (64, 64, 164))
    first = entity("phys_floor", BOX, targetname="A", _groups="Shadow")
    for keys, codes in (({"_groups": "Shadow"}, []), ({}, ["M154"]), ({"_groups": "Shadow", "_smooth": "60"}, ["M154"])):
        _, done = convert(s, folder, world() + first + entity("phys_floor", other, targetname="A", **keys))
        check(done.codes() == codes, (keys, done.codes()))
    _, done = convert(s, folder, world(BOX) + entity("func_detail", other, _groups="Shadow"))
    check(done.codes() == ["M154"], done.codes())


@suite.case
def numbers_that_are_given_are_not_given_twice(s, folder):
    model, done = convert(s, folder, world(BOX) + entity("pc_twoflames", origin="0 0 99", targetname="PC_TwoFlames_02") + "".join(
        entity("pc_twoflames", origin=f"{x} 0 99") for x in (1, 2)))
    check([o.name for o in model.objects if o.name != "World"] == [f"PC_TwoFlames_0{i}" for i in (2, 1, 3)], model.objects)
    check(not done.codes(), done.codes())


# --- names, groups, keys ---

@suite.case
def names_are_unique_and_tell_components(s, folder):
    text = world(BOX) + entity("mesh", BOX, targetname="P_Box_decor") + \
        entity("p_ball_wood", origin="0 0 99", sector="3", targetname="mine")
    model, done = convert(s, folder, text)
    check(done.codes() == ["M145", "M145"], done.codes())
    check(names(model.objects) == ["P_Ball_Wood_mine", "World", "map_P_Box_decor"], names(model.objects))
    model, _ = convert(s, folder, world(BOX) + entity("mesh", BOX) + entity("mesh", BOX, targetname="x" * 70))
    check(len(set(names(model.objects))) == 3 and all(len(n) <= 63 for n in names(model.objects)), model.objects)


@suite.case
def entities_of_one_name_are_one_object(s, folder):
    text = world() + "".join(entity("phys_stopper", box((x, 0, 0), (x + 16, 16, 16)), targetname="A_Stopper")
                             for x in (0, 16))
    model, _ = convert(s, folder, text)
    check(names(model.objects) == ["A_Stopper"] and len(model.meshes[0].faces) == 12, model.objects)


@suite.case
def groups_of_brushes_with_names_are_objects(s, folder):
    text = world(BOX) + entity("func_group", box((0, 0, 64), (64, 64, 80)), _tb_name="no key of ours") + \
        entity("func_group", BOX, _groups="Phys_Floors;Shadow")
    model, _ = convert(s, folder, text)
    check([o.groups for o in model.objects] == [set(), {"Phys_Floors", "Shadow"}], model.objects)
    check(max(p[1] for p in model.meshes[0].positions) == 5, "the group without a name is of the world")


@suite.case
def groups_are_keys(s, folder):
    groups = (("Shadow", {"Phys_Floors", "Shadow"}), ("b;a;b;;Phys_Floors", {"Phys_Floors", "a", "b"}),
              ("=Shadow", {"Shadow"}), ("=", set()), ("one\\;two", {"Phys_Floors", "one;two"}))
    for text, expected in groups:
        model, _ = convert(s, folder, world() + entity("phys_floor", BOX, _groups=text))
        check(model.objects[0].groups == expected, (text, model.objects[0].groups))


@suite.case
def sectors_are_named_as_the_game_does(s, folder):
    text = world() + "".join(entity("p_box", origin=f"{64 * i} 0 0", sector=str(i)) for i in (1, 8, 9, 12))
    model, _ = convert(s, folder, text)
    check([o.groups for o in model.objects] == [{"P_Box", name} for name in
                                                ("Sector_01", "Sector_08", "Sector_9", "Sector_12")], model.objects)


@suite.case
def a_matrix_counts_while_the_other_keys_agree(s, folder):
    near = "1 0 0 0 0 1 0 0 0 0 1 0 4.00001 0 0 1"
    text = world() + entity("p_box", origin="64 0 0", sector="1", _matrix=near)
    model, done = convert(s, folder, text)
    check(abs(model.objects[0].matrix[12] - 4.00001) < 1e-6 and not done.codes(), (model.objects, done.codes()))
    model, done = convert(s, folder, text.replace("64 0 0", "65 0 0"))
    check(model.objects[0].matrix[12] == 65 / 16 and done.codes() == ["M150"], (model.objects, done.codes()))
    keys = {"sector": "1", "angles": "0 90 0", "_scale": "2 1 1"}
    model, _ = convert(s, folder, world() + entity("p_box", origin="0 0 0", **keys))
    check([round(x, 6) for x in model.objects[0].matrix[:11]] == [0, 0, 2, 0, 0, 1, 0, 0, -1, 0, 0], model.objects[0])


@suite.case
def an_object_without_brushes_keeps_its_place(s, folder):
    model, _ = convert(s, folder, world(BOX) + entity("mesh", targetname="Empty", origin="16 32 48"))
    made = model.objects[1]
    check(made.name == "Empty" and made.matrix[12:15] == (1, 3, 2) and not model.meshes[made.mesh].faces, made)


# --- models ---

QUAD = "v 0 0 0\nv 16 0 0\nv 16 16 0\nv 0 16 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n" \
       "usemtl ballance/Wood_Plain\nf 1/1 2/2 3/3 4/4\n"


def models(*keys):
    return world(BOX) + "".join(entity("misc_model", **k) for k in keys)


@suite.case
def a_model_used_twice_is_one_mesh(s, folder):
    put(folder, "models/quad.obj", QUAD)
    text = models({"model": "models/quad.obj", "origin": "0 0 160", "targetname": "First"},
                  {"model": "models/quad.obj", "origin": "160 0 0", "angles": "0 90 0"},
                  {"model": "models/quad.obj", "origin": "0 160 0", "modelscale": "2"})
    model, done = convert(s, folder, text)
    first, second, third = model.objects[1:]
    check(not done.codes() and len(model.meshes) == 3, (done.codes(), names(model.meshes)))
    check(first.mesh == second.mesh != third.mesh and first.name == "First", model.objects)
    check(first.matrix[12:15] == (0, 10, 0) and second.matrix[12:15] == (10, 0, 0), "places")
    sizes = [max(x for p in model.meshes[o.mesh].positions for x in p) for o in (first, third)]
    check(sizes == [1, 2] and third.matrix[0] == 1, f"the scale is in the mesh: {sizes}")
    check(names(model.materials) == ["Floor_Side", "Wood_Plain"], model.materials)


@suite.case
def normals_of_models_agree_with_their_faces(s, folder):
    put(folder, "quad.obj", QUAD)
    for scale in ("1 1 1", "-1 2 1", "1 1 -3"):
        model, _ = convert(s, folder, models({"model": "quad.obj", "modelscale_vec": scale}))
        mesh = model.meshes[1]
        check(len(mesh.faces) == 2, "faces")
        for corners, _ in mesh.faces:
            a, b, c = (mesh.positions[v] for v, _, _ in corners)
            d, e = ([x - y for x, y in zip(p, a)] for p in (b, c))
            cross = [d[i - 2] * e[i - 1] - d[i - 1] * e[i - 2] for i in range(3)]
            for _, _, n in corners:
                check(sum(x * y for x, y in zip(cross, mesh.normals[n])) > 0, (scale, cross, mesh.normals[n]))
            check((cross[1] > 0) == (scale != "1 1 -3"), f"the quad faces the wrong side: {scale}, {cross}")


@suite.case
def models_of_all_formats_are_read(s, folder):
    seeds = os.path.join(s.options.source, "tests/fuzz/seeds")
    for name in ("md3/square.md3", "ase/square.ase", "obj/square.obj"):
        shutil.copy(os.path.join(seeds, name), folder)
    game = os.path.join(folder, "game")
    put(game, "gameinfo.txt", b'"GameInfo" { "FileSystem" { "SearchPaths" { "Game" "|gameinfo_path|." } } }')
    for ending, data in (("mdl", mdl()), ("vvd", vvd()), ("dx90.vtx", vtx())):
        put(game, "models/props/box." + ending, data)
    for ending in ("md3", "ase", "obj"):
        model, done = convert(s, folder, models({"model": "square." + ending}))
        check(names(model.objects) == ["World", "square"] and len(model.meshes[1].faces) == 3, (ending, done.codes()))
    text = world(BOX) + entity("prop_static", model="models/props/box.mdl", origin="0 0 160")
    model, done = convert(s, folder, text, "-game", game)
    mesh = model.meshes[model.objects[1].mesh]
    check(names(model.objects) == ["World", "box"] and len(mesh.faces) == 12, (names(model.objects), done.codes()))
    check(max(x for p in mesh.positions for x in p) == 1 and closed(mesh), "a box of 32 units")


@suite.case
def models_that_are_missing_are_left_out(s, folder):
    put(folder, "broken.md3", b"IDP3" + bytes(8))
    put(folder, "far.obj", QUAD.replace("v 16 16 0", "v 1e30 16 0"))
    for keys in ({"model": "absent.obj"}, {}, {"model": "models/absent.mdl"}, {"model": "broken.md3"},
                 {"model": "far.obj"}, {"model": "far.obj", "modelscale": "1e12"}):
        model, done = convert(s, folder, models(keys))
        check("M148" in done.codes() and names(model.objects) == ["World"], (keys, done.codes()))


@suite.case
def a_model_of_a_named_object_joins_its_brushes(s, folder):
    put(folder, "quad.obj", QUAD)
    text = world() + entity("mesh", BOX, targetname="Both") + \
        entity("misc_model", model="quad.obj", origin="0 0 160", targetname="Both")
    model, _ = convert(s, folder, text)
    check(names(model.objects) == ["Both"] and len(model.meshes[0].faces) == 14, names(model.objects))
    check(max(p[1] for p in model.meshes[0].positions) == 10, "placed")


@suite.case
def large_meshes_are_split(s, folder):
    rows = 140  # x 140 quads of four corners of their own
    text = ["usemtl ballance/Wood_Plain\n"]
    for i in range(rows * rows):
        x, y = divmod(i, rows)
        text += [f"v {x + a} {y + b} {i % 7}\nvt {i} {a + b / 2}\n" for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
        text.append("f " + " ".join(f"{k}/{k}" for k in range(4 * i + 1, 4 * i + 5)) + "\n")
    put(folder, "grid.obj", "".join(text))
    model, done = convert(s, folder, models({"model": "grid.obj"}))
    check(done.codes() == ["M149"] and len(model.meshes) == 3, (done.codes(), names(model.meshes)))
    check(sum(len(m.faces) for m in model.meshes[1:]) == 2 * rows * rows, "all faces")
    for mesh in model.meshes:
        check(len({corner for corners, _ in mesh.faces for corner in corners}) <= 65535, mesh.name)


# --- command lines ---

@suite.case
def options_that_need_a_bsp_are_refused(s, folder):
    write(os.path.join(folder, "level.map"), world(BOX))
    level = os.path.join(folder, "level.map")
    for options in (("-onlyents",), ("-onlyprops",)):
        s.run("vbsp", "--target", "ballance", *options, level).expect(2)
    s.run("brushwork", "build", "--target", "ballance", level).expect(2)
    check(os.listdir(folder) == ["level.map"], os.listdir(folder))


@suite.case
def a_bm_file_is_one_already(s, folder):
    convert(s, folder, world(BOX))
    path = os.path.join(folder, "level.bmx")
    before = read(path)
    s.run("vbsp", "--target", "ballance", path).expect(2)
    s.run("brushwork", "convert", path, os.path.join(folder, "other.bmx")).expect(2)
    check(read(path) == before and not os.path.exists(os.path.join(folder, "other.bmx")), "a file was written")


suite.main()
