/* vvis on several ranks: rank 0 sends the portals and the options, then all resolve the map
 * together.
 */
#ifndef VVIS_FARM_H
#define VVIS_FARM_H

#include "vvis/resolve.h"

/* On rank 0, before vis_work_begin: the others begin vvis_work. */
void vis_farm_begin(const struct vis_work *work, const struct vvis_session *session);

#endif
