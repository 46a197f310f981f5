#include "scene/light/ambient.h"

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "vrad/luxels/colour.h"

enum { SIDES = 6 };

/* The value of white in mesh light; the cubes of a map have 1. */
#define WHITE 255

/* Finds the samples of a leaf: its own, or those of the leaf that it refers to. */
static int samples_of(const struct bsp_light_set *light, int leaf, int *first)
{
    if (arrlen(light->ambient_index) == 0) {
        *first = leaf;
        return leaf < arrlen(light->ambient);
    }
    if (leaf >= arrlen(light->ambient_index))
        return 0;
    const struct bsp_ambient_index *index = &light->ambient_index[leaf];
    if (index->count == 0 && index->first >= 0 && index->first < arrlen(light->ambient_index))
        index = &light->ambient_index[index->first];
    *first = index->first;
    return index->count > 0 && index->first >= 0 &&
                   (int64_t)index->first + index->count <= arrlen(light->ambient)
               ? index->count
               : 0;
}

static double weight_of(const struct bsp_leaf *leaf, const struct bsp_ambient *sample,
                        struct vec3 point)
{
    double sum = 1; /* bounds the weight of a sample at the point itself */
    for (int k = 0; k < 3; k++) {
        double at = leaf->mins[k] + (leaf->maxs[k] - leaf->mins[k]) * (sample->position[k] / 255.0);
        sum += (at - point.e[k]) * (at - point.e[k]);
    }
    return 1 / sum;
}

bool scene_ambient_at(const struct bsp *bsp, const struct bsp_light_set *light, struct vec3 point,
                      struct scene_ambient *out)
{
    int leaf = bsp_leaf_at(bsp, 0, point), first = 0, count = samples_of(light, leaf, &first);
    double sum[SIDES][3] = {{0}}, weights = 0;
    for (int i = first; i < first + count; i++) {
        double weight = weight_of(&bsp->leaves[leaf], &light->ambient[i], point);
        weights += weight;
        for (int side = 0; side < SIDES; side++) {
            float rgb[3];
            colour_decode(light->ambient[i].cube[side], rgb);
            for (int k = 0; k < 3; k++)
                sum[side][k] += weight * (double)rgb[k];
        }
    }
    for (int i = 0; i < SIDES * 3 && count; i++)
        out->cube[i / 3][i % 3] = (float)(WHITE * sum[i / 3][i % 3] / weights);
    return count > 0;
}

void scene_ambient_light(const struct scene_ambient *ambient, struct vec3 normal, float out[3])
{
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int axis = 0; axis < 3; axis++)
            sum += normal.e[axis] * normal.e[axis] *
                   (double)ambient->cube[2 * axis + (normal.e[axis] < 0)][k];
        out[k] = (float)sum;
    }
}
