/* From a solid of the source to a brush: planes, windings, contents, bevels. */
#ifndef VBSP_CSG_BRUSH_MAKE_H
#define VBSP_CSG_BRUSH_MAKE_H

#include "vbsp/compile.h"

/* How the entity that holds the solid changes it. */
struct brush_rules {
    struct vec3 origin;   /* the planes move by -origin, the texture coordinates follow */
    int base_contents;    /* ORed to what the materials give: DETAIL, LADDER, WATER */
    bool only_areaportal; /* contents AREAPORTAL whatever the materials are */
    bool in_world;        /* clips stay out of the tree; else DETAIL is taken off */
};

/* Whether a side has the contents of an origin brush. */
bool solid_is_origin(struct compile *compile, const struct map_solid *solid);
bool solid_has_displacement(const struct map_solid *solid);

/* The brush, in the arena of the compile, with `number` -1; NULL when it has no sound volume, which
 * is reported. Planes and texinfo are added to the sets. */
struct map_brush *brush_make(struct compile *compile, int entity, const struct map_solid *solid,
                             const struct brush_rules *rules);

/* Sets the windings of all sides but bevels, and the bounds, from the planes. Returns how many
 * sides have one. */
int brush_add_windings(struct compile *compile, struct map_brush *brush);

/* Gives the brush its bevels. brush_make does not for solids with displacements, which are no
 * obstacles; call it when one turns out to be an ordinary brush. */
void brush_finish(struct compile *compile, struct map_brush *brush);

/* Only the box of the solid, without texinfo. False when it has no sound volume. */
bool solid_bounds(struct compile *compile, int entity, const struct map_solid *solid,
                  struct bounds *out);

double map_brush_volume(const struct plane_set *planes, const struct map_brush *brush);

#endif
