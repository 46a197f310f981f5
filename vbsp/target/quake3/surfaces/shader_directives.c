#include "vbsp/target/quake3/surfaces/shader_directives.h"

#include <stdio.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/quake3_models.def"
#include "common/geom/plane.h"
#include "vbsp/target/quake3/surfaces/surface.h"

#define CLIP_NEAR 0.01

/* Distance of a flare from its surface, in units, as in shipped maps. */
#define FLARE_BEFORE 2.0

enum { MAX_STEPS = 8 }; /* maximum length of a chain of shaders */

/* --- tessellation --- */

/* The first plane of the grid that cuts the bounds; false if there is none. */
static bool grid_plane(const struct bounds *bounds, double size, struct plane *out)
{
    for (int axis = 0; axis < 3; axis++) {
        double dist = size * (1 + floor((bounds->mins.e[axis] + 1) / size));
        if (dist >= bounds->maxs.e[axis] - 1)
            continue;
        out->normal = vec3(axis == 0, axis == 1, axis == 2);
        out->dist = dist;
        return true;
    }
    return false;
}

/* Consumes the surface. */
static void cut_along_grid(struct draw_surface *surface, double size, struct draw_surface **out)
{
    struct bounds bounds = draw_surface_bounds(surface);
    struct plane plane;
    while (grid_plane(&bounds, size, &plane)) {
        struct draw_surface behind = draw_surface_like(surface), front = behind;
        draw_polygon_clip(surface->vertices, &plane, CLIP_NEAR, &front.vertices, &behind.vertices);
        if (!front.vertices || !behind.vertices) {
            draw_surface_free(&front);
            draw_surface_free(&behind);
            break;
        }
        cut_along_grid(&behind, size, out);
        draw_surface_free(surface);
        *surface = front;
        bounds = draw_surface_bounds(surface);
    }
    arrput(*out, *surface);
}

void surfaces_tessellate(struct draw_surface **surfaces)
{
    struct draw_surface *whole = *surfaces, *out = NULL;
    for (size_t i = 0; i < arrlenu(whole); i++) {
        double size = whole[i].shader->tess_size;
        if (whole[i].type == SURFACE_PLANAR && !whole[i].indices && size >= 1)
            cut_along_grid(&whole[i], size, &out);
        else
            arrput(out, whole[i]);
    }
    arrfree(whole);
    *surfaces = out;
}

/* --- other shaders --- */

struct copier {
    struct draw_surface **surfaces;
    struct assets *assets;
    struct diag *diag;
};

/* A smoothing angle is that of an entity, or else of the shader. */
static void use_shader(struct draw_surface *surface, const struct shader *shader)
{
    if (!(fabs(surface->keys.shade_angle - surface->shader->shade_angle) > 0))
        surface->keys.shade_angle = shader->shade_angle;
    surface->shader = shader;
    surface->lightmapped = shader_wants_lightmap(shader);
    surface->no_tjunctions = surface->no_tjunctions || shader->compile_flags & SHADER_NO_TJUNCTIONS;
}

static void report_cycle(const struct copier *copier, const struct draw_surface *surface)
{
    diag_report(copier->diag, DIAG_SHADERS_CIRCLE, &surface->where, "starting at %s",
                surface->shader->name);
}

static void remap(const struct copier *copier, struct draw_surface *surface)
{
    const struct shader *shader = surface->shader;
    for (int i = 0; shader->remap_shader && i < MAX_STEPS; i++)
        shader = assets_shader(copier->assets, shader->remap_shader);
    if (shader->remap_shader)
        report_cycle(copier, surface);
    else if (shader != surface->shader)
        use_shader(surface, shader);
}

static void swap_vertices(struct draw_vertex *a, struct draw_vertex *b)
{
    struct draw_vertex swapped = *a;
    *a = *b;
    *b = swapped;
}

/* Reverses rows of patches, outlines of polygons, and triangles. */
static void flip_surface(struct draw_surface *surface)
{
    int count = (int)arrlen(surface->vertices);
    int row = surface->type == SURFACE_PATCH ? surface->patch_columns : count;
    for (int i = 0; i < count; i++)
        surface->vertices[i].normal = vec3_neg(surface->vertices[i].normal);
    for (int first = 0; !surface->indices && row > 0 && first + row <= count; first += row)
        for (int i = 0; i < row / 2; i++)
            swap_vertices(&surface->vertices[first + i], &surface->vertices[first + row - 1 - i]);
    for (size_t i = 0; i + 2 < arrlenu(surface->indices); i += 3) {
        int swapped = surface->indices[i + 1];
        surface->indices[i + 1] = surface->indices[i + 2];
        surface->indices[i + 2] = swapped;
    }
    surface->normal = vec3_neg(surface->normal);
    surface->dist = -surface->dist;
}

/* Clones may have clones of their own. */
static void add_clones(const struct copier *copier, size_t index)
{
    const struct shader *shader = (*copier->surfaces)[index].shader;
    for (int i = 0; shader->clone_shader; i++) {
        if (i == MAX_STEPS) {
            report_cycle(copier, &(*copier->surfaces)[index]);
            return;
        }
        struct draw_surface clone = draw_surface_copy(&(*copier->surfaces)[index]);
        shader = assets_shader(copier->assets, shader->clone_shader);
        use_shader(&clone, shader);
        arrput(*copier->surfaces, clone);
    }
}

static bool has_outline(const struct draw_surface *surface)
{
    const int undrawn = Q3_SURFACE_SKY | Q3_SURFACE_NODRAW;
    const int flat = SHADER_POLYGON_OFFSET | SHADER_AUTOSPRITE;
    return surface->keys.cel_shader && !(surface->shader->surface_flags & undrawn) &&
           !(surface->shader->compile_flags & flat);
}

static void add_outline(const struct copier *copier, size_t index)
{
    if (!has_outline(&(*copier->surfaces)[index]))
        return;
    struct draw_surface outline = draw_surface_copy(&(*copier->surfaces)[index]);
    char name[256];
    snprintf(name, sizeof name, "textures/%s", outline.keys.cel_shader);
    use_shader(&outline, assets_shader(copier->assets, name));
    arrput(*copier->surfaces, outline);
}

static void add_back(const struct copier *copier, size_t index)
{
    const char *name = (*copier->surfaces)[index].shader->back_shader;
    if (!name)
        return;
    struct draw_surface back = draw_surface_copy(&(*copier->surfaces)[index]);
    use_shader(&back, assets_shader(copier->assets, name));
    flip_surface(&back);
    arrput(*copier->surfaces, back);
}

void surfaces_copy(struct draw_surface **surfaces, struct assets *assets, struct diag *diag)
{
    struct copier copier = {surfaces, assets, diag};
    size_t count = arrlenu(*surfaces);
    for (size_t i = 0; i < count; i++) {
        if ((*surfaces)[i].type == SURFACE_FLARE)
            continue;
        remap(&copier, &(*surfaces)[i]);
        add_clones(&copier, i);
        add_outline(&copier, i);
        add_back(&copier, i);
    }
    for (size_t i = 0; i < arrlenu(*surfaces); i++)
        if ((*surfaces)[i].shader->compile_flags & SHADER_INVERT &&
            (*surfaces)[i].type != SURFACE_FLARE)
            flip_surface(&(*surfaces)[i]);
}

/* --- flares --- */

static struct draw_surface flare_surface(const struct shader *shader, struct vec3 p,
                                         struct vec3 normal, struct vec3 colour)
{
    struct draw_surface flare = {
        .type = SURFACE_FLARE, .shader = shader, .fog = -1, .no_tjunctions = true};
    struct draw_vertex vertex = {.p = p, .normal = vec3_normalize(normal)};
    double max = portable_fmax(colour.x, portable_fmax(colour.y, colour.z));
    for (int k = 0; k < 3; k++)
        vertex.colour[k] =
            (uint8_t)(max > 0 ? lround(255 * portable_fmax(colour.e[k], 0) / max) : 255);
    vertex.colour[3] = 255;
    flare.normal = vertex.normal;
    arrput(flare.vertices, vertex);
    return flare;
}

bool flare_of_light(const struct entity *light, const struct vec3 *target, int entity,
                    struct assets *assets, struct draw_surface *out)
{
    const char *name = entity_value(light, "_flareshader");
    struct vec3 at = vec3(0, 0, 0), colour = vec3(1, 1, 1), normal = vec3(0, 0, 0);
    if (!*name && !(entity_number(light, "_flare", 0) > 0))
        return false;
    entity_vector(light, "origin", &at);
    entity_vector(light, "_color", &colour);
    if (target)
        normal = vec3_sub(*target, at);
    *out = flare_surface(assets_shader(assets, *name ? name : "flareshader"), at, normal, colour);
    out->entity = entity;
    return true;
}

void surfaces_add_flares(struct draw_surface **surfaces, struct assets *assets)
{
    size_t count = arrlenu(*surfaces);
    for (size_t i = 0; i < count; i++) {
        const struct draw_surface *from = &(*surfaces)[i];
        if (!from->shader->flare_shader || !from->planar || !arrlenu(from->vertices))
            continue;
        struct vec3 middle = vec3(0, 0, 0);
        for (size_t k = 0; k < arrlenu(from->vertices); k++)
            middle = vec3_add(middle, from->vertices[k].p);
        middle = vec3_scale(middle, 1.0 / (double)arrlenu(from->vertices));
        struct draw_surface flare = flare_surface(assets_shader(assets, from->shader->flare_shader),
                                                  vec3_mad(middle, from->normal, FLARE_BEFORE),
                                                  from->normal, from->shader->average);
        flare.entity = from->entity;
        flare.model = from->model;
        flare.where = from->where;
        arrput(*surfaces, flare);
    }
}
