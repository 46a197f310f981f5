/* Any bytes as a BSP of which only the materials are read, without checks of indices: gives a
 * catalogue, the same one twice. */
#include <stdint.h>
#include <string.h>

#include "common/bsp/catalogue/texdata_catalogue.h"
#include "common/bsp/codec/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_catalogue(const struct bsp *bsp, int times, struct diag *diag, struct bytes *out)
{
    struct texdata_catalogue catalogue = {0};
    for (int i = 0; i < times; i++)
        texdata_catalogue_add(&catalogue, bsp, "map.bsp", diag);
    texdata_catalogue_write(&catalogue, out);
    texdata_catalogue_free(&catalogue);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = {0}, once = {0}, twice = {0};
    struct bsp *bsp;
    bytes_append(&file, data, size);
    if (bsp_decode_part(&file, texdata_catalogue_lumps, "map.bsp", diag, &bsp) == STATUS_OK) {
        write_catalogue(bsp, 1, diag, &once);
        write_catalogue(bsp, 2, diag, &twice);
        if (once.size != twice.size || memcmp(once.data, twice.data, once.size) != 0)
            __builtin_trap();
        bsp_free(bsp);
    }
    bytes_free(&once);
    bytes_free(&twice);
    diag_free(diag);
    return 0;
}
