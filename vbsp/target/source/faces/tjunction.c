/* Vertices of faces: welded, and put on every edge that another face's corner touches.
 *
 * Where a corner lies on a neighbour's edge, the two would be drawn along slightly different lines,
 * and sparks of the background show through. So the edge gets the corner as a point of its own. The
 * points make flat triangles when the face is drawn as a fan from the wrong corner: the list is
 * turned so that it starts at a good one, or the face gets its triangles listed (primitives). */
#include "vbsp/target/source/faces/face.h"

#include <string.h>

#include "common/core/array.h"
#include "common/geom/epsilon.h"
#include "common/parallel/parallel.h"
#include "vbsp/faces/outline.h"
#include "vbsp/target/source/entities/state.h"

/* Engines refuse faces with more edges. */
enum { MAX_EDGES = 32 };

enum { FACES_AT_ONCE = 256 }; /* of a thread: less is sooner done than handed out */

/* A face with less area is a line: the points that its edges got cover it from both sides. */
#define FLAT 1e-3

/* A face's own corner that bends less than this heads no fan. */
#define STRAIGHT 0.01

struct fixer {
    struct compile *compile;
    struct arena *arena;
    struct vertex_pool *pool;
    struct face **faces;           /* stb_ds array: all that are drawn */
    struct vertex_on_edge **found; /* one a thread: an stb_ds array, scratch */
    struct outline_loop **loops;   /* one a face: an stb_ds array, what it falls into */
    bool *structural; /* stb_ds array, one a vertex: a face of the tree has it; NULL: all the same
                         (option allow_detail_cracks) */
    bool primitives;
};

static void add_final(void *context, struct face *face)
{
    struct fixer *fixer = context;
    if (face->on_node || face->in_leaf || face->displacement)
        arrput(fixer->faces, face);
}

static void add_nodes(struct fixer *fixer, const struct node *node)
{
    if (node->plane == PLANE_LEAF)
        return;
    face_list_final(node->faces, add_final, fixer);
    add_nodes(fixer, node->children[0]);
    add_nodes(fixer, node->children[1]);
}

/* The outline with all points that lie on its edges. */
static int *walk_around(const struct fixer *fixer, struct vertex_on_edge **found,
                        const struct face *face)
{
    int *walk = NULL;
    size_t count = arrlenu(face->vertices);
    /* A face of the tree may be one that is to have no corners of detail. */
    const bool *only = face->on_node ? fixer->structural : NULL;
    for (size_t i = 0; i < count; i++) {
        arrput(walk, face->vertices[i]);
        edge_points(fixer->pool, face->vertices[i], face->vertices[(i + 1) % count],
                    EPSILON_TJUNCTION, only, found, &walk);
    }
    return walk;
}

static struct face *copy_of(struct fixer *fixer, const struct face *face)
{
    struct face *copy = face_new(fixer->arena);
    *copy = *face;
    copy->next = NULL;
    copy->vertices = NULL;
    copy->split[0] = copy->split[1] = NULL;
    return copy;
}

/* The face becomes its loops. */
static void take_loops(struct fixer *fixer, struct face *face, const struct outline_loop *loops,
                       int count)
{
    if (count == 1)
        face->vertices = loops->points;
    if (count < 2)
        return;
    for (int i = 0; i < 2; i++)
        face->split[i] = copy_of(fixer, face);
    take_loops(fixer, face->split[0], loops, 1);
    take_loops(fixer, face->split[1], loops + 1, count - 1);
}

/* Whether the outline bends at each point. */
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

static void rotate(int *vertices, int first)
{
    int count = (int)arrlen(vertices);
    int *turned = NULL;
    for (int i = 0; i < count; i++)
        arrput(turned, vertices[(first + i) % count]);
    memcpy(vertices, turned, sizeof *turned * (size_t)count);
    arrfree(turned);
}

/* A line across the middle of the outline that leaves an area on both sides: its first point. */
static int find_halving(const struct vertex_pool *pool, const int *vertices)
{
    int count = (int)arrlen(vertices), best = 0;
    double max = -1;
    for (int i = 0; i < count / 2; i++) {
        double a = outline_area(pool, vertices, i, count / 2 + 1);
        double b = outline_area(pool, vertices, i + count / 2, count - count / 2 + 1);
        if (fmin(a, b) > max) {
            max = fmin(a, b);
            best = i;
        }
    }
    return best;
}

static struct face *half_of(struct fixer *fixer, const struct face *face, int first, int points)
{
    struct face *half = copy_of(fixer, face);
    int count = (int)arrlen(face->vertices);
    for (int i = 0; i < points; i++)
        arrput(half->vertices, face->vertices[(first + i) % count]);
    half->vertices[0] = outline_vertex(half->vertices[0]);
    half->vertices[points - 1] = outline_vertex(half->vertices[points - 1]);
    return half;
}

static void finish(struct fixer *fixer, struct face *face);

static void split_outline(struct fixer *fixer, struct face *face)
{
    int count = (int)arrlen(face->vertices);
    int first = find_halving(fixer->pool, face->vertices);
    struct face *halves[2] = {
        half_of(fixer, face, first, count / 2 + 1),
        half_of(fixer, face, first + count / 2, count - count / 2 + 1),
    };
    arrfree(face->vertices);
    face->vertices = NULL;
    for (int i = 0; i < 2; i++) {
        face->split[i] = halves[i];
        finish(fixer, halves[i]);
    }
}

static void make_primitive(struct fixer *fixer, struct face *face)
{
    struct bsp *bsp = fixer->compile->bsp;
    struct vec3 points[MAX_EDGES];
    int count = (int)arrlen(face->vertices);
    for (int i = 0; i < count; i++)
        points[i] = vertex_pool_at(fixer->pool, face->vertices[i]);
    struct bsp_primitive primitive = {.first_index = (int32_t)arrlen(bsp->primitive_indices)};
    primitive.index_count = 3 * triangulate_outline(points, count, &bsp->primitive_indices);
    face->first_primitive = (int)arrlen(bsp->primitives);
    face->primitive_count = 1;
    arrput(bsp->primitives, primitive);
}

static void finish(struct fixer *fixer, struct face *face)
{
    for (int i = 0; i < 2 && face->split[0]; i++)
        finish(fixer, face->split[i]);
    if (face->split[0] || arrlenu(face->vertices) < 3)
        return;
    if (outline_area(fixer->pool, face->vertices, 0, (int)arrlen(face->vertices)) < FLAT) {
        arrsetlen(face->vertices, 0);
        return;
    }
    if (arrlenu(face->vertices) > MAX_EDGES) {
        split_outline(fixer, face);
        return;
    }
    bool *bends = find_bends(fixer->pool, face->vertices);
    int start = fan_start(bends, (int)arrlen(bends));
    arrfree(bends);
    for (size_t i = 0; i < arrlenu(face->vertices); i++)
        face->vertices[i] = outline_vertex(face->vertices[i]);
    if (start > 0)
        rotate(face->vertices, start);
    else if (start < 0 && fixer->primitives)
        make_primitive(fixer, face);
}

/* Outlines as they were welded: those of displacements are not yet there. */
static void split_some(void *context, size_t index, int thread)
{
    struct fixer *fixer = context;
    size_t end = (index + 1) * FACES_AT_ONCE;
    for (size_t i = index * FACES_AT_ONCE; i < end && i < arrlenu(fixer->faces); i++) {
        if (arrlenu(fixer->faces[i]->vertices) < 3)
            continue;
        int *walk = walk_around(fixer, &fixer->found[thread], fixer->faces[i]);
        fixer->loops[i] = outline_loops(walk);
        arrfree(walk);
    }
}

static void split_all(struct fixer *fixer)
{
    int threads = fixer->compile->env->threads;
    fixer->found = memory_zalloc((size_t)threads, sizeof *fixer->found);
    fixer->loops = memory_zalloc(arrlenu(fixer->faces), sizeof *fixer->loops);
    parallel_for(threads, (arrlenu(fixer->faces) + FACES_AT_ONCE - 1) / FACES_AT_ONCE, split_some,
                 fixer);
    for (int i = 0; i < threads; i++)
        arrfree(fixer->found[i]);
    memory_free(fixer->found);
    for (size_t i = 0; i < arrlenu(fixer->faces); i++) {
        struct face *face = fixer->faces[i];
        if (arrlenu(face->vertices) < 3)
            continue;
        arrfree(face->vertices);
        take_loops(fixer, face, fixer->loops[i], (int)arrlen(fixer->loops[i]));
        arrfree(fixer->loops[i]);
    }
    memory_free(fixer->loops);
}

static void weld(struct fixer *fixer, struct face *face)
{
    face->vertices = vertex_pool_outline(fixer->pool, face->winding);
}

static void mark_structural(struct fixer *fixer)
{
    size_t count = arrlenu(*fixer->pool->vertices);
    arrsetlen(fixer->structural, count);
    memset(fixer->structural, 0, count * sizeof *fixer->structural);
    for (size_t i = 0; i < arrlenu(fixer->faces); i++)
        for (size_t j = 0; fixer->faces[i]->on_node && j < arrlenu(fixer->faces[i]->vertices); j++)
            fixer->structural[fixer->faces[i]->vertices[j]] = true;
}

/* A displacement's own mesh meets its neighbours: its corners put no points on others' edges, and
 * its outline stays the quad that it was. */
static void fix_faces(struct fixer *fixer)
{
    for (size_t i = 0; i < arrlenu(fixer->faces); i++)
        if (!fixer->faces[i]->displacement)
            weld(fixer, fixer->faces[i]);
    if (fixer->compile->options->allow_detail_cracks)
        mark_structural(fixer);
    if (!fixer->compile->options->no_tjunc)
        split_all(fixer);
    for (size_t i = 0; i < arrlenu(fixer->faces); i++)
        finish(fixer, fixer->faces[i]);
    for (size_t i = 0; i < arrlenu(fixer->faces); i++)
        if (fixer->faces[i]->displacement)
            weld(fixer, fixer->faces[i]);
}

void faces_fix_tjunctions(struct compile *compile, struct tree *tree, struct face *detail)
{
    struct vertex_pool *pool = &source_state(compile)->pool;
    vertex_pool_next_model(pool);
    struct fixer fixer = {
        .compile = compile,
        .arena = &tree->arena,
        .pool = pool,
        .primitives = !arrlen(compile->bsp->models),
    };
    face_list_final(detail, add_final, &fixer);
    add_nodes(&fixer, tree->root);
    fix_faces(&fixer);
    arrfree(fixer.faces);
    arrfree(fixer.structural);
}
