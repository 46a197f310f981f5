/* Windows, separators and shafts of the portal flow. */
#include "tests/support/suite.h"

#include "common/core/random.h"
#include "vvis/graph/window.h"
#include "vvis/graph/window_lanes.h"

struct rng {
    uint64_t item, draws;
};

static double rng_range(struct rng *rng, double low, double high)
{
    return low + (high - low) * random_unit(rng->item, rng->draws++);
}

/* A regular polygon, clockwise seen from in front of its plane. */
static void polygon(struct arena *arena, int count, struct vec3 center, struct vec3 normal,
                    double radius, struct plane *plane, struct window *out)
{
    struct vec3 points[64];
    normal = vec3_normalize(normal);
    struct vec3 right =
        vec3_normalize(vec3_cross(normal, fabs(normal.z) > 0.7 ? vec3(1, 0, 0) : vec3(0, 0, 1)));
    struct vec3 up = vec3_cross(right, normal);
    for (int i = 0; i < count; i++) {
        double angle = 6.283185307179586 * i / count;
        points[i] = vec3_mad(vec3_mad(center, right, radius * cos(angle)), up, radius * sin(angle));
    }
    struct winding *winding = winding_new(arena, count, points);
    assert_true(winding_plane(winding, plane));
    assert_true(vec3_dot(plane->normal, normal) > 0.999);
    window_from_winding(winding, plane, out);
}

static struct vec3 point_of(const struct window *window, int i)
{
    return vec3(window->x[i], window->y[i], window->z[i]);
}

static void clipping_keeps_cuts_or_drops(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct plane own;
    struct window window, out;
    polygon(&arena, 4, vec3(0, 0, 0), vec3(0, 0, 1), 10, &own, &window);
    struct plane plane = {vec3(1, 0, 0), -11};
    assert_int_equal(window_clip(&window, &plane, &out), WINDOW_WHOLE);
    plane.dist = 11;
    assert_int_equal(window_clip(&window, &plane, &out), WINDOW_GONE);
    plane.dist = 10 - VIS_EPSILON / 2; /* less than the tolerance is in front */
    assert_int_equal(window_clip(&window, &plane, &out), WINDOW_GONE);
    plane.dist = -10 + VIS_EPSILON / 2;
    assert_int_equal(window_clip(&window, &plane, &out), WINDOW_WHOLE);
    plane.dist = 5;
    assert_int_equal(window_clip(&window, &plane, &out), WINDOW_CUT);
    assert_int_equal(out.count, 3);
    for (int i = 0; i < out.count; i++)
        assert_true(out.x[i] > 5 - 1e-9);
    struct plane coplanar = {vec3(0, 0, 1), 0};
    assert_int_equal(window_clip(&window, &coplanar, &out), WINDOW_WHOLE);
    arena_free(&arena);
}

static void a_full_window_is_not_cut(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct plane own;
    struct window window, out;
    polygon(&arena, WINDOW_POINTS, vec3(0, 0, 0), vec3(0, 0, 1), 10, &own, &window);
    /* one corner cut off: one point more */
    struct plane plane = {vec3_normalize(vec3(-1, 0, 0)), -9.9};
    assert_int_equal(window_clip(&window, &plane, &out), WINDOW_WHOLE);
    plane.dist = -5;
    assert_int_equal(window_clip(&window, &plane, &out), WINDOW_CUT);
    assert_true(out.count <= WINDOW_POINTS);
    arena_free(&arena);
}

static void a_winding_of_many_points_lies_in_its_window(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct plane own;
    struct window window;
    polygon(&arena, 64, vec3(3, 4, 5), vec3(1, 2, 2), 10, &own, &window);
    assert_int_equal(window.count, 4);
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < 4; i++) {
        struct vec3 a = point_of(&window, i), b = point_of(&window, (i + 1) % 4);
        assert_true(fabs(plane_distance(&own, a)) < 1e-9);
        struct vec3 inward = vec3_normalize(vec3_cross(vec3_sub(b, a), own.normal));
        /* the circle of radius 10 is inside: clockwise, and wide enough */
        assert_true(vec3_dot(inward, vec3_sub(vec3(3, 4, 5), a)) > 9.9);
        sum = vec3_add(sum, a);
    }
    assert_true(vec3_distance(vec3_scale(sum, 0.25), vec3(3, 4, 5)) < 0.1);
    struct window back;
    window_reverse(&window, &back);
    for (int i = 0; i < 4; i++)
        assert_true(vec3_distance(point_of(&back, i), point_of(&window, 3 - i)) == 0);
    arena_free(&arena);
}

static struct vec3 inner_point(const struct window *window, struct rng *rng)
{
    double weights[WINDOW_POINTS], total = 0;
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < window->count; i++) {
        weights[i] = pow(rng_range(rng, 0, 1), 4); /* often near a corner or an edge */
        total += weights[i];
    }
    for (int i = 0; i < window->count; i++)
        sum = vec3_mad(sum, point_of(window, i), weights[i] / total);
    return sum;
}

/* `epsilon` is in units; the planes' normals are of any length. */
static bool behind_any(const struct separators *separators, struct vec3 point, double epsilon)
{
    for (int i = 0; i < separators->count; i++) {
        struct vec3 normal = vec3(separators->x[i], separators->y[i], separators->z[i]);
        double length = vec3_length(normal);
        assert_true(fabs(separators->near[i] / length - VIS_EPSILON) < 1e-9);
        if ((vec3_dot(normal, point) - separators->dist[i]) / length < -epsilon)
            return true;
    }
    return false;
}

/* Random source and pass: what lines through both meet behind them is never clipped away. */
static void lines_stay_in_front_of_the_separators(void **state)
{
    (void)state;
    struct arena arena = {0};
    int built = 0;
    for (uint64_t i = 0; i < 500; i++) {
        struct rng rng = {i, 0};
        struct window source, pass;
        struct plane planes[2];
        polygon(&arena, 3 + (int)rng_range(&rng, 0, 9), vec3(0, 0, 0), vec3(1, 0, 0), 32,
                &planes[0], &source);
        struct vec3 normal = vec3(1, rng_range(&rng, -1, 1), rng_range(&rng, -1, 1));
        struct vec3 center =
            vec3(rng_range(&rng, 80, 400), rng_range(&rng, -90, 90), rng_range(&rng, -90, 90));
        polygon(&arena, 3 + (int)rng_range(&rng, 0, 9), center, normal, rng_range(&rng, 1, 60),
                &planes[1], &pass);
        struct separators separators;
        separators_build(&source, &planes[0], &pass, &planes[1], &separators);
        built += separators.count;
        for (int k = 0; k < 200; k++) {
            struct vec3 from = inner_point(&source, &rng), through = inner_point(&pass, &rng);
            if (plane_distance(&planes[1], from) > 0)
                continue; /* not through the pass from this side */
            struct vec3 beyond = vec3_lerp(from, through, rng_range(&rng, 1, 20));
            assert_false(behind_any(&separators, beyond, 1e-6));
        }
        arena_reset(&arena);
    }
    assert_true(built > 500 * 4);
    arena_free(&arena);
}

/* Two squares face to face: behind the pass, the visible volume widens as fast as both allow. */
static void separators_bound_the_penumbra(void **state)
{
    (void)state;
    struct arena arena = {0};
    const double corners[4][2] = {{-10, -10}, {-10, 10}, {10, 10}, {10, -10}};
    struct window windows[2];
    struct plane planes[2];
    for (int w = 0; w < 2; w++) {
        struct vec3 points[4];
        for (int i = 0; i < 4; i++)
            points[i] = vec3(100 * w, corners[i][0], corners[i][1]);
        struct winding *winding = winding_new(&arena, 4, points);
        assert_true(winding_plane(winding, &planes[w]));
        assert_true(planes[w].normal.x == 1);
        window_from_winding(winding, &planes[w], &windows[w]);
    }
    struct separators separators;
    separators_build(&windows[0], &planes[0], &windows[1], &planes[1], &separators);
    /* 100 units behind the pass, the edges are at 10 + 20 */
    assert_false(behind_any(&separators, vec3(200, 29.9, 0), 0));
    assert_true(behind_any(&separators, vec3(200, 30.1, 0), 0));
    assert_false(behind_any(&separators, vec3(200, 0, -29.9), 0));
    assert_true(behind_any(&separators, vec3(200, 0, -30.1), 0));
    uint32_t cutting;
    struct box far_away = {vec3(200, 45, 0), vec3(1, 14, 50)};
    assert_true(separators_behind(&separators, &far_away, &cutting));
    far_away.half.y = 16;
    assert_false(separators_behind(&separators, &far_away, &cutting));
    arena_free(&arena);
}

static struct bounds random_box(struct rng *rng)
{
    struct bounds box = bounds_empty();
    for (int i = 0; i < 2; i++)
        bounds_add_point(
            &box, vec3(rng_range(rng, -99, 99), rng_range(rng, -99, 99), rng_range(rng, -99, 99)));
    return box;
}

static struct vec3 box_point(const struct bounds *box, struct rng *rng, bool corner)
{
    struct vec3 point;
    for (int i = 0; i < 3; i++) {
        double at = rng_range(rng, 0, 1);
        at = corner ? at > 0.5 : at;
        point.e[i] = box->mins.e[i] + at * (box->maxs.e[i] - box->mins.e[i]);
    }
    return point;
}

/* The shaft contains all lines between the boxes, and each of its planes touches both or the
 * hull. */
static void a_shaft_is_the_hull(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 300; i++) {
        struct rng rng = {i, 0};
        struct bounds a = random_box(&rng), b = random_box(&rng);
        struct separators shaft;
        shaft_build(&a, &b, &shaft);
        assert_in_range(shaft.count, 6, 18);
        for (int k = 0; k < 100; k++) {
            struct vec3 from = box_point(&a, &rng, k % 2), to = box_point(&b, &rng, k % 2);
            assert_false(behind_any(&shaft, vec3_lerp(from, to, rng_range(&rng, 0, 1)), 1e-9));
        }
        for (int k = 0; k < shaft.count; k++) {
            struct vec3 normal = vec3(shaft.x[k], shaft.y[k], shaft.z[k]);
            assert_true(fabs(vec3_length(normal) - 1) < 1e-9);
            double nearest = DBL_MAX;
            for (int corner = 0; corner < 16; corner++) {
                const struct bounds *box = corner & 8 ? &a : &b;
                struct vec3 point = vec3((corner & 1 ? box->mins : box->maxs).x,
                                         (corner & 2 ? box->mins : box->maxs).y,
                                         (corner & 4 ? box->mins : box->maxs).z);
                nearest = fmin(nearest, vec3_dot(normal, point) - shaft.dist[k]);
            }
            assert_true(nearest >= 0 && nearest < 1); /* the boxes were grown by half a unit */
        }
    }
}

SUITE(test_vis_window)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clipping_keeps_cuts_or_drops),
        cmocka_unit_test(a_full_window_is_not_cut),
        cmocka_unit_test(a_winding_of_many_points_lies_in_its_window),
        cmocka_unit_test(lines_stay_in_front_of_the_separators),
        cmocka_unit_test(separators_bound_the_penumbra),
        cmocka_unit_test(a_shaft_is_the_hull),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
