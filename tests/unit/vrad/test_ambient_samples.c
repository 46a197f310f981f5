#include "tests/support/suite.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/core/random.h"
#include "tests/support/near.h"
#include "vrad/ambient/ambient_samples.h"

enum { CHANNELS = 18 };

static void random_points(uint64_t seed, int count, struct choice_point *points)
{
    for (int i = 0; i < count; i++) {
        points[i] = (struct choice_point){{0}, {0}};
        for (uint64_t k = 0; k < 3; k++)
            points[i].place[k] = (float)random_unit(hash_pair(seed, (uint64_t)i), k) * 400;
        for (uint64_t k = 0; k < CHANNELS; k++)
            points[i].light[k] = (float)random_unit(hash_pair(seed, (uint64_t)i), 3 + k) * 100;
    }
}

static double worth(const struct choice_point *a, const struct choice_point *b)
{
    double away = 0, light = 0;
    for (int k = 0; k < 3; k++)
        away += pow((double)a->place[k] - (double)b->place[k], 2);
    for (int k = 0; k < CHANNELS; k++)
        light += pow((double)a->light[k] - (double)b->light[k], 2);
    return sqrt(away) * (0.25 + sqrt(light) / 255);
}

/* A plain implementation of the rule. */
static int pick_plainly(const struct choice_point *points, int count, int max, int *picked)
{
    int have = 0;
    for (int i = 0; i < count; i++) {
        picked[have++] = i;
        if (have <= max)
            continue;
        int first = 0;
        double min = DBL_MAX;
        for (int a = 0; a < have; a++)
            for (int b = a + 1; b < have; b++) {
                double value = worth(&points[picked[a]], &points[picked[b]]);
                if (value < min) {
                    min = value;
                    first = a;
                }
            }
        picked[first] = picked[--have];
    }
    return have;
}

static void picks_by_the_rule(void **state)
{
    struct choice_point points[CHOICE_CANDIDATES];
    int picked[CHOICE_PICKS + 1], plain[CHOICE_PICKS + 1];
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        int count = 1 + (int)(hash_u64(seed) % CHOICE_CANDIDATES);
        int max = seed % 4 ? CHOICE_PICKS : 1 + (int)(seed % CHOICE_PICKS);
        random_points(seed, count, points);
        int have = choice_pick(points, count, max, picked);
        assert_int_equal(have, pick_plainly(points, count, max, plain));
        for (int i = 0; i < have; i++)
            assert_int_equal(picked[i], plain[i]);
    }
}

/* Equal points, as in a leaf that is a line: as many stay as there is room for. */
static void equal_points_fill_the_room(void **state)
{
    struct choice_point points[CHOICE_CANDIDATES] = {{{0}, {0}}};
    int picked[CHOICE_PICKS];
    (void)state;
    assert_int_equal(choice_pick(points, 40, CHOICE_PICKS, picked), CHOICE_PICKS);
    for (int i = 0; i < CHOICE_PICKS; i++)
        for (int j = 0; j < i; j++)
            assert_int_not_equal(picked[i], picked[j]);
    assert_int_equal(choice_pick(points, 0, CHOICE_PICKS, picked), 0);
}

static void predicts_by_the_square_of_the_distance(void **state)
{
    struct choice_point points[4];
    (void)state;
    random_points(7, 4, points);
    choice_predict(points, 2, 4);
    for (int i = 2; i < 4; i++) {
        double weight[2] = {1, 1};
        for (int j = 0; j < 2; j++) {
            for (int k = 0; k < 3; k++)
                weight[j] += pow((double)points[i].place[k] - (double)points[j].place[k], 2);
            weight[j] = 1 / weight[j];
        }
        for (int k = 0; k < CHANNELS; k++) {
            double mean =
                (weight[0] * (double)points[0].light[k] + weight[1] * (double)points[1].light[k]) /
                (weight[0] + weight[1]);
            assert_near((double)points[i].light[k], mean, 1e-3);
        }
        assert_true(points[i].light[CHANNELS] == 0);
    }
}

/* --- ambient rays --- */

enum { RAYS = 128 };

/* The first rays and the rest complement each other to one even set. */
static void parts_of_one_set(void **state)
{
    struct ambient_rays rays;
    struct gather_table all;
    (void)state;
    ambient_rays_make(RAYS, &rays);
    gather_table_init(&all, RAYS, GATHER_SPHERE);
    assert_int_equal(rays.first.variants, all.variants);
    assert_int_equal(rays.rest.variants, all.variants);
    assert_int_equal(rays.first.rays + rays.rest.rays, RAYS);
    for (int v = 0; v < all.variants; v++) {
        bool met[RAYS] = {false};
        for (int i = 0; i < RAYS; i++) {
            const struct gather_ray *ray =
                i < rays.first.rays ? &rays.first.set[v * rays.first.rays + i]
                                    : &rays.rest.set[v * rays.rest.rays + i - rays.first.rays];
            int at = 0;
            while (at < RAYS && memcmp(ray, &all.set[v * RAYS + at], sizeof *ray) != 0)
                at++;
            assert_true(at < RAYS && !met[at]);
            met[at] = true;
        }
    }
    gather_table_free(&all);
    ambient_rays_free(&rays);
}

/* The middle of the rays of a part, of all sets. */
static struct vec3 middle_of_part(const struct gather_table *table, int part)
{
    struct vec3 sum = vec3(0, 0, 0);
    int room = table->rays / GATHER_PARTS;
    for (int v = 0; v < table->variants; v++)
        for (int i = 0; i < room; i++) {
            const struct gather_ray *ray = &table->set[v * table->rays + part * room + i];
            sum = vec3_add(sum, vec3_from_floats(ray->direction));
        }
    return vec3_scale(sum, 1.0 / (table->variants * room));
}

/* The first rays of many sets cover the whole of their parts, as the sets do. */
static void the_first_are_any_of_a_part(void **state)
{
    struct ambient_rays rays;
    struct gather_table all;
    (void)state;
    ambient_rays_make(RAYS, &rays);
    gather_table_init(&all, RAYS, GATHER_SPHERE);
    for (int part = 0; part < GATHER_PARTS; part++) {
        struct vec3 first = middle_of_part(&rays.first, part), whole = middle_of_part(&all, part);
        assert_true(vec3_distance(first, whole) < 0.15);
    }
    gather_table_free(&all);
    ambient_rays_free(&rays);
}

/* A wall of uniform radiosity 3 2 1 lights every side equally, whatever the rays. */
static void even_light_is_exact(void **state)
{
    struct ambient_rays rays;
    float leaving[3] = {3, 2, 1}, light[3];
    uint32_t seen[RAYS] = {0};
    const struct radiosity radiosity = {.leaving = leaving};
    const struct secondary_lights secondary = {.radiosity = &radiosity};
    struct cube_sum sum = {.light = {{0}}};
    (void)state;
    ambient_rays_make(RAYS, &rays);
    cube_sum_add(&radiosity, &secondary, true, &rays.first, 5, seen, &sum);
    cube_sum_add(&radiosity, &secondary, true, &rays.rest, 5, seen, &sum);
    for (int side = 0; side < 6; side++) {
        cube_sum_light(&sum, side, light);
        for (int k = 0; k < 3; k++)
            assert_near((double)light[k], (double)leaving[k], 1e-5);
    }
    ambient_rays_free(&rays);
}

SUITE(test_ambient_samples)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picks_by_the_rule),
        cmocka_unit_test(equal_points_fill_the_room),
        cmocka_unit_test(predicts_by_the_square_of_the_distance),
        cmocka_unit_test(parts_of_one_set),
        cmocka_unit_test(the_first_are_any_of_a_part),
        cmocka_unit_test(even_light_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
