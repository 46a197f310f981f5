#include "tests/support/suite.h"

#include "tests/support/vbsp/hand_faces.h"

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
