/* Makes a level of a BM file: brushes, entities, and the files that stand beside its map.
 *
 * Objects become brush entities: closed meshes are brushes, concave ones cut into convex pieces;
 * surfaces that enclose nothing become models. Components become point entities. All names and keys
 * are described in docs/formats/bmx.md. */
#ifndef BALLANCE_LEVEL_BMX_LEVEL_H
#define BALLANCE_LEVEL_BMX_LEVEL_H

#include "ballance/bmx/bmx.h"
#include "common/io/fs.h"
#include "vbsp/level/level.h"

struct engine;

enum { BMX_MAX_PIECES = 256, BMX_MAX_FACES = 1 << 22 };

struct bmx_level_options {
    const char *name;            /* of the level, in names of textures and files */
    bool prisms;                 /* open surfaces become thin brushes instead of models */
    const struct engine *engine; /* what models, materials and the start are for; NULL: Quake 3 */
    bool playable; /* for a game: with sky around it, light and a start; objects are the world's */
    size_t max_pieces; /* brushes of a closed part of an object, else it counts as open; 0:
                          BMX_MAX_PIECES */
};

/* A file that the level refers to. */
struct bmx_level_file {
    char *path;        /* owned; relative to the map's folder */
    struct bytes data; /* owned */
};

struct bmx_level_files {
    struct bmx_level_file *list; /* stb_ds array: each path once */
    size_t table;                /* number of the table of materials */
};

/* Makes the level. The model must be without errors (bmx_check_model). Everything that a map cannot
 * express is reported at `file` (M120 to M139). Names of materials have the prefix "textures/" and
 * brush sides count whole images, as from a .map. Files are the table of materials
 * (NAME.materials), textures that are packed (textures/bmx/NAME/) and models (models/bmx/NAME/).
 * Free with level_free and bmx_level_files_free. */
void bmx_level_make(const struct bmx *bmx, const struct bmx_level_options *options,
                    const char *file, struct diag *diag, struct level *out,
                    struct bmx_level_files *files);

/* Reads a file of any bytes and makes its level. Fails, reported, when it has errors. */
NODISCARD enum status bmx_level_read(const void *data, size_t size,
                                     const struct bmx_level_options *options, const char *file,
                                     struct diag *diag, struct level *out,
                                     struct bmx_level_files *files);

void bmx_level_files_free(struct bmx_level_files *files);

/* Returns a file system in memory with the files below the folder; free with fs_memory_free. */
struct fs *bmx_level_files_mount(const struct bmx_level_files *files, const char *folder);

/* Appends a PK3 with what Quake 3 needs of the files to show the compiled level: textures and
 * shaders. Reports at `name`. */
NODISCARD enum status bmx_level_files_pack(const struct bmx_level_files *files, const char *name,
                                           struct diag *diag, struct bytes *out);

/* Returns true for bytes of a BM file: a zip archive with a member index.bm. */
bool bmx_is_bmx(const void *data, size_t size);

#endif
