/* Prints docs/diagnostics.md from the table of codes. */
#include <stdio.h>

#include "common/diag/diag.h"

struct room {
    char letter;
    const char *title;
};

static const struct room rooms[] = {
    {'C', "Files and text"}, {'A', "Game content"}, {'B', "BSP and portal files"},
    {'S', "Map sources"},    {'V', "vbsp"},         {'I', "vvis"},
    {'R', "vrad"},           {'M', "BM files"},     {'P', "Pictures"},
    {'T', "Command lines"},
};

static const char *const severities[] = {"note", "warning", "error"};

static void print_room(const struct room *room)
{
    int printed = 0;
    for (int code = 0; code < DIAG_CODES; code++) {
        const struct diag_info *info = diag_info((enum diag_code)code);
        if (info->code[0] != room->letter)
            continue;
        if (!printed++)
            printf("\n## %s\n\n| code | severity | what | how to fix it |\n|---|---|---|---|\n",
                   room->title);
        printf("| %s | %s | %s | %s |\n", info->code, severities[info->severity], info->title,
               info->fix);
    }
}

int main(void)
{
    puts("# Diagnostics\n\n"
         "Every message of the programs has a code that stays the same for good. This page is made "
         "from\n`common/diag/diag_codes.def` (`ninja docs`); do not edit it by hand.\n\n"
         "A message is `file:line: severity code: what: details (entity, solid, side, at x y z)`, "
         "with the fix\nbelow it. With `--json` it is an object a line with the members program, "
         "severity, code, title, message,\nfix, and where they are known file, line, entity, "
         "solid, side, point and placed_by. Entity, solid and\nside are the editor's own numbers.");
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        print_room(&rooms[i]);
    return 0;
}
