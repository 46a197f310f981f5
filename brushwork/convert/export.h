/* Internal: brushwork convert to a file for editors. */
#ifndef BRUSHWORK_CONVERT_EXPORT_H
#define BRUSHWORK_CONVERT_EXPORT_H

#include "common/bsp/bsp.h"
#include "common/bsp/export/map_export.h"
#include "common/cli/program.h"

enum export_kind { EXPORT_NONE, EXPORT_MAP, EXPORT_VMF, EXPORT_OBJ, EXPORT_ASE };

struct export_options {
    const struct standard_options *standard;
    enum export_kind kind;
    enum map_form map_format;
    bool shaders_as_bitmap; /* not the images of the shaders */
    bool with_lightmaps;    /* texture coordinates and images are those of lightmaps */
};

/* The names of the forms of a .map: number `index`, or NULL after the last; and the form of one. */
const char *export_map_format_at(size_t index);
enum map_form export_map_form(const char *name);

/* Returns the kind of a file by its ending, or of a name such as "map". */
enum export_kind export_kind_of(const char *file);

/* Writes the file; reads what lies beside the BSP and the game's images. */
NODISCARD enum status export_bsp(const struct program *program, const struct bsp *bsp,
                                 const struct export_options *options, const char *in,
                                 const char *out);

#endif
