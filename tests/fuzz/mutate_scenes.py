"""What is mutated: scenes (a folder of small files of our own, and the runs that read them) and kinds (which
files of a scene are changed, and how). Paths are relative to the folder of the scene."""
import glob
import hashlib
import io
import itertools
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import zipfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "e2e"))
import cache_entries  # noqa: E402
import model_files  # noqa: E402
from e2e import read, write  # noqa: E402
from interrupts import Over, end, in_time, wait_until  # noqa: E402
from vmf_boxes import box, pillars, room  # noqa: E402


class Run:
    """One run of a program: what it may write, and what of that must pass `brushwork verify`.

    `writes` are patterns of names that may be new or changed after success. `leaves` are those that
    other ends may leave as well: pictures of a run so far, and files that were extracted."""

    def __init__(self, program, *arguments, writes=(), leaves=(), bsp=None, reads=None):
        self.program, self.arguments = program, arguments
        self.writes, self.leaves = list(writes), list(leaves)
        self.bsp = bsp      # result to verify
        self.reads = reads  # its input: only a valid one must give a valid result


class Kind:
    """Files of a scene that are changed, and the runs that follow; one choice of each for a mutant."""

    def __init__(self, name, form, scene, victims, choices, mend=None):
        self.name, self.form, self.scene = name, form, scene
        self.victims, self.choices = victims, choices
        self.mend = mend  # function of the bytes: makes a checksum right again


# --- files ---
def seed(*parts):
    return read(os.path.join(TOP, "tests", "fuzz", "seeds", *parts))


def source(name):
    return read(os.path.join(TOP, "maps", name)).decode()


def put(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return write(path, data)


def vpk(members):
    """A directory with the data behind it, in version 1."""
    tree, data = b"", b""
    for extension, group in itertools.groupby(sorted(members, key=lambda n: n.rsplit(".")[-1]),
                                              lambda n: n.rsplit(".")[-1]):
        tree += extension.encode() + b"\0"
        for name in group:
            folder, base = os.path.split(name[:-len(extension) - 1])
            content = members[name]
            checksum = zipfile.crc32(content)
            tree += (folder or " ").encode() + b"\0" + base.encode() + b"\0"
            tree += struct.pack("<IHHIIH", checksum, 0, 0x7FFF, len(data), len(content), 0xFFFF) + b"\0"
            data += content
        tree += b"\0"
    tree += b"\0"
    return struct.pack("<3I", 0x55AA1234, 1, len(tree)) + tree + data


def archive(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in members.items():
            target.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return out.getvalue()


def entity(**keys):
    return "entity\n{\n" + "".join(f'"{k}" "{v}"\n' for k, v in keys.items()) + "}\n"


# --- a game of Source, and a map that uses all of it ---
def vmt(shader, texture, *lines):
    return f'"{shader}"\n{{\n"$basetexture" "{texture}"\n' + "\n".join(lines) + "\n}\n"


MATERIALS = {
    "wall": vmt("LightmappedGeneric", "game/wall", '"$surfaceprop" "concrete"', '"%keywords" "a,b"'),
    "bump": vmt("LightmappedGeneric", "game/other", '"$bumpmap" "game/wall"', '"$envmap" "env_cubemap"'),
    "light": vmt("LightmappedGeneric", "game/wall", '"$selfillum" 1'),
    "grass": vmt("LightmappedGeneric", "game/other", '"%detailtype" "grass"'),
    "glass": vmt("LightmappedGeneric", "game/alpha", '"$translucent" 1', '"$alphatest" "1"'),
    "patched": 'patch\n{\ninclude "materials/game/bump.vmt"\ninsert\n{\n"$surfaceprop" "metal"\n}\n'
               'replace\n{\n"$basetexture" "game/packed"\n}\n}\n',
    "water": seed("vmt", "water.vmt").decode(),
    "metal": vmt("VertexLitGeneric", "game/alpha", '"$alphatest" 1'),
}
DETAIL = ('detail\n{\ngrass\n{\n"density" "2000"\na\n{\n"alpha" "1"\nb\n{\n"sprite" "0 0 64 64 512"\n'
          '"spritesize" "0.5 0 10 10"\n"amount" "0.5"\n"sprite_shape" "cross"\n}\n'
          'c\n{\n"model" "models/box.mdl"\n"amount" "0.5"\n"maxAngle" "40"\n}\n}\n}\n}\n')
SURFACE_PROPS = ('"concrete"\n{\n"density" "2400"\n"friction" "0.8"\n"gamematerial" "C"\n}\n'
                 '"metal"\n{\n"base" "concrete"\n"thickness" "0.1"\n"elasticity" "0.25"\n}\n')
CONFIG = ('"commandline"\n{\n"map"\n{\n"vbsp" "-nodetail -threads 1"\n"vvis" "-fast"\n'
          '"vrad" "-bounce 2 -extrasky 4"\n}\n}\n')
SUBSTITUTES = '"replacements"\n{\n"all"\n{\n"game/wall" "game/bump"\n}\n"map"\n{\n"a/b" "game/glass"\n}\n}\n'


def put_game(folder):
    for name, text in MATERIALS.items():
        put(folder, f"game/materials/game/{name}.vmt", text)
    put(folder, "game/materials/props/metal.vmt", MATERIALS["metal"])
    for name, file in (("wall", "dxt1_mips"), ("other", "bgra"), ("sheet", "dxt5_directory")):
        put(folder, f"game/materials/game/{name}.vtf", seed("vtf", file + ".vtf"))
    put(folder, "game/materials/game/alpha.vtf", seed("vtf_alpha", "dxt5.vtf"))
    for end, data in ((".mdl", model_files.mdl()), (".vvd", model_files.vvd()),
                      (".dx90.vtx", model_files.vtx()), (".phy", seed("phy", "two.phy"))):
        put(folder, "game/models/box" + end, data)
    put(folder, "game/detail.vbsp", DETAIL)
    put(folder, "game/lights.rad", "game/light 255 200 100 3000\nhdr:game/light 255 200 100 9000\n"
        "noshadow game/glass\nforcetextureshadow models/box.mdl\n")
    put(folder, "game/scripts/surfaceproperties_manifest.txt",
        '"surfaceproperties_manifest"\n{\n"file" "scripts/surfaceproperties.txt"\n}\n')
    put(folder, "game/scripts/surfaceproperties.txt", SURFACE_PROPS)
    put(folder, "game/game.fgd", seed("fgd", "small.fgd"))
    put(folder, "game/cfg/commandline.cfg", CONFIG)
    put(folder, "game/maps/materialsub.txt", SUBSTITUTES)
    put(folder, "game/pak01_dir.vpk", vpk({"materials/game/packed.vmt": MATERIALS["wall"].encode(),
                                           "materials/game/packed.vtf": seed("vtf", "bgr565.vtf"),
                                           "readme.txt": b"text"}))
    put(folder, "game/gameinfo.txt",
        'GameInfo\n{\ngame "g"\nInstancePath "maps/"\nGameData "game.fgd"\nFileSystem\n{\nSteamAppId 1\n'
        'SearchPaths\n{\ngame+mod "|gameinfo_path|."\ngame "|gameinfo_path|pak01.vpk"\n'
        'game "|all_source_engine_paths|none"\n}\n}\n}\n')
    for name in ("pillar", "gate"):
        put(folder, f"instances/{name}.vmf", source(f"instances/{name}.vmf"))
    put(folder, "map.vmf", game_map())


def game_map():
    """A pool in a room, props and lights, and a part from another file."""
    text = source("water.vmf")
    names = itertools.cycle(["wall", "bump", "light", "grass", "patched", "packed"])
    text = re.sub(r'(?i)"material" "dev/dev_measure[^"]*"', lambda _: f'"material" "game/{next(names)}"', text)
    text = re.sub(r'(?i)"material" "dev/dev_water[^"]*"', '"material" "game/water"', text)
    for i, keys in enumerate(({"generatelightmaps": 1, "lightmapresolutionx": 8, "lightmapresolutiony": 8},
                              {"skin": 0, "fademindist": 100, "solid": 0})):
        text += entity(id=9000 + i, classname="prop_static", model="models/box.mdl", angles="0 30 0",
                       origin=f"{100 + 60 * i} 100 150", **{"solid": 6, **keys})
    text += entity(id=9010, classname="prop_detail_sprite", origin="60 60 60", position_ul="-8 8",
                   position_lr="8 -8", detailOrientation=2)
    text += entity(id=9011, classname="light_environment", origin="90 90 200", _light="255 240 200 300",
                   _ambient="90 100 120 100", angles="0 40 0", pitch=-50)
    text += entity(id=9012, classname="light_spot", targetname="lamp", origin="90 90 190", angles="-90 0 0",
                   _light="255 255 255 300", _inner_cone=20, _cone=45, _fifty_percent_distance=64,
                   _zero_percent_distance=300)
    window = box((40, 40, 120), (44, 80, 180)).replace("dev/dev_measuregeneric01", "game/glass")
    text += 'entity\n{\n"id" "9014"\n"classname" "func_brush"\n' + window + "}\n"
    return text + entity(id=9013, classname="func_instance", targetname="in", file="instances/pillar.vmf",
                         origin="64 160 64", angles="0 90 0", fixup_style=0, replace01="$lamp lamp")


VBSP_WRITES = ("*.bsp", "*.prt", "*.srf", "*.lin")
GAME = ("-game", "game")


def stages(path, *options, out="out.bsp", light=("-fast",), game=GAME):
    """vbsp, vvis and vrad of a map."""
    stem = out[:-4]
    return [Run("vbsp", path, "-o", out, *game, *options, writes=[stem + e for e in (".bsp", ".prt", ".srf", ".lin")],
                bsp=out),
            Run("vvis", out, "-fast", *game, writes=[out], bsp=out),
            Run("vrad", out, *light, *game, writes=[out, *pages_of(stem)], bsp=out)]


def pages_of(stem):
    """Lightmaps outside of a Quake 3 map: on request, or when it has light styles."""
    return [stem, stem + "/lm_*.tga", "scripts", "scripts/*.shader"]


def scene_source(folder, _):
    put_game(folder)
    put(folder, "catalogue.tsv", "# material\twidth\theight\tview_w\tview_h\tr\tg\tb\tflags\tcontents\tenvmap\tbottom\n"
        "game/lost\t64\t64\t64\t64\t0.2 0.3 0.4\t0\t1\t0\t-\n")


def scene_maps(folder, _):
    put_game(folder)
    for name in glob.glob(os.path.join(TOP, "maps", "**", "*.vm[fm]"), recursive=True):
        if os.path.getsize(name) < 34000:
            put(folder, "maps/" + os.path.relpath(name, os.path.join(TOP, "maps")), read(name))
    for name in glob.glob(os.path.join(TOP, "tests/fuzz/seeds/compile/*")):
        put(folder, "maps/seed_" + os.path.basename(name), read(name))


# --- a game of Quake 3 ---
SHADERS = """textures/t/glow
{
surfaceparm nomarks
q3map_surfacelight 300
q3map_lightsubdivide 64
tessSize 64
deformVertexes wave 100 sin 3 2 .1 .1
{
map textures/t/a.tga
tcMod turb 0 .2 0 .1
}
}
textures/base_wall/basewall01
{
qer_editorimage textures/t/b.png
q3map_backsplash 3 24
q3map_lightmapSampleSize 8
q3map_nonplanar
q3map_shadeAngle 60
{
map $lightmap
rgbGen identity
}
{
map textures/t/b.png
blendFunc GL_DST_COLOR GL_ZERO
alphaFunc GE128
}
}
textures/base_floor/concrete
{
q3map_sunExt .5 .4 .3 100 90 45 3 8
q3map_skyLight 100 3
q3map_surfaceModel models/square.md3 64 0.2 0.5 1.5 0 360 0
q3map_cloneShader textures/t/glow
}
textures/t/fog
{
surfaceparm fog
surfaceparm trans
fogparms ( .1 .2 .3 ) 512
}
"""


def quake_map():
    text = source("q3_entities.map") + source("q3_lights.map")[source("q3_lights.map").index("// entity 1"):]
    text = text.replace("base_floor/concrete", "t/glow", 3)
    for i, end in enumerate(("md3", "obj", "ase", "lwo")):
        text += (f'{{\n"classname" "misc_model"\n"model" "models/square.{end}"\n"origin" "{64 + 40 * i} 128 40"\n'
                 '"spawnflags" "6"\n"modelscale" "0.5"\n"_remap" "*;textures/t/glow"\n}\n')
    return text


def put_quake(folder):
    put(folder, "q/baseq3/scripts/shaderlist.txt", "main\nother\n")
    put(folder, "q/baseq3/scripts/main.shader", SHADERS)
    put(folder, "q/baseq3/scripts/other.shader", seed("shader", "sample.shader"))
    put(folder, "q/baseq3/textures/t/a.tga", seed("image", "runs.tga"))
    put(folder, "q/baseq3/textures/t/b.png", seed("image", "two.png"))
    put(folder, "q/baseq3/textures/base_floor/concrete.jpg", seed("image", "small.jpg"))
    for end in ("md3", "obj", "ase", "lwo"):
        put(folder, "q/baseq3/models/square." + end, seed(end, "square." + end))
    put(folder, "q/baseq3/pak0.pk3", archive({"textures/test/floor.tga": seed("image", "raw.tga"),
                                              "scripts/packed.shader": b"models/test/flag\n{\ncull none\n}\n"}))
    put(folder, "map.map", quake_map())


QUAKE = ("-game", "quake3", "-fs_basepath", "q")


def scene_quake(folder, _):
    put_quake(folder)
    for name in glob.glob(os.path.join(TOP, "maps", "q3_*.map")):
        put(folder, "maps/" + os.path.basename(name), read(name))


# --- compiled maps ---
def execute(programs, folder, program, *arguments, status=(0,)):
    command = [os.path.join(programs, program), *arguments, "-threads", "1"]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, timeout=300)
    if done.returncode not in status:
        raise RuntimeError(f"{' '.join(command)}: {done.returncode}\n{done.stderr.decode(errors='replace')}")


def scene_bsp(folder, programs):
    """Lit maps of Source in several forms, with portals."""
    put_game(folder)
    options = GAME + ("--preset", "fast")
    execute(programs, folder, "brushwork", "build", "map.vmf", "-o", "lit.bsp", *options, "-StaticPropLighting")
    for name in ("box", "displacements", "areaportal", "overlays"):
        put(folder, name + ".vmf", source(name + ".vmf"))
        execute(programs, folder, "brushwork", "build", name + ".vmf", "-o", name + ".bsp", *options)
    for path in glob.glob(os.path.join(TOP, "tests/fuzz/seeds/bsp/room*.bsp")):
        put(folder, os.path.basename(path), read(path))
    convert = os.path.join(programs, "brushwork"), "convert", "lit.bsp", "packed.bsp", "--compress"
    subprocess.run(convert, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    put(folder, "add.txt", "materials/added.vmt\ngame/materials/game/wall.vmt\nscripts/x.txt\ngame/detail.vbsp\n")
    put(folder, "entities.txt", '{\n"classname" "worldspawn"\n"skyname" "a"\n}\n{\n"classname" "light"\n}\n')


def scene_ibsp(folder, programs):
    put_quake(folder)
    for path, stem in (("map.map", "lit"), (os.path.join(TOP, "maps/q3_patches.map"), "patches")):
        execute(programs, folder, "brushwork", "build", path, "-o", stem + ".bsp", *QUAKE, "--preset", "fast")
    for path in glob.glob(os.path.join(TOP, "tests/fuzz/seeds/ibsp/*.bsp")):
        put(folder, os.path.basename(path), read(path))
    put(folder, "exclude.txt", "textures/t/*\nmodels/square.md3\n")


def bsp_choices(victim, game):
    """Each verb and stage that reads a BSP."""
    def verb(name, *arguments, **keys):
        return [Run("brushwork", name, *arguments, **keys)]
    new = {"writes": ["new.bsp", *pages_of("new")], "bsp": "new.bsp", "reads": victim}
    return [[Run("vvis", victim, "-fast", "-o", "new.bsp", **new)],
            [Run("vrad", victim, "-fast", *game, "-o", "new.bsp", **new)],
            verb("verify", victim), verb("info", victim), verb("checksum", victim),
            verb("diff", "lit.bsp", victim), verb("diff", victim, "lit.bsp"),
            verb("render", victim, "--size", "64x48", "--samples", "1", "-o", "new.png", *game,
                 writes=["new.png"]),
            verb("view", victim, "-o", "new.html", *game, writes=["new.html"])]


def source_choices(victim):
    new = {"writes": ["new.bsp"], "bsp": "new.bsp", "reads": victim}
    out = {"writes": ["out/*", "out"], "leaves": ["out/*", "out"]}

    def verb(name, *arguments, **keys):
        return [Run("brushwork", name, *arguments, **keys)]
    return bsp_choices(victim, GAME) + [
        [Run("vvis", victim, "-o", "new.bsp", **new)],
        [Run("vrad", victim, "-fast", "-both", "-StaticPropLighting", "-StaticPropPolys", "-textureshadows", *GAME,
             "-o", "new.bsp", **new)],
        verb("convert", victim, "new.bsp", "--to", "csgo", **new),
        verb("convert", victim, "new.bsp", "--to", "css19", **new),
        verb("convert", victim, "new.bsp", "--big-endian", "--compress", **new),
        verb("pack", victim, "--add-list", "add.txt", "-o", "new.bsp", "--replace", **new),
        verb("pack", victim, "--delete-cubemaps", "--store", "-o", "new.bsp", **new),
        verb("unpack", victim, "--list"), verb("unpack", victim, "--to", "out", **out),
        verb("unpack", victim, "--entities"), verb("unpack", victim, "--cubemaps", "--to", "out", **out),
        verb("unpack", victim, "--lump", "faces"), verb("texdata", victim),
        verb("bspzip", "-repack", "-compress", victim, writes=[victim], bsp=victim, reads=victim),
        verb("bspzip", "-extract", victim, "new.zip", writes=["new.zip"]),
        [Run("vbsp", "map.vmf", "-onlyents", *GAME, "-o", victim, writes=[victim], bsp=victim, reads=victim)],
        [Run("vbsp", "map.vmf", "-onlyprops", *GAME, "-o", victim, writes=[victim], bsp=victim, reads=victim)]]


def quake_choices(victim):
    return bsp_choices(victim, QUAKE) + [
        [Run("vrad", victim, "-fast", "-external", "-lightmapsize", "128", "-deluxe", *QUAKE, "-o", "new.bsp",
             writes=["new.bsp", *pages_of("new")], bsp="new.bsp", reads=victim)],
        [Run("brushwork", "pack", victim, "--pk3", "new.pk3", "--exclude", "exclude.txt", *QUAKE,
             writes=["new.pk3"])]]


# --- progress of vvis ---
def scene_progress(folder, programs):
    """A hall with pillars, and the checkpoint of a run that was stopped."""
    for attempt in range(40):
        put(folder, "open.vmf", open_hall())
        execute(programs, folder, "vbsp", "open.vmf", "-o", "open.bsp")
        execute(programs, folder, "vvis", "open.bsp", "--checkpoint-every", "0", "--max-time",
                f"{0.05 * (attempt + 1):.2f}", "-o", "open_whole.bsp", status=(0, 5))
        if os.path.exists(os.path.join(folder, "open_whole.vischeckpoint")):
            shutil.copy(os.path.join(folder, "open_whole.vischeckpoint"), os.path.join(folder, "kept.vischeckpoint"))
            break


def open_hall():
    """A hall of pillars, which vvis takes a second for."""
    return room(4096, 512, pillars(5, 400))


def mend_checkpoint(data):
    """The hash in front covers the numbers before it and all after it."""
    if len(data) < 88:
        return data
    return data[:56] + hashlib.sha256(data[8:56] + data[88:]).digest() + data[88:]


# --- the cache ---
def scene_cache(folder, programs):
    """What a build has kept of each stage, of a map that uses the game: values as they are, not compressed."""
    put_game(folder)
    execute(programs, folder, "brushwork", "build", "map.vmf", *GAME, "-fast", "--cache", "cache", "-o", "new.bsp")
    for name in glob.glob(os.path.join(folder, "new.*")):
        os.remove(name)
    for path, entry in cache_entries.load(os.path.join(folder, "cache")).items():
        plain = cache_entries.seal(path, cache_entries.value_of(entry), cache_entries.version_of(entry))
        with open(os.path.join(folder, "cache", path), "wb") as file:
            file.write(plain)


def scene_light_parts(folder, programs):
    """The same of a build whose light is to be made again."""
    scene_cache(folder, programs)
    shutil.rmtree(os.path.join(folder, "cache/vrad"))


def mend_entry(kind):
    """The seal of an entry of this kind, whatever its header and its value are now: what comes after it is reached."""
    def mend(data):
        name = data[16:48].ljust(32, b"\0").hex()
        return cache_entries.seal(f"{kind}/{name[0]}/{name}", data[cache_entries.HEADER:], 3)
    return mend


def cache_kind(kind, scene=scene_cache, **more):
    """A mutated value under a seal, where a build finds it."""
    outputs = ["new.bsp", "new.prt", "new.srf", "new.lin", "cache", "cache/*"]
    return Kind("cache-" + kind, "binary", scene, f"cache/{kind}/*",
                always([Run("brushwork", "build", "map.vmf", *GAME, "-fast", "--cache", "cache", "-o", "new.bsp", writes=outputs,
                            leaves=["cache/*"], **more)]), mend_entry(kind))


# --- progress of a build ---
LATE = ["out.buildcheckpoint", "out.vradcheckpoint"]
BUILD = ("build", "map.vmf", *GAME, "-both", "-StaticPropLighting", "--checkpoint-every", "0", "-o", "out.bsp")


def scene_build(folder, programs):
    """What a build has kept that was killed while it made light."""
    put_game(folder)

    def attempt(_):
        running = subprocess.Popen([os.path.join(programs, "brushwork"), *BUILD], cwd=folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        wait_until(lambda: kept(folder) == LATE, running)
        end(running, signal.SIGKILL)
        if kept(folder) != LATE:
            raise Over

    in_time(folder, attempt)
    for name in os.listdir(folder):
        if ".brushwork-" in name:
            os.remove(os.path.join(folder, name))


def kept(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith("checkpoint"))


def mend_sealed(data):
    """The hash in front covers the key before it and all after it."""
    if len(data) < 72:
        return data
    return data[:40] + hashlib.sha256(data[8:40] + data[72:]).digest() + data[72:]


# --- BM files ---
def scene_bmx(folder, programs):
    for path in glob.glob(os.path.join(TOP, "tests/fuzz/seeds/bmx/*.bmx")):
        put(folder, os.path.basename(path), read(path))
    for name in ("triangle", "internal_textures"):
        subprocess.run([os.path.join(programs, "brushwork"), "bmx", "unpack", name + ".bmx", "text_" + name],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def bmx_choices(victim):
    out = {"writes": ["out", "out/*"], "leaves": ["out", "out/*"]}
    return [[Run("brushwork", "bmx", "check", victim)], [Run("brushwork", "bmx", "info", victim)],
            [Run("brushwork", "bmx", "diff", victim, "triangle.bmx")],
            [Run("brushwork", "bmx", "unpack", victim, "out", **out),
             Run("brushwork", "bmx", "pack", "out", "new.bmx", writes=["new.bmx"])]]


def text_choices(victim):
    return [[Run("brushwork", "bmx", "pack", os.path.dirname(victim), "new.bmx", writes=["new.bmx"]),
             Run("brushwork", "bmx", "check", "new.bmx")]]


# --- the kinds ---
def always(*choices):
    return lambda _: list(choices)


WHOLE = always(stages("map.vmf"))
COMPILE = always(stages("map.vmf")[:1])
QUAKE_WHOLE = always(stages("map.map", game=QUAKE))


def of_map(victim):
    return [stages(victim), stages(victim), stages(victim, "--target", "csgo", "-nomerge"),
            [Run("vbsp", victim, "--check", "--report", *GAME)],
            stages(victim, "--target", "quake3", game=())[:2]]


def of_quake_map(victim):
    return [stages(victim, game=QUAKE), stages(victim, game=QUAKE), stages(victim, "-patchmeta", "-flares", game=QUAKE),
            [Run("vbsp", victim, "--check", *QUAKE)], stages(victim, "--target", "sdk2013", game=())]


def lighting(game, *options):
    return always([Run("vrad", "lit.bsp", "-fast", *game, *options, "-o", "new.bsp",
                       writes=["new.bsp", *pages_of("new")], bsp="new.bsp")])


MODEL = always(stages("map.vmf", light=("-fast", "-StaticPropLighting", "-StaticPropPolys", "-textureshadows")))

KINDS = [
    Kind("vmf", "text", scene_maps, "maps/*.vmf", of_map),
    Kind("vmm", "text", scene_maps, "maps/manifest*", always(stages("maps/manifest.vmm"))),
    Kind("instance", "text", scene_source, "instances/pillar.vmf", COMPILE),
    Kind("map", "text", scene_quake, "maps/*.map", of_quake_map),
    Kind("vmt", "text", scene_source, "game/materials/game/*.vmt", WHOLE),
    Kind("vtf", "binary", scene_source, "game/materials/game/*.vtf",
         always(stages("map.vmf", light=("-fast", "-textureshadows")))),
    Kind("mdl", "binary", scene_source, "game/models/*.mdl", MODEL),
    Kind("vvd", "binary", scene_source, "game/models/*.vvd", MODEL),
    Kind("vtx", "binary", scene_source, "game/models/*.vtx", MODEL),
    Kind("phy", "binary", scene_source, "game/models/*.phy", MODEL),
    Kind("fgd", "text", scene_source, "game/game.fgd", COMPILE),
    Kind("rad", "text", scene_bsp, "game/lights.rad", lighting(GAME)),
    Kind("detail", "text", scene_source, "game/detail.vbsp", COMPILE),
    Kind("gameinfo", "text", scene_source, "game/gameinfo.txt", COMPILE),
    Kind("surfaceprops", "text", scene_source, "game/scripts/*", COMPILE),
    Kind("materialsub", "text", scene_source, "game/maps/materialsub.txt",
         always(stages("map.vmf", "-replacematerials")[:1])),
    Kind("config", "text", scene_source, "game/cfg/commandline.cfg", always(stages("map.vmf", out="map.bsp"))),
    Kind("catalogue", "text", scene_source, "catalogue.tsv",
         always([Run("vbsp", "map.vmf", "--texdata", "catalogue.tsv", "-o", "out.bsp",
                     writes=["out.bsp", "out.prt", "out.lin"], bsp="out.bsp")])),
    Kind("vpk", "binary", scene_source, "game/pak01_dir.vpk", COMPILE),
    Kind("prt", "text", scene_bsp, "lit.prt",
         always([Run("vvis", "lit.bsp", "-o", "new.bsp", writes=["new.bsp"], bsp="new.bsp")],
                [Run("vvis", "lit.bsp", "-trace", "0", "1", writes=["lit.lin"])])),
    Kind("bsp", "binary", scene_bsp, "*.bsp", source_choices),
    Kind("list", "text", scene_bsp, "add.txt",
         always([Run("brushwork", "pack", "box.bsp", "--add-list", "add.txt", "-o", "new.bsp", writes=["new.bsp"],
                     bsp="new.bsp")])),
    Kind("entities", "text", scene_bsp, "entities.txt",
         always([Run("brushwork", "pack", "box.bsp", "--entities", "entities.txt", "-o", "new.bsp",
                     writes=["new.bsp"], bsp="new.bsp")])),
    Kind("shader", "text", scene_quake, "q/baseq3/scripts/*", QUAKE_WHOLE),
    Kind("md3", "binary", scene_quake, "q/baseq3/models/*.md3", QUAKE_WHOLE),
    Kind("lwo", "binary", scene_quake, "q/baseq3/models/*.lwo", QUAKE_WHOLE),
    Kind("obj", "text", scene_quake, "q/baseq3/models/*.obj", QUAKE_WHOLE),
    Kind("ase", "text", scene_quake, "q/baseq3/models/*.ase", QUAKE_WHOLE),
    Kind("image", "binary", scene_quake, "q/baseq3/textures/*/*", QUAKE_WHOLE),
    Kind("pk3", "zip", scene_quake, "q/baseq3/pak0.pk3", QUAKE_WHOLE),
    Kind("ibsp", "binary", scene_ibsp, "*.bsp", quake_choices),
    Kind("srf", "text", scene_ibsp, "lit.srf", lighting(QUAKE)),
    Kind("q3prt", "text", scene_ibsp, "lit.prt",
         always([Run("vvis", "lit.bsp", "-o", "new.bsp", writes=["new.bsp"], bsp="new.bsp")])),
    Kind("exclude", "text", scene_ibsp, "exclude.txt",
         always([Run("brushwork", "pack", "lit.bsp", "--pk3", "new.pk3", "--exclude", "exclude.txt", *QUAKE,
                     writes=["new.pk3"])])),
    Kind("checkpoint", "binary", scene_progress, "open_whole.vischeckpoint",
         always([Run("vvis", "open.bsp", "--resume", "-o", "open_whole.bsp", "--checkpoint-every", "0",
                     bsp="open_whole.bsp", writes=["open_whole.bsp", "open_whole.vischeckpoint"],
                     leaves=["open_whole.vischeckpoint"])]), mend_checkpoint),
    # Of results that are whole BSPs, what is in a valid one is not looked into.
    cache_kind("vbsp"), cache_kind("vbsp-inputs", bsp="new.bsp"), cache_kind("vvis", bsp="new.bsp"),
    cache_kind("vvis-component", bsp="new.bsp"), cache_kind("vrad"), cache_kind("vrad-inputs", bsp="new.bsp"),
    cache_kind("vrad-direct", scene_light_parts, bsp="new.bsp"), cache_kind("vrad-hits", scene_light_parts, bsp="new.bsp"),
    *(Kind(name, "binary", scene_build, victim,
           always([Run("brushwork", *BUILD, "--resume", bsp="out.bsp", leaves=LATE,
                       writes=[*LATE, "out.bsp", "out.prt", "out.lin"])]), mend_sealed)
      for name, victim in (("stages", LATE[0]), ("light", LATE[1]))),
    Kind("bmx", "zip", scene_bmx, "*.bmx", bmx_choices),
    Kind("bmx_text", "text", scene_bmx, "text_*/*.txt", text_choices),
]
