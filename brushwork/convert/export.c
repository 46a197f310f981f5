#include "brushwork/convert/export.h"

#include <string.h>

#include "common/assets/game_program.h"
#include "common/assets/shaders/shader.h"
#include "common/bsp/export/map_export.h"
#include "common/bsp/export/mesh_export.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/exports.def"
#include "common/io/fs.h"

static const char *const map_formats[] = {"primitives", "valve220", "classic"};

const char *export_map_format_at(size_t index)
{
    return index < sizeof map_formats / sizeof *map_formats ? map_formats[index] : NULL;
}

enum map_form export_map_form(const char *name)
{
    size_t form = 0;
    while (export_map_format_at(form + 1) && !str_equal_nocase(map_formats[form], name))
        form++;
    return (enum map_form)form;
}

enum export_kind export_kind_of(const char *file)
{
    static const struct {
        const char *ending;
        enum export_kind kind;
    } kinds[] = {
        {".map", EXPORT_MAP}, {".vmf", EXPORT_VMF}, {".obj", EXPORT_OBJ}, {".ase", EXPORT_ASE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_ends_nocase(file, kinds[i].ending) || str_equal_nocase(file, kinds[i].ending + 1))
            return kinds[i].kind;
    return EXPORT_NONE;
}

static void image_size(void *context, const char *name, int size[2])
{
    const struct shader *shader = assets_shader(context, name);
    size[0] = shader->width;
    size[1] = shader->height;
}

static const char *image_name(void *context, const char *name)
{
    const struct shader *shader = assets_shader(context, name);
    return shader->image ? shader->image : name;
}

/* Lights that left the BSP when it was lit, from the notes beside it; none without notes. */
static enum status read_lights(const struct env *env, const struct bsp *bsp, const char *in,
                               struct surface_notes *notes)
{
    struct arena arena = {0};
    struct bytes text = {0};
    const char *path = path_beside(&arena, in, ".bsp", ".srf");
    enum status status = STATUS_OK;
    if (fs_load_optional(env->fs, env->diag, path, &text))
        status =
            surface_notes_parse((const char *)text.data, text.size, path, bsp, env->diag, notes);
    bytes_free(&text);
    arena_free(&arena);
    return status;
}

static void report_losses(const struct env *env, const struct map_export_counts *counts,
                          const char *in)
{
    const struct {
        size_t count;
        const char *one, *several;
    } losses[] = {
        {counts->flat_brushes, "brush without volume left out", "brushes without volume left out"},
        {counts->loose_triangles, "triangle that is on no brush left out",
         "triangles that are on no brush left out"},
        {counts->mixed_brushes,
         "solid brush with a visible side that is not, which may be mistaken",
         "solid brushes with a visible side that is not, which may be mistaken"},
        {counts->sheared_sides, "side with a sheared texture, which the form cannot express",
         "sides with sheared textures, which the form cannot express"},
        {counts->hidden_sides, "side that is not drawn, with caulk or the default alignment",
         "sides that are not drawn, with caulk or the default alignment"},
    };
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (losses[i].count)
            (void)diag_report(env->diag, DIAG_EXPORT_LOSS, &(struct diag_where){.file = in},
                              "%zu %s", losses[i].count,
                              losses[i].count == 1 ? losses[i].one : losses[i].several);
}

static enum status export_map(const struct program *program, const struct bsp *bsp,
                              const struct export_options *options, struct assets *assets,
                              const char *in, struct bytes *text)
{
    const struct env *env = program->env;
    struct surface_notes notes = {0};
    struct map_export_counts counts;
    enum status status = read_lights(env, bsp, in, &notes);
    if (status == STATUS_OK)
        status = map_export(bsp,
                            &(struct map_export_options){.form = options->map_format,
                                                         .image_size = image_size,
                                                         .context = assets,
                                                         .lights = notes.lights,
                                                         .lights_size = arrlenu(notes.lights)},
                            in, env->diag, text, &counts);
    if (status == STATUS_OK) {
        report_losses(env, &counts, in);
        console_say(program->console, "entities %zu, brushes %zu, patches %zu", counts.entities,
                    counts.brushes, counts.patches);
    }
    surface_notes_free(&notes);
    return status;
}

/* The material file lies beside an OBJ; a pipe has none. */
static enum status export_mesh(const struct program *program, const struct bsp *bsp,
                               const struct export_options *options, struct assets *assets,
                               const char *in, const char *out, struct bytes *text)
{
    const struct env *env = program->env;
    struct arena arena = {0};
    struct bytes mtl = {0};
    struct mesh_export_counts counts = {0};
    const char *library = path_beside(&arena, out, ".obj", ".mtl");
    const struct mesh_export_options mesh = {
        .image_name = options->shaders_as_bitmap ? NULL : image_name,
        .context = assets,
        .with_lightmaps = options->with_lightmaps,
        .lightmaps = path_beside(&arena, path_name(in), ".bsp", "")};
    enum status status =
        options->kind == EXPORT_OBJ
            ? obj_export(bsp, &mesh, path_name(library), in, env->diag, text, &mtl, &counts)
            : ase_export(bsp, &mesh, in, env->diag, text, &counts);
    if (status == STATUS_OK && options->kind == EXPORT_OBJ && strcmp(out, "-") != 0)
        status = env_store(env, library, mtl.data, mtl.size);
    if (status == STATUS_OK)
        console_say(program->console, "surfaces %zu, triangles %zu, vertices %zu", counts.surfaces,
                    counts.triangles, counts.vertices);
    bytes_free(&mtl);
    arena_free(&arena);
    return status;
}

static enum status make_text(const struct program *program, const struct bsp *bsp,
                             const struct export_options *options, const char *in, const char *out,
                             struct bytes *text)
{
    struct assets *assets;
    TRY(assets_open_of(program->env, options->standard,
                       (struct assets_use){.has_shaders = true, .sizes_only = true}, &assets));
    assets_hold_missing(assets); /* a missing image has the same size, or no name, here and there */
    enum status status = options->kind == EXPORT_MAP
                             ? export_map(program, bsp, options, assets, in, text)
                             : export_mesh(program, bsp, options, assets, in, out, text);
    const struct material **missing = assets_release_missing(assets);
    arrfree(missing);
    assets_free(assets);
    return status;
}

enum status export_bsp(const struct program *program, const struct bsp *bsp,
                       const struct export_options *options, const char *in, const char *out)
{
    const struct env *env = program->env;
    struct bytes text = {0};
    if (options->kind == EXPORT_VMF)
        return diag_report(env->diag, DIAG_EXPORT_FAMILY, &(struct diag_where){.file = in},
                           "a VMF can be made of a BM file only");
    if (!bsp->engine->can_decompile)
        return diag_report(env->diag, DIAG_EXPORT_FAMILY, &(struct diag_where){.file = in}, "%s",
                           bsp->format->title);
    enum status status = make_text(program, bsp, options, in, out, &text);
    if (status == STATUS_OK)
        status = env_store(env, out, text.data, text.size);
    if (status == STATUS_OK)
        console_say(program->console, "wrote %s (%zu bytes)", out, text.size);
    bytes_free(&text);
    return status;
}
