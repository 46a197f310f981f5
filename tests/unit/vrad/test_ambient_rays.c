#include "tests/support/suite.h"

#include <string.h>

#include "tests/support/near.h"
#include "vrad/ambient/ambient_rays.h"

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

SUITE(test_ambient_rays)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_one_set),
        cmocka_unit_test(the_first_are_any_of_a_part),
        cmocka_unit_test(even_light_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
