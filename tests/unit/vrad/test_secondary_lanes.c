/* Random secondary lights: all instruction sets give the same bytes, and no point of a box exceeds
 * the bound of the box. */
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

#include "common/core/random.h"
#include "vrad/secondary/secondary_lanes.h"

enum { ROUNDS = 2000, POINTS = 20 };

static uint64_t next;

static float random_between(float low, float high)
{
    return low + (high - low) * ((float)(hash_u64(++next) >> 40) * 0x1p-24f);
}

static void random_direction(float out[3])
{
    float length = 0;
    while (length < 0.1f) {
        for (int k = 0; k < 3; k++)
            out[k] = random_between(-1, 1);
        length = sqrtf(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    }
    for (int k = 0; k < 3; k++)
        out[k] /= length;
}

static void random_lanes(struct secondary_lanes *lanes)
{
    for (int i = 0; i < SECONDARY_LANES; i++) {
        float normal[3];
        random_direction(normal);
        for (int k = 0; k < 3; k++) {
            lanes->center[k][i] = random_between(-600, 600);
            lanes->normal[k][i] = normal[k];
        }
        lanes->strength[i] = random_between(0, 1) < 0.1f ? 0 : random_between(1, 100000);
        lanes->near[i] = random_between(100, 20000);
        lanes->reach[i] = lanes->strength[i] * random_between(1, 30);
    }
}

/* Flat like a face, or with depth. */
static void random_extent(struct secondary_box *out)
{
    random_direction(out->normal);
    out->flat = random_between(0, 1) < 0.5f;
    for (int k = 0; k < 3; k++) {
        out->mins[k] = random_between(-500, 500);
        out->maxs[k] = out->mins[k] + (random_between(0, 1) < 0.3f ? 0 : random_between(0, 300));
    }
}

static void random_eye(const struct secondary_box *in, struct secondary_point *out)
{
    static const int axes[3] = {0, 3, 4};
    out->axes = in->flat ? 1 : axes[(int)random_between(0, 2.99f)];
    for (int j = 0; j < SECONDARY_AXES; j++)
        random_direction(out->axis[j]);
    if (in->flat)
        memcpy(out->axis[0], in->normal, sizeof out->axis[0]);
    for (int k = 0; k < 3; k++) {
        float share = random_between(0, 1);
        out->point[k] = share < 0.2f   ? in->mins[k]
                        : share > 0.8f ? in->maxs[k]
                                       : random_between(in->mins[k], in->maxs[k]);
    }
}

static void all_instructions_agree(void **state)
{
    (void)state;
    const struct secondary_lane_ops *one = secondary_lane_ops_of(simd_best()),
                                    *other = secondary_lane_ops_of(SIMD_PLAIN);
    int met = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct secondary_lanes lanes;
        struct secondary_box extent;
        struct secondary_point eye;
        float a[SECONDARY_LANES], b[SECONDARY_LANES];
        random_lanes(&lanes);
        random_extent(&extent);
        random_eye(&extent, &eye);
        one->gains(&lanes, &eye, a);
        other->gains(&lanes, &eye, b);
        assert_memory_equal(a, b, sizeof a);
        for (int i = 0; i < SECONDARY_LANES; i++)
            met += a[i] > 0;
        one->bounds(&lanes, &extent, a);
        other->bounds(&lanes, &extent, b);
        assert_memory_equal(a, b, sizeof a);
        assert_int_equal(one->near(&lanes, extent.mins, extent.maxs),
                         other->near(&lanes, extent.mins, extent.maxs));
    }
    assert_true(met > ROUNDS);
}

static void no_point_gets_more_than_the_bound(void **state)
{
    (void)state;
    const struct secondary_lane_ops *work = secondary_lane_ops_of(simd_best());
    int met = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct secondary_lanes lanes;
        struct secondary_box extent;
        float bound[SECONDARY_LANES];
        random_lanes(&lanes);
        random_extent(&extent);
        work->bounds(&lanes, &extent, bound);
        uint32_t near = work->near(&lanes, extent.mins, extent.maxs);
        for (int point = 0; point < POINTS; point++) {
            struct secondary_point eye;
            float gain[SECONDARY_LANES];
            random_eye(&extent, &eye);
            work->gains(&lanes, &eye, gain);
            for (int i = 0; i < SECONDARY_LANES; i++) {
                /* The height of the point over the light's plane may be within single-precision
                 * rounding. */
                assert_true(gain[i] <= bound[i] * 1.001f + 1e-3f);
                assert_true(!(gain[i] > 1e-3f) || (near >> i & 1));
                met += gain[i] > 0;
            }
        }
    }
    assert_true(met > ROUNDS);
}

/* The formula in the header, for a light straight ahead and one beyond its reach. */
static void gain_of_a_light(void **state)
{
    (void)state;
    struct secondary_lanes lanes = {.strength = {0}};
    struct secondary_point eye = {.axis = {{0, 0, -1}}, .axes = 1};
    float gain[SECONDARY_LANES];
    for (int i = 0; i < 2; i++) {
        lanes.center[2][i] = -100;
        lanes.normal[2][i] = 1;
        lanes.strength[i] = 5000;
        lanes.near[i] = 9;
        lanes.reach[i] = i ? 9999 : 10001; /* 100 squared is within the first */
    }
    secondary_lane_ops_of(simd_best())->gains(&lanes, &eye, gain);
    assert_true(fabsf(gain[0] - 0.5f) < 1e-6f);
    for (int i = 1; i < SECONDARY_LANES; i++)
        assert_true(!(gain[i] > 0));
}

SUITE(test_secondary_lanes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_instructions_agree),
        cmocka_unit_test(no_point_gets_more_than_the_bound),
        cmocka_unit_test(gain_of_a_light),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
