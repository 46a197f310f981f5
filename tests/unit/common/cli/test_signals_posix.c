#include "tests/support/suite.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/signals.h"

enum { RUNS_ON = 100 };

/* Sends the signals to a process of its own that catches them. Returns the signal that ended it;
 * when it runs on, asked to stop by `first`, RUNS_ON, else RUNS_ON + 1. */
static int after_signals(const char *first, const int *numbers, size_t count)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        volatile sig_atomic_t *stop = signals_catch();
        for (size_t i = 0; i < count; i++)
            (void)raise(numbers[i]);
        const char *caught = signals_caught();
        _exit(*stop && caught && !strcmp(caught, first) ? RUNS_ON : RUNS_ON + 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void the_first_signal_asks_the_run_to_end(void **state)
{
    (void)state;
    assert_int_equal(after_signals("SIGINT", (int[]){SIGINT}, 1), RUNS_ON);
    assert_int_equal(after_signals("SIGTERM", (int[]){SIGTERM}, 1), RUNS_ON);
    assert_int_equal(after_signals("SIGHUP", (int[]){SIGHUP}, 1), RUNS_ON);
}

static void signals_of_job_managers_may_come_again(void **state)
{
    (void)state;
    assert_int_equal(after_signals("SIGTERM", (int[]){SIGTERM, SIGTERM, SIGTERM}, 3), RUNS_ON);
    assert_int_equal(after_signals("SIGHUP", (int[]){SIGHUP, SIGTERM}, 2), RUNS_ON);
    assert_int_equal(after_signals("SIGINT", (int[]){SIGINT, SIGTERM, SIGHUP}, 3), RUNS_ON);
}

static void another_interrupt_ends_it_at_once(void **state)
{
    (void)state;
    assert_int_equal(after_signals("SIGINT", (int[]){SIGINT, SIGINT}, 2), SIGINT);
    assert_int_equal(after_signals("SIGTERM", (int[]){SIGTERM, SIGTERM, SIGINT}, 3), SIGINT);
}

enum { GAVE_BACK = 50 };

static void give_back(int number)
{
    _exit(GAVE_BACK + number);
}

static void what_is_shared_is_given_back_before_that(void **state)
{
    (void)state;
    signals_before_end(give_back);
    assert_int_equal(after_signals("SIGINT", (int[]){SIGINT}, 1), RUNS_ON);
    assert_int_equal(after_signals("SIGTERM", (int[]){SIGTERM, SIGTERM}, 2), RUNS_ON);
    assert_int_equal(after_signals("SIGTERM", (int[]){SIGTERM, SIGINT}, 2), GAVE_BACK + SIGINT);
    signals_before_end(NULL);
}

SUITE(test_signals_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_signal_asks_the_run_to_end),
        cmocka_unit_test(signals_of_job_managers_may_come_again),
        cmocka_unit_test(another_interrupt_ends_it_at_once),
        cmocka_unit_test(what_is_shared_is_given_back_before_that),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
