/* Any bytes as a .rad file: no line crashes, and its entries can be looked up. */
#include <stdint.h>

#include "common/core/array.h"
#include "vrad/lights/rad_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct rad_file rad = {0};
    rad_parse((const char *)data, size / 2, "first", diag, &rad);
    rad_parse((const char *)data + size / 2, size - size / 2, "second", diag, &rad);
    for (ptrdiff_t i = 0; i < shlen(rad.lights); i++) {
        struct vec3 colour;
        bool ldr = rad_find(&rad, rad.lights[i].key, false, &colour);
        bool hdr = rad_find(&rad, rad.lights[i].key, true, &colour);
        if (!(ldr || hdr) || !vec3_is_finite(colour))
            __builtin_trap();
    }
    rad_free(&rad);
    diag_free(diag);
    return 0;
}
