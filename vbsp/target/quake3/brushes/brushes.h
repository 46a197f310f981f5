/* Brush contents by shader, for the tree and for the engine, and the drawn polygons of brushes. */
#ifndef VBSP_QUAKE3_BRUSHES_BRUSHES_H
#define VBSP_QUAKE3_BRUSHES_BRUSHES_H

#include "vbsp/csg/brush_make.h"
#include "vbsp/target/quake3/entities/state.h"
#include "vbsp/target/quake3/surfaces/surface.h"
#include "vbsp/target/target.h"
#include "vbsp/tree/tree.h"

/* The shader that decides for a brush, and the contents in its record (enum shader_contents). */
struct brush_shader {
    const struct map_brush *key;
    const struct shader *shader;
    int contents;
    bool detail; /* by the mapper's flag or the shader: not in the record */
    bool hint;   /* has a hint side, and nothing that counts more */
};

/* --- contents.c --- */

const struct shader *quake3_shader(const struct compile *compile, const struct brush_side *side);
const struct brush_shader *quake3_brush_shader(const struct compile *compile,
                                               const struct map_brush *brush);
/* Functions of the target table. */
void quake3_contents(struct compile *compile, struct map_brush *brush,
                     const struct brush_rules *rules);
bool quake3_keep(struct compile *compile, struct map_brush *brush);

/* Reports once how many brushes have sides that differ in contents. */
void quake3_report_contents(const struct compile *compile);

/* --- made_brush.c --- */

/* Makes a detail brush of the world that no solid of the source describes: the first of its planes
 * (an stb_ds array) has the shader, the others hold nothing, and none is drawn. NULL: invalid. */
struct map_brush *quake3_make_brush(struct compile *compile, const struct diag_where *where,
                                    int entity, const struct shader *shader,
                                    const struct plane *planes);
void quake3_made_free(struct quake3 *quake3);

/* --- fogs.c --- */

/* Adds a brush around the brushes of the world if its key _fog (or fog) names a shader: the engine
 * refuses fog without a brush. `made` has the brushes of each entity. */
void quake3_add_global_fog(struct compile *compile, struct map_brush ***made);
void quake3_find_fogs(struct compile *compile);
/* Cuts a polygon of the world at the borders of fog volumes; `visit` gets each part with its fog,
 * or -1. */
typedef void fog_visit(void *context, const struct winding *winding, int fog);
void quake3_cut_by_fogs(const struct compile *compile, struct arena *arena,
                        const struct winding *winding, const struct plane *plane, fog_visit *visit,
                        void *context);
/* The fog volume that contains the centre of the bounds, or -1. */
int quake3_fog_of_bounds(const struct compile *compile, const struct bounds *bounds);
void quake3_emit_fogs(struct compile *compile);

/* --- terrain.c --- */

struct terrain;

/* Reads the index maps of entities. Invalid ones are reported (Q3_TERRAIN). */
void quake3_find_terrains(const struct compile *compile);
/* The terrain that something of the entity with this shader belongs to, or NULL. Terrain shaders
 * without an index map are noted once (Q3_NO_INDEX_MAP). */
const struct terrain *quake3_terrain(const struct compile *compile, int entity,
                                     const struct shader *shader, const struct diag_where *where);
/* The shader of a polygon or patch with these corners. */
const struct shader *quake3_terrain_shader(const struct compile *compile,
                                           const struct terrain *terrain, const struct vec3 *points,
                                           int count);
/* Corners of the highest layer of a surface (an stb_ds array) show it, by their alpha. */
void quake3_blend_terrain(const struct terrain *terrain, struct draw_vertex *vertices);
void quake3_terrains_free(struct quake3 *quake3);

/* side_faces.c: appends the polygons of an entity's brushes. `tree` hides parts of the world's;
 * NULL: nothing is hidden. */
void quake3_side_faces(struct compile *compile, struct tree *tree, int entity,
                       struct draw_surface **out);

#endif
