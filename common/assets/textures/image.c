#include "common/assets/textures/image.h"

#include "common/assets/textures/image_stb.h"
#include "common/core/memory.h"

/* Maximum number of pixels per byte: deflate packs 1032 bytes into one, runs of JPEG about as many.
 * A header of any size may precede them. */
#define PIXELS_PER_BYTE 2048

bool image_size(const void *data, size_t size, int *width, int *height)
{
    int channels;
    if (size > INT32_MAX || !stbi_info_from_memory(data, (int)size, width, height, &channels))
        return false;
    return *width > 0 && *height > 0 && *width <= STBI_MAX_DIMENSIONS &&
           *height <= STBI_MAX_DIMENSIONS &&
           (uint64_t)*width * (uint64_t)*height / PIXELS_PER_BYTE <= size;
}

uint8_t *image_decode(const void *data, size_t size, int *width, int *height)
{
    int channels;
    if (!image_size(data, size, width, height))
        return NULL;
    return stbi_load_from_memory(data, (int)size, width, height, &channels, 4);
}

struct vec3 image_average(const uint8_t *pixels, int width, int height)
{
    uint64_t sums[3] = {0}, plain[3] = {0}, weight = 0;
    size_t count = (size_t)width * (size_t)height;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *pixel = pixels + 4 * i;
        weight += pixel[3];
        for (int j = 0; j < 3; j++) {
            plain[j] += pixel[j];
            sums[j] += (uint64_t)pixel[j] * pixel[3];
        }
    }
    const uint64_t *of = weight ? sums : plain;
    double scale = 1 / (255 * (double)(weight ? weight : count));
    return vec3((double)of[0] * scale, (double)of[1] * scale, (double)of[2] * scale);
}
