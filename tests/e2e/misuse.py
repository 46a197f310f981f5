"""What misuse of the Python module must raise: the cases of misuse_values.py and misuse_life.py, a row each.

Run by test_library_misuse.py in a process of its own, which must survive all of it:

    BRUSHWORK_LIBRARY=... PYTHONPATH=library/python python3 misuse.py MAPS

Prints a JSON line a case: its name, and null or what went wrong. The rows can be listed without the library.
"""
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import traceback

rows = []
MiB = 1 << 20
LEFT = "nothing_is_left_on_the_disk"


def raises(kind, words, **cases):
    """Rows: each function gets a World, and must raise the type with the words in its text."""
    for name, function in cases.items():
        def row(world, function=function):
            expected = world.brushwork.Error if kind == "Error" else kind
            try:
                value = function(world)
            except expected as error:
                assert words.lower() in str(error).lower(), f"the text: {error}"
            else:
                raise AssertionError(f"returned {value!r}")
        rows.append((name, row))


def holds(function):
    """A row that checks by itself."""
    rows.append((function.__name__, function))
    return function


class World:
    """What a case may use, made when it asks: it is of this case alone."""

    compiled = {}

    def __init__(self, brushwork, maps):
        self.brushwork, self.maps = brushwork, maps

    def map(self, name):
        return os.path.join(self.maps, name)

    def file(self, level):
        """The bytes of a compiled level."""
        if level not in self.compiled:
            session = self.brushwork.Session(memory=True)
            session.run("build", "-fast", "-bounce", 0, "-o", "m.bsp", self.map(level))
            self.compiled[level] = session.get("m.bsp")
        return self.compiled[level]

    def open(self, **more):
        return self.brushwork.Bsp(self.file("two_rooms.vmf"), **more)

    def quake3(self):
        return self.brushwork.Bsp(self.file("q3_patches.map"))

    def closed(self):
        bsp = self.open()
        bsp.close()
        return bsp

    def closed_after(self, part):
        """A part of a BSP that is closed by now."""
        bsp = self.open()
        kept = part(bsp)
        bsp.close()
        return kept

    @property
    def bsp(self):
        return self.open()

    @property
    def world(self):
        return self.open().entities[0]

    @property
    def session(self):
        return self.brushwork.Session()

    @property
    def memory(self):
        return self.brushwork.Session(memory=True)

    def removed(self):
        """An entity that was deleted."""
        entities = self.open().entities
        entity = entities[2]
        del entities[2]
        return entity

    def subclass(self, name):
        """An instance of a class whose __init__ forgets that of its base."""
        return type("Forgetful", (getattr(self.brushwork, name),), {"__init__": lambda self: None})()

    def child(self, code):
        """Runs a script with the module, as a process may have to die."""
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(code), self.map("two_rooms.vmf")],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=120, check=False)
        assert done.returncode == 0 and not done.stderr, f"status {done.returncode}: {done.stderr}{done.stdout}"
        return done.stdout


def main():
    import brushwork  # the rows can be listed without
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    for name, row in rows:
        try:
            row(World(brushwork, sys.argv[1]))
            fault = None
        except BaseException:  # pylint: disable=broad-except
            fault = traceback.format_exc()
        print(json.dumps([name, fault]), flush=True)
    left = os.listdir(folder)
    print(json.dumps([LEFT, f"left: {left}" if left else None]))
    os.rmdir(folder)


if __name__ == "__main__":
    sys.modules["misuse"] = sys.modules["__main__"]  # whose rows those of the cases are
    import misuse_values, misuse_life  # pylint: disable=multiple-imports,unused-import
    main()
