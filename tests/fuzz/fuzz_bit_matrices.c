/* Any bytes as bit matrices of a checkpoint or a cache entry of vvis. */
#include <stdint.h>
#include <string.h>

#include "common/core/memory.h"
#include "tests/fuzz/fuzz_check.h"
#include "vvis/resume/bit_matrices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS = 3, COLUMNS = 100 };

static bool is_filled(const struct bit_rows *rows)
{
    for (size_t i = 0; i < ROWS * rows->words; i++)
        if (rows->data[i] != UINT64_MAX)
            return false;
    return true;
}

/* Decoded matrices are the same after encoding and decoding again. */
static void check_again(const struct bit_matrix matrices[2])
{
    struct bytes out = {0};
    struct bit_rows rows = bit_rows_new(ROWS, COLUMNS);
    struct bit_matrix both[2] = {{&rows, ROWS, COLUMNS}, matrices[1]};
    bit_matrices_encode(matrices, 2, &out);
    check(bit_matrices_decode(byte_reader(out.data, out.size), both, 2, NULL));
    check(memcmp(rows.data, matrices[0].rows->data, ROWS * rows.words * sizeof(uint64_t)) == 0);
    memory_free(rows.data);
    bytes_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bit_rows first = bit_rows_new(ROWS, COLUMNS), second = bit_rows_new(1, 64);
    memset(first.data, 0xff, ROWS * first.words * sizeof(uint64_t));
    const struct bit_matrix matrices[2] = {{&first, ROWS, COLUMNS}, {&second, 1, 64}};
    if (bit_matrices_decode(byte_reader(data, size), matrices, 2, NULL)) {
        for (size_t row = 0; row < ROWS; row++)
            check(bit_next(bit_row(&first, row), first.words, COLUMNS) == SIZE_MAX);
        check_again(matrices);
    } else {
        check(is_filled(&first));
    }
    (void)bit_matrices_decode_first(byte_reader(data, size), matrices, 1);
    memory_free(first.data);
    memory_free(second.data);
    return 0;
}
