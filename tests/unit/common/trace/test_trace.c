#include "tests/support/suite.h"

#include <math.h>

#include "common/core/random.h"
#include "common/simd/cpu_features.h"
#include "common/trace/trace.h"
#include "tests/support/near.h"

enum { MASK_ALL = TRACE_SOLID | TRACE_SKY };

/* A square of side 2 around (0, 0) at height z. */
static void add_square(struct trace_scene *scene, enum trace_class class, float z, uint32_t user)
{
    const float positions[18] = {-1, -1, z, -1, 1, z, 1, 1, z, -1, -1, z, 1, 1, z, 1, -1, z};
    const uint32_t numbers[2] = {user, user + 1};
    trace_add(scene, class, positions, numbers, 2);
}

/* The library has code for each, so all tests run with each. */
static enum simd_level highest_level;

/* Solid at height 1, sky at height 2. */
static int set_up(void **state)
{
    static const uint32_t masks[] = {TRACE_SOLID, TRACE_SKY, MASK_ALL, TRACE_FACE};
    simd_cap(highest_level);
    struct trace_scene *scene = trace_new();
    assert_non_null(scene);
    add_square(scene, TRACE_SOLID, 1, 10);
    add_square(scene, TRACE_SKY, 2, 20);
    assert_true(trace_build(scene, masks, 4));
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    trace_free(*state);
    simd_cap(SIMD_LEVELS - 1);
    return 0;
}

static struct trace_ray ray_up(float x, float y, float far)
{
    return (struct trace_ray){{x, y, 0}, {0, 0, 1}, 0, far};
}

static void rays_stop_at_their_end(void **state)
{
    struct trace_ray ray = ray_up(0.3f, 0.2f, 0.99f);
    assert_false(trace_occluded(*state, TRACE_SOLID, &ray));
    ray.far = 1.01f;
    assert_true(trace_occluded(*state, TRACE_SOLID, &ray));
    ray.near = 1.005f;
    assert_false(trace_occluded(*state, TRACE_SOLID, &ray));
    ray = ray_up(1.1f, 0, 100);
    assert_false(trace_occluded(*state, MASK_ALL, &ray));
}

static void masks_choose_classes(void **state)
{
    struct trace_ray ray = ray_up(0.5f, -0.5f, 1.5f);
    assert_true(trace_occluded(*state, TRACE_SOLID, &ray));
    assert_false(trace_occluded(*state, TRACE_SKY, &ray));
    assert_false(trace_occluded(*state, TRACE_FACE, &ray));
    ray.far = 10;
    struct trace_hit hit = trace_closest(*state, TRACE_SKY, &ray);
    assert_int_equal(hit.class, TRACE_SKY);
    assert_near(hit.distance, 2, 1e-5);
    hit = trace_closest(*state, MASK_ALL, &ray);
    assert_int_equal(hit.class, TRACE_SOLID);
    assert_near(hit.distance, 1, 1e-5);
    assert_true(trace_closest(*state, TRACE_FACE, &ray).distance < 0);
}

static void hits_name_triangle_and_place(void **state)
{
    /* Second triangle: a (-1 -1), b (1 1), c (1 -1). */
    struct trace_ray ray = ray_up(0.5f, -0.5f, 10);
    struct trace_hit hit = trace_closest(*state, TRACE_SOLID, &ray);
    assert_int_equal(hit.triangle, 11);
    assert_near(-1 + hit.u * 2 + hit.v * 2, 0.5, 1e-5);
    assert_near(-1 + hit.u * 2, -0.5, 1e-5);
}

static void distances_count_directions(void **state)
{
    struct trace_ray ray = {{0.1f, 0, 0}, {0, 0, 4}, 0, 1};
    assert_near(trace_closest(*state, TRACE_SOLID, &ray).distance, 0.25, 1e-6);
}

/* Packets of any length, coherent or not, find what single rays find. */
static void packets_agree_with_single_rays(void **state)
{
    enum { RAYS = 37 };
    struct trace_ray rays[RAYS];
    uint8_t blocked[RAYS];
    struct trace_hit hits[RAYS];
    for (uint32_t i = 0; i < RAYS; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            rays[i].origin[k] = (float)(random_unit(i, k) * 2 - 1);
            rays[i].direction[k] = (float)(random_unit(i, k + 3) * 2 - 1);
        }
        rays[i].near = 0;
        rays[i].far = 5;
    }
    int met = 0;
    for (int coherent = 0; coherent < 2; coherent++) {
        trace_occluded_many(*state, TRACE_SOLID, rays, RAYS, coherent, blocked);
        trace_closest_many(*state, MASK_ALL, rays, RAYS, coherent, hits);
        for (int i = 0; i < RAYS; i++) {
            struct trace_hit hit = trace_closest(*state, MASK_ALL, &rays[i]);
            assert_int_equal(blocked[i], trace_occluded(*state, TRACE_SOLID, &rays[i]));
            assert_true(hits[i].distance == hit.distance);
            assert_true(hit.distance < 0 || hits[i].triangle == hit.triangle);
            met += hit.distance >= 0;
        }
    }
    assert_true(met > 4 && met < 2 * RAYS - 4);
}

static void invalid_lanes_are_left_alone(void **state)
{
    struct trace_packet packet = {0};
    struct trace_hit hits[TRACE_PACKET];
    for (int i = 0; i < TRACE_PACKET; i++) {
        packet.direction[2][i] = i % 2 ? NAN : 1;
        packet.near[i] = i % 2 ? -1 : 0;
        packet.far[i] = 10;
        hits[i].distance = -7;
    }
    assert_int_equal(trace_occluded16(*state, TRACE_SOLID, &packet, 0x5555, true), 0x5555);
    trace_closest16(*state, TRACE_SOLID, &packet, 0x5555, false, hits);
    for (int i = 0; i < TRACE_PACKET; i++) {
        float expected = i % 2 ? -7 : 1;
        assert_near(hits[i].distance, expected, 1e-5);
    }
}

static void rays_without_sense_meet_nothing(void **state)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f};
    for (int place = 0; place < 7; place++)
        for (int i = 0; i < 4; i++) {
            struct trace_ray ray = ray_up(0.2f, 0.1f, 10);
            float *numbers[7] = {&ray.origin[0],    &ray.origin[1],    &ray.origin[2],   &ray.near,
                                 &ray.direction[0], &ray.direction[1], &ray.direction[2]};
            *numbers[place] = odd[i];
            assert_false(trace_occluded(*state, TRACE_SOLID, &ray));
            assert_true(trace_closest(*state, MASK_ALL, &ray).distance < 0);
        }
    struct trace_ray ray = ray_up(0.2f, 0.1f, NAN);
    assert_false(trace_occluded(*state, TRACE_SOLID, &ray));
    ray.far = INFINITY;
    assert_true(trace_occluded(*state, TRACE_SOLID, &ray));
    ray.near = -1;
    assert_false(trace_occluded(*state, TRACE_SOLID, &ray));
}

SUITE(test_trace)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_stop_at_their_end),
        cmocka_unit_test(masks_choose_classes),
        cmocka_unit_test(hits_name_triangle_and_place),
        cmocka_unit_test(distances_count_directions),
        cmocka_unit_test(packets_agree_with_single_rays),
        cmocka_unit_test(invalid_lanes_are_left_alone),
        cmocka_unit_test(rays_without_sense_meet_nothing),
    };
    int failed = 0;
    for (int level = 0; level < SIMD_LEVELS; level++) {
        highest_level = (enum simd_level)level;
        failed += cmocka_run_group_tests_name(simd_name(highest_level), tests, set_up, tear_down);
    }
    return failed;
}
