"""Compiles and measures the maps of rows.py. As a program it prints a table, and makes docs/gallery.md with its pictures:

    tests/gallery/gallery.py --bin build/release/bin [--only NAME] [--page docs]
"""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "e2e"), os.path.join(HERE, "..", "..", "library", "python")]


class Run:
    """A map of the gallery in a folder."""

    def __init__(self, bin_folder, row, folder):
        self.bin, self.row, self.folder = bin_folder, row, folder
        self.bsp = os.path.join(folder, row.name + ".bsp")

    def call(self, program, *arguments):
        done = subprocess.run([os.path.join(self.bin, program), *map(str, arguments)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=600)
        if done.returncode:
            raise AssertionError(f"{program}: status {done.returncode}: {done.stdout[-3000:]}")
        return done.stdout

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return path

    def game(self):
        if not self.row.game:
            return []
        for name, data in self.row.game.items():
            for path, content in (data() if callable(data) else {name: data}).items():
                self.write(os.path.join("game", path), content)
        folder = os.path.join(self.folder, "game")
        self.write("game/gameinfo.txt", f'GameInfo {{ FileSystem {{ SearchPaths {{ game "{folder}" }} }} }}')
        return ["-game", folder]

    def light(self, source, out, *more):
        lights = ["-lights", self.write("gallery.rad", self.row.rad)] if self.row.rad else []
        self.call("vrad", source, "-o", out, "-threads", 2, "--quiet", *self.game(), *lights, *self.row.options, *more)

    def build(self):
        from geometry import Vmf, quake3
        from lit import Lit
        row = self.row
        text = quake3(row.solids, row.entities) if row.quake3 else Vmf().map(row.solids, row.entities)
        source = self.write(row.name + (".map" if row.quake3 else ".vmf"), text)
        self.dark = os.path.join(self.folder, "dark.bsp")
        self.call("vbsp", source, "-o", self.dark, "--quiet", *self.game())
        self.call("vvis", self.dark, "-threads", 1, "--quiet")
        self.light(self.dark, self.bsp)
        self.lit = Lit(self.bsp)
        return self.lit

    def reference(self):
        """Ground truth of the same map."""
        from lit import Lit
        path = os.path.join(self.folder, "reference.bsp")
        if not os.path.exists(path):
            self.light(self.dark, path, "--reference", self.row.reference)
        return Lit(path)

    def measure(self):
        return self.row.measure(self.build(), self)

    def exposure(self):
        """That shows nearly all of the light below white."""
        levels = sorted(light for _, light in self.lit.region(None))
        return min(8, max(0.1, 0.9 / max(levels[len(levels) * 9 // 10], 0.01)))

    def picture(self, path):
        self.call("brushwork", "render", self.bsp, "-o", path, "--size", "480x270", "--from", self.row.view, "--lightmap-only",
                  "--samples", 16, "--exposure", "%.3f" % self.exposure(), "--quiet")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=os.path.abspath, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--page", type=os.path.abspath, help="the folder docs")
    options = parser.parse_args()
    os.environ["BRUSHWORK_LIBRARY"] = os.path.join(os.path.dirname(options.bin), "lib", "libbrushwork.so.0")
    from rows import rows
    told = []
    for row in rows:
        if options.only not in row.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            run = Run(options.bin, row, folder)
            try:
                figure = run.measure()
                print(f"{'ok  ' if figure <= row.limit else 'FAIL'} {row.name:24} {figure:10.4f} {row.limit:10.4f} {row.unit}", flush=True)
                told.append((row, figure))
                if options.page:
                    run.picture(os.path.join(options.page, "images", "gallery", row.name + ".jpg"))
            except Exception as error:  # pylint: disable=broad-except
                print(f"ERR  {row.name}: {type(error).__name__} {error}", flush=True)
    if options.page:
        import page
        page.write(options.page, told)


if __name__ == "__main__":
    main()
