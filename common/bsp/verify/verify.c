#include "common/bsp/verify/verify.h"

#include <stdarg.h>

#include "common/bsp/codec/codec.h"
#include "common/bsp/engine.h"
#include "common/bsp/verify/verify_internal.h"
#include "common/core/array.h"

enum { REPORTED_MAX = 65536 }; /* as many as a map has faces */

void verify_fault(struct verifier *verifier, enum diag_code code, const struct vec3 *point,
                  const char *format, ...)
{
    if (verifier->reported[code]++ >= REPORTED_MAX)
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

void verify_rest(struct verifier *verifier)
{
    struct diag_where where = {.file = verifier->name};
    for (int code = 0; code < DIAG_CODES; code++)
        if (verifier->reported[code] > REPORTED_MAX)
            (void)diag_report(verifier->diag, (enum diag_code)code, &where, "%d more",
                              verifier->reported[code] - REPORTED_MAX);
}

static bool has_errors(const struct verifier *verifier)
{
    for (int code = 0; code < DIAG_CODES; code++)
        if (verifier->reported[code] && diag_info((enum diag_code)code)->severity == DIAG_ERROR)
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

static void verify_source(struct verifier *verifier)
{
    verify_lists(verifier);
    verify_planes(verifier);
    verify_edges(verifier);
    verify_models(verifier);
    verify_faces(verifier);
    verify_tree(verifier);
    verify_leaves(verifier);
    verify_brushes(verifier);
    verify_areas(verifier);
    verify_displacements(verifier);
    verify_props(verifier);
    verify_light(verifier);
    verify_visibility(verifier);
    verify_entities(verifier);
    verify_textures(verifier);
    verify_pakfile(verifier);
}

static void (*const verify_family[ENGINE_FAMILIES])(struct verifier *verifier) = {
    [ENGINE_SOURCE] = verify_source,
    [ENGINE_QUAKE3] = ibsp_verify,
};

static enum status verify_as(const struct bsp *bsp, const struct bsp_format *format,
                             bool any_branch, const char *name, struct diag *diag)
{
    TRY(format->codec->check(bsp, name, diag));
    TRY(bsp_check_limits(bsp, format, any_branch, name, diag));
    struct verifier verifier = {.bsp = bsp, .diag = diag, .name = name};
    verify_family[format->engine->family](&verifier);
    verify_rest(&verifier);
    enum status status = has_errors(&verifier) ? STATUS_FAILED : STATUS_OK;
    arena_free(&verifier.arena);
    return status;
}

enum status bsp_verify(const struct bsp *bsp, const char *name, struct diag *diag)
{
    const struct bsp_format *format = bsp->format ? bsp->format : bsp_format_at(0);
    return verify_as(bsp, format, true, name, diag);
}

enum status bsp_verify_for(const struct bsp *bsp, const struct bsp_format *branch, const char *name,
                           struct diag *diag)
{
    return verify_as(bsp, branch, false, name, diag);
}
