#include "vrad/encode/seam_share.h"

#include "common/core/array.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"

static void seam_list_append(const struct seam_list *list, struct bytes *out)
{
    bytes_u32(out, (uint32_t)arrlenu(list->seams));
    bytes_u32(out, (uint32_t)arrlenu(list->points));
    bytes_append(out, list->seams, arrlenu(list->seams) * sizeof *list->seams);
    bytes_append(out, list->points, arrlenu(list->points) * sizeof *list->points);
}

static bool is_sound(const struct luxel_map *map, const struct seam *seam)
{
    bool sound = rank_is_flag(&seam->bumps);
    for (int i = 0; i < 2; i++) {
        int face = seam->face[i];
        sound = sound && face >= 0 && face < map->face_count && map->faces[face].count > 0 &&
                isfinite(seam->inward[i].s) && isfinite(seam->inward[i].t);
    }
    return sound;
}

/* Points are in the order of their seams. */
static bool are_sound(const struct luxel_map *map, const struct seam_list *list)
{
    bool sound = true;
    int last = 0;
    for (size_t i = 0; i < arrlenu(list->seams) && sound; i++)
        sound = is_sound(map, &list->seams[i]);
    for (size_t i = 0; i < arrlenu(list->points) && sound; i++) {
        const struct seam_point *point = &list->points[i];
        sound = point->seam >= last && point->seam < (int)arrlen(list->seams) &&
                rank_are_finite(&point->st[0][0], 4);
        last = point->seam;
    }
    return sound;
}

void seam_list_take(struct byte_reader *from, const struct luxel_map *map, struct seam_list *list)
{
    size_t seams = read_u32(from), points = read_u32(from);
    if (list->seams || list->points ||
        !rank_has(from, seams * sizeof *list->seams + points * sizeof *list->points, 1)) {
        from->failed = true;
        return;
    }
    arrsetlen(list->seams, seams);
    arrsetlen(list->points, points);
    read_into(from, list->seams, seams * sizeof *list->seams);
    read_into(from, list->points, points * sizeof *list->points);
    from->failed |= !are_sound(map, list);
}

struct share_job {
    const struct luxel_map *map;
    struct seam_list *list;
    bool sends;
};

/* A ranks_pack_rest. */
static void pack_list(void *context, struct bytes *out)
{
    const struct share_job *job = context;
    if (job->sends)
        seam_list_append(job->list, out);
}

/* A ranks_unpack_rest. Only rank 0 sends something. */
static void unpack_list(void *context, struct byte_reader *in)
{
    struct share_job *job = context;
    if (in->at == in->size)
        return;
    if (job->sends)
        in->failed = true;
    else
        seam_list_take(in, job->map, job->list);
}

void seam_list_share(const struct env *env, const struct luxel_map *map, struct seam_list *list)
{
    struct share_job job = {map, list, ranks_rank(env->ranks) == 0};
    if (!job.sends)
        seam_list_free(list);
    env_exchange(env, &job, pack_list, unpack_list);
}
