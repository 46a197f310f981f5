/* A description of a game that has no row: whose flags it has, its file, the size of its lightmaps,
 * its own names of surfaceparm, and its limits. docs/formats/sisters.md has the members. */
#ifndef BSP_JSON_GAME_JSON_H
#define BSP_JSON_GAME_JSON_H

#include "common/bsp/codec/format.h"
#include "common/bsp/dialect.h"
#include "common/bsp/engine.h"
#include "common/core/arena.h"
#include "common/core/sha256.h"

struct game_description {
    struct bsp_format format; /* that of the target, with the file and the engine */
    struct engine engine;     /* with the dialect */
    struct dialect dialect;
    struct dialect_parm *parms;        /* stb_ds array: the game's, before those of the target */
    struct bsp_limit *limits;          /* stb_ds array: the game's, and those of the target */
    unsigned char digest[SHA256_SIZE]; /* of the text */
    struct arena arena;
};

/* Reads a description. Its parts point at each other: *out must not move. Reports (GAME_UNKNOWN) a
 * text that is none, with its line or its member. Free with game_description_free, also on
 * failure. */
NODISCARD enum status game_description_read(const struct bytes *text, const char *file,
                                            struct diag *diag, struct game_description *out);
void game_description_free(struct game_description *description);

#endif
