/* Verifies planes, edges, faces with their displacements, the models that own the faces, and
 * brushes. */
#include "common/bsp/verify/verify_internal.h"

#include <float.h>

#include "common/bsp/engine.h"
#include "common/bsp/face_records.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/query.h"
#include "common/bsp/rare_lumps.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/verify.def"
#include "common/geom/epsilon.h"
#include "common/geom/plane.h"
#include "common/geom/winding.h"

/* Tolerances, chosen so that Valve's own files pass. */
#define UNIT_ERROR    1e-4 /* of a normal's length; floats keep 1e-7 */
#define TYPE_ERROR    1e-6 /* between components that are nearly the largest */
#define PLANE_WARNING 0.1  /* distance of a vertex from its face's plane: vertices are welded */
#define PLANE_ERROR   1.0  /* off-grid brushes have 0.4 in Valve's files */
#define DENT_WARNING  0.1  /* distance of a vertex into its face: vertices are welded */
#define DENT_ERROR    0.5  /* T-junction fixing makes 0.25 in Valve's files */
#define EXTENT_ERROR  0.01 /* luxels: rounding of floats */
#define AREA_WARNING  0.02 /* relative */
#define AREA_SMALL    1.0  /* square units: smaller faces consist of welded vertices only */
#define BOX_ERROR     1.0

enum { FACE_EDGES_MAX = 512 };

static void verify_plane(struct verifier *verifier, size_t i)
{
    const struct bsp_plane *plane = &verifier->bsp->planes[i];
    struct vec3 normal = vec3_from_floats(plane->normal);
    if (fabs(vec3_length(normal) - 1) > UNIT_ERROR)
        verify_fault(verifier, DIAG_VERIFY_PLANE, NULL, "plane %zu: normal of length %g", i,
                     vec3_length(normal));
    int type = (int)plane_type(normal);
    bool tie = plane->type >= PLANE_ANY_X && plane->type <= PLANE_ANY_Z && type >= PLANE_ANY_X &&
               fabs(normal.e[plane->type % 3]) > fabs(normal.e[type % 3]) - TYPE_ERROR;
    if (plane->type != type && !tie)
        verify_fault(verifier, DIAG_VERIFY_PLANE, NULL, "plane %zu: type %d instead of %d", i,
                     plane->type, type);
}

void verify_planes(struct verifier *verifier)
{
    const struct bsp_plane *planes = verifier->bsp->planes;
    size_t count = arrlenu(planes);
    if (count % 2)
        verify_fault(verifier, DIAG_VERIFY_PLANE, NULL, "odd number of planes (%zu)", count);
    for (size_t i = 0; i < count; i++)
        verify_plane(verifier, i);
    for (size_t i = 0; i + 1 < count; i += 2) {
        bool opposite = planes[i].dist == -planes[i + 1].dist;
        for (int k = 0; k < 3; k++)
            opposite = opposite && planes[i].normal[k] == -planes[i + 1].normal[k];
        if (!opposite)
            verify_fault(verifier, DIAG_VERIFY_PLANE, NULL, "planes %zu and %zu are not opposite",
                         i, i + 1);
    }
}

/* Number of uses of each edge, forwards and backwards. */
struct edge_use {
    int uses[2];
};

void verify_edges(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    size_t count = arrlenu(bsp->edges), unused = 0, doubled = 0;
    if (count && (bsp->edges[0].v[0] || bsp->edges[0].v[1]))
        verify_fault(verifier, DIAG_VERIFY_EDGE, NULL, "edge 0 is not 0 0");
    struct edge_use *use = memory_zalloc(count, sizeof *use);
    for (size_t i = 0; i < arrlenu(bsp->surfedges); i++) {
        int32_t edge = bsp->surfedges[i];
        if (!edge)
            verify_fault(verifier, DIAG_VERIFY_EDGE, NULL, "surfedge %zu: edge 0", i);
        use[edge < 0 ? -edge : edge].uses[edge < 0]++;
    }
    for (size_t i = 1; i < count; i++) {
        if (bsp->edges[i].v[0] == bsp->edges[i].v[1])
            verify_fault(verifier, DIAG_VERIFY_EDGE, NULL, "edge %zu: both vertices are the same",
                         i);
        unused += !use[i].uses[0] && !use[i].uses[1];
        doubled += use[i].uses[0] > 1 || use[i].uses[1] > 1;
    }
    if (unused)
        verify_fault(verifier, DIAG_VERIFY_EDGE_USE, NULL, "%zu edge%s of no face", unused,
                     unused == 1 ? "" : "s");
    if (doubled)
        verify_fault(verifier, DIAG_VERIFY_EDGE_USE, NULL,
                     "%zu edge%s used twice in the same direction", doubled,
                     doubled == 1 ? "" : "s");
    memory_free(use);
}

static void verify_model_box(struct verifier *verifier, size_t i)
{
    const struct bsp *bsp = verifier->bsp;
    const struct bsp_model *model = &bsp->models[i];
    struct bounds box = {vec3_from_floats(model->mins), vec3_from_floats(model->maxs)};
    struct bounds all = bounds_empty();
    for (int k = 0; k < model->face_count; k++) {
        const struct bsp_face *face = &bsp->faces[model->first_face + k];
        /* Displacements use their base face, and may be smaller. */
        for (int j = 0; j < face->edge_count && face->dispinfo < 0; j++)
            bounds_add_point(&all, bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, j)));
    }
    if (bounds_is_empty(&all))
        return;
    for (int k = 0; k < 3; k++)
        if (all.mins.e[k] < box.mins.e[k] - BOX_ERROR ||
            all.maxs.e[k] > box.maxs.e[k] + BOX_ERROR) {
            verify_fault(verifier, DIAG_VERIFY_MODEL, NULL,
                         "model %zu: faces more than a unit outside of its bounds", i);
            return;
        }
}

void verify_models(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    size_t faces = arrlenu(bsp->faces);
    int next = 0, head = -1;
    verifier->face_model = ARENA_ARRAY(&verifier->arena, int, faces);
    for (size_t i = 0; i < faces; i++)
        verifier->face_model[i] = -1;
    for (size_t i = 0; i < arrlenu(bsp->models); i++) {
        const struct bsp_model *model = &bsp->models[i];
        if (model->first_face != next)
            verify_fault(verifier, DIAG_VERIFY_MODEL, NULL,
                         "model %zu: faces start at %d, but the previous ones end at %d", i,
                         model->first_face, next);
        if (model->face_count)
            next = model->first_face + model->face_count;
        for (int k = 0; k < model->face_count; k++)
            verifier->face_model[model->first_face + k] = (int)i;
        if (!i && model->head_node > 0)
            verify_fault(verifier, DIAG_VERIFY_MODEL, NULL, "model 0: head node %d instead of 0",
                         model->head_node);
        if (i && model->head_node >= 0 && model->head_node <= head)
            verify_fault(verifier, DIAG_VERIFY_MODEL, NULL,
                         "model %zu: head node %d below that of a previous model", i,
                         model->head_node);
        head = model->head_node > head ? model->head_node : head;
        verify_model_box(verifier, i);
    }
    if (next != (int)faces)
        verify_fault(verifier, DIAG_VERIFY_MODEL, NULL, "%d of %zu faces belong to models", next,
                     faces);
}

static struct vec3 face_center(const struct bsp *bsp, const struct bsp_face *face)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < face->edge_count; i++)
        sum = vec3_add(sum, bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i)));
    return vec3_scale(sum, face->edge_count ? 1.0 / face->edge_count : 0);
}

/* Each edge must start where the previous one ends. */
static bool face_is_closed(const struct bsp *bsp, const struct bsp_face *face)
{
    for (int i = 0; i < face->edge_count; i++) {
        int32_t surfedge = bsp->surfedges[face->first_edge + i];
        int end = surfedge >= 0 ? bsp->edges[surfedge].v[1] : bsp->edges[-surfedge].v[0];
        if (end != bsp_face_vertex(bsp, face, (i + 1) % face->edge_count))
            return false;
    }
    return true;
}

/* Returns a vertex that the outline visits twice, or -1. */
static int repeated_vertex(const struct bsp *bsp, const struct bsp_face *face)
{
    for (int i = 0; i < face->edge_count; i++)
        for (int k = 0; k < i; k++)
            if (bsp_face_vertex(bsp, face, i) == bsp_face_vertex(bsp, face, k))
                return bsp_face_vertex(bsp, face, i);
    return -1;
}

struct face_shape {
    double off_plane; /* largest distance of a vertex */
    double dent;      /* distance that a vertex would have to move to make all corners convex */
    double area;
    struct vec3 turn; /* twice the area along the normal of a counter-clockwise face */
};

static struct face_shape measure_face(const struct bsp *bsp, const struct bsp_face *face)
{
    struct face_shape shape = {0};
    const struct bsp_plane *plane = &bsp->planes[face->plane];
    struct vec3 normal = vec3_from_floats(plane->normal);
    struct vec3 first = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, 0));
    for (int i = 0; i < face->edge_count; i++) {
        struct vec3 a = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i));
        struct vec3 b = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, (i + 1) % face->edge_count));
        struct vec3 edge = vec3_sub(b, a);
        struct vec3 out = vec3_cross(normal, edge);
        double off = fabs(vec3_dot(normal, a) - (double)plane->dist);
        shape.off_plane = portable_fmax(shape.off_plane, off);
        shape.turn = vec3_add(shape.turn, vec3_cross(vec3_sub(a, first), vec3_sub(b, first)));
        for (int k = 0; k < face->edge_count; k++) {
            struct vec3 c = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, k));
            double longest = portable_fmax(vec3_length(edge),
                                           portable_fmax(vec3_distance(a, c), vec3_distance(b, c)));
            if (longest > 0)
                shape.dent = portable_fmax(shape.dent, vec3_dot(out, vec3_sub(c, a)) / longest);
        }
    }
    shape.area = vec3_length(shape.turn) / 2;
    return shape;
}

/* Adds a fault to those of the face; one that is severe makes the face invalid. */
static void add_fault(struct verifier *verifier, const char *fault, bool severe,
                      const char **faults, int *code)
{
    *faults = arena_printf(&verifier->arena, "%s%s%s", *faults, **faults ? "; " : "", fault);
    if (severe)
        *code = DIAG_VERIFY_FACE;
}

/* Reports a face once, with all that is wrong with its shape. */
static void verify_face_shape(struct verifier *verifier, size_t i, const struct bsp_face *face)
{
    const struct bsp *bsp = verifier->bsp;
    struct arena *arena = &verifier->arena;
    struct arena_mark mark = arena_mark(arena);
    struct vec3 center = face_center(bsp, face);
    struct face_shape shape = measure_face(bsp, face);
    double along = vec3_dot(shape.turn, vec3_from_floats(bsp->planes[face->plane].normal));
    int repeated = repeated_vertex(bsp, face);
    const char *faults = "";
    int code = DIAG_VERIFY_FACE_SHAPE;
    if (shape.off_plane > PLANE_WARNING)
        add_fault(verifier, arena_printf(arena, "vertex %.3g units off the plane", shape.off_plane),
                  shape.off_plane > PLANE_ERROR, &faults, &code);
    if (repeated >= 0)
        add_fault(verifier, arena_printf(arena, "vertex %d occurs twice", repeated), false, &faults,
                  &code);
    if (shape.area > AREA_SMALL && along > 0)
        add_fault(verifier, "reversed winding", true, &faults, &code);
    else if (shape.dent > DENT_WARNING)
        add_fault(verifier, arena_printf(arena, "not convex by %.3g units", shape.dent),
                  shape.dent > DENT_ERROR, &faults, &code);
    if (shape.area > AREA_SMALL &&
        fabs(shape.area - (double)face->area) > AREA_WARNING * shape.area && face->dispinfo < 0)
        add_fault(verifier,
                  arena_printf(arena, "area %g, but %g is stored", shape.area, (double)face->area),
                  false, &faults, &code);
    if (*faults)
        verify_fault(verifier, code, &center, "face %zu: %s", i, faults);
    arena_release(arena, mark);
}

/* The size of the terms that readers add in single precision. */
static double luxel_terms(const float vector[4], struct vec3 p)
{
    return fabs((double)vector[0] * p.x) + fabs((double)vector[1] * p.y) +
           fabs((double)vector[2] * p.z) + fabs((double)vector[3]);
}

/* Luxels outside of the lightmap make the engine read past its end. */
static void verify_face_extents(struct verifier *verifier, size_t i, const struct bsp_face *face)
{
    const struct bsp *bsp = verifier->bsp;
    if (face->texinfo < 0 || face->dispinfo >= 0 ||
        bsp->texinfo[face->texinfo].flags & (SURFACE_NOLIGHT | SURFACE_SKY | SURFACE_SKY2D))
        return;
    for (int axis = 0; axis < 2; axis++) {
        const float *vector = bsp->texinfo[face->texinfo].lightmap[axis];
        double min = face->lightmap_mins[axis], max = min + face->lightmap_size[axis];
        for (int k = 0; k < face->edge_count; k++) {
            struct vec3 p = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, k));
            double luxel = vec3_dot(vec3_from_floats(vector), p) + (double)vector[3];
            double error = EXTENT_ERROR + 4 * (double)FLT_EPSILON * luxel_terms(vector, p);
            if (luxel > min - error && luxel < max + error)
                continue;
            verify_fault(verifier, DIAG_VERIFY_FACE, &p,
                         "face %zu: vertex at luxel %.3f, lightmap from %g to %g", i, luxel, min,
                         max);
            return;
        }
    }
}

static void verify_face_primitives(struct verifier *verifier, size_t i, const struct bsp_face *face)
{
    const struct bsp *bsp = verifier->bsp;
    for (int k = 0; k < face->primitive_count; k++) {
        const struct bsp_primitive *primitive = &bsp->primitives[face->first_primitive + k];
        if (primitive->type < 0 || primitive->type > 1)
            verify_fault(verifier, DIAG_VERIFY_PRIMITIVE, NULL, "face %zu: primitive of type %d", i,
                         primitive->type);
        else if (primitive->index_count < 3 || (!primitive->type && primitive->index_count % 3))
            verify_fault(verifier, DIAG_VERIFY_PRIMITIVE, NULL,
                         "face %zu: primitive with %d indices", i, primitive->index_count);
    }
}

static void verify_face(struct verifier *verifier, size_t i)
{
    const struct bsp *bsp = verifier->bsp;
    const struct bsp_face *face = &bsp->faces[i];
    if (face->edge_count < 3 || face->edge_count > FACE_EDGES_MAX) {
        verify_fault(verifier, DIAG_VERIFY_FACE, NULL, "face %zu: %d edge%s", i, face->edge_count,
                     face->edge_count == 1 ? "" : "s");
        return;
    }
    if (!face_is_closed(bsp, face)) {
        struct vec3 center = face_center(bsp, face);
        verify_fault(verifier, DIAG_VERIFY_FACE, &center, "face %zu: edges do not form a loop", i);
        return;
    }
    if (face->side != face->plane % 2)
        verify_fault(verifier, DIAG_VERIFY_FACE, NULL, "face %zu: side %d with plane %d", i,
                     face->side, face->plane);
    verify_face_shape(verifier, i, face);
    verify_face_extents(verifier, i, face);
    verify_face_primitives(verifier, i, face);
}

/* An HDR face is the same face with other light. */
static void verify_hdr_face(struct verifier *verifier, size_t i)
{
    const struct bsp_face *a = &verifier->bsp->faces[i], *b = &verifier->bsp->faces_hdr[i];
    if (a->plane != b->plane || a->first_edge != b->first_edge || a->edge_count != b->edge_count ||
        a->texinfo != b->texinfo || a->dispinfo != b->dispinfo ||
        a->lightmap_size[0] != b->lightmap_size[0] || a->lightmap_size[1] != b->lightmap_size[1])
        verify_fault(verifier, DIAG_VERIFY_FACE, NULL, "face %zu: differs from its HDR face", i);
}

void verify_faces(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    size_t normals = arrlenu(bsp->vertex_normal_indices), corners = 0;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        corners += (size_t)bsp->faces[i].edge_count;
    if (normals && normals != corners)
        verify_fault(verifier, DIAG_VERIFY_LIST, NULL,
                     "%zu vertex normal indices, but %zu face corners", normals, corners);
    if (corners > arrlenu(bsp->surfedges)) {
        verify_fault(verifier, DIAG_VERIFY_LIST, NULL, "%zu face corners, but %zu surfedges",
                     corners, arrlenu(bsp->surfedges));
        return;
    }
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        verify_face(verifier, i);
    for (size_t i = 0; i < arrlenu(bsp->faces_hdr); i++)
        verify_hdr_face(verifier, i);
}

/* --- brushes, and the displacements that are carried as bytes --- */

enum { SIDES_MIN = 4 };

/* Planes in single precision move the corners of a brush, those at a small angle most. */
#define ROUNDING 1.01

static struct plane side_plane(const struct bsp *bsp, int side)
{
    const struct bsp_plane *p = &bsp->planes[bsp->brush_sides[side].plane];
    return (struct plane){vec3((double)p->normal[0], (double)p->normal[1], (double)p->normal[2]),
                          (double)p->dist};
}

/* Returns the part of a side's plane that the other sides leave, or NULL. */
static struct winding *side_winding(struct verifier *verifier, const struct bsp_brush *brush,
                                    int side)
{
    const struct bsp *bsp = verifier->bsp;
    struct plane own = side_plane(bsp, side);
    struct winding *winding = winding_from_plane(&verifier->arena, &own);
    for (int k = 0; k < brush->side_count && winding; k++) {
        int other = brush->first_side + k;
        if (other == side || bsp->brush_sides[other].bevel)
            continue;
        struct plane cut = side_plane(bsp, other);
        winding = winding_clip_behind(&verifier->arena, winding, &cut, EPSILON_BRUSH_CLIP);
    }
    return winding;
}

static void verify_brush(struct verifier *verifier, size_t i)
{
    const struct bsp *bsp = verifier->bsp;
    const struct bsp_brush *brush = &bsp->brushes[i];
    int sides = 0, drawn = 0;
    bool huge = false;
    struct bounds box = bounds_empty();
    const double limit = bsp->engine->geometry.world_limit * ROUNDING;
    struct arena_mark mark = arena_mark(&verifier->arena);
    for (int k = 0; k < brush->side_count; k++) {
        int side = brush->first_side + k;
        if (bsp->brush_sides[side].bevel)
            continue;
        struct winding *winding = side_winding(verifier, brush, side);
        sides++;
        if (!winding)
            continue;
        struct bounds part = winding_bounds(winding);
        bounds_add(&box, &part);
        drawn++;
        huge = huge || winding_is_beyond(winding, limit);
    }
    arena_release(&verifier->arena, mark);
    struct vec3 center = bounds_is_empty(&box) ? vec3(0, 0, 0) : bounds_center(&box);
    if (sides < SIDES_MIN)
        verify_fault(verifier, DIAG_VERIFY_BRUSH, NULL, "brush %zu: %d side%s besides bevels", i,
                     sides, sides == 1 ? "" : "s");
    else if (huge)
        verify_fault(verifier, DIAG_VERIFY_BRUSH, NULL, "brush %zu: unbounded", i);
    else if (drawn < SIDES_MIN)
        verify_fault(verifier, DIAG_VERIFY_BRUSH, drawn ? &center : NULL,
                     "brush %zu: no volume (sides with an area: %d)", i, drawn);
}

void verify_brushes(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    int next = 0;
    for (size_t i = 0; i < arrlenu(bsp->brushes); i++) {
        if (bsp->brushes[i].first_side != next)
            verify_fault(verifier, DIAG_VERIFY_LIST, NULL,
                         "brush %zu: sides start at %d, but the previous ones end at %d", i,
                         bsp->brushes[i].first_side, next);
        next = bsp->brushes[i].first_side + bsp->brushes[i].side_count;
        verify_brush(verifier, i);
    }
    if (next != (int)arrlen(bsp->brush_sides))
        verify_fault(verifier, DIAG_VERIFY_LIST, NULL, "%d of %td brush sides belong to brushes",
                     next, arrlen(bsp->brush_sides));
    for (size_t i = 0; i < arrlenu(bsp->brush_sides); i++)
        if (bsp->brush_sides[i].bevel > 1 || bsp->brush_sides[i].thin > 1)
            verify_fault(verifier, DIAG_VERIFY_BRUSH, NULL, "brush side %zu: bevel %d, thin %d", i,
                         bsp->brush_sides[i].bevel, bsp->brush_sides[i].thin);
}

enum { POWER_MIN = 2, POWER_MAX = 4 };

static void verify_displacement(struct verifier *verifier, size_t i)
{
    const struct bsp *bsp = verifier->bsp;
    const struct bsp_displacement *info = &bsp->displacements[i];
    size_t face = (size_t)info->face;
    if (info->power < POWER_MIN || info->power > POWER_MAX) {
        verify_fault(verifier, DIAG_VERIFY_DISPLACEMENT, NULL, "displacement %zu: power %d", i,
                     info->power);
        return;
    }
    int64_t side = (1 << info->power) + 1, triangles = 2 << 2 * info->power;
    if (info->first_vertex < 0 || info->first_triangle < 0 ||
        info->first_vertex + side * side > arrlen(bsp->disp_vertices) ||
        info->first_triangle + triangles > arrlen(bsp->disp_triangles))
        verify_fault(verifier, DIAG_VERIFY_DISPLACEMENT, NULL,
                     "displacement %zu: vertices or triangles out of range", i);
    if (face >= arrlenu(bsp->faces) || bsp->faces[face].dispinfo != (int)i)
        verify_fault(verifier, DIAG_VERIFY_DISPLACEMENT, NULL,
                     "displacement %zu: face %zu does not refer back to it", i, face);
    else if (bsp->faces[face].edge_count != 4)
        verify_fault(verifier, DIAG_VERIFY_DISPLACEMENT, NULL,
                     "displacement %zu: face with %d edges", i, bsp->faces[face].edge_count);
}

void verify_displacements(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    size_t overlays = arrlenu(bsp->overlays), fades = arrlenu(bsp_rare(bsp)->overlay_fades);
    for (size_t i = 0; i < arrlenu(bsp->displacements); i++)
        verify_displacement(verifier, i);
    bool carried = bsp->carried[LUMP_OVERLAYS].data.size; /* in a form that is not decoded */
    if (fades && fades != overlays && !carried)
        verify_fault(verifier, DIAG_VERIFY_LIST, NULL, "%zu overlays, but %zu overlay fades",
                     overlays, fades);
}
