/* What only one family of engines has in its BSP. The steps of vbsp call it through this table. */
#ifndef VBSP_TARGET_H
#define VBSP_TARGET_H

#include "vbsp/compile.h"

struct vbsp_target {
    /* Before the first record. */
    void (*begin)(struct compile *compile);
    /* Before the leaves of a model are written; its portals are there. */
    void (*model)(struct compile *compile, struct tree *tree, int model);
    /* After all models and brushes; texinfo still has the compile's numbers. */
    enum status (*finish)(struct compile *compile);
};

extern const struct vbsp_target vbsp_target_source;

#endif
