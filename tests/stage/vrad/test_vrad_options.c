/* Options of vrad that change its output, in rooms made in memory. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/diag/codes/unlit.def"
#include "tests/support/near.h"
#include "tests/support/room_bsp.h"
#include "tests/support/vrad/vrad_run.h"
#include "vrad/vrad.h"

static const char light_entity[] = "{\n\"classname\" \"light\"\n\"origin\" \"128 128 100\"\n"
                                   "\"_light\" \"255 255 255 100\"\n}\n";

static struct bsp *lit_room(struct vrad_options options, struct bsp *bsp, const char *lights)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct env env = {.diag = diag, .threads = 1, .fs = fs_memory_new()};
    const struct assets_options none = {0};
    vrad_run_on(&env, &options, &none, lights, bsp);
    fs_memory_free(env.fs);
    diag_free(diag);
    return bsp;
}

static struct bsp *room(void)
{
    return room_new(vec3(256, 256, 128), 0.5, NULL);
}

/* The options that adjust the finished light, compared with the light without them. */
static void the_light_is_scaled_added_to_and_cored(void **state)
{
    struct vrad_options options = vrad_direct_only();
    (void)state;
    struct bsp *plain = lit_room(options, room(), light_entity);
    options.scale = 0.5;
    options.ambient[1] = 0.25;
    struct bsp *changed = lit_room(options, room(), light_entity);
    options = vrad_direct_only();
    options.coring = 75;
    struct bsp *cored = lit_room(options, room(), light_entity);
    int dark = 0;
    for (int s = 0; s <= 16; s++) {
        double a[3], b[3], c[3];
        room_luxel(plain, ROOM_FLOOR, 0, 0, s, 8, a);
        room_luxel(changed, ROOM_FLOOR, 0, 0, s, 8, b);
        room_luxel(cored, ROOM_FLOOR, 0, 0, s, 8, c);
        assert_near(b[0], a[0] / 2, 0.5);
        assert_near(b[1], (a[1] + 32) / 2, 0.5);
        if (fabs(a[0] - 75) > 0.5)
            assert_near(c[0], a[0] < 75 ? 0 : a[0], 0);
        dark += a[0] < 74;
    }
    assert_true(dark > 0 && dark < 17);
    bsp_free(plain);
    bsp_free(changed);
    bsp_free(cored);
}

/* A box stands on the floor: the luxels under it are in solid. */
static void luxels_in_solid_are_shown_in_red(void **state)
{
    struct vrad_options options = vrad_direct_only();
    (void)state;
    for (int red = 0; red < 2; red++) {
        struct bsp *bsp = room();
        double rgb[3];
        room_add_box(bsp, vec3(32, 32, 0), vec3(80, 80, 32));
        options.red_errors = red;
        lit_room(options, bsp, light_entity);
        room_luxel(bsp, ROOM_FLOOR, 0, 0, 3, 3, rgb);
        assert_int_equal(rgb[0] == 255 && rgb[1] == 0 && rgb[2] == 0, red);
        room_luxel(bsp, ROOM_FLOOR, 0, 0, 12, 12, rgb);
        assert_near(rgb[0], rgb[1], 0);
        bsp_free(bsp);
    }
}

/* The shadow of a slab that hangs between light and floor has its edge at x = 224. */
static void supersampled_luxels_are_shown_in_blue(void **state)
{
    struct vrad_options options = vrad_direct_only();
    double rgb[3];
    (void)state;
    struct bsp *bsp = room();
    options.debug_extra = true;
    room_add_box(bsp, vec3(176, 0, 50), vec3(256, 256, 52));
    lit_room(options, bsp, light_entity);
    room_luxel(bsp, ROOM_FLOOR, 0, 0, 14, 8, rgb);
    assert_true(rgb[0] == 0 && rgb[2] == 255);
    room_luxel(bsp, ROOM_FLOOR, 0, 0, 6, 8, rgb);
    assert_near(rgb[0], rgb[2], 0);
    assert_true(rgb[0] > 0);
    bsp_free(bsp);
}

/* The first map of style 0 has the bounced light, the second the direct light. Their sum is the
 * light of a single map. */
static void direct_light_has_a_map_of_its_own(void **state)
{
    struct vrad_options options = vrad_defaults;
    (void)state;
    struct bsp *whole = lit_room(options, room(), light_entity);
    options.direct_apart = true;
    struct bsp *apart = lit_room(options, room(), light_entity);
    struct bsp *direct = lit_room(vrad_direct_only(), room(), light_entity);
    const struct bsp_face *floor = &apart->faces[ROOM_FLOOR];
    assert_int_equal(floor->styles[0], 0);
    assert_int_equal(floor->styles[1], 0);
    assert_int_equal(floor->styles[2], BSP_STYLE_NONE);
    for (int s = 0; s <= 16; s += 2) {
        double bounced[3], straight[3];
        room_luxel(apart, ROOM_FLOOR, 0, 0, s, 5, bounced);
        room_luxel(apart, ROOM_FLOOR, 1, 0, s, 5, straight);
        double sum = room_grey(whole, ROOM_FLOOR, s, 5);
        assert_near(straight[0], room_grey(direct, ROOM_FLOOR, s, 5), 0);
        assert_near(straight[0] + bounced[0], sum, 0.01 * sum + 0.5);
        assert_true(bounced[0] > 0.05 * sum);
    }
    bsp_free(whole);
    bsp_free(apart);
    bsp_free(direct);
}

static void the_sky_is_scaled(void **state)
{
    static const int flags[6] = {[ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};
    static const char sky[] = "{\n\"classname\" \"light_environment\"\n\"origin\" \"9 9 9\"\n"
                              "\"_light\" \"0 0 0 0\"\n\"_ambient\" \"255 255 255 100\"\n}\n";
    struct vrad_options options = vrad_direct_only();
    (void)state;
    struct bsp *plain = lit_room(options, room_new(vec3(256, 256, 128), 0.5, flags), sky);
    options.sky_scale = 2;
    struct bsp *twice = lit_room(options, room_new(vec3(256, 256, 128), 0.5, flags), sky);
    double light = room_grey(plain, ROOM_FLOOR, 8, 8);
    assert_true(light > 10);
    assert_near(room_grey(twice, ROOM_FLOOR, 8, 8), 2 * light, 0.5);
    bsp_free(plain);
    bsp_free(twice);
}

/* 16 units per luxel become 32, and stay so: a second time changes nothing. */
static void lightmaps_are_made_coarser(void **state)
{
    struct vrad_options options = vrad_direct_only();
    (void)state;
    for (int way = 0; way < 2; way++) {
        options.luxel_density = way ? 32 : 1.0 / 32;
        struct bsp *bsp = lit_room(options, room(), light_entity);
        const struct bsp_face *floor = &bsp->faces[ROOM_FLOOR];
        assert_int_equal(floor->lightmap_size[0], 8);
        assert_int_equal(bsp->faces[ROOM_LOW_X].lightmap_size[1], 4);
        /* Constant light of 100 at 100 units: below the light, its square is 32 units wide. */
        assert_near(room_grey(bsp, ROOM_FLOOR, 4, 4), 99, 1);
        lit_room(options, bsp, light_entity);
        assert_int_equal(floor->lightmap_size[0], 8);
        bsp_free(bsp);
    }
    options.luxel_density = 1;
    struct bsp *fine = lit_room(options, room(), light_entity);
    assert_int_equal(fine->faces[ROOM_FLOOR].lightmap_size[0], 16);
    bsp_free(fine);
}

/* Far from all walls nothing is darkened. A luxel of the floor at the foot of a wall has half of
 * its hemisphere occluded: the contribution of a wall at distance h is, over the cosine, the
 * integral of 1 - d / radius, here by sums. */
static double occlusion_by_wall(double h, double radius)
{
    enum { STEPS = 400 };
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < STEPS; j++) {
            double r = sqrt((i + 0.5) / (double)STEPS),
                   angle = (j + 0.5) / (double)STEPS * 6.283185307179586;
            double towards = r * cos(angle), d = towards > 0 ? h / towards : 1e9;
            sum += d < radius ? 1 - d / radius : 0;
        }
    return sum / (STEPS * STEPS);
}

static void corners_are_darkened(void **state)
{
    struct vrad_options options = vrad_direct_only();
    (void)state;
    struct bsp *plain = lit_room(options, room(), light_entity);
    options.occlusion = 0.8;
    options.occlusion_radius = 48;
    struct bsp *dark = lit_room(options, room(), light_entity);
    assert_near(room_grey(dark, ROOM_FLOOR, 8, 8), room_grey(plain, ROOM_FLOOR, 8, 8), 0);
    for (int s = 1; s <= 2; s++) {
        double ratio = room_grey(dark, ROOM_FLOOR, s, 8) / room_grey(plain, ROOM_FLOOR, s, 8);
        assert_near(ratio, 1 - 0.8 * occlusion_by_wall(16 * s, 48), 0.03);
    }
    bsp_free(plain);
    bsp_free(dark);
}

/* A long room. */
static struct bsp *two_lights(void)
{
    return room_new(vec3(512, 128, 128), 0.5, NULL);
}

static const char first_light_entity[] = "{\n\"classname\" \"light\"\n\"origin\" \"128 64 100\"\n"
                                         "\"_light\" \"255 255 255 100\"\n}\n";
static const char sun_entity[] = "{\n\"classname\" \"light_environment\"\n"
                                 "\"_light\" \"255 255 255 200\"\n}\n";

/* Lights that shine on nothing: the faces store no light, or the sun has no sky. */
static void lights_without_lightmaps_are_reported(void **state)
{
    (void)state;
    const char *const entities[] = {first_light_entity, sun_entity, ""};
    const struct assets_options none = {0};
    const struct vrad_options options = vrad_direct_only();
    for (int lit = 0; lit < 2; lit++)
        for (int i = 0; i < 3; i++) {
            struct bsp *bsp = two_lights();
            struct env env = {.diag = diag_new(NULL, NULL), .threads = 1, .fs = fs_memory_new()};
            for (ptrdiff_t k = 0; k < arrlen(bsp->texinfo) && !lit; k++)
                bsp->texinfo[k].flags |= SURFACE_NOLIGHT;
            vrad_run_on(&env, &options, &none, entities[i], bsp);
            assert_int_equal(diag_count_code(env.diag, DIAG_NO_LUXELS), !lit && i < 2);
            assert_int_equal(diag_count_code(env.diag, DIAG_NO_LIGHTS), i == 2 || (lit && i == 1));
            diag_free(env.diag);
            fs_memory_free(env.fs);
            bsp_free(bsp);
        }
}

SUITE(test_vrad_options)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_light_is_scaled_added_to_and_cored),
        cmocka_unit_test(luxels_in_solid_are_shown_in_red),
        cmocka_unit_test(supersampled_luxels_are_shown_in_blue),
        cmocka_unit_test(direct_light_has_a_map_of_its_own),
        cmocka_unit_test(the_sky_is_scaled),
        cmocka_unit_test(lightmaps_are_made_coarser),
        cmocka_unit_test(corners_are_darkened),
        cmocka_unit_test(lights_without_lightmaps_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
