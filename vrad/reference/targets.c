#include "vrad/reference/targets.h"

#include <stdlib.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/farm/env_loop.h"
#include "vrad/reference/emitters.h"
#include "vrad/scene/hemisphere.h"

/* Side of the cells, in units: the first at which MAX_TARGETS of them send out MAIN_PART of the
 * light, or the last. */
#define FIRST_CELL 16.0
#define LAST_CELL  512.0

#define MAIN_PART 0.75

/* Sides of larger maps start where there are no more cells than this. */
enum { MAX_CELLS = 1 << 18 };

/* Light that meets a surface at this distance counts half as sent away: what is nearer is found by
 * directions at random. So many rays of a packet tell. */
#define FAR_AWAY 64.0

/* Sides of the cells that see targets, in units: the first with at most so many pairs. */
#define FIRST_PLACE 64.0
enum { MAX_PAIRS = 1 << 24 };

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

/* Lays out the cells of a face after so many others; returns how many there are then. */
static int lay_out_grid(const struct maker *maker, int number, double side, int first,
                        struct target_grid *grid)
{
    const struct face_light *face = &maker->map->faces[number];
    const struct emitter *emitter = emitter_seen(maker->emitters, number);
    struct vec3 *corners = corners_of(maker, number);
    double low[2] = {(double)INFINITY, (double)INFINITY},
           high[2] = {-(double)INFINITY, -(double)INFINITY};
    int counts[2];
    *grid = (struct target_grid){0};
    if (!corners)
        return first;
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
    grid->first = first;
    arrfree(corners);
    return first + grid->columns * grid->rows;
}

static int lay_out_grids(const struct maker *maker, double side, struct target_grid *grids)
{
    int count = 0;
    for (int i = 0; i < maker->map->face_count; i++)
        count = lay_out_grid(maker, i, side, count, &grids[i]);
    return count;
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

/* Shares what a luxel reflects out to the cells under it. */
static void add_luxel(const struct maker *maker, const struct face_light *face, int luxel)
{
    const struct target_grid *grid = &maker->out->grids[face - maker->map->faces];
    double power = 0, area = (double)luxel_area(face, luxel);
    for (int k = 0; k < 3; k++) {
        int at = 3 * luxel + k;
        double light = face->style_count > 0 ? (double)face->direct[0][at] : 0;
        light += face->indirect ? (double)face->indirect[at] : 0;
        power += light * (double)face->reflectivity[k];
    }
    if (!(power > 0 && area > 0))
        return;
    for (int i = 0; i < SPREAD * SPREAD; i++) {
        const struct point2 at = {luxel % face->width + (i % SPREAD + 0.5) / (double)SPREAD - 0.5,
                                  luxel / face->width + (i / SPREAD + 0.5) / (double)SPREAD - 0.5};
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

static void collect_powers(struct maker *maker, int cells)
{
    arrsetlen(maker->out->numbers, (size_t)cells);
    arrsetlen(maker->powers, (size_t)cells);
    for (int i = 0; i < cells; i++) {
        maker->out->numbers[i] = -1;
        maker->powers[i] = 0;
    }
    for (int i = 0; i < maker->map->face_count; i++) {
        const struct face_light *face = &maker->map->faces[i];
        for (int l = 0; l < face->count && !face->mesh; l++)
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

static struct target cell_of(const struct target_grid *grid, int number)
{
    struct target cell = {.normal = grid->normal, .area = grid->cell[0] * grid->cell[1]};
    cell.center = grid->origin;
    for (int k = 0; k < 2; k++) {
        int at = k ? number / grid->columns : number % grid->columns;
        cell.side[k] = vec3_scale(grid->axis[k], grid->cell[k] / 2);
        cell.center = vec3_mad(cell.center, cell.side[k], 2 * at + 1);
    }
    return cell;
}

static struct vec3 random_point(const struct target *target, uint64_t seed, uint64_t first)
{
    struct vec3 point = target->center;
    for (uint64_t k = 0; k < 2; k++)
        point = vec3_mad(point, target->side[k], 2 * random_unit(seed, first + k) - 1);
    return point;
}

/* The part of a cell's light that goes far away. */
static double part_sent_away(const struct maker *maker, const struct target *cell, uint64_t seed)
{
    struct trace_packet packet = {0};
    struct scene_hit hits[TRACE_PACKET];
    struct vec3 x, y;
    double sum = 0;
    frame_around(cell->normal, &x, &y);
    for (int i = 0; i < TRACE_PACKET; i++) {
        const uint64_t first = 4 * (uint64_t)i;
        const double square[2] = {random_unit(seed, first + 2), random_unit(seed, first + 3)};
        struct vec3 from =
            vec3_mad(random_point(cell, seed, first), cell->normal, SCENE_RAY_OFFSET);
        struct vec3 way = frame_point(square_to_cosine(square), x, y, cell->normal);
        packet.far[i] = INFINITY;
        for (int k = 0; k < 3; k++) {
            packet.origin[k][i] = (float)from.e[k];
            packet.direction[k][i] = (float)way.e[k];
        }
    }
    scene_hit16(maker->map->scene, &packet, (1u << TRACE_PACKET) - 1, false, hits);
    for (int i = 0; i < TRACE_PACKET; i++) {
        double distance = portable_fmin((double)hits[i].distance, 1e6) / FAR_AWAY;
        sum += distance * distance / (1 + distance * distance) / (double)TRACE_PACKET;
    }
    return sum;
}

/* Sorts the cells that have power; returns true if few enough of them send out most light. */
static bool rank_cells(const struct maker *maker, struct cell_power **cells)
{
    double all = 0, main = 0;
    arrsetlen(*cells, 0);
    for (int f = 0; f < maker->map->face_count; f++) {
        const struct target_grid *grid = &maker->out->grids[f];
        for (int i = grid->first; i < grid->first + grid->columns * grid->rows; i++) {
            if (!(maker->powers[i] > 0))
                continue;
            const struct target cell = cell_of(grid, i - grid->first);
            double part =
                emitter_seen(maker->emitters, f) ? 1 : part_sent_away(maker, &cell, (uint64_t)i);
            double sent = maker->powers[i] * part;
            all += sent;
            arrput(*cells, ((struct cell_power){sent, i}));
        }
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
            if (out->numbers[grid->first + i] < 0)
                continue;
            struct target target = cell_of(grid, i);
            target.power = maker->powers[grid->first + i];
            out->numbers[grid->first + i] = (int)arrlen(out->list);
            arrput(out->list, target);
        }
    }
}

static void keep_radiosities(const struct maker *maker)
{
    struct targets *out = maker->out;
    double power = 0, area = 0;
    out->radiosities = memory_zalloc(arrlenu(maker->powers) + 1, sizeof(float));
    for (int f = 0; f < out->face_count; f++) {
        const struct target_grid *grid = &out->grids[f];
        for (int i = grid->first; i < grid->first + grid->columns * grid->rows; i++) {
            double cell = grid->cell[0] * grid->cell[1];
            power += maker->powers[i];
            area += cell;
            out->radiosities[i] = (float)(maker->powers[i] / cell);
        }
    }
    out->radiosity = (float)(power / portable_fmax(area, 1));
}

static void make_rows(struct targets *out)
{
    int count = (int)arrlen(out->list);
    out->rows = (struct target_rows){0};
    out->blocks = (count + TARGET_BLOCK - 1) / TARGET_BLOCK;
    for (int t = 0; t < count; t++) {
        const struct target *target = &out->list[t];
        for (int k = 0; k < 3; k++) {
            out->rows.center[k][t] = (float)target->center.e[k];
            out->rows.normal[k][t] = (float)target->normal.e[k];
        }
        out->rows.power[t] = (float)target->power;
        out->rows.size[t] = (float)(target->area / 4);
        out->rows.reach[t] = (float)sqrt(target->area / 4);
    }
}

static void lay_out_places(const struct maker *maker)
{
    struct targets *out = maker->out;
    double side = FIRST_PLACE;
    do {
        out->place_count = lay_out_grids(maker, side, out->places);
        side *= 2;
    } while (out->place_count > MAX_PAIRS / (out->blocks * TARGET_BLOCK + 1) && side < 1e5);
}

void targets_make(const struct luxel_map *map, const struct emitters *emitters, struct targets *out)
{
    struct maker maker = {.map = map, .emitters = emitters, .out = out};
    struct cell_power *cells = NULL;
    bool enough = false;
    *out = (struct targets){.face_count = map->face_count};
    out->grids = memory_zalloc((size_t)map->face_count + 1, sizeof *out->grids);
    out->places = memory_zalloc((size_t)map->face_count + 1, sizeof *out->places);
    for (double side = FIRST_CELL; side <= LAST_CELL && !enough; side *= 2) {
        int count = lay_out_grids(&maker, side, out->grids);
        if (count > MAX_CELLS && side < LAST_CELL)
            continue;
        collect_powers(&maker, count);
        enough = rank_cells(&maker, &cells);
    }
    mark_brightest(&maker, cells);
    list_targets(&maker);
    make_rows(out);
    keep_radiosities(&maker);
    lay_out_places(&maker);
    arrfree(cells);
    arrfree(maker.powers);
}

void targets_free(struct targets *targets)
{
    arrfree(targets->list);
    arrfree(targets->numbers);
    memory_free(targets->grids);
    memory_free(targets->places);
    memory_free(targets->radiosities);
    memory_free(targets->shares);
    *targets = (struct targets){0};
}

/* ---- what cells see ---- */

/* Rays from a cell to each target, at least and at most; and what counts as seen of one that none
 * of them reaches, in rays. */
enum { MIN_RAYS = 2, MAX_RAYS = 16 };
#define UNSEEN 0.25f

struct share_job {
    const struct scene *scene;
    struct targets *targets;
    int rays;
};

/* The rays of a packet from a cell to one target; returns how many reach it. */
static int count_reached(const struct share_job *job, const struct target *cell,
                         const struct target *to, uint64_t seed)
{
    struct trace_packet packet = {0};
    uint32_t lanes = 0;
    for (int i = 0; i < job->rays; i++) {
        struct vec3 from = random_point(cell, seed, 4 * (uint64_t)i);
        from = vec3_mad(from, cell->normal, SCENE_RAY_OFFSET);
        struct vec3 way = vec3_sub(random_point(to, seed, 4 * (uint64_t)i + 2), from);
        double end = 1 - SCENE_RAY_OFFSET / portable_fmax(vec3_length(way), SCENE_RAY_OFFSET);
        if (vec3_dot(way, cell->normal) > 0 && vec3_dot(way, to->normal) < 0)
            lanes |= 1u << i;
        packet.far[i] = 1;
        for (int k = 0; k < 3; k++) {
            packet.origin[k][i] = (float)from.e[k];
            packet.direction[k][i] = (float)(way.e[k] * end);
        }
    }
    return lanes ? __builtin_popcount(lanes & ~scene_blocked16(job->scene, &packet, lanes)) : 0;
}

static void find_shares(void *context, size_t index, int thread)
{
    const struct share_job *job = context;
    const struct targets *targets = job->targets;
    const struct target_grid *grid = &targets->places[index];
    (void)thread;
    for (int i = 0; i < grid->columns * grid->rows; i++) {
        const struct target cell = cell_of(grid, i);
        size_t row = (size_t)(grid->first + i) * (size_t)targets->blocks * TARGET_BLOCK;
        for (int t = 0; t < (int)arrlen(targets->list); t++) {
            uint64_t seed = hash_pair((uint64_t)grid->first + (uint64_t)i, (uint64_t)t);
            int reached = count_reached(job, &cell, &targets->list[t], seed);
            targets->shares[row + (size_t)t] =
                ((float)reached + UNSEEN) / ((float)job->rays + UNSEEN);
        }
    }
}

void targets_find_shares(const struct env *env, const struct scene *scene, double rays,
                         struct targets *targets)
{
    size_t cells = (size_t)targets->place_count, count = (size_t)targets->blocks * TARGET_BLOCK;
    struct env alone = *env; /* each rank finds all */
    if (!cells || !count)
        return;
    alone.ranks = NULL;
    targets->shares = memory_zalloc(cells * count, sizeof *targets->shares);
    struct share_job job = {.scene = scene, .targets = targets};
    double each = rays / (double)cells / (double)arrlenu(targets->list);
    job.rays = (int)portable_fmin(portable_fmax(each, MIN_RAYS), MAX_RAYS);
    env_loop(&alone, &(struct ranks_loop){.count = (size_t)targets->face_count,
                                          .item = find_shares,
                                          .context = &job});
}

/* ---- samples ---- */

/* Roughly the light that each target would give without occluders: its power times both cosines
 * over the square of the distance, which its size limits. */
static void weigh_all(const struct target_rows *rows, int count, const float point[3],
                      const float normal[3], float *restrict weights)
{
    for (int t = 0; t < count; t++) {
        float dx = rows->center[0][t] - point[0], dy = rows->center[1][t] - point[1];
        float dz = rows->center[2][t] - point[2];
        float ahead = dx * normal[0] + dy * normal[1] + dz * normal[2] + rows->reach[t];
        float height =
            -(dx * rows->normal[0][t] + dy * rows->normal[1][t] + dz * rows->normal[2][t]);
        float square = dx * dx + dy * dy + dz * dz + rows->size[t];
        ahead = ahead > 0 ? ahead : 0;
        height = height > 0 ? height : 0;
        square = square > 1e-6f ? square : 1e-6f;
        weights[t] = rows->power[t] * ahead * height / (square * square);
    }
}

void targets_weigh(const struct targets *targets, const struct light_place *place, int cell,
                   struct target_weights *out)
{
    float point[3], normal[3], *weights = out->weights;
    int count = targets->blocks * TARGET_BLOCK;
    vec3_to_floats(place->start, point);
    vec3_to_floats(place->normal, normal);
    weigh_all(&targets->rows, count, point, normal, weights);
    if (targets->shares && cell >= 0) {
        const float *shares = targets->shares + (size_t)cell * (size_t)count;
        for (int t = 0; t < count; t++)
            weights[t] *= shares[t];
    }
    out->total = 0;
    for (int b = 0; b < targets->blocks; b++) {
        const float *block = weights + b * TARGET_BLOCK;
        float parts[4] = {0, 0, 0, 0};
        for (int t = 0; t < TARGET_BLOCK; t++)
            parts[t % 4] += block[t];
        out->sums[b] = parts[0] + parts[1] + (parts[2] + parts[3]);
        out->total += out->sums[b];
    }
}

/* The first of the numbers at which their sum is above `wanted`, which is reduced by the sum before
 * it; of numbers above 0. */
static int first_above(const float *numbers, int count, float *wanted)
{
    int chosen = -1;
    float before = 0, sum = 0;
    for (int i = 0; i < count && (chosen < 0 || sum <= *wanted); i++) {
        if (numbers[i] > 0) {
            chosen = i;
            before = sum;
        }
        sum += numbers[i];
    }
    *wanted -= before;
    return chosen;
}

int targets_sample(const struct targets *targets, const struct target_weights *weights,
                   const double random[3], struct vec3 *point)
{
    float wanted = (float)random[0] * weights->total;
    int block = first_above(weights->sums, targets->blocks, &wanted);
    int chosen = block * TARGET_BLOCK +
                 first_above(weights->weights + block * TARGET_BLOCK, TARGET_BLOCK, &wanted);
    const struct target *target = &targets->list[chosen];
    *point = vec3_mad(target->center, target->side[0], 2 * random[1] - 1);
    *point = vec3_mad(*point, target->side[1], 2 * random[2] - 1);
    return chosen;
}

int targets_place(const struct targets *targets, int face, struct vec3 point)
{
    return face < 0 || face >= targets->face_count ? -1 : cell_at(&targets->places[face], point);
}

int targets_at(const struct targets *targets, int face, struct vec3 point)
{
    if (face < 0 || face >= targets->face_count)
        return -1;
    int cell = cell_at(&targets->grids[face], point);
    return cell < 0 ? -1 : targets->numbers[cell];
}

double targets_radiosity(const struct targets *targets, int face, struct vec3 point)
{
    int cell = face < 0 || face >= targets->face_count ? -1 : cell_at(&targets->grids[face], point);
    float found = cell < 0 ? 0 : targets->radiosities[cell];
    return (double)(found > targets->radiosity ? found : targets->radiosity);
}
