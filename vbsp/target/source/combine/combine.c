#include "vbsp/target/source/combine/combine_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/level/level.h"
#include "vbsp/target/source/combine/combine.h"
#include "vbsp/target/source/combine/combine_options.h"

/* --- combine source --- */

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

/* Loads what the props show. Free with combining_free_sources. */
static void combining_load_sources(struct combining *job)
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

static void combining_free_sources(struct combining *job)
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

/* --- combine --- */

/* "maps/MAP", below models/. */
static const char *folder_of(const struct compile *compile, struct arena *arena)
{
    const char *map = level_name(arena, compile->level->file);
    const char *folder = asset_name(arena, arena_printf(arena, "maps/%s", map));
    return folder ? folder : "maps";
}

/* --- the new list of props --- */

/* A prop that stands for others. */
struct replacement {
    const struct prop_group *group;
    struct combined_prop made;
};

static int32_t model_number(struct static_props *props, const char *name)
{
    for (size_t i = 0; i < arrlenu(props->models); i++)
        if (strcmp(props->models[i], name) == 0)
            return (int32_t)i;
    arrput(props->models, str_copy(name));
    return (int32_t)arrlen(props->models) - 1;
}

static int compare_leaves(const void *a, const void *b)
{
    const int32_t *p = a, *q = b;
    return *p > *q ? -1 : *p < *q;
}

/* Leaves without duplicates, in the order that prop_leaves_add gives them. */
static void put_prop(struct static_props *out, const struct static_prop *prop, const char *model,
                     int32_t *leaves)
{
    struct static_prop placed = *prop;
    qsort(leaves, arrlenu(leaves), sizeof *leaves, compare_leaves);
    placed.model = model_number(out, model);
    placed.first_leaf = (int32_t)arrlen(out->leaves);
    for (size_t i = 0; i < arrlenu(leaves); i++)
        if (i == 0 || leaves[i] != leaves[i - 1])
            arrput(out->leaves, leaves[i]);
    placed.leaf_count = (int32_t)arrlen(out->leaves) - placed.first_leaf;
    arrput(out->props, placed);
}

static void keep_prop(const struct combining *job, size_t prop, struct static_props *out)
{
    const struct static_props *old = &job->placed->props;
    const struct static_prop *kept = &old->props[prop];
    int32_t *leaves = NULL;
    for (int32_t i = 0; i < kept->leaf_count; i++)
        arrput(leaves, old->leaves[kept->first_leaf + i]);
    put_prop(out, kept, old->models[kept->model], leaves);
    arrfree(leaves);
}

static void put_group(const struct combining *job, const struct replacement *replacement,
                      struct static_props *out)
{
    const struct static_props *old = &job->placed->props;
    int32_t *leaves = NULL;
    for (size_t i = 0; i < arrlenu(replacement->group->props); i++) {
        const struct static_prop *member = &old->props[replacement->group->props[i]];
        for (int32_t k = 0; k < member->leaf_count; k++)
            arrput(leaves, old->leaves[member->first_leaf + k]);
    }
    put_prop(out, &replacement->made.prop, replacement->made.model, leaves);
    arrfree(leaves);
}

/* The new prop of a group has the place of the first of its members. `of` has a group's number + 1
 * for its first member, -1 for the others, 0 for props that stay. */
static void replace_props(struct combining *job, const struct replacement *replacements,
                          const int32_t *of)
{
    struct static_props fresh = {0};
    for (size_t i = 0; i < arrlenu(job->placed->props.props); i++) {
        if (of[i] > 0)
            put_group(job, &replacements[of[i] - 1], &fresh);
        else if (of[i] == 0)
            keep_prop(job, i, &fresh);
    }
    static_props_free(&job->placed->props);
    job->placed->props = fresh;
}

/* --- combining --- */

struct counts {
    int64_t combined, calls_before, calls_after;
};

static void count_calls(const struct combining *job, const struct replacement *replacements,
                        struct counts *counts)
{
    for (size_t i = 0; i < arrlenu(job->source_of); i++)
        counts->calls_before += combining_source(job, i)->meshes;
    counts->calls_after = counts->calls_before;
    for (size_t i = 0; i < arrlenu(replacements); i++) {
        const struct prop_group *group = replacements[i].group;
        counts->combined += (int64_t)arrlen(group->props);
        for (size_t k = 0; k < arrlenu(group->props); k++)
            counts->calls_after -= combining_source(job, group->props[k])->meshes;
        counts->calls_after += replacements[i].made.meshes;
    }
}

static void add_groups(struct combining *job, const struct prop_group *groups,
                       struct replacement **replacements, int32_t *of)
{
    for (size_t i = 0; i < arrlenu(groups); i++) {
        struct replacement replacement = {.group = &groups[i]};
        if (!combining_add_model(job, &groups[i], &replacement.made))
            continue;
        struct combine_rule *rule = combining_source(job, groups[i].props[0])->rule;
        rule->props += (int64_t)arrlen(groups[i].props);
        rule->combined_models++;
        arrput(*replacements, replacement);
        for (size_t k = 0; k < arrlenu(groups[i].props); k++)
            of[groups[i].props[k]] = k ? -1 : (int32_t)arrlen(*replacements);
    }
}

static void combine(struct compile *compile, const struct combine_rules *rules,
                    struct placed_props *placed)
{
    struct combining job = {.compile = compile, .placed = placed, .rules = *rules};
    struct replacement *replacements = NULL;
    struct counts counts = {0};
    job.folder = folder_of(compile, &job.arena);
    combining_load_sources(&job);
    struct prop_group *groups = combining_groups(&job);
    int32_t *of = memory_zalloc(arrlenu(placed->props.props) + 1, sizeof *of);
    add_groups(&job, groups, &replacements, of);
    count_calls(&job, replacements, &counts);
    replace_props(&job, replacements, of);
    progress_count(compile->env->progress, "static props combined", counts.combined);
    progress_count(compile->env->progress, "combined models", arrlen(replacements));
    progress_count(compile->env->progress, "draw calls of static props before combining",
                   counts.calls_before);
    progress_count(compile->env->progress, "draw calls of static props", counts.calls_after);
    memory_free(of);
    arrfree(replacements);
    prop_groups_free(groups);
    combining_free_sources(&job);
}

static enum status combine_by_rules(struct compile *compile, struct placed_props *placed)
{
    const struct combine_options *options = compile->options->combine;
    struct combine_rules rules = {0};
    enum status status = combine_rules_load(compile->env, options, &rules);
    if (status == STATUS_OK) {
        if (arrlen(placed->props.props))
            combine(compile, &rules, placed);
        combine_rules_report(&rules, options->print, compile->env->diag);
    }
    combine_rules_free(&rules);
    return status;
}

enum status static_props_emit(struct compile *compile)
{
    enum status status = STATUS_OK;
    struct placed_props placed;
    progress_begin(compile->env->progress, "static props", 0);
    static_props_place(compile, &placed);
    if (compile->options->combine->on)
        status = combine_by_rules(compile, &placed);
    if (status == STATUS_OK)
        status = static_props_write(compile, &placed);
    progress_end(compile->env->progress);
    if (status == STATUS_OK && arrlen(placed.props.props))
        progress_count(compile->env->progress, "static props", arrlen(placed.props.props));
    placed_props_free(&placed);
    return status;
}

/* --- updates --- */

bool combined_models_replace(const struct compile *compile, struct pakfile *pakfile)
{
    struct arena arena = {0};
    const char *prefix = arena_printf(&arena, "models/%s/combined_", folder_of(compile, &arena));
    bool changed = false;
    for (size_t i = 0; i < arrlenu(pakfile->files);) {
        const char *name = arena_strdup(&arena, pakfile->files[i].name);
        bool removed = str_starts_nocase(name, prefix) && pakfile_remove(pakfile, name);
        changed |= removed;
        i += !removed;
    }
    for (size_t i = 0; i < arrlenu(compile->pakfile.files); i++) {
        const struct pakfile_file *file = &compile->pakfile.files[i];
        if (!str_starts_nocase(file->name, prefix))
            continue;
        pakfile_put(pakfile, file->name, file->data.data, file->data.size);
        changed = true;
    }
    arena_free(&arena);
    return changed;
}
