/* Compares displacements: those of a face that start in the same corner. */
#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diff/diff_internal.h"

static int vertex_count(const struct bsp_displacement *disp)
{
    return ((1 << disp->power) + 1) * ((1 << disp->power) + 1);
}

static int triangle_count(const struct bsp_displacement *disp)
{
    return 2 << (2 * disp->power);
}

/* The records are not checked when a file is read. */
static bool lists_hold(const struct bsp *bsp, const struct bsp_displacement *disp)
{
    if (disp->power < 0 || disp->power > 8 || disp->first_vertex < 0 || disp->first_triangle < 0)
        return false;
    return (int64_t)disp->first_vertex + vertex_count(disp) <= arrlen(bsp->disp_vertices) &&
           (int64_t)disp->first_triangle + triangle_count(disp) <= arrlen(bsp->disp_triangles);
}

static double disp_cost(const void *context, int a, int b)
{
    const struct comparison *c = context;
    const struct bsp_displacement *p = &c->bsp[0]->displacements[a];
    const struct bsp_displacement *q = &c->bsp[1]->displacements[b];
    const int32_t *faces = c->faces.to[0];
    bool same = p->face >= 0 && p->face < arrlen(faces) && faces[p->face] == q->face;
    return same ? 0 : 1; /* of two that start in the same corner, prefer that of the same face */
}

void diff_need_displacements(struct comparison *c)
{
    struct diff_point *points[2] = {NULL, NULL};
    if (c->done & DIFF_DONE_DISPLACEMENTS)
        return;
    c->done |= DIFF_DONE_DISPLACEMENTS;
    diff_need_faces(c);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < arrlenu(c->bsp[side]->displacements); i++) {
            const struct bsp_displacement *disp = &c->bsp[side]->displacements[i];
            arrput(points[side],
                   ((struct diff_point){vec3_from_floats(disp->start), (uint64_t)disp->power}));
        }
    diff_match_init(&c->displacements, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_points(points[0], points[1], c->options->distance, disp_cost, c, &c->displacements);
    arrfree(points[0]);
    arrfree(points[1]);
}

enum disp_field {
    DISP_SHAPE,
    DISP_ALPHA,
    DISP_TAGS,
    DISP_CONTENTS,
    DISP_NEIGHBOURS,
    DISP_ALLOWED,
    DISP_SAMPLES,
    DISP_FIELDS
};

static const char *const field_names[DISP_FIELDS] = {
    [DISP_SHAPE] = "shape",           [DISP_ALPHA] = "alpha",
    [DISP_TAGS] = "triangle_tags",    [DISP_CONTENTS] = "contents",
    [DISP_NEIGHBOURS] = "neighbours", [DISP_ALLOWED] = "allowed_vertices",
    [DISP_SAMPLES] = "light_samples",
};

struct disp_pair {
    const struct bsp_displacement *disp[2];
    const struct bsp_disp_vertex *vertices[2]; /* NULL: out of range */
    double moved;                              /* units, maximum over the vertices */
};

static void measure(struct disp_pair *pair)
{
    int count = pair->vertices[0] && pair->vertices[1] ? vertex_count(pair->disp[0]) : 0;
    for (int i = 0; i < count; i++) {
        const struct bsp_disp_vertex *p = &pair->vertices[0][i], *q = &pair->vertices[1][i];
        struct vec3 a = vec3_scale(vec3_from_floats(p->vector), (double)p->distance);
        struct vec3 b = vec3_scale(vec3_from_floats(q->vector), (double)q->distance);
        pair->moved = portable_fmax(pair->moved, vec3_distance(a, b));
    }
}

static bool same_alpha(const struct disp_pair *pair)
{
    for (int i = 0; i < vertex_count(pair->disp[0]); i++)
        if (!diff_alike((double)pair->vertices[0][i].alpha, (double)pair->vertices[1][i].alpha))
            return false;
    return true;
}

static bool same_number(const struct comparison *c, int a, int b)
{
    const int32_t *to = c->displacements.to[0];
    return a >= 0 && a < arrlen(to) ? to[a] == b : a == b;
}

static bool same_neighbours(const struct comparison *c, const struct disp_pair *pair)
{
    const struct bsp_displacement *p = pair->disp[0], *q = pair->disp[1];
    for (int i = 0; i < DISP_EDGES * 2; i++) {
        const struct bsp_disp_neighbour *x = &p->edges[i / 2][i % 2], *y = &q->edges[i / 2][i % 2];
        if (!same_number(c, x->displacement, y->displacement) || x->span != y->span ||
            x->orientation != y->orientation || x->neighbour_span != y->neighbour_span)
            return false;
    }
    for (int i = 0; i < DISP_CORNERS; i++) {
        uint64_t sum[2] = {0, 0}; /* their order has no meaning */
        if (p->corners[i].count != q->corners[i].count)
            return false;
        for (int k = 0; k < p->corners[i].count && k < 4; k++) {
            int number = p->corners[i].displacements[k];
            bool known = number >= 0 && number < arrlen(c->displacements.to[0]);
            sum[0] += (uint64_t)(known ? c->displacements.to[0][number] : number);
            sum[1] += (uint64_t)q->corners[i].displacements[k];
        }
        if (sum[0] != sum[1])
            return false;
    }
    return true;
}

static bool same_tags(const struct comparison *c, const struct disp_pair *pair)
{
    return memcmp(c->bsp[0]->disp_triangles + pair->disp[0]->first_triangle,
                  c->bsp[1]->disp_triangles + pair->disp[1]->first_triangle,
                  (size_t)triangle_count(pair->disp[0]) * sizeof(int32_t)) == 0;
}

static int by_number(const void *a, const void *b)
{
    const int64_t *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

/* Returns the offsets of the sample positions of all displacements, sorted, and the end of the
 * list. */
static int64_t *sample_starts(struct comparison *c, int side)
{
    const struct bsp *bsp = c->bsp[side];
    size_t count = arrlenu(bsp->displacements);
    int64_t *starts = ARENA_ARRAY(&c->scratch, int64_t, count + 1);
    for (size_t i = 0; i < count; i++)
        starts[i] = bsp->displacements[i].lightmap_sample;
    starts[count] = (int64_t)bsp->disp_lightmap_samples.size;
    qsort(starts, count + 1, sizeof *starts, by_number);
    return starts;
}

/* Returns the bytes from a displacement's samples up to the next ones. */
static struct byte_reader samples_of(const struct bsp *bsp, const struct bsp_displacement *disp,
                                     const int64_t *starts)
{
    size_t low = 0, high = arrlenu(bsp->displacements);
    int64_t from = disp->lightmap_sample, size = (int64_t)bsp->disp_lightmap_samples.size;
    if (from < 0 || from >= size)
        return byte_reader(NULL, 0);
    while (low < high) { /* the first start after it */
        size_t middle = (low + high) / 2;
        if (starts[middle] <= from)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t to = starts[low] < size ? starts[low] : size;
    if (to <= from)
        to = size;
    return byte_reader(bsp->disp_lightmap_samples.data + from, (size_t)(to - from));
}

static bool same_samples(const struct comparison *c, const struct disp_pair *pair,
                         const int64_t *const starts[2])
{
    struct byte_reader a = samples_of(c->bsp[0], pair->disp[0], starts[0]);
    struct byte_reader b = samples_of(c->bsp[1], pair->disp[1], starts[1]);
    /* The last one may be followed by padding. */
    size_t min = a.size < b.size ? a.size : b.size;
    size_t gap = a.size < b.size ? b.size - a.size : a.size - b.size;
    return gap < 4 && (!min || memcmp(a.data, b.data, min) == 0);
}

static bool same_field(const struct comparison *c, enum disp_field field,
                       const struct disp_pair *pair, const int64_t *const starts[2])
{
    const struct bsp_displacement *p = pair->disp[0], *q = pair->disp[1];
    bool lists = pair->vertices[0] && pair->vertices[1];
    switch (field) {
    case DISP_SHAPE:
        return pair->moved <= c->options->distance && !pair->vertices[0] == !pair->vertices[1];
    case DISP_ALPHA:
        return !lists || same_alpha(pair);
    case DISP_TAGS:
        return !lists || same_tags(c, pair);
    case DISP_CONTENTS:
        return p->contents == q->contents && p->min_tesselation == q->min_tesselation &&
               diff_alike((double)p->smoothing_angle, (double)q->smoothing_angle);
    case DISP_NEIGHBOURS:
        return same_neighbours(c, pair);
    case DISP_ALLOWED:
        return memcmp(p->allowed, q->allowed, sizeof p->allowed) == 0;
    default:
        return same_samples(c, pair, starts);
    }
}

static const char *describe(struct comparison *c, int side, int index)
{
    const struct bsp_displacement *disp = &c->bsp[side]->displacements[index];
    return arena_printf(&c->scratch, "displacement %d from %s, power %d, face %d", index,
                        diff_point_text(c, vec3_from_floats(disp->start)), disp->power, disp->face);
}

static struct disp_pair pair_of(const struct comparison *c, int a, int b)
{
    struct disp_pair pair = {0};
    int numbers[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        const struct bsp *bsp = c->bsp[side];
        pair.disp[side] = &bsp->displacements[numbers[side]];
        if (lists_hold(bsp, pair.disp[side]))
            pair.vertices[side] = bsp->disp_vertices + pair.disp[side]->first_vertex;
    }
    measure(&pair);
    return pair;
}

void diff_displacements(struct comparison *c)
{
    size_t counts[DISP_FIELDS] = {0}, changed = 0;
    double moved = 0;
    const int64_t *starts[2] = {sample_starts(c, 0), sample_starts(c, 1)};
    diff_need_displacements(c);
    const struct diff_match *match = &c->displacements;
    diff_count(c, arrlenu(match->to[0]), arrlenu(match->to[1]));
    for (int i = 0; i < arrlen(match->to[0]); i++) {
        bool same = true;
        if (match->to[0][i] < 0)
            continue;
        struct disp_pair pair = pair_of(c, i, match->to[0][i]);
        moved = portable_fmax(moved, pair.moved);
        for (int field = 0; field < DISP_FIELDS; field++) {
            if (same_field(c, (enum disp_field)field, &pair, starts))
                continue;
            same = false;
            counts[field]++;
            DIFF_EXAMPLE(c, "%s: %s differs, vertices moved by up to %.4g", describe(c, 0, i),
                         field_names[field], pair.moved);
        }
        changed += !same;
    }
    diff_differ(c, "changed", changed);
    for (int field = 0; field < DISP_FIELDS; field++)
        diff_figure(c, field_names[field], (double)counts[field]);
    if (changed)
        diff_figure(c, "max_moved", moved);
    diff_unmatched(c, match, describe);
}
