/* Internal: the textures of a map's cubemaps. */
#ifndef BRUSHWORK_CUBEMAPS_CUBE_FILES_H
#define BRUSHWORK_CUBEMAPS_CUBE_FILES_H

#include "brushwork/packing/archive_edit.h"
#include "common/assets/textures/vtf_write.h"
#include "common/cli/program.h"

enum { CUBE_SIDE = 256 /* the largest, in pixels */ };

struct cube_options {
    const struct standard_options *standard; /* with the content */
    const char *folder;                      /* "materials/maps/NAME" */
    int side;                                /* pixels, a power of two; 0: of each entity */
    int samples;                             /* rays per pixel */
    int passes;                              /* the last shows reflections of those before it */
    int minor;                               /* version of the textures: 7.minor */
    enum vtf_format format;                  /* of LDR textures */
};

/* Draws a texture for each cubemap of the map and one of its sky, by its LDR light or, as `hdr`,
 * .hdr.vtf by its HDR light, and puts them among its packed files. Reports a map without cubemaps,
 * cubemaps in solids and sizes that no game has (CUBEMAPS_NONE, CUBEMAP_SOLID, CUBEMAP_SIZE). Fails
 * when the map cannot be drawn. */
NODISCARD enum status cube_files_make(const struct env *env, struct archive_edit *edit,
                                      const struct cube_options *options, bool hdr);

#endif
