#include "vrad/vrad.h"

#include <string.h>

#include "common/core/array.h"
#include "vrad/ambient.h"
#include "vrad/bounce.h"
#include "vrad/direct.h"
#include "vrad/lightmap.h"
#include "vrad/prop_light.h"
#include "vrad/rad_file.h"
#include "vrad/worldlights.h"

/* Rays of a luxel to the sky, and of a point that gathers bounced light; options multiply them. */
enum {
    SKY_RAYS = 256,
    SKY_RAYS_FAST = 64,
    SKY_RAYS_MOST = 1 << 16,
    BOUNCE_RAYS = 128,
    BOUNCE_RAYS_FAST = 64,
    BOUNCE_RAYS_MOST = 1024,
    FINAL_FACTOR = 16,
    /* Samples of a luxel on a shadow's edge. */
    FINE_SAMPLES = 32,
    FINE_SAMPLES_FINAL = 128
};

const struct vrad_options vrad_defaults = {.bounce = 100, .smooth_degrees = 45};

struct stage {
    const struct env *env;
    const struct vrad_options *options;
    struct bsp *bsp;
    struct entity_list entities;
    struct rad_file rad;
    struct prop_set props;
    struct scene scene;
    struct luxel_map map;
};

static double sample_factor(const struct vrad_options *options)
{
    return options->extra_sky > 0 ? options->extra_sky : options->final ? FINAL_FACTOR : 1;
}

/* The power of two from `wanted` on, at most `most`. */
static int rays_of(double wanted, int most)
{
    int rays = 16;
    while (rays < wanted && rays < most)
        rays *= 2;
    return rays;
}

static struct bounce_options bounce_options_of(const struct vrad_options *options)
{
    struct bounce_options bounce = {.bounces = options->bounce};
    bounce.rays = rays_of((options->fast ? BOUNCE_RAYS_FAST : BOUNCE_RAYS) * sample_factor(options),
                          BOUNCE_RAYS_MOST);
    if (options->fast)
        bounce.tolerance = 0.25;
    if (options->final) {
        bounce.spacing = 48;
        bounce.tolerance = 0.03;
    }
    return bounce;
}

/* Direct light and bounces, into the map. */
static void light_luxels(struct stage *stage, const struct light_set *lights)
{
    const struct vrad_options *options = stage->options;
    struct direct_options direct = {.fast = options->fast};
    struct bounce_options bounce = bounce_options_of(options);
    bool bounces = options->bounce > 0 && arrlen(lights->lights) > 0;
    /* The rays of the bounces bring the sky's light as well, but they know no styles. */
    if (bounces && lights->sky >= 0 && lights->lights[lights->sky].style == 0)
        bounce.sky = lights->lights[lights->sky].intensity;
    else
        direct.sky_rays = rays_of(
            (options->fast ? SKY_RAYS_FAST : SKY_RAYS) * sample_factor(options), SKY_RAYS_MOST);
    if (!options->no_extra)
        direct.fine = options->final ? FINE_SAMPLES_FINAL : FINE_SAMPLES;
    luxel_map_clear(&stage->map);
    direct_light(stage->env, &stage->scene, lights, &direct, &stage->map);
    if (bounces)
        bounce_light(stage->env, &stage->scene, &stage->map, &bounce);
}

/* The list of lights, and lightmaps. */
static enum status store_luxels(struct stage *stage, const struct light_set *lights, bool hdr)
{
    const struct env *env = stage->env;
    struct bsp *bsp = stage->bsp;
    struct bsp_light_set *set = hdr ? &bsp->hdr : &bsp->ldr;
    arrfree(set->worldlights);
    set->worldlights = worldlights_make(lights);
    if (lights->sky >= 0)
        worldlights_mark_sky_leaves(bsp);
    worldlights_mark_glowing(bsp, lights);
    if (hdr && arrlen(bsp->faces_hdr) != arrlen(bsp->faces)) {
        arrsetlen(bsp->faces_hdr, arrlenu(bsp->faces));
        memcpy(bsp->faces_hdr, bsp->faces, arrlenu(bsp->faces) * sizeof *bsp->faces);
    }
    progress_begin(env->progress, "lightmaps", 1);
    enum status status =
        lightmap_write(env, &stage->map, hdr ? bsp->faces_hdr : bsp->faces, &set->lighting);
    progress_end(env->progress);
    return status;
}

/* One set of lightmaps, LDR or HDR. */
static enum status light_set_run(struct stage *stage, bool hdr)
{
    const struct env *env = stage->env;
    const struct vrad_options *options = stage->options;
    struct bsp *bsp = stage->bsp;
    struct bsp_light_set *set = hdr ? &bsp->hdr : &bsp->ldr;
    struct light_set lights;
    const struct light_options light_options = {.hdr = hdr,
                                                .soft_sun_degrees = options->soft_sun_degrees};
    const struct ambient_options ambient_options = {.fast = options->fast_ambient};
    lights_collect(env, &light_options, bsp, &stage->entities, &stage->rad, &lights);
    if (!hdr || !options->ldr)
        prop_light_check(env, &stage->scene, &stage->props, &lights);
    if (options->props.only_static) {
        enum status props =
            prop_light_direct(env, &stage->scene, &stage->props, &lights, options, hdr, bsp);
        lights_free(&lights);
        return props;
    }
    if (!arrlen(lights.lights) && !diag_count_code(env->diag, DIAG_NO_LIGHTS))
        diag_report(env->diag, DIAG_NO_LIGHTS, NULL, "nothing in the map gives light");
    light_luxels(stage, &lights);
    ambient_light(env, &stage->scene, &stage->map, &lights, &ambient_options, set);
    enum status status =
        prop_light(env, &stage->scene, &stage->map, &stage->props, &lights, options, hdr, bsp);
    if (status == STATUS_OK && !options->props.only_detail)
        status = store_luxels(stage, &lights, hdr);
    lights_free(&lights);
    return status;
}

static enum status light_map(struct stage *stage)
{
    const struct env *env = stage->env;
    const struct vrad_options *options = stage->options;
    progress_begin(env->progress, "luxels", 1);
    enum status status = luxel_map_build(env, &stage->scene, options->smooth_degrees, &stage->map);
    progress_end(env->progress);
    if (status != STATUS_OK)
        return status;
    progress_count(env->progress, "luxels", (int64_t)stage->map.luxel_count);
    if (!options->props.only_static && !options->props.only_detail)
        vertex_normals_store(&stage->map.normals, stage->bsp);
    if (options->ldr || !options->hdr)
        status = light_set_run(stage, false);
    if (status == STATUS_OK && options->hdr)
        status = light_set_run(stage, true);
    luxel_map_free(&stage->map);
    return status;
}

enum status vrad_run(const struct env *env, const struct vrad_options *options,
                     struct assets *assets, struct bsp *bsp)
{
    struct stage stage = {.env = env, .options = options, .bsp = bsp};
    TRY(entities_parse(bsp->entities, arrlenu(bsp->entities), "entities", env->diag,
                       &stage.entities));
    rad_load(env, assets, options->lights_file, options->map_rad, &stage.rad);
    progress_begin(env->progress, "scene", 1);
    prop_set_load(env, assets, bsp, &stage.props);
    const struct prop_shadows shadows = {&stage.props, &stage.rad, options->props.triangles};
    enum status status = scene_build_props(env, bsp, &stage.entities, !options->no_sky_recurse,
                                           &shadows, &stage.scene);
    progress_end(env->progress);
    if (status == STATUS_OK) {
        status = light_map(&stage);
        scene_free(&stage.scene);
    }
    prop_set_free(&stage.props);
    rad_free(&stage.rad);
    entities_free(&stage.entities);
    return status;
}
