/* Which hot spots may matter inside of a box. */
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "vrad/hot_spots.h"

/* A bit a cluster that any of `clusters` sees; NULL: no visibility. */
static unsigned char *visible_from(const struct scene *scene, const int *clusters, int count)
{
    if (!scene->clusters || !count)
        return NULL;
    size_t size = ((size_t)scene->clusters + 7) / 8;
    unsigned char *row = memory_alloc(size), *all = memory_zalloc(size, 1);
    for (int i = 0; i < count; i++) {
        if (clusters[i] < 0)
            continue;
        bsp_vis_row(scene->bsp, clusters[i], false, row);
        for (size_t k = 0; k < size; k++)
            all[k] |= row[k];
    }
    memory_free(row);
    return all;
}

static bool is_visible(const struct hot_spots *hot, int face, const unsigned char *visible)
{
    const int *clusters = hot->radiosity->map->faces[face].clusters;
    for (ptrdiff_t i = 0; i < arrlen(clusters); i++)
        if (clusters[i] >= 0 && visible[clusters[i] >> 3] >> (clusters[i] & 7) & 1)
            return true;
    return arrlen(clusters) == 0;
}

static bool overlaps(const struct hot_lanes *lanes, const float mins[3], const float maxs[3])
{
    for (int k = 0; k < 3; k++)
        if (lanes->mins[k] > maxs[k] || lanes->maxs[k] < mins[k])
            return false;
    return true;
}

/* Lanes whose reach holds some of the box, and before which some of it lies. */
static uint32_t lanes_near(const struct hot_lanes *lanes, const float mins[3], const float maxs[3])
{
    float square[HOT_LANES] = {0}, ahead[HOT_LANES] = {0};
    uint32_t found = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < HOT_LANES; i++) {
            float below = mins[k] - lanes->center[k][i], above = lanes->center[k][i] - maxs[k];
            float gap = below > above ? below : above, normal = lanes->normal[k][i];
            gap = gap > 0 ? gap : 0;
            square[i] += gap * gap;
            ahead[i] += normal > 0 ? -normal * above : normal * below;
        }
    }
    for (int i = 0; i < HOT_LANES; i++)
        found |= (uint32_t)(square[i] < lanes->reach[i] && ahead[i] > 0) << i;
    return found;
}

/* Spots of a face follow each other: they are visible together. */
struct watch {
    const unsigned char *visible; /* NULL: all is */
    int face;                     /* of the spot before */
    bool sees;
};

static uint32_t lanes_seen(const struct hot_spots *hot, int number, uint32_t lanes,
                           struct watch *watch)
{
    uint32_t seen = 0;
    for (int i = 0; i < HOT_LANES && lanes >> i; i++) {
        if (!(lanes >> i & 1))
            continue;
        int face = hot->spots[number * HOT_LANES + i].face;
        if (face != watch->face && watch->visible)
            watch->sees = is_visible(hot, face, watch->visible);
        watch->face = face;
        seen |= (uint32_t)watch->sees << i;
    }
    return seen;
}

void hot_view_of_box(const struct hot_spots *hot, const struct bounds *box, const int *clusters,
                     int cluster_count, struct hot_view *out)
{
    *out = (struct hot_view){hot, NULL};
    if (!arrlen(hot->lanes))
        return;
    unsigned char *visible = visible_from(hot->radiosity->scene, clusters, cluster_count);
    struct watch watch = {visible, -1, true};
    float mins[3], maxs[3];
    for (int k = 0; k < 3; k++) {
        mins[k] = (float)box->mins.e[k];
        maxs[k] = (float)box->maxs.e[k];
    }
    for (int i = 0; i < (int)arrlen(hot->lanes); i++) {
        if (!overlaps(&hot->lanes[i], mins, maxs))
            continue;
        uint32_t lanes = lanes_near(&hot->lanes[i], mins, maxs);
        lanes = lanes_seen(hot, i, lanes, &watch);
        struct hot_part part = {i, lanes};
        if (lanes)
            arrput(out->parts, part);
    }
    memory_free(visible);
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
