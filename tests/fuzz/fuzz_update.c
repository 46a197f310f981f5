/* Any bytes as an existing BSP that is updated from a map that matches the seed: it stays
 * readable. */
#include <stdint.h>
#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "vbsp/vbsp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 100000 };

#define SIDE(points, name)                                                                         \
    "side { id 7 plane \"" points "\" material " name                                              \
    " uaxis \"[1 0 0 0] 0.25\" vaxis \"[0 1 0 0] 0.25\" lightmapscale 16 }\n"
#define BOX                                                                                        \
    "solid { id 3\n" SIDE("(0 64 64) (64 64 64) (64 0 64)", "dev/grass")                           \
        SIDE("(0 0 0) (64 0 0) (64 64 0)", "dev/grass")                                            \
            SIDE("(0 64 64) (0 0 64) (0 0 0)", "dev/grass")                                        \
                SIDE("(64 64 0) (64 0 0) (64 0 64)", "dev/grass")                                  \
                    SIDE("(64 64 64) (0 64 64) (0 64 0)", "dev/grass")                             \
                        SIDE("(64 0 0) (0 0 0) (0 0 64)", "dev/grass") "}\n"

static const char map[] =
    "world { id 1 classname worldspawn\n" BOX "}\n"
    "entity { id 8 classname func_brush origin \"100 0 0\"\n" BOX "}\n"
    "entity { id 9 classname prop_static model models/a.mdl origin \"-20 0 0\" }\n"
    "entity { id 10 classname prop_detail_sprite origin \"-40 0 0\" }\n"
    "entity { id 11 classname info_player_start origin \"-60 0 0\" }\n";

static const char *const files[][2] = {
    {"game/gameinfo.txt", "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }"},
    {"game/detail.vbsp", "detail { grass { density 4000 a { alpha 1 b { sprite \"0 0 64 64 512\" "
                         "spritesize \"0.5 0 10 10\" amount 1 } } } }"},
    {"game/materials/dev/grass.vmt", "LightmappedGeneric { %detailtype grass }"},
};

static void check_file(const struct env *env, const struct bsp *bsp)
{
    struct bytes file = {0};
    struct bsp *again = NULL;
    if (bsp_encode(bsp, bsp->format, "fuzz", env->diag, &file) == STATUS_OK) {
        if (bsp_decode(file.data, file.size, "fuzz", env->diag, &again) != STATUS_OK)
            __builtin_trap();
        bsp_free(again);
    }
    bytes_free(&file);
}

static void update(const struct env *env, struct bsp *bsp)
{
    struct level level;
    struct assets *assets;
    if (assets_open(env, &(struct assets_options){.game = "game"}, &assets) != STATUS_OK ||
        vmf_parse(map, sizeof map - 1, "fuzz.vmf", env->diag, &level) != STATUS_OK)
        __builtin_trap();
    if (vbsp_update_props(env, &vbsp_defaults, assets, &level, bsp) == STATUS_OK)
        check_file(env, bsp);
    if (vbsp_update_entities(env, &vbsp_defaults, assets, &level, bsp) == STATUS_OK)
        check_file(env, bsp);
    level_free(&level);
    assets_free(assets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > LARGEST)
        return 0;
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int error = env.fs->ops->write(env.fs, files[i][0], files[i][1], strlen(files[i][1]));
        if (error)
            __builtin_trap();
    }
    struct bsp *bsp = NULL;
    if (bsp_decode(data, size, "fuzz.bsp", env.diag, &bsp) == STATUS_OK &&
        bsp->engine->family == ENGINE_SOURCE)
        update(&env, bsp);
    bsp_free(bsp);
    fs_memory_free(env.fs);
    diag_free(env.diag);
    return 0;
}
