/* A BSP of which only the lumps around the tree were read. */
#include "tests/support/suite.h"

#include "common/diag/codes/bsp_records.def"
#include "common/diag/codes/internal.def"
#include "tests/support/bsp_files.h"
#include "tests/support/ibsp_room.h"

#define SEEDS MAPS_DIR "/../tests/fuzz/seeds/bsp/"

static const char *const rooms[] = {
    SEEDS "room.bsp",         SEEDS "room_25.bsp",    SEEDS "room_17.bsp",
    SEEDS "room_18.bsp",      SEEDS "room_css19.bsp", SEEDS "room_source2007.bsp",
    SEEDS "room_portal2.bsp", SEEDS "room_l4d2.bsp",  SEEDS "room_packed.bsp",
    SEEDS "room_console.bsp", SEEDS "room_big19.bsp",
};

enum { ROOMS = sizeof rooms / sizeof *rooms, NODE_SIZE = 32, LEAF_SIZE = 32, LEAF_CLUSTER = 4 };

static struct bytes load(const char *path)
{
    struct bytes file = {0};
    assert_int_equal(fs_disk()->ops->read(fs_disk(), path, &file), 0);
    return file;
}

/* The file of the small Quake 3 map. */
static struct bytes quake3_file(struct diag *diag)
{
    struct bytes file = {0};
    struct bsp *bsp = ibsp_room(1);
    assert_int_equal(bsp_encode(bsp, bsp_format_find("quake3"), "room", diag, &file), STATUS_OK);
    bsp_free(bsp);
    return file;
}

static struct bsp *decode(const struct bytes *file, bool tree, struct diag *diag)
{
    struct bytes copy = {0};
    struct bsp *bsp = NULL;
    bytes_append(&copy, file->data, file->size);
    enum status status = tree ? bsp_decode_tree(&copy, "room", diag, &bsp)
                              : bsp_decode_file(&copy, "room", diag, &bsp);
    assert_int_equal(status, STATUS_OK);
    return bsp;
}

/* As vvis does: rows grow, so that the following lumps move. */
static void change(struct bsp *bsp)
{
    if (bsp->visibility_row) {
        bsp->visibility_row += 8;
        bytes_fill(&bsp->visibility, 0xff, 8 * (size_t)bsp->visibility_clusters);
    } else {
        bytes_fill(&bsp->visibility, 0xff, 1237);
    }
    for (size_t i = 1; i < arrlenu(bsp->leaves); i++)
        bsp->leaves[i].flags ^= 1;
    for (size_t i = 0; i < arrlenu(bsp->leaf_min_dist_to_water); i++)
        bsp->leaf_min_dist_to_water[i] = (int32_t)i;
}

static void same_encoding(const struct bsp *part, const struct bsp *whole, struct diag *diag)
{
    struct bytes a = {0}, b = {0};
    assert_int_equal(bsp_encode(part, NULL, "part", diag, &a), STATUS_OK);
    assert_int_equal(bsp_encode(whole, NULL, "whole", diag, &b), STATUS_OK);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    bytes_free(&a);
    bytes_free(&b);
}

static void check_file(const struct bytes *file, struct diag *diag)
{
    struct bytes out = {0};
    struct bsp *part = decode(file, true, diag), *whole = decode(file, false, diag);
    assert_int_equal(arrlen(part->leaves), arrlen(whole->leaves));
    assert_int_equal(bsp_encode(part, NULL, "part", diag, &out), STATUS_OK);
    assert_int_equal(out.size, file->size);
    assert_memory_equal(out.data, file->data, out.size);
    bytes_free(&out);
    change(part);
    change(whole);
    same_encoding(part, whole, diag);
    bsp_free(part);
    bsp_free(whole);
}

static void what_was_not_read_is_written_as_it_was(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    for (int i = 0; i < ROOMS; i++) {
        struct bytes file = load(rooms[i]);
        check_file(&file, diag);
        bytes_free(&file);
    }
    struct bytes quake3 = quake3_file(diag);
    check_file(&quake3, diag);
    bytes_free(&quake3);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
}

static void faces_and_brushes_are_not_read(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bytes file = load(SEEDS "room.bsp");
    struct bsp *part = decode(&file, true, diag);
    assert_true(arrlen(part->leaves) && arrlen(part->nodes) && arrlen(part->entities));
    assert_null(part->faces);
    assert_null(part->brushes);
    bsp_free(part);
    bytes_free(&file);
    diag_free(diag);
}

/* Game lumps hold their offsets in the file. */
static void a_part_without_game_lumps_cannot_be_written(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = load(SEEDS "room.bsp"), out = {0};
    struct bsp *part = NULL;
    assert_int_equal(bsp_decode_part(&file, UINT64_C(1) << LUMP_PLANES, "room", diag, &part),
                     STATUS_OK);
    assert_int_equal(bsp_encode(part, NULL, "part", diag, &out), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_INTERNAL), 1);
    assert_int_equal(out.size, 0);
    bsp_free(part);
    diag_free(diag);
}

/* Writes `value` into a lump. */
static void refuses(int lump, size_t at, uint32_t value, size_t size, int code)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = load(SEEDS "room.bsp");
    struct bsp *bsp = NULL;
    size_t place = load_u32(file.data + 8 + 16 * (size_t)lump) + at;
    for (size_t i = 0; i < size; i++)
        file.data[place + i] = (unsigned char)(value >> (8 * i));
    assert_int_equal(bsp_decode_tree(&file, "room", diag, &bsp), STATUS_FAILED);
    assert_null(bsp);
    assert_true(diag_count_code(diag, code) > 0);
    diag_free(diag);
}

static void a_tree_that_cannot_be_walked_is_refused(void **state)
{
    (void)state;
    refuses(LUMP_NODES, 0, 0x7fffffff, 4, DIAG_BSP_RANGE);
    refuses(LUMP_NODES, 4, 0x7fffffff, 4, DIAG_BSP_RANGE);
    refuses(LUMP_NODES, 4, 0x80000000, 4, DIAG_BSP_RANGE);
    refuses(LUMP_NODES, NODE_SIZE + 4, 0, 4, DIAG_BSP_TREE);
    refuses(LUMP_LEAFS, LEAF_SIZE + LEAF_CLUSTER, 0x7fff, 2, DIAG_BSP_RANGE);
    refuses(LUMP_PLANES, 0, 0x7fc00000, 4, DIAG_BSP_NUMBER);
    refuses(LUMP_MODELS, 36, 0x7fffffff, 4, DIAG_BSP_RANGE);
    refuses(LUMP_VISIBILITY, 0, 0x7fffffff, 4, DIAG_BSP_LUMP);
}

SUITE(test_bsp_part)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_read_is_written_as_it_was),
        cmocka_unit_test(faces_and_brushes_are_not_read),
        cmocka_unit_test(a_part_without_game_lumps_cannot_be_written),
        cmocka_unit_test(a_tree_that_cannot_be_walked_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
