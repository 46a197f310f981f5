"""What is measured in a gallery map. Ratios are told in stops, log2: 0.1 is 7 %, 1 is twice."""
import math

from lit import dot, minus

DIM = 0.5 / 255  # below it a screen shows no difference


def stops(a, b):
    return abs(math.log2((a + DIM) / (b + DIM)))


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def lights(region):
    return [light for _, light in region]


def leak(dark, bright):
    """The brightest luxel that should hold nothing, as a share of the lit side."""
    return max(lights(dark)) / mean(lights(bright))


def step(lit, points, direction, one, other):
    """The widest step between both sides of an edge, at points of it; `one` and `other` are the ways off it."""
    return max(stops(lit.at(p, direction, toward=one), lit.at(p, direction, toward=other)) for p in points)


def along(a, b, count):
    return [tuple(p + (q - p) * (i + 0.5) / count for p, q in zip(a, b)) for i in range(count)]


def mirrored(lit, direction, low, high, axis, about, mirror_direction=None):
    """The widest difference between a luxel and the light at its mirror image."""
    worst = 0
    for p, light in lit.region(direction, low, high):
        q = tuple(2 * about - c if i == axis else c for i, c in enumerate(p))
        worst = max(worst, stops(light, lit.at(q, mirror_direction or direction)))
    return worst


def formula(region, expected):
    """The widest difference between luxels and a closed form."""
    return max(stops(light, expected(p)) for p, light in region)


def lamp_light(lamp, level, normal, p):
    """Of a lamp of that level at 100 units: level / 255 * cos / (r / 100)^2."""
    way = minus(lamp, p)
    square = dot(way, way)
    return level / 255 * 1e4 * max(0, dot(way, normal)) / square ** 1.5


def against(lit, reference, direction=None, low=None, high=None):
    """(mean, worst) difference of luxels from ground truth."""
    pairs = list(zip(lights(lit.region(direction, low, high)), lights(reference.region(direction, low, high))))
    return mean(stops(a, b) for a, b in pairs), max(stops(a, b) for a, b in pairs)


def crossing(values, level):
    """Where light that is told as (place, light) crosses a level, between luxels."""
    for (p, a), (q, b) in zip(values, values[1:]):
        if (a - level) * (b - level) <= 0 and a != b:
            return p + (q - p) * (level - a) / (b - a)
    return None


def rises(values):
    """The widest step between neighbours of a row, beyond the mean of the steps beside it, in stops: a line or a band."""
    logs = [math.log2(v + DIM) for v in values]
    bends = [logs[i + 1] - 2 * logs[i] + logs[i - 1] for i in range(1, len(logs) - 1)]
    return max(abs(b) for b in bends)
