/* Minimaps: a map seen from above, by the thickness of its solid brushes. */
#ifndef RENDER_MINIMAP_H
#define RENDER_MINIMAP_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

enum minimap_colours { MINIMAP_GREY, MINIMAP_BLACK, MINIMAP_WHITE };

struct minimap_options {
    int size;    /* pixels per side, 1 .. RENDER_SIDE */
    int samples; /* per pixel */
    enum minimap_colours colours;
    bool has_bounds;
    struct bounds bounds;        /* of the map to show; otherwise those of its solid brushes */
    double border;               /* fraction of the side that stays free on each side */
    double boost;                /* above 1: thin things become brighter; 1: nothing changes */
    double sharpen;              /* 0: not */
    double brightness, contrast; /* value * contrast + brightness */
    bool stretch;                /* do not keep the aspect of the map */
    bool keep_levels;            /* do not spread the values over all of black to white */
};

extern const struct minimap_options minimap_defaults;

/* Draws the picture: one byte per pixel (grey), or four, a colour whose alpha is the value (black,
 * white); size * size of them, from memory_alloc, rows from the top, where y is largest. *shown
 * becomes the part of the map that fills the picture. Returns NULL when there are no solid
 * brushes. The same for any number of threads. */
unsigned char *minimap_draw(const struct bsp *bsp, const struct minimap_options *options,
                            int threads, struct bounds *shown);

#endif
