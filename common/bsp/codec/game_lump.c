#include "common/bsp/codec/codec.h"

#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/lumps/static_props.h"
#include "common/core/array.h"

/* A conversion between byte orders: from, to, and an error that is not reported. */
struct turn {
    int version;
    enum byte_order from, to;
    struct diag *diag;
};

static bool turn_static_props(const struct turn *turn, const struct bytes *in, struct bytes *out)
{
    struct static_props props = {0};
    enum static_prop_form form;
    struct record_range_error range_error;
    bool done = static_props_decode(in, turn->version, turn->from, NULL, turn->diag, &props,
                                    &form) == STATUS_OK &&
                static_props_encode(&props, form, turn->to, out, &range_error);
    static_props_free(&props);
    return done;
}

static bool turn_detail_props(const struct turn *turn, const struct bytes *in, struct bytes *out)
{
    struct detail_props props = {0};
    struct record_range_error range_error;
    bool done =
        detail_props_decode(in, turn->version, turn->from, NULL, turn->diag, &props) == STATUS_OK &&
        detail_props_encode(&props, turn->to, out, &range_error);
    detail_props_free(&props);
    return done;
}

static bool turn_detail_light(const struct turn *turn, const struct bytes *in, struct bytes *out)
{
    struct detail_light *lights = NULL;
    bool done =
        detail_light_decode(in, turn->version, turn->from, NULL, turn->diag, &lights) == STATUS_OK;
    if (done)
        detail_light_encode(lights, turn->to, out);
    arrfree(lights);
    return done;
}

static bool turn_lump(uint32_t id, const struct turn *turn, const struct bytes *in,
                      struct bytes *out)
{
    switch (id) {
    case STATIC_PROPS_ID:
        return turn_static_props(turn, in, out);
    case DETAIL_PROPS_ID:
        return turn_detail_props(turn, in, out);
    case DETAIL_LIGHT_ID:
    case DETAIL_LIGHT_HDR_ID:
        return turn_detail_light(turn, in, out);
    default:
        return false;
    }
}

bool game_lump_reorder(uint32_t id, int version, enum byte_order from, enum byte_order to,
                       const struct bytes *in, struct bytes *out)
{
    struct turn turn = {version, from, to, diag_new(NULL, NULL)};
    bool done = turn_lump(id, &turn, in, out);
    diag_free(turn.diag);
    return done;
}
