/* Prints docs/limits.md from the tables of limits and targets in common/bsp/codec. */
#include <inttypes.h>
#include <stdio.h>

#include "common/bsp/codec/format.h"

static const char head[] =
    "# Limits\n"
    "\n"
    "What the branches of the engines take, and what becomes of a map that has more. This page is "
    "generated from the\n"
    "tables in `common/bsp/codec/limit_tables.c` (target `docs`); do not edit it. `--target` "
    "chooses the branch; `--report`,\n"
    "`--fail-if` and `brushwork lint` read the same rows, and so do `brushwork info` and `verify` "
    "with `--target`. A file does not\n"
    "tell its branch: several have files of one form. Without `--target`, `info` shows the limits "
    "of the first of them, and `verify`\n"
    "accepts what any of them takes, with a warning that names it.\n"
    "\n"
    "- From 90 % of a limit on, `vbsp` warns (B510) with the largest contributors.\n"
    "- Above the maximum: an error (B010) with the number and the contributors, and nothing is "
    "written; a warning, where it is known\n"
    "  that engines take more, up to the number that the table gives; or an error after a stage "
    "has "
    "left something out, with a\n"
    "  warning that counts it.\n"
    "- A field that is too narrow for a number is always an error: the file would name other "
    "records.\n"
    "- A file that was over a limit when it was read can be written again (`vvis`, `vrad`, "
    "`brushwork pack`), with a warning.\n";

static const char unknown[] =
    "\n"
    "Not certain, and so as in the base: Garry's Mod (update of January 2025), Portal 2 and CS:GO "
    "have raised more limits\n"
    "(source-sdk-2013 PR #1194 and #1564, garrysmod-requests #2304, #2589 and #2920), but no "
    "available source gives all of the\n"
    "numbers. Strata Source, the engine of Momentum, has the numbers above in files of version 25, "
    "which `--target strata` writes;\n"
    "`--target momentum` writes version 21 as for CS:GO, from which Strata Source goes on, and has "
    "the limits of those files.\n"
    "Where your branch takes more than the table says, please report it with a map or a page that "
    "shows the number.\n"
    "\n"
    "What the points of T-junctions add to gives way first: surfedges, edges, numbers of vertex "
    "normals, primitives and their\n"
    "indices, and faces that are cut since they have more than 32 edges. `vbsp` leaves out as many "
    "points as are too many, those first\n"
    "whose gaps are the least visible, by their width and length, and says where the worst one is "
    "(V480). They add no vertices. Other\n"
    "bounds that are no error: detail props beyond 65535 (V187), names of switchable lights beyond "
    "32 (V016), faces of an overlay\n"
    "beyond 64 (V160).\n";

static void print_number(int64_t number)
{
    if (number == INT64_MAX)
        printf("any number");
    else
        printf("%" PRId64, number);
}

static void print_beyond(const struct bsp_limit *limit)
{
    if (limit->accepted > limit->maximum) {
        printf("warning up to ");
        print_number(limit->accepted);
        printf(": %s", limit->beyond);
    } else if (limit->beyond) {
        printf("%s, then error", limit->beyond);
    } else {
        printf("error");
    }
}

static void print_row(const struct bsp_limit *limit)
{
    printf("| %s%s | %" PRId64 " | ", limit->name, limit->per_item ? " (each)" : "",
           limit->maximum);
    print_beyond(limit);
    printf(" | %s |\n", limit->source);
}

static void print_table(const char *title, const struct bsp_format *format)
{
    printf("\n## %s\n\n| limit | maximum | above it | source |\n|---|---|---|---|\n", title);
    for (size_t i = 0; i < format->limit_count; i++)
        print_row(&format->limits[i]);
}

static void print_branches(void)
{
    const struct bsp_format *format;
    printf("\n## Branches of Source\n\nRows that are other than in the base.\n\n"
           "| target | file | limit | maximum | above it | source |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; (format = bsp_format_at(i)); i++) {
        if (format->limits != bsp_format_at(0)->limits || format->read_only)
            continue;
        if (!format->own_limit_count)
            printf("| %s | %s | none | | | |\n", format->target, format->title);
        for (size_t k = 0; k < format->own_limit_count; k++) {
            printf("| %s | %s ", format->target, format->title);
            print_row(&format->own_limits[k]);
        }
    }
}

int main(void)
{
    fputs(head, stdout);
    print_table("Source: the base", bsp_format_at(0));
    print_branches();
    fputs(unknown, stdout);
    print_table("Quake 3", bsp_format_find("quake3"));
    return 0;
}
