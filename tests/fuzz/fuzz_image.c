/* Images: a file with a size decodes to that size or not at all, and its mean is one of bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/assets/textures/image.h"
#include "common/core/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int width = 0, height = 0, said[2];
    bool sized = image_size(data, size, &said[0], &said[1]);
    if (sized && (size_t)said[0] * (size_t)said[1] > (size_t)1 << 22)
        return 0; /* valid, but slow */
    uint8_t *pixels = image_decode(data, size, &width, &height);
    if (pixels && (!sized || width != said[0] || height != said[1]))
        abort();
    if (pixels) {
        struct vec3 mean = image_average(pixels, width, height);
        for (int i = 0; i < 3; i++)
            if (!(mean.e[i] >= 0 && mean.e[i] <= 1))
                abort();
    }
    memory_free(pixels);
    return 0;
}
