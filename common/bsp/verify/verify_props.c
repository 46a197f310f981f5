/* The game lumps of static and detail props, against the map that they stand in. */
#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/lumps/static_props.h"
#include "common/bsp/verify/verify_internal.h"
#include "common/core/array.h"

struct prop_check {
    const struct verifier *verifier;
    struct diag_where where;
    size_t leaves;
};

static const struct bsp_game_lump *find_lump(const struct bsp *bsp, uint32_t id)
{
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++)
        if (bsp->game_lumps[i].id == id && bsp->game_lumps[i].data.size)
            return &bsp->game_lumps[i];
    return NULL;
}

static void check_static(const struct prop_check *check)
{
    const struct bsp_game_lump *lump = find_lump(check->verifier->bsp, STATIC_PROPS_ID);
    struct diag *diag = check->verifier->diag;
    struct static_props props = {0};
    enum static_prop_form form;
    if (lump && static_props_decode(&lump->data, lump->version, ORDER_LITTLE, &check->where, diag,
                                    &props, &form) == STATUS_OK)
        static_props_check(&props, check->leaves, &check->where, diag);
    static_props_free(&props);
}

static size_t light_count(const struct prop_check *check, uint32_t id)
{
    const struct bsp_game_lump *lump = find_lump(check->verifier->bsp, id);
    struct detail_light *lights = NULL;
    size_t count = 0;
    if (lump && detail_light_decode(&lump->data, lump->version, ORDER_LITTLE, &check->where,
                                    check->verifier->diag, &lights) == STATUS_OK)
        count = arrlenu(lights);
    arrfree(lights);
    return count;
}

/* A map that is lit for one of the two only has one of the lumps. */
static size_t detail_light_count(const struct prop_check *check)
{
    size_t ldr = light_count(check, DETAIL_LIGHT_ID), hdr = light_count(check, DETAIL_LIGHT_HDR_ID);
    if (!ldr || !hdr)
        return ldr + hdr;
    return ldr < hdr ? ldr : hdr;
}

static void check_detail(const struct prop_check *check)
{
    const struct bsp_game_lump *lump = find_lump(check->verifier->bsp, DETAIL_PROPS_ID);
    struct diag *diag = check->verifier->diag;
    struct detail_props props = {0};
    if (lump && detail_props_decode(&lump->data, lump->version, ORDER_LITTLE, &check->where, diag,
                                    &props) == STATUS_OK)
        detail_props_check(&props, check->leaves, detail_light_count(check), &check->where, diag);
    detail_props_free(&props);
}

void verify_props(struct verifier *verifier)
{
    const struct prop_check check = {
        verifier, {.file = verifier->name}, arrlenu(verifier->bsp->leaves)};
    size_t errors = diag_count(verifier->diag, DIAG_ERROR);
    check_static(&check);
    check_detail(&check);
    verifier->told[DIAG_STATIC_PROPS] += diag_count(verifier->diag, DIAG_ERROR) > errors;
}
