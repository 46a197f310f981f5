/* Adaptive visibility sampling agrees with rays to every luxel. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"

enum { SIZE = 512, ACROSS = SIZE / 16 + 1 };

static const char light_entity[] = "{\n\"classname\" \"light\"\n\"origin\" \"250 262 370\"\n"
                                   "\"_light\" \"255 255 255 300\"\n\"_quadratic_attn\" \"1\"\n}\n";

/* The floor under a light, with a bar one luxel wide and a small box between; on the heap. */
static float *light_floor(bool thorough)
{
    const struct direct_options options = {.fine = 32, .thorough = thorough};
    struct lit_room room;
    struct bsp *bsp = room_new(vec3(SIZE, SIZE, 384), 0.5, NULL);
    room_add_box(bsp, vec3(60, 100, 40), vec3(460, 112, 52));
    room_add_box(bsp, vec3(330, 330, 60), vec3(360, 360, 80));
    lit_room_open(&room, bsp, light_entity, 2);
    direct_light(&room.env, &room.scene, &room.lights, &options, &room.map);
    const struct face_light *floor = &room.map.faces[ROOM_FLOOR];
    float *out = memory_alloc((size_t)(ACROSS * ACROSS) * sizeof *out);
    assert_int_equal(floor->count, ACROSS * ACROSS);
    for (int i = 0; i < floor->count; i++)
        out[i] = floor->direct[0][3 * i];
    lit_room_close(&room);
    return out;
}

static void thin_shadows_are_followed(void **state)
{
    float *sparse = light_floor(false), *all = light_floor(true);
    double error = 0, mean = 0;
    int dark = 0;
    (void)state;
    for (int i = 0; i < ACROSS * ACROSS; i++) {
        mean += (double)all[i];
        error += ((double)sparse[i] - (double)all[i]) * ((double)sparse[i] - (double)all[i]);
    }
    mean /= ACROSS * ACROSS;
    for (int i = 0; i < ACROSS * ACROSS; i++) {
        dark += (double)all[i] < 0.5 * mean;
        if ((double)all[i] < 0.1 * mean)
            assert_true((double)sparse[i] < 0.3 * mean);
        else if ((double)all[i] > 0.9 * mean)
            assert_true((double)sparse[i] > 0.7 * mean);
    }
    assert_true(dark > 15); /* there are shadows */
    assert_true(sqrt(error / (ACROSS * ACROSS)) < 0.02 * mean);
    memory_free(sparse);
    memory_free(all);
}

SUITE(test_vrad_visibility_sampling)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thin_shadows_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
