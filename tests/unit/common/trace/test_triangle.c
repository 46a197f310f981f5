#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

#include "common/core/random.h"
#include "common/trace/triangle.h"

enum { TRIANGLES = 600, PACKETS = 200, FLOATS_EACH = 9 };

#define SIZE   1024.0
#define MARGIN 1e-3

static float random_number(uint32_t number, uint32_t place)
{
    return (float)(random_unit(number, place) * 2 - 1);
}

/* Small triangles on a grid in a cube; every other one lies in a plane across an axis. */
static void make_triangles(float corners[TRIANGLES][FLOATS_EACH])
{
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        for (uint32_t n = 0; n < FLOATS_EACH; n++)
            corners[i][n] = floorf(random_number(i, n % 3) * 64) * 16 +
                            floorf(random_number(i, n + 3) * 8) * 16;
        for (uint32_t corner = 1; i % 2 && corner < 3; corner++)
            corners[i][3 * corner + i % 3] = corners[i][i % 3];
    }
}

/* Rays from one place or from many, of which some run along planes of the grid, and the numbers of
 * those that count. */
static uint32_t make_packet(uint32_t number, bool coherent, struct trace_packet *packet)
{
    memset(packet, 0, sizeof *packet);
    for (uint32_t i = 0; i < TRACE_PACKET; i++) {
        uint32_t seed = coherent ? number : number * TRACE_PACKET + i;
        for (uint32_t k = 0; k < 3; k++) {
            packet->origin[k][i] =
                floorf(random_number(seed, 20 + k) * (float)SIZE) + (float)(i * 7 % 5);
            packet->direction[k][i] =
                number % 5 == k ? 0 : random_number(number * TRACE_PACKET + i, 30 + k);
        }
        packet->far[i] = number % 4 ? 600 : 1e30f;
    }
    return number % 3 ? 0xffff : (uint32_t)(random_unit(number, 40) * 0x10000);
}

/* Tests each triangle; returns the lanes that hit, with the nearest distance of each. */
static uint32_t test_all(float corners[TRIANGLES][FLOATS_EACH], const struct trace_packet *packet,
                         uint32_t valid, float nearest[TRACE_PACKET])
{
    struct triangle_rays rays;
    struct triangle_hits hits;
    uint32_t all = 0;
    triangle_rays_load(packet, &rays);
    for (int t = 0; t < TRIANGLES; t++) {
        uint32_t met = triangle_tests_of(SIMD_PLAIN)->test(corners[t], MARGIN, &rays, valid, &hits);
        for (int i = 0; i < TRACE_PACKET; i++)
            if (met >> i & 1 && (!(all >> i & 1) || (float)hits.distance[i] < nearest[i]))
                nearest[i] = (float)hits.distance[i];
        all |= met;
    }
    return all;
}

/* The ray library names all triangles that matter, with each of its codes. */
static void no_triangle_is_missed(void **state)
{
    static float corners[TRIANGLES][FLOATS_EACH];
    static const uint32_t mask = TRACE_SOLID;
    int met = 0;
    (void)state;
    make_triangles(corners);
    for (int level = 0; level < SIMD_LEVELS; level++) {
        simd_cap((enum simd_level)level);
        struct trace_scene *scene = trace_new();
        trace_add(scene, TRACE_SOLID, corners[0], NULL, TRIANGLES);
        assert_true(trace_build(scene, &mask, 1));
        for (uint32_t number = 0; number < PACKETS; number++) {
            struct trace_packet packet;
            struct trace_hit hits[TRACE_PACKET];
            float nearest[TRACE_PACKET];
            uint32_t valid = make_packet(number, number % 2, &packet);
            uint32_t expected = test_all(corners, &packet, valid, nearest);
            assert_int_equal(trace_occluded16(scene, mask, &packet, valid, number % 2), expected);
            trace_closest16(scene, mask, &packet, valid, number % 2, hits);
            for (int i = 0; i < TRACE_PACKET; i++)
                if (valid >> i & 1)
                    assert_true(hits[i].distance == (expected >> i & 1 ? nearest[i] : -1));
            met += __builtin_popcount(expected);
        }
        trace_free(scene);
    }
    simd_cap(SIMD_LEVELS - 1);
    assert_true(met > 100);
}

static void levels_agree_to_the_bit(void **state)
{
    static float corners[TRIANGLES][FLOATS_EACH];
    int levels = (int)simd_best() + 1, met = 0;
    (void)state;
    make_triangles(corners);
    for (uint32_t number = 0; number < TRIANGLES * 20; number++) {
        struct trace_packet packet;
        struct triangle_rays rays;
        struct triangle_hits hits[SIMD_LEVELS];
        struct triangle_weights weights[SIMD_LEVELS];
        const float *each[TRACE_PACKET];
        uint32_t lanes[SIMD_LEVELS] = {0}, valid = make_packet(number, false, &packet);
        triangle_rays_load(&packet, &rays);
        memset(hits, 0, sizeof hits);
        for (int i = 0; i < TRACE_PACKET; i++)
            each[i] = corners[number % TRIANGLES];
        for (int level = 0; level < levels; level++) {
            lanes[level] =
                triangle_tests_of((enum simd_level)level)
                    ->test(corners[number % TRIANGLES], MARGIN, &rays, valid, &hits[level]);
            assert_int_equal(lanes[level], lanes[0]);
            triangle_tests_of((enum simd_level)level)
                ->weigh(each, &rays, lanes[0], &weights[level]);
            for (int i = 0; i < TRACE_PACKET; i++)
                if (lanes[0] >> i & 1) {
                    assert_memory_equal(&hits[level].distance[i], &hits[0].distance[i], 8);
                    assert_memory_equal(&weights[level].u[i], &weights[0].u[i], 8);
                    assert_memory_equal(&weights[level].v[i], &weights[0].v[i], 8);
                }
        }
        met += lanes[0] != 0;
    }
    assert_true(met > 10);
}

/* Rays through a square of two triangles, and through its diagonal, hit one or both. */
static void an_edge_leaves_no_gap(void **state)
{
    static const float halves[2][FLOATS_EACH] = {
        {0.1f, 0.3f, 7, 10.7f, 1.1f, 7.3f, 11.3f, 12.1f, 8},
        {0.1f, 0.3f, 7, 11.3f, 12.1f, 8, 0.7f, 11.9f, 7.9f}};
    (void)state;
    for (uint32_t number = 0; number < 2000; number++) {
        struct trace_packet packet;
        struct triangle_rays rays;
        struct triangle_hits hits;
        for (uint32_t i = 0; i < TRACE_PACKET; i++) {
            double along = 0.01 + 0.98 * random_unit(number, i);
            for (uint32_t k = 0; k < 3; k++) {
                double at =
                    (double)halves[0][k] + along * (double)(halves[0][6 + k] - halves[0][k]);
                packet.origin[k][i] = random_number(number, 50 + k);
                packet.direction[k][i] = (float)(at - (double)packet.origin[k][i]);
            }
            packet.near[i] = 0;
            packet.far[i] = 2;
        }
        uint32_t met = 0;
        triangle_rays_load(&packet, &rays);
        for (int n = 0; n < 2; n++) {
            struct triangle_shape shape;
            triangle_shape_make(halves[n], MARGIN, &shape);
            met |= triangle_tests_of(simd_best())->closest(halves[n], &shape, &rays, 0xffff, &hits);
        }
        assert_int_equal(met, 0xffff);
    }
}

/* A triangle of one of several kinds: any, on a grid, thin, tiny and large ones. */
static void make_kind(uint32_t number, float corners[FLOATS_EACH])
{
    static const float sizes[] = {100, 1, 1e-3F, 1e5F, 1e12F};
    float size = sizes[number % 5];
    for (uint32_t n = 0; n < FLOATS_EACH; n++) {
        corners[n] = random_number(number, 100 + n % 3) * 1000 + random_number(number, n) * size;
        if (number % 3 == 0)
            corners[n] = floorf(corners[n]);
    }
    for (uint32_t k = 0; number % 7 == 0 && k < 3; k++) /* thin */
        corners[6 + k] = corners[k] + (corners[3 + k] - corners[k]) * 0.3F;
    for (uint32_t k = 0; number % 11 == 0 && k < 3; k++) /* flat */
        corners[3 * k + number % 3] = corners[number % 3];
}

/* Aims at a corner, at an edge or at the inside; some rays leave from the plane, or end there. */
static void aim(uint32_t number, uint32_t lane, const float *corners, struct trace_packet *packet)
{
    uint32_t seed = number * TRACE_PACKET + lane, what = lane % 4;
    float a = what == 0 ? 0 : (float)random_unit(seed, 1) * 1.02F - 0.01F;
    float b = what <= 1 ? 0 : (float)random_unit(seed, 2) * (1 - a);
    for (uint32_t k = 0; k < 3; k++) {
        float at =
            corners[k] + a * (corners[3 + k] - corners[k]) + b * (corners[6 + k] - corners[k]);
        float from = at + random_number(seed, 3 + k) * (lane % 3 ? 300 : 0.01F);
        if (number % 3 == 0)
            from = floorf(from);
        packet->origin[k][lane] = lane == 7 ? at : from;
        packet->direction[k][lane] =
            lane == 7 ? random_number(seed, 8 + k) : (at - from) * (lane % 5 ? 1 : 1e-4F);
    }
    packet->near[lane] = lane % 6 ? 0 : 1;
    packet->far[lane] = lane % 3 ? INFINITY : 1;
}

/* Floats decide nothing otherwise than doubles do, and most. */
static void floats_decide_as_doubles(void **state)
{
    int hits = 0, misses = 0;
    (void)state;
    for (uint32_t number = 0; number < 20000; number++) {
        float corners[FLOATS_EACH];
        struct trace_packet packet;
        struct triangle_rays rays;
        struct triangle_hits exact, found;
        struct triangle_shape shape;
        make_kind(number, corners);
        for (uint32_t i = 0; i < TRACE_PACKET; i++)
            aim(number, i, corners, &packet);
        triangle_rays_load(&packet, &rays);
        triangle_shape_make(corners, (double)(float)MARGIN, &shape);
        uint32_t met = triangle_tests_of(SIMD_PLAIN)
                           ->test(corners, (double)(float)MARGIN, &rays, 0xffff, &exact);
        for (int level = 0; level <= (int)simd_best(); level++) {
            const struct triangle_tests *tests = triangle_tests_of((enum simd_level)level);
            assert_int_equal(tests->blocked(corners, &shape, &rays, 0xffff), met);
            assert_int_equal(tests->closest(corners, &shape, &rays, 0xffff, &found), met);
            for (int i = 0; i < TRACE_PACKET; i++)
                if (met >> i & 1)
                    assert_memory_equal(&found.distance[i], &exact.distance[i], 8);
        }
        hits += __builtin_popcount(met);
        misses += __builtin_popcount(~met & 0xffff);
    }
    assert_true(hits > 50000 && misses > 50000);
}

/* Of triangles in one place that rays start on, from either side, the first counts. */
static void the_first_of_equal_triangles_is_hit(void **state)
{
    static const uint32_t mask = TRACE_SOLID;
    static float corners[16][FLOATS_EACH];
    struct trace_packet packet = {.near = {0}};
    struct trace_hit hits[TRACE_PACKET];
    (void)state;
    for (int i = 0; i < 16; i++) {
        const float flat[FLOATS_EACH] = {-8, -8, 0, 8, -8, 0, 0, 8, 0};
        memcpy(corners[i], flat, sizeof flat);
        for (int k = 0; i % 3 == 0 && k < 3; k++) { /* looks the other way */
            corners[i][k] = flat[3 + k];
            corners[i][3 + k] = flat[k];
        }
    }
    struct trace_scene *scene = trace_new();
    trace_add(scene, TRACE_SOLID, corners[0], NULL, 16);
    assert_true(trace_build(scene, &mask, 1));
    for (int i = 0; i < TRACE_PACKET; i++) {
        packet.origin[0][i] = 0.1F * (float)i - 0.7F;
        packet.direction[2][i] = i % 2 ? 1 : -1;
        packet.far[i] = 100;
    }
    trace_closest16(scene, mask, &packet, 0xffff, true, hits);
    for (int i = 0; i < TRACE_PACKET; i++) {
        assert_true(hits[i].distance == 0);
        assert_int_equal(hits[i].triangle, 0);
    }
    trace_free(scene);
}

SUITE(test_triangle)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_triangle_is_missed),
        cmocka_unit_test(levels_agree_to_the_bit),
        cmocka_unit_test(an_edge_leaves_no_gap),
        cmocka_unit_test(floats_decide_as_doubles),
        cmocka_unit_test(the_first_of_equal_triangles_is_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
