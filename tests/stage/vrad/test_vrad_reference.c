/* Path tracing against closed forms, the balance of energy, and the default lighting. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/luxels/luxel_samples.h"
#include "vrad/reference/reference.h"
#include "vrad/vrad.h"

static const char light_entity[] = "{\n\"classname\" \"light\"\n\"origin\" \"60 180 90\"\n"
                                   "\"_light\" \"255 255 255 200\"\n\"_quadratic_attn\" \"1\"\n}\n";

static void walk(struct lit_room *room, int paths, int bounces)
{
    const struct reference_options options = {.paths = paths, .bounces = bounces};
    reference_light(&room->env, &room->scene, &room->lights, &options, &room->map, NULL);
}

/* In a closed room all light is absorbed in the end. */
static void paths_keep_energy(void **state)
{
    struct lit_room room;
    const double albedo = 0.7;
    (void)state;
    lit_room_open(&room, room_new(vec3(256, 256, 128), albedo, NULL), light_entity, 2);
    const struct direct_options direct = {.fine = LUXEL_FINE, .everywhere = true};
    direct_light(&room.env, &room.scene, &room.lights, &direct, &room.map);
    walk(&room, 64, 1000);
    assert_near(lit_room_absorbed(&room, albedo), 1, 0.01);
    lit_room_close(&room);
}

/* A white sky over a floor without walls: 1 flat, and the visible part of each bump direction's
 * hemisphere. */
static void an_open_sky_shines_evenly(void **state)
{
    static const int flags[6] = {
        [ROOM_FLOOR] = SURFACE_BUMPLIGHT, [ROOM_LOW_X] = SURFACE_SKY,  [ROOM_HIGH_X] = SURFACE_SKY,
        [ROOM_LOW_Y] = SURFACE_SKY,       [ROOM_HIGH_Y] = SURFACE_SKY, [ROOM_CEILING] = SURFACE_SKY,
    };
    static const char sky[] = "{\n\"classname\" \"light_environment\"\n\"origin\" \"9 9 9\"\n"
                              "\"_light\" \"0 0 0 0\"\n\"_ambient\" \"255 255 255 100\"\n}\n";
    struct lit_room room;
    (void)state;
    lit_room_open(&room, room_new(vec3(128, 128, 64), 0.5, flags), sky, 1);
    walk(&room, 64, 0);
    for (int k = 0; k < room.map.faces[ROOM_FLOOR].count; k++) {
        assert_near(lit_room_bounced(&room, ROOM_FLOOR, k, 0), 100, 1e-3);
        for (int slot = 1; slot < LUXEL_SLOTS; slot++)
            assert_near(lit_room_bounced(&room, ROOM_FLOOR, k, slot), 78.8675, 1e-3);
    }
    lit_room_close(&room);
}

static struct bsp *lit(struct bsp *bsp, const char *lights, int reference, int threads)
{
    struct env env = {.diag = diag_new(NULL, NULL), .threads = threads, .fs = fs_memory_new()};
    struct assets *assets;
    const struct assets_options none = {0};
    struct vrad_options options = vrad_defaults;
    options.reference = reference;
    room_set_entities(bsp, lights);
    assert_int_equal(assets_open(&env, &none, &assets), STATUS_OK);
    assert_int_equal(vrad_run(&env, &options, NULL, assets, bsp), STATUS_OK);
    assets_free(assets);
    fs_memory_free(env.fs);
    diag_free(env.diag);
    return bsp;
}

static struct bsp *room(void)
{
    static const int flags[6] = {
        [ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D, [ROOM_LOW_X] = SURFACE_BUMPLIGHT};
    struct bsp *bsp = room_new(vec3(192, 192, 128), 0.6, flags);
    room_add_box(bsp, vec3(0, 0, 100), vec3(192, 140, 108));
    return bsp;
}

/* Local light, sun and sky under a roof, with a bumped wall: the default lighting agrees with path
 * tracing. */
static void the_default_lighting_agrees(void **state)
{
    static const char lights[] =
        "{\n\"classname\" \"light\"\n\"origin\" \"60 60 60\"\n\"_light\" \"255 128 64 100\"\n}\n"
        "{\n\"classname\" \"light_environment\"\n\"origin\" \"9 9 9\"\n\"angles\" \"-60 270 0\"\n"
        "\"pitch\" \"-60\"\n\"_light\" \"255 255 255 200\"\n\"SunSpreadAngle\" \"5\"\n"
        "\"_ambient\" \"100 150 255 60\"\n}\n";
    (void)state;
    struct bsp *quick = lit(room(), lights, 0, 2), *slow = lit(room(), lights, 256, 2);
    for (int face = 0; face < ROOM_CEILING; face++)
        for (int slot = 0; slot < (face == ROOM_LOW_X ? 4 : 1); slot++) {
            double sum[2] = {0, 0};
            const struct bsp_face *f = &quick->faces[face];
            for (int t = 0; t <= f->lightmap_size[1]; t++)
                for (int s = 0; s <= f->lightmap_size[0]; s++)
                    for (int which = 0; which < 2; which++) {
                        double rgb[3];
                        room_luxel(which ? slow : quick, face, 0, slot, s, t, rgb);
                        sum[which] += rgb[0] + rgb[1] + rgb[2];
                    }
            assert_near(sum[0] / sum[1], 1, 0.03);
        }
    bsp_free(quick);
    bsp_free(slow);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    struct bsp *one = lit(room(), light_entity, 16, 1), *seven = lit(room(), light_entity, 16, 7);
    assert_int_equal(one->ldr.lighting.size, seven->ldr.lighting.size);
    assert_memory_equal(one->ldr.lighting.data, seven->ldr.lighting.data, one->ldr.lighting.size);
    bsp_free(one);
    bsp_free(seven);
}

SUITE(test_vrad_reference)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_keep_energy),
        cmocka_unit_test(an_open_sky_shines_evenly),
        cmocka_unit_test(the_default_lighting_agrees),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
