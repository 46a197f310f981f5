/* Patches as grids of points. */
#include "tests/support/suite.h"

#include "common/bsp/patch_surface.h"
#include "common/core/array.h"
#include "tests/support/near.h"

/* A quarter of a tube along y, of 3 x 3 control points. */
static struct bsp *tube(double radius, bool with_normals)
{
    struct bsp *bsp = bsp_new();
    for (int i = 0; i < 9; i++) {
        int across = i % 3;
        struct bsp_draw_vertex vertex = {.p = {across < 2 ? 0 : (float)radius,
                                               64.0f * (float)(i / 3),
                                               across > 0 ? (float)radius : 0},
                                         .texture = {(float)across, (float)(i / 3)}};
        vertex.normal[0] = with_normals ? (across < 2 ? -1.0f : 0) : 0;
        vertex.normal[2] = with_normals ? (across > 0 ? 1.0f : 0) : 0;
        arrput(bsp->draw_vertices, vertex);
    }
    struct bsp_surface surface = {.type = SURFACE_PATCH, .vertex_count = 9, .patch_size = {3, 3}};
    arrput(bsp->surfaces, surface);
    return bsp;
}

static void test_curve(void **state)
{
    (void)state;
    struct bsp *bsp = tube(64, true);
    struct arena arena = {0};
    struct patch_surface grid;
    assert_true(patch_surface_build(bsp, &bsp->surfaces[0], 0.5, 0, &arena, &grid));
    assert_true(grid.columns > 3);
    assert_int_equal(grid.rows, 2); /* straight in that direction */
    /* A parabola through (0, 0) and (r, r), tangent to lines along both axes. */
    for (int c = 0; c < grid.columns; c++) {
        double t = (double)c / (grid.columns - 1);
        assert_near(grid.points[c].p.x, 64 * t * t, 1e-9);
        assert_near(grid.points[c].p.z, 64 * (1 - (1 - t) * (1 - t)), 1e-9);
        assert_near(grid.points[c].texture[0], 2 * t, 1e-9);
        assert_near(vec3_length(grid.points[c].normal), 1, 1e-9);
    }
    /* The middle of a chord is within the error of the curve. */
    for (int c = 1; c < grid.columns; c++) {
        double t = (c - 0.5) / (grid.columns - 1);
        struct vec3 middle = vec3_lerp(grid.points[c - 1].p, grid.points[c].p, 0.5);
        assert_true(fabs(middle.x - 64 * t * t) < 0.5);
    }
    arena_free(&arena);
    bsp_free(bsp);
}

static void test_pieces_and_normals(void **state)
{
    (void)state;
    struct bsp *bsp = tube(32, false);
    struct arena arena = {0};
    struct patch_surface grid;
    assert_true(patch_surface_build(bsp, &bsp->surfaces[0], 0, 4, &arena, &grid));
    assert_int_equal(grid.columns, 5);
    assert_int_equal(grid.rows, 5);
    for (int i = 0; i < 25; i++)
        assert_near(vec3_length(grid.points[i].normal), 1, 1e-9);
    arena_free(&arena);
    bsp_free(bsp);
}

static void test_damaged(void **state)
{
    (void)state;
    struct bsp *bsp = tube(32, true);
    struct arena arena = {0};
    struct patch_surface grid;
    bsp->draw_vertices[4].p[1] = NAN;
    assert_false(patch_surface_build(bsp, &bsp->surfaces[0], 1, 0, &arena, &grid));
    bsp->draw_vertices[4].p[1] = 0;
    bsp->surfaces[0].patch_size[0] = 4;
    assert_false(patch_surface_build(bsp, &bsp->surfaces[0], 1, 0, &arena, &grid));
    arena_free(&arena);
    bsp_free(bsp);
}

SUITE(test_patch_surface)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curve),
        cmocka_unit_test(test_pieces_and_normals),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
