#include "scene/views/first_hit.h"

#include "common/core/portable_math.h"
#include "scene/shade/light_at.h"

enum { MAX_LAYERS = 48 };

#define FARTHEST      1e6
#define STEP          0.01
#define STEP_FRACTION 1e-5
#define HALF_OPAQUE   0.5f

static bool is_transparent(const struct map_scene *scene, const struct surface *surface)
{
    const struct scene_material *material = &scene->mesh.materials[surface->material];
    return surface->opacity * material->opacity < HALF_OPAQUE;
}

/* Returns false for a surface that the ray passes. */
static bool take_surface(const struct map_scene *scene, bool outside, const struct trace_hit *from,
                         struct vec3 direction, struct first_hit *hit)
{
    const struct triangle *triangle = &scene->mesh.triangles[from->triangle];
    const struct surface *surface = &scene->mesh.surfaces[triangle->surface];
    hit->normal = vec3_from_floats(triangle->normal);
    bool back = vec3_dot(hit->normal, direction) > 0;
    if ((back && !surface_has_back(surface, outside)) || is_transparent(scene, surface))
        return false;
    if (back)
        hit->normal = vec3_neg(hit->normal);
    hit->kind = HIT_SURFACE;
    hit->triangle = from->triangle;
    hit->weights[0] = 1 - (double)from->u - (double)from->v;
    hit->weights[1] = (double)from->u;
    hit->weights[2] = (double)from->v;
    return true;
}

/* Returns whether the ray ends here. */
static bool take_hit(const struct map_scene *scene, bool outside, const struct trace_hit *from,
                     struct vec3 origin, struct vec3 direction, struct first_hit *hit)
{
    if (from->distance < 0)
        return true;
    hit->distance = (double)from->distance;
    hit->point = vec3_mad(origin, direction, hit->distance);
    if (from->class != TRACE_SKY)
        return take_surface(scene, outside, from, direction, hit);
    if (mesh_sky_is_back(&scene->mesh, from->triangle, direction))
        return false;
    hit->kind = HIT_SKY;
    return true;
}

void scene_first_hits(const struct map_scene *scene, bool outside,
                      const struct vec3 origins[TRACE_PACKET],
                      const struct vec3 directions[TRACE_PACKET], uint32_t valid,
                      struct first_hit hits[TRACE_PACKET])
{
    struct trace_packet packet;
    struct trace_hit found[TRACE_PACKET];
    for (int i = 0; i < TRACE_PACKET; i++) {
        hits[i] = (struct first_hit){.kind = HIT_NOTHING, .distance = FARTHEST};
        for (int k = 0; k < 3; k++) {
            packet.origin[k][i] = (float)origins[i].e[k];
            packet.direction[k][i] = (float)directions[i].e[k];
        }
        packet.near[i] = 0;
        packet.far[i] = (float)FARTHEST;
    }
    for (int layer = 0; layer < MAX_LAYERS && valid; layer++) {
        trace_closest16(scene->mesh.trace, TRACE_FACE | TRACE_SKY, &packet, valid, false, found);
        for (int i = 0; i < TRACE_PACKET; i++) {
            if (!(valid >> i & 1))
                continue;
            if (take_hit(scene, outside, &found[i], origins[i], directions[i], &hits[i]))
                valid &= ~(1u << i);
            double distance = (double)found[i].distance;
            packet.near[i] = (float)(distance + portable_fmax(STEP, distance * STEP_FRACTION));
        }
    }
}

void scene_first_hit_light(const struct map_scene *scene, const struct first_hit *hit, float out[3])
{
    const struct triangle *triangle = &scene->mesh.triangles[hit->triangle];
    const struct surface *surface = &scene->mesh.surfaces[triangle->surface];
    struct surface_hit at = {.triangle = triangle,
                             .surface = surface,
                             .material = &scene->mesh.materials[surface->material],
                             .point = hit->point,
                             .normal = hit->normal};
    for (int k = 0; k < 3; k++)
        at.weights[k] = hit->weights[k];
    scene_light_at(scene, &at, out);
}
