/* Static props that block light.
 *
 * By its solidity a prop blocks with the convex hulls that its model collides with, or with the
 * box of the model (solid 2, and solid 6 without hulls); one that is not solid and has no hulls
 * blocks nothing. With `triangles` it blocks with what is drawn of it instead, if anything is.
 * Of models that cast shadows of their texture, by a flag of the model or by name,
 * the meshes with alpha are veils (alpha_shadow.h) then. Props without shadows, by their own flag or that
 * of their model, block nothing, nor do materials that are to cast none. */
#ifndef VRAD_SCENE_PROP_SHADOWS_H
#define VRAD_SCENE_PROP_SHADOWS_H

#include "vrad/scene/prop_set.h"
#include "vrad/scene/scene.h"

struct prop_shadows {
    const struct prop_set *set;
    const struct shadow_exceptions *exceptions; /* or NULL */
    bool triangles;
    const struct env *env;                    /* for what is to be said of textures */
    const struct alpha_source *alpha_shadows; /* NULL: textures cast no shadows */
};

/* Adds them to scene->trace, which is not built yet, and to scene->prop_triangles. */
void prop_shadows_add(const struct prop_shadows *shadows, struct scene *scene);

#endif
