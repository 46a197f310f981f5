#include "vbsp/target/source/update/update.h"

#include <string.h>

#include "common/bsp/codec/map_flags.h"
#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/lumps/prop_lighting.h"
#include "common/bsp/lumps/static_props.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/level/pack_files.h"
#include "vbsp/target/source/combine/combine.h"
#include "vbsp/target/source/emit/emit.h"
#include "vbsp/target/source/entities/state.h"
#include "vbsp/target/source/materials/material_patch.h"
#include "vbsp/target/source/props/props.h"

/* Removes the light of static props that an update changed from the pakfile, where the lighting
 * stage stores it in files with the number of the prop, and the combined models of before. */

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

/* prop_files.c: removes the light of props that differ between the two game lumps (either may be
 * NULL: no props) from the pakfile, and replaces the combined models in it by those of the compile.
 * Otherwise it keeps its bytes. */
static enum status update_prop_files(const struct compile *compile, const struct bsp_game_lump *old,
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

/* --- update --- */

static struct bsp_game_lump *find_lump(struct bsp_game_lump *lumps, uint32_t id)
{
    for (size_t i = 0; i < arrlenu(lumps); i++)
        if (lumps[i].id == id)
            return &lumps[i];
    return NULL;
}

/* A lump without props is kept as three empty lists: names, leaves or sprites, and props. */
static void replace_lump(struct bsp_game_lump **lumps, uint32_t id, struct bsp_game_lump *fresh)
{
    struct bsp_game_lump *old = find_lump(*lumps, id);
    if (!old && fresh) {
        arrput(*lumps, *fresh);
        fresh->data = (struct bytes){0};
    } else if (old && fresh) {
        struct bytes data = old->data;
        old->data = fresh->data;
        old->version = fresh->version;
        fresh->data = data;
    } else if (old) {
        bytes_free(&old->data);
        old->data = (struct bytes){0};
        bytes_fill(&old->data, 0, 3 * sizeof(int32_t));
    }
}

static void free_lumps(struct bsp_game_lump *lumps)
{
    for (size_t i = 0; i < arrlenu(lumps); i++)
        bytes_free(&lumps[i].data);
    arrfree(lumps);
}

/* Rebuilds the props of the bsp; its other game lumps keep their bytes and order. */
static enum status replace_props(struct compile *compile, struct bsp *bsp, bool detail)
{
    struct bsp *loaded = compile->bsp;
    struct bsp_game_lump *lumps = bsp->game_lumps;
    bsp->game_lumps = NULL;
    compile->bsp = bsp;
    enum status status = static_props_emit(compile);
    if (status == STATUS_OK && detail)
        status = detail_props_emit(compile);
    compile->bsp = loaded;
    struct bsp_game_lump *fresh = bsp->game_lumps;
    bsp->game_lumps = lumps;
    if (status == STATUS_OK)
        status = update_prop_files(compile, find_lump(lumps, STATIC_PROPS_ID),
                                   find_lump(fresh, STATIC_PROPS_ID), bsp);
    if (status == STATUS_OK) {
        replace_lump(&bsp->game_lumps, STATIC_PROPS_ID, find_lump(fresh, STATIC_PROPS_ID));
        if (detail)
            replace_lump(&bsp->game_lumps, DETAIL_PROPS_ID, find_lump(fresh, DETAIL_PROPS_ID));
    }
    free_lumps(fresh);
    return status;
}

static enum status mark_stale(const struct env *env, const char *file, struct bsp *bsp)
{
    struct diag_where where = {.file = file};
    struct pakfile pakfile;
    struct bytes lump = {0};
    TRY(pakfile_decode(&bsp->pakfile, &where, env->diag, &pakfile));
    pack_stale_mark(&pakfile);
    enum status status = pakfile_encode(&pakfile, ZIP_STORED, &where, env->diag, &lump);
    pakfile_free(&pakfile);
    if (status != STATUS_OK)
        return status;
    bytes_free(&bsp->pakfile);
    bsp->pakfile = lump;
    return STATUS_OK;
}

enum status source_update_entities(struct compile *compile, struct bsp *bsp)
{
    struct bsp *loaded = compile->bsp;
    struct entity_list old = {0};
    TRY(entities_parse(bsp->entities, arrlenu(bsp->entities), "the BSP", compile->env->diag, &old));
    enum status status = update_check(compile, bsp, &old);
    if (status == STATUS_OK)
        status = replace_props(compile, bsp, false);
    if (status == STATUS_OK)
        status = mark_stale(compile->env, compile->level->file, bsp);
    if (status == STATUS_OK) {
        static const struct entity none = {0};
        compile->bsp = bsp;
        source_state(compile)->old_world = arrlen(old.entities) ? &old.entities[0] : &none;
        entities_finish(compile);
        compile->bsp = loaded;
    }
    entities_free(&old);
    return status;
}

/* Detail props of a face depend on its material, which is known by name. */
static void take_materials(struct compile *compile, const struct bsp *bsp)
{
    arrsetlen(compile->texinfos.materials, 0);
    for (size_t i = 0; i < arrlenu(bsp->texinfo); i++) {
        const char *name = bsp_texinfo_name(bsp, (int)i);
        arrput(compile->texinfos.materials, material_patch_find(compile, name));
    }
}

enum status source_update_props(struct compile *compile, struct bsp *bsp)
{
    take_materials(compile, bsp);
    return replace_props(compile, bsp, true);
}
