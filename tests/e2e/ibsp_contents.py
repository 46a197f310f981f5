"""What the brushes of a Quake 3 map fill: contents at points, looked up through its tree."""
import random
import struct

LUMPS = {"shaders": (1, "64s2i"), "planes": (2, "4f"), "nodes": (3, "9i"), "leaves": (4, "12i"),
         "leaf_brushes": (6, "i"), "models": (7, "6f4i"), "brushes": (8, "3i"), "sides": (9, "2i")}

# Of compilers only: detail, structural, translucent.
COMPILER = 0x38000000


class Volumes:
    """The brushes of a file."""

    def __init__(self, data):
        for name, (number, form) in LUMPS.items():
            start, length = struct.unpack_from("<2i", data, 8 + 8 * number)
            setattr(self, name, list(struct.iter_unpack("<" + form, data[start:start + length])))

    def contents(self, point):
        """All contents at a point; those that only compilers look at are left out."""
        node = 0
        while node >= 0:
            plane = self.planes[self.nodes[node][0]]
            node = self.nodes[node][1 + (distance(plane, point) < 0)]
        leaf = self.leaves[-1 - node]
        found = 0
        for (brush,) in self.leaf_brushes[leaf[10]:leaf[10] + leaf[11]]:
            if self.holds(brush, point):
                found |= self.shaders[self.brushes[brush][2]][2]
        return found & ~COMPILER & 0xffffffff

    def holds(self, brush, point):
        first, count, _ = self.brushes[brush]
        return all(distance(self.planes[plane], point) <= 0
                   for plane, _ in self.sides[first:first + count])

    def random_points(self, count, seed=1):
        """Points in the box of the world."""
        numbers = random.Random(seed)
        box = self.models[0]
        return [[numbers.uniform(box[k], box[3 + k]) for k in range(3)] for _ in range(count)]


def distance(plane, point):
    return plane[0] * point[0] + plane[1] * point[1] + plane[2] * point[2] - plane[3]


def differences(first, second, count):
    """The points at which two maps have other contents."""
    one, other = Volumes(first), Volumes(second)
    return [point for point in one.random_points(count) if
            one.contents(point) != other.contents(point)]
