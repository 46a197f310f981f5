#include "vrad/encode/seam_walk.h"

#include "common/core/array.h"
#include "common/core/memory.h"

/* Seams are crossed within this many luxels of where the walk leaves a face: their points are at
 * most a luxel apart, and a corner is half a luxel from the last one. */
#define REACH 0.8

/* A point this near to a face, in luxels, is on it. */
#define ON_FACE 1e-3

enum { MAX_FACES = 6 }; /* of a walk */

void seam_walk_init(const struct luxel_map *map, const struct seam_list *list,
                    struct seam_walk *out)
{
    size_t faces = (size_t)map->face_count, points = arrlenu(list->points);
    *out = (struct seam_walk){.map = map, .list = list};
    out->first = memory_zalloc(faces + 2, sizeof *out->first);
    out->ends = memory_alloc((2 * points + 1) * sizeof *out->ends);
    size_t *next = out->first + 1; /* filling advances each to the next one's start */
    for (size_t i = 0; i < 2 * points; i++)
        next[1 + list->seams[list->points[i / 2].seam].face[i % 2]]++;
    for (size_t i = 0; i < faces; i++)
        next[i + 1] += next[i];
    for (size_t i = 0; i < 2 * points; i++) {
        int face = list->seams[list->points[i / 2].seam].face[i % 2];
        out->ends[next[face]++] = (struct seam_end){(int)(i / 2), (int)(i % 2)};
    }
}

void seam_walk_free(struct seam_walk *walk)
{
    memory_free(walk->first);
    memory_free(walk->ends);
    *walk = (struct seam_walk){0};
}

static const struct seam *seam_of(const struct seam_walk *walk, struct seam_end end)
{
    return &walk->list->seams[walk->list->points[end.point].seam];
}

static struct point2 point_of(const struct seam_walk *walk, struct seam_end end)
{
    const float *st = walk->list->points[end.point].st[end.side];
    return (struct point2){(double)st[0], (double)st[1]};
}

/* Turns a vector by the smallest rotation that takes one unit normal to another (Rodrigues): a step
 * on one plane becomes one on the other, as if the edge between both were flattened. */
static struct vec3 turned(struct vec3 vector, struct vec3 from, struct vec3 to)
{
    struct vec3 axis = vec3_cross(from, to); /* its length is the sine */
    double cosine = vec3_dot(from, to);
    if (cosine < -0.999)
        return vector;
    struct vec3 result = vec3_mad(vec3_scale(vector, cosine), vec3_cross(axis, vector), 1);
    return vec3_mad(result, axis, vec3_dot(axis, vector) / (1 + cosine));
}

static struct point2 step_on(const struct face_light *from, const struct face_light *to,
                             struct vec3 step)
{
    struct vec3 there = turned(step, from->normal, to->normal);
    return (struct point2){vec3_dot(to->dual[0], there), vec3_dot(to->dual[1], there)};
}

struct luxel_affine seam_unfold(const struct seam_walk *walk, struct seam_end end)
{
    const struct seam *seam = seam_of(walk, end);
    const struct seam_end other = {end.point, !end.side};
    const struct face_light *from = &walk->map->faces[seam->face[end.side]];
    const struct face_light *to = &walk->map->faces[seam->face[other.side]];
    return (struct luxel_affine){point_of(walk, end), point_of(walk, other),
                                 step_on(from, to, from->axis[0]),
                                 step_on(from, to, from->axis[1])};
}

static double squared(struct point2 a, struct point2 b)
{
    return (a.s - b.s) * (a.s - b.s) + (a.t - b.t) * (a.t - b.t);
}

/* Finds the seam point nearest to where the walk leaves a face, of those that `at` is behind. */
static bool find_exit(const struct seam_walk *walk, int face, struct point2 leaves,
                      struct point2 at, struct seam_end *out)
{
    double nearest = REACH * REACH;
    bool found = false;
    for (size_t i = walk->first[face]; i < walk->first[face + 1]; i++) {
        const struct seam_end end = walk->ends[i];
        struct point2 point = point_of(walk, end), inward = seam_of(walk, end)->inward[end.side];
        double distance = squared(point, leaves);
        if (distance < nearest &&
            (at.s - point.s) * inward.s + (at.t - point.t) * inward.t < -ON_FACE) {
            nearest = distance;
            *out = end;
            found = true;
        }
    }
    return found;
}

bool seam_walk_to(const struct seam_walk *walk, int face, struct point2 at, struct seam_place *out)
{
    *out = (struct seam_place){face, at, true};
    for (int step = 0; step < MAX_FACES; step++) {
        const struct face_light *on = &walk->map->faces[out->face];
        struct point2 leaves = shape_nearest(on->polygon, on->corners, out->at.s, out->at.t);
        struct seam_end end;
        if (squared(leaves, out->at) < ON_FACE * ON_FACE)
            return true;
        if (on->mesh || !find_exit(walk, out->face, leaves, out->at, &end))
            return false;
        const struct seam *seam = seam_of(walk, end);
        const struct luxel_affine affine = seam_unfold(walk, end);
        out->at = luxel_affine_at(&affine, out->at);
        out->face = seam->face[!end.side];
        out->bumps = out->bumps && seam->bumps;
    }
    return false;
}
