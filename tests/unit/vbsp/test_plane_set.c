#include "tests/support/suite.h"

#include "common/core/array.h"
#include "vbsp/csg/plane_set.h"

static int setup(void **state)
{
    *state = memory_zalloc(1, sizeof(struct plane_set));
    return 0;
}

static int teardown(void **state)
{
    plane_set_free(*state);
    memory_free(*state);
    return 0;
}

static void opposite_planes_are_pairs(void **state)
{
    struct plane_set *set = *state;
    struct vec3 slanted = vec3_normalize(vec3(1, 2, 3));
    int up = plane_set_find(set, vec3(0, 0, 1), 64);
    int down = plane_set_find(set, vec3(0, 0, -1), -64);
    int front = plane_set_find(set, slanted, 10);
    assert_int_equal(down, up ^ 1);
    assert_int_equal(plane_set_find(set, vec3_neg(slanted), -10), front ^ 1);
    assert_int_equal(arrlen(set->planes), 4);
    assert_int_equal(arrlen(set->types), 4);
    for (int i = 0; i < 4; i++) {
        struct plane back = plane_flip(&set->planes[i]);
        assert_true(vec3_distance(back.normal, set->planes[i ^ 1].normal) == 0);
        assert_true(back.dist == set->planes[i ^ 1].dist);
    }
}

static void the_positive_axial_plane_comes_first(void **state)
{
    struct plane_set *set = *state;
    for (int axis = 0; axis < 3; axis++) {
        struct vec3 normal = vec3(0, 0, 0);
        normal.e[axis] = -1;
        int number = plane_set_find(set, normal, 8);
        assert_int_equal(number & 1, 1);
        assert_int_equal(set->types[number], axis);
        assert_true(set->planes[number ^ 1].normal.e[axis] == 1);
        assert_true(set->planes[number ^ 1].dist == -8);
    }
}

static void near_planes_are_one(void **state)
{
    struct plane_set *set = *state;
    int number = plane_set_find(set, vec3(1, 0, 0), 63.996);
    assert_true(set->planes[number].dist == 64);
    assert_int_equal(plane_set_find(set, vec3(1, 4e-6, 0), 64.009), number);
    assert_int_not_equal(plane_set_find(set, vec3(1, 0, 0), 64.02), number);
    assert_true(set->planes[plane_set_find(set, vec3(1, 0, 0), 64.02)].dist == 64.02);
    /* Across the border of two cells of the hash. */
    struct vec3 slanted = vec3_normalize(vec3(3, 4, 5));
    int low = plane_set_find(set, slanted, 15.9955);
    assert_int_equal(plane_set_find(set, slanted, 16.0001), low);
}

static void points_give_planes(void **state)
{
    struct plane_set *set = *state;
    const struct vec3 top[3] = {vec3(0, 64, 32), vec3(64, 64, 32), vec3(64, 0, 32)};
    int number = plane_set_from_points(set, top);
    assert_true(set->planes[number].normal.z == 1 && set->planes[number].dist == 32);
    const struct vec3 bottom[3] = {top[2], top[1], top[0]};
    assert_int_equal(plane_set_from_points(set, bottom), number ^ 1);
    /* Axial within the tolerance: the distance is the mean of the points. */
    const struct vec3 tilted[3] = {vec3(0, 8000, 0.25), vec3(8000, 8000, 0.25),
                                   vec3(8000, 0, 0.28)};
    int snapped = plane_set_from_points(set, tilted);
    assert_true(set->planes[snapped].normal.z == 1);
    assert_true(fabs(set->planes[snapped].dist - 0.26) < 1e-12);
}

/* Else a map with slopes would change its shape when it is moved. */
static void slopes_keep_their_distance(void **state)
{
    struct plane_set *set = *state;
    struct vec3 slope = vec3_normalize(vec3(3, 0, 4));
    int slanted = plane_set_find(set, slope, 4.995);
    int level = plane_set_find(set, vec3(0, 0, 1), 4.995);
    assert_true(set->planes[slanted].dist == 4.995);
    assert_true(set->planes[level].dist == 5);
}

static void turned_slopes_are_snapped(void **state)
{
    struct plane_set *set = *state;
    for (int i = 0; i < 2; i++) {
        /* The slope 3 x + 4 z = 5 d. */
        double d = i ? 4.98 : 4.995, z = 5 * d / 4;
        const struct vec3 points[3] = {vec3(0, 0, z), vec3(4, 0, z - 3), vec3(0, -1, z)};
        int plane = plane_set_from_turned_points(set, points);
        assert_true(fabs(fabs(set->planes[plane].dist) - (i ? d : 5)) < 1e-9);
    }
}

static void bad_points_give_none(void **state)
{
    struct plane_set *set = *state;
    const struct vec3 line[3] = {vec3(0, 0, 0), vec3(1, 1, 1), vec3(3, 3, 3)};
    const struct vec3 spot[3] = {vec3(5, 5, 5), vec3(5, 5, 5), vec3(5, 5, 5)};
    const struct vec3 nan[3] = {vec3((double)NAN, 0, 0), vec3(1, 0, 0), vec3(0, 1, 0)};
    const struct vec3 huge[3] = {vec3(1e200, 0, 0), vec3(0, 1e200, 0), vec3(0, 0, 1e200)};
    assert_int_equal(plane_set_from_points(set, line), -1);
    assert_int_equal(plane_set_from_points(set, spot), -1);
    assert_int_equal(plane_set_from_points(set, nan), -1);
    assert_int_equal(plane_set_from_points(set, huge), -1);
    assert_int_equal(arrlen(set->planes), 0);
}

SUITE(test_plane_set)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(opposite_planes_are_pairs, setup, teardown),
        cmocka_unit_test_setup_teardown(the_positive_axial_plane_comes_first, setup, teardown),
        cmocka_unit_test_setup_teardown(near_planes_are_one, setup, teardown),
        cmocka_unit_test_setup_teardown(points_give_planes, setup, teardown),
        cmocka_unit_test_setup_teardown(slopes_keep_their_distance, setup, teardown),
        cmocka_unit_test_setup_teardown(turned_slopes_are_snapped, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_points_give_none, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
