#include "tests/support/suite.h"

#include "common/bsp/codec/codec.h"
#include "common/bsp/lumps/static_props.h"
#include "common/diag/codes/bsp_records.def"
#include "common/diag/codes/prop_lumps.def"
#include "tests/support/game_lumps.h"

#define SPRP_FOLDER SHARED_DIR "/corpus/assets/sprp/"

static void same_bytes(const struct bytes *a, const struct bytes *b)
{
    assert_int_equal(a->size, b->size);
    if (a->size)
        assert_memory_equal(a->data, b->data, a->size);
}

static enum status decode(const struct bytes *lump, int version, enum byte_order order,
                          struct static_props *props, enum static_prop_form *form)
{
    struct diag *diag = diag_new(NULL, NULL);
    enum status status = static_props_decode(lump, version, order, NULL, diag, props, form);
    assert_int_equal(diag_count(diag, DIAG_ERROR), status != STATUS_OK);
    diag_free(diag);
    return status;
}

static void encode(const struct static_props *props, enum static_prop_form form, struct bytes *out)
{
    struct record_range_error range_error;
    assert_true(static_props_encode(props, form, ORDER_LITTLE, out, &range_error));
}

/* Decoding and encoding gives the same bytes, also there and back in the other byte order. */
static void round_trip(const struct bytes *lump, int version, enum byte_order order,
                       struct static_props *props, enum static_prop_form *form)
{
    enum byte_order other = order == ORDER_BIG ? ORDER_LITTLE : ORDER_BIG;
    struct bytes out = {0}, turned = {0}, again = {0};
    struct record_range_error range_error;
    assert_int_equal(decode(lump, version, order, props, form), STATUS_OK);
    assert_true(static_props_encode(props, *form, order, &out, &range_error));
    same_bytes(&out, lump);
    assert_true(game_lump_reorder(STATIC_PROPS_ID, version, order, other, lump, &turned));
    assert_int_equal(turned.size, lump->size);
    assert_true(game_lump_reorder(STATIC_PROPS_ID, version, other, order, &turned, &again));
    same_bytes(&again, lump);
    bytes_free(&out);
    bytes_free(&turned);
    bytes_free(&again);
}

/* Two props with a value in every member that a form may have. */
static struct static_props some_props(void)
{
    struct static_props props = {0};
    static const char *const names[] = {"models/props/a.mdl", "models/props/b.mdl"};
    for (int i = 0; i < 2; i++) {
        struct static_prop prop = static_prop_default();
        char *name = memory_alloc(strlen(names[i]) + 1);
        strcpy(name, names[i]);
        arrput(props.models, name);
        for (int k = 0; k < 3; k++) {
            prop.origin[k] = (float)(100 * i + k);
            prop.angles[k] = (float)(10 * k);
        }
        prop.model = 1 - i;
        prop.first_leaf = 2 * i;
        prop.leaf_count = 2 - i;
        prop.solid = STATIC_PROP_SOLID_MODEL;
        prop.flags = STATIC_PROP_NO_SHADOW;
        prop.skin = i;
        arrput(props.props, prop);
    }
    for (int i = 0; i < 3; i++)
        arrput(props.leaves, 7 - i);
    return props;
}

static void every_form_comes_back_the_same(void **state)
{
    (void)state;
    for (int i = STATIC_PROP_UNKNOWN + 1; i < STATIC_PROP_FORMS; i++) {
        enum static_prop_form form = (enum static_prop_form)i, found;
        const struct static_prop_form_info *info = static_prop_form_info(form);
        struct static_props props = some_props(), again = {0};
        struct bytes lump = {0};
        encode(&props, form, &lump);
        assert_int_equal(lump.size,
                         4 + 2 * 128 + 4 + 3 * info->leaf_size + 4 + 2 * info->record_size);
        round_trip(&lump, info->version, ORDER_LITTLE, &again, &found);
        assert_int_equal(found, form);
        assert_int_equal(arrlen(again.props), 2);
        assert_string_equal(again.models[1], "models/props/b.mdl");
        assert_int_equal(again.leaves[2], 5);
        assert_int_equal(again.props[1].flags, STATIC_PROP_NO_SHADOW);
        assert_int_equal(again.props[1].first_leaf, 2);
        assert_int_equal(again.props[0].colour[3], 255);
        assert_true(again.props[0].forced_fade_scale == 1);
        assert_true(again.props[1].scale[2] == 1);
        assert_null(static_props_losses(&props, form));
        static_props_free(&props);
        static_props_free(&again);
        bytes_free(&lump);
    }
}

static void forms_are_known_by_version_and_size(void **state)
{
    (void)state;
    assert_int_equal(static_prop_form_of(7, 68), STATIC_PROP_7);
    assert_int_equal(static_prop_form_of(7, 72), STATIC_PROP_SDK2013);
    assert_int_equal(static_prop_form_of(9, 72), STATIC_PROP_9);
    assert_int_equal(static_prop_form_of(10, 72), STATIC_PROP_SDK2013);
    assert_int_equal(static_prop_form_of(10, 76), STATIC_PROP_10);
    assert_int_equal(static_prop_form_of(10, 0), STATIC_PROP_SDK2013);
    assert_int_equal(static_prop_form_of(11, 80), STATIC_PROP_11);
    assert_int_equal(static_prop_form_of(10, 80), STATIC_PROP_UNKNOWN);
    assert_int_equal(static_prop_form_of(3, 0), STATIC_PROP_UNKNOWN);
    assert_int_equal(static_prop_form_of(14, 88), STATIC_PROP_UNKNOWN);
}

/* Lumps that another program wrote, one per layout, all from one prop. */
static const struct {
    const char *file;
    int version;
    enum static_prop_form form;
} samples[] = {
    {"v4_.lmp", 4, STATIC_PROP_4},
    {"v5_.lmp", 5, STATIC_PROP_5},
    {"v6_.lmp", 6, STATIC_PROP_6},
    {"v7_.lmp", 7, STATIC_PROP_7},
    {"v8_.lmp", 8, STATIC_PROP_8},
    {"v9_.lmp", 9, STATIC_PROP_9},
    {"v10_.lmp", 10, STATIC_PROP_10},
    {"v11_.lmp", 11, STATIC_PROP_11},
    {"v_lightmap_v7_.lmp", 7, STATIC_PROP_SDK2013},
    {"v_lightmap_v10_.lmp", 10, STATIC_PROP_SDK2013},
    {"v_lightmap_mesa_.lmp", 11, STATIC_PROP_MESA},
    {"v_strata_v12_.lmp", 12, STATIC_PROP_STRATA_12_LEAN},
    {"v_strata_v13_.lmp", 13, STATIC_PROP_STRATA_13_LEAN},
};

static bool has(enum static_prop_form form, int min, bool lightmaps)
{
    bool of_2013 = form == STATIC_PROP_SDK2013 || form == STATIC_PROP_MESA;
    return of_2013 ? lightmaps : (int)form >= min && !(lightmaps && min > 7);
}

static void expect_sample(const struct static_props *props, enum static_prop_form form)
{
    assert_int_equal(arrlen(props->models), 1);
    assert_int_equal(arrlen(props->leaves), 1);
    assert_int_equal(arrlen(props->props), 1);
    const struct static_prop *prop = &props->props[0];
    assert_int_equal(props->leaves[0], 0);
    assert_int_equal(prop->leaf_count, 1);
    assert_int_equal(prop->solid, STATIC_PROP_SOLID_MODEL);
    assert_int_equal(prop->skin, 1);
    assert_float_equal(prop->angles[0], 12.5F, 0);
    assert_float_equal(prop->angles[1], 270, 0);
    assert_float_equal(prop->fade_min, 8.2F, 1e-6F);
    assert_float_equal(prop->lighting_origin[2], -5.2981F, 1e-3F);
    const float fade = has(form, STATIC_PROP_5, true) ? -1 : 1;
    assert_float_equal(prop->forced_fade_scale, fade, 0);
    bool dx = form == STATIC_PROP_6 || form == STATIC_PROP_7 || form == STATIC_PROP_SDK2013 ||
              form == STATIC_PROP_MESA;
    assert_int_equal(prop->min_dx, dx ? 1 : 0);
    assert_int_equal(prop->max_dx, dx ? 3 : 0);
    bool hardware = has(form, STATIC_PROP_8, false);
    assert_int_equal(prop->min_cpu, hardware ? 2 : 0);
    assert_int_equal(prop->max_gpu, hardware ? 6 : 0);
    bool lightmap = form == STATIC_PROP_SDK2013 || form == STATIC_PROP_MESA;
    assert_int_equal(prop->lightmap_resolution[0], lightmap ? 48 : 0);
    assert_int_equal(prop->lightmap_resolution[1], lightmap ? 32 : 0);
    const float scale = form == STATIC_PROP_11 || form >= STATIC_PROP_STRATA_12 ? 1.25F : 1;
    for (int k = 0; k < 3; k++)
        assert_float_equal(prop->scale[k], scale, 0);
}

static void expect_colour(const struct static_prop *prop, enum static_prop_form form)
{
    static const uint8_t tint[] = {192, 255, 64, 128}, none[] = {255, 255, 255, 255};
    if (form == STATIC_PROP_STRATA_13_LEAN)
        return; /* the sample has another one */
    bool tinted = form == STATIC_PROP_7 || form == STATIC_PROP_MESA ||
                  (form != STATIC_PROP_SDK2013 && form >= STATIC_PROP_7);
    assert_memory_equal(prop->colour, tinted ? tint : none, 4);
}

static void lumps_of_another_program(void **state)
{
    (void)state;
    size_t found = 0;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char path[1024];
        struct bytes lump = {0};
        struct static_props props = {0};
        enum static_prop_form form;
        snprintf(path, sizeof path, SPRP_FOLDER "%s", samples[i].file);
        if (fs_disk()->ops->read(fs_disk(), path, &lump) == 0) {
            round_trip(&lump, samples[i].version, ORDER_LITTLE, &props, &form);
            assert_int_equal(form, samples[i].form);
            expect_sample(&props, form);
            expect_colour(&props.props[0], form);
            found++;
        }
        static_props_free(&props);
        bytes_free(&lump);
    }
    if (!found) {
        print_message("no corpus at %s\n", SHARED_DIR);
        skip();
    }
    assert_int_equal(found, sizeof samples / sizeof *samples);
}

struct tally {
    size_t props, big;
};

static void lump_of_a_map(void *context, const struct found_game_lump *lump)
{
    struct tally *tally = context;
    struct static_props props = {0};
    enum static_prop_form form;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct diag_where where = {.file = lump->path};
    round_trip(&lump->data, lump->version, lump->order, &props, &form);
    static_props_check(&props, lump->leaf_count, &where, diag);
    assert_int_equal(diag_entries(diag), 0);
    tally->props += arrlenu(props.props);
    tally->big += lump->order == ORDER_BIG ? arrlenu(props.props) : 0;
    static_props_free(&props);
    diag_free(diag);
}

static void maps_of_the_corpus(void **state)
{
    (void)state;
    struct tally tally = {0};
    if (!game_lumps_visit(STATIC_PROPS_ID, lump_of_a_map, &tally)) {
        print_message("no corpus at %s\n", SHARED_DIR);
        skip();
    }
    assert_true(tally.props > 200);
    assert_int_equal(tally.big, 2);
}

static size_t loss_of(const struct static_props *props, enum static_prop_form form,
                      const char *field)
{
    struct static_prop_loss *losses = static_props_losses(props, form);
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(losses); i++)
        if (!strcmp(losses[i].field, field))
            count = losses[i].props;
    arrfree(losses);
    return count;
}

static void losses_are_what_a_form_has_no_field_for(void **state)
{
    (void)state;
    struct static_props props = some_props();
    props.props[0].flags |= STATIC_PROP_NO_TEXEL_LIGHTING;
    props.props[1].flags |= STATIC_PROP_NO_TEXEL_LIGHTING;
    props.props[0].max_dx = 81;
    props.props[1].scale[1] = 2;
    props.props[1].colour[2] = 0;
    props.props[1].forced_fade_scale = 0.5F;
    assert_int_equal(loss_of(&props, STATIC_PROP_6, "flags above the lowest eight"), 2);
    assert_int_equal(loss_of(&props, STATIC_PROP_SDK2013, "flags above the lowest eight"), 0);
    assert_int_equal(loss_of(&props, STATIC_PROP_5, "DirectX levels"), 1);
    assert_int_equal(loss_of(&props, STATIC_PROP_6, "DirectX levels"), 0);
    assert_int_equal(loss_of(&props, STATIC_PROP_8, "DirectX levels"), 1);
    assert_int_equal(loss_of(&props, STATIC_PROP_11, "scales along the axes"), 1);
    assert_int_equal(loss_of(&props, STATIC_PROP_STRATA_13, "scales along the axes"), 0);
    assert_int_equal(loss_of(&props, STATIC_PROP_6, "colour"), 1);
    assert_int_equal(loss_of(&props, STATIC_PROP_7, "colour"), 0);
    assert_int_equal(loss_of(&props, STATIC_PROP_4, "forced fade scale"), 1);
    static_props_free(&props);
}

static void narrow_flags_stand_where_wide_ones_leave_a_filler(void **state)
{
    (void)state;
    struct static_props props = some_props(), wide = {0}, narrow = {0};
    struct bytes lump = {0};
    enum static_prop_form form;
    props.props[0].flags = 0x155;
    props.props[0].flag_byte = 0xbf;
    encode(&props, STATIC_PROP_SDK2013, &lump);
    assert_int_equal(decode(&lump, 10, ORDER_LITTLE, &wide, &form), STATUS_OK);
    assert_int_equal(wide.props[0].flags, 0x155);
    assert_int_equal(wide.props[0].flag_byte, 0xbf);
    lump.size = 0;
    encode(&wide, STATIC_PROP_6, &lump);
    assert_int_equal(decode(&lump, 6, ORDER_LITTLE, &narrow, &form), STATUS_OK);
    assert_int_equal(narrow.props[0].flags, 0x55);
    static_props_free(&props);
    static_props_free(&wide);
    static_props_free(&narrow);
    bytes_free(&lump);
}

static void range_errors_leave_the_output_alone(void **state)
{
    (void)state;
    struct static_props props = some_props();
    struct bytes out = {.order = ORDER_BIG};
    struct record_range_error range_error;
    bytes_u32(&out, 1);
    props.props[1].model = 65536;
    assert_false(static_props_encode(&props, STATIC_PROP_6, ORDER_LITTLE, &out, &range_error));
    assert_int_equal(range_error.record, 1);
    assert_string_equal(range_error.field, "model");
    props.props[1].model = 0;
    props.leaves[2] = 70000;
    assert_false(static_props_encode(&props, STATIC_PROP_6, ORDER_LITTLE, &out, &range_error));
    assert_int_equal(range_error.record, 2);
    assert_int_equal(out.size, 4);
    assert_int_equal(out.order, ORDER_BIG);
    assert_true(
        static_props_encode(&props, STATIC_PROP_STRATA_12, ORDER_LITTLE, &out, &range_error));
    assert_int_equal(load_u32(out.data + 4), 2);
    props.models[0] = memory_realloc(props.models[0], 130);
    memset(props.models[0], 'm', 129);
    props.models[0][129] = 0;
    assert_false(
        static_props_encode(&props, STATIC_PROP_STRATA_12, ORDER_LITTLE, &out, &range_error));
    assert_int_equal(range_error.value, 129);
    bytes_free(&out);
    static_props_free(&props);
}

static void refused(const struct bytes *lump, int version, int code)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct static_props props = {0};
    enum static_prop_form form;
    assert_int_equal(static_props_decode(lump, version, ORDER_LITTLE, NULL, diag, &props, &form),
                     STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, code), 1);
    assert_int_equal(form, STATIC_PROP_UNKNOWN);
    assert_null(props.models);
    diag_free(diag);
}

static void damaged_lumps_are_refused(void **state)
{
    (void)state;
    struct static_props props = some_props();
    struct bytes lump = {0}, empty = {0};
    refused(&empty, 6, DIAG_BSP_LUMP);
    encode(&props, STATIC_PROP_6, &lump);
    for (size_t size = 0; size < 260 + 4 + 6 + 4; size++) {
        struct bytes cut = {.data = lump.data, .size = size};
        refused(&cut, 6, DIAG_BSP_LUMP);
    }
    refused(&lump, 5, DIAG_PROPS_LAYOUT);
    refused(&lump, 14, DIAG_PROPS_LAYOUT);
    bytes_u8(&lump, 0);
    refused(&lump, 6, DIAG_PROPS_LAYOUT);
    store_u32(ORDER_LITTLE, lump.data + 260 + 4 + 6, 0); /* no props, but their bytes */
    refused(&lump, 6, DIAG_BSP_LUMP);
    store_u32(ORDER_LITTLE, lump.data + 260 + 4 + 6, 0xffffffff);
    refused(&lump, 6, DIAG_BSP_LUMP);
    store_u32(ORDER_LITTLE, lump.data + 260, 0xffffffff);
    refused(&lump, 6, DIAG_BSP_LUMP);
    store_u32(ORDER_LITTLE, lump.data, 0xffffffff);
    refused(&lump, 6, DIAG_BSP_LUMP);
    bytes_free(&lump);
    static_props_free(&props);
}

struct findings {
    size_t wrong, odd;
};

static struct findings check(const struct static_props *props)
{
    struct diag *diag = diag_new(NULL, NULL);
    static_props_check(props, 8, NULL, diag);
    struct findings findings = {diag_count_code(diag, DIAG_STATIC_PROPS),
                                diag_count_code(diag, DIAG_STATIC_PROPS_ODD)};
    diag_free(diag);
    return findings;
}

static void expect_findings(const struct static_props *props, size_t wrong, size_t odd)
{
    struct findings findings = check(props);
    assert_int_equal(findings.wrong, wrong);
    assert_int_equal(findings.odd, odd);
}

static void what_is_wrong_is_found(void **state)
{
    (void)state;
    struct static_props props = some_props();
    struct static_prop *prop = &props.props[1];
    const struct static_prop sound = *prop;
    expect_findings(&props, 0, 0);
    prop->model = 2; /* then model 0 is unused */
    expect_findings(&props, 1, 1);
    *prop = sound;
    prop->leaf_count = 2; /* one more than there are: the last entry is unused */
    expect_findings(&props, 1, 1);
    *prop = sound;
    prop->leaf_count = 0;
    expect_findings(&props, 0, 2);
    *prop = sound;
    prop->first_leaf = 1; /* shares one entry, leaves one unused */
    expect_findings(&props, 0, 2);
    *prop = sound;
    prop->solid = 9;
    expect_findings(&props, 0, 1);
    *prop = sound;
    prop->origin[1] = 1e38F * 10;
    expect_findings(&props, 1, 0);
    *prop = sound;
    props.leaves[2] = 8;
    expect_findings(&props, 1, 0);
    props.leaves[2] = 5;
    props.leaves[1] = props.leaves[0];
    expect_findings(&props, 0, 1);
    props.leaves[1] = 6;
    strcpy(props.models[0], "a.txt");
    expect_findings(&props, 1, 0);
    static_props_free(&props);
}

static void only_the_first_findings_are_told(void **state)
{
    (void)state;
    struct static_props props = some_props();
    for (int i = 0; i < 100; i++) {
        struct static_prop prop = props.props[0];
        prop.model = -1;
        prop.leaf_count = 0;
        arrput(props.props, prop);
    }
    expect_findings(&props, 6, 6);
    static_props_free(&props);
}

SUITE(test_static_props)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_comes_back_the_same),
        cmocka_unit_test(forms_are_known_by_version_and_size),
        cmocka_unit_test(lumps_of_another_program),
        cmocka_unit_test(maps_of_the_corpus),
        cmocka_unit_test(losses_are_what_a_form_has_no_field_for),
        cmocka_unit_test(narrow_flags_stand_where_wide_ones_leave_a_filler),
        cmocka_unit_test(range_errors_leave_the_output_alone),
        cmocka_unit_test(damaged_lumps_are_refused),
        cmocka_unit_test(what_is_wrong_is_found),
        cmocka_unit_test(only_the_first_findings_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
