/* Verifies the requirements of Quake 3's engine on a map and the invariants of compilers
 * (docs/formats/ibsp.md lists them by number). */
#include "common/bsp/verify/verify_internal.h"

#include "common/bsp/codec/codec.h"
#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/verify.def"
#include "common/diag/codes/verify_quake3.def"
#include "common/text/entities.h"

enum {
    BOX_SIDES = 6, /* the first sides of a brush: its box */
    ALIGNMENT = 4,
};

static const float NORMAL_REACH = 1e-3f, AXIS_REACH = 1e-4f, AXIAL_MIN = 0.99999f;

static void verify_lists(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    const struct {
        const char *what;
        size_t length;
    } lists[] = {
        {"shader", arrlenu(bsp->shaders)}, {"plane", arrlenu(bsp->planes)},
        {"node", arrlenu(bsp->nodes)},     {"leaf", arrlenu(bsp->leaves)},
        {"model", arrlenu(bsp->models)},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (!lists[i].length)
            verify_fault(verifier, DIAG_IBSP_LIST, NULL, "no %s", lists[i].what);
    if (bsp->ldr.lighting.size % bsp_page_bytes(bsp))
        verify_fault(verifier, DIAG_IBSP_LIST, NULL,
                     "lightmaps of %zu bytes, not a multiple of %zu", bsp->ldr.lighting.size,
                     bsp_page_bytes(bsp));
}

static void verify_places(struct verifier *verifier)
{
    const struct bsp_layout *layout = &verifier->bsp->layout;
    for (int i = 0; i < layout->count; i++) {
        int lump = layout->order[i];
        if (layout->length[lump] && layout->offset[lump] % ALIGNMENT)
            verify_fault(verifier, DIAG_IBSP_PLACE, NULL, "lump %d (%s) at offset %lld", lump,
                         bsp_lump_name(verifier->bsp->format, lump),
                         (long long)layout->offset[lump]);
    }
}

static void verify_text(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    const struct bsp_layout *layout = &bsp->layout;
    int64_t end = layout->offset[IBSP_ENTITIES] + layout->length[IBSP_ENTITIES];
    size_t size = arrlenu(bsp->entities);
    if (layout->count && layout->length[IBSP_ENTITIES] && layout->file.data[end - 1])
        verify_fault(verifier, DIAG_IBSP_TEXT, NULL, "entities");
    if (size && memchr(bsp->entities, 0, size))
        verify_fault(verifier, DIAG_IBSP_ENTITIES, NULL, "zero byte in the text");
    for (size_t i = 0; i < arrlenu(bsp->shaders); i++)
        if (!memchr(bsp->shaders[i].name, 0, SHADER_NAME))
            verify_fault(verifier, DIAG_IBSP_TEXT, NULL, "name of shader %zu", i);
    for (size_t i = 0; i < arrlenu(bsp->effects); i++)
        if (!memchr(bsp->effects[i].name, 0, SHADER_NAME))
            verify_fault(verifier, DIAG_IBSP_TEXT, NULL, "name of fog %zu", i);
}

static void verify_all_entities(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    struct entity_list list = {0};
    if (entities_parse(bsp->entities ? bsp->entities : "", arrlenu(bsp->entities), verifier->name,
                       verifier->diag, &list) != STATUS_OK) {
        verify_fault(verifier, DIAG_IBSP_ENTITIES, NULL, "syntax error");
        return;
    }
    if (!arrlen(list.entities) || !entity_is(&list.entities[0], "worldspawn"))
        verify_fault(verifier, DIAG_IBSP_ENTITIES, NULL, "the first entity is not worldspawn");
    for (size_t i = 0; i < arrlenu(list.entities); i++) {
        struct entity_check checked;
        entity_check(&list.entities[i], i, arrlenu(bsp->models), &checked);
        if (checked.fault[0])
            verify_fault(verifier, DIAG_IBSP_ENTITIES, NULL, "%s", checked.fault);
    }
    entities_free(&list);
}

static bool is_opposite(float a, float b)
{
    return fabsf(a + b) <= 1e-6f * portable_fmaxf(1, fabsf(a));
}

static void verify_pair(struct verifier *verifier, size_t i)
{
    const struct bsp_plane *one = &verifier->bsp->planes[i], *other = one + 1;
    bool opposite = is_opposite(one->dist, other->dist);
    for (int k = 0; k < 3; k++) {
        opposite = opposite && is_opposite(one->normal[k], other->normal[k]);
        if (one->normal[k] < -AXIAL_MIN)
            verify_fault(verifier, DIAG_IBSP_PLANE_PAIR, NULL,
                         "planes %zu and %zu: the negative one is first", i, i + 1);
    }
    if (!opposite)
        verify_fault(verifier, DIAG_IBSP_PLANE_PAIR, NULL, "planes %zu and %zu are not opposite", i,
                     i + 1);
}

static void verify_all_planes(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    size_t count = arrlenu(bsp->planes);
    for (size_t i = 0; i < count; i++) {
        const float *n = bsp->planes[i].normal;
        float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (!(fabsf(length - 1) <= NORMAL_REACH))
            verify_fault(verifier, DIAG_IBSP_PLANE, NULL, "plane %zu: normal of length %g", i,
                         (double)length);
    }
    for (size_t i = 0; i + 1 < count; i += 2)
        verify_pair(verifier, i);
    if (count % 2)
        verify_fault(verifier, DIAG_IBSP_PLANE_PAIR, NULL, "odd number of planes (%zu)", count);
    for (size_t i = 0; i < arrlenu(bsp->nodes); i++)
        if (bsp->nodes[i].plane % 2)
            verify_fault(verifier, DIAG_IBSP_PLANE_PAIR, NULL, "node %zu: second plane of a pair",
                         i);
}

/* Marks the leaves below node 0: 0 in the tree, else -1. */
static void walk_tree(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    size_t leaves = arrlenu(bsp->leaves);
    int *stack = NULL;
    verifier->leaf_model = ARENA_ARRAY(&verifier->arena, int, leaves);
    for (size_t i = 0; i < leaves; i++)
        verifier->leaf_model[i] = -1;
    if (arrlen(bsp->nodes))
        arrput(stack, 0);
    while (arrlen(stack)) {
        const struct bsp_node *node = &bsp->nodes[arrpop(stack)];
        for (int k = 0; k < 2; k++) {
            int child = node->children[k], leaf = -1 - child;
            if (child >= 0) {
                arrput(stack, child);
                continue;
            }
            if (!verifier->leaf_model[leaf])
                verify_fault(verifier, DIAG_IBSP_TREE, NULL, "leaf %d: twice in the tree", leaf);
            verifier->leaf_model[leaf] = 0;
        }
    }
    arrfree(stack);
}

static void verify_first_leaf(struct verifier *verifier)
{
    const struct bsp_leaf *leaf = verifier->bsp->leaves;
    if (!leaf)
        return;
    if (!verifier->leaf_model[0])
        verify_fault(verifier, DIAG_IBSP_TREE, NULL, "leaf 0: in the tree");
    if (leaf->face_count || leaf->brush_count)
        verify_fault(verifier, DIAG_IBSP_TREE, NULL, "leaf 0: has surfaces or brushes");
}

/* Returns true when all elements of a range of a list are in first..first + count - 1. */
static bool names_only(const int32_t *list, int32_t from, int32_t length, int32_t first,
                       int32_t count)
{
    for (int i = 0; i < length; i++)
        if (list[from + i] < first || list[from + i] - first >= count)
            return false;
    return true;
}

static void verify_leaf(struct verifier *verifier, size_t i)
{
    const struct bsp *bsp = verifier->bsp;
    const struct bsp_leaf *leaf = &bsp->leaves[i];
    const struct bsp_model *world = &bsp->models[0];
    if ((leaf->cluster < 0) != (leaf->area < 0))
        verify_fault(verifier, DIAG_IBSP_LEAF, NULL, "leaf %zu: cluster %d with area %d", i,
                     leaf->cluster, leaf->area);
    if (leaf->cluster < 0 && leaf->face_count)
        verify_fault(verifier, DIAG_IBSP_LEAF, NULL, "leaf %zu: solid with surfaces", i);
    if (!names_only(bsp->leaf_faces, leaf->first_face, leaf->face_count, world->first_face,
                    world->face_count))
        verify_fault(verifier, DIAG_IBSP_LEAF, NULL, "leaf %zu: surface of another model", i);
    if (!names_only(bsp->leaf_brushes, leaf->first_brush, leaf->brush_count, world->first_brush,
                    world->brush_count))
        verify_fault(verifier, DIAG_IBSP_LEAF, NULL, "leaf %zu: brush of another model", i);
    if (leaf->cluster >= 0 && !bsp_leaf_has_box(leaf))
        verify_fault(verifier, DIAG_VERIFY_BOX, NULL, "leaf %zu: no box", i);
}

/* The engine reads a brush's box from the distances of its first six sides. */
static void verify_brush(struct verifier *verifier, size_t i)
{
    const struct bsp *bsp = verifier->bsp;
    const struct bsp_brush *brush = &bsp->brushes[i];
    if (brush->side_count < BOX_SIDES) {
        verify_fault(verifier, DIAG_IBSP_BRUSH, NULL, "brush %zu: %d sides", i, brush->side_count);
        return;
    }
    for (int side = 0; side < BOX_SIDES; side++) {
        const float *normal = bsp->planes[bsp->brush_sides[brush->first_side + side].plane].normal;
        for (int k = 0; k < 3; k++) {
            float due = k != side / 2 ? 0 : side % 2 ? 1 : -1;
            if (fabsf(normal[k] - due) <= AXIS_REACH)
                continue;
            verify_fault(verifier, DIAG_IBSP_BRUSH, NULL, "brush %zu: side %d does not face %c%c",
                         i, side, "-+"[side % 2], 'x' + side / 2);
            return;
        }
    }
}

static void verify_all_models(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    int surface = 0, brush = 0;
    for (size_t i = 0; i < arrlenu(bsp->models); i++) {
        const struct bsp_model *model = &bsp->models[i];
        if (model->face_count && model->first_face != surface)
            verify_fault(verifier, DIAG_IBSP_MODEL, NULL,
                         "model %zu: surfaces start at %d, but the previous ones end at %d", i,
                         model->first_face, surface);
        if (model->brush_count && model->first_brush != brush)
            verify_fault(verifier, DIAG_IBSP_MODEL, NULL,
                         "model %zu: brushes start at %d, but the previous ones end at %d", i,
                         model->first_brush, brush);
        if (model->face_count)
            surface = model->first_face + model->face_count;
        if (model->brush_count)
            brush = model->first_brush + model->brush_count;
    }
}

static void verify_tree_of_world(struct verifier *verifier)
{
    walk_tree(verifier);
    verify_first_leaf(verifier);
    for (size_t i = 0; i < arrlenu(verifier->bsp->leaves); i++)
        if (!verifier->leaf_model[i])
            verify_leaf(verifier, i);
}

static void verify_all_brushes(struct verifier *verifier)
{
    for (size_t i = 0; i < arrlenu(verifier->bsp->brushes); i++)
        verify_brush(verifier, i);
}

/* Returns the spacing of the light grid as the engine takes it from the world. */
/* --- surfaces, light and visibility --- */

static struct vec3 grid_size(const struct bsp *bsp)
{
    struct diag *quiet = diag_new(NULL, NULL);
    struct entity_list list = {0};
    struct vec3 size = vec3(64, 64, 128);
    if (arrlen(bsp->entities) &&
        entities_parse(bsp->entities, arrlenu(bsp->entities), "", quiet, &list) == STATUS_OK) {
        if (arrlen(list.entities))
            entity_vector(&list.entities[0], "gridsize", &size);
        entities_free(&list);
    }
    diag_free(quiet);
    return size;
}

/* In float, like the engine. */
static double grid_points(const struct bsp *bsp)
{
    const struct bsp_model *world = &bsp->models[0];
    struct vec3 size = grid_size(bsp);
    double points = 1;
    for (int k = 0; k < 3; k++) {
        float step = (float)size.e[k];
        float first = step * ceilf(world->mins[k] / step);
        float last = step * floorf(world->maxs[k] / step);
        points *= (double)truncf((last - first) / step + 1);
    }
    return points;
}

static void ibsp_verify_light(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    const struct bsp_layout *layout = &bsp->layout;
    double have = (double)arrlenu(bsp->light_grid), due = grid_points(bsp);
    if (arrlen(bsp->light_grid) && !(have == due))
        verify_fault(verifier, DIAG_IBSP_GRID, NULL, "%.0f points, but the engine expects %.0f",
                     have, due);
    const int64_t page = (int64_t)bsp_page_bytes(bsp);
    int64_t end = layout->offset[IBSP_LIGHTMAPS] + layout->length[IBSP_LIGHTMAPS];
    if (layout->count && layout->length[IBSP_LIGHTMAPS] == page && layout->size - end < page)
        verify_fault(verifier, DIAG_IBSP_LIGHTMAP, NULL,
                     "the engine reads %lld bytes past a single page, but the file has only %lld",
                     (long long)page, (long long)(layout->size - end));
}

/* Location for messages: the surface's first vertex. */
static struct vec3 position_of(const struct bsp *bsp, const struct bsp_surface *surface)
{
    const float *p = bsp->draw_vertices[surface->first_vertex].p;
    return vec3((double)p[0], (double)p[1], (double)p[2]);
}

enum {
    DRAW_VERTICES = 1000, /* per surface: size of the engine's buffers */
    DRAW_INDICES = 6000,
    PLANAR_VERTICES = 64,
    PATCH_SIDE = 32,
    LIGHTMAP_MIN = -4, /* -1 none, -2 white, -3 by vertex, -4 as a picture */
    LIGHTMAP_FOREIGN = 0x1000,
};

static void verify_foliage(struct verifier *verifier, size_t i, const struct bsp_surface *surface,
                           const struct vec3 *point)
{
    const int32_t *size = surface->patch_size;
    if (size[0] < 0 || size[1] < 0 || (int64_t)size[0] + size[1] != surface->vertex_count)
        verify_fault(verifier, DIAG_IBSP_SURFACE, point,
                     "surface %zu: foliage of %d vertices at %d places; it has %d vertices", i,
                     size[1], size[0], surface->vertex_count);
}

static void verify_drawn(struct verifier *verifier, size_t i, const struct bsp_surface *surface,
                         const struct vec3 *point)
{
    if (surface->type == SURFACE_PATCH) {
        if (surface->patch_size[0] > PATCH_SIDE || surface->patch_size[1] > PATCH_SIDE)
            verify_fault(verifier, DIAG_IBSP_SURFACE, point,
                         "surface %zu: patch of %d x %d; the maximum is %d", i,
                         surface->patch_size[0], surface->patch_size[1], PATCH_SIDE);
        return;
    }
    if (surface->type == SURFACE_FLARE)
        return;
    if (surface->type == SURFACE_FOLIAGE)
        verify_foliage(verifier, i, surface, point);
    if (surface->index_count % 3)
        verify_fault(verifier, DIAG_IBSP_SURFACE, point,
                     "surface %zu: %d vertex indices, not a multiple of 3", i,
                     surface->index_count);
    if (surface->vertex_count >= DRAW_VERTICES || surface->index_count >= DRAW_INDICES)
        verify_fault(verifier, DIAG_IBSP_SURFACE, point,
                     "surface %zu: %d vertices and %d indices; must be less than %d and %d", i,
                     surface->vertex_count, surface->index_count, DRAW_VERTICES, DRAW_INDICES);
    if (surface->type == SURFACE_PLANAR && surface->vertex_count > PLANAR_VERTICES)
        verify_fault(verifier, DIAG_IBSP_SURFACE, point,
                     "surface %zu: planar with %d vertices; the maximum is %d", i,
                     surface->vertex_count, PLANAR_VERTICES);
}

static const float COORDINATE_REACH = 1e-3f;

/* A page of the surface, of any style. */
static void verify_page(struct verifier *verifier, size_t i, int32_t page, const struct vec3 *point)
{
    int pages = (int)bsp_page_count(verifier->bsp);
    if ((page >= pages && page < LIGHTMAP_FOREIGN) || page < LIGHTMAP_MIN)
        verify_fault(verifier, DIAG_IBSP_LIGHTMAP, point, "surface %zu: lightmap %d of %d", i, page,
                     pages);
}

static void verify_lightmap(struct verifier *verifier, size_t i, const struct bsp_surface *surface,
                            const struct vec3 *point)
{
    const struct bsp *bsp = verifier->bsp;
    verify_page(verifier, i, surface->lightmap, point);
    for (int k = 0; bsp->engine->light.has_styles && k < MORE_STYLES; k++)
        if (surface->light_styles[k + 1] != BSP_STYLE_NONE)
            verify_page(verifier, i, surface->more_lightmap[k], point);
    for (int k = 0; k < surface->vertex_count && surface->lightmap >= 0; k++) {
        const float *at = bsp->draw_vertices[surface->first_vertex + k].lightmap;
        for (int axis = 0; axis < 2; axis++)
            if (at[axis] < -COORDINATE_REACH || at[axis] > 1 + COORDINATE_REACH) {
                verify_fault(verifier, DIAG_IBSP_LIGHTMAP, point,
                             "surface %zu: lightmap coordinates %g %g", i, (double)at[0],
                             (double)at[1]);
                return;
            }
    }
}

static void verify_surface(struct verifier *verifier, size_t i)
{
    const struct bsp *bsp = verifier->bsp;
    const struct bsp_surface *surface = &bsp->surfaces[i];
    struct vec3 position = {0};
    const struct vec3 *point = NULL;
    if (surface->vertex_count) {
        position = position_of(bsp, surface);
        point = &position;
    }
    if (surface->effect < -1 || surface->effect >= arrlen(bsp->effects))
        verify_fault(verifier, DIAG_IBSP_EFFECT, point, "surface %zu: fog %d of %td", i,
                     surface->effect, arrlen(bsp->effects));
    const int last = bsp->engine->geometry.has_foliage ? SURFACE_FOLIAGE : SURFACE_FLARE;
    if (surface->type < SURFACE_PLANAR || surface->type > last) {
        verify_fault(verifier, DIAG_IBSP_SURFACE, point, "surface %zu: type %d", i, surface->type);
        return;
    }
    verify_drawn(verifier, i, surface, point);
    verify_lightmap(verifier, i, surface, point);
}

static bool are_finite(const float *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static void verify_vertices(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    size_t count[3] = {0};
    for (size_t i = 0; i < arrlenu(bsp->draw_vertices); i++) {
        const struct bsp_draw_vertex *vertex = &bsp->draw_vertices[i];
        count[0] += !are_finite(vertex->texture, 2);
        count[1] += !are_finite(vertex->lightmap, 2);
        count[2] += !are_finite(vertex->normal, 3);
    }
    static const char *const names[] = {"texture coordinates", "lightmap coordinates", "normal"};
    for (int k = 0; k < 3; k++)
        if (count[k])
            verify_fault(verifier, DIAG_IBSP_VERTEX, NULL, "%s of %zu %s", names[k], count[k],
                         count[k] == 1 ? "vertex" : "vertices");
}

/* Verify the drawn and lit parts of an IBSP. */
static void ibsp_verify_surfaces(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++)
        verify_surface(verifier, i);
    verify_vertices(verifier);
    for (size_t i = 0; i < arrlenu(bsp->effects); i++)
        if (bsp->effects[i].brush < 0)
            verify_fault(verifier, DIAG_IBSP_EFFECT, NULL, "fog %zu: no brush", i);
}

static void ibsp_verify_visibility(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    int clusters = bsp_vis_clusters(bsp);
    int64_t row = bsp->visibility_row, blind = 0;
    int64_t stored = bsp->layout.count ? bsp->layout.length[IBSP_VISIBILITY] : 0;
    int64_t due = 8 + clusters * row;
    if (stored && stored != due)
        verify_fault(verifier, DIAG_IBSP_VIS_ODD, NULL,
                     "lump of %lld bytes; %d rows of %lld bytes and two counts have %lld",
                     (long long)stored, clusters, (long long)row, (long long)due);
    if (row && row * 8 < clusters)
        verify_fault(verifier, DIAG_IBSP_VIS, NULL, "rows of %lld bytes, too short for %d clusters",
                     (long long)row, clusters);
    for (int i = 0; i < clusters; i++)
        blind += !bsp_vis_sees(bsp, i, i);
    if (blind)
        verify_fault(verifier, DIAG_IBSP_VIS_ODD, NULL, "clusters that do not see themselves: %lld",
                     (long long)blind);
}

static const struct verify_step steps[] = {
    {"lists that a map needs", verify_lists},
    {"places of lumps", verify_places},
    {"end of the entities' text", verify_text},
    {"entities and their models", verify_all_entities},
    {"planes", verify_all_planes},
    {"tree and leaves", verify_tree_of_world},
    {"brushes", verify_all_brushes},
    {"models", verify_all_models},
    {"surfaces", ibsp_verify_surfaces},
    {"lightmaps and light grid", ibsp_verify_light},
    {"visibility", ibsp_verify_visibility},
};

const struct verify_steps ibsp_verify_steps = {steps, sizeof steps / sizeof *steps};
