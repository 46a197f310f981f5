#include "tests/support/suite.h"

#include "common/bsp/leaf_tree.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/random.h"

enum { DEPTH = 7, NODES = (1 << DEPTH) - 1, POINTS = 2000, BOXES = 300 };

static double between(uint64_t a, uint64_t b, double low, double high)
{
    return low + random_unit(a, b) * (high - low);
}

/* A full tree of planes in all directions, every third along an axis. */
static struct bsp *random_tree(void)
{
    struct bsp *bsp = bsp_new();
    for (int i = 0; i < NODES; i++) {
        struct vec3 normal;
        for (int k = 0; k < 3; k++)
            normal.e[k] = i % 3 ? between((uint64_t)i, (uint64_t)k, -1, 1) : k == i / 3 % 3;
        normal = vec3_normalize(normal);
        struct bsp_plane plane = {.dist = (float)between((uint64_t)i, 3, -300, 300)};
        struct bsp_node node = {.plane = i};
        for (int k = 0; k < 3; k++)
            plane.normal[k] = (float)normal.e[k];
        for (int k = 0; k < 2; k++) {
            int child = 2 * i + 1 + k;
            node.children[k] = child < NODES ? child : -1 - (child - NODES);
        }
        arrput(bsp->planes, plane);
        arrput(bsp->nodes, node);
    }
    struct bsp_model model = {.head_node = 0};
    arrput(bsp->models, model);
    return bsp;
}

static struct vec3 random_point(uint64_t number, double reach)
{
    return vec3(between(number, 10, -reach, reach), between(number, 11, -reach, reach),
                between(number, 12, -reach, reach));
}

static void finds_the_same_leaves(void **state)
{
    struct bsp *bsp = random_tree();
    struct leaf_tree tree;
    (void)state;
    leaf_tree_make(bsp, 0, &tree);
    for (uint64_t i = 0; i < POINTS; i++) {
        struct vec3 point = random_point(i, 400);
        assert_int_equal(leaf_tree_at(&tree, point), bsp_leaf_at(bsp, 0, point));
    }
    /* On a plane: in front of it. */
    struct vec3 on = vec3((double)bsp->planes[0].dist, 17, 23);
    assert_int_equal(leaf_tree_at(&tree, on), bsp_leaf_at(bsp, 0, on));
    leaf_tree_free(&tree);
    bsp_free(bsp);
}

/* The start node of a box gives the same leaves as the root; the search for a smaller box can start
 * from it. Small boxes end in leaves. */
static void boxes_begin_below(void **state)
{
    struct bsp *bsp = random_tree();
    struct leaf_tree tree;
    int below = 0, leaves = 0;
    (void)state;
    leaf_tree_make(bsp, 0, &tree);
    for (uint64_t i = 0; i < BOXES; i++) {
        struct vec3 middle = random_point(i, 300);
        double reach = between(i, 20, 0, 40);
        struct bounds box = {vec3_sub(middle, vec3(reach, reach, reach)),
                             vec3_add(middle, vec3(reach, reach, reach))};
        struct bounds inner = {vec3_lerp(middle, box.mins, 0.25),
                               vec3_lerp(middle, box.maxs, 0.25)};
        int node = leaf_tree_around(&tree, tree.root, &box);
        below += node != tree.root;
        leaves += node < 0;
        assert_int_equal(leaf_tree_around(&tree, node, &inner),
                         leaf_tree_around(&tree, tree.root, &inner));
        for (uint64_t k = 0; k < 40; k++) {
            struct vec3 point = vec3_mad(middle, random_point(i * 64 + k, 1), reach);
            assert_int_equal(leaf_tree_from(&tree, node, point), leaf_tree_at(&tree, point));
        }
    }
    assert_true(below > BOXES / 2);
    assert_true(leaves > BOXES / 10);
    leaf_tree_free(&tree);
    bsp_free(bsp);
}

/* The bounding planes of a leaf give the same result as the whole tree for points in a box around
 * it; leaves outside of the tree are recognised. */
static void walls_hold_their_leaf(void **state)
{
    struct bsp *bsp = random_tree();
    struct leaf_tree tree;
    struct leaf_parents ways;
    int inside = 0, without = 0;
    (void)state;
    arrsetlen(bsp->leaves, NODES + 2);
    leaf_tree_make(bsp, 0, &tree);
    leaf_parents_make(&tree, bsp, &ways);
    assert_int_equal(ways.above_leaf[NODES + 1], LEAF_PARENT_NONE);
    assert_int_equal(ways.above_node[0], LEAF_PARENT_ROOT);
    for (uint64_t i = 0; i < BOXES; i++) {
        struct vec3 middle = random_point(i, 300);
        double reach = between(i, 20, 1, 40);
        struct bounds box = {vec3_sub(middle, vec3(reach, reach, reach)),
                             vec3_add(middle, vec3(reach, reach, reach))};
        int leaf = leaf_tree_at(&tree, middle);
        struct leaf_plane *walls = leaf_planes_of(&tree, &ways, leaf, &box);
        without += !walls;
        for (uint64_t k = 0; k < 40; k++) {
            struct vec3 point = vec3_mad(middle, random_point(i * 64 + k, 1), reach);
            bool holds = leaf_tree_at(&tree, point) == leaf;
            assert_int_equal(leaf_planes_contain(&tree, walls, point), holds);
            inside += holds;
        }
        arrfree(walls);
    }
    assert_true(inside > BOXES && inside < 39 * BOXES);
    assert_true(without > BOXES / 10);
    leaf_parents_free(&ways);
    leaf_tree_free(&tree);
    bsp_free(bsp);
}

SUITE(test_leaf_tree)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_same_leaves),
        cmocka_unit_test(boxes_begin_below),
        cmocka_unit_test(walls_hold_their_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
