/* The static props of a map with their models, and where models of detail props are lit. */
#ifndef VRAD_SCENE_PROP_SET_H
#define VRAD_SCENE_PROP_SET_H

#include "common/assets/models/model.h"
#include "common/bsp/bsp.h"
#include "common/bsp/lumps/static_props.h"
#include "common/env.h"
#include "common/geom/transform.h"

struct prop_model {
    bool present;
    struct model model;
};

struct prop_set {
    struct static_props props;
    struct prop_model *models;    /* one a name of props.models */
    struct transform *transforms; /* one a prop */
    struct vec3 *detail_middles;  /* stb_ds array: of the hull of each model that the lump of detail
                                     props names, in units of the model; 0 0 0: not known */
    struct arena arena;
};

/* Reads the game lump and the models that it names. A lump that cannot be read is reported
 * (PROP_LIGHT_LUMP) and counts as empty; a model that is missing is reported once
 * (PROP_LIGHT_MODEL). Free with prop_set_free. */
void prop_set_load(const struct env *env, struct assets *assets, const struct bsp *bsp,
                   struct prop_set *out);
void prop_set_free(struct prop_set *set);

/* Of all props together. */
size_t prop_set_vertices(const struct prop_set *set);

/* NULL when it is missing. */
const struct model *prop_set_model(const struct prop_set *set, size_t prop);

#endif
