#include "vbsp/target/quake3/meta/meta_grow.h"

#include <stdlib.h>

#include "common/core/array.h"

/* Gathers disconnected parts of one class into surfaces. */

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

/* True if a luxel of one rectangle would lie on both parts: if a wall stands between them, it would
 * have light of both of its sides. */
static bool share_luxels(const struct bounds *a, const struct bounds *b, int thin, double size)
{
    for (int i = 0; i < 3; i++)
        if (i != thin && (floor(a->mins.e[i] / size) > ceil(b->maxs.e[i] / size) ||
                          floor(b->mins.e[i] / size) > ceil(a->maxs.e[i] / size)))
            return false;
    return true;
}

/* The number of luxels saved by one rectangle for both parts; below 0: it needs more, or they
 * cannot be merged. */
static double gain_of(const struct meta_growth *growth, const struct part_extent *a,
                      const struct part_extent *b, int thin)
{
    struct bounds both = a->bounds;
    bounds_add(&both, &b->bounds);
    if (!have_room(growth, &a->part, &b->part) ||
        share_luxels(&a->bounds, &b->bounds, thin, growth->sample_size))
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

/* Merges parts from `begin` on, as growth allows, though they are disconnected. */
static void meta_gather(const struct meta_growth *growth, struct meta_part **parts, size_t begin)
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

/* --- meta grow --- */

/* Corners at one position with values this close are one vertex. */
#define SAME_NORMAL  1e-3
#define SAME_TEXTURE 1e-4

/* A triangle that touches a part and could be next. */
struct candidate {
    int missing; /* vertices that it would add */
    double distance;
    int triangle;
};

struct grower {
    const struct draw_surface *surfaces;
    const struct meta_triangle *triangles;
    int count;
    const struct meta_growth *growth;
    struct draw_vertex *vertices; /* stb_ds array: of the class, without duplicates */
    int *positions;               /* stb_ds array, one per vertex: position number */
    int *corners;                 /* [triangle * 3 + corner]: vertex */
    int *touching, *first;        /* triangles by position: touching[first[p]] to [first[p + 1]] */
    int position_count;
    bool *used; /* triangles */
    int *part;  /* one per vertex: the last part that has it, -1 */
    int *local; /* one per vertex: its number there */
    struct candidate *heap;
};

struct corner {
    float p[3];
    int number; /* triangle * 3 + corner */
};

static int compare_corners(const void *a, const void *b)
{
    const struct corner *one = a, *two = b;
    for (int i = 0; i < 3; i++)
        if (one->p[i] < two->p[i] || one->p[i] > two->p[i])
            return one->p[i] < two->p[i] ? -1 : 1;
    return one->number < two->number ? -1 : one->number > two->number;
}

static const struct draw_vertex *vertex_at(const struct grower *grower, int number)
{
    const struct meta_triangle *triangle = &grower->triangles[number / 3];
    return &grower->surfaces[triangle->surface].vertices[triangle->corners[number % 3]];
}

static bool same_attributes(const struct draw_vertex *a, const struct draw_vertex *b)
{
    for (int k = 0; k < 2; k++)
        if (!(fabs(a->texture[k] - b->texture[k]) <= SAME_TEXTURE))
            return false;
    return vec3_distance(a->normal, b->normal) <= SAME_NORMAL &&
           !memcmp(a->colour, b->colour, sizeof a->colour);
}

/* Merges corners at one position into vertices. */
static void merge_vertices(struct grower *grower, const struct corner *corners, size_t count)
{
    size_t begin = arrlenu(grower->vertices);
    for (size_t i = 0; i < count; i++) {
        const struct draw_vertex *vertex = vertex_at(grower, corners[i].number);
        size_t at = begin;
        while (at < arrlenu(grower->vertices) && !same_attributes(&grower->vertices[at], vertex))
            at++;
        if (at == arrlenu(grower->vertices)) {
            arrput(grower->vertices, *vertex);
            arrput(grower->positions, grower->position_count);
        }
        grower->corners[corners[i].number] = (int)at;
    }
    grower->position_count++;
}

static void find_vertices(struct grower *grower)
{
    size_t count = 3 * (size_t)grower->count;
    struct corner *corners = memory_alloc(count * sizeof *corners);
    for (size_t i = 0; i < count; i++) {
        const struct draw_vertex *vertex = vertex_at(grower, (int)i);
        corners[i].number = (int)i;
        for (int k = 0; k < 3; k++)
            corners[i].p[k] = (float)vertex->p.e[k];
    }
    qsort(corners, count, sizeof *corners, compare_corners);
    grower->corners = memory_alloc(count * sizeof *grower->corners);
    for (size_t begin = 0, end; begin < count; begin = end) {
        const float *p = corners[begin].p;
        for (end = begin + 1; end < count; end++) {
            const float *q = corners[end].p;
            if (q[0] < p[0] || q[0] > p[0] || q[1] < p[1] || q[1] > p[1] || q[2] < p[2] ||
                q[2] > p[2])
                break;
        }
        merge_vertices(grower, corners + begin, end - begin);
    }
    memory_free(corners);
}

static int position_of(const struct grower *grower, int number)
{
    return grower->positions[grower->corners[number]];
}

static void find_touching(struct grower *grower)
{
    size_t corners = 3 * (size_t)grower->count;
    grower->first = memory_zalloc((size_t)grower->position_count + 1, sizeof *grower->first);
    grower->touching = memory_alloc(corners * sizeof *grower->touching);
    for (size_t i = 0; i < corners; i++)
        grower->first[position_of(grower, (int)i)]++;
    for (int i = 0, sum = 0; i <= grower->position_count; i++) {
        sum += grower->first[i];
        grower->first[i] = sum;
    }
    for (size_t i = corners; i-- > 0;)
        grower->touching[--grower->first[position_of(grower, (int)i)]] = (int)(i / 3);
}

static bool goes_before(const struct candidate *a, const struct candidate *b)
{
    if (a->missing != b->missing)
        return a->missing < b->missing;
    if (a->distance < b->distance || a->distance > b->distance)
        return a->distance < b->distance;
    return a->triangle < b->triangle;
}

static void heap_push(struct grower *grower, struct candidate candidate)
{
    size_t at = arrlenu(grower->heap);
    arrput(grower->heap, candidate);
    while (at > 0 && goes_before(&candidate, &grower->heap[(at - 1) / 2])) {
        grower->heap[at] = grower->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    grower->heap[at] = candidate;
}

static struct candidate heap_pop(struct grower *grower)
{
    struct candidate top = grower->heap[0], last = arrpop(grower->heap);
    size_t count = arrlenu(grower->heap), at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && goes_before(&grower->heap[child + 1], &grower->heap[child]))
            child++;
        if (!goes_before(&grower->heap[child], &last))
            break;
        grower->heap[at] = grower->heap[child];
    }
    if (count)
        grower->heap[at] = last;
    return top;
}

/* A growing part. */
struct growing_part {
    struct meta_part part;
    int number;
    struct bounds bounds;
    struct vec3 center; /* of the first triangle */
};

static int missing_of(const struct grower *grower, const struct growing_part *growing, int triangle)
{
    int missing = 0;
    for (int k = 0; k < 3; k++)
        missing += grower->part[grower->corners[3 * triangle + k]] != growing->number;
    return missing;
}

static struct vec3 center_of(const struct grower *grower, int triangle)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++)
        sum = vec3_add(sum, vertex_at(grower, 3 * triangle + k)->p);
    return vec3_scale(sum, 1.0 / 3);
}

/* Adds the candidates that touch a vertex. */
static void push_touching(struct grower *grower, const struct growing_part *growing, int vertex)
{
    int position = grower->positions[vertex];
    for (int i = grower->first[position]; i < grower->first[position + 1]; i++) {
        int triangle = grower->touching[i];
        if (grower->used[triangle])
            continue;
        struct candidate candidate = {missing_of(grower, growing, triangle),
                                      vec3_distance(center_of(grower, triangle), growing->center),
                                      triangle};
        heap_push(grower, candidate);
    }
}

static void add_triangle(struct grower *grower, struct growing_part *growing, int triangle)
{
    struct meta_part *part = &growing->part;
    int new_vertices[3], count = 0;
    grower->used[triangle] = true;
    arrput(part->triangles, &grower->triangles[triangle]);
    for (int k = 0; k < 3; k++) {
        int vertex = grower->corners[3 * triangle + k];
        if (grower->part[vertex] != growing->number) {
            grower->part[vertex] = growing->number;
            grower->local[vertex] = (int)arrlen(part->vertices);
            arrput(part->vertices, grower->vertices[vertex]);
            bounds_add_point(&growing->bounds, grower->vertices[vertex].p);
            new_vertices[count++] = vertex;
        }
        arrput(part->indices, grower->local[vertex]);
    }
    for (int i = 0; i < count; i++)
        push_touching(grower, growing, new_vertices[i]);
}

static bool is_within(const struct bounds *bounds, double reach)
{
    for (int i = 0; i < 3; i++)
        if (bounds->maxs.e[i] - bounds->mins.e[i] > reach)
            return false;
    return true;
}

static bool has_room(const struct grower *grower, const struct growing_part *growing, int triangle)
{
    const struct meta_part *part = &growing->part;
    struct bounds bounds = growing->bounds;
    for (int k = 0; k < 3; k++)
        bounds_add_point(&bounds, vertex_at(grower, 3 * triangle + k)->p);
    return (int)arrlen(part->vertices) + missing_of(grower, growing, triangle) <=
               grower->growth->vertices &&
           (int)arrlen(part->indices) + 3 <= grower->growth->indices &&
           is_within(&bounds, grower->growth->reach);
}

static struct meta_part grow_part(struct grower *grower, int seed, int number)
{
    struct growing_part growing = {
        .number = number, .bounds = bounds_empty(), .center = center_of(grower, seed)};
    growing.part.order = grower->triangles[seed].order;
    add_triangle(grower, &growing, seed);
    while (arrlenu(grower->heap)) {
        struct candidate next = heap_pop(grower);
        if (!grower->used[next.triangle] && has_room(grower, &growing, next.triangle))
            add_triangle(grower, &growing, next.triangle);
    }
    return growing.part;
}

void meta_grow(const struct draw_surface *surfaces, const struct meta_triangle *triangles,
               size_t count, const struct meta_growth *growth, struct meta_part **parts)
{
    struct grower grower = {
        .surfaces = surfaces, .triangles = triangles, .count = (int)count, .growth = growth};
    size_t begin = arrlenu(*parts);
    find_vertices(&grower);
    find_touching(&grower);
    size_t vertices = arrlenu(grower.vertices);
    grower.used = memory_zalloc(count, sizeof *grower.used);
    grower.part = memory_alloc(vertices * sizeof *grower.part);
    grower.local = memory_alloc(vertices * sizeof *grower.local);
    for (size_t i = 0; i < vertices; i++)
        grower.part[i] = -1;
    for (int i = 0, number = 0; i < grower.count; i++)
        if (!grower.used[i])
            arrput(*parts, grow_part(&grower, i, number++));
    if (arrlenu(*parts) > begin + 1 && !growth->connected)
        meta_gather(growth, parts, begin);
    arrfree(grower.vertices);
    arrfree(grower.positions);
    arrfree(grower.heap);
    memory_free(grower.corners);
    memory_free(grower.touching);
    memory_free(grower.first);
    memory_free(grower.used);
    memory_free(grower.part);
    memory_free(grower.local);
}
