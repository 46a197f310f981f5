"""Reads PNGs, and compares them."""
import struct
import zlib

from e2e import check

CHANNELS = {2: 3, 6: 4}  # by colour type


def unfilter(kind, line, above, channels):
    for i, value in enumerate(line):
        left = line[i - channels] if i >= channels else 0
        corner = above[i - channels] if i >= channels else 0
        guess = left + above[i] - corner
        nearest = min((abs(guess - left), 0, left), (abs(guess - above[i]), 1, above[i]),
                      (abs(guess - corner), 2, corner))[2]
        line[i] = (value + (0, left, above[i], (left + above[i]) // 2, nearest)[kind]) & 255
    return line


def pixels(data, alpha=False):
    """Width, height and rows of a PNG, three bytes per pixel; four with alpha, if it has that."""
    check(data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG")
    at, packed, width, height, channels = 8, b"", 0, 0, 3
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        check(zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0],
              "a checksum")
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
            channels = CHANNELS[body[9]]
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    raw, rows, above = zlib.decompress(packed), [], bytearray(channels * width)
    for y in range(height):
        start = y * (channels * width + 1)
        above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + channels * width]), above, channels)
        rows.append(above)
    if channels == 4 and not alpha:
        rows = [bytearray(b for i, b in enumerate(row) if i % 4 != 3) for row in rows]
    return width, height, rows


def mean(rows, left, top, right, bottom):
    """Mean colour of a part of the picture."""
    count = (right - left) * (bottom - top)
    return [sum(rows[y][3 * x + k] for y in range(top, bottom) for x in range(left, right)) / count
            for k in range(3)]


def mean_difference(a, b):
    """Of two pictures of the same size, per channel."""
    check(a[:2] == b[:2], f"{a[:2]} and {b[:2]} pixels")
    total = sum(abs(p - q) for one, other in zip(a[2], b[2]) for p, q in zip(one, other))
    return total / (3 * a[0] * a[1])


def spread(rows):
    """The difference of the brightest and the darkest byte."""
    return max(map(max, rows)) - min(map(min, rows))
