#include "vbsp/blocks.h"

#include "common/core/array.h"
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

struct block_grid {
    struct compile *compile;
    struct arena *arena;
    struct tree_stats *stats;
    struct block_range range; /* those with brushes */
    struct bounds world;
    const int *brushes;
    bool all_visible;
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

static int block_plane(struct block_grid *grid, int axis, int block)
{
    struct vec3 normal = vec3(0, 0, 0);
    normal.e[axis] = 1;
    return plane_set_find(&grid->compile->planes, normal, block * BLOCK_SIZE);
}

/* The part of a piece within the column, or NULL. */
static struct brush *clip_to_block(struct block_grid *grid, struct brush *piece, const int block[2])
{
    for (int axis = 0; axis < 2 && piece; axis++) {
        for (int end = 0; end < 2 && piece; end++) {
            struct brush *front, *back;
            int plane = block_plane(grid, axis, block[axis] + end);
            brush_piece_cut(grid->arena, &grid->compile->planes, piece, plane, &front, &back);
            piece = end == 0 ? front : back;
            for (int i = 0; piece && i < piece->side_count; i++)
                piece->sides[i].on_node |= (piece->sides[i].plane & ~1) == plane;
        }
    }
    return piece;
}

static struct bounds block_bounds(const struct block_grid *grid, const int block[2])
{
    struct bounds bounds = grid->world;
    for (int axis = 0; axis < 2; axis++) {
        bounds.mins.e[axis] = block[axis] * BLOCK_SIZE;
        bounds.maxs.e[axis] = (block[axis] + 1) * BLOCK_SIZE;
    }
    return bounds;
}

static struct node *build_block(struct block_grid *grid, const int block[2])
{
    struct bounds bounds = block_bounds(grid, block);
    struct brush *pieces = NULL;
    for (size_t i = 0; i < arrlenu(grid->brushes); i++) {
        const struct map_brush *brush = grid->compile->brushes[grid->brushes[i]];
        if (!bounds_touch(&brush->bounds, &bounds, 0))
            continue;
        struct brush *piece = brush_piece_new(grid->arena, brush, grid->all_visible);
        piece = clip_to_block(grid, piece, block);
        if (!piece)
            continue;
        piece->next = pieces;
        pieces = piece;
    }
    const struct plane_set *planes = &grid->compile->planes;
    struct brush *volume = brush_piece_box(grid->arena, &grid->compile->planes, &bounds);
    if (!grid->compile->options->no_csg)
        pieces = csg_chop(grid->arena, planes, pieces);
    return tree_build(grid->arena, planes, pieces, volume, grid->stats);
}

static bool in_range(const struct block_range *range, const int block[2])
{
    return block[0] >= range->low[0] && block[0] <= range->high[0] && block[1] >= range->low[1] &&
           block[1] <= range->high[1];
}

static struct node *join_blocks(struct block_grid *grid, struct block_range range)
{
    int width[2] = {range.high[0] - range.low[0], range.high[1] - range.low[1]};
    if (!width[0] && !width[1]) {
        if (in_range(&grid->range, range.low))
            return build_block(grid, range.low);
        grid->stats->leaves++;
        return tree_leaf_new(grid->arena, NULL);
    }
    int axis = width[0] > width[1] ? 0 : 1;
    int middle = range.low[axis] + width[axis] / 2 + 1;
    struct node *node = tree_node_new(grid->arena, NULL, block_plane(grid, axis, middle) & ~1);
    struct block_range half = range;
    half.low[axis] = middle;
    node->children[0] = join_blocks(grid, half);
    half = range;
    half.high[axis] = middle - 1;
    node->children[1] = join_blocks(grid, half);
    for (int i = 0; i < 2; i++)
        node->children[i]->parent = node;
    grid->stats->nodes++;
    return node;
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
    tree->root = join_blocks(&grid, ring);
    return tree;
}
