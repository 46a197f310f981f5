/* The FGD of the game that a map is for. */
#ifndef VBSP_LEVEL_GAME_FGD_H
#define VBSP_LEVEL_GAME_FGD_H

#include "common/assets/assets.h"
#include "common/text/fgd.h"

/* Read when it is first asked for. */
struct game_fgd {
    const struct env *env;
    struct assets *assets;
    const char *path; /* its file; NULL: those that the gameinfo.txt names (GameData) */
    bool search_bin;  /* without GameData: all FGDs in bin/ of the game, or beside the game */
    /* set by game_fgd_get */
    struct fgd *fgd;
    bool tried;
    bool is_whole; /* no file that it names is missing, and no class is cut short */
    struct arena arena;
};

/* Returns NULL when there is none. Reports a file that is named and missing: FGD_MISSING. */
const struct fgd *game_fgd_get(struct game_fgd *game);
void game_fgd_free(struct game_fgd *game);

#endif
