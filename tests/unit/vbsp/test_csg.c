/* Pieces and chopping, on brushes made in code: volumes must add up, and nothing may overlap. */
#include "tests/support/suite.h"

#include <math.h>

#include "common/core/array.h"
#include "common/core/random.h"
#include "vbsp/csg/brush_fragment.h"

struct scene {
    struct arena arena;
    struct plane_set planes;
};

static void scene_free(struct scene *scene)
{
    plane_set_free(&scene->planes);
    arena_free(&scene->arena);
}

static struct brush *box(struct scene *scene, struct vec3 mins, struct vec3 maxs, int contents)
{
    struct map_brush *brush = ARENA_NEW(&scene->arena, struct map_brush);
    brush->contents = contents;
    brush->bounds = (struct bounds){mins, maxs};
    struct brush *fragment = brush_fragment_box(&scene->arena, &scene->planes, &brush->bounds);
    brush->side_count = 6;
    brush->sides = ARENA_ARRAY(&scene->arena, struct brush_side, 6);
    for (int i = 0; i < 6; i++) {
        brush->sides[i] = fragment->sides[i];
        brush->sides[i].texinfo = 0;
    }
    return brush_fragment_new(&scene->arena, brush, true);
}

static double total(const struct scene *scene, const struct brush *fragments)
{
    double sum = 0;
    for (; fragments; fragments = fragments->next)
        sum += brush_fragment_volume(&scene->planes, fragments);
    return sum;
}

static bool holds(const struct scene *scene, const struct brush *fragment, struct vec3 point)
{
    for (int i = 0; i < fragment->side_count; i++)
        if (plane_distance(&scene->planes.planes[fragment->sides[i].plane], point) > 0)
            return false;
    return true;
}

static int count(const struct brush *fragments)
{
    int n = 0;
    for (; fragments; fragments = fragments->next)
        n++;
    return n;
}

static void test_cut_keeps_volume(void **state)
{
    (void)state;
    struct scene scene = {0};
    for (uint64_t i = 0; i < 200; i++) {
        struct brush *fragment = box(&scene, vec3(-64, -32, 0), vec3(64, 32, 96), CONTENTS_SOLID);
        struct vec3 normal = vec3_normalize(
            vec3(random_unit(i, 0) - 0.5, random_unit(i, 1) - 0.5, random_unit(i, 2) - 0.5));
        int plane = plane_set_find(&scene.planes, normal,
                                   vec3_dot(normal, vec3(0, 0, 48)) + 30 * random_unit(i, 3));
        struct brush *front, *back;
        brush_fragment_cut(&scene.arena, &scene.planes, fragment, plane, &front, &back);
        double volume = (front ? brush_fragment_volume(&scene.planes, front) : 0) +
                        (back ? brush_fragment_volume(&scene.planes, back) : 0);
        assert_true(fabs(volume - 128.0 * 64.0 * 96.0) < 2);
        if (front && front != fragment)
            assert_true(front->side_count >= 4 && back->side_count >= 4);
    }
    scene_free(&scene);
}

static void test_near_miss_does_not_cut(void **state)
{
    (void)state;
    struct scene scene = {0};
    struct brush *fragment = box(&scene, vec3(0, 0, 0), vec3(64, 64, 64), CONTENTS_SOLID);
    struct brush *front, *back;
    brush_fragment_cut(&scene.arena, &scene.planes, fragment,
                       plane_set_find(&scene.planes, vec3(1, 0, 0), 63.95), &front, &back);
    assert_null(front);
    assert_ptr_equal(back, fragment);
    scene_free(&scene);
}

static void test_overlap_is_taken_once(void **state)
{
    (void)state;
    struct scene scene = {0};
    struct brush *a = box(&scene, vec3(0, 0, 0), vec3(64, 64, 64), CONTENTS_SOLID);
    struct brush *b = box(&scene, vec3(32, 0, 0), vec3(96, 64, 64), CONTENTS_SOLID);
    a->next = b;
    struct brush *chopped = csg_chop(&scene.arena, &scene.planes, a);
    assert_int_equal(count(chopped), 2);
    assert_true(fabs(total(&scene, chopped) - 96.0 * 64 * 64) < 1);
    scene_free(&scene);
}

static void test_swallowed_brush_vanishes(void **state)
{
    (void)state;
    struct scene scene = {0};
    struct brush *a = box(&scene, vec3(0, 0, 0), vec3(64, 64, 64), CONTENTS_SOLID);
    struct brush *b = box(&scene, vec3(16, 16, 16), vec3(48, 48, 48), CONTENTS_SOLID);
    b->next = a;
    struct brush *chopped = csg_chop(&scene.arena, &scene.planes, b);
    assert_int_equal(count(chopped), 1);
    assert_true(fabs(total(&scene, chopped) - 64.0 * 64 * 64) < 1e-6);
    scene_free(&scene);
}

static void test_water_does_not_bite_walls(void **state)
{
    (void)state;
    struct scene scene = {0};
    struct brush *wall = box(&scene, vec3(0, 0, 0), vec3(16, 64, 64), CONTENTS_SOLID);
    struct brush *water =
        box(&scene, vec3(0, 0, 0), vec3(128, 64, 32), CONTENTS_WATER | CONTENTS_TRANSLUCENT);
    water->next = wall;
    struct brush *chopped = csg_chop(&scene.arena, &scene.planes, water);
    double solid = 0, wet = 0;
    for (struct brush *fragment = chopped; fragment; fragment = fragment->next)
        *(fragment->original->contents & CONTENTS_SOLID ? &solid : &wet) +=
            brush_fragment_volume(&scene.planes, fragment);
    assert_true(fabs(solid - 16.0 * 64 * 64) < 1e-6);
    assert_true(fabs(wet - 112.0 * 64 * 32) < 1e-6);
    scene_free(&scene);
}

/* Random boxes: every point that was solid still is, and no point became so. */
static void test_random_boxes_keep_their_union(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20; round++) {
        struct scene scene = {0};
        enum { BOXES = 8 };
        struct brush *boxes[BOXES], *list = NULL;
        struct bounds original[BOXES];
        for (uint64_t i = 0; i < BOXES; i++) {
            struct vec3 mins, maxs;
            for (uint64_t axis = 0; axis < 3; axis++) {
                double low = floor(16 * random_unit(round * 64 + i, axis)) * 8;
                mins.e[axis] = low;
                maxs.e[axis] = low + 8 + floor(6 * random_unit(round * 64 + i, axis + 3)) * 8;
            }
            original[i] = (struct bounds){mins, maxs};
            boxes[i] = box(&scene, mins, maxs, CONTENTS_SOLID);
            boxes[i]->next = list;
            list = boxes[i];
        }
        struct brush *chopped = csg_chop(&scene.arena, &scene.planes, list);
        for (uint64_t i = 0; i < 2000; i++) {
            struct vec3 point;
            for (uint64_t axis = 0; axis < 3; axis++)
                point.e[axis] = 184 * random_unit(round * 10007 + i, 20 + axis);
            bool before = false, after = false;
            for (int j = 0; j < BOXES; j++)
                before |= bounds_contains(&original[j], point);
            for (struct brush *fragment = chopped; fragment; fragment = fragment->next)
                after |= holds(&scene, fragment, point);
            assert_int_equal(before, after);
        }
        scene_free(&scene);
    }
}

/* Boxes, some of them thin, with a few corners cut off. */
static struct brush *random_piece(struct scene *scene, uint64_t item)
{
    struct vec3 size;
    for (int i = 0; i < 3; i++)
        size.e[i] = 1 + 500 * pow(random_unit(item, (uint64_t)i), 4);
    struct brush *fragment = box(scene, vec3_scale(size, -0.5), vec3_scale(size, 0.5), 1);
    for (uint64_t i = 0; i < 3; i++) {
        struct vec3 normal;
        for (uint64_t k = 0; k < 3; k++)
            normal.e[k] = random_unit(item, 10 + 3 * i + k) - 0.5;
        normal = vec3_normalize(normal);
        int plane = plane_set_find(&scene->planes, normal, 0.3 * vec3_length(size));
        struct brush *front, *back;
        brush_fragment_cut(&scene->arena, &scene->planes, fragment, plane, &front, &back);
        fragment = back ? back : fragment;
    }
    return fragment;
}

static void test_a_cut_is_foretold(void **state)
{
    (void)state;
    int cuts[2] = {0};
    struct arena scratch = {0};
    for (uint64_t item = 0; item < 300; item++) {
        struct scene scene = {0};
        struct brush *fragment = random_piece(&scene, item);
        for (uint64_t i = 0; i < 40; i++) {
            struct vec3 normal =
                vec3(random_unit(item, 100 + 4 * i) - 0.5, random_unit(item, 101 + 4 * i) - 0.5,
                     random_unit(item, 102 + 4 * i) - 0.5);
            double dist = 300 * pow(random_unit(item, 103 + 4 * i), 3) - 5;
            int plane = plane_set_find(&scene.planes, vec3_normalize(normal), dist);
            struct brush *front, *back;
            bool told = brush_fragment_is_cut(&scratch, &scene.planes, fragment, plane & ~1);
            brush_fragment_cut(&scene.arena, &scene.planes, fragment, plane & ~1, &front, &back);
            assert_int_equal(told, front && back);
            cuts[told]++;
        }
        scene_free(&scene);
    }
    assert_true(cuts[0] > 1000 && cuts[1] > 1000);
    arena_free(&scratch);
}

SUITE(test_csg)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_keeps_volume),
        cmocka_unit_test(test_near_miss_does_not_cut),
        cmocka_unit_test(test_overlap_is_taken_once),
        cmocka_unit_test(test_swallowed_brush_vanishes),
        cmocka_unit_test(test_water_does_not_bite_walls),
        cmocka_unit_test(test_random_boxes_keep_their_union),
        cmocka_unit_test(test_a_cut_is_foretold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
