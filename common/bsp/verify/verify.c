#include "common/bsp/verify/verify.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/bsp/codec/codec.h"
#include "common/bsp/engine.h"
#include "common/bsp/verify/verify_internal.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/verify.def"

void entity_check(const struct entity *entity, size_t index, size_t models,
                  struct entity_check *out)
{
    const char *model = entity_value(entity, "model");
    bool has_class = entity_has(entity, "classname"), has_brushes = model[0] == '*';
    int64_t number = 0;
    bool exists =
        has_brushes && str_to_int64(model + 1, &number) && number >= 1 && number < (int64_t)models;
    *out = (struct entity_check){.model = exists ? (size_t)number : 0};
    if (!has_class)
        snprintf(out->fault, sizeof out->fault, "entity %zu: no classname", index);
    else if (has_brushes && !exists)
        snprintf(out->fault, sizeof out->fault, "entity %zu: model %.20s; the last one is *%zu",
                 index, model, models ? models - 1 : 0);
}

enum { REPORTED_MAX = 65536 }; /* as many as a map has faces */

void verify_fault(struct verifier *verifier, int code, const struct vec3 *point, const char *format,
                  ...)
{
    verifier->faults++;
    if (verifier->reported[diag_index(code)]++ >= REPORTED_MAX)
        return;
    struct diag_where where = {.file = verifier->name};
    if (point) {
        where.has_point = true;
        memcpy(where.point, point->e, sizeof where.point);
    }
    struct arena_mark mark = arena_mark(&verifier->arena);
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(&verifier->arena, format, args);
    va_end(args);
    (void)diag_report(verifier->diag, code, &where, "%s", message);
    arena_release(&verifier->arena, mark);
}

static void verify_rest(struct verifier *verifier)
{
    struct diag_where where = {.file = verifier->name};
    for (int code = diag_next(0); code; code = diag_next(code)) {
        const int reported = verifier->reported[diag_index(code)];
        if (reported > REPORTED_MAX)
            (void)diag_report(verifier->diag, code, &where, "%d more", reported - REPORTED_MAX);
    }
}

static bool has_errors(const struct verifier *verifier)
{
    for (int code = diag_next(0); code; code = diag_next(code))
        if (verifier->reported[diag_index(code)] && diag_info(code)->severity == DIAG_ERROR)
            return true;
    return false;
}

static void verify_lists(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    bool console = bsp->encoding.order == ORDER_BIG;
    const struct {
        const char *what, *of;
        size_t length, expected;
    } lists[] = {
        {"distances to water", "leaves", arrlenu(bsp->leaf_min_dist_to_water),
         arrlenu(bsp->leaves)},
        {"macro textures", "faces", arrlenu(bsp->face_macro_texture), arrlenu(bsp->faces)},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        /* A console's file drops lumps that it does not use. */
        if (lists[i].length != lists[i].expected && (lists[i].length || !console))
            verify_fault(verifier, DIAG_VERIFY_LIST, NULL, "%zu %s, but %zu %s", lists[i].length,
                         lists[i].what, lists[i].expected, lists[i].of);
}

static const struct verify_step source_steps[] = {
    {"lists of one length", verify_lists},
    {"planes", verify_planes},
    {"edges", verify_edges},
    {"models", verify_models},
    {"faces", verify_faces},
    {"tree", verify_tree},
    {"leaves", verify_leaves},
    {"brushes", verify_brushes},
    {"areas and areaportals", verify_areas},
    {"displacements", verify_displacements},
    {"static and detail props", verify_props},
    {"lightmaps and ambient light", verify_light},
    {"visibility", verify_visibility},
    {"entities and their models", verify_entities},
    {"texture data", verify_textures},
    {"packed files", verify_pakfile},
};

static const struct verify_steps source_verify_steps = {source_steps,
                                                        sizeof source_steps / sizeof *source_steps};

static const struct verify_steps *const verify_family[ENGINE_FAMILIES] = {
    [ENGINE_SOURCE] = &source_verify_steps,
    [ENGINE_QUAKE3] = &ibsp_verify_steps,
};

static void put_check(struct bsp_verify_check **checks, const char *what, size_t faults)
{
    if (checks)
        arrput(*checks, ((struct bsp_verify_check){what, faults}));
}

/* The steps rely on these, and do not run without them. */
static enum status verify_records(const struct bsp *bsp, const struct bsp_format *format,
                                  bool any_branch, const char *name, struct diag *diag,
                                  struct bsp_verify_check **checks)
{
    size_t before = diag_entries(diag);
    enum status status = format->codec->check(bsp, name, diag);
    put_check(checks, "records and their indices", diag_entries(diag) - before);
    TRY(status);
    before = diag_entries(diag);
    status = bsp_check_limits(bsp, format, any_branch, name, diag);
    put_check(checks, "limits of the engine", diag_entries(diag) - before);
    return status;
}

static enum status verify_as(const struct bsp *bsp, const struct bsp_format *format,
                             bool any_branch, const char *name, struct diag *diag,
                             struct bsp_verify_check **checks)
{
    TRY(verify_records(bsp, format, any_branch, name, diag, checks));
    struct verifier verifier = {.bsp = bsp, .diag = diag, .name = name};
    const struct verify_steps *steps = verify_family[format->engine->family];
    for (size_t i = 0; i < steps->count; i++) {
        const size_t before = verifier.faults;
        steps->steps[i].run(&verifier);
        put_check(checks, steps->steps[i].what, verifier.faults - before);
    }
    verify_rest(&verifier);
    enum status status = has_errors(&verifier) ? STATUS_FAILED : STATUS_OK;
    arena_free(&verifier.arena);
    return status;
}

static const struct bsp_format *format_of(const struct bsp *bsp)
{
    return bsp->format ? bsp->format : bsp_format_at(0);
}

enum status bsp_verify(const struct bsp *bsp, const char *name, struct diag *diag)
{
    return verify_as(bsp, format_of(bsp), true, name, diag, NULL);
}

enum status bsp_verify_listed(const struct bsp *bsp, const char *name, struct diag *diag,
                              struct bsp_verify_check **checks)
{
    return verify_as(bsp, format_of(bsp), true, name, diag, checks);
}

enum status bsp_verify_for(const struct bsp *bsp, const struct bsp_format *branch, const char *name,
                           struct diag *diag)
{
    return verify_as(bsp, branch, false, name, diag, NULL);
}
