/* Parts of one class that lie apart, gathered to surfaces. */
#include <stdlib.h>

#include "common/core/array.h"
#include "vbsp/target/quake3/meta/meta_grow.h"

/* A rectangle of luxels has this many beyond what it covers, along each of its sides: the last one,
 * and a margin at both ends. */
#define LUXEL_BORDER 3.0

/* A part is tried with so many of those before it: they are in order along an axis. */
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

struct place {
    struct meta_part part;
    struct bounds bounds;
    long long cell[3];
};

static int compare_cells(const void *a, const void *b)
{
    const struct place *one = a, *two = b;
    for (int i = 0; i < 3; i++)
        if (one->cell[i] != two->cell[i])
            return one->cell[i] < two->cell[i] ? -1 : 1;
    return one->part.order < two->part.order ? -1 : one->part.order > two->part.order;
}

/* Parts that lie in one cube of space, as far as they fit. */
static void gather_neighbours(const struct meta_growth *growth, struct place *places,
                              struct meta_part **parts)
{
    for (size_t i = 0; i < arrlenu(places); i++) {
        struct vec3 center = bounds_center(&places[i].bounds);
        for (int k = 0; k < 3; k++)
            places[i].cell[k] = (long long)floor(center.e[k] / growth->reach);
    }
    qsort(places, arrlenu(places), sizeof *places, compare_cells);
    for (size_t i = 0; i < arrlenu(places); i++) {
        bool same = i > 0 && !memcmp(places[i].cell, places[i - 1].cell, sizeof places->cell);
        if (same && have_room(growth, &arrlast(*parts), &places[i].part))
            append_part(&arrlast(*parts), &places[i].part);
        else
            arrput(*parts, places[i].part);
    }
}

/* Luxels of the rectangle that covers the bounds, along the axes that it is not thin along. */
static double luxels_of(const struct bounds *bounds, int thin, double size)
{
    double luxels = 1;
    for (int i = 0; i < 3; i++)
        if (i != thin)
            luxels *= ceil((bounds->maxs.e[i] - bounds->mins.e[i]) / size) + LUXEL_BORDER;
    return luxels;
}

/* Of the rectangles of two parts, how many luxels fewer one rectangle for both has; below 0: it has
 * more, or they cannot be one. */
static double gain_of(const struct meta_growth *growth, const struct place *a,
                      const struct place *b, int thin)
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
    const struct meta_part *one = &((const struct place *)a)->part,
                           *two = &((const struct place *)b)->part;
    return one->order < two->order ? -1 : one->order > two->order;
}

/* Rectangles that are not larger as one. The first triangle stays first: an earlier part takes the
 * later. Several rounds, since what was joined may take more. */
static void gather_flat(const struct meta_growth *growth, struct place *places,
                        struct meta_part **parts)
{
    int thin = vec3_major_axis(places[0].part.vertices[0].normal);
    size_t count = arrlenu(places), before;
    qsort(places, count, sizeof *places, compare_orders);
    do {
        before = count;
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            size_t best = kept;
            double max = 0;
            for (size_t k = kept > WINDOW ? kept - WINDOW : 0; k < kept; k++) {
                double gain = gain_of(growth, &places[k], &places[i], thin);
                if (gain > max || (gain >= max && best == kept)) {
                    max = gain;
                    best = k;
                }
            }
            if (best == kept) {
                places[kept++] = places[i];
                continue;
            }
            append_part(&places[best].part, &places[i].part);
            bounds_add(&places[best].bounds, &places[i].bounds);
        }
        count = kept;
    } while (count < before);
    for (size_t i = 0; i < count; i++)
        arrput(*parts, places[i].part);
}

void meta_gather(const struct meta_growth *growth, struct meta_part **parts, size_t begin)
{
    struct place *places = NULL;
    if (growth->sample_size > 0 && !growth->flat)
        return;
    for (size_t i = begin; i < arrlenu(*parts); i++)
        arrput(places, ((struct place){.part = (*parts)[i], .bounds = bounds_of(&(*parts)[i])}));
    arrsetlen(*parts, begin);
    if (growth->sample_size > 0)
        gather_flat(growth, places, parts);
    else
        gather_neighbours(growth, places, parts);
    arrfree(places);
}
