#include "tests/support/suite.h"

#include <string.h>

#include "common/core/memory.h"

/* Below and above the size from which blocks use large pages. */
static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, (2 << 20) - 1, 2 << 20, (6 << 20) + 5};

enum { SIZES = sizeof sizes / sizeof *sizes };

static void all_zero(const unsigned char *block, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (block[i])
            fail_msg("byte %zu of %zu is %d", i, size, block[i]);
}

/* Twice, so that the second block reuses the memory of the first. */
static void aligned_blocks_are_zeroed(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * SIZES; i++) {
        size_t size = sizes[i / 2];
        unsigned char *block = memory_aligned(size, 1);
        assert_int_equal((uintptr_t)block % 64, 0);
        all_zero(block, size);
        memset(block, 0xff, size);
        memory_free(block);
    }
}

static void zeroed_blocks_are_zeroed(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * SIZES; i++) {
        size_t size = sizes[i / 2];
        unsigned char *block = memory_zalloc(size, 1);
        all_zero(block, size);
        memset(block, 0xff, size);
        memory_free(block);
    }
}

static void room_is_aligned_and_may_be_filled(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        unsigned char *block = memory_aligned_uninit(sizes[i], 3);
        assert_int_equal((uintptr_t)block % 64, 0);
        memset(block, 0xff, 3 * sizes[i]);
        memory_free(block);
    }
}

static void blocks_keep_what_they_have_when_they_grow(void **state)
{
    (void)state;
    unsigned char *block = NULL;
    size_t before = 0;
    for (size_t i = 0; i < SIZES; i++) {
        block = memory_realloc(block, sizes[i]);
        for (size_t k = 0; k < before; k++)
            assert_int_equal(block[k], (unsigned char)(k * 7));
        for (size_t k = before; k < sizes[i]; k++)
            block[k] = (unsigned char)(k * 7);
        before = sizes[i];
    }
    memory_free(block);
}

SUITE(test_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_blocks_are_zeroed),
        cmocka_unit_test(zeroed_blocks_are_zeroed),
        cmocka_unit_test(room_is_aligned_and_may_be_filled),
        cmocka_unit_test(blocks_keep_what_they_have_when_they_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
