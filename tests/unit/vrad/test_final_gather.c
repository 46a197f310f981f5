/* Tables of directions: even, by sixteenths, and unbiased. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "vrad/bounce/bounce_rays.h"
#include "vrad/bounce/final_gather.h"

static void means(const struct gather_table *table, double mean[3])
{
    int count = 0;
    mean[0] = mean[1] = mean[2] = 0;
    for (int i = 0; i < table->rays * table->variants; i++) {
        for (int k = 0; k < 3; k++)
            mean[k] += (double)table->set[i].direction[k];
        count++;
    }
    for (int k = 0; k < 3; k++)
        mean[k] /= count;
}

static void directions_are_units(void **state)
{
    const enum gather_kind kinds[] = {GATHER_PLAIN, GATHER_BUMPED, GATHER_SPHERE};
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct gather_table table;
        gather_table_init(&table, 64, kinds[kind]);
        assert_int_equal(table.rays, 64);
        for (int i = 0; i < table.rays * table.variants; i++) {
            const float *d = table.set[i].direction;
            assert_near(sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), 1, 1e-5);
            assert_true(kinds[kind] == GATHER_SPHERE || d[2] >= 0);
            assert_true(fabsf(table.set[i].jitter[0]) <= 0.5f);
        }
        gather_table_free(&table);
    }
}

/* The mean height of cosine-weighted directions is 2/3, of uniform ones on a hemisphere 1/2. */
static void heights_are_right(void **state)
{
    static const struct {
        enum gather_kind kind;
        double height;
    } cases[] = {{GATHER_PLAIN, 2.0 / 3}, {GATHER_BUMPED, 7.0 / 12}, {GATHER_SPHERE, 0}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct gather_table table;
        double mean[3];
        gather_table_init(&table, 64, cases[i].kind);
        means(&table, mean);
        assert_near(mean[0], 0, 0.02);
        assert_near(mean[1], 0, 0.02);
        assert_near(mean[2], cases[i].height, 0.02);
        gather_table_free(&table);
    }
}

/* Each part of a plain set covers its own sixteenth of the disk: no two parts of a quarter mix. */
static void parts_follow_each_other(void **state)
{
    struct gather_table table;
    (void)state;
    gather_table_init(&table, 256, GATHER_PLAIN);
    for (int variant = 0; variant < table.variants; variant++) {
        for (int part = 0; part < GATHER_PARTS; part++) {
            const struct gather_ray *rays =
                table.set + variant * table.rays + part * table.rays / GATHER_PARTS;
            double low[2] = {2, 2}, high[2] = {-2, -2};
            for (int i = 0; i < table.rays / GATHER_PARTS; i++)
                for (int k = 0; k < 2; k++) {
                    low[k] = fmin(low[k], (double)rays[i].direction[k]);
                    high[k] = fmax(high[k], (double)rays[i].direction[k]);
                }
            /* A sixteenth of the disk is nowhere wider than half of it. */
            assert_true(high[0] - low[0] < 1 && high[1] - low[1] < 1);
        }
    }
    gather_table_free(&table);
}

/* Ray i of 64 lies in the same sixty-fourth of the disk in all sets. */
static void sets_run_alike(void **state)
{
    struct gather_table table;
    (void)state;
    gather_table_init(&table, 64, GATHER_PLAIN);
    for (int ray = 0; ray < table.rays; ray++) {
        double low[2] = {2, 2}, high[2] = {-2, -2};
        for (int variant = 0; variant < table.variants; variant++)
            for (int k = 0; k < 2; k++) {
                double place = (double)table.set[variant * table.rays + ray].direction[k];
                low[k] = fmin(low[k], place);
                high[k] = fmax(high[k], place);
            }
        assert_true(high[0] - low[0] < 0.5 && high[1] - low[1] < 0.5);
    }
    gather_table_free(&table);
}

/* Ray counts follow the variance of the light. */

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

SUITE(test_final_gather)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_units),    cmocka_unit_test(heights_are_right),
        cmocka_unit_test(parts_follow_each_other), cmocka_unit_test(sets_run_alike),
        cmocka_unit_test(even_light_takes_few),    cmocka_unit_test(direct_light_counts),
        cmocka_unit_test(shadows_take_more),       cmocka_unit_test(nothing_learnt_is_the_usual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
