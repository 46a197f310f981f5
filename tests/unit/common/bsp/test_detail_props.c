#include "tests/support/suite.h"

#include "common/bsp/codec/codec.h"
#include "common/bsp/lumps/detail_props.h"
#include "common/diag/codes/prop_lumps.def"
#include "tests/support/game_lumps.h"

static void same_bytes(const struct bytes *a, const struct bytes *b)
{
    assert_int_equal(a->size, b->size);
    if (a->size)
        assert_memory_equal(a->data, b->data, a->size);
}

static void reorder_and_back(uint32_t id, int version, enum byte_order order,
                             const struct bytes *lump)
{
    enum byte_order other = order == ORDER_BIG ? ORDER_LITTLE : ORDER_BIG;
    struct bytes turned = {0}, again = {0};
    assert_true(game_lump_reorder(id, version, order, other, lump, &turned));
    assert_int_equal(turned.size, lump->size);
    assert_true(game_lump_reorder(id, version, other, order, &turned, &again));
    same_bytes(&again, lump);
    bytes_free(&turned);
    bytes_free(&again);
}

static enum status decode(const struct bytes *lump, int version, struct detail_props *props)
{
    struct diag *diag = diag_new(NULL, NULL);
    enum status status = detail_props_decode(lump, version, ORDER_LITTLE, NULL, diag, props);
    assert_int_equal(diag_count(diag, DIAG_ERROR), status != STATUS_OK);
    diag_free(diag);
    return status;
}

/* One model and one sprite, an object of each. */
static struct detail_props some_props(void)
{
    struct detail_props props = {0};
    char *name = memory_alloc(32);
    strcpy(name, "models/detail/twig.mdl");
    arrput(props.models, name);
    struct detail_sprite sprite = {{-8, 20}, {8, 0}, {0, 0.25F}, {0.5F, 1}};
    arrput(props.sprites, sprite);
    for (int i = 0; i < 2; i++) {
        struct detail_object object = {.origin = {1, 2, (float)i},
                                       .leaf = 258 + i,
                                       .light = {1, 2, 3, -4},
                                       .first_light = 0x01020304,
                                       .sway = 127,
                                       .shape_angle = 30,
                                       .shape_size = 102,
                                       .orientation = DETAIL_FACES_SCREEN_UPRIGHT,
                                       .type = i ? DETAIL_CROSS : DETAIL_MODEL,
                                       .scale = 1.5F,
                                       .after_orientation = {5, 6, 7},
                                       .after_type = {8, 9, 10}};
        arrput(props.objects, object);
    }
    return props;
}

static void props_stand_as_the_format_says(void **state)
{
    (void)state;
    struct detail_props props = some_props(), again = {0};
    struct bytes lump = {0}, big = {0};
    struct record_range_error range_error;
    assert_true(detail_props_encode(&props, ORDER_LITTLE, &lump, &range_error));
    assert_true(detail_props_encode(&props, ORDER_BIG, &big, &range_error));
    assert_int_equal(lump.size, 4 + 128 + 4 + 32 + 4 + 2 * 52);
    static const unsigned char middle[] = {0,  0,   2, 1, 1, 2, 3, 0xfc, 4, 3,  2, 1, 0,    127,
                                           30, 102, 2, 5, 6, 7, 0, 8,    9, 10, 0, 0, 0xc0, 0x3f};
    assert_memory_equal(lump.data + 172 + 24, middle, sizeof middle);
    static const unsigned char turned[] = {0, 0, 1, 2, 1, 2, 3, 0xfc, 1, 2, 3, 4, 0, 127};
    assert_memory_equal(big.data + 172 + 24, turned, sizeof turned);
    assert_int_equal(decode(&lump, 4, &again), STATUS_OK);
    assert_int_equal(again.objects[1].leaf, 259);
    assert_int_equal(again.objects[0].light.exponent, -4);
    assert_int_equal(again.objects[1].type, DETAIL_CROSS);
    assert_true(again.sprites[0].texture_lower_right[0] == 0.5F);
    reorder_and_back(DETAIL_PROPS_ID, 4, ORDER_LITTLE, &lump);
    detail_props_free(&props);
    detail_props_free(&again);
    bytes_free(&lump);
    bytes_free(&big);
}

static void damaged_lumps_are_refused(void **state)
{
    (void)state;
    struct detail_props props = some_props(), again = {0};
    struct bytes lump = {0};
    struct record_range_error range_error;
    assert_true(detail_props_encode(&props, ORDER_LITTLE, &lump, &range_error));
    for (size_t size = 0; size < lump.size; size++) {
        struct bytes cut = {.data = lump.data, .size = size};
        assert_int_equal(decode(&cut, 4, &again), STATUS_FAILED);
        assert_null(again.models);
    }
    assert_int_equal(decode(&lump, 3, &again), STATUS_FAILED);
    bytes_u8(&lump, 0);
    assert_int_equal(decode(&lump, 4, &again), STATUS_FAILED);
    static const size_t counts[] = {168, 132, 0};
    for (int i = 0; i < 3; i++) {
        store_u32(ORDER_LITTLE, lump.data + counts[i], 0xffffffff);
        assert_int_equal(decode(&lump, 4, &again), STATUS_FAILED);
    }
    props.objects[0].leaf = 65536;
    lump.size = 0;
    assert_false(detail_props_encode(&props, ORDER_LITTLE, &lump, &range_error));
    assert_string_equal(range_error.field, "leaf");
    assert_int_equal(lump.size, 0);
    detail_props_free(&props);
    bytes_free(&lump);
}

static void light_comes_back(void **state)
{
    (void)state;
    static const unsigned char two[] = {2, 0, 0, 0, 0xa0, 0x36, 0x11, 0xf7, 32, 1, 2, 3, 4, 5};
    struct bytes lump = {0}, out = {0};
    struct detail_light *lights = NULL;
    struct diag *diag = diag_new(NULL, NULL);
    bytes_append(&lump, two, sizeof two);
    assert_int_equal(detail_light_decode(&lump, 0, ORDER_LITTLE, NULL, diag, &lights), STATUS_OK);
    assert_int_equal(arrlen(lights), 2);
    assert_int_equal(lights[0].light.exponent, -9);
    assert_int_equal(lights[0].style, 32);
    detail_light_encode(lights, ORDER_BIG, &out);
    assert_int_equal(out.data[3], 2);
    assert_memory_equal(out.data + 4, two + 4, sizeof two - 4);
    arrfree(lights);
    lights = NULL;
    for (lump.size = 0; lump.size < sizeof two; lump.size++)
        assert_int_equal(detail_light_decode(&lump, 0, ORDER_LITTLE, NULL, diag, &lights),
                         STATUS_FAILED);
    assert_int_equal(detail_light_decode(&lump, 1, ORDER_LITTLE, NULL, diag, &lights),
                     STATUS_FAILED);
    reorder_and_back(DETAIL_LIGHT_ID, 0, ORDER_LITTLE, &lump);
    reorder_and_back(DETAIL_LIGHT_HDR_ID, 0, ORDER_LITTLE, &lump);
    bytes_free(&lump);
    bytes_free(&out);
    diag_free(diag);
}

static void unknown_lumps_are_not_turned(void **state)
{
    (void)state;
    unsigned char zeros[12] = {0};
    struct bytes lump = {.data = zeros, .size = sizeof zeros}, out = {0};
    bytes_u8(&out, 1);
    assert_false(game_lump_reorder(0x61626364, 1, ORDER_BIG, ORDER_LITTLE, &lump, &out));
    assert_false(game_lump_reorder(DETAIL_PROPS_ID, 5, ORDER_BIG, ORDER_LITTLE, &lump, &out));
    assert_int_equal(out.size, 1);
    assert_true(game_lump_reorder(DETAIL_PROPS_ID, 4, ORDER_BIG, ORDER_LITTLE, &lump, &out));
    assert_int_equal(out.size, 13);
    bytes_free(&out);
}

static size_t findings(const struct detail_props *props, size_t lights)
{
    struct diag *diag = diag_new(NULL, NULL);
    detail_props_check(props, 300, lights, NULL, diag);
    size_t count = diag_count_code(diag, DIAG_DETAIL_PROPS);
    assert_int_equal(count, diag_entries(diag));
    diag_free(diag);
    return count;
}

static void what_is_wrong_is_found(void **state)
{
    (void)state;
    struct detail_props props = some_props();
    struct detail_object *object = &props.objects[1];
    const struct detail_object sound = *object;
    assert_int_equal(findings(&props, 0), 0);
    object->model = 1;
    assert_int_equal(findings(&props, 0), 1);
    *object = sound;
    object->leaf = 300;
    assert_int_equal(findings(&props, 0), 1);
    object->leaf = 1; /* before the other's */
    assert_int_equal(findings(&props, 0), 1);
    *object = sound;
    object->type = 4;
    object->orientation = 3;
    assert_int_equal(findings(&props, 0), 2);
    *object = sound;
    object->first_light = 3;
    object->light_count = 2;
    assert_int_equal(findings(&props, 4), 1);
    assert_int_equal(findings(&props, 5), 0);
    detail_props_free(&props);
}

static void lump_of_a_map(void *context, const struct found_game_lump *lump)
{
    size_t *objects = context;
    struct detail_props props = {0};
    struct bytes out = {0};
    struct record_range_error range_error;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct diag_where where = {.file = lump->path};
    assert_int_equal(
        detail_props_decode(&lump->data, lump->version, lump->order, &where, diag, &props),
        STATUS_OK);
    assert_true(detail_props_encode(&props, lump->order, &out, &range_error));
    same_bytes(&out, &lump->data);
    reorder_and_back(DETAIL_PROPS_ID, lump->version, lump->order, &lump->data);
    detail_props_check(&props, lump->leaf_count, SIZE_MAX, &where, diag);
    assert_int_equal(diag_entries(diag), 0);
    *objects += arrlenu(props.objects);
    detail_props_free(&props);
    bytes_free(&out);
    diag_free(diag);
}

static void light_of_a_map(void *context, const struct found_game_lump *lump)
{
    (void)context;
    reorder_and_back(DETAIL_LIGHT_ID, lump->version, lump->order, &lump->data);
}

static void maps_of_the_corpus(void **state)
{
    (void)state;
    size_t objects = 0;
    if (!game_lumps_visit(DETAIL_PROPS_ID, lump_of_a_map, &objects)) {
        print_message("no corpus at %s\n", SHARED_DIR);
        skip();
    }
    assert_true(objects > 1000);
    game_lumps_visit(DETAIL_LIGHT_ID, light_of_a_map, NULL);
    game_lumps_visit(DETAIL_LIGHT_HDR_ID, light_of_a_map, NULL);
}

SUITE(test_detail_props)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(props_stand_as_the_format_says),
        cmocka_unit_test(damaged_lumps_are_refused),
        cmocka_unit_test(light_comes_back),
        cmocka_unit_test(unknown_lumps_are_not_turned),
        cmocka_unit_test(what_is_wrong_is_found),
        cmocka_unit_test(maps_of_the_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
