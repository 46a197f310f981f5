/* Rectangles into square pages, without overlaps: each goes into the first page that has room, as
 * high up and as far left as it fits, also into holes between others. */
#ifndef VRAD_QUAKE3_PAGE_PACK_H
#define VRAD_QUAKE3_PAGE_PACK_H

#include <stdint.h>

enum { PACK_SIDE = 128 };

/* A bit a column. */
struct pack_row {
    uint64_t low, high;
};

struct pack_page {
    struct pack_row taken[PACK_SIDE];
};

struct page_pack {
    struct pack_page *pages; /* stb_ds array */
};

/* 1 <= width, height <= PACK_SIDE. Opens a page when none has room. */
void page_pack_add(struct page_pack *pack, int width, int height, int *page, int place[2]);
void page_pack_free(struct page_pack *pack);

#endif
