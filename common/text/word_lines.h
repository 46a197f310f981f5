/* Lists of items with their options: a line an item, words separated by blanks.
 *
 * A line ends with LF, CRLF or CR, the last one also with the text. A word that begins with # and
 * what follows is a comment. Quotes, '...' and "...", keep blanks and #; quoted and other parts
 * that touch are one word, as in a shell. Nothing else is special: a backslash is one. The text is
 * UTF-8, with or without a byte order mark, or UTF-16 with one. */
#ifndef TEXT_WORD_LINES_H
#define TEXT_WORD_LINES_H

#include "common/core/arena.h"
#include "common/diag/diag.h"

struct word_line {
    const char **words; /* stb_ds array, at least one */
    int line;           /* counted from 1 */
};

/* Appends the lines that have words to *out, an stb_ds array; words are in the arena. Reports each
 * line whose quote does not end, and a text with zero bytes (LIST).
 * Free with word_lines_free, also after a failure. */
NODISCARD enum status word_lines_parse(const char *text, size_t size, const char *file,
                                       struct arena *arena, struct diag *diag,
                                       struct word_line **out);
void word_lines_free(struct word_line *lines);

#endif
