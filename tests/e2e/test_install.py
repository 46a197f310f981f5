#!/usr/bin/env python3
"""What `cmake --install` leaves: the tree, the completions of three shells, the version."""
import os
import re
import shutil
import subprocess

from e2e import Skip, Suite, check, read, write

suite = Suite()
PROGRAMS = ("brushwork", "q3map2", "vbsp", "vrad", "vvis")
BASH, ZSH, FISH = ("share/bash-completion/completions", "share/zsh/site-functions",
                   "share/fish/vendor_completions.d")

# Scripts that are started: by editors, and by a person.
STARTED = r"/(integrations/(hammer/(brushwork-windows|v[a-z]+)|pre-commit/brushwork-lint)|examples/slurm/submit)$"


def call(*command, cwd=None, env=None):
    return subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, text=True)


def build_folder(s):
    folder = os.path.dirname(s.options.bin)
    if not shutil.which("cmake") or not os.path.exists(os.path.join(folder, "CMakeCache.txt")):
        raise Skip(f"no cmake, or no build in {folder}")
    return folder


def install(s, folder, *arguments):
    """Installs below the prefix /usr of a folder, and returns that /usr."""
    done = call("cmake", "--install", build_folder(s), "--prefix", "/usr", *arguments,
                env={**os.environ, "DESTDIR": folder})
    check(done.returncode == 0, done.stdout)
    return os.path.join(folder, "usr")


def files_of(folder):
    return sorted(os.path.relpath(os.path.join(path, name), folder)
                  for path, _, names in os.walk(folder) for name in names)


def integrations(s):
    return files_of(os.path.join(s.options.source, "integrations"))


def examples(s):
    """Of examples/, but that of the library."""
    top = os.path.join(s.options.source, "examples")
    return [name for name in files_of(top) if "/" in name and not name.startswith("library/")]


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
                  "copyright", "examples/atrium.vmf", "docs/tutorial.md", "docs/options/vbsp.md")),
              *(f"share/brushwork/schemas/{name}.schema.json" for name in ("lines", "objects")),
              *(f"share/brushwork/integrations/{name}" for name in integrations(s))}
    if os.path.exists(os.path.join(build_folder(s), "lib", "libbrushwork.so")):
        libraries = {name for name in found if "/libbrushwork.so" in name}
        check(len(libraries) == 3, libraries)
        wanted |= libraries | {name for name in found if name.endswith("/pkgconfig/brushwork.pc")}
        wanted |= {"include/brushwork/brushwork.h", "share/doc/brushwork/examples/lights.c", *(
            f"lib/python3/dist-packages/brushwork/{name}" for name in ("__init__.py",
                                                                       "_library.py"))}
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
    example = os.path.join(top, "share/doc/brushwork/examples/atrium.vmf")
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
            (("brushwork", "build", "--preset", ""), ["fast", "final", "normal"]),
            (("brushwork", "build", "a"), sources),
            (("brushwork", "info", "a"), ["a.bsp"]),
            (("brushwork", "bmx", "unp"), ["unpack"]),
            (("brushwork", "bmx", "info", "a"), ["a.bmx"]),
            (("brushwork", "bmx", "pack", "--fo"), ["--force"])):
        found = complete(scripts, place, *words)
        check(found == sorted(expected), f"{words}: {found}, not {expected}")


@suite.case
def bash_offers_each_option_that_the_help_lists(s, folder):
    scripts = os.path.join(install(s, folder), BASH)
    for words in (("vbsp",), ("vvis",), ("vrad",), ("brushwork", "build"), ("brushwork", "pack")):
        text = s.run(words[0], *words[1:], "--help").out.decode()
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


def configured(s, top):
    write(os.path.join(top, "CMakeLists.txt"), VERSIONS.format(source=s.options.source))
    done = call("cmake", "-S", top, "-B", os.path.join(top, "build"))
    check(done.returncode == 0, done.stdout)
    return read(os.path.join(top, "version.txt")).decode()


@suite.case
def the_version_is_that_of_the_tag(s, folder):
    build_folder(s)
    if not shutil.which("git"):
        raise Skip("no git")

    def git(*arguments):
        done = call("git", "-c", "user.name=n", "-c", "user.email=n@example.org", *arguments,
                    cwd=folder)
        check(done.returncode == 0, done.stdout)
        return done.stdout.strip()

    check(configured(s, folder) == "1.2.3", "without git")
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
def all_programs_tell_the_same_version(s, _folder):
    told = {s.run(*words, "--version").expect(0).out.decode().split()[-1]
            for words in (("vbsp",), ("vvis",), ("vrad",), ("brushwork",), ("brushwork", "info"))}
    check(len(told) == 1 and re.match(r"\d+\.\d+\.\d+", *told), told)


suite.main()
