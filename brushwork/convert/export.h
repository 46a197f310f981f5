/* Internal: brushwork convert to a file for editors. */
#ifndef BRUSHWORK_CONVERT_EXPORT_H
#define BRUSHWORK_CONVERT_EXPORT_H

#include "common/bsp/bsp.h"
#include "common/cli/program.h"

enum export_kind { EXPORT_NONE, EXPORT_MAP, EXPORT_OBJ, EXPORT_ASE };

struct export_options {
    const struct standard_options *standard;
    enum export_kind kind;
    int map_format;         /* index of export_map_formats */
    bool shaders_as_bitmap; /* not the images of the shaders */
    bool with_lightmaps;    /* texture coordinates and images are those of lightmaps */
};

extern const char *const export_map_formats[]; /* ends with NULL */

/* Returns the kind of a file by its ending, or of a name such as "map". */
enum export_kind export_kind_of(const char *file);

/* Writes the file; reads what lies beside the BSP and the game's images. */
NODISCARD enum status export_bsp(const struct program *program, const struct bsp *bsp,
                                 const struct export_options *options, const char *in,
                                 const char *out);

#endif
