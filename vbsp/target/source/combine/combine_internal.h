/* Parts of combining static props: the models that they show, groups of props, the new models. The
 * rules are in combine_rules.h. */
#ifndef VBSP_SOURCE_COMBINE_COMBINE_INTERNAL_H
#define VBSP_SOURCE_COMBINE_COMBINE_INTERNAL_H

#include "common/assets/models/model.h"
#include "common/geom/transform.h"
#include "vbsp/target/source/combine/combine.h"
#include "vbsp/target/source/combine/combine_rules.h"
#include "vbsp/target/source/props/props.h"

/* A model with one of its skins. */
struct source_model {
    int32_t model, skin; /* as in the props */
    bool is_usable;
    struct combine_rule *rule; /* or NULL: it is not combined */
    struct bytes mdl_file;     /* of one that is usable */
    struct model files;
    struct vtx *coarser;    /* stb_ds array: its LODs from the second on */
    const char **materials; /* in the arena: the material that each column shows */
    int32_t vertices;       /* of the meshes that are shown */
    int32_t meshes;         /* that are shown: draw calls of a prop */
    struct bounds bounds;   /* of its vertices */
};

struct combining {
    struct compile *compile;
    struct placed_props *placed;
    struct combine_rules rules;
    struct source_model *sources; /* stb_ds array */
    int32_t *source_of;           /* stb_ds array: of each prop, in sources */
    struct transform *transforms; /* stb_ds array: of each prop */
    const char *folder;           /* "maps/MAP", below models/ */
    int combined_models;          /* so far */
    struct arena arena;
};

/* Props that become one, in ascending order; the first gives what they share. */
struct prop_group {
    size_t *props; /* stb_ds array */
};

struct prop_flags {
    uint32_t flags, flags2;
};

/* combine_groups.c: flags in which props of a group may differ. */
struct prop_flags combining_ignored_flags(const struct combining *job);

/* combine_groups.c: finds the groups: an stb_ds array; its groups are the caller's, too. No prop is
 * in two. */
struct prop_group *combining_groups(const struct combining *job);
void prop_groups_free(struct prop_group *groups);

/* The prop that stands for a group. */
struct combined_prop {
    struct static_prop prop; /* without leaves and the model's number */
    const char *model;       /* in the arena: "models/maps/MAP/combined_0.mdl" */
    int32_t meshes;          /* draw calls */
};

/* combine_model.c: adds the files of the group's model to the compile's pakfile. Returns false, and
 * adds nothing, when the collision models cannot be joined. */
bool combining_add_model(struct combining *job, const struct prop_group *group,
                         struct combined_prop *out);

static inline const struct source_model *combining_source(const struct combining *job, size_t prop)
{
    return &job->sources[job->source_of[prop]];
}

#endif
