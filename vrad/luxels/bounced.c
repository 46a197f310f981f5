#include "vrad/luxels/bounced.h"

#include <string.h>

#include "common/core/memory.h"

/* Narrow light takes at most so much of the room of all luxels. */
#define NARROW_SHARE 0.5

static size_t floats_of(const struct face_light *face)
{
    return 3 * (size_t)face->slots * (size_t)face->count;
}

static int count_points(const struct face_light *face, const unsigned char *known)
{
    int points = 0;
    for (int i = 0; i < face->count; i++)
        points += known[i] == LUXEL_GATHERED;
    return points;
}

static size_t narrow_bytes(const struct face_light *face, int points, int cells)
{
    return sizeof(struct narrow_light) + (size_t)cells * sizeof(struct irradiance_cell) +
           (size_t)points * (sizeof(int) + 3 * (size_t)face->slots * sizeof(float));
}

struct narrow_light *bounced_narrow_new(const struct face_light *face, int points, int cells)
{
    struct narrow_light *narrow = memory_zalloc(narrow_bytes(face, points, cells), 1);
    narrow->points = points;
    narrow->cell_count = cells;
    narrow->cells = (struct irradiance_cell *)(narrow + 1);
    narrow->light = (float *)(narrow->cells + cells);
    narrow->luxels = (void *)(narrow->light + (size_t)points * 3 * (size_t)face->slots);
    return narrow;
}

static void make_narrow(struct face_light *face, const struct irradiance_cell *cells, int count,
                        const unsigned char *known, int points)
{
    struct narrow_light *narrow = bounced_narrow_new(face, points, count);
    float *light = narrow->light;
    for (int i = 0, at = 0; i < face->count; i++) {
        if (known[i] != LUXEL_GATHERED)
            continue;
        narrow->luxels[at++] = i;
        for (int j = 0; j < face->slots; j++, light += 3)
            memcpy(light, face->indirect + (ptrdiff_t)3 * (j * face->count + i), 3 * sizeof *light);
    }
    if (count)
        memcpy(narrow->cells, cells, (size_t)count * sizeof *cells);
    bounced_free(face);
    face->narrow = narrow;
}

void bounced_store(struct face_light *face, const struct irradiance_cell *cells, int count,
                   unsigned char *known, bool narrow)
{
    int points = narrow ? count_points(face, known) : 0;
    double room = (double)(floats_of(face) * sizeof(float));
    if (narrow && (double)narrow_bytes(face, points, count) <= NARROW_SHARE * room) {
        make_narrow(face, cells, count, known, points);
        return;
    }
    for (int i = 0; i < count; i++)
        irradiance_cell_fill(face, &cells[i], known);
}

/* The light of a gathered luxel; NULL: it was not gathered. */
static const float *point_at(const struct face_light *face, int slot, int luxel)
{
    const struct narrow_light *narrow = face->narrow;
    int low = 0, high = narrow->points;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (narrow->luxels[middle] < luxel)
            low = middle + 1;
        else
            high = middle;
    }
    return low < narrow->points && narrow->luxels[low] == luxel
               ? narrow->light + (size_t)3 * ((size_t)low * (size_t)face->slots + (size_t)slot)
               : NULL;
}

static void take_point(const struct face_light *face, int slot, int luxel, float out[3])
{
    const float *light = point_at(face, slot, luxel);
    for (int k = 0; k < 3; k++)
        out[k] = light ? light[k] : 0;
}

static void filling_of(const struct face_light *face, int slot, const struct irradiance_cell *cell,
                       struct irradiance_filling *out)
{
    int corners[4];
    float light[4][3], middle[3];
    irradiance_cell_corners(face, cell, corners);
    for (int i = 0; i < 4; i++)
        take_point(face, slot, corners[i], light[i]);
    take_point(face, slot, irradiance_cell_middle(face, cell), middle);
    irradiance_filling_init(cell, light, middle, out);
}

static void interpolate(const struct face_light *face, int slot, int luxel, float out[3])
{
    int column = luxel % face->width, row = luxel / face->width, before = 0;
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < face->narrow->cell_count; i++) {
        const struct irradiance_cell *cell = &face->narrow->cells[i];
        struct irradiance_filling filling;
        if (column < cell->left || column > cell->right || row < cell->top || row > cell->bottom)
            continue;
        filling_of(face, slot, cell, &filling);
        irradiance_filling_add(cell, &filling, column, row, before++, out);
    }
}

void bounced_at(const struct face_light *face, int slot, int luxel, float out[3])
{
    const float *light = NULL;
    if (face->indirect)
        light = face->indirect + (ptrdiff_t)3 * (slot * face->count + luxel);
    else if (face->narrow)
        light = point_at(face, slot, luxel);
    if (light)
        memcpy(out, light, 3 * sizeof *out);
    else if (face->narrow)
        interpolate(face, slot, luxel, out);
    else
        memset(out, 0, 3 * sizeof *out);
}

/* Fills one slot of `out`, which is a face of one slot, from narrow light. */
static void expand_slot(const struct face_light *face, int slot, float *out)
{
    const struct narrow_light *narrow = face->narrow;
    struct face_light one = *face;
    unsigned char *known = memory_zalloc((size_t)face->count, 1);
    one.slots = 1;
    one.indirect = out;
    memset(out, 0, floats_of(&one) * sizeof *out);
    for (int i = 0; i < narrow->points; i++) {
        known[narrow->luxels[i]] = LUXEL_GATHERED;
        take_point(face, slot, narrow->luxels[i], out + (ptrdiff_t)3 * narrow->luxels[i]);
    }
    for (int i = 0; i < narrow->cell_count; i++)
        irradiance_cell_fill(&one, &narrow->cells[i], known);
    memory_free(known);
}

const float *bounced_all(const struct face_light *face, int slot, float *room)
{
    if (face->indirect)
        return face->indirect + (ptrdiff_t)3 * slot * face->count;
    if (!face->narrow)
        return NULL;
    expand_slot(face, slot, room);
    return room;
}

void bounced_widen(struct face_light *face)
{
    if (!face->narrow)
        return;
    float *light = memory_alloc(floats_of(face) * sizeof *light);
    for (int slot = 0; slot < face->slots; slot++)
        expand_slot(face, slot, light + (ptrdiff_t)3 * slot * face->count);
    bounced_free(face);
    face->indirect = light;
}

void bounced_free(struct face_light *face)
{
    memory_free(face->indirect);
    memory_free(face->narrow);
    face->indirect = NULL;
    face->narrow = NULL;
}
