/* The structure of a map, which a page knows beyond its picture: tree, brushes, visibility, faces
 * and lights; and the texts of a page. */
#ifndef VIEW_PACK_STRUCTURE_H
#define VIEW_PACK_STRUCTURE_H

#include "common/bsp/bsp.h"
#include "scene/scene.h"
#include "view/pack/data.h"

/* The portals between clusters, which vbsp leaves beside a map. */

/* Adds the streams "portals" (two clusters, first point, points; 32 bits each) and "portalPoints"
 * (three floats each) of the text of a .prt file. None, when it is no portal file, or of another
 * map. */
void view_portals_pack(const struct bsp *bsp, const struct bytes *text, struct view_data *data);

/* Adds streams of 32-bit numbers, whole ones but where floats are named:
 *   planes     normal, distance: floats
 *   nodes      plane, children (< 0: leaf -1 - child)
 *   leaves     contents, cluster, area, first brush, brushes, first face, faces, mins, maxs
 *   leafFaces, leafBrushes
 *   brushes    first side, sides, contents
 *   sides      plane
 *   models     head node, first brush, brushes (Quake 3)
 *   faces      side id (-1: none), name (in head.names), width and height in luxels, styles (a byte
 *              each), surface flags, light of the map (0: none); units per luxel, area: floats;
 *              texinfo (-1: none)
 *   lights     type, style, cluster; origin, intensity, normal, stopdot, stopdot2, exponent,
 *              constant, linear, quadratic: floats
 *   rows       the clusters that each cluster sees, a bit each
 * and head.names, of materials or shaders. Rows are left out when they are too many. */
void view_structure_pack(const struct map_scene *scene, struct view_data *data);

/* --- texts: entities, limits, faults of the file, and the way out of a leak --- */

/* Adds head.entities: of each entity its keys and values in turn. */
void view_entities_pack(const struct entity_list *entities, struct view_data *data);

/* Adds head.limits (name, used, maximum; the fullest first) and head.faults (code, title, message,
 * and the point if it has one): what brushwork verify finds. */
void view_checks_pack(const struct bsp *bsp, const char *name, struct view_data *data);

/* Adds head.leak: the points of a .lin or .pts file, three numbers each. Text that is none ends the
 * list. */
void view_leak_pack(const struct bytes *text, struct view_data *data);

#endif
