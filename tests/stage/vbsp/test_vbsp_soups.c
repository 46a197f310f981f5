/* Random maps, checked against their brushes. */
#include "tests/support/suite.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/long_form.h"
#include "tests/support/vbsp/soup_checks.h"

enum { FEW = 100, SOUPS = 1000 };

enum { POINTS = 100 };

static struct soup *compile(uint64_t seed, bool no_tjunc)
{
    struct soup *soup = soup_new();
    soup_make(&soup->map, seed, NULL, false);
    soup->map.options.no_tjunc = no_tjunc;
    text_map_compile(&soup->map, STATUS_OK);
    soup_read_brushes(soup);
    return soup;
}

static void soups_are_what_their_brushes_say(void **state)
{
    (void)state;
    int told = 0, count = long_form(FEW, SOUPS);
    for (uint64_t seed = 0; seed < (uint64_t)count; seed++) {
        struct soup *soup = compile(seed, false);
        soup_flood(soup);
        for (uint64_t i = 0; i < POINTS; i++) {
            soup_check_contents(soup, soup_point(soup, seed, i), 0.1);
            struct soup_sample sample = soup_sample(soup, seed, i);
            told += soup_check_faces(soup, &sample, 0.5);
        }
        assert_int_equal(soup_open_edges(soup), 0);
        soup_free(soup);
    }
    assert_true(told > count * POINTS / 4);
}

/* Errors of a lattice of 8 units at edges are random and cancel over many maps. */
static void faces_have_the_area_that_brushes_show(void **state)
{
    (void)state;
    double faces = 0, low = 0, high = 0;
    for (uint64_t seed = 0; seed < (uint64_t)long_form(FEW, SOUPS) / 10; seed++) {
        struct soup *soup = compile(seed, false);
        soup_flood(soup);
        struct soup_area area = soup_count_area(soup, 8, seed);
        double of_faces = soup_face_area(soup);
        assert_true(of_faces > 0.99 * area.shown);
        assert_true(of_faces < 1.01 * (area.shown + area.unknown));
        faces += of_faces;
        low += area.shown;
        high += area.shown + area.unknown;
        soup_free(soup);
    }
    assert_true(high < 1.01 * low);
    assert_true(faces > 0.999 * low && faces < 1.001 * high);
}

/* The same map elsewhere: turned, mirrored, shifted, written in another order. Columns of blocks
 * cut the world every 1024 units. A shift by whole columns moves the cuts too; with another one
 * they fall elsewhere, and where one comes within EPSILON_WELD of a corner, the two are welded. */
static const struct {
    struct text_move move;
    bool backwards;
    double slack;
} moves[] = {
    {{{0, 1, 2}, {1, 1, 1}, {0, 0, 0}}, true, 1e-6},
    {{{0, 1, 2}, {1, 1, 1}, {4096, -1024, 2048}}, false, 1e-6},
    {{{1, 0, 2}, {-1, 1, 1}, {0, 0, 0}}, false, 1e-6},
    {{{2, 0, 1}, {1, 1, 1}, {1024, 2048, -1024}}, false, 1e-6},
    {{{0, 1, 2}, {-1, 1, 1}, {0, 0, 77}}, false, 1e-6},
    {{{0, 1, 2}, {-1, -1, -1}, {1024, 0, 3072}}, true, 1e-6},
    {{{0, 1, 2}, {1, 1, 1}, {900, -137, 53}}, false, 1e-5},
    {{{1, 2, 0}, {1, -1, 1}, {-100, 7111, 0}}, true, 1e-5},
};

static void soups_are_the_same_elsewhere(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)long_form(FEW, SOUPS) / 10; seed++) {
        struct soup *first = compile(seed, false);
        double area = soup_face_area(first);
        for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
            const struct text_move *move = &moves[i].move;
            struct soup *other = soup_new();
            soup_make(&other->map, seed, move, moves[i].backwards);
            text_map_compile(&other->map, STATUS_OK);
            assert_true(fabs(soup_face_area(other) - area) <= moves[i].slack * area);
            for (uint64_t k = 0; k < POINTS; k++) {
                struct vec3 point = soup_point(first, seed, k);
                int here = bsp_leaf_at(first->map.bsp, 0, point);
                int there = bsp_leaf_at(other->map.bsp, 0, text_moved(move, point));
                assert_int_equal(first->map.bsp->leaves[here].contents,
                                 other->map.bsp->leaves[there].contents);
            }
            soup_free(other);
        }
        soup_free(first);
    }
}

/* Without T-junction fixing there are cracks. */
static void soups_crack_without_their_t_junctions(void **state)
{
    (void)state;
    int cracked = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct soup *soup = compile(seed, true);
        cracked += soup_open_edges(soup) > 0;
        soup_free(soup);
    }
    assert_true(cracked > 5);
}

SUITE(test_vbsp_soups)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_are_what_their_brushes_say),
        cmocka_unit_test(faces_have_the_area_that_brushes_show),
        cmocka_unit_test(soups_are_the_same_elsewhere),
        cmocka_unit_test(soups_crack_without_their_t_junctions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
