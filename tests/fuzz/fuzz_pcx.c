/* Any bytes as a PCX: what is decoded has as many pixels as its size says. */
#include <stdint.h>

#include "common/assets/textures/pcx.h"
#include "common/core/memory.h"
#include "tests/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int width = 0, height = 0;
    uint8_t *pixels = pcx_decode(data, size, &width, &height);
    check(!pixels || (width > 0 && width <= 16384 && height > 0 && height <= 16384));
    volatile unsigned char last = 0; /* each one is read, which sanitizers watch */
    for (int64_t i = 0; pixels && i < (int64_t)width * height; i++)
        last = pixels[i];
    (void)last;
    memory_free(pixels);
    return 0;
}
