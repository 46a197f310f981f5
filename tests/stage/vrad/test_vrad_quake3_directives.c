/* Directives of shaders that change the light of their surfaces. */
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

#include "common/bsp/sidecar/surface_notes.h"
#include "common/core/array.h"
#include "tests/support/near.h"
#include "tests/support/vrad/quake3_room.h"

static const char light[] = "{\n\"classname\" \"light\"\n\"origin\" \"0 0 100\"\n"
                            "\"light\" \"200\"\n}\n";

/* A room with a light near its ceiling, and a shader of these directives with number 3. */
static void room_with(const char *directives, struct quake3_room *room)
{
    *room = open_room("", light);
    struct fs *fs = room->env.fs;
    struct bytes script = {0};
    bytes_append_text(&script, "textures/base/test\n{\n%s\n{\nmap $lightmap\n}\n}\n", directives);
    assert_int_equal(fs->ops->write(fs, "q/baseq3/scripts/a.shader", script.data, script.size), 0);
    assert_int_equal(assets_open(&room->env, &(struct assets_options){.game = "q"}, &room->assets),
                     STATUS_OK);
    ibsp_room_shader(room->bsp, "textures/base/test", CONTENTS_SOLID);
    bytes_free(&script);
}

static void floor_with(const char *directives, struct quake3_room *room)
{
    room_with(directives, room);
    room->bsp->surfaces[FLOOR].shader = 3;
    light_room(room);
}

static void test_brightness_and_gamma(void **state)
{
    (void)state;
    struct quake3_room plain, bright, curved;
    floor_with("", &plain);
    floor_with("q3map_lightmapBrightness 2", &bright);
    floor_with("q3map_lightmapGamma 2", &curved);
    for (int s = 0; s < 17; s++) {
        int level = floor_luxel(plain.bsp, s, 8);
        assert_near(floor_luxel(bright.bsp, s, 8), 2 * level, 1);
        assert_near(floor_luxel(curved.bsp, s, 8), 255 * sqrt(level / 255.0), 3);
        /* The walls have another shader. */
        assert_int_equal(luxel(bright.bsp, 0, s, 8)[0], luxel(plain.bsp, 0, s, 8)[0]);
    }
    close_room(&plain);
    close_room(&bright);
    close_room(&curved);
}

/* A small patch at a height over the floor that has the shader. */
static void shadowed(const char *directives, float height, struct quake3_room *room)
{
    room_with(directives, room);
    const struct bsp_surface *patch = &room->bsp->surfaces[PATCH];
    for (int i = 0; i < 9; i++) {
        struct bsp_draw_vertex *vertex = &room->bsp->draw_vertices[patch->first_vertex + i];
        vertex->p[0] = 24.0f * (float)(i % 3) - 24;
        vertex->p[1] = 24.0f * (float)(i / 3) - 24;
        vertex->p[2] = height - 128;
    }
    room->bsp->surfaces[PATCH].shader = 0;
    room->bsp->surfaces[FLOOR].shader = 3;
    room->options.quake3.patch_shadows = true;
    light_room(room);
}

/* The largest step between luxels of a row through the shadow. */
static int steepest(const struct bsp *bsp)
{
    int max = 0;
    for (int s = 1; s < 17; s++) {
        int step = floor_luxel(bsp, s, 8) - floor_luxel(bsp, s - 1, 8);
        max = step > max ? step : max;
    }
    return max;
}

static void test_filter_radius(void **state)
{
    (void)state;
    struct quake3_room plain, soft;
    shadowed("", 40, &plain);
    shadowed("q3map_lightmapFilterRadius 64 0", 40, &soft);
    assert_true(steepest(soft.bsp) < steepest(plain.bsp) / 2);
    assert_true(floor_luxel(soft.bsp, 8, 8) > floor_luxel(plain.bsp, 8, 8) + 3);
    close_room(&plain);
    close_room(&soft);
}

/* Light is taken in front of what lies on the surface. */
static void test_sample_offset(void **state)
{
    (void)state;
    struct quake3_room plain, above;
    shadowed("", 4, &plain);
    shadowed("q3map_lightmapSampleOffset 8", 4, &above);
    assert_int_equal(floor_luxel(plain.bsp, 8, 8), 0);
    assert_true(floor_luxel(above.bsp, 8, 8) > 20);
    const struct bsp_surface *surface = &above.bsp->surfaces[FLOOR];
    assert_near(surface->lightmap_origin[2], -128, 1e-3);
    close_room(&plain);
    close_room(&above);
}

/* A model below the patch is lit all the same. */
static void test_no_vertex_shadows(void **state)
{
    (void)state;
    static const char *const directives[] = {"", "q3map_noVertexShadows"};
    for (int lit = 0; lit < 2; lit++) {
        struct quake3_room room;
        room_with(directives[lit], &room);
        const struct bsp_surface *patch = &room.bsp->surfaces[PATCH];
        for (int i = 0; i < 9; i++) {
            struct bsp_draw_vertex *vertex = &room.bsp->draw_vertices[patch->first_vertex + i];
            vertex->p[0] = 100.0f * (float)(i % 3) - 100;
            vertex->p[1] = 100.0f * (float)(i / 3) - 100;
            vertex->p[2] = 60;
        }
        room.bsp->surfaces[PATCH].shader = 0;
        room.bsp->surfaces[MESH].shader = 3;
        room.options.quake3.patch_shadows = true;
        light_room(&room);
        const struct bsp_surface *mesh = &room.bsp->surfaces[MESH];
        assert_int_equal(room.bsp->draw_vertices[mesh->first_vertex].colour[0] > 0, lit);
        close_room(&room);
    }
}

/* Light of the floor below a patch with the shader, whose entity has the number of a group (or
 * SHADOWS_OF_PATCH: none). */
static int below_patch(const char *directives, int group, bool option)
{
    struct quake3_room room;
    struct surface_notes notes = {0};
    room_with(directives, &room);
    const struct bsp_surface *patch = &room.bsp->surfaces[PATCH];
    for (int i = 0; i < 9; i++) {
        struct bsp_draw_vertex *vertex = &room.bsp->draw_vertices[patch->first_vertex + i];
        vertex->p[0] = 24.0f * (float)(i % 3) - 24;
        vertex->p[1] = 24.0f * (float)(i / 3) - 24;
        vertex->p[2] = -88;
    }
    for (ptrdiff_t i = 0; i < arrlen(room.bsp->surfaces); i++)
        arrput(notes.items, ((struct surface_note){16, 0, 1, 1, 0, 0, {0, 0, 0}}));
    notes.items[PATCH].cast_shadows = group;
    room.bsp->surfaces[PATCH].shader = 3;
    room.options.quake3.notes = &notes;
    room.options.quake3.patch_shadows = option;
    light_room(&room);
    int level = floor_luxel(room.bsp, 8, 8);
    close_room(&room);
    surface_notes_free(&notes);
    return level;
}

static void patches_cast_shadows_on_request(void **state)
{
    (void)state;
    int lit = below_patch("", SHADOWS_OF_PATCH, false);
    assert_true(lit > 20);
    assert_int_equal(below_patch("", SHADOWS_OF_PATCH, true), 0);
    assert_int_equal(below_patch("q3map_patchShadows", SHADOWS_OF_PATCH, false), 0);
    assert_int_equal(below_patch("", 1, false), 0);
    assert_int_equal(below_patch("q3map_patchShadows", 0, true), lit);
}

/* Light of a luxel of a surface whose front, or back, faces the lamp. */
static int lit_from(const char *directives, int surface, bool behind)
{
    struct quake3_room room;
    room_with(directives, &room);
    struct bsp_surface *at = &room.bsp->surfaces[surface];
    for (int i = 0; i < at->vertex_count; i++) {
        struct bsp_draw_vertex *vertex = &room.bsp->draw_vertices[at->first_vertex + i];
        if (surface == PATCH) {
            vertex->p[0] = 64.0f * (float)(i % 3) - 64;
            vertex->p[1] = 64.0f * (float)(i / 3) - 64;
        }
        vertex->p[2] = -60;
        vertex->normal[0] = vertex->normal[1] = 0;
        vertex->normal[2] = behind ? -1.0f : 1.0f;
    }
    at->shader = 3;
    light_room(&room);
    int level = luxel(room.bsp, surface, 4, 4)[0];
    close_room(&room);
    return level;
}

/* Surfaces that are drawn from both sides show the light of either. */
static void two_sided_surfaces_are_lit_from_behind(void **state)
{
    (void)state;
    static const int surfaces[] = {FLOOR, PATCH};
    for (int i = 0; i < 2; i++) {
        int front = lit_from("", surfaces[i], false);
        assert_true(front > 20);
        assert_int_equal(lit_from("", surfaces[i], true), 0);
        assert_near(lit_from("cull none", surfaces[i], true), front, 1);
        assert_near(lit_from("cull none", surfaces[i], false), front, 1);
    }
}

static void test_no_dirty(void **state)
{
    (void)state;
    int corner[2];
    for (int clean = 0; clean < 2; clean++) {
        struct quake3_room room;
        room_with(clean ? "q3map_noDirty" : "", &room);
        room.options.occlusion = 1;
        room.options.occlusion_radius = 64;
        room.bsp->surfaces[FLOOR].shader = 3;
        light_room(&room);
        corner[clean] = floor_luxel(room.bsp, 1, 1);
        close_room(&room);
    }
    assert_true(corner[1] > corner[0] + 2);
}

SUITE(test_vrad_quake3_directives)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brightness_and_gamma),
        cmocka_unit_test(test_filter_radius),
        cmocka_unit_test(test_sample_offset),
        cmocka_unit_test(test_no_vertex_shadows),
        cmocka_unit_test(patches_cast_shadows_on_request),
        cmocka_unit_test(two_sided_surfaces_are_lit_from_behind),
        cmocka_unit_test(test_no_dirty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
