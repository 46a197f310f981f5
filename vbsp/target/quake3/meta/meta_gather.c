/* Gathers disconnected parts of one class into surfaces. */
#include <stdlib.h>

#include "common/core/array.h"
#include "vbsp/target/quake3/meta/meta_grow.h"

/* Extra luxels of a lightmap rectangle along each side: the last one, and a margin at both ends. */
#define LUXEL_BORDER 3.0

/* A part is tried with this many before it, in order along an axis. */
enum { WINDOW = 64 };

static struct bounds bounds_of(const struct meta_part *part)
{
    struct bounds bounds = bounds_empty();
    for (size_t i = 0; i < arrlenu(part->vertices); i++)
        bounds_add_point(&bounds, part->vertices[i].p);
    return bounds;
}

static void append_part(struct meta_part *to, struct meta_part *from)
{
    int first = (int)arrlen(to->vertices);
    for (size_t i = 0; i < arrlenu(from->triangles); i++)
        arrput(to->triangles, from->triangles[i]);
    for (size_t i = 0; i < arrlenu(from->vertices); i++)
        arrput(to->vertices, from->vertices[i]);
    for (size_t i = 0; i < arrlenu(from->indices); i++)
        arrput(to->indices, first + from->indices[i]);
    arrfree(from->triangles);
    arrfree(from->vertices);
    arrfree(from->indices);
}

static bool have_room(const struct meta_growth *growth, const struct meta_part *a,
                      const struct meta_part *b)
{
    return (int)(arrlen(a->vertices) + arrlen(b->vertices)) <= growth->vertices &&
           (int)(arrlen(a->indices) + arrlen(b->indices)) <= growth->indices;
}

struct part_extent {
    struct meta_part part;
    struct bounds bounds;
    long long cell[3];
};

static int compare_cells(const void *a, const void *b)
{
    const struct part_extent *one = a, *two = b;
    for (int i = 0; i < 3; i++)
        if (one->cell[i] != two->cell[i])
            return one->cell[i] < two->cell[i] ? -1 : 1;
    return one->part.order < two->part.order ? -1 : one->part.order > two->part.order;
}

/* Merges parts in one cell of space, as far as they fit. */
static void gather_neighbours(const struct meta_growth *growth, struct part_extent *extents,
                              struct meta_part **parts)
{
    for (size_t i = 0; i < arrlenu(extents); i++) {
        struct vec3 center = bounds_center(&extents[i].bounds);
        for (int k = 0; k < 3; k++)
            extents[i].cell[k] = (long long)floor(center.e[k] / growth->reach);
    }
    qsort(extents, arrlenu(extents), sizeof *extents, compare_cells);
    for (size_t i = 0; i < arrlenu(extents); i++) {
        bool same = i > 0 && !memcmp(extents[i].cell, extents[i - 1].cell, sizeof extents->cell);
        if (same && have_room(growth, &arrlast(*parts), &extents[i].part))
            append_part(&arrlast(*parts), &extents[i].part);
        else
            arrput(*parts, extents[i].part);
    }
}

/* Luxels of the rectangle that covers the bounds along the two axes other than `thin`. */
static double luxels_of(const struct bounds *bounds, int thin, double size)
{
    double luxels = 1;
    for (int i = 0; i < 3; i++)
        if (i != thin)
            luxels *= ceil((bounds->maxs.e[i] - bounds->mins.e[i]) / size) + LUXEL_BORDER;
    return luxels;
}

/* The number of luxels saved by one rectangle for both parts; below 0: it needs more, or they
 * cannot be merged. */
static double gain_of(const struct meta_growth *growth, const struct part_extent *a,
                      const struct part_extent *b, int thin)
{
    struct bounds both = a->bounds;
    bounds_add(&both, &b->bounds);
    if (!have_room(growth, &a->part, &b->part))
        return -1;
    for (int i = 0; i < 3; i++)
        if (both.maxs.e[i] - both.mins.e[i] > growth->reach)
            return -1;
    return luxels_of(&a->bounds, thin, growth->sample_size) +
           luxels_of(&b->bounds, thin, growth->sample_size) -
           luxels_of(&both, thin, growth->sample_size);
}

static int compare_orders(const void *a, const void *b)
{
    const struct meta_part *one = &((const struct part_extent *)a)->part,
                           *two = &((const struct part_extent *)b)->part;
    return one->order < two->order ? -1 : one->order > two->order;
}

/* Merges rectangles that do not get larger. The first triangle stays first: an earlier part absorbs
 * the later. Several rounds, since merged ones may absorb more. */
static void gather_flat(const struct meta_growth *growth, struct part_extent *extents,
                        struct meta_part **parts)
{
    int thin = vec3_major_axis(extents[0].part.vertices[0].normal);
    size_t count = arrlenu(extents), before;
    qsort(extents, count, sizeof *extents, compare_orders);
    do {
        before = count;
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            size_t best = kept;
            double max = 0;
            for (size_t k = kept > WINDOW ? kept - WINDOW : 0; k < kept; k++) {
                double gain = gain_of(growth, &extents[k], &extents[i], thin);
                if (gain > max || (gain >= max && best == kept)) {
                    max = gain;
                    best = k;
                }
            }
            if (best == kept) {
                extents[kept++] = extents[i];
                continue;
            }
            append_part(&extents[best].part, &extents[i].part);
            bounds_add(&extents[best].bounds, &extents[i].bounds);
        }
        count = kept;
    } while (count < before);
    for (size_t i = 0; i < count; i++)
        arrput(*parts, extents[i].part);
}

void meta_gather(const struct meta_growth *growth, struct meta_part **parts, size_t begin)
{
    struct part_extent *extents = NULL;
    if (growth->sample_size > 0 && !growth->flat)
        return;
    for (size_t i = begin; i < arrlenu(*parts); i++)
        arrput(extents,
               ((struct part_extent){.part = (*parts)[i], .bounds = bounds_of(&(*parts)[i])}));
    arrsetlen(*parts, begin);
    if (growth->sample_size > 0)
        gather_flat(growth, extents, parts);
    else
        gather_neighbours(growth, extents, parts);
    arrfree(extents);
}
