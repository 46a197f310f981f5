"""The faults that people report about baked light, a small map for each: what is built, what is measured there, and
the limit. A row's function is given the lit map and its run, and returns the figure."""
import dataclasses
import math
import typing

from geometry import (GREY, NODRAW, SKY, box, entity, hills, lamp, prism, room, round_prism, sun)
from measures import (against, along, crossing, formula, lamp_light, leak, lights, mean, mirrored, rises, step, stops)

STOPS, SHARE, UNITS = "stops", "of the lit side", "units"
UP = (0, 0, 1)


@dataclasses.dataclass
class Row:
    name: str
    title: str
    reported: str  # what people say, and of which tool where the sources name one
    solids: list
    entities: list
    measure: typing.Callable
    what: str  # is measured
    unit: str
    limit: float
    view: str  # the picture's viewpoint
    options: tuple = ()  # of vrad
    quake3: bool = False
    game: dict = dataclasses.field(default_factory=dict)  # files of a game folder
    rad: str = ""
    reference: int = 0  # paths a luxel of the ground truth, where the measure asks for it
    wanted: float = math.inf  # above it the map shows the fault, though it is no worse than the limit says
    note: str = ""  # why the figure is what it is


rows = []


def row(name, title, reported, solids, entities, what, unit, limit, view, **more):
    def add(measure):
        rows.append(Row(name, title, reported, solids, entities, measure, what, unit, limit, view, **more))
        return measure
    return add


HALL = ((0, 0, 0), (256, 256, 128))
TWO = ((0, 0, 0), (512, 256, 128))  # two rooms of 256, when a wall at x = 256 parts them
START = entity("info_player_start", (20, 20, 8))
BEYOND = entity("info_target", (400, 128, 60))  # a room without an entity is void
ABOVE = "256 128 420 89 90"  # of two rooms, through their ceilings, whose backs are not drawn
CORNER = "16 16 100 20 45"


def two_rooms(*between, lamp_at=(128, 128, 64), **keys):
    return [*room(*TWO), *between], [START, BEYOND, lamp(lamp_at, **keys)]


def across(lit, channel=None):
    """The dark room and the lit one, all sides."""
    return leak(lit.whole((256.5, 0, 0), (512, 256, 128), channel), lit.whole((0, 0, 0), (256, 256, 128), channel))


# Leaks.

@row("thin_wall", "Light through a thin wall", "light bleeds through walls thinner than a luxel (GtkRadiant, open since 2013)",
     *two_rooms(box((256, 0, 0), (257, 256, 128))), "brightest luxel behind a wall of one unit", SHARE, 0.0005, ABOVE)
def _(lit, run):
    return across(lit)


@row("wall_joint", "Light at the joint of two walls", "light shines through where walls only touch",
     *two_rooms(box((256, 0, 0), (258, 128, 128)), box((256, 128, 0), (258, 256, 128))),
     "brightest luxel behind two walls that touch", SHARE, 0.0005, ABOVE)
def _(lit, run):
    return across(lit)


@row("wall_foot", "Light under a wall", "a bright line on the floor along the dark side of a wall",
     *two_rooms(box((256, 0, 0), (260, 256, 128)), lamp_at=(236, 128, 12)),
     "brightest luxel behind a wall with a lamp at its foot", SHARE, 0.0005, ABOVE)
def _(lit, run):
    return across(lit)


@row("colour_through_wall", "Bounced colour through a wall", "bounced light of the next room tints a wall",
     [*room(*TWO), box((256, 0, 0), (257, 256, 128))], [START, lamp((128, 128, 64), colour=(255, 0, 0)), lamp((384, 128, 64), colour=(0, 0, 255))],
     "red in the blue room", SHARE, 0.0005, ABOVE)
def _(lit, run):
    return across(lit, 0)


@row("door_crack", "Light under a door", "a closed door lights the next room",
     [*room(*TWO), box((256, 0, 1), (260, 256, 128))], [START, lamp((128, 128, 64))],
     "brightest luxel 64 units beyond a gap of one unit", SHARE, 0.01, ABOVE)
def _(lit, run):
    return leak(lit.region(None, (324, 0, 0), (512, 256, 128)), lit.region(None, (0, 0, 0), (256, 256, 128)))


def court(*solids, roof=None, luxel=16):
    """A box of sky with a floor, and a house without a door in it."""
    return [*room((-256, -256, 0), (512, 512, 256), material={"-z": GREY, "": SKY}, luxel=luxel), *solids]


def house(*roof):
    walls = [((0, 0, 0), (256, 8, 128)), ((0, 248, 0), (256, 256, 128)), ((0, 8, 0), (8, 248, 128)), ((248, 8, 0), (256, 248, 128))]
    return court(*(box(*w) for w in walls), *roof)


def indoors(lit):
    return leak(lit.whole((8, 8, 0), (248, 248, 128)), lit.region("+z", (-256, -256, 0), (-16, 512, 0)))


OUTDOORS = entity("info_target", (-100, 40, 40))
SUN = sun(-60, 30, 300, 30)


@row("thin_roof", "Sun through a thin roof", "sunlight on the floor below a roof of one unit",
     house(box((0, 0, 128), (256, 256, 129))), [START, OUTDOORS, SUN], "brightest luxel indoors", SHARE, 0.0005, "20 20 100 20 45")
def _(lit, run):
    return indoors(lit)


@row("roof_joint", "Sun through the ridge of a roof", "a line of sun where two roofs meet",
     house(box((0, 0, 128), (128, 256, 130)), box((128, 0, 128), (256, 256, 130))), [START, OUTDOORS, SUN],
     "brightest luxel indoors", SHARE, 0.0005, "20 20 100 20 45")
def _(lit, run):
    return indoors(lit)


@row("nodraw_roof", "Light through nodraw", "a roof whose outside is nodraw lets the sun in",
     house(box((0, 0, 128), (256, 256, 144), material={"-z": GREY, "": NODRAW})), [START, OUTDOORS, SUN],
     "brightest luxel indoors", SHARE, 0.0005, "20 20 100 20 45")
def _(lit, run):
    return indoors(lit)


@row("displaced_roof", "Sun through displacements", "sun leaks between displacements that meet",
     house(*(box((128 * i, 0, 124), (128 * i + 128, 256, 128),
                 displaced={"+z": hills(2, lambda u, v, i=i: 64 * (u + i) / 2 * (1 - (u + i) / 2) * v * (1 - v))}) for i in (0, 1))),
     [START, OUTDOORS, SUN],
     "brightest luxel indoors", SHARE, 0.0005, "20 20 100 20 45")
def _(lit, run):
    return indoors(lit)


@row("shelf", "Light that wraps round an edge", "luxels on the underside of a shelf are lit from above (ericw-tools #405, #491)",
     [*room(*HALL), box((0, 64, 60), (96, 192, 64))], [START, lamp((48, 128, 112))],
     "brightest luxel below a shelf with a lamp on it, without bounces", SHARE, 0.0005, "160 60 30 0 150", options=("-bounce", "0"))
def _(lit, run):
    return leak(lit.whole((0, 64, 60), (96, 192, 60)), lit.whole((0, 64, 64), (96, 192, 64)))


# Corners and edges.

@row("black_corners", "Black corners", "corners of rooms are black or too dark",
     room(*HALL), [START, lamp((128, 128, 64))], "worst luxel within 24 units of a corner, beside ground truth", STOPS, 0.15,
     "128 128 90 25 45", reference=1024)
def _(lit, run):
    return max(against(lit, run.reference(), d, low, high)[1] for d, low, high in (
        ("+z", (0, 0, 0), (24, 24, 0)), ("+x", (0, 0, 0), (0, 24, 24)), ("-y", (232, 256, 104), (256, 256, 128)),
        ("-z", (232, 232, 128), (256, 256, 128))))


@row("dark_base", "Dark line along walls", "a dark rim where floors meet walls",
     room(*HALL), [START, lamp((128, 128, 64))], "mean of the floor's outermost luxels, beside ground truth", STOPS, 0.05,
     CORNER, reference=1024)
def _(lit, run):
    true = run.reference()
    return max(stops(mean(lights(lit.region("+z", *r))), mean(lights(true.region("+z", *r)))) for r in (
        ((0, 0, 0), (12, 256, 0)), ((244, 0, 0), (256, 256, 0)), ((0, 0, 0), (256, 12, 0)), ((0, 244, 0), (256, 256, 0))))


@row("crate_foot", "Halo at the foot of a crate", "the floor is bright or black where something stands on it",
     [*room(*HALL), box((100, 100, 0), (148, 148, 48))], [START, lamp((40, 40, 100))],
     "mean difference of the floor's luxels around the crate from ground truth", STOPS, 0.12, CORNER, reference=1024)
def _(lit, run):
    return against(lit, run.reference(), "+z", (72, 72, 0), (176, 176, 0))[0]


@row("off_grid_crate", "A crate off the grid", "luxels that a brush covers in part turn black",
     [*room(*HALL), box((103.3, 97.7, 0), (145.1, 151.9, 48))], [START, lamp((40, 40, 100))],
     "mean difference of the floor's luxels around the crate from ground truth", STOPS, 0.12, CORNER, reference=1024)
def _(lit, run):
    return against(lit, run.reference(), "+z", (72, 72, 0), (176, 176, 0))[0]


@row("narrow_trim", "Black trims", "faces narrower than a luxel are black",
     [*room(*HALL), box((0, 254, 0), (256, 256, 4))], [START, lamp((128, 128, 64))],
     "darkest luxel of a trim 2 by 4 units, beside the wall above it", STOPS, 0.2, "128 160 50 30 90", options=("-bounce", "0"))
def _(lit, run):
    wall = min(lights(lit.region("-y", (40, 256, 4), (216, 256, 24))))
    trim = lit.region("-y", (40, 254, 0), (216, 254, 4))
    return max(0, math.log2(wall / min(lights(trim))))


@row("sky_edge", "Dark edge below the sky", "floors are dark where they meet the sky box",
     court(), [START, sun(-90, 0, 0, 100)], "darkest luxel of a plain under an even sky, beside the closed form", STOPS, 0.03,
     "100 100 120 30 45", options=("-bounce", "0"))
def _(lit, run):
    return formula(lit.region("+z", (-256, -256, 0), (512, 512, 0)), lambda p: 100 / 255)


@row("sky_spots", "Spots of skylight", "the sky's light falls in spots beside pillars (162 fixed directions in Valve's tool: 0.10)",
     court(*(box((x, y, 0), (x + 32, y + 32, 160)) for x in (64, 160) for y in (64, 160))), [START, sun(-90, 0, 0, 200)],
     "luxels that should be alike by symmetry", STOPS, 0.15, "-100 -100 200 30 45", options=("-bounce", "0"), wanted=0.08,
     note="A fault of ours, as noise of the sky's rays: worst of 184 luxels.")
def _(lit, run):
    return mirrored(lit, "+z", (-56, -56, 0), (56, 312, 0), 0, 128)


# Seams.

def lit_floor(*solids):
    return [*room((0, 0, 0), (256, 256, 128), without="-z"), *solids]


@row("brush_joint", "Lines at joints of brushes", "a line where two floors of one height meet",
     lit_floor(box((-16, -16, -16), (120, 272, 0)), box((120, -16, -16), (272, 272, 0), material="dev/reflectivity_30")), [START, lamp((70, 128, 40))],
     "widest step along the joint", STOPS, 0.12, CORNER, wanted=0.03,
     note="A fault of ours. Matched as far as no luxel leaves the range of what both sides show: unmatched (`--noseams`) it is 0.36. What is left lies at the brightest\n"
          "point of the joint, which falls between two luxels.")
def _(lit, run):
    return step(lit, along((120, 0, 0), (120, 256, 0), 32), "+z", (-1, 0, 0), (1, 0, 0))


@row("luxel_sizes", "Lines between luxel sizes", "lightmap scales that do not match show at the seam",
     lit_floor(box((-16, -16, -16), (120, 272, 0), luxel=16), box((120, -16, -16), (272, 272, 0), luxel=4)), [START, lamp((70, 128, 40))],
     "widest step along the joint of luxels of 16 and 4 units", STOPS, 0.05, CORNER)
def _(lit, run):
    return step(lit, along((120, 0, 0), (120, 256, 0), 32), "+z", (-1, 0, 0), (1, 0, 0))


@row("luxels_off_phase", "Lines where luxels are shifted", "luxels of two brushes that are not aligned show a seam",
     lit_floor(box((-16, -16, -16), (117, 272, 0), luxel=13), box((117, -16, -16), (272, 272, 0), luxel=16)), [START, lamp((70, 128, 40))],
     "widest step along the joint of luxels of 13 and 16 units", STOPS, 0.05, CORNER)
def _(lit, run):
    return step(lit, along((117, 0, 0), (117, 256, 0), 32), "+z", (-1, 0, 0), (1, 0, 0))


@row("face_cuts", "Lines where faces are cut", "large faces show the cuts of the compiler",
     room((0, 0, 0), (640, 128, 128), luxel=8), [START, lamp((320, 64, 64))], "widest bend of light along the floor, at cuts or not",
     STOPS, 0.05, "20 20 100 15 10", options=("-bounce", "0"))
def _(lit, run):
    return rises([lit.at((x, 64.5, 0), "+z") for x in range(166, 474, 4)])


@row("terrain_foot", "Dark foot of a hill", "the floor is dark where it meets a hill that covers parts of its luxels",
     [*room(*HALL), box((64, 64, -12), (192, 192, -8), material={"+z": GREY, "": NODRAW},
                        displaced={"+z": hills(3, lambda u, v: 896 * u * (1 - u) * v * (1 - v))})], [START, lamp((128, 128, 112))],
     "the floor beside the hill, as a game filters it, beside the closed form", STOPS, 0.1, "20 20 60 10 45", options=("-bounce", "0"))
def _(lit, run):
    beside = [p for c in range(100, 157, 8) for p in ((67, c, 0), (189, c, 0), (c, 67, 0), (c, 189, 0))]
    return max(stops(lit.at(p, "+z"), lamp_light((128, 128, 112), 300, (0, 0, 1), p)) for p in beside)


def displaced(heights):
    return [*room((0, 0, -8), (256, 256, 128)),
            *(box((x, 0, -8), (x + 128, 256, 0), displaced={"+z": hills(3, lambda u, v, x=x: heights((x + 128 * u) / 256, v))},
                  material={"+z": GREY, "": NODRAW}) for x in (0, 128))]


def displaced_seam(lit):
    one, other = lit.curved
    shared = [(a, b) for a in grid(*one) for b in grid(*other) if math.dist(a[0], b[0]) < 0.05]
    assert len(shared) > 4
    return max(stops(lit.shown(one, a[2]), lit.shown(other, b[2])) for a, b in shared)


def grid(mesh, face):
    for i in range(face.vertex_count):
        v = mesh.vertices[face.first_vertex + i]
        yield tuple(v.position), tuple(v.normal), tuple(v.lightmap)


@row("flat_displacements", "Seams of displacements", "displacements that meet differ in brightness (StrataSource #1136, SDK PR #1177)",
     displaced(lambda u, v: 8), [START, lamp((90, 128, 60))], "widest step at shared vertices", STOPS, 0.05, CORNER)
def _(lit, run):
    return displaced_seam(lit)


@row("hilly_displacements", "Stripes on hills", "stripes along the seams of hills",
     displaced(lambda u, v: 8 + 24 * math.sin(math.pi * u) * math.sin(math.pi * v)), [START, lamp((60, 128, 100))],
     "widest step at shared vertices", STOPS, 0.05, CORNER)
def _(lit, run):
    return displaced_seam(lit)


@row("smoothed_column", "Edges of smoothed columns", "smoothed faces show each edge, or black faces at the terminator",
     [*room(*HALL), round_prism(128, 128, 40, 12, 0, 128, smooth=1)], [START, lamp((40, 128, 64))],
     "widest step between neighbouring sides", STOPS, 0.15, "20 40 70 0 40")
def _(lit, run):
    worst = 0
    sides = [f for f in lit.faces if abs(f.normal[2]) < 0.01 and math.dist(mean_of(f.points)[:2], (128, 128)) < 44]
    assert len(sides) >= 12
    for one in sides:
        for other in sides:
            for p in one.points:
                for z in (20, 64, 108):
                    q = (p[0], p[1], z)
                    if one is not other and one.holds(q) and other.holds(q):
                        worst = max(worst, stops(sum(one.light(q)) / 3, sum(other.light(q)) / 3))
    return worst


def mean_of(points):
    return tuple(sum(p[i] for p in points) / len(points) for i in range(3))


# Shadows.

@row("jagged_sun", "Jagged shadows of the sun", "the shadow of a wall that stands askew has steps of luxels",
     court(prism([(60, 0), (70, -5.77), (170, 167.4), (160, 173.2)], 0, 96)), [START, sun(-45, -30, 300)],
     "how far the shadow's edge, at a tenth, a half and nine tenths of the light, strays from a straight line, from end to end", UNITS, 8,
     "-60 -60 200 40 45", options=("-bounce", "0"),
     note="Luxels have 16 units; at half of the light the edge is within 1.8 units of where it should be.")
def _(lit, run):
    # The shadow of the wall's top edge: 96 units along the sun, whose level part looks to yaw -30.
    dx, dy = 96 * math.cos(math.radians(-30)), 96 * math.sin(math.radians(-30))
    a, b = (70 + dx, -5.77 + dy), (170 + dx, 167.4 + dy)
    size = math.dist(a, b)
    n = (b[1] - a[1]) / size, (a[0] - b[0]) / size
    top = max(lights(lit.region("+z", (-256, -256, 0), (512, 512, 0))))
    strays = []
    for level in (0.1, 0.5, 0.9):
        edge = []
        for m in along(a, b, 60)[10:50]:
            edge.append(crossing([(t / 4, lit.at((m[0] + t / 4 * n[0], m[1] + t / 4 * n[1], 0), "+z")) for t in range(-100, 101)], level * top))
        strays.append(max(edge) - min(edge))
        assert level != 0.5 or max(map(abs, edge)) < 8, "the shadow is elsewhere"
    return max(strays)


@row("blurred_sun", "Blurred shadows", "edges are wider than the luxels explain (Valve's filter takes two luxels to each side)",
     court(box((0, -64, 0), (8, 320, 96))), [START, sun(-45, 0, 300)], "from a tenth of the light to nine tenths of it", UNITS, 16,
     "-60 -60 200 40 45", options=("-bounce", "0"))
def _(lit, run):
    values = [(x, lit.at((x, 128.5, 0), "+z")) for x in range(60, 160)]
    top = values[-1][1]
    return crossing(values, 0.9 * top) - crossing(values, 0.1 * top)


@row("detail_shadow", "Shadows of func_detail", "func_detail casts no shadow, or another one",
     [*room(*HALL), box((48, 112, 0), (64, 144, 96))],
     [START, lamp((128, 128, 112)), (entity("func_detail"), [box((192, 112, 0), (208, 144, 96))])],
     "mean difference of the floor's luxels around a detail column from ground truth, or of its shadow from that of a column of the world", STOPS, 0.12, CORNER, reference=1024)
def _(lit, run):
    shadows = (mean(lit.at((x, y, 0), "+z") for y in (120, 128, 136)) for x in (24, 232))
    return max(against(lit, run.reference(), "+z", (160, 64, 0), (256, 192, 0))[0], stops(*shadows))


@row("clip_shadow", "Shadows of what is not drawn", "clips, triggers and hints cast shadows",
     [*room(*HALL), box((48, 112, 0), (64, 144, 96), material="tools/toolsplayerclip")],
     [START, lamp((128, 128, 112)), (entity("trigger_multiple"), [box((48, 40, 0), (64, 72, 96), material="tools/toolstrigger")])],
     "luxels beside a clip and a trigger, and opposite of them", STOPS, 0.08, CORNER)
def _(lit, run):
    return mirrored(lit, "+z", (0, 0, 0), (124, 256, 0), 0, 128)


@row("brush_entity", "Black brush entities", "faces of a func_brush are black where it stands on the floor or at a wall",
     [*room(*HALL), box((32, 240, 0), (64, 256, 64))],
     [START, lamp((128, 60, 112)), (entity("func_brush"), [box((192, 240, 0), (224, 256, 64))])],
     "worst luxel of a func_brush at a wall, beside ground truth", STOPS, 0.25, "128 60 70 10 90", reference=1024)
def _(lit, run):
    true = run.reference()
    return max(against(lit, true, "-y", (192, 240, 0), (224, 240, 64))[1], against(lit, true, "+z", (192, 240, 64), (224, 256, 64))[1])


@row("overlay", "Black faces behind overlays", "a face with an overlay on it is black",
     room(*HALL), [START, lamp((128, 128, 64)), entity(
         "info_overlay", (0, 128, 64), material="dev/reflectivity_60", sides="17", BasisOrigin="0 128 64", BasisU="0 1 0", BasisV="0 0 1",
         BasisNormal="1 0 0", StartU="0", EndU="1", StartV="0", EndV="1", uv0="-32 -32 0", uv1="-32 32 0", uv2="32 32 0", uv3="32 -32 0")],
     "luxels of the wall below an overlay and of the opposite wall", STOPS, 0.08, "160 128 64 0 180")
def _(lit, run):
    return mirrored(lit, "+x", (0, 0, 0), (0, 256, 128), 0, 128, "-x")


# Lamps.

@row("lamp_near_floor", "The level of a lamp", "a lamp is darker near a surface than its falloff says (Valve's: 0.59 of it 8 units away)",
     room(*HALL), [START, lamp((128, 128, 24), 20)], "worst luxel of the floor, without bounces, beside the closed form at its middle",
     STOPS, 0.2, CORNER, options=("-bounce", "0"))
def _(lit, run):
    return formula(lit.region("+z", (16, 16, 0), (240, 240, 0)), lambda p: lamp_light((128, 128, 24), 20, UP, p))


@row("dim_bands", "Bands in dim light", "dim light falls in bands",
     room((0, 0, 0), (512, 64, 64), luxel=8), [START, lamp((16, 32, 32), 5)], "widest bend of light along the floor, beside the lamp's own",
     STOPS, 0.03, "20 32 50 10 0", options=("-bounce", "0"))
def _(lit, run):
    values = [lit.at((x, 32.5, 0), "+z") for x in range(100, 500, 8)]
    true = [lamp_light((16, 32, 32), 5, UP, (x, 32.5, 0)) for x in range(100, 500, 8)]
    return rises([a / b for a, b in zip(values, true)])


@row("fine_noise", "Noise at small luxels", "small luxels are noisy (StrataSource #1347)",
     room((0, 0, 0), (64, 64, 64), luxel=2), [START, lamp((32, 32, 48), 30)], "widest bend of light along the floor, with bounces", STOPS, 0.03,
     "8 8 50 30 45")
def _(lit, run):
    return rises([lit.at((x, 33, 0), "+z") for x in range(7, 59, 2)])


@row("spot_edge", "Edge of a spotlight", "the cone of a spotlight has steps, or is no circle",
     room((0, 0, 0), (256, 256, 128), luxel=8), [START, entity("light_spot", (128, 128, 120), _light="255 255 255 300", _quadratic_attn="1", angles="-90 0 0", pitch="-90",
                                                              _inner_cone="25", _cone="35", _exponent="1")],
     "how round the cone is at a quarter of its light: widest radius less the narrowest", UNITS, 1, "16 16 100 20 45", options=("-bounce", "0"))
def _(lit, run):
    middle = lit.at((128, 128, 0), "+z")
    radii = []
    for i in range(24):
        c, s = math.cos(2 * math.pi * i / 24), math.sin(2 * math.pi * i / 24)
        radii.append(crossing([(r, lit.at((128 + r * c, 128 + r * s, 0), "+z")) for r in range(2, 110)], middle / 4))
    assert None not in radii, radii
    return max(radii) - min(radii)


@row("fixture_halo", "Light beside fixtures", "the ceiling beside a glowing box is dark, or has spots where a point of light stands in for its side",
     [*room(*HALL), box((112, 112, 126), (144, 144, 128), material="gallery/glow")], [START],
     "mean difference of the ceiling's luxels around a lamp 2 units high from ground truth", STOPS, 0.12, "30 30 30 -20 45",
     rad="gallery/glow 255 240 200 3000\n", reference=1024, options=("--noseams",),
     note="The rim is sixteen times as bright as the ceiling is in the mean, as it would be in nature.")
def _(lit, run):
    return against(lit, run.reference(), "-z", (80, 80, 128), (176, 176, 128))[0]


@row("cove", "Light through a slot", "a room lit through a slot of half a luxel is as bright as the cove behind it",
     [*room(*HALL), box((0, 224, 96), (256, 256, 100)), box((0, 224, 100), (256, 228, 120))],
     [START, *(lamp((x, 246, 108), 30) for x in (32, 96, 160, 224))],
     "mean light of the floor, beside ground truth", STOPS, 0.25, "30 30 60 -10 45", reference=2048)
def _(lit, run):
    return stops(*(mean(lights(lightmaps.region("+z", (0, 0, 0), (256, 256, 0)))) for lightmaps in (lit, run.reference())))


@row("facing_panel", "A panel that faces a wall", "light that a lit wall and the panel before it throw to and fro reaches what sees neither",
     [*room((0, 0, 0), (512, 512, 256)), box((502, 200, 60), (508, 300, 160), material={"+x": "dev/reflectivity_80", "": GREY})], [START],
     "mean light of the floor, beside that of up to 8192 paths a luxel (--reference-error 8)", STOPS, 0.1, "30 30 60 -10 45", rad="dev/reflectivity_80 255 255 255 2000\n")
def _(lit, run):
    return stops(mean(lights(lit.region("+z", (0, 0, 0), (512, 512, 0)))), 4.33 / 255)


@row("light_strip", "Scallops below light strips", "a strip of texture light casts a row of spots",
     [*room((0, 0, 0), (512, 128, 128)), box((64, 60, 126), (448, 68, 128), material="gallery/glow")], [START],
     "widest bend of light along the wall beside the strip", STOPS, 0.03, "20 20 60 0 20", rad="gallery/glow 255 255 255 6000\n")
def _(lit, run):
    return rises([lit.at((x, 128, 104), "-y") for x in range(104, 408, 8)])


@row("lit_behind_glass", "Texture lights behind glass", "a lamp behind glass lights nothing",
     [*room(*TWO), box((64, 64, 126), (96, 96, 128), material="gallery/glow"), box((416, 64, 126), (448, 96, 128), material="gallery/glow"),
      box((408, 56, 120), (456, 104, 122), material="gallery/glass"), box((254, 0, 0), (258, 256, 128))], [START, BEYOND],
     "floor below a lamp behind glass, beside one without", STOPS, 0.05, "500 240 100 25 225", rad="gallery/glow 255 255 255 9000\n",
     game={"materials/gallery/glass.vmt": b'LightmappedGeneric { $basetexture "gallery/glass" $translucent 1 %compilenodraw 0 }'})
def _(lit, run):
    return stops(mean(lights(lit.region("+z", (320, 16, 0), (500, 140, 0)))), mean(lights(lit.region("+z", (12, 16, 0), (192, 140, 0)))))


@row("lamp_at_wall", "A lamp at a wall", "a lamp that touches a wall goes out",
     room(*HALL), [START, lamp((1, 128, 64), 300)], "worst luxel of the opposite wall, without bounces, beside the closed form", STOPS, 0.05,
     "60 60 64 0 0", options=("-bounce", "0"))
def _(lit, run):
    return formula(lit.region("-x", (256, 0, 0), (256, 256, 128)), lambda p: lamp_light((1, 128, 64), 300, (-1, 0, 0), p))


@row("cut_off_ring", "A ring where light ends", "weak lamps end in a visible ring",
     room((0, 0, 0), (1024, 64, 64)), [START, lamp((32, 32, 48), 40)], "largest step between neighbours on the floor, of 255", "of 255", 0.3,
     "40 32 50 5 0", options=("-bounce", "0"))
def _(lit, run):
    values = [255 * lit.at((x, 32.5, 0), "+z") for x in range(300, 1010, 16)]
    return max(abs(a - b) for a, b in zip(values, values[1:]))


@row("bounce_level", "Light lost in bounces", "bounced light is too dark in closed rooms",
     room((0, 0, 0), (128, 128, 128), material="dev/reflectivity_60"), [START, lamp((64, 64, 64), 50)],
     "sum of the light of all sides, beside ground truth", STOPS, 0.03, CORNER, reference=256)
def _(lit, run):
    return stops(mean(lights(lit.region(None))), mean(lights(run.reference().region(None))))


@row("dark_rooms", "Dark rooms that are only bounced into", "rooms behind a door are too bright, or black",
     [*room(*TWO), box((254, 0, 0), (258, 96, 128)), box((254, 160, 0), (258, 256, 128)), box((254, 96, 96), (258, 160, 128))],
     [START, lamp((60, 40, 64), 1000)], "sum of the light on the second room's floor, beside ground truth", STOPS, 0.06, ABOVE, reference=1024)
def _(lit, run):
    return stops(*(mean(lights(lightmaps.region("+z", (320, 0, 0), (512, 256, 0)))) for lightmaps in (lit, run.reference())))


# What has no lightmap.

@row("ambient_in_solid", "Dark ambient samples", "models turn dark beside walls, as ambient samples lie in solid",
     [*room(*HALL), box((64, 64, 0), (192, 192, 128))], [START, lamp((32, 32, 64)), lamp((224, 224, 64)), lamp((32, 224, 64)), lamp((224, 32, 64))],
     "darkest ambient sample, beside the mean of all", STOPS, 0.8, CORNER)
def _(lit, run):
    samples = [mean(sides) for _, sides in lit.ambient()]
    assert samples and max(samples) > 0
    return max(0, math.log2(mean(samples) / max(min(samples), 1e-6)))


def model_files():
    import model_files as m
    return {"models/box.mdl": m.mdl(), "models/box.vvd": m.vvd(), "models/box.dx90.vtx": m.vtx()}


def prop(origin, **keys):
    return entity("prop_static", origin, model="models/box.mdl", solid="6", angles="0 0 0", **keys)


def beside_brush(lit, number, normal, direction, low, high):
    """The mean of the corners of a prop's side, and that of the luxels of the same box of a brush."""
    import model_files as m
    corners = [light for i, light in enumerate(lit.prop(number)) if m.normal(i // 4) == normal]
    return stops(mean(corners), mean(lights(lit.region(direction, low, high))))


@row("prop_level", "Props lit twice", "props are lit twice, or not at all (SDK PR #1687, #1345)",
     [*room(*HALL), box((176, 112, 24), (208, 144, 56))], [START, lamp((128, 128, 100), 50), prop((64, 128, 40))],
     "mean of the top of a prop and of a brush of its shape", STOPS, 0.1, CORNER, options=("-StaticPropLighting",), game={"models": model_files})
def _(lit, run):
    return beside_brush(lit, 0, [0, 0, 1], "+z", (176, 112, 56), (208, 144, 56))


@row("prop_at_wall", "Dark props at walls", "props that touch a wall are dark, on the side of the room too (S1-Games #6250, SDK PR #1345)",
     [*room(*HALL), box((224, 112, 24), (256, 144, 56))], [START, lamp((128, 128, 64), 100), prop((16, 128, 40))],
     "mean of the room's side of a prop at a wall and of a brush of its shape", STOPS, 0.1, CORNER, options=("-StaticPropLighting",),
     game={"models": model_files})
def _(lit, run):
    return beside_brush(lit, 0, [1, 0, 0], "-x", (224, 112, 24), (224, 144, 56))


@row("prop_in_wall", "Black props that reach into walls", "a prop that is sunk into a wall is black where its vertices are inside of it",
     [*room(*HALL)], [START, lamp((128, 128, 64), 100), prop((4, 128, 40))],
     "darkest corner of its top, beside the brightest", STOPS, 0.2, "140 60 80 15 150", options=("-StaticPropLighting",), game={"models": model_files})
def _(lit, run):
    import model_files as m
    top = [light for i, light in enumerate(lit.prop(0)) if m.normal(i // 4) == [0, 0, 1]]
    return stops(max(top), min(top))


# Quake 3.

Q3_START = entity("info_player_start", (20, 20, 32))


def q3_lamp(origin, light):
    return entity("light", origin, light=str(light))


@row("q3_thin_wall", "Quake 3: light through a thin wall", "light leaks of q3map2 (netradiant-custom #144)",
     [*room(*TWO), box((256, 0, 0), (257, 256, 128))], [Q3_START, BEYOND, q3_lamp((128, 128, 64), 300)], "brightest luxel behind a wall of one unit", SHARE, 0.0005,
     ABOVE, quake3=True)
def _(lit, run):
    return leak(lit.region(None, (265, 0, 0), (512, 256, 128)) + lit.region("+x", (257, 0, 0), (257, 256, 128)), lit.region(None, (0, 0, 0), (256, 256, 128)))


@row("q3_wall_foot", "Quake 3: light at the foot of a wall", "a bright line on the floor along the dark side of a wall of half a luxel",
     [*room(*TWO), box((256, 0, 0), (264, 256, 128))], [Q3_START, BEYOND, q3_lamp((236, 128, 12), 300)], "brightest luxel behind a wall of 8 units", SHARE, 0.0005,
     ABOVE, quake3=True)
def _(lit, run):
    return leak(lit.region(None, (264, 0, 0), (512, 256, 128)), lit.region(None, (0, 0, 0), (256, 256, 128)))


@row("q3_black_spots", "Quake 3: black spots", "black spots that move with unrelated edits (netradiant-custom #109)",
     [*room(*HALL), box((100, 100, 0), (148, 148, 48)), box((148, 120, 0), (170, 140, 20))], [Q3_START, q3_lamp((40, 40, 100), 200)],
     "darkest luxel of the lit half of the floor, beside the mean", STOPS, 0.5, CORNER, quake3=True)
def _(lit, run):
    floor = lights(lit.region("+z", (4, 4, 0), (80, 80, 0)))
    return max(0, math.log2(mean(floor) / max(min(floor), 1e-6)))
