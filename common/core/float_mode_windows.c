#include "common/core/float_mode.h"

#include <xmmintrin.h>

/* The environment of mingw-w64 leaves out the unit of vectors, which does all work. */
enum { VECTOR_UNIT_DEFAULT = 0x1f80 };

void float_mode_begin(struct float_mode *before)
{
    before->vector_unit = _mm_getcsr();
    (void)fegetenv(&before->environment);
    (void)fesetenv(FE_DFL_ENV);
    _mm_setcsr(VECTOR_UNIT_DEFAULT);
}

void float_mode_end(const struct float_mode *before)
{
    (void)fesetenv(&before->environment);
    _mm_setcsr(before->vector_unit);
}
