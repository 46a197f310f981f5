/* Reports on small graphs of rooms whose answers are known. */
#include "tests/support/suite.h"

#include <stdio.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "tests/support/portal_graph.h"
#include "vvis/report/report.h"
#include "vvis/vvis.h"

static void add_leaf(struct bsp *bsp, int cluster, int x, int y, int width, int depth)
{
    struct bsp_leaf leaf = {.cluster = cluster,
                            .mins = {(int16_t)x, (int16_t)y, 0},
                            .maxs = {(int16_t)(x + width), (int16_t)(y + depth), 128},
                            .water_data = -1};
    arrput(bsp->leaves, leaf);
}

/* Computes visibility and fills the report. */
static void report_on(struct prt *prt, struct bsp *bsp, struct vis_report *report)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct env env = {.diag = diag, .threads = 2};
    struct vvis_session session = {.report = report};
    assert_int_equal(vvis_run(&env, &vvis_defaults, &session, prt, bsp), STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
}

static int seen_by(const struct bsp *bsp, int cluster)
{
    int count = 0;
    for (int i = 0; i < bsp_vis_clusters(bsp); i++)
        count += bsp_vis_sees(bsp, cluster, i);
    return count;
}

/* A long hall (cluster 0) with a passage of two rooms at either end of one side: from one end of
 * the hall, the end of the passage at the other is not visible. With `cut`, cluster 5 is the far
 * half. */
static void add_hall(struct prt *prt, struct bsp *bsp, bool cut)
{
    int far = cut ? 5 : 0;
    prt->cluster_count = cut ? 6 : 5;
    graph_door_y(prt, 0, 1, 256, 0, 64);
    graph_door_y(prt, 1, 2, 1024, 0, 64);
    graph_door_y(prt, far, 3, 256, 960, 1024);
    graph_door_y(prt, 3, 4, 1024, 960, 1024);
    if (cut)
        graph_door_x(prt, 0, 5, 512, 0, 256);
    add_leaf(bsp, 0, 0, 0, 0, 0); /* leaf 0, which is not in the tree */
    add_leaf(bsp, 0, 0, 0, cut ? 512 : 1024, 256);
    add_leaf(bsp, 1, 0, 256, 64, 768);
    add_leaf(bsp, 2, 0, 1024, 64, 64);
    add_leaf(bsp, 3, 960, 256, 64, 768);
    add_leaf(bsp, 4, 960, 1024, 64, 64);
    if (cut)
        add_leaf(bsp, 5, 512, 0, 512, 256);
}

static void a_hint_is_reported_with_its_gain(void **state)
{
    (void)state;
    struct prt prt = {0}, cut = {0};
    struct bsp *bsp = bsp_new(), *cut_bsp = bsp_new();
    struct vis_report report, cut_report;
    add_hall(&prt, bsp, false);
    add_hall(&cut, cut_bsp, true);
    report_on(&prt, bsp, &report);
    report_on(&cut, cut_bsp, &cut_report);
    assert_int_equal(arrlen(report.hints), 1);
    const struct report_hint *hint = &report.hints[0];
    assert_int_equal(hint->cluster.cluster, 0);
    assert_int_equal(hint->cluster.sees, 5);
    assert_int_equal(hint->cluster.leaves, 1);
    assert_int_equal(hint->cut.axis, 0);
    assert_true(fabs(hint->cut.at - 512) < 1e-9);
    /* the other half does not count as another cluster */
    assert_int_equal(hint->cut.sees[0], 4);
    assert_int_equal(seen_by(cut_bsp, 0), 4 + 1);
    assert_int_equal(hint->cut.sees[1], 4);
    assert_int_equal(seen_by(cut_bsp, 5), 4 + 1);
    assert_int_equal(arrlen(cut_report.hints), 0);
    report_free(&report);
    report_free(&cut_report);
    bsp_free(bsp);
    bsp_free(cut_bsp);
    prt_free(&prt);
    prt_free(&cut);
}

/* A room in eight pieces, and one around a corner. */
static void pieces_that_see_the_same_are_reported(void **state)
{
    (void)state;
    struct prt prt = {.cluster_count = 10};
    struct bsp *bsp = bsp_new();
    struct vis_report report;
    for (int i = 0; i < 7; i++)
        graph_door_x(&prt, i, i + 1, 128 * (i + 1), 0, 256);
    graph_door_x(&prt, 7, 8, 1024, 100, 120);
    graph_door_y(&prt, 8, 9, 256, 1024, 1040);
    report_on(&prt, bsp, &report);
    assert_int_equal(report.clusters, 10);
    assert_int_equal(report.portals, 9);
    assert_int_equal(arrlen(report.detail_groups), 1);
    assert_int_equal(report.detail_groups[0].sees, seen_by(bsp, 0));
    assert_true(arrlen(report.detail_groups[0].clusters) >= 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(report.detail_groups[0].clusters[i], i);
    int all = 0, pairs = 0;
    for (int i = 0; i < 10; i++) {
        all += seen_by(bsp, i) >= 9;
        pairs += seen_by(bsp, i);
    }
    assert_int_equal(report.see_nearly_all_count, all);
    assert_true(fabs(report.seen - pairs / 100.0) < 1e-9);
    report_free(&report);
    bsp_free(bsp);
    prt_free(&prt);
}

static void an_empty_map_has_an_empty_report(void **state)
{
    (void)state;
    for (int clusters = 0; clusters < 2; clusters++) {
        struct prt prt = {.cluster_count = clusters};
        struct bsp *bsp = bsp_new();
        struct vis_report report;
        struct bytes text = {0}, json = {0};
        report_on(&prt, bsp, &report);
        assert_int_equal(arrlen(report.costly_clusters) + arrlen(report.costly_portals) +
                             arrlen(report.hints),
                         0);
        report_text(&report, &text);
        report_json(&report, &json);
        assert_true(text.size > 0 && json.size > 0);
        bytes_free(&text);
        bytes_free(&json);
        report_free(&report);
        bsp_free(bsp);
        prt_free(&prt);
    }
}

SUITE(test_vvis_report)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hint_is_reported_with_its_gain),
        cmocka_unit_test(pieces_that_see_the_same_are_reported),
        cmocka_unit_test(an_empty_map_has_an_empty_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
