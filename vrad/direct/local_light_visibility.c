#include "vrad/direct/analytic_visibility.h"
#include "vrad/lights/light_set.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vrad/direct/shadow_marks.h"

/* Samples of a luxel that differ by this factor call for supersampling. */
#define STEEP_RATIO 1.5f

/* A light that could contribute less than this fraction of the luxel's stronger lights gets one
 * sample. */
#define WEAK_SHARE 0.01f

/* Maximum number of projected occluders, constant and per luxel, before rays are cheaper. */
enum { MAX_OCCLUDERS = 96, OCCLUDERS_PER_LUXEL = 1 };

/* ---- window of a light ---- */

/* The part of the plane that a light may reach: a rectangle, and a half-plane a s + b t + c > 0. */
struct lit_part {
    double s0, t0, s1, t1, a, b, c;
};

static struct lit_part lit_part(const struct shadow_plane *plane, const struct light *light,
                                double reach)
{
    struct vec3 position = light_source(light);
    double height = vec3_dot(plane->normal, position) - plane->dist + SCENE_RAY_OFFSET;
    double radius = sqrt(portable_fmax(reach * reach - height * height, 0));
    double s = vec3_dot(plane->dual[0], position) + plane->offset[0];
    double t = vec3_dot(plane->dual[1], position) + plane->offset[1];
    double across = radius * vec3_length(plane->dual[0]);
    double along = radius * vec3_length(plane->dual[1]);
    struct lit_part part = {s - across, t - along, s + across, t + along, 0, 0, 1};
    if (light->type != WORLDLIGHT_POINT) {
        part.a = vec3_dot(light->normal, plane->axis[0]);
        part.b = vec3_dot(light->normal, plane->axis[1]);
        part.c = vec3_dot(light->normal, vec3_sub(plane->origin, position));
    }
    return part;
}

static bool is_lit(const struct lit_part *part, const struct sample_block *block)
{
    double s0 = (double)block->s0, t0 = (double)block->t0;
    double s1 = (double)block->s1, t1 = (double)block->t1;
    if (s0 > s1 || s0 > part->s1 || s1 < part->s0 || t0 > part->t1 || t1 < part->t0)
        return false;
    double max = part->c + portable_fmax(part->a * s0, part->a * s1) +
                 portable_fmax(part->b * t0, part->b * t1);
    return max > -0.5; /* the shadow plane lies a bit above that of the luxels */
}

/* Finds the luxels that the light may reach, and the extents of their samples. False: none. */
static bool find_window(const struct face_light *face, const struct face_shadows *shadows,
                        struct light_contribution *contribution, struct shadow_window *out)
{
    const struct face_samples *points = shadows->points;
    const struct lit_part part = lit_part(shadows->plane, contribution->light, contribution->reach);
    int left = points->across, top = points->along, right = 0, bottom = 0;
    struct sample_block box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int j = 0; j < points->along; j++) {
        for (int i = 0; i < points->across; i++) {
            const struct sample_block *block = &points->blocks[j * points->across + i];
            if (!is_lit(&part, block))
                continue;
            sample_block_grow(&box, block->s0, block->t0);
            sample_block_grow(&box, block->s1, block->t1);
            left = i < left ? i : left;
            top = j < top ? j : top;
            right = i + 1 > right ? i + 1 : right;
            bottom = j + 1 > bottom ? j + 1 : bottom;
        }
    }
    if (right == 0)
        return false;
    right = right * SAMPLE_BLOCK < face->width ? right * SAMPLE_BLOCK : face->width;
    bottom = bottom * SAMPLE_BLOCK < face->height ? bottom * SAMPLE_BLOCK : face->height;
    contribution->left = left * SAMPLE_BLOCK;
    contribution->top = top * SAMPLE_BLOCK;
    contribution->width = right - contribution->left;
    contribution->height = bottom - contribution->top;
    *out = (struct shadow_window){(double)box.s0, (double)box.t0, (double)box.s1, (double)box.t1};
    return true;
}

/* ---- unoccluded light ---- */

/* Restricts planes of one number per luxel to the window; copies unless it spans whole rows. */
static const float *windowed(const struct face_light *face,
                             const struct light_contribution *contribution, const float *from,
                             int planes, float *room)
{
    size_t all = (size_t)face->count, across = (size_t)face->width;
    size_t width = (size_t)contribution->width, height = (size_t)contribution->height;
    size_t first = (size_t)contribution->top * across + (size_t)contribution->left;
    if (width == across && (planes == 1 || height == (size_t)face->height))
        return from + first;
    for (size_t p = 0; p < (size_t)planes; p++)
        for (size_t row = 0; row < height; row++)
            memcpy(room + (p * height + row) * width, from + p * all + first + row * across,
                   width * sizeof *room);
    return room;
}

/* Clears attenuations at grazing angles and where the light has ended. Leaves the cosines in the
 * samples. */
static void face_rows(const struct receiver *to, const struct face_samples *points,
                      const struct light_contribution *contribution, int count)
{
    const struct light_rows *rows = &points->rows;
    const float *dx = rows->direction[0], *dy = rows->direction[1], *dz = rows->direction[2];
    float x = to->surface[0], y = to->surface[1], z = to->surface[2];
    const float *distance = rows->distance;
    float min = contribution->min, received = contribution->received, end = contribution->end;
    float *restrict part = rows->attenuation, *restrict cosine = points->facing;
    for (int i = 0; i < count; i++) {
        float facing = dx[i] * x + dy[i] * y + dz[i] * z;
        bool lit = facing > LIGHT_GRAZING && part[i] > min && part[i] * facing >= received;
        part[i] = lit && distance[i] <= end ? part[i] : 0;
        cosine[i] = facing > 0 ? facing : 0;
    }
}

/* Cosines to one normal, clamped to 0 (cosines_to_normals: to one per sample). */
static void cosines_to_normal(const float *const direction[3], const float normal[3], int count,
                              float *restrict cosine)
{
    const float *dx = direction[0], *dy = direction[1], *dz = direction[2];
    float x = normal[0], y = normal[1], z = normal[2];
    for (int i = 0; i < count; i++) {
        float along = dx[i] * x + dy[i] * y + dz[i] * z;
        cosine[i] = along > 0 ? along : 0;
    }
}

static void cosines_to_normals(const float *const direction[3], const float *const normal[3],
                               int count, float *restrict cosine)
{
    const float *dx = direction[0], *dy = direction[1], *dz = direction[2];
    const float *nx = normal[0], *ny = normal[1], *nz = normal[2];
    for (int i = 0; i < count; i++) {
        float along = dx[i] * nx[i] + dy[i] * ny[i] + dz[i] * nz[i];
        cosine[i] = along > 0 ? along : 0;
    }
}

static void add_rows(const float *cosine, const float *attenuation, const float *part, int count,
                     float *restrict sum)
{
    for (int i = 0; i < count; i++)
        sum[i] += cosine[i] * attenuation[i] * part[i];
}

/* Minimum and maximum over the samples of each luxel. */
static void range_rows(const float *cosine, const float *attenuation, const float *part, int count,
                       float *restrict min, float *restrict max)
{
    for (int i = 0; i < count; i++) {
        float value = cosine[i] * attenuation[i];
        float low = part[i] > 0 ? value : INFINITY, high = part[i] > 0 ? value : 0;
        min[i] = low < min[i] ? low : min[i];
        max[i] = high > max[i] ? high : max[i];
    }
}

/* The unoccluded light of the window, for luxels that are examined again. */
struct lit_window {
    const float *normal[LUXEL_SLOTS][3];
    const float *part;
    int samples;
};

static void light_window(const struct receiver *to, const struct face_samples *points,
                         const struct light_contribution *contribution, bool far,
                         struct lit_window *out)
{
    struct light_rows rows = points->rows;
    int count = contribution->width * contribution->height;
    out->samples = far ? 1 : points->samples;
    for (int k = 0; k < 3; k++) {
        rows.point[k] = windowed(to->face, contribution, far ? points->middle[k] : points->point[k],
                                 out->samples, points->room[k]);
        for (int j = 0; j < to->face->slots && !to->even; j++)
            out->normal[j][k] =
                windowed(to->face, contribution, points->normal[j][k], 1, points->normals[j][k]);
    }
    out->part = windowed(to->face, contribution, far ? points->whole : points->part, out->samples,
                         points->parts);
    rows.count = count * out->samples;
    light_at_batch(contribution->light, &rows);
    face_rows(to, points, contribution, rows.count);
    for (int i = 0; i < count && out->samples > 1; i++) {
        points->min[i] = INFINITY;
        points->max[i] = 0;
    }
    for (int n = 0; n < out->samples; n++) {
        int first = n * count;
        const float *const direction[3] = {points->rows.direction[0] + first,
                                           points->rows.direction[1] + first,
                                           points->rows.direction[2] + first};
        const float *lit = points->rows.attenuation + first, *part = out->part + first;
        const float *cosine = points->facing + first;
        for (int j = to->face->slots - 1; j >= 0; j--) { /* the flat one last */
            cosine = to->even && j == 0 ? points->facing + first : points->cosine;
            if (!to->even)
                cosines_to_normals(direction, out->normal[j], count, points->cosine);
            else if (j > 0)
                cosines_to_normal(direction, to->normals[0][j], count, points->cosine);
            add_rows(cosine, lit, part, count, contribution->sum + (ptrdiff_t)j * count);
        }
        if (out->samples > 1)
            range_rows(cosine, lit, part, count, points->min, points->max);
    }
}

/* ---- shadows ---- */

static void clear_luxel(const struct light_contribution *contribution, int slots, int at)
{
    for (int j = 0; j < slots; j++)
        contribution->sum[j * contribution->width * contribution->height + at] = 0;
}

/* Subtracts the coarse samples of a luxel that the crossing outlines hide. */
static void shade_luxel(const struct receiver *to, const struct face_shadows *shadows,
                        const struct light_contribution *contribution, const struct lit_window *lit,
                        int luxel, int at, int first)
{
    const struct face_samples *points = shadows->points;
    int count = contribution->width * contribution->height, samples = to->coarse_count[luxel];
    bool weak = contribution->grey * contribution->sum[at] < WEAK_SHARE * to->total[luxel];
    unsigned char open[LUXEL_COARSE] = {1, 1, 1, 1};
    float s[LUXEL_COARSE] = {0}, t[LUXEL_COARSE] = {0}, left = 0;
    for (int n = 0; n < samples; n++) {
        s[n] = points->st[0][n * to->face->count + luxel];
        t[n] = points->st[1][n * to->face->count + luxel];
    }
    planar_shadow_hide(shadows->plane, first, points->border[luxel], s, t, weak ? 1 : samples,
                       open);
    if (weak && open[0])
        return;
    if (weak) {
        clear_luxel(contribution, to->face->slots, at);
        return;
    }
    for (int n = 0; n < samples; n++)
        left += open[n];
    for (int j = 0; j < to->face->slots; j++) {
        float *sum = &contribution->sum[j * count + at];
        if (lit->samples == 1) {
            *sum *= left / (float)samples;
            continue;
        }
        *sum = 0;
        for (int n = 0; n < samples; n++) {
            int row = n * count + at;
            float cosine = 0;
            for (int k = 0; k < 3; k++)
                cosine += points->rows.direction[k][row] * receiver_normals(to, luxel)[j][k];
            if (open[n] && cosine > 0)
                *sum += cosine * points->rows.attenuation[row] * lit->part[row];
        }
    }
}

static void add_penumbra(const struct receiver *to, struct face_shadows *shadows,
                         const struct light_contribution *contribution, int luxel, int at,
                         int first, float peak)
{
    if (to->options->fine > 0 && !to->options->fast && contribution->grey * peak > MIN_PENUMBRA &&
        luxel_area(to->face, luxel) > 0)
        arrput(shadows->penumbra_luxels, ((struct penumbra_luxel){luxel, at, first, peak}));
}

/* Returned by hidden_by for a luxel in the umbra; else the entries that cross its cell, or -1 for
 * none. */
enum { UMBRA = -2 };

static int hidden_by(const struct face_samples *points, const struct planar_shadow_cells *cells,
                     int luxel, int column, int row)
{
    int cell = face_samples_cell(points, cells, luxel, column, row);
    return cells->umbra[cell] ? UMBRA : cells->first[cell];
}

/* Adds the unoccluded luxels of a window in which light changes fast. */
static void add_steep(const struct receiver *to, struct face_shadows *shadows,
                      const struct light_contribution *contribution)
{
    const struct face_samples *points = shadows->points;
    for (int at = 0; at < contribution->width * contribution->height; at++) {
        if (!(points->max[at] > STEEP_RATIO * points->min[at]))
            continue;
        int row = contribution->top + at / contribution->width,
            column = contribution->left + at % contribution->width;
        if (contribution->sum[at] > 0 || to->face->slots > 1)
            add_penumbra(to, shadows, contribution, row * to->face->width + column, at, -1,
                         contribution->sum[at]);
    }
}

static void shade_window(const struct receiver *to, struct face_shadows *shadows,
                         const struct light_contribution *contribution,
                         const struct lit_window *lit, const struct planar_shadow_cells *cells)
{
    const struct face_samples *points = shadows->points;
    int width = to->face->width, right = contribution->left + contribution->width;
    bool flat = to->face->slots == 1;
    for (int row = contribution->top, at = 0; row < contribution->top + contribution->height;
         row++) {
        for (int column = contribution->left; column < right; column++, at++) {
            float peak = contribution->sum[at];
            int luxel = row * width + column, first;
            if (!to->coarse_count[luxel] || (!(peak > 0) && flat))
                continue;
            first = hidden_by(points, cells, luxel, column, row);
            if (first == UMBRA) {
                clear_luxel(contribution, to->face->slots, at);
                continue;
            }
            if (first >= 0)
                shade_luxel(to, shadows, contribution, lit, luxel, at, first);
            bool steep = lit->samples > 1 && points->max[at] > STEEP_RATIO * points->min[at];
            if (first >= 0 || steep)
                add_penumbra(to, shadows, contribution, luxel, at, first, peak);
        }
    }
}

/* Clears the luxels of the window that another contribution lights. */
static void clear_near(const struct face_light *face, const struct light_contribution *contribution)
{
    for (int at = 0; contribution->near && at < contribution->width * contribution->height; at++) {
        int row = contribution->top + at / contribution->width,
            column = contribution->left + at % contribution->width;
        if (contribution->near[row * face->width + column])
            clear_luxel(contribution, face->slots, at);
    }
}

bool local_light_visibility(const struct receiver *to, struct face_shadows *shadows,
                            struct light_contribution *contribution, bool far)
{
    struct shadow_plane *plane = shadows->plane;
    int *last_umbra = &shadows->last_umbra[contribution->number];
    struct vec3 position = light_source(contribution->light);
    struct shadow_window window;
    struct planar_shadow_cells cells;
    struct lit_window lit;
    if (!planar_shadow_light_is_high(plane, position) || light_has_facing(contribution->light))
        return false;
    if (!find_window(to->face, shadows, contribution, &window)) {
        contribution->width = contribution->height = 0;
        return true;
    }
    size_t count = (size_t)contribution->width * (size_t)contribution->height;
    int max = MAX_OCCLUDERS + OCCLUDERS_PER_LUXEL * (int)count;
    plane->hint = *last_umbra;
    enum planar_shadow result =
        planar_shadow_project(plane, shadows->occluders, position, &window, max, to->arena, &cells);
    if (plane->hint >= 0)
        *last_umbra = plane->hint;
    if (result == PLANAR_SHADOW_UNKNOWN)
        return false;
    if (result == PLANAR_SHADOW_UMBRA) {
        contribution->width = contribution->height = 0;
        return true;
    }
    contribution->cast = true;
    contribution->sum = ARENA_ARRAY(to->arena, float, (size_t)to->face->slots *count);
    light_window(to, shadows->points, contribution, far, &lit);
    contribution->first_penumbra = (int)arrlen(shadows->penumbra_luxels);
    if (result == PLANAR_SHADOW_PARTIAL)
        shade_window(to, shadows, contribution, &lit, &cells);
    else if (!far && lit.samples > 1)
        add_steep(to, shadows, contribution);
    clear_near(to->face, contribution);
    contribution->penumbra_count =
        (int)arrlen(shadows->penumbra_luxels) - contribution->first_penumbra;
    return true;
}

void local_light_mark(const struct receiver *to, const struct face_shadows *shadows,
                      struct light_contribution *contribution)
{
    struct shadow_window window;
    struct planar_shadow_cells cells;
    struct vec3 position = light_source(contribution->light);
    if (!planar_shadow_light_is_high(shadows->plane, position)) {
        shadow_marks_unknown(to, contribution);
        return;
    }
    if (!find_window(to->face, shadows, contribution, &window))
        return;
    const struct shadow_marking marking = {.occluders = shadows->occluders,
                                           .light = position,
                                           .window = window,
                                           .max = MAX_OCCLUDERS +
                                                  OCCLUDERS_PER_LUXEL * to->face->count};
    enum planar_shadow result = planar_shadow_mark(shadows->plane, &marking, to->arena, &cells);
    shadow_marks_set(to, shadows->points, result, &cells, contribution);
}

/* ---- supersampling ---- */

static void refine_luxel(const struct receiver *to, struct shadow_plane *plane,
                         const struct light_contribution *contribution,
                         const struct penumbra_luxel *at, const struct fine_samples *fine)
{
    struct light_rows *rows = &fine->rows->light;
    unsigned char open[LUXEL_FINE];
    float sums[LUXEL_SLOTS] = {0}, min = contribution->min;
    memset(open, 1, sizeof open);
    if (at->first >= 0)
        planar_shadow_hide(plane, at->first, false, fine->st[0], fine->st[1], fine->count, open);
    rows->count = fine->count;
    light_at_batch(contribution->light, rows);
    for (int i = 0; i < fine->count; i++) {
        float direction[3], facing = 0;
        if (!open[i] || !(rows->attenuation[i] > min) || rows->distance[i] > contribution->end)
            continue;
        for (int k = 0; k < 3; k++) {
            direction[k] = rows->direction[k][i];
            facing += direction[k] * to->surface[k];
        }
        bool lit =
            facing > LIGHT_GRAZING && rows->attenuation[i] * facing >= contribution->received;
        for (int j = 0; j < to->face->slots && lit; j++) {
            const float *normal = receiver_normals(to, at->luxel)[j];
            float cosine =
                direction[0] * normal[0] + direction[1] * normal[1] + direction[2] * normal[2];
            sums[j] += cosine > 0 ? cosine * rows->attenuation[i] : 0;
        }
    }
    for (int j = 0; j < to->face->slots; j++)
        contribution->sum[j * contribution->width * contribution->height + at->at] =
            sums[j] / (float)fine->count;
}

void local_light_refine(const struct receiver *to, const struct face_shadows *shadows,
                        struct light_contribution *contribution, struct fine_cache *cache)
{
    for (int i = 0; i < contribution->penumbra_count; i++) {
        const struct penumbra_luxel *at =
            &shadows->penumbra_luxels[contribution->first_penumbra + i];
        if ((contribution->near && contribution->near[at->luxel]) ||
            !penumbra_matters(to, contribution->grey * at->peak, at->luxel))
            continue;
        luxel_set_supersampled(to->face, at->luxel);
        refine_luxel(to, shadows->plane, contribution, at, fine_samples_of(to, cache, at->luxel));
    }
}
