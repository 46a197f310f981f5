/* A small bright square in a dark room: its light on the walls, against the sum over its luxels.
 * Rays in all directions would hit it a few times, or not at all. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"

enum { SIDE = 4 };

#define ALBEDO 0.5
#define BRIGHT 8000.0

static struct vec3 position_of(const struct luxel *luxel)
{
    return vec3((double)luxel->position[0], (double)luxel->position[1], (double)luxel->position[2]);
}

/* Lights a square of the floor, from luxel (s, t) on. */
static void light_square(struct lit_room *room, int s, int t)
{
    struct face_light *floor = &room->map.faces[ROOM_FLOOR];
    lit_room_fill(room, 0);
    for (int j = t; j < t + SIDE; j++)
        for (int i = s; i < s + SIDE; i++)
            for (int k = 0; k < 3; k++)
                floor->direct[0][3 * (j * floor->width + i) + k] = (float)BRIGHT;
}

/* The reflected light of the floor at a luxel, by the form factor of each luxel of the floor. */
static double thrown_on(const struct lit_room *room, int face, const struct luxel *luxel)
{
    const struct face_light *floor = &room->map.faces[ROOM_FLOOR];
    struct vec3 normal = room->map.faces[face].normal, to = position_of(luxel);
    double sum = 0;
    for (int i = 0; i < floor->count; i++) {
        struct vec3 way = vec3_sub(to, position_of(&floor->luxels[i]));
        double square = vec3_dot(way, way), out = vec3_dot(way, floor->normal);
        double in = -vec3_dot(way, normal);
        if (floor->direct[0][3 * i] > 0 && in > 0 && out > 0)
            sum += ALBEDO * (double)floor->direct[0][3 * i] * (double)floor->luxels[i].area * in *
                   out / (3.14159265358979 * square * square);
    }
    return sum;
}

static void bounce_once(struct lit_room *room)
{
    const struct bounce_options options = {.bounces = 1};
    bounce_light(&room->env, &room->scene, &room->map, &options);
}

/* Luxels of a face with all of their square on it, far enough for the sum to be exact. */
static bool is_far(const struct lit_room *room, const struct luxel *luxel, struct vec3 middle)
{
    const struct face_light *floor = &room->map.faces[ROOM_FLOOR];
    double whole = vec3_length(vec3_cross(floor->axis[0], floor->axis[1]));
    return (double)luxel->area > 0.999 * whole && vec3_distance(position_of(luxel), middle) > 200;
}

static void check_walls(const struct lit_room *room, struct vec3 middle)
{
    for (int face = 0; face < 6; face++) {
        const struct face_light *light = &room->map.faces[face];
        double got = 0, want = 0;
        for (int i = 0; i < light->count && face != ROOM_FLOOR; i++) {
            if (!is_far(room, &light->luxels[i], middle))
                continue;
            double here = thrown_on(room, face, &light->luxels[i]);
            double bounced = lit_room_bounced(room, face, i, 0);
            /* Interpolated light may be off by the tolerance. */
            assert_near(bounced, here, fmax(0.25 * here, 1));
            got += bounced;
            want += here;
        }
        assert_near(got, want, 0.02 * want);
    }
}

static void every_luxel_samples_a_secondary_light(void **state)
{
    (void)state;
    struct lit_room room;
    lit_room_open(&room, room_new(vec3(512, 384, 256), ALBEDO, NULL), "", 2);
    light_square(&room, 12, 8);
    bounce_once(&room);
    const struct face_light *floor = &room.map.faces[ROOM_FLOOR];
    check_walls(&room, position_of(&floor->luxels[10 * floor->width + 14]));
    lit_room_close(&room);
}

/* A bright square that spans two squares of lights: each takes a part. */
static void a_light_may_span_squares(void **state)
{
    (void)state;
    struct lit_room room;
    lit_room_open(&room, room_new(vec3(512, 384, 256), ALBEDO, NULL), "", 1);
    light_square(&room, 14, 10);
    bounce_once(&room);
    const struct face_light *floor = &room.map.faces[ROOM_FLOOR];
    check_walls(&room, position_of(&floor->luxels[12 * floor->width + 16]));
    lit_room_close(&room);
}

SUITE(test_vrad_secondary_lights)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_luxel_samples_a_secondary_light),
        cmocka_unit_test(a_light_may_span_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
