#include "ballance/compile/maker.h"
#include "common/assets/models/mesh_model.h"
#include "common/assets/models/model.h"
#include "common/core/strings.h"
#include "common/diag/codes/map_to_ballance.def"

/* Farther away floats are coarser than a unit. */
#define MODEL_REACH 0x1p24

struct model_job {
    struct ballance_maker *maker;
    const struct diag_where *where;
    struct vec3 scale;
    struct soup_triangle **soup;
    bool out_of_range; /* numbers of it cannot be held by a file */
};

/* The normal of a triangle that is clockwise seen from its front; false: it has no area. */
static bool flat_normal(struct soup_triangle *triangle)
{
    struct vec3 p = triangle->corners[0].p;
    struct vec3 normal =
        vec3_cross(vec3_sub(triangle->corners[2].p, p), vec3_sub(triangle->corners[1].p, p));
    if (!(vec3_length(normal) > 0))
        return false;
    triangle->normal = vec3_normalize(normal);
    return true;
}

static bool is_in_range(const struct soup_triangle *triangle)
{
    bool in = true;
    for (int k = 0; k < 3; k++) {
        const struct soup_corner *corner = &triangle->corners[k];
        in &= vec3_length(corner->p) < MODEL_REACH && fabs(corner->uv[0]) < MODEL_REACH &&
              fabs(corner->uv[1]) < MODEL_REACH;
    }
    return in;
}

/* Adds a triangle in the model's own space, which is mirrored by a negative scale. */
static void add_triangle(struct model_job *job, struct soup_triangle triangle)
{
    struct transform by = {
        .axes = {vec3(job->scale.x, 0, 0), vec3(0, job->scale.y, 0), vec3(0, 0, job->scale.z)}};
    for (int k = 0; k < 3; k++) {
        struct soup_corner *corner = &triangle.corners[k];
        corner->p = transform_point(&by, corner->p);
        if (vec3_length(corner->normal) > 0)
            corner->normal = transform_normal(&by, corner->normal);
    }
    if (job->scale.x * job->scale.y * job->scale.z < 0) {
        struct soup_corner swap = triangle.corners[1];
        triangle.corners[1] = triangle.corners[2];
        triangle.corners[2] = swap;
    }
    job->out_of_range |= !is_in_range(&triangle);
    if (flat_normal(&triangle))
        arrput(*job->soup, triangle);
}

static int material_of(struct model_job *job, const char *shader)
{
    const struct face_material *face = ballance_face(job->maker, shader, job->where);
    return face->kind == FACE_DRAWN ? face->material : -1;
}

static void add_part(struct model_job *job, const struct mesh_part *part)
{
    int material = material_of(job, part->shader);
    for (int32_t i = 0; i + 2 < part->index_count; i += 3) {
        struct soup_triangle triangle = {.material = material};
        for (int k = 0; k < 3; k++) {
            const struct mesh_vertex *vertex = &part->vertices[part->indices[i + k]];
            triangle.corners[k] = (struct soup_corner){
                vertex->p, vertex->normal, {vertex->texture[0], vertex->texture[1]}};
        }
        add_triangle(job, triangle);
    }
}

/* A model of Quake 3, from beside the map or from the assets. */
static enum mesh_model_found load_mesh(struct ballance_maker *maker, const char *name,
                                       const struct diag_where *where, struct mesh_model *out)
{
    const struct env *env = maker->env;
    struct bytes file = {0};
    const char *path =
        arena_printf(&maker->arena, "%s/%s", path_folder(&maker->arena, maker->level->file), name);
    if (env->fs->ops->kind(env->fs, path) != FS_FILE ||
        !fs_load_optional(env->fs, env->diag, path, &file))
        return maker->assets
                   ? mesh_model_load(maker->assets, name, 0, where, env->diag, &maker->arena, out)
                   : MESH_MODEL_MISSING;
    enum status status = mesh_model_decode(&file, name, 0, where, env->diag, &maker->arena, out);
    bytes_free(&file);
    return status == STATUS_OK ? MESH_MODEL_LOADED : MESH_MODEL_BROKEN;
}

/* The texture name of a mesh: the first of its material folders. */
static const char *studio_material(struct ballance_maker *maker, const struct mdl *mdl,
                                   int32_t mesh, int32_t skin)
{
    int32_t texture = mdl_texture(mdl, skin, mdl->meshes[mesh].material);
    if (texture < 0)
        return "";
    const char *folder = mdl->texture_path_count ? mdl->texture_paths[0] : "";
    return arena_printf(&maker->arena, "%s%s", folder, mdl->textures[texture]);
}

/* A model of Source, from the assets. */
static void add_studio(struct model_job *job, const char *name, const struct entity *keys)
{
    struct ballance_maker *maker = job->maker;
    struct model model;
    if (!maker->assets || !model_load(maker->assets, name, &maker->arena, maker->env->diag, &model))
        return;
    int32_t skin = (int32_t)entity_number(keys, "skin", 0);
    for (size_t i = 0; i < arrlenu(model.vtx.triangles); i++) {
        const struct model_triangle *source = &model.vtx.triangles[i];
        if (!model_shows_mesh(&model.mdl, source->mesh))
            continue;
        struct soup_triangle triangle = {
            .material = material_of(job, studio_material(maker, &model.mdl, source->mesh, skin))};
        for (int k = 0; k < 3; k++) {
            const struct model_vertex *vertex = &model.vvd.vertices[source->vertices[k]];
            struct vec3 normal = vec3_from_floats(vertex->normal);
            if (!(vec3_length(normal) > 0.5 && vec3_length(normal) < 2))
                normal = vec3(0, 0, 0);
            triangle.corners[k] =
                (struct soup_corner){vec3_from_floats(vertex->p),
                                     normal,
                                     {(double)vertex->uv[0], (double)vertex->uv[1]}};
        }
        add_triangle(job, triangle);
    }
    model_free(&model);
}

bool ballance_add_model(struct ballance_maker *maker, const struct map_entity *entity,
                        struct vec3 scale, struct soup_triangle **soup)
{
    struct diag_where where = map_where(maker->level, entity, NULL, NULL);
    struct model_job job = {.maker = maker, .where = &where, .scale = scale, .soup = soup};
    const char *name = entity_value(&entity->keys, "model");
    size_t before = arrlenu(*soup);
    struct mesh_model mesh;
    if (str_ends_nocase(name, ".mdl"))
        add_studio(&job, name, &entity->keys);
    else if (*name && load_mesh(maker, name, &where, &mesh) == MESH_MODEL_LOADED)
        for (int32_t i = 0; i < mesh.part_count; i++)
            add_part(&job, &mesh.parts[i]);
    if (arrlenu(*soup) > before && !job.out_of_range)
        return true;
    if (*soup)
        arrsetlen(*soup, before);
    diag_report(maker->env->diag, DIAG_BMX_FROM_MODEL, &where, "%s%s",
                *name ? name : "it has no key model",
                job.out_of_range ? ": points or texture coordinates are out of range" : "");
    return false;
}
