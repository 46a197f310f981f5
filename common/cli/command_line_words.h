/* Internal: a command line of Windows, which is one text, as words.
 *
 * Quotes keep spaces; `\"` is a quote, and of backslashes before a quote each two are one. So
 * `-game "C:\my game\" map.vmf` would be one word from C: to the end. No path has a quote, so that
 * `\"` before a space or the end, within quotes that a path began, ends them. */
#ifndef CLI_COMMAND_LINE_WORDS_H
#define CLI_COMMAND_LINE_WORDS_H

#include <stdbool.h>

struct command_words {
    char **words;  /* stb_ds array; each on the heap */
    char *guessed; /* the first word that was ended by a guess; borrowed; NULL: none */
};

void command_words_split(const char *line, struct command_words *out);

#endif
