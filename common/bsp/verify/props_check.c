/* Checks the contents of the game lumps of props. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/lumps/model_names.h"
#include "common/bsp/lumps/static_props.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/prop_lumps.def"
#include "common/geom/vec.h"

enum { TOLD_MAX = 5, MESSAGE_MAX = 256 };

/* Findings of one code. */
struct findings {
    struct diag *diag;
    const struct diag_where *where;
    int code;
    size_t count;
};

__attribute__((format(printf, 2, 3))) static void found(struct findings *findings,
                                                        const char *format, ...)
{
    char message[MESSAGE_MAX];
    va_list args;
    if (findings->count++ >= TOLD_MAX)
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    (void)diag_report(findings->diag, findings->code, findings->where, "%s", message);
}

static void tell_rest(struct findings *findings)
{
    if (findings->count > TOLD_MAX)
        (void)diag_report(findings->diag, findings->code, findings->where, "%zu more",
                          findings->count - TOLD_MAX);
}

static void check_names(char *const *models, struct findings *wrong)
{
    for (size_t i = 0; i < arrlenu(models); i++) {
        if (strlen(models[i]) >= MODEL_NAME_SIZE)
            found(wrong, "model %zu: unterminated name", i);
        else if (!str_ends_nocase(models[i], ".mdl"))
            found(wrong, "model %zu: name \"%s\" does not end in .mdl", i, models[i]);
    }
}

struct prop_checker {
    const struct static_props *props;
    size_t leaf_count;
    struct findings wrong, odd;
};

static bool has_span(const struct prop_checker *checker, const struct static_prop *prop)
{
    int64_t length = arrlen(checker->props->leaves);
    return prop->first_leaf >= 0 && prop->leaf_count >= 0 &&
           (int64_t)prop->first_leaf + prop->leaf_count <= length;
}

static void check_prop(struct prop_checker *checker, size_t i)
{
    const struct static_prop *prop = &checker->props->props[i];
    if (!floats_are_finite(prop->origin, 3) || !floats_are_finite(prop->angles, 3) ||
        !floats_are_finite(prop->scale, 3))
        found(&checker->wrong, "prop %zu: non-finite position, angles or scale", i);
    if (prop->model < 0 || prop->model >= arrlen(checker->props->models))
        found(&checker->wrong, "prop %zu: model %d of %zu", i, prop->model,
              arrlenu(checker->props->models));
    if (!has_span(checker, prop))
        found(&checker->wrong, "prop %zu: %d leaves starting at %d, but there are %zu", i,
              prop->leaf_count, prop->first_leaf, arrlenu(checker->props->leaves));
    else if (!prop->leaf_count)
        found(&checker->odd, "prop %zu: in no leaf", i);
    if (prop->solid != STATIC_PROP_NOT_SOLID && prop->solid != STATIC_PROP_SOLID_BOX &&
        prop->solid != STATIC_PROP_SOLID_MODEL)
        found(&checker->odd, "prop %zu: solid type %d", i, prop->solid);
}

static void check_models_used(struct prop_checker *checker)
{
    const struct static_props *props = checker->props;
    size_t models = arrlenu(props->models);
    bool *used = memory_zalloc(models, sizeof *used);
    for (size_t i = 0; i < arrlenu(props->props); i++)
        if (props->props[i].model >= 0 && (size_t)props->props[i].model < models)
            used[props->props[i].model] = true;
    for (size_t i = 0; i < models; i++)
        if (!used[i])
            found(&checker->odd, "model %zu (%s) is unused", i, props->models[i]);
    memory_free(used);
}

/* Returns true when each entry of the list of leaves belongs to one prop; in time linear in the
 * props and the list, however much the props' parts of it overlap. */
static bool leaves_are_divided(struct prop_checker *checker)
{
    const struct static_props *props = checker->props;
    size_t length = arrlenu(props->leaves), shared = 0, lost = 0;
    int64_t owners = 0, *starts_minus_ends = memory_zalloc(length + 1, sizeof *starts_minus_ends);
    for (size_t i = 0; i < arrlenu(props->props); i++) {
        const struct static_prop *prop = &props->props[i];
        if (!has_span(checker, prop))
            continue;
        starts_minus_ends[prop->first_leaf]++;
        starts_minus_ends[prop->first_leaf + prop->leaf_count]--;
    }
    for (size_t i = 0; i < length; i++) {
        owners += starts_minus_ends[i];
        shared += owners > 1;
        lost += owners == 0;
    }
    memory_free(starts_minus_ends);
    if (shared)
        found(&checker->odd, "entries of the leaf list in several props: %zu", shared);
    if (lost)
        found(&checker->odd, "entries of the leaf list in no prop: %zu", lost);
    return !shared;
}

static void check_leaves(struct prop_checker *checker)
{
    const struct static_props *props = checker->props;
    for (size_t i = 0; i < arrlenu(props->leaves); i++)
        if (props->leaves[i] < 0 || (size_t)props->leaves[i] >= checker->leaf_count)
            found(&checker->wrong, "entry %zu of the leaf list: leaf %d of %zu", i,
                  props->leaves[i], checker->leaf_count);
    if (!leaves_are_divided(checker))
        return;
    size_t *last =
        memory_zalloc(checker->leaf_count, sizeof *last); /* last prop of each leaf, from 1 */
    for (size_t i = 0; i < arrlenu(props->props); i++) {
        const struct static_prop *prop = &props->props[i];
        for (int k = 0; has_span(checker, prop) && k < prop->leaf_count; k++) {
            int32_t leaf = props->leaves[prop->first_leaf + k];
            if (leaf < 0 || (size_t)leaf >= checker->leaf_count)
                continue;
            if (last[leaf] == i + 1)
                found(&checker->odd, "prop %zu: leaf %d is listed twice", i, leaf);
            last[leaf] = i + 1;
        }
    }
    memory_free(last);
}

void static_props_check(const struct static_props *props, size_t leaf_count,
                        const struct diag_where *where, struct diag *diag)
{
    struct prop_checker checker = {props,
                                   leaf_count,
                                   {diag, where, DIAG_STATIC_PROPS, 0},
                                   {diag, where, DIAG_STATIC_PROPS_ODD, 0}};
    check_names(props->models, &checker.wrong);
    for (size_t i = 0; i < arrlenu(props->props); i++)
        check_prop(&checker, i);
    check_models_used(&checker);
    check_leaves(&checker);
    tell_rest(&checker.wrong);
    tell_rest(&checker.odd);
}

static void check_object(const struct detail_props *props, size_t i, struct findings *wrong)
{
    const struct detail_object *object = &props->objects[i];
    bool is_model = object->type == DETAIL_MODEL;
    size_t things = is_model ? arrlenu(props->models) : arrlenu(props->sprites);
    if (!floats_are_finite(object->origin, 3) || !floats_are_finite(object->angles, 3) ||
        !isfinite(object->scale))
        found(wrong, "detail prop %zu: non-finite position, angles or scale", i);
    if (object->type >= DETAIL_TYPES)
        found(wrong, "detail prop %zu: type %d", i, object->type);
    else if (object->model < 0 || (size_t)object->model >= things)
        found(wrong, "detail prop %zu: %s %d of %zu", i, is_model ? "model" : "sprite",
              object->model, things);
    if (object->orientation >= DETAIL_ORIENTATIONS)
        found(wrong, "detail prop %zu: orientation %d", i, object->orientation);
}

void detail_props_check(const struct detail_props *props, size_t leaf_count, size_t light_count,
                        const struct diag_where *where, struct diag *diag)
{
    struct findings wrong = {diag, where, DIAG_DETAIL_PROPS, 0};
    check_names(props->models, &wrong);
    for (size_t i = 0; i < arrlenu(props->sprites); i++)
        if (!floats_are_finite(props->sprites[i].upper_left, 2) ||
            !floats_are_finite(props->sprites[i].lower_right, 2) ||
            !floats_are_finite(props->sprites[i].texture_upper_left, 2) ||
            !floats_are_finite(props->sprites[i].texture_lower_right, 2))
            found(&wrong, "detail sprite %zu: non-finite number", i);
    for (size_t i = 0; i < arrlenu(props->objects); i++) {
        const struct detail_object *object = &props->objects[i];
        check_object(props, i, &wrong);
        if (object->leaf < 0 || (size_t)object->leaf >= leaf_count)
            found(&wrong, "detail prop %zu: leaf %d of %zu", i, object->leaf, leaf_count);
        if (i && object->leaf < object[-1].leaf)
            found(&wrong, "detail prop %zu: leaf %d follows leaf %d (must be sorted)", i,
                  object->leaf, object[-1].leaf);
        if (object->light_count &&
            (uint64_t)object->first_light + object->light_count > light_count)
            found(&wrong, "detail prop %zu: %d lights starting at %u, but there are %zu", i,
                  object->light_count, object->first_light, light_count);
    }
    tell_rest(&wrong);
}
