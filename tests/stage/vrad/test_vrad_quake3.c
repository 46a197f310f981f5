/* Lighting of Quake 3 maps against closed forms, in a sealed box of 256 units. */
#include "tests/support/suite.h"

#include "common/bsp/query.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "common/core/memory.h"
#include "common/diag/codes/light_options.def"
#include "common/geom/vec.h"
#include "tests/support/near.h"
#include "tests/support/vrad/quake3_room.h"
#include "vrad/target/quake3/pages/tone_options.h"

#define PI      3.14159265358979324
#define PHOTONS 7500.0

static void run(struct quake3_room *room, struct vrad_options options)
{
    room->options = options;
    light_room(room);
}

static struct vec3 luxel_place(const struct bsp *bsp, int number, int s, int t)
{
    const struct bsp_surface *surface = &bsp->surfaces[number];
    struct vec3 place = vec3_from_floats(surface->lightmap_origin);
    place = vec3_mad(place, vec3_from_floats(surface->lightmap_vectors[0]), s);
    return vec3_mad(place, vec3_from_floats(surface->lightmap_vectors[1]), t);
}

static void test_light_over_floor(void **state)
{
    (void)state;
    struct quake3_room lit = open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 -28\"\n"
                                           "\"light\" \"100\"\n\"_color\" \"1 0.5 0.25\"\n}\n");
    light_room(&lit);
    const struct bsp_surface *floor = &lit.bsp->surfaces[FLOOR];
    /* 256 units in steps of 16, with a luxel on either border. */
    assert_int_equal(floor->lightmap_size[0], 17);
    assert_int_equal(floor->lightmap_size[1], 17);
    for (int t = 1; t < 16; t++)
        for (int s = 1; s < 16; s++) {
            struct vec3 place = luxel_place(lit.bsp, FLOOR, s, t);
            assert_near(place.x, 16 * (s - 8), 1e-3);
            assert_near(place.z, -128, 1e-3);
            struct vec3 way = vec3_sub(vec3(0, 0, -28), place);
            double square = vec3_dot(way, way);
            double light = 100 * PHOTONS / square * way.z / sqrt(square) - 0.5;
            const uint8_t *rgb = luxel(lit.bsp, FLOOR, s, t);
            assert_near(rgb[0], light, 1);
            assert_near(rgb[1], light / 2, 1);
            assert_near(rgb[2], light / 4, 1);
        }
    /* The corner of the surface lies half a luxel inside of the rectangle. */
    const float *st = lit.bsp->draw_vertices[floor->first_vertex].lightmap;
    assert_near(st[0] * (float)PAGE - (float)floor->lightmap_start[0], 0.5, 1e-4);
    /* Vertices have the light of the luxels at them. */
    const struct bsp_draw_vertex *corner = &lit.bsp->draw_vertices[floor->first_vertex];
    assert_near(corner->colour[0], luxel(lit.bsp, FLOOR, 0, 0)[0], 1);
    assert_int_equal(diag_count(lit.env.diag, DIAG_WARNING), 0);
    close_room(&lit);
}

/* 100 * 7500 / 8000 less the distance, at any angle. */
static void test_linear_light(void **state)
{
    (void)state;
    struct quake3_room lit =
        open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 -48\"\n"
                      "\"light\" \"100\"\n\"spawnflags\" \"1\"\n\"fade\" \"0.5\"\n}\n");
    light_room(&lit);
    for (int s = 1; s < 16; s++) {
        double across = 16 * (s - 8), distance = sqrt(across * across + 6400);
        double light = fmax(100 * PHOTONS / 8000 - 0.5 * distance, 0);
        assert_near(luxel(lit.bsp, FLOOR, s, 8)[0], light - 0.5, 1);
    }
    close_room(&lit);
}

/* The minimum distance is 16 units: closer luxels are no brighter. */
static void test_near_light(void **state)
{
    (void)state;
    struct quake3_room lit = open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 -124\"\n"
                                           "\"light\" \"4\"\n}\n");
    light_room(&lit);
    assert_true(luxel(lit.bsp, FLOOR, 8, 8)[0] <= 4 * PHOTONS / 256 + 1);
    assert_true(luxel(lit.bsp, FLOOR, 8, 8)[0] > 40);
    close_room(&lit);
}

/* A cone of 64 units at the target, which the radius may widen. */
static void test_spot(void **state)
{
    (void)state;
    struct quake3_room lit = open_room(
        "", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 72\"\n\"light\" \"300\"\n"
            "\"target\" \"t\"\n\"radius\" \"40\"\n}\n"
            "{\n\"classname\" \"info_null\"\n\"targetname\" \"t\"\n\"origin\" \"0 0 -128\"\n}\n");
    light_room(&lit);
    assert_near(luxel(lit.bsp, FLOOR, 8, 8)[0], 300 * PHOTONS / 40000, 1);
    assert_int_equal(luxel(lit.bsp, FLOOR, 12, 8)[0], 0);
    assert_int_equal(luxel(lit.bsp, 0, 8, 8)[0], 0);
    close_room(&lit);
}

/* A sky over the room, and a sun at 45 degrees: the floor has its cosine, and the wall's shadow. */
static void test_sun(void **state)
{
    (void)state;
    struct quake3_room lit = open_room(
        "", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n\"light\" \"100\"\n\"_sun\" \"1\"\n"
            "\"target\" \"t\"\n}\n"
            "{\n\"classname\" \"info_null\"\n\"targetname\" \"t\"\n\"origin\" \"-64 0 -64\"\n}\n");
    ibsp_room_shader(lit.bsp, "skies/blue", CONTENTS_SOLID);
    lit.bsp->shaders[3].surface_flags = 0x4;
    lit.bsp->surfaces[CEILING].shader = 3;
    light_room(&lit);
    double cosine = sqrt(0.5);
    for (int s = 1; s < 16; s++) {
        int light = luxel(lit.bsp, FLOOR, s, 8)[0];
        /* The sun stands over +x. The room is as high as wide: just the far corner is lit. */
        double x = 16 * (s - 8), leaves = x + 256;
        if (leaves < 120)
            assert_near(light, 100 * cosine, 1);
        else if (leaves > 136)
            assert_int_equal(light, 0);
    }
    assert_near(luxel(lit.bsp, 0, 8, 15)[0], 100 * cosine, 1); /* the wall at -x, high up */
    assert_int_equal(lit.bsp->surfaces[CEILING].lightmap < 0, 1);
    close_room(&lit);
}

static void test_patch(void **state)
{
    (void)state;
    struct quake3_room lit = open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"20 20 110\"\n"
                                           "\"light\" \"100\"\n}\n");
    const struct bsp_surface *patch = &lit.bsp->surfaces[PATCH];
    for (int i = 0; i < 9; i++) {
        struct bsp_draw_vertex *vertex = &lit.bsp->draw_vertices[patch->first_vertex + i];
        vertex->p[0] = 64.0f * (float)(i % 3) - 44;
        vertex->p[1] = 64.0f * (float)(i / 3) - 44;
        vertex->p[2] = 10;
    }
    lit.bsp->surfaces[PATCH].shader = 0;
    lit.options.quake3.patch_shadows = true;
    light_room(&lit);
    assert_int_equal(patch->lightmap_size[0], 9); /* 128 units */
    assert_int_equal(patch->lightmap_size[1], 9);
    for (int i = 0; i < 81; i++) {
        double x = 16 * (i % 9) - 44 - 20, y = 16 * (i / 9) - 44 - 20;
        double square = x * x + y * y + 100 * 100;
        bool rim = i % 9 == 0 || i % 9 == 8 || i / 9 == 0 || i / 9 == 8;
        assert_near(luxel(lit.bsp, PATCH, i % 9, i / 9)[0],
                    100 * PHOTONS / square * 100 / sqrt(square) - 0.5, rim ? 3 : 1);
    }
    /* Control points carry luxel coordinates that run evenly over it. */
    for (int i = 0; i < 9; i++) {
        const float *st = lit.bsp->draw_vertices[patch->first_vertex + i].lightmap;
        assert_near(st[0] * (float)PAGE, patch->lightmap_start[0] + 0.5 + 4 * (i % 3), 1e-3);
        assert_near(st[1] * (float)PAGE, patch->lightmap_start[1] + 0.5 + 4 * (i / 3), 1e-3);
    }
    /* It also casts a shadow. */
    assert_int_equal(luxel(lit.bsp, FLOOR, 9, 9)[0], 0);
    close_room(&lit);
}

/* A model is lit at its vertices, from a unit above them. */
static void test_model(void **state)
{
    (void)state;
    struct quake3_room lit = open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"10 4 80\"\n"
                                           "\"light\" \"100\"\n}\n");
    lit.bsp->surfaces[MESH].shader = 0;
    light_room(&lit);
    const struct bsp_surface *mesh = &lit.bsp->surfaces[MESH];
    assert_int_equal(mesh->lightmap, -3);
    for (int i = 0; i < 3; i++) {
        const struct bsp_draw_vertex *vertex = &lit.bsp->draw_vertices[mesh->first_vertex + i];
        struct vec3 way = vec3_sub(vec3(10, 4, 79), vec3_from_floats(vertex->p));
        double square = vec3_dot(way, way);
        assert_near(vertex->colour[0], 100 * PHOTONS / square * way.z / sqrt(square), 1);
        assert_int_equal(vertex->colour[3], 255);
    }
    close_room(&lit);
}

static struct vec3 grid_direction(const struct bsp_grid_point *point)
{
    double down = point->direction[0] * 2 * PI / 255, around = point->direction[1] * 2 * PI / 255;
    return vec3(sin(down) * cos(around), sin(down) * sin(around), cos(down));
}

/* With a single light all light comes from its direction; with two that face each other, half
 * each. */
static void test_grid(void **state)
{
    (void)state;
    struct quake3_room lit = open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"100 60 90\"\n"
                                           "\"light\" \"40\"\n}\n");
    light_room(&lit);
    assert_int_equal(arrlen(lit.bsp->light_grid), ROOM_GRID);
    for (int i = 0; i < ROOM_GRID; i++) {
        const struct bsp_grid_point *point = &lit.bsp->light_grid[i];
        struct vec3 place = vec3(64 * (i % 5) - 128, 64 * (i / 5 % 5) - 128, 128 * (i / 25) - 128);
        if (fabs(place.x) > 100 || fabs(place.y) > 100 || fabs(place.z) > 100)
            continue; /* on a wall: it moved */
        struct vec3 way = vec3_sub(vec3(100, 60, 90), place);
        double square = vec3_dot(way, way);
        assert_near(point->directed[0], 40 * PHOTONS / square, 1);
        assert_int_equal(point->ambient[0], 1); /* 0 would mean inside a wall */
        double cosine = vec3_dot(grid_direction(point), way) / sqrt(square);
        assert_true(cosine > cos(2 * PI / 180));
    }
    close_room(&lit);
    lit =
        open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"100 0 0\"\n\"light\" \"60\"\n}\n"
                      "{\n\"classname\" \"light\"\n\"origin\" \"-100 0 0\"\n\"light\" \"40\"\n}\n");
    light_room(&lit);
    const struct bsp_grid_point *middle = &lit.bsp->light_grid[25 + 12];
    assert_near(middle->directed[0], 60 * PHOTONS / 1e4, 1);
    /* A quarter of what comes from behind counts twice. */
    assert_near(middle->ambient[0], 40 * PHOTONS / 1e4 / 2, 1);
    close_room(&lit);
}

static void test_world_keys(void **state)
{
    (void)state;
    struct quake3_room lit = open_room("\"_ambient\" \"10\"\n\"_color\" \"1 0.5 0\"\n", "");
    light_room(&lit);
    assert_int_equal(luxel(lit.bsp, FLOOR, 8, 8)[0], 10);
    assert_int_equal(luxel(lit.bsp, FLOOR, 8, 8)[1], 5);
    assert_int_equal(lit.bsp->light_grid[25 + 12].ambient[0], 10);
    /* All walls have one colour: a luxel serves all of them, and the engine wants two pages. */
    assert_int_equal(lit.bsp->surfaces[FLOOR].lightmap_size[0], 1);
    assert_int_equal(lit.bsp->surfaces[0].lightmap_start[0],
                     lit.bsp->surfaces[3].lightmap_start[0]);
    assert_int_equal(lit.bsp->ldr.lighting.size, 2 * bsp_page_bytes(lit.bsp));
    close_room(&lit);
    lit = open_room("\"_minlight\" \"7\"\n\"_mingridlight\" \"9\"\n\"_minvertexlight\" \"11\"\n",
                    "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n\"light\" \"1\"\n}\n");
    light_room(&lit);
    assert_int_equal(luxel(lit.bsp, FLOOR, 0, 0)[0], 7);
    assert_int_equal(lit.bsp->light_grid[25 + 12].ambient[1], 9);
    assert_int_equal(lit.bsp->draw_vertices[lit.bsp->surfaces[FLOOR].first_vertex].colour[2], 11);
    close_room(&lit);
}

/* Light above a byte's range keeps its hue; gamma brightens dark light. */
static void test_tone(void **state)
{
    (void)state;
    static const char light_entity[] = "{\n\"classname\" \"light\"\n\"origin\" \"0 0 -28\"\n"
                                       "\"light\" \"1000\"\n\"_color\" \"1 0.5 0.25\"\n}\n";
    struct quake3_room lit = open_room("", light_entity);
    light_room(&lit);
    const uint8_t *middle = luxel(lit.bsp, FLOOR, 8, 8);
    assert_int_equal(middle[0], 255);
    assert_near(middle[1], 127, 2);
    assert_near(middle[2], 64, 2);
    close_room(&lit);
    lit = open_room("", light_entity);
    struct vrad_options options = lit.options;
    struct tone_options tone = tone_defaults;
    tone.gamma = 2;
    options.quake3.tone = &tone;
    options.quake3.point_scale = 0.1;
    run(&lit, options);
    assert_near(luxel(lit.bsp, FLOOR, 8, 8)[0], 255 * sqrt(75.0 / 255), 1.5);
    assert_near(luxel(lit.bsp, FLOOR, 8, 8)[2], 255 * sqrt(75.0 / 4 / 255), 1.5);
    close_room(&lit);
}

/* Bounces only add light, and no corner stays dark. */
static void test_bounces(void **state)
{
    (void)state;
    static const char light_entity[] = "{\n\"classname\" \"light\"\n\"origin\" \"0 0 -28\"\n"
                                       "\"light\" \"5000\"\n\"target\" \"t\"\n}\n"
                                       "{\n\"classname\" \"info_null\"\n\"targetname\" \"t\"\n"
                                       "\"origin\" \"0 0 -128\"\n}\n";
    struct quake3_room dark = open_room("", light_entity), lit = open_room("", light_entity);
    light_room(&dark);
    run(&lit, vrad_defaults);
    assert_int_equal(luxel(dark.bsp, CEILING, 8, 8)[0], 0);
    assert_true(luxel(lit.bsp, CEILING, 8, 8)[0] > 0);
    for (int i = 0; i < 17 * 17; i++) {
        assert_true(luxel(lit.bsp, CEILING, i % 17, i / 17)[0] > 0);
        assert_true(luxel(lit.bsp, FLOOR, i % 17, i / 17)[0] >=
                    luxel(dark.bsp, FLOOR, i % 17, i / 17)[0]);
    }
    close_room(&dark);
    close_room(&lit);
}

static void test_sample_size(void **state)
{
    (void)state;
    struct quake3_room lit = open_room("\"_keepLights\" \"1\"\n",
                                       "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n}\n");
    struct vrad_options options = lit.options;
    options.quake3.sample_size = 8;
    options.quake3.no_grid = true;
    lit.bsp->light_grid[0].ambient[0] = 77;
    run(&lit, options);
    assert_int_equal(lit.bsp->surfaces[FLOOR].lightmap_size[0], 33);
    assert_int_equal(lit.bsp->light_grid[0].ambient[0], 77);
    /* More luxels than a page has make them coarser: 256 units in at most 127 steps. */
    options.quake3.sample_size = 1;
    run(&lit, options);
    assert_int_equal(lit.bsp->surfaces[FLOOR].lightmap_size[0], 87);
    close_room(&lit);
}

/* Rectangles of different receivers do not overlap, and lie within their page. */
static void test_rectangles(void **state)
{
    (void)state;
    struct quake3_room lit =
        open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"-60 20 60\"\n}\n");
    lit.bsp->surfaces[PATCH].shader = 0;
    light_room(&lit);
    size_t pages = bsp_page_count(lit.bsp);
    unsigned char *taken = memory_zalloc(pages, (size_t)PAGE * PAGE);
    for (int i = 0; i <= PATCH; i++) {
        const struct bsp_surface *surface = &lit.bsp->surfaces[i];
        assert_in_range(surface->lightmap, 0, pages - 1);
        for (int k = 0; k < surface->lightmap_size[0] * surface->lightmap_size[1]; k++) {
            int column = surface->lightmap_start[0] + k % surface->lightmap_size[0];
            int row = surface->lightmap_start[1] + k / surface->lightmap_size[0];
            assert_in_range(column, 0, PAGE - 1);
            assert_in_range(row, 0, PAGE - 1);
            unsigned char *at = &taken[(surface->lightmap * PAGE + row) * PAGE + column];
            assert_int_equal(*at, 0);
            *at = 1;
        }
    }
    memory_free(taken);
    close_room(&lit);
}

/* Two halves of a floor have one rectangle. */
static void test_neighbours_share(void **state)
{
    (void)state;
    struct quake3_room lit = open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n}\n");
    struct bsp *bsp = lit.bsp;
    const struct bsp_surface *wall = &bsp->surfaces[CEILING], *floor = &bsp->surfaces[FLOOR];
    for (int i = 0; i < 4; i++) {
        struct bsp_draw_vertex *one = &bsp->draw_vertices[floor->first_vertex + i];
        struct bsp_draw_vertex *two = &bsp->draw_vertices[wall->first_vertex + i];
        *two = *one;
        one->p[0] = one->p[0] > 0 ? 0 : one->p[0];
        two->p[0] = two->p[0] < 0 ? 0 : two->p[0];
    }
    light_room(&lit);
    assert_int_equal(floor->lightmap_size[0], 17);
    assert_memory_equal(floor->lightmap_start, wall->lightmap_start, sizeof floor->lightmap_start);
    close_room(&lit);
}

static void test_threads_and_ranks(void **state)
{
    (void)state;
    struct bytes first = {0};
    for (int i = 0; i < 5; i++) {
        struct quake3_room lit = open_room(
            "", "{\n\"classname\" \"light\"\n\"origin\" \"50 20 10\"\n}\n"
                "{\n\"classname\" \"light\"\n\"origin\" \"-70 30 -90\"\n\"light\" \"80\"\n}\n");
        struct bytes file = {0};
        lit.env.threads = (const int[]){1, 2, 7, 1, 2}[i];
        lit.ranks = (const int[]){0, 0, 0, 5, 3}[i];
        for (int k = PATCH; k <= MESH; k++)
            lit.bsp->surfaces[k].shader = 0;
        run(&lit, vrad_defaults);
        assert_int_equal(bsp_encode(lit.bsp, lit.bsp->format, "room", lit.env.diag, &file),
                         STATUS_OK);
        if (i == 0)
            bytes_append(&first, file.data, file.size);
        assert_int_equal(file.size, first.size);
        assert_memory_equal(file.data, first.data, file.size);
        bytes_free(&file);
        close_room(&lit);
    }
    bytes_free(&first);
}

static void test_styled_light(void **state)
{
    (void)state;
    struct quake3_room lit = open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n"
                                           "\"style\" \"2\"\n}\n");
    light_room(&lit);
    assert_int_equal(diag_count_code(lit.env.diag, DIAG_LIGHT_STYLED), 1);
    assert_int_equal(luxel(lit.bsp, FLOOR, 8, 8)[0], 0);
    close_room(&lit);
}

/* The spacing of a grid with too many points is increased and stored in worldspawn. */
static void test_grid_limit(void **state)
{
    (void)state;
    struct quake3_room lit = open_room("\"gridsize\" \"8 8 8\"\n", "");
    for (int k = 0; k < 3; k++) {
        lit.bsp->models[0].mins[k] = -1024;
        lit.bsp->models[0].maxs[k] = 1024;
    }
    light_room(&lit);
    assert_int_equal(diag_count_code(lit.env.diag, DIAG_GRID_COARSER), 1);
    arrput(lit.bsp->entities, 0);
    assert_non_null(strstr(lit.bsp->entities, "\"gridsize\" \"24 24 24\""));
    (void)arrpop(lit.bsp->entities);
    assert_int_equal(arrlen(lit.bsp->light_grid), 85 * 85 * 85);
    close_room(&lit);
}

static void test_foreign_options(void **state)
{
    (void)state;
    struct quake3_room lit = open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n}\n");
    struct vrad_options options = lit.options;
    options.hdr = options.final = true;
    struct tone_options tone = tone_defaults;
    tone.gamma = 1.5;
    options.quake3.tone = &tone;
    run(&lit, options);
    assert_int_equal(diag_count_code(lit.env.diag, DIAG_FOREIGN_OPTION), 2);
    assert_string_equal(diag_entry(lit.env.diag, 0)->message, "-hdr does not apply to this map");
    close_room(&lit);
}

/* Where two walls meet, a smoothing angle shades around the corner; without it each wall has its
 * own cosine. */
static void test_shade_angle(void **state)
{
    (void)state;
    for (int smooth = 0; smooth < 2; smooth++) {
        struct quake3_room lit =
            open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n}\n");
        struct vrad_options options = lit.options;
        options.quake3.shade_degrees = smooth ? 100 : 0;
        run(&lit, options);
        const struct bsp_surface *floor = &lit.bsp->surfaces[FLOOR];
        const float *normal = lit.bsp->draw_vertices[floor->first_vertex].normal;
        double part = smooth ? 1 / sqrt(3) : 0;
        assert_near(normal[0], part, 1e-5);
        assert_near(normal[2], smooth ? part : 1, 1e-5);
        int light = luxel(lit.bsp, FLOOR, 1, 1)[0];
        double square = 128 * 128 + 2 * 112 * 112,
               flat = 300 * PHOTONS / square * 128 / sqrt(square);
        assert_true(smooth ? light > flat + 5 : fabs(light - flat) <= 1);
        close_room(&lit);
    }
}

/* Notes beside the map hold luxel sizes, lighting modes and shadow flags, which the format
 * lacks. */
static void test_notes(void **state)
{
    (void)state;
    struct quake3_room lit =
        open_room("", "{\n\"classname\" \"light\"\n\"origin\" \"20 20 110\"\n}\n");
    struct surface_notes notes = {0};
    struct vrad_options options = lit.options;
    for (ptrdiff_t i = 0; i < arrlen(lit.bsp->surfaces); i++)
        arrput(notes.items, ((struct surface_note){16, 0, 1, 1, 0, 0, {0, 0, 0}}));
    notes.items[FLOOR].sample_size = 64;
    notes.items[0].sample_size = 0;
    notes.items[0].ambient[1] = 200;
    notes.items[PATCH].cast_shadows = 0;
    lit.bsp->surfaces[PATCH].shader = 0;
    options.quake3.notes = &notes;
    run(&lit, options);
    assert_int_equal(lit.bsp->surfaces[FLOOR].lightmap_size[0], 5);
    assert_int_equal(lit.bsp->surfaces[0].lightmap, -3);
    const uint8_t *colour = lit.bsp->draw_vertices[lit.bsp->surfaces[0].first_vertex].colour;
    assert_true(colour[0] > 0);
    assert_int_equal(colour[1], colour[0] + 200 < 255 ? colour[0] + 200 : 255);
    assert_true(luxel(lit.bsp, FLOOR, 2, 2)[0] > 20);
    arrfree(notes.items);
    close_room(&lit);
}

SUITE(test_vrad_quake3)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_light_over_floor),
        cmocka_unit_test(test_linear_light),
        cmocka_unit_test(test_near_light),
        cmocka_unit_test(test_spot),
        cmocka_unit_test(test_sun),
        cmocka_unit_test(test_patch),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_world_keys),
        cmocka_unit_test(test_tone),
        cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_sample_size),
        cmocka_unit_test(test_rectangles),
        cmocka_unit_test(test_neighbours_share),
        cmocka_unit_test(test_threads_and_ranks),
        cmocka_unit_test(test_styled_light),
        cmocka_unit_test(test_grid_limit),
        cmocka_unit_test(test_foreign_options),
        cmocka_unit_test(test_shade_angle),
        cmocka_unit_test(test_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
