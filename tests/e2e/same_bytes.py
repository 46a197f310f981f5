#!/usr/bin/env python3
"""The maps that get the same bytes everywhere, with light, and the ways of building them.

    same_bytes.py --bin FOLDER [--run "COMMAND ..."] [--write] [MAP ...]

Builds the maps, each program behind COMMAND where one is given (an emulator), and compares the
SHA-256 of each .bsp after vbsp, vvis and vrad with same_bytes.tsv. With --write the table is written again:
after a change of results that is wanted."""
import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
TABLE = os.path.join(HERE, "same_bytes.tsv")

# Options of vrad.
LIGHT = {
    "atrium.vmf": [],
    "displacements.vmf": ["-both"],
    "instances.vmf": [],
    "large_numbers.vmf": ["-fast"],
    "light_fixtures.vmf": ["-both", "-final"],
    "light_seams.vmf": ["-ambientocclusion"],
    "overlays.vmf": [],
    "physics.vmf": [],
    "sky_camera.vmf": ["-hdr"],
    "texture_shadows.vmf": ["-TextureShadows"],
    "tilted.vmf": ["-fast"],
    "water.vmf": [],
    "q3_lights.map": [],
    "q3_patches.map": ["-deluxe"],
    "q3_forms.map": [],
    "q3_styles.map": ["-bounce", "8"],
    "trenchbroom_quake3.map": ["-dirty"],
}

# Units of glibc that are forbidden with each level of vector units.
GLIBC = {
    "plain": "-AVX,-AVX2,-AVX512F,-AVX512VL,-FMA,-FMA4,-SSE4_1,-SSE4_2,-SSSE3,-ERMS",
    "avx2": "-AVX512F,-AVX512VL",
    "avx512": "",
}


def level_environment(level):
    """Of programs that must not use more than this level of vector units."""
    return {"BRUSHWORK_SIMD": level, "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + GLIBC[level]}


class Build:
    """A folder of programs, and how they are run."""

    def __init__(self, programs, run=(), environment=None, threads=2):
        self.programs = programs
        self.run = list(run)
        self.environment = {**os.environ, **(environment or {})}
        self.environment.pop("BRUSHWORK_CACHE", None)  # results are to be made here
        self.threads = ["-threads", str(threads)]

    def program(self, name, *arguments, statuses=(0,)):
        command = [*self.run, os.path.join(self.programs, name), *map(str, arguments)]
        done = subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode not in statuses:
            raise AssertionError(f"exit status {done.returncode} from {' '.join(command)}\n"
                                 + done.stdout.decode(errors="replace")[-2000:])
        return done.stdout

    def stages(self, source, folder, content=(), light=(), count=3):
        """Hashes of the .bsp after each of the three programs, or the first of them, in a folder for it."""
        stem, hashes = os.path.join(folder, "map"), []
        for command in (("vbsp", source, "-o", stem + ".bsp", *content),
                        ("vvis", stem), ("vrad", stem, *content, *light))[:count]:
            self.program(*command, *self.threads)
            with open(stem + ".bsp", "rb") as file:
                hashes.append(hashlib.sha256(file.read()).hexdigest())
        return hashes

    def hashes(self, source, content=(), light=(), count=3):
        """The same, in a folder that is removed."""
        folder = tempfile.mkdtemp(prefix="brushwork-same-bytes-")
        try:
            return self.stages(source, folder, content, light, count)
        finally:
            shutil.rmtree(folder)

    def of_map(self, name, count=3):
        """Of a map of the project."""
        return self.hashes(os.path.join(TOP, "maps", name), light=LIGHT[name], count=count)


def recorded_stages():
    """By map: the hashes of its .bsp after each program."""
    with open(TABLE, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return {name: hashes for name, *hashes in rows}


def recorded():
    """By map: the hash of its .bsp with light."""
    return {name: hashes[-1] for name, hashes in recorded_stages().items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=os.path.abspath)
    parser.add_argument("--run", default="")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("maps", nargs="*")
    options = parser.parse_args()
    build = Build(options.bin, options.run.split())
    found = {name: build.of_map(name) for name in options.maps or LIGHT}
    if options.write:
        rows = {**(recorded_stages() if options.maps else {}), **found}
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write("# SHA-256 of maps of maps/ after vbsp, vvis and vrad, of every processor, compiler and system: see same_bytes.py\n")
            file.writelines("\t".join((name, *rows[name])) + "\n" for name in LIGHT if name in rows)
        return 0
    known, failed = recorded_stages(), 0
    for name, values in found.items():
        is_same = values == known.get(name)
        failed += not is_same
        print(f"{name}\t{values[-1]}\t{'same' if is_same else 'DIFFERS'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
