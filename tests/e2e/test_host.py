#!/usr/bin/env python3
"""The host of a run is not to be trusted: shared memory that is full or not there, no /proc, a stack of 64 kB, a
floating-point mode that a library has left. Runs give what they give elsewhere, and leave nothing.

Mounts are made in a namespace of the case's own, which needs root or namespaces for users. All cases take about 5 s of
CPU: each program runs on both engines in each of these conditions."""
import functools
import glob
import os
import resource
import shutil
import subprocess
import sys
import tempfile

from e2e import Skip, Suite, check, read, write
from vmf_boxes import box, pillars, room

suite = Suite()
ENGINES = ("map.vmf", "q3.map")


def maps(s, folder):
    write(os.path.join(folder, "map.vmf"), room(256, 256, pillars(1, 200)))
    shutil.copy(s.map("q3_lights.map"), os.path.join(folder, "q3.map"))


def stages(name, options=()):
    """The three stages of a map, and all of them in one process."""
    stem = name.split(".")[0]
    return (["vbsp", name, *options], ["vvis", stem + ".bsp", *options], ["vrad", stem + ".bsp", "-fast", *options],
            ["brushwork", "build", name, "--preset", "fast", "-o", stem + "_built.bsp", *options])


@functools.lru_cache(maxsize=None)
def namespace():
    """The command that gives a process mounts of its own."""
    for command in (["unshare", "-m"], ["unshare", "-r", "-m"]):
        try:
            done = subprocess.run([*command, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], check=False, capture_output=True)
        except OSError as error:
            raise Skip(f"no {error.filename}") from error
        if done.returncode == 0:
            return command
    raise Skip(f"no mounts of its own: {done.stderr.decode().strip()}")


def within(s, folder, script, *command, env=None):
    """Runs shell code as root of a namespace, where the command is "$@"."""
    program = [os.path.join(s.options.bin, command[0]), *command[1:]] if command else []
    return subprocess.run([*namespace(), "sh", "-ec", script, "sh", *program], cwd=folder, check=False, timeout=600,
                          env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, capture_output=True, text=True)


FULL = "mount -t tmpfs -o size=16k tmpfs /dev/shm; dd if=/dev/zero of=/dev/shm/filler bs=4k 2>/dev/null || true; "
SHARED = {
    "full": FULL,
    "without a name left": "mount -t tmpfs -o nr_inodes=1 tmpfs /dev/shm; ",
    "read-only": "mount -t tmpfs -o ro tmpfs /dev/shm; ",
}


@suite.case
def shared_memory_is_not_needed(s, folder):
    s.unsanitized()
    if not os.path.isdir("/dev/shm"):
        raise Skip("no /dev/shm")
    maps(s, folder)
    for kind, mount in SHARED.items():
        for name in ENGINES if kind == "full" else ENGINES[:1]:
            for command in (*stages(name, ("-threads", "2")), ["brushwork", "render", name.split(".")[0] + ".bsp", "-o",
                                                               "x.png", "--size", "32x24", "-threads", "2"]):
                done = within(s, folder, mount + '"$@"; ls /dev/shm >&2', *command)
                check(done.returncode == 0, f"{kind}: {command}: {done.returncode} {done.stderr}")
                left = done.stderr.splitlines()[-1:] if "KMP" in done.stderr else []
                check(not left, f"{kind}: {command} left {left}")


LIBRARY = """
import sys
sys.path.insert(0, sys.argv[1])
import brushwork
made = brushwork.run("build", "map.vmf", "--preset", "fast", "-threads", "2", "-o", "library.bsp")
sys.exit(made.status)
"""


@suite.case
def a_host_of_the_library_has_full_shared_memory(s, _folder):
    """The library cannot be before libc as a program can, and does not start its host again."""
    s.unsanitized()
    library = os.path.join(os.path.dirname(s.options.bin), "lib")
    if not os.path.exists(os.path.join(library, "libbrushwork.so.0")):
        raise Skip("this build has no shared library")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:  # the library looks for it by its whole path
        maps(s, folder)
        write(os.path.join(folder, "host.py"), LIBRARY)
        done = within(s, folder, FULL + f'"{sys.executable}" host.py "{s.options.source}/library/python"; ls /dev/shm',
                      env={"LD_LIBRARY_PATH": library, "PYTHONDONTWRITEBYTECODE": "1"})
    check(done.returncode == 0, done)
    check(done.stdout.split() == ["filler"], done.stdout)


def stack(kilobytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_STACK, (kilobytes << 10, kilobytes << 10))
    return limit


def deep_map(s, folder):
    """A stair, whose steps the tree has one below the other."""
    steps = "".join(box((-1000 + 20 * i, -1024, 0), (-980 + 20 * i, 1024, 8 + 5 * i)) for i in range(60))
    return write(os.path.join(folder, "deep.vmf"), room(1024, 512, steps))


@suite.case
def a_small_stack_suffices(s, folder):
    """The hard limit is small too, so it cannot be raised."""
    s.unsanitized()
    maps(s, folder)
    deep_map(s, folder)
    for name in (*ENGINES, "deep.vmf"):
        for command in stages(name, ("-threads", "3")):
            s.run(*command, cwd=folder, preexec=stack(64)).expect(0)
    before = read(os.path.join(folder, "deep.bsp"))
    s.run("brushwork", "build", "deep.vmf", "--preset", "fast", cwd=folder).expect(0)
    check(read(os.path.join(folder, "deep.bsp")) == before, "other bytes")
    s.run("brushwork", "build", "map.vmf", "q3.map", "--preset", "fast", cwd=folder, preexec=stack(64)).expect(0)
    s.run("q3map2", "q3.map", cwd=folder, preexec=stack(64)).expect(0)


@suite.case
def several_maps_are_built_without_proc(s, folder):
    """By a path, by a relative one, and by PATH."""
    s.unsanitized()
    maps(s, folder)
    build = "build map.vmf q3.map --preset fast -threads 1 --jobs 2"
    hide = "mount -t tmpfs tmpfs /proc; "
    for call in ('"$1"', f'cd "{s.options.bin}"; ./brushwork', 'PATH="${1%/*}:$PATH"; brushwork'):
        words = build if call[0] != "c" else build.replace("map.vmf q3.map", f'"{folder}/map.vmf" "{folder}/q3.map"')
        done = within(s, folder, f"{hide}{call} {words}", "brushwork")
        check(done.returncode == 0, f"{call}: {done.stderr}")
        for name in ("map.bsp", "q3.bsp"):
            check(os.path.exists(os.path.join(folder, name)), f"{call}: {name}")
            os.remove(os.path.join(folder, name))
    done = within(s, folder, hide + '"$@"', "brushwork", "build", "map.vmf", "--preset", "fast", "--sandbox",
                  "-lights", write(os.path.join(folder, "lights.rad"), ""))
    check(done.returncode == 0, f"a root that is a file: {done.stderr}")


@suite.case
def results_do_not_depend_on_the_mode_of_the_host(s, folder):
    s.unsanitized()
    found = glob.glob(os.path.join(s.options.bin, "..", "tests", "libfloat_mode.so"))
    check(found, "libfloat_mode.so is not built")
    maps(s, folder)
    usual = {}
    for mode in ("", "flush", "upward"):
        for name in ENGINES:
            for threads in ("1", "3"):
                for command in stages(name, ("-threads", threads)):
                    env = {"LD_PRELOAD": os.path.abspath(found[0]), "FLOAT_MODE": mode}
                    done = subprocess.run([os.path.join(s.options.bin, command[0]), *command[1:]], cwd=folder, check=False,
                                          env={**os.environ, **env}, capture_output=True)
                    check(done.returncode == 0, done)
                stem = name.split(".")[0]
                made = [read(os.path.join(folder, stem + ending)) for ending in (".bsp", "_built.bsp")]
                check(usual.setdefault(name, made) == made, f"{name}: other bytes in mode {mode!r} with {threads} threads")


suite.main()
