#!/usr/bin/env python3
"""brushwork release: what is in the folder, for Source and Quake 3; what is told to be missing; the same bytes
twice; leaks, faults, signals and disks that are full leave nothing.

Ten seconds of CPU: each release is eight programs, one of which draws the pictures of a page."""
import bz2
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import time
import zipfile

import q3_rooms
import schemas
from e2e import Suite, check, read, write
from six_walls import WALLS, game, room

suite = Suite()

CUBE = [((70, 60, 50), 4)]
START = 'entity\n{\n"id" "400"\n"classname" "info_player_start"\n"origin" "0 0 -40"\n}\n'
NOISE = 'entity\n{\n"id" "401"\n"classname" "ambient_generic"\n"origin" "0 0 0"\n"message" "none/such.wav"\n}\n'


def source(s, folder, *, cubes=CUBE, more=""):
    """The map and the folder of its game, which has all files but those of the sky."""
    base = game(s, folder)
    text = room(cubes, START + more).replace('"skyname" "room"\n', "")
    return base, write(os.path.join(folder, "room.vmf"), text)


def release(s, folder, base, *options, out="out"):
    out = os.path.join(folder, out)
    done = s.run("brushwork", "release", os.path.join(folder, "room.vmf"), "-game", base, "-o", out, "--preset", "fast", *options)
    return out, done


def files_of(folder):
    return sorted(os.path.relpath(os.path.join(path, name), folder) for path, _, names in os.walk(folder) for name in names)


def check_schema(s, result):
    if schemas.jsonschema:
        schemas.Schemas(s.options.source).check("objects.schema.json", "release", result)


def sums_are_right(out):
    lines = read(os.path.join(out, "SHA256SUMS")).decode().splitlines()
    listed = [line.split("  ", 1) for line in lines]
    check([name for _, name in listed] == [n for n in files_of(out) if n != "SHA256SUMS"], listed)
    for digest, name in listed:
        check(hashlib.sha256(read(os.path.join(out, name))).hexdigest() == digest, name)
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=out, check=True)


def nothing_is_left(folder, before):
    check(sorted(os.listdir(folder)) == before, f"left: {set(os.listdir(folder)) ^ set(before)}")


@suite.case
def all_is_there(s, folder):
    base, _ = source(s, folder, more=NOISE)
    write(os.path.join(folder, "room.nav"), b"\xce\xfa\xed\xfe" * 99)
    os.makedirs(os.path.join(base, "maps"))
    write(os.path.join(base, "maps", "Room.TXT"), "A room.\n")
    out, done = release(s, folder, base, "--json")
    done.expect(0)
    check(files_of(out) == ["SHA256SUMS", "fastdl/maps/room.bsp.bz2", "fastdl/maps/room.nav.bz2", "maps/room.bsp",
                            "maps/room.nav", "maps/room.txt", "room.zip", "room_report.html"], files_of(out))
    sums_are_right(out)
    bsp = os.path.join(out, "maps", "room.bsp")
    for name in ("room.bsp", "room.nav"):
        check(bz2.decompress(read(os.path.join(out, "fastdl", "maps", name + ".bz2"))) == read(os.path.join(out, "maps", name)), name)
    with zipfile.ZipFile(os.path.join(out, "room.zip")) as archive:
        check(sorted(archive.namelist()) == ["maps/room.bsp", "maps/room.nav", "maps/room.txt"], archive.namelist())
        for name in archive.namelist():
            check(archive.read(name) == read(os.path.join(out, name)), name)
    listed = s.run("brushwork", "unpack", bsp, "--list", "--json").expect(0)
    packed = {f["name"]: f for f in json.loads(listed.out)["files"]}
    for wall in WALLS:
        check(f"materials/room/{wall}.vtf" in packed and f"materials/room/{wall}.vmt" in packed, sorted(packed))
    for name in ("c70_60_50", "cubemapdefault"):
        for ending in (".vtf", ".hdr.vtf"):
            check(f"materials/maps/room/{name}{ending}" in packed, sorted(packed))
    s.run("brushwork", "verify", bsp).expect(0)
    info = json.loads(s.run("brushwork", "info", bsp, "--json").expect(0).out)
    check(info["compressed_lumps"] > 9, info)
    result = json.loads(done.out)
    check_schema(s, result)
    check([f["name"] for f in result["files"]] == [n for n in files_of(out) if n != "SHA256SUMS"] + ["SHA256SUMS"], result["files"])
    check({f["name"] for f in result["packed"]} == {f"materials/room/{w}.{e}" for w in WALLS for e in ("vmt", "vtf")} |
          {"maps/room.txt"}, result["packed"])
    check([m["name"] for m in result["missing"]] == ["sound/none/such.wav"] and not result["absent"], result)
    sums = json.loads(s.run("brushwork", "checksum", bsp, "--json").expect(0).out)
    check(result["checksum"] == sums["files"][0]["checksum"], result["checksum"])
    check({f["path"] for f in done.result["files"]} == {os.path.join(out, n) for n in files_of(out)}, done.result["files"])
    check(b"brushwork-" not in read(os.path.join(out, "room_report.html")), "the page has names of temporary folders")
    check(os.stat(out).st_mode & 0o777 == os.stat(base).st_mode & 0o777, "permissions of the folder")


@suite.case
def the_same_bytes_twice(s, folder):
    base, _ = source(s, folder)
    first, done = release(s, folder, base, "-threads", "1")
    done.expect(0)
    second, done = release(s, folder, base, "-threads", "3", out="again")
    done.expect(0)
    check(files_of(first) == files_of(second), "files")
    for name in files_of(first):
        check(read(os.path.join(first, name)) == read(os.path.join(second, name)), name)


@suite.case
def what_the_branch_plays(s, folder):
    """No compression where games are not known to load it; options of the stages are those of the build."""
    base, _ = source(s, folder)
    for options, kinds in ((("--target", "source2007"), (True, True)), (("--no-compress", "-hdr"), (False, True))):
        out, done = release(s, folder, base, "--force", *options)
        check("compress" not in done.expect(0).out.decode().split(), done.out)
        bsp = os.path.join(out, "maps", "room.bsp")
        info = json.loads(s.run("brushwork", "info", bsp, "--json").expect(0).out)
        check(info["compressed_lumps"] == 0, options)
        directory = read(bsp)[8:]
        found = tuple(int.from_bytes(directory[16 * lump + 4:16 * lump + 8], "little") > 0 for lump in (8, 53))
        check(found == kinds, f"{options}: {found}")


@suite.case
def a_leak_leaves_nothing(s, folder):
    base = game(s, folder)
    shutil.copy(s.map("leak.vmf"), os.path.join(folder, "room.vmf"))
    before = sorted(os.listdir(folder))
    _, done = release(s, folder, base, "--json")
    check(done.expect(3).find("V001")["file"].endswith("room.vmf"), done)
    nothing_is_left(folder, before)


@suite.case
def missing_content_is_told(s, folder):
    base, _ = source(s, folder, more=NOISE)
    before = sorted(os.listdir(folder))
    _, done = release(s, folder, base, "--json", "--fail-if", "A070")
    check("V330" in done.expect(1).codes(), done)
    nothing_is_left(folder, before)
    out, done = release(s, folder, base, "--fail-if", "errors")
    lines = done.expect(0).out.decode().splitlines()
    missing = [line.split() for line in lines if line.startswith("missing ")]
    check([line[1] for line in missing] == ["sound/none/such.wav"], lines)
    absent = [line.split()[1] for line in lines if line.startswith("absent ")]
    check(absent == ["maps/room.nav", "maps/room.txt"], absent)
    check(done.err.count("sound/none/such.wav") == 1 and os.path.join(out, "maps", "room.bsp") in done.err, done.err)
    names = write(os.path.join(folder, "names.txt"), "sound/none/such.wav\nmaterials/room/px.vmt\nmaterials/room/px.vtf\n")
    _, done = release(s, folder, base, "--force", "--stock", names)
    check("missing  " not in done.expect(0).out.decode() and b"px.v" not in done.out, done.out)


@suite.case
def messages_of_two_steps_are_one(s, folder):
    base, vmf = source(s, folder)
    write(vmf, read(vmf).decode().replace(START, ""))
    _, done = release(s, folder, base, "--json")
    check(done.expect(0).codes().count("V467") == 1, done)
    check(len(done.codes()) == len({json.dumps(d, sort_keys=True) for d in done.diagnostics}), done.codes())


@suite.case
def earlier_releases_are_replaced_when_asked(s, folder):
    base, _ = source(s, folder)
    os.makedirs(os.path.join(folder, "empty"))
    out, done = release(s, folder, base, out="empty/")
    done.expect(0)
    sums_are_right(out)
    write(os.path.join(out, "old.txt"), "old")
    before = {name: read(os.path.join(out, name)) for name in files_of(out)}
    check("B505" in release(s, folder, base, "--json", out="empty")[1].expect(1).codes(), "no B505")
    check({name: read(os.path.join(out, name)) for name in files_of(out)} == before, "changed")
    release(s, folder, base, "--force", out="empty")[1].expect(0)
    check(files_of(out) == sorted(set(before) - {"old.txt"}), files_of(out))
    other = os.path.join(folder, "mine")
    write(os.path.join(folder, "mine.txt"), "mine")
    os.makedirs(other)
    write(os.path.join(other, "letter.txt"), "mine")
    for place in ("mine", "mine.txt"):
        check("B505" in release(s, folder, base, "--force", "--json", out=place)[1].expect(1).codes(), place)
    check(files_of(other) == ["letter.txt"] and read(os.path.join(folder, "mine.txt")) == b"mine", "changed")


@suite.case
def failed_writes_leave_nothing(s, folder):
    """A size that no file may have is as good as a full disk; a file in the place of the folder above."""
    base, _ = source(s, folder)
    before = sorted(os.listdir(folder))
    for most in (9000, 24000, 40000):
        done = s.run("brushwork", "release", os.path.join(folder, "room.vmf"), "-game", base, "-o", os.path.join(folder, "out"),
                     "--preset", "fast", "--json",
                     preexec=lambda most=most: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
        check(done.status == 1 and "C002" in done.codes(), f"{most}: {done}")
        nothing_is_left(folder, before)
    write(os.path.join(folder, "file"), "")
    check(release(s, folder, base, "--json", out="file/out")[1].expect(1).codes() == ["C002"], "a file above")


@suite.case
def signals_leave_nothing(s, folder):
    base, _ = source(s, folder, cubes=[((x, y, 0), 7) for x in range(-100, 101, 50) for y in range(-100, 101, 50)])
    before = sorted(os.listdir(folder))
    process = subprocess.Popen([os.path.join(s.options.bin, "brushwork"), "release", os.path.join(folder, "room.vmf"), "-game",
                                base, "-o", os.path.join(folder, "out"), "-threads", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while sorted(os.listdir(folder)) == before and process.poll() is None:
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    text = process.communicate(timeout=60)[1].decode()
    check(process.returncode == -signal.SIGTERM and "C352" in text, f"{process.returncode}: {text}")
    nothing_is_left(folder, before)


@suite.case
def command_lines_that_cannot_be(s, folder):
    base, vmf = source(s, folder)
    before = sorted(os.listdir(folder))
    for words in ((vmf,), ("-", "-game", base), (vmf, vmf, "-game", base), (vmf[:-4] + ".bsp", "-game", base),
                  (vmf, "-game", base, "--sandbox"), (vmf, "-game", base, "--target", "ballance")):
        check("T001" in s.run("brushwork", "release", *words, "--json").expect(2).codes(), words)
    nothing_is_left(folder, before)


def quake3(folder, more=""):
    """A game with a pack of its own and files of the map's, and the map."""
    base = os.path.join(folder, "q", "baseq3")
    os.makedirs(os.path.join(base, "textures", "base"))
    tga = bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 8, 0, 24, 0]) + bytes([90, 60, 30]) * 64
    write(os.path.join(base, "textures", "base", "wall.tga"), tga)
    with zipfile.ZipFile(os.path.join(base, "pak0.pk3"), "w") as archive:
        archive.writestr("textures/stock/floor.tga", tga)
    light = q3_rooms.entity(classname="light", origin="0 0 60", light="300")
    return os.path.join(folder, "q"), write(os.path.join(folder, "arena.map"), q3_rooms.a_map(q3_rooms.room(128, 96), light, more))


@suite.case
def quake3_gets_a_pack(s, folder):
    q, path = quake3(folder, q3_rooms.entity(classname="target_speaker", origin="0 0 40", noise="sound/none.wav"))
    write(os.path.join(folder, "arena.aas"), b"EAAS\5" + bytes(130))
    out = os.path.join(folder, "arena_release")
    done = s.run("brushwork", "release", path, "-game", q, "--json", "--preset", "fast", "-external").expect(0)
    check(files_of(out) == ["SHA256SUMS", "arena.pk3", "arena_report.html", "maps/arena.bsp"], files_of(out))
    sums_are_right(out)
    with zipfile.ZipFile(os.path.join(out, "arena.pk3")) as archive:
        names = set(archive.namelist())
        check(archive.read("maps/arena.bsp") == read(os.path.join(out, "maps", "arena.bsp")), "the map")
        check(archive.read("maps/arena.aas") == read(os.path.join(folder, "arena.aas")), "bots")
    check("textures/base/wall.tga" in names and "maps/arena/lm_0000.tga" in names and "textures/stock/floor.tga" not in names, names)
    result = json.loads(done.out)
    check_schema(s, result)
    check([m["name"] for m in result["missing"]] == ["sound/none.wav"] and not result["absent"], result)
    packed = {m["name"]: m["reason"] for m in result["packed"]}
    check(set(packed) == names - {"maps/arena.bsp", "scripts/arena.shader"} | {"arena/lm_0000_0"}, (packed, names))
    check(packed["maps/arena/lm_0000.tga"] == "surface or brush -> arena/lm_0000_0 map", packed)
    first = {name: read(os.path.join(out, name)) for name in files_of(out)}
    os.remove(os.path.join(folder, "arena.aas"))
    done = s.run("brushwork", "release", path, "-game", q, "--preset", "fast", "-external", "--force").expect(0)
    check("absent    maps/arena.aas" in done.out.decode(), done.out)
    second = {name: read(os.path.join(out, name)) for name in files_of(out)}
    check(first["maps/arena.bsp"] == second["maps/arena.bsp"] and first["arena_report.html"] == second["arena_report.html"], "bytes")


suite.main()
