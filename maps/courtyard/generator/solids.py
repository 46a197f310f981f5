"""Text of a VMF: solids of convex corners, displacements and entities."""


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def minus(a, b):
    return [p - q for p, q in zip(a, b)]


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def normal_of(corners):
    """Of a polygon whose corners are in clockwise order seen from outside, as in a VMF."""
    total = [0, 0, 0]
    for i in range(1, len(corners) - 1):
        total = [t + c for t, c in zip(total, cross(minus(corners[i + 1], corners[0]), minus(corners[i], corners[0])))]
    length = dot(total, total) ** 0.5
    return [t / length for t in total]


def axes_of(normal):
    """Texture axes in the plane of the face: u to the right, v down, as one who looks at it sees them."""
    if abs(normal[2]) > 0.98:
        return [1, 0, 0], [0, -1, 0]
    flat = (normal[0] ** 2 + normal[1] ** 2) ** 0.5
    u = [-normal[1] / flat, normal[0] / flat, 0]
    return u, [-c for c in cross(normal, u)]


class Look:
    """How a face looks: a material, units per pixel, the scale of its lightmap, and a rectangle that the texture fills."""

    def __init__(self, material, scale=0.25, luxels=16, fit=None, turn=0, shift=(0, 0), smooth=0):
        self.material, self.scale, self.luxels, self.fit, self.turn = material, scale, luxels, fit, turn
        self.shift, self.smooth = shift, smooth

    def axis_text(self, corners):
        normal = normal_of(corners)
        u, v = axes_of(normal)
        if self.turn == 45:
            h = 0.5 ** 0.5
            u, v = [h * (a + b) for a, b in zip(u, v)], [h * (b - a) for a, b in zip(u, v)]
        elif self.turn == 90:
            u, v = v, [-c for c in u]
        if not self.fit:
            shifts, scales = self.shift, (self.scale, self.scale)
        else:
            shifts, scales = [], []
            for axis, pixels in zip((u, v), self.fit):
                along = [dot(axis, c) for c in corners]
                scale = (max(along) - min(along)) / pixels
                scales.append(scale)
                shifts.append(-min(along) / scale)
        return ["[%.6g %.6g %.6g %.6g] %.6g" % (*(c + 0 for c in axis), shift, scale)
                for axis, shift, scale in zip((u, v), shifts, scales)]


NODRAW = Look("tools/toolsnodraw", luxels=64)
SKY = Look("tools/toolsskybox", luxels=64)


class Map:
    def __init__(self):
        self.world, self.entities, self.number = [], [], 0

    def next(self):
        self.number += 1
        return self.number

    def side(self, corners, look, displacement=""):
        u, v = look.axis_text(corners)
        plane = " ".join("(%.6g %.6g %.6g)" % tuple(c + 0 for c in corners[i]) for i in (0, 1, 2))
        return (f'side\n{{\n"id" "{self.next()}"\n"plane" "{plane}"\n"material" "{look.material}"\n"uaxis" "{u}"\n"vaxis" "{v}"\n'
                f'"lightmapscale" "{look.luxels}"\n' + f'"smoothing_groups" "{look.smooth}"\n' * (look.smooth > 0) + f'{displacement}}}\n')

    def solid(self, faces):
        """Faces: corners around a polygon, a look, and perhaps a displacement. Turns them outwards."""
        corners = [c for face in faces for c in face[0]]
        middle = [sum(c[k] for c in corners) / len(corners) for k in range(3)]
        text = f'solid\n{{\n"id" "{self.next()}"\n'
        for around, *rest in faces:
            inward = dot(normal_of(around), minus(middle, around[0])) > 0
            text += self.side(around[::-1] if inward else around, *rest)
        return text + "}\n"

    def add(self, *solids):
        self.world += [self.solid(faces) for faces in solids]

    def entity(self, classname, solids=(), **keys):
        text = f'entity\n{{\n"id" "{self.next()}"\n"classname" "{classname}"\n'
        text += "".join(f'"{key}" "{value}"\n' for key, value in keys.items())
        self.entities.append(text + "".join(self.solid(s) for s in solids) + "}\n")

    def text(self, **keys):
        head = f'world\n{{\n"id" "{self.next()}"\n"classname" "worldspawn"\n'
        head += "".join(f'"{key}" "{value}"\n' for key, value in keys.items())
        return ('versioninfo\n{\n"editorversion" "400"\n"mapversion" "1"\n"formatversion" "100"\n"prefab" "0"\n}\n' +
                head + "".join(self.world) + "}\n" + "".join(self.entities))


def prism(low, high, look, ends=None):
    """A solid between two polygons with the same number of corners. `look`: of the sides, one or a list;
    `ends`: of low and high."""
    n = len(low)
    sides = [look] * n if isinstance(look, Look) else look
    ends = ends or (sides[0], sides[0])
    around = [([low[i], low[(i + 1) % n], high[(i + 1) % n], high[i]], sides[i]) for i in range(n)]
    return [(list(low), ends[0]), (list(high), ends[1])] + around


def box(low, high, look, **sides):
    """`sides`: looks by name: west, east, south, north, bottom, top."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    ring = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    around = [sides.get(name, look) for name in ("south", "east", "north", "west")]
    return prism([(x, y, z0) for x, y in ring], [(x, y, z1) for x, y in ring], around,
                 (sides.get("bottom", look), sides.get("top", look)))


def displacement(power, start, heights):
    """`heights`: rows of distances along z."""
    size = 2 ** power + 1

    def rows(name, row, count=size):
        return name + "\n{\n" + "".join(f'"row{i}" "{row(i)}"\n' for i in range(count)) + "}\n"

    return (f'dispinfo\n{{\n"power" "{power}"\n"startposition" "[%g %g %g]"\n"elevation" "0"\n"subdiv" "0"\n' % start +
            rows("normals", lambda i: " ".join(["0 0 1"] * size)) +
            rows("distances", lambda i: " ".join("%.4g" % h for h in heights[i])) +
            rows("triangle_tags", lambda i: " ".join(["0"] * (2 * (size - 1))), size - 1) +
            'allowed_verts\n{\n"10" "' + " ".join(["-1"] * 10) + '"\n}\n}\n')
