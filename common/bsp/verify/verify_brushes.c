/* Verifies brushes, and the displacements that are carried as bytes. */
#include "common/bsp/engine.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/rare_lumps.h"
#include "common/bsp/verify/verify_internal.h"
#include "common/core/array.h"
#include "common/diag/codes/verify.def"
#include "common/geom/epsilon.h"
#include "common/geom/winding.h"

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
    if (fades && fades != overlays)
        verify_fault(verifier, DIAG_VERIFY_LIST, NULL, "%zu overlays, but %zu overlay fades",
                     overlays, fades);
}
