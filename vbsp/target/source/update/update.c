#include "vbsp/target/source/update/update.h"

#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/lumps/static_props.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "vbsp/level/pack_files.h"
#include "vbsp/target/source/combine/combine.h"
#include "vbsp/target/source/emit/emit.h"
#include "vbsp/target/source/entities/state.h"
#include "vbsp/target/source/materials/material_patch.h"
#include "vbsp/target/source/props/props.h"

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
