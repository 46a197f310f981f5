#include "tests/support/suite.h"

#include "common/core/random.h"
#include "vbsp/target/source/props/convex_distance.h"

enum { CORNERS = 8 };

static void make_box(struct vec3 low, struct vec3 high, struct vec3 out[CORNERS])
{
    for (int i = 0; i < CORNERS; i++)
        out[i] = vec3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
}

static void expect_distance(const struct vec3 *a, size_t a_count, const struct vec3 *b,
                            size_t b_count, double expected)
{
    double got = convex_distance(a, a_count, b, b_count);
    double back = convex_distance(b, b_count, a, a_count);
    if (!(fabs(got - expected) <= 1e-4) || !(fabs(back - expected) <= 1e-4))
        fail_msg("%g and %g instead of %g", got, back, expected);
}

static void known_bodies(void **state)
{
    (void)state;
    struct vec3 a[CORNERS], b[CORNERS];
    const struct vec3 point = {.x = 3, .y = 4, .z = 0};
    make_box(vec3(-1, -1, -1), vec3(1, 1, 1), a);
    make_box(vec3(2, -1, -1), vec3(3, 1, 1), b);
    expect_distance(a, CORNERS, b, CORNERS, 1);
    make_box(vec3(2, 2, 2), vec3(3, 3, 3), b);
    expect_distance(a, CORNERS, b, CORNERS, sqrt(3));
    make_box(vec3(0.5, 0.5, 0.5), vec3(3, 3, 3), b);
    expect_distance(a, CORNERS, b, CORNERS, 0);
    make_box(vec3(-0.1, -0.1, -0.1), vec3(0.1, 0.1, 0.1), b); /* within */
    expect_distance(a, CORNERS, b, CORNERS, 0);
    make_box(vec3(1, -1, -1), vec3(2, 1, 1), b); /* a touch */
    expect_distance(a, CORNERS, b, CORNERS, 0);
    expect_distance(&point, 1, &point, 1, 0);
    expect_distance(a, CORNERS, &point, 1, sqrt(4 + 9));
    /* A segment past an edge; a flat triangle above the box. */
    const struct vec3 segment[] = {{.x = 2, .y = 0, .z = 5}, {.x = 0, .y = 2, .z = 5}};
    expect_distance(a, CORNERS, segment, 2, 4);
    const struct vec3 crossing[] = {{.x = 3, .y = 0, .z = 0}, {.x = 0, .y = 3, .z = 0}};
    expect_distance(a, CORNERS, crossing, 2, sqrt(0.5));
    const struct vec3 through[] = {{.x = 3, .y = -2, .z = 0}, {.x = -2, .y = 3, .z = 0}};
    expect_distance(a, CORNERS, through, 2, 0);
    const struct vec3 beside[] = {{.x = 4, .y = 0, .z = 0}, {.x = 0, .y = 4, .z = 0}};
    expect_distance(a, CORNERS, beside, 2, sqrt(2));
    const struct vec3 flat[] = {
        {.x = -9, .y = -9, .z = 3}, {.x = 9, .y = -9, .z = 3}, {.x = 0, .y = 9, .z = 3}};
    expect_distance(a, CORNERS, flat, 3, 2);
}

static double part(uint64_t *seed, double min, double max)
{
    *seed = hash_pair(*seed, 7);
    return min + (max - min) * (double)(*seed >> 11) / 9007199254740992.0;
}

/* Boxes along the axes, whose distance is known, under shifts and with points within them. */
static void boxes_anywhere(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        struct vec3 bodies[2][2 * CORNERS], low[2], high[2], gap;
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 3; j++) {
                low[i].e[j] = part(&seed, -4000, 4000);
                high[i].e[j] = low[i].e[j] + part(&seed, 0.1, round % 2 ? 4000 : 100);
            }
            make_box(low[i], high[i], bodies[i]);
            for (int j = CORNERS; j < 2 * CORNERS; j++)
                for (int k = 0; k < 3; k++)
                    bodies[i][j].e[k] = part(&seed, low[i].e[k], high[i].e[k]);
        }
        for (int j = 0; j < 3; j++)
            gap.e[j] = fmax(0, fmax(low[0].e[j] - high[1].e[j], low[1].e[j] - high[0].e[j]));
        double got = convex_distance(bodies[0], 2 * CORNERS, bodies[1], 2 * CORNERS);
        if (!(fabs(got - vec3_length(gap)) <= 1e-3))
            fail_msg("round %d: %.9g instead of %.9g", round, got, vec3_length(gap));
    }
}

SUITE(test_convex_distance)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_bodies),
        cmocka_unit_test(boxes_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
