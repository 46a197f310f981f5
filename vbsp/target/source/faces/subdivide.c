/* Cuts faces whose lightmap would be too large.
 *
 * A lit face that spans more than 32 luxels along a lightmap axis is cut 31 luxels from its low
 * end, first along s, then each strip along t. (As in Valve's compiled maps: no lit face spans more
 * than 32.0 luxels, and strips are 31 wide.)
 *
 * Such a face has a lightmap of at most 33 luxels and one more. With a border it may span 31 whole
 * luxels, so that the lightmap is no larger, and is cut between luxels: strips are lit as if they
 * were one, and need no luxel of which they have a part. */
#include "vbsp/target/source/faces/face.h"

#include "common/bsp/lightmap_extent.h"
#include "common/core/array.h"
#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/target/source/entities/state.h"

#define MAX_LUXELS   32.0f
#define STRIP_LUXELS 31.0

/* Far more faces than any format holds: a map that needs as many is in error. */
enum { MAX_PARTS = 1 << 20 };

/* The plane across the lightmap axis at a coordinate, facing lower ones. False: no axis. */
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

struct span {
    float low, high;
};

static struct span find_span(const struct winding *winding, const float axis[4])
{
    struct span span = {0, 0};
    for (int i = 0; i < winding->count; i++) {
        float point[3];
        lightmap_point(winding->points[i], point);
        float at = lightmap_coordinate(axis, point);
        span.low = i && span.low < at ? span.low : at;
        span.high = i && span.high > at ? span.high : at;
    }
    return span;
}

static bool is_too_long(const struct span *span, bool border)
{
    return border ? (double)ceilf(span->high) - (double)floorf(span->low) > STRIP_LUXELS
                  : span->high - span->low > MAX_LUXELS;
}

/* True if the winding is too long on this axis, with the coordinate of the cut. */
static bool find_cut(const struct winding *winding, const float axis[4], bool border,
                     struct plane *cut)
{
    struct span span = find_span(winding, axis);
    float low = border ? floorf(span.low) : span.low;
    return is_too_long(&span, border) && cutting_plane(axis, (double)low + STRIP_LUXELS, cut);
}

/* False if one side of the cut would be empty. */
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

/* Cuts strips along one axis, and each of them along the next. */
static void cut_along(const struct bsp_texinfo *texinfo, bool border, struct arena *arena,
                      struct face *face, int axis)
{
    while (axis < 2) {
        struct plane cut;
        if (!find_cut(face->winding, texinfo->lightmap[axis], border, &cut) ||
            !cut_face(arena, face, &cut)) {
            axis++;
            continue;
        }
        cut_along(texinfo, border, arena, face->split[0], axis + 1);
        face = face->split[1];
    }
}

/* An upper bound of the number of parts of the face. */
static double count_parts(const struct bsp_texinfo *texinfo, bool border, const struct face *face)
{
    double parts = 1;
    for (int axis = 0; axis < 2; axis++) {
        struct span span = find_span(face->winding, texinfo->lightmap[axis]);
        double luxels = (double)span.high - (double)span.low;
        if (is_too_long(&span, border))
            parts *= ceil((luxels - !border) / STRIP_LUXELS) + border;
    }
    return parts;
}

static void report_dense(struct compile *compile, const struct face *face, double parts)
{
    const struct map_brush *brush = face->brush;
    for (size_t i = 0; i < arrlenu(compile->brushes) && !brush; i++)
        for (int j = 0; j < compile->brushes[i]->side_count; j++)
            if (&compile->brushes[i]->sides[j] == face->side)
                brush = compile->brushes[i];
    struct diag_where where = {.file = compile->level ? compile->level->file : NULL};
    if (brush)
        where = brush_where(compile, brush, face->side);
    diag_report(compile->env->diag, DIAG_LIGHTMAP_DENSE, &where,
                "the map would be subdivided into more than %d faces, this side alone into %.0f",
                MAX_PARTS, parts);
}

/* False, reported the first time, when the map would exceed MAX_PARTS. */
static bool may_cut(struct compile *compile, const struct face *face, double parts)
{
    double *all = &source_state(compile)->lightmap_parts;
    bool could = *all <= (double)MAX_PARTS;
    *all += parts;
    if (*all <= (double)MAX_PARTS)
        return true;
    if (could)
        report_dense(compile, face, parts);
    return false;
}

void face_list_subdivide(struct compile *compile, struct arena *arena, struct face *list)
{
    bool border = compile->options->lightmap_border;
    for (struct face *face = list; face; face = face->next) {
        const struct bsp_texinfo *texinfo = &compile->texinfos.items[face->texinfo];
        if (face->merged || face->split[0] || (texinfo->flags & SURFACE_NOLIGHT))
            continue;
        double parts = count_parts(texinfo, border, face);
        if (parts > 1 && may_cut(compile, face, parts))
            cut_along(texinfo, border, arena, face, 0);
    }
}

static void subdivide_node(struct compile *compile, struct tree *tree, struct node *node)
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
