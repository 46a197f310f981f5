/* Keeps the strongest worldlights of a bsp when a branch of the engine takes no more. */
#include <float.h>
#include <stdlib.h>

#include "common/bsp/convert/convert.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_fit.def"

/* Distance in units at which lights are compared: that of a player from the lamps of a room. */
#define COMPARED_AT 128.0

struct rated_light {
    double strength;
    int index;
};

/* Larger for lights that models would miss more. */
static double strength_of(const struct bsp_worldlight *light)
{
    if (light->type == WORLDLIGHT_SKY || light->type == WORLDLIGHT_SKY_AMBIENT)
        return DBL_MAX;
    double sum = 0, quadratic = (double)light->quadratic;
    for (int k = 0; k < 3; k++)
        sum += light->intensity[k] > 0 ? (double)light->intensity[k] : 0;
    if (light->type == WORLDLIGHT_SURFACE)
        quadratic = 1;
    double fall = (double)light->constant + (double)light->linear * COMPARED_AT +
                  quadratic * COMPARED_AT * COMPARED_AT;
    double strength = fall > 0 ? sum / fall : DBL_MAX / 2;
    return light->flags & LIGHT_IN_AMBIENT_CUBE ? -1 / (1 + strength) : strength;
}

static int compare_strength(const void *a, const void *b)
{
    const struct rated_light *p = a, *q = b;
    if (p->strength < q->strength || p->strength > q->strength)
        return p->strength < q->strength ? 1 : -1;
    return p->index < q->index ? -1 : p->index > q->index;
}

/* Keeps the strongest, in their order. Returns the number of those that are gone. */
static size_t keep_strongest(struct bsp_worldlight *lights, int64_t maximum)
{
    size_t count = arrlenu(lights), kept = 0;
    if ((int64_t)count <= maximum)
        return 0;
    struct rated_light *rated = memory_zalloc(count, sizeof *rated);
    bool *wanted = memory_zalloc(count, sizeof *wanted);
    for (size_t i = 0; i < count; i++)
        rated[i] = (struct rated_light){strength_of(&lights[i]), (int)i};
    qsort(rated, count, sizeof *rated, compare_strength);
    for (int64_t i = 0; i < maximum; i++)
        wanted[rated[i].index] = true;
    for (size_t i = 0; i < count; i++)
        if (wanted[i])
            lights[kept++] = lights[i];
    arrsetlen(lights, kept);
    memory_free(rated);
    memory_free(wanted);
    return count - kept;
}

void bsp_worldlights_fit(struct bsp *bsp, const struct bsp_format *format, struct diag *diag)
{
    const int64_t max = bsp_limit_accepted(format, "worldlights");
    struct bsp_light_set *sets[] = {&bsp->ldr, &bsp->hdr};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        size_t all = arrlenu(sets[i]->worldlights);
        size_t gone = keep_strongest(sets[i]->worldlights, max);
        if (gone)
            diag_report(diag, DIAG_BSP_LIGHTS_LEFT_OUT, NULL,
                        "worldlights%s: %zu of %lld; the weakest %zu are left out",
                        i ? " for HDR" : "", all, (long long)max, gone);
    }
}

void bsp_light_fit(struct bsp *bsp, const struct bsp_format *format, struct diag *diag)
{
    bsp_ambient_fit_all(bsp, format);
    bsp_worldlights_fit(bsp, format, diag);
}
