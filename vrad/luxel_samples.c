#include "vrad/luxel_samples.h"

#include "vrad/hemisphere.h"
#include "vrad/luxel_behind.h"

static void store(float out[3], struct vec3 v)
{
    for (int k = 0; k < 3; k++)
        out[k] = (float)v.e[k];
}

static void make_sample(struct vec3 point, struct vec3 normal, struct luxel_sample *out)
{
    store(out->point, point);
    store(out->origin, vec3_mad(point, normal, SCENE_RAY_OFFSET));
}

/* The coarse pattern is fixed, and even along each axis and both diagonals: light that changes
 * straight across the luxel comes out exact, without noise. */
static inline void pattern(int index, int wanted, uint64_t scramble, double square[2])
{
    static const double coarse[LUXEL_COARSE][2] = {
        {0.125, 0.625}, {0.375, 0.125}, {0.625, 0.875}, {0.875, 0.375}};
    if (wanted == LUXEL_COARSE) {
        square[0] = coarse[index][0];
        square[1] = coarse[index][1];
    } else {
        sample_scrambled((uint32_t)index, scramble, square);
    }
}

void luxel_middle(const struct face_light *face, const struct luxel *at, struct luxel_sample *out)
{
    struct vec3 normal = face->normal, point;
    for (int k = 0; k < 3; k++) {
        point.e[k] = (double)at->position[k];
        if (face->mesh)
            normal.e[k] = (double)at->normal[k];
    }
    make_sample(point, normal, out);
}

static bool is_whole(const struct face_light *face, const struct luxel *at)
{
    return !face->mesh &&
           (double)at->area >= vec3_length(vec3_cross(face->axis[0], face->axis[1])) * (1 - 1e-6);
}

/* Most luxels: nothing is cut off, and no point is to be tested. */
static int samples_of_square(const struct face_light *face, double s, double t, int wanted,
                             uint64_t scramble, struct luxel_sample *samples)
{
    struct vec3 corner = vec3_mad(face->origin, face->axis[0], s - 0.5);
    corner = vec3_mad(corner, face->axis[1], t - 0.5);
    for (int i = 0; i < wanted; i++) {
        double square[2];
        pattern(i, wanted, scramble, square);
        for (int k = 0; k < 3; k++) {
            double at =
                corner.e[k] + face->axis[0].e[k] * square[0] + face->axis[1].e[k] * square[1];
            samples[i].point[k] = (float)at;
            samples[i].origin[k] = (float)(at + face->normal.e[k] * SCENE_RAY_OFFSET);
        }
    }
    return wanted;
}

int luxel_samples(const struct luxel_map *map, const struct scene *scene,
                  const struct face_light *face, int luxel, int wanted,
                  struct luxel_sample *samples)
{
    const struct luxel *at = &face->luxels[luxel];
    struct point2 part[SHAPE_POINTS];
    double s = luxel % face->width, t = luxel / face->width;
    if (at->hidden)
        return 0;
    if (at->area == 0 || wanted == 1) {
        luxel_middle(face, at, &samples[0]);
        return 1;
    }
    bool whole = is_whole(face, at);
    int corners = whole ? 0 : shape_clip(face->polygon, face->corners, s, t, part), count = 0;
    whole = whole || shape_is_square(part, corners, s, t);
    uint64_t scramble = wanted > LUXEL_COARSE ? sample_scramble(luxel_seed(map, face, luxel)) : 0;
    if (whole && !face->mesh && !at->crowded && !at->behind)
        return samples_of_square(face, s, t, wanted, scramble, samples);
    for (int i = 0; i < wanted; i++) {
        double square[2];
        pattern(i, wanted, scramble, square);
        struct point2 place = {s - 0.5 + square[0], t - 0.5 + square[1]};
        if (!whole)
            place = shape_sample(part, corners, square[0], square[1]);
        struct vec3 normal = face->normal;
        struct vec3 point = luxel_point(map, face, place, face->mesh ? &normal : NULL);
        if ((!at->crowded || !luxel_point_is_hidden(scene, point, normal)) &&
            !(at->behind && luxel_point_is_behind(scene, point, normal)))
            make_sample(point, normal, &samples[count++]);
    }
    if (count == 0) /* all that is free is a gap that the pattern misses */
        luxel_middle(face, at, &samples[count++]);
    return count;
}
