/* Any bytes as a texture: what is let pass is within the format's limits. */
#include <math.h>
#include <stdint.h>

#include "common/assets/vtf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vtf_header header;
    if (!vtf_read_header(data, size, &header))
        return 0;
    if (header.width < 1 || header.height < 1 || header.depth < 1 || header.mips < 1 ||
        header.frames < 1 || !isfinite(header.reflectivity[0]))
        __builtin_trap();
    return 0;
}
