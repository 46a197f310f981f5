"""The light of a compiled map, as a renderer shows it, and luxel by luxel."""
import math
import struct

import brushwork

DIRECTIONS = {"+x": (1, 0, 0), "-x": (-1, 0, 0), "+y": (0, 1, 0), "-y": (0, -1, 0), "+z": (0, 0, 1), "-z": (0, 0, -1)}
AMBIENT_LDR, LEAVES, AMBIENT_INDEX_LDR = 56, 10, 52


def minus(a, b):
    return tuple(x - y for x, y in zip(a, b))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def unit(a):
    length = math.sqrt(dot(a, a))
    return tuple(x / length for x in a)


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def area(triangle):
    a, b, c = triangle
    n = cross(minus(c, a), minus(b, a))
    return math.sqrt(dot(n, n)) / 2


def flat_normal(triangle):
    """Of a clockwise triangle; None without area."""
    a, b, c = triangle
    n = cross(minus(c, a), minus(b, a))
    return unit(n) if dot(n, n) > 1e-6 else None


class Face:
    """A flat lit face: its outline, normal, lightmap, and the affine map from the lightmap to the world."""

    def __init__(self, outline, triangles, luxels, width, height):
        self.points = [v[0] for v in outline]
        self.triangles = triangles  # clockwise; several faces may be one surface of Quake 3, without one outline
        self.normal = outline[0][1]
        self.pixels, self.width, self.height = luxels, width, height
        self.even = None  # of a face with the same light everywhere, which Quake 3 stores as one luxel
        self.origin, self.across, self.down = self.place(outline)

    def place(self, outline):
        """The world's point of lightmap (0, 0), and the steps of a luxel."""
        (p, _, a) = outline[0]
        best = None
        for q, _, b in outline[1:]:
            for r, _, c in outline[1:]:
                d = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
                if best is None or abs(d) > abs(best[0]):
                    best = d, q, b, r, c
        d, q, b, r, c = best
        if abs(d) < 1e-12:
            x, y = min(int(a[0] * self.width), self.width - 1), min(int(a[1] * self.height), self.height - 1)
            self.even = self.value(x, y)
            return p, (1, 0, 0), (0, 1, 0)
        e, f = minus(q, p), minus(r, p)
        du = tuple(((c[1] - a[1]) * x - (b[1] - a[1]) * y) / d for x, y in zip(e, f))
        dv = tuple(((b[0] - a[0]) * y - (c[0] - a[0]) * x) / d for x, y in zip(e, f))
        origin = tuple(x - a[0] * u - a[1] * v for x, u, v in zip(p, du, dv))
        return origin, tuple(x / self.width for x in du), tuple(x / self.height for x in dv)

    def holds(self, point, slack=0.02):
        if abs(dot(self.normal, minus(point, self.points[0]))) > 0.1:
            return False
        return any(self.within(triangle, point, slack) for triangle in self.triangles)

    def within(self, corners, point, slack):
        for a, b in zip(corners, corners[1:] + corners[:1]):
            n = cross(minus(b, a), self.normal)
            if dot(n, minus(point, a)) < -slack * math.sqrt(dot(n, n)):
                return False
        return True

    def luxel_of(self, point):
        """Where a point is in its lightmap; middles of luxels are at halves."""
        way = minus(point, self.origin)
        uu, vv, uv = dot(self.across, self.across), dot(self.down, self.down), dot(self.across, self.down)
        u, v = dot(way, self.across), dot(way, self.down)
        d = uu * vv - uv * uv
        return (u * vv - v * uv) / d, (v * uu - u * uv) / d

    def value(self, x, y):
        if self.even:
            return self.even
        x, y = min(max(x, 0), self.width - 1), min(max(y, 0), self.height - 1)
        return tuple(self.pixels[y, x, k] for k in range(3))

    def light(self, point):
        """Between the luxels, as renderers do."""
        if self.even:
            return self.even
        x, y = (c - 0.5 for c in self.luxel_of(point))
        i, j = math.floor(x), math.floor(y)
        s, t = x - i, y - j
        return tuple((1 - t) * ((1 - s) * a + s * b) + t * ((1 - s) * c + s * d) for a, b, c, d in zip(
            self.value(i, j), self.value(i + 1, j), self.value(i, j + 1), self.value(i + 1, j + 1)))

    def middle(self):
        return tuple((min(q) + max(q)) / 2 for q in zip(*self.points))

    def luxels(self, slack=0.5):
        """Middles of luxels on the face, or that near to it, with their place in the lightmap."""
        if self.even:
            yield self.middle(), 0, 0
            return
        for y in range(self.height):
            for x in range(self.width):
                p = tuple(o + (x + 0.5) * a + (y + 0.5) * d for o, a, d in zip(self.origin, self.across, self.down))
                if self.holds(p, slack):
                    yield p, x, y


class Lit:
    """A BSP of Source or Quake 3 with light."""

    def __init__(self, path):
        with brushwork.Bsp(path) as bsp:
            mesh, self.maps = bsp.mesh, bsp.lightmaps
            self.pixels = [m.pixels() for m in self.maps]
            self.file = bsp.to_bytes()
            self.packed = {name: bsp.unpack(name) for name in bsp.packed} if bsp.family == "source" else {}
        self.faces = [self.face(mesh, f) for f in mesh.faces if f.lightmap >= 0 and not f.columns and f.vertex_count > 2]
        self.curved = [(mesh, f) for f in mesh.faces if f.lightmap >= 0 and f.columns]

    def vertex(self, mesh, i):
        v = mesh.vertices[i]
        return tuple(v.position), tuple(v.normal), tuple(v.lightmap)

    def face(self, mesh, f):
        corners = [self.vertex(mesh, f.first_vertex + i) for i in range(f.vertex_count)]
        places = [tuple(mesh.vertices[i].position) for i in mesh.indices[f.first_index:f.first_index + f.index_count]]
        triangles = [places[i:i + 3] for i in range(0, len(places), 3)]
        normal = next((n for n in map(flat_normal, sorted(triangles, key=area, reverse=True)) if n), corners[0][1])
        m = self.maps[f.lightmap]
        face = Face(corners, triangles, self.pixels[f.lightmap], m.width, m.height)
        face.normal = normal
        return face

    def shown(self, curved, place):
        """Light of a displacement at a place of its lightmap, 0 to 1."""
        m = self.maps[curved[1].lightmap]
        pixels = self.pixels[curved[1].lightmap]
        x, y = place[0] * m.width - 0.5, place[1] * m.height - 0.5
        i, j = math.floor(x), math.floor(y)

        def value(a, b):
            a, b = min(max(a, 0), m.width - 1), min(max(b, 0), m.height - 1)
            return sum(pixels[b, a, k] for k in range(3)) / 3
        s, t = x - i, y - j
        return (1 - t) * ((1 - s) * value(i, j) + s * value(i + 1, j)) + t * ((1 - s) * value(i, j + 1) + s * value(i + 1, j + 1))

    def facing(self, direction):
        normal = DIRECTIONS.get(direction, direction)
        return [f for f in self.faces if dot(f.normal, normal) > 0.999]

    def at(self, point, direction, channel=None, toward=None):
        """Light at a point of a surface that faces there: the mean of the channels, or one of them. `toward` chooses
        between faces that meet there: the one that holds what is a little that way."""
        probe = point if toward is None else tuple(p + 0.1 * t for p, t in zip(point, toward))
        for face in self.facing(direction):
            if face.holds(probe):
                light = face.light(point)
                return sum(light) / 3 if channel is None else light[channel]
        raise AssertionError(f"no face at {probe} toward {direction}")

    def region(self, direction, low=None, high=None, channel=None):
        """(point, light) of the luxels of faces that face there, within two corners."""
        found = []
        for face in self.facing(direction) if direction else self.faces:
            for p, x, y in face.luxels():
                if low is None or all(a - 0.01 <= q <= b + 0.01 for a, q, b in zip(low, p, high)):
                    light = face.value(x, y)
                    found.append((p, sum(light) / 3 if channel is None else light[channel]))
        assert found, f"no luxel toward {direction} within {low} {high}"
        return found

    def whole(self, low, high, channel=None):
        """The same of all luxels, those beside the edges too, of the faces whose middles are within two corners."""
        found = []
        for face in self.faces:
            middle = face.middle()
            if all(a - 0.01 <= q <= b + 0.01 for a, q, b in zip(low, middle, high)):
                for p, x, y in face.luxels(8):
                    light = face.value(x, y)
                    found.append((p, sum(light) / 3 if channel is None else light[channel]))
        assert found, f"no face within {low} {high}"
        return found

    def lump(self, number):
        place, size = struct.unpack_from("<2i", self.file, 8 + 16 * number)
        return self.file[place:place + size]

    def ambient(self):
        """Ambient cubes: (leaf's box, mean of the six sides)."""
        cubes, index, leaves = self.lump(AMBIENT_LDR), self.lump(AMBIENT_INDEX_LDR), self.lump(LEAVES)
        size = 32
        for leaf in range(len(leaves) // size):
            count, first = struct.unpack_from("<2H", index, 4 * leaf)
            box = struct.unpack_from("<6h", leaves, size * leaf + 8)
            for i in range(first, first + count):
                sides = [cubes[28 * i + 4 * k:28 * i + 4 * k + 4] for k in range(6)]
                place = [lo + (hi - lo) * s / 255 for lo, hi, s in zip(box[:3], box[3:], cubes[28 * i + 24:28 * i + 27])]
                yield tuple(place), [sum(s[:3]) / 3 * 2.0 ** struct.unpack("b", s[3:])[0] / 255 for s in sides]

    def prop(self, number):
        """Light of the vertices of a prop, in the order of its model, linear, 1 is white."""
        data = self.packed[f"sp_{number}.vhv"]
        count = struct.unpack_from("<I", data, 16)[0]
        _, vertices, offset = struct.unpack_from("<3I", data, 40)
        assert vertices == count, (vertices, count)
        return [(sum(data[offset + 4 * i:offset + 4 * i + 3]) / 3 / 255 * 2) ** 2.2 for i in range(vertices)]
