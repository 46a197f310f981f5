#include "vrad/bounce/final_gather.h"

#include <stdlib.h>

#include "common/core/memory.h"
#include "vrad/scene/hemisphere.h"

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

static struct placed_ray make_ray(const struct gather_table *table, uint32_t index, uint64_t seed)
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
        placed[i] = make_ray(table, (uint32_t)i, seed);
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
