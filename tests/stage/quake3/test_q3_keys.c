/* Entity keys that affect brushes and patches, and the options that set them for the whole map. */
#include "tests/support/suite.h"

#include "common/assets/shaders/shader.h"
#include "common/bsp/engine.h"
#include "common/diag/codes/quake3_levels.def"
#include "common/diag/codes/quake3_models.def"
#include "common/diag/codes/shaders.def"
#include "common/diag/codes/solids.def"
#include "tests/support/near.h"
#include "tests/support/vbsp/q3_map.h"
#include "vbsp/target/quake3/surfaces/surface_options.h"

/* Seen from z: a quarter circle of radius 100 around 128 128, as far as a Bezier curve approximates
 * it. */
#define CURVE(shader)                                                                              \
    "{\npatchDef2\n{\n" shader "\n( 3 3 0 0 0 )\n(\n"                                              \
    "( ( 228 128 8 0 0 ) ( 228 128 58 0 1 ) ( 228 128 108 0 2 ) )\n"                               \
    "( ( 228 228 8 1 0 ) ( 228 228 58 1 1 ) ( 228 228 108 1 2 ) )\n"                               \
    "( ( 128 228 8 2 0 ) ( 128 228 58 2 1 ) ( 128 228 108 2 2 ) )\n)\n}\n}\n"

static void put_curve(struct text_map *map, const char *curve, const char *group_keys)
{
    q3_map_init(map);
    q3_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
    if (group_keys)
        q3_map_entity(map, "func_group", group_keys);
    bytes_append_text(&map->text, "%s", curve);
    q3_map_player(map, "32 32 32");
}

static int count_of(const struct text_map *map, enum surface_type type, const char *shader)
{
    int count = 0;
    for (size_t i = 0; i < arrlenu(map->bsp->surfaces); i++)
        count += map->bsp->surfaces[i].type == (int32_t)type &&
                 strcmp(q3_shader_name(map, &map->bsp->surfaces[i]), shader) == 0;
    return count;
}

static void patches_are_drawn_as_triangles(void **state)
{
    (void)state;
    struct text_map map;
    put_curve(&map, CURVE("test/glass"), NULL);
    map.options.surfaces = &(struct surface_options){.patch_meta = true, .subdivisions = 1};
    q3_map_compile(&map, STATUS_OK);
    assert_int_equal(count_of(&map, SURFACE_PATCH, "textures/test/glass"), 0);
    /* The remaining patch is solid and invisible. */
    assert_int_equal(count_of(&map, SURFACE_PATCH, "textures/common/caulk"), 1);
    assert_true(count_of(&map, SURFACE_PLANAR, "textures/test/glass") > 0);
    int surfaces;
    double area = (double)q3_area(&map, 0, "test/glass", &surfaces);
    assert_true(surfaces > 0);
    /* The parabola through 228 128 and 128 228 is 162.32 units long. */
    assert_near(area, 162.32 * 100, 0.01 * 16232);
    text_map_free(&map);
}

static void keys_come_before_the_option(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        bool option, patch;
    } cases[] = {
        {"", true, false},
        {"\"_patchMeta\" \"0\"", true, true},
        {"\"_patchMeta\" \"1\"", false, false},
        {"\"patchMeta\" \"1\"\n\"_patchSubdivide\" \"1\"", false, false},
    };
    float areas[4];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_map map;
        put_curve(&map, CURVE("test/wall"), cases[i].keys);
        map.options.surfaces =
            &(struct surface_options){.patch_meta = cases[i].option, .subdivisions = 64};
        q3_map_compile(&map, STATUS_OK);
        assert_int_equal(count_of(&map, SURFACE_PATCH, "textures/test/wall"), cases[i].patch);
        areas[i] = q3_area(&map, 0, "test/wall", NULL);
        text_map_free(&map);
    }
    /* Chords are shorter than the curve: the finer one is longer. */
    assert_true(areas[3] > areas[2] + 200);
    assert_true(areas[2] > areas[1] + 10000);
}

/* The note of a patch tells whether a key asks for its shadow. */
static void shadows_of_patches_are_noted(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        int shadows;
    } cases[] = {
        {NULL, SHADOWS_OF_PATCH},
        {"", SHADOWS_OF_PATCH},
        {"\"_castShadows\" \"1\"", 1},
        {"\"_cs\" \"0\"", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_map map;
        put_curve(&map, CURVE("test/glass"), cases[i].keys);
        q3_map_compile(&map, STATUS_OK);
        for (ptrdiff_t k = 0; k < arrlen(map.bsp->surfaces); k++) {
            bool patch = map.bsp->surfaces[k].type == SURFACE_PATCH;
            assert_int_equal(map.out.notes.items[k].cast_shadows, patch ? cases[i].shadows : 1);
        }
        text_map_free(&map);
    }
}

/* Non-solid patches leave nothing for collision. */
static void banners_leave_nothing(void **state)
{
    (void)state;
    struct text_map map;
    put_curve(&map, CURVE("test/banner"), NULL);
    map.options.surfaces = &(struct surface_options){.patch_meta = true};
    q3_map_compile(&map, STATUS_OK);
    for (size_t i = 0; i < arrlenu(map.bsp->surfaces); i++)
        assert_int_not_equal(map.bsp->surfaces[i].type, SURFACE_PATCH);
    assert_true(q3_area(&map, 0, "test/banner", NULL) > 10000);
    text_map_free(&map);
}

static void surfaces_are_as_small_as_asked(void **state)
{
    (void)state;
    struct text_map map;
    put_curve(&map, CURVE("test/wall"), NULL);
    map.options.surfaces = &(struct surface_options){
        .patch_meta = true, .subdivisions = 0.5, .max_vertices = 8, .max_indices = 17};
    q3_map_compile(&map, STATUS_OK);
    for (size_t i = 0; i < arrlenu(map.bsp->surfaces); i++) {
        const struct bsp_surface *surface = &map.bsp->surfaces[i];
        if (surface->type == SURFACE_PATCH)
            continue;
        assert_true(surface->vertex_count <= 8);
        assert_true(surface->index_count <= 15);
    }
    text_map_free(&map);
}

static void copies_go_by_any_of_their_keys(void **state)
{
    (void)state;
    struct text_map map;
    q3_map_init(&map);
    q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    q3_map_entity(&map, "func_static", "\"targetname\" \"a\"\n\"_targetname\" \"b\"");
    q3_map_box(&map, vec3(64, 64, 0), vec3(96, 96, 32), "test/wall");
    q3_map_box(&map, vec3(78, 78, 14), vec3(82, 82, 18), "common/origin");
    q3_map_entity(&map, "func_door", "\"targetname\" \"b\"");
    q3_map_box(&map, vec3(128, 64, 0), vec3(160, 96, 32), "test/wall");
    q3_map_entity(&map, "func_one", "\"_instance\" \"a\"\n\"origin\" \"160 160 16\"");
    q3_map_entity(&map, "func_two", "\"_ins\" \"b\"\n\"origin\" \"60 160 16\"");
    q3_map_player(&map, "32 32 32");
    q3_map_compile(&map, STATUS_OK);
    assert_int_equal(arrlen(map.bsp->models), 3);
    assert_true(q3_lump_has(map.bsp, "\"model\" \"*1\"\n\"classname\" \"func_one\""));
    assert_true(q3_lump_has(map.bsp, "\"model\" \"*1\"\n\"classname\" \"func_two\""));
    text_map_free(&map);
}

/* An entity at 0 0 0 marks the inside only if no other does. */
/* The server quits at a door without a model; timers and what shares a model need none. */
/* By games whose server is not that of Quake 3 it is only told. */
static void an_entity_that_lost_its_brushes_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *classname, *keys, *target;
        bool refused, told;
    } cases[] = {{"func_door", "\"angle\" \"90\"", "quake3", true, true},
                 {"trigger_hurt", "", NULL, true, true},
                 {"func_static", "\"model\" \"models/crate.md3\"", "openarena", true, true},
                 {"func_static", "\"_clone\" \"original\"", "quake3", false, false},
                 {"func_rotating", "", "et", true, true},
                 {"func_rotating", "", "xonotic", false, true},
                 {"func_rotating", "", "unvanquished", false, true},
                 {"func_timer", "", "quake3", false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_map map;
        q3_map_init(&map);
        q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
        q3_map_player(&map, "64 128 16");
        q3_map_entity(&map, "func_door", "\"_clonename\" \"original\"");
        q3_map_box(&map, vec3(200, 200, 8), vec3(220, 220, 28), "test/wall");
        q3_map_entity(&map, cases[i].classname, cases[i].keys);
        map.options.format = cases[i].target ? bsp_format_find(cases[i].target) : NULL;
        q3_map_run(&map, cases[i].refused ? STATUS_FAILED : STATUS_OK);
        const struct diag_entry *report = q3_report(&map, DIAG_Q3_BRUSHLESS);
        assert_int_equal(report != NULL, cases[i].told);
        if (report) {
            assert_true(report->where.line > 0);
            assert_int_equal(report->severity, cases[i].refused ? DIAG_ERROR : DIAG_WARNING);
        }
        text_map_free(&map);
    }
}

/* Without a game all shaders are missing, which is one message, not one for each. */
static void a_compile_without_a_game_says_so_once(void **state)
{
    (void)state;
    struct text_map map;
    q3_map_init(&map);
    q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    q3_map_box(&map, vec3(200, 200, 8), vec3(220, 220, 28), "test/other");
    q3_map_player(&map, "64 128 16");
    bytes_append_text(&map.text, "}\n");
    text_map_run(&map, &(struct assets_options){.has_shaders = true}, map_parse, "maps/test.map",
                 STATUS_OK);
    const struct diag_entry *report = q3_report(&map, DIAG_QUAKE3_NO_GAME);
    assert_non_null(report);
    assert_true(report->where.line > 0);
    assert_non_null(strstr(report->message, "3 shaders are unknown"));
    assert_int_equal(diag_count_code(map.diag, DIAG_QUAKE3_NO_GAME), 1);
    assert_int_equal(diag_count_code(map.diag, DIAG_SHADER_MISSING), 0);
    text_map_free(&map);
}

static void an_entity_in_the_middle_counts_alone(void **state)
{
    (void)state;
    struct text_map map;
    q3_map_init(&map);
    q3_map_room(&map, vec3(-64, -64, -64), vec3(64, 64, 64));
    q3_map_player(&map, "0 0 0");
    q3_map_compile(&map, STATUS_OK);
    assert_true(q3_leaf_at(&map, vec3(1, 1, 1))->cluster >= 0);
    assert_int_equal(q3_leaf_at(&map, vec3(1000, 0, 0))->cluster, -1);
    text_map_free(&map);
}

/* Up to 65535 units; a solid beyond is reported. */
static void a_map_may_lie_far_out(void **state)
{
    (void)state;
    struct text_map map;
    q3_map_init(&map);
    q3_map_room(&map, vec3(64900, -65400, 60000), vec3(65412, -64800, 60256));
    q3_map_box(&map, vec3(65100, -65100, 60000), vec3(65164, -65036, 60064), "test/wall");
    q3_map_player(&map, "65000 -65200 60100");
    q3_map_compile(&map, STATUS_OK);
    assert_null(q3_report(&map, DIAG_BRUSH_UNBOUNDED));
    assert_int_equal(map.bsp->models[0].brush_count, 7);
    assert_true(q3_leaf_at(&map, vec3(65000, -65200, 60100))->cluster >= 0);
    assert_int_equal(q3_leaf_at(&map, vec3(65132, -65068, 60032))->cluster, -1);
    assert_int_equal(q3_leaf_at(&map, vec3(0, 0, 0))->cluster, -1);
    assert_non_null(q3_surface_at(&map, vec3(65164, -65068, 60032), vec3(1, 0, 0)));
    text_map_free(&map);
    q3_map_init(&map);
    q3_map_room(&map, vec3(-64, -64, -64), vec3(64, 64, 64));
    q3_map_box(&map, vec3(65500, 0, 0), vec3(65600, 64, 64), "test/wall");
    q3_map_player(&map, "0 0 32");
    q3_map_compile(&map, STATUS_OK);
    assert_non_null(q3_report(&map, DIAG_BRUSH_UNBOUNDED));
    text_map_free(&map);
}

/* A copy of each surface with the shader; an entity's own key goes before the world's. */
static void outlines_are_copies(void **state)
{
    (void)state;
    struct text_map map;
    int count;
    text_map_start(&map, "{\n\"classname\" \"worldspawn\"\n\"_celshader\" \"test/banner\"\n");
    map.extra = "0 0 0";
    map.options.engine = &engine_quake3;
    q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    q3_map_entity(&map, "func_group", "\"_celshader\" \"none\"");
    q3_map_box(&map, vec3(64, 64, 32), vec3(96, 96, 64), "test/glass");
    q3_map_entity(&map, "func_group", "\"_celshader\" \"test/water\"");
    q3_map_box(&map, vec3(160, 64, 32), vec3(192, 96, 64), "test/glass");
    q3_map_player(&map, "32 32 32");
    q3_map_compile(&map, STATUS_OK);
    assert_near((double)q3_area(&map, 0, "test/banner", &count), 2 * 65536 + 4 * 32768, 1);
    assert_near((double)q3_area(&map, 0, "test/water", &count), 6 * 32 * 32, 1);
    assert_near((double)q3_area(&map, 0, "test/glass", &count), 12 * 32 * 32, 1);
    text_map_free(&map);
}

static void unsupported_entities_and_keys_are_reported(void **state)
{
    (void)state;
    struct text_map map;
    q3_map_init(&map);
    q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    q3_map_entity(&map, "_skybox", "\"origin\" \"1 2 3\"");
    q3_map_entity(&map, "func_group", "\"_offsets\" \"0 8\"");
    q3_map_box(&map, vec3(64, 64, 32), vec3(96, 96, 64), "test/glass");
    /* The game draws it. */
    q3_map_entity(&map, "func_door", "\"model2\" \"models/a.md3\"");
    q3_map_box(&map, vec3(160, 64, 32), vec3(192, 96, 64), "test/glass");
    q3_map_entity(&map, "light", "\"origin\" \"9 9 9\"\n\"_maxlight\" \"200\"");
    q3_map_entity(&map, "misc_model",
                  "\"origin\" \"9 9 9\"\n\"model\" \"a.md3\"\n\"spawnflags\" \"134\"");
    q3_map_entity(&map, "misc_model",
                  "\"origin\" \"9 9 9\"\n\"model\" \"a.md3\"\n\"spawnflags\" \"126\"");
    q3_map_player(&map, "32 32 32");
    q3_map_compile(&map, STATUS_OK);
    assert_int_equal(diag_count_code(map.diag, DIAG_Q3_UNSUPPORTED), 4);
    assert_false(q3_lump_has(map.bsp, "_skybox"));
    assert_true(q3_lump_has(map.bsp, "\"model2\" \"models/a.md3\""));
    text_map_free(&map);
}

/* ---- lights ---- */

/* vrad removes lights, which vbsp notes; the option and the key keep them. */
static void lights_are_noted(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        struct text_map map;
        q3_map_init(&map);
        if (how == 1)
            bytes_append_text(&map.text, "\"_keepLights\" \"1\"\n");
        map.options.keep_lights = how == 2;
        q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
        q3_map_player(&map, "32 32 32");
        q3_map_entity(&map, "lightJunior", "\"origin\" \"64 64 64\"\n");
        q3_map_compile(&map, STATUS_OK);
        assert_int_equal(arrlen(map.out.notes.lights) > 0, how == 0);
        assert_int_equal(q3_lump_has(map.bsp, "\"_keepLights\" \"1\""), how != 0);
        assert_true(q3_lump_has(map.bsp, "lightJunior"));
        text_map_free(&map);
    }
}

/* Flares are written on request only. */
static void flares_are_asked_for(void **state)
{
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        struct text_map map;
        q3_map_init(&map);
        map.options.surfaces = &(struct surface_options){.flares = asked};
        q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
        q3_map_player(&map, "32 32 32");
        q3_map_entity(&map, "light", "\"origin\" \"64 64 64\"\n\"_flareshader\" \"test/wall\"\n");
        q3_map_compile(&map, STATUS_OK);
        int flares = 0;
        for (size_t i = 0; i < arrlenu(map.bsp->surfaces); i++)
            flares += map.bsp->surfaces[i].type == SURFACE_FLARE;
        assert_int_equal(flares, asked);
        assert_int_equal(q3_report(&map, DIAG_Q3_FLARES) != NULL, !asked);
        text_map_free(&map);
    }
}

SUITE(test_q3_keys)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outlines_are_copies),
        cmocka_unit_test(unsupported_entities_and_keys_are_reported),
        cmocka_unit_test(patches_are_drawn_as_triangles),
        cmocka_unit_test(lights_are_noted),
        cmocka_unit_test(flares_are_asked_for),
        cmocka_unit_test(keys_come_before_the_option),
        cmocka_unit_test(shadows_of_patches_are_noted),
        cmocka_unit_test(banners_leave_nothing),
        cmocka_unit_test(surfaces_are_as_small_as_asked),
        cmocka_unit_test(copies_go_by_any_of_their_keys),
        cmocka_unit_test(an_entity_that_lost_its_brushes_is_refused),
        cmocka_unit_test(a_compile_without_a_game_says_so_once),
        cmocka_unit_test(an_entity_in_the_middle_counts_alone),
        cmocka_unit_test(a_map_may_lie_far_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
