/* Any bytes as a BSP: refused with a report, or safe to query, verify and write, and then the same
 * bytes again. */
#include <stdint.h>

#include "tests/support/bsp_exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!bsp_exercise(data, size))
        __builtin_trap();
    return 0;
}
