/* Messages of a run that cannot go on. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/bounds.h"
#include "common/core/memory.h"

/* Runs the function in a process whose standard error is read. */
static int status_of(void (*run)(void), char *text, size_t size)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        bounds_prepare("tester");
        run();
        _Exit(STATUS_OK);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t count; (count = read(ends[0], text + used, size - 1 - used)) > 0;)
        used += (size_t)count;
    text[used] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void get_no_memory(void)
{
    memory_refused(3 << 20);
}

/* Also before the options are known, and with them the form of the messages. */
static void a_lack_of_memory_has_a_code(void **state)
{
    (void)state;
    char text[2000];
    assert_int_equal(status_of(get_no_memory, text, sizeof text), STATUS_INTERNAL);
    assert_non_null(strstr(text, "tester: error C350: "));
    assert_non_null(strstr(text, "3 MB asked"));
}

static void a_library_that_aborts_has_a_code(void **state)
{
    (void)state;
    char text[2000];
    assert_int_equal(status_of(abort, text, sizeof text), STATUS_INTERNAL);
    assert_non_null(strstr(text, "tester: error C099: "));
    assert_non_null(strstr(text, "at the start of tester"));
}

SUITE(test_bounds)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lack_of_memory_has_a_code),
        cmocka_unit_test(a_library_that_aborts_has_a_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
