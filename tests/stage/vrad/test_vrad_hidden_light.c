/* Lamps behind a ledge: what of their light is hidden does not get into the room. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/vrad.h"

static const char lights[] =
    "{\n\"classname\" \"light\"\n\"origin\" \"64 178 114\"\n\"_light\" \"255 255 255 120\"\n"
    "\"_quadratic_attn\" \"1\"\n}\n"
    "{\n\"classname\" \"light\"\n\"origin\" \"192 178 114\"\n\"_light\" \"255 255 255 120\"\n"
    "\"_quadratic_attn\" \"1\"\n}\n";

/* A shelf along a wall, and a lip on it up to a slot of so many units under the ceiling. */
static struct bsp *cove(double slot)
{
    struct bsp *bsp = room_new(vec3(256, 192, 128), 0.4, NULL);
    room_add_box(bsp, vec3(0, 160, 96), vec3(256, 192, 104));
    room_add_box(bsp, vec3(0, 160, 104), vec3(256, 164, 128 - slot));
    return bsp;
}

/* The mean light of the floor. */
static double floor_light(double slot, int reference, bool fast)
{
    struct env env = {.diag = diag_new(NULL, NULL), .threads = 2, .fs = fs_memory_new()};
    struct bsp *bsp = cove(slot);
    struct assets *assets;
    const struct assets_options none = {0};
    struct vrad_options options = vrad_defaults;
    double sum = 0, rgb[3];
    options.reference = reference;
    options.fast = fast;
    room_set_entities(bsp, lights);
    assert_int_equal(assets_open(&env, &none, &assets), STATUS_OK);
    assert_int_equal(vrad_run(&env, &options, NULL, assets, bsp), STATUS_OK);
    const struct bsp_face *face = &bsp->faces[ROOM_FLOOR];
    int width = face->lightmap_size[0] + 1, height = face->lightmap_size[1] + 1;
    for (int i = 0; i < width * height; i++) {
        room_luxel(bsp, ROOM_FLOOR, 0, 0, i % width, i / width, rgb);
        sum += rgb[0] / (width * height);
    }
    bsp_free(bsp);
    assets_free(assets);
    fs_memory_free(env.fs);
    diag_free(env.diag);
    return sum;
}

/* It was many times as bright through a slot that is a quarter of a luxel. The mean of the floor's
 * luxels has hardly any noise of the paths, and with 16 times as many it is the same. */
static void a_slot_lets_through_what_paths_bring(void **state)
{
    static const double slots[] = {4, 16}, tolerance[] = {0.15, 0.1};
    (void)state;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        double truth = floor_light(slots[i], 128, false);
        for (int fast = 0; fast < 2; fast++) {
            double light = floor_light(slots[i], 0, fast);
            print_message("slot %g: %g for %g\n", slots[i], light, truth);
            assert_near(light, truth, tolerance[i] * truth);
        }
    }
}

SUITE(test_vrad_hidden_light)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slot_lets_through_what_paths_bring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
