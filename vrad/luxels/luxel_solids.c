#include "vrad/luxels/luxel_solids.h"

/* A square that reaches less than this across a plane, in units, does not cross it. */
#define LEAST_REACH 0.01

/* A middle, and how far it reaches along some directions. */
struct extent {
    struct vec3 middle;
    struct vec3 reach[3];
    int directions;
};

static unsigned leaves_of(const struct bsp *bsp, int at, const struct extent *extent)
{
    unsigned met = 0;
    while (at >= 0) {
        const struct bsp_node *node = &bsp->nodes[at];
        const struct bsp_plane *plane = &bsp->planes[node->plane];
        struct vec3 normal = vec3_from_floats(plane->normal);
        double distance = vec3_dot(normal, extent->middle) - (double)plane->dist, reach = 0;
        for (int i = 0; i < extent->directions; i++)
            reach += fabs(vec3_dot(normal, extent->reach[i]));
        bool across = fabs(distance) + LEAST_REACH < reach;
        if (across)
            met |= leaves_of(bsp, node->children[0], extent);
        if (met == (LUXEL_IN_OPEN | LUXEL_IN_SOLID))
            return met;
        at = node->children[across || distance <= 0];
    }
    return met | (bsp->leaves[-1 - at].cluster < 0 ? LUXEL_IN_SOLID : LUXEL_IN_OPEN);
}

static struct extent bent_extent(const struct luxel_map *map, const struct face_light *face,
                                 double s, double t)
{
    struct bounds box = bounds_empty();
    for (int i = 0; i < 9; i++) {
        struct point2 at = {s + 0.5 * (i % 3 - 1), t + 0.5 * (i / 3 - 1)};
        bounds_add_point(&box, luxel_point(map, face, at, NULL));
    }
    struct extent extent = {.directions = 3};
    for (int k = 0; k < 3; k++) {
        extent.middle.e[k] = (box.mins.e[k] + box.maxs.e[k]) / 2;
        extent.reach[k] = vec3(0, 0, 0);
        extent.reach[k].e[k] = (box.maxs.e[k] - box.mins.e[k]) / 2 + SCENE_RAY_OFFSET;
    }
    return extent;
}

unsigned luxel_leaves(const struct luxel_map *map, const struct face_light *face, double s,
                      double t)
{
    const struct scene *scene = map->scene;
    if (!scene->solid_leaves)
        return LUXEL_IN_OPEN;
    struct extent extent = {.directions = 2};
    if (face->mesh) {
        extent = bent_extent(map, face, s, t);
    } else {
        struct vec3 middle = luxel_point(map, face, (struct point2){s, t}, NULL);
        extent.middle = vec3_mad(middle, face->normal, SCENE_RAY_OFFSET);
        for (int i = 0; i < 2; i++)
            extent.reach[i] = vec3_scale(face->axis[i], 0.5);
    }
    return leaves_of(scene->bsp, scene->bsp->models[0].head_node, &extent);
}

unsigned box_leaves(const struct bsp *bsp, const struct bounds *box)
{
    struct extent extent = {.directions = 3};
    for (int k = 0; k < 3; k++) {
        extent.middle.e[k] = (box->mins.e[k] + box->maxs.e[k]) / 2;
        extent.reach[k] = vec3(0, 0, 0);
        extent.reach[k].e[k] = (box->maxs.e[k] - box->mins.e[k]) / 2 + 2 * LEAST_REACH;
    }
    return leaves_of(bsp, bsp->models[0].head_node, &extent);
}
