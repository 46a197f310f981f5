#include "vrad/bounce/bounce_solve.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "common/parallel/parallel.h"
#include "vrad/bounce/irradiance_grid.h"
#include "vrad/luxels/luxel_set.h"

/* The light has converged when no point gains more than this, in steps of the file's 255 or
 * relative to its light; the remaining bounces are extrapolated from the decay of the gains. */
#define STEADY_STEP  0.02
#define STEADY_SHARE 0.001
/* Fraction of that by which the points of a face may change before its luxels are updated. */
#define MIN_CHANGE 0.125

/* Light at the points is computed by the rank that has traced the rays of the face. Each rank
 * spreads it to the luxels that its own rays hit, and at the end to all.
 *
 * Colours have four numbers here, the last of which is unused. */
struct face_solution {
    float *light;               /* at the points; NULL: the face has none */
    float *gained;              /* in the last iteration */
    float *spread;              /* light of the points at the last update of the luxels */
    struct point_views views;   /* from luxels to the points */
    int *seen;                  /* stb_ds array: luxels that rays hit, in ascending order */
    struct point_blend *blends; /* one for each of them */
    bool spreads;               /* the luxels are updated in this iteration */
    float gain;    /* maximum of the last iteration, in units of the convergence limit */
    float change;  /* maximum since the last update of the luxels, likewise */
    double sum[3]; /* of the gained light */
};

struct bounce_solution {
    const struct transport_rays *from;
    bool lit;              /* the surfaces emit direct light */
    struct luxel_set seen; /* the luxels of the map that rays hit, the sky and the unlit */
    float *leaving;        /* narrow maps: 3 for each of them, and one more number */
    float rest[3];         /* remaining light relative to the last gain */
    struct face_solution *faces;
};

/* The light that leaves a luxel that rays hit. */
static inline float *leaving_of(const struct bounce_solution *solver, size_t luxel)
{
    float *all = solver->from->radiosity->leaving;
    return all ? all + 3 * luxel
               : solver->leaving + (size_t)3 * luxel_set_rank(&solver->seen, luxel);
}

/* The light of what is no luxel, from index `first` on: on narrow maps it is among that of the
 * luxels that rays hit. */
static void take_others(struct bounce_solution *solver, size_t first, const float *leaving,
                        size_t count)
{
    for (size_t i = 0; !solver->from->radiosity->leaving && i < count; i++)
        if (luxel_set_has(&solver->seen, first + i))
            memcpy(leaving_of(solver, first + i), leaving + 3 * i, 3 * sizeof *leaving);
}

/* ---- static props that reflect: nothing where the map has none ---- */

/* A seen_light_look. */
static const float *look(const void *context, size_t seen, float room[3])
{
    (void)room;
    return leaving_of(context, seen);
}

static void take_props(struct bounce_solution *solver)
{
    struct radiosity *radiosity = solver->from->radiosity;
    const struct prop_radiosity *props = radiosity->map->props;
    radiosity_take_props(radiosity);
    if (props)
        take_others(solver, radiosity_black(radiosity) + 1, props->leaving, props->count);
}

static void bounce_off_props(const struct env *env, struct bounce_solution *solver)
{
    struct prop_radiosity *props = solver->from->radiosity->map->props;
    if (!props)
        return;
    prop_radiosity_bounce(props, env->threads, look, solver);
    take_props(solver);
}

/* ---- parts of luxels: nothing where none is split ---- */

static void take_subluxels(struct bounce_solution *solver)
{
    struct radiosity *radiosity = solver->from->radiosity;
    const struct subluxels *subluxels = radiosity->subluxels;
    radiosity_take_subluxels(radiosity);
    if (subluxels)
        take_others(solver, radiosity_subluxel(radiosity, 0), subluxels->leaving, subluxels->count);
}

static void bounce_off_subluxels(const struct env *env, struct bounce_solution *solver)
{
    const struct transport_rays *from = solver->from;
    subluxel_bounce(env, from->subluxels, look, solver, from->radiosity->map);
    take_subluxels(solver);
}

/* ---- luxels in steep light, by rays of their own ---- */

static void spread_steep(void *context, size_t number, int thread)
{
    const struct bounce_solution *solver = context;
    const struct radiosity *radiosity = solver->from->radiosity;
    const struct steep_luxels *steep = solver->from->steep;
    const struct steep_luxel at = steep->luxels[number];
    const struct face_light *light = &radiosity->map->faces[at.face];
    const float *direct = light->style_count ? light->direct[0] + 3 * (size_t)at.luxel : NULL;
    size_t index = radiosity->first[at.face] + (size_t)at.luxel;
    (void)thread;
    if (!radiosity->leaving && !luxel_set_has(&solver->seen, index))
        return;
    float *leaving = leaving_of(solver, index);
    for (size_t k = 0; k < 3; k++)
        leaving[k] =
            ((direct ? direct[k] : 0) + steep->light[3 * number + k]) * light->reflectivity[k];
}

static void bounce_off_steep(const struct env *env, struct bounce_solution *solver)
{
    struct steep_luxels *steep = solver->from->steep;
    steep_luxels_bounce(env, steep, look, solver);
    parallel_for(env->threads, steep->count, spread_steep, solver);
}

/* Once the points have their light. Where the light has converged, these have one more bounce
 * instead of the remainder that is added to the points. */
static void end_fine(const struct env *env, struct bounce_solution *solver, bool converged)
{
    const struct transport_rays *from = solver->from;
    struct radiosity *radiosity = from->radiosity;
    if (converged) {
        steep_luxels_bounce(env, from->steep, radiosity_look, radiosity);
        subluxel_bounce(env, from->subluxels, radiosity_look, radiosity, radiosity->map);
    }
    parallel_for(env->threads, from->steep->count, spread_steep, solver);
    radiosity_take_subluxels(radiosity);
}

static void trace_views(void *context, size_t face, int thread)
{
    (void)thread;
    struct bounce_solution *solver = context;
    const struct face_transport *from = &solver->from->of_face[face];
    const struct radiosity *radiosity = solver->from->radiosity;
    if (from->seen)
        point_views_trace(radiosity, (int)face, &from->grid, radiosity->map->narrow,
                          &solver->faces[face].views);
}

static void start_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct bounce_solution *solver = context;
    struct face_solution *solution = &solver->faces[face];
    const struct face_transport *from = &solver->from->of_face[face];
    size_t numbers = (size_t)irradiance_grid_points(&from->grid) * 4;
    size_t seen = arrlenu(solution->seen);
    if (!numbers)
        return;
    solution->light = memory_zalloc(3 * numbers, sizeof *solution->light);
    solution->gained = solution->light + numbers;
    solution->spread = solution->gained + numbers;
    solution->blends = memory_alloc((seen + 1) * sizeof *solution->blends);
    for (size_t i = 0; i < seen; i++)
        solution->blends[i] = point_blend_at(solver->from->radiosity, (int)face, &from->grid,
                                             &solution->views, solution->seen[i]);
}

static void leave_out(const struct secondary_lights *secondary, uint32_t luxel, float sum[3])
{
    const struct secondary_luxel *at = secondary_luxel_at(secondary, luxel);
    for (int k = 0; k < 3; k++)
        sum[k] -= at->residual[k];
}

static inline void transport_ray(const struct bounce_solution *solver, uint32_t seen,
                                 const float *light, float sum[4])
{
    for (size_t k = 0; k < 4; k++)
        sum[k] += light[k];
    if (seen & GATHER_CLAMPED && solver->lit)
        leave_out(solver->from->secondary, seen & ~GATHER_CLAMPED, sum);
}

/* Two loops, since the first takes a twentieth of all time on most maps. */
static void transport_to_point(const struct bounce_solution *solver, const uint32_t *seen,
                               size_t rays, float sum[4])
{
    const float *stored = solver->from->radiosity->leaving;
    for (size_t r = 0; r < rays && stored; r++)
        transport_ray(solver, seen[r], stored + 3 * (size_t)(seen[r] & ~GATHER_CLAMPED), sum);
    for (size_t r = 0; r < rays && !stored; r++)
        transport_ray(solver, seen[r], leaving_of(solver, seen[r] & ~GATHER_CLAMPED), sum);
}

/* Gathers the radiosity of the luxels at the points of a face. */
static void transport_to_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct bounce_solution *solver = context;
    struct face_solution *solution = &solver->faces[face];
    const struct face_transport *from = &solver->from->of_face[face];
    solution->gain = solution->change = 0;
    solution->spreads = false;
    memset(solution->sum, 0, sizeof solution->sum);
    if (!from->seen)
        return;
    size_t rays = (size_t)solver->from->table->rays;
    for (size_t i = 0; i < (size_t)irradiance_grid_points(&from->grid); i++) {
        float sum[4] = {0, 0, 0, 0};
        transport_to_point(solver, from->seen + i * rays, rays, sum);
        for (size_t k = 0; k < 3; k++) {
            size_t at = 4 * i + k;
            float now = sum[k] / (float)rays + (solver->lit ? from->secondary[3 * i + k] : 0);
            float unit = portable_fmaxf((float)STEADY_STEP, (float)STEADY_SHARE * now);
            solution->gained[at] = now - solution->light[at];
            solution->light[at] = now;
            solution->gain = portable_fmaxf(solution->gain, fabsf(solution->gained[at]) / unit);
            solution->change =
                portable_fmaxf(solution->change, fabsf(now - solution->spread[at]) / unit);
            solution->sum[k] += (double)solution->gained[at];
        }
    }
    solution->spreads = !solver->lit || solution->change >= (float)MIN_CHANGE;
}

/* Interpolates to a luxel. */
static void spread_to(const struct bounce_solution *solver, size_t face, int luxel,
                      const struct point_blend *blend, float *leaving)
{
    const struct face_light *light = &solver->from->radiosity->map->faces[face];
    const float *direct = light->style_count ? light->direct[0] + 3 * (size_t)luxel : NULL;
    float bounced[3];
    point_blend_light(blend, solver->faces[face].light, bounced);
    for (size_t k = 0; k < 3; k++)
        leaving[k] = (direct ? direct[k] + bounced[k] : bounced[k]) * light->reflectivity[k];
}

/* Luxels in steep light keep that of their own rays. */
static bool has_own_rays(const struct bounce_solution *solver, size_t luxel)
{
    return luxel_set_has(&solver->from->steep->set, luxel);
}

/* Interpolates from the points to those luxels of the face that rays hit. */
static void spread_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct bounce_solution *solver = context;
    struct face_solution *solution = &solver->faces[face];
    if (!solution->spreads)
        return;
    size_t points = (size_t)irradiance_grid_points(&solver->from->of_face[face].grid);
    size_t first = solver->from->radiosity->first[face];
    memcpy(solution->spread, solution->light, 4 * points * sizeof *solution->spread);
    for (ptrdiff_t i = 0; i < arrlen(solution->seen); i++)
        if (!has_own_rays(solver, first + (size_t)solution->seen[i]))
            spread_to(solver, face, solution->seen[i], &solution->blends[i],
                      leaving_of(solver, first + (size_t)solution->seen[i]));
}

/* Extrapolates the remainder. */
static void add_rest(void *context, size_t face, int thread)
{
    (void)thread;
    const struct bounce_solution *solver = context;
    struct face_solution *solution = &solver->faces[face];
    if (!solver->from->of_face[face].seen)
        return;
    size_t points = (size_t)irradiance_grid_points(&solver->from->of_face[face].grid);
    for (size_t i = 0; i < 4 * points; i++)
        solution->light[i] = portable_fmaxf(
            solution->light[i] + (i % 4 < 3 ? solver->rest[i % 4] : 0) * solution->gained[i], 0);
}

/* Interpolates to all luxels, unless they are evaluated where they are used. */
static void end_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct bounce_solution *solver = context;
    struct face_solution *solution = &solver->faces[face];
    const struct radiosity *radiosity = solver->from->radiosity;
    if (!solution->light)
        return;
    ptrdiff_t next = 0, seen = arrlen(solution->seen);
    for (int i = 0; i < radiosity->map->faces[face].count && radiosity->leaving; i++) {
        size_t luxel = radiosity->first[face] + (size_t)i;
        struct point_blend blend;
        if (next < seen && solution->seen[next] == i)
            blend = solution->blends[next++];
        else if (!has_own_rays(solver, luxel))
            blend = point_blend_at(radiosity, (int)face, &solver->from->of_face[face].grid,
                                   &solution->views, i);
        if (!has_own_rays(solver, luxel))
            spread_to(solver, face, i, &blend, radiosity->leaving + 3 * luxel);
    }
    arrfree(solution->seen);
    memory_free(solution->blends);
    solution->blends = NULL;
}

static void mark_hits(struct bounce_solution *solver, const uint32_t *seen, size_t count)
{
    for (size_t i = 0; i < count; i++)
        luxel_set_add(&solver->seen, seen[i] & ~GATHER_CLAMPED);
}

/* Until the light converges, only luxels that rays of this rank hit matter. */
static void mark_seen(struct bounce_solution *solver, size_t faces)
{
    const struct transport_rays *from = solver->from;
    const struct prop_radiosity *props = from->radiosity->map->props;
    size_t black = radiosity_black(from->radiosity);
    solver->seen = luxel_set_new(radiosity_count(from->radiosity));
    luxel_set_add(&solver->seen, radiosity_sky(from->radiosity));
    luxel_set_add(&solver->seen, black);
    for (size_t f = 0; f < faces; f++) {
        const struct face_transport *traced = &from->of_face[f];
        size_t rays = (size_t)irradiance_grid_points(&traced->grid) * (size_t)from->table->rays;
        mark_hits(solver, traced->seen, traced->seen ? rays : 0);
    }
    if (props)
        mark_hits(solver, props->seen, props->count * (size_t)props->rays);
    mark_hits(solver, from->subluxels->seen, from->subluxels->count);
    mark_hits(solver, from->steep->seen, from->steep->count * (size_t)from->steep->table->rays);
    size_t count = luxel_set_rank_all(&solver->seen);
    if (from->radiosity->leaving)
        return;
    solver->leaving = memory_zalloc(3 * count + 1, sizeof *solver->leaving);
    memcpy(leaving_of(solver, radiosity_sky(from->radiosity)), from->radiosity->sky,
           sizeof from->radiosity->sky);
    take_props(solver);
}

static void list_seen(void *context, size_t face, int thread)
{
    (void)thread;
    struct bounce_solution *solver = context;
    const struct radiosity *radiosity = solver->from->radiosity;
    size_t first = radiosity->first[face];
    for (int i = 0; i < radiosity->map->faces[face].count; i++)
        if (luxel_set_has(&solver->seen, first + (size_t)i))
            arrput(solver->faces[face].seen, i);
}

/* The direct light of the luxels that rays hit. */
static void start_direct(void *context, size_t face, int thread)
{
    (void)thread;
    struct bounce_solution *solver = context;
    struct radiosity *radiosity = solver->from->radiosity;
    if (radiosity->leaving) {
        radiosity_set_face(radiosity, (int)face, NULL);
        return;
    }
    for (ptrdiff_t i = 0; i < arrlen(solver->faces[face].seen); i++) {
        int luxel = solver->faces[face].seen[i];
        radiosity_evaluate_luxel(radiosity, (int)face, luxel,
                                 leaving_of(solver, radiosity->first[face] + (size_t)luxel));
    }
}

void bounce_solution_free(struct bounce_solution *solution)
{
    for (int i = 0; solution && i < solution->from->radiosity->map->face_count; i++) {
        arrfree(solution->faces[i].seen);
        memory_free(solution->faces[i].light);
        memory_free(solution->faces[i].blends);
        point_views_free(&solution->faces[i].views);
    }
    if (solution) {
        memory_free(solution->faces);
        luxel_set_free(&solution->seen);
        memory_free(solution->leaving);
    }
    memory_free(solution);
}

static void pack_light(const struct bounce_solution *solver, size_t face, struct bytes *out)
{
    size_t points = (size_t)irradiance_grid_points(&solver->from->of_face[face].grid);
    unsigned char *to = bytes_extend(out, 3 * points * sizeof(float));
    for (size_t i = 0; i < points; i++)
        memcpy(to + 3 * i * sizeof(float), solver->faces[face].light + 4 * i, 3 * sizeof(float));
}

static void unpack_light(struct bounce_solution *solver, size_t face, struct byte_reader *in)
{
    size_t points = (size_t)irradiance_grid_points(&solver->from->of_face[face].grid);
    if (points && !solver->faces[face].light)
        in->failed = true;
    for (size_t i = 0; i < points && !in->failed; i++)
        rank_floats(in, solver->faces[face].light + 4 * i, 3);
}

/* Packs a face; called for those whose rays this rank has. */
typedef void pack_face(const struct bounce_solution *solver, size_t face, struct bytes *out);

static void pack_faces(const struct bounce_solution *solver, pack_face *pack, struct bytes *out)
{
    for (size_t i = 0; i < (size_t)solver->from->radiosity->map->face_count; i++) {
        if (!solver->from->of_face[i].seen)
            continue;
        bytes_u32(out, (uint32_t)i);
        pack(solver, i, out);
    }
}

typedef void unpack_face(struct bounce_solution *solver, size_t face, struct byte_reader *in);

static void unpack_faces(struct bounce_solution *solver, unpack_face *unpack,
                         struct byte_reader *in)
{
    while (in->at < in->size && !in->failed) {
        uint32_t face = read_u32(in);
        /* This rank has its own faces. */
        if (face >= (uint32_t)solver->from->radiosity->map->face_count ||
            solver->from->of_face[face].seen)
            in->failed = true;
        else
            unpack(solver, face, in);
    }
}

static void pack_views(const struct bounce_solution *solver, size_t face, struct bytes *out)
{
    point_views_append(&solver->faces[face].views, &solver->from->of_face[face].grid,
                       (size_t)solver->from->radiosity->map->faces[face].count, out);
}

static void unpack_views(struct bounce_solution *solver, size_t face, struct byte_reader *in)
{
    point_views_free(&solver->faces[face].views); /* of a rank that sends it twice */
    point_views_take(in, &solver->from->of_face[face].grid,
                     (size_t)solver->from->radiosity->map->faces[face].count,
                     &solver->faces[face].views);
}

static void pack_gain(const struct bounce_solution *solver, size_t face, struct bytes *out)
{
    const struct face_solution *solution = &solver->faces[face];
    bytes_f32(out, solution->gain);
    bytes_append(out, solution->sum, sizeof solution->sum);
    bytes_u8(out, solution->spreads);
    if (solution->spreads)
        pack_light(solver, face, out);
}

static void unpack_gain(struct bounce_solution *solver, size_t face, struct byte_reader *in)
{
    struct face_solution *solution = &solver->faces[face];
    rank_floats(in, &solution->gain, 1);
    read_into(in, solution->sum, sizeof solution->sum);
    for (int k = 0; k < 3; k++)
        in->failed |= !isfinite(solution->sum[k]);
    solution->spreads = read_u8(in) != 0;
    if (solution->spreads)
        unpack_light(solver, face, in);
}

/* ranks_pack_rest and ranks_unpack_rest, in pairs. */
static void pack_all_views(void *context, struct bytes *out)
{
    pack_faces(context, pack_views, out);
}

static void unpack_all_views(void *context, struct byte_reader *in)
{
    unpack_faces(context, unpack_views, in);
}

static void pack_step(void *context, struct bytes *out)
{
    pack_faces(context, pack_gain, out);
}

static void unpack_step(void *context, struct byte_reader *in)
{
    unpack_faces(context, unpack_gain, in);
}

static void pack_end(void *context, struct bytes *out)
{
    pack_faces(context, pack_light, out);
}

static void unpack_end(void *context, struct byte_reader *in)
{
    unpack_faces(context, unpack_light, in);
}

/* One iteration; returns the maximum gain of a point (see solution.gain). */
static float step(const struct env *env, struct bounce_solution *solver, size_t faces,
                  double sum[3])
{
    float gain = 0;
    parallel_for_until(env->stop, env->threads, faces, transport_to_face, solver);
    env_exchange(env, solver, pack_step, unpack_step);
    parallel_for(env->threads, faces, spread_face, solver);
    bounce_off_steep(env, solver);
    bounce_off_subluxels(env, solver);
    if (solver->lit)
        bounce_off_props(env, solver);
    memset(sum, 0, 3 * sizeof *sum);
    for (size_t i = 0; i < faces; i++) {
        gain = portable_fmaxf(gain, solver->faces[i].gain);
        for (int k = 0; k < 3; k++)
            sum[k] += solver->faces[i].sum[k];
    }
    return gain;
}

/* The sum of the geometric series that continues gains of `before` and `last`. */
static float rest_of(double before, double last)
{
    double share = before > 0 && last > 0 ? portable_fmin(last / before, 0.99) : 0;
    return (float)(share / (1 - share));
}

/* Returns the number of iterations. */
static int iterate_bounces(const struct env *env, struct bounce_solution *solver, size_t faces,
                           int bounces)
{
    double sum[3] = {0}, before[3];
    float gain = 2;
    int done = 0;
    for (; done < bounces && gain > 1 && !env_stopped(env); done++) {
        memcpy(before, sum, sizeof before);
        gain = step(env, solver, faces, sum);
    }
    for (int k = 0; k < 3 && gain <= 1; k++)
        solver->rest[k] = rest_of(before[k], sum[k]);
    return done;
}

/* The bounced light at a luxel of a narrow map. */
static void solved_light(const void *context, int face, int luxel, float out[3])
{
    const struct bounce_solution *solver = context;
    const struct face_solution *solution = &solver->faces[face];
    memset(out, 0, 3 * sizeof *out);
    if (!solution->light)
        return;
    const struct steep_luxels *steep = solver->from->steep;
    size_t index = solver->from->radiosity->first[face] + (size_t)luxel;
    if (luxel_set_has(&steep->set, index)) {
        memcpy(out, steep->light + 3 * (size_t)luxel_set_rank(&steep->set, index), 3 * sizeof *out);
        return;
    }
    const struct point_blend blend = point_blend_at(
        solver->from->radiosity, face, &solver->from->of_face[face].grid, &solution->views, luxel);
    point_blend_light(&blend, solution->light, out);
}

/* From here on surfaces emit their direct light, in the radiosity of narrow maps as well. */
static void emit_direct(const struct env *env, struct bounce_solution *solver, size_t faces)
{
    solver->from->radiosity->emits = true;
    parallel_for(env->threads, faces, start_direct, solver);
    take_subluxels(solver);
}

/* A run that is asked to stop does not use what is made here. */
static void start_faces(const struct env *env, struct bounce_solution *solver, size_t faces)
{
    parallel_for_until(env->stop, env->threads, faces, trace_views, solver);
    if (env_stopped(env))
        return;
    env_exchange(env, solver, pack_all_views, unpack_all_views);
    parallel_for(env->threads, faces, start_face, solver);
}

static void end_faces(const struct env *env, struct bounce_solution *solver, size_t faces)
{
    parallel_for(env->threads, faces, add_rest, solver);
    env_exchange(env, solver, pack_end, unpack_end);
    parallel_for(env->threads, faces, end_face, solver);
}

struct bounce_solution *bounce_solve(const struct env *env, const struct transport_rays *transport,
                                     int bounces, int *followed)
{
    struct radiosity *radiosity = transport->radiosity;
    size_t faces = (size_t)radiosity->map->face_count;
    struct bounce_solution *solver = memory_zalloc(1, sizeof *solver);
    *solver = (struct bounce_solution){
        .from = transport, .faces = memory_zalloc(faces + 1, sizeof(struct face_solution))};
    bool has_sky = radiosity->sky[0] > 0 || radiosity->sky[1] > 0 || radiosity->sky[2] > 0;
    double sum[3];
    mark_seen(solver, faces);
    parallel_for(env->threads, faces, list_seen, solver);
    if (bounces > 0 || has_sky)
        start_faces(env, solver, faces);
    if (env_stopped(env))
        return solver;
    if (has_sky) {
        (void)step(env, solver, faces, sum); /* only the sky emits yet: not a bounce */
        radiosity->emits = true;
    } else {
        emit_direct(env, solver, faces);
    }
    solver->lit = true;
    *followed = iterate_bounces(env, solver, faces, bounces);
    if (*followed > 0 || has_sky)
        end_faces(env, solver, faces);
    radiosity->bounced = solved_light;
    radiosity->context = solver;
    end_fine(env, solver, *followed < bounces);
    return solver;
}
