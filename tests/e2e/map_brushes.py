"""Entities and brushes of a MAP with Valve 220 texture axes: planes, contents, texture coordinates."""
import re
import shlex
import types

NUMBER = r"(-?[0-9.e+-]+)"
POINT = r"\(\s*" + r"\s+".join([NUMBER] * 3) + r"\s*\)\s*"
AXIS = r"\[\s*" + r"\s+".join([NUMBER] * 4) + r"\s*\]\s*"
SIDE = re.compile(r"^\s*" + POINT * 3 + r"(\S+)\s+" + AXIS * 2 + r"\s+".join([NUMBER] * 3))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def sub(a, b):
    return tuple(x - y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    length = dot(a, a) ** 0.5
    return tuple(x / length for x in a)


def read_side(match):
    numbers = [float(x) for x in match.groups()[:9]]
    p = [tuple(numbers[i:i + 3]) for i in (0, 3, 6)]
    rest = [float(x) for x in match.groups()[10:]]
    normal = unit(cross(sub(p[2], p[0]), sub(p[1], p[0])))
    return types.SimpleNamespace(normal=normal, dist=dot(normal, p[0]), texture=match.group(10),
                                 axes=(rest[0:4], rest[4:8]), scale=rest[9:11])


def uv_of(side, p, size):
    """The coordinates of a point in an image of this many pixels."""
    return tuple((dot(p, axis[:3]) / scale + axis[3]) / pixels
                 for axis, scale, pixels in zip(side.axes, side.scale, size))


def is_in(brush, p, margin=0.0):
    """True when the point is at least `margin` below all sides."""
    return all(dot(side.normal, p) <= side.dist - margin for side in brush)


def load(path):
    """Returns the entities: keys, and brushes as lists of sides."""
    entities, depth = [], 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            match = SIDE.match(line)
            if line == "{":
                depth += 1
                if depth == 1:
                    entities.append(types.SimpleNamespace(keys={}, brushes=[]))
                else:
                    entities[-1].brushes.append([])
            elif line == "}":
                depth -= 1
            elif match:
                entities[-1].brushes[-1].append(read_side(match))
            elif line.startswith('"'):
                key, value = shlex.split(line)
                entities[-1].keys[key] = value
    return entities
