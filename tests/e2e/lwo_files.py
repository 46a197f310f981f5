"""LightWave objects (LWO2, LWOB) out of a mesh."""

import struct


def name(text):
    data = text.encode() + b"\0"
    return data + b"\0" * (len(data) % 2)


def chunk(kind, data, size=">I"):
    return kind.encode() + struct.pack(size, len(data)) + data + b"\0" * (len(data) % 2)


def part(kind, data):
    return chunk(kind, data, ">H")


def index(number):
    return struct.pack(">H", number) if number < 0xff00 else struct.pack(">I", number | 0xff000000)


def points(of):
    """In units of the map: z points up."""
    return chunk("PNTS", b"".join(struct.pack(">3f", x, z, y) for x, y, z in of))


def form(kind, *chunks):
    data = kind.encode() + b"".join(chunks)
    return b"FORM" + struct.pack(">I", len(data)) + data


def surface(shader, smoothing=None, uv_map=None):
    data = name(shader) + name("") + part("COLR", struct.pack(">3fH", 1, 1, 1, 0))
    if smoothing is not None:
        data += part("SMAN", struct.pack(">f", smoothing))
    if uv_map:
        for channel, used in (("BUMP", "other"), ("COLR", uv_map)):
            header = name("\x80") + part("CHAN", channel.encode()) + part("ENAB", struct.pack(">H", 1))
            data += part("BLOK", part("IMAP", header) + part("PROJ", struct.pack(">H", 5)) + part("VMAP", name(used)))
    return chunk("SURF", data)


def layer(number=0, hidden=False):
    return chunk("LAYR", struct.pack(">HH3f", number, int(hidden), 0, 0, 0) + name("layer"))


def polygons(of, kind="FACE"):
    """Lists of points, clockwise seen from the front."""
    return chunk("POLS", kind.encode() + b"".join(struct.pack(">H", len(p)) + b"".join(map(index, p)) for p in of))


def polygon_tags(of, kind="SURF"):
    return chunk("PTAG", kind.encode() + b"".join(index(i) + struct.pack(">H", tag) for i, tag in enumerate(of)))


def vertex_map(kind, title, values):
    """Values by point."""
    count = len(next(iter(values.values())))
    return chunk("VMAP", kind.encode() + struct.pack(">H", count) + name(title) +
                 b"".join(index(point) + struct.pack(f">{count}f", *v) for point, v in values.items()))


def corner_map(kind, title, values):
    """Values by point and polygon."""
    count = len(next(iter(values.values())))
    return chunk("VMAD", kind.encode() + struct.pack(">H", count) + name(title) +
                 b"".join(index(point) + index(polygon) + struct.pack(f">{count}f", *v)
                          for (point, polygon), v in values.items()))


def tags(names):
    return chunk("TAGS", b"".join(map(name, names)))


def new_file(shaders, mesh_points, faces, uvs, smoothing=None):
    """LWO2 with a shader, points, corners (clockwise) and texture coordinates per corner (v upwards) for each face:
    the first use of a point is in its VMAP, others in a VMAD."""
    of_points, of_corners = {}, {}
    for number, (_, corners) in enumerate(faces):
        for point, uv in zip(corners, uvs[number]):
            if of_points.setdefault(point, uv) != uv:
                of_corners[point, number] = uv
    return form("LWO2", tags(shaders), layer(), points(mesh_points), vertex_map("TXUV", "uv", of_points),
                polygons([corners for _, corners in faces]), polygon_tags([tag for tag, _ in faces]),
                *([corner_map("TXUV", "uv", of_corners)] if of_corners else []),
                *(surface(shader, smoothing, "uv") for shader in shaders))


def old_file(shaders, mesh_points, faces):
    """LWOB; its faces have no texture coordinates."""
    def polygon(tag, corners):
        number = tag + 1 if tag >= 0 else tag  # negative: with a number of details
        return struct.pack(f">H{len(corners)}Hh", len(corners), *corners, number) + (b"\0\0" if tag < 0 else b"")
    return form("LWOB", points(mesh_points), chunk("SRFS", b"".join(map(name, shaders))),
                chunk("POLS", b"".join(polygon(*face) for face in faces)),
                *(chunk("SURF", name(s) + part("SMAN", struct.pack(">f", 1.5))) for s in shaders))


SQUARE = [(0, 0, 0), (64, 0, 0), (64, 64, 0), (0, 64, 0), (0, 0, 0), (0, 32, 0), (0, 0, 32)]
SHADERS = ("textures\\test\\floor.tga", "models/test/flag")


def square():
    """A floor that faces up, and a flag on it."""
    return new_file(SHADERS, SQUARE, [(0, [0, 3, 2, 1]), (1, [4, 6, 5])],
                    [[(0, 0), (0, 1), (1, 1), (1, 0)], [(0, 0), (0, 1), (1, 0)]], smoothing=1.5)


def everything():
    """What the reader knows besides."""
    uv = {i: (x / 64, y / 64) for i, (x, y, _) in enumerate(SQUARE)}
    return form("LWO2", tags(SHADERS + ("group",)), layer(), points(SQUARE), vertex_map("MORF", "move", {0: (1, 2, 3)}),
                vertex_map("TXUV", "other", {0: (9, 9)}), vertex_map("TXUV", "uv", uv),
                vertex_map("RGB ", "colours", {0: (1, 0, 0)}), vertex_map("RGBA", "alpha", {1: (0, 1, 0, 0.5)}),
                polygons([[0, 3, 2, 1], [4, 6], [0xff00, 1, 2]]), polygon_tags([0, 0, 0]),
                polygon_tags([2, 2, 2], "SMGP"), corner_map("TXUV", "uv", {(2, 0): (0.5, 0.5)}),
                polygons([[4, 6, 5]], "PTCH"), polygon_tags([1]), corner_map("RGBA", "alpha", {(4, 0): (1, 1, 1, 0)}),
                polygons([[4, 6, 5]], "CURV"), polygon_tags([1]), corner_map("TXUV", "uv", {(4, 0): (1, 1)}),
                layer(1, hidden=True), points(SQUARE), polygons([[0, 3, 2]]),
                surface(SHADERS[0], 1.5, "uv"), surface("unused", float("nan")))


if __name__ == "__main__":
    # Writes the seeds of fuzz_lwo into a folder.
    import os
    import sys

    for title, content in (("square", square()), ("everything", everything()),
                           ("old", old_file(SHADERS, SQUARE, [(0, [0, 3, 2, 1]), (-3, [4, 6, 5])]))):
        with open(os.path.join(sys.argv[1], title + ".lwo"), "wb") as out:
            out.write(content)
