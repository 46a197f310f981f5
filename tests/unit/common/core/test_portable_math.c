#include "tests/support/suite.h"

#include <stdint.h>

#include "common/core/float_mode.h"
#include "common/core/portable_math.h"
#include "tests/support/flush_denormals.h"
#include "tests/support/skip_on_windows.h"

typedef double function(double x);

struct row {
    const char *name;
    function *own;
    long double (*exact)(long double);
    double low, high, units; /* in the last place */
};

static const struct row rows[] = {
    {"sin", portable_sin, sinl, -20, 20, 1},      {"sin, far", portable_sin, sinl, -1e6, 1e6, 2},
    {"cos", portable_cos, cosl, -20, 20, 1},      {"tan", portable_tan, tanl, -20, 20, 3},
    {"acos", portable_acos, acosl, -1, 1, 3},     {"exp", portable_exp, expl, -300, 300, 1},
    {"exp2", portable_exp2, exp2l, -900, 900, 1}, {"log", portable_log, logl, 1e-9, 10, 1},
    {"log2", portable_log2, log2l, 1e-9, 10, 1},  {"cbrt", portable_cbrt, cbrtl, -100, 100, 2},
};

enum { TRIES = 20000, ROWS = sizeof rows / sizeof *rows };

/* The same numbers everywhere. */
static double number_at(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(*seed >> 11) * 0x1p-53);
}

static double unit_of(long double value)
{
    int exponent;
    (void)frexpl(value, &exponent);
    return ldexp(1, exponent - 53);
}

static double error_of(double own, long double exact)
{
    return (double)(fabsl((long double)own - exact) / (long double)unit_of(exact));
}

static void functions_are_exact_to_a_unit_or_three(void **state)
{
    uint64_t seed = 1;
    (void)state;
    skip_on_windows("sinl of mingw-w64 is inexact near multiples of pi");
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < TRIES; k++) {
            double x = number_at(&seed, rows[i].low, rows[i].high);
            double error = error_of(rows[i].own(x), rows[i].exact((long double)x));
            if (!(error <= rows[i].units))
                fail_msg("%s(%.17g) is %g units off", rows[i].name, x, error);
        }
    for (int k = 0; k < TRIES; k++) {
        double base = number_at(&seed, 0, 4), exponent = number_at(&seed, -8, 8);
        double y = number_at(&seed, -3, 3), x = number_at(&seed, -3, 3);
        assert_true(error_of(portable_pow(base, exponent),
                             powl((long double)base, (long double)exponent)) <= 1.5);
        assert_true(error_of(portable_atan2(y, x), atan2l((long double)y, (long double)x)) <= 2);
    }
}

static void special_values_are_those_of_the_standard(void **state)
{
    (void)state;
    assert_true(portable_pow(0, 2.2) == 0 && portable_pow(7, 0) == 1 &&
                portable_pow(2, 10) == 1024);
    assert_true(portable_pow(-2, 3) == -8 && isnan(portable_pow(-2, 0.5)));
    assert_true(portable_pow(10, 3) == 1000 && isinf(portable_pow(0, -1)));
    assert_true(portable_log(1) == 0 && isinf(portable_log(0)) && isnan(portable_log(-1)));
    assert_true(portable_exp2(3) == 8 && portable_exp2(-1075) == 0 && isinf(portable_exp2(1024)));
    assert_true(portable_sin(0) == 0 && portable_cos(0) == 1 &&
                isnan(portable_cos((double)INFINITY)));
    assert_true(portable_atan2(0, 1) == 0 && portable_atan2(1, 0) == acos(0));
    assert_true(portable_acos(1) == 0 && portable_acos(-1) == acos(-1) && isnan(portable_acos(2)));
    assert_true(portable_hypot(3, 4) == 5 && portable_cbrt(-27) == -3);
}

static void min_and_max_choose_between_zeros_and_numbers(void **state)
{
    (void)state;
    assert_true(portable_fmin(1, 2) == 1 && portable_fmax(1, 2) == 2);
    assert_true(signbit(portable_fmin(0.0, -0.0)) && !signbit(portable_fmin(-0.0, 0.0)));
    assert_true(signbit(portable_fmaxf(0.0F, -0.0F)) && !signbit(portable_fmaxf(-0.0F, 0.0F)));
    assert_true(portable_fmin((double)NAN, 1) == 1 && portable_fmin(1, (double)NAN) == 1);
    assert_true(portable_fmaxf(NAN, 1) == 1 && portable_fmaxf(1, NAN) == 1);
}

/* --- float mode --- */

static void the_default_is_set_and_the_mode_of_the_thread_comes_back(void **state)
{
    struct float_mode mode;
    fenv_t clean;
    (void)state;
    fegetenv(&clean);
    flush_denormals();
    fesetround(FE_UPWARD);
    feraiseexcept(FE_INEXACT);
    const bool flushed = flushes_denormals(); /* not on each processor */
    float_mode_begin(&mode);
    const bool flushes = flushes_denormals();
    const int within = fegetround();
    fesetround(FE_DOWNWARD);
    float_mode_end(&mode);
    const int after = fegetround(), exceptions = fetestexcept(FE_INEXACT);
    const bool flushes_after = flushes_denormals();
    fesetenv(&clean);
    assert_int_equal(within, FE_TONEAREST);
    assert_false(flushes);
    assert_int_equal(after, FE_UPWARD);
    assert_int_equal(exceptions, FE_INEXACT);
    assert_int_equal(flushes_after, flushed);
#if defined(__x86_64__) || defined(__aarch64__)
    assert_true(flushed);
#endif
}

#if defined(__x86_64__)
/* Of the two units of that processor, this one traps. */
static void traps_are_off(void **state)
{
    struct float_mode mode;
    (void)state;
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before & ~0x0280U); /* invalid operations and divisions by zero */
    float_mode_begin(&mode);
    volatile double zero = 0, infinite = 1 / zero;
    const unsigned within = _mm_getcsr();
    float_mode_end(&mode);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    assert_true(infinite > 1);
    assert_int_equal(within & 0xffc0U, 0x1f80U);
    assert_int_equal(after & 0xffc0U, before & ~0x0280U & 0xffc0U);
}
#else
static void traps_are_off(void **state)
{
    (void)state;
}
#endif

SUITE(test_portable_math)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_exact_to_a_unit_or_three),
        cmocka_unit_test(special_values_are_those_of_the_standard),
        cmocka_unit_test(min_and_max_choose_between_zeros_and_numbers),
        cmocka_unit_test(the_default_is_set_and_the_mode_of_the_thread_comes_back),
        cmocka_unit_test(traps_are_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
