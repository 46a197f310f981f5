/* Limits of the Quake 3 engine: reported, or avoided by splitting. */
#include "tests/support/suite.h"

#include "common/diag/codes/bsp_limits.def"
#include "common/diag/codes/quake3_patches.def"
#include "tests/support/vbsp/q3_map.h"
#include "vbsp/target/quake3/surfaces/surface_options.h"

static void put_room(struct text_map *map)
{
    q3_map_init(map);
    q3_map_room(map, vec3(0, 0, 0), vec3(2048, 256, 128));
    map->options.format = bsp_format_find("quake3");
}

static void models_beyond_256_are_reported(void **state)
{
    (void)state;
    for (int extra = 0; extra < 2; extra++) {
        struct text_map map;
        put_room(&map);
        q3_map_player(&map, "64 200 32");
        for (int i = 0; i < 255 + extra; i++) {
            q3_map_entity(&map, "func_static", "");
            q3_map_box(&map, vec3(8 * i, 8, 8), vec3(8 * i + 4, 12, 12), "test/wall");
        }
        q3_map_run(&map, extra ? STATUS_FAILED : STATUS_OK);
        const struct diag_entry *report = q3_report(&map, DIAG_BSP_LIMIT);
        assert_int_equal(report != NULL, extra);
        if (report)
            assert_non_null(strstr(report->message, "models: 257 of 256"));
        text_map_free(&map);
    }
}

static void fogs_beyond_31_are_reported(void **state)
{
    (void)state;
    for (int extra = 0; extra < 2; extra++) {
        struct text_map map;
        put_room(&map);
        for (int i = 0; i < 31 + extra; i++)
            q3_map_box(&map, vec3(32 * i, 8, 8), vec3(32 * i + 16, 24, 24), "test/fog");
        q3_map_player(&map, "64 200 32");
        q3_map_run(&map, extra ? STATUS_FAILED : STATUS_OK);
        assert_int_equal(q3_report(&map, DIAG_BSP_LIMIT) != NULL, extra);
        text_map_free(&map);
    }
}

/* The engine loads more shaders than the tools of the game wrote. */
static void limits_of_the_original_tools_are_warnings(void **state)
{
    (void)state;
    struct text_map map;
    put_room(&map);
    for (int i = 0; i < 1100; i++) {
        char name[32];
        snprintf(name, sizeof name, "test/kind%d", i);
        q3_map_detail_box(&map, vec3(8 + 8 * (i % 200), 8 + 8 * (i / 200), 8),
                          vec3(12 + 8 * (i % 200), 12 + 8 * (i / 200), 12), name);
    }
    q3_map_player(&map, "64 200 32");
    q3_map_compile(&map, STATUS_OK);
    const struct diag_entry *report = q3_report(&map, DIAG_BSP_LIMIT);
    assert_non_null(report);
    assert_non_null(strstr(report->message, "shaders: "));
    assert_int_equal(report->severity, DIAG_WARNING);
    text_map_free(&map);
}

/* The game frees lights and the like when it reads them; other entities take one of 950 places. */
static void entities_that_the_game_keeps_are_limited(void **state)
{
    (void)state;
    static const struct {
        const char *classname, *keys;
        int count;
        bool fails;
    } cases[] = {
        {"light", "", 1500, false},          {"info_null", "", 1500, false},
        {"path_corner", "", 1000, false},    {"item_health", "\"notfree\" \"1\"\n", 1000, false},
        {"target_position", "", 949, false}, /* and the player */
        {"target_position", "", 950, true},  {"path_corner", "\"targetname\" \"a\"\n", 950, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_map map;
        char keys[64];
        put_room(&map);
        q3_map_player(&map, "64 200 32");
        snprintf(keys, sizeof keys, "%s\"origin\" \"64 64 64\"", cases[i].keys);
        for (int k = 0; k < cases[i].count; k++)
            q3_map_entity(&map, cases[i].classname, keys);
        q3_map_run(&map, cases[i].fails ? STATUS_FAILED : STATUS_OK);
        assert_int_equal(q3_report(&map, DIAG_BSP_LIMIT) != NULL, cases[i].fails);
        if (cases[i].fails)
            assert_non_null(strstr(q3_report(&map, DIAG_BSP_LIMIT)->message, cases[i].classname));
        text_map_free(&map);
    }
}

/* A wall with 400 boxes along it gets as many points on its edge; the engine's limits are 64
 * vertices per planar surface, and 999 in any. */
static void walls_with_many_corners_are_cut_up(void **state)
{
    (void)state;
    for (int joined = 0; joined < 2; joined++) {
        struct text_map map;
        put_room(&map);
        map.options.surfaces = &(struct surface_options){.no_meta = !joined};
        for (int i = 0; i < 400; i++)
            q3_map_detail_box(&map, vec3(4 * i + 2, 0, 0), vec3(4 * i + 4, 2, 2 + i % 3),
                              "test/glass");
        q3_map_player(&map, "64 200 32");
        q3_map_compile(&map, STATUS_OK);
        for (size_t i = 0; i < arrlenu(map.bsp->surfaces); i++) {
            const struct bsp_surface *surface = &map.bsp->surfaces[i];
            assert_true(surface->vertex_count <= (surface->type == SURFACE_PLANAR ? 64 : 999));
            assert_true(surface->index_count < 6000);
        }
        float floor = q3_area(&map, 0, "test/floor", NULL);
        assert_true(floor > 2048.0F * 256 - 400 * 4 - 1 && floor < 2048.0F * 256 + 1);
        text_map_free(&map);
    }
}

/* Rough terrain of 31 x 31 control points: no two squares of it are on one plane. */
static void patches_that_the_engine_refuses_are_reported(void **state)
{
    (void)state;
    struct text_map map;
    put_room(&map);
    bytes_append_text(&map.text, "{\npatchDef2\n{\ntest/wall\n( 31 31 0 0 0 )\n(\n");
    for (int i = 0; i < 31; i++) {
        bytes_append_text(&map.text, "( ");
        for (int j = 0; j < 31; j++)
            bytes_append_text(&map.text, "( %d %d %d 0 0 ) ", 8 + 60 * i, 8 + 7 * j,
                              8 + (i * 7919 + j * 104729 + i * j * 31) % 97);
        bytes_append_text(&map.text, ")\n");
    }
    bytes_append_text(&map.text, ")\n}\n}\n");
    q3_map_player(&map, "64 240 120");
    q3_map_run(&map, STATUS_FAILED);
    assert_non_null(q3_report(&map, DIAG_PATCH_COLLISION));
    text_map_free(&map);
}

SUITE(test_q3_limits)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_beyond_256_are_reported),
        cmocka_unit_test(fogs_beyond_31_are_reported),
        cmocka_unit_test(limits_of_the_original_tools_are_warnings),
        cmocka_unit_test(entities_that_the_game_keeps_are_limited),
        cmocka_unit_test(walls_with_many_corners_are_cut_up),
        cmocka_unit_test(patches_that_the_engine_refuses_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
