"""The map: a court between arcades on a hill, in the evening."""
import math

from noise import cells, hashed
from sky import SUN
from solids import NODRAW, SKY, Look, Map, box, displacement, prism

WALL = Look("courtyard/wall", 0.25, 8)
PLASTER = Look("courtyard/plaster", 0.25, 8)
TRIM = Look("courtyard/trim", 0.25, 8)
ROUND = Look("courtyard/trim", 0.25, 8, smooth=1)
FLOOR = Look("courtyard/floor", 0.17, 4, turn=45)
FLAGS = Look("courtyard/floor", 0.17, 8)
BEAM = Look("courtyard/planks", 0.25, 16)
OUTSIDE = Look("courtyard/wall", 0.25, 32)
BEHIND = Look("courtyard/plaster", 0.25, 32)
CEILING = Look("courtyard/planks", 0.35, 16)
ROOF = Look("courtyard/roof", 0.25, 16)
IRON = Look("courtyard/iron", 0.25, 16)
CLAY = Look("courtyard/clay", 0.25, 8, smooth=2)
GLASS = Look("courtyard/lantern", 0.25, 16, fit=(64, 64))
WATER = Look("courtyard/water", 0.25, 16)
GRASS = Look("courtyard/grass", 1, 48)

HALF = 384  # of the court
DEEP, THICK = 152, 24  # of the walks behind the arcades, and of walls
STEP = 8  # of the walks above the court
BAY, RADIUS, RING = 128, 47, 13  # of the arches
SPRING, STOREY, EAVES = 112, 204, 216
BAYS = [BAY * i for i in (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)]
FAR = DEEP + 2 * THICK  # the outside of a wing
UPPER = 404  # eaves of the wing with a storey more


class Wing:
    """One side of the court. Its places: along the court, away from it, and z."""

    def __init__(self, side):
        self.side = side

    def place(self, a, d, z):
        d += HALF
        return {"north": (a, d, z), "south": (a, -d, z), "west": (-d, a, z), "east": (d, a, z)}[self.side]

    def slab(self, outline, d0, d1, look, near=None, far=None):
        """Extrudes an outline of (a, z) from d0 to d1."""
        return prism([self.place(a, d0, z) for a, z in outline], [self.place(a, d1, z) for a, z in outline], look,
                     (near or look, far or look))

    def block(self, a0, a1, d0, d1, z0, z1, look, **ends):
        return self.slab([(a0, z0), (a1, z0), (a1, z1), (a0, z1)], d0, d1, look, **ends)

    def gable(self, a0, a1, d0, d1, low, high):
        """A roof with two slopes, its ridge along the wing."""
        middle = (d0 + d1) / 2
        outline = [(d0, low), (d0, low + 5), (middle, high), (d1, low + 5), (d1, low)]
        ends = [[self.place(a, d, z) for d, z in outline] for a in (a0, a1)]
        return prism(*ends, [ROOF, ROOF, ROOF, ROOF, BEAM], (PLASTER, PLASTER))


def ring(middle, radius, count, z, turn=0.5):
    return [(middle[0] + radius * math.cos(2 * math.pi * (i + turn) / count),
             middle[1] + radius * math.sin(2 * math.pi * (i + turn) / count), z) for i in range(count)]


def turned(middle, profile, look, count=12):
    """Solids of a lathe: profile of (radius, z)."""
    return [prism(ring(middle, r0, count, z0), ring(middle, r1, count, z1), look, (TRIM if look is ROUND else look,) * 2)
            for (r0, z0), (r1, z1) in zip(profile, profile[1:])]


def column(middle, base, top=SPRING):
    x, y = middle
    solids = [box((x - 17, y - 17, base), (x + 17, y + 17, base + 10), TRIM),
              box((x - 17, y - 17, top - 9), (x + 17, y + 17, top), TRIM)]
    return solids + turned(middle, [(15, base + 10), (15, base + 14), (11.5, base + 18), (10.5, top - 24),
                                    (13, top - 20), (16, top - 9)], ROUND)


def arches(wing, d0, d1, base):
    """A row of columns and the wall on them up to STOREY."""
    solids, steps = [], 12
    for a in [b - BAY / 2 for b in BAYS[1:]]:
        solids += column(wing.place(a, (d0 + d1) / 2, 0)[:2], base)
    for a in (-HALF, HALF):
        inner = a - 17 if a > 0 else a + 17
        solids.append(wing.block(min(a, inner), max(a, inner), d0, d1, base, SPRING, TRIM))
    for middle in BAYS:
        corners = [(-math.cos(math.pi * i / steps), math.sin(math.pi * i / steps)) for i in range(steps + 1)]
        inner = [(middle + RADIUS * c, SPRING + RADIUS * s) for c, s in corners]
        outer = [(middle + (RADIUS + RING) * c, SPRING + (RADIUS + RING) * s) for c, s in corners]
        for i in range(steps):
            solids.append(wing.slab([inner[i], inner[i + 1], outer[i + 1], outer[i]], d0 - 2, d1 + 2, TRIM))
            (a0, z0), (a1, z1) = outer[i], outer[i + 1]
            solids.append(wing.slab([(a0, z0), (a1, z1), (a1, STOREY), (a0, STOREY)], d0, d1, WALL))
        for a in (middle - BAY / 2, middle + RADIUS + RING):
            solids.append(wing.block(a, a + BAY / 2 - RADIUS - RING, d0, d1, SPRING, STOREY, WALL))
    return solids


def walk(wing, ends):
    """Floor, ceiling and beams of a walk; `ends`: how far beyond the court it goes."""
    a0, a1 = -HALF - ends, HALF + ends
    solids = [wing.block(a0, a1, 0, FAR, -24, STEP, TRIM, far=OUTSIDE),
              wing.block(-HALF, HALF, -12, 0, -24, STEP, TRIM),
              wing.block(a0, a1, THICK, THICK + DEEP, STOREY - 6, STOREY, CEILING),
              wing.block(a0, a1, -7, FAR, STOREY, EAVES, TRIM)]
    # The top of the floor is of flags.
    solids[0] = [(c, FLAGS if all(p[2] == STEP for p in c) else look) for c, look in solids[0]]
    for i in range(-int(a1 // 64), int(a1 // 64) + 1):
        solids.append(wing.block(64 * i - 5, 64 * i + 5, THICK, THICK + DEEP, STOREY - 20, STOREY - 6, BEAM))
    return solids


def opening(wing, a, half, d, z0, z1, look, trim=5):
    """What closes an opening at depth d, with a frame of stone that stands out from the wall at d - 8."""
    solids = [wing.block(a - half, a + half, d, d + 6, z0, z1, BEAM, near=look),
              wing.block(a - half - trim, a - half, d - 10, d, z0, z1, TRIM),
              wing.block(a + half, a + half + trim, d - 10, d, z0, z1, TRIM),
              wing.block(a - half - trim, a + half + trim, d - 11, d, z1, z1 + 8, TRIM)]
    if z0 > STEP:
        solids.append(wing.block(a - half - 8, a + half + 8, d - 14, d, z0 - 6, z0, TRIM))
    return solids


def door(wing, a, d):
    return opening(wing, a, 34, d, STEP, 124, Look("courtyard/door", 0.25, 8, fit=(512, 512)), 9)


def pierced(wing, a0, a1, d0, d1, z0, z1, holes, look):
    """A wall with openings: (a, half, z0, z1), from left to right at one height."""
    solids, at = [], a0
    for a, half, low, high in holes:
        solids += [wing.block(at, a - half, d0, d1, z0, z1, look), wing.block(a - half, a + half, d0, d1, z0, low, look),
                   wing.block(a - half, a + half, d0, d1, high, z1, look)]
        at = a + half
    return solids + [wing.block(at, a1, d0, d1, z0, z1, look)]


def windows(wing, places, low, high, half=19):
    """Lit windows in a wall of the wing, with open shutters."""
    solids = []
    glow = Look("courtyard/window", 0.25, 16, fit=(256, 256))
    shutter = Look("courtyard/shutter", 0.25, 8, fit=(256, 256))
    for a in places:
        solids += opening(wing, a, half, 12, low, high, glow, 0)[:1]
        solids += [wing.block(a - half - 8, a + half + 8, -5, 12, low - 7, low, TRIM),
                   wing.block(a - half - 6, a + half + 6, -3, 12, high, high + 9, TRIM)]
        for side in (-1, 1):
            near, far = a + side * (half + 1), a + side * (2 * half)
            solids.append(wing.block(min(near, far), max(near, far), -3, 0, low, high, BEAM, near=shutter))
    return solids


def upper_storey(wing):
    end = HALF + FAR
    half, low, high = 19, 268, 342
    holes = [(a, half, low - 7, high + 9) for a in BAYS]
    solids = pierced(wing, -end, end, 0, THICK, EAVES, UPPER - 12, holes, PLASTER)
    for a in BAYS:
        solids += [wing.block(a - half, a + half, 18, THICK, low - 7, high + 9, PLASTER)]
    solids += windows(wing, BAYS, low, high, half)
    solids += [wing.block(-end, end, FAR - THICK, FAR, EAVES, UPPER - 12, BEHIND),
               wing.block(-end, 16 - end, THICK, FAR - THICK, EAVES, UPPER - 12, BEHIND),
               wing.block(end - 16, end, THICK, FAR - THICK, EAVES, UPPER - 12, BEHIND),
               wing.block(-end, end, -8, FAR, UPPER - 12, UPPER, TRIM),
               wing.block(-end, end, -3, 0, EAVES + 14, EAVES + 20, TRIM)]
    return solids + [wing.gable(-end - 14, end + 14, -22, FAR + 22, UPPER, UPPER + 72)]


def north():
    wing, end = Wing("north"), HALF + FAR
    solids = arches(wing, 0, THICK, STEP) + walk(wing, FAR) + upper_storey(wing)
    solids += [wing.block(-end, end, DEEP + THICK, FAR, STEP, STOREY, WALL, far=OUTSIDE)]
    solids += [wing.block(a, a + THICK, 0, DEEP + THICK, STEP, STOREY, WALL) for a in (-end, end - THICK)]
    for a in (-192, 64, 320):
        solids += door(wing, a, DEEP + THICK - 4)
    return solids


def west():
    """A pergola, open to the garden and the sun."""
    wing, top = Wing("west"), 138
    solids = [wing.block(-HALF, HALF, 0, FAR, -24, STEP, TRIM, far=OUTSIDE), wing.block(-HALF, HALF, -12, 0, -24, STEP, TRIM)]
    solids[0] = [(c, FLAGS if all(p[2] == STEP for p in c) else look) for c, look in solids[0]]
    for d in (THICK / 2, FAR - THICK / 2):
        for a in [-HALF + 20] + [b - BAY / 2 for b in BAYS[1:]] + [HALF - 20]:
            solids += column(wing.place(a, d, 0)[:2], STEP, top)
        solids.append(wing.block(-HALF, HALF, d - 7, d + 7, top, top + 14, BEAM))
    for i in range(-12, 13):
        a = 31 * i
        solids.append(wing.block(a - 4, a + 4, -26, FAR + 26, top + 14, top + 25, BEAM))
    for i in range(9):
        d = -16 + 29 * i
        solids.append(wing.block(-HALF - 6, HALF + 6, d - 2, d + 2, top + 25, top + 29, BEAM))
    for middle in BAYS:  # a parapet towards the garden
        solids.append(wing.block(middle - 50, middle + 50, DEEP + THICK + 6, FAR - 6, STEP, 30, WALL))
        solids.append(wing.block(middle - 50, middle + 50, DEEP + THICK + 3, FAR - 3, 30, 35, TRIM))
    return solids


def south():
    wing, end = Wing("south"), HALF + FAR
    solids = arches(wing, 0, THICK, STEP) + walk(wing, FAR)
    solids += [wing.block(-end, end, DEEP + THICK, FAR, STEP, STOREY, WALL, far=OUTSIDE)]
    solids += [wing.block(a, a + THICK, 0, DEEP + THICK, STEP, STOREY, WALL) for a in (-end, end - THICK)]
    solids += door(wing, -64, DEEP + THICK - 4)
    return solids + [wing.gable(-end - 14, end + 14, -20, FAR + 20, EAVES, EAVES + 62)]


def east():
    wing = Wing("east")
    half, low, high = 19, 190, 264
    places = [-256, -128, 0, 128, 256]
    holes = [(a, half, low - 7, high + 9) for a in places]
    solids = [wing.block(-HALF, HALF, 0, FAR, -24, 116, WALL, far=OUTSIDE), wing.block(-HALF, HALF, -4, 0, 110, 120, TRIM),
              wing.block(-HALF, HALF, -6, 0, 0, 14, TRIM), wing.block(-HALF, HALF, THICK, FAR, 116, 316, BEHIND),
              wing.block(-HALF, HALF, -8, FAR, 316, 328, TRIM)]
    solids += pierced(wing, -HALF, HALF, 0, THICK, 116, 316, holes, PLASTER) + windows(wing, places, low, high, half)
    solids.append(wing.gable(-HALF, HALF, -22, FAR + 22, 328, 392))
    return solids + door(wing, 0, -1)


def basin(middle):
    """An octagon with a bowl on a pillar, and its water."""
    x, y = middle
    solids, n = [], 8
    for r0, r1, z0, z1 in ((104, 116, 0, 22), (101, 121, 22, 27), (116, 136, 0, 6)):
        for i in range(n):
            lower = [ring(middle, r, n, z0)[(i + k) % n] for r, k in ((r0, 0), (r1, 0), (r1, 1), (r0, 1))]
            solids.append(prism(lower, [(a, b, z1) for a, b, z in lower], TRIM))
    solids.append(prism(ring(middle, 104, n, 0), ring(middle, 104, n, 3), WALL))
    solids += turned(middle, [(26, 3), (26, 12), (15, 18), (11, 44), (13, 52), (44, 66), (47, 70)], ROUND, 16)
    solids += turned(middle, [(10, 71), (6, 78), (8, 92), (11, 98), (5, 106), (2, 116)], ROUND, 12)
    pools = [[(list(c), WATER if all(p[2] == top for p in c) else NODRAW) for c, _ in
              prism(ring(middle, 104, n, low), ring(middle, 104, n, top), NODRAW)] for low, top in ((3, 23),)]
    solids += turned(middle, [(42, 70), (42, 70.8)], Look("courtyard/water", 0.25, 16), 16)
    return solids, pools


def pot(middle, base, size):
    k = size / 28
    profile = [(12 * k, base), (20 * k, base + 22 * k), (19 * k, base + 27 * k), (23 * k, base + 28 * k), (23 * k, base + 33 * k)]
    return turned(middle, profile, CLAY)


def card(foot, along, width, height, look):
    """A thin upright solid with the same picture on both faces."""
    dx, dy = along[0] * width / 2, along[1] * width / 2
    nx, ny = -along[1] * 0.25, along[0] * 0.25
    x, y, z = foot
    quad = [(x - dx, y - dy, z), (x + dx, y + dy, z), (x + dx, y + dy, z + height), (x - dx, y - dy, z + height)]
    return prism([(a - nx, b - ny, c) for a, b, c in quad], [(a + nx, b + ny, c) for a, b, c in quad], NODRAW, (look, look))


def plant(foot, width, height, look, turn, planes=3):
    return [card(foot, (math.cos(turn + math.pi * i / planes), math.sin(turn + math.pi * i / planes)), width, height, look)
            for i in range(planes)]


CYPRESS = Look("courtyard/cypress", 0.25, 16, fit=(256, 1024))
SHRUB = Look("courtyard/shrub", 0.25, 8, fit=(256, 256))
IVY = Look("courtyard/ivy", 0.25, 8, fit=(512, 512))


def ground(x, y):
    """Height of the hill on which the court stands, and of the land around it."""
    distance = max(abs(x), abs(y)) * 0.5 + 0.5 * math.hypot(x, y)
    fall = min(max((distance - 760) / 2600, 0), 1)
    fall = fall * fall * (3 - 2 * fall)
    rough = min(max((distance - 700) / 900, 0), 1)
    rolling = 0
    for octave in range(4):
        f = 2 ** octave
        rolling += 150 / f ** 1.1 * (float(cells(x * f / 1400 + 40, y * f / 1400 + 40, 256, 256, 900 + octave)) - 0.5)
    rise = min(max((distance - 2500) / 1500, 0), 1)
    ridge = 0.75 + 0.9 * (float(cells(x / 900 + 9, y / 900 + 9, 256, 256, 950)) - 0.5)
    return -14 - 330 * fall + rough * rolling + 620 * ridge * rise * rise * (3 - 2 * rise)


TILES = [(1024 * i, 1024 * j) for i in range(-4, 2) for j in range(-3, 4)]


def land(m):
    size, power, base = 1024, 4, -640
    count = 2 ** power
    for x, y in TILES:
        heights = [[ground(x + size * j / count, y + size * i / count) - base for j in range(count + 1)]
                   for i in range(count + 1)]
        shape = displacement(power, (x, y, base), heights)
        faces = box((x, y, base - 16), (x + size, y + size, base), NODRAW, top=GRASS)
        m.add([(c, look, shape) if look is GRASS else (c, look) for c, look in faces])
    xs, ys = [x for x, _ in TILES], [y for _, y in TILES]
    x0, y0, x1, y1, top = min(xs), min(ys), max(xs) + size, max(ys) + size, 1400
    m.add(box((x0 - 16, y0 - 16, base - 32), (x1 + 16, y1 + 16, base - 16), NODRAW),
          box((x0 - 16, y0 - 16, top), (x1 + 16, y1 + 16, top + 16), SKY),
          box((x0 - 16, y0, base - 16), (x0, y1, top), SKY), box((x1, y0, base - 16), (x1 + 16, y1, top), SKY),
          box((x0, y0 - 16, base - 16), (x1, y0, top), SKY), box((x0, y1, base - 16), (x1, y1 + 16, top), SKY))


def tower(x, y):
    """A bell tower in the garden."""
    z, r = ground(x, y) - 20, 84
    solids = [box((x - r, y - r, z), (x + r, y + r, 480), PLASTER), box((x - r - 6, y - r - 6, 480), (x + r + 6, y + r + 6, 494), TRIM)]
    for i, j in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        low = (x + i * r - (i > 0) * 52, y + j * r - (j > 0) * 52, 494)
        solids.append(box(low, (low[0] + 52, low[1] + 52, 620), PLASTER))
    solids += [box((x - r, y - r, 620), (x + r, y + r, 672), PLASTER), box((x - r - 10, y - r - 10, 672), (x + r + 10, y + r + 10, 686), TRIM)]
    square = [(x - r - 18, y - r - 18), (x + r + 18, y - r - 18), (x + r + 18, y + r + 18), (x - r - 18, y + r + 18)]
    solids.append(prism([(a, b, 686) for a, b in square], [(x + (a - x) * 0.04, y + (b - y) * 0.04, 790) for a, b in square], ROOF))
    solids += turned((x, y), [(30, 540), (24, 560), (18, 592), (4, 602), (4, 620)], IRON)
    return solids


def lantern(m, x, y, top, drop, bright):
    """Hangs from a ceiling; brush entities cast no shadows of the light in them."""
    z = top - drop
    at = (x, y)
    frame = [box((x - 0.7, y - 0.7, z + 18), (x + 0.7, y + 0.7, top), IRON),
             prism(ring(at, 9, 6, z + 10), ring(at, 2, 6, z + 18), IRON), prism(ring(at, 6, 6, z - 12), ring(at, 6, 6, z - 9), IRON)]
    frame += [box((cx - 0.6, cy - 0.6, z - 9), (cx + 0.6, cy + 0.6, z + 10), IRON) for cx, cy, _ in ring(at, 7, 6, 0)]
    m.entity("func_illusionary", [prism(ring(at, 5, 6, z - 9), ring(at, 6.4, 6, z + 10), GLASS), *frame], origin=f"{x:g} {y:g} {z:g}")
    m.entity("light", origin=f"{x:g} {y:g} {z:g}", _light=f"255 158 72 {bright}", _quadratic_attn="1", _lightHDR="-1 -1 -1 1",
             _lightscaleHDR="1")


def planted(m):
    """Plants, which let light through where they have no leaves."""
    solids, leaves = [], []
    for i, (x, y, size) in enumerate(POTS):
        base = STEP if max(abs(x), abs(y)) > HALF - 12 else 0
        solids += pot((x, y), base, size)
        leaves += plant((x, y, base + 22 * size / 28), 2.5 * size, 2.5 * size, SHRUB, hashed(i, 77) * 3)
    for i, (x, y, height) in enumerate(TREES):
        leaves += plant((x, y, ground(x, y) - 12), height * 0.25, height, CYPRESS, float(hashed(i, 78)) * 3)
    for wing, a, width, z0, z1, d in VINES:
        corners = [wing.place(p, d, z) for p, z in ((a - width / 2, z0), (a + width / 2, z0), (a + width / 2, z1), (a - width / 2, z1))]
        behind = [wing.place(p, d + 0.5, z) for p, z in ((a - width / 2, z0), (a + width / 2, z0), (a + width / 2, z1), (a - width / 2, z1))]
        leaves.append(prism(corners, behind, NODRAW, (IVY, NODRAW)))
    return solids, leaves


POTS = [(-192, 350, 26), (192, 350, 26), (64, 352, 20), (-350, 192, 24), (-352, -64, 22), (-346, -192, 28), (340, 90, 28), (352, 48, 20),
        (344, -140, 28), (64, -348, 26), (-192, -350, 26)]
TREES = [(-740, 190, 430), (-770, 330, 500), (-800, 470, 540), (-1120, 640, 560), (-1300, 330, 560), (-940, 760, 520), (-1700, 620, 620),
         (-1820, 180, 560), (-2300, -40, 600)]
VINES = [(Wing("north"), 256, 150, 214, 392, -4), (Wing("north"), -384, 130, 214, 360, -4), (Wing("east"), -60, 170, 128, 310, -4),
         (Wing("east"), 200, 140, 60, 250, -4), (Wing("west"), 310, 150, 84, 172, -28), (Wing("west"), -262, 190, 70, 172, -28),
         (Wing("west"), 150, 150, 84, 172, FAR + 28), (Wing("west"), -120, 130, 90, 172, FAR + 28)]
LANTERNS = [(-256, 472, 40, 130), (0, 472, 40, 130), (256, 472, 40, 130), (-484, 253, 22, 70), (-484, -253, 22, 70), (-128, -472, 40, 130),
            (128, -472, 40, 130), (330, -472, 40, 130)]
BASIN = (-40, 20)
EYE = ((276, -282, 96), (-5, 139))  # the view: a place, pitch and yaw


def vmf():
    m = Map()
    edge = HALF - 12
    land(m)
    detail = [box((-edge, -edge, -24), (HALF, edge, 0), TRIM, top=FLOOR)]
    detail += north() + west() + south() + east()
    stone, pools = basin(BASIN)
    pots, leaves = planted(m)
    m.add(*pools)
    m.entity("func_detail", detail + stone + pots + tower(-1060, 420))
    m.entity("func_detail", leaves)
    for x, y, drop, bright in LANTERNS:
        lantern(m, x, y, STOREY - 20 if abs(x) < HALF or abs(y) > HALF else 152, drop, bright)
    m.entity("light_environment", origin="0 0 600", angles=f"{-SUN[1]:g} {SUN[0] - 180:g} 0", pitch=f"{-SUN[1]:g}", _light="255 210 164 1100",
             _ambient="108 148 240 112", _lightHDR="-1 -1 -1 1", _lightscaleHDR="1", _ambientHDR="-1 -1 -1 1", _AmbientScaleHDR="1",
             SunSpreadAngle="1.5")
    (x, y, z), (pitch, yaw) = EYE
    m.entity("info_player_start", origin=f"{x} {y} {z - 64 + 1:g}", angles=f"{pitch} {yaw} 0")
    m.entity("env_cubemap", origin="0 -200 96")
    return m.text(skyname="courtyard", comment="A court between arcades on a hill, in the evening.", maxpropscreenwidth="-1",
                  detailvbsp="detail.vbsp", detailmaterial="detail/detailsprites")
