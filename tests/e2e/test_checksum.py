#!/usr/bin/env python3
"""brushwork checksum: the CRC-32 over lumps, against Python's own; and that of Quake 3."""
import json
import os
import struct
import zipfile
import zlib

import openarena
from e2e import Suite, check, read, write

suite = Suite()


def own(s):
    return os.path.join(s.options.source, "tests", "fuzz", "seeds", "bsp", "portal.bsp")


def expected(data):
    """For a file whose directory has the usual order of fields."""
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


def md4(data):
    """RFC 1320, in its own words."""
    def turn(x, count):
        return (x << count | (x & 0xffffffff) >> 32 - count) & 0xffffffff

    rounds = ((lambda x, y, z: x & y | ~x & z, 0, range(16), (3, 7, 11, 19)),
              (lambda x, y, z: x & y | x & z | y & z, 0x5a827999,
               [i + 4 * j for i in range(4) for j in range(4)], (3, 5, 9, 13)),
              (lambda x, y, z: x ^ y ^ z, 0x6ed9eba1,
               [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15], (3, 9, 11, 15)))
    state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]
    text = data + b"\x80" + bytes((55 - len(data)) % 64) + struct.pack("<Q", 8 * len(data))
    for at in range(0, len(text), 64):
        words, s = struct.unpack_from("<16I", text, at), list(state)
        for mix, constant, order, turns in rounds:
            for i, word in enumerate(order):
                s[0] = turn((s[0] + mix(*s[1:]) + words[word] + constant) & 0xffffffff, turns[i % 4])
                s = [s[3], *s[:3]]
        state = [(a + b) & 0xffffffff for a, b in zip(state, s)]
    return struct.pack("<4I", *state)


def folded(digest):
    a, b, c, d = struct.unpack("<4I", digest)
    return a ^ b ^ c ^ d


@suite.case
def quake3_has_another(s, folder):
    check(md4(b"abc").hex() == "a448017aaf21d8525fc10ae87aa6729d", "the test is wrong")
    bsp = os.path.join(folder, "map.bsp")
    s.run("vbsp", "-o", bsp, s.map("q3_box.map")).expect(0)
    digest = md4(read(bsp))
    line = s.run("brushwork", "checksum", bsp).expect(0).out.decode()
    check(line == f"{folded(digest):08x}  {folded(digest):10}  {bsp}\n", line)
    told = json.loads(s.run("brushwork", "checksum", "--json", bsp).expect(0).out)["files"]
    check(told == [{"file": bsp, "md4": digest.hex(), "checksum": folded(digest)}], told)


def aas(version, checksum):
    """A header of bot navigation: an XOR hides it in version 5."""
    header = bytearray(struct.pack("<29i", checksum, *range(28)))
    if version == 5:
        header = bytes(byte ^ i * 119 & 255 for i, byte in enumerate(header))
    return b"EAAS" + struct.pack("<i", version) + bytes(header) + b"lumps"


@suite.case
def it_is_written_into_an_aas(s, folder):
    bsp, path = os.path.join(folder, "map.bsp"), os.path.join(folder, "map.aas")
    s.run("vbsp", "-o", bsp, s.map("q3_box.map")).expect(0)
    total = folded(md4(read(bsp)))
    signed = total - (total >> 31 << 32)
    for version in (4, 5):
        write(path, aas(version, 12345))
        s.run("brushwork", "checksum", "--sandbox", bsp, "--aas", path).expect(0)
        check(read(path) == aas(version, signed), f"version {version}: other bytes")
    for bad in (aas(6, 1), aas(5, 1)[:123], b"EABS" + aas(5, 1)[4:]):
        write(path, bad)
        done = s.run("brushwork", "checksum", "--json", bsp, "--aas", path).expect(1)
        check(done.codes() == ["B172"] and read(path) == bad, done)
    check(s.run("brushwork", "checksum", bsp, bsp, "--aas", path).status == 2, "two maps")
    done = s.run("brushwork", "checksum", "--json", own(s), "--aas", path).expect(1)
    check(done.codes() == ["B173"], done)


@suite.case
def as_in_the_files_of_openarena(s, folder):
    """The game's own .aas of a map is not changed by a byte."""
    for pack in openarena.packs():
        with zipfile.ZipFile(pack) as archive:
            names = archive.namelist()
            for name in ("oacmpdm8", "oacmpdm2", "oacmpctf2"):
                if f"maps/{name}.bsp" in names and f"maps/{name}.aas" in names:
                    bsp, path = (archive.extract(f"maps/{name}.{e}", folder) for e in ("bsp", "aas"))
                    before = read(path)
                    s.run("brushwork", "checksum", bsp, "--aas", path).expect(0)
                    check(read(path) == before, name)


@suite.case
def what_has_no_checksum_is_told(s, folder):
    bad = write(os.path.join(folder, "bad.bsp"), "VBSP")
    quake = write(os.path.join(folder, "quake2.bsp"), b"IBSP" + struct.pack("<i", 38) + bytes(152))
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
