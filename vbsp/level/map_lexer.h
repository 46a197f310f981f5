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
    bool unclosed;    /* closed by the end of the line */
    const char *text; /* in the input, not terminated */
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
/* Like map_lexer_next, but the word ends only at white space and may begin with a brace: material
 * names may contain anything else. */
struct map_token map_lexer_name(struct map_lexer *lexer);
struct map_token
map_lexer_peek(const struct map_lexer *lexer); /* the result of the next map_lexer_next */
/* Parses a decimal number with optional sign, fraction and exponent that fills the token; infinite
 * when it overflows a double, NaN or infinite when the text says so ("nan", "1.#INF"). False if it
 * is not a number. */
bool map_token_number(const struct map_token *token, double *out);
bool map_token_is(const struct map_token *token, const char *word); /* ignores case */

#endif
