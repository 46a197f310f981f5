/* Ranks share the visibility of a map: the bytes and the counters are those of one process. Takes
 * over 2 s: every option is run with every number of ranks, on a map in which each has enough to
 * do. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/cache/cache.h"
#include "common/diag/codes/checkpoints.def"
#include "common/diag/codes/visibility.def"
#include "common/io/fs.h"
#include "tests/support/long_form.h"
#include "tests/support/thread_ranks.h"
#include "tests/support/vvis/world.h"
#include "vvis/files.h"
#include "vvis/report/report.h"
#include "vvis/resolve_options.h"

enum {
    ROOMS = 80,
    MAZES = 2,
    SIDE = 14,
    OPEN = SIDE * SIDE,
    CLUSTERS = ROOMS * MAZES + OPEN,
    PIECE = 1 << 10,
    COUNTERS_MAX = 64,
};

static const int counts[] = {1, 2, 3, 5, 8};

enum { COUNTS = sizeof counts / sizeof *counts };

/* Two components with staggered doors, so that something is left for the flow. */
static void add_mazes(struct prt *prt)
{
    for (int i = 0; i + 1 < ROOMS; i++) {
        double low = 10 * (i * i % 7), high = 200 + 10 * (i * i % 5);
        graph_door_x(prt, i, i + 1, 64 * i, low, low + 20);
        graph_door_x(prt, i, i + 1, 64 * i, high, high + 25);
        graph_door_x(prt, ROOMS + i, ROOMS + i + 1, 64 * i, low, low + 40);
    }
}

/* A square of rooms with wide doors, too open for cluster flow: pairs are decided one by one. */
static void add_open_rooms(struct prt *prt)
{
    for (int i = 0; i < OPEN; i++) {
        int x = i % SIDE, y = i / SIDE, cluster = ROOMS * MAZES + i;
        double gap = 6 + (x * 5 + y * 3) % 11, far = 1e4;
        if (x + 1 < SIDE)
            graph_door_x(prt, cluster, cluster + 1, far + 64 * (x + 1), far + 64 * y + gap,
                         far + 64 * y + 64 - gap);
        if (y + 1 < SIDE)
            graph_door_y(prt, cluster, cluster + SIDE, far + 64 * (y + 1), far + 64 * x + gap,
                         far + 64 * x + 60 - gap);
    }
}

/* A run of all ranks, as rank 0 sees it. */
struct ranks_run {
    struct world world;
    const struct vvis_options *options;
    struct vvis_session *session;
    int threads;
    struct vis_report report;
    enum status status;
    int64_t counters[COUNTERS_MAX];
    size_t counter_count;
    int stopped_rank; /* is asked to stop; -1: none */
};

static void count(void *context, const struct progress_event *event)
{
    struct ranks_run *run = context;
    static const char *const about_ranks[] = {"ranks", "bytes sent between ranks",
                                              "CPU milliseconds of all ranks",
                                              "CPU milliseconds of the busiest rank"};
    for (size_t i = 0; i < sizeof about_ranks / sizeof *about_ranks && event->name; i++)
        if (strcmp(event->name, about_ranks[i]) == 0)
            return;
    if (event->kind == PROGRESS_COUNT)
        run->counters[run->counter_count++] = event->value;
}

static void run_rank(void *context, struct ranks *ranks)
{
    static const struct farm_stage stages[] = {{"vvis", vvis_work}, {NULL, NULL}};
    static const volatile sig_atomic_t stop = 1;
    struct ranks_run *run = context;
    const volatile sig_atomic_t *mine = ranks_rank(ranks) == run->stopped_rank ? &stop : NULL;
    if (ranks_rank(ranks) > 0) {
        farm_serve(ranks, stages, mine);
        return;
    }
    struct env env = run->world.env;
    env.progress = progress_new(count, run);
    env.ranks = ranks;
    env.stop = mine;
    env.threads = run->threads;
    farm_set(ranks, &(struct farm_settings){.threads = run->threads == 1 ? 2 : 1});
    run->status = vvis_run(&env, run->options, run->session, &run->world.prt, run->world.bsp);
    farm_end(ranks);
    progress_free(env.progress);
}

static struct ranks_run run_new(const struct vvis_options *options, int threads)
{
    struct ranks_run run = {
        .world = world_new(CLUSTERS), .options = options, .threads = threads, .stopped_rank = -1};
    add_mazes(&run.world.prt);
    add_open_rooms(&run.world.prt);
    return run;
}

static void run_ranks(struct ranks_run *run, int ranks, struct vvis_session *session)
{
    run->session = session;
    run->counter_count = 0;
    report_free(&run->report); /* of a run before */
    run->report = (struct vis_report){0};
    session->report = &run->report;
    thread_ranks_run(ranks, PIECE, run_rank, run);
}

static void run_free(struct ranks_run *run)
{
    report_free(&run->report);
    world_free(&run->world);
}

static void expect_same(const struct ranks_run *run, const struct ranks_run *alone)
{
    assert_int_equal(run->status, alone->status);
    assert_true(bytes_equal(&run->world.bsp->visibility, &alone->world.bsp->visibility));
    assert_int_equal(diag_entries(run->world.diag), diag_entries(alone->world.diag));
}

/* The report has the costs of clusters. */
static void expect_same_work(const struct ranks_run *run, const struct ranks_run *alone)
{
    struct bytes text = {0}, expected = {0};
    assert_int_equal(run->counter_count, alone->counter_count);
    assert_memory_equal(run->counters, alone->counters,
                        alone->counter_count * sizeof *alone->counters);
    report_text(&run->report, &text);
    report_text(&alone->report, &expected);
    assert_true(bytes_equal(&text, &expected));
    bytes_free(&text);
    bytes_free(&expected);
}

static void bytes_are_those_of_one_process(void **state)
{
    (void)state;
    static const struct resolve_options none = {0}, by_portal = {.portal_flow = true},
                                        unsorted = {.no_sort = true}, limited = {.budget = 2000};
    static const struct vvis_options all[] = {
        {.resolve = &none},     {.resolve = &none, .fast = true},           {.resolve = &by_portal},
        {.resolve = &unsorted}, {.resolve = &none, .radius_override = 900}, {.resolve = &limited},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct vvis_session session = {0};
        struct ranks_run alone = run_new(&all[i], 2);
        run_ranks(&alone, 1, &session);
        assert_int_equal(alone.status, STATUS_OK);
        assert_true(alone.world.bsp->visibility.size > 0);
        for (int k = 0; k < COUNTS; k++) {
            for (int threads = 1; threads <= 3; threads += 2) {
                if ((i + (size_t)k + (size_t)threads / 2) % 2 && !long_form(false, true))
                    continue; /* each option and each number of ranks with one of the two */
                struct ranks_run run = run_new(&all[i], threads);
                run_ranks(&run, counts[k], &session);
                expect_same(&run, &alone);
                expect_same_work(&run, &alone);
                run_free(&run);
            }
        }
        run_free(&alone);
    }
}

/* The last rank is asked to stop; rank 0 keeps the work, and any number of ranks goes on with it.
 */
static void a_stopped_rank_stops_all_and_the_run_resumes(void **state)
{
    (void)state;
    struct vvis_session none = {0};
    struct ranks_run alone = run_new(&vvis_defaults, 2);
    run_ranks(&alone, 1, &none);
    for (int k = 0; k < COUNTS; k++) {
        struct vvis_session session = {.stage.checkpoint = "kept"};
        struct ranks_run run = run_new(&vvis_defaults, 1);
        run.stopped_rank = counts[k] - 1;
        run_ranks(&run, counts[k], &session);
        assert_int_equal(run.status, STATUS_FAILED);
        assert_true(session.stage.is_kept);
        assert_int_equal(run.world.bsp->visibility.size, 0);
        run.stopped_rank = -1;
        session.stage.resume.resume = true;
        run_ranks(&run, counts[COUNTS - 1 - k], &session);
        assert_int_equal(diag_entries(run.world.diag), 0);
        expect_same(&run, &alone);
        run_free(&run);
    }
    run_free(&alone);
}

static void a_damaged_checkpoint_is_ignored_by_all(void **state)
{
    (void)state;
    struct vvis_session none = {0},
                        session = {.stage = {.checkpoint = "kept", .resume.resume = true}};
    struct ranks_run alone = run_new(&vvis_defaults, 2), run = run_new(&vvis_defaults, 1);
    run_ranks(&alone, 1, &none);
    assert_int_equal(run.world.fs->ops->write(run.world.fs, "kept", "rubbish", 7), 0);
    run_ranks(&run, 3, &session);
    assert_int_equal(diag_count_code(run.world.diag, DIAG_CHECKPOINT_DAMAGED), 1);
    assert_true(bytes_equal(&run.world.bsp->visibility, &alone.world.bsp->visibility));
    run_free(&run);
    run_free(&alone);
}

/* Rank 0 has the folder. */
static void the_cache_is_of_all_ranks(void **state)
{
    (void)state;
    struct vvis_session none = {0};
    struct ranks_run alone = run_new(&vvis_defaults, 2), run = run_new(&vvis_defaults, 1);
    run_ranks(&alone, 1, &none);
    run.world.env.cache = cache_open(&run.world.env, &(struct cache_options){.place = "cache"});
    for (int k = COUNTS - 1; k >= 0; k--) {
        run_ranks(&run, counts[k], &none);
        expect_same(&run, &alone);
        assert_int_equal(run.counters[1], k == COUNTS - 1 ? 0 : CLUSTERS);
    }
    cache_close(run.world.env.cache);
    run_free(&run);
    run_free(&alone);
}

/* Rank 0 tells the time: what is left open differs, and all ranks end. */
static void a_budget_of_seconds_ends_all_ranks(void **state)
{
    (void)state;
    const struct resolve_options brief = {.budget_seconds = 1e-9};
    const struct vvis_options options = {.resolve = &brief};
    for (int k = 0; k < COUNTS; k++) {
        struct vvis_session none = {0};
        struct ranks_run run = run_new(&options, 1);
        run_ranks(&run, counts[k], &none);
        assert_int_equal(run.status, STATUS_OK);
        assert_int_equal(diag_count_code(run.world.diag, DIAG_VIS_BUDGET_TIME), 1);
        run_free(&run);
    }
}

SUITE(test_vvis_ranks)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_one_process),
        cmocka_unit_test(a_stopped_rank_stops_all_and_the_run_resumes),
        cmocka_unit_test(a_damaged_checkpoint_is_ignored_by_all),
        cmocka_unit_test(the_cache_is_of_all_ranks),
        cmocka_unit_test(a_budget_of_seconds_ends_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
