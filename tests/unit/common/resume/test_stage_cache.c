/* Results of stages by what they see: which of them a later run finds. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/diag/codes/cache.def"
#include "common/diag/codes/files.def"
#include "common/diag/codes/unlit.def"
#include "common/resume/fs_trace.h"
#include "common/resume/stage_cache.h"

struct world {
    struct fs *fs;
    struct env env;
    struct cache *cache;
};

static void put(struct world *world, const char *path, const char *text)
{
    assert_int_equal(world->fs->ops->write(world->fs, path, text, strlen(text)), 0);
}

static int setup(void **state)
{
    struct world *world = memory_zalloc(1, sizeof *world);
    world->fs = fs_memory_new();
    world->env = (struct env){.diag = diag_new(NULL, NULL), .fs = world->fs, .threads = 1};
    world->cache = cache_open(&world->env, &(struct cache_options){.place = "cache"});
    put(world, "map", "1");
    put(world, "brick", "red");
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;
    cache_close(world->cache);
    diag_free(world->env.diag);
    fs_memory_free(world->fs);
    memory_free(world);
    return 0;
}

static bool may_ask(void *context, const struct fs_trace_question *question)
{
    (void)context;
    return question->kind != FS_TRACE_READ || strcmp(question->path, "secret") != 0;
}

/* A stage: its result is the text of the map and of the brick, unless a file says that there is to
 * be none of it. Returns true when it came from the cache. */
static bool run(struct world *world, unsigned char option, struct bytes *out)
{
    struct fs *trace = fs_trace_new(world->fs);
    struct stage_cache stage = {.cache = world->cache,
                                .stage = "test",
                                .env = &world->env,
                                .trace = trace,
                                .asked = world->fs,
                                .may_ask = may_ask,
                                .max_result = 100,
                                .key = {option}};
    struct byte_reader rest;
    out->size = 0;
    bool found = stage_cache_find(&stage, &rest);
    if (found) {
        bytes_append(out, rest.data + rest.at, rest.size - rest.at);
        stage_cache_use(&stage);
    } else {
        stage_cache_begin(&stage);
        assert_int_equal(trace->ops->read(trace, "map", out), 0);
        if (trace->ops->kind(trace, "none") == FS_ABSENT)
            assert_int_equal(trace->ops->read(trace, "brick", out), 0);
        if (out->data[0] == '9')
            (void)diag_report(world->env.diag, DIAG_NO_LIGHTS, NULL, "nine");
        if (out->data[0] == '8')
            (void)diag_report(world->env.diag, DIAG_FILE_READ, NULL, "eight");
        stage_cache_keep(&stage, out);
    }
    stage_cache_end(&stage);
    fs_trace_free(trace);
    return found;
}

static void assert_run(struct world *world, unsigned char option, bool found, const char *wanted)
{
    struct bytes out = {0};
    assert_int_equal(run(world, option, &out), found);
    assert_int_equal(out.size, strlen(wanted));
    assert_memory_equal(out.data, wanted, out.size);
    bytes_free(&out);
}

static void the_same_answers_give_the_same_result(void **state)
{
    struct world *world = *state;
    assert_run(world, 0, false, "1red");
    assert_run(world, 0, true, "1red");
    put(world, "brick", "blue");
    assert_run(world, 0, false, "1blue");
    put(world, "other", "file");
    assert_run(world, 0, true, "1blue");
    put(world, "none", "");
    assert_run(world, 0, false, "1");
    put(world, "brick", "green");
    assert_run(world, 0, true, "1");
    assert_run(world, 1, false, "1");
    /* and back */
    world->fs->ops->remove(world->fs, "none");
    put(world, "brick", "red");
    assert_run(world, 0, true, "1red");
}

static void messages_are_reported_again(void **state)
{
    struct world *world = *state;
    put(world, "map", "9");
    assert_run(world, 0, false, "9red");
    assert_run(world, 0, true, "9red");
    assert_int_equal(diag_count_code(world->env.diag, DIAG_NO_LIGHTS), 2);
    assert_string_equal(diag_entry(world->env.diag, 1)->message, "nine");
}

static void a_run_with_an_error_keeps_nothing(void **state)
{
    struct world *world = *state;
    put(world, "map", "8");
    assert_run(world, 0, false, "8red");
    assert_run(world, 0, false, "8red");
}

/* More states of the inputs than are kept: the oldest goes. */
static void old_sets_of_answers_go(void **state)
{
    struct world *world = *state;
    for (char c = 'a'; c < 'a' + 20; c++) {
        const char text[] = {c, 0}, wanted[] = {'1', c, 0};
        put(world, "brick", text);
        assert_run(world, 0, false, wanted);
    }
    assert_run(world, 0, true, "1t");
    put(world, "brick", "e");
    assert_run(world, 0, true, "1e");
    put(world, "brick", "d");
    assert_run(world, 0, false, "1d");
}

/* The list of sets, and the only one in it as it was kept. */
static struct cache_key inputs_key(unsigned char option)
{
    return (struct cache_key){.kind = "test-inputs", .hash = {option}};
}

static void put_sets(struct world *world, const struct bytes *sets)
{
    const struct cache_key key = inputs_key(0);
    cache_put(world->cache, &key, sets);
}

/* A value that is no list of sets is told, and one that asks for a file of no use to the run. */
static void sets_of_others_are_refused(void **state)
{
    struct world *world = *state;
    static const unsigned char bad[][12] = {{0},
                                            {1, 0, 0, 0},
                                            {1, 0, 0, 0, 255, 255, 255, 255},
                                            {17, 0, 0, 0},
                                            {1, 0, 0, 0, 0, 0, 0, 0, 9}};
    static const size_t sizes[] = {4, 4, 8, 4, 9};
    assert_run(world, 0, false, "1red");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bytes sets = {0};
        bytes_append(&sets, bad[i], sizes[i]);
        put_sets(world, &sets);
        bytes_free(&sets);
        struct cache *again = cache_open(&world->env, &(struct cache_options){.place = "cache"});
        cache_close(world->cache);
        world->cache = again;
        size_t before = diag_count_code(world->env.diag, DIAG_CACHE_DAMAGED);
        assert_run(world, 0, false, "1red");
        assert_int_equal(diag_count_code(world->env.diag, DIAG_CACHE_DAMAGED), before + 1);
        assert_run(world, 0, true, "1red");
    }
    put(world, "secret", "s");
    struct bytes set = {0}, sets = {0};
    unsigned char answer[SHA256_SIZE];
    sha256_of("s", 1, answer);
    bytes_u32(&set, 1);
    bytes_append(&set, answer, sizeof answer);
    bytes_sized_text(&set, "rsecret");
    bytes_u32(&sets, 1);
    bytes_sized_block(&sets, &set);
    put_sets(world, &sets);
    assert_run(world, 0, false, "1red");
    /* A server is told of, with DIAG_CACHE_QUESTION (tests/e2e/test_cache_hostile.py). */
    assert_int_equal(diag_count_code(world->env.diag, DIAG_CACHE_QUESTION), 0);
    bytes_free(&set);
    bytes_free(&sets);
}

static void without_a_cache_it_runs(void **state)
{
    struct world *world = *state;
    struct cache *cache = world->cache;
    world->cache = NULL;
    assert_run(world, 0, false, "1red");
    assert_run(world, 0, false, "1red");
    world->cache = cache;
}

SUITE(test_stage_cache)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_answers_give_the_same_result, setup, teardown),
        cmocka_unit_test_setup_teardown(messages_are_reported_again, setup, teardown),
        cmocka_unit_test_setup_teardown(a_run_with_an_error_keeps_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(old_sets_of_answers_go, setup, teardown),
        cmocka_unit_test_setup_teardown(sets_of_others_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(without_a_cache_it_runs, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
