/* Runs of vvis that are stopped and resumed, maps of several components, and the warning about
 * open maps. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/bsp/query.h"
#include "common/diag/codes/clusters.def"
#include "common/diag/codes/visibility.def"
#include "tests/support/vvis/world.h"
#include "vvis/files.h"
#include "vvis/report/trace.h"
#include "vvis/vvis.h"

/* Adds rooms in a row, the n-th numbered `step` * n, with a door of `width` between each two. */
static void add_row(struct prt *prt, int first, int step, int rooms, double y, double width)
{
    for (int i = 0; i + 1 < rooms; i++)
        graph_door_x(prt, first + step * i, first + step * (i + 1), 256 * i, y, y + width);
}

static enum status run(struct world *world, struct vvis_session *session)
{
    return vvis_run(&world->env, &vvis_defaults, session, &world->prt, world->bsp);
}

static void an_open_map_is_reported(void **state)
{
    (void)state;
    for (int rooms = 63; rooms <= 64; rooms++) {
        struct world world = world_new(rooms);
        add_row(&world.prt, 0, 1, rooms, 0, 256);
        assert_int_equal(run(&world, NULL), STATUS_OK);
        assert_true(bsp_vis_sees(world.bsp, 0, rooms - 1));
        assert_int_equal(diag_count_code(world.diag, DIAG_VIS_OPEN), rooms == 64);
        world_free(&world);
    }
    struct world world = world_new(64); /* two components */
    add_row(&world.prt, 0, 1, 32, 0, 256);
    add_row(&world.prt, 32, 1, 32, 0, 256);
    assert_int_equal(run(&world, NULL), STATUS_OK);
    assert_int_equal(diag_entries(world.diag), 0);
    world_free(&world);
}

/* Clusters of three rows are numbered in turn, and the last has no portal. */
static void components_do_not_see_each_other(void **state)
{
    (void)state;
    struct world world = world_new(16);
    for (int part = 0; part < 3; part++)
        add_row(&world.prt, part, 3, 5, 1024 * part, part == 1 ? 0.5 : 128);
    assert_int_equal(run(&world, NULL), STATUS_OK);
    for (int a = 0; a < 16; a++)
        for (int b = 0; b < 16; b++)
            assert_int_equal(bsp_vis_sees(world.bsp, a, b),
                             a == b || (a < 15 && b < 15 && a % 3 == b % 3));
    world_free(&world);
}

/* Staggered doors, so that something is left for the flow. */
static void add_maze(struct prt *prt, int rooms)
{
    for (int i = 0; i + 1 < rooms; i++) {
        graph_door_x(prt, i, i + 1, 64 * i, 10 * (i * i % 7), 10 * (i * i % 7) + 20);
        graph_door_x(prt, i, i + 1, 64 * i, 200 + 10 * (i * i % 5), 225 + 10 * (i * i % 5));
    }
}

static void a_stopped_run_changes_nothing_and_resumes(void **state)
{
    (void)state;
    struct world world = world_new(80), whole = world_new(80);
    const volatile sig_atomic_t stop = 1;
    struct vvis_session session = {.stage.checkpoint = "kept"};
    world.env.stop = &stop;
    add_maze(&world.prt, 80);
    add_maze(&whole.prt, 80);
    assert_int_equal(run(&whole, NULL), STATUS_OK);
    assert_int_equal(run(&world, &session), STATUS_FAILED);
    assert_int_equal(world.bsp->visibility.size, 0);
    assert_int_equal(world.fs->ops->kind(world.fs, "kept"), FS_FILE);
    session = (struct vvis_session){.stage = {.checkpoint = "kept", .resume.resume = true}};
    world.env.stop = NULL;
    assert_int_equal(run(&world, &session), STATUS_OK);
    assert_int_equal(diag_entries(world.diag), 0);
    assert_int_equal(world.bsp->visibility.size, whole.bsp->visibility.size);
    assert_memory_equal(world.bsp->visibility.data, whole.bsp->visibility.data,
                        whole.bsp->visibility.size);
    world_free(&world);
    world_free(&whole);
}

static void a_run_without_a_checkpoint_can_be_stopped(void **state)
{
    (void)state;
    struct world world = world_new(80);
    const volatile sig_atomic_t stop = 1;
    add_maze(&world.prt, 80);
    world.env.stop = &stop;
    assert_int_equal(run(&world, NULL), STATUS_FAILED);
    world_free(&world);
}

/* Returns a point on the line, at this fraction. */
static struct vec3 between(const struct vis_trace *trace, double part)
{
    return vec3_mad(trace->from, vec3_sub(trace->to, trace->from), part);
}

static void a_traced_line_goes_through_the_doors(void **state)
{
    (void)state;
    struct world world = world_new(6);
    struct vis_trace trace;
    add_row(&world.prt, 0, 1, 4, 100, 10);
    graph_door_y(&world.prt, 3, 4, 256, 600, 700);
    for (int back = 0; back < 2; back++) {
        int a = back ? 3 : 0, b = back ? 0 : 3;
        assert_int_equal(
            vvis_trace(&world.env, &vvis_defaults, &world.prt, world.bsp, a, b, &trace), STATUS_OK);
        assert_true(trace.proven);
        struct vec3 middle = between(&trace, 0.5); /* in the second of three doors */
        assert_true(fabs(middle.x - 256) < 0.01);
        assert_true(middle.y > 100 && middle.y < 110 && middle.z > 0 && middle.z < 128);
    }
    assert_int_equal(diag_entries(world.diag), 0);
    assert_int_equal(vvis_trace(&world.env, &vvis_defaults, &world.prt, world.bsp, 0, 4, &trace),
                     STATUS_FAILED);
    assert_int_equal(vvis_trace(&world.env, &vvis_defaults, &world.prt, world.bsp, 0, 5, &trace),
                     STATUS_FAILED);
    assert_int_equal(diag_count_code(world.diag, DIAG_VIS_UNSEEN), 2);
    assert_int_equal(vvis_trace(&world.env, &vvis_defaults, &world.prt, world.bsp, 0, 6, &trace),
                     STATUS_FAILED);
    assert_int_equal(diag_count_code(world.diag, DIAG_VIS_TRACE), 1);
    struct vvis_options near = vvis_defaults;
    near.radius_override = 100;
    assert_int_equal(vvis_trace(&world.env, &near, &world.prt, world.bsp, 0, 3, &trace),
                     STATUS_FAILED);
    assert_int_equal(diag_count_code(world.diag, DIAG_VIS_UNSEEN), 3);
    world_free(&world);
}

static void missing_portals_are_reported(void **state)
{
    (void)state;
    struct world world = world_new(0);
    assert_int_equal(vvis_read_portals(&world.env, "a.prt", &world.prt), STATUS_FAILED);
    assert_int_equal(world.fs->ops->write(world.fs, "a.lin", "0 0 0\n", 6), 0);
    assert_int_equal(vvis_read_portals(&world.env, "a.prt", &world.prt), STATUS_FAILED);
    assert_int_equal(diag_count_code(world.diag, DIAG_NO_PORTALS), 2);
    assert_non_null(strstr(diag_entry(world.diag, 1)->message, "a.lin"));
    world_free(&world);
}

SUITE(test_vvis_session)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_open_map_is_reported),
        cmocka_unit_test(components_do_not_see_each_other),
        cmocka_unit_test(a_stopped_run_changes_nothing_and_resumes),
        cmocka_unit_test(a_run_without_a_checkpoint_can_be_stopped),
        cmocka_unit_test(a_traced_line_goes_through_the_doors),
        cmocka_unit_test(missing_portals_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
