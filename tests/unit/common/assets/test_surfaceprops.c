#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/assets/materials/surfaceprops.h"
#include "common/core/memory.h"
#include "common/diag/codes/collision.def"
#include "tests/support/near.h"

struct fixture {
    struct env env;
    struct assets *assets;
    struct surfaceprops *props;
};

static int setup(void **state)
{
    struct fixture *f = memory_zalloc(1, sizeof *f);
    f->env = (struct env){.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1};
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    surfaceprops_free(f->props);
    assets_free(f->assets);
    diag_free(f->env.diag);
    fs_memory_free(f->env.fs);
    memory_free(f);
    return 0;
}

static void add(struct fixture *f, const char *path, const char *text)
{
    assert_int_equal(f->env.fs->ops->write(f->env.fs, path, text, strlen(text)), 0);
}

static void load(struct fixture *f, const char *game)
{
    const struct assets_options options = {.game = game};
    assert_int_equal(assets_open(&f->env, &options, &f->assets), STATUS_OK);
    f->props = surfaceprops_load(f->assets, f->env.diag);
}

static void load_game(struct fixture *f)
{
    add(f, "game/gameinfo.txt",
        "GameInfo { FileSystem { SearchPaths { Game |gameinfo_path|. } } }");
    load(f, "game");
}

static void without_a_game_the_common_ones_are_there(void **state)
{
    struct fixture *f = *state;
    load(f, NULL);
    assert_false(surfaceprops_are_of_game(f->props));
    assert_near(surfaceprops_get(f->props, "Metal")->density, 2700, 0);
    assert_near(surfaceprops_get(f->props, "metal")->thickness, 0.1, 0);
    assert_null(surfaceprops_find(f->props, "jelly"));
    assert_string_equal(surfaceprops_get(f->props, "jelly")->name, "default");
    assert_near(surfaceprops_get(f->props, "jelly")->density, 2000, 0);
}

static void base_copies_all_and_later_ones_replace(void **state)
{
    struct fixture *f = *state;
    static const char script[] = "\"solidmetal\" { density 2700 friction 0.8 gamematerial M }\n"
                                 "box { base SOLIDMETAL thickness 0.25 dampening 3 }\n"
                                 "Plain { friction 0.1 density nonsense elasticity -1 }\n"
                                 "box { base box thickness 0.5 }\n";
    f->props = surfaceprops_new();
    assert_int_equal(surfaceprops_parse(f->props, script, strlen(script), "a.txt", f->env.diag),
                     STATUS_OK);
    const struct surface_prop *box = surfaceprops_find(f->props, "box");
    assert_near(box->density, 2700, 0);
    assert_near(box->thickness, 0.5, 0);
    assert_near(box->dampening, 3, 0);
    assert_int_equal(box->game_material, 'M');
    const struct surface_prop *plain = surfaceprops_find(f->props, "plain");
    assert_string_equal(plain->name, "plain");
    assert_near(plain->density, 2000, 0);
    assert_near(plain->elasticity, 0.25, 0);
    assert_near(plain->friction, 0.1, 0);
}

static void the_manifest_names_the_files(void **state)
{
    struct fixture *f = *state;
    add(f, "game/scripts/surfaceproperties_manifest.txt",
        "surfaceproperties_manifest { file \"scripts/a.txt\" file \"scripts/none.txt\"\n"
        "file \"scripts/b.txt\" }");
    add(f, "game/scripts/a.txt", "one { density 1 } two { density 2 }");
    add(f, "game/scripts/b.txt", "two { density 22 }");
    add(f, "game/scripts/surfaceproperties.txt", "three { density 3 }");
    load_game(f);
    assert_true(surfaceprops_are_of_game(f->props));
    assert_near(surfaceprops_find(f->props, "one")->density, 1, 0);
    assert_near(surfaceprops_find(f->props, "two")->density, 22, 0);
    assert_null(surfaceprops_find(f->props, "three"));
    assert_int_equal(diag_count_code(f->env.diag, DIAG_SURFACEPROPS_FILE), 1);
    assert_int_equal(diag_entries(f->env.diag), 1);
}

static void without_a_manifest_one_file_is_read(void **state)
{
    struct fixture *f = *state;
    add(f, "game/scripts/surfaceproperties.txt", "three { density 3 }");
    load_game(f);
    assert_true(surfaceprops_are_of_game(f->props));
    assert_near(surfaceprops_find(f->props, "three")->density, 3, 0);
    assert_int_equal(diag_entries(f->env.diag), 0);
}

/* The built-in ones equal those of a game. */
static void like_those_of_a_real_game(void **state)
{
    struct fixture *f = *state;
    static const char path[] = SHARED_DIR "/corpus/assets/scripts/surfaceproperties.txt";
    if (fs_disk()->ops->kind(fs_disk(), path) != FS_FILE) {
        print_message("skipped: %s is not there\n", path);
        skip();
        return;
    }
    struct bytes text = {0};
    assert_int_equal(fs_load(fs_disk(), f->env.diag, path, &text), STATUS_OK);
    struct surfaceprops *ours = surfaceprops_new();
    f->props = surfaceprops_new();
    assert_int_equal(
        surfaceprops_parse(f->props, (const char *)text.data, text.size, path, f->env.diag),
        STATUS_OK);
    static const char *const names[] = {"default", "default_silent", "concrete",
                                        "glass",   "metal",          "wood"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct surface_prop *a = surfaceprops_find(ours, names[i]);
        const struct surface_prop *b = surfaceprops_find(f->props, names[i]);
        assert_non_null(b);
        assert_near(a->density, b->density, 1e-6);
        assert_near(a->thickness, b->thickness, 1e-6);
        assert_near(a->friction, b->friction, 1e-6);
        assert_near(a->elasticity, b->elasticity, 1e-6);
        assert_int_equal(a->game_material, b->game_material);
    }
    surfaceprops_free(ours);
    bytes_free(&text);
}

SUITE(test_surfaceprops)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(without_a_game_the_common_ones_are_there),
        TEST(base_copies_all_and_later_ones_replace),
        TEST(the_manifest_names_the_files),
        TEST(without_a_manifest_one_file_is_read),
        TEST(like_those_of_a_real_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
