"""Maps that are edited at random and built with a cache: the bytes, the messages and the exit status are
those of a run without one, after every edit, and again when nothing has changed since."""
import json
import os
import random
import re
import shutil
import struct
import subprocess

from judge import TIMEOUT
from programs import read

SEED = 23
ENDINGS = (".bsp", ".prt", ".lin", ".srf")
# Of all programs, so that the three and build take the same ones.
VBSP = (("-bumpall",), ("-luxelscale", "2"), ("-nodetail",), ("-nosubdiv",), ("-notjunc",), ("-micro", "2"))
VVIS = (("-radius_override", "700"), ("--budget", "200"), ("--nosort",))
VRAD = (("-bounce", "0"), ("-bounce", "2"), ("-both",), ("-smooth", "10"), ("-ao", "1"), ("-noextra",),
        ("-dlight", "5"), ("-fastambient",), ("-textureshadows",))
KEY = re.compile(r'^[ \t]*"([^"\n]*)"[ \t]+"([^"\n]*)"[ \t]*$', re.M)


def texture(reflectivity):
    """A VTF of 8 x 8 grey texels."""
    header = struct.pack("<4sIIIHHIHH4x3f4xfIBiBBH15x", b"VTF\0", 7, 2, 80, 8, 8, 0, 1, 0, *reflectivity, 1.0, 12,
                         1, -1, 0, 0, 1)
    return header[:80].ljust(80, b"\0") + bytes([128, 128, 128, 255]) * 64


def material(name, keys):
    return ('LightmappedGeneric\n{\n\t"$basetexture" "%s"\n%s}\n' %
            (name, "".join(f'\t"{key}" "{value}"\n' for key, value in keys.items()))).encode()


def blocks(text):
    """(start, end) of the blocks of the outermost level, with their braces."""
    depth, start, found = 0, 0, []
    for brace in re.finditer(r'"[^"\n]*"|[{}]', text):
        if brace.group() == "{":
            start = brace.start() if depth == 0 else start
            depth += 1
        elif brace.group() == "}":
            depth -= 1
            if depth == 0:
                found.append((start, brace.end()))
    return found


class Map:
    """The text of a VMF or MAP."""

    def __init__(self, text):
        self.text = text

    def entities(self):
        """(start, end, keys of the block itself) of those that have a class."""
        found = []
        for start, end in blocks(self.text):
            own = self.text[start + 1:end]
            inner = own.find("{")
            keys = dict((k.lower(), v) for k, v in KEY.findall(own[:inner] if inner >= 0 else own))
            if "classname" in keys:
                found.append((start, end, keys))
        return found

    def pick(self, chance, wanted):
        fits = [e for e in self.entities() if wanted(e[2])]
        return chance.choice(fits) if fits else None

    def set(self, entity, key, value):
        start, end, keys = entity
        block = self.text[start:end]
        line = f'"{key}" "{value}"'
        if key in keys:
            block = re.sub(r'"%s"[ \t]+"[^"\n]*"' % re.escape(key), lambda _: line, block, count=1, flags=re.I)
        else:
            block = "{\n" + line + block[1:]
        self.text = self.text[:start] + block + self.text[end:]

    def insert(self, entity, text):
        self.text = self.text[:entity[1] - 1] + text + self.text[entity[1] - 1:]

    def move_brush(self, chance, by):
        """Moves all points of one solid."""
        solids = [m for m in re.finditer(r"solid\s*\{(?:[^{}]|\{[^{}]*\})*\}", self.text)]
        if not solids:
            solids = [m for m in re.finditer(r"\{[^{}\"]*\([^{}\"]*\}", self.text)]
        if not solids:
            return
        solid = chance.choice(solids)

        def moved(point):
            numbers = [float(x) + d for x, d in zip(point.group(1).split(), by)]
            return "(" + " ".join(f"{x:g}" for x in numbers) + ")"

        text = re.sub(r"\(\s*((?:-?[\d.e+-]+\s+){2}-?[\d.e+-]+)\s*\)", moved, solid.group())
        self.text = self.text[:solid.start()] + text + self.text[solid.end():]


class Files:
    """The sources: by path, their bytes. What is in the folder follows them."""

    def __init__(self, folder):
        self.folder, self.on_disk, self.now = folder, {}, {}

    def put(self):
        for path in set(self.on_disk) - set(self.now):
            os.remove(os.path.join(self.folder, path))
        for path, data in self.now.items():
            if self.on_disk.get(path) != data:
                full = os.path.join(self.folder, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "wb") as file:
                    file.write(data)
        self.on_disk = dict(self.now)


# ---- edits: of (chance, files, options); each names itself ----


def edit_map(name):
    def decorate(change):
        def edit(chance, files, source):
            level = Map(files.now[source].decode("latin-1"))
            change(chance, level)
            files.now[source] = level.text.encode("latin-1")
        edit.title = name
        return edit
    return decorate


def is_light(keys):
    return keys["classname"].startswith("light")


@edit_map("an output")
def output(chance, level):
    entity = level.pick(chance, lambda k: k["classname"] != "worldspawn")
    if entity and "solid" in level.text:
        level.insert(entity, '\nconnections\n{\n"OnUser%d" "door,Open,,%d,-1"\n}\n' %
                     (chance.randint(1, 4), chance.randint(0, 9)))


@edit_map("a key")
def key(chance, level):
    entity = level.pick(chance, lambda k: True)
    level.set(entity, chance.choice(("health", "message", "targetname", "speed", "target")), f"v{chance.randint(0, 99)}")


@edit_map("an origin")
def origin(chance, level):
    entity = level.pick(chance, lambda k: len(k.get("origin", "").split()) == 3)
    if entity:
        place = [float(x) + chance.choice((-8, 0, 0, 8)) for x in entity[2]["origin"].split()]
        level.set(entity, "origin", " ".join(f"{x:g}" for x in place))


@edit_map("a light")
def light(chance, level):
    entity = level.pick(chance, is_light)
    if entity and "_light" in entity[2]:
        level.set(entity, "_light", " ".join(str(chance.randint(20, 255)) for _ in range(4)))
    elif entity:
        level.set(entity, "light", str(chance.randint(100, 600)))


@edit_map("another entity")
def more(chance, level):
    copy = level.pick(chance, lambda k: len(k.get("origin", "").split()) == 3)
    if copy:
        word = "entity\n" if "solid" in level.text else ""
        level.text += "\n" + word + re.sub(r'"id" "\d+"', f'"id" "{chance.randint(50000, 60000)}"',
                                           level.text[copy[0]:copy[1]]) + "\n"


def beside(chance, level):
    """A place near that of another entity: one outside would be a leak."""
    other = level.pick(chance, lambda k: len(k.get("origin", "").split()) == 3)
    place = [float(x) + chance.choice((-4, 0, 4)) for x in (other[2]["origin"] if other else "0 0 0").split()]
    return " ".join(f"{x:g}" for x in place)


UNSEEN = ("logic_relay", "info_player_start", "math_counter", "logic_auto", "ambient_generic", "point_template",
          "info_target", "env_fade", "info_player_deathmatch", "target_position")


@edit_map("an entity without light")
def unseen(chance, level):
    """A new one before all others or after them, or one that moves."""
    is_vmf = "solid" in level.text
    old = level.pick(chance, lambda k: k["classname"] in UNSEEN and "origin" in k)
    if old and chance.random() < 0.5:
        level.set(old, "origin", beside(chance, level))
        return
    number = f'"id" "{chance.randint(61000, 69000)}"\n' if is_vmf else ""
    text = f'{{\n{number}"classname" "{chance.choice(UNSEEN)}"\n"origin" "{beside(chance, level)}"\n}}\n'
    text = ("entity\n" if is_vmf else "") + text
    first = level.entities()[0]
    at = first[1] if chance.random() < 0.5 else len(level.text)
    level.text = level.text[:at] + "\n" + text + level.text[at:]


@edit_map("an entity less")
def less(chance, level):
    entity = level.pick(chance, lambda k: k["classname"] != "worldspawn" and not k["classname"].startswith("info_player"))
    if entity:
        start = level.text.rfind("entity", 0, entity[0]) if "solid" in level.text else entity[0]
        level.text = level.text[:start] + level.text[entity[1]:]


@edit_map("a door")
def door(chance, level):
    entity = level.pick(chance, lambda k: k["classname"].startswith("func_"))
    if entity:
        level.set(entity, chance.choice(("speed", "angles", "wait", "vrad_brush_cast_shadows", "_minlight")),
                  str(chance.randint(0, 9)))


@edit_map("a brush")
def brush(chance, level):
    level.move_brush(chance, chance.choice(((0, 0, -8), (0, 0, 8), (8, 0, 0), (0, -8, 0), (0.25, 0, 0))))


@edit_map("a side")
def side(chance, level):
    sides = list(re.finditer(r'"material" "([^"]*)"', level.text))
    if sides:
        one, other = chance.choice(sides), chance.choice(sides)
        level.text = level.text[:one.start()] + other.group() + level.text[one.end():]


@edit_map("the version of the map")
def version(chance, level):
    world = level.pick(chance, lambda k: k["classname"] == "worldspawn")
    level.set(world, "mapversion", str(chance.randint(1, 999)))


def instance(chance, files, _):
    if "part.vmf" in files.now:
        level = Map(files.now["part.vmf"].decode("latin-1"))
        chance.choice((light.change, key.change, origin.change))(chance, level)
        files.now["part.vmf"] = level.text.encode("latin-1")


def vmt(chance, files, _):
    names = [n for n in files.now if n.endswith(".vmt")]
    if names:
        name = chance.choice(names)
        if chance.random() < 0.15:
            del files.now[name]
            return
        keys = chance.choice(({}, {"$surfaceprop": "metal"}, {"$surfaceprop": "wood"}, {"$color": "[.5 1 1]"},
                              {"$bumpmap": "dev/bump"}, {"$translucent": "1"}, {"$alphatest": "1"},
                              {"$comment": str(chance.randint(0, 9))}))
        files.now[name] = material(name[len("game/materials/"):-4], keys)


def vtf(chance, files, _):
    names = [n for n in files.now if n.endswith(".vtf")]
    if names:
        files.now[chance.choice(names)] = texture([round(chance.random(), 2) for _ in range(3)])


def lights_rad(chance, files, _):
    names = [n[len("game/materials/"):-4] for n in files.now if n.endswith(".vmt")]
    if names:
        lines = [f"{chance.choice(names)} {chance.randint(0, 255)} 200 100 {chance.randint(100, 900)}\n"
                 for _ in range(chance.randint(0, 2))]
        files.now["game/lights.rad"] = "".join(lines).encode()


def in_vain(chance, files, source):
    """A file that runs look for comes or goes."""
    stem = os.path.splitext(source)[0]
    path, data = chance.choice(((stem + ".rad", b"dev/none 1 2 3 4\n"), ("game/detail.vbsp", b"detail\n{\n}\n"),
                                ("game/materials/dev/extra.vmt", material("dev/extra", {})),
                                ("game/scripts/surfaceproperties_manifest.txt", b"manifest\n{\n}\n"),
                                ("game/materials/dev/bump.vtf", texture((0.5, 0.5, 1))), (stem + ".srf.old", b"")))
    if path in files.now:
        del files.now[path]
    else:
        files.now[path] = data


for edit_, name_ in ((instance, "an instance"), (vmt, "a VMT"), (vtf, "a VTF"), (lights_rad, "lights.rad"),
                     (in_vain, "a file that was not there")):
    edit_.title = name_
for edit_ in (light, key, origin):
    edit_.change = edit_.__closure__[0].cell_contents

EDITS = (output, output, key, origin, light, more, unseen, unseen, less, door, brush, side, version, instance, vmt, vmt, vtf,
         lights_rad, in_vain)


class Builds:
    """The runs of one map, with a cache and without."""

    def __init__(self, options, folder, name, text, more):
        self.options, self.folder, self.source, self.more = options, folder, name, more
        self.files = Files(folder)
        self.files.now[name] = text.encode("latin-1")
        self.chosen = []
        self.is_absolute = False  # the source is named by its whole path
        if name.endswith(".vmf"):
            self.add_game(text)

    def add_game(self, text):
        now = self.files.now
        now["game/gameinfo.txt"] = b'GameInfo\n{\nFileSystem\n{\nSearchPaths\n{\ngame |gameinfo_path|.\n}\n}\n}\n'
        for name in sorted({m.lower() for m in re.findall(r'"material" "([^"]*)"', text)}):
            if not name.startswith("tools/"):
                now[f"game/materials/{name}.vmt"] = material(name, {})
                now[f"game/materials/{name}.vtf"] = texture((0.4, 0.5, 0.6))
        light_text = 'entity\n{\n"id" "7"\n"classname" "light"\n"origin" "0 0 32"\n"_light" "255 255 200 100"\n}\n'
        now["part.vmf"] = ('world\n{\n"id" "1"\n"classname" "worldspawn"\n}\n' + light_text).encode()
        place = 'entity\n{\n"id" "60001"\n"classname" "func_instance"\n"file" "part.vmf"\n"origin" "32 32 64"\n}\n'
        now[self.source] += place.encode()

    def commands(self, in_one):
        def options(*groups):
            return [word for words in self.chosen if any(words in group for group in groups) for word in words]

        source = os.path.join(self.folder, self.source) if self.is_absolute else self.source
        stem = os.path.splitext(source)[0]
        game = ["-game", "game"] if self.source.endswith(".vmf") else []
        common = ["-threads", "2", "--json", *game]
        if in_one:
            return [["brushwork", "build", source, *common, *self.more, *options(VBSP, VVIS, VRAD)]]
        return [["vbsp", source, *common, *options(VBSP)],
                ["vvis", stem + ".bsp", *common, *options(VVIS)],
                ["vrad", stem + ".bsp", *common, *self.more, *options(VRAD)]]

    def run(self, in_one, cache):
        """(statuses, messages, outputs by ending, stages that came from the cache)."""
        env = {k: v for k, v in os.environ.items() if k != "BRUSHWORK_CACHE"}
        if cache:
            env["BRUSHWORK_CACHE"] = os.path.join(self.folder, "cache")
        statuses, messages, used = [], [], 0
        for command in self.commands(in_one):
            done = subprocess.run([os.path.join(self.options.bin, command[0]), *command[1:]], cwd=self.folder, env=env,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=20 * TIMEOUT, check=False)
            statuses.append(done.returncode)
            lines = [json.loads(line) for line in done.stderr.decode().splitlines() if line.startswith("{")]
            messages += [line for line in lines if "code" in line]
            used += done.stdout.decode(errors="replace").count("from the cache")
            if done.returncode:
                break
        stem = os.path.join(self.folder, os.path.splitext(self.source)[0])
        outputs = {end: read(stem + end) for end in ENDINGS if os.path.exists(stem + end)}
        return statuses, messages, outputs, used

    def clear(self):
        stem = os.path.join(self.folder, os.path.splitext(self.source)[0])
        for end in ENDINGS:
            if os.path.exists(stem + end) and stem + end not in self.files.now:
                os.remove(stem + end)

    def edit(self, chance):
        """Makes an edit, or goes back to an earlier state. Returns its name."""
        kind = chance.random()
        if kind < 0.15:
            choice = chance.choice([*VBSP, *VVIS, *VRAD])
            if choice in self.chosen:
                self.chosen.remove(choice)
            else:
                self.chosen = [c for c in self.chosen if c[0] != choice[0]] + [choice]
            return "option " + " ".join(choice)
        edit = chance.choice(EDITS)
        edit(chance, self.files, self.source)
        return edit.title

    def compare(self, in_one):
        """Faults of runs with a cache against one without."""
        self.files.put()
        self.clear()
        self.is_absolute = not self.is_absolute
        cached = self.run(in_one, True)
        self.clear()
        fresh = self.run(in_one, False)
        self.clear()
        again = self.run(in_one, True)
        faults = []
        for what, runs in (("with a cache", cached), ("again", again)):
            for part, name in enumerate(("status", "messages", "bytes")):
                if runs[part] != fresh[part]:
                    detail = (f"{runs[part]} not {fresh[part]}" if part < 2 else
                              [e for e in ENDINGS if runs[2].get(e) != fresh[2].get(e)])
                    faults.append(f"{what}: other {name}: {detail}")
        if not any(fresh[0]) and again[3] != 3:
            faults.append(f"again: {again[3]} stages from the cache")
        return faults, cached[3]


def random_edits(options, path, table, maps=(("atrium.vmf", ("-fast",)), ("q3_lights.map", ())), count=0):
    """In the long form 100 edits of each map."""
    count = count or (100 if options.long else 3)
    for name, more in maps:
        folder = os.path.join(path, os.path.basename(name))
        os.makedirs(folder)
        source = name if os.path.isabs(name) else os.path.join(options.source, "maps", name)
        chance = random.Random(SEED)
        builds = Builds(options, folder, os.path.basename(name), read(source).decode("latin-1"), more)
        states, used = [], 0
        for number in range(count + 1):
            title = builds.edit(chance) if number else "no edit"
            if states and chance.random() < 0.1:
                before, chosen = chance.choice(states)
                builds.files.now, builds.chosen, title = dict(before), list(chosen), "back"
            states.append((dict(builds.files.now), list(builds.chosen)))
            faults, stages = builds.compare(chance.random() < 0.7)
            used += stages
            table.add(name, title.split()[0] if title.startswith("option") else title, number, 0,
                      [f"edit {number}, {title}: {fault}" for fault in faults])
        if options.table:
            print(f"{name}: {count} edits, {used} of {3 * (count + 1)} stages from the cache")
        shutil.rmtree(folder)
