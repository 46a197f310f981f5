/* VHV: the light of a static prop's vertices, as a file in the pakfile: sp_N.vhv for LDR,
 * sp_hdr_N.vhv for HDR, N being the number of the prop. (Format: docs/formats/props.md.) */
#ifndef VRAD_PROPS_VHV_H
#define VRAD_PROPS_VHV_H

#include "common/assets/models/model.h"

struct vhv_colour {
    uint8_t r, g, b;
};

/* Light on a scale where 255 is white, as files have it: half of it on a screen's scale, so that
 * twice white is the most; what is brighter keeps its hue. */
struct vhv_colour vhv_colour_of(const float rgb[3]);

/* Appends the file: `colours` has one per vertex of the model's VVD. Every LOD gets those of its
 * own vertices. False, and nothing appended, when meshes name vertices that the VVD lacks or that
 * another has. */
bool vhv_encode(const struct model *model, const struct vhv_colour *colours, struct bytes *out);

#endif
