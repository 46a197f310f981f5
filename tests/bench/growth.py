#!/usr/bin/env python3
"""How vrad's cost grows with what anybody can send, as tables in Markdown.

    growth.py [--bin DIR] [--patches N,...] [--luxels UNITS,...]

  patches  N equal patches of Quake 3, all in one place, and with a hundredth of a unit between
           them: CPU seconds of one thread (user time, the least of three), and counters
  luxels   a room UNITS wide with lightmapscale 1, most of it flat faces in one style: bytes a luxel at
           peak, the least --max-memory with which it is lit
"""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from bench import counters, user_seconds  # noqa: E402

MB = 1 << 20
POINTS = ('{\n"classname" "%s"\n"origin" "100 100 64"\n}\n'
          '{\n"classname" "light"\n"origin" "0 0 %d"\n"light" "600"\n"_light" "255 255 255 200"\n}\n')


def boxes(size, height):
    s, h, t = size, height, 16
    return [((-s - t, -s - t, -t), (s + t, s + t, 0)), ((-s - t, -s - t, h), (s + t, s + t, h + t)),
            ((-s - t, -s - t, 0), (-s, s + t, h)), ((s, -s - t, 0), (s + t, s + t, h)),
            ((-s, -s - t, 0), (s, -s, h)), ((-s, s, 0), (s, s + t, h))]


def sides(low, high):
    (x0, y0, z0), (x1, y1, z1) = low, high
    return [((x0, y1, z1), (x1, y1, z1), (x1, y0, z1)), ((x0, y0, z0), (x1, y0, z0), (x1, y1, z0)),
            ((x0, y1, z1), (x0, y0, z1), (x0, y0, z0)), ((x1, y1, z0), (x1, y0, z0), (x1, y0, z1)),
            ((x1, y1, z1), (x0, y1, z1), (x0, y1, z0)), ((x1, y0, z0), (x0, y0, z0), (x0, y0, z1))]


def patch(height):
    rows = "".join("( " + "".join(f"( {x} {y} {height + (32 if x == y == 0 else 0):g} 0 0 ) "
                                  for y in (-128, 0, 128)) + ")\n" for x in (-128, 0, 128))
    return "{\npatchDef2\n{\nbase/wall\n( 3 3 0 0 0 )\n(\n" + rows + ")\n}\n}\n"


def patches_map(count, step):
    """A Quake 3 room with `count` patches, `step` units apart."""
    walls = "".join("{\n" + "".join(
        " ".join("( %g %g %g )" % p for p in side) + " base/wall 0 0 0 0.5 0.5 0 0 0\n"
        for side in sides(*box)) + "}\n" for box in boxes(512, 512))
    return ('{\n"classname" "worldspawn"\n' + walls +
            "".join(patch(64 + i * step) for i in range(count)) + "}\n" +
            POINTS % ("info_player_deathmatch", 400))


def luxels_map(size):
    """A room of Source with a luxel a unit."""
    axes = ('[1 0 0 0] 0.25', '[0 -1 0 0] 0.25'), ('[0 1 0 0] 0.25', '[0 0 -1 0] 0.25'), \
           ('[1 0 0 0] 0.25', '[0 0 -1 0] 0.25')
    walls = "".join('solid\n{\n' + "".join(
        'side\n{\n"plane" "%s"\n"material" "dev/dev_measuregeneric01"\n"uaxis" "%s"\n"vaxis" "%s"\n"lightmapscale" "1"\n}\n' %
        ((" ".join("(%g %g %g)" % p for p in side),) + axes[(0, 1, 2)[k // 2]])
        for k, side in enumerate(sides(*box))) + '}\n' for box in boxes(size, size))
    points = POINTS % ("info_player_start", size // 2)
    return ('world\n{\n"classname" "worldspawn"\n' + walls + '}\n' +
            points.replace('{\n"classname"', 'entity\n{\n"classname"'))


def output_of(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    return done.returncode, done.stdout


def compiled(programs, folder, name, text):
    source, out = os.path.join(folder, name), os.path.join(folder, "map.bsp")
    with open(source, "w", encoding="ascii") as file:
        file.write(text)
    for command in ([programs["vbsp"], source, "-o", out], [programs["vvis"], out]):
        if output_of(command)[0]:
            sys.exit("failed: " + " ".join(command))
    return out


def print_patches(programs, folder, counts):
    print("| patches | bounce rays | repeated triangles | seconds | 0.01 apart: seconds |")
    print("|---|---|---|---|---|")
    for count in counts:
        row = [str(count)]
        for step in (0, 0.01):
            bsp = compiled(programs, folder, "patches.map", patches_map(count, step))
            command = [programs["vrad"], "--json", "-threads", "1", bsp]
            found = counters(output_of(command)[1])
            if step == 0:
                row += [str(found.get("vrad " + key, 0)) for key in
                        ("bounce_rays", "repeated_triangles")]
            row.append(f"{min(user_seconds(command)[0] for _ in range(3)):.2f}")
        print("| " + " | ".join(row) + " |", flush=True)


def least_memory(vrad, bsp, out, megabytes):
    """The least --max-memory that suffices, in MB, between 1 and one that does."""
    low, high = 1, megabytes
    while high - low > 1:
        middle = (low + high) // 2
        command = [vrad, "-threads", "1", "--max-memory", f"{middle}M", "-o", out, bsp]
        if output_of(command)[0]:
            low = middle
        else:
            high = middle
    return high


def print_luxels(programs, folder, sizes):
    print("| luxels | MB | bytes a luxel |")
    print("|---|---|---|")
    for size in sizes:
        bsp = compiled(programs, folder, "luxels.vmf", luxels_map(size))
        out = os.path.join(folder, "out.bsp")
        found = counters(output_of([programs["vrad"], "--json", "-o", out, bsp])[1])
        luxels = found["vrad luxels"]
        least = least_memory(programs["vrad"], bsp, out, 1 + luxels * 128 // MB)
        print(f"| {luxels} | {least} | {least * MB / luxels:.1f} |", flush=True)


def numbers(text):
    return [int(number) for number in text.split(",") if number]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(HERE, "../../build/release/bin"))
    parser.add_argument("--patches", type=numbers, default=[25, 50, 100, 200])
    parser.add_argument("--luxels", type=numbers, default=[256, 512])
    arguments = parser.parse_args()
    programs = {name: os.path.join(arguments.bin, name) for name in ("vbsp", "vvis", "vrad")}
    with tempfile.TemporaryDirectory() as folder:
        if arguments.patches:
            print_patches(programs, folder, arguments.patches)
        if arguments.luxels:
            print_luxels(programs, folder, arguments.luxels)


if __name__ == "__main__":
    main()
