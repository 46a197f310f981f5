#include "vrad/direct/face_samples.h"

#include "common/core/memory.h"
#include "common/core/portable_math.h"

/* ---- samples ---- */

/* Luxels with all of their samples, spread evenly over their part of a rectangle. */
static bool is_regular(const struct face_light *face, const struct luxel *at)
{
    return face->boxed && at->area > 0 && !at->hidden && !at->near_occluders && !at->near_backfaces;
}

/* Positions of the samples of a luxel along a row or a column. */
static void spread(double low, double high, int count, const double pattern[LUXEL_COARSE],
                   double *out)
{
    for (int n = 0; n < LUXEL_COARSE; n++)
        for (int i = 0; i < count; i++) {
            double from = portable_fmax(low, i - 0.5), to = portable_fmin(high, i + 0.5);
            out[n * count + i] = from + pattern[n] * (to - from);
        }
}

static void point_row(const double *s, int count, double origin, double x, double y,
                      float *restrict out)
{
    for (int i = 0; i < count; i++)
        out[i] = (float)(origin + x * s[i] + y);
}

/* Treats all luxels of a rectangle as regular. */
static void fill_regular(const struct receiver *to, const struct face_samples *points)
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
                          face->axis[1].e[k] * down, points->point[k] + at);
            point_row(s + (ptrdiff_t)n * width, width, 0, 1, 0, points->st[0] + at);
            for (int i = 0; i < width; i++)
                points->st[1][at + i] = (float)down;
        }
    }
    for (int i = 0; i < LUXEL_COARSE * face->count; i++)
        points->part[i] = 1.0f / (float)LUXEL_COARSE;
}

static int fill_luxel(const struct receiver *to, const struct face_samples *points, int luxel)
{
    const struct face_light *face = to->face;
    float room[8][LUXEL_COARSE];
    const struct luxel_rows rows = {
        {room[0], room[1], room[2]}, {room[3], room[4], room[5]}, {room[6], room[7]}};
    int count = luxel_rows(to->map, to->scene, face, luxel, points->samples, &rows);
    const struct vec3 middle = luxel_position(face, luxel);
    for (int n = 0; n < points->samples; n++) {
        size_t row = (size_t)n * (size_t)face->count + (size_t)luxel;
        for (int k = 0; k < 3; k++)
            points->point[k][row] = n < count ? room[k][n] : (float)middle.e[k];
        points->st[0][row] = n < count ? room[6][n] : 0;
        points->st[1][row] = n < count ? room[7][n] : 0;
        points->part[row] = n < count ? 1 / (float)count : 0;
    }
    return count;
}

/* Fine samples lie anywhere in the square of a luxel, except for luxels of the border. */
static void grow_block(const struct face_samples *points, int width, int row, int column)
{
    const struct sample_block *all = &points->bounds;
    int luxel = row * width + column;
    struct sample_block *block =
        &points->blocks[row / SAMPLE_BLOCK * points->across + column / SAMPLE_BLOCK];
    if (points->border[luxel]) {
        sample_block_grow(block, points->st[0][luxel], points->st[1][luxel]);
        return;
    }
    float s0 = (float)column - 0.5f, t0 = (float)row - 0.5f, s1 = s0 + 1, t1 = t0 + 1;
    sample_block_grow(block, s0 > all->s0 ? s0 : all->s0, t0 > all->t0 ? t0 : all->t0);
    sample_block_grow(block, s1 < all->s1 ? s1 : all->s1, t1 < all->t1 ? t1 : all->t1);
}

static void fill_row(const struct receiver *to, const struct face_samples *points, int row,
                     bool regular)
{
    const struct face_light *face = to->face;
    for (int column = 0; column < face->width; column++) {
        int l = row * face->width + column, count = LUXEL_COARSE;
        struct luxel room;
        const struct luxel *at = luxel_of(face, l, &room);
        if (!regular || !is_regular(face, at))
            count = fill_luxel(to, points, l);
        to->coarse_count[l] = (unsigned char)count;
        points->border[l] = !(at->area > 0);
        points->whole[l] = count ? 1 : 0;
        if (count)
            grow_block(points, face->width, row, column);
    }
}

static void fill_luxels(const struct receiver *to, const struct face_samples *points)
{
    bool regular = to->face->boxed && points->samples == LUXEL_COARSE;
    if (regular)
        fill_regular(to, points);
    for (int row = 0; row < to->face->height; row++)
        fill_row(to, points, row, regular);
    for (int l = 0; l < to->face->count; l++) {
        struct luxel room;
        const struct luxel *at = luxel_of(to->face, l, &room);
        for (int k = 0; k < 3; k++)
            points->middle[k][l] = at->position[k];
    }
}

/* ---- memory ---- */

static float *take(struct float_pool *room, size_t count)
{
    room->used += count;
    return room->floats + room->used - count;
}

/* Takes uninitialised arrays from the pool. */
static void allocate_rows(const struct receiver *to, struct float_pool *room,
                          struct face_samples *points)
{
    const struct face_light *face = to->face;
    size_t count = (size_t)face->count, all = count * (size_t)points->samples;
    size_t normals = to->even ? 0 : 6 * (size_t)face->slots;
    size_t size = 16 * all + (7 + normals) * count;
    if (size > room->size) {
        memory_free(room->floats);
        room->floats = memory_alloc(size * sizeof(float));
        room->size = size;
    }
    room->used = 0;
    for (int k = 0; k < 3; k++) {
        points->point[k] = take(room, all);
        points->room[k] = take(room, all);
        points->middle[k] = take(room, count);
        points->rows.direction[k] = take(room, all);
        for (int j = 0; j < face->slots && !to->even; j++) {
            points->normal[j][k] = take(room, count);
            points->normals[j][k] = take(room, count);
        }
    }
    points->st[0] = take(room, all);
    points->st[1] = take(room, all);
    points->part = take(room, all);
    points->parts = take(room, all);
    points->rows.distance = take(room, all);
    points->rows.attenuation = take(room, all);
    points->facing = take(room, all);
    points->cosine = take(room, count);
    points->whole = take(room, count);
    points->min = take(room, count);
    points->max = take(room, count);
}

static void fill_normals(const struct receiver *to, const struct face_samples *points)
{
    for (int l = 0; l < to->face->count && !to->even; l++)
        for (int j = 0; j < to->face->slots; j++)
            for (int k = 0; k < 3; k++)
                points->normal[j][k][l] = to->normals[l][j][k];
}

struct face_samples *face_samples_new(const struct receiver *to, struct shadow_plane *plane,
                                      struct float_pool *room)
{
    if (!shadow_plane_start(plane, to->face))
        return NULL;
    struct face_samples *points = ARENA_NEW(to->arena, struct face_samples);
    const struct face_light *face = to->face;
    const struct sample_block nothing = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    points->samples = to->options->fast ? 1 : LUXEL_COARSE;
    allocate_rows(to, room, points);
    points->border = ARENA_ARRAY(to->arena, bool, (size_t)face->count);
    points->across = (face->width + SAMPLE_BLOCK - 1) / SAMPLE_BLOCK;
    points->along = (face->height + SAMPLE_BLOCK - 1) / SAMPLE_BLOCK;
    size_t blocks = (size_t)points->across * (size_t)points->along;
    points->blocks = ARENA_ARRAY(to->arena, struct sample_block, blocks);
    for (size_t i = 0; i < blocks; i++)
        points->blocks[i] = nothing;
    points->bounds = nothing;
    for (int i = 0; i < face->corners; i++)
        sample_block_grow(&points->bounds, (float)face->polygon[i].s, (float)face->polygon[i].t);
    fill_luxels(to, points);
    fill_normals(to, points);
    return points;
}

void face_samples_rows(const struct face_samples *points, const struct receiver *to,
                       const struct sample_rows *coarse)
{
    const struct face_light *face = to->face;
    for (int k = 0; k < 3; k++) {
        double above = face->normal.e[k] * SCENE_RAY_OFFSET;
        for (int l = 0; l < face->count; l++)
            for (int n = 0; n < to->coarse_count[l]; n++) {
                float at = points->point[k][n * face->count + l];
                coarse->point[k][l * LUXEL_COARSE + n] = at;
                coarse->origin[k][l * LUXEL_COARSE + n] = (float)((double)at + above);
            }
    }
}
