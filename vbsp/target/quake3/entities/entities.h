/* Handling of entities, and their lighting keys. */
#ifndef VBSP_QUAKE3_ENTITIES_ENTITIES_H
#define VBSP_QUAKE3_ENTITIES_ENTITIES_H

#include "vbsp/target/quake3/entities/state.h"
#include "vbsp/target/quake3/surfaces/surface.h"

/* --- functions of the target table --- */

enum class_use quake3_class_use(const struct entity *keys);
struct entity quake3_keys(struct arena *arena, const struct map_entity *map_entity);
bool quake3_has_model(const struct compile *compile, int entity);
enum status quake3_loaded(struct compile *compile);
/* update.c: replaces the entities of a bsp by the level's, but keeps what compilers wrote into the
 * world; fails (UPDATE_MISMATCH) when its models differ. */
enum status quake3_update_entities(struct compile *compile, struct bsp *bsp);
/* Sets the key with the side of lightmap pages for all who read the BSP, where its container does
 * not tell it. Before the entities are written. */
void quake3_mark_pages(struct compile *compile);
/* Sets the key _keepLights for vrad if the option asks for it. Before the entities are written. */
void quake3_mark_lights(struct compile *compile);

/* --- light --- */

/* Lighting settings of an entity's surfaces with a shader, from its keys and the world's. */
struct surface_keys quake3_surface_keys(const struct compile *compile, int entity,
                                        const struct shader *shader);

#endif
