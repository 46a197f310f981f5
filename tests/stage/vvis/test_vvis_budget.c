/* A bounded effort (--budget): sound, tighter with more effort, repeatable, and told. */
#include "tests/support/suite.h"

#include "common/bsp/query.h"
#include "common/cache/cache.h"
#include "common/diag/codes/visibility.def"
#include "tests/support/vvis/world.h"
#include "vvis/resolve_options.h"
#include "vvis/vvis.h"

enum { ROOMS = 80, PARTS = 2, CLUSTERS = PARTS * ROOMS };

/* Two mazes of staggered doors, so that much is left for the flow. */
static struct world mazes(void)
{
    struct world world = world_new(CLUSTERS);
    for (int part = 0; part < PARTS; part++)
        for (int i = 0; i + 1 < ROOMS; i++) {
            int room = part * ROOMS + i, low = 10 * (i * i % 7), high = 200 + 10 * (i * i % 5);
            graph_door_x(&world.prt, room, room + 1, 64 * i, 4096 * part + low,
                         4096 * part + low + 20);
            graph_door_x(&world.prt, room, room + 1, 64 * i, 4096 * part + high,
                         4096 * part + high + 25);
        }
    return world;
}

static enum status run(struct world *world, double budget, struct vvis_session *session)
{
    const struct resolve_options resolve = {.budget = budget};
    const struct vvis_options options = {.resolve = &resolve};
    return vvis_run(&world->env, &options, session, &world->prt, world->bsp);
}

static struct world solved(double budget)
{
    struct world world = mazes();
    assert_int_equal(run(&world, budget, NULL), STATUS_OK);
    return world;
}

static void assert_same(const struct world *a, const struct world *b)
{
    assert_int_equal(a->bsp->visibility.size, b->bsp->visibility.size);
    assert_memory_equal(a->bsp->visibility.data, b->bsp->visibility.data, a->bsp->visibility.size);
}

/* Returns the number of pairs that see each other; none may be in `after` that is not in `before`.
 */
static int pairs_within(const struct world *before, const struct world *after)
{
    int pairs = 0;
    for (int a = 0; a < CLUSTERS; a++)
        for (int b = 0; b < CLUSTERS; b++) {
            bool sees = bsp_vis_sees(after->bsp, a, b);
            assert_true(!sees || bsp_vis_sees(before->bsp, a, b));
            pairs += sees;
        }
    return pairs;
}

static void more_effort_only_tightens(void **state)
{
    (void)state;
    struct world before = solved(1), exact = solved(0);
    int first = pairs_within(&before, &before), last = first, steps = 0;
    for (double budget = 16; budget < 1e5; budget *= 1.25) {
        struct world after = solved(budget);
        int pairs = pairs_within(&before, &after);
        pairs_within(&after, &exact);
        steps += pairs < last;
        last = pairs;
        world_free(&before);
        before = after;
    }
    assert_true(steps >= 3);
    assert_same(&before, &exact);
    world_free(&before);
    world_free(&exact);
}

static void a_budget_gives_the_same_bytes_with_any_threads(void **state)
{
    (void)state;
    struct world one = mazes(), many = solved(1000);
    one.env.threads = 1;
    assert_int_equal(run(&one, 1000, NULL), STATUS_OK);
    assert_same(&one, &many);
    world_free(&one);
    world_free(&many);
}

static void what_is_left_open_is_told(void **state)
{
    (void)state;
    struct world little = solved(1), enough = solved(1e9);
    assert_int_equal(diag_count_code(little.diag, DIAG_VIS_BUDGET), 1);
    assert_int_equal(diag_count_code(enough.diag, DIAG_VIS_BUDGET), 0);
    world_free(&little);
    world_free(&enough);
}

static void a_stopped_run_spends_what_is_left(void **state)
{
    (void)state;
    for (double budget = 100; budget < 1e5; budget *= 10) {
        struct world whole = solved(budget), parts = mazes();
        const volatile sig_atomic_t stop = 1;
        struct vvis_session session = {.stage.checkpoint = "kept"};
        parts.env.stop = &stop;
        assert_int_equal(run(&parts, budget, &session), STATUS_FAILED);
        parts.env.stop = NULL;
        session = (struct vvis_session){.stage = {.checkpoint = "kept", .resume.resume = true}};
        assert_int_equal(run(&parts, budget, &session), STATUS_OK);
        assert_same(&whole, &parts);
        world_free(&whole);
        world_free(&parts);
    }
}

static void the_cache_changes_nothing(void **state)
{
    (void)state;
    struct world exact = mazes(), whole = solved(1000), cached = mazes();
    const struct resolve_options limited = {.budget = 1000};
    const struct vvis_options unbounded = vvis_defaults, bounded = {.resolve = &limited};
    const struct cache_options options = {.place = "cache"};
    cached.env.cache = cache_open(&cached.env, &options);
    assert_int_equal(vvis_run(&cached.env, &unbounded, NULL, &cached.prt, cached.bsp), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(vvis_run(&cached.env, &bounded, NULL, &cached.prt, cached.bsp), STATUS_OK);
        assert_same(&whole, &cached);
        assert_int_equal(diag_count_code(cached.diag, DIAG_VIS_BUDGET), i + 1);
    }
    cache_close(cached.env.cache);
    world_free(&exact);
    world_free(&whole);
    world_free(&cached);
}

/* -fast is a limit, too: the lower of the two counts. What it leaves open is what was asked for. */
static void fast_is_a_limit_that_is_not_told(void **state)
{
    (void)state;
    const struct resolve_options low = {.budget = 100}, high = {.budget = 1e9};
    const struct vvis_options fast = {.fast = true, .resolve = &resolve_defaults},
                              little = {.fast = true, .resolve = &low},
                              ample = {.fast = true, .resolve = &high};
    struct world exact = solved(0), open = solved(100), world = mazes();
    const struct cache_options options = {.place = "cache"};
    world.env.cache = cache_open(&world.env, &options);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(vvis_run(&world.env, &fast, NULL, &world.prt, world.bsp), STATUS_OK);
        assert_same(&exact, &world);
        assert_int_equal(vvis_run(&world.env, &little, NULL, &world.prt, world.bsp), STATUS_OK);
        assert_same(&open, &world);
        assert_int_equal(vvis_run(&world.env, &ample, NULL, &world.prt, world.bsp), STATUS_OK);
        assert_same(&exact, &world);
    }
    assert_int_equal(diag_count_code(world.diag, DIAG_VIS_BUDGET), 0);
    cache_close(world.env.cache);
    world_free(&world);
    world_free(&open);
    world_free(&exact);
}

static int count_files(struct world *world)
{
    return world->fs->ops->kind(world->fs, "cache") == FS_DIRECTORY;
}

static void a_budget_in_seconds_is_sound_and_not_cached(void **state)
{
    (void)state;
    struct world timed = mazes(), exact = solved(0);
    const struct resolve_options brief = {.budget_seconds = 1e-6};
    const struct vvis_options options = {.resolve = &brief};
    const struct cache_options place = {.place = "cache"};
    timed.env.cache = cache_open(&timed.env, &place);
    assert_int_equal(vvis_run(&timed.env, &options, NULL, &timed.prt, timed.bsp), STATUS_OK);
    pairs_within(&timed, &exact);
    assert_int_equal(diag_count_code(timed.diag, DIAG_VIS_BUDGET_TIME), 1);
    assert_int_equal(count_files(&timed), 0);
    cache_close(timed.env.cache);
    world_free(&timed);
    world_free(&exact);
}

SUITE(test_vvis_budget)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_effort_only_tightens),
        cmocka_unit_test(a_budget_gives_the_same_bytes_with_any_threads),
        cmocka_unit_test(what_is_left_open_is_told),
        cmocka_unit_test(a_stopped_run_spends_what_is_left),
        cmocka_unit_test(the_cache_changes_nothing),
        cmocka_unit_test(fast_is_a_limit_that_is_not_told),
        cmocka_unit_test(a_budget_in_seconds_is_sound_and_not_cached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
