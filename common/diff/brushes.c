/* Compares planes and brushes. */
#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/diff/diff_internal.h"
#include "common/geom/epsilon.h"
#include "common/geom/winding.h"

/* Search positions of planes: the point of the plane nearest to a distant one along its normal, so
 * that planes through the origin have different positions. No plane of a map has this distance. */
#define PLANE_OFFSET    4099.37
#define PLANE_TOLERANCE 0.5 /* effect of the tolerance of a normal on the position */

enum { SIDES_MAX = 256 }; /* maximum per brush that is clipped */

static bool same_plane(const struct comparison *c, const struct bsp_plane *p,
                       const struct bsp_plane *q, double sign)
{
    for (int k = 0; k < 3; k++)
        if (fabs((double)p->normal[k] - sign * (double)q->normal[k]) > 2 * EPSILON_PLANE_NORMAL)
            return false;
    return fabs((double)p->dist - sign * (double)q->dist) <= c->options->distance;
}

enum diff_planes diff_compare_planes(const struct comparison *c, int pa, int pb)
{
    const struct bsp_plane *p = &c->bsp[0]->planes[pa], *q = &c->bsp[1]->planes[pb];
    if (same_plane(c, p, q, 1))
        return DIFF_PLANES_SAME;
    return same_plane(c, p, q, -1) ? DIFF_PLANES_OPPOSITE : DIFF_PLANES_OTHER;
}

static double plane_cost(const void *context, int a, int b)
{
    return diff_compare_planes(context, a, b) == DIFF_PLANES_SAME ? 0 : -1;
}

static const char *describe_plane(struct comparison *c, int side, int index)
{
    const struct bsp_plane *plane = &c->bsp[side]->planes[index];
    return arena_printf(&c->scratch, "plane %d: normal %s, distance %.8g", index,
                        diff_point_text(c, vec3_from_floats(plane->normal)), (double)plane->dist);
}

void diff_plane_set(struct comparison *c)
{
    struct diff_point *points[2] = {NULL, NULL};
    struct diff_match match = {0};
    for (int side = 0; side < 2; side++) {
        const struct bsp_plane *planes = c->bsp[side]->planes;
        for (size_t i = 0; i < arrlenu(planes); i++) {
            struct vec3 normal = vec3_from_floats(planes[i].normal);
            double from = (double)planes[i].dist + PLANE_OFFSET;
            arrput(points[side], ((struct diff_point){vec3_scale(normal, from), 0}));
        }
    }
    diff_count(c, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_init(&match, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_sets(points[0], points[1], c->options->distance + PLANE_TOLERANCE, plane_cost, c,
                    &match);
    diff_unmatched(c, &match, describe_plane);
    diff_match_free(&match);
    arrfree(points[0]);
    arrfree(points[1]);
}

static bool is_bevel(const struct bsp_brush_side *side)
{
    return side->bevel & 1;
}

/* Returns the part of a side that the others leave. */
static struct winding *side_winding(const struct bsp *bsp, const struct bsp_brush *brush, int side,
                                    struct arena *arena)
{
    const struct bsp_brush_side *sides = bsp->brush_sides + brush->first_side;
    struct plane own = bsp_plane_at(bsp, sides[side].plane);
    struct winding *winding = winding_from_plane(arena, &own);
    for (int i = 0; i < brush->side_count && winding; i++) {
        if (i == side || is_bevel(&sides[i]) || sides[i].plane == sides[side].plane)
            continue;
        struct plane plane = bsp_plane_at(bsp, sides[i].plane);
        winding = winding_clip_behind(arena, winding, &plane, EPSILON_BRUSH_CLIP);
    }
    return winding;
}

static struct bounds brush_box(struct comparison *c, int side, int index)
{
    const struct bsp *bsp = c->bsp[side];
    const struct bsp_brush *brush = &bsp->brushes[index];
    struct bounds box = bounds_empty();
    for (int i = 0; i < brush->side_count && brush->side_count <= SIDES_MAX; i++) {
        struct arena_mark mark = arena_mark(&c->scratch);
        if (is_bevel(&bsp->brush_sides[brush->first_side + i]))
            continue;
        const struct winding *winding = side_winding(bsp, brush, i, &c->scratch);
        for (int k = 0; winding && k < winding->count; k++)
            bounds_add_point(&box, winding->points[k]);
        arena_release(&c->scratch, mark);
    }
    if (bounds_is_empty(&box))
        bounds_add_point(&box, vec3(0, 0, 0));
    return box;
}

static int open_sides(const struct bsp *bsp, const struct bsp_brush *brush)
{
    int count = 0;
    for (int i = 0; i < brush->side_count; i++)
        count += !is_bevel(&bsp->brush_sides[brush->first_side + i]);
    return count;
}

/* Returns true for sides of the same material. */
static bool same_surface(const struct comparison *c, const struct bsp_brush_side *a,
                         const struct bsp_brush_side *b)
{
    return diff_material(c->bsp[0], a->texinfo) == diff_material(c->bsp[1], b->texinfo) &&
           diff_surface_flags(c->bsp[0], a->texinfo) == diff_surface_flags(c->bsp[1], b->texinfo);
}

/* Returns the side of brush b of B with the plane of a side of A, of the same material if there is
 * one, or NULL. */
static const struct bsp_brush_side *side_like(const struct comparison *c,
                                              const struct bsp_brush_side *of, int b)
{
    const struct bsp_brush *brush = &c->bsp[1]->brushes[b];
    const struct bsp_brush_side *like = NULL;
    for (int i = 0; i < brush->side_count; i++) {
        const struct bsp_brush_side *side = &c->bsp[1]->brush_sides[brush->first_side + i];
        if (is_bevel(side) || diff_compare_planes(c, of->plane, side->plane) != DIFF_PLANES_SAME)
            continue;
        if (same_surface(c, of, side))
            return side;
        like = like ? like : side;
    }
    return like;
}

/* Returns the number of sides of brush A with another material than in B; -1: other planes. */
static int other_sides(const struct comparison *c, int a, int b)
{
    const struct bsp *bsp = c->bsp[0];
    const struct bsp_brush *p = &bsp->brushes[a], *q = &c->bsp[1]->brushes[b];
    int other = 0, count = open_sides(bsp, p);
    if (count != open_sides(c->bsp[1], q))
        return -1;
    for (int i = 0; i < p->side_count && count <= SIDES_MAX; i++) {
        const struct bsp_brush_side *side = &bsp->brush_sides[p->first_side + i];
        if (is_bevel(side))
            continue;
        const struct bsp_brush_side *like = side_like(c, side, b);
        if (!like)
            return -1;
        other += !same_surface(c, side, like);
    }
    return other;
}

static double brush_cost(const void *context, int a, int b)
{
    const struct comparison *c = context;
    int other = other_sides(c, a, b);
    if (other < 0)
        return -1;
    return other + (c->bsp[0]->brushes[a].contents != c->bsp[1]->brushes[b].contents);
}

/* Assigns the brushes below a model's head node to it. `seen` marks what belongs to another: first
 * nodes, then leaves. */
static void own_brushes(const struct bsp *bsp, int model, unsigned char *seen, int32_t *owners)
{
    int32_t *stack = NULL;
    arrput(stack, bsp->models[model].head_node);
    while (arrlen(stack)) {
        int32_t at = arrpop(stack);
        unsigned char *mark = at >= 0 ? &seen[at] : &seen[arrlen(bsp->nodes) - 1 - at];
        if (*mark)
            continue;
        *mark = 1;
        for (int k = 0; at >= 0 && k < 2; k++)
            arrput(stack, bsp->nodes[at].children[k]);
        const struct bsp_leaf *leaf = at < 0 ? &bsp->leaves[-1 - at] : NULL;
        for (int i = 0; leaf && i < leaf->brush_count; i++)
            owners[bsp->leaf_brushes[leaf->first_brush + i]] = model;
    }
    arrfree(stack);
}

/* Returns the model of each brush: brushes of two doors may have the same position relative to the
 * origin. Those in no leaf belong to the world. stb_ds array. */
static int32_t *brush_owners(const struct bsp *bsp)
{
    int32_t *owners = NULL;
    size_t count = arrlenu(bsp->brushes);
    unsigned char *seen = memory_zalloc(arrlenu(bsp->nodes) + arrlenu(bsp->leaves) + 1, 1);
    arrsetlen(owners, count);
    for (size_t i = 0; i < count; i++)
        owners[i] = 0;
    for (int i = 1; i < arrlen(bsp->models); i++) {
        const struct bsp_model *model = &bsp->models[i];
        if (!bsp->engine->geometry.has_surfaces) {
            own_brushes(bsp, i, seen, owners);
            continue;
        }
        for (int k = 0; k < model->brush_count; k++)
            owners[model->first_brush + k] = i;
    }
    memory_free(seen);
    return owners;
}

static struct diff_point *brush_points(struct comparison *c, int side)
{
    struct diff_point *points = NULL;
    int32_t *owners = brush_owners(c->bsp[side]);
    for (int i = 0; i < arrlen(c->bsp[side]->brushes); i++) {
        struct bounds box = brush_box(c, side, i);
        int own = side ? c->models.to[1][owners[i]] : owners[i];
        arrput(points, ((struct diff_point){bounds_center(&box), 1 + (uint64_t)own}));
    }
    arrfree(owners);
    return points;
}

void diff_need_brushes(struct comparison *c)
{
    struct diff_point *points[2];
    double tolerance = c->options->distance + EPSILON_BRUSH_CLIP;
    if (c->done & DIFF_DONE_BRUSHES)
        return;
    c->done |= DIFF_DONE_BRUSHES;
    diff_need_models(c);
    for (int side = 0; side < 2; side++)
        points[side] = brush_points(c, side);
    diff_match_init(&c->brushes, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_points(points[0], points[1], tolerance, brush_cost, c, &c->brushes);
    /* The rest may belong to models without a partner. */
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < arrlenu(points[side]); i++)
            points[side][i].kind = 0;
    diff_match_points(points[0], points[1], tolerance, brush_cost, c, &c->brushes);
    arrfree(points[0]);
    arrfree(points[1]);
}

static const char *describe_brush(struct comparison *c, int side, int index)
{
    const struct bsp *bsp = c->bsp[side];
    const struct bsp_brush *brush = &bsp->brushes[index];
    struct bounds box = brush_box(c, side, index);
    int texinfo = brush->side_count ? bsp->brush_sides[brush->first_side].texinfo : -1;
    return arena_printf(&c->scratch, "brush %d from %s to %s, %d sides, contents 0x%x, %s", index,
                        diff_point_text(c, box.mins), diff_point_text(c, box.maxs),
                        open_sides(bsp, brush), (unsigned)brush->contents,
                        diff_material_name(c, side, texinfo));
}

static void compare_sides(struct comparison *c, int a, int b, size_t *materials)
{
    const struct bsp *bsp = c->bsp[0];
    const struct bsp_brush *brush = &bsp->brushes[a];
    for (int i = 0; i < brush->side_count && brush->side_count <= SIDES_MAX; i++) {
        const struct bsp_brush_side *side = &bsp->brush_sides[brush->first_side + i];
        const struct bsp_brush_side *like = NULL;
        if (!is_bevel(side))
            like = side_like(c, side, b);
        if (!like || same_surface(c, side, like))
            continue;
        (*materials)++;
        DIFF_EXAMPLE(c, "%s: a side has %s, flags 0x%x in A, %s, flags 0x%x in B",
                     describe_brush(c, 0, a), diff_material_name(c, 0, side->texinfo),
                     (unsigned)diff_surface_flags(bsp, side->texinfo),
                     diff_material_name(c, 1, like->texinfo),
                     (unsigned)diff_surface_flags(c->bsp[1], like->texinfo));
    }
}

void diff_brushes(struct comparison *c)
{
    size_t contents = 0, materials = 0, changed = 0;
    diff_need_brushes(c);
    const struct diff_match *match = &c->brushes;
    diff_count(c, arrlenu(match->to[0]), arrlenu(match->to[1]));
    for (int i = 0; i < arrlen(match->to[0]); i++) {
        int b = match->to[0][i];
        if (b < 0 || brush_cost(c, i, b) <= 0)
            continue;
        changed++;
        compare_sides(c, i, b, &materials);
        int was = c->bsp[0]->brushes[i].contents, is = c->bsp[1]->brushes[b].contents;
        contents += was != is;
        if (was != is)
            DIFF_EXAMPLE(c, "%s: contents 0x%x in B", describe_brush(c, 0, i), (unsigned)is);
    }
    diff_differ(c, "changed", changed);
    diff_figure(c, "contents", (double)contents);
    diff_figure(c, "sides", (double)materials);
    diff_unmatched(c, match, describe_brush);
}
