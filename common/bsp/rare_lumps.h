/* Lists of records that few parts of the programs know. A lump that is new to them begins here:
 * what has no use for it does not depend on it, as it would on a member of struct bsp. */
#ifndef BSP_RARE_LUMPS_H
#define BSP_RARE_LUMPS_H

#include "common/bsp/bsp.h"

struct bsp_overlay_fade;         /* overlay_records.h */
struct bsp_overlay_system_level; /* overlay_records.h */
struct bsp_overlay_tint;         /* overlay_records.h */

/* stb_ds arrays, as in struct bsp. */
struct bsp_rare {
    struct bsp_overlay_fade *overlay_fades;                 /* one per overlay, or empty */
    struct bsp_overlay_system_level *overlay_system_levels; /* one per overlay, or empty */
    struct bsp_overlay_tint *overlay_tints;                 /* one per overlay, or empty */
};

/* The block that bsp_new allocates: tables of lumps have the offsets of their lists in it. */
struct bsp_whole {
    struct bsp bsp; /* the first: its address is that of the whole */
    struct bsp_rare rare;
};

/* Returns those of a BSP that bsp_new has made. */
static inline struct bsp_rare *bsp_rare(const struct bsp *bsp)
{
    return &((struct bsp_whole *)bsp)->rare;
}

#endif
