/* Trees of slanted walls that cross each other. */
#include "tests/support/suite.h"

#include <math.h>

#include "common/core/memory.h"
#include "common/core/random.h"
#include "vbsp/csg/brush_fragment.h"
#include "vbsp/tree/plane_side_index.h"
#include "vbsp/tree/tree_build.h"

#define ROOM 1024.0

enum { WALLS = 60 };

struct scene {
    struct arena arena, tree;
    struct plane_set planes;
};

static struct brush *cut_off(struct scene *scene, struct brush *fragment, struct vec3 normal,
                             struct vec3 on)
{
    int plane = plane_set_find(&scene->planes, normal, vec3_dot(normal, on));
    struct brush *front, *back;
    brush_fragment_cut(&scene->arena, &scene->planes, fragment, plane, &front, &back);
    return back;
}

/* A fragment of a wall at a random place, in a random direction; NULL: outside. */
static struct brush *wall(struct scene *scene, uint64_t number)
{
    double angle = 6.28 * random_unit(number, 0);
    struct vec3 along = vec3(cos(angle), sin(angle), 0), across = vec3(-along.y, along.x, 0);
    struct vec3 center = vec3(ROOM * random_unit(number, 1), ROOM * random_unit(number, 2), 0);
    struct bounds bounds = {vec3(0, 0, 100 * random_unit(number, 3)),
                            vec3(ROOM, ROOM, 200 + 100 * random_unit(number, 4))};
    struct brush *fragment = brush_fragment_box(&scene->arena, &scene->planes, &bounds);
    for (int end = -1; end <= 1 && fragment; end += 2) {
        fragment =
            cut_off(scene, fragment, vec3_scale(along, end), vec3_mad(center, along, end * 300));
        if (fragment)
            fragment = cut_off(scene, fragment, vec3_scale(across, end),
                               vec3_mad(center, across, end * 16));
    }
    if (!fragment)
        return NULL;
    struct map_brush *brush = ARENA_NEW(&scene->arena, struct map_brush);
    *brush = (struct map_brush){.contents = CONTENTS_SOLID,
                                .bounds = fragment->bounds,
                                .side_count = fragment->side_count,
                                .sides = fragment->sides};
    for (int i = 0; i < brush->side_count; i++) {
        brush->sides[i].texinfo = 0;
        brush->sides[i].on_node = false;
    }
    return brush_fragment_new(&scene->arena, brush, true);
}

struct tally {
    size_t leaves, fragments, bytes; /* of what a tree must keep */
};

static void count_kept(const struct node *node, struct tally *tally)
{
    tally->bytes += sizeof *node;
    if (node->plane != PLANE_LEAF) {
        count_kept(node->children[0], tally);
        count_kept(node->children[1], tally);
        return;
    }
    tally->leaves++;
    for (const struct brush *at = node->brushes; at; at = at->next) {
        tally->fragments++;
        tally->bytes += sizeof *at + (size_t)at->side_count * sizeof *at->sides + 16;
    }
}

/* Not the pieces that were cut on the way, nor windings. */
static void a_tree_keeps_what_is_in_its_leaves(void **state)
{
    (void)state;
    struct scene scene = {0};
    struct brush *fragments = NULL;
    for (uint64_t i = 0; i < WALLS; i++) {
        struct brush *fragment = wall(&scene, i);
        if (!fragment)
            continue;
        fragment->next = fragments;
        fragments = fragment;
    }
    const struct bounds room = {vec3(-8, -8, -8), vec3(ROOM + 8, ROOM + 8, 400)};
    struct brush *volume = brush_fragment_box(&scene.arena, &scene.planes, &room);
    struct tree_stats stats = {0};
    const size_t before = memory_used();
    struct node *root =
        tree_build(&scene.tree, &scene.planes, &splitters_balanced, fragments, volume, &stats);
    struct tally tally = {0};
    count_kept(root, &tally);
    assert_true(tally.leaves > 1000 && tally.fragments > 500);
    /* the newest chunk of the arena may be nearly empty */
    assert_in_range(memory_used() - before, tally.bytes, tally.bytes + (9 << 20));
    plane_set_free(&scene.planes);
    arena_free(&scene.tree);
    arena_free(&scene.arena);
}

/* The index of fragments, compared with testing each of them. */

enum { PIECES = 300 };

struct plane_index_scene {
    struct arena arena;
    struct plane_set planes;
    struct brush *fragments[PIECES];
};

/* Boxes on a coarse grid, so that many share planes; every tenth as long as the world. */
static void scene_make(struct plane_index_scene *scene)
{
    *scene = (struct plane_index_scene){0};
    for (uint64_t i = 0; i < PIECES; i++) {
        struct bounds bounds;
        for (uint64_t k = 0; k < 3; k++) {
            double size = i % 10 == k ? 1024 : 4 + floor(random_unit(i, k) * 12) * 4;
            bounds.mins.e[k] = i % 10 == k ? 0 : floor(random_unit(i, 3 + k) * 128) * 8;
            bounds.maxs.e[k] = bounds.mins.e[k] + size;
        }
        scene->fragments[i] = brush_fragment_box(&scene->arena, &scene->planes, &bounds);
        if (i > 0)
            scene->fragments[i - 1]->next = scene->fragments[i];
    }
}

static void scene_free(struct plane_index_scene *scene)
{
    plane_set_free(&scene->planes);
    arena_free(&scene->arena);
}

static bool is_listed(struct brush **list, int count, const struct brush *fragment)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        found += list[i] == fragment;
    assert_true(found <= 1);
    return found == 1;
}

static void check_plane(const struct plane_index_scene *scene, struct plane_side_index *index,
                        int plane)
{
    int count, front, back, axis = (int)scene->planes.types[plane];
    struct brush **near = plane_side_index_near(index, plane, &count, &front, &back);
    double dist = scene->planes.planes[plane].dist;
    for (int i = 0; i < PIECES; i++) {
        const struct brush *fragment = scene->fragments[i];
        bool above = fragment->bounds.maxs.e[axis] > dist + BOX_EPSILON;
        bool below = fragment->bounds.mins.e[axis] < dist - BOX_EPSILON;
        bool facing = brush_fragment_side_on(fragment, plane) >= 0;
        assert_int_equal(is_listed(near, count, fragment), facing || (above && below));
        front -= above && !below && !facing;
        back -= below && !above && !facing;
    }
    assert_int_equal(front, 0);
    assert_int_equal(back, 0);
}

static void test_axial_planes_find_what_they_meet(void **state)
{
    (void)state;
    struct plane_index_scene scene;
    scene_make(&scene);
    struct plane_side_index *index =
        plane_side_index_new(&scene.arena, &scene.planes, scene.fragments[0]);
    for (int i = 0; i < PIECES; i++)
        for (int k = 0; k < 6; k++)
            check_plane(&scene, index, scene.fragments[i]->sides[k].plane & ~1);
    for (uint64_t i = 0; i < 300; i++) {
        struct vec3 normal = vec3(0, 0, 0);
        normal.e[i % 3] = 1;
        double dist = random_unit(i, 77) * 1100 - 30;
        check_plane(&scene, index, plane_set_find(&scene.planes, normal, dist));
    }
    scene_free(&scene);
}

static void test_other_planes_get_all(void **state)
{
    (void)state;
    struct plane_index_scene scene;
    scene_make(&scene);
    struct plane_side_index *index =
        plane_side_index_new(&scene.arena, &scene.planes, scene.fragments[0]);
    int plane = plane_set_find(&scene.planes, vec3_normalize(vec3(1, 2, 3)), 700) & ~1;
    int count, front, back;
    struct brush **near = plane_side_index_near(index, plane, &count, &front, &back);
    assert_int_equal(count, PIECES);
    assert_int_equal(front, 0);
    assert_int_equal(back, 0);
    for (int i = 0; i < PIECES; i++)
        assert_true(is_listed(near, count, scene.fragments[i]));
    scene_free(&scene);
}

SUITE(test_tree_build)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_keeps_what_is_in_its_leaves),
        cmocka_unit_test(test_axial_planes_find_what_they_meet),
        cmocka_unit_test(test_other_planes_get_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
