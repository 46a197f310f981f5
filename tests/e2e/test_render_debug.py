#!/usr/bin/env python3
"""brushwork render --debug: what the colours say is what the map has."""
import os

from e2e import Suite, check, read, write
from pictures import pixels

suite = Suite()

YELLOW, SEEN, DARK = (255, 220, 90), (150, 205, 155), (44, 30, 38)
ONE, NONE, PORTAL, SEAM = (26, 89, 145), (22, 28, 90), (80, 225, 255), (50, 160, 80)
VIOLET = (110, 60, 150)
SIZE, LEGEND = 256, 40 # three lines


def compiled(s, folder, source, *options):
    path = os.path.join(folder, os.path.basename(source).rsplit(".", 1)[0] + ".bsp")
    s.run("brushwork", "build", source, "-o", path, "--preset", "fast", *options).expect(0)
    return path


def picture(s, folder, path, mode, *options):
    """Rows without the legend, as lists of colours."""
    out = os.path.join(folder, "debug.png")
    s.run("brushwork", "render", path, "--debug", mode, "-o", out, "--size", f"{SIZE}x{SIZE}", *options).expect(0)
    width, _, rows = pixels(read(out))
    return [[tuple(row[3 * x:3 * x + 3]) for x in range(width)] for row in rows[:-LEGEND]]


def near(a, b, tolerance=2):
    return all(abs(p - q) <= tolerance for p, q in zip(a, b))


def count(rows, colour, tolerance=2):
    return sum(near(at, colour, tolerance) for row in rows for at in row)


def share(rows, colour):
    return count(rows, colour) / (len(rows) * len(rows[0]))


DOWN = "--from", "128 128 60 90 0", "--fov", "60" # on the floor of box.vmf and q3_box.map


@suite.case
def one_floor_is_one_cluster_of_one_normal(s, folder):
    for source in "box.vmf", "q3_box.map":
        path = compiled(s, folder, s.map(source))
        for mode in "clusters", "leaves", "normals", "overdraw", "pvs":
            rows = picture(s, folder, path, mode, *DOWN)
            colours = {at for row in rows for at in row}
            check(len(colours) == 1, f"{source} {mode}: {len(colours)} colours")
            found = colours.pop()
            wanted = {"normals": (127, 127, 255), "overdraw": ONE, "pvs": YELLOW}.get(mode)
            check(wanted is None or near(found, wanted), f"{source} {mode}: {found}")


@suite.case
def clusters_and_leaves_differ(s, folder):
    """Those of the atrium, from above: more leaves than clusters, few colours all over."""
    path = compiled(s, folder, s.map("atrium.vmf"))
    colours = {}
    for mode in "clusters", "leaves":
        rows = picture(s, folder, path, mode, "--overview")
        colours[mode] = {at for row in rows for at in row}
        check(10 < len(colours[mode]) < 400, f"{mode}: {len(colours[mode])} colours")
    check(colours["clusters"] != colours["leaves"], "the same")


@suite.case
def what_is_not_visible_is_dark(s, folder):
    """The end of the corridor and the south of the courtyard do not see each other."""
    path = compiled(s, folder, s.map("atrium.vmf"))
    scale, left, top = 1584 / SIZE, -24, 1128

    def at(rows, x, y):
        return rows[int((top - y) / scale)][int((x - left) / scale)]

    rows = picture(s, folder, path, "pvs", "--overview", "--pvs-from", "60 -190 60")
    check(near(at(rows, 30, -140), YELLOW), f"own cluster: {at(rows, 30, -140)}")
    check(near(at(rows, 1100, -63), DARK), f"courtyard: {at(rows, 1100, -63)}")
    check(near(at(rows, 200, 300), SEEN), f"hall: {at(rows, 200, 300)}")
    rows = picture(s, folder, path, "pvs", "--overview", "--pvs-from", "1100 -63 60")
    check(near(at(rows, 30, -140), DARK), f"corridor: {at(rows, 30, -140)}")
    check(count(rows, SEEN) > 1000, count(rows, SEEN))


@suite.case
def portals_are_where_the_file_has_them(s, folder):
    box, rooms = compiled(s, folder, s.map("box.vmf")), compiled(s, folder, s.map("two_rooms.vmf"))
    check(count(picture(s, folder, box, "portals", "--overview"), PORTAL, 40) == 0, "a box has none")
    check(count(picture(s, folder, rooms, "portals", "--overview"), PORTAL, 40) > 3, "no portal")
    os.remove(rooms[:-4] + ".prt")
    s.run("brushwork", "render", rooms, "--debug", "portals").expect(1)


@suite.case
def density_follows_the_luxels(s, folder):
    """Green has 16 units a luxel, blue 64; each luxel is a square."""
    text = read(s.map("box.vmf"))
    for scale, wanted in (b"16", (60, 190, 80)), (b"64", (50, 70, 190)):
        source = os.path.join(folder, f"box{scale.decode()}.vmf")
        write(source, text.replace(b'"lightmapscale" "16"', b'"lightmapscale" "%s"' % scale))
        rows = picture(s, folder, compiled(s, folder, source), "density", *DOWN)
        dark = tuple(int(0.7 * value) for value in wanted)
        check(share(rows, wanted) > 0.1 and share(rows, dark) > 0.1, f"{scale}: {rows[64][64]}")


@suite.case
def lights_are_counted(s, folder):
    """The box has a light; without it no light reaches the floor."""
    rows = picture(s, folder, compiled(s, folder, s.map("box.vmf")), "lights", *DOWN)
    check(share(rows, ONE) > 0.9, rows[30][30])
    source = os.path.join(folder, "dark.vmf")
    write(source, read(s.map("box.vmf")).replace(b'"classname" "light"', b'"classname" "info_null"'))
    rows = picture(s, folder, compiled(s, folder, source), "lights", *DOWN)
    check(share(rows, NONE) > 0.9, rows[30][30])


@suite.case
def seams_are_where_lightmaps_meet(s, folder):
    floor = picture(s, folder, compiled(s, folder, s.map("box.vmf")), "seams", *DOWN)
    check(count(floor, SEAM) == 0, "a floor of one lightmap has none")
    seams = picture(s, folder, compiled(s, folder, s.map("atrium.vmf")), "seams", "--from", "740 140 200 12 35")
    check(count(seams, SEAM, 12) > 20, count(seams, SEAM, 12))


@suite.case
def a_legend_has_the_lines_that_it_needs(s, folder):
    """The last key, violet for the largest luxels, is in a narrow picture, too, and in none that the legend would cover."""
    path = compiled(s, folder, s.map("box.vmf"))
    for size, has_legend in ("160x90", True), ("320x180", True), ("90x180", True), ("64x64", False):
        out = os.path.join(folder, "legend.png")
        s.run("brushwork", "render", path, "--debug", "density", "-o", out, "--size", size).expect(0)
        width, _, rows = pixels(read(out))
        violet = [row[3 * x:3 * x + 3] for row in rows for x in range(width)].count(bytearray(VIOLET))
        check((violet >= 64) == has_legend, f"{size}: {violet} pixels")


@suite.case
def wrong_modes_are_refused(s, folder):
    path = compiled(s, folder, s.map("box.vmf"))
    s.run("brushwork", "render", path, "--debug", "heat").expect(2)
    s.run("brushwork", "render", path, "--debug", "pvs", "--pvs-from", "here").expect(2)
    found = {s.run("brushwork", "render", path, "--debug", "lights", "-o", "-", "--size", "64x36", "-threads",
                   n).expect(0).out for n in (1, 3)}
    check(len(found) == 1, "threads make a difference")


suite.main()
