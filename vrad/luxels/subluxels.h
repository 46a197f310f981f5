/* Subluxels: parts of luxels that are partly hidden where their light differs. What sees one part
 * of such a luxel may not get the light of the other, so each part has a radiosity of its own.
 *
 * In a radiosity their indices follow those of the luxels, the sky, the unlit and the props. Style
 * 0 only. */
#ifndef VRAD_LUXELS_SUBLUXELS_H
#define VRAD_LUXELS_SUBLUXELS_H

#include "vrad/luxels/luxel_set.h"

enum {
    SUBLUXEL_MAX_SIDE = 8,
    SUBLUXEL_BLOCK = 2, /* side of the blocks of subluxels that share their bounced light */
};

/* The luxel is `side` * `side` subluxels, row by row, s first. */
struct split_luxel {
    uint32_t first; /* subluxel */
    int face, luxel;
    int side; /* a multiple of SUBLUXEL_BLOCK */
};

struct subluxels {
    struct luxel_set split;     /* in the numbering of a radiosity */
    struct split_luxel *luxels; /* by their rank in the set */
    size_t luxel_count, count;  /* of split luxels, and of all subluxels */
    bool *open;                 /* one per subluxel: it is a visible part of the surface */
    float *direct;              /* 3 per subluxel: irradiance */
    float *leaving;             /* 3 per subluxel: radiosity */
};

/* Frees it as well; accepts NULL. */
void subluxels_free(struct subluxels *subluxels);

/* The subluxel at an offset from the middle of its luxel, in sides of the luxel. */
static inline size_t subluxel_at(const struct split_luxel *luxel, float s, float t)
{
    int i = (int)((s + 0.5f) * (float)luxel->side), j = (int)((t + 0.5f) * (float)luxel->side);
    i = i < 0 ? 0 : i >= luxel->side ? luxel->side - 1 : i;
    j = j < 0 ? 0 : j >= luxel->side ? luxel->side - 1 : j;
    return luxel->first + (size_t)(j * luxel->side + i);
}

/* The luxel that a subluxel is a part of. */
const struct split_luxel *subluxels_luxel(const struct subluxels *subluxels, size_t subluxel);

#endif
