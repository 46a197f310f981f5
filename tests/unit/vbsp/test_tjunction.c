#include "tests/support/suite.h"

#include "common/core/array.h"
#include "common/geom/epsilon.h"
#include "tests/support/near.h"
#include "tests/support/vbsp/hand_faces.h"
#include "tests/support/vbsp/tight_format.h"
#include "vbsp/faces/outline.h"
#include "vbsp/faces/vertex_pool.h"
#include "vbsp/target/source/emit/emit.h"
#include "vbsp/target/source/entities/state.h"

static void fix(struct hand_faces *hand)
{
    faces_fix_tjunctions(&hand->compile, &hand->tree, hand->list);
}

/* Index of the point in the face's outline, or -1. */
static int place_of(const struct hand_faces *hand, const struct face *face, double x, double y)
{
    for (int i = 0; i < (int)arrlen(face->vertices); i++) {
        const float *p = hand->compile.bsp->vertices[face->vertices[i]].p;
        if (fabs((double)p[0] - x) < 1e-3 && fabs((double)p[1] - y) < 1e-3)
            return i;
    }
    return -1;
}

static void test_corner_on_edge_becomes_a_point(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    struct face *wide = hand_rectangle(&hand, 0, 0, 64, 128);
    struct face *low = hand_rectangle(&hand, 64, 0, 128, 48);
    struct face *high = hand_rectangle(&hand, 64, 48, 128, 128);
    fix(&hand);
    assert_int_equal(arrlen(wide->vertices), 5);
    assert_true(place_of(&hand, wide, 64, 48) >= 0);
    assert_int_equal(arrlen(low->vertices), 4);
    assert_int_equal(arrlen(high->vertices), 4);
    /* Welded: 8 places and the reserved first vertex. */
    assert_int_equal(arrlen(hand.compile.bsp->vertices), 9);
    /* The fan starts where no triangle is flat: not beside the new point. */
    int count = 5, at = place_of(&hand, wide, 64, 48);
    assert_true(at >= 2 && at <= count - 2);
    assert_int_equal(wide->primitive_count, 0);
    hand_faces_free(&hand);
}

static void test_reach_of_tjunctions(void **state)
{
    (void)state;
    const double off[] = {0.2, 0.3, -0.2};
    for (int i = 0; i < 3; i++) {
        struct hand_faces hand;
        hand_faces_init(&hand);
        struct face *wide = hand_rectangle(&hand, 0, 0, 64, 128);
        hand_rectangle(&hand, 64 + off[i], 48, 128, 100);
        fix(&hand);
        assert_int_equal(arrlen(wide->vertices), i == 1 ? 4 : 6);
        hand_faces_free(&hand);
    }
}

static void test_weld_and_snap(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    struct face *a = hand_rectangle(&hand, -127.995, 0, -64, 64);
    struct face *b = hand_rectangle(&hand, -63.95, 0.04, 10.5, 64);
    fix(&hand);
    assert_int_equal(arrlen(hand.compile.bsp->vertices), 7); /* six and the reserved one */
    assert_true(place_of(&hand, a, -128, 0) >= 0);           /* also below zero */
    assert_true(place_of(&hand, b, -64, 0) >= 0);
    assert_true(place_of(&hand, b, 10.5, 64) >= 0);
    hand_faces_free(&hand);
}

static void test_options_leave_it_out(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    hand.options.no_tjunc = hand.options.no_weld = true;
    struct face *wide = hand_rectangle(&hand, 0, 0, 64, 128);
    hand_rectangle(&hand, 64.05, 32, 128, 64);
    hand_rectangle(&hand, 64.05, 64, 128, 96);
    fix(&hand);
    assert_int_equal(arrlen(wide->vertices), 4);
    assert_int_equal(arrlen(hand.compile.bsp->vertices), 11); /* 10 places, each once */
    hand_faces_free(&hand);
}

static void test_thin_faces_keep_their_outline(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    struct face *thin = hand_rectangle(&hand, 0, 0, 0.2, 128);
    struct face *dust = hand_rectangle(&hand, 200, 0, 200.05, 0.05);
    fix(&hand);
    assert_int_equal(arrlen(thin->vertices), 4);
    assert_true(arrlen(dust->vertices) < 3); /* all one point: not drawn */
    hand_faces_free(&hand);
}

static struct vec3 at(const struct hand_faces *hand, int vertex)
{
    const float *p = hand->compile.bsp->vertices[vertex].p;
    return vec3((double)p[0], (double)p[1], (double)p[2]);
}

/* Twice the area of a triangle, positive when it goes clockwise from above. */
static double clockwise(struct vec3 a, struct vec3 b, struct vec3 c)
{
    return vec3_cross(vec3_sub(c, a), vec3_sub(b, a)).z;
}

static void test_points_on_all_sides_make_a_primitive(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    struct face *middle = hand_rectangle(&hand, 0, 0, 100, 100);
    hand_rectangle(&hand, -50, 0, 0, 30);
    hand_rectangle(&hand, 100, 0, 150, 60);
    hand_rectangle(&hand, 0, -50, 40, 0);
    hand_rectangle(&hand, 0, 100, 20, 150);
    fix(&hand);
    const struct bsp *bsp = hand.compile.bsp;
    assert_int_equal(arrlen(middle->vertices), 8);
    assert_int_equal(middle->primitive_count, 1);
    const struct bsp_primitive *primitive = &bsp->primitives[middle->first_primitive];
    assert_int_equal(primitive->type, 0);
    assert_int_equal(primitive->index_count, 3 * 6);
    double area = 0;
    for (int i = 0; i < primitive->index_count; i += 3) {
        const int32_t *index = &bsp->primitive_indices[primitive->first_index + i];
        double part =
            clockwise(at(&hand, middle->vertices[index[0]]), at(&hand, middle->vertices[index[1]]),
                      at(&hand, middle->vertices[index[2]]));
        assert_true(part > 1); /* none is flat */
        area += part / 2;
    }
    assert_float_equal(area, 100 * 100, 1e-3);
    hand_faces_free(&hand);
}

/* A face with 40 neighbours on one side, more points than a face can have. */
static struct face *put_comb(struct hand_faces *hand)
{
    struct face *wide = hand_rectangle(hand, 0, 0, 64, 800);
    for (int i = 0; i < 40; i++)
        hand_rectangle(hand, 64, 20 * i, 128, 20 * i + 20);
    return wide;
}

static void test_faces_that_are_too_many_stay_whole(void **state)
{
    (void)state;
    for (int max = 41; max <= 42; max++) {
        struct hand_faces hand;
        struct tight tight;
        tight_init(&tight, "sdk2013");
        tighten(&tight, "faces", max);
        hand_faces_init(&hand);
        hand.options.format = &tight.format;
        struct face *wide = put_comb(&hand);
        fix(&hand);
        const struct tjunction_loss *loss = &source_state(&hand.compile)->tjunction_loss;
        if (max == 42) {
            assert_non_null(wide->split[0]);
            assert_int_equal(loss->points, 0);
        } else {
            assert_null(wide->split[0]);
            assert_int_equal(arrlen(wide->vertices), 32);
            assert_int_equal(loss->points, 43 - 32);
            assert_near(loss->length, 40, 1e-3); /* no two neighbours are left out */
        }
        hand_faces_free(&hand);
    }
}

static void test_brush_models_get_no_primitives(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    struct compile_entity world = {0}, door = {.model = 1};
    arrput(hand.compile.entities, world);
    arrput(hand.compile.entities, door);
    emit_begin(&hand.compile);
    emit_model(&hand.compile, 0, &hand.tree, NULL);
    struct face *middle = hand_rectangle(&hand, 0, 0, 100, 100);
    hand_rectangle(&hand, -50, 0, 0, 30);
    hand_rectangle(&hand, 100, 0, 150, 60);
    hand_rectangle(&hand, 0, -50, 40, 0);
    hand_rectangle(&hand, 0, 100, 20, 150);
    fix(&hand);
    assert_int_equal(arrlen(middle->vertices), 8);
    assert_int_equal(middle->primitive_count, 0);
    arrfree(hand.compile.entities);
    hand_faces_free(&hand);
}

static void count_edges(void *context, struct face *face)
{
    int *max = context;
    if (arrlen(face->vertices) > *max)
        *max = (int)arrlen(face->vertices);
}

static double face_area(const struct hand_faces *hand, const struct face *face)
{
    double area = 0;
    for (size_t i = 2; i < arrlenu(face->vertices); i++)
        area += clockwise(at(hand, face->vertices[0]), at(hand, face->vertices[i - 1]),
                          at(hand, face->vertices[i])) /
                2;
    return area;
}

struct outlines {
    const struct hand_faces *hand;
    double area;
};

static void add_outline(void *context, struct face *face)
{
    struct outlines *outlines = context;
    double area = face_area(outlines->hand, face);
    assert_true(area > 0.1); /* no part is flat */
    outlines->area += area;
}

static void test_too_many_edges_split_the_face(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    struct face *wide = hand_rectangle(&hand, 0, 0, 1000, 10);
    for (int i = 0; i < 100; i++) /* all on one edge */
        hand_rectangle(&hand, i * 10, 10, i * 10 + 10, 20);
    fix(&hand);
    assert_non_null(wide->split[0]);
    int max = 0;
    face_final(wide, count_edges, &max);
    assert_in_range(max, 3, 32);
    struct outlines outlines = {.hand = &hand};
    face_final(wide, add_outline, &outlines);
    assert_float_equal(outlines.area, 1000 * 10, 1e-3);
    hand_faces_free(&hand);
}

static void test_long_edges_across_cells(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    /* A slanted edge of 20000 units with a corner on it every 2000. */
    const double wide[3][2] = {{-8000, -6000}, {8000, 6000}, {8000, -6000}};
    struct face *triangle = hand_polygon(&hand, true, 0, 3, wide);
    for (int i = 1; i < 10; i++) {
        double x = -8000 + 1600 * i, y = -6000 + 1200 * i;
        const double small[3][2] = {{x, y}, {x - 50, y + 50}, {x - 40, y + 60}};
        hand_polygon(&hand, true, 0, 3, small);
    }
    fix(&hand);
    assert_int_equal(arrlen(triangle->vertices), 3 + 9);
    for (int i = 1; i < 10; i++)
        assert_true(place_of(&hand, triangle, -8000 + 1600 * i, -6000 + 1200 * i) >= 0);
    hand_faces_free(&hand);
}

static void test_pool_shares_exact_places_between_models(void **state)
{
    (void)state;
    struct bsp_vertex *vertices = NULL;
    struct vertex_pool pool;
    vertex_pool_init(&pool, &vertices, false);
    int a = vertex_pool_find(&pool, vec3(10, 20, 30));
    assert_int_equal(a, 1);
    assert_int_equal(vertex_pool_find(&pool, vec3(10, 20.09, 30)), a);
    vertex_pool_next_model(&pool);
    assert_int_equal(vertex_pool_find(&pool, vec3(10, 20.09, 30)), 2);
    assert_int_equal(vertex_pool_find(&pool, vec3(10, 20, 30)), 2); /* the one of this model */
    vertex_pool_next_model(&pool);
    assert_int_equal(vertex_pool_find(&pool, vec3(10, 20, 30)), a);
    vertex_pool_free(&pool);
    arrfree(vertices);
}

static void test_weld_across_cells(void **state)
{
    (void)state;
    struct bsp_vertex *vertices = NULL;
    struct vertex_pool pool;
    vertex_pool_init(&pool, &vertices, false);
    int a = vertex_pool_find(&pool, vec3(63.97, -32.03, 95.98));
    assert_int_equal(vertex_pool_find(&pool, vec3(64.02, -31.98, 96.02)), a);
    assert_int_not_equal(vertex_pool_find(&pool, vec3(64.1, -31.9, 96.1)), a);
    vertex_pool_free(&pool);
    arrfree(vertices);
}

static void test_fan_start(void **state)
{
    (void)state;
    const bool bends[6] = {true, true, false, true, true, true};
    assert_int_equal(fan_start(bends, 6), 0);
    const bool other[6] = {true, false, true, true, true, false};
    assert_int_equal(fan_start(other, 6), 3);
    const bool none[6] = {true, false, true, true, false, true};
    assert_int_equal(fan_start(none, 6), -1);
}

/* Points that passed each other where edges were slightly off the grid. */
static void test_triangles_of_outlines_with_a_flat_rest(void **state)
{
    (void)state;
    const struct vec3 points[] = {vec3(-224, -240, 304), vec3(-212, -242, 304),
                                  vec3(-211.421, -240, 304), vec3(-211.419, -240, 304)};
    int *indices = NULL;
    assert_int_equal(triangulate_outline(points, 4, &indices), 1);
    double area = clockwise(points[indices[0]], points[indices[1]], points[indices[2]]) / 2;
    assert_true(fabs(area) > 12.5 && fabs(area) < 12.6);
    arrfree(indices);
}

/* Coordinates are floats, so that points on an edge lie on it but for some rounding. */
static void test_no_triangle_of_the_points_on_an_edge(void **state)
{
    (void)state;
    struct vec3 points[] = {
        vec3(-484.625, -685.625, -90.45977), vec3(-480.162537, -472.753479, -184),
        vec3(-480, -472.914276, -184),       vec3(-311.10434, -640, -184),
        vec3(-307.061005, -644, -184),       vec3(-276, -674.728149, -184),
        vec3(-272, -678.685303, -184),       vec3(-234.281067, -716, -184)};
    int *indices = NULL, count = sizeof points / sizeof *points;
    assert_int_equal(triangulate_outline(points, count, &indices), count - 2);
    for (int i = 0; i < 3 * (count - 2); i += 3) {
        struct vec3 a = points[indices[i]], b = points[indices[i + 1]], c = points[indices[i + 2]];
        double area = vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a))) / 2;
        assert_true(area > 1);
    }
    arrfree(indices);
}

static void test_a_line_is_not_drawn(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    const double line[3][2] = {{0, 0}, {0, 2}, {0, 128}};
    struct face *face = hand_polygon(&hand, true, 0, 3, line);
    fix(&hand);
    assert_int_equal(arrlen(face->vertices), 0);
    assert_int_equal(arrlen(hand.compile.bsp->primitives), 0);
    hand_faces_free(&hand);
}

/* Between the two long edges was a face too thin to draw: the end nearer to where they meet is put
 * on the other edge, and not the other way round. */
static void test_gaps_of_undrawn_faces_close(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    const double left[4][2] = {{-50, 0}, {-50, 100}, {0, 100}, {0, 0}};
    const double right[4][2] = {{0.15, -0.05}, {0, 100}, {50, 100}, {50, -0.05}};
    struct face *a = hand_polygon(&hand, true, 0, 4, left);
    struct face *b = hand_polygon(&hand, true, 0, 4, right);
    fix(&hand);
    assert_true(place_of(&hand, b, 0, 0) >= 0);
    assert_int_equal(arrlen(b->vertices), 5);
    assert_int_equal(arrlen(a->vertices), 4);
    hand_faces_free(&hand);
}

/* The spike of a face that its own corner cuts off is left to the faces beside it. */
static void test_outlines_fall_into_loops(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    const double spike[4][2] = {{0, 0}, {0, 100}, {100, 100}, {0.15, 40}};
    const double beside[4][2] = {{-50, 0}, {-50, 100}, {0, 100}, {0, 0}};
    struct face *a = hand_polygon(&hand, true, 0, 4, spike);
    struct face *b = hand_polygon(&hand, true, 0, 4, beside);
    fix(&hand);
    assert_int_equal(arrlen(a->vertices), 3);
    assert_true(place_of(&hand, a, 0, 0) < 0);
    assert_true(place_of(&hand, b, 0.15, 40) >= 0);
    hand_faces_free(&hand);
}

/* The speck stands out beside the point where the halves meet: it is put on the lower half, of
 * which it is nearer to the other end, and so on the whole edge, between the same two points. */
static void test_an_edge_and_its_halves_get_the_same(void **state)
{
    (void)state;
    struct hand_faces hand;
    hand_faces_init(&hand);
    const double whole[4][2] = {{0, 0}, {0, 200}, {50, 200}, {50, 0}};
    const double low[4][2] = {{-50, 0}, {-10, 150}, {0, 100}, {0, 0}};
    const double high[4][2] = {{-10, 150}, {-10, 200}, {0, 200}, {0, 100}};
    const double speck[3][2] = {{-0.22, 99.9}, {-20, 99}, {-20, 98}};
    struct face *one = hand_polygon(&hand, true, 0, 4, whole);
    struct face *half = hand_polygon(&hand, true, 0, 4, low);
    struct face *other = hand_polygon(&hand, true, 0, 4, high);
    hand_polygon(&hand, true, 0, 3, speck);
    fix(&hand);
    int count = (int)arrlen(one->vertices), middle = place_of(&hand, one, 0, 100);
    assert_true(middle >= 0);
    assert_int_equal((place_of(&hand, one, -0.22, 99.9) + 1) % count, middle);
    middle = place_of(&hand, half, 0, 100);
    assert_int_equal(place_of(&hand, half, -0.22, 99.9), middle + 1);
    assert_true(place_of(&hand, other, -0.22, 99.9) < 0);
    hand_faces_free(&hand);
}

/* --- largest triangles --- */

static double area_of(const struct vec3 *points, const int *triangle)
{
    struct vec3 u = vec3_sub(points[triangle[1]], points[triangle[0]]);
    struct vec3 v = vec3_sub(points[triangle[2]], points[triangle[0]]);
    return vec3_length(vec3_cross(u, v)) / 2;
}

/* Clockwise from 0 0, with `extra` points on each edge of a square. */
static struct vec3 *square_with(int extra)
{
    const struct vec3 corners[] = {vec3(0, 0, 5), vec3(0, 64, 5), vec3(64, 64, 5), vec3(64, 0, 5)};
    struct vec3 *points = NULL;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k <= extra; k++)
            arrput(points, vec3_lerp(corners[i], corners[(i + 1) % 4], k / (extra + 1.0)));
    return points;
}

static void all_points_are_corners_of_triangles_with_area(void **state)
{
    (void)state;
    for (int extra = 0; extra <= 20; extra++) {
        struct vec3 *points = square_with(extra);
        int *indices = NULL, count = (int)arrlen(points);
        bool used[128] = {false};
        assert_int_equal(triangulate_largest(points, count, &indices), count - 2);
        double sum = 0;
        for (int i = 0; i < 3 * (count - 2); i += 3) {
            assert_true(area_of(points, indices + i) > 1);
            sum += area_of(points, indices + i);
            for (int k = 0; k < 3; k++)
                used[indices[i + k]] = true;
        }
        for (int i = 0; i < count; i++)
            assert_true(used[i]);
        assert_near(sum, 4096, 1e-9);
        arrfree(indices);
        arrfree(points);
    }
}

static void the_largest_is_first(void **state)
{
    (void)state;
    const struct vec3 points[] = {vec3(0, 0, 0),    vec3(-1, 50, 0),   vec3(0, 100, 0),
                                  vec3(50, 101, 0), vec3(100, 100, 0), vec3(60, 20, 0)};
    const int largest[] = {0, 2, 4};
    int *indices = NULL;
    assert_int_equal(triangulate_largest(points, 6, &indices), 4);
    assert_memory_equal(indices, largest, sizeof largest);
    arrfree(indices);
}

/* A triangle with points on one edge: its corners alone would leave a line. */
static void points_on_an_edge_are_kept(void **state)
{
    (void)state;
    const struct vec3 points[] = {vec3(0, 0, 0), vec3(0, 100, 0), vec3(100, 0, 0), vec3(50, 0, 0)};
    int *indices = NULL;
    assert_int_equal(triangulate_largest(points, 4, &indices), 2);
    for (int i = 0; i < 6; i += 3)
        assert_near(area_of(points, indices + i), 2500, 1e-9);
    arrfree(indices);
}

static void a_line_has_no_triangles(void **state)
{
    (void)state;
    const struct vec3 points[] = {vec3(0, 0, 0), vec3(0, 50, 0), vec3(0, 100, 0)};
    int *indices = NULL;
    assert_int_equal(triangulate_largest(points, 3, &indices), 0);
    arrfree(indices);
}

static void outlines_of_many_points_are_cut_too(void **state)
{
    (void)state;
    struct vec3 *points = NULL;
    int *indices = NULL;
    for (int i = 0; i < 300; i++)
        arrput(points, vec3(1000 * sin(i * 0.02), 1000 * cos(i * 0.02), 0));
    assert_int_equal(triangulate_largest(points, 300, &indices), 298);
    arrfree(indices);
    arrfree(points);
}

SUITE(test_tjunction)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corner_on_edge_becomes_a_point),
        cmocka_unit_test(test_reach_of_tjunctions),
        cmocka_unit_test(test_triangles_of_outlines_with_a_flat_rest),
        cmocka_unit_test(test_no_triangle_of_the_points_on_an_edge),
        cmocka_unit_test(test_a_line_is_not_drawn),
        cmocka_unit_test(test_gaps_of_undrawn_faces_close),
        cmocka_unit_test(test_outlines_fall_into_loops),
        cmocka_unit_test(test_an_edge_and_its_halves_get_the_same),
        cmocka_unit_test(test_weld_and_snap),
        cmocka_unit_test(test_options_leave_it_out),
        cmocka_unit_test(test_thin_faces_keep_their_outline),
        cmocka_unit_test(test_points_on_all_sides_make_a_primitive),
        cmocka_unit_test(test_faces_that_are_too_many_stay_whole),
        cmocka_unit_test(test_brush_models_get_no_primitives),
        cmocka_unit_test(test_too_many_edges_split_the_face),
        cmocka_unit_test(test_long_edges_across_cells),
        cmocka_unit_test(test_pool_shares_exact_places_between_models),
        cmocka_unit_test(test_weld_across_cells),
        cmocka_unit_test(test_fan_start),
        cmocka_unit_test(all_points_are_corners_of_triangles_with_area),
        cmocka_unit_test(the_largest_is_first),
        cmocka_unit_test(points_on_an_edge_are_kept),
        cmocka_unit_test(a_line_has_no_triangles),
        cmocka_unit_test(outlines_of_many_points_are_cut_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
