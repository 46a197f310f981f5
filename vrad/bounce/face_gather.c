#include "vrad/bounce/face_gather.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/bounce/point_noise.h"
#include "vrad/scene/hemisphere.h"

enum {
    MIN_RAYS = 32,
    FEW_LUXELS = 16, /* of a face */
};

/* Rays are aimed where light is so uneven that it takes more of them than usual (bounce_rays.h). */
enum { GUIDED_STEP = 2 };

/* Bump maps see a part of the hemisphere, where light varies more: they get neither the fewest nor
 * the most rays at first. */
enum { BUMPED_MIN = -1, BUMPED_MAX = 2 };

/* The standard deviation of points, relative to all light, that takes no further rays: in the dark;
 * and how much more it may be in light far above a level, of 255. */
#define DEVIATION     0.045
#define MORE_IN_LIGHT 2.0
#define BRIGHT_LEVEL  8.0

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
    for (int number = table_of(2 * rays, BUMPED_MIN); number <= table_of(4 * rays, BUMPED_MAX);
         number++)
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

double face_gather_level(const struct face_gather *at, int luxel)
{
    double level = colour_brightness(at->light->indirect + 3 * luxel);
    return at->light->direct[0] ? level + colour_brightness(at->light->direct[0] + 3 * luxel)
                                : level;
}

void face_gather_want(struct face_gather *at, int luxel)
{
    if (at->known[luxel] == LUXEL_GATHERED || luxel_is_hidden(at->light, luxel))
        return;
    at->known[luxel] = LUXEL_GATHERED;
    arrput(at->wanted, luxel);
}

static void add_secondary(const struct face_gather *at, int luxel, float *light)
{
    const float *secondary = face_gather_secondary(at, luxel);
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
        if (at->usual_rays > GATHER_DEFAULT_RAYS) /* scale the worth of shadow rays, too */
            points[i].min *= (double)GATHER_DEFAULT_RAYS / at->usual_rays;
        if (batch->squares)
            face_guide_aim(&at->guide, batch->squares, luxels[i], i, &points[i]);
    }
    gather_trace(radiosity, table, points, count, seen);
    for (int i = 0; i < count; i++) {
        float light[3 * LUXEL_SLOTS], variance[LUXEL_SLOTS];
        gather_light(radiosity, table, &points[i], seen + i * table->rays, light, variance);
        if (batch->shares[i] == 1)
            at->counts.secondary_rays +=
                gather_secondary(&points[i], light_cells_at(&at->light_cells, luxels[i]),
                                 face_gather_secondary(at, luxels[i]));
        add_secondary(at, luxels[i], light);
        store_light(at, luxels[i], light, variance, batch->shares[i]);
        at->counts.points += batch->shares[i] == 1;
        if (batch->squares)
            face_guide_learn(&at->guide, table, luxels[i], &points[i], seen + i * table->rays);
    }
    at->counts.rays += (int64_t)count * table->rays;
    batch->count = 0;
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
    struct gather_batch of[2 * GATHER_TABLES];
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
    for (int i = 0; i < 2 * GATHER_TABLES; i++)
        if (batches->of[i].count)
            gather_some(at, &batches->of[i]);
}

void face_gather_wanted(struct face_gather *at)
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
static const double worth_again[] = {1.5, 3, 5};

void face_gather_again(struct face_gather *at)
{
    struct gather_batches batches = {{{.count = 0}}};
    float *noise = memory_alloc((size_t)at->light->count * sizeof *noise);
    point_noise(at->light, at->known, at->variance, (float)GATHER_MIN_LEVEL, noise);
    for (int i = 0; i < at->light->count; i++) {
        bool guided;
        double excess = (double)noise[i] / allowed_deviation(face_gather_level(at, i));
        if (excess * excess < worth_again[0])
            continue;
        int table = usual_table(at, i, &guided), step = 0;
        while (step < 2 && excess * excess >= worth_again[step + 1] &&
               table + step + 1 < GATHER_TABLES && at->tables[table + step + 1].rays)
            step++;
        float rays = (float)(1 << step);
        add_to_batch(at, &batches, i, table + step, guided, rays / (1 + rays));
    }
    end_batches(at, &batches);
    memory_free(noise);
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
                                .variance = memory_zalloc(values, sizeof *out->variance),
                                .secondary = memory_zalloc(values, 3 * sizeof *out->secondary)};
    light->indirect = memory_zalloc(values, 3 * sizeof *light->indirect);
    light_cells_open(&shared->transport->views[face], face, &out->light_cells);
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
    memory_free(at->secondary);
    memory_free(at->known);
    *at = (struct face_gather){0};
}
