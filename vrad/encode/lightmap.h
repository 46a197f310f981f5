/* Encodes the lighting lump from the light of the luxels. */
#ifndef VRAD_ENCODE_LIGHTMAP_H
#define VRAD_ENCODE_LIGHTMAP_H

#include "common/env.h"
#include "vrad/luxels/luxel.h"

/* Adjustments of the light before it is encoded. */
struct lightmap_options {
    float scale;      /* multiplies the light; 0: all dark */
    float ambient[3]; /* added before scaling to all maps of style 0 */
    float coring;     /* light below this in all channels becomes 0 */
    bool red_errors;  /* hidden luxels are red instead of dilated */
    bool debug_extra; /* supersampled luxels are blue */
};

/* Moves the direct light of style 0 into a second map of style 0, on faces that have room for one
 * more style; the first map keeps the bounced light. */
void luxel_map_part_direct(struct luxel_map *map);

/* One map of a lit face, 3 floats per luxel of its lattice (luxel_border.h): slot `slot` of style
 * number `style`, with the options and the minimum light applied. Hidden luxels are dilated from
 * their neighbours. */
void lightmap_colours(const struct face_light *face, const struct lightmap_options *options,
                      float min_light, int style, int slot, float *colours);

/* Writes the lighting of all faces into *lighting, and styles and light offsets into `faces` (one
 * per face of the map).
 *
 * For each lit face in order: the typical colour of each style, the last style first; then, at the
 * face's offset, for each style the flat map and on bumped faces the three bump maps. The typical
 * colour is the median of each channel. Hidden luxels are dilated from their neighbours. Fails,
 * with nothing written, when the lump would exceed the range of an offset. */
NODISCARD enum status lightmap_write(const struct env *env, const struct luxel_map *map,
                                     const struct lightmap_options *options, struct bsp_face *faces,
                                     struct bytes *lighting);

#endif
