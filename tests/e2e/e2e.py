"""Shared by the end-to-end tests: running the programs, cases, and a report like cmocka's."""
import argparse
import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback


# What a run has inherited is no part of a test: variables that the programs read, and signals that a shell in the
# background or nohup has told to ignore.
for variable in ("BRUSHWORK_CACHE", "BRUSHWORK_CACHE_SERVER", "BRUSHWORK_CACHE_KEY", "BRUSHWORK_CACHE_TOKEN",
                 "BRUSHWORK_CACHE_HEADERS", "BRUSHWORK_CACHE_S3", "BRUSHWORK_MPI", "BRUSHWORK_SANDBOX", "BRUSHWORK_SIMD", "COLUMNS", "MAKEFLAGS",
                 "MAKELEVEL", "MFLAGS", "NO_COLOR"):
    os.environ.pop(variable, None)
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, ())


# Files of maps/ that the project has. Results, caches and pictures that somebody has left beside them are no part of a test.
MAP_SOURCE = re.compile(r"\.(vmf|vmm|map|rad|vmt|vtf|py)$|^(make|gameinfo\.txt)$")


def map_sources(top):
    """Paths of those files below maps/ of a checkout, relative to it, sorted."""
    maps = os.path.join(top, "maps")
    return sorted(os.path.relpath(os.path.join(folder, name), maps)
                  for folder, _, names in os.walk(maps) for name in names if MAP_SOURCE.search(name))


def copy_maps(top, out):
    """Copies them, without what else is there, to a folder that is made."""
    for name in map_sources(top):
        os.makedirs(os.path.dirname(os.path.join(out, name)), exist_ok=True)
        shutil.copy(os.path.join(top, "maps", name), os.path.join(out, name))
    return out


class Skip(Exception):
    """Raised by a case that cannot run here; the text says why."""


class Suite:
    """Cases of one script. Each gets an empty folder to work in."""

    def __init__(self):
        parser = argparse.ArgumentParser()
        for name, text in (("--bin", "folder of the programs"), ("--source", "the project"),
                           ("--shared", "folder with corpus/ and tools/")):
            parser.add_argument(name, type=os.path.abspath, required=True, help=text)
        parser.add_argument("--only", help="run the cases whose names hold this")
        parser.add_argument("--windows", action="store_true", help="the programs are those for Windows, under wine")
        parser.add_argument("--without-light", action="store_true", help="the programs have no ray library")
        self.options = parser.parse_args()
        self.cases = []
        self.maps = None  # the copy of maps/, once a case has asked for one
        self.schemas = None  # of the JSON lines of all runs, where a script sets them

    def case(self, function):
        """Decorator: a case is a function of the suite and its folder."""
        self.cases.append((function.__name__, function))
        return function

    def add(self, name, function):
        self.cases.append((name, function))

    def map(self, name):
        """A map of the project, in a folder that has nothing but sources."""
        if not self.maps:
            top = tempfile.mkdtemp(prefix="brushwork-e2e-")
            atexit.register(shutil.rmtree, top, ignore_errors=True)
            self.maps = copy_maps(self.options.source, os.path.join(top, "maps"))
        return os.path.join(self.maps, name)

    def corpus(self, *parts):
        """A file of the corpus; skips the case when it is missing."""
        path = os.path.join(self.options.shared, "corpus", *parts)
        if not os.path.exists(path):
            raise Skip(f"no {path}")
        return path

    def unsanitized(self):
        """Skips the case when the programs have sanitizers, which read files outside of a sandbox and start a process
        at their end."""
        with open(os.path.join(self.options.bin, "vbsp"), "rb") as file:
            if b"__asan_init" in file.read():
                raise Skip("built with sanitizers")

    def not_on_windows(self, why):
        """Skips the case when the programs are those for Windows; `why` says what they cannot be shown there."""
        if self.options.windows:
            raise Skip(f"on Windows: {why}")

    def needs_light(self):
        """Skips the case when the programs have no ray library."""
        if self.options.without_light:
            raise Skip("no ray library")

    def tool(self, name):
        path = os.path.join(self.options.shared, "tools", name)
        if not os.path.exists(path):
            raise Skip(f"no {path}")
        return path

    def run(self, program, *arguments, stdin=None, cwd=None, timeout=600, preexec=None):
        """Runs one of the programs and returns its diagnostics as a list of objects."""
        command = [os.path.join(self.options.bin, program), *map(str, arguments)]
        given = {"stdin": stdin} if hasattr(stdin, "fileno") else {"input": stdin}
        done = subprocess.run(command, **given, cwd=cwd, timeout=timeout, preexec_fn=preexec,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        done = Done(command, done)
        for line in done.lines if self.schemas else []:
            self.schemas.line(line)
        return done

    def main(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what a case has started is ended
        cases = [c for c in self.cases if not self.options.only or self.options.only in c[0]]
        failed = sum(self.run_case(name, function) for name, function in cases)
        sys.exit(1 if failed else 0)

    def run_case(self, name, function):
        print(f"[ RUN      ] {name}", flush=True)
        folder = tempfile.mkdtemp(prefix="brushwork-e2e-")
        try:
            function(self, folder)
            verdict = "[       OK ]"
        except Skip as why:
            print(f"skipped: {why}")
            verdict = "[  SKIPPED ]"
        except Exception:  # pylint: disable=broad-except
            traceback.print_exc(file=sys.stdout)
            verdict = "[  FAILED  ]"
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        print(f"{verdict} {name}", flush=True)
        return verdict == "[  FAILED  ]"


class Done:
    """Result of a program."""

    def __init__(self, command, done):
        self.command = command
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr.decode(errors="replace")
        self.lines = told = [json.loads(line) for line in self.err.splitlines() if line.startswith('{"program"')]
        self.diagnostics = [d for d in told if "code" in d]
        self.summary = {c["code"]: c for d in told for c in d.get("summary", [])}
        self.limits = {d["limit"]: d for d in told if "limit" in d}
        self.result = next((d["result"] for d in told if "result" in d), None)
        if self.status == 0 and self.told_error():
            raise AssertionError(f"exit status 0 after an error, from {self}")

    def told_error(self):
        return (any(d.get("severity") == "error" for d in self.diagnostics)
                or re.search(r"\berror [A-Z]\d{3}:", self.err) is not None)

    def codes(self):
        return [d["code"] for d in self.diagnostics]

    def find(self, code):
        for diagnostic in self.diagnostics:
            if diagnostic["code"] == code:
                return diagnostic
        raise AssertionError(f"no {code} from {self}")

    def expect(self, status):
        """Fails unless that was the exit status."""
        if self.status != status:
            raise AssertionError(f"exit status {self.status}, not {status}, from {self}")
        return self

    def __str__(self):
        return " ".join(self.command) + "\n" + self.err[-4000:]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return path


def check(condition, message):
    if not condition:
        raise AssertionError(message)
