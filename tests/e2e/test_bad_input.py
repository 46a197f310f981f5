#!/usr/bin/env python3
"""Bad input and bad places to write to: each is told with its code and where, the exit status is
the documented one, nothing half-written stays and an older result is not touched."""
import json
import os
import resource
import subprocess

from box_maps import closed, entity, solid
from e2e import Skip, Suite, check, read, write
from schemas import Schemas

suite = Suite()
suite.schemas = Schemas(suite.options.source)
OLD = b"an older result"


def refuse(name, arguments, code, status=1, program="vbsp", prepare=None, where=None):
    """Adds a case: the program must report the code and leave the folder as it was."""

    def case(s, folder):
        values = prepare(s, folder) if prepare else {}
        before = snapshot(folder)
        done = s.run(program, *[a.format(folder=folder, **values) for a in arguments], "--json",
                     stdin=b"", timeout=600)
        done.expect(status)
        found = done.find(code)
        for key, value in (where or {}).items():
            if callable(value):
                check(value(found.get(key)), f"{key} is {found.get(key)!r} in {found}")
            else:
                check(found.get(key) == value, f"{key} is {found.get(key)!r} in {found}")
        check(snapshot(folder) == before, f"the folder changed: {sorted(snapshot(folder))}")

    suite.add(name, case)


def snapshot(folder):
    """Every file below the folder with its bytes."""
    files = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            files[os.path.relpath(path, folder)] = read(path)
    return files


def source(text):
    """A map of that text beside an older result of it."""

    def prepare(_, folder):
        write(os.path.join(folder, "map.vmf"), text)
        write(os.path.join(folder, "map.bsp"), OLD)
        return {}

    return prepare


def box(s):
    return read(s.map("box.vmf"))


def edited(edit):
    """The box map with a change; the older result is there too."""

    def prepare(s, folder):
        return source(edit(box(s)))(s, folder)

    return prepare


# --- the source ---
refuse("missing_file", ["{folder}/none.vmf"], "C001",
       where={"file": lambda f: f.endswith("none.vmf")})
refuse("missing_file_without_extension", ["{folder}/none"], "C001",
       where={"file": lambda f: f.endswith("none.vmf")})
refuse("directory_as_source", ["{folder}"], "C001")
refuse("empty_source", ["{folder}/map"], "S001", prepare=source(""))
refuse("garbage_source", ["{folder}/map"], "S001", prepare=source(bytes(range(256)) * 40))
refuse("truncated_source", ["{folder}/map"], "C003", prepare=edited(lambda t: t[: len(t) // 2]),
       where={"line": lambda line: line and line > 1, "file": lambda f: f.endswith("map.vmf")})
refuse("no_world", ["{folder}/map"], "S002",
       prepare=source('versioninfo\n{\n"mapversion" "1"\n}\nentity\n{\n"classname" "light"\n}\n'))


def deep(_, folder):
    return source("world\n{\n" + "a\n{\n" * 100000)(_, folder)


refuse("deep_nesting", ["{folder}/map"], "C003", prepare=deep)


@suite.case
def world_without_solids(s, folder):
    path = write(os.path.join(folder, "map.vmf"),
                 'world\n{\n"id" "1"\n"classname" "worldspawn"\n}\n')
    done = s.run("vbsp", "--json", path)
    done.expect(1).find("V003")


@suite.case
def a_world_of_models_or_displacements_leaks(s, folder):
    """As with the reference, it is compiled: nothing seals it."""
    room = closed("dev/dev_measurewall01a")
    world = 'world\n{\n"id" "1"\n"classname" "worldspawn"\n}\n'
    doors = "".join(entity(100 + i, "func_brush", solid(i, (64 * i, 0, 0), (64 * i + 32, 32, 64), "tools/toolsnodraw"),
                           origin="16 16 16") for i in range(4))
    flat = closed("dev/dev_measurewall01a", px=None, nx=None, py=None, ny=None, pz=None)
    grid = '"dispinfo"\n{\n"power" "2"\n"startposition" "[-272 -272 0]"\n"distances"\n{\n' + "".join(
        f'"row{i}" "0 0 {8 * i} 0 0"\n' for i in range(5)) + '}\n}\n'
    at = flat.index('"smoothing_groups"', flat.index('"id" "15"'))
    for name, text in (("doors", world + room[room.index("entity"):] + doors),
                       ("hills", flat[:at] + grid.replace('"dispinfo"', "dispinfo").replace('"distances"', "distances") +
                        flat[at:])):
        path = write(os.path.join(folder, name + ".vmf"), text)
        done = s.run("vbsp", "--json", path).expect(3)
        check("V001" in done.codes() and "V003" not in done.codes(), done)
        info = json.loads(s.run("brushwork", "info", "--json", path[:-3] + "bsp").expect(0).out)
        check(info["world"]["maxs"][0] >= 224, info["world"])
        s.run("brushwork", "verify", path[:-3] + "bsp").expect(0)


@suite.case
def portal2_takes_func_brush_for_the_world(s, folder):
    """Where the world has no brush of its own: a branch of the engine seals the map by them, and drops the entity."""
    room = closed("dev/dev_measurewall01a")
    at, end = room.index("solid"), room.index("}\nentity")
    shell = ('entity\n{\n"id" "900"\n"classname" "func_brush"\n"targetname" "seal"\n"origin" "8 8 128"\n' +
             room[at:end] + "}\n")
    box = entity(901, "func_physbox", solid(40, (0, 0, 0), (32, 32, 32), "dev/dev_measurewall01a"), origin="16 16 16")
    bare = write(os.path.join(folder, "bare.vmf"), room[:at] + room[end:] + shell + box)
    own = write(os.path.join(folder, "own.vmf"), room + shell)
    done = s.run("vbsp", "--json", "--target", "portal2", bare).expect(0)
    check(done.codes().count("V004") == 1 and "V001" not in done.codes(), done)
    info = json.loads(s.run("brushwork", "info", "--json", bare[:-3] + "bsp").expect(0).out)
    check(info["world"]["maxs"][0] == 272, info["world"])
    text = read(bare[:-3] + "bsp")
    check(b"func_brush" not in text and b'"model" "*1"' in text, text[:2000])
    s.run("brushwork", "verify", bare[:-3] + "bsp").expect(0)
    check("V004" not in s.run("vbsp", "--json", "--target", "portal2", own).expect(0).codes(), own)
    check("V001" in s.run("vbsp", "--json", bare).expect(3).codes(), bare)


def compiles_with(name, code, edit, keys):
    """A bad object is told with its number, and the rest compiles."""

    def case(s, folder):
        path = write(os.path.join(folder, "map.vmf"), edit(read(s.map("bad_solids.vmf"))))
        done = s.run("vbsp", "--json", path).expect(0)
        found = done.find(code)
        for key in keys:
            check(found.get(key), f"no {key} in {found}")
        check(os.path.exists(os.path.join(folder, "map.bsp")), "no result")

    suite.add(name, case)


compiles_with("solid_of_three_sides", "S004", lambda t: t, ["line", "solid", "entity"])
compiles_with("plane_through_one_point", "S003", lambda t: t, ["line", "solid", "side"])


def solid_with(coordinate):
    solid = "\n".join(
        'side\n{\n"id" "9%d"\n"plane" "(%s 0 0) (0 %s 0) (0 0 %d)"\n"material" "dev/a"\n'
        '"uaxis" "[1 0 0 0] 0.25"\n"vaxis" "[0 -1 0 0] 0.25"\n"lightmapscale" "16"\n}'
        % (i, coordinate, coordinate, i) for i in range(6))
    return ("\tsolid\n\t{\n\t\"id\" \"900\"\n" + solid + "\n\t}\n}\nentity").encode()


for label, number in (("nan", "nan"), ("huge", "1e30"), ("infinite", "1e999"), ("word", "x")):
    compiles_with(f"{label}_coordinates", "S003",
                  lambda t, n=number: t.replace(b"}\nentity", solid_with(n), 1), ["line", "solid"])


@suite.case
def bad_solids_are_all_told(s, folder):
    path = write(os.path.join(folder, "map.vmf"), read(s.map("bad_solids.vmf")))
    done = s.run("vbsp", "--json", path).expect(0)
    told = {d.get("solid") for d in done.diagnostics if d.get("solid")}
    check(len(told) >= 4, f"only solids {told} are told: {done}")


# --- the leak ---
@suite.case
def leak(s, folder):
    path = write(os.path.join(folder, "map.vmf"), read(s.map("leak.vmf")))
    write(os.path.join(folder, "map.prt"), "PRT1\nstale\n")
    done = s.run("vbsp", "--json", path).expect(3)
    found = done.find("V001")
    check(found.get("point"), f"no point in {found}")
    check(found.get("entity"), f"no entity in {found}")
    names = sorted(os.listdir(folder))
    check(names == ["map.bsp", "map.lin", "map.vmf"], names)
    s.run("brushwork", "verify", "--json", os.path.join(folder, "map.bsp")).expect(0)
    way = [[float(x) for x in line.split()] for line in read(os.path.join(folder, "map.lin")).splitlines()]
    check(len(way) >= 2 and all(len(p) == 3 for p in way), way)
    # Some piece of the way goes through the hole at x = 256..272, y and z = 112..144.
    def through(a, b):
        if (a[0] - 264) * (b[0] - 264) > 0 or a[0] == b[0]:
            return False
        t = (264 - a[0]) / (b[0] - a[0])
        return all(104 <= a[i] + t * (b[i] - a[i]) <= 152 for i in (1, 2))
    check(any(through(a, b) for a, b in zip(way, way[1:])), way)


@suite.case
def build_stops_at_a_leak(s, folder):
    path = write(os.path.join(folder, "map.vmf"), read(s.map("leak.vmf")))
    done = s.run("brushwork", "build", "--json", path).expect(3)
    done.find("V001")
    check(sorted(os.listdir(folder)) == ["map.bsp", "map.lin", "map.vmf", "map_leak.png"], os.listdir(folder))


@suite.case
def sealing_removes_the_old_leak_line(s, folder):
    path = write(os.path.join(folder, "map.vmf"), box(s))
    write(os.path.join(folder, "map.lin"), "0 0 0\n1 1 1\n")
    s.run("vbsp", "--json", path).expect(0)
    check(sorted(os.listdir(folder)) == ["map.bsp", "map.prt", "map.vmf"], os.listdir(folder))


@suite.case
def vvis_tells_of_the_leak(s, folder):
    path = write(os.path.join(folder, "map.vmf"), read(s.map("leak.vmf")))
    s.run("vbsp", path).expect(3)
    found = s.run("vvis", "--json", os.path.join(folder, "map")).expect(1).find("I010")
    check("leak" in found["message"] and found["file"].endswith("map.prt"), found)


# --- places to write to ---
def sound_map(s, folder):
    write(os.path.join(folder, "map.vmf"), box(s))
    write(os.path.join(folder, "plain"), "a file, not a folder")
    return {}


refuse("output_below_a_file", ["{folder}/map", "-o", "{folder}/plain/out.bsp"], "C002",
       prepare=sound_map, where={"file": lambda f: f.endswith("plain/out.bsp")})
refuse("output_is_a_folder", ["{folder}/map", "-o", "{folder}"], "C002", prepare=sound_map)
refuse("output_in_a_read_only_file_system", ["{folder}/map", "-o", "/proc/out.bsp"], "C002",
       prepare=sound_map)
refuse("output_to_a_full_device", ["{folder}/map", "-o", "/dev/full"], "C002", prepare=sound_map)
refuse("output_over_the_map", ["{folder}/map", "-o", "{folder}/map.vmf"], "T001", status=2,
       prepare=sound_map)
refuse("build_output_below_a_file",
       ["build", "{folder}/map", "-o", "{folder}/plain/out.bsp", "--preset", "fast"], "C002",
       program="brushwork", prepare=sound_map)


@suite.case
def folders_of_the_output_are_made(s, folder):
    path = os.path.join(folder, "some", "where", "out.bsp")
    s.run("vbsp", "--json", s.map("box.vmf"), "-o", path).expect(0)
    check(os.path.exists(path), os.listdir(folder))


@suite.case
def output_is_checked_before_the_first_stage(s, folder):
    for command in (["vbsp"], ["brushwork", "build"]):
        done = s.run(*command, "--json", s.map("box.vmf"), "-o", "/proc/out.bsp").expect(1)
        done.find("C002")
        check('"phases"' not in done.err, done)


@suite.case
def folder_without_write_permission(s, folder):
    if os.geteuid() == 0:
        raise Skip("root may write anywhere; see output_in_a_read_only_file_system")
    write(os.path.join(folder, "map.vmf"), box(s))
    os.chmod(folder, 0o555)
    try:
        s.run("vbsp", "--json", os.path.join(folder, "map")).expect(1).find("C002")
    finally:
        os.chmod(folder, 0o755)


def old_result_stays(s, folder, limit):
    write(os.path.join(folder, "map.vmf"), box(s))
    write(os.path.join(folder, "map.bsp"), OLD)
    done = s.run("vbsp", "--json", os.path.join(folder, "map"), preexec=limit)
    done.expect(1).find("C002")
    check(read(os.path.join(folder, "map.bsp")) == OLD, "the older result was touched")
    check(sorted(os.listdir(folder)) == ["map.bsp", "map.vmf"], os.listdir(folder))


@suite.case
def file_size_limit(s, folder):
    s.not_on_windows("no process has such a limit, and wine dies of it")
    old_result_stays(s, folder,
                     lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)))


@suite.case
def full_disk(s, folder):
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder],
                             stderr=subprocess.PIPE, check=False)
    if mounted.returncode:
        raise Skip("a small tmpfs cannot be mounted; see output_to_a_full_device")
    try:
        write(os.path.join(folder, "map.bsp"), OLD)
        done = s.run("vbsp", "--json", s.map("atrium.vmf"), "-o", os.path.join(folder, "map.bsp"))
        done.expect(1).find("C002")
        check(read(os.path.join(folder, "map.bsp")) == OLD, "the older result was touched")
        check(os.listdir(folder) == ["map.bsp"], os.listdir(folder))
    finally:
        subprocess.run(["umount", folder], check=False)


# --- later stages ---
def compiled(s, folder):
    s.run("vbsp", s.map("box.vmf"), "-o", os.path.join(folder, "map.bsp")).expect(0)


def compiled_then(edit):
    def prepare(s, folder):
        compiled(s, folder)
        edit(folder)
        return {}

    return prepare


def cut(name, part):
    def edit(folder):
        path = os.path.join(folder, name)
        data = read(path)
        write(path, data[: int(len(data) * part)])

    return edit


refuse("vvis_without_a_bsp", ["{folder}/map"], "C001", program="vvis",
       where={"file": lambda f: f.endswith("map.bsp")})
refuse("vvis_without_the_named_portals", ["{folder}/map", "--prt", "{folder}/map.prt"], "I010", program="vvis",
       prepare=compiled_then(lambda f: os.remove(os.path.join(f, "map.prt"))),
       where={"file": lambda f: f.endswith("map.prt")})
refuse("vvis_with_cut_portals", ["{folder}/map"], "B501", program="vvis",
       prepare=compiled_then(cut("map.prt", 0.5)))


def error_of_room(program, letter, name, prepare):
    """Adds a case where any error of that group of codes is accepted."""

    def case(s, folder):
        prepare(s, folder)
        before = snapshot(folder)
        done = s.run(program, "--json", os.path.join(folder, "map")).expect(1)
        check(any(c[0] == letter for c in done.codes()), done)
        check(snapshot(folder) == before, "the folder changed")

    suite.add(name, case)


def garbage(name):
    return compiled_then(lambda f: write(os.path.join(f, name), bytes(range(256)) * 16))


for stage in ("vvis", "vrad"):
    error_of_room(stage, "B", f"{stage}_with_a_garbage_bsp", garbage("map.bsp"))
    for share in (0.05, 0.5, 0.95):
        error_of_room(stage, "B", f"{stage}_with_{int(share * 100)}_percent_of_a_bsp",
                      compiled_then(cut("map.bsp", share)))


def portals_of_another_map(s, folder):
    compiled(s, folder)
    s.run("vbsp", s.map("two_rooms.vmf"), "-o", os.path.join(folder, "other.bsp")).expect(0)
    os.replace(os.path.join(folder, "other.prt"), os.path.join(folder, "map.prt"))
    os.remove(os.path.join(folder, "other.bsp"))
    return {}


refuse("vvis_with_named_portals_of_another_map", ["{folder}/map", "--prt", "{folder}/map.prt"], "I001", program="vvis",
       prepare=portals_of_another_map)

# --- the command line ---
refuse("unknown_option", ["-leaktset", "x"], "T001", status=2,
       where={"message": lambda m: "did you mean '-leaktest'?" in m})
refuse("no_map", [], "T001", status=2)
refuse("unknown_target", ["-target", "quake5", "x"], "T001", status=2)
refuse("bad_number", ["-threads", "many", "x"], "T001", status=2)
refuse("vrad_unknown_option", ["-bonuce", "3", "x"], "T001", status=2, program="vrad",
       where={"message": lambda m: "did you mean '-bounce'?" in m})
refuse("bad_catalogue", ["{folder}/map", "--texdata", "{folder}/none.tsv"], "C001",
       prepare=sound_map, where={"file": lambda f: f.endswith("none.tsv")})

suite.main()
