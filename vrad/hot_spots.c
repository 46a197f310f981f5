#include "vrad/hot_spots.h"

#include <float.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/random.h"

enum { SIDE_LUXELS = 4 };

/* The cap, in means of the light that leaves the surfaces of the map. */
#define CAP 2.0

/* A spot is near up to so many of its half diagonals. */
#define NEAR_DIAGONALS 3.0

/* A spot that gives less than this, of 255, straight ahead is not worth a ray. */
#define LEAST_LIGHT 0.2

#define PI 3.14159265358979324

/* Direct light that leaves a luxel; returns the mean of its channels. */
static double leaving(const struct face_light *face, int luxel, double out[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        out[k] = (double)face->direct[0][3 * luxel + k] * (double)face->reflectivity[k];
        sum += out[k];
    }
    return sum / 3;
}

static bool is_lit(const struct face_light *face)
{
    return face->width > 0 && face->style_count > 0;
}

static double mean_brightness(const struct luxel_map *map)
{
    double sum = 0, area = 0, colour[3];
    for (int f = 0; f < map->face_count; f++) {
        const struct face_light *face = &map->faces[f];
        for (int i = 0; is_lit(face) && i < face->count; i++) {
            sum += (double)face->luxels[i].area * leaving(face, i, colour);
            area += (double)face->luxels[i].area;
        }
    }
    return area > 0 ? sum / area : 0;
}

static void add_luxel(struct hot_spots *hot, const struct face_light *face, int i, double cap,
                      struct hot_spot *spot)
{
    const struct luxel *luxel = &face->luxels[i];
    struct hot_luxel found = {.spot = (int)arrlen(hot->spots)};
    double colour[3], level = leaving(face, i, colour);
    if (level <= cap || !(luxel->area > 0))
        return;
    double share = 1 - cap / level, weight = share * level * (double)luxel->area;
    for (int k = 0; k < 3; k++) {
        found.excess[k] = (float)(share * colour[k]);
        spot->power[k] += share * colour[k] * (double)luxel->area;
        spot->normal.e[k] += weight * (double)luxel->normal[k];
    }
    spot->center = vec3_mad(spot->center, vec3_from_floats(luxel->position), weight);
    spot->brightness += weight;
    hot->luxel_of[hot->radiosity->first[face - hot->radiosity->map->faces] + (size_t)i] =
        (int32_t)arrlen(hot->luxels);
    arrput(hot->luxels, found);
}

static void find_in_square(struct hot_spots *hot, int f, int column, int row, double cap)
{
    const struct face_light *face = &hot->radiosity->map->faces[f];
    struct hot_spot spot = {.face = f};
    for (int t = row; t < row + SIDE_LUXELS && t < face->height; t++)
        for (int s = column; s < column + SIDE_LUXELS && s < face->width; s++)
            add_luxel(hot, face, t * face->width + s, cap, &spot);
    if (!(spot.brightness > 0))
        return;
    spot.center = vec3_scale(spot.center, 1 / spot.brightness);
    spot.normal = face->mesh ? vec3_normalize(spot.normal) : face->normal;
    double diagonal = 0;
    for (int k = 0; k < 2; k++) {
        spot.half_side[k] = vec3_scale(face->axis[k], SIDE_LUXELS / 2.0);
        diagonal += vec3_dot(spot.half_side[k], spot.half_side[k]);
    }
    spot.near = NEAR_DIAGONALS * NEAR_DIAGONALS * diagonal;
    arrput(hot->spots, spot);
    struct hot_reach reach = {.square = (float)(spot.brightness / (LEAST_LIGHT * PI))};
    for (int k = 0; k < 3; k++)
        reach.center[k] = (float)spot.center.e[k];
    arrput(hot->reaches, reach);
}

static void make_groups(struct hot_spots *hot)
{
    for (int i = 0; i < (int)arrlen(hot->reaches); i++) {
        const struct hot_reach *reach = &hot->reaches[i];
        float radius = sqrtf(reach->square);
        struct hot_group empty = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
        if (i % HOT_GROUP == 0)
            arrput(hot->groups, empty);
        struct hot_group *group = &arrlast(hot->groups);
        for (int k = 0; k < 3; k++) {
            group->mins[k] = fminf(group->mins[k], reach->center[k] - radius);
            group->maxs[k] = fmaxf(group->maxs[k], reach->center[k] + radius);
        }
    }
}

void hot_spots_find(const struct radiosity *radiosity, struct hot_spots *out)
{
    const struct luxel_map *map = radiosity->map;
    size_t count = radiosity->first[map->face_count] + 2;
    double cap = CAP * mean_brightness(map);
    *out = (struct hot_spots){.radiosity = radiosity};
    if (!(cap > 0))
        return;
    out->luxel_of = memory_alloc(count * sizeof *out->luxel_of);
    for (size_t i = 0; i < count; i++)
        out->luxel_of[i] = -1;
    for (int f = 0; f < map->face_count; f++) {
        const struct face_light *face = &map->faces[f];
        for (int row = 0; is_lit(face) && row < face->height; row += SIDE_LUXELS)
            for (int column = 0; column < face->width; column += SIDE_LUXELS)
                find_in_square(out, f, column, row, cap);
    }
    make_groups(out);
}

void hot_spots_free(struct hot_spots *hot)
{
    arrfree(hot->spots);
    arrfree(hot->reaches);
    arrfree(hot->groups);
    arrfree(hot->luxels);
    memory_free(hot->luxel_of);
    *hot = (struct hot_spots){0};
}

/* Whether the point takes the spot by a ray of its own. */
static bool is_aimed_at(const struct hot_spot *spot, struct vec3 point)
{
    struct vec3 way = vec3_sub(point, spot->center);
    double square = vec3_dot(way, way), along = vec3_dot(way, spot->normal);
    return along > 0 && square > spot->near &&
           spot->brightness * along > LEAST_LIGHT * PI * square * sqrt(square);
}

static bool is_listed(const struct hot_view *view, int spot)
{
    ptrdiff_t low = 0, high = arrlen(view->spots);
    while (low < high) {
        ptrdiff_t middle = low + (high - low) / 2;
        if (view->spots[middle] < spot)
            low = middle + 1;
        else
            high = middle;
    }
    return low < arrlen(view->spots) && view->spots[low] == spot;
}

const float *hot_excess(const struct hot_view *view, size_t seen, struct vec3 point)
{
    int32_t number = view->hot->luxel_of ? view->hot->luxel_of[seen] : -1;
    if (number < 0)
        return NULL;
    const struct hot_luxel *luxel = &view->hot->luxels[number];
    bool aimed = is_aimed_at(&view->hot->spots[luxel->spot], point) && is_listed(view, luxel->spot);
    return aimed ? luxel->excess : NULL;
}

/* ---- the spots that matter in a box ---- */

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

static bool is_visible(const struct hot_spots *hot, const struct hot_spot *spot,
                       const unsigned char *visible)
{
    const int *clusters = hot->radiosity->map->faces[spot->face].clusters;
    for (ptrdiff_t i = 0; i < arrlen(clusters); i++)
        if (clusters[i] >= 0 && visible[clusters[i] >> 3] >> (clusters[i] & 7) & 1)
            return true;
    return arrlen(clusters) == 0;
}

/* Whether any of the box lies inside the reach. */
static bool reaches(const struct hot_reach *reach, const float mins[3], const float maxs[3])
{
    float square = 0;
    for (int k = 0; k < 3; k++) {
        float below = mins[k] - reach->center[k], above = reach->center[k] - maxs[k];
        float gap = below > 0 ? below : above > 0 ? above : 0;
        square += gap * gap;
    }
    return square < reach->square;
}

/* Whether any of the box lies before the spot. */
static bool is_before(const struct hot_spot *spot, const struct bounds *box)
{
    struct vec3 top;
    for (int k = 0; k < 3; k++)
        top.e[k] = spot->normal.e[k] > 0 ? box->maxs.e[k] : box->mins.e[k];
    return vec3_dot(spot->normal, vec3_sub(top, spot->center)) > 0;
}

static bool overlaps(const struct hot_group *group, const float mins[3], const float maxs[3])
{
    for (int k = 0; k < 3; k++)
        if (group->mins[k] > maxs[k] || group->maxs[k] < mins[k])
            return false;
    return true;
}

void hot_view_of_box(const struct hot_spots *hot, const struct bounds *box, const int *clusters,
                     int cluster_count, struct hot_view *out)
{
    int count = (int)arrlen(hot->spots);
    unsigned char *visible = visible_from(hot->radiosity->scene, clusters, cluster_count);
    *out = (struct hot_view){hot, NULL};
    float mins[3], maxs[3];
    for (int k = 0; k < 3; k++) {
        mins[k] = (float)box->mins.e[k];
        maxs[k] = (float)box->maxs.e[k];
    }
    int face = -1; /* spots of a face follow each other: they are visible together */
    bool sees = true;
    for (int i = 0; i < count; i++) {
        if (i % HOT_GROUP == 0 && !overlaps(&hot->groups[i / HOT_GROUP], mins, maxs)) {
            i += HOT_GROUP - 1;
            continue;
        }
        const struct hot_spot *spot = &hot->spots[i];
        if (!reaches(&hot->reaches[i], mins, maxs) || !is_before(spot, box))
            continue;
        if (visible && spot->face != face) {
            face = spot->face;
            sees = is_visible(hot, spot, visible);
        }
        if (sees)
            arrput(out->spots, i);
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
    arrfree(view->spots);
}

/* ---- the light of spots at a point ---- */

struct shots {
    struct trace_packet packet;
    const struct hot_spot *spot[TRACE_PACKET];
    struct vec3 way[TRACE_PACKET];
    int count;
};

static void receive(const struct hot_receiver *to, const struct hot_spot *spot, struct vec3 way,
                    float *out)
{
    double square = vec3_dot(way, way), there = -vec3_dot(way, spot->normal);
    if (there <= 0)
        return;
    double factor = there / (PI * square * square);
    for (int j = 0; j < to->axes; j++) {
        double along = vec3_dot(way, to->axis[j]);
        for (int k = 0; k < 3 && along > 0; k++)
            out[3 * j + k] += (float)(factor * along * spot->power[k]);
    }
}

static void shoot(const struct hot_view *view, const struct hot_receiver *to, struct shots *shots,
                  float *out)
{
    uint32_t lanes = (uint32_t)((1u << shots->count) - 1);
    if (!lanes)
        return;
    const struct scene *scene = view->hot->radiosity->scene;
    uint32_t seen = lanes & ~scene_blocked16(scene, &shots->packet, lanes);
    seen = scene_through16(scene, &shots->packet, seen, false);
    for (int i = 0; i < shots->count; i++)
        if (seen >> i & 1)
            receive(to, shots->spot[i], shots->way[i], out);
    shots->count = 0;
}

/* The ray goes to a random place of the inner quarter of the spot, lest its shadows are sharp; how
 * much light comes is that of the middle. */
static void aim(struct shots *shots, const struct hot_receiver *to, const struct hot_spot *spot,
                uint64_t random)
{
    struct vec3 target = vec3_mad(spot->center, spot->normal, SCENE_RAY_OFFSET);
    target = vec3_mad(target, spot->half_side[0], (double)(uint32_t)random * 0x1p-33 - 0.25);
    target = vec3_mad(target, spot->half_side[1], (double)(random >> 32) * 0x1p-33 - 0.25);
    int lane = shots->count++;
    shots->spot[lane] = spot;
    shots->way[lane] = vec3_sub(spot->center, to->position);
    for (int k = 0; k < 3; k++) {
        shots->packet.origin[k][lane] = (float)to->start.e[k];
        shots->packet.direction[k][lane] = (float)(target.e[k] - to->start.e[k]);
    }
    shots->packet.far[lane] = 1;
}

static bool faces(const struct hot_receiver *to, const struct hot_spot *spot)
{
    struct vec3 way = vec3_sub(spot->center, to->start);
    for (int j = 0; j < to->axes; j++)
        if (vec3_dot(way, to->axis[j]) > 0)
            return true;
    return false;
}

int hot_light(const struct hot_view *view, const struct hot_receiver *to, float *out)
{
    struct shots shots = {0};
    int rays = 0;
    for (ptrdiff_t i = 0; i < arrlen(view->spots); i++) {
        const struct hot_spot *spot = &view->hot->spots[view->spots[i]];
        if (!is_aimed_at(spot, to->position) || !faces(to, spot))
            continue;
        aim(&shots, to, spot, hash_pair(to->seed, (uint64_t)view->spots[i]));
        rays++;
        if (shots.count == TRACE_PACKET)
            shoot(view, to, &shots, out);
    }
    shoot(view, to, &shots, out);
    return rays;
}
