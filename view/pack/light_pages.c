#include "view/pack/light_pages.h"

#include "common/core/array.h"

enum {
    COLOUR_BYTES = 4,
    /* The exponents of RGB9_E5, for mantissas of which 255 is white. */
    MIN_EXPONENT = -24,
    MAX_EXPONENT = 7,
};

static void store_colour(struct bsp_colour colour, unsigned char *to)
{
    if (colour.exponent < MIN_EXPONENT)
        return;
    to[0] = colour.r;
    to[1] = colour.g;
    to[2] = colour.b;
    int exponent = colour.exponent < MAX_EXPONENT ? colour.exponent : MAX_EXPONENT;
    to[3] = (unsigned char)(exponent - MIN_EXPONENT);
}

void light_atlas_pack(const struct light_atlas *atlas, struct view_data *data)
{
    struct bytes pages = {0};
    size_t side = (size_t)atlas->side, size = COLOUR_BYTES * side * side * (size_t)atlas->pages;
    bytes_fill(&pages, 0, size);
    for (size_t i = 0; i < arrlenu(atlas->blocks); i++) {
        const struct light_block *block = &atlas->blocks[i];
        const struct bsp_colour *from = &atlas->luxels[block->luxels];
        for (int y = 0; y < block->height * block->style_count; y++) {
            size_t row = side * (size_t)block->page + (size_t)(block->y + y);
            unsigned char *to = pages.data + COLOUR_BYTES * (side * row + (size_t)block->x);
            for (int x = 0; x < block->width; x++)
                store_colour(*from++, to + COLOUR_BYTES * x);
        }
    }
    json_t *light = json_object();
    json_object_set_new(light, "side", json_integer(atlas->side));
    json_object_set_new(light, "pages", json_integer(atlas->pages));
    json_object_set_new(data->head, "light", light);
    view_data_stream(data, "luxels", &pages, COLOUR_BYTES);
    bytes_free(&pages);
}
