/* There are no ambient samples below displacements. */
#include "tests/support/suite.h"

#include "tests/support/vrad/lit_map.h"
#include "vrad/ambient/below_terrain.h"
#include "vrad/vrad.h"

/* Units above and below the terrain; the brushes of the map's displacements are 16 thick. */
enum { AWAY = 8 };

static void points_under_displacements_are_below_terrain(void **state)
{
    struct lit_map lit;
    struct below_terrain below_terrain;
    int luxels = 0, over = 0, under = 0;
    (void)state;
    lit_map_open(&lit, "displacements.vmf", 0);
    below_terrain_find(&lit.map, &below_terrain);
    assert_true(arrlen(below_terrain.boxes) > 0);
    for (int f = 0; f < lit.map.face_count; f++) {
        const struct face_light *face = &lit.map.faces[f];
        for (int i = 0; i < face->count && face->mesh; i++) {
            if (!(face->luxels[i].area > 0))
                continue;
            struct vec3 place = lit_map_place(&face->luxels[i]);
            struct vec3 normal = vec3_from_floats(luxel_normal(face, &face->luxels[i]));
            luxels++;
            over +=
                below_terrain_contains(&below_terrain, &lit.scene, vec3_mad(place, normal, AWAY));
            under +=
                below_terrain_contains(&below_terrain, &lit.scene, vec3_mad(place, normal, -AWAY));
        }
    }
    assert_true(luxels > 100);
    /* Over the foot of a slope the next displacement may be near. */
    assert_true(over < luxels / 50);
    assert_true(under > luxels * 9 / 10);
    below_terrain_free(&below_terrain);
    lit_map_close(&lit);
}

/* The room is air from 0 to 192; the terrain lies at 96. */
static void no_sample_is_below_terrain(void **state)
{
    struct compiled map;
    int samples = 0;
    (void)state;
    compiled_open(&map, "buried_ground.vmf", NULL);
    assert_int_equal(map.status, STATUS_OK);
    const struct bsp *bsp = map.out.bsp;
    assert_int_equal(vrad_run(&map.env, &vrad_defaults, NULL, map.assets, map.out.bsp), STATUS_OK);
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        const struct bsp_ambient_index *index = &bsp->ldr.ambient_index[i];
        for (int k = 0; k < index->count; k++, samples++) {
            double part = bsp->ldr.ambient[index->first + k].position[2] / 255.0;
            assert_true(leaf->mins[2] + part * ((double)leaf->maxs[2] - leaf->mins[2]) > 95);
        }
    }
    assert_true(samples > 4);
    compiled_free(&map);
}

SUITE(test_vrad_below_terrain)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_under_displacements_are_below_terrain),
        cmocka_unit_test(no_sample_is_below_terrain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
