/* The content of a map in its BSP and beside it, a part of struct engine: few ask, and who knows
 * the engine alone does not depend on it. */
#ifndef BSP_ENGINE_CONTENT_H
#define BSP_ENGINE_CONTENT_H

#include <stdbool.h>

struct engine_content {
    bool has_image_colours; /* the BSP has the mean colours of images */
    bool packs_in_pk3;      /* content lies in a .pk3 beside the BSP, otherwise in the BSP */
};

#endif
