"""A box as a model of Source: MDL, VVD and VTX."""
import struct

HALF = 16
CHECKSUM = 0x2468


def point(side, s, t):
    """A point of the box: side 2 * axis looks down the axis, the next one up it."""
    axis = side // 2
    p = [0, 0, 0]
    p[axis] = HALF if side & 1 else -HALF
    p[(axis + 1) % 3] = (2 * s - 1) * HALF
    p[(axis + 2) % 3] = (2 * t - 1) * HALF
    return p


def normal(side):
    n = [0, 0, 0]
    n[side // 2] = 1 if side & 1 else -1
    return n


def mdl():
    words = bytearray(408 + 352)
    words[0:4] = b"IDST"

    def put(at, *values):
        struct.pack_into(f"<{len(values)}i", words, at, *values)

    put(4, 48, CHECKSUM)
    put(152, 0x10, 1)  # $staticprop
    put(204, 1, 408, 1, 472, 1, 0, 1, 476)  # texture, folder, skins
    put(232, 1, 480)
    put(408, 760 - 408)
    put(472, 764)
    put(480, 0, 1, 0, 16)  # a part of one model
    put(496 + 72, 1, 148, 24)
    put(644 + 8, 24)
    put(644 + 52, 24)
    struct.pack_into("<6f", words, 104, *[-HALF] * 3, *[HALF] * 3)
    words += b"box\0props\\\0metal\0"
    put(308, 771)
    put(76, len(words))
    return bytes(words)


def vvd():
    data = b"IDSV" + struct.pack("<3i8i5i", 4, CHECKSUM, 1, *[24] * 8, 0, 64, 64, 64 + 48 * 24, 0)
    data = data[:64]
    for i in range(24):
        side, s, t = i // 4, i & 1, i >> 1 & 1
        uv = ((side % 3 + 0.125 + 0.75 * s) / 3, (side // 3 + 0.125 + 0.75 * t) / 2)
        data += bytes(16) + struct.pack("<8f", *point(side, s, t), *normal(side), *uv)
    return data + bytes(16 * 24)


def vtx():
    turns = ((0, 1, 2, 1, 3, 2), (0, 2, 1, 1, 2, 3))
    data = struct.pack("<2i2H2i4i", 7, 24, 53, 9, 3, CHECKSUM, 1, 0, 1, 36)
    data += struct.pack("<2i2i2if", 1, 8, 1, 8, 1, 12, 0)
    data += struct.pack("<2iB", 1, 9, 0)
    data += struct.pack("<6iB", 24, 52, 36, 52 + 9 * 24, 1, 25, 0)
    data += struct.pack("<4iHB2i", 36, 0, 24, 0, 1, 1, 0, 0)
    for i in range(24):
        data += bytes(4) + struct.pack("<H", i) + bytes(3)
    for side in range(6):
        data += struct.pack("<6H", *(4 * side + k for k in turns[side & 1]))
    return data
