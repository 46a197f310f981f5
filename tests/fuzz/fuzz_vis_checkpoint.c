/* Any bytes as a checkpoint or cache entry of vvis. The bytes are also tried with a valid
 * checksum, so that the fuzzer gets past it. */
#include <stdint.h>
#include <string.h>

#include "common/core/memory.h"
#include "tests/fuzz/fuzz_check.h"
#include "vvis/resume/checkpoint_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS = 3, COLUMNS = 100, HASH_AT = 8 + (int)sizeof(struct checkpoint_header) };

static bool is_filled(const struct bit_rows *rows)
{
    for (size_t i = 0; i < ROWS * rows->words; i++)
        if (rows->data[i] != UINT64_MAX)
            return false;
    return true;
}

/* A decoded checkpoint is the same after encoding and decoding again. */
static void check_again(const struct checkpoint_header *head,
                        const struct checkpoint_matrix matrices[2])
{
    struct bytes out = {0};
    struct checkpoint_header again;
    struct bit_rows rows = bit_rows_new(ROWS, COLUMNS);
    struct checkpoint_matrix both[2] = {{&rows, ROWS, COLUMNS}, matrices[1]};
    checkpoint_encode(head, matrices, 2, &out);
    check(checkpoint_read_header(out.data, out.size, &again) &&
          memcmp(&again, head, sizeof again) == 0);
    check(checkpoint_decode(out.data, out.size, both, 2, true));
    check(memcmp(rows.data, matrices[0].rows->data, ROWS * rows.words * sizeof(uint64_t)) == 0);
    memory_free(rows.data);
    bytes_free(&out);
}

static void read_state(const uint8_t *data, size_t size)
{
    struct checkpoint_header head;
    if (!checkpoint_read_header(data, size, &head))
        return;
    struct bit_rows first = bit_rows_new(ROWS, COLUMNS), second = bit_rows_new(1, 64);
    memset(first.data, 0xff, ROWS * first.words * sizeof(uint64_t));
    const struct checkpoint_matrix matrices[2] = {{&first, ROWS, COLUMNS}, {&second, 1, 64}};
    if (checkpoint_decode(data, size, matrices, 2, true)) {
        for (size_t row = 0; row < ROWS; row++)
            check(bit_next(bit_row(&first, row), first.words, COLUMNS) == SIZE_MAX);
        check_again(&head, matrices);
    } else {
        check(is_filled(&first));
    }
    (void)checkpoint_decode(data, size, matrices, 1, false);
    memory_free(first.data);
    memory_free(second.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_state(data, size);
    if (size >= HASH_AT + SHA256_SIZE) {
        uint8_t *copy = memory_alloc(size);
        struct sha256 hash;
        memcpy(copy, data, size);
        sha256_begin(&hash);
        sha256_add(&hash, copy + 8, sizeof(struct checkpoint_header));
        sha256_add(&hash, copy + HASH_AT + SHA256_SIZE, size - HASH_AT - SHA256_SIZE);
        sha256_end(&hash, copy + HASH_AT);
        read_state(copy, size);
        memory_free(copy);
    }
    return 0;
}
