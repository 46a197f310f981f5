/* Spots that are drawn by the bounds of a cell give, over many draws, what all of them give when
 * each is weighed and gets its own ray. */
#include "tests/support/suite.h"

#include "common/core/random.h"
#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/secondary/hot_light.h"

#define ALBEDO 0.5

enum { DRAWS = 3000, TRIED = 12 };

struct spotted_room {
    struct lit_room room;
    struct radiosity radiosity;
    struct hot_spots hot;
};

/* Patches of the floor, of many strengths. */
static void open_room(struct spotted_room *out)
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
    hot_spots_find(&out->radiosity, &out->hot);
}

static void close_room(struct spotted_room *room)
{
    hot_spots_free(&room->hot);
    radiosity_free(&room->radiosity);
    lit_room_close(&room->room);
}

static struct hot_receiver receiver_at(const struct luxel *luxel, double min, uint64_t seed)
{
    struct hot_receiver to = {.axes = 1, .min = min, .seed = seed};
    to.position = vec3_from_floats(luxel->position);
    to.axis[0] = vec3_from_floats(luxel->normal);
    to.start = vec3_mad(to.position, to.axis[0], SCENE_RAY_OFFSET);
    return to;
}

/* The mean of the draws, and how many rays they took each. */
static double drawn_light(const struct hot_view *view, const struct hot_cell *cell,
                          const struct luxel *luxel, double min, double *rays)
{
    double sum = 0;
    int64_t count = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        float light[3] = {0, 0, 0};
        struct hot_receiver to = receiver_at(luxel, min, hash_u64(i));
        count += hot_cell_light(view, cell, &to, light);
        sum += (double)light[0];
    }
    *rays = (double)count / (double)DRAWS;
    return sum / (double)DRAWS;
}

static void check_luxel(const struct hot_view *view, struct hot_cells *cells, int number)
{
    const struct face_light *face = &view->hot->radiosity->map->faces[cells->face];
    const struct luxel *luxel = &face->luxels[number];
    const struct hot_cell *cell = hot_cells_at(cells, number);
    struct hot_receiver finest = receiver_at(luxel, 1e-6, 1);
    float whole[3] = {0, 0, 0};
    int all = hot_light(view, &finest, whole);
    double rays, drawn = drawn_light(view, cell, luxel, 0.5, &rays);
    assert_true(whole[0] > 0 && arrlen(cell->drawn) > 0);
    assert_near(drawn, (double)whole[0], 0.01 * (double)whole[0]);
    assert_true(rays < 0.7 * all);
}

static void draws_are_right_in_the_mean(void **state)
{
    (void)state;
    struct spotted_room room;
    open_room(&room);
    for (int face = 0; face < 6; face++) {
        const struct face_light *light = &room.room.map.faces[face];
        struct hot_view view;
        struct hot_cells cells;
        if (face == ROOM_FLOOR)
            continue;
        hot_view_of_face(&room.hot, face, &view);
        hot_cells_open(&view, face, &cells);
        assert_true(arrlen(view.parts) > 0);
        for (int i = 0; i < TRIED; i++)
            check_luxel(&view, &cells, (2 * i + 1) * light->count / (2 * TRIED));
        hot_cells_free(&cells);
        hot_view_free(&view);
    }
    close_room(&room);
}

/* Only hot luxels have an excess, which is a part of what leaves them; before the spots it is left
 * out, behind them and by points that see them as surfaces like others it is not. */
static void an_excess_is_left_out_before_spots(void **state)
{
    (void)state;
    struct spotted_room room;
    open_room(&room);
    const struct face_light *floor = &room.room.map.faces[ROOM_FLOOR];
    const struct bounds box = {vec3(-400, -400, -400), vec3(400, 400, 400)};
    struct hot_view view;
    int hot = 0, aimed = 0;
    hot_view_of_box(&room.hot, &box, NULL, 0, &view);
    for (int i = 0; i < floor->count; i++) {
        size_t number = room.radiosity.first[ROOM_FLOOR] + (size_t)i;
        struct vec3 at = vec3_from_floats(floor->luxels[i].position);
        const float *excess = hot_excess(&view, number, vec3_mad(at, floor->normal, 300));
        assert_null(hot_excess(&view, number, vec3_mad(at, floor->normal, -300)));
        assert_null(hot_excess(&view, number, vec3_mad(at, floor->normal, 4)));
        assert_true(!excess || (excess[0] > 0 && excess[0] < floor->direct[0][3 * i] * 0.5f));
        hot += hot_is_marked(&room.hot, number);
        aimed += excess != NULL;
    }
    assert_true(hot > 0 && hot < floor->count && aimed > hot / 2 && aimed <= hot);
    hot_view_free(&view);
    close_room(&room);
}

SUITE(test_hot_cells)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_are_right_in_the_mean),
        cmocka_unit_test(an_excess_is_left_out_before_spots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
