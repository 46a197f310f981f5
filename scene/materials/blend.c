#include "scene/materials/blend.h"

#include "common/core/portable_math.h"

/* A factor as `constant` + `under` * what is there, for a channel. */
struct factor {
    float constant, under;
};

/* A screen has no alpha: that of what is there is 1. */
static struct factor factor_of(int factor, float colour, float alpha)
{
    switch ((enum blend_factor)factor) {
    case BLEND_ZERO:
    case BLEND_ONE_MINUS_DST_ALPHA:
    case BLEND_SRC_ALPHA_SATURATE:
        return (struct factor){0, 0};
    case BLEND_ONE:
    case BLEND_DST_ALPHA:
        return (struct factor){1, 0};
    case BLEND_SRC_COLOR:
        return (struct factor){colour, 0};
    case BLEND_ONE_MINUS_SRC_COLOR:
        return (struct factor){1 - colour, 0};
    case BLEND_SRC_ALPHA:
        return (struct factor){alpha, 0};
    case BLEND_ONE_MINUS_SRC_ALPHA:
        return (struct factor){1 - alpha, 0};
    case BLEND_DST_COLOR:
        return (struct factor){0, 1};
    case BLEND_ONE_MINUS_DST_COLOR:
        return (struct factor){1, -1};
    }
    return (struct factor){1, 0};
}

/* A colour times itself would not depend on it as `kept` says, and no shader means it: its
 * factor counts as 1. */
void blend_over(struct blended *under, struct blend blend, const float rgba[4])
{
    for (int k = 0; k < 3; k++) {
        struct factor source = factor_of(blend.source, rgba[k], rgba[3]);
        struct factor target = factor_of(blend.target, rgba[k], rgba[3]);
        float share = rgba[k] * source.under + (target.under != 0 ? 1 : target.constant);
        float added = rgba[k] * source.constant + share * under->added[k];
        under->added[k] = portable_fminf(portable_fmaxf(added, 0), 1);
        under->kept[k] *= share;
    }
}
