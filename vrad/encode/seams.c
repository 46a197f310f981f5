#include "vrad/encode/seams.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "vrad/encode/seam_layer.h"
#include "vrad/luxels/luxel_border.h"

/* A set of the faces that are connected, by its first face. */
struct component {
    int root;
    size_t points;
};

struct finder {
    const struct luxel_map *map;
    const struct seam_list *list;
    int *parent;                  /* of each face, itself or one before it */
    struct component *components; /* those with points; an stb_ds array */
    int *group_of;                /* of each root */
};

static int root_of(int *parent, int face)
{
    for (; parent[face] != face; face = parent[face])
        parent[face] = parent[parent[face]];
    return face;
}

static int point_root(const struct finder *finder, size_t point)
{
    return root_of(finder->parent, finder->list->seams[finder->list->points[point].seam].face[0]);
}

static void connect_faces(struct finder *finder)
{
    for (int i = 0; i < finder->map->face_count; i++)
        finder->parent[i] = i;
    for (size_t i = 0; i < arrlenu(finder->list->seams); i++) {
        const struct seam *seam = &finder->list->seams[i];
        int a = root_of(finder->parent, seam->face[0]), b = root_of(finder->parent, seam->face[1]);
        finder->parent[a < b ? b : a] = a < b ? a : b;
    }
}

static int larger_first(const void *a, const void *b)
{
    const struct component *x = a, *y = b;
    if (x->points != y->points)
        return x->points > y->points ? -1 : 1;
    return x->root - y->root;
}

/* Lists the components, and numbers them. */
static void list_components(struct finder *finder)
{
    size_t faces = (size_t)finder->map->face_count;
    size_t *points = memory_zalloc(faces + 1, sizeof *points);
    for (size_t i = 0; i < arrlenu(finder->list->points); i++)
        points[point_root(finder, i)]++;
    for (size_t i = 0; i < faces; i++)
        if (points[i])
            arrput(finder->components, ((struct component){(int)i, points[i]}));
    memory_free(points);
    size_t count = arrlenu(finder->components);
    if (count)
        qsort(finder->components, count, sizeof *finder->components, larger_first);
    for (size_t i = 0; i < faces; i++)
        finder->group_of[i] = -1;
    for (size_t i = 0; i < count; i++)
        finder->group_of[finder->components[i].root] = (int)i;
}

static void put_faces(struct finder *finder, struct seam_groups *out)
{
    size_t *next = out->first_face + 1; /* filling advances each to the next one's start */
    for (int i = 0; i < finder->map->face_count; i++) {
        int group = finder->group_of[root_of(finder->parent, i)];
        if (group >= 0)
            next[1 + group]++;
    }
    for (size_t i = 0; i < out->count; i++)
        next[i + 1] += next[i];
    out->faces = memory_alloc((next[out->count] + 1) * sizeof *out->faces);
    for (int i = 0; i < finder->map->face_count; i++) {
        int group = finder->group_of[root_of(finder->parent, i)];
        if (group >= 0)
            out->faces[next[group]++] = i;
    }
    for (size_t i = 0; i < out->count; i++)
        for (size_t k = out->first_face[i]; k < out->first_face[i + 1]; k++)
            out->local[out->faces[k]] = (int)(k - out->first_face[i]);
}

static void put_points(const struct finder *finder, struct seam_groups *out)
{
    size_t *next = out->first_point + 1, points = arrlenu(finder->list->points);
    for (size_t i = 0; i < out->count; i++)
        next[1 + i] = next[i] + finder->components[i].points;
    out->points = memory_alloc((points + 1) * sizeof *out->points);
    for (size_t i = 0; i < points; i++)
        out->points[next[finder->group_of[point_root(finder, i)]]++] = (int)i;
}

void seam_groups_find(const struct luxel_map *map, const struct seam_list *list,
                      struct seam_groups *out)
{
    size_t faces = (size_t)map->face_count + 1;
    struct finder finder = {.map = map,
                            .list = list,
                            .parent = memory_alloc(faces * sizeof *finder.parent),
                            .group_of = memory_alloc(faces * sizeof *finder.group_of)};
    connect_faces(&finder);
    list_components(&finder);
    size_t count = arrlenu(finder.components);
    *out = (struct seam_groups){
        .count = count,
        .first_face = memory_zalloc(count + 2, sizeof *out->first_face),
        .first_point = memory_zalloc(count + 2, sizeof *out->first_point),
        .local = memory_zalloc(faces, sizeof *out->local),
    };
    put_faces(&finder, out);
    put_points(&finder, out);
    memory_free(finder.parent);
    memory_free(finder.group_of);
    arrfree(finder.components);
}

void seam_groups_free(struct seam_groups *groups)
{
    memory_free(groups->first_face);
    memory_free(groups->first_point);
    memory_free(groups->faces);
    memory_free(groups->points);
    memory_free(groups->local);
    *groups = (struct seam_groups){0};
}

struct match_job {
    const struct luxel_map *map;
    const struct seam_list *list;
    struct seam_groups groups;
    int64_t *constraints; /* of each group */
};

static void match_group(void *context, size_t group, int thread)
{
    struct match_job *job = context;
    (void)thread;
    job->constraints[group] = (int64_t)seam_group_match(job->map, job->list, &job->groups, group);
}

typedef void visit_floats(float *floats, size_t count, void *context);

/* All light of a face that is adjusted, style by style. */
static void visit_light(const struct face_light *face, visit_floats *visit, void *context)
{
    const struct border_light *border = face->border_light;
    size_t colours = 3 * (size_t)face->slots;
    for (int s = 0; s < face->style_count; s++) {
        visit(face->direct[s], colours * (size_t)face->count, context);
        if (border)
            visit(border->direct[s], colours * (size_t)border->count, context);
    }
}

static void visit_group(const struct match_job *job, size_t group, visit_floats *visit,
                        void *context)
{
    const struct seam_groups *groups = &job->groups;
    for (size_t i = groups->first_face[group]; i < groups->first_face[group + 1]; i++)
        visit_light(&job->map->faces[groups->faces[i]], visit, context);
}

static void append_floats(float *floats, size_t count, void *out)
{
    bytes_append(out, floats, count * sizeof *floats);
}

static void take_floats(float *floats, size_t count, void *from)
{
    rank_floats(from, floats, count);
}

/* A ranks_pack. */
static void pack_group(void *context, size_t group, struct bytes *out)
{
    const struct match_job *job = context;
    bytes_u64(out, (uint64_t)job->constraints[group]);
    visit_group(job, group, append_floats, out);
}

/* A ranks_unpack, of other ranks alone: the job ends if it fails. */
static void unpack_group(void *context, size_t group, struct byte_reader *from)
{
    struct match_job *job = context;
    job->constraints[group] = rank_count(from);
    visit_group(job, group, take_floats, from);
}

void seams_match(const struct env *env, const struct seam_list *list, struct luxel_map *map)
{
    struct match_job job = {.map = map, .list = list};
    struct env unlogged = *env; /* matching is as fast as a journal */
    int64_t count = 0;
    unlogged.journal = NULL;
    seam_groups_find(map, list, &job.groups);
    job.constraints = memory_zalloc(job.groups.count + 1, sizeof *job.constraints);
    env_loop(&unlogged, &(struct ranks_loop){.count = job.groups.count,
                                             .item = match_group,
                                             .context = &job,
                                             .pack = pack_group,
                                             .unpack = unpack_group});
    for (size_t i = 0; i < job.groups.count; i++)
        count += job.constraints[i];
    progress_count(env->progress, "seam constraints", count);
    memory_free(job.constraints);
    seam_groups_free(&job.groups);
}
