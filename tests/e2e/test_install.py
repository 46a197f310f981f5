#!/usr/bin/env python3
"""What `cmake --install` leaves: the tree, the completions of three shells, the version."""
import glob
import importlib.machinery
import importlib.util
import os
import re
import shutil
import sys

from e2e import Skip, Suite, check, map_sources, read, write
from installed import build_folder, call, files_of, install

suite = Suite()
PROGRAMS = ("brushwork", "q3map2", "vbsp", "vrad", "vvis")
BASH, ZSH, FISH = ("share/bash-completion/completions", "share/zsh/site-functions",
                   "share/fish/vendor_completions.d")

# Scripts that are started: by editors, and by a person.
STARTED = r"/(integrations/(ci/(pages|review)|hammer/(brushwork-windows|v[a-z]+)|pre-commit/brushwork-lint)|examples/(slurm/submit|maps/courtyard/make))$"


def integrations(s):
    return files_of(os.path.join(s.options.source, "integrations"))


def examples(s):
    """Of examples/, but that of the library, and maps/; without what a run has left there."""
    top = os.path.join(s.options.source, "examples")
    return [*(name for name in files_of(top) if "/" in name and not name.startswith("library/")),
            *(f"maps/{name}" for name in map_sources(s.options.source))]


def verbs(s):
    table = read(os.path.join(s.options.source, "brushwork", "verbs.def")).decode()
    return re.findall(r"^VERB\((\w+),", table, re.MULTILINE)


@suite.case
def each_program_and_verb_is_there_with_its_page(s, folder):
    found = set(files_of(install(s, folder)))
    pages = [*PROGRAMS, *(f"brushwork-{verb}" for verb in verbs(s))]
    wanted = {*(f"bin/{name}" for name in PROGRAMS),
              *(f"share/man/man1/{name}.1" for name in pages),
              *(f"{BASH}/{name}" for name in PROGRAMS), f"{ZSH}/_brushwork",
              *(f"{FISH}/{name}.fish" for name in PROGRAMS),
              *(f"share/doc/brushwork/{name}" for name in (
                  "README.md", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
                  "copyright", "examples/maps/atrium.vmf", "docs/README.md",
                  "docs/tutorial.md", "docs/options/vbsp.md")),
              *(f"share/brushwork/schemas/{name}.schema.json" for name in ("game", "lines", "objects")),
              *(f"share/brushwork/integrations/{name}" for name in integrations(s))}
    if os.path.exists(os.path.join(build_folder(s), "lib", "libbrushwork.so")):
        libraries = {name for name in found if "/libbrushwork.so" in name}
        check(len(libraries) == 3, libraries)
        wanted |= libraries | {name for name in found if name.endswith("/pkgconfig/brushwork.pc")}
        modules = os.listdir(os.path.join(s.options.source, "library", "python", "brushwork"))
        wanted |= {"include/brushwork/brushwork.h", "share/doc/brushwork/examples/library/lights.c", *(
            f"lib/python3/dist-packages/brushwork/{name}" for name in modules if name.endswith(".py"))}
    for module in ("mpi.so", "http.so", "serve.so"):
        if os.path.exists(os.path.join(build_folder(s), "lib", "brushwork", module)):
            wanted |= {name for name in found if re.fullmatch(rf"lib/([\w-]+/)?brushwork/{module}", name)}
            check(sum(name.endswith("/" + module) for name in wanted) == 1, f"no {module}")
    wanted |= {f"share/doc/brushwork/examples/{name}" for name in examples(s)}
    check(wanted <= found, f"missing: {sorted(wanted - found)}")
    others = {name for name in found - wanted
              if not re.fullmatch(r"share/doc/brushwork/docs/[\w./-]+\.(md|png|jpg|json)", name)}
    check(not others, f"not in the list: {sorted(others)}")


@suite.case
def what_is_installed_runs_and_belongs_to_everybody(s, folder):
    top = install(s, folder)
    for name in files_of(top):
        mode = os.stat(os.path.join(top, name)).st_mode & 0o777
        is_program = name.startswith("bin/") or re.search(STARTED, name)
        check(mode == (0o755 if is_program else 0o644), f"{name}: {mode:o}")
    example = os.path.join(top, "share/doc/brushwork/examples/maps/atrium.vmf")
    done = call(os.path.join(top, "bin", "vbsp"), example, "-o", os.path.join(folder, "a.bsp"))
    check(done.returncode == 0, done.stdout)


@suite.case
def a_component_comes_alone(s, folder):
    top = install(s, folder, "--component", "man")
    check(all(name.startswith("share/man/") for name in files_of(top)), files_of(top))
    check("share/man/man1/vbsp.1" in files_of(top), files_of(top))


@suite.case
def links_of_installed_pages_lead_to_installed_files(s, folder):
    top = os.path.join(install(s, folder), "share/doc/brushwork")
    for page in (name for name in files_of(top) if name.endswith(".md")):
        for link in re.findall(r"\]\(([^()\s#]+)[^()\s]*\)", read(os.path.join(top, page)).decode()):
            path = os.path.join(top, os.path.dirname(page), link)
            check(re.match("[a-z]+:", link) or os.path.exists(path), f"{page} links to {link}")


def place_of(path):
    """Where a file that pages name as in a checkout is installed, or None: it is code."""
    for prefix, place in (("maps/", "share/doc/brushwork/examples/maps/"),
                          ("integrations/", "share/brushwork/integrations/"),
                          ("examples/", "share/doc/brushwork/examples/"),
                          ("docs/", "share/doc/brushwork/docs/"),
                          ("/usr/share/doc/", "share/doc/"), ("share/doc/", "share/doc/"),
                          ("/usr/share/brushwork/", "share/brushwork/")):
        if path.startswith(prefix):
            return place + path[len(prefix):]
    return None


# Installed by some kinds of package, or with the library.
OF_SOME_PACKAGES = ("/usr/share/doc/libbrushwork-dev/examples", "share/doc/brushwork/libraries", "examples/library",
                    "share/doc/brushwork/examples/library")


def check_docs(s):
    """scripts/check_docs, as a module."""
    scripts = os.path.join(s.options.source, "scripts")
    sys.path.insert(0, scripts)
    loader = importlib.machinery.SourceFileLoader("check_docs", os.path.join(scripts, "check_docs"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_docs", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def named(docs, page):
    """The paths that a page names, with the sentences before and after in its block of text."""
    text = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    for block in re.split(r"\n\s*\n|\n(?=\|)", text):
        if block.startswith("    "):
            continue
        for _, code in docs.CODE.findall(block):
            path = code.strip()
            if docs.PATH.fullmatch(path.lstrip("/")) and "/" in path and not docs.FOREIGN.search(path):
                yield path, block


@suite.case
def installed_pages_name_what_is_there(s, folder):
    """All pages for maps, examples and pages. Those for users name no code, unless they say that it is in the sources
    or made there."""
    usr = install(s, folder)
    docs = check_docs(s)
    source = set(os.listdir(s.options.source)) - {"build", ".git"}
    top = os.path.join(usr, "share/doc/brushwork")
    faults, seen = [], 0
    for name in (name for name in files_of(top) if name.endswith(".md")):
        users = re.fullmatch(r"docs/(tutorial|guides/(?!tool-authors)[\w-]+)\.md", name)
        for path, block in named(docs, read(os.path.join(top, name)).decode()):
            place = place_of(path)
            if path.startswith((*docs.MADE, *OF_SOME_PACKAGES)):
                continue
            seen += 1
            if place and not all(glob.glob(os.path.join(usr, one)) for one in docs.variants(place)):
                faults.append(f"{name}: {path} is not installed")
            is_code = users and not place and path.split("/")[0] in source
            if is_code and not re.search(r"\b(the sources|checkout|below `build/)", block):
                faults.append(f"{name}: {path} is not installed, and no word says that it is of the sources")
    check(seen > 100, f"{seen} paths")
    check(not faults, "\n".join(faults))


@suite.case
def each_shell_takes_its_completions(s, folder):
    top = install(s, folder)
    missing = []
    for shell, place in (("bash", BASH), ("zsh", ZSH), ("fish", FISH)):
        if not shutil.which(shell):
            missing.append(shell)
            continue
        for name in os.listdir(os.path.join(top, place)):
            done = call(shell, "-n", os.path.join(top, place, name),
                        env={**os.environ, "HOME": folder})
            check(done.returncode == 0 and not done.stdout, f"{shell} {name}: {done.stdout}")
    if missing:
        raise Skip(f"no {', '.join(missing)}; the others take theirs")


def complete(scripts, cwd, *words):
    """What bash offers for the last of the words."""
    code = ('source "$1" && shift && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) && '
            'spec=$(complete -p "$1") && set -- ${spec#*-F } && "$1" && printf "%s\\n" "${COMPREPLY[@]}"')
    done = call("bash", "--norc", "-c", code, "bash", os.path.join(scripts, words[0]), *words,
                cwd=cwd)
    check(done.returncode == 0, f"{words}: {done.stdout}")
    return sorted(done.stdout.split("\n")[:-1]) if done.stdout.strip() else []


@suite.case
def bash_offers_options_verbs_values_and_files(s, folder):
    scripts = os.path.join(install(s, os.path.join(folder, "installed")), BASH)
    place = os.path.join(folder, "maps here")
    for name in ("a.vmf", "a.map", "A2.VMM", "a.bsp", "a.prt", "a.rad", "a.bmx", "with space.vmf",
                 "deep/x.vmf"):
        os.makedirs(os.path.dirname(os.path.join(place, name)), exist_ok=True)
        write(os.path.join(place, name), "")
    sources = ["a.bmx", "a.map", "a.vmf"]
    targets = [t for t in s.run("vbsp", "--completion").out.decode().splitlines()
               if t.startswith("option\t--target\t")][0].split("\t")[4].split()
    check("sdk2013" in targets and "quake3" in targets, targets)
    for words, expected in (
            (("vbsp", "a"), sources),
            (("vbsp", "A"), ["A2.VMM"]),
            (("vbsp", "w"), ["with space.vmf"]),
            (("vbsp", "with\\ "), ["with space.vmf"]),
            (("vbsp", "d"), ["deep"]),
            (("vbsp", "deep/"), ["deep/x.vmf"]),
            (("vbsp", "--targ"), ["--target"]),
            (("vbsp", "-targ"), ["-target"]),
            (("vbsp", "-onlye"), ["-onlyents"]),
            (("vbsp", "--onlye"), ["--onlyents"]),
            (("vbsp", "-nosuch"), []),
            (("vbsp", "-allowdebu"), []),  # only for compatibility
            (("vbsp", "--target", ""), sorted(targets)),
            (("vbsp", "--target", "=", "tf"), ["tf2"]),
            (("vbsp", "--TARGET", "tf"), ["tf2"]),
            (("vbsp", "-embed", ""), ["deep"]),
            (("vbsp", "-micro", ""), []),
            (("vbsp", "-blocks", "0", "0", "1", ""), []),
            (("vbsp", "-blocks", "0", "0", "1", "1", "a"), sources),
            (("vbsp", "--", "-"), []),
            (("vvis", "a"), ["a.bsp"]),
            (("vvis", "--prt", "a"), ["a.prt"]),
            (("vrad", "-lights", "a"), ["a.rad"]),
            (("brushwork", ""), sorted([*verbs(s), "--help", "--version", "--man"])),
            (("brushwork", "ver"), ["verify"]),
            (("brushwork", "nosuch", ""), []),
            (("brushwork", "build", "--preset", ""), ["fast", "final", "normal", "preview"]),
            (("brushwork", "build", "a"), sources),
            (("brushwork", "info", "a"), ["a.bsp", "a.map", "a.vmf"]),
            (("brushwork", "bmx", "unp"), ["unpack"]),
            (("brushwork", "bmx", "info", "a"), ["a.bmx"]),
            (("brushwork", "bmx", "pack", "--fo"), ["--force"])):
        found = complete(scripts, place, *words)
        check(found == sorted(expected), f"{words}: {found}, not {expected}")


@suite.case
def bash_offers_each_option_that_the_help_lists(s, folder):
    scripts = os.path.join(install(s, folder), BASH)
    for words in (("vbsp",), ("vvis",), ("vrad",), ("brushwork", "build"), ("brushwork", "pack")):
        text = s.run(words[0], *words[1:], "--help", "all").out.decode()
        named = re.findall(r"^  (--?[\w-]+)(?:, (--?[\w-]+))?", text, re.MULTILINE)
        listed = {name for names in named for name in names if name}
        offered = set(complete(scripts, folder, *words, "-"))
        check(len(listed) > 10 and listed == offered, f"{words}: {listed ^ offered}")


@suite.case
def fish_offers_options_values_and_files(s, folder):
    if not shutil.which("fish"):
        raise Skip("no fish")
    scripts = os.path.join(install(s, folder), FISH)
    for name in ("a.vmf", "a.bsp"):
        write(os.path.join(folder, name), "")
    for line, expected in (("vbsp a", ["a.vmf"]), ("vbsp --target t", ["tf2"]),
                           ("vbsp -onlye", ["-onlyents"]), ("brushwork veri", ["verify"]),
                           ("brushwork bmx unp", ["unpack"]), ("brushwork info a", ["a.bsp"]),
                           ("brushwork bmx pack --fo", ["--force"])):
        code = f"source {scripts}/{line.split()[0]}.fish; complete -C '{line}'"
        done = call("fish", "--no-config", "-c", code, cwd=folder,
                    env={**os.environ, "HOME": folder})
        found = [text.split("\t")[0] for text in done.stdout.splitlines()]
        check(found == expected, f"{line}: {done.stdout}")


VERSIONS = """cmake_minimum_required(VERSION 3.22)
project(versions VERSION 1.2.3 LANGUAGES NONE)
include("{source}/cmake/Version.cmake")
file(WRITE version.txt "${{BRUSHWORK_VERSION}}")
"""


def configured(s, top, env=None):
    write(os.path.join(top, "CMakeLists.txt"), VERSIONS.format(source=s.options.source))
    done = call("cmake", "-S", top, "-B", os.path.join(top, "build"), env=env)
    check(done.returncode == 0, done.stdout)
    return read(os.path.join(top, "version.txt")).decode()


def git_in(folder):
    """A function that runs git there, with no settings of the user."""
    def git(*arguments):
        done = call("git", "-c", "user.name=n", "-c", "user.email=n@example.org", *arguments, cwd=folder,
                    env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"})
        check(done.returncode == 0, done.stdout)
        return done.stdout.strip()
    return git


@suite.case
def the_version_is_that_of_the_tag(s, folder):
    build_folder(s)
    if not shutil.which("git"):
        raise Skip("no git")
    git = git_in(folder)
    check(configured(s, folder) == "1.2.3-dev+unknown", "without git")
    write(os.path.join(folder, "VERSION"), "1.2.4\n")
    check(configured(s, folder) == "1.2.4", "with a file")
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "one")
    first = git("rev-parse", "--short=7", "HEAD")
    check(configured(s, folder) == f"1.2.3-dev.1+g{first}", configured(s, folder))
    git("tag", "other")
    git("tag", "v2.0.0")
    check(configured(s, folder) == "2.0.0", configured(s, folder))
    git("commit", "-q", "--allow-empty", "-m", "two")
    second = git("rev-parse", "--short=7", "HEAD")
    check(configured(s, folder) == f"2.0.0+1.g{second}", configured(s, folder))


@suite.case
def only_an_archive_of_a_release_is_one(s, folder):
    build_folder(s)
    if not shutil.which("git") or not shutil.which("tar"):
        raise Skip("no git, or no tar")
    source = os.path.join(folder, "source")
    git = git_in(source)

    def archived(name):
        top = os.path.join(folder, name)
        os.mkdir(top)
        git("archive", "-o", "../archive.tar", "HEAD")
        check(call("tar", "-C", top, "-xf", os.path.join(folder, "archive.tar")).returncode == 0, "tar")
        return configured(s, top)

    for name in (".gitattributes", "cmake/archived.txt"):
        os.makedirs(os.path.dirname(os.path.join(source, name)), exist_ok=True)
        shutil.copy(os.path.join(s.options.source, name), os.path.join(source, name))
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    first = git("rev-parse", "--short=7", "HEAD")
    check(archived("untagged") == f"1.2.3-dev+g{first}", first)
    git("tag", "v2.0.0")
    check(archived("release") == "2.0.0", "a release")
    git("commit", "-q", "--allow-empty", "-m", "two")
    second = git("rev-parse", "--short=7", "HEAD")
    check(archived("later") == f"2.0.0+1.g{second}", second)
    # Not an archive: a copy of the files alone, and a checkout where git cannot be run.
    git("checkout", "-q", "v2.0.0")
    copy = shutil.copytree(source, os.path.join(folder, "copy"), ignore=shutil.ignore_patterns(".git"))
    check(configured(s, copy) == "1.2.3-dev+unknown", "a copy")
    os.chmod(write(os.path.join(folder, "git"), "#!/bin/sh\nexit 127\n"), 0o755)
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    check(configured(s, source, env) == "1.2.3-dev+unknown", "no git")
    check(configured(s, source) == "2.0.0", "with git")


@suite.case
def all_programs_tell_the_same_version(s, _folder):
    told = {s.run(*words, "--version").expect(0).out.decode().split()[-1]
            for words in (("vbsp",), ("vvis",), ("vrad",), ("brushwork",), ("brushwork", "info"))}
    check(len(told) == 1 and re.match(r"\d+\.\d+\.\d+", *told), told)


suite.main()
