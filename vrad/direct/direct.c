#include "vrad/direct/direct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/lightmaps.def"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "vrad/direct/direct_parts.h"
#include "vrad/direct/near_patch.h"
#include "vrad/direct/shadow_marks.h"
#include "vrad/direct/sky_light.h"
#include "vrad/direct/visibility_sampling.h"
#include "vrad/lights/light_set.h"
#include "vrad/luxels/luxel_state.h"
#include "vrad/scene/ray_hit_cache.h"
#include "vrad/store/light_store.h"

/* Maximum number of styles per face before the strongest are chosen. */
enum { MAX_STYLES = 64 };

/* Faces per job. */
enum { FACES = 16 };

/* Maximum number of styles in a message, and of lights of each. */
enum { NAMED_STYLES = 4, NAMED_LIGHTS = 3 };

struct face_result {
    int dropped_count;
    uint8_t dropped[MAX_STYLES]; /* styles */
    int64_t rays[RAY_KINDS];
};

struct job {
    const struct env *env;
    const struct scene *scene;
    const struct light_set *lights;
    const struct direct_options *options;
    struct luxel_map *map;
    struct sky_table sky_table;
    struct occluders occluders, skies;
    struct reaching_lights reaching;
    struct direct_parts parts;
    struct arena *scratch;       /* one per thread */
    struct shadow_plane *planes; /* one per thread */
    struct float_pool *rooms;    /* one per thread */
    int **last_umbra;            /* one per thread */
    struct face_result *results;
};

/* ---- one face ---- */

/* A face, and the state of its lighting. */
struct lit_face {
    struct receiver to;
    struct ray_samples samples;
    struct near_caches fine;
    struct face_shadows shadows;
    const struct reaching_lights *from;
    const struct candidate *candidates; /* stb_ds array of them */
    struct light_contribution
        *contributions; /* stb_ds array: of the lights that may reach the face */
};

/* Makes the origins of rays, once per face. */
static void make_ray_samples(struct lit_face *work)
{
    struct receiver *to = &work->to;
    size_t count = (size_t)to->face->count;
    if (work->samples.coarse.point[0])
        return;
    sample_rows_init(&work->samples.coarse, to->arena, count * LUXEL_COARSE);
    sample_rows_init(&work->samples.middle, to->arena, count);
    if (work->shadows.points)
        face_samples_rows(work->shadows.points, to, &work->samples.coarse);
    else
        coarse_samples_make(to, &work->samples.coarse);
    middle_samples_make(to, &work->samples.middle);
}

/* Marks the luxels of which rays have to tell what is before the light. */
static void mark_shadows(const struct receiver *to, const struct face_shadows *shadows,
                         struct light_contribution *contribution)
{
    if (to->face->no_shadows || to->options->everywhere)
        return;
    if (!shadows->points)
        shadow_marks_unknown(to, contribution);
    else if (contribution->light->type == WORLDLIGHT_SKY)
        sun_visibility_mark(to, shadows, contribution);
    else
        local_light_mark(to, shadows, contribution);
}

/* Keeps what a light contributes, and adds it to the total of the luxels. */
static void keep(struct lit_face *work, const struct light_contribution *contribution)
{
    const struct receiver *to = &work->to;
    arrput(work->contributions, *contribution);
    for (int row = 0; row < contribution->height; row++) {
        float *total = to->total + (contribution->top + row) * to->face->width + contribution->left;
        const float *sum = contribution->sum + row * contribution->width;
        for (int i = 0; i < contribution->width; i++)
            total[i] += contribution->grey * sum[i];
    }
}

static void add_share(struct lit_face *work, const struct candidate *from)
{
    struct receiver *to = &work->to;
    struct face_shadows *shadows = &work->shadows;
    const struct light_set *lights = work->from->set;
    const struct light *light = &lights->lights[from->light];
    struct light_contribution contribution = {.light = light,
                                              .number = from->light,
                                              .reach = candidate_reach(to, work->from, from->light),
                                              .grey = (float)fabs(light_grey(light))};
    double whole = light_whole(light, light_grey(light));
    contribution.min = (float)(to->options->min / whole);
    contribution.received = (float)(light_end_received(lights, light) / whole);
    contribution.end =
        lights->end.envelope > 0 ? work->from->radii.distance[from->light] : INFINITY;
    contribution.near = from->near ? near_patch_luxels(to, light) : NULL;
    bool sun = light->type == WORLDLIGHT_SKY;
    if (!shadows->points || to->face->no_shadows ||
        !(sun ? sun_visibility_resolve(to, shadows, &contribution)
              : local_light_visibility(to, shadows, &contribution, from->far))) {
        make_ray_samples(work);
        mark_shadows(to, shadows, &contribution);
        sample_visibility(to, &work->samples, &contribution, from->far);
    }
    if (contribution.width)
        keep(work, &contribution);
    if (!contribution.near)
        return;
    contribution = near_patch_light(to, &work->fine, &contribution);
    keep(work, &contribution);
}

static int earlier_first(const void *a, const void *b)
{
    const struct light_contribution *x = a, *y = b;
    return (x->light > y->light) - (x->light < y->light);
}

/* The strongest lights come first: relative to them the others need less precision. Then the
 * contributions are sorted into the order of the lights. */
static void find_contributions(struct lit_face *work)
{
    for (ptrdiff_t i = 0; i < arrlen(work->candidates); i++)
        add_share(work, &work->candidates[i]);
    if (work->contributions)
        qsort(work->contributions, arrlenu(work->contributions), sizeof *work->contributions,
              earlier_first);
}

/* ---- styles ---- */

struct style_sum {
    int style;
    double weight; /* sum of its light on the face, for the choice */
    float *colours;
};

struct style_table {
    struct style_sum sums[MAX_STYLES];
    int count;
};

static float *style_colours(struct style_table *table, const struct face_light *face, int style)
{
    for (int i = 0; i < table->count; i++)
        if (table->sums[i].style == style)
            return table->sums[i].colours;
    if (table->count == MAX_STYLES)
        return NULL;
    struct style_sum *sum = &table->sums[table->count++];
    sum->style = style;
    sum->weight = 0;
    sum->colours = memory_zalloc(3 * (size_t)(face->slots * face->count), sizeof(float));
    return sum->colours;
}

static void add_row(float *restrict colours, const float *restrict contributions, int count,
                    const struct light *light)
{
    float red = (float)light->intensity.x, green = (float)light->intensity.y;
    float blue = (float)light->intensity.z;
    for (int i = 0; i < count; i++) {
        colours[3 * i] += contributions[i] * red;
        colours[3 * i + 1] += contributions[i] * green;
        colours[3 * i + 2] += contributions[i] * blue;
    }
}

static void add_tint(float *colours, const struct light *light, const float *tint, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            colours[3 * i + k] += tint[3 * i + k] * (float)light->intensity.e[k];
}

static void add_colours(struct style_table *table, const struct face_light *face,
                        const struct light_contribution *contribution)
{
    int window = contribution->width * contribution->height, all = face->slots * window;
    bool any = false;
    for (int i = 0; i < all && !any; i++)
        any = contribution->sum[i] > 0;
    float *colours = any ? style_colours(table, face, contribution->light->style) : NULL;
    for (int j = 0; j < face->slots && colours; j++)
        for (int row = 0; row < contribution->height; row++) {
            int at = (contribution->top + row) * face->width + contribution->left;
            add_row(colours + (ptrdiff_t)3 * (j * face->count + at),
                    contribution->sum + j * window + row * contribution->width, contribution->width,
                    contribution->light);
        }
    if (colours && contribution->tint)
        add_tint(colours, contribution->light, contribution->tint, all);
}

/* Keeps style 0 and the strongest others, in the order of their first lights. */
static void keep_styles(struct style_table *table, struct face_light *face,
                        struct face_result *result)
{
    for (int s = 1; s < table->count; s++)
        for (int i = 0; i < 3 * face->count; i++)
            table->sums[s].weight += (double)table->sums[s].colours[i];
    while (table->count > BSP_FACE_STYLES) {
        int weakest = 1;
        for (int s = 2; s < table->count; s++)
            if (table->sums[s].weight < table->sums[weakest].weight)
                weakest = s;
        result->dropped[result->dropped_count++] = (uint8_t)table->sums[weakest].style;
        memory_free(table->sums[weakest].colours);
        memmove(&table->sums[weakest], &table->sums[weakest + 1],
                (size_t)(table->count - weakest - 1) * sizeof *table->sums);
        table->count--;
    }
    face->style_count = table->count;
    for (int s = 0; s < table->count; s++) {
        face->styles[s] = (uint8_t)table->sums[s].style;
        face->direct[s] = table->sums[s].colours;
    }
}

static void add_sky(struct lit_face *work, const struct sky_table *table,
                    struct style_table *styles)
{
    struct receiver *to = &work->to;
    const struct light *light = &work->from->set->lights[work->from->set->sky];
    struct light_contribution sky = {
        .light = light, .width = to->face->width, .height = to->face->height};
    sky.sum = ARENA_ARRAY(to->arena, float, (size_t)(to->face->slots * to->face->count));
    make_ray_samples(work);
    const struct sky_lookup lookup = {table, &work->samples.coarse};
    sky_light(to, &lookup, light_grey(light), sky.sum);
    add_colours(styles, to->face, &sky);
}

static void light_luxels(const struct job *job, struct lit_face *work, struct face_result *result)
{
    const struct direct_options *options = job->options;
    struct style_table styles = {.count = 0};
    struct face_light *face = work->to.face;
    find_contributions(work);
    if (!options->fast && options->fine > 0)
        supersample(&work->to, &work->shadows, work->contributions, &work->fine.usual);
    style_colours(&styles, face, 0);
    for (ptrdiff_t i = 0; i < arrlen(work->contributions); i++)
        add_colours(&styles, face, &work->contributions[i]);
    if (options->sky_rays > 0 && job->lights->sky >= 0 &&
        light_reaches_any(job->lights, job->lights->sky, face->clusters))
        add_sky(work, &job->sky_table, &styles);
    keep_styles(&styles, face, result);
    memcpy(result->rays, work->to.rays, sizeof result->rays);
    arrfree(work->contributions);
    arrfree(work->shadows.penumbra_luxels);
}

static struct receiver receiver_of(const struct job *job, size_t index, int thread)
{
    return (struct receiver){.scene = job->scene,
                             .map = job->map,
                             .options = job->options,
                             .face = &job->map->faces[index],
                             .arena = &job->scratch[thread]};
}

static bool is_lit(const struct face_light *face)
{
    return face->count > 0;
}

static void make_caches(struct lit_face *work)
{
    const struct receiver *to = &work->to;
    size_t count = (size_t)to->face->count;
    int fine = to->options->fine;
    struct fine_samples *samples = ARENA_ARRAY(to->arena, struct fine_samples, 2 * count);
    work->fine.usual =
        (struct fine_cache){.wanted = fine > 0 ? fine : LUXEL_COARSE, .luxels = samples};
    work->fine.sharp = (struct fine_cache){.wanted = fine > 0 ? LUXEL_FINE : LUXEL_COARSE,
                                           .luxels = samples + count};
}

static void light_face(struct job *job, size_t index, const struct candidate *candidates,
                       int thread)
{
    struct lit_face work = {.to = receiver_of(job, index, thread),
                            .shadows = {.occluders = &job->occluders,
                                        .skies = &job->skies,
                                        .plane = &job->planes[thread],
                                        .last_umbra = job->last_umbra[thread]},
                            .from = &job->reaching,
                            .candidates = candidates};
    const struct direct_options *options = job->options;
    const struct face_light *face = work.to.face;
    if (is_lit(face)) {
        receiver_begin(&work.to);
        make_caches(&work);
        if (!face->mesh && !options->everywhere)
            work.shadows.points =
                face_samples_new(&work.to, work.shadows.plane, &job->rooms[thread]);
        if (!work.shadows.points)
            make_ray_samples(&work);
        light_luxels(job, &work, &job->results[index]);
        arena_reset(work.to.arena);
    }
    progress_step(job->env->progress);
}

/* ---- consecutive faces: they are close to each other, so that they often share occluders ---- */

static size_t end_of(const struct job *job, size_t index)
{
    size_t end = (index + 1) * FACES, count = (size_t)job->map->face_count;
    return end < count ? end : count;
}

static void find_candidates(const struct job *job, size_t index, int thread,
                            struct candidate *out[FACES])
{
    for (size_t i = index * FACES; i < end_of(job, index); i++) {
        const struct receiver to = receiver_of(job, i, thread);
        out[i - index * FACES] = is_lit(to.face) ? candidates_find(&to, &job->reaching) : NULL;
        arena_reset(to.arena);
    }
}

static void free_candidates(const struct job *job, size_t index, struct candidate *list[FACES])
{
    for (size_t i = index * FACES; i < end_of(job, index); i++)
        arrfree(list[i - index * FACES]);
}

static void trace_faces(struct job *job, size_t index, struct candidate *const candidates[FACES],
                        int thread)
{
    for (size_t i = 0; i < arrlenu(job->lights->lights); i++)
        job->last_umbra[thread][i] = -1;
    for (size_t i = index * FACES; i < end_of(job, index); i++)
        light_face(job, i, candidates[i - index * FACES], thread);
}

/* A ranks_pack. */
static void pack_faces(void *context, size_t index, struct bytes *out)
{
    const struct job *job = context;
    for (size_t i = index * FACES; i < end_of(job, index); i++) {
        luxel_state_append_direct(&job->map->faces[i], out);
        bytes_append(out, &job->results[i], sizeof job->results[i]);
        ray_hit_cache_append_face(job->scene->ray_hit_cache, i, out);
    }
}

static void read_result(struct byte_reader *from, struct face_result *out)
{
    read_into(from, out, sizeof *out);
    bool fits = out->dropped_count >= 0 && out->dropped_count <= MAX_STYLES;
    for (int i = 0; i < RAY_KINDS; i++)
        fits = fits && out->rays[i] >= 0 && out->rays[i] <= RANK_MAX_COUNT;
    from->failed |= !fits;
}

/* True when what read_faces would read is sound. */
static bool look_at_faces(const struct job *job, size_t index, struct byte_reader *from)
{
    const size_t count = (size_t)job->map->face_count;
    bool fit = true;
    for (size_t i = index * FACES; i < end_of(job, index) && fit; i++) {
        struct face_result result;
        fit = luxel_state_look_direct(from, &job->map->faces[i]);
        read_result(from, &result);
        fit = fit && ray_hit_cache_read(NULL, count, from) && !from->failed;
    }
    return fit;
}

/* Reads what look_at_faces has found to be sound. */
static void read_faces(struct job *job, size_t index, struct byte_reader *from)
{
    const size_t count = (size_t)job->map->face_count;
    for (size_t i = index * FACES; i < end_of(job, index); i++) {
        luxel_state_take_direct(from, &job->map->faces[i]);
        read_result(from, &job->results[i]);
        if (!ray_hit_cache_read(job->scene->ray_hit_cache, count, from))
            from->failed = true;
    }
}

/* A ranks_unpack. */
static void unpack_faces(void *context, size_t index, struct byte_reader *from)
{
    struct job *job = context;
    struct byte_reader look = *from;
    if (look_at_faces(job, index, &look))
        read_faces(job, index, from);
    else
        from->failed = true;
}

/* ---- the store ---- */

static bool take_faces(struct job *job, size_t index, const unsigned char key[SHA256_SIZE])
{
    struct byte_reader from;
    if (!light_store_find(job->parts.store, LIGHT_PART_OF_FACES, key, &from))
        return false;
    struct byte_reader look = from;
    const bool fits = look_at_faces(job, index, &look) && look.at == look.size;
    if (!fits) {
        light_store_refuse(job->parts.store, LIGHT_PART_OF_FACES, key);
        return false;
    }
    read_faces(job, index, &from);
    for (size_t i = index * FACES; i < end_of(job, index); i++)
        progress_step(job->env->progress);
    return true;
}

static void keep_faces(struct job *job, size_t index, const unsigned char key[SHA256_SIZE])
{
    struct bytes part = {0};
    pack_faces(job, index, &part);
    light_store_put(job->parts.store, LIGHT_PART_OF_FACES, key, &part);
    bytes_free(&part);
}

static void light_faces(void *context, size_t index, int thread)
{
    struct job *job = context;
    unsigned char key[SHA256_SIZE];
    struct candidate *candidates[FACES];
    bool is_found = false;
    find_candidates(job, index, thread, candidates);
    if (job->parts.store) {
        direct_parts_key(&job->parts, index * FACES, end_of(job, index), candidates, key);
        is_found = take_faces(job, index, key);
    }
    if (!is_found)
        trace_faces(job, index, candidates, thread);
    if (job->parts.store && !is_found)
        keep_faces(job, index, key);
    free_candidates(job, index, candidates);
}

/* ---- messages ---- */

/* "32 (light 71)": a style and the first lights that have it, by their ids in the editor. */
static void name_style(const struct job *job, int style, struct diag_where *where, char *out,
                       size_t room)
{
    int named = 0;
    size_t used = (size_t)snprintf(out, room, "%d", style);
    for (ptrdiff_t i = arrlen(job->lights->lights) - 1; i >= 0 && named < NAMED_LIGHTS; i--) {
        const struct light *light = &job->lights->lights[i];
        int id = light->style == style ? light_id(light) : 0;
        if (id <= 0)
            continue;
        used += (size_t)snprintf(out + used, room - used, named ? ", %d" : " (light %d", id);
        named++;
        if (!where->entity_id)
            where->entity_id = id;
    }
    snprintf(out + used, room - used, named ? ")" : "");
}

static void report_styles(const struct job *job, int face)
{
    const struct face_result *result = &job->results[face];
    struct diag_where where = {.has_point = true};
    char names[NAMED_STYLES][64], text[NAMED_STYLES * 68] = "";
    size_t used = 0;
    for (int k = 0; k < 3; k++)
        where.point[k] = luxel_position(&job->map->faces[face], 0).e[k];
    for (int i = 0; i < result->dropped_count && i < NAMED_STYLES; i++) {
        name_style(job, result->dropped[i], &where, names[i], sizeof names[i]);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "", names[i]);
    }
    diag_report(job->env->diag, DIAG_LIGHTMAP_STYLES, &where,
                "face %d has %d too many; dropped: %s%s", face, result->dropped_count, text,
                result->dropped_count > NAMED_STYLES ? " ..." : "");
}

static void report(const struct job *job)
{
    static const char *const names[RAY_KINDS] = {"shadow rays to lights", "shadow rays to the sun",
                                                 "shadow rays to the sky", "supersampling rays"};
    int64_t rays[RAY_KINDS] = {0};
    for (int i = 0; i < job->map->face_count; i++) {
        const struct face_result *result = &job->results[i];
        for (int k = 0; k < RAY_KINDS; k++)
            rays[k] += result->rays[k];
        if (result->dropped_count)
            report_styles(job, i);
    }
    for (int k = 0; k < RAY_KINDS; k++)
        progress_count(job->env->progress, names[k], rays[k]);
}

void direct_light(const struct env *env, const struct scene *scene, const struct light_set *lights,
                  const struct direct_options *options, struct luxel_map *map)
{
    size_t faces = (size_t)map->face_count, threads = (size_t)env->threads;
    struct job job = {.env = env,
                      .scene = scene,
                      .lights = lights,
                      .options = options,
                      .map = map,
                      .scratch = memory_zalloc(threads, sizeof(struct arena)),
                      .planes = memory_zalloc(threads, sizeof(struct shadow_plane)),
                      .rooms = memory_zalloc(threads, sizeof(struct float_pool)),
                      .last_umbra = memory_zalloc(threads, sizeof(int *)),
                      .results = memory_zalloc(faces + 1, sizeof(struct face_result))};
    if (options->sky_rays > 0)
        sky_table_init(&job.sky_table, options->sky_rays);
    progress_begin(env->progress, "direct light", faces);
    occluders_build(scene, &job.occluders);
    occluders_build_sky(scene, &job.skies);
    reaching_lights_make(lights, options, &job.reaching);
    direct_parts_begin(options->store, scene, &job.reaching, options, &job.parts);
    for (size_t i = 0; i < threads; i++)
        job.last_umbra[i] = memory_zalloc(arrlenu(lights->lights) + 1, sizeof(int));
    env_loop(env, &(struct ranks_loop){.count = (faces + FACES - 1) / FACES,
                                       .item = light_faces,
                                       .context = &job,
                                       .pack = pack_faces,
                                       .unpack = unpack_faces,
                                       .progress = env->progress});
    progress_end(env->progress);
    report(&job);
    for (size_t i = 0; i < threads; i++) {
        arena_free(&job.scratch[i]);
        shadow_plane_free(&job.planes[i]);
        memory_free(job.rooms[i].floats);
        memory_free(job.last_umbra[i]);
    }
    occluders_free(&job.occluders);
    occluders_free(&job.skies);
    direct_parts_end(&job.parts);
    reaching_lights_free(&job.reaching);
    memory_free(job.planes);
    memory_free(job.rooms);
    memory_free(job.last_umbra);
    if (options->sky_rays > 0)
        sky_table_free(&job.sky_table);
    memory_free(job.scratch);
    memory_free(job.results);
}
