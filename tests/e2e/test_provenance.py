#!/usr/bin/env python3
"""--provenance and brushwork rebuild: the statement has all that was read, and what was changed since is found."""
import hashlib
import json
import os
import shutil
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "torture"))
import caches  # pylint: disable=wrong-import-position
from e2e import Suite, check, read, write
from model_files import mdl, vtx, vvd

suite = Suite()
GAMEINFO = "GameInfo\n{\nFileSystem\n{\nSearchPaths\n{\ngame |gameinfo_path|.\n}\n}\n}\n"
PROP = ('entity\n{\n"id" "900"\n"classname" "prop_static"\n"model" "models/box.mdl"\n"origin" "128 128 64"\n"solid" "0"\n}\n')
CODES = ("C373", "C374", "C375", "C376")
MATERIAL = "game/materials/dev/brick.vmt"


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


def rebuild(s, statement, top, status=0, cwd=None):
    done = s.run("brushwork", "rebuild", "--from", statement, "--root", top, "--json", cwd=cwd).expect(status)
    return [code for code in done.codes() if code in CODES], done


def digest(path):
    return hashlib.sha256(read(path)).hexdigest()


def tree(top):
    return {os.path.relpath(os.path.join(at, name), top): digest(os.path.join(at, name)) for at, _, names in os.walk(top) for name in names}


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


@suite.case
def another_checkout_gives_the_same(s, folder):
    top, _ = checkout(s, folder, "a")
    other, _ = checkout(s, folder, "somewhere/else")
    _, path = build(s, top)
    before = tree(folder)
    for root in (top, other):
        codes, done = rebuild(s, path, root)
        check(codes == [], done)
    check(s.run("brushwork", "rebuild", "--from", path, cwd=other).expect(0), "the working folder is no root")
    check(tree(folder) == before, "files have changed")


def edit(path, change):
    statement = json.loads(read(path))
    change(statement)
    write(path, json.dumps(statement, sort_keys=True))


def definition_of(statement):
    return statement["predicate"]["buildDefinition"]


def option_of(statement, name):
    return next(one for one in definition_of(statement)["externalParameters"]["options"] if one["name"] == name)


@suite.case
def tampering_is_found(s, folder):
    """Source, material, model, an input that appears, options, outputs."""
    top, material = checkout(s, folder, "a")
    _, path = build(s, top)
    honest = {name: read(os.path.join(top, name)) for name in ("maps/map.vmf", material, "game/models/box.mdl", "statement.json")}

    def restore():
        for name, data in honest.items():
            write(os.path.join(top, name), data)

    for name in ("maps/map.vmf", material, "game/models/box.mdl"):
        write(os.path.join(top, name), honest[name] + b"\n")
        codes, done = rebuild(s, path, top, 1)
        check(codes == ["C375"] and done.find("C375")["file"] == os.path.join(top, name), done)
        os.remove(os.path.join(top, name))
        codes, done = rebuild(s, path, top, 1)
        check(codes == ["C375"] and done.find("C375")["file"] == os.path.join(top, name), done)
        restore()
    # A file that the build had looked for in vain.
    added = write(os.path.join(top, "game/models/box.phy"), b"no collision model")
    codes, done = rebuild(s, path, top, 1)
    check("C375" in codes and done.find("C375")["file"] == "game/models/box.phy", done)
    os.remove(added)
    check(rebuild(s, path, top)[0] == [], "not restored")
    edit(path, lambda one: option_of(one, "preset").update(values=["normal"]))
    codes, done = rebuild(s, path, top, 1)
    check(codes == ["C376"] and done.find("C376")["file"] == "map.bsp", done)
    restore()
    edit(path, lambda one: definition_of(one)["externalParameters"]["options"].pop())  # the light of props
    codes, done = rebuild(s, path, top, 1)
    check("C376" in codes, done)
    restore()
    edit(path, lambda one: one["subject"][1]["digest"].update(sha256="0" * 64))
    codes, done = rebuild(s, path, top, 1)
    check(codes == ["C376"] and done.find("C376")["file"] == "map.prt", done)
    restore()
    edit(path, lambda one: one["subject"].pop())
    codes, done = rebuild(s, path, top, 1)
    check(codes == ["C376"] and "does not have it" in done.err, done)
    restore()
    edit(path, lambda one: definition_of(one)["resolvedDependencies"].pop(0))
    codes, done = rebuild(s, path, top, 1)
    check(codes == ["C375"] and "does not have it" in done.err, done)
    restore()
    edit(path, lambda one: definition_of(one)["internalParameters"].update(exitStatus=3))
    codes, done = rebuild(s, path, top, 1)
    check(codes == ["C376"] and "exit status" in done.err, done)


@suite.case
def statements_that_are_none_are_refused(s, folder):
    top, _ = checkout(s, folder, "a")
    _, path = build(s, top)
    honest = read(path)
    victim = write(os.path.join(folder, "victim"), "mine")

    def add_option(name, *values, path=False):
        return lambda one: definition_of(one)["externalParameters"]["options"].append({"name": name, "path": path, "values": list(values)})

    def outside(name):
        return lambda one: definition_of(one)["externalParameters"].update(source=name)

    for change in (add_option("log", victim), add_option("o", victim), add_option("diagnostics-file", victim), add_option("depfile", victim),
                   add_option("provenance", victim), add_option("cache", folder), add_option("job", "a", "b", "1", "0", "0"),
                   add_option("nonsense"), add_option("-game"), add_option("game"), add_option("game", "a", "b"), add_option("game", "../..", path=True),
                   add_option("x y"), add_option("connect", "127.0.0.1:9"), outside("../a/maps/map.vmf"), outside(""), outside("maps/./map.vmf"),
                   outside("maps//map.vmf"), outside("maps/\nmap.vmf"), lambda one: one.update(_type="another"),
                   lambda one: one.update(more=1), lambda one: one["subject"].clear(), lambda one: one.pop("predicate"),
                   lambda one: one["subject"].append(one["subject"][0]), lambda one: one["subject"][0]["digest"].update(sha256="00"),
                   lambda one: one["subject"][0]["digest"].update(md5="00"), lambda one: one["subject"][0].update(name="map.txt"),
                   lambda one: definition_of(one).update(buildType="urn:another"), lambda one: definition_of(one).update(resolvedDependencies={}),
                   lambda one: definition_of(one)["internalParameters"].update(exitStatus=1),
                   lambda one: option_of(one, "preset").update(values=[1]), lambda one: option_of(one, "preset").update(values=["x" * 5000])):
        write(path, honest)
        edit(path, change)
        codes, done = rebuild(s, path, top, 1)
        check(codes == ["C374"], done)
        check(read(victim) == b"mine" and sorted(os.listdir(folder)) == ["a", "victim"], os.listdir(folder))
    for text in (b"", b"{", b"[]", b"null", honest[:-9], honest + b"x", b"\xff" * 100, b"[" * 100000, honest.replace(b'"map.prt"', b'"map\\u0000prt"'),
                 honest.replace(b'"_type"', b'"_type": 1, "_type"')):
        write(path, text)
        codes, done = rebuild(s, path, top, 1)
        check(codes == ["C374"], done)
    s.run("brushwork", "rebuild", "--from", os.path.join(folder, "none")).expect(1)
    s.run("brushwork", "rebuild").expect(2)


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
    s.run("brushwork", "build", "maps/map.map", "-fs_basepath", ".", "--preset", "fast", "--provenance", path, cwd=top).expect(0)
    inputs = [one["name"] for one in definition_of(json.loads(read(path)))["resolvedDependencies"]]
    check("baseq3/pak0.pk3" in inputs, inputs)
    check(rebuild(s, path, top)[0] == [], "differs")
    fill("textures/a/b\n{\nsurfaceparm nomarkz\n}\n")
    codes, done = rebuild(s, path, top, 1)
    check(codes == ["C375"] and done.find("C375")["file"].endswith("pak0.pk3"), done)


@suite.case
def leaks_are_built_again(s, folder):
    shutil.copy(s.map("leak.vmf"), folder)
    path = os.path.join(folder, "statement")
    s.run("brushwork", "build", "leak.vmf", "--provenance", path, cwd=folder).expect(3)
    names = [one["name"] for one in json.loads(read(path))["subject"]]
    check(names == ["leak.bsp", "leak.lin", "leak_leak.png"], names)
    codes, done = rebuild(s, path, folder, 3)
    check(codes == [], done)
    edit(path, lambda one: one["subject"][1]["digest"].update(sha256="0" * 64))
    codes, done = rebuild(s, path, folder, 1)
    check(codes == ["C376"] and done.find("C376")["file"] == "leak.lin", done)


@suite.case
def what_it_cannot_be_about_is_refused(s, folder):
    for name in ("a.vmf", "b.vmf"):
        shutil.copy(s.map("box.vmf"), os.path.join(folder, name))
    s.run("brushwork", "build", "a.vmf", "b.vmf", "--provenance", "p", cwd=folder).expect(2)
    s.run("brushwork", "build", "a.vmf", "-o", "-", "--provenance", "p", cwd=folder).expect(2)
    s.run("brushwork", "build", "a.vmf", "--provenance", "a.bsp", cwd=folder).expect(2)
    check(sorted(os.listdir(folder)) == ["a.vmf", "b.vmf"], os.listdir(folder))


suite.main()
