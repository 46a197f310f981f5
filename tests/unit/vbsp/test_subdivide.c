#include "tests/support/suite.h"

#include "common/diag/codes/face_lightmaps.def"
#include "tests/support/vbsp/hand_faces.h"

/* Widths along x of the strips, in the order in which they are cut off. */
struct strips {
    int count;
    double width[16];
};

static void add_strip(void *context, struct face *face)
{
    struct strips *strips = context;
    struct bounds bounds = winding_bounds(face->winding);
    assert_true(strips->count < 16);
    strips->width[strips->count++] = bounds.maxs.x - bounds.mins.x;
}

static struct strips cut(struct hand_faces *hand)
{
    struct strips strips = {0};
    face_list_subdivide(&hand->compile, &hand->tree.arena, hand->list);
    face_list_final(hand->list, add_strip, &strips);
    return strips;
}

static void test_32_luxels_are_let_be(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    hand_rectangle(&hand, 0.5, 0, 32.5, 32);
    assert_int_equal(cut(&hand).count, 1);
    hand_faces_free(&hand);
}

static void test_strips_of_31(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    hand_rectangle(&hand, 10, 0, 110, 20);
    struct strips strips = cut(&hand);
    assert_int_equal(strips.count, 4);
    for (int i = 0; i < 3; i++)
        assert_float_equal(strips.width[i], 31, 1e-6);
    assert_float_equal(strips.width[3], 7, 1e-6);
    assert_float_equal(hand_final(&hand).area, 100 * 20, 1e-6);
    hand_faces_free(&hand);
}

static void test_a_rest_of_32_is_not_cut(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    hand_rectangle(&hand, 0, 0, 63, 20);
    struct strips strips = cut(&hand);
    assert_int_equal(strips.count, 2);
    assert_float_equal(strips.width[1], 32, 1e-6);
    hand_faces_free(&hand);
}

static void test_both_axes_and_offsets(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    struct bsp_texinfo *texinfo = &hand.compile.texinfos.items[0];
    *texinfo = (struct bsp_texinfo){.lightmap = {{0.0625f, 0, 0, 3.25f}, {0, -0.0625f, 0, -7.5f}}};
    hand_rectangle(&hand, -512, -512, 512, 512);
    struct strips strips = cut(&hand);
    assert_int_equal(strips.count, 9); /* 31 + 31 + 2 each way */
    assert_float_equal(strips.width[0], 31 * 16, 1e-4);
    assert_float_equal(hand_final(&hand).area, 1024 * 1024, 1e-3);
    hand_faces_free(&hand);
}

static void test_each_strip_counts_from_its_own_end(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    /* A band that climbs along x: cut along x first, then each part along y from its low end. */
    const double band[4][2] = {{0, 0}, {0, 20}, {60, 80}, {60, 60}};
    hand_polygon(&hand, true, 0, 4, band);
    struct strips strips = cut(&hand);
    struct hand_sum sum = hand_final(&hand);
    assert_true(strips.count >= 4);
    assert_float_equal(sum.area, 60 * 20, 1e-6);
    hand_faces_free(&hand);
}

static void test_unlit_faces_are_whole(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    hand.compile.texinfos.items[0].flags = SURFACE_NOLIGHT;
    hand_rectangle(&hand, 0, 0, 1000, 1000);
    assert_int_equal(cut(&hand).count, 1);
    hand_faces_free(&hand);
}

static void test_flat_mapping_ends(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    hand.compile.texinfos.items[0] = (struct bsp_texinfo){0};
    hand_rectangle(&hand, 0, 0, 1000, 1000);
    assert_int_equal(cut(&hand).count, 1);
    hand_faces_free(&hand);
}

static void test_absurd_density_is_an_error(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    hand.compile.texinfos.items[0] =
        (struct bsp_texinfo){.lightmap = {{1e30f, 0, 0, 0}, {0, 1000, 0, 0}}};
    hand_rectangle(&hand, 0, 0, 1000, 1000);
    hand_rectangle(&hand, 2000, 0, 3000, 1000);
    assert_int_equal(cut(&hand).count, 2);
    assert_int_equal(diag_count_code(hand.diag, DIAG_LIGHTMAP_DENSE), 1);
    hand_faces_free(&hand);
}

SUITE(test_subdivide)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_32_luxels_are_let_be),
        cmocka_unit_test(test_strips_of_31),
        cmocka_unit_test(test_a_rest_of_32_is_not_cut),
        cmocka_unit_test(test_both_axes_and_offsets),
        cmocka_unit_test(test_each_strip_counts_from_its_own_end),
        cmocka_unit_test(test_unlit_faces_are_whole),
        cmocka_unit_test(test_flat_mapping_ends),
        cmocka_unit_test(test_absurd_density_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
