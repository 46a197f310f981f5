/* Any bytes as a game lump of props: refused, or safe to check, and then the same bytes again
 * except after the NULs of names; and the same through the other byte order. The first two bytes
 * select the byte order, the lump, and the version. */
#include <stdint.h>
#include <string.h>

#include "common/bsp/codec/codec.h"
#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/lumps/static_props.h"
#include "common/core/array.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        __builtin_trap();
}

static bool are_same(const struct bytes *a, const struct bytes *b)
{
    return a->size == b->size && (!a->size || !memcmp(a->data, b->data, a->size));
}

/* Decoded props can be checked, encoded in each form, and decoded to the same ones. */
static void static_lump(const struct bytes *lump, int version, enum byte_order order)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct static_props props = {0};
    enum static_prop_form form;
    struct record_range_error range_error;
    if (static_props_decode(lump, version, order, NULL, diag, &props, &form) == STATUS_OK) {
        static_props_check(&props, 100, NULL, diag);
        for (int i = STATIC_PROP_UNKNOWN + 1; i < STATIC_PROP_FORMS; i++) {
            struct static_prop_loss *losses = static_props_losses(&props, (enum static_prop_form)i);
            struct bytes out = {0};
            bool fits =
                static_props_encode(&props, (enum static_prop_form)i, order, &out, &range_error);
            expect(i != (int)form || (fits && out.size == lump->size && !losses));
            bytes_free(&out);
            arrfree(losses);
        }
    } else {
        expect(diag_count(diag, DIAG_ERROR) == 1 && !props.models && !props.props);
    }
    static_props_free(&props);
    diag_free(diag);
}

static void detail_lump(const struct bytes *lump, int version, enum byte_order order)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct detail_props props = {0};
    if (detail_props_decode(lump, version, order, NULL, diag, &props) == STATUS_OK)
        detail_props_check(&props, 100, 100, NULL, diag);
    else
        expect(!props.models && !props.objects);
    detail_props_free(&props);
    diag_free(diag);
}

/* Converted there, back, and there again: the second time there are no bytes after the NULs of
 * names. */
static void turn(uint32_t id, int version, enum byte_order order, const struct bytes *lump)
{
    enum byte_order other = order == ORDER_BIG ? ORDER_LITTLE : ORDER_BIG;
    struct bytes there = {0}, back = {0}, again = {0};
    if (game_lump_reorder(id, version, order, other, lump, &there)) {
        expect(there.size == lump->size);
        expect(game_lump_reorder(id, version, other, order, &there, &back));
        expect(game_lump_reorder(id, version, order, other, &back, &again));
        expect(are_same(&there, &again));
    } else {
        expect(!there.size);
    }
    bytes_free(&there);
    bytes_free(&back);
    bytes_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t ids[] = {STATIC_PROPS_ID, DETAIL_PROPS_ID, DETAIL_LIGHT_ID,
                                   DETAIL_LIGHT_HDR_ID};
    struct bytes lump = {0};
    if (size < 2)
        return 0;
    enum byte_order order = data[0] & 1 ? ORDER_BIG : ORDER_LITTLE;
    uint32_t id = ids[data[0] >> 1 & 3];
    int version = data[1];
    bytes_append(&lump, data + 2, size - 2);
    turn(id, version, order, &lump);
    if (id == STATIC_PROPS_ID)
        static_lump(&lump, version, order);
    if (id == DETAIL_PROPS_ID)
        detail_lump(&lump, version, order);
    bytes_free(&lump);
    return 0;
}
