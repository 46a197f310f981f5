#include "scene/reflections/reflection.h"

#include <math.h>

#include "common/core/portable_math.h"
#include "common/core/strings.h"

/* Of water that does not say how it reflects, looked at from straight above. */
#define WATER_STRAIGHT 0.02

static float within(double value)
{
    return (float)portable_fmin(portable_fmax(value, 0), 1);
}

/* LightmappedGeneric names the share from straight ahead, VertexLitGeneric that which depends on
 * the angle. */
static float straight_of(const struct vmt *vmt)
{
    if (str_starts_nocase(vmt->shader, "vertexlit"))
        return 1 - within(vmt_number(vmt, "$envmapfresnel", 0));
    double usual = str_starts_nocase(vmt->shader, "water") ? WATER_STRAIGHT : 1;
    return within(vmt_number(vmt, "$fresnelreflection", usual));
}

static enum reflection_mask mask_of(const struct vmt *vmt, const char **key)
{
    *key = NULL;
    if (vmt_flag(vmt, "$normalmapalphaenvmapmask")) {
        *key = vmt_value(vmt, "$bumpmap") ? "$bumpmap" : "$normalmap";
        return MASK_ALPHA;
    }
    if (vmt_flag(vmt, "$basealphaenvmapmask"))
        return MASK_BASE_ALPHA;
    if (!vmt_value(vmt, "$envmapmask"))
        return MASK_NONE;
    *key = "$envmapmask";
    return MASK_COLOUR;
}

/* $envmapparallaxobb1 to 3 are three of the four rows of a matrix. */
static void read_box(const struct vmt *vmt, struct reflection_box *out)
{
    static const char *const keys[] = {"$envmapparallaxobb1", "$envmapparallaxobb2",
                                       "$envmapparallaxobb3"};
    out->present =
        vmt_flag(vmt, "$envmapparallax") && vmt_colour(vmt, "$envmaporigin", out->origin.e);
    for (int i = 0; i < 3; i++) {
        const char *text = vmt_value(vmt, keys[i]);
        out->present &= text && str_to_doubles(text, out->rows[i], 4) == 4;
    }
}

/* The ray leaves the box at the first of its sides that it meets from inside. */
struct vec3 reflection_direction(const struct reflection *reflection, struct vec3 point,
                                 struct vec3 direction)
{
    const struct reflection_box *box = &reflection->box;
    double way = HUGE_VAL;
    for (int i = 0; i < 3 && box->present; i++) {
        const double *row = box->rows[i];
        struct vec3 axis = vec3(row[0], row[1], row[2]);
        double at = vec3_dot(axis, point) + row[3], step = vec3_dot(axis, direction);
        if (step != 0)
            way = portable_fmin(way, ((step > 0 ? 1 : 0) - at) / step);
    }
    struct vec3 from = vec3_sub(vec3_mad(point, direction, way), box->origin);
    bool is_direction = isfinite(way) && vec3_is_finite(from) && vec3_length(from) > 0;
    return is_direction ? from : direction;
}

void reflection_read(const struct vmt *vmt, struct reflection *out, const char **mask)
{
    double all = vmt_number(vmt, "$envmaptint", 1), tint[3] = {all, all, all};
    *out = (struct reflection){
        .masked_by = mask_of(vmt, mask),
        .contrast = within(vmt_number(vmt, "$envmapcontrast", 0)),
        .saturation = within(vmt_number(vmt, "$envmapsaturation", 1)),
        .straight = straight_of(vmt),
    };
    (void)vmt_colour(vmt, "$envmaptint", tint);
    read_box(vmt, &out->box);
    for (int k = 0; k < 3; k++)
        out->tint[k] = (float)portable_fmax(tint[k], 0);
}

void reflection_apply(const struct reflection *reflection, const float share[3], double cosine,
                      float light[3])
{
    static const float luminance[3] = {0.299f, 0.587f, 0.114f};
    float part = 1 - within(cosine), squared = part * part, grey = 0;
    float angle = reflection->straight + (1 - reflection->straight) * squared * squared * part;
    for (int k = 0; k < 3; k++) {
        light[k] *= share[k] * reflection->tint[k];
        light[k] += reflection->contrast * (light[k] * light[k] - light[k]);
        grey += luminance[k] * light[k];
    }
    for (int k = 0; k < 3; k++)
        light[k] = angle * (grey + reflection->saturation * (light[k] - grey));
}
