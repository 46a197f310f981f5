#include "vrad/secondary/culled_lights.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "vrad/secondary/secondary_lanes.h"

/* One bit per face with secondary lights: any of the clusters sees it. The caller frees it. */
static uint64_t *seen_from(const struct secondary_lights *secondary, const int *clusters, int count)
{
    size_t words = secondary_words(secondary);
    uint64_t *seen = memory_zalloc(words, sizeof *seen);
    if (!secondary->visible || !count)
        memset(seen, 0xff, words * sizeof *seen);
    for (int i = 0; secondary->visible && i < count; i++)
        for (size_t w = 0; clusters[i] >= 0 && w < words; w++)
            seen[w] |= secondary->visible[(size_t)clusters[i] * words + w];
    return seen;
}

static bool overlaps(const struct secondary_face *face, const float mins[3], const float maxs[3])
{
    for (int k = 0; k < 3; k++)
        if (face->mins[k] > maxs[k] || face->maxs[k] < mins[k])
            return false;
    return true;
}

/* Collects the lights of a lane group before it is tested: consecutive faces may share one. */
struct cull_job {
    float mins[3], maxs[3];
    struct culled_lanes pending;
    struct culled_lights *out;
};

static void add_pending(struct cull_job *job)
{
    const struct secondary_lights *secondary = job->out->secondary;
    struct culled_lanes part = job->pending;
    if (part.lights)
        part.lights &= secondary->work->near(&secondary->lanes[part.lanes], job->mins, job->maxs);
    if (part.lights)
        arrput(job->out->parts, part);
}

static void add_face(struct cull_job *job, const struct secondary_face *face)
{
    for (int lanes = face->first / SECONDARY_LANES; lanes * SECONDARY_LANES < face->end; lanes++) {
        int from = face->first - lanes * SECONDARY_LANES, to = face->end - lanes * SECONDARY_LANES;
        uint32_t lights = to < SECONDARY_LANES ? (1u << to) - 1 : 0xffff;
        lights &= from > 0 ? ~((1u << from) - 1) : 0xffff;
        if (lanes != job->pending.lanes) {
            add_pending(job);
            job->pending = (struct culled_lanes){lanes, 0};
        }
        job->pending.lights |= lights;
    }
}

void culled_lights_of_box(const struct secondary_lights *secondary, const struct bounds *box,
                          const int *clusters, int cluster_count, struct culled_lights *out)
{
    *out = (struct culled_lights){secondary, NULL};
    if (!arrlen(secondary->faces))
        return;
    uint64_t *seen = seen_from(secondary, clusters, cluster_count);
    struct cull_job job = {.pending = {-1, 0}, .out = out};
    for (int k = 0; k < 3; k++) {
        job.mins[k] = (float)box->mins.e[k];
        job.maxs[k] = (float)box->maxs.e[k];
    }
    for (size_t w = 0; w < secondary_words(secondary); w++) {
        for (uint64_t left = seen[w]; left; left &= left - 1) {
            size_t number = 64 * w + (size_t)__builtin_ctzll(left);
            if (number < arrlenu(secondary->faces) &&
                overlaps(&secondary->faces[number], job.mins, job.maxs))
                add_face(&job, &secondary->faces[number]);
        }
    }
    add_pending(&job);
    memory_free(seen);
}

void culled_lights_of_face(const struct secondary_lights *secondary, int f,
                           struct culled_lights *out)
{
    const struct face_light *face = &secondary->radiosity->map->faces[f];
    struct bounds box = bounds_empty();
    for (int i = 0; i < face->count; i++)
        bounds_add_point(&box, luxel_position(face, i));
    culled_lights_of_box(secondary, &box, face->clusters, (int)arrlen(face->clusters), out);
}

void culled_lights_free(struct culled_lights *view)
{
    arrfree(view->parts);
}

/* ---- rays that hit a secondary light ---- */

static bool is_listed(const struct culled_lights *view, int light)
{
    ptrdiff_t low = 0, high = arrlen(view->parts);
    int lanes = light / SECONDARY_LANES;
    while (low < high) {
        ptrdiff_t middle = low + (high - low) / 2;
        if (view->parts[middle].lanes < lanes)
            low = middle + 1;
        else
            high = middle;
    }
    return low < arrlen(view->parts) && view->parts[low].lanes == lanes &&
           view->parts[low].lights >> light % SECONDARY_LANES & 1;
}

static bool is_sampled_from(const struct secondary_light *light, struct vec3 point)
{
    float square = 0, along = 0;
    for (int k = 0; k < 3; k++) {
        float way = (float)point.e[k] - light->center[k];
        square += way * way;
        along += way * light->normal[k];
    }
    return secondary_is_sampled(square, along, light->near, light->reach);
}

const float *secondary_residual_of(const struct culled_lights *view, size_t seen, struct vec3 point)
{
    const struct secondary_luxel *luxel = secondary_luxel_at(view->secondary, seen);
    bool sampled = is_sampled_from(&view->secondary->lights[luxel->light], point) &&
                   is_listed(view, luxel->light);
    return sampled ? luxel->residual : NULL;
}
