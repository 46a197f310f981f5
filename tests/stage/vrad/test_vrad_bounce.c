/* Bounced light against closed forms and the balance of energy, in rooms made in memory. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/luxels/bounced.h"

static void bounce_by(struct lit_room *room, int bounces, struct vec3 sky, int rays)
{
    const struct bounce_options options = {.bounces = bounces, .sky = sky, .rays = rays};
    bounce_light(&room->env, &room->scene, &room->map, &options);
}

static void bounce(struct lit_room *room, int bounces, struct vec3 sky)
{
    bounce_by(room, bounces, sky, 0);
}

static const struct vec3 no_sky = {{{0, 0, 0}}};

/* If all surfaces are alike, light E on each of them becomes E / (1 - a) everywhere. */
static void white_furnace(void **state)
{
    static const double albedos[] = {0.2, 0.5, 0.9};
    static const int flags[6] = {[ROOM_LOW_Y] = SURFACE_BUMPLIGHT};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct lit_room room;
        lit_room_open(&room, room_new(vec3(256, 192, 128), albedos[i], flags), "", 2);
        lit_room_fill(&room, 10);
        bounce(&room, 1000, no_sky);
        double want = 10 / (1 - albedos[i]);
        for (int face = 0; face < 6; face++)
            for (int k = 0; k < room.map.faces[face].count; k++)
                assert_near(lit_room_total(&room, face, k), want, want * 0.005);
        /* A bump map's direction sees (1 + 1 / sqrt 3) / 2 of the hemisphere. */
        for (int slot = 1; slot < LUXEL_SLOTS; slot++)
            for (int k = 0; k < room.map.faces[ROOM_LOW_Y].count; k++)
                assert_near(lit_room_bounced(&room, ROOM_LOW_Y, k, slot), (want - 10) * 0.788675,
                            want * 0.005);
        lit_room_close(&room);
    }
}

/* After n bounces: E (a + a^2 + ... + a^n). */
static void bounces_are_counted(void **state)
{
    (void)state;
    for (int bounces = 1; bounces <= 4; bounces++) {
        struct lit_room room;
        lit_room_open(&room, room_new(vec3(128, 128, 128), 0.5, NULL), "", 1);
        lit_room_fill(&room, 64);
        bounce(&room, bounces, no_sky);
        assert_near(lit_room_bounced(&room, ROOM_FLOOR, 40, 0), 64 * (1 - pow(0.5, bounces)), 1e-3);
        lit_room_close(&room);
    }
}

static void no_bounces_no_light(void **state)
{
    struct lit_room room;
    (void)state;
    lit_room_open(&room, room_new(vec3(128, 128, 128), 0.5, NULL), "", 1);
    lit_room_fill(&room, 64);
    bounce(&room, 0, no_sky);
    assert_null(room.map.faces[ROOM_FLOOR].indirect);
    lit_room_close(&room);
}

/* In a closed room all light is absorbed in the end. */
static void energy_is_kept(void **state)
{
    static const char light_entity[] =
        "{\n\"classname\" \"light\"\n\"origin\" \"90 300 200\"\n"
        "\"_light\" \"255 255 255 200\"\n\"_quadratic_attn\" \"1\"\n}\n";
    struct lit_room room;
    const double albedo = 0.7;
    (void)state;
    lit_room_open(&room, room_new(vec3(512, 384, 256), albedo, NULL), light_entity, 2);
    lit_room_direct(&room);
    bounce(&room, 1000, no_sky);
    assert_near(lit_room_absorbed(&room, albedo), 1, 0.01);
    lit_room_close(&room);
}

/* The view factor from a point to a parallel rectangle, a by b, over whose corner it lies at
 * distance h. */
static double corner_factor(double a, double b, double h)
{
    double x = a / h, y = b / h, u = sqrt(1 + x * x), v = sqrt(1 + y * y);
    return (x / u * atan(y / u) + y / v * atan(x / v)) / (2 * 3.14159265358979);
}

/* The same to a square of side a, at height a, from the point (x, y) below it. */
static double overhead_factor(double x, double y, double a)
{
    return corner_factor(x, y, a) + corner_factor(a - x, y, a) + corner_factor(x, a - y, a) +
           corner_factor(a - x, a - y, a);
}

/* One bounce off a bright ceiling. */
static void one_wall_emits(void **state)
{
    struct lit_room room;
    const double a = 256;
    (void)state;
    lit_room_open(&room, room_new(vec3(a, a, a), 0.5, NULL), "", 1);
    lit_room_fill(&room, 0);
    struct face_light *ceiling = &room.map.faces[ROOM_CEILING];
    for (int i = 0; i < 3 * ceiling->count; i++)
        ceiling->direct[0][i] = 100;
    bounce(&room, 1, no_sky);
    /* The middles of the visible parts of the luxels, 252 of 256 in the last ones. */
    double sum = 0, wanted = 0;
    for (int s = 0; s <= 16; s++) {
        for (int t = 0; t <= 16; t++) {
            double x = fmin(fmax(16 * s, 4), a - 4), y = fmin(fmax(16 * t, 4), a - 4);
            double want = 50 * overhead_factor(x, y, a);
            double got = lit_room_bounced(&room, ROOM_FLOOR, t * 17 + s, 0);
            assert_near(got, want, 0.15 * want);
            sum += got;
            wanted += want;
        }
    }
    assert_near(sum / wanted, 1, 0.02);
    lit_room_close(&room);
}

/* A wall without faces of its own stands on the floor, which is one face: beyond it is dark, up to
 * the wall. */
static void light_does_not_leak_under_walls(void **state)
{
    struct lit_room room;
    struct bsp *bsp = room_new(vec3(512, 256, 128), 0.8, NULL);
    (void)state;
    room_add_box(bsp, vec3(240, 0, 0), vec3(272, 256, 128));
    lit_room_open(&room, bsp, "", 1);
    lit_room_fill(&room, 0);
    struct face_light *wall = &room.map.faces[ROOM_LOW_X];
    for (int i = 0; i < 3 * wall->count; i++)
        wall->direct[0][i] = 1000;
    bounce(&room, 1000, no_sky);
    const struct face_light *floor = &room.map.faces[ROOM_FLOOR];
    for (int k = 0; k < floor->count; k++) {
        double light = lit_room_bounced(&room, ROOM_FLOOR, k, 0);
        double x = (double)floor->luxels[k].position[0];
        if (x > 272)
            assert_near(light, 0, 1e-6);
        else if (x < 200)
            assert_true(light > 1);
    }
    lit_room_close(&room);
}

static const int open_ceiling[6] = {[ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};

static void sky_may_come_with_the_bounces(void **state)
{
    struct lit_room room;
    const double a = 256;
    (void)state;
    lit_room_open(&room, room_new(vec3(a, a, a), 0.6, open_ceiling), "", 1);
    lit_room_fill(&room, 0);
    bounce_by(&room, 0, vec3(100, 100, 100), 128);
    double sum = 0, wanted = 0;
    for (int s = 1; s < 16; s++) {
        for (int t = 1; t < 16; t++) {
            double x = 16 * s, y = 16 * t;
            double want = 100 * (corner_factor(x, y, a) + corner_factor(a - x, y, a) +
                                 corner_factor(x, a - y, a) + corner_factor(a - x, a - y, a));
            double got = lit_room_bounced(&room, ROOM_FLOOR, t * 17 + s, 0);
            assert_near(got, want, 0.12 * want);
            sum += got;
            wanted += want;
        }
    }
    assert_near(sum / wanted, 1, 0.02);
    lit_room_close(&room);
}

/* The gathered sky light bounces like light that was there before. */
static void gathered_sky_bounces(void **state)
{
    struct lit_room sky, twice;
    double sum = 0, wanted = 0;
    (void)state;
    lit_room_open(&sky, room_new(vec3(256, 256, 256), 0.6, open_ceiling), "", 1);
    lit_room_fill(&sky, 0);
    bounce(&sky, 2, vec3(100, 100, 100));
    lit_room_open(&twice, room_new(vec3(256, 256, 256), 0.6, open_ceiling), "", 1);
    lit_room_fill(&twice, 0);
    bounce(&twice, 0, vec3(100, 100, 100));
    for (int i = 0; i < twice.map.face_count; i++) {
        struct face_light *face = &twice.map.faces[i];
        if (face->width > 0)
            memcpy(face->direct[0], face->indirect, 3 * sizeof(float) * (size_t)face->count);
        bounced_free(face);
    }
    bounce(&twice, 2, no_sky);
    for (int k = 0; k < 17 * 17; k++) {
        sum += lit_room_bounced(&sky, ROOM_FLOOR, k, 0);
        wanted += lit_room_total(&twice, ROOM_FLOOR, k);
    }
    assert_near(sum / wanted, 1, 0.02);
    lit_room_close(&sky);
    lit_room_close(&twice);
}

/* A sheet of water across the room at height 48, seen from above. */
static void add_water(struct bsp *bsp, double width, double depth)
{
    struct bsp_face face = bsp->faces[ROOM_FLOOR];
    const struct vec3 corners[4] = {
        {{{0, 0, 48}}}, {{{0, depth, 48}}}, {{{width, depth, 48}}}, {{{width, 0, 48}}}};
    face.plane = room_plane(bsp, 2, 1, 48);
    face.texinfo = room_texinfo(bsp, 2, SURFACE_WARP | SURFACE_NOLIGHT);
    face.first_edge = (int32_t)arrlen(bsp->surfedges);
    for (int i = 0; i < 4; i++)
        room_edge(bsp, corners[i]);
    arrput(bsp->faces, face);
    bsp->models[0].face_count++;
}

/* Water is clear, also where a solid ends level with its surface. */
static void water_casts_no_shadow(void **state)
{
    struct lit_room room;
    struct bsp *bsp = room_new(vec3(256, 256, 192), 0.5, NULL);
    (void)state;
    room_add_box(bsp, vec3(32, 32, 0), vec3(64, 64, 48));
    add_water(bsp, 256, 256);
    lit_room_open(&room, bsp, "", 1);
    const struct trace_ray up = {{150, 160, 10}, {0, 0, 1}, 0, INFINITY};
    const struct trace_ray down = {{150, 160, 100}, {0, 0, -1}, 0, INFINITY};
    struct scene_hit hit;
    scene_hit_many(&room.scene, &up, 1, false, &hit);
    assert_int_equal(hit.face, ROOM_CEILING);
    scene_hit_many(&room.scene, &down, 1, false, &hit);
    assert_int_equal(hit.face, ROOM_FLOOR);
    lit_room_close(&room);
}

static void threads_do_not_matter(void **state)
{
    static const int flags[6] = {[ROOM_LOW_X] = SURFACE_BUMPLIGHT};
    static const char light_entity[] =
        "{\n\"classname\" \"light\"\n\"origin\" \"90 60 100\"\n"
        "\"_light\" \"255 200 100 200\"\n\"_quadratic_attn\" \"1\"\n}\n";
    static const int threads[] = {1, 2, 7};
    struct bytes first = {0};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct lit_room room;
        struct bsp *bsp = room_new(vec3(384, 256, 128), 0.6, flags);
        room_add_box(bsp, vec3(200, 100, 0), vec3(232, 132, 90));
        lit_room_open(&room, bsp, light_entity, threads[i]);
        lit_room_direct(&room);
        bounce(&room, 100, no_sky);
        struct bytes all = {0};
        for (int face = 0; face < 6; face++) {
            const struct face_light *light = &room.map.faces[face];
            bytes_append(&all, light->indirect,
                         3 * sizeof(float) * (size_t)light->slots * (size_t)light->count);
        }
        if (!i)
            bytes_append(&first, all.data, all.size);
        assert_int_equal(all.size, first.size);
        assert_memory_equal(all.data, first.data, first.size);
        bytes_free(&all);
        lit_room_close(&room);
    }
    bytes_free(&first);
}

SUITE(test_vrad_bounce)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(white_furnace),
        cmocka_unit_test(bounces_are_counted),
        cmocka_unit_test(no_bounces_no_light),
        cmocka_unit_test(energy_is_kept),
        cmocka_unit_test(one_wall_emits),
        cmocka_unit_test(light_does_not_leak_under_walls),
        cmocka_unit_test(sky_may_come_with_the_bounces),
        cmocka_unit_test(gathered_sky_bounces),
        cmocka_unit_test(water_casts_no_shadow),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
