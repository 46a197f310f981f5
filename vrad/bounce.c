#include "vrad/bounce.h"

#include "common/core/arena.h"
#include "common/core/memory.h"
#include "common/core/parallel.h"
#include "vrad/bounce_solve.h"
#include "vrad/gather.h"
#include "vrad/hemisphere.h"
#include "vrad/lattice.h"

#define DEFAULT_SPACING   96.0
#define DEFAULT_TOLERANCE 0.12
enum { DEFAULT_RAYS = 128, NARROW_LUXELS = 4 };

/* Differences below this, of 255, are not worth a point. */
#define LEAST_DIFFERENCE 0.25

struct gathering {
    const struct radiosity *radiosity;
    const struct hot_spots *hot;
    struct luxel_map *map;
    int rays;
    double spacing, tolerance;
    struct bounce_counts *counts; /* one a face */
    struct progress *progress;
};

/* One face at work. */
struct face_gather {
    const struct gathering *shared;
    struct face_light *light;
    int face;
    unsigned char *known; /* one a luxel: GATHERED, or how many cells have filled it */
    struct bounce_counts counts;
    struct hot_view hot;
};

enum { GATHERED = 255 };

/* A cell of luxels between four that are gathered. */
struct cell {
    int left, top, right, bottom;
};

/* The slots of a bumped face look into a part of the sky each: they need more rays together. The
 * points of a narrow face lie close, and are many for their area. */
static int face_rays(const struct gathering *shared, int face)
{
    const struct face_light *light = &shared->map->faces[face];
    bool narrow = light->width <= NARROW_LUXELS || light->height <= NARROW_LUXELS;
    int rays = narrow ? shared->rays / 4 : shared->rays;
    return light->slots > 1 && rays < GATHER_RAYS ? 2 * rays : rays;
}

static void gather_luxel(struct face_gather *at, int luxel)
{
    if (at->known[luxel] == GATHERED || at->light->luxels[luxel].hidden)
        return;
    struct gather_point point = gather_point_at(at->shared->radiosity, at->face, luxel,
                                                face_rays(at->shared, at->face), &at->hot);
    float light[3 * LUXEL_SLOTS];
    at->counts.hot_rays += gather_light(at->shared->radiosity, &point, light);
    at->counts.rays += point.rays;
    for (int j = 0; j < at->light->slots; j++)
        for (int k = 0; k < 3; k++)
            at->light->indirect[3 * (j * at->light->count + luxel) + k] = light[3 * j + k];
    at->known[luxel] = GATHERED;
    at->counts.points++;
}

static int luxel_at(const struct face_gather *at, int column, int row)
{
    return row * at->light->width + column;
}

static void cell_corners(const struct face_gather *at, const struct cell *cell, int corners[4])
{
    corners[0] = luxel_at(at, cell->left, cell->top);
    corners[1] = luxel_at(at, cell->right, cell->top);
    corners[2] = luxel_at(at, cell->left, cell->bottom);
    corners[3] = luxel_at(at, cell->right, cell->bottom);
}

static void corner_weights(const struct cell *cell, int column, int row, float weights[4])
{
    int across = cell->right - cell->left, along = cell->bottom - cell->top;
    float u = across ? (float)(column - cell->left) / (float)across : 0;
    float v = along ? (float)(row - cell->top) / (float)along : 0;
    weights[0] = (1 - u) * (1 - v);
    weights[1] = u * (1 - v);
    weights[2] = (1 - u) * v;
    weights[3] = u * v;
}

static float blended(const float *values, const int corners[4], const float weights[4], int k)
{
    float sum = 0;
    for (int i = 0; i < 4; i++)
        sum += weights[i] * values[3 * corners[i] + k];
    return sum;
}

/* How much of the bulge of the light over a cell is felt at a luxel: all in the middle, half at the
 * middles of the sides, nothing in the corners, as over a paraboloid. */
static float bulge_weight(const struct cell *cell, int column, int row)
{
    float weights[4];
    corner_weights(cell, column, row, weights);
    float u = weights[1] + weights[3], v = weights[2] + weights[3];
    return 2 * (u * (1 - u) + v * (1 - v));
}

/* Gives the luxels of a cell that were not gathered the light of the corners and the middle. Those
 * on a side take the mean of what its cells say. */
static void fill_cell(struct face_gather *at, const struct cell *cell, int middle)
{
    int corners[4], width = at->light->width;
    cell_corners(at, cell, corners);
    float weights[4], middle_weights[4];
    corner_weights(cell, middle % width, middle / width, middle_weights);
    float whole = bulge_weight(cell, middle % width, middle / width);
    for (int i = 0; i < (cell->right - cell->left + 1) * (cell->bottom - cell->top + 1); i++) {
        int column = cell->left + i % (cell->right - cell->left + 1);
        int row = cell->top + i / (cell->right - cell->left + 1);
        int luxel = luxel_at(at, column, row), before = at->known[luxel];
        if (before == GATHERED)
            continue;
        corner_weights(cell, column, row, weights);
        float share = bulge_weight(cell, column, row) / whole;
        for (int j = 0; j < at->light->slots; j++) {
            float *values = at->light->indirect + 3 * j * at->light->count;
            for (int k = 0; k < 3; k++) {
                float bulge = values[3 * middle + k] - blended(values, corners, middle_weights, k);
                float value = blended(values, corners, weights, k) + share * bulge;
                float *mean = &values[3 * luxel + k];
                *mean += (fmaxf(value, 0) - *mean) / (float)(before + 1);
            }
        }
        at->known[luxel] = (unsigned char)(before + 1);
    }
}

static double brightness(const float *colour)
{
    return ((double)colour[0] + (double)colour[1] + (double)colour[2]) / 3;
}

/* Whether the light in the middle is what the corners foretell. */
static bool middle_fits(struct face_gather *at, const struct cell *cell, int column, int row)
{
    const float *values = at->light->indirect;
    int corners[4], middle = luxel_at(at, column, row);
    float weights[4], foretold[3];
    cell_corners(at, cell, corners);
    corner_weights(cell, column, row, weights);
    for (int k = 0; k < 3; k++)
        foretold[k] = blended(values, corners, weights, k);
    double miss = fabs(brightness(foretold) - brightness(values + 3 * middle));
    double level = brightness(values + 3 * middle);
    if (at->light->direct[0])
        level += brightness(at->light->direct[0] + 3 * middle);
    return miss <= fmax(at->shared->tolerance * level, LEAST_DIFFERENCE);
}

static void refine(struct face_gather *at, struct cell cell)
{
    int across = cell.right - cell.left, along = cell.bottom - cell.top;
    if (across <= 1 && along <= 1)
        return;
    int corners[4], column = cell.left + across / 2, row = cell.top + along / 2;
    cell_corners(at, &cell, corners);
    bool open = lattice_open(at->shared->radiosity, at->face, corners, 4);
    int middle = luxel_at(at, column, row);
    gather_luxel(at, middle);
    if (open && at->known[middle] == GATHERED && middle_fits(at, &cell, column, row)) {
        fill_cell(at, &cell, middle);
        return;
    }
    int columns[3] = {cell.left, column, cell.right}, rows[3] = {cell.top, row, cell.bottom};
    int column_step = across > 1 ? 1 : 2, row_step = along > 1 ? 1 : 2;
    for (int j = 0; j < 3; j += row_step)
        for (int i = 0; i < 3; i += column_step)
            gather_luxel(at, luxel_at(at, columns[i], rows[j]));
    for (int j = 0; j < 2; j += row_step)
        for (int i = 0; i < 2; i += column_step)
            refine(at, (struct cell){columns[i], rows[j], columns[i + column_step],
                                     rows[j + row_step]});
}

static void gather_lattice(struct face_gather *at)
{
    struct lattice lattice;
    lattice_build(at->light, at->shared->spacing, &lattice);
    for (int row = 0; row < lattice.row_count; row++)
        for (int column = 0; column < lattice.column_count; column++)
            gather_luxel(at, luxel_at(at, lattice.columns[column], lattice.rows[row]));
    for (int row = 0; row == 0 || row + 1 < lattice.row_count; row++) {
        for (int column = 0; column == 0 || column + 1 < lattice.column_count; column++) {
            int right = column + 1 < lattice.column_count ? column + 1 : column;
            int below = row + 1 < lattice.row_count ? row + 1 : row;
            refine(at, (struct cell){lattice.columns[column], lattice.rows[row],
                                     lattice.columns[right], lattice.rows[below]});
        }
    }
}

static void gather_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct gathering *shared = context;
    progress_step(shared->progress);
    struct face_gather at = {
        .shared = shared, .light = &shared->map->faces[face], .face = (int)face};
    if (at.light->width <= 0 || at.light->kept)
        return;
    at.known = memory_zalloc((size_t)at.light->count, 1);
    hot_view_of_face(shared->hot, at.face, &at.hot);
    gather_lattice(&at);
    hot_view_free(&at.hot);
    shared->counts[face] = at.counts;
    memory_free(at.known);
}

static void allocate(struct luxel_map *map)
{
    for (int i = 0; i < map->face_count; i++) {
        struct face_light *light = &map->faces[i];
        if (light->width > 0 && !light->kept)
            light->indirect =
                ARENA_ARRAY(&map->light, float, 3 * (size_t)light->slots * (size_t)light->count);
    }
}

void bounce_light(const struct env *env, const struct scene *scene, struct luxel_map *map,
                  const struct bounce_options *options)
{
    const struct vec3 sky = options->sky;
    if (options->bounces <= 0 && sky.x <= 0 && sky.y <= 0 && sky.z <= 0)
        return;
    struct radiosity radiosity;
    radiosity_init(&radiosity, scene, map, sky);
    size_t faces = (size_t)map->face_count;
    struct hot_spots hot;
    hot_spots_find(&radiosity, &hot);
    struct gathering shared = {&radiosity,
                               &hot,
                               map,
                               sample_count(options->rays, DEFAULT_RAYS, GATHER_RAYS),
                               options->spacing > 0 ? options->spacing : DEFAULT_SPACING,
                               options->tolerance > 0 ? options->tolerance : DEFAULT_TOLERANCE,
                               memory_zalloc(faces + 1, sizeof *shared.counts),
                               env->progress};
    struct bounce_counts counts = {0};
    progress_begin(env->progress, "bounced light", faces);
    int bounces = 0;
    if (options->bounces > 0)
        bounces = 1 + bounce_solve(env, &radiosity, &hot, options->bounces - 1, &counts);
    allocate(map);
    parallel_for(env->threads, faces, gather_face, &shared);
    progress_end(env->progress);
    for (size_t i = 0; i < faces; i++) {
        counts.points += shared.counts[i].points;
        counts.rays += shared.counts[i].rays;
        counts.hot_rays += shared.counts[i].hot_rays;
    }
    progress_count(env->progress, "bounces", bounces);
    progress_count(env->progress, "bounce points", counts.points);
    progress_count(env->progress, "bounce rays", counts.rays);
    progress_count(env->progress, "rays to hot spots", counts.hot_rays);
    memory_free(shared.counts);
    hot_spots_free(&hot);
    radiosity_free(&radiosity);
}
