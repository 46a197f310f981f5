/* Leaving out points of T-junctions where a map would pass a limit of its branch. */
#ifndef VBSP_SOURCE_FACES_TJUNCTION_THIN_H
#define VBSP_SOURCE_FACES_TJUNCTION_THIN_H

#include "vbsp/faces/vertex_pool.h"
#include "vbsp/target/source/entities/state.h"

/* Counts a point that is left out between two others. */
void tjunction_lose(struct tjunction_loss *loss, struct vec3 before, struct vec3 at,
                    struct vec3 after);

/* Leaves out added points of an outline, whose numbers are complements, the least visible first,
 * until it has at most `count` points. `points` is an stb_ds array that only becomes shorter. */
void outline_thin(const struct vertex_pool *pool, int *points, int count,
                  struct tjunction_loss *loss);

#endif
