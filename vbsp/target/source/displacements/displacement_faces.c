/* The flat sides that displacements start from. No leaf lists them: the engine finds where their
 * vertices lie on its own. */
#include "vbsp/target/source/faces/face.h"

#include "common/core/array.h"

static void add_brush(struct tree *tree, const struct map_brush *brush, struct face_list *list)
{
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        if (!side->displacement || side->texinfo == TEXINFO_NODE)
            continue;
        struct face *face = face_new(&tree->arena);
        face->plane = side->plane;
        face->texinfo = side->texinfo;
        face->contents = brush->contents;
        face->smoothing_groups = side->source->smoothing_groups;
        face->winding = side->winding;
        face->side = side;
        face->brush = brush;
        face->displacement = true;
        face_list_add(list, face);
    }
}

struct face *faces_make_displacements(const struct compile *compile, struct tree *tree)
{
    struct face_list list = {0};
    for (size_t i = 0; i < arrlenu(compile->displacement_brushes); i++)
        add_brush(tree, compile->displacement_brushes[i], &list);
    return list.first;
}
