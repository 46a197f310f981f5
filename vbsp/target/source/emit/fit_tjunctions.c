/* Leaves out points of T-junctions when the finished map has more surfedges, edges, normals or
 * primitives than its branch takes: the least visible ones. Games and editors show the gaps, but
 * they show the map, which would not be written otherwise. */
#include <stdlib.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/diag/codes/level_changes.def"
#include "common/geom/epsilon.h"
#include "vbsp/faces/outline.h"
#include "vbsp/target/source/emit/emitter.h"
#include "vbsp/target/source/faces/tjunction.h"

enum { NEW_EDGE = INT32_MIN };

/* A fan cannot start at a corner that bends less than this. */
#define STRAIGHT 0.01

/* Gaps of one round: up to so many times as visible as the least visible one. */
#define ROUND_RANGE 1.5

/* A point is on an edge when the face without it has lost at most this part of its area. */
#define AREA_LOST 0.02

struct outline {
    int *vertices;  /* stb_ds array */
    int *surfedges; /* stb_ds array: number i goes from vertex i to the next, or NEW_EDGE */
    bool is_changed;
};

struct fit {
    struct bsp *bsp;
    struct outline *outlines; /* one per face; empty for the bases of displacements */
    int *uses;                /* one per edge: surfedges that use it */
    struct tjunction_limits used;
    struct tjunction_loss *loss;
};

static struct vec3 point_of(const struct fit *fit, const struct outline *outline, ptrdiff_t i)
{
    return bsp_vertex_at(fit->bsp, outline->vertices[i % arrlen(outline->vertices)]);
}

static void count_uses(struct fit *fit, const struct bsp_face *face)
{
    for (int i = 0; i < face->edge_count; i++)
        fit->uses[abs(fit->bsp->surfedges[face->first_edge + i])]++;
}

static void open_outline(struct fit *fit, int number)
{
    const struct bsp_face *face = &fit->bsp->faces[number];
    struct outline *outline = &fit->outlines[number];
    for (int i = 0; i < face->edge_count && face->dispinfo < 0; i++) {
        arrput(outline->vertices, bsp_face_vertex(fit->bsp, face, i));
        arrput(outline->surfedges, fit->bsp->surfedges[face->first_edge + i]);
    }
}

static struct tjunction_limits tjunctions_used(const struct bsp *bsp)
{
    struct tjunction_limits used = {.surfedges = arrlen(bsp->surfedges),
                                    .edges = arrlen(bsp->edges),
                                    .primitives = arrlen(bsp->primitives),
                                    .primitive_indices = arrlen(bsp->primitive_indices)};
    for (ptrdiff_t i = 0; i < arrlen(bsp->faces); i++)
        used.normals += bsp->faces[i].edge_count;
    return used;
}

static void fit_begin(struct fit *fit)
{
    const struct bsp *bsp = fit->bsp;
    fit->used = tjunctions_used(bsp);
    fit->outlines = memory_zalloc(arrlenu(bsp->faces) + 1, sizeof *fit->outlines);
    fit->uses = memory_zalloc(arrlenu(bsp->edges) + 1, sizeof *fit->uses);
    for (int i = 0; i < (int)arrlen(bsp->faces); i++) {
        count_uses(fit, &bsp->faces[i]);
        open_outline(fit, i);
    }
    for (ptrdiff_t i = 0; i < arrlen(bsp->original_faces); i++)
        count_uses(fit, &bsp->original_faces[i]);
}

static void fit_end(struct fit *fit)
{
    for (size_t i = 0; i < arrlenu(fit->bsp->faces); i++) {
        arrfree(fit->outlines[i].vertices);
        arrfree(fit->outlines[i].surfedges);
    }
    memory_free(fit->outlines);
    memory_free(fit->uses);
}

/* --- which point --- */

struct choice {
    double seen;
    int face;
    ptrdiff_t place; /* in its outline; -1: none */
};

static bool is_on_edge(const struct fit *fit, int face, const struct gap *gap)
{
    double lost = gap->off * gap->length / 2;
    return gap->off <= EPSILON_TJUNCTION && lost <= AREA_LOST * (double)fit->bsp->faces[face].area;
}

/* True when no other face has the edge. */
static bool is_alone(const struct fit *fit, int surfedge)
{
    return surfedge == NEW_EDGE || fit->uses[abs(surfedge)] == 1;
}

/* The least visible point of a face that may be left out; `freeing`: with which an edge goes. */
static struct choice choose(const struct fit *fit, int face, bool freeing)
{
    const struct outline *outline = &fit->outlines[face];
    struct choice best = {.face = face, .place = -1};
    ptrdiff_t count = arrlen(outline->vertices);
    for (ptrdiff_t i = 0; i < count && count > 3; i++) {
        const int *surfedges = outline->surfedges;
        if (freeing &&
            !(is_alone(fit, surfedges[i]) && is_alone(fit, surfedges[(i + count - 1) % count])))
            continue;
        struct gap gap = gap_without(point_of(fit, outline, i + count - 1),
                                     point_of(fit, outline, i), point_of(fit, outline, i + 1));
        if (is_on_edge(fit, face, &gap) && (best.place < 0 || gap.seen < best.seen)) {
            best.seen = gap.seen;
            best.place = i;
        }
    }
    return best;
}

static int compare_choices(const void *a, const void *b)
{
    const struct choice *p = a, *q = b;
    if (p->seen < q->seen || p->seen > q->seen)
        return p->seen < q->seen ? -1 : 1;
    return p->face < q->face ? -1 : p->face > q->face;
}

/* --- leaving it out --- */

static void release(struct fit *fit, int surfedge)
{
    if (surfedge == NEW_EDGE || --fit->uses[abs(surfedge)] == 0)
        fit->used.edges--;
}

static void leave_out(struct fit *fit, const struct choice *choice)
{
    struct outline *outline = &fit->outlines[choice->face];
    ptrdiff_t at = choice->place, count = arrlen(outline->vertices);
    ptrdiff_t before = (at + count - 1) % count;
    tjunction_lose(fit->loss, point_of(fit, outline, before), point_of(fit, outline, at),
                   point_of(fit, outline, at + 1));
    release(fit, outline->surfedges[before]);
    release(fit, outline->surfedges[at]);
    outline->surfedges[before] = NEW_EDGE;
    arrdel(outline->surfedges, at);
    arrdel(outline->vertices, at);
    outline->is_changed = true;
    fit->used.edges++;
    fit->used.surfedges--;
    fit->used.normals--;
}

/* Leaves out up to `need` points, at most one per face, since the next one's gap may be longer
 * then. Returns false when there are none. */
static bool thin_round(struct fit *fit, bool freeing, int64_t need)
{
    struct choice *choices = NULL;
    for (int i = 0; i < (int)arrlen(fit->bsp->faces); i++) {
        struct choice choice = choose(fit, i, freeing);
        if (choice.place >= 0)
            arrput(choices, choice);
    }
    if (choices)
        qsort(choices, arrlenu(choices), sizeof *choices, compare_choices);
    for (ptrdiff_t i = 0; i < arrlen(choices) && i < need; i++)
        if (choices[i].seen <= ROUND_RANGE * choices[0].seen)
            leave_out(fit, &choices[i]);
    bool any = arrlen(choices) > 0;
    arrfree(choices);
    return any;
}

/* The sum over the points of a face with a primitive. */
static struct choice rate_primitive(const struct fit *fit, int face)
{
    const struct outline *outline = &fit->outlines[face];
    struct choice sum = {.face = face};
    ptrdiff_t count = arrlen(outline->vertices);
    for (ptrdiff_t i = 0; i < count; i++) {
        struct gap gap = gap_without(point_of(fit, outline, i + count - 1),
                                     point_of(fit, outline, i), point_of(fit, outline, i + 1));
        if (is_on_edge(fit, face, &gap))
            sum.seen += gap.seen;
    }
    return sum;
}

/* A face without points on its edges needs no primitive. */
static void drop_primitive(struct fit *fit, int face)
{
    const struct bsp_face *record = &fit->bsp->faces[face];
    for (;;) {
        struct choice choice = choose(fit, face, false);
        if (choice.place < 0)
            break;
        leave_out(fit, &choice);
    }
    fit->used.primitives--;
    fit->used.primitive_indices -= fit->bsp->primitives[record->first_primitive].index_count;
}

static void fit_primitives(struct fit *fit, const struct tjunction_limits *max)
{
    struct choice *choices = NULL;
    for (int i = 0; i < (int)arrlen(fit->bsp->faces); i++)
        if (fit->bsp->faces[i].primitive_count && arrlen(fit->outlines[i].vertices))
            arrput(choices, rate_primitive(fit, i));
    if (choices)
        qsort(choices, arrlenu(choices), sizeof *choices, compare_choices);
    for (ptrdiff_t i = 0; i < arrlen(choices); i++)
        if (fit->used.primitives > max->primitives ||
            fit->used.primitive_indices > max->primitive_indices)
            drop_primitive(fit, choices[i].face);
    arrfree(choices);
}

/* --- the records --- */

static void rotate(int *list, int first)
{
    int *turned = NULL;
    for (ptrdiff_t i = 0; i < arrlen(list); i++)
        arrput(turned, list[(first + i) % arrlen(list)]);
    for (ptrdiff_t i = 0; i < arrlen(list); i++)
        list[i] = turned[i];
    arrfree(turned);
}

static int start_of(const struct fit *fit, const struct outline *outline)
{
    bool *bends = NULL;
    ptrdiff_t count = arrlen(outline->vertices);
    for (ptrdiff_t i = 0; i < count; i++)
        arrput(bends, gap_without(point_of(fit, outline, i + count - 1), point_of(fit, outline, i),
                                  point_of(fit, outline, i + 1))
                              .off > STRAIGHT);
    int start = fan_start(bends, (int)count);
    arrfree(bends);
    return start;
}

static struct bsp_primitive triangles_of(const struct fit *fit, const struct outline *outline,
                                         int **indices)
{
    struct bsp_primitive primitive = {.first_index = (int32_t)arrlen(*indices)};
    struct vec3 *points = NULL;
    for (ptrdiff_t i = 0; i < arrlen(outline->vertices); i++)
        arrput(points, point_of(fit, outline, i));
    primitive.index_count = 3 * triangulate_outline(points, (int)arrlen(points), indices);
    arrfree(points);
    return primitive;
}

/* Starts changed outlines where a fan draws them, or makes their triangles again. */
static void write_primitives(struct fit *fit)
{
    struct bsp *bsp = fit->bsp;
    struct bsp_primitive *primitives = NULL;
    int *indices = NULL;
    for (ptrdiff_t i = 0; i < arrlen(bsp->faces); i++) {
        struct bsp_face *face = &bsp->faces[i];
        struct outline *outline = &fit->outlines[i];
        int start = outline->is_changed ? start_of(fit, outline) : -1;
        if (start >= 0) {
            rotate(outline->vertices, start);
            rotate(outline->surfedges, start);
            face->primitive_count = 0;
        }
        if (!face->primitive_count) {
            face->first_primitive = 0;
            continue;
        }
        struct bsp_primitive primitive = bsp->primitives[face->first_primitive];
        const int *old = bsp->primitive_indices + primitive.first_index;
        if (outline->is_changed)
            primitive = triangles_of(fit, outline, &indices);
        else
            primitive.first_index = (int32_t)arrlen(indices);
        for (int k = 0; k < primitive.index_count && !outline->is_changed; k++)
            arrput(indices, old[k]);
        face->first_primitive = (int32_t)arrlen(primitives);
        arrput(primitives, primitive);
    }
    arrfree(bsp->primitives);
    arrfree(bsp->primitive_indices);
    bsp->primitives = primitives;
    bsp->primitive_indices = indices;
}

/* The new number of each edge that is in use. The edges are moved. */
static int *renumber_edges(const struct fit *fit)
{
    struct bsp *bsp = fit->bsp;
    int *numbers = memory_zalloc(arrlenu(bsp->edges) + 1, sizeof *numbers);
    int kept = 1; /* edge 0 is reserved */
    for (int i = 1; i < (int)arrlen(bsp->edges); i++) {
        if (!fit->uses[i])
            continue;
        bsp->edges[kept] = bsp->edges[i];
        numbers[i] = kept++;
    }
    arrsetlen(bsp->edges, (size_t)kept);
    return numbers;
}

static int new_edge(struct bsp *bsp, int from, int to)
{
    struct bsp_edge edge = {{from, to}};
    arrput(bsp->edges, edge);
    return (int)arrlen(bsp->edges) - 1;
}

/* Writes the outline of a face, which has the records from the old lists if there is none. */
static void write_outline(struct bsp *bsp, const int *numbers, const int *old_surfedges,
                          const struct outline *outline, struct bsp_face *face, int **surfedges)
{
    const bool is_open = outline && arrlen(outline->vertices);
    const int *from = is_open ? outline->surfedges : old_surfedges + face->first_edge;
    int count = is_open ? (int)arrlen(outline->vertices) : face->edge_count;
    face->first_edge = (int32_t)arrlen(*surfedges);
    face->edge_count = count;
    for (int i = 0; i < count; i++) {
        int number = from[i] == NEW_EDGE
                         ? new_edge(bsp, outline->vertices[i], outline->vertices[(i + 1) % count])
                     : from[i] < 0 ? -numbers[-from[i]]
                                   : numbers[from[i]];
        arrput(*surfedges, number);
    }
}

/* In the order of before, in which an original face and the faces made of it alternate. */
static void write_outlines(struct fit *fit)
{
    struct bsp *bsp = fit->bsp;
    int *numbers = renumber_edges(fit), *surfedges = NULL;
    ptrdiff_t face = 0, original = 0;
    while (face < arrlen(bsp->faces) || original < arrlen(bsp->original_faces)) {
        bool is_original = original < arrlen(bsp->original_faces) &&
                           (face == arrlen(bsp->faces) ||
                            bsp->original_faces[original].first_edge < bsp->faces[face].first_edge);
        struct bsp_face *record = is_original ? &bsp->original_faces[original] : &bsp->faces[face];
        write_outline(bsp, numbers, bsp->surfedges, is_original ? NULL : &fit->outlines[face],
                      record, &surfedges);
        original += is_original;
        face += !is_original;
    }
    arrfree(bsp->surfedges);
    bsp->surfedges = surfedges;
    memory_free(numbers);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool fits(const struct tjunction_limits *used, const struct tjunction_limits *max)
{
    return used->surfedges <= max->surfedges && used->edges <= max->edges &&
           used->normals <= max->normals && used->primitives <= max->primitives &&
           used->primitive_indices <= max->primitive_indices;
}

/* Leaves out points of T-junctions, the least visible first, until the faces of the bsp fit or no
 * face has such a point; adds them to *loss. Vertices stay. */
static void tjunctions_thin(struct bsp *bsp, const struct tjunction_limits *max,
                            struct tjunction_loss *loss)
{
    struct fit fit = {.bsp = bsp, .loss = loss};
    struct tjunction_limits used = tjunctions_used(bsp);
    int64_t need = 0;
    if (fits(&used, max))
        return;
    fit_begin(&fit);
    fit_primitives(&fit, max);
    do
        need = larger(fit.used.surfedges - max->surfedges, fit.used.normals - max->normals);
    while (need > 0 && thin_round(&fit, false, need));
    do
        need = fit.used.edges - max->edges;
    while (need > 0 && thin_round(&fit, true, need));
    write_primitives(&fit);
    write_outlines(&fit);
    fit_end(&fit);
}

void tjunctions_fit(struct compile *compile)
{
    const struct bsp_format *format = compile->options->format;
    struct tjunction_loss *loss = &source_state(compile)->tjunction_loss;
    const struct tjunction_limits max = {
        .surfedges = bsp_limit_accepted(format, "surfedges"),
        .edges = bsp_limit_accepted(format, "edges"),
        .normals = bsp_limit_accepted(format, "vertex normal indices"),
        .primitives = bsp_limit_accepted(format, "primitives"),
        .primitive_indices = bsp_limit_accepted(format, "primitive indices"),
    };
    if (!compile->options->no_tjunc)
        tjunctions_thin(compile->bsp, &max, loss);
    if (!loss->points)
        return;
    struct diag_where where = {.file = compile->level->file, .has_point = true};
    where.point[0] = loss->at.x, where.point[1] = loss->at.y, where.point[2] = loss->at.z;
    diag_report(compile->env->diag, DIAG_TJUNCTIONS_LEFT_OUT, &where,
                "%lld points are left out to stay within the limits of %s; the most visible gap is "
                "%.4g units long",
                (long long)loss->points, format->target, loss->length);
}
