/* The texts of a page: entities, limits, faults of the file, and the way out of a leak. */
#ifndef VIEW_PACK_TEXTS_H
#define VIEW_PACK_TEXTS_H

#include "scene/scene.h"
#include "view/pack/data.h"

/* Adds head.entities: of each entity its keys and values in turn. */
void view_entities_pack(const struct entity_list *entities, struct view_data *data);

/* Adds head.limits (name, used, maximum; the fullest first) and head.faults (code, title, message,
 * and the point if it has one): what brushwork verify finds. */
void view_checks_pack(const struct bsp *bsp, const char *name, struct view_data *data);

/* Adds head.leak: the points of a .lin or .pts file, three numbers each. Text that is none ends the
 * list. */
void view_leak_pack(const struct bytes *text, struct view_data *data);

#endif
