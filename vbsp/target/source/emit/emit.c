/* From finished trees to records: the order in which things are written. */
#include "common/core/array.h"
#include "vbsp/target/source/displacements/displacement.h"
#include "vbsp/target/source/emit/emitter.h"
#include "vbsp/target/source/source_parts.h"
#include "vbsp/target/source/source_water.h"

struct emitter *emitter_of(struct compile *compile)
{
    struct bsp *bsp = compile->bsp;
    if (compile->emitter)
        return compile->emitter;
    struct emitter *emitter = memory_zalloc(1, sizeof *emitter);
    vertex_pool_init(&emitter->pool, &bsp->vertices, compile->options->no_weld);
    /* The sign of a surfedge tells its direction, so there is no edge 0; leaf 0 is what is beyond
     * the world. */
    struct bsp_edge edge = {{0, 0}};
    arrput(bsp->edges, edge);
    struct open_edge closed = {0};
    arrput(emitter->open, closed);
    struct bsp_leaf leaf = {.contents = CONTENTS_SOLID, .water_data = -1};
    arrput(bsp->leaves, leaf);
    compile->emitter = emitter;
    source_begin(compile);
    return emitter;
}

void emit_free(struct compile *compile)
{
    struct emitter *emitter = compile->emitter;
    if (!emitter)
        return;
    vertex_pool_free(&emitter->pool);
    emit_edges_free(emitter);
    emit_faces_free(emitter);
    arrfree(emitter->unshadowed);
    memory_free(emitter);
    compile->emitter = NULL;
}

/* A model is as large as its brushes, drawn or not. */
static void set_bounds(const struct compile *compile, int entity, struct bsp_model *model)
{
    struct bounds bounds = bounds_empty();
    const int *brushes = compile->entities[entity].brushes;
    for (size_t i = 0; i < arrlenu(brushes); i++)
        bounds_add(&bounds, &compile->brushes[brushes[i]]->bounds);
    for (int i = 0; i < 3 && !bounds_is_empty(&bounds); i++) {
        model->mins[i] = (float)bounds.mins.e[i];
        model->maxs[i] = (float)bounds.maxs.e[i];
    }
}

static void emit_list(struct compile *compile, struct face *list, bool displacements)
{
    for (struct face *face = list; face; face = face->next)
        if (!face->merged && face->displacement == displacements)
            emit_face(compile, face);
}

static void free_outline(void *context, struct face *face)
{
    (void)context;
    arrfree(face->vertices);
    face->vertices = NULL;
}

static void free_node_outlines(struct node *node)
{
    if (node->plane == PLANE_LEAF)
        return;
    face_list_final(node->faces, free_outline, NULL);
    free_node_outlines(node->children[0]);
    free_node_outlines(node->children[1]);
}

void emit_model(struct compile *compile, int entity, struct tree *tree, struct face *detail)
{
    struct emitter *emitter = emitter_of(compile);
    struct bsp *bsp = compile->bsp;
    struct bsp_model model = {.first_face = (int32_t)arrlen(bsp->faces)};
    set_bounds(compile, entity, &model);
    source_water_find(compile, tree, emitter->models);
    emit_list(compile, detail, false);
    model.head_node = emit_tree(compile, tree);
    emit_list(compile, detail, true);
    emit_leaf_faces(compile, tree);
    model.face_count = (int32_t)arrlen(bsp->faces) - model.first_face;
    arrput(bsp->models, model);
    emitter->models++;
    face_list_final(detail, free_outline, NULL);
    free_node_outlines(tree->root);
}

enum status emit_rest(struct compile *compile)
{
    (void)emitter_of(compile);
    emit_planes(compile);
    emit_brushes(compile);
    displacements_emit(compile);
    enum status status = source_extras(compile);
    emit_texinfo(compile);
    entities_finish(compile);
    emit_free(compile);
    return diag_count_code(compile->env->diag, DIAG_LIGHTMAP_DENSE) ? STATUS_FAILED : status;
}
