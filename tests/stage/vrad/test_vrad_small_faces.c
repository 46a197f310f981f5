/* Bounced light on faces that are small, many and not quite planar: interpolation between few
 * points loses nothing, and a face does not occlude its own luxels. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"

static const char light_entity[] = "{\n\"classname\" \"light\"\n\"origin\" \"48 40 56\"\n"
                                   "\"_light\" \"255 255 255 200\"\n\"_quadratic_attn\" \"1\"\n}\n";

static void bounce_all(struct lit_room *room)
{
    const struct bounce_options options = {.bounces = 1000, .rays = 1024};
    lit_room_direct(room);
    bounce_light(&room->env, &room->scene, &room->map, &options);
}

/* In closets, where each face has a handful of points and its borders are dark, all light is
 * absorbed in the end. Bounced light is four times the direct light. */
static void small_rooms_keep_energy(void **state)
{
    (void)state;
    static const double sizes[][3] = {{96, 96, 80}, {64, 112, 96}, {160, 48, 128}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct lit_room room;
        const double albedo = 0.8;
        struct vec3 size = vec3(sizes[i][0], sizes[i][1], sizes[i][2]);
        lit_room_open(&room, room_new(size, albedo, NULL), light_entity, 2);
        bounce_all(&room);
        assert_near(lit_room_absorbed(&room, albedo), 1, 0.025);
        lit_room_close(&room);
    }
}

/* Moves a corner of the floor off its plane, as vertex merging may. */
static struct bsp *nonplanar_room(double by)
{
    struct bsp *bsp = room_new(vec3(256, 192, 128), 0.5, NULL);
    const struct bsp_face *floor = &bsp->faces[ROOM_FLOOR];
    int edge = bsp->surfedges[floor->first_edge];
    bsp->vertices[bsp->edges[edge].v[0]].p[2] += (float)by;
    return bsp;
}

static void a_nonplanar_face_does_not_occlude_itself(void **state)
{
    (void)state;
    struct lit_room plane, bent;
    lit_room_open(&plane, nonplanar_room(0), light_entity, 1);
    lit_room_open(&bent, nonplanar_room(0.25), light_entity, 1);
    bounce_all(&plane);
    bounce_all(&bent);
    for (int i = 0; i < plane.map.faces[ROOM_FLOOR].count; i++) {
        double want = lit_room_bounced(&plane, ROOM_FLOOR, i, 0);
        assert_near(lit_room_bounced(&bent, ROOM_FLOOR, i, 0), want, 0.03 * want);
    }
    lit_room_close(&plane);
    lit_room_close(&bent);
}

/* With the minimum number of rays, narrow faces, which take fewer than others, still have some. */
static void few_rays_are_enough_for_a_narrow_face(void **state)
{
    (void)state;
    struct lit_room room;
    const struct bounce_options options = {.bounces = 8, .rays = 16};
    lit_room_open(&room, room_new(vec3(256, 32, 32), 0.5, NULL), light_entity, 1);
    lit_room_fill(&room, 100);
    bounce_light(&room.env, &room.scene, &room.map, &options);
    for (int face = 0; face < 6; face++)
        for (int i = 0; i < room.map.faces[face].count; i++)
            assert_near(lit_room_bounced(&room, face, i, 0), 100 * (1 - 1.0 / 256), 1);
    lit_room_close(&room);
}

SUITE(test_vrad_small_faces)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_rooms_keep_energy),
        cmocka_unit_test(a_nonplanar_face_does_not_occlude_itself),
        cmocka_unit_test(few_rays_are_enough_for_a_narrow_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
