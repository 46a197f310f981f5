#include "vrad/ambient/below_terrain.h"

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "vrad/scene/prop_view.h"

/* Depth that is searched below a displacement, in units: that of the brush that it is made of,
 * which is not solid either. */
#define DEPTH 64.0

static struct bounds bounds_of(const struct scene *scene, const struct face_light *light)
{
    const struct bsp_face *face = light->face;
    struct bounds box = bounds_empty();
    for (int i = 0; i < light->count; i++)
        bounds_add_point(&box, luxel_position(light, i));
    for (int i = 0; face && i < face->edge_count; i++)
        bounds_add_point(&box, bsp_vertex_at(scene->bsp, bsp_face_vertex(scene->bsp, face, i)));
    for (int k = 0; k < 3; k++) {
        box.mins.e[k] -= DEPTH;
        box.maxs.e[k] += DEPTH;
    }
    return box;
}

void below_terrain_find(const struct luxel_map *map, struct below_terrain *out)
{
    *out = (struct below_terrain){0};
    for (int i = 0; i < map->face_count; i++) {
        const struct face_light *light = &map->faces[i];
        if (!light->mesh)
            continue;
        const struct below_terrain_box box = {bounds_of(map->scene, light), light->normal};
        arrput(out->boxes, box);
    }
}

void below_terrain_free(struct below_terrain *below_terrain)
{
    arrfree(below_terrain->boxes);
}

static bool sees_back(const struct scene *scene, struct vec3 point, struct vec3 direction)
{
    const struct prop_viewer viewer = {.prop = -1};
    struct trace_packet packet = {.far[0] = INFINITY};
    struct scene_hit hits[TRACE_PACKET];
    for (int k = 0; k < 3; k++) {
        packet.origin[k][0] = (float)point.e[k];
        packet.direction[k][0] = (float)direction.e[k];
    }
    prop_view_trace16(scene, &viewer, &packet, 1, hits);
    return hits[0].face == SCENE_INSIDE;
}

bool below_terrain_contains(const struct below_terrain *below_terrain, const struct scene *scene,
                            struct vec3 point)
{
    for (ptrdiff_t i = 0; i < arrlen(below_terrain->boxes); i++)
        if (bounds_contains(&below_terrain->boxes[i].bounds, point) &&
            sees_back(scene, point, below_terrain->boxes[i].normal))
            return true;
    return false;
}
