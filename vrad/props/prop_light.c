#include "vrad/props/prop_light.h"

#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/prop_light.def"
#include "vrad/lights/light.h"
#include "vrad/props/detail_light.h"
#include "vrad/props/prop_files.h"
#include "vrad/props/prop_texels.h"
#include "vrad/props/vertex_light.h"
#include "vrad/reference/reference.h"
#include "vrad/scene/hemisphere.h"

/* Value of -StaticPropSampleScale for normal quality, as in the option's own tools. */
#define NORMAL_SCALE 4.0

enum {
    RAYS = 128,
    RAYS_FAST = 32,
    RAYS_FINAL = 1024,
    SUN_RAYS = 32,
    SUN_RAYS_FAST = 8,
    SUN_RAYS_FINAL = 128
};

static struct irradiance_sampler sampler_of(const struct scene *scene,
                                            const struct light_set *lights,
                                            const struct vrad_options *options)
{
    bool fast = options->fast;
    struct irradiance_sampler sampler = {
        .scene = scene,
        .lights = lights,
        .rays = fast             ? RAYS_FAST
                : options->final ? RAYS_FINAL
                                 : RAYS,
        .sun_rays = fast             ? SUN_RAYS_FAST
                    : options->final ? SUN_RAYS_FINAL
                                     : SUN_RAYS,
    };
    sampler.most_rays = fast ? RAYS : RAYS_FINAL;
    double scale = options->props.sample_scale / NORMAL_SCALE;
    if (scale > 0) {
        sampler.most_rays = 0;
        sampler.rays = sample_count((int)portable_fmin(RAYS * scale, RAYS_FINAL), 0, RAYS_FINAL);
        sampler.sun_rays =
            sample_count((int)portable_fmin(SUN_RAYS * scale, SUN_RAYS_FINAL), 0, SUN_RAYS_FINAL);
    }
    if (options->reference > 0) { /* several paths along each */
        sampler.rays = RAYS_FINAL;
        sampler.sun_rays = SUN_RAYS_FINAL;
        sampler.most_rays = 0;
    }
    return sampler;
}

static enum status light_static(const struct env *env, const struct prop_set *set,
                                const struct irradiance_sampler *sampler,
                                const struct vrad_options *options, size_t first_cache_slot,
                                enum light_sides sides, struct bsp *bsp)
{
    const struct vertex_light_options vertices = {.sides = sides,
                                                  .no_self_shadows = options->props.no_self_shadows,
                                                  .normals = options->props.normals,
                                                  .first_cache_slot = first_cache_slot};
    TRY(vertex_light(env, set, sampler, &vertices, bsp));
    return prop_texels_light(env, set, sampler, options, sides, bsp);
}

enum status prop_light(const struct env *env, const struct scene *scene,
                       const struct luxel_map *map, const struct prop_set *set,
                       const struct light_set *lights, const struct vrad_options *options,
                       int prop_bounces, enum light_sides sides, struct bsp *bsp)
{
    const struct prop_options *props = &options->props;
    bool has_details = !props->no_detail && bsp_game_lump(bsp, DETAIL_PROPS_ID);
    bool lights_static = (props->lighting || props->normals) && !props->only_detail;
    if (!has_details && !lights_static)
        return STATUS_OK;
    struct irradiance_sampler sampler = sampler_of(scene, lights, options);
    struct radiosity radiosity;
    struct vec3 sky = vec3(0, 0, 0);
    if (lights->sky >= 0 && lights->lights[lights->sky].style == 0)
        sky = lights->lights[lights->sky].intensity;
    radiosity_init(&radiosity, scene, map, sky);
    radiosity_collect(&radiosity, env->threads);
    sampler.radiosity = &radiosity;
    struct secondary_lights secondary;
    secondary_lights_find(&radiosity, &secondary);
    sampler.secondary = &secondary;
    const struct reference_options near = {options->reference,
                                           options->bounce > 1 ? options->bounce : 1, prop_bounces};
    struct reference_points *points =
        reference_points_new(scene, lights, &near, map, options->reference > 0 ? NULL : &radiosity);
    const struct irradiance_paths paths = {points, reference_at_point, options->reference > 0};
    sampler.paths = &paths;
    enum status status = STATUS_OK;
    if (has_details)
        detail_light(env, &sampler, set->detail_middles, sides, bsp);
    if (lights_static)
        status = light_static(env, set, &sampler, options,
                              1 + map->luxel_count + arrlenu(bsp->leaves), sides, bsp);
    reference_points_free(points);
    secondary_lights_free(&secondary);
    radiosity_free(&radiosity);
    return status;
}

enum status prop_light_direct(const struct env *env, const struct scene *scene,
                              const struct prop_set *set, const struct light_set *lights,
                              const struct vrad_options *options, enum light_sides sides,
                              struct bsp *bsp)
{
    const struct irradiance_sampler sampler = sampler_of(scene, lights, options);
    return light_static(env, set, &sampler, options, 0, sides, bsp);
}

/* True for a pakfile with files that can be listed. */
static bool has_files(const struct bsp *bsp)
{
    struct diag *quiet = diag_new(NULL, NULL);
    struct pakfile pakfile;
    bool found = false;
    if (pakfile_decode(&bsp->pakfile, NULL, quiet, &pakfile) == STATUS_OK) {
        found = arrlenu(pakfile.files) > 0;
        pakfile_free(&pakfile);
    }
    diag_free(quiet);
    return found;
}

enum status prop_light_drop(const struct env *env, const struct vrad_options *options,
                            enum light_sides sides, struct bsp *bsp)
{
    enum status status = STATUS_OK;
    if (!has_files(bsp))
        return STATUS_OK;
    if (sides & SIDE_LDR)
        status = prop_files_store(env, PROP_LIGHTING_LDR, NULL, 0, bsp);
    if (status == STATUS_OK && sides & SIDE_HDR)
        status = prop_files_store(env, PROP_LIGHTING_HDR, NULL, 0, bsp);
    if (status == STATUS_OK && prop_texels_stored(options, sides))
        status = prop_files_store(env, PROP_LIGHTING_TEXELS, NULL, 0, bsp);
    return status;
}

void prop_light_check(const struct env *env, const struct scene *scene, const struct prop_set *set,
                      const struct light_set *lights)
{
    for (size_t i = 0; i < arrlenu(lights->lights); i++) {
        const struct light *light = &lights->lights[i];
        if (light->type != WORLDLIGHT_POINT && light->type != WORLDLIGHT_SPOT)
            continue;
        int prop = prop_view_inside(scene, light->origin);
        if (prop < 0)
            continue;
        struct diag_where where = {.has_point = true};
        for (int k = 0; k < 3; k++)
            where.point[k] = light->origin.e[k];
        diag_report(env->diag, DIAG_LIGHT_IN_PROP, &where, "prop %d, \"%s\"", prop,
                    set->props.models[set->props.props[prop].model]);
    }
}
