/* Points far outside of the world, which only define a plane. */
#include "tests/support/suite.h"

#include <math.h>

#include "common/geom/plane.h"
#include "tests/support/near.h"
#include "vbsp/level/level.h"
#include "vbsp/level/plane_points.h"

static bool are_near(const struct vec3 points[3])
{
    for (int i = 0; i < 9; i++)
        if (!(fabs(points[i / 3].e[i % 3]) <= MAP_POINT_LIMIT))
            return false;
    return true;
}

/* The plane through three whole points n x = d, of which the numbers are known exactly. */
static void check_plane(const struct vec3 drawn[3], struct vec3 normal, double dist)
{
    struct vec3 points[3] = {drawn[0], drawn[1], drawn[2]};
    struct plane plane;
    assert_true(plane_points_fit(points));
    assert_true(plane_points_settle(points));
    assert_true(are_near(points));
    assert_true(plane_from_points(points[0], points[1], points[2], &plane));
    double length = vec3_length(normal);
    assert_true(vec3_distance(plane.normal, vec3_scale(normal, 1 / length)) < 1e-12);
    assert_near(plane.dist, dist / length, 1e-6);
}

static void axial_planes_are_exact(void **state)
{
    (void)state;
    struct vec3 points[3] = {{.e = {-256, 128e6, 0}}, {.e = {-256, 0, 0}}, {.e = {-256, 0, 128e6}}};
    struct plane plane;
    assert_true(plane_points_settle(points));
    assert_true(plane_from_points(points[0], points[1], points[2], &plane));
    assert_true(plane.normal.x == 1 && plane.normal.y == 0 && plane.normal.z == 0);
    assert_true(plane.dist == -256);
}

/* x + 2 y + 3 z = 600: points of it that are more or less far, in both orders. Products of their
 * coordinates need more than 53 bits. */
static void slopes_are_right_to_the_last_digits(void **state)
{
    (void)state;
    static const struct vec3 rows[][3] = {
        {{.e = {600, 0, 0}}, {.e = {128000000, -63999703, 2}}, {.e = {0, 300, 0}}},
        {{.e = {128000000, -127999999, 42666866}},
         {.e = {0, -63999999, 42666866}},
         {.e = {600, 0, 0}}},
        {{.e = {200000000, 11, -66666474}}, {.e = {0, 300, 0}}, {.e = {3, 0, 199}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vec3 ab = vec3_sub(rows[i][0], rows[i][1]), cb = vec3_sub(rows[i][2], rows[i][1]);
        double sign = vec3_cross(ab, cb).z > 0 ? 1 : -1;
        const struct vec3 back[3] = {rows[i][2], rows[i][1], rows[i][0]};
        const struct vec3 turned[3] = {rows[i][1], rows[i][2], rows[i][0]};
        check_plane(rows[i], vec3(sign, 2 * sign, 3 * sign), 600 * sign);
        check_plane(turned, vec3(sign, 2 * sign, 3 * sign), 600 * sign);
        check_plane(back, vec3(-sign, -2 * sign, -3 * sign), -600 * sign);
    }
}

static void near_points_stay(void **state)
{
    (void)state;
    struct vec3 points[3] = {{.e = {65536, 0, 0}}, {.e = {0, -65536, 1}}, {.e = {0, 3, 2}}};
    const struct vec3 before[3] = {points[0], points[1], points[2]};
    assert_true(plane_points_settle(points));
    assert_memory_equal(points, before, sizeof before);
}

static void what_is_no_plane(void **state)
{
    (void)state;
    struct vec3 line[3] = {{.e = {1e8, 1e8, 0}}, {.e = {0, 0, 0}}, {.e = {-1e8, -1e8, 0}}};
    const struct vec3 huge[3] = {{.e = {3e8, 0, 0}}, {.e = {0, 1, 0}}, {.e = {0, 0, 1}}};
    const struct vec3 infinite[3] = {
        {.e = {1, 0, 0}}, {.e = {0, (double)INFINITY, 0}}, {.e = {0, 0, 1}}};
    const struct vec3 nan_point[3] = {
        {.e = {1, 0, 0}}, {.e = {0, 1, 0}}, {.e = {0, 0, (double)NAN}}};
    assert_false(plane_points_settle(line));
    assert_false(plane_points_fit(huge));
    assert_false(plane_points_fit(infinite));
    assert_false(plane_points_fit(nan_point));
}

SUITE(test_plane_points)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axial_planes_are_exact),
        cmocka_unit_test(slopes_are_right_to_the_last_digits),
        cmocka_unit_test(near_points_stay),
        cmocka_unit_test(what_is_no_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
