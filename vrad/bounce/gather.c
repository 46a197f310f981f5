#include "vrad/bounce/gather.h"

#include "vrad/scene/hemisphere.h"

/* Light of a whole bright hemisphere as a bump direction sees it: the direction leans from the
 * normal by the angle of cosine 1 / sqrt 3, and what lies below the surface is cut off. */
#define BUMP_SHARE 0.78867513459481288f

/* What a ray to hot spots is worth: light of 255, or a share of the light there. */
#define MIN_WORTH   .15
#define SHARE_WORTH .015

struct gather_point gather_point_at(const struct radiosity *radiosity, int face, int luxel,
                                    const struct hot_view *hot)
{
    const struct face_light *light = &radiosity->map->faces[face];
    const struct luxel *at = &light->luxels[luxel];
    struct gather_point point = {.slots = light->slots, .area = light->area, .hot = hot};
    for (int k = 0; k < 3; k++) {
        point.position.e[k] = (double)at->position[k];
        point.normal.e[k] = (double)at->normal[k];
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
    point.min = fmax(MIN_WORTH, SHARE_WORTH * level);
    point.seed = radiosity->first[face] + (size_t)luxel;
    point.place = 1 + (size_t)point.seed;
    return point;
}

/* What the rays of a point start from, in single precision. */
struct looker {
    const struct gather_ray *set;
    float axes[3][3]; /* around the normal */
    float start[3], jitter[2][3];
    float surface[3]; /* the normal below which nothing is seen */
    float horizon;    /* the least cosine with it that is seen */
};

const struct gather_ray *gather_set(const struct gather_table *table,
                                    const struct gather_point *point)
{
    uint64_t variant = hash_u64(point->seed) & (uint64_t)(table->variants - 1);
    return table->set + variant * (uint64_t)table->rays;
}

static void frame_of(const struct gather_point *point, float axes[3][3])
{
    struct vec3 x, y;
    frame_around(point->normal, &x, &y);
    vec3_to_floats(x, axes[0]);
    vec3_to_floats(y, axes[1]);
    vec3_to_floats(point->normal, axes[2]);
}

static struct looker looker_of(const struct gather_table *table, const struct gather_point *point)
{
    struct looker looker = {.set = gather_set(table, point)};
    if (point->in_air) {
        for (int k = 0; k < 3; k++)
            looker.axes[k][k] = 1;
        looker.horizon = -1;
    } else {
        frame_of(point, looker.axes);
    }
    vec3_to_floats(vec3_mad(point->position, point->face_normal, SCENE_RAY_OFFSET), looker.start);
    vec3_to_floats(point->jitter[0], looker.jitter[0]);
    vec3_to_floats(point->jitter[1], looker.jitter[1]);
    vec3_to_floats(point->face_normal, looker.surface);
    return looker;
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

/* Twice 16 rays, wherever they come from. */
enum { LOOK_RAYS = 2 * TRACE_PACKET };

struct look_packet {
    struct trace_packet packets[2];
    uint32_t *seen[LOOK_RAYS];
    const struct gather_point *point[LOOK_RAYS];
    uint32_t valid;
    int count;
};

static void flush(const struct radiosity *radiosity, bool coherent, struct look_packet *p)
{
    struct scene_hit hits[LOOK_RAYS];
    if (!p->count)
        return;
    int last = p->count > TRACE_PACKET ? TRACE_PACKET : 0;
    const int areas[2] = {p->point[0]->area, p->point[last]->area};
    radiosity_look_two16(radiosity, p->packets, p->valid, coherent, areas, hits);
    for (int lane = 0; lane < p->count; lane++) {
        const struct gather_point *point = p->point[lane];
        size_t seen = p->valid >> lane & 1 ? radiosity_seen(radiosity, &hits[lane])
                                           : radiosity_black(radiosity);
        bool cool = point->hot && hot_excess(point->hot, seen, point->position);
        *p->seen[lane] = (uint32_t)seen | (cool ? GATHER_COOL : 0);
    }
    p->valid = 0;
    p->count = 0;
}

static void aim(const struct looker *looker, int ray, struct look_packet *p)
{
    const struct gather_ray *local = &looker->set[ray];
    struct trace_packet *packet = &p->packets[p->count / TRACE_PACKET];
    int lane = p->count % TRACE_PACKET;
    float direction[3];
    turn(local->direction, looker->axes, direction);
    for (int k = 0; k < 3; k++) {
        packet->direction[k][lane] = direction[k];
        packet->origin[k][lane] = looker->start[k] + local->jitter[0] * looker->jitter[0][k] +
                                  local->jitter[1] * looker->jitter[1][k];
    }
    p->valid |= (uint32_t)(dot(direction, looker->surface) > looker->horizon) << p->count;
    p->count++;
}

/* As many points as a packet has lanes, side by side. */
struct full_look {
    float axes[3][3][TRACE_PACKET], start[3][TRACE_PACKET], jitter[2][3][TRACE_PACKET];
    float surface[3][TRACE_PACKET], horizon[TRACE_PACKET];
};

static void load_lane(struct full_look *look, int lane, const struct looker *looker)
{
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++)
            look->axes[j][k][lane] = looker->axes[j][k];
        for (int j = 0; j < 2; j++)
            look->jitter[j][k][lane] = looker->jitter[j][k];
        look->start[k][lane] = looker->start[k];
        look->surface[k][lane] = looker->surface[k];
    }
    look->horizon[lane] = looker->horizon;
}

/* Each lane takes the same ray of its own set. */
static void aim_all(const struct full_look *look, const struct looker *lookers, int ray,
                    struct look_packet *p)
{
    float local[3][TRACE_PACKET], jitter[2][TRACE_PACKET], above[TRACE_PACKET] = {0};
    struct trace_packet *packet = &p->packets[p->count / TRACE_PACKET];
    for (int i = 0; i < TRACE_PACKET; i++) {
        const struct gather_ray *from = &lookers[i].set[ray];
        for (int k = 0; k < 3; k++)
            local[k][i] = from->direction[k];
        for (int k = 0; k < 2; k++)
            jitter[k][i] = from->jitter[k];
    }
    for (int k = 0; k < 3; k++) {
        float *direction = packet->direction[k], *origin = packet->origin[k];
        for (int i = 0; i < TRACE_PACKET; i++) {
            float along = local[0][i] * look->axes[0][k][i] + local[1][i] * look->axes[1][k][i] +
                          local[2][i] * look->axes[2][k][i];
            direction[i] = along;
            above[i] += along * look->surface[k][i];
            origin[i] = look->start[k][i] + jitter[0][i] * look->jitter[0][k][i] +
                        jitter[1][i] * look->jitter[1][k][i];
        }
    }
    for (int i = 0; i < TRACE_PACKET; i++)
        p->valid |= (uint32_t)(above[i] > look->horizon[i]) << (p->count + i);
    p->count += TRACE_PACKET;
}

static void look_in_step(const struct radiosity *radiosity, const struct gather_table *table,
                         const struct gather_point *points, const struct looker *lookers,
                         struct look_packet *p, uint32_t *seen)
{
    struct full_look look;
    for (int i = 0; i < TRACE_PACKET; i++) {
        load_lane(&look, i, &lookers[i]);
        p->point[i] = p->point[TRACE_PACKET + i] = &points[i];
    }
    for (int ray = 0; ray < table->rays; ray++) {
        for (int i = 0; i < TRACE_PACKET; i++)
            p->seen[p->count + i] = &seen[i * table->rays + ray];
        aim_all(&look, lookers, ray, p);
        if (p->count == LOOK_RAYS)
            flush(radiosity, true, p);
    }
    flush(radiosity, true, p);
}

/* All points look at one part of their hemispheres after the other: rays of a packet run alike. */
void gather_look_anew(const struct radiosity *radiosity, const struct gather_table *table,
                      const struct gather_point *points, int count, uint32_t *seen)
{
    struct looker lookers[GATHER_POINTS];
    struct look_packet p;
    memset(&p, 0, sizeof p);
    for (int i = 0; i < count; i++)
        lookers[i] = looker_of(table, &points[i]);
    for (int lane = 0; lane < LOOK_RAYS; lane++)
        p.packets[lane / TRACE_PACKET].far[lane % TRACE_PACKET] = INFINITY;
    if (count == TRACE_PACKET) {
        look_in_step(radiosity, table, points, lookers, &p, seen);
        return;
    }
    bool coherent = count * table->rays >= RADIOSITY_COHERENT_RAYS;
    for (int ray = 0; ray < table->rays; ray++) {
        for (int i = 0; i < count; i++) {
            p.seen[p.count] = &seen[i * table->rays + ray];
            p.point[p.count] = &points[i];
            aim(&lookers[i], ray, &p);
            if (p.count == LOOK_RAYS)
                flush(radiosity, coherent, &p);
        }
    }
    flush(radiosity, coherent, &p);
}

/* Light by weight, and how far it scatters. */
struct gather_sum {
    float light[3], weight;
    float squares, scaled, weights; /* sums of w^2 b^2, w^2 b and w^2; b is the brightness */
};

static void add_seen(const struct radiosity *radiosity, const struct hot_view *hot, uint32_t seen,
                     float weight, struct gather_sum *sum)
{
    uint32_t luxel = seen & ~GATHER_COOL;
    const float *leaving = radiosity->leaving + 3 * (size_t)luxel;
    float light[3] = {leaving[0], leaving[1], leaving[2]};
    if (seen & GATHER_COOL) {
        const float *excess = hot_luxel_at(hot->hot, luxel)->excess;
        for (int k = 0; k < 3; k++)
            light[k] -= excess[k];
    }
    for (int k = 0; k < 3; k++)
        sum->light[k] += weight * light[k];
    float bright = (light[0] + light[1] + light[2]) * (weight / 3);
    sum->weight += weight;
    sum->squares += bright * bright;
    sum->scaled += bright * weight;
    sum->weights += weight * weight;
}

static void end_sum(const struct gather_sum *sum, float scale, float out[3], float *doubt)
{
    float weight = fmaxf(sum->weight, 1e-9f), mean = 0;
    for (int k = 0; k < 3; k++) {
        out[k] = sum->light[k] / weight;
        mean += out[k] / 3;
        out[k] *= scale;
    }
    float scatter = sum->squares - 2 * mean * sum->scaled + mean * mean * sum->weights;
    *doubt = scale * scale * fmaxf(scatter, 0) / (weight * weight);
}

static void gather_bumped(const struct radiosity *radiosity, const struct gather_table *table,
                          const struct gather_point *point, const uint32_t *seen, float *out,
                          float *doubt)
{
    const struct gather_ray *set = gather_set(table, point);
    struct gather_sum sums[LUXEL_SLOTS] = {{.weight = 0}};
    float axes[3][3], bump[LUXEL_BUMPS][3];
    frame_of(point, axes);
    for (int j = 0; j < LUXEL_BUMPS; j++)
        vec3_to_floats(point->bump[j], bump[j]);
    for (int i = 0; i < table->rays; i++) {
        float direction[3];
        turn(set[i].direction, axes, direction);
        float cosine = set[i].direction[2];
        for (int j = 0; j < LUXEL_SLOTS; j++) {
            float along = j ? dot(direction, bump[j - 1]) : cosine;
            float weight = along > 0 ? along / (cosine + 0.5f) : 0;
            add_seen(radiosity, point->hot, seen[i], weight, &sums[j]);
        }
    }
    for (int j = 0; j < LUXEL_SLOTS; j++)
        end_sum(&sums[j], j ? BUMP_SHARE : 1, out + 3 * j, &doubt[j]);
}

/* The same for rays that all weigh 1. */
static void gather_plain(const struct radiosity *radiosity, const struct hot_view *hot,
                         const uint32_t *seen, int rays, float *out, float *doubt)
{
    static const float nothing[3];
    float light[3] = {0}, squares = 0;
    for (int i = 0; i < rays; i++) {
        uint32_t luxel = seen[i] & ~GATHER_COOL;
        const float *leaving = radiosity->leaving + 3 * (size_t)luxel, *excess = nothing;
        if (seen[i] & GATHER_COOL)
            excess = hot_luxel_at(hot->hot, luxel)->excess;
        float r = leaving[0] - excess[0], g = leaving[1] - excess[1], b = leaving[2] - excess[2];
        float bright = (r + g + b) * (1.0f / 3);
        light[0] += r;
        light[1] += g;
        light[2] += b;
        squares += bright * bright;
    }
    float weight = (float)rays;
    struct gather_sum sum = {.light = {light[0], light[1], light[2]},
                             .weight = weight,
                             .squares = squares,
                             .scaled = (light[0] + light[1] + light[2]) * (1.0f / 3),
                             .weights = weight};
    end_sum(&sum, 1, out, doubt);
}

void gather_light(const struct radiosity *radiosity, const struct gather_table *table,
                  const struct gather_point *point, const uint32_t *seen, float *out, float *doubt)
{
    if (point->slots > 1) {
        gather_bumped(radiosity, table, point, seen, out, doubt);
        return;
    }
    gather_plain(radiosity, point->hot, seen, table->rays, out, doubt);
}

int gather_hot(const struct gather_point *point, const struct hot_cell *cell, float *out)
{
    struct hot_receiver to = {.min = point->min,
                              .position = point->position,
                              .start =
                                  vec3_mad(point->position, point->face_normal, SCENE_RAY_OFFSET),
                              .axis[0] = point->normal,
                              .axes = point->slots,
                              .seed = point->seed};
    for (int j = 1; j < point->slots; j++)
        to.axis[j] = point->bump[j - 1];
    return hot_cell_light(point->hot, cell, &to, out);
}
