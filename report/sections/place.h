/* The line for the console of the game that leads to a place. */
#ifndef REPORT_SECTIONS_PLACE_H
#define REPORT_SECTIONS_PLACE_H

#include "common/core/bytes.h"
#include "scene/views/scene_view.h"

struct engine;

/* Appends it: for the eye and the direction of a view. */
void report_put_view(struct bytes *out, const struct engine *engine, const struct scene_view *view);
/* The same for a point alone, at which the eye is. */
void report_put_point(struct bytes *out, const struct engine *engine, const double point[3]);

#endif
