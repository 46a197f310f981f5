/* The subluxel that a ray hits. */
#include "tests/support/suite.h"

#include "vrad/luxels/radiosity.h"

enum { WIDTH = 3, HEIGHT = 2, LUXELS = WIDTH * HEIGHT, SIDE = 4, PARTS = SIDE * SIDE };

/* A face of which luxels 1 and 4 are split, each into 4 * 4. */
struct split_face {
    struct radiosity_place places[1 - SCENE_SKY];
    size_t first[2];
    struct face_light face;
    struct luxel_map map;
    struct split_luxel luxels[2];
    struct subluxels subluxels;
    struct radiosity radiosity;
};

static void open_face(struct split_face *at)
{
    *at = (struct split_face){.first = {0, LUXELS},
                              .face = {.width = WIDTH, .height = HEIGHT, .count = LUXELS},
                              .luxels = {{0, 0, 1, SIDE}, {PARTS, 0, 4, SIDE}}};
    at->places[-SCENE_SKY] = (struct radiosity_place){0, WIDTH - 1, HEIGHT - 1};
    at->map = (struct luxel_map){.faces = &at->face, .face_count = 1};
    at->subluxels = (struct subluxels){.split = luxel_set_new(LUXELS + 2),
                                       .luxels = at->luxels,
                                       .luxel_count = 2,
                                       .count = 2 * PARTS};
    luxel_set_add(&at->subluxels.split, 1);
    luxel_set_add(&at->subluxels.split, 4);
    (void)luxel_set_rank_all(&at->subluxels.split);
    at->radiosity = (struct radiosity){
        .map = &at->map, .subluxels = &at->subluxels, .first = at->first, .places = at->places};
}

static size_t seen(const struct split_face *at, float s, float t)
{
    const struct scene_hit hit = {.face = 0, .s = s, .t = t};
    return radiosity_seen(&at->radiosity, &hit);
}

static void a_luxel_that_is_whole_is_seen_as_one(void **state)
{
    struct split_face at;
    (void)state;
    open_face(&at);
    assert_int_equal(seen(&at, 0.4f, 0), 0);
    assert_int_equal(seen(&at, 2.2f, 1.3f), 5);
    luxel_set_free(&at.subluxels.split);
}

static void a_split_one_is_seen_by_its_part(void **state)
{
    struct split_face at;
    (void)state;
    open_face(&at);
    size_t first = radiosity_subluxel(&at.radiosity, 0);
    assert_int_equal(first, LUXELS + 2);
    assert_int_equal(seen(&at, 0.51f, -0.49f), first);
    assert_int_equal(seen(&at, 1.49f, 0.49f), first + PARTS - 1);
    assert_int_equal(seen(&at, 1.1f, 0.51f), first + PARTS + 2);
    assert_int_equal(seen(&at, 1.1f, 9), first + 2 * PARTS - 2); /* beyond the last row */
    assert_int_equal(radiosity_count(&at.radiosity), first + 2 * PARTS);
    luxel_set_free(&at.subluxels.split);
}

static void parts_belong_to_their_luxel(void **state)
{
    struct split_face at;
    (void)state;
    open_face(&at);
    size_t first = radiosity_subluxel(&at.radiosity, 0);
    for (size_t i = 0; i < 2 * PARTS; i++)
        assert_int_equal(radiosity_whole(&at.radiosity, first + i), i < PARTS ? 1 : 4);
    for (size_t i = 0; i < first; i++)
        assert_int_equal(radiosity_whole(&at.radiosity, i), i);
    luxel_set_free(&at.subluxels.split);
}

SUITE(test_subluxels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_luxel_that_is_whole_is_seen_as_one),
        cmocka_unit_test(a_split_one_is_seen_by_its_part),
        cmocka_unit_test(parts_belong_to_their_luxel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
