/* Surface parameters of a game, and those that all shaders have. */
#include "tests/support/suite.h"

#include "common/assets/shaders/shader_script.h"
#include "common/core/array.h"
#include "common/diag/codes/shaders.def"
#include "tests/support/quake3_game.h"

static void blocks_are_contents_and_surfaces(void **state)
{
    (void)state;
    static const char text[] = "// contents\n{\n\tglue 0x800 // sticky\n\tvoid 80000000\n}\n"
                               "// surfaces\n{\nicy 0x40\n}\n";
    struct diag *diag = diag_new(NULL, NULL);
    struct arena arena = {0};
    struct custom_parm *parms = NULL;
    custom_parms_read(text, sizeof text - 1, "a.txt", &arena, diag, &parms);
    assert_int_equal(arrlen(parms), 3);
    assert_int_equal(diag_entries(diag), 0);
    assert_int_equal(custom_parms_find(parms, "GLUE")->contents, 0x800);
    assert_int_equal(custom_parms_find(parms, "glue")->surface, 0);
    assert_int_equal(custom_parms_find(parms, "void")->contents, INT32_MIN);
    assert_int_equal(custom_parms_find(parms, "icy")->surface, 0x40);
    assert_int_equal(custom_parms_find(parms, "icy")->contents, 0);
    assert_null(custom_parms_find(parms, "0x40"));
    arrfree(parms);
    arena_free(&arena);
    diag_free(diag);
}

static void invalid_lines_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
    } cases[] = {
        {"{\nglue\n}\n", 2},
        {"{\n\nglue zz\n}\n", 3},
        {"{\nglue -1\n}\n", 2},
        {"{\nglue 0x1ffffffff\n}\n", 2},
        {"{\nglue 1 2\n}\n", 2},
        {"glue 0x1\n", 1},
        {"{\n}\n{\n}\n{\nglue 0x1\n}\n", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct arena arena = {0};
        struct custom_parm *parms = NULL;
        custom_parms_read(cases[i].text, strlen(cases[i].text), "a.txt", &arena, diag, &parms);
        assert_int_equal(arrlen(parms), 0);
        assert_int_equal(diag_entries(diag), 1);
        assert_int_equal(diag_entry(diag, 0)->code, DIAG_CUSTOM_PARMS);
        assert_int_equal(diag_entry(diag, 0)->where.line, cases[i].line);
        arena_free(&arena);
        diag_free(diag);
    }
}

static const struct shader *shader_with(struct quake3_game *game, struct shader_parms parms,
                                        const char *script, const char *name)
{
    const struct assets_options options = {.game = "q", .parms = parms};
    quake3_add(game, "q/baseq3/scripts/a.shader", script);
    assert_int_equal(assets_open(&game->env, &options, &game->assets), STATUS_OK);
    return assets_shader(game->assets, name);
}

static void shaders_use_the_games_parameters(void **state)
{
    struct quake3_game *game = *state;
    quake3_add(game, "q/baseq3/scripts/custinfoparms.txt", "{\nglue 0x800\n}\n{\nicy 0x40\n}\n");
    const struct shader *shader =
        shader_with(game, (struct shader_parms){.custom = true},
                    "textures/a/b\n{\nsurfaceparm glue\nsurfaceparm Icy\n}\n", "textures/a/b");
    assert_int_equal(shader->contents, Q3_CONTENTS_SOLID | 0x800);
    assert_int_equal(shader->surface_flags, 0x40);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_KEYWORD), 0);
}

static void names_are_unknown_unless_asked_for(void **state)
{
    struct quake3_game *game = *state;
    quake3_add(game, "q/baseq3/scripts/custinfoparms.txt", "{\nglue 0x800\n}\n{\n}\n");
    const struct shader *shader = shader_with(
        game, (struct shader_parms){0}, "textures/a/b\n{\nsurfaceparm glue\n}\n", "textures/a/b");
    assert_int_equal(shader->contents, Q3_CONTENTS_SOLID);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_KEYWORD), 1);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_CUSTOM_PARMS), 0);
}

static void a_missing_file_is_reported(void **state)
{
    struct quake3_game *game = *state;
    (void)shader_with(game, (struct shader_parms){.custom = true}, "textures/a/b\n{\n}\n",
                      "textures/a/b");
    assert_int_equal(diag_count_code(game->env.diag, DIAG_CUSTOM_PARMS), 1);
}

/* Also shaders that no script defines, those of tools, and those of sides without a shader. */
static void all_shaders_get_a_parameter(void **state)
{
    struct quake3_game *game = *state;
    static const char *const all[] = {"noob", "slick", "nonsolid"};
    const struct shader *shader =
        shader_with(game, (struct shader_parms){.all = all, .all_count = 3},
                    "textures/a/b\n{\nsurfaceparm nomarks\n}\n", "textures/a/b");
    const int flags = Q3_SURFACE_NOOB | Q3_SURFACE_SLICK | Q3_SURFACE_NONSOLID;
    assert_int_equal(shader->surface_flags, flags | Q3_SURFACE_NOMARKS);
    assert_int_equal(shader->contents, 0);
    assert_int_equal(assets_shader(game->assets, "textures/a/none")->surface_flags, flags);
    assert_true(assets_shader(game->assets, "textures/common/caulk")->surface_flags &
                Q3_SURFACE_NOOB);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_KEYWORD), 0);
}

static void an_unknown_parameter_is_reported_once(void **state)
{
    struct quake3_game *game = *state;
    static const char *const all[] = {"nothing"};
    const struct shader *shader =
        shader_with(game, (struct shader_parms){.all = all, .all_count = 1}, "textures/a/b\n{\n}\n",
                    "textures/a/b");
    (void)assets_shader(game->assets, "textures/common/caulk");
    assert_int_equal(shader->surface_flags, 0);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_KEYWORD), 1);
}

SUITE(test_custom_parms)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_contents_and_surfaces),
        cmocka_unit_test(invalid_lines_are_reported),
        cmocka_unit_test_setup_teardown(shaders_use_the_games_parameters, quake3_game_new,
                                        quake3_game_free),
        cmocka_unit_test_setup_teardown(names_are_unknown_unless_asked_for, quake3_game_new,
                                        quake3_game_free),
        cmocka_unit_test_setup_teardown(a_missing_file_is_reported, quake3_game_new,
                                        quake3_game_free),
        cmocka_unit_test_setup_teardown(all_shaders_get_a_parameter, quake3_game_new,
                                        quake3_game_free),
        cmocka_unit_test_setup_teardown(an_unknown_parameter_is_reported_once, quake3_game_new,
                                        quake3_game_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
