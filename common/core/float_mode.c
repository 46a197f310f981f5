#include "common/core/float_mode.h"

void float_mode_begin(fenv_t *before)
{
    (void)fegetenv(before);
    (void)fesetenv(FE_DFL_ENV);
}

void float_mode_end(const fenv_t *before)
{
    (void)fesetenv(before);
}
