#include "vrad/reference/targets.h"

#include <stdlib.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/reference/emitters.h"
#include "vrad/scene/hemisphere.h"

/* Side of the cells, in units: the first at which MAX_TARGETS of them have MAIN_PART of the power,
 * or the last. */
#define FIRST_CELL 32.0
#define LAST_CELL  512.0

enum { MAX_TARGETS = 256 };
#define MAIN_PART 0.95

/* Targets of less power than this part of the brightest one's are left out. */
#define MIN_POWER 1e-4

/* Points per luxel and axis that share its power out to the cells. */
enum { SPREAD = 3 };

struct maker {
    const struct luxel_map *map;
    const struct emitters *emitters;
    struct targets *out;
    double *powers; /* stb_ds array: by cell */
};

/* The corners of a flat face; an stb_ds array. */
static struct vec3 *corners_of(const struct maker *maker, int number)
{
    const struct face_light *face = &maker->map->faces[number];
    const struct emitter *emitter = emitter_seen(maker->emitters, number);
    struct vec3 *corners = NULL;
    if (face->width > 0 && !face->mesh)
        for (int i = 0; i < face->corners; i++)
            arrput(corners, luxel_point(maker->map, face, face->polygon[i], NULL));
    else if (emitter)
        for (int i = 0; i < 3 * emitter->count; i++)
            arrput(corners, maker->emitters->triangles[emitter->first + i / 3].corners[i % 3]);
    return corners;
}

static void lay_out_grid(struct maker *maker, int number, double side)
{
    const struct face_light *face = &maker->map->faces[number];
    const struct emitter *emitter = emitter_seen(maker->emitters, number);
    struct target_grid *grid = &maker->out->grids[number];
    struct vec3 *corners = corners_of(maker, number);
    double low[2] = {(double)INFINITY, (double)INFINITY},
           high[2] = {-(double)INFINITY, -(double)INFINITY};
    int counts[2];
    if (!corners)
        return;
    grid->normal = emitter ? maker->emitters->triangles[emitter->first].normal : face->normal;
    frame_around(grid->normal, &grid->axis[0], &grid->axis[1]);
    for (ptrdiff_t i = 0; i < arrlen(corners); i++)
        for (int k = 0; k < 2; k++) {
            double along = vec3_dot(grid->axis[k], vec3_sub(corners[i], corners[0]));
            low[k] = portable_fmin(low[k], along);
            high[k] = portable_fmax(high[k], along);
        }
    for (int k = 0; k < 2; k++) {
        counts[k] = (int)ceil(portable_fmax((high[k] - low[k]) / side - 1e-6, 1));
        grid->cell[k] = (high[k] - low[k]) / counts[k];
    }
    grid->origin = vec3_mad(corners[0], grid->axis[0], low[0]);
    grid->origin = vec3_mad(grid->origin, grid->axis[1], low[1]);
    grid->columns = counts[0];
    grid->rows = counts[1];
    grid->first = (int)arrlen(maker->out->numbers);
    for (int i = 0; i < grid->columns * grid->rows; i++) {
        arrput(maker->out->numbers, -1);
        arrput(maker->powers, 0.0);
    }
    arrfree(corners);
}

/* The cell of a point in the plane of a face, clamped to its cells; -1: it has none. */
static int cell_at(const struct target_grid *grid, struct vec3 point)
{
    int at[2];
    if (grid->columns <= 0)
        return -1;
    for (int k = 0; k < 2; k++) {
        int count = k ? grid->rows : grid->columns;
        double along = vec3_dot(grid->axis[k], vec3_sub(point, grid->origin)) / grid->cell[k];
        at[k] = !(along > 0) ? 0 : along >= count ? count - 1 : (int)along;
    }
    return grid->first + at[1] * grid->columns + at[0];
}

/* Shares what a luxel reflects of direct light out to the cells under it. */
static void add_luxel(const struct maker *maker, const struct face_light *face, int luxel)
{
    const struct target_grid *grid = &maker->out->grids[face - maker->map->faces];
    double power = 0, area = (double)luxel_area(face, luxel);
    for (int k = 0; k < 3; k++)
        power += (double)face->direct[0][3 * luxel + k] * (double)face->reflectivity[k];
    if (!(power > 0 && area > 0))
        return;
    for (int i = 0; i < SPREAD * SPREAD; i++) {
        const struct point2 at = {luxel % face->width + (i % SPREAD + 0.5) / SPREAD - 0.5,
                                  luxel / face->width + (i / SPREAD + 0.5) / SPREAD - 0.5};
        int cell = cell_at(grid, luxel_point(maker->map, face, at, NULL));
        if (cell >= 0)
            maker->powers[cell] += power * area / (SPREAD * SPREAD);
    }
}

static void add_emission(const struct maker *maker, int number)
{
    const struct emitter *emitter = emitter_seen(maker->emitters, number);
    const struct target_grid *grid = &maker->out->grids[number];
    if (!emitter)
        return;
    double all = emitter->radiosity[0] + emitter->radiosity[1] + emitter->radiosity[2];
    for (int i = 0; i < grid->columns * grid->rows; i++)
        maker->powers[grid->first + i] += all * grid->cell[0] * grid->cell[1];
}

static void collect_powers(struct maker *maker, double side)
{
    arrsetlen(maker->out->numbers, 0);
    arrsetlen(maker->powers, 0);
    for (int i = 0; i < maker->map->face_count; i++) {
        const struct face_light *face = &maker->map->faces[i];
        maker->out->grids[i] = (struct target_grid){0};
        lay_out_grid(maker, i, side);
        for (int l = 0; l < face->count && face->style_count > 0 && !face->mesh; l++)
            add_luxel(maker, face, l);
        add_emission(maker, i);
    }
}

/* ---- the brightest ---- */

struct cell_power {
    double power;
    int cell;
};

static int brighter_first(const void *a, const void *b)
{
    const struct cell_power *x = a, *y = b;
    if (x->power != y->power)
        return x->power < y->power ? 1 : -1;
    return x->cell - y->cell;
}

/* Sorts the cells that have power; returns true if few enough of them have most of it. */
static bool rank_cells(const struct maker *maker, struct cell_power **cells)
{
    double all = 0, main = 0;
    arrsetlen(*cells, 0);
    for (ptrdiff_t i = 0; i < arrlen(maker->powers); i++) {
        all += maker->powers[i];
        if (maker->powers[i] > 0)
            arrput(*cells, ((struct cell_power){maker->powers[i], (int)i}));
    }
    if (!arrlen(*cells))
        return true;
    qsort(*cells, arrlenu(*cells), sizeof **cells, brighter_first);
    for (ptrdiff_t i = 0; i < arrlen(*cells) && i < MAX_TARGETS; i++)
        main += (*cells)[i].power;
    return main >= MAIN_PART * all;
}

static void mark_brightest(const struct maker *maker, const struct cell_power *cells)
{
    for (ptrdiff_t i = 0; i < arrlen(cells) && i < MAX_TARGETS; i++)
        if (cells[i].power > MIN_POWER * cells[0].power)
            maker->out->numbers[cells[i].cell] = 0;
}

/* In the order of the faces. */
static void list_targets(const struct maker *maker)
{
    struct targets *out = maker->out;
    for (int f = 0; f < out->face_count; f++) {
        const struct target_grid *grid = &out->grids[f];
        for (int i = 0; i < grid->columns * grid->rows; i++) {
            struct target target = {.normal = grid->normal,
                                    .power = maker->powers[grid->first + i],
                                    .area = grid->cell[0] * grid->cell[1]};
            if (out->numbers[grid->first + i] < 0)
                continue;
            target.center = grid->origin;
            for (int k = 0; k < 2; k++) {
                int at = k ? i / grid->columns : i % grid->columns;
                target.side[k] = vec3_scale(grid->axis[k], grid->cell[k] / 2);
                target.center = vec3_mad(target.center, target.side[k], 2 * at + 1);
            }
            out->numbers[grid->first + i] = (int)arrlen(out->list);
            arrput(out->list, target);
        }
    }
}

void targets_make(const struct luxel_map *map, const struct emitters *emitters, struct targets *out)
{
    struct maker maker = {.map = map, .emitters = emitters, .out = out};
    struct cell_power *cells = NULL;
    bool enough = false;
    *out = (struct targets){.face_count = map->face_count};
    out->grids = memory_zalloc((size_t)map->face_count + 1, sizeof *out->grids);
    for (double side = FIRST_CELL; side <= LAST_CELL && !enough; side *= 2) {
        collect_powers(&maker, side);
        enough = rank_cells(&maker, &cells);
    }
    mark_brightest(&maker, cells);
    list_targets(&maker);
    arrfree(cells);
    arrfree(maker.powers);
}

void targets_free(struct targets *targets)
{
    arrfree(targets->list);
    arrfree(targets->numbers);
    memory_free(targets->grids);
    *targets = (struct targets){0};
}

/* ---- samples ---- */

/* The weight is roughly the light that the target would give without occluders: its power times
 * both cosines over the square of the distance, which its size limits. */
static void weigh_target(const struct target *target, const float point[3][TRACE_PACKET],
                         const float normal[3][TRACE_PACKET], float *restrict weights)
{
    const float x = (float)target->center.x, y = (float)target->center.y,
                z = (float)target->center.z;
    const float nx = (float)target->normal.x, ny = (float)target->normal.y,
                nz = (float)target->normal.z;
    const float power = (float)target->power, size = (float)(target->area / 4);
    const float reach = sqrtf(size);
    for (int i = 0; i < TRACE_PACKET; i++) {
        float dx = x - point[0][i], dy = y - point[1][i], dz = z - point[2][i];
        float ahead = dx * normal[0][i] + dy * normal[1][i] + dz * normal[2][i] + reach;
        float height = -(dx * nx + dy * ny + dz * nz);
        float square = dx * dx + dy * dy + dz * dz + size;
        float weight = power * ahead * height / (square * square);
        weights[i] = ahead > 0 && height > 0 ? weight : 0;
    }
}

void targets_weigh(const struct targets *targets, uint32_t lanes,
                   const struct light_place places[TRACE_PACKET], float *weights,
                   float totals[TRACE_PACKET])
{
    float point[3][TRACE_PACKET], normal[3][TRACE_PACKET];
    for (int i = 0; i < TRACE_PACKET; i++) {
        const struct light_place *place = &places[lanes >> i & 1 ? i : __builtin_ctz(lanes)];
        totals[i] = 0;
        for (int k = 0; k < 3; k++) {
            point[k][i] = (float)place->start.e[k];
            normal[k][i] = (float)place->normal.e[k];
        }
    }
    for (ptrdiff_t t = 0; t < arrlen(targets->list); t++) {
        float *row = weights + t * TRACE_PACKET;
        weigh_target(&targets->list[t], (const float(*)[TRACE_PACKET])point,
                     (const float(*)[TRACE_PACKET])normal, row);
        for (int i = 0; i < TRACE_PACKET; i++)
            totals[i] += row[i];
    }
}

int targets_sample(const struct targets *targets, int lane, const float *weights, float total,
                   const double random[3], struct vec3 *point)
{
    float sum = 0, wanted = (float)random[0] * total;
    int chosen = -1, count = (int)arrlen(targets->list);
    for (int t = 0; t < count && (chosen < 0 || sum <= wanted); t++) {
        float weight = weights[t * TRACE_PACKET + lane];
        if (weight > 0)
            chosen = t;
        sum += weight;
    }
    const struct target *target = &targets->list[chosen];
    *point = vec3_mad(target->center, target->side[0], 2 * random[1] - 1);
    *point = vec3_mad(*point, target->side[1], 2 * random[2] - 1);
    return chosen;
}

int targets_at(const struct targets *targets, int face, struct vec3 point)
{
    if (face < 0 || face >= targets->face_count)
        return -1;
    int cell = cell_at(&targets->grids[face], point);
    return cell < 0 ? -1 : targets->numbers[cell];
}
