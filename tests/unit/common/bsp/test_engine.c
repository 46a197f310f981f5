/* The table of engines, and the formats of their files. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/assets/shaders/shader_meaning.h"
#include "common/bsp/codec/format.h"
#include "common/bsp/dialect.h"
#include "common/bsp/engine.h"
#include "common/bsp/flags.h"
#include "common/bsp/game.h"

/* A source that names no target is compiled for one that exists and can be written. */
static void the_usual_target_is_one_of_the_engine(void **state)
{
    (void)state;
    const struct bsp_format *format;
    for (size_t i = 0; (format = bsp_format_at(i)); i++) {
        const struct bsp_format *usual = bsp_format_find(format->engine->target);
        assert_non_null(usual);
        assert_ptr_equal(usual->engine, format->engine);
        assert_false(usual->read_only);
    }
}

static void families_are_indices_of_tables(void **state)
{
    (void)state;
    const struct bsp_format *format;
    for (size_t i = 0; (format = bsp_format_at(i)); i++)
        assert_true(format->engine->family < ENGINE_FAMILIES);
    assert_ptr_equal(bsp_format_find("csgo")->engine, &engine_source);
    assert_ptr_equal(bsp_format_find("quake3")->engine, &engine_quake3);
}

static void a_source_names_its_engine_by_its_ending(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const struct engine *engine;
    } cases[] = {
        {"a.vmf", &engine_source}, {"a.vmm", &engine_source}, {"a", &engine_source},
        {"a.map", &engine_quake3}, {"A.MAP", &engine_quake3}, {"maps/a.reg", &engine_quake3},
        {"a.bmx", &engine_quake3}, {"-", &engine_source},     {"a.map.vmf", &engine_source}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(engine_of_level(cases[i].path)->name, cases[i].engine->name);
}

/* A new BSP is one of Source until its maker says otherwise; a file says itself. */
static void each_bsp_has_an_engine(void **state)
{
    (void)state;
    struct bsp *bsp = bsp_new();
    assert_ptr_equal(bsp->engine, &engine_source);
    bsp_free(bsp);
}

/* How games of the family of Quake 3 store flags of shaders. */

static struct shader shader_of(const struct dialect *dialect, const char *const *parms)
{
    struct arena arena = {0};
    struct shader shader;
    const struct shader_reader reader = {.arena = &arena, .dialect = dialect};
    shader_defaults(&shader);
    shader_apply_dialect(dialect, &shader);
    for (; *parms; parms++)
        shader_apply_parm(&reader, *parms, &shader);
    arena_free(&arena);
    return shader;
}

static int32_t contents_of(const struct dialect *dialect, const char *parm)
{
    const struct shader shader = shader_of(dialect, (const char *const[]){parm, NULL});
    return dialect_store_contents(dialect,
                                  (struct dialect_flags){shader.contents, shader.own_contents});
}

static int32_t surface_of(const struct dialect *dialect, const char *parm)
{
    const struct shader shader = shader_of(dialect, (const char *const[]){parm, NULL});
    return dialect_store_surface(dialect,
                                 (struct dialect_flags){shader.surface_flags, shader.own_surface});
}

static void flags_of_quake3_are_their_meaning(void **state)
{
    (void)state;
    for (int32_t bit = 1; bit > 0 && bit < 1 << 30; bit *= 2) {
        assert_int_equal(dialect_contents(NULL, bit).meaning, bit);
        assert_int_equal(dialect_surface(NULL, bit).own, 0);
        assert_int_equal(dialect_store_surface(NULL, (struct dialect_flags){bit, 0}), bit);
    }
    assert_int_equal(dialect_unstored_surface(NULL), 0);
}

/* Whatever a file has is written back as it was. */
static void what_is_read_is_stored_again(void **state)
{
    (void)state;
    static const struct dialect *const dialects[] = {NULL, &dialect_wolf, &dialect_raven};
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        for (int bit = 0; bit < 32; bit++) {
            int32_t stored = (int32_t)(UINT32_C(1) << bit);
            assert_int_equal(
                dialect_store_contents(dialects[i], dialect_contents(dialects[i], stored)), stored);
            assert_int_equal(
                dialect_store_surface(dialects[i], dialect_surface(dialects[i], stored)), stored);
        }
}

static void wolfenstein_has_steps_and_clips_of_its_own(void **state)
{
    (void)state;
    const struct dialect *wolf = &dialect_wolf;
    assert_int_equal(surface_of(wolf, "nodraw"), 0x80);
    assert_int_equal(surface_of(wolf, "WoodSteps"), 0x40000);
    assert_int_equal(surface_of(wolf, "landmine"), INT32_MIN);
    assert_int_equal(contents_of(wolf, "clipshot"), 0x2000);
    assert_int_equal(contents_of(wolf, "water"), 0x20);
    assert_int_equal(contents_of(wolf, "slag"), 0x10);
    assert_int_equal(contents_of(wolf, "ai_nopass"), 0x200000);
    assert_int_equal(surface_of(wolf, "metal"), 0x1000);
    /* The bit is another thing there. */
    assert_int_equal(surface_of(wolf, "dust"), 0);
    assert_int_equal(contents_of(wolf, "botclip"), 0);
}

static void raven_stores_other_bits(void **state)
{
    (void)state;
    const struct dialect *raven = &dialect_raven;
    assert_int_equal(surface_of(raven, "sky"), 0x2000);
    assert_int_equal(surface_of(raven, "nodraw"), 0x200000);
    assert_int_equal(surface_of(raven, "nolightmap"), 0);
    assert_int_equal(contents_of(raven, "metalsteps"), 0x8001);
    assert_int_equal(contents_of(raven, "water"), 0x8004);
    assert_int_equal(contents_of(raven, "nonopaque"), 1);
    assert_int_equal(contents_of(raven, "ladder"), 0x2000);
    assert_int_equal(contents_of(raven, "playerclip"), 0x10);
    assert_int_equal(contents_of(raven, "fog"), 0x8);
    assert_int_equal(contents_of(raven, "areaportal"), INT32_MIN);
    assert_int_equal(contents_of(raven, "inside"), 0x10008001);
    assert_true(dialect_unstored_surface(raven) & Q3_SURFACE_NOLIGHTMAP);
    assert_false(dialect_unstored_surface(raven) & Q3_SURFACE_SKY);
    assert_int_equal(dialect_material(raven, "SolidWood"), 1);
    assert_int_equal(dialect_material(raven, "computer"), 31);
    assert_int_equal(dialect_material(NULL, "computer"), 0);
}

/* Their bits are those of Quake 3. */
static void games_have_names_of_their_own(void **state)
{
    (void)state;
    static const struct {
        const char *target, *parm;
        int32_t contents, surface;
    } rows[] = {
        {"tremulous", "noalienbuild", 0x1001, 0},
        {"unvanquished", "nobuild", 0x4001, 0},
        {"unvanquished", "nobuildsurface", 1, 0x200000},
        {"elite", "ladder", 0x80, 0x8},
        {"elite", "forcefield", 1, 0x40000},
        {"quakelive", "woodsteps", 1, 0x100000},
        {"reaction", "rq3_wood2", 1, 0x280000},
        {"smokinguns", "metal", 1, 0x1000},
        {"smokinguns", "grass", 1, 0x10000000},
        {"smokinguns", "water", 0x20, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct dialect *dialect = bsp_format_find(rows[i].target)->engine->dialect;
        assert_int_equal(contents_of(dialect, rows[i].parm), rows[i].contents);
        assert_int_equal(surface_of(dialect, rows[i].parm), rows[i].surface);
        assert_int_equal(dialect_surface(dialect, 0x40).meaning, 0x40);
    }
}

static void each_game_has_a_format_that_is_written(void **state)
{
    (void)state;
    const struct bsp_game *game;
    for (size_t i = 0; (game = bsp_game_at(i)); i++) {
        const struct bsp_format *format = bsp_format_find(game->target);
        assert_non_null(format);
        assert_false(format->read_only);
        assert_true(format->engine->geometry.has_surfaces);
        assert_ptr_equal(bsp_game_find(game->name), game);
    }
    assert_null(bsp_game_find("nothing"));
    assert_string_equal(bsp_format_find(bsp_game_find("ET")->target)->title, "IBSP 47");
}

SUITE(test_engine)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_usual_target_is_one_of_the_engine),
        cmocka_unit_test(families_are_indices_of_tables),
        cmocka_unit_test(a_source_names_its_engine_by_its_ending),
        cmocka_unit_test(each_bsp_has_an_engine),
        cmocka_unit_test(flags_of_quake3_are_their_meaning),
        cmocka_unit_test(what_is_read_is_stored_again),
        cmocka_unit_test(wolfenstein_has_steps_and_clips_of_its_own),
        cmocka_unit_test(raven_stores_other_bits),
        cmocka_unit_test(games_have_names_of_their_own),
        cmocka_unit_test(each_game_has_a_format_that_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
