/* The light grid, from which the engine lights moving objects: a regular grid over the world's
 * bounds, with ambient and directed light per point. */
#include <stdio.h>
#include <string.h>

#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/diag/codes/light_options.def"
#include "common/farm/env_loop.h"
#include "common/geom/angle.h"
#include "vrad/bounce/final_gather.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/luxels/luxel_hidden.h"
#include "vrad/target/quake3/pages/pages.h"
#include "vrad/target/quake3/points/points.h"

enum {
    MAX_POINTS = 1 << 20,
    MAX_SHARES = 4096,
    NUDGES = 14,
    BLOCK = GATHER_POINTS, /* points of a row that are lit together */
};

#define MIN_STEP 8.0
/* Step, along one axis at a time, by which the spacing of a grid with too many points grows. */
#define COARSER_STEP 16.0

/* Minimum contribution of a local light, of 255. */
#define MIN_LIGHT 0.1
#define MIN_FAST  1.0

#define FAR_AWAY 1e30f

/* Points nearer to a solid's side than the first are moved by the second, along all axes. */
#define ON_SIDE  0.01
#define OFF_SIDE 1.0

/* A local light and its culling radius. */
struct reach {
    int light;
    struct vec3 origin;
    double square;
};

struct grid {
    struct quake3_light *q;
    const struct irradiance_sampler *sampler;
    struct tone tone;
    struct vec3 origin, step;
    int count[3];
    double min;
    struct reach *local_lights; /* stb_ds array */
    int *suns;                  /* numbers: an stb_ds array */
    struct gather_table rays;   /* sphere table */
    bool has_styles;            /* points keep light of styles apart */
};

/* Light from one direction. */
struct share {
    struct vec3 towards, colour;
    int style;
};

/* Points of a row that are not in solid. */
struct block {
    const struct grid *grid;
    struct reach *near; /* stb_ds array: the local lights that may reach it */
    int count;
    struct vec3 position[BLOCK];
    int leaf[BLOCK];
    size_t number[BLOCK];
    uint32_t *suns; /* a sun each: one bit per point that sees it */
    uint32_t *seen; /* ray hits, BLOCK * GATHER_RAYS */
    /* Of the current point. */
    struct share shares[MAX_SHARES];
    int share_count;
    struct trace_packet packet;
    struct share waiting[TRACE_PACKET];
    int waiting_count;
};

/* ---- spacing of the grid ---- */

/* In single precision, like the engine. */
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
    entity_view_set_world(q->entities, "gridsize", text);
    diag_report(q->env->diag, DIAG_GRID_COARSER, NULL, "its spacing is %s", text);
}

static int64_t shape_grid(struct grid *grid)
{
    struct quake3_light *q = grid->q;
    struct vec3 step = vec3(64, 64, 128), wanted;
    const struct entity *world = entity_view_world(q->entities);
    if (world && entity_vector(world, "gridsize", &wanted))
        for (int k = 0; k < 3; k++)
            step.e[k] =
                wanted.e[k] >= MIN_STEP && wanted.e[k] < 1e6 ? floor(wanted.e[k]) : MIN_STEP;
    int axis = 0;
    int64_t points;
    bool coarser = false;
    while ((points = points_of(q->bsp, step, &grid->origin, grid->count)) > MAX_POINTS) {
        step.e[axis] += COARSER_STEP;
        axis = (axis + 1) % 3;
        coarser = true;
    }
    grid->step = step;
    if (coarser && world)
        write_step(q, step);
    return points;
}

/* ---- light at a point ---- */

static void add_share(struct block *block, const struct share *share)
{
    if (block->share_count < MAX_SHARES)
        block->shares[block->share_count++] = *share;
}

static void add_incoming(struct block *block, struct vec3 towards, struct vec3 colour)
{
    add_share(block, &(struct share){towards, colour, 0});
}

static void trace_waiting(struct block *block)
{
    uint32_t lanes = (uint32_t)((1u << block->waiting_count) - 1);
    const struct scene *scene = &block->grid->q->scene;
    uint32_t open = lanes ? lanes & ~scene_blocked16(scene, &block->packet, lanes) : 0;
    open = scene_through_alpha16(scene, &block->packet, open, false);
    if (block->grid->q->options->quake3.no_trace)
        open = lanes;
    for (int i = 0; i < block->waiting_count; i++)
        if (open >> i & 1)
            add_share(block, &block->waiting[i]);
    block->waiting_count = 0;
}

static void queue_ray(struct block *block, struct vec3 from, double far_end,
                      const struct share *share)
{
    int lane = block->waiting_count++;
    block->waiting[lane] = *share;
    for (int k = 0; k < 3; k++) {
        block->packet.origin[k][lane] = (float)from.e[k];
        block->packet.direction[k][lane] = (float)share->towards.e[k];
    }
    block->packet.near[lane] = 0;
    block->packet.far[lane] = (float)far_end;
    if (block->waiting_count == TRACE_PACKET)
        trace_waiting(block);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double brightest(struct vec3 colour)
{
    return larger(colour.x, larger(colour.y, colour.z));
}

static void add_local_lights(struct block *block, struct vec3 position, int cluster)
{
    const struct grid *grid = block->grid;
    const struct light_set *set = &grid->q->lights;
    for (ptrdiff_t i = 0; i < arrlen(block->near); i++) {
        const struct reach *reach = &block->near[i];
        struct vec3 way = vec3_sub(reach->origin, position);
        if (vec3_dot(way, way) > reach->square || !light_reaches(set, reach->light, cluster))
            continue;
        const struct light *light = &set->lights[reach->light];
        if (light->style != 0 && !grid->has_styles)
            continue;
        struct share share = {.style = grid->has_styles ? light->style : 0};
        double distance, part = light_at(light, position, &share.towards, &distance);
        share.colour = vec3_scale(light->intensity, part);
        if (light_whole(light, part * light_grey(light)) > grid->min &&
            !light_ends_before(set, light, distance))
            queue_ray(block, position, larger(distance - LIGHT_GAP, 0), &share);
    }
    trace_waiting(block);
}

/* The points that a sun may reach. */
static uint32_t lanes_to_sun(const struct block *block, int sun)
{
    const struct quake3_light *q = block->grid->q;
    uint32_t lanes = 0;
    for (int i = 0; i < block->count; i++) {
        const int cluster = q->bsp->leaves[block->leaf[i]].cluster;
        if (scene_sees_sky(&q->scene, cluster) && light_reaches(&q->lights, sun, cluster))
            lanes |= 1u << i;
    }
    return lanes;
}

/* Finds the suns visible from the points. */
static void find_suns(struct block *block)
{
    const struct quake3_light *q = block->grid->q;
    for (ptrdiff_t sun = 0; sun < arrlen(block->grid->suns); sun++) {
        const int number = block->grid->suns[sun];
        uint32_t lanes = q->options->quake3.no_trace ? 0 : lanes_to_sun(block, number);
        struct trace_packet packet = {0};
        block->suns[sun] = q->options->quake3.no_trace ? ~0u : 0;
        if (!lanes)
            continue;
        for (int i = 0; i < block->count; i++) {
            for (int k = 0; k < 3; k++) {
                packet.origin[k][i] = (float)block->position[i].e[k];
                packet.direction[k][i] = -(float)q->lights.lights[number].normal.e[k];
            }
            packet.far[i] = FAR_AWAY;
        }
        int area = q->bsp->leaves[block->leaf[0]].area;
        uint32_t seen = scene_sky16(&q->scene, &packet, lanes, true, area);
        block->suns[sun] = scene_through_alpha16(&q->scene, &packet, seen, true);
    }
}

static void add_suns(struct block *block, int index)
{
    for (ptrdiff_t i = 0; i < arrlen(block->grid->suns); i++) {
        const struct light *sun = &block->grid->q->lights.lights[block->grid->suns[i]];
        if (block->suns[i] >> index & 1)
            add_incoming(block, vec3_neg(sun->normal), sun->intensity);
    }
}

/* Floodlight from above and from below. */
static void add_flood(struct block *block, int index)
{
    const struct quake3_light *q = block->grid->q;
    struct open_light light = q->flood;
    if (!(light.distance > 0))
        return;
    light.rays = TRACE_PACKET;
    for (int side = -1; side <= 1; side += 2) {
        struct vec3 way = vec3(0, 0, side);
        float share = open_light_at_point(&light, &q->scene, block->position[index], way,
                                          block->number[index]);
        add_incoming(block, way, vec3_scale(light.colour, (double)share));
    }
}

static uint64_t seed_of(const struct block *block)
{
    return hash_pair(0x6772696421, block->number[0] / BLOCK);
}

static void trace_indirect(struct block *block)
{
    const struct grid *grid = block->grid;
    struct gather_point points[BLOCK] = {{.slots = 0}};
    for (int i = 0; i < block->count; i++)
        points[i] = (struct gather_point){.in_air = true,
                                          .position = block->position[i],
                                          .area = grid->q->bsp->leaves[block->leaf[i]].area,
                                          .seed = seed_of(block)};
    gather_trace(grid->sampler->radiosity, &grid->rays, points, block->count, block->seen);
}

/* Adds the light of the surfaces and the sky. */
static void add_indirect(struct block *block, int index)
{
    const struct grid *grid = block->grid;
    const struct gather_point point = {.seed = seed_of(block)};
    const struct gather_ray *rays = gather_set(&grid->rays, &point);
    const uint32_t *seen = block->seen + index * grid->rays.rays;
    for (int i = 0; i < grid->rays.rays; i++) {
        float room[3];
        const float *light = radiosity_at(grid->sampler->radiosity, seen[i], room);
        /* As irradiance of a surface that faces the ray. */
        struct vec3 colour = vec3_scale(vec3_from_floats(light), 4.0 / grid->rays.rays);
        if (brightest(colour) > 0)
            add_incoming(block, vec3_from_floats(rays[i].direction), colour);
    }
}

/* ---- encoding ---- */

static uint8_t angle_byte(double radians)
{
    int steps = (int)floor(radians * 255 / (2 * PI) + 0.5);
    return (uint8_t)(steps & 255);
}

/* The mean direction of the light; that of styles, which may be off, counts where there is no
 * other. */
static struct vec3 main_direction(const struct block *block)
{
    for (int styled = 0; styled < 2; styled++) {
        struct vec3 main = vec3(0, 0, 0);
        for (int i = 0; i < block->share_count; i++)
            if (styled || block->shares[i].style == 0)
                main =
                    vec3_mad(main, block->shares[i].towards, vec3_length(block->shares[i].colour));
        if (vec3_length(main) > 0)
            return vec3_normalize(main);
    }
    return vec3(0, 0, 1);
}

/* The light of one style: ambient, to which it is added, and directed. */
static void sum_style(const struct block *block, struct vec3 main, int style, struct vec3 sums[2])
{
    const struct quake3_options *own = &block->grid->q->options->quake3;
    for (int i = 0; i < block->share_count; i++) {
        const struct share *share = &block->shares[i];
        if (share->style != style)
            continue;
        double dot = vec3_dot(main, share->towards);
        sums[1] = vec3_mad(sums[1], share->colour, larger(dot, 0));
        sums[0] =
            vec3_mad(sums[0], share->colour, 0.25 * (1 - own->grid_ambient_directionality * dot));
    }
}

static void encode_light(const struct block *block, const struct vec3 sums[2], struct vec3 min,
                         uint8_t ambient[3], uint8_t directed[3])
{
    const struct quake3_options *own = &block->grid->q->options->quake3;
    const double gain[2] = {own->grid_scale * own->grid_ambient_scale,
                            own->grid_scale * own->grid_directionality};
    float floats[2][3];
    for (int k = 0; k < 3; k++) {
        floats[0][k] = (float)larger(gain[0] * sums[0].e[k], min.e[k]);
        floats[1][k] = (float)(gain[1] * sums[1].e[k]);
    }
    quake3_bytes(&block->grid->tone, floats[0], ambient);
    quake3_bytes(&block->grid->tone, floats[1], directed);
}

/* The style above 0 with most light at the point, without those that it has; 0: none. */
static int next_style(const struct block *block, const struct bsp_grid_point *out)
{
    double light[BSP_STYLE_NONE] = {0};
    int next = 0;
    for (int i = 0; i < block->share_count; i++) {
        const int style = block->shares[i].style;
        if (style > 0 && style < BSP_STYLE_NONE && !memchr(out->styles, style, BSP_FACE_STYLES))
            light[style] += vec3_length(block->shares[i].colour);
    }
    for (int style = 1; style < BSP_STYLE_NONE; style++)
        if (light[style] > light[next])
            next = style;
    return next;
}

static void encode_styles(const struct block *block, struct vec3 main, struct bsp_grid_point *out)
{
    int style;
    for (int k = 0; k < MORE_STYLES && (style = next_style(block, out)) > 0; k++) {
        struct vec3 sums[2] = {{.x = 0}};
        sum_style(block, main, style, sums);
        encode_light(block, sums, vec3(0, 0, 0), out->more_ambient[k], out->more_directed[k]);
        out->styles[k + 1] = (uint8_t)style;
    }
}

static void encode(const struct block *block, struct bsp_grid_point *out)
{
    const struct quake3_light *q = block->grid->q;
    const struct vec3 main = main_direction(block);
    struct vec3 sums[2] = {q->ambient, vec3(0, 0, 0)};
    sum_style(block, main, 0, sums);
    encode_light(block, sums, q->min_grid, out->ambient, out->directed);
    if (block->grid->has_styles)
        encode_styles(block, main, out);
    /* The engine takes points without ambient light as inside walls: just those without any light
     * are left to their neighbours. */
    const uint8_t *a = out->ambient, *d = out->directed;
    bool lit = a[0] || a[1] || a[2] || d[0] || d[1] || d[2] || out->styles[1] < BSP_STYLE_NONE;
    for (int k = 0; k < 3 && lit; k++)
        out->ambient[k] = out->ambient[k] > 0 ? out->ambient[k] : 1;
    out->direction[0] = angle_byte(portable_acos(portable_fmin(larger(main.z, -1), 1)));
    out->direction[1] = angle_byte(portable_atan2(main.y, main.x));
}

/* ---- points ---- */

static bool is_free(const struct quake3_light *q, int node, struct vec3 point, int *leaf)
{
    *leaf = leaf_tree_from(&q->scene.tree, node, point);
    return q->bsp->leaves[*leaf].cluster >= 0 && !scene_solid_at(&q->scene, *leaf, point);
}

static struct vec3 beside(struct vec3 point, int corner, double distance)
{
    for (int k = 0; k < 3; k++)
        point.e[k] += corner >> k & 1 ? -distance : distance;
    return point;
}

/* Moves a point off the solid's side on which it lies, as far as there is room. Returns false if
 * there is none. */
static bool move_off_side(const struct quake3_light *q, int node, struct vec3 *point, int *leaf)
{
    for (int corner = 0; corner < 8; corner++) {
        struct vec3 moved = beside(*point, corner, OFF_SIDE);
        if (is_free(q, node, moved, leaf)) {
            *point = moved;
            return true;
        }
    }
    return false;
}

/* Returns true if a point that is free lies on a solid's side: its rays would start in the solid.
 * Points of a grid are on whole units, as most sides are. */
static bool is_on_side(const struct quake3_light *q, int node, struct vec3 point)
{
    int leaf;
    return !is_free(q, node, beside(point, 0, ON_SIDE), &leaf) ||
           !is_free(q, node, beside(point, 7, ON_SIDE), &leaf);
}

/* Returns true if a box whose points lie below the node is entirely solid. */
static bool is_solid(const struct quake3_light *q, int node, const struct bounds *box)
{
    if (node < 0)
        return q->bsp->leaves[-1 - node].cluster < 0;
    return box_leaves(q->bsp, box) == LUXEL_IN_SOLID;
}

/* Moves points in walls by up to half a step, the shortest distance first. All of these positions
 * lie below the node. */
static bool find_free(const struct grid *grid, int node, struct vec3 *point, int *leaf)
{
    if (is_free(grid->q, node, *point, leaf)) {
        int other;
        if (is_on_side(grid->q, node, *point) && move_off_side(grid->q, node, point, &other))
            *leaf = other;
        return true;
    }
    struct bounds around = {vec3_mad(*point, grid->step, -0.5), vec3_mad(*point, grid->step, 0.5)};
    node = leaf_tree_around(&grid->q->scene.tree, node, &around);
    if (is_solid(grid->q, node, &around))
        return false;
    if (move_off_side(grid->q, node, point, leaf))
        return true;
    for (int i = 0; i < 2 * NUDGES; i++) {
        static const int ways[NUDGES][3] = {{0, 0, 1},   {0, 0, -1},  {1, 0, 0},  {-1, 0, 0},
                                            {0, 1, 0},   {0, -1, 0},  {1, 1, 1},  {-1, 1, 1},
                                            {1, -1, 1},  {-1, -1, 1}, {1, 1, -1}, {-1, 1, -1},
                                            {1, -1, -1}, {-1, -1, -1}};
        const int *way = ways[i % NUDGES];
        struct vec3 moved = *point;
        for (int k = 0; k < 3; k++)
            moved.e[k] += way[k] * grid->step.e[k] * (i < NUDGES ? 0.25 : 0.5);
        if (is_free(grid->q, node, moved, leaf)) {
            *point = moved;
            return true;
        }
    }
    return false;
}

/* The lights among some that may reach into a box. */
static void find_near(const struct reach *local_lights, const struct bounds *box,
                      struct reach **near)
{
    arrsetlen(*near, 0);
    for (ptrdiff_t i = 0; i < arrlen(local_lights); i++) {
        const struct reach *light = &local_lights[i];
        double square = 0;
        for (int k = 0; k < 3; k++) {
            double below = box->mins.e[k] - light->origin.e[k];
            double above = light->origin.e[k] - box->maxs.e[k];
            double gap = larger(larger(below, above), 0);
            square += gap * gap;
        }
        if (square <= light->square)
            arrput(*near, *light);
    }
}

/* Bounds of `count` consecutive points, with all positions that they may be moved to. */
static struct bounds box_of(const struct grid *grid, struct vec3 first, int count)
{
    struct bounds box = {vec3_mad(first, grid->step, -0.5), vec3_mad(first, grid->step, 0.5)};
    box.maxs.x += (count - 1) * grid->step.x;
    return box;
}

static void light_block(struct block *block)
{
    const struct bsp *bsp = block->grid->q->bsp;
    find_suns(block);
    if (block->grid->rays.rays)
        trace_indirect(block);
    for (int i = 0; i < block->count; i++) {
        block->share_count = block->waiting_count = 0;
        add_local_lights(block, block->position[i], bsp->leaves[block->leaf[i]].cluster);
        add_suns(block, i);
        add_flood(block, i);
        if (block->grid->rays.rays)
            add_indirect(block, i);
        encode(block, &bsp->light_grid[block->number[i]]);
    }
}

/* Starts a block with the `count` points from `first`, which has that number. */
static void begin_block(struct block *block, const struct reach *near, struct vec3 first,
                        size_t number, int count)
{
    const struct grid *grid = block->grid;
    struct bounds box = box_of(grid, first, count);
    int node = leaf_tree_around(&grid->q->scene.tree, grid->q->scene.tree.root, &box);
    block->count = 0;
    if (is_solid(grid->q, node, &box))
        return;
    for (int i = 0; i < count; i++) {
        struct vec3 point = first;
        point.x += i * grid->step.x;
        if (!find_free(grid, node, &point, &block->leaf[block->count]))
            continue;
        block->number[block->count] = number + (size_t)i;
        block->position[block->count++] = point;
    }
    if (block->count)
        find_near(near, &box, &block->near);
}

static void light_row(void *context, size_t row, int thread)
{
    (void)thread;
    struct grid *grid = context;
    size_t first = row * (size_t)grid->count[0];
    struct block *block = memory_alloc(sizeof *block);
    struct reach *near = NULL;
    block->grid = grid;
    block->near = NULL;
    block->suns = memory_zalloc(arrlenu(grid->suns) + 1, sizeof *block->suns);
    block->seen = memory_alloc((size_t)BLOCK * (size_t)grid->rays.rays * sizeof *block->seen);
    struct vec3 start = grid->origin;
    start.y += (double)(row % (size_t)grid->count[1]) * grid->step.y;
    start.z += (double)(row / (size_t)grid->count[1]) * grid->step.z;
    struct bounds box = box_of(grid, start, grid->count[0]);
    find_near(grid->local_lights, &box, &near);
    for (int i = 0; i < grid->count[0]; i += BLOCK) {
        int count = grid->count[0] - i < BLOCK ? grid->count[0] - i : BLOCK;
        struct vec3 at = start;
        at.x += i * grid->step.x;
        begin_block(block, near, at, first + (size_t)i, count);
        if (block->count)
            light_block(block);
    }
    arrfree(near);
    arrfree(block->near);
    memory_free(block->suns);
    memory_free(block->seen);
    memory_free(block);
    progress_step(grid->q->env->progress);
}

/* A ranks_pack. */
static void pack_row(void *context, size_t row, struct bytes *out)
{
    const struct grid *grid = context;
    size_t count = (size_t)grid->count[0];
    const struct bsp_grid_point *points = grid->q->bsp->light_grid + row * count;
    bytes_append(out, points, count * sizeof *points);
}

/* A ranks_unpack. */
static void unpack_row(void *context, size_t row, struct byte_reader *from)
{
    const struct grid *grid = context;
    size_t count = (size_t)grid->count[0];
    struct bsp_grid_point *points = grid->q->bsp->light_grid + row * count;
    read_into(from, points, count * sizeof *points);
}

/* Lists the local lights and suns. */
static void list_lights(struct grid *grid)
{
    const struct light_set *set = &grid->q->lights;
    for (int i = 0; i < (int)arrlen(set->lights); i++) {
        const struct light *light = &set->lights[i];
        if (light->type == WORLDLIGHT_SKY && set->sun >= 0)
            arrput(grid->suns, i);
        if (light->type == WORLDLIGHT_SKY || light->type == WORLDLIGHT_SKY_AMBIENT)
            continue;
        struct reach reach = {i, light_source(light),
                              light_whole(light, light_grey(light)) /
                                  portable_fmax(grid->min, set->end.envelope)};
        if (light->ramp > 0)
            reach.square = 1 / (light->ramp * light->ramp);
        arrput(grid->local_lights, reach);
    }
}

void quake3_light_grid(struct quake3_light *q, const struct irradiance_sampler *sampler)
{
    struct grid grid = {.q = q,
                        .sampler = sampler,
                        .tone = quake3_tone_points(q),
                        .has_styles = q->bsp->engine->light.has_styles};
    if (!arrlen(q->bsp->models))
        return;
    int64_t points = shape_grid(&grid);
    grid.min = q->options->fast && q->options->physical ? MIN_FAST : MIN_LIGHT;
    arrsetlen(q->bsp->light_grid, (size_t)points);
    if (points == 0)
        return;
    memset(q->bsp->light_grid, 0, (size_t)points * sizeof *q->bsp->light_grid);
    bsp_plain_grid(q->bsp);
    list_lights(&grid);
    if (sampler->radiosity && sampler->rays > 0)
        gather_table_init(&grid.rays, sampler->rays, GATHER_SPHERE);
    size_t rows = (size_t)grid.count[1] * (size_t)grid.count[2];
    progress_begin(q->env->progress, "light grid", rows);
    env_loop(q->env, &(struct ranks_loop){.count = rows,
                                          .item = light_row,
                                          .context = &grid,
                                          .pack = pack_row,
                                          .unpack = unpack_row,
                                          .progress = q->env->progress});
    progress_end(q->env->progress);
    progress_count(q->env->progress, "light grid points", points);
    arrfree(grid.local_lights);
    arrfree(grid.suns);
    gather_table_free(&grid.rays);
}
