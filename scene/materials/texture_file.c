#include "scene/materials/texture_file.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "scene/images/image_encode.h"

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

/* Returns whether some of what is stored of the texture is not opaque. */
static bool texture_file_has_alpha(const struct texture *texture,
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

int image_files_number(struct image_files *files, const struct texture *texture, bool alpha,
                       image_file_add *add, void *context)
{
    struct image_file_row row;
    struct bytes file = {0};
    if (!texture)
        return -1;
    memset(&row, 0, sizeof row); /* keys are compared with their padding */
    row.key.texture = texture;
    row.key.alpha = alpha && texture_file_has_alpha(texture, &files->options);
    ptrdiff_t at = hmgeti(files->numbers, row.key);
    if (at >= 0)
        return files->numbers[at].value;
    bool jpeg = texture_file_write(texture, &files->options, alpha, &file);
    row.value = add(context, texture, jpeg, &file);
    bytes_free(&file);
    hmputs(files->numbers, row);
    return row.value;
}

void image_files_free(struct image_files *files)
{
    hmfree(files->numbers);
}
