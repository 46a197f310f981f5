#include "vrad/bounce/final_gather.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/scene/hemisphere.h"
#include "vrad/scene/ray_hit_cache.h"

/* --- tables of rays --- */

/* Rays in a table: enough that points do not share their noise, few enough for the cache. */
enum { TABLE_SIZE = 1 << 13, MIN_VARIANTS = 16 };

/* The position on a space-filling curve over the square. */
static uint32_t place_on_curve(const double square[2])
{
    uint32_t x = (uint32_t)(square[0] * 0x1p10), y = (uint32_t)(square[1] * 0x1p10), place = 0;
    for (int bit = 9; bit >= 0; bit--)
        place = place << 2 | (x >> bit & 1) << 1 | (y >> bit & 1);
    return place;
}

struct placed_ray {
    uint32_t place;
    int index;
    struct vec3 direction;
};

static int by_place(const void *a, const void *b)
{
    const struct placed_ray *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->index - y->index;
}

/* Turns areas of the disk into heights: 1 - r^2 is the cosine of a uniform direction. */
static struct vec3 uniform_direction(struct vec3 local)
{
    double cosine = local.z * local.z, across = sqrt(1 - cosine * cosine);
    double radius = sqrt(local.x * local.x + local.y * local.y);
    double scale = radius > 0 ? across / radius : 0;
    return vec3(local.x * scale, local.y * scale, cosine);
}

static struct placed_ray place_ray(const struct gather_table *table, uint32_t index, uint64_t seed)
{
    double square[2];
    bool bumped = table->kind == GATHER_BUMPED, uniform = bumped && index & 1;
    if (bumped)
        sample_square(index >> 1, hash_pair(seed, index & 1), square);
    else
        sample_square(index, seed, square);
    if (table->kind == GATHER_SQUARE)
        return (struct placed_ray){place_on_curve(square), (int)index,
                                   vec3(square[0], square[1], 0)};
    struct vec3 local =
        table->kind == GATHER_SPHERE ? sphere_point(square) : square_to_cosine(square);
    return (struct placed_ray){place_on_curve(square), (int)index,
                               uniform ? uniform_direction(local) : local};
}

static void fill_set(const struct gather_table *table, int variant)
{
    struct placed_ray placed[GATHER_RAYS] = {{0}};
    uint64_t seed = hash_u64((uint64_t)variant + 1);
    for (int i = 0; i < table->rays; i++)
        placed[i] = place_ray(table, (uint32_t)i, seed);
    qsort(placed, (size_t)table->rays, sizeof *placed, by_place);
    for (int i = 0; i < table->rays; i++) {
        struct gather_ray *ray = &table->set[variant * table->rays + i];
        uint64_t random = hash_pair(seed, (uint64_t)i);
        for (int k = 0; k < 3; k++)
            ray->direction[k] = (float)placed[i].direction.e[k];
        ray->jitter[0] = (float)((double)(uint32_t)random * 0x1p-32 - 0.5);
        ray->jitter[1] = (float)((double)(random >> 32) * 0x1p-32 - 0.5);
    }
}

void gather_table_init(struct gather_table *table, int rays, enum gather_kind kind)
{
    int variants = TABLE_SIZE / rays > MIN_VARIANTS ? TABLE_SIZE / rays : MIN_VARIANTS;
    *table = (struct gather_table){
        rays, kind, variants, memory_alloc((size_t)variants * (size_t)rays * sizeof *table->set)};
    for (int i = 0; i < variants; i++)
        fill_set(table, i);
}

void gather_table_free(struct gather_table *table)
{
    memory_free(table->set);
    *table = (struct gather_table){0};
}

/* --- light at points --- */

/* Light of a uniform hemisphere in a bump direction: the direction leans from the normal by the
 * angle of cosine 1 / sqrt 3, and what lies below the surface is cut off. */
#define BUMP_SHARE 0.78867513459481288f

/* Gain that is worth a shadow ray: light of 255, or relative to the light there. */
#define MIN_WORTH   .05
#define SHARE_WORTH .015

struct gather_point gather_point_at(const struct radiosity *radiosity, int face, int luxel,
                                    const struct culled_lights *secondary)
{
    const struct face_light *light = &radiosity->map->faces[face];
    struct luxel room;
    const struct luxel *at = luxel_of(light, luxel, &room);
    struct gather_point point = {
        .slots = light->slots, .area = light->area, .secondary = secondary};
    for (int k = 0; k < 3; k++) {
        point.position.e[k] = (double)at->position[k];
        point.normal.e[k] = (double)luxel_normal(light, at)[k];
    }
    bool flat = !light->mesh;
    point.face_normal = flat ? light->normal : point.normal;
    double whole = vec3_length(vec3_cross(light->axis[0], light->axis[1]));
    if (flat && (double)at->area > 0.999 * whole) {
        point.jitter[0] = light->axis[0];
        point.jitter[1] = light->axis[1];
    }
    if (point.slots > 1)
        luxel_bump_basis(radiosity->scene, light, at, point.bump);
    double level = radiosity_level(radiosity, face, luxel);
    point.min = portable_fmax(MIN_WORTH, SHARE_WORTH * level);
    point.seed = radiosity->first[face] + (size_t)luxel;
    point.cache_slot = 1 + (size_t)point.seed;
    return point;
}

/* Local frame of a point's rays, in single precision. */
struct gather_frame {
    const struct gather_ray *set;
    float axes[3][3]; /* around the normal */
    float start[3], jitter[2][3];
    float surface[3]; /* the normal of the face */
    float horizon;    /* minimum cosine with it; rays below are skipped */
};

const struct gather_ray *gather_set(const struct gather_table *table,
                                    const struct gather_point *point)
{
    if (point->rays)
        return point->rays;
    uint64_t variant = hash_u64(point->seed) & (uint64_t)(table->variants - 1);
    return table->set + variant * (uint64_t)table->rays;
}

void gather_axes(const struct gather_point *point, float axes[3][3])
{
    struct vec3 x, y;
    frame_around(point->normal, &x, &y);
    vec3_to_floats(x, axes[0]);
    vec3_to_floats(y, axes[1]);
    vec3_to_floats(point->normal, axes[2]);
}

static struct gather_frame gather_frame_of(const struct gather_table *table,
                                           const struct gather_point *point)
{
    struct gather_frame frame = {.set = gather_set(table, point)};
    if (point->in_air) {
        for (int k = 0; k < 3; k++)
            frame.axes[k][k] = 1;
        frame.horizon = -1;
    } else {
        gather_axes(point, frame.axes);
    }
    vec3_to_floats(vec3_mad(point->position, point->face_normal, SCENE_RAY_OFFSET), frame.start);
    vec3_to_floats(point->jitter[0], frame.jitter[0]);
    vec3_to_floats(point->jitter[1], frame.jitter[1]);
    vec3_to_floats(point->face_normal, frame.surface);
    return frame;
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void turn(const float local[3], const float axes[3][3], float out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = local[0] * axes[0][k] + local[1] * axes[1][k] + local[2] * axes[2][k];
}

/* Two packets of incoherent rays. */
enum { PAIR_RAYS = 2 * TRACE_PACKET };

struct gather_packet {
    struct trace_packet packets[2];
    uint32_t *seen[PAIR_RAYS];
    const struct gather_point *point[PAIR_RAYS];
    uint32_t valid;
    int count;
};

static void flush(const struct radiosity *radiosity, bool coherent, struct gather_packet *p)
{
    struct scene_hit hits[PAIR_RAYS];
    if (!p->count)
        return;
    int last = p->count > TRACE_PACKET ? TRACE_PACKET : 0;
    const int areas[2] = {p->point[0]->area, p->point[last]->area};
    radiosity_trace_pair16(radiosity, p->packets, p->valid, coherent, areas, hits);
    for (int lane = 0; lane < p->count; lane++) {
        const struct gather_point *point = p->point[lane];
        size_t seen = p->valid >> lane & 1 ? radiosity_seen(radiosity, &hits[lane])
                                           : radiosity_black(radiosity);
        bool clamped =
            point->secondary && secondary_residual(point->secondary, seen, point->position);
        *p->seen[lane] = (uint32_t)seen | (clamped ? GATHER_CLAMPED : 0);
    }
    p->valid = 0;
    p->count = 0;
}

static void make_ray(const struct gather_frame *frame, int ray, struct gather_packet *p)
{
    const struct gather_ray *local = &frame->set[ray];
    struct trace_packet *packet = &p->packets[p->count / TRACE_PACKET];
    int lane = p->count % TRACE_PACKET;
    float direction[3];
    turn(local->direction, frame->axes, direction);
    for (int k = 0; k < 3; k++) {
        packet->direction[k][lane] = direction[k];
        packet->origin[k][lane] = frame->start[k] + local->jitter[0] * frame->jitter[0][k] +
                                  local->jitter[1] * frame->jitter[1][k];
    }
    p->valid |= (uint32_t)(dot(direction, frame->surface) > frame->horizon) << p->count;
    p->count++;
}

/* Frames of as many points as a packet has lanes. */
struct lane_gather {
    float axes[3][3][TRACE_PACKET], start[3][TRACE_PACKET], jitter[2][3][TRACE_PACKET];
    float surface[3][TRACE_PACKET], horizon[TRACE_PACKET];
};

static void load_lane(struct lane_gather *lane_frames, int lane, const struct gather_frame *frame)
{
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++)
            lane_frames->axes[j][k][lane] = frame->axes[j][k];
        for (int j = 0; j < 2; j++)
            lane_frames->jitter[j][k][lane] = frame->jitter[j][k];
        lane_frames->start[k][lane] = frame->start[k];
        lane_frames->surface[k][lane] = frame->surface[k];
    }
    lane_frames->horizon[lane] = frame->horizon;
}

/* Each lane takes the same ray of its own set. */
static void make_rays(const struct lane_gather *lane_frames, const struct gather_frame *frames,
                      int ray, struct gather_packet *p)
{
    float local[3][TRACE_PACKET], jitter[2][TRACE_PACKET], above[TRACE_PACKET] = {0};
    struct trace_packet *packet = &p->packets[p->count / TRACE_PACKET];
    for (int i = 0; i < TRACE_PACKET; i++) {
        const struct gather_ray *from = &frames[i].set[ray];
        for (int k = 0; k < 3; k++)
            local[k][i] = from->direction[k];
        for (int k = 0; k < 2; k++)
            jitter[k][i] = from->jitter[k];
    }
    for (int k = 0; k < 3; k++) {
        float *direction = packet->direction[k], *origin = packet->origin[k];
        for (int i = 0; i < TRACE_PACKET; i++) {
            float along = local[0][i] * lane_frames->axes[0][k][i] +
                          local[1][i] * lane_frames->axes[1][k][i] +
                          local[2][i] * lane_frames->axes[2][k][i];
            direction[i] = along;
            above[i] += along * lane_frames->surface[k][i];
            origin[i] = lane_frames->start[k][i] + jitter[0][i] * lane_frames->jitter[0][k][i] +
                        jitter[1][i] * lane_frames->jitter[1][k][i];
        }
    }
    for (int i = 0; i < TRACE_PACKET; i++)
        p->valid |= (uint32_t)(above[i] > lane_frames->horizon[i]) << (p->count + i);
    p->count += TRACE_PACKET;
}

static void trace_lanes(const struct radiosity *radiosity, const struct gather_table *table,
                        const struct gather_point *points, const struct gather_frame *frames,
                        struct gather_packet *p, uint32_t *seen)
{
    struct lane_gather lane_frames;
    for (int i = 0; i < TRACE_PACKET; i++) {
        load_lane(&lane_frames, i, &frames[i]);
        p->point[i] = p->point[TRACE_PACKET + i] = &points[i];
    }
    for (int ray = 0; ray < table->rays; ray++) {
        for (int i = 0; i < TRACE_PACKET; i++)
            p->seen[p->count + i] = &seen[i * table->rays + ray];
        make_rays(&lane_frames, frames, ray, p);
        if (p->count == PAIR_RAYS)
            flush(radiosity, true, p);
    }
    flush(radiosity, true, p);
}

/* Like gather_trace, without the cache. All points trace one part of their hemispheres at a time,
 * so that the rays of a packet are coherent. */
static void gather_trace_uncached(const struct radiosity *radiosity,
                                  const struct gather_table *table,
                                  const struct gather_point *points, int count, uint32_t *seen)
{
    struct gather_frame frames[GATHER_POINTS];
    struct gather_packet p;
    memset(&p, 0, sizeof p);
    for (int i = 0; i < count; i++)
        frames[i] = gather_frame_of(table, &points[i]);
    for (int lane = 0; lane < PAIR_RAYS; lane++)
        p.packets[lane / TRACE_PACKET].far[lane % TRACE_PACKET] = INFINITY;
    if (count == TRACE_PACKET) {
        trace_lanes(radiosity, table, points, frames, &p, seen);
        return;
    }
    bool coherent = count * table->rays >= RADIOSITY_COHERENT_RAYS;
    for (int ray = 0; ray < table->rays; ray++) {
        for (int i = 0; i < count; i++) {
            p.seen[p.count] = &seen[i * table->rays + ray];
            p.point[p.count] = &points[i];
            make_ray(&frames[i], ray, &p);
            if (p.count == PAIR_RAYS)
                flush(radiosity, coherent, &p);
        }
    }
    flush(radiosity, coherent, &p);
}

/* Weighted light and its moments. */
struct gather_moments {
    float light[3], weight;
    float squares, scaled, weights; /* sums of w^2 b^2, w^2 b and w^2; b is the brightness */
};

static void add_seen(const struct radiosity *radiosity, const struct culled_lights *secondary,
                     uint32_t seen, float weight, struct gather_moments *sum)
{
    uint32_t luxel = seen & ~GATHER_CLAMPED;
    float room[3];
    const float *leaving = radiosity_at(radiosity, luxel, room);
    float light[3] = {leaving[0], leaving[1], leaving[2]};
    if (seen & GATHER_CLAMPED) {
        const float *residual = secondary_luxel_at(secondary->secondary, luxel)->residual;
        for (int k = 0; k < 3; k++)
            light[k] -= residual[k];
    }
    for (int k = 0; k < 3; k++)
        sum->light[k] += weight * light[k];
    float bright = (light[0] + light[1] + light[2]) * (weight / 3);
    sum->weight += weight;
    sum->squares += bright * bright;
    sum->scaled += bright * weight;
    sum->weights += weight * weight;
}

static void end_sum(const struct gather_moments *sum, float scale, float out[3], float *variance)
{
    float weight = portable_fmaxf(sum->weight, 1e-9f), mean = 0;
    for (int k = 0; k < 3; k++) {
        out[k] = sum->light[k] / weight;
        mean += out[k] / 3;
        out[k] *= scale;
    }
    float scatter = sum->squares - 2 * mean * sum->scaled + mean * mean * sum->weights;
    *variance = scale * scale * portable_fmaxf(scatter, 0) / (weight * weight);
}

static void gather_bumped(const struct radiosity *radiosity, const struct gather_table *table,
                          const struct gather_point *point, const uint32_t *seen, float *out,
                          float *variance)
{
    const struct gather_ray *set = gather_set(table, point);
    struct gather_moments sums[LUXEL_SLOTS] = {{.weight = 0}};
    float axes[3][3], bump[LUXEL_BUMPS][3];
    gather_axes(point, axes);
    for (int j = 0; j < LUXEL_BUMPS; j++)
        vec3_to_floats(point->bump[j], bump[j]);
    for (int i = 0; i < table->rays; i++) {
        float direction[3];
        turn(set[i].direction, axes, direction);
        float cosine = set[i].direction[2];
        for (int j = 0; j < LUXEL_SLOTS; j++) {
            float along = j ? dot(direction, bump[j - 1]) : cosine;
            float weight = along > 0 ? along / (cosine + 0.5f) : 0;
            add_seen(radiosity, point->secondary, seen[i], weight, &sums[j]);
        }
    }
    for (int j = 0; j < LUXEL_SLOTS; j++)
        end_sum(&sums[j], j ? BUMP_SHARE : 1, out + 3 * j, &variance[j]);
}

/* The same for rays of weight 1. */
struct plain_moments {
    float light[3], squares;
};

static inline void add_plain(const struct culled_lights *secondary, uint32_t seen,
                             const float *leaving, struct plain_moments *sum)
{
    static const float nothing[3];
    const float *residual = nothing;
    if (seen & GATHER_CLAMPED)
        residual = secondary_luxel_at(secondary->secondary, seen & ~GATHER_CLAMPED)->residual;
    float r = leaving[0] - residual[0], g = leaving[1] - residual[1], b = leaving[2] - residual[2];
    float bright = (r + g + b) * (1.0f / 3);
    sum->light[0] += r;
    sum->light[1] += g;
    sum->light[2] += b;
    sum->squares += bright * bright;
}

static struct plain_moments sum_narrow(const struct radiosity *radiosity,
                                       const struct culled_lights *secondary, const uint32_t *seen,
                                       int rays)
{
    struct plain_moments sum = {.squares = 0};
    for (int i = 0; i < rays; i++) {
        float leaving[3];
        radiosity_evaluate(radiosity, seen[i] & ~GATHER_CLAMPED, leaving);
        add_plain(secondary, seen[i], leaving, &sum);
    }
    return sum;
}

/* A loop of its own, since it takes a twentieth of all time on most maps. */
static inline struct plain_moments sum_stored(const float *stored,
                                              const struct culled_lights *secondary,
                                              const uint32_t *seen, int rays)
{
    struct plain_moments sum = {.squares = 0};
    for (int i = 0; i < rays; i++)
        add_plain(secondary, seen[i], stored + 3 * (size_t)(seen[i] & ~GATHER_CLAMPED), &sum);
    return sum;
}

static void gather_plain(const struct radiosity *radiosity, const struct culled_lights *secondary,
                         const uint32_t *seen, int rays, float *out, float *variance)
{
    const float *stored = radiosity->leaving;
    const struct plain_moments plain = stored ? sum_stored(stored, secondary, seen, rays)
                                              : sum_narrow(radiosity, secondary, seen, rays);
    const float *light = plain.light;
    float weight = (float)rays;
    struct gather_moments sum = {.light = {light[0], light[1], light[2]},
                                 .weight = weight,
                                 .squares = plain.squares,
                                 .scaled = (light[0] + light[1] + light[2]) * (1.0f / 3),
                                 .weights = weight};
    end_sum(&sum, 1, out, variance);
}

/* Rays of guided directions: the light of each by its weight. */
static void gather_weighted(const struct radiosity *radiosity, const struct gather_point *point,
                            const uint32_t *seen, int rays, float *out, float *variance)
{
    float sum[3] = {0}, squares = 0, scale = 1 / (float)rays;
    for (int i = 0; i < rays; i++) {
        struct plain_moments one = {.squares = 0};
        float room[3], weight = point->weights[i];
        add_plain(point->secondary, seen[i],
                  radiosity_at(radiosity, seen[i] & ~GATHER_CLAMPED, room), &one);
        for (int k = 0; k < 3; k++)
            sum[k] += weight * one.light[k];
        squares += weight * weight * one.squares;
    }
    for (int k = 0; k < 3; k++)
        out[k] = sum[k] * scale;
    float mean = (out[0] + out[1] + out[2]) * (1.0f / 3);
    *variance = portable_fmaxf(squares * scale - mean * mean, 0) * scale;
}

void gather_light(const struct radiosity *radiosity, const struct gather_table *table,
                  const struct gather_point *point, const uint32_t *seen, float *out,
                  float *variance)
{
    if (point->slots > 1) {
        gather_bumped(radiosity, table, point, seen, out, variance);
        return;
    }
    if (point->weights) {
        gather_weighted(radiosity, point, seen, table->rays, out, variance);
        return;
    }
    gather_plain(radiosity, point->secondary, seen, table->rays, out, variance);
}

int gather_secondary(const struct gather_point *point, const struct light_cell *cell, float *out)
{
    struct next_event_receiver to = {
        .min = point->min,
        .position = point->position,
        .start = vec3_mad(point->position, point->face_normal, SCENE_RAY_OFFSET),
        .axis[0] = point->normal,
        .axes = point->slots,
        .seed = point->seed};
    for (int j = 1; j < point->slots; j++)
        to.axis[j] = point->bump[j - 1];
    return next_event_cell_light(point->secondary, cell, &to, out);
}

/* Reuses the ray hits of an earlier run for gather points with the same rays. */

static struct ray_hit_key key_of(const struct gather_table *table, const struct gather_point *point)
{
    struct ray_hit_key key = {.seed = point->seed, .rays = table->rays, .kind = (int)table->kind};
    for (int k = 0; k < 3; k++)
        key.position[k] = (float)point->position.e[k];
    return key;
}

/* The lights of the run determine which luxels are split, and which secondary lights a point
 * samples. Returns false for rays that hit a luxel that is split. */
static bool take(const struct radiosity *radiosity, const struct gather_point *point,
                 const uint32_t *known, int rays, uint32_t *seen)
{
    for (int i = 0; i < rays; i++) {
        if (radiosity_is_split(radiosity, known[i]))
            return false;
        bool clamped =
            point->secondary && secondary_residual(point->secondary, known[i], point->position);
        seen[i] = known[i] | (clamped ? GATHER_CLAMPED : 0);
    }
    return true;
}

static void keep(const struct radiosity *radiosity, const struct gather_point *point,
                 const struct ray_hit_key *key, const uint32_t *seen)
{
    uint32_t plain[GATHER_RAYS];
    for (int i = 0; i < key->rays; i++)
        plain[i] = (uint32_t)radiosity_whole(radiosity, seen[i] & ~GATHER_CLAMPED);
    ray_hit_cache_store(radiosity->scene->ray_hit_cache, point->cache_slot - 1, key, plain);
}

static void trace_with_cache(const struct radiosity *radiosity, const struct gather_table *table,
                             const struct gather_point *points, int count, uint32_t *seen)
{
    struct ray_hit_cache *cache = radiosity->scene->ray_hit_cache;
    struct gather_point fresh[GATHER_POINTS] = {{.cache_slot = 0}};
    struct ray_hit_key keys[GATHER_POINTS];
    uint32_t traced[GATHER_POINTS * GATHER_RAYS];
    int number[GATHER_POINTS], asked = 0;
    size_t rays = (size_t)table->rays;
    for (int i = 0; i < count; i++) {
        struct ray_hit_key key = key_of(table, &points[i]);
        const uint32_t *known =
            points[i].cache_slot ? ray_hit_cache_find(cache, points[i].cache_slot - 1, &key) : NULL;
        if (known && take(radiosity, &points[i], known, table->rays, seen + (size_t)i * rays))
            continue;
        keys[asked] = key;
        number[asked] = i;
        fresh[asked++] = points[i];
    }
    if (asked)
        gather_trace_uncached(radiosity, table, fresh, asked, traced);
    for (int i = 0; i < asked; i++) {
        memcpy(seen + (size_t)number[i] * rays, traced + (size_t)i * rays, rays * sizeof *seen);
        if (fresh[i].cache_slot)
            keep(radiosity, &fresh[i], &keys[i], traced + (size_t)i * rays);
    }
}

void gather_trace(const struct radiosity *radiosity, const struct gather_table *table,
                  const struct gather_point *points, int count, uint32_t *seen)
{
    if (radiosity->scene->ray_hit_cache)
        trace_with_cache(radiosity, table, points, count, seen);
    else
        gather_trace_uncached(radiosity, table, points, count, seen);
}
