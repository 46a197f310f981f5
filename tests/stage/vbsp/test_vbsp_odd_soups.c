/* Degenerate random maps, checked against their brushes. */
#include "tests/support/suite.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/long_form.h"
#include "tests/support/vbsp/odd_soup.h"

enum { FEW = 10, SOUPS = 100 };

enum { POINTS = 100 };

/* Distance from edges below which samples are skipped, smaller for thin brushes. */
#define CONTENTS_MARGIN 0.1
#define WITHIN_MARGIN   0.05
#define FACE_MARGIN     0.2

static void check_points(const struct soup *soup, uint64_t seed)
{
    for (uint64_t i = 0; i < POINTS; i++) {
        soup_check_contents(soup, soup_point(soup, seed, i), CONTENTS_MARGIN);
        int brush = (int)(hash_pair(seed, i) % arrlenu(soup->brushes));
        soup_check_contents(soup, soup_point_of(soup, brush, seed, i), WITHIN_MARGIN);
        struct soup_sample sample = soup_sample(soup, seed, i);
        soup_check_faces(soup, &sample, FACE_MARGIN);
    }
}

static void check_kind(int kind)
{
    double faces = 0, low = 0, high = 0;
    for (uint64_t seed = 0; seed < (uint64_t)long_form(FEW, SOUPS); seed++) {
        struct soup *soup = odd_soup_new(seed, kind);
        text_map_compile(&soup->map, STATUS_OK);
        soup_read_brushes(soup);
        soup_flood(soup);
        check_points(soup, seed);
        if (seed % 5 == 0) {
            struct soup_area area = soup_count_area(soup, 8, seed);
            faces += soup_face_area(soup);
            low += area.shown;
            high += area.shown + area.unknown;
        }
        assert_int_equal(soup_open_edges(soup), 0);
        soup_free(soup);
    }
    assert_true(high < 1.01 * low);
    assert_true(faces > 0.998 * low && faces < 1.002 * high);
}

#define KIND(name, kind)                                                                           \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        check_kind(kind);                                                                          \
    }

KIND(thin, ODD_THIN)
KIND(crumbs, ODD_CRUMBS)
KIND(turned, ODD_TURNED)
KIND(turned_crumbs, ODD_TURNED | ODD_CRUMBS)
KIND(tilted, ODD_TILTED)
KIND(off_grid, ODD_OFF_GRID)
KIND(tilted_off_grid, ODD_TILTED | ODD_OFF_GRID)
KIND(thin_off_grid, ODD_THIN | ODD_OFF_GRID)
KIND(thin_tilted, ODD_THIN | ODD_TILTED)
KIND(thin_tilted_off_grid, ODD_THIN | ODD_TILTED | ODD_OFF_GRID)
KIND(all, ODD_THIN | ODD_TILTED | ODD_TURNED | ODD_OFF_GRID | ODD_CRUMBS)

SUITE(test_vbsp_odd_soups)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thin),
        cmocka_unit_test(crumbs),
        cmocka_unit_test(turned),
        cmocka_unit_test(turned_crumbs),
        cmocka_unit_test(tilted),
        cmocka_unit_test(off_grid),
        cmocka_unit_test(tilted_off_grid),
        cmocka_unit_test(thin_off_grid),
        cmocka_unit_test(thin_tilted),
        cmocka_unit_test(thin_tilted_off_grid),
        cmocka_unit_test(all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
