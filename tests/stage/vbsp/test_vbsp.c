/* Whole compiles of the small maps, probed by position. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "common/diag/diag_property.h"
#include "common/diag/properties/hole.def"
#include "tests/support/vbsp/compiled_map.h"

static void verify(struct compiled *map)
{
    assert_non_null(map->out.bsp);
    enum status status = bsp_verify(map->out.bsp, "map", map->diag);
    for (size_t i = 0; status != STATUS_OK && i < diag_entries(map->diag); i++)
        print_message("%s\n", diag_entry(map->diag, i)->message);
    assert_int_equal(status, STATUS_OK);
}

static const struct bsp_leaf *leaf_at(const struct compiled *map, struct vec3 point)
{
    return &map->out.bsp->leaves[bsp_leaf_at(map->out.bsp, 0, point)];
}

static double face_area(const struct bsp *bsp)
{
    double sum = 0;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        sum += (double)bsp->faces[i].area;
    return sum;
}

static void test_box(void **state)
{
    (void)state;
    struct compiled map;
    compiled_open(&map, "box.vmf", NULL);
    assert_int_equal(map.status, STATUS_OK);
    verify(&map);
    const struct bsp *bsp = map.out.bsp;
    assert_int_equal(leaf_at(&map, vec3(64, 64, 64))->contents, 0);
    assert_int_equal(leaf_at(&map, vec3(64, 64, -5000))->contents, CONTENTS_SOLID);
    assert_int_equal(leaf_at(&map, vec3(64, 64, 64))->area, 1);
    assert_true(leaf_at(&map, vec3(64, 64, 64))->cluster >= 0);
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        assert_true(bsp->faces[i].light_offset == -1 || bsp->faces[i].light_offset == 0);
    assert_int_equal(arrlen(bsp->models), 1);
    assert_null(map.out.leak);
    compiled_free(&map);
}

static void test_leak_names_entity_and_hole(void **state)
{
    (void)state;
    struct compiled map;
    compiled_open(&map, "leak.vmf", NULL);
    assert_int_equal(map.status, STATUS_LEAK);
    assert_non_null(map.out.bsp);
    verify(&map);
    assert_int_equal(arrlen(map.out.prt.portals), 0);
    assert_int_equal(diag_leaks(map.diag), 1);
    const struct diag_where *where = NULL;
    for (size_t i = 0; i < diag_entries(map.diag); i++)
        if (diag_is_leak(diag_entry(map.diag, i)))
            where = &diag_entry(map.diag, i)->where;
    const double *center = diag_numbers(where, DIAG_OF_HOLE);
    assert_true(where->has_point && center && where->entity_id > 0);
    struct vec3 hole = vec3(center[0], center[1], center[2]);
    assert_true(vec3_distance(hole, vec3(264, 128, 128)) < 24);
    struct vec3 entity = vec3(where->point[0], where->point[1], where->point[2]);
    assert_true(vec3_distance(entity, vec3(128, 128, 208)) < 1);
    /* The trail ends at an entity that stands in the room. */
    assert_true(arrlen(map.out.leak) >= 2);
    struct vec3 end = arrlast(map.out.leak);
    assert_true(end.x > 0 && end.x < 256 && end.y > 0 && end.y < 256);
    compiled_free(&map);
}

static void test_leaktest_stops(void **state)
{
    (void)state;
    struct compiled map;
    struct vbsp_options options = vbsp_defaults;
    options.leak_test = true;
    compiled_open(&map, "leak.vmf", &options);
    assert_int_equal(map.status, STATUS_LEAK);
    assert_null(map.out.bsp);
    assert_non_null(map.out.leak);
    compiled_free(&map);
}

static void test_hint_divides_clusters(void **state)
{
    (void)state;
    struct compiled map;
    compiled_open(&map, "hint.vmf", NULL);
    assert_int_equal(map.status, STATUS_OK);
    verify(&map);
    const struct bsp_leaf *west = leaf_at(&map, vec3(250, 128, 64));
    const struct bsp_leaf *east = leaf_at(&map, vec3(262, 128, 64));
    assert_true(west->cluster >= 0 && east->cluster >= 0);
    assert_int_not_equal(west->cluster, east->cluster);
    compiled_free(&map);
}

static void test_detail_cuts_no_leaf(void **state)
{
    (void)state;
    struct compiled with, full;
    compiled_open(&with, "detail.vmf", NULL);
    struct vbsp_options options = vbsp_defaults;
    options.full_detail = true;
    compiled_open(&full, "detail.vmf", &options);
    verify(&with);
    verify(&full);
    assert_true(arrlen(with.out.bsp->leaves) < arrlen(full.out.bsp->leaves));
    assert_true(with.out.prt.cluster_count < full.out.prt.cluster_count);
    compiled_free(&with);
    compiled_free(&full);
}

static void test_off_grid_room_is_whole(void **state)
{
    (void)state;
    struct compiled map;
    compiled_open(&map, "off_grid.vmf", NULL);
    assert_int_equal(map.status, STATUS_OK);
    verify(&map);
    /* No cracks: every drawn face has an area, and the inside of the room is one area. */
    assert_int_equal(arrlen(map.out.bsp->areas), 2);
    assert_true(face_area(map.out.bsp) > 0);
    compiled_free(&map);
}

/* Its walls meet with gaps that need coplanar snapping. */
static void test_tilted_room_is_tight(void **state)
{
    (void)state;
    struct compiled map;
    compiled_open(&map, "tilted.vmf", NULL);
    assert_int_equal(map.status, STATUS_OK);
    verify(&map);
    assert_int_equal(arrlen(map.out.bsp->areas), 2);
    compiled_free(&map);
}

static void test_water_leaves(void **state)
{
    (void)state;
    struct compiled map;
    compiled_open(&map, "water.vmf", NULL);
    assert_int_equal(map.status, STATUS_OK);
    verify(&map);
    bool wet = false;
    for (size_t i = 0; i < arrlenu(map.out.bsp->leaves); i++)
        wet |= (map.out.bsp->leaves[i].contents & CONTENTS_WATER) != 0;
    assert_true(wet);
    assert_int_equal(arrlen(map.out.bsp->leaf_water), 1);
    assert_true(map.out.bsp->leaf_water[0].surface_z == -16.0f);
    compiled_free(&map);
}

static void test_brush_entities_are_models(void **state)
{
    (void)state;
    struct compiled map;
    compiled_open(&map, "brush_entities.vmf", NULL);
    assert_int_equal(map.status, STATUS_OK);
    verify(&map);
    assert_int_equal(arrlen(map.out.bsp->models), 5);
    for (size_t i = 1; i < arrlenu(map.out.bsp->models); i++) {
        const struct bsp_model *model = &map.out.bsp->models[i];
        for (int axis = 0; axis < 3; axis++)
            assert_true(model->mins[axis] < model->maxs[axis]);
    }
    compiled_free(&map);
}

static void test_bad_solids_are_left_out(void **state)
{
    (void)state;
    struct compiled map;
    compiled_open(&map, "bad_solids.vmf", NULL);
    assert_int_equal(map.status, STATUS_OK);
    verify(&map);
    assert_true(diag_count(map.diag, DIAG_WARNING) >= 4);
    assert_int_equal(leaf_at(&map, vec3(64, 64, 64))->contents, 0);
    compiled_free(&map);
}

static void test_thin_brushes_stay(void **state)
{
    (void)state;
    struct compiled map;
    compiled_open(&map, "thin.vmf", NULL);
    assert_int_equal(map.status, STATUS_OK);
    verify(&map);
    compiled_free(&map);
}

SUITE(test_vbsp)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_leak_names_entity_and_hole),
        cmocka_unit_test(test_leaktest_stops),
        cmocka_unit_test(test_hint_divides_clusters),
        cmocka_unit_test(test_detail_cuts_no_leaf),
        cmocka_unit_test(test_off_grid_room_is_whole),
        cmocka_unit_test(test_tilted_room_is_tight),
        cmocka_unit_test(test_water_leaves),
        cmocka_unit_test(test_brush_entities_are_models),
        cmocka_unit_test(test_bad_solids_are_left_out),
        cmocka_unit_test(test_thin_brushes_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
