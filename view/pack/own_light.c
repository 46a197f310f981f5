#include "view/pack/own_light.h"

#include "common/bsp/flags.h"
#include "common/bsp/query.h"
#include "common/core/array.h"

#define FARTHEST 1e6f

struct vec3 spot_position(const struct map_scene *scene, uint32_t triangle, const double weights[3])
{
    size_t count;
    const float *corners =
        trace_positions(scene->mesh.trace, TRACE_FACE, &count) + 9 * (size_t)triangle;
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < 3; i++)
        sum = vec3_mad(sum, vec3_from_floats(corners + 3 * i), weights[i]);
    return sum;
}

static struct surface_hit hit_of(const struct map_scene *scene, const struct spot *spot,
                                 double inside)
{
    struct surface_hit hit = surface_hit_of(scene, spot->triangle);
    double weights[3];
    for (int i = 0; i < 3; i++) {
        hit.weights[i] = spot->weights[i];
        weights[i] = spot->weights[i] + inside * (1.0 / 3 - spot->weights[i]);
    }
    hit.point = spot_position(scene, spot->triangle, weights);
    if (spot->back)
        hit.normal = vec3_neg(hit.normal);
    return hit;
}

void spot_light(const struct map_scene *scene, const struct spot *spot, double inside, float out[3])
{
    struct surface_hit hit = hit_of(scene, spot, inside);
    scene_light_at(scene, &hit, out);
}

/* A ray out of a closed model meets the back of its surface. */
static bool meets_back(const struct map_scene *scene, struct vec3 point, struct vec3 way)
{
    const struct mesh *mesh = &scene->mesh;
    const struct trace_ray ray = {
        .origin = {(float)point.x, (float)point.y, (float)point.z},
        .direction = {(float)way.x, (float)way.y, (float)way.z},
        .far = FARTHEST,
    };
    struct trace_hit hit = trace_closest(mesh->trace, TRACE_FACE | TRACE_SKY, &ray);
    if (hit.distance < 0 || hit.class != TRACE_FACE)
        return false;
    const struct triangle *triangle = &mesh->triangles[hit.triangle];
    return !mesh->surfaces[triangle->surface].two_sided &&
           vec3_dot(vec3_from_floats(triangle->normal), way) > 0;
}

bool spot_is_hidden(const struct map_scene *scene, const struct spot *spot, double inside)
{
    struct surface_hit hit = hit_of(scene, spot, inside);
    struct vec3 above = vec3_add(hit.point, hit.normal);
    int leaf = bsp_leaf_at(scene->bsp, 0, above);
    if (leaf >= 0 && leaf < arrlen(scene->bsp->leaves) &&
        scene->bsp->leaves[leaf].contents & CONTENTS_SOLID)
        return true;
    return hit.surface->lit_by == LIT_BY_AMBIENT_AND_LIGHTS && meets_back(scene, above, hit.normal);
}
