/* Shared by the parts of the .map parser: map.c (entities), map_brush.c, map_patch.c. */
#ifndef VBSP_LEVEL_MAP_READER_H
#define VBSP_LEVEL_MAP_READER_H

#include "vbsp/level/level.h"
#include "vbsp/level/map_lexer.h"

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

#endif
