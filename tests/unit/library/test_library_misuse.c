/* Misuse of the library returns a status or an empty result, never more: each row is a case, with
 * what it must return. */
#include "tests/support/suite.h"

#include <math.h>
#include <stdbool.h>

#include "tests/support/library_session.h"

/* One session for all cases, with a BSP of each family; they must be as before after each. */
static struct test_session test;
static struct brushwork_session *session;
static struct brushwork_bsp *bsp, *quake3;
static void *file; /* the BSP of Source */
static size_t file_size;

/* Where results go. */
static struct brushwork_bsp *out_bsp;
static void *out;
static const void *out_view;
static size_t out_size;
static struct brushwork_lightmap out_info;

static const double origin[3] = {0, 0, 0};
static const double nowhere[3] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
static const double far_away[3] = {1e300, -1e300, 1e300};
static const char *const with_null[] = {"a.vmf", NULL};
static const char *const none[1];

static struct brushwork_bsp *built(const char *map)
{
    struct brushwork_bsp *opened;
    assert_int_equal(session_build(&test, map), BRUSHWORK_OK);
    assert_int_equal(brushwork_bsp_open(test.session, "out.bsp", &opened), BRUSHWORK_OK);
    return opened;
}

static int open_all(void **state)
{
    (void)state;
    session_open(&test);
    session = test.session;
    quake3 = built("q3_patches.map");
    bsp = built("two_rooms.vmf");
    assert_int_equal(brushwork_bsp_save(bsp, &file, &file_size), BRUSHWORK_OK);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    brushwork_free(file);
    assert_int_equal(brushwork_bsp_close(bsp), BRUSHWORK_OK);
    assert_int_equal(brushwork_bsp_close(quake3), BRUSHWORK_OK);
    assert_int_equal(brushwork_session_free(session), BRUSHWORK_OK);
    return 0;
}

static int dirty_results(void **state)
{
    (void)state;
    out_bsp = (struct brushwork_bsp *)&test;
    out = &test;
    out_view = &test;
    out_size = 99;
    memset(&out_info, 0xff, sizeof out_info);
    return 0;
}

/* The session is not left busy, and the BSP is still the same. */
static int check_all(void **state)
{
    (void)state;
    void *again;
    size_t size;
    assert_int_equal(brushwork_bsp_save(bsp, &again, &size), BRUSHWORK_OK);
    assert_int_equal(size, file_size);
    assert_memory_equal(again, file, size);
    brushwork_free(again);
    return 0;
}

#define OK     BRUSHWORK_OK
#define FAILED BRUSHWORK_FAILED
#define USAGE  BRUSHWORK_USAGE

/* ROW(name, what, expected): numbers. */
#define NUMBERS(ROW)                                                                               \
    ROW(null_session_freed, brushwork_session_free(NULL), OK)                                      \
    ROW(null_session_messages, brushwork_session_messages(NULL, keep_message, NULL), USAGE)        \
    ROW(null_session_progress, brushwork_session_progress(NULL, NULL, NULL), USAGE)                \
    ROW(null_session_memory, brushwork_session_use_memory(NULL), USAGE)                            \
    ROW(null_session_put, brushwork_file_put(NULL, "a", "b", 1), USAGE)                            \
    ROW(null_session_get, brushwork_file_get(NULL, "a", &out_view, &out_size), USAGE)              \
    ROW(null_session_run, brushwork_run(NULL, "vbsp", NULL, 0), USAGE)                             \
    ROW(null_session_open, brushwork_bsp_open(NULL, "a", &out_bsp), USAGE)                         \
    ROW(null_session_read, brushwork_bsp_read(NULL, file, file_size, "a", &out_bsp), USAGE)        \
    ROW(null_everything_open, brushwork_bsp_open(NULL, NULL, NULL), USAGE)                         \
    ROW(null_everything_read, brushwork_bsp_read(NULL, NULL, 5, NULL, NULL), USAGE)                \
    ROW(null_everything_run, brushwork_run(NULL, NULL, NULL, 7), USAGE)                            \
    ROW(null_everything_put, brushwork_file_put(NULL, NULL, NULL, 7), USAGE)                       \
    ROW(null_everything_get, brushwork_file_get(NULL, NULL, NULL, NULL), USAGE)                    \
    ROW(memory_twice, brushwork_session_use_memory(session), OK)                                   \
    ROW(put_null_path, brushwork_file_put(session, NULL, "b", 1), USAGE)                           \
    ROW(put_null_data, brushwork_file_put(session, "a", NULL, 1), USAGE)                           \
    ROW(put_empty_data, brushwork_file_put(session, "empty", NULL, 0), OK)                         \
    ROW(put_huge_size, brushwork_file_put(session, "a", "b", SIZE_MAX), USAGE)                     \
    ROW(get_null_path, brushwork_file_get(session, NULL, &out_view, &out_size), USAGE)             \
    ROW(get_null_data, brushwork_file_get(session, "out.bsp", NULL, &out_size), USAGE)             \
    ROW(get_null_size, brushwork_file_get(session, "out.bsp", &out_view, NULL), USAGE)             \
    ROW(get_absent, brushwork_file_get(session, "absent", &out_view, &out_size), USAGE)            \
    ROW(get_nameless, brushwork_file_get(session, "", &out_view, &out_size), USAGE)                \
    ROW(run_null_program, brushwork_run(session, NULL, none, 0), USAGE)                            \
    ROW(run_nameless, brushwork_run(session, "", none, 0), USAGE)                                  \
    ROW(run_unknown, brushwork_run(session, "/bin/true", none, 0), USAGE)                          \
    ROW(run_null_arguments, brushwork_run(session, "vbsp", NULL, 1), USAGE)                        \
    ROW(run_no_arguments, brushwork_run(session, "vbsp", NULL, 0), USAGE)                          \
    ROW(run_null_argument, brushwork_run(session, "vbsp", with_null, 2), USAGE)                    \
    ROW(run_huge_count, brushwork_run(session, "vbsp", with_null, SIZE_MAX), USAGE)                \
    ROW(run_count_of_an_int, brushwork_run(session, "vbsp", with_null, INT32_MAX), USAGE)          \
    ROW(open_null_path, brushwork_bsp_open(session, NULL, &out_bsp), USAGE)                        \
    ROW(open_null_out, brushwork_bsp_open(session, "out.bsp", NULL), USAGE)                        \
    ROW(open_nameless, brushwork_bsp_open(session, "", &out_bsp), FAILED)                          \
    ROW(open_folder, brushwork_bsp_open(session, MAPS_DIR, &out_bsp), FAILED)                      \
    ROW(open_absent, brushwork_bsp_open(session, "absent.bsp", &out_bsp), FAILED)                  \
    ROW(open_no_bsp, brushwork_bsp_open(session, MAPS_DIR "/box.vmf", &out_bsp), FAILED)           \
    ROW(read_null_data, brushwork_bsp_read(session, NULL, 5, "a", &out_bsp), USAGE)                \
    ROW(read_null_name, brushwork_bsp_read(session, file, file_size, NULL, &out_bsp), USAGE)       \
    ROW(read_null_out, brushwork_bsp_read(session, file, file_size, "a", NULL), USAGE)             \
    ROW(read_huge_size, brushwork_bsp_read(session, file, SIZE_MAX, "a", &out_bsp), USAGE)         \
    ROW(read_largest_size, brushwork_bsp_read(session, file, SIZE_MAX / 2 + 1, "a", &out_bsp),     \
        USAGE)                                                                                     \
    ROW(read_nothing, brushwork_bsp_read(session, NULL, 0, "a", &out_bsp), FAILED)                 \
    ROW(read_a_bit, brushwork_bsp_read(session, file, 3, "a", &out_bsp), FAILED)                   \
    ROW(read_half, brushwork_bsp_read(session, file, file_size / 2, "a", &out_bsp), FAILED)        \
    ROW(close_null, brushwork_bsp_close(NULL), OK)                                                 \
    ROW(write_null_bsp, brushwork_bsp_write(NULL, "a"), USAGE)                                     \
    ROW(write_null_path, brushwork_bsp_write(bsp, NULL), USAGE)                                    \
    ROW(save_null_bsp, brushwork_bsp_save(NULL, &out, &out_size), USAGE)                           \
    ROW(save_null_data, brushwork_bsp_save(bsp, NULL, &out_size), USAGE)                           \
    ROW(save_null_size, brushwork_bsp_save(bsp, &out, NULL), USAGE)                                \
    ROW(save_null_everything, brushwork_bsp_save(NULL, NULL, NULL), USAGE)                         \
    ROW(verify_null, brushwork_bsp_verify(NULL), USAGE)                                            \
    ROW(family_null, brushwork_bsp_family(NULL), BRUSHWORK_SOURCE)                                 \
    ROW(version_null, brushwork_bsp_version(NULL), 0)                                              \
    ROW(entity_count_null, brushwork_entity_count(NULL), 0)                                        \
    ROW(entity_add_null, brushwork_entity_add(NULL, &out_size), USAGE)                             \
    ROW(entity_remove_null, brushwork_entity_remove(NULL, 1), USAGE)                               \
    ROW(entity_remove_world, brushwork_entity_remove(bsp, 0), USAGE)                               \
    ROW(entity_remove_beyond, brushwork_entity_remove(bsp, 100000), USAGE)                         \
    ROW(entity_remove_minus, brushwork_entity_remove(bsp, (size_t)-1), USAGE)                      \
    ROW(pair_count_null, brushwork_pair_count(NULL, 0), 0)                                         \
    ROW(pair_count_beyond, brushwork_pair_count(bsp, SIZE_MAX), 0)                                 \
    ROW(pair_add_null, brushwork_pair_add(NULL, 0, "a", "b"), USAGE)                               \
    ROW(pair_add_beyond, brushwork_pair_add(bsp, SIZE_MAX, "a", "b"), USAGE)                       \
    ROW(pair_add_null_key, brushwork_pair_add(bsp, 0, NULL, "b"), USAGE)                           \
    ROW(pair_add_null_value, brushwork_pair_add(bsp, 0, "a", NULL), USAGE)                         \
    ROW(pair_add_quote, brushwork_pair_add(bsp, 0, "a", "\""), USAGE)                              \
    ROW(pair_add_line_break, brushwork_pair_add(bsp, 0, "a\n", "b"), USAGE)                        \
    ROW(set_null, brushwork_entity_set(NULL, 0, "a", "b"), USAGE)                                  \
    ROW(set_beyond, brushwork_entity_set(bsp, SIZE_MAX, "a", "b"), USAGE)                          \
    ROW(set_null_key, brushwork_entity_set(bsp, 0, NULL, "b"), USAGE)                              \
    ROW(set_null_value, brushwork_entity_set(bsp, 0, "a", NULL), USAGE)                            \
    ROW(set_return, brushwork_entity_set(bsp, 0, "a", "\r"), USAGE)                                \
    ROW(unset_null, brushwork_entity_unset(NULL, 0, "a"), USAGE)                                   \
    ROW(unset_beyond, brushwork_entity_unset(bsp, SIZE_MAX, "a"), USAGE)                           \
    ROW(unset_null_key, brushwork_entity_unset(bsp, 0, NULL), USAGE)                               \
    ROW(unset_absent, brushwork_entity_unset(bsp, 0, "absent"), OK)                                \
    ROW(material_count_null, brushwork_material_count(NULL), 0)                                    \
    ROW(use_hdr_null, brushwork_bsp_use_hdr(NULL, 1), USAGE)                                       \
    ROW(use_hdr_odd, brushwork_bsp_use_hdr(bsp, -7) | brushwork_bsp_use_hdr(bsp, 0), OK)           \
    ROW(lightmap_count_null, brushwork_lightmap_count(NULL), 0)                                    \
    ROW(lightmap_info_null, brushwork_lightmap_info(NULL, 0, &out_info), USAGE)                    \
    ROW(lightmap_info_null_out, brushwork_lightmap_info(bsp, 0, NULL), USAGE)                      \
    ROW(lightmap_info_beyond, brushwork_lightmap_info(bsp, SIZE_MAX, &out_info), USAGE)            \
    ROW(leaf_null, brushwork_leaf_at(NULL, origin), -1)                                            \
    ROW(leaf_null_point, brushwork_leaf_at(bsp, NULL), -1)                                         \
    ROW(leaf_nowhere, brushwork_leaf_at(bsp, nowhere) < 0, 0)                                      \
    ROW(leaf_far_away, brushwork_leaf_at(bsp, far_away) < 0, 0)                                    \
    ROW(leaf_far_away_quake3, brushwork_leaf_at(quake3, far_away) < 0, 0)                          \
    ROW(cluster_null, brushwork_leaf_cluster(NULL, 0), -1)                                         \
    ROW(cluster_beyond, brushwork_leaf_cluster(bsp, INT32_MAX), -1)                                \
    ROW(cluster_minus, brushwork_leaf_cluster(bsp, INT32_MIN), -1)                                 \
    ROW(contents_null, brushwork_contents_at(NULL, origin), 0)                                     \
    ROW(contents_null_point, brushwork_contents_at(bsp, NULL), 0)                                  \
    ROW(contents_far_away, brushwork_contents_at(bsp, far_away), 0)                                \
    ROW(sees_null, brushwork_cluster_sees(NULL, 0, 0), 0)                                          \
    ROW(sees_beyond, brushwork_cluster_sees(bsp, INT32_MAX, INT32_MAX), 0)                         \
    ROW(sees_minus, brushwork_cluster_sees(bsp, INT32_MIN, -1), 0)                                 \
    ROW(packed_count_null, brushwork_packed_count(NULL, &out_size), USAGE)                         \
    ROW(packed_count_null_out, brushwork_packed_count(bsp, NULL), USAGE)                           \
    ROW(packed_count_quake3, brushwork_packed_count(quake3, &out_size), FAILED)                    \
    ROW(packed_get_null, brushwork_packed_get(NULL, "a", &out, &out_size), USAGE)                  \
    ROW(packed_get_null_name, brushwork_packed_get(bsp, NULL, &out, &out_size), USAGE)             \
    ROW(packed_get_null_data, brushwork_packed_get(bsp, "a", NULL, &out_size), USAGE)              \
    ROW(packed_get_null_size, brushwork_packed_get(bsp, "a", &out, NULL), USAGE)                   \
    ROW(packed_get_absent, brushwork_packed_get(bsp, "absent", &out, &out_size), FAILED)           \
    ROW(packed_get_quake3, brushwork_packed_get(quake3, "a", &out, &out_size), FAILED)             \
    ROW(packed_put_null, brushwork_packed_put(NULL, "a", "b", 1), USAGE)                           \
    ROW(packed_put_null_name, brushwork_packed_put(bsp, NULL, "b", 1), USAGE)                      \
    ROW(packed_put_null_data, brushwork_packed_put(bsp, "a", NULL, 1), USAGE)                      \
    ROW(packed_put_huge_size, brushwork_packed_put(bsp, "a", "b", SIZE_MAX), USAGE)                \
    ROW(packed_put_outside, brushwork_packed_put(bsp, "../a", "b", 1), FAILED)                     \
    ROW(packed_put_nameless, brushwork_packed_put(bsp, "", "b", 1), FAILED)                        \
    ROW(packed_put_quake3, brushwork_packed_put(quake3, "a", "b", 1), FAILED)                      \
    ROW(packed_remove_null, brushwork_packed_remove(NULL, "a"), USAGE)                             \
    ROW(packed_remove_null_name, brushwork_packed_remove(bsp, NULL), USAGE)                        \
    ROW(packed_remove_absent, brushwork_packed_remove(bsp, "absent"), FAILED)

/* ROW(name, what, expected): texts, or NULL. */
#define TEXTS(ROW)                                                                                 \
    ROW(target_null, brushwork_bsp_target(NULL), "")                                               \
    ROW(pair_key_null, brushwork_pair_key(NULL, 0, 0), NULL)                                       \
    ROW(pair_key_no_entity, brushwork_pair_key(bsp, SIZE_MAX, 0), NULL)                            \
    ROW(pair_key_beyond, brushwork_pair_key(bsp, 0, SIZE_MAX), NULL)                               \
    ROW(pair_value_null, brushwork_pair_value(NULL, 0, 0), NULL)                                   \
    ROW(pair_value_no_entity, brushwork_pair_value(bsp, SIZE_MAX, 0), NULL)                        \
    ROW(pair_value_beyond, brushwork_pair_value(bsp, 0, SIZE_MAX), NULL)                           \
    ROW(get_null_bsp, brushwork_entity_get(NULL, 0, "a"), NULL)                                    \
    ROW(get_null_key, brushwork_entity_get(bsp, 0, NULL), NULL)                                    \
    ROW(get_beyond, brushwork_entity_get(bsp, SIZE_MAX, "classname"), NULL)                        \
    ROW(get_absent_key, brushwork_entity_get(bsp, 0, "absent"), NULL)                              \
    ROW(material_name_null, brushwork_material_name(NULL, 0), "")                                  \
    ROW(material_name_beyond, brushwork_material_name(bsp, SIZE_MAX), "")                          \
    ROW(material_name_beyond_quake3, brushwork_material_name(quake3, SIZE_MAX), "")                \
    ROW(mesh_null, (const char *)brushwork_bsp_mesh(NULL), NULL)                                   \
    ROW(pixels_null, (char *)brushwork_lightmap_pixels(NULL, 0, 0), NULL)                          \
    ROW(pixels_beyond, (char *)brushwork_lightmap_pixels(bsp, SIZE_MAX, 0), NULL)                  \
    ROW(pixels_no_style, (char *)brushwork_lightmap_pixels(bsp, 0, 4), NULL)                       \
    ROW(pixels_minus_style, (char *)brushwork_lightmap_pixels(bsp, 0, INT32_MIN), NULL)            \
    ROW(packed_name_null, brushwork_packed_name(NULL, 0), NULL)                                    \
    ROW(packed_name_beyond, brushwork_packed_name(bsp, SIZE_MAX), NULL)                            \
    ROW(packed_name_quake3, brushwork_packed_name(quake3, 0), NULL)

#define NUMBER_CASE(name, what, expected)                                                          \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        assert_int_equal(what, expected);                                                          \
    }

static void assert_text(const char *is, const char *expected)
{
    assert_int_equal(is == NULL, expected == NULL);
    if (expected)
        assert_string_equal(is, expected);
}

#define TEXT_CASE(name, what, expected)                                                            \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        assert_text(what, expected);                                                               \
    }

NUMBERS(NUMBER_CASE)
TEXTS(TEXT_CASE)

static void failures_clear_their_results(void **state)
{
    (void)state;
    assert_int_equal(brushwork_bsp_open(NULL, "a", &out_bsp), USAGE);
    assert_null(out_bsp);
    dirty_results(state);
    assert_int_equal(brushwork_bsp_read(session, "x", 1, NULL, &out_bsp), USAGE);
    assert_null(out_bsp);
    assert_int_equal(brushwork_file_get(session, "absent", &out_view, &out_size), USAGE);
    assert_null(out_view);
    assert_int_equal(out_size, 0);
    dirty_results(state);
    assert_int_equal(brushwork_packed_get(NULL, "a", &out, &out_size), USAGE);
    assert_null(out);
    assert_int_equal(out_size, 0);
    assert_int_equal(brushwork_lightmap_info(bsp, SIZE_MAX, &out_info), USAGE);
    assert_int_equal(out_info.width, 0);
}

static void refused_arguments_are_reported(void **state)
{
    (void)state;
    size_t before = test.count = 0;
    assert_int_equal(brushwork_bsp_write(bsp, NULL), USAGE);
    assert_int_equal(brushwork_run(session, "vbsp", with_null, 2), USAGE);
    assert_int_equal(brushwork_entity_set(bsp, 0, NULL, NULL), USAGE);
    assert_int_equal(test.count, before + 3);
    assert_true(session_said(&test, "T001"));
}

static void odd_texts_are_kept(void **state)
{
    (void)state;
    static const char *const odd[] = {"", " ", "\\", "{", "}", "//", "\xff\xfe", "%s%n", "\x01"};
    size_t at;
    assert_int_equal(brushwork_entity_add(bsp, &at), OK);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_int_equal(brushwork_entity_set(bsp, at, odd[i], odd[i]), OK);
        assert_string_equal(brushwork_entity_get(bsp, at, odd[i]), odd[i]);
    }
    assert_int_equal(brushwork_entity_set(bsp, at, "a", brushwork_pair_key(bsp, at, 1)), OK);
    assert_int_equal(brushwork_entity_remove(bsp, at), OK);
    assert_null(brushwork_entity_get(bsp, at, "a"));
}

static void a_session_lives_as_long_as_its_bsps(void **state)
{
    (void)state;
    struct test_session other;
    struct brushwork_bsp *first, *second;
    session_open(&other);
    assert_int_equal(brushwork_bsp_read(other.session, file, file_size, "a", &first), OK);
    assert_int_equal(brushwork_bsp_read(other.session, file, file_size, "b", &second), OK);
    assert_int_equal(brushwork_session_free(other.session), OK);
    assert_int_equal(brushwork_entity_set(first, 0, "a", "\""), USAGE);
    assert_int_equal(other.count, 0);
    assert_int_equal(brushwork_bsp_close(first), OK);
    assert_int_equal(brushwork_bsp_verify(second), OK);
    assert_int_equal(brushwork_bsp_write(second, "a.bsp"), OK);
    assert_int_equal(brushwork_bsp_close(second), OK);
}

static void a_null_session_is_not_cancelled(void **state)
{
    (void)state;
    brushwork_cancel(NULL);
    brushwork_free(NULL);
}

#define NUMBER_ROW(name, what, expected)                                                           \
    cmocka_unit_test_setup_teardown(name, dirty_results, check_all),
#define TEXT_ROW NUMBER_ROW

SUITE(test_library_misuse)
{
    const struct CMUnitTest cases[] = {
        NUMBERS(NUMBER_ROW) TEXTS(TEXT_ROW)
            cmocka_unit_test_setup_teardown(failures_clear_their_results, dirty_results, check_all),
        cmocka_unit_test_setup_teardown(refused_arguments_are_reported, dirty_results, check_all),
        cmocka_unit_test_setup_teardown(odd_texts_are_kept, dirty_results, check_all),
        cmocka_unit_test_setup_teardown(a_session_lives_as_long_as_its_bsps, dirty_results,
                                        check_all),
        cmocka_unit_test_setup_teardown(a_null_session_is_not_cancelled, dirty_results, check_all),
    };
    return cmocka_run_group_tests_name("misuse of the library", cases, open_all, close_all);
}
