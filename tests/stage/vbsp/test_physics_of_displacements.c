/* Collision of displacements: virtual meshes, or hulls in the world. */
#include "tests/support/suite.h"

#include "common/bsp/lumps/physics.h"
#include "common/diag/codes/replacements.def"
#include "tests/support/physics_solids.h"
#include "tests/support/vbsp/text_map.h"

enum { TRIANGLES = 32, TRIANGLES_OF_POWER_4 = 512 };

/* A room whose floor has a block of 128 x 128 with a displacement of power 2 on it, a spike of 40
 * units in its middle. */
static void compile_with(struct text_map *map, bool soup, int version, const char *more)
{
    static const char dispinfo[] =
        "dispinfo { power 2 startposition \"[64 64 16]\" flags 0\n normals { row2 \"0 0 0 0 0 0 0 "
        "0 1 "
        "0 0 0 0 0 0\" } distances { row0 \"0 0 0 0 0\" row1 \"0 0 0 0 0\" row2 \"0 0 40 0 0\" "
        "row3 \"0 0 0 0 0\" row4 \"0 0 0 0 0\" } }";
    const double sides[BOX_SIDES][9] = {
        {64, 192, 16, 192, 192, 16, 192, 64, 16}, {64, 64, 0, 192, 64, 0, 192, 192, 0},
        {64, 192, 16, 64, 64, 16, 64, 64, 0},     {192, 192, 0, 192, 64, 0, 192, 64, 16},
        {192, 192, 16, 64, 192, 16, 64, 192, 0},  {192, 64, 0, 64, 64, 0, 64, 64, 16},
    };
    text_map_init(map);
    map->options.no_virtual_mesh = soup;
    map->options.file_version = version;
    text_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
    bytes_append_text(&map->text, "solid { id %d\n", ++map->ids);
    for (int i = 0; i < BOX_SIDES; i++) {
        map->extra = i == BOX_TOP ? dispinfo : NULL;
        text_map_side(map, sides[i], "floor");
    }
    map->extra = NULL;
    bytes_append_text(&map->text, "}\n%s", more);
    text_map_entity(map, "info_player_start", "origin \"20 20 64\"");
    text_map_compile(map, STATUS_OK);
}

static void compile_room(struct text_map *map, bool soup, int version)
{
    compile_with(map, soup, version, "");
    assert_int_equal(arrlen(map->bsp->displacements), 1);
}

static void decode(const struct text_map *map, struct physics *physics, int solids)
{
    assert_int_equal(physics_decode(&map->bsp->physics, NULL, map->diag, physics), STATUS_OK);
    assert_int_equal(arrlen(physics->models), 1);
    assert_int_equal(arrlen(physics->models[0].solids), solids);
}

static const char *text_of(const struct physics *physics)
{
    return (const char *)physics->models[0].text.data;
}

static void test_meshes_are_not_in_the_world(void **state)
{
    (void)state;
    struct text_map map;
    struct physics physics;
    compile_room(&map, false, 20);
    decode(&map, &physics, 1);
    assert_non_null(strstr(text_of(&physics), "virtualterrain {}\n"));
    /* A pyramid: 6 triangles, 9 edges. */
    assert_int_equal(map.bsp->displacement_physics.size, 4 + 9 + 4 * 6 + 2 * 9);
    physics_free(&physics);
    text_map_free(&map);
}

/* The flat hulls lie in the surface; their area in square units, of one side. */
static double expect_in_the_surface(const struct physics_solid *solid, struct bounds expected)
{
    struct bounds bounds = bounds_empty();
    double area = 0;
    for (int32_t i = 0; i < arrlen(solid->points); i++) {
        struct vec3 p = physics_point(solid, i);
        bounds_add_point(&bounds, vec3_scale(vec3(p.x, p.z, -p.y), 1 / 0.0254));
    }
    assert_true(vec3_distance(bounds.mins, expected.mins) < 0.01);
    assert_true(vec3_distance(bounds.maxs, expected.maxs) < 0.01);
    for (size_t i = 0; i < arrlenu(solid->triangles); i++)
        area += vec3_length(physics_normal(solid, &solid->triangles[i])) / 4;
    return area / (0.0254 * 0.0254);
}

static void decode_surface(const struct text_map *map, struct physics_solid *solid)
{
    struct physics physics;
    decode(map, &physics, 2);
    assert_null(strstr(text_of(&physics), "virtualterrain"));
    assert_non_null(strstr(text_of(&physics), "staticsolid {\n\"index\" \"1\"\n}\n"));
    assert_int_equal(physics_solid_decode(&physics.models[0].solids[1], NULL, map->diag, solid),
                     STATUS_OK);
    physics_check_solid(solid);
    physics_free(&physics);
    assert_int_equal(map->bsp->displacement_physics.size, 0); /* no virtual meshes at all */
}

static void expect_flat_hulls(const struct physics_solid *solid, int count)
{
    assert_int_equal(arrlen(solid->ledges), count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(solid->ledges[i].triangle_count, 2);
        assert_int_equal(solid->ledges[i].client, 0);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(solid->triangles[2 * i + k].material, 1);
            assert_int_equal(solid->triangles[2 * i + k].pierce, 1 - k);
        }
    }
}

static void expect_hulls(const struct text_map *map)
{
    struct physics_solid solid;
    decode_surface(map, &solid);
    expect_flat_hulls(&solid, TRIANGLES);
    double area =
        expect_in_the_surface(&solid, (struct bounds){vec3(64, 64, 16), vec3(192, 192, 56)});
    assert_true(area > 128 * 128 && area < 128 * 128 * 1.3);
    /* In the axes of the file. */
    struct vec3 centre = vec3_scale(vec3_from_floats(solid.mass_centre), 1 / 0.0254);
    assert_true(vec3_distance(centre, vec3(128, -20, 128)) < 4.1);
    assert_true(solid.inertia[1] > 0);
    physics_solid_free(&solid);
}

static void test_hulls_by_option(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, true, 20);
    expect_hulls(&map);
    text_map_free(&map);
}

static void test_hulls_in_files_that_know_no_meshes(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, false, 19);
    expect_hulls(&map);
    text_map_free(&map);
}

/* A displacement of power 4 beside the other. The engine has meshes of all of them or of none. */
static void test_hulls_with_the_greatest_power(void **state)
{
    (void)state;
    struct text_map map;
    struct physics_solid solid;
    compile_with(&map, false, 20,
                 "solid { id 900 "
                 "side { id 901 plane \"(0 16 16) (64 16 16) (64 0 16)\" material floor "
                 "uaxis \"[1 0 0 0] 0.25\" vaxis \"[0 -1 0 0] 0.25\" lightmapscale 16 "
                 "dispinfo { power 4 startposition \"[0 0 16]\" } } "
                 "side { id 902 plane \"(0 0 0) (64 0 0) (64 16 0)\" material floor "
                 "uaxis \"[1 0 0 0] 0.25\" vaxis \"[0 -1 0 0] 0.25\" lightmapscale 16 } "
                 "side { id 903 plane \"(0 16 16) (0 0 16) (0 0 0)\" material floor "
                 "uaxis \"[0 1 0 0] 0.25\" vaxis \"[0 0 -1 0] 0.25\" lightmapscale 16 } "
                 "side { id 904 plane \"(64 16 0) (64 0 0) (64 0 16)\" material floor "
                 "uaxis \"[0 1 0 0] 0.25\" vaxis \"[0 0 -1 0] 0.25\" lightmapscale 16 } "
                 "side { id 905 plane \"(64 16 16) (0 16 16) (0 16 0)\" material floor "
                 "uaxis \"[1 0 0 0] 0.25\" vaxis \"[0 0 -1 0] 0.25\" lightmapscale 16 } "
                 "side { id 906 plane \"(64 0 0) (0 0 0) (0 0 16)\" material floor "
                 "uaxis \"[1 0 0 0] 0.25\" vaxis \"[0 0 -1 0] 0.25\" lightmapscale 16 } }\n");
    assert_int_equal(arrlen(map.bsp->displacements), 2);
    assert_int_equal(diag_count_code(map.diag, DIAG_DISPLACEMENT_HULL), 0);
    decode_surface(&map, &solid);
    expect_flat_hulls(&solid, TRIANGLES + TRIANGLES_OF_POWER_4);
    physics_solid_free(&solid);
    text_map_free(&map);
}

SUITE(test_physics_of_displacements)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meshes_are_not_in_the_world),
        cmocka_unit_test(test_hulls_by_option),
        cmocka_unit_test(test_hulls_in_files_that_know_no_meshes),
        cmocka_unit_test(test_hulls_with_the_greatest_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
