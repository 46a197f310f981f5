"""A reader of IBSP 46 and 47, RBSP 1 and FBSP 1 from the tables of docs/formats alone. What all containers have comes as
the same values."""
import math
import struct

SIDES = {b"IBSP": 128, b"RBSP": 128, b"FBSP": 512}
GRID = (64, 64, 128)  # between points, without a key


class Sister:
    def __init__(self, data):
        self.data = data
        self.magic, self.version = struct.unpack_from("<4si", data)
        self.styled = self.magic != b"IBSP"
        self.side = SIDES[self.magic]

    def lump(self, number):
        at, size = struct.unpack_from("<2i", self.data, 8 + 8 * number)
        assert 0 <= at and 0 <= size and at + size <= len(self.data), (number, at, size)
        return self.data[at:at + size]

    def records(self, number, layout):
        data = self.lump(number)
        assert len(data) % struct.calcsize("<" + layout) == 0, (number, len(data))
        return list(struct.iter_unpack("<" + layout, data))

    def vertices(self):
        """(position, texture, lightmap, normal, colour) of each, of the first style."""
        if not self.styled:
            return [(v[0:3], v[3:5], v[5:7], v[7:10], v[10:14]) for v in self.records(10, "10f4B")]
        return [(v[0:3], v[3:5], v[5:7], v[13:16], v[16:20]) for v in self.records(10, "16f16B")]

    def surfaces(self):
        """(shader, effect, type, vertices, indices, lightmap, x, y, size, normal, patch) of each."""
        if not self.styled:
            return [(s[0], s[1], s[2], s[3:5], s[5:7], s[7], s[8], s[9], s[10:12], s[21:24], s[24:26])
                    for s in self.records(13, "12i12f2i")]
        return [(s[0], s[1], s[2], s[3:5], s[5:7], s[15], s[19], s[23], s[27:29], s[38:41], s[41:43])
                for s in self.records(13, "7i8B4i4i4i2i12f2i")]

    def sides(self):
        return [side[:2] for side in self.records(9, "3i" if self.styled else "2i")]

    def grid(self):
        """The points in their places."""
        if not self.styled:
            return self.lump(15)
        points = self.records(15, "30B")
        return b"".join(bytes(points[number][0:3] + points[number][12:15] + points[number][28:30])
                        for number, in self.records(17, "H"))

    def geometry(self):
        """What does not depend on the game: flags of shaders and light do."""
        shaders = [name.split(b"\0")[0] for name, _, _ in self.records(1, "64s2i")]
        return {"shaders": shaders, "planes": self.records(2, "4f"), "nodes": self.records(3, "9i"),
                "leaves": self.records(4, "12i"), "leaf surfaces": self.lump(5), "leaf brushes": self.lump(6),
                "models": self.records(7, "6f4i"), "brushes": self.records(8, "3i"), "sides": self.sides(),
                "indices": self.lump(11), "visibility": self.lump(16),
                "vertices": [(v[0], v[1], v[3]) for v in self.vertices()],
                "surfaces": [(s[0], s[1], s[2], s[3], s[4], s[9], s[10]) for s in self.surfaces()]}

    def is_lit(self):
        """True if each surface with luxels lies in a page and some are bright there, and the grid fills the world."""
        pages, size = self.lump(14), 3 * self.side * self.side
        low, high = (self.records(7, "6f4i")[0][at:at + 3] for at in (0, 3))
        places = math.prod(math.floor(b / step) - math.ceil(a / step) + 1 for a, b, step in zip(low, high, GRID))
        bright = 0
        for surface in self.surfaces():
            page, x, y, (width, height) = surface[5:9]
            if page < 0:
                continue
            if x + width > self.side or y + height > self.side or (page + 1) * size > len(pages):
                return False
            bright += any(pages[page * size + 3 * (self.side * (y + t) + x):][:3 * width] > bytes(3 * width)
                          for t in range(height))
        return bright > 0 and len(self.grid()) == 8 * places and len(pages) % size == 0 and any(self.grid())

    def has_visibility(self):
        clusters, row = struct.unpack_from("<2i", self.lump(16))
        return clusters > 1 and len(self.lump(16)) == 8 + clusters * row
