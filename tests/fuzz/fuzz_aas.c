/* Any bytes as a file of bot navigation: refused, or its checksum can be replaced. */
#include <stdint.h>

#include "common/bsp/sidecar/aas.h"
#include "tests/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The checksum is four bytes: another one differs in these alone, and the first one comes back. */
static void replace_checksum(struct bytes *file, const uint8_t *data, struct diag *diag)
{
    struct bytes first = {0};
    size_t differing = 0;
    bytes_append(&first, file->data, file->size);
    for (size_t i = 0; i < file->size; i++)
        differing += file->data[i] != data[i];
    check(differing <= 4);
    check(aas_set_checksum(file, ~(uint32_t)1, NULL, diag) == STATUS_OK);
    differing = 0;
    for (size_t i = 0; i < file->size; i++)
        differing += file->data[i] != first.data[i];
    check(differing == 4);
    check(aas_set_checksum(file, 1, NULL, diag) == STATUS_OK);
    check(memcmp(file->data, first.data, first.size) == 0);
    bytes_free(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = {0};
    bytes_append(&file, data, size);
    if (aas_set_checksum(&file, 1, NULL, diag) == STATUS_OK) {
        replace_checksum(&file, data, diag);
    } else {
        check(diag_entries(diag) == 1);
        check(size == 0 || memcmp(file.data, data, size) == 0);
    }
    bytes_free(&file);
    diag_free(diag);
    return 0;
}
