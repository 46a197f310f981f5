#include "common/core/decimal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIGITS_MOST = 15 };

static bool is_digit(const char *at, const char *end)
{
    return at != end && *at >= '0' && *at <= '9';
}

/* With so few digits it is the quotient of two doubles that are exact, so that it is rounded once,
 * and right. */
const char *decimal_read(const char *text, const char *end, double *out)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool minus = text != end && *text == '-';
    const char *at = text + minus;
    int64_t digits = 0;
    int count = 0, decimals = 0;
    for (; is_digit(at, end) && count < DIGITS_MOST; at++, count++)
        digits = digits * 10 + (*at - '0');
    if (!count)
        return NULL;
    if (at != end && *at == '.')
        for (at++; is_digit(at, end) && count < DIGITS_MOST; at++, count++, decimals++)
            digits = digits * 10 + (*at - '0');
    if (is_digit(at, end))
        return NULL;
    double value = decimals ? (double)digits / powers[decimals] : (double)digits;
    *out = minus ? -value : value;
    return at;
}
