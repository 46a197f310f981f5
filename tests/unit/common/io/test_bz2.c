#include "tests/support/suite.h"

#include <bzlib.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/random.h"
#include "common/io/bz2.h"

/* Text with repetitions and noise between them. */
static struct bytes sample(size_t size)
{
    struct bytes data = {0};
    for (uint64_t i = 0; data.size < size; i++)
        bytes_append_text(&data, "line %d, ", (int)(hash_pair(size, i) % 3000));
    data.size = size;
    return data;
}

static void comes_back(size_t size)
{
    struct bytes data = sample(size), packed = {0};
    unsigned found = (unsigned)size + 1;
    char *out = malloc(found);
    assert_non_null(out);
    bytes_append(&packed, "before", 6);
    assert_true(bz2_pack(data.data, data.size, &packed));
    assert_memory_equal(packed.data, "beforeBZh9", 10);
    int result = BZ2_bzBuffToBuffDecompress(out, &found, (char *)packed.data + 6,
                                            (unsigned)packed.size - 6, 0, 0);
    assert_int_equal(result, BZ_OK);
    assert_int_equal(found, size);
    if (size)
        assert_memory_equal(out, data.data, size);
    free(out);
    bytes_free(&packed);
    bytes_free(&data);
}

static void data_come_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 100, 65536, 899981, 900000, 2000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        comes_back(sizes[i]);
}

/* The stream of no data is a constant of the format. */
static void nothing_is_a_stream(void **state)
{
    (void)state;
    static const unsigned char wanted[] = {0x42, 0x5a, 0x68, 0x39, 0x17, 0x72, 0x45,
                                           0x38, 0x50, 0x90, 0,    0,    0,    0};
    struct bytes packed = {0};
    assert_true(bz2_pack(NULL, 0, &packed));
    assert_int_equal(packed.size, sizeof wanted);
    assert_memory_equal(packed.data, wanted, sizeof wanted);
    bytes_free(&packed);
}

SUITE(test_bz2)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_come_back),
        cmocka_unit_test(nothing_is_a_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
