/* Texture lights: emissive faces, cut into patches that become one surface light each. */
#include <stdlib.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/winding.h"
#include "common/text/entity_view.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/lights/patch_shape.h"
#include "vrad/lights/rad_file.h"
#include "vrad/scene/disp_mesh.h"
#include "vrad/scene/normals.h"

/* Minimum emission of a material, mean of the channels. */
#define MIN_EMISSION 0.1

/* A patch is split while it is longer than this, in luxels. */
#define DEFAULT_CHOP      4.0
#define DEFAULT_DISP_CHOP 8.0

/* A patch's intensity is the emission of its material times this, times the part of its texture
 * that it shows. */
#define PATCH_SCALE 10000.0

/* Lights whose brightest channel, on the lump's scale of 1, is below this at this distance are left
 * to the ambient cubes. */
#define WEAK_LIGHT    0.005
#define WEAK_DISTANCE 512.0

/* Faces with more luxels than any lightmap are not split: their scale is invalid. */
#define MAX_LUXELS 1024.0

struct patch {
    const struct winding *winding;
    int face;
    bool cut;
};

struct chopper {
    const struct bsp *bsp;
    const struct light_options *options;
    const struct rad_file *rad;
    double chop, disp_chop, min;
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

/* Splits a patch at the middle of its longest axis (the first of equals), recursively. The half of
 * higher coordinates comes first, as in the lump from its end. */
static void chop_patch(struct chopper *chopper, ptrdiff_t index, double luxels_per_unit)
{
    struct patch patch = chopper->patches[index];
    struct bounds bounds = winding_bounds(patch.winding);
    struct vec3 size = vec3_sub(bounds.maxs, bounds.mins);
    int axis = vec3_major_axis(size);
    double luxels = size.e[axis] * luxels_per_unit;
    if (!(luxels >= chopper->chop && luxels <= MAX_LUXELS))
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

static bool face_is_emissive(const struct chopper *chopper, int face, struct vec3 *emission)
{
    const struct bsp *bsp = chopper->bsp;
    const struct bsp_face *f = &bsp->faces[face];
    const struct bsp_texinfo *texinfo = texinfo_of(bsp, face);
    if (!texinfo || f->edge_count < 3 || texinfo->flags & (SURFACE_SKY | SURFACE_SKY2D))
        return false;
    if (!rad_find(chopper->rad, bsp_texinfo_name(bsp, f->texinfo), chopper->options->hdr, emission))
        return false;
    return (emission->x + emission->y + emission->z) / 3 >= chopper->min;
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

/* The centroid of the area: additional points at T-junctions have no influence. */
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

/* A patch of `area` around `center`. */
static struct light patch_light(const struct bsp *bsp, int face, struct vec3 emission, double area,
                                struct vec3 center, struct vec3 normal)
{
    const struct bsp_texinfo *texinfo = texinfo_of(bsp, face);
    const struct bsp_texdata *texdata = &bsp->texdata[texinfo->texdata];
    double texels = (double)texdata->width * (double)texdata->height;
    double share = area * axis_length(texinfo->texture[0]) * axis_length(texinfo->texture[1]) /
                   portable_fmax(texels, 1);
    struct light light = {.type = WORLDLIGHT_SURFACE, .face = face};
    light.origin = center;
    light.normal = normal;
    light.intensity = vec3_scale(emission, share * PATCH_SCALE);
    double brightest =
        portable_fmax(light.intensity.x, portable_fmax(light.intensity.y, light.intensity.z));
    if (brightest / 255 / (WEAK_DISTANCE * WEAK_DISTANCE) < WEAK_LIGHT)
        light.flags = LIGHT_IN_AMBIENT_CUBE;
    return light;
}

/* The corners of a block of a displacement's grid, in order around it. */
static struct patch_shape *block_shape(const struct disp_mesh *mesh, const int first[2], int cells,
                                       const struct light *light, double area,
                                       struct light_set *set)
{
    struct vec3 corners[4];
    for (int i = 0; i < 4; i++) {
        int row = first[0] + (i / 2) * cells, column = first[1] + ((i + 1) / 2 % 2) * cells;
        corners[i] = mesh->points[row * mesh->columns + column];
    }
    return patch_shape_new(&set->shapes, corners, 4, light->origin, light->normal, area);
}

/* A displacement emits by blocks of its grid: each is the mean of its triangles. */
static void add_block(const struct chopper *chopper, int face, const struct disp_mesh *mesh,
                      const int first[2], int cells, struct light_set *set)
{
    struct vec3 sum = vec3(0, 0, 0), normal = vec3(0, 0, 0), emission;
    double total = 0;
    for (int i = 0; i < 2 * cells * cells; i++) {
        int row = first[0] + i / 2 / cells, column = first[1] + i / 2 % cells, corners[3];
        disp_mesh_triangle(mesh, 2 * (row * (mesh->columns - 1) + column) + i % 2, corners);
        struct vec3 a = mesh->points[corners[0]], b = mesh->points[corners[1]];
        struct vec3 c = mesh->points[corners[2]];
        struct vec3 across = vec3_cross(vec3_sub(c, a), vec3_sub(b, a));
        double area = vec3_length(across) / 2;
        sum = vec3_mad(sum, vec3_add(a, vec3_add(b, c)), area / 3);
        normal = vec3_add(normal, across);
        total += area;
    }
    if (total <= 0 || vec3_length(normal) <= 0 || !face_is_emissive(chopper, face, &emission))
        return;
    struct light light = patch_light(chopper->bsp, face, emission, total,
                                     vec3_scale(sum, 1 / total), vec3_normalize(normal));
    light.shape = block_shape(mesh, first, cells, &light, total, set);
    arrput(set->lights, light);
}

static void add_displacement(struct chopper *chopper, int face, struct light_set *set)
{
    const struct bsp_face *f = &chopper->bsp->faces[face];
    struct disp_mesh mesh;
    if (!disp_mesh_build(chopper->bsp, f, &chopper->arena, &mesh))
        return;
    int cells = mesh.columns - 1, luxels = f->lightmap_size[0];
    luxels = luxels > f->lightmap_size[1] ? luxels : f->lightmap_size[1];
    int block = cells;
    while (block > 1 && (double)luxels * block / cells >= chopper->disp_chop)
        block /= 2;
    for (int row = 0; row < cells; row += block)
        for (int column = 0; column < cells; column += block)
            add_block(chopper, face, &mesh, (const int[2]){row, column}, block, set);
}

/* The origin of each model's entity: faces of brush entities are in model space. */
static struct vec3 *model_origins(const struct bsp *bsp, const struct entity_view *entities)
{
    struct vec3 *origins = NULL;
    ptrdiff_t models = arrlen(bsp->models);
    for (ptrdiff_t i = 0; i < models; i++)
        arrput(origins, vec3(0, 0, 0));
    const struct entity *entity = entity_view_world(entities);
    while (entity && (entity = entity_view_next(entities, entity_query_models, entity))) {
        int64_t number = entity_model_number(entity, arrlenu(bsp->models));
        struct vec3 origin;
        if (number > 0 && bsp->models[number].face_count > 0 &&
            entity_vector(entity, "origin", &origin))
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

static struct patch_shape *moved_shape(const struct winding *winding, struct vec3 offset,
                                       const struct light *light, double area,
                                       struct light_set *set)
{
    struct vec3 *corners = ARENA_ARRAY(&set->shapes, struct vec3, (size_t)winding->count);
    for (int i = 0; i < winding->count; i++)
        corners[i] = vec3_add(winding->points[i], offset);
    return patch_shape_new(&set->shapes, corners, winding->count, light->origin, light->normal,
                           area);
}

static void add_patches(const struct chopper *chopper, const struct entity_view *entities,
                        struct light_set *set)
{
    const struct bsp *bsp = chopper->bsp;
    struct vec3 *origins = model_origins(bsp, entities), emission;
    for (ptrdiff_t i = 0; i < arrlen(chopper->patches); i++) {
        const struct patch *patch = &chopper->patches[i];
        if (patch->cut || !face_is_emissive(chopper, patch->face, &emission))
            continue;
        int model = model_of_face(bsp, patch->face);
        struct vec3 offset = arrlen(origins) ? origins[model] : vec3(0, 0, 0);
        double area = winding_area(patch->winding);
        struct light light = patch_light(bsp, patch->face, emission, area,
                                         vec3_add(centroid(patch->winding), offset),
                                         bsp_face_normal(bsp, &bsp->faces[patch->face]));
        light.shape = moved_shape(patch->winding, offset, &light, area, set);
        arrput(set->lights, light);
    }
    arrfree(origins);
}

void texture_lights_collect(const struct light_options *options, const struct bsp *bsp,
                            const struct entity_view *entities, const struct rad_file *rad,
                            struct light_set *set)
{
    struct chopper chopper = {.bsp = bsp, .options = options, .rad = rad};
    chopper.chop = options->chop > 0 ? options->chop : DEFAULT_CHOP;
    chopper.disp_chop = options->disp_chop > 0 ? options->disp_chop : DEFAULT_DISP_CHOP;
    chopper.min = options->min_emission > 0 ? options->min_emission : MIN_EMISSION;
    struct vec3 emission;
    for (int i = 0; i < (int)arrlen(bsp->faces); i++) {
        if (!face_is_emissive(&chopper, i, &emission))
            continue;
        if (bsp->faces[i].dispinfo >= 0)
            add_displacement(&chopper, i, set);
        else
            arrput(chopper.patches, ((struct patch){face_winding(&chopper, i), i, false}));
    }
    chop_all(&chopper);
    add_patches(&chopper, entities, set);
    arrfree(chopper.patches);
    arena_free(&chopper.arena);
}
