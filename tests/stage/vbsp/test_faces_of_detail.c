/* Faces of detail brushes: compiled in memory, probed by position. */
#include "tests/support/suite.h"

#include "tests/support/vbsp/text_map.h"

static bool lists_face(const struct bsp *bsp, const struct bsp_leaf *leaf, int face)
{
    for (int i = 0; i < leaf->face_count; i++)
        if (bsp->leaf_faces[leaf->first_face + i] == face)
            return true;
    return false;
}

static void test_pillar_on_the_floor(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(112, 112, 0), vec3(144, 144, 64), "glass");
    text_map_finish(&map, "20 20 32");
    const struct bsp *bsp = map.bsp;
    double area;
    assert_int_equal(text_map_faces(&map, 0, "glass", &area), 5); /* none under it */
    assert_float_equal(area, 4 * 32 * 64 + 32 * 32, 0.1);
    assert_int_equal(text_map_faces(&map, 0, "floor", &area), 1); /* goes on below it */
    assert_float_equal(area, 256 * 256, 0.1);
    int leaf = bsp_leaf_at(bsp, 0, vec3(128, 128, 32));
    assert_int_equal(bsp->leaves[leaf].contents & CONTENTS_SOLID, 0);
    assert_true(bsp_brush_contents_at(bsp, leaf, vec3(128, 128, 32)) & CONTENTS_DETAIL);
    assert_int_equal(bsp_brush_contents_at(bsp, leaf, vec3(128, 128, 100)), 0);
    for (int i = 0; i < 5; i++) { /* first of all, in leaves only */
        assert_int_equal(bsp->faces[i].on_node, 0);
        assert_string_equal(bsp_texinfo_name(bsp, bsp->faces[i].texinfo), "glass");
        assert_true(lists_face(bsp, &bsp->leaves[leaf], i));
        for (size_t j = 0; j < arrlenu(bsp->nodes); j++)
            assert_true(i < bsp->nodes[j].first_face);
    }
    text_map_free(&map);
}

static void test_touching_sides_are_hidden(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(96, 96, 0), vec3(128, 128, 64), "grate");
    text_map_box(&map, vec3(128, 96, 0), vec3(160, 128, 64), "grate");
    text_map_finish(&map, "20 20 32");
    double area;
    assert_int_equal(text_map_faces(&map, 0, "grate", &area), 5); /* merged */
    assert_float_equal(area, 2 * 64 * 64 + 2 * 32 * 64 + 64 * 32, 0.1);
    text_map_free(&map);
}

static void test_partly_covered_sides_are_clipped(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(96, 96, 32), vec3(128, 128, 96), "wall");
    text_map_box(&map, vec3(128, 96, 32), vec3(160, 128, 64), "grate");
    text_map_finish(&map, "20 20 32");
    /* Glass hides no wall, but the wall hides what touches it. */
    assert_true(text_map_face_at(&map, vec3(128, 112, 80), vec3(1, 0, 0)) >= 0);
    assert_true(text_map_face_at(&map, vec3(128, 112, 48), vec3(1, 0, 0)) >= 0);
    assert_int_equal(text_map_face_at(&map, vec3(128, 112, 48), vec3(-1, 0, 0)), -1);
    text_map_free(&map);

    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(96, 96, 32), vec3(128, 128, 96), "grate");
    text_map_box(&map, vec3(128, 96, 32), vec3(160, 128, 64), "wall");
    text_map_finish(&map, "20 20 32");
    assert_true(text_map_face_at(&map, vec3(128, 112, 80), vec3(1, 0, 0)) >= 0);
    assert_int_equal(text_map_face_at(&map, vec3(128, 112, 48), vec3(1, 0, 0)), -1);
    text_map_free(&map);
}

static void test_a_side_that_would_fall_apart_is_whole(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(96, 96, 32), vec3(128, 128, 96), "grate");
    text_map_box(&map, vec3(128, 104, 56), vec3(160, 120, 72), "wall"); /* in its middle */
    text_map_finish(&map, "20 20 32");
    assert_true(text_map_face_at(&map, vec3(128, 112, 64), vec3(1, 0, 0)) >= 0);
    assert_true(text_map_face_at(&map, vec3(128, 100, 40), vec3(1, 0, 0)) >= 0);
    text_map_free(&map);
}

static void test_clips_hide_nothing(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(96, 96, 32), vec3(128, 128, 96), "grate");
    text_map_box(&map, vec3(128, 96, 32), vec3(160, 128, 96), "tools/toolsplayerclip");
    text_map_finish(&map, "20 20 32");
    assert_true(text_map_face_at(&map, vec3(128, 112, 64), vec3(1, 0, 0)) >= 0);
    assert_int_equal(text_map_faces(&map, 0, "tools/toolsplayerclip", NULL), 0);
    int leaf = bsp_leaf_at(map.bsp, 0, vec3(150, 112, 64));
    assert_true(bsp_brush_contents_at(map.bsp, leaf, vec3(150, 112, 64)) & CONTENTS_PLAYERCLIP);
    text_map_free(&map);
}

static void test_detail_in_two_leaves_is_in_both_lists(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    /* A wall with a doorway makes leaves; a beam goes through it. */
    text_map_box(&map, vec3(120, 0, 0), vec3(136, 96, 128), "wall");
    text_map_box(&map, vec3(120, 160, 0), vec3(136, 256, 128), "wall");
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(32, 112, 32), vec3(224, 144, 64), "glass");
    text_map_finish(&map, "20 20 32");
    const struct bsp *bsp = map.bsp;
    int west = bsp_leaf_at(bsp, 0, vec3(64, 128, 48)),
        east = bsp_leaf_at(bsp, 0, vec3(200, 128, 48));
    assert_int_not_equal(west, east);
    int top = text_map_face_at(&map, vec3(128, 128, 64), vec3(0, 0, 1));
    assert_true(top >= 0); /* one face for all of it */
    assert_int_equal(top, text_map_face_at(&map, vec3(40, 128, 64), vec3(0, 0, 1)));
    assert_true(lists_face(bsp, &bsp->leaves[west], top));
    assert_true(lists_face(bsp, &bsp->leaves[east], top));
    assert_true(bsp_brush_contents_at(bsp, west, vec3(64, 128, 48)) & CONTENTS_DETAIL);
    assert_true(bsp_brush_contents_at(bsp, east, vec3(200, 128, 48)) & CONTENTS_DETAIL);
    text_map_free(&map);
}

static void test_detail_keeps_its_smoothing_groups(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    map.extra = "smoothing_groups 5";
    text_map_box(&map, vec3(112, 112, 0), vec3(144, 144, 64), "glass");
    text_map_finish(&map, "20 20 32");
    for (size_t i = 0; i < arrlenu(map.bsp->faces); i++)
        assert_int_equal(map.bsp->faces[i].smoothing_groups, map.bsp->faces[i].on_node ? 0 : 5);
    text_map_free(&map);
}

SUITE(test_faces_of_detail)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pillar_on_the_floor),
        cmocka_unit_test(test_touching_sides_are_hidden),
        cmocka_unit_test(test_partly_covered_sides_are_clipped),
        cmocka_unit_test(test_a_side_that_would_fall_apart_is_whole),
        cmocka_unit_test(test_clips_hide_nothing),
        cmocka_unit_test(test_detail_in_two_leaves_is_in_both_lists),
        cmocka_unit_test(test_detail_keeps_its_smoothing_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
