/* What brushes are by their shaders, to the tree and to the engine, and what is drawn of them. */
#ifndef VBSP_QUAKE3_BRUSHES_BRUSHES_H
#define VBSP_QUAKE3_BRUSHES_BRUSHES_H

#include "vbsp/csg/brush_make.h"
#include "vbsp/target/quake3/entities/state.h"
#include "vbsp/target/quake3/surfaces/surface.h"
#include "vbsp/target/target.h"
#include "vbsp/tree/tree.h"

/* A brush's own shader, and what its record says it holds (enum shader_contents). */
struct brush_look {
    const struct map_brush *key;
    const struct shader *shader;
    int contents;
};

/* --- contents.c --- */

const struct shader *quake3_shader(const struct compile *compile, const struct brush_side *side);
const struct brush_look *quake3_look(const struct compile *compile, const struct map_brush *brush);
/* These two stand in the table of the target. */
void quake3_contents(struct compile *compile, struct map_brush *brush,
                     const struct brush_rules *rules);
bool quake3_keep(struct compile *compile, struct map_brush *brush);

/* --- fogs.c --- */

void quake3_find_fogs(struct compile *compile);
/* Cuts a polygon of the world where bodies of fog begin; `visit` gets each part with its fog, or
 * -1. */
typedef void fog_visit(void *context, const struct winding *winding, int fog);
void quake3_cut_by_fogs(const struct compile *compile, struct arena *arena,
                        const struct winding *winding, const struct plane *plane, fog_visit *visit,
                        void *context);
/* The body of fog that holds the middle of the bounds, or -1. */
int quake3_fog_of_bounds(const struct compile *compile, const struct bounds *bounds);
void quake3_emit_fogs(struct compile *compile);

/* side_faces.c: appends the polygons of an entity's brushes. `tree` hides parts of the world's;
 * NULL: nothing does. */
void quake3_side_faces(struct compile *compile, struct tree *tree, int entity,
                       struct draw_surface **out);

#endif
