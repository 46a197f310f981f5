#!/usr/bin/env python3
"""What users report about the light of Valve's tools (tests/reports): each map is compiled and measured, and its figure is within its limit.

Most maps light props or displacements, a second of CPU each: so this is no test of ./check without steps."""
import os
import sys

from e2e import Skip, Suite, check, read

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reports"))
suite = Suite()
library = os.path.join(os.path.dirname(suite.options.bin), "lib", "libbrushwork.so.0")
os.environ["BRUSHWORK_LIBRARY"] = library
from reports import figure_of  # pylint: disable=wrong-import-position


def add(row):
    def case(s, _):
        figure = figure_of(s.options.bin, row)
        print(f"{figure:.4f} {row.unit}, at most {row.limit}")
        check(figure <= row.limit, f"{row.what}: {figure:.4f} {row.unit}, above {row.limit}")
    suite.add(row.name, case)


def unavailable(s, _):
    s.unsanitized()
    raise Skip("this build has no shared library")


def the_page_has_all(s, _):
    page = read(os.path.join(s.options.source, "docs", "reports.md")).decode()
    for row in rows:
        check(f"| `{row.name}` | {row.what} |" in page, f"{row.name}: run reports.py --page docs/reports.md")


if not os.path.exists(library) or b"__asan_init" in read(library):
    suite.add("reports", unavailable)
else:
    from report_rows import rows
    for each in rows:
        add(each)
    suite.add("the_page_has_all", the_page_has_all)
suite.main()
