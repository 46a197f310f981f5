/* Texture axes with which a side cannot be lit: they are reported and replaced, and the map is
 * sound all the same. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "common/diag/codes/sides.def"
#include "tests/support/vbsp/compiled_map.h"

#define SEEDS "../tests/fuzz/seeds/compile/"

/* The lightmap has the extent of an ordinary one. */
static void faces_are_lightable(const struct compiled *map)
{
    const struct bsp *bsp = map->out.bsp;
    for (ptrdiff_t i = 0; i < arrlen(bsp->faces); i++)
        for (int k = 0; k < 2; k++)
            assert_in_range(bsp->faces[i].lightmap_size[k], 1, 32);
    assert_int_equal(bsp_verify(bsp, "map", map->diag), STATUS_OK);
}

static void bad_axes_are_told_and_replaced(void **state)
{
    (void)state;
    static const char *const seeds[] = {"axis_big", "axis_same", "axis_zero", "shift_1000000000"};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        struct compiled map;
        char name[128];
        snprintf(name, sizeof name, SEEDS "%s.vmf", seeds[i]);
        compiled_open(&map, name, NULL);
        assert_int_equal(map.status, STATUS_OK);
        assert_true(diag_count_code(map.diag, DIAG_SIDE_AXES) > 0);
        assert_int_equal(diag_count(map.diag, DIAG_ERROR), 0);
        faces_are_lightable(&map);
        compiled_free(&map);
    }
}

static void the_place_of_bad_axes_is_told(void **state)
{
    (void)state;
    struct compiled map;
    compiled_open(&map, SEEDS "axis_zero.vmf", NULL);
    /* Only the side of each solid that is drawn. */
    assert_int_equal(diag_count_code(map.diag, DIAG_SIDE_AXES), 6);
    const struct diag_where *where = &diag_entry(map.diag, 0)->where;
    assert_int_equal(where->line, 33);
    assert_int_equal(where->entity_id, 1);
    assert_int_equal(where->solid_id, 2);
    assert_int_equal(where->side_id, 3);
    compiled_free(&map);
}

static void huge_luxels_are_told(void **state)
{
    (void)state;
    struct compiled map;
    compiled_open(&map, SEEDS "lightmapscale_1000000.vmf", NULL);
    assert_int_equal(map.status, STATUS_OK);
    assert_int_equal(diag_count_code(map.diag, DIAG_LIGHTMAP_SCALE), 1);
    faces_are_lightable(&map);
    compiled_free(&map);
}

static void sound_axes_stay(void **state)
{
    (void)state;
    static const char *const maps[] = {"box.vmf", "tilted.vmf", "displacements.vmf",
                                       "off_grid.vmf"};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        struct compiled map;
        compiled_open(&map, maps[i], NULL);
        assert_int_equal(diag_count_code(map.diag, DIAG_SIDE_AXES), 0);
        compiled_free(&map);
    }
}

SUITE(test_texture_axes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_axes_are_told_and_replaced),
        cmocka_unit_test(the_place_of_bad_axes_is_told),
        cmocka_unit_test(huge_luxels_are_told),
        cmocka_unit_test(sound_axes_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
