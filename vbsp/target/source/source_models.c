/* From trees to records: the world's, and a tree of its own for each brush entity. */
#include "common/core/array.h"
#include "vbsp/csg/brush_piece.h"
#include "vbsp/csg/csg.h"
#include "vbsp/portals/portals.h"
#include "vbsp/target/source/faces/face.h"
#include "vbsp/target/source/physics/physics.h"
#include "vbsp/target/source/source_parts.h"
#include "vbsp/tree/tree_build.h"

/* Room around a brush model's brushes for its tree. */
#define MODEL_MARGIN 8.0

/* Pieces of the brushes, chopped against each other. */
static struct brush *chopped_pieces(struct arena *arena, const struct compile *compile,
                                    const int *brushes)
{
    struct brush *pieces = NULL, **tail = &pieces;
    for (size_t i = 0; i < arrlenu(brushes); i++) {
        *tail = brush_piece_new(arena, compile->brushes[brushes[i]], true);
        tail = &(*tail)->next;
    }
    if (!compile->options->no_csg)
        pieces = csg_chop(arena, &compile->planes, pieces);
    return pieces;
}

static void make_faces(struct compile *compile, struct tree *tree)
{
    faces_make(compile, tree);
    if (!compile->options->no_merge)
        faces_merge(compile, tree);
    if (!compile->options->no_subdiv)
        faces_subdivide(compile, tree);
}

struct face *source_faces(struct compile *compile, struct tree *tree)
{
    if (tree->has_slivers)
        portals_make_fine(compile, tree);
    make_faces(compile, tree);
    int *detail = compile_select_brushes(compile, 0, CONTENTS_DETAIL, true);
    struct brush *pieces = chopped_pieces(&tree->arena, compile, detail);
    struct face *faces = faces_make_detail(compile, tree, pieces);
    arrfree(detail);
    faces_fix_tjunctions(compile, tree, faces);
    return faces;
}

void source_world(struct compile *compile, struct tree *tree, struct face *loose)
{
    emit_model(compile, 0, tree, loose);
    physics_add_world(compile);
}

void source_model(struct compile *compile, int entity)
{
    struct tree *tree = memory_zalloc(1, sizeof *tree);
    const int *brushes = compile->entities[entity].brushes;
    tree->bounds = compile_brushes_bounds(compile, brushes);
    for (int i = 0; i < 3; i++) {
        tree->bounds.mins.e[i] -= MODEL_MARGIN;
        tree->bounds.maxs.e[i] += MODEL_MARGIN;
    }
    struct brush *pieces = chopped_pieces(&tree->arena, compile, brushes);
    struct brush *volume = brush_piece_box(&tree->arena, &compile->planes, &tree->bounds);
    struct tree_stats stats = {0};
    tree->root = tree_build(&tree->arena, &compile->planes, pieces, volume, &stats);
    portals_make_fine(compile, tree);
    make_faces(compile, tree);
    faces_fix_tjunctions(compile, tree, NULL);
    emit_model(compile, entity, tree, NULL);
    physics_add_model(compile, entity, tree);
    tree_free(tree);
}
