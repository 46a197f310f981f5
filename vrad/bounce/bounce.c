#include "vrad/bounce/bounce.h"
#include <stdio.h>
#include <stdlib.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/farm/env_loop.h"
#include "common/parallel/parallel.h"
#include "vrad/bounce/bounce_denoise.h"
#include "vrad/bounce/bounce_rays.h"
#include "vrad/bounce/bounce_solve.h"
#include "vrad/bounce/guided_rays.h"
#include "vrad/bounce/point_noise.h"
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

/* Bump maps see a part of the hemisphere, where light varies more. */
enum { BUMPED_MIN = -1, BUMPED_MAX = 2 };

/* Light, of 255, below which differences are not seen as relative ones: the tolerance of darker
 * places is that of this level. */
#define MIN_LEVEL 0.5

/* Noise, relative to the darkest light of a cell, up to which differences are taken for it: more
 * would be spread by interpolation to where it can be seen. */
#define MAX_NOISE 0.3

/* Standard deviation of points, relative to all light, that needs no further rays: in the dark. */
#define DEVIATION 0.035
#define MORE_IN_LIGHT 2.0
#define BRIGHT_LEVEL 8.0

/* Relative difference of corners beyond which the middle does not tell of all between them. */
#define MAX_CONTRAST 1.0

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
    float *secondary;               /* 3 * slots per luxel: residuals of secondary lights */
    struct light_cells light_cells;
    struct face_guide guide;
    struct bounce_counts counts;
};

static double brightness(const float *colour)
{
    return ((double)colour[0] + (double)colour[1] + (double)colour[2]) / 3;
}

/* All light at a luxel, as far as it is known. */
static double level_at(const struct face_gather *at, int luxel)
{
    double level = brightness(at->light->indirect + 3 * luxel);
    return at->light->direct[0] ? level + brightness(at->light->direct[0] + 3 * luxel) : level;
}

static void want_luxel(struct face_gather *at, int luxel)
{
    if (at->known[luxel] == LUXEL_GATHERED || luxel_is_hidden(at->light, luxel))
        return;
    at->known[luxel] = LUXEL_GATHERED;
    arrput(at->wanted, luxel);
}

static float *secondary_at(const struct face_gather *at, int luxel)
{
    return at->secondary + 3 * (ptrdiff_t)at->light->slots * luxel;
}

static void add_secondary(const struct face_gather *at, int luxel, float *light)
{
    const float *secondary = secondary_at(at, luxel);
    for (int i = 0; i < 3 * at->light->slots; i++)
        light[i] += secondary[i];
}

/* Takes the light of a point; of one that has gathered before, with the rest of `share`. */
static void store_light(struct face_gather *at, int luxel, const float *light,
                        const float *variance, float share)
{
    for (int j = 0; j < at->light->slots; j++) {
        int place = j * at->light->count + luxel;
        float *stored = at->light->indirect + 3 * (ptrdiff_t)place;
        at->variance[place] =
            share * share * variance[j] + (1 - share) * (1 - share) * at->variance[place];
        for (int k = 0; k < 3; k++)
            stored[k] = share * light[3 * j + k] + (1 - share) * stored[k];
    }
}

/* Points with one number of rays. */
struct gather_batch {
    const struct gather_table *table;
    const struct gather_table *squares; /* of guided points; NULL: without a guide */
    int luxels[GATHER_POINTS], count;
    float shares[GATHER_POINTS]; /* of their light; 1: they gather for the first time */
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
        if (batch->shares[i] < 1) { /* other rays, which are not those of a cache */
            points[i].seed = hash_pair(points[i].seed, (uint64_t)table->rays);
            points[i].cache_slot = 0;
        }
        if (at->usual_rays > DEFAULT_RAYS) /* scale the worth of shadow rays, too */
            points[i].min *= (double)DEFAULT_RAYS / at->usual_rays;
        if (batch->squares)
            face_guide_aim(&at->guide, batch->squares, luxels[i], i, &points[i]);
    }
    gather_trace(radiosity, table, points, count, seen);
    for (int i = 0; i < count; i++) {
        float light[3 * LUXEL_SLOTS], variance[LUXEL_SLOTS];
        gather_light(radiosity, table, &points[i], seen + i * table->rays, light, variance);
        if (batch->shares[i] == 1)
            at->counts.secondary_rays += gather_secondary(
                &points[i], light_cells_at(&at->light_cells, luxels[i]), secondary_at(at, luxels[i]));
        add_secondary(at, luxels[i], light);
        store_light(at, luxels[i], light, variance, batch->shares[i]);
        at->counts.points += batch->shares[i] == 1;
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

/* The number of the table of a luxel: bump maps see a part of the hemisphere, where light varies
 * more, and keep their rays. */
static int usual_table(const struct face_gather *at, int luxel, bool *guided)
{
    const bool bumped = at->light->slots > 1;
    int step = bounce_rays_step(at->shared->estimates, at->face, luxel);
    if (bumped)
        step = step < BUMPED_MIN ? BUMPED_MIN : step > BUMPED_MAX ? BUMPED_MAX : step;
    *guided = !bumped && step >= GUIDED_STEP && at->guide.guide;
    return table_of(at->usual_rays, step);
}

/* Batches by table, guided or not. */
struct gather_batches {
    struct gather_batch of[2 * TABLES];
};

static void add_to_batch(struct face_gather *at, struct gather_batches *batches, int luxel,
                         int table, bool guided, float share)
{
    struct gather_batch *batch = &batches->of[2 * table + guided];
    batch->table = &at->tables[table];
    batch->squares = guided ? &at->shared->tables->squares[table] : NULL;
    batch->shares[batch->count] = share;
    batch->luxels[batch->count++] = luxel;
    if (batch->count == GATHER_POINTS)
        gather_some(at, batch);
}

static void end_batches(struct face_gather *at, struct gather_batches *batches)
{
    for (int i = 0; i < 2 * TABLES; i++)
        if (batches->of[i].count)
            gather_some(at, &batches->of[i]);
}

/* Traces points with the same number of rays together. */
static void gather_wanted(struct face_gather *at)
{
    struct gather_batches batches = {{{.count = 0}}};
    for (ptrdiff_t i = 0; i < arrlen(at->wanted); i++) {
        bool guided;
        int table = usual_table(at, at->wanted[i], &guided);
        add_to_batch(at, &batches, at->wanted[i], table, guided, 1);
    }
    end_batches(at, &batches);
    arrsetlen(at->wanted, 0);
}

/* The noise, relative to the light, that points may have. */
static double allowed_deviation(double level)
{
    return DEVIATION * (1 + MORE_IN_LIGHT * level / (level + BRIGHT_LEVEL));
}

/* How much more noise a point may have than is allowed, in variance, before it gathers again: with
 * as many rays as before, or more. */
static const double worth_rays[] = {1.5, 3, 5};

/* Points whose noise is more than the estimate said gather again: by that of others around. */
static void gather_again(struct face_gather *at)
{
    struct gather_batches batches = {{{.count = 0}}};
    float *noise = memory_alloc((size_t)at->light->count * sizeof *noise);
    point_noise(at->light, at->known, at->variance, (float)MIN_LEVEL, noise);
    for (int i = 0; i < at->light->count; i++) {
        bool guided;
        double excess = (double)noise[i] / allowed_deviation(level_at(at, i));
        if (excess * excess < worth_rays[0])
            continue;
        int table = usual_table(at, i, &guided), step = 0;
        while (step < 2 && excess * excess >= worth_rays[step + 1] && table + step + 1 < TABLES &&
               at->tables[table + step + 1].rays)
            step++;
        float rays = (float)(1 << step);
        add_to_batch(at, &batches, i, table + step, guided, rays / (1 + rays));
    }
    end_batches(at, &batches);
    memory_free(noise);
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

/* The variance that a difference may have without telling of the light, in a cell whose darkest
 * point is given. The parts of the hemisphere that bump maps see differ by more than this variance
 * of all of it says: their cells are refined as if there were none. */
static double allowed_noise(const struct face_gather *at, double variance, double darkest)
{
    double most = MAX_NOISE * portable_fmax(darkest, MIN_LEVEL);
    return at->light->slots > 1 ? 0 : portable_fmin(variance, most * most);
}

/* Returns true if the light in the middle agrees with its prediction from the corners, or deviates
 * from it by no more than the noise of the five: more points would show the noise as blotches. */
static bool middle_fits(const struct face_gather *at, const struct irradiance_cell *cell,
                        const int corners[4])
{
    float predicted[3];
    int middle = irradiance_cell_middle(at->light, cell);
    double noise = (double)at->variance[middle], darkest = level_at(at, middle);
    double low = DBL_MAX, high = 0, spread = 0;
    for (int i = 0; i < 4; i++) {
        double bright = brightness(at->light->indirect + 3 * corners[i]);
        noise += (double)at->variance[corners[i]] / 16;
        spread += (double)at->variance[corners[i]];
        darkest = portable_fmin(darkest, level_at(at, corners[i]));
        low = portable_fmin(low, bright);
        high = portable_fmax(high, bright);
    }
    double contrast = MAX_CONTRAST * portable_fmax(darkest, MIN_LEVEL);
    if (at->light->slots == 1 && (high - low) * (high - low) > contrast * contrast + spread)
        return false;
    irradiance_cell_predict(at->light, cell, predicted);
    double error = fabs(brightness(predicted) - brightness(at->light->indirect + 3 * middle));
    double limit = difference_limit(at, darkest);
    return error * error <= limit * limit + allowed_noise(at, CERTAIN * noise, darkest);
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
    double min = DBL_MAX, max = 0, level = 0, noise = 0, darkest = DBL_MAX;
    for (int i = 0; i < 4; i++) {
        if (at->known[corners[i]] != LUXEL_GATHERED)
            return false;
        double bright = brightness(at->light->indirect + 3 * corners[i]);
        min = portable_fmin(min, bright);
        max = portable_fmax(max, bright);
        level += level_at(at, corners[i]) / 4;
        darkest = portable_fmin(darkest, level_at(at, corners[i]));
        noise += (double)at->variance[corners[i]];
    }
    double limit = difference_limit(at, level);
    return (max - min) * (max - min) <= limit * limit + allowed_noise(at, 2 * noise, darkest);
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

static float light_cells_x(struct face_gather *at, int i) { return sqrtf(at->variance[i]); }
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
    at.secondary =
        memory_zalloc((size_t)light->count * (size_t)light->slots, 3 * sizeof *at.secondary);
    light_cells_open(&shared->transport->views[face], (int)face, &at.light_cells);
    face_guide_open(shared->guide, light, &at.guide);
    refine(&at);
    gather_again(&at);
    face_guide_free(&at.guide);
    light_cells_free(&at.light_cells);
    const char *dbg = getenv("DBGFACE");
    float *raw = NULL;
    if (dbg && atoi(dbg) == (int)face) {
        raw = memory_alloc((size_t)light->count * 3 * sizeof *raw);
        memcpy(raw, light->indirect, (size_t)light->count * 3 * sizeof *raw);
    }
    bounce_denoise(light, at.smooth, arrlen(at.smooth), at.known, at.variance);
    if (raw) {
        for (int i = 0; i < light->count; i++) {
            if (i % light->width == 0) fprintf(stderr, "row %d (w %d slots %d)\n", i / light->width, light->width, light->slots);
            fprintf(stderr, "  %2d k%3d h%d a%.0f raw %.3f dev %.3f step %d guided? out %.3f direct %.3f\n", i % light->width, at.known[i], luxel_is_hidden(light, i), luxel_area(light, i), (double)(raw[3*i]+raw[3*i+1]+raw[3*i+2])/3, sqrt((double)at.variance[i]), bounce_rays_step(shared->estimates, (int)face, i), (double)(light->indirect[3*i]+light->indirect[3*i+1]+light->indirect[3*i+2])/3, light->style_count ? brightness(light->direct[0]+3*i) : 0.);
        }
        for (ptrdiff_t i = 0; i < arrlen(at.smooth); i++) fprintf(stderr, "cell %d %d %d %d\n", at.smooth[i].left, at.smooth[i].top, at.smooth[i].right, at.smooth[i].bottom);
    }
    if (getenv("DBGKNOWN")) {
        FILE *f = fopen(getenv("DBGKNOWN"), "ab");
        int head[3] = {(int)face, light->width, light->height};
        fwrite(head, 4, 3, f);
        fwrite(at.known, 1, (size_t)light->count, f);
        for (int i = 0; i < light->count; i++) { float v = light_cells_x(&at, i); fwrite(&v, 4, 1, f); }
        fclose(f);
    }
    bounced_store(light, at.smooth, (int)arrlen(at.smooth), at.known, shared->map->narrow);
    shared->counts[face] = at.counts;
    arrfree(at.wanted);
    arrfree(at.smooth);
    memory_free(at.variance);
    memory_free(at.secondary);
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
    for (int number = table_of(2 * rays, BUMPED_MIN); number <= table_of(4 * rays, BUMPED_MAX);
         number++)
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
