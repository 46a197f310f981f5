#include "tests/support/suite.h"

#include "common/core/array.h"
#include "common/core/random.h"
#include "tests/support/trace_shapes.h"
#include "vrad/shadows/planar_shadow.h"
#include "vrad/shadows/silhouette.h"

/* A floor of 20 x 16 luxels at height 8, its axes askew, and occluders over it. */
enum { WIDE = 20, LONG = 16, BOXES = 14, LEAVES = 25, LIGHTS = 60, POINTS = 500 };

struct stage {
    struct scene scene;
    struct face_light face;
    struct point2 polygon[4];
    struct occluders occluders;
    struct shadow_plane plane;
    struct arena arena;
};

static void start(struct stage *stage)
{
    static const struct point2 corners[4] = {
        {0, 0}, {WIDE - 1, 0}, {WIDE - 1, LONG - 1}, {0, LONG - 1}};
    *stage = (struct stage){.scene = {.trace = trace_new(), .blocking = TRACE_SOLID}};
    memcpy(stage->polygon, corners, sizeof corners);
    stage->face = (struct face_light){.width = WIDE,
                                      .height = LONG,
                                      .count = WIDE * LONG,
                                      .normal = vec3(0, 0, 1),
                                      .origin = vec3(-100, 50, 8),
                                      .axis = {vec3(16, 3, 0), vec3(-2, 12, 0)},
                                      .polygon = stage->polygon,
                                      .corners = 4};
    assert_non_null(stage->scene.trace);
}

static void ready(struct stage *stage)
{
    static const uint32_t masks[] = {TRACE_SOLID, TRACE_ALPHA_SHADOW};
    assert_true(trace_build(stage->scene.trace, masks, 2));
    occluders_build(&stage->scene, &stage->occluders);
    assert_true(shadow_plane_start(&stage->plane, &stage->face));
}

static void finish(struct stage *stage)
{
    shadow_plane_free(&stage->plane);
    occluders_free(&stage->occluders);
    arrfree(stage->scene.alpha_shadows.triangles);
    trace_free(stage->scene.trace);
    arena_free(&stage->arena);
}

static struct vec3 floor_at(const struct stage *stage, double s, double t)
{
    struct vec3 at = vec3_mad(stage->face.origin, stage->face.axis[0], s);
    return vec3_mad(at, stage->face.axis[1], t);
}

static bool ray_is_blocked(const struct stage *stage, struct vec3 point, struct vec3 light)
{
    struct vec3 from = vec3_mad(point, stage->face.normal, SCENE_RAY_OFFSET);
    struct vec3 way = vec3_sub(light, from);
    struct trace_ray ray = {.near = 0, .far = (float)(1 - 0.02 / vec3_length(way))};
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = (float)from.e[k];
        ray.direction[k] = (float)way.e[k];
    }
    return trace_occluded(stage->scene.trace, TRACE_SOLID, &ray);
}

static const struct shadow_window whole = {0, 0, WIDE - 1, LONG - 1};

static enum planar_shadow cast(struct stage *stage, struct vec3 light,
                               const struct shadow_window *window, int max,
                               struct planar_shadow_cells *cells)
{
    return planar_shadow_project(&stage->plane, &stage->occluders, light, window, max,
                                 &stage->arena, cells);
}

/* The luxel coordinates of a point. */
static void luxel_at(const struct shadow_plane *plane, struct vec3 point, float st[2])
{
    for (int k = 0; k < 2; k++)
        st[k] = (float)(vec3_dot(plane->dual[k], point) + plane->offset[k]);
}

static bool point_is_dark(struct stage *stage, enum planar_shadow result,
                          const struct planar_shadow_cells *cells, struct vec3 point)
{
    float st[2];
    unsigned char open = 1;
    if (result != PLANAR_SHADOW_PARTIAL)
        return result == PLANAR_SHADOW_UMBRA;
    luxel_at(&stage->plane, point, st);
    int cell = planar_shadow_cell_at(cells, st);
    if (cells->umbra[cell])
        return true;
    planar_shadow_hide(&stage->plane, cells->first[cell], false, &st[0], &st[1], 1, &open);
    return !open;
}

/* Random lights and windows, compared with rays. Rays that graze an edge may differ: a few. */
static void compare_with_rays(struct stage *stage)
{
    int umbra = 0, wrong = 0, all = 0, verdicts[4] = {0};
    for (uint32_t i = 0; i < LIGHTS; i++) {
        double s = random_unit(i, 1) * 60 - 20, t = random_unit(i, 2) * 50 - 17;
        double s0 = random_unit(i, 3) * (WIDE - 3), t0 = random_unit(i, 4) * (LONG - 3);
        struct shadow_window window = {s0, t0, s0 + 0.5 + random_unit(i, 5) * (WIDE - 2 - s0),
                                       t0 + 0.5 + random_unit(i, 6) * (LONG - 2 - t0)};
        struct vec3 light = floor_at(stage, s, t);
        struct planar_shadow_cells cells;
        light.z += 1 + 300 * random_unit(i, 7) * random_unit(i, 8);
        enum planar_shadow result = cast(stage, light, i % 3 ? &window : &whole, 1000, &cells);
        assert_int_not_equal(result, PLANAR_SHADOW_UNKNOWN);
        verdicts[result]++;
        for (uint32_t n = 0; n < POINTS; n++, all++) {
            const struct shadow_window *within = i % 3 ? &window : &whole;
            double u = random_unit(i + 1000, 2 * n), v = random_unit(i + 1000, 2 * n + 1);
            struct vec3 point = floor_at(stage, within->s0 + u * (within->s1 - within->s0),
                                         within->t0 + v * (within->t1 - within->t0));
            bool blocked = ray_is_blocked(stage, point, light);
            wrong += blocked != point_is_dark(stage, result, &cells, point);
            umbra += blocked;
        }
    }
    assert_true(umbra > all / 20 && umbra < all * 19 / 20);
    assert_true(verdicts[PLANAR_SHADOW_PARTIAL] > LIGHTS / 4);
    assert_true(wrong <= all / 2000);
}

static void boxes_hide_what_they_hide_from_rays(void **state)
{
    struct stage stage;
    (void)state;
    start(&stage);
    for (uint32_t i = 0; i < BOXES; i++) {
        struct vec3 low =
            floor_at(&stage, random_unit(i, 11) * 30 - 5, random_unit(i, 12) * 26 - 5);
        low.z += random_unit(i, 13) * 120 - 30; /* some stand in the floor */
        trace_add_box(stage.scene.trace, low,
                      vec3_add(low, vec3(4 + 60 * random_unit(i, 14), 4 + 60 * random_unit(i, 15),
                                         4 + 40 * random_unit(i, 16))));
    }
    ready(&stage);
    assert_int_equal(arrlen(stage.occluders.all), BOXES);
    for (int i = 0; i < BOXES; i++) {
        assert_true(stage.occluders.all[i].closed);
        assert_int_equal(stage.occluders.all[i].corner_count, 8);
        assert_int_equal(stage.occluders.all[i].edge_count, 12);
    }
    compare_with_rays(&stage);
    finish(&stage);
}

static void polygons_hide_what_they_hide_from_rays(void **state)
{
    struct stage stage;
    (void)state;
    start(&stage);
    for (uint32_t i = 0; i < LEAVES; i++) {
        struct vec3 at = floor_at(&stage, random_unit(i, 21) * 26 - 3, random_unit(i, 22) * 22 - 3);
        struct vec3 x, y;
        at.z += random_unit(i, 23) * 100 - 20;
        for (uint32_t k = 0; k < 3; k++) {
            x.e[k] = 70 * random_unit(i, 24 + k) - 35;
            y.e[k] = 70 * random_unit(i, 27 + k) - 35;
        }
        trace_add_quad(stage.scene.trace, TRACE_SOLID, at, vec3_add(at, x),
                       vec3_add(vec3_add(at, x), y), vec3_add(at, y));
    }
    ready(&stage);
    assert_int_equal(arrlen(stage.occluders.all), LEAVES); /* each of two triangles */
    assert_false(stage.occluders.all[0].closed);
    compare_with_rays(&stage);
    finish(&stage);
}

/* Rays agree with every umbra that the quick test finds, and it finds most of them. */
static void umbras_hide_all(void **state)
{
    struct stage stage;
    int covered = 0, hidden = 0;
    (void)state;
    start(&stage);
    for (uint32_t i = 0; i < BOXES; i++) {
        struct vec3 low =
            floor_at(&stage, random_unit(i, 31) * 30 - 12, random_unit(i, 32) * 26 - 12);
        low.z += 10 + random_unit(i, 33) * 120;
        trace_add_box(
            stage.scene.trace, low,
            vec3_add(low, vec3(40 + 200 * random_unit(i, 34), 40 + 200 * random_unit(i, 35),
                               4 + 10 * random_unit(i, 36))));
    }
    ready(&stage);
    for (uint32_t i = 0; i < 40 * LIGHTS; i++) {
        double s0 = random_unit(i, 41) * (WIDE - 4), t0 = random_unit(i, 42) * (LONG - 4);
        const struct shadow_window window = {s0, t0, s0 + 3, t0 + 3};
        const double at[4][2] = {{s0, t0}, {s0 + 3, t0}, {s0 + 3, t0 + 3}, {s0, t0 + 3}};
        struct vec3 light = floor_at(&stage, random_unit(i, 43) * 20, random_unit(i, 44) * 16);
        struct vec3 corners[4];
        struct planar_shadow_cells cells;
        bool quick = false;
        light.z += 40 + 300 * random_unit(i, 45);
        for (int k = 0; k < 4; k++)
            corners[k] =
                vec3_mad(floor_at(&stage, at[k][0], at[k][1]), stage.face.normal, SCENE_RAY_OFFSET);
        for (int b = 0; b < BOXES && !quick; b++)
            quick = umbra_test(&stage.occluders, &stage.occluders.all[b], light, corners);
        covered += quick;
        hidden += cast(&stage, light, &window, 1000, &cells) == PLANAR_SHADOW_UMBRA;
        for (uint32_t n = 0; n < 50 && quick; n++)
            assert_true(ray_is_blocked(&stage,
                                       floor_at(&stage, s0 + 3 * random_unit(i + 9000, 2 * n),
                                                t0 + 3 * random_unit(i + 9000, 2 * n + 1)),
                                       light));
    }
    assert_true(hidden > LIGHTS && covered > hidden / 2 && covered <= hidden);
    finish(&stage);
}

/* A slab over all of the floor: no light passes. From below it, or on its lower side, all does. */
static void slabs_hide_all(void **state)
{
    struct stage stage;
    struct planar_shadow_cells cells;
    (void)state;
    start(&stage);
    trace_add_box(stage.scene.trace, vec3(-900, -900, 100), vec3(900, 900, 130));
    ready(&stage);
    struct vec3 light = floor_at(&stage, 8, 7);
    static const struct {
        double height;
        enum planar_shadow result;
    } cases[] = {{40, PLANAR_SHADOW_NONE},    {99.5, PLANAR_SHADOW_NONE},
                 {99.99, PLANAR_SHADOW_NONE}, {115, PLANAR_SHADOW_UMBRA},
                 {131, PLANAR_SHADOW_UMBRA},  {400, PLANAR_SHADOW_UMBRA}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        light.z = cases[i].height;
        assert_int_equal(cast(&stage, light, &whole, 1000, &cells), cases[i].result);
    }
    assert_true(planar_shadow_light_is_high(&stage.plane, light));
    light.z = 8.1;
    assert_false(planar_shadow_light_is_high(&stage.plane, light));
    finish(&stage);
}

/* Two adjacent slabs over the floor hide all of it together. */
static void neighbours_leave_no_gap(void **state)
{
    struct stage stage;
    struct planar_shadow_cells cells;
    (void)state;
    start(&stage);
    trace_add_box(stage.scene.trace, vec3(-900, -900, 100), vec3(41.7, 900, 130));
    trace_add_box(stage.scene.trace, vec3(41.7, -900, 100), vec3(900, 900, 130));
    ready(&stage);
    struct vec3 light = vec3(43.1, 130, 300);
    enum planar_shadow result = cast(&stage, light, &whole, 1000, &cells);
    assert_int_equal(result, PLANAR_SHADOW_PARTIAL);
    for (uint32_t n = 0; n < 4000; n++) {
        struct vec3 point = floor_at(&stage, random_unit(1, 2 * n) * (WIDE - 1),
                                     random_unit(1, 2 * n + 1) * (LONG - 1));
        assert_true(point_is_dark(&stage, result, &cells, point));
    }
    finish(&stage);
}

/* Walls along its borders hide nothing of a floor from lights between them. */
static void walls_stand_beside_the_floor(void **state)
{
    struct stage stage;
    struct planar_shadow_cells cells;
    (void)state;
    start(&stage);
    stage.face.axis[0] = vec3(16, 0, 0);
    stage.face.axis[1] = vec3(0, 16, 0);
    struct vec3 low = floor_at(&stage, 0, 0), high = floor_at(&stage, WIDE - 1, LONG - 1);
    trace_add_box(stage.scene.trace, vec3(low.x - 30, low.y - 30, -20),
                  vec3(low.x, high.y + 30, 250));
    trace_add_box(stage.scene.trace, vec3(high.x, low.y - 30, -20),
                  vec3(high.x + 30, high.y + 30, 250));
    trace_add_box(stage.scene.trace, vec3(low.x, low.y - 30, 0), vec3(high.x, low.y, 250));
    trace_add_box(stage.scene.trace, vec3(low.x, high.y, 0), vec3(high.x, high.y + 30, 250));
    trace_add_box(stage.scene.trace, vec3(low.x, low.y, -20),
                  vec3(high.x, high.y, 8)); /* the floor itself */
    ready(&stage);
    for (uint32_t i = 0; i < 20; i++) {
        struct vec3 light = floor_at(&stage, 0.1 + random_unit(i, 1) * ((double)WIDE - 1.2),
                                     0.1 + random_unit(i, 2) * ((double)LONG - 1.2));
        light.z += 1 + 400 * random_unit(i, 3);
        if (light.z < 250)
            assert_int_equal(cast(&stage, light, &whole, 1000, &cells), PLANAR_SHADOW_NONE);
    }
    finish(&stage);
}

static void alpha_and_many_occluders_are_left_to_rays(void **state)
{
    struct stage stage;
    struct planar_shadow_cells cells;
    struct vec3 light = vec3(60, 140, 300);
    (void)state;
    start(&stage);
    trace_add_box(stage.scene.trace, vec3(20, 100, 50), vec3(60, 140, 60));
    trace_add_box(stage.scene.trace, vec3(40, 150, 80), vec3(80, 180, 90));
    trace_add_box(stage.scene.trace, vec3(0, 90, 150), vec3(30, 110, 160));
    ready(&stage);
    assert_int_equal(cast(&stage, light, &whole, 2, &cells), PLANAR_SHADOW_UNKNOWN);
    assert_int_equal(cast(&stage, light, &whole, 3, &cells), PLANAR_SHADOW_PARTIAL);
    finish(&stage);
    start(&stage);
    trace_add_quad(stage.scene.trace, TRACE_ALPHA_SHADOW, vec3(20, 100, 50), vec3(60, 100, 50),
                   vec3(60, 140, 50), vec3(20, 140, 50));
    arrsetlen(stage.scene.alpha_shadows.triangles, 2);
    memset(stage.scene.alpha_shadows.triangles, 0, 2 * sizeof *stage.scene.alpha_shadows.triangles);
    ready(&stage);
    assert_int_equal(cast(&stage, light, &whole, 1000, &cells), PLANAR_SHADOW_UNKNOWN);
    const struct shadow_window corner = {0, 0, 2, 2};
    assert_int_equal(cast(&stage, light, &corner, 1000, &cells), PLANAR_SHADOW_NONE);
    finish(&stage);
}

SUITE(test_planar_shadow)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_hide_what_they_hide_from_rays),
        cmocka_unit_test(polygons_hide_what_they_hide_from_rays),
        cmocka_unit_test(umbras_hide_all),
        cmocka_unit_test(slabs_hide_all),
        cmocka_unit_test(neighbours_leave_no_gap),
        cmocka_unit_test(walls_stand_beside_the_floor),
        cmocka_unit_test(alpha_and_many_occluders_are_left_to_rays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
