#!/usr/bin/env python3
"""The gallery of light faults (tests/gallery): each map is compiled and measured, and its figure is within its limit.

All maps together take a minute or two of CPU, most of it for ground truth: so this is no test of ./check without steps."""
import os
import sys

from e2e import Skip, Suite, check, read

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gallery"))
suite = Suite()
library = os.path.join(os.path.dirname(suite.options.bin), "lib", "libbrushwork.so.0")
os.environ["BRUSHWORK_LIBRARY"] = library
from gallery import Run  # pylint: disable=wrong-import-position


def add(name, row):
    def case(s, folder):
        run = Run(s.options.bin, row, folder)
        figure = row.measure(run.build(), run)
        print(f"{figure:.4f} {row.unit}, at most {row.limit}")
        check(figure <= row.limit, f"{row.what}: {figure:.4f} {row.unit}, above {row.limit}")
    suite.add(name, case)


def unavailable(s, _):
    s.unsanitized()
    raise Skip("this build has no shared library")


def the_page_shows_all(s, _):
    docs = os.path.join(s.options.source, "docs")
    page = read(os.path.join(docs, "gallery.md")).decode()
    pictures = {name[:-4] for name in os.listdir(os.path.join(docs, "images", "gallery"))}
    check(pictures == {row.name for row in rows}, pictures ^ {row.name for row in rows})
    for row in rows:
        check(f"\n## {row.title}\n" in page and f"Map `{row.name}`" in page, f"{row.name}: run gallery.py --page docs")
        check(os.path.getsize(os.path.join(docs, "images", "gallery", row.name + ".jpg")) <= 15000, f"{row.name}: a large picture")


if not os.path.exists(library) or b"__asan_init" in read(library):
    suite.add("gallery", unavailable)
else:
    from rows import rows
    for each in rows:
        add(each.name, each)
    suite.add("the_page_shows_all", the_page_shows_all)
suite.main()
