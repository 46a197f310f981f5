/* Verifies the contents of packed lumps: static and detail props, entities, texture names, and the
 * archive of files. */
#include "common/bsp/verify/verify_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/codec/map_flags.h"
#include "common/bsp/engine.h"
#include "common/bsp/face_records.h"
#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/lumps/model_names.h"
#include "common/bsp/lumps/static_props.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/prop_lumps.def"
#include "common/diag/codes/verify.def"
#include "common/geom/vec.h"
#include "common/io/zip.h"
#include "common/text/entities.h"

/* --- the game lumps of props --- */

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

struct prop_check {
    const struct verifier *verifier;
    struct diag_where where;
    size_t leaves;
};

static const struct bsp_game_lump *find_lump(const struct bsp *bsp, uint32_t id)
{
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++)
        if (bsp->game_lumps[i].id == id && bsp->game_lumps[i].data.size)
            return &bsp->game_lumps[i];
    return NULL;
}

static size_t light_count(const struct prop_check *check, uint32_t id)
{
    const struct bsp_game_lump *lump = find_lump(check->verifier->bsp, id);
    struct detail_light *lights = NULL;
    size_t count = 0;
    if (lump && detail_light_decode(&lump->data, lump->version, ORDER_LITTLE, &check->where,
                                    check->verifier->diag, &lights) == STATUS_OK)
        count = arrlenu(lights);
    arrfree(lights);
    return count;
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

enum { KEY_MAX = 32, VALUE_MAX = 1024 }; /* characters; the size of the engine's buffers */

/* A key of Left 4 Dead 2's own worldspawn, which that game reads. */
static const char longer_key[] = "clip_3D_skybox_near_to_world_far_offset";

static bool is_too_long(const struct key_value *pair)
{
    return (strlen(pair->key) >= KEY_MAX && !str_equal_nocase(pair->key, longer_key)) ||
           strlen(pair->value) >= VALUE_MAX;
}

static void verify_entity(struct verifier *verifier, size_t i, const struct entity *entity,
                          int *model_users)
{
    struct entity_check checked;
    entity_check(entity, i, arrlenu(verifier->bsp->models), &checked);
    if (checked.fault[0])
        verify_fault(verifier, DIAG_VERIFY_ENTITIES, NULL, "%s", checked.fault);
    for (size_t k = 0; k < arrlenu(entity->pairs); k++)
        if (is_too_long(&entity->pairs[k]))
            verify_fault(verifier, DIAG_VERIFY_LONG_VALUE, NULL,
                         "entity %zu: value of %.40s has %zu characters", i, entity->pairs[k].key,
                         strlen(entity->pairs[k].value));
    if (checked.model)
        model_users[checked.model]++;
}

void verify_entities(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    struct entity_list list = {0};
    size_t models = arrlenu(bsp->models);
    if (entities_parse(bsp->entities ? bsp->entities : "", arrlenu(bsp->entities), verifier->name,
                       verifier->diag, &list) != STATUS_OK) {
        verify_fault(verifier, DIAG_VERIFY_ENTITIES, NULL, "syntax error");
        entities_free(&list);
        return;
    }
    if (!arrlen(list.entities) || !entity_is(&list.entities[0], "worldspawn"))
        verify_fault(verifier, DIAG_VERIFY_ENTITIES, NULL, "the first entity is not worldspawn");
    int *users = memory_zalloc(models, sizeof *users);
    for (size_t i = 0; i < arrlenu(list.entities); i++)
        verify_entity(verifier, i, &list.entities[i], users);
    for (size_t i = 1; i < models; i++)
        if (!users[i])
            verify_fault(verifier, DIAG_VERIFY_MODEL_USE, NULL, "model %zu", i);
    memory_free(users);
    entities_free(&list);
}

static int by_text(const void *a, const void *b)
{
    const char *first = *(const char *const *)a, *second = *(const char *const *)b;
    int order = str_compare_nocase(first, second);
    return order ? order : strcmp(first, second);
}

static void verify_names(struct verifier *verifier)
{
    size_t count = arrlenu(verifier->bsp->texture_names);
    if (!count)
        return;
    char **sorted = memory_alloc(count * sizeof *sorted);
    memcpy(sorted, verifier->bsp->texture_names, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_text);
    for (size_t i = 0; i < count; i++) {
        if (!*sorted[i])
            verify_fault(verifier, DIAG_VERIFY_TEXTURE, NULL, "empty texture name");
        else if (i && str_equal_nocase(sorted[i], sorted[i - 1]))
            verify_fault(verifier, DIAG_VERIFY_TEXTURE_TWICE, NULL, "%s", sorted[i]);
    }
    memory_free(sorted);
}

void verify_textures(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    for (size_t i = 0; i < arrlenu(bsp->texdata); i++) {
        const struct bsp_texdata *data = &bsp->texdata[i];
        if (data->width <= 0 || data->height <= 0 || data->view_width <= 0 ||
            data->view_height <= 0)
            verify_fault(verifier, DIAG_VERIFY_TEXTURE, NULL,
                         "texdata %zu (%s): size %d x %d, view size %d x %d", i,
                         bsp->texture_names[data->name], data->width, data->height,
                         data->view_width, data->view_height);
    }
    verify_names(verifier);
}

/* --- entities, texture names, the archive of files --- */

static void check_static(const struct prop_check *check)
{
    const struct bsp_game_lump *lump = find_lump(check->verifier->bsp, STATIC_PROPS_ID);
    struct diag *diag = check->verifier->diag;
    struct static_props props = {0};
    enum static_prop_form form;
    if (lump && static_props_decode(&lump->data, lump->version, ORDER_LITTLE, &check->where, diag,
                                    &props, &form) == STATUS_OK)
        static_props_check(&props, check->leaves, &check->where, diag);
    static_props_free(&props);
}

/* A map that is lit for LDR or HDR only has one of the lumps. */
static size_t detail_light_count(const struct prop_check *check)
{
    size_t ldr = light_count(check, DETAIL_LIGHT_ID), hdr = light_count(check, DETAIL_LIGHT_HDR_ID);
    if (!ldr || !hdr)
        return ldr + hdr;
    return ldr < hdr ? ldr : hdr;
}

static void check_detail(const struct prop_check *check)
{
    const struct bsp_game_lump *lump = find_lump(check->verifier->bsp, DETAIL_PROPS_ID);
    struct diag *diag = check->verifier->diag;
    struct detail_props props = {0};
    if (lump && detail_props_decode(&lump->data, lump->version, ORDER_LITTLE, &check->where, diag,
                                    &props) == STATUS_OK)
        detail_props_check(&props, check->leaves, detail_light_count(check), &check->where, diag);
    detail_props_free(&props);
}

void verify_props(struct verifier *verifier)
{
    const struct prop_check check = {
        verifier, {.file = verifier->name}, arrlenu(verifier->bsp->leaves)};
    size_t errors = diag_count(verifier->diag, DIAG_ERROR);
    check_static(&check);
    check_detail(&check);
    verifier->reported[diag_index(DIAG_STATIC_PROPS)] +=
        diag_count(verifier->diag, DIAG_ERROR) > errors;
}

enum { FILE_MAX = 256 << 20 };

/* True if the members claim to unpack to more than is accepted. */
static bool is_bomb(const struct zip *zip)
{
    uint64_t all = 0;
    for (size_t i = 0; i < arrlenu(zip->members) && all <= ZIP_ALL_MAX; i++)
        all =
            zip->members[i].size > ZIP_ALL_MAX ? zip->members[i].size : all + zip->members[i].size;
    return all > ZIP_ALL_MAX;
}

/* Each file must match its checksum and have a name that the engine's file system can look up. */
static void verify_file(struct verifier *verifier, const struct zip_member *member,
                        const struct diag_where *where, struct diag *quiet)
{
    struct bytes data = {0};
    if (!zip_name_is_safe(member->name))
        verify_fault(verifier, DIAG_VERIFY_PAKFILE, NULL, "unsafe file name \"%s\"", member->name);
    if (zip_unpack(member, FILE_MAX, where, quiet, &data) != STATUS_OK)
        verify_fault(verifier, DIAG_VERIFY_PAKFILE, NULL, "%s",
                     diag_entry(quiet, diag_entries(quiet) - 1)->message);
    bytes_free(&data);
}

/* The engine reads the flags before it looks for the files. */
static void verify_map_flags(struct verifier *verifier)
{
    struct diag *quiet = diag_new(NULL, NULL);
    struct pakfile pakfile = {0};
    const struct bsp *bsp = verifier->bsp;
    bool known = !bsp->format || bsp_format_has_lump(bsp->format, LUMP_MAPFLAGS);
    if (known && pakfile_decode(&bsp->pakfile, NULL, quiet, &pakfile) == STATUS_OK) {
        uint32_t files = map_flags_of_files(&pakfile);
        for (int bit = 0; map_flag_name(bit); bit++) {
            bool has_files = files >> bit & 1, is_set = bsp->map_flags >> bit & 1;
            if (has_files != is_set)
                verify_fault(verifier, DIAG_VERIFY_MAP_FLAGS, NULL, "%s: the flag is %s, %s",
                             map_flag_name(bit), is_set ? "set" : "clear",
                             has_files ? "but there are files" : "but there is no file");
        }
    }
    pakfile_free(&pakfile);
    diag_free(quiet);
}

void verify_pakfile(struct verifier *verifier)
{
    const struct bytes *lump = &verifier->bsp->pakfile;
    const struct diag_where where = {.file = verifier->name};
    struct zip zip = {0};
    verify_map_flags(verifier);
    if (!lump->size)
        return;
    struct diag *quiet = diag_new(NULL, NULL);
    bool sound = zip_read(lump->data, lump->size, &where, quiet, &zip) == STATUS_OK;
    if (!sound)
        verify_fault(verifier, DIAG_VERIFY_PAKFILE, NULL, "%s",
                     diag_entry(quiet, diag_entries(quiet) - 1)->message);
    if (sound && is_bomb(&zip)) {
        sound = false;
        verify_fault(verifier, DIAG_VERIFY_PAKFILE, NULL,
                     "packed files unpack to more than %" PRIu64 " bytes; they are not checked",
                     ZIP_ALL_MAX);
    }
    for (size_t i = 0; sound && i < arrlenu(zip.members); i++)
        verify_file(verifier, &zip.members[i], &where, quiet);
    zip_free(&zip);
    diag_free(quiet);
}
