/* Checks a BSP from a file before any index is followed. Further consistency is checked by
 * verify. */
#include "common/bsp/codec/check_internal.h"
#include "common/bsp/face_records.h"
#include "common/bsp/water_overlay_records.h"

#include <stdlib.h>

#include "common/bsp/codec/codec.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/query.h"
#include "common/bsp/vis.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_records.def"

/* --- faults that the checks of all formats report --- */

void range_fault(struct checker *checker, const char *what, size_t index, const char *field,
                 int64_t value, int64_t min, int64_t end)
{
    if (!fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_RANGE, &checker->where,
                    "%s %zu: %s is %lld, valid range %lld..%lld", what, index, field,
                    (long long)value, (long long)min, (long long)end - 1);
}

void span_fault(struct checker *checker, const char *what, size_t index, const char *field,
                int64_t first, int64_t count, size_t length)
{
    if (!fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_RANGE, &checker->where,
                    "%s %zu: %lld %s starting at %lld, but there are %zu", what, index,
                    (long long)count, field, (long long)first, length);
}

void number_fault(struct checker *checker, const char *what, size_t index, size_t at)
{
    if (!fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_NUMBER, &checker->where, "%s %zu: value %zu", what,
                    index, at);
}

void shared(struct checker *checker, const char *what, size_t length)
{
    int64_t max = (int64_t)length * SHARES_MAX + SHARES_FREE;
    if (checker->spanned > max && !fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_RANGE, &checker->where,
                    "%lld references to %s, many times the %zu that exist",
                    (long long)checker->spanned, what, length);
    checker->spanned = 0;
}

void check_model_records(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    if (!arrlen(bsp->models) && !fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_LUMP, &checker->where, "no world model");
    for (size_t i = 0; i < arrlenu(bsp->models); i++) {
        const struct bsp_model *model = &bsp->models[i];
        range(checker, "model", i, "head node", model->head_node, -arrlen(bsp->leaves),
              arrlen(bsp->nodes));
        finite(checker, "model", i, model->mins, 3);
        finite(checker, "model", i, model->maxs, 3);
        finite(checker, "model", i, model->origin, 3);
    }
}

/* --- VBSP --- */

static inline void list_length(struct checker *checker, const char *what, size_t length,
                               const char *of, size_t expected)
{
    if (!length || length == expected || fault_limit_reached(checker))
        return;
    diag_report(checker->diag, DIAG_BSP_LUMP, &checker->where, "%zu %s, but %zu %s", length, what,
                expected, of);
}

/* Checks the tree of nodes, which is the same in all formats. */

enum { DEPTH_MAX = 16384 /* real trees stay below 100; some code recurses */ };

struct tree_step {
    int node, depth;
};

static const char *walk_tree(const struct bsp *bsp, const unsigned char *parents)
{
    struct tree_step *stack = NULL;
    size_t reached = 0;
    const char *fault = NULL;
    for (int i = 0; i < arrlen(bsp->nodes); i++)
        if (!parents[i])
            arrput(stack, ((struct tree_step){i, 1}));
    while (arrlen(stack) && !fault) {
        struct tree_step step = arrpop(stack);
        reached++;
        if (step.depth > DEPTH_MAX)
            fault = "tree too deep";
        for (int k = 0; k < 2; k++) {
            int child = bsp->nodes[step.node].children[k];
            if (child >= 0)
                arrput(stack, ((struct tree_step){child, step.depth + 1}));
        }
    }
    if (!fault && reached < arrlenu(bsp->nodes))
        fault = "circular nodes";
    arrfree(stack);
    return fault;
}

void check_tree(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    unsigned char *parents = memory_zalloc(arrlenu(bsp->nodes), 1);
    const char *fault = NULL;
    for (size_t i = 0; i < arrlenu(bsp->nodes); i++)
        for (int k = 0; k < 2; k++)
            if (bsp->nodes[i].children[k] >= 0 && parents[bsp->nodes[i].children[k]]++)
                fault = "node with two parents";
    if (!fault)
        fault = walk_tree(bsp, parents);
    memory_free(parents);
    if (fault && !fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_TREE, &checker->where, "%s", fault);
}

static void check_leaves(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    int clusters = bsp_vis_clusters(bsp);
    range(checker, "visibility", 0, "number of clusters", clusters, 0, CLUSTERS_MAX + 1);
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        range(checker, "leaf", i, "cluster", bsp->leaves[i].cluster, -1,
              clusters ? clusters : CLUSTERS_MAX);
    list_length(checker, "distances to water", arrlenu(bsp->leaf_min_dist_to_water), "leaves",
                arrlenu(bsp->leaves));
}

enum status bsp_check_tree(const struct bsp *bsp, const char *name, struct diag *diag)
{
    struct checker checker = {.bsp = bsp, .diag = diag, .where.file = name};
    if (!bsp_vis_is_valid(bsp) && !fault_limit_reached(&checker))
        diag_report(diag, DIAG_BSP_LUMP, &checker.where, "visibility offset outside of the lump");
    if (!checker.faults) {
        check_plane_records(&checker);
        for (size_t i = 0; i < arrlenu(bsp->nodes); i++)
            check_node_record(&checker, i);
        check_leaves(&checker);
        check_model_records(&checker);
    }
    if (!checker.faults)
        check_tree(&checker);
    return checker.faults ? STATUS_FAILED : STATUS_OK;
}

/* --- check --- */

enum {
    LUXELS_MAX = 65536, /* along an axis: the product of two fits 64 bits by far */
    STYLES = 256,
};

static void check_vertices(struct checker *checker, const char *what,
                           const struct bsp_vertex *vertices)
{
    for (size_t i = 0; i < arrlenu(vertices); i++)
        finite(checker, what, i, vertices[i].p, 3);
}

static void check_surfaces(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    check_plane_records(checker);
    for (size_t i = 0; i < arrlenu(bsp->texdata); i++) {
        finite(checker, "texdata", i, bsp->texdata[i].reflectivity, 3);
        range(checker, "texdata", i, "name", bsp->texdata[i].name, 0, arrlen(bsp->texture_names));
    }
    for (size_t i = 0; i < arrlenu(bsp->texinfo); i++) {
        for (int k = 0; k < 2; k++) {
            finite(checker, "texinfo", i, bsp->texinfo[i].texture[k], 4);
            finite(checker, "texinfo", i, bsp->texinfo[i].lightmap[k], 4);
        }
        range(checker, "texinfo", i, "texdata", bsp->texinfo[i].texdata, -1, arrlen(bsp->texdata));
    }
}

static void check_edges(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    check_vertices(checker, "vertex", bsp->vertices);
    check_vertices(checker, "vertex normal", bsp->vertex_normals);
    check_vertices(checker, "primitive vertex", bsp->primitive_vertices);
    check_vertices(checker, "area portal vertex", bsp->clip_portal_vertices);
    for (size_t i = 0; i < arrlenu(bsp->edges); i++)
        for (int k = 0; k < 2; k++)
            range(checker, "edge", i, "vertex", bsp->edges[i].v[k], 0, arrlen(bsp->vertices));
    for (size_t i = 0; i < arrlenu(bsp->surfedges); i++)
        range(checker, "surfedge", i, "edge", llabs((long long)bsp->surfedges[i]), 0,
              arrlen(bsp->edges));
    check_indices(checker, "vertex normal index", bsp->vertex_normal_indices,
                  arrlenu(bsp->vertex_normals));
}

static void check_primitive_lists(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    SPANS(checker, "primitive", bsp->primitives, first_index, index_count, "indices of primitives",
          arrlenu(bsp->primitive_indices));
    SPANS(checker, "primitive", bsp->primitives, first_vertex, vertex_count,
          "vertices of primitives", arrlenu(bsp->primitive_vertices));
}

static void check_face_spans(struct checker *checker, const char *what,
                             const struct bsp_face *faces)
{
    const struct bsp *bsp = checker->bsp;
    SPANS(checker, what, faces, first_edge, edge_count, "surfedges", arrlenu(bsp->surfedges));
    SPANS(checker, what, faces, first_primitive, primitive_count, "primitives",
          arrlenu(bsp->primitives));
}

static void check_face(struct checker *checker, const char *what, size_t i,
                       const struct bsp_face *face)
{
    const struct bsp *bsp = checker->bsp;
    range(checker, what, i, "plane", face->plane, 0, arrlen(bsp->planes));
    range(checker, what, i, "displacement", face->dispinfo, -1, arrlen(bsp->displacements));
    /* A console's file drops the list and keeps the indices. */
    if (arrlen(bsp->original_faces))
        range(checker, what, i, "original face", face->original_face, -1,
              arrlen(bsp->original_faces));
    for (int k = 0; k < 2; k++) {
        range(checker, what, i, "lightmap size", face->lightmap_size[k], 0, LUXELS_MAX);
        range(checker, what, i, "lightmap start", face->lightmap_mins[k], -BSP_COORDINATE_MAX,
              BSP_COORDINATE_MAX);
    }
    finite(checker, what, i, &face->area, 1);
}

static void check_faces(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    int64_t texinfos = arrlen(bsp->texinfo);
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        check_face(checker, "face", i, &bsp->faces[i]);
        range(checker, "face", i, "texinfo", bsp->faces[i].texinfo, -1, texinfos);
    }
    for (size_t i = 0; i < arrlenu(bsp->faces_hdr); i++) {
        check_face(checker, "HDR face", i, &bsp->faces_hdr[i]);
        range(checker, "HDR face", i, "texinfo", bsp->faces_hdr[i].texinfo, -1, texinfos);
    }
    /* Valve's compiler removes unused texinfo after it has written these: theirs is stale. */
    for (size_t i = 0; i < arrlenu(bsp->original_faces); i++)
        check_face(checker, "original face", i, &bsp->original_faces[i]);
    check_face_spans(checker, "face", bsp->faces);
    check_face_spans(checker, "HDR face", bsp->faces_hdr);
    check_face_spans(checker, "original face", bsp->original_faces);
    list_length(checker, "HDR faces", arrlenu(bsp->faces_hdr), "faces", arrlenu(bsp->faces));
    list_length(checker, "face ids", arrlenu(bsp->face_ids), "faces", arrlenu(bsp->faces));
    list_length(checker, "macro textures", arrlenu(bsp->face_macro_texture), "faces",
                arrlenu(bsp->faces));
}

static void check_leaf(struct checker *checker, size_t i)
{
    const struct bsp *bsp = checker->bsp;
    const struct bsp_leaf *leaf = &bsp->leaves[i];
    int clusters = bsp_vis_clusters(bsp);
    range(checker, "leaf", i, "cluster", leaf->cluster, -1, clusters ? clusters : CLUSTERS_MAX);
    range(checker, "leaf", i, "area", leaf->area, 0, arrlen(bsp->areas));
    range(checker, "leaf", i, "water data", leaf->water_data, -1, arrlen(bsp->leaf_water));
}

static void check_nodes(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    for (size_t i = 0; i < arrlenu(bsp->nodes); i++) {
        check_node_record(checker, i);
        range(checker, "node", i, "area", bsp->nodes[i].area, -1, arrlen(bsp->areas));
    }
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        check_leaf(checker, i);
    SPANS(checker, "node", bsp->nodes, first_face, face_count, "faces of nodes",
          arrlenu(bsp->faces));
    SPANS(checker, "leaf", bsp->leaves, first_face, face_count, "leaf faces",
          arrlenu(bsp->leaf_faces));
    SPANS(checker, "leaf", bsp->leaves, first_brush, brush_count, "leaf brushes",
          arrlenu(bsp->leaf_brushes));
    check_indices(checker, "leaf face", bsp->leaf_faces, arrlenu(bsp->faces));
    check_indices(checker, "leaf brush", bsp->leaf_brushes, arrlenu(bsp->brushes));
    for (size_t i = 0; i < arrlenu(bsp->leaf_water); i++) {
        range(checker, "leaf water", i, "texinfo", bsp->leaf_water[i].texinfo, -1,
              arrlen(bsp->texinfo));
        finite(checker, "leaf water", i, &bsp->leaf_water[i].surface_z, 1);
        finite(checker, "leaf water", i, &bsp->leaf_water[i].min_z, 1);
    }
    list_length(checker, "distances to water", arrlenu(bsp->leaf_min_dist_to_water), "leaves",
                arrlenu(bsp->leaves));
}

static void check_models(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    SPANS(checker, "model", bsp->models, first_face, face_count, "faces of models",
          arrlenu(bsp->faces));
    check_model_records(checker);
}

static void check_brushes(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    SPANS(checker, "brush", bsp->brushes, first_side, side_count, "brush sides",
          arrlenu(bsp->brush_sides));
    for (size_t i = 0; i < arrlenu(bsp->brush_sides); i++) {
        const struct bsp_brush_side *side = &bsp->brush_sides[i];
        range(checker, "brush side", i, "plane", side->plane, 0, arrlen(bsp->planes));
        range(checker, "brush side", i, "texinfo", side->texinfo, -1, arrlen(bsp->texinfo));
    }
    SPANS(checker, "area", bsp->areas, first_portal, portal_count, "area portals",
          arrlenu(bsp->area_portals));
    SPANS(checker, "area portal", bsp->area_portals, first_clip_vertex, clip_vertex_count,
          "area portal vertices", arrlenu(bsp->clip_portal_vertices));
    for (size_t i = 0; i < arrlenu(bsp->area_portals); i++) {
        const struct bsp_area_portal *portal = &bsp->area_portals[i];
        range(checker, "area portal", i, "area", portal->other_area, 0, arrlen(bsp->areas));
        range(checker, "area portal", i, "plane", portal->plane, 0, arrlen(bsp->planes));
    }
}

static void check_overlay(struct checker *checker, const char *what, size_t i, int32_t texinfo,
                          const int32_t *faces, int32_t count, int32_t max)
{
    range(checker, what, i, "texinfo", texinfo, -1, arrlen(checker->bsp->texinfo));
    range(checker, what, i, "number of faces", count, 0, max + 1);
    for (int k = 0; k < count && k < max; k++)
        range(checker, what, i, "face", faces[k], 0, arrlen(checker->bsp->faces));
}

static void check_overlays(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    for (size_t i = 0; i < arrlenu(bsp->overlays); i++)
        check_overlay(checker, "overlay", i, bsp->overlays[i].texinfo, bsp->overlays[i].faces,
                      bsp->overlays[i].face_count, OVERLAY_FACES);
    for (size_t i = 0; i < arrlenu(bsp->water_overlays); i++)
        check_overlay(checker, "water overlay", i, bsp->water_overlays[i].texinfo,
                      bsp->water_overlays[i].faces, bsp->water_overlays[i].face_count,
                      WATER_OVERLAY_FACES);
}

static void check_occluders(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    SPANS(checker, "occluder", bsp->occluders, first_polygon, polygon_count, "occluder polygons",
          arrlenu(bsp->occluder_polygons));
    SPANS(checker, "occluder polygon", bsp->occluder_polygons, first_vertex, vertex_count,
          "occluder vertices", arrlenu(bsp->occluder_vertices));
    check_indices(checker, "occluder vertex", bsp->occluder_vertices, arrlenu(bsp->vertices));
    for (size_t i = 0; i < arrlenu(bsp->occluder_polygons); i++)
        range(checker, "occluder polygon", i, "plane", bsp->occluder_polygons[i].plane, 0,
              arrlen(bsp->planes));
}

/* The start of a list of one brush is the brush itself. */
static void check_face_brushes(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    for (size_t i = 0; i < arrlenu(bsp->face_brushes); i++) {
        const struct bsp_face_brushes *list = &bsp->face_brushes[i];
        if (list->count == 1)
            range(checker, "face", i, "brush", list->first, 0, arrlen(bsp->brushes));
        else
            span(checker, "face", i, "brushes", list->first, list->count,
                 arrlenu(bsp->face_brush_list));
    }
    shared(checker, "brushes of faces", arrlenu(bsp->face_brush_list));
    check_indices(checker, "face brush", bsp->face_brush_list, arrlenu(bsp->brushes));
}

static void check_displacements(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    for (size_t i = 0; i < arrlenu(bsp->displacements); i++)
        finite(checker, "displacement", i, bsp->displacements[i].start, 3);
    for (size_t i = 0; i < arrlenu(bsp->disp_vertices); i++) {
        finite(checker, "displacement vertex", i, bsp->disp_vertices[i].vector, 3);
        finite(checker, "displacement vertex", i, &bsp->disp_vertices[i].distance, 1);
    }
}

static void check_visibility(struct checker *checker)
{
    const struct bytes *lump = &checker->bsp->visibility;
    if (!vis_table_is_valid(lump) && !fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_LUMP, &checker->where,
                    "visibility offset outside of the lump");
    else
        range(checker, "visibility", 0, "number of clusters", bsp_vis_clusters(checker->bsp), 0,
              CLUSTERS_MAX + 1);
}

static void check_worldlight(struct checker *checker, size_t i, const struct bsp_worldlight *light)
{
    const float numbers[] = {light->stopdot,  light->stopdot2, light->exponent, light->radius,
                             light->constant, light->linear,   light->quadratic};
    finite(checker, "worldlight", i, light->origin, 3);
    finite(checker, "worldlight", i, light->intensity, 3);
    finite(checker, "worldlight", i, light->normal, 3);
    finite(checker, "worldlight", i, numbers, sizeof numbers / sizeof numbers[0]);
    range(checker, "worldlight", i, "cluster", light->cluster, -1, CLUSTERS_MAX);
    range(checker, "worldlight", i, "style", light->style, 0, STYLES);
    /* Only used for surface lights. */
    if (light->type == WORLDLIGHT_SURFACE)
        range(checker, "worldlight", i, "texinfo", light->texinfo, -1,
              arrlen(checker->bsp->texinfo));
}

static void check_light_set(struct checker *checker, const struct bsp_light_set *set)
{
    size_t leaves = arrlenu(checker->bsp->leaves);
    for (size_t i = 0; i < arrlenu(set->worldlights); i++)
        check_worldlight(checker, i, &set->worldlights[i]);
    list_length(checker, "indices of ambient light", arrlenu(set->ambient_index), "leaves", leaves);
    for (size_t i = 0; i < arrlenu(set->ambient_index); i++) {
        const struct bsp_ambient_index *index = &set->ambient_index[i];
        if (index->count)
            span(checker, "ambient index", i, "samples", index->first, index->count,
                 arrlenu(set->ambient));
        else
            range(checker, "ambient index", i, "leaf", index->first, 0, (int64_t)leaves);
    }
    shared(checker, "samples of ambient light", arrlenu(set->ambient));
}

/* Checks the face's samples, and the averages before them. */
static void check_lightmap(struct checker *checker, const char *what, size_t i,
                           const struct bsp_face *face, const struct bytes *lighting)
{
    const struct bsp *bsp = checker->bsp;
    int styles = 0, maps = 1;
    if (face->light_offset < 0 || !lighting->size)
        return;
    while (styles < BSP_FACE_STYLES && face->styles[styles] != BSP_STYLE_NONE)
        styles++;
    if (face->texinfo >= 0 && bsp->texinfo[face->texinfo].flags & SURFACE_BUMPLIGHT)
        maps = 4;
    int64_t luxels = (int64_t)(face->lightmap_size[0] + 1) * (face->lightmap_size[1] + 1);
    int64_t size = 4 * luxels * styles * maps, average = (int64_t)4 * styles;
    if ((face->light_offset >= average && face->light_offset + size <= (int64_t)lighting->size) ||
        fault_limit_reached(checker))
        return;
    diag_report(checker->diag, DIAG_BSP_RANGE, &checker->where,
                "%s %zu: lightmap of %lld bytes at offset %d, but the lighting has %zu bytes", what,
                i, (long long)size, face->light_offset, lighting->size);
}

static void check_primitives(struct checker *checker, size_t i, const struct bsp_face *face)
{
    const struct bsp *bsp = checker->bsp;
    for (int k = 0; k < face->primitive_count; k++) {
        const struct bsp_primitive *primitive = &bsp->primitives[face->first_primitive + k];
        int end = primitive->vertex_count ? primitive->vertex_count : face->edge_count;
        for (int j = 0; j < primitive->index_count; j++)
            range(checker, "face", i, "vertex of a primitive",
                  bsp->primitive_indices[primitive->first_index + j], 0, end);
    }
}

static void check_face_lists(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    /* Files with one list of faces for LDR and HDR have the same offsets in both. */
    const struct bsp_face *hdr = bsp->faces_hdr;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        check_primitives(checker, i, &bsp->faces[i]);
        check_lightmap(checker, "face", i, &bsp->faces[i], &bsp->ldr.lighting);
        check_lightmap(checker, hdr ? "HDR face" : "face", i, hdr ? &hdr[i] : &bsp->faces[i],
                       &bsp->hdr.lighting);
    }
}

enum status bsp_check(const struct bsp *bsp, const char *name, struct diag *diag)
{
    struct checker checker = {.bsp = bsp, .diag = diag, .where.file = name};
    check_visibility(&checker);
    if (!checker.faults) {
        check_surfaces(&checker);
        check_edges(&checker);
        check_primitive_lists(&checker);
        check_faces(&checker);
        check_nodes(&checker);
        check_models(&checker);
        check_brushes(&checker);
        check_displacements(&checker);
        check_overlays(&checker);
        check_occluders(&checker);
        check_face_brushes(&checker);
        check_light_set(&checker, &bsp->ldr);
        check_light_set(&checker, &bsp->hdr);
    }
    /* These follow indices. */
    if (!checker.faults) {
        check_face_lists(&checker);
        check_tree(&checker);
    }
    return checker.faults ? STATUS_FAILED : STATUS_OK;
}
