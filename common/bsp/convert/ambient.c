#include "common/bsp/convert/convert.h"

#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"

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
