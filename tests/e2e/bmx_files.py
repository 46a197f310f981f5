"""Reads and writes BM files (BM 1.4), independent of the programs."""
import io
import struct
import zipfile

UNIT = 16  # map units of a BM unit
IDENTITY = (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
KINDS = ("object", "mesh", "material", "texture")
FIELDS = "ambient diffuse specular emissive power alpha_test alpha_blend z_buffer two_sided use_texture texture".split()
COMPONENTS = (
    "P_Extra_Life P_Extra_Point P_Trafo_Paper P_Trafo_Stone P_Trafo_Wood P_Ball_Paper P_Ball_Stone P_Ball_Wood P_Box "
    "P_Dome P_Modul_01 P_Modul_03 P_Modul_08 P_Modul_17 P_Modul_18 P_Modul_19 P_Modul_25 P_Modul_26 P_Modul_29 "
    "P_Modul_30 P_Modul_34 P_Modul_37 P_Modul_41 PC_TwoFlames PE_Balloon PR_Resetpoint PS_FourFlames").split()


class Bytes(io.BytesIO):
    """Bytes of a member, by the types of the standard."""

    def take(self, form):
        values = struct.unpack("<" + form, self.read(struct.calcsize("<" + form)))
        return values[0] if len(values) == 1 else values

    def text(self):
        return self.read(4 * self.take("I")).decode("utf-32-le")

    def records(self, form):
        return [self.take(form) for _ in range(self.take("I"))]

    def put(self, form, *values):
        self.write(struct.pack("<" + form, *values))

    def put_text(self, text):
        self.put("I", len(text))
        self.write(text.encode("utf-32-le"))


def read_object(file):
    component, hidden = file.take("2B")
    matrix = file.take("16f")
    groups = [file.text() for _ in range(file.take("I"))]
    return {"component": component, "hidden": hidden, "matrix": matrix, "groups": groups, "mesh": file.take("I")}


def read_mesh(file):
    mesh = {"v": file.records("3f"), "vt": file.records("2f"), "vn": file.records("3f")}
    mesh["faces"] = file.records("9IBI")
    return mesh


def read_material(file):
    values = [file.take("3f") for _ in range(4)] + [file.take("f"), *file.take("5B"), file.take("I")]
    return dict(zip(FIELDS, values))


def read_texture(file):
    return {"file": file.text(), "external": file.take("B")}


READERS = dict(zip(KINDS, (read_object, read_mesh, read_material, read_texture)))


class Level:
    """What a file holds: lists of dictionaries by kind, each with its name, and files of textures by name."""

    def __init__(self, path=None):
        self.blocks = {kind: [] for kind in KINDS}
        self.files = {}
        if path:
            self.load(path)

    def __getattr__(self, name):
        return self.blocks[{"objects": "object", "meshes": "mesh", "materials": "material",
                            "textures": "texture"}[name]]

    def load(self, path):
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        files = {kind: Bytes(members[kind + ".bm"]) for kind in KINDS}
        index = Bytes(members["index.bm"])
        assert index.take("I") == 14
        while index.tell() < len(members["index.bm"]):
            name, kind, at = index.text(), index.take("B"), index.take("Q")
            files[KINDS[kind]].seek(at)
            self.blocks[KINDS[kind]].append({"name": name, **READERS[KINDS[kind]](files[KINDS[kind]])})
        self.files = {name[8:]: data for name, data in members.items() if name.startswith("Texture/") and name[8:]}

    # --- making one ---

    def add(self, kind, name, **fields):
        self.blocks[kind].append({"name": name, **fields})
        return len(self.blocks[kind]) - 1

    def add_texture(self, name, file, data=None):
        if data is not None:
            self.files[file] = data
        return self.add("texture", name, file=file, external=int(data is None))

    def add_material(self, name, texture=None, **fields):
        black, white = (0, 0, 0), (1, 1, 1)
        values = dict(zip(FIELDS, (black, white, black, black, 0, 0, 0, 1, 0, int(texture is not None), texture or 0)))
        return self.add("material", name, **{**values, **fields})

    def add_object(self, name, mesh, groups=(), matrix=IDENTITY, hidden=0):
        return self.add("object", name, component=0, hidden=hidden, matrix=matrix, groups=list(groups), mesh=mesh)

    def add_component(self, kind, name, place, groups):
        return self.add("object", name, component=1, hidden=0, groups=list(groups), mesh=COMPONENTS.index(kind),
                        matrix=(*IDENTITY[:12], place[0] / UNIT, place[2] / UNIT, place[1] / UNIT, 1))

    def add_box(self, name, mins, maxs, materials):
        """A mesh: a box of map space with a material for each side, x, y, z, down before up."""
        mesh = {"v": [], "vt": [], "vn": [], "faces": []}
        for side in range(6):
            axis, up = side // 2, side % 2
            x, y = (axis + 1) % 3, (axis + 2) % 3
            normal = [0.0, 0.0, 0.0]
            normal[axis] = 2.0 * up - 1
            mesh["vn"].append((normal[0], normal[2], normal[1]))
            for i in range(4):
                far = (i in (1, 2), i >= 2)
                p = [0.0, 0.0, 0.0]
                p[axis] = (mins, maxs)[up][axis]
                p[x] = (mins, maxs)[far[up]][x]
                p[y] = (mins, maxs)[far[1 - up]][y]
                mesh["v"].append((p[0] / UNIT, p[2] / UNIT, p[1] / UNIT))
                mesh["vt"].append((p[x] / 128, -p[y] / 128))
            for a, b, c in ((0, 1, 2), (0, 2, 3)):
                corners = [n for k in (a, b, c) for n in (4 * side + k, 4 * side + k, side)]
                mesh["faces"].append((*corners, 1, materials[side]))
        return self.add("mesh", name, **mesh)

    def store(self, path):
        index, files = Bytes(), {kind: Bytes() for kind in KINDS}
        index.put("I", 14)
        for number, kind in enumerate(KINDS):
            for block in self.blocks[kind]:
                index.put_text(block["name"])
                index.put("BQ", number, files[kind].tell())
                WRITERS[kind](files[kind], block)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            archive.comment = b"Use BM Spec 1.4"
            members = {"index.bm": index.getvalue(), **{kind + ".bm": files[kind].getvalue() for kind in KINDS},
                       **{"Texture/" + name: data for name, data in self.files.items()}}
            for name, data in members.items():
                archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
        set_flags(path)

    # --- geometry ---

    def triangles(self, block):
        """Those of an object: three corners of map space each, clockwise, and their texture coordinates."""
        mesh, m = self.meshes[block["mesh"]], block["matrix"]
        for face in mesh["faces"]:
            places, uvs = [], []
            for k in range(3):
                p = mesh["v"][face[3 * k]]
                q = [sum(p[i] * m[4 * i + c] for i in range(3)) + m[12 + c] for c in range(3)]
                places.append((q[0] * UNIT, q[2] * UNIT, q[1] * UNIT))
                uvs.append(mesh["vt"][face[3 * k + 1]])
            yield (places[::-1], uvs[::-1]) if is_mirrored(m) else (places, uvs)

    def bounds(self, block):
        points = [p for places, _ in self.triangles(block) for p in places]
        return [[pick(p[k] for p in points) for k in range(3)] for pick in (min, max)] if points else None


def is_mirrored(m):
    return sum(m[k] * (m[4 + (k + 1) % 3] * m[8 + (k + 2) % 3] - m[4 + (k + 2) % 3] * m[8 + (k + 1) % 3])
               for k in range(3)) < 0


def write_object(file, block):
    file.put("2B16f", block["component"], block["hidden"], *block["matrix"])
    file.put("I", len(block["groups"]))
    for group in block["groups"]:
        file.put_text(group)
    file.put("I", block["mesh"])


def write_mesh(file, block):
    for key, form in (("v", "3f"), ("vt", "2f"), ("vn", "3f"), ("faces", "9IBI")):
        file.put("I", len(block[key]))
        for values in block[key]:
            file.put(form, *values)


def write_material(file, block):
    for field in FIELDS[:4]:
        file.put("3f", *block[field])
    file.put("f5BI", *(block[field] for field in FIELDS[4:]))


def write_texture(file, block):
    file.put_text(block["file"])
    file.put("B", block["external"])


WRITERS = dict(zip(KINDS, (write_object, write_mesh, write_material, write_texture)))


def set_flags(path):
    """Marks all names as UTF-8 and the data as packed best, as the standard asks; zipfile does so for other names."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    for magic, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        start = data.find(magic)
        while start >= 0:
            flags, = struct.unpack_from("<H", data, start + at)
            struct.pack_into("<H", data, start + at, flags | 0x802)
            start = data.find(magic, start + 4)
    with open(path, "wb") as file:
        file.write(data)


# --- a level for tests ---

START = (32, 48, 40)
RED = struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, 2, 4, 24, 0) + b"\0\0\xff" * 8


def make_level(path):
    """A floor with its own texture, a floor of the game, a sheet, a death box, a start and an end."""
    level = Level()
    own = level.add_texture("Red", "red.tga", RED)
    stock = level.add_texture("Floor_Side", "Floor_Side.bmp")
    red = level.add_material("Red Floor", own)
    side = level.add_material("Floor_Side", stock, emissive=(1, 1, 1))
    floor = level.add_box("Floor", (0, 0, -80), (320, 160, 0), [side] * 5 + [red])
    death = level.add_box("Death", (-160, -160, -400), (480, 320, -380), [side] * 6)
    sheet = level.add("mesh", "Sheet", v=[(30, 0, 0), (30, 0, 5), (35, 1, 0), (35, 2, 5)],
                      vt=[(0, 0), (0, 1), (1, 0), (1, 1)], vn=[(0, 1, 0)],
                      faces=[(0, 0, 0, 1, 1, 0, 2, 2, 0, 1, red), (1, 1, 0, 3, 3, 0, 2, 2, 0, 1, red)])
    level.add_object("A_Floor_01", floor, ["Phys_Floors", "Shadow"])
    level.add_object("A_Floor_02", floor, ["Phys_Floors"], (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 20, 1))
    level.add_object("Ramp", sheet, ["Phys_Floors"])
    level.add_object("DepthCubes_01", death, ["DepthTestCubes"], hidden=1)
    level.add_component("PS_FourFlames", "PS_FourFlames_01", START, ["PS_Levelstart"])
    level.add_component("PR_Resetpoint", "PR_Resetpoint_01", START, ["PR_Resetpoints", "Sector_01"])
    level.add_component("PE_Balloon", "PE_Balloon_01", (300, 60, 40), ["PE_Levelende"])
    level.store(path)
    return path
