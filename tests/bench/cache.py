#!/usr/bin/env python3
"""What a build with a cache costs after one edit, as a table in Markdown (docs/measurements/performance.md, "With a cache").

    cache.py [--bin DIR] [--corpus DIR] [--runs N] [MAP...]

MAP is a VMF of corpus/generated, mid and big without it. Each edit is of the map that has filled the cache, which gets a
door for that. Seconds are user and system time of all processes, the least of N runs. Fails when a build with the cache
has other bytes than one without.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests", "torture"))
import caches  # noqa: E402 pylint: disable=wrong-import-position
STAGES = ("vbsp", "vvis", "vrad")
OUTPUT = '\nconnections\n{\n"OnOpen" "lamp,TurnOff,,0,-1"\n}\n'


def with_a_door(text):
    """The last group of detail brushes, a second time and as a door."""
    detail = re.findall(r'^entity\s*\{[^{}]*"func_detail"(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}', text, re.MULTILINE)[-1]
    return text + "\n" + re.sub(r'"id" "(\d+)"', r'"id" "9\1"', detail.replace("func_detail", "func_door"))


class Place:
    """A folder with the map, its game and a cache."""

    def __init__(self, options, name):
        self.options, self.folder, self.name = options, tempfile.mkdtemp(prefix="bench_cache_"), name
        generated = os.path.join(options.corpus, "generated")
        shutil.copytree(os.path.join(generated, "game"), os.path.join(self.folder, "game"))
        with open(os.path.join(generated, name + ".vmf"), encoding="utf-8") as file:
            self.map = caches.Map(with_a_door(file.read()))
        self.put(self.map.text)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def put(self, text):
        os.makedirs(self.path("maps"), exist_ok=True)
        with open(self.path("maps", self.name + ".vmf"), "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, program, *arguments):
        """(seconds, stages that ran)."""
        command = [os.path.join(self.options.bin, program), *arguments, "-game", self.path("game"), "-threads", "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
            text = running.stdout.read().decode()
            _, status, usage = os.wait4(running.pid, 0)
            running.returncode = status
        if status:
            raise RuntimeError(f"{' '.join(command)}: {status}\n{text}")
        parts = re.split(r"^(vbsp|vvis|vrad)\b.*\n", text, flags=re.MULTILINE)[1:]
        ran = [name for name, part in zip(parts[::2], parts[1::2]) if "from the cache" not in part]
        return usage.ru_utime + usage.ru_stime, [name for name in STAGES if name in ran]

    def build(self, *arguments, source=None, out=None):
        return self.run("brushwork", "build", source or self.path("maps", self.name + ".vmf"), "-o",
                        out or self.path("out.bsp"), *arguments)

    def programs(self):
        """The three, one after the other."""
        seconds, ran = self.run("vbsp", self.path("maps", self.name + ".vmf"), "--cache", self.path("cache"))
        for program in STAGES[1:]:
            more = self.run(program, self.path("maps", self.name + ".bsp"), "--cache", self.path("cache"))
            seconds, ran = seconds + more[0], ran + more[1]
        return seconds, ran

    def measured(self, run):
        """The least of several runs, each with the cache as the first build has left it."""
        found = []
        for _ in range(self.options.runs):
            shutil.rmtree(self.path("cache"), ignore_errors=True)
            if os.path.exists(self.path("kept")):
                shutil.copytree(self.path("kept"), self.path("cache"))
            found.append(run())
        return min(found)

    def cached(self, *arguments, **more):
        result = self.measured(lambda: self.build("--cache", self.path("cache"), *arguments, **more))
        self.build(*arguments, out=self.path("fresh.bsp"))
        with open(more.get("out") or self.path("out.bsp"), "rb") as made, open(self.path("fresh.bsp"), "rb") as fresh:
            if made.read() != fresh.read():
                raise RuntimeError("other bytes than without a cache")
        return result


def changed(place, change):
    text = caches.Map(place.map.text)
    change(text)
    place.put(text.text)


def edit(place, change, *arguments):
    """One edit of the text."""
    changed(place, change)
    result = place.cached(*arguments)
    place.put(place.map.text)
    return result


def moved_brush(place):
    """Of the brushes in random order, the first without which the map does not leak."""
    for seed in range(20):
        try:
            return edit(place, lambda text, s=seed: text.move_brush(random.Random(s), (1, 0, 0)))
        except RuntimeError:
            continue
    raise RuntimeError("all maps leak")


def of_class(text, name):
    return next(e for e in text.entities() if e[2]["classname"] == name)


def of_file(place, parts, change):
    """One edit of a file of the game."""
    path = place.path("game", "materials", *parts)
    with open(path, "rb") as file:
        before = file.read()
    with open(path, "wb") as file:
        file.write(change(before))
    result = place.cached()
    with open(path, "wb") as file:
        file.write(before)
    return result


def elsewhere(place):
    os.makedirs(place.path("other", "maps"), exist_ok=True)
    source = shutil.copy(place.path("maps", place.name + ".vmf"), place.path("other", "maps"))
    return place.cached(source=source, out=place.path("other", "out.bsp"))


def rows(place):
    """(edit, (seconds, stages)) in the order of the table."""
    yield "without a cache", place.measured(place.build)
    yield "the first build with it", place.measured(lambda: place.build("--cache", place.path("cache")))
    shutil.copytree(place.path("cache"), place.path("kept"))
    yield "nothing", place.cached()
    yield "nothing; in another folder, to another output", elsewhere(place)
    yield "nothing; `vbsp`, `vvis` and `vrad` after the build", place.measured(place.programs)
    yield "an output", edit(place, lambda text: text.insert(of_class(text, "func_door"), OUTPUT))
    yield "a light", edit(place, lambda text: text.set(of_class(text, "light"), "_light", "90 200 120 300"))
    yield "a door", edit(place, lambda text: text.set(of_class(text, "func_door"), "speed", "137"))
    yield "a brush", moved_brush(place)
    yield "the colour of a material", of_file(
        place, ("dev", "red.vmt"), lambda data: data[:data.rindex(b"}")] + b'"$color" "[.5 1 1]"\n}\n')
    yield "the surface property of a material", of_file(
        place, ("dev", "red.vmt"), lambda data: data.replace(b'"concrete"', b'"metal"'))
    yield "an option of vrad", place.cached("-bounce", "3")
    yield "an option of vvis", place.cached("-radius_override", "4000")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=os.path.abspath, default=os.path.join(TOP, "build", "release", "bin"))
    parser.add_argument("--corpus", default=os.path.join(os.path.dirname(TOP), "shared", "corpus"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("maps", nargs="*", default=["mid", "big"])
    options = parser.parse_args()
    tables = []
    for name in options.maps:
        place = Place(options, name)
        try:
            tables.append(list(rows(place)))
        finally:
            shutil.rmtree(place.folder)
    print("| edit |" + "".join(f" {name} | stages that run |" for name in options.maps))
    print("|---|" + "---|---|" * len(options.maps))
    for lines in zip(*tables):
        stages = ("all" if len(ran) == 3 else ", ".join(ran) or "none" for _, (_, ran) in lines)
        print(f"| {lines[0][0]} |" + "".join(f" {seconds:.2f} | {ran} |" for (_, (seconds, _)), ran in zip(lines, stages)))


if __name__ == "__main__":
    main()
