#include "vrad/bounce/ray_guide.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "common/parallel/parallel.h"
#include "vrad/scene/hemisphere.h"
#include "vrad/scene/prop_charts.h"

/* A hit is bright when it gives more than so many times the mean of its point's rays. */
#define BRIGHT 2.0f

/* One in so many rays of a point is kept, at most. */
enum { RAYS_PER_HIT = 4, MAX_HITS = 32 };

/* Stands for the distance of the sky. */
#define SKY_DISTANCE 16384.0

/* Rays near the surface stand for much of what another point would see. */
#define MIN_COSINE 0.1

/* Side of a cell of the grid over the map, and reach of a view, in units. */
#define CELL_SIDE 256.0

/* Height over the surface of tests between points, in units. */
#define VIEW_HEIGHT 1.0

/* ---- bright hits of the transport rays ---- */

/* The brightness of all rays of a point; returns their mean by weight. */
static float look(const struct transport_rays *transport, const struct gather_point *from,
                  const uint32_t *seen, int rays, float *bright)
{
    float sum = 0;
    for (int i = 0; i < rays; i++) {
        bright[i] = transport_brightness(transport, seen[i]);
        sum += bright[i] * (from->weights ? from->weights[i] : 1);
    }
    return sum / (float)rays;
}

/* The face of a luxel of the map. */
static int face_of(const struct radiosity *radiosity, size_t luxel)
{
    int low = 0, high = radiosity->map->face_count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (radiosity->first[middle] <= luxel)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Where ray `i` of the point ended. */
static struct vec3 place_of(const struct transport_rays *transport,
                            const struct gather_table *table, const struct gather_point *from,
                            int i, size_t luxel)
{
    const struct radiosity *radiosity = transport->radiosity;
    luxel = radiosity_whole(radiosity, luxel);
    if (luxel < radiosity_sky(radiosity)) {
        int face = face_of(radiosity, luxel);
        return luxel_position(&radiosity->map->faces[face], (int)(luxel - radiosity->first[face]));
    }
    if (luxel > radiosity_black(radiosity)) {
        size_t prop = luxel - radiosity_black(radiosity) - 1;
        return vec3_from_floats(radiosity->map->props->charts->luxels[prop].position[0]);
    }
    const float *local = gather_set(table, from)[i].direction;
    struct vec3 x, y;
    frame_around(from->normal, &x, &y);
    struct vec3 way = frame_point(vec3_from_floats(local), x, y, from->normal);
    return vec3_mad(from->position, way, SKY_DISTANCE);
}

static struct guide_hit hit_of(const struct transport_rays *transport,
                               const struct gather_table *table, const struct gather_point *from,
                               int i, uint32_t seen, float light)
{
    struct vec3 place = place_of(transport, table, from, i, seen & ~GATHER_CLAMPED);
    struct vec3 way = vec3_sub(place, from->position);
    double distance = vec3_length(way);
    double cosine = vec3_dot(way, from->normal) / portable_fmax(distance, 1e-3);
    struct guide_hit hit;
    vec3_to_floats(place, hit.place);
    hit.power = (float)((double)light * distance * distance / portable_fmax(cosine, MIN_COSINE));
    return hit;
}

/* Keeps the bright hits of a point, or as many of them as there is room, evenly. Returns their
 * number. */
static int keep_hits(const struct transport_rays *transport, const struct gather_table *table,
                     const struct gather_point *from, const uint32_t *seen,
                     struct guide_hit hits[MAX_HITS])
{
    float bright[GATHER_RAYS];
    int rays = table->rays, found = 0, kept = 0, passed = 0;
    float limit = BRIGHT * look(transport, from, seen, rays, bright);
    int room = rays / RAYS_PER_HIT < MAX_HITS ? rays / RAYS_PER_HIT : MAX_HITS;
    for (int i = 0; i < rays; i++)
        found += bright[i] > limit;
    room = found < room ? found : room;
    for (int i = 0; i < rays && kept < room; i++) {
        if (!(bright[i] > limit) || passed++ * room / found < kept)
            continue;
        float light = bright[i] * (float)found / (float)(room * rays);
        light *= from->weights ? from->weights[i] : 1;
        hits[kept++] = hit_of(transport, table, from, i, seen[i], light);
    }
    return kept;
}

static void collect_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct ray_guide *guide = context;
    const struct transport_rays *transport = guide->transport;
    const struct face_light *light = &transport->radiosity->map->faces[face];
    const struct face_transport *traced = &transport->of_face[face];
    if (!traced->seen)
        return;
    struct guide_face *out = &guide->faces[face];
    struct guide_hit *hits = NULL;
    int points = irradiance_grid_points(&traced->grid);
    out->counts = memory_zalloc((size_t)points + 1, 1);
    for (int i = 0; i < points; i++) {
        int luxel = irradiance_grid_luxel(light, &traced->grid, i);
        if (luxel_is_hidden(light, luxel))
            continue;
        struct gather_point from = gather_point_at(transport->radiosity, (int)face, luxel, NULL);
        out->counts[i] = (unsigned char)keep_hits(
            transport, transport->table, &from,
            traced->seen + (size_t)i * (size_t)transport->table->rays, arraddnptr(hits, MAX_HITS));
        arrsetlen(hits, arrlenu(hits) - MAX_HITS + out->counts[i]);
    }
    out->hit_count = (int)arrlen(hits);
    out->hits = memory_alloc((arrlenu(hits) + 1) * sizeof *hits);
    if (hits)
        memcpy(out->hits, hits, arrlenu(hits) * sizeof *hits);
    arrfree(hits);
}

/* A ranks_pack_rest: of the faces whose rays this rank has. */
static void pack_own(void *context, struct bytes *out)
{
    const struct ray_guide *guide = context;
    for (size_t i = 0; i < (size_t)guide->transport->radiosity->map->face_count; i++) {
        const struct guide_face *face = &guide->faces[i];
        if (!face->counts)
            continue;
        bytes_u32(out, (uint32_t)i);
        bytes_u32(out, (uint32_t)face->hit_count);
        bytes_append(out, face->counts,
                     (size_t)irradiance_grid_points(&guide->transport->of_face[i].grid));
        bytes_append(out, face->hits, (size_t)face->hit_count * sizeof *face->hits);
    }
}

/* Reads the hits of a face; the reader fails unless its points have so many. */
static void unpack_hits(struct byte_reader *from, size_t points, struct guide_face *face)
{
    size_t count = read_u32(from), sum = 0;
    if (!rank_has(from, count, sizeof *face->hits) || !rank_has(from, points, 1))
        return;
    face->counts = memory_alloc(points + 1);
    read_into(from, face->counts, points);
    face->hits = memory_alloc((count + 1) * sizeof *face->hits);
    for (size_t i = 0; i < count; i++) {
        rank_floats(from, face->hits[i].place, 3);
        rank_floats(from, &face->hits[i].power, 1);
    }
    for (size_t i = 0; i < points; i++)
        sum += face->counts[i];
    if (sum == count)
        face->hit_count = (int)count;
    else
        from->failed = true;
}

/* A ranks_unpack_rest. */
static void unpack_others(void *context, struct byte_reader *from)
{
    const struct ray_guide *guide = context;
    while (from->at < from->size && !from->failed) {
        uint32_t face = read_u32(from);
        /* Each face is of one rank. */
        if (face >= (uint32_t)guide->transport->radiosity->map->face_count ||
            guide->faces[face].counts)
            from->failed = true;
        else
            unpack_hits(from, (size_t)irradiance_grid_points(&guide->transport->of_face[face].grid),
                        &guide->faces[face]);
    }
}

/* ---- the grid over the map ---- */

static uint64_t cell_of(const double at[3])
{
    uint64_t cell = 0;
    for (int k = 0; k < 3; k++)
        cell = cell << 21 | ((uint64_t)(int64_t)floor(at[k] / CELL_SIDE) & 0x1fffff);
    return cell;
}

static int by_cell(const void *a, const void *b)
{
    const struct guide_point *x = a, *y = b;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return x->hits < y->hits ? -1 : x->hits > y->hits;
}

static void place_points(struct ray_guide *guide, int face, struct guide_point **points)
{
    const struct guide_face *from = &guide->faces[face];
    const struct irradiance_grid *grid = &guide->transport->of_face[face].grid;
    const struct face_light *light = &guide->transport->radiosity->map->faces[face];
    const struct guide_hit *hits = from->hits;
    for (int i = 0; from->counts && i < irradiance_grid_points(grid); i++) {
        if (!from->counts[i])
            continue;
        struct luxel room;
        const struct luxel *luxel = luxel_of(light, irradiance_grid_luxel(light, grid, i), &room);
        struct vec3 at = vec3_mad(vec3_from_floats(luxel->position),
                                  vec3_from_floats(luxel_normal(light, luxel)), VIEW_HEIGHT);
        struct guide_point point = {
            .cell = cell_of(at.e), .hits = hits, .hit_count = from->counts[i]};
        vec3_to_floats(at, point.position);
        arrput(*points, point);
        hits += from->counts[i];
    }
}

/* Points of a cell stay in the order of their hits, which is that of the faces. */
static void index_points(struct ray_guide *guide, size_t faces)
{
    struct guide_point *points = NULL;
    struct guide_hit *all = NULL;
    size_t count = 0, at = 0;
    for (size_t i = 0; i < faces; i++)
        count += (size_t)guide->faces[i].hit_count;
    all = memory_alloc((count + 1) * sizeof *all);
    for (size_t i = 0; i < faces; i++) {
        struct guide_face *face = &guide->faces[i];
        if (face->hit_count)
            memcpy(all + at, face->hits, (size_t)face->hit_count * sizeof *all);
        memory_free(face->hits);
        face->hits = all + at;
        at += (size_t)face->hit_count;
        place_points(guide, (int)i, &points);
    }
    guide->all = all;
    guide->point_count = arrlenu(points);
    guide->points = memory_alloc((guide->point_count + 1) * sizeof *points);
    if (points) {
        memcpy(guide->points, points, guide->point_count * sizeof *points);
        qsort(guide->points, guide->point_count, sizeof *points, by_cell);
    }
    arrfree(points);
}

void ray_guide_build(const struct env *env, const struct transport_rays *transport,
                     struct ray_guide *out)
{
    size_t faces = (size_t)transport->radiosity->map->face_count;
    *out = (struct ray_guide){.transport = transport,
                              .faces = memory_zalloc(faces + 1, sizeof *out->faces)};
    parallel_for(env->threads, faces, collect_face, out);
    env_exchange(env, out, pack_own, unpack_others);
    if (!env_stopped(env))
        index_points(out, faces);
}

void ray_guide_free(struct ray_guide *guide)
{
    for (int i = 0; guide->faces && i < guide->transport->radiosity->map->face_count; i++) {
        memory_free(guide->faces[i].counts);
        if (!guide->all)
            memory_free(guide->faces[i].hits);
    }
    memory_free(guide->faces);
    memory_free(guide->all);
    memory_free(guide->points);
    *guide = (struct ray_guide){0};
}

/* ---- views ---- */

static size_t first_in(const struct ray_guide *guide, uint64_t cell)
{
    size_t low = 0, high = guide->point_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (guide->points[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double square_between(struct vec3 at, const struct guide_point *point)
{
    struct vec3 way = vec3_sub(vec3_from_floats(point->position), at);
    return vec3_dot(way, way);
}

/* The points within reach, in the order of the grid. Returns an stb_ds array. */
static const struct guide_point **points_near(const struct ray_guide *guide, struct vec3 at)
{
    const struct guide_point **near = NULL;
    for (int i = 0; i < 27; i++) {
        const double corner[3] = {at.x + (i % 3 - 1) * CELL_SIDE,
                                  at.y + (i / 3 % 3 - 1) * CELL_SIDE,
                                  at.z + (i / 9 - 1) * CELL_SIDE};
        uint64_t cell = cell_of(corner);
        for (size_t p = first_in(guide, cell);
             p < guide->point_count && guide->points[p].cell == cell; p++)
            if (square_between(at, &guide->points[p]) <= CELL_SIDE * CELL_SIDE)
                arrput(near, &guide->points[p]);
    }
    return near;
}

static void add_seen(const struct ray_guide *guide, struct trace_packet *packet,
                     const struct guide_point *const *points, int count, struct guide_view *out)
{
    uint32_t lanes = (1u << count) - 1;
    uint32_t seen = lanes & ~scene_blocked16(guide->transport->radiosity->scene, packet, lanes);
    for (int i = 0; i < count; i++)
        if (seen >> i & 1)
            out->points[out->count++] = points[i];
}

void guide_view_from(const struct ray_guide *guide, const struct gather_point *point,
                     struct guide_view *out)
{
    *out = (struct guide_view){.built = true};
    struct vec3 at = vec3_mad(point->position, point->face_normal, VIEW_HEIGHT);
    const struct guide_point **near = points_near(guide, at), *asked[TRACE_PACKET];
    int found = (int)arrlen(near), room = found < GUIDE_VIEWS ? found : GUIDE_VIEWS, lanes = 0;
    struct trace_packet packet = {0};
    for (int i = 0; i < room; i++) {
        const struct guide_point *to = near[(int64_t)i * found / room];
        if (!(square_between(at, to) > 0)) {
            out->points[out->count++] = to;
            continue;
        }
        asked[lanes] = to;
        packet.far[lanes] = 1;
        for (int k = 0; k < 3; k++) {
            packet.origin[k][lanes] = (float)at.e[k];
            packet.direction[k][lanes] = to->position[k] - (float)at.e[k];
        }
        if (++lanes == TRACE_PACKET) {
            add_seen(guide, &packet, asked, lanes, out);
            lanes = 0;
        }
    }
    if (lanes)
        add_seen(guide, &packet, asked, lanes, out);
    arrfree(near);
}

void guide_view_learn(const struct ray_guide *guide, const struct gather_table *table,
                      const struct gather_point *point, const uint32_t *seen,
                      struct guide_view *view)
{
    if (!view->learnt_points) {
        view->learnt_points = memory_alloc(GUIDE_LEARNT * sizeof *view->learnt_points);
        view->learnt_hits = memory_alloc(GUIDE_LEARNT * MAX_HITS * sizeof *view->learnt_hits);
    }
    int number = view->learnt++ % GUIDE_LEARNT;
    struct guide_point *learnt = &view->learnt_points[number];
    struct guide_hit *hits = view->learnt_hits + (ptrdiff_t)number * MAX_HITS;
    *learnt = (struct guide_point){.hits = hits};
    vec3_to_floats(vec3_mad(point->position, point->normal, VIEW_HEIGHT), learnt->position);
    learnt->hit_count = keep_hits(guide->transport, table, point, seen, hits);
}

void guide_view_free(struct guide_view *view)
{
    memory_free(view->learnt_points);
    memory_free(view->learnt_hits);
    *view = (struct guide_view){0};
}
