/* Whether one body hides all of a window from a lamp: a quick test that may miss what the outline
 * of the shadow tells, but never says more. */
#ifndef VRAD_SHADOWS_SHADOW_COVER_H
#define VRAD_SHADOWS_SHADOW_COVER_H

#include "vrad/shadows/shadow_bodies.h"

/* `corners` of a convex part of a plane that the lamp stands over. */
bool shadow_covers(const struct shadow_bodies *bodies, const struct shadow_body *body,
                   struct vec3 lamp, const struct vec3 corners[4]);

#endif
