/* Verifies the trees of the models, their boxes, leaves, clusters and areas. */
#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/bsp/verify/verify_internal.h"
#include "common/core/array.h"
#include "common/diag/codes/verify.def"

enum { BOX_TOLERANCE = 1 /* unit: boxes are rounded outwards to whole units, each on its own */ };

struct box {
    const int32_t *mins, *maxs;
};

struct step {
    int child; /* in the form of a node's children */
    int parent;
};

static struct box box_of(const struct bsp *bsp, int child)
{
    if (child >= 0)
        return (struct box){bsp->nodes[child].mins, bsp->nodes[child].maxs};
    return (struct box){bsp->leaves[-1 - child].mins, bsp->leaves[-1 - child].maxs};
}

static void verify_box(struct verifier *verifier, const struct step *step)
{
    const struct bsp *bsp = verifier->bsp;
    struct box box = box_of(bsp, step->child);
    const char *what = step->child >= 0 ? "node" : "leaf";
    int number = step->child >= 0 ? step->child : -1 - step->child;
    for (int k = 0; k < 3; k++) {
        if (box.mins[k] > box.maxs[k]) {
            verify_fault(verifier, DIAG_VERIFY_BOX, NULL, "%s %d: minimum above maximum", what,
                         number);
            return;
        }
        if (step->parent < 0)
            continue;
        struct box around = box_of(bsp, step->parent);
        if (box.mins[k] < around.mins[k] - BOX_TOLERANCE ||
            box.maxs[k] > around.maxs[k] + BOX_TOLERANCE) {
            verify_fault(verifier, DIAG_VERIFY_BOX, NULL, "%s %d: outside of its parent node %d",
                         what, number, step->parent);
            return;
        }
    }
}

static void walk_model(struct verifier *verifier, int model, int *node_model)
{
    const struct bsp *bsp = verifier->bsp;
    struct step *stack = NULL;
    arrput(stack, ((struct step){bsp->models[model].head_node, -1}));
    while (arrlen(stack)) {
        struct step step = arrpop(stack);
        bool is_leaf = step.child < 0;
        int number = is_leaf ? -1 - step.child : step.child;
        int *owner = is_leaf ? &verifier->leaf_model[number] : &node_model[number];
        verify_box(verifier, &step);
        if (*owner >= 0) {
            verify_fault(verifier, DIAG_VERIFY_TREE, NULL,
                         "%s %d: reached twice, from models %d and %d", is_leaf ? "leaf" : "node",
                         number, *owner, model);
            continue;
        }
        *owner = model;
        for (int k = 0; k < 2 && !is_leaf; k++)
            arrput(stack, ((struct step){bsp->nodes[number].children[k], number}));
    }
    arrfree(stack);
}

/* Faces of a node must lie on its plane and belong to its model; each face with on_node set must be
 * listed by a node. */
static void verify_node_faces(struct verifier *verifier, const int *node_model)
{
    const struct bsp *bsp = verifier->bsp;
    size_t count = arrlenu(bsp->faces);
    int *listed = memory_zalloc(count, sizeof *listed);
    for (size_t i = 0; i < arrlenu(bsp->nodes); i++) {
        const struct bsp_node *node = &bsp->nodes[i];
        for (int k = 0; k < node->face_count; k++) {
            int face = node->first_face + k;
            listed[face]++;
            if (bsp->faces[face].plane / 2 != node->plane / 2)
                verify_fault(verifier, DIAG_VERIFY_NODE_FACE, NULL, "face %d of node %zu", face, i);
            if (verifier->face_model[face] != node_model[i])
                verify_fault(verifier, DIAG_VERIFY_TREE, NULL, "node %zu: face %d of another model",
                             i, face);
        }
    }
    for (size_t i = 0; i < count; i++)
        if (listed[i] != (bsp->faces[i].on_node ? 1 : 0))
            verify_fault(verifier, DIAG_VERIFY_TREE, NULL,
                         "face %zu: listed by %d nodes, but marked as %s", i, listed[i],
                         bsp->faces[i].on_node ? "on a node" : "not on a node");
    memory_free(listed);
}

void verify_tree(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    size_t nodes = arrlenu(bsp->nodes), leaves = arrlenu(bsp->leaves);
    int *node_model = ARENA_ARRAY(&verifier->arena, int, nodes);
    verifier->leaf_model = ARENA_ARRAY(&verifier->arena, int, leaves);
    for (size_t i = 0; i < nodes; i++)
        node_model[i] = -1;
    for (size_t i = 0; i < leaves; i++)
        verifier->leaf_model[i] = -1;
    for (int i = 0; i < arrlen(bsp->models); i++)
        walk_model(verifier, i, node_model);
    for (size_t i = 0; i < nodes; i++)
        if (node_model[i] < 0)
            verify_fault(verifier, DIAG_VERIFY_TREE, NULL, "node %zu: in no tree", i);
    for (size_t i = 1; i < leaves; i++)
        if (verifier->leaf_model[i] < 0)
            verify_fault(verifier, DIAG_VERIFY_TREE, NULL, "leaf %zu: in no tree", i);
    if (leaves > 1 && verifier->leaf_model[0] >= 0)
        verify_fault(verifier, DIAG_VERIFY_LEAF, NULL, "leaf 0: in a tree");
    verify_node_faces(verifier, node_model);
}

static void verify_leaf_lists(struct verifier *verifier, int i, int *seen_face, int *seen_brush)
{
    const struct bsp *bsp = verifier->bsp;
    const struct bsp_leaf *leaf = &bsp->leaves[i];
    for (int k = 0; k < leaf->face_count; k++) {
        int face = bsp->leaf_faces[leaf->first_face + k];
        if (seen_face[face] == i + 1)
            verify_fault(verifier, DIAG_VERIFY_LEAF, NULL, "leaf %d: face %d is listed twice", i,
                         face);
        if (verifier->face_model[face] != verifier->leaf_model[i])
            verify_fault(verifier, DIAG_VERIFY_LEAF, NULL, "leaf %d: face %d of another model", i,
                         face);
        seen_face[face] = i + 1;
    }
    for (int k = 0; k < leaf->brush_count; k++) {
        int brush = bsp->leaf_brushes[leaf->first_brush + k];
        if (seen_brush[brush] == i + 1)
            verify_fault(verifier, DIAG_VERIFY_LEAF, NULL, "leaf %d: brush %d is listed twice", i,
                         brush);
        seen_brush[brush] = i + 1;
    }
}

/* World leaves that are not solid have a cluster. Those of structural brushes have none once there
 * is visibility; before that Valve's compiler leaves 0 there. */
static void verify_leaf_cluster(struct verifier *verifier, int i, bool *present)
{
    const struct bsp_leaf *leaf = &verifier->bsp->leaves[i];
    bool solid = leaf->contents & CONTENTS_SOLID, world = verifier->leaf_model[i] == 0;
    bool visible = bsp_vis_clusters(verifier->bsp) > 0;
    if (leaf->cluster >= 0 && i)
        present[leaf->cluster] = true;
    if (world && !solid && leaf->cluster < 0)
        verify_fault(verifier, DIAG_VERIFY_CLUSTER, NULL, "leaf %d: open without a cluster", i);
    if (world && solid && leaf->cluster >= 0 && visible)
        verify_fault(verifier, DIAG_VERIFY_CLUSTER, NULL, "leaf %d: solid with cluster %d", i,
                     leaf->cluster);
    if (verifier->leaf_model[i] > 0 && leaf->cluster >= 0)
        verify_fault(verifier, DIAG_VERIFY_CLUSTER, NULL, "leaf %d: of model %d with cluster %d", i,
                     verifier->leaf_model[i], leaf->cluster);
}

static void verify_first_leaf(struct verifier *verifier)
{
    const struct bsp_leaf *leaf = verifier->bsp->leaves;
    if (!leaf)
        return;
    if (leaf->contents != CONTENTS_SOLID || leaf->area || leaf->face_count || leaf->brush_count)
        verify_fault(verifier, DIAG_VERIFY_LEAF, NULL,
                     "leaf 0: must be solid, in area 0 and without faces and brushes");
}

/* Faces of the world that are in no leaf are never drawn. Displacements are drawn independently of
 * leaves. */
static void verify_drawn_faces(struct verifier *verifier, const int *seen)
{
    const struct bsp *bsp = verifier->bsp;
    size_t unseen = 0, first = 0;
    for (size_t i = arrlenu(bsp->faces); i-- > 0;) {
        if (seen[i] || verifier->face_model[i] || bsp->faces[i].dispinfo >= 0)
            continue;
        unseen++;
        first = i;
    }
    if (unseen)
        verify_fault(verifier, DIAG_VERIFY_UNSEEN, NULL, "%zu face%s of the world, first face %zu",
                     unseen, unseen == 1 ? "" : "s", first);
}

void verify_leaves(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    int count = (int)arrlen(bsp->leaves);
    int *seen_face = memory_zalloc(arrlenu(bsp->faces), sizeof *seen_face);
    int *seen_brush = memory_zalloc(arrlenu(bsp->brushes), sizeof *seen_brush);
    for (int i = 0; i < count; i++)
        if (bsp->leaves[i].cluster >= verifier->clusters)
            verifier->clusters = bsp->leaves[i].cluster + 1;
    bool *present = memory_zalloc((size_t)verifier->clusters, sizeof *present);
    verify_first_leaf(verifier);
    for (int i = 0; i < count; i++) {
        verify_leaf_lists(verifier, i, seen_face, seen_brush);
        verify_leaf_cluster(verifier, i, present);
    }
    for (int i = 0; i < verifier->clusters; i++)
        if (!present[i])
            verify_fault(verifier, DIAG_VERIFY_CLUSTER, NULL, "cluster %d: no leaf", i);
    verify_drawn_faces(verifier, seen_face);
    memory_free(present);
    memory_free(seen_brush);
    memory_free(seen_face);
}

/* Returns true when the record for the other side of the same portal exists. */
static bool has_mate(const struct bsp *bsp, int area, const struct bsp_area_portal *portal)
{
    const struct bsp_area *other = &bsp->areas[portal->other_area];
    for (int k = 0; k < other->portal_count; k++) {
        const struct bsp_area_portal *mate = &bsp->area_portals[other->first_portal + k];
        if (mate->key == portal->key && mate->other_area == area)
            return true;
    }
    return false;
}

void verify_areas(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    size_t records = 1;
    if (arrlen(bsp->areas) && bsp->areas[0].portal_count)
        verify_fault(verifier, DIAG_VERIFY_AREA, NULL,
                     "area 0: has portals, but stands for no area");
    if (arrlen(bsp->area_portals) && bsp->area_portals[0].key)
        verify_fault(verifier, DIAG_VERIFY_AREA, NULL, "area portal 0: not empty");
    for (int i = 0; i < arrlen(bsp->areas); i++) {
        const struct bsp_area *area = &bsp->areas[i];
        records += (size_t)area->portal_count;
        for (int k = 0; k < area->portal_count; k++) {
            const struct bsp_area_portal *portal = &bsp->area_portals[area->first_portal + k];
            if (portal->key <= 0 || portal->clip_vertex_count < 3)
                verify_fault(verifier, DIAG_VERIFY_AREA, NULL,
                             "area %d: portal %d with key %d and %d vertices", i, k, portal->key,
                             portal->clip_vertex_count);
            else if (!has_mate(bsp, i, portal))
                verify_fault(verifier, DIAG_VERIFY_AREA, NULL,
                             "area %d: portal %d leads to area %d, but not back", i, k,
                             portal->other_area);
        }
    }
    if (arrlen(bsp->areas) && records != arrlenu(bsp->area_portals))
        verify_fault(verifier, DIAG_VERIFY_AREA, NULL,
                     "areas have %zu portals including the empty one, but there are %zu records",
                     records, arrlenu(bsp->area_portals));
}
