/* Records of the bsp, from finished trees and from what is kept of the map. */
#ifndef VBSP_SOURCE_EMIT_EMIT_H
#define VBSP_SOURCE_EMIT_EMIT_H

#include "vbsp/target/source/faces/face.h"

struct areas;
struct emitter;

/* emit.c: what the records of the models share, kept in the state, with the reserved edge and leaf.
 * Before the first model; freed after the last, or when the compile ends. */
void emit_begin(struct compile *compile);
void emit_free(struct compile *compile);

/* A model's faces, nodes, leaves and water. `loose` faces, which hang on no node, come first. */
void emit_model(struct compile *compile, int entity, struct tree *tree, struct face *loose);

/* emit_faces.c: writes a face, or those that it was cut into, and sets its number. */
void emit_face(struct compile *compile, struct face *face);

/* emit_records.c: brushes, and, of the faces, what no model needs: the normals of flat shading, one
 * for each vertex of each face in turn, each direction once, and what else there is one of a face
 * or leaf. */
void emit_brushes(struct compile *compile);
void emit_fillers(struct compile *compile);

/* emit_texinfo.c: the texinfo that the records of the bsp name, without the unused ones, and what
 * they name in turn. The numbers in the records are changed to match. */
void emit_texinfo(struct compile *compile);

/* emit_entities.c: keys of Source that need the finished faces (world_mins, world_maxs, a
 * water_lod_control), then the text of the entity lump. After the faces of model 0 and the leaf
 * water are in the bsp. */
void entities_finish(struct compile *compile);

/* area_records.c: writes areas, area_portals and clip_portal_vertices of the bsp: for each area its
 * portals by their key, once for either side. The polygon of a record is the convex hull of all
 * openings between its two areas on its plane. */
void areas_emit(const struct compile *compile, struct tree *tree, const struct areas *areas);

/* occluders.c: writes occluders, their polygons and vertices to the bsp: the drawn sides of all
 * their brushes, without what lies in another of them. An occluder belongs to the area in which
 * most of it stands. One without polygons is reported and written empty. After the records of all
 * models; `world` still has its areas. */
void occluders_emit(struct compile *compile, const struct tree *world);

/* water.c: finds the bodies of water of a model. Each becomes a record of leaf water data, unless
 * there is an equal one; the leaves of the world get its number. Faces keep no number and no
 * texinfo of their own for it: the maps of version 20 that were looked at have neither. */
void water_find(struct compile *compile, struct tree *tree, int model);
/* For each record: a copy of the surface's material that names the depth, in the pakfile. */
void water_pack(struct compile *compile);

#endif
