#include "vbsp/target/source/update.h"

#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/lumps/static_props.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "vbsp/compile.h"
#include "vbsp/level/dx_level.h"
#include "vbsp/level/instances/instance.h"
#include "vbsp/target/source/emit/pack_files.h"
#include "vbsp/target/source/materials/material_patch.h"
#include "vbsp/target/source/props/detail_props.h"
#include "vbsp/target/source/props/static_props.h"
#include "vbsp/target/source/source_parts.h"
#include "vbsp/target/source/update_check.h"

struct updater {
    struct vbsp_options options;
    struct map_source whole;
    struct compile compile; /* of the source, with a bsp of its own */
    struct bsp *loaded;     /* that one */
};

/* Props take the form that the file's branch of the engine has, whatever -target says. */
static enum status begin(struct updater *updater, const struct env *env,
                         const struct vbsp_options *options, struct assets *assets,
                         const struct map_source *source, const struct bsp *bsp)
{
    *updater = (struct updater){.options = dx_level_options(options)};
    if (!arrlen(bsp->models))
        return diag_report(env->diag, DIAG_UPDATE_MISFIT,
                           &(struct diag_where){.file = source->file}, "the BSP has no world");
    if (bsp->format) {
        updater->options.target = vbsp_target_of(bsp->format);
        updater->options.file_version = bsp->format->version;
        updater->options.static_prop_version = bsp->format->static_prop_version;
        updater->options.of_2007 = bsp->format->ambient != AMBIENT_INDEXED;
    }
    TRY(map_source_complete(env, assets, source, &updater->whole));
    dx_level_filter(&updater->whole, options->dx_level);
    const struct vbsp_target *target =
        updater->options.target ? updater->options.target : &vbsp_target_source;
    target->adapt(&updater->whole, env->diag);
    updater->loaded = bsp_new();
    updater->compile = (struct compile){.env = env,
                                        .options = &updater->options,
                                        .assets = assets,
                                        .source = &updater->whole,
                                        .bsp = updater->loaded};
    updater->compile.planes.snap_axial = options->snap_axial;
    updater->compile.planes.limit = target->world_limit;
    progress_begin(env->progress, "brushes", 0);
    enum status status = load_map(&updater->compile);
    progress_end(env->progress);
    return status;
}

static void end(struct updater *updater)
{
    if (updater->compile.target)
        updater->compile.target->release(&updater->compile);
    compile_free(&updater->compile);
    bsp_free(updater->loaded);
    map_source_free(&updater->whole);
}

static struct bsp_game_lump *find_lump(struct bsp_game_lump *lumps, uint32_t id)
{
    for (size_t i = 0; i < arrlenu(lumps); i++)
        if (lumps[i].id == id)
            return &lumps[i];
    return NULL;
}

/* A lump of props that are all gone stays, as three empty lists: those of names, leaves or sprites,
 * and props. */
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

/* Makes the props anew for the bsp; its other game lumps keep their bytes and their places. */
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
        status = mark_stale(compile->env, compile->source->file, bsp);
    if (status == STATUS_OK) {
        static const struct entity none = {0};
        compile->bsp = bsp;
        compile->old_world = arrlen(old.entities) ? &old.entities[0] : &none;
        entities_finish(compile);
        compile->bsp = loaded;
    }
    entities_free(&old);
    return status;
}

enum status vbsp_update_entities(const struct env *env, const struct vbsp_options *options,
                                 struct assets *assets, const struct map_source *source,
                                 struct bsp *bsp)
{
    struct updater updater;
    enum status status = begin(&updater, env, options, assets, source, bsp);
    if (status == STATUS_OK)
        status = updater.compile.target->update_entities(&updater.compile, bsp);
    end(&updater);
    return status;
}

/* What grows on a face hangs on its material, which is known by its name. */
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

enum status vbsp_update_props(const struct env *env, const struct vbsp_options *options,
                              struct assets *assets, const struct map_source *source,
                              struct bsp *bsp)
{
    struct updater updater;
    enum status status = begin(&updater, env, options, assets, source, bsp);
    if (status == STATUS_OK)
        status = updater.compile.target->update_props(&updater.compile, bsp);
    end(&updater);
    return status;
}

enum status vbsp_update_file(const struct env *env, const char *path, vbsp_update *update,
                             const struct vbsp_options *options, struct assets *assets,
                             const struct map_source *source, struct vbsp_output *out)
{
    *out = (struct vbsp_output){0};
    TRY(bsp_read_file(env, path, &out->bsp));
    enum status status = update(env, options, assets, source, out->bsp);
    progress_begin(env->progress, "write", 0);
    if (status == STATUS_OK)
        status = bsp_write_file(env, out->bsp, out->bsp->format, path);
    progress_end(env->progress);
    if (status != STATUS_OK)
        vbsp_output_free(out);
    return status;
}
