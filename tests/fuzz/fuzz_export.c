/* Any bytes as a Quake 3 map that is turned back into a .map, in each of its forms. */
#include <stdint.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/export/map_export.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = NULL;
    if (bsp_decode(data, size, "map", diag, &bsp) == STATUS_OK && bsp->family == CONTAINER_IBSP)
        for (int form = 0; form < 3; form++) {
            struct map_export_counts counts;
            struct bytes out = {0};
            if (map_export(bsp, &(struct map_export_options){.form = (enum map_form)form}, "map",
                           diag, &out, &counts) != STATUS_OK)
                bytes_undo(&out, 0);
            bytes_free(&out);
        }
    bsp_free(bsp);
    diag_free(diag);
    return 0;
}
