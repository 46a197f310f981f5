"""Periodic noise and patterns, as arrays of a square texture: the same numbers on every machine."""
import functools

import numpy as np


def hashed(*keys):
    """Numbers in 0 .. 1 that depend on integers alone."""
    state = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        for key in keys:
            state = (state ^ np.asarray(key).astype(np.int64).astype(np.uint64)) * np.uint64(0xBF58476D1CE4E5B9)
            state = (state ^ (state >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
            state ^= state >> np.uint64(32)
    return (state >> np.uint64(11)).astype(np.float64) / 2.0 ** 53


def places(width, height=None):
    """Columns and rows of the pixels of a texture."""
    y, x = np.mgrid[0:height or width, 0:width].astype(np.float64)
    return x, y


def fade(t):
    return t * t * t * (t * (6 * t - 15) + 10)


@functools.lru_cache(maxsize=None)
def lattice(columns, rows, seed):
    return hashed(np.arange(columns)[None, :], np.arange(rows)[:, None], seed)


def cells(x, y, columns, rows, seed):
    """Value noise with a period of columns x rows, at places in cells."""
    table = lattice(columns, rows, seed)
    x0, y0 = np.floor(x), np.floor(y)
    u, v = fade(x - x0), fade(y - y0)
    x0, y0 = np.mod(x0, columns).astype(np.int64), np.mod(y0, rows).astype(np.int64)
    x1, y1 = (x0 + 1) % columns, (y0 + 1) % rows
    top = table[y0, x0] * (1 - u) + table[y0, x1] * u
    bottom = table[y1, x0] * (1 - u) + table[y1, x1] * u
    return top * (1 - v) + bottom * v


def regular(width, height, columns, rows, seed):
    """The same at the pixels of a texture, which it fills once."""
    table = lattice(columns, rows, seed)
    for axis, size, count in ((1, width, columns), (0, height, rows)):
        at = np.arange(size) * count / size
        first = np.floor(at).astype(np.int64)
        share = fade(at - first).reshape((1, -1) if axis else (-1, 1))
        table = np.take(table, first % count, axis) * (1 - share) + np.take(table, (first + 1) % count, axis) * share
    return table


def fractal(width, height, columns, rows, octaves, seed, persistence=0.5):
    """Octaves of noise around 0, within about -1 .. 1."""
    total, weight, whole = np.zeros((height, width)), 1.0, 0.0
    for octave in range(octaves):
        total += weight * (2 * regular(width, height, columns << octave, rows << octave, seed + octave) - 1)
        whole += weight
        weight *= persistence
    return total / whole * 1.6


def step(low, high, value):
    t = np.clip((value - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def mix(a, b, share):
    """Colours or numbers; the share is an array of the texture."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.ndim == 1 or a.ndim == 3 or b.ndim == 1 or b.ndim == 3:
        share = np.asarray(share)[..., None]
    return a * (1 - share) + b * share


def blur(image, times):
    """A periodic blur of about `times` pixels."""
    reach = 1
    while reach <= times:
        for axis in (0, 1):
            image = (np.roll(image, reach, axis) + 2 * image + np.roll(image, -reach, axis)) / 4
        reach *= 2
    return image


def relief(height, strength, cavity=0.0, reach=8):
    """Light on a height field from above, and darker hollows: a factor around 1."""
    slope = (np.roll(height, -1, 0) - np.roll(height, 1, 0)) + 0.4 * (np.roll(height, -1, 1) - np.roll(height, 1, 1))
    hollow = np.minimum(height - blur(height, reach), 0)
    return np.clip(1 + strength * slope, 0.55, 1.5) * np.exp(cavity * hollow)


def courses(size, heights, mean_length, seed, wobble):
    """Blocks in rows. Returns a number for each block, and the distance to its edge in pixels."""
    x, y = places(size)
    x = np.mod(x + wobble * fractal(size, size, 16, 16, 3, seed + 50), size)
    y = np.mod(y + wobble * fractal(size, size, 16, 16, 3, seed + 60), size)
    edges = np.concatenate([[0], np.cumsum(np.asarray(heights, dtype=np.float64))])
    edges *= size / edges[-1]
    block, distance = np.zeros_like(x), np.zeros_like(x)
    row_of = np.clip(np.searchsorted(edges, y, side="right") - 1, 0, len(heights) - 1)
    for row in range(len(heights)):
        count = max(2, int(round(size / mean_length)))
        lengths = 0.65 + 0.7 * hashed(np.arange(count), row, seed)
        ends = np.concatenate([[0], np.cumsum(lengths)])
        ends *= size / ends[-1]
        here = row_of == row
        along = np.mod(x[here] + size * hashed(row, seed, 7), size)
        column = np.clip(np.searchsorted(ends, along, side="right") - 1, 0, count - 1)
        dx = np.minimum(along - ends[column], ends[column + 1] - along)
        dy = np.minimum(y[here] - edges[row], edges[row + 1] - y[here])
        block[here] = 1000 * row + column
        near, far = np.minimum(dx, dy), np.maximum(dx, dy)
        distance[here] = near - np.maximum(0, 5 - far) * 0.4  # rounded corners
    return block, distance
