#include "vrad/ambient/ambient_samples.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "vrad/scene/prop_view.h"

/* Depth that is searched below a displacement, in units: that of the brush that it is made of,
 * which is not solid either. */
#define DEPTH 64.0

static struct bounds bounds_of(const struct scene *scene, const struct face_light *light)
{
    const struct bsp_face *face = light->face;
    struct bounds box = bounds_empty();
    for (int i = 0; i < light->count; i++)
        bounds_add_point(&box, luxel_position(light, i));
    for (int i = 0; face && i < face->edge_count; i++)
        bounds_add_point(&box, bsp_vertex_at(scene->bsp, bsp_face_vertex(scene->bsp, face, i)));
    for (int k = 0; k < 3; k++) {
        box.mins.e[k] -= DEPTH;
        box.maxs.e[k] += DEPTH;
    }
    return box;
}

void below_terrain_find(const struct luxel_map *map, struct below_terrain *out)
{
    *out = (struct below_terrain){0};
    for (int i = 0; i < map->face_count; i++) {
        const struct face_light *light = &map->faces[i];
        if (!light->mesh)
            continue;
        const struct below_terrain_box box = {bounds_of(map->scene, light), light->normal};
        arrput(out->boxes, box);
    }
}

void below_terrain_free(struct below_terrain *below_terrain)
{
    arrfree(below_terrain->boxes);
}

static bool sees_back(const struct scene *scene, struct vec3 point, struct vec3 direction)
{
    const struct prop_viewer viewer = {.prop = -1};
    struct trace_packet packet = {.far[0] = INFINITY};
    struct scene_hit hits[TRACE_PACKET];
    for (int k = 0; k < 3; k++) {
        packet.origin[k][0] = (float)point.e[k];
        packet.direction[k][0] = (float)direction.e[k];
    }
    prop_view_trace16(scene, &viewer, &packet, 1, hits);
    return hits[0].face == SCENE_INSIDE;
}

bool below_terrain_contains(const struct below_terrain *below_terrain, const struct scene *scene,
                            struct vec3 point)
{
    for (ptrdiff_t i = 0; i < arrlen(below_terrain->boxes); i++)
        if (bounds_contains(&below_terrain->boxes[i].bounds, point) &&
            sees_back(scene, point, below_terrain->boxes[i].normal))
            return true;
    return false;
}

static struct gather_table table_like(const struct gather_table *all, int rays)
{
    struct gather_table table = {rays, all->kind, all->variants, NULL};
    table.set = memory_alloc((size_t)table.variants * (size_t)rays * sizeof *table.set);
    return table;
}

void ambient_rays_make(int rays, struct ambient_rays *out)
{
    struct gather_table all;
    gather_table_init(&all, rays, GATHER_SPHERE);
    int room = rays / GATHER_PARTS;
    out->first = table_like(&all, GATHER_PARTS);
    out->rest = table_like(&all, rays - GATHER_PARTS);
    for (int part = 0; part < all.variants * GATHER_PARTS; part++) {
        /* The rest keeps the order of a part's rays; the first ray is any of them. */
        const struct gather_ray *from = all.set + part * room;
        struct gather_ray *rest = out->rest.set + part * (room - 1);
        int taken = (int)(hash_u64((uint64_t)part) % (uint64_t)room);
        out->first.set[part] = from[taken];
        memcpy(rest, from, (size_t)taken * sizeof *rest);
        memcpy(rest + taken, from + taken + 1, (size_t)(room - 1 - taken) * sizeof *rest);
    }
    gather_table_free(&all);
}

void ambient_rays_free(struct ambient_rays *rays)
{
    gather_table_free(&rays->first);
    gather_table_free(&rays->rest);
}

static cube_light light_of(const struct radiosity *radiosity,
                           const struct secondary_lights *secondary, uint32_t seen, bool clamped)
{
    uint32_t luxel = seen & ~GATHER_CLAMPED;
    float room[3];
    const float *leaving = radiosity_at(radiosity, luxel, room);
    cube_light light = {leaving[0], leaving[1], leaving[2], 1};
    if (clamped && seen & GATHER_CLAMPED) {
        const float *residual = secondary_luxel_at(secondary, luxel)->residual;
        light -= (cube_light){residual[0], residual[1], residual[2], 0};
    }
    return light;
}

void cube_sum_add(const struct radiosity *radiosity, const struct secondary_lights *secondary,
                  bool clamped, const struct gather_table *table, uint64_t seed,
                  const uint32_t *seen, struct cube_sum *sum)
{
    const struct gather_point point = {.seed = seed};
    const struct gather_ray *set = gather_set(table, &point);
    struct cube_sum all = *sum;
    for (int ray = 0; ray < table->rays; ray++) {
        cube_light light = light_of(radiosity, secondary, seen[ray], clamped);
        for (int axis = 0; axis < 3; axis++) {
            float along = set[ray].direction[axis], before = portable_fmaxf(along, 0);
            all.light[2 * axis] += before * light;
            all.light[2 * axis + 1] += (before - along) * light;
        }
    }
    *sum = all;
}

void cube_sum_light(const struct cube_sum *sum, int side, float out[3])
{
    float weight = sum->light[side][3] > 0 ? sum->light[side][3] : 1;
    for (int k = 0; k < 3; k++)
        out[k] = sum->light[side][k] / weight;
}

/* Weight of a distance between points of equal light, relative to one between black and white. */
#define PLAIN_DISTANCE 0.25f

/* ---- prediction ---- */

/* Positions of the known points by axis, for many lanes at once. */
struct known_places {
    float axis[3][CHOICE_CANDIDATES];
    int count;
};

static void weights_at(const struct known_places *known, const float place[3],
                       float weight[CHOICE_CANDIDATES])
{
    const float x = place[0], y = place[1], z = place[2];
    for (int i = 0; i < known->count; i++) {
        float dx = known->axis[0][i] - x, dy = known->axis[1][i] - y, dz = known->axis[2][i] - z;
        weight[i] = 1 / (dx * dx + dy * dy + dz * dz + 1);
    }
}

static void predict(const struct choice_point *points, const struct known_places *known,
                    struct choice_point *out)
{
    float weight[CHOICE_CANDIDATES], sum[CHOICE_LIGHTS] = {0}, total = 0;
    weights_at(known, out->place, weight);
    for (int i = 0; i < known->count; i++) {
        const float *light = points[i].light, share = weight[i];
        total += share;
        for (int k = 0; k < CHOICE_LIGHTS; k++)
            sum[k] += share * light[k];
    }
    for (int k = 0; k < CHOICE_LIGHTS; k++)
        out->light[k] = sum[k] / total;
}

void choice_predict(struct choice_point *points, int known, int count)
{
    struct known_places places = {.count = known};
    for (int i = 0; i < known; i++)
        for (int k = 0; k < 3; k++)
            places.axis[k][i] = points[i].place[k];
    for (int i = known; i < count; i++)
        predict(points, &places, &points[i]);
}

/* ---- choice ---- */

enum { ROOM = CHOICE_PICKS + 1 };

/* The points to choose from, and the distance of each pair in space and light. */
struct picking {
    struct choice_point point[ROOM];
    int number[ROOM], count;
    float worth[ROOM][ROOM]; /* FLT_MAX on the diagonal */
    float min[ROOM];         /* of its row */
};

/* The worth of a second point next to a first: high when it is far away or lit differently. */
static float worth_of(const struct choice_point *a, const struct choice_point *b)
{
    float part[4] = {0}, square = 0;
    for (int k = 0; k < CHOICE_LIGHTS; k += 4) {
        for (int i = 0; i < 4; i++) {
            float d = a->light[k + i] - b->light[k + i];
            part[i] += d * d;
        }
    }
    for (int k = 0; k < 3; k++) {
        float d = a->place[k] - b->place[k];
        square += d * d;
    }
    float light = sqrtf((part[0] + part[2]) + (part[1] + part[3]));
    return sqrtf(square) * (PLAIN_DISTANCE + light * (1 / 255.0f));
}

static float min_of_row(const struct picking *picking, int row)
{
    float min = FLT_MAX;
    for (int i = 0; i < picking->count; i++)
        min = portable_fminf(min, picking->worth[row][i]);
    return min;
}

static void add(struct picking *picking, const struct choice_point *point, int number)
{
    int last = picking->count++;
    picking->point[last] = *point;
    picking->number[last] = number;
    picking->min[last] = picking->worth[last][last] = FLT_MAX;
    for (int i = 0; i < last; i++) {
        float worth = worth_of(&picking->point[i], point);
        picking->worth[i][last] = picking->worth[last][i] = worth;
        picking->min[i] = portable_fminf(picking->min[i], worth);
        picking->min[last] = portable_fminf(picking->min[last], worth);
    }
}

/* Moves the last point into the slot of one that is dropped. */
static void drop(struct picking *picking, int dropped)
{
    float before[ROOM];
    int last = --picking->count;
    memcpy(before, picking->worth[dropped], sizeof before);
    picking->point[dropped] = picking->point[last];
    picking->number[dropped] = picking->number[last];
    picking->min[dropped] = picking->min[last];
    for (int i = 0; i < last; i++)
        picking->worth[dropped][i] = picking->worth[i][dropped] = picking->worth[last][i];
    picking->worth[dropped][dropped] = FLT_MAX;
    for (int i = 0; i < last; i++)
        if (before[i == dropped ? last : i] <= picking->min[i])
            picking->min[i] = min_of_row(picking, i);
}

/* The first point of the pair that is most alike. */
static int most_alike(const struct picking *picking)
{
    int best = 0;
    for (int i = 1; i < picking->count; i++)
        if (picking->min[i] < picking->min[best])
            best = i;
    return best;
}

int choice_pick(const struct choice_point *points, int count, int max, int *picked)
{
    struct picking picking;
    picking.count = 0;
    for (int i = 0; i < count; i++) {
        add(&picking, &points[i], i);
        if (picking.count > max)
            drop(&picking, most_alike(&picking));
    }
    memcpy(picked, picking.number, (size_t)picking.count * sizeof *picked);
    return picking.count;
}
