#include "tests/support/suite.h"

#include <math.h>

#include "common/core/random.h"
#include "tests/support/vbsp/hand_faces.h"
#include "vbsp/target/source/faces/vertex_grid.h"

static void merge(struct hand_faces *hand)
{
    face_list_merge(&hand->compile, &hand->tree.arena, &hand->list);
}

static void test_two_halves_become_one(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    struct face *a = hand_rectangle(&hand, 0, 0, 64, 128);
    struct face *b = hand_rectangle(&hand, 64, 0, 200, 128);
    merge(&hand);
    struct hand_sum sum = hand_final(&hand);
    assert_int_equal(sum.count, 1);
    assert_float_equal(sum.area, 200 * 128, 1e-6);
    assert_int_equal(sum.last->winding->count, 4); /* the points between them are gone */
    assert_ptr_equal(a->merged, sum.last);
    assert_ptr_equal(b->merged, sum.last);
    struct plane plane;
    assert_true(winding_plane(sum.last->winding, &plane));
    assert_true(plane.normal.z > 0.99); /* still clockwise from above */
    hand_faces_free(&hand);
}

static void test_grid_becomes_one(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++)
            hand_rectangle(&hand, 32 * x, 32 * y, 32 * x + 32, 32 * y + 32);
    struct face *first = hand.list;
    merge(&hand);
    struct hand_sum sum = hand_final(&hand), found = {0};
    assert_int_equal(sum.count, 1);
    assert_float_equal(sum.area, 128 * 128, 1e-6);
    face_final(first, hand_add, &found); /* through several joins */
    assert_ptr_equal(found.last, sum.last);
    hand_faces_free(&hand);
}

static void test_dent_is_refused(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    /* The upper edge of both is common, but the outline of both would turn inward. */
    const double low[4][2] = {{0, 0}, {20, 64}, {80, 64}, {100, 0}};
    const double high[4][2] = {{20, 64}, {0, 128}, {100, 128}, {80, 64}};
    hand_polygon(&hand, true, 0, 4, low);
    hand_polygon(&hand, true, 0, 4, high);
    merge(&hand);
    assert_int_equal(hand_final(&hand).count, 2);
    hand_faces_free(&hand);
}

static void test_convex_corners_stay(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    const double low[4][2] = {{20, 0}, {0, 64}, {100, 64}, {80, 0}};
    const double high[4][2] = {{0, 64}, {20, 128}, {80, 128}, {100, 64}};
    hand_polygon(&hand, true, 0, 4, low);
    hand_polygon(&hand, true, 0, 4, high);
    merge(&hand);
    struct hand_sum sum = hand_final(&hand);
    assert_int_equal(sum.count, 1);
    assert_int_equal(sum.last->winding->count, 6);
    hand_faces_free(&hand);
}

static void test_part_of_an_edge_is_no_common_edge(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    hand_rectangle(&hand, 0, 0, 64, 128);
    hand_rectangle(&hand, 64, 0, 128, 64);
    merge(&hand);
    assert_int_equal(hand_final(&hand).count, 2);
    hand_faces_free(&hand);
}

static void test_different_kinds_stay_apart(void **state)
{
    (void)state;
    for (int difference = 0; difference < 4; difference++) {
        struct hand_faces hand;
        hand_faces_init(&hand);
        hand_rectangle(&hand, 0, 0, 64, 64);
        struct face *other = hand_rectangle(&hand, 64, 0, 128, 64);
        struct bsp_texinfo second = {.flags = 0};
        arrput(hand.compile.texinfos.items, second);
        if (difference == 0)
            other->texinfo = 1;
        else if (difference == 1)
            other->contents = CONTENTS_WATER;
        else if (difference == 2)
            other->smoothing_groups = 2;
        else
            other->plane ^= 1;
        merge(&hand);
        assert_int_equal(hand_final(&hand).count, 2);
        hand_faces_free(&hand);
    }
}

static void test_water_stays_apart_on_demand(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        struct hand_faces hand;
        hand_faces_init(&hand);
        hand.options.no_merge_water = apart;
        hand.compile.texinfos.items[0].flags = SURFACE_WARP;
        hand_rectangle(&hand, 0, 0, 64, 64);
        hand_rectangle(&hand, 64, 0, 128, 64);
        merge(&hand);
        assert_int_equal(hand_final(&hand).count, apart ? 2 : 1);
        hand_faces_free(&hand);
    }
}

static void test_points_near_enough_meet(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    hand_rectangle(&hand, 0, 0, 64, 64);
    hand_rectangle(&hand, 64.0004, -0.0003, 128, 64.0002);
    hand_rectangle(&hand, 0, 64.01, 64, 128);
    merge(&hand);
    assert_int_equal(hand_final(&hand).count, 2);
    hand_faces_free(&hand);
}

/* Cuts leave points that are one beside each other: what is between them is no common edge. */
static void test_repeated_points_are_no_edge(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    const double a[5][2] = {{0, 0}, {0, 64}, {100, 64}, {100, 0.0004}, {100, 0}};
    const double b[5][2] = {{100, 0}, {100, 0.0004}, {100, 64}, {200, 64}, {200, 0}};
    hand_polygon(&hand, true, 0, 5, a);
    hand_polygon(&hand, true, 0, 5, b);
    merge(&hand);
    struct hand_sum sum = hand_final(&hand);
    assert_int_equal(sum.count, 1);
    assert_int_equal(sum.last->winding->count, 4);
    assert_float_equal(winding_area(sum.last->winding), 200 * 64, 1e-6);
    hand_faces_free(&hand);
}

/* Windings with close corners, compared with testing all pairs; and merging of many faces. */

enum { WINDINGS = 400 };

#define REACH 0.001

/* Squares on a grid; some corners are off it by about the reach. */
static struct winding *random_square(struct arena *arena, uint64_t item)
{
    double size = 8 << (int)(random_unit(item, 0) * 4);
    double x = floor(random_unit(item, 1) * 40) * 8 - 160, y = floor(random_unit(item, 2) * 40) * 8;
    struct vec3 points[4] = {vec3(x, y, 0), vec3(x, y + size, 0), vec3(x + size, y + size, 0),
                             vec3(x + size, y, 0)};
    for (uint64_t i = 0; i < 4; i++)
        points[i].x += 1.4 * REACH * (random_unit(item, 3 + i) - 0.5);
    return winding_new(arena, 4, points);
}

static bool have_common_corner(const struct winding *a, const struct winding *b)
{
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (fabs(a->points[i].x - b->points[j].x) <= REACH &&
                fabs(a->points[i].y - b->points[j].y) <= REACH)
                return true;
    return false;
}

static void test_common_corners_are_found(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct vertex_grid index = {0};
    const struct winding *windings[WINDINGS];
    assert_int_equal(arrlen(vertex_grid_near(&index, random_square(&arena, 0), REACH)), 0);
    for (int i = 0; i < WINDINGS; i++) {
        windings[i] = random_square(&arena, (uint64_t)i);
        vertex_grid_add(&index, windings[i]);
    }
    for (int i = 0; i < WINDINGS; i += 3)
        vertex_grid_remove(&index, i);
    int found = 0, listed = 0;
    for (int i = 0; i < WINDINGS; i++) {
        const int *near = vertex_grid_near(&index, windings[i], REACH);
        size_t at = 0;
        listed += (int)arrlen(near);
        for (int j = 0; j < WINDINGS; j++) {
            bool is_listed = at < arrlenu(near) && near[at] == j; /* they ascend */
            at += is_listed;
            assert_false(is_listed && j % 3 == 0);
            if (j % 3 == 0 || !have_common_corner(windings[i], windings[j]))
                continue;
            assert_true(is_listed);
            found++;
        }
        assert_int_equal(at, arrlenu(near));
    }
    assert_true(found > 2 * WINDINGS);
    assert_true(listed < 100 * WINDINGS); /* far from all */
    vertex_grid_free(&index);
    arena_free(&arena);
}

static void test_many_faces_become_one(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    for (int x = 0; x < 12; x++)
        for (int y = 0; y < 12; y++)
            hand_rectangle(&hand, 32 * x, 32 * y, 32 * x + 32, 32 * y + 32);
    hand_rectangle(&hand, 384, 8, 400, 16); /* touches, but has no edge in common */
    face_list_merge(&hand.compile, &hand.tree.arena, &hand.list);
    struct hand_sum sum = hand_final(&hand);
    assert_int_equal(sum.count, 2);
    assert_float_equal(sum.area, 384 * 384 + 16 * 8, 1e-6);
    hand_faces_free(&hand);
}

SUITE(test_merge)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeated_points_are_no_edge),
        cmocka_unit_test(test_two_halves_become_one),
        cmocka_unit_test(test_grid_becomes_one),
        cmocka_unit_test(test_dent_is_refused),
        cmocka_unit_test(test_convex_corners_stay),
        cmocka_unit_test(test_part_of_an_edge_is_no_common_edge),
        cmocka_unit_test(test_different_kinds_stay_apart),
        cmocka_unit_test(test_water_stays_apart_on_demand),
        cmocka_unit_test(test_points_near_enough_meet),
        cmocka_unit_test(test_common_corners_are_found),
        cmocka_unit_test(test_many_faces_become_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
