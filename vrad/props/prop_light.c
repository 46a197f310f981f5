#include "vrad/props/prop_light.h"

#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/diag/codes/prop_light.def"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "common/geom/transform.h"
#include "vrad/ambient/irradiance_point.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/luxels/colour.h"
#include "vrad/props/prop_files.h"
#include "vrad/props/prop_ray_options.h"
#include "vrad/props/prop_texels.h"
#include "vrad/props/vertex_light.h"
#include "vrad/reference/reference.h"
#include "vrad/scene/hemisphere.h"
#include "vrad/vrad.h"

/* Lighting of detail props: style 0 in their records, other styles in lumps of their own. */

enum { SIDES = 2, LDR = 0, HDR = 1, CHUNK = 16 };

/* Minimum height over its origin at which a prop is lit, in units, since the origin lies on the
 * ground. */
#define LIFT 1.0

#define STYLE_SHARE 0.5f

/* Light of a style below this, of 255, has no entry. */
#define MIN_STYLE_LIGHT 0.01f

/* An entry of both light lumps. */
struct styled_light {
    uint8_t style;
    struct bsp_colour light[SIDES];
};

struct detail_job {
    const struct env *env;
    const struct irradiance_sampler *sampler;
    const struct vec3 *middles; /* of models, by number; stb_ds */
    const struct bsp *bsp;
    int side;
    struct detail_props props;
    struct styled_light **entries; /* one stb_ds array per prop, by style */
};

static struct styled_light *entry_of(struct styled_light **entries, int style)
{
    ptrdiff_t at = 0;
    while (at < arrlen(*entries) && (*entries)[at].style < style)
        at++;
    if (at == arrlen(*entries) || (*entries)[at].style != style) {
        const struct styled_light entry = {.style = (uint8_t)style};
        arrins(*entries, at, entry);
    }
    return &(*entries)[at];
}

/* ---- the lumps ---- */

static bool reported(const struct detail_job *job, enum status status, const char *what,
                     struct diag *details)
{
    if (status != STATUS_OK)
        diag_report(job->env->diag, DIAG_PROP_LIGHT_LUMP, NULL, "%s: %s", what,
                    diag_entry(details, 0)->message);
    diag_free(details);
    return status != STATUS_OK;
}

static bool read_props(struct detail_job *job, const struct bsp_game_lump *lump)
{
    struct diag *details = diag_new(NULL, NULL);
    enum status status =
        detail_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL, details, &job->props);
    return !reported(job, status, "detail props", details);
}

/* Reads the lump of the set that is not being lit. An invalid one counts as empty. */
static void read_light(struct detail_job *job, int side, const struct bsp_game_lump *lump)
{
    struct detail_light *lights = NULL;
    struct diag *details = diag_new(NULL, NULL);
    if (!lump || reported(job,
                          detail_light_decode(&lump->data, lump->version, ORDER_LITTLE, NULL,
                                              details, &lights),
                          "light of detail props", details)) {
        if (!lump)
            diag_free(details);
        return;
    }
    for (size_t i = 0; i < arrlenu(job->props.objects); i++) {
        const struct detail_object *object = &job->props.objects[i];
        for (uint32_t k = 0; k < object->light_count; k++) {
            if ((uint64_t)object->first_light + k >= arrlenu(lights))
                break;
            const struct detail_light *light = &lights[object->first_light + k];
            if (light->style < IRRADIANCE_STYLES)
                entry_of(&job->entries[i], light->style)->light[side] = light->light;
        }
    }
    arrfree(lights);
}

static void put_lump(struct bsp *bsp, uint32_t id, int version, const struct bytes *data)
{
    struct bsp_game_lump *lump = bsp_game_lump(bsp, id);
    if (!lump) {
        const struct bsp_game_lump fresh = {.id = id, .version = (uint16_t)version};
        arrput(bsp->game_lumps, fresh);
        lump = &arrlast(bsp->game_lumps);
    }
    bytes_free(&lump->data);
    lump->data = *data;
}

static void write_light(const struct detail_job *job, int side, struct bsp *bsp)
{
    struct detail_light *lights = NULL;
    for (size_t i = 0; i < arrlenu(job->props.objects); i++) {
        for (ptrdiff_t k = 0; k < arrlen(job->entries[i]); k++) {
            const struct styled_light *entry = &job->entries[i][k];
            const struct detail_light light = {entry->light[side], entry->style};
            arrput(lights, light);
        }
    }
    struct bytes data = {0};
    detail_light_encode(lights, ORDER_LITTLE, &data);
    put_lump(bsp, side == HDR ? DETAIL_LIGHT_HDR_ID : DETAIL_LIGHT_ID, DETAIL_LIGHT_VERSION, &data);
    arrfree(lights);
}

static void write_props(struct detail_job *job, struct bsp *bsp)
{
    uint32_t first = 0;
    for (size_t i = 0; i < arrlenu(job->props.objects); i++) {
        job->props.objects[i].first_light = first;
        job->props.objects[i].light_count = (uint8_t)arrlen(job->entries[i]);
        first += (uint32_t)arrlen(job->entries[i]);
    }
    struct bytes data = {0};
    struct record_range_error range_error;
    if (detail_props_encode(&job->props, ORDER_LITTLE, &data, &range_error))
        put_lump(bsp, DETAIL_PROPS_ID, DETAIL_PROPS_VERSION, &data);
}

/* ---- the light ---- */

/* The point where the prop is lit, in its own space. Props of several sprites are lit at their
 * origin, as in the reference tools. */
static struct vec3 lit_place(const struct detail_job *job, const struct detail_object *object)
{
    struct vec3 place = vec3(0, 0, 0);
    if (object->type == DETAIL_SPRITE && object->model >= 0 &&
        object->model < arrlen(job->props.sprites)) {
        const struct detail_sprite *sprite = &job->props.sprites[object->model];
        double middle = ((double)sprite->upper_left[1] + (double)sprite->lower_right[1]) / 2;
        place.z = middle * (double)object->scale;
    }
    if (object->type == DETAIL_MODEL && object->model >= 0 && object->model < arrlen(job->middles))
        place = job->middles[object->model];
    place.z = portable_fmax(place.z, LIFT);
    return place;
}

static struct irradiance_point point_of(const struct detail_job *job, size_t index)
{
    const struct detail_object *object = &job->props.objects[index];
    struct transform transform = transform_from_angles(vec3_from_floats(object->origin),
                                                       vec3_from_floats(object->angles), 1);
    struct irradiance_point point = {.position =
                                         transform_point(&transform, lit_place(job, object)),
                                     .normal = transform.axes[2],
                                     .viewer = {.prop = -1},
                                     .even_indirect = true,
                                     .seed = index};
    const struct bsp_leaf *leaf = &job->bsp->leaves[bsp_leaf_at(job->bsp, 0, point.position)];
    point.cluster = leaf->cluster;
    point.viewer.area = leaf->area;
    return point;
}

static void light_prop(struct detail_job *job, size_t index)
{
    float styles[IRRADIANCE_STYLES][3] = {{0}}, sum[3];
    struct point_irradiance light;
    struct irradiance_point point = point_of(job, index);
    if (!vec3_is_finite(point.position))
        return;
    irradiance_at_point(job->sampler, &point, styles[0], &light);
    for (int k = 0; k < 3; k++)
        sum[k] = light.direct[k] + light.indirect[k];
    job->props.objects[index].light = colour_encode(sum);
    for (int style = 1; style < IRRADIANCE_STYLES; style++) {
        for (int k = 0; k < 3; k++)
            styles[style][k] *= STYLE_SHARE;
        if (styles[style][0] + styles[style][1] + styles[style][2] < 3 * MIN_STYLE_LIGHT)
            continue;
        entry_of(&job->entries[index], style)->light[job->side] = colour_encode(styles[style]);
    }
}

static size_t chunk_end(const struct detail_job *job, size_t chunk)
{
    size_t end = (chunk + 1) * CHUNK;
    return end < arrlenu(job->props.objects) ? end : arrlenu(job->props.objects);
}

static void light_chunk(void *context, size_t chunk, int thread)
{
    (void)thread;
    struct detail_job *job = context;
    for (size_t i = chunk * CHUNK; i < chunk_end(job, chunk); i++)
        light_prop(job, i);
    progress_step(job->env->progress);
}

/* A ranks_pack. */
static void pack_chunk(void *context, size_t chunk, struct bytes *out)
{
    const struct detail_job *job = context;
    for (size_t i = chunk * CHUNK; i < chunk_end(job, chunk); i++) {
        size_t count = arrlenu(job->entries[i]);
        bytes_append(out, &job->props.objects[i].light, sizeof job->props.objects[i].light);
        bytes_u32(out, (uint32_t)count);
        bytes_append(out, job->entries[i], count * sizeof **job->entries);
    }
}

/* A ranks_unpack. */
static void unpack_chunk(void *context, size_t chunk, struct byte_reader *from)
{
    struct detail_job *job = context;
    for (size_t i = chunk * CHUNK; i < chunk_end(job, chunk); i++) {
        read_into(from, &job->props.objects[i].light, sizeof job->props.objects[i].light);
        size_t count = read_u32(from);
        if (count > UINT8_MAX + 1 || !rank_has(from, count, sizeof **job->entries)) {
            from->failed = true;
            break;
        }
        arrsetlen(job->entries[i], count);
        read_into(from, job->entries[i], count * sizeof **job->entries);
    }
    for (size_t i = chunk * CHUNK; i < chunk_end(job, chunk) && from->failed; i++)
        arrsetlen(job->entries[i], 0);
}

static void light_all(struct detail_job *job)
{
    size_t chunks = (arrlenu(job->props.objects) + CHUNK - 1) / CHUNK;
    progress_begin(job->env->progress, "detail props", chunks);
    env_loop(job->env, &(struct ranks_loop){.count = chunks,
                                            .item = light_chunk,
                                            .context = job,
                                            .pack = pack_chunk,
                                            .unpack = unpack_chunk,
                                            .progress = job->env->progress});
    progress_end(job->env->progress);
    progress_count(job->env->progress, "detail props", (int64_t)arrlen(job->props.objects));
}

/* Copies the light to the other set. */
static void copy_sides(struct detail_job *job)
{
    for (size_t i = 0; i < arrlenu(job->props.objects); i++)
        for (ptrdiff_t k = 0; k < arrlen(job->entries[i]); k++)
            job->entries[i][k].light[!job->side] = job->entries[i][k].light[job->side];
}

static void store_light(struct detail_job *job, enum light_sides sides, uint32_t other,
                        struct bsp *bsp)
{
    if (sides == SIDES_BOTH)
        copy_sides(job);
    write_props(job, bsp);
    write_light(job, job->side, bsp);
    if (sides == SIDES_BOTH || bsp_game_lump(bsp, other))
        write_light(job, !job->side, bsp);
}

/* Lights the map's detail props, if any. Local lights and suns light a prop as a surface that faces
 * its up direction, indirect light from all directions alike; a sprite is lit in its middle, a
 * model in the middle of its hull (`middles`: prop_set.h), others at their origin. Light of styles
 * is stored at half, as in the game's other tools: it is on for half of the time.
 *
 * The records refer to the entries of both light lumps, LDR and HDR, at once; so where there is a
 * lump of the other set it is written again as well: entries keep their colours, and new ones are
 * black. The colour in the record is that of the last call. Unreadable game lumps are reported
 * (PROP_LIGHT_LUMP) and kept. */
static void detail_light(const struct env *env, const struct irradiance_sampler *sampler,
                         const struct vec3 *middles, enum light_sides sides, struct bsp *bsp)
{
    struct detail_job job = {.env = env,
                             .sampler = sampler,
                             .middles = middles,
                             .bsp = bsp,
                             .side = sides == SIDE_HDR ? HDR : LDR};
    const struct bsp_game_lump *lump = bsp_game_lump(bsp, DETAIL_PROPS_ID);
    if (!lump || !read_props(&job, lump))
        return;
    size_t count = arrlenu(job.props.objects);
    uint32_t other = job.side == HDR ? DETAIL_LIGHT_ID : DETAIL_LIGHT_HDR_ID;
    if (count) {
        job.entries = memory_zalloc(count, sizeof *job.entries);
        if (sides != SIDES_BOTH)
            read_light(&job, !job.side, bsp_game_lump(bsp, other));
        light_all(&job);
        if (!env_stopped(env))
            store_light(&job, sides, other, bsp);
        for (size_t i = 0; i < count; i++)
            arrfree(job.entries[i]);
        memory_free(job.entries);
    }
    detail_props_free(&job.props);
}

/* --- prop light --- */

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
    double scale = options->prop_rays->sample_scale / NORMAL_SCALE;
    if (scale > 0) {
        sampler.most_rays = 0;
        sampler.rays =
            sample_count((int)portable_fmin((double)RAYS * scale, RAYS_FINAL), 0, RAYS_FINAL);
        sampler.sun_rays = sample_count(
            (int)portable_fmin((double)SUN_RAYS * scale, SUN_RAYS_FINAL), 0, SUN_RAYS_FINAL);
    }
    if (vrad_reference_paths(options) > 0) { /* several paths along each */
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
                                                  .no_self_shadows =
                                                      options->prop_rays->no_self_shadows,
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
    const bool is_reference = vrad_reference_paths(options) > 0;
    const struct reference_options near = {.paths = vrad_reference_paths(options),
                                           .bounces = options->bounce > 1 ? options->bounce : 1,
                                           .prop_bounces = prop_bounces};
    struct reference_points *points =
        reference_points_new(scene, lights, &near, map, is_reference ? NULL : &radiosity);
    const struct irradiance_paths paths = {points, reference_at_point, is_reference};
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
