#include "common/bsp/game.h"

#include "common/core/strings.h"

static const struct bsp_game games[] = {
#define GAME(name, title, target, folder, compile, light)                                          \
    {name, title, target, folder, compile, light},
#include "common/bsp/games.def"
#undef GAME
};

const struct bsp_game *bsp_game_at(size_t index)
{
    return index < sizeof games / sizeof *games ? &games[index] : NULL;
}

const struct bsp_game *bsp_game_find(const char *name)
{
    const struct bsp_game *game;
    for (size_t i = 0; (game = bsp_game_at(i)); i++)
        if (str_equal_nocase(game->name, name))
            return game;
    return NULL;
}
