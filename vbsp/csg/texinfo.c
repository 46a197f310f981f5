#include "vbsp/csg/texinfo.h"

#include <ctype.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"

/* A lightmap axis is sound when it is at least this far, as a sine, from the normal of its face and
 * from the other axis ... */
#define MIN_SINE 1e-3
/* ... and its length within these: cut faces are wider than EPSILON_SPLIT, and a luxel is no larger
 * than the world. */
#define MAX_LUXELS_A_UNIT   4.0
#define MIN_LUXELS_A_UNIT   4e-6
#define MIN_LUXELS_A_SQUARE 1e-10
/* Single precision distinguishes parts of a luxel up to here. */
#define MAX_LUXEL_OFFSET 262144.0f

/* The key is compared bytewise: the record has no padding and no negative zeros. */
struct texinfo_cell {
    struct bsp_texinfo key;
    int value;
};

struct texdata_cell {
    char *key; /* owned by the map */
    int value;
};

static char *lower_copy(const char *name)
{
    size_t length = strlen(name);
    char *copy = memory_alloc(length + 1);
    for (size_t i = 0; i <= length; i++)
        copy[i] = (char)tolower((unsigned char)name[i]);
    return copy;
}

static int find_texdata(struct texinfo_set *set, const struct material *material)
{
    char *key = lower_copy(material->name);
    if (!set->texdata_cells)
        sh_new_strdup(set->texdata_cells);
    ptrdiff_t at = shgeti(set->texdata_cells, key);
    if (at >= 0) {
        memory_free(key);
        return set->texdata_cells[at].value;
    }
    int number = (int)arrlen(set->texdata);
    struct bsp_texdata texdata = {
        .name = number,
        .width = material->width,
        .height = material->height,
        .view_width = material->view_width,
        .view_height = material->view_height,
    };
    for (int i = 0; i < 3; i++)
        texdata.reflectivity[i] = (float)material->reflectivity[i];
    arrput(set->texdata, texdata);
    arrput(set->names, material->name);
    shput(set->texdata_cells, key, number);
    memory_free(key);
    return number;
}

static int flags_of(const struct material *material, int extra)
{
    int flags = material->surface_flags | extra;
    return flags & SURFACE_NOLIGHT ? flags & ~SURFACE_BUMPLIGHT : flags;
}

static int find_texinfo(struct texinfo_set *set, struct bsp_texinfo texinfo,
                        const struct material *material)
{
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 4; j++) {
            texinfo.texture[i][j] += 0.0f; /* -0 becomes 0 */
            texinfo.lightmap[i][j] += 0.0f;
        }
    }
    texinfo.texdata = find_texdata(set, material);
    ptrdiff_t at = hmgeti(set->cells, texinfo);
    if (at >= 0)
        return set->cells[at].value;
    int number = (int)arrlen(set->items);
    arrput(set->items, texinfo);
    arrput(set->materials, material);
    hmput(set->cells, texinfo, number);
    return number;
}

/* In single precision, step by step: so it is bit for bit equal to Valve's (checked on the texinfo
 * of 37,491 faces), and lightmap extents agree where they lie on a luxel boundary. */
static void map_axis(const struct map_texture_axis *axis, struct vec3 origin, float luxel_scale,
                     float texture[4], float lightmap[4])
{
    float scale = (float)axis->scale, shift = (float)axis->shift;
    texture[3] = lightmap[3] = 0;
    for (int i = 0; i < 3; i++) {
        float component = (float)axis->axis.e[i], offset = (float)origin.e[i];
        texture[i] = component / scale;
        lightmap[i] = component / luxel_scale;
        texture[3] += offset * texture[i];
        lightmap[3] += offset * lightmap[i];
    }
    texture[3] += shift;
    lightmap[3] += shift * (scale / luxel_scale);
}

/* Converts an axis from image to texel coordinates, with a unit axis as lightmaps need it. */
static struct map_texture_axis axis_in_texels(const struct map_texture_axis *axis, int size)
{
    double length = vec3_length(axis->axis) / axis->scale;
    struct map_texture_axis texels = {.scale = 1, .shift = axis->shift * size};
    if (fabs(length) > 0) {
        texels.axis = vec3_scale(axis->axis, 1 / (length * axis->scale));
        texels.scale = 1 / (length * size);
    }
    return texels;
}

static void map_side(const struct map_side *side, const struct material *material,
                     struct vec3 origin, double luxel_scale, struct bsp_texinfo *out)
{
    float scale = (float)luxel_scale;
    struct map_texture_axis u = side->u, v = side->v;
    if (side->mapped_in_images) {
        u = axis_in_texels(&u, material->width);
        v = axis_in_texels(&v, material->height);
    }
    map_axis(&u, origin, scale, out->texture[0], out->lightmap[0]);
    map_axis(&v, origin, scale, out->texture[1], out->lightmap[1]);
}

static bool is_finite(const float axis[4])
{
    return isfinite(axis[0]) && isfinite(axis[1]) && isfinite(axis[2]) && isfinite(axis[3]);
}

/* Of two axes; flat: them within the face. */
static const char *fault_of_axes(float (*const axes)[4], struct vec3 normal, struct vec3 flat[2])
{
    for (int i = 0; i < 2; i++) {
        const struct vec3 whole = vec3_from_floats(axes[i]);
        flat[i] = vec3_mad(whole, normal, -vec3_dot(whole, normal));
        if (!(vec3_length(flat[i]) > MIN_SINE * vec3_length(whole)))
            return "an axis is zero, or perpendicular to the side";
    }
    const double area = vec3_length(vec3_cross(flat[0], flat[1]));
    return area < MIN_SINE * vec3_length(flat[0]) * vec3_length(flat[1])
               ? "the axes are parallel to each other"
               : NULL;
}

static const char *fault_of_lengths(const struct bsp_texinfo *texinfo, const struct vec3 flat[2])
{
    for (int i = 0; i < 2; i++)
        if (vec3_length(vec3_from_floats(texinfo->lightmap[i])) > MAX_LUXELS_A_UNIT)
            return "an axis is too long";
    const double area = vec3_length(vec3_cross(flat[0], flat[1]));
    const double shorter = portable_fmin(vec3_length(flat[0]), vec3_length(flat[1]));
    return shorter < MIN_LUXELS_A_UNIT || area < MIN_LUXELS_A_SQUARE ? "an axis is too short"
                                                                     : NULL;
}

const char *texinfo_fault(const struct map_side *side, const struct material *material,
                          struct vec3 origin, double luxel_scale, struct vec3 normal)
{
    struct bsp_texinfo texinfo = {0};
    struct vec3 flat[2];
    map_side(side, material, origin, luxel_scale, &texinfo);
    for (int i = 0; i < 2; i++)
        if (!is_finite(texinfo.lightmap[i]) || !is_finite(texinfo.texture[i]) ||
            fabsf(texinfo.lightmap[i][3]) > MAX_LUXEL_OFFSET)
            return "an axis or its shift is too long";
    const char *fault = fault_of_axes(texinfo.lightmap, normal, flat);
    return fault ? fault : fault_of_lengths(&texinfo, flat);
}

const char *texinfo_texture_fault(const struct map_side *side, const struct material *material,
                                  struct vec3 normal)
{
    struct bsp_texinfo texinfo = {0};
    struct vec3 flat[2];
    map_side(side, material, vec3(0, 0, 0), 1, &texinfo);
    if (!is_finite(texinfo.texture[0]) || !is_finite(texinfo.texture[1]))
        return "an axis or its shift is too long";
    return fault_of_axes(texinfo.texture, normal, flat);
}

int texinfo_for_side(struct texinfo_set *set, const struct map_side *side,
                     const struct material *material, struct vec3 origin, double luxel_scale,
                     int extra_flags)
{
    struct bsp_texinfo texinfo = {.flags = flags_of(material, extra_flags)};
    map_side(side, material, origin, luxel_scale, &texinfo);
    return find_texinfo(set, texinfo, material);
}

int texinfo_with_material(struct texinfo_set *set, int texinfo, const struct material *material)
{
    struct bsp_texinfo other = set->items[texinfo];
    other.flags = flags_of(material, 0);
    return find_texinfo(set, other, material);
}

void texinfo_replace_material(struct texinfo_set *set, const struct material *old,
                              const struct material *material)
{
    int lost = old->surface_flags & ~material->surface_flags;
    for (int i = 0; i < (int)arrlen(set->items); i++) {
        if (set->materials[i] != old)
            continue;
        (void)hmdel(set->cells, set->items[i]);
        set->items[i].flags &= ~lost;
        set->materials[i] = material;
        if (hmgeti(set->cells, set->items[i]) < 0)
            hmput(set->cells, set->items[i], i);
    }
}

int texinfo_renamed(struct texinfo_set *set, int texinfo, const struct material *material)
{
    return find_texinfo(set, set->items[texinfo], material);
}

int texinfo_without_mapping(struct texinfo_set *set, const struct material *material)
{
    const float none = -99999.0f;
    struct bsp_texinfo texinfo = {.texture = {{0, 0, 0, none}, {0, 0, 0, none}},
                                  .lightmap = {{0, 0, 0, none}, {0, 0, 0, none}}};
    return find_texinfo(set, texinfo, material);
}

void texinfo_set_free(struct texinfo_set *set)
{
    arrfree(set->items);
    arrfree(set->materials);
    arrfree(set->texdata);
    arrfree(set->names);
    hmfree(set->cells);
    shfree(set->texdata_cells);
    *set = (struct texinfo_set){0};
}
