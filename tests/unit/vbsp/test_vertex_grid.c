/* Windings with close corners, compared with testing all pairs; and merging of many faces. */
#include "tests/support/suite.h"

#include <math.h>

#include "common/core/random.h"
#include "tests/support/vbsp/hand_faces.h"
#include "vbsp/target/source/faces/vertex_grid.h"

enum { WINDINGS = 400 };

#define REACH 0.001

/* Squares on a grid; some corners are off it by about the reach. */
static struct winding *random_square(struct arena *arena, uint64_t item)
{
    double size = 8 << (int)(random_unit(item, 0) * 4);
    double x = floor(random_unit(item, 1) * 40) * 8 - 160, y = floor(random_unit(item, 2) * 40) * 8;
    struct vec3 points[4] = {vec3(x, y, 0), vec3(x, y + size, 0), vec3(x + size, y + size, 0),
                             vec3(x + size, y, 0)};
    for (uint64_t i = 0; i < 4; i++)
        points[i].x += 1.4 * REACH * (random_unit(item, 3 + i) - 0.5);
    return winding_new(arena, 4, points);
}

static bool have_common_corner(const struct winding *a, const struct winding *b)
{
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (fabs(a->points[i].x - b->points[j].x) <= REACH &&
                fabs(a->points[i].y - b->points[j].y) <= REACH)
                return true;
    return false;
}

static void test_common_corners_are_found(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct vertex_grid index = {0};
    const struct winding *windings[WINDINGS];
    assert_int_equal(arrlen(vertex_grid_near(&index, random_square(&arena, 0), REACH)), 0);
    for (int i = 0; i < WINDINGS; i++) {
        windings[i] = random_square(&arena, (uint64_t)i);
        vertex_grid_add(&index, windings[i]);
    }
    for (int i = 0; i < WINDINGS; i += 3)
        vertex_grid_remove(&index, i);
    int found = 0, listed = 0;
    for (int i = 0; i < WINDINGS; i++) {
        const int *near = vertex_grid_near(&index, windings[i], REACH);
        size_t at = 0;
        listed += (int)arrlen(near);
        for (int j = 0; j < WINDINGS; j++) {
            bool is_listed = at < arrlenu(near) && near[at] == j; /* they ascend */
            at += is_listed;
            assert_false(is_listed && j % 3 == 0);
            if (j % 3 == 0 || !have_common_corner(windings[i], windings[j]))
                continue;
            assert_true(is_listed);
            found++;
        }
        assert_int_equal(at, arrlenu(near));
    }
    assert_true(found > 2 * WINDINGS);
    assert_true(listed < 100 * WINDINGS); /* far from all */
    vertex_grid_free(&index);
    arena_free(&arena);
}

static void test_many_faces_become_one(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    for (int x = 0; x < 12; x++)
        for (int y = 0; y < 12; y++)
            hand_rectangle(&hand, 32 * x, 32 * y, 32 * x + 32, 32 * y + 32);
    hand_rectangle(&hand, 384, 8, 400, 16); /* touches, but has no edge in common */
    face_list_merge(&hand.compile, &hand.tree.arena, &hand.list);
    struct hand_sum sum = hand_final(&hand);
    assert_int_equal(sum.count, 2);
    assert_float_equal(sum.area, 384 * 384 + 16 * 8, 1e-6);
    hand_faces_free(&hand);
}

SUITE(test_vertex_grid)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common_corners_are_found),
        cmocka_unit_test(test_many_faces_become_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
