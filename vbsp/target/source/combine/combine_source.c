#include <math.h>

#include "common/core/array.h"
#include "vbsp/target/source/combine/combine_internal.h"

/* The material of a column: in the first of the model's folders that has it, else in its first. */
static const char *material_of(struct combining *job, const struct mdl *mdl, int32_t texture)
{
    const char *name = NULL;
    for (int32_t i = mdl->texture_path_count - 1; i >= 0; i--) {
        const char *candidate =
            arena_printf(&job->arena, "%s%s", mdl->texture_paths[i], mdl->textures[texture]);
        if (i == 0 && !name)
            name = candidate;
        if (assets_has_material(job->compile->assets, candidate))
            name = candidate;
    }
    char *clean = arena_strlower(&job->arena, name ? name : mdl->textures[texture]);
    for (char *c = clean; *c; c++)
        if (*c == '\\')
            *c = '/';
    return clean;
}

/* False when a mesh shows no texture, or one that the engine draws sorted by distance. */
static bool find_materials(struct combining *job, struct source_model *source)
{
    const struct mdl *mdl = &source->files.mdl;
    source->materials = ARENA_ARRAY(&job->arena, const char *, (size_t)mdl->mesh_count + 1);
    for (int32_t i = 0; i < mdl->mesh_count; i++) {
        int32_t texture = mdl_texture(mdl, source->skin, mdl->meshes[i].material);
        if (!model_shows_mesh(mdl, i))
            continue;
        if (texture < 0)
            return false;
        source->materials[i] = material_of(job, mdl, texture);
        if (assets_has_material(job->compile->assets, source->materials[i]) &&
            assets_material(job->compile->assets, source->materials[i])->translucent)
            return false;
    }
    return true;
}

/* False when a mesh is not in range of the vertices. */
static bool measure(struct source_model *source)
{
    const struct mdl *mdl = &source->files.mdl;
    const struct vvd *vvd = &source->files.vvd;
    source->bounds = bounds_empty();
    for (int32_t i = 0; i < mdl->mesh_count; i++) {
        const struct mdl_mesh *mesh = &mdl->meshes[i];
        if (!model_shows_mesh(mdl, i))
            continue;
        if ((int64_t)mesh->first_vertex + mesh->vertex_count[0] > vvd->count)
            return false;
        for (int32_t k = 0; k < mesh->vertex_count[0]; k++)
            bounds_add_point(&source->bounds,
                             vec3_from_floats(vvd->vertices[mesh->first_vertex + k].p));
        source->vertices += mesh->vertex_count[0];
        source->meshes++;
    }
    return source->vertices > 0;
}

/* False when one lacks, or shows other materials. */
static bool load_lods(struct combining *job, const char *name, struct diag *diag,
                      struct source_model *source)
{
    int32_t count = source->files.vtx.lods;
    if (count != source->files.vvd.lods || count < 1 || count > MODEL_LODS)
        return false;
    for (int32_t lod = 1; lod < count; lod++) {
        struct vtx vtx;
        if (!model_load_lod(job->compile->assets, name, &source->files, lod, diag, &vtx))
            return false;
        arrput(source->coarser, vtx);
        if (vtx.replaces_materials || !isfinite(vtx.switch_point))
            return false;
    }
    return true;
}

static bool load(struct combining *job, struct source_model *source)
{
    const char *name = job->placed->props.models[source->model];
    struct assets *assets = job->compile->assets;
    const struct mdl *mdl = &source->files.mdl;
    struct diag *quiet = diag_new(NULL, NULL); /* static_props_place has reported */
    bool loaded = model_load(assets, name, &job->arena, quiet, &source->files) &&
                  load_lods(job, name, quiet, source);
    diag_free(quiet);
    return loaded && assets_read(assets, name, &source->mdl_file) && mdl->flags & MDL_STATIC_PROP &&
           mdl->bone_count == 1 && !(mdl->flags & MDL_TRANSLUCENT_TWO_PASS) &&
           source->files.vvd.tangents && arrlen(source->files.vtx.triangles) > 0 &&
           measure(source) && find_materials(job, source);
}

static int32_t source_of(struct combining *job, const struct static_prop *prop)
{
    for (size_t i = 0; i < arrlenu(job->sources); i++)
        if (job->sources[i].model == prop->model && job->sources[i].skin == prop->skin)
            return (int32_t)i;
    struct source_model source = {.model = prop->model, .skin = prop->skin};
    source.rule = combine_rules_find(&job->rules, job->placed->props.models[prop->model]);
    if (source.rule)
        source.rule->is_used = true;
    source.is_usable = load(job, &source);
    arrput(job->sources, source);
    return (int32_t)arrlen(job->sources) - 1;
}

void combining_load_sources(struct combining *job)
{
    const struct static_prop *props = job->placed->props.props;
    for (size_t i = 0; i < arrlenu(props); i++) {
        struct transform transform =
            transform_from_angles(vec3_from_floats(props[i].origin),
                                  vec3_from_floats(props[i].angles), (double)props[i].scale[0]);
        arrput(job->source_of, source_of(job, &props[i]));
        arrput(job->transforms, transform);
    }
}

void combining_free_sources(struct combining *job)
{
    for (size_t i = 0; i < arrlenu(job->sources); i++) {
        for (size_t k = 0; k < arrlenu(job->sources[i].coarser); k++)
            vtx_free(&job->sources[i].coarser[k]);
        arrfree(job->sources[i].coarser);
        model_free(&job->sources[i].files);
        bytes_free(&job->sources[i].mdl_file);
    }
    arrfree(job->sources);
    arrfree(job->source_of);
    arrfree(job->transforms);
    arena_free(&job->arena);
}
