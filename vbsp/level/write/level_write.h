/* Writes a level as the text of a map. */
#ifndef VBSP_LEVEL_WRITE_LEVEL_WRITE_H
#define VBSP_LEVEL_WRITE_LEVEL_WRITE_H

#include "common/bsp/export/map_export.h"
#include "common/core/bytes.h"
#include "vbsp/level/level.h"

struct level_write_options {
    enum map_form form;         /* of the faces of a .map */
    map_image_size *image_size; /* of the image of a material; NULL: all are 128 x 128 */
    void *context;
    const char *game; /* for the editor, in the first line of a .map; or NULL */
};

/* Appends a .map: entities, brushes by the points of their planes, patches. Names of materials are
 * without "textures/". Returns the number of sides whose texture the form cannot express. */
size_t level_write_map(const struct level *level, const struct level_write_options *options,
                       struct bytes *out);

/* Appends a VMF. Tool shaders of Quake 3 are to be replaced before (adapt_to_source). Sides and
 * solids are numbered in order. Patches are left out. */
void level_write_vmf(const struct level *level, const struct level_write_options *options,
                     struct bytes *out);

#endif
