/* Texel lighting files of static props. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/core/array.h"
#include "vrad/props/ppl.h"

enum { HEADER = 32, RECORD = 32, BLOCK = 512 };

static const unsigned char pixels[2][18] = {
    {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}, {90, 91, 92}};

/* LOD 0 and 1 share an image of 3 x 2, LOD 2 has one texel. */
static void make(struct bytes *file)
{
    struct ppl ppl = {.checksum = 0x12345678};
    for (uint32_t i = 0; i < 3; i++)
        arrput(ppl.images, ((struct ppl_image){i, i < 2 ? 3 : 1, i < 2 ? 2 : 1, pixels[i / 2]}));
    assert_true(ppl_encode(&ppl, file));
    ppl_free(&ppl);
}

static void files_have_their_form(void **state)
{
    (void)state;
    struct bytes file = {0};
    make(&file);
    const uint32_t words[] = {0, 0x12345678, 2,  3, 0, 0, 0, 0, 0, 512, 18, 3, 2, 0, 0, 0,
                              1, 512,        18, 3, 2, 0, 0, 0, 2, 530, 3,  1, 1, 0, 0, 0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_int_equal(load_u32(file.data + 4 * i), words[i]);
    assert_int_equal(file.size, 2 * BLOCK);
    assert_memory_equal(file.data + BLOCK, pixels[0], 18);
    assert_memory_equal(file.data + BLOCK + 18, pixels[1], 3);
    bytes_free(&file);
}

static void files_come_back(void **state)
{
    (void)state;
    struct bytes file = {0}, again = {0};
    struct ppl ppl;
    make(&file);
    assert_true(ppl_decode(&file, &ppl));
    assert_int_equal(ppl.checksum, 0x12345678);
    assert_int_equal(arrlen(ppl.images), 3);
    assert_int_equal(ppl.images[1].lod, 1);
    assert_int_equal(ppl_finest(&ppl)->width, 3);
    assert_int_equal(ppl_finest(&ppl)->height, 2);
    assert_memory_equal(ppl.images[2].pixels, pixels[1], 3);
    assert_true(ppl_encode(&ppl, &again));
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.data, file.data, file.size);
    ppl_free(&ppl);
    bytes_free(&again);
    bytes_free(&file);
    struct ppl none = {0};
    assert_true(ppl_encode(&none, &file));
    assert_true(ppl_decode(&file, &ppl));
    assert_null(ppl_finest(&ppl));
    bytes_free(&file);
}

/* Another version or format, invalid counts and sizes, and truncated files. */
static void hostile_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint32_t value;
    } cases[] = {
        {0, 1},
        {8, 0},
        {12, 31},
        {12, 0xffffffff},
        {HEADER + 4, 0},
        {HEADER + 4, 127},
        {HEADER + 4, 1007},
        {HEADER + 4, 0xffffffff},
        {HEADER + 8, 17},
        {HEADER + 8, 0},
        {HEADER + 12, 0},
        {HEADER + 12, 65536},
        {HEADER + 12, 4},
        {HEADER + 16, 0},
        {HEADER + 16, 0x80000002u},
    };
    struct bytes file = {0};
    struct ppl ppl;
    make(&file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t right = load_u32(file.data + cases[i].at);
        store_u32(ORDER_LITTLE, file.data + cases[i].at, cases[i].value);
        assert_false(ppl_decode(&file, &ppl));
        assert_null(ppl.images);
        store_u32(ORDER_LITTLE, file.data + cases[i].at, right);
    }
    for (size_t size = 0; size < file.size; size++) {
        struct bytes part = {0};
        bytes_append(&part, file.data, size);
        bool whole = size >= BLOCK + 21;
        assert_int_equal(ppl_decode(&part, &ppl), whole);
        ppl_free(&ppl);
        bytes_free(&part);
    }
    bytes_free(&file);
}

static void sizes_that_cannot_be_written_are_refused(void **state)
{
    (void)state;
    static const int sizes[][2] = {{0, 1}, {1, -1}, {65536, 1}, {65535, 65535}};
    for (size_t i = 0; i < 4; i++) {
        struct bytes file = {0};
        struct ppl ppl = {0};
        arrput(ppl.images, ((struct ppl_image){0, sizes[i][0], sizes[i][1], pixels[0]}));
        assert_false(ppl_encode(&ppl, &file));
        assert_int_equal(file.size, 0);
        ppl_free(&ppl);
    }
}

SUITE(test_ppl)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_have_their_form),
        cmocka_unit_test(files_come_back),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(sizes_that_cannot_be_written_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
