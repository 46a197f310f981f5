/* Runs the suites of a folder: all of them, or those named on the command line. Under ctest each
 * has its own process. CMake writes suites.inc, with a line ROW(name) for each. */
#include <stdio.h>
#include <string.h>

#include "tests/support/suite.h"

#define ROW(name) SUITE(name);
#include "suites.inc"
#undef ROW

static const struct suite {
    const char *name;
    int (*run)(void);
} suites[] = {
#define ROW(name) {#name, name},
#include "suites.inc"
};

enum { SUITES = sizeof suites / sizeof suites[0] };

static const struct suite *suite_find(const char *name)
{
    for (int i = 0; i < SUITES; i++)
        if (strcmp(suites[i].name, name) == 0)
            return &suites[i];
    return NULL;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 0; i < SUITES && argc == 1; i++)
        failed += suites[i].run();
    for (int i = 1; i < argc; i++) {
        const struct suite *suite = suite_find(argv[i]);
        if (!suite) {
            fprintf(stderr, "%s: no suite %s\n", argv[0], argv[i]);
            return 2;
        }
        failed += suite->run();
    }
    return failed != 0;
}
