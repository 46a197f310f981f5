/* Looks of an earlier run, for points that look the same way again. */
#include <string.h>

#include "vrad/bounce/final_gather.h"
#include "vrad/scene/ray_hit_cache.h"

static struct recall_key key_of(const struct gather_table *table, const struct gather_point *point)
{
    struct recall_key key = {.seed = point->seed, .rays = table->rays, .kind = (int)table->kind};
    for (int k = 0; k < 3; k++)
        key.position[k] = (float)point->position.e[k];
    return key;
}

/* Which spots a point has rays of their own for hangs on the lights of the run. */
static void take(const struct gather_point *point, const uint32_t *known, int rays, uint32_t *seen)
{
    for (int i = 0; i < rays; i++) {
        bool cool = point->hot && hot_excess(point->hot, known[i], point->position);
        seen[i] = known[i] | (cool ? GATHER_COOL : 0);
    }
}

static void keep(struct recall *recall, const struct gather_point *point,
                 const struct recall_key *key, const uint32_t *seen)
{
    uint32_t plain[GATHER_RAYS];
    for (int i = 0; i < key->rays; i++)
        plain[i] = seen[i] & ~GATHER_COOL;
    recall_keep_look(recall, point->place - 1, key, plain);
}

static void look_and_recall(const struct radiosity *radiosity, const struct gather_table *table,
                            const struct gather_point *points, int count, uint32_t *seen)
{
    struct recall *recall = radiosity->scene->recall;
    struct gather_point fresh[GATHER_POINTS] = {{.place = 0}};
    struct recall_key keys[GATHER_POINTS];
    uint32_t anew[GATHER_POINTS * GATHER_RAYS];
    int number[GATHER_POINTS], asked = 0;
    size_t rays = (size_t)table->rays;
    for (int i = 0; i < count; i++) {
        struct recall_key key = key_of(table, &points[i]);
        const uint32_t *known =
            points[i].place ? recall_look(recall, points[i].place - 1, &key) : NULL;
        if (known) {
            take(&points[i], known, table->rays, seen + (size_t)i * rays);
            continue;
        }
        keys[asked] = key;
        number[asked] = i;
        fresh[asked++] = points[i];
    }
    if (asked)
        gather_look_anew(radiosity, table, fresh, asked, anew);
    for (int i = 0; i < asked; i++) {
        memcpy(seen + (size_t)number[i] * rays, anew + (size_t)i * rays, rays * sizeof *seen);
        if (fresh[i].place)
            keep(recall, &fresh[i], &keys[i], anew + (size_t)i * rays);
    }
}

void gather_look(const struct radiosity *radiosity, const struct gather_table *table,
                 const struct gather_point *points, int count, uint32_t *seen)
{
    if (radiosity->scene->recall)
        look_and_recall(radiosity, table, points, count, seen);
    else
        gather_look_anew(radiosity, table, points, count, seen);
}
