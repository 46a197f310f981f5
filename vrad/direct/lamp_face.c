#include "vrad/direct/lamp_face.h"

#include "common/core/memory.h"

/* ---- samples ---- */

/* Luxels that have all of their samples, spread evenly over their part of a rectangle. */
static bool is_regular(const struct face_light *face, const struct luxel *at)
{
    return face->boxed && at->area > 0 && !at->hidden && !at->crowded && !at->behind;
}

/* Where the samples of a luxel in a row or a column lie along it. */
static void spread(double low, double high, int count, const double pattern[LUXEL_COARSE],
                   double *out)
{
    for (int n = 0; n < LUXEL_COARSE; n++)
        for (int i = 0; i < count; i++) {
            double from = fmax(low, i - 0.5), to = fmin(high, i + 0.5);
            out[n * count + i] = from + pattern[n] * (to - from);
        }
}

static void point_row(const double *s, int count, double origin, double x, double y,
                      float *restrict out)
{
    for (int i = 0; i < count; i++)
        out[i] = (float)(origin + x * s[i] + y);
}

/* As if all luxels of a rectangle were regular. */
static void fill_regular(const struct receiver *to, const struct lamp_face *lamp)
{
    static const double pattern[2][LUXEL_COARSE] = LUXEL_COARSE_PATTERN;
    const struct face_light *face = to->face;
    int width = face->width, height = face->height;
    double *s = ARENA_ARRAY(to->arena, double, LUXEL_COARSE *(size_t)width);
    double *t = ARENA_ARRAY(to->arena, double, LUXEL_COARSE *(size_t)height);
    spread(face->low.s, face->high.s, width, pattern[0], s);
    spread(face->low.t, face->high.t, height, pattern[1], t);
    for (int n = 0; n < LUXEL_COARSE; n++) {
        for (int row = 0; row < height; row++) {
            ptrdiff_t at = (ptrdiff_t)n * face->count + (ptrdiff_t)row * width;
            double down = t[n * height + row];
            for (int k = 0; k < 3; k++)
                point_row(s + (ptrdiff_t)n * width, width, face->origin.e[k], face->axis[0].e[k],
                          face->axis[1].e[k] * down, lamp->point[k] + at);
            point_row(s + (ptrdiff_t)n * width, width, 0, 1, 0, lamp->st[0] + at);
            for (int i = 0; i < width; i++)
                lamp->st[1][at + i] = (float)down;
        }
    }
    for (int i = 0; i < LUXEL_COARSE * face->count; i++)
        lamp->part[i] = 1.0f / (float)LUXEL_COARSE;
}

static int fill_luxel(const struct receiver *to, const struct lamp_face *lamp, int luxel)
{
    const struct face_light *face = to->face;
    float room[8][LUXEL_COARSE];
    const struct luxel_rows rows = {
        {room[0], room[1], room[2]}, {room[3], room[4], room[5]}, {room[6], room[7]}};
    int count = luxel_rows(to->map, to->scene, face, luxel, lamp->samples, &rows);
    for (int n = 0; n < lamp->samples; n++) {
        size_t row = (size_t)n * (size_t)face->count + (size_t)luxel;
        for (int k = 0; k < 3; k++)
            lamp->point[k][row] = n < count ? room[k][n] : face->luxels[luxel].position[k];
        lamp->st[0][row] = n < count ? room[6][n] : 0;
        lamp->st[1][row] = n < count ? room[7][n] : 0;
        lamp->part[row] = n < count ? 1 / (float)count : 0;
    }
    return count;
}

/* Fine samples lie anywhere in the square of a luxel; that of a rim is somewhere else. */
static void grow_block(const struct lamp_face *lamp, int width, int row, int column)
{
    const struct lamp_block *all = &lamp->bounds;
    int luxel = row * width + column;
    struct lamp_block *block = &lamp->blocks[row / LAMP_BLOCK * lamp->across + column / LAMP_BLOCK];
    if (lamp->rim[luxel]) {
        lamp_block_grow(block, lamp->st[0][luxel], lamp->st[1][luxel]);
        return;
    }
    float s0 = (float)column - 0.5f, t0 = (float)row - 0.5f, s1 = s0 + 1, t1 = t0 + 1;
    lamp_block_grow(block, s0 > all->s0 ? s0 : all->s0, t0 > all->t0 ? t0 : all->t0);
    lamp_block_grow(block, s1 < all->s1 ? s1 : all->s1, t1 < all->t1 ? t1 : all->t1);
}

static void fill_row(const struct receiver *to, const struct lamp_face *lamp, int row, bool regular)
{
    const struct face_light *face = to->face;
    for (int column = 0; column < face->width; column++) {
        int l = row * face->width + column, count = LUXEL_COARSE;
        const struct luxel *at = &face->luxels[l];
        if (!regular || !is_regular(face, at))
            count = fill_luxel(to, lamp, l);
        to->coarse_count[l] = (unsigned char)count;
        lamp->rim[l] = !(at->area > 0);
        lamp->whole[l] = count ? 1 : 0;
        if (count)
            grow_block(lamp, face->width, row, column);
    }
}

static void fill_luxels(const struct receiver *to, const struct lamp_face *lamp)
{
    bool regular = to->face->boxed && lamp->samples == LUXEL_COARSE;
    if (regular)
        fill_regular(to, lamp);
    for (int row = 0; row < to->face->height; row++)
        fill_row(to, lamp, row, regular);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < to->face->count; l++)
            lamp->middle[k][l] = to->face->luxels[l].position[k];
}

/* ---- room ---- */

static float *take(struct float_room *room, size_t count)
{
    room->used += count;
    return room->floats + room->used - count;
}

/* Where numbers do not have to be set to anything. */
static void share_room(const struct receiver *to, struct float_room *room, struct lamp_face *lamp)
{
    const struct face_light *face = to->face;
    size_t count = (size_t)face->count, all = count * (size_t)lamp->samples;
    size_t normals = to->even ? 0 : 6 * (size_t)face->slots;
    size_t size = 16 * all + (7 + normals) * count;
    if (size > room->size) {
        memory_free(room->floats);
        room->floats = memory_alloc(size * sizeof(float));
        room->size = size;
    }
    room->used = 0;
    for (int k = 0; k < 3; k++) {
        lamp->point[k] = take(room, all);
        lamp->room[k] = take(room, all);
        lamp->middle[k] = take(room, count);
        lamp->rows.direction[k] = take(room, all);
        for (int j = 0; j < face->slots && !to->even; j++) {
            lamp->normal[j][k] = take(room, count);
            lamp->normals[j][k] = take(room, count);
        }
    }
    lamp->st[0] = take(room, all);
    lamp->st[1] = take(room, all);
    lamp->part = take(room, all);
    lamp->parts = take(room, all);
    lamp->rows.distance = take(room, all);
    lamp->rows.share = take(room, all);
    lamp->facing = take(room, all);
    lamp->cosine = take(room, count);
    lamp->whole = take(room, count);
    lamp->min = take(room, count);
    lamp->max = take(room, count);
}

static void fill_normals(const struct receiver *to, const struct lamp_face *lamp)
{
    for (int l = 0; l < to->face->count && !to->even; l++)
        for (int j = 0; j < to->face->slots; j++)
            for (int k = 0; k < 3; k++)
                lamp->normal[j][k][l] = to->normals[l][j][k];
}

struct lamp_face *lamp_face_new(const struct receiver *to, struct shadow_plane *plane,
                                struct float_room *room)
{
    if (!shadow_plane_start(plane, to->face))
        return NULL;
    struct lamp_face *lamp = ARENA_NEW(to->arena, struct lamp_face);
    const struct face_light *face = to->face;
    const struct lamp_block nothing = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    lamp->samples = to->options->fast ? 1 : LUXEL_COARSE;
    share_room(to, room, lamp);
    lamp->rim = ARENA_ARRAY(to->arena, bool, (size_t)face->count);
    lamp->across = (face->width + LAMP_BLOCK - 1) / LAMP_BLOCK;
    lamp->along = (face->height + LAMP_BLOCK - 1) / LAMP_BLOCK;
    size_t blocks = (size_t)lamp->across * (size_t)lamp->along;
    lamp->blocks = ARENA_ARRAY(to->arena, struct lamp_block, blocks);
    for (size_t i = 0; i < blocks; i++)
        lamp->blocks[i] = nothing;
    lamp->bounds = nothing;
    for (int i = 0; i < face->corners; i++)
        lamp_block_grow(&lamp->bounds, (float)face->polygon[i].s, (float)face->polygon[i].t);
    fill_luxels(to, lamp);
    fill_normals(to, lamp);
    return lamp;
}

void lamp_face_rows(const struct lamp_face *lamp, const struct receiver *to,
                    const struct aimed_rows *coarse)
{
    const struct face_light *face = to->face;
    for (int k = 0; k < 3; k++) {
        double above = face->normal.e[k] * SCENE_RAY_OFFSET;
        for (int l = 0; l < face->count; l++)
            for (int n = 0; n < to->coarse_count[l]; n++) {
                float at = lamp->point[k][n * face->count + l];
                coarse->point[k][l * LUXEL_COARSE + n] = at;
                coarse->origin[k][l * LUXEL_COARSE + n] = (float)((double)at + above);
            }
    }
}
