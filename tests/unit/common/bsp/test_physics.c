#include "tests/support/suite.h"

#include "common/bsp/lumps/physics.h"
#include "common/diag/codes/bsp_limits.def"
#include "common/diag/codes/bsp_records.def"
#include "common/diag/codes/internal.def"
#include "tests/support/bsp_files.h"
#include "tests/support/physics_displacements.h"
#include "tests/support/physics_solids.h"

/* A hand-made lump of two models. */
static struct bytes small_lump(struct diag *diag)
{
    struct physics physics = {.present = true};
    for (int32_t i = 0; i < 2; i++) {
        struct physics_solid boxes = physics_two_boxes(i == 1);
        struct physics_model model = {.index = 3 * i};
        assert_true(physics_solid_pair_edges(&boxes));
        physics_check_solid(&boxes);
        struct bytes solid = physics_encoded(&boxes, diag);
        arrput(model.solids, solid);
        bytes_append_text(&model.text, "solid {\n\"index\" \"0\"\n\"mass\" \"1.5\"\n}\n");
        bytes_u8(&model.text, 0);
        arrput(physics.models, model);
        physics_solid_free(&boxes);
    }
    struct bytes lump = {0};
    physics_encode(&physics, &lump);
    physics_free(&physics);
    return lump;
}

static void expect_words(const unsigned char *at, const uint32_t *words, size_t count,
                         enum byte_order order)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(load_u32_in(order, at + 4 * i), words[i]);
}

/* Offsets and bit fields of the format, worked out by hand. */
static void solid_is_laid_out_as_the_format_says(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct physics_solid boxes = physics_two_boxes(true);
    assert_true(physics_solid_pair_edges(&boxes));
    struct bytes solid = physics_encoded(&boxes, diag);
    /* Ledges of 208 bytes at 48, 256 and 464; 24 points at 672; three nodes at 1056. */
    const uint32_t size = 1056 + 3 * 28;
    const uint32_t header[] = {0x59485056, 0x100, size};
    const uint32_t surface[] = {size << 8 | 0xd7, 1056, 0, 0, 0x53505649};
    const uint32_t first[] = {624, 7, 21u << 8 | 4, 12, 2u << 12};
    const uint32_t outer[] = {208, 1056 - 464, 21u << 8 | 5, 12};
    const uint32_t root[] = {2 * 28, 464u - 1056};
    const uint32_t leaf[] = {0, 48u - 1084};
    assert_int_equal(solid.size, 28 + size);
    expect_words(solid.data, header, 3, ORDER_LITTLE);
    expect_words(solid.data + 28 + 28, surface, 5, ORDER_LITTLE);
    expect_words(solid.data + 28 + 48, first, 5, ORDER_LITTLE);
    expect_words(solid.data + 28 + 464, outer, 4, ORDER_LITTLE);
    expect_words(solid.data + 28 + 1056, root, 2, ORDER_LITTLE);
    expect_words(solid.data + 28 + 1084, leaf, 2, ORDER_LITTLE);
    /* The twin of edge 0, from corner 0 to 4, is edge 2 of triangle 5, from 4 to 0. */
    assert_int_equal(load_u32(solid.data + 28 + 48 + 20), (uint32_t)(4 * 5 + 3 - 1) << 16);
    bytes_free(&solid);
    physics_solid_free(&boxes);
    diag_free(diag);
}

static void same_solid(const struct physics_solid *a, const struct physics_solid *b)
{
    assert_int_equal(arrlen(a->ledges), arrlen(b->ledges));
    assert_int_equal(arrlen(a->triangles), arrlen(b->triangles));
    assert_int_equal(arrlen(a->points), arrlen(b->points));
    assert_int_equal(arrlen(a->nodes), arrlen(b->nodes));
    assert_memory_equal(a->points, b->points, arrlenu(a->points) * sizeof *a->points);
    assert_memory_equal(a->nodes, b->nodes, arrlenu(a->nodes) * sizeof *a->nodes);
    for (size_t i = 0; i < arrlenu(a->ledges); i++) {
        assert_int_equal(a->ledges[i].is_outer, b->ledges[i].is_outer);
        assert_int_equal(a->ledges[i].client, b->ledges[i].client);
        assert_int_equal(a->ledges[i].triangle_count, b->ledges[i].triangle_count);
    }
    for (size_t i = 0; i < arrlenu(a->triangles); i++) {
        assert_int_equal(a->triangles[i].pierce, b->triangles[i].pierce);
        assert_int_equal(a->triangles[i].material, b->triangles[i].material);
        assert_int_equal(a->triangles[i].is_virtual, b->triangles[i].is_virtual);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(a->triangles[i].edges[k].point, b->triangles[i].edges[k].point);
            assert_int_equal(a->triangles[i].edges[k].twin, b->triangles[i].edges[k].twin);
        }
    }
}

static void solid_made_by_hand_comes_back(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    for (int with_outer = 0; with_outer < 2; with_outer++) {
        struct physics_solid boxes = physics_two_boxes(with_outer), again;
        assert_true(physics_solid_pair_edges(&boxes));
        boxes.triangles[3].material = 127;
        boxes.points[2].ignored = 0xfeedface;
        boxes.nodes[0].counter = 3;
        struct bytes solid = physics_encoded(&boxes, diag);
        assert_int_equal(physics_solid_decode(&solid, NULL, diag, &again), STATUS_OK);
        assert_int_equal(again.kind, PHYSICS_POLY);
        assert_true(again.exact);
        same_solid(&again, &boxes);
        physics_check_solid(&again);
        physics_solid_free(&again);
        physics_solid_free(&boxes);
        bytes_free(&solid);
    }
    diag_free(diag);
}

static void open_hull_has_no_pairs(void **state)
{
    (void)state;
    struct physics_solid boxes = physics_two_boxes(false);
    struct physics_edge *edges = boxes.triangles[4].edges;
    struct physics_edge swapped = edges[0];
    edges[0] = edges[1];
    edges[1] = swapped;
    assert_false(physics_solid_pair_edges(&boxes));
    physics_solid_free(&boxes);
}

/* Each case invalidates a struct in one way. */
static void spoil(struct physics_solid *solid, int way)
{
    switch (way) {
    case 0:
        solid->triangles[0].edges[1].point = 16;
        break;
    case 1:
        solid->triangles[0].edges[1].twin = 36;
        break;
    case 2:
        solid->triangles[0].pierce = -1;
        break;
    case 3:
        solid->ledges[1].first_triangle++;
        break;
    case 4:
        solid->ledges[1].triangle_count--;
        break;
    case 5:
        solid->nodes[0].right = 1;
        break;
    case 6:
        solid->nodes[0].right = 3;
        break;
    case 7:
        solid->nodes[1].ledge = 1;
        break;
    case 8:
        solid->nodes[1].ledge = -1;
        break;
    case 9:
        solid->nodes[0].ledge = 0;
        break;
    case 10:
        solid->nodes[2].right = 1;
        break;
    case 11:
        solid->ledges[1].is_outer = true;
        break;
    default:
        arrsetlen(solid->nodes, 0);
        break;
    }
}

static void unsound_struct_is_not_written(void **state)
{
    (void)state;
    enum { WAYS = 13 };
    for (int way = 0; way < WAYS; way++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct physics_solid boxes = physics_two_boxes(false);
        struct bytes out = {0};
        assert_true(physics_solid_pair_edges(&boxes));
        spoil(&boxes, way);
        assert_int_equal(physics_solid_encode(&boxes, NULL, diag, &out), STATUS_FAILED);
        assert_int_equal(diag_count_code(diag, DIAG_INTERNAL), 1);
        assert_int_equal(out.size, 0);
        physics_solid_free(&boxes);
        diag_free(diag);
    }
}

static void limits_are_told(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct physics_solid boxes = physics_two_boxes(false);
    struct bytes out = {0};
    assert_true(physics_solid_pair_edges(&boxes));
    boxes.triangles[1].material = 128;
    assert_int_equal(physics_solid_encode(&boxes, NULL, diag, &out), STATUS_FAILED);
    boxes.triangles[1].material = 0;
    boxes.ledges[0].triangle_count = PHYSICS_TRIANGLES_MAX + 1;
    assert_int_equal(physics_solid_encode(&boxes, NULL, diag, &out), STATUS_FAILED);
    boxes.ledges[0].triangle_count = HULL_BOX_TRIANGLES;
    struct physics_point point = {.ignored = 0};
    while (arrlen(boxes.points) <= PHYSICS_POINTS_MAX)
        arrput(boxes.points, point);
    assert_int_equal(physics_solid_encode(&boxes, NULL, diag, &out), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_BSP_LIMIT), 3);
    assert_int_equal(out.size, 0);
    physics_solid_free(&boxes);
    diag_free(diag);
}

/* A tree that is a chain: each inner node has a leaf first. */
static void deep_tree_is_refused(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct physics_solid solid = {.kind = PHYSICS_POLY, .radius = 1};
    static const float low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    const int32_t leaves = PHYSICS_DEPTH_MAX + 2;
    for (int32_t i = 0; i + 1 < leaves; i++)
        arrput(solid.nodes, physics_box_node(low, high, -1, 2 * (leaves - 1) - i));
    for (int32_t i = 0; i < leaves; i++) {
        physics_add_box(&solid, low, high, false, i);
        arrput(solid.nodes, physics_box_node(low, high, i, 0));
    }
    struct bytes out = {0};
    assert_true(physics_solid_pair_edges(&solid));
    assert_int_equal(physics_solid_encode(&solid, NULL, diag, &out), STATUS_FAILED);
    assert_non_null(strstr(diag_entry(diag, 0)->message, "deep"));
    physics_solid_free(&solid);
    diag_free(diag);
}

/* A word of the solid of two boxes with an outer hull, and its new value. */
struct damage {
    size_t at;
    uint32_t value;
};

static void damaged_solid_is_refused(void **state)
{
    (void)state;
    static const struct damage damages[] = {
        {8, 0x7fffffff}, /* surface size */
        {24, 4},         /* axis map */
        {28 + 32, 0},    /* root */
        {28 + 32, 0xffffffe4},
        {28 + 48, 0xfffffff0}, /* offset of the points */
        {28 + 48, 640},
        {28 + 48 + 12, 0x7fff}, /* triangles */
        {28 + 48 + 12, 0xffff},
        {28 + 48 + 16, 12 << 12},   /* pierce */
        {28 + 48 + 20, 24},         /* a point */
        {28 + 48 + 20, 0x7fff0000}, /* its twin: the header before it */
        {28 + 48 + 20, 0x3fff0000},
        {28 + 1056, 28}, /* second child */
        {28 + 1056, 0},
        {28 + 1056, 0x80000000},
        {28 + 1056 + 4, 0}, /* an outer hull without a node */
        {28 + 1084 + 4, 0}, /* a leaf without a hull */
        {28 + 1084 + 4, 256u - 1084},
        {28 + 1084 + 4, 0x80000000},
        {28 + 1112, 0xffffffc8}, /* a cycle */
    };
    struct diag *diag = diag_new(NULL, NULL);
    struct physics_solid boxes = physics_two_boxes(true), again;
    assert_true(physics_solid_pair_edges(&boxes));
    struct bytes solid = physics_encoded(&boxes, diag);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        uint32_t old = load_u32(solid.data + damages[i].at);
        store_u32(ORDER_LITTLE, solid.data + damages[i].at, damages[i].value);
        assert_int_equal(physics_solid_decode(&solid, NULL, diag, &again), STATUS_FAILED);
        assert_int_equal(diag_count_code(diag, DIAG_BSP_LUMP), i + 1);
        assert_null(again.ledges);
        store_u32(ORDER_LITTLE, solid.data + damages[i].at, old);
    }
    physics_solid_free(&boxes);
    bytes_free(&solid);
    diag_free(diag);
}

/* A solid that encoding would change is reported, and decoded all the same. */
static void odd_solid_is_not_exact(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct physics_solid boxes = physics_two_boxes(true), again;
    assert_true(physics_solid_pair_edges(&boxes));
    struct bytes solid = physics_encoded(&boxes, diag);
    solid.data[28 + 48 + 9]++; /* the size of a ledge */
    assert_int_equal(physics_solid_decode(&solid, NULL, diag, &again), STATUS_OK);
    assert_false(again.exact);
    same_solid(&again, &boxes);
    physics_solid_free(&again);
    physics_solid_free(&boxes);
    bytes_free(&solid);
    diag_free(diag);
}

static void unknown_solid_is_carried(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bytes lump = small_lump(diag), out = {0}, turned = {0};
    struct physics physics;
    struct physics_solid solid;
    lump.data[16 + 4 + 4] = 1; /* version 0x101 */
    assert_int_equal(physics_decode(&lump, NULL, diag, &physics), STATUS_OK);
    const struct bytes *stored = &physics.models[0].solids[0];
    assert_int_equal(physics_solid_decode(stored, NULL, diag, &solid), STATUS_OK);
    assert_int_equal(solid.kind, PHYSICS_OPAQUE);
    assert_int_equal(physics_solid_encode(&solid, NULL, diag, &out), STATUS_OK);
    expect_same_bytes(&out, stored);
    assert_false(physics_reorder(&lump, ORDER_LITTLE, ORDER_BIG, &turned));
    assert_int_equal(turned.size, 0);
    physics_solid_free(&solid);
    physics_free(&physics);
    bytes_free(&out);
    bytes_free(&turned);
    bytes_free(&lump);
    diag_free(diag);
}

static void cut_lumps_are_refused(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes lump = small_lump(diag);
    size_t refused = 0;
    for (size_t size = 1; size < lump.size; size++) {
        struct bytes cut = {.data = lump.data, .size = size}, out = {0};
        struct physics physics;
        assert_int_equal(physics_decode(&cut, NULL, diag, &physics), STATUS_FAILED);
        assert_int_equal(diag_count_code(diag, DIAG_BSP_LUMP), ++refused);
        assert_null(physics.models);
        assert_false(physics_reorder(&cut, ORDER_LITTLE, ORDER_BIG, &out));
        bytes_free(&out);
    }
    bytes_free(&lump);
    diag_free(diag);
}

static void bit_fields_change_sides_with_the_byte_order(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bytes lump = small_lump(diag), big = {0}, little = {0};
    assert_true(physics_reorder(&lump, ORDER_LITTLE, ORDER_BIG, &big));
    const unsigned char *solid = big.data + 16 + 4;
    const uint32_t header[] = {0x59485056, 0x1000000};
    const uint32_t triangle[] = {2u << 8, 22u << 1};
    assert_memory_equal(solid, "YHPV", 4);
    expect_words(solid, header, 2, ORDER_BIG);
    assert_int_equal(solid[28 + 28], 0xd7);
    assert_int_equal(solid[28 + 48 + 8], 0x10);
    assert_int_equal(load_u32_big(solid + 28 + 48 + 8), 0x10000000 | 21);
    assert_int_equal(load_u16_big(solid + 28 + 48 + 12), 12);
    expect_words(solid + 28 + 48 + 16, triangle, 2, ORDER_BIG);
    assert_int_equal(load_u32_big(solid + 28 + 48 + 24) >> 16, 4);
    assert_true(physics_reorder(&big, ORDER_BIG, ORDER_LITTLE, &little));
    expect_same_bytes(&little, &lump);
    bytes_free(&lump);
    bytes_free(&big);
    bytes_free(&little);
    diag_free(diag);
}

static void text_is_read_as_blocks(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct arena arena = {0};
    struct bytes lump = small_lump(diag);
    struct physics physics;
    struct kv *text;
    assert_int_equal(physics_decode(&lump, NULL, diag, &physics), STATUS_OK);
    assert_int_equal(physics_text_blocks(&physics.models[0], "text", &arena, diag, &text),
                     STATUS_OK);
    assert_string_equal(kv_value(kv_find(text, "solid"), "mass"), "1.5");
    assert_int_equal(diag_entries(diag), 0);
    arena_free(&arena);
    physics_free(&physics);
    bytes_free(&lump);
    diag_free(diag);
}

static void displacements_come_back(void **state)
{
    (void)state;
    static const unsigned char data[] = {3, 0, 2, 0, 0xff, 0xff, 1, 0, 'a', 'b', 'c'};
    static const unsigned char turned[] = {0, 3, 0, 2, 0xff, 0xff, 0, 1, 'a', 'b', 'c'};
    const struct bytes lump = {.data = (unsigned char *)(uintptr_t)data, .size = sizeof data};
    struct diag *diag = diag_new(NULL, NULL);
    struct physics_displacements physics;
    struct bytes out = {0}, big = {0};
    assert_int_equal(physics_displacements_decode(&lump, NULL, diag, &physics), STATUS_OK);
    assert_int_equal(arrlen(physics.items), 3);
    assert_true(physics.items[1].none);
    assert_int_equal(physics.items[0].hull.size, 2);
    physics_displacements_append(&physics, &out);
    expect_same_bytes(&out, &lump);
    assert_true(physics_displacements_reorder(&lump, ORDER_LITTLE, ORDER_BIG, &big));
    assert_int_equal(big.size, sizeof turned);
    assert_memory_equal(big.data, turned, sizeof turned);
    physics_displacements_free(&physics);
    for (size_t size = 1; size < sizeof data; size++) {
        const struct bytes cut = {.data = lump.data, .size = size};
        assert_int_equal(physics_displacements_decode(&cut, NULL, diag, &physics), STATUS_FAILED);
        assert_false(physics_displacements_reorder(&cut, ORDER_LITTLE, ORDER_BIG, &big));
    }
    bytes_free(&out);
    bytes_free(&big);
    diag_free(diag);
}

static void nothing_stays_nothing(void **state)
{
    (void)state;
    const struct bytes none = {0};
    struct bytes out = {0};
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct physics physics;
    struct physics_displacements displacements;
    assert_int_equal(physics_decode(&none, NULL, diag, &physics), STATUS_OK);
    physics_encode(&physics, &out);
    assert_int_equal(physics_displacements_decode(&none, NULL, diag, &displacements), STATUS_OK);
    physics_displacements_append(&displacements, &out);
    assert_true(physics_reorder(&none, ORDER_BIG, ORDER_LITTLE, &out));
    assert_true(physics_displacements_reorder(&none, ORDER_BIG, ORDER_LITTLE, &out));
    assert_int_equal(out.size, 0);
    diag_free(diag);
}

SUITE(test_physics)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solid_is_laid_out_as_the_format_says),
        cmocka_unit_test(solid_made_by_hand_comes_back),
        cmocka_unit_test(open_hull_has_no_pairs),
        cmocka_unit_test(unsound_struct_is_not_written),
        cmocka_unit_test(limits_are_told),
        cmocka_unit_test(deep_tree_is_refused),
        cmocka_unit_test(damaged_solid_is_refused),
        cmocka_unit_test(odd_solid_is_not_exact),
        cmocka_unit_test(unknown_solid_is_carried),
        cmocka_unit_test(cut_lumps_are_refused),
        cmocka_unit_test(bit_fields_change_sides_with_the_byte_order),
        cmocka_unit_test(text_is_read_as_blocks),
        cmocka_unit_test(displacements_come_back),
        cmocka_unit_test(nothing_stays_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
