/* Shared by the parts of the .map parser: map.c (entities), map_brush.c, map_patch.c. */
#ifndef VBSP_LEVEL_MAP_READER_H
#define VBSP_LEVEL_MAP_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "vbsp/level/level.h"

/* Tokens of .map text: braces, brackets and parentheses, quoted strings, bare words; comments from
 * // to the end of the line and between slash-star and star-slash. A backslash is a plain
 * character. */
struct map_lexer {
    const char *at, *end;
    int line;
};

struct map_reader {
    struct map_lexer lexer;
    struct level *map;
    struct diag *diag;
    struct map_entity *entity; /* being read */
    int brushes;               /* count of brushes and patches so far */
    bool unbalanced;           /* unbalanced braces: parsing continues, and fails at the end */
};

/* Locates the current brush or patch, or the entity if there is none; line 0: its own line. */
struct diag_where map_reader_where(const struct map_reader *reader, int line);

/* Both read from after the opening brace in line `opened` to after the closing one, or to where it
 * must be missing. They report what they drop. */
void map_read_brush(struct map_reader *reader, int opened);
void map_read_patch(struct map_reader *reader, int opened);

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

/* Reports that the brace opened in line `opened` is not closed before `next`. */
void map_reader_unclosed(struct map_reader *reader, const char *what, int opened,
                         const struct map_token *next);

/* Skips past the brace that closes `depth` open ones, or to the end of the file. Reports a missing
 * one; `opened` is the line of the outermost. */
void map_reader_skip(struct map_reader *reader, const char *what, int opened, int depth);

/* "textures/NAME" in the level's arena; backslashes become slashes. */
const char *map_reader_material(struct map_reader *reader, const struct map_token *name);

/* Reads `count` numbers in parentheses; further ones are skipped. On failure *bad is the offending
 * token, which is not consumed. */
bool map_read_numbers(struct map_lexer *lexer, double *out, int count, struct map_token *bad);

/* True if the coordinates are within MAP_POINT_LIMIT. */
bool map_point_fits(struct vec3 point);

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
