#include "vbsp/target/source/props/prop_internal.h"

#include <limits.h>
#include <math.h>

#include "common/assets/mounts/asset_name.h"
#include "common/bsp/lumps/static_props.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/props.def"
#include "vbsp/target/source/props/props.h"

/* --- keys to records --- */

/* A key that props have and the form of the target has no place for. */
struct prop_key_loss {
    const char *key;
    size_t props;
    struct diag_where first; /* of them */
};

struct keys {
    const struct compile *compile;
    const struct entity *entity;
    const struct diag_where *where;
    enum static_prop_form form;
    struct prop_key_loss **losses; /* stb_ds array */
};

static void report_key(const struct keys *keys, const char *key, const char *why)
{
    (void)diag_report(keys->compile->env->diag, DIAG_PROP_KEY, keys->where, "%s \"%s\": %s", key,
                      entity_value(keys->entity, key), why);
}

/* A number within limits; `otherwise` if the key is missing, empty or invalid. */
static double number(const struct keys *keys, const char *key, double min, double max,
                     double otherwise)
{
    const char *text = entity_value(keys->entity, key);
    double value;
    if (!*text)
        return otherwise;
    if (str_to_double(text, &value) && value >= min && value <= max)
        return value;
    report_key(keys, key, "not a number in the valid range");
    return otherwise;
}

static int32_t integer(const struct keys *keys, const char *key, double min, double max)
{
    return (int32_t)trunc(number(keys, key, min, max, 0));
}

static bool is_set(const struct keys *keys, const char *key)
{
    return entity_number(keys->entity, key, 0) != 0;
}

/* Values that editors write by default. */
#define USUAL_RESOLUTION 32

/* Missing coordinates, and those far beyond the world, are 0. */
static void vector(const struct keys *keys, const char *key, float out[3])
{
    struct vec3 value = vec3(0, 0, 0);
    if (!entity_vector(keys->entity, key, &value) && entity_has(keys->entity, key))
        report_key(keys, key, "expected three numbers");
    for (int i = 0; i < 3; i++)
        out[i] = fabs(value.e[i]) <= 1e6 ? (float)value.e[i] : 0;
}

static void lose(const struct keys *keys, const char *key)
{
    size_t i = 0;
    while (i < arrlenu(*keys->losses) && strcmp((*keys->losses)[i].key, key) != 0)
        i++;
    if (i == arrlenu(*keys->losses)) {
        const struct prop_key_loss loss = {.key = key, .first = *keys->where};
        arrput(*keys->losses, loss);
    }
    (*keys->losses)[i].props++;
}

/* The forms whose records have a flag. */
enum flag_forms { IN_ALL, IN_EARLIER, IN_LATER, IN_FLAGS2 };

static bool form_has(enum static_prop_form form, enum flag_forms forms)
{
    switch (forms) {
    case IN_EARLIER:
        return !static_prop_form_info(form)->is_later;
    case IN_LATER:
        return static_prop_form_info(form)->is_later;
    case IN_FLAGS2:
        return static_prop_form_has_flags2(form);
    case IN_ALL:
        break;
    }
    return true;
}

static void read_flags(const struct keys *keys, struct static_prop *prop)
{
    static const struct {
        const char *key;
        uint32_t flag;
        enum flag_forms forms;
    } flags[] = {
        {"ignorenormals", STATIC_PROP_IGNORE_NORMALS, IN_ALL},
        {"disableshadows", STATIC_PROP_NO_SHADOW, IN_ALL},
        {"screenspacefade", STATIC_PROP_SCREEN_SPACE_FADE, IN_EARLIER},
        {"drawinfastreflection", STATIC_PROP_FAST_REFLECTION, IN_LATER},
        {"disableflashlight", STATIC_PROP_NO_FLASHLIGHT, IN_LATER},
        {"disablevertexlighting", STATIC_PROP_NO_VERTEX_LIGHTING, IN_ALL},
        {"disableselfshadowing", STATIC_PROP_NO_SELF_SHADOWING, IN_ALL},
        {"disableshadowdepth", STATIC_PROP_NO_SHADOW_DEPTH, IN_FLAGS2},
        {"enablelightbounce", STATIC_PROP_BOUNCES_LIGHT, IN_FLAGS2},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (!is_set(keys, flags[i].key))
            continue;
        if (!form_has(keys->form, flags[i].forms))
            lose(keys, flags[i].key);
        else if (flags[i].forms == IN_FLAGS2)
            prop->flags2 |= flags[i].flag;
        else
            prop->flags |= flags[i].flag;
    }
}

static void read_texel_lighting(const struct keys *keys, struct static_prop *prop)
{
    static const char *const sides[] = {"lightmapresolutionx", "lightmapresolutiony"};
    bool wanted = is_set(keys, "generatelightmaps");
    bool has_place = static_prop_form_info(keys->form)->has_wide_flags;
    if (wanted && !has_place)
        lose(keys, "generatelightmaps");
    if (!has_place)
        return;
    if (!wanted)
        prop->flags |= STATIC_PROP_NO_TEXEL_LIGHTING;
    for (int k = 0; k < 2 && wanted; k++)
        prop->lightmap_resolution[k] =
            (int32_t)trunc(number(keys, sides[k], 0, 65535, USUAL_RESOLUTION));
}

/* Without a far distance there is no fade, and both are cleared. */
static void read_fade(const struct keys *keys, struct static_prop *prop)
{
    double far = number(keys, "fademaxdist", -1e6, 1e6, 0);
    prop->forced_fade_scale = (float)number(keys, "fadescale", 0, 1e6, 1);
    if (!(far > 0))
        return;
    prop->flags |= STATIC_PROP_FADES;
    prop->fade_min = (float)number(keys, "fademindist", -1e6, 1e6, 0);
    prop->fade_max = (float)far;
}

static const struct map_entity *find_named(const struct compile *compile, const char *name)
{
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct map_entity *map_entity = compile->entities[i].map_entity;
        if (map_entity &&
            str_starts_nocase(entity_value(&map_entity->keys, "classname"), "info_lighting") &&
            str_equal_nocase(entity_value(&map_entity->keys, "targetname"), name))
            return map_entity;
    }
    return NULL;
}

static void read_lighting_origin(const struct keys *keys, struct static_prop *prop)
{
    const char *name = entity_value(keys->entity, "lightingorigin");
    struct vec3 origin;
    if (!*name)
        return;
    const struct map_entity *light = find_named(keys->compile, name);
    if (!light || !entity_vector(&light->keys, "origin", &origin)) {
        report_key(keys, "lightingorigin", "no info_lighting with this name");
        return;
    }
    prop->flags |= STATIC_PROP_HAS_LIGHTING_ORIGIN;
    for (int i = 0; i < 3; i++)
        prop->lighting_origin[i] = (float)origin.e[i];
}

/* "255 255 255", and the opacity. */
static void read_colour(const struct keys *keys, struct static_prop *prop)
{
    double colour[3];
    const char *text = entity_value(keys->entity, "rendercolor");
    if (*text && str_to_doubles(text, colour, 3) == 3)
        for (int i = 0; i < 3; i++)
            prop->colour[i] = (uint8_t)portable_fmin(portable_fmax(colour[i], 0), 255);
    else if (*text)
        report_key(keys, "rendercolor", "expected three numbers");
    prop->colour[3] = (uint8_t)number(keys, "renderamt", 0, 255, 255);
}

/* Makes a record of a form from the keys of a prop_static, without the model and the leaves.
 * Reports invalid keys (PROP_KEY), and adds to the losses, an stb_ds array, a row a key. */
static struct static_prop prop_of_keys(const struct compile *compile,
                                       const struct map_entity *entity,
                                       const struct diag_where *where, enum static_prop_form form,
                                       struct prop_key_loss **losses)
{
    struct keys keys = {compile, &entity->keys, where, form, losses};
    struct static_prop prop = static_prop_default();
    vector(&keys, "origin", prop.origin);
    vector(&keys, "angles", prop.angles);
    prop.solid = (uint8_t)number(&keys, "solid", 0, 255, STATIC_PROP_SOLID_MODEL);
    prop.skin = integer(&keys, "skin", INT32_MIN, INT32_MAX);
    read_flags(&keys, &prop);
    read_texel_lighting(&keys, &prop);
    read_fade(&keys, &prop);
    read_lighting_origin(&keys, &prop);
    read_colour(&keys, &prop);
    prop.min_dx = integer(&keys, "mindxlevel", 0, 65535);
    prop.max_dx = integer(&keys, "maxdxlevel", 0, 65535);
    prop.min_cpu = (uint8_t)integer(&keys, "mincpulevel", 0, 255);
    prop.max_cpu = (uint8_t)integer(&keys, "maxcpulevel", 0, 255);
    prop.min_gpu = (uint8_t)integer(&keys, "mingpulevel", 0, 255);
    prop.max_gpu = (uint8_t)integer(&keys, "maxgpulevel", 0, 255);
    prop.disable_x360 = is_set(&keys, "disablex360");
    double scale = number(&keys, "uniformscale", 1e-3, 1e3, 1);
    for (int i = 0; i < 3; i++)
        prop.scale[i] = (float)scale;
    return prop;
}

/* --- places --- */

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
    for (size_t i = 0; i < arrlenu(placed->losses); i++)
        diag_report(diag, DIAG_PROP_LOSS, &placed->losses[i].first, "%s of %zu props",
                    placed->losses[i].key, placed->losses[i].props);
    struct static_prop_loss *losses = static_props_losses(&placed->props, placed->form);
    for (size_t i = 0; i < arrlenu(losses); i++) {
        const float *at = placed->props.props[losses[i].first].origin;
        const struct diag_where where = {
            .file = compile->level->file,
            .has_point = true,
            .point = {(double)at[0], (double)at[1], (double)at[2]},
        };
        diag_report(diag, DIAG_PROP_LOSS, &where, "%s of %zu props", losses[i].field,
                    losses[i].props);
    }
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
