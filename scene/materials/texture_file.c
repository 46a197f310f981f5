#include "scene/materials/texture_file.h"

#include "common/core/memory.h"
#include "scene/images/jpeg.h"
#include "scene/images/png.h"

enum { RGB = 3, RGBA = 4 };

static const struct texture_level *level_for(const struct texture *texture, int size)
{
    int i = 0;
    while (i + 1 < texture->count &&
           (texture->levels[i].width > size || texture->levels[i].height > size))
        i++;
    return &texture->levels[i];
}

static bool is_opaque(const struct texture_level *level)
{
    size_t count = (size_t)level->width * (size_t)level->height;
    for (size_t i = 0; i < count; i++)
        if (level->rgba[RGBA * i + 3] != 255)
            return false;
    return true;
}

static void encode_opaque(const struct texture_level *level, int quality, struct bytes *out)
{
    size_t count = (size_t)level->width * (size_t)level->height;
    unsigned char *rgb = memory_alloc(RGB * count);
    for (size_t i = 0; i < count; i++)
        memcpy(rgb + RGB * i, level->rgba + RGBA * i, RGB);
    jpeg_encode(rgb, level->width, level->height, quality, out);
    memory_free(rgb);
}

bool texture_file_has_alpha(const struct texture *texture,
                            const struct texture_file_options *options)
{
    return !is_opaque(level_for(texture, options->size));
}

bool texture_file_write(const struct texture *texture, const struct texture_file_options *options,
                        bool alpha, struct bytes *out)
{
    const struct texture_level *level = level_for(texture, options->size);
    bool jpeg = !alpha || is_opaque(level);
    if (jpeg)
        encode_opaque(level, options->quality, out);
    else
        png_encode(level->rgba, RGBA, level->width, level->height, out);
    return jpeg;
}
