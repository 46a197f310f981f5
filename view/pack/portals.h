/* The portals between clusters, which vbsp leaves beside a map. */
#ifndef VIEW_PACK_PORTALS_H
#define VIEW_PACK_PORTALS_H

#include "common/bsp/bsp.h"
#include "view/pack/data.h"

/* Adds the streams "portals" (two clusters, first point, points; 32 bits each) and "portalPoints"
 * (three floats each) of the text of a .prt file. None, when it is no portal file, or of another
 * map. */
void view_portals_pack(const struct bsp *bsp, const struct bytes *text, struct view_data *data);

#endif
