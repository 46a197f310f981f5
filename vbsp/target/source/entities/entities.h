/* Entities of Source and contents of brushes, before there is a tree. */
#ifndef VBSP_SOURCE_ENTITIES_ENTITIES_H
#define VBSP_SOURCE_ENTITIES_ENTITIES_H

#include "vbsp/target/target.h"

/* Functions of the target table. contents.c: sets the contents of all sides, whose flags are set,
 * and of the brush. */
void source_contents(struct compile *compile, struct map_brush *brush,
                     const struct brush_rules *rules);
/* In the order of Valve's lump: reversed, then "hammerid", then the outputs in their own order. */
struct entity source_keys(struct arena *arena, const struct map_entity *map_entity);
/* Applies -nodetail, -fulldetail, -nowater. */
bool source_keep(struct compile *compile, struct map_brush *brush);
/* Numbers areaportals and converts ladders to info_ladder. */
void source_made(struct compile *compile, struct map_brush ***made);
bool source_has_model(const struct compile *compile, int entity);
/* Applies brush_make_window to the models in front of areaportal windows. */
void portal_windows_open(struct compile *compile);

/* Adds the keys of occluder entities: occludernumber, and an empty model. */
void occluders_number(struct compile *compile);

/* Writes cubemap entities as records of the bsp. */
void cubemaps_add(struct compile *compile);

/* Light styles of switchable (named) lights. */
enum { FIRST_SWITCHED_STYLE = 32, SWITCHED_STYLES = 32 };

/* Assigns a style to the lights of each targetname, from 32 up in the order of the entities. An
 * existing style moves to the key "defaultstyle". Reports when the styles run out. */
void light_styles_assign(struct compile *compile);

/* entities.c: drops the entities that are only for the compile (compile_time_only), when all
 * else has been made of them. Those that vrad needs stay, which is reported once
 * (COMPILE_TIME_LIGHT). */
void compile_only_drop(struct compile *compile);

#endif
