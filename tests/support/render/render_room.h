/* The room of room_bsp.h for pictures: 256 units wide, with light and materials. */
#ifndef TESTS_RENDER_ROOM_H
#define TESTS_RENDER_ROOM_H

#include "common/bsp/face_records.h"
#include "tests/support/render/render_shot.h"
#include "tests/support/room_bsp.h"
#include "vrad/luxels/colour.h"

enum { SIDE = 256 };

/* Every face gets a lightmap of one colour. */
static inline void light_evenly(struct bsp *bsp, float light)
{
    struct bytes *lighting = &bsp->ldr.lighting;
    const float rgb[3] = {light, light, light};
    struct bsp_colour colour = colour_encode(rgb);
    bytes_fill(lighting, 0, 4);
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        struct bsp_face *face = &bsp->faces[i];
        face->styles[0] = 0;
        face->light_offset = (int32_t)lighting->size;
        int count = (face->lightmap_size[0] + 1) * (face->lightmap_size[1] + 1);
        for (int k = 0; k < count; k++)
            bytes_append(lighting, &colour, 4);
    }
}

/* Gives a face its own material. */
static inline void paint(struct bsp *bsp, int face, const char *name, float r, float g, float b)
{
    struct bsp_texdata texdata = {.reflectivity = {r, g, b},
                                  .name = (int32_t)arrlen(bsp->texture_names),
                                  .width = 512,
                                  .height = 512};
    char *copy = memory_zalloc(strlen(name) + 1, 1);
    arrput(bsp->texture_names, strcpy(copy, name));
    bsp->texinfo[bsp->faces[face].texinfo].texdata = (int32_t)arrlen(bsp->texdata);
    arrput(bsp->texdata, texdata);
}

/* Its walls have one colour: no material of the room is one for developers, which has a grid. */
static inline struct bsp *ungridded_room(const int *flags)
{
    struct bsp *bsp = room_new(vec3(SIDE, SIDE, SIDE), 0.5, flags);
    assert_string_equal(bsp->texture_names[0], "dev/a");
    memcpy(bsp->texture_names[0], "any/a", strlen("any/a"));
    return bsp;
}

static inline struct bsp *plain_room(const int *flags)
{
    struct bsp *bsp = ungridded_room(flags);
    room_set_entities(bsp, "");
    return bsp;
}

/* A screen at x = 128 that looks west, as a brush entity. */
static inline void add_screen(struct bsp *bsp, const char *keys)
{
    char text[512];
    struct bsp_model model = {.head_node = -1, .first_face = 6, .face_count = 1};
    room_face(bsp, vec3(SIDE / 2, SIDE, SIDE), 0, true, 0);
    arrpop(bsp->leaf_faces); /* the model's face is in no leaf */
    arrput(bsp->models, model);
    snprintf(text, sizeof text, "{\n\"classname\" \"func_brush\"\n\"model\" \"*1\"\n%s}\n", keys);
    room_set_entities(bsp, text);
}

#endif
