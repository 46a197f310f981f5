#!/usr/bin/env python3
"""Misuse of the Python module raises, and never ends the process: all cases of misuse.py in one process, under
AddressSanitizer where the library has it."""
import json
import os
import re
import subprocess
import sys

from e2e import Skip, Suite, check, read
import misuse
import misuse_values  # pylint: disable=unused-import
import misuse_life  # pylint: disable=unused-import

suite = Suite()
told = None  # what each case that was reached had to say, or why none was tried
HERE = os.path.dirname(os.path.abspath(__file__))


def runtime(build):
    """The sanitizer's runtime, which an interpreter without one must load first."""
    cache = read(os.path.join(build, "CMakeCache.txt")).decode()
    compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)", cache, re.M).group(1)
    for name in ("libclang_rt.asan-x86_64.so", "libclang_rt.asan-aarch64.so", "libclang_rt.asan.so", "libasan.so"):
        found = subprocess.run([compiler, f"-print-file-name={name}"], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.strip()
        if os.path.isabs(found) and os.path.exists(found):
            return os.path.realpath(found)
    raise Skip(f"{compiler} has no shared runtime of AddressSanitizer")


def environment(s):
    build = os.path.dirname(s.options.bin)
    library = os.path.join(build, "lib", "libbrushwork.so.0")
    if not os.path.exists(library):
        raise Skip("this build has no shared library")
    env = {**os.environ, "BRUSHWORK_LIBRARY": library, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "2",
           "PYTHONPATH": os.path.join(s.options.source, "library", "python")}
    if b"__asan_init" in read(library):
        # Each object of the interpreter is memory of its own then, too. What it leaves to the end of the process is no leak.
        env.update(LD_PRELOAD=runtime(build), PYTHONMALLOC="malloc",
                   ASAN_OPTIONS=env.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
    return env


def try_all(s):
    done = subprocess.run([sys.executable, os.path.join(HERE, "misuse.py"), os.path.join(s.options.source, "maps")],
                          env=environment(s), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=1500, check=False)
    answers = dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"["))
    if done.returncode:
        answers[None] = f"the process ended with {done.returncode}: {done.stderr.decode(errors='replace')[-4000:]}"
    return answers


def add(name):
    def case(s, _):
        global told
        if told is None:
            try:
                told = try_all(s)
            except Skip as why:
                told = why
        if isinstance(told, Skip):
            raise told
        check(name in told, f"not reached: {told.get(None)}")
        check(told[name] is None, told[name])
    suite.add(name, case)


for row, _ in misuse.rows:
    add(row)
add(misuse.LEFT)


@suite.case
def there_are_enough_cases(_, __):
    check(len(misuse.rows) == len({name for name, _ in misuse.rows}) >= 100, len(misuse.rows))
    check(None not in told if isinstance(told, dict) else True, told)


if __name__ == "__main__":
    suite.main()
