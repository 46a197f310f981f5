"""Sources that come to a given use of a limit: a large room, and in it as many of something as are asked for."""

SIDE, HEIGHT, WALL = 8000, 512, 16
# Sides of a box, as three of the corners of each, and the texture axes there.
CORNERS = (("aef", "def", "dbf"), ("abc", "dbc", "dec"), ("aef", "abf", "abc"), ("dec", "dbc", "dbf"),
           ("def", "aef", "aec"), ("dbc", "abc", "abf"))
AXES = (("1 0 0", "0 -1 0"),) * 2 + (("0 1 0", "0 0 -1"),) * 2 + (("1 0 0", "0 0 -1"),) * 2
MATERIAL = "dev/dev_measuregeneric01"


class Source:
    """Text of a VMF with numbers for its objects."""

    def __init__(self):
        self.text, self.ids = [], 1

    def id(self):
        self.ids += 1
        return self.ids

    def box(self, low, high, material=MATERIAL):
        at = dict(zip("abcdef", (*low, *high)))
        self.text.append(f"solid {{ id {self.id()}")
        for corners, (u, v) in zip(CORNERS, AXES):
            plane = " ".join("(" + " ".join(f"{at[c]:g}" for c in corner) + ")" for corner in corners)
            self.text.append(f'side {{ id {self.id()} plane "{plane}" material "{material}" uaxis "[{u} 0] 0.25" '
                             f'vaxis "[{v} 0] 0.25" lightmapscale 256 }}')
        self.text.append("}")

    def room(self):
        low, high = (-SIDE, -SIDE, 0), (SIDE, SIDE, HEIGHT)
        for axis in range(3):
            for far in range(2):
                a = [low[i] - (WALL if i <= axis else 0) for i in range(3)]
                b = [high[i] + (WALL if i <= axis else 0) for i in range(3)]
                a[axis], b[axis] = (high[axis], high[axis] + WALL) if far else (low[axis] - WALL, low[axis])
                self.box(a, b)

    def entity(self, name, keys=""):
        self.text.append(f"entity {{ id {self.id()} classname {name} {keys}")

    def end(self):
        self.text.append("}")

    def point(self, name, place, keys=""):
        self.entity(name, 'origin "%g %g 64" ' % place + keys)
        self.end()


def places(count, size):
    """So many on a grid of that size."""
    row = 2 * SIDE // size - 2
    return [(-SIDE + size * (1 + i % row), -SIDE + size * (1 + i // row)) for i in range(count)]


def block(source, place, material=MATERIAL):
    x, y = place
    source.box((x, y, 200), (x + 32, y + 32, 232), material)


def brushes(source, count):
    source.entity("func_detail")
    for place in places(count - 6, 32):  # side by side, or there would be too many vertices
        block(source, place)
    source.end()


def models(source, count):
    for place in places(count - 1, 400):
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
    source.room()
    source.end()
    source.point("info_player_start", (0, 0))
    fill(source, count)
    return "\n".join(source.text) + "\n"
