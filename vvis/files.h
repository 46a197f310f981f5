/* The program vvis, and its input: the BSP and its portal file. */
#ifndef VVIS_FILES_H
#define VVIS_FILES_H

#include "common/bsp/codec/format.h"
#include "common/bsp/sidecar/prt.h"
#include "common/cli/program.h"
#include "common/farm/farm.h"

/* The program vvis. */
program_main vvis_program;

/* Those of its stages that other ranks do. */
extern const struct farm_stage vvis_farm_stages[];

/* The input of vvis. Zero-initialise; free with vvis_input_free. */
struct vvis_input {
    struct bsp *bsp;
    struct prt prt;
    bool has_file;            /* prt is that of a portal file */
    struct fs_staged *staged; /* the output file, partly written: see vvis_input_staged */
    uint64_t same;            /* bytes at the start of the map that the output shares */
    struct background_task *staging;
};

/* Where the portals of a map are. */
struct vvis_portals {
    const char *path;
    bool is_named; /* by the user, so that no others are meant */
};

/* Reads the map and its portals concurrently, and orients the portals. Where no file is named and
 * there is none, or one of another compile, the portals are made from the map's tree
 * (TREE_PORTALS), unless it leaks (NO_PORTALS). A map without water is decoded only as far as
 * bsp_decode_tree does: visibility needs nothing else. Meanwhile the bytes that the file at
 * `output` shares with the map are written there, if that can be undone; `output` may be NULL.
 * *out must not move. */
NODISCARD enum status vvis_read_input(const struct env *env, const char *map,
                                      const struct vvis_portals *portals, const char *output,
                                      struct vvis_input *out);
void vvis_input_free(struct vvis_input *input);

/* Returns the staged file for bsp_write_output to `output`, or NULL. */
struct fs_staged *vvis_input_staged(struct vvis_input *input);

/* Reads the portals at `path`. Reports NO_PORTALS if the file does not exist, and names the
 * pointfile (.lin) if there is one. Free with prt_free. */
NODISCARD enum status vvis_read_portals(const struct env *env, const char *path, struct prt *out);

/* Writes a path of points, one per line, as editors load it (.lin). */
NODISCARD enum status vvis_write_lin(const struct env *env, const char *path,
                                     const struct vec3 *points, size_t count);

#endif
