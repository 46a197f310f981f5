/* Floodlight of Quake 3 maps, in a sealed box of 256 units. */
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

#include "common/assets/shaders/shader.h"
#include "common/diag/codes/lightmap_pages.def"
#include "common/geom/vec.h"
#include "tests/support/near.h"
#include "tests/support/vrad/quake3_room.h"

#define PI 3.14159265358979324

/* The mean of distance / depth, at most 1, over the hemisphere around z, by the cosine; `roof` is
 * false under an open sky. */
static double open_at(struct vec3 point, double depth, bool roof)
{
    enum { RINGS = 100, SECTORS = 200 };
    double sum = 0;
    for (int i = 0; i < RINGS * SECTORS; i++) {
        double z = sqrt((i / SECTORS + 0.5) / (double)RINGS);
        double angle = 2 * PI * (i % SECTORS) / (double)SECTORS;
        const struct vec3 way = vec3(sqrt(1 - z * z) * cos(angle), sqrt(1 - z * z) * sin(angle), z);
        double wall = (double)INFINITY, above = (128 - point.z) / way.z;
        for (int k = 0; k < 2; k++)
            if (way.e[k] != 0)
                wall = fmin(wall, ((way.e[k] > 0 ? 128 : -128) - point.e[k]) / way.e[k]);
        double distance = above < wall && !roof ? depth : fmin(above, wall);
        sum += fmin(distance / depth, 1);
    }
    return sum / (RINGS * SECTORS);
}

/* The row of luxels in the middle of the floor. */
static void floor_is(const struct quake3_room *room, double depth, double level, bool roof,
                     double noise)
{
    for (int t = 1; t < 16; t++) {
        double is = level * open_at(vec3(0, 16.0 * (t - 8), -128), depth, roof);
        assert_near(luxel(room->bsp, FLOOR, 8, t)[0], is - 0.5, 1 + noise * level);
    }
}

/* The first numbers are those of the option. */
static void test_key_and_option(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        bool option;
        double distance, level;
    } cases[] = {{"", true, 1024, 128},
                 {"\"_floodlight\" \"255 255 255 200 180\"\n", false, 200, 180},
                 {"\"_floodlight\" \"1 0.5 0 512 200\"\n", true, 512, 200},
                 {"\"_floodlight\" \"255 255 255\"\n", false, 1024, 128}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct quake3_room room = open_room(cases[i].keys, "");
        room.options.quake3.flood.on = cases[i].option;
        light_room(&room);
        floor_is(&room, cases[i].distance, cases[i].level, true, 0.03);
        close_room(&room);
    }
}

static void test_colour(void **state)
{
    (void)state;
    struct quake3_room room = open_room("\"_floodlight\" \"200 100 50 128 200\"\n", "");
    light_room(&room);
    const uint8_t *is = luxel(room.bsp, FLOOR, 8, 8);
    assert_near(is[1], is[0] / 2.0, 1);
    assert_near(is[2], is[0] / 4.0, 1);
    close_room(&room);
}

/* Few rays: the same light with more noise. */
static void test_low_quality(void **state)
{
    (void)state;
    static const char *const keys[] = {"\"_floodlight\" \"255 255 255 200 180 1\"\n",
                                       "\"_floodlight\" \"255 255 255 200 180\"\n"};
    uint8_t floor[2][16];
    for (int i = 0; i < 2; i++) {
        struct quake3_room room = open_room(keys[i], "");
        room.options.quake3.flood.low_quality = i == 1;
        light_room(&room);
        floor_is(&room, 200, 180, true, 0.12);
        for (int t = 0; t < 16; t++)
            floor[i][t] = *luxel(room.bsp, FLOOR, 8, t);
        close_room(&room);
    }
    assert_memory_equal(floor[0], floor[1], sizeof *floor);
}

static void test_invalid_key(void **state)
{
    (void)state;
    static const char *const keys[] = {"\"_floodlight\" \"white\"\n",
                                       "\"_floodlight\" \"255 255\"\n",
                                       "\"_floodlight\" \"255 255 255 -5 128\"\n"};
    for (int i = 0; i < 3; i++) {
        struct quake3_room room = open_room(keys[i], "");
        light_room(&room);
        assert_int_equal(diag_count_code(room.env.diag, DIAG_FLOOD_KEY), 1);
        assert_int_equal(*luxel(room.bsp, FLOOR, 8, 8), 0);
        close_room(&room);
    }
}

/* It bounces as any other light. */
static void test_bounces(void **state)
{
    (void)state;
    int light[2];
    for (int i = 0; i < 2; i++) {
        struct quake3_room room = open_room("\"_floodlight\" \"255 255 255 200 100\"\n", "");
        room.options.bounce = 8 * i;
        light_room(&room);
        light[i] = *luxel(room.bsp, FLOOR, 8, 8);
        close_room(&room);
    }
    assert_true(light[1] > light[0] + 10);
}

/* The light grid has that of the hemispheres above and below: 128 units are half of the distance,
 * and nothing is farther away than all of it. */
static void test_light_grid(void **state)
{
    (void)state;
    struct quake3_room room = open_room("\"gridsize\" \"64 64 64\"\n"
                                        "\"_floodlight\" \"255 255 255 128 100\"\n",
                                        "");
    light_room(&room);
    size_t middle = arrlenu(room.bsp->light_grid) / 2;
    const struct bsp_grid_point *point = &room.bsp->light_grid[middle];
    /* Both are 100: as much from above as from below, a quarter of which is ambient. */
    assert_near(point->ambient[0] + point->directed[0] / 2.0, 100, 8);
    close_room(&room);
}

/* With the floor's shader, which alone has it. */
static void test_directive(void **state)
{
    (void)state;
    static const char script[] = "textures/base/flood\n{\nq3map_floodLight 1 1 1 200 150 1\n"
                                 "{\nmap $lightmap\n}\n}\n";
    struct quake3_room room = open_room("", "");
    struct fs *fs = room.env.fs;
    assert_int_equal(fs->ops->write(fs, "q/baseq3/scripts/a.shader", script, strlen(script)), 0);
    assert_int_equal(assets_open(&room.env, &(struct assets_options){.game = "q"}, &room.assets),
                     STATUS_OK);
    ibsp_room_shader(room.bsp, "textures/base/flood", CONTENTS_SOLID);
    room.bsp->surfaces[FLOOR].shader = 3;
    light_room(&room);
    floor_is(&room, 200, 150, true, 0.03);
    assert_int_equal(*luxel(room.bsp, CEILING, 8, 8), 0);
    close_room(&room);
}

/* The sky is no surface, however near it is. */
static void test_sky_is_open(void **state)
{
    (void)state;
    struct quake3_room room = open_room("\"_floodlight\" \"255 255 255 400 150\"\n", "");
    ibsp_room_shader(room.bsp, "textures/base/sky", CONTENTS_SOLID);
    room.bsp->shaders[3].surface_flags = 4;
    room.bsp->surfaces[CEILING].shader = 3;
    light_room(&room);
    floor_is(&room, 400, 150, false, 0.03);
    close_room(&room);
}

/* Any number of threads and ranks gives the same bytes. */
static void test_same_bytes(void **state)
{
    (void)state;
    struct bytes first = {0};
    for (int i = 0; i < 3; i++) {
        struct quake3_room room = open_room("\"_floodlight\" \"255 240 200 200 180\"\n", "");
        room.env.threads = i == 1 ? 3 : 1;
        room.ranks = i == 2 ? 2 : 0;
        room.options.bounce = 2;
        light_room(&room);
        const struct bytes *light = &room.bsp->ldr.lighting;
        if (i == 0)
            bytes_append(&first, light->data, light->size);
        assert_int_equal(light->size, first.size);
        assert_memory_equal(light->data, first.data, first.size);
        close_room(&room);
    }
    bytes_free(&first);
}

SUITE(test_vrad_quake3_flood)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key_and_option), cmocka_unit_test(test_colour),
        cmocka_unit_test(test_low_quality),    cmocka_unit_test(test_invalid_key),
        cmocka_unit_test(test_bounces),        cmocka_unit_test(test_light_grid),
        cmocka_unit_test(test_directive),      cmocka_unit_test(test_sky_is_open),
        cmocka_unit_test(test_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
