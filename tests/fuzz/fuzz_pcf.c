/* Any bytes as a particle file. */
#include <stdint.h>

#include "common/core/array.h"
#include "common/usage/pcf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct bytes file = {.data = (unsigned char *)data, .size = size};
    struct diag *diag = diag_new(NULL, NULL);
    struct pcf pcf;
    bool is_read = pcf_decode(&file, NULL, diag, &pcf) == STATUS_OK;
    if (is_read == (diag_entries(diag) > 0))
        __builtin_trap(); /* failed without a report, or the other way round */
    for (size_t i = 0; i < arrlenu(pcf.elements); i++)
        for (size_t k = 0; k < arrlenu(pcf.elements[i].references); k++)
            if (pcf.elements[i].references[k] >= arrlenu(pcf.elements))
                __builtin_trap();
    pcf_free(&pcf);
    diag_free(diag);
    return 0;
}
