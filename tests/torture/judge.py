"""Runs commands with a plan of faults and judges what they leave behind."""
import collections
import os
import re
import shutil
import signal
import struct
import subprocess
import time
import zlib

from programs import name_pattern, read, tree, write

TIMEOUT = 60
CODE = re.compile(r'\b(?:error|internal error) [A-Z]\d{3}\b|"code": ?"[A-Z]\d{3}"')
TEMPORARY = re.compile(r"\.brushwork-\d+-[0-9a-f]{16}-[a-z0-5]{6}$")
STATUSES = (0, 1, 4)


def repeatable(files):
    """The files without what is not the same in two runs: the statistics of a cache, and in its results, before the rest of
    them, the CPU time that they took."""
    kept = {}
    for name, data in files.items():
        parts = name.split("/")
        if parts[-1].startswith("statistics-"):
            continue
        if len(parts) == 4 and len(parts[3]) == 64 and parts[1] in ("vbsp", "vvis", "vrad"):
            deflated = struct.unpack_from("<I", data, 12)[0]
            data = (zlib.decompress(data[128:]) if deflated else data[128:])[8:]
        kept[name] = data
    return kept


class Run:
    """What a process said."""

    def __init__(self, status, out, err, counts):
        self.status = status
        self.out = out
        self.err = err.decode(errors="replace")
        self.counts = counts


class Folder:
    """A folder in which a program runs again and again from the same files."""

    def __init__(self, options, inputs, path, program):
        self.options = options
        self.inputs = inputs
        self.program = program
        self.path = path
        self.counts = path + ".counts"
        self.argv = [part.format(source=inputs.source, made=inputs.made) for part in program.argv]
        self.argv[0] = os.path.join(options.bin, self.argv[0])
        os.makedirs(path, exist_ok=True)

    def restore(self):
        """Writes only what differs: most runs change little."""
        now = tree(self.path)
        for name in now:
            if name not in self.program.files and not name.endswith("/"):
                os.remove(os.path.join(self.path, name))
        for name, data in self.program.files.items():
            if now.get(name) != data:
                write(os.path.join(self.path, name), data)
        for name in sorted((n for n in now if n.endswith("/")), reverse=True):
            if not any(kept.startswith(name) for kept in self.program.files):
                shutil.rmtree(os.path.join(self.path, name), ignore_errors=True)

    def start(self, plan=None, prefix=(), out=subprocess.PIPE):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("BRUSHWORK_")}
        if plan is not None:
            if os.path.exists(self.counts):
                os.remove(self.counts)
            environment.update(LD_PRELOAD=self.options.shim, TORTURE_COUNTS=self.counts)
            if plan:
                environment["TORTURE_PLAN"] = plan
        return subprocess.Popen([*prefix, *self.argv], cwd=self.path, env=environment, stdin=subprocess.DEVNULL,
                                stdout=out, stderr=subprocess.PIPE)

    def finish(self, process):
        try:
            out, err = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return Run("hangs", b"", b"", {})
        return Run(process.returncode, out or b"", err, self.read_counts())

    def run(self, plan=None, prefix=()):
        return self.finish(self.start(plan, prefix))

    def read_counts(self):
        if not os.path.exists(self.counts):
            return {}
        data = read(self.counts)
        return {data[i:i + 16].rstrip(b"\0").decode(): struct.unpack_from("<Q", data, i + 16)[0]
                for i in range(0, len(data), 24)}


class Judge:
    """Knows what a program does when nothing fails."""

    def __init__(self, folder):
        self.folder = folder
        self.program = folder.program
        folder.restore()
        self.before = tree(folder.path)
        begin = time.monotonic()
        clean = folder.run()
        self.seconds = time.monotonic() - begin
        self.after = tree(folder.path)
        self.out = clean.out
        if clean.status != self.program.status:
            raise RuntimeError(f"{self.program.name}: {clean.status}\n{clean.err}")
        folder.restore()
        counted = folder.run("")
        self.counts = counted.counts
        if not self.counts.get("open") or not self.counts.get("memory"):
            raise RuntimeError(f"{self.program.name}: no calls were counted")
        faults = self.of_run(counted, must_succeed=True)
        if faults:
            raise RuntimeError(f"{self.program.name}, counting: {faults}")

    def of_files(self, temporaries_stay=False):
        """Faults of the files: each is as before or as after a clean run, and there are no others."""
        faults, leaves = [], name_pattern(self.program.leaves)
        now = tree(self.folder.path)
        for name in sorted(self.before.keys() | self.after.keys() | now.keys()):
            data = now.get(name, "absent")
            if data in (self.before.get(name, "absent"), self.after.get(name, "absent")):
                continue
            if TEMPORARY.search(name):
                faults += [] if temporaries_stay else [f"left {name}"]
            elif not leaves.fullmatch(name):
                faults.append(f"{name} is neither the old nor the new one" if data != "absent"
                              else f"{name} is lost")
        return faults

    def is_clean(self, temporaries_stay):
        """True when the files are those of a clean run, but for what may stay."""
        stays = name_pattern(self.program.leaves)
        now = tree(self.folder.path)
        return not any(now.get(name, "absent") != self.after.get(name, "absent")
                       and not stays.fullmatch(name)
                       and not (temporaries_stay and TEMPORARY.search(name))
                       for name in now.keys() | self.after.keys())

    def of_run(self, run, must_succeed=False, temporaries_stay=False):
        """Faults of a run in which something failed."""
        faults = []
        expected = self.program.status
        same = (self.is_clean(temporaries_stay)
                and (run.out == self.out or not self.program.prints))
        if run.status == expected and same:
            pass
        elif run.status == expected and expected != 1:
            faults.append(f"status {run.status} with another result")
        elif run.status == "hangs" or run.status < 0:
            faults.append(f"ended by {signal_name(run.status)}")
        elif must_succeed:
            faults.append(f"status {run.status} without a fault")
        elif run.status not in STATUSES and not (self.program.name[:4] == "diff" and run.status == 2):
            faults.append(f"status {run.status}")
        elif not CODE.search(run.err):
            faults.append(f"status {run.status} without an error")
        if run.status == 0 and re.search(r"\berror [A-Z]\d{3}:", run.err):
            faults.append("status 0 after an error")
        return faults + self.of_files(temporaries_stay)

    def of_kill(self):
        """Faults after a run that was killed: of the files, and of the next run."""
        faults = self.of_files(temporaries_stay=True)
        run = self.folder.run()
        if run.status != self.program.status:
            faults.append(f"the next run ends with {run.status}: {run.err[-300:]}")
        now, after = repeatable(tree(self.folder.path)), repeatable(self.after)
        if now != after:
            names = sorted(n for n in now.keys() | after.keys() if now.get(n) != after.get(n))
            faults.append(f"the next run leaves others: {', '.join(names)}")
        return faults


def signal_name(status):
    return "time-out" if status == "hangs" else signal.Signals(-status).name


class Table:
    """Runs, statuses and faults by program and by what failed."""

    def __init__(self):
        self.rows = {}
        self.faults = []

    def add(self, program, what, number, status, faults):
        row = self.rows.setdefault((program, what), [0, 0, collections.Counter(), 0])
        row[0] += 1
        row[1] = max(row[1], number)
        row[2][status if isinstance(status, int) and status >= 0 else signal_name(status)] += 1
        row[3] += len(faults)
        self.faults += [(program, what, number, fault) for fault in faults]

    def print(self):
        print("| program | failed | calls | runs | statuses | faults |\n|---|---|---|---|---|---|")
        for (program, what), (runs, last, statuses, faults) in self.rows.items():
            told = ", ".join(f"{s}: {n}" for s, n in sorted(statuses.items(), key=str))
            print(f"| {program} | {what} | 1-{last} | {runs} | {told} | {faults} |")
