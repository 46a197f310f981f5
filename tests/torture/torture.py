#!/usr/bin/env python3
"""Fails the calls of the programs to the system, one by one; ends them at every moment; fills their
disks. Each run ends by contract: with status 0 and the bytes of a run without faults, or with a status
and a message that say what failed; outputs are the old or the new ones, whole, and nothing is left.

The short form takes a call of each kind in each program, the first, the last or another one of them, the long
one (--long) all of them. Prints a line per case
as cmocka does; with --table the runs, statuses and faults."""
import argparse
import concurrent.futures
import os
import re
import shutil
import sys
import tempfile
import time
from errno import (EACCES, EAGAIN, EBADF, EDQUOT, EINTR, EINVAL, EIO, EMFILE, ENOLCK, ENOMEM, ENOSPC, EOPNOTSUPP, EPERM,
                   EROFS, EXDEV)

import caches
import disks
import kills
import pairs
import resumes
from judge import Folder, Judge, Table
from programs import Inputs, all_programs
from selection import one_of, spread

# Kind of call: the errors it gets; in the short form only the first one.
ERRORS = {
    "memory": (ENOMEM,), "mmap": (ENOMEM,), "open": (EIO, EACCES, EMFILE, EROFS),
    "read": (EIO,), "write": (ENOSPC, EDQUOT, EROFS, EIO), "fsync": (EIO, ENOSPC, EDQUOT),
    "rename": (EIO, EACCES, EROFS, ENOSPC), "link": (EIO, EACCES, EOPNOTSUPP, EDQUOT),
    "unlink": (EIO, EACCES, EROFS), "stat": (EIO, EACCES), "close": (EIO, EDQUOT),
    "copy": (EIO, ENOSPC, EXDEV), "truncate": (EIO, EDQUOT), "chmod": (EPERM, EIO),
    "lock": (EIO, ENOLCK, EAGAIN), "folder": (EACCES, ENOSPC), "list": (EIO, EACCES),
}
# What a program has to get along with.
HARMLESS = {("read", "half"), ("write", "half"), ("copy", "half"), ("read", EINTR), ("write", EINTR),
            ("copy", EXDEV), ("copy", EIO), ("lock", ENOLCK), ("lock", EBADF), ("lock", EAGAIN),
            ("link", EOPNOTSUPP), ("rename", EINVAL)}
EVER = 1 << 60
LAST = 10


def short_plans(program, counts):
    """For each kind of call one plan: which call, and whether those after it fail too, differs between programs."""
    for kind, errors in ERRORS.items():
        if not counts[kind]:
            continue
        first = one_of(spread(counts[kind], 3), program, kind)
        yield kind, errors[0], f"{kind} {first} {one_of((first, EVER), program, kind, 'last')} error {errors[0]}"
        if kind == "memory":
            number = one_of(range(max(1, counts[kind] - LAST + 1), counts[kind] + 1), program, kind, "end")
            yield kind, errors[0], f"{kind} {number} {number} error {errors[0]}"


def long_plans(counts, limit):
    """(kind, what fails, plan) of every run with failing calls."""
    for kind, errors in ERRORS.items():
        count = counts[kind]
        numbers = spread(count, limit)
        if kind == "memory":
            # The last ones are those of the time between writing and the end.
            numbers = sorted({*numbers, *range(max(1, count - LAST + 1), count + 1)})
        extra = [k for k in HARMLESS if k[0] == kind and k[1] not in errors]
        for what in (*errors, *(w for _, w in extra)):
            verb = "half 0" if what == "half" else f"error {what}"
            for number in numbers:
                yield kind, what, f"{kind} {number} {number} {verb}"
            # From there on all of them, as a disk that is full stays full.
            if what not in ("half", EINTR, EAGAIN):
                for number in spread(count, 40):
                    yield kind, what, f"{kind} {number} {EVER} {verb}"


def fail_calls(judge, options, table):
    plans = long_plans(judge.counts, options.calls) if options.long else short_plans(judge.program.name, judge.counts)
    for kind, what, plan in plans:
        judge.folder.restore()
        begin = time.monotonic()
        run = judge.folder.run(plan)
        if options.slow and time.monotonic() - begin > options.slow:
            print(f"{time.monotonic() - begin:.1f} s: {judge.program.name}: {plan}: {run.status}")
        faults = judge.of_run(run, must_succeed=(kind, what) in HARMLESS and str(EVER) not in plan,
                              temporaries_stay=kind == "unlink")
        if "C099" in run.err and kind not in ("memory", "mmap"):
            faults.append("internal error")
        number = int(plan.split()[1])
        label = kind if kind in ("memory", "mmap") else f"{kind} {os.strerror(what) if what != 'half' else what}"
        table.add(judge.program.name, label, number, run.status,
                  [f"{plan}: {fault}" for fault in faults])


def torture(options, inputs, program, folder):
    table = Table()
    judge = Judge(Folder(options, inputs, folder, program))
    if "calls" in options.parts:
        fail_calls(judge, options, table)
    if "kills" in options.parts:
        kills.at_calls(judge, options, table)
        kills.at_moments(judge, options, table)
    if "disks" in options.parts:
        disks.limits(judge, options, table)
    shutil.rmtree(folder)
    return table


def report(name, table, options, seconds):
    """Returns true when there was a fault."""
    print(f"[ RUN      ] {name}")
    for program, what, _, fault in table.faults[:options.show]:
        print(f"{program}: {what}: {fault}")
    if len(table.faults) > options.show:
        print(f"... and {len(table.faults) - options.show} more")
    runs = sum(row[0] for row in table.rows.values())
    print(f"{runs} runs, {seconds:.1f} s")
    print(f"[{'  FAILED  ' if table.faults else '       OK '}] {name}", flush=True)
    return bool(table.faults)


def arguments():
    parser = argparse.ArgumentParser()
    for name, text in (("--bin", "folder of the programs"), ("--source", "the project"),
                       ("--shim", "the library that fails calls")):
        parser.add_argument(name, type=os.path.abspath, required=True, help=text)
    parser.add_argument("--long", action="store_true", help="all calls, and 200 moments")
    parser.add_argument("--calls", type=int, default=1 << 30, metavar="N",
                        help="with --long: at most N numbers of a kind of call")
    parser.add_argument("--moments", type=int, default=0, metavar="N",
                        help="moments at which each signal is sent (default: 200, or one moment of one signal)")
    parser.add_argument("--parts", default="calls,kills,pairs,resumes,caches,disks", help="some of these")
    parser.add_argument("--only", help="run the programs whose names match this")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--table", action="store_true", help="print what was run")
    parser.add_argument("--show", type=int, default=20, metavar="N", help="faults shown per program")
    parser.add_argument("--slow", type=float, metavar="SECONDS", help="name runs that take longer")
    parser.add_argument("--disk", help=argparse.SUPPRESS)  # see disks.py
    options = parser.parse_args()
    options.parts = options.parts.split(",")
    options.moments = options.moments or (200 if options.long else 1)
    return options


def conclude(name, table, options, begin):
    failed = report(re.sub(r"\W+", "_", name), table, options, time.monotonic() - begin)
    if options.table:
        table.print()
    return failed


def run_programs(options, inputs, programs, root):
    """Some at a time. Returns true when one has faults."""
    begins = {}

    def one(number):
        begins[number] = time.monotonic()
        return torture(options, inputs, programs[number], os.path.join(root, str(number)))

    failed = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {pool.submit(one, number): number for number in range(len(programs))}
        for run in concurrent.futures.as_completed(runs):
            number = runs[run]
            failed |= conclude(programs[number].name, run.result(), options, begins[number])
    return failed


def run_all(options, root):
    inputs = Inputs(options, os.path.join(root, "inputs"))
    programs = [p for p in all_programs(inputs) if not options.only or re.search(options.only, p.name)]
    if options.disk:
        return disks.inside(options, inputs, programs, root, conclude)
    failed = run_programs(options, inputs, programs, root)
    if "pairs" in options.parts and not options.only:
        begin, table = time.monotonic(), Table()
        pairs.without_locks(options, inputs, os.path.join(root, "pairs"), table)
        failed |= conclude("two at once without locks", table, options, begin)
    if "resumes" in options.parts and not options.only:
        begin, table = time.monotonic(), Table()
        resumes.at_random_moments(options, os.path.join(root, "resumes"), table)
        failed |= conclude("builds that are ended and go on", table, options, begin)
    if "caches" in options.parts and not options.only:
        begin, table = time.monotonic(), Table()
        caches.random_edits(options, os.path.join(root, "caches"), table)
        failed |= conclude("builds of edited maps with a cache", table, options, begin)
    if "disks" in options.parts:
        failed |= disks.outside(sys.argv)
    return failed


def main():
    options = arguments()
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) and not options.disk else None
    root = tempfile.mkdtemp(prefix="brushwork-torture-", dir=place)
    try:
        failed = run_all(options, root)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
