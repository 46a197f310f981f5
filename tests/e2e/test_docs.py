#!/usr/bin/env python3
"""Runs the commands of README.md and docs/tutorial.md as they stand there.

Commands are the lines of blocks marked `sh`, and those after `$ ` in blocks marked `console`. Other blocks are
marked `text`, or hold output. Each page runs in a folder that looks like a checkout; a command that
cannot run here needs an entry below, and a command that nobody expected to fail makes the test fail.
"""
import os
import re
import shutil
import subprocess

from e2e import Suite, check

suite = Suite()

# Skipped: the beginning of a command, and why.
NEEDS = {
    "./check": "runs this test itself, and installs packages",
    "cp my_map.bsp \"$HOME/.steam/": "needs a game from Steam",
    "brushwork build my_map.vmf -game \"$HOME/.steam/": "needs a game from Steam",
    "brushwork build -game openarena oacmpdm9.map": "needs a map of OpenArena, and some time",
    "openarena ": "needs the game",
}

# Skipped where a folder is absent.
NEEDS_FOLDER = {"brushwork build -game openarena": "/usr/share/games/openarena/baseoa"}

# ./compile installs packages and builds; what follows is the command that it ends with.
INSTEAD = {"./compile": "build/release/bin/brushwork build maps/atrium.vmf"}

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


class Shell:
    """Runs commands one by one; cd and export stay for those that follow."""

    def __init__(self, s, folder):
        self.top = os.path.join(folder, "checkout")
        os.makedirs(os.path.join(self.top, "build", "release"))
        os.symlink(os.path.abspath(s.options.bin), os.path.join(self.top, "build", "release", "bin"))
        shutil.copytree(os.path.join(s.options.source, "maps"), os.path.join(self.top, "maps"))
        self.state = os.path.join(folder, "state")
        self.home = os.path.join(folder, "home")
        os.mkdir(self.home)
        with open(self.state, "w", encoding="utf-8") as file:
            file.write(f"cd {self.top}\n")

    def run(self, command):
        """The exit status and the output."""
        # Which PATH the pages set is theirs to say.
        env = {"HOME": self.home, "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
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
    """What the longest key that the command begins with stands for."""
    found = [key for key in table if command.startswith(key)]
    return table[max(found, key=len)] if found else None


def run_page(s, folder, name, prepare=()):
    with open(os.path.join(s.options.source, name), encoding="utf-8") as file:
        found = list(commands(file.read()))
    check(found, "no commands")
    shell = Shell(s, folder)
    for command in prepare:
        status, output = shell.run(command)
        check(status == 0, f"{command}: exit status {status}\n{output}")
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


@suite.case
def tutorial(s, folder):
    run_page(s, folder, "docs/tutorial.md")


@suite.case
def readme(s, folder):
    # The pages assume the path that the tutorial sets, and the two files that `diff` compares.
    run_page(s, folder, "README.md", (
        'export PATH="$PWD/build/release/bin:$PATH"',
        "brushwork build maps/atrium.vmf -o atrium.bsp --quiet",
        "mkdir -p materials/mymap && printf 'a' > materials/mymap/wall.vmt",
        "brushwork pack atrium.bsp --add materials/mymap/wall.vmt materials/mymap/wall.vmt "
        "-o release.bsp"))


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
