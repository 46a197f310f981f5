/* Writes the tree, its leaves, brushes, surfaces, models and shaders as records. */
#include "vbsp/target/quake3/emit/emit.h"

#include <stdlib.h>
#include <string.h>

#include "common/bsp/dialect.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_fragment.h"
#include "vbsp/target/quake3/brushes/brushes.h"
#include "vbsp/tree/tree_write.h"

/* --- brushes and surfaces in the leaves where the engine looks for them --- */

enum {
    /* Contents without effect: the engine needs such brushes in no leaf. */
    IDLE = Q3_CONTENTS_DETAIL | Q3_CONTENTS_STRUCTURAL | Q3_CONTENTS_TRANSLUCENT,
};

/* ---- brushes ---- */

/* Filters the world's brushes into the lists (leaf_brushes) of the leaves. */
static void quake3_filter_brushes(const struct compile *compile, struct tree *tree)
{
    const int *brushes = compile->entities[0].brushes;
    for (size_t i = 0; i < arrlenu(brushes); i++) {
        const struct map_brush *brush = compile->brushes[brushes[i]];
        if (brush != quake3_of(compile)->global_fog &&
            quake3_brush_shader(compile, brush)->contents & ~IDLE)
            tree_filter_fragment(tree, &compile->planes,
                                 brush_fragment_new(&tree->arena, brush, true), true);
    }
}

/* ---- surfaces ---- */

struct leaf_filter {
    const struct plane *planes;
    struct arena *scratch;
    struct node ***leaves;
    struct vec3 normal; /* of the polygon */
    bool two_sided;
};

static void add_leaf(struct leaf_filter *leaf_filter, struct node *leaf)
{
    struct node **leaves = *leaf_filter->leaves;
    if (!leaf_is_open(leaf) || (arrlen(leaves) && arrlast(leaves) == leaf))
        return;
    arrput(*leaf_filter->leaves, leaf);
}

/* A polygon on a node's plane is visible from its front. */
static void push_winding(struct leaf_filter *leaf_filter, struct node *node,
                         const struct winding *winding)
{
    while (node->plane != PLANE_LEAF) {
        const struct plane *plane = &leaf_filter->planes[node->plane];
        struct winding *parts[2];
        winding_clip(leaf_filter->scratch, winding, plane, EPSILON_SPLIT, &parts[0], &parts[1]);
        if (!parts[0] && !parts[1]) {
            int facing = vec3_dot(plane->normal, leaf_filter->normal) < 0;
            if (leaf_filter->two_sided)
                push_winding(leaf_filter, node->children[!facing], winding);
            node = node->children[facing];
            continue;
        }
        if (parts[0] && parts[1])
            push_winding(leaf_filter, node->children[1], parts[1]);
        winding = parts[0] ? parts[0] : parts[1];
        node = node->children[!parts[0]];
    }
    add_leaf(leaf_filter, node);
}

static void push_box(struct leaf_filter *leaf_filter, struct node *node, const struct bounds *box)
{
    while (node->plane != PLANE_LEAF) {
        const struct plane *plane = &leaf_filter->planes[node->plane];
        double near = 0, far = 0;
        for (int i = 0; i < 3; i++) {
            double n = plane->normal.e[i];
            far += n * (n > 0 ? box->maxs.e[i] : box->mins.e[i]);
            near += n * (n > 0 ? box->mins.e[i] : box->maxs.e[i]);
        }
        bool front = far > plane->dist - EPSILON_SPLIT, back = near < plane->dist + EPSILON_SPLIT;
        if (front && back)
            push_box(leaf_filter, node->children[1], box);
        node = node->children[!front];
    }
    add_leaf(leaf_filter, node);
}

static void push_triangles(struct leaf_filter *leaf_filter, struct tree *tree,
                           const struct draw_surface *surface)
{
    for (size_t i = 0; i + 2 < arrlenu(surface->indices); i += 3) {
        struct vec3 corners[3];
        for (int j = 0; j < 3; j++)
            corners[j] = surface->vertices[surface->indices[i + (size_t)j]].p;
        struct winding *winding = winding_new(leaf_filter->scratch, 3, corners);
        struct plane plane;
        if (!winding_plane(winding, &plane))
            continue;
        leaf_filter->normal = plane.normal;
        push_winding(leaf_filter, tree->root, winding);
        arena_reset(leaf_filter->scratch);
    }
}

/* A curve stays within the hull of the nine points of each Bezier patch. */
static void push_patch(struct leaf_filter *leaf_filter, struct tree *tree,
                       const struct draw_surface *surface)
{
    int columns = surface->patch_columns, rows = surface->patch_rows;
    for (int row = 0; row + 2 < rows; row += 2) {
        for (int column = 0; column + 2 < columns; column += 2) {
            struct bounds box = bounds_empty();
            for (int i = 0; i < 9; i++)
                bounds_add_point(&box,
                                 surface->vertices[(row + i / 3) * columns + column + i % 3].p);
            push_box(leaf_filter, tree->root, &box);
        }
    }
}

static void push_points(struct leaf_filter *leaf_filter, struct tree *tree,
                        const struct draw_surface *surface)
{
    for (size_t i = 0; i < arrlenu(surface->vertices); i++) {
        struct bounds box = {surface->vertices[i].p, surface->vertices[i].p};
        push_box(leaf_filter, tree->root, &box);
    }
}

static int compare_leaves(const void *a, const void *b)
{
    const struct node *p = *(struct node *const *)a, *q = *(struct node *const *)b;
    return (p->index > q->index) - (p->index < q->index);
}

/* Appends the open leaves that a surface touches to the stb_ds array, without duplicates. */
static void quake3_leaves_of(const struct compile *compile, struct tree *tree,
                             struct arena *scratch, const struct draw_surface *surface,
                             struct node ***leaves)
{
    struct leaf_filter leaf_filter = {.planes = compile->planes.planes,
                                      .scratch = scratch,
                                      .leaves = leaves,
                                      .two_sided =
                                          surface->shader->compile_flags & SHADER_TWO_SIDED};
    size_t first = arrlenu(*leaves);
    if (surface->type == SURFACE_PATCH)
        push_patch(&leaf_filter, tree, surface);
    else if (surface->indices)
        push_triangles(&leaf_filter, tree, surface);
    else
        push_points(&leaf_filter, tree, surface);
    struct node **list = *leaves;
    size_t count = arrlenu(list), kept = first;
    if (count > first + 1)
        qsort(list + first, count - first, sizeof *list, compare_leaves);
    for (size_t i = first; i < count; i++)
        if (i == first || list[i] != list[kept - 1])
            list[kept++] = list[i];
    if (count)
        arrsetlen(*leaves, kept);
}

struct shader_cell {
    struct bsp_shader key; /* zeroed, then filled */
    int value;
};

/* --- records of surfaces --- */

enum { LIGHTMAP_NONE = -3 }; /* vertex lit */

#define DEFAULT_SAMPLE_SIZE 16.0F

struct run_cell {
    uint64_t key; /* hash of a run of indices */
    int value;    /* its position */
};

static uint64_t hash_more(uint64_t hash, int index)
{
    hash = (hash ^ (uint64_t)(unsigned)index) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Runs consist of whole triangles: each prefix of one is known too. */
static void learn_run(struct quake3 *quake3, const int32_t *indices, int first, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) {
        hash = hash_more(hash, indices[(size_t)first + i]);
        if (i % 3 == 2 && hmgeti(quake3->runs, hash) < 0)
            hmput(quake3->runs, hash, first);
    }
}

/* Position of the indices: an equal run written before, or the end. Nearly all polygons have the
 * indices of a quad or a prefix of them, which come first. */
static int emit_indices(struct compile *compile, const int *indices)
{
    struct quake3 *quake3 = quake3_of(compile);
    struct bsp *bsp = compile->bsp;
    static const int square[] = {0, 1, 2, 0, 2, 3};
    if (!arrlen(bsp->draw_indices)) {
        for (size_t i = 0; i < sizeof square / sizeof *square; i++)
            arrput(bsp->draw_indices, square[i]);
        learn_run(quake3, bsp->draw_indices, 0, sizeof square / sizeof *square);
    }
    size_t count = arrlenu(indices);
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++)
        hash = hash_more(hash, indices[i]);
    ptrdiff_t at = hmgeti(quake3->runs, hash);
    int known = at < 0 ? 0 : quake3->runs[at].value;
    if (at >= 0 && (size_t)known + count <= arrlenu(bsp->draw_indices) &&
        memcmp(bsp->draw_indices + known, indices, count * sizeof *indices) == 0)
        return known;
    int first = (int)arrlen(bsp->draw_indices);
    for (size_t i = 0; i < count; i++)
        arrput(bsp->draw_indices, indices[i]);
    learn_run(quake3, bsp->draw_indices, first, count);
    return first;
}

void quake3_runs_free(struct quake3 *quake3)
{
    hmfree(quake3->runs);
}

static struct bsp_draw_vertex vertex_record(const struct draw_vertex *vertex)
{
    struct bsp_draw_vertex record = {0};
    for (int i = 0; i < 3; i++) {
        record.p[i] = (float)vertex->p.e[i] + 0.0F;
        record.normal[i] = (float)vertex->normal.e[i] + 0.0F;
    }
    for (int i = 0; i < 2; i++)
        record.texture[i] = (float)vertex->texture[i] + 0.0F;
    memcpy(record.colour, vertex->colour, sizeof record.colour);
    return record;
}

/* A patch has the bounds of its LOD group. */
static void set_vectors(const struct draw_surface *surface, struct bsp_surface *record)
{
    for (int i = 0; i < 3; i++) {
        if (surface->type == SURFACE_PATCH) {
            record->lightmap_vectors[0][i] = (float)surface->lod.mins.e[i];
            record->lightmap_vectors[1][i] = (float)surface->lod.maxs.e[i];
        }
        if (surface->planar)
            record->normal[i] = (float)surface->normal.e[i] + 0.0F;
    }
    record->patch_size[0] = surface->patch_columns;
    record->patch_size[1] = surface->patch_rows;
}

/* A flare has no vertex in the file: position, colour and direction are in the record. */
static void set_flare(const struct draw_surface *surface, struct bsp_surface *record)
{
    const struct draw_vertex *vertex = &surface->vertices[0];
    for (int i = 0; i < 3; i++) {
        record->lightmap_origin[i] = (float)vertex->p.e[i] + 0.0F;
        record->lightmap_vectors[0][i] = (float)vertex->colour[i] / 255.0F;
        record->normal[i] = (float)vertex->normal.e[i] + 0.0F;
    }
    record->vertex_count = 0;
}

static void note_surface(struct quake3 *quake3, const struct draw_surface *surface)
{
    struct surface_note note = {.shade_angle = (float)surface->keys.shade_angle,
                                .cast_shadows = surface->keys.cast_shadows,
                                .receive_shadows = surface->keys.receive_shadows,
                                .entity = surface->entity};
    if (surface->type == SURFACE_PATCH && note.cast_shadows && !surface->keys.casts_by_key)
        note.cast_shadows = SHADOWS_OF_PATCH;
    vec3_to_floats(surface->keys.ambient, note.ambient);
    if (surface->lightmapped)
        note.sample_size =
            surface->keys.sample_size > 0 ? (float)surface->keys.sample_size : DEFAULT_SAMPLE_SIZE;
    arrput(quake3->notes.items, note);
}

static int shader_record(struct compile *compile, const char *name, struct dialect_flags surface,
                         struct dialect_flags contents)
{
    struct quake3 *quake3 = quake3_of(compile);
    const struct dialect *dialect = compile->bsp->engine->dialect;
    struct bsp_shader record = {.surface_flags = dialect_store_surface(dialect, surface),
                                .contents = dialect_store_contents(dialect, contents)};
    strncpy(record.name, name, sizeof record.name - 1);
    ptrdiff_t at = hmgeti(quake3->shaders, record);
    if (at >= 0)
        return quake3->shaders[at].value;
    int number = (int)arrlen(compile->bsp->shaders);
    arrput(compile->bsp->shaders, record);
    hmput(quake3->shaders, record, number);
    return number;
}

static int quake3_shader_number(struct compile *compile, const struct shader *shader, int contents)
{
    const struct dialect_flags surface = {shader->surface_flags, shader->own_surface};
    return shader_record(compile, shader->name, surface,
                         (struct dialect_flags){contents, shader->own_contents});
}

/* Writes a surface; returns its number. */
static int quake3_emit_surface(struct compile *compile, const struct draw_surface *surface)
{
    struct bsp *bsp = compile->bsp;
    struct bsp_surface record = {
        .shader = quake3_shader_number(compile, surface->shader, surface->shader->contents),
        .effect = surface->fog,
        .type = (int32_t)surface->type,
        .first_vertex = (int32_t)arrlen(bsp->draw_vertices),
        .vertex_count = (int32_t)arrlen(surface->vertices),
        .index_count = (int32_t)arrlen(surface->indices),
        .lightmap = LIGHTMAP_NONE,
    };
    record.first_index = emit_indices(compile, surface->indices);
    set_vectors(surface, &record);
    if (surface->type == SURFACE_FLARE && arrlen(surface->vertices))
        set_flare(surface, &record);
    for (int i = 0; i < record.vertex_count; i++)
        arrput(bsp->draw_vertices, vertex_record(&surface->vertices[i]));
    arrput(bsp->surfaces, record);
    note_surface(quake3_of(compile), surface);
    return (int)arrlen(bsp->surfaces) - 1;
}

/* --- emit --- */

enum {
    /* Flags that a bevel inherits from the previous side: sounds and effects of impacts, and
     * overbounces. */
    BEVEL_FLAGS = Q3_SURFACE_NODAMAGE | Q3_SURFACE_SLICK | Q3_SURFACE_FLESH |
                  Q3_SURFACE_METALSTEPS | Q3_SURFACE_NOSTEPS | Q3_SURFACE_DUST | Q3_SURFACE_NOOB,
};

/* --- shaders --- */

void quake3_shaders_free(struct quake3 *quake3)
{
    hmfree(quake3->shaders);
}

/* --- brushes --- */

static int side_shader(struct compile *compile, const struct brush_side *side)
{
    const struct shader *shader = quake3_shader(compile, side);
    if (side->bevel) {
        const struct dialect_flags surface = {shader->surface_flags & BEVEL_FLAGS,
                                              shader->own_surface};
        return shader_record(compile, "noshader", surface, (struct dialect_flags){0});
    }
    return quake3_shader_number(compile, shader, shader->contents);
}

void quake3_emit_brushes(struct compile *compile)
{
    struct bsp *bsp = compile->bsp;
    for (size_t i = 0; i < arrlenu(compile->brushes); i++) {
        const struct map_brush *brush = compile->brushes[i];
        const struct brush_shader *look = quake3_brush_shader(compile, brush);
        struct bsp_brush record = {.first_side = (int32_t)arrlen(bsp->brush_sides),
                                   .side_count = brush->side_count,
                                   .contents = look->contents};
        record.shader = quake3_shader_number(compile, look->shader, look->contents);
        arrput(bsp->brushes, record);
        for (int j = 0; j < brush->side_count; j++) {
            struct bsp_brush_side side = {.plane = brush->sides[j].record_plane,
                                          .texinfo = side_shader(compile, &brush->sides[j]),
                                          .bevel = brush->sides[j].bevel,
                                          .surface = -1};
            arrput(bsp->brush_sides, side);
        }
    }
}

/* --- nodes and leaves --- */

static void set_leaf(void *context, const struct node *leaf, struct bsp_leaf *record)
{
    (void)context;
    bool open = leaf_is_open(leaf);
    *record = (struct bsp_leaf){.contents = open ? 0 : CONTENTS_SOLID,
                                .cluster = open ? leaf->cluster : -1,
                                .area = !open            ? -1
                                        : leaf->area > 0 ? leaf->area - 1
                                                         : 0,
                                .water_data = -1};
}

/* --- surfaces in leaves --- */

struct filed {
    int leaf, surface;
};

static int compare_filed(const void *a, const void *b)
{
    const struct filed *p = a, *q = b;
    if (p->leaf != q->leaf)
        return p->leaf < q->leaf ? -1 : 1;
    return (p->surface > q->surface) - (p->surface < q->surface);
}

static void emit_leaf_surfaces(struct bsp *bsp, struct filed *filed)
{
    if (arrlen(filed) > 1)
        qsort(filed, arrlenu(filed), sizeof *filed, compare_filed);
    for (size_t i = 0; i < arrlenu(filed); i++) {
        struct bsp_leaf *leaf = &bsp->leaves[filed[i].leaf];
        if (!leaf->face_count++)
            leaf->first_face = (int32_t)arrlen(bsp->leaf_faces);
        arrput(bsp->leaf_faces, filed[i].surface);
    }
}

/* Surfaces that touch no open leaf are never visible. */
static void emit_world_surfaces(struct compile *compile, struct tree *tree)
{
    struct quake3 *quake3 = quake3_of(compile);
    struct arena scratch = {0};
    struct node **leaves = NULL;
    struct filed *filed = NULL;
    for (size_t i = 0; i < arrlenu(quake3->surfaces); i++) {
        const struct draw_surface *surface = &quake3->surfaces[i];
        if (leaves)
            arrsetlen(leaves, 0);
        quake3_leaves_of(compile, tree, &scratch, surface, &leaves);
        arena_reset(&scratch);
        if (!arrlen(leaves))
            continue;
        int number = quake3_emit_surface(compile, surface);
        for (size_t j = 0; j < arrlenu(leaves); j++) {
            struct filed entry = {leaves[j]->index, number};
            arrput(filed, entry);
        }
    }
    emit_leaf_surfaces(compile->bsp, filed);
    arrfree(filed);
    arrfree(leaves);
    arena_free(&scratch);
}

/* --- models --- */

static void set_bounds(const struct bounds *bounds, struct bsp_model *model)
{
    for (int i = 0; i < 3 && !bounds_is_empty(bounds); i++) {
        model->mins[i] = (float)bounds->mins.e[i];
        model->maxs[i] = (float)bounds->maxs.e[i];
    }
}

/* Bounds of all brushes and surfaces: nothing beyond is collided with or drawn. */
static struct bounds model_bounds(const struct compile *compile, int entity,
                                  const struct draw_surface *surfaces)
{
    struct bounds bounds = compile_brushes_bounds(compile, compile->entities[entity].brushes);
    for (size_t i = 0; i < arrlenu(surfaces); i++)
        for (size_t j = 0; j < arrlenu(surfaces[i].vertices); j++)
            bounds_add_point(&bounds, surfaces[i].vertices[j].p);
    return bounds;
}

static struct bsp_model begin_model(const struct compile *compile, int entity)
{
    const struct bsp *bsp = compile->bsp;
    struct bsp_model model = {.first_face = (int32_t)arrlen(bsp->surfaces)};
    if (arrlen(bsp->models)) /* also without any: lists have no gaps */
        model.first_brush = arrlast(bsp->models).first_brush + arrlast(bsp->models).brush_count;
    model.brush_count = (int32_t)arrlen(compile->entities[entity].brushes);
    return model;
}

static void end_model(struct compile *compile, struct bsp_model model)
{
    model.face_count = (int32_t)arrlen(compile->bsp->surfaces) - model.first_face;
    arrput(compile->bsp->models, model);
}

void quake3_world(struct compile *compile, struct tree *tree, struct face *loose)
{
    (void)loose;
    struct bsp *bsp = compile->bsp;
    struct quake3 *quake3 = quake3_of(compile);
    const struct bsp_leaf nowhere = {.water_data = -1};
    struct bsp_model model = begin_model(compile, 0);
    arrput(bsp->leaves, nowhere);
    quake3_filter_brushes(compile, tree);
    (void)tree_write(&(struct tree_writer){.bsp = bsp, .leaf = set_leaf, .doubles_lone_leaf = true},
                     tree);
    emit_world_surfaces(compile, tree);
    struct bounds bounds = quake3->light_grid;
    if (bounds_is_empty(&bounds))
        bounds = model_bounds(compile, 0, quake3->surfaces);
    set_bounds(&bounds, &model);
    end_model(compile, model);
}

void quake3_emit_model(struct compile *compile, int entity, struct draw_surface *surfaces)
{
    struct bsp *bsp = compile->bsp;
    const struct bsp_leaf beside = {.water_data = -1}; /* one per model, in no tree */
    struct bsp_model model = begin_model(compile, entity);
    struct bounds bounds = model_bounds(compile, entity, surfaces);
    set_bounds(&bounds, &model);
    arrput(bsp->leaves, beside);
    for (size_t i = 0; i < arrlenu(surfaces); i++)
        (void)quake3_emit_surface(compile, &surfaces[i]);
    draw_surfaces_free(surfaces);
    end_model(compile, model);
}
