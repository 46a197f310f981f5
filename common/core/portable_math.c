#include "common/core/portable_math.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A number as the sum of two doubles, the second of which is far smaller. */
struct twofold {
    double high, low;
};

/* pi / 2 and ln 2 in parts: the first ones have few enough bits that their products with the whole
 * numbers below are exact. */
static const double half_pi[3] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
static const double ln2[2] = {0x1.62e42feep-1, 0x1.a39ef35793c76p-33};

/* The macros of <math.h> are floats. */
#define INFINITE  ((double)INFINITY)
#define NO_NUMBER ((double)NAN)

#define TWO_OVER_PI  0x1.45f306dc9c883p-1
#define ONE_OVER_LN2 0x1.71547652b82fep+0
#define PI           0x1.921fb54442d18p+1
#define PI_REST      0x1.1a62633145c07p-53 /* what PI lacks */
#define SQRT_HALF    0x1.6a09e667f3bcdp-1

static double polynomial(const double *factors, int count, double x)
{
    double sum = factors[count - 1];
    for (int i = count - 2; i >= 0; i--)
        sum = sum * x + factors[i];
    return sum;
}

static struct twofold sum_exactly(double a, double b)
{
    double sum = a + b, of_b = sum - a;
    return (struct twofold){sum, a - (sum - of_b) + (b - of_b)};
}

/* The upper 26 bits. */
static double upper_half(double x)
{
    double shifted = x * 0x1p27;
    return shifted - (shifted - x);
}

static struct twofold multiply_exactly(double a, double b)
{
    double product = a * b, a_high = upper_half(a), b_high = upper_half(b);
    double a_low = a - a_high, b_low = b - b_high;
    double rest = a_high * b_high - product + a_high * b_low + a_low * b_high + a_low * b_low;
    return (struct twofold){product, rest};
}

/* ---- angles ---- */

/* Series of (sin x - x) / x^3 and (cos x - 1) / x^2 in x^2: for |x| <= pi / 4 what is left out
 * counts less than half a unit in the last place. */
static const double sine_series[] = {
    -1.0 / 6,        1.0 / 120,        -1.0 / 5040,         1.0 / 362880,
    -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368e3, 1.0 / 355687428096e3};
static const double cosine_series[] = {
    -1.0 / 2,        1.0 / 24,           -1.0 / 720,          1.0 / 40320,           -1.0 / 3628800,
    1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888e3, -1.0 / 6402373705728e3};

enum { SINES = sizeof sine_series / sizeof *sine_series };
enum { COSINES = sizeof cosine_series / sizeof *cosine_series };

/* Returns the number of quarter turns nearest to the angle, modulo 4, and what is left. */
static int reduce_angle(double angle, struct twofold *rest)
{
    if (fabs(angle) > 1e6)
        angle = fmod(angle, 2 * PI);
    double turns = rint(angle * TWO_OVER_PI);
    double left = angle - turns * half_pi[0], part = turns * half_pi[1];
    rest->high = left - part;
    rest->low = left - rest->high - part - turns * half_pi[2];
    return (int)((int64_t)turns & 3);
}

static double sine_of(struct twofold x)
{
    double square = x.high * x.high;
    double series = square * x.high * polynomial(sine_series, SINES, square);
    return x.high + (series + x.low * (1 - square / 2));
}

static double cosine_of(struct twofold x)
{
    double square = x.high * x.high, half = square / 2;
    double tail = square * square * polynomial(cosine_series + 1, COSINES - 1, square);
    double one = 1 - half;
    return one + (1 - one - half + (tail - x.high * x.low));
}

/* The sine of the angle plus so many quarter turns. */
static double sine_after(double angle, int turns)
{
    struct twofold rest;
    if (!isfinite(angle))
        return NO_NUMBER;
    turns = (turns + reduce_angle(angle, &rest)) & 3;
    double size = turns & 1 ? cosine_of(rest) : sine_of(rest);
    return turns & 2 ? -size : size;
}

double portable_sin(double angle)
{
    return angle == 0 ? angle : sine_after(angle, 0);
}

double portable_cos(double angle)
{
    return sine_after(angle, 1);
}

double portable_tan(double angle)
{
    return portable_sin(angle) / portable_cos(angle);
}

/* atan(i / 8) */
static const double eighths[9] = {0,
                                  0.12435499454676143503,
                                  0.24497866312686415417,
                                  0.35877067027057222040,
                                  0.46364760900080611621,
                                  0.55859931534356243597,
                                  0.64350110879328438680,
                                  0.71882999962162450542,
                                  0.78539816339744830962};

/* For 0 <= x <= 1: about the nearest eighth. */
static double arc_tangent(double x)
{
    static const double series[] = {-1.0 / 3,  1.0 / 5,  -1.0 / 7, 1.0 / 9,
                                    -1.0 / 11, 1.0 / 13, -1.0 / 15};
    int nearest = (int)rint(8 * x);
    double middle = nearest / 8.0, t = (x - middle) / (1 + x * middle), square = t * t;
    return eighths[nearest] +
           (t + t * square * polynomial(series, sizeof series / sizeof *series, square));
}

double portable_atan2(double y, double x)
{
    if (isnan(x) || isnan(y))
        return NO_NUMBER;
    double across = fabs(x), up = fabs(y), angle;
    if (across == up)
        angle = up == 0 ? 0 : PI / 4;
    else if (up < across)
        angle = arc_tangent(up / across);
    else
        angle = PI / 2 - (arc_tangent(across / up) - PI_REST / 2);
    if (signbit(x))
        angle = PI - (angle - PI_REST);
    return copysign(angle, y);
}

double portable_acos(double cosine)
{
    if (!(fabs(cosine) <= 1))
        return NO_NUMBER;
    return portable_atan2(sqrt((1 - cosine) * (1 + cosine)), cosine);
}

/* ---- powers ---- */

/* e to the power of x, where neither overflow nor underflow matter to the caller. */
static double power_of_e(struct twofold x)
{
    static const double series[] = {1.0 / 2,        1.0 / 6,         1.0 / 24,
                                    1.0 / 120,      1.0 / 720,       1.0 / 5040,
                                    1.0 / 40320,    1.0 / 362880,    1.0 / 3628800,
                                    1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    if (x.high > 800 || x.high < -800)
        return x.high > 0 ? INFINITE : 0;
    double doublings = rint(x.high * ONE_OVER_LN2);
    double left = x.high - doublings * ln2[0], low = x.low - doublings * ln2[1];
    double rest = left + low;
    double series_sum = rest * rest * polynomial(series, sizeof series / sizeof *series, rest);
    /* `rest` and what its rounding lost */
    return ldexp(1 + (rest + (series_sum + (left - rest + low))), (int)doublings);
}

double portable_exp(double x)
{
    return isnan(x) ? x : power_of_e((struct twofold){x, 0});
}

/* The logarithm of a normal, positive number. */
static struct twofold logarithm(double x)
{
    static const double series[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                                    2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23};
    int exponent;
    double part = frexp(x, &exponent);
    if (part < SQRT_HALF) {
        part *= 2;
        exponent--;
    }
    /* 2 atanh(s), s = (part - 1) / (part + 1) */
    struct twofold whole = sum_exactly(part, 1);
    double above = part - 1, s = above / whole.high, square = s * s;
    struct twofold back = multiply_exactly(s, whole.high);
    double s_rest = (above - back.high - back.low - s * whole.low) / whole.high;
    double tail = s * square * polynomial(series, sizeof series / sizeof *series, square);
    double base = exponent * ln2[0];
    struct twofold sum = sum_exactly(2 * s, 2 * s_rest + tail), all = sum_exactly(base, sum.high);
    return sum_exactly(all.high, all.low + sum.low + exponent * ln2[1]);
}

double portable_log(double x)
{
    if (!(x > 0) || isinf(x))
        return x == 0 ? -INFINITE : x < 0 ? NO_NUMBER : x;
    struct twofold result = logarithm(x);
    return result.high + result.low;
}

double portable_log2(double x)
{
    /* 1 / ln 2 */
    static const struct twofold factor = {ONE_OVER_LN2, 0x1.777d0ffda0d24p-56};
    if (!(x > 0) || isinf(x))
        return portable_log(x);
    struct twofold log = logarithm(x), product = multiply_exactly(log.high, factor.high);
    return product.high + (product.low + (log.high * factor.low + log.low * factor.high));
}

double portable_exp2(double x)
{
    if (isnan(x) || fabs(x) > 1100)
        return isnan(x) ? x : x > 0 ? INFINITE : 0;
    double whole = rint(x), part = x - whole;
    struct twofold high = multiply_exactly(part, ln2[0]);
    high.low += part * ln2[1];
    return ldexp(power_of_e(sum_exactly(high.high, high.low)), (int)whole);
}

/* Powers of 0, 1, infinities and NaN. Returns true when it is one. */
static bool special_power(double base, double exponent, double *out)
{
    double size = fabs(base);
    bool is_odd = fabs(fmod(exponent, 2)) == 1;
    if (exponent == 0 || base == 1)
        *out = 1;
    else if (isnan(base) || isnan(exponent) ||
             (base < 0 && !isinf(base) && !isinf(exponent) && exponent != floor(exponent)))
        *out = NO_NUMBER;
    else if (isinf(exponent))
        *out = size == 1 ? 1 : (size > 1) == (exponent > 0) ? INFINITE : 0;
    else if (size == 0 || isinf(size))
        *out = copysign((size == 0) == (exponent > 0) ? 0 : INFINITE, is_odd ? base : 1);
    else
        return false;
    return true;
}

double portable_pow(double base, double exponent)
{
    double special;
    if (special_power(base, exponent, &special))
        return special;
    struct twofold log = logarithm(fabs(base));
    double size;
    if (fabs(exponent) > 0x1p900 || fabs(exponent * log.high) > 800) {
        size = (exponent > 0) == (log.high > 0) ? INFINITE : 0;
    } else {
        struct twofold product = multiply_exactly(log.high, exponent);
        size = power_of_e(sum_exactly(product.high, product.low + log.low * exponent));
    }
    return base < 0 && fabs(fmod(exponent, 2)) == 1 ? -size : size;
}

double portable_cbrt(double x)
{
    return x == 0 || !isfinite(x) ? x : copysign(portable_pow(fabs(x), 1.0 / 3), x);
}
