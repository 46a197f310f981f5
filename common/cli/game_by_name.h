/* -game by the name of a game that Steam has installed: its folder with gameinfo.txt, `tf`, or with
 * the folder around it, `Half-Life 2/hl2`, which tells games of one name apart. */
#ifndef CLI_GAME_BY_NAME_H
#define CLI_GAME_BY_NAME_H

#include "common/core/arena.h"
#include "common/diag/diag.h"
#include "common/io/fs.h"

/* Makes *game the folder of the game that it names. A file or folder of that path stays what it is,
 * as do names that are looked for elsewhere (quake3_paths.h), and all where Steam has no games.
 * Reports a name that none or several of the games have, with their names (GAME_NAME). Texts are in
 * the arena. */
NODISCARD enum status game_by_name(struct fs *fs, struct diag *diag, struct arena *arena,
                                   const char **game);

#endif
