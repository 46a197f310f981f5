/* Fixes T-junctions (in the target table), without points by which a map would pass a limit of its
 * branch. */
#ifndef VBSP_TARGET_SOURCE_FACES_TJUNCTION_H
#define VBSP_TARGET_SOURCE_FACES_TJUNCTION_H

#include "vbsp/faces/vertex_pool.h"
#include "vbsp/target/source/entities/state.h"

/* Counts a point that is left out between two others. */
void tjunction_lose(struct tjunction_loss *loss, struct vec3 before, struct vec3 at,
                    struct vec3 after);

#endif
