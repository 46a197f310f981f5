#include "tests/support/suite.h"

#include <math.h>

#include "common/core/random.h"
#include "common/geom/epsilon.h"
#include "common/geom/winding.h"

static struct vec3 random_unit_vector(uint64_t item, uint64_t sample)
{
    struct vec3 v;
    for (int i = 0; i < 3; i++)
        v.e[i] = 2 * random_unit(item, 3 * sample + (uint64_t)i) - 1;
    return vec3_length(v) > 0.01 ? vec3_normalize(v) : vec3(0, 0, 1);
}

static struct winding *square(struct arena *arena, double size)
{
    const struct vec3 points[4] = {vec3(0, 0, 0), vec3(0, size, 0), vec3(size, size, 0),
                                   vec3(size, 0, 0)};
    return winding_new(arena, 4, points);
}

static void test_plane_of_winding_is_where_it_looks(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (uint64_t i = 0; i < 200; i++) {
        struct plane plane = {random_unit_vector(i, 0), 1000 * random_unit(i, 99)};
        struct winding *winding = winding_from_plane(&arena, &plane);
        struct plane back;
        assert_true(winding_plane(winding, &back));
        assert_true(vec3_dot(plane.normal, back.normal) > 1 - 1e-9);
        assert_true(fabs(back.dist - plane.dist) < 1e-6);
        for (int j = 0; j < winding->count; j++)
            assert_true(vec3_length(winding->points[j]) > WORLD_LIMIT * sqrt(3.0));
        arena_reset(&arena);
    }
    arena_free(&arena);
}

static void test_cut_parts_add_up(void **state)
{
    (void)state;
    struct arena arena = {0};
    int crossed = 0;
    for (uint64_t i = 0; i < 500; i++) {
        struct winding *winding = square(&arena, 64);
        struct plane plane = {random_unit_vector(i, 1), 0};
        plane.dist = vec3_dot(plane.normal, vec3(32, 32, 0)) + 40 * (random_unit(i, 50) - 0.5);
        struct winding *front, *back;
        winding_clip(&arena, winding, &plane, 0.001, &front, &back);
        double sum = (front ? winding_area(front) : 0) + (back ? winding_area(back) : 0);
        assert_true(fabs(sum - 64.0 * 64.0) < 1e-6 * 64 * 64);
        crossed += front && back;
        for (int j = 0; front && j < front->count; j++)
            assert_true(plane_distance(&plane, front->points[j]) > -0.0011);
        for (int j = 0; back && j < back->count; j++)
            assert_true(plane_distance(&plane, back->points[j]) < 0.0011);
        arena_reset(&arena);
    }
    assert_true(crossed > 100);
    arena_free(&arena);
}

static void test_points_near_the_plane_do_not_cut(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct winding *winding = square(&arena, 64);
    struct plane plane = {vec3(1, 0, 0), 0.05};
    struct winding *front, *back;
    winding_clip(&arena, winding, &plane, 0.1, &front, &back);
    assert_ptr_equal(front, winding);
    assert_null(back);
    plane = (struct plane){vec3(0, 0, 1), 0.05};
    winding_clip(&arena, winding, &plane, 0.1, &front, &back);
    assert_null(front);
    assert_null(back);
    assert_ptr_equal(winding_clip_behind(&arena, winding, &plane, 0.1), winding);
    arena_free(&arena);
}

/* Both neighbours of an edge must get the same point, or a crack opens between them. */
static void test_cut_point_is_the_same_from_both_sides(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (uint64_t i = 0; i < 300; i++) {
        struct vec3 a = vec3_scale(random_unit_vector(i, 2), 5000);
        struct vec3 b = vec3_scale(random_unit_vector(i, 3), 5000);
        struct vec3 c = vec3_scale(random_unit_vector(i, 4), 5000);
        const struct vec3 one[3] = {a, b, c}, two[3] = {b, a, vec3_neg(c)};
        struct plane plane = {random_unit_vector(i, 5), 0};
        struct winding *parts[2];
        winding_clip(&arena, winding_new(&arena, 3, one), &plane, 0.001, &parts[0], NULL);
        winding_clip(&arena, winding_new(&arena, 3, two), &plane, 0.001, &parts[1], NULL);
        double da = plane_distance(&plane, a), db = plane_distance(&plane, b);
        if (da * db >= 0 || !parts[0] || !parts[1])
            continue;
        struct vec3 cut = vec3_lerp(a, b, da / (da - db));
        struct vec3 found[2] = {vec3(0, 0, 0), vec3(1, 1, 1)};
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < parts[k]->count; j++)
                if (vec3_distance(parts[k]->points[j], cut) < 1e-3)
                    found[k] = parts[k]->points[j];
        assert_memory_equal(&found[0], &found[1], sizeof found[0]);
        arena_reset(&arena);
    }
    arena_free(&arena);
}

static void test_axial_cuts_are_exact(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct vec3 points[3] = {vec3(-3, 7, 1), vec3(1000.1, 2, 5), vec3(17, -999.7, 3)};
    struct plane plane = {vec3(1, 0, 0), 12.3};
    struct winding *front;
    winding_clip(&arena, winding_new(&arena, 3, points), &plane, 0.001, &front, NULL);
    int on = 0;
    for (int i = 0; i < front->count; i++)
        on += front->points[i].x == 12.3;
    assert_int_equal(on, 2);
    arena_free(&arena);
}

static void test_colinear_points_are_dropped(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct vec3 points[6] = {vec3(0, 0, 0),   vec3(0, 32, 0), vec3(0, 64, 0),
                                   vec3(64, 64, 0), vec3(64, 0, 0), vec3(32, 0, 0)};
    struct winding *clean =
        winding_drop_colinear(&arena, winding_new(&arena, 6, points), EPSILON_EQUAL);
    assert_int_equal(clean->count, 4);
    assert_true(fabs(winding_area(clean) - 4096) < 1e-9);
    arena_free(&arena);
}

static void test_what_is_kept_outlives_the_rest(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct winding *before = square(&arena, 64);
    struct arena_mark mark = arena_mark(&arena);
    struct winding *winding = square(&arena, 32), *back;
    for (int i = 0; i < 8; i++) {
        struct plane plane = {vec3(1, 0, 0), 24 - i};
        winding_clip(&arena, winding, &plane, 0.001, NULL, &back);
        winding = back;
    }
    size_t used = arena_mark(&arena).used;
    winding = winding_keep(&arena, mark, winding);
    assert_true(arena_mark(&arena).used < used);
    assert_true(fabs(winding_area(winding) - 17 * 32) < 1e-9);
    assert_true(fabs(winding_area(before) - 64 * 64) < 1e-9);
    assert_null(winding_keep(&arena, mark, NULL));
    arena_free(&arena);
}

static void test_planes_from_points_and_their_meeting(void **state)
{
    (void)state;
    struct plane planes[3];
    assert_true(plane_from_points(vec3(0, 0, 5), vec3(0, 8, 5), vec3(8, 8, 5), &planes[0]));
    assert_true(fabs(planes[0].normal.z - 1) < 1e-12 && fabs(planes[0].dist - 5) < 1e-12);
    assert_false(plane_from_points(vec3(0, 0, 0), vec3(1, 1, 1), vec3(2, 2, 2), &planes[1]));
    planes[1] = (struct plane){vec3(1, 0, 0), 7};
    planes[2] = (struct plane){vec3_normalize(vec3(1, 1, 0)), 0};
    struct vec3 p;
    assert_true(plane_intersection(&planes[0], &planes[1], &planes[2], &p));
    assert_true(vec3_distance(p, vec3(7, -7, 5)) < 1e-9);
    planes[2] = (struct plane){vec3(-1, 0, 0), 3};
    assert_false(plane_intersection(&planes[0], &planes[1], &planes[2], &p));
}

SUITE(test_winding)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane_of_winding_is_where_it_looks),
        cmocka_unit_test(test_cut_parts_add_up),
        cmocka_unit_test(test_points_near_the_plane_do_not_cut),
        cmocka_unit_test(test_cut_point_is_the_same_from_both_sides),
        cmocka_unit_test(test_axial_cuts_are_exact),
        cmocka_unit_test(test_colinear_points_are_dropped),
        cmocka_unit_test(test_what_is_kept_outlives_the_rest),
        cmocka_unit_test(test_planes_from_points_and_their_meeting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
