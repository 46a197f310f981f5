#include "tests/support/suite.h"

#include "common/bsp/query.h"
#include "common/bsp/sidecar/prt.h"
#include "common/diag/codes/portal_files.def"
#include "tests/support/bsp_files.h"
#include "tests/support/portal_graph.h"

#define SQUARE "(0 0 0 ) (0 0 64 ) (0 64 64 ) (0 64 0 ) "

static enum status parse(const char *text, struct diag *diag, struct prt *out)
{
    return prt_parse(text, strlen(text), "test.prt", diag, out);
}

static void a_file_is_read(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct prt prt;
    assert_int_equal(parse("PRT1\n3\n2\n4 1 0 " SQUARE "\n"
                           "3 2 1 (1.5 -2 3e2 ) (4 5 6 )(7 8 9 )\n",
                           diag, &prt),
                     STATUS_OK);
    assert_int_equal(prt.cluster_count, 3);
    assert_int_equal(arrlen(prt.portals), 2);
    assert_int_equal(prt.portals[0].clusters[0], 1);
    assert_int_equal(prt.portals[0].clusters[1], 0);
    assert_int_equal(prt.portals[0].winding->count, 4);
    struct winding *second = prt.portals[1].winding;
    assert_int_equal(second->count, 3);
    assert_true(vec3_distance(second->points[0], vec3(1.5, -2, 300)) == 0);
    assert_true(vec3_distance(second->points[2], vec3(7, 8, 9)) == 0);
    assert_int_equal(diag_entries(diag), 0);
    prt_free(&prt);
    assert_null(prt.portals);
    diag_free(diag);
}

static void an_empty_map_is_read(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct prt prt;
    assert_int_equal(parse("PRT1\r\n1\r\n0\r\n", diag, &prt), STATUS_OK);
    assert_int_equal(prt.cluster_count, 1);
    assert_int_equal(arrlen(prt.portals), 0);
    prt_free(&prt);
    diag_free(diag);
}

static void a_file_of_quake_3_is_read(void **state)
{
    (void)state;
    const char *texts[] = {
        "PRT1\n3\n2\n2\n4 1 0 2 " SQUARE "\n3 2 1 0 (1 2 3 ) (4 5 6 )(7 8 9 )\n"
        "4 0 " SQUARE "\n4 2 " SQUARE "\n",
        "PRT1\r\n3\r\n2\r\n0 \r\n4 1 0 0 " SQUARE "\r\n3 2 1 1 (1 2 3 ) (4 5 6 )(7 8 9 )",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct prt prt;
        assert_int_equal(parse(texts[i], diag, &prt), STATUS_OK);
        assert_int_equal(prt.cluster_count, 3);
        assert_int_equal(arrlen(prt.portals), 2);
        assert_int_equal(prt.portals[1].clusters[0], 2);
        assert_true(vec3_distance(prt.portals[1].winding->points[2], vec3(7, 8, 9)) == 0);
        assert_int_equal(diag_entries(diag), 0);
        prt_free(&prt);
        diag_free(diag);
    }
    struct diag *diag = diag_new(NULL, NULL);
    struct prt prt;
    assert_int_equal(parse("PRT1\n1\n0\n1\n4 0 " SQUARE "\n", diag, &prt), STATUS_OK);
    assert_int_equal(arrlen(prt.portals), 0);
    prt_free(&prt);
    diag_free(diag);
}

struct bad_file {
    const char *text;
    int code;
    int line;
};

static void bad_files_are_refused(void **state)
{
    (void)state;
    const struct bad_file files[] = {
        {"", DIAG_PRT_SYNTAX, 1},
        {"PRT2\n1\n0\n", DIAG_PRT_SYNTAX, 1},
        {"PRT1\nx\n0\n", DIAG_PRT_SYNTAX, 2},
        {"PRT1\n1\n", DIAG_PRT_SYNTAX, 3},
        {"PRT1\n-1\n0\n", DIAG_PRT_RANGE, 2},
        {"PRT1\n65537\n0\n", DIAG_PRT_RANGE, 2},
        {"PRT1\n99999999999999999999\n0\n", DIAG_PRT_SYNTAX, 2},
        {"PRT1\n2\n65537\n", DIAG_PRT_RANGE, 3},
        {"PRT1\n2\n2\n4 1 0 " SQUARE "\n", DIAG_PRT_SYNTAX, 5},
        {"PRT1\n2\n0\n4 1 0 " SQUARE "\n", DIAG_PRT_SYNTAX, 4},
        {"PRT1\n2\n1\n0\n4 1 0 " SQUARE "\n", DIAG_PRT_SYNTAX, 5},
        {"PRT1\n2\n1\n0\n4 1 0 256 " SQUARE "\n", DIAG_PRT_RANGE, 5},
        {"PRT1\n2\n1\n-1\n4 1 0 0 " SQUARE "\n", DIAG_PRT_RANGE, 4},
        {"PRT1\n2\n1\n1\n4 1 0 0 " SQUARE "\n", DIAG_PRT_SYNTAX, 6},
        {"PRT1\n2\n1\n1\n4 1 0 0 " SQUARE "\n4 2 " SQUARE "\n", DIAG_PRT_RANGE, 6},
        {"PRT1\n2\n1\n2 1 0 (0 0 0 ) (1 0 0 )\n", DIAG_PRT_RANGE, 4},
        {"PRT1\n2\n1\n65 1 0 " SQUARE "\n", DIAG_PRT_RANGE, 4},
        {"PRT1\n2\n1\n4 2 0 " SQUARE "\n", DIAG_PRT_RANGE, 4},
        {"PRT1\n2\n1\n4 1 -1 " SQUARE "\n", DIAG_PRT_RANGE, 4},
        {"PRT1\n0\n1\n4 0 0 " SQUARE "\n", DIAG_PRT_RANGE, 4},
        {"PRT1\n2\n1\n5 1 0 " SQUARE "\n", DIAG_PRT_SYNTAX, 5},
        {"PRT1\n2\n1\n4 1 0 7 " SQUARE "\n", DIAG_PRT_SYNTAX, 4},
        {"PRT1\n2\n1\n3 1 0 (0 0 nan ) (0 1 0 ) (1 0 0 )\n", DIAG_PRT_RANGE, 4},
        {"PRT1\n2\n1\n3 1 0 (0 0 -inf ) (0 1 0 ) (1 0 0 )\n", DIAG_PRT_RANGE, 4},
        {"PRT1\n2\n1\n3 1 0 (0 0 1e30 ) (0 1 0 ) (1 0 0 )\n", DIAG_PRT_RANGE, 4},
        {"PRT1\n2\n1\n3 1 0 (0 0 0x ) (0 1 0 ) (1 0 0 )\n", DIAG_PRT_SYNTAX, 4},
        {"PRT1\n2\n1\n3 1 0 (0 0 ) (0 1 0 ) (1 0 0 )\n", DIAG_PRT_SYNTAX, 4},
        {"PRT1\n2\n1\n3 1 0 (0 0 0 0 ) (0 1 0 ) (1 0 0 )\n", DIAG_PRT_SYNTAX, 4},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct prt prt;
        assert_int_equal(parse(files[i].text, diag, &prt), STATUS_FAILED);
        assert_null(prt.portals);
        assert_int_equal(diag_entries(diag), 1);
        assert_int_equal(diag_entry(diag, 0)->code, files[i].code);
        assert_int_equal(diag_entry(diag, 0)->where.line, files[i].line);
        assert_string_equal(diag_entry(diag, 0)->where.file, "test.prt");
        diag_free(diag);
    }
}

static void text_may_stop_anywhere(void **state)
{
    (void)state;
    const char text[] = "PRT1\n2\n1\n4 1 0 " SQUARE;
    size_t whole = strlen(text) - 1; /* the space at the end is not needed */
    for (size_t size = 0; size < whole; size++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct prt prt;
        char *copy = memory_alloc(size); /* of the exact size: a sanitizer detects a read past it */
        memcpy(copy, text, size);
        assert_int_equal(prt_parse(copy, size, "cut", diag, &prt), STATUS_FAILED);
        memory_free(copy);
        diag_free(diag);
    }
}

static void numbers_are_written_as_integers_or_with_six_decimals(void **state)
{
    (void)state;
    struct prt prt = {.cluster_count = 2};
    struct vec3 points[3] = {vec3(1, -0.0, -16384), vec3(0.0009, 2.9991, -0.0009),
                             vec3(0.0011, 1.0 / 3, -1234.5)};
    struct prt_portal portal = {{0, 1}, winding_new(&prt.arena, 3, points)};
    arrput(prt.portals, portal);
    struct bytes out = {0};
    prt_format(&prt, &out);
    const char expected[] = "PRT1\n2\n1\n3 0 1 (1 0 -16384 ) (0 3 0 ) "
                            "(0.001100 0.333333 -1234.500000 ) \n";
    assert_int_equal(out.size, strlen(expected));
    assert_memory_equal(out.data, expected, out.size);
    bytes_free(&out);
    prt_free(&prt);
}

static void the_normal_points_into_the_first_cluster(void **state)
{
    (void)state;
    struct prt prt = {.cluster_count = 2};
    graph_door_x(&prt, 0, 1, 64, 0, 32);
    struct plane plane;
    assert_true(winding_plane(prt.portals[0].winding, &plane));
    assert_int_equal(prt.portals[0].clusters[0], 1); /* behind the wall, at larger x */
    assert_true(plane.normal.x == 1 && plane.dist == 64);
    prt_free(&prt);
}

/* Calls back with each .prt of the corpus. */
static int visit_corpus(const char *folder, int depth, bsp_file_visit *visit);

struct prt_walk {
    const char *folder;
    int depth, found;
    bsp_file_visit *visit;
};

static void prt_entry(void *context, const char *name, bool is_directory)
{
    struct prt_walk *walk = context;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", walk->folder, name);
    size_t length = strlen(name);
    if (is_directory && walk->depth) {
        walk->found += visit_corpus(path, walk->depth - 1, walk->visit);
    } else if (!is_directory && length > 4 && !strcmp(name + length - 4, ".prt")) {
        struct bytes file = {0};
        assert_int_equal(fs_disk()->ops->read(fs_disk(), path, &file), 0);
        walk->visit(NULL, path, &file);
        walk->found++;
        bytes_free(&file);
    }
}

static int visit_corpus(const char *folder, int depth, bsp_file_visit *visit)
{
    struct prt_walk walk = {folder, depth, 0, visit};
    fs_disk()->ops->list(fs_disk(), folder, prt_entry, &walk);
    return walk.found;
}

/* Our lines end as on Unix, those of the tools on Windows with a carriage return before. */
static void drop_carriage_returns(struct bytes *text)
{
    size_t kept = 0;
    for (size_t i = 0; i < text->size; i++)
        if (text->data[i] != '\r')
            text->data[kept++] = text->data[i];
    text->size = kept;
}

static void comes_back(void *context, const char *path, const struct bytes *file)
{
    (void)context;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct prt prt;
    assert_int_equal(prt_parse((const char *)file->data, file->size, path, diag, &prt), STATUS_OK);
    struct bytes out = {0}, expected = {0};
    prt_format(&prt, &out);
    bytes_append(&expected, file->data, file->size);
    drop_carriage_returns(&expected);
    assert_int_equal(out.size, expected.size);
    assert_memory_equal(out.data, expected.data, out.size);
    bytes_free(&out);
    bytes_free(&expected);
    prt_free(&prt);
    diag_free(diag);
}

static void files_of_the_corpus_come_back(void **state)
{
    (void)state;
    int found = visit_corpus(SHARED_DIR "/corpus/vmf", 1, comes_back) +
                visit_corpus(SHARED_DIR "/corpus/generated", 0, comes_back) +
                visit_corpus(SHARED_DIR "/corpus/refs", 0, comes_back);
    if (!found) {
        print_message("no corpus: portal files of real maps not read\n");
        skip();
    }
    assert_true(found >= 15);
}

/* A step from the portal's middle along its normal is in a leaf of clusters[0]. */
static void sides_are_those_of_the_tree(void **state)
{
    (void)state;
    struct bytes text = {0}, map = {0};
    if (fs_disk()->ops->read(fs_disk(), SHARED_DIR "/corpus/generated/mid.prt", &text) ||
        fs_disk()->ops->read(fs_disk(), SHARED_DIR "/corpus/generated/mid.bsp", &map)) {
        print_message("no corpus: sides of portals not compared\n");
        skip();
    }
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct prt prt;
    struct bsp *bsp;
    assert_int_equal(prt_parse((const char *)text.data, text.size, "mid", diag, &prt), STATUS_OK);
    assert_int_equal(bsp_decode(map.data, map.size, "mid", diag, &bsp), STATUS_OK);
    for (ptrdiff_t i = 0; i < arrlen(prt.portals); i++) {
        const struct prt_portal *portal = &prt.portals[i];
        struct plane plane;
        assert_true(winding_plane(portal->winding, &plane));
        struct vec3 center = winding_center(portal->winding);
        for (int side = 0; side < 2; side++) {
            struct vec3 point = vec3_mad(center, plane.normal, side ? -0.01 : 0.01);
            int leaf = bsp_leaf_at(bsp, 0, point);
            assert_int_equal(bsp->leaves[leaf].cluster, portal->clusters[side]);
        }
    }
    bsp_free(bsp);
    prt_free(&prt);
    diag_free(diag);
    bytes_free(&text);
    bytes_free(&map);
}

SUITE(test_prt)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(an_empty_map_is_read),
        cmocka_unit_test(a_file_of_quake_3_is_read),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(text_may_stop_anywhere),
        cmocka_unit_test(numbers_are_written_as_integers_or_with_six_decimals),
        cmocka_unit_test(the_normal_points_into_the_first_cluster),
        cmocka_unit_test(files_of_the_corpus_come_back),
        cmocka_unit_test(sides_are_those_of_the_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
