/* What the parts of the .map reader share: map.c (entities), map_brush.c, map_patch.c. */
#ifndef VBSP_LEVEL_MAP_READER_H
#define VBSP_LEVEL_MAP_READER_H

#include "vbsp/level/level.h"
#include "vbsp/level/map_lexer.h"

struct map_reader {
    struct map_lexer lexer;
    struct level *map;
    struct diag *diag;
    struct map_entity *entity; /* being read */
    int brushes;               /* brushes and patches begun in it */
    bool unbalanced;           /* a brace is missing or too many: reading goes on, and fails */
};

/* In the brush or patch that is being read, or in the entity when there is none; line 0: its own.
 */
struct diag_where map_reader_where(const struct map_reader *reader, int line);

/* Both read on from behind the opening brace in line `opened` to behind the closing one, or to
 * where it must be missing. What they drop they have reported. */
void map_read_brush(struct map_reader *reader, int opened);
void map_read_patch(struct map_reader *reader, int opened);

/* Reports a brace that was opened in line `opened` and is open where `next` starts. */
void map_reader_unclosed(struct map_reader *reader, const char *what, int opened,
                         const struct map_token *next);

/* Goes behind the brace that closes `depth` open ones, to the end of the file if there is none.
 * Reports that, `opened` being the line of the outermost. */
void map_reader_skip(struct map_reader *reader, const char *what, int opened, int depth);

/* "textures/NAME" in the source's arena; backslashes become slashes. */
const char *map_reader_material(struct map_reader *reader, const struct map_token *name);

/* `count` numbers between parentheses; more of them are passed over. On failure the token that
 * does not fit is in *bad and not passed. */
bool map_read_numbers(struct map_lexer *lexer, double *out, int count, struct map_token *bad);

/* Whether the coordinates are within MAP_POINT_LIMIT. */
bool map_point_fits(struct vec3 point);

#endif
