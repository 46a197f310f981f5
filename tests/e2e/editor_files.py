"""Readers of the files in integrations, by the rules of the programs that read them."""
import json
import re
import struct
import xml.etree.ElementTree

from e2e import check, read

HAMMER_VARIABLE = re.compile(r"\$([a-z_]+)")


# NetRadiant: variables in brackets, and text that stands for a condition.

def menu_of(path):
    """({name: parts}, {build: [parts]}): parts are texts and (condition, text)."""
    root = xml.etree.ElementTree.fromstring(read(path))
    check(root.tag == "project" and root.get("version") == "2.0", "project")
    check({e.tag for e in root} <= {"var", "build", "separator"}, "elements of the project")
    variables = {e.get("name"): parts_of(e) for e in root.iter("var")}
    builds = {}
    for build in root.iter("build"):
        check({e.tag for e in build} == {"command"} and build.get("name") not in builds, build.get("name"))
        builds[build.get("name")] = [parts_of(e) for e in build]
    return variables, builds


def parts_of(element):
    check(all(e.tag == "cond" and not len(e) for e in element), "children of a text")
    parts = [element.text or ""]
    for child in element:
        parts += [(child.get("value"), child.text), child.tail or ""]
    return parts


def menu_text(parts, values):
    def expand(text):
        found = re.findall(r"\[(\w+)\]", text)
        check(all(name in values for name in found), f"unknown variables in {text}")
        return re.sub(r"\[(\w+)\]", lambda match: values[match.group(1)], text)
    return "".join(expand(p) if isinstance(p, str) else expand(p[1]) if expand(p[0]) else "" for p in parts)


# TrenchBroom.

TASKS = {"export": {"target", "stripTbProperties"}, "copy": {"source", "target"}, "rename": {"source", "target"},
         "tool": {"tool", "parameters", "treatNonZeroResultCodeAsError"}, "delete": {"target"}}
TAG_MATCHES = ("classname", "material", "contentflag", "surfaceflag", "surfaceparm")
CONFIG_KEYS = {"version", "name", "icon", "experimental", "fileformats", "filesystem", "materials", "entities", "tags",
               "faceattribs", "softMapBounds", "compilationTools"}


def profiles_of(path):
    data = json.loads(read(path))
    check(set(data) == {"version", "profiles"} and data["version"] == 1, "version")
    for profile in data["profiles"]:
        check(set(profile) == {"name", "workdir", "tasks"}, profile)
        for task in profile["tasks"]:
            check(set(task) - {"type", "enabled"} <= TASKS[task["type"]], task)
            check({"target", "tool"} & set(task), task)
    return data["profiles"]


def game_config_of(path):
    data = json.loads(read(path))
    check(data["version"] == 9 and set(data) <= CONFIG_KEYS, "keys")
    check(data["name"] and isinstance(data["experimental"], bool), "name")
    check(all(set(f) == {"format", "initialmap"} for f in data["fileformats"]), "fileformats")
    check(all(f["format"] in ("Valve", "Quake3 (Valve)", "Quake3 (legacy)", "Quake3") for f in data["fileformats"]),
          "a format that vbsp reads")
    package = data["filesystem"]["packageformat"]
    check(set(data["filesystem"]) == {"searchpath", "packageformat"} and package["format"] in ("idpak", "dkpak", "zip"),
          "filesystem")
    check(set(data["materials"]) <= {"root", "extensions", "palette", "attribute", "excludes", "shaderSearchPath"},
          "materials")
    check(set(data["entities"]) <= {"definitions", "defaultcolor", "scale", "setDefaultProperties"}, "entities")
    check(set(data["tags"]) <= {"brush", "brushface"}, "tags")
    for tag in data["tags"]["brush"] + data["tags"]["brushface"]:
        check(set(tag) <= {"name", "attribs", "match", "pattern", "flags", "material"}, tag)
        check(tag["match"] in TAG_MATCHES, tag)
    check(set(data["faceattribs"]) <= {"defaults", "surfaceflags", "contentflags"}, "faceattribs")
    check(len(data["softMapBounds"].split()) == 6, "bounds")
    check(all(set(t) == {"name", "description"} for t in data["compilationTools"]), "tools")
    return data


def broom_text(text, values):
    """`values` has texts, and lists for arrays with an index in brackets."""
    def value(match):
        name, index = match.groups()
        check(name in values, f"unknown variable in {text}")
        return values[name][int(index)] if index else values[name]
    return re.sub(r"\$\{(\w+)(?:\[(-?\d+)\])?\}", value, text)


# Hammer: command sequences, in three forms, and the configuration.

def key_values(path):
    """Nested lists of (key, text or list)."""
    words = re.findall(r'"([^"]*)"|([{}])', read(path).decode())
    check('"' not in re.sub(r'"[^"]*"', "", read(path).decode()), "an open quote")
    stack, key = [[]], None
    for text, brace in words:
        if brace == "{":
            block = []
            stack[-1].append((key, block))
            stack.append(block)
            key = None
        elif brace == "}":
            stack.pop()
        elif key is None:
            key = text
        else:
            stack[-1].append((key, text))
            key = None
    check(len(stack) == 1 and key is None, "braces")
    return stack[0]


COMMAND = "<B3xi260s260sii260sii"


def sequences_of_binary(path):
    """[(name, [(enabled, special, program, parameters, file that is checked or None)])]."""
    data = read(path)
    check(data.startswith(b"Worldcraft Command Sequences\r\n\x1a"), "signature")
    version, count = struct.unpack_from("<fI", data, 31)
    check(round(version, 3) == 0.2, f"version {version}")
    at, out = 39, []

    def text(blob):
        return blob[:blob.index(b"\0")].decode()
    for _ in range(count):
        name, commands = struct.unpack_from("<128sI", data, at)
        at += 132
        listed = []
        for _ in range(commands):
            enabled, special, run, parameters, _, ensure, file, _, _ = struct.unpack_from(COMMAND, data, at)
            at += struct.calcsize(COMMAND)
            listed.append((enabled == 1, special, text(run), text(parameters), text(file) if ensure else None))
        out.append((text(name), listed))
    check(at == len(data), "the end")
    return out


def sequences_of_text(path, names):
    """The same; `names` are those of the keys, and of special commands or None where they are numbers."""
    enabled, special, parameters, more, specials = names
    ((root, listed),) = key_values(path)
    check(root == "Command Sequences", root)
    out = []
    for name, commands in listed:
        check([key for key, _ in commands] == [str(i) for i in range(len(commands))], name)
        taken = []
        for _, pairs in commands:
            keys = dict(pairs)
            check(set(keys) == {enabled, special, "run", parameters, "ensure_check", "ensure_fn"} | more, keys)
            kind = specials[keys[special]] if specials else int(keys[special])
            taken.append((keys[enabled] == "1", kind, keys["run"], keys[parameters].replace("\x1b", '"'),
                          keys["ensure_fn"] if keys["ensure_check"] == "1" else None))
        out.append((name, taken))
    return out


PLUSPLUS = ("enable", "specialcmd", "parms", set(), None)
STRATA = ("enabled", "special_cmd", "params", {"no_wait", "use_process_wnd"},
          {"none": 0, "change_dir": 256, "copy_file": 257, "delete_file": 258, "rename_file": 259,
           "copy_file_if_exists": 260})


def hammer_text(text, values):
    """Each word with a variable is quoted up to the next space."""
    def word(match):
        if "$" not in match.group():
            return match.group()
        names = HAMMER_VARIABLE.findall(match.group())
        check(all(name in values for name in names), f"unknown variables in {text}")
        return '"' + HAMMER_VARIABLE.sub(lambda name: values[name.group(1)], match.group()) + '"'
    return re.sub(r"\S+", word, text)


def windows_words(line):
    """The words of a command line, as a program of Windows gets them; no quote is escaped here."""
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', line)]


# Compile Pal.

META = {"Name": str, "Description": str, "Warning": str, "Path": str, "Arguments": str, "BasisString": str,
        "Order": float, "DoRun": bool, "ReadOutput": bool, "SupportsBSP": bool, "CheckExitCode": bool,
        "CompatibleGames": (list, type(None)), "IncompatibleGames": (list, type(None)), "WorkingDirectory": str,
        "PresetDefault": bool}
PARAMETER = {"Name": str, "Description": str, "Warning": str, "Parameter": str, "CanHaveValue": bool, "Value": str,
             "ValueIsFile": bool, "ValueIsFolder": bool, "CanBeUsedMoreThanOnce": bool,
             "CompatibleGames": (list, type(None)), "IncompatibleGames": (list, type(None))}


def check_types(data, types):
    check(set(data) == set(types), set(data) ^ set(types))
    for key, value in data.items():
        check(isinstance(value, types[key]), f"{key}: {value!r}")


def plugin_of(folder):
    meta, parameters = (json.loads(read(f"{folder}/{name}.json")) for name in ("meta", "parameters"))
    check_types(meta, META)
    check(folder.endswith("/" + meta["Name"]), meta["Name"])
    for parameter in parameters:
        check_types(parameter, PARAMETER)
        check(parameter["Parameter"].startswith(" "), parameter)
    names = [parameter["Name"] for parameter in parameters]
    check(len(names) == len(set(names)), "a name twice")
    return meta, parameters


def pal_text(text, values):
    def value(match):
        check(match.group(1) in values, f"unknown variable in {text}")
        return f'"{values[match.group(1)]}"'
    return re.sub(r"\$(\w+)\$", value, text)


# Visual Studio Code.

SEVERITIES = ("error", "warning", "note")
MATCHER = {"owner", "source", "severity", "fileLocation", "base", "background", "pattern"}
PATTERN = {"regexp", "kind", "file", "location", "line", "column", "endLine", "endColumn", "severity", "code",
           "message", "loop"}


def tasks_of(path):
    data = json.loads(read(path))
    check(data["version"] == "2.0.0", "version")
    for task in data["tasks"]:
        check(task["type"] == "process" and task["label"] and task["command"], task)
        for matcher in task["problemMatcher"]:
            check(set(matcher) <= MATCHER, matcher)
            check(set(matcher["pattern"]) <= PATTERN, matcher)
    return data["tasks"]


def problems(matchers, text):
    """What the patterns take of each line, as dictionaries."""
    found = []
    for line in text.splitlines():
        matches = [(m["pattern"], re.search(m["pattern"]["regexp"], line)) for m in matchers]
        matches = [(pattern, match) for pattern, match in matches if match]
        check(len(matches) <= 1, f"two problems of one line: {line}")
        for pattern, match in matches:
            found.append({key: match.group(group) for key, group in pattern.items() if isinstance(group, int)})
            check(found[-1]["severity"] in SEVERITIES, found[-1])
    return found
