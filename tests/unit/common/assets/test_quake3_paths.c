#include "tests/support/suite.h"

#include <stdio.h>

#include "common/diag/codes/game_folders.def"
#include "common/diag/codes/pk3.def"
#include "common/diag/codes/shaders.def"
#include "common/diag/codes/zip.def"
#include "tests/support/quake3_game.h"
#include "tests/support/skip_on_windows.h"

static void open_with(struct quake3_game *game, const struct assets_options *options)
{
    assets_free(game->assets);
    assert_int_equal(assets_open(&game->env, options, &game->assets), STATUS_OK);
    assert_true(assets_have_shaders(game->assets));
}

static void expect_mounts(const struct quake3_game *game, const char *expected)
{
    char got[1024] = "";
    for (size_t i = 0; i < assets_mounts(game->assets); i++) {
        size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s%s", i ? " " : "",
                 assets_mount(game->assets, i));
    }
    assert_string_equal(got, expected);
}

static void expect_file(struct quake3_game *game, const char *name, const char *expected)
{
    struct bytes bytes = {0};
    assert_true(assets_read(game->assets, name, &bytes));
    assert_int_equal(bytes.size, strlen(expected));
    assert_memory_equal(bytes.data, expected, bytes.size);
    bytes_free(&bytes);
}

static void add_game(struct quake3_game *game)
{
    quake3_add_pack(game, "q/baseq3/pak0.pk3", "a.txt", "pak0", ZIP_STORED);
    quake3_add_pack(game, "q/baseq3/PAK1.pk3", "dir/A.txt", "pak1", ZIP_DEFLATED);
    quake3_add_pack(game, "q/baseq3/pak2.pk3", "Dir/a.txt", "pak2", ZIP_DEFLATED);
    quake3_add_pack(game, "q/mod/m.pk3", "dir/b.txt", "mod", ZIP_STORED);
    quake3_add(game, "q/mod/loose.txt", "loose");
}

static void later_packs_and_mods_win(void **state)
{
    struct quake3_game *game = *state;
    add_game(game);
    open_with(game, &(struct assets_options){.game = "q/"});
    expect_mounts(game, "q/baseq3 q/baseq3/pak2.pk3 q/baseq3/PAK1.pk3 q/baseq3/pak0.pk3");
    expect_file(game, "dir/a.txt", "pak2");
    expect_file(game, "A.TXT", "pak0");
    quake3_add(game, "q/baseq3/dir/a.txt", "loose");
    quake3_add(game, "q/baseq3/zz.pk3dir/a.txt", "in pk3dir");
    const char *mods[] = {"mod"};
    open_with(game, &(struct assets_options){.game = "q", .mods = mods, .mod_count = 1});
    expect_mounts(game, "q/mod q/mod/m.pk3 q/baseq3 q/baseq3/zz.pk3dir q/baseq3/pak2.pk3 "
                        "q/baseq3/PAK1.pk3 q/baseq3/pak0.pk3");
    expect_file(game, "dir/a.txt", "loose");
    expect_file(game, "a.txt", "in pk3dir");
}

/* The folder of a mod, or of the base game, can be given. */
static void a_game_folder_may_be_named(void **state)
{
    struct quake3_game *game = *state;
    add_game(game);
    open_with(game, &(struct assets_options){.game = "q/mod"});
    expect_mounts(game, "q/mod q/mod/m.pk3 q/baseq3 q/baseq3/pak2.pk3 q/baseq3/PAK1.pk3 "
                        "q/baseq3/pak0.pk3");
    open_with(game, &(struct assets_options){.game = "q/baseq3"});
    expect_mounts(game, "q/baseq3 q/baseq3/pak2.pk3 q/baseq3/PAK1.pk3 q/baseq3/pak0.pk3");
    quake3_add(game, "w/basewsw/scripts/a.shader", "a\n{\n}\n");
    open_with(game, &(struct assets_options){.game = "w"});
    expect_mounts(game, "w/basewsw");
}

static void options_of_q3map2(void **state)
{
    struct quake3_game *game = *state;
    add_game(game);
    quake3_add(game, "r/mod/more.txt", "more");
    quake3_add(game, "extra/scripts/x.shader", "");
    const char *bases[] = {"q", "r"}, *mods[] = {"mod"}, *paks[] = {"extra"};
    const char *forbidden[] = {"*AK[12].pk3", "p?k2.*"};
    open_with(game, &(struct assets_options){.base_paths = bases,
                                             .base_path_count = 2,
                                             .mods = mods,
                                             .mod_count = 1,
                                             .base_game = "baseq3",
                                             .pak_paths = paks,
                                             .pak_path_count = 1,
                                             .forbidden = forbidden,
                                             .forbidden_count = 2});
    expect_mounts(game, "extra q/mod q/mod/m.pk3 r/mod q/baseq3 q/baseq3/PAK1.pk3 "
                        "q/baseq3/pak0.pk3");
    expect_file(game, "more.txt", "more");
}

/* A folder with gameinfo.txt is a Source game, whatever else is in it. */
static void families_are_told_apart(void **state)
{
    struct quake3_game *game = *state;
    quake3_add(game, "s/gameinfo.txt",
               "GameInfo { FileSystem { SearchPaths { Game |gameinfo_path|. } } }");
    quake3_add(game, "s/scripts/a.txt", "x");
    const struct assets_options source = {.game = "s"}, none = {.game = "nowhere"};
    assert_int_equal(assets_open(&game->env, &source, &game->assets), STATUS_OK);
    assert_false(assets_have_shaders(game->assets));
    assets_free(game->assets);
    assert_int_equal(assets_open(&game->env, &none, &game->assets), STATUS_FAILED);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_GAMEINFO_MISSING), 1);
    const struct assets_options other = {.game = "nowhere", .has_shaders = true};
    assert_int_equal(assets_open(&game->env, &other, &game->assets), STATUS_FAILED);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_GAMEINFO_MISSING), 1);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_QUAKE3_MISSING), 1);
    const struct assets_options absent = {
        .game = "quake3", .base_paths = &none.game, .base_path_count = 1};
    assert_int_equal(assets_open(&game->env, &absent, &game->assets), STATUS_FAILED);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_QUAKE3_MISSING), 2);
}

static void expect_missing(struct quake3_game *game, const struct assets_options *options,
                           const char *message)
{
    assert_int_equal(assets_open(&game->env, options, &game->assets), STATUS_FAILED);
    const struct diag_entry *entry = diag_entry(game->env.diag, diag_entries(game->env.diag) - 1);
    assert_int_equal(entry->code, DIAG_QUAKE3_MISSING);
    assert_string_equal(entry->message, message);
}

static void a_missing_game_is_told_with_its_folders(void **state)
{
    skip_on_windows("paths of Windows are those of the system");
    struct quake3_game *game = *state;
    const char *bases[] = {"here", "there"}, *mods[] = {"mod"};
    expect_missing(game, &(struct assets_options){.game = "OpenArena"},
                   "no folder baseoa with packs (.pk3) or scripts in /usr/share/games/openarena or "
                   "/usr/lib/openarena; on Debian and Ubuntu: apt install openarena-data "
                   "openarena-088-data");
    expect_missing(game, &(struct assets_options){.game = "quake3"},
                   "no folder baseq3 with packs (.pk3) or scripts in /usr/share/games/quake3 or "
                   "/usr/lib/quake3; on Debian and Ubuntu: game-data-packager makes a package of "
                   "your copy of the game");
    expect_missing(game,
                   &(struct assets_options){.game = "quake3",
                                            .base_paths = bases,
                                            .base_path_count = 2,
                                            .mods = mods,
                                            .mod_count = 1},
                   "no folder mod or baseq3 with packs (.pk3) or scripts in here or there");
    expect_missing(game, &(struct assets_options){.game = "C:\\q3", .has_shaders = true},
                   "no such folder, and no known game has that name: it is a path of Windows; "
                   "name a file or folder of this system");
}

static void broken_packs_are_left_out(void **state)
{
    struct quake3_game *game = *state;
    add_game(game);
    struct bytes pack = {0}, got = {0};
    struct fs *fs = game->env.fs;
    assert_int_equal(fs->ops->read(fs, "q/baseq3/pak2.pk3", &pack), 0);
    /* Truncated; with an invalid directory; empty. */
    assert_int_equal(fs->ops->write(fs, "q/baseq3/pak3.pk3", pack.data, pack.size - 10), 0);
    pack.data[pack.size - 10] ^= 1;
    assert_int_equal(fs->ops->write(fs, "q/baseq3/pak4.pk3", pack.data, pack.size), 0);
    pack.data[pack.size - 10] ^= 1;
    pack.data[pack.size - 12] = 2;
    assert_int_equal(fs->ops->write(fs, "q/baseq3/pak5.pk3", pack.data, pack.size), 0);
    assert_int_equal(fs->ops->write(fs, "q/baseq3/pak6.pk3", "", 0), 0);
    open_with(game, &(struct assets_options){.game = "q"});
    assert_int_equal(diag_count_code(game->env.diag, DIAG_PK3_BROKEN), 4);
    expect_file(game, "dir/a.txt", "pak2");
    /* A file with damaged data counts as missing. */
    pack.data[pack.size - 12] = 1;
    pack.data[40] ^= 0xff;
    assert_int_equal(fs->ops->write(fs, "q/baseq3/pak7.pk3", pack.data, pack.size), 0);
    open_with(game, &(struct assets_options){.game = "q"});
    assert_true(assets_read(game->assets, "dir/a.txt", &got));
    assert_int_equal(diag_count_code(game->env.diag, DIAG_ZIP_DAMAGED), 1);
    /* Bytes before the archive shift it. */
    pack.data[40] ^= 0xff;
    struct bytes shifted = {0};
    bytes_append(&shifted, "self-extracting", 15);
    bytes_append(&shifted, pack.data, pack.size);
    assert_int_equal(fs->ops->write(fs, "q/baseq3/pak7.pk3", shifted.data, shifted.size), 0);
    open_with(game, &(struct assets_options){.game = "q"});
    expect_file(game, "dir/a.txt", "pak2");
    bytes_free(&shifted);
    bytes_free(&pack);
    bytes_free(&got);
}

/* Listed scripts come first, in the order of the lists; the rest by name. */
static void the_first_definition_wins(void **state)
{
    struct quake3_game *game = *state;
    quake3_add(game, "q/baseq3/scripts/shaderlist.txt", "z\n// y\nm.shader\n");
    quake3_add_pack(game, "q/baseq3/a.pk3", "scripts/shaderlist.txt", "n\n", ZIP_STORED);
    quake3_add(game, "q/baseq3/scripts/z.shader", "one\n{\nsurfaceparm sky\n}\n");
    quake3_add(game, "q/baseq3/scripts/a.shader",
               "one\n{\nsurfaceparm dust\n}\ntwo\n{\nsurfaceparm dust\n}\n");
    quake3_add(game, "q/baseq3/scripts/m.shader", "one\n{\n}\nTwo\n{\nsurfaceparm slick\n}\n");
    quake3_add(game, "q/baseq3/scripts/b.shader", "three\n{\nsurfaceparm flesh\n}\n");
    quake3_add_pack(game, "q/baseq3/b.pk3", "scripts/b.shader", "four\n{\n}\n", ZIP_STORED);
    quake3_add_pack(game, "q/baseq3/c.pk3", "scripts/n.shader", "five\n{\n}\n", ZIP_STORED);
    open_with(game, &(struct assets_options){.game = "q"});
    assert_int_equal(assets_shader(game->assets, "one")->surface_flags, Q3_SURFACE_SKY);
    assert_int_equal(assets_shader(game->assets, "two")->surface_flags, Q3_SURFACE_SLICK);
    assert_true(assets_shader(game->assets, "four")->missing);
    assert_true(assets_shader(game->assets, "five")->has_script);
    assets_report_shaders(game->assets, game->env.diag);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_UNLISTED), 0);
    assert_int_equal(assets_shader(game->assets, "three")->surface_flags, Q3_SURFACE_FLESH);
    assets_report_shaders(game->assets, game->env.diag);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_UNLISTED), 1);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_REPEATED), 2);
}

SUITE(test_quake3_paths)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, quake3_game_new, quake3_game_free)
    const struct CMUnitTest tests[] = {
        TEST(later_packs_and_mods_win),
        TEST(a_game_folder_may_be_named),
        TEST(options_of_q3map2),
        TEST(families_are_told_apart),
        TEST(a_missing_game_is_told_with_its_folders),
        TEST(broken_packs_are_left_out),
        TEST(the_first_definition_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
