/* Removes the light of static props that an update changed from the pakfile: the lighting stage
 * stores it in files with the number of the prop. */
#include <string.h>

#include "common/bsp/codec/map_flags.h"
#include "common/bsp/lumps/prop_lighting.h"
#include "common/bsp/lumps/static_props.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/target/source/update/update.h"

static bool decode(const struct bsp_game_lump *lump, const struct diag_where *where,
                   struct diag *diag, struct static_props *out)
{
    enum static_prop_form form;
    *out = (struct static_props){0};
    return !lump || static_props_decode(&lump->data, lump->version, ORDER_LITTLE, where, diag, out,
                                        &form) == STATUS_OK;
}

static bool same_floats(const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] < b[i] || a[i] > b[i])
            return false;
    return true;
}

/* Compares what the light of a prop depends on. */
static bool same_light(const struct static_props *a, const struct static_props *b, size_t i)
{
    const struct static_prop *p = &a->props[i], *q = &b->props[i];
    if (p->model < 0 || q->model < 0 || (size_t)p->model >= arrlenu(a->models) ||
        (size_t)q->model >= arrlenu(b->models))
        return false;
    return str_equal_nocase(a->models[p->model], b->models[q->model]) && p->flags == q->flags &&
           p->skin == q->skin && same_floats(p->origin, q->origin, 3) &&
           same_floats(p->angles, q->angles, 3) && same_floats(p->scale, q->scale, 3) &&
           same_floats(p->lighting_origin, q->lighting_origin, 3) &&
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

enum status update_prop_light_files(const struct env *env, const char *file,
                                    const struct bsp_game_lump *old,
                                    const struct bsp_game_lump *fresh, struct bsp *bsp)
{
    struct diag_where where = {.file = file};
    struct static_props before, after;
    struct pakfile pakfile = {0};
    struct bytes lump = {0};
    uint32_t flags = 0;
    bool changed = false, known = decode(old, &where, env->diag, &before);
    known &= decode(fresh, &where, env->diag, &after);
    enum status status =
        known ? pakfile_decode(&bsp->pakfile, &where, env->diag, &pakfile) : STATUS_FAILED;
    if (status == STATUS_OK) {
        flags = map_flags_of_files(&pakfile);
        changed = prop_lighting_remove(&pakfile, is_old, &(struct change){&before, &after});
        map_flags_follow(bsp, flags, map_flags_of_files(&pakfile));
    }
    if (changed)
        status = pakfile_encode(&pakfile, ZIP_STORED, &where, env->diag, &lump);
    pakfile_free(&pakfile);
    static_props_free(&before);
    static_props_free(&after);
    if (changed && status == STATUS_OK) {
        bytes_free(&bsp->pakfile);
        bsp->pakfile = lump;
    }
    return status;
}
