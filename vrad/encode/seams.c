#include "vrad/encode/seams.h"

#include "common/core/memory.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "vrad/encode/seam_layer.h"
#include "vrad/luxels/luxel_border.h"

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
