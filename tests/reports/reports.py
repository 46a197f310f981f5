"""Compiles and measures the maps of report_rows.py, by the gallery's means. As a program it prints a table, and writes that of
docs/reports.md:

    tests/reports/reports.py --bin build/release/bin [--only NAME] [--page docs/reports.md]
"""
import argparse
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gallery")]
from gallery import Run  # pylint: disable=wrong-import-position

HEAD = """# Reports about light

What users of Valve's public tools (source-sdk-2013) report about baked light, in maps of our own, and what is measured there on every run of the tests
(`tests/reports`, `e2e_reports`): beside a closed form, a brush of the same shape or the map's own symmetry, in stops (log2 of the ratio: 0.1 is 7 %, 1 is twice).
A figure above its limit fails. Other faults, with pictures, are in the [gallery](gallery.md). This page is made by
`tests/reports/reports.py --bin build/release/bin --page docs/reports.md`.

| reported | map | measured | ours | limit |
|---|---|---|---|---|
"""


def figure_of(bin_folder, row):
    with tempfile.TemporaryDirectory() as folder:
        run = Run(bin_folder, row, folder)
        return row.measure(run.build(), run)


def line(row, figure):
    return f"| {row.title}: {row.reported} | `{row.name}` | {row.what} | {figure:.3f} | {row.limit:g} |\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=os.path.abspath, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--page", type=os.path.abspath)
    options = parser.parse_args()
    os.environ["BRUSHWORK_LIBRARY"] = os.path.join(os.path.dirname(options.bin), "lib", "libbrushwork.so.0")
    from report_rows import rows
    page = HEAD
    for row in rows:
        if options.only in row.name:
            figure = figure_of(options.bin, row)
            print(f"{'ok  ' if figure <= row.limit else 'FAIL'} {row.name:28} {figure:8.4f} {row.limit:8.4f}", flush=True)
            page += line(row, figure)
    if options.page:
        with open(options.page, "w", encoding="utf-8") as file:
            file.write(page)


if __name__ == "__main__":
    main()
