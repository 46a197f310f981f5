"""docs/gallery.md: a section for each map."""
import os

HEAD = """# Gallery of light faults

The faults that people report about baked light, each in a small map of its own, and what is measured there on every run of the tests
(`tests/gallery`, `e2e_gallery`): beside ground truth (`vrad --reference`), a closed form, or the map's own symmetry. A figure above its limit fails;
one that is marked as a fault is within the limit of the test, but shows the fault, and its section says why.
Differences are in stops (log2 of the ratio): 0.1 is 7 %, 1 is twice. Figures are of the worst luxel unless a row says mean. Pictures show the light alone
(`brushwork render --lightmap-only`), by default options of vrad where no others are named. The background of the usual ones is in [light-artefacts.md](light-artefacts.md).

This page is made by `tests/gallery/gallery.py --bin build/release/bin --page docs`.

| fault | measured | ours | limit |
|---|---|---|---|
"""


def number(x):
    return f"{x:.4f}" if x and abs(x) < 0.01 else f"{x:.3f}" if abs(x) < 1 else f"{x:.2f}"


def mark(row, figure):
    """Above the limit of the test, or above what one would want."""
    return " (**over**)" if figure > row.limit else " (**fault**)" if figure > row.wanted else ""


def write(docs, told):
    table = "".join(f"| [{row.title}](#{anchor(row.title)}) | {row.what} | {number(figure)} {row.unit}{mark(row, figure)} | {number(row.limit)} |\n"
                    for row, figure in told)
    parts = []
    for row, figure in told:
        options = f" vrad {' '.join(row.options)}." if row.options else ""
        note = f"\n{row.note}\n" if row.note else ""
        parts.append(f"## {row.title}\n\n![{row.title}](images/gallery/{row.name}.jpg)\n\nReported: {row.reported}.\n\n"
                     f"Map `{row.name}`: {row.what}: **{number(figure)}** {row.unit}{mark(row, figure)}, at most {number(row.limit)}.{options}\n{note}")
    with open(os.path.join(docs, "gallery.md"), "w", encoding="utf-8") as file:
        file.write(HEAD + table + "\n" + "\n".join(parts))


def anchor(title):
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c in "-_")
