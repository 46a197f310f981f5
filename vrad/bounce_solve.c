#include "vrad/bounce_solve.h"

#include "common/core/memory.h"
#include "common/core/parallel.h"
#include "vrad/gather.h"
#include "vrad/lattice.h"

/* Rays of a point. They are few, but what they find is averaged again by the last bounce. */
enum { SOLVE_RAYS = 16 };

/* Units between the points of a face. */
#define POINT_SPACING 48.0

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
    struct lattice lattice;
    uint32_t *seen;       /* SOLVE_RAYS a point, as gather_seen has them */
    float *hot;           /* 3 a point: what hot spots give above the cap */
    float *light;         /* 3 a point */
    float *bounced;       /* 3 a luxel */
    struct blend *blends; /* one a luxel */
    int64_t hot_rays;
    double gain; /* of the last round, in units of what counts as steady */
};

struct solver {
    struct radiosity *radiosity;
    const struct hot_spots *hot;
    bool lit; /* the surfaces give direct light */
    struct web *webs;
};

static int web_points(const struct web *web)
{
    return web->lattice.column_count * web->lattice.row_count;
}

static int point_luxel(const struct face_light *light, const struct lattice *lattice, int point)
{
    int column = lattice->columns[point % lattice->column_count];
    return lattice->rows[point / lattice->column_count] * light->width + column;
}

static float part(int at, int low, int high)
{
    return high > low ? (float)(at - low) / (float)(high - low) : 0;
}

/* Takes away the weight of the points that the luxel does not see, unless it sees none. */
static void drop_unseen(const struct radiosity *radiosity, int face, const struct web *web,
                        int luxel, struct blend *blend)
{
    const struct face_light *light = &radiosity->map->faces[face];
    int from[4], to[4];
    for (int k = 0; k < 4; k++) {
        from[k] = luxel;
        to[k] = point_luxel(light, &web->lattice, blend->point[k]);
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

static void blend_cell(const struct radiosity *radiosity, int face, struct web *web, int column,
                       int row)
{
    const struct face_light *light = &radiosity->map->faces[face];
    const struct lattice *lattice = &web->lattice;
    int right = column + 1 < lattice->column_count ? column + 1 : column;
    int below = row + 1 < lattice->row_count ? row + 1 : row;
    int i0 = lattice->columns[column], i1 = lattice->columns[right];
    int j0 = lattice->rows[row], j1 = lattice->rows[below];
    int points[4] = {row * lattice->column_count + column, row * lattice->column_count + right,
                     below * lattice->column_count + column, below * lattice->column_count + right};
    int corners[4];
    for (int k = 0; k < 4; k++)
        corners[k] = point_luxel(light, lattice, points[k]);
    bool open = lattice_open(radiosity, face, corners, 4);
    for (int j = j0; j <= j1; j++) {
        for (int i = i0; i <= i1; i++) {
            float u = part(i, i0, i1), v = part(j, j0, j1);
            struct blend blend = {{points[0], points[1], points[2], points[3]},
                                  {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v}};
            int luxel = j * light->width + i;
            if (!open)
                drop_unseen(radiosity, face, web, luxel, &blend);
            web->blends[luxel] = blend;
        }
    }
}

static void start_points(struct solver *solver, int face, struct web *web)
{
    const struct face_light *light = &solver->radiosity->map->faces[face];
    struct hot_view view;
    hot_view_of_face(solver->hot, face, &view);
    for (int i = 0; i < web_points(web); i++) {
        int luxel = point_luxel(light, &web->lattice, i);
        struct gather_point point =
            gather_point_at(solver->radiosity, face, luxel, SOLVE_RAYS, &view);
        point.slots = 1;
        gather_seen(solver->radiosity, &point, web->seen + (size_t)i * SOLVE_RAYS);
        web->hot_rays += gather_hot(&point, web->hot + 3 * (size_t)i);
    }
    hot_view_free(&view);
}

static void start_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct solver *solver = context;
    struct web *web = &solver->webs[face];
    const struct face_light *light = &solver->radiosity->map->faces[face];
    if (light->width <= 0 || light->kept)
        return;
    lattice_build(light, POINT_SPACING, &web->lattice);
    size_t points = (size_t)web_points(web), count = (size_t)light->count;
    web->seen = memory_alloc(points * SOLVE_RAYS * sizeof *web->seen);
    web->hot = memory_zalloc(points * 3, sizeof *web->hot);
    web->light = memory_zalloc(points * 3, sizeof *web->light);
    web->bounced = memory_zalloc(count * 3, sizeof *web->bounced);
    web->blends = memory_alloc(count * sizeof *web->blends);
    for (int row = 0; row == 0 || row + 1 < web->lattice.row_count; row++)
        for (int column = 0; column == 0 || column + 1 < web->lattice.column_count; column++)
            blend_cell(solver->radiosity, (int)face, web, column, row);
    start_points(solver, (int)face, web);
}

static void leave_out(const struct hot_spots *hot, uint32_t luxel, float sum[3])
{
    const struct hot_luxel *at = &hot->luxels[hot->luxel_of[luxel]];
    for (int k = 0; k < 3; k++)
        sum[k] -= at->excess[k];
}

/* Light along the rays: from what leaves the luxels now to what falls on the points. */
static void carry_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct solver *solver = context;
    struct web *web = &solver->webs[face];
    const float *leaving = solver->radiosity->leaving;
    web->gain = 0;
    const struct face_light *own = &solver->radiosity->map->faces[face];
    if (own->width <= 0 || own->kept)
        return;
    for (size_t i = 0; i < (size_t)web_points(web); i++) {
        float sum[3] = {0, 0, 0};
        for (size_t r = 0; r < SOLVE_RAYS; r++) {
            uint32_t seen = web->seen[i * SOLVE_RAYS + r], luxel = seen & ~GATHER_COOL;
            const float *light = leaving + 3 * (size_t)luxel;
            for (size_t k = 0; k < 3; k++)
                sum[k] += light[k];
            if (seen & GATHER_COOL && solver->lit)
                leave_out(solver->hot, luxel, sum);
        }
        for (size_t k = 0; k < 3; k++) {
            double now = (double)sum[k] / SOLVE_RAYS;
            now += solver->lit ? (double)web->hot[3 * i + k] : 0;
            double gain = fabs(now - (double)web->light[3 * i + k]);
            web->gain = fmax(web->gain, gain / fmax(STEADY_STEP, STEADY_SHARE * now));
            web->light[3 * i + k] = (float)now;
        }
    }
}

/* From the points to their face's luxels. */
static void spread_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct solver *solver = context;
    struct web *web = &solver->webs[face];
    const struct face_light *light = &solver->radiosity->map->faces[face];
    if (light->width <= 0 || light->kept)
        return;
    for (size_t i = 0; i < (size_t)light->count; i++) {
        const struct blend *blend = &web->blends[i];
        for (size_t k = 0; k < 3; k++) {
            float sum = 0;
            for (int p = 0; p < 4; p++)
                sum += blend->weight[p] * web->light[3 * (size_t)blend->point[p] + k];
            web->bounced[3 * i + k] = sum;
        }
    }
    radiosity_set_face(solver->radiosity, (int)face, web->bounced);
}

static void free_webs(struct solver *solver, size_t faces)
{
    for (size_t i = 0; i < faces; i++) {
        memory_free(solver->webs[i].seen);
        memory_free(solver->webs[i].hot);
        memory_free(solver->webs[i].light);
        memory_free(solver->webs[i].bounced);
        memory_free(solver->webs[i].blends);
    }
    memory_free(solver->webs);
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

int bounce_solve(const struct env *env, struct radiosity *radiosity, const struct hot_spots *hot,
                 int bounces, struct bounce_counts *counts)
{
    size_t faces = (size_t)radiosity->map->face_count;
    struct solver solver = {
        .radiosity = radiosity, .hot = hot, .webs = memory_zalloc(faces + 1, sizeof(struct web))};
    const float *sky = radiosity->leaving + 3 * radiosity_sky(radiosity);
    bool has_sky = sky[0] > 0 || sky[1] > 0 || sky[2] > 0;
    if (bounces > 0 || has_sky) {
        parallel_for(env->threads, faces, start_face, &solver);
        for (size_t i = 0; i < faces; i++) {
            counts->hot_rays += solver.webs[i].hot_rays;
            counts->rays += (int64_t)web_points(&solver.webs[i]) * SOLVE_RAYS;
        }
    }
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
    free_webs(&solver, faces);
    return done;
}
