#include "vrad/luxels/luxel_samples.h"

#include <string.h>

#include "common/core/portable_math.h"
#include "vrad/luxels/luxel_hidden.h"
#include "vrad/scene/hemisphere.h"

static void make_sample(struct vec3 point, struct vec3 normal, struct luxel_sample *out)
{
    vec3_to_floats(point, out->point);
    vec3_to_floats(vec3_mad(point, normal, SCENE_RAY_OFFSET), out->origin);
}

/* Points of the unit square by coordinate. */
struct pattern {
    double u[LUXEL_FINE], v[LUXEL_FINE];
};

/* Each half follows from the one before: point n + i is point i combined with the columns of bit
 * log2 n. The topmost bit is flipped for signed conversions. */
void luxel_pattern(int wanted, uint64_t scramble, double *restrict u, double *restrict v)
{
    static const uint32_t columns[] = {0x80000000u, 0xc0000000u, 0xa0000000u, 0xf0000000u,
                                       0x88000000u, 0xcc000000u, 0xaa000000u};
    uint32_t x[LUXEL_FINE], y[LUXEL_FINE];
    x[0] = (uint32_t)scramble ^ 0x80000000u;
    y[0] = (uint32_t)(scramble >> 32) ^ 0x80000000u;
    for (int n = 1, bit = 0; n < wanted; n *= 2, bit++)
        for (int i = 0; i < n; i++) {
            x[n + i] = x[i] ^ 0x80000000u >> bit;
            y[n + i] = y[i] ^ columns[bit];
        }
    for (int i = 0; i < wanted; i++) {
        u[i] = (double)(int32_t)x[i] * 0x1p-32 + 0.5;
        v[i] = (double)(int32_t)y[i] * 0x1p-32 + 0.5;
    }
}

static void make_pattern(uint64_t seed, int wanted, struct pattern *out)
{
    static const double coarse[2][LUXEL_COARSE] = LUXEL_COARSE_PATTERN;
    if (wanted == LUXEL_COARSE) {
        memcpy(out->u, coarse[0], sizeof coarse[0]);
        memcpy(out->v, coarse[1], sizeof coarse[1]);
    } else {
        luxel_pattern(wanted, sample_scramble(seed), out->u, out->v);
    }
}

void luxel_middle(const struct face_light *face, const struct luxel *at, struct luxel_sample *out)
{
    struct vec3 normal = face->normal, point;
    for (int k = 0; k < 3; k++) {
        point.e[k] = (double)at->position[k];
        if (face->mesh)
            normal.e[k] = (double)luxel_normal(face, at)[k];
    }
    make_sample(point, normal, out);
}

static bool is_whole(const struct face_light *face, const struct luxel *at)
{
    return (double)at->area >= face->square * (1 - 1e-6);
}

/* Returns true if the part of the luxel is known to be a rectangle. */
static bool find_box(const struct face_light *face, const struct luxel *at, double s, double t,
                     struct point2 *low, struct point2 *high)
{
    *low = (struct point2){s - 0.5, t - 0.5};
    *high = (struct point2){s + 0.5, t + 0.5};
    if (face->mesh || !(face->boxed || is_whole(face, at)))
        return false;
    if (!face->boxed)
        return true;
    *low = (struct point2){portable_fmax(low->s, face->low.s), portable_fmax(low->t, face->low.t)};
    *high =
        (struct point2){portable_fmin(high->s, face->high.s), portable_fmin(high->t, face->high.t)};
    return true;
}

/* Maps the pattern onto the luxel's part. */
static void place_pattern(const struct face_light *face, const struct luxel *at, double s, double t,
                          int wanted, struct pattern *pattern)
{
    struct point2 low, high, part[SHAPE_POINTS];
    bool box = find_box(face, at, s, t, &low, &high);
    if (!box) {
        int corners = shape_clip(face->polygon, face->corners, s, t, part);
        struct shape_strips strips;
        box = shape_is_square(part, corners, s, t);
        if (!box)
            shape_strips_make(part, corners, &strips);
        for (int i = 0; i < wanted && !box; i++) {
            struct point2 place = shape_strips_sample(&strips, pattern->u[i], pattern->v[i]);
            pattern->u[i] = place.s;
            pattern->v[i] = place.t;
        }
    }
    double across = high.s - low.s, along = high.t - low.t;
    for (int i = 0; i < wanted && box; i++) {
        pattern->u[i] = low.s + pattern->u[i] * across;
        pattern->v[i] = low.t + pattern->v[i] * along;
    }
}

static void rows_of_pattern(const struct face_light *face, const struct pattern *pattern, int count,
                            const struct luxel_rows *rows)
{
    for (int k = 0; k < 3; k++) {
        double origin = face->origin.e[k], x = face->axis[0].e[k], y = face->axis[1].e[k];
        double above = face->normal.e[k] * SCENE_RAY_OFFSET;
        float *restrict point = rows->point[k], *restrict from = rows->origin[k];
        for (int i = 0; i < count; i++) {
            double at = origin + x * pattern->u[i] + y * pattern->v[i];
            point[i] = (float)at;
            from[i] = (float)(at + above);
        }
    }
    for (int i = 0; i < count; i++) {
        rows->st[0][i] = (float)pattern->u[i];
        rows->st[1][i] = (float)pattern->v[i];
    }
}

static int row_of_middle(const struct face_light *face, const struct luxel *at,
                         const struct luxel_rows *rows)
{
    struct luxel_sample middle;
    luxel_middle(face, at, &middle);
    for (int k = 0; k < 3; k++) {
        rows->point[k][0] = middle.point[k];
        rows->origin[k][0] = middle.origin[k];
    }
    struct vec3 at_middle = vec3_from_floats(middle.point);
    for (int k = 0; k < 2; k++)
        rows->st[k][0] = (float)(vec3_dot(face->dual[k], at_middle) + face->offset[k]);
    return 1;
}

/* Keeps the points that are not hidden. */
static int sift_pattern(const struct luxel_map *map, const struct scene *scene,
                        const struct face_light *face, const struct luxel *at, int wanted,
                        struct pattern *pattern)
{
    int count = 0;
    for (int i = 0; i < wanted; i++) {
        struct vec3 point = vec3_mad(face->origin, face->axis[0], pattern->u[i]);
        point = vec3_mad(point, face->axis[1], pattern->v[i]);
        if ((at->near_occluders && luxel_point_is_hidden(scene, point, face->normal)) ||
            (at->near_backfaces && luxel_point_is_backfacing(map, point, face->normal)))
            continue;
        pattern->u[count] = pattern->u[i];
        pattern->v[count++] = pattern->v[i];
    }
    return count;
}

static int seeded_rows(const struct luxel_map *map, const struct scene *scene,
                       const struct face_light *face, int luxel, uint64_t seed, int wanted,
                       const struct luxel_rows *rows)
{
    struct luxel room;
    const struct luxel *at = luxel_of(face, luxel, &room);
    struct pattern pattern;
    int count = wanted;
    if (at->hidden)
        return 0;
    if (at->area == 0 || wanted == 1)
        return row_of_middle(face, at, rows);
    make_pattern(seed, wanted, &pattern);
    place_pattern(face, at, luxel % face->width, luxel / face->width, wanted, &pattern);
    if (at->near_occluders || at->near_backfaces)
        count = sift_pattern(map, scene, face, at, wanted, &pattern);
    if (count == 0) /* all that is free is a gap that the pattern misses */
        return row_of_middle(face, at, rows);
    rows_of_pattern(face, &pattern, count, rows);
    return count;
}

int luxel_rows(const struct luxel_map *map, const struct scene *scene,
               const struct face_light *face, int luxel, int wanted, const struct luxel_rows *rows)
{
    return seeded_rows(map, scene, face, luxel, luxel_seed(map, face, luxel), wanted, rows);
}

/* The points of the pattern that nothing which is near covers. */
static int visible_samples(const struct luxel_map *map, const struct scene *scene,
                           const struct face_light *face, const struct pattern *pattern, int wanted,
                           const struct luxel *near, struct luxel_sample *samples)
{
    int count = 0;
    for (int i = 0; i < wanted; i++) {
        struct vec3 normal = face->normal, point;
        point = luxel_point(map, face, (struct point2){pattern->u[i], pattern->v[i]},
                            face->mesh ? &normal : NULL);
        if ((!near->near_occluders || !luxel_point_is_hidden(scene, point, normal)) &&
            !(near->near_backfaces && luxel_point_is_backfacing(map, point, normal)))
            make_sample(point, normal, &samples[count++]);
    }
    return count;
}

/* For a luxel on a curved face. */
static int curved_samples(const struct luxel_map *map, const struct scene *scene,
                          const struct face_light *face, int luxel, uint64_t seed, int wanted,
                          struct luxel_sample *samples)
{
    struct luxel room;
    const struct luxel *at = luxel_of(face, luxel, &room);
    struct pattern pattern;
    int count = 0;
    if (at->hidden)
        return 0;
    if (at->area > 0 && wanted > 1) {
        make_pattern(seed, wanted, &pattern);
        place_pattern(face, at, luxel % face->width, luxel / face->width, wanted, &pattern);
        count = visible_samples(map, scene, face, &pattern, wanted, at, samples);
    }
    if (count == 0)
        luxel_middle(face, at, &samples[count++]);
    return count;
}

static int samples_of(const struct luxel_map *map, const struct scene *scene,
                      const struct face_light *face, int luxel, uint64_t seed, int wanted,
                      struct luxel_sample *samples)
{
    float numbers[8][LUXEL_FINE];
    const struct luxel_rows rows = {{numbers[0], numbers[1], numbers[2]},
                                    {numbers[3], numbers[4], numbers[5]},
                                    {numbers[6], numbers[7]}};
    if (face->mesh)
        return curved_samples(map, scene, face, luxel, seed, wanted, samples);
    int count = seeded_rows(map, scene, face, luxel, seed, wanted, &rows);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            samples[i].point[k] = rows.point[k][i];
            samples[i].origin[k] = rows.origin[k][i];
        }
    return count;
}

/* The middle of the nearest square that has so much of a luxel's width on the face. */
#define BORDER_STRIP 0.25

static struct point2 border_square(const struct face_light *face, double s, double t)
{
    struct point2 at = shape_nearest(face->polygon, face->corners, s, t);
    double ds = s - at.s, dt = t - at.t, off = portable_fmax(fabs(ds), fabs(dt));
    double share = off > 0.5 - BORDER_STRIP ? (0.5 - BORDER_STRIP) / off : 1;
    return (struct point2){at.s + share * ds, at.t + share * dt};
}

static int border_samples(const struct luxel_map *map, const struct scene *scene,
                          const struct face_light *face, int luxel, uint64_t seed, int wanted,
                          struct luxel_sample *samples)
{
    const struct luxel anything = {.near_occluders = true};
    struct point2 part[SHAPE_POINTS],
        square = border_square(face, luxel % face->width, luxel / face->width);
    int corners = shape_clip(face->polygon, face->corners, square.s, square.t, part), count = 0;
    struct pattern pattern;
    make_pattern(seed, wanted, &pattern);
    for (int i = 0; i < wanted && corners >= 3; i++) {
        struct point2 at = shape_sample(part, corners, pattern.u[i], pattern.v[i]);
        pattern.u[i] = at.s;
        pattern.v[i] = at.t;
    }
    if (corners >= 3)
        count = visible_samples(map, scene, face, &pattern, wanted, &anything, samples);
    struct luxel room;
    if (!count)
        luxel_middle(face, luxel_of(face, luxel, &room), &samples[count++]);
    return count;
}

int luxel_samples_seeded(const struct luxel_map *map, const struct scene *scene,
                         const struct face_light *face, int luxel, uint64_t seed, int wanted,
                         struct luxel_sample *samples)
{
    if (luxel_area(face, luxel) > 0 || luxel_is_hidden(face, luxel))
        return samples_of(map, scene, face, luxel, seed, wanted, samples);
    return border_samples(map, scene, face, luxel, seed, wanted, samples);
}

int luxel_samples(const struct luxel_map *map, const struct scene *scene,
                  const struct face_light *face, int luxel, int wanted,
                  struct luxel_sample *samples)
{
    return samples_of(map, scene, face, luxel, luxel_seed(map, face, luxel), wanted, samples);
}
