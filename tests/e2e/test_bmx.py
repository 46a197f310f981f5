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
    """A sample of ours that is always there."""
    return os.path.join(s.options.source, "tests", "fuzz", "seeds", "bmx", name + ".bmx")


def bmx(s, *arguments, **options):
    return s.run("brushwork", "bmx", *arguments, **options)


def checked(s, *files):
    """The object that `check --json` prints of each file, and the exit status."""
    done = bmx(s, "check", "--json", *files)
    return [json.loads(line) for line in done.out.splitlines()], done.status


def codes(told):
    return {finding["code"] for finding in told["findings"]}


def members(path):
    with zipfile.ZipFile(path) as archive:
        return archive.comment, [(m.filename, archive.open(m).read()) for m in archive.infolist()]


def samples(s):
    with open(s.corpus("bmx", "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    return {s.corpus("bmx", name): about for name, about in manifest.items()}


def repack(s, path, folder):
    """The file unpacked and packed again, or None when it cannot be read whole."""
    dump, made = os.path.join(folder, "dump"), os.path.join(folder, "made.bmx")
    if bmx(s, "unpack", path, dump).status:
        return None
    bmx(s, "pack", "--force", dump, made).expect(0)
    return made


@suite.case
def check_tells_the_codes_of_the_manifest(s, _):
    about = samples(s)
    told, status = checked(s, *about)
    check(status == 1 and len(told) == len(about) == 65, f"{len(told)} files, status {status}")
    for result in told:
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
    told = json.loads(bmx(s, "info", "--json", own(s)).expect(0).out)
    check(told["bm_version"] == 14 and told["version"] == 1 and told["comment"] == "Use BM Spec 1.4", told)
    check((told["objects"], told["meshes"], told["materials"]) == (1, 1, 3), told)
    check(told["internal_textures"] == 3 and told["bounds"]["maxs"] == [4, 4, 4], told)
    check(told["members"] == [{"name": name, "bytes": len(data)}
                              for name, data in members(own(s))[1]], told["members"])
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
    for a in files:
        for b in files[:5]:
            for options in ([], ["--no-normals"], ["--tol", "0.5"]):
                other = subprocess.run([sys.executable, tool, "--diff", a, b, *options],
                                       stdout=subprocess.DEVNULL, timeout=60, check=False)
                done = bmx(s, "diff", "--json", *options, a, b).expect(other.returncode)
                told = json.loads(done.out)
                check(told["same"] == (not told["differences"]) == (done.status == 0), told)


@suite.case
def text_can_be_changed(s, folder):
    dump, made = os.path.join(folder, "dump"), os.path.join(folder, "made.bmx")
    bmx(s, "unpack", own(s, "triangle"), dump).expect(0)
    meshes = os.path.join(dump, "meshes.txt")
    lines = read(meshes).decode().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("  v "))
    lines[at] = "  v 0.5 -0 1e-45"
    write(meshes, "\n".join(lines) + "\n")
    bmx(s, "pack", dump, made).expect(0)
    told = json.loads(bmx(s, "diff", "--json", own(s, "triangle"), made).expect(1).out)
    check(all("position" in d["where"] for d in told["differences"]), told)
    objects = os.path.join(dump, "objects.txt")
    write(objects, read(objects).decode().replace("mesh 0", "mesh 1"))
    os.remove(made)
    done = bmx(s, "pack", "--json", dump, made).expect(1)
    check("M022" in done.codes() and not os.path.exists(made), done)
    bmx(s, "pack", "--force", dump, made).expect(0)
    write(objects, read(objects).decode().replace("mesh 1", "mesh one"))
    done = bmx(s, "pack", "--json", dump, made).expect(1)
    check(done.find("M091")["line"] > 1, done)


@suite.case
def nothing_is_written_outside_the_folder(s, folder):
    bmx(s, "unpack", own(s, "zip_slip"), os.path.join(folder, "inner", "dump")).expect(0)
    found = [os.path.relpath(os.path.join(base, name), folder)
             for base, _, names in os.walk(folder) for name in names]
    check(all(name.startswith("inner/dump/") for name in found), found)
    check(any("members" in name for name in found), found)
    check(not os.path.exists(os.path.join(os.path.dirname(folder), "evil.txt")), "slipped")


def refuse(name, code, prepare):
    for verb in ("info", "check"):
        def case(s, folder, verb=verb):
            done = bmx(s, verb, "--json", prepare(s, folder), stdin=b"").expect(1)
            check(code in done.codes(), f"{done.codes()} without {code}")

        suite.add(f"{verb}_{name}", case)


refuse("missing_file", "C001", lambda s, folder: os.path.join(folder, "none.bmx"))
refuse("directory", "C001", lambda s, folder: folder)
refuse("empty_standard_input", "M001", lambda s, folder: "-")
refuse("text", "M001", lambda s, folder: write(os.path.join(folder, "a.bmx"), "Graphics 640,480"))
refuse("half_a_file", "M002",
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
                stderr=subprocess.PIPE, timeout=60, check=False)
        check(done.returncode == 1 and b"C002" in done.stderr, done)


suite.main()
