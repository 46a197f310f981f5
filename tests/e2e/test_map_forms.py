#!/usr/bin/env python3
"""A whole map whose faces were rewritten from Valve 220 to brush primitives, by arithmetic that
shares nothing with the reader: its textures lie where they lay."""
import math
import os
import re

from e2e import Suite, check, read, write
from ibsp_portals import records

SHADERS, VERTICES, SURFACES = 1, 10, 13
SIDE = 64  # of the image that stands in for one that is missing

NUMBER = r"(-?[\d.eE+-]+)"
POINT = r"\( " + " ".join([NUMBER] * 3) + r" \)"
AXIS = r"\[ " + " ".join([NUMBER] * 4) + r" \]"
FACE = re.compile(rf"^{POINT} {POINT} {POINT} (\S+) {AXIS} {AXIS} {NUMBER} {NUMBER} {NUMBER}(.*)$")

suite = Suite()


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    length = math.sqrt(dot(a, a))
    return [x / length for x in a]


def primitive(match):
    """s runs level in the face, t downwards; of a face that looks straight up or down s is y."""
    numbers = [float(x) for x in match.groups()[:9]]
    p, q, r = numbers[:3], numbers[3:6], numbers[6:]
    normal = unit(cross(sub(p, q), sub(r, q)))
    s, t = [0, 1, 0], [-1 if normal[2] < 0 else 1, 0, 0]
    if math.hypot(normal[0], normal[1]) > 1e-9:
        s = unit([-normal[1], normal[0], 0])
        t = cross(s, normal)
    rows = []
    for first, scale in ((11, match.group(20)), (15, match.group(21))):
        axis = [float(x) for x in match.groups()[first - 1:first + 2]]
        shift = float(match.group(first + 3))

        def images(point):
            return (dot(point, axis) / float(scale) + shift) / SIDE

        origin = images([normal[k] * dot(normal, p) for k in range(3)])  # where s = t = 0
        at = [normal[k] * dot(normal, p) for k in range(3)]
        along = [images([at[k] + way[k] for k in range(3)]) - origin for way in (s, t)]
        rows.append(f"( {along[0]:.17g} {along[1]:.17g} {origin:.17g} )")
    points = " ".join("( " + " ".join(match.groups()[i:i + 3]) + " )" for i in (0, 3, 6))
    return f"{points} ( {rows[0]} {rows[1]} ) {match.group(10)}{match.group(22)}"


def as_primitives(text):
    """Braces around the faces of each brush."""
    out, inside = [], False
    for line in text.splitlines():
        face = FACE.match(line)
        if face and not inside:
            out += ["brushDef", "{"]
        elif inside and not face:
            out.append("}")
        inside = bool(face)
        out.append(primitive(face) if face else line)
    return "\n".join(out) + "\n"


def by_place(path):
    data = read(path)
    names = [record[0].split(b"\0")[0].lower() for record in records(data, SHADERS, "<64sii")]
    vertices, found = records(data, VERTICES, "<10f4B"), {}
    for surface in records(data, SURFACES, "<12i12f2i"):
        normal = tuple(round(x, 3) for x in surface[21:24])
        for vertex in vertices[surface[3]:surface[3] + surface[4]]:
            key = (names[surface[0]], surface[2], normal, tuple(round(x * 8) for x in vertex[:3]))
            found.setdefault(key, []).append(vertex[3:5])
    return found


@suite.case
def brush_primitives_say_what_valve_220_says(s, folder):
    source = s.corpus("q3maps", "oacmpdm8_v220.map")
    text = read(source).decode()
    twin = write(os.path.join(folder, "twin.map"), as_primitives(text).encode())
    check(read(twin).count(b"brushDef") > 250, "brushes")
    found = []
    for number, path in enumerate((source, twin)):
        bsp = os.path.join(folder, f"form{number}.bsp")
        s.run("vbsp", "--target", "quake3", "-o", bsp, path).expect(0)
        s.run("brushwork", "verify", bsp, "--json").expect(0)
        found.append(by_place(bsp))
    check(found[0].keys() == found[1].keys(), "other vertices")
    check(len(found[0]) > 1000, len(found[0]))
    worst = max(min(max(abs((a[k] - b[k] + 0.5) % 1 - 0.5) for k in (0, 1)) for b in found[1][key])
                for key in found[0] for a in found[0][key])
    check(worst <= 1e-5, f"off by {worst}")


suite.main()
