#include "vbsp/target/source/faces/tjunction.h"

#include <stdlib.h>
#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/epsilon.h"
#include "common/parallel/parallel.h"
#include "vbsp/faces/outline.h"
#include "vbsp/target/source/entities/state.h"
#include "vbsp/target/source/faces/face.h"

void tjunction_lose(struct tjunction_loss *loss, struct vec3 before, struct vec3 at,
                    struct vec3 after)
{
    struct gap gap = gap_without(before, at, after);
    if (!loss->points++ || gap.seen > loss->seen) {
        loss->seen = gap.seen;
        loss->length = gap.length;
        loss->at = at;
    }
}

static struct vec3 place_of(const struct vertex_pool *pool, const int *points, ptrdiff_t i)
{
    return vertex_pool_at(pool, outline_vertex(points[i % arrlen(points)]));
}

/* The added point whose gap is the least visible, or -1. */
static ptrdiff_t least_visible(const struct vertex_pool *pool, const int *points)
{
    ptrdiff_t count = arrlen(points), best = -1;
    double min = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        if (points[i] >= 0)
            continue;
        double seen = gap_without(place_of(pool, points, i + count - 1), place_of(pool, points, i),
                                  place_of(pool, points, i + 1))
                          .seen;
        if (best < 0 || seen < min) {
            min = seen;
            best = i;
        }
    }
    return best;
}

/* Leaves out added points of an outline, whose numbers are complements, the least visible first,
 * until it has at most `count` points. `points` is an stb_ds array that only becomes shorter. */
static void outline_thin(const struct vertex_pool *pool, int *points, int count,
                         struct tjunction_loss *loss)
{
    while (arrlen(points) > count) {
        ptrdiff_t at = least_visible(pool, points), all = arrlen(points);
        if (at < 0)
            return;
        tjunction_lose(loss, place_of(pool, points, at + all - 1), place_of(pool, points, at),
                       place_of(pool, points, at + 1));
        arrdel(points, at);
    }
}

/* Fixes T-junctions: welds the vertices of faces and adds them to every edge that another face's
 * corner touches.
 *
 * Where a corner lies on a neighbour's edge, the two are rasterised along slightly different lines,
 * and pixels of the background show through. So the corner is added to the edge. Such points make
 * degenerate triangles when the face is drawn as a fan from the wrong corner: the outline is
 * rotated to start at a good one, or the face gets a list of triangles (primitives). */

/* Maximum edges of a face in the engine. */
enum { MAX_EDGES = 32 };

enum { FACES_AT_ONCE = 256 }; /* per thread: fewer are not worth a parallel loop */

/* A face with less area is a line: the points added to its edges cover it from both sides. */
#define FLAT 1e-3

/* A fan cannot start at a corner that bends less than this. */
#define STRAIGHT 0.01

struct tjunction_job {
    struct compile *compile;
    struct arena *arena;
    struct vertex_pool *pool;
    struct face **faces;           /* stb_ds array: all drawn faces */
    struct vertex_on_edge **found; /* per thread: an stb_ds array, scratch */
    struct outline_loop **loops;   /* per face: an stb_ds array of loops */
    bool *structural; /* stb_ds array, one per vertex: used by a face of the tree; NULL: all are
                         equal (without allow_detail_cracks) */
    bool primitives;
};

static void add_final(void *context, struct face *face)
{
    struct tjunction_job *job = context;
    if (face->on_node || face->in_leaf || face->displacement)
        arrput(job->faces, face);
}

static void add_nodes(struct tjunction_job *job, const struct node *node)
{
    if (node->plane == PLANE_LEAF)
        return;
    face_list_final(node->faces, add_final, job);
    add_nodes(job, node->children[0]);
    add_nodes(job, node->children[1]);
}

/* The outline with all vertices on its edges. */
static int *add_edge_points(const struct tjunction_job *job, struct vertex_on_edge **found,
                            const struct face *face)
{
    int *walk = NULL;
    size_t count = arrlenu(face->vertices);
    /* With allow_detail_cracks a face of the tree gets no corners of detail. */
    const bool *only = face->on_node ? job->structural : NULL;
    for (size_t i = 0; i < count; i++) {
        arrput(walk, face->vertices[i]);
        edge_points(job->pool, face->vertices[i], face->vertices[(i + 1) % count],
                    EPSILON_TJUNCTION, only, found, &walk);
    }
    return walk;
}

static struct face *copy_of(struct tjunction_job *job, const struct face *face)
{
    struct face *copy = face_new(job->arena);
    *copy = *face;
    copy->next = NULL;
    copy->vertices = NULL;
    copy->split[0] = copy->split[1] = NULL;
    return copy;
}

/* Replaces the face by its loops. */
static void split_into_loops(struct tjunction_job *job, struct face *face,
                             const struct outline_loop *loops, int count)
{
    if (count == 1)
        face->vertices = loops->points;
    if (count < 2)
        return;
    for (int i = 0; i < 2; i++)
        face->split[i] = copy_of(job, face);
    split_into_loops(job, face->split[0], loops, 1);
    split_into_loops(job, face->split[1], loops + 1, count - 1);
}

/* Flags the points at which the outline bends. */
static bool *find_bends(const struct vertex_pool *pool, const int *points)
{
    bool *bends = NULL;
    size_t count = arrlenu(points);
    for (size_t i = 0; i < count; i++) {
        struct vec3 before = vertex_pool_at(pool, outline_vertex(points[(i + count - 1) % count]));
        struct vec3 at = vertex_pool_at(pool, outline_vertex(points[i]));
        struct vec3 after = vertex_pool_at(pool, outline_vertex(points[(i + 1) % count]));
        struct vec3 line = vec3_normalize(vec3_sub(after, before));
        struct vec3 off = vec3_sub(at, before);
        off = vec3_mad(off, line, -vec3_dot(off, line));
        arrput(bends, points[i] >= 0 && vec3_length(off) > STRAIGHT);
    }
    return bends;
}

static void rotate_outline(int *vertices, int first)
{
    int count = (int)arrlen(vertices);
    int *turned = NULL;
    for (int i = 0; i < count; i++)
        arrput(turned, vertices[(first + i) % count]);
    memcpy(vertices, turned, sizeof *turned * (size_t)count);
    arrfree(turned);
}

/* Finds a diagonal across the middle of the outline with an area on both sides; returns its first
 * point. */
static int find_halving(const struct vertex_pool *pool, const int *vertices)
{
    int count = (int)arrlen(vertices), best = 0;
    double max = -1;
    for (int i = 0; i < count / 2; i++) {
        double a = outline_area(pool, vertices, i, count / 2 + 1);
        double b = outline_area(pool, vertices, i + count / 2, count - count / 2 + 1);
        if (portable_fmin(a, b) > max) {
            max = portable_fmin(a, b);
            best = i;
        }
    }
    return best;
}

static struct face *half_of(struct tjunction_job *job, const struct face *face, int first,
                            int points)
{
    struct face *half = copy_of(job, face);
    int count = (int)arrlen(face->vertices);
    for (int i = 0; i < points; i++)
        arrput(half->vertices, face->vertices[(first + i) % count]);
    half->vertices[0] = outline_vertex(half->vertices[0]);
    half->vertices[points - 1] = outline_vertex(half->vertices[points - 1]);
    return half;
}

static void finish_outline(struct tjunction_job *job, struct face *face);

static void split_outline(struct tjunction_job *job, struct face *face)
{
    int count = (int)arrlen(face->vertices);
    int first = find_halving(job->pool, face->vertices);
    struct face *halves[2] = {
        half_of(job, face, first, count / 2 + 1),
        half_of(job, face, first + count / 2, count - count / 2 + 1),
    };
    arrfree(face->vertices);
    face->vertices = NULL;
    for (int i = 0; i < 2; i++) {
        face->split[i] = halves[i];
        finish_outline(job, halves[i]);
    }
}

static void make_primitive(struct tjunction_job *job, struct face *face)
{
    struct bsp *bsp = job->compile->bsp;
    struct vec3 points[MAX_EDGES];
    int count = (int)arrlen(face->vertices);
    for (int i = 0; i < count; i++)
        points[i] = vertex_pool_at(job->pool, face->vertices[i]);
    struct bsp_primitive primitive = {.first_index = (int32_t)arrlen(bsp->primitive_indices)};
    primitive.index_count = 3 * triangulate_outline(points, count, &bsp->primitive_indices);
    face->first_primitive = (int)arrlen(bsp->primitives);
    face->primitive_count = 1;
    arrput(bsp->primitives, primitive);
}

static void finish_outline(struct tjunction_job *job, struct face *face)
{
    for (int i = 0; i < 2 && face->split[0]; i++)
        finish_outline(job, face->split[i]);
    if (face->split[0] || arrlenu(face->vertices) < 3)
        return;
    if (outline_area(job->pool, face->vertices, 0, (int)arrlen(face->vertices)) < FLAT) {
        arrsetlen(face->vertices, 0);
        return;
    }
    if (arrlenu(face->vertices) > MAX_EDGES) {
        split_outline(job, face);
        return;
    }
    bool *bends = find_bends(job->pool, face->vertices);
    int start = fan_start(bends, (int)arrlen(bends));
    arrfree(bends);
    for (size_t i = 0; i < arrlenu(face->vertices); i++)
        face->vertices[i] = outline_vertex(face->vertices[i]);
    if (start > 0)
        rotate_outline(face->vertices, start);
    else if (start < 0 && job->primitives)
        make_primitive(job, face);
}

/* Operates on the welded outlines: those of displacements are not there yet. */
static void split_range(void *context, size_t index, int thread)
{
    struct tjunction_job *job = context;
    size_t end = (index + 1) * FACES_AT_ONCE;
    for (size_t i = index * FACES_AT_ONCE; i < end && i < arrlenu(job->faces); i++) {
        if (arrlenu(job->faces[i]->vertices) < 3)
            continue;
        int *walk = add_edge_points(job, &job->found[thread], job->faces[i]);
        job->loops[i] = outline_loops(walk);
        arrfree(walk);
    }
}

static void split_all(struct tjunction_job *job)
{
    int threads = job->compile->env->threads;
    job->found = memory_zalloc((size_t)threads, sizeof *job->found);
    job->loops = memory_zalloc(arrlenu(job->faces), sizeof *job->loops);
    parallel_for(threads, (arrlenu(job->faces) + FACES_AT_ONCE - 1) / FACES_AT_ONCE, split_range,
                 job);
    for (int i = 0; i < threads; i++)
        arrfree(job->found[i]);
    memory_free(job->found);
    for (size_t i = 0; i < arrlenu(job->faces); i++) {
        struct face *face = job->faces[i];
        if (arrlenu(face->vertices) < 3)
            continue;
        arrfree(face->vertices);
        split_into_loops(job, face, job->loops[i], (int)arrlen(job->loops[i]));
        arrfree(job->loops[i]);
    }
    memory_free(job->loops);
}

/* --- more faces than the branch takes --- */

/* A face whose outline has too many points, and how visible it would be to leave some out. */
struct oversize {
    struct face *face;
    double seen;
    int order, parts; /* number of faces that it would be cut into */
};

static int parts_of(int points)
{
    return points <= MAX_EDGES ? 1 : parts_of(points / 2 + 1) + parts_of(points - points / 2 + 1);
}

/* Counts the faces that will be written of one, and lists those with too many points. */
static int64_t count_parts(struct face *face, struct oversize **list)
{
    if (face->split[0])
        return count_parts(face->split[0], list) + count_parts(face->split[1], list);
    int points = (int)arrlen(face->vertices);
    struct oversize item = {.face = face, .order = (int)arrlen(*list), .parts = parts_of(points)};
    if (item.parts > 1)
        arrput(*list, item);
    return points < 3 ? 0 : item.parts;
}

/* The most visible gap that a face would have with as many points as it may. */
static double rate_oversize(const struct tjunction_job *job, const struct face *face)
{
    struct tjunction_loss loss = {0};
    int *copy = NULL;
    for (ptrdiff_t i = 0; i < arrlen(face->vertices); i++)
        arrput(copy, face->vertices[i]);
    outline_thin(job->pool, copy, MAX_EDGES, &loss);
    arrfree(copy);
    return loss.seen;
}

static int compare_oversize(const void *a, const void *b)
{
    const struct oversize *p = a, *q = b;
    if (p->seen < q->seen || p->seen > q->seen)
        return p->seen < q->seen ? -1 : 1;
    return p->order < q->order ? -1 : 1;
}

/* Where cutting faces with too many points would make too many faces, leaves out points. */
static void fit_faces(struct tjunction_job *job)
{
    struct tjunction_loss *loss = &source_state(job->compile)->tjunction_loss;
    struct oversize *list = NULL;
    int64_t max = bsp_limit_accepted(job->compile->options->format, "faces");
    int64_t count = arrlen(job->compile->bsp->faces);
    for (size_t i = 0; i < arrlenu(job->faces); i++)
        count += job->faces[i]->displacement ? 1 : count_parts(job->faces[i], &list);
    for (size_t i = 0; i < arrlenu(list) && count > max; i++)
        list[i].seen = rate_oversize(job, list[i].face);
    if (count > max && list)
        qsort(list, arrlenu(list), sizeof *list, compare_oversize);
    for (size_t i = 0; i < arrlenu(list) && count > max; i++) {
        outline_thin(job->pool, list[i].face->vertices, MAX_EDGES, loss);
        count += parts_of((int)arrlen(list[i].face->vertices)) - list[i].parts;
    }
    arrfree(list);
}

static void weld_outline(struct tjunction_job *job, struct face *face)
{
    face->vertices = vertex_pool_outline(job->pool, face->winding);
}

static void mark_structural(struct tjunction_job *job)
{
    size_t count = arrlenu(*job->pool->vertices);
    arrsetlen(job->structural, count);
    memset(job->structural, 0, count * sizeof *job->structural);
    for (size_t i = 0; i < arrlenu(job->faces); i++)
        for (size_t j = 0; job->faces[i]->on_node && j < arrlenu(job->faces[i]->vertices); j++)
            job->structural[job->faces[i]->vertices[j]] = true;
}

/* The mesh of a displacement meets its neighbours itself: its corners are not added to other edges,
 * and its outline stays a quad. */
static void fix_faces(struct tjunction_job *job)
{
    for (size_t i = 0; i < arrlenu(job->faces); i++)
        if (!job->faces[i]->displacement)
            weld_outline(job, job->faces[i]);
    if (job->compile->options->allow_detail_cracks)
        mark_structural(job);
    if (!job->compile->options->no_tjunc)
        split_all(job);
    fit_faces(job);
    for (size_t i = 0; i < arrlenu(job->faces); i++)
        finish_outline(job, job->faces[i]);
    for (size_t i = 0; i < arrlenu(job->faces); i++)
        if (job->faces[i]->displacement)
            weld_outline(job, job->faces[i]);
}

void faces_fix_tjunctions(struct compile *compile, struct tree *tree, struct face *detail)
{
    struct vertex_pool *pool = &source_state(compile)->pool;
    vertex_pool_next_model(pool);
    struct tjunction_job job = {
        .compile = compile,
        .arena = &tree->arena,
        .pool = pool,
        .primitives = !arrlen(compile->bsp->models),
    };
    face_list_final(detail, add_final, &job);
    add_nodes(&job, tree->root);
    fix_faces(&job);
    arrfree(job.faces);
    arrfree(job.structural);
}
