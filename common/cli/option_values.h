/* Words that give options the values that they have, for another process or a statement. */
#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include "common/cli/options.h"

/* Sees the arguments with which an option is given once. They are in the arena. */
typedef void option_values_visit(void *context, const struct option_def *def,
                                 const char *const *values, size_t count);

/* Visits each time that an option with this value, at its field, is to be given: not at all for a
 * flag that another option has undone. */
void option_values(const struct option_def *def, const void *field, struct arena *arena,
                   option_values_visit *visit, void *context);

/* Appends the options of a group of the table that the command line has given, with dashes, to
 * *words, an stb_ds array: not names that are there already, nor options without effect, of the
 * caller alone, or that name a path to write. */
void option_words(const struct option_table *table, size_t group, const void *values,
                  const struct option_result *result, struct arena *arena, const char ***words);

#endif
