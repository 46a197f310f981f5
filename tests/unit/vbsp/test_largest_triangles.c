#include "tests/support/suite.h"

#include "common/core/array.h"
#include "tests/support/near.h"
#include "vbsp/faces/outline.h"

static double area_of(const struct vec3 *points, const int *triangle)
{
    struct vec3 u = vec3_sub(points[triangle[1]], points[triangle[0]]);
    struct vec3 v = vec3_sub(points[triangle[2]], points[triangle[0]]);
    return vec3_length(vec3_cross(u, v)) / 2;
}

/* Clockwise from 0 0, with `extra` points on each edge of a square. */
static struct vec3 *square_with(int extra)
{
    const struct vec3 corners[] = {vec3(0, 0, 5), vec3(0, 64, 5), vec3(64, 64, 5), vec3(64, 0, 5)};
    struct vec3 *points = NULL;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k <= extra; k++)
            arrput(points, vec3_lerp(corners[i], corners[(i + 1) % 4], k / (extra + 1.0)));
    return points;
}

static void all_points_are_corners_of_triangles_with_area(void **state)
{
    (void)state;
    for (int extra = 0; extra <= 20; extra++) {
        struct vec3 *points = square_with(extra);
        int *indices = NULL, count = (int)arrlen(points);
        bool used[128] = {false};
        assert_int_equal(triangulate_largest(points, count, &indices), count - 2);
        double sum = 0;
        for (int i = 0; i < 3 * (count - 2); i += 3) {
            assert_true(area_of(points, indices + i) > 1);
            sum += area_of(points, indices + i);
            for (int k = 0; k < 3; k++)
                used[indices[i + k]] = true;
        }
        for (int i = 0; i < count; i++)
            assert_true(used[i]);
        assert_near(sum, 4096, 1e-9);
        arrfree(indices);
        arrfree(points);
    }
}

static void the_largest_is_first(void **state)
{
    (void)state;
    const struct vec3 points[] = {vec3(0, 0, 0),    vec3(-1, 50, 0),   vec3(0, 100, 0),
                                  vec3(50, 101, 0), vec3(100, 100, 0), vec3(60, 20, 0)};
    const int largest[] = {0, 2, 4};
    int *indices = NULL;
    assert_int_equal(triangulate_largest(points, 6, &indices), 4);
    assert_memory_equal(indices, largest, sizeof largest);
    arrfree(indices);
}

/* A triangle with points on one edge: its corners alone would leave a line. */
static void points_on_an_edge_are_kept(void **state)
{
    (void)state;
    const struct vec3 points[] = {vec3(0, 0, 0), vec3(0, 100, 0), vec3(100, 0, 0), vec3(50, 0, 0)};
    int *indices = NULL;
    assert_int_equal(triangulate_largest(points, 4, &indices), 2);
    for (int i = 0; i < 6; i += 3)
        assert_near(area_of(points, indices + i), 2500, 1e-9);
    arrfree(indices);
}

static void a_line_has_no_triangles(void **state)
{
    (void)state;
    const struct vec3 points[] = {vec3(0, 0, 0), vec3(0, 50, 0), vec3(0, 100, 0)};
    int *indices = NULL;
    assert_int_equal(triangulate_largest(points, 3, &indices), 0);
    arrfree(indices);
}

static void outlines_of_many_points_are_cut_too(void **state)
{
    (void)state;
    struct vec3 *points = NULL;
    int *indices = NULL;
    for (int i = 0; i < 300; i++)
        arrput(points, vec3(1000 * sin(i * 0.02), 1000 * cos(i * 0.02), 0));
    assert_int_equal(triangulate_largest(points, 300, &indices), 298);
    arrfree(indices);
    arrfree(points);
}

SUITE(test_largest_triangles)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_points_are_corners_of_triangles_with_area),
        cmocka_unit_test(the_largest_is_first),
        cmocka_unit_test(points_on_an_edge_are_kept),
        cmocka_unit_test(a_line_has_no_triangles),
        cmocka_unit_test(outlines_of_many_points_are_cut_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
