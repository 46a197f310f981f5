#include "scene/scene.h"

#include "common/assets/mounts/mount.h"
#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/diag/codes/lightmap_pages.def"
#include "common/diag/codes/pictures.def"

const char *const light_filter_names[] = {"bilinear", "bicubic", NULL};
const char *const foreign_luxels_names[] = {"none", "black", "white", NULL};

/* A damaged pakfile is reported and skipped. */
static void mount_packed(const struct map_scene *scene, struct assets *assets)
{
    const struct bytes *lump = &scene->bsp->pakfile;
    struct mount *mount = lump->size ? mount_pakfile(lump, "packed files", scene->env->diag) : NULL;
    if (mount)
        assets_mount_first(assets, mount);
}

/* Returns the shader of most surfaces of the sky, or -1. */
static int most_sky(const struct bsp *bsp)
{
    int *counts = memory_zalloc(arrlenu(bsp->shaders) + 1, sizeof *counts), best = -1;
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++) {
        int shader = bsp->surfaces[i].shader;
        if (bsp->shaders[shader].surface_flags & bsp->engine->geometry.sky_flags &&
            (counts[shader]++, best < 0 || counts[shader] > counts[best]))
            best = shader;
    }
    memory_free(counts);
    return best;
}

static void find_shader_sky(struct map_scene *scene)
{
    int shader = most_sky(scene->bsp);
    char name[SHADER_NAME + 1] = "";
    if (shader < 0)
        return;
    memcpy(name, scene->bsp->shaders[shader].name, SHADER_NAME);
    scene->sky_box = scene_materials_sky_of_shader(&scene->materials, name);
    if (scene->sky_box)
        sky_box_means(scene->sky_box, scene->sky.zenith, scene->sky.horizon);
}

enum { MAX_SKY = 1024 /* pixels of a side */ };

/* Keeps it only if all of its sides have HDR light. */
static void find_hdr_sky(struct map_scene *scene, const char *name)
{
    sky_sides_read(scene->materials.assets, name, true, MAX_SKY, &scene->hdr_sky);
    for (int i = 0; i < SKY_SIDES; i++)
        if (!scene->hdr_sky.sides[i].hdr)
            sky_sides_free(&scene->hdr_sky);
}

static void find_named_sky(struct map_scene *scene)
{
    const char *name = arrlen(scene->entities.entities)
                           ? entity_value(&scene->entities.entities[0], "skyname")
                           : NULL;
    if (!name || !*name)
        return;
    scene->sky_box = scene_materials_sky(&scene->materials, name);
    if (scene_is_hdr(scene))
        find_hdr_sky(scene, name);
}

static void find_skybox(struct map_scene *scene)
{
    for (size_t i = 1; i < arrlenu(scene->entities.entities); i++) {
        const struct entity *entity = &scene->entities.entities[i];
        struct map_skybox skybox = {.scale = entity_number(entity, "scale", 16)};
        if (!entity_is(entity, "sky_camera") || !entity_vector(entity, "origin", &skybox.origin) ||
            !(skybox.scale >= 1) || arrlen(scene->bsp->leaves) == 0)
            continue;
        skybox.area = scene->bsp->leaves[bsp_leaf_at(scene->bsp, 0, skybox.origin)].area;
        skybox.present = true;
        scene->skybox = skybox;
    }
}

/* Materials reflect nothing where the map has no cubemaps, whatever they name. */
static void find_cubemaps(struct map_scene *scene)
{
    bool hdr = scene_is_hdr(scene);
    if (scene->options.dull)
        return;
    scene->cubemaps = map_cubemaps_open(scene->bsp, hdr);
    scene->materials.cubemaps = scene->cubemaps;
    if (scene->cubemaps)
        scene->materials.reflects = hdr ? REFLECTS_HDR : REFLECTS_LDR;
}

/* Props and brushes that name no cubemap reflect the nearest one to their middle. */
static void assign_cubemaps(struct map_scene *scene)
{
    struct mesh *mesh = &scene->mesh;
    size_t count;
    const float *positions = trace_positions(mesh->trace, TRACE_FACE, &count);
    struct bounds *boxes = memory_alloc((arrlenu(mesh->surfaces) + 1) * sizeof *boxes);
    for (size_t i = 0; i < arrlenu(mesh->surfaces); i++)
        boxes[i] = bounds_empty();
    for (size_t i = 0; i < arrlenu(mesh->triangles); i++)
        for (size_t k = 0; k < 3; k++)
            bounds_add_point(&boxes[mesh->triangles[i].surface],
                             vec3_from_floats(positions + 9 * i + 3 * k));
    for (size_t i = 0; i < arrlenu(mesh->surfaces); i++) {
        const struct reflection *reflection =
            mesh->materials[mesh->surfaces[i].material].reflection;
        if (reflection && !reflection->cube)
            mesh->surfaces[i].cubemap =
                map_cubemaps_nearest(scene->cubemaps, bounds_center(&boxes[i]));
    }
    memory_free(boxes);
}

static void report_problems(const struct map_scene *scene)
{
    struct diag *diag = scene->env->diag;
    const struct diag_where where = {.file = scene->options.file};
    const struct mesh *mesh = &scene->mesh;
    size_t materials = scene->materials.textured + scene->materials.untextured;
    if (!mesh->lit && arrlen(scene->bsp->nodes)) /* without a tree it is none that can be lit */
        diag_report(diag, DIAG_PICTURE_UNLIT, &where, "drawn with plain shading");
    if (scene->materials.untextured > 0 && !scene->options.lightmap_only)
        diag_report(diag,
                    assets_have_shaders(scene->materials.assets) ? DIAG_PICTURE_SHADERS
                                                                 : DIAG_PICTURE_PLAIN,
                    &where, "%zu of %zu, first \"%s\"", scene->materials.untextured, materials,
                    scene->materials.first_untextured);
    if (scene->options.filter != LIGHT_BILINEAR && !scene->bsp->engine->light.filters_vary)
        diag_report(diag, DIAG_LIGHT_FILTER, &where, "the map is not one of Source");
    if (mesh->props_skipped)
        diag_report(diag, DIAG_PICTURE_PROPS, &where, "%zu of %zu", mesh->props_skipped,
                    mesh->props_skipped + mesh->props_drawn);
}

enum status map_scene_open(const struct env *env, struct assets *assets, const struct bsp *bsp,
                           const struct scene_options *options, struct map_scene *scene)
{
    *scene = (struct map_scene){.env = env, .bsp = bsp, .options = *options};
    mount_packed(scene, assets);
    scene_materials_open(env, assets, options->seconds, &scene->materials);
    scene->fogs = scene_fog_volumes(bsp, assets);
    TRY(entities_parse(bsp->entities, arrlenu(bsp->entities), "entities", env->diag,
                       &scene->entities));
    scene->light = bsp_lighting(bsp, options->hdr);
    scene->lights = scene_lights(scene->light);
    scene->dull = options->dull;
    find_cubemaps(scene);
    scene->sky = sky_of(scene->light);
    if (bsp->engine->geometry.has_surfaces)
        find_shader_sky(scene);
    else {
        find_named_sky(scene);
        find_skybox(scene);
    }
    const struct mesh_source source = {
        .env = env,
        .bsp = bsp,
        .entities = &scene->entities,
        .light = scene->light,
        .faces = bsp_faces_of(bsp, scene->light),
        .assets = assets,
        .materials = &scene->materials,
        .tools = options->tools,
        .moves_vertices = options->moves_vertices,
        .seconds = options->seconds,
    };
    progress_begin(env->progress, "scene", 0);
    enum status status = mesh_build(&source, &scene->mesh);
    progress_end(env->progress);
    if (status == STATUS_OK && arrlen(scene->mesh.triangles) == 0)
        status = diag_report(env->diag, DIAG_PICTURE_EMPTY,
                             &(struct diag_where){.file = options->file}, "the map has no faces");
    if (status == STATUS_OK && scene->cubemaps)
        assign_cubemaps(scene);
    if (status == STATUS_OK)
        report_problems(scene);
    progress_count(env->progress, "triangles", (int64_t)arrlen(scene->mesh.triangles));
    return status;
}

struct bounds map_scene_bounds(const struct map_scene *scene)
{
    struct bounds bounds = bounds_empty();
    size_t count;
    const float *positions = trace_positions(scene->mesh.trace, TRACE_FACE, &count);
    for (size_t i = 0; i < 3 * count; i++)
        bounds_add_point(&bounds, vec3_from_floats(positions + 3 * i));
    return bounds;
}

void map_scene_close(struct map_scene *scene)
{
    mesh_free(&scene->mesh);
    arrfree(scene->lights);
    arrfree(scene->fogs);
    sky_sides_free(&scene->hdr_sky);
    scene_materials_free(&scene->materials);
    map_cubemaps_free(scene->cubemaps);
    entities_free(&scene->entities);
}
