/* Internal: the tables of limits, by their lengths. */
#ifndef BSP_CODEC_LIMIT_TABLES_H
#define BSP_CODEC_LIMIT_TABLES_H

#include "common/bsp/codec/format.h"

/* Limits of Source: the base, and what branches have instead. */
enum {
    VBSP_LIMITS = 39,
    VBSP_LIMITS_2004 = 1,
    VBSP_LIMITS_SWARM = 1,
    VBSP_LIMITS_GMOD = 1,
    VBSP_LIMITS_25 = 29
};
extern const struct bsp_limit vbsp_limits[VBSP_LIMITS];
extern const struct bsp_limit vbsp_limits_2004[VBSP_LIMITS_2004];   /* the tools of 2004 */
extern const struct bsp_limit vbsp_limits_swarm[VBSP_LIMITS_SWARM]; /* from Alien Swarm on */
extern const struct bsp_limit vbsp_limits_gmod[VBSP_LIMITS_GMOD];
extern const struct bsp_limit vbsp_limits_25[VBSP_LIMITS_25]; /* of wide records */

/* Limits of Quake 3: of its engine, and of its original compiler. */
enum { IBSP_LIMITS = 17, IBSP_LIMITS_DARKPLACES = 2 };
extern const struct bsp_limit ibsp_limits[IBSP_LIMITS];
extern const struct bsp_limit ibsp_limits_darkplaces[IBSP_LIMITS_DARKPLACES];

#endif
