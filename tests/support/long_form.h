/* Suites of random cases try a few of them, and in the long form (BRUSHWORK_LONG=1 in the
 * environment, as `./check --only long` sets) all. The first cases are the same in both. */
#ifndef TESTS_LONG_FORM_H
#define TESTS_LONG_FORM_H

#include <stdlib.h>

static inline int long_form(int few, int all)
{
    const char *value = getenv("BRUSHWORK_LONG");
    return value && *value && *value != '0' ? all : few;
}

#endif
