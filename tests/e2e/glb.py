"""Reads glTF files, and checks what the specification asks of their buffers."""
import json
import os
import struct
from urllib.parse import unquote

from e2e import check, read

FORMATS = {5123: "H", 5125: "I", 5126: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}


class Model:
    def __init__(self, path):
        data = read(path)
        if data[:4] == b"glTF":
            version, size = struct.unpack_from("<2I", data, 4)
            check(version == 2 and size == len(data), f"header of {path}: {version}, {size} of {len(data)}")
            length, kind = struct.unpack_from("<2I", data, 12)
            check(kind == 0x4e4f534a and length % 4 == 0, "first chunk")
            self.head = json.loads(data[20:20 + length].decode())
            body, kind = struct.unpack_from("<2I", data, 20 + length)
            check(kind == 0x004e4942 and 28 + length + body == len(data), "second chunk")
            self.body = data[28 + length:]
        else:
            self.head = json.loads(data.decode())
            uri = self.head["buffers"][0]["uri"]
            self.body = read(os.path.join(os.path.dirname(path), unquote(uri)))
        self.folder = os.path.dirname(path)
        self.nodes = self.head["nodes"]

    def accessor(self, number):
        """The records as tuples."""
        row = self.head["accessors"][number]
        view = self.head["bufferViews"][row["bufferView"]]
        width, form = WIDTHS[row["type"]], FORMATS[row["componentType"]]
        size = struct.calcsize(form) * width
        check(view.get("byteStride", size) == size, f"stride of accessor {number}")
        check(row["byteOffset"] + size * row["count"] <= view["byteLength"], f"accessor {number} leaves its view")
        at = view["byteOffset"] + row["byteOffset"]
        check(at % struct.calcsize(form) == 0, f"accessor {number} is not aligned")
        check(at + size * row["count"] <= len(self.body), f"accessor {number} leaves the buffer")
        return list(struct.iter_unpack(f"<{width}{form}", self.body[at:at + size * row["count"]]))

    def image(self, number):
        row = self.head["images"][number]
        if "uri" in row:
            return read(os.path.join(self.folder, unquote(row["uri"])))
        view = self.head["bufferViews"][row["bufferView"]]
        return self.body[view["byteOffset"]:view["byteOffset"] + view["byteLength"]]

    def named(self, name):
        return [n for n in self.nodes if n["name"] == name]

    def triangles(self, node):
        """Of a node: material, and three corners of position, normal, texture and page coordinates (or None)."""
        for part in self.head["meshes"][node["mesh"]]["primitives"] if "mesh" in node else []:
            columns = {name: self.accessor(number) for name, number in part["attributes"].items()}
            none = [None] * len(columns["POSITION"])
            rows = list(zip(columns["POSITION"], columns["NORMAL"], columns["TEXCOORD_0"],
                            columns.get("TEXCOORD_1", none)))
            indices = [i for i, in self.accessor(part["indices"])]
            check(len(indices) % 3 == 0, "indices of triangles")
            for i in range(0, len(indices), 3):
                yield self.head["materials"][part["material"]], [rows[k] for k in indices[i:i + 3]]

    def check(self):
        """Accessors lie in their views, bounds are those of the numbers, indices are vertices, normals have unit length."""
        for mesh in self.head.get("meshes", []):
            for part in mesh["primitives"]:
                counts = {self.head["accessors"][n]["count"] for n in part["attributes"].values()}
                check(len(counts) == 1, "attributes of different lengths")
                check(max(self.accessor(part["indices"]))[0] < counts.pop(), "index without a vertex")
                number = part["attributes"]["POSITION"]
                points = self.accessor(number)
                for k in range(3):
                    for name, pick in (("min", min), ("max", max)):
                        exact = pick(p[k] for p in points)
                        told = self.head["accessors"][number][name][k]
                        check(struct.pack("<f", told) == struct.pack("<f", exact), f"{name}: {told}, not {exact}")
                for normal in self.accessor(part["attributes"]["NORMAL"]):
                    check(abs(sum(n * n for n in normal) - 1) < 1e-4, f"normal {normal}")
        return self


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def minus(a, b):
    return tuple(x - y for x, y in zip(a, b))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def facing(corners):
    """The cosine between the winding of a triangle and its normals; None for one without an area."""
    a, b, c = (corner[0] for corner in corners)
    normal = cross(minus(b, a), minus(c, a))
    length = dot(normal, normal) ** 0.5
    mean = [sum(corner[1][k] for corner in corners) / 3 for k in range(3)]
    return dot(normal, mean) / length if length > 0 else None
