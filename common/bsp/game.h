/* Games of the family of Quake 3 by the names that q3map2's -game has for them. */
#ifndef BSP_GAME_H
#define BSP_GAME_H

#include <stddef.h>

struct bsp_game {
    const char *name;   /* "et" */
    const char *title;  /* "Wolfenstein: Enemy Territory" */
    const char *target; /* the name of its format (codec/format.h) */
    const char
        *folder; /* of its own content, below a base path; NULL: the one that a base path has */
    /* Options of q3map2's stages that are its defaults, in one text: -bsp and -light. */
    const char *compile, *light;
};

/* Returns the rows of games.def in order; NULL after the last. */
const struct bsp_game *bsp_game_at(size_t index);
/* Returns the game of that name, without regard to case, or NULL. */
const struct bsp_game *bsp_game_find(const char *name);

#endif
