/* Surface lights: faces whose material glows, cut into patches that shine as one point each. */
#include <stdlib.h>

#include "common/bsp/query.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/geom/winding.h"
#include "vrad/light.h"

/* A material that glows less than this, on average, does not glow. */
#define LEAST_GLOW 0.1

/* A patch is cut while it has this many luxels in length. */
#define DEFAULT_CHOP 4.0

/* A patch's light is the glow of its material times this many, times the share of its texture that
 * it shows. */
#define PATCH_SCALE 10000.0

/* Lights whose brightest channel, on the lump's scale of 1, falls under this at this distance are
 * left to the ambient cubes. */
#define WEAK_LIGHT    0.005
#define WEAK_DISTANCE 512.0

/* Faces of more luxels than any lightmap holds are not cut: their scale is damaged. */
#define MOST_LUXELS 1024.0

struct patch {
    const struct winding *winding;
    int face;
    bool cut;
};

struct chopper {
    const struct bsp *bsp;
    double chop;
    struct patch *patches; /* stb_ds array */
    struct arena arena;
};

static const struct bsp_texinfo *texinfo_of(const struct bsp *bsp, int face)
{
    int texinfo = bsp->faces[face].texinfo;
    return texinfo >= 0 && bsp->texinfo[texinfo].texdata >= 0 ? &bsp->texinfo[texinfo] : NULL;
}

static double axis_length(const float axis[4])
{
    return vec3_length(vec3((double)axis[0], (double)axis[1], (double)axis[2]));
}

static const struct winding *face_winding(struct chopper *chopper, int face)
{
    const struct bsp_face *f = &chopper->bsp->faces[face];
    struct vec3 *points = ARENA_ARRAY(&chopper->arena, struct vec3, (size_t)f->edge_count);
    for (int i = 0; i < f->edge_count; i++)
        points[i] = bsp_vertex_at(chopper->bsp, bsp_face_vertex(chopper->bsp, f, i));
    return winding_new(&chopper->arena, f->edge_count, points);
}

/* Cuts a patch at the middle of its longest axis, the first of equals, and so on with its halves.
 * The half of higher coordinates comes first: so does the lump have it, from its end. */
static void chop_patch(struct chopper *chopper, ptrdiff_t index, double luxels_per_unit)
{
    struct patch patch = chopper->patches[index];
    struct bounds bounds = winding_bounds(patch.winding);
    struct vec3 size = vec3_sub(bounds.maxs, bounds.mins);
    int axis = vec3_major_axis(size);
    double luxels = size.e[axis] * luxels_per_unit;
    if (!(luxels >= chopper->chop && luxels <= MOST_LUXELS))
        return;
    struct plane plane = {vec3(0, 0, 0), bounds_center(&bounds).e[axis]};
    plane.normal.e[axis] = 1;
    struct winding *front = NULL, *back = NULL;
    winding_clip(&chopper->arena, patch.winding, &plane, 0, &front, &back);
    if (!front || !back)
        return;
    chopper->patches[index].cut = true;
    ptrdiff_t first = arrlen(chopper->patches);
    arrput(chopper->patches, ((struct patch){.winding = front, .face = patch.face}));
    arrput(chopper->patches, ((struct patch){.winding = back, .face = patch.face}));
    chop_patch(chopper, first, luxels_per_unit);
    chop_patch(chopper, first + 1, luxels_per_unit);
}

static bool face_glows(const struct bsp *bsp, const struct rad_file *rad, bool hdr, int face,
                       struct vec3 *glow)
{
    const struct bsp_face *f = &bsp->faces[face];
    const struct bsp_texinfo *texinfo = texinfo_of(bsp, face);
    if (!texinfo || f->edge_count < 3 || f->dispinfo >= 0)
        return false;
    if (texinfo->flags & (SURFACE_SKY | SURFACE_SKY2D))
        return false;
    if (!rad_find(rad, bsp_texinfo_name(bsp, f->texinfo), hdr, glow))
        return false;
    return (glow->x + glow->y + glow->z) / 3 >= LEAST_GLOW;
}

static void chop_all(struct chopper *chopper)
{
    ptrdiff_t count = arrlen(chopper->patches);
    for (ptrdiff_t i = 0; i < count; i++) {
        const struct bsp_texinfo *texinfo = texinfo_of(chopper->bsp, chopper->patches[i].face);
        double scale = (axis_length(texinfo->lightmap[0]) + axis_length(texinfo->lightmap[1])) / 2;
        if (!(texinfo->flags & SURFACE_NOCHOP))
            chop_patch(chopper, i, scale);
    }
}

/* The middle of the area: the points of T-junctions along an edge do not draw it to them. */
static struct vec3 centroid(const struct winding *winding)
{
    struct vec3 sum = vec3(0, 0, 0), origin = winding->points[0];
    double total = 0;
    for (int i = 2; i < winding->count; i++) {
        struct vec3 a = vec3_sub(winding->points[i - 1], origin);
        struct vec3 b = vec3_sub(winding->points[i], origin);
        double area = vec3_length(vec3_cross(a, b));
        sum = vec3_mad(sum, vec3_add(a, b), area / 3);
        total += area;
    }
    return total > 0 ? vec3_mad(origin, sum, 1 / total) : winding_center(winding);
}

static struct light patch_light(const struct bsp *bsp, const struct patch *patch, struct vec3 glow,
                                struct vec3 offset)
{
    const struct bsp_texinfo *texinfo = texinfo_of(bsp, patch->face);
    const struct bsp_texdata *texdata = &bsp->texdata[texinfo->texdata];
    const struct bsp_plane *plane = &bsp->planes[bsp->faces[patch->face].plane];
    double texels = (double)texdata->width * (double)texdata->height;
    double share = winding_area(patch->winding) * axis_length(texinfo->texture[0]) *
                   axis_length(texinfo->texture[1]) / fmax(texels, 1);
    struct light light = {.type = WORLDLIGHT_SURFACE, .face = patch->face, .entity = -1};
    light.origin = vec3_add(centroid(patch->winding), offset);
    light.normal =
        vec3((double)plane->normal[0], (double)plane->normal[1], (double)plane->normal[2]);
    light.intensity = vec3_scale(glow, share * PATCH_SCALE);
    double brightest = fmax(light.intensity.x, fmax(light.intensity.y, light.intensity.z));
    if (brightest / 255 / (WEAK_DISTANCE * WEAK_DISTANCE) < WEAK_LIGHT)
        light.flags = LIGHT_IN_AMBIENT_CUBE;
    return light;
}

/* Brush entities are drawn in their own space: where the entity of each model stands. */
static struct vec3 *model_origins(const struct bsp *bsp, const struct entity_list *entities)
{
    struct vec3 *origins = NULL;
    ptrdiff_t models = arrlen(bsp->models);
    for (ptrdiff_t i = 0; i < models; i++)
        arrput(origins, vec3(0, 0, 0));
    for (ptrdiff_t i = 1; i < arrlen(entities->entities); i++) {
        const struct entity *entity = &entities->entities[i];
        const char *model = entity_value(entity, "model");
        long number = model[0] == '*' ? strtol(model + 1, NULL, 10) : 0;
        struct vec3 origin;
        if (number > 0 && number < models && entity_vector(entity, "origin", &origin))
            origins[number] = origin;
    }
    return origins;
}

static int model_of_face(const struct bsp *bsp, int face)
{
    for (int i = 0; i < (int)arrlen(bsp->models); i++) {
        const struct bsp_model *model = &bsp->models[i];
        if (face >= model->first_face && face < model->first_face + model->face_count)
            return i;
    }
    return 0;
}

void texture_lights_collect(const struct light_options *options, const struct bsp *bsp,
                            const struct entity_list *entities, const struct rad_file *rad,
                            struct light **lights)
{
    struct chopper chopper = {.bsp = bsp, .chop = options->chop > 0 ? options->chop : DEFAULT_CHOP};
    struct vec3 glow;
    for (int i = 0; i < (int)arrlen(bsp->faces); i++)
        if (face_glows(bsp, rad, options->hdr, i, &glow))
            arrput(chopper.patches, ((struct patch){face_winding(&chopper, i), i, false}));
    chop_all(&chopper);
    struct vec3 *origins = model_origins(bsp, entities);
    for (ptrdiff_t i = 0; i < arrlen(chopper.patches); i++) {
        const struct patch *patch = &chopper.patches[i];
        if (patch->cut || !face_glows(bsp, rad, options->hdr, patch->face, &glow))
            continue;
        int model = model_of_face(bsp, patch->face);
        struct vec3 offset = arrlen(origins) ? origins[model] : vec3(0, 0, 0);
        arrput(*lights, patch_light(bsp, patch, glow, offset));
    }
    arrfree(origins);
    arrfree(chopper.patches);
    arena_free(&chopper.arena);
}
