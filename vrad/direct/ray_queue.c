#include "vrad/direct/ray_queue.h"

#include "vrad/direct/sun_rays.h"
#include "vrad/scene/hemisphere.h"

/* A ray to a lamp ends this far before it, in units. */
#define LAMP_GAP 0.02f

/* Samples of a luxel that differ by this factor call for supersampling. */
#define STEEP_RATIO 1.5f

/* A light that could give less than this share of what the luxel has of stronger ones is measured
 * by one sample. */
#define WEAK_SHARE 0.01f

/* What a light gives to a sample when nothing stands in the way. */
struct shot {
    float weight[LUXEL_SLOTS]; /* cosine and falloff */
    float towards[3];          /* of the ray, which ends at 1, or never for the sun */
};

static bool is_sun(const struct light *light)
{
    return light->type == WORLDLIGHT_SKY;
}

enum ray_kind ray_kind_of(const struct light *light)
{
    return is_sun(light) ? RAYS_SUN : RAYS_LIGHT;
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Somewhere on the sun, for sample `index` of the luxel. */
static struct vec3 towards_sun(const struct ray_queue *queue, int luxel, int index)
{
    const struct receiver *to = queue->to;
    struct vec3 towards = vec3_neg(queue->share->light->normal), place;
    uint64_t seed = luxel_seed(to->map, to->face, luxel);
    double square[2];
    double spread = queue->share->light->spread;
    if (!(spread > 0))
        return towards;
    /* An odd factor mixes the order, lest the place in the luxel tells the place in the sun. */
    uint32_t mixed = (uint32_t)index * 37 + (uint32_t)seed;
    bool fine = queue->kind == RAYS_FINE;
    sample_square(fine ? mixed % (uint32_t)to->options->fine : (uint32_t)index, ~seed, square);
    sphere_point_in_quarters(square[0], square[1], &place.x, &place.y, &place.z);
    return vec3_mad(towards, place, spread);
}

static void aim_at_sun(const struct ray_queue *queue, int luxel, int index, float direction[3],
                       struct shot *shot)
{
    struct vec3 towards = towards_sun(queue, luxel, index);
    for (int k = 0; k < 3; k++) {
        direction[k] = -(float)queue->share->light->normal.e[k];
        shot->towards[k] = (float)towards.e[k];
    }
}

static void aim_at_lamp(const struct aimed_rows *rows, int row, float direction[3],
                        struct shot *shot)
{
    float distance = rows->light.distance[row] - LAMP_GAP;
    distance = distance > 0 ? distance : 0;
    for (int k = 0; k < 3; k++) {
        direction[k] = rows->light.direction[k][row];
        float lamp = rows->light.point[k][row] + direction[k] * distance;
        shot->towards[k] = lamp - rows->origin[k][row];
    }
}

/* False when the light gives nothing to the sample even so. */
static bool aim(const struct ray_queue *queue, int luxel, const struct aimed_rows *rows, int row,
                int index, struct shot *shot)
{
    const struct receiver *to = queue->to;
    float share = 1, direction[3];
    if (queue->sun) {
        aim_at_sun(queue, luxel, index, direction, shot);
    } else {
        share = rows->light.share[row];
        if (!(share * queue->share->grey > (float)to->options->min))
            return false;
        aim_at_lamp(rows, row, direction, shot);
    }
    const float(*normals)[3] = receiver_normals(to, luxel);
    if (dot(direction, to->face->mesh ? normals[0] : to->surface) <= LIGHT_GRAZING)
        return false;
    for (int j = 0; j < to->face->slots; j++) {
        float cosine = dot(direction, normals[j]);
        shot->weight[j] = cosine > 0 ? share * cosine : 0;
    }
    return true;
}

/* Casts a ray that stands for a part of the luxel. */
static void push(struct ray_queue *queue, int luxel, const struct aimed_rows *rows, int row,
                 enum sight_kind sight, const struct shot *shot, float part)
{
    int lane = queue->count++;
    int samples = sight == SIGHT_FINE ? SIGHT_FINE_MAX : SIGHT_COARSE_MAX;
    queue->of[lane] = (struct sight_ray){sight, luxel, row % samples};
    for (int j = 0; j < queue->to->face->slots; j++)
        queue->weight[lane][j] = shot->weight[j] * part;
    queue->luxel[lane] = luxel;
    for (int k = 0; k < 3; k++) {
        queue->packet.origin[k][lane] = rows->origin[k][row];
        queue->packet.direction[k][lane] = shot->towards[k];
    }
    if (queue->count == TRACE_PACKET)
        ray_queue_flush(queue);
}

void ray_queue_start(struct ray_queue *queue, struct receiver *to, struct light_share *share,
                     enum ray_kind kind)
{
    queue->to = to;
    queue->share = share;
    queue->kind = kind;
    queue->sun = is_sun(share->light);
    queue->sight = recall_sight(to->scene->recall, (size_t)(to->face - to->map->faces),
                                (size_t)share->light->twin, to->face->count);
    queue->count = 0;
    for (int lane = 0; lane < TRACE_PACKET; lane++) {
        queue->packet.near[lane] = 0;
        queue->packet.far[lane] = queue->sun ? SCENE_FAR_AWAY : 1;
    }
}

void ray_queue_aim(const struct ray_queue *queue, struct aimed_rows *rows, int count)
{
    rows->light.count = count;
    if (!queue->sun)
        light_at_many(queue->share->light, &rows->light);
}

/* What the samples of a luxel would have if nothing stood in the way. */
struct volley {
    struct shot shots[LUXEL_FINE];
    bool given[LUXEL_FINE]; /* the light gives something to it */
    bool weak;              /* so weak that the first of them will do */
    float part;             /* of the luxel, that a sample stands for */
    float min, max, sum;    /* of the flat weights; the sum by `part` */
};

static bool is_weak(const struct ray_queue *queue, int luxel, float flat)
{
    return queue->kind != RAYS_FINE &&
           flat * queue->share->grey < WEAK_SHARE * queue->to->total[luxel];
}

static void aim_all(struct ray_queue *queue, int luxel, const struct aimed_rows *rows, int first,
                    int count, struct volley *out)
{
    struct light_share *share = queue->share;
    out->part = count ? 1 / (float)count : 0;
    out->weak = false;
    out->min = INFINITY;
    out->max = out->sum = 0;
    for (int i = 0; i < count; i++) {
        struct shot *shot = &out->shots[i];
        out->given[i] = aim(queue, luxel, rows, first + i, i, shot);
        float flat = out->given[i] ? shot->weight[0] : 0;
        if (out->given[i] && i == 0 && is_weak(queue, luxel, flat)) {
            out->weak = true;
            share->peak[luxel] = flat;
            return;
        }
        out->min = flat < out->min ? flat : out->min;
        out->max = flat > out->max ? flat : out->max;
        out->sum += flat * out->part;
    }
    share->peak[luxel] = out->sum;
}

static bool is_steep(const struct volley *volley)
{
    return volley->max > STEEP_RATIO * volley->min;
}

static void push_all(struct ray_queue *queue, int luxel, const struct aimed_rows *rows, int first,
                     int count, const struct volley *volley)
{
    for (int i = 0; i < count; i++)
        if (volley->given[i])
            push(queue, luxel, rows, first + i, SIGHT_COARSE, &volley->shots[i], volley->part);
    if (is_steep(volley))
        queue->share->state[luxel] |= LUXEL_STEEP;
}

void ray_queue_add(struct ray_queue *queue, int luxel, const struct aimed_rows *rows, int first,
                   int count)
{
    struct volley volley;
    aim_all(queue, luxel, rows, first, count, &volley);
    if (volley.weak)
        push(queue, luxel, rows, first, SIGHT_COARSE, &volley.shots[0], 1);
    else
        push_all(queue, luxel, rows, first, count, &volley);
}

/* All samples of the luxel in one. */
static struct shot whole_shot(const struct volley *volley, int slots, int count, int pick)
{
    struct shot whole = volley->shots[pick];
    for (int j = 0; j < slots; j++) {
        whole.weight[j] = 0;
        for (int i = 0; i < count; i++)
            whole.weight[j] += volley->given[i] ? volley->shots[i].weight[j] * volley->part : 0;
    }
    return whole;
}

void ray_queue_probe(struct ray_queue *queue, int luxel, const struct aimed_rows *rows, int first,
                     int count)
{
    struct volley volley;
    /* Every second luxel another sample, lest thin shadows slip through in a row. */
    int pick = luxel % (count ? count : 1);
    aim_all(queue, luxel, rows, first, count, &volley);
    if (volley.weak) {
        push(queue, luxel, rows, first, SIGHT_COARSE, &volley.shots[0], 1);
    } else if (is_steep(&volley) || queue->sun || count <= 0 || !volley.given[pick]) {
        push_all(queue, luxel, rows, first, count, &volley);
    } else {
        struct shot whole = whole_shot(&volley, queue->to->face->slots, count, pick);
        push(queue, luxel, rows, first + pick, SIGHT_COARSE, &whole, 1);
        queue->share->state[luxel] |= LUXEL_PROBED;
    }
}

/* Gives the luxel the light without a ray. */
static void give(struct ray_queue *queue, int luxel, const struct shot *shot, bool sees)
{
    struct light_share *share = queue->share;
    int slots = queue->to->face->slots, luxels = queue->to->face->count;
    share->state[luxel] |= (unsigned char)((sees ? LUXEL_SEES : LUXEL_BLOCKED) | LUXEL_PROBED);
    for (int j = 0; j < slots && sees; j++)
        share->sum[j * luxels + luxel] += shot->weight[j];
}

static void assume_sun(struct ray_queue *queue, int luxel, bool sees)
{
    struct shot shot = {.weight = {0}};
    bool given = sun_weights(queue->to, queue->share->light, luxel, shot.weight);
    queue->share->peak[luxel] = given ? shot.weight[0] : 0;
    if (given && shot.weight[0] > 0)
        give(queue, luxel, &shot, sees);
}

void ray_queue_assume(struct ray_queue *queue, int luxel, const struct aimed_rows *rows, int first,
                      int count, bool sees)
{
    struct volley volley;
    if (queue->sun) {
        assume_sun(queue, luxel, sees);
        return;
    }
    aim_all(queue, luxel, rows, first, count, &volley);
    if (volley.weak) {
        give(queue, luxel, &volley.shots[0], sees);
    } else if (is_steep(&volley)) {
        push_all(queue, luxel, rows, first, count, &volley);
    } else if (volley.max > 0) {
        struct shot whole = whole_shot(&volley, queue->to->face->slots, count, 0);
        give(queue, luxel, &whole, sees);
    }
}

static bool aim_middle(struct ray_queue *queue, int luxel, const struct aimed_rows *middle,
                       struct shot *shot)
{
    bool given = aim(queue, luxel, middle, luxel, 0, shot);
    queue->share->peak[luxel] = given ? shot->weight[0] : 0;
    return given;
}

void ray_queue_probe_far(struct ray_queue *queue, int luxel, const struct aimed_rows *middle,
                         const struct aimed_rows *rows, int row)
{
    struct shot shot;
    if (!aim_middle(queue, luxel, middle, &shot))
        return;
    for (int k = 0; k < 3; k++)
        shot.towards[k] += middle->origin[k][luxel] - rows->origin[k][row];
    push(queue, luxel, rows, row, SIGHT_FAR, &shot, 1);
    if (!is_weak(queue, luxel, shot.weight[0]))
        queue->share->state[luxel] |= LUXEL_PROBED;
}

void ray_queue_assume_far(struct ray_queue *queue, int luxel, const struct aimed_rows *middle,
                          bool sees)
{
    struct shot shot;
    if (aim_middle(queue, luxel, middle, &shot))
        give(queue, luxel, &shot, sees);
}

void ray_queue_add_part(struct ray_queue *queue, int luxel, const struct aimed_rows *rows,
                        int begin, int end, int of)
{
    struct shot shot;
    for (int i = begin; i < end; i++)
        if (aim(queue, luxel, rows, i, i, &shot))
            push(queue, luxel, rows, i, SIGHT_FINE, &shot, 1 / (float)of);
}

/* Weighs the rays that meet veils by what passes. Where there are veils there are edges: their
 * luxels are measured closely. Returns the lanes that bring light. */
static uint32_t pass_veils(struct ray_queue *queue, uint32_t seen)
{
    struct receiver *to = queue->to;
    struct light_share *share = queue->share;
    float pass[3][TRACE_PACKET];
    int slots = to->face->slots, luxels = to->face->count;
    uint32_t met = seen ? veils_pass16(to->scene, &queue->packet, seen, queue->sun, pass) : 0;
    for (int i = 0; i < queue->count; i++) {
        if (!(met >> i & 1))
            continue;
        float mean = (pass[0][i] + pass[1][i] + pass[2][i]) / 3;
        bool tints = pass[0][i] != mean || pass[1][i] != mean || pass[2][i] != mean;
        if (tints && !share->tint)
            share->tint = ARENA_ARRAY(to->arena, float, 3 * (size_t)slots * (size_t)luxels);
        for (int j = 0; j < slots; j++) {
            float weight = queue->weight[i][j];
            for (int k = 0; k < 3 && tints; k++)
                share->tint[3 * (j * luxels + queue->luxel[i]) + k] += weight * (pass[k][i] - mean);
            queue->weight[i][j] = weight * mean;
        }
        share->state[queue->luxel[i]] |= LUXEL_SEES | LUXEL_BLOCKED;
    }
    return seen;
}

void ray_queue_flush(struct ray_queue *queue)
{
    struct receiver *to = queue->to;
    struct light_share *share = queue->share;
    if (queue->count == 0)
        return;
    uint32_t seen = 0, known = sight_known16(queue->sight, queue->of, queue->count, &seen);
    uint32_t valid = (uint32_t)((1u << queue->count) - 1) & ~known;
    if (valid && queue->sun)
        seen |= scene_sky16(to->scene, &queue->packet, valid, true, to->face->area);
    else if (valid)
        seen |= valid & ~scene_blocked16(to->scene, &queue->packet, valid);
    sight_keep16(queue->sight, queue->of, valid, seen);
    to->rays[queue->kind] += __builtin_popcount(valid);
    if (to->scene->veils.triangles)
        seen = pass_veils(queue, seen);
    int slots = to->face->slots, luxels = to->face->count;
    for (int i = 0; i < queue->count; i++) {
        int luxel = queue->luxel[i];
        bool sees = seen >> i & 1;
        share->state[luxel] |= (unsigned char)(sees ? LUXEL_SEES : LUXEL_BLOCKED);
        for (int j = 0; j < slots && sees; j++)
            share->sum[j * luxels + luxel] += queue->weight[i][j];
    }
    queue->count = 0;
}
