/* Functions that end their process. */
#ifndef TESTS_CHILD_H
#define TESTS_CHILD_H

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/bounds.h"
#include "tests/support/suite.h"

/* Runs the function in a process of the program "tester", and returns its exit status; `text` gets
 * what it wrote on standard error. */
static inline int child_status(void (*run)(void), char *text, size_t size)
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

#endif
