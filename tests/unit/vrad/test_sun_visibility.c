#include "tests/support/suite.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "tests/support/trace_shapes.h"
#include "vrad/direct/analytic_visibility.h"
#include "vrad/lights/light.h"
#include "vrad/scene/hemisphere.h"

/* Faces of 4 x 4 luxels among boxes, under a sky of tiles; some pieces of sky hang lower, and boxes
 * stand above it. */
enum { WIDE = 4, BOXES = 60, TILES = 12, PIECES = 10, FACES = 1500, RAYS = 200, POINTS = 40 };
#define CEILING 300.0

struct stage {
    struct scene scene;
    struct face_light face;
    struct point2 polygon[4];
    struct luxel luxels[WIDE * WIDE];
    struct occluders occluders, skies;
    struct shadow_plane plane;
    struct face_samples points;
    float normals[1][LUXEL_SLOTS][3];
    unsigned char counts[WIDE * WIDE];
    struct arena arena;
};

static void add_level(struct stage *stage, double x, double y, double z, double wide, double along)
{
    trace_add_quad(stage->scene.trace, TRACE_SKY, vec3(x, y, z), vec3(x, y + along, z),
                   vec3(x + wide, y + along, z), vec3(x + wide, y, z));
}

static void start(struct stage *stage, uint32_t pieces)
{
    static const uint32_t masks[] = {TRACE_SOLID, TRACE_SKY};
    *stage = (struct stage){
        .scene = {.trace = trace_new(), .blocking = TRACE_SOLID, .has_sky = true, .sealed = true}};
    assert_non_null(stage->scene.trace);
    for (int i = 0; i < TILES * TILES; i++)
        add_level(stage, -2400 + 400 * (i % TILES), -2400 + 400 * (i / TILES), CEILING, 400, 400);
    for (uint32_t i = 0; i < pieces; i++)
        add_level(stage, 1200 * random_unit(i, 1) - 600, 1200 * random_unit(i, 2) - 600,
                  60 + 200 * random_unit(i, 3), 300, 200);
    for (uint32_t i = 0; i < BOXES; i++) {
        double flat = i % 2 ? 250 : 60;
        struct vec3 low = vec3(1200 * random_unit(i, 4) - 600, 1200 * random_unit(i, 5) - 600,
                               i % 3 ? 20 + 220 * random_unit(i, 6) : CEILING + 10);
        trace_add_box(
            stage->scene.trace, low,
            vec3_add(low, vec3(20 + flat * random_unit(i, 7), 20 + flat * random_unit(i, 8),
                               4 + 30 * random_unit(i, 9))));
    }
    assert_true(trace_build(stage->scene.trace, masks, 2));
    occluders_build(&stage->scene, &stage->occluders);
    occluders_build_sky(&stage->scene, &stage->skies);
    assert_int_equal(arrlen(stage->occluders.all), BOXES);
    assert_int_equal(arrlen(stage->skies.all), TILES * TILES + pieces);
}

static void finish(struct stage *stage)
{
    shadow_plane_free(&stage->plane);
    occluders_free(&stage->occluders);
    occluders_free(&stage->skies);
    trace_free(stage->scene.trace);
    arena_free(&stage->arena);
}

/* A floor, or a wall that faces x. */
static void place_face(struct stage *stage, uint32_t i)
{
    const struct point2 corners[4] = {{0, 0}, {WIDE - 1, 0}, {WIDE - 1, WIDE - 1}, {0, WIDE - 1}};
    bool wall = i % 4 == 0;
    double luxel = 4 + 20 * random_unit(i, 21);
    memcpy(stage->polygon, corners, sizeof corners);
    stage->face = (struct face_light){
        .width = WIDE,
        .height = WIDE,
        .count = WIDE * WIDE,
        .slots = 1,
        .normal = wall ? vec3(1, 0, 0) : vec3(0, 0, 1),
        .origin = vec3(1200 * random_unit(i, 22) - 600, 1200 * random_unit(i, 23) - 600,
                       wall ? 20 + 100 * random_unit(i, 24) : 8),
        .axis = {vec3(0, luxel, 0), wall ? vec3(0, 0, luxel) : vec3(-luxel, 0, 0)},
        .polygon = stage->polygon,
        .corners = 4,
        .luxels = stage->luxels};
    assert_true(shadow_plane_start(&stage->plane, &stage->face));
    stage->points.bounds = (struct sample_block){0, 0, WIDE - 1, WIDE - 1};
    for (int k = 0; k < 3; k++)
        stage->normals[0][0][k] = (float)stage->face.normal.e[k];
    memset(stage->counts, 4, sizeof stage->counts);
}

static struct light sun_of(uint32_t i)
{
    double turn = 1.4 * random_unit(i, 31) - 0.7, rise = 0.6 + 0.7 * random_unit(i, 32);
    struct vec3 towards = vec3(cos(rise) * cos(turn), cos(rise) * sin(turn), sin(rise));
    return (struct light){.type = WORLDLIGHT_SKY,
                          .normal = vec3_neg(towards),
                          .intensity = vec3(100, 100, 100),
                          .spread = i % 3 ? 0.1 * random_unit(i, 33) : 0};
}

/* From a point of the face, in luxels. */
static bool point_sees_sun(const struct stage *stage, double s, double t, struct vec3 way)
{
    struct vec3 from = vec3_mad(stage->face.origin, stage->face.axis[0], s);
    from = vec3_mad(from, stage->face.axis[1], t);
    from = vec3_mad(from, stage->face.normal, SCENE_RAY_OFFSET);
    struct trace_ray ray = {.near = 0, .far = 1e6f};
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = (float)from.e[k];
        ray.direction[k] = (float)way.e[k];
    }
    struct trace_hit sky = trace_closest(stage->scene.trace, TRACE_SKY, &ray);
    assert_true(sky.distance >= 0);
    ray.far = sky.distance;
    return !trace_occluded(stage->scene.trace, TRACE_SOLID, &ray);
}

/* From a random point of the face to a random point of the sun. */
static bool ray_sees_sun(const struct stage *stage, const struct light *sun, uint32_t i, uint32_t n)
{
    double square[2] = {random_unit(i + 5000, 4 * n), random_unit(i + 5000, 4 * n + 1)};
    struct vec3 way = vec3_mad(vec3_neg(sun->normal), sphere_point(square), sun->spread);
    return point_sees_sun(stage, random_unit(i + 5000, 4 * n + 2) * (WIDE - 1),
                          random_unit(i + 5000, 4 * n + 3) * (WIDE - 1), way);
}

/* Analytic results agree with rays, for faces and suns of all kinds. */
static void resolved_suns_agree_with_rays(void **state)
{
    static struct stage stage;
    int umbra = 0, lit = 0, open = 0;
    (void)state;
    start(&stage, PIECES);
    for (uint32_t i = 0; i < FACES; i++) {
        const struct light sun = sun_of(i);
        struct light_contribution contribution = {.light = &sun};
        const struct receiver to = {.scene = &stage.scene,
                                    .face = &stage.face,
                                    .arena = &stage.arena,
                                    .even = true,
                                    .normals = stage.normals,
                                    .coarse_count = stage.counts};
        const struct face_shadows shadows = {.occluders = &stage.occluders,
                                             .skies = &stage.skies,
                                             .plane = &stage.plane,
                                             .points = &stage.points};
        place_face(&stage, i);
        bool settled = sun_visibility_resolve(&to, &shadows, &contribution);
        int seen = 0;
        for (uint32_t n = 0; n < RAYS; n++)
            seen += ray_sees_sun(&stage, &sun, i, n);
        open += seen == 0 || seen == RAYS;
        if (!settled)
            continue;
        assert_int_equal(seen, contribution.width ? RAYS : 0);
        umbra += !contribution.width;
        lit += contribution.width > 0;
        if (contribution.width)
            assert_true(
                fabs((double)contribution.sum[5] + vec3_dot(sun.normal, stage.face.normal)) < 1e-6);
    }
    assert_true(umbra > FACES / 20 && lit > FACES / 10);
    assert_true(umbra + lit > open / 2);
    finish(&stage);
}

/* The number of points of a luxel that see the sun. */
static int count_seen(const struct stage *stage, const struct light *sun, uint32_t i, int luxel)
{
    int seen = 0;
    for (uint32_t n = 0; n < POINTS; n++) {
        double s = luxel % WIDE - 0.5 + random_unit(i + 9000, 2 * n);
        double t = luxel / WIDE - 0.5 + random_unit(i + 9000, 2 * n + 1);
        s = portable_fmin(portable_fmax(s, 0), WIDE - 1);
        t = portable_fmin(portable_fmax(t, 0), WIDE - 1);
        seen += point_sees_sun(stage, s, t, vec3_neg(sun->normal));
    }
    return seen;
}

/* All luxels are marked that see the sun from a part only, also where their samples would all say
 * the same; and few others are. */
static void all_edges_are_marked(void **state)
{
    static struct stage stage;
    static bool border[WIDE * WIDE];
    int mixed = 0, missed = 0, marked = 0, all = 0;
    (void)state;
    start(&stage, 0);
    stage.points.border = border;
    for (uint32_t i = 0; i < FACES; i++) {
        struct light sun = sun_of(i);
        struct light_contribution contribution = {.light = &sun};
        const struct receiver to = {
            .scene = &stage.scene, .face = &stage.face, .arena = &stage.arena};
        const struct face_shadows shadows = {.occluders = &stage.occluders,
                                             .skies = &stage.skies,
                                             .plane = &stage.plane,
                                             .points = &stage.points};
        sun.spread = 0;
        place_face(&stage, i);
        sun_visibility_mark(&to, &shadows, &contribution);
        for (int l = 0; l < WIDE * WIDE; l++) {
            const int seen = count_seen(&stage, &sun, i, l);
            const bool is_mixed = seen > 0 && seen < POINTS;
            const bool is_marked = contribution.state && contribution.state[l] & LUXEL_EDGE;
            all++;
            mixed += is_mixed;
            marked += is_marked;
            missed += is_mixed && !is_marked;
        }
        arena_reset(&stage.arena);
    }
    print_message("%d of %d luxels are mixed, %d marked, %d missed\n", mixed, all, marked, missed);
    assert_true(mixed > all / 20);
    assert_int_equal(missed, 0);
    assert_true(marked < 2 * mixed);
    finish(&stage);
}

SUITE(test_sun_visibility)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolved_suns_agree_with_rays),
        cmocka_unit_test(all_edges_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
