/* Which hot spots may matter inside of a box. */
#include <string.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "vrad/secondary/hot_lanes.h"

/* ---- what the clusters see ---- */

static const int *clusters_of(const struct hot_spots *hot, const struct hot_face *face)
{
    return hot->radiosity->map->faces[face->face].clusters;
}

static bool is_seen(const struct hot_spots *hot, const struct hot_face *face,
                    const unsigned char *row)
{
    const int *clusters = clusters_of(hot, face);
    for (ptrdiff_t i = 0; i < arrlen(clusters); i++)
        if (clusters[i] >= 0 && row[clusters[i] >> 3] >> (clusters[i] & 7) & 1)
            return true;
    return arrlen(clusters) == 0;
}

void hot_view_prepare(struct hot_spots *hot)
{
    const struct scene *scene = hot->radiosity->scene;
    size_t words = hot_words(hot);
    if (!scene->clusters || !words)
        return;
    unsigned char *row = memory_alloc(((size_t)scene->clusters + 7) / 8);
    hot->visible = memory_zalloc((size_t)scene->clusters * words, sizeof *hot->visible);
    for (int c = 0; c < scene->clusters; c++) {
        bsp_vis_row(scene->bsp, c, false, row);
        for (size_t i = 0; i < arrlenu(hot->faces); i++)
            if (is_seen(hot, &hot->faces[i], row))
                hot->visible[(size_t)c * words + i / 64] |= (uint64_t)1 << i % 64;
    }
    memory_free(row);
}

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

/* ---- what lies near ---- */

static bool overlaps(const struct hot_face *face, const float mins[3], const float maxs[3])
{
    for (int k = 0; k < 3; k++)
        if (face->mins[k] > maxs[k] || face->maxs[k] < mins[k])
            return false;
    return true;
}

/* Lanes of which some are wanted: faces that follow each other may share them. */
struct gleaning {
    float mins[3], maxs[3];
    struct hot_part pending;
    struct hot_view *out;
};

static void glean_pending(struct gleaning *gleaning)
{
    const struct hot_spots *hot = gleaning->out->hot;
    struct hot_part part = gleaning->pending;
    if (part.spots)
        part.spots &= hot->work->near(&hot->lanes[part.lanes], gleaning->mins, gleaning->maxs);
    if (part.spots)
        arrput(gleaning->out->parts, part);
}

static void glean_face(struct gleaning *gleaning, const struct hot_face *face)
{
    for (int lanes = face->first / HOT_LANES; lanes * HOT_LANES < face->end; lanes++) {
        int from = face->first - lanes * HOT_LANES, to = face->end - lanes * HOT_LANES;
        uint32_t spots = to < HOT_LANES ? (1u << to) - 1 : 0xffff;
        spots &= from > 0 ? ~((1u << from) - 1) : 0xffff;
        if (lanes != gleaning->pending.lanes) {
            glean_pending(gleaning);
            gleaning->pending = (struct hot_part){lanes, 0};
        }
        gleaning->pending.spots |= spots;
    }
}

void hot_view_of_box(const struct hot_spots *hot, const struct bounds *box, const int *clusters,
                     int cluster_count, struct hot_view *out)
{
    *out = (struct hot_view){hot, NULL};
    if (!arrlen(hot->faces))
        return;
    uint64_t *seen = seen_from(hot, clusters, cluster_count);
    struct gleaning gleaning = {.pending = {-1, 0}, .out = out};
    for (int k = 0; k < 3; k++) {
        gleaning.mins[k] = (float)box->mins.e[k];
        gleaning.maxs[k] = (float)box->maxs.e[k];
    }
    for (size_t w = 0; w < hot_words(hot); w++) {
        for (uint64_t left = seen[w]; left; left &= left - 1) {
            size_t number = 64 * w + (size_t)__builtin_ctzll(left);
            if (number < arrlenu(hot->faces) &&
                overlaps(&hot->faces[number], gleaning.mins, gleaning.maxs))
                glean_face(&gleaning, &hot->faces[number]);
        }
    }
    glean_pending(&gleaning);
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
