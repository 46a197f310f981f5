#include "vrad/bounce/bounce.h"

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "common/parallel/parallel.h"
#include "vrad/bounce/bounce_denoise.h"
#include "vrad/bounce/bounce_rays.h"
#include "vrad/bounce/bounce_solve.h"
#include "vrad/bounce/guided_rays.h"
#include "vrad/luxels/bounced.h"
#include "vrad/luxels/luxel_state.h"
#include "vrad/scene/hemisphere.h"

#define DEFAULT_SPACING   80.0
#define TRANSPORT_SPACING 64.0
#define DEFAULT_TOLERANCE 0.12
enum {
    DEFAULT_RAYS = 64,
    MIN_RAYS = 32,
    FEW_LUXELS = 16, /* of a face */
    SMALL_CELL = 2,  /* luxels across */
    /* Rays per transport point, and for the whole map, with which there are enough. */
    MAX_TRANSPORT_RAYS = 256,
    ENOUGH_RAYS = 1 << 18,
};

/* Rays are aimed where light is so uneven that it takes more of them than usual (bounce_rays.h). */
enum { GUIDED_STEP = 2 };

/* Light, of 255, below which differences are not seen as relative ones: the tolerance of darker
 * places is that of this level. */
#define MIN_LEVEL 0.5

/* A difference is certain when its square exceeds its variance by this factor. */
#define CERTAIN 1.0

/* Gather tables by the logarithm of their ray count, as far as faces use them. */
enum { TABLES = 11 };
struct gather_tables {
    struct gather_table plain[TABLES], bumped[TABLES], squares[TABLES];
};

struct gather_job {
    const struct transport_rays *transport;
    const struct gather_tables *tables;
    const struct bounce_rays *estimates;
    const struct ray_guide *guide;
    bool spares; /* middles may be predicted without rays. Small maps can afford the rays. */
    int rays;    /* default count of a wide face */
    struct luxel_map *map;
    double tolerance;
    struct bounce_counts *counts; /* one per face */
    struct progress *progress;
};

/* The final gather of one face. */
struct face_gather {
    const struct gather_job *shared;
    const struct face_transport *traced;
    const struct gather_table *tables; /* by the logarithm of the ray count */
    int usual_rays;
    struct face_light *light;
    int face;
    unsigned char *known;           /* one per luxel: LUXEL_GATHERED when it is, or is queued */
    int *wanted;                    /* stb_ds array: luxels to gather next */
    struct irradiance_cell *cells;  /* stb_ds array: to be tested */
    struct irradiance_cell *smooth; /* stb_ds array: light may be interpolated in them */
    float *variance;                /* slots * count: of the gathered light */
    struct light_cells light_cells;
    struct face_guide guide;
    struct bounce_counts counts;
};

static double brightness(const float *colour)
{
    return ((double)colour[0] + (double)colour[1] + (double)colour[2]) / 3;
}

static void want_luxel(struct face_gather *at, int luxel)
{
    if (at->known[luxel] == LUXEL_GATHERED || luxel_is_hidden(at->light, luxel))
        return;
    at->known[luxel] = LUXEL_GATHERED;
    arrput(at->wanted, luxel);
}

static void store_light(struct face_gather *at, int luxel, const float *light,
                        const float *variance)
{
    for (int j = 0; j < at->light->slots; j++) {
        int place = j * at->light->count + luxel;
        at->variance[place] = variance[j];
        for (int k = 0; k < 3; k++)
            at->light->indirect[3 * place + k] = light[3 * j + k];
    }
    at->counts.points++;
}

/* Points with one number of rays. */
struct gather_batch {
    const struct gather_table *table;
    const struct gather_table *squares; /* of guided points; NULL: without a guide */
    int luxels[GATHER_POINTS], count;
};

static void gather_some(struct face_gather *at, struct gather_batch *batch)
{
    const struct gather_table *table = batch->table;
    const int *luxels = batch->luxels, count = batch->count;
    const struct radiosity *radiosity = at->shared->transport->radiosity;
    const struct culled_lights *secondary = &at->shared->transport->views[at->face];
    struct gather_point points[GATHER_POINTS] = {{.cache_slot = 0}};
    uint32_t seen[GATHER_POINTS * GATHER_RAYS];
    for (int i = 0; i < count; i++) {
        points[i] = gather_point_at(radiosity, at->face, luxels[i], secondary);
        if (at->usual_rays > DEFAULT_RAYS) /* scale the worth of shadow rays, too */
            points[i].min *= (double)DEFAULT_RAYS / at->usual_rays;
        if (batch->squares)
            face_guide_aim(&at->guide, batch->squares, luxels[i], i, &points[i]);
    }
    gather_trace(radiosity, table, points, count, seen);
    for (int i = 0; i < count; i++) {
        float light[3 * LUXEL_SLOTS], variance[LUXEL_SLOTS];
        gather_light(radiosity, table, &points[i], seen + i * table->rays, light, variance);
        at->counts.secondary_rays +=
            gather_secondary(&points[i], light_cells_at(&at->light_cells, luxels[i]), light);
        store_light(at, luxels[i], light, variance);
        if (batch->squares)
            face_guide_learn(&at->guide, table, luxels[i], &points[i], seen + i * table->rays);
    }
    at->counts.rays += (int64_t)count * table->rays;
    batch->count = 0;
}

static int table_of(int usual, int step)
{
    int rays = step < 0 ? usual >> -step : usual << step, number = 0;
    rays = rays > GATHER_RAYS ? GATHER_RAYS : rays < GATHER_PARTS ? GATHER_PARTS : rays;
    while (1 << number < rays)
        number++;
    return number;
}

/* The batch of a luxel: bump maps see a part of the hemisphere, where light varies more, and keep
 * their rays. */
static struct gather_batch *batch_of(const struct face_gather *at, int luxel,
                                     struct gather_batch batches[2 * TABLES])
{
    const bool bumped = at->light->slots > 1;
    int step = bumped ? 0 : bounce_rays_step(at->shared->estimates, at->face, luxel);
    bool guided = !bumped && step >= GUIDED_STEP && at->guide.guide;
    int table = table_of(at->usual_rays, step);
    struct gather_batch *batch = &batches[2 * table + guided];
    batch->table = &at->tables[table];
    batch->squares = guided ? &at->shared->tables->squares[table] : NULL;
    return batch;
}

/* Traces points with the same number of rays together. */
static void gather_wanted(struct face_gather *at)
{
    struct gather_batch batches[2 * TABLES] = {{.count = 0}};
    for (ptrdiff_t i = 0; i < arrlen(at->wanted); i++) {
        struct gather_batch *batch = batch_of(at, at->wanted[i], batches);
        batch->luxels[batch->count++] = at->wanted[i];
        if (batch->count == GATHER_POINTS)
            gather_some(at, batch);
    }
    for (int i = 0; i < 2 * TABLES; i++)
        if (batches[i].count)
            gather_some(at, &batches[i]);
    arrsetlen(at->wanted, 0);
}

static void want_grid(struct face_gather *at)
{
    const struct irradiance_grid *grid = &at->traced->grid;
    for (int i = 0; i < irradiance_grid_points(grid); i++)
        want_luxel(at, irradiance_grid_luxel(at->light, grid, i));
}

/* The largest difference of light at a level that needs no further point. */
static double difference_limit(const struct face_gather *at, double level)
{
    return at->shared->tolerance * portable_fmax(level, MIN_LEVEL);
}

/* The variance that a difference may have without telling of the light. The parts of the hemisphere
 * that bump maps see differ by more than this variance of all of it says: their cells are refined
 * as if there were none. */
static double allowed_noise(const struct face_gather *at, double variance)
{
    return at->light->slots > 1 ? 0 : variance;
}

/* Returns true if the light in the middle agrees with its prediction from the corners, or deviates
 * from it by no more than the noise of the five: more points would show the noise as blotches. */
static bool middle_fits(const struct face_gather *at, const struct irradiance_cell *cell,
                        const int corners[4])
{
    float predicted[3];
    int middle = irradiance_cell_middle(at->light, cell);
    double noise = (double)at->variance[middle];
    for (int i = 0; i < 4; i++)
        noise += (double)at->variance[corners[i]] / 16;
    double level = brightness(at->light->indirect + 3 * middle);
    irradiance_cell_predict(at->light, cell, predicted);
    double error = fabs(brightness(predicted) - level);
    if (at->light->direct[0])
        level += brightness(at->light->direct[0] + 3 * middle);
    double limit = difference_limit(at, level);
    return error * error <= limit * limit + allowed_noise(at, CERTAIN * noise);
}

static bool is_smooth(const struct face_gather *at, const struct irradiance_cell *cell)
{
    int corners[4];
    irradiance_cell_corners(at->light, cell, corners);
    return at->known[irradiance_cell_middle(at->light, cell)] == LUXEL_GATHERED &&
           middle_fits(at, cell, corners) &&
           irradiance_grid_is_open(at->shared->transport->radiosity, at->face, corners, 4);
}

static bool has_inside(const struct irradiance_cell *cell)
{
    return cell->right - cell->left > 1 || cell->bottom - cell->top > 1;
}

/* A cell of few luxels, in which little can lie between corners that agree. */
static bool is_small(const struct irradiance_cell *cell)
{
    return cell->right - cell->left <= SMALL_CELL && cell->bottom - cell->top <= SMALL_CELL;
}

/* Returns true if the corners differ by no more than the tolerance, or by their noise. */
static bool corners_agree(const struct face_gather *at, const int corners[4])
{
    double min = DBL_MAX, max = 0, level = 0, noise = 0;
    for (int i = 0; i < 4; i++) {
        if (at->known[corners[i]] != LUXEL_GATHERED)
            return false;
        double bright = brightness(at->light->indirect + 3 * corners[i]);
        min = portable_fmin(min, bright);
        max = portable_fmax(max, bright);
        level += bright / 4;
        noise += (double)at->variance[corners[i]];
        if (at->light->direct[0])
            level += brightness(at->light->direct[0] + 3 * corners[i]) / 4;
    }
    double limit = difference_limit(at, level);
    return (max - min) * (max - min) <= limit * limit + allowed_noise(at, 2 * noise);
}

/* Predicts the light of the middle from the corners, where that is accurate enough. */
static bool assume_middle(struct face_gather *at, const struct irradiance_cell *cell)
{
    int corners[4], middle = irradiance_cell_middle(at->light, cell), count = at->light->count;
    float weights[4];
    irradiance_cell_corners(at->light, cell, corners);
    if (at->known[middle] || luxel_is_hidden(at->light, middle) || !corners_agree(at, corners))
        return false;
    irradiance_cell_weights(cell, middle % at->light->width, middle / at->light->width, weights);
    for (int j = 0; j < at->light->slots; j++) {
        float *values = at->light->indirect + 3 * j * count, *variance = at->variance + j * count;
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < 3; k++)
                values[3 * middle + k] += weights[i] * values[3 * corners[i] + k];
            variance[middle] += weights[i] * weights[i] * variance[corners[i]];
        }
    }
    at->known[middle] = LUXEL_GATHERED;
    return true;
}

/* Splits a cell in the middle: into two where it is only one luxel wide. */
static void divide(struct face_gather *at, const struct irradiance_cell *cell,
                   struct irradiance_cell **parts)
{
    int across = cell->right - cell->left, along = cell->bottom - cell->top;
    int columns[3] = {cell->left, cell->left + across / 2, cell->right};
    int rows[3] = {cell->top, cell->top + along / 2, cell->bottom};
    int column_step = across > 1 ? 1 : 2, row_step = along > 1 ? 1 : 2;
    for (int j = 0; j < 3; j += row_step)
        for (int i = 0; i < 3; i += column_step)
            want_luxel(at, irradiance_cell_luxel(at->light, columns[i], rows[j]));
    for (int j = 0; j < 2; j += row_step) {
        for (int i = 0; i < 2; i += column_step) {
            struct irradiance_cell part = {columns[i], rows[j], columns[i + column_step],
                                           rows[j + row_step]};
            if (has_inside(&part))
                arrput(*parts, part);
        }
    }
}

static void start_cells(struct face_gather *at)
{
    const struct irradiance_grid *grid = &at->traced->grid;
    for (int row = 0; row == 0 || row + 1 < grid->row_count; row++) {
        for (int column = 0; column == 0 || column + 1 < grid->column_count; column++) {
            int right = column + 1 < grid->column_count ? column + 1 : column;
            int below = row + 1 < grid->row_count ? row + 1 : row;
            struct irradiance_cell cell = {grid->columns[column], grid->rows[row],
                                           grid->columns[right], grid->rows[below]};
            if (has_inside(&cell))
                arrput(at->cells, cell);
        }
    }
}

static bool any_small(const struct face_gather *at)
{
    if (!at->shared->spares)
        return false;
    for (ptrdiff_t i = 0; i < arrlen(at->cells); i++)
        if (is_small(&at->cells[i]))
            return true;
    return false;
}

static void want_middles(struct face_gather *at)
{
    const bool spare = any_small(at);
    for (ptrdiff_t i = 0; i < arrlen(at->cells); i++)
        if (!spare || !is_small(&at->cells[i]) || !assume_middle(at, &at->cells[i]))
            want_luxel(at, irradiance_cell_middle(at->light, &at->cells[i]));
}

/* Refines level by level, so that the points of a level are traced together. */
static void refine(struct face_gather *at)
{
    want_grid(at);
    start_cells(at);
    if (any_small(at))
        gather_wanted(at);
    want_middles(at);
    gather_wanted(at);
    while (arrlen(at->cells)) {
        struct irradiance_cell *parts = NULL;
        for (ptrdiff_t i = 0; i < arrlen(at->cells); i++) {
            if (is_smooth(at, &at->cells[i]))
                arrput(at->smooth, at->cells[i]);
            else
                divide(at, &at->cells[i], &parts);
        }
        arrfree(at->cells);
        at->cells = parts;
        if (any_small(at))
            gather_wanted(at);
        want_middles(at);
        gather_wanted(at);
    }
}

/* Points of narrow faces lie close together. Each slot of a bumped face sees a part of the
 * hemisphere: they need more rays in total, and still more on faces with few luxels, where
 * denoising has little to average. */
static int usual_rays(const struct face_light *light, int rays)
{
    if (light->slots > 1)
        return light->count <= FEW_LUXELS ? 4 * rays : 2 * rays;
    return transport_face_is_narrow(light) && rays / 2 >= MIN_RAYS ? rays / 2 : rays;
}

static void gather_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct gather_job *shared = context;
    progress_step(shared->progress);
    const struct face_transport *traced = &shared->transport->of_face[face];
    if (!irradiance_grid_points(&traced->grid))
        return;
    struct face_light *light = &shared->map->faces[face];
    struct face_gather at = {.shared = shared,
                             .traced = traced,
                             .tables =
                                 light->slots > 1 ? shared->tables->bumped : shared->tables->plain,
                             .usual_rays = usual_rays(light, shared->rays),
                             .light = light,
                             .face = (int)face,
                             .known = memory_zalloc((size_t)light->count, 1)};
    at.variance = memory_zalloc((size_t)light->count * (size_t)light->slots, sizeof *at.variance);
    light->indirect =
        memory_zalloc((size_t)light->count * (size_t)light->slots, 3 * sizeof *light->indirect);
    light_cells_open(&shared->transport->views[face], (int)face, &at.light_cells);
    face_guide_open(shared->guide, light, &at.guide);
    refine(&at);
    face_guide_free(&at.guide);
    light_cells_free(&at.light_cells);
    bounce_denoise(light, at.smooth, arrlen(at.smooth), at.known, at.variance);
    bounced_store(light, at.smooth, (int)arrlen(at.smooth), at.known, shared->map->narrow);
    shared->counts[face] = at.counts;
    arrfree(at.wanted);
    arrfree(at.smooth);
    memory_free(at.variance);
    memory_free(at.known);
}

/* A ranks_pack. */
static void pack_face(void *context, size_t face, struct bytes *out)
{
    const struct gather_job *shared = context;
    luxel_state_append_bounced(&shared->map->faces[face], out);
    bytes_append(out, &shared->counts[face], sizeof shared->counts[face]);
}

/* A ranks_unpack. */
static void unpack_face(void *context, size_t face, struct byte_reader *from)
{
    struct gather_job *shared = context;
    struct byte_reader look = *from;
    if (!luxel_state_look_bounced(&look, &shared->map->faces[face]) ||
        !rank_has(&look, 1, sizeof shared->counts[face])) {
        from->failed = true;
        return;
    }
    luxel_state_take_bounced(from, &shared->map->faces[face]);
    read_into(from, &shared->counts[face], sizeof shared->counts[face]);
}

/* Makes all tables that points may use. */
static void tables_init(struct gather_tables *tables, int rays)
{
    *tables = (struct gather_tables){0};
    for (int number = table_of(rays / 2, BOUNCE_MIN); number <= table_of(rays, BOUNCE_MAX);
         number++)
        gather_table_init(&tables->plain[number], 1 << number, GATHER_PLAIN);
    for (int number = table_of(rays / 2, GUIDED_STEP); number <= table_of(rays, BOUNCE_MAX);
         number++)
        gather_table_init(&tables->squares[number], 1 << number, GATHER_SQUARE);
    for (int number = table_of(2 * rays, 0); number <= table_of(4 * rays, 0); number++)
        gather_table_init(&tables->bumped[number], 1 << number, GATHER_BUMPED);
}

static void tables_free(struct gather_tables *tables)
{
    for (int i = 0; i < TABLES; i++) {
        gather_table_free(&tables->plain[i]);
        gather_table_free(&tables->bumped[i]);
        gather_table_free(&tables->squares[i]);
    }
}

static void count_transport(const struct transport_rays *transport, struct bounce_counts *counts)
{
    for (int i = 0; i < transport->radiosity->map->face_count; i++) {
        const struct face_transport *traced = &transport->of_face[i];
        counts->secondary_rays += traced->secondary_rays;
        if (irradiance_grid_points(&traced->grid))
            counts->rays += (int64_t)irradiance_grid_points(&traced->grid) * transport->table->rays;
    }
}

/* Few rays per transport point are enough, since the final gather averages over many points; small
 * maps have few points. */
static int transport_ray_count(int64_t points)
{
    int rays = GATHER_PARTS;
    while (rays < MAX_TRANSPORT_RAYS && 2 * rays * points <= ENOUGH_RAYS)
        rays *= 2;
    return rays;
}

struct transport_job {
    struct gather_table table;
    struct transport_rays transport;
    struct bounce_solution *solution;
    struct bounce_rays estimates;
    struct ray_guide guide;
};

/* Computes all bounces but the last on transport points of their own: these keep the sum of the
 * light over each face, while those of the final gather need its borders. */
static int solve(const struct env *env, struct radiosity *radiosity,
                 const struct secondary_lights *secondary, const struct culled_lights *views,
                 int bounces, struct bounce_counts *counts, struct transport_job *job)
{
    struct transport_rays *transport = &job->transport;
    transport_rays_place(env, radiosity, secondary, views, TRANSPORT_SPACING, true, transport);
    gather_table_init(&job->table, transport_ray_count(transport->points), GATHER_PLAIN);
    transport_rays_trace(env, transport, &job->table);
    int followed = 0;
    if (env_stopped(env))
        return followed;
    job->solution = bounce_solve(env, transport, bounces, &followed);
    if (!radiosity->map->narrow) { /* all luxels have their light */
        bounce_solution_free(job->solution);
        job->solution = NULL;
    }
    if (env_stopped(env))
        return followed;
    bounce_rays_estimate(env, transport, &job->estimates);
    ray_guide_build(env, transport, &job->guide);
    count_transport(transport, counts);
    return followed;
}

static void free_transport(struct transport_job *job)
{
    bounce_rays_free(&job->estimates);
    ray_guide_free(&job->guide);
    bounce_solution_free(job->solution);
    transport_rays_free(&job->transport);
    gather_table_free(&job->table);
}

struct cull_job {
    const struct secondary_lights *secondary;
    struct culled_lights *views;
};

static void cull_for_face(void *context, size_t face, int thread)
{
    (void)thread;
    const struct cull_job *job = context;
    const struct face_light *light = &job->secondary->radiosity->map->faces[face];
    if (light->width > 0 && !light->kept)
        culled_lights_of_face(job->secondary, (int)face, &job->views[face]);
}

/* Culls the secondary lights for each face. */
static struct culled_lights *cull_for_faces(const struct env *env,
                                            const struct secondary_lights *secondary,
                                            const struct luxel_map *map)
{
    size_t faces = (size_t)map->face_count;
    struct cull_job job = {secondary, memory_zalloc(faces + 1, sizeof *job.views)};
    parallel_for_until(env->stop, env->threads, faces, cull_for_face, &job);
    return job.views;
}

static void report(struct progress *progress, const struct gather_job *shared,
                   struct bounce_counts counts, int bounces)
{
    for (int i = 0; i < shared->map->face_count; i++) {
        counts.points += shared->counts[i].points;
        counts.rays += shared->counts[i].rays;
        counts.secondary_rays += shared->counts[i].secondary_rays;
    }
    progress_count(progress, "bounces", bounces);
    progress_count(progress, "bounce points", counts.points);
    progress_count(progress, "bounce rays", counts.rays);
    progress_count(progress, "secondary-light shadow rays", counts.secondary_rays);
}

void bounce_light(const struct env *env, const struct scene *scene, struct luxel_map *map,
                  const struct bounce_options *options)
{
    const struct vec3 sky = options->sky;
    if (options->bounces <= 0 && sky.x <= 0 && sky.y <= 0 && sky.z <= 0)
        return;
    size_t faces = (size_t)map->face_count;
    struct radiosity radiosity;
    struct secondary_lights secondary = {.radiosity = &radiosity};
    struct gather_tables tables;
    struct transport_rays transport;
    double spacing = options->spacing > 0 ? options->spacing : DEFAULT_SPACING;
    progress_begin(env->progress, "bounced light", faces);
    radiosity_init(&radiosity, scene, map, sky);
    if (options->bounces > 0)
        secondary_lights_find(&radiosity, &secondary);
    struct culled_lights *views = cull_for_faces(env, &secondary, map);
    struct transport_job job = {.table = {.rays = 0}};
    int bounces = 0;
    struct bounce_counts counts = {0};
    if (options->bounces > 0)
        bounces =
            1 + solve(env, &radiosity, &secondary, views, options->bounces - 1, &counts, &job);
    transport_rays_place(env, &radiosity, &secondary, views, spacing, false, &transport);
    int rays = sample_count(options->rays, DEFAULT_RAYS, GATHER_RAYS);
    tables_init(&tables, rays);
    struct gather_job shared = {&transport,
                                &tables,
                                &job.estimates,
                                &job.guide,
                                job.table.rays == GATHER_PARTS,
                                rays,
                                map,
                                options->tolerance > 0 ? options->tolerance : DEFAULT_TOLERANCE,
                                memory_zalloc(faces + 1, sizeof *shared.counts),
                                env->progress};
    env_loop(env, &(struct ranks_loop){.count = faces,
                                       .item = gather_face,
                                       .context = &shared,
                                       .pack = pack_face,
                                       .unpack = unpack_face,
                                       .progress = env->progress});
    progress_end(env->progress);
    report(env->progress, &shared, counts, bounces);
    memory_free(shared.counts);
    transport_rays_free(&transport);
    tables_free(&tables);
    if (options->bounces > 0)
        free_transport(&job);
    for (size_t i = 0; i < faces; i++)
        culled_lights_free(&views[i]);
    memory_free(views);
    secondary_lights_free(&secondary);
    radiosity_free(&radiosity);
}
