"""Portals of a Quake 3 map from its own tree: the polygons by which leaves touch. So visibility
can be computed again from the map alone."""
import struct

FAR = 70000.0
NEAR = 0.02  # points this close to a plane are on it


def lump(data, number):
    offset, length = struct.unpack_from("<ii", data, 8 + 8 * number)
    return data[offset:offset + length]


def records(data, number, form):
    return list(struct.iter_unpack(form, lump(data, number)))


class Tree:
    """Tree and visibility of a map."""

    def __init__(self, data):
        self.planes = records(data, 2, "<4f")
        self.nodes = records(data, 3, "<9i")
        self.clusters_of_leaves = [leaf[0] for leaf in records(data, 4, "<12i")]
        vis = lump(data, 16)
        self.clusters, row = struct.unpack_from("<2i", vis)
        self.sees = [[bool(vis[8 + a * row + b // 8] >> b % 8 & 1) for b in range(self.clusters)]
                     for a in range(self.clusters)]

    def fragments(self, polygon, child):
        """Parts of a polygon by the clusters of the leaves below a child that they lie in."""
        if child < 0:
            return [(polygon, self.clusters_of_leaves[-1 - child])]
        plane, front, back = self.nodes[child][:3]
        found = []
        for below, keep_front in ((front, True), (back, False)):
            part = clip(polygon, self.planes[plane], keep_front)
            if part and area(part) > 0.01:
                found += self.fragments(part, below)
        return found

    def portals(self):
        """(cluster, cluster, polygon), for each two clusters that touch."""
        found = []
        todo = [(0, [])]
        while todo:
            child, above = todo.pop()
            if child < 0:
                continue
            plane, front, back = self.nodes[child][:3]
            todo += [(front, above + [(plane, True)]), (back, above + [(plane, False)])]
            polygon = around(self.planes[plane])
            for number, keep_front in above:
                polygon = polygon and clip(polygon, self.planes[number], keep_front)
            for part, a in self.fragments(polygon, front) if polygon else ():
                for piece, b in self.fragments(part, back) if a >= 0 else ():
                    if b >= 0 and a != b and area(piece) > 0.05:
                        found.append((a, b, piece))
        return found


def clip(polygon, plane, keep_front):
    sign = 1 if keep_front else -1
    above = [sign * (sum(x * n for x, n in zip(point, plane)) - plane[3]) for point in polygon]
    if min(above) >= -NEAR:
        return polygon
    if max(above) <= NEAR:
        return None
    kept = []
    for i, (point, here) in enumerate(zip(polygon, above)):
        after, there = polygon[(i + 1) % len(polygon)], above[(i + 1) % len(polygon)]
        if here >= -NEAR:
            kept.append(point)
        if here * there < 0 and min(abs(here), abs(there)) > NEAR:
            part = here / (here - there)
            kept.append(tuple(a + (b - a) * part for a, b in zip(point, after)))
    return kept if len(kept) >= 3 else None


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def minus(a, b):
    return tuple(x - y for x, y in zip(a, b))


def area(polygon):
    total = (0, 0, 0)
    for b, c in zip(polygon[1:], polygon[2:]):
        part = cross(minus(b, polygon[0]), minus(c, polygon[0]))
        total = tuple(x + y for x, y in zip(total, part))
    return sum(x * x for x in total) ** 0.5 / 2


def around(plane):
    """A square on the plane that extends past the world."""
    normal = plane[:3]
    axis = min(range(3), key=lambda k: abs(normal[k]))
    u = cross(normal, [float(k == axis) for k in range(3)])
    length = sum(x * x for x in u) ** 0.5
    u = tuple(x / length for x in u)
    v = cross(normal, u)
    return [tuple(n * plane[3] + FAR * (i * x + k * y) for n, x, y in zip(normal, u, v))
            for i, k in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


def portal_file(tree):
    """In the form of Quake 3's compilers, without the faces that they add."""
    portals = tree.portals()
    text = f"PRT1\n{tree.clusters}\n{len(portals)}\n0\n"
    for a, b, polygon in portals:
        points = "".join("(%f %f %f ) " % point for point in polygon)
        text += f"{len(polygon)} {a} {b} 0 {points}\n"
    return text
