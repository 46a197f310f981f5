/* Which portal file belongs to a BSP, and reading it. */
#ifndef VVIS_FILES_H
#define VVIS_FILES_H

#include "common/bsp/codec/format.h"
#include "common/bsp/sidecar/prt.h"

/* What vvis works on. Zero-initialise; free with vvis_input_free. */
struct vvis_input {
    struct bsp *bsp;
    struct prt prt;
    struct fs_staged *staged; /* vvis_input_staged */
    uint64_t same;            /* bytes at the front of the map that go into it */
    struct background_task *staging;
};

/* Reads the map and its portals, at the same time. Of a map without water only what bsp_decode_tree
 * gives: the rest stands in no relation to what is seen. What the file that shall be written to
 * `output` has in common with the map goes there in the meantime, where that can be undone; NULL:
 * none. *out has to stay where it is. */
NODISCARD enum status vvis_read_input(const struct env *env, const char *map, const char *portals,
                                      const char *output, struct vvis_input *out);
void vvis_input_free(struct vvis_input *input);

/* For bsp_write_staged to `output`, or NULL. */
struct fs_staged *vvis_input_staged(struct vvis_input *input);

/* Reads the portals at `path`. One that is not there is reported (NO_PORTALS), with the leak when
 * a .lin file stands in its place. Free with prt_free. */
NODISCARD enum status vvis_read_portals(const struct env *env, const char *path, struct prt *out);

/* Writes a way of points, a line each, as editors show it (.lin). */
NODISCARD enum status vvis_write_lin(const struct env *env, const char *path,
                                     const struct vec3 *points, size_t count);

#endif
