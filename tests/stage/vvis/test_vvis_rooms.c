/* Visibility of small graphs of rooms whose answers are known. Walls have no thickness. */
#include "tests/support/suite.h"

#include <stdlib.h>

#include "common/bsp/query.h"
#include "common/diag/codes/clusters.def"
#include "tests/support/bsp_files.h"
#include "tests/support/vvis/world.h"
#include "vvis/resolve_options.h"
#include "vvis/vvis.h"

static struct bsp *run(struct prt *prt, const struct vvis_options *options)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct env env = {.diag = diag, .fs = fs_disk(), .threads = 2};
    struct bsp *bsp = bsp_new();
    assert_int_equal(vvis_run(&env, options, NULL, prt, bsp), STATUS_OK);
    assert_int_equal(diag_count(diag, DIAG_ERROR), 0);
    diag_free(diag);
    return bsp;
}

/* `expected` has a row of '.' and 'x' per cluster. Cluster flow and portal flow must give it. */
static void sees(struct prt *prt, const char *expected)
{
    for (int way = 0; way < 2; way++) {
        const struct resolve_options resolve = {.portal_flow = way == 1};
        const struct vvis_options options = {.resolve = &resolve};
        struct bsp *bsp = run(prt, &options);
        assert_int_equal(bsp_vis_clusters(bsp), prt->cluster_count);
        char got[1024];
        size_t at = 0;
        for (int i = 0; i < prt->cluster_count; i++) {
            for (int k = 0; k < prt->cluster_count; k++)
                got[at++] = bsp_vis_sees(bsp, i, k) ? 'x' : '.';
            got[at++] = ' ';
        }
        got[at ? at - 1 : 0] = 0;
        assert_string_equal(got, expected);
        bsp_free(bsp);
    }
    prt_free(prt);
}

static void a_room_sees_itself(void **state)
{
    (void)state;
    struct prt prt = {.cluster_count = 1};
    sees(&prt, "x");
}

static void rooms_without_a_door_do_not_see_each_other(void **state)
{
    (void)state;
    struct prt prt = {.cluster_count = 3};
    graph_door_x(&prt, 0, 2, 256, 96, 160);
    sees(&prt, "x.x .x. x.x");
}

static void rooms_in_line_see_each_other(void **state)
{
    (void)state;
    struct prt prt = {.cluster_count = 4};
    for (int i = 0; i < 3; i++)
        graph_door_x(&prt, i, i + 1, 256 * (i + 1), 96, 160);
    sees(&prt, "xxxx xxxx xxxx xxxx");
}

/* Doors at y 0..32, 200..232 and again 0..32: no line goes through all three. */
static struct prt doors_out_of_line(void)
{
    struct prt prt = {.cluster_count = 4};
    graph_door_x(&prt, 0, 1, 256, 0, 32);
    graph_door_x(&prt, 1, 2, 512, 200, 232);
    graph_door_x(&prt, 2, 3, 768, 0, 32);
    return prt;
}

static void doors_out_of_line_hide_the_last_room(void **state)
{
    (void)state;
    struct prt prt = doors_out_of_line();
    sees(&prt, "xxx. xxxx xxxx .xxx");
}

/* A straight line exists when the third door is shifted by the same distance again. */
static void doors_on_a_slope_are_in_line(void **state)
{
    (void)state;
    struct prt prt = {.cluster_count = 4};
    graph_door_x(&prt, 0, 1, 256, 0, 32);
    graph_door_x(&prt, 1, 2, 512, 200, 232);
    graph_door_x(&prt, 2, 3, 768, 400, 432);
    sees(&prt, "xxxx xxxx xxxx xxxx");
}

/* Only the very edges of the doors are on one line: 32 to 64 to 96. */
static void a_line_along_the_edges_does_not_count(void **state)
{
    (void)state;
    struct prt prt = {.cluster_count = 4};
    graph_door_x(&prt, 0, 1, 256, 0, 32);
    graph_door_x(&prt, 1, 2, 512, 64, 96);
    graph_door_x(&prt, 2, 3, 768, 64, 96);
    sees(&prt, "xxx. xxxx xxxx .xxx");
}

/* 0 - 1 - 2
 *         |
 *         3
 *         |
 *         4   with doors of 64 in rooms of 256 */
static struct prt corner(void)
{
    struct prt prt = {.cluster_count = 5};
    graph_door_x(&prt, 0, 1, 256, 96, 160);
    graph_door_x(&prt, 1, 2, 512, 96, 160);
    graph_door_y(&prt, 2, 3, 256, 608, 672);
    graph_door_y(&prt, 3, 4, 512, 608, 672);
    return prt;
}

static void the_ends_of_a_corner_do_not_see_each_other(void **state)
{
    (void)state;
    struct prt prt = corner();
    sees(&prt, "xxx.. xxxx. xxxxx .xxxx ..xxx");
}

/* A ring around a pillar of 256, in a hall of 128 + 256 + 128, all doors as large as the walls:
 *   5 6 7
 *   3   4
 *   0 1 2 */
static void a_pillar_hides_what_is_behind_it(void **state)
{
    (void)state;
    struct prt prt = {.cluster_count = 8};
    graph_door_x(&prt, 0, 1, 128, 0, 128);
    graph_door_x(&prt, 1, 2, 384, 0, 128);
    graph_door_x(&prt, 5, 6, 128, 384, 512);
    graph_door_x(&prt, 6, 7, 384, 384, 512);
    graph_door_y(&prt, 0, 3, 128, 0, 128);
    graph_door_y(&prt, 3, 5, 384, 0, 128);
    graph_door_y(&prt, 2, 4, 128, 384, 512);
    graph_door_y(&prt, 4, 7, 384, 384, 512);
    sees(&prt, "xxxxxxx. xxxxxx.x xxxxx.xx xxxx.xxx xxx.xxxx xx.xxxxx x.xxxxxx .xxxxxxx");
}

/* Rooms 0 and 2 are on the same side of the wall of room 1: no line returns through that wall,
 * although each door is in front of the other's room. */
static void doors_in_one_wall_do_not_see_each_other(void **state)
{
    (void)state;
    struct prt prt = {.cluster_count = 3};
    graph_door_x(&prt, 0, 1, 256, 0, 64);
    graph_door_x(&prt, 2, 1, 256, 128, 192);
    sees(&prt, "xx. xxx .xx");
}

/* Up a shaft: doors in floors, in three axes. */
static void visibility_goes_up_and_around(void **state)
{
    (void)state;
    struct prt prt = {.cluster_count = 4};
    graph_door_x(&prt, 0, 1, 256, 0, 256);
    graph_door(&prt, 1, 2, 2, 128, (double[2]){256, 0}, (double[2]){512, 256});
    graph_door(&prt, 2, 3, 2, 256, (double[2]){480, 224}, (double[2]){512, 256});
    /* from room 0 (x below 256, z below 128) up through z 128 and 256 at x 480: the slope is at
     * least 128 in 224, and the line is at z 256 before it has risen that far */
    sees(&prt, "xxxx xxxx xxxx xxxx");
}

static void flat_portals_let_nothing_through(void **state)
{
    (void)state;
    struct world world = world_new(3);
    graph_door_x(&world.prt, 0, 1, 256, 96, 160);
    graph_door_x(&world.prt, 1, 2, 512, 96, 96);  /* no area */
    graph_door_x(&world.prt, 2, 2, 600, 96, 160); /* to itself */
    assert_int_equal(vvis_run(&world.env, &vvis_defaults, NULL, &world.prt, world.bsp), STATUS_OK);
    assert_int_equal(diag_count_code(world.diag, DIAG_VIS_PORTALS_DROPPED), 1);
    assert_int_equal(diag_entries(world.diag), 1);
    assert_true(bsp_vis_sees(world.bsp, 0, 1));
    assert_false(bsp_vis_sees(world.bsp, 1, 2));
    world_free(&world);
}

static void the_pas_is_the_pvs_of_the_pvs(void **state)
{
    (void)state;
    struct prt prt = corner();
    struct bsp *bsp = run(&prt, &vvis_defaults);
    unsigned char row;
    const unsigned char expected[5] = {0x1f, 0x1f, 0x1f, 0x1f, 0x1f};
    for (int i = 0; i < 5; i++) {
        bsp_vis_row(bsp, i, true, &row);
        assert_int_equal(row, expected[i]); /* room 2 sees all, and all see room 2 */
    }
    bsp_free(bsp);
    prt_free(&prt);
}

static void fast_sees_through_up_to_three_doors(void **state)
{
    (void)state;
    struct prt prt = doors_out_of_line();
    struct vvis_options options = {.fast = true, .resolve = &resolve_defaults};
    struct bsp *bsp = run(&prt, &options);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            /* all are in front of each other, but the last door is outside the frustum of the
             * first two */
            assert_int_equal(bsp_vis_sees(bsp, i, k), abs(i - k) < 3);
    bsp_free(bsp);
    prt_free(&prt);
}

static void add_leaf(struct bsp *bsp, int cluster, int flags)
{
    struct bsp_leaf leaf = {.cluster = cluster, .flags = flags, .water_data = -1};
    arrput(bsp->leaves, leaf);
}

static void add_text(struct bsp *bsp, const char *text)
{
    for (; *text; text++)
        arrput(bsp->entities, *text);
}

/* Six rooms in a row, doors 256 apart. */
static struct bsp *long_row(double radius, const char *entities)
{
    struct prt prt = {.cluster_count = 6};
    for (int i = 0; i < 5; i++)
        graph_door_x(&prt, i, i + 1, 256 * (i + 1), 96, 160);
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct env env = {.diag = diag, .fs = fs_disk(), .threads = 2};
    struct bsp *bsp = bsp_new();
    add_leaf(bsp, 0, LEAF_SKY);
    for (int i = 0; i < 6; i++)
        add_leaf(bsp, i, LEAF_SKY | LEAF_RADIAL);
    add_leaf(bsp, -1, 0);
    add_text(bsp, entities);
    struct vvis_options options = {.radius_override = radius, .resolve = &resolve_defaults};
    assert_int_equal(vvis_run(&env, &options, NULL, &prt, bsp), STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
    prt_free(&prt);
    return bsp;
}

static const char fog[] = "{\n\"classname\" \"worldspawn\"\n}\n"
                          "{\n\"classname\" \"env_fog_controller\"\n\"farz\" \"600\"\n}\n"
                          "{\n\"classname\" \"env_fog_controller\"\n\"farz\" \"1\"\n}\n";

static void a_radius_limits_visibility(void **state)
{
    (void)state;
    struct bsp *bsp = long_row(0, "");
    assert_true(bsp_vis_sees(bsp, 0, 5));
    assert_int_equal(bsp->leaves[1].flags, LEAF_SKY);
    bsp_free(bsp);
    /* the first door is 512 from the third, which leads to room 3, and 768 from the fourth */
    for (int i = 0; i < 2; i++) {
        bsp = i ? long_row(0, fog) : long_row(600, "");
        assert_true(bsp_vis_sees(bsp, 0, 3));
        assert_false(bsp_vis_sees(bsp, 0, 4));
        assert_false(bsp_vis_sees(bsp, 5, 1));
        assert_int_equal(bsp->leaves[1].flags, LEAF_SKY | LEAF_RADIAL);
        assert_int_equal(bsp->leaves[7].flags, 0);
        bsp_free(bsp);
    }
    bsp = long_row(900, fog); /* the option overrides the entity */
    assert_true(bsp_vis_sees(bsp, 0, 4));
    bsp_free(bsp);
}

static void portals_of_another_map_are_rejected(void **state)
{
    (void)state;
    struct world world = world_new(2);
    graph_door_x(&world.prt, 0, 1, 256, 96, 160);
    add_leaf(world.bsp, 0, 0);
    for (int i = 0; i < 3; i++)
        add_leaf(world.bsp, i, 0);
    assert_int_equal(vvis_run(&world.env, &vvis_defaults, NULL, &world.prt, world.bsp),
                     STATUS_FAILED);
    assert_int_equal(diag_count_code(world.diag, DIAG_VIS_CLUSTERS), 1);
    assert_int_equal(world.bsp->visibility.size, 0);
    world_free(&world);
}

SUITE(test_vvis_rooms)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_room_sees_itself),
        cmocka_unit_test(rooms_without_a_door_do_not_see_each_other),
        cmocka_unit_test(rooms_in_line_see_each_other),
        cmocka_unit_test(doors_out_of_line_hide_the_last_room),
        cmocka_unit_test(doors_on_a_slope_are_in_line),
        cmocka_unit_test(a_line_along_the_edges_does_not_count),
        cmocka_unit_test(the_ends_of_a_corner_do_not_see_each_other),
        cmocka_unit_test(a_pillar_hides_what_is_behind_it),
        cmocka_unit_test(doors_in_one_wall_do_not_see_each_other),
        cmocka_unit_test(visibility_goes_up_and_around),
        cmocka_unit_test(flat_portals_let_nothing_through),
        cmocka_unit_test(the_pas_is_the_pvs_of_the_pvs),
        cmocka_unit_test(fast_sees_through_up_to_three_doors),
        cmocka_unit_test(a_radius_limits_visibility),
        cmocka_unit_test(portals_of_another_map_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
