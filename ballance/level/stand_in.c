/* Images in the place of textures that are not in the file. */
#include "ballance/level/level_maker.h"
#include "common/core/array.h"

/* Pixels: of the image, and of a square of it. Every other square is darker. */
enum { SIDE = 32, SQUARE = 4 };
#define DARKER 0.8f

static void add_pixel(struct bytes *image, const float rgb[3], float shade)
{
    for (int k = 2; k >= 0; k--) {
        float value = rgb[k] > 0 ? rgb[k] < 1 ? rgb[k] : 1 : 0;
        bytes_u8(image, (uint8_t)(shade * value * 255 + 0.5f));
    }
}

static struct bytes draw(const float rgb[3], bool is_plain)
{
    static const uint8_t head[18] = {0, 0, 2, [12] = SIDE, [14] = SIDE, [16] = 24}; /* a TGA */
    struct bytes image = {0};
    bytes_append(&image, head, sizeof head);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            add_pixel(&image, rgb, is_plain || (x / SQUARE + y / SQUARE) % 2 ? 1 : DARKER);
    return image;
}

static const char *path_of(struct level_maker *maker, const float rgb[3], bool is_plain)
{
    struct bytes pixel = {0};
    add_pixel(&pixel, rgb, 1);
    const char *path =
        arena_printf(&maker->scratch, "textures/bmx/%s/_%s%02x%02x%02x.tga", maker->name,
                     is_plain ? "plain" : "", pixel.data[2], pixel.data[1], pixel.data[0]);
    bytes_free(&pixel);
    return path;
}

const char *maker_stand_in(struct level_maker *maker, const struct bmx_material *material)
{
    const bool is_plain = !material->use_texture;
    const char *path = path_of(maker, material->diffuse, is_plain);
    if (!maker->names)
        sh_new_strdup(maker->names);
    if (shgeti(maker->names, path) >= 0)
        return maker->files->list[shget(maker->names, path)].path;
    struct bytes image = draw(material->diffuse, is_plain);
    shput(maker->names, path, arrlenu(maker->files->list));
    return maker_add_file(maker, path, &image);
}
