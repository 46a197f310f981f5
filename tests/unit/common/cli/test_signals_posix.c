#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/signals.h"
#include "common/core/ending.h"
#include "common/core/memory.h"
#include "tests/support/child.h"

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

/* Messages of a run that cannot go on. */

static void get_no_memory(void)
{
    memory_refused(3 << 20);
}

/* Also before the options are known, and with them the form of the messages. */
static void a_lack_of_memory_has_a_code(void **state)
{
    (void)state;
    char text[2000];
    assert_int_equal(child_status(get_no_memory, text, sizeof text), STATUS_INTERNAL);
    assert_non_null(strstr(text, "tester: error C350: "));
    assert_non_null(strstr(text, "3 MB asked"));
}

static void a_library_that_aborts_has_a_code(void **state)
{
    (void)state;
    char text[2000];
    assert_int_equal(child_status(abort, text, sizeof text), STATUS_INTERNAL);
    assert_non_null(strstr(text, "tester: error C099: "));
    assert_non_null(strstr(text, "at the start of tester"));
}

static void meet_a_fault(void)
{
    ending_tell("two and two are five");
    _Exit(STATUS_INTERNAL);
}

static void a_fault_of_the_program_has_a_code(void **state)
{
    (void)state;
    char text[2000];
    assert_int_equal(child_status(meet_a_fault, text, sizeof text), STATUS_INTERNAL);
    assert_non_null(strstr(text, "tester: error C099: internal error: two and two are five, at"));
}

SUITE(test_signals_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_signal_asks_the_run_to_end),
        cmocka_unit_test(signals_of_job_managers_may_come_again),
        cmocka_unit_test(another_interrupt_ends_it_at_once),
        cmocka_unit_test(what_is_shared_is_given_back_before_that),
        cmocka_unit_test(a_lack_of_memory_has_a_code),
        cmocka_unit_test(a_library_that_aborts_has_a_code),
        cmocka_unit_test(a_fault_of_the_program_has_a_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
