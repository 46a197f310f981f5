/* Light entities of Quake 3 maps: their keys, and what becomes of them once a map is lit. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/assets/shaders/shader.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "common/diag/codes/light_options.def"
#include "common/diag/codes/unlit.def"
#include "common/geom/vec.h"
#include "tests/support/near.h"
#include "tests/support/vrad/quake3_room.h"
#include "vrad/lights/light.h"

#define PHOTONS 7500.0

/* The middle of the light grid. */
enum { GRID_MIDDLE = 25 + 12 };

static struct quake3_room lit_by(const char *lights)
{
    struct quake3_room room = open_room("", lights);
    light_room(&room);
    return room;
}

static bool has_text(const struct bsp *bsp, const char *text)
{
    size_t size = arrlenu(bsp->entities), length = strlen(text);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(bsp->entities + i, text, length) == 0)
            return true;
    return false;
}

/* lightJunior lights the grid alone, spawnflag 16 all but the grid. */
static void test_grid_only(void **state)
{
    (void)state;
    struct quake3_room junior =
        lit_by("{\n\"classname\" \"lightJunior\"\n\"origin\" \"100 0 0\"\n\"light\" \"60\"\n}\n");
    assert_int_equal(luxel(junior.bsp, FLOOR, 8, 8)[0], 0);
    assert_int_equal(junior.bsp->draw_vertices[junior.bsp->surfaces[FLOOR].first_vertex].colour[0],
                     0);
    assert_near(junior.bsp->light_grid[GRID_MIDDLE].directed[0], 60 * PHOTONS / 1e4, 1);
    assert_int_equal(diag_count_code(junior.env.diag, DIAG_NO_LIGHTS), 0);
    close_room(&junior);
    struct quake3_room plain = lit_by("{\n\"classname\" \"light\"\n\"origin\" \"100 0 0\"\n"
                                      "\"light\" \"60\"\n\"spawnflags\" \"16\"\n}\n");
    assert_true(luxel(plain.bsp, FLOOR, 8, 8)[0] > 0);
    assert_int_equal(plain.bsp->light_grid[GRID_MIDDLE].directed[0], 0);
    close_room(&plain);
}

static void lights_of_nothing_drawn_are_reported(void **state)
{
    (void)state;
    for (int drawn = 0; drawn < 2; drawn++) {
        struct quake3_room room = open_room("", "{\n\"classname\" \"light\"\n"
                                                "\"origin\" \"100 0 0\"\n\"light\" \"60\"\n}\n");
        for (ptrdiff_t i = 0; i < arrlen(room.bsp->shaders) && !drawn; i++)
            room.bsp->shaders[i].surface_flags |= Q3_SURFACE_NODRAW;
        light_room(&room);
        assert_int_equal(diag_count_code(room.env.diag, DIAG_NO_LUXELS), !drawn);
        assert_int_equal(diag_count_code(room.env.diag, DIAG_NO_LIGHTS), 0);
        close_room(&room);
    }
}

/* The cosine at the surface, divided by _anglescale, up to 1; spawnflag 2: always 1. */
static void test_angle_scale(void **state)
{
    (void)state;
    static const double scales[] = {0.5, 2, 0};
    for (int n = 0; n < 3; n++) {
        char lights[160];
        snprintf(lights, sizeof lights,
                 "{\n\"classname\" \"light\"\n\"origin\" \"0 0 -78\"\n\"light\" \"50\"\n"
                 "\"_anglescale\" \"%g\"\n\"spawnflags\" \"%d\"\n}\n",
                 scales[n], n == 2 ? 2 : 0);
        struct quake3_room room = lit_by(lights);
        for (int s = 8; s < 16; s++) {
            double across = 16 * (s - 8), square = across * across + 2500;
            double cosine = 50 / sqrt(square);
            double share = n == 2 ? 1 : fmin(cosine / scales[n], 1);
            double light = 50 * PHOTONS / square * share;
            /* A luxel is the mean of its square. */
            assert_near(floor_luxel(room.bsp, s, 8), light, 1.5 + 0.02 * light);
        }
        close_room(&room);
    }
}

/* A spotlight is full up to 16 units inside of its radius, and ends 16 units outside. */
static void test_spot_edge(void **state)
{
    (void)state;
    struct quake3_room room = lit_by(
        "{\n\"classname\" \"light\"\n\"origin\" \"0 0 72\"\n\"light\" \"500\"\n"
        "\"target\" \"t\"\n\"radius\" \"64\"\n}\n"
        "{\n\"classname\" \"info_null\"\n\"targetname\" \"t\"\n\"origin\" \"0 0 -128\"\n}\n");
    static const double shares[] = {1, 1, 1, 0.95, 0.5, 0.05, 0};
    for (int i = 0; i < 7; i++) {
        double square = 256.0 * i * i + 40000, cosine = 200 / sqrt(square);
        assert_near(floor_luxel(room.bsp, 8 + i, 8), 500 * PHOTONS / square * cosine * shares[i],
                    2.5);
    }
    close_room(&room);
}

/* A point evaluated alone and in a batch. */
static void test_beam_in_batch(void **state)
{
    (void)state;
    enum { COUNT = 64 };
    struct light light = {.type = WORLDLIGHT_SPOT,
                          .normal = vec3(0.6, 0, -0.8),
                          .intensity = vec3(1, 1, 1),
                          .quadratic = 1,
                          .beam = 0.3,
                          .beam_edge = 16};
    float places[3][COUNT], ways[3][COUNT], distances[COUNT], shares[COUNT];
    for (int i = 0; i < COUNT; i++) {
        places[0][i] = 6.0f * (float)i - 100;
        places[1][i] = (float)i;
        places[2][i] = -150;
    }
    struct light_rows rows = {
        COUNT, {places[0], places[1], places[2]}, {ways[0], ways[1], ways[2]}, distances, shares};
    light_at_batch(&light, &rows);
    int between = 0;
    for (int i = 0; i < COUNT; i++) {
        struct vec3 direction;
        double distance,
            share = light_at(&light,
                             vec3((double)places[0][i], (double)places[1][i], (double)places[2][i]),
                             &direction, &distance);
        double whole = 1 / (distance * distance);
        assert_near(shares[i] / (float)whole, share / whole, 1e-3);
        between += share > 0.05 * whole && share < 0.95 * whole;
    }
    assert_true(between > 4);
}

/* _deviance makes a soft shadow of the patch at z 10, without more or less light beside it. */
static void test_deviance(void **state)
{
    (void)state;
    int levels[2] = {0}, beside[2];
    for (int soft = 0; soft < 2; soft++) {
        char lights[160];
        snprintf(lights, sizeof lights,
                 "{\n\"classname\" \"light\"\n\"origin\" \"0 0 90\"\n\"light\" \"200\"\n"
                 "\"_deviance\" \"%d\"\n\"_samples\" \"32\"\n}\n",
                 soft ? 32 : 0);
        struct quake3_room room = open_room("", lights);
        const struct bsp_surface *patch = &room.bsp->surfaces[PATCH];
        for (int i = 0; i < 9; i++) {
            struct bsp_draw_vertex *vertex = &room.bsp->draw_vertices[patch->first_vertex + i];
            vertex->p[0] = 20.0f * (float)(i % 3) - 20;
            vertex->p[1] = 20.0f * (float)(i / 3) - 20;
            vertex->p[2] = 10;
        }
        room.bsp->surfaces[PATCH].shader = 0;
        room.options.quake3.patch_shadows = true;
        light_room(&room);
        int last = floor_luxel(room.bsp, 8, 8);
        for (int s = 9; s < 16; s++) {
            int level = floor_luxel(room.bsp, s, 8);
            levels[soft] += abs(level - last) > 2;
            last = level;
        }
        beside[soft] = floor_luxel(room.bsp, 16, 16);
        close_room(&room);
    }
    assert_true(levels[1] >= levels[0] + 2);
    assert_near(beside[1], beside[0], 2);
}

/* The lights of a long lamp are as weak as it is long: together they are not too weak to count. */
static void test_deviance_with_fast(void **state)
{
    (void)state;
    struct quake3_room room = open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n"
                                            "\"light\" \"20\"\n\"_deviance\" \"4\"\n"
                                            "\"_samples\" \"64\"\n}\n");
    room.options.fast = true;
    light_room(&room);
    assert_near(floor_luxel(room.bsp, 8, 8), 20 * PHOTONS / (128 * 128), 1);
    close_room(&room);
}

/* ---- shadow keys ---- */

/* With _receiveShadows 0 a floor is lit through the patch above it. */
static void test_receives_no_shadows(void **state)
{
    (void)state;
    for (int receives = 0; receives < 2; receives++) {
        struct quake3_room room =
            open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 72\"\n"
                          "\"light\" \"100\"\n}\n");
        struct surface_notes notes = {0};
        for (ptrdiff_t i = 0; i < arrlen(room.bsp->surfaces); i++)
            arrput(notes.items, ((struct surface_note){16, 0, 1, receives, 0, 0, {0, 0, 0}}));
        const struct bsp_surface *patch = &room.bsp->surfaces[PATCH];
        for (int i = 0; i < 9; i++) {
            struct bsp_draw_vertex *vertex = &room.bsp->draw_vertices[patch->first_vertex + i];
            vertex->p[0] = 40.0f * (float)(i % 3) - 40;
            vertex->p[1] = 40.0f * (float)(i / 3) - 40;
            vertex->p[2] = 0;
        }
        room.bsp->surfaces[PATCH].shader = 0;
        room.options.quake3.notes = &notes;
        light_room(&room);
        assert_near(floor_luxel(room.bsp, 8, 8), receives ? 0 : 100 * PHOTONS / 40000, 1);
        assert_int_equal(diag_count_code(room.env.diag, DIAG_LIGHT_KEY), 0);
        surface_notes_free(&notes);
        close_room(&room);
    }
}

/* Keys without effect are told, once. */
static void test_keys_without_effect(void **state)
{
    (void)state;
    struct quake3_room room = open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n"
                                            "\"_filter\" \"8\"\n}\n"
                                            "{\n\"classname\" \"light\"\n\"origin\" \"0 0 9\"\n"
                                            "\"_filterradius\" \"8\"\n}\n");
    struct surface_notes notes = {0};
    for (ptrdiff_t i = 0; i < arrlen(room.bsp->surfaces); i++)
        arrput(notes.items, ((struct surface_note){16, 0, -2, 3, 0, 0, {0, 0, 0}}));
    room.options.quake3.notes = &notes;
    light_room(&room);
    assert_int_equal(diag_count_code(room.env.diag, DIAG_LIGHT_KEY), 2);
    surface_notes_free(&notes);
    close_room(&room);
}

/* ---- shader suns ---- */

static const char script[] = "textures/base/sky\n{\nsurfaceparm sky\n"
                             "q3map_sunExt 1 1 1 100 0 90 0 1\n}\n";

static void test_no_shader_sun(void **state)
{
    (void)state;
    for (int off = 0; off < 2; off++) {
        struct quake3_room room = open_room(off ? "\"_noshadersun\" \"1\"\n" : "", "");
        struct fs *fs = room.env.fs;
        assert_int_equal(fs->ops->write(fs, "q/baseq3/scripts/a.shader", script, strlen(script)),
                         0);
        assert_int_equal(
            assets_open(&room.env, &(struct assets_options){.game = "q"}, &room.assets), STATUS_OK);
        ibsp_room_shader(room.bsp, "textures/base/sky", CONTENTS_SOLID);
        room.bsp->shaders[3].surface_flags = 0x4;
        room.bsp->surfaces[CEILING].shader = 3;
        light_room(&room);
        assert_near(luxel(room.bsp, FLOOR, 8, 8)[0], off ? 0 : 100, 1);
        close_room(&room);
    }
}

/* ---- entities of a lit map ---- */

static const char two_lights[] = "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n}\n"
                                 "{\n\"classname\" \"lightJunior\"\n\"origin\" \"0 0 9\"\n}\n"
                                 "{\n\"classname\" \"light\"\n\"origin\" \"9 0 0\"\n"
                                 "\"targetname\" \"switched\"\n}\n";

/* Lights that nothing switches leave the file, unless the world keeps them. */
static void test_lights_leave(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        struct quake3_room room = open_room(keep ? "\"_keepLights\" \"1\"\n" : "", two_lights);
        light_room(&room);
        assert_int_equal(has_text(room.bsp, "\"0 0 0\""), keep);
        assert_int_equal(has_text(room.bsp, "lightJunior"), keep);
        assert_true(has_text(room.bsp, "switched"));
        close_room(&room);
    }
}

/* A lit map can be lit again from vbsp's notes, with the same result. */
static void test_lit_again(void **state)
{
    (void)state;
    struct quake3_room room = open_room("", two_lights);
    struct surface_notes notes = {0};
    struct bytes files[2] = {{0}};
    for (ptrdiff_t i = 0; i < arrlen(room.bsp->surfaces); i++)
        arrput(notes.items, ((struct surface_note){16, 0, 1, 1, 0, 0, {0, 0, 0}}));
    assert_int_equal(surface_notes_take_lights(&notes, room.bsp, room.env.diag), STATUS_OK);
    room.options.quake3.notes = &notes;
    for (int i = 0; i < 2; i++) {
        light_room(&room);
        assert_int_equal(bsp_encode(room.bsp, room.bsp->format, "room", room.env.diag, &files[i]),
                         STATUS_OK);
        assert_true(luxel(room.bsp, FLOOR, 8, 8)[0] > 100);
    }
    assert_int_equal(files[0].size, files[1].size);
    assert_memory_equal(files[0].data, files[1].data, files[0].size);
    assert_int_equal(diag_count(room.env.diag, DIAG_WARNING), 0);
    for (int i = 0; i < 2; i++)
        bytes_free(&files[i]);
    surface_notes_free(&notes);
    close_room(&room);
}

/* Without the notes it is dark, and the message says why. */
static void test_lit_again_without_notes(void **state)
{
    (void)state;
    struct quake3_room room =
        open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n}\n");
    light_room(&room);
    assert_int_equal(diag_count_code(room.env.diag, DIAG_LIGHTS_GONE), 0);
    light_room(&room);
    assert_int_equal(diag_count_code(room.env.diag, DIAG_LIGHTS_GONE), 1);
    close_room(&room);
}

SUITE(test_vrad_quake3_lights)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid_only),
        cmocka_unit_test(lights_of_nothing_drawn_are_reported),
        cmocka_unit_test(test_angle_scale),
        cmocka_unit_test(test_deviance),
        cmocka_unit_test(test_deviance_with_fast),
        cmocka_unit_test(test_no_shader_sun),
        cmocka_unit_test(test_spot_edge),
        cmocka_unit_test(test_beam_in_batch),
        cmocka_unit_test(test_receives_no_shadows),
        cmocka_unit_test(test_keys_without_effect),
        cmocka_unit_test(test_lights_leave),
        cmocka_unit_test(test_lit_again),
        cmocka_unit_test(test_lit_again_without_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
