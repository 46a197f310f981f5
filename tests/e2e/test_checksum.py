#!/usr/bin/env python3
"""brushwork checksum: the CRC-32 over lumps, against Python's own."""
import json
import os
import struct
import zlib

from e2e import Suite, check, read, write

suite = Suite()


def own(s):
    return os.path.join(s.options.source, "tests", "fuzz", "seeds", "bsp", "portal.bsp")


def expected(data):
    """Of a file whose directory has the usual order of fields."""
    total = 0
    for number in range(1, 64):
        offset, length = struct.unpack_from("<2i", data, 8 + 16 * number)
        total = zlib.crc32(data[offset:offset + length], total)
    return total


@suite.case
def a_line_a_map(s, folder):
    total = expected(read(own(s)))
    other = bytearray(read(own(s)))
    offset, _ = struct.unpack_from("<2i", other, 8 + 16 * 1)
    other[offset] ^= 1
    changed = write(os.path.join(folder, "other.bsp"), bytes(other))
    lines = s.run("brushwork", "checksum", own(s), changed).expect(0).out.decode().splitlines()
    check(lines == [f"{total:08x}  {total:10}  {own(s)}",
                    f"{expected(other):08x}  {expected(other):10}  {changed}"], lines)
    check(expected(other) != total, "the sums are the same")


@suite.case
def as_json(s, _):
    total = expected(read(own(s)))
    told = json.loads(s.run("brushwork", "checksum", "--json", "-", stdin=read(own(s))).expect(0).out)
    check(told == {"version": 1, "files": [{"file": "-", "crc32": f"{total:08x}", "checksum": total}]}, told)


@suite.case
def entities_do_not_count(s, folder):
    data = bytearray(read(own(s)))
    offset, _ = struct.unpack_from("<2i", data, 8)
    data[offset + 1:offset + 9] = b"        "
    path = write(os.path.join(folder, "map.bsp"), bytes(data))
    lines = s.run("brushwork", "checksum", own(s), path).expect(0).out.splitlines()
    check(lines[0].split()[0] == lines[1].split()[0], lines)


@suite.case
def what_is_no_vbsp_is_told(s, folder):
    bad = write(os.path.join(folder, "bad.bsp"), "VBSP")
    quake = write(os.path.join(folder, "quake.bsp"), b"IBSP" + struct.pack("<i", 46) + bytes(136))
    done = s.run("brushwork", "checksum", "--json", bad, quake, own(s)).expect(1)
    check(done.codes() == ["B002", "B147"], done)
    check(len(json.loads(done.out)["files"]) == 1, done.out)


@suite.case
def real_maps(s, _):
    for base, _, names in os.walk(s.corpus()):
        for name in names:
            path = os.path.join(base, name)
            usual = name.endswith(".bsp") and not name.startswith("l4d2")
            if usual and read(path)[:4] == b"VBSP":
                line = s.run("brushwork", "checksum", path).expect(0).out.decode()
                check(line.startswith(f"{expected(read(path)):08x} "), line)


suite.main()
