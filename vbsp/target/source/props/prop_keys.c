#include "vbsp/target/source/props/prop_internal.h"

#include <math.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/props.def"

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

struct static_prop prop_of_keys(const struct compile *compile, const struct map_entity *entity,
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
