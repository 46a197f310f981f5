/* The samples of a flat face as arrays by coordinate, made once for all local lights. */
#ifndef VRAD_DIRECT_FACE_SAMPLES_H
#define VRAD_DIRECT_FACE_SAMPLES_H

#include "vrad/direct/receiver.h"
#include "vrad/shadows/planar_shadow.h"

/* Side of a block in luxels. */
enum { SAMPLE_BLOCK = 8 };

/* Extents, in luxel coordinates, of the samples of a block of luxels. */
struct sample_block {
    float s0, t0, s1, t1; /* s0 > s1: no samples */
};

static inline void sample_block_grow(struct sample_block *block, float s, float t)
{
    block->s0 = s < block->s0 ? s : block->s0;
    block->t0 = t < block->t0 ? t : block->t0;
    block->s1 = s > block->s1 ? s : block->s1;
    block->t1 = t > block->t1 ? t : block->t1;
}

/* Samples in planes of one per luxel: number k of luxel l is k * count + l. */
struct face_samples {
    int samples;                   /* per luxel, maximum */
    float *point[3], *st[2];       /* for near lights */
    float *part;                   /* share of the luxel that the sample stands for; 0: no sample */
    float *middle[3];              /* one per luxel: its only sample for far lights */
    float *whole;                  /* one per luxel: 1, or 0 when it has no samples */
    float *normal[LUXEL_SLOTS][3]; /* one per luxel; NULL: all are those of the first */
    bool *border;                  /* one per luxel: its sample lies outside of its square */
    struct sample_block bounds;    /* of the face */
    struct sample_block *blocks;
    int across, along;      /* number of blocks */
    struct light_rows rows; /* scratch for all samples */
    float *facing;          /* scratch: cosines of all samples to the plane */
    float *cosine;          /* scratch: cosines of one plane to another normal */
    float *room[3];         /* scratch: the points of a window */
    float *parts;
    float *normals[LUXEL_SLOTS][3];
    float *min, *max;
};

/* Uninitialised scratch memory for a face; one per thread. */
struct float_pool {
    float *floats; /* on the heap */
    size_t size, used;
};

/* Makes the samples, in the receiver's scratch arena and the pool, and fills the receiver's counts.
 * Initialises the shadow plane; NULL when the face has none. */
struct face_samples *face_samples_new(const struct receiver *to, struct shadow_plane *plane,
                                      struct float_pool *room);

/* Copies the same samples into the arrays for rays. */
void face_samples_rows(const struct face_samples *points, const struct receiver *to,
                       const struct sample_rows *coarse);

/* The number of the cell of a luxel: of its sample where that lies outside of its square. */
static inline int face_samples_cell(const struct face_samples *points,
                                    const struct planar_shadow_cells *cells, int luxel, int column,
                                    int row)
{
    if (points->border[luxel]) {
        const float st[2] = {points->st[0][luxel], points->st[1][luxel]};
        return planar_shadow_cell_at(cells, st);
    }
    int i = column - cells->left, j = row - cells->top;
    i = i < 0 ? 0 : i >= cells->width ? cells->width - 1 : i;
    j = j < 0 ? 0 : j >= cells->height ? cells->height - 1 : j;
    return j * cells->width + i;
}

#endif
