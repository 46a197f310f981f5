#include "vrad/props/vertex_light.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/diag/codes/prop_light.def"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "common/parallel/parallel.h"
#include "vrad/props/prop_files.h"
#include "vrad/props/prop_point.h"
#include "vrad/props/vhv.h"

/* --- mesh vertices --- */

struct sorted_vertex {
    const struct model_vertex *vertex;
    int32_t index;
};

static int compare_positions(const struct model_vertex *a, const struct model_vertex *b)
{
    for (int k = 0; k < 3; k++)
        if (a->p[k] != b->p[k])
            return a->p[k] < b->p[k] ? -1 : 1;
    return 0;
}

/* Normals in files may be NaN: their bits are compared. */
static int compare_places(const struct model_vertex *a, const struct model_vertex *b)
{
    int order = compare_positions(a, b);
    for (int k = 0; k < 3 && order == 0; k++) {
        uint32_t x, y;
        memcpy(&x, &a->normal[k], sizeof x);
        memcpy(&y, &b->normal[k], sizeof y);
        order = x < y ? -1 : x > y;
    }
    return order;
}

static int by_place(const void *a, const void *b)
{
    const struct sorted_vertex *x = a, *y = b;
    int order = compare_places(x->vertex, y->vertex);
    return order ? order : x->index - y->index;
}

/* Of a forest in which each vertex names one of its piece, the first itself. */
static int32_t first_of(int32_t *piece, int32_t vertex)
{
    while (piece[vertex] != vertex) {
        piece[vertex] = piece[piece[vertex]];
        vertex = piece[vertex];
    }
    return vertex;
}

static void join(int32_t *piece, int32_t a, int32_t b)
{
    a = first_of(piece, a);
    b = first_of(piece, b);
    if (a < b)
        piece[b] = a;
    else
        piece[a] = b;
}

static void join_triangles(const struct model *model, int32_t *piece)
{
    for (size_t i = 0; i < arrlenu(model->vtx.triangles); i++) {
        const int32_t *corners = model->vtx.triangles[i].vertices;
        for (int k = 1; k < 3; k++)
            join(piece, corners[0], corners[k]);
    }
}

static void mark_hidden(const struct model *model, int32_t *same_as)
{
    for (int32_t i = 0; i < model->mdl.mesh_count; i++) {
        const struct mdl_mesh *mesh = &model->mdl.meshes[i];
        if (model_shows_mesh(&model->mdl, i))
            continue;
        for (int32_t k = 0; k < mesh->vertex_count[0]; k++)
            if (mesh->first_vertex + k < model->vvd.count)
                same_as[mesh->first_vertex + k] = VERTEX_HIDDEN;
    }
}

/* Hidden vertices are none of the others', which may lie where they do. */
static struct sorted_vertex *sort_shown(const struct vvd *vvd, const int32_t *same_as,
                                        size_t *count)
{
    struct sorted_vertex *sorted = memory_alloc(((size_t)vvd->count + 1) * sizeof *sorted);
    *count = 0;
    for (int32_t i = 0; i < vvd->count; i++)
        if (same_as[i] != VERTEX_HIDDEN)
            sorted[(*count)++] = (struct sorted_vertex){&vvd->vertices[i], i};
    qsort(sorted, *count, sizeof *sorted, by_place);
    return sorted;
}

void mesh_vertices_find(const struct model *model, struct mesh_vertices *out)
{
    const struct vvd *vvd = &model->vvd;
    size_t all = (size_t)vvd->count, count;
    out->same_as = memory_zalloc(all + 1, sizeof *out->same_as);
    out->piece = memory_alloc((all + 1) * sizeof *out->piece);
    for (size_t i = 0; i < all; i++)
        out->piece[i] = (int32_t)i;
    mark_hidden(model, out->same_as);
    struct sorted_vertex *sorted = sort_shown(vvd, out->same_as, &count);
    for (size_t i = 0, first = 0; i < count; i++) {
        if (i && compare_positions(sorted[i].vertex, sorted[i - 1].vertex) == 0)
            join(out->piece, sorted[i - 1].index, sorted[i].index);
        if (compare_places(sorted[i].vertex, sorted[first].vertex) != 0)
            first = i;
        out->same_as[sorted[i].index] = sorted[first].index;
    }
    memory_free(sorted);
    join_triangles(model, out->piece);
    for (size_t i = 0; i < all; i++)
        out->piece[i] = first_of(out->piece, (int32_t)i);
}

void mesh_vertices_free(struct mesh_vertices *vertices)
{
    memory_free(vertices->same_as);
    memory_free(vertices->piece);
    *vertices = (struct mesh_vertices){0};
}

/* --- vertex light --- */

enum { CHUNK = 64 };

struct lit_vertex {
    float light[3];
    bool covered;
};

struct lit_prop {
    size_t prop;
    const struct model *model;
    const struct mesh_vertices *mesh;
    size_t first; /* index of its first vertex in the list of all */
    struct bytes file;
};

struct vertex_job {
    const struct env *env;
    const struct prop_set *set;
    const struct irradiance_sampler *sampler;
    const struct vertex_light_options *options;
    const struct bsp *bsp;
    struct lit_prop *props; /* stb_ds array */
    size_t vertex_count;
    struct lit_vertex *vertices;
    struct mesh_vertices *meshes; /* one per model */
};

static bool wants_light(const struct static_prop *prop)
{
    return !(prop->flags & STATIC_PROP_NO_VERTEX_LIGHTING);
}

static void list_props(struct vertex_job *job)
{
    const struct prop_set *set = job->set;
    bool *reported = memory_zalloc(arrlenu(set->props.models) + 1, sizeof *reported);
    for (size_t i = 0; i < arrlenu(set->props.props); i++) {
        int32_t name = set->props.props[i].model;
        struct lit_prop prop = {
            .prop = i, .model = prop_set_model(set, i), .first = job->vertex_count};
        if (!prop.model || !wants_light(&set->props.props[i]))
            continue;
        if (prop.model->vvd.count > 0 && arrlen(prop.model->vtx.triangles) > 0) {
            if (!job->meshes[name].same_as)
                mesh_vertices_find(prop.model, &job->meshes[name]);
            prop.mesh = &job->meshes[name];
            job->vertex_count += (size_t)prop.model->vvd.count;
            arrput(job->props, prop);
        } else if (!reported[name]) {
            diag_report(job->env->diag, DIAG_PROP_LIGHT_MESH, NULL, "\"%s\"",
                        set->props.models[name]);
            reported[name] = true;
        }
    }
    memory_free(reported);
}

static const struct lit_prop *prop_of_vertex(const struct vertex_job *job, size_t vertex)
{
    size_t low = 0, high = arrlenu(job->props);
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (job->props[middle].first <= vertex)
            low = middle;
        else
            high = middle;
    }
    return &job->props[low];
}

/* Zero when light from all directions weighs the same. */
static struct vec3 vertex_normal(const struct vertex_job *job, const struct lit_prop *prop,
                                 size_t index)
{
    if (job->set->props.props[prop->prop].flags & STATIC_PROP_IGNORE_NORMALS)
        return vec3(0, 0, 0);
    struct vec3 normal = vec3_from_floats(prop->model->vvd.vertices[index].normal);
    normal = transform_normal(&job->set->transforms[prop->prop], normal);
    return vec3_is_finite(normal) ? normal : vec3(0, 0, 0);
}

static struct vec3 vertex_position(const struct vertex_job *job, const struct lit_prop *prop,
                                   size_t index)
{
    const float *p = prop->model->vvd.vertices[index].p;
    return transform_point(&job->set->transforms[prop->prop], vec3_from_floats(p));
}

/* By the place, to a part of a unit: a prop that was combined with others has the same rays. */
static uint64_t seed_at(struct vec3 position)
{
    const double parts = 8, max = 0x1p40;
    uint64_t seed = 0;
    for (int k = 0; k < 3; k++) {
        double part = portable_fmax(-max, portable_fmin(position.e[k] * parts, max));
        seed = hash_pair(seed, (uint64_t)(int64_t)(part + (part < 0 ? -0.5 : 0.5)));
    }
    return seed;
}

static void light_vertex(const struct vertex_job *job, const struct lit_prop *prop, size_t index,
                         const struct culled_lights *secondary, struct lit_vertex *out)
{
    const struct static_prop *record = &job->set->props.props[prop->prop];
    struct irradiance_point point = {.normal = vertex_normal(job, prop, index),
                                     .secondary = secondary};
    if (job->options->first_cache_slot)
        point.cache_slot = job->options->first_cache_slot + prop->first + index;
    struct vec3 position = vertex_position(job, prop, index);
    out->covered = !vec3_is_finite(position);
    if (out->covered)
        return;
    point.seed = seed_at(position);
    point.viewer.prop = (int)prop->prop;
    point.viewer.no_self_shadow =
        job->options->no_self_shadows || record->flags & STATIC_PROP_NO_SELF_SHADOWING;
    point.position = position;
    struct point_irradiance light;
    out->covered = prop_point_light(job->sampler, job->bsp, &point, &light) == PROP_POINT_COVERED;
    for (int k = 0; k < 3; k++)
        out->light[k] = light.direct[k] + light.indirect[k];
}

/* Culls the secondary lights for vertices `first` to end - 1 of the list. */
static void cull_lights(const struct vertex_job *job, size_t first, size_t end,
                        struct culled_lights *out)
{
    struct bounds box = bounds_empty();
    for (size_t i = first; i < end; i++) {
        const struct lit_prop *prop = prop_of_vertex(job, i);
        struct vec3 position = vertex_position(job, prop, i - prop->first);
        for (int k = 0; k < 3 && vec3_is_finite(position); k++) {
            box.mins.e[k] = portable_fmin(box.mins.e[k], position.e[k] - 1);
            box.maxs.e[k] = portable_fmax(box.maxs.e[k], position.e[k] + 1);
        }
    }
    culled_lights_of_box(job->sampler->secondary, &box, NULL, 0, out);
}

static size_t chunk_end(const struct vertex_job *job, size_t chunk)
{
    size_t end = (chunk + 1) * CHUNK;
    return end < job->vertex_count ? end : job->vertex_count;
}

static void light_chunk(void *context, size_t chunk, int thread)
{
    (void)thread;
    struct vertex_job *job = context;
    size_t first = chunk * CHUNK, end = chunk_end(job, chunk);
    struct culled_lights secondary = {0};
    bool samples_lights = job->sampler->secondary && !job->options->normals;
    if (samples_lights)
        cull_lights(job, first, end, &secondary);
    for (size_t i = first; i < end; i++) {
        const struct lit_prop *prop = prop_of_vertex(job, i);
        size_t index = i - prop->first;
        if (!job->options->normals && prop->mesh->same_as[index] == (int32_t)index)
            light_vertex(job, prop, index, samples_lights ? &secondary : NULL, &job->vertices[i]);
    }
    if (samples_lights)
        culled_lights_free(&secondary);
    progress_step(job->env->progress);
}

/* A ranks_pack. */
static void pack_chunk(void *context, size_t chunk, struct bytes *out)
{
    const struct vertex_job *job = context;
    size_t first = chunk * CHUNK, count = chunk_end(job, chunk) - first;
    bytes_append(out, job->vertices + first, count * sizeof *job->vertices);
}

/* A ranks_unpack. */
static void unpack_chunk(void *context, size_t chunk, struct byte_reader *from)
{
    const struct vertex_job *job = context;
    size_t first = chunk * CHUNK, count = chunk_end(job, chunk) - first;
    read_into(from, job->vertices + first, count * sizeof *job->vertices);
    for (size_t i = first; i < first + count; i++)
        if (!rank_is_flag(&job->vertices[i].covered) || !rank_are_finite(job->vertices[i].light, 3))
            from->failed = true;
}

/* Of vertices that are as near but for rounding the first counts, wherever the model stands. */
#define CLEARLY (1 - 1e-4)

/* The nearest in the vertex's own piece of the model, or, with `anywhere`, in the model. Among
 * equally near vertices those that face the other way rank last. */
static const struct lit_vertex *nearest_free(const struct lit_prop *prop, size_t index,
                                             const struct lit_vertex *vertices, bool anywhere)
{
    const struct mesh_vertices *mesh = prop->mesh;
    const struct model_vertex *all = prop->model->vvd.vertices, *at = &all[index];
    const struct lit_vertex *best = NULL;
    double min = DBL_MAX;
    for (size_t i = 0; i < (size_t)prop->model->vvd.count; i++) {
        if (vertices[i].covered || mesh->same_as[i] != (int32_t)i ||
            (!anywhere && mesh->piece[i] != mesh->piece[index]))
            continue;
        double square = 0, along = 0;
        for (int k = 0; k < 3; k++) {
            double gap = (double)all[i].p[k] - (double)at->p[k];
            square += gap * gap;
            along += (double)all[i].normal[k] * (double)at->normal[k];
        }
        double miss = square * (1.5 - portable_fmin(portable_fmax(along, -1), 1));
        if (miss < min * CLEARLY) {
            min = miss;
            best = &vertices[i];
        }
    }
    return best;
}

/* A piece may be a prop of its own, which was combined with others. */
static const struct lit_vertex *free_vertex(const struct lit_prop *prop, size_t index,
                                            const struct lit_vertex *vertices)
{
    const struct lit_vertex *near = nearest_free(prop, index, vertices, false);
    return near ? near : nearest_free(prop, index, vertices, true);
}

static struct vhv_colour colour_of_normal(struct vec3 normal)
{
    uint8_t part[3];
    for (int k = 0; k < 3; k++)
        part[k] = (uint8_t)(127.5 + 127.5 * normal.e[k]);
    return (struct vhv_colour){part[0], part[1], part[2]};
}

static void finish_prop(void *context, size_t number, int thread)
{
    (void)thread;
    struct vertex_job *job = context;
    struct lit_prop *prop = &job->props[number];
    const struct lit_vertex *vertices = job->vertices + prop->first;
    size_t count = (size_t)prop->model->vvd.count;
    struct vhv_colour *colours = memory_zalloc(count, sizeof *colours);
    for (size_t i = 0; i < count; i++) {
        if (prop->mesh->same_as[i] == VERTEX_HIDDEN)
            continue;
        const struct lit_vertex *vertex = &vertices[prop->mesh->same_as[i]];
        if (vertex->covered)
            vertex = free_vertex(prop, i, vertices);
        if (job->options->normals)
            colours[i] = colour_of_normal(vertex_normal(job, prop, i));
        else if (vertex)
            colours[i] = vhv_colour_of(vertex->light);
    }
    vhv_encode(prop->model, colours, &prop->file);
    memory_free(colours);
}

static enum status store(const struct vertex_job *job, bool hdr, struct bsp *bsp)
{
    enum prop_lighting kind = hdr ? PROP_LIGHTING_HDR : PROP_LIGHTING_LDR;
    struct prop_file *files = NULL;
    for (size_t i = 0; i < arrlenu(job->props); i++)
        arrput(files, ((struct prop_file){job->props[i].prop, job->props[i].file}));
    enum status status = prop_files_store(job->env, kind, files, arrlenu(files), bsp);
    arrfree(files);
    return status;
}

enum status vertex_light(const struct env *env, const struct prop_set *set,
                         const struct irradiance_sampler *sampler,
                         const struct vertex_light_options *options, struct bsp *bsp)
{
    struct vertex_job job = {
        .env = env, .set = set, .sampler = sampler, .options = options, .bsp = bsp};
    size_t models = arrlenu(set->props.models);
    job.meshes = memory_zalloc(models + 1, sizeof *job.meshes);
    list_props(&job);
    job.vertices = memory_zalloc(job.vertex_count + 1, sizeof *job.vertices);
    size_t chunks = (job.vertex_count + CHUNK - 1) / CHUNK, props = arrlenu(job.props);
    progress_begin(env->progress, "static props", chunks);
    env_loop(env, &(struct ranks_loop){.count = chunks,
                                       .item = light_chunk,
                                       .context = &job,
                                       .pack = pack_chunk,
                                       .unpack = unpack_chunk,
                                       .progress = env->progress});
    parallel_for(env->threads, props, finish_prop, &job);
    progress_end(env->progress);
    progress_count(env->progress, "static prop vertices", (int64_t)job.vertex_count);
    enum status status = env_go_on(env);
    if (status == STATUS_OK && options->sides & SIDE_LDR)
        status = store(&job, false, bsp);
    if (status == STATUS_OK && options->sides & SIDE_HDR)
        status = store(&job, true, bsp);
    for (size_t i = 0; i < props; i++)
        bytes_free(&job.props[i].file);
    for (size_t i = 0; i < models; i++)
        mesh_vertices_free(&job.meshes[i]);
    memory_free(job.meshes);
    arrfree(job.props);
    memory_free(job.vertices);
    return status;
}
