#include "vrad/bounce/bounce_solve.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/parallel/parallel.h"

/* The light has converged when no point gains more than this, in steps of the file's 255 or
 * relative to its light; the remaining bounces are extrapolated from the decay of the gains. */
#define STEADY_STEP  0.02
#define STEADY_SHARE 0.001
/* Fraction of that by which the points of a face may change before its luxels are updated. */
#define MIN_CHANGE 0.125

/* Interpolation of a luxel from the points around it. */
struct blend {
    int point[4];
    float weight[4];
};

/* Colours have four numbers here, the last of which is unused. */
struct face_solution {
    float *light;         /* at the points */
    float *gained;        /* in the last iteration */
    float *spread;        /* light of the points at the last update of the luxels */
    struct blend *blends; /* one per luxel */
    int *seen;            /* stb_ds array: luxels that rays hit */
    float gain;           /* maximum of the last iteration, in units of the convergence limit */
    float change;         /* maximum since the last update of the luxels, likewise */
    double sum[3];        /* of the gained light */
};

struct solver {
    const struct transport_rays *from;
    bool lit;            /* the surfaces emit direct light */
    bool all;            /* also update luxels that no ray hits */
    unsigned char *seen; /* one per luxel of the map */
    float rest[3];       /* remaining light relative to the last gain */
    struct face_solution *solutions;
};

/* Clears the weights of points that the luxel does not see, unless it sees none. */
static void drop_unseen(const struct radiosity *radiosity, int face,
                        const struct irradiance_grid *grid, int luxel, struct blend *blend)
{
    const struct face_light *light = &radiosity->map->faces[face];
    int from[4], to[4];
    for (int k = 0; k < 4; k++) {
        from[k] = luxel;
        to[k] = irradiance_grid_luxel(light, grid, blend->point[k]);
    }
    uint32_t seen = irradiance_grid_visible(radiosity, face, from, to, 4);
    float weight[4], total = 0;
    for (int pass = 0; pass < 2 && total < 1e-3f; pass++) {
        total = 0;
        for (int k = 0; k < 4; k++) {
            bool counts = !light->luxels[to[k]].hidden && (pass || seen >> k & 1);
            weight[k] = counts ? blend->weight[k] : 0;
            total += weight[k];
        }
    }
    for (int k = 0; k < 4; k++)
        blend->weight[k] = total > 0 ? weight[k] / total : 0;
}

static void blend_cell(const struct radiosity *radiosity, int face,
                       const struct irradiance_grid *grid, int column, int row,
                       struct blend *blends)
{
    const struct face_light *light = &radiosity->map->faces[face];
    int right = column + 1 < grid->column_count ? column + 1 : column;
    int below = row + 1 < grid->row_count ? row + 1 : row;
    int i0 = grid->columns[column], i1 = grid->columns[right];
    int j0 = grid->rows[row], j1 = grid->rows[below];
    int points[4] = {row * grid->column_count + column, row * grid->column_count + right,
                     below * grid->column_count + column, below * grid->column_count + right};
    int corners[4];
    for (int k = 0; k < 4; k++)
        corners[k] = irradiance_grid_luxel(light, grid, points[k]);
    bool open = irradiance_grid_is_open(radiosity, face, corners, 4);
    bool last_row = row + 2 >= grid->row_count, last = column + 2 >= grid->column_count;
    for (int j = row ? j0 : 0; j <= (last_row ? light->height - 1 : j1); j++) {
        for (int i = column ? i0 : 0; i <= (last ? light->width - 1 : i1); i++) {
            float u = irradiance_grid_weight(i, i0, i1, open ? grid->beyond[0] : 0);
            float v = irradiance_grid_weight(j, j0, j1, open ? grid->beyond[1] : 0);
            struct blend blend = {{points[0], points[1], points[2], points[3]},
                                  {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v}};
            int luxel = j * light->width + i;
            if (!open)
                drop_unseen(radiosity, face, grid, luxel, &blend);
            blends[luxel] = blend;
        }
    }
}

static void start_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct solver *solver = context;
    struct face_solution *solution = &solver->solutions[face];
    const struct face_transport *from = &solver->from->of_face[face];
    const struct irradiance_grid *grid = &from->grid;
    if (!from->seen)
        return;
    size_t count = (size_t)solver->from->radiosity->map->faces[face].count;
    size_t numbers = (size_t)irradiance_grid_points(grid) * 4;
    solution->light = memory_zalloc(3 * numbers, sizeof *solution->light);
    solution->gained = solution->light + numbers;
    solution->spread = solution->gained + numbers;
    solution->blends = memory_alloc(count * sizeof *solution->blends);
    for (int row = 0; row == 0 || row + 1 < grid->row_count; row++)
        for (int column = 0; column == 0 || column + 1 < grid->column_count; column++)
            blend_cell(solver->from->radiosity, (int)face, grid, column, row, solution->blends);
}

static void leave_out(const struct secondary_lights *secondary, uint32_t luxel, float sum[3])
{
    const struct secondary_luxel *at = secondary_luxel_at(secondary, luxel);
    for (int k = 0; k < 3; k++)
        sum[k] -= at->residual[k];
}

static void transport_to_point(const struct solver *solver, const uint32_t *seen, size_t rays,
                               float sum[4])
{
    const float *leaving = solver->from->radiosity->leaving;
    for (size_t r = 0; r < rays; r++) {
        uint32_t luxel = seen[r] & ~GATHER_CLAMPED;
        const float *light = leaving + 3 * (size_t)luxel;
        for (size_t k = 0; k < 4; k++)
            sum[k] += light[k];
        if (seen[r] & GATHER_CLAMPED && solver->lit)
            leave_out(solver->from->secondary, luxel, sum);
    }
}

/* Gathers the radiosity of the luxels at the points of a face. */
static void transport_to_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct solver *solver = context;
    struct face_solution *solution = &solver->solutions[face];
    const struct face_transport *from = &solver->from->of_face[face];
    solution->gain = solution->change = 0;
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
            float unit = fmaxf((float)STEADY_STEP, (float)STEADY_SHARE * now);
            solution->gained[at] = now - solution->light[at];
            solution->light[at] = now;
            solution->gain = fmaxf(solution->gain, fabsf(solution->gained[at]) / unit);
            solution->change = fmaxf(solution->change, fabsf(now - solution->spread[at]) / unit);
            solution->sum[k] += (double)solution->gained[at];
        }
    }
}

static void spread_luxel(const struct blend *blend, const float *light, const float *direct,
                         const float reflectivity[3], float *leaving)
{
    float sum[4] = {0, 0, 0, 0};
    for (int p = 0; p < 4; p++) {
        const float *from = light + 4 * (size_t)blend->point[p], weight = blend->weight[p];
        for (size_t k = 0; k < 4; k++)
            sum[k] += weight * from[k];
    }
    for (size_t k = 0; k < 3; k++) {
        float bounced = sum[k] > 0 ? sum[k] : 0;
        leaving[k] = (direct ? direct[k] + bounced : bounced) * reflectivity[k];
    }
}

static void spread_to(const struct solver *solver, size_t face, size_t luxel)
{
    const struct radiosity *radiosity = solver->from->radiosity;
    const struct face_light *light = &radiosity->map->faces[face];
    const struct face_solution *solution = &solver->solutions[face];
    const float *direct = light->style_count ? light->direct[0] + 3 * luxel : NULL;
    spread_luxel(&solution->blends[luxel], solution->light, direct, light->reflectivity,
                 radiosity->leaving + 3 * (radiosity->first[face] + luxel));
}

/* Interpolates from the points to those luxels of the face that rays hit. */
static void spread_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct solver *solver = context;
    struct face_solution *solution = &solver->solutions[face];
    if (!solution->blends || (solver->lit && solution->change < (float)MIN_CHANGE))
        return;
    size_t points = (size_t)irradiance_grid_points(&solver->from->of_face[face].grid);
    memcpy(solution->spread, solution->light, 4 * points * sizeof *solution->spread);
    for (ptrdiff_t i = 0; i < arrlen(solution->seen); i++)
        spread_to(solver, face, (size_t)solution->seen[i]);
}

/* Interpolates to all luxels, with the extrapolated remainder. */
static void end_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct solver *solver = context;
    struct face_solution *solution = &solver->solutions[face];
    if (!solution->blends)
        return;
    size_t points = (size_t)irradiance_grid_points(&solver->from->of_face[face].grid);
    for (size_t i = 0; i < 4 * points; i++)
        solution->light[i] = fmaxf(
            solution->light[i] + (i % 4 < 3 ? solver->rest[i % 4] : 0) * solution->gained[i], 0);
    for (size_t i = 0; i < (size_t)solver->from->radiosity->map->faces[face].count; i++)
        spread_to(solver, face, i);
}

/* Until the light converges, only luxels that rays hit matter. */
static void mark_seen(struct solver *solver, size_t faces)
{
    const struct transport_rays *from = solver->from;
    solver->seen = memory_zalloc(radiosity_black(from->radiosity) + 1, 1);
    for (size_t f = 0; f < faces; f++) {
        const struct face_transport *traced = &from->of_face[f];
        size_t rays = (size_t)irradiance_grid_points(&traced->grid) * (size_t)from->table->rays;
        for (size_t i = 0; i < rays && traced->seen; i++)
            solver->seen[traced->seen[i] & ~GATHER_CLAMPED] = 1;
    }
}

static void list_seen(void *context, size_t face, int thread)
{
    (void)thread;
    struct solver *solver = context;
    const struct radiosity *radiosity = solver->from->radiosity;
    const unsigned char *seen = solver->seen + radiosity->first[face];
    for (int i = 0; solver->solutions[face].blends && i < radiosity->map->faces[face].count; i++)
        if (seen[i])
            arrput(solver->solutions[face].seen, i);
}

static void free_solutions(struct solver *solver, size_t faces)
{
    for (size_t i = 0; i < faces; i++) {
        arrfree(solver->solutions[i].seen);
        memory_free(solver->solutions[i].light);
        memory_free(solver->solutions[i].blends);
    }
    memory_free(solver->solutions);
    memory_free(solver->seen);
}

/* One iteration; returns the maximum gain of a point (see solution.gain). */
static float step(const struct env *env, struct solver *solver, size_t faces, double sum[3])
{
    float gain = 0;
    parallel_for(env->threads, faces, transport_to_face, solver);
    parallel_for(env->threads, faces, spread_face, solver);
    memset(sum, 0, 3 * sizeof *sum);
    for (size_t i = 0; i < faces; i++) {
        gain = fmaxf(gain, solver->solutions[i].gain);
        for (int k = 0; k < 3; k++)
            sum[k] += solver->solutions[i].sum[k];
    }
    return gain;
}

/* The sum of the geometric series that continues gains of `before` and `last`. */
static float rest_of(double before, double last)
{
    double share = before > 0 && last > 0 ? fmin(last / before, 0.99) : 0;
    return (float)(share / (1 - share));
}

/* Returns the number of iterations. */
static int iterate_bounces(const struct env *env, struct solver *solver, size_t faces, int bounces)
{
    double sum[3] = {0}, before[3];
    float gain = 2;
    int done = 0;
    for (; done < bounces && gain > 1; done++) {
        memcpy(before, sum, sizeof before);
        gain = step(env, solver, faces, sum);
    }
    for (int k = 0; k < 3 && gain <= 1; k++)
        solver->rest[k] = rest_of(before[k], sum[k]);
    return done;
}

int bounce_solve(const struct env *env, const struct transport_rays *transport, int bounces)
{
    struct radiosity *radiosity = transport->radiosity;
    size_t faces = (size_t)radiosity->map->face_count;
    struct solver solver = {.from = transport,
                            .solutions = memory_zalloc(faces + 1, sizeof(struct face_solution))};
    const float *sky = radiosity->leaving + 3 * radiosity_sky(radiosity);
    bool has_sky = sky[0] > 0 || sky[1] > 0 || sky[2] > 0;
    double sum[3];
    if (bounces > 0 || has_sky)
        parallel_for(env->threads, faces, start_face, &solver);
    mark_seen(&solver, faces);
    parallel_for(env->threads, faces, list_seen, &solver);
    for (size_t i = 0; i < faces; i++)
        if (radiosity->map->faces[i].kept) /* their light is constant */
            radiosity_set_face(radiosity, (int)i, NULL);
    if (has_sky)
        (void)step(env, &solver, faces, sum); /* only the sky emits yet: not a bounce */
    else
        radiosity_collect(radiosity, env->threads);
    solver.lit = true;
    int done = iterate_bounces(env, &solver, faces, bounces);
    if (done > 0 || has_sky)
        parallel_for(env->threads, faces, end_face, &solver);
    free_solutions(&solver, faces);
    return done;
}
