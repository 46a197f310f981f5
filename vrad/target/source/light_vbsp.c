/* Lights a VBSP: lightmaps, ambient cubes, props and worldlights. */
#include "vrad/target/source/light_vbsp.h"

#include <string.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/farm/ranks.h"
#include "vrad/ambient/ambient.h"
#include "vrad/bounce/bounce.h"
#include "vrad/direct/direct.h"
#include "vrad/encode/border.h"
#include "vrad/encode/lightmap.h"
#include "vrad/encode/occlusion.h"
#include "vrad/encode/seam_pairs.h"
#include "vrad/encode/seams.h"
#include "vrad/lights/light_matching.h"
#include "vrad/lights/rad_file.h"
#include "vrad/luxels/luxel_density.h"
#include "vrad/luxels/region.h"
#include "vrad/props/prop_bounce.h"
#include "vrad/props/prop_light.h"
#include "vrad/reference/reference.h"
#include "vrad/resume/light_checkpoint.h"
#include "vrad/scene/ray_hit_cache.h"

/* Sky rays per luxel, and rays per gather point; options multiply them. */
enum {
    SKY_RAYS = 256,
    SKY_RAYS_FAST = 64,
    SKY_RAYS_MAX = 1 << 16,
    BOUNCE_RAYS = 64,
    BOUNCE_RAYS_FAST = 32,
    BOUNCE_RAYS_MAX = 1024,
    FINAL_FACTOR = 16,
    /* Factor of gather rays for the sky alone, which no bounces tell where rays are needed, on maps
     * of so few luxels that they are cheap. */
    SKY_FACTOR = 4,
    FEW_LUXELS = 1 << 12,
    /* Supersamples of a luxel on a shadow edge. */
    FINE_SAMPLES = 32,
    FINE_SAMPLES_FINAL = 128
};

/* Relative error of interpolation on those. */
#define SKY_TOLERANCE 0.04

/* Light of 1 in the option -ambient. */
#define AMBIENT_UNIT 128.0

/* Phases of a set of light, after which the run can be resumed; then its lightmaps are stored. */
enum phase { PHASE_DIRECT = 1, PHASE_BOUNCES, PHASE_AMBIENT, PHASE_PROPS };

struct stage {
    const struct env *env;
    struct light_checkpoint *checkpoint;
    struct light_progress done; /* of this run and those that it resumes */
    uint32_t set;               /* number of the set of light */
    const struct vrad_options *options;
    struct bsp *bsp;
    const struct entity_view *entities;
    struct rad_file rad;
    struct prop_set props;
    struct scene scene;
    struct luxel_map map;
    bool has_seams; /* `seams` has been found */
    struct seam_list seams;
    bool in_part; /* only the region is relit */
    struct bounds region;
};

static double sample_factor(const struct vrad_options *options)
{
    return options->extra_sky > 0 ? options->extra_sky : options->final ? FINAL_FACTOR : 1;
}

/* The next power of two from `wanted`, at most `max`. */
static int rays_of(double wanted, int max)
{
    int rays = 16;
    while (rays < wanted && rays < max)
        rays *= 2;
    return rays;
}

static struct bounce_options bounce_options_of(const struct vrad_options *options)
{
    struct bounce_options bounce = {.bounces = options->bounce};
    bounce.rays = rays_of((options->fast ? BOUNCE_RAYS_FAST : BOUNCE_RAYS) * sample_factor(options),
                          BOUNCE_RAYS_MAX);
    if (options->fast)
        bounce.tolerance = 0.25;
    if (options->final) {
        bounce.spacing = 48;
        bounce.tolerance = 0.03;
    }
    return bounce;
}

/* Lets the gather take the light of the sky. */
static void gather_sky(const struct light *sky, const struct luxel_map *map,
                       struct bounce_options *bounce)
{
    bounce->sky = sky->intensity;
    if (bounce->bounces > 0 || map->luxel_count > FEW_LUXELS)
        return;
    bounce->rays = rays_of(SKY_FACTOR * bounce->rays, BOUNCE_RAYS_MAX);
    if (!(bounce->tolerance > 0 && bounce->tolerance < SKY_TOLERANCE))
        bounce->tolerance = SKY_TOLERANCE;
}

/* The maximum number of bounces before props reflect light; 0: they do not. */
static int prop_bounces(const struct vrad_options *options)
{
    double bounces = options->props.bounces;
    if (options->bounce <= 0 || options->props.only_static)
        return 0;
    return bounces < 0 || bounces > options->bounce ? options->bounce : (int)bounces;
}

static const struct surface_model *surfaces_of(const struct vrad_options *options)
{
    return surface_model_of(options->physical ? SURFACE_PHYSICAL : SURFACE_SOURCE);
}

/* A light_parts_of. */
static uint32_t parts_of(struct light_progress done)
{
    bool later = done.sets > 0;
    if (done.sets > 1 || done.phase > PHASE_PROPS)
        return LIGHT_PARTS_UNKNOWN;
    return (done.phase > 0 ? LIGHT_PART_LUXELS : 0u) |
           ((done.phase > 0) != later ? LIGHT_PART_HITS : 0u) |
           (later || done.phase >= PHASE_AMBIENT ? LIGHT_PART_AMBIENT : 0u) |
           (later || done.phase >= PHASE_PROPS ? LIGHT_PART_PROPS : 0u) |
           (later ? LIGHT_PART_LIGHTMAPS : 0u);
}

static struct light_state state_of(const struct stage *stage)
{
    return (struct light_state){stage->done, parts_of(stage->done)};
}

/* True for a phase that an earlier run has done. */
static bool has_done(const struct stage *stage, enum phase phase)
{
    return stage->done.sets == stage->set && stage->done.phase >= (uint32_t)phase;
}

/* A phase that was stopped leaves the state before it as it was, but those that light props, of a
 * later set, and store lightmaps. */
static enum status stop_in_phase(struct stage *stage, enum phase phase)
{
    const struct light_state state = state_of(stage);
    if (phase < PHASE_PROPS || (phase == PHASE_PROPS && !stage->set))
        light_checkpoint_stop(stage->checkpoint, &state, &stage->map, stage->bsp);
    return STATUS_FAILED;
}

static enum status end_phase(struct stage *stage, enum phase phase)
{
    if (env_stopped(stage->env))
        return stop_in_phase(stage, phase);
    stage->done = (struct light_progress){stage->set, (uint32_t)phase};
    const struct light_state state = state_of(stage);
    light_checkpoint_poll(stage->checkpoint, &state, &stage->map, stage->bsp);
    return STATUS_OK;
}

static void end_set(struct stage *stage)
{
    stage->done = (struct light_progress){++stage->set, 0};
    const struct light_state state = state_of(stage);
    light_checkpoint_poll(stage->checkpoint, &state, &stage->map, stage->bsp);
}

/* Direct and bounced light of the map. */
static enum status light_luxels(struct stage *stage, const struct light_set *lights)
{
    const struct vrad_options *options = stage->options;
    struct direct_options direct = {
        .fast = options->fast, .thorough = options->final, .surfaces = surfaces_of(options)};
    struct bounce_options bounce = bounce_options_of(options);
    bool gathers = options->bounce > 0 && arrlen(lights->lights) > 0;
    /* The final gather takes the sky's light as well, from fewer points than luxels, but not by
     * style. */
    if (lights->sky >= 0 && lights->lights[lights->sky].style == 0 && !options->direct_apart) {
        gather_sky(&lights->lights[lights->sky], &stage->map, &bounce);
        gathers = true;
    } else {
        direct.sky_rays = rays_of(
            (options->fast ? SKY_RAYS_FAST : SKY_RAYS) * sample_factor(options), SKY_RAYS_MAX);
    }
    if (!options->no_extra)
        direct.fine = options->final ? FINE_SAMPLES_FINAL : FINE_SAMPLES;
    if (!has_done(stage, PHASE_DIRECT)) {
        direct_light(stage->env, &stage->scene, lights, &direct, &stage->map);
        TRY(end_phase(stage, PHASE_DIRECT));
    }
    if (has_done(stage, PHASE_BOUNCES))
        return STATUS_OK;
    prop_bounce_light(stage->env, &stage->scene, lights, &stage->map);
    if (gathers)
        bounce_light(stage->env, &stage->scene, &stage->map, &bounce);
    return end_phase(stage, PHASE_BOUNCES);
}

static struct reference_options reference_options_of(const struct vrad_options *options)
{
    return (struct reference_options){options->reference, options->bounce, prop_bounces(options)};
}

/* The same by path tracing. */
static enum status light_by_paths(struct stage *stage, const struct light_set *lights)
{
    const struct vrad_options *options = stage->options;
    const struct direct_options direct = {
        .fine = FINE_SAMPLES_FINAL, .thorough = true, .everywhere = true};
    const struct reference_options paths = reference_options_of(options);
    direct_light(stage->env, &stage->scene, lights, &direct, &stage->map);
    if (!env_stopped(stage->env))
        reference_light(stage->env, &stage->scene, lights, &paths, &stage->map);
    if (!env_stopped(stage->env))
        prop_bounce_settle(stage->env, &stage->scene, lights, &stage->map);
    return end_phase(stage, PHASE_BOUNCES);
}

static void scale_sky(struct light_set *lights, double factor)
{
    if (lights->sky < 0)
        return;
    struct light *sky = &lights->lights[lights->sky];
    sky->intensity = vec3_scale(sky->intensity, factor);
}

static struct lightmap_options lightmap_options_of(const struct vrad_options *options)
{
    struct lightmap_options result = {.scale = (float)options->scale,
                                      .coring = (float)options->coring,
                                      .red_errors = options->red_errors,
                                      .debug_extra = options->debug_extra};
    for (int k = 0; k < 3; k++)
        result.ambient[k] = (float)(AMBIENT_UNIT * options->ambient[k]);
    return result;
}

static void find_seams(struct stage *stage)
{
    if (stage->has_seams && stage->in_part) /* other faces may be kept than before */
        seam_list_free(&stage->seams);
    if (!stage->has_seams || stage->in_part)
        seam_list_build(stage->env, &stage->map, &stage->seams);
    stage->has_seams = true;
}

/* Where a border shows, it needs the light of other faces whether or not these are matched. */
static void match_seams(struct stage *stage)
{
    const struct vrad_options *options = stage->options;
    bool matched = !options->no_seams && options->reference <= 0;
    bool bordered = borders_any(&stage->map);
    if (matched || bordered)
        find_seams(stage);
    if (matched && bordered)
        borders_share(&stage->seams, &stage->map);
    if (bordered)
        borders_fill(stage->env, &stage->seams, &stage->map);
    if (matched)
        seams_match(stage->env, &stage->seams, &stage->map);
}

static void store_worldlights(struct bsp *bsp, const struct light_set *lights, bool hdr)
{
    struct bsp_light_set *set = hdr ? &bsp->hdr : &bsp->ldr;
    arrfree(set->worldlights);
    set->worldlights = worldlights_make(lights);
    if (lights->sky >= 0)
        worldlights_mark_sky_leaves(bsp);
    worldlights_mark_emissive(bsp, lights);
}

/* Of other ranks than the first nobody asks for lightmaps, but the next set when it keeps some. */
static bool needs_lightmaps(const struct stage *stage)
{
    return ranks_rank(stage->env->ranks) == 0 || stage->in_part;
}

/* Stores worldlights and lightmaps. */
static enum status store_luxels(struct stage *stage, const struct light_set *lights, bool hdr)
{
    const struct env *env = stage->env;
    const struct vrad_options *options = stage->options;
    struct bsp *bsp = stage->bsp;
    struct bsp_light_set *set = hdr ? &bsp->hdr : &bsp->ldr;
    const struct occlusion_options occlusion = occlusion_options_of(options);
    progress_begin(env->progress, "lightmaps", 1);
    occlusion_apply(env, &occlusion, &stage->map);
    if (!needs_lightmaps(stage))
        return env_go_on(env);
    store_worldlights(bsp, lights, hdr);
    if (hdr && arrlen(bsp->faces_hdr) != arrlen(bsp->faces)) {
        arrsetlen(bsp->faces_hdr, arrlenu(bsp->faces));
        memcpy(bsp->faces_hdr, bsp->faces, arrlenu(bsp->faces) * sizeof *bsp->faces);
    }
    const struct lightmap_options lightmap_options = lightmap_options_of(options);
    match_seams(stage);
    if (options->direct_apart)
        luxel_map_part_direct(&stage->map);
    enum status status = lightmap_write(env, &stage->map, &lightmap_options,
                                        hdr ? bsp->faces_hdr : bsp->faces, &set->lighting);
    progress_end(env->progress);
    return status == STATUS_OK ? env_go_on(env) : status;
}

/* The box of the option, its corners in any order; false when it is empty. */
static bool region_of(const struct vrad_options *options, struct bounds *box)
{
    bool any = false;
    for (int k = 0; k < 3; k++) {
        box->mins.e[k] = portable_fmin(options->region[k], options->region[3 + k]);
        box->maxs.e[k] = portable_fmax(options->region[k], options->region[3 + k]);
        any = any || box->mins.e[k] < box->maxs.e[k];
    }
    return any;
}

/* Keeps the light of faces outside of the region, or that no changed light reaches. `before`
 * becomes a copy of the lump, which is replaced while faces refer to it. */
static enum status keep_light(struct stage *stage, bool hdr, const struct light_set *lights,
                              struct bytes *before)
{
    const struct bsp *bsp = stage->bsp;
    const struct bsp_light_set *set = hdr ? &bsp->hdr : &bsp->ldr;
    const struct bsp_face *faces = bsp_faces_of(bsp, set);
    int64_t count = 0;
    if (stage->options->luxel_density > 0)
        return diag_report(stage->env->diag, DIAG_LIGHT_REGION, NULL,
                           "-luxeldensity changes all lightmaps");
    bool changed = stage->options->changed;
    unsigned char *relight =
        changed ? changed_faces(&stage->map, lights, set->worldlights, faces, &set->lighting)
                : region_faces(&stage->map, &stage->region);
    for (int i = 0; i < stage->map.face_count; i++)
        count += relight[i];
    if (changed)
        stage->region = region_bounds(&stage->map, relight);
    bytes_append(before, set->lighting.data, set->lighting.size);
    enum status status = region_keep(stage->env, relight, faces, before, &stage->map);
    if (status != STATUS_OK)
        bytes_free(before);
    progress_count(stage->env->progress, "faces relit", count);
    memory_free(relight);
    return status;
}

static void collect_lights(const struct stage *stage, bool hdr, struct light_set *out)
{
    const struct vrad_options *options = stage->options;
    const struct light_options light_options = {.hdr = hdr,
                                                .soft_sun_degrees = options->soft_sun_degrees,
                                                .chop = options->chop,
                                                .disp_chop = options->disp_chop,
                                                .min_emission = options->min_emission};
    lights_collect(stage->env, &light_options, stage->bsp, stage->entities, &stage->rad, out);
    scale_sky(out, options->sky_scale);
}

static bool lights_static_props(const struct vrad_options *options)
{
    return options->props.lighting || options->props.normals;
}

static enum status light_props(struct stage *stage, const struct light_set *lights,
                               enum light_sides sides)
{
    const struct vrad_options *options = stage->options;
    if (!lights_static_props(options) && !options->props.only_detail && !stage->in_part)
        TRY(prop_light_drop(stage->env, options, sides, stage->bsp));
    return prop_light(stage->env, &stage->scene, &stage->map, &stage->props, lights, options,
                      prop_bounces(options), sides, stage->bsp);
}

/* Lights everything from one set of lights, for one set of lighting in the file, or for both. */
static enum status light_set_run(struct stage *stage, const struct light_set *lights,
                                 enum light_sides sides)
{
    const struct env *env = stage->env;
    const struct vrad_options *options = stage->options;
    struct bsp *bsp = stage->bsp;
    bool hdr = sides == SIDE_HDR;
    struct bsp_light_set *set = hdr ? &bsp->hdr : &bsp->ldr;
    const struct ambient_options ambient_options = {
        .fast = options->fast_ambient, .region = stage->in_part ? &stage->region : NULL};
    struct bytes before = {0}; /* the light that faces outside of the region refer to */
    luxel_map_clear(&stage->map);
    if (stage->done.sets > stage->set) {
        stage->set++;
        if (!options->props.only_detail)
            store_worldlights(bsp, lights, hdr);
        return STATUS_OK;
    }
    if (options->props.only_static)
        return prop_light_direct(env, &stage->scene, &stage->props, lights, options, sides, bsp);
    if (stage->in_part)
        TRY(keep_light(stage, hdr, lights, &before));
    if (stage->done.phase > 0)
        light_checkpoint_take_luxels(stage->checkpoint, &stage->map);
    if (!arrlen(lights->lights) && !diag_count_code(env->diag, DIAG_NO_LIGHTS))
        diag_report(env->diag, DIAG_NO_LIGHTS, NULL, "nothing in the map emits light");
    no_luxels_report(env, bsp, &stage->map, lights);
    enum status status = STATUS_OK;
    if (options->reference <= 0)
        status = light_luxels(stage, lights);
    else if (!has_done(stage, PHASE_BOUNCES))
        status = light_by_paths(stage, lights);
    if (status == STATUS_OK && !has_done(stage, PHASE_AMBIENT)) {
        ambient_light(env, &stage->scene, &stage->map, lights, &ambient_options, set);
        status = end_phase(stage, PHASE_AMBIENT);
    }
    if (status == STATUS_OK && !has_done(stage, PHASE_PROPS)) {
        status = light_props(stage, lights, sides);
        if (status == STATUS_OK || env_stopped(env))
            status = end_phase(stage, PHASE_PROPS);
    }
    if (status == STATUS_OK && !options->props.only_detail)
        status = store_luxels(stage, lights, hdr);
    bytes_free(&before);
    return status;
}

/* Lights LDR and HDR: in one run if their lights are equal; otherwise the second run reuses the ray
 * hits of the first. */
static enum status light_both(struct stage *stage, struct light_set *ldr, struct light_set *hdr)
{
    const struct prop_options *props = &stage->options->props;
    bool whole = !stage->in_part && !props->only_static && !props->only_detail;
    if (whole && light_sets_equal(ldr, hdr)) {
        TRY(light_set_run(stage, ldr, SIDES_BOTH));
        light_copy_to_hdr(stage->bsp);
        return STATUS_OK;
    }
    struct scene *scene = &stage->scene;
    light_sets_match(ldr, hdr);
    /* Slots: luxels, then leaves, then vertices of props. */
    scene->ray_hit_cache = ray_hit_cache_new(stage->map.luxel_count + arrlenu(stage->bsp->leaves) +
                                                 prop_set_vertices(&stage->props),
                                             (size_t)stage->map.face_count);
    light_checkpoint_take_hits(stage->checkpoint, &stage->map, scene->ray_hit_cache);
    enum status status = light_set_run(stage, ldr, SIDE_LDR);
    ray_hit_cache_begin_second(scene->ray_hit_cache);
    if (status == STATUS_OK && !stage->set)
        end_set(stage);
    if (status == STATUS_OK)
        status = light_set_run(stage, hdr, SIDE_HDR);
    progress_count(stage->env->progress, "reused ray hits",
                   ray_hit_cache_reused_rays(scene->ray_hit_cache));
    ray_hit_cache_free(scene->ray_hit_cache);
    scene->ray_hit_cache = NULL;
    return status;
}

static enum status light_sides(struct stage *stage)
{
    const struct vrad_options *options = stage->options;
    bool both = options->ldr && options->hdr;
    struct light_set first, second = {0};
    enum status status;
    collect_lights(stage, options->hdr && !options->ldr, &first);
    prop_light_check(stage->env, &stage->scene, &stage->props, &first);
    if (both) {
        collect_lights(stage, true, &second);
        status = light_both(stage, &first, &second);
        lights_free(&second);
    } else {
        status = light_set_run(stage, &first, options->hdr ? SIDE_HDR : SIDE_LDR);
    }
    lights_free(&first);
    return status;
}

static enum status light_map(struct stage *stage)
{
    const struct env *env = stage->env;
    const struct vrad_options *options = stage->options;
    if (options->luxel_density > 0)
        luxel_density_limit(stage->bsp, options->luxel_density);
    progress_begin(env->progress, "luxels", 1);
    enum status status = luxel_map_build(env, &stage->scene, options->smooth_degrees, &stage->map);
    progress_end(env->progress);
    if (status == STATUS_OK)
        status = env_go_on(env);
    if (status != STATUS_OK)
        return status;
    progress_count(env->progress, "luxels", (int64_t)stage->map.luxel_count);
    prop_bounce_trace(env, &stage->scene, prop_bounces(options), &stage->map);
    if (!options->props.only_static && !options->props.only_detail)
        vertex_normals_store(&stage->map.normals, stage->bsp);
    stage->done = light_checkpoint_begin(stage->checkpoint, parts_of, &stage->map, stage->bsp);
    status = light_sides(stage);
    seam_list_free(&stage->seams);
    luxel_map_free(&stage->map);
    return status;
}

static enum status light_vbsp(const struct env *env, const struct vrad_options *options,
                              struct assets *assets, struct light_checkpoint *checkpoint,
                              struct entity_view *entities, struct bsp *bsp)
{
    struct stage stage = {
        .env = env, .options = options, .checkpoint = checkpoint, .entities = entities, .bsp = bsp};
    vrad_report_inapplicable(env, options, &vrad_source);
    stage.in_part = region_of(options, &stage.region) || options->changed;
    rad_load(env, assets, options->lights_file, options->map_rad, &stage.rad);
    const struct alpha_source alpha_shadows = {assets, &stage.rad.shadows};
    progress_begin(env->progress, "scene", 1);
    prop_set_load(env, assets, bsp, &stage.props);
    unsupported_report(env, bsp, &stage.props, &options->props);
    no_visibility_report(env, options, bsp);
    const struct prop_shadows shadows = {.set = &stage.props,
                                         .exceptions = &stage.rad.shadows,
                                         .triangles = options->props.triangles,
                                         .env = env,
                                         .alpha_shadows =
                                             options->texture_shadows ? &alpha_shadows : NULL,
                                         .reflecting = prop_bounces(options) > 0 ? assets : NULL};
    const struct scene_extras extras = {&shadows, options->texture_shadows ? &alpha_shadows : NULL};
    enum status status =
        scene_build_with(env, bsp, entities, !options->no_sky_recurse, &extras, &stage.scene);
    progress_end(env->progress);
    if (status == STATUS_OK) {
        status = light_map(&stage);
        scene_free(&stage.scene);
    }
    prop_set_free(&stage.props);
    rad_free(&stage.rad);
    return status;
}

/* Options for Quake 3 maps only. */
static const struct vrad_option inapplicable[] = {
#define QUAKE3_FLAG(name, alias, field, key, help) VRAD_OPTION("-" name, quake3.field),
#define QUAKE3_VALUE(kind, name, alias, argument, field, min, max, key, help)                      \
    VRAD_OPTION("-" name, quake3.field),
#define QUAKE3_CLEAR(name, alias, field, help)
#define QUAKE3_NOTED(kind, name, alias, argument, help)
#include "vrad/target/quake3_options.def"
};

const struct vrad_target vrad_source = {
    .light = light_vbsp,
    .inapplicable = inapplicable,
    .inapplicable_count = sizeof inapplicable / sizeof *inapplicable,
};
