#include "vrad/bounce/face_gather.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/scene/hemisphere.h"

/* Light, of 255, below which differences are not seen as relative ones: the tolerance of darker
 * places is that of this level. */
#define GATHER_MIN_LEVEL 0.5

static inline double colour_brightness(const float *colour)
{
    return ((double)colour[0] + (double)colour[1] + (double)colour[2]) / 3;
}

/* --- face gather --- */

enum {
    MIN_RAYS = 32,
    FEW_LUXELS = 16, /* of a face */
};

/* Rays are aimed where light is so uneven that it takes more of them than usual (bounce_rays.h). */
enum { GUIDED_STEP = 2 };

/* ---- tables of rays ---- */

static int table_of(int usual, int step)
{
    int rays = step < 0 ? usual >> -step : usual << step, number = 0;
    rays = rays > GATHER_RAYS ? GATHER_RAYS : rays < GATHER_PARTS ? GATHER_PARTS : rays;
    while (1 << number < rays)
        number++;
    return number;
}

void gather_tables_init(struct gather_tables *tables, int rays)
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

void gather_tables_free(struct gather_tables *tables)
{
    for (int i = 0; i < GATHER_TABLES; i++) {
        gather_table_free(&tables->plain[i]);
        gather_table_free(&tables->bumped[i]);
        gather_table_free(&tables->squares[i]);
    }
}

/* ---- points ---- */

/* All light of style 0 at a luxel, as far as it is known. */
static double face_gather_level(const struct face_gather *at, int luxel)
{
    double level = colour_brightness(at->light->indirect + 3 * luxel);
    return at->light->direct[0] ? level + colour_brightness(at->light->direct[0] + 3 * luxel)
                                : level;
}

/* Queues a luxel, unless it is known or hidden. */
static void face_gather_want(struct face_gather *at, int luxel)
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
            at->light->indirect[3 * (ptrdiff_t)place + k] = light[3 * j + k];
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
    const struct culled_lights *secondary = transport_view(at->shared->transport, at->face);
    struct gather_point points[GATHER_POINTS] = {{.cache_slot = 0}};
    uint32_t seen[GATHER_POINTS * GATHER_RAYS];
    for (int i = 0; i < count; i++) {
        points[i] = gather_point_at(radiosity, at->face, luxels[i], secondary);
        points[i].min *= at->shared->worth;
        if (at->usual_rays > GATHER_DEFAULT_RAYS) /* scale the worth of shadow rays, too */
            points[i].min *= (double)GATHER_DEFAULT_RAYS / at->usual_rays;
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

/* The batch of a luxel: bump maps see a part of the hemisphere, where light varies more, and keep
 * their rays. */
static struct gather_batch *batch_of(const struct face_gather *at, int luxel,
                                     struct gather_batch batches[2 * GATHER_TABLES])
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

/* Gathers the light of those in the queue. */
static void face_gather_wanted(struct face_gather *at)
{
    struct gather_batch batches[2 * GATHER_TABLES] = {{.count = 0}};
    for (ptrdiff_t i = 0; i < arrlen(at->wanted); i++) {
        struct gather_batch *batch = batch_of(at, at->wanted[i], batches);
        batch->luxels[batch->count++] = at->wanted[i];
        if (batch->count == GATHER_POINTS)
            gather_some(at, batch);
    }
    for (int i = 0; i < 2 * GATHER_TABLES; i++)
        if (batches[i].count)
            gather_some(at, &batches[i]);
    arrsetlen(at->wanted, 0);
}

/* ---- faces ---- */

/* Points of narrow faces lie close together. Each slot of a bumped face sees a part of the
 * hemisphere: they need more rays in total, and still more on faces with few luxels, where
 * denoising has little to average. */
static int usual_rays(const struct face_light *light, int rays)
{
    if (light->slots > 1)
        return light->count <= FEW_LUXELS ? 4 * rays : 2 * rays;
    return transport_face_is_narrow(light) && rays / 2 >= MIN_RAYS ? rays / 2 : rays;
}

void face_gather_open(const struct gather_job *shared, int face, struct face_gather *out)
{
    struct face_light *light = &shared->map->faces[face];
    const size_t count = (size_t)light->count, values = count * (size_t)light->slots;
    *out = (struct face_gather){.shared = shared,
                                .traced = &shared->transport->of_face[face],
                                .tables = light->slots > 1 ? shared->tables->bumped
                                                           : shared->tables->plain,
                                .usual_rays = usual_rays(light, shared->rays),
                                .light = light,
                                .face = face,
                                .known = memory_zalloc(count, 1),
                                .variance = memory_zalloc(values, sizeof *out->variance)};
    light->indirect = memory_zalloc(values, 3 * sizeof *light->indirect);
    light_cells_open(transport_view(shared->transport, face), face, &out->light_cells);
    face_guide_open(shared->guide, light, &out->guide);
}

void face_gather_close(struct face_gather *at)
{
    face_guide_free(&at->guide);
    light_cells_free(&at->light_cells);
    arrfree(at->wanted);
    arrfree(at->cells);
    arrfree(at->smooth);
    memory_free(at->variance);
    memory_free(at->known);
    *at = (struct face_gather){0};
}

/* --- face refine --- */

enum { SMALL_CELL = 2 }; /* luxels across */

/* Noise, relative to the darkest light of a cell, up to which differences are taken for it: more
 * would be spread by interpolation to where it can be seen. */
#define MAX_NOISE 0.3

/* Difference of corners, relative to the darkest light of a cell, beyond which its middle does not
 * tell of all that lies between them. */
#define MAX_CONTRAST 1.25

/* A difference is certain when its square exceeds its variance by this factor. */
#define CERTAIN 1.0

static void want_grid(struct face_gather *at)
{
    const struct irradiance_grid *grid = &at->traced->grid;
    for (int i = 0; i < irradiance_grid_points(grid); i++)
        face_gather_want(at, irradiance_grid_luxel(at->light, grid, i));
}

/* The largest difference of light at a level that needs no further point. */
static double difference_limit(const struct face_gather *at, double level)
{
    return at->shared->tolerance * portable_fmax(level, GATHER_MIN_LEVEL);
}

/* The variance that a difference may have without telling of the light, in a cell whose darkest
 * point is given. The parts of the hemisphere that bump maps see differ by more than this variance
 * of all of it says: their cells are refined as if there were none. */
static double allowed_noise(const struct face_gather *at, double variance, double darkest)
{
    double deviation = MAX_NOISE * portable_fmax(darkest, GATHER_MIN_LEVEL);
    return at->light->slots > 1 ? 0 : portable_fmin(variance, deviation * deviation);
}

/* Returns true if the light in the middle agrees with its prediction from the corners, or deviates
 * from it by no more than the noise of the five: more points would show the noise as blotches. */
static bool middle_fits(const struct face_gather *at, const struct irradiance_cell *cell,
                        const int corners[4])
{
    float predicted[3];
    int middle = irradiance_cell_middle(at->light, cell);
    double noise = (double)at->variance[middle], darkest = face_gather_level(at, middle);
    double low = DBL_MAX, high = 0, spread = 0;
    for (int i = 0; i < 4; i++) {
        double bright = colour_brightness(at->light->indirect + 3 * corners[i]);
        noise += (double)at->variance[corners[i]] / 16;
        spread += (double)at->variance[corners[i]];
        darkest = portable_fmin(darkest, face_gather_level(at, corners[i]));
        low = portable_fmin(low, bright);
        high = portable_fmax(high, bright);
    }
    double contrast = MAX_CONTRAST * portable_fmax(darkest, GATHER_MIN_LEVEL);
    if (at->light->slots == 1 && (high - low) * (high - low) > contrast * contrast + spread)
        return false;
    irradiance_cell_predict(at->light, cell, predicted);
    double error =
        fabs(colour_brightness(predicted) - colour_brightness(at->light->indirect + 3 * middle));
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
        double bright = colour_brightness(at->light->indirect + 3 * corners[i]);
        min = portable_fmin(min, bright);
        max = portable_fmax(max, bright);
        level += face_gather_level(at, corners[i]) / 4;
        darkest = portable_fmin(darkest, face_gather_level(at, corners[i]));
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
            face_gather_want(at, irradiance_cell_luxel(at->light, columns[i], rows[j]));
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
            face_gather_want(at, irradiance_cell_middle(at->light, &at->cells[i]));
}

void face_refine(struct face_gather *at)
{
    want_grid(at);
    start_cells(at);
    if (any_small(at))
        face_gather_wanted(at);
    want_middles(at);
    face_gather_wanted(at);
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
            face_gather_wanted(at);
        want_middles(at);
        face_gather_wanted(at);
    }
}
