/* Cutting faces whose lightmap would be too large.
 *
 * A lit face that spans more than 32 luxels along a lightmap axis is cut 31 luxels from its low
 * end, first along s, then each strip along t. (Measured on all compiled maps of the corpus: no
 * lit face spans more than 32.0, and the strips are 31 wide.) */
#include "vbsp/face.h"

#include "common/geom/epsilon.h"
#include "vbsp/lightmap_extent.h"

#define MOST_LUXELS  32.0f
#define STRIP_LUXELS 31.0

/* The plane across the lightmap axis at a coordinate, looking to lower ones. False: no axis. */
static bool cutting_plane(const float axis[4], double coordinate, struct plane *out)
{
    struct vec3 v = vec3((double)axis[0], (double)axis[1], (double)axis[2]);
    double length = vec3_length(v);
    if (!(length > 0))
        return false;
    out->normal = vec3_scale(v, -1 / length);
    out->dist = -(coordinate - (double)axis[3]) / length;
    return true;
}

/* Whether the winding is too long on this axis, and where to cut it. */
static bool find_cut(const struct winding *winding, const float axis[4], struct plane *cut)
{
    float low = 0, high = 0;
    for (int i = 0; i < winding->count; i++) {
        float point[3];
        lightmap_point(winding->points[i], point);
        float at = lightmap_coordinate(axis, point);
        low = i && low < at ? low : at;
        high = i && high > at ? high : at;
    }
    return high - low > MOST_LUXELS && cutting_plane(axis, (double)low + STRIP_LUXELS, cut);
}

/* False when the cut would leave nothing on one side. */
static bool cut_face(struct arena *arena, struct face *face, const struct plane *plane)
{
    struct winding *parts[2];
    winding_clip(arena, face->winding, plane, EPSILON_SPLIT, &parts[0], &parts[1]);
    if (!parts[0] || !parts[1])
        return false;
    struct face *halves[2];
    for (int i = 0; i < 2; i++) {
        halves[i] = face_new(arena);
        *halves[i] = *face;
        halves[i]->next = NULL;
        halves[i]->winding = parts[i];
    }
    face->split[0] = halves[0];
    face->split[1] = halves[1];
    return true;
}

/* Cuts strips off along one axis, and each of them along the next. */
static void cut_along(const struct bsp_texinfo *texinfo, struct arena *arena, struct face *face,
                      int axis)
{
    while (axis < 2) {
        struct plane cut;
        if (!find_cut(face->winding, texinfo->lightmap[axis], &cut) ||
            !cut_face(arena, face, &cut)) {
            axis++;
            continue;
        }
        cut_along(texinfo, arena, face->split[0], axis + 1);
        face = face->split[1];
    }
}

void face_list_subdivide(const struct compile *compile, struct arena *arena, struct face *list)
{
    for (struct face *face = list; face; face = face->next) {
        const struct bsp_texinfo *texinfo = &compile->texinfos.items[face->texinfo];
        if (!face->merged && !face->split[0] && !(texinfo->flags & SURFACE_NOLIGHT))
            cut_along(texinfo, arena, face, 0);
    }
}

static void subdivide_node(const struct compile *compile, struct tree *tree, struct node *node)
{
    if (node->plane == PLANE_LEAF)
        return;
    face_list_subdivide(compile, &tree->arena, node->faces);
    subdivide_node(compile, tree, node->children[0]);
    subdivide_node(compile, tree, node->children[1]);
}

void faces_subdivide(struct compile *compile, struct tree *tree)
{
    subdivide_node(compile, tree, tree->root);
}
