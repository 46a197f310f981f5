"""What is tortured: each program and verb with a command on small files. A command runs in a folder of
its own; what it reads and never writes is in one folder for all."""
import os
import re
import shutil
import subprocess
import zipfile

SEEDS = os.path.join("tests", "fuzz", "seeds")
GAMEINFO = """"GameInfo"
{
	FileSystem
	{
		SearchPaths
		{
			Game |gameinfo_path|custom/*
			Game |gameinfo_path|extra.vpk
			Game |gameinfo_path|.
		}
	}
}
"""
TARGA = bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 24, 0]) + bytes(range(100, 112))
SHADERS = """torture/light
{
	q3map_surfacelight 400
	{
		map textures/torture/wall.tga
	}
}
"""


class Program:
    """A command: `argv` begins with the program, {name} in it stands for the inputs. `files` are
    those that its folder starts with; old outputs are among them. Printed text is compared if it is a
    result (`prints`)."""

    def __init__(self, name, argv, files, prints=False, status=0, leaves=(), kill=True):
        self.name = name
        self.argv = argv
        self.files = files
        self.prints = prints
        self.status = status
        self.leaves = leaves  # patterns of files that may stay after a run that fails
        self.kill = kill


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return path


def tree(folder):
    """The files below a folder, by relative path; folders end in a slash."""
    found = {}
    for base, folders, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            found[os.path.relpath(path, folder)] = read(path)
        for name in folders:
            found[os.path.relpath(os.path.join(base, name), folder) + "/"] = None
    return found


class Inputs:
    """Makes the inputs with the programs themselves."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.source = os.path.join(folder, "source")
        self.made = os.path.join(folder, "made")
        os.makedirs(self.made)
        self.make_games()
        self.make_maps()

    def seed(self, *parts):
        return read(os.path.join(self.options.source, SEEDS, *parts))

    def input(self, name, data):
        return write(os.path.join(self.source, name), data)

    def run(self, *argv):
        command = [os.path.join(self.options.bin, argv[0]), *argv[1:]]
        done = subprocess.run(command, capture_output=True, cwd=self.made, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.returncode}\n{done.stderr.decode()}")

    def make_games(self):
        self.input("game/gameinfo.txt", GAMEINFO)
        self.input("game.fgd", "@PointClass = light : \"\" [ input TurnOn(void) ]\n")
        self.input("game/lights.rad", "torture/light 200 150 100 300\n")
        for name in ("wall", "light"):
            self.input(f"game/materials/torture/{name}.vmt",
                       f'"LightmappedGeneric"\n{{\n"$basetexture" "torture/{name}"\n}}\n')
            self.input(f"game/materials/torture/{name}.vtf", self.seed("vtf", "dxt1_mips.vtf"))
        self.input("game/custom/more/materials/torture/more.vmt", "UnlitGeneric { }")
        self.input("game/extra_dir.vpk", self.seed("vpk", "v1_dir.vpk"))
        self.input("game/pak01_dir.vpk", self.seed("vpk", "v2_dir.vpk"))
        self.input("q3/baseq3/scripts/shaderlist.txt", "torture\n")
        self.input("q3/baseq3/scripts/torture.shader", SHADERS)
        with zipfile.ZipFile(os.path.join(self.source, "q3", "baseq3", "pak1.pk3"), "w") as pack:
            pack.writestr("textures/torture/wall.tga", TARGA)

    def make_maps(self):
        maps = os.path.join(self.options.source, "maps")
        vmf = read(os.path.join(maps, "two_rooms.vmf"))
        vmf = vmf.replace(b"DEV/DEV_MEASUREWALL01A", b"TORTURE/WALL")
        vmf = vmf.replace(b"DEV/DEV_MEASUREGENERIC01B", b"TORTURE/LIGHT")
        self.input("map.vmf", vmf)
        shutil.copytree(os.path.join(maps, "instances"), os.path.join(self.source, "instances"))
        self.input("instances.vmf", read(os.path.join(maps, "instances.vmf")))
        self.input("leak.vmf", read(os.path.join(maps, "leak.vmf")))
        q3 = read(os.path.join(maps, "q3_lights.map"))
        q3 = q3.replace(b"base_wall/basewall01", b"torture/wall")
        self.input("map.map", q3.replace(b"base_floor/concrete", b"torture/light"))
        self.input("added.txt", "a file to pack\n" * 9)
        self.input("wall.tga", TARGA)
        self.run("brushwork", "vtf", os.path.join(self.source, "wall.tga"), "-o", "wall.vtf")
        self.input("triangle.bmx", self.seed("bmx", "triangle.bmx"))
        game = os.path.join(self.source, "game")
        q3game = os.path.join(self.source, "q3", "baseq3")
        self.run("vbsp", os.path.join(self.source, "map.vmf"), "-o", "source.bsp", "-game", game)
        self.run("vbsp", os.path.join(self.source, "map.map"), "-o", "quake3.bsp", "-game", q3game)
        for name, of in (("source", game), ("quake3", q3game)):
            shutil.copy(f"{self.made}/{name}.bsp", f"{self.made}/{name}_seen.bsp")
            shutil.copy(f"{self.made}/{name}.prt", f"{self.made}/{name}_seen.prt")
            self.run("vvis", f"{name}_seen")
            shutil.copy(f"{self.made}/{name}_seen.bsp", f"{self.made}/{name}_lit.bsp")
            if name == "quake3":
                for to in ("seen", "lit"):
                    shutil.copy(f"{self.made}/quake3.srf", f"{self.made}/quake3_{to}.srf")
            self.run("vrad", f"{name}_lit", "-game", of)
        self.run("brushwork", "pack", "source_lit.bsp", "--add",
                 os.path.join(self.source, "added.txt"), "old/added.txt")
        self.run("brushwork", "bmx", "unpack", os.path.join(self.source, "triangle.bmx"), "dump")

    def made_file(self, name):
        return read(os.path.join(self.made, name))

    def map_files(self, which):
        """A compiled map under the name map.bsp, with what stands beside it."""
        stem = which.split("_")[0]
        found = {"map.bsp": self.made_file(which + ".bsp"), "map.prt": self.made_file(stem + ".prt")}
        if stem == "quake3":
            found["map.srf"] = self.made_file("quake3.srf")
        return found


def old(*names):
    """Outputs of an earlier run, which are no maps."""
    return {name: b"the old " + name.encode() for name in names}


def all_programs(inputs):
    """In all, -threads 1: then the calls of a run are the same each time."""
    one = ("-threads", "1")
    game = ("-game", "{source}/game", *one)
    q3 = ("-game", "{source}/q3/baseq3", *one)
    files = inputs.map_files
    dump = {"dump/" + name: data for name, data in tree(os.path.join(inputs.made, "dump")).items()
            if data is not None}
    add = ("--add", "{source}/added.txt", "new/added.txt", "--replace")
    level = ("*.vischeckpoint",)
    return [
        Program("vbsp, VMF", ("vbsp", "{source}/map.vmf", "-o", "map.bsp", *game),
                old("map.bsp", "map.prt", "map.lin")),
        Program("vbsp, MAP", ("vbsp", "{source}/map.map", "-o", "map.bsp", *q3),
                old("map.bsp", "map.prt", "map.srf")),
        Program("vbsp, instances", ("vbsp", "{source}/instances.vmf", "-o", "map.bsp", "-embed",
                                    "{source}/game", *one), old("map.bsp", "map.prt")),
        Program("vbsp, a leak", ("vbsp", "{source}/leak.vmf", "-o", "map.bsp", *one),
                old("map.bsp", "map.prt"), status=3),
        Program("vbsp -onlyents", ("vbsp", "{source}/map.vmf", "-o", "map.bsp", "-onlyents", *game),
                files("source_lit")),
        Program("vbsp --sandbox",
                ("vbsp", "{source}/map.vmf", "-o", "map.bsp", "--sandbox", *game), old("map.bsp")),
        Program("vvis, Source", ("vvis", "map", *one), files("source"), leaves=level),
        Program("vvis, Quake 3", ("vvis", "map", *one), files("quake3"), leaves=level),
        Program("vvis --cache", ("vvis", "map", "--cache", "cache", "--checkpoint-every", "0", *one),
                files("source"), leaves=(*level, "cache/*")),
        Program("vrad, Source", ("vrad", "map", "-fast", *game), files("source_seen")),
        Program("vrad, Quake 3", ("vrad", "map", "-fast", *q3), files("quake3_seen")),
        Program("build, VMF", ("brushwork", "build", "{source}/map.vmf", "-o", "map.bsp", "--preset",
                               "fast", *game), old("map.bsp", "map.prt")),
        Program("build, provenance", ("brushwork", "build", "{source}/map.vmf", "-o", "map.bsp", "--preset", "fast",
                                      "--provenance", "map.json", *game), old("map.bsp", "map.prt", "map.json")),
        Program("build, signed cache", ("brushwork", "build", "{source}/map.vmf", "-o", "map.bsp", "--preset", "fast", "--cache",
                                        "cache", "--cache-key", "{source}/map.vmf", *game), old("map.bsp", "map.prt"),
                leaves=("cache/*",)),
        Program("vbsp, dependencies", ("vbsp", "{source}/map.vmf", "-o", "map.bsp", "-MD", *game),
                old("map.bsp", "map.prt", "map.d")),
        Program("build, MAP", ("brushwork", "build", "{source}/map.map", "-o", "map.bsp", "--preset",
                               "fast", *q3), old("map.bsp", "map.prt", "map.srf")),
        Program("build, two maps", ("brushwork", "build", "{source}/map.vmf", "{source}/instances.vmf", "-o", ".",
                                    "--preset", "fast", "-j", "2", "-MD", *game),
                old("map.bsp", "map.prt", "map.d", "instances.bsp", "instances.d")),
        Program("lint", ("brushwork", "lint", "{source}/map.vmf", "-fgd", "{source}/game.fgd", *game),
                {}),
        Program("info", ("brushwork", "info", "map.bsp"), files("source_lit"), prints=True),
        Program("info --json", ("brushwork", "info", "map.bsp", "--json"), files("source_lit"),
                prints=True),
        Program("verify", ("brushwork", "verify", "map.bsp"), files("source_lit"), prints=True),
        Program("verify --json", ("brushwork", "verify", "map.bsp", "--json"), files("source_lit"),
                prints=True),
        Program("diff", ("brushwork", "diff", "map.bsp", "{made}/source.bsp"), files("source_lit"),
                prints=True, status=1),
        Program("diff of equal maps", ("brushwork", "diff", "map.bsp", "{made}/source_lit.bsp"),
                files("source_lit"), prints=True),
        Program("checksum", ("brushwork", "checksum", "map.bsp"), files("source_lit"), prints=True),
        Program("checksum --aas", ("brushwork", "checksum", "map.bsp", "--aas", "map.aas"),
                {**files("quake3_lit"), "map.aas": b"EAAS\5" + bytes(130)}, prints=True),
        Program("texdata", ("brushwork", "texdata", "map.bsp", "--out", "map.tsv"),
                {**files("source_lit"), **old("map.tsv")}),
        Program("convert", ("brushwork", "convert", "map.bsp", "out.bsp", "--to", "portal2"),
                {**files("source_lit"), **old("out.bsp")}),
        Program("convert in place", ("brushwork", "convert", "map.bsp", "map.bsp", "--compress"),
                files("source_lit")),
        Program("convert to a map", ("brushwork", "convert", "map.bsp", "out.map"),
                {**files("quake3_lit"), **old("out.map")}),
        Program("convert to a model", ("brushwork", "convert", "map.bsp", "out.obj"),
                {**files("quake3_lit"), **old("out.obj"), **old("out.mtl")}),
        Program("pack", ("brushwork", "pack", "map.bsp", *add), files("source_lit")),
        Program("pack --sandbox", ("brushwork", "pack", "map.bsp", *add, "--sandbox"),
                files("source_lit")),
        Program("pack --pk3", ("brushwork", "pack", "map.bsp", "--pk3", "map.pk3", "-game",
                               "{source}/q3/baseq3"), {**files("quake3_lit"), **old("map.pk3")}),
        Program("bspzip -repack", ("brushwork", "bspzip", "-repack", "-compress", "map.bsp"),
                files("source_lit")),
        Program("unpack", ("brushwork", "unpack", "map.bsp", "--to", "out", "--force"),
                files("source_lit"), leaves=("out/",)),
        Program("unpack --list", ("brushwork", "unpack", "map.bsp", "--list"), files("source_lit"),
                prints=True),
        Program("unpack --entities", ("brushwork", "unpack", "map.bsp", "--entities", "--to",
                                      "map.txt", "--force"),
                {**files("source_lit"), **old("map.txt")}),
        Program("unpack --lumps", ("brushwork", "unpack", "map.bsp", "--lumps", "--to", "out",
                                   "--force"), files("quake3_lit"), leaves=("out/",)),
        Program("render", ("brushwork", "render", "map.bsp", "--out", "map.png", "--size", "32x24",
                           *one), {**files("source_lit"), **old("map.png")}),
        Program("render --leak", ("brushwork", "render", "--leak", "{source}/leak.vmf", "--out", "map.png",
                                  "--size", "32x24", "--samples", "1", *one),
                old("map.png"), status=3),
        Program("render --overview", ("brushwork", "render", "--overview", "map.bsp", "--size", "16",
                                      "--debug", "pvs", *one),
                {**files("source_lit"), **old("map_overview.png", "map_overview.txt")}),
        Program("render --compare", ("brushwork", "render", "--compare", "map.bsp", "map.bsp", "--size",
                                     "32x24", *one),
                {**files("source_lit"), **old("map_compare.png")}),
        Program("render --minimap", ("brushwork", "render", "--minimap", "map.bsp", "--size", "16",
                                     *one), {**files("quake3_lit"), **old("map_mini.tga")}),
        Program("cubemaps", ("brushwork", "cubemaps", "map.bsp", "--size", "4", "--samples", "1", *one),
                files("source_lit")),
        Program("release", ("brushwork", "release", "{source}/map.vmf", "-o", "out", "--preset", "fast", *game),
                {}, leaves=("out.brushwork-*",)),
        Program("vtf", ("brushwork", "vtf", "{source}/wall.tga", "-o", "wall.vtf", *one), old("wall.vtf")),
        Program("vtf to an image", ("brushwork", "vtf", "{made}/wall.vtf", "-o", "wall.png", *one),
                old("wall.png")),
        Program("view", ("brushwork", "view", "map.bsp", "--out", "map.html", *one),
                {**files("source_lit"), **old("map.html")}),
        Program("report", ("brushwork", "report", "map.bsp", "--out", "map.html", "--width", "32",
                           "--against", "map.bsp", *one),
                {**files("source_lit"), **old("map.html")}),
        Program("export", ("brushwork", "export", "map.bsp", "--out", "map.gltf", *one),
                {**files("source_lit"), **old("map.gltf")}, leaves=("map.bin", "map_textures/")),
        Program("bmx info", ("brushwork", "bmx", "info", "{source}/triangle.bmx"), {}, prints=True),
        Program("bmx check", ("brushwork", "bmx", "check", "{source}/triangle.bmx"), {}, prints=True),
        Program("bmx unpack", ("brushwork", "bmx", "unpack", "{source}/triangle.bmx", "out",
                               "--force"),
                {}, leaves=("out/", "out/*/")),
        Program("bmx pack", ("brushwork", "bmx", "pack", "--force", "dump", "out.bmx"),
                {**dump, **old("out.bmx")}),
    ]


def name_pattern(names):
    """A regular expression of file patterns, in which * is any part of a path."""
    return re.compile("|".join(re.escape(name).replace(r"\*", ".*") for name in names) or "(?!)")
