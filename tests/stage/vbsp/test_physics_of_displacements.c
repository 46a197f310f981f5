/* Collision of displacements: virtual meshes, or hulls in the world. */
#include "tests/support/suite.h"

#include "common/bsp/lumps/physics.h"
#include "tests/support/physics_solids.h"
#include "tests/support/vbsp/text_map.h"

enum { TRIANGLES = 32 };

/* A room whose floor has a block of 128 x 128 with a displacement of power 2 on it, a spike of 40
 * units in its middle. */
static void compile_room(struct text_map *map, bool soup, int version)
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
    bytes_append_text(&map->text, "}\n");
    text_map_entity(map, "info_player_start", "origin \"20 20 64\"");
    text_map_compile(map, STATUS_OK);
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

/* The hulls reach from the surface to a unit below it; their volume in cubic metres. */
static void expect_under_the_surface(const struct physics_solid *solid, double *volume)
{
    struct bounds bounds = bounds_empty();
    for (int32_t i = 0; i < arrlen(solid->points); i++) {
        struct vec3 p = physics_point(solid, i);
        bounds_add_point(&bounds, vec3_scale(vec3(p.x, p.z, -p.y), 1 / 0.0254));
    }
    assert_float_equal(bounds.mins.z, 15, 0.01); /* a unit below what is flat */
    assert_float_equal(bounds.maxs.z, 56, 0.01);
    assert_float_equal(bounds.mins.x, 64, 0.01);
    assert_float_equal(bounds.maxs.y, 192, 0.01);
    *volume = 0;
    for (size_t i = 0; i < arrlenu(solid->triangles); i++) {
        const struct physics_edge *edges = solid->triangles[i].edges;
        struct vec3 a = physics_point(solid, edges[0].point);
        *volume += vec3_dot(a, vec3_cross(physics_point(solid, edges[1].point),
                                          physics_point(solid, edges[2].point))) /
                   6;
    }
}

static void expect_hulls(const struct text_map *map)
{
    struct physics physics;
    struct physics_solid solid;
    double volume;
    decode(map, &physics, 2);
    assert_null(strstr(text_of(&physics), "virtualterrain"));
    assert_non_null(strstr(text_of(&physics),
                           "staticsolid {\n\"index\" \"1\"\n\"contents\" \"33570827\"\n}\n"));
    assert_int_equal(physics_solid_decode(&physics.models[0].solids[1], NULL, map->diag, &solid),
                     STATUS_OK);
    physics_check_solid(&solid);
    assert_int_equal(arrlen(solid.ledges), TRIANGLES);
    for (int i = 0; i < TRIANGLES; i++) {
        assert_int_equal(solid.ledges[i].triangle_count, 4);
        assert_int_equal(map->bsp->brushes[solid.ledges[i].client].contents, CONTENTS_SOLID);
        assert_int_equal(solid.triangles[4 * i].material, 1);
    }
    expect_under_the_surface(&solid, &volume);
    /* Each is a pyramid of a unit on its triangle: their volume is a third of the area. */
    volume /= 0.0254 * 0.0254 * 0.0254;
    assert_true(volume > 128 * 128 / 3.0 && volume < 128 * 128 * 1.3 / 3.0);
    /* No virtual meshes at all. */
    assert_true(map->bsp->displacement_physics.size == 2 &&
                load_u16(map->bsp->displacement_physics.data) == 0);
    physics_solid_free(&solid);
    physics_free(&physics);
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

SUITE(test_physics_of_displacements)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meshes_are_not_in_the_world),
        cmocka_unit_test(test_hulls_by_option),
        cmocka_unit_test(test_hulls_in_files_that_know_no_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
