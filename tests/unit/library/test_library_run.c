#include "tests/support/suite.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/library_session.h"

static void stages_run_in_memory(void **state)
{
    (void)state;
    static const char *const arguments[] = {"-fast", "out.bsp"};
    struct test_session test;
    const void *data;
    size_t size;
    session_open(&test);
    const char *const level[] = {"-o", "out.bsp", MAPS_DIR "/two_rooms.vmf"};
    assert_int_equal(brushwork_run(test.session, "vbsp", level, 3), BRUSHWORK_OK);
    assert_int_equal(brushwork_file_get(test.session, "out.prt", &data, &size), BRUSHWORK_OK);
    assert_int_equal(brushwork_run(test.session, "vvis", arguments, 2), BRUSHWORK_OK);
    assert_int_equal(brushwork_run(test.session, "vrad", arguments, 2), BRUSHWORK_OK);
    assert_int_equal(brushwork_file_get(test.session, "out.bsp", &data, &size), BRUSHWORK_OK);
    assert_true(size > 1000);
    assert_int_not_equal(access("out.bsp", F_OK), 0);
    brushwork_session_free(test.session);
}

static void levels_are_read_from_memory(void **state)
{
    (void)state;
    static const char text[] = "world\n{\n}\n";
    static const char *const arguments[] = {"empty.vmf"};
    struct test_session test;
    session_open(&test);
    assert_int_equal(brushwork_file_put(test.session, "empty.vmf", text, sizeof text - 1),
                     BRUSHWORK_OK);
    assert_int_equal(brushwork_run(test.session, "vbsp", arguments, 1), BRUSHWORK_FAILED);
    assert_false(session_said(&test, "C001"));
    assert_true(test.count > 0);
    brushwork_session_free(test.session);
}

static void leaks_are_told_with_their_place(void **state)
{
    (void)state;
    struct test_session test;
    session_open(&test);
    assert_int_equal(session_build(&test, "leak.vmf"), BRUSHWORK_LEAK);
    assert_true(session_said(&test, "V001"));
    brushwork_session_free(test.session);
}

static void options_of_a_process_are_refused(void **state)
{
    (void)state;
    static const char *const refused[][3] = {{"--sandbox", "a.vmf"},
                                             {"-low", "a.vmf"},
                                             {"--max-memory", "1G", "a.vmf"},
                                             {"--max-time", "5", "a.vmf"},
                                             {"-connect", "127.0.0.1:39000", "a.vmf"},
                                             {"--no-such-option", "a.vmf"}};
    struct test_session test;
    session_open(&test);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(brushwork_run(test.session, "vbsp", refused[i], refused[i][2] ? 3 : 2),
                         BRUSHWORK_USAGE);
    assert_int_equal(brushwork_run(test.session, "sh", refused[0], 1), BRUSHWORK_USAGE);
    brushwork_session_free(test.session);
}

static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXFSZ, SIGABRT};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void assert_signals_are_unchanged(void *context, const struct brushwork_progress *progress)
{
    (void)progress;
    ++*(int *)context;
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action;
        assert_int_equal(sigaction(signals[i], NULL, &action), 0);
        assert_true(action.sa_handler == SIG_DFL);
    }
}

/* Also with a report that is no file of its own, which a program completes when a signal ends
 * it. */
static void a_run_leaves_the_signals_of_the_process(void **state)
{
    (void)state;
    static const char *const formats[] = {"text", "json", "sarif", "github", "gitlab"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const char *const arguments[] = {
            "--diagnostics", formats[i],         "--diagnostics-file", "/dev/null", "-fast", "-o",
            "out.bsp",       MAPS_DIR "/box.vmf"};
        struct test_session test;
        int calls = 0;
        session_open(&test);
        brushwork_session_progress(test.session, assert_signals_are_unchanged, &calls);
        assert_int_equal(brushwork_run(test.session, "build", arguments, 8), BRUSHWORK_OK);
        assert_true(calls > 0);
        assert_signals_are_unchanged(&calls, NULL);
        brushwork_session_free(test.session);
    }
}

struct cancelling {
    struct brushwork_session *session;
    int left; /* phases before the run is cancelled */
};

static void cancel_later(void *context, const struct brushwork_progress *progress)
{
    struct cancelling *cancelling = context;
    if (progress->event == BRUSHWORK_PHASE_BEGIN && cancelling->left-- == 0)
        brushwork_cancel(cancelling->session);
}

/* In whatever phase that is, the file before the run stays. The phase of writing is too late. */
static void cancelled_runs_leave_their_output(void **state)
{
    (void)state;
    static const char *const maps[] = {"two_rooms.vmf", "q3_lights.map"};
    for (size_t i = 0; i < 2; i++) {
        int phases = 0, cancelled = 0;
        for (enum brushwork_status status = BRUSHWORK_FAILED; status != BRUSHWORK_OK; phases++) {
            struct test_session test;
            session_open(&test);
            struct cancelling cancelling = {test.session, phases};
            const void *data;
            size_t size;
            brushwork_file_put(test.session, "out.bsp", "old", 3);
            brushwork_session_progress(test.session, cancel_later, &cancelling);
            status = session_build(&test, maps[i]);
            assert_int_equal(brushwork_file_get(test.session, "out.bsp", &data, &size),
                             BRUSHWORK_OK);
            if (status != BRUSHWORK_OK) {
                assert_int_equal(status, BRUSHWORK_FAILED);
                assert_true(session_said(&test, "C352"));
                assert_int_equal(size, 3);
                cancelled++;
            }
            brushwork_session_free(test.session);
        }
        assert_true(cancelled >= 8);
    }
}

/* Cancels a while after the light has begun to bounce, and notes the time. */
struct late_cancel {
    struct brushwork_session *session;
    pthread_t thread;
    double cancelled; /* seconds of the process; 0: not yet */
    int started;
};

static double process_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *cancel_in_a_while(void *context)
{
    struct late_cancel *late = context;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    late->cancelled = process_seconds();
    brushwork_cancel(late->session);
    return NULL;
}

static void watch_bounces(void *context, const struct brushwork_progress *progress)
{
    struct late_cancel *late = context;
    if (progress->event != BRUSHWORK_PHASE_BEGIN || strcmp(progress->name, "bounced light") != 0 ||
        late->started++)
        return;
    assert_int_equal(pthread_create(&late->thread, NULL, cancel_in_a_while, late), 0);
}

/* A map with so many luxels that their light bounces for seconds. */
static void put_large_map(struct test_session *test)
{
    static const char wanted[] = "\"lightmapscale\" \"";
    FILE *file = fopen(MAPS_DIR "/atrium.vmf", "rb");
    static char text[1 << 20];
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    for (char *at = text; (at = strstr(at, wanted)); at++) {
        char *value = at + strlen(wanted);
        size_t digits = strcspn(value, "\"");
        memset(value, '0', digits);
        value[digits - 1] = '4';
    }
    brushwork_file_put(test->session, "large.vmf", text, size);
}

/* In the processor time of two threads, so that other work on the machine does not matter. */
static void a_large_run_ends_soon(void **state)
{
    (void)state;
    struct test_session test;
    session_open(&test);
    put_large_map(&test);
    struct late_cancel late = {.session = test.session};
    brushwork_session_progress(test.session, watch_bounces, &late);
    const char *const arguments[] = {"-final", "-threads", "2", "-o", "out.bsp", "large.vmf"};
    assert_int_equal(brushwork_run(test.session, "build", arguments, 6), BRUSHWORK_FAILED);
    double ended = process_seconds();
    assert_int_equal(late.started, 1);
    pthread_join(late.thread, NULL);
    assert_true(late.cancelled > 0);
    assert_true(ended - late.cancelled < 2);
    assert_true(session_said(&test, "C352"));
    brushwork_session_free(test.session);
}

struct build {
    struct test_session test;
    const char *map;
    enum brushwork_status status;
};

static void *build_map(void *context)
{
    struct build *build = context;
    session_open(&build->test);
    build->status = session_build(&build->test, build->map);
    return NULL;
}

/* Each has the bytes that it has alone. */
static void sessions_run_side_by_side(void **state)
{
    (void)state;
    static const char *const maps[] = {"two_rooms.vmf", "q3_lights.map", "two_rooms.vmf"};
    enum { COUNT = 3 };
    struct build builds[COUNT];
    pthread_t threads[COUNT];
    const void *data[COUNT];
    size_t sizes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        builds[i] = (struct build){.map = maps[i]};
        assert_int_equal(pthread_create(&threads[i], NULL, build_map, &builds[i]), 0);
    }
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(builds[i].status, BRUSHWORK_OK);
        brushwork_file_get(builds[i].test.session, "out.bsp", &data[i], &sizes[i]);
    }
    assert_int_equal(sizes[0], sizes[2]);
    assert_memory_equal(data[0], data[2], sizes[0]);
    for (int i = 0; i < COUNT; i++)
        brushwork_session_free(builds[i].test.session);
}

SUITE(test_library_run)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_run_in_memory),
        cmocka_unit_test(levels_are_read_from_memory),
        cmocka_unit_test(leaks_are_told_with_their_place),
        cmocka_unit_test(options_of_a_process_are_refused),
        cmocka_unit_test(a_run_leaves_the_signals_of_the_process),
        cmocka_unit_test(cancelled_runs_leave_their_output),
        cmocka_unit_test(a_large_run_ends_soon),
        cmocka_unit_test(sessions_run_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
