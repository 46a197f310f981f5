/* Any bytes as a texture: its alpha is read within the bytes, and complete. */
#include <stdint.h>

#include "common/assets/textures/vtf.h"
#include "common/core/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vtf_alpha alpha;
    if (!vtf_alpha_read(data, size, &alpha))
        return 0;
    volatile unsigned char last;
    for (size_t i = 0; i < (size_t)alpha.width * (size_t)alpha.height; i++)
        last = alpha.texels[i];
    (void)last;
    if (alpha.width < 1 || alpha.height < 1)
        __builtin_trap();
    memory_free(alpha.texels);
    return 0;
}
