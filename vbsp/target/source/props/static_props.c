#include "vbsp/target/source/props/props.h"

#include <limits.h>

#include "common/assets/mounts/asset_name.h"
#include "common/bsp/lumps/static_props.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/props.def"
#include "vbsp/target/source/props/prop_internal.h"

enum { USUAL_VERSION = 10 }; /* default version of the lump */

/* Radius of the assumed bounds of a missing model, tried until a leaf is reached. */
#define REACH_NEAR 16.0
#define REACH_FAR  64.0

struct known_model {
    const char *name; /* as in the lump */
    int32_t number;   /* in the lump; -1: no prop has been placed yet */
    bool missing, left_out;
    struct hull_points shape;
};

struct model_cell {
    char *key;
    struct known_model *value;
};

struct placer {
    struct compile *compile;
    struct model_cell *models; /* stb_ds map by clean name */
    struct placed_props *out;
    struct arena arena;
};

static struct diag_where prop_where(const struct placer *placer, const struct map_entity *entity)
{
    struct diag_where where = map_where(placer->compile->level, entity, NULL, NULL);
    struct vec3 origin;
    where.has_point = entity_vector(&entity->keys, "origin", &origin);
    if (where.has_point)
        memcpy(where.point, origin.e, sizeof where.point);
    return where;
}

static struct bounds cube(double reach)
{
    return (struct bounds){vec3(-reach, -reach, -reach), vec3(reach, reach, reach)};
}

static void load_known(struct placer *placer, const struct diag_where *where,
                       struct known_model *known)
{
    struct diag *diag = placer->compile->env->diag;
    struct model model = {0};
    struct arena scratch = {0};
    if (!model_load(placer->compile->assets, known->name, &scratch, diag, &model)) {
        known->missing = true;
        (void)diag_report(diag, DIAG_PROP_MODEL_MISSING, where, "\"%s\"", known->name);
        struct bounds near = cube(REACH_NEAR);
        prop_shape_box(&near, &known->shape);
    } else if (!(model.mdl.flags & MDL_STATIC_PROP) && !placer->compile->options->dynamic_props) {
        known->left_out = true;
        (void)diag_report(diag, DIAG_PROP_NOT_STATIC, where, "\"%s\"", known->name);
    } else {
        prop_shape_of(&model, &known->shape);
    }
    model_free(&model);
    arena_free(&scratch);
}

/* NULL if the entity names no model. */
static struct known_model *model_of(struct placer *placer, const struct map_entity *entity,
                                    const struct diag_where *where)
{
    const char *text = entity_value(&entity->keys, "model");
    const char *name = asset_name(&placer->arena, text);
    if (!placer->models)
        sh_new_strdup(placer->models);
    if (!name) {
        (void)diag_report(placer->compile->env->diag, DIAG_PROP_KEY, where,
                          "model \"%s\": not a model name; the prop is dropped", text);
        return NULL;
    }
    struct known_model *known = shget(placer->models, name);
    if (!known) {
        known = ARENA_NEW(&placer->arena, struct known_model);
        known->name = name;
        known->number = -1;
        load_known(placer, where, known);
        shput(placer->models, name, known);
    }
    return known->left_out ? NULL : known;
}

static void find_leaves(const struct placer *placer, const struct hull_points *shape,
                        const struct transform *transform, int32_t **leaves)
{
    struct vec3 *placed = NULL;
    for (size_t i = 0; i < hull_points_count(shape); i++) {
        arrsetlen(placed, 0);
        for (size_t j = shape->starts[i]; j < shape->starts[i + 1]; j++)
            arrput(placed, transform_point(transform, shape->points[j]));
        prop_leaves_add(placer->compile->bsp, placed, arrlenu(placed), leaves);
    }
    arrfree(placed);
}

static int32_t *leaves_of(const struct placer *placer, const struct known_model *known,
                          const struct transform *transform)
{
    int32_t *leaves = NULL;
    find_leaves(placer, &known->shape, transform, &leaves);
    if (known->missing && !arrlen(leaves)) {
        struct hull_points wide = {0};
        struct bounds far = cube(REACH_FAR);
        prop_shape_box(&far, &wide);
        find_leaves(placer, &wide, transform, &leaves);
        hull_points_free(&wide);
    }
    return leaves;
}

static void number_model(struct placer *placer, struct known_model *known)
{
    if (known->number >= 0)
        return;
    char ***models = &placer->out->props.models;
    known->number = (int32_t)arrlen(*models);
    arrput(*models, str_copy(known->name));
}

static void place_prop(struct placer *placer, const struct map_entity *entity)
{
    struct placed_props *out = placer->out;
    struct diag_where where = prop_where(placer, entity);
    struct known_model *known = model_of(placer, entity, &where);
    if (!known)
        return;
    struct static_prop prop =
        prop_of_keys(placer->compile, entity, &where, out->form, &out->losses);
    struct vec3 origin =
        vec3((double)prop.origin[0], (double)prop.origin[1], (double)prop.origin[2]);
    struct vec3 angles =
        vec3((double)prop.angles[0], (double)prop.angles[1], (double)prop.angles[2]);
    bool scales = out->form == STATIC_PROP_11;
    struct transform transform =
        transform_from_angles(origin, angles, scales ? (double)prop.scale[0] : 1);
    int32_t *leaves = leaves_of(placer, known, &transform);
    if (!arrlen(leaves)) {
        (void)diag_report(placer->compile->env->diag, DIAG_PROP_OUTSIDE, &where, "\"%s\"",
                          known->name);
        return;
    }
    number_model(placer, known);
    prop.model = known->number;
    prop.first_leaf = (int32_t)arrlen(out->props.leaves);
    prop.leaf_count = (int32_t)arrlen(leaves);
    for (size_t i = 0; i < arrlenu(leaves); i++)
        arrput(out->props.leaves, leaves[i]);
    arrput(out->props.props, prop);
    arrfree(leaves);
}

void static_props_place(struct compile *compile, struct placed_props *out)
{
    int version = compile->options->static_prop_version;
    if (!version)
        version = USUAL_VERSION;
    *out = (struct placed_props){0};
    struct placer placer = {.compile = compile, .out = out};
    out->form = version == USUAL_VERSION ? STATIC_PROP_SDK2013 : static_prop_form_of(version, 0);
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct map_entity *map_entity = compile->entities[i].map_entity;
        if (map_entity && (entity_is(&map_entity->keys, "prop_static") ||
                           entity_is(&map_entity->keys, "static_prop")))
            place_prop(&placer, map_entity);
    }
    for (ptrdiff_t i = 0; i < shlen(placer.models); i++)
        hull_points_free(&placer.models[i].value->shape);
    shfree(placer.models);
    arena_free(&placer.arena);
}

/* Reports what props have and the target has no place for: keys, and members of records. */
static void report_losses(const struct compile *compile, const struct placed_props *placed)
{
    struct diag *diag = compile->env->diag;
    const struct diag_where where = {.file = compile->level->file};
    for (size_t i = 0; i < arrlenu(placed->losses); i++)
        diag_report(diag, DIAG_PROP_LOSS, &placed->losses[i].first, "%s of %zu props",
                    placed->losses[i].key, placed->losses[i].props);
    struct static_prop_loss *losses = static_props_losses(&placed->props, placed->form);
    for (size_t i = 0; i < arrlenu(losses); i++)
        diag_report(diag, DIAG_PROP_LOSS, &where, "%s of %zu props", losses[i].field,
                    losses[i].props);
    arrfree(losses);
}

enum status static_props_write(struct compile *compile, const struct placed_props *placed)
{
    struct record_range_error range_error;
    struct bsp_game_lump props = {
        .id = STATIC_PROPS_ID,
        .version = (uint16_t)static_prop_form_info(placed->form)->version,
    };
    if (!arrlen(placed->props.props))
        return STATUS_OK;
    if (!static_props_encode(&placed->props, placed->form, ORDER_LITTLE, &props.data,
                             &range_error)) {
        struct diag_where where = {.file = compile->level->file};
        bytes_free(&props.data);
        return diag_report(compile->env->diag, DIAG_PROP_LIMIT, &where,
                           "%s %zu: %s is %lld, must be %lld to %lld", range_error.what,
                           range_error.record, range_error.field, (long long)range_error.value,
                           (long long)range_error.min, (long long)range_error.max);
    }
    arrput(compile->bsp->game_lumps, props);
    report_losses(compile, placed);
    return STATUS_OK;
}

void placed_props_free(struct placed_props *placed)
{
    static_props_free(&placed->props);
    arrfree(placed->losses);
    *placed = (struct placed_props){0};
}
