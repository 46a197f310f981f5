#include "vbsp/target/quake3/meta/meta_grow.h"

#include <stdlib.h>

#include "common/core/array.h"

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
