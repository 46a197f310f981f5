/* Shadow-casting static props.
 *
 * By its solidity a prop casts the shadow of its collision hulls, or of its bounding box (solid 2,
 * and solid 6 without hulls); one that is not solid and has no hulls casts none. With `triangles`
 * its render mesh is used instead, if it has one. Meshes with alpha then cast alpha shadows
 * (alpha_shadow.h) if a flag of the model or the list of exceptions says so. Props with shadows
 * disabled, by their own flag or the model's, cast none, nor do materials under noshadow. */
#ifndef VRAD_SCENE_PROP_SHADOWS_H
#define VRAD_SCENE_PROP_SHADOWS_H

#include "vrad/scene/prop_set.h"
#include "vrad/scene/scene.h"

struct prop_shadows {
    const struct prop_set *set;
    const struct shadow_exceptions *exceptions; /* or NULL */
    bool triangles;
    const struct env *env;                    /* for reports about textures */
    const struct alpha_source *alpha_shadows; /* NULL: no alpha shadows */
    struct assets *reflecting; /* source of the reflectivity of materials; NULL: props are black */
};

/* Adds them to scene->trace, which is not built yet, to scene->prop_triangles and, if they reflect,
 * scene->prop_charts. A triangle of the render mesh has the reflectivity of its material, a hull
 * the mean of the model's, by area; without their materials they are black. */
void prop_shadows_add(const struct prop_shadows *shadows, struct scene *scene);

#endif
