"""Maps of a few boxes as text: VMF, and MAP of Quake 3. A box is two corners; what its sides are made of is a
material for all or by direction ("+x", "-z"), with the size of their luxels in the same way."""
import math

GREY = "dev/reflectivity_40"
SKY = "tools/toolsskybox"
NODRAW = "tools/toolsnodraw"
DIRECTIONS = ("+x", "-x", "+y", "-y", "+z", "-z")


def of(value, direction, default):
    """What a direction has, of one value for all or a table with "" for the rest."""
    if isinstance(value, dict):
        return value.get(direction, value.get("", default))
    return value


def cross(a, b):
    return tuple(a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3))


class Solid:
    """A convex solid: corners of sides, by direction, clockwise from outside."""

    def __init__(self, sides, material=GREY, luxel=16, smooth=0, displaced=None):
        self.sides, self.material, self.luxel, self.smooth, self.displaced = sides, material, luxel, smooth, displaced or {}

    def turned(self, degrees, about):
        """Turned about a vertical line."""
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        x, y = about
        self.sides = {d: [(x + c * (p[0] - x) - s * (p[1] - y), y + s * (p[0] - x) + c * (p[1] - y), p[2])
                          for p in corners] for d, corners in self.sides.items()}
        return self


def box(low, high, material=GREY, luxel=16, **more):
    (a, b, c), (d, e, f) = low, high
    return Solid({"+x": [(d, e, f), (d, e, c), (d, b, c), (d, b, f)], "-x": [(a, b, f), (a, b, c), (a, e, c), (a, e, f)],
                  "+y": [(a, e, f), (a, e, c), (d, e, c), (d, e, f)], "-y": [(d, b, f), (d, b, c), (a, b, c), (a, b, f)],
                  "+z": [(a, b, f), (a, e, f), (d, e, f), (d, b, f)], "-z": [(a, e, c), (a, b, c), (d, b, c), (d, e, c)]},
                 material, luxel, **more)


def prism(outline, low, high, material=GREY, luxel=16, smooth=0):
    """Over a convex outline, counter-clockwise from above; its sides are "0", "1", ..."""
    sides = {"+z": [(x, y, high) for x, y in reversed(outline)], "-z": [(x, y, low) for x, y in outline]}
    for i, (x, y) in enumerate(outline):
        u, v = outline[(i + 1) % len(outline)]
        sides[str(i)] = [(u, v, high), (u, v, low), (x, y, low), (x, y, high)]
    return Solid(sides, material, luxel, {str(i): smooth for i in range(len(outline))})


def round_prism(x, y, radius, count, low, high, **more):
    return prism([(x + radius * math.cos(2 * math.pi * i / count), y + radius * math.sin(2 * math.pi * i / count))
                  for i in range(count)], low, high, **more)


def room(low, high, thick=16, material=GREY, luxel=16, without=""):
    """Six walls around what is between the corners; `without` leaves some out. They overlap outside only."""
    (a, b, c), (d, e, f), t = low, high, thick
    walls = {"-z": ((a - t, b - t, c - t), (d + t, e + t, c)), "+z": ((a - t, b - t, f), (d + t, e + t, f + t)),
             "-x": ((a - t, b - t, c), (a, e + t, f)), "+x": ((d, b - t, c), (d + t, e + t, f)),
             "-y": ((a, b - t, c), (d, b, f)), "+y": ((a, e, c), (d, e + t, f))}
    return [box(*corners, of(material, d, GREY), of(luxel, d, 16)) for d, corners in walls.items()
            if d not in without.split()]


def hills(power, height):
    """A displacement of a side that faces up: the height at (0..1, 0..1)."""
    n = 2 ** power
    return power, [[height(x / n, y / n) for x in range(n + 1)] for y in range(n + 1)]


def entity(classname, origin=None, **keys):
    if origin is not None:
        keys["origin"] = "%g %g %g" % tuple(origin)
    return {"classname": classname, **keys}


def lamp(origin, level=300, colour=(255, 255, 255), **keys):
    """Its light at 100 units, on what faces it, is `level` of 255."""
    return entity("light", origin, _light="%g %g %g %g" % (*colour, level), _quadratic_attn="1", **keys)


def sun(pitch, yaw, level=300, ambient=0, spread=0):
    return entity("light_environment", (0, 0, 0), _light="255 255 255 %g" % level, _ambient="255 255 255 %g" % ambient,
                  pitch="%g" % pitch, angles="%g %g 0" % (pitch, yaw), SunSpreadAngle="%g" % spread)


def axes(corners):
    normal = cross([q - p for p, q in zip(corners[0], corners[1])], [q - p for p, q in zip(corners[0], corners[2])])
    k = max(range(3), key=lambda i: abs(normal[i]))
    return [("0 1 0", "0 0 -1"), ("1 0 0", "0 0 -1"), ("1 0 0", "0 -1 0")][k]


def block(name, *lines):
    return name + "\n{\n" + "".join(lines) + "}\n"


def pair(key, value):
    return f'"{key}" "{value}"\n'


class Vmf:
    def __init__(self):
        self.next = 0

    def number(self):
        self.next += 1
        return pair("id", self.next)

    def displacement(self, corners, power, heights):
        def rows(name, text):
            return block(name, *(pair(f"row{y}", " ".join(text(h) for h in row)) for y, row in enumerate(heights)))
        low = min(corners)
        return block("dispinfo", pair("power", power), pair("startposition", "[%g %g %g]" % low), pair("elevation", 0),
                     pair("subdiv", 0), rows("normals", lambda h: "0 0 1"), rows("distances", lambda h: "%g" % h),
                     rows("offsets", lambda h: "0 0 0"), rows("offset_normals", lambda h: "0 0 1"))

    def side(self, solid, direction, corners):
        u, v = axes(corners)
        more = self.displacement(corners, *solid.displaced[direction]) if direction in solid.displaced else ""
        return block("side", self.number(), pair("plane", " ".join("(%.9g %.9g %.9g)" % p for p in corners[:3])),
                     pair("material", of(solid.material, direction, GREY)), pair("uaxis", f"[{u} 0] 0.25"),
                     pair("vaxis", f"[{v} 0] 0.25"), pair("lightmapscale", of(solid.luxel, direction, 16)),
                     pair("smoothing_groups", of(solid.smooth, direction, 0)), more)

    def solid(self, solid):
        return block("solid", self.number(), *(self.side(solid, *s) for s in solid.sides.items()))

    def entity(self, keys, solids=()):
        return block("entity", self.number(), *(pair(*p) for p in keys.items()), *map(self.solid, solids))

    def map(self, solids, entities):
        world = block("world", self.number(), pair("classname", "worldspawn"), pair("skyname", "sky_day01_01"),
                      *map(self.solid, solids))
        return world + "".join(self.entity(e) if isinstance(e, dict) else self.entity(*e) for e in entities)


def quake3(solids, entities):
    """The same as a MAP of Quake 3; lights have its keys."""
    def plane(corners, material):
        return " ".join("( %.9g %.9g %.9g )" % p for p in corners[:3]) + f" {material} 0 0 0 0.5 0.5 0 0 0\n"

    def brush(solid):
        return "{\n" + "".join(plane(corners, of(solid.material, d, "base_wall/basewall01").replace(GREY, "base_wall/basewall01"))
                               for d, corners in solid.sides.items()) + "}\n"

    def entity_text(keys, brushes=""):
        return "{\n" + "".join(pair(*p) for p in keys.items()) + brushes + "}\n"
    return entity_text({"classname": "worldspawn"}, "".join(map(brush, solids))) + "".join(map(entity_text, entities))
