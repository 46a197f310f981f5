"""Sources of small maps for Quake 3: rooms of brushes, and entities in them."""
import random

HALL_HALF, HALL_HEIGHT = 1024, 192


def side(points):
    return " ".join("( %s )" % " ".join(str(x) for x in p) for p in points) + " base/wall 0 0 0 0.5 0.5 0 0 0\n"


def box(mins, maxs, reach=1):
    """A brush whose planes are given by points up to `reach` from the axes."""
    lines = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for at, swap in ((mins[axis], False), (maxs[axis], True)):
            points = [[0, 0, 0] for _ in range(3)]
            for p in points:
                p[axis] = at
            points[1 if not swap else 2][u] = reach
            points[2 if not swap else 1][v] = reach
            lines.append(side(points))
    return "{\n" + "".join(lines) + "}\n"


def room(half, height, reach=1, floor=-16):
    """Six walls around 0 0 0."""
    h, t = half, half + 16
    return (box((-t, -t, floor), (t, t, 0), reach) + box((-t, -t, height), (t, t, height + 16), reach) +
            box((-t, -t, 0), (-h, t, height), reach) + box((h, -t, 0), (t, t, height), reach) +
            box((-h, -t, 0), (h, -h, height), reach) + box((-h, h, 0), (h, t, height), reach))


def entity(**keys):
    return "{\n" + "".join(f'"{key}" "{value}"\n' for key, value in keys.items()) + "}\n"


def a_map(brushes, *entities):
    return ('{\n"classname" "worldspawn"\n' + brushes + "}\n" +
            entity(classname="info_player_deathmatch", origin="0 0 32") + "".join(entities))


def pillared_hall(**keys):
    """A square hall with thick walls in it, which make some hundred clusters."""
    rng = random.Random(7)
    walls = ""
    for x in range(-HALL_HALF + 192, HALL_HALF, 256):
        for y in range(-HALL_HALF + 192, HALL_HALF, 256):
            w, d, h = (rng.choice((32, 64, 128)) for _ in range(3))
            walls += box((x, y, 0), (x + w, y + d, h if rng.random() < 0.3 else HALL_HEIGHT))
    world = entity(classname="worldspawn", **keys)[:-2]
    start = entity(classname="info_player_deathmatch", origin="0 -1000 32")
    return world + room(HALL_HALF, HALL_HEIGHT) + walls + "}\n" + start
