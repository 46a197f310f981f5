#include "vrad/direct/analytic_visibility.h"

#include <string.h>

#include "common/core/array.h"

/* Samples of a luxel that differ by this factor call for supersampling. */
#define STEEP_RATIO 1.5f

/* A light that could give less than this share of what the luxel has of stronger ones is measured
 * by one sample. */
#define WEAK_SHARE 0.01f

/* So many bodies are looked at for a lamp before rays are cheaper: a number, and for
 * each luxel. */
enum { MAX_BODIES = 96, BODIES_A_LUXEL = 1 };

/* ---- what a lamp reaches ---- */

/* Where a lamp may give light: a rectangle, and a half-plane a s + b t + c > 0. */
struct lit_part {
    double s0, t0, s1, t1, a, b, c;
};

static struct lit_part lit_part(const struct shadow_plane *plane, const struct light *light,
                                double reach)
{
    struct vec3 lamp = light_source(light);
    double height = vec3_dot(plane->normal, lamp) - plane->dist + SCENE_RAY_OFFSET;
    double radius = sqrt(fmax(reach * reach - height * height, 0));
    double s = vec3_dot(plane->dual[0], lamp) + plane->offset[0];
    double t = vec3_dot(plane->dual[1], lamp) + plane->offset[1];
    double across = radius * vec3_length(plane->dual[0]);
    double along = radius * vec3_length(plane->dual[1]);
    struct lit_part part = {s - across, t - along, s + across, t + along, 0, 0, 1};
    if (light->type != WORLDLIGHT_POINT) {
        part.a = vec3_dot(light->normal, plane->axis[0]);
        part.b = vec3_dot(light->normal, plane->axis[1]);
        part.c = vec3_dot(light->normal, vec3_sub(plane->origin, lamp));
    }
    return part;
}

static bool is_lit(const struct lit_part *part, const struct lamp_block *block)
{
    double s0 = (double)block->s0, t0 = (double)block->t0;
    double s1 = (double)block->s1, t1 = (double)block->t1;
    if (s0 > s1 || s0 > part->s1 || s1 < part->s0 || t0 > part->t1 || t1 < part->t0)
        return false;
    double max = part->c + fmax(part->a * s0, part->a * s1) + fmax(part->b * t0, part->b * t1);
    return max > -0.5; /* the plane of rays lies a bit above that of the luxels */
}

/* The luxels that the lamp may reach, and where their samples lie. False: none. */
static bool find_window(const struct face_light *face, const struct face_shadows *shadows,
                        struct light_share *share, struct shadow_window *out)
{
    const struct lamp_face *lamp = shadows->lamp;
    const struct lit_part part = lit_part(shadows->plane, share->light, share->reach);
    int left = lamp->across, top = lamp->along, right = 0, bottom = 0;
    struct lamp_block box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int j = 0; j < lamp->along; j++) {
        for (int i = 0; i < lamp->across; i++) {
            const struct lamp_block *block = &lamp->blocks[j * lamp->across + i];
            if (!is_lit(&part, block))
                continue;
            lamp_block_grow(&box, block->s0, block->t0);
            lamp_block_grow(&box, block->s1, block->t1);
            left = i < left ? i : left;
            top = j < top ? j : top;
            right = i + 1 > right ? i + 1 : right;
            bottom = j + 1 > bottom ? j + 1 : bottom;
        }
    }
    if (right == 0)
        return false;
    right = right * LAMP_BLOCK < face->width ? right * LAMP_BLOCK : face->width;
    bottom = bottom * LAMP_BLOCK < face->height ? bottom * LAMP_BLOCK : face->height;
    share->left = left * LAMP_BLOCK;
    share->top = top * LAMP_BLOCK;
    share->width = right - share->left;
    share->height = bottom - share->top;
    *out = (struct shadow_window){(double)box.s0, (double)box.t0, (double)box.s1, (double)box.t1};
    return true;
}

/* ---- light without shadows ---- */

/* The window's part of `planes` of numbers, one a luxel; copied when it is not whole rows. */
static const float *windowed(const struct face_light *face, const struct light_share *share,
                             const float *from, int planes, float *room)
{
    size_t all = (size_t)face->count, across = (size_t)face->width;
    size_t width = (size_t)share->width, height = (size_t)share->height;
    size_t first = (size_t)share->top * across + (size_t)share->left;
    if (width == across && (planes == 1 || height == (size_t)face->height))
        return from + first;
    for (size_t p = 0; p < (size_t)planes; p++)
        for (size_t row = 0; row < height; row++)
            memcpy(room + (p * height + row) * width, from + p * all + first + row * across,
                   width * sizeof *room);
    return room;
}

/* Nothing where the light runs along the surface, or is too faint. Leaves the cosines to it. */
static void face_rows(const struct receiver *to, const struct lamp_face *lamp,
                      const struct light_share *share, int count)
{
    const struct light_rows *rows = &lamp->rows;
    const float *dx = rows->direction[0], *dy = rows->direction[1], *dz = rows->direction[2];
    float x = to->surface[0], y = to->surface[1], z = to->surface[2];
    float min = (float)to->options->min / share->grey;
    float *restrict part = rows->share, *restrict cosine = lamp->facing;
    for (int i = 0; i < count; i++) {
        float facing = dx[i] * x + dy[i] * y + dz[i] * z;
        part[i] = facing > LIGHT_GRAZING && part[i] > min ? part[i] : 0;
        cosine[i] = facing > 0 ? facing : 0;
    }
}

/* Cosines to one normal, or to a row of them; none is negative. */
static void turn_even(const float *const direction[3], const float normal[3], int count,
                      float *restrict cosine)
{
    const float *dx = direction[0], *dy = direction[1], *dz = direction[2];
    float x = normal[0], y = normal[1], z = normal[2];
    for (int i = 0; i < count; i++) {
        float along = dx[i] * x + dy[i] * y + dz[i] * z;
        cosine[i] = along > 0 ? along : 0;
    }
}

static void turn_bent(const float *const direction[3], const float *const normal[3], int count,
                      float *restrict cosine)
{
    const float *dx = direction[0], *dy = direction[1], *dz = direction[2];
    const float *nx = normal[0], *ny = normal[1], *nz = normal[2];
    for (int i = 0; i < count; i++) {
        float along = dx[i] * nx[i] + dy[i] * ny[i] + dz[i] * nz[i];
        cosine[i] = along > 0 ? along : 0;
    }
}

static void add_rows(const float *cosine, const float *share, const float *part, int count,
                     float *restrict sum)
{
    for (int i = 0; i < count; i++)
        sum[i] += cosine[i] * share[i] * part[i];
}

/* The least and the most that any sample of a luxel gets. */
static void range_rows(const float *cosine, const float *share, const float *part, int count,
                       float *restrict min, float *restrict max)
{
    for (int i = 0; i < count; i++) {
        float value = cosine[i] * share[i];
        float low = part[i] > 0 ? value : INFINITY, high = part[i] > 0 ? value : 0;
        min[i] = low < min[i] ? low : min[i];
        max[i] = high > max[i] ? high : max[i];
    }
}

/* What the window was lit with, for those luxels that need a second look. */
struct lit_window {
    const float *normal[LUXEL_SLOTS][3];
    const float *part;
    int samples;
};

static void light_window(const struct receiver *to, const struct lamp_face *lamp,
                         const struct light_share *share, bool far, struct lit_window *out)
{
    struct light_rows rows = lamp->rows;
    int count = share->width * share->height;
    out->samples = far ? 1 : lamp->samples;
    for (int k = 0; k < 3; k++) {
        rows.point[k] = windowed(to->face, share, far ? lamp->middle[k] : lamp->point[k],
                                 out->samples, lamp->room[k]);
        for (int j = 0; j < to->face->slots && !to->even; j++)
            out->normal[j][k] =
                windowed(to->face, share, lamp->normal[j][k], 1, lamp->normals[j][k]);
    }
    out->part =
        windowed(to->face, share, far ? lamp->whole : lamp->part, out->samples, lamp->parts);
    rows.count = count * out->samples;
    light_at_many(share->light, &rows);
    face_rows(to, lamp, share, rows.count);
    for (int i = 0; i < count && out->samples > 1; i++) {
        lamp->min[i] = INFINITY;
        lamp->max[i] = 0;
    }
    for (int n = 0; n < out->samples; n++) {
        int first = n * count;
        const float *const direction[3] = {lamp->rows.direction[0] + first,
                                           lamp->rows.direction[1] + first,
                                           lamp->rows.direction[2] + first};
        const float *lit = lamp->rows.share + first, *part = out->part + first;
        const float *cosine = lamp->facing + first;
        for (int j = to->face->slots - 1; j >= 0; j--) { /* the flat one last */
            cosine = to->even && j == 0 ? lamp->facing + first : lamp->cosine;
            if (!to->even)
                turn_bent(direction, out->normal[j], count, lamp->cosine);
            else if (j > 0)
                turn_even(direction, to->normals[0][j], count, lamp->cosine);
            add_rows(cosine, lit, part, count, share->sum + (ptrdiff_t)j * count);
        }
        if (out->samples > 1)
            range_rows(cosine, lit, part, count, lamp->min, lamp->max);
    }
}

/* ---- shadows ---- */

static void clear_luxel(const struct light_share *share, int slots, int at)
{
    for (int j = 0; j < slots; j++)
        share->sum[j * share->width * share->height + at] = 0;
}

/* Takes away what the coarse samples of a luxel lose to the outlines that cross it. */
static void shade_luxel(const struct receiver *to, const struct face_shadows *shadows,
                        const struct light_share *share, const struct lit_window *lit, int luxel,
                        int at, int first)
{
    const struct lamp_face *lamp = shadows->lamp;
    int count = share->width * share->height, samples = to->coarse_count[luxel];
    bool weak = share->grey * share->sum[at] < WEAK_SHARE * to->total[luxel];
    unsigned char open[LUXEL_COARSE] = {1, 1, 1, 1};
    float s[LUXEL_COARSE] = {0}, t[LUXEL_COARSE] = {0}, left = 0;
    for (int n = 0; n < samples; n++) {
        s[n] = lamp->st[0][n * to->face->count + luxel];
        t[n] = lamp->st[1][n * to->face->count + luxel];
    }
    shadow_hide(shadows->plane, first, lamp->rim[luxel], s, t, weak ? 1 : samples, open);
    if (weak && open[0])
        return;
    if (weak) {
        clear_luxel(share, to->face->slots, at);
        return;
    }
    for (int n = 0; n < samples; n++)
        left += open[n];
    for (int j = 0; j < to->face->slots; j++) {
        float *sum = &share->sum[j * count + at];
        if (lit->samples == 1) {
            *sum *= left / (float)samples;
            continue;
        }
        *sum = 0;
        for (int n = 0; n < samples; n++) {
            int row = n * count + at;
            float cosine = 0;
            for (int k = 0; k < 3; k++)
                cosine += lamp->rows.direction[k][row] * receiver_normals(to, luxel)[j][k];
            if (open[n] && cosine > 0)
                *sum += cosine * lamp->rows.share[row] * lit->part[row];
        }
    }
}

static void doubt(const struct receiver *to, struct face_shadows *shadows,
                  const struct light_share *share, int luxel, int at, int first, float peak)
{
    if (to->options->fine > 0 && !to->options->fast && share->grey * peak > MIN_DOUBT &&
        to->face->luxels[luxel].area > 0)
        arrput(shadows->doubts, ((struct share_doubt){luxel, at, first, peak}));
}

/* What hides parts of a luxel of the window: the entries that cross its cell, -1 for none, or
 * DARK. */
enum { DARK = -2 };

static int hidden_by(const struct lamp_face *lamp, const struct shadow_cells *cells, int luxel,
                     int column, int row)
{
    int cell;
    if (lamp->rim[luxel]) {
        const float st[2] = {lamp->st[0][luxel], lamp->st[1][luxel]};
        cell = shadow_cell(cells, st);
    } else {
        int i = column - cells->left, j = row - cells->top;
        i = i < 0 ? 0 : i >= cells->width ? cells->width - 1 : i;
        j = j < 0 ? 0 : j >= cells->height ? cells->height - 1 : j;
        cell = j * cells->width + i;
    }
    return cells->dark[cell] ? DARK : cells->first[cell];
}

/* Luxels of a window that nothing stands before, where light changes fast. */
static void doubt_steep(const struct receiver *to, struct face_shadows *shadows,
                        const struct light_share *share)
{
    const struct lamp_face *lamp = shadows->lamp;
    for (int at = 0; at < share->width * share->height; at++) {
        if (!(lamp->max[at] > STEEP_RATIO * lamp->min[at]))
            continue;
        int row = share->top + at / share->width, column = share->left + at % share->width;
        if (share->sum[at] > 0 || to->face->slots > 1)
            doubt(to, shadows, share, row * to->face->width + column, at, -1, share->sum[at]);
    }
}

static void shade_window(const struct receiver *to, struct face_shadows *shadows,
                         const struct light_share *share, const struct lit_window *lit,
                         const struct shadow_cells *cells)
{
    const struct lamp_face *lamp = shadows->lamp;
    int width = to->face->width, right = share->left + share->width;
    bool flat = to->face->slots == 1;
    for (int row = share->top, at = 0; row < share->top + share->height; row++) {
        for (int column = share->left; column < right; column++, at++) {
            float peak = share->sum[at];
            int luxel = row * width + column, first;
            if (!(peak > 0) && flat)
                continue;
            first = hidden_by(lamp, cells, luxel, column, row);
            if (first == DARK) {
                clear_luxel(share, to->face->slots, at);
                continue;
            }
            if (first >= 0)
                shade_luxel(to, shadows, share, lit, luxel, at, first);
            bool steep = lit->samples > 1 && lamp->max[at] > STEEP_RATIO * lamp->min[at];
            if (first >= 0 || steep)
                doubt(to, shadows, share, luxel, at, first, peak);
        }
    }
}

bool lamp_share_cast(const struct receiver *to, struct face_shadows *shadows,
                     struct light_share *share, bool far)
{
    struct shadow_plane *plane = shadows->plane;
    int *cover = &shadows->covers[share->number];
    struct vec3 lamp = light_source(share->light);
    struct shadow_window window;
    struct shadow_cells cells;
    struct lit_window lit;
    if (!shadow_lamp_is_high(plane, lamp))
        return false;
    if (!find_window(to->face, shadows, share, &window)) {
        share->width = share->height = 0;
        return true;
    }
    size_t count = (size_t)share->width * (size_t)share->height;
    int max = MAX_BODIES + BODIES_A_LUXEL * (int)count;
    plane->hint = *cover;
    enum shadow_verdict verdict =
        shadow_cast(plane, shadows->bodies, lamp, &window, max, to->arena, &cells);
    if (plane->hint >= 0)
        *cover = plane->hint;
    if (verdict == SHADOW_UNKNOWN)
        return false;
    if (verdict == SHADOW_WHOLE) {
        share->width = share->height = 0;
        return true;
    }
    share->cast = true;
    share->sum = ARENA_ARRAY(to->arena, float, (size_t)to->face->slots *count);
    light_window(to, shadows->lamp, share, far, &lit);
    share->first_doubt = (int)arrlen(shadows->doubts);
    if (verdict == SHADOW_PARTLY)
        shade_window(to, shadows, share, &lit, &cells);
    else if (!far && lit.samples > 1)
        doubt_steep(to, shadows, share);
    share->doubt_count = (int)arrlen(shadows->doubts) - share->first_doubt;
    return true;
}

/* ---- fine samples ---- */

static void refine_luxel(const struct receiver *to, struct shadow_plane *plane,
                         const struct light_share *share, const struct share_doubt *at,
                         const struct fine_samples *fine)
{
    struct light_rows *rows = &fine->rows->light;
    unsigned char open[LUXEL_FINE];
    float sums[LUXEL_SLOTS] = {0}, min = (float)to->options->min / share->grey;
    memset(open, 1, sizeof open);
    if (at->first >= 0)
        shadow_hide(plane, at->first, false, fine->st[0], fine->st[1], fine->count, open);
    rows->count = fine->count;
    light_at_many(share->light, rows);
    for (int i = 0; i < fine->count; i++) {
        float direction[3], facing = 0;
        if (!open[i] || !(rows->share[i] > min))
            continue;
        for (int k = 0; k < 3; k++) {
            direction[k] = rows->direction[k][i];
            facing += direction[k] * to->surface[k];
        }
        for (int j = 0; j < to->face->slots && facing > LIGHT_GRAZING; j++) {
            const float *normal = receiver_normals(to, at->luxel)[j];
            float cosine =
                direction[0] * normal[0] + direction[1] * normal[1] + direction[2] * normal[2];
            sums[j] += cosine > 0 ? cosine * rows->share[i] : 0;
        }
    }
    for (int j = 0; j < to->face->slots; j++)
        share->sum[j * share->width * share->height + at->at] = sums[j] / (float)fine->count;
}

void lamp_share_refine(const struct receiver *to, const struct face_shadows *shadows,
                       struct light_share *share, struct fine_cache *cache)
{
    for (int i = 0; i < share->doubt_count; i++) {
        const struct share_doubt *at = &shadows->doubts[share->first_doubt + i];
        if (!doubt_matters(to, share->grey * at->peak, at->luxel))
            continue;
        to->face->luxels[at->luxel].supersampled = true;
        refine_luxel(to, shadows->plane, share, at, fine_samples_of(to, cache, at->luxel));
    }
}
