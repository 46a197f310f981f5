/* Boxes in which cubemaps are seen: a parallax_obb, which an env_cubemap names by cubemapbounds. */
#ifndef VBSP_SOURCE_MATERIALS_PARALLAX_BOX_H
#define VBSP_SOURCE_MATERIALS_PARALLAX_BOX_H

#include "vbsp/context.h"

/* Each row gives a place along one axis of the box, 0 .. 1 inside: x, y and z of the world by the
 * first three numbers, and the fourth added. */
struct parallax_box {
    bool present;
    double rows[3][4];
};

/* Returns an stb_ds array with the box of each cubemap of the bsp. Reports a name that no brush
 * entity of that class has, and brushes that are no boxes (CUBEMAP_BOX): such cubemaps have none.
 */
struct parallax_box *parallax_boxes_find(struct compile *compile);

#endif
