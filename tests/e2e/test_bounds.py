#!/usr/bin/env python3
"""Bounds of a run (--max-memory, --max-time) and the end of memory: told with the phase and what
drove it, with the documented exit status, and nothing left behind."""
import os
import resource
import struct
import sys
import zlib

from e2e import Suite, check, read, write
from interrupts import Over, in_time
from vmf_boxes import pillars, room

suite = Suite()
MB = 1 << 20
PROGRAMS = {  # a run of each that takes more than 40 MB or needs the ray library
    "vbsp": ["map.vmf", "-o", "out.bsp"],
    "vrad": ["lit.bsp", "-o", "out.bsp"],
    "brushwork": ["render", "lit.bsp", "--samples", "1", "-o", "out.png"],
}


def prepare(s, folder, *names, scale=1):
    """map.vmf takes vbsp 50 MB, open.bsp takes vvis a second, lit.bsp has 2.6 million luxels."""
    texts = {"map": lambda: room(4096, 512, pillars(12, 300)), "open": lambda: room(4096, 512, pillars(7, 400)),
             "lit": lambda: room(512, 256, scale=scale)}
    for name in names:
        stem = os.path.join(folder, name)
        write(stem + ".vmf", texts[name]())
        if name != "map":
            s.run("vbsp", stem + ".vmf", "-o", stem + ".bsp").expect(0)


def leaves_nothing(folder, run):
    """Runs it and returns the result; the files of the folder must be the same afterwards."""
    def state():
        return {n: read(os.path.join(folder, n)) for n in os.listdir(folder)}
    before = state()
    done = run()
    after = state()
    check(after == before, f"the folder changed: {sorted(set(after) ^ set(before))} {done}")
    return done


@suite.case
def memory_is_bounded(s, folder):
    prepare(s, folder, "map", "lit")
    for size, program in (("6M", "vbsp"), ("40M", "vrad"), ("20M", "brushwork")):
        write(os.path.join(folder, PROGRAMS[program][-1]), b"older")
        done = leaves_nothing(folder, lambda p=program, m=size: s.run(
            p, *PROGRAMS[p], "--max-memory", m, "--json", cwd=folder)).expect(5)
        message = done.find("C351")["message"]
        check("--max-memory " + size[:-1] + " MB" in message, message)
        check('"' in message and " of " in message, f"no phase: {message}")
        check(program != "vrad" or " luxels" in message, f"not what drove it: {done}")
        check(done.result["exit_status"] == 5, str(done.result))


@suite.case
def a_bound_that_suffices_changes_nothing(s, folder):
    prepare(s, folder, "map")
    for name, bound in (("a.bsp", []), ("b.bsp", ["--max-memory", "4g", "--max-time", "600"])):
        s.run("vbsp", "map.vmf", "-o", name, *bound, cwd=folder).expect(0)
    check(read(os.path.join(folder, "a.bsp")) == read(os.path.join(folder, "b.bsp")), "bytes")


@suite.case
def a_size_that_is_none_is_refused(s, folder):
    for size in ("many", "-1M", "10", "5X", "nan", ""):
        done = s.run("vvis", "x.bsp", "--max-memory", size, "--json", cwd=folder).expect(2)
        check("--max-memory" in done.diagnostics[0]["message"], str(done))


@suite.case
def time_is_bounded(s, folder):
    prepare(s, folder, "lit")
    done = leaves_nothing(folder, lambda: s.run("vrad", "lit.bsp", "-o", "out.bsp", "-final", "-threads", "1",
                                                "--max-time", "0.1", "--json", cwd=folder))
    done.expect(5)
    check('--max-time 0.1 seconds: in "' in done.find("C351")["message"], str(done))


@suite.case
def vvis_keeps_its_checkpoint(s, folder):
    """The run that is resumed gives what a run without a bound gives."""
    prepare(s, folder, "open")
    s.run("vvis", "open.bsp", "-o", "whole.bsp", cwd=folder).expect(0)
    bound = 0.2

    def bounded(_turn):
        """On a busy machine that time may be over before there is anything to keep; on a fast one the run may be."""
        nonlocal bound
        found = s.run("vvis", "open.bsp", "-o", "part.bsp", "-threads", "1", "--max-time", bound, "--json", cwd=folder)
        if found.status == 0 or not os.path.exists(os.path.join(folder, "part.vischeckpoint")):
            bound *= 1.7 if found.status else 0.5
            raise Over
        return found.expect(5)

    done = in_time(folder, bounded)
    check("clusters" in done.find("C351")["message"], str(done))
    check(os.path.exists(os.path.join(folder, "part.vischeckpoint")), "no checkpoint")
    s.run("vvis", "open.bsp", "-o", "part.bsp", "--resume", cwd=folder).expect(0)
    check(read(os.path.join(folder, "part.bsp")) == read(os.path.join(folder, "whole.bsp")),
          "other bytes after the bound")


@suite.case
def vvis_decides_within_a_budget(s, folder):
    """On an open map, where pairs are decided one by one."""
    prepare(s, folder, "open")
    before = None
    for budget in (1, 1000, 20000, 1000000000, 0):
        out = os.path.join(folder, "out.bsp")
        done = s.run("vvis", "open.bsp", "-o", out, "--budget", budget, "--json", cwd=folder).expect(0)
        counters = done.result["stages"][0]["counters"]
        left, seen = counters.get("pairs_left_open", 0), counters["visible_cluster_pairs"]
        chains = counters["chains"] + counters["cluster_flow_steps"]
        check(not 0 < budget < 1e6 or chains < budget + 20000, f"{chains} chains, not {budget}")
        check(("I029" in done.codes()) == (left > 0), str(done))
        check(before is None or left <= before[0] and seen <= before[1], f"{before} {left} {seen}")
        check(before is not None or left > 1000, f"only {left} pairs left open")
        if budget == 1000000000:
            unbounded = read(out)
        before = left, seen
    check(unbounded == read(out), "a budget that suffices changes the bytes")


def without_memory(megabytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MB, megabytes * MB))
    return limit


def starts(s, program, megabytes):
    """False where the system's loader, or a library before main, does not have enough."""
    return s.run(program, "--version", preexec=without_memory(megabytes)).status == 0


@suite.case
def without_memory_all_say_the_same(s, folder):
    """At any limit a program either succeeds or says C350 with status 4, and leaves nothing. What suffices is not
    raised further."""
    prepare(s, folder, "map", "lit", scale=2)
    seen = set()
    for program, arguments in PROGRAMS.items():
        for threads in (1, 2):  # at the limits between
            for megabytes in range(20 + 10 * threads, 260, 20):
                output = os.path.join(folder, arguments[-1])
                if os.path.exists(output):
                    os.remove(output)
                before = set(os.listdir(folder))
                done = s.run(program, *arguments, "-threads", threads, "--json", cwd=folder,
                             preexec=without_memory(megabytes))
                if done.status == 0:
                    break
                if not starts(s, program, megabytes):
                    continue
                check(done.status == 4, f"{megabytes} MB, {threads} threads: {done.status} {done}")
                check(done.codes().count("C350") == 1 and "C099" not in done.codes(), str(done))
                check(set(os.listdir(folder)) == before, f"left: {os.listdir(folder)}")
                seen.add(program)
    check(seen == set(PROGRAMS), f"only {seen} ran out of memory")


@suite.case
def a_luxel_takes_little_memory(s, folder):
    """Of flat faces, small, in one style: little more than its direct light, 12 bytes, and what
    matches seams."""
    prepare(s, folder, "lit")
    megabytes = 80
    done = s.run("vrad", "lit.bsp", "-o", "out.bsp", "-threads", "1", "--max-memory", f"{megabytes}M", "--json",
                 cwd=folder).expect(0)
    luxels = done.result["light"]["luxels"]
    check(luxels * 25 >= megabytes * MB, f"{luxels} luxels")


@suite.case
def equal_patches_block_light_once(s, folder):
    """Patches of Quake 3 that were placed many times: rays test the triangles of one."""
    growth = os.path.join(s.options.source, "tests", "bench")
    sys.path.insert(0, growth)
    from growth import patches_map
    for count in (3, 12):
        write(os.path.join(folder, "p.map"), patches_map(count, 0))
        s.run("vbsp", "p.map", "-o", "p.bsp", cwd=folder).expect(0)
        done = s.run("vrad", "p.bsp", "-threads", "1", "--json", cwd=folder).expect(0)
        found = done.result["stages"][0]["counters"]
        check(found.get("repeated_triangles") == 32 * (count - 1), f"{count} patches: {found}")
    write(os.path.join(folder, "p.map"), patches_map(12, 1))
    s.run("vbsp", "p.map", "-o", "p.bsp", cwd=folder).expect(0)
    done = s.run("vrad", "p.bsp", "-threads", "1", "--json", cwd=folder).expect(0)
    check("repeated_triangles" not in done.result["stages"][0]["counters"], str(done))


def game_with(folder, name, size):
    """A game folder that has a file of that size, nearly all of it a hole."""
    path = os.path.join(folder, "game", name)
    os.makedirs(os.path.dirname(path))
    write(os.path.join(folder, "game", "gameinfo.txt"),
          '"GameInfo"\n{\nFileSystem\n{\nSearchPaths\n{\ngame |gameinfo_path|.\n}\n}\n}\n')
    write(path, b"\"LightmappedGeneric\"\n{\n}\n" + b" " * 100)
    os.truncate(path, size)
    return path


@suite.case
def a_huge_material_is_not_read(s, folder):
    write(os.path.join(folder, "map.vmf"), room(512, 256))
    for size, told in ((MB, False), (MB + 1, True)):
        base = os.path.join(folder, str(size))
        game_with(base, "materials/dev/dev_measuregeneric01.vmt", size)
        done = s.run("vbsp", "map.vmf", "-o", "out.bsp", "-game", os.path.join(base, "game"), "--json",
                     cwd=folder)
        big = [d for d in done.diagnostics if "larger than 1048576 bytes" in d["message"]]
        check(bool(big) == told, f"{size}: {done}")
        check(done.status == (1 if told else 0), str(done))


@suite.case
def a_source_without_end_is_not_read(s, folder):
    path = os.path.join(folder, "map.vmf")
    write(path, room(512, 256))
    os.truncate(path, 1025 * MB)
    done = s.run("vbsp", "map.vmf", "--max-memory", "100M", "--json", cwd=folder).expect(1)
    check("larger than 1073741824 bytes" in done.diagnostics[0]["message"], str(done))


@suite.case
def standard_input_without_end_is_not_read(s, folder):
    for command in (["vbsp", "-", "-o", "out.bsp"], ["brushwork", "verify", "-"], ["brushwork", "bmx", "check", "-"]):
        with open("/dev/zero", "rb") as zeros:
            done = leaves_nothing(folder, lambda c=command, z=zeros: s.run(
                *c, "--max-memory", "60M", "--json", stdin=z, cwd=folder)).expect(5)
        done.find("C351")


@suite.case
def verify_does_not_unpack_a_bomb(s, folder):
    """An archive that claims 4 GB: nothing of it is unpacked, which would take 14 s."""
    prepare(s, folder, "open")
    bomb = zipfile_of(os.path.join(folder, "bomb.zip"))
    lump = os.path.join(folder, "open.bsp")
    data = bytearray(read(lump))
    at = 8 + 16 * 40
    data[at:at + 8] = struct.pack("<II", len(data), len(bomb))
    write(lump, bytes(data) + bomb)
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = s.run("brushwork", "verify", "open.bsp", "--json", cwd=folder).expect(1)
    check(any("unpack to more than 2147483648 bytes" in d["message"] for d in done.diagnostics),
          str(done))
    check(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start < 3, "it was unpacked")


def zipfile_of(path):
    """20 members of 200 MB of zeros each, that share no bytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = (packer.compress(bytes(MB)) + packer.flush(zlib.Z_FULL_FLUSH)) * 200 + packer.flush()
    out, directory, crc = bytearray(), bytearray(), 0
    for _ in range(200):
        crc = zlib.crc32(bytes(MB), crc)
    for i in range(20):
        name = b"materials/%02d.vmt" % i
        head = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0, crc, len(packed), 200 * MB, len(name), 0)
        directory += (b"PK\1\2\x14\0" + head + struct.pack("<HHHII", 0, 0, 0, 0, len(out)) + name)
        out += b"PK\3\4" + head + name + packed
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 20, 20, len(directory), len(out), 0)
    return bytes(out + directory + end)


suite.main()
