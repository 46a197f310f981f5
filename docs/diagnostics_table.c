/* Prints docs/diagnostics.md from common/diag/diag_codes.def. */
#include <stdio.h>

#include "common/diag/diag.h"

struct block {
    char letter;
    const char *title;
};

static const struct block blocks[] = {
    {'C', "Files and text"}, {'A', "Game content"}, {'B', "BSP and portal files"},
    {'S', "Map sources"},    {'V', "vbsp"},         {'I', "vvis"},
    {'R', "vrad"},           {'M', "BM files"},     {'P', "Pictures"},
    {'T', "Command lines"},
};

static const char *const severities[] = {"note", "warning", "error"};

static void print_block(const struct block *block)
{
    int printed = 0;
    for (int code = 0; code < DIAG_CODES; code++) {
        const struct diag_info *info = diag_info((enum diag_code)code);
        if (info->code[0] != block->letter)
            continue;
        if (!printed++)
            printf("\n## %s\n\n| code | severity | title | fix |\n|---|---|---|---|\n",
                   block->title);
        printf("| %s | %s | %s | %s |\n", info->code, severities[info->severity], info->title,
               info->fix);
    }
}

int main(void)
{
    puts("# Diagnostics\n\n"
         "Every diagnostic has a code that never changes. This page is generated from\n"
         "`common/diag/diag_codes.def` (target `docs`); do not edit it.\n\n"
         "A diagnostic has the form `file:line: severity code: title: detail (entity, solid, side, "
         "at x y z)`, followed\nby a line with its fix. Without a file it begins with the name of "
         "the program. `--diagnostics` prints\nthe same as "
         "[JSON](json.md#messages), SARIF, or annotations of GitHub and GitLab "
         "([CI](guides/ci.md#messages-at-the-line)). Entity, solid and side are the "
         "editor's\nids.");
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        print_block(&blocks[i]);
    return 0;
}
