/* Quake 3 maps: made in memory, written, read back. */
#include "tests/support/suite.h"

#include "common/bsp/codec/codec.h"
#include "common/bsp/codec/limit_tables.h"
#include "common/bsp/convert/transform.h"
#include "common/bsp/query.h"
#include "common/bsp/verify/verify.h"
#include "common/diag/codes/bsp_files.def"
#include "common/diag/codes/bsp_limits.def"
#include "common/diag/codes/bsp_records.def"
#include "tests/support/ibsp_room.h"

static const struct bsp_format *quake3(void)
{
    const struct bsp_format *format = bsp_format_find("quake3");
    assert_non_null(format);
    return format;
}

static void print_entry(void *context, const struct diag_entry *entry)
{
    (void)context;
    printf("%s %s\n", diag_info(entry->code)->code, entry->message);
}

static struct bytes encode(const struct bsp *bsp, const struct bsp_format *format)
{
    struct diag *diag = diag_new(print_entry, NULL);
    struct bytes out = {0};
    assert_int_equal(bsp_encode(bsp, format, "room", diag, &out), STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
    return out;
}

static struct bsp *decode(const struct bytes *file)
{
    struct diag *diag = diag_new(print_entry, NULL);
    struct bsp *bsp = NULL;
    assert_int_equal(bsp_decode(file->data, file->size, "room", diag, &bsp), STATUS_OK);
    diag_free(diag);
    return bsp;
}

static struct bytes room_file(int pages)
{
    struct bsp *made = ibsp_room(pages);
    struct bytes file = encode(made, quake3());
    bsp_free(made);
    return file;
}

static struct bsp *room_read(int pages)
{
    struct bytes file = room_file(pages);
    struct bsp *bsp = decode(&file);
    bytes_free(&file);
    return bsp;
}

static void same_bytes(const struct bytes *a, const struct bytes *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

#define SAME_ARRAY(a, b)                                                                           \
    do {                                                                                           \
        assert_int_equal(arrlen(a), arrlen(b));                                                    \
        assert_memory_equal(a, b, arrlenu(a) * sizeof *(a));                                       \
    } while (0)

/* Except for members that the file does not store: types of planes, contents, head nodes. */
static void what_is_made_comes_back(void **state)
{
    (void)state;
    struct bsp *made = ibsp_room(2), *bsp = room_read(2);
    assert_ptr_equal(bsp->format, quake3());
    SAME_ARRAY(made->entities, bsp->entities);
    SAME_ARRAY(made->shaders, bsp->shaders);
    SAME_ARRAY(made->planes, bsp->planes);
    SAME_ARRAY(made->nodes, bsp->nodes);
    for (int i = 1; i < arrlen(made->leaves); i++)
        assert_memory_equal(&made->leaves[i], &bsp->leaves[i], sizeof *made->leaves);
    SAME_ARRAY(made->leaf_faces, bsp->leaf_faces);
    SAME_ARRAY(made->leaf_brushes, bsp->leaf_brushes);
    SAME_ARRAY(made->models, bsp->models);
    SAME_ARRAY(made->brushes, bsp->brushes);
    assert_int_equal(arrlen(made->brush_sides), arrlen(bsp->brush_sides));
    for (int i = 0; i < arrlen(made->brush_sides); i++) { /* these have padding */
        assert_int_equal(made->brush_sides[i].plane, bsp->brush_sides[i].plane);
        assert_int_equal(made->brush_sides[i].texinfo, bsp->brush_sides[i].texinfo);
    }
    SAME_ARRAY(made->draw_vertices, bsp->draw_vertices);
    SAME_ARRAY(made->draw_indices, bsp->draw_indices);
    SAME_ARRAY(made->effects, bsp->effects);
    SAME_ARRAY(made->surfaces, bsp->surfaces);
    SAME_ARRAY(made->light_grid, bsp->light_grid);
    same_bytes(&made->ldr.lighting, &bsp->ldr.lighting);
    same_bytes(&made->visibility, &bsp->visibility);
    bsp_free(made);
    bsp_free(bsp);
}

static void lumps_lie_in_the_order_of_q3map2(void **state)
{
    (void)state;
    static const int32_t order[] = {1, 2, 4, 3, 8, 9, 5, 6, 7, 10, 13, 16, 14, 15, 0, 12, 11};
    struct bytes file = room_file(2);
    struct bsp *bsp = decode(&file);
    int64_t end = 8 + 17 * 8;
    assert_int_equal(bsp->layout.count, 17);
    for (int i = 0; i < 17; i++) {
        int lump = bsp->layout.order[i];
        assert_int_equal(lump, order[i]);
        assert_int_equal(bsp->layout.offset[lump], (end + 3) / 4 * 4);
        end = bsp->layout.offset[lump] + bsp->layout.length[lump];
    }
    assert_int_equal(end, file.size);
    assert_int_equal(bsp->layout.length[IBSP_ENTITIES], arrlen(bsp->entities) + 1);
    struct bytes again = encode(bsp, NULL);
    same_bytes(&file, &again);
    bytes_free(&again);
    bytes_free(&file);
    bsp_free(bsp);
}

static void queries_know_the_room(void **state)
{
    (void)state;
    struct bsp *bsp = room_read(0);
    assert_int_equal(bsp_leaf_at(bsp, 0, vec3(64, 0, 0)), 7);
    assert_int_equal(bsp_leaf_at(bsp, 0, vec3(-64, 0, 0)), 8);
    assert_int_equal(bsp_leaf_at(bsp, 0, vec3(0, 0, 130)), 6);
    assert_int_equal(bsp_leaf_at(bsp, 1, vec3(0, 0, 0)), 0);
    assert_int_equal(bsp_brush_contents_at(bsp, 6, vec3(0, 0, 130)), CONTENTS_SOLID);
    assert_int_equal(bsp_brush_contents_at(bsp, 8, vec3(-64, 0, -10)), 64);
    assert_string_equal(bsp_texinfo_name(bsp, bsp->brush_sides[0].texinfo), "");
    bsp_free(bsp);
}

static void plain_rows_tell_what_sees_what(void **state)
{
    (void)state;
    struct bsp *bsp = room_read(0);
    unsigned char row[2] = {99, 99};
    assert_int_equal(bsp_vis_clusters(bsp), 2);
    bsp_vis_row(bsp, 1, true, row);
    assert_int_equal(row[0], 2);
    assert_int_equal(row[1], 99);
    bsp_vis_row(bsp, 2, false, row);
    assert_int_equal(row[0], 0);
    assert_true(bsp_vis_sees(bsp, 0, 0));
    assert_false(bsp_vis_sees(bsp, 0, 1));
    assert_false(bsp_vis_sees(bsp, 0, 2));
    assert_false(bsp_vis_sees(bsp, -1, 0));
    bytes_free(&bsp->visibility);
    bsp->visibility_clusters = bsp->visibility_row = 0;
    assert_int_equal(bsp_vis_clusters(bsp), 0);
    assert_true(bsp_vis_sees(bsp, 0, 1));
    bsp_free(bsp);
}

/* The engine uses the length of the rows; missing bits are not visible. */
static void short_rows_end_in_zeros(void **state)
{
    (void)state;
    struct bsp *bsp = room_read(0);
    unsigned char row[2];
    bytes_free(&bsp->visibility);
    bytes_fill(&bsp->visibility, 0xff, 9);
    bsp->visibility_clusters = 9;
    bsp->visibility_row = 1;
    bsp_vis_row(bsp, 8, false, row);
    assert_int_equal(row[0], 0xff);
    assert_int_equal(row[1], 0);
    assert_true(bsp_vis_sees(bsp, 8, 7));
    assert_false(bsp_vis_sees(bsp, 8, 8));
    bsp_free(bsp);
}

static size_t lump_at(const struct bytes *file, int lump)
{
    return load_u32(file->data + 8 + 8 * lump);
}

static void set_length(struct bytes *file, int lump, int change)
{
    unsigned char *length = file->data + 8 + 8 * lump + 4;
    store_u32(ORDER_LITTLE, length, load_u32(length) + (uint32_t)change);
}

/* No NUL after the entities, bytes after the names and the rows. */
static void odd_encodings_come_back(void **state)
{
    (void)state;
    struct bsp *made = ibsp_room(0);
    arrput(made->entities,
           ' '); /* so that its length is not a multiple of four, and padding follows */
    while (arrlen(made->entities) % 4 != 1)
        arrput(made->entities, ' ');
    struct bytes file = encode(made, quake3());
    memcpy(file.data + lump_at(&file, IBSP_SHADERS) + 40, "remains", 7);
    set_length(&file, IBSP_ENTITIES, -1);
    file.data[lump_at(&file, IBSP_ENTITIES) + arrlenu(made->entities)] = 0x5a;
    file.data[lump_at(&file, IBSP_VISIBILITY) + 4] = 7; /* 2 rows of 7 bytes: 2 bytes are unused */
    struct bsp *bsp = decode(&file);
    SAME_ARRAY(made->entities, bsp->entities);
    assert_int_equal(bsp->visibility.size, 14);
    struct bytes again = encode(bsp, NULL);
    same_bytes(&file, &again);
    bytes_free(&again);
    bsp->leaves[7].area = 1;
    again = encode(bsp, NULL);
    assert_int_equal(again.size, file.size);
    for (size_t i = 0, leaf = lump_at(&file, IBSP_LEAFS) + 7 * 48 + 4; i < file.size; i++)
        assert_int_equal(again.data[i] == file.data[i], i != leaf);
    bytes_free(&again);
    bytes_free(&file);
    bsp_free(made);
    bsp_free(bsp);
}

/* q3map2's signature: text between the directory and the first lump. */
static void text_before_the_lumps_is_kept(void **state)
{
    (void)state;
    static const char text[] = "made by a compiler in a good mood";
    enum { HEADER = 8 + 17 * 8, ROOM = 36 };
    struct bytes file = room_file(0), marked = {0};
    bytes_append(&marked, file.data, HEADER);
    for (int lump = 0; lump < IBSP_LUMPS; lump++)
        store_u32(ORDER_LITTLE, marked.data + 8 + 8 * lump, (uint32_t)lump_at(&file, lump) + ROOM);
    bytes_append(&marked, text, sizeof text);
    bytes_fill(&marked, 0xee, ROOM - sizeof text);
    bytes_append(&marked, file.data + HEADER, file.size - HEADER);
    struct bsp *bsp = decode(&marked);
    struct bytes again = encode(bsp, NULL);
    same_bytes(&marked, &again);
    bytes_free(&again);
    bytes_free(&marked);
    bytes_free(&file);
    bsp_free(bsp);
}

/* q3map2 writes those of some leaves as it has cleared them, and the engine loads them. */
static void boxes_of_leaves_may_say_nothing(void **state)
{
    (void)state;
    const struct bsp_transform move = {.scale = vec3(1, 1, 1), .shift = vec3(64, 0, 0)};
    struct diag *diag = diag_new(print_entry, NULL);
    struct bsp *made = ibsp_room(0);
    for (int k = 0; k < 3; k++) {
        made->leaves[0].mins[k] = INT32_MAX;
        made->leaves[0].maxs[k] = INT32_MIN;
        made->leaves[9].mins[k] = made->leaves[9].maxs[k] = INT32_MIN;
    }
    struct bytes file = encode(made, quake3());
    struct bsp *bsp = decode(&file);
    assert_false(bsp_leaf_has_box(&bsp->leaves[0]));
    assert_true(bsp_leaf_has_box(&bsp->leaves[7]));
    assert_false(bsp_leaf_has_box(&bsp->leaves[9]));
    assert_int_equal(bsp_verify(bsp, "room", diag), STATUS_OK);
    const int before = bsp->leaves[7].mins[0];
    assert_int_equal(bsp_transform(bsp, &move, "room", diag), STATUS_OK);
    assert_int_equal(bsp->leaves[0].mins[0], INT32_MAX);
    assert_int_equal(bsp->leaves[9].mins[0], INT32_MIN);
    assert_int_equal(bsp->leaves[7].mins[0], before + 64);
    bsp_free(bsp);
    bytes_free(&file);
    made->nodes[0].mins[0] = INT32_MIN;
    file = encode(made, quake3());
    struct diag *quiet = diag_new(NULL, NULL);
    assert_int_equal(bsp_decode(file.data, file.size, "room", quiet, &bsp), STATUS_FAILED);
    bytes_free(&file);
    bsp_free(made);
    diag_free(quiet);
    diag_free(diag);
}

static void parts_are_read_alone(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = room_file(0);
    struct bsp *bsp;
    uint64_t wanted = UINT64_C(1) << IBSP_ENTITIES | UINT64_C(1) << IBSP_BRUSHES;
    assert_int_equal(bsp_decode_part(&file, wanted, "room", diag, &bsp), STATUS_OK);
    assert_int_equal(arrlen(bsp->brushes), 8);
    assert_int_equal(bsp->brushes[0].contents, 0); /* the shaders' */
    assert_int_equal(arrlen(bsp->surfaces), 0);
    assert_int_equal(bsp_lump_count(bsp, IBSP_SURFACES), 10);
    assert_int_equal(bsp_lump_count(bsp, IBSP_PLANES), 30);
    assert_int_equal(bsp_lump_count(bsp, IBSP_ENTITIES), -1);
    bsp_free(bsp);
    diag_free(diag);
}

static void nothing_but_its_magic_is_ibsp(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = room_file(0);
    struct bsp *bsp = NULL;
    memset(file.data, 0, 4);
    assert_int_equal(bsp_decode(file.data, file.size, "zeros", diag, &bsp), STATUS_FAILED);
    memcpy(file.data, "IBSP", 4);
    file.data[4] = 48;
    assert_int_equal(bsp_decode(file.data, file.size, "unknown", diag, &bsp), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_BSP_FORMAT), 2);
    file.data[4] = 46;
    set_length(&file, IBSP_SURFACES, -4);
    assert_int_equal(bsp_decode(file.data, file.size, "odd", diag, &bsp), STATUS_FAILED);
    set_length(&file, IBSP_SURFACES, 4);
    store_u32(ORDER_LITTLE, file.data + lump_at(&file, IBSP_VISIBILITY), 3);
    assert_int_equal(bsp_decode(file.data, file.size, "rows", diag, &bsp), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_BSP_LUMP), 2);
    bytes_free(&file);
    diag_free(diag);
}

/* ioquake3 loads more visibility than the original tools wrote: a warning, known before it is
 * computed. */
static void rows_of_visibility_may_be_large(void **state)
{
    (void)state;
    const int clusters = 5000, row = (5000 + 63) / 64 * 8;
    for (int computed = 0; computed < 2; computed++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct bsp *bsp = ibsp_room(0);
        struct bytes out = {0};
        int64_t used[IBSP_LIMITS];
        bytes_free(&bsp->visibility);
        bsp->leaves[7].cluster = clusters - 1;
        bsp->visibility_clusters = computed ? clusters : 0;
        bsp->visibility_row = computed ? row : 0;
        for (int i = 0; i < computed * clusters * row; i++)
            bytes_u8(&bsp->visibility, 255);
        bsp_limit_use(bsp, quake3(), used);
        assert_int_equal(used[IBSP_LIMITS - 1], clusters * row);
        assert_int_equal(bsp_encode(bsp, quake3(), "room", diag, &out), STATUS_OK);
        assert_int_equal(diag_count_code(diag, DIAG_BSP_LIMIT), 0);
        assert_int_equal(bsp_check_limits(bsp, quake3(), false, "room", diag), STATUS_OK);
        assert_int_equal(diag_count_code(diag, DIAG_BSP_LIMIT), 1);
        assert_int_equal(diag_count(diag, DIAG_WARNING), 1);
        bytes_free(&out);
        bsp_free(bsp);
        diag_free(diag);
    }
}

static void limits_are_those_of_the_engine(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = ibsp_room(0);
    struct bytes out = {0};
    bsp->leaves[7].area = 256;
    assert_int_equal(bsp_encode(bsp, quake3(), "room", diag, &out), STATUS_FAILED);
    bsp->leaves[7].area = 0;
    while (arrlen(bsp->models) <= 256)
        arrput(bsp->models, ((struct bsp_model){.head_node = -1}));
    assert_int_equal(bsp_encode(bsp, quake3(), "room", diag, &out), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_BSP_LIMIT), 2);
    assert_int_equal(out.size, 0);
    bsp_free(bsp);
    diag_free(diag);
}

SUITE(test_ibsp)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_made_comes_back),
        cmocka_unit_test(lumps_lie_in_the_order_of_q3map2),
        cmocka_unit_test(queries_know_the_room),
        cmocka_unit_test(plain_rows_tell_what_sees_what),
        cmocka_unit_test(short_rows_end_in_zeros),
        cmocka_unit_test(odd_encodings_come_back),
        cmocka_unit_test(text_before_the_lumps_is_kept),
        cmocka_unit_test(boxes_of_leaves_may_say_nothing),
        cmocka_unit_test(parts_are_read_alone),
        cmocka_unit_test(nothing_but_its_magic_is_ibsp),
        cmocka_unit_test(limits_are_those_of_the_engine),
        cmocka_unit_test(rows_of_visibility_may_be_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
