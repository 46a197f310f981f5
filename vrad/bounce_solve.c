#include "vrad/bounce_solve.h"

#include "common/core/memory.h"
#include "common/core/parallel.h"

/* The light is steady when no point gains more than this, in steps of the file's 255 or as a share
 * of what it has. */
#define STEADY_STEP  0.002
#define STEADY_SHARE 0.0001

/* How a luxel takes its light from the points around. */
struct blend {
    int point[4];
    float weight[4];
};

struct web {
    float *light;         /* 3 a point */
    struct blend *blends; /* one a luxel */
    double gain;          /* of the last round, in units of what counts as steady */
};

struct solver {
    const struct bounce_webs *from;
    bool lit;            /* the surfaces give direct light */
    bool all;            /* luxels that no ray has seen get their light as well */
    unsigned char *seen; /* one a luxel of the map */
    struct web *webs;
};

/* Takes away the weight of the points that the luxel does not see, unless it sees none. */
static void drop_unseen(const struct radiosity *radiosity, int face, const struct lattice *lattice,
                        int luxel, struct blend *blend)
{
    const struct face_light *light = &radiosity->map->faces[face];
    int from[4], to[4];
    for (int k = 0; k < 4; k++) {
        from[k] = luxel;
        to[k] = lattice_luxel(light, lattice, blend->point[k]);
    }
    uint32_t seen = lattice_sees(radiosity, face, from, to, 4);
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

static void blend_cell(const struct radiosity *radiosity, int face, const struct lattice *lattice,
                       int column, int row, struct blend *blends)
{
    const struct face_light *light = &radiosity->map->faces[face];
    int right = column + 1 < lattice->column_count ? column + 1 : column;
    int below = row + 1 < lattice->row_count ? row + 1 : row;
    int i0 = lattice->columns[column], i1 = lattice->columns[right];
    int j0 = lattice->rows[row], j1 = lattice->rows[below];
    int points[4] = {row * lattice->column_count + column, row * lattice->column_count + right,
                     below * lattice->column_count + column, below * lattice->column_count + right};
    int corners[4];
    for (int k = 0; k < 4; k++)
        corners[k] = lattice_luxel(light, lattice, points[k]);
    bool open = lattice_open(radiosity, face, corners, 4);
    bool last_row = row + 2 >= lattice->row_count, last = column + 2 >= lattice->column_count;
    for (int j = row ? j0 : 0; j <= (last_row ? light->height - 1 : j1); j++) {
        for (int i = column ? i0 : 0; i <= (last ? light->width - 1 : i1); i++) {
            float u = lattice_part(i, i0, i1, open ? lattice->beyond[0] : 0);
            float v = lattice_part(j, j0, j1, open ? lattice->beyond[1] : 0);
            struct blend blend = {{points[0], points[1], points[2], points[3]},
                                  {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v}};
            int luxel = j * light->width + i;
            if (!open)
                drop_unseen(radiosity, face, lattice, luxel, &blend);
            blends[luxel] = blend;
        }
    }
}

static void start_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct solver *solver = context;
    struct web *web = &solver->webs[face];
    const struct bounce_web *from = &solver->from->of_face[face];
    const struct lattice *lattice = &from->lattice;
    if (!from->seen)
        return;
    size_t count = (size_t)solver->from->radiosity->map->faces[face].count;
    web->light = memory_zalloc((size_t)lattice_points(lattice) * 3, sizeof *web->light);
    web->blends = memory_alloc(count * sizeof *web->blends);
    for (int row = 0; row == 0 || row + 1 < lattice->row_count; row++)
        for (int column = 0; column == 0 || column + 1 < lattice->column_count; column++)
            blend_cell(solver->from->radiosity, (int)face, lattice, column, row, web->blends);
}

static void leave_out(const struct hot_spots *hot, uint32_t luxel, float sum[3])
{
    const struct hot_luxel *at = hot_luxel_at(hot, luxel);
    for (int k = 0; k < 3; k++)
        sum[k] -= at->excess[k];
}

static void carry_point(const struct solver *solver, const uint32_t *seen, size_t rays,
                        float sum[3])
{
    const float *leaving = solver->from->radiosity->leaving;
    for (size_t r = 0; r < rays; r++) {
        uint32_t luxel = seen[r] & ~GATHER_COOL;
        const float *light = leaving + 3 * (size_t)luxel;
        for (size_t k = 0; k < 3; k++)
            sum[k] += light[k];
        if (seen[r] & GATHER_COOL && solver->lit)
            leave_out(solver->from->hot, luxel, sum);
    }
}

/* From what leaves the luxels now to what falls on the points. */
static void carry_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct solver *solver = context;
    struct web *web = &solver->webs[face];
    const struct bounce_web *from = &solver->from->of_face[face];
    web->gain = 0;
    if (!from->seen)
        return;
    size_t rays = (size_t)solver->from->table->rays;
    for (size_t i = 0; i < (size_t)lattice_points(&from->lattice); i++) {
        float sum[3] = {0, 0, 0};
        carry_point(solver, from->seen + i * rays, rays, sum);
        for (size_t k = 0; k < 3; k++) {
            double now = (double)sum[k] / (double)rays;
            now += solver->lit ? (double)from->hot[3 * i + k] : 0;
            double gain = fabs(now - (double)web->light[3 * i + k]);
            web->gain = fmax(web->gain, gain / fmax(STEADY_STEP, STEADY_SHARE * now));
            web->light[3 * i + k] = (float)now;
        }
    }
}

static void spread_luxel(const struct blend *blend, const struct web *web, const float *direct,
                         const float reflectivity[3], float *leaving)
{
    for (size_t k = 0; k < 3; k++) {
        float sum = 0;
        for (int p = 0; p < 4; p++)
            sum += blend->weight[p] * web->light[3 * (size_t)blend->point[p] + k];
        sum = sum > 0 ? sum : 0;
        leaving[k] = (direct ? direct[k] + sum : sum) * reflectivity[k];
    }
}

/* From the points to their face's luxels. */
static void spread_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct solver *solver = context;
    struct web *web = &solver->webs[face];
    if (!web->blends)
        return;
    const struct radiosity *radiosity = solver->from->radiosity;
    const struct face_light *light = &radiosity->map->faces[face];
    const float *direct = light->style_count ? light->direct[0] : NULL;
    const unsigned char *seen = solver->seen + radiosity->first[face];
    float *leaving = radiosity->leaving + 3 * radiosity->first[face];
    for (size_t i = 0; i < (size_t)light->count; i++)
        if (seen[i] || solver->all)
            spread_luxel(&web->blends[i], web, direct ? direct + 3 * i : NULL, light->reflectivity,
                         leaving + 3 * i);
}

/* Until the light is steady, only what rays see matters. */
static void mark_seen(struct solver *solver, size_t faces)
{
    const struct bounce_webs *from = solver->from;
    solver->seen = memory_zalloc(radiosity_black(from->radiosity) + 1, 1);
    for (size_t f = 0; f < faces; f++) {
        const struct bounce_web *web = &from->of_face[f];
        size_t rays = (size_t)lattice_points(&web->lattice) * (size_t)from->table->rays;
        for (size_t i = 0; i < rays && web->seen; i++)
            solver->seen[web->seen[i] & ~GATHER_COOL] = 1;
    }
}

static void free_webs(struct solver *solver, size_t faces)
{
    for (size_t i = 0; i < faces; i++) {
        memory_free(solver->webs[i].light);
        memory_free(solver->webs[i].blends);
    }
    memory_free(solver->webs);
    memory_free(solver->seen);
}

/* One step of the light; how much the point gains that gains most (see web.gain). */
static double step(const struct env *env, struct solver *solver, size_t faces)
{
    double gain = 0;
    parallel_for(env->threads, faces, carry_face, solver);
    parallel_for(env->threads, faces, spread_face, solver);
    for (size_t i = 0; i < faces; i++)
        gain = fmax(gain, solver->webs[i].gain);
    return gain;
}

int bounce_solve(const struct env *env, const struct bounce_webs *webs, int bounces)
{
    struct radiosity *radiosity = webs->radiosity;
    size_t faces = (size_t)radiosity->map->face_count;
    struct solver solver = {.from = webs, .webs = memory_zalloc(faces + 1, sizeof(struct web))};
    const float *sky = radiosity->leaving + 3 * radiosity_sky(radiosity);
    bool has_sky = sky[0] > 0 || sky[1] > 0 || sky[2] > 0;
    if (bounces > 0 || has_sky)
        parallel_for(env->threads, faces, start_face, &solver);
    mark_seen(&solver, faces);
    for (size_t i = 0; i < faces; i++)
        if (radiosity->map->faces[i].kept) /* they shine from the first, and always the same */
            radiosity_set_face(radiosity, (int)i, NULL);
    if (has_sky)
        step(env, &solver, faces); /* nothing else shines yet: this is no bounce */
    else
        radiosity_collect(radiosity, env->threads);
    solver.lit = true;
    int done = 0;
    for (double gain = 2; done < bounces && gain > 1; done++)
        gain = step(env, &solver, faces);
    solver.all = true;
    if (done > 0 || has_sky)
        parallel_for(env->threads, faces, spread_face, &solver);
    free_webs(&solver, faces);
    return done;
}
