/* prop_static, from the map to the game lump. */
#include "tests/support/suite.h"

#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/lumps/static_props.h"
#include "common/diag/codes/props.def"
#include "tests/support/model_files.h"
#include "tests/support/vbsp/text_map.h"

struct fixture {
    struct text_map map;
    struct static_props props;
    enum static_prop_form form;
};

/* Two rooms of 256 units with a wall between them, x 256 to 272, and a door in it. */
static void begin(struct fixture *f)
{
    *f = (struct fixture){0};
    text_map_init(&f->map);
    text_map_room(&f->map, vec3(0, 0, 0), vec3(528, 256, 128));
    text_map_box(&f->map, vec3(256, 0, 0), vec3(272, 96, 128), "wall");
    text_map_box(&f->map, vec3(256, 160, 0), vec3(272, 256, 128), "wall");
    text_map_entity(&f->map, "info_player_start", "origin \"64 64 32\"");
}

static void put_model(struct fixture *f, const char *stem, int flags, double x, double y, double z)
{
    const double half[3] = {x, y, z};
    struct model_files files = model_files_box(48, flags, half);
    struct fs *fs = f->map.fs;
    char path[256];
    snprintf(path, sizeof path, "game/models/%s.mdl", stem);
    fs->ops->write(fs, path, files.mdl.data, files.mdl.size);
    snprintf(path, sizeof path, "game/models/%s.vvd", stem);
    fs->ops->write(fs, path, files.vvd.data, files.vvd.size);
    snprintf(path, sizeof path, "game/models/%s.dx90.vtx", stem);
    fs->ops->write(fs, path, files.vtx.data, files.vtx.size);
    model_files_free(&files);
}

static void put_prop(struct fixture *f, const char *model, const char *keys)
{
    char text[512];
    snprintf(text, sizeof text, "model \"%s\" %s", model, keys);
    text_map_entity(&f->map, "prop_static", text);
}

static const struct bsp_game_lump *lump_of(const struct fixture *f, uint32_t id)
{
    for (size_t i = 0; i < arrlenu(f->map.bsp->game_lumps); i++)
        if (f->map.bsp->game_lumps[i].id == id)
            return &f->map.bsp->game_lumps[i];
    return NULL;
}

static void compile(struct fixture *f)
{
    text_map_compile_game(&f->map, STATUS_OK, "game");
    const struct bsp_game_lump *lump = lump_of(f, STATIC_PROPS_ID);
    if (!lump)
        return;
    assert_int_equal(static_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL,
                                         f->map.diag, &f->props, &f->form),
                     STATUS_OK);
}

static void end(struct fixture *f)
{
    static_props_free(&f->props);
    text_map_free(&f->map);
}

static bool has_leaf_at(const struct fixture *f, size_t prop, struct vec3 point)
{
    const struct static_prop *record = &f->props.props[prop];
    int leaf = bsp_leaf_at(f->map.bsp, 0, point);
    for (int i = 0; i < record->leaf_count; i++)
        if (f->props.leaves[record->first_leaf + i] == leaf)
            return true;
    return false;
}

static void records_hold_the_keys(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    put_model(&f, "props/box", MDL_STATIC_PROP, 8, 8, 8);
    put_model(&f, "tall", MDL_STATIC_PROP, 4, 4, 40);
    put_prop(&f, "Models\\Props\\BOX.mdl",
             "origin \"64 200 32\" angles \"0 90 0\" solid 2 skin 3 fademindist 500 "
             "fademaxdist 900 fadescale 0.5 mindxlevel 80 maxdxlevel 95 disableshadows 1 "
             "screenspacefade 1 ignorenormals 1 disablevertexlighting 1 disableselfshadowing 1");
    put_prop(&f, "models/tall.mdl",
             "origin \"400 64 64\" fademindist -1 fademaxdist 0 solid 0 lightingorigin Lamp");
    put_prop(&f, "models/props/box.mdl",
             "origin \"400 128 64\" generatelightmaps 1 "
             "lightmapresolutionx 64 lightmapresolutiony 128");
    text_map_entity(&f.map, "info_lighting", "targetname lamp origin \"10 20 30\"");
    compile(&f);
    assert_int_equal(f.form, STATIC_PROP_SDK2013);
    assert_int_equal(arrlen(f.props.models), 2);
    assert_string_equal(f.props.models[0], "models/props/box.mdl");
    assert_int_equal(arrlen(f.props.props), 3);
    const struct static_prop *p = f.props.props;
    assert_float_equal(p[0].origin[1], 200, 0);
    assert_float_equal(p[0].angles[1], 90, 0);
    assert_int_equal(p[0].solid, 2);
    assert_int_equal(p[0].skin, 3);
    assert_float_equal(p[0].fade_min, 500, 0);
    assert_float_equal(p[0].fade_max, 900, 0);
    assert_float_equal(p[0].forced_fade_scale, 0.5, 0);
    assert_int_equal(p[0].min_dx, 80);
    assert_int_equal(p[0].max_dx, 95);
    assert_int_equal(p[0].flags, 0x1F9);
    assert_int_equal(p[1].model, 1);
    assert_int_equal(p[1].flags, 0x102);
    assert_float_equal(p[1].fade_min, 0, 0);
    assert_float_equal(p[1].forced_fade_scale, 1, 0);
    assert_float_equal(p[1].lighting_origin[2], 30, 0);
    assert_int_equal(p[2].model, 0);
    assert_int_equal(p[2].flags, 0);
    assert_int_equal(p[2].lightmap_resolution[1], 128);
    assert_int_equal(p[2].solid, STATIC_PROP_SOLID_MODEL);
    assert_non_null(lump_of(&f, DETAIL_PROPS_ID));
    assert_int_equal(diag_entries(f.map.diag), 0);
    end(&f);
}

/* Of each target: the flags that a prop with all keys has, and how many keys are told. */
static void flags_are_those_of_the_branch(void **state)
{
    static const struct {
        int version;
        uint32_t flags, flags2;
        size_t told;
    } cases[] = {
        {5, STATIC_PROP_SCREEN_SPACE_FADE, 0, 5},
        {6, STATIC_PROP_SCREEN_SPACE_FADE, 0, 5},
        {10, STATIC_PROP_SCREEN_SPACE_FADE, 0, 4},
        {9, STATIC_PROP_FAST_REFLECTION | STATIC_PROP_NO_FLASHLIGHT, 0, 4},
        {11, STATIC_PROP_FAST_REFLECTION | STATIC_PROP_NO_FLASHLIGHT,
         STATIC_PROP_NO_SHADOW_DEPTH | STATIC_PROP_BOUNCES_LIGHT, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        begin(&f);
        f.map.options.static_prop_version = cases[i].version;
        put_model(&f, "a", MDL_STATIC_PROP, 8, 8, 8);
        for (int k = 0; k < 2; k++) /* told once a key */
            put_prop(&f, "models/a.mdl",
                     "origin \"64 200 32\" screenspacefade 1 drawinfastreflection 1 "
                     "disableflashlight 1 disableshadowdepth 1 enablelightbounce 1 "
                     "generatelightmaps 1 lightmapresolutionx 32 lightmapresolutiony 32");
        compile(&f);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(f.props.props[k].flags, cases[i].flags);
            assert_int_equal(f.props.props[k].flags2, cases[i].flags2);
        }
        assert_int_equal(diag_count_code(f.map.diag, DIAG_PROP_LOSS), cases[i].told);
        end(&f);
    }
}

static void versions_follow_the_target(void **state)
{
    (void)state;
    static const struct {
        int version;
        enum static_prop_form form;
        uint32_t flags;
    } cases[] = {{0, STATIC_PROP_SDK2013, 0x110},  {5, STATIC_PROP_5, 0x10},
                 {6, STATIC_PROP_6, 0x10},         {9, STATIC_PROP_9, 0x10},
                 {10, STATIC_PROP_SDK2013, 0x110}, {11, STATIC_PROP_11, 0x10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        begin(&f);
        f.map.options.static_prop_version = cases[i].version;
        put_model(&f, "box", MDL_STATIC_PROP, 8, 8, 8);
        put_prop(&f, "models/box.mdl",
                 "origin \"64 64 32\" disableshadows 1 uniformscale 2 "
                 "rendercolor \"10 20 30\" renderamt 40");
        compile(&f);
        assert_int_equal(f.form, cases[i].form);
        assert_int_equal(f.props.props[0].flags, cases[i].flags);
        bool coloured = cases[i].version == 9 || cases[i].version == 11;
        assert_int_equal(f.props.props[0].colour[1], coloured ? 20 : 255);
        assert_int_equal(f.props.props[0].colour[3], coloured ? 40 : 255);
        assert_float_equal(f.props.props[0].scale[0], cases[i].version == 11 ? 2 : 1, 0);
        end(&f);
    }
}

static void leaves_are_those_it_reaches(void **state)
{
    (void)state;
    const struct vec3 west = vec3(100, 128, 64), east = vec3(440, 128, 64);
    struct fixture f;
    begin(&f);
    put_model(&f, "bar", MDL_STATIC_PROP, 120, 2, 2);
    put_prop(&f, "models/bar.mdl", "origin \"128 64 64\"");  /* in the west */
    put_prop(&f, "models/bar.mdl", "origin \"264 128 64\""); /* through the door */
    put_prop(&f, "models/bar.mdl", "origin \"400 64 64\" angles \"0 45 0\"");
    /* Its box reaches beyond the wall, but its shape does not. */
    put_prop(&f, "models/bar.mdl", "origin \"180 80 64\" angles \"0 90 0\"");
    compile(&f);
    assert_int_equal(arrlen(f.props.props), 4);
    assert_true(has_leaf_at(&f, 0, vec3(100, 64, 64)));
    assert_false(has_leaf_at(&f, 0, vec3(400, 64, 64)));
    assert_true(has_leaf_at(&f, 1, west) && has_leaf_at(&f, 1, east));
    assert_true(has_leaf_at(&f, 1, vec3(264, 128, 64)));
    assert_false(has_leaf_at(&f, 2, vec3(100, 64, 64)));
    assert_false(has_leaf_at(&f, 3, vec3(400, 64, 64)));
    for (size_t i = 0; i < arrlenu(f.props.props); i++) {
        const struct static_prop *prop = &f.props.props[i];
        for (int j = 0; j < prop->leaf_count; j++) {
            int32_t leaf = f.props.leaves[prop->first_leaf + j];
            assert_int_equal(f.map.bsp->leaves[leaf].contents & CONTENTS_SOLID, 0);
            assert_true(j == 0 || leaf < f.props.leaves[prop->first_leaf + j - 1]);
        }
    }
    end(&f);
}

static void models_that_move_are_placed_when_asked(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    put_model(&f, "moves", 0, 8, 8, 8);
    put_prop(&f, "models/moves.mdl", "origin \"64 64 32\"");
    f.map.options.dynamic_props = true;
    compile(&f);
    assert_int_equal(diag_count_code(f.map.diag, DIAG_PROP_NOT_STATIC), 0);
    assert_int_equal(arrlen(f.props.props), 1);
    end(&f);
}

static void models_are_judged_once(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    put_model(&f, "moves", 0, 8, 8, 8);
    for (int i = 0; i < 3; i++) {
        put_prop(&f, "models/gone.mdl", "origin \"64 64 32\"");
        put_prop(&f, "models/moves.mdl", "origin \"64 64 32\"");
    }
    /* In a wall: what is near counts. */
    put_prop(&f, "models/gone.mdl", "origin \"-8 64 32\"");
    compile(&f);
    assert_int_equal(diag_count_code(f.map.diag, DIAG_PROP_MODEL_MISSING), 1);
    assert_int_equal(diag_count_code(f.map.diag, DIAG_PROP_NOT_STATIC), 1);
    assert_int_equal(arrlen(f.props.props), 4);
    assert_int_equal(arrlen(f.props.models), 1);
    assert_true(has_leaf_at(&f, 0, vec3(64, 64, 32)));
    assert_true(has_leaf_at(&f, 3, vec3(64, 64, 32)));
    end(&f);
}

static void what_cannot_be_placed_is_reported(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    put_model(&f, "box", MDL_STATIC_PROP, 8, 8, 8);
    put_prop(&f, "models/box.mdl", "origin \"264 48 64\""); /* fills the wall */
    put_prop(&f, "", "origin \"64 64 32\"");
    put_prop(&f, "models/box.mdl", "origin \"64 64 32\" skin many lightingorigin nobody");
    compile(&f);
    assert_int_equal(diag_count_code(f.map.diag, DIAG_PROP_OUTSIDE), 1);
    assert_int_equal(diag_count_code(f.map.diag, DIAG_PROP_KEY), 3);
    assert_int_equal(arrlen(f.props.props), 1);
    assert_int_equal(f.props.props[0].skin, 0);
    assert_int_equal(f.props.props[0].flags, STATIC_PROP_NO_TEXEL_LIGHTING);
    end(&f);
}

static void no_props_no_lump(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    put_model(&f, "box", MDL_STATIC_PROP, 8, 8, 8);
    put_prop(&f, "models/box.mdl", "origin \"264 48 64\""); /* fills the wall */
    compile(&f);
    assert_int_equal(arrlen(f.map.bsp->game_lumps), 0);
    end(&f);
}

static void a_name_too_long_fails(void **state)
{
    (void)state;
    struct fixture f;
    char name[200] = "models/", keys[] = "origin \"64 64 32\"";
    begin(&f);
    memset(name + 7, 'x', 150);
    put_prop(&f, name, keys);
    bytes_append_text(&f.map.text, "}\n");
    struct assets_options look_up = {0};
    assert_int_equal(assets_open(&f.map.env, &look_up, &f.map.assets), STATUS_OK);
    assert_int_equal(vmf_parse((const char *)f.map.text.data, f.map.text.size, "maps/test.vmf",
                               f.map.diag, &f.map.level),
                     STATUS_OK);
    assert_int_equal(
        vbsp_run(&f.map.env, &f.map.options, f.map.assets, &f.map.level, NULL, &f.map.out),
        STATUS_FAILED);
    assert_int_equal(diag_count_code(f.map.diag, DIAG_PROP_LIMIT), 1);
    end(&f);
}

SUITE(test_vbsp_static_props)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_hold_the_keys),
        cmocka_unit_test(flags_are_those_of_the_branch),
        cmocka_unit_test(versions_follow_the_target),
        cmocka_unit_test(leaves_are_those_it_reaches),
        cmocka_unit_test(models_that_move_are_placed_when_asked),
        cmocka_unit_test(models_are_judged_once),
        cmocka_unit_test(what_cannot_be_placed_is_reported),
        cmocka_unit_test(no_props_no_lump),
        cmocka_unit_test(a_name_too_long_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
