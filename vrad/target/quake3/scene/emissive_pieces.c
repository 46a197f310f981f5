#include "vrad/target/quake3/scene/scene.h"

#include <float.h>

#include "common/core/array.h"

/* Of the angle between the normal of a bent piece and that of each of its luxels: a lamp in a
 * luxel of the piece stands for all of them. */
#define BENT_COSINE 0.9063 /* 25 degrees */

/* So far off the middle of a piece, in luxels, one of its luxels is still in its middle. */
#define MIDDLE_REACH 1.0

struct block {
    int column, row, columns, rows;
};

struct block_sum {
    double area;
    struct vec3 center, normal; /* times area */
    double st[2], squares[2];   /* of luxel coordinates, times area */
};

static struct block_sum sum_up(const struct face_light *face, const struct block *block)
{
    struct block_sum sum = {0};
    for (int i = 0; i < block->columns * block->rows; i++) {
        double st[2] = {block->column + i % block->columns, block->row + i / block->columns};
        const struct luxel *luxel = &face->luxels[(int)st[1] * face->width + (int)st[0]];
        double area = (double)luxel->area;
        sum.area += area;
        sum.center = vec3_mad(sum.center, vec3_from_floats(luxel->position), area);
        sum.normal = vec3_mad(sum.normal, vec3_from_floats(luxel->normal), area);
        for (int k = 0; k < 2; k++) {
            sum.st[k] += area * st[k];
            sum.squares[k] += area * st[k] * st[k];
        }
    }
    return sum;
}

/* Visits the luxels of a block that count: the least cosine between the normal and theirs, and the
 * one nearest to a point. */
static const struct luxel *survey(const struct face_light *face, const struct block *block,
                                  struct vec3 normal, struct vec3 point, double *min)
{
    const struct luxel *best = NULL;
    double nearest = DBL_MAX;
    *min = 1;
    for (int i = 0; i < block->columns * block->rows; i++) {
        int column = block->column + i % block->columns, row = block->row + i / block->columns;
        const struct luxel *luxel = &face->luxels[row * face->width + column];
        if (!(luxel->area > 0))
            continue;
        double distance = vec3_distance(vec3_from_floats(luxel->position), point);
        *min = fmin(*min, vec3_dot(normal, vec3_from_floats(luxel->normal)));
        if (distance < nearest) {
            nearest = distance;
            best = luxel;
        }
    }
    return best;
}

/* The parallelogram of a flat block's area, along the axes of the luxels, that reaches as far
 * along both as what is seen of the block: full blocks are their own. */
static void find_sides(const struct face_light *face, const struct block_sum *sum,
                       struct glow_piece *piece)
{
    double half[2];
    for (int k = 0; k < 2; k++) {
        double mean = sum->st[k] / sum->area;
        double variance = fmax(sum->squares[k] / sum->area - mean * mean, 0) + 1.0 / 12;
        half[k] = sqrt(3 * variance);
    }
    double whole = 4 * half[0] * half[1] * vec3_length(vec3_cross(face->axis[0], face->axis[1]));
    double scale = whole > 0 ? sqrt(fmin(sum->area / whole, 1)) : 0;
    for (int k = 0; k < 2; k++)
        piece->side[k] = vec3_scale(face->axis[k], half[k] * scale);
}

static void halve(const struct block *block, struct block half[2])
{
    bool across = block->columns >= block->rows;
    half[0] = half[1] = *block;
    if (across) {
        half[0].columns = block->columns / 2;
        half[1].column += half[0].columns;
        half[1].columns -= half[0].columns;
    } else {
        half[0].rows = block->rows / 2;
        half[1].row += half[0].rows;
        half[1].rows -= half[0].rows;
    }
}

static void add_block(const struct face_light *face, const struct block *block,
                      struct glow_piece **out)
{
    struct block_sum sum = sum_up(face, block);
    if (!(sum.area > 0))
        return;
    struct glow_piece piece = {.center = vec3_scale(sum.center, 1 / sum.area),
                               .normal = vec3_normalize(sum.normal),
                               .area = sum.area};
    double min, luxel_size = sqrt(vec3_length(vec3_cross(face->axis[0], face->axis[1])));
    const struct luxel *middle = survey(face, block, piece.normal, piece.center, &min);
    bool whole = vec3_length(sum.normal) > 0.1 * sum.area && min >= BENT_COSINE;
    if (face->mesh && !whole && block->columns * block->rows > 1) {
        struct block half[2];
        halve(block, half);
        add_block(face, &half[0], out);
        add_block(face, &half[1], out);
        return;
    }
    struct vec3 nearest = vec3_from_floats(middle->position);
    if (!face->mesh && vec3_distance(nearest, piece.center) <= MIDDLE_REACH * luxel_size)
        find_sides(face, &sum, &piece);
    else
        piece.center = nearest;
    if (vec3_length(piece.normal) > 0)
        arrput(*out, piece);
}

void glow_pieces(const struct face_light *face, int step, struct glow_piece **out)
{
    for (int row = 0; row < face->height; row += step) {
        for (int column = 0; column < face->width; column += step) {
            struct block block = {column, row, step, step};
            if (column + step > face->width)
                block.columns = face->width - column;
            if (row + step > face->height)
                block.rows = face->height - row;
            add_block(face, &block, out);
        }
    }
}
