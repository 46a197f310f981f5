/* Vertices of faces: welded, and put on every edge that another face's corner touches.
 *
 * Where a corner lies on a neighbour's edge, the two would be drawn along slightly different lines,
 * and sparks of the background show through. So the edge gets the corner as a point of its own. The
 * points make flat triangles when the face is drawn as a fan from the wrong corner: the list is
 * turned so that it starts at a good one, or the face gets its triangles listed (primitives). */
#include "vbsp/face.h"

#include "common/core/array.h"
#include "common/core/parallel.h"
#include "common/geom/epsilon.h"
#include "vbsp/emitter.h"
#include "vbsp/primitives.h"

/* Engines refuse faces with more edges. */
enum { MOST_EDGES = 32 };

enum { FACES_AT_ONCE = 256 }; /* of a thread: less is sooner done than handed out */

/* A face's own corner that bends less than this heads no fan. */
#define STRAIGHT 0.01

struct fixer {
    struct compile *compile;
    struct arena *arena;
    struct vertex_pool *pool;
    struct face **faces;           /* stb_ds array: all that are drawn */
    struct vertex_on_edge **found; /* one a thread: an stb_ds array, scratch */
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

/* Until an outline is finished, the points that were put on its edges are kept as complements. */
static int vertex_of(int point)
{
    return point < 0 ? ~point : point;
}

static bool has_vertex(const int *points, int vertex)
{
    for (size_t i = 0; i < arrlenu(points); i++)
        if (vertex_of(points[i]) == vertex)
            return true;
    return false;
}

/* A face thinner than the reach finds its own corners on its edges, and sharp corners find a point
 * twice: those are left out. */
static void split_edges(const struct fixer *fixer, struct face *face, struct vertex_on_edge **found)
{
    int *points = NULL;
    size_t count = arrlenu(face->vertices);
    for (size_t i = 0; i < count; i++) {
        int from = face->vertices[i], to = face->vertices[(i + 1) % count];
        arrput(points, from);
        arrsetlen(*found, 0);
        vertex_pool_on_edge(fixer->pool, from, to, EPSILON_TJUNCTION, found);
        for (size_t j = 0; j < arrlenu(*found); j++) {
            int vertex = (*found)[j].vertex;
            if (face->on_node && fixer->structural && !fixer->structural[vertex])
                continue;
            if (!has_vertex(face->vertices, vertex) && !has_vertex(points, vertex))
                arrput(points, ~vertex);
        }
    }
    arrfree(face->vertices);
    face->vertices = points;
}

/* Whether the outline bends at each point. */
static bool *find_bends(const struct vertex_pool *pool, const int *points)
{
    bool *bends = NULL;
    size_t count = arrlenu(points);
    for (size_t i = 0; i < count; i++) {
        struct vec3 before = vertex_pool_at(pool, vertex_of(points[(i + count - 1) % count]));
        struct vec3 at = vertex_pool_at(pool, vertex_of(points[i]));
        struct vec3 after = vertex_pool_at(pool, vertex_of(points[(i + 1) % count]));
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

static double outline_area(const struct vertex_pool *pool, const int *vertices, int first,
                           int count)
{
    int all = (int)arrlen(vertices);
    struct vec3 origin = vertex_pool_at(pool, vertex_of(vertices[first])), sum = vec3(0, 0, 0);
    for (int i = 2; i < count; i++) {
        struct vec3 a = vertex_pool_at(pool, vertex_of(vertices[(first + i - 1) % all]));
        struct vec3 b = vertex_pool_at(pool, vertex_of(vertices[(first + i) % all]));
        sum = vec3_add(sum, vec3_cross(vec3_sub(b, origin), vec3_sub(a, origin)));
    }
    return vec3_length(sum) / 2;
}

/* A line across the middle of the outline that leaves an area on both sides: its first point. */
static int find_halving(const struct vertex_pool *pool, const int *vertices)
{
    int count = (int)arrlen(vertices), best = 0;
    double most = -1;
    for (int i = 0; i < count / 2; i++) {
        double a = outline_area(pool, vertices, i, count / 2 + 1);
        double b = outline_area(pool, vertices, i + count / 2, count - count / 2 + 1);
        if (fmin(a, b) > most) {
            most = fmin(a, b);
            best = i;
        }
    }
    return best;
}

static struct face *half_of(struct fixer *fixer, const struct face *face, int first, int points)
{
    struct face *half = face_new(fixer->arena);
    *half = *face;
    half->next = NULL;
    half->vertices = NULL;
    int count = (int)arrlen(face->vertices);
    for (int i = 0; i < points; i++)
        arrput(half->vertices, face->vertices[(first + i) % count]);
    half->vertices[0] = vertex_of(half->vertices[0]);
    half->vertices[points - 1] = vertex_of(half->vertices[points - 1]);
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
    struct vec3 points[MOST_EDGES];
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
    if (arrlenu(face->vertices) > MOST_EDGES) {
        split_outline(fixer, face);
        return;
    }
    bool *bends = find_bends(fixer->pool, face->vertices);
    int start = fan_start(bends, (int)arrlen(bends));
    arrfree(bends);
    for (size_t i = 0; i < arrlenu(face->vertices); i++)
        face->vertices[i] = vertex_of(face->vertices[i]);
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
    for (size_t i = index * FACES_AT_ONCE; i < end && i < arrlenu(fixer->faces); i++)
        if (arrlenu(fixer->faces[i]->vertices) >= 3)
            split_edges(fixer, fixer->faces[i], &fixer->found[thread]);
}

static void split_all(struct fixer *fixer)
{
    int threads = fixer->compile->env->threads;
    fixer->found = memory_zalloc((size_t)threads, sizeof *fixer->found);
    parallel_for(threads, (arrlenu(fixer->faces) + FACES_AT_ONCE - 1) / FACES_AT_ONCE, split_some,
                 fixer);
    for (int i = 0; i < threads; i++)
        arrfree(fixer->found[i]);
    memory_free(fixer->found);
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
        if (arrlenu(fixer->faces[i]->vertices) >= 3)
            finish(fixer, fixer->faces[i]);
    for (size_t i = 0; i < arrlenu(fixer->faces); i++)
        if (fixer->faces[i]->displacement)
            weld(fixer, fixer->faces[i]);
}

void faces_fix_tjunctions(struct compile *compile, struct tree *tree, struct face *detail)
{
    struct emitter *emitter = emitter_of(compile);
    vertex_pool_next_model(&emitter->pool);
    struct fixer fixer = {
        .compile = compile,
        .arena = &tree->arena,
        .pool = &emitter->pool,
        .primitives = emitter->models == 0,
    };
    face_list_final(detail, add_final, &fixer);
    add_nodes(&fixer, tree->root);
    fix_faces(&fixer);
    arrfree(fixer.faces);
    arrfree(fixer.structural);
}
