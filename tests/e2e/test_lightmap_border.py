#!/usr/bin/env python3
"""Lightmaps with a border: the option, the key of the map, what other programs make of such a map, and
pictures with the luxels of other faces."""
import os
import struct

from e2e import Suite, check, read, write
from pictures import pixels

suite = Suite()


def faces_of(path):
    """Lightmap sizes of the faces that are lit."""
    data = read(path)
    start, size = struct.unpack_from("<ii", data, 8 + 16 * 7)
    records = (struct.unpack_from("<i12xii", data, at + 20) for at in range(start, start + size, 56))
    return [record[1:] for record in records if record[0] >= 0]


def compiled(s, folder, name, *options, source=None):
    path = os.path.join(folder, name + ".bsp")
    s.run("brushwork", "build", source or s.map("light_seams.vmf"), "-o", path, "--preset", "fast",
          *options).expect(0)
    return path


def picture(s, path, *options):
    done = s.run("brushwork", "render", path, "-o", "-", "--size", "160x90", "--samples", "1", "--from",
                 "100 100 160 40 45", "--lightmap-only", *options).expect(0)
    return pixels(done.out)[2]


def difference(a, b):
    return max(abs(x - y) for left, right in zip(a, b) for x, y in zip(left, right))


@suite.case
def only_a_border_keeps_other_faces_out(s, folder):
    for border in (False, True):
        path = compiled(s, folder, f"border{border:d}", *["--lightmap-border"] * border)
        shots = [picture(s, path, "--filter", "bicubic", "--foreign-luxels", colour)
                 for colour in ("black", "white")]
        plain = picture(s, path, "--filter", "bilinear")
        check(plain == picture(s, path), "bilinear is the default")
        check((difference(*shots) == 0) == border, (border, difference(*shots)))


@suite.case
def the_map_may_ask_for_it(s, folder):
    text = read(s.map("light_seams.vmf")).decode()
    source = os.path.join(folder, "keyed.vmf")
    write(source, text.replace('"classname" "worldspawn"',
                               '"classname" "worldspawn"\n"_lightmapborder" "1"', 1).encode())
    keyed = faces_of(compiled(s, folder, "keyed", source=source))
    asked = faces_of(compiled(s, folder, "asked", "--lightmap-border"))
    plain = faces_of(compiled(s, folder, "plain"))
    check(keyed == asked, "the key and the option")
    check(sum(map(sum, asked)) > sum(map(sum, plain)), "no border")
    check(max(map(max, asked)) <= 33, max(map(max, asked)))


@suite.case
def other_verbs_take_such_maps(s, folder):
    path, plain = (compiled(s, folder, "asked", "--lightmap-border"), compiled(s, folder, "plain"))
    s.run("brushwork", "verify", path).expect(0)
    s.run("brushwork", "info", path).expect(0)
    s.run("brushwork", "diff", path, path).expect(0)
    s.run("brushwork", "diff", path, plain).expect(1)
    for verb, name in (("view", "page.html"), ("export", "map.glb"), ("report", "report.html")):
        out = os.path.join(folder, name)
        s.run("brushwork", verb, path, "-o", out).expect(0)
        check(len(read(out)) > 1000, out)


@suite.case
def such_maps_are_lit_again(s, folder):
    path = compiled(s, folder, "again", "--lightmap-border")
    before = faces_of(path)
    s.run("vrad", "-fast", "-luxeldensity", "0.03", path).expect(0)
    s.run("brushwork", "verify", path).expect(0)
    check(sum(map(sum, faces_of(path))) < sum(map(sum, before)), "coarser luxels")
    shots = [picture(s, path, "--filter", "bicubic", "--foreign-luxels", colour)
             for colour in ("black", "white")]
    check(shots[0] == shots[1], "the border is still there")


@suite.case
def options_that_would_do_nothing(s, folder):
    path = compiled(s, folder, "plain")
    s.run("brushwork", "render", path, "--foreign-luxels", "black").expect(2)
    s.run("brushwork", "render", path, "--filter", "cubic").expect(2)
    s.run("brushwork", "render", path, "--minimap", "--filter", "bicubic").expect(2)


suite.main()
