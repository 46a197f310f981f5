/* brushwork convert: writes a map for another branch of the engine, compressed or not, or for an
 * editor; and a level of Ballance for an editor. */
#include <math.h>
#include <string.h>

#include "ballance/level/bmx_level.h"
#include "ballance/verbs/bmx_convert.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/assets/content_roots.h"
#include "common/assets/game_program.h"
#include "common/assets/shaders/shader.h"
#include "common/bsp/bsp.h"
#include "common/bsp/convert/convert.h"
#include "common/bsp/convert/transform.h"
#include "common/bsp/engine.h"
#include "common/bsp/export/map_export.h"
#include "common/bsp/export/mesh_export.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/bsp_targets.def"
#include "common/diag/codes/exports.def"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"

/* Brushwork convert to a file for editors. */

enum export_kind { EXPORT_NONE, EXPORT_MAP, EXPORT_VMF, EXPORT_OBJ, EXPORT_ASE };

struct export_options {
    const struct standard_options *standard;
    enum export_kind kind;
    enum map_form map_format;
    bool shaders_as_bitmap; /* not the images of the shaders */
    bool with_lightmaps;    /* texture coordinates and images are those of lightmaps */
};

static const char *const map_formats[] = {"primitives", "valve220", "classic"};

/* The names of the forms of a .map: number `index`, or NULL after the last; and the form of one. */
static const char *export_map_format_at(size_t index)
{
    return index < sizeof map_formats / sizeof *map_formats ? map_formats[index] : NULL;
}

static enum map_form export_map_form(const char *name)
{
    size_t form = 0;
    while (export_map_format_at(form + 1) && !str_equal_nocase(map_formats[form], name))
        form++;
    return (enum map_form)form;
}

/* Returns the kind of a file by its ending, or of a name such as "map". */
static enum export_kind export_kind_of(const char *file)
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

/* Writes the file; reads what lies beside the BSP and the game's images. */
static enum status export_bsp(const struct program *program, const struct bsp *bsp,
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

/* --- convert --- */

static const char details[] =
    "Reads a BSP of any version and writes it for the engine branch given by --to: a target, or "
    "a file version (19 is css19, 20 is sdk2013, 20-2007 is source2007, 21 is portal2 and "
    "21-l4d2 is l4d2). Without --to the format is kept, and only compression and byte order "
    "change. Data that the target format cannot store is reported (B009) with its count; with "
    "--strict nothing is written then, and the exit status is 1. Unchanged lumps keep their "
    "bytes. IN and OUT may be - for standard input and output.\n\n"
    "--compress compresses each lump with LZMA if that makes it smaller, as bspzip -repack "
    "-compress does; the pakfile keeps its own compression. --big-endian writes a file for "
    "consoles.\n\n"
    "If OUT ends in .map, a Quake 3 BSP is turned back into a map: brushes without the bevels of "
    "the compiler, textures as the drawn surfaces show them, patches, entities, and the lights "
    "that an .srf file beside the BSP keeps. Brushes are detail where the BSP says or shows it. "
    "Models, decals and func_groups cannot be told apart any more: models are left out (B013). "
    "The forms valve220 and classic count texels, so that the sizes of images are needed: give "
    "the game by --game or fs_basepath; images that are missing count as 64 x 64.\n\n"
    "--scale and --shift change where a Quake 3 map is: all that is solid or drawn, the origins of "
    "entities and the light grid. Textures and light stay as they are; keys that are distances, as "
    "lip and radius, do too.\n\n"
    "If OUT ends in .obj (with a .mtl beside it) or .ase, what a Quake 3 BSP draws is written as "
    "triangles, in the axes and units of the map, with brush entities at their place. With - for "
    "OUT, --to map, obj or ase says what to write.\n\n"
    "A BM file, a level of Ballance (.bmx, detected by its content), becomes a .map or .vmf: "
    "objects are brush entities, closed meshes their brushes, surfaces that enclose nothing models "
    "(misc_model or prop_static) or, with --prisms, thin brushes; components are point entities. "
    "Packed textures, OBJ files of models and OUT.materials, the table that brings the materials "
    "back, are written beside OUT. What a map cannot express is reported (M120 to M137); with "
    "--strict nothing is written then.\n\n"
    "If OUT ends in .bmx (or with --to bmx), IN is a .map or .vmf, and becomes a level of "
    "Ballance: "
    "brush entities become objects with the outer hulls of their brushes as meshes, point entities "
    "components; materials are those of the table, IN.materials beside it. `vbsp --target "
    "ballance` "
    "does the same.";

struct convert_values {
    struct standard_options standard;
    const char *to, *out;
    double scale[3], shift[3];
    const char *map_format;
    bool shaders_as_bitmap, with_lightmaps, prisms;
    int max_pieces;
    bool compress, decompress, big, little, strict;
    struct ballance_options ballance;
};

static const struct option_def convert_options[] = {
    {.name = "to",
     .argument = "TARGET",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct convert_values, to),
     .two_dashes = true,
     .help = "target branch or version: css19, source2007, sdk2013sp, mapbase, sdk2013, tf2, gmod, "
             "portal2, "
             "csgo, momentum, strata, l4d2, quake3, openarena, xonotic, unvanquished, urbanterror, "
             "smokinguns, padman, tremulous, elite, reaction, wolf, et, quakelive, ja, jk2, sof2, "
             "warsow, warfork, or 19, 20, 20-2007, 21, 21-l4d2, 25, 46, 47; or map, vmf, obj, ase, "
             "bmx, whatever the ending of OUT"},
    VERB_OUT(struct convert_values, "output BSP, in the place of OUT"),
    VERB_FLAG(struct convert_values, "compress", compress, "compress lumps with LZMA"),
    VERB_FLAG(struct convert_values, "decompress", decompress, "decompress all lumps"),
    VERB_FLAG(struct convert_values, "big-endian", big, "write in the byte order of consoles"),
    VERB_FLAG(struct convert_values, "little-endian", little, "write in the byte order of PCs"),
    VERB_FLAG(struct convert_values, "strict", strict, "write nothing if data would be lost"),
    {.name = "scale",
     .argument = "X Y Z",
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct convert_values, scale),
     .min = 0.001,
     .max = 1000,
     .arity = 3,
     .two_dashes = true,
     .help = "Quake 3: scale the map, about 0 0 0"},
    {.name = "shift",
     .argument = "X Y Z",
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct convert_values, shift),
     .min = -131072,
     .max = 131072,
     .arity = 3,
     .two_dashes = true,
     .help = "Quake 3: move the map, after --scale"},
    {.name = "map-format",
     .argument = "FORM",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct convert_values, map_format),
     .name_at = export_map_format_at,
     .two_dashes = true,
     .help = "form of the faces of a .map (default: valve220 of a BM file, else primitives)"},
    VERB_FLAG(struct convert_values, "prisms", prisms,
              "of a BM file: thin brushes in the place of models"),
    {.name = "max-pieces",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = offsetof(struct convert_values, max_pieces),
     .min = 1,
     .max = 8192,
     .two_dashes = true,
     .help = "of a BM file: most brushes of a closed part of a mesh, which is a model otherwise"},
    VERB_FLAG(struct convert_values, "shaders-as-bitmap", shaders_as_bitmap,
              "in .obj and .ase: names of shaders in the place of their images"),
    VERB_FLAG(struct convert_values, "lightmaps-as-texcoord", with_lightmaps,
              "in .obj and .ase: coordinates and images of the lightmaps, as brushwork unpack "
              "--lightmaps writes them"),
    {.name = "game",
     .argument = "GAME",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct convert_values, standard.game),
     .help = "for .map, .obj, .ase and .bmx: the game with the images: openarena, quake3, or its "
             "folder"},
    {.name = "materials",
     .argument = "FILE",
     .endings = "materials",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = offsetof(struct convert_values, ballance.materials),
     .two_dashes = true,
     .help = "for .bmx: table of materials by texture names (default: IN.materials beside it, or "
             "OUT.materials)"},
    {.name = "bmx-scale",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct convert_values, ballance.scale),
     .min = 0.001,
     .max = 4096,
     .two_dashes = true,
     .help = "for .bmx: map units per unit of the game (default: 16)"},
    VERB_FLAG(struct convert_values, "no-merge", ballance.no_merge,
              "for .bmx: keep the sides of brushes as they are, also where they are coplanar"),
    VERB_QUAKE3_PATHS(struct convert_values),
};

/* A file version stands for the branch that most maps of it are for. */
static const struct {
    const char *name, *target;
} versions[] = {
    {"19", "css19"},     {"20", "sdk2013"}, {"20-2007", "source2007"}, {"21", "portal2"},
    {"21-l4d2", "l4d2"}, {"25", "strata"},  {"46", "quake3"},          {"47", "wolf"},
};

static enum status find_target(const char *name, struct diag *diag, const struct bsp_format **out)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (str_equal_nocase(versions[i].name, name))
            name = versions[i].target;
    *out = bsp_format_find(name);
    if (*out)
        return STATUS_OK;
    const char *nearest = bsp_format_at(0)->target;
    for (size_t i = 0; bsp_format_at(i); i++)
        if (str_distance(bsp_format_at(i)->target, name) < str_distance(nearest, name))
            nearest = bsp_format_at(i)->target;
    diag_report(diag, DIAG_USAGE, NULL, "--to: unknown target '%s' (did you mean '%s'?)", name,
                nearest);
    return STATUS_USAGE;
}

static enum status check_pairs(const struct convert_values *values, struct diag *diag)
{
    if (values->compress && values->decompress)
        diag_report(diag, DIAG_USAGE, NULL, "--compress and --decompress are mutually exclusive");
    else if (values->big && values->little)
        diag_report(diag, DIAG_USAGE, NULL,
                    "--big-endian and --little-endian are mutually exclusive");
    else
        return STATUS_OK;
    return STATUS_USAGE;
}

/* The name of a BSP may be that of any file of its map; files for editors are named as they are. */
static const char *output_operand(const struct program *program)
{
    const struct convert_values *values = program->values;
    const char *name = program->result->operands[1];
    return export_kind_of(values->to ? values->to : name) || is_bmx(values->to ? values->to : name)
               ? name
               : program_file(program, 1, ".bsp");
}

/* The second operand, or the argument of -o. */
static enum status find_output(const struct program *program, const char **out)
{
    const struct convert_values *values = program->values;
    bool has_operand = arrlenu(program->result->operands) > 1;
    if (has_operand != (values->out != NULL)) {
        *out = has_operand ? output_operand(program) : values->out;
        return STATUS_OK;
    }
    (void)diag_report(program->env->diag, DIAG_USAGE, NULL,
                      has_operand ? "OUT and -o name two outputs" : "missing argument: OUT");
    return STATUS_USAGE;
}

static void apply_encoding(struct bsp *bsp, const struct convert_values *values)
{
    if (values->compress || values->decompress)
        bsp->encoding.compressed = values->compress;
    if (values->big || values->little) {
        bsp->encoding.order = values->big ? ORDER_BIG : ORDER_LITTLE;
        bsp->encoding.relative_game_lumps = values->big;
    }
}

static enum status convert_to(struct bsp *bsp, const struct bsp_format *target, const char *name,
                              bool strict, struct diag *diag)
{
    int losses = 0;
    TRY(bsp_convert(bsp, target, name, diag, &losses));
    if (losses && strict)
        return diag_report(diag, DIAG_BSP_TARGET, &(struct diag_where){.file = name},
                           "data would be lost (%d warning%s); nothing written", losses,
                           losses == 1 ? "" : "s");
    return STATUS_OK;
}

static enum status transform(struct bsp *bsp, const struct convert_values *values, const char *name,
                             struct diag *diag)
{
    struct bsp_transform by;
    bool changes = false;
    for (int k = 0; k < 3; k++) {
        by.scale.e[k] = values->scale[k];
        by.shift.e[k] = values->shift[k];
        changes |= fabs(values->scale[k] - 1) > 0 || fabs(values->shift[k]) > 0;
    }
    return changes ? bsp_transform(bsp, &by, name, diag) : STATUS_OK;
}

static enum status convert_level(const struct program *program, const struct bytes *file,
                                 enum export_kind kind, const char *in, const char *out)
{
    const struct convert_values *values = program->values;
    const struct from_bmx_options options = {
        .form = values->map_format ? export_map_form(values->map_format) : MAP_FORM_VALVE,
        .vmf = kind == EXPORT_VMF,
        .prisms = values->prisms,
        .strict = values->strict,
        .max_pieces = values->max_pieces};
    if (kind == EXPORT_MAP || kind == EXPORT_VMF)
        return convert_from_bmx(program, file, &options, in, out);
    (void)diag_report(program->env->diag, DIAG_USAGE, NULL,
                      "%s is a BM file: expected an output that ends in .map or .vmf", in);
    return STATUS_USAGE;
}

static enum status write_bsp(const struct program *program, struct bsp *bsp,
                             const struct export_options *export, const struct bsp_format *target,
                             const struct bsp_output_file *output)
{
    const struct convert_values *values = program->values;
    const struct env *env = program->env;
    const char *in = program_file(program, 0, ".bsp");
    enum status status = transform(bsp, values, in, env->diag);
    if (status == STATUS_OK && target)
        status = convert_to(bsp, target, in, values->strict, env->diag);
    if (status != STATUS_OK)
        return status;
    if (export->kind)
        return export_bsp(program, bsp, export, in, output->path);
    apply_encoding(bsp, values);
    return bsp_write_output(env, bsp, target, output);
}

/* Converts what is read: a BSP or a BM file. Takes the bytes. */
static enum status convert_file(const struct program *program, struct bytes *file,
                                const struct export_options *export,
                                const struct bsp_format *target,
                                const struct bsp_output_file *output)
{
    const char *in = program_file(program, 0, ".bsp");
    struct bsp *bsp;
    if (bmx_is_bmx(file->data, file->size)) {
        enum status status = convert_level(program, file, export->kind, in, output->path);
        bytes_free(file);
        return status;
    }
    TRY(bsp_decode_file(file, in, program->env->diag, &bsp));
    enum status status = write_bsp(program, bsp, export, target, output);
    bsp_free(bsp);
    return status;
}

static enum status convert_bsp(const struct program *program)
{
    const struct convert_values *values = program->values;
    const struct env *env = program->env;
    const char *in = program_file(program, 0, ".bsp"), *out = values->out;
    const struct bsp_format *target = NULL;
    struct fs_hold *hold;
    struct bytes file = {0};
    TRY(check_pairs(values, env->diag));
    TRY(find_output(program, &out));
    const struct export_options export = {.standard = &values->standard,
                                          .kind = export_kind_of(values->to ? values->to : out),
                                          .map_format = values->map_format
                                                            ? export_map_form(values->map_format)
                                                            : MAP_FORM_PRIMITIVES,
                                          .shaders_as_bitmap = values->shaders_as_bitmap,
                                          .with_lightmaps = values->with_lightmaps};
    if (!export.kind || strcmp(out, "-") == 0)
        console_quiet(program->console);
    if (values->to && !export.kind)
        TRY(find_target(values->to, env->diag, &target));
    TRY(fs_prepare_output(env->fs, env->diag, out));
    TRY(env_hold(env, in, out, &hold));
    enum status status = fs_load(env->fs, env->diag, in, &file);
    if (status == STATUS_OK)
        status = convert_file(program, &file, &export, target,
                              &(struct bsp_output_file){.path = out, .hold = hold});
    fs_hold_end(hold);
    return status;
}

static enum status convert(const struct program *program)
{
    const struct convert_values *values = program->values;
    const char *out = NULL;
    TRY(find_output(program, &out));
    if (is_bmx(values->to ? values->to : out))
        return convert_to_bmx(program, &values->standard, &values->ballance, out);
    return convert_bsp(program);
}

int verb_convert(int argc, char **argv)
{
    struct convert_values values = {.scale = {1, 1, 1}, .max_pieces = BMX_MAX_PIECES};
    const struct convert_values defaults = values;
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("convert")),
        .endings = "bsp bmx map vmf",
        .details = details,
        .content = content_roots,
        .defaults = &defaults,
        .defs = convert_options,
        .count = sizeof convert_options / sizeof *convert_options,
        .min_operands = 1,
        .max_operands = 2,
    };
    return program_run(&table, &values, &values.standard, argc, argv, convert);
}
