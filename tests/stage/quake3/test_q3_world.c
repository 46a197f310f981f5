/* The world of Quake 3 maps: leaves, brushes, models, surfaces of walls. */
#include "tests/support/suite.h"

#include "common/assets/shaders/shader.h"
#include "common/bsp/engine.h"
#include "common/diag/codes/worlds.def"
#include "tests/support/vbsp/q3_map.h"
#include "vbsp/options.h"

static void put_room(struct text_map *map)
{
    q3_map_init(map);
    q3_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
}

static void a_room_is_open_inside_and_solid_around(void **state)
{
    (void)state;
    struct text_map map;
    put_room(&map);
    q3_map_player(&map, "64 64 32");
    q3_map_compile(&map, STATUS_OK);
    const struct bsp *bsp = map.bsp;
    const struct bsp_leaf *inside = q3_leaf_at(&map, vec3(128, 128, 64));
    assert_int_equal(inside->cluster, 0);
    assert_int_equal(inside->area, 0);
    assert_int_equal(inside->face_count, 6);
    const struct bsp_leaf *wall = q3_leaf_at(&map, vec3(-8, 128, 64));
    assert_int_equal(wall->cluster, -1);
    assert_int_equal(wall->area, -1);
    assert_int_equal(wall->face_count, 0);
    assert_true(q3_leaf_has(&map, vec3(-8, 128, 64), Q3_CONTENTS_SOLID));
    assert_int_equal(arrlen(bsp->models), 1);
    assert_int_equal(bsp->models[0].brush_count, 6);
    assert_float_equal(bsp->models[0].mins[0], -16.0F, 1e-6F);
    assert_float_equal(bsp->models[0].maxs[2], 144.0F, 1e-6F);
    assert_int_equal(map.out.prt.cluster_count, 1);
    assert_true(map.out.prt.quake3.wanted);
    assert_int_equal(arrlen(map.out.prt.quake3.faces), 6);
    text_map_free(&map);
}

/* The engine reads a brush's box from its first six sides. */
static void sides_begin_with_the_box(void **state)
{
    (void)state;
    static const char wedge[] =
        "{\n( 0 0 64 ) ( 0 64 64 ) ( 64 64 0 ) test/wall 0 0 0 1 1 0 0 0\n"
        "( 0 64 0 ) ( 0 0 0 ) ( 64 0 0 ) test/wall 0 0 0 1 1 0 0 0\n"
        "( 0 0 0 ) ( 0 64 0 ) ( 0 64 64 ) test/wall 0 0 0 1 1 0 0 0\n"
        "( 64 0 0 ) ( 0 0 0 ) ( 0 0 64 ) test/wall 0 0 0 1 1 0 0 0\n"
        "( 0 64 0 ) ( 64 64 0 ) ( 64 64 64 ) test/wall 0 0 0 1 1 0 0 0\n}\n";
    struct text_map map;
    put_room(&map);
    bytes_append_text(&map.text, "%s", wedge);
    q3_map_player(&map, "128 128 32");
    q3_map_compile(&map, STATUS_OK);
    const struct bsp_brush *brush = &map.bsp->brushes[6];
    assert_true(brush->side_count > 6);
    for (int i = 0; i < 6; i++) {
        const struct bsp_brush_side *side = &map.bsp->brush_sides[brush->first_side + i];
        const float *normal = map.bsp->planes[side->plane].normal;
        assert_float_equal(normal[i / 2], (i % 2 ? 1.0F : -1.0F), 0.0F);
    }
    /* The box is closed by a side that was not drawn. */
    const struct bsp_brush_side *east = &map.bsp->brush_sides[brush->first_side + Q3_EAST];
    assert_string_equal(map.bsp->shaders[east->texinfo].name, "noshader");
    assert_float_equal(map.bsp->planes[east->plane].dist, 64.0F, 1e-6F);
    text_map_free(&map);
}

static void only_what_is_seen_is_drawn(void **state)
{
    (void)state;
    struct text_map map;
    put_room(&map);
    q3_map_player(&map, "64 64 32");
    q3_map_compile(&map, STATUS_OK);
    int count;
    assert_float_equal(q3_area(&map, 0, "test/floor", &count), 256.0F * 256, 1);
    assert_int_equal(count, 1);
    assert_float_equal(q3_area(&map, 0, "test/wall", NULL), 256.0F * 256 + 4 * 256.0F * 128, 1);
    text_map_free(&map);
}

/* The part of a side that a wall hides is not drawn; the rest stays one polygon. */
static void a_side_ends_where_a_wall_hides_it(void **state)
{
    (void)state;
    struct text_map map;
    put_room(&map);
    q3_map_box(&map, vec3(0, 0, 0), vec3(64, 256, 128), CAULK);
    q3_map_player(&map, "128 128 32");
    q3_map_compile(&map, STATUS_OK);
    int count;
    assert_float_equal(q3_area(&map, 0, "test/floor", &count), 192.0F * 256, 1);
    assert_int_equal(count, 1);
    assert_float_equal(q3_area(&map, 0, CAULK, &count), 0, 0);
    assert_null(q3_surface_at(&map, vec3(32, 128, 0), vec3(0, 0, 1)));
    assert_non_null(q3_surface_at(&map, vec3(100, 128, 0), vec3(0, 0, 1)));
    text_map_free(&map);
}

/* Nothing is drawn under a wall that parts a side, however thin it is, and both sides of it have
 * luxels of their own. Parts that touch, as around a pillar, stay one polygon; so do those whose
 * hulls overlap. */
static void a_wall_parts_a_side(void **state)
{
    (void)state;
    struct text_map map;
    int count;
    for (int thick = 1; thick <= 8; thick += 7) {
        put_room(&map);
        q3_map_box(&map, vec3(128, 0, 0), vec3(128 + thick, 256, 128), "test/wall");
        q3_map_box(&map, vec3(200, 100, 0), vec3(216, 116, 128), "test/wall");
        q3_map_player(&map, "64 64 32");
        q3_map_entity(&map, "info_player_deathmatch", "\"origin\" \"160 64 32\"");
        q3_map_compile(&map, STATUS_OK);
        assert_float_equal(q3_area(&map, 0, "test/floor", &count), (256.0F - (float)thick) * 256,
                           1);
        assert_int_equal(count, 2);
        assert_null(q3_surface_at(&map, vec3(128 + 0.5 * thick, 128, 0), vec3(0, 0, 1)));
        assert_non_null(q3_surface_at(&map, vec3(208, 108, 0), vec3(0, 0, 1)));
        text_map_free(&map);
    }
    /* A room within an L of walls: the hull of what lies outside of them covers it. */
    put_room(&map);
    q3_map_box(&map, vec3(120, 0, 0), vec3(128, 128, 128), "test/wall");
    q3_map_box(&map, vec3(0, 120, 0), vec3(128, 128, 128), "test/wall");
    q3_map_player(&map, "64 64 32");
    q3_map_entity(&map, "info_player_deathmatch", "\"origin\" \"200 200 32\"");
    q3_map_compile(&map, STATUS_OK);
    q3_area(&map, 0, "test/floor", &count);
    assert_int_equal(count, 1);
    text_map_free(&map);
}

/* Opaque sides in one plane are drawn once where they overlap; glass is drawn over them. */
static void coincident_sides_are_drawn_once(void **state)
{
    (void)state;
    struct text_map map;
    put_room(&map);
    q3_map_detail_box(&map, vec3(64, 64, 0), vec3(128, 128, 32), "test/banner2");
    q3_map_detail_box(&map, vec3(64, 64, 0), vec3(128, 128, 32), "test/banner2");
    q3_map_detail_box(&map, vec3(96, 64, 0), vec3(160, 128, 32), "test/banner3");
    q3_map_detail_box(&map, vec3(64, 64, 0), vec3(128, 128, 32), "test/glass");
    q3_map_player(&map, "200 200 16");
    q3_map_compile(&map, STATUS_OK);
    const float sides = 2 * 64 * 32 + 2 * 64 * 32 + 64 * 64;
    assert_float_equal(q3_area(&map, 0, "test/banner2", NULL), sides, 1);
    assert_float_equal(q3_area(&map, 0, "test/banner3", NULL), sides - 2 * 32 * 32 - 32 * 64, 1);
    assert_float_equal(q3_area(&map, 0, "test/glass", NULL), sides, 1);
    text_map_free(&map);
}

static void detail_does_not_cut_the_tree(void **state)
{
    (void)state;
    struct text_map map;
    put_room(&map);
    q3_map_detail_box(&map, vec3(64, 64, 0), vec3(128, 128, 64), "test/glass");
    q3_map_detail_box(&map, vec3(128, 64, 0), vec3(192, 128, 64), "test/wall");
    q3_map_detail_box(&map, vec3(192, 64, 0), vec3(224, 128, 64), "test/wall");
    q3_map_player(&map, "32 32 32");
    q3_map_compile(&map, STATUS_OK);
    assert_int_equal(map.out.prt.cluster_count, 1);
    assert_true(q3_leaf_has(&map, vec3(96, 96, 32), Q3_CONTENTS_SOLID));
    assert_int_equal(q3_leaf_at(&map, vec3(96, 96, 32))->cluster, 0);
    /* Of the two walls the sides where they meet are gone, the one behind glass is there. */
    assert_null(q3_surface_at(&map, vec3(192, 96, 32), vec3(1, 0, 0)));
    assert_null(q3_surface_at(&map, vec3(192, 96, 32), vec3(-1, 0, 0)));
    assert_non_null(q3_surface_at(&map, vec3(128, 96, 32), vec3(-1, 0, 0)));
    text_map_free(&map);
}

static void options_are_for_marked_brushes(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct text_map map;
        put_room(&map);
        q3_map_detail_box(&map, vec3(64, 64, 0), vec3(128, 128, 64), "test/wall");
        q3_map_box(&map, vec3(160, 64, 0), vec3(192, 128, 64), "common/clip");
        q3_map_player(&map, "32 32 32");
        map.options.no_detail = i == 0;
        map.options.full_detail = i == 1;
        q3_map_compile(&map, STATUS_OK);
        assert_int_equal(map.bsp->models[0].brush_count, i == 0 ? 7 : 8);
        assert_int_equal(q3_leaf_at(&map, vec3(96, 96, 32))->cluster < 0, i == 1);
        assert_true(q3_leaf_has(&map, vec3(176, 96, 32), Q3_CONTENTS_PLAYERCLIP));
        text_map_free(&map);
    }
}

/* Brushes of a group are the world's; those of other entities are models, with surfaces of their
 * own around their origin. */
static void entities_have_models(void **state)
{
    (void)state;
    struct text_map map;
    put_room(&map);
    q3_map_entity(&map, "func_group", "\"_lightmapscale\" \"0.5\"");
    q3_map_box(&map, vec3(64, 64, 0), vec3(96, 96, 32), "test/banner");
    q3_map_entity(&map, "func_door", "\"angle\" \"90\"");
    q3_map_box(&map, vec3(160, 160, 32), vec3(192, 192, 64), "test/wall");
    q3_map_box(&map, vec3(170, 170, 40), vec3(174, 174, 44), "common/origin");
    q3_map_player(&map, "32 32 32");
    q3_map_compile(&map, STATUS_OK);
    const struct bsp *bsp = map.bsp;
    assert_int_equal(arrlen(bsp->models), 2);
    assert_int_equal(bsp->models[0].brush_count, 7);
    assert_int_equal(bsp->models[1].first_brush, 7);
    assert_int_equal(bsp->models[1].brush_count, 1);
    assert_float_equal(bsp->models[1].mins[0], 160.0F - 172.0F, 1e-5F);
    assert_float_equal(q3_area(&map, 1, "test/wall", NULL), 6 * 32.0F * 32, 0.1F);
    assert_true(q3_lump_has(bsp, "\"model\" \"*1\""));
    assert_true(q3_lump_has(bsp, "\"origin\" \"172 172 42\""));
    assert_false(q3_lump_has(bsp, "func_group"));
    int count;
    assert_float_equal(q3_area(&map, 0, "test/banner", &count), 5 * 32.0F * 32, 0.1F);
    for (int i = 0; i < bsp->models[0].face_count; i++) {
        bool group = strstr(q3_shader_name(&map, &bsp->surfaces[i]), "banner") != NULL;
        assert_float_equal(map.out.notes.items[i].sample_size, (group ? 8.0F : 16.0F), 1e-6F);
        assert_int_equal(map.out.notes.items[i].entity, 0);
    }
    /* In the lump the door comes next to the world. */
    assert_int_equal(map.out.notes.items[bsp->models[1].first_face].entity, 1);
    assert_int_equal(map.out.notes.items[bsp->models[1].first_face].cast_shadows, 0);
    assert_int_equal(arrlen(map.out.notes.items), arrlen(bsp->surfaces));
    text_map_free(&map);
}

static void texture_coordinates_are_in_images(void **state)
{
    (void)state;
    struct text_map map;
    put_room(&map);
    q3_map_player(&map, "64 64 32");
    q3_map_compile(&map, STATUS_OK);
    const struct bsp_surface *floor = q3_surface_at(&map, vec3(100, 100, 0), vec3(0, 0, 1));
    assert_non_null(floor);
    for (int i = 0; i < floor->vertex_count; i++) {
        const struct bsp_draw_vertex *vertex = &map.bsp->draw_vertices[floor->first_vertex + i];
        /* Half a unit a texel, 64 texels an image; the middle of the floor comes to 0. */
        assert_float_equal(vertex->texture[0], vertex->p[0] / 32.0F - 4, 1e-5F);
        assert_float_equal(vertex->texture[1], 4 - vertex->p[1] / 32.0F, 1e-5F);
        assert_float_equal(vertex->normal[2], 1.0F, 0.0F);
        assert_int_equal(vertex->colour[3], 255);
    }
    assert_float_equal(floor->normal[2], 1.0F, 0.0F);
    assert_int_equal(map.bsp->draw_indices[3], 0);
    assert_int_equal(map.bsp->draw_indices[5], 3);
    text_map_free(&map);
}

static void sky_is_drawn_without_a_lightmap(void **state)
{
    (void)state;
    struct text_map map;
    put_room(&map);
    q3_map_box(&map, vec3(0, 0, 112), vec3(256, 256, 128), "test/sky");
    q3_map_player(&map, "64 64 32");
    q3_map_compile(&map, STATUS_OK);
    const struct bsp_surface *sky = q3_surface_at(&map, vec3(100, 100, 112), vec3(0, 0, -1));
    assert_non_null(sky);
    assert_int_equal(sky->type, SURFACE_PLANAR);
    assert_true(sky->lightmap < 0);
    assert_float_equal(map.out.notes.items[sky - map.bsp->surfaces].sample_size, 0.0F, 0.0F);
    text_map_free(&map);
}

static void a_leak_is_reported_and_all_is_written(void **state)
{
    (void)state;
    struct text_map map;
    q3_map_init(&map);
    q3_map_box(&map, vec3(0, 0, -16), vec3(256, 256, 0), "test/floor");
    q3_map_player(&map, "64 64 32");
    q3_map_compile(&map, STATUS_LEAK);
    assert_non_null(map.out.leak);
    assert_int_equal(map.out.prt.cluster_count, 0);
    assert_int_equal(q3_leaf_at(&map, vec3(64, 64, 32))->cluster, 0);
    assert_non_null(q3_surface_at(&map, vec3(100, 100, 0), vec3(0, 0, 1)));
    text_map_free(&map);
}

static void a_world_of_doors_is_no_world(void **state)
{
    (void)state;
    struct text_map map;
    q3_map_init(&map);
    q3_map_entity(&map, "func_door", "");
    q3_map_box(&map, vec3(0, 0, 0), vec3(64, 64, 64), "test/wall");
    q3_map_player(&map, "128 128 32");
    q3_map_run(&map, STATUS_FAILED);
    assert_non_null(q3_report(&map, DIAG_NO_BRUSHES));
    text_map_free(&map);
}

/* Many rooms in a row, with doorways, glass and detail, in several blocks. */
static void put_row(struct text_map *map)
{
    q3_map_init(map);
    q3_map_room(map, vec3(-1600, 0, -40), vec3(1600, 256, 128));
    for (int i = -5; i <= 5; i++) {
        double x = i * 256.0 + 3.5 * i;
        q3_map_box(map, vec3(x, 0, -40), vec3(x + 16, 96, 128), "test/wall");
        q3_map_box(map, vec3(x, 160, -40), vec3(x + 16, 256, 128), "test/wall");
        q3_map_box(map, vec3(x, 96, 64), vec3(x + 16, 160, 128), "test/glass");
        q3_map_detail_box(map, vec3(x + 40, 40, -40), vec3(x + 80, 90 + i, 30), "test/wall");
    }
    q3_map_player(map, "64 128 0");
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    struct bytes files[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        struct text_map map;
        put_row(&map);
        map.env.threads = i == 0 ? 1 : i == 1 ? 2 : 7;
        q3_map_run(&map, STATUS_OK);
        q3_map_encode(&map, &files[i]);
        prt_format(&map.out.prt, &files[i]);
        surface_notes_format(&map.out.notes, map.bsp, &files[i]);
        assert_true(map.out.prt.cluster_count > 12);
        assert_int_equal(files[i].size, files[0].size);
        assert_memory_equal(files[i].data, files[0].data, files[0].size);
        text_map_free(&map);
    }
    for (int i = 0; i < 3; i++)
        bytes_free(&files[i]);
}

static int cluster_count_with(const char *key, double option)
{
    struct text_map map;
    q3_map_init(&map);
    if (key)
        bytes_append_text(&map.text, "\"_blocksize\" \"%s\"\n", key);
    q3_map_room(&map, vec3(16, 16, 16), vec3(1000, 500, 500));
    q3_map_player(&map, "64 64 64");
    map.options.block_size = option;
    q3_map_compile(&map, STATUS_OK);
    int count = map.out.prt.cluster_count;
    text_map_free(&map);
    return count;
}

static void blocks_cut_along_all_axes(void **state)
{
    (void)state;
    assert_int_equal(cluster_count_with(NULL, -1), 1);
    assert_int_equal(cluster_count_with("512 512 512", -1), 2);
    assert_int_equal(cluster_count_with("512 256 256", -1), 8);
    assert_int_equal(cluster_count_with("256", -1), 16);
    assert_int_equal(cluster_count_with("0 0 256", -1), 2);
    assert_int_equal(cluster_count_with("256", 0), 1);
}

/* By default the level's format chooses the target. */
static void the_source_chooses_the_target(void **state)
{
    (void)state;
    static const struct {
        const char *source, *target, *expected;
    } cases[] = {{"a.map", NULL, "quake3"},
                 {"a.vmf", NULL, "sdk2013"},
                 {"a.vmm", NULL, "sdk2013"},
                 {"a.map", "css19", "css19"},
                 {"a.vmf", "quake3", "quake3"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct vbsp_settings settings = vbsp_settings_defaults();
        const struct bsp_format *format;
        settings.target = cases[i].target;
        assert_int_equal(vbsp_settings_finish(&settings, cases[i].source, diag, &format),
                         STATUS_OK);
        assert_string_equal(format->target, cases[i].expected);
        assert_ptr_equal(settings.options.engine,
                         strcmp(format->target, "quake3") == 0 ? &engine_quake3 : &engine_source);
        diag_free(diag);
    }
}

SUITE(test_q3_world)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_room_is_open_inside_and_solid_around),
        cmocka_unit_test(sides_begin_with_the_box),
        cmocka_unit_test(only_what_is_seen_is_drawn),
        cmocka_unit_test(a_side_ends_where_a_wall_hides_it),
        cmocka_unit_test(a_wall_parts_a_side),
        cmocka_unit_test(coincident_sides_are_drawn_once),
        cmocka_unit_test(detail_does_not_cut_the_tree),
        cmocka_unit_test(options_are_for_marked_brushes),
        cmocka_unit_test(entities_have_models),
        cmocka_unit_test(texture_coordinates_are_in_images),
        cmocka_unit_test(sky_is_drawn_without_a_lightmap),
        cmocka_unit_test(a_leak_is_reported_and_all_is_written),
        cmocka_unit_test(a_world_of_doors_is_no_world),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(blocks_cut_along_all_axes),
        cmocka_unit_test(the_source_chooses_the_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
