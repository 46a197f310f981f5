"""The textures of the courtyard, each a function that returns RGB or RGBA in 0 .. 255."""
import numpy as np

from noise import blur, cells, courses, fractal, hashed, mix, places, relief, step


def rgb(*values):
    return np.array(values, dtype=np.float64)


def shaded(colour, light):
    return np.clip(colour * light[..., None], 0, 255)


def wall():
    """Ashlar of warm limestone with deep joints."""
    size = 1024
    heights = [92, 118, 84, 104, 128, 88, 112, 96, 108, 94]
    block, edge = courses(size, heights, 200, 11, 5)
    tone, hue = hashed(block, 1), hashed(block, 2)
    fine = fractal(size, size, 64, 64, 4, 21, 0.65)
    broad = fractal(size, size, 4, 4, 4, 31)
    pits = step(0.62, 0.9, fractal(size, size, 128, 128, 2, 41)) * step(-0.2, 0.6, fractal(size, size, 5, 5, 3, 43))
    stone = step(3, 11, edge + 1.5 * fine)
    colour = mix(rgb(196, 164, 122), rgb(226, 201, 158), tone)
    colour = mix(colour, rgb(206, 150, 108), 0.55 * step(0.72, 0.95, hue))
    colour = mix(colour, rgb(172, 160, 140), 0.6 * step(0.8, 0.98, hashed(block, 3)))
    colour = colour * (1 + 0.07 * fine + 0.10 * broad)[..., None]
    colour = mix(colour, rgb(150, 118, 82), 0.35 * step(0.1, 0.9, fractal(size, size, 6, 10, 5, 71)))
    colour = mix(colour, rgb(128, 104, 78) * np.ones(3), 0.4 * pits * stone)
    colour = mix(mix(rgb(122, 98, 72), rgb(168, 142, 108), 0.5 + 0.5 * fine), colour, stone)
    height = 5 * stone * (0.75 + 0.25 * tone) + 0.9 * fine - 1.5 * pits * stone
    return shaded(colour, relief(height, 0.075, 0.13, 8))


def plaster():
    """Ochre lime plaster, worn off in places to the stone below, with streaks of rain."""
    size = 1024
    fine = fractal(size, size, 64, 64, 4, 3, 0.6)
    broad = fractal(size, size, 3, 3, 5, 5)
    cloud = fractal(size, size, 8, 8, 5, 7)
    streak = fractal(size, size, 40, 3, 4, 9)
    colour = mix(rgb(208, 160, 108), rgb(232, 196, 144), 0.5 + 0.5 * broad)
    colour = mix(colour, rgb(222, 196, 156), 0.5 * step(0.15, 0.7, cloud))
    colour = mix(colour, rgb(150, 108, 74), 0.30 * step(0.05, 0.8, streak))
    colour = mix(colour, rgb(172, 92, 62), 0.22 * step(0.2, 0.8, fractal(size, size, 5, 4, 5, 17)))
    worn = step(0.50, 0.60, fractal(size, size, 5, 5, 6, 13, 0.55))
    block, edge = courses(size, [60, 54, 66, 58, 62, 56, 64, 60, 52, 66, 58, 60], 110, 15, 5)
    brick = mix(rgb(158, 112, 82), rgb(190, 150, 112), hashed(block, 4)) * (0.9 + 0.1 * fine)[..., None]
    brick = mix(rgb(176, 154, 124), brick, step(2, 6, edge))
    colour = mix(colour * (1 + 0.045 * fine)[..., None], brick, worn)
    height = 3.0 * (1 - worn) + 0.5 * fine + 0.8 * cloud + worn * 1.0 * step(1, 6, edge)
    return shaded(colour, relief(height, 0.10, 0.10, 8))


def trim():
    """Dressed limestone of columns, arches and cornices."""
    size = 512
    fine = fractal(size, size, 48, 48, 4, 103, 0.6)
    broad = fractal(size, size, 3, 3, 5, 105)
    vein = np.abs(fractal(size, size, 5, 4, 5, 107))
    pits = 0.5 * step(0.66, 0.95, fractal(size, size, 120, 90, 2, 109)) * step(-0.1, 0.6, fractal(size, size, 5, 4, 3, 113))
    colour = mix(rgb(214, 192, 156), rgb(236, 220, 188), 0.5 + 0.5 * broad)
    colour = mix(colour, rgb(188, 158, 118), 0.35 * step(0.12, 0.0, vein))
    colour = mix(colour, rgb(160, 136, 104), 0.28 * step(0.1, 0.8, fractal(size, size, 12, 3, 4, 111)))
    colour = colour * (1 + 0.05 * fine)[..., None]
    return shaded(mix(colour, rgb(140, 116, 88), 0.5 * pits), relief(0.8 * fine - 1.5 * pits, 0.06, 0.05))


def floor():
    """Square flags of stone laid diagonally, with small dark ones where four of them meet."""
    size, count = 1024, 6
    x, y = places(size)
    bend = 1.6
    x = x + bend * fractal(size, size, 16, 16, 3, 201)
    y = y + bend * fractal(size, size, 16, 16, 3, 203)
    pitch = size / count
    column, row = np.floor(x / pitch), np.floor(y / pitch)
    u, v = x - column * pitch, y - row * pitch
    du, dv = np.minimum(u, pitch - u), np.minimum(v, pitch - v)
    corner = 38.0 - (du + dv)  # inside of the diamond at each corner
    cx, cy = np.floor(x / pitch + 0.5) % count, np.floor(y / pitch + 0.5) % count
    small = corner > 0
    edge = np.where(small, corner * 0.72, np.minimum(np.minimum(du, dv), -corner * 0.72))
    number = np.where(small, 500 + 20 * cx + cy, 20 * (column % count) + row % count)
    tone, hue = hashed(number, 5), hashed(number, 6)
    fine = fractal(size, size, 64, 64, 4, 211, 0.6)
    broad = fractal(size, size, 3, 3, 5, 213)
    large = mix(rgb(178, 154, 124), rgb(212, 190, 156), tone)
    large = mix(large, rgb(192, 142, 108), 0.6 * step(0.7, 0.95, hue))
    colour = np.where(small[..., None], mix(rgb(104, 66, 52), rgb(134, 84, 62), tone), large)
    cloud = fractal(size, size, 12, 12, 5, 217)
    colour = colour * (1 + 0.05 * fine + 0.09 * broad + 0.06 * cloud)[..., None]
    colour = mix(colour, rgb(112, 92, 70), 0.35 * step(0.15, 0.9, fractal(size, size, 7, 7, 6, 219)))
    chips = step(0.35, 0.6, fractal(size, size, 40, 40, 4, 221) - edge / 14)
    tile = step(1.5, 5, edge) * (1 - 0.9 * chips)
    moss = step(0.1, 0.6, fractal(size, size, 5, 5, 4, 223))
    joint = mix(rgb(94, 76, 58), rgb(92, 96, 54), moss)
    colour = mix(joint * (1 + 0.15 * fine)[..., None], colour, tile)
    height = 3.2 * tile * (0.8 + 0.2 * hue) + 0.4 * fine + 0.4 * cloud
    return shaded(colour, relief(height, 0.09, 0.16, 4))


def roof():
    """Rows of barrel tiles; v goes down the slope."""
    size, columns, rows = 512, 16, 8
    x, y = places(size)
    x = x + 1.5 * fractal(size, size, 8, 8, 2, 301)
    pitch, length = size / columns, size / rows
    column = np.floor(x / pitch) % columns
    across = np.mod(x / pitch, 1)
    offset = 6 * (hashed(column, 7) - 0.5)
    row = np.floor((y + offset) / length) % rows
    down = np.mod((y + offset) / length, 1)
    number = 50 * column + row
    cover = column % 2 == 0
    round_ = np.sin(np.pi * across)
    height = np.where(cover, 10 * round_, 5 - 8 * round_) + 4 * down
    tone, hue = hashed(number, 8), hashed(number, 9)
    fine = fractal(size, size, 48, 48, 4, 311, 0.6)
    colour = mix(rgb(160, 82, 54), rgb(206, 122, 80), tone)
    colour = mix(colour, rgb(214, 162, 116), 0.6 * step(0.7, 0.95, hue))
    colour = mix(colour, rgb(104, 70, 52), 0.6 * step(0.82, 0.97, hashed(number, 10)))
    lichen = step(0.35, 0.6, fractal(size, size, 10, 10, 5, 313))
    colour = mix(colour * (1 + 0.1 * fine)[..., None], rgb(168, 160, 110), 0.45 * lichen)
    shade = np.where(cover, 0.62 + 0.42 * round_, 0.34 + 0.22 * (1 - round_)) * (1 - 0.45 * step(0.93, 1.0, down))
    return shaded(colour, shade * relief(height, 0.02))


def planks():
    """Boards of dark oak along v."""
    size, boards = 512, 6
    x, y = places(size)
    board = np.floor(x * boards / size)
    across = np.mod(x * boards / size, 1) * size / boards
    edge = np.minimum(across, size / boards - across)
    shift = size * hashed(board, 12)
    wave = fractal(size, size, 3, 2, 3, 401) * 5
    grain = cells((x + wave) * 96 / size, np.mod(y + shift, size) * 4 / size, 96, 4, 403)
    grain = 0.6 * grain + 0.4 * cells((x + wave) * 192 / size, np.mod(y + shift, size) * 8 / size, 192, 8, 405)
    broad = fractal(size, size, 6, 3, 4, 407)
    colour = mix(rgb(84, 52, 30), rgb(142, 94, 56), grain)
    colour = mix(colour, rgb(158, 118, 78), 0.4 * hashed(board, 13)) * (1 + 0.12 * broad)[..., None]
    height = 3 * step(0, 5, edge) + grain
    colour = mix(rgb(30, 18, 10), colour, step(0.5, 3, edge))
    return shaded(colour, relief(height, 0.07, 0.08, 4))


def door():
    """Two leaves with iron bands and nails."""
    wood = planks()
    size = 512
    x, y = places(size)
    colour = np.roll(wood, 20, 1)
    colour = mix(colour, rgb(66, 84, 78), 0.55 * step(-0.5, 0.5, fractal(size, size, 4, 6, 5, 411)) + 0.2)
    middle = np.abs(x - size / 2)
    colour = mix(colour, rgb(16, 10, 8), step(5, 2, middle))
    rim = np.minimum(np.minimum(x, size - 1 - x), y)
    colour = mix(colour, colour * 0.55, step(26, 22, rim))
    iron = np.zeros_like(x)
    nails = np.zeros_like(x)
    for at in (96, 256, 424):
        iron = np.maximum(iron, step(15, 13, np.abs(y - at)) * step(4, 7, middle))
        nail = np.hypot(np.mod(x, 42) - 21, y - at)
        nails = np.maximum(nails, step(6, 4, nail))
    ring = step(4.5, 3, np.abs(np.hypot(middle - 34, y - 300) - 16))
    fine = fractal(size, size, 64, 64, 3, 413)
    metal = mix(rgb(44, 38, 34), rgb(82, 62, 46), 0.5 + 0.5 * fine)
    colour = mix(colour, metal, np.maximum(iron, ring))
    return shaded(mix(colour, rgb(98, 84, 70), nails), relief(2 * blur(iron, 1) + 2 * nails + 2 * ring, 0.12))


def window():
    """Panes behind which a lamp burns, in a frame of wood."""
    size = 256
    x, y = places(size)
    pane_x, pane_y = np.mod(x, 85.4), np.mod(y, 64)
    edge = np.minimum(np.minimum(pane_x, 85.4 - pane_x), np.minimum(pane_y, 64 - pane_y))
    glow = np.exp(-((x - 128) ** 2 + (y - 150) ** 2) / 15000)
    glass = mix(rgb(150, 70, 22), rgb(255, 208, 122), glow)
    glass = glass * (0.9 + 0.12 * fractal(size, size, 6, 6, 3, 421))[..., None]
    return np.clip(mix(rgb(36, 22, 14), glass, step(4, 7, edge)), 0, 255)


def shutter():
    """Louvres of faded green."""
    size = 256
    x, y = places(size)
    rim = np.minimum(np.minimum(x, size - 1 - x), np.minimum(y, size - 1 - y))
    slat = np.mod(y, 20) / 20
    fine = fractal(size, size, 32, 16, 4, 431)
    colour = mix(rgb(74, 96, 78), rgb(112, 130, 104), 0.5 + 0.5 * fractal(size, size, 3, 3, 4, 433))
    colour = mix(colour, rgb(136, 110, 78), 0.6 * step(0.35, 0.7, fine))
    light = np.where(rim > 24, 0.45 + 0.6 * slat, 1.0) * step(-4, 4, np.abs(rim - 24)) * (1 + 0.06 * fine)
    return shaded(colour, light)


def iron():
    size = 64
    fine = fractal(size, size, 12, 12, 4, 441)
    return np.clip(mix(rgb(32, 29, 28), rgb(74, 58, 46), 0.5 + 0.5 * fine), 0, 255)


def lantern():
    """The glass of a lantern, brighter around the flame."""
    size = 64
    x, y = places(size)
    glow = np.exp(-((x - 32) ** 2 / 300 + (y - 38) ** 2 / 700))
    return np.clip(mix(rgb(236, 138, 46), rgb(255, 240, 190), glow), 0, 255)


def clay():
    size = 256
    y = places(size)[1]
    fine = fractal(size, size, 32, 32, 4, 451)
    colour = mix(rgb(156, 84, 56), rgb(190, 116, 78), 0.5 + 0.5 * fractal(size, size, 4, 4, 5, 453))
    colour = mix(colour, rgb(214, 190, 160), 0.5 * step(0.2, 0.7, fractal(size, size, 6, 8, 5, 455)))
    return shaded(colour, (1 + 0.06 * fine) * (1 + 0.05 * np.sin(y * 2 * np.pi / 16)))


def water():
    """Calm water: what is not reflected is dark and green."""
    size = 256
    ripple = fractal(size, size, 6, 10, 4, 461)
    return np.clip(mix(rgb(34, 58, 54), rgb(62, 92, 82), 0.5 + 0.5 * ripple), 0, 255)


def grass():
    """Dry meadow."""
    size = 256
    fine = fractal(size, size, 48, 48, 3, 471, 0.7)
    broad = fractal(size, size, 4, 4, 6, 473)
    colour = mix(rgb(94, 98, 48), rgb(168, 146, 84), 0.5 + 0.5 * broad)
    colour = mix(colour, rgb(70, 82, 38), step(0.0, 0.8, fractal(size, size, 16, 16, 4, 475)))
    return shaded(colour, 1 + 0.22 * fine)


def leaves(size_x, size_y, count, seed, inside, length):
    """Scatters leaves where inside(u, v) in 0 .. 1 is true; later ones lie in front. RGBA."""
    image = np.zeros((size_y, size_x, 4))
    image[..., :3] = (44, 54, 26)
    n = np.arange(count)
    us, vs = hashed(n, seed), hashed(n, seed + 1)
    angle, tone = hashed(n, seed + 2) * 6.2832, hashed(n, seed + 3)
    for i in range(count):
        depth = i / count
        if not inside(us[i], vs[i], depth):
            continue
        cx, cy, r = us[i] * size_x, vs[i] * size_y, length * (0.6 + 0.6 * hashed(i, seed + 4))
        x0, x1 = int(max(cx - r, 0)), int(min(cx + r + 1, size_x))
        y0, y1 = int(max(cy - r, 0)), int(min(cy + r + 1, size_y))
        if x1 <= x0 or y1 <= y0:
            continue
        y, x = np.mgrid[y0:y1, x0:x1]
        c, s = np.cos(angle[i]), np.sin(angle[i])
        a, b = ((x - cx) * c + (y - cy) * s) / r, ((y - cy) * c - (x - cx) * s) / r
        shape = np.abs(b) < 0.42 * (1 - a * a) * (1.1 - 0.5 * a)
        dark, light = np.array(inside.dark), np.array(inside.light)
        colour = (dark + (light - dark) * tone[i]) * (0.45 + 0.55 * depth)
        colour = colour * np.where(np.abs(b) < 0.05, 1.2, 1 - 0.25 * (b > 0))[..., None]
        part = image[y0:y1, x0:x1]
        part[shape, :3] = colour[shape]
        part[shape, 3] = 255
    return np.clip(image, 0, 255)


def cypress():
    def inside(u, v, depth):
        half = 0.46 * np.sqrt(max(0, min(1, v * 1.06))) * (1 - 0.55 * max(0, v - 0.75) / 0.25) * (1 - 0.25 * depth)
        return 0.03 < v < 0.985 and abs(u - 0.5) < half
    inside.dark, inside.light = (30, 46, 24), (84, 104, 50)
    return leaves(256, 1024, 9000, 501, inside, 13)


def shrub():
    def inside(u, v, depth):
        return (u - 0.5) ** 2 + (v - 0.52) ** 2 < (0.44 - 0.10 * depth) ** 2
    inside.dark, inside.light = (40, 66, 26), (122, 146, 64)
    image = leaves(256, 256, 1500, 521, inside, 15)
    for i in range(46):  # blossoms
        x, y = 128 + 100 * (hashed(i, 531) - 0.5) * 1.7, 128 + 100 * (hashed(i, 532) - 0.5) * 1.7
        if (x - 128) ** 2 + (y - 133) ** 2 > 92 ** 2:
            continue
        yy, xx = np.mgrid[0:256, 0:256]
        d = np.hypot(xx - x, yy - y)
        image[d < 5.5] = (222, 70 + 70 * hashed(i, 533), 96, 255)
        image[d < 1.8] = (250, 214, 140, 255)
    return image


def ivy():
    spread = fractal(512, 512, 5, 4, 4, 541)

    def inside(u, v, depth):
        hang = 0.62 + 0.36 * spread[0, int(u * 511)] + 0.3 * (abs(u - 0.5) - 0.25)
        return 0.02 < u < 0.98 and v < hang and spread[int(v * 511), int(u * 511)] > -0.55 + 0.3 * depth + 0.55 * v - 0.35
    inside.dark, inside.light = (42, 64, 26), (116, 140, 58)
    return leaves(512, 512, 5200, 545, inside, 15)


TEXTURES = {  # name: function, options of brushwork vtf
    "wall": (wall, []), "plaster": (plaster, []), "trim": (trim, []), "floor": (floor, []), "roof": (roof, []),
    "planks": (planks, []), "door": (door, []), "window": (window, []), "shutter": (shutter, []), "iron": (iron, []),
    "lantern": (lantern, []), "clay": (clay, []), "water": (water, []), "grass": (grass, []),
    "cypress": (cypress, ["--format", "dxt1a", "--flag", "clamps", "--flag", "clampt"]),
    "shrub": (shrub, ["--format", "dxt1a", "--flag", "clamps", "--flag", "clampt"]),
    "ivy": (ivy, ["--format", "dxt1a", "--flag", "clamps", "--flag", "clampt"]),
}
