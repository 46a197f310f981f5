/* Options for the light of Quake 3 maps, in a sealed box of 256 units. */
#include "tests/support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/geom/vec.h"
#include "common/text/entities.h"
#include "tests/support/near.h"
#include "tests/support/vrad/quake3_room.h"
#include "vrad/target/quake3/level/dirt_options.h"
#include "vrad/target/quake3/pages/tone_options.h"

#define PI      3.14159265358979324
#define PHOTONS 7500.0

/* In the middle of the room, 128 units from each wall. */
static const char middle[] =
    "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n\"light\" \"100\"\n}\n";
static const char coloured[] =
    "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n\"light\" \"200\"\n"
    "\"_color\" \"1 0.5 0.25\"\n}\n";

static struct quake3_options defaults(void)
{
    return vrad_defaults.quake3;
}

static struct quake3_room lit_by(const char *entities, const struct quake3_options *own)
{
    struct quake3_room room = open_room("", entities);
    room.options.quake3 = *own;
    light_room(&room);
    return room;
}

/* ---- dirt ---- */

/* The mean of 1 - distance / depth over all directions from a point over the floor. */
static double dirt_at(struct vec3 point, double depth)
{
    enum { RINGS = 200, SECTORS = 400 };
    double sum = 0;
    for (int i = 0; i < RINGS * SECTORS; i++) {
        double z = (i / SECTORS + 0.5) / (double)RINGS;
        double angle = 2 * PI * (i % SECTORS) / (double)SECTORS;
        const struct vec3 way = vec3(sqrt(1 - z * z) * cos(angle), sqrt(1 - z * z) * sin(angle), z);
        double distance = depth;
        for (int k = 0; k < 3; k++) {
            double wall = way.e[k] > 0 ? 128 : -128;
            if (way.e[k] != 0)
                distance = fmin(distance, (wall - point.e[k]) / way.e[k]);
        }
        sum += 1 - distance / depth;
    }
    return sum / (RINGS * SECTORS);
}

static void dirt_is(const struct dirt_options *dirt, double power)
{
    struct quake3_options own = defaults();
    own.point_scale = 5;
    struct quake3_room plain = lit_by(middle, &own);
    own.dirt = dirt;
    struct quake3_room dirty = lit_by(middle, &own);
    for (int t = 1; t < 16; t++) {
        double share = dirt_at(vec3(0, 16.0 * (t - 8), -128), dirt->depth);
        share = fmin(dirt->scale * pow(share, power), 1);
        double level = floor_luxel(plain.bsp, 8, t) * (1 - share);
        assert_near(floor_luxel(dirty.bsp, 8, t), level, 1.5 + 0.025 * dirt->scale * level);
    }
    close_room(&plain);
    close_room(&dirty);
}

static void test_dirt(void **state)
{
    (void)state;
    dirt_is(&(struct dirt_options){.on = true, .depth = 128, .scale = 1, .gain = 1}, 1);
    dirt_is(&(struct dirt_options){.on = true, .depth = 200, .scale = 1, .gain = 1}, 1);
    dirt_is(&(struct dirt_options){.on = true, .depth = 128, .scale = 1.5, .gain = 1}, 1);
    dirt_is(&(struct dirt_options){.on = true, .depth = 128, .scale = 1, .gain = 2}, 2);
    dirt_is(&(struct dirt_options){.on = true, .depth = 128, .scale = 1, .gain = 1, .mode = 1}, 1);
    dirt_is(&(struct dirt_options){.depth = 128, .scale = 0, .gain = 1}, 1);
}

/* The same rays at all luxels: those at the same distance from a wall are alike. */
static void test_dirt_mode(void **state)
{
    (void)state;
    int spread[2] = {0, 0};
    for (int mode = 0; mode < 2; mode++) {
        struct quake3_options own = defaults();
        struct dirt_options dirt = dirt_defaults;
        dirt.on = true;
        dirt.depth = 64; /* less than to the other walls */
        dirt.mode = mode;
        own.dirt = &dirt;
        own.point_scale = 9;
        struct quake3_room room = lit_by(middle, &own);
        /* The light is the same at s and 16 - s. */
        for (int i = 0; i < 9; i++) {
            int s = 5 + i % 3, t = i / 3;
            spread[mode] += abs(floor_luxel(room.bsp, s, t) - floor_luxel(room.bsp, 16 - s, t));
        }
        close_room(&room);
    }
    assert_int_equal(spread[0], 0);
    assert_true(spread[1] > 0);
}

/* Bounces come from surfaces that are dirty. */
static void test_dirt_before_bounces(void **state)
{
    (void)state;
    static const char spot[] =
        "{\n\"classname\" \"light\"\n\"origin\" \"100 0 100\"\n"
        "\"light\" \"60000\"\n\"target\" \"t\"\n}\n{\n\"classname\" "
        "\"info_null\"\n\"targetname\" \"t\"\n\"origin\" \"100 0 -128\"\n}\n";
    int level[2];
    for (int dirty = 0; dirty < 2; dirty++) {
        struct quake3_room room = open_room("", spot);
        room.options.bounce = 8;
        struct dirt_options dirt = dirt_defaults;
        dirt.on = dirty;
        room.options.quake3.dirt = &dirt;
        light_room(&room);
        level[dirty] = luxel(room.bsp, CEILING, 4, 8)[0];
        close_room(&room);
    }
    /* The ceiling itself, 64 units from the wall, loses less than a tenth. */
    assert_true(level[0] > 10);
    assert_true(level[1] < 0.88 * level[0]);
}

/* ---- the curve ---- */

static void middle_of_floor(const struct quake3_options *own, double out[3])
{
    struct quake3_room room = lit_by(coloured, own);
    for (int k = 0; k < 3; k++)
        out[k] = luxel(room.bsp, FLOOR, 8, 8)[k];
    close_room(&room);
}

static void middle_by_tone(const struct tone_options *tone, double out[3])
{
    struct quake3_options own = defaults();
    own.tone = tone;
    middle_of_floor(&own, out);
}

static void test_curve(void **state)
{
    (void)state;
    const double light = 200 * PHOTONS / (128 * 128); /* 91.6 */
    const double is[3] = {light, light / 2, light / 4};
    struct tone_options own = tone_defaults;
    double out[3];
    own.brightness = 2;
    middle_by_tone(&own, out);
    for (int k = 0; k < 3; k++)
        assert_near(out[k], 2 * is[k], 1.5);
    own = tone_defaults;
    own.compensate = 2;
    middle_by_tone(&own, out);
    for (int k = 0; k < 3; k++)
        assert_near(out[k], is[k] / 2, 1.5);
    own = tone_defaults;
    own.exposure = 100;
    middle_by_tone(&own, out);
    for (int k = 0; k < 3; k++) /* the hue is kept */
        assert_near(out[k], 255 * (1 - exp(-light / 100)) * is[k] / light, 1.5);
    own = tone_defaults;
    own.contrast = 100;
    middle_by_tone(&own, out);
    double steep = 259.0 * 355 / (255 * 159);
    for (int k = 0; k < 3; k++)
        assert_near(out[k], fmax(127.5 + steep * (is[k] - 127.5), 0), 2);
    own = tone_defaults;
    own.contrast = -255;
    middle_by_tone(&own, out);
    for (int k = 0; k < 3; k++)
        assert_near(out[k], 127, 1);
    own = tone_defaults;
    own.saturation = 0;
    middle_by_tone(&own, out);
    for (int k = 0; k < 3; k++)
        assert_near(out[k], light * 1.75 / 3, 1.5);
    own = tone_defaults;
    own.srgb_light = true;
    middle_by_tone(&own, out);
    for (int k = 0; k < 3; k++)
        assert_near(out[k], 255 * (1.055 * pow(is[k] / 255, 1 / 2.4) - 0.055), 1.5);
}

/* Gamma and exposure first, compensation last. */
static void test_order_of_the_curve(void **state)
{
    (void)state;
    struct tone_options own = tone_defaults;
    double out[3], light = 200 * PHOTONS / (128 * 128);
    own.gamma = 2;
    own.exposure = 150;
    own.brightness = 1.2;
    own.contrast = 40;
    own.compensate = 1.5;
    middle_by_tone(&own, out);
    double value = 255 * sqrt(light / 255);
    value = 1.2 * 255 * (1 - exp(-value / 150));
    value = 127.5 + 259.0 * 295 / (255 * 219) * (value - 127.5);
    assert_near(out[0], value / 1.5, 1.5);
}

static void test_srgb_colours(void **state)
{
    (void)state;
    struct quake3_options own = defaults();
    double out[3], light = 200 * PHOTONS / (128 * 128);
    own.srgb_colours = true;
    middle_of_floor(&own, out);
    assert_near(out[0], light, 1.5);
    assert_near(out[1], light * 0.2140, 1.5);
    assert_near(out[2], light * 0.0509, 1.5);
}

/* ---- multipliers ---- */

static void test_scales_of_lights(void **state)
{
    (void)state;
    static const char spot[] =
        "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n\"light\" \"100\"\n"
        "\"target\" \"t\"\n}\n{\n\"classname\" \"info_null\"\n"
        "\"targetname\" \"t\"\n\"origin\" \"0 0 -128\"\n}\n";
    const double light = 100 * PHOTONS / (128 * 128);
    const double factors[2][2] = {{0.5, 1}, {1, 0.5}}; /* of spot and spherical */
    for (int i = 0; i < 4; i++) {
        struct quake3_options own = defaults();
        own.spot_scale = factors[i % 2][0];
        own.spherical_scale = factors[i % 2][1];
        own.point_scale = 2;
        struct quake3_room room = lit_by(i < 2 ? spot : middle, &own);
        double factor = i < 2 ? own.spot_scale : own.spherical_scale;
        assert_near(floor_luxel(room.bsp, 8, 8), 2 * factor * light, 1.5);
        close_room(&room);
    }
}

static void test_scales_of_points(void **state)
{
    (void)state;
    static const char two[] =
        "{\n\"classname\" \"light\"\n\"origin\" \"100 0 0\"\n\"light\" \"60\"\n}\n"
        "{\n\"classname\" \"light\"\n\"origin\" \"-100 0 0\"\n\"light\" \"40\"\n}\n";
    enum { MIDDLE = 25 + 12 };
    const double light[2] = {60 * PHOTONS / 1e4, 40 * PHOTONS / 1e4};
    struct quake3_options own = defaults();
    own.grid_scale = 2;
    own.grid_ambient_scale = 3;
    own.grid_directionality = 0.25;
    own.vertex_scale = 0.5;
    struct quake3_room plain = lit_by(two, &vrad_defaults.quake3), room;
    room = lit_by(two, &own);
    const struct bsp_grid_point *at = &room.bsp->light_grid[MIDDLE];
    assert_near(at->directed[0], 2 * 0.25 * light[0], 1.5);
    assert_near(at->ambient[0], 2 * 3 * light[1] / 2, 1.5);
    int first = room.bsp->surfaces[FLOOR].first_vertex;
    assert_near(room.bsp->draw_vertices[first].colour[0],
                plain.bsp->draw_vertices[first].colour[0] / 2, 1);
    close_room(&room);
    own = defaults();
    own.grid_ambient_directionality = 0;
    room = lit_by(two, &own);
    assert_near(room.bsp->light_grid[MIDDLE].ambient[0], (light[0] + light[1]) / 4, 1.5);
    close_room(&room);
    close_room(&plain);
}

static void test_sample_sizes(void **state)
{
    (void)state;
    struct quake3_options own = defaults();
    own.sample_scale = 0.5;
    struct quake3_room room = lit_by(middle, &own);
    assert_int_equal(room.bsp->surfaces[FLOOR].lightmap_size[0], 33);
    close_room(&room);
    own.min_sample_size = 32;
    room = lit_by(middle, &own);
    assert_int_equal(room.bsp->surfaces[FLOOR].lightmap_size[0], 9);
    close_room(&room);
}

/* ---- lights ---- */

static void test_linear_by_default(void **state)
{
    (void)state;
    static const char flagged[] = "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n"
                                  "\"light\" \"100\"\n\"spawnflags\" \"1\"\n}\n";
    for (int i = 0; i < 2; i++) {
        struct quake3_options own = defaults();
        own.linear = true;
        own.point_scale = 3;
        struct quake3_room room = lit_by(i ? flagged : middle, &own);
        double light = i ? 300 * PHOTONS / (128 * 128) : 300 * PHOTONS / 8000 - 128;
        assert_near(floor_luxel(room.bsp, 8, 8), light, 1.5);
        close_room(&room);
    }
}

static void test_half_lambert(void **state)
{
    (void)state;
    struct quake3_options own = defaults();
    own.half_lambert = 1;
    struct quake3_room room = lit_by(middle, &own);
    for (int s = 1; s < 16; s++) {
        double x = 16 * (s - 8), square = x * x + 128 * 128, cosine = 128 / sqrt(square);
        double light = 100 * PHOTONS / square * pow(0.5 + 0.5 * cosine, 2);
        assert_near(floor_luxel(room.bsp, s, 8), light, 1.5);
    }
    close_room(&room);
}

static void test_sun_only(void **state)
{
    (void)state;
    struct quake3_options own = defaults();
    own.sun_only = true;
    struct quake3_room room = open_room(
        "", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n\"light\" \"100\"\n\"_sun\" \"1\"\n"
            "\"target\" \"t\"\n}\n{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n}\n"
            "{\n\"classname\" \"info_null\"\n\"targetname\" \"t\"\n\"origin\" \"0 0 -64\"\n}\n");
    ibsp_room_shader(room.bsp, "skies/blue", CONTENTS_SOLID);
    room.bsp->shaders[3].surface_flags = 0x4;
    room.bsp->surfaces[CEILING].shader = 3;
    room.options.quake3 = own;
    light_room(&room);
    assert_near(luxel(room.bsp, FLOOR, 8, 8)[0], 100, 1);
    close_room(&room);
}

/* A styled light has no place in this room, unless styles are ignored. */
static void test_no_styles(void **state)
{
    (void)state;
    static const char styled[] = "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n"
                                 "\"light\" \"100\"\n\"style\" \"3\"\n}\n";
    for (int ignored = 0; ignored < 2; ignored++) {
        struct quake3_options own = defaults();
        own.no_styles = ignored;
        struct quake3_room room = lit_by(styled, &own);
        assert_int_equal(luxel(room.bsp, FLOOR, 0, 0)[0] > 0, ignored);
        close_room(&room);
    }
}

/* ---- shadows ---- */

/* A patch below the light, over the floor. */
static struct quake3_room shaded_room(const struct quake3_options *own)
{
    struct quake3_room room = open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 100\"\n"
                                            "\"light\" \"300\"\n}\n");
    const struct bsp_surface *patch = &room.bsp->surfaces[PATCH];
    for (int i = 0; i < 9; i++) {
        struct bsp_draw_vertex *vertex = &room.bsp->draw_vertices[patch->first_vertex + i];
        vertex->p[0] = 48.0f * (float)(i % 3) - 48;
        vertex->p[1] = 48.0f * (float)(i / 3) - 48;
        vertex->p[2] = -60;
    }
    room.bsp->surfaces[PATCH].shader = 0;
    room.options.quake3 = *own;
    room.options.quake3.patch_shadows = true;
    light_room(&room);
    return room;
}

static void test_no_shadows(void **state)
{
    (void)state;
    const double light = 300 * PHOTONS / (228 * 228);
    struct quake3_options own = defaults();
    struct quake3_room room = shaded_room(&own);
    assert_int_equal(floor_luxel(room.bsp, 8, 8), 0);
    const int below = 12; /* of the grid: in the middle of its lowest layer */
    int shaded = room.bsp->light_grid[below].directed[0];
    close_room(&room);
    own.no_surfaces = true;
    room = shaded_room(&own);
    assert_near(floor_luxel(room.bsp, 8, 8), light, 1.5);
    close_room(&room);
    own = defaults();
    own.no_trace = true;
    room = shaded_room(&own);
    assert_near(floor_luxel(room.bsp, 8, 8), light, 1.5);
    assert_true(room.bsp->light_grid[below].directed[0] > shaded + 20);
    close_room(&room);
}

/* ---- luxels ---- */

/* The steepest step of a row through the shadow. */
static int steepest(const struct bsp *bsp)
{
    int max = 0;
    for (int s = 1; s < 17; s++) {
        int step = abs(floor_luxel(bsp, s, 8) - floor_luxel(bsp, s - 1, 8));
        max = step > max ? step : max;
    }
    return max;
}

static void test_filter(void **state)
{
    (void)state;
    struct quake3_options own = defaults();
    struct quake3_room sharp = shaded_room(&own), soft;
    own.filter = true;
    soft = shaded_room(&own);
    assert_true(steepest(soft.bsp) < 0.6 * steepest(sharp.bsp));
    close_room(&sharp);
    close_room(&soft);
}

/* Luxels of a triangle beside its slanted edge. */
static void test_dark(void **state)
{
    (void)state;
    int darker = 0;
    struct quake3_room rooms[2];
    for (int dark = 0; dark < 2; dark++) {
        struct quake3_room *room = &rooms[dark];
        *room = open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"-100 -100 -90\"\n"
                              "\"light\" \"60\"\n}\n");
        room->bsp->surfaces[FLOOR].index_count = 3;
        room->bsp->surfaces[FLOOR].vertex_count = 3;
        room->options.quake3.dark = dark;
        light_room(room);
    }
    for (int i = 0; i < 17 * 17; i++) {
        int plain = floor_luxel(rooms[0].bsp, i % 17, i / 17);
        int dark = floor_luxel(rooms[1].bsp, i % 17, i / 17);
        assert_true(dark <= plain);
        darker += dark < plain;
    }
    assert_true(darker > 3);
    close_room(&rooms[0]);
    close_room(&rooms[1]);
}

/* ---- bounces ---- */

static struct quake3_room bounced_room(const struct quake3_options *own)
{
    struct quake3_room room = open_room("", coloured);
    room.options.bounce = 8;
    room.options.quake3 = *own;
    light_room(&room);
    return room;
}

static void test_bounces(void **state)
{
    (void)state;
    struct quake3_options own = defaults();
    struct quake3_room direct = lit_by(coloured, &own), all = bounced_room(&own), only, none;
    own.bounce_only = true;
    only = bounced_room(&own);
    own = defaults();
    own.bounce_scale = 0;
    none = bounced_room(&own);
    for (int s = 1; s < 16; s++) {
        int bounced = floor_luxel(all.bsp, s, 8) - floor_luxel(direct.bsp, s, 8);
        assert_true(bounced > 5);
        assert_near(floor_luxel(only.bsp, s, 8), bounced, 1);
        assert_near(floor_luxel(none.bsp, s, 8), floor_luxel(direct.bsp, s, 8), 1);
    }
    close_room(&direct);
    close_room(&all);
    close_room(&only);
    close_room(&none);
}

/* Walls of one colour give grey light when bounces have none. */
static void test_bounce_colour(void **state)
{
    (void)state;
    static const char script[] = "textures/base/red\n{\nq3map_lightRGB 1 0.2 0.2\n{\nmap "
                                 "$whiteimage\n}\n}\n";
    for (int grey = 0; grey < 2; grey++) {
        struct quake3_room room = open_room("", middle);
        struct fs *fs = room.env.fs;
        assert_int_equal(fs->ops->write(fs, "q/baseq3/scripts/a.shader", script, strlen(script)),
                         0);
        assert_int_equal(fs->ops->write(fs, "q/baseq3/textures/base/red.tga",
                                        "\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\30\0\377\377\377", 21),
                         0);
        assert_int_equal(
            assets_open(&room.env, &(struct assets_options){.game = "q"}, &room.assets), STATUS_OK);
        ibsp_room_shader(room.bsp, "textures/base/red", CONTENTS_SOLID);
        for (int wall = 0; wall < 6; wall++)
            room.bsp->surfaces[wall].shader = 3;
        room.options.bounce = 8;
        room.options.quake3.bounce_only = true;
        room.options.quake3.bounce_colour = 1 - grey;
        light_room(&room);
        const uint8_t *rgb = luxel(room.bsp, FLOOR, 8, 8);
        assert_true(rgb[0] > 5);
        if (grey)
            assert_near(rgb[0], rgb[1], 1);
        else
            assert_true(rgb[1] < rgb[0] / 3);
        close_room(&room);
    }
}

/* ---- results ---- */

static void test_keeps_lightmaps(void **state)
{
    (void)state;
    struct quake3_options own = defaults();
    struct quake3_room room = open_room("\"_keepLights\" \"1\"\n", middle);
    light_room(&room);
    int level = floor_luxel(room.bsp, 8, 8);
    int corner = room.bsp->surfaces[FLOOR].first_vertex;
    int before = room.bsp->draw_vertices[corner].colour[0];
    own.no_lightmaps = true;
    own.point_scale = 2;
    room.options.quake3 = own;
    light_room(&room);
    assert_int_equal(floor_luxel(room.bsp, 8, 8), level);
    assert_near(room.bsp->draw_vertices[corner].colour[0], 2 * before, 2);
    close_room(&room);
}

static void test_vertex_level(void **state)
{
    (void)state;
    const double levels[] = {-1, 0, 0.5};
    const int expected[] = {127, 0, 63};
    for (int i = 0; i < 3; i++) {
        struct quake3_room room = open_room("", middle);
        int corner = room.bsp->surfaces[FLOOR].first_vertex;
        memset(room.bsp->draw_vertices[corner].colour, 77, 3);
        room.options.quake3.vertex_level = levels[i];
        light_room(&room);
        assert_int_equal(room.bsp->draw_vertices[corner].colour[1], expected[i]);
        close_room(&room);
    }
}

/* Below a roof, vertices of models see no sun. */
static void test_no_shadows_of_suns(void **state)
{
    (void)state;
    for (int traced = 0; traced < 2; traced++) {
        struct quake3_room room =
            open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n\"light\" \"100\"\n"
                          "\"_sun\" \"1\"\n\"target\" \"t\"\n}\n{\n\"classname\" \"info_null\"\n"
                          "\"targetname\" \"t\"\n\"origin\" \"0 0 -64\"\n}\n");
        room.bsp->surfaces[MESH].shader = 0;
        room.options.quake3.no_trace = !traced;
        light_room(&room);
        const struct bsp_surface *mesh = &room.bsp->surfaces[MESH];
        int brightest = 0;
        for (int i = 0; i < mesh->vertex_count; i++) {
            int level = room.bsp->draw_vertices[mesh->first_vertex + i].colour[0];
            brightest = level > brightest ? level : brightest;
        }
        assert_int_equal(brightest > 20, !traced);
        assert_int_equal(luxel(room.bsp, FLOOR, 8, 8)[0] > 90, !traced);
        assert_int_equal(room.bsp->light_grid[25 + 12].directed[0] > 90, !traced);
        close_room(&room);
    }
}

int test_vrad_quake3_options(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dirt),
        cmocka_unit_test(test_dirt_mode),
        cmocka_unit_test(test_dirt_before_bounces),
        cmocka_unit_test(test_curve),
        cmocka_unit_test(test_order_of_the_curve),
        cmocka_unit_test(test_srgb_colours),
        cmocka_unit_test(test_scales_of_lights),
        cmocka_unit_test(test_scales_of_points),
        cmocka_unit_test(test_sample_sizes),
        cmocka_unit_test(test_linear_by_default),
        cmocka_unit_test(test_half_lambert),
        cmocka_unit_test(test_sun_only),
        cmocka_unit_test(test_no_styles),
        cmocka_unit_test(test_no_shadows),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_dark),
        cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_bounce_colour),
        cmocka_unit_test(test_keeps_lightmaps),
        cmocka_unit_test(test_vertex_level),
        cmocka_unit_test(test_no_shadows_of_suns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
