/* Cuts faces whose lightmap would be too large.
 *
 * A lit face that spans more than 32 luxels along a lightmap axis is cut 31 luxels from its low
 * end, first along s, then each strip along t. (As in Valve's compiled maps: no lit face spans more
 * than 32.0 luxels, and strips are 31 wide.)
 *
 * Such a face has a lightmap of at most 33 luxels and one more. With a border it may span 31 whole
 * luxels, so that the lightmap is no larger, and is cut between luxels: strips are lit as if they
 * were one, and need no luxel of which they have a part. With -maxlightmapdim faces are smaller:
 * engines take no larger ones. */
#include "vbsp/target/source/faces/face.h"

#include "common/bsp/lightmap_extent.h"
#include "common/core/array.h"
#include "common/diag/codes/face_lightmaps.def"
#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/target/source/entities/state.h"

enum {
    MAX_LUXELS = 32,
    MAX_PARTS = 1 << 20, /* far more faces than any format holds: such a map is in error */
    MANY_PARTS = 256     /* of a face, worth a note */
};

struct cutter {
    bool border;
    double max;   /* luxels that a face spans along an axis */
    double strip; /* luxels from the low end of a longer face to the cut */
};

static struct cutter cutter_of(const struct vbsp_options *options)
{
    double max = options->max_lightmap_dim < MAX_LUXELS ? options->max_lightmap_dim : MAX_LUXELS;
    bool border = options->lightmap_border;
    return (struct cutter){border, border ? max - 1 : max, max - 1};
}

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

static bool is_too_long(const struct span *span, const struct cutter *cutter)
{
    return cutter->border ? (double)ceilf(span->high) - (double)floorf(span->low) > cutter->max
                          : span->high - span->low > (float)cutter->max;
}

/* True if the winding is too long on this axis, with the coordinate of the cut. */
static bool find_cut(const struct winding *winding, const float axis[4],
                     const struct cutter *cutter, struct plane *cut)
{
    struct span span = find_span(winding, axis);
    float low = cutter->border ? floorf(span.low) : span.low;
    return is_too_long(&span, cutter) && cutting_plane(axis, (double)low + cutter->strip, cut);
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
static void cut_along(const struct bsp_texinfo *texinfo, const struct cutter *cutter,
                      struct arena *arena, struct face *face, int axis)
{
    while (axis < 2) {
        struct plane cut;
        if (!find_cut(face->winding, texinfo->lightmap[axis], cutter, &cut) ||
            !cut_face(arena, face, &cut)) {
            axis++;
            continue;
        }
        cut_along(texinfo, cutter, arena, face->split[0], axis + 1);
        face = face->split[1];
    }
}

/* An upper bound of the number of parts of the face. */
static double count_parts(const struct bsp_texinfo *texinfo, const struct cutter *cutter,
                          const struct face *face)
{
    double parts = 1;
    for (int axis = 0; axis < 2; axis++) {
        struct span span = find_span(face->winding, texinfo->lightmap[axis]);
        double luxels = (double)span.high - (double)span.low;
        if (is_too_long(&span, cutter))
            parts *= ceil((luxels - !cutter->border) / cutter->strip) + cutter->border;
    }
    return parts;
}

static struct diag_where face_where(struct compile *compile, const struct face *face)
{
    const struct map_brush *brush = face->brush;
    for (size_t i = 0; i < arrlenu(compile->brushes) && !brush; i++)
        for (int j = 0; j < compile->brushes[i]->side_count; j++)
            if (&compile->brushes[i]->sides[j] == face->side)
                brush = compile->brushes[i];
    if (brush)
        return brush_where(compile, brush, face->side);
    return (struct diag_where){.file = compile->level ? compile->level->file : NULL};
}

static void report_dense(struct compile *compile, const struct face *face, double parts)
{
    struct diag_where where = face_where(compile, face);
    diag_report(compile->env->diag, DIAG_LIGHTMAP_DENSE, &where,
                "the map would be subdivided into more than %d faces, this side alone into %.0f",
                MAX_PARTS, parts);
}

/* A fine lightmap is split, not made coarser: what it costs is faces, of which there are few. */
static void note_many(struct compile *compile, const struct face *face, const struct cutter *cutter,
                      double parts)
{
    struct diag_where where = face_where(compile, face);
    diag_report(compile->env->diag, DIAG_LIGHTMAP_PARTS, &where,
                "about %.0f faces, of at most %.0f x %.0f luxels", parts, cutter->max, cutter->max);
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
    struct cutter cutter = cutter_of(compile->options);
    for (struct face *face = list; face; face = face->next) {
        const struct bsp_texinfo *texinfo = &compile->texinfos.items[face->texinfo];
        if (face->merged || face->split[0] || (texinfo->flags & SURFACE_NOLIGHT))
            continue;
        double parts = count_parts(texinfo, &cutter, face);
        if (!(parts > 1) || !may_cut(compile, face, parts))
            continue;
        if (parts > (double)MANY_PARTS)
            note_many(compile, face, &cutter, parts);
        cut_along(texinfo, &cutter, arena, face, 0);
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
