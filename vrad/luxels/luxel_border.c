#include "vrad/luxels/luxel_border.h"

#include "common/core/memory.h"

void border_light_new(struct face_light *face)
{
    border_light_free(face);
    struct border_light *border = memory_zalloc(1, sizeof *border);
    border->count = lattice_count(face) - face->count;
    size_t floats = 3 * (size_t)face->slots * (size_t)border->count;
    for (int i = 0; i < face->style_count; i++)
        border->direct[i] = memory_zalloc(floats, sizeof(float));
    border->bounced = memory_zalloc(floats, sizeof(float));
    border->hidden = memory_zalloc((size_t)border->count, 1);
    face->border_light = border;
}

void border_light_free(struct face_light *face)
{
    struct border_light *border = face->border_light;
    if (!border)
        return;
    for (int i = 0; i < BSP_FACE_STYLES; i++)
        memory_free(border->direct[i]);
    memory_free(border->bounced);
    memory_free(border->hidden);
    memory_free(border);
    face->border_light = NULL;
}

void border_light_part_direct(struct face_light *face)
{
    struct border_light *border = face->border_light;
    for (int i = BSP_FACE_STYLES - 1; i > 0; i--)
        border->direct[i] = border->direct[i - 1];
    border->direct[0] = memory_zalloc(3 * (size_t)(face->slots * border->count), sizeof(float));
}

bool lattice_is_hidden(const struct face_light *face, int at)
{
    struct lattice_place place = lattice_place(face, at);
    if (!place.in_border)
        return luxel_is_hidden(face, place.luxel);
    return !face->border_light || face->border_light->hidden[place.luxel];
}
