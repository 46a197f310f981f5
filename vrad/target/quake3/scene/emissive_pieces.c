#include "vrad/target/quake3/scene/scene.h"

#include <float.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"

/* Cosine of the maximum angle between the normal of a curved piece and those of its luxels: one
 * light stands for all of them. */
#define CURVED_COSINE 0.9063 /* 25 degrees */

/* Distance from the middle of a piece, in luxels, within which a luxel counts as its middle. */
#define MIDDLE_REACH 1.0

struct block {
    int column, row, columns, rows;
};

struct block_sum {
    double area;
    struct vec3 center, normal; /* times area */
    double st[2], squares[2];   /* of luxel coordinates, times area; of flat faces */
};

/* Adds the extents of a luxel's visible part: one that ends within the luxel has its middle
 * elsewhere. */
static void add_extents(const struct face_light *face, const struct luxel *luxel, const int at[2],
                        struct block_sum *sum)
{
    struct vec3 position = vec3_from_floats(luxel->position);
    double area = (double)luxel->area;
    for (int k = 0; k < 2; k++) {
        double st = vec3_dot(face->dual[k], position) + face->offset[k];
        double extent = portable_fmax(1 - 2 * fabs(st - at[k]), 0);
        sum->st[k] += area * st;
        sum->squares[k] += area * (st * st + extent * extent / 12);
    }
}

static struct block_sum sum_up(const struct face_light *face, const struct block *block)
{
    struct block_sum sum = {0};
    for (int i = 0; i < block->columns * block->rows; i++) {
        const int at[2] = {block->column + i % block->columns, block->row + i / block->columns};
        const struct luxel *luxel = &face->luxels[at[1] * face->width + at[0]];
        double area = (double)luxel->area;
        sum.area += area;
        sum.center = vec3_mad(sum.center, vec3_from_floats(luxel->position), area);
        sum.normal = vec3_mad(sum.normal, vec3_from_floats(luxel_normal(face, luxel)), area);
        if (!face->mesh)
            add_extents(face, luxel, at, &sum);
    }
    return sum;
}

/* Visits the luxels of a block that count: the minimum cosine between the normal and theirs, and
 * the luxel nearest to a point. */
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
        *min = portable_fmin(*min, vec3_dot(normal, vec3_from_floats(luxel_normal(face, luxel))));
        if (distance < nearest) {
            nearest = distance;
            best = luxel;
        }
    }
    return best;
}

/* The parallelogram with a flat block's area, along the axes of the luxels, and with the extents of
 * its visible part: that of a full block is the block. */
static void find_sides(const struct face_light *face, const struct block_sum *sum,
                       struct emissive_piece *piece)
{
    double half[2];
    for (int k = 0; k < 2; k++) {
        double mean = sum->st[k] / sum->area;
        double variance = portable_fmax(sum->squares[k] / sum->area - mean * mean, 0);
        half[k] = sqrt(3 * variance);
    }
    double whole = 4 * half[0] * half[1] * vec3_length(vec3_cross(face->axis[0], face->axis[1]));
    double scale = whole > 0 ? sqrt(portable_fmin(sum->area / whole, 1)) : 0;
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
                      struct emissive_piece **out)
{
    struct block_sum sum = sum_up(face, block);
    if (!(sum.area > 0))
        return;
    struct emissive_piece piece = {.center = vec3_scale(sum.center, 1 / sum.area),
                                   .normal = vec3_normalize(sum.normal),
                                   .area = sum.area};
    double min, luxel_size = sqrt(vec3_length(vec3_cross(face->axis[0], face->axis[1])));
    const struct luxel *middle = survey(face, block, piece.normal, piece.center, &min);
    bool whole = vec3_length(sum.normal) > 0.1 * sum.area && min >= CURVED_COSINE;
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

/* The luxels at both ends of a surface are half outside of it. */
static int blocks_of(int luxels, int step)
{
    return luxels - 1 > step ? (luxels - 1 + step - 1) / step : 1;
}

void emissive_pieces(const struct face_light *face, int step, struct emissive_piece **out)
{
    int across = blocks_of(face->width, step), along = blocks_of(face->height, step);
    for (int i = 0; i < across * along; i++) {
        int column = i % across * face->width / across, row = i / across * face->height / along;
        struct block block = {column, row, (i % across + 1) * face->width / across - column,
                              (i / across + 1) * face->height / along - row};
        add_block(face, &block, out);
    }
}
