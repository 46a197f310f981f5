/* brushwork export: writes a compiled map as a model for other programs. */
#include "export/export.h"

#include <string.h>

#include "brushwork/shared/picture.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/assets/content_roots.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"

static const char details[] =
    "Writes a compiled map as glTF 2.0 or as OBJ, for Blender and other programs. The ending of "
    "the output decides: .glb is one file; a .gltf has its buffer and a folder of images beside; "
    "an .obj has its materials (.mtl) and a folder of images beside. y is up, and a unit of the "
    "map is an inch, 0.0254 metres; --scale changes that.\n\n"
    "The model has what pictures of brushwork-render show: faces, displacements, patches as "
    "triangles, brush entities and static props, each entity as a node at its origin with its keys "
    "as extras, props of one look with one mesh. glTF has the lights and, as second texture "
    "coordinates, the lightmaps: their images are named by the extension MOZ_lightmap and by the "
    "extras of each material. Surfaces of the sky, and those that games do not draw, are left "
    "out.\n\n"
    "Textures and models come from the map's packed files, from --game and from "
    "-insert_search_path, as for brushwork-render. FILE may be given with or without .bsp; - is "
    "standard input, and --out - writes a .glb on standard output. It may be a BM file, a level of "
    "Ballance, too.";

struct export_values {
    struct standard_options standard;
    struct export_settings export;
    enum export_form form;
    bool hdr, tools;
    const char *out;
};

#define FIELD(name) offsetof(struct export_values, name)

static const struct option_def export_verb_options[] = {
    VERB_OUT(struct export_values,
             "output model: .glb, .gltf or .obj (default: FILE with .glb instead of .bsp)"),
    {.name = "scale",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = FIELD(export.scale),
     .min = 1e-6,
     .max = 1e6,
     .two_dashes = true,
     .help = "length of a unit of the map: 0.0254 is metres, 1 keeps units"},
    {.name = "lightmaps",
     .argument = "FORM",
     .kind = OPTION_CHOICE,
     .offset = FIELD(export.pages),
     .choices = export_page_forms,
     .two_dashes = true,
     .help = "images of lightmaps of glTF: png, rgbm for the whole range of HDR light, or none"},
    {.name = "bake",
     .argument = "FORM",
     .kind = OPTION_CHOICE,
     .offset = FIELD(export.bake),
     .choices = export_bake_forms,
     .two_dashes = true,
     .help = "light in the colours of unlit materials: atlas, an image of all surfaces as they are "
             "lit, vertex, colours of vertices, or none"},
    {.name = "bake-size",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(export.bake_size),
     .min = 16,
     .max = EXPORT_BAKE_SIDE,
     .two_dashes = true,
     .help = "--bake atlas: width and height of the image, in pixels"},
    {.name = "bake-step",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(export.bake_step),
     .min = 0,
     .max = 65536,
     .two_dashes = true,
     .help =
         "--bake vertex: longest edge of a triangle, in units of the map; 0: 16, or twice as long "
         "until there are at most 500000 triangles"},
    {.name = "exposure",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = FIELD(export.exposure),
     .min = 0,
     .max = 1000,
     .two_dashes = true,
     .help = "--bake: exposure factor; 0: 1 for LDR, automatic for HDR"},
    {.name = "light-units",
     .argument = "UNITS",
     .kind = OPTION_CHOICE,
     .offset = FIELD(export.light_units),
     .choices = export_light_unit_names,
     .two_dashes = true,
     .help = "intensities of lights: lumens, as glTF has them and Blender expects by default, or "
             "unitless, for programs that show them as they are"},
    VERB_FLAG(struct export_values, "sky", export.sky, "with the surfaces of the sky"),
    VERB_FLAG(struct export_values, "tools", tools,
              "with surfaces that games do not draw: triggers, nodraw"),
    VERB_TEXTURES(struct export_values, export),
    VERB_HDR(struct export_values, hdr),
    VERB_CONTENT(struct export_values),
    VERB_THREADS(struct export_values),
};

static const struct {
    const char *ending;
    enum export_form form;
} forms[] = {{".glb", EXPORT_GLB}, {".gltf", EXPORT_GLTF}, {".obj", EXPORT_OBJ}};

/* Sets the form by the ending of the output. */
static enum status find_form(const struct env *env, struct export_values *values)
{
    values->form = EXPORT_GLB;
    if (!values->out || strcmp(values->out, "-") == 0)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (str_ends_nocase(values->out, forms[i].ending)) {
            values->form = forms[i].form;
            return STATUS_OK;
        }
    (void)diag_report(env->diag, DIAG_USAGE, NULL,
                      "--out: invalid value '%s'; expected a file that ends in .glb, .gltf or .obj",
                      values->out);
    return STATUS_USAGE;
}

/* OBJ has no colours of vertices. */
static enum status check_form(const struct env *env, struct export_values *values)
{
    TRY(find_form(env, values));
    if (values->form != EXPORT_OBJ || values->export.bake != EXPORT_BAKE_VERTEX)
        return STATUS_OK;
    (void)diag_report(env->diag, DIAG_USAGE, NULL,
                      "--bake vertex needs a .glb or a .gltf: OBJ has no colours of vertices");
    return STATUS_USAGE;
}

/* Returns the file name without its ending. */
static const char *stem_of(struct arena *arena, const char *path)
{
    const char *name = path_name(path), *dot = strrchr(name, '.');
    return dot && dot > name ? arena_strndup(arena, name, (size_t)(dot - name)) : name;
}

/* The model comes last: whoever sees it finds the files beside. */
static enum status store_files(const struct env *env, const struct export_file *files,
                               const char *out)
{
    struct arena arena = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(files) && status == STATUS_OK; i++) {
        bool last = i + 1 == arrlenu(files);
        const char *path =
            last ? out : arena_printf(&arena, "%s/%s", path_folder(&arena, out), files[i].name);
        if (!last && strchr(files[i].name, '/')) /* an error here shows up when a file is written */
            (void)env->fs->ops->make_folder(env->fs, path_folder(&arena, path));
        status = env_store(env, path, files[i].data.data, files[i].data.size);
    }
    arena_free(&arena);
    return status;
}

static void tell(struct progress *progress, const struct export_counts *counts)
{
    const struct {
        const char *name;
        size_t count;
    } rows[] = {{"nodes", counts->nodes},         {"meshes", counts->meshes},
                {"triangles", counts->triangles}, {"materials", counts->materials},
                {"images", counts->images},       {"lights", counts->lights}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        progress_count(progress, rows[i].name, (int64_t)rows[i].count);
}

static enum status write_model(const struct program *program, const struct render *render,
                               const struct picture_paths *paths)
{
    const struct export_values *values = program->values;
    const struct env *env = program->env;
    struct arena arena = {0};
    struct export_file *files = NULL;
    struct export_counts counts;
    const struct export_source source = {.scene = &render->scene,
                                         .name = stem_of(&arena, paths->map),
                                         .file = stem_of(&arena, paths->out)};
    enum status status = export_write(env, &source, &values->export, values->form, &files, &counts);
    if (status == STATUS_OK)
        status = store_files(env, files, paths->out);
    if (status == STATUS_OK)
        tell(env->progress, &counts);
    export_files_free(files);
    arena_free(&arena);
    return status;
}

static enum status export_map(const struct program *program)
{
    struct export_values *values = program->values;
    struct render_options options = render_defaults;
    options.scene.hdr = values->hdr;
    options.scene.tools = values->tools;
    options.scene.dull = true;
    const struct picture_verb verb = {.name = "export",
                                      .extension = ".glb",
                                      .endings = "glb gltf obj",
                                      .out = values->out,
                                      .standard = &values->standard,
                                      .options = &options,
                                      .write = write_model};
    return picture_write(program, &verb, check_form(program->env, values));
}

int verb_export(int argc, char **argv)
{
    struct export_values values = {.export = export_defaults};
    const struct export_values defaults = values;
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("export")),
        .endings = "bsp bmx",
        .details = details,
        .defs = export_verb_options,
        .count = sizeof export_verb_options / sizeof *export_verb_options,
        .defaults = &defaults,
        .content = content_roots,
        .has_loops = true,
        .min_operands = 1,
        .max_operands = 1,
    };
    return program_run(&table, &values, &values.standard, argc, argv, export_map);
}
