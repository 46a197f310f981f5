/* Shadow-casting static props. */
#include "tests/support/suite.h"

#include "common/bsp/lumps/detail_props.h"
#include "common/diag/codes/prop_light.def"
#include "tests/support/vrad/prop_room.h"
#include "vrad/scene/prop_scene_options.h"

/* Props cast shadows of their render meshes. */
static const struct prop_scene_options with_triangles = {.triangles = true};

static void hulls_cast_shadows(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    put_model(&f, "small", MDL_STATIC_PROP, 8, 0);
    put_hull(&f, "small", 40, 4);
    put_prop(&f, "small", vec3(256, 256, 100));
    light(&f, light_entity);
    assert_near(middle_of_floor(&f), 0, 1e-6);
    assert_near(beside_middle(&f), 0, 1e-6);
    assert_near(room_grey(f.bsp, ROOM_FLOOR, 22, 16), direct_light_at(96, 0, 0), 0.5);
    assert_int_equal(diag_entries(f.diag), 0);
    end(&f);
}

static void triangles_cast_shadows_where_asked_for(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    f.options.prop_scene = &with_triangles;
    put_model(&f, "small", MDL_STATIC_PROP, 8, 0);
    put_hull(&f, "small", 40, 4);
    put_prop(&f, "small", vec3(256, 256, 100));
    light(&f, light_entity);
    assert_near(middle_of_floor(&f), 0, 1e-6);
    assert_near(beside_middle(&f), direct_light_at(64, 0, 0), 0.5);
    end(&f);
}

/* Tests whether a prop with the solidity, with hulls or only the MDL's box of 8 units, casts a
 * shadow. */
static void solidity_says_what_casts(void **state)
{
    (void)state;
    static const struct {
        uint8_t solid;
        bool has_hull;
        bool middle, beside; /* in the shadow */
    } cases[] = {
        {STATIC_PROP_SOLID_MODEL, true, true, true}, {STATIC_PROP_SOLID_MODEL, false, true, false},
        {STATIC_PROP_SOLID_BOX, true, true, false},  {STATIC_PROP_SOLID_BOX, false, true, false},
        {STATIC_PROP_NOT_SOLID, true, true, true},   {STATIC_PROP_NOT_SOLID, false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        begin(&f);
        put_model(&f, "box", MDL_STATIC_PROP, 1, 8);
        if (cases[i].has_hull)
            put_hull(&f, "box", 40, 4);
        put_prop(&f, "box", vec3(256, 256, 100))->solid = cases[i].solid;
        light(&f, light_entity);
        assert_near(middle_of_floor(&f), cases[i].middle ? 0 : UNDER, 0.5);
        assert_near(beside_middle(&f), cases[i].beside ? 0 : direct_light_at(64, 0, 0), 0.5);
        end(&f);
    }
}

/* Without triangles the hulls cast; a material may have shadows disabled. */
static void what_is_drawn_may_not_cast(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct fixture f;
        struct bytes rad = {0};
        begin(&f);
        f.options.prop_scene = &with_triangles;
        put_model(&f, "box", MDL_STATIC_PROP, 8, 0);
        if (i == 0) {
            struct bytes none = {0};
            put_hull(&f, "box", 40, 4);
            put_file(&f, "box", ".dx90.vtx", &none);
        }
        bytes_append_text(&rad, i == 1 ? "noshadow props/box\n" : "noshadow props/other\n");
        f.env.fs->ops->write(f.env.fs, "map.rad", rad.data, rad.size);
        f.options.map_rad = "map.rad";
        f.options.props.lighting = false;
        put_prop(&f, "box", vec3(256, 256, 100));
        light(&f, light_entity);
        assert_near(middle_of_floor(&f), i == 1 ? UNDER : 0, 0.5);
        assert_near(beside_middle(&f), i == 0 ? 0 : direct_light_at(64, 0, 0), 0.5);
        bytes_free(&rad);
        end(&f);
    }
}

static void some_props_cast_none(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct fixture f;
        begin(&f);
        if (i < 2) {
            put_model(&f, "box", MDL_STATIC_PROP | (i == 1 ? MDL_NO_SHADOWS : 0), 8, 0);
            put_hull(&f, "box", 40, 4);
        }
        put_prop(&f, "box", vec3(256, 256, 100));
        put_prop(&f, "box", vec3(256, 256, 80));
        for (int k = 0; k < 2; k++)
            f.props.props[k].flags = i == 0 ? STATIC_PROP_NO_SHADOW : 0;
        light(&f, light_entity);
        assert_near(middle_of_floor(&f), UNDER, 0.5);
        assert_int_equal(diag_count_code(f.diag, DIAG_PROP_LIGHT_MODEL), i == 2);
        end(&f);
    }
}

/* An invalid lump is reported; the rest is lit. */
static void an_invalid_lump_is_reported(void **state)
{
    struct fixture f;
    struct bytes bad = {0};
    (void)state;
    begin(&f);
    bytes_u32(&bad, 77);
    put_game_lump(&f, STATIC_PROPS_ID, 6, bad);
    struct bytes other = {0};
    bytes_u32(&other, 55);
    put_game_lump(&f, DETAIL_PROPS_ID, 4, other);
    light(&f, light_entity);
    assert_int_equal(diag_count_code(f.diag, DIAG_PROP_LIGHT_LUMP), 2);
    assert_near(middle_of_floor(&f), UNDER, 0.5);
    end(&f);
}

/* A light inside a prop lights nothing, and is reported. Ambient samples avoid props. */
static void lights_in_props_are_reported(void **state)
{
    (void)state;
    for (int triangles = 0; triangles < 2; triangles++) {
        struct fixture f;
        begin(&f);
        if (triangles)
            f.options.prop_scene = &with_triangles;
        f.options.ldr = f.options.hdr = true;
        put_model(&f, "box", MDL_STATIC_PROP, 16, 0);
        put_hull(&f, "box", 16, 16);
        put_prop(&f, "box", vec3(256, 256, 190));
        light(&f, light_entity);
        assert_near(middle_of_floor(&f), 0, 1e-6);
        assert_int_equal(diag_count_code(f.diag, DIAG_LIGHT_IN_PROP), 1);
        end(&f);
    }
}

static void air_is_not_in_props(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    put_model(&f, "box", MDL_STATIC_PROP, 100, 0);
    put_hull(&f, "box", 200, 100);
    put_prop(&f, "box", vec3(256, 256, 110));
    light(&f, light_entity);
    for (ptrdiff_t i = 0; i < arrlen(f.bsp->ldr.ambient); i++) {
        const uint8_t *at = f.bsp->ldr.ambient[i].position;
        double x = 512.0 * at[0] / 255, y = 512.0 * at[1] / 255, z = 256.0 * at[2] / 255;
        bool inside = x > 58 && x < 454 && y > 58 && y < 454 && z > 12 && z < 208;
        assert_false(inside);
    }
    assert_true(arrlen(f.bsp->ldr.ambient) > 0);
    end(&f);
}

SUITE(test_vrad_prop_shadows)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_cast_shadows),
        cmocka_unit_test(triangles_cast_shadows_where_asked_for),
        cmocka_unit_test(solidity_says_what_casts),
        cmocka_unit_test(what_is_drawn_may_not_cast),
        cmocka_unit_test(some_props_cast_none),
        cmocka_unit_test(an_invalid_lump_is_reported),
        cmocka_unit_test(lights_in_props_are_reported),
        cmocka_unit_test(air_is_not_in_props),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
