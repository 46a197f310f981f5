#include "render/render.h"

#include "common/assets/mounts/mount.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "render/shade/render_map.h"

const struct render_options render_defaults = {
    .width = 1280, .height = 720, .samples = 16, .fov = 90};

const char *const light_filter_names[] = {"bilinear", "bicubic", NULL};
const char *const foreign_luxels_names[] = {"none", "black", "white", NULL};

/* A damaged pakfile is reported and skipped. */
static void mount_packed(const struct render *render, struct assets *assets)
{
    const struct bytes *lump = &render->bsp->pakfile;
    struct mount *mount =
        lump->size ? mount_pakfile(lump, "packed files", render->env->diag) : NULL;
    if (mount)
        assets_mount_first(assets, mount);
}

static void find_skybox(struct render *render)
{
    for (size_t i = 1; i < arrlenu(render->entities.entities); i++) {
        const struct entity *entity = &render->entities.entities[i];
        struct render_skybox skybox = {.scale = entity_number(entity, "scale", 16)};
        if (!entity_is(entity, "sky_camera") || !entity_vector(entity, "origin", &skybox.origin) ||
            !(skybox.scale >= 1) || arrlen(render->bsp->leaves) == 0)
            continue;
        skybox.area = render->bsp->leaves[bsp_leaf_at(render->bsp, 0, skybox.origin)].area;
        skybox.present = true;
        render->skybox = skybox;
    }
}

static void report_problems(const struct render *render)
{
    struct diag *diag = render->env->diag;
    const struct diag_where where = {.file = render->options.file};
    const struct mesh *mesh = &render->mesh;
    size_t materials = render->materials.textured + render->materials.untextured;
    if (!mesh->lit && arrlen(render->bsp->nodes)) /* without a tree it is none that can be lit */
        diag_report(diag, DIAG_PICTURE_UNLIT, &where, "drawn with plain shading");
    if (render->materials.untextured > 0 && !render->options.lightmap_only)
        diag_report(diag,
                    assets_have_shaders(render->materials.assets) ? DIAG_PICTURE_SHADERS
                                                                  : DIAG_PICTURE_PLAIN,
                    &where, "%zu of %zu", render->materials.untextured, materials);
    if (render->options.filter != LIGHT_BILINEAR && !render->bsp->engine->light.filters_vary)
        diag_report(diag, DIAG_LIGHT_FILTER, &where, "the map is not one of Source");
    if (mesh->props_skipped)
        diag_report(diag, DIAG_PICTURE_PROPS, &where, "%zu of %zu", mesh->props_skipped,
                    mesh->props_skipped + mesh->props_drawn);
}

enum status render_open(const struct env *env, struct assets *assets, const struct bsp *bsp,
                        const struct render_options *options, struct render **out)
{
    struct render *render = memory_zalloc(1, sizeof *render);
    *out = render;
    render->env = env;
    render->bsp = bsp;
    render->options = *options;
    mount_packed(render, assets);
    render_materials_open(env, assets, &render->materials);
    TRY(entities_parse(bsp->entities, arrlenu(bsp->entities), "entities", env->diag,
                       &render->entities));
    render->light = bsp_lighting(bsp, options->hdr);
    render->lights = render_lights(render->light);
    render->sky = sky_of(render->light);
    if (arrlen(bsp->surfaces) == 0)
        find_skybox(render);
    const struct mesh_source source = {
        .env = env,
        .bsp = bsp,
        .entities = &render->entities,
        .light = render->light,
        .faces = bsp_faces_of(bsp, render->light),
        .assets = assets,
        .materials = &render->materials,
        .tools = options->tools,
    };
    progress_begin(env->progress, "scene", 0);
    enum status status = mesh_build(&source, &render->mesh);
    progress_end(env->progress);
    if (status == STATUS_OK && arrlen(render->mesh.triangles) == 0)
        status = diag_report(env->diag, DIAG_PICTURE_EMPTY,
                             &(struct diag_where){.file = options->file}, "the map has no faces");
    if (status == STATUS_OK)
        report_problems(render);
    progress_count(env->progress, "triangles", (int64_t)arrlen(render->mesh.triangles));
    return status;
}

const struct render_options *render_options_of(const struct render *render)
{
    return &render->options;
}

const struct engine *render_engine(const struct render *render)
{
    return render->bsp->engine;
}

struct bounds render_bounds(const struct render *render)
{
    struct bounds bounds = bounds_empty();
    size_t count;
    const float *positions = trace_positions(render->mesh.trace, TRACE_FACE, &count);
    for (size_t i = 0; i < 3 * count; i++)
        bounds_add_point(&bounds, vec3_from_floats(positions + 3 * i));
    return bounds;
}

void render_close(struct render *render)
{
    if (!render)
        return;
    mesh_free(&render->mesh);
    arrfree(render->lights);
    render_materials_free(&render->materials);
    entities_free(&render->entities);
    memory_free(render);
}
