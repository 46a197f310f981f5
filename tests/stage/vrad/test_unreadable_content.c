/* Content that cannot be read is an error and never counts as missing: each operation that reads is
 * failed in turn, through vbsp and vrad. */
#include "tests/support/suite.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/assets/assets.h"
#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "tests/support/faulty_fs.h"
#include "tests/support/quake3_game.h"
#include "tests/support/vpk_files.h"
#include "tests/support/vrad/vrad_run.h"
#include "vbsp/files.h"
#include "vbsp/options.h"
#include "vrad/files.h"

static void put(struct fs *fs, const char *path, const char *text)
{
    assert_int_equal(fs->ops->write(fs, path, text, strlen(text)), 0);
}

/* The box of maps/ with walls of a material that only the game has. */
static void put_map(struct fs *fs, const char *name, const char *path, const char *from,
                    const char *to)
{
    char source[512];
    struct bytes text = {0}, changed = {0};
    snprintf(source, sizeof source, MAPS_DIR "/%s", name);
    assert_int_equal(fs_disk()->ops->read(fs_disk(), source, &text), 0);
    bytes_u8(&text, 0);
    const char *at = (const char *)text.data, *next;
    for (; (next = strstr(at, from)); at = next + strlen(from))
        bytes_append_text(&changed, "%.*s%s", (int)(next - at), at, to);
    bytes_append_text(&changed, "%s", at);
    assert_int_equal(fs->ops->write(fs, path, changed.data, changed.size), 0);
    bytes_free(&changed);
    bytes_free(&text);
}

static struct fs *source_game(void)
{
    static const char vmt[] = "LightmappedGeneric { \"$basetexture\" \"own/wall\" }";
    static const struct vpk_file packed[] = {{"vmt", "materials/own", "wall", "", vmt, 0x7FFF}};
    struct fs *fs = fs_memory_new();
    struct bytes vpk = {0};
    put_map(fs, "box.vmf", "maps/box.vmf", "DEV/DEV_MEASUREGENERIC01B", "own/wall");
    put(fs, "game/gameinfo.txt",
        "GameInfo { FileSystem { SearchPaths { Game |gameinfo_path|. Game other } } }");
    put(fs, "game/lights.rad", "own/wall 200 100 50 400\n");
    put(fs, "game/detail.vbsp", "detail { }");
    put_alpha_texture(fs, "other/materials/own/wall.vtf", 255, 255);
    vpk_files_write(1, packed, 1, &vpk, NULL);
    assert_int_equal(fs->ops->write(fs, "game/pak01_dir.vpk", vpk.data, vpk.size), 0);
    bytes_free(&vpk);
    return fs;
}

struct run {
    enum status status;
    struct bytes compiled, lit; /* empty when not written */
    size_t errors;
};

static enum status compile(const struct env *env, const char *level, const char *game)
{
    struct arena arena = {0};
    struct vbsp_files files;
    struct level source = {0};
    struct assets *assets = NULL;
    struct vbsp_output output = {0};
    struct vbsp_settings settings = vbsp_settings_defaults();
    const struct bsp_format *format = NULL;
    enum status status = vbsp_files_find(env, level, "out/map.bsp", &arena, &files);
    if (status == STATUS_OK)
        status = vbsp_settings_finish(&settings, files.level, env->diag, &format);
    if (status == STATUS_OK)
        status = vbsp_read_level(env, files.level, &source);
    if (status == STATUS_OK)
        status = assets_open(env, &(struct assets_options){.game = game}, &assets);
    if (status == STATUS_OK)
        status = vbsp_run(env, &settings.options, assets, &source, NULL, &output);
    if (status == STATUS_OK)
        status = vbsp_write_output(env, &files, format, &output);
    vbsp_output_free(&output);
    assets_free(assets);
    level_free(&source);
    arena_free(&arena);
    return status;
}

static enum status light(const struct env *env, const char *game)
{
    struct arena arena = {0};
    struct bsp *bsp;
    struct surface_notes notes = {0};
    struct assets *assets = NULL;
    struct vrad_options options = vrad_direct_only();
    options.map_rad = vrad_map_rad(env, &arena, "out/map.bsp", ".bsp");
    enum status status = bsp_read_file(env, "out/map.bsp", &bsp);
    if (status == STATUS_OK)
        status = vrad_read_notes(env, "out/map.bsp", bsp, &notes);
    options.quake3.notes = &notes;
    if (status == STATUS_OK)
        status = assets_open(env, &(struct assets_options){.game = game}, &assets);
    if (status == STATUS_OK)
        status = vrad_run(env, &options, NULL, assets, bsp);
    if (status == STATUS_OK)
        status = bsp_write_file(env, bsp, bsp->format, "out/lit.bsp");
    assets_free(assets);
    surface_notes_free(&notes);
    bsp_free(bsp);
    arena_free(&arena);
    return status;
}

static void take(struct fs *fs, const char *path, struct bytes *out)
{
    if (fs->ops->kind(fs, path) == FS_ABSENT)
        return;
    assert_int_equal(fs->ops->read(fs, path, out), 0);
    assert_int_equal(fs->ops->remove(fs, path), 0);
}

struct game {
    struct fs *fs;
    const char *level, *game;
};

static struct run run_with(const struct game *game, struct faulty_fs *fs)
{
    struct run run = {0};
    struct env env = {.diag = diag_new(NULL, NULL), .fs = &fs->base, .threads = 1};
    run.status = compile(&env, game->level, game->game);
    if (run.status == STATUS_OK)
        run.status = light(&env, game->game);
    run.status = diag_verdict(env.diag, run.status);
    run.errors = diag_count(env.diag, DIAG_ERROR);
    take(game->fs, "out/map.bsp", &run.compiled);
    take(game->fs, "out/lit.bsp", &run.lit);
    diag_free(env.diag);
    return run;
}

static bool same(const struct bytes *a, const struct bytes *b)
{
    return a->size == b->size && (!a->size || !memcmp(a->data, b->data, a->size));
}

static void run_free(struct run *run)
{
    bytes_free(&run->compiled);
    bytes_free(&run->lit);
}

/* A failed look at what is there may do no harm, but then it has no effect at all. */
static void each_fault_is_told(const struct game *game)
{
    struct faulty_fs sound = faulty_fs(game->fs, EIO);
    struct run reference = run_with(game, &sound);
    assert_int_equal(reference.status, STATUS_OK);
    assert_true(reference.lit.size > 0);
    for (long i = 1; i <= sound.done; i++) {
        struct faulty_fs faulty = faulty_fs(game->fs, i % 2 ? EIO : EACCES);
        faulty.fails_at = i;
        struct run run = run_with(game, &faulty);
        assert_true(faulty.failed);
        if (run.status == STATUS_OK && (run.errors || !same(&run.compiled, &reference.compiled) ||
                                        !same(&run.lit, &reference.lit)))
            fail_msg("fault %ld of %ld changes the result of a run that ends with 0", i,
                     sound.done);
        if (run.status != STATUS_OK && (!run.errors || run.lit.size))
            fail_msg("fault %ld: %zu errors, %zu bytes", i, run.errors, run.lit.size);
        run_free(&run);
    }
    run_free(&reference);
}

/* The file exists, and only reading it fails, however often. */
static void file_is_needed(const struct game *game, const char *path)
{
    struct faulty_fs faulty = faulty_fs(game->fs, EACCES);
    faulty.fails_path = path;
    struct run run = run_with(game, &faulty);
    if (!faulty.failed || run.status != STATUS_FAILED || !run.errors || run.lit.size)
        fail_msg("%s: %d, %zu errors", path, run.status, run.errors);
    run_free(&run);
}

static void a_source_game_that_cannot_be_read_fails_the_run(void **state)
{
    (void)state;
    struct game game = {source_game(), "maps/box.vmf", "game"};
    static const char *const files[] = {"game/lights.rad",    "game/detail.vbsp",
                                        "game/pak01_dir.vpk", "other/materials/own/wall.vtf",
                                        "other/materials",    "game"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        file_is_needed(&game, files[i]);
    each_fault_is_told(&game);
    fs_memory_free(game.fs);
}

static struct fs *quake3_game(void)
{
    static const uint8_t brown[4] = {150, 100, 50, 255};
    static const char script[] = "textures/base_wall/basewall01\n{\n"
                                 "qer_editorimage textures/own/wall.tga\n"
                                 "q3map_surfacelight 300\n{\nmap textures/own/wall.tga\n}\n}\n";
    struct quake3_game game = {
        .env = {.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1}};
    put_map(game.env.fs, "q3_box.map", "maps/box.map", "base_floor/concrete", "own/floor");
    quake3_add_pack(&game, "q/baseq3/pak0.pk3", "scripts/a.shader", script, ZIP_DEFLATED);
    quake3_add_tga(&game, "q/baseq3/textures/own/wall.tga", 8, 8, brown);
    quake3_add_tga(&game, "q/baseq3/textures/own/floor.tga", 16, 16, brown);
    diag_free(game.env.diag);
    return game.env.fs;
}

static void a_quake3_game_that_cannot_be_read_fails_the_run(void **state)
{
    (void)state;
    struct game game = {quake3_game(), "maps/box.map", "q"};
    static const char *const files[] = {"q",
                                        "q/baseq3",
                                        "q/baseq3/pak0.pk3",
                                        "q/baseq3/textures/own",
                                        "out/map.srf",
                                        "q/baseq3/textures/own/wall.tga"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        file_is_needed(&game, files[i]);
    each_fault_is_told(&game);
    fs_memory_free(game.fs);
}

/* The last byte of the pack's only member is its last packed one. */
static void flip_member(struct fs *fs, const char *path, size_t at)
{
    struct bytes pack = {0};
    assert_int_equal(fs->ops->read(fs, path, &pack), 0);
    pack.data[at] ^= 0x55;
    assert_int_equal(fs->ops->write(fs, path, pack.data, pack.size), 0);
    bytes_free(&pack);
}

static void damaged_members_fail_the_run(void **state)
{
    (void)state;
    struct game source = {source_game(), "maps/box.vmf", "game"};
    struct game quake3 = {quake3_game(), "maps/box.map", "q"};
    uint64_t size;
    assert_int_equal(source.fs->ops->size(source.fs, "game/pak01_dir.vpk", &size), 0);
    flip_member(source.fs, "game/pak01_dir.vpk", (size_t)size - 2);
    flip_member(quake3.fs, "q/baseq3/pak0.pk3", 30 + strlen("scripts/a.shader") + 20);
    const struct game *games[] = {&source, &quake3};
    for (int i = 0; i < 2; i++) {
        struct faulty_fs sound = faulty_fs(games[i]->fs, 0);
        struct run run = run_with(games[i], &sound);
        assert_int_equal(run.status, STATUS_FAILED);
        assert_int_equal(run.compiled.size + run.lit.size, 0);
        run_free(&run);
        fs_memory_free(games[i]->fs);
    }
}

SUITE(test_unreadable_content)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_game_that_cannot_be_read_fails_the_run),
        cmocka_unit_test(a_quake3_game_that_cannot_be_read_fails_the_run),
        cmocka_unit_test(damaged_members_fail_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
