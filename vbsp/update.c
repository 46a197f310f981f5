/* Updates an existing BSP in part: loads the level as for a compile, and the target replaces the
 * requested records. */
#include "common/bsp/engine.h"
#include "common/bsp/sidecar/baked_lights.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "common/core/array.h"
#include "common/diag/codes/updates.def"
#include "common/io/fs.h"
#include "vbsp/context.h"
#include "vbsp/target/target.h"

/* Props use the version of the file's engine branch, regardless of -target. */
static struct vbsp_options options_for(const struct vbsp_options *options, const struct bsp *bsp)
{
    struct vbsp_options own = *options;
    if (bsp->format) {
        own.engine = bsp->engine;
        own.file_version = bsp->format->version;
        own.static_prop_version = bsp->format->static_prop_version;
        own.of_2007 = bsp->format->ambient != AMBIENT_INDEXED;
    }
    return own;
}

static enum status load(struct compile *compile)
{
    progress_begin(compile->env->progress, "brushes", 0);
    enum status status = load_map(compile);
    progress_end(compile->env->progress);
    return status;
}

static enum status update_bsp(const struct env *env, const struct vbsp_options *options,
                              struct assets *assets, const struct level *level, struct bsp *bsp,
                              bool entities)
{
    if (!arrlen(bsp->models))
        return diag_report(env->diag, DIAG_UPDATE_MISMATCH,
                           &(struct diag_where){.file = level->file}, "the BSP has no world model");
    const struct vbsp_options own = options_for(options, bsp);
    struct compile compile;
    TRY(compile_begin(&compile, env, &own, assets, level));
    enum status status = load(&compile);
    if (status == STATUS_OK)
        status = entities ? compile.target->update_entities(&compile, bsp)
                          : compile.target->update_props(&compile, bsp);
    struct bsp *loaded = compile.bsp;
    compile_free(&compile);
    bsp_free(loaded);
    return status;
}

enum status vbsp_update_entities(const struct env *env, const struct vbsp_options *options,
                                 struct assets *assets, const struct level *level, struct bsp *bsp)
{
    return update_bsp(env, options, assets, level, bsp, true);
}

enum status vbsp_update_props(const struct env *env, const struct vbsp_options *options,
                              struct assets *assets, const struct level *level, struct bsp *bsp)
{
    return update_bsp(env, options, assets, level, bsp, false);
}

/* The notes beside the map list its light entities, for vrad, in the place of the BSP. `srf` is
 * their path; out is empty without any. */
static enum status update_notes(const struct env *env, const char *srf, struct bsp *bsp,
                                struct bytes *out)
{
    struct bytes text = {0};
    struct surface_notes notes = {0};
    enum status status = STATUS_OK;
    if (bsp->engine->has_notes && fs_load_optional(env->fs, env->diag, srf, &text))
        status =
            surface_notes_parse((const char *)text.data, text.size, srf, bsp, env->diag, &notes);
    if (status == STATUS_OK && arrlen(notes.items)) {
        status = surface_notes_take_lights(&notes, bsp, env->diag);
        if (status == STATUS_OK)
            status = baked_lights_drop(bsp, env->diag);
        surface_notes_format(&notes, bsp, out);
    }
    surface_notes_free(&notes);
    bytes_free(&text);
    return status;
}

enum status vbsp_update_file(const struct env *env, const char *path, vbsp_update *update,
                             const struct vbsp_options *options, struct assets *assets,
                             const struct level *level, struct vbsp_output *out)
{
    *out = (struct vbsp_output){0};
    struct fs_hold *hold;
    TRY(env_hold(env, path, path, &hold));
    struct arena arena = {0};
    struct bytes notes = {0};
    const char *srf = path_beside(&arena, path, ".bsp", ".srf");
    enum status status = bsp_read_file(env, path, &out->bsp);
    if (status == STATUS_OK)
        status = update(env, options, assets, level, out->bsp);
    if (status == STATUS_OK && update == vbsp_update_entities)
        status = update_notes(env, srf, out->bsp, &notes);
    progress_begin(env->progress, "write", 0);
    if (status == STATUS_OK)
        status = bsp_write_output(env, out->bsp, out->bsp->format,
                                  &(struct bsp_output_file){.path = path, .hold = hold});
    if (status == STATUS_OK && notes.size)
        status = env_store(env, srf, notes.data, notes.size);
    progress_end(env->progress);
    fs_hold_end(hold);
    bytes_free(&notes);
    arena_free(&arena);
    if (status != STATUS_OK)
        vbsp_output_free(out);
    return status;
}
