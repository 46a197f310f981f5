#include "vrad/luxels/region.h"

#include <string.h>

#include "common/core/memory.h"
#include "vrad/luxels/colour.h"
#include "vrad/luxels/luxel_border.h"

enum { COLOUR_BYTES = 4 };

static bool reaches(const struct face_light *face, const struct bounds *box)
{
    struct bounds own = bounds_empty();
    double half = 0;
    for (int i = 0; i < face->count; i++)
        bounds_add_point(&own, luxel_position(face, i));
    if (!face->mesh)
        half = (vec3_length(face->axis[0]) + vec3_length(face->axis[1])) / 2;
    return bounds_touch(&own, box, half);
}

unsigned char *region_faces(const struct luxel_map *map, const struct bounds *box)
{
    unsigned char *relight = memory_zalloc((size_t)map->face_count + 1, 1);
    for (int i = 0; i < map->face_count; i++)
        relight[i] = map->faces[i].count && reaches(&map->faces[i], box);
    return relight;
}

struct bounds region_bounds(const struct luxel_map *map, const unsigned char *relight)
{
    struct bounds box = bounds_empty();
    for (int i = 0; i < map->face_count; i++)
        for (int k = 0; k < map->faces[i].count && relight[i]; k++)
            bounds_add_point(&box, luxel_position(&map->faces[i], k));
    return box;
}

/* A second map of style 0 has the direct light: both together bounce. */
static void add_direct(struct face_light *face, int style)
{
    for (int slot = 0; slot < face->slots; slot++)
        for (int i = 0; i < lattice_count(face); i++) {
            float *sum = lattice_direct(face, 0, slot, i);
            const float *direct = lattice_direct(face, style, slot, i);
            for (int k = 0; k < 3; k++)
                sum[k] += direct[k];
        }
}

/* Takes the maps of the face from the lump; false when they are incomplete. */
static bool take_light(const struct bsp_face *from, const struct bytes *lighting,
                       struct face_light *face)
{
    int styles = 0, count = lattice_count(face);
    while (styles < BSP_FACE_STYLES && from->styles[styles] != BSP_STYLE_NONE)
        styles++;
    size_t map = (size_t)face->slots * (size_t)count;
    size_t before = (size_t)styles * COLOUR_BYTES, size = (size_t)styles * map * COLOUR_BYTES;
    if (styles == 0 || from->light_offset < 0 || (size_t)from->light_offset < before ||
        (size_t)from->light_offset > lighting->size ||
        size > lighting->size - (size_t)from->light_offset)
        return false;
    const unsigned char *p = lighting->data + from->light_offset;
    face->kept = p - before;
    face->style_count = styles;
    if (face->border)
        border_light_new(face);
    for (int s = 0; s < styles; s++) {
        face->styles[s] = from->styles[s];
        face->direct[s] = memory_alloc(3 * (size_t)(face->slots * face->count) * sizeof(float));
        for (size_t i = 0; i < map; i++, p += COLOUR_BYTES) {
            struct bsp_colour colour = {p[0], p[1], p[2], (int8_t)p[3]};
            colour_decode(colour, lattice_direct(face, s, (int)i / count, (int)i % count));
        }
        if (s > 0 && face->styles[s] == 0)
            add_direct(face, s);
    }
    return true;
}

enum status region_keep(const struct env *env, const unsigned char *relight,
                        const struct bsp_face *faces, const struct bytes *lighting,
                        struct luxel_map *map)
{
    for (int i = 0; i < map->face_count; i++) {
        struct face_light *face = &map->faces[i];
        if (face->count && !relight[i] && !take_light(&faces[i], lighting, face))
            return diag_report(env->diag, DIAG_LIGHT_REGION, NULL,
                               "face %d is outside the part and has no light to keep", i);
    }
    return STATUS_OK;
}
