#!/usr/bin/env python3
"""brushwork info and brushwork verify from the command line: what they print, their exit status,
and what they do with files that are none."""
import json
import os
import struct
import subprocess

from e2e import Skip, Suite, check, read, write

suite = Suite()
VERBS = ("info", "verify")


def own(s):
    """A map of ours: VBSP 20, 60 clusters, light of both kinds."""
    return os.path.join(s.options.source, "tests", "fuzz", "seeds", "bsp", "portal.bsp")


def info(s, *arguments, **options):
    return json.loads(s.run("brushwork", "info", "--json", *arguments, **options).expect(0).out)


def by_name(items, key="name"):
    return {item[key]: item for item in items}


@suite.case
def info_tells_what_the_header_says(s, _):
    data = read(own(s))
    told = info(s, own(s))
    check(told["format"] == "VBSP 20" and told["bsp_version"] == 20 and told["version"] == 1, told["format"])
    check(told["target"] == "sdk2013", told["target"])
    check(told["bytes"] == len(data), told["bytes"])
    check(told["revision"] == struct.unpack_from("<i", data, 1032)[0], told["revision"])
    for lump in told["lumps"]:
        offset, length, version = struct.unpack_from("<3i", data, 8 + 16 * lump["index"])
        check((lump["offset"], lump["length"], lump["version"]) == (offset, length, version), lump)


@suite.case
def info_counts(s, _):
    told = info(s, own(s))
    lumps = by_name(told["lumps"])
    check(lumps["planes"]["count"] == lumps["planes"]["length"] // 20, lumps["planes"])
    check(lumps["displacements"]["count"] == 1 and lumps["overlays"]["count"] == 8, "carried lumps")
    check(told["lightmap_bytes"] == {"ldr": 88544, "hdr": 88544}, told["lightmap_bytes"])
    check(told["clusters"] == told["visibility"]["clusters"] == 60, told["visibility"])
    check(told["world"]["mins"] == [-16, -16, -16], told["world"])
    classes = {c["class"]: c["count"] for c in told["classes"]}
    check(classes["worldspawn"] == 1 and classes["light"] == 9, classes)
    check(sum(classes.values()) == told["entities"] == read(own(s)).count(b'"classname"'), classes)
    limit = by_name(told["limits"])["faces"]
    check(limit["used"] == lumps["faces"]["count"] and limit["maximum"] == 65536, limit)
    check(abs(limit["percent"] - 100 * limit["used"] / 65536) < 1e-9, limit)


@suite.case
def info_speaks_to_people(s, _):
    text = s.run("brushwork", "info", own(s)).expect(0).out.decode()
    for part in ("VBSP 20 (sdk2013), revision 1", "clusters    60", "leaf faces", "worldspawn"):
        check(part in text, f"no {part!r} in\n{text}")


@suite.case
def standard_input_is_a_file(s, _):
    data = read(own(s))
    check(info(s, "-", stdin=data)["bytes"] == len(data), "bytes of standard input")
    out = s.run("brushwork", "verify", "-", stdin=data).expect(0).out
    check(b"no errors" in out, out)


def refuse(name, code, prepare):
    for verb in VERBS:
        def case(s, folder, verb=verb):
            done = s.run("brushwork", verb, "--json", prepare(s, folder), stdin=b"").expect(1)
            check(code in done.codes(), f"{done.codes()} without {code}")
            check(not done.out, done.out)

        suite.add(f"{verb}_{name}", case)


def version(number):
    return lambda s, folder: write(os.path.join(folder, "a.bsp"),
                                   b"VBSP" + struct.pack("<i", number) + read(own(s))[8:])


refuse("missing_file", "C001", lambda s, folder: os.path.join(folder, "none.bsp"))
refuse("directory", "C001", lambda s, folder: folder)
refuse("empty_file", "B002", lambda s, folder: write(os.path.join(folder, "a.bsp"), b""))
refuse("empty_standard_input", "B002", lambda s, folder: "-")
refuse("text", "B001", lambda s, folder: write(os.path.join(folder, "a.bsp"), "world\n{\n}\n"))
refuse("half_a_file", "B002",
       lambda s, folder: write(os.path.join(folder, "a.bsp"), read(own(s))[:200000]))


@suite.case
def unknown_versions_are_told_of_by_name(s, folder):
    for number, game in ((22, "INFRA"), (25, "Strata"), (29, "Titanfall"), (100, "Online 2")):
        path = version(number)(s, folder)
        told = info(s, path)
        check(not told["supported"] and game in told["format"], told["format"])
        check(told["entities"] == read(own(s)).count(b'"classname"'), told["entities"])
        check(told["pakfile_files"] == info(s, own(s))["pakfile_files"], told["pakfile_files"])
        for verb in ("verify", "convert"):
            arguments = [path] + [os.path.join(folder, "out.bsp")] * (verb == "convert")
            done = s.run("brushwork", verb, "--json", *arguments).expect(1)
            check("B001" in done.codes(), done.codes())
            check(game in done.diagnostics[0]["message"], done.diagnostics)
        check(not os.path.exists(os.path.join(folder, "out.bsp")), "something was written")


@suite.case
def verify_finds_a_fault_and_goes_on(s, folder):
    data = bytearray(read(own(s)))
    planes = struct.unpack_from("<i", data, 8 + 16)[0]
    struct.pack_into("<f", data, planes + 12, 12345.0)
    bad = write(os.path.join(folder, "bad.bsp"), bytes(data))
    done = s.run("brushwork", "verify", "--json", bad, own(s)).expect(1)
    check("B102" in done.codes(), done.codes())
    check(all(d["file"].endswith("bad.bsp") for d in done.diagnostics), "the file is named")
    check(b"portal.bsp" in done.out and b"bad.bsp" not in done.out, done.out)


@suite.case
def verify_is_quiet_when_asked(s, _):
    done = s.run("brushwork", "verify", "--quiet", own(s)).expect(0)
    check(not done.out and not done.err, done)


@suite.case
def bad_command_lines_are_usage_errors(s, _):
    for verb in VERBS:
        s.run("brushwork", verb).expect(2)
        s.run("brushwork", verb, "--frobnicate", own(s)).expect(2)
    s.run("brushwork", "info", own(s), own(s)).expect(2)


@suite.case
def verbs_are_told_and_found(s, _):
    for option in ("--help", "--man"):
        text = s.run("brushwork", option).expect(0).out
        check(all(verb.encode() in text for verb in VERBS), text)
    done = s.run("brushwork", "verfy").expect(2)
    check("did you mean 'verify'?" in done.err, done)
    check("Usage: brushwork VERB" in s.run("brushwork").expect(2).err, "no help")


@suite.case
def full_disk_is_an_error(s, _):
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([os.path.join(s.options.bin, "brushwork"), "info", own(s)],
                              stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    check(done.returncode == 1 and b"C002" in done.stderr, done)


suite.main()
