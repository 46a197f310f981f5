/* Any bytes as a script of a game that vbsp reads: surface properties, detail props, replaced
 * materials, search paths, soundscripts; or as the name of a folder or archive to search first. The
 * first byte selects which one the rest is. The map compiles and is valid, or there is a report. */
#include <stdint.h>
#include <string.h>

#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "common/diag/codes/internal.def"
#include "tests/fuzz/fuzz_check.h"
#include "vbsp/vbsp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SIDE(points)                                                                               \
    "side { id 7 plane \"" points "\" material dev/grass"                                          \
    " uaxis \"[1 0 0 0] 0.25\" vaxis \"[0 1 0 0] 0.25\" lightmapscale 16 }\n"
#define BOX                                                                                        \
    "solid { id 3\n" SIDE("(0 64 64) (64 64 64) (64 0 64)") SIDE("(0 0 0) (64 0 0) (64 64 0)")     \
        SIDE("(0 64 64) (0 0 64) (0 0 0)") SIDE("(64 64 0) (64 0 0) (64 0 64)")                    \
            SIDE("(64 64 64) (0 64 64) (0 64 0)") SIDE("(64 0 0) (0 0 0) (0 0 64)") "}\n"

static const char map[] = "world { id 1 classname worldspawn\n" BOX "}\n"
                          "entity { id 8 classname func_physbox origin \"100 0 0\"\n" BOX "}\n"
                          "entity { id 9 classname ambient_generic message A.B }\n"
                          "entity { id 10 classname ambient_generic message C.D }\n";

static const char *const files[][2] = {
    {"game/scripts/surfaceproperties.txt", "metal { density 2700 }"},
    {"game/scripts/surfaceproperties_manifest.txt",
     "surfaceproperties_manifest { file scripts/surfaceproperties.txt file none.txt }"},
    {"game/detail.vbsp", "detail { grass { density 4000 a { alpha 1 b { sprite \"0 0 64 64 512\" "
                         "spritesize \"0.5 0 10 10\" amount 1 } } } }"},
    {"game/maps/materialsub.txt", "MaterialSubstitutes { dev/other dev/grass }"},
    {"game/gameinfo.txt", "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }"},
    {"game/materials/dev/grass.vmt", "LightmappedGeneric { %detailtype grass $surfaceprop metal }"},
    {"game/scripts/game_sounds_manifest.txt",
     "x { precache_file scripts/sounds.txt precache_file scripts/sounds.txt }"},
    {"game/scripts/sounds.txt", "A.B { wave a.wav rndwave { wave b.wav wave c.wav } }"},
    {"game/materials/dev/other.vmt", "LightmappedGeneric { $surfaceprop wood }"},
    {"game/sub/materials/dev/sub.vmt", "LightmappedGeneric { }"},
    {"game/sub/a_000.vpk", "not read alone"},
    {"game/sub/broken.vpk", "no archive"},
    {"game/sub/broken.pk3", "no archive"},
};

/* An archive of nothing. */
static const uint8_t empty_vpk[] = {0x34, 0x12, 0xAA, 0x55, 1, 0, 0, 0, 1, 0, 0, 0, 0};

enum { CHOICES = 8, PATH = 5, FILES = sizeof files / sizeof *files };

static void compile(const struct env *env, const char *game, const char *path)
{
    struct level level;
    struct assets *assets;
    struct vbsp_output output = {0};
    struct vbsp_options options = vbsp_defaults;
    options.format = bsp_format_find("sdk2013");
    options.replace_materials = true;
    options.lint = options.lint_entities = true;
    const struct assets_options where = {
        .game = game, .search_paths = &path, .search_path_count = path != NULL};
    if (assets_open(env, &where, &assets) != STATUS_OK) {
        check(diag_count(env->diag, DIAG_ERROR) > 0);
        return;
    }
    check(vmf_parse(map, sizeof map - 1, "fuzz.vmf", env->diag, &level) == STATUS_OK);
    enum status status =
        diag_verdict(env->diag, vbsp_run(env, &options, assets, &level, NULL, &output));
    if (status == STATUS_OK || status == STATUS_LEAK)
        check(bsp_verify(output.bsp, "fuzz", env->diag) == STATUS_OK);
    else
        check(diag_count(env->diag, DIAG_ERROR) > 0);
    check(diag_count_code(env->diag, DIAG_INTERNAL) == 0);
    vbsp_output_free(&output);
    level_free(&level);
    assets_free(assets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1};
    for (size_t i = 0; i < FILES; i++) {
        bool chosen = size && data[0] % CHOICES == i && i != PATH;
        const char *text = files[i][1];
        int error = chosen ? env.fs->ops->write(env.fs, files[i][0], data + 1, size - 1)
                           : env.fs->ops->write(env.fs, files[i][0], text, strlen(text));
        check(error == 0);
    }
    check(env.fs->ops->write(env.fs, "game/pak01_dir.vpk", empty_vpk, sizeof empty_vpk) == 0);
    check(env.fs->ops->write(env.fs, "game/sub/a_dir.vpk", empty_vpk, sizeof empty_vpk) == 0);
    struct bytes path = {0};
    bool names_path = size && data[0] % CHOICES == PATH;
    for (size_t i = 1; names_path && i < size && data[i]; i++)
        bytes_u8(&path, data[i]);
    bytes_u8(&path, 0);
    compile(&env, "game", names_path ? (const char *)path.data : NULL);
    if (names_path) {
        compile(&env, "game/gameinfo.txt", NULL);
        compile(&env, (const char *)path.data, NULL);
    }
    bytes_free(&path);
    fs_memory_free(env.fs);
    diag_free(env.diag);
    return 0;
}
