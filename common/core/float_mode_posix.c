#include "common/core/float_mode.h"

void float_mode_begin(struct float_mode *before)
{
    (void)fegetenv(&before->environment);
    (void)fesetenv(FE_DFL_ENV);
}

void float_mode_end(const struct float_mode *before)
{
    (void)fesetenv(&before->environment);
}
