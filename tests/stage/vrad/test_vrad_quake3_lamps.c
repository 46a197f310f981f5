/* Lamps of Quake 3 maps: the level of their light, their own faces, and the light grid around. */
#include "tests/support/suite.h"

#include "common/assets/shaders/shader.h"
#include "common/geom/vec.h"
#include "tests/support/near.h"
#include "tests/support/vrad/quake3_room.h"

#define PI 3.14159265358979324

/* A panel, and the radiosity of its backsplash: see docs/light-artefacts.md. */
#define VALUE  1500.0
#define SPLASH (0.05 * VALUE * 21 / 4)

enum { PANEL_SHADER = 3 };

/* A rectangle below the ceiling, which is not drawn then, faces down. */
static void open_panel(struct quake3_room *room, double half_x, double half_y, double z,
                       const char *keys)
{
    *room = open_room("", "");
    char script[256];
    snprintf(script, sizeof script, "textures/base/panel\n{\n%s\n{\nmap $whiteimage\n}\n}\n", keys);
    struct fs *fs = room->env.fs;
    assert_int_equal(fs->ops->write(fs, "q/baseq3/scripts/a.shader", script, strlen(script)), 0);
    assert_int_equal(assets_open(&room->env, &(struct assets_options){.game = "q"}, &room->assets),
                     STATUS_OK);
    ibsp_room_shader(room->bsp, "textures/base/panel", CONTENTS_SOLID);
    struct bsp_surface *panel = &room->bsp->surfaces[CEILING];
    panel->shader = PANEL_SHADER;
    for (int i = 0; i < panel->vertex_count; i++) {
        float *p = room->bsp->draw_vertices[panel->first_vertex + i].p;
        p[0] = copysignf((float)half_x, p[0]);
        p[1] = copysignf((float)half_y, p[1]);
        p[2] = (float)z;
    }
}

/* Form factor of a rectangle to a point at `height` over its plane, by squares. */
static double form_factor(double x, double y, double height, double half_x, double half_y)
{
    enum { STEPS = 100 };
    double sum = 0;
    for (int i = 0; i < STEPS * STEPS; i++) {
        double across = half_x * ((2 * (i % STEPS) + 1) / (double)STEPS - 1) - x;
        double along = half_y * ((2 * (i / STEPS) + 1) / (double)STEPS - 1) - y;
        double square = across * across + along * along + height * height;
        sum += height * height / (square * square);
    }
    return sum * 4 * half_x * half_y / (PI * (double)(STEPS * STEPS));
}

/* Mean light of the panel's own face. */
static double face_level(const struct quake3_room *room)
{
    const struct bsp_surface *panel = &room->bsp->surfaces[CEILING];
    int width = panel->lightmap_size[0], height = panel->lightmap_size[1];
    double sum = 0, total = 0;
    if (width == 1)
        return *luxel(room->bsp, CEILING, 0, 0);
    for (int i = 0; i < width * height; i++) {
        int s = i % width, t = i / width;
        double part = s == 0 || s == width - 1 ? 0.5 : 1; /* half of a luxel on the rim */
        part *= t == 0 || t == height - 1 ? 0.5 : 1;
        sum += part * *luxel(room->bsp, CEILING, s, t);
        total += part;
    }
    return sum / total;
}

/* The floor has the light of a quarter of the value per unit of area, at any distance. */
static void test_level_of_the_floor(void **state)
{
    (void)state;
    struct quake3_room room;
    open_panel(&room, 16, 16, 100, "q3map_surfacelight 1500\nq3map_backsplash 0 0");
    light_room(&room);
    for (int s = 1; s < 16; s++) {
        double x = 16 * (s - 8), square = x * x + 228 * 228;
        double light = VALUE * 1024 / 4 * 228 * 228 / (square * square);
        assert_near(floor_luxel(room.bsp, s, 8), light - 0.5, 0.6 + 0.01 * light);
    }
    assert_int_equal((int)face_level(&room), 0);
    close_room(&room);
}

/* The face of a panel has the light of its backsplash, as of an area light of the same shape. */
static void test_face_of_the_panel(void **state)
{
    (void)state;
    struct quake3_room room;
    open_panel(&room, 32, 32, 100, "q3map_surfacelight 1500");
    light_room(&room);
    double expected = 0;
    for (int i = 0; i < 1024; i++) {
        double x = 2 * (i % 32) - 31, y = 2 * (i / 32) - 31; /* exact */
        expected += fmin(SPLASH * form_factor(x, y, 22, 32, 32), 255) / 1024;
    }
    assert_near(face_level(&room), expected, 0.05 * expected);
    close_room(&room);
    /* A fifth of the light, 64 units away. */
    open_panel(&room, 32, 32, 100, "q3map_surfacelight 300\nq3map_backsplash 20 64");
    light_room(&room);
    assert_near(*luxel(room.bsp, CEILING, 2, 2), 0.8 * SPLASH * form_factor(0, 0, 63, 32, 32), 3);
    close_room(&room);
}

/* -backsplash multiplies its share, also where the shader sets one, and replaces its distance. */
static void test_backsplash_of_the_options(void **state)
{
    (void)state;
    static const char *const keys[] = {"q3map_surfacelight 300\nq3map_backsplash 20 40",
                                       "q3map_surfacelight 600"};
    for (int i = 0; i < 2; i++) {
        struct quake3_room room;
        open_panel(&room, 32, 32, 100, keys[i]);
        room.options.quake3.backsplash[0] = i ? 2 : 0.5;
        room.options.quake3.backsplash[1] = 64;
        light_room(&room);
        double expected = (i ? 0.8 : 0.4) * SPLASH * form_factor(0, 0, 63, 32, 32);
        assert_near(*luxel(room.bsp, CEILING, 2, 2), expected, 3);
        close_room(&room);
    }
}

/* Pieces of a strip join without a ripple, in its own light and in that of what is near. */
static void test_strip_is_even(void **state)
{
    (void)state;
    struct quake3_room room;
    open_panel(&room, 120, 8, 100, "q3map_surfacelight 1000");
    light_room(&room);
    const struct bsp_surface *panel = &room.bsp->surfaces[CEILING];
    bool across = panel->lightmap_size[0] > panel->lightmap_size[1];
    int min = 255, max = 0;
    for (int i = 3; i < 13; i++) {
        int light = *luxel(room.bsp, CEILING, across ? i : 0, across ? 0 : i);
        min = light < min ? light : min;
        max = light > max ? light : max;
    }
    assert_true(min > 60 && max < min * 21 / 20);
    close_room(&room);
}

/* Light of translucent surfaces, and of those without a back, goes both ways. */
static void test_two_sided(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct quake3_room room;
        open_panel(&room, 64, 64, 0,
                   i == 2 ? "cull none\nq3map_surfacelight 400\nq3map_backsplash 0 0"
                          : "q3map_surfacelight 400\nq3map_backsplash 0 0");
        room.bsp->shaders[PANEL_SHADER].contents =
            i == 1 ? (int)Q3_CONTENTS_TRANSLUCENT : (int)CONTENTS_SOLID;
        light_room(&room);
        int light[2]; /* of a wall, below and above */
        const struct bsp_surface *wall = &room.bsp->surfaces[0];
        bool upright = fabsf(wall->lightmap_vectors[1][2]) > 0.5f;
        for (int k = 0; k < 2; k++) {
            int at = k ? 12 : 4;
            light[k] = *luxel(room.bsp, 0, upright ? 8 : at, upright ? at : 8);
        }
        int more = light[0] > light[1] ? light[0] : light[1], less = light[0] + light[1] - more;
        assert_true(more > 10);
        assert_true(i > 0 ? less >= more - 1 : less == 0);
        close_room(&room);
    }
}

/* Points on the sides of walls have the light before these; dark ones are left to others. */
static void test_grid_on_walls(void **state)
{
    (void)state;
    struct quake3_room room = open_room(
        "", "{\n\"classname\" \"light\"\n\"origin\" \"20 10 -20\"\n\"light\" \"25\"\n}\n");
    light_room(&room);
    for (int i = 0; i < ROOM_GRID; i++) {
        struct vec3 place = vec3(64 * (i % 5) - 128, 64 * (i / 5 % 5) - 128, 128 * (i / 25) - 128);
        struct vec3 way = vec3_sub(vec3(20, 10, -20), place);
        double light = 25 * 7500.0 / vec3_dot(way, way);
        const struct bsp_grid_point *point = &room.bsp->light_grid[i];
        assert_near(point->directed[0], light, 1 + 0.03 * light);
        assert_int_equal(point->ambient[0], 1);
    }
    close_room(&room);
    room = open_room("", "");
    light_room(&room);
    assert_int_equal(room.bsp->light_grid[25 + 12].ambient[0], 0);
    close_room(&room);
}

/* Bounced light is added to the grid on request. */
static void test_bounced_grid(void **state)
{
    (void)state;
    int ambient[2];
    for (int i = 0; i < 2; i++) {
        struct quake3_room room = open_room(
            "", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 -100\"\n\"light\" \"100\"\n}\n");
        room.options.bounce = 3;
        room.options.quake3.bounce_grid = i == 1;
        light_room(&room);
        ambient[i] = room.bsp->light_grid[25 + 12].ambient[0];
        close_room(&room);
    }
    assert_int_equal(ambient[0], 1);
    assert_true(ambient[1] > 3);
}

/* Vertices of a surface without luxels that lie on walls are lit. */
static void test_vertices_on_walls(void **state)
{
    (void)state;
    struct quake3_room room =
        open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n\"light\" \"200\"\n}\n");
    struct bsp_surface *floor = &room.bsp->surfaces[FLOOR];
    floor->type = SURFACE_MESH;
    light_room(&room);
    double light = 200 * 7500.0 * 127 / pow(127 * 127 * 3, 1.5);
    for (int i = 0; i < floor->vertex_count; i++)
        assert_near(room.bsp->draw_vertices[floor->first_vertex + i].colour[0], light - 0.5, 1);
    close_room(&room);
}

SUITE(test_vrad_quake3_lamps)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_level_of_the_floor),
        cmocka_unit_test(test_face_of_the_panel),
        cmocka_unit_test(test_backsplash_of_the_options),
        cmocka_unit_test(test_strip_is_even),
        cmocka_unit_test(test_two_sided),
        cmocka_unit_test(test_grid_on_walls),
        cmocka_unit_test(test_bounced_grid),
        cmocka_unit_test(test_vertices_on_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
