/* The parts of the table of Source. */
#ifndef VBSP_SOURCE_SOURCE_PARTS_H
#define VBSP_SOURCE_SOURCE_PARTS_H

#include "vbsp/target/target.h"

/* source_load.c */
bool source_keep(struct compile *compile, struct map_brush *brush);
void source_made(struct compile *compile, struct map_brush ***made);
bool source_has_model(const struct compile *compile, int entity);
enum status source_loaded(struct compile *compile);

/* source_models.c */
struct face *source_faces(struct compile *compile, struct tree *tree);
void source_world(struct compile *compile, struct tree *tree, struct face *loose);
void source_model(struct compile *compile, int entity);

/* update.c */
enum status source_update_entities(struct compile *compile, struct bsp *bsp);
enum status source_update_props(struct compile *compile, struct bsp *bsp);

/* source.c: called by emit.c. */

/* Before the first record. */
void source_begin(struct compile *compile);
/* After all models and brushes; texinfo still has the compile's numbers. */
enum status source_extras(struct compile *compile);

#endif
