/* Statistics and entries of a cache, apart from where they are kept. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/cache/cache_entry.h"
#include "common/cache/cache_stats.h"

static const struct cache_secret none;

static struct cache_key a_key(void)
{
    return (struct cache_key){.kind = "vbsp", .hash = {7}};
}

static struct bytes value_of(size_t size, bool is_plain)
{
    struct bytes value = {0};
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        bytes_u8(&value, is_plain ? (uint8_t)(i / 100) : (uint8_t)(state >> 24));
    }
    return value;
}

/* A value is compressed if that makes it smaller. */
static void values_come_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 100, 5000, 3 << 18, (3 << 18) + 1, (5 << 18) - 1};
    const struct cache_key key = a_key();
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const size_t size = sizes[i / 2];
        struct bytes value = value_of(size, i % 2), out = {0}, taken = {0};
        struct cache_entry entry, again;
        bytes_append(&out, "before", 6);
        cache_entry_make(&key, &none, CACHE_DEFLATED, 1, &value, &entry);
        cache_entry_make(&key, &none, CACHE_DEFLATED, 3, &value, &again);
        assert_memory_equal(entry.header, again.header, sizeof entry.header); /* with its seal */
        cache_entry_free(&again);
        cache_entry_make(&key, &none, CACHE_PLAIN, 3, &value, &again);
        assert_true(bytes_equal(&again.stored, &value));
        assert_int_equal(cache_entry_take(&key, &none, &again, &taken), CACHE_TAKEN);
        assert_true(bytes_equal(&taken, &value));
        cache_entry_free(&again);
        bytes_free(&taken);
        assert_true(entry.stored.size <= size);
        assert_true(i % 2 == 0 || size < 1000 || entry.stored.size < size / 10);
        assert_int_equal(cache_entry_take(&key, &none, &entry, &out), CACHE_TAKEN);
        assert_int_equal(out.size, 6 + size);
        assert_true(!size || memcmp(out.data + 6, value.data, size) == 0);
        cache_entry_free(&entry);
        bytes_free(&value);
        bytes_free(&out);
    }
}

static void signatures_are_of_their_key(void **state)
{
    (void)state;
    const struct cache_key key = a_key();
    const struct cache_secret mine = {"0123456789abcdef", 16}, theirs = {"0123456789abcdeF", 16};
    const struct cache_secret *const secrets[] = {&none, &mine, &theirs};
    struct bytes value = value_of(1000, true), out = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            struct cache_entry entry;
            cache_entry_make(&key, secrets[i], CACHE_DEFLATED, 1, &value, &entry);
            enum cache_taken wanted = k == 0 || i == k ? CACHE_TAKEN : CACHE_UNSIGNED;
            assert_int_equal(cache_entry_take(&key, secrets[k], &entry, &out), wanted);
            /* Each bit is sealed, those of the signature too. */
            for (size_t bit = 0; bit < 8 * (size_t)CACHE_HEADER_SIZE; bit++) {
                entry.header[bit / 8] ^= (unsigned char)(1 << bit % 8);
                assert_int_equal(cache_entry_take(&key, secrets[k], &entry, &out), CACHE_BROKEN);
                entry.header[bit / 8] ^= (unsigned char)(1 << bit % 8);
            }
            cache_entry_free(&entry);
        }
    bytes_free(&value);
    bytes_free(&out);
}

static void statistics_come_back(void **state)
{
    (void)state;
    const struct cache_stats one = {.runs = 1,
                                    .stages = {{1, 2, 3}, {0, 0, 0}, {4, 5, 600}},
                                    .folder = {7, 8},
                                    .server = {9, 10}};
    struct cache_stats sum = {0};
    struct bytes text = {0};
    for (int i = 0; i < 3; i++)
        cache_stats_format(&one, &text);
    cache_stats_parse(&text, &sum);
    assert_int_equal(sum.runs, 3);
    assert_int_equal(sum.stages[0].hits, 3);
    assert_int_equal(sum.stages[0].misses, 6);
    assert_int_equal(sum.stages[2].saved_ms, 1800);
    assert_int_equal(sum.folder.written, 24);
    assert_int_equal(sum.server.read, 27);
    /* A line that was cut off ends with the empty line of the next run. */
    text.size = 0;
    bytes_append(&text, "vbsp 5 5", 8);
    cache_stats_format(&one, &text);
    cache_stats_parse(&text, &sum);
    assert_int_equal(sum.runs, 4);
    assert_int_equal(sum.stages[0].hits, 4);
    bytes_free(&text);
}

static void lines_that_are_none_count_for_nothing(void **state)
{
    (void)state;
    static const char *const lines[] = {"",
                                        "\n",
                                        "vbsp\n",
                                        "vbsp \n",
                                        "vbsp 1 2\n",
                                        "vbsp 1 2 \n",
                                        "vbsp 1 2 3 4\n",
                                        "vbsp 1  2 3\n",
                                        " vbsp 1 2 3\n",
                                        "vbsp -1 2 3\n",
                                        "vbsp +1 2 3\n",
                                        "vbsp 0x1 2 3\n",
                                        "vbsp 1 2 3\r\n",
                                        "vbsp 1111111111111111111 2 3\n",
                                        "Vbsp 1 2 3\n",
                                        "vbsp-inputs 1 2 3\n",
                                        "run 1 2\n",
                                        "runs 1\n",
                                        "bytes 1 2 3\n",
                                        "vbsp 1 2 3"};
    static const struct cache_stats nothing;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct cache_stats sum = {0};
        struct bytes text = {0};
        bytes_append(&text, lines[i], strlen(lines[i]));
        cache_stats_parse(&text, &sum);
        assert_memory_equal(&sum, &nothing, sizeof sum);
        bytes_free(&text);
    }
}

static void sums_stay_at_the_largest_number(void **state)
{
    (void)state;
    struct cache_stats sum = {.stages = {{UINT64_MAX - 1, 0, 0}}};
    struct bytes text = {0};
    bytes_append(&text, "vbsp 5 5 5\n", 11);
    cache_stats_parse(&text, &sum);
    assert_true(sum.stages[0].hits == UINT64_MAX);
    assert_int_equal(sum.stages[0].misses, 5);
    bytes_free(&text);
}

SUITE(test_cache_parts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back),
        cmocka_unit_test(signatures_are_of_their_key),
        cmocka_unit_test(statistics_come_back),
        cmocka_unit_test(lines_that_are_none_count_for_nothing),
        cmocka_unit_test(sums_stay_at_the_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
