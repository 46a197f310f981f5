/* Suns on flat faces without a ray, where all of a face sees all of the sun, or none of it. */
#ifndef VRAD_DIRECT_SUN_SHARE_H
#define VRAD_DIRECT_SUN_SHARE_H

#include "vrad/direct/direct_face.h"

/* Settles the share of a sun: nothing falls on the face (the share has no width), or all of it is
 * lit. False when rays have to tell. */
bool sun_share_settle(struct direct_face *face, struct light_share *share);

#endif
