/* The light of a map in the forms of another branch: ambient light with one sample for each leaf or
 * with several, and of the worldlights the strongest when the branch takes no more. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/bsp/convert/convert.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/bsp_fit.def"

enum { MIDDLE = 128 };
#define MANTISSA_MAX 255.0

static void colour_sum(const struct bsp_colour *colour, double sum[3])
{
    sum[0] += ldexp(colour->r, colour->exponent);
    sum[1] += ldexp(colour->g, colour->exponent);
    sum[2] += ldexp(colour->b, colour->exponent);
}

/* Uses the smallest exponent with which the largest mantissa fits its byte. */
static struct bsp_colour colour_pack(const double value[3])
{
    double max = portable_fmax(value[0], portable_fmax(value[1], value[2]));
    int exponent = 0;
    if (!(max > 0))
        return (struct bsp_colour){0};
    (void)frexp(max / MANTISSA_MAX, &exponent);
    if (ldexp(max, 1 - exponent) <= MANTISSA_MAX)
        exponent--;
    if (exponent < INT8_MIN)
        exponent = INT8_MIN;
    double scale = ldexp(1, -exponent);
    return (struct bsp_colour){(uint8_t)portable_fmin(MANTISSA_MAX, value[0] * scale + 0.5),
                               (uint8_t)portable_fmin(MANTISSA_MAX, value[1] * scale + 0.5),
                               (uint8_t)portable_fmin(MANTISSA_MAX, value[2] * scale + 0.5),
                               (int8_t)exponent};
}

static struct bsp_ambient mean_of(const struct bsp_ambient *samples, int count)
{
    struct bsp_ambient mean = {.position = {MIDDLE, MIDDLE, MIDDLE}};
    if (count == 1)
        memcpy(mean.cube, samples[0].cube, sizeof mean.cube);
    for (int side = 0; side < 6 && count > 1; side++) {
        double sum[3] = {0};
        for (int i = 0; i < count; i++)
            colour_sum(&samples[i].cube[side], sum);
        for (int k = 0; k < 3; k++)
            sum[k] /= count;
        mean.cube[side] = colour_pack(sum);
    }
    return mean;
}

static struct bsp_ambient_loss flatten(struct bsp_light_set *set, size_t leaves)
{
    struct bsp_ambient_loss loss = {0};
    struct bsp_ambient *cubes = NULL;
    for (size_t i = 0; i < leaves; i++) {
        const struct bsp_ambient_index *index = &set->ambient_index[i];
        if (!index->count)
            index = &set->ambient_index[index->first]; /* the leaf whose light it uses */
        const struct bsp_ambient *samples = set->ambient + index->first;
        struct bsp_ambient cube = mean_of(samples, index->count);
        loss.joined += index->count > 1;
        loss.moved += index->count == 1 &&
                      memcmp(samples->position, cube.position, sizeof cube.position) != 0;
        arrput(cubes, cube);
    }
    arrfree(set->ambient);
    arrfree(set->ambient_index);
    set->ambient = cubes;
    return loss;
}

struct bsp_ambient_loss bsp_ambient_fit(struct bsp_light_set *set, size_t leaves,
                                        enum bsp_ambient_form form)
{
    bool indexed = arrlenu(set->ambient_index) > 0;
    if (form != AMBIENT_INDEXED && indexed)
        return flatten(set, leaves);
    for (size_t i = 0; form == AMBIENT_INDEXED && !indexed && i < arrlenu(set->ambient); i++)
        arrput(set->ambient_index, ((struct bsp_ambient_index){1, (int32_t)i}));
    return (struct bsp_ambient_loss){0};
}

void bsp_ambient_fit_all(struct bsp *bsp, const struct bsp_format *format)
{
    (void)bsp_ambient_fit(&bsp->ldr, arrlenu(bsp->leaves), format->ambient);
    (void)bsp_ambient_fit(&bsp->hdr, arrlenu(bsp->leaves), format->ambient);
}

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
