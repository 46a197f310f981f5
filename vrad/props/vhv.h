/* VHV: vertex lighting of a static prop, a file in the pakfile: sp_N.vhv for LDR, sp_hdr_N.vhv for
 * HDR, for prop N. (Format: docs/formats/props.md.) */
#ifndef VRAD_PROPS_VHV_H
#define VRAD_PROPS_VHV_H

#include "common/assets/models/model.h"

struct vhv_colour {
    uint8_t r, g, b;
};

/* Encodes light on a scale where 255 is white: half of it in screen gamma, so that twice white is
 * the maximum; brighter light keeps its hue. */
struct vhv_colour vhv_colour_of(const float rgb[3]);

/* Appends the file: `colours` has one per vertex of the model's VVD. Every LOD gets those of its
 * own vertices. False, and nothing appended, when meshes refer to vertices that are not in the VVD
 * or that belong to another mesh. */
bool vhv_encode(const struct model *model, const struct vhv_colour *colours, struct bytes *out);

#endif
