/* Internal to common/bsp: offsets of the parts of a solid. Others use physics.h. */
#ifndef BSP_LUMPS_PHYSICS_LAYOUT_H
#define BSP_LUMPS_PHYSICS_LAYOUT_H

#include "common/core/bytes.h"

enum {
    COLLIDE_ID = 0x59485056, /* "VPHY" in a little-endian file */
    COLLIDE_VERSION = 0x100,
    COLLIDE_POLY = 0,
    SURFACE_TAG = 0x53505649, /* "IVPS" */
    COLLIDE_HEADER = 28,
    SURFACE_HEADER = 48,
    LEDGE_HEADER = 16,
    TRIANGLE_SIZE = 16,
    POINT_SIZE = 16,
    NODE_SIZE = 28,
    SOLID_ALIGNMENT = 16, /* of ledges and points, from the start of the surface */
};

/* Offsets in the solid. Ledges, points and nodes follow one another without gaps. */
struct physics_layout {
    size_t ledges, points, nodes, end; /* the axis map starts at `end` */
};

/* Returns true for the one version and type that is known. The reader holds the solid, in the
 * reader's byte order; its position is ignored. */
bool physics_is_poly(const struct byte_reader *solid);
/* Returns false when the parts do not fill the solid. The ranges hold whole points and nodes, at
 * least one node; ledges are not counted yet. */
bool physics_layout_find(const struct byte_reader *solid, struct physics_layout *out);
/* Returns the offset after the ledge at `at`, or 0 when it extends past the points. */
size_t physics_ledge_end(const struct byte_reader *solid, const struct physics_layout *layout,
                         size_t at);

#endif
