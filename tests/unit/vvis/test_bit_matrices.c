/* Bit matrices as bytes, and components in a cache. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/core/random.h"
#include "common/io/fs.h"
#include "vvis/resume/bit_matrices.h"
#include "vvis/resume/component_cache.h"

enum { ROWS = 37, COLUMNS = 700 };

/* Each bit is set with this probability. */
static struct bit_rows random_rows(uint64_t item, double chance)
{
    struct bit_rows rows = bit_rows_new(ROWS, COLUMNS);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < COLUMNS; k++)
            if (random_unit(item, i * COLUMNS + k) < chance)
                bit_set(bit_row(&rows, i), k);
    return rows;
}

static bool same(const struct bit_rows *a, const struct bit_rows *b)
{
    return memcmp(a->data, b->data, ROWS * a->words * sizeof(uint64_t)) == 0;
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    const double chances[] = {0, 0.001, 0.01, 0.5, 1};
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        struct bit_rows rows = random_rows(i, chances[i]), empty = bit_rows_new(ROWS, COLUMNS);
        struct bytes out = {0};
        bit_matrices_encode(&(struct bit_matrix){&rows, ROWS, COLUMNS}, 1, &out);
        const struct bit_matrix into = {&empty, ROWS, COLUMNS};
        assert_true(bit_matrices_decode(byte_reader(out.data, out.size), &into, 1, NULL));
        assert_true(same(&rows, &empty));
        bytes_free(&out);
        memory_free(rows.data);
        memory_free(empty.data);
    }
}

static void rows_of_few_bits_are_short(void **state)
{
    (void)state;
    struct bit_rows rows = bit_rows_new(ROWS, COLUMNS);
    struct bytes out = {0};
    bit_set(bit_row(&rows, 20), 333);
    bit_matrices_encode(&(struct bit_matrix){&rows, ROWS, COLUMNS}, 1, &out);
    assert_true(out.size < 200);
    bytes_free(&out);
    memory_free(rows.data);
}

/* Of bytes that end early nothing is taken. */
static void missing_bytes_are_detected(void **state)
{
    (void)state;
    struct bit_rows rows = random_rows(1, 0.01), kept = random_rows(2, 0.3);
    struct bit_rows before = random_rows(2, 0.3);
    struct bytes out = {0};
    bit_matrices_encode(&(struct bit_matrix){&rows, ROWS, COLUMNS}, 1, &out);
    for (size_t i = 0; i < out.size; i++)
        assert_false(bit_matrices_decode(byte_reader(out.data, i),
                                         &(struct bit_matrix){&kept, ROWS, COLUMNS}, 1, NULL));
    assert_true(same(&kept, &before));
    bytes_free(&out);
    memory_free(rows.data);
    memory_free(kept.data);
    memory_free(before.data);
}

/* The bytes are whole, but the shapes are not those that the reader expects. */
static void other_shapes_change_nothing(void **state)
{
    (void)state;
    struct bit_rows rows = random_rows(1, 0.3), kept = random_rows(2, 0.3);
    struct bit_rows before = random_rows(2, 0.3);
    struct bytes out = {0};
    const struct bit_matrix matrix = {&rows, ROWS, COLUMNS}, into = {&kept, ROWS, COLUMNS};
    bit_matrices_encode(&matrix, 1, &out);
    const struct bit_matrix more[] = {into, into};
    const struct bit_matrix fewer_rows = {&kept, ROWS - 1, COLUMNS};
    const struct bit_matrix narrower = {&kept, ROWS, COLUMNS - 1};
    assert_false(bit_matrices_decode(byte_reader(out.data, out.size), more, 2, NULL));
    assert_false(bit_matrices_decode(byte_reader(out.data, out.size), more, 0, NULL));
    assert_false(bit_matrices_decode(byte_reader(out.data, out.size), &fewer_rows, 1, NULL));
    bit_set(bit_row(&rows, 3), COLUMNS - 1);
    bytes_free(&out);
    bit_matrices_encode(&matrix, 1, &out);
    assert_false(bit_matrices_decode(byte_reader(out.data, out.size), &narrower, 1, NULL));
    assert_true(same(&kept, &before));
    assert_true(bit_matrices_decode(byte_reader(out.data, out.size), &into, 1, NULL));
    bytes_free(&out);
    memory_free(rows.data);
    memory_free(kept.data);
    memory_free(before.data);
}

static void cache_entries_have_one_key(void **state)
{
    (void)state;
    struct fs *fs = fs_memory_new();
    struct diag *diag = diag_new(NULL, NULL);
    const struct env env = {.diag = diag, .fs = fs, .threads = 1};
    struct bit_rows pvs = bit_rows_new(5, 5), costs = bit_rows_new(1, 64 * 5);
    const struct component_entry entry = {&pvs, &costs, 5};
    const unsigned char key[SHA256_SIZE] = {7}, other[SHA256_SIZE] = {8};
    const struct cache_options options = {.place = "a/b"};
    struct cache *cache = cache_open(&env, &options);
    bit_set(bit_row(&pvs, 3), 4);
    component_store(cache, key, &entry);
    bit_clear(bit_row(&pvs, 3), 4);
    assert_false(component_load(cache, other, &entry));
    assert_false(bit_get(bit_row(&pvs, 3), 4));
    assert_true(component_load(cache, key, &entry));
    assert_true(bit_get(bit_row(&pvs, 3), 4));
    cache_close(cache);
    assert_int_equal(diag_entries(diag), 0);
    memory_free(pvs.data);
    memory_free(costs.data);
    diag_free(diag);
    fs_memory_free(fs);
}

SUITE(test_bit_matrices)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),   cmocka_unit_test(rows_of_few_bits_are_short),
        cmocka_unit_test(missing_bytes_are_detected), cmocka_unit_test(other_shapes_change_nothing),
        cmocka_unit_test(cache_entries_have_one_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
