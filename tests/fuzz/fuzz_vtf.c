/* Any bytes as a texture: one that is accepted is within the format's limits, and its pixels lie in
 * the file. */
#include <math.h>
#include <stdint.h>

#include "common/assets/textures/vtf.h"
#include "common/core/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The last picture of the smallest level, and the first of the largest if that is not large. */
static void read_pictures(const uint8_t *data, size_t size, const struct vtf_header *header)
{
    int faces = vtf_face_count(data, size, header);
    const struct vtf_place places[] = {{header->mips - 1, header->frames - 1, faces - 1},
                                       {0, 0, faces > 1}};
    if (faces != 1 && faces != 6 && faces != 7)
        __builtin_trap();
    for (int i = 0; i < 1 + (header->width * header->height <= 256 * 256); i++) {
        struct vtf_image image;
        int width = 0, height = 0;
        if (vtf_read_picture(data, size, places[i], &image) && (image.width < 1 || !image.rgba))
            __builtin_trap();
        vtf_image_free(&image);
        float *light = vtf_read_light(data, size, places[i], &width, &height);
        for (int k = 0; light && k < 4 * width * height; k++)
            if (isnan(light[k]))
                __builtin_trap();
        memory_free(light);
    }
}

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
    read_pictures(data, size, &header);
    unsigned sum = 0;
    size_t bytes = read ? 4 * (size_t)image.width * (size_t)image.height : 0;
    for (size_t i = 0; i < bytes; i++)
        sum += image.rgba[i];
    if (bytes && sum > 255 * bytes)
        __builtin_trap();
    vtf_image_free(&image);
    return 0;
}
