#include "vrad/props/mesh_vertices.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"

struct sorted_vertex {
    const struct model_vertex *vertex;
    int32_t index;
};

static int compare_positions(const struct model_vertex *a, const struct model_vertex *b)
{
    for (int k = 0; k < 3; k++)
        if (a->p[k] != b->p[k])
            return a->p[k] < b->p[k] ? -1 : 1;
    return 0;
}

/* Normals in files may be NaN: their bits are compared. */
static int compare_places(const struct model_vertex *a, const struct model_vertex *b)
{
    int order = compare_positions(a, b);
    for (int k = 0; k < 3 && order == 0; k++) {
        uint32_t x, y;
        memcpy(&x, &a->normal[k], sizeof x);
        memcpy(&y, &b->normal[k], sizeof y);
        order = x < y ? -1 : x > y;
    }
    return order;
}

static int by_place(const void *a, const void *b)
{
    const struct sorted_vertex *x = a, *y = b;
    int order = compare_places(x->vertex, y->vertex);
    return order ? order : x->index - y->index;
}

/* Of a forest in which each vertex names one of its piece, the first itself. */
static int32_t first_of(int32_t *piece, int32_t vertex)
{
    while (piece[vertex] != vertex) {
        piece[vertex] = piece[piece[vertex]];
        vertex = piece[vertex];
    }
    return vertex;
}

static void join(int32_t *piece, int32_t a, int32_t b)
{
    a = first_of(piece, a);
    b = first_of(piece, b);
    if (a < b)
        piece[b] = a;
    else
        piece[a] = b;
}

static void join_triangles(const struct model *model, int32_t *piece)
{
    for (size_t i = 0; i < arrlenu(model->vtx.triangles); i++) {
        const int32_t *corners = model->vtx.triangles[i].vertices;
        for (int k = 1; k < 3; k++)
            join(piece, corners[0], corners[k]);
    }
}

static void mark_hidden(const struct model *model, int32_t *same_as)
{
    for (int32_t i = 0; i < model->mdl.mesh_count; i++) {
        const struct mdl_mesh *mesh = &model->mdl.meshes[i];
        if (model_shows_mesh(&model->mdl, i))
            continue;
        for (int32_t k = 0; k < mesh->vertex_count[0]; k++)
            if (mesh->first_vertex + k < model->vvd.count)
                same_as[mesh->first_vertex + k] = VERTEX_HIDDEN;
    }
}

/* Hidden vertices are none of the others', which may lie where they do. */
static struct sorted_vertex *sort_shown(const struct vvd *vvd, const int32_t *same_as,
                                        size_t *count)
{
    struct sorted_vertex *sorted = memory_alloc(((size_t)vvd->count + 1) * sizeof *sorted);
    *count = 0;
    for (int32_t i = 0; i < vvd->count; i++)
        if (same_as[i] != VERTEX_HIDDEN)
            sorted[(*count)++] = (struct sorted_vertex){&vvd->vertices[i], i};
    qsort(sorted, *count, sizeof *sorted, by_place);
    return sorted;
}

void mesh_vertices_find(const struct model *model, struct mesh_vertices *out)
{
    const struct vvd *vvd = &model->vvd;
    size_t all = (size_t)vvd->count, count;
    out->same_as = memory_zalloc(all + 1, sizeof *out->same_as);
    out->piece = memory_alloc((all + 1) * sizeof *out->piece);
    for (size_t i = 0; i < all; i++)
        out->piece[i] = (int32_t)i;
    mark_hidden(model, out->same_as);
    struct sorted_vertex *sorted = sort_shown(vvd, out->same_as, &count);
    for (size_t i = 0, first = 0; i < count; i++) {
        if (i && compare_positions(sorted[i].vertex, sorted[i - 1].vertex) == 0)
            join(out->piece, sorted[i - 1].index, sorted[i].index);
        if (compare_places(sorted[i].vertex, sorted[first].vertex) != 0)
            first = i;
        out->same_as[sorted[i].index] = sorted[first].index;
    }
    memory_free(sorted);
    join_triangles(model, out->piece);
    for (size_t i = 0; i < all; i++)
        out->piece[i] = first_of(out->piece, (int32_t)i);
}

void mesh_vertices_free(struct mesh_vertices *vertices)
{
    memory_free(vertices->same_as);
    memory_free(vertices->piece);
    *vertices = (struct mesh_vertices){0};
}
