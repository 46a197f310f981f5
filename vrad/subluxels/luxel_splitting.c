#include "vrad/subluxels/luxel_splitting.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "vrad/luxels/luxel_samples.h"
#include "vrad/scene/hemisphere.h"

/* Relative to the mean radiosity of the map: the light of others is too weak to be seen elsewhere.
 */
#define MIN_BRIGHT 0.5

/* Only so many of the brightest luxels of a map, and one of so many of all, are looked at closely.
 */
enum { LOOKED_AT = 512, LOOKED_AT_SHARE = 128 };

/* Luxels of no more than this side are as fine as the light that they reflect, in units. */
#define FINE_SIDE 4.0

/* The light of a luxel and of its neighbours, brightest to darkest. */
#define MIN_CONTRAST 1.5

/* The sides of a luxel within which something hides a part of it. Beyond, shadows are so soft that
 * all of a luxel is seen alike. */
#define NEAR_SIDES 2.0

/* Share of places that see a part of the luxel, but not another. */
#define MIN_HIDDEN 0.02

/* Places farther than this are taken to be there, in units. */
#define FAR_PLACE 4096.0f

/* The places that see a luxel are looked for in so many directions from each of its samples. */
enum { DIRECTIONS = 8, PLACES = LUXEL_COARSE * DIRECTIONS, OTHERS = LUXEL_COARSE - 1 };

/* Of direct light of style 0. */
static double radiosity_of(const struct face_light *face, int luxel)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (double)(face->direct[0][3 * luxel + k] * face->reflectivity[k]);
    return sum / 3;
}

static bool is_lit(const struct face_light *face)
{
    return face->width > 0 && face->style_count > 0;
}

static bool has_splittable(const struct face_light *face)
{
    return is_lit(face) && !face->mesh && face->square > FINE_SIDE * FINE_SIDE;
}

static double mean_radiosity(const struct luxel_map *map)
{
    double sum = 0, area = 0;
    for (int f = 0; f < map->face_count; f++) {
        const struct face_light *face = &map->faces[f];
        for (int i = 0; is_lit(face) && i < face->count; i++) {
            sum += (double)luxel_area(face, i) * radiosity_of(face, i);
            area += (double)luxel_area(face, i);
        }
    }
    return area > 0 ? sum / area : 0;
}

static bool is_uneven(const struct face_light *face, int luxel)
{
    int s = luxel % face->width, t = luxel / face->width;
    double low = radiosity_of(face, luxel), high = low;
    for (int j = t > 0 ? t - 1 : t; j <= t + 1 && j < face->height; j++) {
        for (int i = s > 0 ? s - 1 : s; i <= s + 1 && i < face->width; i++) {
            int other = j * face->width + i;
            if (!(luxel_area(face, other) > 0))
                continue;
            low = portable_fmin(low, radiosity_of(face, other));
            high = portable_fmax(high, radiosity_of(face, other));
        }
    }
    return high > MIN_CONTRAST * low;
}

/* Rays from the samples, number DIRECTIONS * sample + direction. */
static int make_rays(const struct luxel_map *map, const struct face_light *face, int luxel,
                     const struct luxel_sample *samples, int count, struct trace_ray rays[PLACES])
{
    struct vec3 x, y;
    frame_around(face->normal, &x, &y);
    for (int i = 0; i < count * DIRECTIONS; i++) {
        double square[2];
        sample_square((uint32_t)(i % DIRECTIONS), luxel_seed(map, face, luxel), square);
        struct vec3 way = frame_point(square_to_cosine(square), x, y, face->normal);
        rays[i] = (struct trace_ray){.far = SCENE_FAR_AWAY};
        vec3_to_floats(way, rays[i].direction);
        for (int k = 0; k < 3; k++)
            rays[i].origin[k] = samples[i / DIRECTIONS].origin[k];
    }
    return count * DIRECTIONS;
}

static bool any_near(const struct scene_hit *hits, int count, double near)
{
    for (int i = 0; i < count; i++)
        if ((double)hits[i].distance < near)
            return true;
    return false;
}

/* Rays from the other samples to the places that the first ones reach. */
static int make_rays_to_places(const struct luxel_sample *samples, int count,
                               const struct trace_ray *rays, const struct scene_hit *hits,
                               double near, struct trace_ray out[PLACES * OTHERS])
{
    int made = 0;
    for (int i = 0; i < count * DIRECTIONS; i++) {
        float distance = portable_fminf(hits[i].distance, FAR_PLACE);
        for (int j = 0; j < count && (double)distance >= near; j++) {
            if (j == i / DIRECTIONS)
                continue;
            struct trace_ray *ray = &out[made++];
            *ray = (struct trace_ray){.far = 0.99f};
            for (int k = 0; k < 3; k++) {
                float place = rays[i].origin[k] + rays[i].direction[k] * distance;
                ray->origin[k] = samples[j].origin[k];
                ray->direction[k] = place - samples[j].origin[k];
            }
        }
    }
    return made;
}

static int count_blocked(const struct trace_ray *rays, const struct scene_hit *hits, int count,
                         double near)
{
    int blocked = 0;
    for (int i = 0; i < count; i++) {
        double length = vec3_length(vec3_from_floats(rays[i].direction));
        blocked += hits[i].distance < rays[i].far && (double)hits[i].distance * length < near;
    }
    return blocked;
}

/* Where something near stands before a convex corner, or hangs over a surface, places that one
 * sample of the luxel sees are hidden from another. In corners of rooms all samples see them. */
static bool is_partly_hidden(const struct luxel_map *map, const struct face_light *face, int luxel)
{
    struct luxel_sample samples[LUXEL_COARSE];
    struct trace_ray rays[PLACES], across[PLACES * OTHERS];
    struct scene_hit hits[PLACES * OTHERS];
    double near = NEAR_SIDES * sqrt(face->square);
    int samples_count = luxel_samples(map, map->scene, face, luxel, LUXEL_COARSE, samples);
    int count = make_rays(map, face, luxel, samples, samples_count, rays);
    scene_hit_many(map->scene, rays, (size_t)count, false, hits);
    if (!any_near(hits, count, near))
        return false;
    int pairs = make_rays_to_places(samples, samples_count, rays, hits, near, across);
    scene_hit_many(map->scene, across, (size_t)pairs, false, hits);
    return count_blocked(across, hits, pairs, near) > MIN_HIDDEN * count * (samples_count - 1);
}

static bool may_be_split(const struct face_light *face, int luxel, double limit)
{
    return radiosity_of(face, luxel) > limit && luxel_area(face, luxel) > 0 &&
           !luxel_is_hidden(face, luxel) && is_uneven(face, luxel);
}

/* Descending. */
static int by_radiosity(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

double luxel_split_limit(const struct luxel_map *map)
{
    double limit = MIN_BRIGHT * mean_radiosity(map), *bright = NULL;
    size_t max = LOOKED_AT + map->luxel_count / LOOKED_AT_SHARE;
    for (int f = 0; f < map->face_count; f++) {
        const struct face_light *face = &map->faces[f];
        for (int i = 0; has_splittable(face) && i < face->count; i++)
            if (may_be_split(face, i, limit))
                arrput(bright, radiosity_of(face, i));
    }
    if (!arrlen(bright))
        limit = (double)INFINITY;
    if (arrlenu(bright) > max) {
        qsort(bright, arrlenu(bright), sizeof *bright, by_radiosity);
        limit = bright[max];
    }
    arrfree(bright);
    return limit;
}

bool luxel_is_to_split(const struct luxel_map *map, const struct face_light *face, int luxel,
                       double limit)
{
    return has_splittable(face) && may_be_split(face, luxel, limit) &&
           is_partly_hidden(map, face, luxel);
}
