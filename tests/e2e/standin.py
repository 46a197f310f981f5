"""Stands in for content that nobody has: a game folder with a VMT for each material of a pair of the
corpus, and in it what the reference tells of the material and the catalogue of it does not: the
surface property (by the hulls of its collision model), whether it is a ladder, and whether two
textures blend. Sizes and reflectivities come from the catalogue, which stands behind a VMT whose
texture is missing."""
import os
import re
import struct
from collections import Counter, defaultdict

from e2e import write

INCH = 0.0254
LADDER = 0x20000000
LUMP = {"planes": 1, "texdata": 2, "brushes": 18, "sides": 19, "physics": 29, "strings": 43,
        "names": 44, "texinfo": 6}


class Reference:
    """The lumps of a BSP with material data."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()

    def lump(self, name):
        at, size = struct.unpack_from("<2i", self.data, 8 + 16 * LUMP[name])
        return self.data[at:at + size]

    def records(self, name, form):
        size = struct.calcsize("<" + form)
        blob = self.lump(name)
        return list(struct.iter_unpack("<" + form, blob[:len(blob) // size * size]))

    def names(self):
        """Names of its materials in lower case."""
        text = self.lump("strings")
        return [text[at:text.index(b"\0", at)].decode("latin-1").lower()
                for at, in self.records("names", "i")]

    def brushes(self):
        """(contents, [(plane, texinfo)]) without bevels."""
        planes = self.records("planes", "4fi")
        sides = self.records("sides", "Hhhh")
        return [(contents, [(planes[s[0]][:4], s[1]) for s in sides[first:first + count]
                            if not s[3] & 0xFF])
                for first, count, contents in self.records("brushes", "3i")]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def plane_of(points):
    a, b, c = points
    u, v = [a[i] - b[i] for i in range(3)], [c[i] - b[i] for i in range(3)]
    normal = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    size = dot(normal, normal) ** 0.5 or 1
    normal = tuple(x / size for x in normal)
    return normal + (dot(normal, a),)


def same_plane(a, b):
    return dot(a, b) > 0.999 and abs(a[3] - b[3]) < 0.5


def solids_of(path):
    """Of each solid of a VMF that is compiled as it stands: [(plane, material)]."""
    with open(path, encoding="latin-1") as file:
        text = file.read()
    token = re.compile(r'"([^"\n]*)"[ \t]*"([^"\n]*)"|([{}])|([A-Za-z_0-9]+)')
    solids, open_blocks, name, sides, side = [], [], "", [], {}
    for key, value, brace, word in (m.groups() for m in token.finditer(text)):
        if word:
            name = word
        elif brace == "{":
            open_blocks.append(name)
            sides = [] if name == "solid" else sides
            side = {} if name == "side" else side
        elif brace == "}":
            closed = open_blocks.pop()
            if closed == "side":
                sides.append(side)
            elif closed == "dispinfo":
                side["dispinfo"] = True
            elif closed == "solid" and not any("dispinfo" in s for s in sides):
                solids.append([(plane_of([tuple(map(float, p.split())) for p in
                                          re.findall(r"\(([^)]*)\)", s["plane"])]),
                                s["material"].lower()) for s in sides])
        elif key is not None and open_blocks and open_blocks[-1] == "side":
            side[key] = value
    return solids


def pair_solids(brushes, solids):
    """Brush of the BSP -> the solids that have all of its planes but for one."""
    def cell(plane):
        return tuple(round(20 * x) for x in plane[:3]) + (round(plane[3]),)

    holders = defaultdict(set)
    for number, (_, sides) in enumerate(brushes):
        for plane, _ in sides:
            holders[cell(plane)].add(number)
    pairs = defaultdict(list)
    for solid in solids:
        shared = Counter(n for plane, _ in solid for n in holders.get(cell(plane), ()))
        for number, count in shared.items():
            if count >= len(solid) - 1 and len(brushes[number][1]) >= len(solid):
                pairs[number].append(solid)
    return pairs


def leaf_hulls(data, node):
    """Offsets of the ledges of a tree of hulls."""
    right, ledge = struct.unpack_from("<2i", data, node)
    if not right:
        yield node + ledge
        return
    yield from leaf_hulls(data, node + 28)
    yield from leaf_hulls(data, node + right)


def world_triangles(data):
    """(brush, plane, surface property) of each triangle of the world's collision model."""
    _, size, text_size, count = struct.unpack_from("<4i", data, 0)
    text = data[16 + size:16 + size + text_size].decode("latin-1")
    table = re.search(r"materialtable\s*{([^}]*)}", text)
    props = {int(n): p for p, n in re.findall(r'"([^"]*)"\s*"(\d+)"', table.group(1))} \
        if table else {}
    at = 16
    for _ in range(count):
        surface = at + 4 + 28
        for hull in leaf_hulls(data, surface + struct.unpack_from("<i", data, surface + 32)[0]):
            first, brush, _, triangles = struct.unpack_from("<iiIh", data, hull)
            for i in range(triangles):
                head, *edges = struct.unpack_from("<4I", data, hull + 16 + 16 * i)
                points = [struct.unpack_from("<3f", data, hull + first + 16 * (e & 0xFFFF))
                          for e in edges]
                a, b, c = [(p[0] / INCH, p[2] / INCH, -p[1] / INCH) for p in points]
                yield brush, plane_of((c, b, a)), props.get(head >> 24 & 0x7F)
        at += 4 + struct.unpack_from("<i", data, at)[0]


def surface_props(pairs, data):
    """Material -> the surface property that most of its triangles have."""
    votes = defaultdict(Counter)
    for brush, plane, prop in world_triangles(data):
        for solid in pairs.get(brush, ()):
            for other, material in solid:
                if prop and same_plane(plane, other):
                    votes[material][prop] += 1
    return {material: count.most_common(1)[0][0] for material, count in votes.items()}


def ladders(pairs, brushes):
    """Materials that all brushes with one are ladders of, and none that is not."""
    kinds = {True: set(), False: set()}
    for number, solids in pairs.items():
        for solid in solids:
            kinds[bool(brushes[number][0] & LADDER)].update(material for _, material in solid)
    return kinds[True] - kinds[False]


def catalogue_rows(path):
    with open(path, encoding="latin-1") as file:
        for line in file:
            cells = line.rstrip("\n").split("\t")
            if not line.startswith("#") and len(cells) > 11:
                yield cells[0].lower(), cells


def number(cell):
    return 0 if cell == "-" else int(cell, 0)


def vmt(cells, prop, ladder, blends):
    """The text of a VMT with the properties of the row; None if there is no such VMT."""
    flags, contents = number(cells[8]), number(cells[9])
    if flags & ~0xC31 or contents not in (0, 1, 2, 8) or cells[11] != "-":
        return None
    lines = [f'"$basetexture" "{cells[0]}"', f'"$surfaceprop" "{prop}"']
    for given, line in ((flags & 0x10 or contents == 2, '"$translucent" 1'),
                        (flags & 0x800, '"$bumpmap" "none"'), (flags & 0x20, '"%noportal" 1'),
                        (contents == 8, '"%compilepassbullets" 1'), (ladder, '"%compileladder" 1'),
                        (cells[10] == "1", '"$envmap" "env_cubemap"')):
        if given:
            lines.append(line)
    shader = "WorldVertexTransition" if blends else \
        "UnlitGeneric" if flags & 0x400 else "LightmappedGeneric"
    return "\n".join([shader, "{", *lines, "}", ""])


def make_game(folder, source, reference, catalogue, scripts, models=None):
    """Makes the folder of a game that knows the pair's materials."""
    bsp = Reference(reference)
    brushes = bsp.brushes()
    pairs = pair_solids(brushes, solids_of(source))
    props = surface_props(pairs, bsp.lump("physics"))
    climbed = ladders(pairs, brushes)
    blended = {m.group(1) for m in (re.fullmatch(r"maps/[^/]*/(.*)_wvt_patch", n)
                                    for n in bsp.names()) if m}
    rows = {name: [name, *"-" * 11] for name in props}  # a plain one without a row
    rows.update(catalogue_rows(catalogue))
    for name, cells in rows.items():
        if name.startswith("tools/") or not (name in props or name in blended):
            continue
        text = vmt(cells, props.get(name, "default"), name in climbed, name in blended)
        if text:
            path = os.path.join(folder, "materials", *name.split("/")) + ".vmt"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write(path, text)
    os.makedirs(os.path.join(folder, "scripts"), exist_ok=True)
    with open(scripts, encoding="latin-1") as file:
        write(os.path.join(folder, "scripts", "surfaceproperties.txt"), file.read())
    more = f' game "{models}"' if models else ""
    write(os.path.join(folder, "gameinfo.txt"),
          f'GameInfo {{ FileSystem {{ SearchPaths {{ game "{folder}"{more} }} }} }}')
    return folder
