#include "common/core/float_mode.h"

#include "tests/support/flush_denormals.h"
#include "tests/support/suite.h"

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

SUITE(test_float_mode)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_is_set_and_the_mode_of_the_thread_comes_back),
        cmocka_unit_test(traps_are_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
