#include "vrad/scene/detail_models.h"

#include "common/assets/models/mdl.h"
#include "common/bsp/lumps/detail_props.h"
#include "common/core/array.h"

static const struct bsp_game_lump *find_lump(const struct bsp *bsp)
{
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++)
        if (bsp->game_lumps[i].id == DETAIL_PROPS_ID)
            return &bsp->game_lumps[i];
    return NULL;
}

static struct vec3 middle_of(struct assets *assets, const char *name, struct diag *details)
{
    struct bytes file = {0};
    struct arena arena = {0};
    struct mdl mdl;
    struct vec3 middle = vec3(0, 0, 0);
    if (assets && assets_read(assets, name, &file) &&
        mdl_decode(&file, NULL, details, &arena, &mdl) == STATUS_OK)
        middle = vec3_scale(vec3_add(mdl.hull.mins, mdl.hull.maxs), 0.5);
    arena_free(&arena);
    bytes_free(&file);
    return vec3_is_finite(middle) ? middle : vec3(0, 0, 0);
}

struct vec3 *detail_models_middles(struct assets *assets, const struct bsp *bsp)
{
    const struct bsp_game_lump *lump = find_lump(bsp);
    struct detail_props props = {0};
    struct diag *details = diag_new(NULL, NULL); /* who lights the props reports the lump */
    struct vec3 *middles = NULL;
    if (lump && detail_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL, details,
                                    &props) == STATUS_OK)
        for (size_t i = 0; i < arrlenu(props.models); i++)
            arrput(middles, middle_of(assets, props.models[i], details));
    detail_props_free(&props);
    diag_free(details);
    return middles;
}
