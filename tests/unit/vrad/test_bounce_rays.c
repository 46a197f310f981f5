/* Points get rays by how far the light scatters there. */
#include "tests/support/suite.h"

#include "vrad/bounce/bounce_rays.h"

enum { FACES = 3, SIDE = 9, COUNT = SIDE * SIDE, POINTS = 4, RAYS = 16 };
enum { EVEN, UNEVEN, UNLIT };

/* Luxel 0 of the map shines, luxel 1 does little. */
struct room {
    struct face_light faces[FACES];
    struct luxel_map map;
    size_t first[FACES + 1];
    float leaving[3 * (FACES * COUNT + 2) + 1], direct[3 * COUNT], hot[3 * POINTS];
    uint32_t seen[FACES][POINTS * RAYS];
    struct radiosity radiosity;
    struct bounce_web web[FACES];
    struct gather_table table;
    struct bounce_webs webs;
    struct bounce_rays rays;
};

/* All rays of the even face meet the light, of the uneven one every `share`th. */
static void room_make(struct room *room, int share)
{
    *room = (struct room){.table = {.rays = RAYS}};
    for (int i = 0; i < FACES; i++) {
        room->faces[i] = (struct face_light){.width = SIDE,
                                             .height = SIDE,
                                             .count = COUNT,
                                             .slots = 1,
                                             .style_count = 1,
                                             .direct = {room->direct}};
        room->first[i + 1] = room->first[i] + COUNT;
        room->web[i].lattice =
            (struct lattice){.columns = {1, 7}, .rows = {1, 7}, .column_count = 2, .row_count = 2};
        if (i != UNLIT) {
            room->web[i].seen = room->seen[i];
            room->web[i].hot = room->hot;
        }
    }
    for (int i = 0; i < POINTS * RAYS; i++)
        room->seen[UNEVEN][i] = i % share ? 1 : 0;
    for (int k = 0; k < 6; k++)
        room->leaving[k] = k < 3 ? 100 : 20;
    room->map = (struct luxel_map){.faces = room->faces, .face_count = FACES};
    room->radiosity =
        (struct radiosity){.map = &room->map, .first = room->first, .leaving = room->leaving};
    room->webs = (struct bounce_webs){.radiosity = &room->radiosity,
                                      .of_face = room->web,
                                      .table = &room->table,
                                      .points = 2 * POINTS};
    const struct env env = {.threads = 1};
    bounce_rays_learn(&env, &room->webs, &room->rays);
}

static void even_light_takes_few(void **state)
{
    (void)state;
    struct room room;
    room_make(&room, 2);
    assert_int_equal(bounce_rays_step(&room.rays, EVEN, 4 * SIDE + 4), BOUNCE_FEWEST);
    assert_int_equal(bounce_rays_step(&room.rays, UNEVEN, 4 * SIDE + 4), BOUNCE_MAX);
    assert_int_equal(bounce_rays_step(&room.rays, UNLIT, 0), 0);
    bounce_rays_free(&room.rays);
}

/* The same scatter matters less where there is light beside it. */
static void direct_light_counts(void **state)
{
    (void)state;
    struct room room;
    room_make(&room, 2);
    assert_int_equal(bounce_rays_step(&room.rays, UNEVEN, 0), BOUNCE_MAX);
    bounce_rays_free(&room.rays);
    for (int i = 0; i < 3 * COUNT; i++)
        room.direct[i] = 200;
    const struct env env = {.threads = 1};
    bounce_rays_learn(&env, &room.webs, &room.rays);
    assert_int_equal(bounce_rays_step(&room.rays, UNEVEN, 0), BOUNCE_FEWEST);
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
        cmocka_unit_test(nothing_learnt_is_the_usual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
