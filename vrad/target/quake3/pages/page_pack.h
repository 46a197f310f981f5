/* Shapes of luxels into square pages: each goes into the first page that has room, as high up and
 * as far left as it fits, also into holes between others and into what others leave free of the
 * rectangle around them. Luxels of the common colour, black, may lie over each other. */
#ifndef VRAD_QUAKE3_PAGES_PAGE_PACK_H
#define VRAD_QUAKE3_PAGES_PAGE_PACK_H

#include <stdint.h>

#include "common/geom/texel_coverage.h"

/* Those luxels of a rectangle that are needed: bits as of texel_coverage.h. */
struct pack_shape {
    int width, height;
    const uint64_t *needed;
    const uint64_t *common; /* of these, those of the common colour; NULL: none */
};

struct pack_page {
    uint64_t *taken; /* heap, texel_words(side) words a row */
    uint64_t *own;   /* of these, those of colours of their own */
    /* Of each row of the two: the longest run of free luxels. */
    int *longest_free, *longest_not_own;
    int room; /* luxels that are not taken */
};

struct page_pack {
    int side;                /* luxels, a multiple of 64, at most PACK_MOST */
    struct pack_page *pages; /* stb_ds array */
};

enum { PACK_MAX = 2048 };

/* 1 <= width, height <= side. Opens a page when none has room. */
void page_pack_add(struct page_pack *pack, const struct pack_shape *shape, int *page, int place[2]);
void page_pack_free(struct page_pack *pack);

#endif
