/* Removes the light of static props that an update changed from the pakfile, where the lighting
 * stage stores it in files with the number of the prop, and the combined models of before. */
#include <string.h>

#include "common/bsp/codec/map_flags.h"
#include "common/bsp/lumps/prop_lighting.h"
#include "common/bsp/lumps/static_props.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/target/source/combine/combine.h"
#include "vbsp/target/source/props/props.h"
#include "vbsp/target/source/update/update.h"

static bool decode(const struct bsp_game_lump *lump, const struct diag_where *where,
                   struct diag *diag, struct static_props *out)
{
    enum static_prop_form form;
    *out = (struct static_props){0};
    return !lump || static_props_decode(&lump->data, lump->version, ORDER_LITTLE, where, diag, out,
                                        &form) == STATUS_OK;
}

/* A combined model may have other members under the same name. */
static bool is_of_map(const char *model)
{
    return str_starts_nocase(model, "models/maps/");
}

/* Compares what the light of a prop depends on. */
static bool same_light(const struct static_props *a, const struct static_props *b, size_t i)
{
    const struct static_prop *p = &a->props[i], *q = &b->props[i];
    if (p->model < 0 || q->model < 0 || (size_t)p->model >= arrlenu(a->models) ||
        (size_t)q->model >= arrlenu(b->models))
        return false;
    return str_equal_nocase(a->models[p->model], b->models[q->model]) &&
           !is_of_map(a->models[p->model]) && p->flags == q->flags && p->skin == q->skin &&
           prop_floats_equal(p->origin, q->origin, 3) &&
           prop_floats_equal(p->angles, q->angles, 3) && prop_floats_equal(p->scale, q->scale, 3) &&
           prop_floats_equal(p->lighting_origin, q->lighting_origin, 3) &&
           memcmp(p->lightmap_resolution, q->lightmap_resolution, sizeof p->lightmap_resolution) ==
               0;
}

struct change {
    const struct static_props *before, *after;
};

static bool is_old(const void *context, enum prop_lighting kind, size_t prop)
{
    const struct change *change = context;
    (void)kind;
    return prop >= arrlenu(change->before->props) || prop >= arrlenu(change->after->props) ||
           !same_light(change->before, change->after, prop);
}

static bool replace_files(const struct compile *compile, const struct change *change,
                          struct pakfile *pakfile, struct bsp *bsp)
{
    uint32_t flags = map_flags_of_files(pakfile);
    bool changed = prop_lighting_remove(pakfile, is_old, change);
    map_flags_follow(bsp, flags, map_flags_of_files(pakfile));
    return combined_models_replace(compile, pakfile) || changed;
}

enum status update_prop_files(const struct compile *compile, const struct bsp_game_lump *old,
                              const struct bsp_game_lump *fresh, struct bsp *bsp)
{
    struct diag *diag = compile->env->diag;
    struct diag_where where = {.file = compile->level->file};
    struct static_props before, after;
    struct pakfile pakfile = {0};
    struct bytes lump = {0};
    bool changed = false, known = decode(old, &where, diag, &before);
    known &= decode(fresh, &where, diag, &after);
    enum status status =
        known ? pakfile_decode(&bsp->pakfile, &where, diag, &pakfile) : STATUS_FAILED;
    if (status == STATUS_OK)
        changed = replace_files(compile, &(struct change){&before, &after}, &pakfile, bsp);
    if (changed)
        status = pakfile_encode(&pakfile, ZIP_STORED, &where, diag, &lump);
    pakfile_free(&pakfile);
    static_props_free(&before);
    static_props_free(&after);
    if (changed && status == STATUS_OK) {
        bytes_free(&bsp->pakfile);
        bsp->pakfile = lump;
    }
    return status;
}
