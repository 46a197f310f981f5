/* Numbers that should be about equal, of either precision. */
#ifndef TESTS_NEAR_H
#define TESTS_NEAR_H

#include <math.h>
#include <stdio.h>

static inline int is_near(double got, double expected, double tolerance)
{
    if (fabs(got - expected) <= tolerance)
        return 1;
    print_error("%.9g is not %.9g within %g\n", got, expected, tolerance);
    return 0;
}

#define assert_near(got, expected, tolerance)                                                      \
    assert_true(is_near((double)(got), (double)(expected), (tolerance)))

#endif
