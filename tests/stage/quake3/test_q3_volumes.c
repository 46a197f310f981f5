/* Volumes of Quake 3 maps: areaportals, hints, fog, water, brush contents. */
#include "tests/support/suite.h"

#include "common/assets/shaders/shader.h"
#include "common/diag/codes/areas.def"
#include "common/diag/codes/quake3_levels.def"
#include "tests/support/vbsp/q3_map.h"

/* Two rooms, west and east, with a wall of 16 units between them from x = 256 on, and a doorway in
 * it of 64 x 96. */
static void put_rooms(struct text_map *map)
{
    q3_map_init(map);
    q3_map_room(map, vec3(0, 0, 0), vec3(528, 256, 128));
    q3_map_box(map, vec3(256, 0, 0), vec3(272, 96, 128), "test/wall");
    q3_map_box(map, vec3(256, 160, 0), vec3(272, 256, 128), "test/wall");
    q3_map_box(map, vec3(256, 96, 96), vec3(272, 160, 128), "test/wall");
}

static void an_areaportal_parts_two_areas(void **state)
{
    (void)state;
    static const char *const one_side[] = {"common/areaportal", "common/nodraw", "common/nodraw",
                                           "common/nodraw",     "common/nodraw", "common/nodraw"};
    for (int i = 0; i < 2; i++) {
        struct text_map map;
        put_rooms(&map);
        if (i == 0)
            q3_map_box(&map, vec3(260, 96, 0), vec3(268, 160, 96), "common/areaportal");
        else
            q3_map_box_of(&map, vec3(260, 96, 0), vec3(268, 160, 96), one_side);
        q3_map_player(&map, "64 128 16");
        q3_map_compile(&map, STATUS_OK);
        int west = q3_leaf_at(&map, vec3(100, 100, 64))->area;
        int east = q3_leaf_at(&map, vec3(400, 100, 64))->area;
        assert_int_equal(west + east, 1);
        assert_true(west >= 0 && east >= 0);
        /* One sees through it while it is open. */
        assert_true(q3_leaf_at(&map, vec3(264, 128, 64))->cluster >= 0);
        assert_null(q3_report(&map, DIAG_AREAPORTAL_LEAK));
        text_map_free(&map);
    }
}

static void an_areaportal_with_a_way_around_is_reported(void **state)
{
    (void)state;
    struct text_map map;
    put_rooms(&map);
    q3_map_box(&map, vec3(260, 96, 0), vec3(268, 150, 96), "common/areaportal");
    q3_map_player(&map, "64 128 16");
    q3_map_compile(&map, STATUS_OK);
    assert_non_null(q3_report(&map, DIAG_AREAPORTAL_LEAK));
    assert_non_null(map.out.area_leak);
    assert_int_equal(q3_leaf_at(&map, vec3(400, 100, 64))->area, 0);
    text_map_free(&map);
}

static void an_areaportal_of_an_entity_is_refused(void **state)
{
    (void)state;
    struct text_map map;
    put_rooms(&map);
    q3_map_entity(&map, "func_door", "");
    q3_map_box(&map, vec3(260, 96, 0), vec3(268, 160, 96), "common/areaportal");
    q3_map_player(&map, "64 128 16");
    q3_map_run(&map, STATUS_FAILED);
    const struct diag_entry *report = q3_report(&map, DIAG_Q3_PORTAL_IN_ENTITY);
    assert_non_null(report);
    assert_int_equal(report->severity, DIAG_ERROR);
    assert_null(map.bsp);
    text_map_free(&map);
}

static void a_hint_cuts_leaves(void **state)
{
    (void)state;
    enum { HEEDED, LEFT_OUT, FILLED, CASES };
    static const char *const hint[] = {"common/hint", "common/skip", "common/skip",
                                       "common/skip", "common/skip", "common/skip"};
    static const char *const filled[] = {"common/hint", "test/filler", "test/filler",
                                         "test/filler", "test/filler", "test/filler"};
    for (int i = 0; i < CASES; i++) {
        struct text_map map;
        q3_map_init(&map);
        q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
        q3_map_box_of(&map, vec3(100, 0, 0), vec3(200, 256, 128), i == FILLED ? filled : hint);
        q3_map_player(&map, "64 128 16");
        map.options.no_hint = i == LEFT_OUT;
        q3_map_compile(&map, STATUS_OK);
        assert_int_equal(map.out.prt.cluster_count, i == LEFT_OUT ? 1 : 2);
        for (size_t j = 0; j < arrlenu(map.out.prt.portals); j++)
            assert_int_equal(map.out.prt.quake3.flags[j], PRT_HINT);
        assert_int_equal(arrlen(map.out.prt.portals), i != LEFT_OUT);
        text_map_free(&map);
    }
}

static void fog_cuts_what_stands_in_it(void **state)
{
    (void)state;
    static const char *const fog[] = {"common/nodraw", "common/nodraw", "common/nodraw",
                                      "common/nodraw", "common/nodraw", "test/fog"};
    static const char *const order[] = {"test/fog", "test/fog", "test/fog",
                                        "test/fog", "test/fog", "test/fog"};
    for (int i = 0; i < 2; i++) {
        struct text_map map;
        q3_map_init(&map);
        q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
        q3_map_box_of(&map, vec3(0, 0, 0), vec3(256, 128, 64), i ? order : fog);
        q3_map_player(&map, "64 200 16");
        q3_map_compile(&map, STATUS_OK);
        const struct bsp *bsp = map.bsp;
        assert_int_equal(arrlen(bsp->effects), 1);
        assert_string_equal(bsp->effects[0].name, "textures/test/fog");
        assert_int_equal(bsp->effects[0].brush, 6);
        assert_int_equal(bsp->effects[0].side, Q3_TOP);
        /* The floor is cut where the fog ends. */
        const struct bsp_surface *in = q3_surface_at(&map, vec3(100, 100, 0), vec3(0, 0, 1));
        const struct bsp_surface *out = q3_surface_at(&map, vec3(100, 140, 0), vec3(0, 0, 1));
        assert_non_null(in);
        assert_non_null(out);
        assert_int_equal(in->effect, 0);
        assert_int_equal(out->effect, -1);
        /* Its surface is visible from above and from inside. */
        const struct bsp_surface *above = q3_surface_at(&map, vec3(100, 100, 64), vec3(0, 0, 1));
        const struct bsp_surface *below = q3_surface_at(&map, vec3(100, 100, 64), vec3(0, 0, -1));
        assert_non_null(above);
        assert_non_null(below);
        assert_int_equal(above->effect, -1);
        assert_int_equal(below->effect, 0);
        assert_true(q3_leaf_has(&map, vec3(100, 100, 32), Q3_CONTENTS_FOG));
        assert_false(q3_leaf_has(&map, vec3(100, 100, 100), Q3_CONTENTS_FOG));
        text_map_free(&map);
    }
}

static void fog_can_be_left_out(void **state)
{
    (void)state;
    struct text_map map;
    q3_map_init(&map);
    q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    q3_map_box(&map, vec3(0, 0, 0), vec3(256, 128, 64), "test/fog");
    q3_map_player(&map, "64 200 16");
    map.options.no_fog = true;
    q3_map_compile(&map, STATUS_OK);
    assert_int_equal(arrlen(map.bsp->effects), 0);
    assert_int_equal(map.bsp->models[0].brush_count, 6);
    text_map_free(&map);
}

/* The engine refuses fog without a brush, so there is one around the world, in no leaf. Where
 * another volume is, that one counts. */
static void global_fog_fills_the_world(void **state)
{
    (void)state;
    struct text_map map;
    q3_map_init(&map);
    bytes_append_text(&map.text, "\"_fog\" \"textures/test/fog\"\n");
    q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    q3_map_box(&map, vec3(0, 0, 0), vec3(256, 128, 64), "test/fog");
    q3_map_player(&map, "64 200 16");
    q3_map_compile(&map, STATUS_OK);
    const struct bsp *bsp = map.bsp;
    assert_int_equal(arrlen(bsp->effects), 2);
    assert_int_equal(bsp->effects[1].brush, 7);
    assert_int_equal(bsp->models[0].brush_count, 8);
    assert_float_equal(bsp->models[0].mins[0], -16.0F, 1e-6F);
    assert_int_equal(q3_surface_at(&map, vec3(100, 100, 0), vec3(0, 0, 1))->effect, 0);
    assert_int_equal(q3_surface_at(&map, vec3(100, 140, 0), vec3(0, 0, 1))->effect, 1);
    assert_false(q3_leaf_has(&map, vec3(100, 140, 16), Q3_CONTENTS_FOG));
    assert_true(q3_leaf_has(&map, vec3(100, 100, 16), Q3_CONTENTS_FOG));
    text_map_free(&map);
}

static void global_fog_of_another_shader_is_reported(void **state)
{
    (void)state;
    struct text_map map;
    q3_map_init(&map);
    bytes_append_text(&map.text, "\"_fog\" \"textures/test/wall\"\n");
    q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    q3_map_player(&map, "64 128 16");
    q3_map_compile(&map, STATUS_OK);
    assert_non_null(q3_report(&map, DIAG_Q3_GLOBAL_FOG));
    assert_int_equal(arrlen(map.bsp->effects), 0);
    text_map_free(&map);
}

/* A translucent brush cuts the tree only if its shader is structural and the mapper did not mark
 * it as detail. */
static void translucent_water_cuts_no_leaves(void **state)
{
    (void)state;
    enum { TRANSLUCENT, STRUCTURAL, MARKED_DETAIL, CASES };
    for (int i = 0; i < CASES; i++) {
        struct text_map map;
        struct vec3 low = vec3(0, 0, 0), high = vec3(256, 256, 64);
        q3_map_init(&map);
        q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
        if (i == MARKED_DETAIL)
            q3_map_detail_box(&map, low, high, "test/canal");
        else
            q3_map_box(&map, low, high, i == STRUCTURAL ? "test/canal" : "test/water");
        q3_map_player(&map, "64 128 100");
        q3_map_compile(&map, STATUS_OK);
        const struct bsp_leaf *below = q3_leaf_at(&map, vec3(64, 64, 32));
        const struct bsp_leaf *above = q3_leaf_at(&map, vec3(64, 64, 100));
        assert_true(below->cluster >= 0 && above->cluster >= 0);
        assert_int_equal(below->cluster != above->cluster, i == STRUCTURAL);
        assert_int_equal(arrlen(map.out.prt.portals), i == STRUCTURAL);
        assert_true(q3_leaf_has(&map, vec3(64, 64, 32), Q3_CONTENTS_WATER));
        assert_false(q3_leaf_has(&map, vec3(64, 64, 100), Q3_CONTENTS_WATER));
        assert_non_null(q3_surface_at(&map, vec3(64, 64, 64), vec3(0, 0, 1)));
        assert_non_null(q3_surface_at(&map, vec3(64, 64, 0), vec3(0, 0, 1)));
        text_map_free(&map);
    }
}

enum {
    ENGINE_CONTENTS = Q3_CONTENTS_SOLID | Q3_CONTENTS_WATER | Q3_CONTENTS_FOG |
                      Q3_CONTENTS_PLAYERCLIP | Q3_CONTENTS_BOTCLIP | Q3_CONTENTS_AREAPORTAL,
};

/* Liquids count more than fog, fog more than clips, clips more than sides without contents, and
 * these more than solid ones; whichever side is first, and as the map's detail flags do not say. */
static void the_side_that_counts_most_says_what_a_brush_holds(void **state)
{
    (void)state;
    static const struct {
        const char *one, *others;
        int contents;
        bool told;
    } cases[] = {
        {"test/water", "common/caulk", Q3_CONTENTS_WATER, true},
        {"test/water", "common/nodraw", Q3_CONTENTS_WATER, false},
        {"test/water", "test/fog", Q3_CONTENTS_WATER, true},
        {"test/fog", "common/caulk", Q3_CONTENTS_FOG, true},
        {"test/fog", "common/clip", Q3_CONTENTS_FOG, true},
        {"test/wall", "common/clip", Q3_CONTENTS_PLAYERCLIP, true},
        {"common/clip", "common/nodraw", Q3_CONTENTS_PLAYERCLIP, false},
        {"common/botclip", "common/caulk", Q3_CONTENTS_BOTCLIP, true},
        {"common/areaportal", "common/nodraw", Q3_CONTENTS_AREAPORTAL, false},
        {"test/wall", "common/nodraw", 0, true},
        {"test/wall", "common/caulk", Q3_CONTENTS_SOLID, false},
    };
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        const char *one = cases[i / 2].one, *others = cases[i / 2].others;
        const char *first = i % 2 ? others : one, *last = i % 2 ? one : others;
        const char *const shaders[Q3_SIDES] = {first, others, others, others, others, last};
        struct text_map map;
        q3_map_init(&map);
        q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
        q3_map_box_of(&map, vec3(64, 64, 0), vec3(128, 128, 64), shaders);
        q3_map_box_of(&map, vec3(64, 160, 0), vec3(128, 224, 64), shaders);
        q3_map_player(&map, "200 200 16");
        q3_map_compile(&map, STATUS_OK);
        const struct bsp_shader *shader = &map.bsp->shaders[map.bsp->brushes[6].shader];
        assert_int_equal(shader->contents & ENGINE_CONTENTS, cases[i / 2].contents);
        assert_true(strstr(shader->name, one) || strstr(shader->name, others));
        assert_int_equal(diag_count_code(map.diag, DIAG_Q3_MIXED_CONTENTS), cases[i / 2].told);
        text_map_free(&map);
    }
}

static void a_light_grid_brush_bounds_the_world(void **state)
{
    (void)state;
    struct text_map map;
    q3_map_init(&map);
    q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    q3_map_box(&map, vec3(32, 32, 0), vec3(128, 128, 64), "common/lightgrid");
    q3_map_player(&map, "200 200 16");
    q3_map_compile(&map, STATUS_OK);
    assert_int_equal(map.bsp->models[0].brush_count, 6);
    assert_float_equal(map.bsp->models[0].mins[0], 32.0F, 1e-6F);
    assert_float_equal(map.bsp->models[0].maxs[2], 64.0F, 1e-6F);
    text_map_free(&map);
}

/* Brushes that are neither visible nor opaque do not split leaves, but are in them. */
static void invisible_brushes_cut_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *shader;
        int contents;
    } cases[] = {{"common/clip", Q3_CONTENTS_PLAYERCLIP},
                 {"common/botclip", Q3_CONTENTS_BOTCLIP},
                 {"common/weapclip", Q3_CONTENTS_SOLID},
                 {"common/donotenter", Q3_CONTENTS_DONOTENTER},
                 {"common/nodrop", Q3_CONTENTS_NODROP}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_map map;
        q3_map_init(&map);
        q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
        q3_map_box(&map, vec3(64, 64, 0), vec3(128, 128, 64), cases[i].shader);
        q3_map_player(&map, "200 200 16");
        q3_map_compile(&map, STATUS_OK);
        assert_int_equal(map.out.prt.cluster_count, 1);
        assert_true(q3_leaf_has(&map, vec3(96, 96, 32), cases[i].contents));
        assert_int_equal(map.bsp->models[0].face_count, 6);
        text_map_free(&map);
    }
}

SUITE(test_q3_volumes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_areaportal_parts_two_areas),
        cmocka_unit_test(an_areaportal_with_a_way_around_is_reported),
        cmocka_unit_test(an_areaportal_of_an_entity_is_refused),
        cmocka_unit_test(a_hint_cuts_leaves),
        cmocka_unit_test(fog_cuts_what_stands_in_it),
        cmocka_unit_test(fog_can_be_left_out),
        cmocka_unit_test(global_fog_fills_the_world),
        cmocka_unit_test(global_fog_of_another_shader_is_reported),
        cmocka_unit_test(translucent_water_cuts_no_leaves),
        cmocka_unit_test(the_side_that_counts_most_says_what_a_brush_holds),
        cmocka_unit_test(a_light_grid_brush_bounds_the_world),
        cmocka_unit_test(invisible_brushes_cut_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
