/* The state of a lighting run between two phases, as bytes: the light of the luxels, and what
 * earlier phases have put into the BSP.
 *
 * Scene, places of luxels, lights and seams are quickly computed again, and not stored. The bytes
 * are read as those of any file, against the map and the BSP that they are for. */
#ifndef VRAD_RESUME_LIGHT_STATE_H
#define VRAD_RESUME_LIGHT_STATE_H

#include "vrad/luxels/luxel.h"
#include "vrad/scene/ray_hit_cache.h"

/* `sets` sets of light (LDR, HDR) are done, and `phase` phases of the next one. */
struct light_progress {
    uint32_t sets, phase;
};

/* The parts of a state. */
enum light_parts {
    LIGHT_PART_LUXELS = 1,    /* direct and bounced light */
    LIGHT_PART_AMBIENT = 2,   /* ambient cubes of both sets */
    LIGHT_PART_PROPS = 4,     /* game lumps and pakfile */
    LIGHT_PART_LIGHTMAPS = 8, /* LDR lightmaps and their places */
    LIGHT_PART_HITS = 16      /* shadow rays that the next set looks up */
};

struct light_state {
    struct light_progress done;
    uint32_t parts;
};

/* Returns the parts that are stored after these phases, or LIGHT_PARTS_UNKNOWN if there are no such
 * phases. */
typedef uint32_t light_parts_of(struct light_progress done);
#define LIGHT_PARTS_UNKNOWN UINT32_MAX

void light_state_encode(const struct light_state *state, const struct luxel_map *map,
                        const struct bsp *bsp, struct bytes *out);

/* Reads what light_state_encode wrote, and puts all but the light of luxels into the BSP. Returns
 * false, and changes nothing, when that is not what the reader has up to its end. */
bool light_state_decode(struct byte_reader from, light_parts_of *parts_of,
                        const struct luxel_map *map, struct bsp *bsp, struct light_state *out);

/* Puts the hits into a new cache, from what light_state_decode has taken. */
void light_state_take_hits(struct byte_reader from, const struct luxel_map *map,
                           struct ray_hit_cache *cache);

/* Puts the light of the luxels into the map, from what light_state_decode has taken. Faces
 * without light there get none. */
void light_state_take_luxels(struct byte_reader from, struct luxel_map *map);

#endif
