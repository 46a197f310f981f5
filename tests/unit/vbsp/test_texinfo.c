#include "tests/support/suite.h"

#include "common/core/array.h"
#include "vbsp/csg/texinfo.h"

static const struct material brick = {
    .name = "Brick/Wall01",
    .width = 512,
    .height = 256,
    .view_width = 512,
    .view_height = 256,
    .reflectivity = {0.5, 0.25, 0.125},
    .surface_flags = SURFACE_BUMPLIGHT,
};
static const struct material nodraw = {
    .name = "tools/toolsnodraw",
    .width = 64,
    .height = 64,
    .surface_flags = SURFACE_NODRAW | SURFACE_NOLIGHT | SURFACE_BUMPLIGHT,
};

static struct map_side wall(void)
{
    struct map_side side = {
        .u = {.axis = vec3(0, 1, 0), .shift = 32, .scale = 0.25},
        .v = {.axis = vec3(0, 0, -1), .shift = -16, .scale = 0.5},
    };
    return side;
}

static int setup(void **state)
{
    *state = memory_zalloc(1, sizeof(struct texinfo_set));
    return 0;
}

static int teardown(void **state)
{
    texinfo_set_free(*state);
    memory_free(*state);
    return 0;
}

static void expect_vector(const float *vector, float x, float y, float z, float shift)
{
    const float expected[4] = {x, y, z, shift};
    assert_memory_equal(vector, expected, sizeof expected);
}

static void vectors_follow_the_axes(void **state)
{
    struct texinfo_set *set = *state;
    struct map_side side = wall();
    int number = texinfo_for_side(set, &side, &brick, vec3(0, 0, 0), 16, 0);
    const struct bsp_texinfo *texinfo = &set->items[number];
    expect_vector(texinfo->texture[0], 0, 4, 0, 32);
    expect_vector(texinfo->texture[1], 0, 0, -2, -16);
    expect_vector(texinfo->lightmap[0], 0, 1 / 16.0f, 0, 0.5f);
    expect_vector(texinfo->lightmap[1], 0, 0, -1 / 16.0f, -0.5f);
    assert_ptr_equal(set->materials[number], &brick);
    assert_int_equal(texinfo->flags, SURFACE_BUMPLIGHT);
}

static void coordinates_follow_the_origin(void **state)
{
    struct texinfo_set *set = *state;
    struct map_side side = wall();
    int number = texinfo_for_side(set, &side, &brick, vec3(1000, 10, 100), 16, 0);
    const struct bsp_texinfo *texinfo = &set->items[number];
    assert_true(texinfo->texture[0][3] == 32 + 10 * 4);
    assert_true(texinfo->texture[1][3] == -16 - 100 * 2);
    assert_true(texinfo->lightmap[0][3] == 0.5f + 10 / 16.0f);
    assert_true(texinfo->lightmap[1][3] == -0.5f - 100 / 16.0f);
}

static void equal_ones_are_one(void **state)
{
    struct texinfo_set *set = *state;
    struct map_side side = wall();
    int first = texinfo_for_side(set, &side, &brick, vec3(0, 0, 0), 16, 0);
    assert_int_equal(texinfo_for_side(set, &side, &brick, vec3(500, 0, 0), 16, 0), first);
    side.v.axis.x = -0.0;
    assert_int_equal(texinfo_for_side(set, &side, &brick, vec3(0, 0, 0), 16, 0), first);
    assert_int_not_equal(texinfo_for_side(set, &side, &brick, vec3(0, 0, 0), 32, 0), first);
    assert_int_not_equal(texinfo_for_side(set, &side, &brick, vec3(0, 0, 0), 16, SURFACE_NOSHADOWS),
                         first);
    assert_int_equal(arrlen(set->items), 3);
    assert_int_equal(arrlen(set->texdata), 1);
}

static void names_compare_without_case(void **state)
{
    struct texinfo_set *set = *state;
    struct map_side side = wall();
    struct material shouted = brick;
    shouted.name = "BRICK/WALL01";
    int first = texinfo_for_side(set, &side, &brick, vec3(0, 0, 0), 16, 0);
    assert_int_equal(texinfo_for_side(set, &side, &shouted, vec3(0, 0, 0), 16, 0), first);
    assert_int_equal(arrlen(set->texdata), 1);
    assert_string_equal(set->names[0], "Brick/Wall01");
    assert_int_equal(set->texdata[0].width, 512);
    assert_int_equal(set->texdata[0].view_height, 256);
    assert_true(set->texdata[0].reflectivity[2] == 0.125f);
}

static void unlit_faces_need_no_bump_light(void **state)
{
    struct texinfo_set *set = *state;
    struct map_side side = wall();
    int number = texinfo_for_side(set, &side, &nodraw, vec3(0, 0, 0), 16, SURFACE_BUMPLIGHT);
    assert_int_equal(set->items[number].flags, SURFACE_NODRAW | SURFACE_NOLIGHT);
    number = texinfo_for_side(set, &side, &brick, vec3(0, 0, 0), 16, SURFACE_NOLIGHT);
    assert_int_equal(set->items[number].flags, SURFACE_NOLIGHT);
}

static void another_material_keeps_the_mapping(void **state)
{
    struct texinfo_set *set = *state;
    struct map_side side = wall();
    int first = texinfo_for_side(set, &side, &brick, vec3(0, 0, 0), 16, 0);
    int second = texinfo_with_material(set, first, &nodraw);
    assert_int_not_equal(first, second);
    assert_memory_equal(set->items[first].texture, set->items[second].texture,
                        sizeof set->items[first].texture);
    assert_memory_equal(set->items[first].lightmap, set->items[second].lightmap,
                        sizeof set->items[first].lightmap);
    assert_int_equal(set->items[second].flags, SURFACE_NODRAW | SURFACE_NOLIGHT);
    assert_string_equal(set->names[set->items[second].texdata], nodraw.name);
    assert_int_equal(texinfo_with_material(set, second, &brick), first);
}

static const char *fault_of(struct map_texture_axis u, struct vec3 normal, double scale)
{
    struct map_side side = wall();
    side.u = u;
    return texinfo_fault(&side, &brick, vec3(0, 0, 0), scale, normal);
}

static struct map_texture_axis along(double x, double y, double z)
{
    return (struct map_texture_axis){.axis = vec3(x, y, z), .scale = 0.25};
}

static void axes_must_span_the_face(void **state)
{
    (void)state;
    const struct vec3 east = vec3(1, 0, 0);
    assert_null(fault_of(along(0, 1, 0), east, 16));
    assert_null(fault_of(along(0, 0.01, 0), east, 1024));
    assert_null(fault_of(along(0, 64, 0), east, 16));
    assert_null(fault_of(along(1, 1, 1), east, 1));
    assert_non_null(fault_of(along(0, 0, 0), east, 16));
    assert_non_null(fault_of(along(1, 0, 0), east, 16));
    assert_non_null(fault_of(along(0, 0, 1), east, 16)); /* as v */
    assert_non_null(fault_of(along(0, 5, 0), east, 1));
    assert_non_null(fault_of(along(0, 1e-6, 0), east, 1));
    assert_non_null(fault_of(along(0, 1e300, 0), east, 1));
    struct map_texture_axis shifted = along(0, 1, 0);
    shifted.shift = 1e9;
    assert_non_null(fault_of(shifted, east, 16));
}

/* Mappings that count images become texels of the material. */

static const struct material image_brick = {.name = "image_brick", .width = 512, .height = 256};

static const struct bsp_texinfo *texinfo_of(struct texinfo_set *set, const struct map_side *side,
                                            struct vec3 origin)
{
    int number = texinfo_for_side(set, side, &image_brick, origin, 16, 0);
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

SUITE(test_texinfo)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_must_span_the_face),
        cmocka_unit_test_setup_teardown(vectors_follow_the_axes, setup, teardown),
        cmocka_unit_test_setup_teardown(coordinates_follow_the_origin, setup, teardown),
        cmocka_unit_test_setup_teardown(equal_ones_are_one, setup, teardown),
        cmocka_unit_test_setup_teardown(names_compare_without_case, setup, teardown),
        cmocka_unit_test_setup_teardown(unlit_faces_need_no_bump_light, setup, teardown),
        cmocka_unit_test_setup_teardown(another_material_keeps_the_mapping, setup, teardown),
        cmocka_unit_test(images_are_texels_of_the_material),
        cmocka_unit_test(an_axis_of_no_length_stays_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
