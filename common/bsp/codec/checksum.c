#include "common/bsp/codec/checksum.h"

#define ZLIB_CONST
#include <zlib.h>

#include "common/bsp/bsp.h"

uint32_t bsp_checksum(const struct container *container)
{
    uLong sum = crc32_z(0, NULL, 0);
    for (int i = 0; i < container->lump_count; i++) {
        const struct container_lump *lump = &container->lumps[i];
        if (i != LUMP_ENTITIES && lump->length)
            sum = crc32_z(sum, container->data + lump->offset, (size_t)lump->length);
    }
    return (uint32_t)sum;
}
