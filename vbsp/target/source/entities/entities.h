/* What Source makes of entities and of the brushes that they hold, before there is a tree. */
#ifndef VBSP_SOURCE_ENTITIES_ENTITIES_H
#define VBSP_SOURCE_ENTITIES_ENTITIES_H

#include "vbsp/target/target.h"

/* Functions of the target's table. contents.c: sets the contents of all sides, whose flags are set,
 * and of the brush. */
void source_contents(struct compile *compile, struct map_brush *brush,
                     const struct brush_rules *rules);
/* In the order of the lump: the last of the map first, "hammerid" after them, outputs at the end
 * in their own order. */
struct entity source_keys(struct arena *arena, const struct map_entity *map_entity);
/* By -nodetail, -fulldetail, -nowater. */
bool source_keep(struct compile *compile, struct map_brush *brush);
/* Numbers areaportals, and makes info_ladders of ladders. */
void source_made(struct compile *compile, struct map_brush ***made);
bool source_has_model(const struct compile *compile, int entity);

/* What an area portal's window or its background becomes: something to look through. */
void brush_make_window(struct map_brush *brush);
/* Makes windows of the models that stand before the windows of areaportals. */
void portal_windows_open(struct compile *compile);

/* Gives the entities of occluders their keys: occludernumber, and a model that is none. */
void occluders_number(struct compile *compile);

/* The entities of cubemaps as records of the bsp. */
void cubemaps_add(struct compile *compile);

/* Light styles of lights that can be switched by name. */
enum { FIRST_SWITCHED_STYLE = 32, SWITCHED_STYLES = 32 };

/* Gives the lights of each targetname a style of their own, from 32 up in the order
 * of the entities. An older style moves to the key "defaultstyle". Reports when the styles run out.
 */
void light_styles_assign(struct compile *compile);

#endif
