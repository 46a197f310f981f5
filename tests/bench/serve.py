#!/usr/bin/env python3
"""Times brushwork view --serve: from saving a map, one of whose lights has moved, until its page can be fetched.

    serve.py [--bin DIR] [--repeat N] MAP.vmf [OPTION of view...]

The map is copied. Prints the seconds of each save and the least, the first build apart.
"""
import argparse
import os
import re
import shutil
import sys
import tempfile
import time
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
from view_pages import Served  # noqa: E402  pylint: disable=wrong-import-position

LIGHT = re.compile(r'"classname" "light"(?:(?!\n\}).)*?"origin" "(\S+)', re.DOTALL)


def moved(text, units):
    light = LIGHT.search(text)
    at = light.start(1)
    return text[:at] + f"{float(light.group(1)) + units:g}" + text[light.end(1):]


def save(path, text):
    with open(path + ".new", "w", encoding="utf-8") as out:
        out.write(text)
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(HERE, "../../build/release/bin"))
    parser.add_argument("--repeat", type=int, default=8)
    parser.add_argument("map")
    arguments, options = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        path = shutil.copy(arguments.map, folder)
        os.chmod(path, 0o644)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        start = time.monotonic()
        with Served(types.SimpleNamespace(options=arguments), folder, path, *options) as served:
            served.reach("shown", 1)
            print(f"first {time.monotonic() - start:.2f} s")
            times = []
            for i in range(arguments.repeat):
                save(path, moved(text, 33 * (i + 1)))
                start = time.monotonic()
                served.reach("shown", i + 2)
                served.ask(f"/{served.token}/map")
                times.append(time.monotonic() - start)
        print("saves " + " ".join(f"{seconds:.2f}" for seconds in times) + f", least {min(times):.2f} s")


main()
