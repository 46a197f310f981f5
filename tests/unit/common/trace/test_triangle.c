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

static void load(const struct trace_packet *packet, struct triangle_rays *rays)
{
    for (int i = 0; i < TRACE_PACKET; i++) {
        for (int k = 0; k < 3; k++) {
            rays->origin[k][i] = (double)packet->origin[k][i];
            rays->direction[k][i] = (double)packet->direction[k][i];
        }
        rays->near[i] = (double)packet->near[i];
        rays->far[i] = (double)packet->far[i];
    }
}

/* Tests each triangle; returns the lanes that hit, with the nearest distance of each. */
static uint32_t test_all(float corners[TRIANGLES][FLOATS_EACH], const struct trace_packet *packet,
                         uint32_t valid, float nearest[TRACE_PACKET])
{
    struct triangle_rays rays;
    struct triangle_hits hits;
    uint32_t all = 0;
    load(packet, &rays);
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
        uint32_t lanes[SIMD_LEVELS] = {0}, valid = make_packet(number, false, &packet);
        load(&packet, &rays);
        memset(hits, 0, sizeof hits);
        for (int level = 0; level < levels; level++) {
            lanes[level] =
                triangle_tests_of((enum simd_level)level)
                    ->test(corners[number % TRIANGLES], MARGIN, &rays, valid, &hits[level]);
            assert_int_equal(lanes[level], lanes[0]);
            for (int i = 0; i < TRACE_PACKET; i++)
                if (lanes[0] >> i & 1) {
                    assert_memory_equal(&hits[level].distance[i], &hits[0].distance[i], 8);
                    assert_memory_equal(&hits[level].u[i], &hits[0].u[i], 8);
                    assert_memory_equal(&hits[level].v[i], &hits[0].v[i], 8);
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
        struct triangle_rays rays;
        struct triangle_hits hits;
        for (uint32_t i = 0; i < TRACE_PACKET; i++) {
            double along = 0.01 + 0.98 * random_unit(number, i);
            for (uint32_t k = 0; k < 3; k++) {
                double at =
                    (double)halves[0][k] + along * (double)(halves[0][6 + k] - halves[0][k]);
                rays.origin[k][i] = (double)random_number(number, 50 + k);
                rays.direction[k][i] = (double)(float)(at - rays.origin[k][i]);
            }
            rays.near[i] = 0;
            rays.far[i] = 2;
        }
        uint32_t met = 0;
        for (int n = 0; n < 2; n++)
            met |= triangle_tests_of(simd_best())->test(halves[n], MARGIN, &rays, 0xffff, &hits);
        assert_int_equal(met, 0xffff);
    }
}

SUITE(test_triangle)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_triangle_is_missed),
        cmocka_unit_test(levels_agree_to_the_bit),
        cmocka_unit_test(an_edge_leaves_no_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
