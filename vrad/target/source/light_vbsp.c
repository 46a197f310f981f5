/* Lights a VBSP: lightmaps, ambient cubes, props and worldlights. */
#include "vrad/target/source/light_vbsp.h"

#include <string.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/diag/codes/unlit.def"
#include "common/farm/farm.h"
#include "vrad/ambient/ambient.h"
#include "vrad/bounce/bounce.h"
#include "vrad/direct/direct.h"
#include "vrad/encode/border.h"
#include "vrad/encode/lightmap.h"
#include "vrad/encode/occlusion.h"
#include "vrad/encode/seam_share.h"
#include "vrad/encode/seams.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_matching.h"
#include "vrad/lights/light_set.h"
#include "vrad/lights/rad_file.h"
#include "vrad/luxels/luxel_density.h"
#include "vrad/luxels/sample_options.h"
#include "vrad/props/prop_bounce.h"
#include "vrad/props/prop_light.h"
#include "vrad/reference/error_file.h"
#include "vrad/reference/luxel_errors.h"
#include "vrad/reference/reference.h"
#include "vrad/resume/light_checkpoint.h"
#include "vrad/scene/prop_scene_options.h"
#include "vrad/scene/ray_hit_cache.h"
#include "vrad/store/hit_parts.h"
#include "vrad/subluxels/subluxels_make.h"
#include "vrad/target/quake3/level/dirt_options.h"
#include "vrad/target/quake3/pages/tone_options.h"

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
    FINE_SAMPLES_FAST = 16,
    FINE_SAMPLES_FINAL = 128
};

/* Relative error of interpolation on those. */
#define SKY_TOLERANCE 0.04

/* Light of 1 in the option -ambient. */
#define AMBIENT_UNIT 128.0

/* Phases of a set of light, after which the run can be resumed; then its lightmaps are stored. */
enum phase { PHASE_DIRECT = 1, PHASE_BOUNCES, PHASE_AMBIENT, PHASE_PROPS };

/* A VBSP that is being lit. */
struct vbsp_light {
    const struct env *env;
    struct light_checkpoint *checkpoint;
    struct light_store *store;  /* or NULL */
    struct hit_parts hit_parts; /* of it */
    struct light_progress done; /* of this run and those that it resumes */
    uint32_t set;               /* number of the set of light */
    const struct vrad_options *options;
    struct bsp *bsp;
    const struct entity_view *entities;
    struct rad_file rad;
    struct prop_set props;
    struct scene scene;
    struct luxel_map map;
    bool has_scene, has_map; /* they have been made */
    bool has_seams;          /* `seams` has been found */
    struct seam_list seams;
};

static double sample_factor(const struct vrad_options *options)
{
    return options->samples->extra_sky > 0 ? options->samples->extra_sky
           : options->final                ? FINAL_FACTOR
                                           : 1;
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
    struct bounce_options bounce = {.bounces = options->bounce, .coarse = options->preview};
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
    double bounces = options->prop_scene->bounces;
    if (options->bounce <= 0 || options->props.only_static)
        return 0;
    return bounces < 0 || bounces > options->bounce ? options->bounce : (int)bounces;
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

static struct light_state state_of(const struct vbsp_light *lit)
{
    return (struct light_state){lit->done, parts_of(lit->done)};
}

/* True for a phase that an earlier run has done. */
static bool has_done(const struct vbsp_light *lit, enum phase phase)
{
    return lit->done.sets == lit->set && lit->done.phase >= (uint32_t)phase;
}

/* A phase that was stopped leaves the state before it as it was, but those that light props, of a
 * later set, and store lightmaps. */
static enum status stop_in_phase(struct vbsp_light *lit, enum phase phase)
{
    const struct light_state state = state_of(lit);
    if (phase < PHASE_PROPS || (phase == PHASE_PROPS && !lit->set))
        light_checkpoint_stop(lit->checkpoint, &state, &lit->map, lit->bsp);
    return STATUS_FAILED;
}

static enum status end_phase(struct vbsp_light *lit, enum phase phase)
{
    if (env_stopped(lit->env))
        return stop_in_phase(lit, phase);
    lit->done = (struct light_progress){lit->set, (uint32_t)phase};
    const struct light_state state = state_of(lit);
    light_checkpoint_poll(lit->checkpoint, &state, &lit->map, lit->bsp);
    return STATUS_OK;
}

static void end_set(struct vbsp_light *lit)
{
    lit->done = (struct light_progress){++lit->set, 0};
    const struct light_state state = state_of(lit);
    light_checkpoint_poll(lit->checkpoint, &state, &lit->map, lit->bsp);
}

/* Without sky rays. Edges of shadows are seen at once: they are supersampled with -fast, too. */
static struct direct_options direct_options_of(const struct vrad_options *options)
{
    struct direct_options direct = {.thorough = options->final};
    if (!options->samples->no_extra)
        direct.fine = options->final  ? FINE_SAMPLES_FINAL
                      : options->fast ? FINE_SAMPLES_FAST
                                      : FINE_SAMPLES;
    if (options->fast)
        direct.soft = direct.fine;
    return direct;
}

static bool matches_seams(const struct vrad_options *options)
{
    return !options->no_seams && vrad_reference_paths(options) <= 0;
}

static void find_seams(struct vbsp_light *lit)
{
    if (!lit->has_seams && ranks_rank(lit->env->ranks) == 0)
        seam_list_build(lit->env, &lit->map, &lit->seams);
    lit->has_seams = true;
}

/* Seams need no light: rank 0 finds them before it takes part in the direct light, of which the
 * others then do more. Alone it finds them when they are used, since they take room. */
static void find_seams_early(struct vbsp_light *lit)
{
    if (farm_is_there(lit->env) && matches_seams(lit->options))
        find_seams(lit);
}

/* Direct and bounced light of the map. */
static enum status light_luxels(struct vbsp_light *lit, const struct light_set *lights)
{
    const struct vrad_options *options = lit->options;
    struct direct_options direct = direct_options_of(options);
    struct bounce_options bounce = bounce_options_of(options);
    bool gathers = options->bounce > 0 && arrlen(lights->lights) > 0;
    /* The final gather takes the sky's light as well, from fewer points than luxels, but not by
     * style. */
    if (lights->sky >= 0 && lights->lights[lights->sky].style == 0 && !options->direct_apart) {
        gather_sky(&lights->lights[lights->sky], &lit->map, &bounce);
        gathers = true;
    } else {
        direct.sky_rays = rays_of(
            (options->fast ? SKY_RAYS_FAST : SKY_RAYS) * sample_factor(options), SKY_RAYS_MAX);
    }
    find_seams_early(lit);
    if (!has_done(lit, PHASE_DIRECT)) {
        direct.store = lit->store;
        direct_light(lit->env, &lit->scene, lights, &direct, &lit->map);
        TRY(end_phase(lit, PHASE_DIRECT));
    }
    subluxels_make(lit->env, lights, has_done(lit, PHASE_BOUNCES), &lit->map);
    if (has_done(lit, PHASE_BOUNCES))
        return STATUS_OK;
    prop_bounce_light(lit->env, &lit->scene, lights, &lit->map);
    if (gathers)
        bounce_light(lit->env, &lit->scene, &lit->map, &bounce);
    return end_phase(lit, PHASE_BOUNCES);
}

static struct reference_options reference_options_of(const struct vrad_options *options)
{
    return (struct reference_options){.paths = vrad_reference_paths(options),
                                      .bounces = options->bounce,
                                      .prop_bounces = prop_bounces(options),
                                      .error = options->reference_error / 100};
}

/* The same by path tracing. Direct light tells which styles the faces have and which surfaces are
 * bright; then paths replace it. */
static enum status light_by_paths(struct vbsp_light *lit, const struct light_set *lights, bool hdr)
{
    const struct vrad_options *options = lit->options;
    const struct direct_options direct = {.fine = FINE_SAMPLES, .thorough = true};
    const struct reference_options paths = reference_options_of(options);
    struct luxel_errors errors = {0};
    enum status status = STATUS_OK;
    direct_light(lit->env, &lit->scene, lights, &direct, &lit->map);
    if (!env_stopped(lit->env))
        reference_light(lit->env, &lit->scene, lights, &paths, &lit->map, &errors);
    if (!env_stopped(lit->env)) {
        status = error_file_write(lit->env, options->quake3.map_path, hdr, &errors, &lit->map);
        prop_bounce_settle(lit->env, &lit->scene, lights, &lit->map);
    }
    luxel_errors_free(&errors);
    return status == STATUS_OK ? end_phase(lit, PHASE_BOUNCES) : status;
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

/* Where a border shows, it needs the light of other faces whether or not these are matched. */
static void match_seams(struct vbsp_light *lit)
{
    const struct vrad_options *options = lit->options;
    bool matched = matches_seams(options);
    bool bordered = borders_any(&lit->map);
    if (matched || bordered) {
        find_seams(lit);
        seam_list_share(lit->env, &lit->map, &lit->seams);
    }
    if (matched && bordered)
        borders_share(&lit->seams, &lit->map);
    if (bordered)
        borders_fill(lit->env, &lit->seams, &lit->map);
    if (matched)
        seams_match(lit->env, &lit->seams, &lit->map);
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

/* Stores worldlights and lightmaps. */
static enum status store_luxels(struct vbsp_light *lit, const struct light_set *lights, bool hdr)
{
    const struct env *env = lit->env;
    const struct vrad_options *options = lit->options;
    struct bsp *bsp = lit->bsp;
    struct bsp_light_set *set = hdr ? &bsp->hdr : &bsp->ldr;
    const struct occlusion_options occlusion = occlusion_options_of(options);
    progress_begin(env->progress, "lightmaps", 1);
    occlusion_apply(env, &occlusion, &lit->map);
    if (ranks_rank(env->ranks) == 0) /* of other ranks nobody asks for these */
        store_worldlights(bsp, lights, hdr);
    if (hdr && arrlen(bsp->faces_hdr) != arrlen(bsp->faces)) {
        arrsetlen(bsp->faces_hdr, arrlenu(bsp->faces));
        memcpy(bsp->faces_hdr, bsp->faces, arrlenu(bsp->faces) * sizeof *bsp->faces);
    }
    const struct lightmap_options lightmap_options = lightmap_options_of(options);
    match_seams(lit);
    if (options->direct_apart)
        luxel_map_part_direct(&lit->map);
    enum status status = lightmap_write(env, &lit->map, &lightmap_options,
                                        hdr ? bsp->faces_hdr : bsp->faces, &set->lighting);
    progress_end(env->progress);
    return status == STATUS_OK ? env_go_on(env) : status;
}

static void collect_lights(const struct vbsp_light *lit, bool hdr, struct light_set *out)
{
    const struct vrad_options *options = lit->options;
    const struct light_options light_options = {.hdr = hdr,
                                                .soft_sun_degrees = options->soft_sun_degrees,
                                                .finite_falloff = options->finite_falloff,
                                                .chop = options->chop,
                                                .disp_chop = options->disp_chop,
                                                .min_emission = options->min_emission};
    lights_collect(lit->env, &light_options, lit->bsp, lit->entities, &lit->rad, out);
    scale_sky(out, options->sky_scale);
}

static bool lights_static_props(const struct vrad_options *options)
{
    return options->props.lighting || options->props.normals;
}

static enum status light_props(struct vbsp_light *lit, const struct light_set *lights,
                               enum light_sides sides)
{
    const struct vrad_options *options = lit->options;
    if (!lights_static_props(options) && !options->props.only_detail)
        TRY(prop_light_drop(lit->env, options, sides, lit->bsp));
    return prop_light(lit->env, &lit->scene, &lit->map, &lit->props, lights, options,
                      prop_bounces(options), sides, lit->bsp);
}

/* Lights everything from one set of lights, for one set of lighting in the file, or for both. */
static enum status light_set_run(struct vbsp_light *lit, const struct light_set *lights,
                                 enum light_sides sides)
{
    const struct env *env = lit->env;
    const struct vrad_options *options = lit->options;
    struct bsp *bsp = lit->bsp;
    bool hdr = sides == SIDE_HDR;
    struct bsp_light_set *set = hdr ? &bsp->hdr : &bsp->ldr;
    const struct ambient_options ambient_options = {.fast = options->fast_ambient};
    luxel_map_clear(&lit->map);
    if (lit->done.sets > lit->set) {
        lit->set++;
        if (!options->props.only_detail)
            store_worldlights(bsp, lights, hdr);
        return STATUS_OK;
    }
    if (options->props.only_static)
        return prop_light_direct(env, &lit->scene, &lit->props, lights, options, sides, bsp);
    if (lit->done.phase > 0)
        light_checkpoint_take_luxels(lit->checkpoint, &lit->map);
    if (!arrlen(lights->lights) && !diag_count_code(env->diag, DIAG_NO_LIGHTS))
        diag_report(env->diag, DIAG_NO_LIGHTS, NULL, "nothing in the map emits light");
    no_luxels_report(env, bsp, &lit->map, lights);
    enum status status = STATUS_OK;
    if (vrad_reference_paths(options) <= 0)
        status = light_luxels(lit, lights);
    else if (!has_done(lit, PHASE_BOUNCES))
        status = light_by_paths(lit, lights, hdr);
    if (status == STATUS_OK && ranks_rank(env->ranks) == 0)
        no_light_report(env, &lit->map, lights);
    if (status == STATUS_OK && !has_done(lit, PHASE_AMBIENT)) {
        ambient_light(env, &lit->scene, &lit->map, lights, &ambient_options, set);
        status = end_phase(lit, PHASE_AMBIENT);
    }
    if (status == STATUS_OK && !has_done(lit, PHASE_PROPS)) {
        status = light_props(lit, lights, sides);
        if (status == STATUS_OK || env_stopped(env))
            status = end_phase(lit, PHASE_PROPS);
    }
    if (status == STATUS_OK && !options->props.only_detail)
        status = store_luxels(lit, lights, hdr);
    return status;
}

/* Slots of hits: luxels, then leaves, then vertices of props. */
static void begin_hits(struct vbsp_light *lit, size_t faces)
{
    const size_t others = arrlenu(lit->bsp->leaves) + prop_set_vertices(&lit->props);
    hit_parts_begin(lit->env, lit->store, &lit->scene, &lit->map, others, faces, &lit->hit_parts);
}

static enum status light_one(struct vbsp_light *lit, const struct light_set *lights,
                             enum light_sides sides)
{
    begin_hits(lit, 0);
    enum status status = light_set_run(lit, lights, sides);
    hit_parts_end(&lit->hit_parts, status);
    return status;
}

/* Lights LDR and HDR: in one run if their lights are equal; otherwise the second run reuses the ray
 * hits of the first. */
static enum status light_both(struct vbsp_light *lit, struct light_set *ldr, struct light_set *hdr)
{
    const struct prop_options *props = &lit->options->props;
    bool whole = !props->only_static && !props->only_detail;
    if (whole && light_sets_equal(ldr, hdr)) {
        TRY(light_one(lit, ldr, SIDES_BOTH));
        light_copy_to_hdr(lit->bsp);
        return STATUS_OK;
    }
    light_sets_match(ldr, hdr);
    begin_hits(lit, (size_t)lit->map.face_count);
    light_checkpoint_take_hits(lit->checkpoint, &lit->map, lit->scene.ray_hit_cache);
    enum status status = light_set_run(lit, ldr, SIDE_LDR);
    ray_hit_cache_begin_second(lit->scene.ray_hit_cache);
    if (status == STATUS_OK && !lit->set)
        end_set(lit);
    if (status == STATUS_OK)
        status = light_set_run(lit, hdr, SIDE_HDR);
    hit_parts_end(&lit->hit_parts, status);
    return status;
}

static enum status light_sides(struct vbsp_light *lit)
{
    const struct vrad_options *options = lit->options;
    bool both = options->ldr && options->hdr;
    struct light_set first, second = {0};
    enum status status;
    collect_lights(lit, options->hdr && !options->ldr, &first);
    prop_light_check(lit->env, &lit->scene, &lit->props, &first);
    if (both) {
        collect_lights(lit, true, &second);
        status = light_both(lit, &first, &second);
        lights_free(&second);
    } else {
        status = light_one(lit, &first, options->hdr ? SIDE_HDR : SIDE_LDR);
    }
    lights_free(&first);
    return status;
}

/* ---- the steps ---- */

static enum status build_scene(struct vbsp_light *lit, struct assets *assets)
{
    const struct env *env = lit->env;
    const struct vrad_options *options = lit->options;
    const struct alpha_source alpha_shadows = {assets, &lit->rad.shadows};
    const struct alpha_source *alpha = options->texture_shadows ? &alpha_shadows : NULL;
    const struct prop_shadows shadows = {.set = &lit->props,
                                         .exceptions = &lit->rad.shadows,
                                         .triangles = options->prop_scene->triangles,
                                         .env = env,
                                         .alpha_shadows = alpha,
                                         .reflecting = prop_bounces(options) > 0 ? assets : NULL};
    const struct scene_extras extras = {&shadows, alpha};
    enum status status =
        scene_build(env, lit->bsp, lit->entities, !options->no_sky_recurse, &extras, &lit->scene);
    lit->has_scene = status == STATUS_OK;
    return status;
}

/* Content and scene. */
static enum status make_scene(struct light_work *work)
{
    const struct env *env = work->env;
    const struct vrad_options *options = work->options;
    struct vbsp_light *lit = work->own;
    *lit = (struct vbsp_light){.env = env,
                               .options = options,
                               .checkpoint = work->checkpoint,
                               .entities = work->entities,
                               .bsp = work->bsp};
    vrad_report_inapplicable(env, options, &vrad_source);
    rad_load(env, work->assets, options->lights_file, options->map_rad, &lit->rad);
    progress_begin(env->progress, "scene", 1);
    prop_set_load(env, work->assets, work->bsp, &lit->props);
    unsupported_report(env, work->bsp, &lit->props, &options->props);
    no_visibility_report(env, options, work->bsp);
    enum status status = build_scene(lit, work->assets);
    progress_end(env->progress);
    return status;
}

static enum status lay_out_luxels(struct light_work *work)
{
    struct vbsp_light *lit = work->own;
    const struct env *env = lit->env;
    const struct vrad_options *options = lit->options;
    if (options->luxel_density > 0)
        luxel_density_limit(lit->bsp, options->luxel_density);
    progress_begin(env->progress, "luxels", 1);
    enum status status = luxel_map_build(env, &lit->scene, options->smooth_degrees, &lit->map);
    progress_end(env->progress);
    TRY(status);
    lit->has_map = true;
    TRY(env_go_on(env));
    progress_count(env->progress, "luxels", (int64_t)lit->map.luxel_count);
    prop_bounce_trace(env, &lit->scene, prop_bounces(options), &lit->map);
    if (!options->props.only_static && !options->props.only_detail)
        vertex_normals_store(&lit->map.normals, lit->bsp);
    return STATUS_OK;
}

static enum status light(struct light_work *work)
{
    struct vbsp_light *lit = work->own;
    lit->store = work->store;
    lit->done = light_checkpoint_begin(lit->checkpoint, parts_of, &lit->map, lit->bsp);
    return light_sides(lit);
}

static void free_light(struct light_work *work)
{
    struct vbsp_light *lit = work->own;
    if (lit->has_map) {
        seam_list_free(&lit->seams);
        luxel_map_free(&lit->map);
    }
    if (lit->has_scene)
        scene_free(&lit->scene);
    prop_set_free(&lit->props);
    rad_free(&lit->rad);
}

/* Options for Quake 3 maps only. */
static const struct vrad_option inapplicable[] = {
#define QUAKE3_FLAG(name, alias, field, key, help) VRAD_OPTION("-" name, quake3.field),
#define QUAKE3_VALUE(kind, name, alias, argument, field, min, max, key, help)                      \
    VRAD_OPTION("-" name, quake3.field),
#define QUAKE3_FILES(kind, name, argument, field, min, max, help)                                  \
    VRAD_OPTION("-" name, quake3.field),
#define QUAKE3_CLEAR(name, alias, field, help)
#define PART_FLAG(part, name, alias, field, key, help) VRAD_PART_OPTION("-" name, part, field),
#define PART_VALUE(part, kind, name, alias, argument, field, min, max, key, help)                  \
    PART_FLAG(part, name, alias, field, key, help)
#define PART_CLEAR(part, name, alias, field, help)
#define QUAKE3_NOTED(kind, name, alias, argument, help)
#include "vrad/target/quake3_options.def"
};

const struct vrad_target vrad_source = {
    .size = sizeof(struct vbsp_light),
    .scene = make_scene,
    .luxels = lay_out_luxels,
    .light = light,
    .free = free_light,
    .inapplicable = inapplicable,
    .inapplicable_count = sizeof inapplicable / sizeof *inapplicable,
};
