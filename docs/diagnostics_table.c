/* Prints docs/diagnostics.md from the files of common/diag/codes. */
#include <stdio.h>

#include "common/diag/diag.h"
#include "common/diag/diag_explain.h"

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
    for (int code = diag_next(0); code; code = diag_next(code)) {
        const struct diag_info *info = diag_info(code);
        if (info->code[0] != block->letter)
            continue;
        if (!printed++)
            printf("\n## %s\n\n| code | severity | title | fix |\n|---|---|---|---|\n",
                   block->title);
        bool is_explained = !diag_explain(code).family;
        printf("| %s%s%s | %s | %s | %s |\n", is_explained ? "[" : "", info->code,
               is_explained ? "](#explanations)" : "", severities[info->severity], info->title,
               info->fix);
    }
}

/* A section for each code of which there is more to say than the table does. */
static void print_explanations(void)
{
    puts("\n## Explanations");
    for (int code = diag_next(0); code; code = diag_next(code)) {
        const struct diag_info *info = diag_info(code);
        const struct diag_explanation explanation = diag_explain(code);
        if (explanation.family)
            continue;
        printf("\n### %s\n\n%s: %s\n", info->code, info->title, explanation.text);
        if (explanation.example)
            printf("\n```\n%s\n```\n", explanation.example);
    }
}

/* Those of several codes. */
static void print_families(void)
{
    const struct diag_family *family;
    puts("\n## Families of codes\n\nWhat is said of codes without an explanation of their own.");
    for (size_t i = 0; (family = diag_family_at(i)) != NULL; i++) {
        printf("\n### %s to %s\n\n%s\n", family->first, family->last, family->text);
        if (family->example)
            printf("\n```\n%s\n```\n", family->example);
    }
}

int main(void)
{
    puts("# Diagnostics\n\n"
         "Every diagnostic has a code that never changes. This page is generated from\n"
         "the files of `common/diag/codes` (target `docs`); do not edit it.\n"
         "`brushwork explain CODE` prints what it says of a code.\n\n"
         "A diagnostic has the form `file:line: severity code: title: detail (entity, solid, side, "
         "at x y z)`, followed\nby a line with its fix. Without a file it begins with the name of "
         "the program. `--diagnostics` prints\nthe same as "
         "[JSON](json.md#messages), SARIF, or annotations of GitHub and GitLab "
         "([CI](guides/ci.md#messages-at-the-line)). Entity, solid and side are the "
         "editor's\nids.");
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        print_block(&blocks[i]);
    print_explanations();
    print_families();
    return 0;
}
