/* A small bright square in a dark room: its light on the walls, against the sum over its luxels.
 * Rays in all directions would hit it a few times, or not at all. */
#include "tests/support/suite.h"

#include "common/core/random.h"
#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/secondary/next_event.h"

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

/* Importance sampling within a cell has the expectation of evaluating all lights, each with its own
 * ray. */

enum { DRAWS = 3000, TRIED = 12 };

struct secondary_room {
    struct lit_room room;
    struct radiosity radiosity;
    struct secondary_lights secondary;
};

/* Patches of the floor, of many intensities. */
static void open_room(struct secondary_room *out)
{
    lit_room_open(&out->room, room_new(vec3(768, 640, 320), ALBEDO, NULL), "", 1);
    lit_room_fill(&out->room, 1);
    struct face_light *floor = &out->room.map.faces[ROOM_FLOOR];
    for (int i = 0; i < floor->count; i++) {
        uint64_t random =
            hash_u64((uint64_t)(i % floor->width / 4 + 1000 * (i / floor->width / 4)));
        float bright = random % 3 ? 1 : (float)(random >> 8 & 1023) * 4;
        for (int k = 0; k < 3; k++)
            floor->direct[0][3 * i + k] = bright;
    }
    radiosity_init(&out->radiosity, &out->room.scene, &out->room.map, vec3(0, 0, 0));
    secondary_lights_find(&out->radiosity, &out->secondary);
}

static void close_room(struct secondary_room *room)
{
    secondary_lights_free(&room->secondary);
    radiosity_free(&room->radiosity);
    lit_room_close(&room->room);
}

static struct next_event_receiver receiver_at(const struct face_light *face,
                                              const struct luxel *luxel, double min, uint64_t seed)
{
    struct next_event_receiver to = {.axes = 1, .min = min, .seed = seed};
    to.position = vec3_from_floats(luxel->position);
    to.axis[0] = vec3_from_floats(luxel_normal(face, luxel));
    to.start = vec3_mad(to.position, to.axis[0], SCENE_RAY_OFFSET);
    return to;
}

/* The mean of the samples, and of their rays. */
static double sampled_light(const struct culled_lights *view, const struct light_cell *cell,
                            const struct face_light *face, const struct luxel *luxel, double min,
                            double *rays)
{
    double sum = 0;
    int64_t count = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        float light[3] = {0, 0, 0};
        struct next_event_receiver to = receiver_at(face, luxel, min, hash_u64(i));
        count += next_event_cell_light(view, cell, &to, light);
        sum += (double)light[0];
    }
    *rays = (double)count / (double)DRAWS;
    return sum / (double)DRAWS;
}

static void check_luxel(const struct culled_lights *view, struct light_cells *cells, int number)
{
    const struct face_light *face = &view->secondary->radiosity->map->faces[cells->face];
    const struct luxel *luxel = &face->luxels[number];
    const struct light_cell *cell = light_cells_at(cells, number);
    struct next_event_receiver finest = receiver_at(face, luxel, 1e-6, 1);
    float whole[3] = {0, 0, 0};
    int all = next_event_light(view, &finest, whole);
    double rays, drawn = sampled_light(view, cell, face, luxel, 0.5, &rays);
    assert_true(whole[0] > 0 && arrlen(cell->drawn) > 0);
    assert_near(drawn, (double)whole[0], 0.01 * (double)whole[0]);
    assert_true(rays < 0.7 * all);
}

static void draws_are_right_in_the_mean(void **state)
{
    (void)state;
    struct secondary_room room;
    open_room(&room);
    for (int face = 0; face < 6; face++) {
        const struct face_light *light = &room.room.map.faces[face];
        struct culled_lights view;
        struct light_cells cells;
        if (face == ROOM_FLOOR)
            continue;
        culled_lights_of_face(&room.secondary, face, &view);
        light_cells_open(&view, face, &cells);
        assert_true(arrlen(view.parts) > 0);
        for (int i = 0; i < TRIED; i++)
            check_luxel(&view, &cells, (2 * i + 1) * light->count / (2 * TRIED));
        light_cells_free(&cells);
        culled_lights_free(&view);
    }
    close_room(&room);
}

/* Only luxels of lights have a residual, a part of their radiosity; it is left out for points that
 * sample the light, but not behind it or near it. */
static void residuals_are_left_out_before_lights(void **state)
{
    (void)state;
    struct secondary_room room;
    open_room(&room);
    const struct face_light *floor = &room.room.map.faces[ROOM_FLOOR];
    const struct bounds box = {vec3(-400, -400, -400), vec3(400, 400, 400)};
    struct culled_lights view;
    int secondary = 0, aimed = 0;
    culled_lights_of_box(&room.secondary, &box, NULL, 0, &view);
    for (int i = 0; i < floor->count; i++) {
        size_t number = room.radiosity.first[ROOM_FLOOR] + (size_t)i;
        struct vec3 at = vec3_from_floats(floor->luxels[i].position);
        const float *excess = secondary_residual(&view, number, vec3_mad(at, floor->normal, 300));
        assert_null(secondary_residual(&view, number, vec3_mad(at, floor->normal, -300)));
        assert_null(secondary_residual(&view, number, vec3_mad(at, floor->normal, 4)));
        assert_true(!excess || (excess[0] > 0 && excess[0] < floor->direct[0][3 * i] * 0.5f));
        secondary += secondary_is_marked(&room.secondary, number);
        aimed += excess != NULL;
    }
    assert_true(secondary > 0 && secondary < floor->count && aimed > secondary / 2 &&
                aimed <= secondary);
    culled_lights_free(&view);
    close_room(&room);
}

/* A receiver of great brightness of its own: steps beyond all lights, and beyond what an int
 * holds. */
static void a_ray_may_be_worth_more_than_all_lights(void **state)
{
    (void)state;
    static const double worths[] = {1e9, 3e9, 1e12, 1e30, 1e38};
    struct secondary_room room;
    struct culled_lights view;
    struct light_cells cells;
    open_room(&room);
    const struct face_light *face = &room.room.map.faces[ROOM_CEILING];
    culled_lights_of_face(&room.secondary, ROOM_CEILING, &view);
    light_cells_open(&view, ROOM_CEILING, &cells);
    for (int i = 0; i < face->count; i += 37) {
        const struct light_cell *cell = light_cells_at(&cells, i);
        assert_true(arrlen(cell->drawn) > 0);
        for (size_t k = 0; k < sizeof worths / sizeof *worths; k++) {
            float light[3] = {0, 0, 0};
            struct next_event_receiver to =
                receiver_at(face, &face->luxels[i], worths[k], hash_u64((uint64_t)i));
            assert_int_equal(next_event_cell_light(&view, cell, &to, light), 0);
        }
    }
    light_cells_free(&cells);
    culled_lights_free(&view);
    close_room(&room);
}

SUITE(test_vrad_secondary_lights)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_luxel_samples_a_secondary_light),
        cmocka_unit_test(a_light_may_span_squares),
        cmocka_unit_test(draws_are_right_in_the_mean),
        cmocka_unit_test(residuals_are_left_out_before_lights),
        cmocka_unit_test(a_ray_may_be_worth_more_than_all_lights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
