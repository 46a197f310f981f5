"""Which faces of one VBSP file (versions 19 to 21) another of the same source lights at the same place."""
import itertools
import math
import re
import struct

PLANES, VERTICES, TEXINFO, FACES, EDGES, SURFEDGES, MODELS, FACES_HDR = 1, 3, 6, 7, 12, 13, 14, 58
TEXDATA, NAMES, NAME_PLACES = 2, 43, 44
CELL = 128.0  # units


class File:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        version = struct.unpack_from("<i", self.data, 4)[0]
        lumps = [struct.unpack_from("<4i", self.data, 8 + 16 * i) for i in range(64)]
        if version == 21 and lumps[PLANES][0] < 1036:  # the version of a lump comes first
            lumps = [(lump[1], lump[2]) for lump in lumps]
        self.lumps = [lump[:2] for lump in lumps]

    def records(self, lump, layout):
        place, size = self.lumps[lump]
        return list(struct.iter_unpack(layout, self.data[place:place + size // struct.calcsize(layout) * struct.calcsize(layout)]))

    def names(self):
        """Of the texdata, without what compilers add for one map."""
        base, places = self.lumps[NAMES][0], [p for p, in self.records(NAME_PLACES, "<i")]
        for record in self.records(TEXDATA, "<3f5i"):
            start = base + places[record[3]]
            name = self.data[start:self.data.index(b"\0", start)].decode("latin-1").lower().replace("\\", "/")
            yield re.sub(r"(_-?\d+_-?\d+_-?\d+|_wvt_patch)$", "", re.sub(r"^maps/[^/]+/", "", name))


class Face:
    def __init__(self, model, normal, distance, corners, is_lit, material):
        self.model, self.normal, self.distance, self.corners = model, normal, distance, corners
        self.is_lit, self.material = is_lit, material
        self.middle = tuple(sum(c) / len(corners) for c in zip(*corners))

    def way(self):
        return self.model, *(round(n * 50) for n in self.normal)

    def cells(self):
        """Of a coarse grid, which the face may touch."""
        ranges = [range(math.floor((min(c) - 0.1) / CELL), math.floor((max(c) + 0.1) / CELL) + 1) for c in zip(*self.corners)]
        return itertools.product(*ranges)

    def holds(self, point):
        """A point of its plane, at most a fiftieth of a unit outside."""
        signs = set()
        for a, b in zip(self.corners, self.corners[1:] + self.corners[:1]):
            e, w = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, point)]
            n = (e[1] * w[2] - e[2] * w[1], e[2] * w[0] - e[0] * w[2], e[0] * w[1] - e[1] * w[0])
            side = sum(p * q for p, q in zip(n, self.normal)) / (math.sqrt(sum(q * q for q in e)) or 1)
            if abs(side) > 0.02:
                signs.add(side > 0)
        return len(signs) < 2


def faces_of(path):
    """The faces of all models that have a texinfo and corners; those of displacements are their flat sides."""
    file = File(path)
    planes, vertices = file.records(PLANES, "<4fi"), file.records(VERTICES, "<3f")
    edges, surfedges = file.records(EDGES, "<2H"), [e for e, in file.records(SURFEDGES, "<i")]
    texinfo, names = file.records(TEXINFO, "<16f2i"), list(file.names())
    layout = "<HBBihhhh4sifiiiiiHHI"
    kinds = [file.records(lump, layout) for lump in (FACES, FACES_HDR)]
    found = []
    for number, model in enumerate(file.records(MODELS, "<9f3i")):
        for i in range(model[10], model[10] + model[11]):
            face = kinds[0][i] if kinds[0] else kinds[1][i]
            if face[5] < 0 or face[4] < 3:
                continue
            corners = [vertices[edges[abs(e)][0 if e >= 0 else 1]] for e in surfedges[face[3]:face[3] + face[4]]]
            plane = planes[face[0]]
            is_lit = any(kind and kind[i][9] >= 0 for kind in kinds)
            found.append(Face(number, plane[:3], plane[3], corners, is_lit, names[texinfo[face[5]][17]]))
    return found


class Table:
    """Faces by model, normal and place."""

    def __init__(self, faces):
        self.faces = {}
        for face in faces:
            for cell in face.cells():
                self.faces.setdefault((face.way(), cell), []).append(face)

    def near(self, face):
        """Faces at the middle of the face that may have its plane."""
        model, *normal = face.way()
        cell = tuple(math.floor(c / CELL) for c in face.middle)
        for turn in itertools.product((-1, 0, 1), repeat=3):
            yield from self.faces.get(((model, *(n + t for n, t in zip(normal, turn))), cell), ())


def at_place(table, face):
    """Faces in the same plane, the same way, at the middle of the face."""
    for other in table.near(face):
        same = sum(p * q for p, q in zip(face.normal, other.normal)) > 0.9999
        distance = sum(p * q for p, q in zip(other.normal, face.middle)) - other.distance
        if same and abs(distance) < 0.1 and other.holds(face.middle):
            yield other


def lit_places(reference, ours):
    """(lit faces of the reference, {(material, what is there): count of those that are not lit in ours}); without
    tools/, which games do not draw."""
    table, lost, lit = Table(faces_of(ours)), {}, 0
    for face in faces_of(reference):
        if not face.is_lit or face.material.startswith("tools/"):
            continue
        lit += 1
        there = list(at_place(table, face))
        if not any(other.is_lit for other in there):
            what = there[0].material if there else "nothing"
            lost[face.material, what] = lost.get((face.material, what), 0) + 1
    return lit, lost
