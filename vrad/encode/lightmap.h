/* The lighting lump, from the light of the luxels. */
#ifndef VRAD_ENCODE_LIGHTMAP_H
#define VRAD_ENCODE_LIGHTMAP_H

#include "common/env.h"
#include "vrad/luxels/luxel.h"

/* What is done to the light on its way into the file. */
struct lightmap_options {
    float scale;      /* multiplies the light, 0 darkens all */
    float ambient[3]; /* added before that to all maps of style 0 */
    float coring;     /* less light than this, in all channels, is none */
    bool red_errors;  /* hidden luxels are red, not what their neighbours are */
    bool debug_extra; /* supersampled luxels are blue */
};

/* Moves the direct light of style 0 into a second map of style 0, on faces that have room for one
 * more style: what stays in the first is bounced light. */
void luxel_map_part_direct(struct luxel_map *map);

/* One map, 3 floats per luxel: slot `slot` of style number `style` of a face that has been lit,
 * with the options and the least light put to it. Hidden luxels take the light of their neighbours.
 */
void lightmap_colours(const struct face_light *face, const struct lightmap_options *options,
                      float min_light, int style, int slot, float *colours);

/* Writes the lighting of all faces into *lighting, and styles and light offsets into `faces` (one
 * for each face of the map).
 *
 * For each lit face in order: the typical colour of each style, the last style first; then, at the
 * face's offset, for each style the flat map and on bumped faces the three bump maps. The typical
 * colour is the median of each channel. Hidden luxels take the light of their neighbours.
 * Fails, with nothing written, when the lump would pass the range of an offset. */
NODISCARD enum status lightmap_write(const struct env *env, const struct luxel_map *map,
                                     const struct lightmap_options *options, struct bsp_face *faces,
                                     struct bytes *lighting);

#endif
