#!/usr/bin/env python3
"""brushwork bmx from the command line: what its verbs print, their exit status, and whether an
independent checker and Python's zip reader agree with them."""
import glob
import json
import os
import subprocess
import sys
import zipfile

from e2e import Skip, Suite, check, read, write

suite = Suite()
VERBS = {"info": 1, "check": 1, "unpack": 2, "pack": 2, "diff": 2}


def own(s, name="internal_textures"):
    """One of our samples, which always exists."""
    return os.path.join(s.options.source, "tests", "fuzz", "seeds", "bmx", name + ".bmx")


def bmx(s, *arguments, **options):
    return s.run("brushwork", "bmx", *arguments, **options)


def checked(s, *files):
    """Returns the object that `check --json` prints for each file, and the exit status."""
    done = bmx(s, "check", "--json", *files)
    return [json.loads(line) for line in done.out.splitlines()], done.status


def codes(result):
    return {finding["code"] for finding in result["findings"]}


def members(path):
    with zipfile.ZipFile(path) as archive:
        return archive.comment, [(m.filename, archive.open(m).read()) for m in archive.infolist()]


def samples(s):
    with open(s.corpus("bmx", "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    return {s.corpus("bmx", name): about for name, about in manifest.items()}


def repack(s, path, folder):
    """Returns the file unpacked and packed again, or None when it cannot be read completely."""
    dump, made = os.path.join(folder, "dump"), os.path.join(folder, "made.bmx")
    if bmx(s, "unpack", path, dump).status:
        return None
    bmx(s, "pack", "--force", dump, made).expect(0)
    return made


@suite.case
def check_reports_the_codes_of_the_manifest(s, _):
    about = samples(s)
    results, status = checked(s, *about)
    check(status == 1 and len(results) == len(about) == 65, f"{len(results)} files, status {status}")
    for result in results:
        expected = about[result["file"]]
        check(codes(result) == set(expected["codes"]), (result["file"], codes(result)))
        check(result["ok"] == expected["ok"], result["file"])


@suite.case
def check_has_its_exit_status(s, _):
    bmx(s, "check", own(s, "triangle")).expect(0)
    bmx(s, "check", "--strict", own(s, "triangle")).expect(0)
    bmx(s, "check", own(s)).expect(0)
    bmx(s, "check", "--strict", own(s)).expect(1)
    done = bmx(s, "check", "--json", own(s, "zip_slip"), own(s, "triangle")).expect(1)
    check("M008" in done.codes(), done.codes())
    quiet = bmx(s, "check", "--quiet", own(s, "triangle")).expect(0)
    check(not quiet.out and not quiet.err, quiet)
    check(b"no errors" in bmx(s, "check", "-", stdin=read(own(s, "triangle"))).expect(0).out, "-")


@suite.case
def info_counts(s, _):
    result = json.loads(bmx(s, "info", "--json", own(s)).expect(0).out)
    check(result["bm_version"] == 14 and result["version"] == 1 and result["comment"] == "Use BM Spec 1.4", result)
    check((result["objects"], result["meshes"], result["materials"]) == (1, 1, 3), result)
    check(result["internal_textures"] == 3 and result["bounds"]["maxs"] == [4, 4, 4], result)
    check(result["members"] == [{"name": name, "bytes": len(data)}
                              for name, data in members(own(s))[1]], result["members"])
    text = bmx(s, "info", own(s)).expect(0).out.decode()
    for part in ("BM 1.4", "Use BM Spec 1.4", "Texture/my_logo.png", "errors 0, warnings 1"):
        check(part in text, f"no {part!r} in\n{text}")


@suite.case
def unpacked_and_packed_members_are_the_same(s, folder):
    for path in sorted(glob.glob(own(s, "*"))):
        made = repack(s, path, os.path.join(folder, os.path.basename(path)))
        if made:
            check(members(path) == members(made), path)
    check(repack(s, own(s, "index_order"), folder) is None, "it cannot be written again")


@suite.case
def an_independent_checker_accepts_what_is_written(s, folder):
    tool, made = s.tool("bmx_check.py"), []
    for path, about in samples(s).items():
        if not about["ok"] or about["codes"]:
            continue
        name = os.path.basename(path)
        made.append(repack(s, path, os.path.join(folder, name)))
        check(members(path) == members(made[-1]), path)
    check(len(made) >= 9, f"{len(made)} samples without findings")
    done = subprocess.run([sys.executable, tool, "--strict", *made], capture_output=True,
                          timeout=600, check=False)
    check(done.returncode == 0, done.stdout.decode())


@suite.case
def diff_agrees_with_an_independent_one(s, _):
    tool = s.tool("bmx_check.py")
    files = [s.corpus("bmx", "valid", name + ".bmx") for name in
             ("cube_external", "index_interleaved", "group_duplicates", "inside_out", "triangle",
              "cube_split_vertices", "color_range", "cube_dir_entry", "internal_textures")]
    for number, a in enumerate(files):
        for b in (a, *files[:2]):
            for options in ([], ["--no-normals"], ["--tol", "0.5"])[:3 if b == files[number % 2] else 1]:
                other = subprocess.run([sys.executable, tool, "--diff", a, b, *options],
                                       stdout=subprocess.DEVNULL, timeout=600, check=False)
                done = bmx(s, "diff", "--json", *options, a, b).expect(other.returncode)
                result = json.loads(done.out)
                check(result["same"] == (not result["differences"]) == (done.status == 0), result)


@suite.case
def text_can_be_edited(s, folder):
    dump, made = os.path.join(folder, "dump"), os.path.join(folder, "made.bmx")
    bmx(s, "unpack", own(s, "triangle"), dump).expect(0)
    meshes = os.path.join(dump, "meshes.txt")
    lines = read(meshes).decode().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("  v "))
    lines[at] = "  v 0.5 -0 1e-45"
    write(meshes, "\n".join(lines) + "\n")
    bmx(s, "pack", dump, made).expect(0)
    result = json.loads(bmx(s, "diff", "--json", own(s, "triangle"), made).expect(1).out)
    check(all("position" in d["where"] for d in result["differences"]), result)
    objects = os.path.join(dump, "objects.txt")
    write(objects, read(objects).decode().replace('mesh "Tri"', "mesh 1"))
    os.remove(made)
    done = bmx(s, "pack", "--json", dump, made).expect(1)
    check("M022" in done.codes() and not os.path.exists(made), done)
    bmx(s, "pack", "--force", dump, made).expect(0)
    write(objects, read(objects).decode().replace("mesh 1", "mesh one"))
    done = bmx(s, "pack", "--json", dump, made).expect(1)
    check(done.find("M091")["line"] > 1, done)


def edit(dump, name, *pairs):
    """Replaces texts in a file of a dump, each of which must be there."""
    text = read(os.path.join(dump, name)).decode()
    for old, new in pairs:
        check(old in text, f"{name} without {old!r}:\n{text}")
        text = text.replace(old, new)
    write(os.path.join(dump, name), text)


def info(s, path):
    return json.loads(bmx(s, "info", "--json", path).expect(0).out)


@suite.case
def blocks_can_be_added_and_named(s, folder):
    """No count, number or order has to be kept by hand: a mesh is added before those that are there,
    and a texture by its file alone."""
    dump, made = os.path.join(folder, "dump"), os.path.join(folder, "made.bmx")
    bmx(s, "unpack", own(s), dump).expect(0)
    meshes = read(os.path.join(dump, "meshes.txt")).decode()
    check("usemtl" in meshes and "# order" not in read(os.path.join(dump, "index.txt")).decode(), meshes)
    first = meshes.replace('"BoxMesh"', '"Crate"').replace('usemtl "Mat0"', 'usemtl "Mat2"')
    write(os.path.join(dump, "meshes.txt"), first + meshes)
    objects = read(os.path.join(dump, "objects.txt")).decode()
    write(os.path.join(dump, "objects.txt"),
          objects + objects.replace('"Box"', '"Second"').replace('"BoxMesh"', '"Crate"') +
          objects.replace('"Box"', '"P_Dome_01"').replace("component 0", "component 1")
          .replace('mesh "BoxMesh"', 'mesh "P_Dome"'))
    textures = read(os.path.join(dump, "textures.txt")).decode()
    write(os.path.join(dump, "textures.txt"), 'texture "New"\n  file "new.png"\n  external 0\n' + textures)
    edit(dump, "materials.txt", ('texture "Logo_bmp"', 'texture "New"'))
    done = bmx(s, "pack", "--json", dump, made).expect(1)
    check("M028" in done.codes(), done)
    write(os.path.join(dump, "Texture", "new.png"), "a picture")
    bmx(s, "pack", dump, made).expect(0)
    result = info(s, made)
    check([(o["name"], o.get("mesh"), o.get("component")) for o in result["object_list"]] ==
          [("Box", "BoxMesh", None), ("Second", "Crate", None), ("P_Dome_01", None, "P_Dome")], result)
    check([m["texture"] for m in result["material_list"]] == ["Logo_png", "New", "Uni"], result)
    check([m["name"] for m in result["mesh_list"]] == ["Crate", "BoxMesh"], result)
    check(("Texture/new.png", b"a picture") in members(made)[1], "no file")
    edit(dump, "objects.txt", ('mesh "Crate"', 'mesh "Grate"'))
    done = bmx(s, "pack", "--json", dump, made).expect(1)
    check(done.find("M091")["file"].endswith("objects.txt") and done.find("M091")["line"] > 10, done)


@suite.case
def an_order_of_the_index_takes_added_blocks(s, folder):
    dump, made = os.path.join(folder, "dump"), os.path.join(folder, "made.bmx")
    bmx(s, "unpack", own(s, "index_interleaved"), dump).expect(0)
    check("# order of the index" in read(os.path.join(dump, "index.txt")).decode(), "the usual order")
    textures = read(os.path.join(dump, "textures.txt")).decode()
    write(os.path.join(dump, "textures.txt"), textures + 'texture "New"\n  file "Floor_Top_Flat.bmp"\n  external 1\n')
    bmx(s, "pack", dump, made).expect(0)
    check("New" in [t["name"] for t in info(s, made)["textures"]], "not added")


@suite.case
def text_of_any_editor_is_read(s, folder):
    """Notepad saves a byte order mark and \\r\\n, and UTF-16 if asked to."""
    dump, made = os.path.join(folder, "dump"), os.path.join(folder, "made.bmx")
    bmx(s, "unpack", own(s), dump).expect(0)
    plain = {name: read(os.path.join(dump, name)).decode() for name in os.listdir(dump) if name.endswith(".txt")}
    for encoding in ("utf-8-sig", "utf-16", "utf-16-be"):
        mark = "\ufeff" if encoding == "utf-16-be" else ""
        for name, text in plain.items():
            write(os.path.join(dump, name), (mark + text.replace("\n", "\r\n")).encode(encoding))
        bmx(s, "pack", dump, made).expect(0)
        check(members(made) == members(own(s)), encoding)


@suite.case
def findings_about_names_and_flags(s, folder):
    """What Windows, file systems and Python's zip reader refuse."""
    dump, made = os.path.join(folder, "dump"), os.path.join(folder, "made.bmx")
    for name, code in (("x" * 252 + ".png", "W_TEXTURE_LENGTH"), ("aux.png", "W_TEXTURE_WINDOWS"),
                       ("a?.png", "W_TEXTURE_WINDOWS"), ("logo. ", "W_TEXTURE_WINDOWS"), ("MY_LOGO.png", "W_TEXTURE_CASE"),
                       ("com0.png", None), ("console.png", None)):
        bmx(s, "unpack", "--force", own(s), dump).expect(0)
        edit(dump, "textures.txt", ("my_logo.bmp", name))
        edit(dump, "index.txt", ('"Texture/my_logo.bmp" "', f'"Texture/{name}" "'))
        bmx(s, "pack", dump, made).expect(0)
        found = codes(checked(s, made)[0][0]) - {"W_NAME_NONASCII"}
        check(found == ({code} if code else set()), (name, found))
    data = bytearray(read(own(s)))
    at = data.index(b"PK\1\2")
    data[at + 8] |= 0x20
    found = checked(s, write(made, bytes(data)))[0][0]
    check("E_ZIP_PATCHED" in codes(found), found)


@suite.case
def findings_are_told_once(s, folder):
    path = write(os.path.join(folder, "song.bmx"), "Graphics 640,480")
    done = bmx(s, "check", path).expect(1)
    check(done.err.count("not a BM file") == 1 and "E_ZIP_MAGIC" not in done.err, done.err)
    done = bmx(s, "info", own(s, "zip_slip"), own(s)).expect(1)
    check(done.err.count("../evil.txt") == 1, done.err)
    check(b"internal_textures.bmx: BM 1.4" in done.out and b"Mat1: texture Logo_bmp" in done.out, done.out)


@suite.case
def levels_are_checked_on_request(s, _):
    path = own(s)
    bmx(s, "check", path).expect(0)
    done = bmx(s, "check", "--ballance", path).expect(1)
    check(all(text in done.err for text in ("M101", "PS_Levelstart: no object", "M102", "M103")), done.err)
    found, _ = checked(s, "--ballance", path)
    check({"L_START", "L_END", "L_SECTOR_GAP"} <= codes(found[0]), found)
    done = bmx(s, "check", "--ballance", own(s, "zip_slip")).expect(1)
    check("M101" not in done.err, "a broken file has no level")


@suite.case
def files_of_an_earlier_archive_are_removed(s, folder):
    dump = os.path.join(folder, "dump")
    bmx(s, "unpack", own(s), dump).expect(0)
    write(os.path.join(dump, "Texture", "own.png"), "of the user")
    bmx(s, "unpack", "--force", own(s, "triangle"), dump).expect(0)
    check(os.listdir(os.path.join(dump, "Texture")) == ["own.png"], os.listdir(os.path.join(dump, "Texture")))


@suite.case
def edited_text_is_kept(s, folder):
    """Nothing of the folder changes when one of its files would be replaced; with --force all are."""
    dump = os.path.join(folder, "dump")
    os.mkdir(dump)
    bmx(s, "unpack", own(s, "internal_textures"), dump).expect(0)
    meshes = os.path.join(dump, "meshes.txt")
    write(meshes, read(meshes) + b"# edited\n")
    os.remove(os.path.join(dump, "objects.txt"))

    def files():
        return {os.path.join(base, n): read(os.path.join(base, n))
                for base, _, names in os.walk(dump) for n in names}

    before = files()
    for name in ("internal_textures", "triangle"):
        done = bmx(s, "unpack", "--json", own(s, name), dump).expect(1)
        check("B503" in done.codes(), done)
        check(files() == before, f"{name} has changed files")
    bmx(s, "unpack", "--force", own(s, "triangle"), dump).expect(0)
    check(b"# edited" not in read(meshes) and os.path.exists(os.path.join(dump, "objects.txt")), "not replaced")


@suite.case
def links_in_the_folder_are_not_followed(s, folder):
    dump, outside = os.path.join(folder, "dump"), os.path.join(folder, "outside")
    for name in ("Texture", "index.txt"):
        os.mkdir(dump)
        if name == "Texture":
            os.mkdir(outside)
        os.symlink(outside, os.path.join(dump, name))
        done = bmx(s, "unpack", "--force", "--json", own(s, "internal_textures"), dump).expect(1)
        check("B504" in done.codes(), done)
        check(os.listdir(dump) == [name], os.listdir(dump))
        if name == "Texture":
            check(not os.listdir(outside), "written through the link")
            os.rmdir(outside)
        check(not os.path.exists(outside), "written through the link")
        os.remove(os.path.join(dump, name))
        os.rmdir(dump)


@suite.case
def nothing_is_written_outside_the_folder(s, folder):
    bmx(s, "unpack", own(s, "zip_slip"), os.path.join(folder, "inner", "dump")).expect(0)
    found = [os.path.relpath(os.path.join(base, name), folder)
             for base, _, names in os.walk(folder) for name in names]
    check(all(name.startswith("inner/dump/") for name in found), found)
    check(any("members" in name for name in found), found)
    check(not os.path.exists(os.path.join(os.path.dirname(folder), "evil.txt")), "slipped")


def rejects(name, code, prepare):
    for verb in ("info", "check"):
        def case(s, folder, verb=verb):
            done = bmx(s, verb, "--json", prepare(s, folder), stdin=b"").expect(1)
            check(code in done.codes(), f"{done.codes()} without {code}")

        suite.add(f"{verb}_{name}", case)


rejects("missing_file", "C001", lambda s, folder: os.path.join(folder, "none.bmx"))
rejects("directory", "C001", lambda s, folder: folder)
rejects("empty_standard_input", "M001", lambda s, folder: "-")
rejects("text", "M001", lambda s, folder: write(os.path.join(folder, "a.bmx"), "Graphics 640,480"))
rejects("half_a_file", "M002",
       lambda s, folder: write(os.path.join(folder, "a.bmx"), read(own(s))[:700]))


@suite.case
def help_and_manual_pages_are_printed(s, _):
    text = bmx(s, "--help").expect(0).out.decode()
    for verb in VERBS:
        check(f"  {verb}" in text, text)
        check(b"Usage: brushwork bmx " + verb.encode() in bmx(s, verb, "--help").expect(0).out, verb)
        check(b".Sh SYNOPSIS" in bmx(s, verb, "--man").expect(0).out, verb)
    check(b".Dt BRUSHWORK-BMX 1" in bmx(s, "--man").expect(0).out, "no manual page")


@suite.case
def bad_command_lines_are_usage_errors(s, _):
    bmx(s).expect(2)
    check("did you mean 'unpack'?" in bmx(s, "unpak").expect(2).err, "no suggestion")
    for verb, operands in VERBS.items():
        bmx(s, verb).expect(2)
        bmx(s, verb, "--frobnicate", *[own(s)] * operands).expect(2)
    bmx(s, "diff", "--tol", "-1", own(s), own(s)).expect(2)


@suite.case
def full_disk_is_an_error(s, _):
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    for arguments in (["info"], ["check", "--json"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [os.path.join(s.options.bin, "brushwork"), "bmx", *arguments, own(s)], stdout=full,
                stderr=subprocess.PIPE, timeout=600, check=False)
        check(done.returncode == 1 and b"C002" in done.stderr, done)


suite.main()
