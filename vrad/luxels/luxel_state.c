#include "vrad/luxels/luxel_state.h"

#include <math.h>
#include <string.h>

#include "common/core/memory.h"
#include "vrad/luxels/bounced.h"
#include "vrad/luxels/subluxels.h"

/* Light beyond this is damage. */
#define MAX_LIGHT 1e30f

enum bounced_form { BOUNCED_NONE, BOUNCED_ALL, BOUNCED_NARROW };

static size_t floats_of(const struct face_light *face)
{
    return 3 * (size_t)face->slots * (size_t)face->count;
}

/* ---- writing ---- */

static void append_floats(const float *floats, size_t count, struct bytes *out)
{
    bytes_append(out, floats, count * sizeof *floats);
}

static void append_narrow(const struct face_light *face, struct bytes *out)
{
    const struct narrow_light *narrow = face->narrow;
    size_t points = (size_t)narrow->points;
    bytes_i32(out, narrow->points);
    bytes_i32(out, narrow->cell_count);
    bytes_append(out, narrow->luxels, points * sizeof *narrow->luxels);
    append_floats(narrow->light, 3 * (size_t)face->slots * points, out);
    bytes_append(out, narrow->cells, (size_t)narrow->cell_count * sizeof *narrow->cells);
}

static void append_supersampled(const struct face_light *face, struct bytes *out)
{
    unsigned char *bits = bytes_extend(out, ((size_t)face->count + 7) / 8);
    memset(bits, 0, ((size_t)face->count + 7) / 8);
    for (int i = 0; i < face->count; i++) {
        struct luxel room;
        if (luxel_of(face, i, &room)->supersampled)
            bits[i / 8] |= (unsigned char)(1 << (i % 8));
    }
}

static bool has_light(const struct face_light *face)
{
    return face->count > 0;
}

void luxel_state_append_direct(const struct face_light *face, struct bytes *out)
{
    if (!has_light(face))
        return;
    bytes_u8(out, (uint8_t)face->style_count);
    bytes_append(out, face->styles, (size_t)face->style_count);
    for (int i = 0; i < face->style_count; i++)
        append_floats(face->direct[i], floats_of(face), out);
    append_supersampled(face, out);
}

void luxel_state_append_bounced(const struct face_light *face, struct bytes *out)
{
    if (!has_light(face))
        return;
    if (face->narrow) {
        bytes_u8(out, BOUNCED_NARROW);
        append_narrow(face, out);
    } else {
        bytes_u8(out, face->indirect ? BOUNCED_ALL : BOUNCED_NONE);
        if (face->indirect)
            append_floats(face->indirect, floats_of(face), out);
    }
}

void luxel_state_append(const struct luxel_map *map, struct bytes *out)
{
    bytes_u32(out, (uint32_t)map->face_count);
    for (int i = 0; i < map->face_count; i++) {
        const struct face_light *face = &map->faces[i];
        bytes_u8(out, has_light(face));
        luxel_state_append_direct(face, out);
        luxel_state_append_bounced(face, out);
    }
    bytes_u32(out, (uint32_t)(map->props ? map->props->count : 0));
    if (map->props)
        append_floats(map->props->leaving, 3 * map->props->count, out);
    bytes_u32(out, (uint32_t)(map->subluxels ? map->subluxels->count : 0));
    if (map->subluxels)
        append_floats(map->subluxels->leaving, 3 * map->subluxels->count, out);
}

/* ---- reading ---- */

/* The light of a face, in the bytes that were read. */
struct face_state {
    int style_count;
    const unsigned char *styles;
    const unsigned char *direct[BSP_FACE_STYLES];
    const unsigned char *supersampled;
    enum bounced_form form;
    int points, cell_count;              /* of a narrow one */
    const unsigned char *luxels, *cells; /* the same */
    const unsigned char *bounced;        /* floats */
};

static const unsigned char *read_floats(struct byte_reader *from, size_t count)
{
    const unsigned char *block = read_block(from, count * sizeof(float));
    for (size_t i = 0; block && i < count; i++) {
        float value;
        memcpy(&value, block + i * sizeof value, sizeof value);
        if (!(fabsf(value) <= MAX_LIGHT))
            from->failed = true;
    }
    return block;
}

static bool read_narrow(struct byte_reader *from, const struct face_light *face,
                        struct face_state *out)
{
    out->points = read_i32(from);
    out->cell_count = read_i32(from);
    if (out->points < 0 || out->points > face->count || out->cell_count < 0 ||
        out->cell_count > face->count)
        return false;
    size_t points = (size_t)out->points;
    out->luxels = read_block(from, points * sizeof(int));
    out->bounced = read_floats(from, 3 * (size_t)face->slots * points);
    out->cells = read_block(from, (size_t)out->cell_count * sizeof(struct irradiance_cell));
    if (from->failed)
        return false;
    int last = -1;
    for (size_t i = 0; i < points; i++) {
        int luxel;
        memcpy(&luxel, out->luxels + i * sizeof luxel, sizeof luxel);
        if (luxel <= last || luxel >= face->count)
            return false;
        last = luxel;
    }
    for (int i = 0; i < out->cell_count; i++) {
        struct irradiance_cell cell;
        memcpy(&cell, out->cells + (size_t)i * sizeof cell, sizeof cell);
        if (cell.left < 0 || cell.top < 0 || cell.right < cell.left || cell.bottom < cell.top ||
            cell.right >= face->width || cell.bottom >= face->height)
            return false;
    }
    return true;
}

static bool read_bounced(struct byte_reader *from, const struct face_light *face,
                         struct face_state *out)
{
    out->form = (enum bounced_form)read_u8(from);
    switch (out->form) {
    case BOUNCED_NONE:
        return !from->failed;
    case BOUNCED_ALL:
        out->bounced = read_floats(from, floats_of(face));
        return !from->failed;
    case BOUNCED_NARROW:
        return read_narrow(from, face, out);
    }
    return false;
}

static bool read_direct(struct byte_reader *from, const struct face_light *face,
                        struct face_state *out)
{
    *out = (struct face_state){.style_count = read_u8(from)};
    if (out->style_count < 1 || out->style_count > BSP_FACE_STYLES)
        return false;
    out->styles = read_block(from, (size_t)out->style_count);
    if (out->styles && out->styles[0])
        return false;
    for (int i = 0; i < out->style_count && !from->failed; i++)
        out->direct[i] = read_floats(from, floats_of(face));
    out->supersampled = read_block(from, ((size_t)face->count + 7) / 8);
    return !from->failed;
}

static bool read_face(struct byte_reader *from, const struct face_light *face,
                      struct face_state *out)
{
    return read_direct(from, face, out) && read_bounced(from, face, out);
}

bool luxel_state_fits(struct byte_reader *from, const struct luxel_map *map)
{
    if (read_u32(from) != (uint32_t)map->face_count)
        return false;
    for (int i = 0; i < map->face_count; i++) {
        struct face_state state;
        bool any = read_u8(from) != 0;
        if (from->failed ||
            (any && (!map->faces[i].count || !read_face(from, &map->faces[i], &state))))
            return false;
    }
    size_t props = map->props ? map->props->count : 0;
    if (read_u32(from) != props || !read_floats(from, 3 * props))
        return false;
    return read_floats(from, 3 * (size_t)read_u32(from)) && !from->failed;
}

static float *copy_floats(const unsigned char *floats, size_t count)
{
    if (!floats)
        return NULL;
    float *copy = memory_alloc(count * sizeof *copy);
    memcpy(copy, floats, count * sizeof *copy);
    return copy;
}

static void put_direct(const struct face_state *state, struct face_light *face)
{
    for (int i = 0; i < face->style_count; i++)
        memory_free(face->direct[i]);
    memset(face->direct, 0, sizeof face->direct);
    face->style_count = state->style_count;
    memcpy(face->styles, state->styles, (size_t)state->style_count);
    for (int i = 0; i < state->style_count; i++)
        face->direct[i] = copy_floats(state->direct[i], floats_of(face));
    for (int i = 0; i < face->count; i++)
        if (state->supersampled[i / 8] >> (i % 8) & 1)
            luxel_set_supersampled(face, i);
}

static void put_bounced(const struct face_state *state, struct face_light *face)
{
    bounced_free(face);
    if (state->form == BOUNCED_ALL)
        face->indirect = copy_floats(state->bounced, floats_of(face));
    if (state->form == BOUNCED_NARROW) {
        face->narrow = bounced_narrow_new(face, state->points, state->cell_count);
        size_t points = (size_t)state->points;
        memcpy(face->narrow->luxels, state->luxels, points * sizeof(int));
        memcpy(face->narrow->light, state->bounced,
               3 * (size_t)face->slots * points * sizeof(float));
        memcpy(face->narrow->cells, state->cells,
               (size_t)state->cell_count * sizeof *face->narrow->cells);
    }
}

static void put_darkness(struct face_light *face)
{
    face->style_count = 1;
    face->styles[0] = 0;
    face->direct[0] = memory_zalloc(floats_of(face), sizeof(float));
}

/* Their radiosity alone: subluxels_make makes the rest again. */
static void take_subluxels(struct byte_reader *from, struct luxel_map *map)
{
    size_t count = read_u32(from), numbers = 3 * count;
    subluxels_free(map->subluxels);
    map->subluxels = count ? memory_zalloc(1, sizeof *map->subluxels) : NULL;
    if (!count)
        return;
    map->subluxels->count = count;
    map->subluxels->leaving = memory_alloc(numbers * sizeof(float));
    read_into(from, map->subluxels->leaving, numbers * sizeof(float));
}

void luxel_state_take(struct byte_reader *from, struct luxel_map *map)
{
    (void)read_u32(from);
    for (int i = 0; i < map->face_count; i++) {
        struct face_light *face = &map->faces[i];
        struct face_state state;
        bool any = read_u8(from) && read_face(from, face, &state);
        if (any) {
            put_direct(&state, face);
            put_bounced(&state, face);
        } else if (has_light(face)) {
            put_darkness(face);
        }
    }
    (void)read_u32(from);
    if (map->props)
        read_into(from, map->props->leaving, 3 * map->props->count * sizeof(float));
    take_subluxels(from, map);
}

bool luxel_state_look_direct(struct byte_reader *from, const struct face_light *face)
{
    struct face_state state;
    if (has_light(face) && !read_direct(from, face, &state))
        from->failed = true;
    return !from->failed;
}

bool luxel_state_look_bounced(struct byte_reader *from, const struct face_light *face)
{
    struct face_state state;
    if (has_light(face) && !read_bounced(from, face, &state))
        from->failed = true;
    return !from->failed;
}

void luxel_state_take_direct(struct byte_reader *from, struct face_light *face)
{
    struct face_state state;
    if (!has_light(face))
        return;
    if (read_direct(from, face, &state))
        put_direct(&state, face);
    else
        from->failed = true;
}

void luxel_state_take_bounced(struct byte_reader *from, struct face_light *face)
{
    struct face_state state;
    if (!has_light(face))
        return;
    if (read_bounced(from, face, &state))
        put_bounced(&state, face);
    else
        from->failed = true;
}
