#include "vrad/bounce/face_gather.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "vrad/scene/hemisphere.h"

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

void face_gather_wanted(struct face_gather *at)
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
