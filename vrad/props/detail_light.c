#include "vrad/props/detail_light.h"

#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/random.h"
#include "common/geom/transform.h"
#include "common/parallel/parallel.h"
#include "vrad/luxels/colour.h"

enum { SIDES = 2, LDR = 0, HDR = 1, CHUNK = 16 };

/* At least so far above its origin a prop is lit, in units: there is ground. */
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
    const struct point_lighter *lighter;
    const struct vec3 *middles; /* of models, by number; stb_ds */
    const struct bsp *bsp;
    int side;
    struct detail_props props;
    struct styled_light **entries; /* one stb_ds array a prop, by style */
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

static bool told(const struct detail_job *job, enum status status, const char *what,
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
    return !told(job, status, "detail props", details);
}

/* What the lump of the side that is not lit now says. A broken one says nothing. */
static void read_light(struct detail_job *job, int side, const struct bsp_game_lump *lump)
{
    struct detail_light *lights = NULL;
    struct diag *details = diag_new(NULL, NULL);
    if (!lump ||
        told(job,
             detail_light_decode(&lump->data, lump->version, ORDER_LITTLE, NULL, details, &lights),
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
            if (light->style < POINT_STYLES)
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

/* Where the prop is lit, in units of its own. Those of several sprites are lit at their foot, as by
 * the reference tools. */
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
    place.z = fmax(place.z, LIFT);
    return place;
}

static struct light_point point_of(const struct detail_job *job, size_t index)
{
    const struct detail_object *object = &job->props.objects[index];
    struct transform transform = transform_from_angles(vec3_from_floats(object->origin),
                                                       vec3_from_floats(object->angles), 1);
    struct light_point point = {.position = transform_point(&transform, lit_place(job, object)),
                                .normal = transform.axes[2],
                                .viewer = {.prop = -1},
                                .even_around = true,
                                .seed = index};
    const struct bsp_leaf *leaf = &job->bsp->leaves[bsp_leaf_at(job->bsp, 0, point.position)];
    point.cluster = leaf->cluster;
    point.viewer.area = leaf->area;
    return point;
}

static void light_prop(struct detail_job *job, size_t index)
{
    float styles[POINT_STYLES][3] = {{0}}, sum[3];
    struct point_light light;
    struct light_point point = point_of(job, index);
    if (!vec3_is_finite(point.position))
        return;
    point_light_at(job->lighter, &point, styles[0], &light);
    for (int k = 0; k < 3; k++)
        sum[k] = light.direct[k] + light.around[k];
    job->props.objects[index].light = colour_encode(sum);
    for (int style = 1; style < POINT_STYLES; style++) {
        for (int k = 0; k < 3; k++)
            styles[style][k] *= STYLE_SHARE;
        if (styles[style][0] + styles[style][1] + styles[style][2] < 3 * MIN_STYLE_LIGHT)
            continue;
        entry_of(&job->entries[index], style)->light[job->side] = colour_encode(styles[style]);
    }
}

static void light_chunk(void *context, size_t chunk, int thread)
{
    (void)thread;
    struct detail_job *job = context;
    size_t count = arrlenu(job->props.objects), end = (chunk + 1) * CHUNK;
    for (size_t i = chunk * CHUNK; i < count && i < end; i++)
        light_prop(job, i);
    progress_step(job->env->progress);
}

static void light_all(struct detail_job *job)
{
    size_t chunks = (arrlenu(job->props.objects) + CHUNK - 1) / CHUNK;
    progress_begin(job->env->progress, "detail props", chunks);
    parallel_for(job->env->threads, chunks, light_chunk, job);
    progress_end(job->env->progress);
    progress_count(job->env->progress, "detail props", (int64_t)arrlen(job->props.objects));
}

/* The same light for both sides. */
static void copy_sides(struct detail_job *job)
{
    for (size_t i = 0; i < arrlenu(job->props.objects); i++)
        for (ptrdiff_t k = 0; k < arrlen(job->entries[i]); k++)
            job->entries[i][k].light[!job->side] = job->entries[i][k].light[job->side];
}

void detail_light(const struct env *env, const struct point_lighter *lighter,
                  const struct vec3 *middles, enum light_sides sides, struct bsp *bsp)
{
    struct detail_job job = {.env = env,
                             .lighter = lighter,
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
        if (sides == SIDES_BOTH)
            copy_sides(&job);
        write_props(&job, bsp);
        write_light(&job, job.side, bsp);
        if (sides == SIDES_BOTH || bsp_game_lump(bsp, other))
            write_light(&job, !job.side, bsp);
        for (size_t i = 0; i < count; i++)
            arrfree(job.entries[i]);
        memory_free(job.entries);
    }
    detail_props_free(&job.props);
}
