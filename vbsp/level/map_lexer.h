/* Tokens of .map text: braces, brackets and parentheses, quoted strings, bare words; comments from
 * // to the end of the line and between slash-star and star-slash. A backslash is a plain
 * character. */
#ifndef VBSP_LEVEL_MAP_LEXER_H
#define VBSP_LEVEL_MAP_LEXER_H

#include <stdbool.h>
#include <stddef.h>

enum map_token_kind {
    MAP_TOKEN_END,
    MAP_TOKEN_MARK,   /* one of ( ) [ ] { } */
    MAP_TOKEN_WORD,   /* a number, a name, a key without quotes */
    MAP_TOKEN_QUOTED, /* without its quotes */
};

struct map_token {
    enum map_token_kind kind;
    char mark;        /* of MAP_TOKEN_MARK, else 0 */
    bool unclosed;    /* a quoted string that its line ends */
    const char *text; /* in the source, not terminated */
    size_t length;
    int line; /* from 1 */
};

struct map_lexer {
    const char *at, *end;
    int line;
};

struct map_lexer map_lexer_new(const char *text, size_t size); /* skips a UTF-8 byte order mark */
/* Words end at blanks, marks, quotes and comments. */
struct map_token map_lexer_next(struct map_lexer *lexer);
/* As map_lexer_next, but a word ends at a blank only, and may begin with a brace: names of
 * materials hold anything else. */
struct map_token map_lexer_name(struct map_lexer *lexer);
struct map_token map_lexer_peek(const struct map_lexer *lexer); /* what _next would give */
/* A decimal number with or without sign, fraction and exponent that fills the token; infinite when
 * it is beyond a double, no number when the text says so ("nan", "1.#INF"). False when it is none.
 */
bool map_token_number(const struct map_token *token, double *out);
bool map_token_is(const struct map_token *token, const char *word); /* without regard to case */

#endif
