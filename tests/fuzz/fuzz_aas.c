/* Any bytes as a file of bot navigation: refused, or its checksum can be replaced. */
#include <stdint.h>

#include "common/bsp/sidecar/aas.h"
#include "tests/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = {0};
    uint32_t before, after;
    bytes_append(&file, data, size);
    if (aas_checksum(&file, NULL, diag, &before) != STATUS_OK) {
        check(diag_entries(diag) == 1);
        check(aas_set_checksum(&file, 1, NULL, diag) != STATUS_OK);
        check(size == 0 || memcmp(file.data, data, size) == 0);
    } else {
        check(aas_set_checksum(&file, ~before, NULL, diag) == STATUS_OK);
        check(aas_checksum(&file, NULL, diag, &after) == STATUS_OK && after == ~before);
        check(aas_set_checksum(&file, before, NULL, diag) == STATUS_OK);
        check(memcmp(file.data, data, size) == 0);
    }
    bytes_free(&file);
    diag_free(diag);
    return 0;
}
