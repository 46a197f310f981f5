/* Any text as the JSON of a lump, of a small map: refused, or the map is written and read again, or
 * is no map any more. The first byte chooses the lump. */
#include <stdint.h>

#include "common/bsp/json/lump_json.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/ibsp_room.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct bsp *decoded_room(struct diag *diag)
{
    struct bytes file = {0};
    struct bsp *room = ibsp_room(1), *bsp = NULL;
    check(bsp_encode(room, bsp_format_find("quake3"), "room", diag, &file) == STATUS_OK);
    check(bsp_decode_file(&file, "room", diag, &bsp) == STATUS_OK);
    bsp_free(room);
    return bsp;
}

static void check_again(struct bsp *bsp, int lump, struct diag *diag)
{
    struct bytes once = {0}, twice = {0};
    check(lump_to_json(bsp, lump, &once));
    check(lump_from_json(bsp, lump, &once, "again", diag) == STATUS_OK);
    check(lump_to_json(bsp, lump, &twice));
    check(bytes_equal(&once, &twice));
    bytes_free(&once);
    bytes_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = decoded_room(diag), *again = NULL;
    struct bytes text = {0}, file = {0};
    int lump = size ? data[0] % IBSP_LUMPS : 0;
    bytes_append(&text, data + (size > 0), size - (size > 0));
    if (lump_from_json(bsp, lump, &text, "lump", diag) == STATUS_OK) {
        check_again(bsp, lump, diag);
        if (bsp_encode(bsp, NULL, "map", diag, &file) == STATUS_OK)
            (void)!bsp_decode(file.data, file.size, "map", diag, &again);
    } else {
        check(diag_entries(diag) > 0);
    }
    bytes_free(&text);
    bytes_free(&file);
    bsp_free(again);
    bsp_free(bsp);
    diag_free(diag);
    return 0;
}
