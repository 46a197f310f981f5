/* Files on disk of which only the lumps around the tree are read. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/bsp/codec/part_file.h"
#include "common/diag/codes/bsp_records.def"
#include "common/io/fs_gather.h"
#include "tests/support/bsp_files.h"
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

SUITE(test_part_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_is_written_as_from_memory),
        cmocka_unit_test(damaged_files_are_not_read_in_part),
        cmocka_unit_test(lumps_over_each_other_are_not_read_in_part),
        cmocka_unit_test(a_tree_that_cannot_be_walked_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
