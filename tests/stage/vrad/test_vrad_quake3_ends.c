/* Where weak lights of Quake 3 maps end, and that --physical keeps them. */
#include "tests/support/suite.h"

#include "common/assets/shaders/shader.h"
#include "common/geom/vec.h"
#include "tests/support/near.h"
#include "tests/support/vrad/quake3_room.h"

/* The floor below the lights. */
#define HEIGHT 128.0

/* A hundred lights of one brightness and colour in the middle of the room. */
static struct quake3_room dim_room(double brightness, const char *colour)
{
    char entities[16384] = "";
    size_t end = 0;
    for (int i = 0; i < 100; i++)
        end += (size_t)snprintf(entities + end, sizeof entities - end,
                                "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n"
                                "\"light\" \"%g\"\n\"_color\" \"%s\"\n}\n",
                                brightness, colour);
    return open_room("", entities);
}

/* The red light of the floor below the lights and `away` luxels of 16 units beside. */
static int floor_of(struct quake3_room *room, int away)
{
    light_room(room);
    return *luxel(room->bsp, FLOOR, 8 + away, 8);
}

/* 7500 photons reach 86.6 units, 18750 reach 136.9: there a light gives 1 to what faces it. */
static void test_ends_by_distance(void **state)
{
    (void)state;
    static const struct {
        double brightness;
        int away, lit; /* the sum without ends, or 0 */
    } cases[] = {{1, 0, 0}, {2.5, 0, 114}, {2.5, 2, 104}, {2.5, 4, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct quake3_room room = dim_room(cases[i].brightness, "1 1 1");
        assert_near(floor_of(&room, cases[i].away), cases[i].lit, 3);
        close_room(&room);
    }
}

/* The brightest channel decides: red light ends where white light does. */
static void test_brightest_channel(void **state)
{
    (void)state;
    struct quake3_room room = dim_room(2.5, "1 0 0");
    assert_near(floor_of(&room, 0), 114, 3);
    close_room(&room);
}

/* A lamp is dropped where a surface gets less than 1 of it: 41 degrees aside the cosine takes a
 * quarter. */
static void test_ends_by_what_is_received(void **state)
{
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        struct quake3_room room = dim_room(4.5, "1 1 1");
        room.options.fast = fast;
        double square = HEIGHT * HEIGHT + 48 * 48, light = 100 * 33750 / square;
        light *= HEIGHT / sqrt(square);
        assert_near(floor_of(&room, 3), light, 4);
        assert_int_equal(floor_of(&room, 7), 0);
        close_room(&room);
    }
}

static void test_physical_light_does_not_end(void **state)
{
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        struct quake3_room room = dim_room(1.5, "1 1 1");
        room.options.physical = true;
        room.options.fast = fast;
        int expected = fast ? 0 : (int)(100 * 11250 / (HEIGHT * HEIGHT));
        assert_near(floor_of(&room, 0), expected, 3);
        close_room(&room);
    }
}

/* The samples of a soft light count together. */
static void test_soft_light_is_one(void **state)
{
    (void)state;
    struct quake3_room room =
        open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n\"light\" \"20\"\n"
                      "\"_deviance\" \"1\"\n\"_samples\" \"64\"\n}\n");
    room.options.fast = true;
    assert_near(floor_of(&room, 0), 20 * 7500 / (HEIGHT * HEIGHT), 1);
    close_room(&room);
}

/* ---- surfaces ---- */

enum { PANEL_SHADER = 3 };

/* A panel of 64 x 64 under the ceiling, of two triangles that are lights of their own. */
static int below_panel(const char *keys, bool fast, bool physical)
{
    struct quake3_room room = open_room("", "");
    char script[256];
    snprintf(script, sizeof script, "textures/base/panel\n{\n%s\n{\nmap $whiteimage\n}\n}\n", keys);
    struct fs *fs = room.env.fs;
    assert_int_equal(fs->ops->write(fs, "q/baseq3/scripts/a.shader", script, strlen(script)), 0);
    assert_int_equal(assets_open(&room.env, &(struct assets_options){.game = "q"}, &room.assets),
                     STATUS_OK);
    ibsp_room_shader(room.bsp, "textures/base/panel", CONTENTS_SOLID);
    struct bsp_surface *panel = &room.bsp->surfaces[CEILING];
    panel->shader = PANEL_SHADER;
    for (int i = 0; i < panel->vertex_count; i++) {
        float *p = room.bsp->draw_vertices[panel->first_vertex + i].p;
        p[0] = copysignf(32, p[0]);
        p[1] = copysignf(32, p[1]);
        p[2] = 100;
    }
    room.options.fast = fast;
    room.options.physical = physical;
    light_room(&room);
    int light = *luxel(room.bsp, FLOOR, 8, 8);
    close_room(&room);
    return light;
}

/* 228 units below, each triangle of 2048 square units gives 2048 v / 4 / 228^2, which is 1 for v =
 * 101.5, and pieces of 16 units a sixteenth. Without -fast two triangles end as a square. */
static void test_surface_ends_by_its_triangles(void **state)
{
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        assert_int_equal(below_panel("q3map_surfacelight 95", fast, false), !fast);
        assert_in_range(below_panel("q3map_surfacelight 115", fast, false), 1, 2);
        assert_int_equal(
            below_panel("q3map_surfacelight 600\nq3map_lightSubdivide 16", fast, false), 0);
    }
    assert_int_equal(below_panel("q3map_surfacelight 95", false, true), 1);
    assert_in_range(below_panel("q3map_surfacelight 600\nq3map_lightSubdivide 16", false, true), 10,
                    12);
}

SUITE(test_vrad_quake3_ends)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_by_distance),
        cmocka_unit_test(test_brightest_channel),
        cmocka_unit_test(test_ends_by_what_is_received),
        cmocka_unit_test(test_physical_light_does_not_end),
        cmocka_unit_test(test_soft_light_is_one),
        cmocka_unit_test(test_surface_ends_by_its_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
