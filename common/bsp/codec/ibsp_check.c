/* Checks an IBSP before any index is followed. Errors of shipped maps that the engine tolerates are
 * not refused: effects and lightmap pages out of range, and texture coordinates and normals that
 * are not finite. */
#include "common/bsp/codec/check_internal.h"
#include "common/bsp/codec/codec.h"
#include "common/diag/codes/bsp_records.def"

enum {
    PATCH_MIN = 3,
    /* Vertex indices per surface that may be shared: the compiler lets surfaces share them. */
    SHARED_INDICES = 192,
};

bool ibsp_rows_fit(int32_t clusters, int32_t row, size_t bytes)
{
    return clusters >= 0 && clusters <= CLUSTERS_MAX && row > 0 &&
           (uint64_t)clusters * (uint64_t)row <= bytes;
}

static void check_visibility(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    int32_t clusters = bsp->visibility_clusters, row = bsp->visibility_row;
    size_t size = bsp->visibility.size;
    bool none = !clusters && !row && !size;
    if (none || (ibsp_rows_fit(clusters, row, size) && (size_t)clusters * (size_t)row == size) ||
        fault_limit_reached(checker))
        return;
    diag_report(checker->diag, DIAG_BSP_LUMP, &checker->where,
                "visibility of %zu bytes instead of %d rows of %d bytes", size, clusters, row);
}

static void check_nodes(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    for (size_t i = 0; i < arrlenu(bsp->nodes); i++) {
        check_node_record(checker, i);
        for (int k = 0; k < 3; k++) {
            range(checker, "node", i, "a coordinate", bsp->nodes[i].mins[k], -BSP_COORDINATE_MAX,
                  BSP_COORDINATE_MAX);
            range(checker, "node", i, "a coordinate", bsp->nodes[i].maxs[k], -BSP_COORDINATE_MAX,
                  BSP_COORDINATE_MAX);
        }
    }
}

/* Any box: those of some leaves say nothing (bsp_leaf_has_box). */
static void check_leaves(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    int clusters = bsp->visibility_clusters ? bsp->visibility_clusters : CLUSTERS_MAX;
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        range(checker, "leaf", i, "cluster", leaf->cluster, -1, clusters);
        range(checker, "leaf", i, "area", leaf->area, -1, BSP_COORDINATE_MAX);
    }
    SPANS(checker, "leaf", bsp->leaves, first_face, face_count, "leaf surfaces",
          arrlenu(bsp->leaf_faces));
    SPANS(checker, "leaf", bsp->leaves, first_brush, brush_count, "leaf brushes",
          arrlenu(bsp->leaf_brushes));
    check_indices(checker, "leaf surface", bsp->leaf_faces, arrlenu(bsp->surfaces));
    check_indices(checker, "leaf brush", bsp->leaf_brushes, arrlenu(bsp->brushes));
}

static void check_models(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    SPANS(checker, "model", bsp->models, first_face, face_count, "surfaces of models",
          arrlenu(bsp->surfaces));
    SPANS(checker, "model", bsp->models, first_brush, brush_count, "brushes of models",
          arrlenu(bsp->brushes));
    check_model_records(checker);
}

static void check_brushes(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    SPANS(checker, "brush", bsp->brushes, first_side, side_count, "brush sides",
          arrlenu(bsp->brush_sides));
    for (size_t i = 0; i < arrlenu(bsp->brushes); i++)
        range(checker, "brush", i, "shader", bsp->brushes[i].shader, 0, arrlen(bsp->shaders));
    for (size_t i = 0; i < arrlenu(bsp->brush_sides); i++) {
        const struct bsp_brush_side *side = &bsp->brush_sides[i];
        range(checker, "brush side", i, "plane", side->plane, 0, arrlen(bsp->planes));
        range(checker, "brush side", i, "shader", side->texinfo, 0, arrlen(bsp->shaders));
    }
    for (size_t i = 0; i < arrlenu(bsp->effects); i++) {
        const struct bsp_effect *effect = &bsp->effects[i];
        range(checker, "effect", i, "brush", effect->brush, -1, arrlen(bsp->brushes));
        if (effect->brush >= 0 && effect->brush < arrlen(bsp->brushes))
            range(checker, "effect", i, "side", effect->side, -1,
                  bsp->brushes[effect->brush].side_count);
    }
}

static void check_patch(struct checker *checker, size_t i, const struct bsp_surface *surface)
{
    int64_t width = surface->patch_size[0], height = surface->patch_size[1];
    if ((width >= PATCH_MIN && height >= PATCH_MIN && width % 2 && height % 2 &&
         width * height == surface->vertex_count) ||
        fault_limit_reached(checker))
        return;
    diag_report(checker->diag, DIAG_BSP_RANGE, &checker->where,
                "surface %zu: patch of %lld x %lld with %d vertices", i, (long long)width,
                (long long)height, surface->vertex_count);
}

static void check_surfaces(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    for (size_t i = 0; i < arrlenu(bsp->draw_vertices); i++)
        finite(checker, "vertex", i, bsp->draw_vertices[i].p, 3);
    SPANS(checker, "surface", bsp->surfaces, first_vertex, vertex_count, "vertices",
          arrlenu(bsp->draw_vertices));
    checker->spanned = -SHARED_INDICES * (int64_t)arrlen(bsp->surfaces);
    SPANS(checker, "surface", bsp->surfaces, first_index, index_count, "vertex indices",
          arrlenu(bsp->draw_indices));
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++) {
        range(checker, "surface", i, "shader", bsp->surfaces[i].shader, 0, arrlen(bsp->shaders));
        if (bsp->surfaces[i].type == SURFACE_PATCH)
            check_patch(checker, i, &bsp->surfaces[i]);
    }
}

/* They are relative to the surface's first vertex. */
static void check_surface_indices(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++) {
        const struct bsp_surface *surface = &bsp->surfaces[i];
        for (int k = 0; k < surface->index_count; k++)
            range(checker, "surface", i, "a vertex index",
                  bsp->draw_indices[surface->first_index + k], 0, surface->vertex_count);
    }
}

enum status ibsp_check(const struct bsp *bsp, const char *name, struct diag *diag)
{
    struct checker checker = {.bsp = bsp, .diag = diag, .where.file = name};
    check_visibility(&checker);
    if (!checker.faults) {
        check_plane_records(&checker);
        check_nodes(&checker);
        check_leaves(&checker);
        check_models(&checker);
        check_brushes(&checker);
        check_surfaces(&checker);
    }
    /* These follow indices. */
    if (!checker.faults) {
        check_surface_indices(&checker);
        check_tree(&checker);
    }
    return checker.faults ? STATUS_FAILED : STATUS_OK;
}
