"""What people report of the light of Valve's public tools (source-sdk-2013), a small map for each. Rows are those of the
gallery (tests/gallery): what is built, what is measured, and the limit."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gallery"))
from geometry import GREY, NODRAW, SKY, box, entity, hills, lamp, room, round_prism, sun  # pylint: disable=wrong-import-position
from measures import against, lamp_light, lights, mean, stops  # pylint: disable=wrong-import-position
from rows import (HALL, OUTDOORS, START, STOPS, Row, beside_brush, court, displaced_seam, model_files, prop,  # pylint: disable=wrong-import-position
                  mean_of)

rows = []
LIT = ("-StaticPropLighting",)
NO_BOUNCE = ("-StaticPropLighting", "-bounce", "0")


def row(name, number, title, reported, solids, entities, what, limit, **more):
    def add(measure):
        rows.append(Row(name, title, f"{reported} (SDK PR #{number})", solids, entities, measure, what, STOPS, limit, "", **more))
        return measure
    return add


# Props whose light is taken in a wall.

BLACK = "tools/toolsblack"  # reflects nothing
LAMP = (128, 128, 112)
LEVEL = 60


def prop_formula(lit, number, centre):
    """The widest difference of the corners that the lamp shines on from its falloff."""
    import model_files as m
    worst, seen = 0, 0
    for i, light in enumerate(lit.prop(number)):
        side, s, t = i // 4, i & 1, i >> 1 & 1
        p = tuple(c + q for c, q in zip(centre, m.point(side, s, t)))
        expected = lamp_light(LAMP, LEVEL, m.normal(side), p)
        if expected > 0.02:
            worst, seen = max(worst, stops(light, expected)), seen + 1
    assert seen >= 8, seen
    return worst


@row("prop_around_brush", "1345", "Props around a brush", "a static prop is black when its origin, where the tool looks for its light, is inside of a brush",
     [*room(*HALL, material=BLACK), box((56, 120, 32), (72, 136, 48))], [START, lamp(LAMP, LEVEL), prop((64, 128, 40))],
     "worst corner of a prop whose origin is in a brush, without bounces, beside the closed form", 0.1, options=NO_BOUNCE, game={"models": model_files})
def _(lit, run):
    return prop_formula(lit, 0, (64, 128, 40))


@row("lighting_origin_in_wall", "1343", "Lighting origins in walls", "a static prop is black when the info_lighting that it names is inside of a wall",
     room(*HALL, material=BLACK), [START, lamp(LAMP, LEVEL), entity("info_lighting", (-8, 128, 40), targetname="inside"), prop((64, 128, 40), LightingOrigin="inside")],
     "worst corner of a prop that takes its light from a point in a wall, without bounces, beside the closed form", 0.1, options=NO_BOUNCE,
     game={"models": model_files})
def _(lit, run):
    return prop_formula(lit, 0, (64, 128, 40))


def mirror_corner(i):
    """The corner of the box at the other side of a plane across x."""
    side, s, t = i // 4, i & 1, i >> 1 & 1
    side, s, t = {0: (side ^ 1, s, t), 1: (side, s, 1 - t), 2: (side, 1 - s, t)}[side // 2]
    return 4 * side + 2 * t + s


@row("prop_around_brush_bounced", "1345", "Props around a brush, with bounced light", "the same, and of the light that walls reflect onto it",
     [*room(*HALL), box((56, 120, 32), (72, 136, 48))], [START, lamp(LAMP, LEVEL), prop((64, 128, 40)), prop((192, 128, 40))],
     "worst corner of a prop whose origin is in a brush, beside its mirror image around nothing", 0.15, options=LIT, game={"models": model_files})
def _(lit, run):
    around, free = lit.prop(0), lit.prop(1)
    return max(stops(light, free[mirror_corner(i)]) for i, light in enumerate(around))


# Props below the sky.

def below_sky(**keys):
    """A prop and a brush of its shape on a plain."""
    return {"solids": [*room((-256, -256, 0), (512, 512, 256), material={"-z": BLACK, "": SKY}), box((112, 112, 0), (144, 144, 32))],
            "entities": [START, OUTDOORS, sun(-60, 30, 80, 60), prop((0, 128, 16), **keys)],
            "options": NO_BOUNCE, "game": {"models": model_files}}


def sky_level():
    """Of what faces up: the sun at 60 degrees, and the whole sky."""
    return (80 * math.sin(math.radians(60)) + 60) / 255


@row("prop_below_sky", "1687", "Props lit twice by the sky", "a static prop below the sky gets the sky's light twice, once with the sun and once as ambient light",
     what="worst corner of the top of a prop below sun and sky, without bounces, beside the closed form", limit=0.1, **below_sky())
def _(lit, run):
    import model_files as m
    return max(stops(light, sky_level()) for i, light in enumerate(lit.prop(0)) if m.normal(i // 4) == [0, 0, 1])


@row("prop_beside_brush_below_sky", "1687", "Sides of props below the sky", "the same of its sides, which see half of the sky",
     what="mean of a side of a prop below sun and sky, without bounces, and of a brush of its shape, the worst of four", limit=0.15, **below_sky())
def _(lit, run):
    low, high = (112, 112, 0), (144, 144, 32)
    return max(beside_brush(lit, 0, normal, direction, tuple(a if n <= 0 else b for a, b, n in zip(low, high, normal)),
                            tuple(a if n < 0 else b for a, b, n in zip(low, high, normal)))
               for normal, direction in (([1, 0, 0], "+x"), ([-1, 0, 0], "-x"), ([0, 1, 0], "+y"), ([0, -1, 0], "-y")))


# Displacements that meet.

def ground(powers, luxels, height):
    """Two displacements side by side, over a floor that is not drawn."""
    def half(x, power, luxel):
        heights = hills(power, lambda u, v: height((x + 128 * u) / 256, v))
        return box((x, 0, -8), (x + 128, 256, 0), displaced={"+z": heights}, material={"+z": GREY, "": NODRAW}, luxel=luxel)
    return [*room((0, 0, -8), (256, 256, 128)), half(0, powers[0], luxels[0]), half(128, powers[1], luxels[1])]


def sewn(u, v):
    """Hills that are straight along the seam, so that coarse and fine rows of vertices meet there."""
    return 8 + 20 * math.sin(2 * math.pi * u) ** 2 * math.sin(math.pi * v)


@row("seam_of_powers", "1177", "Seams between displacements of two powers", "light differs at the seam of displacements that meet",
     ground((2, 4), (16, 16), sewn), [START, lamp((60, 100, 90))], "widest step at shared vertices of displacements of power 2 and 4", 0.06)
def _(lit, run):
    return displaced_seam(lit)


@row("seam_of_luxels", "1177", "Seams between luxels of displacements", "the same where luxels of the two have other sizes",
     ground((3, 3), (8, 16), sewn), [START, lamp((60, 100, 90))], "widest step at shared vertices of displacements with luxels of 8 and 16 units", 0.045)
def _(lit, run):
    return displaced_seam(lit)


@row("seam_in_sun", "1177", "Seams of displacements in the sun", "the same in sunlight, which comes in at a low angle",
     court(*(box((x, 0, 0), (x + 128, 256, 8), material={"+z": GREY, "": NODRAW},
                 displaced={"+z": hills(3, lambda u, v, x=x: sewn((x + 128 * u) / 256, v))}) for x in (0, 128))),
     [START, OUTDOORS, sun(-30, 75, 200, 20)], "widest step at shared vertices", 0.03)
def _(lit, run):
    return displaced_seam(lit)


# Smoothing groups of func_detail.

COLUMN = 40  # its radius


def column(x, smooth):
    """Of six sides: without groups, edges of up to 45 degrees are smoothed anyway."""
    return round_prism(x, 128, COLUMN, 6, 0, 128, smooth=smooth, luxel=4)


def sides_of(lit, x):
    return [f for f in lit.faces if abs(f.normal[2]) < 0.01 and math.dist(mean_of(f.points)[:2], (x, 128)) < 44]


def edge_steps(sides):
    """The widest step between sides of a column at an edge that they share."""
    worst = 0
    for one in sides:
        for other in sides:
            for p in one.points:
                for z in (20, 64, 108):
                    q = (p[0], p[1], z)
                    if one is not other and one.holds(q) and other.holds(q):
                        worst = max(worst, stops(mean(one.light(q)), mean(other.light(q))))
    return worst


def columns(smooth):
    """A hall with one of the world and one of func_detail, and a lamp in the middle."""
    return [*room((0, 0, 0), (384, 256, 128)), column(80, smooth)], \
        [START, lamp((192, 128, 64)), (entity("func_detail"), [column(304, smooth)])]


@row("smooth_detail", "1346", "Smoothing of func_detail", "smoothing groups of func_detail are ignored, and each edge shows", *columns(1),
     "widest step between neighbouring sides of a column of func_detail", 0.35)
def _(lit, run):
    sides = sides_of(lit, 304)
    assert len(sides) >= 6, len(sides)
    return edge_steps(sides)


@row("smooth_detail_as_world", "1346", "Smoothing of func_detail and of the world", "the same beside a column of the world", *columns(1),
     "mean light of a column of func_detail and of its mirror image in the world", 0.05)
def _(lit, run):
    def light(x):
        return mean(mean(f.light((*mean_of(f.points)[:2], 64))) for f in sides_of(lit, x))
    return stops(light(304), light(80))


@row("flat_detail", "1346", "Edges of func_detail without smoothing", "what the measure tells where there is no smoothing: here the edges have to show", *columns(0),
     "how much the widest step between neighbouring sides falls short of two stops", 0.0)
def _(lit, run):
    return max(0, 2 - edge_steps(sides_of(lit, 304)))
