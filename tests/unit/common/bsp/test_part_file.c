/* Files on disk of which only the lumps around the tree are read. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/bsp/codec/part_file.h"
#include "common/diag/codes/bsp_records.def"
#include "common/diag/codes/internal.def"
#include "common/io/fs_gather.h"
#include "tests/support/bsp_files.h"
#include "tests/support/ibsp_room.h"
#include "tests/support/skip_on_windows.h"

#define SEEDS MAPS_DIR "/../tests/fuzz/seeds/bsp/"

/* Files with light in the leaves, and compressed ones, are read whole. */
static const struct {
    const char *path;
    bool in_part;
} rooms[] = {
    {SEEDS "room.bsp", true},          {SEEDS "room_17.bsp", false},
    {SEEDS "room_css19.bsp", false},   {SEEDS "room_source2007.bsp", true},
    {SEEDS "room_portal2.bsp", true},  {SEEDS "room_l4d2.bsp", true},
    {SEEDS "room_packed.bsp", false},  {SEEDS "room_big19.bsp", false},
    {SEEDS "room_console.bsp", false},
};

enum { ROOMS = sizeof rooms / sizeof *rooms };

/* As vvis does: rows grow, so that the following lumps move. */
static void change(struct bsp *bsp)
{
    bytes_fill(&bsp->visibility, 0xff, 1237);
    for (size_t i = 1; i < arrlenu(bsp->leaves); i++)
        bsp->leaves[i].flags ^= 1;
}

static struct bytes load(const char *path)
{
    struct bytes file = {0};
    assert_int_equal(fs_disk()->ops->read(fs_disk(), path, &file), 0);
    return file;
}

static struct bytes changed_by_memory(const char *path, struct diag *diag)
{
    struct bytes file = load(path), out = {0};
    struct bsp *bsp;
    assert_int_equal(bsp_decode_file(&file, "room", diag, &bsp), STATUS_OK);
    change(bsp);
    assert_int_equal(bsp_encode(bsp, NULL, "room", diag, &out), STATUS_OK);
    bsp_free(bsp);
    return out;
}

/* rest: everything is read before it is changed. */
static void write_changed(struct bsp_part_file *part, const char *target, bool rest,
                          struct diag *diag)
{
    const struct env env = {.diag = diag, .fs = fs_disk(), .threads = 1};
    struct bsp *bsp;
    struct fs_staged *staged = fs_staged_new(fs_disk(), target, bsp_part_source(part));
    assert_non_null(staged);
    while (fs_staged_fill(staged, bsp_part_before_visibility(part)))
        continue;
    assert_int_equal(bsp_part_decode_tree(part, diag, &bsp), STATUS_OK);
    assert_null(bsp->faces);
    if (rest) {
        assert_int_equal(bsp_part_decode_rest("room", diag, &bsp), STATUS_OK);
        assert_non_null(bsp->faces);
    }
    change(bsp);
    assert_int_equal(bsp_write_output(&env, bsp, NULL,
                                      &(struct bsp_output_file){.path = target, .staged = staged}),
                     STATUS_OK);
    fs_staged_free(staged);
    bsp_free(bsp);
}

static void the_same_is_written_as_from_memory(void **state)
{
    skip_on_windows("outputs are not staged while the work goes on");
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    char target[] = "/tmp/brushwork_part_XXXXXX";
    close(mkstemp(target));
    for (int i = 0; i < 2 * ROOMS; i++) {
        struct bsp_part_file *part = bsp_part_open(fs_disk(), rooms[i / 2].path);
        assert_int_equal(part != NULL, rooms[i / 2].in_part);
        if (!part)
            continue;
        struct bytes expected = changed_by_memory(rooms[i / 2].path, diag);
        write_changed(part, target, i % 2, diag);
        struct bytes got = load(target);
        assert_int_equal(got.size, expected.size);
        assert_memory_equal(got.data, expected.data, got.size);
        bytes_free(&got);
        bytes_free(&expected);
    }
    unlink(target);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
}

static void put(struct fs *fs, const struct bytes *file)
{
    assert_int_equal(fs->ops->write(fs, "room", file->data, file->size), 0);
}

/* They are left to the functions that read the whole file and report its errors. */
static void damaged_files_are_not_read_in_part(void **state)
{
    (void)state;
    struct fs *fs = fs_memory_new();
    struct bytes file = load(SEEDS "room.bsp");
    const size_t sizes[] = {1, 8, 100, 1035};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct bytes cut = {.data = file.data, .size = sizes[i]};
        put(fs, &cut);
        assert_null(bsp_part_open(fs, "room"));
    }
    store_u32(ORDER_LITTLE, file.data + 8 + 16 * LUMP_NODES + 4, 0x7fffffff);
    put(fs, &file);
    assert_null(bsp_part_open(fs, "room"));
    bytes_free(&file);
    fs_memory_free(fs);
}

/* All lumps of the tree claim nearly the whole file. */
static void lumps_over_each_other_are_not_read_in_part(void **state)
{
    (void)state;
    static const int lumps[] = {LUMP_ENTITIES, LUMP_PLANES, LUMP_NODES, LUMP_LEAFS};
    struct fs *fs = fs_memory_new();
    struct bytes file = load(SEEDS "room.bsp");
    for (size_t i = 0; i < sizeof lumps / sizeof *lumps; i++) {
        unsigned char *entry = file.data + 8 + 16 * (size_t)lumps[i];
        store_u32(ORDER_LITTLE, entry, 1036);
        store_u32(ORDER_LITTLE, entry + 4, (uint32_t)file.size - 1036);
    }
    put(fs, &file);
    assert_null(bsp_part_open(fs, "room"));
    bytes_free(&file);
    fs_memory_free(fs);
}

static void a_tree_that_cannot_be_walked_is_refused(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct fs *fs = fs_memory_new();
    struct bytes file = load(SEEDS "room.bsp");
    uint32_t nodes = load_u32(file.data + 8 + 16 * LUMP_NODES);
    store_u32(ORDER_LITTLE, file.data + nodes, 0x7fffffff);
    put(fs, &file);
    struct bsp_part_file *part = bsp_part_open(fs, "room");
    struct bsp *bsp;
    assert_non_null(part);
    assert_int_equal(bsp_part_decode_tree(part, diag, &bsp), STATUS_FAILED);
    assert_null(bsp);
    assert_true(diag_count_code(diag, DIAG_BSP_RANGE) > 0);
    bytes_free(&file);
    fs_memory_free(fs);
    diag_free(diag);
}

/* A BSP of which only the lumps around the tree were read. */

static const char *const part_rooms[] = {
    SEEDS "room.bsp",         SEEDS "room_25.bsp",    SEEDS "room_17.bsp",
    SEEDS "room_18.bsp",      SEEDS "room_css19.bsp", SEEDS "room_source2007.bsp",
    SEEDS "room_portal2.bsp", SEEDS "room_l4d2.bsp",  SEEDS "room_packed.bsp",
    SEEDS "room_console.bsp", SEEDS "room_big19.bsp",
};

enum {
    PART_ROOMS = sizeof part_rooms / sizeof *part_rooms,
    NODE_SIZE = 32,
    LEAF_SIZE = 32,
    LEAF_CLUSTER = 4
};

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
static void part_change(struct bsp *bsp)
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
    part_change(part);
    part_change(whole);
    same_encoding(part, whole, diag);
    bsp_free(part);
    bsp_free(whole);
}

static void what_was_not_read_is_written_as_it_was(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    for (int i = 0; i < PART_ROOMS; i++) {
        struct bytes file = load(part_rooms[i]);
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

static void part_a_tree_that_cannot_be_walked_is_refused(void **state)
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

SUITE(test_part_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_is_written_as_from_memory),
        cmocka_unit_test(damaged_files_are_not_read_in_part),
        cmocka_unit_test(lumps_over_each_other_are_not_read_in_part),
        cmocka_unit_test(a_tree_that_cannot_be_walked_is_refused),
        cmocka_unit_test(what_was_not_read_is_written_as_it_was),
        cmocka_unit_test(faces_and_brushes_are_not_read),
        cmocka_unit_test(a_part_without_game_lumps_cannot_be_written),
        cmocka_unit_test(part_a_tree_that_cannot_be_walked_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
