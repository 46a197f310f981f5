#!/usr/bin/env python3
"""--sandbox: maps and content that lead out of the folders of the command line. For each way out the
secret is in no output, nothing outside changes, the program ends, and strace, where it is installed,
sees no file opened outside. Ways that are open without the sandbox are shown to be."""
import functools
import os
import re
import shutil
import subprocess

from e2e import Done, Skip, Suite, check, read, write
from feedback_listener import Listener

suite = Suite()
SECRET = "the text that nobody may see"
GAMEINFO = '"GameInfo" { "FileSystem" { "SearchPaths" { "Game" "|gameinfo_path|." } } }\n'
# What the dynamic linker, the C library, OpenMP and Embree open on their own.
SYSTEM = ("/lib", "/usr/lib", "/lib64", "/usr/local/lib", "/etc/ld.so", "/proc", "/sys", "/dev/null",
          "/dev/shm", "/dev/pts", "/dev/tty", "pipe:", "/usr/share/locale", "/usr/share/zoneinfo",
          "/etc/localtime")
OPENED = re.compile(r"\b(?:open|openat|openat2|creat)\(.*\) = \d+<([^>]*)>")


def with_entity(s, text):
    return read(s.map("box.vmf")) + text.encode()


def with_world_key(s, key, value):
    return read(s.map("box.vmf")).replace(b'"classname" "worldspawn"',
                                          f'"classname" "worldspawn"\n"{key}" "{value}"'.encode(), 1)


def instance(path):
    return ('entity\n{\n"id" "900"\n"classname" "func_instance"\n"angles" "0 0 0"\n'
            f'"origin" "64 64 64"\n"file" "{path}"\n}}\n')


def secret_map(s):
    return with_entity(s, 'entity\n{\n"id" "7"\n"classname" "info_target"\n"origin" "64 64 64"\n'
                          f'"message" "{SECRET}"\n}}\n')


def files_below(folder):
    found = {}
    for base, folders, names in os.walk(folder):
        for name in names + folders:
            path = os.path.join(base, name)
            ordinary = os.path.isfile(path) and not os.path.islink(path)
            found[os.path.relpath(path, folder)] = read(path) if ordinary else None
    return found


def prepare(s, folder):
    """in/ is what the command line names; outside/ lies beside it."""
    for name in ("in/maps", "in/game/materials", "outside/materials"):
        os.makedirs(os.path.join(folder, name))
    write(os.path.join(folder, "in/game/gameinfo.txt"), GAMEINFO)
    write(os.path.join(folder, "outside/secret.vmf"), secret_map(s))
    write(os.path.join(folder, "outside/secret.txt"), SECRET)
    write(os.path.join(folder, "outside/materials/secret.vmt"), SECRET)
    shutil.copy(s.map("box.vmf"), os.path.join(folder, "in/maps/map.vmf"))


@functools.cache
def tracer():
    """strace, or None where there is none or it may not look into processes."""
    strace = shutil.which("strace")
    works = strace and subprocess.run([strace, "-o", "/dev/null", "true"], check=False,
                                      stderr=subprocess.DEVNULL).returncode == 0
    return strace if works else None


def traced(s, folder, program, *arguments):
    """Runs the program and returns its result and the paths that it opened, or None without strace."""
    command = [os.path.join(s.options.bin, program), *arguments]
    trace = os.path.join(folder, "trace")
    strace = tracer()
    if strace:
        command = [strace, "-f", "-y", "-qq", "-o", trace, "-e", "trace=open,openat,openat2,creat",
                   *command]
    done = subprocess.run(command, cwd=os.path.join(folder, "in/maps"), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, check=False)
    if not strace:
        return Done(command, done), None
    opened = set(OPENED.findall(read(trace).decode(errors="replace")))
    os.remove(trace)
    return Done(command, done), opened


def way_out(name, command, setup, leaks=False, status=None):
    """Adds a case. `leaks`: without the sandbox the secret reaches an output."""

    def case(s, folder):
        prepare(s, folder)
        setup(s, folder)
        outside = files_below(os.path.join(folder, "outside"))
        if leaks:
            copy = folder + "-open"
            try:
                shutil.copytree(folder, copy, symlinks=True)
                traced(s, copy, *command)
                check(holds_secret(os.path.join(copy, "in")), "not a way out: nothing leaked")
            finally:
                shutil.rmtree(copy, ignore_errors=True)
        done, opened = traced(s, folder, *command, "--sandbox", "--json")
        if status is not None:
            done.expect(status)
        check(not holds_secret(os.path.join(folder, "in")), f"the secret leaked: {done}")
        check(SECRET not in done.err and SECRET.encode() not in done.out, f"it was told: {done}")
        check(files_below(os.path.join(folder, "outside")) == outside, f"outside changed: {done}")
        inside = os.path.realpath(os.path.join(folder, "in"))
        strange = [p for p in opened or () if not (p == inside or p.startswith(inside + "/"))
                   and not p.startswith(SYSTEM)]
        check(not strange, f"opened outside: {strange}")
        if opened is None:
            print("no strace: what was opened is not checked")

    suite.add(name, case)


def holds_secret(folder):
    """Returns true if a file that is not a link holds the secret."""
    return any(data and SECRET.encode() in data for data in files_below(folder).values())


def map_is(make):
    return lambda s, folder: write(os.path.join(folder, "in/maps/map.vmf"), make(s, folder))


def link(target, name):
    def make(_, folder):
        os.makedirs(os.path.dirname(os.path.join(folder, "in", name)), exist_ok=True)
        os.symlink(target, os.path.join(folder, "in", name))
    return make


def compiled_then(setup):
    """The map is compiled, and lit where `setup` needs it, before the way out is laid."""
    def make(s, folder):
        s.run("vbsp", "map", cwd=os.path.join(folder, "in/maps")).expect(0)
        setup(s, folder)
    return make


VBSP = ["vbsp", "map", "-game", "../game"]

way_out("instance_by_dots", ["vbsp", "map"],
        map_is(lambda s, f: with_entity(s, instance("../../outside/secret.vmf"))), leaks=True, status=1)
way_out("instance_by_a_link", ["vbsp", "map"],
        lambda s, f: (map_is(lambda s, f: with_entity(s, instance("part.vmf")))(s, f),
                      link("../../outside/secret.vmf", "maps/part.vmf")(s, f)), leaks=True, status=1)
way_out("instance_below_a_linked_folder", ["vbsp", "map"],
        lambda s, f: (map_is(lambda s, f: with_entity(s, instance("parts/secret.vmf")))(s, f),
                      link("../../outside", "maps/parts")(s, f)), leaks=True, status=1)
way_out("part_of_a_manifest", ["vbsp", "map.vmm"],
        lambda s, f: write(os.path.join(f, "in/maps/map.vmm"),
                           '"Maps"\n{\n"VMF"\n{\n"Name" "x"\n"File" "../../outside/secret.vmf"\n'
                           '"IsTopLevel" "1"\n}\n}\n'), leaks=True, status=1)
way_out("embedded_link", [*VBSP, "-embed", "../game/mine"],
        link("../../../../outside/secret.txt", "game/mine/materials/pw.vmt"), leaks=True, status=1)
way_out("map_is_a_link", ["vbsp", "map"],
        lambda s, f: (os.remove(os.path.join(f, "in/maps/map.vmf")),
                      link("../../outside/secret.vmf", "maps/map.vmf")(s, f)), leaks=True, status=1)
way_out("linked_rad_file", ["vrad", "map"],
        compiled_then(link("../../outside/secret.txt", "maps/map.rad")))
way_out("linked_portals", ["vvis", "map"],
        compiled_then(lambda s, f: (os.remove(os.path.join(f, "in/maps/map.prt")),
                                    link("../../outside/secret.txt", "maps/map.prt")(s, f))), status=1)
way_out("linked_checkpoint", ["vvis", "map", "--resume"],
        compiled_then(link("../../outside/secret.txt", "maps/map.vischeckpoint")))
way_out("linked_outputs", ["vbsp", "map"],
        lambda s, f: (link("../../outside/secret.txt", "maps/map.bsp")(s, f),
                      link("../../outside/secret.txt", "maps/map.prt")(s, f)))


def list_of_files(_, folder):
    write(os.path.join(folder, "in/maps/list"), "materials/pw.vmt\n../../outside/secret.txt\n")


way_out("list_of_files_to_pack", ["brushwork", "pack", "map.bsp", "--add-list", "list"],
        compiled_then(list_of_files), leaks=True, status=1)


def material_fifo(_, folder):
    os.makedirs(os.path.join(folder, "in/game/materials/dev"))
    os.mkfifo(os.path.join(folder, "in/game/materials/dev/dev_measuregeneric01b.vmt"))
    os.mkfifo(os.path.join(folder, "in/game/detail.vbsp"))


way_out("material_is_a_fifo", VBSP, material_fifo)
way_out("material_is_a_device", VBSP,
        link("/dev/zero", "game/materials/dev/dev_measuregeneric01b.vmt"))
way_out("materials_below_a_linked_folder", VBSP,
        lambda s, f: (shutil.rmtree(os.path.join(f, "in/game/materials")),
                      link("../../outside/materials", "game/materials")(s, f),
                      map_is(lambda s, f: read(s.map("box.vmf")).replace(
                          b"DEV/DEV_MEASUREGENERIC01B", b"secret"))(s, f)))
way_out("detail_file_by_dots", VBSP,
        map_is(lambda s, f: with_world_key(s, "detailvbsp", "../../outside/secret.txt")))


def quake3_model(s, folder):
    text = read(s.map("q3_box.map"))
    write(os.path.join(folder, "outside/secret.obj"), SECRET)
    write(os.path.join(folder, "in/maps/map.map"),
          text + b'{\n"classname" "misc_model"\n"origin" "0 0 0"\n"model" "../../outside/secret.obj"\n}\n')


way_out("model_by_dots", ["vbsp", "map.map"], quake3_model)

CONFIG = '"commandline" {{ "map" {{ "vbsp" "{}" }} }}\n'


def config(folder, options):
    os.makedirs(os.path.join(folder, "in/game/cfg"), exist_ok=True)
    write(os.path.join(folder, "in/game/cfg/commandline.cfg"), CONFIG.format(options))


way_out("options_of_the_game", VBSP,
        lambda s, f: config(f, "-o ../../outside/made.bsp -embed ../../outside"), status=0)


@suite.case
def options_of_the_game_name_no_outputs(s, folder):
    prepare(s, folder)
    outside = files_below(os.path.join(folder, "outside"))
    for options in ("-o ../../outside/made.bsp", "-output=../../outside/made.bsp",
                    "--log ../../outside/log", "-embed ../../outside", "-connect 127.0.0.1:39000"):
        config(folder, options)
        done = s.run(*VBSP, "--json", cwd=os.path.join(folder, "in/maps")).expect(2)
        check("command line" in done.find("T001")["message"], done)
    check(files_below(os.path.join(folder, "outside")) == outside, "outside changed")
    config(folder, "-nodetail")
    s.run(*VBSP, "--json", cwd=os.path.join(folder, "in/maps")).expect(0)


@suite.case
def fifos_and_devices_are_refused_without_a_sandbox(s, folder):
    prepare(s, folder)
    material_fifo(s, folder)
    s.run(*VBSP, "--json", cwd=os.path.join(folder, "in/maps"), timeout=600)
    maps = os.path.join(folder, "in/maps")
    os.mkfifo(os.path.join(maps, "pipe.vmf"))
    done = s.run("vbsp", "pipe.vmf", "--json", cwd=maps, timeout=600).expect(1)
    check("not a regular file" in done.find("C001")["message"], done)
    os.mkfifo(os.path.join(maps, "pipe.bsp"))
    for command in (["vvis"], ["vrad"], ["brushwork", "info"], ["brushwork", "verify"]):
        done = s.run(*command, "pipe.bsp", "--json", cwd=maps, timeout=600)
        check(done.status == 1 and "not a regular file" in done.find("C001")["message"], done)


@suite.case
def parts_outside_are_a_warning_without_a_sandbox(s, folder):
    prepare(s, folder)
    maps = os.path.join(folder, "in/maps")
    write(os.path.join(maps, "map.vmf"), with_entity(s, instance("../../outside/secret.vmf")))
    done = s.run("vbsp", "map", "--json", cwd=maps).expect(0)
    check(done.find("S029")["message"] == "../../outside/secret.vmf", done)
    os.makedirs(os.path.join(maps, "parts"))
    shutil.copy(os.path.join(folder, "outside/secret.vmf"), os.path.join(maps, "parts/secret.vmf"))
    write(os.path.join(maps, "map.vmf"), with_entity(s, instance("parts/../parts/secret.vmf")))
    done = s.run("vbsp", "map", "--json", cwd=maps).expect(0)
    check("S029" not in done.codes(), done)


def sandbox_is_told(done):
    message = done.find("C355")["message"]
    check("path checks" in message, message)
    return message


@suite.case
def the_result_is_the_same(s, folder):
    prepare(s, folder)
    shutil.copy(s.map("q3_box.map"), os.path.join(folder, "in/maps/box.map"))
    write(os.path.join(folder, "in/maps/list.rad"), "tools/nothing 1 2 3 4\n")
    runs = []
    for name, options in (("open", []), ("shut", ["--sandbox", "--json"])):
        there = os.path.join(folder, name)
        shutil.copytree(os.path.join(folder, "in"), os.path.join(there, "in"))
        maps = os.path.join(there, "in/maps")
        for command in ([*VBSP, "-o", "new/a.bsp"], ["vvis", "new/a", "--prt", "new/a.prt"],
                        ["vrad", "new/a", "-lights", "list.rad", "-threads", "4"],
                        ["brushwork", "build", "map", "--preset", "fast"],
                        ["brushwork", "verify", "map.bsp"], ["vbsp", "box.map"],
                        ["vvis", "box"], ["vrad", "box"],
                        ["brushwork", "unpack", "map.bsp", "--to", "unpacked/here"],
                        ["brushwork", "view", "map.bsp", "--out", "a.html"],
                        ["brushwork", "render", "map.bsp", "--out", "a.png", "--size",
                         "16x16"]):
            done = s.run(*command, *options, cwd=maps)
            check(done.status == 0, done)
            if options:
                sandbox_is_told(done)
        runs.append(files_below(os.path.join(there, "in")))
    different = [n for n in runs[0].keys() | runs[1].keys() if runs[0].get(n) != runs[1].get(n)]
    check(not different, different)


@suite.case
def the_environment_asks_for_a_sandbox(s, folder):
    shutil.copy(s.map("box.vmf"), folder)

    def told(value):
        done = subprocess.run([os.path.join(s.options.bin, "vbsp"), "box", "--json"], cwd=folder,
                              env={**os.environ, "BRUSHWORK_SANDBOX": value}, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return "C355" in Done([], done).codes()

    check([told("1"), told("yes"), told("0"), told("")] == [True, True, False, False], "C355")


@suite.case
def what_is_refused_is_told(s, folder):
    prepare(s, folder)
    maps = os.path.join(folder, "in/maps")
    write(os.path.join(maps, "map.vmf"), with_entity(s, instance("../../outside/secret.vmf")))
    done = s.run("vbsp", "map", "--sandbox", "--json", cwd=maps).expect(1)
    done.find("S020")
    write(os.path.join(maps, "map.vmf"), read(s.map("box.vmf")))
    s.run("vbsp", "map", "--sandbox", cwd=maps).expect(0)
    list_of_files(s, folder)
    done = s.run("brushwork", "pack", "map.bsp", "--add-list", "list", "--sandbox", "--json",
                 cwd=maps).expect(1)
    check("outside the folders of the sandbox" in done.find("C001")["message"], done)
    check("secret.txt" in done.find("C357")["message"], done)


@suite.case
def an_old_kernel_is_told_and_paths_are_still_kept(s, folder):
    if not tracer():
        raise Skip("no strace to leave out system calls with")
    prepare(s, folder)
    maps = os.path.join(folder, "in/maps")

    def without(calls, *arguments):
        command = [tracer(), "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}",
                   "-e", f"inject={calls}:error=ENOSYS", os.path.join(s.options.bin, "vbsp"), "map",
                   "--sandbox", "--json", *arguments]
        return Done(command, subprocess.run(command, cwd=maps, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, timeout=600, check=False))

    done = without("landlock_create_ruleset,openat2").expect(0)
    check(done.find("C356")["message"].startswith("Landlock: not supported by this system"), done)
    check("Landlock" not in sandbox_is_told(done), done)
    write(os.path.join(maps, "map.vmf"), with_entity(s, instance("part.vmf")))
    link("../../outside/secret.vmf", "maps/part.vmf")(s, folder)
    for calls in ("landlock_create_ruleset,openat2", "landlock_create_ruleset", "openat2"):
        without(calls).expect(1)
        check(not holds_secret(os.path.join(folder, "in")), f"leaked without {calls}")


@suite.case
def a_game_of_archives_is_found(s, folder):
    if not os.path.isdir("/usr/share/games/openarena"):
        raise Skip("no OpenArena")
    shutil.copy(s.map("q3_box.map"), folder)
    told = []
    for options in ([], ["--sandbox"]):
        done = s.run("vbsp", "q3_box", "-game", "openarena", "-v", "--json", *options, cwd=folder)
        done.expect(0)
        told.append([c for c in done.codes() if c != "C355"])
    check(told[0] == told[1], told)


@suite.case
def a_connection_that_was_made_before_is_kept(s, folder):
    out = os.path.join(folder, "box.bsp")
    for options in (["--sandbox"], ["--json", "--sandbox"]):
        with Listener() as listener:
            s.run("vbsp", s.map("q3_box.map"), "-o", out, *options, "-connect", listener.address).expect(0)
            elements = listener.stream().parse()
        check(any("brushes" in e.text and e.level == 1 for e in elements), options)


suite.main()
