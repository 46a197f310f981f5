#!/usr/bin/env python3
"""count_tests.py BUILD LOG TIMES: cases of a run of ctest in a build folder that passed, failed and were skipped.

Programs print a line a case as cmocka does. One that ends badly without having named a failed case
(a crash, a time-out) counts as one failure. Prints three numbers, then a line for each failure. Adds a
line to TIMES for each test: the step of ./check that it belongs to, its name and its seconds, with tabs."""
import json
import re
import subprocess
import sys


def sections(text):
    """(name, output, seconds, verdict) of every test in the log."""
    pattern = re.compile(
        r"^\d+/\d+ Testing: (\S+)$(.*?)^<end of output>\nTest time = +([\d.]+) sec\n.*?^-+\n(Test [^\n]*)",
        re.MULTILINE | re.DOTALL)
    return pattern.findall(text)


def count(tests):
    passed = skipped = 0
    failures = []
    for name, output, _, verdict in tests:
        passed += len(re.findall(r"^\[       OK \]", output, re.MULTILINE))
        skipped += len(re.findall(r"^\[  SKIPPED \]", output, re.MULTILINE))
        # cmocka names a failed case once as it happens and once at the end.
        cases = sorted(set(re.findall(r"^\[  FAILED  \] (?!GROUP|\d+ test\(s\))(.*)$", output, re.MULTILINE)))
        failures += [f"{name}: {case}" for case in cases]
        if not verdict.startswith("Test Passed") and not cases:
            failures.append(f"{name}: {verdict}")
    return passed, failures, skipped


def steps(build):
    """{test: step}, by their labels."""
    done = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE)
    found = {}
    for test in json.loads(done.stdout)["tests"]:
        labels = next((p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"), [])
        found[test["name"]] = next((label[5:] for label in labels if label.startswith("step:")), "none")
    return found


def main():
    build, log, times = sys.argv[1:]
    with open(log, encoding="utf-8", errors="replace") as file:
        tests = sections(file.read())
    passed, failures, skipped = count(tests)
    step = steps(build)
    with open(times, "a", encoding="utf-8") as file:
        file.writelines(f"{step.get(name, 'none')}\t{name}\t{seconds}\n" for name, _, seconds, _ in tests)
    print(passed, len(failures), skipped)
    for failure in failures:
        print(failure)


main()
