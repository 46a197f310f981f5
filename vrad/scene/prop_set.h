/* The static props of a map with their models, and the points at which models of detail props are
 * lit. */
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
    struct prop_model *models;    /* one per name of props.models */
    struct transform *transforms; /* one per prop */
    struct vec3 *detail_middles;  /* stb_ds array: middle of the hull of each model in the detail
                                     props lump, in model space; 0 0 0: unknown */
    struct arena arena;
};

/* Reads the game lump and its models. An unreadable lump is reported (PROP_LIGHT_LUMP) and counts
 * as empty; a missing model is reported once (PROP_LIGHT_MODEL). Free with prop_set_free. */
void prop_set_load(const struct env *env, struct assets *assets, const struct bsp *bsp,
                   struct prop_set *out);
void prop_set_free(struct prop_set *set);

/* Of all props in total. */
size_t prop_set_vertices(const struct prop_set *set);

/* NULL when it is missing. */
const struct model *prop_set_model(const struct prop_set *set, size_t prop);

#endif
