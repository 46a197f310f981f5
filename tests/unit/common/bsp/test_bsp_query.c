#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "tests/support/bsp_files.h"
#include "tests/support/room_bsp.h"

/* A room of 256 x 128 x 64 with walls of 16 around it. */
static int setup(void **state)
{
    *state = room_new(vec3(256, 128, 64), 0.5, NULL);
    return 0;
}

static int teardown(void **state)
{
    bsp_free(*state);
    return 0;
}

static void leaf_is_found_by_position(void **state)
{
    const struct bsp *bsp = *state;
    assert_int_equal(bsp_leaf_at(bsp, 0, vec3(1, 1, 1)), 1);
    assert_int_equal(bsp_leaf_at(bsp, 0, vec3(255, 127, 63)), 1);
    assert_int_equal(bsp_leaf_at(bsp, 0, vec3(-1, 1, 1)), 0);
    assert_int_equal(bsp_leaf_at(bsp, 0, vec3(1, 1, 65)), 0);
    /* A point on a plane is in front of it. */
    assert_int_equal(bsp_leaf_at(bsp, 0, vec3(0, 1, 1)), 1);
}

static void head_that_is_a_leaf_holds_all(void **state)
{
    struct bsp *bsp = *state;
    struct bsp_model model = {.head_node = -2};
    arrput(bsp->models, model);
    assert_int_equal(bsp_leaf_at(bsp, 1, vec3(1e6, 0, 0)), 1);
}

static void brushes_give_their_contents(void **state)
{
    struct bsp *bsp = *state;
    room_add_box(bsp, vec3(64, 64, 0), vec3(96, 96, 32));
    assert_int_equal(bsp_brush_contents_at(bsp, 1, vec3(80, 80, 16)),
                     CONTENTS_SOLID | CONTENTS_DETAIL);
    assert_int_equal(bsp_brush_contents_at(bsp, 1, vec3(96, 96, 32)),
                     CONTENTS_SOLID | CONTENTS_DETAIL);
    assert_int_equal(bsp_brush_contents_at(bsp, 1, vec3(97, 80, 16)), 0);
    assert_int_equal(bsp_brush_contents_at(bsp, 0, vec3(-8, 64, 32)), CONTENTS_SOLID);
}

static void texture_name_of_texinfo(void **state)
{
    struct bsp *bsp = *state;
    assert_string_equal(bsp_texinfo_name(bsp, 0), "dev/a");
    assert_string_equal(bsp_texinfo_name(bsp, -1), "");
    bsp->texinfo[0].texdata = -1;
    assert_string_equal(bsp_texinfo_name(bsp, 0), "");
}

/* Three clusters in a row, of which the middle one sees both others; all hear all. */
static void set_visibility(struct bsp *bsp)
{
    static const unsigned char rows[] = {3, 7, 6, 7};
    bytes_u32(&bsp->visibility, 3);
    for (uint32_t i = 0; i < 3; i++) {
        bytes_u32(&bsp->visibility, 28 + i);
        bytes_u32(&bsp->visibility, 31);
    }
    bytes_append(&bsp->visibility, rows, sizeof rows);
}

static void visibility_is_read_by_row_and_by_pair(void **state)
{
    static const unsigned char expected[3] = {3, 7, 6};
    struct bsp *bsp = *state;
    set_visibility(bsp);
    assert_int_equal(bsp_vis_clusters(bsp), 3);
    for (int i = 0; i < 3; i++) {
        unsigned char row = 0;
        bsp_vis_row(bsp, i, false, &row);
        assert_int_equal(row, expected[i]);
        for (int k = 0; k < 3; k++)
            assert_int_equal(bsp_vis_sees(bsp, i, k), expected[i] >> k & 1);
        bsp_vis_row(bsp, i, true, &row);
        assert_int_equal(row, 7);
    }
}

static void clusters_out_of_range_see_nothing(void **state)
{
    struct bsp *bsp = *state;
    unsigned char row = 0xff;
    set_visibility(bsp);
    assert_false(bsp_vis_sees(bsp, -1, 0));
    assert_false(bsp_vis_sees(bsp, 0, -1));
    assert_false(bsp_vis_sees(bsp, 1, 3));
    bsp_vis_row(bsp, 3, false, &row);
    assert_int_equal(row, 0);
}

static void all_is_visible_without_visibility(void **state)
{
    const struct bsp *bsp = *state;
    assert_int_equal(bsp_vis_clusters(bsp), 0);
    assert_true(bsp_vis_sees(bsp, 0, 5));
}

/* 100 clusters: runs of zero bytes, and one that extends past the end of the row. */
static void runs_of_zeros_are_decoded(void **state)
{
    static const unsigned char row_bytes[] = {1, 0, 11, 8, 0x80, 0, 200};
    struct bsp *bsp = *state;
    unsigned char row[13];
    bytes_u32(&bsp->visibility, 100);
    for (uint32_t i = 0; i < 200; i++)
        bytes_u32(&bsp->visibility, i % 2 ? 808 : 804);
    bytes_append(&bsp->visibility, row_bytes, sizeof row_bytes);
    bsp_vis_row(bsp, 50, false, row);
    assert_int_equal(row[0], 1);
    for (int i = 1; i < 12; i++)
        assert_int_equal(row[i], 0);
    assert_int_equal(row[12], 8);
    assert_true(bsp_vis_sees(bsp, 50, 99));
    assert_true(bsp_vis_sees(bsp, 50, 0));
    assert_false(bsp_vis_sees(bsp, 50, 40));
    bsp_vis_row(bsp, 50, true, row);
    assert_int_equal(row[0], 0x80);
    for (int i = 1; i < 13; i++)
        assert_int_equal(row[i], 0);
}

/* The leaf in front of the middle of each face of a real map is open, lists the face, and is in the
 * tree of its model. */
static void faces_and_leaves_of_a_map_agree(void **state)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct env env = {.diag = diag, .fs = fs_disk(), .threads = 1};
    struct bsp *bsp = NULL;
    (void)state;
    assert_int_equal(bsp_read_file(&env, OWN_BSP, &bsp), STATUS_OK);
    for (int i = 0; i < bsp->models[0].face_count; i++) {
        const struct bsp_face *face = &bsp->faces[i];
        const float *normal = bsp->planes[face->plane].normal;
        struct vec3 center = vec3(0, 0, 0);
        for (int k = 0; k < face->edge_count; k++)
            center = vec3_add(center, bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, k)));
        center = vec3_scale(center, 1.0 / face->edge_count);
        struct vec3 front =
            vec3_mad(center, vec3((double)normal[0], (double)normal[1], (double)normal[2]), 0.05);
        const struct bsp_leaf *leaf = &bsp->leaves[bsp_leaf_at(bsp, 0, front)];
        bool listed = false;
        for (int k = 0; k < leaf->face_count; k++)
            listed = listed || bsp->leaf_faces[leaf->first_face + k] == i;
        if (face->dispinfo < 0) {
            assert_int_equal(leaf->contents & CONTENTS_SOLID, 0);
            assert_true(listed);
        }
    }
    bsp_free(bsp);
    diag_free(diag);
}

SUITE(test_bsp_query)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(leaf_is_found_by_position),
        TEST(head_that_is_a_leaf_holds_all),
        TEST(brushes_give_their_contents),
        TEST(texture_name_of_texinfo),
        TEST(visibility_is_read_by_row_and_by_pair),
        TEST(clusters_out_of_range_see_nothing),
        TEST(all_is_visible_without_visibility),
        TEST(runs_of_zeros_are_decoded),
        TEST(faces_and_leaves_of_a_map_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
