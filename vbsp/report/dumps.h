/* Texts that tell what a compile made, for people and scripts that look into it: -glview,
 * -dumpcollide, -dumpstaticprops. */
#ifndef VBSP_REPORT_DUMPS_H
#define VBSP_REPORT_DUMPS_H

#include "vbsp/vbsp.h"

struct vbsp_dumps {
    bool gl_view, collide, static_props; /* those that are wanted */
    bool temporary_out;                  /* .gl files go to /tmp */
};

/* Polygons, each a line with the number of its points and then a line "x y z red green blue" a
 * point, colours from 0 to 1: the drawn faces of the world and of brush entities where they stand,
 * each in the mean colour of its material. */
void dump_gl_faces(const struct bsp *bsp, struct bytes *out);
/* The same of the portals, each in a colour of its own. */
void dump_gl_portals(const struct prt *prt, struct bytes *out);

/* What the physics engine collides with: a model, its solids, their convex hulls with the points
 * (in units of the map) and the triangles, and the model's text. Fails when the lump is damaged. */
NODISCARD enum status dump_collide(const struct bsp *bsp, const struct diag_where *where,
                                   struct diag *diag, struct bytes *out);

/* A block of keys and values a static prop. Fails when the lump is damaged. */
NODISCARD enum status dump_static_props(const struct bsp *bsp, const struct diag_where *where,
                                        struct diag *diag, struct bytes *out);

/* Writes those that are wanted of an output: MAP.gl, MAP.portals.gl, MAP.collide.txt and
 * MAP.staticprops.txt, beside the BSP, or the first two in /tmp. Without portals there is no file
 * of them. A BSP that goes to standard output ("-") has its dumps in the working folder, as vbsp.gl
 * and so on. */
NODISCARD enum status vbsp_write_dumps(const struct env *env, const char *bsp_path,
                                       const struct vbsp_dumps *dumps,
                                       const struct vbsp_output *output);

#endif
