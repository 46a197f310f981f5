#include "export/model/props.h"

#include "common/assets/models/model.h"
#include "common/bsp/lumps/static_props.h"
#include "common/core/array.h"
#include "common/io/fs.h"
#include "export/model/model.h"
#include "export/model/surfaces.h"
#include "scene/mesh/packed_light.h"

/* The look of a prop: props that have all of it in common are drawn from one mesh. Light per texel
 * is its own. */
struct look_row {
    struct look {
        int model, skin;
        uint32_t colour;
        int block;
        int own; /* the prop, where each has its own light; -1 */
    } key;
    int value;
};

struct prop_job {
    struct material_builder *materials;
    struct static_props props;
    int *first_surface;   /* of each prop in the mesh, -1: not drawn */
    struct model *loaded; /* of each name */
    bool *tried;
    struct look_row *meshes; /* stb_ds map */
    struct diag *quiet;      /* render_open has reported them */
    struct arena arena;
    int group;
};

static const struct model *model_of(struct prop_job *job, int number)
{
    struct model *model = &job->loaded[number];
    if (!job->tried[number]) {
        job->tried[number] = true;
        if (!model_load(job->materials->map->materials.assets, job->props.models[number],
                        &job->arena, job->quiet, model))
            *model = (struct model){0};
    }
    return arrlen(model->vtx.triangles) > 0 ? model : NULL;
}

static const char *skin_name(const struct model *model, int skin, int mesh)
{
    int32_t texture = mdl_texture(&model->mdl, skin, model->mdl.meshes[mesh].material);
    return texture >= 0 ? model->mdl.textures[texture] : "";
}

static int block_of(const struct prop_job *job, int surface)
{
    const struct light_atlas *atlas = job->materials->atlas;
    bool luxels = job->materials->map->mesh.surfaces[surface].lit_by == LIT_BY_LUXELS;
    return luxels && atlas->pages ? atlas->block_of[surface] : -1;
}

/* `number` is that of the triangle in the mesh. */
static void add_triangle(struct prop_job *job, const struct model *model,
                         const struct model_triangle *triangle, const int *materials,
                         int first_surface, uint32_t number, struct export_parts *builder)
{
    const struct surface *surface =
        &job->materials->map->mesh.surfaces[first_surface + triangle->mesh];
    int block = block_of(job, first_surface + triangle->mesh);
    struct export_vertex corners[3];
    float uv[3][2], st[3][2];
    memset(corners, 0, sizeof corners);
    for (int k = 0; k < 3; k++)
        memcpy(uv[k], model->vvd.vertices[triangle->vertices[2 - k]].uv, sizeof uv[k]);
    if (block >= 0)
        packed_light_st((const float(*)[2])uv, surface, st);
    for (int k = 0; k < 3; k++) {
        const struct model_vertex *vertex = &model->vvd.vertices[triangle->vertices[2 - k]];
        export_point(vec3_from_floats(vertex->p), job->materials->scene->units,
                     corners[k].position);
        export_direction(vec3_from_floats(vertex->normal), corners[k].normal);
        memcpy(corners[k].uv, uv[k], sizeof uv[k]);
        if (block >= 0)
            export_page_place(job->materials->atlas, block, st[k], corners[k].page);
    }
    if (materials[triangle->mesh] >= 0)
        export_triangle_add(job->materials, number, materials[triangle->mesh], corners, builder);
}

static int make_mesh(struct prop_job *job, const struct model *model,
                     const struct static_prop *prop, int first_surface, const char *name)
{
    struct export_parts builder = {0};
    size_t meshes = (size_t)model->mdl.mesh_count;
    int *materials = ARENA_ARRAY(&job->arena, int, meshes + 1);
    size_t *done = ARENA_ARRAY(&job->arena, size_t, meshes + 1); /* triangles of each surface */
    for (int i = 0; i < model->mdl.mesh_count; i++) {
        int block = block_of(job, first_surface + i);
        materials[i] = material_builder_add(
            job->materials, &job->materials->map->mesh.surfaces[first_surface + i],
            skin_name(model, prop->skin, i),
            block >= 0 ? job->materials->atlas->blocks[block].page : -1);
    }
    for (size_t i = 0; i < arrlenu(model->vtx.triangles); i++) {
        const struct model_triangle *from = &model->vtx.triangles[i];
        size_t surface = (size_t)first_surface + (size_t)from->mesh;
        if (model_shows_mesh(&model->mdl, from->mesh) &&
            done[from->mesh] < surface_order_count(job->materials->order, surface))
            add_triangle(job, model, from, materials, first_surface,
                         job->materials->order->triangles[job->materials->order->first[surface] +
                                                          done[from->mesh]++],
                         &builder);
    }
    return export_parts_finish(&builder, name, job->materials->scene);
}

static int mesh_of(struct prop_job *job, const struct model *model, size_t number, const char *name)
{
    const struct static_prop *prop = &job->props.props[number];
    int first_surface = job->first_surface[number];
    struct look_row row = {.key = {.model = prop->model, .skin = prop->skin}};
    memcpy(&row.key.colour, prop->colour, sizeof row.key.colour);
    row.key.block = block_of(job, first_surface);
    row.key.own = job->materials->bake->form == EXPORT_BAKE_NONE ? -1 : (int)number;
    ptrdiff_t at = hmgeti(job->meshes, row.key);
    if (at >= 0)
        return job->meshes[at].value;
    row.value = make_mesh(job, model, prop, first_surface, name);
    hmputs(job->meshes, row);
    return row.value;
}

/* "tree" for "models/props/tree.mdl". */
static const char *short_name(struct arena *arena, const char *model)
{
    return path_beside(arena, path_name(model), ".mdl", "");
}

static bool is_placed(const struct static_prop *prop)
{
    return floats_are_finite(prop->origin, 3) && floats_are_finite(prop->angles, 3) &&
           floats_are_finite(prop->scale, 3);
}

/* A prop whose model is not found is a node without mesh. */
static void add_prop(struct prop_job *job, size_t number)
{
    struct export_model *scene = job->materials->scene;
    const struct static_prop *prop = &job->props.props[number];
    bool known = prop->model >= 0 && prop->model < arrlen(job->props.models) && is_placed(prop);
    const char *file = known ? job->props.models[prop->model] : "";
    struct export_prop look = {arena_strdup(&scene->arena, file), prop->skin};
    arrput(scene->props, look);
    if (!known)
        return;
    struct export_node node = export_node_named(short_name(&scene->arena, look.model));
    node.parent = job->group;
    node.prop = (int)number;
    struct transform place =
        transform_from_angles(vec3_from_floats(prop->origin), vec3_from_floats(prop->angles), 1);
    const struct model *model = job->first_surface[number] >= 0 ? model_of(job, prop->model) : NULL;
    if (model)
        node.mesh = mesh_of(job, model, number, node.name);
    export_point(place.origin, scene->units, node.translation);
    export_rotation(&place, node.rotation);
    node.scale[0] = prop->scale[0];
    node.scale[1] = prop->scale[2];
    node.scale[2] = prop->scale[1];
    arrput(scene->nodes, node);
}

static void find_surfaces(struct prop_job *job)
{
    const struct mesh *mesh = &job->materials->map->mesh;
    size_t count = arrlenu(job->props.props);
    job->first_surface = memory_alloc((count + 1) * sizeof *job->first_surface);
    for (size_t i = 0; i < count; i++)
        job->first_surface[i] = -1;
    for (size_t i = arrlenu(mesh->surfaces); i-- > 0;)
        if (mesh->surfaces[i].prop >= 0)
            job->first_surface[mesh->surfaces[i].prop] = (int)i;
}

static void add_props(struct prop_job *job)
{
    struct export_model *scene = job->materials->scene;
    const struct export_node group = export_node_named("static props");
    size_t models = arrlenu(job->props.models), before = arrlenu(scene->nodes);
    find_surfaces(job);
    job->loaded = memory_zalloc(models + 1, sizeof *job->loaded);
    job->tried = memory_zalloc(models + 1, sizeof *job->tried);
    job->group = (int)before;
    arrput(scene->nodes, group);
    for (size_t i = 0; i < arrlenu(job->props.props); i++)
        add_prop(job, i);
    if (arrlenu(scene->nodes) == before + 1)
        arrsetlen(scene->nodes, before);
    for (size_t i = 0; i < models; i++)
        model_free(&job->loaded[i]);
    memory_free(job->loaded);
    memory_free(job->tried);
    memory_free(job->first_surface);
    hmfree(job->meshes);
}

void export_props(struct material_builder *materials)
{
    const struct bsp *bsp = materials->map->bsp;
    struct prop_job job = {.materials = materials, .quiet = diag_new(NULL, NULL)};
    enum static_prop_form form;
    for (size_t i = 0; i < arrlenu(bsp->game_lumps) && arrlen(job.props.props) == 0; i++) {
        const struct bsp_game_lump *lump = &bsp->game_lumps[i];
        if (lump->id == STATIC_PROPS_ID &&
            static_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL, job.quiet,
                                &job.props, &form) == STATUS_OK)
            add_props(&job);
    }
    static_props_free(&job.props);
    arena_free(&job.arena);
    diag_free(job.quiet);
}
