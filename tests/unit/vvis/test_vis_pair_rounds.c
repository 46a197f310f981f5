/* Rounds of pairs: each pair comes once, hard ones come again, and saved rounds can be resumed. */
#include "tests/support/suite.h"

#include "common/core/array.h"
#include "common/core/random.h"
#include "tests/support/portal_graph.h"
#include "vvis/flow/pair_rounds.h"

enum { ROOMS = 120 };

struct fixture {
    struct env env;
    struct prt prt;
    struct portals portals;
    struct vis_state state;
    struct bit_rows candidates, saved;
};

/* Rooms in a row; all pairs are undecided. */
static int setup(void **state)
{
    struct fixture *fixture = memory_zalloc(1, sizeof *fixture);
    fixture->env = (struct env){.diag = diag_new(NULL, NULL), .threads = 2};
    fixture->prt.cluster_count = ROOMS;
    for (int i = 0; i + 1 < ROOMS; i++)
        graph_door_x(&fixture->prt, i, i + 1, 64 * (i * i % 7 + 10 * i), 0, 32);
    portals_build(&fixture->prt, &fixture->portals);
    fixture->state = (struct vis_state){.env = &fixture->env, .portals = &fixture->portals};
    fixture->candidates = bit_rows_new(ROOMS, ROOMS);
    for (size_t a = 0; a < ROOMS; a++)
        for (size_t b = 0; b < ROOMS; b++)
            if (a != b)
                bit_set(bit_row(&fixture->candidates, a), b);
    fixture->saved = pair_rounds_saved_new(ROOMS);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    memory_free(fixture->candidates.data);
    memory_free(fixture->saved.data);
    portals_free(&fixture->portals);
    prt_free(&fixture->prt);
    diag_free(fixture->env.diag);
    memory_free(fixture);
    return 0;
}

/* Returns the budget that decides the pair; some exceed all budgets. */
static int budget_needed(const struct pair *pair)
{
    uint64_t rng_unit = hash_pair((uint64_t)pair->a, (uint64_t)pair->b) % 64;
    return rng_unit > BUDGETS ? 0 : (int)rng_unit;
}

static void try_all(struct pair_rounds *rounds)
{
    for (size_t i = 0; i < arrlenu(rounds->current); i++) {
        struct pair *pair = &rounds->current[i];
        pair->arrived[1] = pair->a % 2;
        pair->result = pair->budget >= budget_needed(pair) ? FLOW_CULLED : FLOW_UNDECIDED;
    }
}

static void each_pair_gets_the_budget_it_needs(void **state)
{
    struct fixture *fixture = *state;
    struct pair_rounds rounds;
    static int tries[ROOMS][ROOMS];
    size_t beyond = 0, number = 0;
    pair_rounds_new(&fixture->state, &fixture->candidates, 0, true, fixture->saved, &rounds);
    assert_int_equal(rounds.list.count, ROOMS * (ROOMS - 1) / 2);
    for (; pair_rounds_more(&rounds); number++) {
        double nearest = 0;
        pair_rounds_begin(&rounds);
        assert_true(arrlenu(rounds.current) > 0 || number);
        for (size_t i = 0; i < arrlenu(rounds.current); i++) {
            const struct pair *pair = &rounds.current[i];
            assert_true(pair->a < pair->b);
            assert_int_equal(tries[pair->a][pair->b]++, pair->budget);
            assert_true(!i || pair->budget <= rounds.current[i - 1].budget); /* hardest first */
            assert_true(pair->budget || pair->distance >= nearest);
            nearest = pair->budget ? 0 : pair->distance;
        }
        try_all(&rounds);
        pair_rounds_end(&rounds);
    }
    for (int a = 0; a < ROOMS; a++) {
        for (int b = a + 1; b < ROOMS; b++) {
            int need = budget_needed(&(struct pair){.a = a, .b = b});
            assert_int_equal(tries[a][b], need < BUDGETS ? need + 1 : BUDGETS);
            beyond += need == BUDGETS;
        }
    }
    assert_true(beyond > 0);
    assert_int_equal(rounds.over_budget, beyond);
    assert_true(number > 10);
    pair_rounds_free(&rounds);
}

/* A run that is interrupted before any of its rounds gets the same pairs in the same rounds. */
static void saved_rounds_are_resumed(void **state)
{
    struct fixture *fixture = *state;
    size_t deferred = 0;
    for (size_t stop = 0; stop < 24; stop++) {
        struct pair_rounds whole, again;
        struct bit_rows saved = pair_rounds_saved_new(ROOMS), other = pair_rounds_saved_new(ROOMS);
        pair_rounds_new(&fixture->state, &fixture->candidates, 0, true, saved, &whole);
        for (size_t i = 0; i < stop && pair_rounds_more(&whole); i++) {
            pair_rounds_save(&whole, 0); /* before each round */
            pair_rounds_begin(&whole);
            try_all(&whole);
            pair_rounds_end(&whole);
        }
        bool more = pair_rounds_more(&whole);
        pair_rounds_save(&whole, 0);
        deferred += (size_t)saved.data[1];
        memcpy(other.data, saved.data, saved.words * sizeof *saved.data);
        pair_rounds_new(&fixture->state, &fixture->candidates, whole.at, true, other, &again);
        while (more) {
            assert_true(pair_rounds_more(&again));
            pair_rounds_begin(&whole);
            pair_rounds_begin(&again);
            assert_int_equal(arrlen(whole.current), arrlen(again.current));
            for (size_t i = 0; i < arrlenu(whole.current); i++) {
                assert_int_equal(whole.current[i].a, again.current[i].a);
                assert_int_equal(whole.current[i].b, again.current[i].b);
                assert_int_equal(whole.current[i].budget, again.current[i].budget);
                assert_memory_equal(whole.current[i].arrived, again.current[i].arrived, 2);
            }
            try_all(&whole);
            try_all(&again);
            pair_rounds_end(&whole);
            pair_rounds_end(&again);
            more = pair_rounds_more(&whole);
        }
        assert_false(pair_rounds_more(&again));
        pair_rounds_free(&whole);
        pair_rounds_free(&again);
        memory_free(saved.data);
        memory_free(other.data);
    }
    assert_true(deferred > 100);
}

/* Pairs of a file are of its clusters, and numbers such that sums of them are in range. */
static void what_no_run_saves_is_refused(void **state)
{
    struct bit_rows saved = pair_rounds_saved_new(ROOMS);
    uint64_t *words = saved.data;
    const uint64_t pair = 1 | (uint64_t)2 << 24 | (uint64_t)1 << 48;
    const uint64_t wrong[] = {pair + ROOMS, pair + ((uint64_t)ROOMS << 24), pair + 1,
                              pair - ((uint64_t)1 << 48), pair + ((uint64_t)BUDGETS << 48)};
    (void)state;
    assert_true(pair_rounds_saved_fits(&saved, ROOMS));
    words[1] = 1;
    words[5] = pair;
    assert_true(pair_rounds_saved_fits(&saved, ROOMS));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        words[5] = wrong[i];
        assert_false(pair_rounds_saved_fits(&saved, ROOMS));
    }
    words[5] = pair;
    words[1] = saved.words;
    assert_false(pair_rounds_saved_fits(&saved, ROOMS));
    words[1] = 1;
    for (size_t i = 2; i < 5; i++) {
        words[i] = UINT64_MAX;
        assert_false(pair_rounds_saved_fits(&saved, ROOMS));
        words[i] = 0;
    }
    assert_true(pair_rounds_saved_fits(&saved, ROOMS));
    memory_free(saved.data);
}

/* When no pair is ever decided and each uses its full budget, the last budget is soon used up.
 * It continues with what was saved, and lasts longer when the other budgets used more. */
static void the_last_budget_is_limited(void **state)
{
    struct fixture *fixture = *state;
    const int64_t before[] = {0, 0, (int64_t)1 << 28};
    size_t tried[3] = {0};
    for (int i = 0; i < 3; i++) {
        struct pair_rounds rounds;
        struct bit_rows saved = pair_rounds_saved_new(ROOMS);
        pair_rounds_new(&fixture->state, &fixture->candidates, 0, true, saved, &rounds);
        rounds.chains = before[i];
        while (pair_rounds_more(&rounds)) {
            if (i == 1) { /* like a resumed run */
                pair_rounds_save(&rounds, 0);
                size_t at = rounds.at, over_budget = rounds.over_budget;
                pair_rounds_free(&rounds);
                pair_rounds_new(&fixture->state, &fixture->candidates, at, true, saved, &rounds);
                assert_true(pair_rounds_more(&rounds));
                rounds.over_budget = over_budget;
            }
            pair_rounds_begin(&rounds);
            for (size_t k = 0; k < arrlenu(rounds.current); k++) {
                struct pair *pair = &rounds.current[k];
                bool last = pair->budget == BUDGETS - 1;
                pair->chains = last ? 2 * pair_budgets[BUDGETS - 1].chains : 0;
                pair->result = FLOW_UNDECIDED;
                tried[i] += last;
            }
            pair_rounds_end(&rounds);
        }
        assert_int_equal(rounds.over_budget, rounds.list.count);
        pair_rounds_free(&rounds);
        memory_free(saved.data);
    }
    assert_true(tried[0] > 0 && tried[0] < 100);
    assert_int_equal(tried[1], tried[0]);
    assert_true(tried[2] > tried[0] && tried[2] < 200);
}

SUITE(test_vis_pair_rounds)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_pair_gets_the_budget_it_needs, setup, teardown),
        cmocka_unit_test_setup_teardown(saved_rounds_are_resumed, setup, teardown),
        cmocka_unit_test(what_no_run_saves_is_refused),
        cmocka_unit_test_setup_teardown(the_last_budget_is_limited, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
