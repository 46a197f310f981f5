#!/usr/bin/env python3
"""--provenance: the statement has all that was read, and that of another build differs by what was changed since."""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "torture"))
import caches  # pylint: disable=wrong-import-position
from e2e import Suite, check, read, write
from model_files import mdl, vtx, vvd

suite = Suite()
GAMEINFO = "GameInfo\n{\nFileSystem\n{\nSearchPaths\n{\ngame |gameinfo_path|.\n}\n}\n}\n"
PROP = ('entity\n{\n"id" "900"\n"classname" "prop_static"\n"model" "models/box.mdl"\n"origin" "128 128 64"\n"solid" "0"\n}\n')


def checkout(s, folder, name):
    """A project: a map with a model, and a game with materials of which one is in an archive."""
    top = os.path.join(folder, name)
    os.makedirs(os.path.join(top, "maps"))
    text = read(s.map("box.vmf")).decode()
    material = next(line.split('"')[3] for line in text.splitlines() if '"material"' in line)
    write(os.path.join(top, "maps", "map.vmf"), text + PROP)
    files = {"gameinfo.txt": GAMEINFO, "models/box.mdl": mdl(), "models/box.vvd": vvd(), "models/box.dx90.vtx": vtx(),
             "materials/props/metal.vmt": caches.material("dev/brick", {}),
             f"materials/{material.lower()}.vmt": caches.material("dev/brick", {}),
             "materials/dev/brick.vtf": caches.texture((0.5, 0.5, 0.5))}
    for path, data in files.items():
        path = os.path.join(top, "game", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, data)
    return top, f"game/materials/{material.lower()}.vmt"


def build(s, top, *options, status=0):
    done = s.run("brushwork", "build", "maps/map.vmf", "-game", "game", "--preset", "fast", "-StaticPropLighting", "-o", "out/map.bsp",
                 "--provenance", "statement.json", "--json", *options, cwd=top).expect(status)
    return done, os.path.join(top, "statement.json")


def digest(path):
    return hashlib.sha256(read(path)).hexdigest()


@suite.case
def a_statement_has_all_that_was_read(s, folder):
    top, material = checkout(s, folder, "a")
    done, path = build(s, top)
    first = read(path)
    statement = json.loads(first)
    check(statement["_type"] == "https://in-toto.io/Statement/v1", statement)
    check(statement["predicateType"] == "https://slsa.dev/provenance/v1", statement)
    outputs = {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}
    check(outputs == {name: digest(os.path.join(top, "out", name)) for name in ("map.bsp", "map.prt")}, outputs)
    definition = statement["predicate"]["buildDefinition"]
    inputs = {one["name"]: one["digest"]["sha256"] for one in definition["resolvedDependencies"]}
    wanted = {"maps/map.vmf", "game/gameinfo.txt", material, "game/models/box.mdl", "game/models/box.vvd"}
    check(wanted <= set(inputs), sorted(inputs))
    check(all(digest(os.path.join(top, name)) == sha for name, sha in inputs.items()), inputs)
    depfile = os.path.join(top, "d")
    build(s, top, "--depfile", depfile)
    rule = read(depfile).decode().replace("\\\n", " ").split("\n", 1)[0].split(": ", 1)[1].split()
    check(sorted(os.path.relpath(os.path.join(top, one), top) for one in rule) == sorted(inputs), rule)
    options = {one["name"]: one["values"] for one in definition["externalParameters"]["options"]}
    check(options == {"game": ["game"], "preset": ["fast"], "StaticPropLighting": []}, options)
    check(read(path) == first, "another statement of the same build")
    for threads, cache in ((1, "cache"), (2, "cache")):
        build(s, top, "-threads", threads, "--cache", cache)
        check(read(path) == first, "another statement with threads and a cache")


def definition_of(statement):
    return statement["predicate"]["buildDefinition"]


def named(files):
    return {one["name"]: one["digest"]["sha256"] for one in files}


def differences(first, second):
    """What two statements say differently: names of inputs, names of outputs, whether the options differ."""
    a, b = json.loads(first), json.loads(second)
    pairs = [(named(definition_of(one)["resolvedDependencies"]), named(one["subject"])) for one in (a, b)]
    inputs, outputs = ({name for name in x | y if x.get(name) != y.get(name)} for x, y in zip(*pairs))
    return inputs, outputs, definition_of(a)["externalParameters"] != definition_of(b)["externalParameters"]


@suite.case
def another_checkout_gives_the_same(s, folder):
    """docs/guides/provenance.md: whoever builds again compares the statements."""
    statements = [read(build(s, checkout(s, folder, name)[0])[1]) for name in ("a", "somewhere/else")]
    check(statements[0] == statements[1], statements)
    top = os.path.join(folder, "a")
    for at, files in ((top, definition_of(json.loads(statements[0]))["resolvedDependencies"]),
                      (os.path.join(top, "out"), json.loads(statements[0])["subject"])):
        listed = "".join(f"{sha}  {name}\n" for name, sha in named(files).items())
        subprocess.run(["sha256sum", "-c", "--quiet"], input=listed.encode(), cwd=at, check=True)


@suite.case
def what_differs_is_in_the_statement(s, folder):
    """Source, material, model, an input that appears, options."""
    top, material = checkout(s, folder, "a")
    honest = read(build(s, top)[1])
    for name in ("maps/map.vmf", material, "game/models/box.mdl"):
        before = read(os.path.join(top, name))
        write(os.path.join(top, name), before + b"\n")
        inputs, outputs, options = differences(honest, read(build(s, top)[1]))
        check(inputs == {name} and not options, (inputs, outputs))
        write(os.path.join(top, name), before)
    # A file that the build had looked for in vain.
    added = write(os.path.join(top, "game/models/box.phy"), b"no collision model")
    check(differences(honest, read(build(s, top)[1]))[0] == {"game/models/box.phy"}, "an input that appears")
    os.remove(added)
    check(read(build(s, top)[1]) == honest, "not restored")
    inputs, outputs, options = differences(honest, read(build(s, top, "-bounce", "0")[1]))
    check(not inputs and "map.bsp" in outputs and options, (inputs, outputs))


@suite.case
def files_in_archives_are_those_of_the_archive(s, folder):
    """A PK3 is an input as a whole: any change in it is found."""
    top = os.path.join(folder, "top")
    os.makedirs(os.path.join(top, "maps"))
    os.makedirs(os.path.join(top, "baseq3"))
    name = "q3_lights.map"
    shutil.copy(s.map(name), os.path.join(top, "maps", "map.map"))
    pack = os.path.join(top, "baseq3", "pak0.pk3")

    def fill(text):
        with zipfile.ZipFile(pack, "w") as archive:
            archive.writestr(zipfile.ZipInfo("scripts/a.shader", (2020, 1, 1, 0, 0, 0)), text)
            archive.writestr(zipfile.ZipInfo("scripts/shaderlist.txt", (2020, 1, 1, 0, 0, 0)), "a\n")

    fill("textures/a/b\n{\nsurfaceparm nomarks\n}\n")
    path = os.path.join(top, "statement.json")
    line = ["brushwork", "build", "maps/map.map", "-fs_basepath", ".", "--preset", "fast", "--provenance", path]
    s.run(*line, cwd=top).expect(0)
    inputs = [one["name"] for one in definition_of(json.loads(read(path)))["resolvedDependencies"]]
    check("baseq3/pak0.pk3" in inputs, inputs)
    first = read(path)
    fill("textures/a/b\n{\nsurfaceparm nomarkz\n}\n")
    s.run(*line, cwd=top).expect(0)
    check(differences(first, read(path))[0] == {"baseq3/pak0.pk3"}, "the change is not found")


@suite.case
def leaks_are_told(s, folder):
    shutil.copy(s.map("leak.vmf"), folder)
    path = os.path.join(folder, "statement")
    s.run("brushwork", "build", "leak.vmf", "--provenance", path, cwd=folder).expect(3)
    names = [one["name"] for one in json.loads(read(path))["subject"]]
    check(names == ["leak.bsp", "leak.lin", "leak_leak.png"], names)
    check(definition_of(json.loads(read(path)))["internalParameters"] == {"exitStatus": 3}, "the status of a leak")


@suite.case
def what_it_cannot_be_about_is_refused(s, folder):
    for name in ("a.vmf", "b.vmf"):
        shutil.copy(s.map("box.vmf"), os.path.join(folder, name))
    s.run("brushwork", "build", "a.vmf", "b.vmf", "--provenance", "p", cwd=folder).expect(2)
    s.run("brushwork", "build", "a.vmf", "-o", "-", "--provenance", "p", cwd=folder).expect(2)
    s.run("brushwork", "build", "a.vmf", "--provenance", "a.bsp", cwd=folder).expect(2)
    check(sorted(os.listdir(folder)) == ["a.vmf", "b.vmf"], os.listdir(folder))


suite.main()
