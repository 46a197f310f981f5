/* The math.h of mingw-w64, with the tests of numbers as GCC has them: its own are calls, which no
 * loop is vectorised with, and convert what they do not test. */
#include_next <math.h>

#ifndef WINDOWS_MATH_H
#define WINDOWS_MATH_H

#undef isfinite
#undef isinf
#undef isnan
#undef signbit
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x)    __builtin_isinf(x)
#define isnan(x)    __builtin_isnan(x)
#define signbit(x)  __builtin_signbit(x)

#endif
