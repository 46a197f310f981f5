#include "scene/shade/material_at.h"

#include "common/core/portable_math.h"

#define HALF_OPAQUE 0.5f
#define WHITE       255.0f

const float *scene_corners(const struct map_scene *scene, const struct triangle *triangle)
{
    size_t count;
    return trace_positions(scene->mesh.trace, TRACE_FACE, &count) +
           9 * (size_t)(triangle - scene->mesh.triangles);
}

/* Between the short and the long axis of the footprint of an oblique sample, in units. */
static double extent_of(const struct surface_hit *hit, double width)
{
    return width / sqrt(portable_fmax(hit->cosine, 0.01));
}

static double footprint_of(const struct surface_hit *hit, double width)
{
    return extent_of(hit, width) * (double)hit->triangle->density;
}

static double texture_place(const struct surface_hit *hit, int axis)
{
    const float(*uv)[2] = hit->triangle->uv;
    return surface_interpolated(hit, (double)uv[0][axis], (double)uv[1][axis], (double)uv[2][axis]);
}

static double vertex_blend(const struct surface_hit *hit)
{
    const float *blend = hit->triangle->blend;
    double share = surface_interpolated(hit, (double)blend[0], (double)blend[1], (double)blend[2]);
    return portable_fmin(portable_fmax(share, 0), 1);
}

/* The textures, without tint and opacity. */
static void textures_at(const struct surface_hit *hit, double width, float rgba[4])
{
    const struct scene_material *material = hit->material;
    double u = texture_place(hit, 0), v = texture_place(hit, 1);
    double footprint = footprint_of(hit, width);
    for (int k = 0; k < 4; k++)
        rgba[k] = 1;
    if (material->base)
        texture_at(material->base, u, v, footprint, rgba);
    if (material->base && material->second) {
        double share = vertex_blend(hit);
        float other[4];
        texture_at(material->second, u, v, footprint, other);
        for (int k = 0; k < 4; k++)
            rgba[k] += (float)share * (other[k] - rgba[k]);
    }
    if (material->grid) {
        float grid = grid_at(material->grid, hit->point, hit->normal, extent_of(hit, width));
        for (int k = 0; k < 3; k++)
            rgba[k] *= grid;
    }
}

/* Computes colour and opacity; *base_alpha is that of the texture. */
static void colour_at(const struct map_scene *scene, const struct surface_hit *hit, double width,
                      float rgba[4], float *base_alpha)
{
    textures_at(hit, width, rgba);
    *base_alpha = rgba[3];
    if (hit->material->alpha_tested)
        rgba[3] = rgba[3] >= HALF_OPAQUE;
    else if (!hit->material->translucent)
        rgba[3] = 1;
    rgba[3] *= hit->material->opacity * hit->surface->opacity;
    for (int k = 0; k < 3; k++)
        rgba[k] = scene->options.lightmap_only ? 1 : rgba[k] * hit->material->colour[k];
}

/* The share of what is reflected that the mask lets through; a missing one is white. */
static void mask_at(const struct surface_hit *hit, double width, float base_alpha, float out[3])
{
    const struct reflection *reflection = hit->material->reflection;
    float rgba[4] = {1, 1, 1, 1};
    if (reflection->mask)
        texture_at(reflection->mask, texture_place(hit, 0), texture_place(hit, 1),
                   footprint_of(hit, width), rgba);
    if (reflection->masked_by == MASK_BASE_ALPHA)
        rgba[3] = 1 - base_alpha;
    for (int k = 0; k < 3; k++)
        out[k] = reflection->masked_by == MASK_COLOUR ? rgba[k]
                 : reflection->masked_by == MASK_NONE ? 1
                                                      : rgba[3];
}

/* Adds what the material reflects, in light of which 255 is white. */
static void add_reflection(const struct map_scene *scene, const struct surface_hit *hit,
                           const struct surface_view *view, float base_alpha, float light[3])
{
    const struct reflection *reflection = hit->material->reflection;
    if (!reflection || scene->dull || scene->options.lightmap_only)
        return;
    const struct cube *cube =
        reflection->cube ? reflection->cube : &scene->cubemaps[hit->surface->cubemap].cube;
    float share[3], seen[3];
    struct vec3 normal = scene_shading_normal(hit);
    double cosine = -vec3_dot(normal, view->direction);
    if (!cube->side || cosine <= 0)
        return;
    mask_at(hit, view->width, base_alpha, share);
    struct vec3 mirrored = vec3_mad(view->direction, normal, 2 * cosine);
    cube_at(cube, reflection_direction(reflection, hit->point, mirrored), seen);
    reflection_apply(reflection, share, cosine, seen);
    for (int k = 0; k < 3; k++)
        light[k] += WHITE * seen[k];
}

/* A material of one stage: light by its alpha. */
static void plain_material(const struct map_scene *scene, const struct surface_hit *hit,
                           const struct surface_view *view, struct blended *out)
{
    bool on_screen = scene_blends_on_screen(scene);
    float rgba[4], light[3], base_alpha;
    colour_at(scene, hit, view->width, rgba, &base_alpha);
    *out = blended_none;
    if (rgba[3] <= 0)
        return;
    scene_light_at(scene, hit, light);
    float kept = hit->material->additive ? 1 : 1 - rgba[3];
    for (int k = 0; k < 3; k++)
        light[k] *= rgba[k];
    add_reflection(scene, hit, view, base_alpha, light);
    for (int k = 0; k < 3; k++) {
        float seen = light[k];
        if (on_screen)
            seen = screen_brightness(&scene->materials.screen, seen / WHITE);
        out->added[k] = rgba[3] * seen;
        out->kept[k] = kept;
    }
    if (on_screen && kept <= 0)
        layer_fog_over(&view->fog, out);
}

static void layered_material(const struct map_scene *scene, const struct surface_hit *hit,
                             const struct surface_view *view, struct blended *out)
{
    struct layer_point point = {.place = {texture_place(hit, 0), texture_place(hit, 1)},
                                .footprint = footprint_of(hit, view->width),
                                .opacity = (float)vertex_blend(hit),
                                .corners = scene_corners(scene, hit->triangle),
                                .weights = hit->weights,
                                .fog = view->fog};
    struct vec3 seen = vec3_mad(view->direction, hit->normal, 2 * hit->cosine);
    point.reflection[0] = 0.5 + 0.5 * seen.y;
    point.reflection[1] = 0.5 - 0.5 * seen.z;
    scene_light_at(scene, hit, point.light);
    for (int k = 0; k < 3; k++)
        point.light[k] /= WHITE;
    *out = blended_none;
    layers_over(hit->material->layers, &point, out);
}

void scene_material_at(const struct map_scene *scene, const struct surface_hit *hit,
                       const struct surface_view *view, struct blended *out)
{
    if (hit->material->layers && !scene->options.lightmap_only)
        layered_material(scene, hit, view, out);
    else
        plain_material(scene, hit, view, out);
}
