/* The visibility state: pairs proven and culled, and the rows of portals. */
#include "tests/support/suite.h"

#include "common/core/memory.h"
#include "common/core/random.h"
#include "tests/support/portal_graph.h"
#include "vvis/basevis/base_vis.h"
#include "vvis/flow/visibility_state.h"

/* Rooms 0 to 3 in a row along x, 256 each; room 4 beyond the side of room 2. */
struct fixture {
    struct env env;
    struct prt prt;
    struct portals portals;
    struct vis_state state;
};

static void begin(struct fixture *fixture, double radius)
{
    *fixture = (struct fixture){.env = {.diag = diag_new(NULL, NULL), .threads = 2}};
    fixture->prt.cluster_count = 5;
    graph_door_x(&fixture->prt, 0, 1, 256, 0, 32);
    graph_door_x(&fixture->prt, 1, 2, 512, 96, 128);
    graph_door_x(&fixture->prt, 2, 3, 768, 192, 224);
    graph_door_y(&fixture->prt, 2, 4, 256, 700, 732);
    portals_build(&fixture->prt, &fixture->portals);
    vis_state_new(&fixture->env, &fixture->portals, radius, &fixture->state);
}

static bool might_see(const struct vis_state *state, int a, int b)
{
    return bit_get(bit_row(&state->mightsee, (size_t)a), (size_t)b);
}

static void end(struct fixture *fixture)
{
    sightlines_free(fixture->state.lines);
    memory_free(fixture->state.mightsee.data);
    vis_state_free(&fixture->state);
    portals_free(&fixture->portals);
    prt_free(&fixture->prt);
    diag_free(fixture->env.diag);
}

static void expect_mightsee(const struct vis_state *state, const uint64_t rows[5])
{
    for (size_t c = 0; c < 5; c++) {
        assert_int_equal(bit_row(&state->mightsee, c)[0], rows[c]);
        assert_int_equal(bit_count(bit_row(&state->mightsee, c), state->mightsee.words),
                         __builtin_popcountll(rows[c]));
    }
}

static void all_pairs_are_in_mightsee_at_first(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 0);
    expect_mightsee(&fixture.state, (uint64_t[5]){0x1f, 0x1f, 0x1f, 0x1f, 0x1f});
    end(&fixture);
}

/* The first door is 264 from the second and more than 400 from the two others. */
static void far_pairs_are_culled(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 300);
    expect_mightsee(&fixture.state, (uint64_t[5]){0x07, 0x1f, 0x1f, 0x1e, 0x1e});
    end(&fixture);
}

/* Rooms 0 and 3, which do not see each other, are one pair, whichever of them is resolved. */
static void unseen_clusters_are_culled(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 0);
    struct bit_rows seen = bit_rows_new(2, 5);
    bit_row(&seen, 0)[0] = 0x07;
    bit_row(&seen, 1)[0] = 0x1c;
    const struct resolved_cluster resolved[] = {{0, bit_row(&seen, 0)}, {3, bit_row(&seen, 1)}};
    vis_state_take_unseen(&fixture.state, 0, bit_row(&seen, 0));
    vis_state_take_unseen(&fixture.state, 3, bit_row(&seen, 1));
    assert_int_equal(seen.data[0], 0x18);
    assert_int_equal(vis_state_cull_unseen(&fixture.state, resolved, 2), 3);
    expect_mightsee(&fixture.state, (uint64_t[5]){0x07, 0x17, 0x1f, 0x1c, 0x1e});
    memory_free(seen.data);
    end(&fixture);
}

/* `mightsee` and the rows refine each other. */
static void rows_lose_culled_pairs(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 0);
    struct bit_rows seen = bit_rows_new(1, 5);
    seen.data[0] = 0x07; /* room 0 does not see room 3 */
    vis_state_take_unseen(&fixture.state, 0, seen.data);
    (void)vis_state_cull_unseen(&fixture.state, &(struct resolved_cluster){0, seen.data}, 1);
    struct bit_rows rows = base_vis(&fixture.env, &fixture.portals, 0);
    assert_true(bit_get(bit_row(&rows, 0), 4)); /* through the first door and the third */
    vis_state_use_rows(&fixture.state, &rows);
    assert_false(bit_get(bit_row(&rows, 0), 4));
    assert_true(bit_get(bit_row(&rows, 0), 2));
    assert_false(might_see(&fixture.state, 0, 4)); /* by the flood */
    arrput(fixture.state.culled, ((struct cluster_pair){0, 2}));
    vis_state_cull(&fixture.state);
    assert_false(might_see(&fixture.state, 2, 0));
    assert_false(bit_get(bit_row(&rows, 0), 2));
    memory_free(seen.data);
    memory_free(rows.data);
    end(&fixture);
}

static void bits_are_counted(void **state)
{
    (void)state;
    enum { WORDS = 20 };
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t row[WORDS];
        size_t count = 0, words = i % (WORDS + 1);
        for (size_t k = 0; k < WORDS; k++) {
            row[k] = i < 50 ? UINT64_MAX : hash_pair(i, k) & hash_pair(k, i + 200);
            for (int bit = 0; bit < 64 && k < words; bit++)
                count += row[k] >> bit & 1;
        }
        assert_int_equal(bit_count(row, words), count);
    }
}

SUITE(test_vis_visibility_state)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_are_in_mightsee_at_first),
        cmocka_unit_test(far_pairs_are_culled),
        cmocka_unit_test(unseen_clusters_are_culled),
        cmocka_unit_test(rows_lose_culled_pairs),
        cmocka_unit_test(bits_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
