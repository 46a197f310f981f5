#include "vrad/scene/normals.h"

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"

/* Smoothing groups that make an edge hard. */
#define HARD_GROUPS 0xff000000u

/* A normal with at least this cosine to the plane's counts as the plane's. */
#define SAME_NORMAL 0.99999

/* Normals whose sum is shorter than this cancel out. */
#define NO_NORMAL 1e-6

/* Faces at exactly the limit blend, whichever way their normals are rounded. */
#define COSINE_ROUNDING 1e-6

struct vec3 bsp_face_normal(const struct bsp *bsp, const struct bsp_face *face)
{
    const float *n = bsp->planes[face->plane].normal;
    return vec3((double)n[0], (double)n[1], (double)n[2]);
}

struct builder {
    const struct bsp *bsp;
    double min_cosine;
    int *first_use; /* one per vertex, and one past: into `uses` */
    int *uses;      /* faces at each vertex */
};

static void collect_uses(struct builder *b, struct arena *arena)
{
    const struct bsp *bsp = b->bsp;
    size_t vertices = arrlenu(bsp->vertices);
    b->first_use = ARENA_ARRAY(arena, int, vertices + 2);
    int *count = b->first_use + 1;
    for (ptrdiff_t i = 0; i < arrlen(bsp->faces); i++)
        for (int k = 0; k < bsp->faces[i].edge_count; k++)
            count[1 + bsp_face_vertex(bsp, &bsp->faces[i], k)]++;
    for (size_t v = 0; v < vertices; v++)
        count[v + 1] += count[v];
    b->uses = ARENA_ARRAY(arena, int, (size_t)count[vertices] + 1);
    /* Filling advances each start to the next one's, which shifts the array into place. */
    for (ptrdiff_t i = 0; i < arrlen(bsp->faces); i++)
        for (int k = 0; k < bsp->faces[i].edge_count; k++)
            b->uses[count[bsp_face_vertex(bsp, &bsp->faces[i], k)]++] = (int)i;
}

static bool blends(const struct builder *b, const struct bsp_face *face,
                   const struct bsp_face *other)
{
    if (face->dispinfo >= 0 || other->dispinfo >= 0)
        return face->dispinfo >= 0 && other->dispinfo >= 0;
    if (face->smoothing_groups == 0 && other->smoothing_groups == 0)
        return vec3_dot(bsp_face_normal(b->bsp, face), bsp_face_normal(b->bsp, other)) >=
               b->min_cosine;
    uint32_t common = face->smoothing_groups & other->smoothing_groups;
    return common != 0 && !(common & HARD_GROUPS);
}

static struct vec3 blend(const struct builder *b, const struct bsp_face *face, int vertex)
{
    struct vec3 own = bsp_face_normal(b->bsp, face), sum = own;
    for (int i = b->first_use[vertex]; i < b->first_use[vertex + 1]; i++) {
        const struct bsp_face *other = &b->bsp->faces[b->uses[i]];
        if (other != face && blends(b, face, other))
            sum = vec3_add(sum, bsp_face_normal(b->bsp, other));
    }
    /* A smoothed normal that points into the solid would leave the face dark. */
    bool sound = vec3_length(sum) > NO_NORMAL && (face->dispinfo >= 0 || vec3_dot(sum, own) > 0);
    return sound ? vec3_normalize(sum) : own;
}

void vertex_normals_build(const struct bsp *bsp, double smooth_degrees, struct arena *arena,
                          struct vertex_normals *out)
{
    struct builder b = {.bsp = bsp};
    b.min_cosine = portable_cos(smooth_degrees * DEGREE) - COSINE_ROUNDING;
    size_t faces = arrlenu(bsp->faces), total = 0;
    collect_uses(&b, arena);
    *out = (struct vertex_normals){.bsp = bsp};
    out->first = ARENA_ARRAY(arena, int, faces + 1);
    out->phong = ARENA_ARRAY(arena, unsigned char, faces + 1);
    for (size_t i = 0; i < faces; i++) {
        out->first[i] = (int)total;
        total += (size_t)bsp->faces[i].edge_count;
    }
    out->normals = (float(*)[3])ARENA_ARRAY(arena, float, 3 * total);
    for (size_t i = 0; i < faces; i++) {
        const struct bsp_face *face = &bsp->faces[i];
        struct vec3 own = bsp_face_normal(bsp, face);
        for (int k = 0; k < face->edge_count; k++) {
            struct vec3 normal = blend(&b, face, bsp_face_vertex(bsp, face, k));
            for (int axis = 0; axis < 3; axis++)
                out->normals[out->first[i] + k][axis] = (float)normal.e[axis];
            if (vec3_dot(normal, own) < SAME_NORMAL)
                out->phong[i] = 1;
        }
    }
}

static struct vec3 stored(const struct vertex_normals *normals, int index)
{
    const float *n = normals->normals[index];
    return vec3((double)n[0], (double)n[1], (double)n[2]);
}

struct vec3 vertex_normals_at(const struct vertex_normals *normals, int number, struct vec3 point)
{
    const struct bsp *bsp = normals->bsp;
    const struct bsp_face *face = &bsp->faces[number];
    struct vec3 own = bsp_face_normal(bsp, face), middle = vec3(0, 0, 0), result = own;
    if (!normals->phong[number])
        return own;
    int count = face->edge_count, first = normals->first[number];
    for (int k = 0; k < count; k++)
        middle = vec3_add(middle, bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, k)));
    middle = vec3_scale(middle, 1.0 / count);
    /* The triangle that contains the point, or is nearest to it on the border. */
    double best = -1e30;
    for (int k = 0; k < count; k++) {
        int next = (k + 1) % count;
        struct vec3 a = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, k));
        struct vec3 ab = vec3_sub(bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, next)), a);
        struct vec3 ac = vec3_sub(middle, a), ap = vec3_sub(point, a);
        struct vec3 across = vec3_cross(ab, ac);
        double area = vec3_dot(across, across);
        if (area < 1e-6)
            continue;
        double c = vec3_dot(vec3_cross(ab, ap), across) / area;
        double b = vec3_dot(vec3_cross(ap, ac), across) / area;
        double min = portable_fmin(portable_fmin(b, c), 1 - b - c);
        if (min <= best)
            continue;
        best = min;
        result = vec3_scale(own, c);
        result = vec3_mad(result, stored(normals, first + next), b);
        result = vec3_mad(result, stored(normals, first + k), 1 - b - c);
    }
    return vec3_normalize(result);
}

struct normal_entry {
    struct normal_key {
        float n[3];
    } key;
    int32_t value;
};

void vertex_normals_store(const struct vertex_normals *normals, struct bsp *bsp)
{
    struct normal_entry *known = NULL;
    arrsetlen(bsp->vertex_normals, 0);
    arrsetlen(bsp->vertex_normal_indices, 0);
    for (ptrdiff_t i = 0; i < arrlen(bsp->faces); i++) {
        for (int k = 0; k < bsp->faces[i].edge_count; k++) {
            const float *n = normals->normals[normals->first[i] + k];
            struct normal_key key = {{n[0] + 0.0f, n[1] + 0.0f, n[2] + 0.0f}}; /* no -0 */
            ptrdiff_t at = hmgeti(known, key);
            if (at < 0) {
                struct bsp_vertex vertex = {{key.n[0], key.n[1], key.n[2]}};
                struct normal_entry entry = {key, (int32_t)arrlen(bsp->vertex_normals)};
                arrput(bsp->vertex_normals, vertex);
                hmputs(known, entry);
                at = hmgeti(known, key);
            }
            arrput(bsp->vertex_normal_indices, known[at].value);
        }
    }
    hmfree(known);
}
