/* brushwork cubemaps: draws what env_cubemap entities reflect, and packs it into the map. */
#include "common/diag/codes/cubemaps.def"
#include "brushwork/packing/archive_edit.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/assets/content_roots.h"
#include "common/assets/game_program.h"
#include "common/assets/textures/vtf_write.h"
#include "common/bsp/engine.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/diag/codes/textures.def"
#include "common/diag/codes/usage.def"
#include "render/pictures/cube.h"
#include "scene/views/scene_view.h"

/* The textures of a map's cubemaps. */

enum { CUBE_SIDE = 256 /* the largest, in pixels */ };

struct cube_options {
    const struct standard_options *standard; /* with the content */
    const char *folder;                      /* "materials/maps/NAME" */
    int side;                                /* pixels, a power of two; 0: of each entity */
    int samples;                             /* rays per pixel */
    int passes;                              /* the last shows reflections of those before it */
    int minor;                               /* version of the textures: 7.minor */
    enum vtf_format format;                  /* of LDR textures */
};

enum { USUAL_SIZE = 6, LARGEST_SIZE = 9 /* sides are 2 ^ (size - 1) */ };

struct maker {
    const struct env *env;
    struct archive_edit *edit;
    const struct cube_options *options;
    struct render *render;
    bool hdr;
    const char *ending;
};

static enum status put_texture(const struct maker *maker, const char *name, int side,
                               float (*const faces[RENDER_CUBE_FACES])[4])
{
    const float *pictures[RENDER_CUBE_FACES];
    struct vtf_source source = {side, side, 1, RENDER_CUBE_FACES, NULL, pictures};
    struct vtf_write_options options = vtf_write_defaults;
    struct bytes file = {0};
    for (int i = 0; i < RENDER_CUBE_FACES; i++)
        pictures[i] = faces[i][0];
    options.format = maker->hdr ? VTF_RGBA16F : maker->options->format;
    options.minor = maker->options->minor;
    options.flags = VTF_CLAMP_S | VTF_CLAMP_T;
    if (vtf_write(&source, &options, maker->env->threads, &file) != VTF_WRITTEN)
        return diag_report(maker->env->diag, DIAG_TEXTURE_WRITE, &maker->edit->where, "%s", name);
    enum status status = archive_edit_put(
        maker->edit,
        arena_printf(&maker->edit->arena, "%s/%s%s", maker->options->folder, name, maker->ending),
        &file);
    bytes_free(&file);
    return status;
}

static int side_of(const struct maker *maker, const struct bsp_cubemap *cubemap)
{
    if (maker->options->side)
        return maker->options->side;
    int size = cubemap->size > LARGEST_SIZE || !cubemap->size ? USUAL_SIZE : cubemap->size;
    return 1 << (size - 1);
}

static struct vec3 place_of(const struct bsp_cubemap *cubemap)
{
    return vec3(cubemap->origin[0], cubemap->origin[1], cubemap->origin[2]);
}

/* Told once, not for each light. */
static void report_faults(const struct maker *maker, const struct bsp_cubemap *cubemap)
{
    struct diag *diag = maker->env->diag;
    struct diag_where where = maker->edit->where;
    struct vec3 place = place_of(cubemap);
    for (int k = 0; k < 3; k++)
        where.point[k] = place.e[k];
    where.has_point = true;
    if (maker->hdr)
        return;
    if (scene_is_solid_at(&maker->render->scene, place))
        diag_report(diag, DIAG_CUBEMAP_SOLID, &where, "the place is inside of the map's solids");
    if (cubemap->size > LARGEST_SIZE && !maker->options->side)
        diag_report(diag, DIAG_CUBEMAP_SIZE, &where, "the size is 2 ^ %d", cubemap->size - 1);
}

struct faces {
    float (*pixels[RENDER_CUBE_FACES])[4];
};

static struct faces faces_new(int side)
{
    struct faces faces;
    for (int i = 0; i < RENDER_CUBE_FACES; i++)
        faces.pixels[i] = memory_alloc((size_t)side * (size_t)side * 4 * sizeof(float));
    return faces;
}

static void faces_free(struct faces *faces)
{
    for (int i = 0; i < RENDER_CUBE_FACES; i++)
        memory_free(faces->pixels[i]);
}

static enum status put_cubemap(const struct maker *maker, const struct bsp_cubemap *cubemap,
                               const struct faces *faces)
{
    const int32_t *at = cubemap->origin;
    const char *name =
        arena_printf(&maker->edit->arena, "c%d_%d_%d", (int)at[0], (int)at[1], (int)at[2]);
    report_faults(maker, cubemap);
    return put_texture(maker, name, side_of(maker, cubemap), faces->pixels);
}

/* Draws a cubemap, for the file or for the reflections of the next pass. */
static enum status make_cubemap(const struct maker *maker, const struct bsp_cubemap *cubemap,
                                struct cube *next)
{
    int side = side_of(maker, cubemap);
    struct faces faces = faces_new(side);
    enum status status = STATUS_OK;
    render_cube(maker->render, &maker->render->options, side, place_of(cubemap), faces.pixels);
    if (next)
        cube_set(next, side, faces.pixels);
    else
        status = put_cubemap(maker, cubemap, &faces);
    faces_free(&faces);
    return status;
}

static enum status make_default(const struct maker *maker)
{
    int side = maker->options->side ? maker->options->side : 1 << (USUAL_SIZE - 1);
    struct faces faces = faces_new(side);
    render_sky_cube(maker->render, side, faces.pixels);
    enum status status = put_texture(maker, "cubemapdefault", side, faces.pixels);
    faces_free(&faces);
    return status;
}

static bool same_place(const struct bsp_cubemap *a, const struct bsp_cubemap *b)
{
    return memcmp(a->origin, b->origin, sizeof a->origin) == 0;
}

/* Of several at one place, which share a name, the first is drawn. */
static bool is_drawn(const struct bsp_cubemap *cubemaps, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (same_place(&cubemaps[i], &cubemaps[index]))
            return true;
    return false;
}

static enum status draw_all(const struct maker *maker, struct cube *next)
{
    const struct bsp_cubemap *cubemaps = maker->edit->bsp->cubemaps;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(cubemaps) && status == STATUS_OK; i++) {
        status = env_go_on(maker->env);
        if (status == STATUS_OK && !is_drawn(cubemaps, i))
            status = make_cubemap(maker, &cubemaps[i], next ? &next[i] : NULL);
        progress_step(maker->env->progress);
    }
    return status;
}

/* Draws the cubemaps, and shows them from then on in the place of those of the pass before. */
static enum status draw_reflections(const struct maker *maker)
{
    struct map_scene *scene = &maker->render->scene;
    size_t count = arrlenu(scene->cubemaps);
    struct cube *next = memory_zalloc(count + 1, sizeof *next);
    enum status status = draw_all(maker, next);
    for (size_t i = 0; i < count; i++) {
        cube_free(&scene->cubemaps[i].cube);
        scene->cubemaps[i].cube = next[i];
    }
    memory_free(next);
    scene->dull = false;
    return status;
}

static enum status make_all(const struct maker *maker)
{
    struct progress *progress = maker->env->progress;
    size_t count = arrlenu(maker->edit->bsp->cubemaps);
    int passes = maker->options->passes;
    if (!count && !maker->hdr)
        diag_report(maker->env->diag, DIAG_CUBEMAPS_NONE, &maker->edit->where,
                    "the map has no env_cubemap");
    enum status status = make_default(maker);
    progress_begin(progress, maker->hdr ? "HDR cubemaps" : "cubemaps", count * (size_t)passes);
    maker->render->scene.dull = true;
    for (int i = 1; i < passes && status == STATUS_OK; i++)
        status = draw_reflections(maker);
    if (status == STATUS_OK)
        status = draw_all(maker, NULL);
    progress_end(progress);
    return status;
}

/* Draws a texture for each cubemap of the map and one of its sky, by its LDR light or, as `hdr`,
 * .hdr.vtf by its HDR light, and puts them among its packed files. Reports a map without cubemaps,
 * cubemaps in solids and sizes that no game has (CUBEMAPS_NONE, CUBEMAP_SOLID, CUBEMAP_SIZE). Fails
 * when the map cannot be drawn. */
static enum status cube_files_make(const struct env *env, struct archive_edit *edit,
                                   const struct cube_options *options, bool hdr)
{
    struct maker maker = {env, edit, options, NULL, hdr, hdr ? ".hdr.vtf" : ".vtf"};
    struct render_options of_render = render_defaults;
    struct assets *assets = NULL;
    of_render.samples = options->samples;
    of_render.scene.hdr = hdr;
    of_render.scene.dull = options->passes < 2;
    of_render.scene.file = edit->where.file;
    TRY(assets_open_of(env, options->standard,
                       (struct assets_use){.has_shaders = edit->bsp->engine->has_shaders},
                       &assets));
    assets_hold_missing(assets);
    enum status status = render_open(env, assets, edit->bsp, &of_render, &maker.render);
    if (status == STATUS_OK)
        status = make_all(&maker);
    render_close(maker.render);
    const struct material **missing = assets_release_missing(assets);
    arrfree(missing);
    assets_free(assets);
    return status;
}

/* --- cubemaps --- */

static const char details[] =
    "Draws the textures that env_cubemap entities reflect, as the game's buildcubemaps does, with "
    "no game: six faces around each, of the size that the entity has (32 pixels by default), with "
    "what brushwork render shows: lightmaps, textures, static props, the sky and the 3D skybox. "
    "They are packed into the map as materials/maps/MAP/cX_Y_Z.vtf and, if the map has HDR light, "
    "cX_Y_Z.hdr.vtf, in the place of those that it has: those of vbsp show the sky alone. "
    "cubemapdefault.vtf, which what has no cubemap reflects, shows the sky. MAP is the "
    "folder of the cubemaps that are there, else the name of the file.\n\n"
    "Versions are those that the branch's games read: 7.2 for VBSP 19, 7.5 for VBSP 21 but l4d2, "
    "else 7.4; before 7.5 a sphere map is the seventh face. LDR textures are DXT1 with gamma, HDR "
    "ones half-precision floats of linear light, in which 1 is white; smaller levels are means of "
    "light. Textures and models come from the map's packed files, --game and -insert_search_path. "
    "Materials reflect nothing, as in a game with mat_specular 0, unless --passes is 2 or more. "
    "Effects, overlays and sprites are not drawn. The result is the same for any number of "
    "threads.";

struct cubemaps_values {
    struct standard_options standard;
    const char *out, *map;
    struct cube_options cube;
    int version; /* 7.N; 0: auto */
    int format;  /* index in format_names */
};

static const char *const format_names[] = {"dxt1", "dxt5", "bgra8888", "bgr888", NULL};
static const enum vtf_format formats[] = {VTF_DXT1, VTF_DXT5, VTF_BGRA8888, VTF_BGR888};

#define FIELD(name) offsetof(struct cubemaps_values, name)

static const struct option_def cubemaps_options[] = {
    VERB_OUT(struct cubemaps_values, "output BSP (default: in place)"),
    {.name = "size",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(cube.side),
     .max = CUBE_SIDE,
     .two_dashes = true,
     .help = "width and height of all faces in pixels, a power of two; 0: those of the entities"},
    {.name = "samples",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(cube.samples),
     .min = 1,
     .max = 4096,
     .two_dashes = true,
     .help = "rays per pixel"},
    {.name = "passes",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(cube.passes),
     .min = 1,
     .max = 16,
     .two_dashes = true,
     .help = "draw all cubemaps N times: from the second time on, what is shiny reflects those of "
             "the time before"},
    {.name = "format",
     .argument = "FORMAT",
     .kind = OPTION_CHOICE,
     .choices = format_names,
     .offset = FIELD(format),
     .two_dashes = true,
     .help = "format of LDR textures"},
    {.name = "vtf-version",
     .argument = "N",
     .kind = OPTION_CHOICE,
     .choices = vtf_write_version_names,
     .offset = FIELD(version),
     .two_dashes = true,
     .use = OPTION_RARE,
     .help = "version of the textures; auto: as the branch's games have them"},
    {.name = "map",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     .offset = FIELD(map),
     .two_dashes = true,
     .help = "name of the map, if the BSP was renamed"},
    VERB_CONTENT(struct cubemaps_values),
    VERB_THREADS(struct cubemaps_values),
};

static int minor_version(const struct bsp_format *format, int chosen)
{
    if (chosen > 0)
        return chosen;
    if (format->version < 20)
        return 2;
    return format->version > 20 && !str_starts_nocase(format->target, "l4d") ? 5 : 4;
}

static enum status make_cubemaps(const struct program *program, struct archive_edit *edit)
{
    const struct cubemaps_values *values = program->values;
    struct cube_options options = values->cube;
    TRY(archive_edit_cubemap_folder(edit, values->map, &options.folder));
    options.standard = &values->standard;
    options.minor = minor_version(edit->bsp->format, values->version);
    options.format = formats[values->format];
    TRY(cube_files_make(program->env, edit, &options, false));
    if (edit->bsp->hdr.lighting.size)
        TRY(cube_files_make(program->env, edit, &options, true));
    return archive_edit_save(edit, program->console);
}

static enum status run_cubemaps(const struct program *program)
{
    const struct cubemaps_values *values = program->values;
    const char *path = program_file(program, 0, ".bsp");
    const char *out = values->out ? values->out : path;
    struct archive_edit edit;
    const char *wrong = NULL;
    if (values->cube.side & (values->cube.side - 1))
        wrong = "--size: a power of two is needed";
    else if (!values->out && strcmp(out, "-") == 0)
        wrong = "--out is required for a BSP from standard input";
    if (wrong) {
        (void)diag_report(program->env->diag, DIAG_USAGE, NULL, "%s", wrong);
        return STATUS_USAGE;
    }
    if (strcmp(out, "-") == 0)
        console_quiet(program->console);
    console_stage(program->console, "cubemaps", path);
    enum status status = archive_edit_open(program->env, path, out, &edit);
    if (status == STATUS_OK)
        status = make_cubemaps(program, &edit);
    archive_edit_close(&edit);
    return status;
}

int verb_cubemaps(int argc, char **argv)
{
    struct cubemaps_values values = {.cube.samples = 64, .cube.passes = 1};
    const struct cubemaps_values defaults = values;
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("cubemaps")),
        .endings = "bsp",
        .details = details,
        .content = content_roots,
        .defaults = &defaults,
        .defs = cubemaps_options,
        .count = sizeof cubemaps_options / sizeof *cubemaps_options,
        .min_operands = 1,
        .max_operands = 1,
    };
    return program_run(&table, &values, &values.standard, argc, argv, run_cubemaps);
}
