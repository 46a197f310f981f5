#include "tests/support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/bytes.h"
#include "common/core/random.h"
#include "common/core/strings.h"
#include "common/diag/codes/file_writes.def"
#include "common/diag/codes/syntax.def"
#include "common/diag/diag.h"
#include "common/io/fs.h"
#include "common/parallel/parallel.h"
#include "tests/support/scratch_folder.h"

static void test_arena_gives_zeroed_blocks_and_releases(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *kept = arena_strdup(&arena, "kept");
    struct arena_mark mark = arena_mark(&arena);
    for (size_t i = 1; i < 200; i++) {
        unsigned char *block = arena_alloc(&arena, i, 37);
        assert_int_equal((uintptr_t)block % 16, 0);
        for (size_t j = 0; j < i * 37; j++)
            assert_int_equal(block[j], 0);
        memset(block, 0xAA, i * 37);
    }
    size_t held = memory_used();
    arena_release(&arena, mark);
    assert_string_equal(kept, "kept");
    assert_true(memory_used() < held);
    unsigned char *again = arena_alloc(&arena, 1000, 1);
    for (int j = 0; j < 1000; j++)
        assert_int_equal(again[j], 0);
    arena_free(&arena);
}

static void test_bytes_round_trip_and_short_reads(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    bytes_u16(&bytes, 0xBEEF);
    bytes_i32(&bytes, -7);
    bytes_f32(&bytes, 1.5f);
    bytes_u8(&bytes, 9);
    bytes_align(&bytes, 4);
    bytes_append_text(&bytes, "%d %s", 12, "monkeys");
    assert_int_equal(bytes.size, 12 + 10);
    struct byte_reader reader = byte_reader(bytes.data, 12);
    assert_int_equal(read_u16(&reader), 0xBEEF);
    assert_int_equal(read_i32(&reader), -7);
    assert_true(read_f32(&reader) == 1.5f);
    assert_int_equal(read_u8(&reader), 9);
    assert_int_equal(read_u8(&reader), 0);
    assert_false(reader.failed);
    assert_int_equal(read_u32(&reader), 0);
    assert_true(reader.failed);
    assert_int_equal(read_u8(&reader), 0);
    bytes_free(&bytes);
}

static void check_fs(struct fs *fs, const char *folder)
{
    struct arena arena = {0};
    char *path = arena_printf(&arena, "%s/file.txt", folder);
    struct bytes out = {0};
    assert_int_equal(fs->ops->kind(fs, path), FS_ABSENT);
    assert_int_not_equal(fs->ops->read(fs, path, &out), 0);
    assert_int_equal(fs->ops->write(fs, path, "first", 5), 0);
    assert_int_equal(fs->ops->write(fs, path, "second", 6), 0);
    assert_int_equal(fs->ops->read(fs, path, &out), 0);
    assert_int_equal(out.size, 6);
    assert_memory_equal(out.data, "second", 6);
    assert_int_equal(fs->ops->kind(fs, folder), FS_DIRECTORY);
    assert_int_not_equal(fs->ops->read(fs, folder, &out), 0);
    assert_int_equal(out.size, 6);
    assert_int_equal(fs->ops->remove(fs, path), 0);
    assert_int_not_equal(fs->ops->remove(fs, path), 0);
    bytes_free(&out);
    arena_free(&arena);
}

static void test_file_systems_agree(void **state)
{
    (void)state;
    char folder[64];
    scratch_folder(folder, sizeof folder);
    check_fs(fs_disk(), folder);
    assert_int_equal(rmdir(folder), 0); /* nothing was left beside the file */
    struct fs *memory = fs_memory_new();
    assert_int_equal(memory->ops->write(memory, "folder/other", "x", 1), 0);
    check_fs(memory, "folder");
    fs_memory_free(memory);
}

static void check_make_folder(struct fs *fs, const char *folder)
{
    struct arena arena = {0};
    char *deep = arena_printf(&arena, "%s/a/b", folder);
    char *file = arena_printf(&arena, "%s/a/b/file", folder);
    assert_int_equal(fs->ops->make_folder(fs, deep), 0);
    assert_int_equal(fs->ops->make_folder(fs, deep), 0);
    assert_int_equal(fs->ops->write(fs, file, "x", 1), 0);
    assert_int_equal(fs->ops->kind(fs, deep), FS_DIRECTORY);
    assert_int_not_equal(fs->ops->make_folder(fs, file), 0);
    assert_int_not_equal(fs->ops->make_folder(fs, arena_printf(&arena, "%s/below", file)), 0);
    assert_int_not_equal(fs->ops->make_folder(fs, ""), 0);
    assert_int_equal(fs->ops->remove(fs, file), 0);
    arena_free(&arena);
}

static void test_folders_are_made(void **state)
{
    (void)state;
    char folder[64], path[sizeof folder + 4];
    scratch_folder(folder, sizeof folder);
    check_make_folder(fs_standard(), folder);
    snprintf(path, sizeof path, "%s/a/b", folder);
    assert_int_equal(rmdir(path), 0);
    path[strlen(path) - 2] = 0;
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);
    struct fs *memory = fs_memory_new();
    check_make_folder(memory, "folder");
    fs_memory_free(memory);
}

static void test_failed_write_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    assert_int_equal(fs_store(fs_disk(), diag, "/proc/no/such/place", "x", 1), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_FILE_WRITE), 1);
    assert_string_equal(diag_entry(diag, 0)->where.file, "/proc/no/such/place");
    diag_free(diag);
}

static void test_diag_keeps_copies(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    char file[] = "a.vmf";
    struct diag_where outer = {.file = "outer.vmf", .entity_id = 3};
    struct diag_where where = {.file = file, .line = 12, .solid_id = 7, .placed_by = &outer};
    diag_report(diag, DIAG_TEXT_REPAIRED, &where, "line %d", 12);
    file[0] = 'x';
    outer.entity_id = 99;
    const struct diag_entry *entry = diag_entry(diag, 0);
    assert_string_equal(entry->where.file, "a.vmf");
    assert_string_equal(entry->message, "line 12");
    assert_int_equal(entry->where.placed_by->entity_id, 3);
    assert_int_equal(diag_count(diag, DIAG_WARNING), 1);
    assert_int_equal(diag_count(diag, DIAG_ERROR), 0);
    diag_free(diag);
}

static void square_item(void *context, size_t index, int thread)
{
    (void)thread;
    ((uint64_t *)context)[index] = hash_u64(index);
}

static void test_parallel_loops_do_each_item_once(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static uint64_t one[COUNT], seven[COUNT];
    parallel_for(1, COUNT, square_item, one);
    parallel_for(7, COUNT, square_item, seven);
    assert_memory_equal(one, seven, sizeof one);
    assert_true(parallel_threads(0) >= 1);
}

static void test_random_numbers_are_uniform_enough(void **state)
{
    (void)state;
    double sum = 0, low = 1, high = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        double r = random_unit(i / 100, i % 100);
        sum += r;
        low = r < low ? r : low;
        high = r > high ? r : high;
    }
    assert_true(sum > 4900 && sum < 5100);
    assert_true(low >= 0 && low < 0.01 && high < 1 && high > 0.99);
}

static void test_strings(void **state)
{
    (void)state;
    double v[4];
    assert_int_equal(str_to_doubles("[1 -2.5 3e1 7]", v, 4), 4);
    assert_true(v[1] == -2.5 && v[2] == 30);
    assert_int_equal(str_to_doubles("1 nan 3", v, 3), 1);
    assert_true(str_to_double(" 4 ", v));
    assert_false(str_to_double("4x", v));
    assert_false(str_to_double("1e999", v));
    assert_true(str_equal_nocase("AbC", "aBc"));
    assert_true(str_ends_nocase("map.VMF", ".vmf"));
    assert_int_equal(str_distance("bounce", "bonce"), 1);
    assert_int_equal(str_distance("", "abc"), 3);
}

static void test_whole_numbers_have_64_bits(void **state)
{
    (void)state;
    int64_t number = 0;
    assert_true(str_to_int64(" 4294967295 ", &number) && number == UINT32_MAX);
    assert_true(str_to_int64("-2147483649", &number) && number == (int64_t)INT32_MIN - 1);
    assert_true(str_to_int64("9223372036854775807", &number) && number == INT64_MAX);
    assert_false(str_to_int64("9223372036854775808", &number));
    assert_false(str_to_int64("-9223372036854775809", &number));
    assert_false(str_to_int64("1.5", &number));
    assert_false(str_to_int64("", &number));
    assert_true(number == INT64_MAX);
}

static char random_character(uint64_t item, uint64_t at)
{
    static const char all[] = "0123456789012345678901234567890123456789.-+eEx ,";
    return all[(size_t)(random_unit(item, at) * (sizeof all - 1))];
}

static void test_numbers_are_those_of_the_c_library(void **state)
{
    (void)state;
    int numbers = 0;
    for (uint64_t i = 0; i < 200000; i++) {
        char text[24] = {0};
        size_t length = 1 + (size_t)(random_unit(i, 99) * 22);
        for (size_t j = 0; j < length; j++)
            text[j] = random_character(i, j);
        const char *first = text;
        while (*first == ' ' || *first == ',')
            first++;
        char *end;
        double told = 0, right = strtod(first, &end);
        size_t count = str_to_doubles(text, &told, 1);
        assert_int_equal(count, end != first && isfinite(right));
        if (count)
            assert_memory_equal(&told, &right, sizeof right); /* minus zero too */
        numbers += count > 0;
    }
    assert_true(numbers > 100000);
}

SUITE(test_core)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_gives_zeroed_blocks_and_releases),
        cmocka_unit_test(test_bytes_round_trip_and_short_reads),
        cmocka_unit_test(test_file_systems_agree),
        cmocka_unit_test(test_folders_are_made),
        cmocka_unit_test(test_failed_write_is_told_and_leaves_nothing),
        cmocka_unit_test(test_diag_keeps_copies),
        cmocka_unit_test(test_parallel_loops_do_each_item_once),
        cmocka_unit_test(test_random_numbers_are_uniform_enough),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_whole_numbers_have_64_bits),
        cmocka_unit_test(test_numbers_are_those_of_the_c_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
