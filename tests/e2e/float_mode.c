/* A library to be loaded before the programs, as one that was built with -ffast-math or that knows
 * only its own wishes: it leaves the processor in a mode of its own. FLOAT_MODE names it: `flush`
 * (denormals are 0) or `upward`. */
#include <fenv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/flush_denormals.h"

__attribute__((constructor)) static void set_mode(void)
{
    const char *mode = getenv("FLOAT_MODE");
    if (mode && strcmp(mode, "flush") == 0)
        flush_denormals();
    if (mode && strcmp(mode, "upward") == 0)
        (void)fesetround(FE_UPWARD);
}
