#!/usr/bin/env python3
"""Runs the programs on mutated inputs of all kinds, and checks how they end:

- the exit status is a documented one, and none is a signal, an internal error or a hang;
- every end but success has a diagnostic with a code, and success has no error;
- nothing is written but the documented outputs, and after a failure nothing at all;
- a BSP that is written passes `brushwork verify`;
- nothing is reported by a sanitizer, and memory stays within bounds.

The same seed gives the same mutants. One of them again: --kind KIND --first NUMBER --count 1."""
import argparse
import collections
import fnmatch
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from mutate_scenes import KINDS
from mutators import mutate
from e2e import read, write

MEMORY, TIME = "1G", 20
RSS_KB = 1400 << 10  # the bound, and tens of megabytes for the program itself
HANG = 60            # a run that is told to stop after TIME may take a tenth more to end
SANITIZER = re.compile(r"^.*(?:(?:Address|Leak|Memory|Thread)Sanitizer|runtime error:).*$", re.M)
THREADED = ("vbsp", "vvis", "vrad", "render", "view")


class Fault(Exception):
    """A property that does not hold."""


class Report:
    """Counts by kind."""

    def __init__(self):
        self.rows = collections.defaultdict(collections.Counter)
        self.codes = collections.defaultdict(collections.Counter)
        self.faults = []

    def add(self, kind, status, fault, codes):
        row = self.rows[kind]
        self.codes[kind].update(codes[:1])
        row["mutants"] += 1
        row[status] += 1
        row["faults"] += fault is not None

    def print(self):
        columns = ["mutants", 0, 1, 2, 3, 4, 5, "faults"]
        total = collections.Counter()
        print("%-14s" % "kind" + "".join("%9s" % (c if isinstance(c, str) else f"exit {c}") for c in columns) +
              "  first errors")
        for kind, row in self.rows.items():
            codes = ", ".join(f"{code} {count}" for code, count in self.codes[kind].most_common(5))
            print("%-14s" % kind + "".join("%9d" % row[c] for c in columns) + f"  {codes}".rstrip())
            total.update(row)
        print("%-14s" % "all" + "".join("%9d" % total[c] for c in columns))


def files_below(folder):
    found = {}
    for base, below, names in os.walk(folder):
        for name in names + [n for n in below if not os.listdir(os.path.join(base, n))]:
            path = os.path.join(base, name)
            found[os.path.relpath(path, folder)] = None if os.path.isdir(path) else read(path)
    return found


class Scene:
    """A folder that is prepared once and put back after each mutant."""

    def __init__(self, prepare, programs):
        self.folder = tempfile.mkdtemp(prefix="brushwork-mutate-")
        prepare(self.folder, programs)
        self.files = files_below(self.folder)

    def restore(self):
        now = files_below(self.folder)
        for name in now.keys() - self.files.keys():
            path = os.path.join(self.folder, name)
            if os.path.isdir(path):
                os.rmdir(path)
            else:
                os.remove(path)
        for base, _, _ in os.walk(self.folder, topdown=False):
            if base != self.folder and not os.listdir(base):
                os.rmdir(base)
        for name, data in self.files.items():
            if name not in now or now[name] != data:
                path = os.path.join(self.folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                write(path, data)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Mutator:
    def __init__(self, options):
        self.options = options
        self.scenes = {}
        self.report = Report()
        self.sanitized = b"__asan_init" in read(os.path.join(options.bin, "vbsp"))

    # --- one run of a program ---
    def command(self, run, sandbox):
        command = [os.path.join(self.options.bin, run.program), *run.arguments, "--json", "--max-time", str(TIME),
                   "--max-memory", MEMORY]
        if run.program in THREADED or run.arguments[0] in THREADED:
            command += ["-threads", "1"]
        return command + ["--sandbox"] * sandbox

    def execute(self, command, folder):
        """Returns the status and what was printed to standard error."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as running:
            try:
                _, err = running.communicate(timeout=HANG * (5 if self.sanitized else 1))
            except subprocess.TimeoutExpired as late:
                running.kill()
                running.communicate()
                raise Fault(f"still running after {HANG} s") from late
        err = err.decode(errors="replace")
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        if not self.sanitized and before < RSS_KB <= after:
            raise Fault(f"took {after >> 10} MB of memory\n{err[-2000:]}")
        return running.returncode, err

    def verify(self, path):
        status, _ = self.execute([os.path.join(self.options.bin, "brushwork"), "verify", "--quiet", path], "/")
        return status == 0

    def judge_end(self, run, status, err):
        """Returns the codes of errors."""
        found = SANITIZER.search(err)
        if found:
            raise Fault(f"{found.group()}\n{err[-3000:]}")
        if status < 0:
            raise Fault(f"{signal.Signals(-status).name}\n{err[-2000:]}")
        if status not in (0, 1, 2, 3, 5):
            raise Fault(f"exit status {status}\n{err[-2000:]}")
        told = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
        codes = [d for d in told if "code" in d]
        errors = [d["code"] for d in codes if d.get("severity") == "error"]
        if status == 0 and errors:
            raise Fault(f"exit status 0 after {errors[0]}")
        if status and not errors and not ("diff" in run.arguments[:2] and status == 1):
            raise Fault(f"exit status {status} without an error that has a code\n{err[-2000:]}")
        return errors

    def judge_files(self, run, status, before, after, folder):
        changed = {n for n in before.keys() | after.keys() if before.get(n) != after.get(n)
                   or (n in before) != (n in after)}
        allowed = {0: run.writes, 3: ["*.bsp", "*.lin", "*.prt", "*.srf"]}.get(status, run.leaves)
        stray = sorted(n for n in changed if not any(fnmatch.fnmatch(n, p) for p in allowed))
        if stray:
            raise Fault(f"exit status {status}, and changed or left: {', '.join(stray)}")
        if status in (0, 3) and run.bsp and not run.bsp.startswith("-"):
            path = os.path.join(folder, run.bsp)
            if not os.path.exists(path):
                raise Fault(f"exit status {status} without {run.bsp}")
            if not self.verify(path) and not (run.reads and self.was_invalid(before[run.reads])):
                raise Fault(f"exit status {status}, and verify refuses {run.bsp}")

    def was_invalid(self, data):
        with tempfile.NamedTemporaryFile(suffix=".bsp") as file:
            file.write(data)
            file.flush()
            return not self.verify(file.name)

    # --- one mutant ---
    def mutate_file(self, rng, kind, scene):
        """Changes a file of the scene; returns its name."""
        names = sorted(n for n, data in scene.files.items() if data and fnmatch.fnmatch(n, kind.victims))
        if not names:
            raise RuntimeError(f"no {kind.victims} for {kind.name}")
        name = rng.choice(names)
        data = mutate(rng, kind.form, scene.files[name], scene.files[rng.choice(names)])
        if kind.mend and rng.random() < 0.8:
            data = kind.mend(data)
        write(os.path.join(scene.folder, name), data)
        return name

    def run_mutant(self, kind, number):
        scene = self.scene(kind)
        rng = random.Random(f"{self.options.seed} {kind.name} {number}")
        victim = self.mutate_file(rng, kind, scene)
        sandbox = not self.sanitized and rng.random() < 0.25
        commands, errors, status, fault = [], [], 0, None
        mutated = read(os.path.join(scene.folder, victim))
        try:
            for run in rng.choice(kind.choices(victim)):
                before = files_below(scene.folder)
                commands.append(self.command(run, sandbox))
                status, err = self.execute(commands[-1], scene.folder)
                errors = self.judge_end(run, status, err)
                self.judge_files(run, status, before, files_below(scene.folder), scene.folder)
                if status:
                    break
        except Fault as found:
            fault = str(found)
            self.keep(kind, number, scene, victim, mutated, commands, fault)
        self.report.add(kind.name, status, fault, errors)
        scene.restore()

    def keep(self, kind, number, scene, victim, mutated, commands, fault):
        title = f"{kind.name} {number}"
        self.report.faults.append(title)
        lines = [" ".join(command) for command in commands]
        print(f"FAULT {title}: {victim}: {fault}\n  " + "\n  ".join(lines), flush=True)
        if self.options.keep:
            scene.restore()
            target = os.path.join(self.options.keep, title.replace(" ", "-"))
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(scene.folder, target)
            write(os.path.join(target, victim), mutated)
            write(os.path.join(target, "commands.txt"), "\n".join(lines) + "\n" + fault + "\n")

    def scene(self, kind):
        if kind.scene not in self.scenes:
            self.scenes[kind.scene] = Scene(kind.scene, self.options.bin)
        return self.scenes[kind.scene]

    def run(self):
        kinds = [k for k in KINDS if not self.options.kind or k.name in self.options.kind]
        begun = time.monotonic()
        try:
            for i in range(self.options.count):
                self.run_mutant(kinds[i % len(kinds)], self.options.first + i // len(kinds))
        finally:
            for scene in self.scenes.values():
                scene.close()
        self.report.print()
        print(f"seed {self.options.seed}, {time.monotonic() - begun:.0f} s")
        for fault in self.report.faults:
            print(f"[  FAILED  ] {fault}")
        if not self.report.faults:
            print(f"[       OK ] {self.options.count} mutants")
        return 1 if self.report.faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=os.path.abspath, required=True, help="folder of the programs")
    parser.add_argument("--seed", default="1", help="text that the random numbers follow from")
    parser.add_argument("--count", type=int, default=200, help="number of mutants, of all kinds together")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant of each kind")
    parser.add_argument("--kind", action="append", choices=[k.name for k in KINDS], help="only this; repeatable")
    parser.add_argument("--keep", type=os.path.abspath, help="folder for the inputs and command lines of faults")
    sys.exit(Mutator(parser.parse_args()).run())


if __name__ == "__main__":
    main()
