#include "vrad/ambient/ambient_choice.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/core/portable_math.h"

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
