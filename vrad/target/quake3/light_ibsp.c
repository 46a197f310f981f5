/* Lights Quake 3 maps: lightmap pages, vertices and light grid. */
#include <string.h>

#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/cli/options.h"
#include "common/core/array.h"
#include "common/diag/codes/unlit.def"
#include "common/farm/fs_ranks.h"
#include "vrad/bounce/bounce.h"
#include "vrad/direct/direct.h"
#include "vrad/lights/light.h"
#include "vrad/luxels/luxel_samples.h"
#include "vrad/luxels/sample_options.h"
#include "vrad/props/prop_ray_options.h"
#include "vrad/resume/light_checkpoint.h"
#include "vrad/scene/prop_scene_options.h"
#include "vrad/store/hit_parts.h"
#include "vrad/target/quake3/level/dirt.h"
#include "vrad/target/quake3/level/level.h"
#include "vrad/target/quake3/pages/pages.h"
#include "vrad/target/quake3/points/points.h"
#include "vrad/target/quake3/receivers/receivers.h"
#include "vrad/target/quake3/scene/scene.h"
#include "vrad/target/target.h"

enum {
    SKY_RAYS = 256,
    SKY_RAYS_FAST = 64,
    BOUNCE_RAYS = 128,
    BOUNCE_RAYS_FAST = 64,
    FINE_SAMPLES = 16,
    FINE_MAX = 64,
    POINT_RAYS = 128,
    GRID_RAYS = 64,
    POINT_RAYS_FAST = 32,
    GRID_RAYS_FAST = 32,
};

/* Local lights that do not end otherwise do where they contribute less than this, of 255. */
#define MIN_LIGHT 0.02
#define MIN_FAST  1.0

/* Phases after which the run can be resumed. */
enum phase { PHASE_DIRECT = 1, PHASE_BOUNCES };

struct resumable {
    struct light_checkpoint *checkpoint;
    struct light_state state; /* after the phases that are done */
};

/* A light_parts_of. */
static uint32_t parts_of(struct light_progress done)
{
    if (done.sets > 0 || done.phase > PHASE_BOUNCES)
        return LIGHT_PARTS_UNKNOWN;
    return done.phase > 0 ? LIGHT_PART_LUXELS : 0u;
}

/* A phase that was stopped leaves the state before it as it was. */
static enum status end_phase(struct resumable *run, const struct quake3_light *q, enum phase phase)
{
    if (env_stopped(q->env)) {
        light_checkpoint_stop(run->checkpoint, &run->state, &q->map, q->bsp);
        return STATUS_FAILED;
    }
    run->state.done.phase = (uint32_t)phase;
    run->state.parts = parts_of(run->state.done);
    light_checkpoint_poll(run->checkpoint, &run->state, &q->map, q->bsp);
    return STATUS_OK;
}

/* ---- luxels ---- */

static int power_of_two(int wanted, int max)
{
    int power = 1;
    while (power < wanted && power < max)
        power *= 2;
    return power;
}

static struct direct_options direct_options_of(const struct vrad_options *options, bool gathers)
{
    const struct quake3_options *own = &options->quake3;
    struct direct_options direct = {.fine = FINE_SAMPLES};
    if (!gathers || own->bounce_only)
        direct.sky_rays = options->fast ? SKY_RAYS_FAST : SKY_RAYS;
    if (own->samples > 0)
        direct.fine = own->samples > 1 ? power_of_two(4 * own->samples, FINE_MAX) : 0;
    if (options->samples->no_extra)
        direct.fine = 0;
    if (own->super > 1) {
        direct.fine = power_of_two(own->super * own->super, LUXEL_FINE);
        direct.fine = direct.fine < 2 * LUXEL_COARSE ? 2 * LUXEL_COARSE : direct.fine;
        direct.everywhere = true;
    }
    direct.fast = own->faster;
    if (options->preview)
        direct.soft = FINE_SAMPLES;
    direct.min = options->fast && options->physical ? MIN_FAST : MIN_LIGHT;
    return direct;
}

/* ---- floodlight ---- */

/* The floodlight of the fronts of surfaces, by face: that of the world, or of their shaders.
 * Returns false if none has any. */
static bool list_flood(const struct quake3_light *q, bool of_shaders, struct open_light *out)
{
    bool any = false;
    for (ptrdiff_t i = 0; i < arrlen(q->receivers); i++) {
        const struct lit_surface *lit = &q->surfaces[q->receivers[i].surfaces[0]];
        out[i] = of_shaders ? quake3_flood_of(q, lit->material) : q->flood;
        any |= out[i].distance > 0;
    }
    return any;
}

static void add_floodlight(struct quake3_light *q)
{
    struct open_light *lights = memory_alloc(((size_t)q->map.face_count + 1) * sizeof *lights);
    for (int of_shaders = 0; of_shaders < 2; of_shaders++) {
        memset(lights, 0, (size_t)q->map.face_count * sizeof *lights);
        if (list_flood(q, of_shaders, lights))
            open_light_apply(q->env, lights, &q->map);
    }
    memory_free(lights);
}

static enum status light_luxels(struct quake3_light *q, struct resumable *run,
                                struct light_store *store)
{
    const struct vrad_options *options = q->options;
    bool gathers_sky = q->lights.sky >= 0 && !options->quake3.bounce_only;
    bool shines = arrlen(q->lights.lights) > 0 || q->has_flood;
    bool gathers = gathers_sky || (options->bounce > 0 && shines);
    bool fast = options->fast || options->quake3.fast_bounce;
    struct direct_options direct = direct_options_of(options, gathers);
    struct bounce_options bounce = {.bounces = options->bounce,
                                    .coarse = options->preview,
                                    .rays = fast ? BOUNCE_RAYS_FAST : BOUNCE_RAYS};
    const struct occlusion_options dirt[2] = {quake3_dirt(options, OCCLUSION_OF_DIRECT),
                                              quake3_dirt(options, OCCLUSION_OF_BOUNCED)};
    direct.store = store;
    if (fast)
        bounce.tolerance = 0.25;
    if (gathers_sky)
        bounce.sky = q->lights.lights[q->lights.sky].intensity;
    run->state.done = light_checkpoint_begin(run->checkpoint, parts_of, &q->map, q->bsp);
    run->state.parts = parts_of(run->state.done);
    light_checkpoint_take_luxels(run->checkpoint, &q->map);
    if (run->state.done.phase < PHASE_DIRECT) {
        direct_light(q->env, &q->scene, &q->lights, &direct, &q->map);
        occlusion_apply(q->env, &dirt[0], &q->map);
        add_floodlight(q);
        TRY(end_phase(run, q, PHASE_DIRECT));
    }
    if (run->state.done.phase < PHASE_BOUNCES) {
        if (gathers) {
            bounce_light(q->env, &q->scene, &q->map, &bounce);
            occlusion_apply(q->env, &dirt[1], &q->map);
        }
        TRY(end_phase(run, q, PHASE_BOUNCES));
    }
    const struct occlusion_options occlusion = occlusion_options_of(options);
    occlusion_apply(q->env, &occlusion, &q->map);
    return env_go_on(q->env);
}

/* From radiosity without the light of surfaces, unless that is wanted. */
static void light_grid(struct quake3_light *q, struct irradiance_sampler sampler,
                       struct radiosity *radiosity, struct vec3 sky)
{
    bool bounced = q->options->quake3.bounce_grid;
    if (!bounced) {
        radiosity_free(radiosity);
        radiosity_init(radiosity, &q->scene, &q->map, sky);
    }
    sampler.rays = q->options->fast ? GRID_RAYS_FAST : GRID_RAYS;
    if (!bounced && q->lights.sky < 0)
        sampler.rays = 0;
    quake3_use_grid_lights(q);
    quake3_light_grid(q, &sampler);
}

/* Lights vertices and grid from the radiosity of the luxels. */
static void light_points(struct quake3_light *q)
{
    const struct vrad_options *options = q->options;
    struct radiosity radiosity, bare;
    struct vec3 sky = vec3(0, 0, 0);
    const bool has_sky = q->lights.sky >= 0;
    if (has_sky) {
        sky = q->lights.lights[q->lights.sky].intensity;
        radiosity_init(&bare, &q->scene, &q->map, sky);
    }
    radiosity_init(&radiosity, &q->scene, &q->map, sky);
    if (options->bounce > 0)
        radiosity_collect(&radiosity, q->env->threads);
    struct irradiance_sampler sampler = {.radiosity = &radiosity,
                                         .scene = &q->scene,
                                         .lights = &q->lights,
                                         .rays = options->fast ? POINT_RAYS_FAST : POINT_RAYS,
                                         .sun_rays = options->fast ? 1 : 16};
    struct irradiance_sampler of_sky = sampler;
    if (has_sky)
        of_sky.radiosity = &bare;
    quake3_light_vertices(q, &sampler, &of_sky);
    if (has_sky)
        radiosity_free(&bare);
    if (!options->quake3.no_grid)
        light_grid(q, sampler, &radiosity, sky);
    radiosity_free(&radiosity);
}

/* ---- all ---- */

static void store_light(struct quake3_light *q)
{
    quake3_add_backs(q);
    if (q->bsp->engine->light.has_styles)
        bsp_plain_surfaces(q->bsp);
    quake3_store_luxels(q);
    light_points(q);
    quake3_drop_baked_lights(q);
}

/* Reports a map without lights, or without surfaces for them. */
static void report_dark(const struct quake3_light *q)
{
    size_t lights = arrlenu(q->lights.lights);
    if (!lights && !q->has_flood && !arrlen(q->grid_lights) &&
        q->ambient.x + q->ambient.y + q->ambient.z <= 0)
        diag_report(q->env->diag, DIAG_NO_LIGHTS, NULL, "nothing in the map emits light");
    if (lights && !q->map.luxel_count)
        diag_report(q->env->diag, DIAG_NO_LUXELS, NULL,
                    "%zu light%s, but none of %zu surfaces is drawn and lit", lights,
                    lights == 1 ? "" : "s", arrlenu(q->bsp->surfaces));
}

/* Rank 0 alone writes. */
static enum status write_files(struct quake3_light *q)
{
    const struct env *env = q->env;
    struct env own = *env;
    if (ranks_rank(env->ranks) > 0)
        return STATUS_OK;
    own.fs = fs_ranks_below(env->fs);
    q->env = &own;
    enum status status = quake3_write_external(q);
    q->env = env;
    return status;
}

/* ---- the steps ---- */

/* A Quake 3 map that is being lit. */
struct ibsp_light {
    struct quake3_light q;
    bool has_scene, has_map, has_lights; /* they have been made */
};

/* Reads the world and builds the scene. */
static enum status make_scene(struct light_work *work)
{
    struct ibsp_light *lit = work->own;
    struct quake3_light *q = &lit->q;
    *q = (struct quake3_light){.env = work->env,
                               .options = work->options,
                               .assets = work->assets,
                               .bsp = work->bsp,
                               .entities = work->entities};
    TRY(quake3_restore_lights(q));
    TRY(quake3_open_external(q));
    vrad_report_inapplicable(q->env, q->options, &vrad_quake3);
    quake3_read_world(q);
    quake3_report_keys(q);
    quake3_place_models(q);
    quake3_find_materials(q);
    progress_begin(q->env->progress, "scene", 1);
    quake3_lay_out(q);
    enum status status = quake3_build_scene(q);
    progress_end(q->env->progress);
    lit->has_scene = status == STATUS_OK;
    return status;
}

static enum status lay_out_luxels(struct light_work *work)
{
    struct ibsp_light *lit = work->own;
    struct quake3_light *q = &lit->q;
    struct luxel_receiver *receivers = quake3_luxel_receivers(q);
    size_t count = arrlenu(receivers);
    progress_begin(q->env->progress, "luxels", 1);
    enum status status = luxel_map_of_receivers(q->env, &q->scene, receivers, count, &q->map);
    progress_end(q->env->progress);
    arrfree(receivers);
    TRY(status);
    lit->has_map = true;
    TRY(env_go_on(q->env));
    quake3_skip_unused(q, &q->map);
    progress_count(q->env->progress, "luxels", (int64_t)q->map.luxel_count);
    return STATUS_OK;
}

static enum status light(struct light_work *work)
{
    struct ibsp_light *lit = work->own;
    struct quake3_light *q = &lit->q;
    struct resumable run = {.checkpoint = work->checkpoint};
    struct hit_parts hits;
    quake3_find_lights(q);
    lit->has_lights = true;
    progress_count(q->env->progress, "lights", arrlen(q->lights.lights));
    report_dark(q);
    hit_parts_begin(q->env, work->store, &q->scene, &q->map, 0, 0, &hits);
    enum status status = light_luxels(q, &run, work->store);
    hit_parts_end(&hits, status);
    TRY(status);
    store_light(q);
    TRY(env_go_on(q->env));
    return write_files(q);
}

static void free_light(struct light_work *work)
{
    struct ibsp_light *lit = work->own;
    struct quake3_light *q = &lit->q;
    if (lit->has_lights)
        lights_free(&q->lights);
    if (lit->has_map)
        luxel_map_free(&q->map);
    if (lit->has_scene)
        scene_free(&q->scene);
    quake3_receivers_free(q);
    arrfree(q->style_pages);
    quake3_free_external(q);
    arrfree(q->grid_lights);
    arrfree(q->backs);
    arena_free(&q->arena);
}

/* Options for Source maps only. */
static const struct vrad_option inapplicable[] = {
    VRAD_OPTION("-hdr", hdr),
    VRAD_OPTION("-StaticPropLighting", props.lighting),
    VRAD_PART_OPTION("-StaticPropPolys", prop_scene, triangles),
    VRAD_OPTION("-StaticPropNormals", props.normals),
    VRAD_OPTION("-OnlyStaticProps", props.only_static),
    VRAD_PART_OPTION("-nossprops", prop_ray, no_self_shadows),
    VRAD_OPTION("-onlydetail", props.only_detail),
    VRAD_OPTION("-lights", lights_file),
    VRAD_OPTION("-chop", chop),
    VRAD_OPTION("-dispchop", disp_chop),
    VRAD_OPTION("-luxeldensity", luxel_density),
    VRAD_OPTION("-dlight", min_emission),
    VRAD_OPTION("--reference", reference),
    VRAD_OPTION("--reference-error", reference_error),
    VRAD_OPTION("-dlightmap", direct_apart),
    VRAD_OPTION("-softsun", soft_sun_degrees),
    VRAD_OPTION("-final", final),
    VRAD_PART_OPTION("-extrasky", sample, extra_sky),
    VRAD_OPTION("-fastambient", fast_ambient),
    VRAD_OPTION("-noskyboxrecurse", no_sky_recurse),
    VRAD_OPTION("-textureshadows", texture_shadows),
    VRAD_OPTION("-ambient", ambient),
    VRAD_OPTION("--noseams", no_seams),
};

const struct vrad_target vrad_quake3 = {
    .size = sizeof(struct ibsp_light),
    .scene = make_scene,
    .luxels = lay_out_luxels,
    .light = light,
    .free = free_light,
    .inapplicable = inapplicable,
    .inapplicable_count = sizeof inapplicable / sizeof *inapplicable,
};
