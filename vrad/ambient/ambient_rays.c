#include "vrad/ambient/ambient_rays.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"

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
