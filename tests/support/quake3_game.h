/* A Quake 3 game in memory, for tests of content. */
#ifndef SUPPORT_QUAKE3_GAME_H
#define SUPPORT_QUAKE3_GAME_H

#include <string.h>

#include "common/assets/assets.h"
#include "common/assets/shaders/shader.h"
#include "common/core/memory.h"
#include "common/diag/diag.h"
#include "common/io/fs.h"
#include "common/io/zip.h"

struct quake3_game {
    struct env env;
    struct assets *assets;
};

static inline int quake3_game_new(void **state)
{
    struct quake3_game *game = memory_zalloc(1, sizeof *game);
    game->env = (struct env){.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1};
    *state = game;
    return 0;
}

static inline int quake3_game_free(void **state)
{
    struct quake3_game *game = *state;
    assets_free(game->assets);
    diag_free(game->env.diag);
    fs_memory_free(game->env.fs);
    memory_free(game);
    return 0;
}

static inline void quake3_add(struct quake3_game *game, const char *path, const char *text)
{
    assert_int_equal(game->env.fs->ops->write(game->env.fs, path, text, strlen(text)), 0);
}

/* An uncompressed 32-bit TGA of one colour. */
static inline void quake3_tga(struct bytes *out, int width, int height, const uint8_t rgba[4])
{
    bytes_fill(out, 0, 2);
    bytes_u8(out, 2);
    bytes_fill(out, 0, 9);
    bytes_u16(out, (uint16_t)width);
    bytes_u16(out, (uint16_t)height);
    bytes_u8(out, 32);
    bytes_u8(out, 8);
    for (int i = 0; i < width * height; i++) {
        bytes_u8(out, rgba[2]);
        bytes_u8(out, rgba[1]);
        bytes_u8(out, rgba[0]);
        bytes_u8(out, rgba[3]);
    }
}

static inline void quake3_add_tga(struct quake3_game *game, const char *path, int width, int height,
                                  const uint8_t rgba[4])
{
    struct bytes tga = {0};
    quake3_tga(&tga, width, height, rgba);
    assert_int_equal(game->env.fs->ops->write(game->env.fs, path, tga.data, tga.size), 0);
    bytes_free(&tga);
}

/* A pack with one file. */
static inline void quake3_add_pack(struct quake3_game *game, const char *path, const char *name,
                                   const char *text, enum zip_method method)
{
    struct zip_writer writer = {0};
    struct bytes out = {0};
    const struct zip_packing packing = {.method = (uint16_t)method, .version_needed = 20};
    assert_int_equal(zip_add(&writer, name, text, strlen(text), &packing, NULL, game->env.diag), 0);
    assert_int_equal(zip_finish(&writer, "", 0, NULL, game->env.diag, &out), 0);
    assert_int_equal(game->env.fs->ops->write(game->env.fs, path, out.data, out.size), 0);
    bytes_free(&out);
    zip_writer_free(&writer);
}

static inline void quake3_open(struct quake3_game *game, const char *name)
{
    const struct assets_options options = {.game = name};
    assert_int_equal(assets_open(&game->env, &options, &game->assets), STATUS_OK);
}

/* Opens a game q/baseq3 with that script, and returns a shader of it. */
static inline const struct shader *quake3_shader(struct quake3_game *game, const char *script,
                                                 const char *name)
{
    quake3_add(game, "q/baseq3/scripts/a.shader", script);
    quake3_open(game, "q");
    return assets_shader(game->assets, name);
}

#endif
