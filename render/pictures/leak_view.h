/* Internal: where a picture of a leak is taken from. */
#ifndef RENDER_PICTURES_LEAK_VIEW_H
#define RENDER_PICTURES_LEAK_VIEW_H

#include "render/pictures/leak_facts.h"
#include "render/render.h"

/* Returns a view from the inside at the hole, or, without one, of the entity before the map. */
struct scene_view leak_view(const struct render *render, const struct leak_facts *leak);

#endif
