/* The light in the air, by which the engine lights what moves: points in even steps through the box
 * of the world, each with light from everywhere and light from one direction. */
#include <stdio.h>
#include <string.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/parallel.h"
#include "common/core/random.h"
#include "vrad/hemisphere.h"
#include "vrad/luxel_solids.h"
#include "vrad/target/quake3/parts.h"

enum {
    MOST_POINTS = 1 << 20,
    LEAST_STEP = 8,
    COARSER_STEP = 16, /* a grid of too many points is widened by this, an axis at a time */
    MOST_SHARES = 4096,
    NUDGES = 14,
};

/* A lamp that gives less than this, of 255, does not count. */
#define LEAST_LIGHT 0.1
#define LEAST_FAST  1.0

/* Rays to lamps end before the surface that they stand on. */
#define LAMP_GAP 0.02
#define FAR_AWAY 1e30f

#define PI 3.14159265358979324

/* How far a lamp counts. */
struct reach {
    int light;
    struct vec3 origin;
    double square;
};

struct grid {
    struct quake3_light *q;
    const struct point_lighter *lighter;
    struct tone tone;
    struct vec3 origin, step;
    int count[3];
    double least;
    struct reach *lamps; /* stb_ds array: all that are no suns or skies */
};

/* What comes from one direction. */
struct share {
    struct vec3 towards, colour;
};

struct point_sum {
    const struct grid *grid;
    struct vec3 position;
    int area;
    struct reach *near; /* stb_ds array: the lamps that may reach the row */
    struct share shares[MOST_SHARES];
    int count;
    struct trace_packet packet;
    struct share waiting[TRACE_PACKET];
    int waiting_count;
    /* All around. */
    struct trace_ray cast[POINT_RAYS_MOST];
    struct scene_hit hits[POINT_RAYS_MOST];
    struct vec3 directions[POINT_RAYS_MOST];
};

/* ---- the shape of the grid ---- */

/* In float, as the engine counts. */
static int64_t points_of(const struct bsp *bsp, struct vec3 step, struct vec3 *origin, int count[3])
{
    int64_t points = 1;
    for (int k = 0; k < 3; k++) {
        float size = (float)step.e[k];
        float first = size * ceilf(bsp->models[0].mins[k] / size);
        float last = size * floorf(bsp->models[0].maxs[k] / size);
        float steps = (last - first) / size + 1;
        count[k] = steps >= 1 && steps < (float)(1 << 24) ? (int)steps : 0;
        origin->e[k] = (double)first;
        points *= count[k];
    }
    return points;
}

static void write_step(struct quake3_light *q, struct vec3 step)
{
    char text[96];
    snprintf(text, sizeof text, "%g %g %g", step.x, step.y, step.z);
    entity_set(&q->entities.entities[0], &q->entities.arena, "gridsize", text);
    quake3_write_entities(q);
    diag_report(q->env->diag, DIAG_GRID_COARSER, NULL, "its points stand %s apart", text);
}

static int64_t shape_grid(struct grid *grid)
{
    struct quake3_light *q = grid->q;
    struct vec3 step = vec3(64, 64, 128), wanted;
    if (arrlen(q->entities.entities) &&
        entity_vector(&q->entities.entities[0], "gridsize", &wanted))
        for (int k = 0; k < 3; k++)
            step.e[k] =
                wanted.e[k] >= LEAST_STEP && wanted.e[k] < 1e6 ? floor(wanted.e[k]) : LEAST_STEP;
    int axis = 0;
    int64_t points;
    bool coarser = false;
    while ((points = points_of(q->bsp, step, &grid->origin, grid->count)) > MOST_POINTS) {
        step.e[axis] += COARSER_STEP;
        axis = (axis + 1) % 3;
        coarser = true;
    }
    grid->step = step;
    if (coarser && arrlen(q->entities.entities))
        write_step(q, step);
    return points;
}

/* ---- light at a point ---- */

static void take(struct point_sum *sum, struct vec3 towards, struct vec3 colour)
{
    if (sum->count < MOST_SHARES)
        sum->shares[sum->count++] = (struct share){towards, colour};
}

static void fire(struct point_sum *sum)
{
    uint32_t lanes = (uint32_t)((1u << sum->waiting_count) - 1);
    const struct scene *scene = &sum->grid->q->scene;
    uint32_t open = lanes ? lanes & ~scene_blocked16(scene, &sum->packet, lanes) : 0;
    open = scene_through16(scene, &sum->packet, open, false);
    for (int i = 0; i < sum->waiting_count; i++)
        if (open >> i & 1)
            take(sum, sum->waiting[i].towards, sum->waiting[i].colour);
    sum->waiting_count = 0;
}

static void load(struct point_sum *sum, struct vec3 towards, double far_end, struct vec3 colour)
{
    int lane = sum->waiting_count++;
    sum->waiting[lane] = (struct share){towards, colour};
    for (int k = 0; k < 3; k++) {
        sum->packet.origin[k][lane] = (float)sum->position.e[k];
        sum->packet.direction[k][lane] = (float)towards.e[k];
    }
    sum->packet.near[lane] = 0;
    sum->packet.far[lane] = (float)far_end;
    if (sum->waiting_count == TRACE_PACKET)
        fire(sum);
}

static double brightest(struct vec3 colour)
{
    return fmax(colour.x, fmax(colour.y, colour.z));
}

static void add_lamps(struct point_sum *sum, int cluster)
{
    const struct light_set *set = &sum->grid->q->lights;
    for (ptrdiff_t i = 0; i < arrlen(sum->near); i++) {
        const struct reach *reach = &sum->near[i];
        struct vec3 way = vec3_sub(reach->origin, sum->position);
        if (vec3_dot(way, way) > reach->square || !light_reaches(set, reach->light, cluster))
            continue;
        const struct light *light = &set->lights[reach->light];
        struct vec3 direction;
        double distance, share = light_at(light, sum->position, &direction, &distance);
        if (share * brightest(light->intensity) > sum->grid->least)
            load(sum, direction, fmax(distance - LAMP_GAP, 0), vec3_scale(light->intensity, share));
    }
    fire(sum);
}

static void add_suns(struct point_sum *sum, int cluster)
{
    const struct quake3_light *q = sum->grid->q;
    struct trace_packet packet = {0};
    const struct light *suns[TRACE_PACKET];
    int count = 0;
    if (q->lights.sun < 0 || !scene_sees_sky(&q->scene, cluster))
        return;
    for (ptrdiff_t i = 0; i < arrlen(q->lights.lights) && count < TRACE_PACKET; i++) {
        const struct light *light = &q->lights.lights[i];
        if (light->type != WORLDLIGHT_SKY)
            continue;
        for (int k = 0; k < 3; k++) {
            packet.origin[k][count] = (float)sum->position.e[k];
            packet.direction[k][count] = -(float)light->normal.e[k];
        }
        packet.far[count] = FAR_AWAY;
        suns[count++] = light;
    }
    uint32_t lanes = (uint32_t)((1u << count) - 1);
    uint32_t seen = scene_sky16(&q->scene, &packet, lanes, false, sum->area);
    seen = scene_through16(&q->scene, &packet, seen, true);
    for (int i = 0; i < count; i++)
        if (seen >> i & 1)
            take(sum, vec3_neg(suns[i]->normal), suns[i]->intensity);
}

/* What the surfaces and the sky throw at it. */
static void add_around(struct point_sum *sum, uint64_t seed)
{
    const struct grid *grid = sum->grid;
    const struct radiosity *radiosity = grid->lighter->radiosity;
    int rays = grid->lighter->rays;
    struct trace_ray *cast = sum->cast;
    struct vec3 *directions = sum->directions;
    int filled[SAMPLE_BOXES] = {0}, room = rays / SAMPLE_BOXES;
    if (!radiosity)
        return;
    for (int i = 0; i < rays; i++) {
        double square[2];
        sample_square((uint32_t)i, seed, square);
        int box = sample_box(square), at = box * room + filled[box]++;
        directions[at] = sphere_point(square);
        for (int k = 0; k < 3; k++) {
            cast[at].origin[k] = (float)sum->position.e[k];
            cast[at].direction[k] = (float)directions[at].e[k];
        }
        cast[at].near = 0;
        cast[at].far = FAR_AWAY;
    }
    radiosity_look(radiosity, cast, rays, sum->area, sum->hits);
    for (int i = 0; i < rays; i++) {
        const float *light = radiosity->leaving + 3 * radiosity_seen(radiosity, &sum->hits[i]);
        /* As light that falls on a surface which faces the ray. */
        struct vec3 colour = vec3_scale(vec3_from_floats(light), 4.0 / rays);
        if (brightest(colour) > 0)
            take(sum, directions[i], colour);
    }
}

/* ---- as the engine takes it ---- */

static uint8_t angle_byte(double radians)
{
    int steps = (int)floor(radians * 255 / (2 * PI) + 0.5);
    return (uint8_t)(steps & 255);
}

static void encode(const struct point_sum *sum, struct bsp_grid_point *out)
{
    const struct quake3_light *q = sum->grid->q;
    struct vec3 main = vec3(0, 0, 0), directed = vec3(0, 0, 0), ambient = q->ambient;
    for (int i = 0; i < sum->count; i++)
        main = vec3_mad(main, sum->shares[i].towards, vec3_length(sum->shares[i].colour));
    main = vec3_length(main) > 0 ? vec3_normalize(main) : vec3(0, 0, 1);
    for (int i = 0; i < sum->count; i++) {
        double dot = vec3_dot(main, sum->shares[i].towards);
        directed = vec3_mad(directed, sum->shares[i].colour, fmax(dot, 0));
        ambient = vec3_mad(ambient, sum->shares[i].colour, 0.25 * (1 - dot));
    }
    float floats[2][3];
    for (int k = 0; k < 3; k++) {
        floats[0][k] = (float)fmax(ambient.e[k], q->least_grid.e[k]);
        floats[1][k] = (float)directed.e[k];
    }
    quake3_bytes(&sum->grid->tone, floats[0], out->ambient);
    quake3_bytes(&sum->grid->tone, floats[1], out->directed);
    /* The engine takes a point without ambient light for one in a wall. */
    for (int k = 0; k < 3 && sum->count; k++)
        out->ambient[k] = out->ambient[k] > 0 ? out->ambient[k] : 1;
    out->direction[0] = angle_byte(acos(fmin(fmax(main.z, -1), 1)));
    out->direction[1] = angle_byte(atan2(main.y, main.x));
}

/* ---- points ---- */

static bool is_free(const struct quake3_light *q, struct vec3 point, int *leaf)
{
    *leaf = bsp_leaf_at(q->bsp, 0, point);
    return q->bsp->leaves[*leaf].cluster >= 0 && !scene_solid_at(&q->scene, *leaf, point);
}

/* Points in walls move by up to half a step, the shortest way first. */
static bool find_free(const struct grid *grid, struct vec3 *point, int *leaf)
{
    if (is_free(grid->q, *point, leaf))
        return true;
    struct bounds around = {vec3_mad(*point, grid->step, -0.5), vec3_mad(*point, grid->step, 0.5)};
    if (box_leaves(grid->q->bsp, &around) == LUXEL_IN_SOLID)
        return false;
    for (int i = 0; i < 2 * NUDGES; i++) {
        static const int ways[NUDGES][3] = {{0, 0, 1},   {0, 0, -1},  {1, 0, 0},  {-1, 0, 0},
                                            {0, 1, 0},   {0, -1, 0},  {1, 1, 1},  {-1, 1, 1},
                                            {1, -1, 1},  {-1, -1, 1}, {1, 1, -1}, {-1, 1, -1},
                                            {1, -1, -1}, {-1, -1, -1}};
        const int *way = ways[i % NUDGES];
        struct vec3 moved = *point;
        for (int k = 0; k < 3; k++)
            moved.e[k] += way[k] * grid->step.e[k] * (i < NUDGES ? 0.25 : 0.5);
        if (is_free(grid->q, moved, leaf)) {
            *point = moved;
            return true;
        }
    }
    return false;
}

/* Of a row along x. */
static void find_near(const struct grid *grid, const struct vec3 *first, struct reach **near)
{
    struct bounds box = {*first, *first};
    box.maxs.x += grid->step.x * grid->count[0];
    for (int k = 0; k < 3; k++) {
        box.mins.e[k] -= grid->step.e[k] / 2;
        box.maxs.e[k] += grid->step.e[k] / 2;
    }
    for (ptrdiff_t i = 0; i < arrlen(grid->lamps); i++) {
        const struct reach *lamp = &grid->lamps[i];
        double square = 0;
        for (int k = 0; k < 3; k++) {
            double gap =
                fmax(fmax(box.mins.e[k] - lamp->origin.e[k], lamp->origin.e[k] - box.maxs.e[k]), 0);
            square += gap * gap;
        }
        if (square <= lamp->square)
            arrput(*near, *lamp);
    }
}

static void light_row(void *context, size_t row, int thread)
{
    (void)thread;
    struct grid *grid = context;
    const struct bsp *bsp = grid->q->bsp;
    size_t first = row * (size_t)grid->count[0];
    struct point_sum *sum = memory_alloc(sizeof *sum);
    sum->grid = grid;
    sum->near = NULL;
    struct vec3 start = grid->origin;
    start.y += (double)(row % (size_t)grid->count[1]) * grid->step.y;
    start.z += (double)(row / (size_t)grid->count[1]) * grid->step.z;
    find_near(grid, &start, &sum->near);
    for (int i = 0; i < grid->count[0]; i++) {
        struct bsp_grid_point *out = &grid->q->bsp->light_grid[first + (size_t)i];
        int leaf;
        memset(out, 0, sizeof *out);
        sum->position = start;
        sum->position.x += i * grid->step.x;
        if (!find_free(grid, &sum->position, &leaf))
            continue;
        int cluster = bsp->leaves[leaf].cluster;
        sum->count = sum->waiting_count = 0;
        sum->area = bsp->leaves[leaf].area;
        add_lamps(sum, cluster);
        add_suns(sum, cluster);
        add_around(sum, hash_pair(0x6772696421, first + (size_t)i));
        encode(sum, out);
    }
    arrfree(sum->near);
    memory_free(sum);
    progress_step(grid->q->env->progress);
}

static void list_lamps(struct grid *grid)
{
    const struct light_set *set = &grid->q->lights;
    for (int i = 0; i < (int)arrlen(set->lights); i++) {
        const struct light *light = &set->lights[i];
        if (light->type == WORLDLIGHT_SKY || light->type == WORLDLIGHT_SKY_AMBIENT)
            continue;
        struct reach reach = {i, light_source(light), brightest(light->intensity) / grid->least};
        if (light->ramp > 0)
            reach.square = 1 / (light->ramp * light->ramp);
        arrput(grid->lamps, reach);
    }
}

void quake3_light_grid(struct quake3_light *q, const struct point_lighter *lighter)
{
    struct grid grid = {.q = q, .lighter = lighter, .tone = quake3_tone(q->options)};
    if (!arrlen(q->bsp->models))
        return;
    int64_t points = shape_grid(&grid);
    grid.least = q->options->fast ? LEAST_FAST : LEAST_LIGHT;
    arrsetlen(q->bsp->light_grid, (size_t)points);
    if (points == 0)
        return;
    list_lamps(&grid);
    size_t rows = (size_t)grid.count[1] * (size_t)grid.count[2];
    progress_begin(q->env->progress, "light grid", rows);
    parallel_for(q->env->threads, rows, light_row, &grid);
    progress_end(q->env->progress);
    progress_count(q->env->progress, "grid points", points);
    arrfree(grid.lamps);
}
