/* Keys of lights of Quake 3 maps, each with the light that it gives. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/assets/shaders/shader.h"
#include "common/geom/vec.h"
#include "tests/support/near.h"
#include "tests/support/vrad/quake3_room.h"
#include "vrad/target/quake3/pages/tone_options.h"

/* Light of a light of 1 in the middle of the room, on the floor below. */
#define BELOW (7500.0 / 16384)

/* Keys of the world and of one or two lights in the middle, and light below. */
struct point_case {
    const char *world, *light_keys, *other;
    double light[3];
};

static const struct point_case point_cases[] = {
    /* A colour is a hue, unless a spawnflag says that it is not; none and black are white. */
    {"", "\"light\" \"100\" \"_color\" \"0.5 0.25 0.125\"", NULL, {100, 50, 25}},
    {"", "\"light\" \"100\" \"_color\" \"255 128 64\"", NULL, {100, 50.2, 25.1}},
    {"",
     "\"light\" \"100\" \"_color\" \"0.5 0.25 0.125\" \"spawnflags\" \"32\"",
     NULL,
     {50, 25, 12.5}},
    {"", "\"light\" \"100\" \"_color\" \"0 0 0\"", NULL, {100, 100, 100}},
    {"", "\"light\" \"100\" \"_color\" \"1 -0.5 0.25\"", NULL, {100, 0, 25}},
    {"", "\"light\" \"100\" \"_color\" \"2 1\"", NULL, {100, 100, 100}},
    /* 0 is the default, 300. */
    {"", "\"light\" \"0\"", NULL, {300, 300, 300}},
    {"", "\"light\" \"0\" \"_light\" \"0\" \"scale\" \"0\"", NULL, {300, 300, 300}},
    {"", "\"light\" \"60\" \"_light\" \"0\"", NULL, {60, 60, 60}},
    /* Negative light. */
    {"", "\"light\" \"100\"", "\"light\" \"-40\" \"_color\" \"1 0.5 0\"", {60, 80, 100}},
    {"", "\"light\" \"100\"", "\"light\" \"20\" \"scale\" \"-2\"", {60, 60, 60}},
    {"", "\"light\" \"100\"", "\"light\" \"-400\"", {0, 0, 0}},
    {"\"_ambient\" \"-10\"\n",
     "\"light\" \"100\"",
     NULL,
     {100 - 10 / BELOW, 100 - 10 / BELOW, 100 - 10 / BELOW}},
    /* All light is at most _maxlight. */
    {"\"_maxlight\" \"20\"\n",
     "\"light\" \"100\" \"_color\" \"1 0.5 0\"",
     NULL,
     {20 / BELOW, 10 / BELOW, 0}},
    /* Linear light: 200 * 7500 / 8000 less 128, of BELOW. */
    {"",
     "\"light\" \"200\" \"spawnflags\" \"1\"",
     NULL,
     {59.5 / BELOW, 59.5 / BELOW, 59.5 / BELOW}},
    {"",
     "\"light\" \"200\" \"spawnflags\" \"1\" \"fade\" \"0\"",
     NULL,
     {59.5 / BELOW, 59.5 / BELOW, 59.5 / BELOW}},
};

static void test_point_lights(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof point_cases / sizeof *point_cases; n++) {
        const struct point_case *c = &point_cases[n];
        char lights[512];
        int length =
            snprintf(lights, sizeof lights,
                     "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n%s\n}\n", c->light_keys);
        if (c->other)
            snprintf(lights + length, sizeof lights - (size_t)length,
                     "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n%s\n}\n", c->other);
        struct quake3_room room = open_room(c->world, lights);
        light_room(&room);
        for (int k = 0; k < 3; k++)
            assert_near(luxel(room.bsp, FLOOR, 8, 8)[k], c->light[k] * BELOW, 1.5);
        close_room(&room);
    }
}

/* Vertices have no minimum light but their own, and, as the light grid, no -brightness; light of
 * styles is not in the grid. */
static void test_vertices_and_grid(void **state)
{
    (void)state;
    struct quake3_room room =
        open_room("\"_minlight\" \"60\"\n\"_minvertexlight\" \"0\"\n\"_mingridlight\" \"0\"\n",
                  "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n\"light\" \"20\"\n}\n");
    struct tone_options tone = tone_defaults;
    tone.brightness = 2;
    room.options.quake3.tone = &tone;
    light_room(&room);
    const int corner = room.bsp->surfaces[FLOOR].first_vertex;
    assert_int_equal(luxel(room.bsp, FLOOR, 8, 8)[0], 120);
    assert_in_range(room.bsp->draw_vertices[corner].colour[0], 0, 4);
    const struct bsp_grid_point *point = &room.bsp->light_grid[25 + 12 + 1];
    assert_near(point->directed[0], 20 * 7500.0 / 4096, 2);
    close_room(&room);
}

/* Light of spotlights at points of the floor. */
static void test_spots(void **state)
{
    (void)state;
    static const char *const flags[] = {"0", "1", "2"};
    for (int n = 0; n < 3; n++) {
        char lights[512];
        snprintf(lights, sizeof lights,
                 "{\n\"classname\" \"light\"\n\"origin\" \"-96 0 0\"\n\"light\" \"500\"\n"
                 "\"target\" \"t\"\n\"spawnflags\" \"%s\"\n}\n"
                 "{\n\"classname\" \"info_null\"\n\"targetname\" \"t\"\n"
                 "\"origin\" \"64 0 -128\"\n}\n",
                 flags[n]);
        struct quake3_room room = open_room("", lights);
        light_room(&room);
        /* Neither flag changes a spotlight. Its cone of 64 and 16 at the target ends by a fade over
         * 32 units. */
        const struct vec3 axis = vec3_normalize(vec3(160, 0, -128));
        for (int s = 4; s < 16; s++) {
            const struct vec3 way = vec3(16.0 * (s - 8) + 96, 0, -128);
            double distance = vec3_length(way), along = vec3_dot(way, axis);
            double cone = 80 * along / vec3_length(vec3(160, 0, -128));
            double inside = cone - sqrt(distance * distance - along * along);
            double share = fmin(fmax(inside / 32, 0), 1);
            double light = 500 * 7500 / (distance * distance) * (128 / distance) * share;
            assert_near(floor_luxel(room.bsp, s, 8), light, 4 + 0.02 * light);
        }
        close_room(&room);
    }
}

enum { ONE_SKY = 1, NO_SURFACES = 2 };

/* Lights a room below a ceiling of sky, or of two skies that share the walls, too. */
static struct quake3_room light_below_sky(const char *lines, const char *others, int options)
{
    struct quake3_room room = open_room("", "");
    char script[512];
    int length = snprintf(script, sizeof script,
                          "textures/base/sky\n{\nsurfaceparm sky\n%s\n}\n"
                          "textures/base/other\n{\nsurfaceparm sky\n%s\n}\n",
                          lines, others ? others : "");
    room.options.quake3.one_sky = options & ONE_SKY;
    room.options.quake3.no_surfaces = options & NO_SURFACES;
    assert_int_equal(
        room.env.fs->ops->write(room.env.fs, "q/baseq3/scripts/a.shader", script, (size_t)length),
        0);
    assert_int_equal(assets_open(&room.env, &(struct assets_options){.game = "q"}, &room.assets),
                     STATUS_OK);
    static const char *const names[] = {"textures/base/sky", "textures/base/other"};
    for (int i = 0; i < 2; i++) {
        ibsp_room_shader(room.bsp, names[i], CONTENTS_SOLID);
        room.bsp->shaders[3 + i].surface_flags = 0x4;
    }
    room.bsp->surfaces[CEILING].shader = 3;
    if (others)
        room.bsp->surfaces[0].shader = 4;
    light_room(&room);
    return room;
}

/* The luxel of the floor. */
static int below_sky(const char *lines, const char *others, int options)
{
    struct quake3_room room = light_below_sky(lines, others, options);
    const int light = luxel(room.bsp, FLOOR, 8, 8)[0];
    close_room(&room);
    return light;
}

/* Light of a sky follows its iterations and horizons: the mean height of the suns that it is made
 * for. */
static void test_sky_light(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        double share;
    } skies[] = {{"q3map_skyLight 400 3", 0.5134},
                 {"q3map_skyLight 400 5", 0.5592},
                 {"q3map_skyLight 400 3 30 90", 0.7692},
                 {"q3map_skyLight 200 1\nq3map_skyLight 200 3", 0.7567}};
    const double all = below_sky("q3map_skyLight 400 1", NULL, 0);
    assert_in_range((int)all, 70, 130);
    for (size_t i = 0; i < sizeof skies / sizeof *skies; i++)
        assert_near(below_sky(skies[i].line, NULL, 0), all * skies[i].share, 2);
}

/* Negative suns; -onesky adds up the light of all skies, and with -nosurf none shines. */
static void test_suns(void **state)
{
    (void)state;
    assert_near(below_sky("q3map_sun 1 1 1 100 0 90\nq3map_sun 1 1 1 -40 0 90", NULL, 0), 60, 1);
    assert_int_equal(below_sky("q3map_sun 1 1 1 100 0 90\nq3map_skyLight 200 3", NULL, NO_SURFACES),
                     0);
    const int one = below_sky("q3map_skyLight 200 3", NULL, ONE_SKY);
    const int two = below_sky("q3map_skyLight 200 3", "q3map_skyLight 200 3", ONE_SKY);
    const int apart = below_sky("q3map_skyLight 200 3", "q3map_skyLight 200 3", 0);
    assert_true(two > 2 * one && two > apart + one / 2);
    /* The light of 64 iterations beside another sky, for which there are as many suns as of 8. */
    const int few = below_sky("q3map_skyLight 400 8", "q3map_skyLight 100 3", 0);
    assert_near(below_sky("q3map_skyLight 400 64", "q3map_skyLight 100 3", 0), few * 1.0717, 3);
}

/* A vertex takes the light of the luxel around it: of its middle, and at edges of shadows of those
 * of its quarters that are not in solid. Rays straight up from the edges below the walls in front
 * run in these; at the corners there one quarter is in the open. */
static void test_vertices_below_sky(void **state)
{
    (void)state;
    struct quake3_room room = light_below_sky("q3map_sun 1 1 1 100 0 90", NULL, 0);
    const struct bsp_surface *surface = &room.bsp->surfaces[FLOOR];
    for (int i = 0; i < surface->vertex_count; i++) {
        const struct bsp_draw_vertex *vertex = &room.bsp->draw_vertices[surface->first_vertex + i];
        const bool edge = vertex->p[0] > 0 || vertex->p[1] > 0;
        assert_near(vertex->colour[0], edge ? 50 : 100, 1);
    }
    close_room(&room);
}

SUITE(test_vrad_quake3_keys)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_point_lights), cmocka_unit_test(test_vertices_and_grid),
        cmocka_unit_test(test_spots),        cmocka_unit_test(test_sky_light),
        cmocka_unit_test(test_suns),         cmocka_unit_test(test_vertices_below_sky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
