#!/usr/bin/env python3
"""What a change of one row costs who works on the programs: thirty scripted changes, one after another.

    loop.py --count-only [--build DIR] [--only WORD]   files and objects of each change, without compiling
    loop.py [--only WORD] [--keep DIR]                 also the CPU seconds to build and to run its tests
    loop.py --chains [N]                               the N longest chains of includes

A change is a row that the recipes of CONTRIBUTING.md describe: an option, a diagnostic, a verb, a lump, a light, an
engine, with the line that uses it. `files` are those that it edits or adds beside its test and pages that are
generated; `objects` are those that ninja compiles again, of all targets; `build` is what the targets of its tests take
then, links and cmake included; `tests` is what the tests take that are named for the change.

--count-only follows the includes of the sources of DIR/compile_commands.json (any configured build folder; without one
cmake configures one in a temporary folder). Without it, a copy of the checkout is built in a temporary folder; ccache
may help with the first build (CMAKE_C_COMPILER_LAUNCHER), and is off for those that are measured.
A change whose anchor is gone ends the run: then the row here has to follow the code."""
import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
LIMITS = {"files": 3, "objects": 10, "tests": 5}


class Edit:
    """Puts `text` after, before or instead of the line that `anchor` begins, which is there once, or is a new file."""

    def __init__(self, path, anchor, text, before=False, instead=False):
        self.path, self.anchor, self.text, self.before, self.instead = path, anchor, text, before, instead

    def apply(self, old):
        if self.anchor is None:
            if old is not None:
                raise SystemExit(f"loop.py: {self.path} exists already")
            return self.text + "\n"
        if old is None:
            raise SystemExit(f"loop.py: no file {self.path}")
        found = [i for i, line in enumerate(old.split("\n")) if line.startswith(self.anchor)]
        if len(found) != 1:
            raise SystemExit(f"loop.py: {self.path}: {len(found)} lines begin with {self.anchor!r}, must be one")
        lines = old.split("\n")
        first = found[0] + (not self.before and not self.instead)
        lines[first:first + self.instead] = [self.text]
        return "\n".join(lines)


def before(path, anchor, text):
    return Edit(path, anchor, text, True)


def instead(path, anchor, text):
    return Edit(path, anchor, text, instead=True)


def new(path, text):
    return Edit(path, None, text)


def option(field, more=""):
    """A row of an option table, for a flag of the field."""
    return f'    {{.name = "looprow", .kind = OPTION_FLAG, .offset = {field}, {more}.help = "measured"}},'


def option_of(part, which=""):
    """The same for a field of a part."""
    return f'    {{.name = "looprow", .kind = OPTION_FLAG, {part}({which}loop_row), .help = "measured"}},'


FLAG = "    bool loop_row; /* measured */"
VERB = """#include "brushwork/verbs.h"

int verb_looprow(int argc, char **argv)
{
    (void)argv;
    return argc > 1;
}"""
def diagnostic(topic, letter, row):
    """A row before the one of that name, in the file of its topic."""
    return before(f"common/diag/codes/{topic}.def", f"DIAG({row},",
                  f'DIAG(LOOP_ROW, {letter}, 999, WARNING, "measured row", "Nothing is to be done.")')


# Kind, what is changed, edits, tests: runners with a suite, and scripts of tests/e2e.
CHANGES = [
    ("option", "vrad, all maps", [
        before("vrad/luxels/sample_options.h", "    bool no_extra; ", FLAG),
        before("vrad/options.c", '    {.name = "noextra"', option_of("PART", "sample, ")),
        before("vrad/target/source/light_vbsp.c", "    if (!options->samples->no_extra)",
               "    if (!options->samples->loop_row)")],
     ["unit_vrad test_vrad_options_in_key", "stage_vrad test_vrad_options"]),
    ("option", "vrad, props", [
        before("vrad/props/prop_ray_options.h", "    bool no_self_shadows; ", FLAG),
        before("vrad/options.c", '    {.name = "nossprops"', option_of("PART", "prop_ray, "))],
     ["unit_vrad test_vrad_options_in_key", "stage_vrad test_vrad_props"]),
    ("option", "vrad, tone", [
        before("vrad/target/quake3/pages/tone_options.h", "    double gamma;", FLAG),
        before("vrad/target/quake3_options.def", 'PART_VALUE(tone, OPTION_NUMBER, "gamma"',
               'PART_FLAG(tone, "looprow", NULL, loop_row, NULL, "measured")')],
     ["unit_vrad test_vrad_options_in_key", "stage_vrad test_vrad_quake3_options"]),
    ("option", "vrad, Quake 3 dirt", [
        before("vrad/target/quake3/level/dirt_options.h", "    double depth, scale, gain;", FLAG),
        before("vrad/target/quake3_options.def", 'PART_VALUE(tone, OPTION_NUMBER, "gamma"',
               'PART_FLAG(dirt, "looprow", NULL, loop_row, NULL, "measured")')],
     ["unit_vrad test_vrad_options_in_key", "stage_vrad test_vrad_quake3_options"]),
    ("option", "vbsp, all maps", [
        before("vbsp/csg/csg_options.h", "    bool snap_axial; ", FLAG),
        before("vbsp/options.c", '    {.name = "xbox"', option_of("CSG"))],
     ["unit_vbsp test_vbsp_options_in_key", "stage_vbsp test_vbsp_options"]),
    ("option", "vbsp, sides of brushes", [
        before("vbsp/csg/brush_options.h", "    bool no_draw_triggers; ", FLAG),
        before("vbsp/options.c", '    {.name = "xbox"', option_of("BRUSHES"))],
     ["unit_vbsp test_vbsp_options_in_key", "stage_vbsp test_vbsp_options"]),
    ("option", "vbsp, surfaces of Quake 3", [
        before("vbsp/target/quake3/surfaces/surface_options.h", "    bool no_tessellation; ", FLAG),
        before("vbsp/options.c", '    {.name = "xbox"', option_of("SURFACES"))],
     ["unit_vbsp test_vbsp_options_in_key", "stage_quake3 test_q3_options"]),
    ("option", "vbsp, the program", [
        before("vbsp/target/source/update/update_options.h", "    bool keep_stale_zip; ", FLAG),
        before("vbsp/options.c", '    {.name = "xbox"', option_of("UPDATE"))],
     ["unit_vbsp test_vbsp_options_in_key", "stage_vbsp test_files"]),
    ("option", "vvis", [
        before("vvis/resolve_options.h", "    bool no_sort; ", FLAG),
        before("vvis/options.c", '    {.name = "nosort"', option_of("RESOLVE"))],
     ["unit_vvis test_vvis_options_in_key", "stage_vvis test_vvis_session"]),
    ("option", "brushwork build", [
        before("brushwork/build.c", '    {.name = "until"',
               option("offsetof(struct arguments, until)", ".two_dashes = true, "))],
     ["e2e command_lines"]),
    ("option", "brushwork info", [
        before("brushwork/inspect/info.c", "    bool limits;", FLAG),
        before("brushwork/inspect/info.c", "    VERB_CONTENT(struct info_values),",
               '    VERB_FLAG(struct info_values, "looprow", loop_row, "measured"),')],
     ["e2e command_lines"]),
    ("option", "q3map2", [
        before("q3map2/options.def", 'OPTION(BSP, "altsplit"', 'OPTION(BSP, "looprow", "", IDLE, NULL, "measured")')],
     ["e2e front_ends"]),
    ("stage", "q3map2", [
        before("q3map2/stages.def", 'STAGE(FIXAAS, "fixaas"',
               'STAGE(LOOPROW, "looprow", "Measured (-looprow)", NULL, "measured", "FILE", "measured")')],
     ["e2e front_ends"]),
    ("diagnostic", "C, files", [diagnostic("files", "C", "FILE_READ")],
     ["unit_common test_diag_codes"]),
    ("diagnostic", "V, vbsp", [diagnostic("leaks", "V", "LEAK")],
     ["unit_common test_diag_codes"]),
    ("diagnostic", "R, vrad", [diagnostic("lights", "R", "LIGHT_COLOUR")],
     ["unit_common test_diag_codes"]),
    ("diagnostic", "its property", [
        before("common/diag/properties/hole.def", "PROPERTY(HOLE,",
               'PROPERTY(LOOP_ROW, 63, "looprow", NUMBERS, 1, PLACE, "measured")')],
     ["unit_common test_diag_json_read"]),
    ("verb", "brushwork", [
        before("brushwork/verbs.def", "VERB(pack,", 'VERB(looprow, "FILE", "measured")'),
        new("brushwork/looprow.c", VERB)],
     ["e2e command_lines"]),
    ("verb", "brushwork bmx", [
        before("ballance/verbs/verbs.def", "VERB(unpack,", 'VERB(looprow, "FILE", "measured")'),
        new("ballance/verbs/bmx_looprow.c",
            VERB.replace("brushwork/verbs.h", "ballance/verbs/bmx.h").replace("verb_loop", "bmx_verb_loop"))],
     ["e2e bmx"]),
    ("lump", "a new list of records", [
        before("common/bsp/rare_lumps.h", "    struct bsp_overlay_fade *", "    int32_t *loop_rows;"),
        before("common/bsp/bsp.c", "    arrfree(bsp->water_overlays);", "    arrfree(bsp_rare(bsp)->loop_rows);"),
        before("common/bsp/codec/vbsp_records.c", "    ARRAY(WATEROVERLAYS,", "    RARE(PHYSLEVEL, surfedge, loop_rows),")],
     ["unit_common test_bsp_roundtrip"]),
    ("lump", "a field of overlays of water", [
        Edit("common/bsp/water_overlay_records.h", "struct bsp_water_overlay {", "    int32_t loop_row;")],
     ["unit_common test_bsp_roundtrip"]),
    ("lump", "a field of faces", [
        Edit("common/bsp/face_records.h", "struct bsp_face {", "    int32_t loop_row;")],
     ["unit_common test_bsp_roundtrip"]),
    ("lump", "a limit", [
        instead("common/bsp/codec/limit_tables.h", "    VBSP_LIMITS = 39,", "    VBSP_LIMITS = 40,"),
        before("common/bsp/codec/limit_tables.c", '    {"water overlays", FIRM(16384)',
               '    {"measured", FIRM(16384), ARRAY(LUMP_OVERLAYS, overlays), .source = SDK},')],
     ["unit_common test_limit_sizes"]),
    ("light", "a key of an entity", [
        Edit("vrad/lights/light.h", "    double radius; ", "    double loop_row; /* measured */"),
        before("vrad/lights/lights.c", "    light->radius = ",
               '    light->loop_row = entity_number(entity, "_looprow", 0);'),
        instead("vrad/lights/light.c", "_Static_assert(sizeof(struct light) == 328,",
                '_Static_assert(sizeof(struct light) == 336, "light_append has all members of struct light");'),
        before("vrad/lights/light.c", "        light->near_share, light->stopdot,", "        light->loop_row,")],
     ["unit_vrad test_lights", "stage_vrad test_vrad_direct"]),
    ("light", "a kind of light", [
        Edit("common/bsp/worldlight.h", "    WORLDLIGHT_SKY_AMBIENT,", "    WORLDLIGHT_LOOP_ROW,"),
        before("vrad/lights/lights.c", '    else if (str_equal_nocase(name, "light_environment"))',
               '    else if (str_equal_nocase(name, "light_looprow"))\n'
               "        add_local_light(c, entity, WORLDLIGHT_LOOP_ROW);")],
     ["unit_vrad test_lights", "stage_vrad test_vrad_direct"]),
    ("light", "a key of Quake 3", [
        before("vrad/target/quake3/scene/entity_lights.c", "    light->type = WORLDLIGHT_SPOT;",
               '    light->exponent = entity_number(entity, "_looprow", 0);')],
     ["stage_vrad test_vrad_quake3_lights"]),
    ("engine", "a row", [
        before("common/bsp/engines.def", "ENGINE(raven,",
               'ENGINE(looprow, .name = "Measured", .target = "looprow", QUAKE3_LIKE,\n'
               "       QUAKE3_GEOMETRY(26, Q3_SURFACE_SKY, false),\n"
               "       .light = {.lightmap_pages = true, .page_side = 128}, QUAKE3_WORDS(\"_farplanedist\"))"),
        before("common/bsp/codec/targets.c", '    {.target = "ja"',
               '    {.target = "looprow", IBSP_FILE(46, looprow), .static_prop_version = 0, BASE},')],
     ["unit_common test_engine"]),
    ("engine", "a field", [
        before("common/bsp/engine_content.h", "    bool packs_in_pk3; ", FLAG),
        instead("common/bsp/engines.def", "    .content = &(const struct engine_content){.packs_in_pk3",
                "    .content = &(const struct engine_content){.packs_in_pk3 = true, .loop_row = true}, \\")],
     ["unit_common test_engine"]),
    ("engine", "a branch of Source", [
        before("common/bsp/codec/targets.c", '    {.target = "gmod"',
               '    {.target = "looprow", VBSP20, .static_prop_version = 10, BASE},')],
     ["unit_common test_engine"]),
    ("engine", "a game", [
        before("common/bsp/games.def", 'GAME("oa"', 'GAME("looprow", "Measured", "quake3", NULL, "", "")')],
     ["unit_common test_engine", "e2e front_ends"]),
]


# ---- the files of a change ----

def read(root, path):
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def texts(root, edits):
    """The changed files: path to (old, new); old is None for one that is new."""
    out = {}
    for edit in edits:
        old, now = out.get(edit.path) or (read(root, edit.path),) * 2
        out[edit.path] = old, edit.apply(now)
    return out


def write(root, path, text):
    full = os.path.join(root, path)
    if text is None:
        os.remove(full)
        return
    with open(full, "w", encoding="utf-8") as file:
        file.write(text)


# ---- includes ----

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)


class Includes:
    def __init__(self, root):
        self.root, self.direct, self.whole = root, {}, {}

    def of(self, path):
        """What a file includes itself."""
        if path not in self.direct:
            out = []
            for name in INCLUDE.findall(read(self.root, path) or ""):
                for folder in ("", os.path.dirname(path)):
                    full = os.path.normpath(os.path.join(folder, name))
                    if os.path.exists(os.path.join(self.root, full)):
                        out.append(full)
                        break
            self.direct[path] = out
        return self.direct[path]

    def closure(self, path):
        if path not in self.whole:
            seen, pending = set(), [path]
            while pending:
                for name in self.of(pending.pop()):
                    if name not in seen:
                        seen.add(name)
                        pending.append(name)
            self.whole[path] = seen
        return self.whole[path]

    def chain(self, path, deep):
        """The longest chain from a file on, without itself."""
        if path not in deep:
            deep[path] = []  # what includes itself is not followed
            deep[path] = max(([name] + self.chain(name, deep) for name in self.of(path)), key=len, default=[])
        return deep[path]


def objects_of_build(build):
    """Sources of the objects, one each, and the generated ones with what they are made of."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    with open(os.path.join(build, "build.ninja"), encoding="utf-8") as file:
        ninja = file.read().replace("$\n", "")
    root = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", open(os.path.join(build, "CMakeCache.txt")).read(), re.M)[1]
    made = {}
    for outputs, inputs in re.findall(r"^build ([^:\n]+): CUSTOM_COMMAND ([^\n]*)$", ninja, re.M):
        for output in outputs.replace("${cmake_ninja_workdir}", "").split():
            made[os.path.join(build, output)] = {os.path.relpath(i, root) for i in inputs.split() if i.startswith("/")}
    configured = re.search(r"^build build\.ninja: RERUN_CMAKE ([^\n]*)$", ninja, re.M)[1]
    sources = [os.path.join(entry["directory"], entry["file"]) for entry in commands]
    return ([os.path.relpath(s, root) for s in sources],
            {os.path.relpath(s, root): made[s] for s in sources if s in made},
            {os.path.relpath(i, root) for i in configured.split() if i.startswith("/")})


def count_objects(includes, build, files):
    """Objects that depend on the files, and whether cmake configures again."""
    sources, made, configured = build
    count = sum(1 for path in files if path.endswith(".c") and path not in sources)
    for source in sources:
        parts = made.get(source) or includes.closure(source) | {source}
        count += any(path in parts for path in files)
    return count, any(path in configured for path in files) or any(read(includes.root, p) is None for p in files)


def configured_folder(root, folder, options=()):
    subprocess.run(["cmake", "-S", root, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBRUSHWORK_TESTS=ON",
                    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options], check=True, stdout=subprocess.DEVNULL)
    return folder


# ---- builds and tests of a copy ----

E2E_PROGRAMS = ["vbsp", "vvis", "vrad", "brushwork", "q3map2"]


def cpu_seconds(command, **more):
    before_ = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before_.ru_utime - before_.ru_stime


def copy_checkout(to):
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"], check=True,
                           capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if os.path.lexists(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(os.path.join(to, name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(to, name), follow_symlinks=False)


def targets_of(tests):
    return sorted({target for test in tests
                   for target in (E2E_PROGRAMS if test.startswith("e2e ") else [test.split()[0]])})


def command_of(root, build, test):
    runner, name = test.split()
    if runner == "e2e":
        return [sys.executable, os.path.join(root, "tests", "e2e", f"test_{name}.py"), "--bin", os.path.join(build, "bin"),
                "--source", root, "--shared", os.path.join(ROOT, "..", "shared")]
    return [os.path.join(build, "bin", runner), name]


def ninja_objects(build):
    """The objects that ninja would compile: it does not say while it still has to configure."""
    text = read(build, "build.ninja").replace("$\n", "")
    plain = re.sub(r"^build build\.ninja: .*\n(?:  .*\n)*", "", text, flags=re.M)
    write(build, "loop.ninja", plain)
    out = subprocess.run(["ninja", "-C", build, "-f", "loop.ninja", "-n"], check=True, capture_output=True, text=True)
    return sum("Building C object" in line for line in out.stdout.splitlines())


def measure(root, build, edits, tests):
    """Objects, CPU seconds of the build and of the tests; the copy is as it was afterwards."""
    measured = dict(os.environ, CCACHE_DISABLE="1")
    files = texts(root, edits)
    targets = targets_of(tests)
    try:
        for path, (_, now) in files.items():
            write(root, path, now)
        seconds = cpu_seconds(["ninja", "-C", build, "build.ninja"], env=measured)
        objects = ninja_objects(build)
        seconds += cpu_seconds(["ninja", "-C", build, *targets], env=measured)
        tested = sum(cpu_seconds(command_of(root, build, test)) for test in tests)
    finally:
        for path, (old, _) in files.items():
            write(root, path, old)
    subprocess.run(["ninja", "-C", build], check=True, stdout=subprocess.DEVNULL)
    return objects, seconds, tested


# ---- tables ----

def print_table(rows, columns):
    print("| change | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for name, row in rows:
        print(f"| {name} | " + " | ".join(f"{row[c]:.1f}" if isinstance(row[c], float) else str(row[c])
                                          for c in columns) + " |")
    numbers = [c for c in columns if c != "cmake"]
    for word, of in (("median", statistics.median), ("maximum", max)):
        print(f"| **{word}** | " + " | ".join(f"{of([row[c] for _, row in rows]):g}" if c in numbers and c in ("files", "objects")
                                              else f"{of([row[c] for _, row in rows]):.1f}" if c in numbers else ""
                                              for c in columns) + " |")
    for column, limit in LIMITS.items():
        if column in columns:
            over = sum(row[column] > limit for _, row in rows)
            print(f"\n{column}: {len(rows) - over} of {len(rows)} within {limit}", end="")
    print()


def print_chains(number):
    includes, deep = Includes(ROOT), {}
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "*.c"], check=True, capture_output=True, text=True).stdout.split()
    chains = sorted(((includes.chain(name, deep), name) for name in names), key=lambda c: (-len(c[0]), c[1]))
    for chain, name in chains[:number]:
        print(f"{len(chain)}: " + " > ".join([name] + chain))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count-only", action="store_true")
    parser.add_argument("--build", help="a configured build folder, for --count-only")
    parser.add_argument("--only", default="", help="changes with this word in their name")
    parser.add_argument("--keep", help="folder of the copy and its build, kept for the next run")
    parser.add_argument("--chains", nargs="?", type=int, const=1)
    options = parser.parse_args()
    if options.chains:
        print_chains(options.chains)
        return
    chosen = [(f"{kind}: {what}", edits, tests) for kind, what, edits, tests in CHANGES if options.only in f"{kind}: {what}"]
    if not chosen:
        parser.error("no change has that word in its name")
    rows = []
    with tempfile.TemporaryDirectory(prefix="loop_") as folder:
        if options.count_only:
            build = objects_of_build(os.path.abspath(options.build) if options.build else configured_folder(ROOT, folder))
            includes = Includes(ROOT)
            for name, edits, _ in chosen:
                files = texts(ROOT, edits)
                objects, cmake = count_objects(includes, build, files)
                rows.append((name, {"files": len(files), "objects": objects, "cmake": "yes" if cmake else ""}))
        else:
            root = os.path.join(os.path.abspath(options.keep or folder), "copy")
            if not os.path.exists(root):
                copy_checkout(root)
            build = os.path.join(root, "build", "loop")
            configured_folder(root, build)
            subprocess.run(["ninja", "-C", build], check=True, stdout=subprocess.DEVNULL)
            for name, edits, tests in chosen:
                objects, seconds, tested = measure(root, build, edits, tests)
                rows.append((name, {"files": len({e.path for e in edits}), "objects": objects, "build": seconds, "tests": tested}))
                print(f"{name}: {objects} objects, {seconds:.1f} s, {tested:.1f} s", file=sys.stderr)
    print_table(rows, list(rows[0][1]))


if __name__ == "__main__":
    main()
