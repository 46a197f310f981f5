/* Mappings that count images become texels of the material. */
#include "tests/support/suite.h"

#include "common/core/array.h"
#include "vbsp/csg/texinfo.h"

static const struct material brick = {.name = "brick", .width = 512, .height = 256};

static const struct bsp_texinfo *texinfo_of(struct texinfo_set *set, const struct map_side *side,
                                            struct vec3 origin)
{
    int number = texinfo_for_side(set, side, &brick, origin, 16, 0);
    return &set->items[number];
}

static void images_are_texels_of_the_material(void **state)
{
    (void)state;
    struct texinfo_set set = {0};
    /* The same on a face that looks along y: 4 texels a unit, and 2. */
    const struct map_side texels = {.u = {.axis = vec3(1, 0, 0), .shift = 64, .scale = 0.25},
                                    .v = {.axis = vec3(0, 0, -1), .shift = -32, .scale = 0.5}};
    const struct map_side images = {
        .u = {.axis = vec3(1.0 / 128, 0, 0), .shift = 0.125, .scale = 1},
        .v = {.axis = vec3(0, 0, -1.0 / 128), .shift = -0.125, .scale = 1},
        .mapped_in_images = true,
    };
    const struct vec3 origins[] = {vec3(0, 0, 0), vec3(8, 16, -24)};
    for (int i = 0; i < 2; i++) {
        struct bsp_texinfo a = *texinfo_of(&set, &texels, origins[i]);
        struct bsp_texinfo b = *texinfo_of(&set, &images, origins[i]);
        assert_memory_equal(a.texture, b.texture, sizeof a.texture);
        assert_memory_equal(a.lightmap, b.lightmap, sizeof a.lightmap);
    }
    texinfo_set_free(&set);
}

static void an_axis_of_no_length_stays_one(void **state)
{
    (void)state;
    struct texinfo_set set = {0};
    const struct map_side side = {.u = {.shift = 0.5, .scale = 1},
                                  .v = {.axis = vec3(0, 0, 1), .scale = 1},
                                  .mapped_in_images = true};
    const struct bsp_texinfo *texinfo = texinfo_of(&set, &side, vec3(1, 2, 3));
    const float none[4] = {0, 0, 0, 256};
    assert_memory_equal(texinfo->texture[0], none, sizeof none);
    texinfo_set_free(&set);
}

SUITE(test_texinfo_images)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_texels_of_the_material),
        cmocka_unit_test(an_axis_of_no_length_stays_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
