/* Internal: static props as nodes; those of the same look share a mesh. */
#ifndef EXPORT_MODEL_PROPS_H
#define EXPORT_MODEL_PROPS_H

#include "export/model/materials.h"

void export_props(struct material_builder *materials);

#endif
