/* Cases whose answer is that of another system. */
#ifndef TESTS_SKIP_ON_WINDOWS_H
#define TESTS_SKIP_ON_WINDOWS_H

#include "tests/support/suite.h"

/* Skips the rest of the case on Windows, and prints why. */
static inline void skip_on_windows(const char *reason)
{
#ifdef _WIN32
    print_message("skipped: %s\n", reason);
    skip();
#else
    (void)reason;
#endif
}

#endif
