#include "vrad/secondary/culled_lights.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "vrad/secondary/secondary_lanes.h"

/* A bit for each face with spots that any of the clusters sees; free it. */
static uint64_t *seen_from(const struct hot_spots *hot, const int *clusters, int count)
{
    size_t words = hot_words(hot);
    uint64_t *seen = memory_zalloc(words, sizeof *seen);
    if (!hot->visible || !count)
        memset(seen, 0xff, words * sizeof *seen);
    for (int i = 0; hot->visible && i < count; i++)
        for (size_t w = 0; clusters[i] >= 0 && w < words; w++)
            seen[w] |= hot->visible[(size_t)clusters[i] * words + w];
    return seen;
}

static bool overlaps(const struct hot_face *face, const float mins[3], const float maxs[3])
{
    for (int k = 0; k < 3; k++)
        if (face->mins[k] > maxs[k] || face->maxs[k] < mins[k])
            return false;
    return true;
}

/* Lanes of which some are wanted: faces that follow each other may share them. */
struct view_job {
    float mins[3], maxs[3];
    struct hot_part pending;
    struct hot_view *out;
};

static void add_pending(struct view_job *job)
{
    const struct hot_spots *hot = job->out->hot;
    struct hot_part part = job->pending;
    if (part.spots)
        part.spots &= hot->work->near(&hot->lanes[part.lanes], job->mins, job->maxs);
    if (part.spots)
        arrput(job->out->parts, part);
}

static void add_face(struct view_job *job, const struct hot_face *face)
{
    for (int lanes = face->first / HOT_LANES; lanes * HOT_LANES < face->end; lanes++) {
        int from = face->first - lanes * HOT_LANES, to = face->end - lanes * HOT_LANES;
        uint32_t spots = to < HOT_LANES ? (1u << to) - 1 : 0xffff;
        spots &= from > 0 ? ~((1u << from) - 1) : 0xffff;
        if (lanes != job->pending.lanes) {
            add_pending(job);
            job->pending = (struct hot_part){lanes, 0};
        }
        job->pending.spots |= spots;
    }
}

void hot_view_of_box(const struct hot_spots *hot, const struct bounds *box, const int *clusters,
                     int cluster_count, struct hot_view *out)
{
    *out = (struct hot_view){hot, NULL};
    if (!arrlen(hot->faces))
        return;
    uint64_t *seen = seen_from(hot, clusters, cluster_count);
    struct view_job job = {.pending = {-1, 0}, .out = out};
    for (int k = 0; k < 3; k++) {
        job.mins[k] = (float)box->mins.e[k];
        job.maxs[k] = (float)box->maxs.e[k];
    }
    for (size_t w = 0; w < hot_words(hot); w++) {
        for (uint64_t left = seen[w]; left; left &= left - 1) {
            size_t number = 64 * w + (size_t)__builtin_ctzll(left);
            if (number < arrlenu(hot->faces) && overlaps(&hot->faces[number], job.mins, job.maxs))
                add_face(&job, &hot->faces[number]);
        }
    }
    add_pending(&job);
    memory_free(seen);
}

void hot_view_of_face(const struct hot_spots *hot, int f, struct hot_view *out)
{
    const struct face_light *face = &hot->radiosity->map->faces[f];
    struct bounds box = bounds_empty();
    for (int i = 0; i < face->count; i++)
        bounds_add_point(&box, vec3_from_floats(face->luxels[i].position));
    hot_view_of_box(hot, &box, face->clusters, (int)arrlen(face->clusters), out);
}

void hot_view_free(struct hot_view *view)
{
    arrfree(view->parts);
}

/* ---- rays that meet a spot by chance ---- */

static bool is_listed(const struct hot_view *view, int spot)
{
    ptrdiff_t low = 0, high = arrlen(view->parts);
    int lanes = spot / HOT_LANES;
    while (low < high) {
        ptrdiff_t middle = low + (high - low) / 2;
        if (view->parts[middle].lanes < lanes)
            low = middle + 1;
        else
            high = middle;
    }
    return low < arrlen(view->parts) && view->parts[low].lanes == lanes &&
           view->parts[low].spots >> spot % HOT_LANES & 1;
}

static bool is_aimed_at(const struct hot_spot *spot, struct vec3 point)
{
    float square = 0, along = 0;
    for (int k = 0; k < 3; k++) {
        float way = (float)point.e[k] - spot->center[k];
        square += way * way;
        along += way * spot->normal[k];
    }
    return hot_is_aimed(square, along, spot->near, spot->reach);
}

const float *hot_excess_of(const struct hot_view *view, size_t seen, struct vec3 point)
{
    const struct hot_luxel *luxel = hot_luxel_at(view->hot, seen);
    bool aimed = is_aimed_at(&view->hot->spots[luxel->spot], point) && is_listed(view, luxel->spot);
    return aimed ? luxel->excess : NULL;
}
