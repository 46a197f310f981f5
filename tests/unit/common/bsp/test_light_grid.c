/* The light grid of a map of Quake 3. */
#include "tests/support/suite.h"

#include "common/bsp/light_grid.h"
#include "common/core/array.h"
#include "tests/support/near.h"

/* Three points along x in a world of 0 to 140, by 32 in y and z, with cells of 64 32 32. */
static struct bsp *row_of(const uint8_t ambient[3])
{
    struct bsp *bsp = bsp_new();
    struct bsp_model world = {.mins = {1, 0, 0}, .maxs = {200, 31, 31}};
    arrput(bsp->models, world);
    for (int i = 0; i < 3; i++) {
        struct bsp_grid_point point = {.ambient = {ambient[i], 0, 0},
                                       .directed = {10, 20, 30},
                                       .direction = {64, 0}}; /* nearly along x */
        arrput(bsp->light_grid, point);
    }
    return bsp;
}

static void points_are_where_the_engine_has_them(void **state)
{
    (void)state;
    struct bsp *bsp = row_of((const uint8_t[]){1, 1, 1});
    struct light_grid grid = light_grid_of(bsp, vec3(64, 32, 32));
    assert_near(grid.origin.x, 64, 0);
    assert_near(grid.origin.y, 0, 0);
    assert_int_equal(light_grid_points(&grid), 3);
    grid = light_grid_of(bsp, vec3(0, 0, 0));
    assert_near(grid.cell.z, 128, 0);
    bsp->models[0].maxs[0] = 1e30f;
    grid = light_grid_of(bsp, vec3(64, 32, 32));
    assert_int_equal(light_grid_points(&grid), 0);
    bsp_free(bsp);
}

static void light_is_a_mean_without_walls(void **state)
{
    (void)state;
    struct bsp *bsp = row_of((const uint8_t[]){40, 80, 0});
    const struct light_grid grid = light_grid_of(bsp, vec3(64, 32, 32));
    struct grid_light light = light_grid_at(bsp, &grid, vec3(64 + 16, 5, 5));
    assert_near(light.ambient[0], 50, 1e-9);
    assert_near(light.directed[2], 30, 1e-9);
    assert_near(vec3_length(light.towards), 1, 1e-9);
    assert_true(light.towards.x > 0.999);
    /* The last point is in a wall. */
    assert_near(light_grid_at(bsp, &grid, vec3(180, 5, 5)).ambient[0], 80, 1e-9);
    assert_near(light_grid_at(bsp, &grid, vec3(-500, 0, 0)).ambient[0], 40, 1e-9);
    /* All around the place is. */
    assert_near(light_grid_at(bsp, &grid, vec3(500, 0, 0)).ambient[0], 0, 0);
    bsp_free(bsp);
}

SUITE(test_light_grid)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_where_the_engine_has_them),
        cmocka_unit_test(light_is_a_mean_without_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
