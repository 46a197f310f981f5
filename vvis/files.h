/* Which portal file belongs to a BSP, and reading it. */
#ifndef VVIS_FILES_H
#define VVIS_FILES_H

#include "common/bsp/prt.h"

/* Reads the portals at `path`. One that is not there is reported (NO_PORTALS), with the leak when
 * a .lin file stands in its place. Free with prt_free. */
NODISCARD enum status vvis_read_portals(const struct env *env, const char *path, struct prt *out);

/* Writes a way of points, a line each, as editors show it (.lin). */
NODISCARD enum status vvis_write_lin(const struct env *env, const char *path,
                                     const struct vec3 *points, size_t count);

#endif
