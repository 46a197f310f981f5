#!/usr/bin/env python3
"""--diagnostics: the same messages in all formats, each by the rules of its readers."""
import errno
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import urllib.parse

import bad_maps
import schemas
from e2e import Skip, Suite, check, read, write
from interrupts import SECONDS

suite = Suite()
suite.schemas = schemas.Schemas(suite.options.source)
FORMATS = ("text", "json", "sarif", "github", "gitlab")
LEVELS = {"notice": "note", "warning": "warning", "error": "error"}
SEVERITIES = {"info": "note", "minor": "warning", "critical": "error"}


# --- readers: each checks the form and returns (severity, code, file, line) of each message ---
def json_messages(done):
    return [(d["severity"], d["code"], d.get("file"), d.get("line")) for d in done.diagnostics]


def check_location(run, location):
    physical = location["physicalLocation"]
    artifact = physical["artifactLocation"]
    uri = artifact["uri"]
    check(re.fullmatch(r"(file:///)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri), uri)
    if uri.startswith("file:///"):
        check("uriBaseId" not in artifact, artifact)
    else:
        check(not uri.startswith("/") and artifact["uriBaseId"] in run["originalUriBaseIds"], uri)
    check(physical["region"]["startLine"] >= 1, physical)
    above = ""
    for part in location.get("logicalLocations", []):
        check(part["fullyQualifiedName"] == above + part["name"], location)
        check(part["name"].startswith(part["kind"] + " "), location)
        above = part["fullyQualifiedName"] + "/"
    return uri, physical["region"]["startLine"]


def check_rules(rules):
    check(len({rule["id"] for rule in rules}) == len(rules) > 300, len(rules))
    for rule in rules:
        check(re.fullmatch(r"[A-Z]\d{3}", rule["id"]), rule)
        check(re.fullmatch(r"([A-Z0-9][a-z0-9]*)+", rule["name"]), rule)
        for key in ("shortDescription", "fullDescription", "help"):
            check(rule[key]["text"].endswith(".") and len(rule[key]["text"]) > 5, rule)
        check(rule["defaultConfiguration"]["level"] in ("note", "warning", "error"), rule)


def check_sarif(text):
    log = json.loads(text)
    check(set(log) == {"$schema", "version", "runs"} and log["version"] == "2.1.0", list(log))
    check(log["$schema"].endswith("sarif-schema-2.1.0.json"), log["$schema"])
    check(len(log["runs"]) == 1, "more than a run")
    run = log["runs"][0]
    driver = run["tool"]["driver"]
    check(driver["name"] == "Brushwork" and re.match(r"\d+\.\d+\.\d+", driver["version"]),
          driver["version"])
    check_rules(driver["rules"])
    base = run["originalUriBaseIds"]["SRCROOT"]["uri"]
    check(base.startswith("file:///") and base.endswith("/"), base)
    check(run["automationDetails"]["id"].endswith("/"), run["automationDetails"])
    prints = set()
    for result in run["results"]:
        check(driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"], result)
        check(result["level"] in ("note", "warning", "error"), result)
        check(result["message"]["text"], result)
        check(len(result["locations"]) == 1, result)
        check_location(run, result["locations"][0])
        for number, related in enumerate(result.get("relatedLocations", []), 1):
            check_location(run, related)
            check(related["id"] == number and related["message"]["text"], related)
        prints |= set(result.get("partialFingerprints", {}).values())
    check(len(prints) == sum("partialFingerprints" in r for r in run["results"]), "fingerprints")
    check(len(run["invocations"]) == 1, run["invocations"])
    for notification in run["invocations"][0].get("toolExecutionNotifications", []):
        rule = notification["associatedRule"]
        check(driver["rules"][rule["index"]]["id"] == rule["id"], notification)
    return run


def sarif_messages(text):
    run = check_sarif(text)
    messages = []
    for result in run["results"]:
        uri, line = check_location(run, result["locations"][0])
        messages.append((result["level"], result["ruleId"], uri, line))
    for told in run["invocations"][0].get("toolExecutionNotifications", []):
        messages.append((told["level"], told["descriptor"]["id"], None, None))
    return messages


def unescaped(text):
    check(not re.search(r"%(?!25|0D|0A|3A|2C)", text), text)
    return urllib.parse.unquote(text)


def github_messages(text):
    messages = []
    for line in text.rstrip("\n").split("\n") if text else []:
        match = re.fullmatch(r"::(notice|warning|error) ((?:file=[^,:]*,)?(?:line=\d+,)?)"
                             r"title=([A-Z]\d{3}) [^,:]+::(.+)", line)
        check(match, line)
        place = dict(re.findall(r"(file|line)=([^,]*),", match[2]))
        file = unescaped(place["file"]) if "file" in place else None
        check("\nfix: " in "\n" + unescaped(match[4]), line)
        messages.append((LEVELS[match[1]], match[3], file,
                         int(place["line"]) if "line" in place else None))
    return messages


def gitlab_messages(text):
    report = json.loads(text)
    messages = []
    for item in report:
        check(set(item) == {"description", "check_name", "fingerprint", "severity", "location"},
              item)
        check(item["description"] and item["location"]["lines"]["begin"] >= 1, item)
        messages.append((SEVERITIES[item["severity"]], item["check_name"],
                         item["location"]["path"], item["location"]["lines"]["begin"]))
    check(len({item["fingerprint"] for item in report}) == len(report), "fingerprints")
    return messages


def text_messages(text):
    """Severities and codes of those that are not left out."""
    return [(m[1], m[2]) for m in re.finditer(r"^.*?: (note|warning|error) ([A-Z]\d{3}): ", text,
                                              re.M)]


def told(s, format_name, arguments, folder):
    """Standard error of a run with that format."""
    done = s.run(arguments[0], *arguments[1:], f"--diagnostics={format_name}", cwd=folder)
    return done


# --- the formats tell the same ---
def same_in_all(s, folder, arguments):
    """Runs with each format; returns the messages of JSON."""
    runs = {name: told(s, name, arguments, folder) for name in FORMATS}
    check(len({done.status for done in runs.values()}) == 1, runs["json"])
    expected = json_messages(runs["json"])
    subject = arguments[-1]
    quoted = [(a, b, urllib.parse.quote(f or subject), n or 1) for a, b, f, n in expected]
    found = sarif_messages(runs["sarif"].err)
    check(found == quoted, (found, quoted))
    found = github_messages(runs["github"].err)
    check(found == expected, (found, expected))
    found = gitlab_messages(runs["gitlab"].err)
    check(found == [(a, b, f or subject, n or 1) for a, b, f, n in expected], (found, expected))
    found = text_messages(runs["text"].err)
    check(set(found) == {m[:2] for m in expected}, (found, expected))
    code = json.loads(runs["sarif"].err)["runs"][0]["invocations"][0]
    check(code["exitCode"] == runs["json"].status, code)
    check(code["executionSuccessful"] == (runs["json"].status == 0), code)
    return expected


@suite.case
def bad_maps_in_all_formats(s, folder):
    names = bad_maps.make(s, folder)
    check(len(names) >= 25, names)
    for name in names:
        check(same_in_all(s, folder, ["vbsp", "--check", name]), f"nothing about {name}")


@suite.case
def json_is_the_alias(s, folder):
    bad_maps.make(s, folder)
    for arguments in (["vbsp", "--check", "bad_solids.vmf"], ["vbsp", "--check", "leak.vmf"],
                      ["brushwork", "info", "leak.vmf"]):
        outputs = [s.run(arguments[0], *arguments[1:], option, cwd=folder)
                   for option in ("--json", "--diagnostics=json", "--diagnostics=JSON")]
        lines = [[{k: v for k, v in json.loads(line).items() if k != "result"}
                  for line in done.err.splitlines()] for done in outputs]
        check(lines[0] == lines[1] == lines[2] and lines[0], lines)
        check(outputs[0].out == outputs[1].out or b" s\n" in outputs[0].out, outputs[0].out)


@suite.case
def places_of_a_solid_in_instances(s, folder):
    bad_maps.make(s, folder)
    done = told(s, "sarif", ["vbsp", "--check", "twice_inside.vmf"], folder)
    run = check_sarif(done.err)
    result = next(r for r in run["results"] if r["ruleId"] == "S003")
    names = [part["fullyQualifiedName"] for part in result["locations"][0]["logicalLocations"]]
    check(names == ["solid 68", "solid 68/side 69"], names)
    files = [related["physicalLocation"]["artifactLocation"]["uri"]
             for related in result["relatedLocations"]]
    check(files == ["inside.vmf", "twice_inside.vmf"], files)
    properties = result["properties"]
    check(properties["placed_by"]["placed_by"]["file"] == "twice_inside.vmf", properties)
    check(len(properties["point"]) == 3, properties)


@suite.case
def paths_are_relative_to_the_working_directory(s, folder):
    bad_maps.make(s, folder)
    below = os.path.join(folder, "below")
    os.mkdir(below)
    whole = os.path.join(os.path.realpath(folder), "cut.vmf")
    for cwd, name, shown in ((folder, "./below/../cut.vmf", "cut.vmf"), (folder, whole, "cut.vmf"),
                             (below, "../cut.vmf", whole), ("/", whole, whole[1:])):
        uri = shown if shown[0] != "/" else "file://" + shown
        messages = sarif_messages(told(s, "sarif", ["vbsp", "--check", name], cwd).err)
        check(messages and all(m[2] == uri for m in messages), (name, messages))
        for read_messages, format_name in ((github_messages, "github"),
                                           (gitlab_messages, "gitlab")):
            messages = read_messages(told(s, format_name, ["vbsp", "--check", name], cwd).err)
            check(messages and all(m[2] == shown for m in messages), (name, messages))


@suite.case
def every_program_has_it(s, folder):
    verbs = re.findall(r"^  ([a-z]+) ", s.run("brushwork", "--help").out.decode(), re.M)
    check(len(verbs) >= 12, verbs)
    commands = [["vbsp"], ["vvis"], ["vrad"]]
    commands += [["brushwork", verb] for verb in verbs if verb != "bmx"]
    commands += [["brushwork", "bmx", verb] for verb in ("info", "check", "diff", "pack", "unpack")]
    for command in commands:
        help_text = s.run(*command, "--help", "all").expect(0).out.decode()
        check("--diagnostics FORMAT" in help_text and "--diagnostics-file FILE" in help_text,
              command)
        done = s.run(*command, "--no-such-option", "--diagnostics=sarif", cwd=folder).expect(2)
        check([m[:2] for m in sarif_messages(done.err)][:1] == [("error", "T001")], done)
        done = s.run(*command, "--no-such-option", "--diagnostics=github", cwd=folder).expect(2)
        check(github_messages(done.err)[0][:2] == ("error", "T001"), done)
        s.run(*command, "--diagnostics=html", cwd=folder).expect(2)


@suite.case
def an_unknown_verb_is_told_in_the_format(s, folder):
    for table in ([], ["bmx"]):
        command = ["brushwork", *table, "chek\n::error::"]
        done = s.run(*command, "--json", "x", cwd=folder).expect(2)
        check(done.codes() == ["T001"] and done.result["status"] == "usage", done)
        done = s.run(*command, "x", "--diagnostics", "SARIF", cwd=folder).expect(2)
        check(sarif_messages(done.err) == [("error", "T001", None, None)], done)
        done = s.run(*command, "--diagnostics=github", cwd=folder).expect(2)
        check(github_messages(done.err) == [("error", "T001", None, None)], done)
        done = s.run(*command, cwd=folder).expect(2)
        check(re.match(r"brushwork( bmx)?: error T001: .*did you mean '", done.err), done)
        check("\n::" not in done.err, done)


# --- JSON by its schemas ---
def need_schemas():
    if not schemas.jsonschema:
        raise Skip("no python3-jsonschema")


@suite.case
def every_line_has_a_schema(s, folder):
    need_schemas()
    for name in bad_maps.make(s, folder):
        s.run("vbsp", "--check", "--report", "--json", name, cwd=folder)
    shutil.copy(s.map("atrium.vmf"), folder)
    s.run("brushwork", "build", "--report", "--json", "atrium", cwd=folder).expect(0)
    for bound in (["--max-memory", "1M"], ["--max-time", "0.01"]):
        s.run("brushwork", "build", *bound, "--json", "atrium", cwd=folder).expect(5)
    for verb in ("verify", "info", "texdata"):
        s.run("brushwork", verb, "--json", "atrium.bsp", cwd=folder).expect(0)
    check(all(s.schemas.seen.values()), s.schemas.seen)


@suite.case
def objects_have_a_schema(s, folder):
    need_schemas()
    shutil.copy(s.map("atrium.vmf"), folder)
    shutil.copy(s.map("q3_box.map"), folder)
    for name in ("atrium", "q3_box"):
        s.run("brushwork", "build", name, cwd=folder).expect(0)
    s.run("brushwork", "build", "atrium", "-o", "other.bsp", "-fast", "-bounce", "0", cwd=folder)
    for kind, arguments in (("info", ["info", "atrium.bsp"]), ("info", ["info", "q3_box.bsp"]),
                            ("infos", ["info", "atrium", "q3_box"]),
                            ("limits", ["info", "--limits", "atrium.vmf"]), ("limits", ["info", "--limits", "q3_box.bsp"]),
                            ("map", ["build", "--print-maps", "atrium.vmf"]),
                            ("diff", ["diff", "atrium.bsp", "other.bsp"]),
                            ("diff", ["diff", "q3_box.bsp", "q3_box.bsp"]),
                            ("checksum", ["checksum", "atrium.bsp", "q3_box.bsp"]),
                            ("compare", ["render", "--compare", "atrium", "other", "--size", "32x18"]),
                            ("unpack", ["unpack", "--list", "atrium.bsp"])):
        done = s.run("brushwork", *arguments, "--json", cwd=folder)
        s.schemas.check("objects.schema.json", kind, json.loads(done.out))
    done = s.run("vvis", "--report", "--json", "atrium", cwd=folder).expect(0)
    s.schemas.check("objects.schema.json", "vvis_report", json.loads(done.out))


@suite.case
def objects_of_bmx_have_a_schema(s, folder):
    need_schemas()
    seeds = os.path.join(s.options.source, "tests", "fuzz", "seeds", "bmx")
    files = sorted(os.path.join(seeds, name) for name in os.listdir(seeds))
    found = 0
    for path in files:
        done = s.run("brushwork", "bmx", "info", "--json", path, cwd=folder)
        if done.out:
            s.schemas.check("objects.schema.json", "bmx_info", json.loads(done.out))
        for line in s.run("brushwork", "bmx", "check", "--json", path, cwd=folder).out.splitlines():
            s.schemas.check("objects.schema.json", "bmx_check", json.loads(line))
            found += 1
        done = s.run("brushwork", "bmx", "diff", "--json", files[0], path, cwd=folder)
        if done.out:
            s.schemas.check("objects.schema.json", "bmx_diff", json.loads(done.out))
    check(found > 5, files)


@suite.case
def a_leak_has_its_parts(s, folder):
    bad_maps.make(s, folder)
    leak = s.run("vbsp", "--json", "leak.vmf", cwd=folder).expect(3).find("V001")
    check((leak["hole_size"], leak["hole_area"]) == ([32, 32], 1024), leak)
    check(leak["hole_is_only"] is True and leak["hole"] == [272, 128, 128], leak)
    check([place["solid"] for place in leak["solids"]] == [23, 30, 37, 44], leak["solids"])
    check(all(place["file"] == "leak.vmf" and place["line"] for place in leak["solids"]), leak)
    ends = [[float(x) for x in line.split()]
            for line in read(os.path.join(folder, leak["pointfile"])).splitlines()]
    for point, end in ((leak["outside"], ends[0]), (leak["point"], ends[-1])):
        check(all(abs(a - b) < 1e-3 for a, b in zip(point, end)), (point, end))
    leak = s.run("vbsp", "--check", "--json", "leak.vmf", cwd=folder).expect(3).find("V001")
    check("pointfile" not in leak and leak["hole_area"] == 1024, leak)
    gap = s.run("vbsp", "--json", "areaportal_gap.vmf", cwd=folder).find("V120")
    check(gap["hole_size"] == [64, 16] and gap["pointfile"] == "areaportal_gap.lin", gap)
    brushes = s.run("vbsp", "--json", "q3_leak.map", cwd=folder).find("V001")["solids"]
    check([place["brush"] for place in brushes] == [1, 2, 3, 5], brushes)


# --- a file of its own ---
@suite.case
def a_file_beside_the_terminal(s, folder):
    bad_maps.make(s, folder)
    report = os.path.join(folder, "report")
    for format_name, messages_of in (("sarif", sarif_messages), ("gitlab", gitlab_messages),
                                     ("github", github_messages)):
        write(report, "x" * 1000000)
        done = s.run("vbsp", "--check", "bad_solids.vmf", f"--diagnostics={format_name}",
                     "--diagnostics-file", report, cwd=folder).expect(0)
        check(len(messages_of(read(report).decode())) == len(text_messages(done.err)) > 3, done)
    done = s.run("vbsp", "--check", "leak.vmf", "--diagnostics=sarif", "--diagnostics-file", report,
                 "--json", cwd=folder).expect(3)
    check(done.codes() == ["V001"] and done.result["status"] == "leak", done)
    check(len(sarif_messages(read(report).decode())) == 1, "no leak")
    done = s.run("vbsp", "--check", "leak.vmf", "--diagnostics=json", "--diagnostics-file", report,
                 "--report", cwd=folder).expect(3)
    lines = [json.loads(line) for line in read(report).splitlines()]
    check(lines[0]["code"] == "V001" and "result" in lines[-1], lines)
    check(any("limit" in line for line in lines) and b"of 8192" in done.out, lines)


@suite.case
def files_that_cannot_be_reports(s, folder):
    bad_maps.make(s, folder)
    before = read(os.path.join(folder, "leak.vmf"))
    for arguments, status, code in (
            (["--diagnostics-file", "x.sarif"], 2, "T001"),
            (["--diagnostics=sarif", "--diagnostics-file", "leak.vmf"], 2, "T001"),
            (["--diagnostics=sarif", "--diagnostics-file", "none/x.sarif"], 1, "C002")):
        done = s.run("vbsp", "leak.vmf", *arguments, cwd=folder).expect(status)
        messages_of = sarif_messages if done.err.startswith("{") else text_messages
        check(("error", code) in [m[:2] for m in messages_of(done.err)], done)
        check(not os.path.exists(os.path.join(folder, "leak.bsp")), "compiled")
    check(read(os.path.join(folder, "leak.vmf")) == before, "the map was overwritten")


@suite.case
def a_report_to_a_pipe_or_a_full_device(s, folder):
    bad_maps.make(s, folder)
    done = s.run("vbsp", "--check", "leak.vmf", "--quiet", "--diagnostics=sarif",
                 "--diagnostics-file", "/dev/stdout", cwd=folder).expect(3)
    check([m[1] for m in sarif_messages(done.out.decode())] == ["V001"], done.out[-500:])
    for format_name in ("sarif", "gitlab", "github", "json"):
        done = s.run("vbsp", "--check", "leak.vmf", f"--diagnostics={format_name}",
                     "--diagnostics-file", "/dev/full", cwd=folder).expect(1)
        check(("error", "C002") in text_messages(done.err), done)


@suite.case
def a_link_in_the_place_of_a_report_or_log_is_replaced(s, folder):
    s.not_on_windows("links need a privilege there")
    bad_maps.make(s, folder)
    canary, report, log = (os.path.join(folder, name) for name in ("canary", "report", "log"))
    for target in (canary, os.path.join(folder, "nowhere")):
        write(canary, "what was here before")
        for name in (report, log):
            os.path.lexists(name) and os.remove(name)
            os.symlink(target, name)
        s.run("vbsp", "--check", "leak.vmf", "--diagnostics=sarif", "--diagnostics-file", report, "--log", log,
              cwd=folder).expect(3)
        check(read(canary) == b"what was here before" and not os.path.exists(os.path.join(folder, "nowhere")),
              "a link was followed")
        check(not os.path.islink(report) and not os.path.islink(log), "a link is left")
        check([m[1] for m in sarif_messages(read(report).decode())] == ["V001"] and b"V001" in read(log), read(log))
    first = read(log)
    s.run("vbsp", "--check", "leak.vmf", "--log", log, cwd=folder).expect(3)
    check(read(log).startswith(first) and len(read(log)) > len(first), "a log is appended to")


def limited(size):
    """As on a full disk: files take so many bytes, and of the piece that is too much the first part."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@suite.case
def a_report_on_a_full_disk_is_whole(s, folder):
    s.not_on_windows("there are no such limits")
    bad_maps.make(s, folder)
    report = os.path.join(folder, "report")
    command = ["vbsp", "--check", "bad_solids.vmf", "--diagnostics=sarif", "--diagnostics-file", report]
    s.run(*command, cwd=folder).expect(0)
    whole, counts = len(read(report)), set()
    for size in [1] + list(range(whole // 80, whole - 1, whole // 80)):
        write(report, "what was here before")
        done = s.run(*command, cwd=folder, preexec=limited(size)).expect(1)
        check(("error", "C002") in text_messages(done.err), done)
        text = read(report).decode()
        counts.add(-1 if text == "what was here before" else len(sarif_messages(text)))
    check(-1 in counts and len(counts) > 2, f"an older report was lost, or nothing was written: {counts}")
    check(not [name for name in os.listdir(folder) if ".brushwork-" in name], os.listdir(folder))


@suite.case
def a_report_with_any_failing_call_is_whole(s, folder):
    shim = os.path.join(os.path.dirname(s.options.bin), "tests", "libfail_calls.so")
    if not os.path.exists(shim):
        raise Skip(f"no {shim}")
    bad_maps.make(s, folder)
    report = os.path.join(folder, "report")
    failures = 0
    for format_name, messages_of in (("sarif", sarif_messages), ("gitlab", gitlab_messages),
                                     ("json", lambda text: [json.loads(line) for line in text.splitlines()])):
        for kind, error in (("write", errno.ENOSPC), ("fsync", errno.EIO), ("rename", errno.ENOSPC),
                            ("truncate", errno.EIO), ("open", errno.EMFILE)):
            for number in range(1, 9):
                write(report, "what was here before")
                done = subprocess.run(
                    [os.path.join(s.options.bin, "vbsp"), "--check", "bad_solids.vmf", f"--diagnostics={format_name}",
                     "--diagnostics-file", report], cwd=folder, check=False, capture_output=True,
                    env={**os.environ, "LD_PRELOAD": shim, "TORTURE_PLAN": f"{kind} {number} {number} error {error}"})
                text = read(report).decode()
                if text != "what was here before":
                    messages_of(text)
                failures += done.returncode != 0
                check(done.returncode == 0 or b"error" in done.stderr, done)
    check(failures > 20, f"{failures} runs failed")


@suite.case
def a_map_on_standard_input(s, folder):
    text = read(s.map("leak.vmf"))
    for format_name, messages_of in (("sarif", sarif_messages), ("gitlab", gitlab_messages),
                                     ("github", github_messages)):
        done = s.run("vbsp", "-", "-o", "out.bsp", f"--diagnostics={format_name}", cwd=folder,
                     stdin=text).expect(3)
        check([m[:2] for m in messages_of(done.err)] == [("error", "V001")], done)


# --- ends before the end ---
@suite.case
def without_memory_or_time(s, folder):
    shutil.copy(s.map("atrium.vmf"), folder)
    for bound in (["--max-memory", "1M"], ["--max-memory", "3M"], ["--max-time", "0.01"]):
        arguments = ["brushwork", "build", *bound, "atrium.vmf"]
        for format_name, messages_of in (("sarif", sarif_messages), ("gitlab", gitlab_messages),
                                         ("github", github_messages)):
            done = told(s, format_name, arguments, folder).expect(5)
            check(("error", "C351") in [m[:2] for m in messages_of(done.err)], done)
            done = s.run(*arguments, f"--diagnostics={format_name}", "--diagnostics-file", "out",
                         cwd=folder).expect(5)
            text = read(os.path.join(folder, "out")).decode()
            check(("error", "C351") in [m[:2] for m in messages_of(text)], text[-1000:])
            check(("error", "C351") in text_messages(done.err), done)
        done = told(s, "json", arguments, folder).expect(5)
        check("C351" in done.codes() and done.result["status"] == "bound", done)


def killed(s, folder, number, options):
    """Kills a long run while it computes light; returns its standard error."""
    path = os.path.join(folder, "err")
    with open(path, "wb") as err, subprocess.Popen(
            [os.path.join(s.options.bin, "brushwork"), "build", "slow.vmf", "--reference",
             "1000000", *options], cwd=folder, stdout=subprocess.PIPE,
            stderr=err) as process:
        for line in process.stdout:
            if line.startswith(b"vrad"):
                break
        process.send_signal(number)
        try:
            process.communicate(timeout=SECONDS)
        finally:
            process.kill()
    check(process.returncode == -number, (process.returncode, read(path)[-1000:]))
    return read(path).decode()


@suite.case
def killed_runs_end_in_valid_documents(s, folder):
    text = read(s.map("atrium.vmf")).decode()
    write(os.path.join(folder, "slow.vmf"), text.replace("DEV/REFLECTIVITY_40", "no/such"))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        for format_name, messages_of in (("sarif", sarif_messages), ("gitlab", gitlab_messages)):
            err = killed(s, folder, number, [f"--diagnostics={format_name}"])
            check(messages_of(err), err)
    for format_name, messages_of in (("sarif", sarif_messages), ("gitlab", gitlab_messages)):
        killed(s, folder, signal.SIGKILL, [f"--diagnostics={format_name}",
                                           "--diagnostics-file", "out"])
        check(messages_of(read(os.path.join(folder, "out")).decode()), "nothing was told")


# --- hostile names ---
HOSTILE = ['quote" and \\', "new\nline", "x\n::error::y", "::error::x", "a%0Ab%25", "</script><b>", "comma,colon:",
           "\x1b[2J\x07", "tab\tnull", "\u00fcml\u00e4ut \U0001f600", b"\xff\xfe broken \xc3",
           "##[error]x", "x}]}", "$(id)`id`", "\u2028\u202e"]


@suite.case
def hostile_names_of_files(s, folder):
    text = bad_maps.box(s)
    for name in HOSTILE:
        raw = name if isinstance(name, bytes) else name.encode()
        path = os.path.join(folder.encode(), raw.replace(b"/", b"_") + b".vmf")
        with open(path, "wb") as file:
            file.write(text[: len(text) // 2].encode())
        for format_name, messages_of in (("sarif", sarif_messages), ("gitlab", gitlab_messages),
                                         ("github", github_messages)):
            done = subprocess.run([os.path.join(s.options.bin, "vbsp"), "--check",
                                   os.path.basename(path), f"--diagnostics={format_name}"],
                                  cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  check=False)
            messages = messages_of(done.stderr.decode())
            check(messages and messages[0][1] == "C003", done.stderr)
            check(b"\x1b" not in done.stderr and b"\x07" not in done.stderr, done.stderr)
            check(not re.search(rb"^(::|##)", done.stdout, re.M), done.stdout)
            if format_name == "sarif":
                check(urllib.parse.unquote_to_bytes(messages[0][2]) == os.path.basename(path),
                      messages)


@suite.case
def hostile_names_in_a_map(s, folder):
    for name in HOSTILE:
        raw = (name if isinstance(name, bytes) else name.encode()).replace(b'"', b"'")
        text = bad_maps.box(s).encode().replace(b'"material" "', b'"material" "no/' + raw)
        text = text.replace(b'"classname" "light"', b'"classname" "light' + raw + b'"')
        write(os.path.join(folder, "map.vmf"), text)
        counts = set()
        for format_name, messages_of in (("sarif", sarif_messages), ("gitlab", gitlab_messages),
                                         ("github", github_messages)):
            done = subprocess.run([os.path.join(s.options.bin, "vbsp"), "--check", "map.vmf",
                                   f"--diagnostics={format_name}"], cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            counts.add(len(messages_of(done.stderr.decode())))
            check(b"\x1b" not in done.stderr and b"\x07" not in done.stderr, done.stderr)
        check(len(counts) == 1 and counts != {0}, (name, counts))


# --- the standard's own checker ---
def multitool(s):
    """The checker, which the long form installs once beside the programs; skips without it."""
    if not shutil.which("node") or not shutil.which("npm"):
        raise Skip("no node or npm")
    folder = os.path.join(os.path.dirname(s.options.bin), "sarif-multitool")
    tool = os.path.join(folder, "node_modules", ".bin", "sarif-multitool")
    if not os.environ.get("BRUSHWORK_LONG"):
        raise Skip("sarif-multitool takes long; BRUSHWORK_LONG=1 installs and runs it")
    if not os.path.exists(tool):
        try:
            done = subprocess.run(["npm", "install", "--no-fund", "--no-audit", "--prefix", folder,
                                   "@microsoft/sarif-multitool@5"], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=600, check=False)
        except subprocess.TimeoutExpired as late:
            raise Skip("the registry of npm does not answer") from late
        if done.returncode or not os.path.exists(tool):
            raise Skip("@microsoft/sarif-multitool cannot be installed")
    return tool


@suite.case
def the_id_of_a_log_stays_when_maps_are_added(s, folder):
    bad_maps.make(s, folder)
    ids = []
    for maps in (["leak.vmf"], ["leak.vmf", "lint.vmf"], ["bad_solids.vmf", "leak.vmf", "lint.vmf"]):
        done = s.run("brushwork", "lint", "--diagnostics=sarif", *maps, cwd=folder)
        ids.append(check_sarif(done.err)["automationDetails"]["id"])
    check(ids == ["brushwork lint/leak.vmf/", "brushwork lint/", "brushwork lint/"], ids)


@suite.case
def sarif_by_its_multitool(s, folder):
    tool = multitool(s)
    environment = dict(os.environ, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT="1")
    names = bad_maps.make(s, folder)
    logs = os.path.join(folder, "logs")
    os.mkdir(logs)
    for name in names:
        s.run("vbsp", "--check", name, "--diagnostics=sarif", "--diagnostics-file",
              os.path.join(logs, name + ".sarif"), cwd=folder)
    s.run("vbsp", "--no-such-option", "--diagnostics=sarif", "--diagnostics-file",
          os.path.join(logs, "usage.sarif"), cwd=folder).expect(2)
    s.run("vbsp", "leak.vmf", "--max-memory", "1M", "--diagnostics=sarif", "--diagnostics-file",
          os.path.join(logs, "bound.sarif"), cwd=folder).expect(5)
    check(len(os.listdir(logs)) == len(names) + 2, os.listdir(logs))
    report = os.path.join(folder, "report.sarif")
    done = subprocess.run([tool, "validate", os.path.join(logs, "*.sarif"), "--output", report],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                          timeout=600, check=False)
    if not os.path.exists(report):
        raise Skip(f"it does not run here: {done.stdout[-200:]}")
    check(f"{len(names) + 2} files scanned".encode() in done.stdout, done.stdout)
    for result in json.loads(read(report).decode("utf-8-sig"))["runs"][0]["results"]:
        # The project has no site to name.
        check(result["ruleId"] == "SARIF2005" or result.get("level") == "note", result)


suite.main()
