/* Text dumps of a compiled map for people and scripts: -glview, -dumpcollide, -dumpstaticprops,
 * -staticpropcombine_suggestrules. */
#ifndef VBSP_REPORT_DUMPS_H
#define VBSP_REPORT_DUMPS_H

#include "vbsp/vbsp.h"

struct vbsp_dumps {
    bool gl_view, collide, static_props, combine_rules; /* requested dumps */
    bool temporary_out;                                 /* .gl files go to /tmp */
};

/* The drawn faces of the world and of brush entities at their origins. Per polygon a line with the
 * number of its points, then per point a line "x y z red green blue", colours from 0 to 1: the mean
 * colour of the material. */
void dump_gl_faces(const struct bsp *bsp, struct bytes *out);
/* The same for portals, each with a colour of its own. */
void dump_gl_portals(const struct prt *prt, struct bytes *out);

/* Collision models: per model its solids, their convex hulls with points (in map units) and
 * triangles, and the model's text. Fails when the lump is corrupt. */
NODISCARD enum status dump_collide(const struct bsp *bsp, const struct diag_where *where,
                                   struct diag *diag, struct bytes *out);

/* A block of keys and values per static prop. Fails when the lump is corrupt. */
NODISCARD enum status dump_static_props(const struct bsp *bsp, const struct diag_where *where,
                                        struct diag *diag, struct bytes *out);

/* Rules for --combine-rules: a group for each model that stands at least twice within the default
 * distance. Fails when the lump is corrupt. */
NODISCARD enum status dump_combine_rules(const struct bsp *bsp, const struct diag_where *where,
                                         struct diag *diag, struct bytes *out);

/* Writes the requested dumps: MAP.gl, MAP.portals.gl, MAP.collide.txt, MAP.staticprops.txt and
 * MAP.combine.txt beside the BSP; the first two in /tmp with -tmpout. Without portals,
 * MAP.portals.gl is not written. For a BSP on standard output ("-") the dumps go to the working
 * folder as vbsp.gl and so on. */
NODISCARD enum status vbsp_write_dumps(const struct env *env, const char *bsp_path,
                                       const struct vbsp_dumps *dumps,
                                       const struct vbsp_output *output);

/* Returns true when any is requested. */
bool vbsp_has_dumps(const struct vbsp_dumps *dumps);

/* Reports (FILE_WRITE) when one of them cannot be written, before the map is compiled. */
NODISCARD enum status vbsp_prepare_dumps(const struct env *env, const char *bsp_path,
                                         const struct vbsp_dumps *dumps);

#endif
