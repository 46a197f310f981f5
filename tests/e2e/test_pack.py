#!/usr/bin/env python3
"""brushwork unpack, pack and bspzip from the command line: extracts and adds packed files, entities
and lumps, compared with Python's own zip reader; hostile names; a failure leaves the map unchanged."""
import io
import json
import os
import shutil
import struct
import zipfile

from e2e import Suite, check, read, write

suite = Suite()
PAKFILE = 40


def own(s):
    return os.path.join(s.options.source, "tests", "fuzz", "seeds", "bsp", "portal.bsp")


def copy(s, folder, name="map.bsp"):
    path = os.path.join(folder, name)
    shutil.copyfile(own(s), path)
    return path


def directory(data):
    """Offset and length of each lump; empty if the file is not a VBSP."""
    order = {b"VBSP": "<", b"PSBV": ">"}.get(bytes(data[:4]))
    if not order:
        return []
    lumps = [struct.unpack_from(order + "4i", data, 8 + 16 * i) for i in range(64)]
    if all(not l or (o >= 1036 and o + l <= len(data)) for o, l, _, _ in lumps):
        return [(o, l) for o, l, _, _ in lumps]
    return [(o, l) for _, o, l, _ in lumps]


def lump(data, number):
    offset, length = directory(data)[number]
    return data[offset:offset + length]


def archive(path):
    return zipfile.ZipFile(io.BytesIO(lump(read(path), PAKFILE)))


def contents(path):
    with archive(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


MAP_FLAGS = 59


@suite.case
def map_flags_follow_prop_lighting(s, folder):
    """The flags of baked prop lighting follow the files that are packed; others stay."""
    path, light = copy(s, folder), write(os.path.join(folder, "light"), "light")
    flags = lambda at=path: struct.unpack("<I", lump(read(at), MAP_FLAGS))[0]
    check(flags() & 3 == 0, "the map has prop lighting")
    before = copy(s, folder, "before.bsp")
    s.run("brushwork", "pack", "--add", light, "sp_0.vhv", "--add", light, "sp_hdr_4.vhv", path).expect(0)
    check(flags() & 3 == 3, f"{flags():x}")
    s.run("brushwork", "verify", path).expect(0)
    done = s.run("brushwork", "info", path).expect(0)
    check(b"(LDR prop lighting, HDR prop lighting)" in done.out, done.out)
    told = json.loads(s.run("brushwork", "info", "--json", path).expect(0).out)
    check(told["map_flags"] & 3 == 3 and told["prop_lighting"] == {"ldr": True, "hdr": True}, str(told))
    done = s.run("brushwork", "diff", before, path).expect(1)
    check(b"map flags: 0x" in done.out, done.out)
    s.run("brushwork", "unpack", path, "--to", os.path.join(folder, "files")).expect(0)
    check(flags() & 3 == 3, "unpack")
    s.run("brushwork", "pack", "--store", path).expect(0)
    check(flags() & 3 == 3, "another compression")
    s.run("brushwork", "pack", "--remove", "sp_0.vhv", path).expect(0)
    check(flags() & 3 == 2, f"{flags():x}")
    moved = os.path.join(folder, "moved.bsp")
    s.run("brushwork", "convert", path, moved, "--to", "l4d2").expect(0)
    check(json.loads(s.run("brushwork", "info", "--json", moved).expect(0).out)["map_flags"] & 3 == 2, "convert")
    s.run("brushwork", "pack", "--remove", "sp_hdr_4.vhv", path).expect(0)
    check(flags() & 3 == 0, f"{flags():x}")


@suite.case
def verify_compares_map_flags(s, folder):
    path = copy(s, folder)
    data = bytearray(read(path))
    struct.pack_into("<I", data, directory(data)[MAP_FLAGS][0], 2)
    write(path, bytes(data))
    done = s.run("brushwork", "verify", "--json", path).expect(0)
    check("B127" in done.codes(), str(done))


def with_pakfile(s, folder, make):
    """One of our maps with a pakfile that `make` writes with ZipFile."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        make(file)
    data = bytearray(read(own(s)))
    struct.pack_into("<2i", data, 8 + 16 * PAKFILE, len(data), len(packed.getvalue()))
    return write(os.path.join(folder, "made.bsp"), bytes(data) + packed.getvalue())


def below(folder):
    """All files below a folder, by name."""
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            found[os.path.relpath(path, folder)] = read(path)
    return found


def listed(s, path):
    result = json.loads(s.run("brushwork", "unpack", path, "--list", "--json").expect(0).out)
    return result["files"]


def same_but_filler(a, b):
    """Returns whether two files are the same except for bytes after the last lump."""
    end = max(o + l for o, l in directory(a))
    return len(a) == len(b) and a[:end] == b[:end]


def corpus_maps(s):
    found = []
    for base, _, names in os.walk(s.corpus()):
        found += [os.path.join(base, name) for name in names if name.endswith(".bsp")]
    return [path for path in sorted(found) if read(path)[:4] == b"VBSP"]


# Round trips.


@suite.case
def a_packed_file_is_extracted(s, folder):
    path = copy(s, folder)
    data = bytes(range(256)) * 9
    file = write(os.path.join(folder, "data"), data)
    before = read(path)
    s.run("brushwork", "pack", path, "--add", file, r"Sound\My.wav", "--add", file, "b").expect(0)
    check(contents(path) == {"Sound/My.wav": data, "b": data}, contents(path))
    files = listed(s, path)
    check([f["name"] for f in files] == ["Sound/My.wav", "b"], files)
    check(files[0]["size"] == files[0]["compressed_size"] == len(data), files)
    check(files[0]["method"] == "stored", files)
    out = s.run("brushwork", "unpack", path, "--file", r"SOUND\my.WAV").expect(0).out
    check(out == data, out)
    s.run("brushwork", "unpack", path, "--to", os.path.join(folder, "out")).expect(0)
    check(below(os.path.join(folder, "out")) == {"Sound/My.wav": data, "b": data}, "extracted")
    s.run("brushwork", "verify", path).expect(0)
    s.run("brushwork", "pack", path, "--remove", "sound/my.wav", "--remove", "B").expect(0)
    check(read(path) == before, "not the same bytes after all is removed")


@suite.case
def out_leaves_the_map_unchanged(s, folder):
    path, out = copy(s, folder), os.path.join(folder, "out.bsp")
    s.run("brushwork", "pack", path, "--add", path, "a", "--out", out).expect(0)
    check(read(path) == read(own(s)), "the input has changed")
    check(contents(out) == {"a": read(path)}, "contents")


@suite.case
def standard_streams_are_files(s, folder):
    data = read(own(s))
    file = write(os.path.join(folder, "f"), "text")
    out = s.run("brushwork", "pack", "-", "--out", "-", "--add", file, "f", stdin=data)
    packed = write(os.path.join(folder, "p.bsp"), out.expect(0).out)
    check(contents(packed) == {"f": b"text"}, "contents")
    out = s.run("brushwork", "unpack", "-", "--file", "f", stdin=read(packed)).expect(0).out
    check(out == b"text", out)
    s.run("brushwork", "pack", "-", "--add", file, "f", stdin=data).expect(2)


@suite.case
def folders_and_lists_are_packed(s, folder):
    path = copy(s, folder)
    write(os.path.join(folder, "one"), "1")
    write(os.path.join(folder, "two"), "2")
    os.makedirs(os.path.join(folder, "tree", "a", "b"))
    write(os.path.join(folder, "tree", "top"), "top")
    write(os.path.join(folder, "tree", "a", "b", "deep"), "deep")
    text = "\ufeffmaterials\\one.vmt\r\n  one \r\n\r\nmaterials/two.vmt\n.\\two"
    write(os.path.join(folder, "list.txt"), text)
    s.run("brushwork", "pack", path, "--add-list", "list.txt", "--add-dir", "tree",
          cwd=folder).expect(0)
    check(contents(path) == {"materials/one.vmt": b"1", "materials/two.vmt": b"2", "top": b"top",
                             "a/b/deep": b"deep"}, contents(path))


@suite.case
def circular_links_are_reported(s, folder):
    path = copy(s, folder)
    os.makedirs(os.path.join(folder, "tree"))
    os.symlink(".", os.path.join(folder, "tree", "again"))
    done = s.run("brushwork", "pack", path, "--add-dir", os.path.join(folder, "tree"), "--json")
    check("C001" in done.expect(1).codes(), done)
    check(read(path) == read(own(s)), "the map has changed")


@suite.case
def compression_changes_and_changes_back(s, folder):
    path = copy(s, folder)
    file = write(os.path.join(folder, "f"), b"x" * 100000)
    s.run("brushwork", "pack", path, "--add", file, "f", "--add", file, "g").expect(0)
    stored = read(path)
    s.run("brushwork", "pack", path, "--compress-pakfile").expect(0)
    check({f["method"] for f in listed(s, path)} == {"LZMA"}, listed(s, path))
    check(len(read(path)) < len(stored) - 190000, len(read(path)))
    check(contents(path) == {"f": b"x" * 100000, "g": b"x" * 100000}, "contents")
    s.run("brushwork", "pack", path, "--add", file, "h").expect(0)
    check(listed(s, path)[2]["method"] == "LZMA", "a new file is packed as the others are")
    s.run("brushwork", "pack", path, "--store", "--remove", "h").expect(0)
    check(read(path) == stored, "not the same bytes")


# Cubemaps.


def put_cubemaps(s, folder):
    path = copy(s, folder)
    write(os.path.join(folder, "f"), "f")
    s.run("brushwork", "pack", path, "--add", "f", "materials/maps/map/cubemapdefault.vtf", "--add",
          "f", "materials/c1_2_3.vtf", cwd=folder).expect(0)
    for name in ("c0_-64_128.vtf", "c0_-64_128.hdr.vtf", "crate.vtf"):
        os.makedirs(os.path.join(folder, "cubes"), exist_ok=True)
        write(os.path.join(folder, "cubes", name), name)
    s.run("brushwork", "pack", path, "--cubemaps", "cubes", cwd=folder).expect(0)
    return path


CUBEMAPS = ["materials/maps/map/c0_-64_128.hdr.vtf", "materials/maps/map/c0_-64_128.vtf"]
OTHERS = ["materials/c1_2_3.vtf", "materials/maps/map/cubemapdefault.vtf"]


@suite.case
def cubemaps_go_in_and_out(s, folder):
    path = put_cubemaps(s, folder)
    check(sorted(contents(path)) == sorted(CUBEMAPS + OTHERS), sorted(contents(path)))
    out = os.path.join(folder, "out")
    s.run("brushwork", "unpack", path, "--cubemaps", "--to", out).expect(0)
    check(sorted(below(out)) == CUBEMAPS, below(out))
    before = read(path)
    s.run("brushwork", "pack", path, "--delete-cubemaps").expect(0)
    check(sorted(contents(path)) == OTHERS, sorted(contents(path)))
    s.run("brushwork", "pack", path, "--cubemaps", out).expect(0)
    check(len(read(path)) == len(before), "cubemaps put back")
    check(sorted(contents(path)) == sorted(CUBEMAPS + OTHERS), sorted(contents(path)))
    s.run("brushwork", "pack", path, "--cubemaps", out, "--map", "other").expect(0)
    check("materials/maps/other/c0_-64_128.vtf" in contents(path), sorted(contents(path)))


@suite.case
def missing_cubemaps_are_reported(s, folder):
    path = copy(s, folder)
    os.makedirs(os.path.join(folder, "empty"))
    done = s.run("brushwork", "pack", path, "--cubemaps", "empty", "--json", cwd=folder)
    check("C001" in done.expect(1).codes(), done)


# Entities and lumps.


@suite.case
def entities_go_out_and_in(s, folder):
    path, out = copy(s, folder), os.path.join(folder, "map.ent")
    s.run("brushwork", "unpack", path, "--entities", "--to", out).expect(0)
    check(read(out) + b"\0" == lump(read(path), 0), "the text of the lump")
    s.run("brushwork", "pack", path, "--entities", out).expect(0)
    check(read(path) == read(own(s)), "not the same bytes")
    changed = read(out) + b'{\n"classname" "info_target"\n"targetname" "\xe9"\n}\n'
    s.run("brushwork", "pack", path, "--entities", write(out, changed)).expect(0)
    check(s.run("brushwork", "unpack", path, "--entities").expect(0).out == changed, "the change")
    s.run("brushwork", "verify", path).expect(0)


@suite.case
def invalid_entities_are_rejected(s, folder):
    path = copy(s, folder)
    for text, code in ((b'{ "classname"', "C003"), (b"", "B148"), (b"{}", "B148"),
                       (b'{"classname" "light"}', "B148"),
                       (b'{"classname" "worldspawn"}\0{}', "B148"),
                       (b'{"classname" "worldspawn"}{"light" "1"}', "B148"),
                       (b'{"classname" "worldspawn"}{"classname" "a" "model" "*99"}', "B148")):
        file = write(os.path.join(folder, "e"), text)
        done = s.run("brushwork", "pack", path, "--entities", file, "--json").expect(1)
        check(code in done.codes(), f"{text}: {done}")
    check(read(path) == read(own(s)), "the map has changed")


@suite.case
def lumps_are_extracted(s, _):
    data = read(own(s))
    for name, number in (("1", 1), ("planes", 1), ("Texture Names", 43), ("0", 0), ("63", 63)):
        out = s.run("brushwork", "unpack", own(s), "--lump", name).expect(0).out
        check(out == lump(data, number), f"lump {name}")
    for name in ("64", "-1", "", "plane", "1x"):
        done = s.run("brushwork", "unpack", own(s), f"--lump={name}", "--json")
        check("T001" in done.expect(2).codes(), done)


# Unsupported versions.


@suite.case
def unsupported_versions_are_unpacked(s, folder):
    path = copy(s, folder)
    file = write(os.path.join(folder, "f"), "text")
    s.run("brushwork", "pack", path, "--add", file, "f").expect(0)
    data = bytearray(read(path))
    struct.pack_into("<i", data, 4, 26)
    for number in (1, 5, 7, 18):  # planes, nodes, faces, brushes: invalid records
        offset, length = directory(data)[number]
        data[offset:offset + length] = b"\xff" * length
    write(path, bytes(data))
    check([f["name"] for f in listed(s, path)] == ["f"], "list")
    out = os.path.join(folder, "out")
    s.run("brushwork", "unpack", path, "--to", out).expect(0)
    check(below(out) == {"f": b"text"}, "files")
    text = s.run("brushwork", "unpack", path, "--entities").expect(0).out
    check(text + b"\0" == lump(bytes(data), 0), "entities")
    done = s.run("brushwork", "pack", path, "--remove", "f", "--json").expect(1)
    check("B001" in done.codes() and read(path) == data, done)


@suite.case
def truncated_maps_are_unpacked(s, folder):
    whole = read(own(s))
    planes, pakfile, entities = directory(whole)[1], directory(whole)[PAKFILE], directory(whole)[0]
    path = write(os.path.join(folder, "cut.bsp"), whole[:pakfile[0] + 3])
    done = s.run("brushwork", "unpack", path, "--entities", "--json").expect(0)
    check(done.codes() == ["B149"] and done.out + b"\0" == lump(whole, 0), done)
    check(s.run("brushwork", "unpack", path, "--lump", "1").expect(0).out == lump(whole, 1), "1")
    done = s.run("brushwork", "unpack", path, "--list", "--json").expect(1)
    check(done.codes() == ["B149", "B002"] and not done.out, done)
    write(path, whole[:entities[0]])
    done = s.run("brushwork", "unpack", path, "--entities", "--json").expect(1)
    check("B002" in done.codes() and not done.out, done)
    data = bytearray(whole)
    struct.pack_into("<2i", data, 8 + 16, planes[0], -1)
    data[8 + 16 * 5 + 12:8 + 16 * 6] = b"\1\2\3\4"  # a claim to be compressed
    write(path, bytes(data))
    done = s.run("brushwork", "unpack", path, "--list", "--json").expect(0)
    check(done.codes() == ["B149", "B149"], done)
    s.run("brushwork", "checksum", path).expect(1)
    write(path, whole[:1000])
    s.run("brushwork", "unpack", path, "--list").expect(1)


@suite.case
def a_damaged_pakfile_is_reported(s, folder):
    path = copy(s, folder)
    data = bytearray(read(path))
    offset, length = directory(data)[PAKFILE]
    data[offset:offset + length] = b"\xff" * length
    write(path, bytes(data))
    for arguments in (["unpack", path, "--list"], ["unpack", path, "--to", folder],
                      ["pack", path, "--add", path, "f"], ["bspzip", "-dir", path]):
        done = s.run("brushwork", *arguments, "--json").expect(1)
        check("C010" in done.codes(), done)
    text = s.run("brushwork", "unpack", path, "--entities", "--to", os.path.join(folder, "e"))
    text.expect(0)
    s.run("brushwork", "pack", path, "--entities", os.path.join(folder, "e")).expect(0)
    check(read(path) == data, "the map has changed")


# Hostile names.


@suite.case
def names_cannot_leave_the_folder(s, folder):
    hostile = ["../out", "/tmp/brushwork-absolute", "a/../../out", "..\\out2", "C:\\out", "a//b",
               "./x", "a\nb"]

    def make(file):
        for name in hostile:
            info = zipfile.ZipInfo()
            info.filename = name
            file.writestr(info, "bad")
        file.writestr("good/file", "good")
        file.writestr("win\\dows", "good")

    path = with_pakfile(s, folder, make)
    inner = os.path.join(folder, "x", "y")
    done = s.run("brushwork", "unpack", path, "--to", inner, "--json").expect(1)
    check(done.codes().count("B140") == len(hostile), done)
    check(below(inner) == {"good/file": b"good", "win/dows": b"good"}, below(inner))
    check(sorted(below(folder)) == ["made.bsp", "x/y/good/file", "x/y/win/dows"], below(folder))
    check(not os.path.exists("/tmp/brushwork-absolute"), "an absolute path")
    check(len(listed(s, path)) == len(hostile) + 2, "they are listed nevertheless")


@suite.case
def unsafe_names_are_not_packed(s, folder):
    path = copy(s, folder)
    for name in ("../a", "/a", "a/", "", "c:a", "a/./b"):
        done = s.run("brushwork", "pack", path, "--add", path, name, "--json").expect(1)
        check("B140" in done.codes(), f"{name}: {done}")
    check(read(path) == read(own(s)), "the map has changed")


@suite.case
def names_that_differ_in_case_are_reported(s, folder):
    def make(file):
        file.writestr("Dir/File", "1")
        file.writestr("dir/file", "2")

    path, out = with_pakfile(s, folder, make), os.path.join(folder, "out")
    done = s.run("brushwork", "unpack", path, "--to", out, "--json").expect(0)
    check(done.codes() == ["B141"], done)
    # Windows has one file of both, and the last counts there, too.
    both = {"Dir/File": b"2"} if s.options.windows else {"Dir/File": b"1", "dir/file": b"2"}
    check(below(out) == both, below(out))
    check(s.run("brushwork", "unpack", path, "--file", "DIR/FILE").out == b"2", "the last counts")


@suite.case
def a_file_in_place_of_a_folder_is_reported(s, folder):
    def make(file):
        file.writestr("a", "1")
        file.writestr("a/b", "2")
        file.writestr("c/", "")
        file.writestr("d", "4")

    path, out = with_pakfile(s, folder, make), os.path.join(folder, "out")
    done = s.run("brushwork", "unpack", path, "--to", out, "--json").expect(1)
    check(done.codes() == ["C002"], done)
    check(below(out) == {"a": b"1", "d": b"4"} and os.path.isdir(os.path.join(out, "c")), "rest")


@suite.case
def names_in_utf_8(s, folder):
    path, out, name = copy(s, folder), os.path.join(folder, "out"), "\u00e4/\u4e2d.txt"
    file = write(os.path.join(folder, "\u00f6"), "f")
    s.run("brushwork", "pack", path, "--add", file, name).expect(0)
    check([f["name"] for f in listed(s, path)] == [name], listed(s, path))
    check(name.encode() in s.run("brushwork", "unpack", path, "--list").out, "as text")
    s.run("brushwork", "unpack", path, "--to", out).expect(0)
    check(below(out) == {name: b"f"}, below(out))


@suite.case
def names_of_other_bytes(s, folder):
    """Are listed as Latin-1. A name on Windows is text, so that nothing can have them there."""
    path = with_pakfile(s, folder, lambda file: file.writestr("caf#/@", "f"))
    data = read(path).replace(b"caf#/@", b"caf\xe9/\xff")
    out, where = os.path.join(folder, "out"), write(path, data)
    check([f["name"] for f in listed(s, where)] == ["caf\u00e9/\u00ff"], listed(s, where))
    done = s.run("brushwork", "unpack", where, "--to", out, "--json")
    if s.options.windows:
        done.expect(1).find("C002")
        check(below(out) == {}, below(out))
    else:
        done.expect(0)
        check(read(os.path.join(os.fsencode(out), b"caf\xe9/\xff")) == b"f", "extracted")


@suite.case
def names_may_have_any_letters(s, folder):
    s.not_on_windows("arguments are text, and name no other bytes")
    path = copy(s, folder)
    name = b"caf\xe9/\xff"
    file = write(os.path.join(folder, "f"), "f")
    s.run("brushwork", "pack", path, "--add", file, os.fsdecode(name)).expect(0)
    check([f["name"] for f in listed(s, path)] == ["caf\u00e9/\u00ff"], listed(s, path))
    out = os.path.join(folder, "out")
    s.run("brushwork", "unpack", path, "--to", out).expect(0)
    check(read(os.path.join(os.fsencode(out), name)) == b"f", "extracted")


def claiming(s, folder, names, size):
    """A map whose packed files claim this size, and one that has it."""
    def make(file):
        for name in names:
            file.writestr(name, "x")
        file.writestr("true", "true")
    path = with_pakfile(s, folder, make)
    data = bytearray(read(path))
    at, _ = directory(data)[PAKFILE]
    for _ in names:
        at = data.find(b"PK\1\2", at)
        struct.pack_into("<I", data, at + 24, size)
        at += 4
    return write(path, bytes(data))


@suite.case
def large_totals_are_rejected(s, folder):
    path, out = claiming(s, folder, "012", 0x3ffffff0), os.path.join(folder, "out")
    for arguments in (["unpack", "--json", path, "--to", out],
                      ["bspzip", "--json", "-extractfiles", path, out],
                      ["pack", "--json", path, "--store"]):
        done = s.run("brushwork", *arguments).expect(1)
        check(done.codes() == ["B139"], done)
        check(not os.path.exists(out), "something was written")
    s.run("brushwork", "unpack", path, "--cubemaps", "--to", out).expect(0)
    check(below(out) == {}, below(out))


@suite.case
def zip_bombs_are_rejected(s, folder):
    for names, force in (("01", []), ("012", ["--force"])):
        path = claiming(s, folder, names, 0x3ffffff0)
        out = os.path.join(folder, "out" + names)
        done = s.run("brushwork", "unpack", path, "--to", out, "--json", *force)
        check(done.expect(1).codes() == ["C012"] * len(names), done)
        check(below(out) == {"true": b"true"}, "the others are written")


# Failures change nothing.


@suite.case
def all_errors_are_reported_and_nothing_is_written(s, folder):
    path = copy(s, folder)
    file = write(os.path.join(folder, "f"), "f")
    s.run("brushwork", "pack", path, "--add", file, "f").expect(0)
    before = read(path)
    write(os.path.join(folder, "odd"), "new\nf\nlast\n")
    done = s.run("brushwork", "pack", path, "--add", "absent1", "a", "--add", "absent2", "b",
                 "--add", "f", "F", "--remove", "none", "--add-list", "odd", "--json", cwd=folder)
    check(sorted(done.expect(1).codes()) == ["B142", "B143", "B144", "C001", "C001"], done)
    check(done.find("B144")["line"] == 3, done)
    check(read(path) == before, "the map has changed")
    s.run("brushwork", "pack", path, "--add", path, "F", "--replace").expect(0)
    check(contents(path) == {"F": before}, "replaced in place")
    done = s.run("brushwork", "unpack", path, "--file", "none", "--json").expect(1)
    check("B142" in done.codes() and not done.out, done)


@suite.case
def command_lines_are_checked(s, folder):
    path = copy(s, folder)
    for arguments in (["pack", path], ["pack", path, "--store", "--compress-pakfile"],
                      ["pack", path, "--add", path], ["pack", path, "--map", "x", "--store"],
                      ["pack"], ["unpack", path], ["unpack", path, "--to", "-"],
                      ["unpack", path, "--list", "--entities"], ["unpack", path, path],
                      ["bspzip", path], ["bspzip", "-dir"], ["bspzip", "-extract", path],
                      ["bspzip", "-dir", "-extract", path], ["bspzip", "-dir", "-compress", path],
                      ["bspzip", "-addlist", path, path]):
        done = s.run("brushwork", arguments[0], "--json", *arguments[1:]).expect(2)
        check(done.codes() == ["T001"], done)
    check(read(path) == read(own(s)), "the map has changed")
    check(os.listdir(folder) == ["map.bsp"], os.listdir(folder))


# Valve's command lines.


def bspzip(s, *arguments, cwd, status=0):
    return s.run("brushwork", "bspzip", *arguments, cwd=cwd).expect(status)


@suite.case
def bspzip_adds(s, folder):
    copy(s, folder)
    write(os.path.join(folder, "f"), "f")
    write(os.path.join(folder, "g"), "g")
    write(os.path.join(folder, "list"), "cfg\\g.cfg\r\ng\r\n")
    new = os.path.join(folder, "new.bsp")
    bspzip(s, "-game", "/nowhere", "-addfile", "map.bsp", "cfg/f.cfg", "f", "new.bsp", cwd=folder)
    check(contents(new) == {"cfg/f.cfg": b"f"}, contents(new))
    bspzip(s, "-addlist", "new.bsp", "list", "new.bsp", cwd=folder)
    check(contents(new) == {"cfg/f.cfg": b"f", "cfg/g.cfg": b"g"}, contents(new))
    write(os.path.join(folder, "g"), "again")
    bspzip(s, "-addorupdatelist", "new", "list", "new.bsp", cwd=folder)
    check(contents(new)["cfg/g.cfg"] == b"again", contents(new))
    out = bspzip(s, "-dir", "new.bsp", cwd=folder).out
    check(out == b"cfg/f.cfg\ncfg/g.cfg\n", out)
    bspzip(s, "-addlist", "new.bsp", "absent", "new.bsp", cwd=folder, status=1)


@suite.case
def bspzip_extracts(s, folder):
    path = put_cubemaps(s, folder)
    bspzip(s, "-extract", path, "out.zip", cwd=folder)
    check(read(os.path.join(folder, "out.zip")) == lump(read(path), PAKFILE), "zip")
    bspzip(s, "-extractfiles", path, "files", cwd=folder)
    check(below(os.path.join(folder, "files")) == contents(path), "files")
    bspzip(s, "-extractcubemaps", path, "cubes", cwd=folder)
    check(set(CUBEMAPS) <= set(below(os.path.join(folder, "cubes"))), "cubemaps")
    bspzip(s, "-deletecubemaps", path, cwd=folder)
    check(sorted(contents(path)) == OTHERS, sorted(contents(path)))


@suite.case
def bspzip_repacks(s, folder):
    path = put_cubemaps(s, folder)
    before, files = read(path), contents(path)
    bspzip(s, "-repack", "-compress", path, cwd=folder)
    check(len(read(path)) < len(before), "smaller")
    check(contents(path) == files, "files")
    s.run("brushwork", "verify", path).expect(0)
    check(s.run("brushwork", "unpack", path, "--lump", "1").expect(0).out == lump(before, 1),
          "planes")
    bspzip(s, "-repack", path, cwd=folder)
    after = read(path)
    check(directory(after) == directory(before), "places of lumps")
    # Padding inside records becomes zeros.
    check(all(lump(after, i) == lump(before, i) for i in (0, 1, 7, 8, PAKFILE)), "lumps")


@suite.case
def bspzip_without_files(s, folder):
    data = bytearray(read(own(s)))
    struct.pack_into("<2i", data, 8 + 16 * PAKFILE, 0, 0)
    path = write(os.path.join(folder, "map.bsp"), bytes(data))
    bspzip(s, "-extract", path, "out.zip", cwd=folder)
    with zipfile.ZipFile(os.path.join(folder, "out.zip")) as file:
        check(file.namelist() == [], "an archive without files")
    check(bspzip(s, "-dir", path, cwd=folder).out == b"", "names")


# Real maps.


@suite.case
def real_pakfiles_match_python_s_reader(s, folder):
    for number, path in enumerate(corpus_maps(s)):
        out = os.path.join(folder, str(number))
        with archive(path) as packed:
            infos = packed.infolist()
        files = listed(s, path)
        check([f["name"] for f in files] == [i.filename for i in infos], path)
        check([(f["size"], int(f["crc32"], 16)) for f in files] ==
              [(i.file_size, i.CRC) for i in infos], path)
        s.run("brushwork", "unpack", path, "--to", out).expect(0)
        check(below(out) == contents(path), path)
        shutil.rmtree(out)


@suite.case
def real_maps_keep_their_bytes(s, folder):
    file = write(os.path.join(folder, "f"), "f" * 1000)
    text, path = os.path.join(folder, "text"), os.path.join(folder, "map.bsp")
    for source in corpus_maps(s):
        before = read(source)
        if struct.unpack_from("<i", before, 4)[0] > 21:
            continue
        s.run("brushwork", "pack", source, "--out", path, "--add", file, "x/f").expect(0)
        check(listed(s, path)[-1]["name"] == "x/f", source)
        check(contents(path) == {**contents(source), "x/f": b"f" * 1000}, source)
        s.run("brushwork", "pack", path, "--remove", "x/f").expect(0)
        check(same_but_filler(before, read(path)), f"{source}: added and removed")
        s.run("brushwork", "unpack", source, "--entities", "--to", text, "--force").expect(0)
        s.run("brushwork", "pack", source, "--out", path, "--entities", text).expect(0)
        check(read(path) == before, f"{source}: entities")


@suite.case
def quake_maps_have_no_pakfile(s, _):
    path = s.corpus("ibsp", "mp_lobby.bsp")
    done = s.run("brushwork", "unpack", path, "--list", "--json").expect(1)
    check(done.codes() == ["B145"], done)
    text = s.run("brushwork", "unpack", path, "--entities").expect(0).out
    check(text.startswith(b"{") and not text.endswith(b"\0"), text[:40])


@suite.case
def unpack_replaces_nothing(s, folder):
    """Without --force; and it follows no link even with it."""
    path, out, other = copy(s, folder), os.path.join(folder, "out"), os.path.join(folder, "other")
    write(os.path.join(folder, "f"), b"packed")
    s.run("brushwork", "pack", path, "--add", os.path.join(folder, "f"), "dir/f").expect(0)
    os.makedirs(os.path.join(out, "dir"))
    write(os.path.join(out, "dir", "f"), b"mine")
    s.run("brushwork", "unpack", path, "--to", out, "--json").expect(1).find("B503")
    check(read(os.path.join(out, "dir", "f")) == b"mine", "a file was replaced")
    s.run("brushwork", "unpack", path, "--to", out, "--force").expect(0)
    check(read(os.path.join(out, "dir", "f")) == b"packed", "--force did not replace it")
    s.run("brushwork", "unpack", path, "--entities", "--to", os.path.join(out, "dir", "f"),
          "--json").expect(1).find("B503")
    os.makedirs(other)
    shutil.rmtree(os.path.join(out, "dir"))
    os.symlink(other, os.path.join(out, "dir"))
    s.run("brushwork", "unpack", path, "--to", out, "--force", "--json").expect(1).find("B504")
    check(os.listdir(other) == [], "a link was followed")


suite.main()
