/* Functions of <math.h> with the same bits on every processor and system.
 *
 * The C library chooses among versions of its functions by processor, and each release may round
 * them otherwise. These use only what IEEE 754 defines to the last bit: sums, products, quotients
 * and square roots of doubles. Results are within 1 unit in the last place (atan2, cbrt and pow: 2,
 * tan and acos: 3), for angles up to 1e6; larger ones lose digits. Special values are those of
 * <math.h>. Of the functions of <math.h>, sqrt, fabs, floor, ceil, rint, fmod, ldexp and frexp are
 * exact themselves; scripts/check_modules refuses the others. */
#ifndef CORE_PORTABLE_MATH_H
#define CORE_PORTABLE_MATH_H

#include <math.h>
#include <string.h>

/* Angles in radians. */
double portable_sin(double angle);
double portable_cos(double angle);
double portable_tan(double angle);
double portable_acos(double cosine);
double portable_atan2(double y, double x);

double portable_exp(double x);
double portable_exp2(double x);
double portable_log(double x);
double portable_log2(double x);
double portable_pow(double base, double exponent);
double portable_cbrt(double x);

/* Orders by bytes: elements of an array that are equal otherwise, such as zeros with other signs,
 * so that the order does not depend on the C library. */
static inline int portable_bits_order(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size);
}

/* For qsort of doubles, the least first. */
static inline int portable_double_order(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

/* As fmin and fmax; of two zeros with different signs, where C leaves the choice open, the
 * second. */
static inline double portable_fmin(double a, double b)
{
    return a < b || isnan(b) ? a : b;
}

static inline double portable_fmax(double a, double b)
{
    return a > b || isnan(b) ? a : b;
}

static inline float portable_fminf(float a, float b)
{
    return a < b || isnan(b) ? a : b;
}

static inline float portable_fmaxf(float a, float b)
{
    return a > b || isnan(b) ? a : b;
}

/* Of lengths whose squares are finite. */
static inline double portable_hypot(double x, double y)
{
    return sqrt(x * x + y * y);
}

#endif
