/* Any bytes as a BSP that is converted to another branch, another byte order, and compressed: the
 * result must be readable. */
#include <stdint.h>

#include "common/bsp/convert/convert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read(const struct bsp *bsp, const struct bsp_format *format,
                           struct diag *diag)
{
    struct bytes out = {0};
    struct bsp *again = NULL;
    if (bsp_encode(bsp, format, "map", diag, &out) == STATUS_OK &&
        bsp_decode_file(&out, "again", diag, &again) != STATUS_OK)
        __builtin_trap();
    bytes_free(&out);
    bsp_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = NULL;
    size_t rows = 0;
    int losses;
    while (bsp_format_at(rows))
        rows++;
    const struct bsp_format *target = bsp_format_at(size % rows);
    if (bsp_decode(data, size, "map", diag, &bsp) == STATUS_OK) {
        bsp->encoding.order = size / rows % 2 ? ORDER_BIG : ORDER_LITTLE;
        write_and_read(bsp, NULL, diag);
        bsp->encoding.compressed = size / rows / 2 % 2;
        if (bsp_convert(bsp, target, "map", diag, &losses) == STATUS_OK)
            write_and_read(bsp, target, diag);
    }
    bsp_free(bsp);
    diag_free(diag);
    return 0;
}
