#include "vbsp/csg/csg_options.h"
#include "vbsp/tree/tree_build.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/epsilon.h"
#include "common/parallel/parallel.h"
#include "vbsp/csg/brush_fragment.h"

/* Margin beyond the world along an axis that is not cut, so that its outermost brushes border on
 * the outside. */
#define MARGIN 8.0
/* Maximum blocks along an axis: for a larger world, blocks are made larger. */
enum { BLOCK_MAX = 40 };

/* A range of blocks, both ends included; 0 to 0 along an axis that is not cut. */
struct block_range {
    int low[3], high[3];
};

/* A block and everything that building its tree reads or writes. */
struct block {
    int planes[3][2]; /* at the low and the high end of each axis */
    int *brushes;     /* stb_ds array */
    struct brush *volume;
    struct arena arena;
    struct tree_stats stats;
    struct node *root;
};

struct block_grid {
    struct compile *compile;
    struct arena *arena;
    struct tree_stats *stats;
    const struct block_rules *rules;
    struct vec3 size;         /* 0: not cut across that axis */
    struct block_range range; /* blocks with brushes */
    struct bounds world;
    const int *brushes;
    struct block *blocks; /* of the range, along x first */
};

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static struct vec3 block_size(struct vec3 size, const struct bounds *world)
{
    for (int axis = 0; axis < 3; axis++)
        while (size.e[axis] > 0 &&
               world->maxs.e[axis] - world->mins.e[axis] > size.e[axis] * (BLOCK_MAX - 1))
            size.e[axis] *= 2;
    return size;
}

static struct block_range used_range(const struct compile *compile, const struct bounds *world,
                                     struct vec3 size)
{
    struct block_range range = {{0}, {0}};
    const int *limit[2] = {compile->options->block_x, compile->options->block_y};
    for (int axis = 0; axis < 3; axis++) {
        if (!(size.e[axis] > 0))
            continue;
        range.low[axis] = (int)floor(world->mins.e[axis] / size.e[axis]);
        range.high[axis] = (int)floor(world->maxs.e[axis] / size.e[axis]);
        if (compile->options->blocks_limited && axis < 2) {
            range.low[axis] = clamp(range.low[axis], limit[axis][0], limit[axis][1]);
            range.high[axis] = clamp(range.high[axis], limit[axis][0], limit[axis][1]);
        }
    }
    return range;
}

static size_t block_count(const struct block_range *range)
{
    size_t count = 1;
    for (int axis = 0; axis < 3; axis++)
        count *= (size_t)(range->high[axis] - range->low[axis] + 1);
    return count;
}

static int block_plane(struct block_grid *grid, int axis, int block)
{
    struct vec3 normal = vec3(0, 0, 0);
    normal.e[axis] = 1;
    return plane_set_find(&grid->compile->planes, normal, block * grid->size.e[axis]);
}

static struct bounds block_bounds(const struct block_grid *grid, const int place[3])
{
    struct bounds bounds = grid->world;
    for (int axis = 0; axis < 3; axis++) {
        if (!(grid->size.e[axis] > 0))
            continue;
        bounds.mins.e[axis] = place[axis] * grid->size.e[axis];
        bounds.maxs.e[axis] = (place[axis] + 1) * grid->size.e[axis];
    }
    return bounds;
}

static struct block *block_at(const struct block_grid *grid, const int place[3])
{
    const struct block_range *range = &grid->range;
    int index = 0;
    for (int axis = 2; axis >= 0; axis--)
        index = index * (range->high[axis] - range->low[axis] + 1) + place[axis] - range->low[axis];
    return &grid->blocks[index];
}

/* A brush that ends on the border also touches the next block. */
static struct block_range touched_range(const struct block_grid *grid, const struct bounds *bounds)
{
    struct block_range range = {{0}, {0}};
    for (int axis = 0; axis < 3; axis++) {
        double size = grid->size.e[axis];
        if (!(size > 0))
            continue;
        double low = ceil(bounds->mins.e[axis] / size) - 1,
               high = floor(bounds->maxs.e[axis] / size);
        range.low[axis] = (int)portable_fmin(portable_fmax(low, grid->range.low[axis]),
                                             grid->range.high[axis] + 1.0);
        range.high[axis] = (int)portable_fmax(portable_fmin(high, grid->range.high[axis]),
                                              grid->range.low[axis] - 1.0);
    }
    return range;
}

static void list_brush(struct block_grid *grid, int number, const int place[3])
{
    struct bounds bounds = block_bounds(grid, place);
    if (bounds_touch(&grid->compile->brushes[number]->bounds, &bounds, 0))
        arrput(block_at(grid, place)->brushes, number);
}

static void list_brushes(struct block_grid *grid)
{
    for (size_t i = 0; i < arrlenu(grid->brushes); i++) {
        int number = grid->brushes[i], place[3];
        struct block_range range = touched_range(grid, &grid->compile->brushes[number]->bounds);
        for (place[2] = range.low[2]; place[2] <= range.high[2]; place[2]++)
            for (place[1] = range.low[1]; place[1] <= range.high[1]; place[1]++)
                for (place[0] = range.low[0]; place[0] <= range.high[0]; place[0]++)
                    list_brush(grid, number, place);
    }
}

/* Adds all planes that the block needs in advance: their numbers depend on the order of requests.
 * */
static void prepare_block(struct block_grid *grid, const int place[3])
{
    struct block *block = block_at(grid, place);
    struct bounds bounds = block_bounds(grid, place);
    for (int axis = 0; axis < 3 && block->brushes; axis++)
        for (int end = 0; end < 2 && grid->size.e[axis] > 0; end++)
            block->planes[axis][end] = block_plane(grid, axis, place[axis] + end);
    block->volume = brush_fragment_box(&block->arena, &grid->compile->planes, &bounds);
}

/* The part of a fragment within the block, or NULL. */
static struct brush *clip_to_block(const struct block_grid *grid, struct block *block,
                                   struct brush *fragment)
{
    const struct plane_set *planes = &grid->compile->planes;
    for (int axis = 0; axis < 3 && fragment; axis++) {
        for (int end = 0; end < 2 && fragment && grid->size.e[axis] > 0; end++) {
            struct brush *front, *back;
            int plane = block->planes[axis][end];
            brush_fragment_cut(&block->arena, planes, fragment, plane, &front, &back);
            fragment = end == 0 ? front : back;
            for (int i = 0; fragment && i < fragment->side_count; i++)
                fragment->sides[i].on_node |= (fragment->sides[i].plane & ~1) == plane;
        }
    }
    return fragment;
}

static void build_block(void *context, size_t index, int thread)
{
    (void)thread;
    struct block_grid *grid = context;
    struct block *block = &grid->blocks[index];
    const struct plane_set *planes = &grid->compile->planes;
    struct brush *fragments = NULL;
    for (size_t i = 0; i < arrlenu(block->brushes); i++) {
        const struct map_brush *brush = grid->compile->brushes[block->brushes[i]];
        struct brush *fragment = brush_fragment_new(&block->arena, brush, grid->rules->all_visible);
        fragment = clip_to_block(grid, block, fragment);
        if (!fragment)
            continue;
        fragment->next = fragments;
        fragments = fragment;
    }
    if (!grid->compile->options->csg->no_csg)
        fragments = csg_chop(&block->arena, planes, fragments);
    block->root = tree_build(&block->arena, planes, grid->rules->splitters, fragments,
                             block->volume, &block->stats);
}

static bool in_range(const struct block_range *range, const int block[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (block[axis] < range->low[axis] || block[axis] > range->high[axis])
            return false;
    return true;
}

/* Halves a range across its longest axis and returns the axis; -1 for a single block. */
static int halve(const struct block_range *range, struct block_range halves[2])
{
    int axis = 2;
    for (int i = 1; i >= 0; i--)
        if (range->high[i] - range->low[i] > range->high[axis] - range->low[axis])
            axis = i;
    int width = range->high[axis] - range->low[axis];
    if (!width)
        return -1;
    halves[0] = halves[1] = *range;
    halves[0].low[axis] = range->low[axis] + width / 2 + 1;
    halves[1].high[axis] = halves[0].low[axis] - 1;
    return axis;
}

static int halving_plane(struct block_grid *grid, int axis, const struct block_range halves[2])
{
    return block_plane(grid, axis, halves[0].low[axis]) & ~1;
}

static void prepare_blocks(struct block_grid *grid, const struct block_range *range)
{
    struct block_range halves[2];
    int axis = halve(range, halves);
    if (axis < 0) {
        if (in_range(&grid->range, range->low))
            prepare_block(grid, range->low);
        return;
    }
    (void)halving_plane(grid, axis, halves);
    for (int i = 0; i < 2; i++)
        prepare_blocks(grid, &halves[i]);
}

static struct node *join_blocks(struct block_grid *grid, const struct block_range *range)
{
    struct block_range halves[2];
    int axis = halve(range, halves);
    if (axis < 0) {
        if (in_range(&grid->range, range->low))
            return block_at(grid, range->low)->root;
        grid->stats->leaves++;
        return tree_leaf_new(grid->arena, NULL);
    }
    struct node *node = tree_node_new(grid->arena, NULL, halving_plane(grid, axis, halves));
    for (int i = 0; i < 2; i++) {
        node->children[i] = join_blocks(grid, &halves[i]);
        node->children[i]->parent = node;
    }
    grid->stats->nodes++;
    return node;
}

static void build_blocks(struct block_grid *grid)
{
    size_t count = block_count(&grid->range);
    parallel_for(grid->compile->env->threads, count, build_block, grid);
    for (size_t i = 0; i < count; i++) {
        struct block *block = &grid->blocks[i];
        arena_take(grid->arena, &block->arena);
        arrfree(block->brushes);
        grid->stats->nodes += block->stats.nodes;
        grid->stats->leaves += block->stats.leaves;
        grid->stats->splits += block->stats.splits;
    }
}

/* Adds a ring of empty blocks, or a margin. */
static struct block_range add_ring(struct block_grid *grid)
{
    struct block_range ring = grid->range;
    for (int axis = 0; axis < 3; axis++) {
        double size = grid->size.e[axis];
        if (size > 0) {
            grid->world.mins.e[axis] = ring.low[axis]-- * size;
            grid->world.maxs.e[axis] = ++ring.high[axis] * size;
        } else {
            grid->world.mins.e[axis] -= MARGIN;
            grid->world.maxs.e[axis] += MARGIN;
        }
    }
    return ring;
}

struct tree *blocks_build_world(struct compile *compile, const struct bounds *world,
                                const struct block_rules *rules, const int *brushes,
                                struct tree_stats *stats)
{
    struct tree *tree = memory_zalloc(1, sizeof *tree);
    struct block_grid grid = {.compile = compile,
                              .arena = &tree->arena,
                              .stats = stats,
                              .rules = rules,
                              .size = block_size(rules->size, world),
                              .world = *world,
                              .brushes = brushes};
    grid.range = used_range(compile, world, grid.size);
    struct block_range ring = add_ring(&grid);
    tree->bounds = grid.world;
    grid.blocks = memory_zalloc(block_count(&grid.range), sizeof *grid.blocks);
    list_brushes(&grid);
    prepare_blocks(&grid, &ring);
    build_blocks(&grid);
    tree->root = join_blocks(&grid, &ring);
    memory_free(grid.blocks);
    return tree;
}
