#!/usr/bin/env python3
"""Stages whose results come from the cache: which of them run after an edit, and that the bytes and the
messages are those of a run without a cache."""
import os
import re
import shutil
import subprocess
import sys

from e2e import Suite, check, read, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "torture"))
import caches  # pylint: disable=wrong-import-position

suite = Suite()
STAGES = ("vbsp", "vvis", "vrad")
ENDINGS = (".bsp", ".prt", ".lin", ".srf")
LONG = os.environ.get("BRUSHWORK_LONG", "0") not in ("", "0")
OUTPUT = '\nconnections\n{\n"OnUser1" "door,Open,,0,-1"\n}\n'


class Work:
    """A folder with a map, a game and a cache."""

    def __init__(self, s, folder, name="atrium.vmf"):
        self.s, self.folder, self.name = s, folder, name
        self.builds = caches.Builds(s.options, folder, name, read(s.map(name)).decode("latin-1"), ("-fast",))
        self.files = self.builds.files.now
        self.more, self.fresh = [], {}

    def level(self, change):
        level = caches.Map(self.files[self.name].decode("latin-1"))
        change(level)
        self.files[self.name] = level.text.encode("latin-1")

    def run(self, cache, *command):
        self.builds.files.put()
        env = {k: v for k, v in os.environ.items() if k != "BRUSHWORK_CACHE"}
        cached = ["--cache", os.path.join(self.folder, "cache")] if cache else []
        game = ["-game", "game"] if self.name.endswith(".vmf") else []
        done = subprocess.run([os.path.join(self.s.options.bin, command[0]), *command[1:], *game, *cached, *self.more],
                              cwd=self.folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        out, err = done.stdout.decode(), done.stderr.decode()
        stage, kept = None, set()
        for line in out.splitlines():
            stage = line.split()[0] if line.split() and line.split()[0] in STAGES and line[0] != " " else stage
            if line.startswith("  from the cache"):
                kept.add(stage)
        ran = [name for name in STAGES if re.search(rf"^{name}\b", out, re.M) and name not in kept]
        stem = os.path.join(self.folder, self.name[:-4])
        messages = [line for line in err.splitlines() if re.search(r" [A-Z]\d\d\d: ", line)]
        return done.returncode, {e: read(stem + e) for e in ENDINGS if os.path.exists(stem + e)}, messages, ran

    def build(self, *ran, status=0):
        """Builds with the cache: these stages run. Then without."""
        command = ("brushwork", "build", self.name, "-fast", "--no-leak-picture")
        cached, inputs = self.run(True, *command), (tuple(sorted(self.files.items())), tuple(self.more))
        if inputs not in self.fresh:
            self.fresh[inputs] = self.run(False, *command)
        fresh = self.fresh[inputs]
        check(cached[:3] == fresh[:3], f"{cached[0]} {cached[2]} for {fresh[0]} {fresh[2]}, or other bytes")
        check(cached[0] == status, f"status {cached[0]}")
        check(tuple(cached[3]) == ran, f"{cached[3]} ran, not {ran}")


def a_light(k):
    return k["classname"] == "light"


@suite.case
def compile_time_entities_are_told_from_the_cache_too(s, folder):
    def added(keys):
        def change(level):
            level.text += "entity\n{\n" + '"id" "9001"\n' + keys + "}\n"
        return change

    work = Work(s, folder)
    work.level(added('"classname" "info_target"\n"targetname" "mark"\n"origin" "0 0 64"\n"_removeaftercompile" "0"\n'))
    work.build(*STAGES)
    work.files[work.name] = work.files[work.name].replace(b'"_removeaftercompile" "0"', b'"_removeaftercompile" "1"')
    work.build("vbsp")
    check(b'"mark"' not in read(os.path.join(folder, work.name[:-4] + ".bsp")), "the entity is written")
    work.level(added('"classname" "comp_relay"\n"origin" "0 0 64"\n'))
    work.build("vbsp")
    work.build()
    cached = work.run(True, "brushwork", "build", work.name, "-fast", "--no-leak-picture")
    check(sum("V485" in line for line in cached[2]) == 1 and not cached[3], f"{cached[2:]}")


@suite.case
def after_an_edit_only_what_sees_it_runs(s, folder):
    work = Work(s, folder)
    work.build(*STAGES)
    work.build()
    work.level(lambda m: m.insert(m.pick(caches.random.Random(1), a_light), OUTPUT))
    work.build("vbsp")
    work.level(lambda m: m.set(m.entities()[0], "mapversion", "777"))
    work.build("vbsp")
    work.level(lambda m: m.set(m.pick(caches.random.Random(1), a_light), "_light", "255 20 20 300"))
    work.build("vbsp", "vrad")
    work.level(lambda m: m.set(m.pick(caches.random.Random(1), lambda k: k["classname"] == "info_player_start"), "origin",
                               "8 8 40"))
    work.build("vbsp")
    work.build()


def block(number, classname, **keys):
    lines = {"id": number, "classname": classname, **keys}
    return "entity\n{\n" + "".join(f'"{key}" "{value}"\n' for key, value in lines.items()) + "}\n"


# Classes that the light does not see.
UNSEEN = ("logic_relay", "info_player_start", "math_counter", "logic_auto", "ambient_generic", "point_template",
          "info_target", "env_fade")


@suite.case
def entities_without_effect_on_light(s, folder):
    """They come, move and go, before others and after them: only the compile runs. In the long form all classes."""
    work = Work(s, folder)
    work.build(*STAGES)
    source = work.files[work.name]
    for i, classname in enumerate(UNSEEN if LONG else UNSEEN[:2]):
        number = 70001 + i
        work.files[work.name] = source + block(number, classname, origin="8 8 72").encode()
        work.build("vbsp")
        work.level(lambda m, n=classname: m.set(m.pick(caches.random.Random(1), lambda k: k["classname"] == n), "origin",
                                                "16 24 80"))
        work.build("vbsp")
        # before all others: no number of an entity makes a difference
        at = source.index(b"entity\n")
        work.files[work.name] = source[:at] + block(number, classname, origin="8 8 72").encode() + source[at:]
        work.build("vbsp")
    work.files[work.name] = source
    work.build()


@suite.case
def entities_with_effect_on_light(s, folder):
    """Lights, what they aim at, the keys of the world that are asked for."""
    work = Work(s, folder)
    work.level(lambda m: m.set(m.pick(caches.random.Random(1), lambda k: k["classname"] == "light_spot"), "target", "aim"))
    source = work.files[work.name]
    work.build(*STAGES)
    cases = ((block(70001, "light", origin="8 8 72", _light="255 255 255 80"), ("vrad",), ("vrad",)),
             (block(70001, "logic_relay", origin="8 8 72", targetname="AIM"), ("vrad",), ("vrad",)),
             (block(70001, "info_target", origin="8 8 72", targetname="aims"), (), ()),
             (block(70001, "light_spot", origin="8 8 72", _light="255 255 255 80"), ("vrad",), ("vrad",)),
             (block(70001, "sky_camera", origin="8 8 72", scale="16"), ("vvis", "vrad"), ("vrad",)))
    for text, added, moved in cases if LONG else cases[:3]:
        work.files[work.name] = source + text.encode()
        work.build("vbsp", *added)
        work.files[work.name] = source + text.replace("8 8 72", "16 24 80").encode()
        work.build("vbsp", *moved)
    work.files[work.name] = source
    work.level(lambda m: m.set(m.entities()[0], "_minlight", "0.1"))
    work.build("vbsp", "vrad")


@suite.case
def files_that_a_stage_reads_or_looked_for_in_vain(s, folder):
    work = Work(s, folder)
    work.build(*STAGES)
    work.files["atrium.rad"] = b"dev/dev_measurewall01a 255 0 0 200\n"
    work.build("vrad")
    del work.files["atrium.rad"]
    work.build()
    name = next(n for n in work.files if n.endswith(".vtf"))
    before = work.files[name]
    work.files[name] = caches.texture((0.9, 0.1, 0.1))
    work.build("vbsp", "vrad")
    work.files[name] = before
    work.build()
    work.files["part.vmf"] = work.files["part.vmf"].replace(b"255 255 200 100", b"10 255 200 100")
    work.build("vbsp", "vrad")


@suite.case
def a_material_is_seen_by_what_is_taken_of_it(s, folder):
    """The light is kept by the files; for the compile they are what their records are."""
    work = Work(s, folder)
    work.files[work.name] += b'entity\n{\n"id" "9001"\n"classname" "env_cubemap"\n"origin" "0 0 64"\n}\n'
    work.build(*STAGES)
    name = next(n for n in work.files if n.endswith(".vmt"))
    short = name[len("game/materials/"):-4]
    work.files[name] = caches.material(short, {"$color": "[.5 1 1]"})
    work.build("vrad")
    work.files[name] = caches.material(short, {"$surfaceprop": "metal"})
    work.build("vbsp", "vrad")
    work.files[name] = caches.material(short, {"$basetexture": "dev/absent"}).replace(short.encode(), b"dev/absent", 1)
    work.build("vbsp", "vrad")
    del work.files[name]
    work.build("vbsp", "vrad")
    work.build()


@suite.case
def options_of_a_stage_are_of_that_stage(s, folder):
    work = Work(s, folder)
    work.build(*STAGES)
    for more, ran in ((["-bounce", "2"], ("vrad",)), (["-radius_override", "600"], ("vvis", "vrad")),
                      (["-threads", "1"], ()), (["-v"], ()), (["-luxelscale", "2"], ("vbsp", "vrad"))):
        work.more = more
        work.build(*ran)


@suite.case
def programs_one_by_one(s, folder):
    work = Work(s, folder)

    def all_three(*ran):
        found = []
        for cache in (True, False):
            for ending in ENDINGS:
                if os.path.exists(os.path.join(folder, "atrium" + ending)):
                    os.remove(os.path.join(folder, "atrium" + ending))
            runs = [work.run(cache, "vbsp", "atrium.vmf"), work.run(cache, "vvis", "atrium.bsp"),
                    work.run(cache, "vrad", "atrium.bsp", "-fast")]
            found.append([run[:3] for run in runs])
            if cache:
                check(tuple(name for run in runs for name in run[3]) == ran, f"{[run[3] for run in runs]} not {ran}")
        check(found[0] == found[1], "not as without a cache")

    all_three(*STAGES)
    all_three()
    work.level(lambda m: m.insert(m.pick(caches.random.Random(1), a_light), OUTPUT))
    all_three("vbsp")


def compare_ways(work, stem, shared):
    """Builds in one go and program by program, either way first: `shared` are the stages that the second way takes from
    the first. Bytes and messages are those without a cache."""
    three = [("vbsp", work.name), ("vvis", stem + ".bsp", "-fast"), ("vrad", stem + ".bsp", "-fast")]
    ways = {"three": three, "build": [("brushwork", "build", work.name, "-fast")]}

    def run(way, cache):
        for ending in ENDINGS:
            if os.path.exists(os.path.join(work.folder, stem + ending)):
                os.remove(os.path.join(work.folder, stem + ending))
        runs = [work.run(cache, *command) for command in ways[way]]
        check(not any(done[0] for done in runs), runs)
        return runs[-1][1], [done[2] for done in runs], [name for done in runs for name in done[3]]

    for first, second in (("three", "build"), ("build", "three")):
        shutil.rmtree(os.path.join(work.folder, "cache"), ignore_errors=True)
        check(run(first, True)[2] == list(STAGES), "found in an empty cache")
        cached, fresh = run(second, True), run(second, False)
        check(cached[0] == fresh[0], f"{first}, then {second}: other bytes")
        check(cached[1] == fresh[1], f"{first}, then {second}: {cached[1]} instead of {fresh[1]}")
        left = [name for name in STAGES if name not in shared]
        check(cached[2] == left, f"{first}, then {second}: {cached[2]} ran, not {left}")


@suite.case
def build_and_programs_share(s, folder):
    work = Work(s, folder)
    work.builds.files.put()
    compare_ways(work, "atrium", STAGES)
    name = next(n for n in work.files if n.endswith(".vmt"))
    del work.files[name]  # told by the compile, if it comes first
    compare_ways(work, "atrium", STAGES)


@suite.case
def build_and_programs_share_quake3(s, folder):
    """Messages about shaders are of the first stage that uses them: with one, light is not shared."""
    work = Work(s, folder, "q3_lights.map")
    work.builds.files.put()
    compare_ways(work, "q3_lights", ("vvis",))
    names = set(re.findall(r"\) ([a-z_0-9/]+) ", work.files[work.name].decode()))
    work.files["fs/baseq3/scripts/all.shader"] = "".join(
        f"textures/{name}\n{{\nqer_editorimage textures/grey.tga\n{{\nmap textures/grey.tga\n}}\n}}\n"
        for name in sorted(names)).encode()
    work.files["fs/baseq3/textures/grey.tga"] = bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 8, 0, 24, 0]) + bytes(192)
    work.more = ["-fs_basepath", "fs"]
    compare_ways(work, "q3_lights", ("vvis", "vrad"))
    del work.files["fs/baseq3/textures/grey.tga"]
    compare_ways(work, "q3_lights", ("vvis",))


# ---- names ----

SOLID = ('world\n{\n"id" "1"\n"classname" "worldspawn"\n}\nentity\n{\n"id" "7"\n"classname" "light"\n'
         '"origin" "0 0 32"\n"_light" "255 255 200 %s"\n}\n')


def placed(name, number):
    return f'entity\n{{\n"id" "{number}"\n"classname" "func_instance"\n"file" "{name}"\n"origin" "32 32 64"\n}}\n'


class Checkouts:
    """The same sources in several folders, and one cache."""

    def __init__(self, s, folder):
        self.s, self.folder, self.runs, self.fresh = s, folder, 0, {}

    def put(self, checkout, files):
        self.fresh = {}
        for name, text in files.items():
            path = os.path.join(self.folder, checkout, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write(path, text)

    def compiled(self, cwd, source, *options):
        """Whether vbsp ran. Its bytes and messages are those without a cache."""
        self.runs += 1
        outputs, told = [], []
        key = (cwd, source, options)
        for cache in ([], ["--cache", os.path.join(self.folder, "cache")]):
            if not cache and key in self.fresh:
                outputs[:], told[:] = self.fresh[key]
                continue
            out = os.path.join(self.folder, f"out{self.runs}{len(cache)}.bsp") if not options else options[0]
            done = subprocess.run([os.path.join(self.s.options.bin, "vbsp"), source, "-o", out, "--json", *options[1:],
                                   *cache], cwd=os.path.join(self.folder, cwd), stdin=subprocess.DEVNULL,
                                  capture_output=True, check=False)
            check(done.returncode == 0, done.stderr)
            at = os.path.join(self.folder, cwd, out)
            outputs.append([read(at), read(at[:-4] + ".prt")])
            told.append([line for line in done.stderr.decode().splitlines() if '"code"' in line])
            if not cache:
                self.fresh[key] = outputs[:], told[:]
        check(told[0] == told[1], f"{told[1]} instead of {told[0]}")
        check(outputs[0] == outputs[1], "other bytes")
        return b"from the cache" not in done.stdout


def source_with(s, *instances):
    return read(s.map("atrium.vmf")).decode("latin-1") + "".join(placed(n, 60001 + i) for i, n in enumerate(instances))


@suite.case
def a_compile_does_not_depend_on_folders_and_outputs(s, folder):
    work = Checkouts(s, folder)
    files = {"maps/in/a.vmf": source_with(s, "near", "../part"), "maps/in/near.vmf": SOLID % 100,
             "maps/part.vmf": SOLID % 300, "maps/plain.vmf": source_with(s)}
    for checkout in ("one", "two/deep", "three"):
        work.put(checkout, files)
    for name in ("maps/in/a.vmf", "maps/plain.vmf"):
        check(work.compiled("one", name), "found in an empty cache")
        for cwd, source in (("one", name), ("two/deep", name[:-4]), ("three", os.path.join(folder, "three", name)),
                            (".", "two/deep/" + name)):
            check(not work.compiled(cwd, source), f"{source} is compiled again in {cwd}")
        check(not work.compiled("one", name, "other.bsp"), "compiled again for another output")
    check(not work.compiled("one/maps", "plain"), "compiled again in its folder")
    work.compiled("one/maps/in", "a.vmf")  # reports a file outside
    work.put("three", {"maps/in/near.vmf": SOLID % 150})
    check(work.compiled("three", "maps/in/a.vmf"), "another instance is not seen")
    work.put("two/deep", {"maps/part.vmf": SOLID % 150})
    check(work.compiled("two/deep", "maps/in/a.vmf"), "another instance above is not seen")
    work.put("one", {"maps/other.vmf": files["maps/plain.vmf"]})
    check(work.compiled("one", "maps/other.vmf"), "the name of a map is in those of its materials")


@suite.case
def instances_are_those_of_the_folder(s, folder):
    """Of a folder maps above the source, of the game's, and none."""
    work = Checkouts(s, folder)
    gameinfo = 'GameInfo\n{\n%sFileSystem\n{\nSearchPaths\n{\ngame |gameinfo_path|.\n}\n}\n}\n'
    game = {"gameinfo.txt": gameinfo % 'InstancePath "../shared"\n', "maps/of_game.vmf": SOLID % 200}
    source = source_with(s, "part", "of_game", "of_path")
    for checkout, part in (("one", 100), ("two", 200)):
        work.put(checkout, {f"game/{name}": text for name, text in game.items()})
        work.put(checkout, {"maps/a/a.vmf": source, "other/a/a.vmf": source, "maps/part.vmf": SOLID % part,
                            "other/part.vmf": SOLID % 250, "shared/of_path.vmf": SOLID % part,
                            "game/source/a.vmf": source})
    for _ in range(2):
        for checkout in ("one", "two"):
            for game in ([], ["-game", "game"], ["-game", os.path.join(folder, "one/game")]):
                more = ["--missing-instances", "warn", *game]
                for place in ("maps/a", "other/a", "game/source"):
                    for cwd, name in ((checkout, place + "/a.vmf"), (checkout, os.path.join(folder, checkout, place, "a.vmf"))):
                        again = work.compiled(cwd, name, "out.bsp", *more)
    check(not again, "compiled again")


@suite.case
def dependencies_are_those_of_a_run_without_a_cache(s, folder):
    work = Work(s, folder)
    found = []
    for cache in (False, True, True):
        work.more = ["--depfile", "map.d"]
        work.run(cache, "brushwork", "build", work.name, "-fast")
        found.append(read(os.path.join(folder, "map.d")))
    check(b"part.vmf" in found[0] and b"game/materials" in found[0], found[0])
    check(found[0] == found[1], "other dependencies with a cache")
    check(found[0] == found[2], "other dependencies from the cache")


@suite.case
def targets_whose_files_look_alike_keep_their_results(s, folder):
    for name, target in (("box.vmf", "tf2"), ("box.vmf", "gmod"), ("q3_box.map", "openarena")):
        for again in (False, True):
            done = s.run("vbsp", "--cache", os.path.join(folder, target), "--target", target, s.map(name), "-o",
                         os.path.join(folder, "a.bsp")).expect(0)
            check((b"from the cache" in done.out) == again and "C359" not in done.err, done)


@suite.case
def a_leak_is_found_again(s, folder):
    work = Work(s, folder, "leak.vmf")
    work.build("vbsp", status=3)
    work.build("vbsp", status=3)


@suite.case
def quake3(s, folder):
    work = Work(s, folder, "q3_lights.map")
    work.build(*STAGES)
    work.build()
    work.level(lambda m: m.set(m.pick(caches.random.Random(1), lambda k: k["classname"] == "info_player_deathmatch"),
                               "gametype", "ffa"))
    work.build("vbsp")
    work.level(lambda m: m.set(m.pick(caches.random.Random(1), a_light), "light", "321"))
    work.build("vbsp", "vrad")
    work.build()


@suite.case
def random_edits(s, folder):
    class Table:
        faults = []

        def add(self, *row):
            self.faults += row[-1]

    s.options.long = s.options.table = False
    table = Table()
    caches.random_edits(s.options, folder, table, (("two_rooms.vmf", ("-fast",)), ("q3_lights.map", ())), 5)
    check(not table.faults, "\n".join(table.faults[:5]))


# Games that have files in common: which of them a BSP is made for does not show in it.
SISTERS = ("quake3", "openarena", "xonotic", "unvanquished", "tremulous", "elite", "wolf", "et", "quakelive", "ja", "warsow")


@suite.case
def light_of_every_sister_is_kept(s, folder):
    for target in SISTERS if LONG else ("quake3", "tremulous", "wolf", "quakelive", "warsow"):
        os.makedirs(os.path.join(folder, target))
        work = Work(s, os.path.join(folder, target), "q3_box.map")
        work.more = ["--target", target]
        work.build(*STAGES)
        work.build()


@suite.case
def light_of_a_described_game_is_kept(s, folder):
    work = Work(s, folder, "q3_box.map")
    work.more = ["--engine", "game.json"]
    for text in ('{"target": "quake3", "file": "IBSP 46"}', '{"target": "tremulous"}',
                 '{"target": "quakelive"}', '{"target": "quake3", "lightmaps": 256}', '{"target": "warsow"}',
                 '{"target": "quake3", "surfaceparms": {"own": {"surface": "0x40"}}}'):
        work.files["game.json"] = text.encode()
        ran = work.run(True, "brushwork", "build", work.name, "-fast", "--no-leak-picture")[3]
        check("vbsp" in ran and "vrad" in ran, f"{text}: {ran} ran")
        work.build()


suite.main()
