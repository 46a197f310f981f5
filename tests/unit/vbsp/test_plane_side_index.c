/* The index of fragments against a look at each of them. */
#include "tests/support/suite.h"

#include <math.h>

#include "common/core/random.h"
#include "vbsp/csg/brush_fragment.h"
#include "vbsp/tree/plane_side_index.h"

enum { PIECES = 300 };

struct scene {
    struct arena arena;
    struct plane_set planes;
    struct brush *fragments[PIECES];
};

/* Boxes on a coarse grid, so that many share planes; every tenth as long as the world. */
static void scene_make(struct scene *scene)
{
    *scene = (struct scene){0};
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

static void scene_free(struct scene *scene)
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

static void check_plane(const struct scene *scene, struct plane_side_index *index, int plane)
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
    struct scene scene;
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
    struct scene scene;
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

SUITE(test_plane_side_index)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axial_planes_find_what_they_meet),
        cmocka_unit_test(test_other_planes_get_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
