"""Sources that come to a given use of a limit: a large room, and in it as many of something as are asked for."""

import math

from vmf_boxes import box, walls

SIDE, HEIGHT, SCALE = 8000, 512, 256


class Source:
    """Text of a VMF with numbers for its entities."""

    def __init__(self):
        self.text, self.ids = [], 1

    def id(self):
        self.ids += 1
        return self.ids

    def entity(self, name, keys=""):
        self.text.append(f"entity {{ id {self.id()} classname {name} {keys}")

    def end(self):
        self.text.append("}")

    def point(self, name, place, keys=""):
        self.entity(name, 'origin "%g %g 64" ' % place + keys)
        self.end()


def places(count, size):
    """So many on a grid of that size, or of a smaller one in which all are in the room."""
    size = min(size, 2 * SIDE // (math.isqrt(count) + 4))
    row = 2 * SIDE // size - 2
    return [(-SIDE + size * (1 + i % row), -SIDE + size * (1 + i // row)) for i in range(count)]


def block(source, place, *material):
    x, y = place
    source.text.append(box((x, y, 200), (x + 32, y + 32, 232), SCALE, *material))


def brushes(source, count):
    source.entity("func_detail")
    for place in places(count - 6, 32):  # side by side, or there would be too many vertices
        block(source, place)
    source.end()


def models(source, count, size=400):
    for place in places(count - 1, size):
        source.entity("func_brush")
        block(source, place)
        source.end()


def entities(source, count):
    for place in places(count - 2, 96):
        source.point("info_target", place)


def cubemaps(source, count):
    for place in places(count, 400):
        source.point("env_cubemap", place)


def texdata(source, count):
    source.entity("func_detail")
    for i, place in enumerate(places(count - 1, 300)):
        block(source, place, f"many/number{i}")
    source.end()


def lights(source, count):
    """Of two strengths: every tenth is strong."""
    for i, place in enumerate(places(count, 96)):
        source.point("light", place, f'_light "255 255 255 {2 if i % 10 else 20}"')


def source_with(fill, count):
    source = Source()
    source.text.append("world { id 1 classname worldspawn")
    source.text.append(walls(SIDE, HEIGHT, SCALE))
    source.end()
    source.point("info_player_start", (0, 0))
    fill(source, count)
    return "\n".join(source.text) + "\n"
