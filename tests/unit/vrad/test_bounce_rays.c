/* Ray counts follow the variance of the light. */
#include "tests/support/suite.h"

#include "vrad/bounce/bounce_rays.h"

enum { FACES = 3, SIDE = 9, COUNT = SIDE * SIDE, POINTS = 4, RAYS = 16 };
enum { EVEN, UNEVEN, UNLIT };

/* Luxel 0 of the map is bright, luxel 1 dim. */
struct room {
    struct face_light faces[FACES];
    struct luxel_map map;
    size_t first[FACES + 1];
    float leaving[3 * (FACES * COUNT + 2) + 1], direct[3 * COUNT], secondary[3 * POINTS];
    uint32_t seen[FACES][POINTS * RAYS];
    struct radiosity radiosity;
    struct face_transport traced[FACES];
    struct gather_table table;
    struct transport_rays transport;
    struct bounce_rays rays;
};

/* All rays of the even face hit the bright luxel, every `share`th of the uneven one. */
static void room_make(struct room *room, int share)
{
    *room = (struct room){.table = {.rays = RAYS}};
    for (int i = 0; i < FACES; i++) {
        room->faces[i] = (struct face_light){.width = SIDE,
                                             .height = SIDE,
                                             .count = COUNT,
                                             .slots = 1,
                                             .style_count = 1,
                                             .reflectivity = {1, 1, 1},
                                             .direct = {room->direct}};
        room->first[i + 1] = room->first[i] + COUNT;
        room->traced[i].grid = (struct irradiance_grid){
            .columns = {1, 7}, .rows = {1, 7}, .column_count = 2, .row_count = 2};
        if (i != UNLIT) {
            room->traced[i].seen = room->seen[i];
            room->traced[i].secondary = room->secondary;
        }
    }
    for (int i = 0; i < POINTS * RAYS; i++)
        room->seen[UNEVEN][i] = i % share ? 1 : 0;
    for (int k = 0; k < 3 * FACES * COUNT; k++)
        room->leaving[k] = k / 3 != 1 && k / 3 < COUNT ? 100 : 20;
    room->map = (struct luxel_map){.faces = room->faces, .face_count = FACES};
    room->radiosity =
        (struct radiosity){.map = &room->map, .first = room->first, .leaving = room->leaving};
    room->transport = (struct transport_rays){.radiosity = &room->radiosity,
                                              .of_face = room->traced,
                                              .table = &room->table,
                                              .points = 2 * POINTS};
    const struct env env = {.threads = 1};
    bounce_rays_estimate(&env, &room->transport, BOUNCE_USUAL_MAX, &room->rays);
}

static void even_light_takes_few(void **state)
{
    (void)state;
    struct room room;
    room_make(&room, 2);
    assert_int_equal(bounce_rays_step(&room.rays, EVEN, 4 * SIDE + 4), BOUNCE_MIN);
    assert_int_equal(bounce_rays_step(&room.rays, UNEVEN, 4 * SIDE + 4), 2);
    assert_int_equal(bounce_rays_step(&room.rays, UNLIT, 0), 0);
    bounce_rays_free(&room.rays);
}

/* The same variance matters less next to direct light. */
static void direct_light_counts(void **state)
{
    (void)state;
    struct room room;
    room_make(&room, 2);
    assert_int_equal(bounce_rays_step(&room.rays, UNEVEN, 0), 2);
    bounce_rays_free(&room.rays);
    for (int i = 0; i < 3 * COUNT; i++)
        room.direct[i] = 400;
    const struct env env = {.threads = 1};
    bounce_rays_estimate(&env, &room.transport, BOUNCE_USUAL_MAX, &room.rays);
    assert_int_equal(bounce_rays_step(&room.rays, UNEVEN, 0), BOUNCE_MIN);
    bounce_rays_free(&room.rays);
}

/* A luxel in shadow gets more rays than lit ones of the same face. */
static void shadows_take_more(void **state)
{
    struct room room;
    (void)state;
    room_make(&room, 2);
    for (int i = 0; i < 3 * COUNT; i++)
        room.direct[i] = i < 3 * 40 ? 400 : 0;
    const struct env env = {.threads = 1};
    bounce_rays_free(&room.rays);
    bounce_rays_estimate(&env, &room.transport, BOUNCE_USUAL_MAX, &room.rays);
    assert_true(bounce_rays_step(&room.rays, UNEVEN, 60) >
                bounce_rays_step(&room.rays, UNEVEN, 20));
    bounce_rays_free(&room.rays);
}

static void nothing_learnt_is_the_usual(void **state)
{
    (void)state;
    const struct bounce_rays none = {.scatter = NULL};
    assert_int_equal(bounce_rays_step(&none, 0, 0), 0);
}

SUITE(test_bounce_rays)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_light_takes_few),
        cmocka_unit_test(direct_light_counts),
        cmocka_unit_test(shadows_take_more),
        cmocka_unit_test(nothing_learnt_is_the_usual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
