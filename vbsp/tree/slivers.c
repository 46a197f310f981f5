#include "vbsp/tree/slivers.h"

#include "common/geom/epsilon.h"

static bool covers(const struct plane_set *planes, const struct map_brush *brush,
                   const struct winding *winding)
{
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        if (side->bevel)
            continue;
        for (int k = 0; k < winding->count; k++)
            if (plane_distance(&planes->planes[side->plane], winding->points[k]) > EPSILON_SPLIT)
                return false;
    }
    return true;
}

bool sliver_covers(const struct plane_set *planes, const struct portal *portal)
{
    for (int i = 0; i < 2; i++)
        for (const struct brush *piece = portal->nodes[i]->brushes; piece; piece = piece->next)
            if ((piece->original->contents & CONTENTS_SOLID) &&
                covers(planes, piece->original, portal->winding))
                return true;
    return false;
}
