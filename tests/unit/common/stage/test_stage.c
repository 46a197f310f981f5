/* A run of a stage: which of its functions are called, in which order, and what the cache has. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/diag/codes/cache.def"
#include "common/stage/stage.h"

enum { LOG = 64 };

/* A stage whose result is a letter, of which each step makes the next. */
struct work {
    char log[LOG]; /* a letter for each function that was called */
    char letter;
    char fails;      /* the function that fails, by its letter */
    bool is_damaged; /* a result that is taken is none */
};

static bool note(struct work *work, char what)
{
    const char text[] = {what, 0};
    assert_true(strlen(work->log) + 1 < LOG);
    strcat(work->log, text);
    return work->fails != what;
}

static enum status status_of(struct stage_run *run, char what)
{
    return note(run->work, what) ? STATUS_OK : STATUS_FAILED;
}

static enum status check(struct stage_run *run)
{
    return status_of(run, 'c');
}

static enum status begin(struct stage_run *run)
{
    return status_of(run, 'b');
}

static void end(struct stage_run *run)
{
    (void)note(run->work, 'e');
}

static enum status first(struct stage_run *run)
{
    struct work *work = run->work;
    work->letter++;
    return status_of(run, '1');
}

static enum status second(struct stage_run *run)
{
    struct work *work = run->work;
    work->letter++;
    return status_of(run, '2');
}

static bool ask(struct stage_run *run)
{
    const struct work *work = run->result;
    run->cache.key[0] = (unsigned char)work->letter;
    return note(run->result, 'a');
}

static bool take(struct stage_run *run, struct byte_reader *from)
{
    struct work *work = run->result;
    (void)note(work, 't');
    if (work->is_damaged)
        return false;
    work->letter = (char)read_u8(from);
    return true;
}

static void miss(struct stage_run *run)
{
    (void)note(run->result, 'm');
}

static bool give(struct stage_run *run, struct bytes *out)
{
    const struct work *work = run->result;
    bytes_u8(out, (uint8_t)work->letter);
    return note(run->result, 'g');
}

static const struct stage_result result = {.ask = ask, .take = take, .miss = miss, .give = give};

static const struct stage_step steps[] = {{.run = first, .phase = "first"}, {.run = second}};

static const struct stage stage = {.name = "test",
                                   .result = &result,
                                   .check = check,
                                   .begin = begin,
                                   .end = end,
                                   STAGE_STEPS(steps)};

struct world {
    struct env env;
    enum status status;
};

static void open_world(struct world *world)
{
    *world =
        (struct world){.env = {.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1}};
    world->env.cache = cache_open(&world->env, &(struct cache_options){.place = "cache"});
}

static void close_world(struct world *world)
{
    cache_close(world->env.cache);
    diag_free(world->env.diag);
    fs_memory_free(world->env.fs);
}

/* Runs the stage from the letter, and expects these calls and the letter that it ends with. */
static void expect(struct world *world, struct work work, const char *log, char letter)
{
    struct stage_run run = stage_run_of(&stage, &world->env, NULL, &work);
    run.result = &work;
    world->status = stage_do(&run);
    assert_string_equal(work.log, log);
    assert_int_equal(work.letter, letter);
}

static void steps_are_done_once(void **state)
{
    struct world world;
    (void)state;
    open_world(&world);
    expect(&world, (struct work){.letter = 'A'}, "camb12eg", 'C');
    assert_int_equal(world.status, STATUS_OK);
    expect(&world, (struct work){.letter = 'A'}, "cat", 'C');
    assert_int_equal(world.status, STATUS_OK);
    expect(&world, (struct work){.letter = 'B'}, "camb12eg", 'D');
    close_world(&world);
}

static void failures_end_it_and_are_not_kept(void **state)
{
    static const struct {
        char fails;
        const char *log;
        char letter;
    } rows[] = {{'c', "c", 'A'}, {'b', "cambe", 'A'}, {'1', "camb1e", 'B'}, {'2', "camb12e", 'C'}};
    struct world world;
    (void)state;
    open_world(&world);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int again = 0; again < 2; again++) {
            expect(&world, (struct work){.letter = 'A', .fails = rows[i].fails}, rows[i].log,
                   rows[i].letter);
            assert_int_equal(world.status, STATUS_FAILED);
        }
    close_world(&world);
}

/* A run that says so, or one whose result cannot be written, keeps nothing and succeeds. */
static void some_results_are_not_kept(void **state)
{
    struct world world;
    (void)state;
    open_world(&world);
    for (int again = 0; again < 2; again++) {
        expect(&world, (struct work){.letter = 'A', .fails = 'a'}, "camb12e", 'C');
        assert_int_equal(world.status, STATUS_OK);
        expect(&world, (struct work){.letter = 'A', .fails = 'g'}, "camb12eg", 'C');
        assert_int_equal(world.status, STATUS_OK);
    }
    close_world(&world);
}

static void a_damaged_result_is_told_and_made_again(void **state)
{
    struct world world;
    (void)state;
    open_world(&world);
    expect(&world, (struct work){.letter = 'A'}, "camb12eg", 'C');
    expect(&world, (struct work){.letter = 'A', .is_damaged = true}, "catmb12eg", 'C');
    assert_int_equal(world.status, STATUS_OK);
    assert_int_equal(diag_count_code(world.env.diag, DIAG_CACHE_DAMAGED), 1);
    close_world(&world);
}

static void without_a_result_or_a_cache_the_steps_are_done(void **state)
{
    struct world world;
    struct work work = {.letter = 'A'};
    (void)state;
    open_world(&world);
    struct stage_run run = stage_run_of(&stage, &world.env, NULL, &work);
    assert_int_equal(stage_do(&run), STATUS_OK);
    assert_string_equal(work.log, "cb12e");
    struct env bare = world.env;
    bare.cache = NULL;
    work = (struct work){.letter = 'A'};
    run = stage_run_of(&stage, &bare, NULL, &work);
    run.result = &work;
    assert_int_equal(stage_do(&run), STATUS_OK);
    assert_string_equal(work.log, "cmb12e");
    close_world(&world);
}

SUITE(test_stage)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_done_once),
        cmocka_unit_test(failures_end_it_and_are_not_kept),
        cmocka_unit_test(some_results_are_not_kept),
        cmocka_unit_test(a_damaged_result_is_told_and_made_again),
        cmocka_unit_test(without_a_result_or_a_cache_the_steps_are_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
