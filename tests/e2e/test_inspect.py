#!/usr/bin/env python3
"""brushwork info and brushwork verify from the command line: what they print, their exit status,
and invalid files."""
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
def info_shows_the_header(s, _):
    data = read(own(s))
    result = info(s, own(s))
    check(result["format"] == "VBSP 20" and result["bsp_version"] == 20 and result["version"] == 1, result["format"])
    check(result["target"] == "sdk2013", result["target"])
    check(result["bytes"] == len(data), result["bytes"])
    check(result["revision"] == struct.unpack_from("<i", data, 1032)[0], result["revision"])
    for lump in result["lumps"]:
        offset, length, version = struct.unpack_from("<3i", data, 8 + 16 * lump["index"])
        check((lump["offset"], lump["length"], lump["version"]) == (offset, length, version), lump)


@suite.case
def info_counts(s, _):
    result = info(s, own(s))
    lumps = by_name(result["lumps"])
    check(lumps["planes"]["count"] == lumps["planes"]["length"] // 20, lumps["planes"])
    check(lumps["displacements"]["count"] == 1 and lumps["overlays"]["count"] == 8, "carried lumps")
    check(result["lightmap_bytes"] == {"ldr": 88544, "hdr": 88544}, result["lightmap_bytes"])
    check(result["clusters"] == result["visibility"]["clusters"] == 60, result["visibility"])
    check(result["world"]["mins"] == [-16, -16, -16], result["world"])
    classes = {c["class"]: c["count"] for c in result["classes"]}
    check(classes["worldspawn"] == 1 and classes["light"] == 9, classes)
    check(sum(classes.values()) == result["entities"] == read(own(s)).count(b'"classname"'), classes)
    limit = by_name(result["limits"])["faces"]
    check(limit["used"] == lumps["faces"]["count"] and limit["maximum"] == 65536, limit)
    check(abs(limit["percent"] - 100 * limit["used"] / 65536) < 1e-9, limit)


@suite.case
def limits_are_told_before_light_is_baked(s, folder):
    """What vvis and vrad fill is within the bounds that were told without them."""
    path = os.path.join(folder, "atrium.bsp")
    source = s.run("brushwork", "info", "--limits", "--json", s.map("atrium.vmf")).expect(0)
    s.run("brushwork", "build", s.map("atrium.vmf"), "-o", path, "-fast").expect(0)
    built = s.run("brushwork", "info", "--limits", "--json", path).expect(0)
    before, after = (by_name(json.loads(done.out)["limits"]) for done in (source, built))
    check({name for name in before if "at_most" in before[name]} == {"worldlights", "ambient samples", "bytes of visibility"},
          "not the limits of later stages")
    for name, row in before.items():
        used = after[name]["used"]
        check("at_most" not in after[name], f"{name}: a bound, but it is known")
        check("at_most" not in row or 0 < used <= row["at_most"], f"{name}: {used}, told {row}")
    check(before["worldlights"]["at_most"] == after["worldlights"]["used"], "lights")
    text = s.run("brushwork", "info", "--limits", s.map("atrium.vmf"), "--target", "csgo").expect(0).out.decode()
    percent = [float(line.split("%")[0].split()[-1]) for line in text.split("\n\n")[0].splitlines() if "%" in line]
    check("limit, csgo" in text and percent == sorted(percent, reverse=True), text)
    s.run("brushwork", "info", "--limits", s.map("leak.vmf")).expect(3)


@suite.case
def info_prints_text(s, _):
    text = s.run("brushwork", "info", own(s)).expect(0).out.decode()
    for part in ("VBSP 20 (sdk2013), revision 1", "clusters    60", "leaf faces", "worldspawn"):
        check(part in text, f"no {part!r} in\n{text}")


@suite.case
def standard_input_is_a_file(s, _):
    data = read(own(s))
    check(info(s, "-", stdin=data)["bytes"] == len(data), "bytes of standard input")
    out = s.run("brushwork", "verify", "-", stdin=data).expect(0).out
    check(b"no errors" in out, out)


def rejects(name, code, prepare):
    for verb in VERBS:
        def case(s, folder, verb=verb):
            done = s.run("brushwork", verb, "--json", prepare(s, folder), stdin=b"").expect(1)
            check(code in done.codes(), f"{done.codes()} without {code}")
            check(not done.out, done.out)

        suite.add(f"{verb}_{name}", case)


def version(number):
    return lambda s, folder: write(os.path.join(folder, "a.bsp"),
                                   b"VBSP" + struct.pack("<i", number) + read(own(s))[8:])


rejects("missing_file", "C001", lambda s, folder: os.path.join(folder, "none.bsp"))
rejects("directory", "C001", lambda s, folder: folder)
rejects("empty_file", "B002", lambda s, folder: write(os.path.join(folder, "a.bsp"), b""))
rejects("empty_standard_input", "B002", lambda s, folder: "-")
rejects("text", "B001", lambda s, folder: write(os.path.join(folder, "a.bsp"), "world\n{\n}\n"))
rejects("half_a_file", "B002",
       lambda s, folder: write(os.path.join(folder, "a.bsp"), read(own(s))[:200000]))


@suite.case
def unsupported_versions_are_named(s, folder):
    for number, game in ((22, "INFRA"), (27, "Contagion"), (29, "Titanfall"), (100, "Online 2")):
        path = version(number)(s, folder)
        result = info(s, path)
        check(not result["supported"] and game in result["format"], result["format"])
        check(result["entities"] == read(own(s)).count(b'"classname"'), result["entities"])
        check(result["pakfile_files"] == info(s, own(s))["pakfile_files"], result["pakfile_files"])
        for verb in ("verify", "convert"):
            arguments = [path] + [os.path.join(folder, "out.bsp")] * (verb == "convert")
            done = s.run("brushwork", verb, "--json", *arguments).expect(1)
            check("B001" in done.codes(), done.codes())
            check(game in done.diagnostics[0]["message"], done.diagnostics)
        check(not os.path.exists(os.path.join(folder, "out.bsp")), "something was written")


@suite.case
def verify_reports_an_error_and_continues(s, folder):
    data = bytearray(read(own(s)))
    planes = struct.unpack_from("<i", data, 8 + 16)[0]
    struct.pack_into("<f", data, planes + 12, 12345.0)
    bad = write(os.path.join(folder, "bad.bsp"), bytes(data))
    done = s.run("brushwork", "verify", "--json", bad, own(s)).expect(1)
    check("B102" in done.codes(), done.codes())
    check(all(d["file"].endswith("bad.bsp") for d in done.diagnostics), "the file is named")
    check(b"portal.bsp" in done.out and b"bad.bsp" not in done.out, done.out)


@suite.case
def verify_can_be_quiet(s, _):
    done = s.run("brushwork", "verify", "--quiet", own(s)).expect(0)
    check(not done.out and not done.err, done)


@suite.case
def bad_command_lines_are_usage_errors(s, _):
    for verb in VERBS:
        s.run("brushwork", verb).expect(2)
        s.run("brushwork", verb, "--frobnicate", own(s)).expect(2)


@suite.case
def verbs_are_listed_and_suggested(s, _):
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
                              stdout=full, stderr=subprocess.PIPE, timeout=600, check=False)
    check(done.returncode == 1 and b"C002" in done.stderr, done)


@suite.case
def full_disk_is_an_error(s, folder):
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    path = os.path.join(folder, "map.bsp")
    s.run("vbsp", s.map("box.vmf"), "-o", path).expect(0)
    for verb in ("info", "verify", "checksum"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([os.path.join(s.options.bin, "brushwork"), verb, path], stdout=full,
                                  stderr=subprocess.PIPE, timeout=600, check=False)
        check(done.returncode == 1 and b"C002" in done.stderr, done)


suite.main()
