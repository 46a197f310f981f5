/* Checks that must hold for any bytes: libFuzzer reports a trap. */
#ifndef TESTS_FUZZ_CHECK_H
#define TESTS_FUZZ_CHECK_H

#include <stdbool.h>

static inline void check(bool right)
{
    if (!right)
        __builtin_trap();
}

#endif
