/* Internal: pages of light as images. */
#ifndef EXPORT_MODEL_PAGES_H
#define EXPORT_MODEL_PAGES_H

#include "export/model/materials.h"

/* Adds the pages of the atlas, and sets how much light their largest number stands for: the power
 * of two that the brightest luxel asks for, as far as the form goes. */
void export_light_pages(struct material_builder *materials);

/* Adds the image of all surfaces in their light, if that is baked so. */
void export_baked_image(struct material_builder *materials);

#endif
