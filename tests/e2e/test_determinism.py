#!/usr/bin/env python3
"""The same input gives the same bytes: with 1, 2, 3 and 7 threads, in one process or in three, and
the programs change nothing when they run again."""
import os
import random

from e2e import Suite, check, read, write

suite = Suite()


def three_programs(s, source, stem, threads, options, fast):
    quick = ["-fast"] if fast else []
    s.run("vbsp", source, "-o", stem + ".bsp", "-threads", threads, *options).expect(0)
    s.run("vvis", stem, "-threads", threads, *quick).expect(0)
    s.run("vrad", stem, "-threads", threads, *quick, *options).expect(0)


def one_program(s, source, stem, threads, options, fast):
    preset = ["--preset", "fast"] if fast else []
    s.run("brushwork", "build", source, "-o", stem + ".bsp", "-threads", threads, *preset,
          *options).expect(0)


def same_bytes(s, folder, source, options=(), fast=False):
    first = None
    for make, numbers in ((one_program, (1, 2, 7)), (three_programs, (3,))):
        for threads in numbers:
            # Output names must not find their way into the file.
            stem = os.path.join(folder, f"{make.__name__}{threads}")
            make(s, source, stem, threads, options, fast)
            result = read(stem + ".bsp"), read(stem + ".prt")
            first = first or result
            for what, a, b in zip(("BSP", "PRT"), first, result):
                check(a == b, f"{make.__name__} with {threads} threads gives another {what}: "
                      f"{len(a)} and {len(b)} bytes, "
                      f"first difference at {next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), -1)}")


@suite.case
def atrium(s, folder):
    same_bytes(s, folder, s.map("atrium.vmf"))


@suite.case
def training_ground(s, folder):
    pair = ("vmf", "s03_traininggnd_water")
    same_bytes(s, folder, s.corpus(*pair, "trainingground.vmf"),
               ["--texdata", s.corpus(*pair, "trainingground.texdata.tsv")], fast=True)


@suite.case
def every_small_map(s, folder):
    for name in ("two_rooms", "water", "detail", "brush_entities", "off_grid", "hint", "thin",
                 "overlays"):
        inner = os.path.join(folder, name)
        os.mkdir(inner)
        same_bytes(s, inner, s.map(name + ".vmf"), fast=True)


@suite.case
def maps_of_several_files(s, folder):
    for name in ("instances.vmf", "cordon.vmf", "manifest.vmm"):
        inner = os.path.join(folder, name)
        os.mkdir(inner)
        same_bytes(s, inner, s.map(name), fast=True)


def compile_alone(s, folder, source, options=()):
    """vbsp writes the same files with any number of threads; what it tells is the same too."""
    first = None
    for threads in (1, 3, 7):
        stem = os.path.join(folder, f"threads{threads}")
        done = s.run("vbsp", source, "-o", stem + ".bsp", "-threads", threads, "--json", *options)
        check(done.status in (0, 3), f"{source}: exit status {done.status}")
        files = [read(stem + end) if os.path.exists(stem + end) else None
                 for end in (".bsp", ".prt", ".lin")]
        told = [(d["code"], d["message"]) for d in done.diagnostics]
        first = first or (files, told)
        check(files == first[0], f"{source}: {threads} threads write other files")
        check(told == first[1], f"{source}: {threads} threads tell other things")


@suite.case
def every_map_with_any_number_of_threads(s, folder):
    for name in sorted(os.listdir(s.map(""))):
        if name.endswith(".vmf"):
            inner = os.path.join(folder, name)
            os.mkdir(inner)
            compile_alone(s, inner, s.map(name))


def box_solid(low, high):
    """A solid between two corners."""
    (x, y, z), (u, v, w) = low, high
    planes = (((x, v, w), (u, v, w), (u, y, w)), ((x, y, z), (u, y, z), (u, v, z)),
              ((x, v, w), (x, y, w), (x, y, z)), ((u, v, z), (u, y, z), (u, y, w)),
              ((u, v, w), (x, v, w), (x, v, z)), ((u, y, z), (x, y, z), (x, y, w)))
    axes = (("1 0 0", "0 -1 0"),) * 2 + (("0 1 0", "0 0 -1"),) * 2 + (("1 0 0", "0 0 -1"),) * 2
    sides = "".join(
        'side {{ "plane" "{}" "material" "dev/wall" "uaxis" "[{} 0] .25" "vaxis" "[{} 0] .25" '
        '"lightmapscale" "16" }}\n'.format(" ".join("({} {} {})".format(*p) for p in plane), *axis)
        for plane, axis in zip(planes, axes))
    return "solid {\n" + sides + "}\n"


def hall_of_boxes(size, count):
    """A hall over several blocks of 1024 units with overlapping boxes, every other one a detail."""
    draw = random.Random(5)
    walls = [((0, 0, -16), (size, size, 0)), ((0, 0, 512), (size, size, 528)),
             ((-16, 0, 0), (0, size, 512)), ((size, 0, 0), (size + 16, size, 512)),
             ((0, -16, 0), (size, 0, 512)), ((0, size, 0), (size, size + 16, 512))]
    boxes = []
    for _ in range(count):
        low = [draw.randrange(0, size - 256, 8), draw.randrange(0, size - 256, 8),
               draw.randrange(0, 384, 8)]
        boxes.append((low, [at + draw.randrange(16, 128, 8) for at in low]))
    world = "".join(box_solid(*box) for box in walls + boxes[::2])
    detail = "".join(box_solid(*box) for box in boxes[1::2])
    corner = size - 32
    return (f'world {{ "classname" "worldspawn"\n{world}}}\n'
            f'entity {{ "classname" "func_detail"\n{detail}}}\n'
            f'entity {{ "classname" "info_player_start" "origin" "{corner} {corner} 8" }}\n')


@suite.case
def boxes_in_many_blocks(s, folder):
    compile_alone(s, folder, write(os.path.join(folder, "hall.vmf"), hall_of_boxes(3000, 600)))


@suite.case
def rooms_of_many_blocks(s, folder):
    compile_alone(s, folder, s.corpus("generated", "mid.vmf"),
                  ["-game", s.corpus("generated", "game")])


@suite.case
def brush_entities_of_a_real_map(s, folder):
    pair = ("vmf", "s09_who_hostel")
    compile_alone(s, folder, s.corpus(*pair, "hostel.vmf"),
                  ["--texdata", s.corpus(*pair, "hostel.texdata.tsv")])


@suite.case
def lighting_again_changes_nothing(s, folder):
    stem = os.path.join(folder, "map")
    one_program(s, s.map("two_rooms.vmf"), stem, 2, (), True)
    before = read(stem + ".bsp")
    s.run("vvis", stem, "-fast").expect(0)
    s.run("vrad", stem, "-fast").expect(0)
    check(read(stem + ".bsp") == before, "a second run gives other bytes")


@suite.case
def standard_streams(s, folder):
    source = read(s.map("box.vmf"))
    piped = s.run("vbsp", "-", stdin=source).expect(0).out
    path = write(os.path.join(folder, "map.vmf"), source)
    s.run("vbsp", path).expect(0)
    check(piped == read(os.path.join(folder, "map.bsp")), "standard output has other bytes")
    piped = s.run("vvis", os.path.join(folder, "map"), "-o", "-").expect(0).out
    s.run("vvis", os.path.join(folder, "map")).expect(0)
    check(piped == read(os.path.join(folder, "map.bsp")), "vvis -o - has other bytes")


suite.main()
