/* Writes the records of the bsp. */
#ifndef VBSP_SOURCE_EMIT_EMIT_H
#define VBSP_SOURCE_EMIT_EMIT_H

#include "vbsp/target/source/faces/face.h"

struct areas;
struct tjunction_loss;

/* emit.c: starts the state shared by the models' records, with the reserved edge and leaf. Before
 * the first model; freed after the last, or when the compile ends. */
void emit_begin(struct compile *compile);
void emit_free(struct compile *compile);

/* Writes a model's faces, nodes, leaves and water. `loose` faces, which are on no node, come first.
 * */
void emit_model(struct compile *compile, int entity, struct tree *tree, struct face *loose);

/* emit_faces.c: writes a face, or its parts if it was cut, and sets its number. */
void emit_face(struct compile *compile, struct face *face);

/* fit_tjunctions.c */

/* Records that points of T-junctions add to. `normals` are numbers of vertex normals, one per
 * vertex of each face, which are not written yet. */
struct tjunction_limits {
    int64_t surfedges, edges, normals, primitives, primitive_indices;
};
/* Leaves out points of T-junctions, the least visible first, until the faces of the bsp fit the
 * limits of the target or no face has such a point, and reports what is lost (TJUNCTIONS_LEFT_OUT),
 * here and when the faces were made. After the faces of all models. */
void tjunctions_fit(struct compile *compile);

/* emit.c: writes brushes, and the records that depend on all faces or leaves: the flat
 * normals, one per vertex of each face, without duplicate vectors, and default records per face and
 * leaf. */
void emit_brushes(struct compile *compile);
void emit_fillers(struct compile *compile);

/* emit_faces.c: writes the texinfo used by records of the bsp, and their texdata, without unused
 * ones, and renumbers the references. */
void emit_texinfo(struct compile *compile);

/* emit.c: adds the keys that depend on finished faces (world_mins, world_maxs, a
 * water_lod_control) and writes the entity lump. After the faces of model 0 and the leaf water are
 * in the bsp. */
void entities_finish(struct compile *compile);

/* area_records.c: writes areas, area_portals and clip_portal_vertices of the bsp: each area lists
 * its portals by key, so each appears once per side. The polygon of a record is the convex hull of
 * all portals between its two areas on its plane. */
void areas_emit(const struct compile *compile, struct tree *tree, const struct areas *areas);

/* occluders.c: writes occluders, their polygons and vertices to the bsp: the drawn sides of all
 * their brushes, without the parts inside another of them. An occluder belongs to the area that
 * contains most of it. One without polygons is reported and written empty. After the records of all
 * models; `world` still has its areas. */
void occluders_emit(struct compile *compile, const struct tree *world);

/* water.c: finds the bodies of water of a model. Each gets a leaf water data record, unless there
 * is an equal one, and the leaves of the world get its number. Faces get neither a number nor a
 * texinfo for it, as in compiled maps of version 20. */
void water_find(struct compile *compile, struct tree *tree, int model);
/* Packs, for each record, a copy of the surface's material with the depth. */
void water_pack(struct compile *compile);

#endif
