/* cmocka with the headers that it needs, and the suite that a test file provides to the runner of
 * its folder. Every test file starts with this header. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The cases of the file of this name (`SUITE(test_csg)` in test_csg.c): a function that runs them
 * as a cmocka group and returns the number of failures. */
#define SUITE(name) int name(void)

#endif
