/* What becomes of entities, and what their keys say of light. */
#ifndef VBSP_QUAKE3_ENTITIES_ENTITIES_H
#define VBSP_QUAKE3_ENTITIES_ENTITIES_H

#include "vbsp/target/quake3/entities/state.h"
#include "vbsp/target/quake3/surfaces/surface.h"

/* --- these stand in the table of the target --- */

enum class_use quake3_class_use(const struct entity *keys);
struct entity quake3_keys(struct arena *arena, const struct map_entity *map_entity);
bool quake3_has_model(const struct compile *compile, int entity);
enum status quake3_loaded(struct compile *compile);
/* The entities of a source into a bsp of the same brushes; fails (UPDATE_MISFIT) where its models
 * are others. */
enum status quake3_update_entities(struct compile *compile, struct bsp *bsp);

/* --- light --- */

/* What the keys of an entity, and the world's, say of light on a shader's surfaces. */
struct surface_keys quake3_surface_keys(const struct compile *compile, int entity,
                                        const struct shader *shader);

#endif
