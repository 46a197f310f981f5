/* Internal: what the texts of an option table share. */
#ifndef CLI_OPTIONS_INTERNAL_H
#define CLI_OPTIONS_INTERNAL_H

#include "common/cli/options.h"

/* A heading and its options: number 0 is the table itself, then its groups. */
struct group_view {
    const char *title;
    const struct option_def *defs;
    size_t count, base;
    const char *tool; /* as that of struct option_group */
    bool is_own;      /* of the table itself */
};

struct group_view options_group_at(const struct option_table *table, size_t index);

/* Not in the lists: one without effect, or the second field of an option that sets two. */
bool option_is_unlisted(const struct option_def *def);

/* "a, b or c" of a choice, its range, default and map key, to follow the help text. The short ones
 * leave out the range and the key. */
const char *option_value_notes(const struct option_table *table, const struct option_def *def,
                               size_t base, bool is_short, struct arena *arena);

/* Those of the table, or those that all programs share. */
const char *options_exit_statuses(const struct option_table *table);

/* Prints a paragraph for the options without effect, and one for those that are always so. */
void options_print_idle(const struct option_table *table, struct arena *arena,
                        void (*print)(FILE *out, const char *text), FILE *out);

#endif
