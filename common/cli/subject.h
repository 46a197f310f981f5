/* The files that a command line is about. */
#ifndef CLI_SUBJECT_H
#define CLI_SUBJECT_H

#include "common/cli/options.h"

/* Returns the file that the first operand names, or NULL. */
const char *subject_find(const struct option_table *table, const struct option_result *result,
                         struct arena *arena);

/* Returns true when there is a file or folder that the operand may mean. */
bool subject_exists(const struct option_table *table, const char *operand);

/* Returns true for a path with one of the endings, which are words: "vmf map"; NULL: none. */
bool subject_has_ending(const char *endings, const char *path);

/* Returns true for the path of a file that the program reads, by its ending. */
bool subject_names_input(const struct option_table *table, const char *path);

#endif
