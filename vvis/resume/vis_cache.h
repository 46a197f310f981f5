/* The visibility of a map, kept by the portals and by what else of the map it depends on
 * (stage_cache.h). */
#ifndef VVIS_RESUME_VIS_CACHE_H
#define VVIS_RESUME_VIS_CACHE_H

#include "common/resume/stage_cache.h"
#include "vvis/resume/cache_key.h"

/* The input of the key. All borrowed. */
struct vis_cache_source {
    struct cache_key_source portals;
    unsigned char bsp[SHA256_SIZE]; /* of what storing it reads of the BSP */
};

/* Puts the visibility of an earlier run into the BSP and reports its messages, or returns false and
 * begins to keep those of a run. */
bool vis_cache_use(struct stage_cache *stage, const struct vis_cache_source *source,
                   struct bsp *bsp);

/* Keeps what a run has stored in the BSP. */
void vis_cache_keep(struct stage_cache *stage, const struct bsp *bsp);

#endif
