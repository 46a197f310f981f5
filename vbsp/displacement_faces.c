/* The flat sides that displacements start from. */
#include "vbsp/face.h"

#include "common/core/array.h"

struct face *faces_make_displacements(struct compile *compile, struct tree *tree)
{
    struct face_list list = {0};
    for (size_t i = 0; i < arrlenu(compile->displacement_brushes); i++) {
        const struct map_brush *brush = compile->displacement_brushes[i];
        for (int j = 0; j < brush->side_count; j++) {
            const struct brush_side *side = &brush->sides[j];
            if (!side->displacement || !side->winding || side->texinfo == TEXINFO_NODE)
                continue;
            struct face *face = face_new(&tree->arena);
            face->plane = side->plane;
            face->texinfo = side->texinfo;
            face->contents = brush->contents;
            face->smoothing_groups = side->source->smoothing_groups;
            face->winding = side->winding;
            face->side = side;
            face->brush = brush;
            face_list_in_leaves(compile, tree, face);
            face->in_leaf = face->displacement = true;
            face_list_add(&list, face);
        }
    }
    return list.first;
}
