/* Sides are cut by the planes of the solids that they reach into, and what is inside of one is
 * dropped. A side is only cut by a solid if something of it is inside. */
#include "ballance/compile/outer_hull_internal.h"

struct cutter {
    struct outer_builder *builder;
    int solid;                      /* whose side is cut */
    int plane, group;               /* of the side */
    const struct winding **parts;   /* stb_ds array: outside of all solids so far */
    const struct winding **outside; /* stb_ds array: outside of the current solid */
};

/* How a part lies to the plane of a side of another solid. */
enum relation { APART, FACING, BESIDE };

/* FACING: on the plane, seen from the other side; BESIDE: seen from the same side. */
static enum relation relation_to(const struct cutter *cutter, const struct winding *part, int plane)
{
    const struct plane *planes = cutter->builder->planes;
    if (plane == cutter->plane)
        return BESIDE;
    if (plane == (cutter->plane ^ 1))
        return FACING;
    if (winding_classify(part, &planes[plane], OUTER_CUT) != WINDING_ON)
        return APART;
    return vec3_dot(planes[plane].normal, planes[cutter->plane].normal) > 0 ? BESIDE : FACING;
}

/* Appends what is outside of a solid to cutter->outside. A part on the solid's surface is inside,
 * unless both face the same way and the solid comes later: then its own side is the one to go. */
static void cut_part(struct cutter *cutter, const struct winding *part, int other)
{
    const struct outer_builder *builder = cutter->builder;
    const struct solid *solid = &builder->solids[other];
    struct arena *arena = &cutter->builder->arena;
    size_t begin = arrlenu(cutter->outside);
    struct winding *rest = (struct winding *)part;
    for (int i = 0; i < solid->count && rest; i++) {
        struct winding *front;
        enum relation relation = relation_to(cutter, rest, solid->sides[i].plane);
        if (relation == BESIDE && other > cutter->solid)
            rest = NULL;
        if (relation != APART)
            continue;
        winding_clip(arena, rest, &builder->planes[solid->sides[i].plane], OUTER_CUT, &front,
                     &rest);
        if (front)
            arrput(cutter->outside, front);
    }
    if (rest)
        return;
    arrsetlen(cutter->outside, begin);
    arrput(cutter->outside, part);
}

static void cut_by(struct cutter *cutter, int other)
{
    const struct bounds *bounds = &cutter->builder->solids[other].bounds;
    arrsetlen(cutter->outside, 0);
    for (size_t i = 0; i < arrlenu(cutter->parts); i++) {
        struct bounds part = winding_bounds(cutter->parts[i]);
        if (bounds_touch(bounds, &part, OUTER_CUT))
            cut_part(cutter, cutter->parts[i], other);
        else
            arrput(cutter->outside, cutter->parts[i]);
    }
    const struct winding **swap = cutter->parts;
    cutter->parts = cutter->outside;
    cutter->outside = swap;
}

static void cut_side(struct cutter *cutter, const struct solid_side *side, const int *others,
                     struct fragment **fragments)
{
    cutter->plane = side->plane;
    arrsetlen(cutter->parts, 0);
    arrput(cutter->parts, side->winding);
    for (size_t i = 0; i < arrlenu(others) && arrlenu(cutter->parts); i++)
        cut_by(cutter, others[i]);
    for (size_t i = 0; i < arrlenu(cutter->parts); i++) {
        struct fragment fragment = {side->plane, side->group, cutter->parts[i]};
        arrput(*fragments, fragment);
    }
}

void outer_cut(struct outer_builder *builder, struct fragment **fragments)
{
    struct cutter cutter = {.builder = builder};
    int *others = NULL, count = (int)arrlen(builder->solids);
    for (int i = 0; i < count; i++) {
        const struct solid *solid = &builder->solids[i];
        arrsetlen(others, 0);
        for (int k = 0; k < count; k++)
            if (k != i && bounds_touch(&solid->bounds, &builder->solids[k].bounds, OUTER_CUT))
                arrput(others, k);
        cutter.solid = i;
        for (int k = 0; k < solid->count; k++)
            cut_side(&cutter, &solid->sides[k], others, fragments);
    }
    arrfree(others);
    arrfree(cutter.parts);
    arrfree(cutter.outside);
}
