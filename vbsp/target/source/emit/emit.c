/* Writes finished trees as records, in the order of a model's lumps. */
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/level/entity_lump.h"
#include "vbsp/target/source/emit/emitter.h"
#include "vbsp/tree/tree_write.h"

/* Units by which vertices may leave the bounds of their brushes by snapping. */
#define BOUNDS_ROUNDING 0.5f

/* Reads the sides named by info_no_dynamic_shadow entities. */
static void read_unshadowed(const struct compile *compile, struct emitter *emitter)
{
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct map_entity *map_entity = compile->entities[i].map_entity;
        if (!map_entity || !entity_is(&map_entity->keys, "info_no_dynamic_shadow"))
            continue;
        int *sides = side_list_read(entity_value(&map_entity->keys, "sides"));
        for (size_t j = 0; j < arrlenu(sides); j++)
            arrput(emitter->unshadowed, sides[j]);
        arrfree(sides);
    }
}

void emit_begin(struct compile *compile)
{
    struct bsp *bsp = compile->bsp;
    struct emitter *emitter = memory_zalloc(1, sizeof *emitter);
    /* Surfedges are signed, so edge 0 is reserved; leaf 0 is the outside of the world. */
    struct bsp_edge edge = {{0, 0}};
    arrput(bsp->edges, edge);
    struct open_edge closed = {0};
    arrput(emitter->open, closed);
    struct bsp_leaf leaf = {.contents = CONTENTS_SOLID, .water_data = -1};
    arrput(bsp->leaves, leaf);
    read_unshadowed(compile, emitter);
    source_state(compile)->emitter = emitter;
}

void emit_free(struct compile *compile)
{
    struct emitter *emitter = source_state(compile)->emitter;
    if (!emitter)
        return;
    arrfree(emitter->first_open);
    arrfree(emitter->open);
    hmfree(emitter->originals);
    arrfree(emitter->unshadowed);
    memory_free(emitter);
    source_state(compile)->emitter = NULL;
}

/* A model has the bounds of its brushes, drawn or not. */
static void set_bounds(const struct compile *compile, int entity, struct bsp_model *model)
{
    struct bounds bounds = compile_brushes_bounds(compile, compile->entities[entity].brushes);
    for (int i = 0; i < 3 && !bounds_is_empty(&bounds); i++) {
        model->mins[i] = (float)bounds.mins.e[i];
        model->maxs[i] = (float)bounds.maxs.e[i];
    }
}

/* Faces between almost coplanar sides of a brush may reach out of it, into the void. */
static void hold_faces(const struct bsp *bsp, struct bsp_model *model)
{
    for (int i = 0; i < model->face_count; i++) {
        const struct bsp_face *face = &bsp->faces[model->first_face + i];
        for (int j = 0; j < face->edge_count && face->dispinfo < 0; j++) {
            struct vec3 p = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, j));
            for (int k = 0; k < 3; k++) {
                float at = (float)p.e[k];
                if (at < model->mins[k] - BOUNDS_ROUNDING)
                    model->mins[k] = at;
                if (at > model->maxs[k] + BOUNDS_ROUNDING)
                    model->maxs[k] = at;
            }
        }
    }
}

static void emit_list(struct compile *compile, struct face *list, bool displacements)
{
    for (struct face *face = list; face; face = face->next)
        if (!face->merged && face->displacement == displacements)
            emit_face(compile, face);
}

static void free_node_outlines(struct node *node)
{
    if (node->plane == PLANE_LEAF)
        return;
    face_list_free_outlines(node->faces);
    free_node_outlines(node->children[0]);
    free_node_outlines(node->children[1]);
}

static void set_leaf(void *context, const struct node *leaf, struct bsp_leaf *record)
{
    struct compile *compile = context;
    bool solid = leaf->contents & CONTENTS_SOLID;
    *record = (struct bsp_leaf){
        .contents = solid ? CONTENTS_SOLID : leaf->contents,
        .cluster = solid ? -1 : leaf->cluster,
        .area = solid ? 0 : leaf->area,
        .flags = LEAF_SKY, /* until lighting, any leaf may see the sky */
        .water_data = leaf->water_data,
    };
    /* Areaportals do not collide: their brushes are in no leaf. */
    for (const struct brush *fragment = leaf->brushes; fragment; fragment = fragment->next)
        if (!(fragment->original->contents & CONTENTS_AREAPORTAL))
            arrput(compile->bsp->leaf_brushes, fragment->original->number);
}

static void emit_node_faces(void *context, const struct node *node)
{
    for (struct face *face = node->faces; face; face = face->next)
        if (!face->merged)
            emit_face(context, face);
}

static void list_face(void *context, struct face *face)
{
    struct bsp *bsp = context;
    if (face->number >= 0)
        arrput(bsp->leaf_faces, face->number);
}

/* Fills the face lists of the leaves; every face has its number. */
static void list_faces(struct bsp *bsp, const struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        list_faces(bsp, node->children[0]);
        list_faces(bsp, node->children[1]);
        return;
    }
    size_t first = arrlenu(bsp->leaf_faces);
    for (struct leaf_item *item = node->leaf_faces; item; item = item->next)
        face_final(item->face, list_face, bsp);
    list_sort_unique(bsp->leaf_faces, first);
    bsp->leaves[node->index].first_face = (int32_t)first;
    bsp->leaves[node->index].face_count = (int32_t)(arrlenu(bsp->leaf_faces) - first);
}

void emit_model(struct compile *compile, int entity, struct tree *tree, struct face *loose)
{
    struct bsp *bsp = compile->bsp;
    const struct tree_writer writer = {
        .bsp = bsp, .context = compile, .leaf = set_leaf, .faces = emit_node_faces};
    struct bsp_model model = {.first_face = (int32_t)arrlen(bsp->faces)};
    set_bounds(compile, entity, &model);
    water_find(compile, tree, (int)arrlen(bsp->models));
    emit_list(compile, loose, false);
    model.head_node = tree_write(&writer, tree);
    emit_list(compile, loose, true);
    list_faces(bsp, tree->root);
    model.face_count = (int32_t)arrlen(bsp->faces) - model.first_face;
    hold_faces(bsp, &model);
    arrput(bsp->models, model);
    face_list_free_outlines(loose);
    free_node_outlines(tree->root);
}
