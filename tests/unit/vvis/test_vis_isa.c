/* The inner loops of vvis give the same results with every instruction set of the CPU. */
#include "tests/support/suite.h"

#include "common/core/memory.h"
#include "common/core/random.h"
#include "tests/support/portal_graph.h"
#include "vvis/basevis/base_vis.h"
#include "vvis/flow/flow_kernels.h"
#include "vvis/flow/pair_vis.h"

struct rng {
    uint64_t item, draws;
};

static double rng_range(struct rng *rng, double low, double high)
{
    return low + (high - low) * random_unit(rng->item, rng->draws++);
}

/* A polygon of 3 to 16 points around a random point, clockwise seen from in front of its plane. */
static void random_window(struct rng *rng, struct plane *plane, struct window *out)
{
    struct vec3 center =
        vec3(rng_range(rng, -99, 99), rng_range(rng, -99, 99), rng_range(rng, -99, 99));
    struct vec3 normal = vec3(rng_range(rng, -1, 1), rng_range(rng, -1, 1), rng_range(rng, 0.1, 1));
    *plane = (struct plane){vec3_normalize(normal), 0};
    plane->dist = vec3_dot(plane->normal, center);
    struct vec3 right = vec3_normalize(vec3_cross(plane->normal, vec3(1, 0, 0)));
    struct vec3 up = vec3_cross(right, plane->normal);
    int count = 3 + (int)rng_range(rng, 0, WINDOW_POINTS - 2);
    for (int i = 0; i < count; i++) {
        double angle = 6.283185307179586 * i / count, radius = rng_range(rng, 30, 31);
        struct vec3 point =
            vec3_mad(vec3_mad(center, right, radius * cos(angle)), up, radius * sin(angle));
        out->x[i] = point.x;
        out->y[i] = point.y;
        out->z[i] = point.z;
    }
    window_finish(out, count);
}

static void same_doubles(const double *a, const double *b, int count)
{
    assert_memory_equal(a, b, (size_t)count * sizeof *a);
}

static void same_windows(const struct window *a, const struct window *b)
{
    assert_int_equal(a->count, b->count);
    same_doubles(a->x, b->x, a->count + 1);
    same_doubles(a->y, b->y, a->count + 1);
    same_doubles(a->z, b->z, a->count + 1);
}

static void windows_are_clipped_the_same(void **state)
{
    (void)state;
    int count = (int)simd_best() + 1, cut = 0;
    print_message("the best of %d is %s\n", count, simd_name(simd_best()));
    for (uint64_t i = 0; i < 2000; i++) {
        struct rng rng = {i, 0};
        struct window window, other, out[SIMD_LEVELS];
        struct plane plane, by;
        random_window(&rng, &plane, &window);
        random_window(&rng, &by, &other);
        enum window_cut results[SIMD_LEVELS] = {0};
        for (int k = 0; k < count; k++) {
            results[k] = flow_kernels_of((enum simd_level)k)->window_clip(&window, &by, &out[k]);
            assert_int_equal(results[k], results[0]);
            if (results[k] == WINDOW_CUT)
                same_windows(&out[k], &out[0]);
        }
        cut += results[0] == WINDOW_CUT;
    }
    assert_true(cut > 200);
}

static void separators_are_the_same(void **state)
{
    (void)state;
    int count = (int)simd_best() + 1, behind = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        struct rng rng = {i, 1};
        struct window source, pass;
        struct plane planes[2];
        random_window(&rng, &planes[0], &source);
        random_window(&rng, &planes[1], &pass);
        struct box box = {
            vec3(rng_range(&rng, -99, 99), rng_range(&rng, -99, 99), rng_range(&rng, -99, 99)),
            vec3(rng_range(&rng, 0, 9), rng_range(&rng, 0, 9), rng_range(&rng, 0, 9))};
        struct separators out[SIMD_LEVELS];
        bool results[SIMD_LEVELS] = {0};
        uint32_t cutting[SIMD_LEVELS];
        for (int k = 0; k < count; k++) {
            flow_kernels_of((enum simd_level)k)
                ->separators_build(&source, &planes[0], &pass, &planes[1], &out[k]);
            assert_int_equal(out[k].count, out[0].count);
            same_doubles(out[k].x, out[0].x, out[0].count);
            same_doubles(out[k].y, out[0].y, out[0].count);
            same_doubles(out[k].z, out[0].z, out[0].count);
            same_doubles(out[k].dist, out[0].dist, out[0].count);
            same_doubles(out[k].near, out[0].near, out[0].count);
            results[k] =
                flow_kernels_of((enum simd_level)k)->separators_behind(&out[k], &box, &cutting[k]);
            assert_int_equal(results[k], results[0]);
            assert_true(results[k] || cutting[k] == cutting[0]);
        }
        behind += results[0];
    }
    assert_in_range(behind, 200, 1800);
}

/* Rooms on a grid, with doors of random width at random positions. */
static void make_rooms(struct prt *prt, uint64_t seed, int side)
{
    struct rng rng = {seed, 2};
    *prt = (struct prt){.cluster_count = side * side};
    for (int x = 0; x < side; x++) {
        for (int y = 0; y < side; y++) {
            double from = rng_range(&rng, 0, 200), to = from + rng_range(&rng, 10, 256 - from);
            int room = y * side + x;
            if (x + 1 < side)
                graph_door_x(prt, room, room + 1, 256 * (x + 1), 256 * y + from, 256 * y + to);
            if (y + 1 < side)
                graph_door_y(prt, room, room + side, 256 * (y + 1), 256 * x + from, 256 * x + to);
        }
    }
}

static void maps_come_out_the_same(void **state)
{
    (void)state;
    int count = (int)simd_best() + 1;
    struct diag *diag = diag_new(NULL, NULL);
    struct env env = {.diag = diag, .fs = fs_disk(), .threads = 2};
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct prt prt;
        make_rooms(&prt, seed, seed < 18 ? 6 : 20); /* with rows of portals, and without */
        struct bit_rows first = {0};
        struct pair_counts counts[SIMD_LEVELS];
        for (int k = 0; k < count; k++) {
            struct portals portals;
            portals_build(&prt, &portals);
            simd_cap((enum simd_level)k);
            struct bit_rows pvs =
                pair_vis(&env, &portals, 0, NULL, true, (struct effort){0}, &counts[k]);
            if (k)
                assert_memory_equal(pvs.data, first.data,
                                    (size_t)prt.cluster_count * pvs.words * sizeof *pvs.data);
            assert_memory_equal(&counts[k], &counts[0], sizeof *counts);
            memory_free(k ? pvs.data : NULL);
            first = k ? first : pvs;
            portals_free(&portals);
        }
        assert_true(counts[0].flow.chains > 0);
        assert_true(seed < 18 || counts[0].by_cluster.clusters > 300);
        memory_free(first.data);
        prt_free(&prt);
    }
    diag_free(diag);
}

/* Results of walks, and of the lines guessed from them. */
struct walk_results {
    struct vec3 from, to; /* sums of the guesses */
    int guesses;
    int results[3]; /* of walks to all clusters */
    int64_t clips;
};

static void add_guess(struct walk_results *walk_results, const struct portals *portals,
                      const struct flow_arrival *arrival)
{
    struct vec3 from, to;
    if (!flow_kernels_of(simd_best())->find_stabbing_line(portals, arrival, &from, &to))
        return;
    walk_results->from = vec3_add(walk_results->from, from);
    walk_results->to = vec3_add(walk_results->to, to);
    walk_results->guesses++;
}

static void compare_pairs(struct flow *flow, const struct bit_rows *cluster_rows, int a,
                          struct walk_results *walk_results)
{
    for (int b = 0; b < 36; b++) {
        struct flow_arrival arrival;
        if (b != a)
            walk_results->results[flow_clusters(flow, cluster_rows, a, b, 1000, &arrival)]++;
    }
    struct flow_counts counts = {0};
    flow_add_counts(flow, &counts);
    walk_results->clips = counts.clips;
}

/* Compares what each cluster sees by itself, and what each portal does. */
static void rows_come_out_the_same(void **state)
{
    (void)state;
    int count = (int)simd_best() + 1, found = 0;
    struct prt prt;
    make_rooms(&prt, 99, 6);
    struct diag *diag = diag_new(NULL, NULL);
    struct env env = {.diag = diag, .fs = fs_disk(), .threads = 1};
    struct portals portals;
    portals_build(&prt, &portals);
    struct bit_rows rows = base_vis(&env, &portals, 0);
    size_t portal_count = (size_t)portals.count, clusters = (size_t)prt.cluster_count;
    struct bit_rows all = bit_rows_new(clusters, clusters);
    for (size_t i = 0; i < clusters * clusters; i++)
        bit_set(bit_row(&all, i / clusters), i % clusters);
    for (size_t i = 0; i < portal_count; i++) {
        struct bit_rows seen = bit_rows_new(SIMD_LEVELS, portal_count);
        struct bit_rows met = bit_rows_new(SIMD_LEVELS, clusters);
        struct walk_results walk_results[SIMD_LEVELS];
        memset(walk_results, 0, sizeof walk_results);
        for (int k = 0; k < count; k++) {
            simd_cap((enum simd_level)k);
            struct flow *flow = flow_new(&portals, &rows);
            flow_portal(flow, (int)i, 1000, bit_row(&seen, (size_t)k));
            uint64_t *row = bit_row(&met, (size_t)k);
            int a = portals.to[i];
            bit_set(row, (size_t)a);
            for (int n = portals.first[a]; n < portals.first[a + 1]; n++)
                bit_set(row, (size_t)portals.to[portals.leaving[n]]);
            flow_cluster(flow, &all, a, 1000, row);
            assert_memory_equal(row, met.data, met.words * sizeof *row);
            assert_memory_equal(bit_row(&seen, (size_t)k), seen.data, seen.words * sizeof *row);
            size_t arrivals;
            const struct flow_arrival *const *all_arrivals = flow_arrivals(flow, &arrivals);
            found += (int)arrivals;
            for (size_t n = 0; n < arrivals; n++)
                add_guess(&walk_results[k], &portals, all_arrivals[n]);
            compare_pairs(flow, &all, a, &walk_results[k]);
            assert_memory_equal(&walk_results[k], &walk_results[0], sizeof *walk_results);
            flow_free(flow);
        }
        memory_free(seen.data);
        memory_free(met.data);
    }
    assert_true(found > 100);
    memory_free(all.data);
    memory_free(rows.data);
    portals_free(&portals);
    prt_free(&prt);
    diag_free(diag);
}

SUITE(test_vis_isa)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_clipped_the_same),
        cmocka_unit_test(separators_are_the_same),
        cmocka_unit_test(maps_come_out_the_same),
        cmocka_unit_test(rows_come_out_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
