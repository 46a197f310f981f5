#!/usr/bin/env python3
"""Maps for Quake 3 that people made compile, see and are lit; what comes out is sound by `verify`
and by checkers that share no code with the compilers."""
import os
import shutil
import subprocess
import zipfile

import openarena
from e2e import Skip, Suite, check, read, write
from ibsp_portals import lump, records
from ibsp_rules import engine_rules

GAME = ("-game", "openarena")
ENTITIES, SHADERS, MODELS, VERTICES, SURFACES, LIGHTMAPS, GRID = 0, 1, 7, 10, 13, 14, 15

suite = Suite()


def rays_agree(s, prt, bsp, folder):
    """No pair of clusters that a ray proves is missing."""
    try:
        source = s.tool("pvs_oracle.c")
    except Skip:
        return
    program = os.path.join(folder, "pvs_oracle")
    if not os.path.exists(program):
        subprocess.run(["cc", "-O2", "-std=c99", source, "-o", program, "-lm"], check=True)
    done = subprocess.run([program, prt, bsp, "200000", "1"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=600)
    check(done.returncode == 0, done.stdout.decode(errors="replace")[-3000:])


def sound(source):
    def case(s, folder):
        bsp = os.path.join(folder, os.path.basename(source)[:-4] + ".bsp")
        s.run("vbsp", *GAME, "-o", bsp, source, "--json").expect(0)
        s.run("brushwork", "verify", bsp, "--json").expect(0)
        engine_rules(s, bsp)
        s.run("vvis", bsp, "--json").expect(0)
        rays_agree(s, bsp[:-4] + ".prt", bsp, folder)
        s.run("brushwork", "verify", bsp, "--json").expect(0)
        engine_rules(s, bsp)

    return case


def vertices_by_place(path):
    """Texture coordinates of the vertices of planar surfaces, by shader and position."""
    data = read(path)
    names = [record[0].split(b"\0")[0].lower() for record in records(data, SHADERS, "<64sii")]
    vertices = records(data, VERTICES, "<10f4B")
    found = {}
    for surface in records(data, SURFACES, "<12i12f2i"):
        if surface[2] != 1:
            continue
        for vertex in vertices[surface[3]:surface[3] + surface[4]]:
            key = (names[surface[0]], tuple(round(x * 8) for x in vertex[:3]))
            found.setdefault(key, []).append(vertex[3:5])
    return found


def alike(ours, theirs, scale):
    """Modulo whole images, by which compilers may move a surface."""
    return any(abs((x * scale - y + 0.5) % 1 - 0.5) < 2e-3 for x in ours for y in theirs)


def alike_of_shader(ours, theirs, keys):
    """Number of vertices of a shader with the same coordinates. Images may have become larger since
    the map was compiled: by a power of two, in both directions for itself."""
    best = [max(sum(alike([pair[axis] for pair in ours[key]], [pair[axis] for pair in theirs[key]],
                          scale) for key in keys) for scale in (1, 2, 4, 0.5)) for axis in (0, 1)]
    return min(best)


@suite.case
def textures_lie_as_the_authors_compiled_them(s, folder):
    """At vertices that both files have, for most: the authors' sources may be newer."""
    sources = openarena.map_sources(folder)
    for name in ("oacmpdm8", "oacmpdm1"):
        theirs_at = openarena.shipped(name, folder)
        check(theirs_at, f"no {name}.bsp in the packs")
        ours_at = os.path.join(folder, name + "_ours.bsp")
        s.run("vbsp", *GAME, "-o", ours_at, sources[name]).expect(0)
        ours, theirs = vertices_by_place(ours_at), vertices_by_place(theirs_at)
        by_shader = {}
        for key in ours:
            if key in theirs:
                by_shader.setdefault(key[0], []).append(key)
        both = sum(map(len, by_shader.values()))
        same = sum(alike_of_shader(ours, theirs, keys) for keys in by_shader.values())
        check(both > 300, f"{name}: {both} vertices in both")
        check(same >= 0.98 * both, f"{name}: {same} of {both} alike")


@suite.case
def both_forms_of_a_map_give_the_same_textures(s, folder):
    """Classic and Valve 220."""
    classic = openarena.map_sources(folder)["oacmpdm8"]
    valve = s.corpus("q3maps", "oacmpdm8_v220.map")
    found = []
    for number, source in enumerate((classic, valve)):
        bsp = os.path.join(folder, f"form{number}.bsp")
        s.run("vbsp", *GAME, "-o", bsp, source).expect(0)
        found.append(vertices_by_place(bsp))
    check(found[0].keys() == found[1].keys(), "other vertices")
    worst = max(min(max(abs(a[0] - b[0]), abs(a[1] - b[1])) for b in found[1][key])
                for key in found[0] for a in found[0][key])
    check(worst <= 1e-5, f"off by {worst}")


@suite.case
def light_is_where_its_authors_have_it(s, folder):
    """By rule: no more of the map is black or full than in what its authors compiled, the same
    bytes come out with any number of threads, and nothing else of the map changes."""
    source = openarena.map_sources(folder)["oacmpdm8"]
    bsp = os.path.join(folder, "lit.bsp")
    s.run("vbsp", *GAME, "-o", bsp, source).expect(0)
    s.run("vvis", "-fast", bsp).expect(0)
    before = read(bsp)
    lit = []
    for threads in (1, 2):
        out = os.path.join(folder, f"lit{threads}.bsp")
        shutil.copy(bsp[:-4] + ".srf", out[:-4] + ".srf")
        shutil.copy(bsp, out)
        s.run("vrad", *GAME, "-fast", "-threads", threads, out).expect(0)
        lit.append(read(out))
        engine_rules(s, out)
        s.run("brushwork", "verify", out, "--json").expect(0)
    check(lit[0] == lit[1], "threads change the bytes")
    for number in (SHADERS, MODELS):
        check(lump(before, number) == lump(lit[0], number), f"lump {number} changed")
    ours, theirs = extremes(lit[0]), extremes(read(openarena.shipped("oacmpdm8", folder)))
    check(ours[0] < theirs[0] + 0.02 and ours[1] < theirs[1] + 0.02,
          f"black and full: {ours}, of the authors {theirs}")
    grid = lump(lit[0], GRID)
    ambient = [max(grid[i:i + 3]) for i in range(0, len(grid), 8)]
    check(sum(value > 0 for value in ambient) > 0.2 * len(ambient), "a dark grid")


def small_game(folder):
    """A game whose shaders have a say in how finely walls are lit, and how round they look."""
    scripts = os.path.join(folder, "game", "baseq3", "scripts")
    os.makedirs(scripts)
    write(os.path.join(scripts, "shaderlist.txt"), "walls\n")
    write(os.path.join(scripts, "walls.shader"), """
textures/base_wall/basewall01
{
    q3map_lightmapSampleSize 8
    q3map_shadeAngle 60
    q3map_surfacelight 200
    {
        map $lightmap
    }
}
""")
    return "-game", os.path.join(folder, "game")


@suite.case
def one_process_writes_what_three_write(s, folder):
    """Also with the side file between them."""
    source, game = s.map("q3_patches.map"), small_game(folder)
    apart, together = os.path.join(folder, "apart.bsp"), os.path.join(folder, "together.bsp")
    s.run("vbsp", *game, "-o", apart, source).expect(0)
    notes = read(apart[:-4] + ".srf")
    check(b"\tsampleSize 8\n" in notes and b"shadeAngle 60\n" in notes, "the game's shader has no say")
    s.run("vvis", apart).expect(0)
    s.run("vrad", *game, apart).expect(0)
    s.run("brushwork", "build", *game, "-o", together, source).expect(0)
    check(read(apart) == read(together), "other bytes")


def extremes(data):
    """Fractions of the luxels of flat surfaces that are black, and fully lit."""
    pages, vertices = lump(data, LIGHTMAPS), records(data, VERTICES, "<10f4B")
    black = full = count = 0
    for surface in records(data, SURFACES, "<12i12f2i"):
        used = vertices[surface[3]:surface[3] + surface[4]]
        if surface[2] != 1 or surface[7] < 0 or not used:
            continue
        left, top = (int(min(v[k] for v in used) * 128) for k in (5, 6))
        right, bottom = (min(127, int(max(v[k] for v in used) * 128)) for k in (5, 6))
        for row in range(top, bottom + 1):
            at = ((surface[7] * 128 + row) * 128 + left) * 3
            line = pages[at:at + 3 * (right - left + 1)]
            values = [max(line[i:i + 3]) for i in range(0, len(line), 3)]
            count += len(values)
            black += values.count(0)
            full += values.count(255)
    return black / count, full / count


try:
    names = [name for pack in openarena.packs() for name in zipfile.ZipFile(pack).namelist()
             if name.startswith(openarena.SOURCES) and name.endswith(".map")]
except Skip:
    names = []


def of_the_game(name):
    def case(s, folder):
        sound(openarena.map_sources(folder)[name])(s, folder)

    return case


def of_the_corpus(name):
    def case(s, folder):
        source = s.corpus("q3maps", name + ".map")
        openarena.packs()  # their shaders are those of the game
        sound(source)(s, folder)

    return case


for name in sorted(os.path.basename(name)[:-4] for name in names):
    suite.add(name, of_the_game(name))
for name in ("feature_rooms", "oacmpdm8_v220"):
    suite.add(f"corpus_{name}", of_the_corpus(name))

suite.main()
