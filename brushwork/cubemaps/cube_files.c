#include "brushwork/cubemaps/cube_files.h"

#include "common/assets/game_program.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/diag/codes/cubemaps.def"
#include "common/diag/codes/textures.def"
#include "render/pictures/cube.h"
#include "scene/views/scene_view.h"

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

enum status cube_files_make(const struct env *env, struct archive_edit *edit,
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
