/* The steps of vvis that walk through portals: base visibility, sightlines, the flow. */
#include "tests/support/suite.h"

#include "tests/support/portal_graph.h"
#include "vvis/basevis/base_vis.h"
#include "vvis/flow/flow.h"
#include "vvis/flow/flow_kernels.h"
#include "vvis/flow/sightlines.h"

/* Rooms 0 to 3 in a row along x, 256 each; room 4 beyond the side of room 2. Door i of the row
 * leads by portal 2 i to the larger x and by 2 i + 1 back. */
struct fixture {
    struct env env;
    struct prt prt;
    struct portals portals;
    struct bit_rows rows;
};

enum { FIRST_DOOR = 0, SECOND_DOOR = 2, THIRD_DOOR = 4, SIDE_DOOR = 6 };

static int setup(void **state)
{
    struct fixture *fixture = memory_zalloc(1, sizeof *fixture);
    fixture->env = (struct env){.diag = diag_new(NULL, NULL), .threads = 1};
    fixture->prt.cluster_count = 5;
    graph_door_x(&fixture->prt, 0, 1, 256, 0, 32);
    graph_door_x(&fixture->prt, 1, 2, 512, 96, 128);
    graph_door_x(&fixture->prt, 2, 3, 768, 192, 224);
    graph_door_y(&fixture->prt, 2, 4, 256, 700, 732);
    portals_build(&fixture->prt, &fixture->portals);
    fixture->rows = base_vis(&fixture->env, &fixture->portals, 0);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    memory_free(fixture->rows.data);
    portals_free(&fixture->portals);
    prt_free(&fixture->prt);
    diag_free(fixture->env.diag);
    memory_free(fixture);
    return 0;
}

static void portals_go_both_ways(void **state)
{
    const struct portals *portals = &((struct fixture *)*state)->portals;
    assert_int_equal(portals->count, 8);
    assert_int_equal(portals->dropped, 0);
    for (int p = 0; p < portals->count; p++) {
        double sign = p % 2 ? -1 : 1;
        int axis = p / 2 == SIDE_DOOR / 2;
        assert_true(portals->planes[p].normal.e[axis] == sign);
        /* the window is clockwise for its own plane */
        const struct window *window = &portals->windows[p];
        struct vec3 points[3];
        for (int i = 0; i < 3; i++)
            points[i] = vec3(window->x[i], window->y[i], window->z[i]);
        struct plane plane;
        assert_true(plane_from_points(points[0], points[1], points[2], &plane));
        assert_true(vec3_distance(plane.normal, portals->planes[p].normal) < 1e-9);
    }
    assert_int_equal(portals->to[FIRST_DOOR], 1);
    assert_int_equal(portals->to[FIRST_DOOR ^ 1], 0);
    /* out of room 2: back through the second door, on through the third, to the side */
    assert_int_equal(portals->first[3] - portals->first[2], 3);
    assert_int_equal(portals->leaving[portals->first[2]], SECOND_DOOR ^ 1);
    assert_int_equal(portals->leaving[portals->first[2] + 1], THIRD_DOOR);
    assert_int_equal(portals->leaving[portals->first[2] + 2], SIDE_DOOR);
}

static void base_visibility_tests_sides_and_frusta(void **state)
{
    struct fixture *fixture = *state;
    const struct bit_rows *rows = &fixture->rows;
    assert_true(bit_get(bit_row(rows, FIRST_DOOR), SECOND_DOOR));
    assert_true(bit_get(bit_row(rows, SECOND_DOOR), SIDE_DOOR));
    assert_false(
        bit_get(bit_row(rows, FIRST_DOOR), SIDE_DOOR)); /* outside the frustum of two doors */
    assert_false(bit_get(bit_row(rows, FIRST_DOOR), FIRST_DOOR));
    assert_false(bit_get(bit_row(rows, FIRST_DOOR), FIRST_DOOR ^ 1));
    assert_false(bit_get(bit_row(rows, FIRST_DOOR), SECOND_DOOR ^ 1)); /* wrong direction */
    assert_false(bit_get(bit_row(rows, SECOND_DOOR), FIRST_DOOR));     /* behind */
    for (size_t p = 0; p < 8; p++)
        for (size_t q = 0; q < 8; q++)
            assert_int_equal(bit_get(bit_row(rows, p), q), bit_get(bit_row(rows, q ^ 1), p ^ 1));
}

/* Planes and boxes alone (portal front) are a superset of the flood. */
static void portal_front_contains_base_visibility(void **state)
{
    struct fixture *fixture = *state;
    for (int radius = 0; radius <= 300; radius += 300) {
        struct bit_rows base = base_vis(&fixture->env, &fixture->portals, radius);
        struct bit_rows front = base_front(&fixture->env, &fixture->portals, radius);
        assert_int_equal(front.words, base.words);
        for (size_t p = 0; p < 8; p++) {
            assert_int_equal(bit_row(&base, p)[0] & ~bit_row(&front, p)[0], 0);
            for (size_t q = 0; q < 8; q++)
                assert_int_equal(bit_get(bit_row(&front, p), q),
                                 bit_get(bit_row(&front, q ^ 1), p ^ 1));
        }
        assert_false(bit_get(bit_row(&front, 0), 0) || bit_get(bit_row(&front, 0), 1));
        assert_false(bit_get(bit_row(&front, 2), 0)); /* back */
        assert_int_equal(bit_get(bit_row(&front, 0), 4), !radius);
        memory_free(base.data);
        memory_free(front.data);
    }
}

static void a_radius_limits_base_visibility(void **state)
{
    struct fixture *fixture = *state;
    struct bit_rows near = base_vis(&fixture->env, &fixture->portals, 300);
    assert_true(bit_get(bit_row(&near, FIRST_DOOR), SECOND_DOOR)); /* 264 apart */
    assert_false(bit_get(bit_row(&near, FIRST_DOOR), THIRD_DOOR));
    assert_true(bit_get(bit_row(&near, THIRD_DOOR ^ 1), SECOND_DOOR ^ 1));
    memory_free(near.data);
}

static void the_flow_sees_through_doors_in_line(void **state)
{
    struct fixture *fixture = *state;
    struct flow *flow = flow_new(&fixture->portals, &fixture->rows);
    struct bit_rows seen = bit_rows_new(1, 8);
    flow_portal(flow, FIRST_DOOR, 1000, seen.data);
    assert_true(bit_get(seen.data, SECOND_DOOR));
    assert_true(bit_get(seen.data, THIRD_DOOR)); /* 0..32, 96..128, 192..224 */
    assert_false(bit_get(seen.data, SIDE_DOOR)); /* at x 732 the line is at y 238 at most */
    struct flow_counts counts = {0};
    flow_add_counts(flow, &counts);
    assert_int_equal(counts.chains, 2);
    assert_int_equal(counts.worst, 2);
    memory_free(seen.data);
    flow_free(flow);
}

static void a_flow_over_budget_sees_all(void **state)
{
    struct fixture *fixture = *state;
    struct flow *flow = flow_new(&fixture->portals, &fixture->rows);
    struct bit_rows seen = bit_rows_new(1, 8);
    bit_set(bit_row(&fixture->rows, FIRST_DOOR), SIDE_DOOR);
    flow_portal(flow, FIRST_DOOR, 1, seen.data);
    assert_memory_equal(seen.data, bit_row(&fixture->rows, FIRST_DOOR),
                        seen.words * sizeof *seen.data);
    memory_free(seen.data);
    flow_free(flow);
}

static void pairs_are_decided_from_both_sides(void **state)
{
    struct fixture *fixture = *state;
    struct flow *flow = flow_new(&fixture->portals, &fixture->rows);
    struct flow_arrival arrival = {0};
    assert_int_equal(flow_pair(flow, 0, 3, 1000, &arrival), FLOW_ARRIVED);
    assert_int_equal(arrival.portal, FIRST_DOOR);
    assert_true(arrival.from.x[0] == 256 && arrival.to.x[0] == 768);
    assert_int_equal(flow_pair(flow, 3, 0, 1000, &arrival), FLOW_ARRIVED);
    assert_int_equal(arrival.portal, THIRD_DOOR ^ 1);
    assert_int_equal(flow_pair(flow, 0, 4, 1000, &arrival), FLOW_CULLED);
    assert_int_equal(flow_pair(flow, 4, 0, 1000, &arrival), FLOW_CULLED);
    assert_int_equal(flow_pair(flow, 3, 4, 1000, &arrival), FLOW_ARRIVED);
    assert_int_equal(flow_pair(flow, 0, 3, 1, &arrival), FLOW_UNDECIDED); /* needs one chain more */
    flow_free(flow);
}

/* The same, with only the mightsee of clusters to stop a walk. */
static void pairs_are_decided_by_clusters(void **state)
{
    struct fixture *fixture = *state;
    struct flow *flow = flow_new(&fixture->portals, NULL);
    struct bit_rows cluster_rows = bit_rows_new(5, 5);
    for (size_t c = 0; c < 5; c++)
        bit_row(&cluster_rows, c)[0] = 0x1f;
    struct flow_arrival arrival = {0};
    assert_int_equal(flow_clusters(flow, &cluster_rows, 0, 3, 1000, &arrival), FLOW_ARRIVED);
    assert_int_equal(arrival.portal, FIRST_DOOR);
    assert_int_equal(arrival.length, 3);
    assert_int_equal(arrival.path[1], SECOND_DOOR);
    assert_int_equal(arrival.path[2], THIRD_DOOR);
    assert_int_equal(flow_clusters(flow, &cluster_rows, 3, 0, 1000, &arrival), FLOW_ARRIVED);
    assert_int_equal(flow_clusters(flow, &cluster_rows, 0, 4, 1000, &arrival), FLOW_CULLED);
    assert_int_equal(flow_clusters(flow, &cluster_rows, 4, 0, 1000, &arrival), FLOW_CULLED);
    assert_int_equal(flow_clusters(flow, &cluster_rows, 0, 3, 1, &arrival), FLOW_UNDECIDED);
    bit_row(&cluster_rows, 2)[0] = 0x1e; /* the room between does not see the first one */
    bit_row(&cluster_rows, 0)[0] = 0x1b;
    assert_int_equal(flow_clusters(flow, &cluster_rows, 0, 3, 1000, &arrival), FLOW_CULLED);
    memory_free(cluster_rows.data);
    flow_free(flow);
}

/* Doors at 0 to 32, 96 to 128, 192 to 224: few of the lines from the first to the third. */
static void a_stabbing_line_is_found(void **state)
{
    struct fixture *fixture = *state;
    struct flow_arrival arrival = {.path = {FIRST_DOOR, SECOND_DOOR, THIRD_DOOR},
                                   .length = 3,
                                   .portal = FIRST_DOOR,
                                   .cluster = 3,
                                   .from = fixture->portals.windows[FIRST_DOOR],
                                   .to = fixture->portals.windows[THIRD_DOOR]};
    struct vec3 from, to;
    assert_true(
        flow_kernels_of(simd_best())->find_stabbing_line(&fixture->portals, &arrival, &from, &to));
    assert_true(from.x == 256 && to.x == 768);
    double y = (from.y + to.y) / 2, z = (from.z + to.z) / 2;
    assert_true(y > 96 && y < 128 && z > 0 && z < 128);
    arrival.path[2] = SIDE_DOOR;
    arrival.to = fixture->portals.windows[SIDE_DOOR];
    assert_false(
        flow_kernels_of(simd_best())->find_stabbing_line(&fixture->portals, &arrival, &from, &to));
    arrival.length = 0; /* longer than ARRIVAL_PATH */
    assert_false(
        flow_kernels_of(simd_best())->find_stabbing_line(&fixture->portals, &arrival, &from, &to));
}

static void cluster_flow_resolves_a_cluster(void **state)
{
    struct fixture *fixture = *state;
    struct flow *flow = flow_new(&fixture->portals, &fixture->rows);
    struct bit_rows all = bit_rows_new(5, 5);
    for (size_t c = 0; c < 5; c++)
        bit_row(&all, c)[0] = 0x1f;
    struct bit_rows seen = bit_rows_new(1, 5);
    seen.data[0] = 0x3; /* itself and its neighbour */
    assert_true(flow_cluster(flow, &all, 0, 1000, seen.data));
    assert_int_equal(seen.data[0], 0xf); /* all but the room at the side */
    size_t count;
    const struct flow_arrival *const *arrivals = flow_arrivals(flow, &count);
    assert_int_equal(count, 2);
    assert_int_equal(arrivals[1]->cluster, 3);
    struct bit_rows proven = bit_rows_new(5, 5);
    struct sightlines *lines =
        sightlines_new(&fixture->env, &fixture->portals, &fixture->rows, &proven);
    uint64_t met = 0;
    assert_true(sightlines_try_arrival(lines, 0, arrivals[1], &met, 0));
    sightlines_commit(lines);
    assert_int_equal(met, 0xf);
    assert_int_equal(bit_row(&proven, 3)[0], 0xf);
    assert_int_equal(bit_row(&proven, 4)[0], 0);
    struct flow_arrival wrong = *arrivals[1];
    wrong.cluster = 4; /* which none of the lines reaches */
    assert_false(sightlines_try_arrival(lines, 0, &wrong, NULL, 0));
    assert_true(sightlines_free(lines) > 2);
    seen.data[0] = 0x3;
    assert_false(flow_cluster(flow, &all, 0, 1, seen.data)); /* over budget */
    seen.data[0] = 0xf;
    assert_true(flow_cluster(flow, &all, 0, 1000, seen.data)); /* all is known */
    (void)flow_arrivals(flow, &count);
    assert_int_equal(count, 0);
    /* what the mightsee of the second cluster lacks is not visited */
    bit_row(&all, 1)[0] = 0x7;
    bit_row(&all, 3)[0] = 0x1c;
    seen.data[0] = 0x3;
    assert_true(flow_cluster(flow, &all, 0, 1000, seen.data));
    assert_int_equal(seen.data[0], 0x7);
    memory_free(all.data);
    memory_free(proven.data);
    memory_free(seen.data);
    flow_free(flow);
}

static void sightlines_prove_the_clusters_on_them(void **state)
{
    struct fixture *fixture = *state;
    struct bit_rows proven = bit_rows_new(5, 5);
    struct sightlines *lines =
        sightlines_new(&fixture->env, &fixture->portals, &fixture->rows, &proven);
    sightlines_sample(lines, 0);
    assert_int_equal(bit_count(proven.data, 5 * proven.words), 5 + 2 * 4); /* the neighbours */
    assert_true(sightlines_try_pair(lines, 0, 3, 0, 1000, 0));
    assert_false(bit_get(bit_row(&proven, 0), 3));    /* other threads may be reading */
    assert_int_equal(sightlines_proven(lines, 0), 2); /* itself and the neighbour */
    sightlines_commit(lines);
    assert_int_equal(sightlines_proven(lines, 0), bit_count(bit_row(&proven, 0), proven.words));
    assert_true(sightlines_proven(lines, 0) > 2);
    assert_true(bit_get(bit_row(&proven, 0), 3) && bit_get(bit_row(&proven, 3), 0));
    bit_set(bit_row(&fixture->rows, FIRST_DOOR), SIDE_DOOR); /* else no line is tried */
    assert_false(sightlines_try_pair(lines, 0, 4, 0, 1000, 0));
    sightlines_commit(lines);
    assert_false(bit_get(bit_row(&proven, 0), 4));
    bit_set(bit_row(&proven, 0), 4); /* as a resumed run does */
    size_t before = sightlines_proven(lines, 0);
    sightlines_recount(lines);
    assert_int_equal(sightlines_proven(lines, 0), before + 1);
    assert_true(sightlines_free(lines) > 4);
    memory_free(proven.data);
}

static void bits_are_found_and_swapped(void **state)
{
    (void)state;
    struct bit_rows rows = bit_rows_new(2, 600), many = bit_rows_new_parallel(3, 700, 600);
    assert_int_equal(bit_next(many.data, 700 * many.words, 0), SIZE_MAX);
    memory_free(many.data);
    assert_int_equal(rows.words % 8, 0);
    assert_true(rows.words * 64 >= 600);
    uint64_t *row = bit_row(&rows, 1);
    assert_true(bit_next(row, rows.words, 0) == SIZE_MAX);
    bit_set(row, 0);
    bit_set(row, 64);
    bit_set(row, 599);
    assert_int_equal(bit_next(row, rows.words, 0), 0);
    assert_int_equal(bit_next(row, rows.words, 1), 64);
    assert_int_equal(bit_next(row, rows.words, 65), 599);
    assert_true(bit_next(row, rows.words, 600) == SIZE_MAX);
    assert_int_equal(bit_count(row, rows.words), 3);
    assert_int_equal(bit_count(bit_row(&rows, 0), rows.words), 0);
    bit_clear(row, 64);
    assert_false(bit_get(row, 64));
    assert_true(bits_swap_pairs(0x9) == 0x6);
    assert_true(bits_swap_pairs((uint64_t)1 << 63) == (uint64_t)1 << 62);
    memory_free(rows.data);
}

SUITE(test_vis_flow)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(portals_go_both_ways, setup, teardown),
        cmocka_unit_test_setup_teardown(base_visibility_tests_sides_and_frusta, setup, teardown),
        cmocka_unit_test_setup_teardown(portal_front_contains_base_visibility, setup, teardown),
        cmocka_unit_test_setup_teardown(a_radius_limits_base_visibility, setup, teardown),
        cmocka_unit_test_setup_teardown(the_flow_sees_through_doors_in_line, setup, teardown),
        cmocka_unit_test_setup_teardown(a_flow_over_budget_sees_all, setup, teardown),
        cmocka_unit_test_setup_teardown(pairs_are_decided_from_both_sides, setup, teardown),
        cmocka_unit_test_setup_teardown(pairs_are_decided_by_clusters, setup, teardown),
        cmocka_unit_test_setup_teardown(a_stabbing_line_is_found, setup, teardown),
        cmocka_unit_test_setup_teardown(cluster_flow_resolves_a_cluster, setup, teardown),
        cmocka_unit_test_setup_teardown(sightlines_prove_the_clusters_on_them, setup, teardown),
        cmocka_unit_test(bits_are_found_and_swapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
