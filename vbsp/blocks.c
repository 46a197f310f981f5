#include "vbsp/blocks.h"

#include "common/core/array.h"
#include "common/core/parallel.h"
#include "common/geom/epsilon.h"
#include "vbsp/brush_piece.h"
#include "vbsp/csg.h"

#define BLOCK_SIZE 1024.0
/* Room above and below the world, so that its outermost brushes have an outside. */
#define MARGIN 8.0
enum { BLOCK_MOST = 16 };

/* A range of blocks, both ends included. */
struct block_range {
    int low[2], high[2];
};

/* A column and all that its tree is made from; nothing else is touched while it is made. */
struct block {
    int planes[2][2]; /* at the low and the high end of each axis */
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
    struct block_range range; /* those with brushes */
    struct bounds world;
    const int *brushes;
    bool all_visible;
    struct block *blocks; /* of the range, along x first */
};

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static struct block_range used_range(const struct compile *compile, const struct bounds *world)
{
    struct block_range range;
    const int *limit[2] = {compile->options->block_x, compile->options->block_y};
    for (int axis = 0; axis < 2; axis++) {
        int low = (int)floor(world->mins.e[axis] / BLOCK_SIZE);
        int high = (int)floor(world->maxs.e[axis] / BLOCK_SIZE);
        range.low[axis] = clamp(low, -BLOCK_MOST, BLOCK_MOST - 1);
        range.high[axis] = clamp(high, -BLOCK_MOST, BLOCK_MOST - 1);
        if (compile->options->blocks_limited) {
            range.low[axis] = clamp(range.low[axis], limit[axis][0], limit[axis][1]);
            range.high[axis] = clamp(range.high[axis], limit[axis][0], limit[axis][1]);
        }
    }
    return range;
}

static size_t block_count(const struct block_range *range)
{
    size_t count = 1;
    for (int axis = 0; axis < 2; axis++)
        count *= (size_t)(range->high[axis] - range->low[axis] + 1);
    return count;
}

static int block_plane(struct block_grid *grid, int axis, int block)
{
    struct vec3 normal = vec3(0, 0, 0);
    normal.e[axis] = 1;
    return plane_set_find(&grid->compile->planes, normal, block * BLOCK_SIZE);
}

static struct bounds block_bounds(const struct block_grid *grid, const int place[2])
{
    struct bounds bounds = grid->world;
    for (int axis = 0; axis < 2; axis++) {
        bounds.mins.e[axis] = place[axis] * BLOCK_SIZE;
        bounds.maxs.e[axis] = (place[axis] + 1) * BLOCK_SIZE;
    }
    return bounds;
}

static struct block *block_at(const struct block_grid *grid, const int place[2])
{
    int width = grid->range.high[0] - grid->range.low[0] + 1;
    return &grid->blocks[(place[1] - grid->range.low[1]) * width + place[0] - grid->range.low[0]];
}

/* A brush that ends on the border touches the block behind it too. */
static struct block_range touched_range(const struct block_grid *grid, const struct bounds *bounds)
{
    struct block_range range;
    for (int axis = 0; axis < 2; axis++) {
        double low = fmax(bounds->mins.e[axis] / BLOCK_SIZE, -2 * BLOCK_MOST);
        double high = fmin(bounds->maxs.e[axis] / BLOCK_SIZE, 2 * BLOCK_MOST);
        range.low[axis] = (int)fmax(ceil(low) - 1, grid->range.low[axis]);
        range.high[axis] = (int)fmin(floor(high), grid->range.high[axis]);
    }
    return range;
}

static void list_brushes(struct block_grid *grid)
{
    for (size_t i = 0; i < arrlenu(grid->brushes); i++) {
        const struct map_brush *brush = grid->compile->brushes[grid->brushes[i]];
        struct block_range range = touched_range(grid, &brush->bounds);
        int place[2];
        for (place[1] = range.low[1]; place[1] <= range.high[1]; place[1]++) {
            for (place[0] = range.low[0]; place[0] <= range.high[0]; place[0]++) {
                struct bounds bounds = block_bounds(grid, place);
                if (bounds_touch(&brush->bounds, &bounds, 0))
                    arrput(block_at(grid, place)->brushes, grid->brushes[i]);
            }
        }
    }
}

/* All planes that the block will ask for: their numbers hang on the order of asking. */
static void prepare_block(struct block_grid *grid, const int place[2])
{
    struct block *block = block_at(grid, place);
    struct bounds bounds = block_bounds(grid, place);
    for (int axis = 0; axis < 2 && block->brushes; axis++)
        for (int end = 0; end < 2; end++)
            block->planes[axis][end] = block_plane(grid, axis, place[axis] + end);
    block->volume = brush_piece_box(&block->arena, &grid->compile->planes, &bounds);
}

/* The part of a piece within the column, or NULL. */
static struct brush *clip_to_block(struct block *block, const struct plane_set *planes,
                                   struct brush *piece)
{
    for (int axis = 0; axis < 2 && piece; axis++) {
        for (int end = 0; end < 2 && piece; end++) {
            struct brush *front, *back;
            int plane = block->planes[axis][end];
            brush_piece_cut(&block->arena, planes, piece, plane, &front, &back);
            piece = end == 0 ? front : back;
            for (int i = 0; piece && i < piece->side_count; i++)
                piece->sides[i].on_node |= (piece->sides[i].plane & ~1) == plane;
        }
    }
    return piece;
}

static void build_block(void *context, size_t index, int thread)
{
    (void)thread;
    struct block_grid *grid = context;
    struct block *block = &grid->blocks[index];
    const struct plane_set *planes = &grid->compile->planes;
    struct brush *pieces = NULL;
    for (size_t i = 0; i < arrlenu(block->brushes); i++) {
        const struct map_brush *brush = grid->compile->brushes[block->brushes[i]];
        struct brush *piece = brush_piece_new(&block->arena, brush, grid->all_visible);
        piece = clip_to_block(block, planes, piece);
        if (!piece)
            continue;
        piece->next = pieces;
        pieces = piece;
    }
    if (!grid->compile->options->no_csg)
        pieces = csg_chop(&block->arena, planes, pieces);
    block->root = tree_build(&block->arena, planes, pieces, block->volume, &block->stats);
}

static bool in_range(const struct block_range *range, const int block[2])
{
    return block[0] >= range->low[0] && block[0] <= range->high[0] && block[1] >= range->low[1] &&
           block[1] <= range->high[1];
}

/* Halves a range across its longer axis, which is returned; -1 for a single block. */
static int halve(const struct block_range *range, struct block_range halves[2])
{
    int width[2] = {range->high[0] - range->low[0], range->high[1] - range->low[1]};
    if (!width[0] && !width[1])
        return -1;
    int axis = width[0] > width[1] ? 0 : 1;
    halves[0] = halves[1] = *range;
    halves[0].low[axis] = range->low[axis] + width[axis] / 2 + 1;
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

struct tree *blocks_build_world(struct compile *compile, const struct bounds *world,
                                const int *brushes, bool all_visible, struct tree_stats *stats)
{
    struct tree *tree = memory_zalloc(1, sizeof *tree);
    struct block_grid grid = {.compile = compile,
                              .arena = &tree->arena,
                              .stats = stats,
                              .range = used_range(compile, world),
                              .world = *world,
                              .brushes = brushes,
                              .all_visible = all_visible};
    struct block_range ring = grid.range;
    for (int axis = 0; axis < 2; axis++) {
        grid.world.mins.e[axis] = ring.low[axis]-- * BLOCK_SIZE;
        grid.world.maxs.e[axis] = ++ring.high[axis] * BLOCK_SIZE;
    }
    grid.world.mins.z -= MARGIN;
    grid.world.maxs.z += MARGIN;
    tree->bounds = grid.world;
    grid.blocks = memory_zalloc(block_count(&grid.range), sizeof *grid.blocks);
    list_brushes(&grid);
    prepare_blocks(&grid, &ring);
    build_blocks(&grid);
    tree->root = join_blocks(&grid, &ring);
    memory_free(grid.blocks);
    return tree;
}
