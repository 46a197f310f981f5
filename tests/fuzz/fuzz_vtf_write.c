/* Any pixels in any format and version: what is written is read back with its size, floats are the
 * nearest halves and bytes of formats without loss are the same. The first bytes choose. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/assets/textures/vtf.h"
#include "common/assets/textures/vtf_write.h"
#include "common/core/memory.h"

enum { HEAD = 6, MAX_SIDE = 64, MAX_PICTURES = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool fact)
{
    if (!fact)
        __builtin_trap();
}

static int count_formats(void)
{
    int count = 0;
    while (vtf_write_format_names[count + 1])
        count++;
    return count;
}

/* Opaque formats lose alpha only. */
static void check_bytes(enum vtf_format format, const uint8_t *wrote, const struct vtf_image *read)
{
    bool opaque = format == VTF_BGR888 || format == VTF_RGB888;
    if (!opaque && format != VTF_BGRA8888 && format != VTF_RGBA8888)
        return;
    for (int i = 0; i < 4 * read->width * read->height; i++)
        require(read->rgba[i] == (opaque && i % 4 == 3 ? 255 : wrote[i]));
}

static void check_picture(const struct bytes *file, const struct vtf_source *source,
                          const struct vtf_write_options *options, int index)
{
    struct vtf_image image;
    int face = index % source->faces, width, height;
    struct vtf_place place = {0, index / source->faces, face};
    require(vtf_read_picture(file->data, file->size, place, &image));
    require(image.width == source->width && image.height == source->height);
    if (source->rgba)
        check_bytes(options->format, source->rgba[index], &image);
    vtf_image_free(&image);
    float *light = vtf_read_light(file->data, file->size, place, &width, &height);
    require((light != NULL) == (options->format == VTF_RGBA16F));
    for (int i = 0; light && source->light && i < 4 * width * height; i++) {
        double value = (double)source->light[index][i];
        value = isnan(value) ? 0 : fmax(fmin(value, 65504), -65504);
        require(fabs((double)light[i] - value) <= fabs(value) / 2048 + 3e-8);
    }
    memory_free(light);
}

static void check_file(const struct vtf_source *source, const struct vtf_write_options *options)
{
    struct bytes file = {0}, other = {0};
    struct vtf_header header;
    require(vtf_write(source, options, 1, &file) == VTF_WRITTEN);
    require(vtf_write(source, options, 2, &other) == VTF_WRITTEN && bytes_equal(&file, &other));
    require(vtf_read_header(file.data, file.size, &header));
    require(header.width == source->width && header.height == source->height &&
            header.frames == source->frames && header.minor == options->minor);
    for (int i = 0; i < source->frames * source->faces; i++)
        check_picture(&file, source, options, i);
    for (int mip = 0; mip < header.mips; mip++) {
        struct vtf_image image;
        struct vtf_place place = {mip, source->frames - 1, source->faces - 1};
        require(vtf_read_picture(file.data, file.size, place, &image));
        vtf_image_free(&image);
    }
    bytes_free(&file);
    bytes_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[MAX_PICTURES][4 * MAX_SIDE * MAX_SIDE];
    static float floats[MAX_PICTURES][4 * MAX_SIDE * MAX_SIDE];
    const uint8_t *rgba[MAX_PICTURES];
    const float *light[MAX_PICTURES];
    if (size <= HEAD)
        return 0;
    bool cube = data[4] & 1, is_light = data[4] & 2;
    struct vtf_source source = {.width = 1 << data[0] % 7, .height = 1 << data[1] % 7};
    source.height = cube ? source.width : source.height;
    source.faces = cube ? VTF_CUBE_FACES : 1;
    source.frames = cube ? 1 : 1 + data[5] % 3;
    for (int i = 0; i < MAX_PICTURES; i++) {
        size_t at = HEAD + (size_t)i;
        for (size_t k = 0; k < sizeof bytes[i]; k++)
            bytes[i][k] = data[HEAD + (at + k - HEAD) % (size - HEAD)];
        memcpy(floats[i], bytes[i], sizeof bytes[i]);
        rgba[i] = bytes[i];
        light[i] = floats[i];
    }
    source.rgba = is_light ? NULL : rgba;
    source.light = is_light ? light : NULL;
    check_file(&source, &(struct vtf_write_options){
                            .format = vtf_write_format_at(1 + data[2] % count_formats()),
                            .minor = 1 + data[3] % 5,
                            .flags = data[5] & 8 ? VTF_NORMAL : 0,
                            .mips = !(data[4] & 4),
                            .thumbnail = data[4] & 8,
                            .bump_scale = 1});
    return 0;
}
