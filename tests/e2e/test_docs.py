#!/usr/bin/env python3
"""Runs the commands of README.md, docs/README.md and docs/tutorial.md as they stand there.

Commands are the lines of blocks marked `sh`, and those after `$ ` in blocks marked `console`. Other blocks are
marked `text`, or hold output. Each page runs in a folder that looks like a checkout, without its parts below a
heading "From a package"; the tutorial runs as it is installed, with what is installed and without its parts
"From a checkout". A command that cannot run here needs an entry below, and a command that nobody expected to fail
makes the test fail.
"""
import os
import re
import subprocess

from e2e import Suite, check, copy_maps, read
from installed import install

suite = Suite()

# Skipped: the beginning of a command, and why.
NEEDS = {
    "sudo apt install ./brushwork_": "cmake --install has done that",
    "./check": "runs this test itself, and installs packages",
    "cp my_map.bsp \"$HOME/.steam/": "needs a game from Steam",
    "brushwork build my_map.vmf -game \"$HOME/.steam/": "needs a game from Steam",
    "brushwork build -game openarena oacmpdm9.map": "needs a map of OpenArena, and some time",
    "openarena ": "needs the game",
}

# Skipped where a folder is absent.
NEEDS_FOLDER = {"brushwork build -game openarena": "/usr/share/games/openarena/baseoa"}

# ./compile installs packages and builds; what follows is the command that it ends with, without its light.
INSTEAD = {"./compile": "build/release/bin/brushwork build maps/courtyard/courtyard.vmf -game maps/courtyard --until vvis"}

# Exit statuses other than 0 that the page announces.
STATUS = {
    "brushwork build ../maps/leak.vmf -o leak.bsp": 3,
    "brushwork diff my_map.bsp release.bsp": 1,
    "brushwork diff atrium.bsp release.bsp": 1,
}


def blocks(text):
    """The fenced blocks of a page: their language and lines. Code blocks without a fence, or without
    a language, are refused, so that no command escapes."""
    language, lines, before = None, [], ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"```(\w*)\s*$", line)
        if mark and language is None:
            language, lines = mark.group(1), []
            check(language in ("sh", "console", "text"), f"line {number}: a block of no known kind")
        elif mark:
            yield language, lines
            language = None
        elif language is not None:
            lines.append(line)
        else:
            check(before.strip() or not line.startswith("    "), f"line {number}: an indented block")
        before = line
    check(language is None, "a block is not closed")


def commands(text):
    for language, lines in blocks(text):
        for line in lines:
            if language == "sh" and line.strip() and not line.startswith("#"):
                yield re.sub(r"\s{2,}# .*", "", line)
            elif language == "console" and line.startswith("$ "):
                yield line[2:]


def without_part(text, title):
    """A page without the parts below that heading."""
    return re.sub(rf"^(#+) {title}\n.*?(?=^#{{1,6}} |\Z)", "", text, flags=re.MULTILINE | re.DOTALL)


class Shell:
    """Runs commands one by one; cd and export stay for those that follow."""

    def __init__(self, folder, top, path=""):
        os.makedirs(top, exist_ok=True)
        self.path = path + "/usr/local/bin:/usr/bin:/bin"
        self.state = os.path.join(folder, "state")
        self.home = os.path.join(folder, "home")
        os.mkdir(self.home)
        with open(self.state, "w", encoding="utf-8") as file:
            file.write(f"cd {top}\n")

    def run(self, command):
        """The exit status and the output."""
        env = {"HOME": self.home, "PATH": self.path, "LC_ALL": "C.UTF-8"}
        for name in ("LSAN_OPTIONS", "ASAN_OPTIONS", "OMP_NUM_THREADS"):
            if name in os.environ:
                env[name] = os.environ[name]
        script = (f". {self.state}\n{command}\nstatus=$?\n"
                  f'{{ echo "cd \\"$PWD\\""; export -p; }} > {self.state}\nexit $status\n')
        done = subprocess.run(["bash", "-c", script], env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600,
                              check=False)
        return done.returncode, done.stdout.decode(errors="replace")


def entry(table, command):
    """The value of the longest key that the command starts with."""
    found = [key for key in table if command.startswith(key)]
    return table[max(found, key=len)] if found else None


def checkout(s, folder):
    """A shell in a folder that looks like a checkout that has been built. The pages set PATH themselves."""
    top = os.path.join(folder, "checkout")
    os.makedirs(os.path.join(top, "build", "release"))
    os.symlink(os.path.abspath(s.options.bin), os.path.join(top, "build", "release", "bin"))
    copy_maps(s.options.source, os.path.join(top, "maps"))
    return Shell(folder, top)


def run_commands(shell, name, text):
    found = list(commands(text))
    check(found, "no commands")
    for command in found:
        why, needed = entry(NEEDS, command), entry(NEEDS_FOLDER, command)
        if not why and needed and not os.path.isdir(needed):
            why = f"needs {needed}"
        if why:
            print(f"skipped: {name}: {command}: {why}")
            continue
        status, output = shell.run(entry(INSTEAD, command) or command)
        wanted = entry(STATUS, command) or 0
        check(status == wanted, f"{command}: exit status {status}, not {wanted}\n{output[-4000:]}")
        print(f"ran: {command}")


def page_of_checkout(s, name):
    return without_part(read(os.path.join(s.options.source, name)).decode(), "From a package")


@suite.case
def tutorial_in_a_checkout(s, folder):
    """Until a map is compiled: from there on the folders look the same as those of a package."""
    page = page_of_checkout(s, "docs/tutorial.md")
    run_commands(checkout(s, folder), "docs/tutorial.md", page[:page.index("\n## 3. ")])


@suite.case
def tutorial_of_a_package(s, folder):
    """Over 2 s of CPU: each of its commands, since any may need a file that is not installed."""
    usr = install(s, os.path.join(folder, "installed"))
    pages = os.path.join(usr, "share/doc/brushwork")
    page = read(os.path.join(pages, "docs", "tutorial.md")).decode()
    page = without_part(page, "From a checkout").replace("/usr/share/doc/brushwork", pages)
    shell = Shell(folder, os.path.join(folder, "work"), f"{usr}/bin:")
    run_commands(shell, "docs/tutorial.md of a package", page)


@suite.case
def readme(s, folder):
    run_commands(checkout(s, folder), "README.md", page_of_checkout(s, "README.md"))


@suite.case
def index(s, folder):
    """Over 2 s of CPU: the picture of the README at its full quality."""
    # The page assumes the path that the tutorial sets, and the two files that `diff` compares.
    shell = checkout(s, folder)
    for command in ('export PATH="$PWD/build/release/bin:$PATH"',
                    "brushwork build maps/atrium.vmf -o atrium.bsp --quiet",
                    "mkdir -p materials/mymap && printf 'a' > materials/mymap/wall.vmt",
                    "brushwork pack atrium.bsp --add materials/mymap/wall.vmt materials/mymap/wall.vmt -o release.bsp"):
        status, output = shell.run(command)
        check(status == 0, f"{command}: exit status {status}\n{output}")
    run_commands(shell, "docs/README.md", page_of_checkout(s, "docs/README.md"))


@suite.case
def parts_end_with_the_next_heading(_s, _folder):
    text = "# A\na\n### From a package\nb\n### From a checkout\nc\n## D\nd\n"
    check(without_part(text, "From a package") == "# A\na\n### From a checkout\nc\n## D\nd\n", "package")
    check(without_part(text, "From a checkout") == "# A\na\n### From a package\nb\n## D\nd\n", "checkout")


def without_times(line):
    return re.sub(r"\d+\.\d\d s", "0.00 s", line)


@suite.case
def the_output_of_a_build_is_that_of_the_index(s, folder):
    page = read(os.path.join(s.options.source, "docs", "README.md")).decode()
    shown = re.search(r"<!-- build output: begin -->(.*)<!-- build output: end -->", page, re.S).group(1)
    (_, lines), = blocks(shown)
    status, output = checkout(s, folder).run("build/release/bin/" + lines[0][2:])
    check(status == 0, output)
    printed = iter([without_times(line) for line in output.splitlines()])
    for line in lines[1:]:
        check(line.strip() == "..." or without_times(line) in printed, f"not in this place: {line}\n{output}")


@suite.case
def unknown_blocks_are_refused(_s, _folder):
    for text in ("```\nls\n```\n", "Text.\n\n    ls\n", "```sh\nls\n"):
        try:
            list(commands(text))
        except AssertionError:
            continue
        raise AssertionError(f"took {text!r}")
    check(list(commands("```console\n$ a b\nout\n```\n```sh\nc  # d\n```\n")) == ["a b", "c"], "kinds")


suite.main()
