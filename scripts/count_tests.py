#!/usr/bin/env python3
"""count_tests.py LastTest.log: cases that passed, failed and were skipped, from ctest's log.

Programs print a line a case as cmocka does. One that ends badly without having named a failed case
(a crash, a time-out) counts as one failure. Prints three numbers, then a line for each failure."""
import re
import sys


def sections(text):
    """(name, output, verdict) of every test in the log."""
    pattern = re.compile(
        r"^\d+/\d+ Testing: (\S+)$(.*?)^<end of output>\n.*?^-+\n(Test [^\n]*)",
        re.MULTILINE | re.DOTALL)
    return pattern.findall(text)


def count(text):
    passed = skipped = 0
    failures = []
    for name, output, verdict in sections(text):
        passed += len(re.findall(r"^\[       OK \]", output, re.MULTILINE))
        skipped += len(re.findall(r"^\[  SKIPPED \]", output, re.MULTILINE))
        # cmocka names a failed case once as it happens and once at the end.
        cases = sorted(set(re.findall(r"^\[  FAILED  \] (?!GROUP|\d+ test\(s\))(.*)$", output, re.MULTILINE)))
        failures += [f"{name}: {case}" for case in cases]
        if not verdict.startswith("Test Passed") and not cases:
            failures.append(f"{name}: {verdict}")
    return passed, failures, skipped


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        passed, failures, skipped = count(log.read())
    print(passed, len(failures), skipped)
    for failure in failures:
        print(failure)


main()
