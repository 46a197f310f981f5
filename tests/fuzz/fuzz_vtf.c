/* Any bytes as a texture: one that is accepted is within the format's limits, and its pixels lie in
 * the file. */
#include <math.h>
#include <stdint.h>

#include "common/assets/textures/vtf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vtf_header header;
    struct vtf_image image;
    bool read = vtf_read_image(data, size, 256, &image);
    if (!vtf_read_header(data, size, &header)) {
        if (read)
            __builtin_trap();
        return 0;
    }
    if (header.width < 1 || header.height < 1 || header.depth < 1 || header.mips < 1 ||
        header.frames < 1 || !isfinite(header.reflectivity[0]))
        __builtin_trap();
    if (read && (image.width < 1 || image.height < 1 || image.width > header.width ||
                 image.height > header.height))
        __builtin_trap();
    unsigned sum = 0;
    size_t bytes = read ? 4 * (size_t)image.width * (size_t)image.height : 0;
    for (size_t i = 0; i < bytes; i++)
        sum += image.rgba[i];
    if (bytes && sum > 255 * bytes)
        __builtin_trap();
    vtf_image_free(&image);
    return 0;
}
