/* Options of q3map2 for the whole map: what each changes, and what keys and shaders keep. */
#include "tests/support/suite.h"

#include "common/assets/shaders/shader.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "tests/support/near.h"
#include "tests/support/vbsp/q3_map.h"
#include "vbsp/target/quake3/surfaces/surface_options.h"

static const char game_scripts[] =
    "textures/more/sheet\n{\nq3map_tessSize 32\n{\nmap $lightmap\n}\n}\n"
    "textures/more/fine\n{\nq3map_lightmapSampleSize 4\n{\nmap $lightmap\n}\n}\n"
    "textures/more/coarse\n{\nq3map_lightmapSampleSize 64\n{\nmap $lightmap\n}\n}\n"
    "textures/more/hard\n{\nsurfaceparm noob\nsurfaceparm nomarks\n{\nmap $lightmap\n}\n}\n"
    "models/plate\n{\n}\n";

static const char plate[] = "v 0 0 0\nv 32 0 0\nv 32 32 0\nv 0 32 0\nvt 0 0\nvt 1 0\nvt 1 1\n"
                            "usemtl models/plate\nf 1/1 2/2 3/3\nf 1/1 3/3 4/1\n";

static void start(struct text_map *map)
{
    q3_map_init(map);
    text_map_put(map, "game/scripts/more.shader", game_scripts);
    text_map_put(map, "game/models/plate.obj", plate);
    q3_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
}

static void finish(struct text_map *map)
{
    q3_map_player(map, "32 32 32");
    q3_map_compile(map, STATUS_OK);
}

/* --- -celshader --- */

static void a_shader_outlines_what_no_key_names(void **state)
{
    (void)state;
    struct text_map map;
    start(&map);
    q3_map_entity(&map, "func_group", "\"_celshader\" \"none\"");
    q3_map_box(&map, vec3(64, 64, 32), vec3(96, 96, 64), "test/glass");
    q3_map_entity(&map, "func_group", "\"_celshader\" \"test/water\"");
    q3_map_box(&map, vec3(160, 64, 32), vec3(192, 96, 64), "test/glass");
    map.options.cel_shader = "test/banner";
    finish(&map);
    assert_near((double)q3_area(&map, 0, "test/banner", NULL), 2 * 65536 + 4 * 32768, 1);
    assert_near((double)q3_area(&map, 0, "test/water", NULL), 6 * 32 * 32, 1);
    text_map_free(&map);
}

/* --- -nosubdivide --- */

static int triangles_of(const struct text_map *map, const char *shader)
{
    int count = 0;
    for (size_t i = 0; i < arrlenu(map->bsp->surfaces); i++)
        if (strcmp(q3_shader_name(map, &map->bsp->surfaces[i]), shader) == 0)
            count += map->bsp->surfaces[i].index_count / 3;
    return count;
}

static void surfaces_stay_whole(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        struct text_map map;
        start(&map);
        q3_map_box(&map, vec3(64, 64, 32), vec3(192, 192, 64), "more/sheet");
        map.options.surfaces = &(struct surface_options){.no_tessellation = whole};
        finish(&map);
        /* Of 128 x 128 units 16 squares, of 128 x 32 units 4. */
        assert_int_equal(triangles_of(&map, "textures/more/sheet"),
                         whole ? 12 : 2 * (2 * 16 + 4 * 4));
        text_map_free(&map);
    }
}

/* --- -maxarea --- */

static double largest_triangle(const struct text_map *map, const char *shader)
{
    double max = 0;
    for (size_t i = 0; i < arrlenu(map->bsp->surfaces); i++) {
        const struct bsp_surface *surface = &map->bsp->surfaces[i];
        for (int j = 0; j + 2 < surface->index_count; j += 3) {
            struct vec3 a = q3_corner(map, surface, j);
            struct vec3 u = vec3_sub(q3_corner(map, surface, j + 1), a);
            struct vec3 v = vec3_sub(q3_corner(map, surface, j + 2), a);
            if (strcmp(q3_shader_name(map, surface), shader) == 0)
                max = fmax(max, vec3_length(vec3_cross(u, v)) / 2);
        }
    }
    return max;
}

enum { PILLAR_SIDES = 15 };

/* A column of that many sides around 128 128, 64 units wide and 64 high. */
static void put_pillar(struct text_map *map, const char *shader)
{
    bytes_append_text(&map->text, "{\n");
    for (int i = 0; i < PILLAR_SIDES; i++) {
        double turn = 2 * 3.14159265358979 * i / (double)PILLAR_SIDES, x = cos(turn), y = sin(turn);
        double at[2] = {128 + 32 * x, 128 + 32 * y};
        bytes_append_text(&map->text,
                          "( %.9g %.9g 8 ) ( %.9g %.9g 8 ) ( %.9g %.9g 9 ) %s 0 0 0 1 1 "
                          "134217728 0 0\n",
                          at[0] - 16 * y, at[1] + 16 * x, at[0], at[1], at[0], at[1], shader);
    }
    map->extra = "134217728 0 0";
    q3_map_side(map, vec3(0, 0, 8), vec3(256, 256, 72), Q3_BOTTOM, shader);
    q3_map_side(map, vec3(0, 0, 8), vec3(256, 256, 72), Q3_TOP, shader);
    map->extra = "0 0 0";
    bytes_append_text(&map->text, "}\n");
}

static void polygons_are_cut_into_large_triangles(void **state)
{
    (void)state;
    const double radius = 32 / cos(3.14159265358979 / (double)PILLAR_SIDES);
    const double max = 0.75 * sqrt(3) * radius * radius; /* of a regular triangle in it */
    for (int large = 0; large < 2; large++) {
        struct text_map map;
        start(&map);
        put_pillar(&map, "test/glass");
        map.options.surfaces = &(struct surface_options){.max_area = large};
        finish(&map);
        double found = largest_triangle(&map, "textures/test/glass");
        assert_true(large ? fabs(found - max) < 1 : found < 0.99 * max);
        assert_near((double)q3_area(&map, 0, "test/floor", NULL), 65536, 1);
        text_map_free(&map);
    }
}

/* --- surfaceparm noob, which -noob gives all shaders --- */

/* Players land on bevels, too. */
static void sides_that_are_added_have_no_overbounces(void **state)
{
    (void)state;
    struct text_map map;
    int bevels = 0;
    start(&map);
    put_pillar(&map, "more/hard");
    finish(&map);
    for (size_t i = 0; i < arrlenu(map.bsp->shaders); i++) {
        const struct bsp_shader *shader = &map.bsp->shaders[i];
        if (strcmp(shader->name, "noshader") == 0) {
            assert_int_equal(shader->surface_flags, Q3_SURFACE_NOOB);
            bevels++;
        }
        if (strcmp(shader->name, "textures/more/hard") == 0)
            assert_int_equal(shader->surface_flags, Q3_SURFACE_NOOB | Q3_SURFACE_NOMARKS);
    }
    assert_int_equal(bevels, 1);
    text_map_free(&map);
}

/* --- -minsamplesize --- */

static double size_of(const struct text_map *map, const char *shader)
{
    for (size_t i = 0; i < arrlenu(map->bsp->surfaces); i++)
        if (strcmp(q3_shader_name(map, &map->bsp->surfaces[i]), shader) == 0)
            return (double)map->out.notes.items[i].sample_size;
    fail_msg("no surface of %s", shader);
    return 0;
}

static void luxels_are_not_smaller_than_asked(void **state)
{
    (void)state;
    static const struct {
        double min, fine, plain, coarse, scaled;
    } cases[] = {{0, 4, 16, 64, 2}, {8, 8, 16, 64, 8}, {32, 32, 32, 64, 32}, {80, 80, 80, 80, 80}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_map map;
        start(&map);
        q3_map_box(&map, vec3(32, 64, 32), vec3(64, 96, 64), "more/fine");
        q3_map_box(&map, vec3(96, 64, 32), vec3(128, 96, 64), "more/coarse");
        q3_map_entity(&map, "func_group", "\"_lightmapscale\" \"0.125\"");
        q3_map_box(&map, vec3(160, 64, 32), vec3(192, 96, 64), "test/glass");
        map.options.min_sample_size = cases[i].min;
        finish(&map);
        assert_near(size_of(&map, "textures/more/fine"), cases[i].fine, 1e-9);
        assert_near(size_of(&map, "textures/test/wall"), cases[i].plain, 1e-9);
        assert_near(size_of(&map, "textures/more/coarse"), cases[i].coarse, 1e-9);
        assert_near(size_of(&map, "textures/test/glass"), cases[i].scaled, 1e-9);
        text_map_free(&map);
    }
}

/* --- -clipdepth, -keepmodels --- */

/* A plate at a height of 64 that faces up. */
static void put_plate(struct text_map *map, const char *keys)
{
    char all[256];
    snprintf(all, sizeof all, "\"origin\" \"128 128 64\"\n\"model\" \"models/plate.obj\"\n%s",
             keys);
    q3_map_entity(map, "misc_model", all);
}

static bool is_solid(const struct text_map *map, double z)
{
    for (int x = 96; x <= 160; x += 8)
        for (int y = 96; y <= 160; y += 8)
            if (q3_leaf_has(map, vec3(x + 1, y + 2, z), Q3_CONTENTS_SOLID))
                return true;
    return false;
}

static void models_clip_as_deep_as_asked(void **state)
{
    (void)state;
    static const struct {
        double option;
        const char *keys;
        double depth;
    } cases[] = {{0, "\"spawnflags\" \"2\"", 2},
                 {8, "\"spawnflags\" \"2\"", 8},
                 {8, "\"spawnflags\" \"2\"\n\"_clipdepth\" \"4\"", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_map map;
        start(&map);
        put_plate(&map, cases[i].keys);
        map.options.clip_depth = cases[i].option;
        finish(&map);
        assert_true(is_solid(&map, 64 - cases[i].depth + 0.25));
        assert_false(is_solid(&map, 64 - cases[i].depth - 0.25));
        text_map_free(&map);
    }
}

/* Their surfaces are the world's all the same. */
static void models_stay_entities(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        struct text_map map;
        start(&map);
        put_plate(&map, "\"spawnflags\" \"4\"");
        q3_map_entity(&map, "func_door", "");
        q3_map_box(&map, vec3(160, 64, 32), vec3(192, 96, 64), "test/glass");
        map.options.keep_models = keep;
        finish(&map);
        assert_int_equal(q3_lump_has(map.bsp, "\"misc_model\""), keep);
        assert_int_equal(q3_lump_has(map.bsp, "\"model\" \"models/plate.obj\""), keep);
        for (size_t i = 0; i < arrlenu(map.bsp->surfaces); i++) {
            const char *name = q3_shader_name(&map, &map.bsp->surfaces[i]);
            bool door = strcmp(name, "textures/test/glass") == 0;
            assert_int_equal(map.out.notes.items[i].entity, door ? 1 + keep : 0);
        }
        text_map_free(&map);
    }
}

SUITE(test_q3_options)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shader_outlines_what_no_key_names),
        cmocka_unit_test(surfaces_stay_whole),
        cmocka_unit_test(polygons_are_cut_into_large_triangles),
        cmocka_unit_test(sides_that_are_added_have_no_overbounces),
        cmocka_unit_test(luxels_are_not_smaller_than_asked),
        cmocka_unit_test(models_clip_as_deep_as_asked),
        cmocka_unit_test(models_stay_entities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
