#!/usr/bin/env python3
"""libbrushwork as it is installed: what it exports, the example in C, the Python module."""
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap

from e2e import Skip, Suite, check, read

suite = Suite()


def call(*command, cwd=None, env=None):
    return subprocess.run(command, cwd=cwd, env={**os.environ, **(env or {})}, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=600, text=True)


def install(s, folder):
    """Installs what concerns the library below a folder, and returns that."""
    s.unsanitized()
    build = os.path.dirname(s.options.bin)
    if not os.path.exists(os.path.join(build, "lib", "libbrushwork.so")):
        raise Skip("this build has no shared library")
    for component in ("library", "development", "python"):
        done = call("cmake", "--install", build, "--prefix", "/usr", "--component", component,
                    env={"DESTDIR": folder})
        check(done.returncode == 0, done.stderr)
    return os.path.join(folder, "usr")


def library_folder(top):
    folders = [path for path, _, names in os.walk(os.path.join(top, "lib"))
               if "libbrushwork.so" in names]
    check(len(folders) == 1, folders)
    return folders[0]


def module_folder(top):
    return next(path for path, _, names in os.walk(top)
                if path.endswith("/brushwork") and "__init__.py" in names)


def python(s, folder, script, *arguments):
    """Runs a script with the installed module, and returns the JSON that it prints."""
    top = install(s, folder)
    done = call(sys.executable, "-c", script, *arguments, cwd=folder,
                env={"PYTHONPATH": os.path.dirname(module_folder(top)), "PYTHONDONTWRITEBYTECODE": "1",
                     "LD_LIBRARY_PATH": library_folder(top)})
    check(done.returncode == 0, done.stderr)
    return json.loads(done.stdout)


@suite.case
def the_library_exports_its_header(s, folder):
    top = install(s, folder)
    header = read(os.path.join(top, "include", "brushwork", "brushwork.h")).decode()
    declared = set(re.findall(r"BRUSHWORK_API[^;(]*?\b(brushwork_\w+)\(", header))
    table = call("nm", "-D", "--defined-only", os.path.join(library_folder(top), "libbrushwork.so"))
    exported = {line.split()[-1].split("@")[0] for line in table.stdout.splitlines()
                if line.split()[-2] != "A"}
    check(len(declared) > 30 and declared == exported, declared ^ exported)
    control = read(os.path.join(s.options.source, "cmake", "debian", "libbrushwork0", "symbols"))
    listed = set(re.findall(r"^ (brushwork_\w+)@BRUSHWORK_0 \S", control.decode(), re.M))
    check(listed == declared, f"the symbols of the .deb: {listed ^ declared}")
    bound = read(os.path.join(s.options.source, "library", "python", "brushwork",
                              "_library.py")).decode()
    in_python = {"brushwork_" + name for name in re.findall(r'^    "(\w+)": \(', bound, re.M)}
    check(in_python == declared, in_python ^ declared)


@suite.case
def the_header_is_plain_c_and_cplusplus(s, folder):
    top = install(s, folder)
    for compiler, language in (("cc", "c"), ("c++", "c++")):
        if not shutil.which(compiler):
            continue
        done = call(compiler, "-x", language, "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic",
                    "-Werror", os.path.join(top, "include", "brushwork", "brushwork.h"))
        check(done.returncode == 0, done.stderr)


@suite.case
def the_example_is_built_against_it(s, folder):
    top = install(s, folder)
    if not shutil.which("pkg-config") or not shutil.which("cc"):
        raise Skip("no pkg-config or no cc")
    flags = call("pkg-config", "--cflags", "--libs", "brushwork", env={
        "PKG_CONFIG_PATH": os.path.join(library_folder(top), "pkgconfig")})
    check(flags.returncode == 0, flags.stderr)
    source = next(path for path in (os.path.join(top, "share/doc", name, "lights.c") for name in (
        "brushwork/examples/library", "libbrushwork-dev/examples")) if os.path.exists(path))
    program = os.path.join(folder, "lights")
    done = call("cc", "-Wall", "-Wextra", "-Werror", source, *flags.stdout.split(), "-o", program)
    check(done.returncode == 0, done.stderr)
    done = call(program, s.map("two_rooms.vmf"), "Two rooms", cwd=folder,
                env={"LD_LIBRARY_PATH": library_folder(top)})
    check(done.returncode == 0, done.stderr)
    lights = [line for line in done.stdout.splitlines() if line.startswith("light at ")]
    check(lights, done.stdout)
    check(b'"message" "Two rooms"' in read(os.path.join(folder, "out.bsp")), "the key is missing")
    s.run("brushwork", "verify", os.path.join(folder, "out.bsp")).expect(0)
    # A leak is the exit status of the programs, and a message.
    done = call(program, s.map("leak.vmf"), "x", cwd=folder,
                env={"LD_LIBRARY_PATH": library_folder(top)})
    check(done.returncode == 3 and "V001" in done.stderr, done.stderr)


@suite.case
def the_guides_python_runs(s, folder):
    guide = read(os.path.join(s.options.source, "docs/guides/library.md")).decode()
    code = textwrap.dedent(re.search(r"^## In Python\n\n((?:    .*\n|\n)+)", guide, re.MULTILINE).group(1))
    shutil.copy(s.map("two_rooms.vmf"), folder)
    answer = python(s, folder, f"""
import contextlib, io, json
with contextlib.redirect_stdout(io.StringIO()):
{textwrap.indent(code, "    ")}
again = brushwork.Bsp("two_rooms.bsp")
print(json.dumps([again.unpack("materials/logo.vmt").decode(),
                  sum(dict(entity).get("_light") == "255 240 200 300" for entity in again.entities)]))
""")
    check("$basetexture" in answer[0] and answer[1] > 0, answer)


@suite.case
def python_compiles_and_changes_maps(s, folder):
    answer = python(s, folder, """
import brushwork, json, sys
events = []
result = brushwork.compile(sys.argv[1], output="out.bsp", arguments=["-fast"],
                           on_progress=lambda *event: events.append(event[0]))
with brushwork.Bsp("out.bsp") as bsp:
    world, lightmap, mesh = bsp.entities[0], bsp.lightmaps[0], bsp.mesh
    world["message"] = "hello"
    del world["MESSAGE"]
    world["comment"] = "by python"
    bsp.entities.add(classname="info_null", origin="0 0 8")
    bsp.pack("scripts/x.txt", b"x")
    bsp.write("changed.bsp")
    faults = [str(fault) for fault in bsp.verify()]
    pixels = lightmap.pixels()
again = brushwork.Bsp(open("changed.bsp", "rb").read())
print(json.dumps({
    "status": result.status, "files": result.files, "events": sorted(set(events)),
    "comment": again.entities[0]["comment"], "message": "message" in again.entities[0],
    "last": dict(again.entities[-1]), "packed": again.packed, "x": again.unpack("scripts/x.txt").decode(),
    "family": bsp.__class__.__name__, "faults": faults, "shape": pixels.shape,
    "faces": len(mesh.faces), "positions": [list(v.position) for v in mesh.vertices][:3],
    "contents": again.contents_at((0, 0, 64)), "materials": again.materials}))
""", s.map("two_rooms.vmf"))
    check(answer["status"] == 0 and answer["files"][0] == "out.bsp", answer)
    check({"begin", "end", "file"} <= set(answer["events"]), answer)
    check(answer["comment"] == "by python" and not answer["message"], answer)
    check(answer["last"] == {"classname": "info_null", "origin": "0 0 8"}, answer)
    check("scripts/x.txt" in answer["packed"] and answer["x"] == "x", answer)
    check(not answer["faults"] and len(answer["shape"]) == 3 and answer["faces"] > 10, answer)
    s.run("brushwork", "verify", os.path.join(folder, "changed.bsp")).expect(0)


@suite.case
def python_finds_the_library_of_its_folder(s, folder):
    top = install(s, folder)
    place = os.path.join(folder, "another place", "lib")
    modules = os.path.join(place, "python3", "dist-packages")
    shutil.copytree(module_folder(top), os.path.join(modules, "brushwork"))
    shutil.copy(os.path.join(library_folder(top), "libbrushwork.so.0"), place)
    script = "import brushwork; print(open('/proc/self/maps').read())"
    for linked in (False, True):
        if linked:  # for a Python that has a folder of its own
            os.symlink(os.path.join(modules, "brushwork"), os.path.join(folder, "brushwork"))
        done = call(sys.executable, "-c", script,
                    env={"PYTHONPATH": folder if linked else modules, "PYTHONDONTWRITEBYTECODE": "1"})
        check(f" {place}/libbrushwork.so.0\n" in done.stdout, done.stderr or done.stdout)


@suite.case
def python_tells_what_is_wrong(s, folder):
    answer = python(s, folder, """
import brushwork, json, sys
told, seen = {}, []
def attempt(name, function):
    try:
        function()
    except brushwork.Error as error:
        told[name] = [error.status, [d.code for d in error.diagnostics]]
    except KeyError as error:
        told[name] = str(error)
def stop(event, name, done, total):
    if event == "begin" and name == "tree":
        raise KeyError("from the callback")
attempt("absent", lambda: brushwork.compile("absent.vmf"))
attempt("usage", lambda: brushwork.run("vbsp", "--sandbox", "a.vmf"))
attempt("stopped", lambda: brushwork.compile(sys.argv[1], output="out.bsp", on_progress=stop))
attempt("damaged", lambda: brushwork.Bsp(b"VBSP" + bytes(2000)))
leak = brushwork.compile(sys.argv[2], output="leak.bsp", on_message=seen.append)
told["leak"] = [leak.leaks, [d.code for d in seen if d.point]]
session = brushwork.Session(memory=True)
session.put("m.vmf", open(sys.argv[1], "rb").read())
told["memory"] = session.run("vbsp", "m.vmf").files
told["size"] = len(session.get("m.bsp"))
print(json.dumps(told))
""", s.map("two_rooms.vmf"), s.map("leak.vmf"))
    check(answer["absent"] == [1, ["C001"]], answer)
    check(answer["usage"] == [2, ["T001"]], answer)
    check("from the callback" in answer["stopped"], answer)
    check(answer["damaged"][0] == 1, answer)
    check(answer["leak"] == [True, ["V001"]], answer)
    check(answer["memory"][0] == "m.bsp" and answer["size"] > 1000, answer)
    check(not os.path.exists(os.path.join(folder, "m.bsp")) and
          not os.path.exists(os.path.join(folder, "out.bsp")), os.listdir(folder))


if __name__ == "__main__":
    suite.main()
