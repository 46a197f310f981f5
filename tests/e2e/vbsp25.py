"""A reader of VBSP 20, 21 and 25 from the tables of docs/formats/vbsp.md alone: faces as polygons with their plane,
leaves, and the tree, as the same values whatever the version."""
import struct

ENTITIES, PLANES, VERTICES, VISIBILITY, NODES, FACES, LIGHT, LEAVES = 0, 1, 3, 4, 5, 7, 8, 10
EDGES, SURFEDGES, MODELS, LEAF_FACES, LEAF_BRUSHES, BRUSHES, SIDES, AREA_PORTALS = 12, 13, 14, 16, 17, 18, 19, 21
FACE_IDS, ORIGINALS, NORMAL_INDICES, AMBIENT_HDR, AMBIENT = 11, 27, 31, 51, 52
FACE_BRUSHES, DISPLACEMENTS, DISP_PHYSICS, LEAF_WATER, PRIMITIVES, PRIMITIVE_INDICES = 22, 26, 28, 36, 37, 39
OVERLAYS, WATER_OVERLAYS = 45, 50
NO_NEIGHBOUR = {20: 65535, 25: 0xffffffff}  # and no hull in the physics of a displacement

# By version of the file: the layout of a record, and the versions of its lump.
LAYOUTS = {
    NODES: {20: ("<3i6h2Hhh", 0), 25: ("<3i6f2ihh", 1)},
    FACES: {20: ("<HBBi4h4Bif4ii2Hi", 1), 25: ("<iBBxx5i4Bif4iiIii", 2)},
    LEAVES: {20: ("<ihH6h4Hhxx", 1), 25: ("<iiI6f5i", 2)},
    EDGES: {20: ("<2H", 0), 25: ("<2i", 1)},
    LEAF_FACES: {20: ("<H", 0), 25: ("<i", 1)},
    LEAF_BRUSHES: {20: ("<H", 0), 25: ("<i", 1)},
    SIDES: {20: ("<HhhBB", 0), 25: ("<iiiBBxx", 1)},
    AREA_PORTALS: {20: ("<4Hi", 0), 25: ("<4ii", 1)},
    NORMAL_INDICES: {20: ("<H", 0), 25: ("<i", 1)},
    AMBIENT: {20: ("<2H", 0), 25: ("<2i", 1)},
    AMBIENT_HDR: {20: ("<2H", 0), 25: ("<2i", 1)},
    FACE_IDS: {20: ("<H", 0), 25: ("<i", 0)},
    FACE_BRUSHES: {20: ("<H", 0), 25: ("<i", 1)},
    DISPLACEMENTS: {20: ("<3fiiiIfiHxxii" + 8 * "HBBBx" + 4 * "4HBx" + "10I", 0),
                    25: ("<3fiiiIfiIii" + 8 * "IBBBx" + 4 * "4IBxxx" + "10I", 1)},
    LEAF_WATER: {20: ("<ffhxx", 0), 25: ("<ffi", 1)},
    PRIMITIVES: {20: ("<5H", 0), 25: ("<5i", 1)},
    PRIMITIVE_INDICES: {20: ("<H", 0), 25: ("<i", 1)},
    OVERLAYS: {20: ("<ihH64i22f", 0), 25: ("<iiI64i22f", 1)},
    WATER_OVERLAYS: {20: ("<ihH256i22f", 0), 25: ("<iiI256i22f", 1)},
}
LAYOUTS[ORIGINALS] = {20: (LAYOUTS[FACES][20][0], 0), 25: (LAYOUTS[FACES][25][0], 0)}


class Bsp:
    def __init__(self, data):
        self.data = data
        magic, self.version = struct.unpack_from("<4si", data)
        assert magic == b"VBSP", magic
        self.form = 25 if self.version == 25 else 20
        self.entries = [struct.unpack_from("<4i", data, 8 + 16 * i) for i in range(64)]
        for lump, layouts in LAYOUTS.items():
            size = self.entries[lump][1]
            assert size % struct.calcsize(layouts[self.form][0]) == 0, (lump, size)
            assert self.form == 20 or not size or self.entries[lump][2] == layouts[25][1], (lump, self.entries[lump])

    def lump(self, number):
        at, size = self.entries[number][:2]
        return self.data[at:at + size]

    def records(self, number, layout=None):
        return list(struct.iter_unpack(layout or LAYOUTS[number][self.form][0], self.lump(number)))

    def faces(self, lump=FACES):
        """(plane, side, on node, corners, texinfo, displacement, fog, styles, light offset, area, lightmap, shadows,
        primitives, smoothing) of each."""
        edges, turns = self.records(EDGES), [turn for turn, in self.records(SURFEDGES, "<i")]
        out = []
        for face in self.records(lump):
            plane, side, node, first, count, texinfo, displacement, fog = face[:8]
            corners = [edges[turn][0] if turn >= 0 else edges[-turn][1] for turn in turns[first:first + count]]
            primitives = face[19]
            if self.form == 25:
                shadows, primitives = primitives & 1, primitives >> 1
            else:
                shadows, primitives = 1 - (primitives >> 15), primitives & 0x7fff
            out.append((plane, side, node, corners, texinfo, displacement, fog, face[8:12], face[12], face[13], face[14:18],
                        shadows, primitives, face[21]))
        return out

    def leaves(self):
        """(contents, cluster, area, flags, bounds, first face, faces, first brush, brushes, water) of each."""
        bits = 17 if self.form == 25 else 9
        return [(leaf[0], leaf[1], leaf[2] & (1 << bits) - 1, leaf[2] >> bits, tuple(map(int, leaf[3:9])), *leaf[9:14])
                for leaf in self.records(LEAVES)]

    def nodes(self):
        return [node[:3] + tuple(map(int, node[3:9])) + node[9:12] for node in self.records(NODES)]

    def displacements(self):
        none = NO_NEIGHBOUR[self.form]
        neighbours = [*range(12, 44, 4), *(44 + 5 * corner + i for corner in range(4) for i in range(4))]
        return [tuple(-1 if i in neighbours and value == none else value for i, value in enumerate(record))
                for record in self.records(DISPLACEMENTS)]

    def overlays(self, lump):
        """Each with the count of faces and the order apart."""
        bits = 30 if self.form == 25 else 14
        return [(*record[:2], record[2] & (1 << bits) - 1, record[2] >> bits, *record[3:])
                for record in self.records(lump)]

    def hulls(self):
        """Of the physics of displacements: their sizes and bytes."""
        data, word = self.lump(DISP_PHYSICS), "<I" if self.form == 25 else "<H"
        if not data:
            return None
        size = struct.calcsize(word)
        count, = struct.unpack_from(word, data)
        sizes = [struct.unpack_from(word, data, size * (i + 1))[0] for i in range(count)]
        return [-1 if n == NO_NEIGHBOUR[self.form] else n for n in sizes], data[size * (count + 1):]

    def values(self):
        """All of the map that both forms have, by name."""
        plain = {"planes": (PLANES, "<4fi"), "vertices": (VERTICES, "<3f"), "models": (MODELS, "<9f3i"),
                 "brushes": (BRUSHES, "<3i"), "surfedges": (SURFEDGES, "<i")}
        out = {name: self.records(*lump) for name, lump in plain.items()}
        for name, lump in (("edges", EDGES), ("leaf faces", LEAF_FACES), ("leaf brushes", LEAF_BRUSHES), ("sides", SIDES),
                           ("area portals", AREA_PORTALS), ("normals", NORMAL_INDICES), ("ambient", AMBIENT),
                           ("leaf water", LEAF_WATER), ("primitives", PRIMITIVES), ("primitive indices", PRIMITIVE_INDICES),
                           ("brushes of faces", FACE_BRUSHES),
                           ("ids", FACE_IDS)):
            out[name] = self.records(lump)
        out.update(faces=self.faces(), originals=self.faces(ORIGINALS), leaves=self.leaves(), nodes=self.nodes(),
                   displacements=self.displacements(), overlays=self.overlays(OVERLAYS),
                   water_overlays=self.overlays(WATER_OVERLAYS), hulls=self.hulls(),
                   triangles=self.lump(48), disp_vertices=self.lump(33), entities=self.lump(ENTITIES), light=self.lump(LIGHT), visibility=self.lump(VISIBILITY))
        return out
