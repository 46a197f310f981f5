/* Unsupported features of a map are reported. */
#include "tests/support/suite.h"

#include "common/diag/codes/light_options.def"
#include "common/diag/codes/prop_lightmaps.def"
#include "tests/support/vrad/prop_room.h"

/* Lights a room with one prop of that resolution and those flags. */
static void light_prop(struct fixture *f, int resolution, uint32_t flags)
{
    struct bytes data = {0};
    struct record_range_error range_error;
    begin(f);
    put_model(f, "box", MDL_STATIC_PROP, 8, 0);
    struct static_prop *prop = put_prop(f, "box", vec3(200, 256, 64));
    prop->lightmap_resolution[0] = prop->lightmap_resolution[1] = resolution;
    prop->flags = flags;
    assert_true(
        static_props_encode(&f->props, STATIC_PROP_SDK2013, ORDER_LITTLE, &data, &range_error));
    put_game_lump(f, STATIC_PROPS_ID, 10, data);
    static_props_free(&f->props); /* else they would be written in an older form */
    f->props = (struct static_props){0};
}

/* Reported when props are not lit at all; otherwise it is supported. */
static void light_per_texel_is_noted(void **state)
{
    static const struct {
        bool lighting;
        int resolution;
        uint32_t flags;
        size_t told;
    } cases[] = {{false, 32, 0, 1},
                 {false, 32, STATIC_PROP_NO_TEXEL_LIGHTING, 0},
                 {false, 0, 0, 0},
                 {true, 32, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        light_prop(&f, cases[i].resolution, cases[i].flags);
        f.options.props.lighting = cases[i].lighting;
        light(&f, light_entity);
        assert_int_equal(diag_count_code(f.diag, DIAG_PROP_TEXELS), cases[i].told);
        end(&f);
    }
}

static void macro_textures_are_noted(void **state)
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        struct fixture f;
        begin(&f);
        for (ptrdiff_t i = 0; i < arrlen(f.bsp->faces); i++)
            arrput(f.bsp->face_macro_texture, with && i == 2 ? 0 : 65535);
        light(&f, light_entity);
        assert_int_equal(diag_count_code(f.diag, DIAG_MACRO_TEXTURE), with);
        end(&f);
    }
}

/* Once, for both sets of light; not when there are no bounces, or visibility. */
static void bounces_without_visibility_are_told(void **state)
{
    static const struct {
        int bounces;
        bool visible;
        size_t told;
    } cases[] = {{4, false, 1}, {0, false, 0}, {4, true, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* One cluster, which sees and hears itself. */
        static const int32_t head[3] = {1, 12, 12};
        static const unsigned char row = 1;
        struct fixture f;
        begin(&f);
        if (cases[i].visible) {
            bytes_append(&f.bsp->visibility, head, sizeof head);
            bytes_append(&f.bsp->visibility, &row, 1);
        }
        f.options.bounce = cases[i].bounces;
        f.options.ldr = f.options.hdr = true;
        light(&f, light_entity);
        assert_int_equal(diag_count_code(f.diag, DIAG_LIGHT_NO_VIS), cases[i].told);
        end(&f);
    }
}

SUITE(test_vrad_unsupported)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_per_texel_is_noted),
        cmocka_unit_test(macro_textures_are_noted),
        cmocka_unit_test(bounces_without_visibility_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
