/* Packs shapes of luxels into square lightmap pages: each goes into the first page with room, as
 * high up and as far left as it fits, also into holes and into unused corners of other rectangles.
 * Luxels of the common colour, black, may overlap. */
#ifndef VRAD_QUAKE3_PAGES_PAGE_PACK_H
#define VRAD_QUAKE3_PAGES_PAGE_PACK_H

#include <stdint.h>

#include "common/geom/texel_coverage.h"

/* The used luxels of a rectangle: bits as in texel_coverage.h. */
struct pack_shape {
    int width, height;
    const uint64_t *used_mask;
    const uint64_t *common; /* of these, those of the common colour; NULL: none */
};

struct pack_page {
    uint64_t *taken; /* heap, texel_words(side) words per row */
    uint64_t *own;   /* of these, those of other than the common colour */
    /* The longest free run in each row of the two. */
    int *longest_free, *longest_not_own;
    int room; /* free luxels */
};

struct page_pack {
    int side;                /* luxels, a multiple of 64, at most PACK_MAX */
    struct pack_page *pages; /* stb_ds array */
};

enum { PACK_MAX = 2048 };

/* 1 <= width, height <= side. Adds a page when none has room. */
void page_pack_add(struct page_pack *pack, const struct pack_shape *shape, int *page, int place[2]);
void page_pack_free(struct page_pack *pack);

#endif
